/* api_puppets.c - the behaviours that the library keeps: their list, other names for them, and their end. What `marey puppet ls`,
   `rename` and `rm` do. */
#include "json_rows.h"
#include "puppet_told.h"

#include <stddef.h>
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
static marey_status describe_kept(worker *by, const marey_kept_entry *entry, json_t **out,
                                  marey_error *error)
{
    puppet_sourced from = puppet_sourced_begin(&by->of->memory);
    marey_puppet *puppet = NULL;
    marey_status status = MAREY_OK;
    if (entry->size <= LIMIT_PUPPET_TOLD_BYTES)
        status = puppet_open_kept(by, entry->name, &puppet, NULL, error);
    if (puppet) status = puppet_sourced_kept(&from, by, entry->name, error);
    if (status != MAREY_OK && marey_status_group(status) != MAREY_ERR_INPUT) {
        puppet_sourced_free(&from);
        marey_puppet_free(puppet);
        return status;
    }
    json_t *one = json_object();
    describe_put(&one, "name", describe_text(&by->of->memory, entry->name));
    describe_put(&one, "about", describe_text(&by->of->memory, entry->about ? entry->about : ""));
    describe_puppet(puppet, &one);
    describe_put(&one, "licence", puppet ? describe_licences(&from) : json_null());
    describe_put(&one, "bytes", json_integer(entry->size));
    puppet_sourced_free(&from);
    marey_puppet_free(puppet);
    *out = one;
    return MAREY_OK;
}

static marey_status list_puppets(worker *by, json_t **list, marey_error *error)
{
    marey_kept *kept = NULL;
    int count = 0;
    marey_status status = marey_library_kept_list(by->library, MAREY_KEPT_PUPPET, &kept, error);
    if (status != MAREY_OK) return status;
    const marey_kept_entry *entries = marey_kept_entries(kept, &count);
    for (int i = 0; i < count && status == MAREY_OK; i++) {
        json_t *one = NULL;
        status = describe_kept(by, &entries[i], &one, error);
        if (status == MAREY_OK) describe_append(list, one);
    }
    marey_kept_free(kept);
    return status;
}

static void write_list(worker *by, answer *to)
{
    json_t *list = json_array();
    marey_error error;
    if (list_puppets(by, &list, &error) != MAREY_OK) {
        json_decref(list);
        answer_fail(to, &error);
        return;
    }
    json_t *value = json_object();
    describe_put(&value, "defaults", describe_defaults());
    describe_put(&value, "ready", list_ready());
    describe_put(&value, "puppets", list);
    answer_json(to, 200, value);
}

/* Written once for each state of the library, since all puppets are opened for it. */
void api_puppets(worker *by, asked *what, answer *to)
{
    bytes *told = &by->puppets;
    int64_t version = 0;
    marey_error error;
    (void)what;
    if (marey_library_version(by->library, &version, &error) != MAREY_OK) {
        answer_fail(to, &error);
        return;
    }
    if (told->count == 0 || by->puppets_version != version) {
        write_list(by, to);
        bytes_free(told);
        if (to->status == 200) bytes_add(told, to->body.data, to->body.count);
        if (told->failed) bytes_free(told);
        by->puppets_version = version;
        return;
    }
    bytes_add(&to->body, told->data, told->count);
    to->status = 200;
    to->type = "application/json";
    if (to->body.failed) api_fail_memory(to);
}

/* ---- another name, and the end ------------------------------------------------------------------ */

static bool can_write(const worker *by, answer *to)
{
    if (by->of->can_write) return true;
    answer_refuse(to, 409, "request", "the library can only be read, so no puppet can be changed");
    return false;
}

/* The answer is there before the change, so that what was done can be said. A new name that another one has is a conflict. */
static void answer_change(worker *by, marey_status status, const marey_error *error, answer *to)
{
    if (status == MAREY_OK) {
        api_changed(by);
        return;
    }
    answer_fail(to, error);
    if (to->status == 400 && marey_status_group(status) == MAREY_ERR_INPUT)
        answer_refuse(to, 409, "input", "%s", error->message);
}

typedef struct rename_body {
    const char *name, *to;
} rename_body;

void api_puppet_rename(worker *by, asked *what, answer *to)
{
#define AT(name) offsetof(rename_body, name)
    static const json_row rows[] = {
        { "name", "name", ROW_TEXT, true, AT(name), 0, 0, 0 },
        { "to", "to", ROW_TEXT, true, AT(to), 0, 0, 0 },
    };
#undef AT
    rename_body body = { 0 };
    json_t *root = NULL;
    marey_error error;
    if (!can_write(by, to)) return;
    marey_status status = json_parse(what->body, what->body_count, &root, &error);
    if (status == MAREY_OK) status = json_rows(root, JSON_ROWS(rows), &body, &error);
    if (status == MAREY_OK) status = json_kept_name(body.to, "a puppet's name", &error);
    if (status != MAREY_OK) {
        answer_fail(to, &error);
    } else {
        answer_json(to, 200, json_object());
        if (to->status == 200) {
            status = marey_library_rename_kept(by->library, MAREY_KEPT_PUPPET, body.name, body.to,
                                               &error);
            answer_change(by, status, &error, to);
        }
    }
    json_decref(root);
}

void api_puppet_remove(worker *by, asked *what, answer *to)
{
    json_body body;
    marey_error error;
    if (!can_write(by, to) || !api_body(by, what, FIELD_NAME, 0, &body, to)) return;
    answer_json(to, 200, json_object());
    if (to->status == 200) {
        marey_status status =
            marey_library_forget(by->library, MAREY_KEPT_PUPPET, body.name, &error);
        answer_change(by, status, &error, to);
    }
    json_body_free(&body);
}
