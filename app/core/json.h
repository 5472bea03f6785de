/* json.h - writes JSON into a buffer, value by value. Commas and escapes are its work; matching
   brackets are the caller's. Read after buffer.h. */
#ifndef MAREY_TOOL_JSON_H
#define MAREY_TOOL_JSON_H

#include "buffer.h"

typedef struct json {
    buffer *out;
    bool comma; /* a value stands before the next one */
} json;

static inline json json_make(buffer *out)
{
    return (json){ .out = out };
}

/* `key` is NULL for values of an array and for the outermost one; keys are written as they are. */
void json_open(json *out, const char *key, char bracket); /* '{' or '[' */
void json_close(json *out, char bracket);                 /* '}' or ']' */

/* Bytes that are no UTF-8 become U+FFFD. NULL is written as null. */
void json_put_string(json *out, const char *key, const char *value);
void json_put_integer(json *out, const char *key, int64_t value);
void json_put_boolean(json *out, const char *key, bool value);
void json_put_null(json *out, const char *key);

/* The fewest digits that read back as the same double; null for infinities and NaN. */
void json_put_number(json *out, const char *key, double value);

/* Arrays. */
void json_put_numbers(json *out, const char *key, const double *values, int count);
void json_put_texts(json *out, const char *key, const char *const *values, int count);

/* A value that is JSON already. */
void json_put_value(json *out, const char *key, const char *text);

/* An array whose values were put together elsewhere, without its brackets. */
void json_put_array_of(json *out, const char *key, const buffer *values);

#endif
