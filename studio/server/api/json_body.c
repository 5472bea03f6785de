/* json_body.c - jansson reads the JSON; what it must not read is looked for before. */
#include "json_body.h"
#include "studio_limits.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

marey_status json_refuse(marey_error *error, const char *format, ...)
{
    va_list args;
    *error = (marey_error){ .status = MAREY_ERR_REQUEST };
    va_start(args, format);
    vsnprintf(error->message, sizeof error->message, format, args);
    va_end(args);
    return MAREY_ERR_REQUEST;
}

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

marey_status json_text(const json_t *value, const char *name, const char **out, marey_error *error)
{
    if (!json_is_string(value)) return json_refuse(error, "%s must be a text", name);
    *out = json_string_value(value);
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

/* The bounds are looked at before anything is parsed, and cost nothing. */
marey_status json_parse(const uint8_t *data, size_t count, json_t **root, marey_error *error)
{
    json_error_t at;
    const char *text = (const char *)data;
    if (!json_is_shallow(text, count, LIMIT_JSON_DEPTH))
        return json_refuse(error, "the body is nested more than %d deep", LIMIT_JSON_DEPTH);
    if (json_values(text, count, LIMIT_JSON_VALUES) > LIMIT_JSON_VALUES) {
        *error = (marey_error){ .status = MAREY_ERR_LIMIT };
        snprintf(error->message, sizeof error->message,
                 "the body has more than %d values; send less, or tables as CSV",
                 LIMIT_JSON_VALUES);
        return MAREY_ERR_LIMIT;
    }
    json_t *got = json_loadb(data ? text : "", count, JSON_REJECT_DUPLICATES, &at);
    if (json_is_object(got)) {
        *root = got;
        return MAREY_OK;
    }
    bool is_json = got != NULL;
    json_decref(got);
    if (is_json) return json_refuse(error, "the body must be a JSON object");
    switch (json_error_code(&at)) {
    case json_error_out_of_memory:
        *error = (marey_error){ .status = MAREY_ERR_MEMORY, .message = "out of memory" };
        return MAREY_ERR_MEMORY;
    case json_error_duplicate_key: return json_refuse(error, "the body has a field twice");
    case json_error_null_character:
        return json_refuse(error, "the body has a text with a zero byte");
    default:
        return json_refuse(error, "the body is no JSON, at line %d, column %d", at.line, at.column);
    }
}

marey_status json_parse_empty(const uint8_t *data, size_t count, marey_error *error)
{
    json_t *root = NULL;
    marey_status status = json_parse(data, count, &root, error);
    if (status == MAREY_OK && json_object_size(root) > 0) {
        /* The client chose the name. */
        const char *name = json_object_iter_key(json_object_iter(root));
        char shown[40];
        size_t i = 0;
        for (; name[i] && i < sizeof shown - 1; i++)
            shown[i] = name[i] >= 0x20 && name[i] < 0x7f ? name[i] : '?';
        shown[i] = 0;
        status = json_refuse(error, "there is no field \"%s\" here", shown);
    }
    json_decref(root);
    return status;
}
