/* graph_body.c - a table for each body says what its fields must be. */
#include "graph_body.h"

#include "json_rows.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

enum { MOST_NODE = 16 << 20, DEFAULT_EFFORT = 10000, MOST_EFFORT = 300000 };

static const double most_path_cm = 50000, farthest_cm = 1e6;

/* Numbers from least to most, each above the one before. */
static marey_status read_rising(const json_t *value, const char *name, double least, double most,
                                double *out, int room, int *count, marey_error *error)
{
    size_t got = json_array_size(value); /* 0 if it is no array */
    bool fits = got >= 1 && got <= (size_t)room;
    for (size_t i = 0; i < got && fits; i++) {
        const json_t *one = json_array_get(value, i);
        out[i] = json_number_value(one);
        fits = json_is_number(one) && out[i] >= least && out[i] <= most &&
               (i == 0 || out[i] > out[i - 1]);
    }
    if (!fits) {
        return json_refuse(error, "%s must be a list of 1 to %d rising numbers from %g to %g", name,
                           room, least, most);
    }
    *count = (int)got;
    return MAREY_OK;
}

/* ---- building ----------------------------------------------------------------------------------- */

static marey_status read_clips(void *to, json_t *value, marey_error *error)
{
    graph_body *of = to;
    return json_clips(of->memory, value, &of->clips, &of->clip_count, error);
}

static marey_status read_weights(void *to, json_t *value, marey_error *error)
{
    graph_body *of = to;
    return read_rising(value, "weights", 1e-6, 1 - 1e-6, of->weights, MAREY_GRAPH_MOST_WEIGHTS,
                       &of->weight_count, error);
}

static marey_status read_thresholds(void *to, json_t *value, marey_error *error)
{
    graph_body *of = to;
    return read_rising(value, "thresholds", 1e-9, 1e9, of->thresholds, GRAPH_BODY_THRESHOLDS,
                       &of->threshold_count, error);
}

static marey_status find_kind(graph_body *of, marey_error *error)
{
    const char *name = of->kind_name;
    for (int k = 0; name && k < MAREY_GRAPH_KIND_COUNT; k++) {
        if (strcmp(marey_graph_kind_name((marey_graph_kind)k), name) != 0) continue;
        of->kind = (marey_graph_kind)k;
        return MAREY_OK;
    }
    return name ? json_refuse(error, "kind must be standard or connected") : MAREY_OK;
}

/* What does nothing is refused. */
static marey_status check_kind(const graph_body *of, marey_error *error)
{
    static const char *const connected[] = { "mu", "smoothness", "weights", "unreduced" };
    marey_status status = MAREY_OK;
    for (size_t i = 0; i < sizeof connected / sizeof *connected && status == MAREY_OK; i++) {
        if (of->kind == MAREY_GRAPH_STANDARD && json_object_get(of->root, connected[i]))
            status = json_refuse(error, "%s is for graphs of the kind connected", connected[i]);
    }
    return status;
}

/* The default metric is left to the library, which gives it the joint weights that belong to it. */
static marey_status find_metric(graph_body *of, bool sweep, marey_error *error)
{
    const marey_metric *found = of->metric_name ? marey_metric_named(of->metric_name) : NULL;
    if (of->metric_name && !found) {
        return json_refuse(error, "there is no metric %.40s; GET /api/metrics lists them",
                           of->metric_name);
    }
    if (!found || found == marey_metric_find(0)) return MAREY_OK;
    of->metric = found;
    return of->threshold > 0 || sweep
               ? MAREY_OK
               : json_refuse(error, "threshold is needed: only the metric points has a default");
}

static marey_status check_graph(graph_body *of, bool sweep, marey_error *error)
{
    marey_status status = json_kept_name(of->name, "a graph's name", error);
    if (status == MAREY_OK) status = find_kind(of, error);
    if (status == MAREY_OK) status = check_kind(of, error);
    if (status == MAREY_OK) status = find_metric(of, sweep, error);
    if (status != MAREY_OK) return status;
    if (of->clip_count > 0 && of->label)
        return json_refuse(error, "name clips, or a label: one of these");
    if (json_object_get(of->root, "smoothness") && of->smoothness == 0) of->smoothness = -1;
    return MAREY_OK;
}

#define AT(name) offsetof(graph_body, name)
#define GRAPH_ROWS                                                                                 \
    { "clips", "clips", ROW_OWN, false, 0, 0, 0, read_clips },                                     \
        { "label", "label", ROW_TEXT, false, AT(label), 0, 0, 0 },                                 \
        { "kind", "kind", ROW_TEXT, false, AT(kind_name), 0, 0, 0 },                               \
        { "metric", "metric", ROW_TEXT, false, AT(metric_name), 0, 0, 0 },                         \
        { "fps", "fps", ROW_NUMBER, false, AT(fps), 1, 1000, 0 },                                  \
        { "smooth", "smooth", ROW_SWITCH, false, AT(smooth), 0, 0, 0 },                            \
        { "mu", "mu", ROW_NUMBER, false, AT(mu), 1, 1000, 0 },                                     \
        { "smoothness", "smoothness", ROW_NUMBER, false, AT(smoothness), 0, 1, 0 },                \
        { "weights", "weights", ROW_OWN, false, 0, 0, 0, read_weights },                           \
    {                                                                                              \
        "unreduced", "unreduced", ROW_SWITCH, false, AT(unreduced), 0, 0, 0                        \
    }

marey_status graph_body_read(graph_body *out, heap *memory, bool sweep, const uint8_t *data,
                             size_t count, marey_error *error)
{
    static const json_row rows[] = {
        GRAPH_ROWS,
        { "name", "name", ROW_TEXT, true, AT(name), 0, 0, 0 },
        { "threshold", "threshold", ROW_NUMBER, false, AT(threshold), 1e-9, 1e9, 0 },
    };
    static const json_row sweep_rows[] = {
        GRAPH_ROWS,
        { "thresholds", "thresholds", ROW_OWN, true, 0, 0, 0, read_thresholds },
        { "quick", "quick", ROW_SWITCH, false, AT(quick), 0, 0, 0 },
    };
    *out = (graph_body){ .memory = memory, .quick = true };
    marey_status status = json_parse(data, count, &out->root, error);
    if (status == MAREY_OK) {
        status =
            json_rows(out->root, sweep ? sweep_rows : rows, sizeof rows / sizeof *rows, out, error);
    }
    if (status == MAREY_OK) status = check_graph(out, sweep, error);
    if (status != MAREY_OK) graph_body_free(out);
    return status;
}
#undef AT

void graph_body_free(graph_body *of)
{
    size_t room = of->clips ? (size_t)of->clip_count * sizeof *of->clips : 0;
    heap_resize(of->memory, of->clips, room, 0);
    json_decref(of->root);
    *of = (graph_body){ .memory = of->memory };
}

/* ---- training ----------------------------------------------------------------------------------- */

static marey_status read_speeds(void *to, json_t *value, marey_error *error)
{
    train_body *of = to;
    return read_rising(value, "speeds", 0, 2000, of->speeds, GRAPH_BODY_SPEEDS, &of->speed_count,
                       error);
}

marey_status train_body_read(train_body *out, const uint8_t *data, size_t count, marey_error *error)
{
#define AT(name) offsetof(train_body, name)
    static const json_row rows[] = {
        { "graph", "graph", ROW_TEXT, true, AT(graph), 0, 0, 0 },
        { "directions", "directions", ROW_WHOLE, false, AT(directions), 8, 64, 0 },
        { "speeds", "speeds", ROW_OWN, false, 0, 0, 0, read_speeds },
        { "discount", "discount", ROW_NUMBER, false, AT(discount), 0.01, 0.99, 0 },
        { "poor", "poor", ROW_NUMBER, false, AT(poor), 1e-6, 1000, 0 },
    };
#undef AT
    *out = (train_body){ .directions = 0 };
    marey_status status = json_parse(data, count, &out->root, error);
    if (status == MAREY_OK) status = json_rows(out->root, JSON_ROWS(rows), out, error);
    if (status != MAREY_OK) train_body_free(out);
    return status;
}

void train_body_free(train_body *of)
{
    json_decref(of->root);
    of->root = NULL;
}

/* ---- walking ------------------------------------------------------------------------------------ */

static marey_status read_path(void *to, json_t *value, marey_error *error)
{
    walk_body *of = to;
    size_t count = json_array_size(value);
    double length = 0;
    bool fits = count >= 2 && count <= GRAPH_BODY_POINTS;
    for (size_t i = 0; i < count && fits; i++) {
        const json_t *point = json_array_get(value, i);
        const json_t *x = json_array_get(point, 0), *z = json_array_get(point, 1);
        double *at = of->path + 2 * i;
        at[0] = json_number_value(x);
        at[1] = json_number_value(z);
        fits = json_array_size(point) == 2 && json_is_number(x) && json_is_number(z) &&
               fabs(at[0]) <= farthest_cm && fabs(at[1]) <= farthest_cm;
        if (i > 0) length += hypot(at[0] - at[-2], at[1] - at[-1]);
    }
    if (!fits) {
        return json_refuse(error,
                           "path must be a list of 2 to %d points [x, z], in cm, none beyond 10 km",
                           GRAPH_BODY_POINTS);
    }
    if (!(length <= most_path_cm))
        return json_refuse(error, "the path is %.0f m long, and 500 m is the most", length / 100);
    of->point_count = (int)count;
    return MAREY_OK;
}

static marey_status read_through(void *to, json_t *value, marey_error *error)
{
    walk_body *of = to;
    marey_status status = json_labels(value, "through", of->through, &of->through_count, error);
    return status == MAREY_OK && of->through_count == 0
               ? json_refuse(error, "through must name a label")
               : status;
}

static marey_status read_styles(void *to, json_t *value, marey_error *error)
{
    walk_body *of = to;
    return json_labels(value, "styles", of->styles, &of->style_count, error);
}

static marey_status read_over(void *to, json_t *value, marey_error *error)
{
    walk_body *of = to;
    marey_status status = json_array_size(value) == 2
                              ? MAREY_OK
                              : json_refuse(error, "over must be a list of two nodes");
    for (size_t i = 0; i < 2 && status == MAREY_OK; i++) {
        json_int_t node = 0;
        status = json_whole(json_array_get(value, i), "each of over", 0, MOST_NODE, &node, error);
        of->over[i] = (int)node;
    }
    return status;
}

/* What kind of walk it is follows from what is asked for. */
static marey_status check_walk(const walk_body *of, marey_error *error)
{
    bool path = of->point_count > 0, length = of->length_s > 0, through = of->through_count > 0;
    bool to = of->to >= 0, over = of->over[0] >= 0;
    if (path + length + through + to + over != 1)
        return json_refuse(error, "a walk has one of path, length_s, through, to, over");
    if (to && of->from < 0) return json_refuse(error, "a walk to a node needs from, another one");
    if (over && (of->from >= 0 || of->style_count > 0))
        return json_refuse(error, "a walk over a transition has no from and no styles");
    if (!over && json_object_get(of->root, "around_s"))
        return json_refuse(error, "around_s is for walks over a transition");
    if (!path && json_object_get(of->root, "effort"))
        return json_refuse(error, "effort is for walks along a path");
    if (!length && json_object_get(of->root, "seed"))
        return json_refuse(error, "seed is for walks of a length");
    return MAREY_OK;
}

marey_status walk_body_read(walk_body *out, const uint8_t *data, size_t count, marey_error *error)
{
#define AT(name) offsetof(walk_body, name)
    static const json_row rows[] = {
        { "graph", "graph", ROW_TEXT, true, AT(graph), 0, 0, 0 },
        { "path", "path", ROW_OWN, false, 0, 0, 0, read_path },
        { "effort", "effort", ROW_WHOLE, false, AT(effort), 1000, MOST_EFFORT, 0 },
        { "length_s", "length_s", ROW_NUMBER, false, AT(length_s), 0.1, 1200, 0 },
        { "seed", "seed", ROW_WHOLE, false, AT(seed), 1, 1000000000, 0 },
        { "through", "through", ROW_OWN, false, 0, 0, 0, read_through },
        { "from", "from", ROW_WHOLE, false, AT(from), 0, MOST_NODE, 0 },
        { "to", "to", ROW_WHOLE, false, AT(to), 0, MOST_NODE, 0 },
        { "over", "over", ROW_OWN, false, 0, 0, 0, read_over },
        { "around_s", "around_s", ROW_NUMBER, false, AT(around_s), 0.1, 10, 0 },
        { "styles", "styles", ROW_OWN, false, 0, 0, 0, read_styles },
        { "clean", "clean", ROW_SWITCH, false, AT(clean), 0, 0, 0 },
        { "rough", "rough", ROW_SWITCH, false, AT(rough), 0, 0, 0 },
        { "name", "name", ROW_TEXT, false, AT(name), 0, 0, 0 },
    };
#undef AT
    *out = (walk_body){ .effort = DEFAULT_EFFORT,
                        .from = -1,
                        .to = -1,
                        .over = { -1, -1 },
                        .around_s = 1,
                        .clean = true };
    marey_status status = json_parse(data, count, &out->root, error);
    if (status == MAREY_OK) status = json_rows(out->root, JSON_ROWS(rows), out, error);
    if (status == MAREY_OK) status = check_walk(out, error);
    if (status != MAREY_OK) walk_body_free(out);
    return status;
}

void walk_body_free(walk_body *of)
{
    json_decref(of->root);
    of->root = NULL;
}
