/* exchange.c - reading a query, filling an answer. */
#include "exchange.h"

#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *asked_query(const studio_request *request, const char *name)
{
    for (int i = 0; i < request->query_count; i++)
        if (strcmp(request->query[i].name, name) == 0) return request->query[i].value;
    return NULL;
}

/* Digits with perhaps a '-' and nothing else: strtoll would take blanks and a '+'. */
static bool read_whole(const char *text, int64_t *value)
{
    bool below = text[0] == '-';
    const char *digits = text + below;
    size_t length = strspn(digits, "0123456789");
    int64_t sum = 0;
    if (length == 0 || length > 18 || digits[length] != 0) return false;
    for (size_t i = 0; i < length; i++) sum = sum * 10 + (digits[i] - '0');
    *value = below ? -sum : sum;
    return true;
}

bool asked_number(const studio_request *request, const char *name, int64_t least, int64_t most,
                  int64_t *value)
{
    const char *text = asked_query(request, name);
    int64_t number = 0;
    if (!text) return true;
    if (!read_whole(text, &number) || number < least || number > most) return false;
    *value = number;
    return true;
}

static int http_status(marey_status status)
{
    switch (status) {
    case MAREY_OK: return 200;
    case MAREY_ERR_NOT_FOUND: return 404;
    case MAREY_ERR_STALE:
    case MAREY_ERR_CANCELLED: return 409;
    case MAREY_ERR_LIMIT: return 413;
    case MAREY_ERR_BUSY: return 503;
    case MAREY_ERR_IO:
    case MAREY_ERR_MEMORY: return 500;
    default: return 400;
    }
}

/* Written by hand: when memory has run out jansson would have none either, while what the answer holds so far is given
   back first. */
static void add_text(studio_bytes *to, const char *text)
{
    for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
        char escape[8];
        if (*c == '"' || *c == '\\')
            snprintf(escape, sizeof escape, "\\%c", *c);
        else if (*c < 0x20)
            snprintf(escape, sizeof escape, "\\u%04x", *c);
        else
            snprintf(escape, sizeof escape, "%c", *c);
        bytes_add(to, escape, strlen(escape));
    }
}

void answer_clear(studio_response *response)
{
    bytes_free(&response->body);
    held_drop(response->lent);
    response->lent = NULL;
}

static void set_error(studio_response *response, int status, const char *word, const char *message)
{
    static const char before[] = "{\"error\": {\"status\": \"";
    static const char between[] = "\", \"message\": \"";
    answer_clear(response);
    response->status = status;
    response->type = "application/json";
    response->tag = "";
    response->file_name[0] = 0;
    bytes_add(&response->body, before, sizeof before - 1);
    add_text(&response->body, word);
    bytes_add(&response->body, between, sizeof between - 1);
    add_text(&response->body, message);
    bytes_add(&response->body, "\"}}", 3);
}

/* Cut to its room. A message may quote a file: what is no UTF-8, also by the cut, loses all that is not ASCII. */
static void copy_clean(char *to, size_t room, const char *from)
{
    snprintf(to, room, "%s", from);
    json_t *text = json_string(to);
    if (!text) /* or no memory */
        for (char *c = to; *c; c++)
            if ((unsigned char)*c >= 0x80) *c = '?';
    json_decref(text);
}

void answer_fail(studio_response *response, const marey_error *error)
{
    char message[sizeof error->message];
    copy_clean(message, sizeof message, error->message);
    set_error(response, http_status(error->status), marey_status_word(error->status), message);
}

void answer_refuse(studio_response *response, int status, const char *word, const char *format, ...)
{
    char text[512], message[512];
    va_list rest;
    va_start(rest, format);
    vsnprintf(text, sizeof text, format, rest);
    va_end(rest);
    copy_clean(message, sizeof message, text);
    set_error(response, status, word, message);
}

static int add_json(const char *text, size_t count, void *to)
{
    studio_bytes *body = to;
    bytes_add(body, text, count);
    return body->failed ? -1 : 0;
}

bool bytes_add_json(studio_bytes *to, const struct json_t *value)
{
    return value && json_dump_callback(value, add_json, to, JSON_COMPACT) == 0;
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
