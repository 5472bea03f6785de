/* demo_put.c - takes of the demo into a library, with all that is known of them: what is done in words and as labels,
   the foot plants, and what made them. */
#include "library/library_data.h"

#include "base/fail.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MOST_LABELS = 32, BATCH = 16, DEMO_SEED = 1 };

static const char licence[] = "made by marey demo; free for any use";

/* ---- in words ---------------------------------------------------------------------------------- */

/* Text that is cut to its room but counted whole. */
typedef struct words {
    char *text;
    size_t room, used;
} words;

__attribute__((format(printf, 2, 3))) static void say(words *out, const char *format, ...)
{
    va_list args;
    size_t left = out->used < out->room ? out->room - out->used : 0;
    va_start(args, format);
    int length = vsnprintf(left ? out->text + out->used : NULL, left, format, args);
    va_end(args);
    out->used += length > 0 ? (size_t)length : 0;
}

static bool is_idle(const marey_demo_segment *segment)
{
    return strcmp(segment->label, "idle") == 0;
}

static bool is_all_idle(const marey_demo_segment *segments, int count)
{
    for (int i = 0; i < count; i++) {
        if (!is_idle(&segments[i])) return false;
    }
    return true;
}

/* The next one that is worth a word, from `i` on; `count` if there is none. */
static int next_action(const marey_demo_segment *segments, int count, int i)
{
    while (i < count && is_idle(&segments[i])) i++;
    return i;
}

static bool is_same(const marey_demo_segment *a, const marey_demo_segment *b)
{
    return strcmp(a->label, b->label) == 0 && strcmp(a->side, b->side) == 0;
}

/* Twice the same is said twice, more often is counted. */
static void say_repeated(words *out, const marey_demo_segment *one, int times)
{
    for (int i = 0; i < (times > 2 ? 1 : times); i++) {
        say(out, "%s%s%s%s", out->used ? ", " : "", one->label, *one->side ? " " : "", one->side);
    }
    if (times > 2) say(out, " x %d", times);
}

/* Idling is not mentioned unless there is nothing else. */
size_t marey_demo_describe(const marey_demo_take *take, char *text, size_t room)
{
    words out = { .text = text, .room = room };
    int count;
    const marey_demo_segment *segments = marey_demo_segments(take, &count);
    say(&out, "%s", is_all_idle(segments, count) ? "idle" : "");
    for (int i = next_action(segments, count, 0); i < count;) {
        const marey_demo_segment *one = &segments[i];
        int times = 0;
        for (; i < count && is_same(one, &segments[i]); times++) {
            i = next_action(segments, count, i + 1);
        }
        say_repeated(&out, one, times);
    }
    return out.used;
}

/* The distinct labels of a take; idling counts only where there is nothing else. */
static int find_labels(const marey_demo_take *take, const char **labels)
{
    int count, found = 0;
    const marey_demo_segment *segments = marey_demo_segments(take, &count);
    bool all_idle = is_all_idle(segments, count);
    for (int i = 0; i < count && found < MOST_LABELS; i++) {
        int first = 0; /* with this label */
        while (strcmp(segments[first].label, segments[i].label) != 0) first++;
        if (first < i || (is_idle(&segments[i]) && !all_idle)) continue;
        labels[found++] = segments[i].label;
    }
    return found;
}

bool marey_entry_is_as_made(const marey_entry *entry, const marey_demo_take *take)
{
    char text[2048]; /* a description that does not fit differs in its length */
    const char *labels[MOST_LABELS];
    size_t length = marey_demo_describe(take, text, sizeof text);
    int count = find_labels(take, labels);
    bool same = strlen(entry->description) == length && length < sizeof text &&
                strcmp(entry->description, text) == 0 && strcmp(entry->licence, licence) == 0 &&
                entry->label_count == count;
    for (int i = 0; i < count && same; i++) {
        int k = 0;
        while (k < entry->label_count && strcmp(entry->labels[k], labels[i]) != 0) k++;
        same = k < entry->label_count;
    }
    return same;
}

/* ---- one take ---------------------------------------------------------------------------------- */

/* A take as it goes into the tables. */
typedef struct ready {
    int number;
    marey_demo_take *take;
    mry_arena mem; /* the record's and the card's */
    mry_record record;
    mry_card card;
    const char *labels[MOST_LABELS];
    marey_named got; /* the clip it became, or is already */
    marey_status status;
    marey_error error;
} ready;

/* Names of takes, labels and the version hold nothing that JSON would have to escape. */
static marey_status make_ready(ready *one, const marey_demo_take *take, uint64_t seed)
{
    const marey_clip *clip = marey_demo_clip(take);
    const char *name = marey_clip_name(clip);
    size_t room = marey_demo_describe(take, NULL, 0) + 1;
    char *description = mry_arena_take(&one->mem, room, 1);
    const char *provenance = mry_arena_print(
        &one->mem,
        "{\"made_by\":\"demo\",\"version\":\"%s\",\"seed\":%" PRIu64 ",\"take\":\"%s\","
        "\"licence\":\"%s\"}",
        marey_version(), seed, name, licence);
    if (!description || !provenance || !mry_record_make(clip, &one->mem, &one->record)) {
        return mry_fail_memory(&one->error, name);
    }
    marey_demo_describe(take, description, room);
    one->card = (mry_card){ .name = name,
                            .source = "",
                            .description = description,
                            .licence = licence,
                            .provenance = provenance,
                            .labels = one->labels,
                            .label_count = find_labels(take, one->labels),
                            .contacts_set = true };
    one->card.contacts = marey_demo_contacts(take, &one->card.contact_count);
    return MAREY_OK;
}

marey_status marey_library_put_demo(marey_library *library, const marey_demo_take *take,
                                    uint64_t seed, char *got_name, size_t room, marey_error *error)
{
    ready one = { .mem = mry_arena_make(library->ctx) };
    marey_status status = make_ready(&one, take, seed);
    if (status && error) *error = one.error;
    if (!status) status = mry_store_begin(library->store, error);
    if (!status) {
        status = mry_insert_clip(library, &one.record, &one.card, &one.got, error);
        status = mry_library_end(library, status, error);
    }
    if (!status) mry_tell_name(&one.got, got_name, room);
    mry_arena_free(&one.mem);
    return status;
}

/* ---- all of them ------------------------------------------------------------------------------- */

typedef struct adding {
    marey_library *library;
    ready takes[BATCH];
} adding;

static void build_one(void *user, int64_t i)
{
    adding *all = user;
    ready *one = &all->takes[i];
    marey_ctx *ctx = all->library->ctx;
    one->status = marey_demo_build(ctx, one->number, DEMO_SEED, &one->take, &one->error);
    if (!one->status) one->status = make_ready(one, one->take, DEMO_SEED);
}

/* The same motion, made by the demo and not cut out of it or read from a file of it. */
static marey_status find_take(marey_library *library, ready *one, bool *there, marey_error *error)
{
    mry_query query = mry_query_start(library->store,
                                      "SELECT id, name FROM clip WHERE hash = ? AND removed = 0"
                                      " AND provenance GLOB '{\"made_by\":\"demo\"*' ORDER BY id");
    mry_bind_bytes(&query, 1, one->record.hash, sizeof one->record.hash);
    *there = mry_query_next(&query);
    if (*there) {
        one->got.id = mry_column_integer(&query, 0);
        snprintf(one->got.name, sizeof one->got.name, "%s", mry_column_text(&query, 1));
    }
    return mry_query_end(&query, error);
}

static marey_status settle_take(marey_library *library, ready *one, const marey_add_def *def,
                                marey_error *error)
{
    char path[MRY_LONGEST_CLIP_NAME + 8];
    bool there = false;
    if (one->status) {
        if (error) *error = one->error;
        return one->status;
    }
    marey_status status = find_take(library, one, &there, error);
    if (!status && !there) {
        status = mry_insert_clip(library, &one->record, &one->card, &one->got, error);
    }
    if (status || !def->done) return status;
    snprintf(path, sizeof path, "demo:%s", marey_demo_name(one->number));
    const marey_clip *clip = marey_demo_clip(one->take);
    def->done(def->user,
              &(marey_add_result){ .outcome = there ? MAREY_ADD_DUPLICATE : MAREY_ADD_DONE,
                                   .demo = true,
                                   .path = path,
                                   .name = one->got.name,
                                   .id = one->got.id,
                                   .frames = there ? 0 : marey_clip_frames(clip),
                                   .clip = clip });
    return MAREY_OK;
}

static marey_status add_batch(adding *all, int first, int count, const marey_add_def *def,
                              marey_error *error)
{
    marey_status status = MAREY_OK;
    for (int i = 0; i < count; i++) {
        all->takes[i] = (ready){ .number = first + i, .mem = mry_arena_make(all->library->ctx) };
    }
    marey_ctx_run(all->library->ctx, count, build_one, all);
    for (int i = 0; i < count; i++) {
        if (!status) status = settle_take(all->library, &all->takes[i], def, error);
        mry_arena_free(&all->takes[i].mem);
        marey_demo_free(all->takes[i].take);
    }
    return status;
}

marey_status mry_add_takes(marey_library *library, const marey_add_def *def, int total,
                           marey_error *error)
{
    mry_arena mem = mry_arena_make(library->ctx);
    adding *all = MRY_NEW(&mem, adding, 1);
    marey_status status = all ? MAREY_OK : mry_fail_memory(error, NULL);
    if (all) all->library = library;
    int count = marey_demo_count();
    for (int at = 0; at < count && !status; at += BATCH) {
        int batch = count - at < BATCH ? count - at : BATCH;
        status = mry_progress(library->ctx, "adding", at, total)
                     ? add_batch(all, at, batch, def, error)
                     : mry_fail_cancelled(error);
    }
    mry_arena_free(&mem);
    return status;
}

marey_status marey_library_add_demo(marey_library *library, const marey_add_def *def,
                                    marey_error *error)
{
    marey_add_def own = { .demo = true };
    if (def) {
        own.done = def->done;
        own.user = def->user;
    }
    return marey_library_add(library, NULL, 0, &own, error);
}
