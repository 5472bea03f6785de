/* video.c - a clip as a video: frames are drawn a few at a time by several threads and fed to
   ffmpeg in order. No shell is involved. Frames go through a socket, because a write to a socket
   can be made not to raise SIGPIPE, and a library must not change a program's signals. The video is
   written to a file without a name and copied from there by the library's writer. If this program
   is killed, ffmpeg reads the end of its frames and ends too, and its file vanishes with it. */
#include "base/fail.h"
#include "base/file.h"
#include "base/spawn.h"
#include "motion/clip_data.h"
#include "picture/canvas.h"
#include "picture/raster.h"
#include "picture/track.h"
#include "picture/vec3.h"

#include <marey/picture.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ABOVE = 16 }; /* where handles are out of the way of 0 .. 3 */

typedef struct ffmpeg {
    pid_t pid;
    int feed; /* frames go in here */
    int video; /* a file without a name that the video is written to, so that it goes with its last user */
    int words; /* another for what ffmpeg says */
} ffmpeg;

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

/* The same handle with a number that dup2 onto 0 .. 3 cannot hit. */
static int lift(int handle)
{
    if (handle < 0) return handle;
    int lifted = fcntl(handle, F_DUPFD_CLOEXEC, ABOVE);
    close(handle);
    return lifted;
}

static void close_all(ffmpeg *encoder)
{
    int *handles[] = { &encoder->feed, &encoder->video, &encoder->words };
    for (int i = 0; i < 3; i++) {
        if (*handles[i] >= 0) close(*handles[i]);
        *handles[i] = -1;
    }
}

#define WORD(text) ((char *)(uintptr_t)(text)) /* execve does not write to its arguments */

static marey_status encoder_start(ffmpeg *encoder, const char *path, int width, int height,
                                  double fps, marey_error *error)
{
    char size[32], rate[32];
    int ends[2] = { -1, -1 }, failed = 0;
    *encoder = (ffmpeg){ .pid = -1, .feed = -1, .video = -1, .words = -1 };
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) failed = -errno;
    encoder->feed = lift(ends[0]);
    int input = lift(ends[1]);
    if (!failed) {
        int handle = open(P_tmpdir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
        encoder->video = lift(handle >= 0 ? handle : memfd_create("marey-video", MFD_CLOEXEC));
        encoder->words = lift(memfd_create("marey-words", MFD_CLOEXEC));
        if (encoder->feed < 0 || input < 0 || encoder->video < 0 || encoder->words < 0)
            failed = -errno;
    }
    snprintf(size, sizeof size, "%dx%d", width, height);
    snprintf(rate, sizeof rate, "%.9g", fps);
    /* clang-format off */
    char *arguments[] = {
        WORD("ffmpeg"), WORD("-nostdin"), WORD("-loglevel"), WORD("error"), WORD("-y"),
        WORD("-f"), WORD("rawvideo"), WORD("-pix_fmt"), WORD("bgr0"), WORD("-video_size"), size,
        WORD("-framerate"), rate, WORD("-i"), WORD("pipe:0"),
        WORD("-an"), WORD("-c:v"), WORD("libx264"), WORD("-preset"), WORD("veryfast"),
        WORD("-crf"), WORD("20"), WORD("-pix_fmt"), WORD("yuv420p"),
        WORD("-fflags"), WORD("+bitexact"), WORD("-flags:v"), WORD("+bitexact"),
        WORD("-movflags"), WORD("+faststart"), WORD("-f"), WORD("mp4"), WORD("/dev/fd/3"), NULL
    };
    /* clang-format on */
    if (!failed) { /* the video is handle 3, /dev/fd/3 above */
        const int handles[] = { input, encoder->words, encoder->words, encoder->video };
        failed = -mry_spawn("ffmpeg", arguments, handles, 4, &encoder->pid);
    }
    if (input >= 0) close(input);
    if (!failed) return MAREY_OK;
    encoder->pid = -1;
    close_all(encoder);
    if (failed == -ENOENT || failed == -EACCES || failed == -ENOTDIR) {
        return mry_fail(error, MAREY_ERR_REQUEST, path,
                        "a video needs the program ffmpeg, which is not on the PATH; on Debian and "
                        "Ubuntu: apt-get install ffmpeg");
    }
    return mry_fail_errno(error, failed, "start ffmpeg for", path);
}

static bool encoder_feed(ffmpeg *encoder, const void *bytes, size_t count)
{
    const char *next = bytes;
    while (count > 0) {
        ssize_t put = send(encoder->feed, next, count, MSG_NOSIGNAL);
        if (put < 0 && errno == EINTR) continue;
        if (put <= 0) return false;
        next += put;
        count -= (size_t)put;
    }
    return true;
}

/* The exit status; 0 too where the program has told the system that it does not want to know. */
static int wait_for(ffmpeg *encoder)
{
    int state = 0;
    pid_t got;
    do {
        got = waitpid(encoder->pid, &state, 0);
    } while (got < 0 && errno == EINTR);
    encoder->pid = -1;
    if (got < 0) return 0;
    return WIFEXITED(state) ? WEXITSTATUS(state) : 128;
}

static marey_status save_video(const ffmpeg *encoder, mry_arena *tmp, const char *path,
                               marey_error *error)
{
    enum { PIECE = 256 * 1024 };
    char *piece = mry_arena_take(tmp, PIECE, 1);
    off_t size = lseek(encoder->video, 0, SEEK_END);
    mry_writer writer;
    if (!piece) return mry_fail_memory(error, path);
    if (size < 0) return mry_fail_errno(error, -errno, "read the video for", path);
    marey_status status = mry_writer_open(&writer, tmp, path, (uint64_t)size, error);
    if (status) return status;
    off_t at = 0;
    while (!mry_writer_failed(&writer) && !status) {
        ssize_t got = pread(encoder->video, piece, PIECE, at);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) status = mry_fail_errno(error, -errno, "read the video for", path);
        if (got <= 0) break;
        mry_writer_bytes(&writer, piece, (size_t)got);
        at += got;
    }
    if (!status && at == 0 && !mry_writer_failed(&writer))
        status = mry_fail(error, MAREY_ERR_IO, path, "ffmpeg left no video");
    if (!status) return mry_writer_commit(&writer, error);
    mry_writer_abandon(&writer);
    return status;
}

static marey_status encoder_finish(ffmpeg *encoder, mry_arena *tmp, const char *path,
                                   marey_error *error)
{
    close(encoder->feed); /* the end of the frames */
    encoder->feed = -1;
    int result = wait_for(encoder);
    marey_status status;
    if (result) {
        char words[300];
        /* The last line that ffmpeg said. */
        size_t room = sizeof words;
        char tail[400];
        off_t size = lseek(encoder->words, 0, SEEK_END);
        off_t from = size > (off_t)sizeof tail ? size - (off_t)sizeof tail : 0;
        ssize_t got = size > 0 ? pread(encoder->words, tail, sizeof tail, from) : 0;
        while (got > 0 && (tail[got - 1] == '\n' || tail[got - 1] == '\r')) got--;
        ssize_t start = got;
        while (start > 0 && tail[start - 1] != '\n') start--;
        mry_quote(words, room, tail + start, got > start ? (size_t)(got - start) : 0);
        status = mry_fail(error, MAREY_ERR_IO, path, "ffmpeg failed: %s",
                          *words ? words : "it does not say why");
    } else {
        status = save_video(encoder, tmp, path, error);
    }
    close_all(encoder);
    return status;
}

/* The pose at a time of the video. Marked frames are never mixed in: the last sound pose is
   held. */
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

/* The mean over about a second around each frame, so that steps do not shake the camera. Sums are
   kept relative to the first frame, which is often far from the origin. */
static bool find_targets(video *v, mry_arena *mem)
{
    const marey_skeleton *skeleton = v->body.skeleton;
    size_t count = (size_t)v->count;
    double *sums = MRY_NEW(mem, double, 3 * (count + 1)), origin[3] = { 0 }, middle[3];
    v->targets = MRY_NEW_RAW(mem, double, 3 * count);
    if (!sums || !v->targets) return false;
    for (size_t i = 0; i < count; i++) {
        pose_at(v, (int64_t)i, &v->lanes[0]);
        /* What the camera follows: the hips of a person, the middle of anything else. */
        const double *positions = v->lanes[0].positions;
        if (v->body.volumes) {
            memcpy(middle, positions + 3 * (size_t)skeleton->roles[MAREY_ROLE_HIPS], sizeof middle);
        } else {
            middle[0] = middle[1] = middle[2] = 0;
            for (int j = 0; j < skeleton->joint_count; j++)
                mry_add3(middle, 1.0 / skeleton->joint_count, positions + 3 * (size_t)j, middle);
        }
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
    size_t joints = (size_t)v->body.skeleton->joint_count;
    v->lane_count = marey_ctx_threads(v->clip->mem.ctx);
    if (v->lane_count > MOST_LANES) v->lane_count = MOST_LANES;
    for (int i = 0; i < v->lane_count; i++) {
        lane *l = &v->lanes[i];
        l->parts = MRY_NEW_RAW(tmp, mry_part, v->body.most_parts);
        l->positions = MRY_NEW_RAW(tmp, double, 3 * joints);
        l->places = MRY_NEW_RAW(tmp, double, 3 * joints);
        l->turns = MRY_NEW_RAW(tmp, float, 4 * joints);
        if (!l->parts || !l->positions || !l->places || !l->turns ||
            !mry_body_copy(&v->body, tmp, &l->body) ||
            !mry_raster_make(&l->raster, tmp, v->width, v->height))
            return mry_fail_memory(error, path);
    }
    return find_targets(v, tmp) ? MAREY_OK : mry_fail_memory(error, path);
}

marey_status marey_video_save(const marey_clip *clip, const marey_video_def *def, const char *path,
                              marey_error *error)
{
    enum { LEAST = 64, MOST = 4096 };
    int width = def && def->width_px ? def->width_px : 960;
    int height = def && def->height_px ? def->height_px : 540;
    double fps = def && def->fps != 0 ? def->fps : 30;
    if (!mry_path_ends(path, ".mp4"))
        return mry_fail(error, MAREY_ERR_REQUEST, path, "a video's name must end in .mp4");
    if (width < LEAST || width > MOST || height < LEAST || height > MOST)
        return mry_fail(error, MAREY_ERR_REQUEST, path,
                        "sides of a video must be %d to %d pixels, got %d x %d", LEAST, MOST, width,
                        height);
    if (!(fps >= 1 && fps <= 240))
        return mry_fail(error, MAREY_ERR_REQUEST, path, "video rate must be 1 to 240 Hz, got %g",
                        fps);
    marey_ctx *ctx = clip->mem.ctx;
    mry_arena tmp = mry_arena_make(ctx);
    mry_writer writer;
    ffmpeg encoder;
    video *v = MRY_NEW(&tmp, video, 1);
    if (!v) return mry_fail_memory(error, path);
    v->clip = clip;
    v->width = width - width % 2; /* H.264 codes colours for two by two pixels */
    v->height = height - height % 2;
    v->fps = fps;
    /* Says at once if the path is not writable, not after minutes of drawing. The file itself is
       made when the video is whole, so that a kill in between leaves nothing. */
    marey_status status = mry_writer_open(&writer, &tmp, path, 0, error);
    if (!status) mry_writer_abandon(&writer);
    if (!status) status = prepare(v, &tmp, path, error);
    if (!status) status = encoder_start(&encoder, path, v->width, v->height, v->fps, error);
    if (status) {
        mry_arena_free(&tmp);
        return status;
    }
    /* If ffmpeg has ended it says why when it is waited for. */
    bool fed = true;
    while (v->done < v->count && fed && !status) {
        int64_t left = v->count - v->done, some = left < v->lane_count ? left : v->lane_count;
        if (!mry_progress(ctx, "drawing frames", v->done, v->count)) {
            status = mry_fail_cancelled(error);
            break;
        }
        marey_ctx_run(ctx, some, draw_frame, v);
        for (int64_t i = 0; i < some && fed; i++)
            fed = encoder_feed(&encoder, v->lanes[i].raster.pixels,
                               4 * (size_t)v->width * (size_t)v->height);
        v->done += some;
    }
    if (!status) status = encoder_finish(&encoder, &tmp, path, error);
    if (encoder.pid > 0) {
        kill(encoder.pid, SIGKILL);
        wait_for(&encoder);
    }
    close_all(&encoder);
    mry_arena_free(&tmp);
    return status;
}
