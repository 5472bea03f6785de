/* behaviours.c - behaviours out of labels and documents. */
#include "behaviours.h"

#include "clip_reading.h"
#include "json_reader.h"

#include <string.h>

/* ---- rows ------------------------------------------------------------------------------------ */

typedef struct noted {
    marey_behaviour of;
    struct noted *next;
} noted;

typedef struct notes {
    const app_env *env;
    const marey_parts *parts;
    noted *first, *last;
    int count;
    bool refused; /* memory */
} notes;

/* Frames [start, end) of a clip, wherever they are in the parts. What is said of a whole clip goes on
   in it somewhere; a stretch is an action. The label must live as long as the scope. */
static void note(notes *list, int64_t clip, int start, int end, const char *label, bool ongoing)
{
    for (int i = 0; i < list->parts->count && !list->refused; i++) {
        const marey_part *part = &list->parts->parts[i];
        int from = start > part->start ? start : part->start;
        int to = end < part->end ? end : part->end;
        if (part->clip != clip || from >= to) continue;
        noted *one = APP_NEW(list->env->scope, noted, 1);
        list->refused = !one;
        if (!one) return;
        one->of = (marey_behaviour){ i, from - part->start, to - part->start, label, ongoing };
        if (list->last) {
            list->last->next = one;
        } else {
            list->first = one;
        }
        list->last = one;
        list->count++;
    }
}

static marey_status put_in_a_row(const notes *list, app_behaviours *out, marey_error *error)
{
    int count = 0;
    marey_behaviour *items = APP_NEW(list->env->scope, marey_behaviour, list->count);
    if (!items || list->refused) return app_fail_memory(error);
    for (const noted *one = list->first; one; one = one->next) items[count++] = one->of;
    out->items = items;
    out->count = count;
    return MAREY_OK;
}

marey_status app_behaviours_of_labels(const app_env *env, const marey_listing *listing,
                                      const marey_parts *parts, app_behaviours *out,
                                      marey_error *error)
{
    int count;
    notes list = { .env = env, .parts = parts };
    const marey_entry *entries = marey_listing_entries(listing, &count);
    for (int i = 0; i < count; i++) {
        for (int k = 0; k < entries[i].label_count; k++)
            note(&list, entries[i].id, 0, entries[i].frames, entries[i].labels[k], true);
        for (int k = 0; k < entries[i].stretch_count; k++) {
            const marey_stretch *one = &entries[i].stretches[k];
            note(&list, entries[i].id, one->start, one->end, one->label, false);
        }
    }
    *out = (app_behaviours){ .unknown = 0 };
    return put_in_a_row(&list, out, error);
}

/* ---- documents ------------------------------------------------------------------------------- */

typedef struct segment {
    int start, end;
    const char *label;
    bool has_start, has_end, has_label;
    struct segment *next;
} segment;

typedef struct taking {
    notes all;
    const marey_listing *listing;
    segment *first, *last; /* of the take in hand, whose clip may be named behind them */
    char clip[MAREY_NAME_ROOM];
    int known, unknown;
    bool seen;
} taking;

static bool read_segment_field(json_reader *r, const char *key, void *user)
{
    segment *one = user;
    char label[MAREY_NAME_ROOM];
    taking *of = r->user;
    if (strcmp(key, "label") == 0) {
        if (!json_read_text(r, label, sizeof label)) return false;
        one->has_label = *label != 0;
        one->label = app_copy(of->all.env->scope, label);
        of->all.refused |= !one->label;
        return true;
    }
    if (strcmp(key, "start") == 0) {
        one->has_start = true;
        return json_read_frame(r, &one->start);
    }
    if (strcmp(key, "end") == 0) {
        one->has_end = true;
        return json_read_frame(r, &one->end);
    }
    return json_skip(r);
}

static bool read_segment(json_reader *r, const char *key, void *user)
{
    taking *of = r->user;
    segment one = { .has_label = false };
    json_reader before = *r;
    (void)key, (void)user;
    if (*r->at != '{')
        return json_expected(r, "a segment: {\"label\": ..., \"start\": ..., \"end\": ...}");
    if (!json_each(r, read_segment_field, &one)) return false;
    if (!one.has_label || !one.has_start || !one.has_end) {
        return json_wrong(&before,
                          "a segment needs \"label\", \"start\" and \"end\"; this one has no %s",
                          !one.has_label   ? "label"
                          : !one.has_start ? "start"
                                           : "end");
    }
    if (one.end <= one.start) {
        return json_wrong(&before, "end frame must come after start frame, got %d-%d", one.start,
                          one.end);
    }
    segment *kept = APP_NEW(of->all.env->scope, segment, 1);
    of->all.refused |= !kept;
    if (!kept) return true;
    *kept = one;
    if (of->last) {
        of->last->next = kept;
    } else {
        of->first = kept;
    }
    of->last = kept;
    return true;
}

static bool read_take_field(json_reader *r, const char *key, void *user)
{
    taking *of = user;
    if (strcmp(key, "clip") == 0) return json_read_text(r, of->clip, sizeof of->clip);
    if (strcmp(key, "segments") != 0) return json_skip(r);
    return *r->at == '[' ? json_each(r, read_segment, of)
                         : json_expected(r, "a list of segments: [...]");
}

static bool read_take(json_reader *r, const char *key, void *user)
{
    taking *of = user;
    const marey_parts *parts = of->all.parts;
    json_reader before = *r;
    int64_t clip = 0;
    (void)key;
    of->clip[0] = 0;
    of->first = of->last = NULL;
    if (*r->at != '{') return json_expected(r, "a take: {\"clip\": ..., \"segments\": [...]}");
    if (!json_each(r, read_take_field, of)) return false;
    if (!of->clip[0]) return json_wrong(&before, "a take needs \"clip\", the name of its clip");
    /* Its segments are for the clip of its name. */
    for (int i = 0; i < parts->count && !clip; i++) {
        if (strcmp(parts->names[i].name, of->clip) == 0) clip = parts->parts[i].clip;
    }
    of->known += clip != 0;
    of->unknown += !clip && !app_listing_find(of->listing, of->clip);
    for (const segment *one = of->first; one && clip; one = one->next)
        note(&of->all, clip, one->start, one->end, one->label, false);
    return true;
}

static bool read_top(json_reader *r, const char *key, void *user)
{
    taking *of = user;
    if (strcmp(key, "takes") != 0) return json_skip(r);
    of->seen = true;
    return *r->at == '[' ? json_each(r, read_take, of) : json_expected(r, "a list of takes: [...]");
}

marey_status app_behaviours_read(const app_env *env, const app_document *document,
                                 const marey_listing *listing, const marey_parts *parts,
                                 app_behaviours *out, marey_error *error)
{
    taking of = { .all = { .env = env, .parts = parts }, .listing = listing };
    buffer text = { .bytes = (char *)(uintptr_t)document->text,
                    .used = strlen(document->text) + 1 };
    json_reader r = json_reader_make(&text, document->name, error, &of), start = r;
    if (!json_read_all(&r, &text, "an object: {\"takes\": [...]}", read_top))
        return MAREY_ERR_INPUT;
    if (!of.seen) {
        json_wrong(&start, "there is no \"takes\" in it");
        return MAREY_ERR_INPUT;
    }
    if (of.known == 0) {
        return app_fail(error, MAREY_ERR_REQUEST, document->name,
                        "none of its takes is a clip of this graph: they go by the clips' names");
    }
    *out = (app_behaviours){ .unknown = of.unknown };
    return put_in_a_row(&of.all, out, error);
}
