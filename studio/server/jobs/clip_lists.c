/* clip_lists.c - of the newest list there is the text, which is lent to every answer; of this one and
   some before it a hash of each clip's object, by which changes are found. All that is sent as one
   version is the same bytes, whichever thread put them together: otherwise what changed in the
   middle of it could be missed by one of two pages. */
#include "clip_lists.h"

#include "buffer.h"
#include "entries.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VERSIONS = 8 };

typedef struct row {
    int64_t id;
    uint64_t sum;
    size_t at, count; /* its object in the text, while that is kept */
} row;

typedef struct kept_list {
    int64_t version; /* 0: the place is free */
    row *rows;       /* by id */
    int count;
    uint64_t sum; /* of all, in their order */
} kept_list;

struct clip_lists {
    shared *common;
    pthread_mutex_t lock;       /* for all that follows */
    kept_list places[VERSIONS]; /* the newest first */
    held *text;                 /* of the newest; NULL: there is none */
};

static void free_list(clip_lists *lists, kept_list *list)
{
    heap_resize(&lists->common->memory, list->rows, (size_t)list->count * sizeof(row), 0);
    *list = (kept_list){ 0 };
}

static void forget_all(clip_lists *lists)
{
    for (int i = 0; i < VERSIONS; i++) free_list(lists, &lists->places[i]);
    held_drop(lists->text);
    lists->text = NULL;
}

marey_status clip_lists_open(shared *common, clip_lists **out, marey_error *error)
{
    clip_lists *made = heap_resize(&common->memory, NULL, 0, sizeof *made);
    if (!made) return app_fail_memory(error);
    *made = (clip_lists){ .common = common };
    pthread_mutex_init(&made->lock, NULL);
    *out = made;
    return MAREY_OK;
}

void clip_lists_close(clip_lists *lists)
{
    if (!lists) return;
    forget_all(lists);
    pthread_mutex_destroy(&lists->lock);
    heap_resize(&lists->common->memory, lists, sizeof *lists, 0);
}

void clip_lists_make_room(clip_lists *lists)
{
    if (!lists) return;
    pthread_mutex_lock(&lists->lock);
    forget_all(lists);
    pthread_mutex_unlock(&lists->lock);
}

/* ---- putting one together -------------------------------------------------------------------- */

static uint64_t hash(uint64_t sum, const void *bytes, size_t count) /* FNV-1a */
{
    const uint8_t *byte = bytes;
    for (size_t i = 0; i < count; i++) sum = (sum ^ byte[i]) * 0x100000001b3;
    return sum;
}

static const uint64_t seed = 0xcbf29ce484222325;

static int by_id(const void *a, const void *b)
{
    int64_t one = ((const row *)a)->id, other = ((const row *)b)->id;
    return (one > other) - (one < other);
}

/* The list as it is now, of the worker's own library. The version is asked for first: if the library
   changes in between, the next look shows the change again rather than never. */
static marey_status make(studio_worker *worker, int64_t version, studio_bytes *text,
                         kept_list *list, marey_error *error)
{
    marey_listing *listing = NULL;
    int count = 0;
    marey_status status = marey_library_list(worker->library, NULL, &listing, error);
    if (status != MAREY_OK) return status;
    const marey_entry *entries = marey_listing_entries(listing, &count);
    size_t rows_size = (size_t)count * sizeof(row);
    row *rows = count ? heap_resize(&worker->of->memory, NULL, 0, rows_size) : NULL;
    buffer written = buffer_make(&worker->of->allocator);
    json out = json_make(&written);
    json_open(&out, NULL, '{');
    json_put_integer(&out, "version", version);
    json_open(&out, "clips", '[');
    *list = (kept_list){ .version = version, .rows = rows, .count = count, .sum = seed };
    for (int i = 0; i < count && rows; i++) {
        size_t begin = written.used + (i > 0); /* behind the comma */
        json_open(&out, NULL, '{');
        app_entry_write(&entries[i], &out);
        json_close(&out, '}');
        if (written.failed) break;
        size_t length = written.used - begin;
        rows[i] = (row){ entries[i].id, hash(seed, written.bytes + begin, length), begin, length };
        list->sum = hash(list->sum, &rows[i].sum, sizeof rows[i].sum);
    }
    json_close(&out, ']');
    json_close(&out, '}');
    marey_listing_free(listing);
    if (!written.failed) bytes_add(text, written.bytes, written.used);
    bool failed = written.failed || text->failed || (count > 0 && !rows);
    buffer_free(&written);
    if (failed) {
        heap_resize(&worker->of->memory, rows, rows_size, 0);
        bytes_free(text);
        return app_fail_memory(error);
    }
    if (count > 0) qsort(rows, (size_t)count, sizeof *rows, by_id);
    return MAREY_OK;
}

/* Puts a list in the first place, unless another thread was faster. Takes both over. With the lock
   held. */
static marey_status keep(clip_lists *lists, kept_list *list, studio_bytes *text, marey_error *error)
{
    kept_list *places = lists->places;
    held *lent = places[0].version == list->version && lists->text ? NULL : held_make(text);
    if (!lent) {
        bool there = places[0].version == list->version && lists->text;
        bytes_free(text);
        free_list(lists, list);
        return there ? MAREY_OK : app_fail_memory(error);
    }
    int at = 0; /* one of this version, without its text, makes way */
    while (at < VERSIONS - 1 && places[at].version != list->version) at++;
    free_list(lists, &places[at]);
    memmove(places + 1, places, (size_t)at * sizeof *places);
    places[0] = *list;
    held_drop(lists->text);
    lists->text = lent;
    return MAREY_OK;
}

/* ---- what changed ---------------------------------------------------------------------------- */

/* Both in the order of the ids. With the lock held. */
static void write_changes(const clip_lists *lists, const kept_list *before, studio_bytes *out)
{
    const kept_list *now = &lists->places[0];
    const uint8_t *text = lists->text->content.data;
    char words[80];
    int old = 0,
        count = snprintf(words, sizeof words, "{\"version\":%lld,\"since\":%lld,\"clips\":[",
                         (long long)now->version, (long long)before->version);
    bytes_add(out, words, (size_t)count);
    const char *comma = "";
    for (int i = 0; i < now->count; i++) {
        const row *one = &now->rows[i];
        while (old < before->count && before->rows[old].id < one->id) old++;
        const row *then = old < before->count ? &before->rows[old] : NULL;
        if (then && then->id == one->id && then->sum == one->sum) continue;
        bytes_add(out, comma, strlen(comma));
        bytes_add(out, text + one->at, one->count);
        comma = ",";
    }
    bytes_add(out, "],\"gone\":[", strlen("],\"gone\":["));
    comma = "";
    for (int i = 0, at = 0; i < before->count; i++) {
        int64_t id = before->rows[i].id;
        while (at < now->count && now->rows[at].id < id) at++;
        if (at < now->count && now->rows[at].id == id) continue;
        count = snprintf(words, sizeof words, "%s%lld", comma, (long long)id);
        bytes_add(out, words, (size_t)count);
        comma = ",";
    }
    bytes_add(out, "]}", 2);
}

/* With the lock held, and a text. */
static void answer(clip_lists *lists, int64_t since, studio_response *response)
{
    const kept_list *before = NULL;
    for (int i = 0; i < VERSIONS && since > 0; i++)
        if (lists->places[i].version == since) before = &lists->places[i];
    answer_clear(response);
    response->status = 200;
    response->type = "application/json";
    if (before) {
        write_changes(lists, before, &response->body);
        return;
    }
    response->lent = held_share(lists->text);
    snprintf(response->tag_text, sizeof response->tag_text, "clips-%016llx",
             (unsigned long long)hash(lists->places[0].sum, &lists->places[0].version,
                                      sizeof lists->places[0].version));
    response->tag = response->tag_text;
}

void clip_lists_answer(studio_worker *worker, int64_t since, studio_response *response)
{
    clip_lists *lists = worker->of->lists;
    studio_bytes text = { .memory = &worker->of->memory };
    kept_list list = { 0 };
    marey_error error;
    int64_t version = 0;
    marey_status status = marey_library_version(worker->library, &version, &error);
    pthread_mutex_lock(&lists->lock);
    bool known = lists->text && lists->places[0].version == version;
    if (status == MAREY_OK && !known) {
        pthread_mutex_unlock(&lists->lock); /* others are answered meanwhile */
        status = make(worker, version, &text, &list, &error);
        pthread_mutex_lock(&lists->lock);
        if (status == MAREY_OK) status = keep(lists, &list, &text, &error);
    }
    if (status == MAREY_OK)
        answer(lists, since, response);
    else
        answer_fail(response, &error);
    pthread_mutex_unlock(&lists->lock);
}
