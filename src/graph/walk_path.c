/* walk_path.c - a walk along a path drawn on the floor: what frames cost, going along the path from
   one place of choice to the next, the search for the cheapest walk, and handing back what it
   found. The states that wait are in walk_path_open.c. Places at times instead of a path are in
   walk_goals.c; the search is the same, with time for arc length. */
#include "graph/walk_path.h"
#include "base/fail.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- what it costs -------------------------------------------------------------------------- */

/* What a walk along a path costs, as far as it does not depend on the path.

   A frame costs, in centimetres: how far the body is from the path point that belongs to it, where
   the few centimetres that a body sways as it walks count little; a little for its time; more if it
   is faster or slower than the graph's motions usually go, so that the character does not run where
   a walk will do or stand about; and more if the body looks elsewhere than along the path, so that
   the path is not walked backwards. A transition costs a little, and more the farther apart its
   frames are.

   The bound. Let a frame be reached by a step of the body of length l, at a pace cost c. The path
   point that belongs to it gains at most GAIN * l (that is how it is found, see below). Everything
   else in the cost is not negative, so a frame costs at least c. With least = min c / (GAIN * l)
   over all steps that the graph has, a frame costs at least least for every centimetre that its
   path point gains: c >= least * GAIN * l >= least * gain. The gains of the frames that are left
   add up to at least goal - arc, so what is left costs at least least * (goal - arc). Steps are the
   same wherever a walk stands: turns and shifts keep lengths. */

#define HURRY_CM 20.0   /* for twice the usual speed, or none .. */
#define HURRY_FREE 0.25 /* .. beyond so much of it, which is free */
#define JOIN_CM 100.0
#define POOR_CM 100.0 /* for a transition whose distance is the threshold */
#define STANDS_CM_S 20.0
#define HEADING_S 0.5
#define STANDS_CM 10.0
#define COST_FPS 30.0

bool mry_body_faces(const marey_skeleton *skeleton, const float *body, double *x, double *z)
{
    /* Across the hips, or the shoulders if a skeleton does not tell its hips; turned by a quarter
       that is ahead. */
    int left = skeleton->roles[MAREY_ROLE_LEFT_HIP], right = skeleton->roles[MAREY_ROLE_RIGHT_HIP];
    if (left < 0 || right < 0) {
        left = skeleton->roles[MAREY_ROLE_LEFT_SHOULDER];
        right = skeleton->roles[MAREY_ROLE_RIGHT_SHOULDER];
    }
    if (left < 0 || right < 0) return false;
    const float *l = body + 3 * left, *r = body + 3 * right;
    *x = (double)r[2] - l[2];
    *z = (double)l[0] - r[0];
    double size = hypot(*x, *z);
    if (!(size > 0)) return false;
    *x /= size;
    *z /= size;
    return true;
}

static bool find_faces(mry_tracks *tracks, mry_arena *mem)
{
    enum { AT_ONCE = 64 };
    const marey_graph *graph = tracks->graph;
    const marey_skeleton *skeleton = &graph->motion->skeleton;
    size_t row = (size_t)skeleton->joint_count * 3;
    float *positions = MRY_NEW_RAW(mem, float, AT_ONCE *row);
    if (!positions) return false;
    for (int first = 0; first < graph->nodes; first += AT_ONCE) {
        int count = graph->nodes - first < AT_ONCE ? graph->nodes - first : AT_ONCE;
        marey_clip_positions_float(graph->motion, first, count, positions);
        for (int k = 0; k < count; k++) {
            double x = 0, z = 0;
            mry_body_faces(skeleton, positions + row * (size_t)k, &x, &z);
            tracks->face_x[first + k] = (float)x;
            tracks->face_z[first + k] = (float)z;
        }
    }
    return true;
}

bool mry_tracks_open(mry_tracks *tracks, mry_arena *mem, const mry_ways *ways)
{
    const marey_graph *graph = ways->graph;
    double threshold = graph->def.threshold;
    *tracks = (mry_tracks){ .graph = graph,
                            .ways = ways,
                            .face_x = MRY_NEW(mem, float, graph->nodes),
                            .face_z = MRY_NEW(mem, float, graph->nodes),
                            .pace = MRY_NEW(mem, float, graph->nodes),
                            .choice = MRY_NEW(mem, uint8_t, graph->nodes),
                            .frame = COST_FPS / graph->fps,
                            .join = JOIN_CM,
                            .poor = threshold > 0 ? POOR_CM / threshold : 0 };
    if (!tracks->face_x || !tracks->face_z || !tracks->pace || !tracks->choice) return false;
    if (!find_faces(tracks, mem) || !mry_tracks_find_goings(tracks, mem)) return false;
    /* Speeds, and what they cost. */
    float *room = MRY_NEW_RAW(mem, float, graph->nodes);
    if (!room) return false;
    int half = (int)lround(MRY_PATH_PACE_S * graph->fps);
    if (half < 1) half = 1;
    for (int n = 0; n < graph->nodes; n++) {
        int a = n, b = n, frames = 0;
        for (int k = 0; k < half && graph->before[a] >= 0; k++, frames++) a = graph->before[a];
        for (int k = 0; k < half && graph->next[b] >= 0; k++, frames++) b = graph->next[b];
        mry_vec from = mry_node_at(graph, a), to = mry_node_at(graph, b);
        double speed = hypot(to.x - from.x, to.z - from.z) * graph->fps;
        tracks->pace[n] = frames > 0 ? (float)(speed / frames) : 0;
    }
    /* What those that move usually do: the median. 0: no node moves. */
    int count = 0;
    for (int n = 0; n < graph->nodes; n++) {
        if (ways->dwell.passed[n] && (double)tracks->pace[n] > STANDS_CM_S)
            room[count++] = tracks->pace[n];
    }
    qsort(room, (size_t)count, sizeof *room, mry_by_size);
    double usual = tracks->usual = count ? (double)room[count / 2] : 0;
    for (int n = 0; n < graph->nodes; n++) {
        double off = usual > 0 ? fabs((double)tracks->pace[n] / usual - 1) - HURRY_FREE : 0;
        tracks->pace[n] = (float)(tracks->frame * (MRY_PATH_TIME_CM + HURRY_CM * fmax(off, 0)));
    }
    /* The bound, and where there is a choice. */
    const mry_dwell *dwell = &ways->dwell;
    tracks->least = INFINITY;
    for (int n = 0; n < graph->nodes; n++) {
        if (!dwell->allowed[n]) continue;
        for (int i = graph->leaving[n] - 1; i < graph->leaving[n + 1]; i++) {
            bool on = i < graph->leaving[n]; /* to the next of its sequence */
            int to = on ? graph->next[n] : graph->transitions[i].to;
            if (to < 0 || !dwell->allowed[to]) continue;
            if (!on && (!dwell->free[n] || dwell->lands[i] < 0)) continue;
            if (!on) tracks->choice[n] = 1;
            mry_vec was = mry_node_at(graph, n), is = mry_node_at(graph, to);
            mry_floor_apply(on ? (mry_floor){ 0 } : graph->places[i], &is.x, &is.z);
            double step = hypot(is.x - was.x, is.z - was.z);
            tracks->longest = fmax(tracks->longest, step);
            if (step > 0)
                tracks->least = fmin(tracks->least, tracks->pace[to] / (MRY_PATH_GAIN * step));
        }
    }
    /* Numbers are rounded; where nothing moves at all any bound is one. */
    tracks->least = isfinite(tracks->least) ? tracks->least * (1 - 1e-9) : 0;
    return true;
}

/* ---- going along it ------------------------------------------------------------------------- */

/* Going along a path from one place of choice to the next, frame by frame.

   The path point that belongs to a frame is the nearest one ahead of that of the frame before, not
   farther ahead than a little more than the step that the body made: so a path that crosses itself
   is gone through in its order, and a body that cuts a corner is led back to where it left, and not
   round it. */

#define NEAR_END_CM 1.0

mry_path_task mry_path_begin(const mry_tracks *tracks, const mry_floor_path *path)
{
    return (mry_path_task){ .tracks = tracks,
                            .path = path,
                            .goal = fmax(path->length - NEAR_END_CM, 0.5 * path->length) };
}

static void lay(mry_path_at *at, mry_floor place)
{
    at->place = place;
    at->turn_cos = cos(place.angle);
    at->turn_sin = sin(place.angle);
}

/* What a frame costs for being so far from where it should be. */
static double off_cost(const mry_tracks *tracks, double away)
{
    return tracks->frame * away * away / (away + MRY_PATH_SOFT_CM);
}

static void arrive(const mry_path_task *task, mry_path_at *at, int node)
{
    const mry_tracks *tracks = task->tracks;
    mry_vec body = mry_node_at(tracks->graph, node);
    double c = at->turn_cos, s = at->turn_sin;
    double x = body.x * c + body.z * s + at->place.x, z = body.z * c - body.x * s + at->place.z;
    double step = sqrt((x - at->x) * (x - at->x) + (z - at->z) * (z - at->z));
    if (mry_path_blocked(task, x, z)) at->cost = INFINITY;
    if (task->goals) {
        mry_goals_arrive(task->goals, at, node, x, z, step);
        return;
    }
    at->arc = mry_floor_path_follow(task->path, at->arc, MRY_PATH_GAIN * step, x, z, &at->away);
    double face_x = tracks->face_x[node], face_z = tracks->face_z[node], ahead_x, ahead_z, look = 0;
    if (face_x != 0 || face_z != 0) {
        mry_floor_path_ahead(task->path, at->arc, &ahead_x, &ahead_z);
        look = 1 - ((face_x * c + face_z * s) * ahead_x + (face_z * c - face_x * s) * ahead_z);
    }
    at->off = off_cost(tracks, at->away);
    at->cost +=
        at->off + tracks->frame * MRY_PATH_LOOK_CM * fmax(look, 0) + (double)tracks->pace[node];
    at->cost += mry_path_bend_cost(task, at);
    at->node = node;
    at->x = x;
    at->z = z;
}

/* To the next node from where the body is, bent towards the path. */
static void bend_on(const mry_path_task *task, mry_path_at *at, int node)
{
    at->turned = task->bend_cm > 0 ? mry_path_steer(task, at, node) : 0;
    if (at->turned != 0) lay(at, mry_floor_about(at->place, at->turned, at->x, at->z));
    arrive(task, at, node);
}

/* What it costs to end there, besides; INFINITY: it is no end. */
static double end_cost(const mry_path_task *task, const mry_path_at *at)
{
    if (!mry_path_done(task, at->arc)) return INFINITY;
    if (!task->ends) return 0; /* in its cost already */
    double away = hypot(at->x - task->spot_x, at->z - task->spot_z);
    return (double)task->ends[at->node] + MRY_PATH_END_FRAMES * off_cost(task->tracks, away);
}

/* On from a node that was reached: so many frames in all, until the walk is free, and then until
   there is a choice, or the end of the path or of the sequence. */
static void go_on(const mry_path_task *task, mry_path_at *at, int frames, mry_path_seen seen,
                  void *user)
{
    const mry_tracks *tracks = task->tracks;
    const int *next = tracks->graph->next;
    if (seen) seen(user, at);
    /* The end of a path may be passed before a piece is over; the time of the last goal is not. */
    for (int k = 1; (k < frames && !task->goals) || !mry_path_over(task, at->arc); k++) {
        int to = next[at->node];
        bool chooses = tracks->choice[at->node] || isfinite(end_cost(task, at));
        if (k >= frames && (chooses || to < 0 || !tracks->ways->dwell.free[to])) break;
        bend_on(task, at, to);
        if (seen) seen(user, at);
    }
    if (mry_path_over(task, at->arc)) at->cost += (MRY_PATH_END_FRAMES - 1) * at->off;
}

/* The first step: the node at the path's beginning, and on to the first place of choice. */
static mry_path_at path_start(const mry_path_task *task, int node, mry_path_seen seen, void *user)
{
    const marey_graph *graph = task->tracks->graph;
    const mry_goals *goals = task->goals;
    double start_x = goals ? goals->x : task->path->x[0];
    double start_z = goals ? goals->z : task->path->z[0];
    double ahead_x = goals ? goals->ahead_x : task->path->tx[0];
    double ahead_z = goals ? goals->ahead_z : task->path->tz[0];
    mry_vec body = mry_node_at(graph, node);
    /* The direction on the floor that a node's body goes over the next half second; where it looks
       if it stands. */
    int end = node;
    for (int k = (int)lround(HEADING_S * graph->fps); k > 0 && graph->next[end] >= 0; k--)
        end = graph->next[end];
    mry_vec to = mry_node_at(graph, end);
    double x = to.x - body.x, z = to.z - body.z, size = hypot(x, z);
    bool looks = size < STANDS_CM || (goals && goals->faces);
    if (looks && (task->tracks->face_x[node] != 0 || task->tracks->face_z[node] != 0)) {
        x = task->tracks->face_x[node];
        z = task->tracks->face_z[node];
    } else {
        x = size > 0 ? x / size : 0;
        z = size > 0 ? z / size : 1;
    }
    double angle = atan2(ahead_x, ahead_z) - atan2(x, z);
    mry_floor_turn(angle, &body.x, &body.z);
    mry_path_at at = { .node = node, .x = start_x, .z = start_z, .arc = goals ? -1 : 0 };
    lay(&at, (mry_floor){ angle, start_x - body.x, start_z - body.z });
    arrive(task, &at, node);
    go_on(task, &at, task->tracks->ways->dwell.least, seen, user);
    return at;
}

/* The first step from elsewhere. */
static mry_path_at path_enter(const mry_path_task *task, const mry_path_entry *entry, double arc,
                              mry_path_seen seen, void *user)
{
    mry_vec body = mry_node_at(task->tracks->graph, entry->node);
    mry_path_at at = { .node = entry->node, .arc = arc, .cost = entry->cost };
    lay(&at, entry->place);
    mry_floor_apply(entry->place, &body.x, &body.z);
    at.x = body.x;
    at.z = body.z;
    arrive(task, &at, entry->node);
    go_on(task, &at, entry->stay, seen, user);
    return at;
}

/* From a place of choice to the next, over a transition or (-1) straight on. false: there is no way
   on. */
static bool path_step(const mry_path_task *task, mry_path_at *at, int transition,
                      mry_path_seen seen, void *user)
{
    const mry_tracks *tracks = task->tracks;
    const marey_graph *graph = tracks->graph;
    const mry_dwell *dwell = &tracks->ways->dwell;
    int to = graph->next[at->node], frames = 1;
    if (transition >= 0) {
        if (dwell->lands[transition] < 0) return false;
        to = graph->transitions[transition].to;
        frames = mry_dwell_stay(graph, transition, dwell->least);
        /* What differs at it must fade before the time is over. */
        if (task->goals && at->arc + frames > task->goal) return false;
        lay(at, mry_floor_times(at->place, graph->places[transition]));
        at->cost +=
            task->goals
                ? (double)task->goals->join[transition]
                : tracks->join + tracks->poor * (double)graph->transitions[transition].distance;
    } else if (to < 0 || !dwell->free[to]) {
        return false;
    }
    bend_on(task, at, to);
    go_on(task, at, frames, seen, user);
    return true;
}

/* ---- the search ----------------------------------------------------------------------------- */

/* The search for a walk along a path: A* (Hart, Nilsson, Raphael 1968) made anytime by going round
   the stretches of the path (cyclic best-first search: Kao, Sewell, Jacobson 2009).

   A* alone, weighted or not, looks at everything that is cheap so far before it goes on, and how
   far one will get from the path is not in the bound: it would be at the first bend for ever. So
   states wait in a heap for every stretch, and every round takes the few most promising of each,
   from the first stretch to the last: the first round is at the end of the path after a few hundred
   steps, and each later one is twice as wide. Where none gets round a sharp corner, every other
   round is for the last stretches before it alone, until one does. Nothing is lost on the way: what
   was not taken waits for the next round. A state whose cost and bound reach the best walk's is
   thrown away, and once none is left the best walk is the best there is, but for states that were
   taken for the same. */

/* Coming so much farther is no use if it is that far from the path. */
#define LOST 2.0

enum { FIRST_WIDTH = 8, MOST_WIDTH = 1 << 24, LAST_FEW = 8, LAST_WIDER = 8, ASK_EVERY = 256 };

typedef enum outcome { GO_ON, ENOUGH, NO_ROOM, STOPPED } outcome;

static outcome keep_state(mry_path_search *search, const mry_path_at *at, int from, int transition)
{
    mry_path_state state = { .place = at->place,
                             .arc = at->arc,
                             .cost = at->cost,
                             .bend = at->bend,
                             .node = at->node,
                             .from = from,
                             .transition = transition };
    if (!(state.cost + mry_path_rest(&search->task, &state) < search->cost)) return GO_ON;
    int kept;
    if (!mry_path_open_put(&search->open, &state, &kept)) return NO_ROOM;
    if (kept < 0) return GO_ON;
    bool full = search->most > 0 && search->open.count >= search->most;
    if (search->farthest < 0 || at->arc - LOST * at->away > search->reach) {
        search->farthest = kept;
        search->reach = at->arc - LOST * at->away;
    }
    double cost = state.cost + end_cost(&search->task, at);
    if (!(cost < search->cost)) return full ? ENOUGH : GO_ON;
    if (search->best < 0) search->first_after = search->expanded;
    search->best = kept;
    search->cost = cost;
    bool wanted = !search->better || search->better(search->user, search);
    return wanted && !full ? GO_ON : ENOUGH;
}

/* Takes the most promising states of the stretches [first, end), `width` of each, and goes on from
   them. *taken: how many. */
static outcome go_round(mry_path_search *search, int first, int end, int width, int64_t *taken)
{
    const marey_graph *graph = search->task.tracks->graph;
    for (int layer = first; layer < end; layer++) {
        for (int k = 0; k < width; k++) {
            int number = mry_path_open_pop(&search->open, layer, search->cost);
            if (number < 0) break;
            ++*taken;
            mry_path_state from = *mry_path_state_at(&search->open, number);
            mry_vec body = mry_node_at(graph, from.node);
            mry_path_at start = { .node = from.node,
                                  .x = body.x,
                                  .z = body.z,
                                  .arc = from.arc,
                                  .cost = from.cost,
                                  .bend = from.bend };
            lay(&start, from.place);
            mry_floor_apply(from.place, &start.x, &start.z);
            for (int i = graph->leaving[from.node] - 1; i < graph->leaving[from.node + 1]; i++) {
                int transition = i < graph->leaving[from.node] ? -1 : i;
                mry_path_at at = start;
                if (!path_step(&search->task, &at, transition, NULL, NULL)) continue;
                outcome result = keep_state(search, &at, number, transition);
                if (result) return result;
            }
            search->expanded++;
            if (search->expanded % ASK_EVERY == 0 &&
                !mry_progress(search->open.ctx, "finding a walk", search->expanded, search->effort))
                return STOPPED;
            if (!(search->expanded < search->effort)) return ENOUGH;
        }
    }
    return GO_ON;
}

marey_status mry_path_search_run(mry_path_search *search, int from, marey_error *error)
{
    search->best = search->farthest = -1;
    search->cost = INFINITY;
    /* From every node that it may begin with. */
    const mry_tracks *tracks = search->task.tracks;
    outcome result = GO_ON;
    for (int i = 0; i < search->begin_count && !result; i++) {
        mry_path_at at =
            path_enter(&search->task, &search->begins[i], search->begin_arc, NULL, NULL);
        result = keep_state(search, &at, -1, i);
    }
    for (int n = 0; n < tracks->graph->nodes && !result && search->begin_count == 0; n++) {
        if (from >= 0 && n != from) continue;
        if (mry_dwell_begin(tracks->graph, &tracks->ways->dwell, n) < 0) continue;
        mry_path_at at = path_start(&search->task, n, NULL, NULL);
        result = keep_state(search, &at, -1, n);
    }
    for (int width = FIRST_WIDTH; !result;) {
        int64_t taken = 0;
        result = go_round(search, 0, search->open.layer_count, width, &taken);
        search->finished = !result && taken == 0;
        if (search->finished) break;
        if (!result && search->best < 0) {
            /* The last stretches that any walk has come to. */
            int end = search->open.layer_count;
            while (end > 1 && search->open.layers[end - 1].count == 0) end--;
            result = go_round(search, end > LAST_FEW ? end - LAST_FEW : 0, end, LAST_WIDER * width,
                              &taken);
        }
        if (width < MOST_WIDTH) width *= 2;
    }
    if (result == NO_ROOM) return mry_fail_memory(error, NULL);
    if (result == STOPPED) return mry_fail_cancelled(error);
    return MAREY_OK;
}

/* ---- what was found, as a walk -------------------------------------------------------------- */

#define CELL_CM 10.0

/* Three times as many take three times as long, and walks come nearer to their paths by a few
   millimetres, if they are bent not even that. A step leads to ten states or fewer, mostly; where there are many more, the search
   ends before it has taken all its steps, so that what it may need is known before: a state is 120
   bytes at most. */
enum { USUAL_EFFORT = 100000, BENT_EFFORT = 30000, STATES_PER_STEP = 20 };
#define MOST_EFFORT 1000000000000

typedef struct finding {
    marey_ctx *ctx;
    const mry_ways *ways;
    const marey_walk_def *def;
    marey_walk walk; /* the best so far */
    mry_path_stood stood;
    marey_status status;
    marey_error *error;
} finding;

typedef struct retraced {
    const mry_goals *goals; /* NULL: along a path */
    bool missed;            /* one of them is */
    double goal_worst;      /* the farthest that it is from one in time, cm */
    int *nodes;             /* NULL: only counted */
    double *bends;
    int count;
    double sum, worst;
    mry_floor place; /* of the first */
    int begin;       /* which of the given ones that is */
    mry_path_at last;
} retraced;

static void see(void *user, const mry_path_at *at)
{
    retraced *f = user;
    if (f->count == 0) f->place = at->place;
    if (f->nodes) f->nodes[f->count] = at->node;
    if (f->bends) f->bends[f->count] = at->turned;
    f->count++;
    f->sum += at->away;
    f->worst = fmax(f->worst, at->away);
    f->last = *at;
    double off = 0;
    f->missed |= f->goals && mry_goals_missed(f->goals, at, &off);
    f->goal_worst = fmax(f->goal_worst, off);
}

/* All frames of a state's walk once more; `chain` are the states up to it. */
static void retrace(const mry_path_search *search, const int *chain, int count, retraced *out)
{
    const mry_path_open *open = &search->open;
    int first = mry_path_state_at(open, chain[0])->transition;
    mry_path_at at = search->begin_count > 0 ? path_enter(&search->task, &search->begins[first],
                                                          search->begin_arc, see, out)
                                             : path_start(&search->task, first, see, out);
    out->begin = search->begin_count > 0 ? first : -1;
    for (int k = 1; k < count; k++)
        path_step(&search->task, &at, mry_path_state_at(open, chain[k])->transition, see, out);
}

/* Into f->walk, instead of what was there. */
static marey_status keep_walk(finding *f, const mry_path_search *search, int state)
{
    mry_arena tmp = mry_arena_make(f->ctx);
    retraced all = { 0 };
    /* The states up to it, the first one first. */
    const mry_path_open *open = &search->open;
    int count = 0;
    for (int s = state; s >= 0; s = mry_path_state_at(open, s)->from) ++count;
    int *chain = MRY_NEW_RAW(&tmp, int, count);
    for (int k = count - 1, s = state; chain && k >= 0; k--) {
        chain[k] = s;
        s = mry_path_state_at(open, s)->from;
    }
    if (chain) retrace(search, chain, count, &all);
    int room = all.count;
    all = (retraced){ .goals = search->task.goals,
                      .nodes = chain ? MRY_NEW_RAW(&tmp, int, room) : NULL,
                      .bends = chain ? MRY_NEW_RAW(&tmp, double, room) : NULL };
    marey_walk walk = { 0 };
    marey_status status = all.nodes && all.bends ? MAREY_OK : mry_fail_memory(f->error, NULL);
    if (!status) {
        retrace(search, chain, count, &all);
        status = mry_walk_keep(f->ctx, f->ways, all.nodes, all.count, &walk, f->error);
    }
    if (!status && search->task.bend_cm > 0)
        status = mry_walk_keep_bends(&walk, all.bends, f->error);
    mry_arena_free(&tmp);
    if (status) {
        marey_walk_free(&walk);
        return status;
    }
    walk.path_cm = all.sum / all.count;
    walk.path_worst_cm = all.worst;
    walk.placed = true;
    walk.place = (marey_placement){
        .angle_rad = all.place.angle, .x_cm = all.place.x, .z_cm = all.place.z, .sure = true
    };
    walk.arrived = state == search->best && !all.missed;
    walk.goal_worst_cm = all.goal_worst;
    walk.stands = all.goals && all.goals->can_stand;
    const mry_path_task *task = &search->task;
    const mry_path_at *last = &all.last;
    double away = hypot(last->x - task->spot_x, last->z - task->spot_z);
    f->stood =
        (mry_path_stood){ last->arc, task->ends ? away : last->away, last->place, all.begin };
    walk.expanded = search->expanded;
    walk.first_after = search->first_after;
    marey_walk_free(&f->walk);
    f->walk = walk;
    return MAREY_OK;
}

static bool found_better(void *user, mry_path_search *search)
{
    finding *f = user;
    if (!f->def->better) return true; /* the last one is kept when all is done */
    f->status = keep_walk(f, search, search->best);
    return !f->status && f->def->better(f->def->user, &f->walk);
}

/* Where no walk gets to the end, the walk that came farthest. */
static marey_status find(finding *f, mry_path_search *search, int from, marey_error *error)
{
    search->better = found_better;
    search->user = f;
    if (search->effort == 0) search->effort = search->task.bend_cm > 0 ? BENT_EFFORT : USUAL_EFFORT;
    search->most = search->task.tracks->graph->nodes + STATES_PER_STEP * search->effort;
    bool room = mry_path_open_make(&search->open, f->ctx, &search->task, CELL_CM);
    marey_status status = room ? MAREY_OK : mry_fail_memory(error, NULL);
    if (!status) status = mry_path_search_run(search, from, error);
    if (!status) status = f->status;
    if (!status && search->best < 0 && search->farthest < 0)
        status = mry_fail(error, MAREY_ERR_REQUEST, NULL,
                          "there is no way on from the start: obstacles are all around it");
    if (!status) status = keep_walk(f, search, search->best >= 0 ? search->best : search->farthest);
    mry_path_open_free(&search->open);
    if (status) marey_walk_free(&f->walk);
    return status;
}

marey_status mry_walk_path(marey_ctx *ctx, const marey_graph *graph, const marey_walk_def *def,
                           marey_walk *out, marey_error *error)
{
    mry_arena tmp = mry_arena_make(ctx);
    mry_rounded route;
    mry_goals goals;
    mry_ways ways;
    mry_tracks tracks;
    bool at_times = def->kind == MAREY_WALK_GOALS;
    finding f = { .ctx = ctx, .ways = &ways, .def = def, .error = error };
    mry_path_search search = { .effort = def->effort };
    marey_status status = mry_obstacles_check(def, error);
    if (!status) status = mry_ways_open(&ways, &tmp, graph, def, error);
    if (!status && (def->effort < 0 || def->effort > MOST_EFFORT))
        status = mry_fail(error, MAREY_ERR_REQUEST, NULL, "search effort must be 0 to 10^12 steps");
    if (!status && !mry_tracks_open(&tracks, &tmp, &ways)) status = mry_fail_memory(error, NULL);
    if (!status && !at_times) status = mry_route_open(&route, &tmp, &tracks, def, error);
    if (!status && at_times) status = mry_goals_open(&goals, &tmp, &tracks, def, error);
    if (!status) {
        search.task = at_times
                          ? (mry_path_task){ .tracks = &tracks, .goals = &goals, .goal = goals.end }
                          : mry_path_begin(&tracks, &route.path);
        if (!at_times) search.task.bend_cm = mry_path_tightest(def);
        search.task.obstacles = def->obstacles;
        search.task.obstacle_count = def->obstacle_count;
        status = find(&f, &search, def->from_given ? def->from : -1, error);
    }
    mry_arena_free(&tmp);
    if (!status) *out = f.walk;
    return status;
}

/* Ends are good from a step before the spot on. */
#define NEAR_SPOT_CM 50.0

marey_status mry_walk_path_leg(marey_ctx *ctx, const mry_ways *ways, const mry_tracks *tracks,
                               const mry_floor_path *path, const mry_path_leg *leg, marey_walk *out,
                               mry_path_stood *stood, marey_error *error)
{
    const marey_walk_def def = { 0 };
    finding f = { .ctx = ctx, .ways = ways, .def = &def, .error = error };
    mry_path_search search = { .effort = leg->effort,
                               .begins = leg->begins,
                               .begin_count = leg->begin_count,
                               .begin_arc = leg->begin_arc };
    search.task = mry_path_begin(tracks, path);
    search.task.bend_cm = leg->bend_cm;
    if (leg->ends) {
        double at = fmin(leg->end_arc / path->spacing, path->count - 1);
        int i = at < path->count - 2 ? (int)at : path->count - 2;
        search.task.ends = leg->ends;
        search.task.goal = fmin(fmax(leg->end_arc - NEAR_SPOT_CM, 0), search.task.goal);
        search.task.spot_x = path->x[i] + (at - i) * (path->x[i + 1] - path->x[i]);
        search.task.spot_z = path->z[i] + (at - i) * (path->z[i + 1] - path->z[i]);
    }
    marey_status status = find(&f, &search, leg->from, error);
    if (status) return status;
    *out = f.walk;
    *stood = f.stood;
    return MAREY_OK;
}
