/* searcher.c - searching a library by its index (webs, 6.2.3): from names and frames to segments of webs, and back. */
#include "library/searcher_data.h"

#include "base/fail.h"

#include <string.h>
#include <time.h>

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- what there is ---------------------------------------------------------------------------- */

/* What was found out about clips that are still there. */
static bool take_over(mry_arena *mem, mry_slot *slots, int count, const marey_searcher *old)
{
    for (int i = 0, k = 0; i < count; i++) {
        mry_slot *slot = &slots[i];
        while (k < old->slot_count && old->slots[k].clip.id < slot->clip.id) k++;
        if (k == old->slot_count) break;
        const mry_slot *before = &old->slots[k];
        if (before->clip.id != slot->clip.id || before->mark_count < 0) continue;
        slot->marks = MRY_NEW(mem, marey_mark, before->mark_count + 1);
        if (!slot->marks) return false;
        memcpy(slot->marks, before->marks, (size_t)before->mark_count * sizeof *slot->marks);
        slot->mark_count = before->mark_count;
    }
    return true;
}

static marey_status read_clips(marey_searcher *s, mry_arena *mem,
                               const mry_index_settings *settings, mry_slot **slots, int *count,
                               marey_error *error)
{
    mry_index_clip *clips = NULL;
    marey_status status = mry_index_clips_read(s->library, settings, mem, &clips, count, error);
    if (status) return status;
    *slots = MRY_NEW(mem, mry_slot, *count + 1);
    for (int i = 0; *slots && i < *count; i++)
        (*slots)[i] = (mry_slot){ .clip = clips[i], .mark_count = -1 };
    if (*slots && take_over(mem, *slots, *count, s))
        return mry_slots_find_sources(s->library, *slots, *count, error);
    return mry_fail_memory(error, mry_store_path(s->library->store));
}

static marey_status fail_no_index(const marey_searcher *s, marey_error *error)
{
    const char *path = mry_store_path(s->library->store);
    return mry_fail(error, MAREY_ERR_INPUT, path, "no index yet; run marey index %.300s", path);
}

/* Inside a snapshot. The webs stay held if they were made with the same settings. On failure all is as it was. */
static marey_status renew(marey_searcher *s, int64_t version, marey_error *error)
{
    mry_arena mem = mry_arena_make(s->ctx);
    mry_index_settings settings;
    mry_slot *slots = NULL;
    int count = 0;
    bool exists = false;
    marey_status status = mry_index_settings_read(s->library, &mem, &settings, &exists, error);
    if (!status && !exists) status = fail_no_index(s, error);
    if (!status) status = read_clips(s, &mem, &settings, &slots, &count, error);
    if (status) {
        mry_arena_free(&mem);
        return status;
    }
    if (s->version && strcmp(settings.about, s->settings.about) == 0) {
        mry_held_forget_missing(&s->held);
    } else {
        mry_held_free(&s->held);
    }
    mry_arena_free(&s->mem);
    s->mem = mem;
    s->settings = settings;
    s->slots = slots;
    s->slot_count = count;
    s->version = version;
    return MAREY_OK;
}

static marey_status look(marey_searcher *s, marey_error *error)
{
    int64_t version = 0;
    marey_status status = marey_library_version(s->library, &version, error);
    return status || version == s->version ? status : renew(s, version, error);
}

marey_status marey_searcher_open(marey_library *library, marey_searcher **out, marey_error *error)
{
    marey_searcher *s = mry_alloc(library->ctx, sizeof *s);
    if (!s) return mry_fail_memory(error, mry_store_path(library->store));
    *s = (marey_searcher){ .library = library,
                           .ctx = library->ctx,
                           .mem = mry_arena_make(library->ctx),
                           .held = mry_held_make(library->ctx) };
    marey_status status = mry_store_snapshot(library->store, error);
    if (!status) status = look(s, error);
    mry_store_rollback(library->store);
    if (status) {
        marey_searcher_free(s);
        return status;
    }
    *out = s;
    return MAREY_OK;
}

void marey_searcher_free(marey_searcher *searcher)
{
    if (!searcher) return;
    mry_held_free(&searcher->held);
    mry_arena_free(&searcher->mem);
    mry_release(searcher->ctx, searcher, sizeof *searcher);
}

marey_status mry_slot_name(marey_searcher *searcher, mry_slot *slot, marey_error *error)
{
    char name[MAREY_NAME_ROOM];
    if (slot->name) return MAREY_OK;
    marey_status status =
        mry_clip_name(searcher->library, slot->clip.id, name, sizeof name, NULL, error);
    if (status) return status;
    slot->name = mry_arena_text(&searcher->mem, name, strlen(name));
    return slot->name ? MAREY_OK : mry_fail_memory(error, NULL);
}

/* ---- one search ------------------------------------------------------------------------------- */

/* After each tier. A failure is kept for the end: the search itself only stops. */
static bool show_tier(void *user, int tier, const marey_found *found, int count)
{
    mry_seek *seek = user;
    if (count > seek->tier_room) {
        seek->tier = MRY_NEW_RAW(&seek->mem, marey_match, 2 * count);
        seek->tier_room = seek->tier ? 2 * count : 0;
        if (!seek->tier) seek->failed = mry_fail_memory(&seek->failure, NULL);
    }
    for (int i = 0; i < count && !seek->failed; i++)
        seek->failed = mry_match_of(seek, &found[i], i == 0, &seek->tier[i], &seek->failure);
    return !seek->failed && seek->def->found(seek->def->user, tier, seek->tier, count);
}

static marey_status find_threshold(mry_seek *seek, marey_error *error)
{
    const marey_metric *metric = seek->searcher->settings.metric.metric;
    seek->threshold = seek->def->search.threshold;
    if (seek->threshold == 0) seek->threshold = metric->thresholds.find;
    if (seek->threshold != 0) return MAREY_OK;
    return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                    "a threshold must be given: the metric %s of the index has no usual one",
                    metric->name);
}

static marey_status search(mry_seek *seek, marey_match_graph **graph, marey_error *error)
{
    marey_searcher *s = seek->searcher;
    marey_webs webs = {
        .clips = s->slot_count + 1, .web = mry_seek_web, .user = seek, .fps = seek->fps
    };
    marey_search_def def = seek->def->search;
    def.threshold = seek->threshold;
    def.allowed = seek->allowed;
    def.tier_done = seek->def->found ? show_tier : NULL;
    def.user = seek;
    marey_status status = marey_search(s->ctx, &webs, seek->query, &def, graph, error);
    if (status || !seek->failed) return status;
    if (error) *error = seek->failure;
    return seek->failed;
}

/* Nothing was compared because nothing can be? An empty search is no fault of the clip. */
static marey_status check_shape(const mry_seek *seek, marey_error *error)
{
    int compared = 0;
    for (int i = 0; seek->outside && i < seek->searcher->slot_count; i++)
        compared += seek->compared[i];
    if (compared == 0 || seek->in_common > 0) return MAREY_OK;
    return mry_fail(error, MAREY_ERR_SHAPE, seek->name,
                    "none of the clips that are searched has joints or roles in common with it");
}

static marey_status find(mry_seek *seek, const marey_query *query, double start,
                         marey_finding **out, marey_error *error)
{
    marey_match_graph *graph = NULL;
    marey_status status = look(seek->searcher, error);
    if (!status) status = find_threshold(seek, error);
    if (!status) status = mry_seek_restrict(seek, error);
    if (!status) status = mry_seek_open(seek, query, error);
    if (!status) status = search(seek, &graph, error);
    if (!status) status = check_shape(seek, error);
    if (status) {
        marey_match_graph_free(graph);
        return status;
    }
    return mry_finding_make(seek, graph, seconds_now() - start, out, error);
}

/* All by one snapshot, so that a program that indexes meanwhile does not mix its webs in. */
marey_status marey_searcher_find(marey_searcher *searcher, const marey_query *query,
                                 const marey_find_def *def, marey_finding **out, marey_error *error)
{
    static const marey_find_def defaults = { 0 };
    double start = seconds_now();
    mry_seek seek = { .searcher = searcher,
                      .def = def ? def : &defaults,
                      .mem = mry_arena_make(searcher->ctx) };
    marey_status status = mry_store_snapshot(searcher->library->store, error);
    if (!status) status = find(&seek, query, start, out, error);
    mry_store_rollback(searcher->library->store);
    mry_seek_free(&seek);
    return status;
}
