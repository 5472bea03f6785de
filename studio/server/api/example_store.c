/* example_store.c - sets of fragments, opened once. Two locks: a short one around the list, so that who finds a set open is
   never kept waiting, and a long one for whoever opens: the store's context and library belong to one thread at a time. */
#include "example_store.h"

#include "searching_inside.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

typedef struct example_kept {
    struct example_kept *next; /* the one that was used before it */
    int holders;
    bool listed;     /* otherwise the last holder frees it */
    int64_t version; /* of the library */
    marey_dof dofs[MAREY_MOST_DOFS];
    example_wish wish; /* whose dofs are the above, and whose texts and clips these: */
    studio_bytes label, asked;
    studio_bytes clips; /* of marey_named */
    marey_examples *examples;
} example_kept;

struct example_store {
    studio_worker self; /* under `opening` */
    pthread_mutex_t lock, opening;
    example_kept *first; /* the one that was used last */
    int64_t told_version;
    studio_bytes told; /* of that version; empty: nothing */
};

static marey_status fail(marey_error *error, marey_status status, const char *message)
{
    *error = (marey_error){ .status = status };
    snprintf(error->message, sizeof error->message, "%s", message);
    return status;
}

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* ---- one set ------------------------------------------------------------------------------------ */

static void free_kept(heap *memory, example_kept *of)
{
    marey_examples_free(of->examples);
    bytes_free(&of->clips);
    bytes_free(&of->asked);
    bytes_free(&of->label);
    heap_resize(memory, of, sizeof *of, 0);
}

static example_kept *make_kept(heap *memory, const example_wish *wish, int64_t version)
{
    example_kept *made = heap_resize(memory, NULL, 0, sizeof *made);
    if (!made) return NULL;
    *made = (example_kept){ .version = version,
                            .wish = *wish,
                            .label = { .memory = memory },
                            .asked = { .memory = memory },
                            .clips = { .memory = memory } };
    memcpy(made->dofs, wish->dofs, (size_t)wish->dof_count * sizeof *wish->dofs);
    made->wish.dofs = made->dofs;
    if (wish->label) bytes_add(&made->label, wish->label, strlen(wish->label) + 1);
    if (wish->clips)
        bytes_add(&made->asked, wish->clips, (size_t)wish->clip_count * sizeof *wish->clips);
    if (made->label.failed || made->asked.failed) {
        free_kept(memory, made);
        return NULL;
    }
    made->wish.label = wish->label ? (const char *)made->label.data : NULL;
    made->wish.clips = wish->clips ? (const int64_t *)(const void *)made->asked.data : NULL;
    return made;
}

static bool same_dofs(const example_wish *a, const example_wish *b)
{
    if (a->dof_count != b->dof_count) return false;
    for (int i = 0; i < a->dof_count; i++) {
        if (a->dofs[i].channel != b->dofs[i].channel ||
            strcmp(a->dofs[i].joint, b->dofs[i].joint) != 0)
            return false;
    }
    return true;
}

static bool same_wish(const example_wish *a, const example_wish *b)
{
    if (!same_dofs(a, b) || a->def.noise != b->def.noise || a->def.shape != b->def.shape ||
        !a->label != !b->label || a->clip_count != b->clip_count || a->without != b->without)
        return false;
    if (a->label && strcmp(a->label, b->label) != 0) return false;
    return a->clip_count == 0 ||
           memcmp(a->clips, b->clips, (size_t)a->clip_count * sizeof *a->clips) == 0;
}

static size_t size_of(const example_kept *of)
{
    return marey_examples_bytes(of->examples) + of->clips.room + of->asked.room;
}

/* ---- the list, under its lock ------------------------------------------------------------------- */

/* *after leads to the one that goes. */
static void unlist(example_store *all, example_kept **after)
{
    example_kept *one = *after;
    *after = one->next;
    one->listed = false;
    one->next = NULL;
    if (one->holders == 0) free_kept(&all->self.of->memory, one);
}

static example_kept *find(example_store *all, const example_wish *wish, int64_t version)
{
    for (example_kept **at = &all->first; *at; at = &(*at)->next) {
        example_kept *one = *at;
        if (one->version != version || !same_wish(&one->wish, wish)) continue;
        *at = one->next;
        one->next = all->first;
        all->first = one;
        one->holders++;
        return one;
    }
    return NULL;
}

/* What is of another state of the library, and what is too much, goes: the list is in the order of use. */
static void keep(example_store *all, example_kept *made)
{
    int count = 0;
    size_t size = 0;
    made->next = all->first;
    made->listed = true;
    all->first = made;
    for (example_kept **at = &all->first; *at;) {
        size_t more = size_of(*at);
        bool stays = (*at)->version == made->version && count < LIMIT_EXAMPLE_SETS &&
                     size + more <= LIMIT_EXAMPLE_BYTES;
        if (stays) {
            count++;
            size += more;
            at = &(*at)->next;
        } else {
            unlist(all, at);
        }
    }
}

void example_store_make_room(example_store *all)
{
    if (!all) return;
    pthread_mutex_lock(&all->lock);
    for (example_kept **at = &all->first; *at;) {
        if ((*at)->holders == 0)
            unlist(all, at);
        else
            at = &(*at)->next;
    }
    bytes_free(&all->told);
    pthread_mutex_unlock(&all->lock);
}

bool example_store_recall(studio_worker *worker, int64_t version, studio_bytes *out)
{
    example_store *all = worker->of->searching->examples;
    pthread_mutex_lock(&all->lock);
    bool known = all->told.count > 0 && all->told_version == version;
    if (known) bytes_add(out, all->told.data, all->told.count);
    pthread_mutex_unlock(&all->lock);
    return known && !out->failed;
}

void example_store_remember(studio_worker *worker, int64_t version, const studio_bytes *text)
{
    example_store *all = worker->of->searching->examples;
    pthread_mutex_lock(&all->lock);
    bytes_free(&all->told);
    bytes_add(&all->told, text->data, text->count);
    if (all->told.failed) bytes_free(&all->told);
    all->told_version = version;
    pthread_mutex_unlock(&all->lock);
}

int example_store_count(example_store *all)
{
    int count = 0;
    pthread_mutex_lock(&all->lock);
    for (const example_kept *one = all->first; one; one = one->next) count++;
    pthread_mutex_unlock(&all->lock);
    return count;
}

/* ---- opening ------------------------------------------------------------------------------------ */

marey_status example_store_open(shared *of, example_store **out, marey_error *error)
{
    example_store *made = heap_resize(&of->memory, NULL, 0, sizeof *made);
    if (!made) return fail(error, MAREY_ERR_MEMORY, "out of memory");
    memset(made, 0, sizeof *made);
    made->told.memory = &of->memory;
    marey_status status = worker_open(&made->self, of, 1, NULL, error);
    if (status != MAREY_OK) {
        heap_resize(&of->memory, made, sizeof *made, 0);
        return status;
    }
    pthread_mutex_init(&made->lock, NULL);
    pthread_mutex_init(&made->opening, NULL);
    *out = made;
    return MAREY_OK;
}

void example_store_stop(example_store *all)
{
    marey_ctx_cancel(all->self.ctx);
}

void example_store_close(example_store *all)
{
    if (!all) return;
    heap *memory = &all->self.of->memory;
    while (all->first) unlist(all, &all->first);
    bytes_free(&all->told);
    worker_close(&all->self);
    pthread_mutex_destroy(&all->opening);
    pthread_mutex_destroy(&all->lock);
    heap_resize(memory, all, sizeof *all, 0);
}

static bool has_label(const marey_entry *entry, const char *label)
{
    for (int i = 0; i < entry->label_count; i++) {
        if (strcmp(entry->labels[i], label) == 0) return true;
    }
    return false;
}

static marey_status choose_listed(example_store *all, example_kept *of, marey_error *error)
{
    const char *label = of->wish.label;
    marey_listing *listing = NULL;
    int count = 0;
    marey_status status = marey_library_list(all->self.library, NULL, &listing, error);
    if (status != MAREY_OK) return status;
    const marey_entry *entries = marey_listing_entries(listing, &count);
    for (int i = 0; i < count; i++) {
        marey_named one = { .id = entries[i].id };
        if (one.id == of->wish.without || (label && !has_label(&entries[i], label))) continue;
        snprintf(one.name, sizeof one.name, "%s", entries[i].name);
        bytes_add(&of->clips, &one, sizeof one);
    }
    marey_listing_free(listing);
    return MAREY_OK;
}

static marey_status choose_named(example_store *all, example_kept *of, marey_error *error)
{
    marey_status status = MAREY_OK;
    for (int i = 0; i < of->wish.clip_count && status == MAREY_OK; i++) {
        marey_named one = { .id = of->wish.clips[i] };
        bool removed = false;
        if (one.id == of->wish.without) continue;
        status = marey_library_name(all->self.library, one.id, one.name, sizeof one.name, &removed,
                                    error);
        if (status == MAREY_OK && removed)
            status = fail(error, MAREY_ERR_NOT_FOUND,
                          "there is no clip of one of these numbers: it is removed");
        bytes_add(&of->clips, &one, sizeof one);
    }
    return status;
}

static marey_status choose(example_store *all, example_kept *of, marey_error *error)
{
    marey_status status =
        of->wish.clips ? choose_named(all, of, error) : choose_listed(all, of, error);
    if (status != MAREY_OK) return status;
    if (of->clips.failed) return fail(error, MAREY_ERR_MEMORY, "out of memory");
    if (of->clips.count > 0) return MAREY_OK;
    const char *label = of->wish.label;
    *error = (marey_error){ .status = MAREY_ERR_REQUEST };
    snprintf(error->message, sizeof error->message,
             label ? "no clip to look in has the label %.200s" : "there is no clip to look in%.0s",
             label ? label : "");
    return MAREY_ERR_REQUEST;
}

static marey_status load(example_store *all, const example_kept *of, const marey_clip **clips,
                         int count, marey_error *error)
{
    const marey_named *named = (const marey_named *)(const void *)of->clips.data;
    marey_status status = MAREY_OK;
    for (int i = 0; i < count && status == MAREY_OK; i++) {
        char text[API_NUMBER_ROOM];
        marey_clip *clip = NULL;
        status = marey_library_load(all->self.library, api_number(named[i].id, text), &clip, error);
        clips[i] = clip;
        if (status == MAREY_OK && marey_ctx_cancelled(all->self.ctx))
            status = fail(error, MAREY_ERR_CANCELLED, "cancelled");
    }
    return status;
}

/* No clip has them all: the first one says which it has. */
static marey_status refuse_dofs(heap *memory, const example_kept *of, const marey_clip *clip,
                                marey_error *error)
{
    size_t room = (size_t)marey_clip_frames(clip) * sizeof(double);
    double *values = heap_resize(memory, NULL, 0, room);
    marey_status status = values ? MAREY_OK : fail(error, MAREY_ERR_MEMORY, "out of memory");
    for (int i = 0; i < of->wish.dof_count && status == MAREY_OK; i++)
        status = marey_clip_signal(clip, &of->dofs[i], values, error);
    if (values) heap_resize(memory, values, room, 0);
    return status == MAREY_OK
               ? fail(error, MAREY_ERR_REQUEST, "no clip has all these degrees of freedom")
               : status;
}

/* The clips are let go as soon as they are cut into fragments. */
static marey_status fill(example_store *all, example_kept *of, marey_error *error)
{
    heap *memory = &all->self.of->memory;
    marey_status status = choose(all, of, error);
    if (status != MAREY_OK) return status;
    int count = (int)(of->clips.count / sizeof(marey_named));
    size_t room = (size_t)count * sizeof(marey_clip *);
    const marey_clip **clips = heap_resize(memory, NULL, 0, room);
    if (!clips) return fail(error, MAREY_ERR_MEMORY, "out of memory");
    memset(clips, 0, room);
    status = load(all, of, clips, count, error);
    if (status == MAREY_OK) {
        status = marey_examples_open(all->self.ctx, clips, count, of->dofs, of->wish.dof_count,
                                     &of->wish.def, &of->examples, error);
    }
    if (status == MAREY_OK && marey_examples_left_out(of->examples) == count)
        status = refuse_dofs(memory, of, clips[0], error);
    for (int i = 0; i < count; i++) marey_clip_free((marey_clip *)(uintptr_t)clips[i]);
    heap_resize(memory, clips, room, 0);
    return status;
}

static marey_status open_once(example_store *all, const example_wish *wish, example_kept **out,
                              marey_error *error)
{
    heap *memory = &all->self.of->memory;
    int64_t version = 0;
    marey_status status = marey_library_version(all->self.library, &version, error);
    if (status != MAREY_OK) return status;
    example_kept *made = make_kept(memory, wish, version);
    status = made ? fill(all, made, error) : fail(error, MAREY_ERR_MEMORY, "out of memory");
    if (status == MAREY_OK)
        *out = made;
    else if (made)
        free_kept(memory, made);
    return status;
}

/* What is kept only saves time, so it makes way before this fails for memory. */
static marey_status open_set(studio_worker *worker, const example_wish *wish, example_kept **out,
                             marey_error *error)
{
    example_store *all = worker->of->searching->examples;
    marey_status status = open_once(all, wish, out, error);
    if (status != MAREY_ERR_MEMORY) return status;
    worker_make_room(worker);
    return open_once(all, wish, out, error);
}

static example_kept *look(example_store *all, const example_wish *wish, int64_t version)
{
    pthread_mutex_lock(&all->lock);
    example_kept *found = find(all, wish, version);
    pthread_mutex_unlock(&all->lock);
    return found;
}

/* Somebody else may have opened it while this one waited. */
static marey_status find_or_open(studio_worker *worker, const example_wish *wish, int64_t version,
                                 example_kept **out, double *took_s, marey_error *error)
{
    example_store *all = worker->of->searching->examples;
    marey_status status = MAREY_OK;
    pthread_mutex_lock(&all->opening);
    double start = seconds_now();
    example_kept *found = look(all, wish, version);
    if (!found) {
        status = open_set(worker, wish, &found, error);
        if (status == MAREY_OK) {
            pthread_mutex_lock(&all->lock);
            found->holders++;
            keep(all, found);
            pthread_mutex_unlock(&all->lock);
            *took_s = seconds_now() - start;
        }
    }
    pthread_mutex_unlock(&all->opening);
    *out = found;
    return status;
}

marey_status example_store_use(studio_worker *worker, const example_wish *wish, example_set *out,
                               marey_error *error)
{
    int64_t version = 0;
    double took_s = 0;
    marey_status status = marey_library_version(worker->library, &version, error);
    if (status != MAREY_OK) return status;
    example_kept *found = look(worker->of->searching->examples, wish, version);
    if (!found) status = find_or_open(worker, wish, version, &found, &took_s, error);
    if (status != MAREY_OK) return status;
    *out = (example_set){ .examples = found->examples,
                          .clips = (const marey_named *)(const void *)found->clips.data,
                          .clip_count = (int)(found->clips.count / sizeof(marey_named)),
                          .opened_s = took_s,
                          .kept = found };
    return MAREY_OK;
}

void example_store_leave(studio_worker *worker, const example_set *set)
{
    example_store *all = worker->of->searching->examples;
    pthread_mutex_lock(&all->lock);
    bool last = --set->kept->holders == 0 && !set->kept->listed;
    pthread_mutex_unlock(&all->lock);
    if (last) free_kept(&all->self.of->memory, set->kept);
}
