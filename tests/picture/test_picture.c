/* test_picture.c - strips, sheets and videos: the files are what they say, the same every time, and
   whole or not there. */
#include "reader_bench.h"

#include "math/quat.h"
#include "picture/raster.h"
#include "picture/strip.h"
#include "picture/vec3.h"

#include <cairo.h>
#include <errno.h>
#include <marey/picture.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *const endings[] = { ".png", ".svg", ".pdf" };

/* One joint that goes up for 40 frames and down for 60. */
static char *point_text(int frames, bool end_site)
{
    size_t room = 400 + 64 * (size_t)frames, used;
    char *text = malloc(room);
    used = (size_t)snprintf(
        text, room,
        "HIERARCHY\nROOT point\n{\nOFFSET 0 0 0\nCHANNELS 3 Xposition Yposition Zposition\n%s}\n"
        "MOTION\nFrames: %d\nFrame Time: 0.01\n",
        end_site ? "End Site\n{\nOFFSET 0 10 0\n}\n" : "", frames);
    for (int i = 0; i < frames; i++) {
        double height = i < 40 ? 2.5 * i : 100 - (i - 40) / 0.6;
        used += (size_t)snprintf(text + used, room - used, "1 %g 1\n", height);
    }
    return text;
}

static marey_clip *point(marey_ctx *ctx, int frames, bool end_site)
{
    FREED char *text = point_text(frames, end_site);
    return test_clip(ctx, text);
}

#define CASE(name) TEST_OF_IN(reader_bench_make, reader_bench_free, reader_bench *b, name)

static void strip_ok(const marey_clip *clip, const marey_strip_def *def, const char *path)
{
    test_ok(marey_strip_save(clip, def, path, &test_error));
}

/* Counts pixels that are near to a colour of ours, by the share of blue over red. */
static void count_colours(const char *path, int width, int height, int *blue, int *orange, int *ink)
{
    cairo_surface_t *surface = cairo_image_surface_create_from_png(path);
    assert_int_equal(cairo_surface_status(surface), CAIRO_STATUS_SUCCESS);
    assert_int_equal(cairo_image_surface_get_width(surface), width);
    assert_int_equal(cairo_image_surface_get_height(surface), height);
    const unsigned char *bytes = cairo_image_surface_get_data(surface);
    int stride = cairo_image_surface_get_stride(surface);
    *blue = *orange = *ink = 0;
    for (int i = 0; i < width * height; i++) {
        uint32_t pixel;
        memcpy(&pixel, bytes + (i / width) * stride + 4 * (i % width), sizeof pixel);
        int red = pixel >> 16 & 255, b = pixel & 255;
        *blue += b > red + 100;
        *orange += red > b + 150;
        *ink += red + b < 300;
    }
    cairo_surface_destroy(surface);
}

CASE(a_strip_of_a_person_shows_both_sides)
{
    OWNED(marey_clip) *clip = test_person_clip(b->ctx, 90);
    int sizes[][2] = { { 1600, 320 }, { 400, 100 }, { 48, 48 } }, blue, orange, ink;
    for (int i = 0; i < 3; i++) {
        strip_ok(clip, &(marey_strip_def){ .width_px = sizes[i][0], .height_px = sizes[i][1] },
                 reader_path(b, "walk.png"));
        count_colours(reader_path(b, "walk.png"), sizes[i][0], sizes[i][1], &blue, &orange, &ink);
        int least = sizes[i][0] * sizes[i][1] / (i < 2 ? 200 : 1000);
        assert_true(blue > least && orange > least && ink > least);
    }
    assert_int_equal(test_folder_count(b->folder), 1);
}

/* Every tag is closed in turn. */
static void check_svg(const char *text)
{
    int depth = 0, tags = 0;
    assert_memory_equal(text, "<?xml", 5);
    for (const char *at = strchr(text + 1, '<'); at; at = strchr(at + 1, '<')) {
        const char *close = strchr(at, '>');
        assert_non_null(close);
        depth += at[1] == '/' ? -1 : close[-1] == '/' ? 0 : 1;
        assert_true(depth >= 0);
        tags++;
    }
    assert_int_equal(depth, 0);
    assert_true(tags > 50);
}

CASE(the_same_clip_gives_the_same_bytes_in_every_format)
{
    OWNED(marey_clip) *clip = test_person_clip(b->ctx, 60);
    for (int i = 0; i < 3; i++) {
        char names[2][16];
        size_t count;
        for (int round = 0; round < 2; round++) {
            snprintf(names[round], sizeof names[round], "%d%s", round, endings[i]);
            strip_ok(clip, NULL, reader_path(b, names[round]));
        }
        test_same_file(reader_path(b, names[0]), reader_path(b, names[1]));
        FREED char *bytes = test_file_read(reader_path(b, names[0]), &count);
        if (i == 1) check_svg(bytes);
        if (i == 2) assert_memory_equal(bytes, "%PDF-", 5);
        if (i == 2) assert_non_null(strstr(bytes + count - 8, "%%EOF"));
    }
}

static void save_sheet(int threads, const char *path)
{
    OWNED(marey_ctx) *ctx = NULL;
    marey_clip *clips[7];
    const char *labels[7] = { "walk", "\xff\x01 no text", NULL };
    test_ok(marey_ctx_open(&(marey_ctx_def){ .threads = threads }, &ctx));
    for (int i = 0; i < 7; i++)
        clips[i] = i % 3 == 2 ? point(ctx, 30, true) : test_person_clip(ctx, 20 + 9 * i);
    test_ok(marey_sheet_save((const marey_clip *const *)clips, labels, 7, path, &test_error));
    for (int i = 0; i < 7; i++) marey_clip_free(clips[i]);
}

CASE(a_sheet_is_the_same_for_any_number_of_threads)
{
    for (int i = 0; i < 3; i++) {
        char names[2][16];
        for (int threads = 1; threads <= 2; threads++) {
            snprintf(names[threads - 1], sizeof names[0], "%d%s", threads, endings[i]);
            save_sheet(threads, reader_path(b, names[threads - 1]));
        }
        test_same_file(reader_path(b, names[0]), reader_path(b, names[1]));
    }
}

CASE(odd_clips_are_drawn_too)
{
    marey_clip *clips[] = { test_person_clip(b->ctx, 1), test_person_clip(b->ctx, 2),
                            point(b->ctx, 1, false), point(b->ctx, 1, true),
                            point(b->ctx, 100, true) };
    for (size_t i = 0; i < sizeof clips / sizeof *clips; i++) {
        int blue, orange, ink;
        strip_ok(clips[i], &(marey_strip_def){ .title = "\xc3\x28 \x07 Étienne" },
                 reader_path(b, "odd.png"));
        count_colours(reader_path(b, "odd.png"), 1600, 320, &blue, &orange, &ink);
        assert_true(ink > 200);
        strip_ok(clips[i], &(marey_strip_def){ .poses = 1, .yaw_rad = 1 },
                 reader_path(b, "odd.png"));
        strip_ok(clips[i], &(marey_strip_def){ .poses = 100 }, reader_path(b, "odd.png"));
        marey_clip_free(clips[i]);
    }
}

CASE(invalid_requests_are_refused_and_leave_nothing)
{
    OWNED(marey_clip) *clip = test_person_clip(b->ctx, 5);
    const marey_clip *one = clip;
    static const marey_strip_def strips[] = { { .width_px = 20000 },
                                              { .height_px = 10 },
                                              { .poses = -1 } };
    static const marey_video_def videos[] = { { .fps = 1000 }, { .width_px = 8 } };
    const char *jpg = reader_path(b, "x.jpg"), *png = reader_path(b, "x.png");
    test_refused_about(marey_strip_save(clip, NULL, jpg, &test_error), MAREY_ERR_REQUEST, ".svg");
    assert_int_equal(marey_sheet_save(&one, NULL, 1, jpg, NULL), MAREY_ERR_REQUEST);
    assert_int_equal(marey_video_save(clip, NULL, jpg, NULL), MAREY_ERR_REQUEST);
    for (int i = 0; i < 3; i++)
        assert_int_equal(marey_strip_save(clip, &strips[i], png, NULL), MAREY_ERR_REQUEST);
    assert_int_equal(marey_sheet_save(&one, NULL, 0, png, NULL), MAREY_ERR_REQUEST);
    for (int i = 0; i < 2; i++)
        assert_int_equal(marey_video_save(clip, &videos[i], reader_path(b, "x.mp4"), NULL),
                         MAREY_ERR_REQUEST);
    assert_int_equal(test_folder_count(b->folder), 0);
}

/* ---- memory and disks that refuse ------------------------------------------------------------ */

static bool have_ffmpeg(void)
{
    return system("ffmpeg -version >/dev/null 2>&1") == 0;
}

/* 0 .. 2: a strip in each format; 3: a sheet; 4: a video. */
static int ways(void)
{
    if (have_ffmpeg()) return 5;
    print_message("skipped: videos with refused memory and failing disks: there is no ffmpeg\n");
    return 4;
}

static marey_status save_somehow(int way, const marey_clip *clip, const char *folder)
{
    char path[400];
    const marey_clip *both[] = { clip, clip };
    marey_strip_def strip = { .width_px = 200, .height_px = 200 };
    marey_video_def video = { .width_px = 64, .height_px = 64 };
    snprintf(path, sizeof path, "%s/x%s", folder,
             way < 3    ? endings[way]
             : way == 3 ? ".png"
                        : ".mp4");
    if (way < 3) return marey_strip_save(clip, &strip, path, NULL);
    if (way == 3) return marey_sheet_save(both, NULL, 2, path, NULL);
    return marey_video_save(clip, &video, path, NULL);
}

CASE(refused_memory_leaves_nothing)
{
    int count = ways();
    for (int way = 0; way < count; way++) {
        OWNED(test_memory) memory = { .refuse = -1 };
        OWNED(marey_ctx) *ctx = test_ctx_refusing(&memory);
        OWNED(marey_clip) *clip = test_person_clip(ctx, 12);
        marey_status status = MAREY_OK;
        for (test_refusals sweep = { .memory = &memory }; test_refuse(&sweep, status);) {
            assert_int_equal(test_folder_count(b->folder), 0);
            status = save_somehow(way, clip, b->folder);
        }
        assert_int_equal(test_folder_count(b->folder), 1);
        reader_clear(b);
    }
}

/* ---- an allocator that refuses all, cairo as well ----------------------------------------- */

#define OWN_ALLOCATOR !TEST_SANITIZED /* a sanitizer has its own */

/* In memory that the processes that draw share with this one. */
typedef struct refusing {
    atomic_bool on;
    atomic_long calls, refuse; /* calls since it is on; the first that is refused, -1 for none */
    atomic_bool from_then_on;
} refusing;

static refusing *system_memory;

#if OWN_ALLOCATOR
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t size);
extern void *__libc_memalign(size_t to, size_t size);

static bool is_refused(void)
{
    refusing *all = system_memory;
    if (!all || !atomic_load(&all->on)) return false;
    long call = atomic_fetch_add(&all->calls, 1), refuse = atomic_load(&all->refuse);
    bool refused =
        refuse >= 0 && (atomic_load(&all->from_then_on) ? call >= refuse : call == refuse);
    if (refused) errno = ENOMEM;
    return refused;
}

#define FOR_ALL __attribute__((visibility("default"))) /* for cairo and FreeType too */

FOR_ALL void *malloc(size_t size)
{
    return is_refused() ? NULL : __libc_malloc(size);
}

FOR_ALL void *calloc(size_t count, size_t size)
{
    return is_refused() ? NULL : __libc_calloc(count, size);
}

FOR_ALL void *realloc(void *old, size_t size)
{
    return size && is_refused() ? NULL : __libc_realloc(old, size);
}

FOR_ALL void *aligned_alloc(size_t to, size_t size)
{
    return is_refused() ? NULL : __libc_memalign(to, size);
}

FOR_ALL int posix_memalign(void **out, size_t to, size_t size)
{
    void *got = is_refused() ? NULL : __libc_memalign(to, size);
    if (got) *out = got;
    return got ? 0 : ENOMEM;
}
#endif

/* What the file is called that save_somehow writes, with its bytes; free() them. */
static char *bytes_of(int way, const char *folder, size_t *count)
{
    char path[400];
    snprintf(path, sizeof path, "%s/x%s", folder, way < 3 ? endings[way] : ".png");
    return test_file_read(path, count);
}

/* A share of all calls, each refused alone and with all behind it. What is drawn all the same is
   the whole picture. */
CASE(memory_that_the_system_refuses_ends_no_process_and_leaves_nothing)
{
    const int TRIES = test_is_long() ? 60 : 20;
    if (!OWN_ALLOCATOR) test_skip("a sanitizer has its own allocator, which refuses nothing");
    system_memory = mmap(NULL, sizeof *system_memory, PROT_READ | PROT_WRITE,
                         MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(system_memory, MAP_FAILED);
    for (int way = 0; way < 4; way++) {
        OWNED(marey_ctx) *ctx = NULL;
        test_ok(marey_ctx_open(&(marey_ctx_def){ .threads = way == 3 ? 2 : 1 }, &ctx));
        OWNED(marey_clip) *clip = test_person_clip(ctx, 12);
        int refused = 0;
        size_t whole_count, count;
        atomic_store(&system_memory->refuse, -1);
        atomic_store(&system_memory->calls, 0);
        atomic_store(&system_memory->on, true);
        marey_status status = save_somehow(way, clip, b->folder);
        atomic_store(&system_memory->on, false);
        test_ok(status);
        FREED char *whole = bytes_of(way, b->folder, &whole_count);
        reader_clear(b);
        long calls = atomic_load(&system_memory->calls);
        assert_true(calls > TRIES);
        for (int i = 0; i < 2 * TRIES; i++) {
            atomic_store(&system_memory->calls, 0);
            atomic_store(&system_memory->refuse, calls * (i / 2) / TRIES);
            atomic_store(&system_memory->from_then_on, i % 2);
            atomic_store(&system_memory->on, true);
            status = save_somehow(way, clip, b->folder);
            atomic_store(&system_memory->on, false);
            if (status != MAREY_OK && status != MAREY_ERR_MEMORY)
                fail_msg("way %d, call %ld of %ld: status %d", way, calls * (i / 2) / TRIES, calls,
                         (int)status);
            assert_int_equal(test_folder_count(b->folder), status ? 0 : 1);
            assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* no process is left */
            refused += status != MAREY_OK;
            if (status) continue;
            FREED char *bytes = bytes_of(way, b->folder, &count);
            assert_int_equal(count, whole_count);
            assert_memory_equal(bytes, whole, count);
            reader_clear(b);
        }
        assert_true(refused > TRIES); /* those that refuse all from a call on fail for sure */
    }
    munmap(system_memory, sizeof *system_memory);
    system_memory = NULL;
}

/* ---- a host with threads --------------------------------------------------------------------- */

enum { HOSTS = 4, HOST_STRIPS = 12 };

typedef struct threaded {
    pthread_t thread;
    char path[400];
    bool failed;
} threaded;

static void *draw_many(void *user)
{
    threaded *of = user;
    OWNED(marey_ctx) *ctx = test_ctx();
    OWNED(marey_clip) *clip = test_person_clip(ctx, 12);
    for (int i = 0; i < HOST_STRIPS; i++) {
        of->failed |=
            marey_strip_save(clip, &(marey_strip_def){ .width_px = 300, .height_px = 200 },
                             of->path, NULL) != MAREY_OK;
    }
    return NULL;
}

/* Each page is drawn by a fork of a process in which other threads allocate, write and fork. */
CASE(threads_draw_at_the_same_time)
{
    threaded all[HOSTS] = { 0 };
    for (int i = 0; i < HOSTS; i++) {
        snprintf(all[i].path, sizeof all[i].path, "%s/%d.png", b->folder, i);
        assert_int_equal(pthread_create(&all[i].thread, NULL, draw_many, &all[i]), 0);
    }
    for (int i = 0; i < HOSTS; i++) {
        pthread_join(all[i].thread, NULL);
        assert_false(all[i].failed);
    }
    for (int i = 1; i < HOSTS; i++) test_same_file(all[0].path, all[i].path);
    assert_int_equal(test_folder_count(b->folder), HOSTS);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
}

CASE(failing_disks_leave_nothing)
{
    int count = ways();
    for (int way = 0; way < count; way++) {
        test_files files = { .kinds = TEST_IO_ALL, .fail = -1 };
        OWNED(marey_ctx) *ctx = NULL;
        marey_ctx_def def = { .io = test_files_io(&files), .threads = 1 };
        test_ok(marey_ctx_open(&def, &ctx));
        OWNED(marey_clip) *clip = test_person_clip(ctx, 12);
        marey_status status = MAREY_ERR_IO;
        for (long fail = 0; status; fail = test_next(fail)) {
            files.calls = 0;
            files.fail = fail;
            status = save_somehow(way, clip, b->folder);
            assert_true(status == MAREY_OK || status == MAREY_ERR_IO);
            assert_int_equal(files.open_handles, 0);
            assert_int_equal(test_folder_count(b->folder), status ? 0 : 1);
        }
        assert_true(files.calls > 3);
        reader_clear(b);
    }
}

/* ---- video ----------------------------------------------------------------------------------- */

static uint32_t big_endian(const char *at)
{
    const unsigned char *b = (const unsigned char *)at;
    return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

/* MP4 is a row of boxes: 4 bytes of length, 4 letters. */
CASE(a_video_is_an_mp4_that_can_be_played_while_it_loads)
{
    if (!have_ffmpeg()) test_skip("there is no ffmpeg");
    OWNED(marey_clip) *clip = test_person_clip(b->ctx, 30);
    size_t count, at = 0;
    char order[64] = "";
    test_ok(marey_video_save(clip, &(marey_video_def){ .width_px = 161, .height_px = 90 },
                             reader_path(b, "a b.mp4"), &test_error));
    FREED char *bytes = test_file_read(reader_path(b, "a b.mp4"), &count);
    while (at + 8 <= count && strlen(order) < 50) {
        strncat(order, bytes + at + 4, 4);
        strcat(order, " ");
        assert_true(big_endian(bytes + at) >= 8);
        at += big_endian(bytes + at);
    }
    assert_int_equal(at, count);
    assert_string_equal(order, "ftyp moov free mdat ");
    assert_int_equal(test_folder_count(b->folder), 1);
}

/* Runs marey_video_save with `folder` as the whole PATH, and says what came of it. */
static marey_status with_path(const char *folder, const char *path, marey_error *error)
{
    FREED char *old = strdup(getenv("PATH"));
    OWNED(marey_ctx) *ctx = test_ctx();
    OWNED(marey_clip) *clip = test_person_clip(ctx, 40);
    setenv("PATH", folder, 1);
    marey_status status = marey_video_save(clip, NULL, path, error);
    setenv("PATH", old, 1);
    return status;
}

CASE(without_ffmpeg_the_error_says_what_to_install)
{
    const char *path = reader_path(b, "x.mp4");
    test_refused_about(with_path(b->folder, path, &test_error), MAREY_ERR_REQUEST,
                       "apt-get install ffmpeg");
    assert_int_equal(with_path("", path, &test_error), MAREY_ERR_REQUEST);
    assert_int_equal(test_folder_count(b->folder), 0);
}

/* It does not read its frames, so the socket breaks while they are sent. */
CASE(an_ffmpeg_that_dies_is_an_error_with_its_last_words)
{
    static const char script[] =
        "#!/bin/sh\necho first >&2\necho the disk is made of cheese >&2\nexit 3\n";
    const char *tool = reader_path(b, "ffmpeg");
    test_text_write(tool, script);
    assert_int_equal(chmod(tool, 0755), 0);
    test_refused(with_path(b->folder, reader_path(b, "x.mp4"), &test_error), MAREY_ERR_IO,
                 "ffmpeg failed: the disk is made of cheese");
    assert_int_equal(test_folder_count(b->folder), 1);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* no process is left */
    assert_int_equal(errno, ECHILD);
}

static void cancel_after_some(void *user, const char *what, int64_t done, int64_t total)
{
    (void)what;
    (void)total;
    if (done >= 3) marey_ctx_cancel(*(marey_ctx **)user);
}

CASE(a_cancelled_video_leaves_no_file_and_no_process)
{
    if (!have_ffmpeg()) test_skip("there is no ffmpeg");
    OWNED(marey_ctx) *ctx = NULL;
    marey_ctx_def def = { .threads = 1, .progress = cancel_after_some, .progress_user = &ctx };
    test_ok(marey_ctx_open(&def, &ctx));
    OWNED(marey_clip) *clip = test_person_clip(ctx, 60);
    assert_int_equal(marey_video_save(clip, NULL, reader_path(b, "x.mp4"), NULL),
                     MAREY_ERR_CANCELLED);
    assert_int_equal(test_folder_count(b->folder), 0);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    marey_ctx_resume(ctx);
}

/* ---- inside ---------------------------------------------------------------------------------- */

TEST_CTX(poses_are_taken_where_the_motion_turns)
{
    OWNED(marey_clip) *clip = point(ctx, 101, true);
    OWNED(mry_arena) tmp = mry_arena_make(ctx);
    mry_track track;
    mry_body body;
    int ranked[8];
    bool ok;
    assert_true(mry_track_find(&track, &body, &tmp, clip));
    assert_int_equal(mry_track_rank(&track, &tmp, 8, ranked, &ok), 8);
    assert_true(ok);
    assert_int_equal(ranked[0], 0);
    assert_int_equal(ranked[1], 100);
    assert_int_equal(ranked[2], 40); /* the highest point */
}

TEST_CTX(a_way_runs_from_left_to_right)
{
    marey_clip *clip = test_person_clip(ctx, 200); /* along z */
    mry_arena tmp = mry_arena_make(ctx);
    mry_strip strip;
    test_ok(mry_strip_find(&strip, &tmp, clip, NULL, 0, 1600, 320, true));
    assert_true(strip.view.right[2] > 0.9);
    assert_int_equal(strip.poses[0].frame, 0);
    assert_int_equal(strip.poses[strip.pose_count - 1].frame, 199);
    for (int i = 1; i < strip.pose_count; i++) { /* no pose on another */
        double end = strip.poses[i - 1].x + strip.scale * strip.poses[i - 1].box[2];
        assert_true(strip.poses[i].x + strip.scale * strip.poses[i].box[0] >= end);
    }
    mry_arena_free(&tmp);
    marey_clip_free(clip);
}

/* A strip of 101 frames from x = 0 to 1000, with figures of 20 pixels and gaps of 6. */
static mry_strip plain_strip(const marey_clip *clip, mry_strip_pose *poses, const int *frames,
                             int count)
{
    mry_strip strip = { .clip = clip, .poses = poses, .pose_count = count };
    strip.body.height_cm = 100;
    strip.layout = (mry_strip_layout){ .left = 0, .right = 1000, .top = 0, .bottom = 103 };
    for (int i = 0; i < count; i++)
        poses[i] = (mry_strip_pose){ .frame = frames[i], .box = { -10, -100, 10, 3 } };
    return strip;
}

TEST(figures_stand_over_their_times_as_far_as_they_have_room)
{
    static const int frames[] = { 0, 100, 50, 51, 20, 52 };
    static const double places[] = { 10, 200, 484, 510, 536, 990 };
    OWNED(marey_ctx) *ctx = test_ctx();
    OWNED(marey_clip) *clip = point(ctx, 101, true);
    mry_strip_pose poses[32];
    mry_strip strip = plain_strip(clip, poses, frames, 6);
    mry_strip_place_all(&strip);
    assert_true(fabs(strip.scale - 1) < 1e-9);
    for (int i = 0; i < 6; i++) assert_true(fabs(poses[i].x - places[i]) < 1e-6);
    /* Two that want nearly the same place both give way. */
    strip = plain_strip(clip, poses, (int[]){ 30, 31 }, 2);
    mry_strip_place_all(&strip);
    assert_true(fabs(poses[0].x - 292) < 1e-6 && fabs(poses[1].x - 318) < 1e-6);
    /* Of a burst only what pushes no other far away is taken, in the order of worth. */
    static const int burst[] = { 0, 100, 50, 51, 52, 53, 20, 54 };
    static const int taken[] = { 0, 20, 50, 51, 52, 53, 100 };
    strip = plain_strip(clip, poses, burst, 8);
    mry_strip_place_some(&strip);
    assert_int_equal(strip.pose_count, 7);
    for (int i = 0; i < 7; i++) {
        double time = mry_clamp(10 * taken[i], 10 * strip.scale, 1000 - 10 * strip.scale);
        assert_int_equal(poses[i].frame, taken[i]);
        assert_true(fabs(poses[i].x - time) <= 20 * strip.scale);
    }
}

/* 32 poses in a row leave room to stand where they belong. */
TEST_CTX(many_poses_are_not_spread_evenly)
{
    OWNED(marey_clip) *clip = point(ctx, 101, true);
    mry_strip_pose poses[32];
    int frames[32];
    for (int i = 0; i < 32; i++) frames[i] = i < 16 ? i : 70 + i - 2; /* two bursts */
    mry_strip strip = plain_strip(clip, poses, frames, 32);
    mry_strip_place_all(&strip);
    assert_true(poses[16].x - poses[15].x > 150);
    for (int i = 1; i < 32; i++) {
        assert_true(poses[i].x - poses[i - 1].x >= 20 * strip.scale);
        assert_true(poses[i].x > 9.99 * strip.scale && poses[i].x < 1000 - 9.99 * strip.scale);
    }
}

/* A body that stays is seen from the side that is asked for, at the same angle. */
TEST_CTX(a_side_can_be_asked_for)
{
    OWNED(mry_arena) tmp = mry_arena_make(ctx);
    OWNED(marey_demo_take) *take = test_demo_take(ctx, "kicks");
    mry_track track;
    mry_body body;
    assert_true(mry_track_find(&track, &body, &tmp, marey_demo_clip(take)));
    double facing = atan2(track.facing[0], track.facing[2]);
    double left = remainder(mry_track_yaw(&track, &body, 1) - facing, 2 * M_PI);
    double right = remainder(mry_track_yaw(&track, &body, -1) - facing, 2 * M_PI);
    double own = remainder(mry_track_yaw(&track, &body, 0) - facing, 2 * M_PI);
    assert_true(left > 0.2 && left < 1.2);
    assert_true(fabs(left + right) < 1e-9);
    assert_true(fabs(own - mry_track_side(&track, &body) * left) < 1e-9);
}

/* A ball in the middle of the picture covers a disc of the size that perspective gives it. */
TEST_CTX(a_ball_has_the_size_that_it_should)
{
    OWNED(mry_arena) tmp = mry_arena_make(ctx);
    mry_raster raster;
    mry_part ball = { .a = { 0, 90, 0 },
                      .b = { 0, 90, 0 },
                      .radius_a = 20,
                      .radius_b = 20,
                      .group = MRY_GROUP_LEFT_ARM };
    assert_true(mry_raster_make(&raster, &tmp, 200, 200));
    mry_camera camera = mry_camera_make(&raster, ball.a, 0.7, 180);
    mry_raster_draw(&raster, &camera, &ball, 1, 0, 180);
    double far = mry_distance3(camera.eye, ball.a), seen = asin(20 / far);
    double radius = camera.focal_px * tan(seen), area = 0;
    for (int i = 0; i < 200 * 200; i++)
        area += (int)(raster.pixels[i] & 255) > (int)(raster.pixels[i] >> 16 & 255) + 20;
    assert_true(fabs(area - M_PI * radius * radius) < 0.06 * area);
}

TEST_GROUP_OF_CASES(test_picture, NULL, NULL)
