/* cut.c - a part of a clip as a clip of its own, which remembers where it comes from. */
#include "library/library_data.h"

#include "base/fail.h"

#include <stdio.h>
#include <string.h>

/* What the new clip takes over from the old one. */
typedef struct heritage {
    int64_t id;
    const char *description, *licence;
    const char **labels;
    int label_count;
} heritage;

static marey_status read_texts(marey_library *library, const char *name, mry_arena *mem,
                               heritage *out, marey_error *error)
{
    marey_status status = mry_clip_id(library, name, false, &out->id, error);
    if (status) return status;
    mry_query query = mry_query_start(
        library->store, "SELECT description, licence, (SELECT count(*) FROM label WHERE"
                        " clip = ?1) FROM clip WHERE id = ?1");
    mry_bind_integer(&query, 1, out->id);
    bool fits = true;
    if (mry_query_next(&query)) {
        const char *description = mry_column_text(&query, 0), *licence = mry_column_text(&query, 1);
        out->description = mry_arena_text(mem, description, strlen(description));
        out->licence = mry_arena_text(mem, licence, strlen(licence));
        out->labels = MRY_NEW(mem, const char *, mry_column_integer(&query, 2));
        fits = out->description && out->licence && out->labels;
    }
    status = mry_query_end(&query, error);
    return status || fits ? status : mry_fail_memory(error, name);
}

static marey_status read_labels(marey_library *library, mry_arena *mem, heritage *out,
                                marey_error *error)
{
    mry_query query =
        mry_query_start(library->store, "SELECT label FROM label WHERE clip = ? ORDER BY label");
    bool fits = true;
    mry_bind_integer(&query, 1, out->id);
    while (fits && mry_query_next(&query)) {
        const char *label = mry_column_text(&query, 0);
        const char *kept = mry_arena_text(mem, label, strlen(label));
        fits = kept != NULL;
        if (fits) out->labels[out->label_count++] = kept;
    }
    marey_status status = mry_query_end(&query, error);
    return status || fits ? status : mry_fail_memory(error, NULL);
}

/* Names hold no control characters; quotes and backslashes they may. */
static void escape(char *out, size_t room, const char *text)
{
    size_t n = 0;
    for (; *text && n + 2 < room; text++) {
        if (*text == '"' || *text == '\\') out[n++] = '\\';
        out[n++] = *text;
    }
    out[n] = 0;
}

static const char *say_provenance(mry_arena *mem, const char *name, int start, int end,
                                  const char *licence)
{
    char clip[2 * MRY_LONGEST_CLIP_NAME + 2], terms[1024];
    escape(clip, sizeof clip, name);
    escape(terms, sizeof terms, licence);
    return mry_arena_print(
        mem,
        "{\"made_by\":\"cut\",\"sources\":[{\"clip\":\"%s\",\"start\":%d,\"end\":%d,"
        "\"licence\":\"%s\"}]}",
        clip, start, end, terms);
}

static marey_status insert_part(marey_library *library, const char *name, int start, int end,
                                const char *new_name, const mry_record *record, mry_arena *mem,
                                char *got_name, size_t room, marey_error *error)
{
    heritage from = { 0 };
    marey_status status = read_texts(library, name, mem, &from, error);
    if (!status) status = read_labels(library, mem, &from, error);
    if (status) return status;
    mry_card card = { .name = new_name,
                      .source = "",
                      .description = from.description,
                      .licence = from.licence,
                      .provenance = say_provenance(mem, name, start, end, from.licence),
                      .labels = from.labels,
                      .label_count = from.label_count };
    if (!card.provenance) return mry_fail_memory(error, name);
    return mry_insert_clip(library, record, &card, got_name, room, error);
}

marey_status marey_library_cut(marey_library *library, const char *name, int start, int end,
                               const char *new_name, char *got_name, size_t room,
                               marey_error *error)
{
    mry_arena mem = mry_arena_make(library->ctx);
    marey_clip *clip = NULL, *part = NULL;
    mry_record record;
    marey_status status = mry_check_name(new_name, error);
    if (!status) status = marey_library_load(library, name, &clip, error);
    if (!status) status = marey_clip_trim(clip, start, end, &part, error);
    if (!status && !mry_record_make(part, &mem, &record)) status = mry_fail_memory(error, name);
    if (!status) status = mry_store_begin(library->store, error);
    if (!status) {
        status =
            insert_part(library, name, start, end, new_name, &record, &mem, got_name, room, error);
        if (status) mry_store_rollback(library->store);
        if (!status) status = mry_store_commit(library->store, error);
    }
    marey_clip_free(part);
    marey_clip_free(clip);
    mry_arena_free(&mem);
    return status;
}
