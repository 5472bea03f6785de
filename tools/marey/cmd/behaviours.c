/* behaviours.c - behaviours out of labels and files. */
#include "behaviours.h"

#include "json_reader.h"
#include "param_family.h"
#include "text_file.h"

#include <string.h>

enum { LARGEST_FILE_MIB = 256 };

void behaviours_make(behaviours *all, session *run)
{
    const marey_ctx_def *memory = &run->host->def;
    *all = (behaviours){ .rows = buffer_make(memory), .text = buffer_make(memory) };
}

void behaviours_free(behaviours *all)
{
    buffer_free(&all->rows);
    buffer_free(&all->text);
}

/* ---- rows ------------------------------------------------------------------------------------------ */

/* As long as the text may move, labels are told by where they begin in it. */
typedef struct row {
    marey_behaviour of;
    size_t label;
} row;

static size_t put_label(behaviours *all, const char *label)
{
    size_t at = all->text.used;
    buffer_bytes(&all->text, label, strlen(label) + 1);
    return at;
}

static void add(behaviours *all, const marey_parts *parts, int64_t clip, int start, int end,
                size_t label)
{
    for (int i = 0; i < parts->count; i++) {
        const marey_part *part = &parts->parts[i];
        int from = start > part->start ? start : part->start;
        int to = end < part->end ? end : part->end;
        if (part->clip != clip || from >= to) continue;
        row one = { { .clip = i, .start = from - part->start, .end = to - part->start }, label };
        buffer_bytes(&all->rows, (const char *)&one, sizeof one);
    }
}

void behaviours_add(behaviours *all, const marey_parts *parts, int64_t clip, int start, int end,
                    const char *label)
{
    add(all, parts, clip, start, end, put_label(all, label));
}

void behaviours_of_labels(behaviours *all, const marey_parts *parts, const marey_listing *listing)
{
    int count;
    const marey_entry *entries = marey_listing_entries(listing, &count);
    for (int i = 0; i < count; i++) {
        for (int k = 0; k < entries[i].label_count; k++)
            behaviours_add(all, parts, entries[i].id, 0, entries[i].frames, entries[i].labels[k]);
    }
}

/* Rows become shorter, so they are put over themselves from the front. */
marey_status behaviours_done(behaviours *all, marey_error *error)
{
    if (all->rows.failed || all->text.failed) return fail_for_memory(error);
    size_t count = all->rows.used / sizeof(row);
    for (size_t i = 0; i < count; i++) {
        row one;
        memcpy(&one, all->rows.bytes + i * sizeof one, sizeof one);
        one.of.label = all->text.bytes + one.label;
        memcpy(all->rows.bytes + i * sizeof one.of, &one.of, sizeof one.of);
    }
    all->items = (const marey_behaviour *)(const void *)all->rows.bytes;
    all->count = (int)count;
    return MAREY_OK;
}

/* ---- files ----------------------------------------------------------------------------------------- */

typedef struct segment {
    int start, end;
    size_t label;
    bool has_start, has_end, has_label;
} segment;

typedef struct taking {
    behaviours *all;
    const marey_parts *parts;
    buffer segments; /* of the take in hand, whose clip may be told behind them */
    char clip[MAREY_NAME_ROOM];
    int known;
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
        one->label = put_label(of->all, label);
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
    (void)key;
    (void)user;
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
        return json_wrong(&before, "frames %d-%d are none: the end must be behind the start",
                          one.start, one.end);
    }
    buffer_bytes(&of->segments, (const char *)&one, sizeof one);
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

/* Once the take is known: what it says is for the clip of its name. */
static void end_take(taking *of)
{
    const marey_parts *parts = of->parts;
    int64_t clip = 0;
    for (int i = 0; i < parts->count && !clip; i++) {
        if (strcmp(parts->names[i].name, of->clip) == 0) clip = parts->parts[i].clip;
    }
    of->known += clip != 0;
    const marey_listing *others = of->all->listing;
    of->all->unknown += !clip && !(others && listing_find(others, of->clip));
    for (size_t i = 0; i < of->segments.used / sizeof(segment) && clip; i++) {
        segment one;
        memcpy(&one, of->segments.bytes + i * sizeof one, sizeof one);
        add(of->all, parts, clip, one.start, one.end, one.label);
    }
    of->segments.used = 0;
}

static bool read_take(json_reader *r, const char *key, void *user)
{
    taking *of = user;
    json_reader before = *r;
    (void)key;
    of->clip[0] = 0;
    if (*r->at != '{') return json_expected(r, "a take: {\"clip\": ..., \"segments\": [...]}");
    if (!json_each(r, read_take_field, of)) return false;
    if (!of->clip[0]) return json_wrong(&before, "a take needs \"clip\", the name of its clip");
    end_take(of);
    return true;
}

static bool read_top(json_reader *r, const char *key, void *user)
{
    taking *of = user;
    if (strcmp(key, "takes") != 0) return json_skip(r);
    of->seen = true;
    return *r->at == '[' ? json_each(r, read_take, of) : json_expected(r, "a list of takes: [...]");
}

static marey_status read_all(taking *of, const buffer *text, const char *path, marey_error *error)
{
    json_reader r = json_reader_make(text, path, error, of), start = r;
    if (!json_read_all(&r, text, "an object: {\"takes\": [...]}", read_top)) return MAREY_ERR_INPUT;
    if (!of->seen) {
        json_wrong(&start, "there is no \"takes\" in it");
        return MAREY_ERR_INPUT;
    }
    if (of->segments.failed) return fail_for_memory(error);
    if (of->known > 0) return MAREY_OK;
    return fail_graph(error, MAREY_ERR_REQUEST, path,
                      "none of its takes is a clip of this graph: they go by the clips' names");
}

marey_status behaviours_parse(behaviours *all, session *run, const buffer *text, const char *path,
                              const marey_parts *parts, marey_error *error)
{
    taking of = { .all = all, .parts = parts, .segments = buffer_make(&run->host->def) };
    marey_status status = read_all(&of, text, path, error);
    buffer_free(&of.segments);
    return status;
}

marey_status behaviours_read(behaviours *all, session *run, const char *path,
                             const marey_parts *parts, marey_error *error)
{
    buffer text = buffer_make(&run->host->def);
    marey_status status =
        text_file_read(run, path, LARGEST_FILE_MIB, "a list of behaviours", &text, error);
    if (status == MAREY_OK) status = behaviours_parse(all, run, &text, path, parts, error);
    buffer_free(&text);
    return status;
}
