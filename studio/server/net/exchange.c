/* exchange.c - reading a query, filling an answer. */
#include "exchange.h"

#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MESSAGE_ROOM = 512 };

_Static_assert(MESSAGE_ROOM >= sizeof((marey_error *)0)->message, "messages of errors stay whole");

/* RFC 3629, section 4: no overlong forms, no surrogates, nothing beyond U+10FFFF. */
size_t utf8_length(const unsigned char *s)
{
    static const struct {
        unsigned char first, last, low, high;
        size_t length;
    } rows[] = { { 0xc2, 0xdf, 0x80, 0xbf, 2 }, { 0xe0, 0xe0, 0xa0, 0xbf, 3 },
                 { 0xe1, 0xec, 0x80, 0xbf, 3 }, { 0xed, 0xed, 0x80, 0x9f, 3 },
                 { 0xee, 0xef, 0x80, 0xbf, 3 }, { 0xf0, 0xf0, 0x90, 0xbf, 4 },
                 { 0xf1, 0xf3, 0x80, 0xbf, 4 }, { 0xf4, 0xf4, 0x80, 0x8f, 4 } };
    if (s[0] < 0x80) return 1;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (s[0] < rows[i].first || s[0] > rows[i].last) continue;
        if (s[1] < rows[i].low || s[1] > rows[i].high) return 0;
        for (size_t k = 2; k < rows[i].length; k++)
            if ((s[k] & 0xc0) != 0x80) return 0;
        return rows[i].length;
    }
    return 0;
}

const char *query_text(const studio_request *request, const char *name)
{
    for (int i = 0; i < request->query_count; i++)
        if (strcmp(request->query[i].name, name) == 0) return request->query[i].value;
    return NULL;
}

bool query_number(const studio_request *request, const char *name, int64_t least, int64_t most,
                  int64_t *value)
{
    const char *text = query_text(request, name);
    if (!text) return true;
    /* Digits with perhaps a '-' and nothing else: strtoll would take blanks and a '+'. */
    bool negative = text[0] == '-';
    const char *digits = text + negative;
    size_t length = strspn(digits, "0123456789");
    if (length == 0 || length > 18 || digits[length] != 0) return false;
    int64_t number = 0;
    for (size_t i = 0; i < length; i++) number = number * 10 + (digits[i] - '0');
    if (negative) number = -number;
    if (number < least || number > most) return false;
    *value = number;
    return true;
}

/* Written by hand: when memory has run out jansson would have none either, while what the answer
   holds so far is given back first. */
static void add_text(studio_bytes *bytes, const char *text)
{
    for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
        char escape[8];
        if (*c == '"' || *c == '\\')
            snprintf(escape, sizeof escape, "\\%c", *c);
        else if (*c < 0x20)
            snprintf(escape, sizeof escape, "\\u%04x", *c);
        else
            snprintf(escape, sizeof escape, "%c", *c);
        bytes_add(bytes, escape, strlen(escape));
    }
}

void answer_clear(studio_response *response)
{
    bytes_free(&response->body);
    held_drop(response->lent);
    response->lent = NULL;
}

/* A message may quote a file: what is no UTF-8, also since it was cut, loses all that is not
   ASCII. */
static void clean_text(const char *message, char clean[MESSAGE_ROOM])
{
    snprintf(clean, MESSAGE_ROOM, "%s", message);
    json_t *text = json_string(clean);
    if (!text) /* or no memory */
        for (char *c = clean; *c; c++)
            if ((unsigned char)*c >= 0x80) *c = '?';
    json_decref(text);
}

/* `path`: what of the request it is about; "": that is not known. */
static void set_error(studio_response *response, int status, const char *word, const char *message,
                      const char *path)
{
    static const char before[] = "{\"error\": {\"status\": \"";
    static const char between[] = "\", \"message\": \"";
    static const char about[] = "\", \"path\": \"";
    char clean[MESSAGE_ROOM], clean_path[MESSAGE_ROOM];
    clean_text(message, clean);
    clean_text(path, clean_path);
    answer_clear(response);
    response->status = status;
    response->type = "application/json";
    response->tag = "";
    response->file_name[0] = 0;
    bytes_add(&response->body, before, sizeof before - 1);
    add_text(&response->body, word);
    bytes_add(&response->body, between, sizeof between - 1);
    add_text(&response->body, clean);
    if (*clean_path) {
        bytes_add(&response->body, about, sizeof about - 1);
        add_text(&response->body, clean_path);
    }
    bytes_add(&response->body, "\"}}", 3);
}

void answer_fail(studio_response *response, const marey_error *error)
{
    int status = 400;
    switch (error->status) {
    case MAREY_OK: status = 200; break;
    case MAREY_ERR_NOT_FOUND: status = 404; break;
    case MAREY_ERR_STALE:
    case MAREY_ERR_CANCELLED: status = 409; break;
    case MAREY_ERR_LIMIT: status = 413; break;
    case MAREY_ERR_BUSY: status = 503; break;
    case MAREY_ERR_IO:
    case MAREY_ERR_MEMORY: status = 500; break;
    default: break;
    }
    set_error(response, status, marey_status_word(error->status), error->message, error->path);
    response->cancelled = error->status == MAREY_ERR_CANCELLED;
}

void answer_refuse(studio_response *response, int status, const char *word, const char *format, ...)
{
    char message[MESSAGE_ROOM];
    va_list rest;
    va_start(rest, format);
    vsnprintf(message, sizeof message, format, rest);
    va_end(rest);
    set_error(response, status, word, message, "");
}

static int add_json(const char *text, size_t count, void *user)
{
    studio_bytes *bytes = user;
    bytes_add(bytes, text, count);
    return bytes->failed ? -1 : 0;
}

bool bytes_add_json(studio_bytes *bytes, const struct json_t *value)
{
    return value && json_dump_callback(value, add_json, bytes, JSON_COMPACT) == 0;
}

void answer_json(studio_response *response, int status, struct json_t *value)
{
    held_drop(response->lent);
    response->lent = NULL;
    if (response->body.failed) bytes_free(&response->body);
    response->body.count = 0; /* room that was made before is used */
    if (bytes_add_json(&response->body, value)) {
        response->status = status;
        response->type = "application/json";
    } else {
        answer_refuse(response, 500, "memory", "out of memory");
    }
    json_decref(value);
}
