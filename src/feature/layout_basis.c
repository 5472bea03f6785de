/* layout_basis.c - the directions in which the clouds of a layout's clips differ most, from a sample of them. */
#include "feature/feature_data.h"

#include "base/fail.h"

enum {
    SAMPLES = 400,
    NUMBERS =
        1000000 /* of all samples' x: work and memory stay bounded, however many joints there are */
};

/* As many as bodies of up to NUMBERS / SAMPLES numbers a cloud get; of larger ones fewer, at least as many as there are
   directions to find. */
static int most_samples(int dims)
{
    int most = NUMBERS / dims;
    return most > SAMPLES ? SAMPLES : most < MRY_BASIS_RANK ? MRY_BASIS_RANK : most;
}

/* Every clip gives clouds by its length, at least one, spread over it. */
static int sample_clip(mry_arena *tmp, const marey_features *f, int most, double all_s,
                       double clip_s, double *clouds)
{
    mry_points_def def = mry_features_points(f);
    int rows[SAMPLES], count = (int)(most * clip_s / all_s);
    if (count < 1) count = 1;
    if (count > most) count = most;
    for (int i = 0; i < count; i++) rows[i] = (int)(((int64_t)2 * i + 1) * f->rows / (2 * count));
    return mry_points_sample(tmp, &def, rows, count, clouds) ? count : 0;
}

static marey_status sample(marey_layout *layout, mry_arena *tmp, const marey_clip *const *clips,
                           int count, double *clouds, int dims, int *found, marey_error *error)
{
    double all_s = 0;
    for (int i = 0; i < count; i++) all_s += marey_clip_seconds(clips[i]);
    for (int i = 0; i < count; i++) {
        marey_features *f;
        marey_status status = mry_features_make(layout, clips[i], &f, error);
        if (status) return status;
        int more = sample_clip(tmp, f, most_samples(dims), all_s, marey_clip_seconds(clips[i]),
                               clouds + (size_t)*found * 3 * (size_t)dims);
        marey_features_free(f);
        if (more == 0) return mry_fail_memory(error, NULL);
        *found += more;
    }
    return MAREY_OK;
}

/* How many numbers a cloud has: every clip's has as many. */
static marey_status find_dims(marey_layout *layout, mry_arena *tmp, const marey_clip *clip,
                              int *dims, marey_error *error)
{
    marey_features *f;
    marey_status status = mry_features_make(layout, clip, &f, error);
    if (status) return status;
    mry_points_def def = mry_features_points(f);
    *dims = mry_points_sample(tmp, &def, NULL, 0, NULL);
    marey_features_free(f);
    return *dims ? MAREY_OK : mry_fail_memory(error, NULL);
}

marey_status mry_layout_find_basis(marey_layout *layout, const marey_clip *const *clips, int count,
                                   marey_error *error)
{
    mry_arena tmp = mry_arena_make(layout->mem.ctx);
    int dims = 0, found = 0;
    marey_status status = find_dims(layout, &tmp, clips[0], &dims, error);
    if (!status) {
        size_t room = (size_t)most_samples(dims) + (size_t)count;
        double *clouds = MRY_NEW(&tmp, double, room * 3 * (size_t)dims);
        layout->basis = MRY_NEW(&layout->mem, mry_basis, 1);
        if (!clouds || !layout->basis) status = mry_fail_memory(error, NULL);
        if (!status) status = sample(layout, &tmp, clips, count, clouds, dims, &found, error);
        if (!status && !mry_basis_build(&layout->mem, clouds, found, dims, layout->basis)) {
            status = mry_fail_memory(error, NULL);
        }
    }
    mry_arena_free(&tmp);
    return status;
}
