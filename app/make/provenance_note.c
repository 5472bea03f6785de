/* provenance_note.c - provenance as JSON. */
#include "provenance_note.h"

#include <string.h>

void app_provenance_source(app_provenance *note, app_scope *scope, const app_source *source)
{
    app_source *items = app_grow(scope, note->sources, note->source_count, sizeof *items);
    if (!items) note->failed = true;
    if (note->failed) return;
    items[note->source_count++] = *source;
    note->sources = items;
}

void app_provenance_lesson(app_provenance *note, app_scope *scope, const char *clip,
                           const char *licence)
{
    app_lesson *items = app_grow(scope, note->lessons, note->lesson_count, sizeof *items);
    if (!items) note->failed = true;
    if (note->failed) return;
    items[note->lesson_count++] = (app_lesson){ clip, licence };
    note->lessons = items;
}

marey_status app_provenance_part(app_provenance *note, const app_env *env,
                                 const marey_listing *listing, const marey_part *part,
                                 double weight, marey_error *error)
{
    int count;
    const marey_entry *entries = marey_listing_entries(listing, &count), *entry = NULL;
    for (int i = 0; i < count && !entry; i++)
        if (entries[i].id == part->clip) entry = &entries[i];
    if (!entry)
        return app_fail(error, MAREY_ERR_NOT_FOUND, NULL, "clip #%lld was removed",
                        (long long)part->clip);
    app_provenance_source(note, env->scope,
                          &(app_source){ .library = marey_library_path(env->library),
                                         .name = entry->name,
                                         .licence = entry->licence,
                                         .id = entry->id,
                                         .start = part->start,
                                         .end = part->end,
                                         .weight = weight,
                                         .fps = entry->fps,
                                         .stretches = entry->stretches,
                                         .stretch_count = entry->stretch_count,
                                         .repairs = entry->repair_count > 0 ? entry->repairs : NULL,
                                         .description = entry->description,
                                         .labels = entry->labels,
                                         .label_count = entry->label_count });
    return MAREY_OK;
}

/* Each licence once; is it there already, between separators? */
void app_licence_add(buffer *joined, const char *licence)
{
    size_t length = strlen(licence);
    if (length == 0 || joined->failed) return;
    for (const char *at = joined->bytes; at && (at = strstr(at, licence)); at++) {
        bool begins =
            at == joined->bytes || (at - joined->bytes >= 2 && memcmp(at - 2, "; ", 2) == 0);
        if (begins && (at[length] == 0 || at[length] == ';')) return;
    }
    if (joined->used > 0) joined->used--; /* the ending zero */
    if (joined->used > 0) buffer_text(joined, "; ");
    buffer_bytes(joined, licence, length + 1);
}

marey_status app_provenance_write(const app_provenance *note, const app_env *env,
                                  const app_operation *operation, const app_params *params,
                                  const char **text, const char **licences, marey_error *error)
{
    buffer written = buffer_make(env->scope->memory), joined = buffer_make(env->scope->memory);
    json out = json_make(&written);
    json_open(&out, NULL, '{');
    json_put_string(&out, "made_by", operation->name);
    json_put_string(&out, "version", marey_version());
    if (note->family) json_put_string(&out, "family", note->family);
    if (note->graph) json_put_string(&out, "graph", note->graph);
    if (note->puppet) json_put_string(&out, "puppet", note->puppet);
    if (note->main) json_put_string(&out, "main", note->main);
    if (note->lesson_count > 0) json_open(&out, "trained_on", '[');
    for (int i = 0; i < note->lesson_count; i++) {
        json_open(&out, NULL, '{');
        json_put_string(&out, "clip", note->lessons[i].clip);
        json_put_string(&out, "licence", note->lessons[i].licence);
        json_close(&out, '}');
    }
    if (note->lesson_count > 0) json_close(&out, ']');
    json_open(&out, "sources", '[');
    for (int i = 0; i < note->source_count; i++) {
        const app_source *one = &note->sources[i];
        const app_lent *lent = one->lent && one->lent->library ? one->lent : NULL;
        const char *library = lent ? lent->library : one->library;
        int first = lent ? lent->first : 0;
        json_open(&out, NULL, '{');
        if (library) json_put_string(&out, "library", library);
        json_put_string(&out, library ? "clip" : "file", lent ? lent->from : one->name);
        json_put_integer(&out, "start", first + one->start);
        json_put_integer(&out, "end", first + one->end);
        json_put_string(&out, "licence", one->licence);
        if (one->weight != 0) json_put_number(&out, "weight", one->weight);
        if (one->repairs) json_put_value(&out, "repairs", one->repairs);
        json_close(&out, '}');
    }
    json_close(&out, ']');
    app_params_settings(&out, operation->params, params);
    json_close(&out, '}');
    buffer_byte(&written, 0);
    for (int i = 0; i < note->source_count; i++) app_licence_add(&joined, note->sources[i].licence);
    for (int i = 0; i < note->lesson_count; i++) app_licence_add(&joined, note->lessons[i].licence);
    bool whole = !note->failed && !written.failed && !joined.failed;
    *text = whole ? app_copy(env->scope, written.bytes) : NULL;
    *licences = whole ? app_copy(env->scope, joined.used ? joined.bytes : "") : NULL;
    buffer_free(&written);
    buffer_free(&joined);
    return app_check(!*text || !*licences, error);
}
