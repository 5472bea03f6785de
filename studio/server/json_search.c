/* json_search.c - a table for each body says what its fields must be. */
#include "json_search.h"

#include "json_inside.h"

#include <stddef.h>
#include <string.h>

/* ---- fields ------------------------------------------------------------------------------------- */

typedef enum row_kind {
    ROW_WHOLE, /* an int from least to most */
    ROW_NUMBER,
    ROW_FRAME,
    ROW_CLIP,
    ROW_TEXT,
    ROW_SWITCH,
    ROW_OWN /* read by a function, which gets the whole */
} row_kind;

typedef struct json_row {
    const char *name, *called; /* in the body, and in a refusal */
    row_kind kind;
    bool needed;
    size_t at; /* where in the struct */
    double least, most;
    marey_status (*read)(void *to, json_t *value, marey_error *error);
} json_row;

static marey_status read_number(const json_t *value, const json_row *row, double *out,
                                marey_error *error)
{
    double got = json_number_value(value);
    if (!json_is_number(value) || !(got >= row->least && got <= row->most)) {
        return json_refuse(error, "%s must be a number from %g to %g", row->called, row->least,
                           row->most);
    }
    *out = got;
    return MAREY_OK;
}

static marey_status read_whole(const json_t *value, const json_row *row, int *out,
                               marey_error *error)
{
    json_int_t got = 0;
    marey_status status =
        json_whole(value, row->called, (json_int_t)row->least, (json_int_t)row->most, &got, error);
    if (status == MAREY_OK) *out = (int)got;
    return status;
}

static marey_status read_row(json_t *value, const json_row *row, void *to, marey_error *error)
{
    void *at = (char *)to + row->at;
    switch (row->kind) {
    case ROW_WHOLE: return read_whole(value, row, at, error);
    case ROW_NUMBER: return read_number(value, row, at, error);
    case ROW_FRAME: return json_frame(value, row->called, at, error);
    case ROW_CLIP: return json_clip(value, row->called, at, error);
    case ROW_TEXT: return json_text(value, row->called, at, error);
    case ROW_SWITCH: return json_switch(value, row->called, at, error);
    case ROW_OWN: break;
    }
    return row->read(to, value, error);
}

/* Every field of an object by its row, and no other. */
static marey_status read_rows(json_t *object, const json_row *rows, int count, void *to,
                              marey_error *error)
{
    const char *name;
    json_t *value;
    json_object_foreach(object, name, value)
    {
        int i = 0;
        while (i < count && strcmp(rows[i].name, name) != 0) i++;
        if (i == count) return json_refuse_field(name, error);
        marey_status status = read_row(value, &rows[i], to, error);
        if (status != MAREY_OK) return status;
    }
    for (int i = 0; i < count; i++) {
        if (!rows[i].needed || json_object_get(object, rows[i].name)) continue;
        return json_refuse(error, "%s is missing", rows[i].called);
    }
    return MAREY_OK;
}

#define ROWS(rows) rows, (int)(sizeof(rows) / sizeof *(rows))

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
    return read_rows(value, ROWS(rows), to, error);
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
    if (status == MAREY_OK) status = read_rows(to.root, ROWS(rows), &to, error);
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
    if (status == MAREY_OK) status = read_rows(root, ROWS(rows), &to, error);
    if (status == MAREY_OK) *out = to;
    json_decref(root);
    return status;
}

/* ---- cuts --------------------------------------------------------------------------------------- */

static marey_status read_cut(json_t *value, body_cut *out, marey_error *error)
{
    static const json_row rows[] = {
        { "clip", "the clip of a cut", ROW_CLIP, true, offsetof(body_cut, clip), 0, 0, 0 },
        { "start", "the start of a cut", ROW_FRAME, true, offsetof(body_cut, start), 0, 0, 0 },
        { "end", "the end of a cut", ROW_FRAME, true, offsetof(body_cut, end), 0, 0, 0 },
        { "name", "the name of a cut", ROW_TEXT, true, offsetof(body_cut, name), 0, 0, 0 },
    };
    if (!json_is_object(value)) {
        return json_refuse(error, "each of cuts must be an object of clip, start, end and name");
    }
    return read_rows(value, ROWS(rows), out, error);
}

static marey_status read_cuts(void *to, json_t *value, marey_error *error)
{
    cuts_body *of = to;
    size_t count = json_array_size(value); /* 0 if it is no array */
    if (count == 0 || count > JSON_SEARCH_CUTS) {
        return json_refuse(error, "cuts must be a list of 1 to %d objects", JSON_SEARCH_CUTS);
    }
    of->cuts = heap_resize(of->memory, NULL, 0, count * sizeof *of->cuts);
    if (!of->cuts) return json_fail_memory(error);
    of->cut_count = (int)count;
    for (size_t i = 0; i < count; i++) {
        marey_status status = read_cut(json_array_get(value, i), &of->cuts[i], error);
        if (status != MAREY_OK) return status;
    }
    return MAREY_OK;
}

static marey_status read_labels(void *to, json_t *value, marey_error *error)
{
    cuts_body *of = to;
    return json_labels(value, "labels", of->labels, &of->label_count, error);
}

static marey_status read_source_labels(void *to, json_t *value, marey_error *error)
{
    cuts_body *of = to;
    return json_labels(value, "source_labels", of->source_labels, &of->source_label_count, error);
}

marey_status cuts_body_read(cuts_body *out, heap *memory, const uint8_t *data, size_t count,
                            marey_error *error)
{
    static const json_row rows[] = {
        { "cuts", "cuts", ROW_OWN, true, 0, 0, 0, read_cuts },
        { "labels", "labels", ROW_OWN, false, 0, 0, 0, read_labels },
        { "source_labels", "source_labels", ROW_OWN, false, 0, 0, 0, read_source_labels },
    };
    cuts_body to = { .memory = memory };
    marey_status status = json_parse(data, count, &to.root, error);
    if (status == MAREY_OK) status = read_rows(to.root, ROWS(rows), &to, error);
    if (status == MAREY_OK) {
        *out = to;
    } else {
        cuts_body_free(&to);
    }
    return status;
}

void cuts_body_free(cuts_body *of)
{
    heap_resize(of->memory, of->cuts, (size_t)of->cut_count * sizeof *of->cuts, 0);
    json_decref(of->root);
    *of = (cuts_body){ .memory = of->memory };
}
