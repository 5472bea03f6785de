/* api_family_build.c - a new family for the library, which is a job: many examples, or a search that found other things than
   it should, can take a while. What `marey param build` does. */
#include "family_building.h"
#include "job_start.h"
#include "made_of.h"

#include <stdio.h>
#include <string.h>

/* ---- faults in words ---------------------------------------------------------------------------- */

static void write_value(const marey_fault *fault, char *text, size_t room)
{
    switch (fault->kind) {
    case MAREY_FAULT_FOOT:
        snprintf(text, room, "%.0f %% of the time (%.0f %% is too much)", 100 * fault->value,
                 100 * fault->limit);
        return;
    case MAREY_FAULT_SLIDE:
    case MAREY_FAULT_SINK:
        snprintf(text, room, "%.1f cm (%.1f is too much)", fault->value, fault->limit);
        return;
    case MAREY_FAULT_JUMP:
    case MAREY_FAULT_COUNT:
        snprintf(text, room, "%.1f times its examples' largest step (%.1f is too much)",
                 fault->value, fault->limit);
    }
}

static void write_part(const marey_parts *parts, int i, char *text, size_t room)
{
    snprintf(text, room, "%.200s#%d-%d", parts->names[i].name, parts->parts[i].start,
             parts->parts[i].end);
}

static json_t *describe_fault(const family_building *all, const marey_fault *fault)
{
    enum { PART_ROOM = API_NAME_ROOM + 32 };
    char one[PART_ROOM], with[PART_ROOM], value[128], text[2 * PART_ROOM + 512];
    const char *about = "", *kind = marey_fault_name(fault->kind, &about);
    json_t *out = json_object();
    write_part(all->opened, fault->example, one, sizeof one);
    write_part(all->opened, fault->with, with, sizeof with);
    write_value(fault, value, sizeof value);
    snprintf(text, sizeof text, "%s with %s: %s: %s", one, with, about, value);
    describe_put(&out, "example", json_integer(fault->example));
    describe_put(&out, "with", json_integer(fault->with));
    describe_put(&out, "kind", json_string(kind));
    describe_put(&out, "about", json_string(about));
    describe_put(&out, "value", describe_number(fault->value));
    describe_put(&out, "limit", describe_number(fault->limit));
    describe_put(&out, "text", describe_text(all->memory, text));
    return out;
}

static json_t *describe_built(const family_building *all)
{
    json_t *value = describe_family(all->memory, all->body.name, all->family, all->opened);
    json_t *faults = json_array(), *blamed = json_array(), *left_out = json_array();
    for (int i = 0; i < all->fault_count; i++) {
        describe_append(&faults, describe_fault(all, &all->faults[i]));
    }
    for (int i = 0; i < all->count; i++) describe_append(&blamed, describe_number(all->blamed[i]));
    for (int i = 0; i < all->left_out_count; i++) {
        describe_append(&left_out, json_integer(all->left_out[i]));
    }
    describe_put(&value, "faults", all->body.examine ? faults : json_null());
    describe_put(&value, "blamed", all->body.examine ? blamed : json_null());
    if (!all->body.examine) {
        json_decref(faults);
        json_decref(blamed);
    }
    describe_put(&value, "left_out", left_out);
    describe_put(&value, "seconds", describe_number(all->seconds));
    return value;
}

/* ---- keeping it --------------------------------------------------------------------------------- */

static void put_setting(const family_building *all, json_t **to, const char *name, double value)
{
    char text[NUMBER_ROOM];
    if (!json_object_get(all->body.root, name)) return;
    number_text(value < 0 ? 0 : value, text);
    describe_put(to, name, json_string(text));
}

/* As the command writes it, so that lists need not open the family, whose clips may be gone. */
static json_t *describe_about(const family_building *all, json_t *features)
{
    char text[NUMBER_ROOM];
    int samples;
    json_t *about = json_object(), *settings = json_object();
    marey_family_samples(all->family, &samples);
    describe_put(&about, "made_by", json_string("param build"));
    describe_put(&about, "version", json_string(marey_version()));
    describe_put(&about, "features", json_incref(features));
    describe_put(&about, "samples", json_integer(samples));
    if (*all->query) {
        number_text(all->threshold, text);
        describe_put(&settings, "query", describe_text(all->memory, all->query));
        describe_put(&settings, "threshold", json_string(text));
    }
    put_setting(all, &settings, "samples", all->body.samples);
    put_setting(all, &settings, "delta", all->body.delta);
    put_setting(all, &settings, "grow", all->body.grow);
    describe_put(&about, "settings", settings);
    return about;
}

static marey_status keep(const family_building *all, json_t *features, marey_error *error)
{
    studio_bytes about = { .memory = all->memory };
    json_t *value = describe_about(all, features);
    marey_status status = MAREY_ERR_MEMORY;
    *error = (marey_error){ .status = status, .message = "out of memory" };
    if (bytes_add_json(&about, value)) bytes_add(&about, "", 1);
    if (value && !about.failed) {
        status = marey_library_keep_family(all->by->library, all->body.name, all->family,
                                           all->opened->parts, (const char *)about.data, error);
    }
    json_decref(value);
    bytes_free(&about);
    return status;
}

/* ---- the job ------------------------------------------------------------------------------------ */

/* The answer is written before the change, so that what was done can be said. */
static marey_status write_and_keep(family_building *all, studio_bytes *result, marey_error *error)
{
    json_t *value = describe_built(all);
    json_t *features = json_object_get(value, "features");
    marey_status status = MAREY_OK;
    if (!bytes_add_json(result, value)) {
        *error = (marey_error){ .status = MAREY_ERR_MEMORY, .message = "out of memory" };
        status = MAREY_ERR_MEMORY;
    }
    if (status == MAREY_OK) status = keep(all, features, error);
    if (status == MAREY_OK) api_changed(all->by);
    json_decref(value);
    return status;
}

/* The family and its clips are of this thread's context, so they go before the job does. */
static marey_status run_build(studio_worker *worker, void *user, studio_bytes *result,
                              marey_error *error)
{
    family_building *all = user;
    all->by = worker;
    marey_status status = family_assemble(all, error);
    if (status == MAREY_OK) status = write_and_keep(all, result, error);
    marey_family_free(all->family);
    marey_parts_free(all->opened);
    return status;
}

static void drop_build(void *user)
{
    family_building *all = user;
    heap *memory = all->memory;
    heap_resize(memory, all->faults, all->fault_bytes, 0);
    bytes_free(&all->labels);
    family_body_free(&all->body);
    heap_resize(memory, all, sizeof *all, 0);
}

/* ---- the address -------------------------------------------------------------------------------- */

/* What can be refused at once is. */
static bool plan(family_building *all, studio_response *response)
{
    marey_error error;
    if (marey_library_list(all->by->library, NULL, &all->listing, &error) != MAREY_OK) {
        answer_fail(response, &error);
        return false;
    }
    bool can_be = family_choose(all, response);
    if (can_be && family_prepare(all, &error) != MAREY_OK) {
        answer_fail(response, &error);
        can_be = false;
    }
    marey_listing_free(all->listing);
    all->listing = NULL;
    return can_be;
}

void api_family_build(studio_worker *worker, studio_request *request, studio_response *response)
{
    heap *memory = &worker->of->memory;
    marey_error error;
    family_building *all = heap_resize(memory, NULL, 0, sizeof *all);
    if (!all) {
        api_fail_memory(response);
        return;
    }
    *all = (family_building){ .by = worker, .memory = memory, .labels = { .memory = memory } };
    if (family_body_read(&all->body, request->body, request->body_count, &error) != MAREY_OK) {
        answer_fail(response, &error);
        heap_resize(memory, all, sizeof *all, 0);
        return;
    }
    if (plan(all, response)) {
        job_start(worker, &(job_def){ "family", run_build, drop_build, all }, response);
    } else {
        drop_build(all);
    }
}
