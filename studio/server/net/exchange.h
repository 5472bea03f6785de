/* exchange.h - one request and its answer, as every address sees them, free of whatever carries
   them. Read after memory_files.h. */
#ifndef STUDIO_EXCHANGE_H
#define STUDIO_EXCHANGE_H

#include "memory_files.h"
#include "studio_limits.h"

typedef struct query_row {
    const char *name, *value; /* decoded; value "" if there was none */
} query_row;

typedef struct studio_request {
    int64_t id;     /* the number in the path; 0 if the address has none */
    int64_t second; /* the next one in it; likewise */
    int query_count;
    query_row query[LIMIT_QUERY];
    const uint8_t *body; /* JSON, whole */
    size_t body_count;
    memory_files *files; /* of an import; the address takes it over by setting this to NULL */
} studio_request;

/* How many bytes the UTF-8 character at `text` has; 0: these are none. The ending zero breaks off
   every character. */
size_t utf8_length(const unsigned char *text);

/* The value of a name in the query, or NULL. */
const char *query_text(const studio_request *request, const char *name);

/* A whole number of the query: false if it is there and is no number in [least, most]; *value is
   left alone if it is not there. */
bool query_number(const studio_request *request, const char *name, int64_t least, int64_t most,
                  int64_t *value);

typedef struct studio_response {
    int status;       /* of HTTP */
    const char *type; /* Content-Type; lives forever */
    const char *tag;  /* "" or an ETag, in tag_text: the browser may keep it */
    char tag_text[64];
    char file_name[512]; /* "" or for Content-Disposition: attachment */
    studio_bytes body;
    held *lent;     /* or NULL: the body, in place of `body`; let go when it is sent */
    bool cancelled; /* the failure in it */
} studio_response;

/* Failures become {"error": ...} with the HTTP status that docs/studio-api.md gives for them. */
void answer_fail(studio_response *response, const marey_error *error);
__attribute__((format(printf, 4, 5))) void answer_refuse(studio_response *response, int status,
                                                         const char *word, const char *format, ...);

/* Whole JSON, from jansson's value; takes the value over (NULL: out of memory, 500). */
struct json_t;
void answer_json(studio_response *response, int status, struct json_t *value);

/* What is in it so far goes. */
void answer_clear(studio_response *response);

/* The text of a value behind what is there; false if it could not be written whole. NULL is
   allowed: false. */
bool bytes_add_json(studio_bytes *bytes, const struct json_t *value);

#endif
