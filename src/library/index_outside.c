/* index_outside.c - a clip that is not in the library, compared with those that are: through the layouts that an index
   would use for it. */
#include "library/index_bodies.h"

#include "base/fail.h"
#include "feature/feature_data.h"

#include <string.h>

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

/* Features of the outside clip, made once for each layout. */
static marey_status own_features(mry_outside *outside, int meeting, const marey_features **out,
                                 marey_error *error)
{
    tied *t = outside->first;
    while (t && t->meeting != meeting) t = t->next;
    if (!t) {
        t = MRY_NEW(&outside->mem, tied, 1);
        if (!t) return mry_fail_memory(error, marey_clip_name(outside->clip));
        t->meeting = meeting;
        marey_status status = marey_features_build(outside->bodies.meetings[meeting].layout,
                                                   outside->clip, &t->features, error);
        if (status) return status;
        t->next = outside->first;
        outside->first = t;
    }
    *out = t->features;
    return MAREY_OK;
}

/* `clip` NULL: with itself. */
static marey_status build_web(mry_outside *outside, const marey_clip *clip, int meeting,
                              marey_web **out, marey_error *error)
{
    const marey_clip *both[] = { outside->clip, clip };
    const marey_layout *layout = outside->bodies.meetings[meeting].layout;
    const marey_features *own = NULL;
    marey_features *others = NULL;
    if (!layout) {
        *out = NULL;
        return MAREY_OK;
    }
    marey_status status = mry_bodies_base(&outside->bodies, meeting, both, clip ? 2 : 1, error);
    if (!status) status = own_features(outside, meeting, &own, error);
    if (!status && clip) status = marey_features_build(layout, clip, &others, error);
    if (!status) {
        status = marey_web_build(outside->library->ctx, own, clip ? others : own,
                                 &outside->settings.web, out, error);
    }
    marey_features_free(others);
    return status;
}

marey_status mry_outside_web(mry_outside *outside, int64_t id, marey_web **out, marey_error *error)
{
    marey_clip *clip = NULL;
    int body, meeting;
    mry_bodies *bodies = &outside->bodies;
    marey_status status = mry_load_clip(outside->library, id, "", &clip, error);
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
