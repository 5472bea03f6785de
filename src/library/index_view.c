/* index_view.c - two clips just as an index looks at them. */
#include "library/index_bodies.h"

#include "base/fail.h"
#include "feature/feature_data.h"

static marey_status build_both(const marey_layout *layout, const marey_clip *const clips[2],
                               marey_features *out[2], marey_error *error)
{
    marey_status status = marey_features_build(layout, clips[0], &out[0], error);
    if (status) return status;
    status = marey_features_build(layout, clips[1], &out[1], error);
    if (status) marey_features_free(out[0]);
    return status;
}

static marey_status meet(mry_bodies *bodies, const marey_clip *const clips[2], int *meeting,
                         marey_error *error)
{
    double rate = mry_rate_within(marey_clip_fps(clips[0]), bodies->settings->fps);
    int body[2];
    marey_status status = mry_bodies_add(bodies, clips[0], &body[0], error);
    if (!status) status = mry_bodies_add(bodies, clips[1], &body[1], error);
    if (status) return status;
    rate = fmin(rate, mry_rate_within(marey_clip_fps(clips[1]), bodies->settings->fps));
    status = mry_bodies_meet(bodies, body[0], body[1], rate, meeting, error);
    if (status || bodies->meetings[*meeting].layout) return status;
    return mry_fail(error, MAREY_ERR_SHAPE, NULL, "%.100s and %.100s have nothing in common",
                    marey_clip_name(clips[0]), marey_clip_name(clips[1]));
}

marey_status marey_library_index_view(marey_library *library, const marey_clip *const clips[2],
                                      marey_layout **layout, marey_features *out[2],
                                      marey_error *error)
{
    mry_arena tmp = mry_arena_make(library->ctx);
    mry_index_settings settings;
    marey_features *made[2];
    bool exists = false;
    int meeting = 0;
    marey_status status = mry_index_settings_read(library, &tmp, &settings, &exists, error);
    if (!status && !exists) {
        const char *path = mry_store_path(library->store);
        status =
            mry_fail(error, MAREY_ERR_INPUT, path, "no index yet; run marey index %.300s", path);
    }
    if (!status) {
        mry_bodies bodies = mry_bodies_make(library->ctx, &settings);
        status = meet(&bodies, clips, &meeting, error);
        if (!status) status = build_both(bodies.meetings[meeting].layout, clips, made, error);
        if (!status) {
            *layout = bodies.meetings[meeting].layout;
            bodies.meetings[meeting].layout = NULL; /* it is the caller's now */
            out[0] = made[0];
            out[1] = made[1];
        }
        mry_bodies_free(&bodies);
    }
    mry_arena_free(&tmp);
    return status;
}
