/* index_bodies.c - bodies and their layouts, and what is compared through them without an index: a
   clip that is not in the library with those that are, and two clips just as webs look at
   them. Nothing here looks at how clips move, but for the basis, which only saves work. */
#include "index/index_bodies.h"

#include "base/bytes.h"
#include "base/fail.h"
#include "base/grow.h"
#include "feature/feature_data.h"
#include "index/index_settings.h"

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

static int compare_keys(const mry_body *a, const mry_body *b)
{
    int by_bytes = memcmp(a->key, b->key, a->size < b->size ? a->size : b->size);
    return by_bytes ? by_bytes : (a->size > b->size) - (a->size < b->size);
}

marey_status mry_bodies_add(mry_bodies *bodies, const marey_clip *clip, int *body,
                            marey_error *error)
{
    mry_arena tmp = mry_arena_make(bodies->ctx);
    mry_bytes_writer to = { .mem = &tmp };
    const marey_skeleton *skeleton = marey_clip_skeleton(clip);
    mry_put_integer(&to, skeleton->joint_count);
    for (int j = 0; j < skeleton->joint_count; j++) {
        const marey_joint *joint = &skeleton->joints[j];
        mry_put_text(&to, joint->name);
        mry_put_integer(&to, joint->parent);
        mry_put_integer(&to, mry_sits_on_parent(joint));
    }
    for (int role = 0; role < MAREY_ROLE_COUNT; role++) mry_put_integer(&to, skeleton->roles[role]);

    mry_body like = { .key = to.bytes, .size = to.used };
    marey_status status = to.failed ? mry_fail_memory(error, marey_clip_name(clip)) : MAREY_OK;
    int found = 0;
    while (!status && found < bodies->count && compare_keys(&bodies->items[found], &like)) found++;
    if (!status && found == bodies->count) {
        char *key = mry_arena_text(&bodies->mem, (const char *)like.key, like.size);
        if (key &&
            mry_grow_in(&bodies->mem, &bodies->items, &bodies->room, found + 1, sizeof like)) {
            mry_body *items = bodies->items;
            items[found] = (mry_body){ .key = (const uint8_t *)key, .size = like.size };
            status = marey_clip_trim(clip, 0, 1, &items[found].shape, error);
            if (!status) bodies->count++;
        } else {
            status = mry_fail_memory(error, marey_clip_name(clip));
        }
    }
    mry_arena_free(&tmp);
    if (!status) *body = found;
    return status;
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
    if (!mry_grow_in(&bodies->mem, &bodies->meetings, &bodies->meeting_room,
                     bodies->meeting_count + 1, sizeof wanted))
        return mry_fail_memory(error, NULL);
    /* The one that must not depend on which other clips are there: see index_data.h. */
    const mry_index_settings *settings = bodies->settings;
    const marey_clip *shapes[] = { bodies->items[wanted.first].shape,
                                   bodies->items[wanted.second].shape };
    mry_fixed fixed = { .fps = rate };
    memcpy(fixed.normal, settings->normal, sizeof fixed.normal);
    int count = wanted.first == wanted.second ? 1 : 2;
    marey_status status = mry_layout_build(bodies->ctx, shapes, count, &settings->metric, &fixed,
                                           &wanted.layout, error);
    /* No common role, or none that counts. */
    bool nothing = status == MAREY_ERR_SHAPE || status == MAREY_ERR_REQUEST;
    if (nothing) wanted.layout = NULL;
    if (status && !nothing) return status;
    bodies->meetings[bodies->meeting_count] = wanted;
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

typedef struct tied { /* its features for one layout */
    int meeting;
    marey_features *features;
    struct tied *next;
} tied;

struct mry_outside {
    marey_library *library;
    mry_arena mem; /* this too lives in it */
    mry_index_settings settings;
    marey_joint_weights weights; /* what settings.metric.joints points to */
    const marey_clip *clip;
    mry_index_clip own;
    mry_bodies bodies;
    int body;
    tied *first;
};

void mry_outside_free(mry_outside *outside)
{
    if (!outside) return;
    for (tied *t = outside->first; t; t = t->next) marey_features_free(t->features);
    mry_bodies_free(&outside->bodies);
    mry_arena mem = outside->mem;
    mry_arena_free(&mem);
}

mry_index_clip mry_outside_clip(const mry_outside *outside)
{
    return outside->own;
}

marey_status mry_outside_open(marey_library *library, const mry_index_settings *settings,
                              const marey_clip *clip, mry_outside **out, marey_error *error)
{
    mry_arena mem = mry_arena_make(library->ctx);
    mry_outside *made = MRY_NEW(&mem, mry_outside, 1);
    if (!made) return mry_fail_memory(error, marey_clip_name(clip));
    made->library = library;
    made->mem = mem;
    made->settings = *settings;
    made->weights = *settings->metric.joints;
    made->settings.metric.joints = &made->weights;
    made->weights.name = mry_arena_text(&made->mem, made->weights.name, strlen(made->weights.name));
    made->clip = clip;
    double fps = marey_clip_fps(clip), rate = mry_rate_within(fps, settings->fps);
    int frames = marey_clip_frames(clip);
    made->own = (mry_index_clip){
        .frames = frames, .fps = fps, .rate = rate, .rows = mry_rows_at(frames, fps, rate)
    };
    made->bodies = mry_bodies_make(library->ctx, &made->settings);
    marey_status status =
        made->weights.name ? MAREY_OK : mry_fail_memory(error, marey_clip_name(clip));
    if (!status) status = mry_bodies_add(&made->bodies, clip, &made->body, error);
    if (status) {
        mry_outside_free(made);
        return status;
    }
    *out = made;
    return MAREY_OK;
}

/* `clip` NULL: with itself. */
static marey_status build_web(mry_outside *outside, const marey_clip *clip, int meeting,
                              marey_web **out, marey_error *error)
{
    const marey_clip *both[] = { outside->clip, clip };
    const marey_layout *layout = outside->bodies.meetings[meeting].layout;
    marey_features *others = NULL;
    if (!layout) {
        *out = NULL;
        return MAREY_OK;
    }
    marey_status status = mry_bodies_base(&outside->bodies, meeting, both, clip ? 2 : 1, error);
    if (status) return status;
    /* Features of the outside clip are made once for each layout. */
    tied *own = outside->first;
    while (own && own->meeting != meeting) own = own->next;
    if (!own) {
        own = MRY_NEW(&outside->mem, tied, 1);
        if (!own) return mry_fail_memory(error, marey_clip_name(outside->clip));
        own->meeting = meeting;
        status = marey_features_build(layout, outside->clip, &own->features, error);
        if (status) return status;
        own->next = outside->first;
        outside->first = own;
    }
    if (clip) status = marey_features_build(layout, clip, &others, error);
    if (!status) {
        status = marey_web_build(outside->library->ctx, own->features,
                                 clip ? others : own->features, &outside->settings.web, out, error);
    }
    marey_features_free(others);
    return status;
}

marey_status mry_outside_web(mry_outside *outside, marey_library *library, int64_t id,
                             marey_web **out, marey_error *error)
{
    marey_clip *clip = NULL;
    int body, meeting;
    mry_bodies *bodies = &outside->bodies;
    marey_status status = mry_load_clip(library, id, "", &clip, error);
    if (!status) status = mry_bodies_add(bodies, clip, &body, error);
    if (!status) {
        double rate = mry_rate_within(marey_clip_fps(clip), outside->own.rate);
        status = mry_bodies_meet(bodies, outside->body, body, rate, &meeting, error);
    }
    if (!status) status = build_web(outside, clip, meeting, out, error);
    marey_clip_free(clip);
    return status;
}

marey_status mry_outside_self(mry_outside *outside, marey_web **out, marey_error *error)
{
    int meeting;
    marey_status status = mry_bodies_meet(&outside->bodies, outside->body, outside->body,
                                          outside->own.rate, &meeting, error);
    return status ? status : build_web(outside, NULL, meeting, out, error);
}

marey_status marey_library_index_view(marey_library *library, const marey_clip *const clips[2],
                                      marey_layout **layout, marey_features *out[2],
                                      marey_error *error)
{
    static const marey_metric_def common = { .common_size = true };
    static const marey_index_def usual = { .metric = &common };
    mry_arena tmp = mry_arena_make(library->ctx);
    mry_index_settings settings;
    marey_features *made[2] = { NULL, NULL };
    bool exists = false;
    int meeting = 0, body[2];
    double rate = (double)INFINITY;
    marey_status status = mry_index_settings_read(library, &tmp, &settings, &exists, error);
    if (!status && !exists) status = mry_index_choose(library->ctx, &usual, NULL, &settings, error);
    mry_bodies bodies = mry_bodies_make(library->ctx, &settings);
    for (int i = 0; i < 2 && !status; i++) {
        status = mry_bodies_add(&bodies, clips[i], &body[i], error);
        rate = fmin(rate, mry_rate_within(marey_clip_fps(clips[i]), settings.fps));
    }
    if (!status) status = mry_bodies_meet(&bodies, body[0], body[1], rate, &meeting, error);
    if (!status && !bodies.meetings[meeting].layout) {
        status = mry_fail(error, MAREY_ERR_SHAPE, NULL, "%.100s and %.100s have nothing in common",
                          marey_clip_name(clips[0]), marey_clip_name(clips[1]));
    }
    for (int i = 0; i < 2 && !status; i++)
        status = marey_features_build(bodies.meetings[meeting].layout, clips[i], &made[i], error);
    if (status) {
        marey_features_free(made[0]);
    } else {
        *layout = bodies.meetings[meeting].layout;
        bodies.meetings[meeting].layout = NULL; /* it is the caller's now */
        out[0] = made[0];
        out[1] = made[1];
    }
    mry_bodies_free(&bodies);
    mry_arena_free(&tmp);
    return status;
}
