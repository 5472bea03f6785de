/* entries.c - `ls`: the clips of a library as lists have them. */
#include "entries.h"

#include "operations.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

void app_stretches_write(json *out, const marey_stretch *stretches, int count)
{
    json_open(out, "stretches", '[');
    for (int i = 0; i < count; i++) {
        json_open(out, NULL, '{');
        json_put_string(out, "label", stretches[i].label);
        json_put_integer(out, "start", stretches[i].start);
        json_put_integer(out, "end", stretches[i].end);
        json_close(out, '}');
    }
    json_close(out, ']');
}

bool app_has_repairs(const char *repairs)
{
    return repairs && strcmp(repairs, "[]") != 0;
}

void app_origin_write(buffer *out, const char *provenance, const marey_stretch *stretches,
                      int count, const char *repairs)
{
    size_t length = strlen(provenance);
    bool any = (count > 0 || app_has_repairs(repairs)) && length >= 2;
    buffer_bytes(out, provenance, any ? length - 1 : length);
    if (!any) return;
    json to = { .out = out, .comma = provenance[length - 2] != '{' };
    if (count > 0) app_stretches_write(&to, stretches, count);
    if (app_has_repairs(repairs)) json_put_value(&to, "repairs", repairs);
    buffer_byte(out, '}');
}

void app_entry_write(const marey_entry *entry, json *out)
{
    json_put_string(out, "name", entry->name);
    json_put_integer(out, "id", entry->id);
    json_put_integer(out, "frames", entry->frames);
    json_put_number(out, "fps", entry->fps);
    json_put_number(out, "seconds", entry->fps > 0 ? entry->frames / entry->fps : 0);
    json_put_texts(out, "labels", entry->labels, entry->label_count);
    app_stretches_write(out, entry->stretches, entry->stretch_count);
    json_put_string(out, "skeleton", entry->skeleton);
    json_put_string(out, "description", entry->description);
    json_put_string(out, "licence", entry->licence);
    json_put_string(out, "source", entry->source);
    if (entry->flaw_count < 0)
        json_put_null(out, "findings");
    else
        json_put_integer(out, "findings", entry->flaw_count);
    json_put_integer(out, "repairs", entry->repair_count);
    json_put_boolean(out, "made", *entry->provenance != 0);
    json_put_boolean(out, "removed", entry->removed);
}

/* ---- ls -------------------------------------------------------------------------------------- */

static const app_param ls_params[] = {
    { .name = "words",
      .type = APP_TEXTS,
      .at = offsetof(app_ls_params, words),
      .place = APP_REST,
      .repeats = true,
      .help = "what words of the name, labels or description begin with" },
    { .name = "label",
      .type = APP_TEXT,
      .at = offsetof(app_ls_params, label),
      .help = "only clips with this label, or with frames that have it" },
    { .name = "removed",
      .type = APP_SWITCH,
      .at = offsetof(app_ls_params, removed),
      .help = "the clips that rm has removed and restore can bring back" },
    { .name = "long",
      .type = APP_SWITCH,
      .at = offsetof(app_ls_params, details),
      .note = true,
      .help = "all that is known of every clip" },
    { 0 },
};

static marey_status run_ls(const app_env *env, const void *params, void *result, marey_error *error)
{
    const app_ls_params *request = params;
    app_ls_result *done = result;
    marey_listing *listing = NULL;
    size_t length = 1;
    for (int i = 0; i < request->words.count; i++) length += strlen(request->words.values[i]) + 1;
    char *words = APP_NEW(env->scope, char, length), *end = words;
    if (!words) return app_fail_memory(error);
    for (int i = 0; i < request->words.count; i++)
        end += sprintf(end, "%s ", request->words.values[i]);
    marey_list_def def = { .text = words, .label = request->label, .removed = request->removed };
    marey_status status = marey_library_list(env->library, &def, &listing, error);
    if (status == MAREY_OK) status = app_own_listing(env, listing, error);
    if (status == MAREY_OK) done->entries = marey_listing_entries(listing, &done->count);
    return status;
}

static void write_ls(const void *params, const void *result, json *out)
{
    const app_ls_result *done = result;
    (void)params;
    json_open(out, "clips", '[');
    for (int i = 0; i < done->count; i++) {
        json_open(out, NULL, '{');
        app_entry_write(&done->entries[i], out);
        json_close(out, '}');
    }
    json_close(out, ']');
}

const app_operation app_ls = {
    .name = "ls",
    .summary = "list the clips of a library",
    .description = { "In the order of their names. With words, only clips in whose name, labels "
                     "or description every one of them begins a word.",
                     "Every clip has a number that stays its own; --json gives it as id. '#34' "
                     "means clip 34 wherever a clip of a library is named." },
    .params = ls_params,
    .params_size = sizeof(app_ls_params),
    .result_size = sizeof(app_ls_result),
    .library = APP_READS,
    .run = run_ls,
    .write = write_ls,
};
