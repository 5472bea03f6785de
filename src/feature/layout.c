/* layout.c - what clips that are compared with each other have in common: the definition with its
   defaults, the window, the rate, and what is measured on all of them. */
#include "base/fail.h"
#include "feature/feature_data.h"

#include <string.h>

/* ---- the directions in which the clouds of its clips differ most, from a sample of them ------ */

enum {
    SAMPLES = 400,
    NUMBERS =
        1000000 /* of all samples' x: work and memory stay bounded, however many joints there are */
};

marey_status mry_layout_find_basis(marey_layout *layout, const marey_clip *const *clips, int count,
                                   marey_error *error)
{
    mry_arena tmp = mry_arena_make(layout->mem.ctx);
    double all_s = 0, *clouds = NULL;
    int dims = 0, most = 0, found = 0; /* every clip's clouds have as many numbers */
    marey_status status = MAREY_OK;
    for (int i = 0; i < count; i++) all_s += marey_clip_seconds(clips[i]);
    for (int i = 0; i < count && !status; i++) {
        marey_features *f;
        status = mry_features_make(layout, clips[i], &f, error);
        if (status) break;
        mry_points_def def = mry_features_points(f);
        if (i == 0 && (dims = mry_points_sample(&tmp, &def, NULL, 0, NULL)) > 0) {
            /* As many as bodies of up to NUMBERS / SAMPLES numbers a cloud get; of larger ones
               fewer, at least as many as there are directions to find. */
            most = NUMBERS / dims;
            most = most > SAMPLES ? SAMPLES : most < MRY_BASIS_RANK ? MRY_BASIS_RANK : most;
            clouds = MRY_NEW(&tmp, double, ((size_t)most + (size_t)count) * 3 * (size_t)dims);
            layout->basis = MRY_NEW(&layout->mem, mry_basis, 1);
        }
        bool fits = clouds && layout->basis;
        if (fits) {
            /* Every clip gives clouds by its length, at least one, spread over it. */
            int rows[SAMPLES], samples = (int)(most * marey_clip_seconds(clips[i]) / all_s);
            samples = samples < 1 ? 1 : samples > most ? most : samples;
            for (int n = 0; n < samples; n++)
                rows[n] = (int)(((int64_t)2 * n + 1) * f->rows / (2 * samples));
            double *at = clouds + (size_t)found * 3 * (size_t)dims;
            fits = mry_points_sample(&tmp, &def, rows, samples, at) > 0;
            found += samples;
        }
        marey_features_free(f);
        if (!fits) status = mry_fail_memory(error, NULL);
    }
    if (!status && !mry_basis_build(&layout->mem, clouds, found, dims, layout->basis))
        status = mry_fail_memory(error, NULL);
    mry_arena_free(&tmp);
    return status;
}

/* ---- layouts that do not depend on how the clips move ---------------------------------------- */

/* So what is compared by them stays the same whatever other clips there are. What other layouts
   measure is that of a typical body: the mean of the clips of twelve people, with legs of 80 cm.
   Only constants follow from it that cancel (heights) or that set a scale. */

#define LEGS_CM 80.0
#define LEVER_CM 40.0 /* joints are so far from the pelvis, root mean square */
#define HIPS_CM 95.0

/* How high the joints of a body are that stands, walks and reaches: hips to head, then collar to
   toe of either side. */
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

/* Of the first role that it has, or the joint above it that has one. Compared joints are in rising
   order, so what is above is known where it is one of them: no way to the root is gone twice. */
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

/* Where nothing moves the steps are rounding errors, and to divide by them would make them
   count. */
static void settle_normals(marey_layout *layout)
{
    for (int i = 0; i < MAREY_MOST_ATTRIBUTES; i++) {
        if (!(layout->normal[i] > 1e-6)) layout->normal[i] = 1;
    }
}

double mry_rate_within(double fps, double most)
{
    return fps > most * (1 - 1e-5) ? most : fps;
}

/* ---- the definition -------------------------------------------------------------------------- */

static marey_status bad(marey_error *error, const char *rule)
{
    return mry_fail(error, MAREY_ERR_REQUEST, NULL, "%s", rule);
}

marey_status mry_metric_resolve(const marey_metric_def *given, marey_metric_def *def,
                                marey_error *error)
{
    *def = given ? *given : (marey_metric_def){ 0 };
    if (def->own) {
        marey_status status = marey_own_metric_check(def->own, error);
        if (status) return status;
        if (def->metric && def->metric != &def->own->metric)
            return bad(error, "a metric is either an own one or a row of the table");
    }
    def->metric = mry_metric_of(def);
    if (!mry_metric_row_of(def)) return bad(error, "the metric is not a row of the table");
    if (!def->joints) def->joints = marey_joint_weights_find(0);
    if (def->window == 0) def->window = def->metric->window;
    if (def->window == 0) def->window = 1; /* an own metric may leave it out */
    if (def->candidates == 0) def->candidates = 0.2;
    if (def->smooth_s == 0) def->smooth_s = 0.05;
    if (!(def->candidates > 0 && def->candidates <= 1))
        return bad(error, "the share of candidates is in (0, 1]");
    if (!(def->smooth_s > 0 && def->smooth_s <= 10))
        return bad(error, "the width of the smoothing is in (0, 10] seconds");
    if (!(def->fps >= 0 && def->fps <= 20000))
        return bad(error, "a rate is more than 0 and at most 20000 frames a second");
    if (def->window < 1 || def->window > MAREY_MOST_WINDOW)
        return mry_fail(error, MAREY_ERR_REQUEST, NULL, "window must be 1 to %d frames, got %d",
                        MAREY_MOST_WINDOW, def->window);
    if (!def->own && def->metric->window == 1 && def->window != 1)
        return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                        "the metric %s compares single frames and has no window",
                        def->metric->name);
    if (def->window < def->metric->least_window)
        return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                        "the window of %s must be at least %d frames, got %d", def->metric->name,
                        def->metric->least_window, def->window);
    if (!def->attributes_given) {
        for (int i = 0; i < MAREY_MOST_ATTRIBUTES; i++) def->attributes[i] = 1;
        return MAREY_OK;
    }
    double sum = 0;
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

/* ---- what is measured on the clips ----------------------------------------------------------- */

/* Sums of squared distances from the root, weighted; over captured rows. */
typedef struct reach {
    double squares;
    double rows;
} reach;

void mry_measure_steps(const marey_features *f, double normal[MAREY_MOST_ATTRIBUTES])
{
    for (int row = 0; row + 1 < f->rows; row++) {
        double step[MAREY_MOST_ATTRIBUTES];
        if (f->marked[row] || f->marked[row + 1]) continue;
        mry_positions_terms(f, row, f, row + 1, step);
        for (int i = 0; i < MAREY_MOST_ATTRIBUTES; i++) normal[i] = fmax(normal[i], step[i]);
    }
}

/* Adds up how far the joints reach, and takes their heights from the first clip; without `sum`:
   measures the steps. */
static marey_status each_clip(marey_layout *layout, const marey_clip *const *clips, int count,
                              reach *sum, marey_error *error)
{
    for (int i = 0; i < count; i++) {
        marey_features *f;
        if (mry_cancelled(layout->mem.ctx)) return mry_fail_cancelled(error);
        marey_status status = mry_features_make(layout, clips[i], &f, error);
        if (status) return status;
        if (!sum) mry_measure_steps(f, layout->normal);
        for (int k = 0; sum && i == 0 && k < layout->joints; k++) {
            double height = 0;
            for (int row = 0; row < f->rows; row++) height += mry_row_position(f, row, k).y;
            layout->height_cm[k] = height / f->rows;
        }
        for (int row = 0; sum && row < f->rows; row++) {
            if (f->marked[row]) continue;
            for (int k = 0; k < layout->joints; k++) {
                mry_vec p = mry_row_local(f, row, k);
                sum->squares += layout->weight[k] * mry_vec_dot(p, p);
            }
            sum->rows++;
        }
        marey_features_free(f);
    }
    return MAREY_OK;
}

/* Tapered is a triangle that would reach 0 one frame outside of the window. */
void mry_frame_weights(int window, bool tapered, double *out)
{
    double middle = (window - 1) / 2.0, whole = 0;
    for (int f = 0; f < window; f++) {
        out[f] = tapered ? middle + 1 - fabs(f - middle) : 1;
        whole += out[f];
    }
    for (int f = 0; f < window; f++) out[f] /= whole;
}

static marey_status fill(marey_layout *layout, const marey_clip *const *clips, int count,
                         const marey_metric_def *def, const mry_fixed *fixed, marey_error *error)
{
    int window = def->window;
    layout->def = *def;
    layout->weights = *def->joints;
    layout->def.joints = &layout->weights;
    layout->weights.name =
        mry_arena_text(&layout->mem, def->joints->name, strlen(def->joints->name));
    layout->window = window;
    layout->before = (window - 1) / 2;
    layout->frame_weight = MRY_NEW(&layout->mem, double, window);
    if (!layout->weights.name || !layout->frame_weight) return mry_fail_memory(error, NULL);
    mry_frame_weights(window, def->tapered, layout->frame_weight);
    layout->row = mry_metric_row_of(def);
    /* The lowest rate of the clips'. A little more than what is allowed counts as that, since files
       round. */
    layout->fps = marey_clip_fps(clips[0]);
    for (int i = 1; i < count; i++) layout->fps = fmin(layout->fps, marey_clip_fps(clips[i]));
    if (def->fps > 0) layout->fps = mry_rate_within(layout->fps, def->fps);
    if (fixed && fixed->fps > 0) layout->fps = fixed->fps;
    marey_status status = mry_layout_choose(layout, clips, count, error);
    if (status) return status;
    if (fixed) {
        const marey_skeleton *first = marey_clip_skeleton(clips[0]);
        layout->legs_cm = LEGS_CM;
        layout->lever_cm = LEVER_CM;
        for (int i = 0; i < MAREY_MOST_ATTRIBUTES; i++) layout->normal[i] = fixed->normal[i];
        settle_normals(layout);
        for (int k = 0; k < layout->joints; k++) {
            layout->height_cm[k] =
                layout->by_roles ? role_height(layout->joint[k]) : joint_height(layout, first, k);
        }
        return MAREY_OK;
    }
    reach sum = { 0 };
    status = each_clip(layout, clips, layout->row->levers ? count : 1, &sum, error);
    if (status) return status;
    layout->lever_cm = sum.rows > 0 ? sqrt(sum.squares / sum.rows) : 0;
    if (def->metric->options & MAREY_METRIC_STEPS)
        status = each_clip(layout, clips, count, NULL, error);
    settle_normals(layout);
    if (!status && def->bounded && def->metric->can_bound)
        status = mry_layout_find_basis(layout, clips, count, error);
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
