/* json_body.c - jansson reads the JSON, a table says what each field must be. */
#include "json_inside.h"
#include "studio_limits.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* The library's own limit is 100,000,000 frames. */
enum { MOST_FRAMES = 100000000 };
static const json_int_t MOST_ID = 999999999999999; /* 15 digits, as in an address */

marey_status json_refuse(marey_error *error, const char *format, ...)
{
    va_list args;
    *error = (marey_error){ .status = MAREY_ERR_REQUEST };
    va_start(args, format);
    vsnprintf(error->message, sizeof error->message, format, args);
    va_end(args);
    return MAREY_ERR_REQUEST;
}

marey_status json_fail_memory(marey_error *error)
{
    *error = (marey_error){ .status = MAREY_ERR_MEMORY, .message = "out of memory" };
    return MAREY_ERR_MEMORY;
}

/* ---- kinds of fields ---------------------------------------------------------------------------- */

marey_status json_whole(const json_t *value, const char *name, json_int_t least, json_int_t most,
                        json_int_t *out, marey_error *error)
{
    json_int_t got = json_is_integer(value) ? json_integer_value(value) : least - 1;
    if (got < least || got > most) {
        return json_refuse(error,
                           "%s must be a whole number from %" JSON_INTEGER_FORMAT
                           " to %" JSON_INTEGER_FORMAT,
                           name, least, most);
    }
    *out = got;
    return MAREY_OK;
}

marey_status json_frame(const json_t *value, const char *name, int *out, marey_error *error)
{
    json_int_t got = 0;
    marey_status status = json_whole(value, name, 0, MOST_FRAMES, &got, error);
    if (status == MAREY_OK) *out = (int)got;
    return status;
}

marey_status json_clip(const json_t *value, const char *name, int64_t *out, marey_error *error)
{
    json_int_t got = 0;
    marey_status status = json_whole(value, name, 1, MOST_ID, &got, error);
    if (status == MAREY_OK) *out = got;
    return status;
}

marey_status json_text(const json_t *value, const char *name, const char **out, marey_error *error)
{
    if (!json_is_string(value)) return json_refuse(error, "%s must be a text", name);
    *out = json_string_value(value);
    return MAREY_OK;
}

marey_status json_switch(const json_t *value, const char *name, bool *out, marey_error *error)
{
    if (!json_is_boolean(value)) return json_refuse(error, "%s must be true or false", name);
    *out = json_is_true(value);
    return MAREY_OK;
}

marey_status json_kept_name(const char *name, const char *called, marey_error *error)
{
    size_t length = name ? strlen(name) : 1;
    bool fits = length > 0 && length < MAREY_NAME_ROOM;
    for (size_t i = 0; name && i < length; i++) {
        unsigned char c = (unsigned char)name[i];
        fits = fits && c >= 0x20 && c != 0x7f && c != '/' && c != '#';
    }
    if (fits) return MAREY_OK;
    return json_refuse(error, "%s has 1 to %d bytes and no '/', '#' or control character", called,
                       MAREY_NAME_ROOM - 1);
}

/* ---- the whole ---------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    unsigned field;
} fields[] = { { "clip", FIELD_CLIP },
               { "name", FIELD_NAME },
               { "format", FIELD_FORMAT },
               { "start", FIELD_START },
               { "end", FIELD_END } };

enum { FIELD_COUNT = sizeof fields / sizeof *fields };

static marey_status read_field(json_body *to, unsigned field, const char *name, const json_t *value,
                               marey_error *error)
{
    switch (field) {
    case FIELD_CLIP: return json_clip(value, name, &to->clip, error);
    case FIELD_NAME: return json_text(value, name, &to->name, error);
    case FIELD_FORMAT: return json_text(value, name, &to->format, error);
    case FIELD_START: return json_frame(value, name, &to->start, error);
    default: return json_frame(value, name, &to->end, error);
    }
}

/* The client chose the name. */
marey_status json_refuse_field(const char *name, marey_error *error)
{
    char shown[40];
    size_t i = 0;
    for (; name[i] && i < sizeof shown - 1; i++) {
        shown[i] = name[i] >= 0x20 && name[i] < 0x7f ? name[i] : '?';
    }
    shown[i] = 0;
    return json_refuse(error, "there is no field \"%s\" here", shown);
}

static marey_status read_fields(json_body *to, unsigned needed, unsigned allowed,
                                marey_error *error)
{
    const char *name;
    json_t *value;
    json_object_foreach(to->root, name, value)
    {
        int i = 0;
        while (i < FIELD_COUNT &&
               (strcmp(fields[i].name, name) != 0 || !((needed | allowed) & fields[i].field))) {
            i++;
        }
        if (i == FIELD_COUNT) return json_refuse_field(name, error);
        marey_status status = read_field(to, fields[i].field, name, value, error);
        if (status != MAREY_OK) return status;
        to->given |= fields[i].field;
    }
    for (int i = 0; i < FIELD_COUNT; i++) {
        if (!(needed & fields[i].field & ~to->given)) continue;
        return json_refuse(error, "the field \"%s\" is missing", fields[i].name);
    }
    return MAREY_OK;
}

bool json_is_shallow(const char *text, size_t count, int most)
{
    bool inside = false; /* of a string */
    int depth = 0;
    for (size_t i = 0; i < count; i++) {
        if (inside && text[i] == '\\') {
            i++;
        } else if (text[i] == '"') {
            inside = !inside;
        } else if (!inside && (text[i] == '[' || text[i] == '{')) {
            if (++depth > most) return false;
        } else if (!inside && (text[i] == ']' || text[i] == '}')) {
            depth--;
        }
    }
    return true;
}

/* Each but the first is behind a comma or a bracket. */
static bool has_few_values(const char *text, size_t count, int most)
{
    bool inside = false; /* of a string */
    int values = 1;
    for (size_t i = 0; i < count && values <= most; i++) {
        if (inside && text[i] == '\\') {
            i++;
        } else if (text[i] == '"') {
            inside = !inside;
        } else if (!inside && (text[i] == ',' || text[i] == '[' || text[i] == '{')) {
            values++;
        }
    }
    return values <= most;
}

/* jansson goes 2048 levels deep on the stack, and takes many times the memory of the text; this is looked at before, and costs
   nothing. */
marey_status json_parse(const uint8_t *data, size_t count, json_t **root, marey_error *error)
{
    json_error_t at;
    if (!json_is_shallow((const char *)data, count, LIMIT_JSON_DEPTH)) {
        return json_refuse(error, "the body is nested more than %d deep", LIMIT_JSON_DEPTH);
    }
    if (!has_few_values((const char *)data, count, LIMIT_JSON_VALUES)) {
        *error = (marey_error){ .status = MAREY_ERR_LIMIT };
        snprintf(error->message, sizeof error->message,
                 "the body has more than %d values; send less, or tables as CSV",
                 LIMIT_JSON_VALUES);
        return MAREY_ERR_LIMIT;
    }
    json_t *got = json_loadb(data ? (const char *)data : "", count, JSON_REJECT_DUPLICATES, &at);
    if (json_is_object(got)) {
        *root = got;
        return MAREY_OK;
    }
    bool is_json = got != NULL;
    json_decref(got);
    if (is_json) return json_refuse(error, "the body must be a JSON object");
    switch (json_error_code(&at)) {
    case json_error_out_of_memory: return json_fail_memory(error);
    case json_error_duplicate_key: return json_refuse(error, "the body has a field twice");
    case json_error_null_character:
        return json_refuse(error, "the body has a text with a zero byte");
    default:
        return json_refuse(error, "the body is no JSON, at line %d, column %d", at.line, at.column);
    }
}

marey_status json_body_read(json_body *out, heap *memory, const uint8_t *data, size_t count,
                            unsigned needed, unsigned allowed, marey_error *error)
{
    json_body to = { .memory = memory };
    marey_status status = json_parse(data, count, &to.root, error);
    if (status == MAREY_OK) status = read_fields(&to, needed, allowed, error);
    if (status == MAREY_OK) {
        *out = to;
    } else {
        json_body_free(&to);
    }
    return status;
}

void json_body_free(json_body *of)
{
    json_decref(of->root);
    *of = (json_body){ .memory = of->memory };
}
