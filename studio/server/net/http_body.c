/* http_body.c - bodies: JSON is collected whole, dropped files are put into memory one by one as they come. */
#include "http_inside.h"
#include "operation.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { PART_ROOM = 16384 }; /* for the header of a part, and bytes on their way */

static bool refuse(http_request *one, int status, const char *word, const char *message)
{
    answer_refuse(&one->reply, status, word, "%s", message);
    return false;
}

static bool out_of_memory(http_request *one)
{
    bytes_free(&one->file);
    bytes_free(&one->body);
    return refuse(one, 500, "memory", "the studio's memory is used up; try again, or send less");
}

/* The file that was read so far is whole. */
static bool put_file(http_request *one)
{
    if (!one->file_name[0]) return true;
    if (one->file.failed) return out_of_memory(one);
    if (memory_files_count(one->what.files) >= LIMIT_UPLOAD_FILES)
        return refuse(one, 413, "limit", "more than 4096 files in one request");
    int result = memory_files_put(one->what.files, one->file_name, &one->file);
    one->file_name[0] = 0;
    if (result == -EINVAL) return refuse(one, 400, "request", "a file has no usable name");
    return result < 0 ? out_of_memory(one) : true;
}

/* Whether these bytes begin another file. A file whose first call brought no bytes may be called for once more. */
static bool begins_file(const http_request *one, const char *name, uint64_t at)
{
    if (at > 0) return false;
    return one->file.count > 0 || strcmp(one->file_name, name) != 0;
}

static enum MHD_Result take_part(void *user, enum MHD_ValueKind kind, const char *key,
                                 const char *name, const char *type, const char *encoding,
                                 const char *data, uint64_t at, size_t count)
{
    http_request *one = user;
    (void)kind, (void)key, (void)type, (void)encoding;
    if (!name || !name[0]) return put_file(one) ? MHD_YES : MHD_NO; /* a field of a form, no file */
    if (strlen(name) >= sizeof one->file_name) {
        refuse(one, 400, "request", "the name of a file is longer than 1023 bytes");
        return MHD_NO;
    }
    if (begins_file(one, name, at)) {
        if (!put_file(one)) return MHD_NO;
        snprintf(one->file_name, sizeof one->file_name, "%s", name);
    }
    bytes_add(&one->file, data, count);
    return !one->file.failed || out_of_memory(one) ? MHD_YES : MHD_NO;
}

uint64_t http_body_most(const http_request *one, const char **too_long)
{
    route_body kind = one->address ? one->address->body : ROUTE_NO_BODY;
    bool tables = false;
    if (kind == ROUTE_OPERATION) {
        const app_param *row = app_operation_at((int)one->what.id - 1)->params;
        for (; row->name && !tables; row++)
            tables = row->type == APP_TABLE || row->type == APP_TABLES;
    }
    *too_long = kind == ROUTE_FILES ? "more than 256 MiB in one request; drop fewer files at once"
                : tables            ? "a request of JSON is at most 8 MiB here"
                                    : "a request of JSON is at most 1 MiB";
    return kind == ROUTE_FILES ? LIMIT_UPLOAD_BYTES
           : tables            ? LIMIT_LONG_JSON_BYTES
                               : LIMIT_JSON_BYTES;
}

bool http_body_begin(http_request *one)
{
    one->body.memory = one->file.memory = &one->host->of->memory;
    if (one->address->body != ROUTE_FILES) return true;
    one->what.files = memory_files_make(&one->host->of->memory);
    if (!one->what.files) return out_of_memory(one);
    one->parts = MHD_create_post_processor(one->carrier, PART_ROOM, take_part, one);
    return one->parts || refuse(one, 400, "request", "the multipart body has no boundary");
}

bool http_body_add(http_request *one, const char *data, size_t count)
{
    const char *too_long = NULL;
    one->body_bytes += count;
    if (one->body_bytes > http_body_most(one, &too_long))
        return refuse(one, 413, "limit", too_long);
    if (one->address->body != ROUTE_FILES) {
        bytes_add(&one->body, data, count);
        return !one->body.failed || out_of_memory(one);
    }
    if (MHD_post_process(one->parts, data, count) == MHD_YES) return true;
    return one->reply.status ? false
                             : refuse(one, 400, "request", "the multipart body is malformed");
}

bool http_body_end(http_request *one)
{
    if (one->parts) {
        bool whole = MHD_destroy_post_processor(one->parts) == MHD_YES;
        one->parts = NULL;
        if (!one->reply.status && !whole)
            return refuse(one, 400, "request", "the multipart body is not whole");
        if (one->reply.status || !put_file(one)) return false;
    }
    one->what.body = one->body.data;
    one->what.body_count = one->body.count;
    return true;
}

void http_body_drop(http_request *one)
{
    if (one->parts) MHD_destroy_post_processor(one->parts);
    one->parts = NULL;
    memory_files_free(one->what.files);
    one->what.files = NULL;
    bytes_free(&one->file);
    bytes_free(&one->body);
}
