/* api_puppets.c - the behaviours that the library keeps: what `marey puppet ls` does. */
#include "puppet_told.h"

#include <string.h>

/* ---- the list ----------------------------------------------------------------------------------- */

static json_t *describe_defaults(void)
{
    json_t *value = json_object();
    describe_put(&value, "rate", describe_number(MAREY_PUPPET_RATE));
    describe_put(&value, "window_s", describe_number(MAREY_PUPPET_WINDOW));
    describe_put(&value, "gap_s", describe_number(MAREY_PUPPET_GAP));
    describe_put(&value, "balance", describe_number(0.5));
    return value;
}

static json_t *list_ready(void)
{
    json_t *list = json_array();
    const marey_ready_puppet *ready;
    for (int i = 0; (ready = marey_ready_puppet_find(i)); i++) {
        json_t *one = json_object();
        describe_put(&one, "name", json_string(ready->name));
        describe_put(&one, "about", json_string(ready->about));
        describe_put(&one, "seconds", describe_number((ready->samples - 1) / MAREY_PUPPET_RATE));
        describe_append(&list, one);
    }
    return list;
}

/* Each is opened for its figures, one after the other; what is damaged, or large, is listed without. */
static marey_status describe_kept(studio_worker *worker, const marey_kept_entry *entry,
                                  json_t **out, marey_error *error)
{
    puppet_sourced from = puppet_sourced_begin(&worker->of->memory);
    marey_puppet *puppet = NULL;
    marey_status status = MAREY_OK;
    if (entry->size <= LIMIT_PUPPET_TOLD_BYTES)
        status = puppet_open_kept(worker, entry->name, &puppet, NULL, error);
    if (puppet) status = puppet_sourced_kept(&from, worker, entry->name, error);
    if (status != MAREY_OK && marey_status_group(status) != MAREY_ERR_INPUT) {
        puppet_sourced_free(&from);
        marey_puppet_free(puppet);
        return status;
    }
    json_t *one = json_object();
    describe_put(&one, "name", describe_text(&worker->of->memory, entry->name));
    describe_put(&one, "about",
                 describe_text(&worker->of->memory, entry->about ? entry->about : ""));
    describe_puppet(puppet, &one);
    describe_put(&one, "licence", puppet ? describe_licences(&from) : json_null());
    describe_put(&one, "bytes", json_integer(entry->size));
    puppet_sourced_free(&from);
    marey_puppet_free(puppet);
    *out = one;
    return MAREY_OK;
}

static marey_status list_puppets(studio_worker *worker, json_t **list, marey_error *error)
{
    marey_kept *kept = NULL;
    int count = 0;
    marey_status status = marey_library_kept_list(worker->library, MAREY_KEPT_PUPPET, &kept, error);
    if (status != MAREY_OK) return status;
    const marey_kept_entry *entries = marey_kept_entries(kept, &count);
    for (int i = 0; i < count && status == MAREY_OK; i++) {
        json_t *one = NULL;
        status = describe_kept(worker, &entries[i], &one, error);
        if (status == MAREY_OK) describe_append(list, one);
    }
    marey_kept_free(kept);
    return status;
}

static void write_list(studio_worker *worker, studio_response *response)
{
    json_t *list = json_array();
    marey_error error;
    if (list_puppets(worker, &list, &error) != MAREY_OK) {
        json_decref(list);
        answer_fail(response, &error);
        return;
    }
    json_t *value = json_object();
    describe_put(&value, "defaults", describe_defaults());
    describe_put(&value, "ready", list_ready());
    describe_put(&value, "puppets", list);
    answer_json(response, 200, value);
}

/* Written once for each state of the library, since all puppets are opened for it. */
void api_puppets(studio_worker *worker, studio_request *request, studio_response *response)
{
    studio_bytes *told = &worker->puppets;
    int64_t version = 0;
    marey_error error;
    (void)request;
    if (marey_library_version(worker->library, &version, &error) != MAREY_OK) {
        answer_fail(response, &error);
        return;
    }
    if (told->count == 0 || worker->puppets_version != version) {
        write_list(worker, response);
        bytes_free(told);
        if (response->status == 200) bytes_add(told, response->body.data, response->body.count);
        if (told->failed) bytes_free(told);
        worker->puppets_version = version;
        return;
    }
    bytes_add(&response->body, told->data, told->count);
    response->status = 200;
    response->type = "application/json";
    if (response->body.failed) api_fail_memory(response);
}
