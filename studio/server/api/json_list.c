/* json_list.c - long lists, written piece by piece. */
#include "json_list.h"

#include <string.h>

static void begin_field(json_list *by, const char *name)
{
    by->to->count--;
    bytes_add(by->to, ",\"", 2);
    bytes_add(by->to, name, strlen(name));
    bytes_add(by->to, "\":", 2);
}

void json_list_begin(json_list *by, const char *name)
{
    begin_field(by, name);
    bytes_add(by->to, "[", 1);
}

void json_list_add(json_list *by, bool first, json_t *value)
{
    if (!first) bytes_add(by->to, ",", 1);
    if (!bytes_add_json(by->to, value)) by->failed = true;
    json_decref(value);
}

void json_list_end(json_list *by)
{
    bytes_add(by->to, "]}", 2);
}

void json_list_put(json_list *by, const char *name, json_t *value)
{
    begin_field(by, name);
    json_list_add(by, true, value);
    bytes_add(by->to, "}", 1);
}

bool json_list_goes_on(const json_list *by)
{
    return !by->failed && !by->to->failed && by->to->count <= LIMIT_FOUND_BYTES;
}

void json_list_check(const json_list *by, const char *hint, studio_response *response)
{
    if (by->failed || by->to->failed) {
        api_fail_memory(response);
    } else if (by->to->count > LIMIT_FOUND_BYTES) {
        answer_refuse(response, 413, "limit", "what was found is more than %d MiB: %s",
                      LIMIT_FOUND_BYTES >> 20, hint);
    }
}
