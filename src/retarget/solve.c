/* solve.c - from points to a clip: the steps of solve.h, and what is said about it. */
#include "retarget/solve.h"

#include "base/fail.h"
#include "base/grow.h"
#include "motion/axes.h"
#include "motion/clip_data.h"
#include "motion/quantile.h"

#include <string.h>

enum { LOOKS = 64, ERRORS = 1 << 20 };
static const double STRAYS_SHARE = 0.06; /* of the height; bodies and markers stray by half of it */

/* The mean of a joint's points in one frame, in the file's units and axes; false: not all of them
   were seen. */
static bool read_joint(const marey_points *points, const mry_solve_tree *tree, int joint, int frame,
                       mry_vec *out)
{
    mry_vec sum = { 0 };
    bool sound = true;
    for (int k = tree->first[joint]; k < tree->first[joint + 1]; k++) {
        const float *p =
            points->at + 3 * ((size_t)frame * (size_t)points->count + (size_t)tree->point[k]);
        for (int i = 0; i < 3; i++) sound = sound && fabsf(p[i]) <= MRY_MOST_NUMBER;
        sum = mry_vec_add(sum, (mry_vec){ p[0], p[1], p[2] });
    }
    *out = sound ? mry_vec_scale(sum, 1.0 / (tree->first[joint + 1] - tree->first[joint]))
                 : (mry_vec){ NAN, NAN, NAN };
    return sound;
}

/* A leaf that is never seen is left out; a joint on the way to others has to be there. */
static marey_status drop_unseen(mry_solve *s, const marey_points *points, int *dropped,
                                marey_error *error)
{
    mry_solve_tree *tree = &s->tree;
    for (int j = tree->count - 1; j >= 0; j--) {
        bool seen = false, leaf = j + 1 == tree->count || tree->parent[j + 1] != j;
        mry_vec at;
        for (int f = 0; f < points->frames && !seen; f++)
            seen = read_joint(points, tree, j, f, &at);
        if (seen) continue;
        if (!leaf || j == 0)
            return mry_fail(error, MAREY_ERR_INPUT, points->name,
                            "%s is seen in no frame, and others hang on it; marey solve --map FILE "
                            "says what they are to hang on",
                            tree->name[j]);
        /* Points of later joints stay where they are in point[]. */
        int gone = tree->first[j + 1] - tree->first[j];
        memmove(tree->point + tree->first[j], tree->point + tree->first[j + 1],
                (size_t)(tree->first[tree->count] - tree->first[j + 1]) * sizeof *tree->point);
        for (int k = j; k + 1 < tree->count; k++) {
            tree->name[k] = tree->name[k + 1];
            tree->parent[k] =
                tree->parent[k + 1] > j ? tree->parent[k + 1] - 1 : tree->parent[k + 1];
            tree->first[k] = tree->first[k + 1] - gone;
        }
        tree->first[tree->count - 1] = tree->first[tree->count] - gone;
        tree->count--;
        (*dropped)++;
    }
    return MAREY_OK;
}

static int frame_of_look(const mry_solve *s, int look, int looks)
{
    return (int)((int64_t)look * s->frames / looks);
}

/* What is not seen in a frame was or will be: the nearest such frame of each look and joint, -1 where a
   joint is never seen. Every frame is read twice, however few are seen. */
static void find_nearest(const mry_solve *s, const marey_points *points, int looks, int *out)
{
    int n = s->tree.count;
    for (int j = 0; j < n; j++) {
        mry_vec at;
        for (int i = 0, f = 0, last = -1; i < looks; i++) {
            for (; f <= frame_of_look(s, i, looks); f++)
                if (read_joint(points, &s->tree, j, f, &at)) last = f;
            out[(size_t)i * (size_t)n + (size_t)j] = last;
        }
        for (int i = looks - 1, f = s->frames - 1, next = -1; i >= 0; i--) {
            int frame = frame_of_look(s, i, looks), *best = &out[(size_t)i * (size_t)n + (size_t)j];
            for (; f >= frame; f--)
                if (read_joint(points, &s->tree, j, f, &at)) next = f;
            if (next >= 0 && (*best < 0 || next - frame < frame - *best)) *best = next;
        }
    }
}

/* A clip of some frames, in which every joint moves to where its points are: roles, units and the up
   axis are found in it as in one that was read. */
static marey_clip *sketch(mry_solve *s, const marey_points *points, const marey_solve_def *def)
{
    int n = s->tree.count, looks = s->frames < LOOKS ? s->frames : LOOKS;
    static const marey_channel kinds[3] = { MAREY_CHANNEL_X_POSITION, MAREY_CHANNEL_Y_POSITION,
                                            MAREY_CHANNEL_Z_POSITION };
    mry_arena tmp = mry_arena_make(s->ctx);
    int *nearest = MRY_NEW(&tmp, int, (size_t)looks *(size_t)n);
    marey_clip *clip = nearest ? mry_clip_make(s->ctx, points->name, n) : NULL;
    if (!clip) {
        mry_arena_free(&tmp);
        return NULL;
    }
    find_nearest(s, points, looks, nearest);
    for (int j = 0; j < n; j++) {
        clip->joints[j].name = s->tree.name[j];
        clip->joints[j].parent = s->tree.parent[j];
        clip->joints[j].first_channel = 3 * j;
        clip->joints[j].channel_count = 3;
        memcpy(clip->joints[j].channels, kinds, sizeof kinds);
    }
    clip->skeleton.channel_count = 3 * n;
    clip->fps = s->fps;
    bool fits = mry_clip_find_movers(clip) && mry_clip_take_tracks(clip, looks);
    for (int i = 0; i < looks && fits; i++) {
        double *place = mry_place(clip, i);
        float *turn = mry_turn(clip, i);
        for (int j = 0; j < n; j++) {
            mry_vec at = { 0 };
            int frame = nearest[(size_t)i * (size_t)n + (size_t)j];
            if (frame >= 0) read_joint(points, &s->tree, j, frame, &at);
            double v[3] = { at.x, at.y, at.z };
            s->at[j] = at;
            for (int k = 0; k < 3; k++) {
                const mry_vec *up = j ? &s->at[s->tree.parent[j]] : NULL;
                double base = !up ? 0 : k == 0 ? up->x : k == 1 ? up->y : up->z;
                place[3 * j + k] = v[k] - base;
                if (i == looks / 2) clip->joints[j].offset_cm[k] = v[k] - base;
            }
            memcpy(turn + 4 * j, (float[]){ 1, 0, 0, 0 }, 4 * sizeof *turn);
        }
    }
    mry_arena_free(&tmp);
    marey_units units = def->units ? def->units : points->units;
    marey_up up = def->up ? def->up : points->up;
    if (fits && mry_roles_find(clip) && mry_clip_settle_units(clip, units, up)) return clip;
    marey_clip_free(clip);
    return NULL;
}

/* Rotations below the joints above, and places of joints that have some. */
static void fill_tracks(const mry_solve *s, marey_clip *clip)
{
    for (int j = 0; j < s->count; j++) {
        size_t n = (size_t)s->frames;
        const mry_rot *own = s->turn + (size_t)j * n;
        const mry_rot *above = j ? s->turn + (size_t)s->joints[j].parent * n : NULL;
        const mry_vec *at = s->place + (size_t)j * n;
        const mry_vec *up = j ? s->place + (size_t)s->joints[j].parent * n : NULL;
        mry_rot before = { 1, 0, 0, 0 };
        for (int f = 0; f < s->frames; f++) {
            mry_rot q = above ? mry_rot_times(mry_rot_back(above[f]), own[f]) : own[f];
            double dot = q.w * before.w + q.x * before.x + q.y * before.y + q.z * before.z;
            double size = sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z) * (dot < 0 ? -1 : 1);
            q = (mry_rot){ q.w / size, q.x / size, q.y / size, q.z / size };
            before = q;
            float *turn = mry_turn(clip, f) + 4 * j;
            turn[0] = (float)q.w;
            turn[1] = (float)q.x;
            turn[2] = (float)q.y;
            turn[3] = (float)q.z;
            if (clip->slot[j] < 0) continue;
            mry_vec place =
                up ? mry_rot_apply(mry_rot_back(above[f]), mry_vec_sub(at[f], up[f])) : at[f];
            double *to = mry_place(clip, f) + 3 * clip->slot[j];
            to[0] = place.x;
            to[1] = place.y;
            to[2] = place.z;
        }
    }
}

/* The skeleton, its tracks, and what is to be said about them. */
static marey_clip *make_clip(const mry_solve *s, const marey_points *points,
                             const marey_clip *model, const marey_solve_report *found, int dropped)
{
    marey_clip *clip = mry_clip_make(s->ctx, points->name, s->count);
    if (!clip) return NULL;
    double cm = marey_units_cm(model->units);
    int channels = 0;
    bool fits = true;
    for (int j = 0; j < s->count && fits; j++) {
        const mry_solve_joint *from = &s->joints[j];
        marey_joint *joint = &clip->joints[j];
        static const marey_channel kinds[6] = {
            MAREY_CHANNEL_X_POSITION, MAREY_CHANNEL_Y_POSITION, MAREY_CHANNEL_Z_POSITION,
            MAREY_CHANNEL_Z_ROTATION, MAREY_CHANNEL_X_ROTATION, MAREY_CHANNEL_Y_ROTATION
        };
        int skip = j == 0 || from->moves ? 0 : 3;
        joint->name = mry_arena_text(&clip->mem, from->name, strlen(from->name));
        fits = joint->name != NULL;
        joint->parent = from->parent;
        memcpy(joint->offset_cm, (double[]){ from->offset.x, from->offset.y, from->offset.z },
               sizeof joint->offset_cm);
        mry_vector_to_file(model->up, joint->offset_cm, clip->source.offsets + 3 * j);
        for (int k = 0; k < 3; k++) clip->source.offsets[3 * j + k] /= cm;
        joint->first_channel = channels;
        joint->channel_count = 6 - skip;
        memcpy(joint->channels, kinds + skip, (size_t)(6 - skip) * sizeof *kinds);
        channels += 6 - skip;
    }
    clip->skeleton.channel_count = channels;
    clip->source.decimals = 6;
    clip->fps = s->fps;
    clip->units = model->units;
    clip->up = model->up;
    memcpy(clip->skeleton.roles, s->roles, sizeof s->roles);
    clip->skeleton.roles_from = model->skeleton.roles_from;
    clip->report = (marey_report){ .height_cm = model->report.height_cm, .claimed_fps = s->fps };
    clip->report.format = mry_arena_text(&clip->mem, points->format, strlen(points->format));
    clip->report.units_why =
        mry_arena_text(&clip->mem, model->report.units_why, strlen(model->report.units_why));
    clip->report.up_why =
        mry_arena_text(&clip->mem, model->report.up_why, strlen(model->report.up_why));
    fits = fits && clip->report.format && clip->report.units_why && clip->report.up_why &&
           mry_clip_find_movers(clip) && mry_clip_take_tracks(clip, s->frames);
    if (fits) fill_tracks(s, clip);
    /* Frames that saw nothing; where there are none, what other readers look for, too. */
    bool whole = true;
    for (int start = 0, end; start < s->frames && fits; start = end + 1) {
        for (end = start; end < s->frames; end++) {
            bool any = false;
            for (int j = 0; j < s->tree.count && !any; j++)
                any = s->seen[(size_t)j * (size_t)s->frames + end] == MRY_SEEN;
            if (any) break;
        }
        if (end == start) continue;
        fits = mry_clip_add_mark(clip, MAREY_MARK_DROPOUT, start, end);
        whole = false;
    }
    if (whole) fits = fits && mry_clip_find_marks(clip);
    clip->report.warning_count = 0; /* what the marks say; its advice is for other readers */
    if (dropped > 0)
        fits = fits && mry_clip_warn(clip, "%d point%s seen in no frame and left out", dropped,
                                     dropped == 1 ? " was" : "s were");
    bool body = false;
    for (int i = 0; i < MAREY_ROLE_COUNT; i++) body |= s->roles[i] >= 0;
    if (fits && !body)
        fits =
            mry_clip_warn(clip, "no human body was recognised: the rest pose is that of one frame");
    /* Beyond what noise does: 99 of 100 normal deviates in space are within 3.4 of theirs. */
    bool strays =
        found->p99_error_cm > STRAYS_SHARE * model->report.height_cm + 4 * found->noise_cm;
    if (fits && body && strays)
        fits = mry_clip_warn(clip,
                             "its points do not keep the distances of a body, one in a hundred is "
                             "%.0f cm off or more: are they flat, or in another order?",
                             found->p99_error_cm);
    if (fits && mry_clip_judge_rate(clip)) return clip;
    marey_clip_free(clip);
    return NULL;
}

/* From where the points were seen to the clip's joints, and when they were not. */
static bool report_on(const mry_solve *s, const marey_points *points, const marey_clip *model,
                      marey_solve_report *out)
{
    int room = 0, list_room = 0, every = 1;
    double sum = 0, cm = marey_units_cm(model->units), *errors = NULL, noise = 0;
    int64_t count = 0, kept = 0;
    while ((int64_t)s->frames * s->tree.count / every > ERRORS) every++;
    *out = (marey_solve_report){ .preset = s->tree.preset, .ctx = s->ctx };
    bool fits = true;
    for (int j = 0; j < s->count && fits; j++) {
        int p = s->joints[j].point, start = -1;
        if (s->joints[j].twin) continue;
        noise += s->noise[p] / s->tree.count;
        for (int f = 0; f <= s->frames && fits; f++) {
            mry_vec at;
            bool seen = f == s->frames || s->seen[(size_t)p * (size_t)s->frames + f] == MRY_SEEN;
            if (!seen && start < 0) start = f;
            if (seen && start >= 0) {
                fits =
                    mry_grow(s->ctx, &out->gaps, &list_room, out->gap_count + 1, sizeof *out->gaps);
                if (fits) out->gaps[out->gap_count++] = (marey_solve_gap){ j, start, f };
                start = -1;
            }
            if (!fits || !seen || f == s->frames) continue;
            read_joint(points, &s->tree, p, f, &at);
            double v[3] = { at.x * cm, at.y * cm, at.z * cm };
            mry_vector_from_file(model->up, v, v);
            double off = mry_vec_length(mry_vec_sub((mry_vec){ v[0], v[1], v[2] },
                                                    s->place[(size_t)j * (size_t)s->frames + f]));
            sum += off;
            if (count++ % every) continue;
            fits = mry_grow_in(s->mem, &errors, &room, (int)kept + 1, sizeof *errors);
            if (fits) errors[kept++] = off;
        }
    }
    out->bytes = (size_t)list_room * sizeof *out->gaps;
    out->noise_cm = noise;
    out->mean_error_cm = count ? sum / (double)count : 0;
    if (kept && fits) out->p99_error_cm = mry_quantile(errors, (size_t)kept, 0.99);
    if (!fits) marey_solve_report_free(out);
    return fits;
}

void marey_solve_report_free(marey_solve_report *report)
{
    if (report->gaps) mry_release(report->ctx, report->gaps, report->bytes);
    *report = (marey_solve_report){ 0 };
}

marey_status marey_points_solve(marey_ctx *ctx, const marey_points *points,
                                const marey_solve_def *def, marey_clip **out,
                                marey_solve_report *report, marey_error *error)
{
    static const marey_solve_def defaults = { 0 };
    if (!def) def = &defaults;
    const char *path = points->name;
    double fps = def->fps > 0 ? def->fps : points->fps;
    if (fps == 0)
        return mry_fail(error, MAREY_ERR_REQUEST, path,
                        "the file does not say its rate: --source-fps N does");
    if (!(fps >= 0.1 && fps <= 10000))
        return mry_fail(error, MAREY_ERR_REQUEST, path, "rate must be 0.1 to 10000 Hz, got %g",
                        fps);
    mry_arena mem = mry_arena_make(ctx);
    mry_solve s = { .ctx = ctx, .mem = &mem, .frames = points->frames, .fps = fps };
    marey_clip *model = NULL, *clip = NULL;
    marey_solve_report found = { 0 };
    int dropped = 0;
    marey_status status = mry_solve_tree_find(&mem, points, def, &s.tree, error);
    if (!status) status = drop_unseen(&s, points, &dropped, error);
    if (!status) {
        size_t all = (size_t)s.tree.count * (size_t)s.frames;
        s.at = MRY_NEW_RAW(&mem, mry_vec, all);
        s.seen = MRY_NEW(&mem, uint8_t, all);
        if (s.at && s.seen) model = sketch(&s, points, def);
        if (!model) status = mry_fail_memory(error, path);
    }
    if (!status) {
        double cm = marey_units_cm(model->units);
        for (int j = 0; j < s.tree.count; j++) {
            for (int f = 0; f < s.frames; f++) {
                size_t i = (size_t)j * (size_t)s.frames + (size_t)f;
                mry_vec at;
                s.seen[i] = read_joint(points, &s.tree, j, f, &at) ? MRY_SEEN : MRY_LONG_GAP;
                double v[3] = { at.x * cm, at.y * cm, at.z * cm };
                mry_vector_from_file(model->up, v, v);
                s.at[i] = (mry_vec){ v[0], v[1], v[2] };
            }
        }
        memcpy(s.roles, model->skeleton.roles, sizeof s.roles);
        const char *task = "solving";
        bool fits = mry_solve_points_measure(&s);
        bool goes_on = fits && mry_progress(ctx, task, 1, 4);
        fits = goes_on && mry_solve_points_mend(&s) && mry_solve_bones_find(&s);
        goes_on = fits && mry_progress(ctx, task, 2, 4);
        fits = goes_on && mry_solve_turns_find(&s);
        goes_on = fits && mry_progress(ctx, task, 3, 4);
        fits = goes_on && report_on(&s, points, model, &found);
        if (fits) clip = make_clip(&s, points, model, &found, dropped);
        if (clip) status = mry_clip_check(clip, path, error);
        if (!clip && !status)
            status = mry_cancelled(ctx) ? mry_fail_cancelled(error) : mry_fail_memory(error, path);
    }
    marey_clip_free(model);
    mry_arena_free(&mem);
    if (status) {
        marey_clip_free(clip);
        marey_solve_report_free(&found);
        return status;
    }
    *out = clip;
    *report = found;
    return MAREY_OK;
}
