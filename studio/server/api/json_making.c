/* json_making.c - the fields of a body that asks for motion made of clips: parts of clips, weights, how it is made. */
#include "json_inside.h"

#include <math.h>
#include <string.h>

enum { MOST_SLOPE = 8 };

/* ---- parts of clips ----------------------------------------------------------------------------- */

static marey_status read_part(const json_t *value, body_part *out, marey_error *error)
{
    const json_t *start = json_object_get(value, "start"), *end = json_object_get(value, "end");
    size_t known = 1 + (start != NULL) + (end != NULL);
    *out = (body_part){ .end = -1 };
    if (!json_is_object(value) || json_object_size(value) != known) {
        return json_refuse(error, "each of clips must be an object of id and perhaps start, end");
    }
    marey_status status =
        json_clip(json_object_get(value, "id"), "the id of each of clips", &out->id, error);
    if (status == MAREY_OK && start) {
        status = json_frame(start, "the start of each of clips", &out->start, error);
    }
    if (status == MAREY_OK && end) {
        status = json_frame(end, "the end of each of clips", &out->end, error);
    }
    return status;
}

static marey_status read_parts(json_body *to, const json_t *value, marey_error *error)
{
    size_t count = json_array_size(value); /* 0 if it is no array */
    if (count < 2 || count > JSON_BODY_PARTS) {
        return json_refuse(error, "clips must be a list of 2 to %d objects", JSON_BODY_PARTS);
    }
    for (size_t i = 0; i < count; i++) {
        marey_status status = read_part(json_array_get(value, i), &to->parts[i], error);
        if (status != MAREY_OK) return status;
    }
    to->part_count = (int)count;
    return MAREY_OK;
}

/* ---- weights ------------------------------------------------------------------------------------ */

static bool read_numbers(const json_t *list, int count, double *out)
{
    for (int i = 0; i < count; i++) {
        const json_t *value = json_array_get(list, (size_t)i);
        out[i] = json_number_value(value);
        if (!json_is_number(value) || !(fabs(out[i]) <= 1e12)) return false;
    }
    return true;
}

static marey_status read_weights(json_body *to, const json_t *value, marey_error *error)
{
    size_t count = json_array_size(value);
    if (count < 2 || count > JSON_BODY_WEIGHTS || !read_numbers(value, (int)count, to->weights)) {
        return json_refuse(error, "weights must be a list of numbers, one of each clip");
    }
    to->weight_count = (int)count;
    return MAREY_OK;
}

static marey_status read_keys(json_body *to, const json_t *value, marey_error *error)
{
    size_t count = json_array_size(value), width = json_array_size(json_array_get(value, 0));
    if (count < 1 || count > JSON_BODY_KEYS || width < 3 || width > 1 + JSON_BODY_WEIGHTS) {
        return json_refuse(error,
                           "keys must be a list of 1 to %d lists: the second, then a weight of "
                           "each clip",
                           JSON_BODY_KEYS);
    }
    to->keys = heap_resize(to->memory, NULL, 0, count * width * sizeof *to->keys);
    if (!to->keys) return json_fail_memory(error);
    to->key_count = (int)count;
    to->key_width = (int)width;
    for (size_t i = 0; i < count; i++) {
        const json_t *row = json_array_get(value, i);
        double *out = to->keys + i * width;
        if (json_array_size(row) != width || !read_numbers(row, (int)width, out)) {
            return json_refuse(error, "each of keys must be a list of %zu numbers, as the first is",
                               width);
        }
        if (i > 0 && !(out[0] > out[-(ptrdiff_t)width])) {
            return json_refuse(error, "the times of keys must rise, and do not at number %zu",
                               i + 1);
        }
    }
    return MAREY_OK;
}

/* ---- how it is made ----------------------------------------------------------------------------- */

static marey_status read_count(const json_t *value, const char *name, int most, int *out,
                               marey_error *error)
{
    json_int_t got = 0;
    marey_status status = json_whole(value, name, 1, most, &got, error);
    if (status == MAREY_OK) *out = (int)got;
    return status;
}

marey_status json_switch(const json_t *value, const char *name, bool *out, marey_error *error)
{
    if (!json_is_boolean(value)) return json_refuse(error, "%s must be true or false", name);
    *out = json_is_true(value);
    return MAREY_OK;
}

static marey_status read_method(json_body *to, const json_t *value, marey_error *error)
{
    const char *name = json_string_value(value);
    for (int m = 0; name && m < MAREY_BLEND_METHOD_COUNT; m++) {
        if (strcmp(marey_blend_method_name((marey_blend_method)m), name) != 0) continue;
        to->method = (marey_blend_method)m;
        return MAREY_OK;
    }
    return json_refuse(error, "method must be registered, untimed or linear");
}

marey_status json_making_field(json_body *to, unsigned field, const char *name, const json_t *value,
                               marey_error *error)
{
    switch (field) {
    case FIELD_PARTS: return read_parts(to, value, error);
    case FIELD_CURVE: return json_text(value, name, &to->curve, error);
    case FIELD_HALF: return read_count(value, name, MAREY_MOST_HALF, &to->half, error);
    case FIELD_SLOPE: return read_count(value, name, MOST_SLOPE, &to->slope, error);
    case FIELD_REFERENCE: return read_count(value, name, JSON_BODY_PARTS, &to->reference, error);
    case FIELD_PLACE: return read_count(value, name, JSON_BODY_WEIGHTS, &to->place, error);
    case FIELD_METHOD: return read_method(to, value, error);
    case FIELD_CLEAN: return json_switch(value, name, &to->clean, error);
    case FIELD_IN_PLACE: return json_switch(value, name, &to->in_place, error);
    case FIELD_WEIGHTS: return read_weights(to, value, error);
    default: return read_keys(to, value, error);
    }
}
