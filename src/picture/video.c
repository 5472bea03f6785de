/* video.c - a clip as a video: frames are drawn a few at a time by several threads and fed to ffmpeg in order. */
#include "base/fail.h"
#include "motion/clip_data.h"
#include "picture/canvas.h"
#include "picture/encoder.h"
#include "picture/raster.h"
#include "picture/track.h"
#include "picture/vec3.h"

#include <marey/picture.h>

#include <string.h>

enum { MOST_LANES = 8 };

/* What one thread needs to draw a frame. */
typedef struct lane {
    mry_raster raster;
    mry_body body;
    mry_part *parts;
    double *positions, *places;
    float *turns;
} lane;

typedef struct video {
    const marey_clip *clip;
    int width, height;
    double fps, yaw;
    int first, last; /* frames of the clip that are shown */
    int64_t count;   /* frames of the video */
    mry_body body;
    mry_track track;
    double *targets; /* count x 3: where the camera looks */
    lane lanes[MOST_LANES];
    int lane_count;
    int64_t done; /* frames before the ones being drawn */
} video;

static bool lane_make(lane *l, mry_arena *mem, const video *v)
{
    size_t joints = (size_t)v->body.skeleton->joint_count;
    l->parts = MRY_NEW_RAW(mem, mry_part, v->body.most_parts);
    l->positions = MRY_NEW_RAW(mem, double, 3 * joints);
    l->places = MRY_NEW_RAW(mem, double, 3 * joints);
    l->turns = MRY_NEW_RAW(mem, float, 4 * joints);
    return l->parts && l->positions && l->places && l->turns &&
           mry_body_copy(&v->body, mem, &l->body) &&
           mry_raster_make(&l->raster, mem, v->width, v->height);
}

/* The pose at a time of the video. Marked frames are never mixed in: the last sound pose is held. */
static void pose_at(const video *v, int64_t i, lane *l)
{
    double rate = marey_clip_fps(v->clip), at = v->first + (double)i / v->fps * rate;
    int frame = (int)mry_clamp(floor(at + 1e-6), v->first, v->last);
    bool sound = !mry_clip_is_marked(v->clip, frame) &&
                 (frame == v->last || !mry_clip_is_marked(v->clip, frame + 1));
    if (!sound) {
        while (frame > v->first && mry_clip_is_marked(v->clip, frame)) frame--;
        at = frame;
    }
    marey_clip_sample(v->clip, mry_clamp(at, v->first, v->last) / rate, l->places, l->turns);
    marey_pose_positions(v->body.skeleton, l->places, l->turns, l->positions);
}

/* What the camera follows: the hips of a person, the middle of anything else. */
static void middle_of(const video *v, const lane *l, double *out)
{
    const marey_skeleton *skeleton = v->body.skeleton;
    if (v->body.volumes) {
        memcpy(out, l->positions + 3 * (size_t)skeleton->roles[MAREY_ROLE_HIPS], 3 * sizeof *out);
        return;
    }
    out[0] = out[1] = out[2] = 0;
    for (int j = 0; j < skeleton->joint_count; j++) {
        mry_add3(out, 1.0 / skeleton->joint_count, l->positions + 3 * (size_t)j, out);
    }
}

/* The mean over about a second around each frame, so that steps do not shake the camera. Sums are kept relative
   to the first frame, which is often far from the origin. */
static bool find_targets(video *v, mry_arena *mem)
{
    size_t count = (size_t)v->count;
    double *sums = MRY_NEW(mem, double, 3 * (count + 1)), origin[3] = { 0 }, middle[3];
    v->targets = MRY_NEW_RAW(mem, double, 3 * count);
    if (!sums || !v->targets) return false;
    for (size_t i = 0; i < count; i++) {
        pose_at(v, (int64_t)i, &v->lanes[0]);
        middle_of(v, &v->lanes[0], middle);
        if (i == 0) memcpy(origin, middle, sizeof origin);
        mry_add3(middle, -1, origin, middle);
        mry_add3(sums + 3 * i, 1, middle, sums + 3 * (i + 1));
    }
    int64_t half = (int64_t)(0.5 * v->fps);
    for (int64_t i = 0; i < v->count; i++) {
        int64_t around = i < half ? i : half; /* the same to both sides, also near the ends */
        if (v->count - 1 - i < around) around = v->count - 1 - i;
        double share = 1.0 / (double)(2 * around + 1);
        mry_add3(sums + 3 * (i + around + 1), -1, sums + 3 * (i - around), middle);
        mry_add3(origin, share, middle, v->targets + 3 * i);
    }
    return true;
}

static void draw_frame(void *user, int64_t i)
{
    video *v = user;
    lane *l = &v->lanes[i];
    pose_at(v, v->done + i, l);
    int count = mry_body_parts(&l->body, l->positions, l->turns, l->parts);
    mry_camera camera =
        mry_camera_make(&l->raster, v->targets + 3 * (v->done + i), v->yaw, v->body.height_cm);
    mry_raster_draw(&l->raster, &camera, l->parts, count, v->track.floor_cm, v->body.height_cm);
}

static marey_status draw_all(video *v, mry_encoder *encoder, marey_error *error)
{
    marey_ctx *ctx = v->clip->mem.ctx;
    size_t bytes = 4 * (size_t)v->width * (size_t)v->height;
    for (v->done = 0; v->done < v->count;) {
        int64_t left = v->count - v->done, some = left < v->lane_count ? left : v->lane_count;
        if (!mry_progress(ctx, "drawing frames", v->done, v->count)) {
            return mry_fail_cancelled(error);
        }
        marey_ctx_run(ctx, some, draw_frame, v);
        for (int64_t i = 0; i < some; i++) {
            /* If ffmpeg has ended it says why when it is waited for. */
            if (!mry_encoder_feed(encoder, v->lanes[i].raster.pixels, bytes)) return MAREY_OK;
        }
        v->done += some;
    }

    return MAREY_OK;
}

static marey_status prepare(video *v, mry_arena *tmp, const char *path, marey_error *error)
{
    if (!mry_track_find(&v->track, &v->body, tmp, v->clip)) return mry_fail_memory(error, path);
    v->first = v->track.frames[0];
    v->last = v->track.frames[v->track.count - 1];
    double seconds = (v->last - v->first) / marey_clip_fps(v->clip);
    if (seconds * v->fps > 1e7) {
        return mry_fail(error, MAREY_ERR_LIMIT, path, "a video has at most 10,000,000 frames");
    }
    v->count = (int64_t)(seconds * v->fps + 1e-6) + 1;
    v->yaw = mry_track_yaw(&v->track, &v->body, 0) + 0.25;
    v->lane_count = marey_ctx_threads(v->clip->mem.ctx);
    if (v->lane_count > MOST_LANES) v->lane_count = MOST_LANES;
    for (int i = 0; i < v->lane_count; i++) {
        if (!lane_make(&v->lanes[i], tmp, v)) return mry_fail_memory(error, path);
    }
    return find_targets(v, tmp) ? MAREY_OK : mry_fail_memory(error, path);
}

/* Says at once if the path cannot be written, not after minutes of drawing. The file itself is made when the
   video is whole, so that a kill in between leaves nothing. */
static marey_status probe(mry_arena *tmp, const char *path, marey_error *error)
{
    mry_writer writer;
    marey_status status = mry_writer_open(&writer, tmp, path, 0, error);
    if (!status) mry_writer_abandon(&writer);
    return status;
}

static marey_status save(video *v, mry_arena *tmp, const char *path, marey_error *error)
{
    mry_encoder encoder;
    marey_status status = probe(tmp, path, error);
    if (!status) status = prepare(v, tmp, path, error);
    if (!status) status = mry_encoder_start(&encoder, path, v->width, v->height, v->fps, error);
    if (status) return status;
    status = draw_all(v, &encoder, error);
    if (!status) status = mry_encoder_finish(&encoder, tmp, path, error);
    mry_encoder_stop(&encoder);
    return status;
}

static marey_status check(const video *v, const char *path, marey_error *error)
{
    enum { LEAST = 64, MOST = 4096 };
    if (!mry_path_ends(path, ".mp4")) {
        return mry_fail(error, MAREY_ERR_REQUEST, path, "a video's name must end in .mp4");
    }
    if (v->width < LEAST || v->width > MOST || v->height < LEAST || v->height > MOST) {
        return mry_fail(error, MAREY_ERR_REQUEST, path,
                        "a video has %d to %d pixels on a side, not %d x %d", LEAST, MOST, v->width,
                        v->height);
    }
    if (!(v->fps >= 1 && v->fps <= 240)) {
        return mry_fail(error, MAREY_ERR_REQUEST, path,
                        "a video has 1 to 240 frames a second, not %g", v->fps);
    }
    return MAREY_OK;
}

marey_status marey_video_save(const marey_clip *clip, const marey_video_def *def, const char *path,
                              marey_error *error)
{
    mry_arena tmp = mry_arena_make(clip->mem.ctx);
    video *v = MRY_NEW(&tmp, video, 1);
    marey_status status = v ? MAREY_OK : mry_fail_memory(error, path);
    if (v) {
        v->clip = clip;
        v->width = def && def->width_px ? def->width_px : 960;
        v->height = def && def->height_px ? def->height_px : 540;
        v->fps = def && def->fps != 0 ? def->fps : 30;
        status = check(v, path, error);
        v->width -= v->width % 2; /* H.264 codes colours for two by two pixels */
        v->height -= v->height % 2;
        if (!status) status = save(v, &tmp, path, error);
    }
    mry_arena_free(&tmp);
    return status;
}
