/* http_check.c - the checks of docs/studio-api.md, in the order of its table. */
#include "http_inside.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

typedef struct header_count { /* what is counted over all headers of a request */
    int lines;
    size_t bytes; /* as "Name: value" and the line's end */
    int hosts, origins, sites, lengths, encodings;
} header_count;

const char *http_header(const http_request *one, const char *name)
{
    return MHD_lookup_connection_value(one->carrier, MHD_HEADER_KIND, name);
}

static enum MHD_Result count_header(void *user, enum MHD_ValueKind kind, const char *name,
                                    const char *value)
{
    header_count *sum = user;
    (void)kind;
    sum->lines++;
    sum->bytes += strlen(name) + (value ? strlen(value) : 0) + 4;
    sum->hosts += strcasecmp(name, MHD_HTTP_HEADER_HOST) == 0;
    sum->origins += strcasecmp(name, MHD_HTTP_HEADER_ORIGIN) == 0;
    sum->sites += strcasecmp(name, "Sec-Fetch-Site") == 0;
    sum->lengths += strcasecmp(name, MHD_HTTP_HEADER_CONTENT_LENGTH) == 0;
    sum->encodings += strcasecmp(name, MHD_HTTP_HEADER_TRANSFER_ENCODING) == 0;
    return MHD_YES;
}

static bool refuse(http_request *one, int status, const char *word, const char *message)
{
    answer_refuse(&one->reply, status, word, "%s", message);
    return false;
}

size_t http_header_bytes(const http_request *one)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(one->carrier, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
    return info ? info->header_size : 0;
}

/* Blanks that the values do not show count in the size that libmicrohttpd saw. */
static bool within_limits(http_request *one, const header_count *sum)
{
    enum { LINE_ROOM = LIMIT_TARGET_BYTES + 64 };
    if (one->target_too_long)
        return refuse(one, 414, "limit", "the address is longer than 4096 bytes");
    if (sum->lines > LIMIT_HEADERS) return refuse(one, 431, "limit", "more than 64 header lines");
    if (sum->bytes > LIMIT_HEADER_BYTES || http_header_bytes(one) > LIMIT_HEADER_BYTES + LINE_ROOM)
        return refuse(one, 431, "limit", "the headers are longer than 16384 bytes");
    return true;
}

static bool read_length(const char *text, uint64_t *length)
{
    size_t digits = strspn(text, "0123456789");
    if (digits == 0 || digits > 18 || text[digits] != 0) return false;
    *length = 0;
    for (size_t i = 0; i < digits; i++) *length = *length * 10 + (uint64_t)(text[i] - '0');
    return true;
}

/* A request that says twice how long it is may be two requests to whoever reads it otherwise. */
static bool has_one_length(http_request *one, const header_count *sum)
{
    const char *length = http_header(one, MHD_HTTP_HEADER_CONTENT_LENGTH);
    const char *encoding = http_header(one, MHD_HTTP_HEADER_TRANSFER_ENCODING);
    if (sum->hosts > 1) return refuse(one, 400, "request", "more than one Host");
    if (sum->lengths > 1 || sum->encodings > 1 || (length && encoding))
        return refuse(one, 400, "request", "the request says more than once how long it is");
    if (encoding && strcasecmp(encoding, "chunked") != 0)
        return refuse(one, 400, "request", "no other Transfer-Encoding than chunked is taken");
    if (length && !read_length(length, &one->announced))
        return refuse(one, 400, "request", "the Content-Length is no number");
    one->sends_body = encoding || one->announced > 0;
    return true;
}

static bool method_can_be(http_request *one, const char *method)
{
    one->allows = "GET, HEAD, POST";
    one->is_get = strcmp(method, "GET") == 0 || strcmp(method, "HEAD") == 0;
    if (!one->is_get && strcmp(method, "POST") != 0)
        return refuse(one, 405, "request", "only GET and POST are taken");
    if (one->is_get && one->sends_body) return refuse(one, 400, "request", "a GET has no body");
    return true;
}

static bool split_target(http_request *one)
{
    char *query = strchr(one->target, '?');
    if (query) *query++ = 0;
    if (query && query_count(query) > LIMIT_QUERY)
        return refuse(one, 413, "limit", "a query has at most 16 names");
    if (query && !query_parse(&one->what, query))
        return refuse(one, 400, "request", "the query is malformed");
    return true;
}

static bool size_can_be(http_request *one)
{
    const char *too_long = NULL;
    if (one->announced > http_body_most(one, &too_long)) return refuse(one, 413, "limit", too_long);
    return true;
}

static const char stranger_page[] =
    "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>marey studio</title>"
    "<h1>This address needs its token</h1>"
    "<p>Open the whole address that <code>marey studio</code> printed when it was started: "
    "it ends in <code>/?token=</code> and 32 digits. Each start has a new one. The address that "
    "the browser was opened with, <code>/open?code=</code>, works once and for 30 seconds.</p>"
    "</html>\n";

static bool turn_away(http_request *one)
{
    bool is_shown = strcmp(one->target, "/") == 0 || strcmp(one->target, "/open") == 0;
    if (!one->address || !is_shown)
        return refuse(one, 401, "request",
                      "the token is missing or wrong; open the address that marey studio printed");
    bytes_free(&one->reply.body);
    bytes_add(&one->reply.body, stranger_page, sizeof stranger_page - 1);
    one->reply.status = 401;
    one->reply.type = "text/html; charset=utf-8";
    return false;
}

static bool send_off(http_request *one)
{
    return refuse(one, 403, "request",
                  "this host or page may not ask; see --allow-host if you came by a tunnel");
}

/* Is this the one-time code? It is used up then. */
static bool take_code(http *host, const char *given)
{
    pthread_mutex_lock(&host->lock);
    bool taken = guard_take_code(&host->code, given, host->clients.clock_ms());
    pthread_mutex_unlock(&host->lock);
    return taken;
}

/* A browser that came by a link is sent on, so that neither token nor code stays in its address bar, its history or what
   it says of where it came from. Other programs get the page at once. */
static bool may_ask(http_request *one, const header_count *sum)
{
    guard_claims claims = { .host = http_header(one, MHD_HTTP_HEADER_HOST),
                            .origin = http_header(one, MHD_HTTP_HEADER_ORIGIN),
                            .fetch_site = http_header(one, "Sec-Fetch-Site"),
                            .authorization = http_header(one, MHD_HTTP_HEADER_AUTHORIZATION),
                            .cookie = http_header(one, MHD_HTTP_HEADER_COOKIE),
                            .hosts = sum->hosts,
                            .origins = sum->origins };
    if (sum->sites > 1) return send_off(one);
    bool at_door = strcmp(one->target, "/open") == 0;
    if (strcmp(one->target, "/") == 0) claims.token = asked_query(&one->what, "token");
    guard_verdict verdict = guard_judge(&one->host->who, &claims);
    if (verdict == GUARD_FOREIGN) return send_off(one);
    if (at_door && one->is_get && !one->is_head &&
        take_code(one->host, asked_query(&one->what, "code")))
        verdict = GUARD_BY_LINK;
    if (verdict == GUARD_STRANGER) return turn_away(one);
    const char *mode = http_header(one, "Sec-Fetch-Mode");
    one->gives_cookie = verdict == GUARD_BY_LINK;
    one->goes_on = at_door || (claims.token && mode && strcmp(mode, "navigate") == 0);
    connection_let_in(&one->host->clients, one->on);
    return true;
}

/* "application/json; charset=utf-8" is of the type application/json. */
static bool is_of_type(const char *header, const char *type)
{
    size_t length = strlen(type);
    if (!header || strncasecmp(header, type, length) != 0) return false;
    return header[length] == 0 || strchr("; \t", header[length]) != NULL;
}

static bool type_fits(http_request *one)
{
    const char *type = http_header(one, MHD_HTTP_HEADER_CONTENT_TYPE);
    bool json = one->address->body == ROUTE_JSON || one->address->body == ROUTE_OPERATION;
    if (json && !is_of_type(type, "application/json"))
        return refuse(one, 415, "request", "this address takes Content-Type: application/json");
    if (one->address->body == ROUTE_FILES && !is_of_type(type, "multipart/form-data"))
        return refuse(one, 415, "request", "this address takes Content-Type: multipart/form-data");
    return true;
}

bool http_check(http_request *one, const char *method)
{
    header_count sum = { 0 };
    MHD_get_connection_values(one->carrier, MHD_HEADER_KIND, count_header, &sum);
    if (!within_limits(one, &sum) || !has_one_length(one, &sum) || !method_can_be(one, method) ||
        !split_target(one))
        return false;
    int64_t ids[ROUTE_NUMBERS] = { 0 };
    route_match match = route_find(one->is_get ? "GET" : "POST", one->target, &one->address, ids);
    one->what.id = ids[0];
    one->what.second = ids[1];
    if (!size_can_be(one) || !may_ask(one, &sum)) return false;
    if (match == ROUTE_NO_ADDRESS) return refuse(one, 404, "request", "there is no such address");
    if (match == ROUTE_NO_METHOD) {
        one->allows = one->is_get ? "POST" : "GET, HEAD";
        return refuse(one, 405, "request",
                      one->is_get ? "this address takes POST only" : "this address takes GET only");
    }
    return type_fits(one);
}
