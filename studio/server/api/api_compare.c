/* api_compare.c - how alike the frames of two clips are: the metrics there are, the grid, and one of its cells, closer. */
#include "compare_kept.h"
#include "grid_binary.h"

#include <math.h>

enum { MOST_SIDE = 1024 };

/* ---- the metrics -------------------------------------------------------------------------------- */

static json_t *describe_metric(const marey_metric *metric)
{
    json_t *one = json_object(), *attributes = json_array();
    for (int i = 0; i < metric->attribute_count; i++) {
        describe_append(&attributes, json_string(metric->attributes[i]));
    }
    describe_put(&one, "name", json_string(metric->name));
    describe_put(&one, "description", json_string(metric->description));
    describe_put(&one, "unit", json_string(metric->unit));
    describe_put(&one, "window", json_integer(metric->window));
    describe_put(&one, "attributes", attributes);
    return one;
}

void api_metrics(studio_worker *worker, studio_request *request, studio_response *response)
{
    json_t *value = json_object(), *metrics = json_array(), *joints = json_array();
    (void)worker;
    (void)request;
    for (int i = 0; marey_metric_find(i); i++) {
        describe_append(&metrics, describe_metric(marey_metric_find(i)));
    }
    for (int i = 0; marey_joint_weights_find(i); i++) {
        json_t *one = json_object();
        describe_put(&one, "name", json_string(marey_joint_weights_find(i)->name));
        describe_put(&one, "description", json_string(marey_joint_weights_find(i)->description));
        describe_append(&joints, one);
    }
    describe_put(&value, "metrics", metrics);
    describe_put(&value, "joints", joints);
    answer_json(response, 200, value);
}

/* ---- the grid ----------------------------------------------------------------------------------- */

void api_compare(studio_worker *worker, studio_request *request, studio_response *response)
{
    compare_wish wish;
    struct compare_kept *of = NULL;
    marey_rows cost;
    int64_t rows = MOST_SIDE, cols = MOST_SIDE;
    if (!compare_read(request, &wish, response)) return;
    if (!asked_number(request, "rows", 1, MOST_SIDE, &rows) ||
        !asked_number(request, "cols", 1, MOST_SIDE, &cols)) {
        answer_refuse(response, 400, "request", "rows and cols are whole numbers from 1 to %d",
                      MOST_SIDE);
        return;
    }
    if (!compare_measure(worker, &wish, &of, response) ||
        !compare_grid(worker, of, &cost, response))
        return;
    grid_answer(cost, marey_layout_fps(of->layout), (int)rows, (int)cols, response);
    compare_let_go(of);
}

/* ---- one cell ----------------------------------------------------------------------------------- */

static bool value_at(studio_worker *worker, struct compare_kept *of, const int at[2], double *value,
                     studio_response *response)
{
    marey_rows cost;
    *value = marey_distance(of->features[0], at[0], of->features[1], at[1]);
    if (!isnan(*value)) return true;
    /* The cells of curvature depend on each other. */
    if (!compare_grid(worker, of, &cost, response)) return false;
    *value = cost.values[(size_t)at[0] * cost.stride + (size_t)at[1]];
    compare_let_go(of);
    return true;
}

static json_t *describe_shares(heap *memory, const struct compare_kept *of, const int at[2],
                               double *joints)
{
    const marey_layout *layout = of->layout;
    double frames[MAREY_MOST_WINDOW] = { 0 }, rest = 0;
    json_t *value = json_object(), *by_joint = json_array(), *by_frame = json_array();
    marey_explain(of->features[0], at[0], of->features[1], at[1], joints, frames, &rest);
    for (int i = 0; i < marey_layout_joints(layout); i++) {
        json_t *one = json_object();
        describe_put(&one, "name", describe_text(memory, marey_layout_joint(layout, i)));
        describe_put(&one, "share", describe_number(joints[i]));
        describe_append(&by_joint, one);
    }
    for (int i = 0; i < marey_layout_window(layout); i++) {
        describe_append(&by_frame, describe_number(frames[i]));
    }
    describe_put(&value, "joints", by_joint);
    describe_put(&value, "frames", by_frame);
    describe_put(&value, "rest", describe_number(rest));
    return value;
}

static json_t *describe_placement(const struct compare_kept *of, const int at[2])
{
    marey_placement place = marey_place(of->features[0], at[0], of->features[1], at[1]);
    json_t *value = json_object();
    describe_put(&value, "angle_rad", describe_number(place.angle_rad));
    describe_put(&value, "x_cm", describe_number(place.x_cm));
    describe_put(&value, "z_cm", describe_number(place.z_cm));
    describe_put(&value, "sure", json_boolean(place.sure));
    return value;
}

/* The rows for frames i and j of the clips. */
static bool find_cell(studio_worker *worker, const studio_request *request,
                      const struct compare_kept *of, int at[2], studio_response *response)
{
    static const char *const names[] = { "i", "j" };
    for (int side = 0; side < 2; side++) {
        const marey_clip *clip;
        int64_t frame = 0;
        if (!api_open(worker, of->wish.clips[side], &clip, response)) return false;
        int last = marey_clip_frames(clip) - 1;
        if (!asked_query(request, names[side]) ||
            !asked_number(request, names[side], 0, last, &frame)) {
            answer_refuse(response, 400, "request", "%s is a frame of clip %s, from 0 to %d",
                          names[side], side == 0 ? "a" : "b", last);
            return false;
        }
        at[side] = marey_features_row(of->features[side], (int)frame);
    }
    return true;
}

void api_compare_cell(studio_worker *worker, studio_request *request, studio_response *response)
{
    compare_wish wish;
    struct compare_kept *of = NULL;
    double value = 0;
    int at[2];
    if (!compare_read(request, &wish, response) || !compare_measure(worker, &wish, &of, response) ||
        !find_cell(worker, request, of, at, response) ||
        !value_at(worker, of, at, &value, response)) {
        return;
    }
    size_t room = (size_t)marey_layout_joints(of->layout) * sizeof(double);
    double *joints = heap_resize(&worker->of->memory, NULL, 0, room);
    if (!joints) {
        api_fail_memory(response);
        return;
    }
    json_t *told = describe_shares(&worker->of->memory, of, at, joints);
    heap_resize(&worker->of->memory, joints, room, 0);
    describe_put(&told, "a", json_integer(marey_features_frame(of->features[0], at[0])));
    describe_put(&told, "b", json_integer(marey_features_frame(of->features[1], at[1])));
    describe_put(&told, "value", describe_number(value));
    describe_put(&told, "unit", json_string(wish.def.metric->unit));
    describe_put(&told, "placement", describe_placement(of, at));
    answer_json(response, 200, told);
}
