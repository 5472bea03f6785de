/* poses.c - the rows of a clip as a search compares them, and their distances. */
#include "feature/poses.h"

#include "base/fail.h"
#include "feature/feature_data.h"
#include "motion/feet.h"

#include <math.h>
#include <string.h>

/* ---- from a clip ----------------------------------------------------------------------------- */

/* The points of one frame about their mean, cm at the common size. False: out of bounds. */
static bool place_points(mry_poses *out, const marey_skeleton *skeleton, const double *joints,
                         int row)
{
    static const int axes[] = { 0, 2, 1 };
    double *centre = out->centres + 3 * (size_t)row, sum[3] = { 0 };
    float *places = out->places + 3 * (size_t)row * (size_t)out->points;
    bool sound = true;
    int count = 0;
    for (int p = 0; p < out->points; p++) {
        int joint = out->by_roles ? skeleton->roles[p] : p;
        if (joint < 0) continue;
        count++;
        for (int a = 0; a < 3; a++) sum[a] += out->scale * joints[3 * joint + axes[a]];
    }
    for (int a = 0; a < 3; a++) centre[a] = sum[a] / count;
    for (int p = 0; p < out->points; p++) {
        int joint = out->by_roles ? skeleton->roles[p] : p;
        if (joint < 0) continue;
        for (int a = 0; a < 3; a++) {
            double at = out->scale * joints[3 * joint + axes[a]];
            sound &= fabs(at) <= MRY_FARTHEST_CM; /* false for NaN */
            places[3 * p + a] = (float)(at - centre[a]);
        }
    }
    return sound;
}

/* Names and parents (FNV-1a). */
static uint64_t hash_joints(const marey_skeleton *skeleton)
{
    uint64_t hash = 14695981039346656037u;
    for (int j = 0; j < skeleton->joint_count; j++) {
        const marey_joint *joint = &skeleton->joints[j];
        hash = (hash ^ (uint64_t)(joint->parent + 1)) * 1099511628211u;
        for (const char *c = joint->name; *c; c++)
            hash = (hash ^ (unsigned char)*c) * 1099511628211u;
    }
    return hash;
}

marey_status mry_poses_make(mry_arena *mem, const marey_clip *clip, double rate, mry_poses *out,
                            marey_error *error)
{
    mry_arena tmp = mry_arena_make(mem->ctx);
    marey_clip *resampled = NULL;
    const char *name = marey_clip_name(clip);
    double size = mry_body_size(clip);
    int ratio = mry_whole_ratio(marey_clip_fps(clip), rate);
    marey_status status = MAREY_OK;
    if (!ratio) {
        status = marey_clip_resample(clip, rate, &resampled, error);
        if (status) return status;
        clip = resampled;
        ratio = 1;
    }
    const marey_skeleton *skeleton = marey_clip_skeleton(clip);
    *out = (mry_poses){ .rows = (marey_clip_frames(clip) - 1) / ratio + 1,
                        .by_roles = mry_by_roles(skeleton),
                        .rate = rate,
                        .scale = size > 0 ? MRY_POSE_LEGS_CM / size : 1 };
    out->points = out->by_roles ? MAREY_ROLE_COUNT : skeleton->joint_count;
    for (int role = 0; out->by_roles && role < MAREY_ROLE_COUNT; role++)
        out->has |= (uint32_t)(skeleton->roles[role] >= 0) << role;
    if (!out->by_roles) out->joints = hash_joints(skeleton);
    size_t rows = (size_t)out->rows;
    out->places = MRY_NEW(mem, float, 3 * rows * (size_t)out->points);
    out->centres = MRY_NEW(mem, double, 3 * rows);
    out->marked = MRY_NEW(mem, uint8_t, rows);
    int *source = MRY_NEW_RAW(&tmp, int, rows);
    double *joints = MRY_NEW_RAW(&tmp, double, 3 * skeleton->joint_count);
    const uint8_t *marked = mry_clip_marked(&tmp, clip);
    if (!out->places || !out->centres || !out->marked || !source || !joints || !marked)
        status = mry_fail_memory(error, name);
    if (!status) mry_row_sources(marked, ratio, out->rows, out->marked, source);
    for (int row = 0; row < out->rows && !status; row++) {
        marey_clip_positions(clip, source[row], 1, joints);
        if (!place_points(out, skeleton, joints, row)) {
            status = mry_fail(error, MAREY_ERR_INPUT, name,
                              "frame %d has a joint that is not within %g cm of the origin",
                              source[row], MRY_FARTHEST_CM);
        }
    }
    mry_arena_free(&tmp);
    marey_clip_free(resampled);
    return status;
}

static int other_side(int role)
{
    int sides = MAREY_ROLE_RIGHT_COLLAR - MAREY_ROLE_LEFT_COLLAR;
    if (role < MAREY_ROLE_LEFT_COLLAR) return role;
    return role < MAREY_ROLE_RIGHT_COLLAR ? role + sides : role - sides;
}

bool mry_poses_mirror(mry_arena *mem, const mry_poses *poses, mry_poses *out)
{
    size_t rows = (size_t)poses->rows, numbers = 3 * (size_t)poses->points;
    *out = *poses;
    out->places = MRY_NEW_RAW(mem, float, rows *numbers);
    out->centres = MRY_NEW_RAW(mem, double, 3 * rows);
    if (!out->places || !out->centres) return false;
    out->has = 0;
    for (int p = 0; p < poses->points; p++) out->has |= (poses->has >> other_side(p) & 1) << p;
    for (size_t row = 0; row < rows; row++) {
        for (int p = 0; p < poses->points; p++) {
            const float *from = poses->places + row * numbers + 3 * (size_t)other_side(p);
            float *to = out->places + row * numbers + 3 * (size_t)p;
            to[0] = -from[0];
            to[1] = from[1];
            to[2] = from[2];
        }
        for (size_t a = 0; a < 3; a++)
            out->centres[3 * row + a] = a ? poses->centres[3 * row + a] : -poses->centres[3 * row];
    }
    return true;
}

/* Rows before and behind one over which its velocity is measured. */
static int find_lag(const mry_poses *poses)
{
    int lag = (int)lround(poses->rate * MRY_POSE_SPAN_S / 2);
    return lag > 1 ? lag : 1;
}

void mry_pose_row(const mry_poses *poses, int row, float unit, float *restrict out)
{
    int lag = find_lag(poses), from = row, to = row;
    size_t numbers = 3 * (size_t)poses->points;
    /* Up to the ends of the clip and of what was captured. */
    for (int i = 0; i < lag && !poses->marked[row]; i++) {
        if (from > 0 && !poses->marked[from - 1]) from--;
        if (to + 1 < poses->rows && !poses->marked[to + 1]) to++;
    }
    const float *places = poses->places + (size_t)row * numbers;
    const float *before = poses->places + (size_t)from * numbers;
    const float *behind = poses->places + (size_t)to * numbers;
    float moved = to > from ? (float)(unit * MRY_POSE_S * poses->rate / (to - from)) : 0, way[3];
    for (size_t a = 0; a < 3; a++)
        way[a] = (float)(poses->centres[3 * (size_t)to + a] - poses->centres[3 * (size_t)from + a]);
    /* Roles that are not there have no weight, but must be numbers. */
    for (size_t i = 0; i < numbers; i++) out[i] = unit * places[i];
    float pattern[48], *ways = out + numbers;
    for (size_t i = 0; i < 48; i++) pattern[i] = way[i % 3];
    for (size_t done = 0; done < numbers; done += 48) {
        size_t end = numbers - done < 48 ? numbers - done : 48;
        for (size_t i = 0; i < end; i++)
            ways[done + i] = moved * (behind[done + i] - before[done + i] + pattern[i]);
    }
}

/* ---- packed ---------------------------------------------------------------------------------- */

static void find_mean(int points, const float *weights, const float *values, float mean[3])
{
    mean[0] = mean[1] = mean[2] = 0;
    for (int p = 0; p < points; p++) {
        for (int a = 0; a < 3; a++) mean[a] += weights[p] * values[3 * p + a];
    }
}

float mry_pose_pack_query(const mry_kernel *kernel, int points, const float *weights,
                          const float *values, int row, float *panels)
{
    size_t k = (size_t)mry_pose_products(points), mr = (size_t)kernel->mr;
    float *to = panels + (size_t)row / mr * 4 * k * mr + (size_t)row % mr, mean[3], size = 0;
    find_mean(points, weights, values, mean);
    for (size_t i = 0; i < k; i++) {
        bool place = i < (size_t)points;
        float weight = weights[place ? i : i - (size_t)points];
        float x = values[3 * i] - (place ? mean[0] : 0);
        float z = values[3 * i + 1] - (place ? mean[1] : 0);
        float y = values[3 * i + 2] - (place ? mean[2] : 0);
        size += weight * x * x;
        size += weight * z * z;
        size += weight * y * y;
        to[i * mr] = weight * x;
        to[(k + i) * mr] = weight * z;
        to[(2 * k + i) * mr] = -(weight * x + weight * z);
        to[(3 * k + i) * mr] = weight * y;
    }
    return size;
}

void mry_pose_pack_clip(const mry_kernel *kernel, int points, const float *values, int row,
                        float *panels)
{
    size_t k = (size_t)mry_pose_products(points), nr = (size_t)kernel->nr;
    float *to = panels + (size_t)row / nr * 4 * k * nr + (size_t)row % nr;
    for (size_t i = 0; i < k; i++) {
        to[i * nr] = values[3 * i];
        to[(k + i) * nr] = values[3 * i + 1];
        to[(2 * k + i) * nr] = values[3 * i] - values[3 * i + 1];
        to[(3 * k + i) * nr] = values[3 * i + 2];
    }
}

/* A panel of rows from `row` on that all have captured frames around them: each number of all rows
   at a time. `room` is for as many floats, and `lag` more on both sides. */
static void pack_panel(const mry_kernel *kernel, const mry_poses *poses, int row, int lag,
                       float unit, float *restrict room, float *restrict panel)
{
    size_t k = (size_t)mry_pose_products(poses->points), nr = (size_t)kernel->nr;
    size_t numbers = 3 * (size_t)poses->points, wide = nr + 2 * (size_t)lag;
    const float *places = poses->places + (size_t)(row - lag) * numbers;
    const double *centres = poses->centres + 3 * (row - lag);
    float moved = (float)(unit * MRY_POSE_S * poses->rate / (2 * lag));
    float ways[3][MRY_KERNEL_MOST_NR];
    for (size_t a = 0; a < 3; a++) {
        for (size_t c = 0; c < nr; c++)
            ways[a][c] = (float)(centres[3 * (c + 2 * (size_t)lag) + a] - centres[3 * c + a]);
    }
    for (size_t i = 0; i < numbers; i++) {
        for (size_t c = 0; c < wide; c++) room[c] = places[c * numbers + i];
        const size_t of_axis[3] = { 0, k, 3 * k };
        float *to = panel + (of_axis[i % 3] + i / 3) * nr, *to_way = to + k / 2 * nr;
        for (size_t c = 0; c < nr; c++) {
            to[c] = unit * room[(size_t)lag + c];
            to_way[c] = moved * (room[2 * (size_t)lag + c] - room[c] + ways[i % 3][c]);
        }
    }
    for (size_t i = 0; i < k * nr; i++) panel[2 * k * nr + i] = panel[i] - panel[k * nr + i];
}

void mry_pose_pack_rows(const mry_kernel *kernel, const mry_poses *poses, int from, int to,
                        float unit, float *room, float *panels)
{
    int lag = find_lag(poses), nr = kernel->nr;
    for (int row = from; row < to; row += nr) {
        float *panel = panels + (size_t)(row - from) * 4 * (size_t)mry_pose_products(poses->points);
        bool plain = row >= lag && row + nr + lag <= poses->rows &&
                     nr + 2 * lag <= 6 * poses->points &&
                     !memchr(poses->marked + row - lag, 1, (size_t)(nr + 2 * lag));
        if (plain) pack_panel(kernel, poses, row, lag, unit, room, panel);
        for (int j = row; j < row + nr && j < to && !plain; j++) {
            mry_pose_row(poses, j, unit, room);
            mry_pose_pack_clip(kernel, poses->points, room, j - row, panel);
        }
    }
}

void mry_pose_sizes(const mry_kernel *kernel, int points, const float *weights, const float *panels,
                    int rows, float *sizes)
{
    size_t k = (size_t)mry_pose_products(points), nr = (size_t)kernel->nr;
    for (int row = 0; row < rows; row += kernel->nr) {
        const float *x = panels + (size_t)row * 4 * k;
        const float *z = x + k * nr, *y = x + 3 * k * nr;
        float mean[3][MRY_KERNEL_MOST_NR] = { 0 }, *size = sizes + row;
        memset(size, 0, nr * sizeof *size);
        for (size_t i = 0; i < k; i++) {
            float weight = weights[i < (size_t)points ? i : i - (size_t)points];
            for (size_t c = 0; c < nr; c++) {
                float xc = x[i * nr + c], zc = z[i * nr + c], yc = y[i * nr + c];
                size[c] += weight * (xc * xc + zc * zc + yc * yc);
            }
            for (size_t c = 0; i < (size_t)points && c < nr; c++) {
                mean[0][c] += weight * x[i * nr + c];
                mean[1][c] += weight * z[i * nr + c];
                mean[2][c] += weight * y[i * nr + c];
            }
        }
        for (size_t c = 0; c < nr; c++)
            size[c] -= mean[0][c] * mean[0][c] + mean[1][c] * mean[1][c] + mean[2][c] * mean[2][c];
    }
}

void mry_pose_distances(const mry_kernel *kernel, int points, mry_pose_side query,
                        mry_pose_side clip, float *out, size_t stride)
{
    enum { PLANE = MRY_KERNEL_MOST_MR * MRY_KERNEL_MOST_NR };
    _Alignas(64) float room[3 * PLANE];
    int k = mry_pose_products(points);
    mry_planes planes = { room, room + PLANE, room + 2 * PLANE, MRY_KERNEL_MOST_NR };
    for (int col = 0; col < clip.count; col += kernel->nr) {
        if (clip.wanted && !clip.wanted[col / kernel->nr]) {
            for (int row = 0; row < query.count; row++) {
                float *to = out + (size_t)row * stride + col;
                for (int c = 0; c < kernel->nr; c++) to[c] = INFINITY;
            }
            continue;
        }
        for (int row = 0; row < query.count; row += kernel->mr) {
            mry_cells_def def = { .size_a = query.sizes + row, .size_b = clip.sizes + col };
            kernel->tile(query.panels + (size_t)row * 4 * (size_t)k,
                         clip.panels + (size_t)col * 4 * (size_t)k, k, planes);
            kernel->cells(&def, planes, kernel->nr, out + (size_t)row * stride + col, stride);
        }
    }
}
