/* json_text.c - JSON after RFC 8259, checked and written again. */
#include "base/json_text.h"

#include "base/number.h"

#include <math.h>
#include <string.h>

size_t mry_utf8_length(const unsigned char *p)
{
    if (p[0] < 0x80) return 1;
    size_t count = p[0] >= 0xf0 ? 4 : p[0] >= 0xe0 ? 3 : 2;
    if (p[0] < 0xc2 || p[0] > 0xf4) return 0;
    for (size_t i = 1; i < count; i++) {
        if ((p[i] & 0xc0) != 0x80) return 0;
    }
    bool is_long = (p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xf0 && p[1] < 0x90);
    bool is_outside = (p[0] == 0xed && p[1] >= 0xa0) || (p[0] == 0xf4 && p[1] >= 0x90);
    return is_long || is_outside ? 0 : count;
}

/* What is written is never longer than what is read. */
typedef struct rewriting {
    const char *p; /* next to read; the text ends in a zero */
    char *to;
    int depth;
} rewriting;

static void copy(rewriting *json, size_t count)
{
    memcpy(json->to, json->p, count);
    json->to += count;
    json->p += count;
}

static void skip_blanks(rewriting *json)
{
    json->p += strspn(json->p, " \t\n\r");
}

/* Copies the sign if it is next, and skips the blanks around it. */
static bool takes(rewriting *json, char sign)
{
    skip_blanks(json);
    if (*json->p != sign) return false;
    copy(json, 1);
    skip_blanks(json);
    return true;
}

/* The four digits of \uXXXX at p, or -1. */
static int read_unit(const char *p)
{
    static const char digits[] = "0123456789abcdef";
    int value = 0;
    if (p[0] != '\\' || p[1] != 'u') return -1;
    for (int i = 2; i < 6; i++) {
        const char *digit =
            p[i] ? strchr(digits, p[i] >= 'A' && p[i] <= 'F' ? p[i] | 32 : p[i]) : 0;
        if (!digit) return -1;
        value = 16 * value + (int)(digit - digits);
    }
    return value;
}

static bool rewrite_string(rewriting *json)
{
    if (*json->p != '"') return false;
    copy(json, 1);
    while (*json->p != '"') {
        const unsigned char *s = (const unsigned char *)json->p;
        if (*s < 0x20) return false; /* the end of the text, too */
        if (*s != '\\') {
            size_t length = mry_utf8_length(s);
            if (length == 0) return false;
            copy(json, length);
        } else if (s[1] != 'u') {
            if (!s[1] || !strchr("\"\\/bfnrt", s[1])) return false;
            copy(json, 2);
        } else {
            int unit = read_unit(json->p), second;
            bool pairs = unit >= 0xd800 && unit < 0xe000;
            if (unit <= 0 || unit >= 0xd800 + (pairs ? 0x400 : 0x10000)) return false;
            if (pairs) {
                second = read_unit(json->p + 6);
                if (second < 0xdc00 || second >= 0xe000) return false;
            }
            copy(json, pairs ? 12 : 6);
        }
    }
    copy(json, 1);
    return true;
}

static bool rewrite_value(rewriting *json);

/* An object or an array, whose bracket is next. */
static bool rewrite_members(rewriting *json, char close)
{
    if (++json->depth > MRY_JSON_DEPTH) return false;
    copy(json, 1);
    if (!takes(json, close)) {
        do {
            if (close == '}' && !(rewrite_string(json) && takes(json, ':'))) return false;
            if (!rewrite_value(json)) return false;
        } while (takes(json, ','));
        if (!takes(json, close)) return false;
    }
    json->depth--;
    return true;
}

static bool rewrite_value(rewriting *json)
{
    static const char *const words[] = { "true", "false", "null" };
    switch (*json->p) {
    case '{': return rewrite_members(json, '}');
    case '[': return rewrite_members(json, ']');
    case '"': return rewrite_string(json);
    default: break;
    }
    for (int i = 0; i < 3; i++) {
        size_t length = strlen(words[i]);
        if (strncmp(json->p, words[i], length) != 0) continue;
        copy(json, length);
        return true;
    }
    static const char digits[] = "0123456789";
    char text[MRY_NUMBER_LONGEST + MRY_NUMBER_SLACK + 1] = { 0 };
    const char *p = json->p;
    mry_decimal number = { 0 };
    if (*p == '-') p++;
    size_t whole = strspn(p, digits);
    if (whole == 0 || (*p == '0' && whole > 1)) return false;
    p += whole;
    if (*p == '.') {
        size_t part = strspn(++p, digits);
        if (part == 0) return false;
        p += part;
    }
    if (*p == 'e' || *p == 'E') {
        p++;
        if (*p == '-' || *p == '+') p++;
        size_t power = strspn(p, digits);
        if (power == 0) return false;
        p += power;
    }
    size_t count = (size_t)(p - json->p);
    if (count > MRY_NUMBER_LONGEST) return false;
    memcpy(text, json->p, count);
    mry_number_read(text, text + count, &number);
    if (!isfinite(number.value)) return false;
    copy(json, count);
    return true;
}

marey_status mry_json_rewrite(mry_arena *mem, const char *text, const char **out)
{
    char *made = mry_arena_take(mem, strlen(text) + 1, 1);
    rewriting json = { .p = text, .to = made };
    if (!made) return MAREY_ERR_MEMORY;
    skip_blanks(&json);
    if (*json.p != '{' || !rewrite_value(&json) || *json.p) return MAREY_ERR_INPUT;
    *json.to = 0;
    *out = made;
    return MAREY_OK;
}
