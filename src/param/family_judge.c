/* family_judge.c - which motions of a registration do the same at all. A search may find what only
   begins like its query, and a family of walks with a stair in it has no use for the stair.

   Each motion is compared with each along the registration, as a search compares poses: by the
   weights that the one brings along and as a share of its own still cost, and by those of the
   other; the worse of both counts. So a walk is no run because it is slow beside one. From the
   reference on everything belongs that is near enough to something that belongs: reaches to the
   floor and overhead, if there are some between them. But what was found and is
   aligned with the reference itself must not be far from it. Docs: decisions/0015-parameters.md. */
#include "base/fail.h"
#include "match/query_weights.h"
#include "param/family_data.h"

#include <math.h>
#include <string.h>

/* Chosen on real clips, see docs/results/param.md. */
#define FOUND_APART 0.4  /* of the still cost */
#define NAMED_APART 0.7  /* what a person put together may have wider gaps */
#define FOUND_FAR 0.7    /* from the reference, of what was found as being like it */
#define MOST_AIR 0.8     /* in the air at other times than the reference: air_difference */
#define LEAST_AIR 0.3    /* gravities: what is thrown less is never near to flying */
#define MOST_RISE_CM 8.0 /* of the floor, from the first plant to the last, beside the reference */

#define GRAVITY 981.0 /* cm/s2 */

enum { LOOKS = 32 }; /* places on the curve that are compared */

static const struct {
    const char *name, *about;
} kinds[MAREY_ODD_COUNT] = {
    { "none", "belongs to the others" },
    { "motion", "moves otherwise" },
    { "flight", "is in the air at other times" },
    { "floor", "goes up or down" },
};

const char *marey_odd_name(marey_odd_kind kind, const char **about)
{
    if ((int)kind < 0 || kind >= MAREY_ODD_COUNT) return NULL;
    if (about) *about = kinds[kind].about;
    return kinds[kind].name;
}

/* What a motion says of itself. */
typedef struct seen {
    int points;
    const float *weights;
    double still_cost;  /* cm2 */
    float *looks;       /* LOOKS rows as by mry_pose_row */
    double lift[LOOKS]; /* of the hips, gravities: -1 in free fall; NaN: unknown */
    double rise_cm;     /* NaN: there are no two plants to tell */
} seen;

/* How much higher the last plant of a heel is than the first one of a heel, or of toes, whichever
   is more. */
static double floor_rise(const marey_clip *clip, const marey_contacts *plants, double *positions)
{
    static const marey_role roles[MAREY_CONTACT_JOINT_COUNT] = {
        [MAREY_CONTACT_LEFT_HEEL] = MAREY_ROLE_LEFT_ANKLE,
        [MAREY_CONTACT_LEFT_TOE] = MAREY_ROLE_LEFT_TOE,
        [MAREY_CONTACT_RIGHT_HEEL] = MAREY_ROLE_RIGHT_ANKLE,
        [MAREY_CONTACT_RIGHT_TOE] = MAREY_ROLE_RIGHT_TOE,
    };
    double rise = NAN;
    for (int toes = 0; toes < 2; toes++) {
        const marey_contact *ends[2] = { NULL, NULL };
        double heights[2];
        for (int i = 0; i < plants->count; i++) {
            const marey_contact *plant = &plants->items[i];
            bool is_toe =
                plant->joint == MAREY_CONTACT_LEFT_TOE || plant->joint == MAREY_CONTACT_RIGHT_TOE;
            if (plant->joint >= MAREY_CONTACT_LEFT_HAND) continue;
            if (is_toe != toes || clip->skeleton.roles[roles[plant->joint]] < 0) continue;
            if (!ends[0] || plant->start < ends[0]->start) ends[0] = plant;
            if (!ends[1] || plant->end > ends[1]->end) ends[1] = plant;
        }
        if (ends[0] == ends[1]) continue;
        for (int e = 0; e < 2; e++) {
            marey_clip_positions(clip, (ends[e]->start + ends[e]->end) / 2, 1, positions);
            heights[e] = positions[3 * clip->skeleton.roles[roles[ends[e]->joint]] + 1];
        }
        if (!(fabs(heights[1] - heights[0]) <= fabs(rise))) rise = heights[1] - heights[0];
    }
    return rise;
}

/* How the hips are sped up upwards at a frame, by a parabola over `half` frames on both sides. */
static double hips_lift(const double *heights, int frame, int half, double fps)
{
    double mean = half * (half + 1) / 3.0, squares = 0, bend = 0;
    for (int k = -half; k <= half; k++) {
        squares += (k * k - mean) * (k * k - mean);
        bend += (k * k - mean) * heights[frame + k];
    }
    return 2 * bend / squares * fps * fps / GRAVITY;
}

static marey_status look(mry_arena *mem, const marey_registration *of, int motion,
                         const marey_contacts *plants, seen *out, marey_error *error)
{
    mry_arena tmp = mry_arena_make(mem->ctx);
    const marey_clip *clip = of->clips[motion];
    mry_poses poses;
    mry_scan_query query;
    marey_status status = mry_poses_make(&tmp, clip, of->fps, &poses, error);
    if (status) {
        mry_arena_free(&tmp);
        return status;
    }
    size_t numbers = 6 * (size_t)poses.points;
    float *weights = MRY_NEW(mem, float, poses.points), cost = -1;
    double *rows = MRY_NEW(&tmp, double, of->count);
    double *positions = MRY_NEW(&tmp, double, 3 * (size_t)clip->skeleton.joint_count);
    double *heights = MRY_NEW(&tmp, double, clip->frames);
    *out = (seen){ .points = poses.points, .weights = weights, .rise_cm = NAN };
    out->looks = MRY_NEW_RAW(mem, float, LOOKS *numbers);
    if (weights && rows && positions && heights && out->looks &&
        mry_query_weights(&tmp, &poses, 0, poses.rows, poses.has, weights) &&
        mry_scan_rows_make(&tmp, &poses, 0, poses.rows, 1, weights, 1, &query))
        cost = mry_still_cost(&tmp, &query, &poses, 0, 1);
    int hips = clip->skeleton.roles[MAREY_ROLE_HIPS];
    int half = clip->fps > 32 ? (int)lround(clip->fps / 16) : 2, last = clip->frames - 1 - half;
    for (int f = 0; f < clip->frames && cost >= 0 && hips >= 0; f++) {
        marey_clip_positions(clip, f, 1, positions);
        heights[f] = positions[3 * hips + 1];
    }
    for (int i = 0; i < LOOKS && cost >= 0; i++) {
        double u = of->first + (of->last - of->first) * (i + 0.5) / LOOKS;
        marey_registration_times(of, u, rows, NULL);
        int row = (int)lround(rows[motion]),
            frame = (int)lround(rows[motion] * clip->fps / of->fps);
        row = row < 0 ? 0 : row < poses.rows ? row : poses.rows - 1;
        mry_pose_row(&poses, row, 1, out->looks + (size_t)i * numbers);
        frame = frame < half ? half : frame < last ? frame : last;
        out->lift[i] = hips < 0 || last < half ? NAN : hips_lift(heights, frame, half, clip->fps);
    }
    out->still_cost = fmax((double)cost, 1e-6);
    if (cost >= 0 && plants) out->rise_cm = floor_rise(clip, plants, positions);
    mry_arena_free(&tmp);
    return cost < 0 ? mry_fail_memory(error, NULL) : MAREY_OK;
}

/* D of feature/poses.h. */
static double pose_distance(int points, const float *weights, const float *a, const float *b)
{
    double means[2][3] = { { 0 } }, sizes = 0, along = 0, across = 0, up = 0;
    for (int p = 0; p < points; p++) {
        for (int k = 0; k < 3; k++) {
            means[0][k] += (double)(weights[p] * a[3 * p + k]);
            means[1][k] += (double)(weights[p] * b[3 * p + k]);
        }
    }
    for (int i = 0; i < 2 * points; i++) {
        double w = (double)weights[i < points ? i : i - points], x[3], y[3];
        for (int k = 0; k < 3; k++) {
            x[k] = (double)a[3 * i + k] - (i < points ? means[0][k] : 0);
            y[k] = (double)b[3 * i + k] - (i < points ? means[1][k] : 0);
            sizes += w * (x[k] * x[k] + y[k] * y[k]);
        }
        along += w * (x[0] * y[0] + x[1] * y[1]);
        across += w * (x[0] * y[1] - x[1] * y[0]);
        up += w * x[2] * y[2];
    }
    return fmax(sizes - 2 * (hypot(along, across) + up), 0);
}

/* A share of the still cost; the worse of both ways. */
static double distance(const seen *a, const seen *b)
{
    size_t numbers = 6 * (size_t)a->points;
    double by_a = 0, by_b = 0;
    for (size_t i = 0; i < LOOKS * numbers; i += numbers) {
        by_a += pose_distance(a->points, a->weights, a->looks + i, b->looks + i);
        by_b += pose_distance(a->points, b->weights, a->looks + i, b->looks + i);
    }
    return fmax(by_a / a->still_cost, by_b / b->still_cost) / LOOKS;
}

/* 0: both are thrown and caught at the same times; 1: these have nothing to do with each other; 2: the
   one is caught when the other is thrown, as a walk beside a run: that is highest over its foot, a run
   between two. Plants do not tell: of quick steps many are missed. NaN: unknown. */
static double air_difference(const seen *a, const seen *b)
{
    double squares[2] = { 0, 0 }, apart = 0;
    for (int i = 0; i < LOOKS; i++) {
        squares[0] += a->lift[i] * a->lift[i];
        squares[1] += b->lift[i] * b->lift[i];
        apart += (a->lift[i] - b->lift[i]) * (a->lift[i] - b->lift[i]);
    }
    if (fmax(squares[0], squares[1]) < LOOKS * LEAST_AIR * LEAST_AIR) return 0;
    return apart / (squares[0] + squares[1]);
}

marey_status marey_family_judge(marey_ctx *ctx, const marey_registration *registration,
                                const marey_contacts *contacts, bool named, marey_oddity *out,
                                marey_error *error)
{
    enum { NOT_YET, BELONGS, BARRED };
    const double most = named ? NAMED_APART : FOUND_APART;
    int count = registration->count, last = registration->reference;
    mry_arena mem = mry_arena_make(ctx);
    seen *all = MRY_NEW(&mem, seen, count);
    double *near = MRY_NEW(&mem, double, count);
    uint8_t *state = MRY_NEW(&mem, uint8_t, count);
    marey_oddity *odd = MRY_NEW(&mem, marey_oddity, count);
    marey_status status = MAREY_OK;
    if (!all || !near || !state || !odd) status = mry_fail_memory(error, NULL);
    for (int i = 0; i < count && !status; i++) {
        status = look(&mem, registration, i, contacts ? &contacts[i] : NULL, &all[i], error);
        if (!status && !mry_progress(ctx, "comparing", i, count))
            status = mry_fail_cancelled(error);
        near[i] = INFINITY;
    }
    for (int i = 0; i < count && !status; i++) {
        double air = air_difference(&all[i], &all[last]);
        double rise = fabs(all[i].rise_cm - all[last].rise_cm); /* NaN: unknown */
        if (air > MOST_AIR)
            odd[i] = (marey_oddity){ MAREY_ODD_FLIGHT, air, MOST_AIR };
        else if (rise > MOST_RISE_CM)
            odd[i] = (marey_oddity){ MAREY_ODD_FLOOR, rise, MOST_RISE_CM };
        if (odd[i].kind) state[i] = BARRED;
    }
    /* The nearest to those that belong comes next, until none is near enough. */
    while (!status && last >= 0) {
        int from = last;
        state[from] = BELONGS;
        last = -1;
        for (int i = 0; i < count; i++) {
            if (state[i] == BELONGS) continue;
            double way = distance(&all[from], &all[i]);
            bool direct = from == registration->reference && registration->parents[i] == from;
            near[i] = fmin(near[i], way);
            if (direct && !named && way > FOUND_FAR) {
                odd[i] = (marey_oddity){ MAREY_ODD_MOTION, way, FOUND_FAR };
                state[i] = BARRED;
            }
            bool next = state[i] == NOT_YET && near[i] <= most;
            if (next && (last < 0 || near[i] < near[last])) last = i;
        }
        if (!mry_progress(ctx, "comparing", from, count)) status = mry_fail_cancelled(error);
    }
    for (int i = 0; i < count && !status; i++) {
        if (state[i] != BELONGS && near[i] > most)
            odd[i] = (marey_oddity){ MAREY_ODD_MOTION, near[i], most };
    }
    if (!status) memcpy(out, odd, (size_t)count * sizeof *out);
    mry_arena_free(&mem);
    return status;
}
