/* compare_kept.c - from a query to what is measured. One comparison is kept by each worker: somebody who moves over a grid
   asks for cell after cell of it. */
#include "compare_kept.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_CELLS = 64 << 20, KEPT_CELLS = 16 << 20 };

/* ---- the query ---------------------------------------------------------------------------------- */

static bool read_clips(const studio_request *request, compare_wish *out, studio_response *response)
{
    static const char *const names[] = { "a", "b" };
    for (int side = 0; side < 2; side++) {
        if (!api_query_clip(request, names[side], &out->clips[side], response)) return false;
    }
    return true;
}

static bool read_metric(const studio_request *request, compare_wish *out, studio_response *response)
{
    const char *name = asked_query(request, "metric");
    out->def.metric = name && *name ? marey_metric_named(name) : marey_metric_find(0);
    if (out->def.metric) return true;
    answer_refuse(response, 400, "request", "there is no metric \"%.40s\"", name);
    return false;
}

/* A switch that only one metric has. */
static bool read_switch(const studio_request *request, const char *name, bool allowed, bool *out,
                        studio_response *response)
{
    int64_t value = 0;
    if (!asked_number(request, name, 0, 1, &value)) {
        answer_refuse(response, 400, "request", "%s is 0 or 1", name);
        return false;
    }
    if (value && !allowed) {
        answer_refuse(response, 400, "request", "this metric has no use for %s", name);
        return false;
    }
    *out = value != 0;
    return true;
}

static bool read_window(const studio_request *request, compare_wish *out, studio_response *response)
{
    const marey_metric *metric = out->def.metric;
    int least = metric->least_window;
    int64_t window = 0;
    if (asked_query(request, "window") && metric->window == 1) {
        answer_refuse(response, 400, "request",
                      "the metric %s compares single frames and has no window", metric->name);
        return false;
    }
    if (!asked_number(request, "window", least, MAREY_MOST_WINDOW, &window)) {
        answer_refuse(response, 400, "request", "window is a whole number from %d to %d", least,
                      MAREY_MOST_WINDOW);
        return false;
    }
    out->def.window = (int)window;
    return read_switch(request, "tapered", metric->window > 1, &out->def.tapered, response);
}

static bool read_joints(const studio_request *request, compare_wish *out, studio_response *response)
{
    const char *text = asked_query(request, "joints");
    marey_error error;
    if (!text || !*text) {
        out->joints = *marey_joint_weights_find(0);
        return true;
    }
    if (marey_joint_weights_parse(text, &out->joints, &error) == MAREY_OK) return true;
    answer_fail(response, &error);
    return false;
}

/* "1,0.5,2": as many numbers as the metric has terms; how many were read, -1: they are none. */
static int read_numbers(const char *at, int most, double *out)
{
    int count = 0;
    for (;; at++) {
        char *end = NULL;
        double value = strtod(at, &end);
        bool plain = end > at && strspn(at, ".0123456789eE+-") == (size_t)(end - at);
        if (!plain || count == most || !(value >= 0 && value <= 1e12)) return -1;
        out[count++] = value;
        at = end;
        if (*at != ',') return *at ? -1 : count;
    }
}

static bool read_attributes(const studio_request *request, compare_wish *out,
                            studio_response *response)
{
    const char *text = asked_query(request, "attributes");
    const marey_metric *metric = out->def.metric;
    double sum = 0;
    if (!text) return true;
    if (metric->attribute_count == 0) {
        answer_refuse(response, 400, "request", "the metric %s has no terms to weigh",
                      metric->name);
        return false;
    }
    int count = read_numbers(text, metric->attribute_count, out->def.attributes);
    for (int i = 0; i < count; i++) sum += out->def.attributes[i];
    out->def.attributes_given = true;
    if (count == metric->attribute_count && sum > 0) return true;
    answer_refuse(response, 400, "request", "attributes of %s are %d numbers >= 0, not all 0",
                  metric->name, metric->attribute_count);
    return false;
}

bool compare_read(const studio_request *request, compare_wish *out, studio_response *response)
{
    *out = (compare_wish){ .clips = { 0, 0 } };
    if (!read_clips(request, out, response) || !read_metric(request, out, response)) return false;
    bool angles = out->def.metric->options & MAREY_METRIC_FIXED_ROOT;
    bool curved = out->def.metric->options & MAREY_METRIC_CANDIDATES;
    return read_window(request, out, response) && read_joints(request, out, response) &&
           read_attributes(request, out, response) &&
           read_switch(request, "fixed_root", angles, &out->def.fixed_root, response) &&
           read_switch(request, "normalised", curved, &out->def.normalised, response);
}

/* ---- what is kept ------------------------------------------------------------------------------- */

static bool same_joints(const marey_joint_weights *a, const marey_joint_weights *b)
{
    if (a->every_joint != b->every_joint || strcmp(a->name, b->name) != 0) return false;
    for (int i = 0; i < MAREY_ROLE_COUNT; i++) {
        if (a->roles[i] != b->roles[i]) return false;
    }
    return true;
}

static bool same_wish(const compare_wish *a, const compare_wish *b)
{
    const marey_metric_def *p = &a->def, *q = &b->def;
    if (a->clips[0] != b->clips[0] || a->clips[1] != b->clips[1]) return false;
    if (p->metric != q->metric || p->window != q->window || p->tapered != q->tapered) return false;
    if (p->fixed_root != q->fixed_root || p->normalised != q->normalised) return false;
    if (p->attributes_given != q->attributes_given) return false;
    for (int i = 0; i < MAREY_MOST_ATTRIBUTES; i++) {
        if (p->attributes[i] != q->attributes[i]) return false;
    }
    return same_joints(&a->joints, &b->joints);
}

static void forget_measures(struct compare_kept *of)
{
    marey_grid_free(of->grid);
    for (int side = 0; side < 2; side++) marey_features_free(of->features[side]);
    marey_layout_free(of->layout);
    *of = (struct compare_kept){ .grid = NULL };
}

void worker_forget_comparison(studio_worker *worker)
{
    if (!worker->compared) return;
    forget_measures(worker->compared);
    heap_resize(&worker->of->memory, worker->compared, sizeof *worker->compared, 0);
    worker->compared = NULL;
}

void worker_forget_grid(studio_worker *worker)
{
    if (!worker->compared) return;
    marey_grid_free(worker->compared->grid);
    worker->compared->grid = NULL;
}

static marey_status measure(studio_worker *worker, struct compare_kept *of, marey_error *error)
{
    const marey_clip *clips[2] = { NULL, NULL };
    marey_metric_def def = of->wish.def;
    marey_status status = worker_two_clips(worker, of->wish.clips, clips, error);
    def.joints = &of->wish.joints;
    if (status == MAREY_OK)
        status = marey_layout_build(worker->ctx, clips, 2, &def, &of->layout, error);
    for (int side = 0; side < 2 && status == MAREY_OK; side++) {
        status = marey_features_build(of->layout, clips[side], &of->features[side], error);
    }
    return status;
}

/* Clips that were removed meanwhile are not shown, although what was measured is still here. */
static marey_status measure_anew(studio_worker *worker, const compare_wish *wish,
                                 marey_error *error)
{
    struct compare_kept *of = worker->compared;
    const marey_clip *clips[2];
    if (of->layout && same_wish(&of->wish, wish)) {
        return worker_two_clips(worker, wish->clips, clips, error);
    }
    forget_measures(of);
    of->wish = *wish;
    marey_status status = measure(worker, of, error);
    if (status != MAREY_OK) forget_measures(of);
    return status;
}

bool compare_measure(studio_worker *worker, const compare_wish *wish, struct compare_kept **out,
                     studio_response *response)
{
    marey_error error;
    if (!worker->compared) {
        worker->compared = heap_resize(&worker->of->memory, NULL, 0, sizeof *worker->compared);
        if (!worker->compared) {
            api_fail_memory(response);
            return false;
        }
        *worker->compared = (struct compare_kept){ .grid = NULL };
    }
    if (measure_anew(worker, wish, &error) != MAREY_OK) {
        answer_fail(response, &error);
        return false;
    }
    *out = worker->compared;
    return true;
}

/* ---- the grid ----------------------------------------------------------------------------------- */

static int64_t cells_of(const struct compare_kept *of)
{
    return (int64_t)marey_features_rows(of->features[0]) * marey_features_rows(of->features[1]);
}

bool compare_grid(studio_worker *worker, struct compare_kept *of, marey_rows *cost,
                  studio_response *response)
{
    marey_error error;
    if (cells_of(of) > MOST_CELLS) {
        answer_refuse(response, 413, "limit",
                      "%d x %d frames are more than %d million pairs: cut the clips, or use marey "
                      "grid",
                      marey_features_rows(of->features[0]), marey_features_rows(of->features[1]),
                      MOST_CELLS >> 20);
        return false;
    }
    if (!of->grid &&
        marey_grid_build(worker->ctx, of->features[0], of->features[1], &of->grid, &error)) {
        answer_fail(response, &error);
        return false;
    }
    *cost = marey_grid_cost(of->grid);
    return true;
}

void compare_let_go(struct compare_kept *of)
{
    if (cells_of(of) <= KEPT_CELLS) return;
    marey_grid_free(of->grid);
    of->grid = NULL;
}
