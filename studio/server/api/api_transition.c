/* api_transition.c - from one clip into another: the best places for it, and the clip that goes there. What `marey
   transition` does, with the same provenance. */
#include "made_answer.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_CUTS = 100, DEFAULT_CUTS = 12 };

static blend_wish two_clips(int64_t a, int64_t b)
{
    return (blend_wish){ .count = 2, .parts = { { a, 0, -1 }, { b, 0, -1 } } };
}

/* ---- cuts --------------------------------------------------------------------------------------- */

typedef struct cut_search {
    int64_t ids[2];
    int near[2]; /* -1: not given */
    int count;
    marey_cuts_def def;
    marey_cut cuts[MOST_CUTS];
    int found;
    double cheapest;
} cut_search;

static bool read_search(const studio_request *request, cut_search *out, studio_response *response)
{
    enum { MOST_FRAME = 100000000 };
    const char *below = asked_query(request, "below");
    *out = (cut_search){ .near = { -1, -1 },
                         .count = DEFAULT_CUTS,
                         .def = { .below = MAREY_CUT_LIMIT, .within_s = 0.5 } };
    if (below && strcmp(below, "inf") == 0) {
        out->def.below = INFINITY;
    } else if (!api_query_number(request, "below", 1e-12, 1e12, &out->def.below, response)) {
        return false;
    }
    return api_query_clip(request, "a", &out->ids[0], response) &&
           api_query_clip(request, "b", &out->ids[1], response) &&
           api_query_whole(request, "near_a", 0, MOST_FRAME, &out->near[0], response) &&
           api_query_whole(request, "near_b", 0, MOST_FRAME, &out->near[1], response) &&
           api_query_number(request, "within_s", 0.001, 1e6, &out->def.within_s, response) &&
           api_query_whole(request, "half", 1, MAREY_MOST_HALF, &out->def.half, response) &&
           api_query_whole(request, "count", 1, MOST_CUTS, &out->count, response);
}

/* Where both clips have one rate, only what is near is compared. */
static int64_t count_pairs(const struct blend_kept *of, const cut_search *search)
{
    enum { BESIDE = 2 * (MAREY_MOST_WINDOW + 1) };
    double pairs = 1, fps[2];
    for (int side = 0; side < 2; side++) fps[side] = marey_clip_fps(of->parts->clips[side]);
    for (int side = 0; side < 2; side++) {
        double frames = marey_clip_frames(of->parts->clips[side]);
        double reach = 2 * search->def.within_s * fps[side] + 1 + BESIDE;
        bool near = search->def.near_given[side] && fabs(fps[0] / fps[1] - 1) < 1e-9;
        pairs *= near ? fmin(frames, reach) : frames;
    }
    return (int64_t)pairs;
}

/* Where none is cheap enough, what would have to be allowed. */
static marey_status find_cuts(studio_worker *worker, const struct blend_kept *of,
                              cut_search *search, marey_error *error)
{
    const marey_clip *const *clips = of->parts->clips;
    /* from a clip to itself, the library leaves out where hardly any time is skipped */
    const marey_clip *second = search->ids[0] == search->ids[1] ? clips[0] : clips[1];
    marey_status status = marey_cuts_find(worker->ctx, clips[0], second, &search->def,
                                          search->count, search->cuts, &search->found, error);
    search->cheapest = search->found > 0 ? search->cuts[0].cost : NAN;
    if (status != MAREY_OK || search->found > 0 || isinf(search->def.below)) return status;
    marey_cuts_def open = search->def;
    marey_cut best;
    int found = 0;
    open.below = INFINITY;
    status = marey_cuts_find(worker->ctx, clips[0], second, &open, 1, &best, &found, error);
    if (status == MAREY_OK && found > 0) search->cheapest = best.cost;
    return status;
}

static json_t *describe_cuts(const struct blend_kept *of, const cut_search *search)
{
    json_t *value = json_object(), *cuts = json_array();
    for (int i = 0; i < search->found && i < search->count; i++) {
        const marey_cut *cut = &search->cuts[i];
        json_t *one = json_object();
        describe_put(&one, "a", json_integer(blend_frame_of_clip(of, 0, cut->a)));
        describe_put(&one, "b", json_integer(blend_frame_of_clip(of, 1, cut->b)));
        describe_put(&one, "cost", describe_number(cut->cost));
        describe_append(&cuts, one);
    }
    describe_put(&value, "cuts", cuts);
    describe_put(&value, "half", json_integer(search->def.half));
    describe_put(&value, "below", describe_number(search->def.below));
    describe_put(&value, "within_s", describe_number(search->def.within_s));
    describe_put(&value, "unit", json_string(marey_metric_find(0)->unit));
    describe_put(&value, "fps", describe_number(marey_clip_fps(of->parts->clips[0])));
    describe_put(&value, "cheapest", describe_number(search->cheapest));
    return value;
}

static void answer_cuts(studio_worker *worker, const struct blend_kept *of, cut_search *search,
                        studio_response *response)
{
    static const char *const names[] = { "near_a", "near_b" };
    marey_error error;
    search->def.half = marey_transition_half(of->parts->clips[0], search->def.half);
    for (int side = 0; side < 2; side++) {
        if (search->near[side] < 0) continue;
        search->def.near_given[side] = true;
        if (!blend_frame(of, side, names[side], search->near[side], &search->def.near[side],
                         response)) {
            return;
        }
    }
    if (!blend_check_pairs(count_pairs(of, search), response)) return;
    if (find_cuts(worker, of, search, &error) == MAREY_OK) {
        answer_json(response, 200, describe_cuts(of, search));
    } else {
        answer_fail(response, &error);
    }
}

void api_transition_cuts(studio_worker *worker, studio_request *request, studio_response *response)
{
    cut_search search;
    struct blend_kept *of = NULL;
    if (!read_search(request, &search, response)) return;
    blend_wish wish = two_clips(search.ids[0], search.ids[1]);
    if (blend_prepare(worker, &wish, &of, response)) answer_cuts(worker, of, &search, response);
    blend_let_go(worker);
}

/* ---- the transition ----------------------------------------------------------------------------- */

/* Half of what was blended: less than was asked for where a clip ends. */
static int half_of(const marey_made *made)
{
    return (made->from_b_start - made->from_a_end) / 2;
}

static marey_status make(made_answer *all, const json_body *body, const int frames[2],
                         marey_error *error)
{
    const marey_parts *parts = all->of->parts;
    marey_ctx *ctx = all->by->ctx;
    marey_made left = { 0 };
    marey_transition_def def = { .method = body->method,
                                 .half = marey_transition_half(parts->clips[0], body->half),
                                 .slope = body->slope,
                                 .leave_feet = !body->clean };
    marey_status status =
        marey_transition_make(ctx, parts->clips[0], frames[0], parts->clips[1], frames[1],
                              parts->contacts, &def, &all->made, error);
    if (status != MAREY_OK) return status;
    all->cleaned = body->clean;
    all->first = all->made.from_a_end;
    all->end = all->made.from_b_start;
    if (!body->clean) return MAREY_OK;
    def.leave_feet = true;
    status = marey_transition_make(ctx, parts->clips[0], frames[0], parts->clips[1], frames[1],
                                   parts->contacts, &def, &left, error);
    all->raw = all->own_raw = left.clip;
    left.clip = NULL;
    marey_made_free(&left);
    return status;
}

/* Which frames of the clips are in it, and how it was made. */
static void note(made_answer *all, const json_body *body)
{
    const marey_parts *parts = all->of->parts;
    made_of *from = &all->from;
    char at[32];
    int half = half_of(&all->made);
    double rate = marey_clip_fps(parts->clips[1]) / marey_clip_fps(parts->clips[0]);
    int end = body->i + half + 1, start = body->j - (int)lround(half * rate);
    if (end > parts->parts[0].end) end = parts->parts[0].end;
    made_of_part(from, body->a, 0, end);
    made_of_part(from, body->b, start > 0 ? start : 0, parts->parts[1].end);
    snprintf(at, sizeof at, "%d,%d", body->i, body->j);
    if (body->half) made_of_whole(from, "half", body->half);
    made_of_text(from, "at", at);
    if (body->given & FIELD_METHOD) {
        made_of_text(from, "method", marey_blend_method_name(body->method));
    }
    if (!body->clean) made_of_true(from, "no-clean");
    if (body->slope) made_of_whole(from, "slope", body->slope);
}

static void answer_transition(studio_worker *worker, struct blend_kept *of, const json_body *body,
                              studio_response *response)
{
    made_answer all = made_answer_begin(worker, of, "transition");
    int frames[2];
    marey_error error;
    json_t *value = NULL;
    if (!blend_frame(of, 0, "i", body->i, &frames[0], response) ||
        !blend_frame(of, 1, "j", body->j, &frames[1], response)) {
        return;
    }
    marey_status status = make(&all, body, frames, &error);
    if (status == MAREY_OK) status = made_answer_describe(&all, &value, &error);
    if (status == MAREY_OK) {
        note(&all, body);
        describe_put(&value, "half", json_integer(half_of(&all.made)));
        describe_put(&value, "from_a_end", json_integer(all.made.from_a_end));
        describe_put(&value, "from_b_start", json_integer(all.made.from_b_start));
        made_answer_send(&all, value, body->name, response);
    } else {
        answer_fail(response, &error);
    }
    made_answer_free(&all);
}

void api_transition(studio_worker *worker, studio_request *request, studio_response *response)
{
    unsigned needed = FIELD_A | FIELD_B | FIELD_I | FIELD_J;
    unsigned allowed = FIELD_HALF | FIELD_SLOPE | FIELD_METHOD | FIELD_CLEAN | FIELD_NAME;
    struct blend_kept *of = NULL;
    json_body body;
    if (!api_body(worker, request, needed, allowed, &body, response)) return;
    blend_wish wish = two_clips(body.a, body.b);
    if (blend_prepare(worker, &wish, &of, response)) answer_transition(worker, of, &body, response);
    blend_let_go(worker);
    json_body_free(&body);
}
