/* example_body.c - a table says what the fields must be. */
#include "example_body.h"

#include "json_rows.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

static const double largest_value = 1e9; /* degrees or cm */

/* ---- degrees of freedom ------------------------------------------------------------------------- */

static marey_status read_dof(example_body *of, const json_t *value, marey_error *error)
{
    marey_dof found[MAREY_MOST_DOFS];
    const char *text = json_string_value(value);
    int count = 0;
    if (!text) return json_refuse(error, "each of dofs must be a text, as LeftLeg.Xrotation");
    marey_status status = marey_dofs_parse(text, found, &count, error);
    if (status != MAREY_OK) return status;
    if (count != 1) return json_refuse(error, "each of dofs must be one joint's channel");
    of->dofs[of->dof_count] = found[0];
    of->dof_texts[of->dof_count++] = text;
    return MAREY_OK;
}

static marey_status read_dofs(void *to, json_t *value, marey_error *error)
{
    example_body *of = to;
    size_t count = json_array_size(value);
    marey_status status = MAREY_OK;
    if (count < 1 || count > MAREY_MOST_DOFS)
        return json_refuse(error, "dofs must be a list of 1 to %d texts", MAREY_MOST_DOFS);
    for (size_t i = 0; i < count && status == MAREY_OK; i++)
        status = read_dof(of, json_array_get(value, i), error);
    return status;
}

/* ---- a drawn curve ------------------------------------------------------------------------------ */

static marey_status read_row(example_body *of, int row, const json_t *value, marey_error *error)
{
    double *out = of->values + (size_t)row * (size_t)of->samples;
    bool fits = row == 0 || json_is_null(value) || json_array_size(value) == (size_t)of->samples;
    for (int i = 0; i < of->samples && fits; i++) {
        const json_t *one = json_array_get(value, (size_t)i);
        out[i] = json_is_null(value) ? (double)NAN : json_number_value(one);
        fits = json_is_null(value) || (json_is_number(one) && fabs(out[i]) <= largest_value);
    }
    if (fits) return MAREY_OK;
    return json_refuse(error,
                       "values must be rows of numbers, all of one length, or null in place of a "
                       "row that is not the first");
}

static marey_status read_values(void *to, json_t *value, marey_error *error)
{
    example_body *of = to;
    size_t rows = json_array_size(value), samples = json_array_size(json_array_get(value, 0));
    if (rows < 1 || rows > MAREY_MOST_DOFS)
        return json_refuse(error, "values must have a row for each of the dofs");
    if (samples < 2 || samples > EXAMPLE_BODY_SAMPLES)
        return json_refuse(error, "a row of values must have 2 to %d numbers",
                           EXAMPLE_BODY_SAMPLES);
    of->values = heap_resize(of->memory, NULL, 0, rows * samples * sizeof *of->values);
    if (!of->values) return json_fail_memory(error);
    of->rows = (int)rows;
    of->samples = (int)samples;
    marey_status status = MAREY_OK;
    for (int i = 0; i < of->rows && status == MAREY_OK; i++)
        status = read_row(of, i, json_array_get(value, (size_t)i), error);
    return status;
}

/* ---- the whole ---------------------------------------------------------------------------------- */

static marey_status read_clips(void *to, json_t *value, marey_error *error)
{
    example_body *of = to;
    return json_clips(of->memory, value, &of->clips, &of->clip_count, error);
}

static marey_status check_query(const example_body *of, marey_error *error)
{
    const json_t *root = of->root;
    bool drawn = of->values != NULL;
    if ((of->clip > 0) == drawn)
        return json_refuse(error, "the query is clip, or values: one of these");
    if (drawn && (json_object_get(root, "start") || json_object_get(root, "end")))
        return json_refuse(error, "start and end are for a query that is a clip");
    if (drawn != (json_object_get(root, "fps") != NULL))
        return json_refuse(error, drawn ? "fps is missing" : "fps is for a curve of values");
    if (drawn && of->others) return json_refuse(error, "others is for a query that is a clip");
    if (drawn && of->rows != of->dof_count)
        return json_refuse(error, "values must have a row for each of the %d dofs", of->dof_count);
    return MAREY_OK;
}

static marey_status check(example_body *of, marey_error *error)
{
    const json_t *root = of->root;
    marey_status status = check_query(of, error);
    if (status != MAREY_OK) return status;
    if (of->clip_count > 0 && of->label)
        return json_refuse(error, "name clips, or a label: one of these");
    if (of->of > 0 && json_object_get(root, "path"))
        return json_refuse(error, "path, or of: one of these");
    if (of->name && of->format) return json_refuse(error, "name, or format: one of these");
    /* The library takes zero for "not given". */
    if (json_object_get(root, "noise") && of->noise == 0) of->noise = -1;
    return MAREY_OK;
}

#define AT(name) offsetof(example_body, name)
#define EXAMPLE_ROWS                                                                               \
    { "dofs", "dofs", ROW_OWN, true, 0, 0, 0, read_dofs },                                         \
        { "clip", "clip", ROW_CLIP, false, AT(clip), 0, 0, 0 },                                    \
        { "start", "start", ROW_FRAME, false, AT(start), 0, 0, 0 },                                \
        { "end", "end", ROW_FRAME, false, AT(end), 0, 0, 0 },                                      \
        { "fps", "fps", ROW_NUMBER, false, AT(fps), 1, 1000, 0 },                                  \
        { "values", "values", ROW_OWN, false, 0, 0, 0, read_values },                              \
        { "k", "k", ROW_WHOLE, false, AT(k), 1, MAREY_EXAMPLE_MOST_K, 0 },                         \
        { "best", "best", ROW_WHOLE, false, AT(best), 1, MAREY_EXAMPLE_MOST_BEST, 0 },             \
        { "noise", "noise", ROW_NUMBER, false, AT(noise), 0, 10000, 0 },                           \
        { "shape", "shape", ROW_SWITCH, false, AT(shape), 0, 0, 0 },                               \
        { "others", "others", ROW_SWITCH, false, AT(others), 0, 0, 0 },                            \
        { "label", "label", ROW_TEXT, false, AT(label), 0, 0, 0 },                                 \
    {                                                                                              \
        "clips", "clips", ROW_OWN, false, 0, 0, 0, read_clips                                      \
    }

static marey_status read_rows(example_body *of, example_kind kind, marey_error *error)
{
    static const json_row find[] = {
        EXAMPLE_ROWS,
        { "limit", "limit", ROW_WHOLE, false, AT(limit), 0, EXAMPLE_BODY_CLIPS, 0 },
    };
    static const json_row make[] = {
        EXAMPLE_ROWS,
        { "path", "path", ROW_WHOLE, false, AT(path), 0, MAREY_EXAMPLE_MOST_BEST - 1, 0 },
        { "of", "of", ROW_CLIP, false, AT(of), 0, 0, 0 },
        { "own_pace", "own_pace", ROW_SWITCH, false, AT(own_pace), 0, 0, 0 },
        { "clean", "clean", ROW_SWITCH, false, AT(clean), 0, 0, 0 },
        { "rough", "rough", ROW_SWITCH, false, AT(rough), 0, 0, 0 },
        { "name", "name", ROW_TEXT, false, AT(name), 0, 0, 0 },
        { "format", "format", ROW_TEXT, false, AT(format), 0, 0, 0 },
        { "limit", "limit", ROW_WHOLE, false, AT(limit), 0, EXAMPLE_BODY_CLIPS, 0 },
    };
    static const json_row take[] = {
        EXAMPLE_ROWS,
        { "take", "take", ROW_WHOLE, false, AT(take), 1, EXAMPLE_BODY_CLIPS, 0 },
    };
    if (kind == EXAMPLE_FIND) return json_rows(of->root, JSON_ROWS(find), of, error);
    if (kind == EXAMPLE_MAKE) return json_rows(of->root, JSON_ROWS(make), of, error);
    return json_rows(of->root, JSON_ROWS(take), of, error);
}
#undef AT

static marey_status fill(example_body *of, example_kind kind, marey_error *error)
{
    marey_status status = read_rows(of, kind, error);
    if (status == MAREY_OK) status = check(of, error);
    if (status != MAREY_OK) example_body_free(of);
    return status;
}

static example_body empty(heap *memory)
{
    return (example_body){ .memory = memory, .end = -1, .limit = 50, .take = 5, .clean = true };
}

marey_status example_body_read(example_body *out, heap *memory, example_kind kind,
                               const uint8_t *data, size_t count, marey_error *error)
{
    *out = empty(memory);
    marey_status status = json_parse(data, count, &out->root, error);
    return status == MAREY_OK ? fill(out, kind, error) : status;
}

marey_status example_body_take(example_body *out, heap *memory, json_t *value, marey_error *error)
{
    *out = empty(memory);
    if (!json_is_object(value))
        return json_refuse(error, "example must be an object, as for POST /api/example");
    out->root = json_incref(value);
    return fill(out, EXAMPLE_TAKE, error);
}

void example_body_free(example_body *of)
{
    size_t values = (size_t)of->rows * (size_t)of->samples * sizeof *of->values;
    size_t clips = (size_t)of->clip_count * sizeof *of->clips;
    if (of->values) heap_resize(of->memory, of->values, values, 0);
    if (of->clips) heap_resize(of->memory, of->clips, clips, 0);
    json_decref(of->root);
    *of = (example_body){ .memory = of->memory };
}
