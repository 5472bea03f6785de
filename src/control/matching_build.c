/* matching_build.c - motion matching (Clavet 2016; Holden et al. 2020, section 3): what a pose is
   compared by, what an input asks for, and which pose is jumped to. Everything is seen from where
   the body stands and faces. */
#include "base/fail.h"
#include "control/matching_data.h"
#include "graph/walk_data.h"

#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846
#define LONGEST_S 1.0       /* of the path */
#define FASTEST_CM_S 2000.0 /* faster inputs are taken for this */
/* Of squared distance: who stands well does not jump to who stands a little better. */
#define LEAST_GAIN 0.4f

/* ---- tables ---------------------------------------------------------------------------------- */

static const struct {
    const char *name, *about;
} kinds[MAREY_CONTROLLER_KIND_COUNT] = {
    { "graph", "follow the graph's policy, from transition to transition" },
    { "matching", "search all captured poses for the one that leads on best; needs no policy" },
};

const char *marey_controller_kind_name(marey_controller_kind kind)
{
    return kinds[kind].name;
}

const char *marey_controller_kind_about(marey_controller_kind kind)
{
    return kinds[kind].about;
}

/* In the order of a row: how many numbers each has, and what it counts for: chosen on real clips
   (./dev experiment steering). */
static const struct {
    const char *name;
    int numbers;
    double weight;
} features[MAREY_MATCHING_FEATURE_COUNT] = {
    { "feet", 6, 1.5 },
    { "feet speed", 6, 0.5 },
    { "hips speed", 3, 1.5 },
    { "path", 2 * MRY_MATCH_TIMES, 2 },
    { "facing", 2 * MRY_MATCH_TIMES, 1.5 },
};

enum { PATH_AT = 15, FACING_AT = PATH_AT + 2 * MRY_MATCH_TIMES };

const char *marey_matching_feature_name(marey_matching_feature feature)
{
    return features[feature].name;
}

/* ---- features -------------------------------------------------------------------------------- */

/* From x and z to ahead and left of one who faces so. */
static void see(double facing, double x, double z, double *out)
{
    double c = cos(facing), s = sin(facing);
    out[0] = x * c - z * s;
    out[1] = -x * s - z * c;
}

static int time_frames(const marey_matching *m, int time)
{
    return (int)lround((time + 1) * (double)m->horizon / MRY_MATCH_TIMES);
}

typedef struct finding {
    marey_matching *m;
    const mry_bodies *bodies;
    int *left;    /* frames of the sequence that follow it */
    double *rows; /* originals x MRY_MATCH_ROW, not scaled */
    int at_once;
} finding;

/* Where the body stands, and what of a row is seen of the pose itself. */
static void find_pose(void *user, int64_t i)
{
    const finding *f = user;
    const marey_graph *g = f->m->graph;
    const int *roles = g->motion->skeleton.roles;
    const int joints[3] = { roles[MAREY_ROLE_LEFT_ANKLE], roles[MAREY_ROLE_RIGHT_ANKLE],
                            roles[MAREY_ROLE_HIPS] >= 0 ? roles[MAREY_ROLE_HIPS] : g->body.joint };
    int reach = (int)fmax(1, round(g->fps / 6)), end = (int)(i + 1) * f->at_once;
    for (int n = (int)i * f->at_once; n < end && n < g->originals; n++) {
        double x = 0, z = 0, ahead = 0, left = 0, *row = f->rows + (size_t)n * MRY_MATCH_ROW;
        int first = n, last = n;
        while (n - first < reach && first > 0 && f->left[first - 1] > 0) first--;
        while (last - n < reach && f->left[last] > 0) last++;
        for (int k = first; k <= last; k++) {
            mry_vec at = mry_node_at(g, k);
            x += at.x / (last - first + 1);
            z += at.z / (last - first + 1);
            ahead += cos((double)f->m->moves[k].facing);
            left += sin((double)f->m->moves[k].facing);
        }
        double facing = atan2(left, ahead);
        f->m->stands[n] = (mry_stand){ (float)x, (float)z, (float)facing };
        int before = n > 0 && f->left[n - 1] > 0 ? n - 1 : n, next = f->left[n] > 0 ? n + 1 : n;
        double rate = next > before ? g->fps / (next - before) : 0;
        for (int j = 0; j < 3; j++) {
            if (joints[j] < 0) continue;
            const float *p = mry_body(f->bodies, n) + 3 * joints[j];
            const float *a = mry_body(f->bodies, before) + 3 * joints[j];
            const float *b = mry_body(f->bodies, next) + 3 * joints[j];
            double *place = row + 3 * j, *speed = row + 6 + 3 * j, y = (double)(b[1] - a[1]);
            see(facing, (double)(b[0] - a[0]) * rate, (double)(b[2] - a[2]) * rate, speed);
            speed[2] = y * rate;
            if (j == 2) continue; /* the hips are where the body is */
            see(facing, (double)p[0] - x, (double)p[2] - z, place);
            place[2] = (double)p[1];
        }
    }
}

/* What of a row is seen of the next second; of poses with less than that, what there is. */
static void find_path(const finding *f, int node)
{
    const mry_stand *here = &f->m->stands[node];
    double *row = f->rows + (size_t)node * MRY_MATCH_ROW;
    for (int t = 0; t < MRY_MATCH_TIMES; t++) {
        int ahead = time_frames(f->m, t);
        const mry_stand *there = here + (ahead < f->left[node] ? ahead : f->left[node]);
        double turn = (double)there->facing - (double)here->facing;
        see((double)here->facing, (double)there->x - (double)here->x,
            (double)there->z - (double)here->z, row + PATH_AT + 2 * t);
        row[FACING_AT + 2 * t] = cos(turn);
        row[FACING_AT + 2 * t + 1] = sin(turn);
    }
}

/* Each feature by its spread over the poses: the root of the mean variance of its numbers. */
static void scale_rows(const finding *f, int count)
{
    marey_matching *m = f->m;
    for (int k = 0, first = 0; k < MAREY_MATCHING_FEATURE_COUNT; first += features[k++].numbers) {
        double variance = 0;
        for (int i = first; i < first + features[k].numbers; i++) {
            double sum = 0, squares = 0;
            for (int r = 0; r < m->poses; r++) {
                double at = f->rows[(size_t)m->node[r] * MRY_MATCH_ROW + (size_t)i];
                sum += at;
                squares += at * at;
            }
            sum /= m->poses;
            variance += fmax(squares / m->poses - sum * sum, 0) / features[k].numbers;
        }
        m->scale[k] = variance > 1e-9 ? (float)(m->def.weight[k] / sqrt(variance)) : 0;
        for (int r = 0; r < count; r++) {
            float *out = m->features + (size_t)r * MRY_MATCH_ROW;
            const double *row = f->rows + (size_t)m->node[r] * MRY_MATCH_ROW;
            for (int i = first; i < first + features[k].numbers; i++)
                out[i] = (float)row[i] * m->scale[k];
        }
    }
}

/* ---- building -------------------------------------------------------------------------------- */

static const char *settle(marey_matching_def *def)
{
    const char *wrong = NULL;
    for (int k = 0; k < MAREY_MATCHING_FEATURE_COUNT; k++) {
        double *weight = &def->weight[k];
        if (!(*weight <= 100)) wrong = "weights of a matching must be at most 100";
        *weight = *weight == 0 ? features[k].weight : fmax(*weight, 0);
    }
    if (def->search_s == 0) def->search_s = 0.1;
    if (def->margin == 0) def->margin = 0.05;
    if (def->bend_s == 0) def->bend_s = 0.06;
    if (def->fade_s == 0) def->fade_s = 0.12;
    if (!(def->search_s > 0 && def->search_s <= 1)) wrong = "searches must be up to 1 s apart";
    if (!(def->margin <= 1)) wrong = "the margin of a matching must be at most 1";
    if (!(def->bend_s >= 0.01 && def->bend_s <= 2)) wrong = "bend must be 0.01 to 2 s";
    if (!(def->fade_s >= 0.01 && def->fade_s <= 1)) wrong = "fade must be 0.01 to 1 s";
    def->margin = fmax(def->margin, 0);
    return wrong;
}

static marey_status fill(marey_matching *m, marey_ctx *ctx, mry_arena *tmp, marey_error *error)
{
    const marey_graph *g = m->graph;
    size_t count = (size_t)g->originals, joints = (size_t)g->motion->skeleton.joint_count;
    mry_bodies bodies;
    finding f = { .m = m, .bodies = &bodies, .at_once = 1024 };
    /* Of graphs of other metrics sigma is in other units. */
    bool points = g->metric.metric == marey_metric_named("points") && g->def.sigma > 0;
    m->sigma = points ? g->def.sigma : MAREY_GRAPH_SIGMA;
    m->horizon = (int)fmax(MRY_MATCH_TIMES, round(LONGEST_S * g->fps));
    m->moves = mry_moves_find(g, &m->mem);
    m->stands = MRY_NEW(&m->mem, mry_stand, count);
    m->row = MRY_NEW(&m->mem, int, count);
    m->node = MRY_NEW(&m->mem, int, count);
    m->features = MRY_NEW(&m->mem, float, count *MRY_MATCH_ROW);
    m->weight = MRY_NEW(&m->mem, float, joints);
    f.left = MRY_NEW(tmp, int, count);
    f.rows = MRY_NEW(tmp, double, count *MRY_MATCH_ROW);
    if (!m->moves || !m->stands || !m->row || !m->node || !m->features || !m->weight || !f.left ||
        !f.rows)
        return mry_fail_memory(error, NULL);
    marey_status status = mry_bodies_open(&bodies, tmp, g, error);
    if (status) return status;
    memcpy(m->weight, bodies.weight, joints * sizeof *m->weight);
    for (int n = g->originals - 2; n >= 0; n--)
        f.left[n] = mry_match_next(g, n) < 0 ? 0 : f.left[n + 1] + 1;
    int works = (g->originals + f.at_once - 1) / f.at_once;
    marey_ctx_run(ctx, works, find_pose, &f);
    if (mry_cancelled(ctx)) return mry_fail_cancelled(error);
    for (int n = 0; n < g->originals; n++) {
        find_path(&f, n);
        if (f.left[n] >= m->horizon) m->node[m->poses++] = n;
    }
    if (m->poses == 0)
        return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                        "no clip of this graph is longer than %g s, as matching needs", LONGEST_S);
    int rows = m->poses;
    for (int n = 0; n < g->originals; n++)
        if (f.left[n] < m->horizon) m->node[rows++] = n;
    scale_rows(&f, rows);
    m->speed_count = mry_default_speeds(g, m->moves, tmp, m->speeds);
    m->bytes = sizeof *m + (size_t)g->nodes * sizeof *m->moves + joints * sizeof *m->weight +
               count * (sizeof *m->stands + sizeof *m->row + sizeof *m->node +
                        MRY_MATCH_ROW * sizeof *m->features);
    if (m->speed_count == 0 || !mry_matching_sort(m, rows, tmp))
        return mry_fail_memory(error, NULL);
    return MAREY_OK;
}

marey_status marey_matching_build(marey_ctx *ctx, const marey_graph *graph,
                                  const marey_matching_def *def, marey_matching **out,
                                  marey_error *error)
{
    mry_arena mem = mry_arena_make(ctx), tmp = mry_arena_make(ctx);
    marey_matching *m = MRY_NEW(&mem, marey_matching, 1);
    if (!m) return mry_fail_memory(error, NULL);
    m->mem = mem;
    m->graph = graph;
    if (def) m->def = *def;
    const char *wrong = settle(&m->def);
    marey_status status =
        wrong ? mry_fail(error, MAREY_ERR_REQUEST, NULL, "%s", wrong) : fill(m, ctx, &tmp, error);
    mry_arena_free(&tmp);
    if (status)
        marey_matching_free(m);
    else
        *out = m;
    return status;
}

void marey_matching_free(marey_matching *matching)
{
    if (!matching) return;
    mry_arena mem = matching->mem;
    mry_arena_free(&mem);
}

const marey_matching_def *marey_matching_settings(const marey_matching *matching)
{
    return &matching->def;
}

int marey_matching_poses(const marey_matching *matching)
{
    return matching->poses;
}

size_t marey_matching_bytes(const marey_matching *matching)
{
    return matching->bytes;
}

const double *marey_matching_speeds(const marey_matching *matching, int *count)
{
    *count = matching->speed_count;
    return matching->speeds;
}

/* ---- choosing -------------------------------------------------------------------------------- */

/* The pose as it is; the path of a body whose velocity comes to that of the input like a critically
   damped spring, and which turns to where it goes likewise. */
void mry_matching_query(const marey_matching *matching, int node, double direction, double speed,
                        float *out)
{
    const marey_matching *m = matching;
    double facing = (double)m->stands[node].facing, turn = remainder(direction - facing, 2 * PI);
    double now[2], y = 2 * log(2) / m->def.bend_s;
    if (speed > FASTEST_CM_S) speed = FASTEST_CM_S;
    see(facing, (double)m->moves[node].x, (double)m->moves[node].z, now);
    memcpy(out, m->features + (size_t)m->row[node] * MRY_MATCH_ROW, MRY_MATCH_ROW * sizeof *out);
    const double wanted[2] = { speed * cos(turn), speed * sin(turn) };
    if (speed < MRY_STAND_CM_S) turn = 0; /* one who stands faces as before */
    for (int t = 0; t < MRY_MATCH_TIMES; t++) {
        double s = time_frames(m, t) / m->graph->fps, left = exp(-y * s);
        double lag = 2 / y - left * (2 / y + s), turned = turn * (1 - (1 + y * s) * left);
        for (int i = 0; i < 2; i++)
            out[PATH_AT + 2 * t + i] =
                (float)(wanted[i] * s + (now[i] - wanted[i]) * lag) * m->scale[MAREY_MATCHING_PATH];
        out[FACING_AT + 2 * t] = (float)cos(turned) * m->scale[MAREY_MATCHING_FACING];
        out[FACING_AT + 2 * t + 1] = (float)sin(turned) * m->scale[MAREY_MATCHING_FACING];
    }
}

int mry_matching_choose(const marey_matching *matching, int node, double direction, double speed,
                        int *compared)
{
    const marey_matching *m = matching;
    const marey_graph *g = m->graph;
    float query[MRY_MATCH_ROW], limit = INFINITY;
    int low = node, high = node, row = m->row[node];
    mry_matching_query(m, node, direction, speed, query);
    /* Where nothing follows, or too little for its path to be known, anything is better. */
    if (row < m->poses)
        limit = (float)(1 - m->def.margin) *
                    mry_match_distance(query, m->features + (size_t)row * MRY_MATCH_ROW) -
                LEAST_GAIN;
    /* A moment earlier or later in the same sequence is no other way. */
    int apart = mry_match_next(g, node) < 0 ? 0 : mry_graph_apart(g);
    while (node - low < apart && low > 0 && mry_match_next(g, low - 1) == low) low--;
    while (high - node < apart && mry_match_next(g, high) >= 0) high++;
    int found = mry_matching_search(m, query, limit, low, high, compared);
    return found < 0 ? -1 : m->node[found];
}

mry_floor mry_matching_lay(const marey_matching *matching, int a, int b, float *room,
                           double *distance)
{
    const marey_graph *g = matching->graph;
    int joints = g->motion->skeleton.joint_count;
    float *p = room, *q = room + 3 * joints;
    mry_lay sums = { 0 };
    for (int k = -MRY_LAY_AROUND; k <= MRY_LAY_AROUND; k++) {
        const int *go = k < 0 ? g->before : g->next;
        int i = a, j = b;
        for (int step = 0; step < abs(k); step++) {
            i = go[i] >= 0 ? go[i] : i;
            j = go[j] >= 0 ? go[j] : j;
        }
        marey_clip_positions_float(g->motion, i, 1, p);
        marey_clip_positions_float(g->motion, j, 1, q);
        /* A root that stays goes with the body. */
        if (g->body.joint > 0) {
            memcpy(p, p + 3 * g->body.joint, 3 * sizeof *p);
            memcpy(q, q + 3 * g->body.joint, 3 * sizeof *q);
        }
        mry_lay_add(&sums, p, q, matching->weight, joints);
    }
    return mry_lay_end(&sums, distance);
}

/* ---- what was shown, as a clip --------------------------------------------------------------- */

/* A walk through a graph with the same nodes, whose transitions are the jumps that were made. */
marey_status marey_matching_make(marey_ctx *ctx, const marey_matching *matching,
                                 const marey_walk *walk, const marey_placement *places,
                                 const marey_walk_make_def *def, marey_made *out,
                                 marey_walk_made *about, marey_error *error)
{
    marey_graph view = *matching->graph;
    mry_bodies bodies;
    int jumps = 0;
    for (int f = 1; f < walk->count; f++) {
        int from = walk->nodes[f - 1], to = walk->nodes[f];
        if (from < 0 || to < 0 || from >= view.originals || to >= view.originals ||
            (view.next[from] != to && view.before[to] < 0))
            return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                            "frame %d of the walk has no frame before it to be matched", f);
        jumps += view.next[from] != to;
    }
    view.data = mry_arena_make(ctx);
    view.lean = NULL;
    view.def.sigma = matching->sigma;
    float *room = MRY_NEW_RAW(&view.data, float, 6 * (size_t)view.motion->skeleton.joint_count);
    marey_status status = mry_bodies_open(&bodies, &view.data, matching->graph, error);
    mry_floor *at = MRY_NEW_RAW(&view.data, mry_floor, walk->count);
    for (int f = 0; at && f < walk->count; f++)
        at[f] = (mry_floor){ places[f].angle_rad, places[f].x_cm, places[f].z_cm };
    if (!status && (!room || !at || !mry_graph_take_transitions(&view, jumps)))
        status = mry_fail_memory(error, NULL);
    marey_graph_transition *over = view.transitions;
    for (int f = 1, n = 0; f < walk->count && !status; f++) {
        int from = walk->nodes[f - 1], to = walk->nodes[f];
        if (view.next[from] != to) over[n++] = (marey_graph_transition){ .from = from, .to = to };
    }
    if (!status) qsort(over, (size_t)jumps, sizeof *over, mry_by_ends);
    for (int i = 0; i < jumps && !status; i++) {
        int n = view.transition_count, half = 0;
        if (n > 0 && mry_by_ends(&over[n - 1], &over[i]) == 0) continue;
        int from = over[i].from, to = over[i].to, like = view.before[to];
        double distance = 0;
        mry_floor place = mry_matching_lay(matching, from, like, room, &distance);
        double jump = mry_graph_jump(&bodies, from, like, place, &half);
        over[n] = (marey_graph_transition){ from, to, (float)distance, (float)jump };
        view.places[n] = place;
        view.half[n] = (uint8_t)(half < UINT8_MAX ? half : UINT8_MAX);
        view.transition_count++;
    }
    if (!status) {
        mry_graph_count_leaving(&view);
        status = mry_walk_make_bent(ctx, &view, walk, at, def, out, about, error);
    }
    mry_arena_free(&view.data);
    return status;
}
