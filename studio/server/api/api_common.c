/* api_common.c - what the addresses share. */
#include "api_common.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void api_fail_memory(studio_response *response)
{
    answer_fail(response, &(marey_error){ .status = MAREY_ERR_MEMORY, .message = "out of memory" });
}

void api_answer(studio_response *response, buffer *text)
{
    bytes_add(&response->body, text->bytes, text->used);
    response->status = 200;
    response->type = "application/json";
    if (text->failed || response->body.failed) api_fail_memory(response);
    buffer_free(text);
}

/* ---- clips ----------------------------------------------------------------------------------- */

bool api_open(studio_worker *worker, int64_t id, const marey_clip **clip, studio_response *response)
{
    marey_error error;
    if (worker_clip(worker, id, clip, &error) == MAREY_OK) return true;
    answer_fail(response, &error);
    return false;
}

/* ---- the query ----------------------------------------------------------------------------- */

bool api_query_whole(const studio_request *request, const char *name, int least, int most,
                     int *value, studio_response *response)
{
    int64_t got = *value;
    if (query_number(request, name, least, most, &got)) {
        *value = (int)got;
        return true;
    }
    answer_refuse(response, 400, "request", "%s is a whole number from %d to %d", name, least,
                  most);
    return false;
}

bool api_range(const studio_request *request, int frames, int *start, int *end,
               studio_response *response)
{
    int64_t first = 0, last = frames;
    if (!query_number(request, "start", 0, frames, &first) ||
        !query_number(request, "end", 0, frames, &last)) {
        answer_refuse(response, 400, "request",
                      "start and end are frames of the clip, which has 0-%d", frames);
        return false;
    }
    *start = (int)first;
    *end = (int)last;
    if (*start < *end) return true;
    answer_refuse(response, 400, "request", "frames %d-%d are not in the clip, which has 0-%d",
                  *start, *end, frames);
    return false;
}

/* ---- foot plants ----------------------------------------------------------------------------- */

marey_status feet_find(studio_worker *worker, int64_t id, const marey_clip *clip, int start,
                       int end, feet_kept *out, marey_error *error)
{
    char name[24]; /* "#34", which is how the library knows a clip by its number */
    app_scope scope = app_scope_open(&worker->of->allocator);
    app_env env = { .ctx = worker->ctx, .library = worker->library, .scope = &scope };
    app_plants got = { 0 };
    snprintf(name, sizeof name, "#%" PRId64, id);
    marey_status status = app_plants_stored(&env, name, start, end, &got, error);
    if (status == MAREY_OK && !got.stored && clip)
        status = app_plants_find(&env, clip, &got, error);
    if (status != MAREY_OK) app_scope_close(&scope);
    *out = (feet_kept){ scope, got.items, got.count, got.stored };
    return status;
}

void feet_free(feet_kept *feet)
{
    app_scope_close(&feet->scope);
    *feet = (feet_kept){ .count = 0 };
}
