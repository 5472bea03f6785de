/* graph_body.c - a table for each body says what its fields must be. */
#include "graph_body.h"

#include "json_rows.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

enum { MOST_NODE = 16 << 20, DEFAULT_EFFORT = 10000, MOST_EFFORT = 300000 };

static const double most_path_cm = 50000, farthest_cm = 1e6;

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
