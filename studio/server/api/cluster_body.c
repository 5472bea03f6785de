/* cluster_body.c - a table for each body says what its fields must be. */
#include "cluster_body.h"

#include "json_rows.h"

#include <stddef.h>
#include <string.h>

enum { MOST_NODE = 1 << 22 };

/* ---- building ----------------------------------------------------------------------------------- */

static marey_status read_clips(void *to, json_t *value, marey_error *error)
{
    cluster_body *of = to;
    return json_clips(of->memory, value, &of->clips, &of->clip_count, error);
}

static marey_status read_example(void *to, json_t *value, marey_error *error)
{
    cluster_body *of = to;
    return example_body_take(&of->example, of->memory, value, error);
}

static marey_status find_link(cluster_body *of, marey_error *error)
{
    const char *name = of->link_name;
    for (int k = 0; name && k < MAREY_LINK_COUNT; k++) {
        if (strcmp(marey_link_name((marey_link)k), name) != 0) continue;
        of->link = (marey_link)k;
        return MAREY_OK;
    }
    return name ? json_refuse(error, "link must be complete or single") : MAREY_OK;
}

/* The default metric is left to the library, which gives it the joint weights that belong to it. */
static marey_status find_metric(cluster_body *of, marey_error *error)
{
    const marey_metric *found = of->metric_name ? marey_metric_named(of->metric_name) : NULL;
    if (of->metric_name && !found) {
        return json_refuse(error, "there is no metric %.40s; GET /api/metrics lists them",
                           of->metric_name);
    }
    if (!found || found == marey_metric_find(0)) return MAREY_OK;
    of->metric = found;
    return of->threshold > 0
               ? MAREY_OK
               : json_refuse(error, "threshold is needed: only the metric points has a default");
}

static marey_status check_built(cluster_body *of, marey_error *error)
{
    marey_status status = json_kept_name(of->name, "a cluster graph's name", error);
    if (status == MAREY_OK) status = find_link(of, error);
    if (status == MAREY_OK) status = find_metric(of, error);
    if (status != MAREY_OK) return status;
    if ((of->clip_count > 0) + (of->label != NULL) + (of->example.root != NULL) > 1)
        return json_refuse(error, "name clips, a label, or an example: one of these");
    return MAREY_OK;
}

marey_status cluster_body_read(cluster_body *out, heap *memory, const uint8_t *data, size_t count,
                               marey_error *error)
{
#define AT(name) offsetof(cluster_body, name)
    static const json_row rows[] = {
        { "name", "name", ROW_TEXT, true, AT(name), 0, 0, 0 },
        { "clips", "clips", ROW_OWN, false, 0, 0, 0, read_clips },
        { "label", "label", ROW_TEXT, false, AT(label), 0, 0, 0 },
        { "example", "example", ROW_OWN, false, 0, 0, 0, read_example },
        { "link", "link", ROW_TEXT, false, AT(link_name), 0, 0, 0 },
        { "metric", "metric", ROW_TEXT, false, AT(metric_name), 0, 0, 0 },
        { "threshold", "threshold", ROW_NUMBER, false, AT(threshold), 1e-9, 1e9, 0 },
        { "fps", "fps", ROW_NUMBER, false, AT(fps), 1, 1000, 0 },
    };
#undef AT
    *out = (cluster_body){ .memory = memory, .example = { .memory = memory } };
    marey_status status = json_parse(data, count, &out->root, error);
    if (status == MAREY_OK) status = json_rows(out->root, JSON_ROWS(rows), out, error);
    if (status == MAREY_OK) status = check_built(out, error);
    if (status != MAREY_OK) cluster_body_free(out);
    return status;
}

void cluster_body_free(cluster_body *of)
{
    size_t room = (size_t)of->clip_count * sizeof *of->clips;
    if (of->clips) heap_resize(of->memory, of->clips, room, 0);
    example_body_free(&of->example);
    json_decref(of->root);
    *of = (cluster_body){ .memory = of->memory, .example = { .memory = of->memory } };
}

/* ---- stitching ---------------------------------------------------------------------------------- */

static marey_status read_nodes(void *to, json_t *value, marey_error *error)
{
    stitch_body *of = to;
    size_t count = json_array_size(value);
    marey_status status = MAREY_OK;
    if (count < 1 || count > CLUSTER_BODY_NODES)
        return json_refuse(error, "nodes must be a list of 1 to %d numbers", CLUSTER_BODY_NODES);
    for (size_t i = 0; i < count && status == MAREY_OK; i++) {
        json_int_t node = 0;
        status = json_whole(json_array_get(value, i), "each of nodes", 0, MOST_NODE, &node, error);
        of->nodes[i] = (int)node;
    }
    of->node_count = (int)count;
    return status;
}

static marey_status check_stitch(const stitch_body *of, marey_error *error)
{
    bool both = of->a > 0 && of->b > 0, none = of->a == 0 && of->b == 0;
    bool times = of->from >= 0 || of->to >= 0 || of->leave >= 0 || of->enter >= 0;
    if (!both && !none) return json_refuse(error, "a and b come together");
    if (none && of->node_count == 0)
        return json_refuse(error, "a stitch is from a to b, or through nodes");
    if (none && times) return json_refuse(error, "from, to, leave and enter are frames of a and b");
    if (of->leave < 0 && of->enter < 0 && json_object_get(of->root, "within_s"))
        return json_refuse(error, "within_s is for leave and enter");
    if (of->name && of->format) return json_refuse(error, "name, or format: one of these");
    return MAREY_OK;
}

marey_status stitch_body_read(stitch_body *out, const uint8_t *data, size_t count,
                              marey_error *error)
{
#define AT(name) offsetof(stitch_body, name)
    static const json_row rows[] = {
        { "cluster", "cluster", ROW_TEXT, true, AT(cluster), 0, 0, 0 },
        { "a", "a", ROW_CLIP, false, AT(a), 0, 0, 0 },
        { "b", "b", ROW_CLIP, false, AT(b), 0, 0, 0 },
        { "from", "from", ROW_FRAME, false, AT(from), 0, 0, 0 },
        { "to", "to", ROW_FRAME, false, AT(to), 0, 0, 0 },
        { "leave", "leave", ROW_FRAME, false, AT(leave), 0, 0, 0 },
        { "enter", "enter", ROW_FRAME, false, AT(enter), 0, 0, 0 },
        { "within_s", "within_s", ROW_NUMBER, false, AT(within_s), 0, 60, 0 },
        { "nodes", "nodes", ROW_OWN, false, 0, 0, 0, read_nodes },
        { "switch_cost", "switch_cost", ROW_NUMBER, false, AT(switch_cost), 0.001, 1000, 0 },
        { "clean", "clean", ROW_SWITCH, false, AT(clean), 0, 0, 0 },
        { "rough", "rough", ROW_SWITCH, false, AT(rough), 0, 0, 0 },
        { "name", "name", ROW_TEXT, false, AT(name), 0, 0, 0 },
        { "format", "format", ROW_TEXT, false, AT(format), 0, 0, 0 },
    };
#undef AT
    *out = (stitch_body){ .from = -1, .to = -1, .leave = -1, .enter = -1, .clean = true };
    marey_status status = json_parse(data, count, &out->root, error);
    if (status == MAREY_OK) status = json_rows(out->root, JSON_ROWS(rows), out, error);
    if (status == MAREY_OK) status = check_stitch(out, error);
    if (status != MAREY_OK) stitch_body_free(out);
    /* The library takes zero for "not given"; so near is the same frame. */
    if (status == MAREY_OK && json_object_get(out->root, "within_s") && out->within_s == 0)
        out->within_s = 1e-9;
    return status;
}

void stitch_body_free(stitch_body *of)
{
    json_decref(of->root);
    of->root = NULL;
}

/* ---- loops -------------------------------------------------------------------------------------- */

marey_status cluster_loop_body_read(cluster_loop_body *out, const uint8_t *data, size_t count,
                                    marey_error *error)
{
#define AT(name) offsetof(cluster_loop_body, name)
    static const json_row rows[] = {
        { "cluster", "cluster", ROW_TEXT, true, AT(cluster), 0, 0, 0 },
        { "clip", "clip", ROW_CLIP, true, AT(clip), 0, 0, 0 },
        { "start", "start", ROW_FRAME, false, AT(start), 0, 0, 0 },
        { "end", "end", ROW_FRAME, false, AT(end), 0, 0, 0 },
        { "shortest_s", "shortest_s", ROW_NUMBER, false, AT(shortest_s), 0.001, 1e6, 0 },
        { "longest_s", "longest_s", ROW_NUMBER, false, AT(longest_s), 0.001, 1e6, 0 },
        { "in_place", "in_place", ROW_SWITCH, false, AT(in_place), 0, 0, 0 },
        { "clean", "clean", ROW_SWITCH, false, AT(clean), 0, 0, 0 },
        { "name", "name", ROW_TEXT, false, AT(name), 0, 0, 0 },
        { "format", "format", ROW_TEXT, false, AT(format), 0, 0, 0 },
    };
#undef AT
    *out = (cluster_loop_body){ .start = -1, .end = -1, .clean = true };
    marey_status status = json_parse(data, count, &out->root, error);
    if (status == MAREY_OK) status = json_rows(out->root, JSON_ROWS(rows), out, error);
    if (status == MAREY_OK && (out->start < 0) != (out->end < 0))
        status = json_refuse(error, "start and end of a loop come together");
    if (status == MAREY_OK && out->name && out->format)
        status = json_refuse(error, "name, or format: one of these");
    if (status != MAREY_OK) cluster_loop_body_free(out);
    return status;
}

void cluster_loop_body_free(cluster_loop_body *of)
{
    json_decref(of->root);
    of->root = NULL;
}
