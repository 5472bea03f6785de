/* api_clips.c - what is in the library: all of it in short, one clip in full. */
#include "api_common.h"
#include "clip_info.h"
#include "clip_lists.h"
#include "entries.h"
#include "studio_limits.h"
#include "way_out.h"

#include <stdio.h>
#include <string.h>

/* ---- about ----------------------------------------------------------------------------------- */

/* The one of that number in "libraries" of what is known about the studio. */
void api_neighbour(studio_worker *worker, studio_request *request, studio_response *response)
{
    const studio_neighbours *of = worker->of->neighbours;
    char there[STUDIO_LINK_ROOM];
    marey_error error;
    if (json_parse_empty(request->body, request->body_count, &error) != MAREY_OK) {
        answer_fail(response, &error);
    } else if (!of || request->id >= of->count) {
        answer_refuse(response, 404, "input", "there is no library %lld in this folder",
                      (long long)request->id);
    } else if (of->address(of->user, (int)request->id, there, &error) != MAREY_OK) {
        answer_fail(response, &error);
    } else {
        answer_json(response, 200, json_pack("{s:s}", "address", there));
    }
}

void api_about(studio_worker *worker, studio_request *request, studio_response *response)
{
    heap *memory = &worker->of->memory;
    const char *path = worker->of->library_path, *slash = strrchr(path, '/');
    marey_error error;
    int clips = 0, removed = 0;
    (void)request;
    if (marey_library_count(worker->library, false, &clips, &error) != MAREY_OK ||
        marey_library_count(worker->library, true, &removed, &error) != MAREY_OK) {
        answer_fail(response, &error);
        return;
    }
    json_t *library = json_object(), *about = json_object(), *formats = json_array();
    json_t *contacts = json_array(), *roles = json_array();
    for (int i = 0; i < MAREY_CONTACT_JOINT_COUNT; i++)
        describe_append(&contacts, json_string(marey_contact_name((marey_contact_joint)i)));
    for (int i = 0; i < MAREY_ROLE_COUNT; i++)
        describe_append(&roles, json_string(marey_role_name((marey_role)i)));
    const marey_format *row;
    for (int i = 0; (row = marey_format_find(i)); i++) {
        json_t *one = json_object();
        describe_put(&one, "name", json_string(row->name));
        describe_put(&one, "ending", json_string(row->ending));
        describe_put(&one, "description", json_string(row->description));
        describe_put(&one, "reads", json_boolean(row->reads));
        describe_put(&one, "writes", json_boolean(row->writes));
        describe_put(&one, "points", json_boolean(row->points));
        describe_put(&one, "lost_reading", json_string(row->lost_reading));
        describe_put(&one, "lost_writing", json_string(row->lost_writing));
        describe_append(&formats, one);
    }
    json_t *presets = json_array();
    const app_preset *preset;
    for (int i = 0; (preset = app_preset_at(i)); i++) {
        json_t *one = json_object();
        describe_put(&one, "name", json_string(preset->name));
        describe_put(&one, "title", json_string(preset->title));
        describe_put(&one, "format", json_string(preset->format));
        describe_put(&one, "units", json_string(marey_units_name(preset->units)));
        describe_put(&one, "up", json_string(app_up_word((int)preset->up)));
        describe_put(&one, "root", preset->root ? json_string(preset->root) : json_null());
        describe_append(&presets, one);
    }
    const studio_neighbours *neighbours = worker->of->neighbours;
    json_t *libraries = json_array();
    for (int n = 0; neighbours && n < neighbours->count; n++)
        describe_append(&libraries, json_string(neighbours->all[n].name));
    describe_put(&about, "libraries", libraries);
    describe_put(&about, "own_library", neighbours ? json_integer(neighbours->own) : json_null());
    describe_put(&about, "presets", presets);
    describe_put(&about, "contact_joints", contacts);
    describe_put(&about, "roles", roles);
    describe_put(&library, "name", describe_text(memory, slash ? slash + 1 : path));
    describe_put(&library, "path", describe_text(memory, path));
    describe_put(&library, "clips", json_integer(clips));
    describe_put(&library, "removed", json_integer(removed));
    describe_put(&library, "writable", json_boolean(worker->of->can_write));
    describe_put(&about, "version", json_string(marey_version()));
    describe_put(&about, "library", library);
    describe_put(&about, "formats", formats);
    answer_json(response, 200, about);
}

/* ---- all clips ------------------------------------------------------------------------------- */

/* All of them are kept as text; some are put together now. The version is asked for first: if the
   library changes in between, the next look shows the change again rather than never. */
void api_clips(studio_worker *worker, studio_request *request, studio_response *response)
{
    marey_list_def def = { .text = query_text(request, "text"),
                           .label = query_text(request, "label") };
    marey_listing *listing = NULL;
    marey_error error;
    int64_t removed = 0, version = 0, since = 0;
    int count = 0;
    if (!query_number(request, "removed", 0, 1, &removed)) {
        answer_refuse(response, 400, "request", "removed is 0 or 1");
        return;
    }
    if (!query_number(request, "since", 0, INT64_MAX, &since)) {
        answer_refuse(response, 400, "request", "since is a version that an earlier list had");
        return;
    }
    def.removed = removed == 1;
    if (def.text && !*def.text) def.text = NULL;
    if (def.label && !*def.label) def.label = NULL;
    if (!def.removed && !def.text && !def.label) {
        clip_lists_answer(worker, since, response);
        return;
    }
    marey_status status = marey_library_version(worker->library, &version, &error);
    if (status == MAREY_OK) status = marey_library_list(worker->library, &def, &listing, &error);
    if (status != MAREY_OK) {
        answer_fail(response, &error);
        return;
    }
    const marey_entry *entries = marey_listing_entries(listing, &count);
    buffer text = buffer_make(&worker->of->allocator);
    json out = json_make(&text);
    json_open(&out, NULL, '{');
    json_put_integer(&out, "version", version);
    json_open(&out, "clips", '[');
    for (int i = 0; i < count; i++) {
        json_open(&out, NULL, '{');
        app_entry_write(&entries[i], &out);
        json_close(&out, '}');
    }
    json_close(&out, ']');
    json_close(&out, '}');
    marey_listing_free(listing);
    api_answer(response, &text);
}

/* ---- one clip -------------------------------------------------------------------------------- */

/* Its entry, how it was read, what it takes to draw it, its feet and how sound it is. */
static void write_clip(const marey_entry *entry, const marey_clip *clip, const feet_kept *feet,
                       const marey_quality *quality, json *out)
{
    const char *provenance = entry->provenance;
    size_t count = strlen(provenance);
    bool known = count > 0 && json_is_shallow(provenance, count, LIMIT_JSON_DEPTH);
    json_open(out, NULL, '{');
    app_entry_write(entry, out);
    json_put_value(out, "provenance", known ? provenance : "null");
    app_joints_write(marey_clip_skeleton(clip), out);
    app_marks_write(clip, out);
    json_open(out, "report", '{');
    app_info_write(clip, NULL, out);
    json_close(out, '}');
    app_plants_write(&(app_plants){ feet->items, feet->count, feet->kept }, 0, out);
    json_open(out, "quality", '{');
    app_quality_write(quality, feet->kept, out);
    json_close(out, '}');
    json_put_boolean(out, "has_channels", marey_clip_channels(clip, 0) != NULL);
    json_close(out, '}');
}

void api_clip(studio_worker *worker, studio_request *request, studio_response *response)
{
    const marey_clip *clip = NULL;
    marey_listing *listing = NULL;
    feet_kept feet = { .count = 0 };
    marey_quality quality;
    marey_error error;
    char number[24];
    snprintf(number, sizeof number, "#%lld", (long long)request->id);
    if (!api_open(worker, request->id, &clip, response)) return;
    marey_status status =
        marey_library_list(worker->library, &(marey_list_def){ .clip = number }, &listing, &error);
    if (status == MAREY_OK)
        status = feet_find(worker, request->id, clip, 0, marey_clip_frames(clip), &feet, &error);
    if (status == MAREY_OK) {
        status = marey_clip_quality(clip, feet.items, feet.count, &quality);
        app_check(status != MAREY_OK, &error);
    }
    int count = 0;
    const marey_entry *entries = listing ? marey_listing_entries(listing, &count) : NULL;
    const marey_entry *entry = count > 0 ? &entries[0] : NULL;
    if (status != MAREY_OK) {
        answer_fail(response, &error);
    } else if (!entry) { /* removed in this very moment */
        answer_refuse(response, 404, "input", "there is no clip %lld", (long long)request->id);
    } else {
        buffer text = buffer_make(&worker->of->allocator);
        json out = json_make(&text);
        write_clip(entry, clip, &feet, &quality, &out);
        api_answer(response, &text);
    }
    feet_free(&feet);
    marey_listing_free(listing);
}
