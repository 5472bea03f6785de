/* index_blocks.c - clips of an index in blocks that fit into memory: two blocks are held at a time, and every clip in
   them has its features for all layouts through which it meets the others there. */
#include "library/index_work.h"

#include "base/fail.h"
#include "feature/feature_data.h"

#include <string.h>

/* ---- bodies ----------------------------------------------------------------------------------- */

static void unload(mry_index_slot *slot)
{
    marey_clip_free(slot->clip);
    slot->clip = NULL;
}

static marey_status load(mry_indexing *all, mry_index_slot *slot, marey_error *error)
{
    if (slot->clip) return MAREY_OK;
    size_t before = marey_ctx_bytes(all->ctx);
    marey_status status = mry_load_clip(all->library, slot->id, "", &slot->clip, error);
    if (!status) slot->clip_bytes = marey_ctx_bytes(all->ctx) - before;
    return status;
}

static bool lacks_any(const mry_indexing *all, int i)
{
    for (int j = 0; j < all->count; j++) {
        if (!mry_pair_there(all, i < j ? i : j, i < j ? j : i)) return true;
    }
    return false;
}

/* Clips stay loaded as far as they fit into the first block: most libraries are no more than that. */
static marey_status find_bodies(mry_indexing *all, marey_error *error)
{
    size_t held = 0;
    marey_status status = MAREY_OK;
    for (int i = 0; i < all->count && !status; i++) {
        mry_index_slot *slot = &all->slots[i];
        if (!lacks_any(all, i)) continue;
        if (mry_cancelled(all->ctx)) return mry_fail_cancelled(error);
        status = load(all, slot, error);
        if (!status) status = mry_bodies_add(&all->bodies, slot->clip, &slot->body, error);
        held += slot->clip_bytes;
        if (held > all->tuning.block_bytes) unload(slot);
        if (!status && !mry_index_tell(all, false)) status = mry_fail_cancelled(error);
    }
    return status;
}

/* ---- blocks ----------------------------------------------------------------------------------- */

/* At most, that is with the features of every layout there can be. */
static size_t bytes_of(const mry_indexing *all, const mry_index_slot *slot)
{
    const marey_clip *shape = all->bodies.items[slot->body].shape;
    size_t joints = (size_t)marey_clip_skeleton(shape)->joint_count;
    return slot->clip_bytes + (size_t)all->bodies.count * (size_t)slot->rows * (joints + 10) * 40;
}

static int make_blocks(mry_indexing *all)
{
    int blocks = 0;
    size_t used = 0;
    for (int i = 0; i < all->count; i++) {
        mry_index_slot *slot = &all->slots[i];
        slot->block = -1;
        if (slot->body < 0) continue;
        size_t bytes = bytes_of(all, slot);
        if (blocks == 0 || used + bytes > all->tuning.block_bytes) {
            blocks++;
            used = 0;
        }
        used += bytes;
        slot->block = blocks - 1;
    }
    return blocks;
}

marey_status mry_blocks_make(mry_indexing *all, int *blocks, marey_error *error)
{
    marey_status status = find_bodies(all, error);
    *blocks = status ? 0 : make_blocks(all);
    return status;
}

bool mry_blocks_next(const mry_indexing *all, int first, int second, int *i, int *j)
{
    for (;;) {
        if (++*j >= all->count) {
            if (++*i >= all->count) return false;
            *j = *i;
        }
        int a = all->slots[*i].block, b = all->slots[*j].block;
        bool wanted = (a == first && b == second) || (a == second && b == first);
        if (wanted && !mry_pair_there(all, *i, *j)) return true;
    }
}

/* ---- features --------------------------------------------------------------------------------- */

static mry_tied *find_tied(const mry_index_slot *slot, int meeting)
{
    for (int i = 0; i < slot->tied_count; i++) {
        if (slot->tied[i].meeting == meeting) return &slot->tied[i];
    }
    return NULL;
}

const marey_features *mry_slot_features(const mry_index_slot *slot, int meeting)
{
    const mry_tied *tied = find_tied(slot, meeting);
    return tied ? tied->features : NULL;
}

static bool tie(mry_indexing *all, mry_index_slot *slot, int meeting)
{
    if (find_tied(slot, meeting)) return true;
    if (slot->tied_count == slot->room) {
        int room = slot->room ? 2 * slot->room : 4;
        mry_tied *longer = MRY_NEW(&all->mem, mry_tied, room);
        if (!longer) return false;
        if (slot->tied_count) memcpy(longer, slot->tied, (size_t)slot->tied_count * sizeof *longer);
        slot->tied = longer;
        slot->room = room;
    }
    slot->tied[slot->tied_count++] = (mry_tied){ .meeting = meeting };
    return true;
}

marey_status mry_pair_meeting(mry_indexing *all, int i, int j, int *meeting, marey_error *error)
{
    const mry_index_slot *a = &all->slots[i], *b = &all->slots[j];
    return mry_bodies_meet(&all->bodies, a->body, b->body, fmin(a->rate, b->rate), meeting, error);
}

static marey_status tie_pairs(mry_indexing *all, int first, int second, marey_error *error)
{
    int i = 0, j = -1, meeting;
    while (mry_blocks_next(all, first, second, &i, &j)) {
        marey_status status = mry_pair_meeting(all, i, j, &meeting, error);
        if (status) return status;
        if (!all->bodies.meetings[meeting].layout) continue;
        if (!tie(all, &all->slots[i], meeting) || !tie(all, &all->slots[j], meeting))
            return mry_fail_memory(error, NULL);
    }
    return MAREY_OK;
}

static bool lacks_features(const mry_index_slot *slot)
{
    for (int i = 0; i < slot->tied_count; i++) {
        if (!slot->tied[i].features) return true;
    }
    return false;
}

static marey_status load_clips(mry_indexing *all, marey_error *error)
{
    marey_status status = MAREY_OK;
    for (int i = 0; i < all->count && !status; i++) {
        mry_index_slot *slot = &all->slots[i];
        if (!lacks_features(slot)) continue;
        status = mry_cancelled(all->ctx) ? mry_fail_cancelled(error) : load(all, slot, error);
    }
    return status;
}

/* A few clips, spread over those that are at hand. */
static marey_status base(mry_indexing *all, int meeting, marey_error *error)
{
    enum { MOST = 64 };
    const marey_clip *chosen[MOST];
    int most = all->tuning.based_on < MOST ? all->tuning.based_on : MOST;
    int there = 0, seen = 0, count = 0;
    for (int i = 0; i < all->count; i++)
        there += all->slots[i].clip && find_tied(&all->slots[i], meeting);
    if (there == 0) return MAREY_OK;
    for (int i = 0; i < all->count && count < most; i++) {
        const mry_index_slot *slot = &all->slots[i];
        if (!slot->clip || !find_tied(slot, meeting)) continue;
        if ((int64_t)seen++ * most >= (int64_t)count * there) chosen[count++] = slot->clip;
    }
    return mry_bodies_base(&all->bodies, meeting, chosen, count, error);
}

typedef struct building { /* features, by several threads */
    mry_indexing *all;
    mry_index_slot **slots;
    marey_status *statuses;
    marey_error *errors;
} building;

static void build_features(void *user, int64_t i)
{
    building *of = user;
    mry_index_slot *slot = of->slots[i];
    for (int k = 0; k < slot->tied_count && !of->statuses[i]; k++) {
        mry_tied *tied = &slot->tied[k];
        if (tied->features || mry_cancelled(of->all->ctx)) continue;
        of->statuses[i] = marey_features_build(of->all->bodies.meetings[tied->meeting].layout,
                                               slot->clip, &tied->features, &of->errors[i]);
    }
}

static marey_status build_all_features(mry_indexing *all, mry_arena *tmp, marey_error *error)
{
    building of = { .all = all };
    int count = 0;
    of.slots = MRY_NEW(tmp, mry_index_slot *, all->count);
    of.statuses = MRY_NEW(tmp, marey_status, all->count);
    of.errors = MRY_NEW(tmp, marey_error, all->count);
    if (!of.slots || !of.statuses || !of.errors) return mry_fail_memory(error, NULL);
    for (int i = 0; i < all->count; i++) {
        if (all->slots[i].clip && lacks_features(&all->slots[i]))
            of.slots[count++] = &all->slots[i];
    }
    marey_ctx_run(all->ctx, count, build_features, &of);
    if (mry_cancelled(all->ctx)) return mry_fail_cancelled(error);
    for (int i = 0; i < count; i++) {
        if (!of.statuses[i]) continue;
        if (error) *error = of.errors[i];
        return of.statuses[i];
    }
    return MAREY_OK;
}

marey_status mry_blocks_open(mry_indexing *all, int first, int second, marey_error *error)
{
    mry_arena tmp = mry_arena_make(all->ctx);
    marey_status status = tie_pairs(all, first, second, error);
    if (!status) status = load_clips(all, error);
    for (int m = 0; m < all->bodies.meeting_count && !status; m++) status = base(all, m, error);
    if (!status) status = build_all_features(all, &tmp, error);
    mry_arena_free(&tmp);
    for (int i = 0; i < all->count; i++) unload(&all->slots[i]);
    return status;
}

void mry_blocks_close(mry_indexing *all, int block)
{
    for (int i = 0; i < all->count; i++) {
        mry_index_slot *slot = &all->slots[i];
        if (block >= 0 && slot->block != block) continue;
        unload(slot);
        for (int k = 0; k < slot->tied_count; k++) marey_features_free(slot->tied[k].features);
        slot->tied_count = 0;
    }
}
