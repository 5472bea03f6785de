/* pieces.c - pieces of clips played one after the other, as one clip: they are checked, those that
   follow each other are one, and what is left is a walk through a motion graph of its own: a
   sequence of nodes for each piece, at the rate and pace it is to be played, and a transition from
   the last node of each to the first of the next. What differs there is spread over as many frames
   as it takes for nothing to jump, and feet that look planted then are held. */
#include "base/fail.h"
#include "feature/feature_data.h"
#include "graph/walk_data.h"
#include "math/quat.h"
#include "motion/steps.h"

#include <marey/retarget.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What is seen of a clip before and behind what is played of it. */
#define SEEN_S 0.5
/* Of a frame: ends that are closer than this are the same. */
#define CLOSE 1e-6

/* A piece, or several that follow each other, as nodes: of its clip, frames start + k * pace for k
   in [-before, count + behind). What is before and behind is not played; how the motion would go on
   is seen there. */
typedef struct piece_part {
    int clip; /* number among those that are used */
    double start, pace;
    int count, before, behind;
    int low, high; /* frames of the clip that are captured, without a gap */
    int first;     /* the node that is played first */
} piece_part;

typedef struct piece_parts {
    marey_ctx *ctx;
    const marey_clip **clips; /* those that are used; the first piece's is the first */
    marey_clip **fitted;      /* of these: those with other joints, on the first one's body */
    marey_contacts *contacts; /* of these, borrowed; NULL: to be found */
    int clip_count;
    piece_part *items;
    int count;
    int frames, nodes; /* played, and in all */
    double fps, spread_s;
} piece_parts;

/* ---- what becomes of them -------------------------------------------------------------------- */

/* Frames of the clip to a frame that is made; nearly whole numbers are whole. */
static double pace_of(const piece_parts *parts, const marey_clip *clip, const marey_piece *piece)
{
    if (piece->seconds > 0) return (piece->end - piece->start) / (piece->seconds * parts->fps);
    double pace = clip->fps / parts->fps, whole = floor(pace + 0.5);
    return fabs(pace - whole) < 1e-6 ? whole : pace;
}

static marey_status plan_all(piece_parts *parts, mry_arena *tmp, const marey_clip *const *clips,
                             int count, const marey_contacts *contacts, const marey_piece *pieces,
                             int piece_count, marey_error *error)
{
    int *numbers = MRY_NEW_RAW(tmp, int, count);
    parts->clips = MRY_NEW(tmp, const marey_clip *, count);
    parts->fitted = MRY_NEW(tmp, marey_clip *, count);
    parts->items = MRY_NEW(tmp, piece_part, piece_count);
    if (contacts) parts->contacts = MRY_NEW(tmp, marey_contacts, count);
    if (!numbers || !parts->clips || !parts->fitted || !parts->items ||
        (contacts && !parts->contacts))
        return mry_fail_memory(error, NULL);
    for (int c = 0; c < count; c++) numbers[c] = -1;
    for (int i = 0; i < piece_count;) {
        /* The number of a clip among those that are used; plants go with it. */
        if (numbers[pieces[i].clip] < 0) {
            int fresh = numbers[pieces[i].clip] = parts->clip_count++;
            const marey_clip *own = parts->clips[fresh] = clips[pieces[i].clip];
            if (contacts) parts->contacts[fresh] = contacts[pieces[i].clip];
            if (!mry_same_joints(&own->skeleton, &parts->clips[0]->skeleton)) {
                marey_status status =
                    marey_clip_fit(own, contacts ? &contacts[pieces[i].clip] : NULL,
                                   parts->clips[0], NULL, &parts->fitted[fresh], NULL, error);
                if (status) return status;
                parts->clips[fresh] = parts->fitted[fresh];
            }
        }
        int number = i + 1, clip = numbers[pieces[i].clip];
        const marey_clip *of = parts->clips[clip];
        /* Those from here on that follow each other at one pace are one. */
        marey_piece whole = pieces[i];
        double pace = pace_of(parts, of, &whole);
        for (i++; i < piece_count; i++) {
            const marey_piece *next = &pieces[i];
            if (next->clip != whole.clip || fabs(next->start - whole.end) > CLOSE ||
                fabs(pace_of(parts, of, next) - pace) > CLOSE * pace)
                break;
            whole.end = next->end;
        }
        if (whole.seconds > 0) whole.seconds = (whole.end - whole.start) / (pace * parts->fps);
        piece_part part = { .clip = clip, .start = whole.start, .pace = pace };
        double frames = ceil((whole.end - whole.start) / part.pace - CLOSE);
        if (whole.seconds > 0) {
            frames = floor(whole.seconds * parts->fps + 0.5);
            part.pace = (whole.end - whole.start) / frames;
        }
        if (!(frames >= 1))
            return mry_fail(error, MAREY_ERR_REQUEST, of->name,
                            "piece %d is shorter than a frame of what is made", number);
        if (frames > MRY_WALK_MOST_FRAMES - parts->frames)
            return mry_fail(error, MAREY_ERR_LIMIT, NULL, "more than %d frames",
                            (int)MRY_WALK_MOST_FRAMES);
        part.count = (int)frames;
        /* The captured frames around what is played, and how many of them there are before and
           behind it. */
        double last = part.start + (part.count - 1) * part.pace;
        part.low = 0;
        part.high = of->frames - 1;
        for (int m = 0; m < of->mark_count; m++) {
            const marey_mark *mark = &of->marks[m];
            if (mark->end <= part.start + CLOSE && mark->end > part.low) part.low = mark->end;
            if (mark->start > part.start && mark->start <= part.high) part.high = mark->start - 1;
        }
        int most = (int)ceil(SEEN_S * parts->fps);
        double before = floor((part.start - part.low) / part.pace + CLOSE);
        double behind = floor((part.high - last) / part.pace + CLOSE);
        part.before = (int)fmin(fmax(before, 0), most);
        part.behind = (int)fmin(fmax(behind, 0), most);
        part.first = parts->nodes + part.before;
        parts->nodes = part.first + part.count + part.behind;
        parts->frames += part.count;
        parts->items[parts->count++] = part;
        if (parts->nodes > MRY_GRAPH_MOST_NODES)
            return mry_fail(error, MAREY_ERR_LIMIT, NULL, "too many pieces");
    }
    return MAREY_OK;
}

/* ---- pieces as a small motion graph --------------------------------------------------------- */

/* Held to what is captured; nearly whole numbers are whole, so that those frames come out as they
   are. */
static double frame_of(const piece_part *part, int k)
{
    double at = fmin(fmax(part->start + k * part->pace, part->low), part->high);
    double whole = floor(at + 0.5);
    return fabs(at - whole) < 1e-6 ? whole : at;
}

static marey_status fill(const piece_parts *parts, marey_graph *graph, marey_error *error)
{
    if (!mry_graph_take_arrays(graph, parts->nodes)) return mry_fail_memory(error, NULL);
    for (int i = 0; i < parts->count; i++) {
        const piece_part *part = &parts->items[i];
        const marey_clip *clip = parts->clips[part->clip];
        int first = part->first - part->before;
        int count = part->before + part->count + part->behind;
        if (!mry_progress(graph->ctx, "reading pieces", i, parts->count))
            return mry_fail_cancelled(error);
        marey_clip *timed = mry_clip_make_like(clip, count, parts->fps), *brought = NULL;
        if (!timed) return mry_fail_memory(error, NULL);
        for (int k = 0; k < count; k++) {
            double at = frame_of(part, k - part->before);
            int a = (int)at;
            if (at > a)
                mry_clip_mix(clip, a, a + 1, at - a, mry_place(timed, k), mry_turn(timed, k));
            else
                mry_clip_copy_frames(timed, k, clip, a, 1); /* its own bytes */
        }
        /* On the first clip's bones. */
        marey_status status = marey_clip_refit(timed, parts->clips[0], &brought, error);
        marey_clip_free(timed);
        if (status) return status;
        if (!graph->motion) graph->motion = mry_clip_make_like(brought, parts->nodes, parts->fps);
        if (graph->motion) mry_clip_copy_frames(graph->motion, first, brought, 0, count);
        marey_clip_free(brought);
        if (!graph->motion) return mry_fail_memory(error, NULL);
        /* Where its nodes are from. */
        for (int k = 0; k < count; k++) {
            graph->origin[first + k] = (mry_origin){ .clip = part->clip,
                                                     .other = -1,
                                                     .frame = frame_of(part, k - part->before) };
            graph->next[first + k] = k + 1 < count ? first + k + 1 : -1;
            graph->before[first + k] = k > 0 ? first + k - 1 : -1;
        }
    }
    graph->body = mry_carrier_find(parts->clips, parts->clip_count);
    mry_graph_hold_root(graph, 0);
    return MAREY_OK;
}

/* Adds a frame's weighted squared distances; returns its weight. */
static double add_frame(const mry_bodies *b, int first, int second, mry_floor place, double *sum)
{
    const float *p = mry_body(b, first), *q = mry_body(b, second);
    double weight = 0;
    for (int j = 0; j < b->joints; j++, p += 3, q += 3) {
        double x = q[0], z = q[2], up = (double)p[1] - q[1], w = b->weight[j];
        mry_floor_apply(place, &x, &z);
        *sum += w * ((p[0] - x) * (p[0] - x) + up * up + (p[2] - z) * (p[2] - z));
        weight += w;
    }
    return weight;
}

static marey_status connect(const piece_parts *parts, marey_graph *graph, marey_error *error)
{
    mry_arena tmp = mry_arena_make(graph->ctx);
    mry_bodies bodies;
    marey_status status = mry_bodies_open(&bodies, &tmp, graph, error);
    if (!status && mry_graph_take_transitions(graph, parts->count))
        graph->lean = MRY_NEW_RAW(&graph->data, double, parts->count);
    if (!status && !graph->lean) status = mry_fail_memory(error, NULL);
    for (int i = 0; i + 1 < parts->count && !status; i++) {
        const piece_part *part = &parts->items[i];
        /* A transition from the last node of each to the first of the next. */
        int n = graph->transition_count++, half = 0;
        int from = part->first + part->count - 1, to = part[1].first;
        /* Where the first ends, or if the second is not known there any more, where it begins. If
           neither goes on, the first is thought to: its body moves on the floor as it did last. */
        int first = from, second = to;
        if (graph->before[to] >= 0)
            second = graph->before[to];
        else if (graph->next[from] >= 0)
            first = graph->next[from];
        mry_floor place = mry_graph_lay(&bodies, first, second);
        if (first == from && second == to && graph->before[from] >= 0)
            place = mry_floor_times(mry_graph_lay(&bodies, from, graph->before[from]), place);
        /* The metric's distance of nodes as they are laid. */
        double sum = 0, weight = add_frame(&bodies, first, second, place, &sum);
        for (int side = 0; side < 2; side++) {
            const int *go = side ? graph->next : graph->before;
            for (int k = 0, a = first, b = second; k < MRY_LAY_AROUND; k++) {
                a = go[a] >= 0 ? go[a] : a;
                b = go[b] >= 0 ? go[b] : b;
                weight += add_frame(&bodies, a, b, place, &sum);
            }
        }
        double distance = sum / weight;
        double jump = mry_graph_jump(&bodies, first, second, place, &half);
        graph->transitions[n] = (marey_graph_transition){
            .from = from, .to = to, .distance = (float)distance, .jump = (float)jump
        };
        graph->places[n] = place;
        graph->half[n] = (uint8_t)(half < UINT8_MAX ? half : UINT8_MAX);
        graph->lean[n] = 0.5;
    }
    mry_arena_free(&tmp);
    if (!status) mry_graph_count_leaving(graph);
    return status;
}

/* ---- where two pieces meet: over how many frames is what differs spread? -------------------- */

/* A motion graph has many transitions, and reckons with places what jumps (graph_edges.c). Here
   there are few, and anything may meet anything: a limb that turns fast turns it differently bent,
   and moves farther; a foot that is held stretches its leg. So each seam is made, with some frames
   around it, and looked at. */

/* What is tried, in order, until it is smooth: how long, times what was reckoned, and how much of
   it before the seam. With all of it on one side the other motion stays as it is: an arm half-way
   between two may swing farther than either. */
static const struct {
    double length, lean;
} tries[] = { { 1, 0.5 },    { 1.5, 0.5 }, { 0.5, 0.5 }, { 2, 0.5 },     { 3, 0.5 },
              { 0.25, 0.5 }, { 4, 0.5 },   { 1, 0 },     { 1, 1 },       { 2, 0 },
              { 2, 1 },      { 0.5, 0 },   { 0.5, 1 },   { 0.125, 0.5 }, { 0.0625, 0.5 } };

enum { TRIES = sizeof tries / sizeof *tries };

/* How long what differs at each of them must be spread for nothing to jump, or to jump least. */
static marey_status smooth_seams(const piece_parts *parts, marey_graph *graph,
                                 const marey_walk_make_def *def, marey_error *error)
{
    mry_arena tmp = mry_arena_make(graph->ctx);
    /* Frames farther away than anything is spread: what a foot does there may be part of how it is
       held. */
    int seen = (int)ceil(0.5 * graph->fps);
    int *nodes = MRY_NEW_RAW(&tmp, int, 2 * (UINT8_MAX + seen));
    marey_status status = nodes ? MAREY_OK : mry_fail_memory(error, NULL);
    for (int seam = 0; seam + 1 < parts->count && !status; seam++) {
        const piece_part *part = &parts->items[seam];
        int reckoned = graph->half[seam], best = reckoned, last = part->first + part->count - 1;
        double least = INFINITY, lean = 0.5;
        for (int n = 0; n < TRIES && !(least <= graph->def.jump) && !status; n++) {
            double half = floor(reckoned * tries[n].length + 0.5);
            if (half < 1 || half > UINT8_MAX) continue;
            graph->half[seam] = (uint8_t)half;
            graph->lean[seam] = tries[n].lean;
            /* The frames that are played around it, made. */
            marey_walk walk = { .nodes = nodes };
            int most = (int)half + seen;
            int before = part->count < most ? part->count : most;
            int behind = part[1].count < most ? part[1].count : most;
            for (int k = before - 1; k >= 0; k--) nodes[walk.count++] = last - k;
            for (int k = 0; k < behind; k++) nodes[walk.count++] = part[1].first + k;
            marey_made made = { 0 };
            marey_walk_made about;
            status = marey_walk_make(graph->ctx, graph, &walk, def, &made, &about, error);
            if (status) break;
            marey_made_free(&made);
            if (!(about.jump_ratio < least)) continue;
            least = about.jump_ratio;
            best = (int)half;
            lean = tries[n].lean;
        }
        graph->half[seam] = (uint8_t)best;
        graph->lean[seam] = lean;
    }
    mry_arena_free(&tmp);
    return status;
}

/* ---- feet that look planted in what was made ------------------------------------------------ */

/* The plants of the pieces are held already. But where what differs is spread, a foot comes to rest
   a little sooner, or leaves later, than it did in its clip, and it is seen to slide there: so
   plants are looked for once more, and all of them are held. */

/* After each, others may look planted; after a few hardly any does. */
enum { ROUNDS = 4 };

/* The largest step of any joint, cm; those too small to see are alike. NAN: out of memory. */
static double largest_step(marey_ctx *ctx, const marey_clip *clip)
{
    mry_arena tmp = mry_arena_make(ctx);
    double most = MAREY_GRAPH_STILL / clip->fps, *steps = mry_clip_steps(&tmp, clip, NULL);
    for (int f = 0; steps && f + 1 < clip->frames; f++) most = fmax(most, steps[f]);
    mry_arena_free(&tmp);
    return steps ? most : NAN;
}

/* Holds what looks planted in a clip that was made, besides what is held in it already, until that
   is what jumps. *jump is its jump ratio. On failure *made is still a whole. */
static marey_status hold_feet(marey_ctx *ctx, const marey_clean_def *def, marey_made *made,
                              double *jump, marey_error *error)
{
    marey_status status = MAREY_OK;
    bool done = false;
    for (int round = 0; round < ROUNDS && !status && !done; round++) {
        marey_contacts found = { 0 }, all = { 0 };
        marey_clip *fresh = NULL;
        marey_clean_result result;
        /* Those of both; what overlaps is one. Plants that only touch stay two: a foot was carried
           between them. */
        bool room = !marey_contacts_find(made->clip, NULL, &found);
        const marey_contacts *held = &made->contacts;
        size_t count = (size_t)held->count + (size_t)found.count;
        all = (marey_contacts){ .ctx = ctx, .bytes = (count + 1) * sizeof *all.items };
        all.items = room ? mry_alloc(ctx, all.bytes) : NULL;
        room = all.items != NULL;
        if (room && held->count)
            memcpy(all.items, held->items, (size_t)held->count * sizeof *held->items);
        if (room && found.count)
            memcpy(all.items + held->count, found.items, (size_t)found.count * sizeof *found.items);
        if (room && count > 1) qsort(all.items, count, sizeof *all.items, mry_by_joint);
        for (size_t n = 0; room && n < count; n++) {
            marey_contact one = all.items[n], *last = all.items + all.count - 1;
            if (all.count > 0 && last->joint == one.joint && one.start < last->end) {
                if (one.end > last->end) last->end = one.end;
            } else {
                all.items[all.count++] = one;
            }
        }
        if (!room) status = mry_fail_memory(error, NULL);
        /* Nothing new looks planted. */
        done = all.count == made->contacts.count;
        for (int n = 0; done && n < all.count; n++) {
            const marey_contact *p = &all.items[n], *q = &made->contacts.items[n];
            done = p->joint == q->joint && p->start == q->start && p->end == q->end;
        }
        done = done || all.count == 0;
        if (!status && !done)
            status =
                marey_clip_clean(made->clip, all.items, all.count, def, &fresh, &result, error);
        if (fresh) {
            double ratio = *jump * largest_step(ctx, fresh) / largest_step(ctx, made->clip);
            done = !(ratio <= fmax(*jump, MAREY_GRAPH_JUMP));
            if (isnan(ratio)) status = mry_fail_memory(error, NULL);
            if (!done) {
                marey_contacts before = made->contacts;
                marey_clip *last = made->clip;
                made->clip = fresh;
                made->contacts = all;
                fresh = last;
                all = before;
                result.slide_before_cm = made->clean.slide_before_cm;
                result.root_moved_cm += made->clean.root_moved_cm;
                result.stretched = fmax(result.stretched, made->clean.stretched);
                made->clean = result;
                *jump = ratio;
            }
        }
        marey_clip_free(fresh);
        marey_contacts_free(&found);
        marey_contacts_free(&all);
    }
    return status;
}

/* ---- all of it ------------------------------------------------------------------------------- */

static marey_status make(const piece_parts *parts, mry_arena *tmp, const marey_pieces_def *def,
                         marey_made *out, marey_walk_made *about, marey_error *error)
{
    marey_walk_make_def how = { .fps = parts->fps };
    if (def) {
        how.rough = def->rough;
        how.leave_feet = def->leave_feet;
        how.clean = def->clean;
    }
    int *nodes = MRY_NEW_RAW(tmp, int, parts->frames);
    if (!nodes) return mry_fail_memory(error, NULL);
    marey_walk walk = { .count = parts->frames, .nodes = nodes };
    for (int i = 0, f = 0; i < parts->count; i++) {
        for (int k = 0; k < parts->items[i].count; k++) nodes[f++] = parts->items[i].first + k;
    }
    marey_made made = { 0 };
    marey_walk_made went = { 0 };
    /* A graph of them, with the transitions from each to the next and nothing more. */
    marey_graph *graph = NULL;
    marey_graph_def graph_def = { .fps = parts->fps,
                                  .spread_s = parts->spread_s,
                                  .sigma = MAREY_GRAPH_SIGMA };
    marey_status status =
        mry_graph_make(parts->ctx, parts->clips, parts->clip_count, &graph_def, &graph, error);
    if (status) return status;
    graph->fps = parts->fps; /* clips may be slower than what is made of them */
    status = fill(parts, graph, error);
    if (!status) status = mry_graph_find_contacts(graph, parts->contacts, error);
    if (!status) status = connect(parts, graph, error);
    if (!status && !how.rough) status = smooth_seams(parts, graph, &how, error);
    if (!status) status = marey_walk_make(parts->ctx, graph, &walk, &how, &made, &went, error);
    if (!status && !how.rough && !how.leave_feet)
        status = hold_feet(parts->ctx, how.clean, &made, &went.jump_ratio, error);
    marey_graph_free(graph);
    if (status) {
        marey_made_free(&made);
        return status;
    }
    *out = made;
    if (about) *about = went;
    return MAREY_OK;
}

marey_status marey_pieces_make(marey_ctx *ctx, const marey_clip *const *clips, int count,
                               const marey_contacts *contacts, const marey_piece *pieces,
                               int piece_count, const marey_pieces_def *def, marey_made *out,
                               marey_walk_made *about, marey_error *error)
{
    if (piece_count < 1 || count < 1)
        return mry_fail(error, MAREY_ERR_REQUEST, NULL, "no piece to make a clip of");
    for (int i = 0; i < piece_count; i++) {
        const marey_piece *piece = &pieces[i];
        int number = i + 1;
        if (piece->clip < 0 || piece->clip >= count)
            return mry_fail(error, MAREY_ERR_REQUEST, NULL, "piece %d: there is no clip %d", number,
                            piece->clip);
        const marey_clip *clip = clips[piece->clip];
        if (!(piece->start >= 0 && piece->end > piece->start + CLOSE && piece->end <= clip->frames))
            return mry_fail(error, MAREY_ERR_REQUEST, clip->name,
                            "piece %d must be a part of frames 0-%d, got %g-%g", number,
                            clip->frames, piece->start, piece->end);
        if (!(piece->seconds >= 0 && piece->seconds <= MRY_WALK_MOST_FRAMES))
            return mry_fail(error, MAREY_ERR_REQUEST, clip->name,
                            "piece %d must take 0 to %d s, got %g", number,
                            (int)MRY_WALK_MOST_FRAMES, piece->seconds);
        /* Frames [start, end), whole ones, that are touched by a piece: marks are of whole
           frames. */
        int start = (int)floor(piece->start + CLOSE), end = (int)ceil(piece->end - CLOSE);
        for (int m = 0; m < clip->mark_count; m++) {
            if (clip->marks[m].start < end && clip->marks[m].end > start)
                return mry_fail(error, MAREY_ERR_REQUEST, clip->name,
                                "piece %d: frames of %g-%g are marked as not captured", number,
                                piece->start, piece->end);
        }
    }
    piece_parts parts = { .ctx = ctx,
                          .fps = def && def->fps != 0 ? def->fps : clips[pieces[0].clip]->fps,
                          .spread_s =
                              def && def->spread_s != 0 ? def->spread_s : MAREY_PIECES_SPREAD };
    if (!(parts.fps >= 1 && parts.fps <= 1000))
        return mry_fail(error, MAREY_ERR_REQUEST, NULL, "rate must be 1 to 1000 Hz, got %g",
                        parts.fps);
    mry_arena tmp = mry_arena_make(ctx);
    marey_status status =
        plan_all(&parts, &tmp, clips, count, contacts, pieces, piece_count, error);
    if (!status) status = make(&parts, &tmp, def, out, about, error);
    for (int i = 0; parts.fitted && i < parts.clip_count; i++) marey_clip_free(parts.fitted[i]);
    mry_arena_free(&tmp);
    return status;
}
