/* json_search.c - a table for each body says what its fields must be. */
#include "json_search.h"

#include "json_rows.h"

#include <stddef.h>

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
    return json_rows(value, JSON_ROWS(rows), out, error);
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
    if (status == MAREY_OK) status = json_rows(to.root, JSON_ROWS(rows), &to, error);
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
