/* json.c - JSON after RFC 8259. */
#include "json.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void begin(json *out, const char *key)
{
    if (out->comma) buffer_byte(out->out, ',');
    if (key) { /* keys are ours and need no escapes */
        buffer_byte(out->out, '"');
        buffer_text(out->out, key);
        buffer_text(out->out, "\":");
    }
    out->comma = true;
}

void json_open(json *out, const char *key, char bracket)
{
    begin(out, key);
    buffer_byte(out->out, bracket);
    out->comma = false;
}

void json_close(json *out, char bracket)
{
    buffer_byte(out->out, bracket);
    out->comma = true;
}

/* How many bytes the character at s takes, or 0 if it is no UTF-8: a stray or missing continuation,
   an overlong form, a surrogate, or beyond U+10FFFF (RFC 3629, section 4). */
static size_t character_length(const unsigned char *s)
{
    unsigned char low = 0x80, high = 0xbf;
    size_t length = s[0] < 0x80 ? 1 : s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
    if (length < 2) return length;
    if (s[0] > 0xf4) return 0;
    if (s[0] == 0xe0) low = 0xa0;
    if (s[0] == 0xed) high = 0x9f;
    if (s[0] == 0xf0) low = 0x90;
    if (s[0] == 0xf4) high = 0x8f;
    if (s[1] < low || s[1] > high) return 0;
    for (size_t i = 2; i < length; i++) {
        if ((s[i] & 0xc0) != 0x80) return 0;
    }
    return length;
}

void json_put_string(json *out, const char *key, const char *value)
{
    static const char plain[] = "\"\\\b\f\n\r\t", letters[] = "\"\\bfnrt";
    if (!value) {
        json_put_null(out, key);
        return;
    }
    begin(out, key);
    buffer_byte(out->out, '"');
    for (const unsigned char *s = (const unsigned char *)value; *s;) {
        const unsigned char *start = s;
        while (*s >= 0x20 && *s < 0x7f && *s != '"' && *s != '\\') s++;
        if (s > start) { /* most texts are plain */
            buffer_bytes(out->out, (const char *)start, (size_t)(s - start));
            continue;
        }
        size_t length = character_length(s);
        if (*s < 0x20 || *s == '"' || *s == '\\' || *s == 0x7f) {
            const char *found = strchr(plain, *s);
            if (found)
                buffer_print(out->out, "\\%c", letters[found - plain]);
            else
                buffer_print(out->out, "\\u%04x", (unsigned)*s);
        } else if (length == 0) {
            buffer_text(out->out, "\xef\xbf\xbd");
            length = 1;
        } else {
            buffer_bytes(out->out, (const char *)s, length);
        }
        s += length;
    }
    buffer_byte(out->out, '"');
}

void json_put_integer(json *out, const char *key, int64_t value)
{
    begin(out, key);
    buffer_print(out->out, "%" PRId64, value);
}

void json_put_boolean(json *out, const char *key, bool value)
{
    begin(out, key);
    buffer_text(out->out, value ? "true" : "false");
}

void json_put_null(json *out, const char *key)
{
    begin(out, key);
    buffer_text(out->out, "null");
}

void json_put_number(json *out, const char *key, double value)
{
    char digits[40];
    if (!isfinite(value)) {
        json_put_null(out, key);
        return;
    }
    begin(out, key);
    /* 60 rather than the shorter 6e+01: exponents only where people would write them. Any decimal of
       up to 15 digits survives the way through a double, so that one of them, if it is the value, is
       found at once: %g leaves its zeros out. The tiniest doubles have fewer digits. */
    enum { SURE = 15, MOST = 17 };
    bool is_plain = fabs(value) >= 1e-4 && fabs(value) < 1e15;
    for (int precision = fabs(value) < 1e-300 ? 1 : SURE; precision <= MOST; precision++) {
        snprintf(digits, sizeof digits, "%.*g", precision, value);
        if (strtod(digits, NULL) == value && !(is_plain && strchr(digits, 'e'))) break;
    }
    buffer_text(out->out, digits);
}

void json_put_value(json *out, const char *key, const char *text)
{
    begin(out, key);
    buffer_text(out->out, text);
}

void json_put_array_of(json *out, const char *key, const buffer *values)
{
    json_open(out, key, '[');
    if (values->failed) out->out->failed = true;
    buffer_bytes(out->out, values->bytes, values->used);
    json_close(out, ']');
}

void json_put_numbers(json *out, const char *key, const double *values, int count)
{
    json_open(out, key, '[');
    for (int i = 0; i < count; i++) json_put_number(out, NULL, values[i]);
    json_close(out, ']');
}

void json_put_texts(json *out, const char *key, const char *const *values, int count)
{
    json_open(out, key, '[');
    for (int i = 0; i < count; i++) json_put_string(out, NULL, values[i]);
    json_close(out, ']');
}
