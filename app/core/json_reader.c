/* json_reader.c - walking through JSON. */
#include "json_reader.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 64, LARGEST_FRAME = 100000000 };

json_reader json_reader_make(const buffer *text, const char *path, marey_error *error, void *user)
{
    return (json_reader){ .at = text->bytes,
                          .line_start = text->bytes,
                          .line = 1,
                          .path = path,
                          .error = error,
                          .user = user };
}

/* ---- where it is wrong ----------------------------------------------------------------------- */

bool json_wrong(json_reader *r, const char *format, ...)
{
    marey_error *error = r->error;
    va_list args;
    *error = (marey_error){ .status = MAREY_ERR_INPUT,
                            .line = r->line,
                            .column = r->at - r->line_start + 1 };
    snprintf(error->path, sizeof error->path, "%s", r->path);
    va_start(args, format);
    vsnprintf(error->message, sizeof error->message, format, args);
    va_end(args);
    return false;
}

bool json_expected(json_reader *r, const char *value)
{
    char shown[JSON_WORD] = "";
    size_t length = strcspn(r->at, " \t\r\n,:]}");
    if (!*r->at) return json_wrong(r, "expected %s, found the end of the file", value);
    if (length == 0) length = 1;
    if (length >= sizeof shown) length = sizeof shown - 1;
    memcpy(shown, r->at, length);
    return json_wrong(r, "expected %s, found %s", value, shown);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void skip_blanks(json_reader *r)
{
    for (;; r->at++) {
        if (*r->at == '\n') {
            r->line++;
            r->line_start = r->at + 1;
        } else if (*r->at != ' ' && *r->at != '\t' && *r->at != '\r') {
            return;
        }
    }
}

/* The sign if it is next, and the blanks behind it. */
bool json_takes(json_reader *r, char sign)
{
    skip_blanks(r);
    if (*r->at != sign) return false;
    r->at++;
    skip_blanks(r);
    return true;
}

static bool read_escape(json_reader *r)
{
    static const char hexadecimal[] = "0123456789abcdefABCDEF";
    r->at++;
    if (*r->at == 'u') {
        if (strspn(r->at + 1, hexadecimal) < 4) return json_wrong(r, "\\u needs four digits");
        r->at += 5;
        return true;
    }
    if (!*r->at || !strchr("\"\\/bfnrt", *r->at)) return json_wrong(r, "no such escape in JSON");
    r->at++;
    return true;
}

/* Keeps what fits; a word with escapes, or a longer one, matches no key. */
bool json_read_word(json_reader *r, char word[JSON_WORD])
{
    const char *start = r->at + 1;
    if (*r->at != '"') return json_expected(r, "a text in quotes");
    for (r->at++; *r->at != '"';) {
        if (!*r->at) return json_expected(r, "a closing quote");
        if ((unsigned char)*r->at < 0x20) return json_wrong(r, "a control character inside a text");
        if (*r->at != '\\') {
            r->at++;
        } else if (!read_escape(r)) {
            return false;
        }
    }
    size_t length = (size_t)(r->at - start);
    if (length >= JSON_WORD) length = JSON_WORD - 1;
    memcpy(word, start, length);
    word[length] = 0;
    r->at++;
    return true;
}

/* strtod alone would also take "inf", hexadecimal, a plus, and a zero in front. */
bool json_read_number(json_reader *r, double *out)
{
    const char *digits = r->at + (*r->at == '-');
    char *end = NULL;
    bool is_number = *digits >= '0' && *digits <= '9';
    if (is_number && *digits == '0') is_number = !strchr("0123456789xX", digits[1]) || !digits[1];
    if (!is_number) return json_expected(r, "a number");
    *out = strtod(r->at, &end);
    if (end[-1] == '.') return json_expected(r, "a number with digits behind its point");
    r->at = end;
    return true;
}

static bool skip_literal(json_reader *r)
{
    static const char *const words[] = { "null", "true", "false" };
    double number;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t length = strlen(words[i]);
        if (strncmp(r->at, words[i], length) != 0) continue;
        r->at += length;
        return true;
    }
    return strchr("-0123456789", *r->at) && *r->at ? json_read_number(r, &number)
                                                   : json_expected(r, "a value");
}

/* Calls member(r, key, user) behind every colon of an object, or before every value of an array
   (key NULL). */
bool json_each(json_reader *r, json_member *member, void *user)
{
    char close = *r->at == '{' ? '}' : ']', key[JSON_WORD];
    const char *next = close == '}' ? "a comma or }" : "a comma or ]";
    if (++r->depth > DEEPEST)
        return json_wrong(r, "more than %d brackets inside each other", DEEPEST);
    r->at++;
    bool goes_on = !json_takes(r, close);
    while (goes_on) {
        if (close == '}') {
            if (!json_read_word(r, key)) return false;
            if (!json_takes(r, ':')) return json_expected(r, "a colon");
        }
        if (!member(r, close == '}' ? key : NULL, user)) return false;
        if (json_takes(r, close)) break;
        if (!json_takes(r, ',')) return json_expected(r, next);
    }
    r->depth--;
    return true;
}

static bool skip_member(json_reader *r, const char *key, void *user)
{
    (void)key;
    (void)user;
    return json_skip(r);
}

bool json_skip(json_reader *r)
{
    char word[JSON_WORD];
    if (*r->at == '{' || *r->at == '[') return json_each(r, skip_member, NULL);
    return *r->at == '"' ? json_read_word(r, word) : skip_literal(r);
}

/* ---- what is looked for ---------------------------------------------------------------------- */

/* As UTF-8. A half of a pair alone is no character. */
static bool put_character(json_reader *r, buffer *out, unsigned code)
{
    if (code >= 0xd800 && code < 0xe000) return json_wrong(r, "half a pair of \\u escapes");
    if (code < 0x80) {
        buffer_byte(out, (char)code);
    } else if (code < 0x800) {
        buffer_byte(out, (char)(0xc0 | code >> 6));
        buffer_byte(out, (char)(0x80 | (code & 0x3f)));
    } else if (code < 0x10000) {
        buffer_byte(out, (char)(0xe0 | code >> 12));
        buffer_byte(out, (char)(0x80 | (code >> 6 & 0x3f)));
        buffer_byte(out, (char)(0x80 | (code & 0x3f)));
    } else {
        buffer_byte(out, (char)(0xf0 | code >> 18));
        buffer_byte(out, (char)(0x80 | (code >> 12 & 0x3f)));
        buffer_byte(out, (char)(0x80 | (code >> 6 & 0x3f)));
        buffer_byte(out, (char)(0x80 | (code & 0x3f)));
    }
    return true;
}

static unsigned read_hexadecimal(const char *at)
{
    char digits[5] = { at[0], at[1], at[2], at[3], 0 };
    return (unsigned)strtoul(digits, NULL, 16);
}

/* Escapes were found sound before. */
static bool put_escape(json_reader *r, const char **at, buffer *out)
{
    static const char names[] = "bfnrt", values[] = "\b\f\n\r\t";
    const char *name = strchr(names, (*at)[1]);
    if ((*at)[1] != 'u') {
        buffer_byte(out, name ? values[name - names] : (*at)[1]);
        *at += 2;
        return true;
    }
    unsigned code = read_hexadecimal(*at + 2);
    *at += 6;
    if (code >= 0xd800 && code < 0xdc00 && (*at)[0] == '\\' && (*at)[1] == 'u') {
        unsigned low = read_hexadecimal(*at + 2);
        if (low >= 0xdc00 && low < 0xe000) {
            code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
            *at += 6;
        }
    }
    return put_character(r, out, code);
}

bool json_read_text(json_reader *r, char *out, size_t room)
{
    char word[JSON_WORD];
    json_reader before = *r;
    buffer text = buffer_fixed(out, room - 1);
    if (!json_read_word(r, word)) return false;
    for (const char *at = before.at + 1; at + 1 < r->at;) {
        if (*at == '\\') {
            if (!put_escape(&before, &at, &text)) return false;
        } else {
            buffer_byte(&text, *at++);
        }
    }
    if (text.failed) {
        return json_wrong(&before, "a text of at most %d bytes is expected here", (int)room - 1);
    }
    out[text.used] = 0;
    return true;
}

bool json_read_frame(json_reader *r, int *out)
{
    double value = 0;
    json_reader before = *r;
    if (!json_read_number(r, &value)) return false;
    if (!(value >= 0 && value <= LARGEST_FRAME) || value != (double)(int)value) {
        return json_wrong(&before, "expected a frame, a whole number from 0 on");
    }
    *out = (int)value;
    return true;
}

bool json_read_all(json_reader *r, const buffer *text, const char *form, json_member *member)
{
    skip_blanks(r);
    if (*r->at != '{') return json_expected(r, form);
    if (!json_each(r, member, r->user)) return false;
    skip_blanks(r);
    if (*r->at) return json_expected(r, "nothing more");
    return r->at + 1 == text->bytes + text->used || json_wrong(r, "a zero byte");
}
