/* test_roundtrip.c - what is read, written and read again is the same: every number of a file that
   was not edited, and the joint positions of a clip that was. */
#include "support.h"

#include "motion/clip_data.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the same clip --------------------------------------------------------------------------- */

static bool same_joint(const marey_joint *a, const marey_joint *b)
{
    bool same = strcmp(a->name, b->name) == 0 && a->parent == b->parent &&
                a->has_end == b->has_end && a->first_channel == b->first_channel &&
                a->channel_count == b->channel_count;
    for (int i = 0; same && i < a->channel_count; i++) same = a->channels[i] == b->channels[i];
    for (int i = 0; same && i < 3; i++)
        same = a->offset_cm[i] == b->offset_cm[i] && (!a->has_end || a->end_cm[i] == b->end_cm[i]);
    return same;
}

/* NULL if nothing differs, else what does. Zero and minus zero are the same number. */
static const char *difference(const marey_clip *a, const marey_clip *b)
{
    const marey_skeleton *s = marey_clip_skeleton(a), *t = marey_clip_skeleton(b);
    if (marey_clip_frames(a) != marey_clip_frames(b)) return "frames";
    if (marey_clip_fps(a) != marey_clip_fps(b)) return "rate";
    if (marey_clip_units(a) != marey_clip_units(b)) return "units";
    if (marey_clip_up(a) != marey_clip_up(b)) return "up axis";
    if (s->joint_count != t->joint_count) return "joints";
    if (s->channel_count != t->channel_count) return "channels";
    for (int i = 0; i < s->joint_count; i++)
        if (!same_joint(&s->joints[i], &t->joints[i])) return s->joints[i].name;
    for (int f = 0; f < marey_clip_frames(a); f++) {
        const double *x = marey_clip_channels(a, f), *y = marey_clip_channels(b, f);
        if (!x || !y) return "no channels";
        for (int c = 0; c < s->channel_count; c++)
            if (x[c] != y[c]) return "a number";
    }
    return NULL;
}

/* ---- files that were not edited -------------------------------------------------------------- */

typedef struct trip {
    char folder[512];
    int step; /* every step-th file */
    int seen, taken;
    bool may_be_refused; /* hostile files may be */
} trip;

static void take_round(trip *t, const char *path)
{
    char first[600], second[600];
    OWNED(marey_ctx) *ctx = test_ctx();
    OWNED(marey_clip) *clip = NULL;
    marey_status status = marey_clip_load(ctx, path, NULL, &clip, &test_error);
    if (status && t->may_be_refused) return;
    test_ok(status);
    t->taken++;
    snprintf(first, sizeof first, "%s/first.bvh", t->folder);
    snprintf(second, sizeof second, "%s/second.bvh", t->folder);
    test_ok(marey_clip_save(clip, first, &test_error));
    OWNED(marey_clip) *again = test_clip_load(ctx, first);
    const char *differs = difference(clip, again);
    if (differs) fail_msg("%s: written and read again, it differs in: %s", path, differs);
    test_ok(marey_clip_save(again, second, &test_error));
    test_same_file(first, second);
}

static void visit(void *user, const char *path)
{
    trip *t = user;
    if (t->seen++ % t->step == 0) take_round(t, path);
}

TEST(every_dialect_comes_back_with_every_number)
{
    trip t = { .step = 1, .may_be_refused = true };
    struct dirent **names;
    test_folder_make(t.folder, sizeof t.folder);
    int count = scandir(MAREY_TEST_DATA "/hostile", &names, NULL, alphasort);
    assert_true(count > 0);
    for (int i = 0; i < count; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/hostile/%s", MAREY_TEST_DATA, names[i]->d_name);
        if (strstr(names[i]->d_name, ".bvh")) visit(&t, path);
        free(names[i]);
    }
    free(names);
    test_folder_remove(t.folder);
    assert_true(t.taken >= 30);
}

TEST(every_real_file_comes_back_with_every_number)
{
    test_need_mocap();
    trip t = { .step = test_is_long() ? 1 : 5 };
    test_folder_make(t.folder, sizeof t.folder);
    test_mocap_each("cmu", ".bvh", visit, &t);
    t.step = 1;
    test_mocap_each("bandai", ".bvh", visit, &t);
    test_mocap_each("accad", ".bvh", visit, &t);
    test_mocap_each("format_zoo", ".bvh", visit, &t);
    test_folder_remove(t.folder);
    print_message("%d of %d files\n", t.taken, t.seen);
    assert_true(t.taken > 0);
}

/* Numbers that need all 17 digits, and ones at the ends of what is allowed. */
TEST(awkward_numbers_come_back_exactly)
{
    static const char text[] =
        "HIERARCHY\nROOT Odd name: it\n{\nOFFSET 0.1 1e-300 -123456789.12345679\n"
        "CHANNELS 6 Xposition Yposition Zposition Zrotation Yrotation Xrotation\n}\n"
        "MOTION\nFrames: 3\nFrame Time: 0.016666666666666666\n"
        "0.1 0.30000000000000004 -0.0 1e9 -1e9 1e-9\n"
        "2.2250738585072014e-308 4.9e-324 123456.78901234567 180 -180 359.99999999999994\n"
        "1 100000000 0.000001 0.0000001 999999999.99999988 5e-1\n";
    static const double wanted[3][6] = {
        { 0.1, 0.30000000000000004, 0, 1e9, -1e9, 1e-9 },
        { 2.2250738585072014e-308, 4.9e-324, 123456.78901234567, 180, -180, 359.99999999999994 },
        { 1, 100000000, 1e-6, 1e-7, 999999999.99999988, 0.5 },
    };
    char folder[512], path[600];
    OWNED(marey_ctx) *ctx = test_ctx();
    test_folder_make(folder, sizeof folder);
    snprintf(path, sizeof path, "%s/odd.bvh", folder);
    OWNED(marey_clip) *clip = test_clip_raw(ctx, text);
    test_ok(marey_clip_save(clip, path, &test_error));
    OWNED(marey_clip) *again = test_clip_load_raw(ctx, path);
    assert_null(difference(clip, again));
    for (int i = 0; i < 18; i++)
        assert_true(marey_clip_channels(again, i / 6)[i % 6] == wanted[i / 6][i % 6]);
    test_folder_remove(folder);
}

/* ---- edited clips ---------------------------------------------------------------------------- */

/* Writes a clip and reads it back in the units it says it is written in. */
static marey_clip *through_a_file(marey_ctx *ctx, const marey_clip *clip)
{
    char folder[512], path[600];
    marey_clip *out = NULL;
    marey_load_def as_written = { .units = marey_clip_units(clip), .up = marey_clip_up(clip) };
    test_folder_make(folder, sizeof folder);
    snprintf(path, sizeof path, "%s/edited.bvh", folder);
    test_ok(marey_clip_save(clip, path, &test_error));
    test_ok(marey_clip_load(ctx, path, &as_written, &out, &test_error));
    test_folder_remove(folder);
    return out;
}

static double largest_turn_degrees(const marey_clip *clip)
{
    const marey_skeleton *s = marey_clip_skeleton(clip);
    double largest = 0;
    for (int f = 1; f < marey_clip_frames(clip); f++) {
        const double *was = marey_clip_channels(clip, f - 1), *is = marey_clip_channels(clip, f);
        for (int j = 0; j < s->joint_count; j++) {
            for (int c = 0; c < s->joints[j].channel_count; c++) {
                int kind = s->joints[j].channels[c], at = s->joints[j].first_channel + c;
                if (kind < MAREY_CHANNEL_X_ROTATION || kind > MAREY_CHANNEL_Z_ROTATION) continue;
                largest = fmax(largest, fabs(is[at] - was[at]));
            }
        }
    }
    return largest;
}

/* Both edits of a clip survive a file; no written angle steps further than `most_degrees`. */
static void expect_edits_survive(marey_ctx *ctx, const marey_clip *clip, double most_degrees)
{
    for (int i = 0; i < 2; i++) {
        OWNED(marey_clip) *edited = NULL;
        test_ok(i ? marey_clip_resample(clip, marey_clip_fps(clip) * 0.7, &edited, &test_error)
                  : marey_clip_mirror(clip, &edited, &test_error));
        OWNED(marey_clip) *again = through_a_file(ctx, edited);
        double apart = test_clip_apart(edited, again), turn = largest_turn_degrees(again);
        if (!(apart <= 1e-3)) fail_msg("%s is %g cm off", marey_clip_name(clip), apart);
        if (!(turn <= most_degrees)) fail_msg("%s turns %g degrees", marey_clip_name(clip), turn);
        assert_true(fabs(marey_clip_fps(edited) / marey_clip_fps(again) - 1) < 1e-6);
    }
}

TEST_CTX(an_edited_clip_keeps_its_joints_in_place)
{
    OWNED(marey_clip) *clip = test_person_clip(ctx, 60);
    expect_edits_survive(ctx, clip, 10);
}

/* A person that turns 8 degrees a frame, three times round, about the channel written at `turning`
   of the root's rotations, which are in the order `order`. */
static marey_clip *spinning(marey_ctx *ctx, const char *order, int turning)
{
    enum { FRAMES = 140 };
    FREED char *text = test_person(1), *spin = NULL;
    size_t size;
    FILE *out = open_memstream(&spin, &size);
    char *channels = strstr(text, "Zrotation"), *motion = strstr(text, "MOTION");
    fwrite(text, 1, (size_t)(channels - text), out);
    for (int i = 0; i < 3; i++) fprintf(out, "%crotation ", order[i]);
    channels = strchr(channels, '\n');
    fwrite(channels, 1, (size_t)(motion - channels), out);
    fprintf(out, "MOTION\nFrames: %d\nFrame Time: 0.0166667\n", FRAMES);
    for (int f = 0; f < FRAMES; f++) {
        fprintf(out, "%d 95 0", f);
        for (int i = 0; i < 3; i++) fprintf(out, " %d", i == turning ? 8 * f + 3 : i + 1);
        for (int i = 0; i < 60; i++) fprintf(out, " %d", i % 7);
        fputc('\n', out);
    }
    fclose(out);
    return test_clip(ctx, spin);
}

/* The outer and inner angle can follow a spin for ever; the middle one cannot and is allowed the
   half turn of the other two with which the same spin goes on. */
TEST_CTX(angles_of_a_spin_go_on_without_jumps_of_a_whole_turn)
{
    OWNED(marey_clip) *outer = spinning(ctx, "YXZ", 0), *inner = spinning(ctx, "XZY", 2);
    OWNED(marey_clip) *middle = spinning(ctx, "ZYX", 1);
    expect_edits_survive(ctx, outer, 20);
    expect_edits_survive(ctx, inner, 20);
    expect_edits_survive(ctx, middle, 200);
}

static void edit_real(void *user, const char *path)
{
    int *seen = user, step = test_is_long() ? 1 : 11;
    if (strstr(path, "format_zoo") || (*seen)++ % step != 0) return;
    OWNED(marey_ctx) *ctx = test_ctx();
    OWNED(marey_clip) *clip = test_clip_load(ctx, path);
    expect_edits_survive(ctx, clip, 300);
}

TEST(edited_real_clips_keep_their_joints_in_place)
{
    test_need_mocap();
    int seen = 0;
    test_mocap_each_bvh(edit_real, &seen);
    assert_true(seen > 0);
}

/* ---- what is not written --------------------------------------------------------------------- */

/* Counts what a writer reports, and cancels or fails the disk at the report number `at`. */
typedef struct reports {
    marey_ctx *ctx;
    test_files files;
    int seen, at;
    bool cancel;
    long written; /* calls before the disk was full */
} reports;

static void note_report(void *user, const char *what, int64_t done, int64_t total)
{
    reports *all = user;
    (void)what, (void)done, (void)total;
    if (all->seen++ != all->at) return;
    if (all->cancel) marey_ctx_cancel(all->ctx);
    if (!all->cancel) all->files.fail = all->written = all->files.calls;
}

/* A chain of joints as long as can be, and so many frames. */
static marey_clip *long_chain(marey_ctx *ctx, int frames)
{
    enum { JOINTS = 16383 };
    marey_clip *clip = mry_clip_make(ctx, "chain", JOINTS);
    assert_non_null(clip);
    for (int j = 0; j < JOINTS; j++) {
        clip->joints[j] = (marey_joint){ .name = "a joint of a chain", .parent = j - 1 };
        clip->joints[j].first_channel = j;
        clip->joints[j].channel_count = 1;
        clip->joints[j].channels[0] = MAREY_CHANNEL_X_ROTATION;
    }
    clip->skeleton.channel_count = JOINTS;
    clip->fps = 60;
    clip->units = MAREY_UNITS_CM;
    clip->up = MAREY_UP_Y;
    assert_true(mry_clip_find_movers(clip) && mry_clip_take_tracks(clip, frames));
    memset(clip->place, 0, (size_t)frames * 3 * sizeof *clip->place);
    for (size_t i = 0; i < (size_t)frames * JOINTS; i++) {
        memcpy(clip->turn + 4 * i, (float[4]){ 1, 0, 0, 0 }, 4 * sizeof *clip->turn);
    }
    return clip;
}

TEST(writing_ends_at_the_first_cancel_or_failure)
{
    static const char *const names[] = { "out.bvh", "out.glb" };
    char folder[256], path[300];
    test_folder_make(folder, sizeof folder);
    for (int n = 0; n < 4; n++) {
        reports all = { .files = { .kinds = TEST_IO_WRITE, .fail = -1, .from_then_on = true },
                        .cancel = n < 2 };
        marey_ctx_def def = { .threads = 1,
                              .io = test_files_io(&all.files),
                              .progress = note_report,
                              .progress_user = &all };
        OWNED(marey_ctx) *ctx = NULL;
        test_ok(marey_ctx_open(&def, &ctx));
        all.ctx = ctx;
        OWNED(marey_clip) *clip = long_chain(ctx, 2);
        snprintf(path, sizeof path, "%s/%s", folder, names[n % 2]);
        all.at = -1; /* how many reports a whole file has */
        test_ok(marey_clip_save(clip, path, NULL));
        int whole = all.seen;
        assert_int_equal(remove(path), 0);
        /* In the middle of the hierarchy of a BVH, of the joints of a GLB: the next report would be
           the first of many. */
        all.at = n % 2 ? 0 : 3;
        all.seen = 0;
        all.files.calls = 0;
        marey_status status = marey_clip_save(clip, path, NULL);
        assert_int_equal(status, all.cancel ? MAREY_ERR_CANCELLED : MAREY_ERR_IO);
        if (all.cancel) assert_int_equal(all.seen, all.at + 1);
        if (!all.cancel) assert_int_equal(all.files.calls, all.written + 1);
        if (n % 2 == 0) assert_true(whole > 60 && all.seen < whole / 2);
        assert_int_equal(test_folder_count(folder), 0);
    }
    test_folder_remove(folder);
}

/* What a format says its file can have at most is never too little: long names, deep joints, every
   channel, wide numbers. */
TEST_CTX(the_longest_text_of_a_clip_is_within_its_limit)
{
    enum { JOINTS = 60, FRAMES = 1 };
    char folder[256], path[300], name[MRY_LONGEST_JOINT_NAME + 1];
    OWNED(marey_clip) *clip = mry_clip_make(ctx, "long", JOINTS);
    size_t numbers = (size_t)FRAMES * JOINTS * MAREY_CHANNEL_COUNT;
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = 0;
    assert_non_null(clip);
    for (int j = 0; j < JOINTS; j++) {
        clip->joints[j] = (marey_joint){ .name = name, .parent = j - 1, .has_end = true };
        clip->joints[j].first_channel = j * MAREY_CHANNEL_COUNT;
        clip->joints[j].channel_count = MAREY_CHANNEL_COUNT;
        for (int c = 0; c < MAREY_CHANNEL_COUNT; c++)
            clip->joints[j].channels[c] = (marey_channel)c;
        for (int i = 0; i < 3; i++) {
            clip->source.offsets[3 * j + i] = clip->source.ends[3 * j + i] =
                -1.2345678901234567e-308;
        }
    }
    clip->skeleton.channel_count = JOINTS * MAREY_CHANNEL_COUNT;
    clip->fps = 60;
    clip->units = MAREY_UNITS_CM;
    clip->up = MAREY_UP_Y;
    assert_true(mry_clip_find_movers(clip) && mry_clip_take_tracks(clip, FRAMES));
    memset(clip->place, 0, (size_t)FRAMES * JOINTS * 3 * sizeof *clip->place);
    for (size_t i = 0; i < (size_t)FRAMES * JOINTS; i++) {
        memcpy(clip->turn + 4 * i, (float[4]){ 1, 0, 0, 0 }, 4 * sizeof *clip->turn);
    }
    clip->source.channels = MRY_NEW(&clip->mem, double, numbers);
    assert_non_null(clip->source.channels);
    for (size_t i = 0; i < numbers; i++)
        clip->source.channels[i] = i % 2 ? -1.2345678901234567e-308 : -987654321.12345678;
    test_folder_make(folder, sizeof folder);
    snprintf(path, sizeof path, "%s/long.bvh", folder);
    test_ok(marey_clip_save(clip, path, &test_error));
    snprintf(path, sizeof path, "%s/long.glb", folder);
    test_ok(marey_clip_save(clip, path, &test_error));
    test_folder_remove(folder);
}

TEST_GROUP_OF_CASES(test_roundtrip, NULL, NULL)
