/* saved_things.c - `rm` and `rename` of things that a library saves under a name. */
#include "saved_things.h"

#include "operations.h"

#include <jansson.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

marey_status app_saved_hint(const char *family, const char *maker, marey_error *error)
{
    size_t used = strlen(error->message);
    if (error->status != MAREY_ERR_NOT_FOUND) return error->status;
    const char *join = used > 0 && error->message[used - 1] == '?' ? "" : ";";
    snprintf(error->message + used, sizeof error->message - used,
             "%s marey %s ls lists those there are, marey %s %s makes one", join, family, family,
             maker);
    return error->status;
}

json app_about_begin(buffer *about, const char *maker)
{
    json out = json_make(about);
    json_open(&out, NULL, '{');
    json_put_string(&out, "made_by", maker);
    json_put_string(&out, "version", marey_version());
    return out;
}

marey_status app_about_end(json *out, const app_param *rows, const app_params *params,
                           marey_error *error)
{
    app_params_settings(out, rows ? rows : app_no_params, params);
    json_close(out, '}');
    buffer_byte(out->out, 0);
    return app_check(out->out->failed, error);
}

marey_status app_saved_list(const app_env *env, const char *kind, const marey_kept_entry **entries,
                            int *count, marey_error *error)
{
    marey_kept *kept = NULL;
    marey_status status = marey_library_kept_list(env->library, kind, &kept, error);
    if (status != MAREY_OK) return status;
    *entries = marey_kept_entries(kept, count);
    return app_own_kept(env, kept, error);
}

double app_noted_number(const json_t *about, const char *key)
{
    const json_t *value = json_object_get(about, key);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

bool app_part_is_of(const marey_parts *parts, int i, const char *name)
{
    char number[24];
    snprintf(number, sizeof number, "#%lld", (long long)parts->parts[i].clip);
    return strcmp(name[0] == '#' ? number : parts->names[i].name, name) == 0;
}

void app_part_write(json *out, const char *name, const marey_part *part)
{
    json_put_string(out, "clip", name);
    json_put_integer(out, "id", part->clip);
    json_put_integer(out, "start", part->start);
    json_put_integer(out, "end", part->end);
}

void app_parts_write(json *out, const char *key, const marey_parts *parts)
{
    json_open(out, key, '[');
    for (int i = 0; i < parts->count; i++) {
        json_open(out, NULL, '{');
        app_part_write(out, parts->names[i].name, &parts->parts[i]);
        json_close(out, '}');
    }
    json_close(out, ']');
}

int64_t app_parts_body(const marey_parts *parts)
{
    return parts->onto ? parts->onto : parts->parts[0].clip;
}

marey_status app_part_name(const app_env *env, int64_t clip, const char *noted, const char **name,
                           bool *removed, marey_error *error)
{
    char now[MAREY_NAME_ROOM];
    marey_status status = marey_library_name(env->library, clip, now, sizeof now, removed, error);
    if (status == MAREY_ERR_NOT_FOUND) {
        *name = noted;
        *removed = true;
        return MAREY_OK;
    }
    if (status != MAREY_OK) return status;
    *name = app_copy(env->scope, now);
    return app_check(!*name, error);
}

int app_clip_count(const marey_part *parts, int count)
{
    int clips = 0;
    for (int i = 0; i < count; i++) clips += i == 0 || parts[i].clip != parts[i - 1].clip;
    return clips;
}

marey_status app_saved_made_of(const app_env *env, const marey_kept_entry *entry,
                               app_made_of_list *out, marey_error *error)
{
    app_made_of *clips = APP_NEW(env->scope, app_made_of, entry->part_count);
    int count = 0;
    if (!clips) return app_fail_memory(error);
    for (int i = 0; i < entry->part_count; i++) {
        app_made_of one = { .id = entry->parts[i].clip };
        if (i > 0 && entry->parts[i - 1].clip == one.id) continue;
        marey_status status =
            app_part_name(env, one.id, entry->part_names[i], &one.name, &one.removed, error);
        if (status != MAREY_OK) return status;
        clips[count++] = one;
    }
    *out = (app_made_of_list){ clips, count };
    return MAREY_OK;
}

void app_saved_write_made_of(json *out, const app_made_of_list *list)
{
    json_open(out, "made_of", '[');
    for (int i = 0; i < list->count; i++) {
        json_open(out, NULL, '{');
        json_put_integer(out, "id", list->clips[i].id);
        json_put_string(out, "name", list->clips[i].name);
        json_put_boolean(out, "removed", list->clips[i].removed);
        json_close(out, '}');
    }
    json_close(out, ']');
}

/* ---- rm -------------------------------------------------------------------------------------- */

static const app_param name_params[] = {
    { .name = "name",
      .type = APP_TEXT,
      .at = offsetof(app_saved_name, name),
      .place = 1,
      .needed = true,
      .help = "which one" },
    { 0 },
};

static void write_forgotten(const void *params, const void *result, json *out)
{
    const app_saved_name *of = params;
    (void)result;
    json_put_string(out, "forgotten", of->name);
}

static marey_status forget(const app_env *env, const void *params, const char *kind,
                           const char *family, const char *maker, marey_error *error)
{
    const app_saved_name *of = params;
    marey_status status = marey_library_forget(env->library, kind, of->name, error);
    return status == MAREY_OK ? status : app_saved_hint(family, maker, error);
}

#define SAVED_RM(family, maker, kind, about, ...)                                                  \
    static marey_status family##_forget(const app_env *env, const void *params, void *result,      \
                                        marey_error *error)                                        \
    {                                                                                              \
        (void)result;                                                                              \
        return forget(env, params, kind, #family, maker, error);                                   \
    }                                                                                              \
    const app_operation app_##family##_rm = { .name = #family " rm",                               \
                                              .summary = about,                                    \
                                              .description = { __VA_ARGS__ },                      \
                                              .params = name_params,                               \
                                              .params_size = sizeof(app_saved_name),               \
                                              .library = APP_WRITES,                               \
                                              .run = app_run_nothing,                              \
                                              .write = write_forgotten,                            \
                                              .commit = family##_forget }

SAVED_RM(param, "build", MAREY_KEPT_FAMILY, "forget a family", "Its clips stay.");
SAVED_RM(graph, "build", MAREY_KEPT_GRAPH, "forget a motion graph and its policy",
         "Its clips stay.");
SAVED_RM(cluster, "build", MAREY_KEPT_CLUSTERS, "forget a cluster graph", "Its clips stay.");
SAVED_RM(puppet, "train", MAREY_KEPT_PUPPET, "forget a puppet",
         "The clips that it was trained on stay.");

/* ---- rename ---------------------------------------------------------------------------------- */

static const app_param rename_params[] = {
    { .name = "name",
      .type = APP_TEXT,
      .at = offsetof(app_saved_rename, name),
      .place = 1,
      .needed = true,
      .help = "which one" },
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
    const app_saved_rename *of = params;
    (void)result;
    json_put_string(out, "name", of->to);
}

static marey_status rename_puppet(const app_env *env, const void *params, void *result,
                                  marey_error *error)
{
    const app_saved_rename *of = params;
    (void)result;
    marey_status status =
        marey_library_rename_kept(env->library, MAREY_KEPT_PUPPET, of->name, of->to, error);
    return status == MAREY_OK ? status : app_saved_hint("puppet", "train", error);
}

const app_operation app_puppet_rename = {
    .name = "puppet rename",
    .summary = "give a puppet another name",
    .description = { "Names are unique among the puppets of a library." },
    .params = rename_params,
    .params_size = sizeof(app_saved_rename),
    .library = APP_WRITES,
    .run = app_run_nothing,
    .write = write_renamed,
    .commit = rename_puppet,
};
