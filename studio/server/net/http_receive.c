/* http_receive.c - a request on its way in: the checks of docs/studio-api.md, in the order of its
   table, and then the body. JSON is collected whole, dropped files are put into memory one by one
   as they come. */
#include "http_exchange.h"
#include "operation.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { PART_ROOM = 16384 }; /* for the header of a part, and bytes on their way */

typedef struct header_count { /* what is counted over all headers of a request */
    int lines;
    size_t bytes; /* as "Name: value" and the line's end */
    int hosts, origins, sites, lengths, encodings;
} header_count;

static bool refuse(http_exchange *exchange, int status, const char *word, const char *message)
{
    answer_refuse(&exchange->response, status, word, "%s", message);
    return false;
}

static bool refuse_for_memory(http_exchange *exchange)
{
    bytes_free(&exchange->file);
    bytes_free(&exchange->body);
    return refuse(exchange, 500, "memory",
                  "the studio's memory is used up; try again, or send less");
}

static bool check_length(http_exchange *exchange, uint64_t bytes)
{
    route_body kind = exchange->route ? exchange->route->body : ROUTE_NO_BODY;
    bool tables = false;
    if (kind == ROUTE_OPERATION) {
        const app_param *row = app_operation_at((int)exchange->request.id - 1)->params;
        for (; row->name && !tables; row++)
            tables = row->type == APP_FILE || row->type == APP_FILES;
    }
    uint64_t most = kind == ROUTE_FILES ? LIMIT_UPLOAD_BYTES
                    : tables            ? LIMIT_LONG_JSON_BYTES
                                        : LIMIT_JSON_BYTES;
    if (bytes <= most) return true;
    return refuse(exchange, 413, "limit",
                  kind == ROUTE_FILES ? "more than 256 MiB in one request; drop fewer files at once"
                  : tables            ? "a request of JSON is at most 8 MiB here"
                                      : "a request of JSON is at most 1 MiB");
}

/* ---- dropped files --------------------------------------------------------------------------- */

/* The file that was read so far is whole. */
static bool put_file(http_exchange *exchange)
{
    if (!exchange->file_name[0]) return true;
    if (memory_files_count(exchange->request.files) >= LIMIT_UPLOAD_FILES)
        return refuse(exchange, 413, "limit", "more than 4096 files in one request");
    int result = memory_files_put(exchange->request.files, exchange->file_name, &exchange->file);
    exchange->file_name[0] = 0;
    if (result == -EINVAL) return refuse(exchange, 400, "request", "a file has no usable name");
    return result < 0 ? refuse_for_memory(exchange) : true;
}

static enum MHD_Result take_part(void *user, enum MHD_ValueKind kind, const char *key,
                                 const char *name, const char *type, const char *encoding,
                                 const char *data, uint64_t offset, size_t count)
{
    http_exchange *exchange = user;
    (void)kind, (void)key, (void)type, (void)encoding;
    if (!name || !name[0]) /* a field of a form, no file */
        return put_file(exchange) ? MHD_YES : MHD_NO;
    if (strlen(name) >= sizeof exchange->file_name) {
        refuse(exchange, 400, "request", "the name of a file is longer than 1023 bytes");
        return MHD_NO;
    }
    /* Another file begins. One whose first call brought no bytes may be called for once more. */
    if (offset == 0 && (exchange->file.count > 0 || strcmp(exchange->file_name, name) != 0)) {
        if (!put_file(exchange)) return MHD_NO;
        snprintf(exchange->file_name, sizeof exchange->file_name, "%s", name);
    }
    bytes_add(&exchange->file, data, count);
    if (!exchange->file.failed) return MHD_YES;
    refuse_for_memory(exchange);
    return MHD_NO;
}

/* ---- the header ------------------------------------------------------------------------------ */

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

/* Limits, length, method and query. */
static bool check_form(http_exchange *exchange, const char *method, const header_count *sum)
{
    enum { LINE_ROOM = LIMIT_TARGET_BYTES + 64, LONGEST_LENGTH = 18 };
    if (exchange->target_too_long)
        return refuse(exchange, 414, "limit", "the address is longer than 4096 bytes");
    if (sum->lines > LIMIT_HEADERS)
        return refuse(exchange, 431, "limit", "more than 64 header lines");
    /* Blanks that the values do not show count in the size that libmicrohttpd saw. */
    if (sum->bytes > LIMIT_HEADER_BYTES || exchange->header_bytes > LIMIT_HEADER_BYTES + LINE_ROOM)
        return refuse(exchange, 431, "limit", "the headers are longer than 16384 bytes");

    /* A request that says twice how long it is may be two requests to a program that reads it
       otherwise. */
    const char *length = http_header(exchange, MHD_HTTP_HEADER_CONTENT_LENGTH);
    const char *encoding = http_header(exchange, MHD_HTTP_HEADER_TRANSFER_ENCODING);
    if (sum->hosts > 1) return refuse(exchange, 400, "request", "more than one Host");
    if (sum->lengths > 1 || sum->encodings > 1 || (length && encoding))
        return refuse(exchange, 400, "request", "the request says more than once how long it is");
    if (encoding && strcasecmp(encoding, "chunked") != 0)
        return refuse(exchange, 400, "request", "no other Transfer-Encoding than chunked is taken");
    if (length) {
        size_t digits = strspn(length, "0123456789");
        if (digits == 0 || digits > LONGEST_LENGTH || length[digits] != 0)
            return refuse(exchange, 400, "request", "the Content-Length is no number");
        for (size_t i = 0; i < digits; i++)
            exchange->announced = exchange->announced * 10 + (uint64_t)(length[i] - '0');
    }
    exchange->sends_body = encoding || exchange->announced > 0;

    exchange->allows = "GET, HEAD, POST";
    exchange->is_get = strcmp(method, "GET") == 0 || strcmp(method, "HEAD") == 0;
    if (!exchange->is_get && strcmp(method, "POST") != 0)
        return refuse(exchange, 405, "request", "only GET and POST are taken");
    if (exchange->is_get && exchange->sends_body)
        return refuse(exchange, 400, "request", "a GET has no body");

    char *query = strchr(exchange->target, '?');
    if (query) *query++ = 0;
    if (query && query_count(query) > LIMIT_QUERY)
        return refuse(exchange, 413, "limit", "a query has at most 16 names");
    if (query && !query_parse(&exchange->request, query))
        return refuse(exchange, 400, "request", "the query is malformed");
    return true;
}

static const char stranger_page[] =
    "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>marey studio</title>"
    "<h1>This address needs its token</h1>"
    "<p>Open the whole address that <code>marey studio</code> printed when it was started: "
    "it ends in <code>/?token=</code> and 32 digits. Each start has a new one. The address that "
    "the browser was opened with, <code>/open?code=</code>, works once and for 30 seconds.</p>"
    "</html>\n";

/* May this client ask? A browser that came by a link is sent on, so that neither token nor code
   stays in its address bar, its history or what it says of where it came from. Other programs get
   the page at once. */
static bool check_client(http_exchange *exchange, const header_count *sum)
{
    http *server = exchange->server;
    bool at_root = strcmp(exchange->target, "/") == 0;
    bool at_door = strcmp(exchange->target, "/open") == 0;
    const char *mode = http_header(exchange, "Sec-Fetch-Mode");
    bool navigates = mode && strcmp(mode, "navigate") == 0;
    guard_claims claims = { .host = http_header(exchange, MHD_HTTP_HEADER_HOST),
                            .origin = http_header(exchange, MHD_HTTP_HEADER_ORIGIN),
                            .fetch_site = http_header(exchange, "Sec-Fetch-Site"),
                            .authorization = http_header(exchange, MHD_HTTP_HEADER_AUTHORIZATION),
                            .cookie = http_header(exchange, MHD_HTTP_HEADER_COOKIE),
                            .token = at_root ? query_text(&exchange->request, "token") : NULL,
                            .hosts = sum->hosts,
                            .origins = sum->origins,
                            .opens_page = at_root && exchange->is_get && navigates };
    guard_verdict verdict = sum->sites > 1 ? GUARD_FOREIGN : guard_judge(&server->guard, &claims);
    if (verdict == GUARD_FOREIGN)
        return refuse(exchange, 403, "request",
                      "this host or page may not ask; see --allow-host if you came by a tunnel");
    if (at_door && exchange->is_get && !exchange->is_head) { /* the one-time code is used up */
        const char *code = query_text(&exchange->request, "code");
        pthread_mutex_lock(&server->lock);
        if (guard_take_code(&server->code, code, server->clients.clock_ms()))
            verdict = GUARD_BY_LINK;
        pthread_mutex_unlock(&server->lock);
    }
    if (verdict == GUARD_STRANGER && exchange->route && (at_root || at_door)) {
        studio_response *response = &exchange->response;
        bytes_free(&response->body);
        bytes_add(&response->body, stranger_page, sizeof stranger_page - 1);
        response->status = 401;
        response->type = "text/html; charset=utf-8";
        return false;
    }
    if (verdict == GUARD_STRANGER)
        return refuse(exchange, 401, "request",
                      "the token is missing or wrong; open the address that marey studio printed");
    exchange->gives_cookie = verdict == GUARD_BY_LINK;
    exchange->goes_on = at_door || (claims.token && navigates);
    connection_let_in(&server->clients, exchange->client);
    return true;
}

/* "application/json; charset=utf-8" is of the type application/json. */
static bool is_of_type(const char *header, const char *type)
{
    size_t length = strlen(type);
    if (!header || strncasecmp(header, type, length) != 0) return false;
    return header[length] == 0 || strchr("; \t", header[length]) != NULL;
}

bool http_receive_header(http_exchange *exchange, const char *method)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(exchange->carrier, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
    exchange->header_bytes = info ? info->header_size : 0;
    exchange->is_head = strcmp(method, "HEAD") == 0;
    header_count sum = { 0 };
    MHD_get_connection_values(exchange->carrier, MHD_HEADER_KIND, count_header, &sum);
    if (!check_form(exchange, method, &sum)) return false;

    bool is_get = exchange->is_get;
    int64_t ids[ROUTE_NUMBERS] = { 0 };
    route_match match =
        route_find(is_get ? "GET" : "POST", exchange->target, &exchange->route, ids);
    exchange->request.id = ids[0];
    exchange->request.second = ids[1];
    if (!check_length(exchange, exchange->announced) || !check_client(exchange, &sum)) return false;
    if (match == ROUTE_NO_ADDRESS)
        return refuse(exchange, 404, "request", "there is no such address");
    if (match == ROUTE_NO_METHOD) {
        exchange->allows = is_get ? "POST" : "GET, HEAD";
        return refuse(exchange, 405, "request",
                      is_get ? "this address takes POST only" : "this address takes GET only");
    }

    const char *type = http_header(exchange, MHD_HTTP_HEADER_CONTENT_TYPE);
    route_body kind = exchange->route->body;
    if ((kind == ROUTE_JSON || kind == ROUTE_OPERATION) && !is_of_type(type, "application/json"))
        return refuse(exchange, 415, "request",
                      "this address takes Content-Type: application/json");
    if (kind != ROUTE_FILES) return true;
    if (!is_of_type(type, "multipart/form-data"))
        return refuse(exchange, 415, "request",
                      "this address takes Content-Type: multipart/form-data");
    exchange->request.files = memory_files_make(&exchange->server->common->memory);
    if (!exchange->request.files) return refuse_for_memory(exchange);
    errno = 0;
    exchange->parts = MHD_create_post_processor(exchange->carrier, PART_ROOM, take_part, exchange);
    if (exchange->parts) return true;
    if (errno == ENOMEM) return refuse_for_memory(exchange);
    return refuse(exchange, 400, "request", "the multipart body has no boundary");
}

/* ---- the body -------------------------------------------------------------------------------- */

bool http_receive_body(http_exchange *exchange, const char *data, size_t count)
{
    exchange->body_bytes += count;
    if (!check_length(exchange, exchange->body_bytes)) return false;
    if (exchange->route->body != ROUTE_FILES) {
        bytes_add(&exchange->body, data, count);
        if (!exchange->body.failed) return true;
        return refuse_for_memory(exchange);
    }
    errno = 0;
    if (MHD_post_process(exchange->parts, data, count) == MHD_YES) return true;
    if (exchange->response.status) return false; /* it was refused by take_part */
    if (errno == ENOMEM) return refuse_for_memory(exchange);
    return refuse(exchange, 400, "request", "the multipart body is malformed");
}

bool http_receive_end(http_exchange *exchange)
{
    if (exchange->parts) {
        bool whole = MHD_destroy_post_processor(exchange->parts) == MHD_YES;
        exchange->parts = NULL;
        if (exchange->response.status) return false;
        if (!whole) return refuse(exchange, 400, "request", "the multipart body is not whole");
        if (!put_file(exchange)) return false;
    }
    exchange->request.body = exchange->body.data;
    exchange->request.body_count = exchange->body.count;
    return true;
}

void http_drop_body(http_exchange *exchange)
{
    if (exchange->parts) MHD_destroy_post_processor(exchange->parts);
    exchange->parts = NULL;
    memory_files_free(exchange->request.files);
    exchange->request.files = NULL;
    bytes_free(&exchange->file);
    bytes_free(&exchange->body);
}
