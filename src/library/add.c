/* add.c - motion into a library by one transaction: files, with their descriptions out of a text
   file such as CMU's index, and takes of the demo, with all that is known of them: what is done in
   words and as labels, the foot plants, and what made them. Files are read and takes built by all
   threads, a batch at a time, and stored in the order given, so the result does not depend on the
   number of threads and memory does not grow with their number. */
#include "library/pose_rows.h"

#include "base/fail.h"
#include "base/grow.h"
#include "base/scan.h"

#include <marey/retarget.h>

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { BATCH = 16, MOST_LABELS = 63, MOST_TAKE_LABELS = 32, DEMO_SEED = 1 };

static const char licence[] = "made by marey demo; free for any use";

/* Lines of a clip's name, blanks or a tab, and what it shows. Lines that do not look like that
   (headings, prose) are passed over: a name holds a digit and no blank, and prose that happens to
   fit names no clip. */
typedef struct line {
    const char *name, *description;
} line;

typedef struct descriptions {
    line *lines; /* sorted by name */
    int count, room;
} descriptions;

static int compare_lines(const void *a, const void *b)
{
    return strcmp(((const line *)a)->name, ((const line *)b)->name);
}

static marey_status read_descriptions(mry_arena *mem, const char *path, descriptions **out,
                                      marey_error *error)
{
    enum { LONGEST = 4096 };
    mry_arena tmp = mry_arena_make(mem->ctx);
    descriptions *index = MRY_NEW(mem, descriptions, 1);
    bool fits = index != NULL;
    mry_scan scan;
    marey_status status = mry_scan_open(&scan, &tmp, path, error);
    if (status) {
        mry_arena_free(&tmp);
        return status;
    }
    /* Lines longer than the window are no index lines; their first part is looked at like any
       other. */
    while (fits && !mry_scan_at_end(&scan)) {
        size_t count = 0, name = 0, start;
        bool digit = false;
        mry_scan_need(&scan, LONGEST);
        const char *text = scan.p;
        while (text + count < scan.end && text[count] != '\n' && text[count] != '\r') count++;
        for (; name < count && !isspace((unsigned char)text[name]); name++)
            digit |= isdigit((unsigned char)text[name]) != 0;
        for (start = name; start < count && isspace((unsigned char)text[start]);) start++;
        size_t end = count;
        while (end > start && isspace((unsigned char)text[end - 1])) end--;
        bool is_line = digit && start < end;
        if (is_line)
            fits = mry_grow_in(mem, &index->lines, &index->room, index->count + 1,
                               sizeof *index->lines);
        if (is_line && fits) {
            line *one = &index->lines[index->count++];
            one->name = mry_arena_text(mem, text, name);
            one->description = mry_arena_text(mem, text + start, end - start);
            fits = one->name && one->description;
        }
        if (fits) mry_scan_take(&scan, count);
    }
    status = fits ? scan.status : mry_scan_fail(&scan, MAREY_ERR_MEMORY, "out of memory");
    mry_scan_close(&scan);
    mry_arena_free(&tmp);
    if (status) return status;
    if (index->count)
        qsort(index->lines, (size_t)index->count, sizeof *index->lines, compare_lines);
    *out = index;
    return MAREY_OK;
}

/* Text that is cut to its room but counted whole. */
typedef struct words {
    char *text;
    size_t room, used;
} words;

__attribute__((format(printf, 2, 3))) static void append(words *out, const char *format, ...)
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

/* Idling is not mentioned unless there is nothing else. */
size_t marey_demo_describe(const marey_demo_take *take, char *text, size_t room)
{
    words out = { .text = text, .room = room };
    int count;
    const marey_demo_segment *segments = marey_demo_segments(take, &count);
    append(&out, "%s", is_all_idle(segments, count) ? "idle" : "");
    for (int i = 0; i < count;) {
        const marey_demo_segment *one = &segments[i];
        int times = 0;
        if (is_idle(one)) {
            i++;
            continue;
        }
        /* How often it is done; idling in between does not count. */
        for (; i < count && (is_idle(&segments[i]) || (strcmp(one->label, segments[i].label) == 0 &&
                                                       strcmp(one->side, segments[i].side) == 0));
             i++) {
            times += !is_idle(&segments[i]);
        }
        /* Twice the same is said twice, more often is counted. */
        for (int k = 0; k < (times > 2 ? 1 : times); k++) {
            append(&out, "%s%s%s%s", out.used ? ", " : "", one->label, *one->side ? " " : "",
                   one->side);
        }
        if (times > 2) append(&out, " x %d", times);
    }
    return out.used;
}

/* The distinct labels of a take; idling counts only where there is nothing else. */
static int find_labels(const marey_demo_take *take, const char **labels)
{
    int count, found = 0;
    const marey_demo_segment *segments = marey_demo_segments(take, &count);
    bool all_idle = is_all_idle(segments, count);
    for (int i = 0; i < count && found < MOST_TAKE_LABELS; i++) {
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
    const char *labels[MOST_TAKE_LABELS];
    size_t length = marey_demo_describe(take, text, sizeof text);
    int count = find_labels(take, labels);
    bool same = strlen(entry->description) == length && length < sizeof text &&
                strcmp(entry->description, text) == 0 && strcmp(entry->licence, licence) == 0 &&
                entry->label_count == count && entry->stretch_count == 0;
    for (int i = 0; i < count && same; i++) {
        int k = 0;
        while (k < entry->label_count && strcmp(entry->labels[k], labels[i]) != 0) k++;
        same = k < entry->label_count;
    }
    return same;
}

/* A take as it goes into the tables. */
typedef struct ready {
    int number;
    marey_demo_take *take;
    mry_arena mem; /* the record's and the card's */
    mry_record record;
    mry_card card;
    const char *labels[MOST_TAKE_LABELS];
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
    if (!status) status = mry_library_begin(library, error);
    if (!status) {
        status = mry_insert_clip(library, &one.record, &one.card, &one.got, error);
        if (!status) mry_title(library, "add %s", one.got.name);
        status = mry_library_end(library, status, error);
    }
    if (!status) mry_copy_name(&one.got, got_name, room);
    mry_arena_free(&one.mem);
    return status;
}

typedef struct taking {
    marey_library *library;
    ready takes[BATCH];
} taking;

static void build_one(void *user, int64_t i)
{
    taking *job = user;
    ready *one = &job->takes[i];
    marey_ctx *ctx = job->library->ctx;
    one->status = marey_demo_build(ctx, one->number, DEMO_SEED, &one->take, &one->error);
    if (!one->status) one->status = make_ready(one, one->take, DEMO_SEED);
}

/* All takes of the demo, each reported to def->done; `total` is what the progress counts to. */
static marey_status add_takes(marey_library *library, const marey_add_def *def, int total,
                              marey_error *error)
{
    mry_arena mem = mry_arena_make(library->ctx);
    taking *job = MRY_NEW(&mem, taking, 1);
    marey_status status = job ? MAREY_OK : mry_fail_memory(error, NULL);
    if (job) job->library = library;
    int count = marey_demo_count();
    for (int at = 0; at < count && !status; at += BATCH) {
        int batch = count - at < BATCH ? count - at : BATCH;
        if (!mry_progress(library->ctx, "adding", at, total)) {
            status = mry_fail_cancelled(error);
            break;
        }
        for (int i = 0; i < batch; i++)
            job->takes[i] = (ready){ .number = at + i, .mem = mry_arena_make(library->ctx) };
        marey_ctx_run(library->ctx, batch, build_one, job);
        for (int i = 0; i < batch; i++) {
            ready *one = &job->takes[i];
            bool there = false;
            if (!status && one->status) {
                if (error) *error = one->error;
                status = one->status;
            }
            if (!status) {
                /* The same motion, made by the demo and not cut out of it or read from a file of
                   it. */
                mry_query query =
                    mry_query_with(library->store,
                                   "SELECT id, name FROM clip WHERE hash = ? AND removed = 0"
                                   " AND provenance GLOB '{\"made_by\":\"demo\"*' ORDER BY id",
                                   mry_bytes(one->record.hash, sizeof one->record.hash));
                there = mry_query_next(&query);
                if (there) {
                    one->got.id = mry_column_integer(&query, 0);
                    snprintf(one->got.name, sizeof one->got.name, "%s", mry_column_text(&query, 1));
                }
                status = mry_query_end(&query, error);
            }
            if (!status && !there)
                status = mry_insert_clip(library, &one->record, &one->card, &one->got, error);
            if (!status && def->done) {
                char path[MRY_LONGEST_CLIP_NAME + 8];
                snprintf(path, sizeof path, "demo:%s", marey_demo_name(one->number));
                const marey_clip *clip = marey_demo_clip(one->take);
                marey_add_result result = { .outcome = there ? MAREY_ADD_DUPLICATE : MAREY_ADD_DONE,
                                            .demo = true,
                                            .path = path,
                                            .name = one->got.name,
                                            .id = one->got.id,
                                            .frames = there ? 0 : marey_clip_frames(clip),
                                            .clip = clip };
                def->done(def->user, &result);
            }
            mry_arena_free(&one->mem);
            marey_demo_free(one->take);
        }
    }
    mry_arena_free(&mem);
    return status;
}

/* One file on its way in. */
typedef struct item {
    const char *path;
    marey_clip *clip;
    mry_arena mem; /* the record's */
    mry_record record;
    marey_condition found; /* its flaws */
    marey_clip *repaired;  /* NULL: none of them is mended */
    marey_repair *repairs;
    int repair_count;
    marey_status status;
    marey_error error;
    marey_named got; /* the clip it became, or duplicates */
} item;

typedef struct adding {
    marey_library *library;
    const marey_add_def *def;
    const descriptions *index;
    item items[BATCH];
} adding;

static bool is_skeleton_only(const char *format)
{
    const marey_format *row;
    for (int i = 0; (row = marey_format_find(i)); i++) {
        if (strcmp(row->name, format) == 0) return row->skeleton_only;
    }
    return false;
}

/* Mends what can be mended of these kinds; poses and flaws are then those that are left. */
static marey_status mend_item(item *one, uint64_t kinds, marey_error *error)
{
    mry_record *record = &one->record;
    const marey_condition *found = &one->found;
    one->repairs = MRY_NEW(&one->mem, marey_repair, found->flaw_count);
    if (!one->repairs) return mry_fail_memory(error, one->path);
    for (int i = 0; i < found->flaw_count; i++) {
        const marey_flaw *flaw = &found->flaws[i];
        if (marey_flaw_wanted(flaw, kinds))
            one->repairs[one->repair_count++] = marey_flaw_repair(flaw);
    }
    if (one->repair_count == 0) return MAREY_OK;
    marey_status status =
        mry_repair_clip(one->clip, one->repairs, one->repair_count, &one->repaired, error);
    if (status) return status;
    bool fits = mry_pose_bytes(one->repaired, &one->mem, &record->blocks, &record->blocks_size) &&
                mry_flaw_bytes(one->repaired, &one->mem, &record->flaws, &record->flaws_size,
                               &record->flaw_count);
    return fits ? MAREY_OK : mry_fail_memory(error, one->path);
}

static void read_item(void *user, int64_t i)
{
    adding *job = user;
    item *one = &job->items[i];
    marey_ctx *ctx = job->library->ctx;
    one->status = marey_motion_load(ctx, one->path, &job->def->load, &one->clip, &one->error);
    if (one->status || is_skeleton_only(marey_clip_report(one->clip)->format)) return;
    one->mem = mry_arena_make(ctx);
    if (!mry_record_make(one->clip, &one->mem, &one->record)) {
        one->status = mry_fail_memory(&one->error, one->path);
    } else {
        one->status = mry_record_check(&one->record, one->path, &one->error);
    }
    if (one->status) return;
    if (mry_flaw_items(one->record.flaws, one->record.flaws_size, &one->mem, &one->found))
        one->status = mry_fail_memory(&one->error, one->path);
    else if (job->def->fix)
        one->status = mend_item(one, job->def->fix, &one->error);
}

/* Stores one item if it is to be stored, and reports it. Fails only if the whole must. */
static marey_status settle_item(adding *job, item *one, marey_error *error)
{
    const marey_add_def *def = job->def;
    marey_add_result result = { .path = one->path, .name = "", .clip = one->clip };
    if (one->status == MAREY_ERR_MEMORY || one->status == MAREY_ERR_CANCELLED) {
        if (error) *error = one->error;
        return one->status;
    }
    if (one->status) {
        /* What is no motion file is passed over; what is one and fails to read is a failure. */
        bool unknown = one->status == MAREY_ERR_UNKNOWN_FORMAT;
        result.outcome = unknown ? MAREY_ADD_SKIPPED : MAREY_ADD_FAILED;
        result.error = &one->error;
    } else if (is_skeleton_only(marey_clip_report(one->clip)->format)) {
        result.outcome = MAREY_ADD_SKIPPED;
    } else {
        const char *labels[MOST_LABELS + 1], *name = marey_clip_name(one->clip);
        char folder[256] = "", clean_name[MRY_LONGEST_CLIP_NAME + 1];
        int count = 0;
        for (; count < def->label_count; count++) labels[count] = def->labels[count];
        /* The folder that the file is in. */
        const char *slash = strrchr(one->path, '/'), *start = slash;
        while (slash && start > one->path && start[-1] != '/') start--;
        size_t length = slash ? (size_t)(slash - start) : 0;
        bool dots = length > 0 && length <= 2 && strncmp(start, "..", length) == 0;
        if (length > 0 && length < sizeof folder && length <= MRY_LONGEST_CLIP_NAME && !dots)
            memcpy(folder, start, length);
        if (def->label_from_folder && !mry_check_label(folder, NULL)) labels[count++] = folder;
        /* A file's name may hold what a clip's name must not. */
        snprintf(clean_name, sizeof clean_name, "%s", *name ? name : "clip");
        for (char *p = clean_name; *p; p++) {
            if ((unsigned char)*p < 0x20 || *p == 0x7f || *p == '#' || *p == '/') *p = '_';
        }
        const line key = { .name = name };
        const line *found = job->index && job->index->count
                                ? bsearch(&key, job->index->lines, (size_t)job->index->count,
                                          sizeof key, compare_lines)
                                : NULL;
        mry_card card = { .name = clean_name,
                          .source = one->path,
                          .description = found ? found->description : "",
                          .licence = def->licence ? def->licence : "",
                          .provenance = "",
                          .labels = labels,
                          .label_count = count,
                          .repaired = one->repaired,
                          .repairs = one->repairs,
                          .repair_count = one->repair_count };
        bool duplicate = false;
        marey_status status =
            mry_store_record(job->library, &one->record, &card, &duplicate, &one->got, error);
        if (status) return status;
        result.outcome = duplicate ? MAREY_ADD_DUPLICATE : MAREY_ADD_DONE;
        result.name = one->got.name;
        result.id = one->got.id;
        result.frames = duplicate ? 0 : marey_clip_frames(one->clip);
        if (!duplicate) {
            result.flaws = one->found.flaws;
            result.flaw_count = one->found.flaw_count;
            result.mended = one->repair_count;
        }
    }
    if (def->done) def->done(def->user, &result);
    return MAREY_OK;
}

/* By what came since the numbers were remembered, at the beginning of this change. */
static void title_added(marey_library *library, int takes)
{
    int64_t first = 0, count = 0;
    mry_query row = mry_query_start(library->store, "SELECT min(id), count(*) FROM clip WHERE id >"
                                                    " (SELECT last_clip FROM edition)");
    if (mry_query_next(&row)) {
        first = mry_column_integer(&row, 0);
        count = mry_column_integer(&row, 1);
    }
    mry_query_end(&row, NULL);
    if (takes > 0)
        mry_title(library, "add the demo (%d clips)", (int)count);
    else
        mry_title_clips(library, "add", first, (int)count);
}

marey_status marey_library_add(marey_library *library, const char *const *paths, int count,
                               const marey_add_def *def, marey_error *error)
{
    static const marey_add_def defaults = { 0 };
    if (!def) def = &defaults;
    if (def->label_count > MOST_LABELS)
        return mry_fail(error, MAREY_ERR_REQUEST, NULL, "at most %d labels at once", MOST_LABELS);
    marey_ctx *ctx = library->ctx;
    mry_arena mem = mry_arena_make(ctx);
    adding *job = MRY_NEW(&mem, adding, 1);
    descriptions *index = NULL;
    int takes = def->demo ? marey_demo_count() : 0;
    marey_status status = job ? MAREY_OK : mry_fail_memory(error, NULL);
    /* An invalid label would fail every file. */
    for (int i = 0; i < def->label_count && !status; i++)
        status = mry_check_label(def->labels[i], error);
    if (!status && def->index_path)
        status = read_descriptions(&mem, def->index_path, &index, error);
    if (!status) status = mry_library_begin(library, error);
    if (status) {
        mry_arena_free(&mem);
        return status;
    }
    *job = (adding){ .library = library, .def = def, .index = index };
    if (takes > 0) status = add_takes(library, def, takes + count, error);
    for (int at = 0; at < count && !status; at += BATCH) {
        int batch = count - at < BATCH ? count - at : BATCH;
        if (!mry_progress(ctx, "adding", takes + at, takes + count)) break;
        for (int i = 0; i < batch; i++)
            job->items[i] = (item){ .path = paths[at + i], .mem = mry_arena_make(ctx) };
        marey_ctx_run(ctx, batch, read_item, job);
        for (int i = 0; i < batch; i++) {
            item *one = &job->items[i];
            if (!status) status = settle_item(job, one, error);
            mry_arena_free(&one->mem);
            marey_clip_free(one->repaired);
            marey_clip_free(one->clip);
            one->clip = one->repaired = NULL;
        }
    }
    /* A cancel that comes with the last file is obeyed too: `done` may be where it comes from. */
    if (!status && mry_cancelled(ctx)) status = mry_fail_cancelled(error);
    title_added(library, takes);
    status = mry_library_end(library, status, error);
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
