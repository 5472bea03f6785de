/* api_loop.c - stretches of a clip that can go on for ever. What `marey loop` does, with the same provenance. */
#include "made_answer.h"

#include <math.h>

enum { MOST_LOOPS = 100, DEFAULT_LOOPS = 12 };

static blend_wish one_clip(int64_t id)
{
    return (blend_wish){ .count = 1, .parts = { { id, 0, -1 } } };
}

static bool check_pairs(const struct blend_kept *of, studio_response *response)
{
    int64_t frames = marey_clip_frames(of->parts->clips[0]);
    return blend_check_pairs(frames * frames, response);
}

/* ---- the list ----------------------------------------------------------------------------------- */

static json_t *describe_loops(const struct blend_kept *of, const marey_loop *loops, int count,
                              int half)
{
    const marey_clip *clip = of->parts->clips[0];
    json_t *value = json_object(), *list = json_array();
    for (int i = 0; i < count; i++) {
        json_t *one = json_object();
        describe_put(&one, "start", json_integer(blend_frame_of_clip(of, 0, loops[i].start)));
        describe_put(&one, "end", json_integer(blend_frame_of_clip(of, 0, loops[i].end)));
        describe_put(&one, "cost", describe_number(loops[i].cost));
        describe_append(&list, one);
    }
    describe_put(&value, "loops", list);
    describe_put(&value, "half", json_integer(marey_transition_half(clip, half)));
    describe_put(&value, "unit", json_string(marey_metric_find(0)->unit));
    describe_put(&value, "fps", describe_number(marey_clip_fps(clip)));
    return value;
}

void api_loops(studio_worker *worker, studio_request *request, studio_response *response)
{
    marey_loop loops[MOST_LOOPS];
    marey_loops_def def = { .half = 0 };
    struct blend_kept *of = NULL;
    marey_error error;
    int64_t id = 0;
    int count = DEFAULT_LOOPS, found = 0;
    if (!api_query_clip(request, "clip", &id, response) ||
        !api_query_whole(request, "count", 1, MOST_LOOPS, &count, response) ||
        !api_query_whole(request, "half", 1, MAREY_MOST_HALF, &def.half, response) ||
        !api_query_number(request, "shortest_s", 0.001, 1e6, &def.shortest_s, response) ||
        !api_query_number(request, "longest_s", 0.001, 1e6, &def.longest_s, response)) {
        return;
    }
    blend_wish wish = one_clip(id);
    if (blend_prepare(worker, &wish, &of, response) && check_pairs(of, response)) {
        if (marey_loops_find(worker->ctx, of->parts->clips[0], &def, count, loops, &found,
                             &error) == MAREY_OK) {
            answer_json(response, 200,
                        describe_loops(of, loops, found < count ? found : count, def.half));
        } else {
            answer_fail(response, &error);
        }
    }
    blend_let_go(worker);
}

/* ---- which loop --------------------------------------------------------------------------------- */

/* What the metric says of the two frames that were given. */
static marey_status measure_cost(studio_worker *worker, const marey_clip *clip, marey_loop *loop,
                                 marey_error *error)
{
    marey_layout *layout = NULL;
    marey_features *features = NULL;
    marey_status status = marey_layout_build_bodies(worker->ctx, &clip, 1, NULL, &layout, error);
    if (status == MAREY_OK) status = marey_features_build(layout, clip, &features, error);
    if (status == MAREY_OK) {
        loop->cost = marey_distance(features, marey_features_row(features, loop->start), features,
                                    marey_features_row(features, loop->end));
    }
    marey_features_free(features);
    marey_layout_free(layout);
    return status;
}

static bool choose_loop(studio_worker *worker, const struct blend_kept *of, const json_body *body,
                        marey_loop *out, studio_response *response)
{
    const marey_clip *clip = of->parts->clips[0];
    marey_loops_def def = { .half = body->half };
    marey_error error;
    marey_status status;
    int found = 1;
    bool both = (body->given & FIELD_START) && (body->given & FIELD_END);
    *out = (marey_loop){ 0 };
    if (!both && (body->given & (FIELD_START | FIELD_END))) {
        answer_refuse(response, 400, "request", "start and end of a loop come together");
        return false;
    }
    if (both) {
        if (!blend_frame(of, 0, "start", body->start, &out->start, response) ||
            !blend_frame(of, 0, "end", body->end, &out->end, response)) {
            return false;
        }
        status = measure_cost(worker, clip, out, &error);
    } else {
        if (!check_pairs(of, response)) return false;
        status = marey_loops_find(worker->ctx, clip, &def, 1, out, &found, &error);
    }
    if (status != MAREY_OK) {
        answer_fail(response, &error);
    } else if (found == 0) {
        answer_refuse(response, 400, "request", "no loop was found");
    }
    return status == MAREY_OK && found > 0;
}

/* ---- making it ---------------------------------------------------------------------------------- */

static marey_status make(made_answer *all, const json_body *body, marey_loop *loop,
                         marey_error *error)
{
    const marey_parts *parts = all->of->parts;
    marey_ctx *ctx = all->by->ctx;
    marey_loop again = *loop;
    marey_made left = { 0 };
    marey_loop_def def = { .half = body->half,
                           .slope = body->slope,
                           .in_place = body->in_place,
                           .leave_feet = !body->clean };
    marey_status status =
        marey_loop_make(ctx, parts->clips[0], &parts->contacts[0], &def, loop, &all->made, error);
    if (status != MAREY_OK) return status;
    all->cleaned = body->clean;
    all->in_place = body->in_place;
    all->end = marey_clip_frames(all->made.clip);
    if (!body->clean || body->in_place) return MAREY_OK;
    def.leave_feet = true;
    status = marey_loop_make(ctx, parts->clips[0], &parts->contacts[0], &def, &again, &left, error);
    all->raw = all->own_raw = left.clip;
    left.clip = NULL;
    marey_made_free(&left);
    return status;
}

static void note(made_answer *all, const json_body *body, int start, int end)
{
    made_of *from = &all->from;
    made_of_part(from, body->clip, start, end);
    if (body->in_place) made_of_true(from, "in-place");
    if (body->half) made_of_whole(from, "half", body->half);
    if (!body->clean) made_of_true(from, "no-clean");
    if (body->slope) made_of_whole(from, "slope", body->slope);
}

static void answer_loop(studio_worker *worker, struct blend_kept *of, const json_body *body,
                        studio_response *response)
{
    marey_loop loop;
    marey_error error;
    json_t *value = NULL;
    if (!choose_loop(worker, of, body, &loop, response)) return;
    made_answer all = made_answer_begin(worker, of, "loop");
    marey_status status = make(&all, body, &loop, &error);
    if (status == MAREY_OK) status = made_answer_describe(&all, &value, &error);
    if (status == MAREY_OK) {
        int start = blend_frame_of_clip(of, 0, loop.start);
        int end = blend_frame_of_clip(of, 0, loop.end);
        note(&all, body, start, end);
        describe_put(&value, "start", json_integer(start));
        describe_put(&value, "end", json_integer(end));
        describe_put(&value, "cost", describe_number(loop.cost));
        describe_put(&value, "seam_ratio", describe_number(loop.seam_ratio));
        made_answer_send(&all, value, body->name, response);
    } else {
        answer_fail(response, &error);
    }
    made_answer_free(&all);
}

void api_loop(studio_worker *worker, studio_request *request, studio_response *response)
{
    unsigned allowed = FIELD_START | FIELD_END | FIELD_IN_PLACE | FIELD_HALF | FIELD_SLOPE |
                       FIELD_CLEAN | FIELD_NAME;
    struct blend_kept *of = NULL;
    json_body body;
    if (!api_body(worker, request, FIELD_CLIP, allowed, &body, response)) return;
    blend_wish wish = one_clip(body.clip);
    if (blend_prepare(worker, &wish, &of, response)) answer_loop(worker, of, &body, response);
    blend_let_go(worker);
    json_body_free(&body);
}
