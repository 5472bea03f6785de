/* index_bodies.c - bodies and their layouts. Nothing here looks at how clips move, but for the basis, which only saves
   work. */
#include "library/index_bodies.h"

#include "base/bytes.h"
#include "base/fail.h"
#include "feature/feature_data.h"

#include <string.h>

mry_bodies mry_bodies_make(marey_ctx *ctx, const mry_index_settings *settings)
{
    return (mry_bodies){ .ctx = ctx, .mem = mry_arena_make(ctx), .settings = settings };
}

void mry_bodies_free(mry_bodies *bodies)
{
    for (int i = 0; i < bodies->meeting_count; i++) marey_layout_free(bodies->meetings[i].layout);
    for (int i = 0; i < bodies->count; i++) marey_clip_free(bodies->items[i].shape);
    mry_arena_free(&bodies->mem);
    *bodies = (mry_bodies){ .ctx = bodies->ctx };
}

/* Room for one more; what was there stays in the arena. */
static void *grow(mry_arena *mem, void *items, int count, int *room, size_t size)
{
    if (count < *room) return items;
    int more = *room ? 2 * *room : 16;
    void *longer = mry_arena_take(mem, (size_t)more, size);
    if (!longer) return NULL;
    if (count) memcpy(longer, items, (size_t)count * size);
    *room = more;
    return longer;
}

/* ---- bodies ----------------------------------------------------------------------------------- */

static void put_key(mry_bytes_writer *to, const marey_clip *clip)
{
    const marey_skeleton *skeleton = marey_clip_skeleton(clip);
    mry_put_integer(to, skeleton->joint_count);
    for (int j = 0; j < skeleton->joint_count; j++) {
        const marey_joint *joint = &skeleton->joints[j];
        mry_put_text(to, joint->name);
        mry_put_integer(to, joint->parent);
        mry_put_integer(to, mry_sits_on_parent(joint));
    }
    for (int role = 0; role < MAREY_ROLE_COUNT; role++) mry_put_integer(to, skeleton->roles[role]);
}

static int compare_keys(const mry_body *a, const mry_body *b)
{
    int by_bytes = memcmp(a->key, b->key, a->size < b->size ? a->size : b->size);
    return by_bytes ? by_bytes : (a->size > b->size) - (a->size < b->size);
}

static marey_status add(mry_bodies *bodies, const mry_body *like, const marey_clip *clip,
                        marey_error *error)
{
    mry_body *items =
        grow(&bodies->mem, bodies->items, bodies->count, &bodies->room, sizeof *items);
    char *key = mry_arena_text(&bodies->mem, (const char *)like->key, like->size);
    if (!items || !key) return mry_fail_memory(error, marey_clip_name(clip));
    bodies->items = items;
    mry_body *body = &items[bodies->count];
    *body = (mry_body){ .key = (const uint8_t *)key, .size = like->size };
    marey_status status = marey_clip_trim(clip, 0, 1, &body->shape, error);
    if (!status) bodies->count++;
    return status;
}

marey_status mry_bodies_add(mry_bodies *bodies, const marey_clip *clip, int *body,
                            marey_error *error)
{
    mry_arena tmp = mry_arena_make(bodies->ctx);
    mry_bytes_writer key = { .mem = &tmp };
    marey_status status = MAREY_OK;
    put_key(&key, clip);
    mry_body like = { .key = key.bytes, .size = key.used };
    int found = 0;
    if (key.failed) {
        status = mry_fail_memory(error, marey_clip_name(clip));
    } else {
        while (found < bodies->count && compare_keys(&bodies->items[found], &like)) found++;
        if (found == bodies->count) status = add(bodies, &like, clip, error);
    }
    mry_arena_free(&tmp);
    if (!status) *body = found;
    return status;
}

/* ---- meetings --------------------------------------------------------------------------------- */

/* The one that must not depend on who is there: see index_data.h. */
static marey_status build_layout(mry_bodies *bodies, const mry_meeting *meeting, marey_layout **out,
                                 marey_error *error)
{
    const mry_index_settings *settings = bodies->settings;
    const marey_clip *shapes[] = { bodies->items[meeting->first].shape,
                                   bodies->items[meeting->second].shape };
    mry_fixed fixed = { .fps = meeting->rate };
    memcpy(fixed.normal, settings->normal, sizeof fixed.normal);
    int count = meeting->first == meeting->second ? 1 : 2;
    marey_status status =
        mry_layout_build(bodies->ctx, shapes, count, &settings->metric, &fixed, out, error);
    /* No common role, or none that counts. */
    bool nothing = status == MAREY_ERR_SHAPE || status == MAREY_ERR_REQUEST;
    if (nothing) *out = NULL;
    return nothing ? MAREY_OK : status;
}

marey_status mry_bodies_meet(mry_bodies *bodies, int a, int b, double rate, int *meeting,
                             marey_error *error)
{
    bool swap = compare_keys(&bodies->items[a], &bodies->items[b]) > 0;
    mry_meeting wanted = { .first = swap ? b : a, .second = swap ? a : b, .rate = rate };
    for (int i = 0; i < bodies->meeting_count; i++) {
        const mry_meeting *there = &bodies->meetings[i];
        if (there->first == wanted.first && there->second == wanted.second &&
            there->rate == wanted.rate) {
            *meeting = i;
            return MAREY_OK;
        }
    }
    mry_meeting *meetings = grow(&bodies->mem, bodies->meetings, bodies->meeting_count,
                                 &bodies->meeting_room, sizeof *meetings);
    if (!meetings) return mry_fail_memory(error, NULL);
    bodies->meetings = meetings;
    marey_status status = build_layout(bodies, &wanted, &wanted.layout, error);
    if (status) return status;
    meetings[bodies->meeting_count] = wanted;
    *meeting = bodies->meeting_count++;
    return MAREY_OK;
}

marey_status mry_bodies_base(mry_bodies *bodies, int meeting, const marey_clip *const *clips,
                             int count, marey_error *error)
{
    mry_meeting *one = &bodies->meetings[meeting];
    if (one->based || !one->layout || !bodies->settings->metric.bounded) return MAREY_OK;
    marey_status status = mry_layout_find_basis(one->layout, clips, count, error);
    one->based = !status;
    return status;
}
