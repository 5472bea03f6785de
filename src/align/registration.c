/* registration.c - registration curves: what is asked for, and the order in which they are built. Kovar & Gleicher 2003,
   section 4. The steps are in registration_pairs.c, pair_curve.c, floor_curve.c, registration_join.c and
   registration_matches.c. */
#include "align/registration_data.h"

#include "base/fail.h"

#include <string.h>

/* ---- the tree of pairs ----------------------------------------------------------------------------- */

int mry_tree_depth(const int *parents, int motion)
{
    int depth = 0;
    for (; parents[motion] >= 0; motion = parents[motion]) depth++;
    return depth;
}

bool mry_tree_is_sound(const int *parents, int count, int reference)
{
    for (int i = 0; i < count; i++) {
        if (parents[i] < -1 || parents[i] >= count) return false;
        if ((parents[i] == -1) != (i == reference)) return false;
    }
    for (int i = 0; i < count; i++) { /* whoever walks up longer than that walks in a circle */
        int steps = 0;
        for (int at = i; parents[at] >= 0; at = parents[at]) {
            if (++steps >= count) return false;
        }
    }
    return true;
}

/* ---- what is asked for ----------------------------------------------------------------------------- */

static marey_status check_numbers(const marey_registration_def *def, int count, marey_error *error)
{
    if (def->slope < 1 || def->slope > 8)
        return mry_fail(error, MAREY_ERR_REQUEST, NULL, "the slope limit is 1 to 8, not %d",
                        def->slope);
    if (def->samples_per_knot < 2 || def->samples_per_knot > 50)
        return mry_fail(error, MAREY_ERR_REQUEST, NULL, "a knot is for 2 to 50 samples, not %d",
                        def->samples_per_knot);
    if (def->median < 1 || def->median > 31 || def->median % 2 == 0)
        return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                        "the median filter is an odd number of samples wide, 1 to 31, not %d",
                        def->median);
    if (def->reference < 0 || def->reference > count)
        return mry_fail(error, MAREY_ERR_REQUEST, NULL, "there is no motion %d to be the reference",
                        def->reference);
    return MAREY_OK;
}

static marey_status check_tree(marey_registration_def *def, int count, marey_error *error)
{
    if (!def->parents) {
        if (def->paths && def->reference == 0 && count > 2)
            return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                            "alignments can only be given with the reference or the tree that they "
                            "belong to");
        return MAREY_OK;
    }
    int root = 0;
    while (root < count && def->parents[root] != -1) root++;
    if (root == count || !mry_tree_is_sound(def->parents, count, root))
        return mry_fail(error, MAREY_ERR_REQUEST, NULL, "the pairs are not one tree");
    if (def->reference && def->reference != root + 1)
        return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                        "motion %d cannot be the reference, as the tree has motion %d as its root",
                        def->reference, root + 1);
    def->reference = root + 1;
    return MAREY_OK;
}

static marey_status resolve(const marey_registration_def *given, int count,
                            marey_registration_def *def, marey_error *error)
{
    if (count < 2 || count > MRY_MOST_MOTIONS)
        return mry_fail(error, MAREY_ERR_REQUEST, NULL, "2 to %d motions can be registered, not %d",
                        MRY_MOST_MOTIONS, count);
    *def = given ? *given : (marey_registration_def){ 0 };
    if (def->slope == 0) def->slope = 2;
    if (def->samples_per_knot == 0) def->samples_per_knot = 4;
    if (def->median == 0) def->median = 5;
    marey_status status = check_numbers(def, count, error);
    return status ? status : check_tree(def, count, error);
}

static marey_status check_clips(const marey_clip *const *clips, int count, const int *centres,
                                marey_error *error)
{
    for (int i = 0; i < count; i++) {
        int frames = marey_clip_frames(clips[i]);
        if (!mry_same_joints(marey_clip_skeleton(clips[0]), marey_clip_skeleton(clips[i])))
            return mry_fail(error, MAREY_ERR_SHAPE, NULL, "the joints of %s are not those of %s",
                            marey_clip_name(clips[i]), marey_clip_name(clips[0]));
        if (centres && (centres[i] < 0 || centres[i] >= frames))
            return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                            "%s has no frame %d; its frames are 0-%d", marey_clip_name(clips[i]),
                            centres[i], frames - 1);
    }
    return MAREY_OK;
}

/* ---- rows of the clips ----------------------------------------------------------------------------- */

double mry_last_row(const marey_clip *clip, double fps)
{
    double row = (marey_clip_frames(clip) - 1) * fps / marey_clip_fps(clip), whole = round(row);
    return fabs(row - whole) < 1e-3 ? whole : row;
}

static marey_status measure_clip(mry_registration_job *job, int motion, marey_error *error)
{
    const marey_clip *clip = job->clips[motion];
    marey_features **features = &job->features[motion];
    marey_status status = marey_features_build(job->layout, clip, features, error);
    if (status) return status;
    int rows = (*features)->rows;
    if (rows < 2)
        return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                        "%s has one frame at %g Hz, and no time passes in it",
                        marey_clip_name(clip), job->layout->fps);
    job->last_rows[motion] = fmax(mry_last_row(clip, job->layout->fps), rows - 1);
    job->means[motion] = MRY_NEW_RAW(job->tmp, mry_vec, rows);
    if (!job->means[motion] || !mry_window_means(*features, job->tmp, job->means[motion]))
        return mry_fail_memory(error, NULL);
    return MAREY_OK;
}

static marey_status measure(mry_registration_job *job, marey_error *error)
{
    int count = job->count;
    job->features = MRY_NEW(job->tmp, marey_features *, count);
    job->means = MRY_NEW(job->tmp, mry_vec *, count);
    job->last_rows = MRY_NEW(job->tmp, double, count);
    job->pairs = MRY_NEW(job->tmp, mry_pair_curve, count);
    if (!job->features || !job->means || !job->last_rows || !job->pairs)
        return mry_fail_memory(error, NULL);
    marey_status status = marey_layout_build_bodies(job->ctx, job->clips, count, job->def.metric,
                                                    &job->layout, error);
    for (int i = 0; i < count && !status; i++) status = measure_clip(job, i, error);
    return status;
}

/* ---- building ---------------------------------------------------------------------------------------- */

marey_registration *mry_registration_make(marey_ctx *ctx, const marey_clip *const *clips, int count)
{
    mry_arena mem = mry_arena_make(ctx);
    marey_registration *made = MRY_NEW(&mem, marey_registration, 1);
    if (!made) return NULL;
    made->mem = mem;
    made->count = count;
    made->clips = MRY_NEW(&made->mem, const marey_clip *, count);
    made->parents = MRY_NEW(&made->mem, int, count);
    made->paths = MRY_NEW(&made->mem, marey_path, count);
    made->floors = MRY_NEW(&made->mem, mry_floor_curve, count);
    if (made->clips && made->parents && made->paths && made->floors) {
        for (int i = 0; i < count; i++) made->clips[i] = clips[i];
        return made;
    }
    marey_registration_free(made);
    return NULL;
}

static marey_status build(mry_registration_job *job, const marey_contacts *contacts,
                          marey_error *error)
{
    marey_status status = measure(job, error);
    if (!status) job->out->fps = job->layout->fps;
    if (!status) status = mry_registration_align(job, error);
    for (int i = 0; i < job->count && !status; i++) {
        if (i == job->out->reference) continue;
        status = mry_pair_curve_fit(job, i, error);
        if (!status && !mry_floor_curve_fit(job, i)) status = mry_fail_memory(error, NULL);
    }
    if (!status) status = mry_registration_join(job, error);
    if (!status) status = mry_registration_match(job->out, contacts, error);
    return status;
}

marey_status marey_registration_build(marey_ctx *ctx, const marey_clip *const *clips, int count,
                                      const marey_contacts *contacts,
                                      const marey_registration_def *def, marey_registration **out,
                                      marey_error *error)
{
    mry_arena tmp = mry_arena_make(ctx);
    mry_registration_job job = { .ctx = ctx, .tmp = &tmp, .count = count, .clips = clips };
    marey_status status = resolve(def, count, &job.def, error);
    if (!status) status = check_clips(clips, count, job.def.centres, error);
    if (status) return status;
    job.out = mry_registration_make(ctx, clips, count);
    status = job.out ? build(&job, contacts, error) : mry_fail_memory(error, NULL);
    for (int i = 0; i < count && job.features; i++) marey_features_free(job.features[i]);
    marey_layout_free(job.layout);
    mry_arena_free(&tmp);
    if (status) {
        marey_registration_free(job.out);
        return status;
    }
    *out = job.out;
    return MAREY_OK;
}

void marey_registration_free(marey_registration *registration)
{
    if (!registration) return;
    mry_arena mem = registration->mem;
    mry_arena_free(&mem);
}
