/* amass.c - AMASS archives: rotations of an SMPL body as axis angles, which need a skeleton and nothing
   else. The rest pose of SMPL is a T-pose with y up that faces z, and its joints are not turned at
   rest, as those of a clip; so angles become rotations as they are, and only the root stands in the
   file's world, in which z is up. Shapes (betas) are not read: they mean nothing without the model,
   which is not free. Bones are those of a standard body, or the caller's.

       poses  frames x 66, 72, 156 or 165: 3 numbers a joint, the 22 of the body first
       trans  frames x 3, metres: where the root is */
#include "base/fail.h"
#include "base/scan.h"
#include "io/npz.h"
#include "math/turn.h"
#include "motion/axes.h"
#include "motion/clip_data.h"

#include <marey/retarget.h>

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { JOINTS = 22 };

/* Lengths of eight bodies scaled to 170 cm: docs/decisions/0029-solve.md says how. */
static const struct {
    const char *name;
    int parent;
    double offset_cm[3];
} body[JOINTS] = {
    { "pelvis", -1, { 0, 0, 0 } },
    { "left_hip", 0, { 9.4, -5.2, 0 } },
    { "left_knee", 1, { 0, -41.1, 0 } },
    { "left_ankle", 2, { 0, -43.7, 0 } },
    { "left_foot", 3, { 0, -5, 11.8 } },
    { "right_hip", 0, { -9.4, -5.2, 0 } },
    { "right_knee", 5, { 0, -41.1, 0 } },
    { "right_ankle", 6, { 0, -43.7, 0 } },
    { "right_foot", 7, { 0, -5, 11.8 } },
    { "spine1", 0, { 0, 12.7, 0 } },
    { "spine2", 9, { 0, 12.7, 0 } },
    { "spine3", 10, { 0, 12.7, 0 } },
    { "neck", 11, { 0, 12.7, 0 } },
    { "head", 12, { 0, 8.9, 0 } },
    { "left_collar", 11, { 6.4, 0.7, 0 } },
    { "left_shoulder", 14, { 12.8, 1.5, 0 } },
    { "left_elbow", 15, { 28.5, 0, 0 } },
    { "left_wrist", 16, { 25.2, 0, 0 } },
    { "right_collar", 11, { -6.4, 0.7, 0 } },
    { "right_shoulder", 18, { -12.8, 1.5, 0 } },
    { "right_elbow", 19, { -28.5, 0, 0 } },
    { "right_wrist", 20, { -25.2, 0, 0 } },
};

/* Where each of them is in SMPL's own order. */
static const int column[JOINTS] = { 0, 1,  4,  7,  10, 2,  5,  8,  11, 3,  6,
                                    9, 12, 15, 13, 16, 18, 20, 14, 17, 19, 21 };

/* joint,x,y,z: where a joint is at rest, seen from its parent, cm. A line that names no joint of the
   body is passed over, such as one of titles. */
static marey_status read_bones(const char *bones, const char *path, double (*offsets)[3],
                               marey_error *error)
{
    int found = 0, line = 0;
    for (const char *at = bones; *at;) {
        const char *end = strchrnul(at, '\n'), *comma = memchr(at, ',', (size_t)(end - at));
        size_t length = comma ? (size_t)(comma - at) : 0;
        int joint = JOINTS;
        line++;
        for (int j = 0; j < JOINTS && comma; j++)
            if (strlen(body[j].name) == length && memcmp(at, body[j].name, length) == 0) joint = j;
        const char *p = comma;
        for (int i = 0; i < 3 && joint < JOINTS; i++) {
            char *behind = NULL;
            double value = p < end && *p == ',' ? strtod(p + 1, &behind) : NAN;
            if (!(fabs(value) <= 1000) || behind > end || behind == p + 1)
                return mry_fail(error, MAREY_ERR_REQUEST, path,
                                "bones line %d must be joint,x,y,z in cm from the joint's parent",
                                line);
            offsets[joint][i] = value;
            p = behind + strspn(behind, " \t\r");
        }
        found += joint < JOINTS;
        at = *end ? end + 1 : end;
    }
    if (found > 0) return MAREY_OK;
    return mry_fail(error, MAREY_ERR_REQUEST, path,
                    "bones must have lines joint,x,y,z with names of SMPL, such as left_knee");
}

/* Two arrays of so many columns and as many frames. */
static marey_status read_arrays(mry_npz *zip, mry_array *poses, mry_array *trans, double *fps)
{
    static const char *const rates[] = { "mocap_framerate", "mocap_frame_rate", "fps" };
    int a = mry_npz_find(zip, "poses"), b = mry_npz_find(zip, "trans");
    marey_status status = mry_npz_array(zip, a, poses);
    if (!status) status = mry_npz_array(zip, b, trans);
    if (status) return status;
    bool fits = poses->dims == 2 && poses->shape[1] >= 3 * JOINTS && poses->shape[1] % 3 == 0 &&
                trans->dims == 2 && trans->shape[1] == 3 && poses->shape[0] == trans->shape[0] &&
                poses->shape[0] > 0;
    if (!fits)
        return mry_fail(zip->error, MAREY_ERR_INPUT, zip->path,
                        "poses must be frames x 66 or more and trans frames x 3, got %d and %d "
                        "dimensions of %" PRId64 " and %" PRId64 " numbers",
                        poses->dims, trans->dims, poses->items, trans->items);
    if (poses->shape[0] > MRY_MOST_FRAMES)
        return mry_fail(zip->error, MAREY_ERR_LIMIT, zip->path,
                        "a clip must have at most %d frames, got %" PRId64, MRY_MOST_FRAMES,
                        poses->shape[0]);
    for (size_t i = 0; i < sizeof rates / sizeof *rates && *fps == 0; i++) {
        int entry = mry_npz_find(zip, rates[i]);
        mry_array rate;
        if (entry < 0) continue;
        status = mry_npz_array(zip, entry, &rate);
        if (status) return status;
        if (rate.items == 1) *fps = mry_array_number(&rate, 0);
    }
    if (*fps == 0)
        return mry_fail(zip->error, MAREY_ERR_REQUEST, zip->path,
                        "the file does not say its rate: --source-fps N does");
    if (*fps >= 0.1 && *fps <= 10000) return MAREY_OK;
    return mry_fail(zip->error, MAREY_ERR_INPUT, zip->path, "rate must be 0.1 to 10000 Hz, got %g",
                    *fps);
}

/* A skeleton with room for its tracks; NULL: out of memory. */
static marey_clip *make_body(marey_ctx *ctx, const char *name, double (*offsets)[3], int frames)
{
    static const marey_channel kinds[6] = { MAREY_CHANNEL_X_POSITION, MAREY_CHANNEL_Y_POSITION,
                                            MAREY_CHANNEL_Z_POSITION, MAREY_CHANNEL_Z_ROTATION,
                                            MAREY_CHANNEL_X_ROTATION, MAREY_CHANNEL_Y_ROTATION };
    marey_clip *clip = mry_clip_make(ctx, name, JOINTS);
    if (!clip) return NULL;
    for (int j = 0; j < JOINTS; j++) {
        marey_joint *joint = &clip->joints[j];
        int skip = j ? 3 : 0;
        joint->name = body[j].name;
        joint->parent = body[j].parent;
        memcpy(joint->offset_cm, offsets[j], sizeof joint->offset_cm);
        memcpy(clip->source.offsets + 3 * j, offsets[j], sizeof joint->offset_cm);
        joint->first_channel = clip->skeleton.channel_count;
        joint->channel_count = 6 - skip;
        memcpy(joint->channels, kinds + skip, (size_t)(6 - skip) * sizeof *kinds);
        clip->skeleton.channel_count += 6 - skip;
    }
    clip->source.decimals = 6;
    if (mry_clip_find_movers(clip) && mry_clip_take_tracks(clip, frames)) return clip;
    marey_clip_free(clip);
    return NULL;
}

/* False: a number that is not finite, or too large. */
static bool fill_frame(marey_clip *clip, int frame, const mry_array *poses, const mry_array *trans,
                       marey_up up)
{
    double place[3];
    bool sound = true;
    float *turn = mry_turn(clip, frame);
    for (int i = 0; i < 3; i++) {
        place[i] = 100 * mry_array_number(trans, 3 * (int64_t)frame + i);
        sound = sound && fabs(place[i]) <= MRY_MOST_NUMBER;
    }
    mry_vector_from_file(up, place, mry_place(clip, frame));
    for (int j = 0; j < JOINTS; j++) {
        double v[3], square = 0;
        for (int i = 0; i < 3; i++) {
            v[i] = mry_array_number(poses, frame * poses->shape[1] + 3 * column[j] + i);
            square += v[i] * v[i];
        }
        double angle = sqrt(square), s = angle > 1e-8 ? sin(angle / 2) / angle : 0.5;
        mry_rot q = { cos(angle / 2), s * v[0], s * v[1], s * v[2] };
        sound = sound && angle <= 1000;
        if (j == 0 && up == MAREY_UP_Z) /* the world is turned, not the body's own axes */
            q = mry_rot_times(mry_rot_about(1, 0, 0, -1.5707963267948966), q);
        const float out[4] = { (float)q.w, (float)q.x, (float)q.y, (float)q.z };
        memcpy(turn + 4 * j, out, sizeof out);
    }
    return sound;
}

static marey_status load(mry_scan *scan, mry_arena *tmp, const marey_amass_def *def,
                         marey_clip **out)
{
    const uint8_t *bytes;
    size_t count;
    mry_npz zip = { 0 };
    mry_array poses, trans;
    double fps = def->fps, offsets[JOINTS][3];
    marey_status status = MAREY_OK;
    for (int j = 0; j < JOINTS; j++) memcpy(offsets[j], body[j].offset_cm, sizeof offsets[j]);
    if (def->fps != 0 && !(def->fps >= 0.1 && def->fps <= 10000))
        status = mry_fail(scan->error, MAREY_ERR_REQUEST, scan->path,
                          "rate must be 0.1 to 10000 Hz, got %g", def->fps);
    if (!status && def->bones) status = read_bones(def->bones, scan->path, offsets, scan->error);
    if (!status && (scan->end - scan->p < 4 || memcmp(scan->p, "PK\3\4", 4) != 0))
        status = mry_fail(scan->error, MAREY_ERR_UNKNOWN_FORMAT, scan->path, "no NumPy archive");
    if (!status) status = mry_scan_whole(scan, tmp, &bytes, &count);
    if (!status) status = mry_npz_open(&zip, tmp, bytes, count, scan->path, scan->error);
    if (!status && (mry_npz_find(&zip, "poses") < 0 || mry_npz_find(&zip, "trans") < 0))
        status = mry_fail(scan->error, MAREY_ERR_UNKNOWN_FORMAT, scan->path,
                          "no rotations of an SMPL body (poses, trans)");
    if (!status) status = read_arrays(&zip, &poses, &trans, &fps);
    if (status) return status;
    const char *slash = strrchr(scan->path, '/'), *start = slash ? slash + 1 : scan->path;
    const char *dot = strrchr(start, '.');
    char *name =
        mry_arena_text(tmp, start, dot && dot > start ? (size_t)(dot - start) : strlen(start));
    marey_clip *clip = name ? make_body(scan->ctx, name, offsets, (int)poses.shape[0]) : NULL;
    if (!clip) return mry_fail_memory(scan->error, scan->path);
    clip->fps = clip->report.claimed_fps = fps;
    clip->report.format = "npz";
    for (int f = 0; f < clip->frames && !status; f++) {
        if (!fill_frame(clip, f, &poses, &trans, def->up == MAREY_UP_Y ? MAREY_UP_Y : MAREY_UP_Z))
            status = mry_fail(scan->error, MAREY_ERR_INPUT, scan->path,
                              "frame %d: poses and trans must be finite", f);
        else if (f % 4096 == 0 && !mry_progress(scan->ctx, "reading", f, clip->frames))
            status = mry_fail_cancelled(scan->error);
    }
    /* Its lengths are known; the height is that of the body. */
    if (!status &&
        !(mry_roles_find(clip) && mry_clip_settle_units(clip, MAREY_UNITS_CM, MAREY_UP_Y) &&
          mry_clip_find_marks(clip) && mry_clip_judge_rate(clip)))
        status = mry_fail_memory(scan->error, scan->path);
    clip->report.units_why = "made of metres, as AMASS files have them";
    clip->report.up_why = def->up == MAREY_UP_Y ? "it was said that y is up"
                                                : "turned from z, which is up in AMASS files";
    if (!status) status = mry_clip_check(clip, scan->path, scan->error);
    if (status) {
        marey_clip_free(clip);
        return status;
    }
    *out = clip;
    return MAREY_OK;
}

marey_status marey_amass_load(marey_ctx *ctx, const char *path, const marey_amass_def *def,
                              marey_clip **out, marey_error *error)
{
    static const marey_amass_def defaults = { 0 };
    mry_arena tmp = mry_arena_make(ctx);
    mry_scan scan;
    marey_status status = mry_scan_open(&scan, &tmp, path, error);
    if (!status) status = load(&scan, &tmp, def ? def : &defaults, out);
    mry_scan_close(&scan);
    mry_arena_free(&tmp);
    return status;
}

marey_status marey_amass_load_bytes(marey_ctx *ctx, const char *name, const void *bytes,
                                    size_t count, const marey_amass_def *def, marey_clip **out,
                                    marey_error *error)
{
    static const marey_amass_def defaults = { 0 };
    mry_arena tmp = mry_arena_make(ctx);
    mry_scan scan;
    marey_status status = mry_scan_bytes(&scan, &tmp, name, bytes, count, error);
    if (!status) status = load(&scan, &tmp, def ? def : &defaults, out);
    mry_arena_free(&tmp);
    return status;
}
