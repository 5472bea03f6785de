/* layout.c - what clips that are compared with each other have in common: the definition with its defaults, the window,
   the rate, and what is measured on all of them. */
#include "base/fail.h"
#include "feature/feature_data.h"

#include <string.h>

/* ---- the directions in which the clouds of its clips differ most, from a sample of them ------ */

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

/* ---- layouts that do not depend on how the clips move ---------------------------------------- */

/* So what is compared by them stays the same whatever other clips there are. What other layouts measure is that of a typical body: the mean of the clips of twelve people, with
   legs of 80 cm. Only constants follow from it that cancel (heights) or that set a scale. */

#define LEGS_CM 80.0
#define LEVER_CM 40.0 /* joints are so far from the pelvis, root mean square */
#define HIPS_CM 95.0

/* How high the joints of a body are that stands, walks and reaches: hips to head, then collar to toe of either side. */
static const double body_cm[MAREY_ROLE_LEFT_COLLAR] = { HIPS_CM, 105, 118, 125, 138 };
static const double side_cm[MAREY_ROLE_RIGHT_COLLAR - MAREY_ROLE_LEFT_COLLAR] = {
    122, 128, 100, 82, 88, 49, 10, 5
};

static double role_height(int role)
{
    if (role < MAREY_ROLE_LEFT_COLLAR) return body_cm[role];
    int side = MAREY_ROLE_RIGHT_COLLAR - MAREY_ROLE_LEFT_COLLAR;
    return side_cm[(role - MAREY_ROLE_LEFT_COLLAR) % side];
}

/* Of the first role that it has, or the joint above it that has one. Compared joints are in rising order, so what is above is
   known where it is one of them: no way to the root is gone twice. */
static double joint_height(const marey_layout *layout, const marey_skeleton *skeleton, int k)
{
    for (int joint = layout->joint[k]; joint >= 0;) {
        for (int role = 0; role < MAREY_ROLE_COUNT; role++) {
            if (skeleton->roles[role] == joint) return role_height(role);
        }
        joint = skeleton->joints[joint].parent;
        int low = 0, high = k; /* the first that is not below it is from low to high */
        while (low < high) {
            int middle = (low + high) / 2;
            if (layout->joint[middle] < joint) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        if (low < k && layout->joint[low] == joint) return layout->height_cm[low];
    }
    return HIPS_CM;
}

/* Where nothing moves the steps are rounding errors, and to divide by them would make them count. */
static void settle_normals(marey_layout *layout)
{
    for (int i = 0; i < MAREY_MOST_ATTRIBUTES; i++) {
        if (!(layout->normal[i] > 1e-6)) layout->normal[i] = 1;
    }
}

/* What `fixed` says, into a layout whose joints are chosen. */
static void fix(marey_layout *layout, const marey_skeleton *first, const mry_fixed *fixed)
{
    layout->legs_cm = LEGS_CM;
    layout->lever_cm = LEVER_CM;
    for (int i = 0; i < MAREY_MOST_ATTRIBUTES; i++) layout->normal[i] = fixed->normal[i];
    settle_normals(layout);
    for (int k = 0; k < layout->joints; k++) {
        layout->height_cm[k] =
            layout->by_roles ? role_height(layout->joint[k]) : joint_height(layout, first, k);
    }
}

double mry_rate_within(double fps, double most)
{
    return fps > most * (1 - 1e-5) ? most : fps;
}

/* ---- the definition -------------------------------------------------------------------------- */

static marey_status bad(marey_error *error, const char *what)
{
    return mry_fail(error, MAREY_ERR_REQUEST, NULL, "%s", what);
}

static marey_status check_attributes(const marey_metric_def *def, marey_error *error)
{
    double sum = 0;
    if (!def->attributes_given) return MAREY_OK;
    if (def->metric->attribute_count == 0)
        return mry_fail(error, MAREY_ERR_REQUEST, NULL, "the metric %s has no attributes to weigh",
                        def->metric->name);
    for (int i = 0; i < def->metric->attribute_count; i++) {
        if (!(def->attributes[i] >= 0 && def->attributes[i] <= 1e12))
            return bad(error, "attribute weights are numbers >= 0");
        sum += def->attributes[i];
    }
    return sum > 0 ? MAREY_OK : bad(error, "at least one attribute weight must be more than 0");
}

static marey_status check_window(const marey_metric_def *def, marey_error *error)
{
    if (def->window < 1 || def->window > MAREY_MOST_WINDOW)
        return mry_fail(error, MAREY_ERR_REQUEST, NULL, "a window has 1 to %d frames, not %d",
                        MAREY_MOST_WINDOW, def->window);
    if (def->metric->window == 1 && def->window != 1)
        return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                        "the metric %s compares single frames and has no window",
                        def->metric->name);
    if (def->window < def->metric->least_window)
        return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                        "the window of %s must be at least %d frames, got %d", def->metric->name,
                        def->metric->least_window, def->window);
    return MAREY_OK;
}

marey_status mry_metric_resolve(const marey_metric_def *given, marey_metric_def *def,
                                marey_error *error)
{
    *def = given ? *given : (marey_metric_def){ 0 };
    if (!def->metric) def->metric = marey_metric_find(0);
    if (!mry_metric_row_of(def->metric)) return bad(error, "the metric is not a row of the table");
    if (!def->joints) def->joints = marey_joint_weights_find(0);
    if (def->window == 0) def->window = def->metric->window;
    if (def->candidates == 0) def->candidates = 0.2;
    if (def->smooth_s == 0) def->smooth_s = 0.05;
    if (!(def->candidates > 0 && def->candidates <= 1))
        return bad(error, "the share of candidates is in (0, 1]");
    if (!(def->smooth_s > 0 && def->smooth_s <= 10))
        return bad(error, "the width of the smoothing is in (0, 10] seconds");
    if (!(def->fps >= 0 && def->fps <= 20000))
        return bad(error, "a rate is more than 0 and at most 20000 frames a second");
    marey_status status = check_window(def, error);
    if (!status) status = check_attributes(def, error);
    for (int i = 0; i < MAREY_MOST_ATTRIBUTES && !def->attributes_given; i++)
        def->attributes[i] = 1;
    return status;
}

/* ---- the window ---------------------------------------------------------------------------------- */

/* Tapered is a triangle that would reach 0 one frame outside of the window. */
static bool weigh_frames(marey_layout *layout)
{
    int count = layout->def.window;
    double middle = (count - 1) / 2.0, sum = 0;
    layout->window = count;
    layout->before = (count - 1) / 2;
    layout->frame_weight = MRY_NEW(&layout->mem, double, count);
    if (!layout->frame_weight) return false;
    for (int f = 0; f < count; f++) {
        layout->frame_weight[f] = layout->def.tapered ? middle + 1 - fabs(f - middle) : 1;
        sum += layout->frame_weight[f];
    }
    for (int f = 0; f < count; f++) layout->frame_weight[f] /= sum;
    return true;
}

/* ---- what is measured on the clips ------------------------------------------------------------- */

static void measure_heights(marey_layout *layout, const marey_features *first)
{
    for (int k = 0; k < layout->joints; k++) {
        double sum = 0;
        for (int row = 0; row < first->rows; row++) sum += mry_row_position(first, row, k).y;
        layout->height_cm[k] = sum / first->rows;
    }
}

/* Sums of squared distances from the root, weighted; over captured rows. */
typedef struct reach {
    double squares;
    double rows;
} reach;

static void measure_reach(const marey_features *f, reach *sum)
{
    for (int row = 0; row < f->rows; row++) {
        if (f->marked[row]) continue;
        for (int k = 0; k < f->layout->joints; k++) {
            mry_vec p = mry_row_local(f, row, k);
            sum->squares += f->layout->weight[k] * mry_vec_dot(p, p);
        }
        sum->rows++;
    }
}

void mry_measure_steps(const marey_features *f, double normal[MAREY_MOST_ATTRIBUTES])
{
    for (int row = 0; row + 1 < f->rows; row++) {
        double step[MAREY_MOST_ATTRIBUTES];
        if (f->marked[row] || f->marked[row + 1]) continue;
        mry_positions_terms(f, row, f, row + 1, step);
        for (int i = 0; i < MAREY_MOST_ATTRIBUTES; i++) normal[i] = fmax(normal[i], step[i]);
    }
}

/* Calls for the features of each of the clips in turn. */
static marey_status each_clip(marey_layout *layout, const marey_clip *const *clips, int count,
                              reach *sum, marey_error *error)
{
    for (int i = 0; i < count; i++) {
        marey_features *f;
        if (mry_cancelled(layout->mem.ctx)) return mry_fail_cancelled(error);
        marey_status status = mry_features_make(layout, clips[i], &f, error);
        if (status) return status;
        if (sum && i == 0) measure_heights(layout, f);
        if (sum) {
            measure_reach(f, sum);
        } else {
            mry_measure_steps(f, layout->normal);
        }
        marey_features_free(f);
    }
    return MAREY_OK;
}

static marey_status measure(marey_layout *layout, const marey_clip *const *clips, int count,
                            marey_error *error)
{
    reach sum = { 0 };
    marey_status status = each_clip(layout, clips, layout->row->levers ? count : 1, &sum, error);
    if (status) return status;
    layout->lever_cm = sum.rows > 0 ? sqrt(sum.squares / sum.rows) : 0;
    if (layout->def.metric->options & MAREY_METRIC_STEPS)
        status = each_clip(layout, clips, count, NULL, error);
    settle_normals(layout);
    return status;
}

/* ---- public -------------------------------------------------------------------------------------- */

/* The lowest of the clips'. A little more than what is allowed counts as that, since files round. */
static double choose_rate(const marey_clip *const *clips, int count, double given, double most)
{
    double lowest = marey_clip_fps(clips[0]);
    for (int i = 1; i < count; i++) lowest = fmin(lowest, marey_clip_fps(clips[i]));
    if (given > 0) return given;
    return most > 0 ? mry_rate_within(lowest, most) : lowest;
}

static marey_status fill(marey_layout *layout, const marey_clip *const *clips, int count,
                         const marey_metric_def *def, const mry_fixed *fixed, marey_error *error)
{
    layout->def = *def;
    layout->weights = *def->joints;
    layout->def.joints = &layout->weights;
    layout->weights.name =
        mry_arena_text(&layout->mem, def->joints->name, strlen(def->joints->name));
    if (!layout->weights.name || !weigh_frames(layout)) return mry_fail_memory(error, NULL);
    layout->row = mry_metric_row_of(def->metric);
    layout->fps = choose_rate(clips, count, fixed ? fixed->fps : 0, def->fps);
    marey_status status = mry_layout_choose(layout, clips, count, error);
    if (status) return status;
    if (fixed) {
        fix(layout, marey_clip_skeleton(clips[0]), fixed);
        return MAREY_OK;
    }
    status = measure(layout, clips, count, error);
    if (!status && layout->def.bounded && def->metric->can_bound) {
        status = mry_layout_find_basis(layout, clips, count, error);
    }
    return status;
}

static marey_status build(marey_ctx *ctx, const marey_clip *const *clips, int count,
                          const marey_metric_def *def, const mry_fixed *fixed, bool bodies,
                          marey_layout **out, marey_error *error)
{
    marey_metric_def whole;
    marey_status status = mry_metric_resolve(def, &whole, error);
    if (status) return status;
    if (count < 1) return bad(error, "there is no clip to compare");
    mry_arena mem = mry_arena_make(ctx);
    marey_layout *layout = MRY_NEW(&mem, marey_layout, 1);
    if (!layout) return mry_fail_memory(error, NULL);
    layout->mem = mem;
    layout->bodies = bodies;
    status = fill(layout, clips, count, &whole, fixed, error);
    if (status) {
        marey_layout_free(layout);
        return status;
    }
    *out = layout;
    return MAREY_OK;
}

marey_status mry_layout_build(marey_ctx *ctx, const marey_clip *const *clips, int count,
                              const marey_metric_def *def, const mry_fixed *fixed,
                              marey_layout **out, marey_error *error)
{
    return build(ctx, clips, count, def, fixed, false, out, error);
}

marey_status marey_layout_build_bodies(marey_ctx *ctx, const marey_clip *const *clips, int count,
                                       const marey_metric_def *def, marey_layout **out,
                                       marey_error *error)
{
    return build(ctx, clips, count, def, NULL, true, out, error);
}

marey_status marey_layout_build(marey_ctx *ctx, const marey_clip *const *clips, int count,
                                const marey_metric_def *def, marey_layout **out, marey_error *error)
{
    return mry_layout_build(ctx, clips, count, def, NULL, out, error);
}

void marey_layout_free(marey_layout *layout)
{
    if (!layout) return;
    mry_arena mem = layout->mem;
    mry_arena_free(&mem);
}

bool marey_layout_by_roles(const marey_layout *layout)
{
    return layout->by_roles;
}

double marey_layout_fps(const marey_layout *layout)
{
    return layout->fps;
}

int marey_layout_window(const marey_layout *layout)
{
    return layout->window;
}

const marey_metric_def *marey_layout_def(const marey_layout *layout)
{
    return &layout->def;
}

int marey_layout_joints(const marey_layout *layout)
{
    return layout->joints;
}

const char *marey_layout_joint(const marey_layout *layout, int index)
{
    return layout->names[index];
}

double marey_layout_weight(const marey_layout *layout, int index)
{
    return layout->weight[index];
}
