/* cut.c - a part of a clip as a clip of its own, which remembers where it comes from. */
#include "library/library_data.h"

#include "base/fail.h"
#include "base/json_text.h"

#include <stdio.h>
#include <string.h>

/* What the new clip takes over from the old one. */
typedef struct heritage {
    marey_named clip;
    const char *description, *licence;
    const char *repairs; /* members of its provenance, or "" */
    const char **labels;
    int label_count;
} heritage;

/* Texts and labels of the clip of this name. */
static marey_status read_heritage(marey_library *library, const char *name, mry_arena *mem,
                                  heritage *out, marey_error *error)
{
    marey_status status = mry_clip_find(library, name, false, &out->clip, error);
    if (status) return status;
    mry_query query =
        mry_query_with(library->store,
                       "SELECT description, licence, (SELECT count(*) FROM label WHERE"
                       " clip = ?1), CASE layer_sum WHEN 0 THEN '' ELSE ',\"repairs\":' ||"
                       " " MRY_REPAIRS_JSON " || ',\"layer_sum\":' || layer_sum END"
                       " FROM clip WHERE id = ?1",
                       mry_integer(out->clip.id));
    bool fits = true;
    int room = 0;
    if (mry_query_next(&query)) {
        out->description = mry_column_copy(&query, 0, mem);
        out->licence = mry_column_copy(&query, 1, mem);
        room = (int)mry_column_integer(&query, 2);
        out->repairs = mry_column_copy(&query, 3, mem);
        out->labels = MRY_NEW(mem, const char *, room);
        fits = out->description && out->licence && out->repairs && out->labels;
    }
    status = mry_query_end(&query, error);
    if (!status && !fits) status = mry_fail_memory(error, name);
    if (!status && !out->labels)
        status = mry_fail(error, MAREY_ERR_INPUT, name, "it is damaged; run marey verify");
    if (status) return status;
    query = mry_query_with(library->store, "SELECT label FROM label WHERE clip = ? ORDER BY label",
                           mry_integer(out->clip.id));
    while (fits && out->label_count < room && mry_query_next(&query)) {
        out->labels[out->label_count] = mry_column_copy(&query, 0, mem);
        fits = out->labels[out->label_count] != NULL;
        out->label_count += fits;
    }
    status = mry_query_end(&query, error);
    return status || fits ? status : mry_fail_memory(error, NULL);
}

/* The inside of a JSON string; what is no UTF-8 becomes U+FFFD. NULL when out of memory. */
static const char *escape(mry_arena *mem, const char *text)
{
    char *out = mry_arena_take(mem, 6 * strlen(text) + 1, 1), *to = out;
    if (!out) return NULL;
    for (const unsigned char *p = (const unsigned char *)text; *p;) {
        size_t length = mry_utf8_length(p);
        if (length == 0 || *p < 0x20) {
            to += sprintf(to, "\\u%04x", length == 0 ? 0xfffdu : *p);
            p++;
            continue;
        }
        if (*p == '"' || *p == '\\') *to++ = '\\';
        memcpy(to, p, length);
        to += length;
        p += length;
    }
    *to = 0;
    return out;
}

/* The old clip's plants inside the part, counted from its beginning. */
static marey_status take_contacts(marey_library *library, mry_arena *mem, int64_t id, int start,
                                  int end, bool mirrored, mry_card *card, marey_error *error)
{
    int count = -1, kept = 0;
    marey_status status = mry_read_contacts(library, id, NULL, 0, &count, error);
    if (status || count < 0) return status;
    marey_contact *all = MRY_NEW(mem, marey_contact, count);
    if (!all) return mry_fail_memory(error, card->name);
    status = mry_read_contacts(library, id, all, count, &count, error);
    for (int i = 0; i < count && !status; i++) {
        marey_contact one = all[i];
        one.start = (one.start > start ? one.start : start) - start;
        one.end = (one.end < end ? one.end : end) - start;
        if (mirrored) /* the other foot's or hand's */
            one.joint =
                (marey_contact_joint)(one.joint ^ (one.joint < MAREY_CONTACT_LEFT_HAND ? 2 : 1));
        if (one.start < one.end) all[kept++] = one;
    }
    card->contacts = all;
    card->contact_count = kept;
    card->contacts_set = true;
    return status;
}

/* A part of a clip that is loaded, as a clip of its own. */
static marey_status insert_part(marey_library *library, const marey_clip *clip,
                                const marey_clip_cut *cut, const marey_clip_cuts_def *def,
                                const heritage *from, mry_arena *mem, marey_named *got,
                                marey_error *error)
{
    marey_clip *part = NULL;
    mry_record record;
    /* The old clip's labels, then those that all new clips get. */
    const char **labels = MRY_NEW(mem, const char *, from->label_count + def->label_count);
    const char *name = escape(mem, from->clip.name), *licence = escape(mem, from->licence);
    if (!labels || !name || !licence) return mry_fail_memory(error, cut->clip);
    for (int i = 0; i < from->label_count; i++) labels[i] = from->labels[i];
    for (int i = 0; i < def->label_count; i++) labels[from->label_count + i] = def->labels[i];
    mry_card card = { .name = cut->name,
                      .source = "",
                      .description = from->description,
                      .licence = from->licence,
                      .labels = labels,
                      .label_count = from->label_count + def->label_count };
    card.provenance =
        mry_arena_print(mem,
                        "{\"made_by\":\"%s\",\"sources\":[{\"clip\":\"%s\",\"start\":%d,"
                        "\"end\":%d,\"licence\":\"%s\"%s}]}",
                        cut->mirrored ? "cut and mirror" : "cut", name, cut->start, cut->end,
                        licence, from->repairs);
    marey_status status = marey_clip_trim(clip, cut->start, cut->end, &part, error);
    if (!status && cut->mirrored) {
        marey_clip *other = NULL;
        status = marey_clip_mirror(part, &other, error);
        marey_clip_free(part);
        part = other;
    }
    if (status) return status;
    status = take_contacts(library, mem, from->clip.id, cut->start, cut->end, cut->mirrored, &card,
                           error);
    marey_stretch *stretches = NULL;
    if (!status)
        status = mry_read_stretches(library, from->clip.id, cut->start, cut->end, mem, &stretches,
                                    &card.stretch_count, error);
    card.stretches = stretches;
    if (!status && (!card.provenance || !mry_record_make(part, mem, &record)))
        status = mry_fail_memory(error, cut->clip);
    if (!status) status = mry_insert_clip(library, &record, &card, got, error);
    marey_clip_free(part);
    return status;
}

/* Everything inside the transaction, so that the parts and what is said about them belong together.
   A clip may be named by what an earlier cut was called: each is looked for when its turn comes.
   The clip that was cut last stays loaded, as the next cut is most likely of the same. */
marey_status marey_library_cut_clips(marey_library *library, const marey_clip_cut *cuts, int count,
                                     const marey_clip_cuts_def *def, marey_named *got,
                                     marey_error *error)
{
    static const marey_clip_cuts_def nothing = { 0 };
    if (!def) def = &nothing;
    int64_t loaded = 0; /* whose motion `clip` is; 0: none */
    int64_t last = 0;   /* part that was made */
    marey_clip *clip = NULL;
    marey_status status = MAREY_OK;
    for (int i = 0; i < count && !status; i++) status = mry_check_name(cuts[i].name, error);
    if (!status) status = mry_library_begin(library, error);
    if (status) return status;
    for (int i = 0; i < count && !status; i++) {
        mry_arena mem = mry_arena_make(library->ctx);
        heritage from = { 0 };
        marey_named part;
        status = mry_cancelled(library->ctx)
                     ? mry_fail_cancelled(error)
                     : read_heritage(library, cuts[i].clip, &mem, &from, error);
        if (!status && loaded != from.clip.id) {
            marey_clip_free(clip);
            clip = NULL;
            loaded = 0;
            status = mry_load_clip(library, from.clip.id, cuts[i].clip, &clip, error);
            if (!status) loaded = from.clip.id;
        }
        if (!status) status = insert_part(library, clip, &cuts[i], def, &from, &mem, &part, error);
        if (!status && got) got[i] = part;
        if (!status) last = part.id;
        mry_arena_free(&mem);
    }
    /* The sources' labels after all cuts, so that none takes them over. */
    for (int i = 0; i < def->source_label_count && !status; i++)
        status = mry_check_label(def->source_labels[i], error);
    for (int i = 0; i < count && def->source_label_count > 0 && !status; i++) {
        int64_t id = 0;
        status = mry_clip_id(library, cuts[i].clip, false, &id, error);
        for (int k = 0; k < def->source_label_count && !status; k++)
            status = mry_add_label(library, id, def->source_labels[k], error);
        if (!status) status = mry_update_words(library, id, error);
    }
    marey_clip_free(clip);
    mry_title_clips(library, "cut", last, count);
    return mry_library_end(library, status, error);
}

marey_status marey_library_cut_clip(marey_library *library, const char *name, int start, int end,
                                    const char *new_name, marey_named *got, marey_error *error)
{
    marey_named part;
    marey_clip_cut cut = { .clip = name, .start = start, .end = end, .name = new_name };
    marey_status status = marey_library_cut_clips(library, &cut, 1, NULL, &part, error);
    if (!status && got) *got = part;
    return status;
}

marey_status marey_library_cut(marey_library *library, const char *name, int start, int end,
                               const char *new_name, char *got_name, size_t room,
                               marey_error *error)
{
    marey_named part;
    marey_status status = marey_library_cut_clip(library, name, start, end, new_name, &part, error);
    if (!status) mry_copy_name(&part, got_name, room);
    return status;
}
