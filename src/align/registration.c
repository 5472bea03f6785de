/* registration.c - registration curves: what is asked for, the order in which they are built, one
   curve over all motions, and the plants on it. Kovar & Gleicher 2003, section 4. Pairs are aligned
   in registration_pairs.c, and their curves fitted in pair_curve.c. */
#include "align/knots.h"
#include "align/matches.h"
#include "align/registration_data.h"
#include "base/fail.h"
#include "math/floor.h"

#include <string.h>

/* ---- the tree of pairs ----------------------------------------------------------------------- */

/* Steps from a motion up to the reference. */
static int tree_depth(const int *parents, int motion)
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
    for (int i = 0; i < count; i++) { /* a longer way up is a circle */
        int steps = 0;
        for (int at = i; parents[at] >= 0; at = parents[at]) {
            if (++steps >= count) return false;
        }
    }
    return true;
}

/* ---- one curve over all motions (4.2.2 and 4.3) ---------------------------------------------- */

/* Each row of the reference is followed through the tree of pairs. Two motions keep the curve of
   their pair. */

static bool copy_spline(mry_arena *mem, const mry_spline *from, mry_spline *out)
{
    size_t numbers = (size_t)from->count * (size_t)from->dims;
    *out = *from;
    out->points = MRY_NEW_RAW(mem, double, numbers);
    if (out->points) memcpy(out->points, from->points, numbers * sizeof *out->points);
    return out->points != NULL;
}

static bool set_floor(const mry_registration_job *job, int motion, const mry_spline *curve)
{
    marey_registration *out = job->out;
    mry_floor_curve *floor = &out->floors[motion];
    mry_vec own = job->means[motion][0], goal = job->means[out->reference][0];
    floor->origin_own[0] = own.x;
    floor->origin_own[1] = own.z;
    floor->origin_goal[0] = goal.x;
    floor->origin_goal[1] = goal.z;
    return copy_spline(&out->mem, curve, &floor->curve);
}

/* Samples at rows of the reference, and where every motion is there. */
typedef struct joined {
    mry_registration_job *job;
    int order[MRY_MOST_MOTIONS]; /* parents before their children */
    int count;                   /* of samples */
    double first, last;          /* rows of the reference */
    bool whole;
    double *u;
    double *rows;   /* count x motions */
    double *floors; /* motions x count x MRY_FLOOR_DIMS */
} joined;

/* The reference's row that belongs to a motion's. */
static double to_reference(const mry_registration_job *job, int motion, double row)
{
    for (; job->out->parents[motion] >= 0; motion = job->out->parents[motion]) {
        double at[2];
        mry_spline_at(&job->pairs[motion].times, mry_spline_find(&job->pairs[motion].times, 1, row),
                      at, NULL);
        row = at[0];
    }
    return row;
}

/* At the ends of the common range and at every whole row between them. */
static bool take_samples(joined *j)
{
    const mry_registration_job *job = j->job;
    const int *parents = job->out->parents;
    int from = (int)floor(j->first) + 1, to = (int)ceil(j->last) - 1;
    size_t motions = (size_t)job->count;
    j->count = to - from + 3;
    j->u = MRY_NEW_RAW(job->tmp, double, j->count);
    j->rows = MRY_NEW_RAW(job->tmp, double, motions *(size_t)j->count);
    j->floors = MRY_NEW(job->tmp, double, motions *(size_t)j->count *MRY_FLOOR_DIMS);
    if (!j->u || !j->rows || !j->floors) return false;
    size_t stride = MRY_FLOOR_DIMS * (size_t)j->count;
    for (int i = 0; i < j->count; i++) {
        double *rows = j->rows + (size_t)i * motions,
               *floors = j->floors + MRY_FLOOR_DIMS * (size_t)i;
        j->u[i] = i == 0 ? j->first : i == j->count - 1 ? j->last : from + i - 1;
        rows[job->out->reference] = j->u[i];
        for (int k = 1; k < job->count; k++) {
            int motion = j->order[k], parent = parents[motion];
            const mry_pair_curve *pair = &job->pairs[motion];
            double *own = floors + (size_t)motion * stride, both[2];
            double u = mry_spline_find(&pair->times, 0, rows[parent]);
            u = u < pair->first ? pair->first : u > pair->last ? pair->last : u;
            mry_spline_at(&pair->times, u, both, NULL);
            mry_spline_at(&pair->floor, u, own, NULL);
            rows[motion] = both[1];
            if (parents[parent] < 0) continue;
            /* First the child on its parent, then that on the reference: angles add up, the place
               turned about stays the child's, and where it goes is moved as the parent is. */
            const double *above = floors + (size_t)parent * stride;
            double x = own[MRY_GOAL_X] - above[MRY_OWN_X], z = own[MRY_GOAL_Z] - above[MRY_OWN_Z];
            mry_floor_turn(above[MRY_ANGLE], &x, &z);
            own[MRY_ANGLE] += above[MRY_ANGLE];
            own[MRY_GOAL_X] = x + above[MRY_GOAL_X];
            own[MRY_GOAL_Z] = z + above[MRY_GOAL_Z];
        }
    }
    for (size_t i = 0; i < motions && j->whole; i++) /* both were so but for rounding */
        j->rows[(size_t)(j->count - 1) * motions + i] = job->last_rows[i];
    return true;
}

static marey_status fit(const joined *j, marey_error *error)
{
    const mry_registration_job *job = j->job;
    marey_registration *out = job->out;
    int points = mry_spline_size(j->count, job->def.samples_per_knot);
    mry_spline times;
    if (!mry_spline_fit(job->tmp, j->u, j->rows, j->count, job->count, points, j->first, j->last,
                        j->whole, &times) ||
        !copy_spline(&out->mem, &times, &out->times))
        return mry_fail_memory(error, NULL);
    for (int k = 1; k < job->count; k++) {
        size_t start = (size_t)j->order[k] * MRY_FLOOR_DIMS * (size_t)j->count;
        mry_spline curve;
        if (!mry_spline_fit(job->tmp, j->u, j->floors + start, j->count, MRY_FLOOR_DIMS, points,
                            j->first, j->last, false, &curve) ||
            !set_floor(job, j->order[k], &curve))
            return mry_fail_memory(error, NULL);
    }
    /* Each pair keeps to a ratio of slopes. Along a chain of pairs ratios multiply, most of it
       being the steps of the alignments' cells: a motion at its end may all but stand still for a
       few frames, and a motion that is blended with it there is made to jump. So the whole curve is
       held to what one pair is held to; where lengths are farther apart than that, to the least
       power of it that lets them. */
    int depth = tree_depth(out->parents, j->order[job->count - 1]);
    mry_knots_result adjusted;
    marey_status status = MAREY_ERR_REQUEST;
    for (int power = 1; power <= depth && status == MAREY_ERR_REQUEST; power++) {
        out->epsilon = pow(1.0 / (job->def.slope + 1), power);
        status = mry_knots_adjust(job->ctx, out->times.points, out->times.count, job->count,
                                  out->epsilon, j->whole, &adjusted, error);
    }
    if (!status) out->base = adjusted.base;
    if (status) return status;
    out->first = j->first;
    out->last = j->last;
    if (j->whole || mry_curve_inside(&out->times, job->last_rows, &out->first, &out->last))
        return MAREY_OK;
    return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                    "the motions are aligned over too few frames: there is no room for a curve");
}

static marey_status join_pairs(mry_registration_job *job, marey_error *error)
{
    int reference = job->out->reference;
    joined j = { .job = job, .last = job->last_rows[reference], .whole = true };
    if (job->count == 2) {
        marey_registration *out = job->out;
        int motion = 1 - reference;
        const mry_pair_curve *pair = &job->pairs[motion];
        if (!copy_spline(&out->mem, &pair->times, &out->times) ||
            !set_floor(job, motion, &pair->floor))
            return mry_fail_memory(error, NULL);
        out->first = pair->first;
        out->last = pair->last;
        out->epsilon = 1.0 / (job->def.slope + 1);
        out->base = reference == 0 ? pair->base : 1 - pair->base;
        for (int i = 0; i < out->times.count && reference == 1; i++) {
            double *point = out->times.points + 2 * i, parent = point[0];
            point[0] = point[1];
            point[1] = parent;
        }
        return MAREY_OK;
    }
    for (int depth = 0, placed = 0; placed < job->count; depth++) {
        for (int i = 0; i < job->count; i++) {
            if (tree_depth(job->out->parents, i) == depth) j.order[placed++] = i;
        }
    }
    /* What all pairs have in common. */
    for (int i = 0; i < job->count; i++) {
        const mry_pair_curve *pair = &job->pairs[i];
        int parent = job->out->parents[i];
        double at[2];
        if (parent < 0) continue;
        j.whole &= pair->whole;
        mry_spline_at(&pair->times, pair->first, at, NULL);
        j.first = fmax(j.first, to_reference(job, parent, at[0]));
        mry_spline_at(&pair->times, pair->last, at, NULL);
        j.last = fmin(j.last, to_reference(job, parent, at[0]));
    }
    if (j.whole) { /* but for rounding on the way */
        j.first = 0;
        j.last = job->last_rows[reference];
    }
    if (!(j.last - j.first >= 1))
        return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                        "the alignments have less than two rows of %s in common",
                        marey_clip_name(job->clips[reference]));
    return take_samples(&j) ? fit(&j, error) : mry_fail_memory(error, NULL);
}

/* ---- plants (4.4) ---------------------------------------------------------------------------- */

/* The plants of all motions on the common time, and which of them are the same plant; matches.c
   decides. */

static bool match(marey_registration *registration, const marey_contacts *contacts, mry_arena *tmp)
{
    mry_matches found[MAREY_CONTACT_JOINT_COUNT];
    mry_spans motions[MRY_MOST_MOTIONS];
    int total = 0, count = registration->count;
    for (int joint = 0; joint < MAREY_CONTACT_JOINT_COUNT; joint++) {
        for (int i = 0; i < count; i++) {
            /* The plants of one point of one motion; what the curve does not reach is left out. */
            double rows_per_frame = registration->fps / marey_clip_fps(registration->clips[i]);
            mry_span *room = MRY_NEW_RAW(tmp, mry_span, contacts[i].count);
            if (!room) return false;
            motions[i] = (mry_spans){ 0, room };
            for (int c = 0; c < contacts[i].count; c++) {
                const marey_contact *plant = &contacts[i].items[c];
                if ((int)plant->joint != joint) continue;
                double start = (plant->start - 0.5) * rows_per_frame;
                double end = (plant->end - 0.5) * rows_per_frame;
                mry_span span = { marey_registration_find(registration, i, start),
                                  marey_registration_find(registration, i, end) };
                if (span.start < span.end) room[motions[i].count++] = span;
            }
        }
        if (!mry_matches_find(tmp, motions, count, &found[joint])) return false;
        total += found[joint].count;
    }
    registration->matches = MRY_NEW_RAW(&registration->mem, marey_constraint_match, total);
    if (!registration->matches) return false;
    for (int joint = 0; joint < MAREY_CONTACT_JOINT_COUNT; joint++) {
        for (int m = 0; m < found[joint].count; m++) {
            marey_match_span *spans = MRY_NEW_RAW(&registration->mem, marey_match_span, count);
            if (!spans) return false;
            for (int i = 0; i < count; i++) {
                mry_span from = found[joint].spans[m * count + i];
                spans[i] = (marey_match_span){ from.start, from.end };
            }
            registration->matches[registration->match_count++] =
                (marey_constraint_match){ (marey_contact_joint)joint, spans };
        }
    }
    return true;
}

marey_status mry_registration_match(marey_registration *registration,
                                    const marey_contacts *contacts, marey_error *error)
{
    marey_contacts own[MRY_MOST_MOTIONS] = { 0 };
    mry_arena tmp = mry_arena_make(registration->mem.ctx);
    marey_status status = MAREY_OK;
    for (int i = 0; i < registration->count && !status; i++) {
        if (!contacts && marey_contacts_find(registration->clips[i], NULL, &own[i]))
            status = mry_fail_memory(error, NULL);
        for (int c = 0; contacts && c < contacts[i].count && !status; c++) {
            const marey_contact *now = &contacts[i].items[c], *was = now - 1;
            bool sound = (unsigned)now->joint < MAREY_CONTACT_JOINT_COUNT && now->start < now->end;
            if (sound && c > 0)
                sound =
                    was->joint < now->joint || (was->joint == now->joint && was->end <= now->start);
            if (!sound)
                status = mry_fail(error, MAREY_ERR_REQUEST, NULL,
                                  "the plants of motion %d are not sorted by joint and start, "
                                  "without overlaps, or one is empty",
                                  i + 1);
        }
    }
    if (!status && !match(registration, contacts ? contacts : own, &tmp))
        status = mry_fail_memory(error, NULL);
    for (int i = 0; i < registration->count; i++) marey_contacts_free(&own[i]);
    mry_arena_free(&tmp);
    return status;
}

static marey_status resolve(const marey_registration_def *given, int count,
                            marey_registration_def *def, marey_error *error)
{
    if (count < 2 || count > MRY_MOST_MOTIONS)
        return mry_fail(error, MAREY_ERR_REQUEST, NULL, "motions must be 2 to %d, got %d",
                        MRY_MOST_MOTIONS, count);
    *def = given ? *given : (marey_registration_def){ 0 };
    if (def->slope == 0) def->slope = 2;
    if (def->samples_per_knot == 0) def->samples_per_knot = 4;
    if (def->median == 0) def->median = 5;
    if (def->slope < 1 || def->slope > 8)
        return mry_fail(error, MAREY_ERR_REQUEST, NULL, "slope limit must be 1 to 8, got %d",
                        def->slope);
    if (def->samples_per_knot < 2 || def->samples_per_knot > 50)
        return mry_fail(error, MAREY_ERR_REQUEST, NULL, "samples per knot must be 2 to 50, got %d",
                        def->samples_per_knot);
    if (def->median < 1 || def->median > 31 || def->median % 2 == 0)
        return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                        "median filter must be odd and 1 to 31 samples wide, got %d", def->median);
    if (def->pin_count < 0 || def->pin_count > MAREY_MOST_PINS || (def->pin_count && def->centres))
        return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                        "pins must be at most %d, without centres, got %d", MAREY_MOST_PINS,
                        def->pin_count);
    if (def->reference < 0 || def->reference > count)
        return mry_fail(error, MAREY_ERR_REQUEST, NULL, "there is no motion %d to be the reference",
                        def->reference);
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
                        "the reference must be motion %d, the root of the tree, got %d", root + 1,
                        def->reference);
    def->reference = root + 1;
    return MAREY_OK;
}

double mry_last_row(const marey_clip *clip, double fps)
{
    double row = (marey_clip_frames(clip) - 1) * fps / marey_clip_fps(clip), whole = round(row);
    return fabs(row - whole) < 1e-3 ? whole : row;
}

/* ---- building -------------------------------------------------------------------------------- */

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
    int count = job->count;
    job->features = MRY_NEW(job->tmp, marey_features *, count);
    job->means = MRY_NEW(job->tmp, mry_vec *, count);
    job->last_rows = MRY_NEW(job->tmp, double, count);
    job->pairs = MRY_NEW(job->tmp, mry_pair_curve, count);
    if (!job->features || !job->means || !job->last_rows || !job->pairs)
        return mry_fail_memory(error, NULL);
    marey_status status = marey_layout_build_bodies(job->ctx, job->clips, count, job->def.metric,
                                                    &job->layout, error);
    if (status) return status;
    job->out->fps = job->layout->fps;
    for (int i = 0; i < count; i++) {
        const marey_clip *clip = job->clips[i];
        status = marey_features_build(job->layout, clip, &job->features[i], error);
        if (status) return status;
        int rows = job->features[i]->rows;
        if (rows < 2)
            return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                            "%s has one frame at %g Hz, and no time passes in it",
                            marey_clip_name(clip), job->layout->fps);
        job->last_rows[i] = fmax(mry_last_row(clip, job->layout->fps), rows - 1);
        job->means[i] = MRY_NEW_RAW(job->tmp, mry_vec, rows);
        if (!job->means[i] || !mry_window_means(job->features[i], job->tmp, job->means[i]))
            return mry_fail_memory(error, NULL);
    }
    status = mry_registration_align(job, error);
    for (int i = 0; i < count && !status; i++) {
        if (i == job->out->reference) continue;
        status = mry_pair_curve_fit(job, i, error);
        if (!status && !mry_floor_curve_fit(job, i)) status = mry_fail_memory(error, NULL);
    }
    if (!status) status = join_pairs(job, error);
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
    if (status) return status;
    const int *centres = job.def.centres;
    for (int i = 0; i < count; i++) {
        int frames = marey_clip_frames(clips[i]);
        if (!mry_same_joints(marey_clip_skeleton(clips[0]), marey_clip_skeleton(clips[i])))
            return mry_fail(error, MAREY_ERR_SHAPE, NULL, "the joints of %s are not those of %s",
                            marey_clip_name(clips[i]), marey_clip_name(clips[0]));
        if (centres && (centres[i] < 0 || centres[i] >= frames))
            return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                            "%s has no frame %d; its frames are 0-%d", marey_clip_name(clips[i]),
                            centres[i], frames - 1);
        for (int p = 0; p < job.def.pin_count; p++) {
            int frame = job.def.pins[p * count + i];
            if (frame < -1 || frame >= frames)
                return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                                "%s has no frame %d to be pinned; its frames are 0-%d",
                                marey_clip_name(clips[i]), frame, frames - 1);
        }
    }
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
