/* json_families.c - a table for each body says what its fields must be. */
#include "json_families.h"

#include "json_rows.h"

#include <math.h>
#include <stddef.h>

/* ---- building ----------------------------------------------------------------------------------- */

static marey_status read_features(void *to, json_t *value, marey_error *error)
{
    family_body *of = to;
    size_t count = json_array_size(value); /* 0 if it is no array */
    if (count == 0 || count > MAREY_MOST_PARAMS) {
        return json_refuse(error, "features must be a list of 1 to %d texts", MAREY_MOST_PARAMS);
    }
    for (size_t i = 0; i < count; i++) {
        marey_status status = json_text(json_array_get(value, i), "each of features",
                                        &of->features[of->feature_count++], error);
        if (status != MAREY_OK) return status;
    }
    return MAREY_OK;
}

static marey_status read_part(json_t *value, body_part *out, marey_error *error)
{
    static const json_row rows[] = {
        { "clip", "the clip of a part", ROW_CLIP, true, offsetof(body_part, id), 0, 0, 0 },
        { "start", "the start of a part", ROW_FRAME, false, offsetof(body_part, start), 0, 0, 0 },
        { "end", "the end of a part", ROW_FRAME, false, offsetof(body_part, end), 0, 0, 0 },
    };
    *out = (body_part){ .end = -1 };
    if (!json_is_object(value)) {
        return json_refuse(error, "each of parts must be an object of clip and perhaps start, end");
    }
    return json_rows(value, JSON_ROWS(rows), out, error);
}

static marey_status read_parts(void *to, json_t *value, marey_error *error)
{
    family_body *of = to;
    size_t count = json_array_size(value);
    if (count < 2 || count > JSON_FAMILY_PARTS) {
        return json_refuse(error, "parts must be a list of 2 to %d objects", JSON_FAMILY_PARTS);
    }
    for (size_t i = 0; i < count; i++) {
        marey_status status =
            read_part(json_array_get(value, i), &of->parts[of->part_count++], error);
        if (status != MAREY_OK) return status;
    }
    return MAREY_OK;
}

static marey_status read_matches(void *to, json_t *value, marey_error *error)
{
    family_body *of = to;
    size_t count = json_array_size(value);
    if (count < 2 || count > JSON_FAMILY_PARTS) {
        return json_refuse(error, "matches must be a list of 2 to %d numbers", JSON_FAMILY_PARTS);
    }
    for (size_t i = 0; i < count; i++) {
        marey_status status = json_frame(json_array_get(value, i), "each of matches",
                                         &of->matches[of->match_count++], error);
        if (status != MAREY_OK) return status;
    }
    return MAREY_OK;
}

static marey_status check_examples(const family_body *of, marey_error *error)
{
    if ((of->part_count > 0) == (of->search > 0)) {
        return json_refuse(error, "name the parts of clips, or a search: one of these");
    }
    if (of->match_count > 0 && of->search == 0) {
        return json_refuse(error, "matches are those of a search, whose number is missing");
    }
    return MAREY_OK;
}

/* What the library takes for "not given" was given: said in another way. */
static void keep_zeros(family_body *of)
{
    if (json_object_get(of->root, "samples") && of->samples == 0) of->samples = -1;
    if (json_object_get(of->root, "delta") && of->delta == 0) of->delta = -1;
}

marey_status family_body_read(family_body *out, const uint8_t *data, size_t count,
                              marey_error *error)
{
#define AT(name) offsetof(family_body, name)
    static const json_row rows[] = {
        { "name", "name", ROW_TEXT, true, AT(name), 0, 0, 0 },
        { "features", "features", ROW_OWN, true, 0, 0, 0, read_features },
        { "parts", "parts", ROW_OWN, false, 0, 0, 0, read_parts },
        { "search", "search", ROW_CLIP, false, AT(search), 0, 0, 0 },
        { "matches", "matches", ROW_OWN, false, 0, 0, 0, read_matches },
        { "samples", "samples", ROW_WHOLE, false, AT(samples), 0, JSON_FAMILY_SAMPLES, 0 },
        { "delta", "delta", ROW_NUMBER, false, AT(delta), 0, 1, 0 },
        { "grow", "grow", ROW_NUMBER, false, AT(grow), 0.001, 10, 0 },
        { "examine", "examine", ROW_SWITCH, false, AT(examine), 0, 0, 0 },
    };
#undef AT
    *out = (family_body){ .examine = true };
    marey_status status = json_parse(data, count, &out->root, error);
    if (status == MAREY_OK) status = json_rows(out->root, JSON_ROWS(rows), out, error);
    if (status == MAREY_OK) status = check_examples(out, error);
    if (status == MAREY_OK) {
        keep_zeros(out);
    } else {
        family_body_free(out);
    }
    return status;
}

void family_body_free(family_body *of)
{
    json_decref(of->root);
    of->root = NULL;
}

/* ---- asking ------------------------------------------------------------------------------------- */

static marey_status read_at(void *to, json_t *value, marey_error *error)
{
    member_body *of = to;
    size_t count = json_array_size(value);
    if (count == 0 || count > MAREY_MOST_PARAM_DIMS) {
        return json_refuse(error, "at must be a list of numbers, one for each of the family's");
    }
    for (size_t i = 0; i < count; i++) {
        const json_t *one = json_array_get(value, i);
        of->at[i] = json_number_value(one);
        if (!json_is_number(one) || !(fabs(of->at[i]) <= 1e9)) {
            return json_refuse(error, "each of at must be a number from -1e9 to 1e9");
        }
    }
    of->at_count = (int)count;
    return MAREY_OK;
}

marey_status member_body_read(member_body *out, bool file, const uint8_t *data, size_t count,
                              marey_error *error)
{
#define AT(name) offsetof(member_body, name)
    static const json_row rows[] = {
        { "family", "family", ROW_TEXT, true, AT(family), 0, 0, 0 },
        { "at", "at", ROW_OWN, true, 0, 0, 0, read_at },
        { "clean", "clean", ROW_SWITCH, false, AT(clean), 0, 0, 0 },
        { "table", "table", ROW_SWITCH, false, AT(table), 0, 0, 0 },
        { "name", "name", ROW_TEXT, false, AT(name), 0, 0, 0 },
    };
    static const json_row file_rows[] = {
        { "family", "family", ROW_TEXT, true, AT(family), 0, 0, 0 },
        { "at", "at", ROW_OWN, true, 0, 0, 0, read_at },
        { "clean", "clean", ROW_SWITCH, false, AT(clean), 0, 0, 0 },
        { "table", "table", ROW_SWITCH, false, AT(table), 0, 0, 0 },
        { "format", "format", ROW_TEXT, true, AT(format), 0, 0, 0 },
    };
#undef AT
    *out = (member_body){ .clean = true };
    marey_status status = json_parse(data, count, &out->root, error);
    if (status == MAREY_OK) {
        status =
            json_rows(out->root, file ? file_rows : rows, sizeof rows / sizeof *rows, out, error);
    }
    if (status != MAREY_OK) member_body_free(out);
    return status;
}

void member_body_free(member_body *of)
{
    json_decref(of->root);
    of->root = NULL;
}
