/* json.c - JSON after RFC 8259. */
#include "json.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void begin(json *to, const char *key)
{
    if (to->comma) buffer_byte(to->out, ',');
    if (key) buffer_print(to->out, "\"%s\":", key);
    to->comma = true;
}

void json_open(json *to, const char *key, char bracket)
{
    begin(to, key);
    buffer_byte(to->out, bracket);
    to->comma = false;
}

void json_close(json *to, char bracket)
{
    buffer_byte(to->out, bracket);
    to->comma = true;
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

static void escape(buffer *out, unsigned char byte)
{
    static const char plain[] = "\"\\\b\f\n\r\t", letters[] = "\"\\bfnrt";
    const char *found = byte ? strchr(plain, byte) : NULL;
    if (found) {
        buffer_byte(out, '\\');
        buffer_byte(out, letters[found - plain]);
    } else {
        buffer_print(out, "\\u%04x", (unsigned)byte);
    }
}

void json_put_string(json *to, const char *key, const char *value)
{
    if (!value) {
        json_put_null(to, key);
        return;
    }
    begin(to, key);
    buffer_byte(to->out, '"');
    for (const unsigned char *s = (const unsigned char *)value; *s;) {
        size_t length = character_length(s);
        if (*s < 0x20 || *s == '"' || *s == '\\' || *s == 0x7f) {
            escape(to->out, *s);
        } else if (length == 0) {
            buffer_text(to->out, "\xef\xbf\xbd");
            length = 1;
        } else {
            buffer_bytes(to->out, (const char *)s, length);
        }
        s += length;
    }
    buffer_byte(to->out, '"');
}

void json_put_integer(json *to, const char *key, int64_t value)
{
    begin(to, key);
    buffer_print(to->out, "%" PRId64, value);
}

void json_put_boolean(json *to, const char *key, bool value)
{
    begin(to, key);
    buffer_text(to->out, value ? "true" : "false");
}

void json_put_null(json *to, const char *key)
{
    begin(to, key);
    buffer_text(to->out, "null");
}

void json_put_number(json *to, const char *key, double value)
{
    char digits[40];
    if (!isfinite(value)) {
        json_put_null(to, key);
        return;
    }
    begin(to, key);
    /* 60 rather than the shorter 6e+01: exponents only where people would write them. */
    bool is_plain = fabs(value) >= 1e-4 && fabs(value) < 1e15;
    for (int precision = 1; precision <= 17; precision++) {
        snprintf(digits, sizeof digits, "%.*g", precision, value);
        if (strtod(digits, NULL) == value && !(is_plain && strchr(digits, 'e'))) break;
    }
    buffer_text(to->out, digits);
}

void json_put_value(json *to, const char *key, const char *text)
{
    begin(to, key);
    buffer_text(to->out, text);
}

void json_put_array_of(json *to, const char *key, const buffer *values)
{
    json_open(to, key, '[');
    if (values->failed) to->out->failed = true;
    buffer_bytes(to->out, values->bytes, values->used);
    json_close(to, ']');
}

void json_put_numbers(json *to, const char *key, const double *values, int count)
{
    json_open(to, key, '[');
    for (int i = 0; i < count; i++) json_put_number(to, NULL, values[i]);
    json_close(to, ']');
}

void json_put_texts(json *to, const char *key, const char *const *values, int count)
{
    json_open(to, key, '[');
    for (int i = 0; i < count; i++) json_put_string(to, NULL, values[i]);
    json_close(to, ']');
}
