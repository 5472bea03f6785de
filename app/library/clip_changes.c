/* clip_changes.c - `label`, `rename`, `rm`, `restore`: changes of clips as a whole. The library
   looks for the clips inside the transaction that changes them, so a number means the same clip
   whatever it is called meanwhile. */
#include "clip_changes.h"

#include "clip_reading.h"
#include "operations.h"
#include "saved_things.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* Of changes whose answer is known before: commit makes them. */
static marey_status run_nothing(const app_env *env, const void *params, void *result,
                                marey_error *error)
{
    (void)env, (void)params, (void)result, (void)error;
    return MAREY_OK;
}

static void write_texts(json *out, const char *key, app_texts texts)
{
    json_open(out, key, '[');
    for (int i = 0; i < texts.count; i++) json_put_string(out, NULL, texts.values[i]);
    json_close(out, ']');
}

/* ---- label ----------------------------------------------------------------------------------- */

enum { LONGEST_LABEL = 200, MOST_LABELS = 60 }; /* bytes, as the library has it; at once */

static const app_param label_params[] = {
    { .name = "clips",
      .type = APP_SEGMENTS,
      .at = offsetof(app_label_params, clips),
      .place = APP_REST,
      .needed = true,
      .value = "NAME[#A-B]",
      .help = "which clips, or which frames of them" },
    { .name = "add",
      .type = APP_TEXTS,
      .at = offsetof(app_label_params, add),
      .repeats = true,
      .most = LONGEST_LABEL,
      .most_count = MOST_LABELS,
      .value = "LABEL",
      .help = "put this label on; may be given several times" },
    { .name = "drop",
      .type = APP_TEXTS,
      .at = offsetof(app_label_params, drop),
      .repeats = true,
      .most = LONGEST_LABEL,
      .most_count = MOST_LABELS,
      .value = "LABEL",
      .help = "take this label off; may be given several times" },
    { .name = "describe",
      .type = APP_TEXT,
      .at = offsetof(app_label_params, describe),
      .blank = true,
      .value = "TEXT",
      .help = "replace the description" },
    { .name = "licence",
      .type = APP_TEXT,
      .at = offsetof(app_label_params, licence),
      .blank = true,
      .value = "TEXT",
      .help = "replace the licence" },
    { 0 },
};

static marey_status check_label(const void *params, app_dialect dialect, marey_error *error)
{
    const app_label_params *request = params;
    if (request->add.count || request->drop.count || request->describe || request->licence)
        return MAREY_OK;
    return app_fail(error, MAREY_ERR_REQUEST, NULL,
                    dialect == APP_COMMAND_LINE
                        ? "one of --add, --drop, --describe, --licence is needed"
                        : "one of add, drop, describe, licence is needed");
}

/* Which frames a range in seconds means depends on the clip's rate. */
static marey_status find_frames(const app_env *env, const app_label_params *request,
                                marey_clip_range *frames, marey_error *error)
{
    const marey_listing *listing = NULL;
    marey_status status = app_listing(env, &listing, error);
    for (int i = 0; i < request->clips.count && status == MAREY_OK; i++) {
        const app_segment *one = &request->clips.values[i];
        const marey_entry *entry = app_listing_find(listing, one->clip);
        if (!one->range.given) continue;
        if (!entry) return app_clip_missing(env, one->clip, error);
        status = range_find_among(&one->range, entry->frames, entry->fps, 0, &frames[i].start,
                                  &frames[i].end, error);
        if (status != MAREY_OK) snprintf(error->path, sizeof error->path, "%.1000s", one->clip);
        for (int k = 0; k < entry->label_count && status == MAREY_OK; k++) {
            for (int d = 0; d < request->drop.count; d++) {
                if (strcmp(entry->labels[k], request->drop.values[d]) == 0)
                    app_warn(env,
                             "warning: %s has the label %s as a whole, which stays; without frames "
                             "--drop takes it off",
                             entry->name, entry->labels[k]);
            }
        }
    }
    return status;
}

static marey_status run_label(const app_env *env, const void *params, void *result,
                              marey_error *error)
{
    const app_label_params *request = params;
    app_label_result *done = result;
    marey_clip_range *frames = APP_NEW(env->scope, marey_clip_range, request->clips.count);
    if (!frames) return app_fail_memory(error);
    done->frames = frames;
    for (int i = 0; i < request->clips.count; i++) {
        frames[i].clip = request->clips.values[i].clip;
        done->stretches += request->clips.values[i].range.given;
    }
    return done->stretches ? find_frames(env, request, frames, error) : MAREY_OK;
}

static void write_labelled(const void *params, const void *result, json *out)
{
    const app_label_params *request = params;
    const app_label_result *done = result;
    json_open(out, "names", '[');
    for (int i = 0; i < request->clips.count; i++)
        json_put_string(out, NULL, request->clips.values[i].clip);
    json_close(out, ']');
    json_open(out, "stretches", '[');
    for (int i = 0; i < request->clips.count; i++) {
        const marey_clip_range *one = &done->frames[i];
        if (!one->end) continue;
        json_open(out, NULL, '{');
        json_put_string(out, "clip", one->clip);
        json_put_integer(out, "start", one->start);
        json_put_integer(out, "end", one->end);
        json_close(out, '}');
    }
    json_close(out, ']');
    write_texts(out, "added", request->add);
    write_texts(out, "dropped", request->drop);
}

static marey_status label_clips(const app_env *env, const void *params, void *result,
                                marey_error *error)
{
    const app_label_params *request = params;
    const app_label_result *done = result;
    marey_edit_def def = { .drop = request->drop.values,
                           .drop_count = request->drop.count,
                           .add = request->add.values,
                           .add_count = request->add.count,
                           .description = request->describe,
                           .licence = request->licence };
    marey_status status =
        marey_library_edit_frames(env->library, done->frames, request->clips.count, &def, error);
    for (int i = 0; i < request->clips.count && marey_status_group(status) == MAREY_ERR_INPUT; i++)
        address_explain(request->clips.values[i].clip, error);
    return status;
}

const app_operation app_label = {
    .name = "label",
    .summary = "change the labels, the description or the licence of clips, or labels of frames",
    .description = { "The change is made to every named clip. If one of the names is wrong, "
                     "nothing is changed.",
                     "CLIP#120-300 names frames, the end not included, CLIP#1.5s-3s times: then "
                     "the label is put on these frames, or taken off them. Stretches of one label "
                     "that overlap or touch become one. What goes by labels (--label everywhere) "
                     "takes the frames where it goes by frames and otherwise every clip that has "
                     "such frames. The labels of a clip as a whole are changed without frames." },
    .params = label_params,
    .params_size = sizeof(app_label_params),
    .result_size = sizeof(app_label_result),
    .library = APP_WRITES,
    .check = check_label,
    .run = run_label,
    .write = write_labelled,
    .commit = label_clips,
};

/* ---- rename ---------------------------------------------------------------------------------- */

static const app_param rename_params[] = {
    { .name = "clip",
      .type = APP_CLIP,
      .at = offsetof(app_saved_rename, name),
      .place = 1,
      .needed = true,
      .value = "OLD",
      .help = "which clip" },
    { .name = "to",
      .type = APP_TEXT,
      .at = offsetof(app_saved_rename, to),
      .place = 2,
      .needed = true,
      .value = "NEW",
      .help = "its new name" },
    { 0 },
};

static void write_renamed(const void *params, const void *result, json *out)
{
    const app_saved_rename *request = params;
    (void)result;
    json_put_string(out, "name", request->to);
}

static marey_status rename_clip(const app_env *env, const void *params, void *result,
                                marey_error *error)
{
    const app_saved_rename *request = params;
    (void)result;
    return marey_library_rename(env->library, request->name, request->to, error);
}

const app_operation app_rename = {
    .name = "rename",
    .summary = "give a clip another name",
    .description = { "A name has 1 to 200 bytes and no '/', '#' or control character." },
    .params = rename_params,
    .params_size = sizeof(app_saved_rename),
    .library = APP_WRITES,
    .run = run_nothing,
    .write = write_renamed,
    .commit = rename_clip,
};

/* ---- rm -------------------------------------------------------------------------------------- */

static const app_param rm_params[] = {
    { .name = "clips",
      .type = APP_CLIPS,
      .at = offsetof(app_rm_params, clips),
      .place = APP_REST,
      .value = "NAME",
      .help = "which clips" },
    { .name = "purge",
      .type = APP_SWITCH,
      .at = offsetof(app_rm_params, purge),
      .help = "delete for good; without names, every clip that was removed before" },
    { 0 },
};

/* An empty list is no way to ask for every removed clip. */
static marey_status check_rm(const void *params, app_dialect dialect, marey_error *error)
{
    const app_rm_params *request = params;
    bool listed = app_given(rm_params, &request->given, "clips");
    if (request->clips.count > 0 || (request->purge && !listed)) return MAREY_OK;
    return app_fail(error, MAREY_ERR_REQUEST, NULL, "clips must be named, except with %s",
                    dialect == APP_COMMAND_LINE ? "--purge" : "purge");
}

/* Names as JSON, whatever is in them, with as much again for their numbers. */
static size_t names_room(int count)
{
    enum { NAME_JSON = 12 * MAREY_NAME_ROOM + 64 };
    return 256 + (size_t)count * NAME_JSON;
}

/* What is made of clips that are to go; maps are of skeletons, and a policy is of its graph. */
static marey_status find_users(const app_env *env, const app_rm_params *request,
                               app_rm_result *done, size_t *room, marey_error *error)
{
    const marey_listing *listing = NULL;
    const marey_kept_entry *saved = NULL;
    int count = 0;
    marey_status status = app_listing(env, &listing, error);
    if (status == MAREY_OK) status = app_saved_list(env, NULL, &saved, &count, error);
    if (status != MAREY_OK) return status;
    app_user_of *users = APP_NEW(env->scope, app_user_of, count);
    if (!users) return app_fail_memory(error);
    for (int i = 0; i < count; i++) {
        bool uses = false;
        for (int k = 0; k < request->clips.count && !uses; k++) {
            const marey_entry *entry = app_listing_find(listing, request->clips.values[k]);
            if (!entry) continue;
            uses = saved[i].onto == entry->id;
            for (int p = 0; p < saved[i].part_count && !uses; p++)
                uses = saved[i].parts[p].clip == entry->id;
        }
        if (!uses) continue;
        users[done->used_by_count++] = (app_user_of){ saved[i].kind, saved[i].name };
        *room += 12 * (strlen(saved[i].kind) + strlen(saved[i].name)) + 64;
    }
    done->used_by = users;
    return MAREY_OK;
}

static marey_status run_rm(const app_env *env, const void *params, void *result, marey_error *error)
{
    const app_rm_params *request = params;
    const char *const *names = request->clips.values;
    app_rm_result *done = result;
    size_t room = names_room(0);
    for (int i = 0; i < request->clips.count; i++) room += 6 * strlen(names[i]) + 4;
    marey_status status = request->purge ? MAREY_OK : find_users(env, request, done, &room, error);
    if (status == MAREY_OK) status = app_reserve(env, room, error);
    if (status != MAREY_OK) return status;
    if (!request->purge)
        return marey_library_remove(env->library, names, request->clips.count, error);
    for (int removed = 0; removed < 2 && status == MAREY_OK; removed++) {
        marey_listing *listing = NULL;
        int count = 0;
        status = marey_library_list(env->library, &(marey_list_def){ .removed = removed }, &listing,
                                    error);
        if (status == MAREY_OK) status = app_own_listing(env, listing, error);
        const marey_entry *entries =
            status == MAREY_OK ? marey_listing_entries(listing, &count) : NULL;
        for (int i = 0; i < count && request->clips.count == 0 && removed; i++)
            done->repairs += entries[i].repair_count;
        for (int i = 0; i < request->clips.count && status == MAREY_OK; i++) {
            const marey_entry *entry = app_listing_find(listing, names[i]);
            if (entry) done->repairs += entry->repair_count;
        }
    }
    if (status != MAREY_OK) return status;
    status = marey_library_purge(env->library, names, request->clips.count, &done->purged, error);
    if (status != MAREY_OK || !marey_library_purge_pending(env->library)) return status;
    done->read_elsewhere = marey_library_path(env->library);
    return MAREY_OK;
}

static void write_removed(const void *params, const void *result, json *out)
{
    const app_rm_params *request = params;
    const app_rm_result *done = result;
    if (request->purge) {
        json_put_integer(out, "purged", done->purged);
        json_put_integer(out, "repairs", done->repairs);
    } else {
        write_texts(out, "removed", request->clips);
        json_open(out, "used_by", '[');
        for (int i = 0; i < done->used_by_count; i++) {
            json_open(out, NULL, '{');
            json_put_string(out, "kind", done->used_by[i].kind);
            json_put_string(out, "name", done->used_by[i].name);
            json_close(out, '}');
        }
        json_close(out, ']');
    }
}

const app_operation app_rm = {
    .name = "rm",
    .summary = "remove clips from a library",
    .description = { "Removed clips are in no list and no search, but still in the file: marey "
                     "restore brings them back, until they are purged.",
                     "With --purge the named clips are deleted for good, captured frames and "
                     "repairs; without names, all that were removed before. That is final, and "
                     "clears the history: nothing before it can be undone." },
    .params = rm_params,
    .params_size = sizeof(app_rm_params),
    .result_size = sizeof(app_rm_result),
    .library = APP_WRITES,
    .check = check_rm,
    .run = run_rm,
    .write = write_removed,
};

/* ---- restore --------------------------------------------------------------------------------- */

static const app_param restore_params[] = {
    { .name = "clips",
      .type = APP_CLIPS,
      .at = offsetof(app_restore_params, clips),
      .place = APP_REST,
      .needed = true,
      .value = "NAME",
      .help = "which clips" },
    { 0 },
};

static marey_status run_restore(const app_env *env, const void *params, void *result,
                                marey_error *error)
{
    const app_restore_params *request = params;
    app_restore_result *done = result;
    marey_named *clips = APP_NEW(env->scope, marey_named, request->clips.count);
    if (!clips) return app_fail_memory(error);
    done->clips = clips;
    marey_status status = app_reserve(env, names_room(request->clips.count), error);
    if (status != MAREY_OK) return status;
    return marey_library_restore_clips(env->library, request->clips.values, request->clips.count,
                                       clips, error);
}

static void write_restored(const void *params, const void *result, json *out)
{
    const app_restore_params *request = params;
    const app_restore_result *done = result;
    json_open(out, "restored", '[');
    for (int i = 0; i < request->clips.count; i++) json_put_string(out, NULL, done->clips[i].name);
    json_close(out, ']');
    json_open(out, "clips", '[');
    for (int i = 0; i < request->clips.count; i++) {
        json_open(out, NULL, '{');
        json_put_integer(out, "id", done->clips[i].id);
        json_put_string(out, "name", done->clips[i].name);
        json_close(out, '}');
    }
    json_close(out, ']');
}

const app_operation app_restore = {
    .name = "restore",
    .summary = "bring removed clips back",
    .description = { "A clip whose name was taken meanwhile gets the next free one, NAME-2." },
    .params = restore_params,
    .params_size = sizeof(app_restore_params),
    .result_size = sizeof(app_restore_result),
    .library = APP_WRITES,
    .run = run_restore,
    .write = write_restored,
};
