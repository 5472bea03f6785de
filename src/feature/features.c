/* features.c - the frames of a clip as rows of numbers. */
#include "base/fail.h"
#include "feature/feature_data.h"
#include "motion/feet.h"

#include <string.h>

/* What is needed to fill a row. */
typedef struct filler {
    marey_features *out;
    const marey_clip *clip; /* at the layout's rate, or a whole number of times faster */
    const marey_skeleton *skeleton;
    double scale;
    double *places; /* all joints of the skeleton */
    mry_rot *world;
    uint8_t *marked; /* a byte a frame of `clip` */
    int *source;     /* of each row: frame of `clip` that its pose is taken from */
} filler;

/* ---- rows and frames ------------------------------------------------------------------------- */

int mry_whole_ratio(double clip_fps, double fps)
{
    double ratio = clip_fps / fps;
    return fabs(ratio - round(ratio)) < 1e-5 * ratio && ratio > 0.5 && ratio < 1e6
               ? (int)round(ratio)
               : 0;
}

double mry_frames_a_row(double clip_fps, double fps)
{
    int ratio = mry_whole_ratio(clip_fps, fps);
    return ratio ? ratio : clip_fps / fps;
}

/* Between frames: as marey_clip_resample counts. */
int mry_rows_at(int frames, double clip_fps, double fps)
{
    int ratio = mry_whole_ratio(clip_fps, fps);
    if (ratio) return (frames - 1) / ratio + 1;
    return (int)(floor((frames - 1) / (clip_fps / fps) + 1e-6) + 1);
}

void mry_row_sources(const uint8_t *frame_marked, int ratio, int rows, uint8_t *marked, int *source)
{
    int last = -1;
    for (int row = 0; row < rows; row++) {
        source[row] = row * ratio;
        marked[row] = frame_marked[row * ratio];
        if (marked[row]) continue;
        for (int r = last + 1; r < row; r++) {
            bool earlier = last >= 0 && r - last <= row - r;
            source[r] = (earlier ? last : row) * ratio;
        }
        last = row;
    }
    for (int r = last + 1; r < rows && last >= 0; r++) source[r] = last * ratio;
}

static bool pose(filler *f, int frame)
{
    const float *turn = marey_clip_rotations(f->clip, frame);
    int joints = f->skeleton->joint_count;
    bool sound = true;
    marey_clip_positions(f->clip, frame, 1, f->places);
    for (int j = 0; j < joints; j++, turn += 4) {
        int parent = f->skeleton->joints[j].parent;
        mry_rot local = { turn[0], turn[1], turn[2], turn[3] };
        double square =
            local.w * local.w + local.x * local.x + local.y * local.y + local.z * local.z;
        f->world[j] = parent < 0 ? local : mry_rot_times(f->world[parent], local);
        sound &= isfinite(square);
        for (int i = 0; i < 3; i++) {
            f->places[3 * j + i] *= f->scale;
            sound &= fabs(f->places[3 * j + i]) <= MRY_FARTHEST_CM; /* false for NaN */
        }
    }
    return sound;
}

static void fill_row(const filler *f, int row)
{
    marey_features *out = f->out;
    const marey_layout *layout = out->layout;
    int root = mry_layout_root(layout, f->skeleton);
    for (int k = 0; k < layout->joints; k++) {
        size_t cell = (size_t)row * (size_t)layout->joints + (size_t)k;
        int joint = mry_layout_number(layout, f->skeleton, layout->joint[k]);
        int above = mry_layout_number(layout, f->skeleton, layout->above[k]);
        const double *place = f->places + 3 * joint;
        memcpy(out->positions + 3 * cell, place, 3 * sizeof(double));
        if (out->turns) {
            /* The rotation from the joint above; of the root and what is not below it, from the
               world. */
            mry_rot turn = f->world[joint];
            if (layout->below[k] > 0 && above >= 0)
                turn = mry_rot_times(mry_rot_back(f->world[above]), turn);
            double length =
                sqrt(turn.w * turn.w + turn.x * turn.x + turn.y * turn.y + turn.z * turn.z);
            float *to = out->turns + 4 * cell;
            to[0] = (float)(turn.w / length);
            to[1] = (float)(turn.x / length);
            to[2] = (float)(turn.y / length);
            to[3] = (float)(turn.z / length);
        }
        if (out->relative && layout->below[k] >= 2) {
            /* rp of eq. 3.1: the bone from the joint above, turned by that joint's rotation from
               what it hangs on. */
            int above2 = mry_layout_number(layout, f->skeleton, layout->above2[k]);
            const double *from = f->places + 3 * above;
            mry_vec bone = { place[0] - from[0], place[1] - from[1], place[2] - from[2] };
            bone = mry_rot_apply(mry_rot_back(f->world[above2]), bone);
            double *to = out->relative + 3 * cell;
            to[0] = bone.x;
            to[1] = bone.y;
            to[2] = bone.z;
        }
    }
    memcpy(out->root + 3 * (size_t)row, f->places + 3 * root, 3 * sizeof(double));
    out->root_turn[row] = f->world[root];
}

static marey_status fill(marey_features *out, const marey_clip *clip, int ratio, mry_arena *tmp,
                         marey_error *error)
{
    const marey_skeleton *skeleton = marey_clip_skeleton(clip);
    bool scaled = out->layout->by_roles || out->layout->def.common_size;
    double size = scaled ? mry_body_size(clip) : 0;
    filler f = { .out = out,
                 .clip = clip,
                 .skeleton = skeleton,
                 .scale = size > 0 && out->layout->legs_cm > 0 ? out->layout->legs_cm / size : 1 };
    out->rows = (marey_clip_frames(clip) - 1) / ratio + 1;
    f.places = MRY_NEW_RAW(tmp, double, 3 * skeleton->joint_count);
    f.world = MRY_NEW_RAW(tmp, mry_rot, skeleton->joint_count);
    f.source = MRY_NEW_RAW(tmp, int, out->rows);
    f.marked = mry_clip_marked(tmp, clip);
    const mry_metric_row *metric = out->layout->row;
    size_t rows = (size_t)out->rows, cells = rows * (size_t)out->layout->joints;
    out->frame = MRY_NEW_RAW(&out->mem, int, rows);
    out->marked = MRY_NEW(&out->mem, uint8_t, rows);
    out->positions = MRY_NEW_RAW(&out->mem, double, 3 * cells);
    out->root = MRY_NEW_RAW(&out->mem, double, 3 * rows);
    out->root_turn = MRY_NEW_RAW(&out->mem, mry_rot, rows);
    if (metric->turns) out->turns = MRY_NEW_RAW(&out->mem, float, 4 * cells);
    if (metric->relative) out->relative = MRY_NEW(&out->mem, double, 3 * cells);
    if (!f.places || !f.world || !f.source || !f.marked || !out->frame || !out->marked ||
        !out->positions || !out->root || !out->root_turn || (metric->turns && !out->turns) ||
        (metric->relative && !out->relative))
        return mry_fail_memory(error, marey_clip_name(clip));
    mry_row_sources(f.marked, ratio, out->rows, out->marked, f.source);
    for (int row = 0; row < out->rows; row++) {
        int frame = (int)lround(row * out->per_row);
        out->frame[row] = frame < out->frames ? frame : out->frames - 1;
        if (!pose(&f, f.source[row])) {
            return mry_fail(error, MAREY_ERR_INPUT, marey_clip_name(clip),
                            "frame %d has a joint that is not within %g cm of the origin",
                            out->frame[row], MRY_FARTHEST_CM);
        }
        fill_row(&f, row);
    }
    return MAREY_OK;
}

marey_status mry_features_make(const marey_layout *layout, const marey_clip *clip,
                               marey_features **out, marey_error *error)
{
    marey_status status = mry_layout_check(layout, clip, error);
    if (status) return status;
    marey_clip *resampled = NULL;
    int ratio = mry_whole_ratio(marey_clip_fps(clip), layout->fps);
    if (!ratio) status = marey_clip_resample(clip, layout->fps, &resampled, error);
    if (status) return status;
    mry_arena mem = mry_arena_make(layout->mem.ctx), tmp = mry_arena_make(layout->mem.ctx);
    marey_features *made = MRY_NEW(&mem, marey_features, 1);
    if (made) {
        made->mem = mem;
        made->layout = layout;
        made->frames = marey_clip_frames(clip);
        made->per_row = mry_frames_a_row(marey_clip_fps(clip), layout->fps);
        status = fill(made, ratio ? clip : resampled, ratio ? ratio : 1, &tmp, error);
    } else {
        status = mry_fail_memory(error, marey_clip_name(clip));
    }
    mry_arena_free(&tmp);
    marey_clip_free(resampled);
    if (status) {
        marey_features_free(made);
        return status;
    }
    *out = made;
    return MAREY_OK;
}

/* ---- point clouds ---------------------------------------------------------------------------- */

mry_points_def mry_features_points(const marey_features *f)
{
    const marey_layout *layout = f->layout;
    return (mry_points_def){ .rows = f->rows,
                             .joints = layout->joints,
                             .positions = f->positions,
                             .weights = layout->weight,
                             .height_cm = layout->height_cm,
                             .merged_into = layout->merged,
                             .window = layout->window,
                             .frame_weights = layout->frame_weight };
}

marey_status mry_points_fill(marey_features *f, const marey_clip *clip, marey_error *error)
{
    const marey_layout *layout = f->layout;
    /* Joints that are one in the layout must be one in this clip too, else adding up their weights
       would be wrong. */
    for (int row = 0; row < f->rows; row++) {
        for (int k = 0; k < layout->joints; k++) {
            int other = layout->merged[k];
            mry_vec way = mry_vec_sub(mry_row_position(f, row, k), mry_row_position(f, row, other));
            if (other == k || mry_vec_dot(way, way) == 0) continue;
            return mry_fail(error, MAREY_ERR_SHAPE, marey_clip_name(clip),
                            "its joint %s is not at the place of %s, as it is in the clips it is "
                            "to be compared with",
                            layout->names[k], layout->names[other]);
        }
    }
    f->points_def = mry_features_points(f);
    f->points = MRY_NEW(&f->mem, mry_points, 1);
    if (!f->points || !mry_points_build(&f->mem, &f->points_def, f->points))
        return mry_fail_memory(error, marey_clip_name(clip));
    if (!layout->basis) return MAREY_OK;
    mry_low *low = MRY_NEW(&f->mem, mry_low, 1);
    if (!low || !mry_low_build(&f->mem, f->points, layout->basis, 0, f->rows, MRY_LOW_ROWS, low))
        return mry_fail_memory(error, marey_clip_name(clip));
    f->points->low = low;
    return MAREY_OK;
}

/* ---- public ---------------------------------------------------------------------------------- */

marey_status marey_features_build(const marey_layout *layout, const marey_clip *clip,
                                  marey_features **out, marey_error *error)
{
    marey_features *made;
    marey_status status = mry_features_make(layout, clip, &made, error);
    if (status) return status;
    status = layout->row->fill(made, clip, error);
    if (status) {
        marey_features_free(made);
        return status;
    }
    *out = made;
    return MAREY_OK;
}

void marey_features_free(marey_features *features)
{
    if (!features) return;
    mry_arena mem = features->mem;
    mry_arena_free(&mem);
}

int marey_features_rows(const marey_features *features)
{
    return features->rows;
}

const marey_layout *marey_features_layout(const marey_features *features)
{
    return features->layout;
}

int marey_features_frame(const marey_features *features, int row)
{
    return features->frame[mry_row_held(features, row)];
}

int marey_features_row(const marey_features *features, int frame)
{
    return mry_row_held(features, (int)lround(frame / features->per_row));
}
