/* index_plan.c - what an index must be like and what of it is there: one transaction, before which
   everything is measured that takes time. */
#include "index/index_work.h"

#include "base/fail.h"
#include "feature/feature_data.h"

#include <stdio.h>
#include <string.h>

static marey_status read_slots(mry_indexing *work, marey_error *error)
{
    const char *path = mry_store_path(work->library->store);
    bool sound = true;
    mry_query row = mry_query_start(work->library->store,
                                    "SELECT id, frames, fps, hash, count(*) OVER (), layer_sum"
                                    " FROM clip WHERE removed = 0 ORDER BY id");
    work->slots = NULL;
    work->count = 0;
    bool fits = true;
    while (sound && mry_query_next(&row)) {
        int64_t frames = mry_column_integer(&row, 1), room = mry_column_integer(&row, 4);
        double fps = mry_column_number(&row, 2), rate = mry_rate_within(fps, work->settings.fps);
        size_t size;
        const void *hash = mry_column_bytes(&row, 3, &size);
        if (!work->slots) work->slots = MRY_NEW(&work->mem, mry_index_slot, room);
        fits = work->slots != NULL;
        if (!fits) break;
        mry_index_slot *slot = &work->slots[work->count];
        sound = frames >= 1 && frames <= INT32_MAX && fps >= 0.01 && fps <= 20000 &&
                size == sizeof slot->hash;
        if (!sound) break;
        *slot = (mry_index_slot){ .id = mry_column_integer(&row, 0),
                                  .frames = (int)frames,
                                  .rows = mry_rows_at((int)frames, fps, rate),
                                  .fps = fps,
                                  .rate = rate,
                                  .layer_sum = mry_column_integer(&row, 5),
                                  .body = -1 };
        memcpy(slot->hash, hash, size);
        work->count++;
    }
    marey_status status = mry_query_end(&row, error);
    if (status) return status;
    if (!fits) return mry_fail_memory(error, path);
    if (sound) return MAREY_OK;
    return mry_fail(error, MAREY_ERR_INPUT, path, "a clip is damaged; run marey verify");
}

int mry_index_slot_of(const mry_indexing *work, int64_t id)
{
    int low = 0, high = work->count;
    while (low < high) {
        int middle = (low + high) / 2;
        if (work->slots[middle].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < work->count && work->slots[low].id == id ? low : -1;
}

static uint64_t hash_clips(const mry_indexing *work)
{
    uint64_t hash = 1;
    for (int i = 0; i < work->count; i++) {
        const mry_index_slot *slot = &work->slots[i];
        hash = mry_hash64(&slot->id, sizeof slot->id, hash);
        if (slot->layer_sum) hash = mry_hash64(&slot->layer_sum, sizeof slot->layer_sum, hash);
    }
    return hash;
}

/* The largest steps of all clips, each at the rate it has in the index. */
static marey_status measure(mry_indexing *work, marey_error *error)
{
    mry_bodies bodies = mry_bodies_make(work->ctx, &work->settings);
    marey_status status = MAREY_OK;
    memset(work->kept.normal, 0, sizeof work->kept.normal);
    for (int i = 0; i < work->count && !status; i++) {
        if (!mry_progress(work->ctx, "measuring clips", i, work->count)) {
            status = mry_fail_cancelled(error);
            break;
        }
        const mry_index_slot *slot = &work->slots[i];
        marey_clip *clip = NULL;
        marey_features *features = NULL;
        int body, meeting;
        status = mry_load_clip(work->library, slot->id, "", &clip, error);
        if (!status) status = mry_bodies_add(&bodies, clip, &body, error);
        if (!status) status = mry_bodies_meet(&bodies, body, body, slot->rate, &meeting, error);
        if (!status && bodies.meetings[meeting].layout) {
            status = mry_features_make(bodies.meetings[meeting].layout, clip, &features, error);
        }
        if (features) mry_measure_steps(features, work->kept.normal);
        marey_features_free(features);
        marey_clip_free(clip);
    }
    mry_bodies_free(&bodies);
    return status;
}

typedef struct before { /* what the library says */
    mry_index_kept kept;
    mry_index_settings settings;
    bool readable; /* the settings are */
    bool other;    /* they are another marey's */
} before;

static marey_status read_before(mry_indexing *work, before *out, marey_error *error)
{
    mry_unpacked how = MRY_UNPACKED_DAMAGED;
    marey_status status = mry_index_kept_read(work->library, &work->mem, &out->kept, error);
    bool damaged = marey_status_group(status) == MAREY_ERR_INPUT && out->kept.exists;
    if (status && !damaged) return status;
    if (out->kept.exists && !damaged)
        how = mry_index_unpack(&work->mem, &out->kept.settings, &out->settings);
    /* As they would be written now: an earlier version may say the same in other bytes. */
    if (how == MRY_UNPACKED && !mry_index_pack(&work->mem, &out->settings, &out->kept.settings))
        how = MRY_UNPACKED_MEMORY;
    out->readable = how == MRY_UNPACKED;
    out->other = how == MRY_UNPACKED_OTHER;
    if (how != MRY_UNPACKED_MEMORY) return MAREY_OK;
    return mry_fail_memory(error, mry_store_path(work->library->store));
}

static bool same_bytes(const mry_index_bytes *a, const mry_index_bytes *b)
{
    return a->size == b->size && memcmp(a->bytes, b->bytes, a->size) == 0;
}

/* work->settings and work->kept, measured where need be. */
static marey_status settle(mry_indexing *work, const before *old, marey_error *error)
{
    marey_status status = mry_index_choose(
        work->ctx, work->def, old->readable ? &old->settings : NULL, &work->settings, error);
    if (status) return status;
    work->kept = (mry_index_kept){ .exists = true };
    if (!mry_index_pack(&work->mem, &work->settings, &work->kept.settings))
        return mry_fail_memory(error, mry_store_path(work->library->store));
    status = read_slots(work, error);
    bool same = old->readable && same_bytes(&old->kept.settings, &work->kept.settings);
    /* The old normals if they were measured on the same clips, else new ones. */
    if (!status && work->settings.metric.metric->options & MAREY_METRIC_STEPS) {
        work->kept.clips = hash_clips(work);
        if (!same || old->kept.clips != work->kept.clips)
            status = measure(work, error);
        else
            memcpy(work->kept.normal, old->kept.normal, sizeof old->kept.normal);
    }
    memcpy(work->settings.normal, work->kept.normal, sizeof work->settings.normal);
    if (status) return status;
    work->kept.about = mry_index_about(&work->mem, &work->settings);
    work->settings.about = work->kept.about;
    return work->kept.about ? MAREY_OK
                            : mry_fail_memory(error, mry_store_path(work->library->store));
}

/* Why the webs that are there cannot stay; "": they can. */
static void explain_rebuild(const mry_indexing *work, const before *old, char *why, size_t room)
{
    const mry_index_settings *now = &work->settings, *then = &old->settings;
    *why = 0;
    if (!old->kept.exists) return;
    if (!old->readable) {
        snprintf(why, room, "%s",
                 old->other ? "the index was made by another version of marey"
                            : "the settings of the index were damaged");
    } else if (work->def->rebuild) {
        snprintf(why, room, "this was asked for");
    } else if (now->fps != then->fps) {
        snprintf(why, room, "the rate is %g frames a second now, it was %g", now->fps, then->fps);
    } else if (now->metric.metric != then->metric.metric) {
        snprintf(why, room, "the metric is %s now, it was %s", now->metric.metric->name,
                 then->metric.metric->name);
    } else if (!same_bytes(&work->kept.settings, &old->kept.settings)) {
        snprintf(why, room, "other settings were asked for");
    } else if (memcmp(work->kept.normal, old->kept.normal, sizeof old->kept.normal) != 0) {
        snprintf(why, room, "clips came or went by which the metric %s is normalised",
                 now->metric.metric->name);
    }
}

static bool same_kept(const mry_index_kept *a, const mry_index_kept *b)
{
    return a->exists == b->exists &&
           (!a->exists || (same_bytes(&a->settings, &b->settings) && a->clips == b->clips &&
                           memcmp(a->normal, b->normal, sizeof a->normal) == 0));
}

/* Puts the plan into the library, unless that was changed meanwhile. A shard only reads it. */
static marey_status commit_plan(mry_indexing *work, before *old, bool *again, marey_error *error)
{
    marey_library *library = work->library;
    marey_index_report *report = &work->report;
    before now = { 0 };
    uint64_t measured = work->kept.clips;
    marey_status status = mry_index_making(work) ? mry_store_snapshot(library->store, error)
                                                 : mry_store_begin(library->store, error);
    if (status) return status;
    status = read_before(work, &now, error);
    if (!status) status = read_slots(work, error);
    bool normalised = work->settings.metric.metric->options & MAREY_METRIC_STEPS;
    *again = !status &&
             (!same_kept(&now.kept, &old->kept) || (normalised && hash_clips(work) != measured));
    if (status || *again) {
        mry_store_rollback(library->store);
        return status;
    }
    explain_rebuild(work, old, report->rebuilt, sizeof report->rebuilt);
    bool rebuild = *report->rebuilt != 0, write = !same_kept(&old->kept, &work->kept);
    bool making = mry_index_making(work), changed = false;
    if (!making) {
        status = mry_web_rows_drop(library, rebuild, &report->pairs_dropped, error);
        if (!status && (write || !old->readable))
            status = mry_index_kept_write(library, &work->kept, error);
        changed = rebuild || write || report->pairs_dropped > 0;
        if (report->pairs_dropped == 0) *report->rebuilt = 0; /* nothing was made yet */
    }
    /* Which pairs are there. */
    size_t count = (size_t)work->count;
    work->there = MRY_NEW(&work->mem, uint64_t, count * count / 64 + 1);
    if (!status && !work->there) status = mry_fail_memory(error, mry_store_path(library->store));
    if (!status && !(making && rebuild)) {
        mry_query row = mry_query_start(library->store, "SELECT a, b FROM web");
        while (mry_query_next(&row)) {
            int i = mry_index_slot_of(work, mry_column_integer(&row, 0));
            int j = mry_index_slot_of(work, mry_column_integer(&row, 1));
            if (i >= 0 && j >= 0) mry_pair_set(work, i, j);
        }
        status = mry_query_end(&row, error);
    }
    if (!status && changed) return mry_library_end(library, MAREY_OK, error);
    mry_store_rollback(library->store);
    return status;
}

/* Measuring comes before the transaction, so that no other writer waits for it. If the library was
   changed meanwhile, it is done again. */
marey_status mry_index_plan(mry_indexing *work, marey_error *error)
{
    bool again = true;
    while (again) {
        before old = { 0 };
        if (mry_cancelled(work->ctx)) return mry_fail_cancelled(error);
        marey_status status = read_before(work, &old, error);
        if (!status) status = settle(work, &old, error);
        if (!status) status = commit_plan(work, &old, &again, error);
        if (status) return status;
    }
    return MAREY_OK;
}
