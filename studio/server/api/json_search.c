/* json_search.c - a table for each body says what its fields must be. */
#include "json_search.h"

#include "json_rows.h"

#include <stddef.h>

/* ---- a search ----------------------------------------------------------------------------------- */

static marey_status read_query(void *to, json_t *value, marey_error *error)
{
    static const json_row rows[] = {
        { "clip", "the clip of the query", ROW_CLIP, true, offsetof(search_body, clip), 0, 0, 0 },
        { "start", "the start of the query", ROW_FRAME, true, offsetof(search_body, start), 0, 0,
          0 },
        { "end", "the end of the query", ROW_FRAME, true, offsetof(search_body, end), 0, 0, 0 },
    };
    if (!json_is_object(value)) {
        return json_refuse(error, "query must be an object of clip, start and end");
    }
    return json_rows(value, JSON_ROWS(rows), to, error);
}

static marey_status read_clips(void *to, json_t *value, marey_error *error)
{
    search_body *of = to;
    return json_clips(of->memory, value, &of->clips, &of->clip_count, error);
}

/* What the library takes for "not given" was given: said in another way. */
static void keep_zeros(search_body *of)
{
    marey_search_def *search = &of->search;
    if (json_object_get(of->root, "distinct") && search->distinct == 0) search->distinct = 1e-12;
    if (json_object_get(of->root, "loose") && search->loose == 0) search->loose = -1;
}

marey_status search_body_read(search_body *out, heap *memory, const uint8_t *data, size_t count,
                              marey_error *error)
{
#define SEARCH(name) offsetof(search_body, search) + offsetof(marey_search_def, name)
    static const json_row rows[] = {
        { "query", "query", ROW_OWN, true, 0, 0, 0, read_query },
        { "threshold", "threshold", ROW_NUMBER, false, SEARCH(threshold), 1e-9, 1e12, 0 },
        { "label", "label", ROW_TEXT, false, offsetof(search_body, label), 0, 0, 0 },
        { "clips", "clips", ROW_OWN, false, 0, 0, 0, read_clips },
        { "tiers", "tiers", ROW_WHOLE, false, SEARCH(tiers), 1, JSON_SEARCH_TIERS, 0 },
        { "limit", "limit", ROW_WHOLE, false, SEARCH(limit), 1, JSON_SEARCH_LIMIT, 0 },
        { "same", "same", ROW_NUMBER, false, SEARCH(same), 1e-9, 1, 0 },
        { "distinct", "distinct", ROW_NUMBER, false, SEARCH(distinct), 0, 1, 0 },
        { "loose", "loose", ROW_NUMBER, false, SEARCH(loose), 0, 0.5, 0 },
    };
#undef SEARCH
    search_body to = { .memory = memory };
    marey_status status = json_parse(data, count, &to.root, error);
    if (status == MAREY_OK) status = json_rows(to.root, JSON_ROWS(rows), &to, error);
    if (status == MAREY_OK) {
        keep_zeros(&to);
        *out = to;
    } else {
        search_body_free(&to);
    }
    return status;
}

void search_body_free(search_body *of)
{
    heap_resize(of->memory, of->clips, (size_t)of->clip_count * sizeof *of->clips, 0);
    json_decref(of->root);
    *of = (search_body){ .memory = of->memory };
}

/* ---- the index ---------------------------------------------------------------------------------- */

static marey_status read_metric(void *to, json_t *value, marey_error *error)
{
    const char *name = json_string_value(value);
    const marey_metric *metric = name ? marey_metric_named(name) : NULL;
    if (!metric) return json_refuse(error, "metric must be the name of one: GET /api/metrics");
    ((index_body *)to)->metric = metric;
    return MAREY_OK;
}

marey_status index_body_read(index_body *out, const uint8_t *data, size_t count, marey_error *error)
{
    static const json_row rows[] = {
        { "fps", "fps", ROW_NUMBER, false, offsetof(index_body, fps), 1, 1000, 0 },
        { "metric", "metric", ROW_OWN, false, 0, 0, 0, read_metric },
        { "rebuild", "rebuild", ROW_SWITCH, false, offsetof(index_body, rebuild), 0, 0, 0 },
    };
    index_body to = { .fps = 0 };
    json_t *root = NULL;
    marey_status status = json_parse(data, count, &root, error);
    if (status == MAREY_OK) status = json_rows(root, JSON_ROWS(rows), &to, error);
    if (status == MAREY_OK) *out = to;
    json_decref(root);
    return status;
}
