/* plants_read.c - foot plants from a JSON file (RFC 8259). A reader of its own, since all that is needed is one list
   and a message that says where the file is wrong. */
#include "plants.h"

#include "text_file.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 64, LONGEST_WORD = 32, LARGEST_FRAME = 100000000, LARGEST_FILE_MIB = 64 };

typedef struct reader {
    const char *at; /* the text ends with a zero */
    const char *line_start;
    int64_t line;
    int depth;
    const char *path;
    marey_error *error;
    buffer *rows; /* of marey_contact */
    bool seen;    /* the list of contacts */
} reader;

/* ---- where it is wrong ------------------------------------------------------------------------ */

__attribute__((format(printf, 2, 3))) static bool wrong(reader *r, const char *format, ...)
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

static bool expected(reader *r, const char *what)
{
    char shown[LONGEST_WORD] = "";
    size_t length = strcspn(r->at, " \t\r\n,:]}");
    if (!*r->at) return wrong(r, "expected %s, found the end of the file", what);
    if (length == 0) length = 1;
    if (length >= sizeof shown) length = sizeof shown - 1;
    memcpy(shown, r->at, length);
    return wrong(r, "expected %s, found %s", what, shown);
}

/* ---- JSON -------------------------------------------------------------------------------------- */

static void skip_blanks(reader *r)
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
static bool takes(reader *r, char sign)
{
    skip_blanks(r);
    if (*r->at != sign) return false;
    r->at++;
    skip_blanks(r);
    return true;
}

static bool read_escape(reader *r)
{
    static const char hexadecimal[] = "0123456789abcdefABCDEF";
    r->at++;
    if (*r->at == 'u') {
        if (strspn(r->at + 1, hexadecimal) < 4) return wrong(r, "\\u needs four digits");
        r->at += 5;
        return true;
    }
    if (!*r->at || !strchr("\"\\/bfnrt", *r->at)) return wrong(r, "no such escape in JSON");
    r->at++;
    return true;
}

/* Keeps what fits; a word with escapes, or a longer one, is none that is looked for. */
static bool read_string(reader *r, char word[LONGEST_WORD])
{
    const char *start = r->at + 1;
    if (*r->at != '"') return expected(r, "a text in quotes");
    for (r->at++; *r->at != '"';) {
        if (!*r->at) return expected(r, "a closing quote");
        if ((unsigned char)*r->at < 0x20) return wrong(r, "a control character inside a text");
        if (*r->at != '\\') {
            r->at++;
        } else if (!read_escape(r)) {
            return false;
        }
    }
    size_t length = (size_t)(r->at - start);
    if (length >= LONGEST_WORD) length = LONGEST_WORD - 1;
    memcpy(word, start, length);
    word[length] = 0;
    r->at++;
    return true;
}

/* strtod alone would also take "inf", hexadecimal, a plus, and a zero in front. */
static bool read_number(reader *r, double *out)
{
    const char *digits = r->at + (*r->at == '-');
    char *end = NULL;
    bool is_number = *digits >= '0' && *digits <= '9';
    if (is_number && *digits == '0') is_number = !strchr("0123456789xX", digits[1]) || !digits[1];
    if (!is_number) return expected(r, "a number");
    *out = strtod(r->at, &end);
    if (end[-1] == '.') return expected(r, "a number with digits behind its point");
    r->at = end;
    return true;
}

static bool skip_value(reader *r);

static bool skip_literal(reader *r)
{
    static const char *const words[] = { "null", "true", "false" };
    double number;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t length = strlen(words[i]);
        if (strncmp(r->at, words[i], length) != 0) continue;
        r->at += length;
        return true;
    }
    return strchr("-0123456789", *r->at) && *r->at ? read_number(r, &number)
                                                   : expected(r, "a value");
}

/* Calls member(r, key, user) behind every colon of an object, or before every value of an array (key NULL). */
static bool each_member(reader *r, bool (*member)(reader *r, const char *key, void *user),
                        void *user)
{
    char close = *r->at == '{' ? '}' : ']', key[LONGEST_WORD];
    const char *next = close == '}' ? "a comma or }" : "a comma or ]";
    if (++r->depth > DEEPEST) return wrong(r, "more than %d brackets inside each other", DEEPEST);
    r->at++;
    bool goes_on = !takes(r, close);
    while (goes_on) {
        if (close == '}') {
            if (!read_string(r, key)) return false;
            if (!takes(r, ':')) return expected(r, "a colon");
        }
        if (!member(r, close == '}' ? key : NULL, user)) return false;
        if (takes(r, close)) break;
        if (!takes(r, ',')) return expected(r, next);
    }
    r->depth--;
    return true;
}

static bool skip_member(reader *r, const char *key, void *user)
{
    (void)key;
    (void)user;
    return skip_value(r);
}

static bool skip_value(reader *r)
{
    char word[LONGEST_WORD];
    if (*r->at == '{' || *r->at == '[') return each_member(r, skip_member, NULL);
    return *r->at == '"' ? read_string(r, word) : skip_literal(r);
}

/* ---- plants ------------------------------------------------------------------------------------ */

typedef struct row {
    marey_contact contact;
    bool has_joint, has_start, has_end;
} row;

static bool read_joint(reader *r, marey_contact_joint *out)
{
    char word[LONGEST_WORD];
    reader before = *r;
    if (!read_string(r, word)) return false;
    for (int joint = 0; joint < MAREY_CONTACT_JOINT_COUNT; joint++) {
        if (strcmp(word, marey_contact_name((marey_contact_joint)joint)) != 0) continue;
        *out = (marey_contact_joint)joint;
        return true;
    }
    return wrong(&before, "expected left_heel, left_toe, right_heel or right_toe, found \"%s\"",
                 word);
}

static bool read_frame(reader *r, int *out)
{
    double value = 0;
    reader before = *r;
    if (!read_number(r, &value)) return false;
    if (!(value >= 0 && value <= LARGEST_FRAME) || value != (double)(int)value) {
        return wrong(&before, "expected a frame, a whole number from 0 on");
    }
    *out = (int)value;
    return true;
}

static bool read_field(reader *r, const char *key, void *user)
{
    row *one = user;
    if (strcmp(key, "joint") == 0) {
        one->has_joint = true;
        return read_joint(r, &one->contact.joint);
    }
    if (strcmp(key, "start") == 0) {
        one->has_start = true;
        return read_frame(r, &one->contact.start);
    }
    if (strcmp(key, "end") == 0) {
        one->has_end = true;
        return read_frame(r, &one->contact.end);
    }
    return skip_value(r);
}

static bool read_row(reader *r, const char *key, void *user)
{
    row one = { .has_joint = false };
    reader before = *r;
    (void)key;
    (void)user;
    if (*r->at != '{')
        return expected(r, "a plant: {\"joint\": ..., \"start\": ..., \"end\": ...}");
    if (!each_member(r, read_field, &one)) return false;
    if (!one.has_joint || !one.has_start || !one.has_end) {
        return wrong(&before, "a plant needs \"joint\", \"start\" and \"end\"; this one has no %s",
                     !one.has_joint   ? "joint"
                     : !one.has_start ? "start"
                                      : "end");
    }
    if (one.contact.end <= one.contact.start) {
        return wrong(&before, "frames %d-%d are none: the end must be behind the start",
                     one.contact.start, one.contact.end);
    }
    buffer_bytes(r->rows, (const char *)&one.contact, sizeof one.contact);
    return true;
}

static bool read_top(reader *r, const char *key, void *user)
{
    (void)user;
    if (strcmp(key, "contacts") != 0) return skip_value(r);
    if (r->seen) return wrong(r, "a second list of contacts");
    r->seen = true;
    return *r->at == '[' ? each_member(r, read_row, NULL) : expected(r, "a list of plants: [...]");
}

static bool read_text(reader *r)
{
    reader start = *r;
    skip_blanks(r);
    if (*r->at != '{') return expected(r, "an object: {\"contacts\": [...]}");
    if (!each_member(r, read_top, NULL)) return false;
    skip_blanks(r);
    if (*r->at) return expected(r, "nothing more");
    return r->seen || wrong(&start, "there is no \"contacts\" in it");
}

/* ---- the file ---------------------------------------------------------------------------------- */

static marey_status fail_memory(marey_error *error)
{
    *error = (marey_error){ .status = MAREY_ERR_MEMORY, .message = "out of memory" };
    return MAREY_ERR_MEMORY;
}

static int by_joint_and_start(const void *a, const void *b)
{
    const marey_contact *first = a, *second = b;
    if (first->joint != second->joint) return first->joint < second->joint ? -1 : 1;
    return (first->start > second->start) - (first->start < second->start);
}

/* Into `rows`, as marey_contact one behind the other. */
static marey_status read_rows(const buffer *text, const char *path, buffer *rows,
                              marey_error *error)
{
    reader r = { .at = text->bytes,
                 .line_start = text->bytes,
                 .line = 1,
                 .path = path,
                 .error = error,
                 .rows = rows };
    if (!read_text(&r)) return MAREY_ERR_INPUT;
    if (r.at + 1 != text->bytes + text->used) {
        wrong(&r, "a zero byte");
        return MAREY_ERR_INPUT;
    }
    return rows->failed ? fail_memory(error) : MAREY_OK;
}

marey_status plants_read(session *run, const char *path, plants *out, marey_error *error)
{
    buffer text = buffer_make(&run->host->def), rows = buffer_make(&run->host->def);
    marey_status status =
        text_file_read(run, path, LARGEST_FILE_MIB, "a list of plants", &text, error);
    if (status == MAREY_OK) status = read_rows(&text, path, &rows, error);
    buffer_free(&text);
    if (status != MAREY_OK) {
        buffer_free(&rows);
        return status;
    }
    plants all = { .run = run, .bytes = rows.room, .stored = true };
    all.items = (marey_contact *)(void *)rows.bytes;
    all.count = (int)(rows.used / sizeof *all.items);
    if (all.count > 1) qsort(all.items, (size_t)all.count, sizeof *all.items, by_joint_and_start);
    *out = all;
    return MAREY_OK;
}
