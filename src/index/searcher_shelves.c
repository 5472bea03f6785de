/* searcher_shelves.c - what searches by poses go over: the blocks of all clips on shelves, and the
   poses of clips that are looked at closely, as long as there is room. */
#include "index/searcher_data.h"

#include "base/fail.h"
#include "base/grow.h"

#include <string.h>

/* ---- shelves --------------------------------------------------------------------------------- */

void mry_shelves_free(mry_shelves *shelves)
{
    marey_ctx *ctx = shelves->mem.ctx;
    for (int i = 0; i < shelves->slot_count; i++) {
        if (shelves->held[i].there) mry_arena_free(&shelves->held[i].mem);
    }
    for (int i = 0; i < shelves->group_count; i++) mry_scan_card_drop(&shelves->groups[i].card);
    mry_arena_free(&shelves->mem);
    *shelves = (mry_shelves){ .mem = mry_arena_make(ctx) };
}

typedef struct filling {
    marey_searcher *searcher;
    mry_arena tmp;
    mry_pose_blocks *blocks; /* of each slot; points 0: there are none */
    mry_arena *mems;         /* likewise */
    int slot, end;           /* of the library in hand */
    uint8_t *room;           /* for copies of blocks */
    size_t left;             /* of it */
    bool fits;
} filling;

enum { ROOM = 8 << 20 }; /* bytes that are taken at a time */

/* Rows come by number, and so do slots. */
static bool fill_one(void *user, int64_t clip, const mry_pose_blocks *blocks)
{
    filling *f = user;
    const marey_searcher *s = f->searcher;
    while (f->slot < f->end && s->slots[f->slot].clip.id < clip) f->slot++;
    if (f->slot == f->end || s->slots[f->slot].clip.id != clip || !blocks) return true;
    /* What a foreign library keeps may be another clip's. */
    if (blocks->rows != s->slots[f->slot].clip.rows || blocks->rate != s->slots[f->slot].clip.rate)
        return true;
    size_t size = mry_pose_blocks_size(blocks->blocks, blocks->points);
    if (size > f->left) {
        f->left = size > (size_t)ROOM ? size : ROOM;
        f->room = MRY_NEW_RAW(&f->tmp, uint8_t, f->left);
        f->fits = f->room != NULL;
        if (!f->fits) return false;
    }
    mry_pose_blocks_copy(blocks, f->room, &f->blocks[f->slot]);
    f->room += size;
    f->left -= size;
    return true;
}

/* Of clips that have none in their library, some at a time. */
typedef struct making {
    filling *of;
    int slots[MRY_MOST_HELD];
    mry_arena *mems; /* of slots */
} making;

static marey_status make_blocks(void *user, int i, const marey_clip *clip, marey_error *error)
{
    making *m = user;
    const uint8_t *bytes = NULL;
    size_t size = 0;
    mry_pose_blocks blocks;
    int slot = m->slots[i];
    if (!mry_pose_bytes(clip, &m->mems[slot], &bytes, &size)) return mry_fail_memory(error, NULL);
    if (size > 0 && mry_pose_blocks_read(bytes, size, &blocks)) m->of->blocks[slot] = blocks;
    return MAREY_OK;
}

static marey_status make_missing(filling *f, marey_error *error)
{
    marey_searcher *s = f->searcher;
    making m = { .of = f, .mems = f->mems };
    int64_t ids[MRY_MOST_HELD];
    marey_status status = MAREY_OK;
    int missing = 0, done = 0;
    for (int i = 0; i < s->slot_count; i++) missing += f->blocks[i].points == 0;
    for (int i = 0, count = 0; i < s->slot_count && !status; i++) {
        if (f->blocks[i].points == 0) {
            m.slots[count] = i;
            ids[count++] = s->slots[i].clip.id;
        }
        bool last = i + 1 == s->slot_count || s->slots[i + 1].member != s->slots[i].member;
        if (count == 0 || (count < MRY_MOST_HELD && !last)) continue;
        if (!mry_progress(s->ctx, "indexing", done, missing)) return mry_fail_cancelled(error);
        status = mry_load_clips(mry_slot_library(s, i), ids, count, MRY_OPEN_FOR_POSES, make_blocks,
                                &m, error);
        done += count;
        count = 0;
    }
    return status;
}

static mry_pose_group *find_group(mry_shelves *shelves, const mry_pose_blocks *blocks)
{
    for (int i = 0; i < shelves->group_count; i++) {
        mry_pose_group *g = &shelves->groups[i];
        if (g->by_roles == blocks->by_roles && g->has == blocks->has &&
            g->joints == blocks->joints && g->points == blocks->points && g->rate == blocks->rate)
            return g;
    }
    if (!mry_grow_in(&shelves->mem, &shelves->groups, &shelves->group_room,
                     shelves->group_count + 1, sizeof *shelves->groups))
        return NULL;
    mry_pose_group *g = &shelves->groups[shelves->group_count++];
    *g = (mry_pose_group){ .points = blocks->points,
                           .by_roles = blocks->by_roles,
                           .has = blocks->has,
                           .joints = blocks->joints,
                           .rate = blocks->rate };
    return g;
}

float mry_unit_of(const marey_searcher *s, double scale)
{
    return s->own_size ? (float)(1 / scale) : 1;
}

typedef struct putting {
    const filling *of;
    mry_pose_group *group;
} putting;

static void put_part(void *user, int64_t p)
{
    const putting *of = user;
    const mry_pose_blocks *blocks = &of->of->blocks[of->group->slots[p]];
    mry_scan_shelf_put(&of->group->shelf, of->group->parts[p].block, blocks,
                       mry_unit_of(of->of->searcher, blocks->scale));
}

static bool put_on_shelves(filling *f)
{
    marey_searcher *s = f->searcher;
    mry_shelves *shelves = &s->shelves;
    for (int i = 0; i < s->slot_count; i++) {
        mry_pose_group *g = f->blocks[i].points ? find_group(shelves, &f->blocks[i]) : NULL;
        if (!g && f->blocks[i].points) return false;
        if (g) g->room++;
    }
    for (int k = 0; k < shelves->group_count; k++) {
        mry_pose_group *g = &shelves->groups[k];
        g->parts = MRY_NEW(&shelves->mem, mry_scan_part, g->room);
        g->slots = MRY_NEW(&shelves->mem, int, g->room);
        if (!g->parts || !g->slots) return false;
    }
    for (int i = 0; i < s->slot_count; i++) {
        if (!f->blocks[i].points) continue;
        mry_pose_group *g = find_group(shelves, &f->blocks[i]);
        g->parts[g->count] = (mry_scan_part){ g->blocks, f->blocks[i].rows };
        g->slots[g->count++] = i;
        g->blocks += f->blocks[i].blocks + 1;
    }
    for (int k = 0; k < shelves->group_count; k++) {
        mry_pose_group *g = &shelves->groups[k];
        if (!mry_scan_shelf_make(&shelves->mem, g->points, g->blocks, &g->shelf)) return false;
        marey_ctx_run(s->ctx, g->count, put_part, &(putting){ f, g });
    }
    shelves->held = MRY_NEW(&shelves->mem, mry_held_poses, s->slot_count + 1);
    if (shelves->held) shelves->slot_count = s->slot_count;
    return shelves->held != NULL;
}

marey_status mry_shelves_fill(marey_searcher *s, marey_error *error)
{
    filling f = { .searcher = s, .tmp = mry_arena_make(s->ctx), .fits = true };
    f.blocks = MRY_NEW(&f.tmp, mry_pose_blocks, s->slot_count + 1);
    f.mems = MRY_NEW(&f.tmp, mry_arena, s->slot_count + 1);
    marey_status status = f.blocks && f.mems ? MAREY_OK : mry_fail_memory(error, NULL);
    for (int i = 0; i < s->slot_count && !status; i++) f.mems[i] = mry_arena_make(s->ctx);
    for (int i = 0; i < s->member_count && !status && f.fits; i++) {
        const mry_member *member = &s->members[i];
        f.slot = member->first;
        f.end = member->first + member->count;
        status = mry_pose_rows_read(member->library, fill_one, &f, error);
    }
    if (!status && !f.fits) status = mry_fail_memory(error, NULL);
    if (!status) status = make_missing(&f, error);
    if (!status && !put_on_shelves(&f)) status = mry_fail_memory(error, NULL);
    for (int i = 0; i < s->slot_count && f.blocks && f.mems; i++) mry_arena_free(&f.mems[i]);
    mry_arena_free(&f.tmp);
    if (status) mry_shelves_free(&s->shelves);
    return status;
}

/* ---- poses ----------------------------------------------------------------------------------- */

static size_t poses_bytes(const mry_poses *poses)
{
    return (size_t)poses->rows * (12 * (size_t)poses->points + 3 * sizeof(double) + 1);
}

/* Of those that the search in hand does not use. */
static void drop_poses(mry_shelves *shelves, int64_t since)
{
    while (shelves->held_bytes > (size_t)MRY_HELD_POSES_MIB << 20) {
        int oldest = -1;
        for (int i = 0; i < shelves->slot_count; i++) {
            const mry_held_poses *one = &shelves->held[i];
            if (one->there && one->last_use < since &&
                (oldest < 0 || one->last_use < shelves->held[oldest].last_use))
                oldest = i;
        }
        if (oldest < 0) return;
        shelves->held_bytes -= shelves->held[oldest].bytes;
        mry_arena_free(&shelves->held[oldest].mem);
        shelves->held[oldest] = (mry_held_poses){ 0 };
    }
}

/* Clips whose poses are wanted. */
typedef struct holding {
    marey_searcher *searcher;
    const int *slots; /* of one library */
} holding;

static marey_status make_poses(void *user, int i, const marey_clip *clip, marey_error *error)
{
    holding *h = user;
    int slot = h->slots[i];
    mry_held_poses *one = &h->searcher->shelves.held[slot];
    mry_arena mem = mry_arena_make(h->searcher->ctx);
    double rate = h->searcher->slots[slot].clip.rate;
    marey_status status = mry_poses_make(&mem, clip, rate, &one->poses, error);
    if (status) {
        mry_arena_free(&mem);
        return status;
    }
    one->mem = mem;
    one->there = true;
    one->bytes = poses_bytes(&one->poses);
    return MAREY_OK;
}

/* At most MRY_MOST_HELD slots, each once. */
marey_status mry_hold_all(marey_searcher *s, const int *slots, int count, int64_t since,
                          marey_error *error)
{
    mry_shelves *shelves = &s->shelves;
    int64_t ids[MRY_MOST_HELD];
    int wanted[MRY_MOST_HELD], missing = 0;
    marey_status status = MAREY_OK;
    for (int i = 0; i < count; i++) {
        shelves->held[slots[i]].last_use = ++shelves->uses;
        if (shelves->held[slots[i]].there) continue;
        wanted[missing] = slots[i];
        ids[missing++] = s->slots[slots[i]].clip.id;
    }
    if (missing == 0) return MAREY_OK;
    for (int i = 0, next; i < missing && !status; i = next) { /* library by library */
        int member = s->slots[wanted[i]].member;
        for (next = i + 1; next < missing && s->slots[wanted[next]].member == member;) next++;
        holding h = { s, wanted + i };
        status = mry_load_clips(s->members[member].library, ids + i, next - i, MRY_OPEN_FOR_POSES,
                                make_poses, &h, error);
    }
    for (int i = 0; i < missing; i++) {
        if (shelves->held[wanted[i]].there) shelves->held_bytes += shelves->held[wanted[i]].bytes;
    }
    drop_poses(shelves, since);
    return status;
}

marey_status mry_hold_poses(marey_searcher *s, int slot, int64_t since, const mry_poses **out,
                            marey_error *error)
{
    *out = &s->shelves.held[slot].poses;
    return mry_hold_all(s, &slot, 1, since, error);
}
