/* test_param.c - what a motion does, as numbers: how it is written, and that it is measured right
   on motions whose numbers are known. */
#include "support.h"

#include "motion/clip_data.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- writing it ------------------------------------------------------------------------------ */

static marey_param parsed(const char *text)
{
    marey_param param;
    marey_error error = { 0 };
    if (marey_param_parse(text, &param, &error)) fail_msg("%s", error.message);
    return param;
}

TEST(what_is_written_is_read_back)
{
    static const char *const pairs[][2] = {
        { "position(RightHand, apex, start)", "position(RightHand, apex, start)" },
        { " position ( RightHand ) ", "position(RightHand, apex, start)" },
        { "position(RightHand,end,root)", "position(RightHand, end, root)" },
        { "position(left_wrist, 42, world)", "position(left_wrist, 42, world)" },
        { "height(Head, highest)", "height(Head, highest)" },
        { "mass", "mass(lowest, start)" },
        { "mass(end, world)", "mass(end, world)" },
        { "place()", "place(start)" },
        { "PLACE(World)", "place(world)" },
        { "heading", "heading()" },
        { "speed(RightFoot, greatest)", "speed(RightFoot, greatest)" },
        { "turning(LeftForeArm)", "turning(LeftForeArm, mean)" },
        { "duration()", "duration()" },
        { "label(mood)", "label(mood)" },
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        marey_param param = parsed(pairs[i][0]), again;
        char text[128];
        assert_int_equal(marey_param_text(&param, text, sizeof text), strlen(pairs[i][1]));
        assert_string_equal(text, pairs[i][1]);
        again = parsed(text);
        assert_memory_equal(&again, &param, sizeof param);
    }
}

TEST(every_row_of_the_table_can_be_written)
{
    int count = 0;
    for (const marey_param_kind *kind; (kind = marey_param_kind_find(count)); count++) {
        char text[128];
        snprintf(text, sizeof text, "%s(%s)", kind->name,
                 strstr(kind->form, "JOINT")  ? "Hips"
                 : strstr(kind->form, "NAME") ? "mood"
                                              : "");
        assert_ptr_equal(parsed(text).kind, kind);
        assert_true(kind->dims >= 1 && kind->dims <= 3);
        for (int d = 0; d < kind->dims; d++) assert_non_null(kind->axes[d]);
    }
    assert_true(count >= 11);
}

TEST(mistakes_are_explained)
{
    static const char *const pairs[][2] = {
        { "", "position" },
        { "postion(RightHand)", "postion is no parameter; did you mean position?" },
        { "position", "a joint is missing: position(JOINT, WHEN, FROM)" },
        { "position()", "a joint is missing" },
        { "position(,apex)", "a joint is missing" },
        { "heigth(RightHand)", "heigth is no parameter; did you mean height?" },
        { "wave(RightHand)", "wave is no parameter; there are position" },
        { "position(RightHand, apxe)", "apxe is no moment; did you mean apex?" },
        { "position(RightHand, soon)", "soon is no moment; there are start, end, apex" },
        { "position(RightHand, soon)", "lowest, or the number of a frame" },
        { "position(RightHand, -3)", "-3 is no frame" },
        { "position(RightHand, apex, moon)", "moon is no place to tell from; there are start" },
        { "position(RightHand, apex, start, more)", "nothing more is expected" },
        { "position(RightHand", "a closing bracket is missing" },
        { "position(RightHand) x", "nothing is expected behind the bracket" },
        { "speed(RightHand, fast)", "fast is no amount; there are mean, least, greatest" },
        { "duration(3)", "nothing more is expected" },
        { "label()", "the label's name is missing" },
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        marey_param param = { 0 }, before = param;
        marey_error error = { 0 };
        assert_int_equal(marey_param_parse(pairs[i][0], &param, &error), MAREY_ERR_REQUEST);
        if (!strstr(error.message, pairs[i][1])) fail_msg("%s: \"%s\"", pairs[i][0], error.message);
        assert_memory_equal(&param, &before, sizeof param);
    }
    char long_text[400];
    marey_param param;
    memset(long_text, 'x', sizeof long_text);
    memcpy(long_text, "position(", 9);
    long_text[sizeof long_text - 1] = 0;
    assert_int_equal(marey_param_parse(long_text, &param, NULL), MAREY_ERR_REQUEST);
}

/* ---- motions whose numbers are known --------------------------------------------------------- */

/* A body that stands on one spot, faces `heading` (about y, from z to the left) and turns its right
   upper arm about its own side axis from hanging down (0) up to `raise` degrees ahead and back
   again; the hips travel straight ahead at `pace`. */
typedef struct figure {
    double heading, raise, pace, turn; /* degrees; cm/s; degrees over the whole clip */
    int frames;
} figure;

/* A joint that opens below the last one, with its offset; `ends` blocks end behind it, the first of
   them with a tip. */
typedef struct bone {
    const char *name, *offset, *tip;
    int ends;
} bone;

static const bone bones[] = {
    { "Spine", "0 40 0", NULL, 0 },           { "LeftArm", "20 10 0", NULL, 0 },
    { "LeftForeArm", "0 -30 0", NULL, 0 },    { "LeftHand", "0 -25 0", "0 -10 0", 3 },
    { "RightArm", "-20 10 0", NULL, 0 },      { "RightForeArm", "0 -30 0", NULL, 0 },
    { "RightHand", "0 -25 0", "0 -10 0", 4 }, { "LeftUpLeg", "10 0 0", NULL, 0 },
    { "LeftLeg", "0 -45 0", NULL, 0 },        { "LeftFoot", "0 -45 0", "0 -5 10", 3 },
    { "RightUpLeg", "-10 0 0", NULL, 0 },     { "RightLeg", "0 -45 0", NULL, 0 },
    { "RightFoot", "0 -45 0", "0 -5 10", 4 },
};

static void write_bones(FILE *out)
{
    fputs("HIERARCHY\nROOT Hips\n{\nOFFSET 0 0 0\nCHANNELS 6 Xposition Yposition Zposition "
          "Yrotation Xrotation Zrotation\n",
          out);
    for (size_t i = 0; i < sizeof bones / sizeof *bones; i++) {
        fprintf(out, "JOINT %s\n{\nOFFSET %s\nCHANNELS 3 Yrotation Xrotation Zrotation\n",
                bones[i].name, bones[i].offset);
        if (bones[i].tip) fprintf(out, "End Site\n{\nOFFSET %s\n}\n", bones[i].tip);
        for (int k = 0; k < bones[i].ends; k++) fputs("}\n", out);
    }
}

static marey_clip *make_figure(marey_ctx *ctx, figure of)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    double x = 300, z = -200;
    assert_non_null(out);
    write_bones(out);
    fprintf(out, "MOTION\nFrames: %d\nFrame Time: 0.01\n", of.frames);
    for (int f = 0; f < of.frames; f++) {
        double share = of.frames > 1 ? (double)f / (of.frames - 1) : 0;
        double angle = of.heading + of.turn * share;
        double arm = of.raise * (share < 0.5 ? 2 * share : 2 - 2 * share);
        fprintf(out, "%.9f 95 %.9f %.9f 0 0", x, z, angle);
        for (int j = 1; j < 14; j++) fprintf(out, " 0 %.9f 0", j == 5 ? -arm : 0);
        fprintf(out, "\n");
        x += of.pace * 0.01 * sin(angle * M_PI / 180);
        z += of.pace * 0.01 * cos(angle * M_PI / 180);
    }
    fclose(out);
    marey_load_def load = { .units = MAREY_UNITS_CM, .up = MAREY_UP_Y };
    marey_clip *clip = NULL;
    marey_error error = { 0 };
    if (marey_clip_load_bytes(ctx, "figure.bvh", text, size, &load, &clip, &error))
        fail_msg("%s", error.message);
    free(text);
    return clip;
}

static double one(const char *text, const marey_clip *clip)
{
    double values[3] = { NAN, NAN, NAN };
    marey_error error = { 0 };
    marey_param param = parsed(text);
    if (marey_param_measure(&param, clip, -1, values, &error)) fail_msg("%s", error.message);
    return values[0];
}

static void expect(const char *text, const marey_clip *clip, double x, double y, double z,
                   double within)
{
    double values[3] = { 0 }, want[3] = { x, y, z };
    marey_error error = { 0 };
    marey_param param = parsed(text);
    if (marey_param_measure(&param, clip, -1, values, &error)) fail_msg("%s", error.message);
    for (int d = 0; d < param.kind->dims; d++) {
        if (!(fabs(values[d] - want[d]) <= within))
            fail_msg("%s: %g, not %g (number %d)", text, values[d], want[d], d);
    }
}

/* The arm is 55 long and hangs from 20 to the right, 145 high. */
TEST_CTX(places_are_measured_from_where_the_body_stands)
{
    for (int k = 0; k < 4; k++) {
        double heading = -170 + 97 * k;
        OWNED(marey_clip) *clip = make_figure(ctx, (figure){ heading, 90, 0, 0, 101 });
        expect("position(RightHand, apex, start)", clip, -20, 145, 55, 1e-3);
        expect("position(right_wrist, apex, root)", clip, -20, 50, 55, 1e-3);
        expect("position(RightHand, start)", clip, -20, 90, 0, 1e-3);
        expect("position(RightHand, 25)", clip, -20, 145 - 55 * cos(M_PI / 4), 55 * sin(M_PI / 4),
               1e-3);
        expect("height(RightHand, highest)", clip, 145, 0, 0, 1e-3);
        double s = sin(heading * M_PI / 180), c = cos(heading * M_PI / 180);
        expect("position(RightHand, apex, world)", clip, 300 - 20 * c + 55 * s, 145,
               -200 + 20 * s + 55 * c, 1e-3);
    }
}

TEST_CTX(the_moment_is_found)
{
    OWNED(marey_clip) *clip = make_figure(ctx, (figure){ 30, 120, 80, 0, 101 });
    static const struct {
        const char *text;
        double frame;
    } rows[] = { { "position(RightHand, apex)", 50 }, { "position(RightHand, highest)", 50 },
                 { "position(RightHand, start)", 0 }, { "position(RightHand, end)", 100 },
                 { "position(RightHand, 17)", 17 },   { "position(RightHand, 5000)", 100 } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        marey_param param = parsed(rows[i].text);
        double frame = -1;
        assert_int_equal(marey_param_moment(&param, clip, &frame, NULL), MAREY_OK);
        test_near(frame, rows[i].frame, 0);
    }
    marey_param whole = parsed("duration");
    double frame;
    assert_int_equal(marey_param_moment(&whole, clip, &frame, NULL), MAREY_OK);
    assert_true(isnan(frame));
}

TEST_CTX(between_frames_is_between)
{
    OWNED(marey_clip) *clip = make_figure(ctx, (figure){ 30, 120, 80, 20, 101 });
    marey_param param = parsed("position(RightHand, apex, start)");
    double a[3], b[3], between[3];
    assert_int_equal(marey_param_measure(&param, clip, 20, a, NULL), MAREY_OK);
    assert_int_equal(marey_param_measure(&param, clip, 21, b, NULL), MAREY_OK);
    assert_int_equal(marey_param_measure(&param, clip, 20.25, between, NULL), MAREY_OK);
    for (int d = 0; d < 3; d++) test_near(between[d], a[d] + 0.25 * (b[d] - a[d]), 1e-9);
}

TEST_CTX(ways_and_speeds_are_measured)
{
    OWNED(marey_clip) *straight = make_figure(ctx, (figure){ 77, 90, 120, 0, 201 });
    expect("duration", straight, 2, 0, 0, 1e-9);
    expect("pace", straight, 120, 0, 0, 1e-3);
    expect("place", straight, 0, 240, 0, 1e-3);
    expect("heading", straight, 0, 0, 0, 1e-3);
    expect("curvature", straight, 0, 0, 0, 1e-3);
    expect("turning(RightArm)", straight, 90, 0, 0, 1e-2);
    expect("turning(RightArm, greatest)", straight, 90, 0, 0, 1e-2);
    expect("turning(LeftArm, greatest)", straight, 0, 0, 0, 1e-2);
    expect("speed(Hips, least)", straight, 120, 0, 0, 1e-3);
    OWNED(marey_clip) *bent = make_figure(ctx, (figure){ -40, 0, 100, 200, 301 });
    expect("heading", bent, 200, 0, 0, 1e-2);
    expect("curvature", bent, 200.0 / 3, 0, 0, 1e-2);
    test_near(one("pace", bent), 100, 1e-3);
}

TEST_CTX(a_still_arm_swings_as_fast_as_it_should)
{
    OWNED(marey_clip) *clip = make_figure(ctx, (figure){ 10, 90, 0, 0, 201 });
    double speed = 55 * (M_PI / 2); /* a quarter turn a second at 55 cm */
    test_near(one("speed(RightHand, greatest)", clip), speed, 0.05);
    test_near(one("speed(RightHand, mean)", clip), speed, 0.05);
    test_near(one("speed(LeftHand, mean)", clip), 0, 1e-3);
}

TEST_CTX(unknown_joints_are_refused_with_a_hint)
{
    OWNED(marey_clip) *clip = make_figure(ctx, (figure){ 0, 10, 0, 0, 5 });
    marey_param param = parsed("position(RightHandy)");
    double values[3] = { 7, 7, 7 };
    marey_error error = { 0 };
    assert_int_equal(marey_param_measure(&param, clip, -1, values, &error), MAREY_ERR_REQUEST);
    assert_non_null(strstr(error.message, "RightHand?"));
    test_near(values[0], 7, 0);
    param = parsed("label(mood)");
    assert_int_equal(marey_param_measure(&param, clip, -1, values, &error), MAREY_ERR_REQUEST);
}

TEST_CTX(one_frame_is_enough)
{
    OWNED(marey_clip) *clip = make_figure(ctx, (figure){ 0, 10, 50, 0, 1 });
    static const char *const texts[] = {
        "position(RightHand)", "mass",     "place", "heading",   "speed(RightHand)",
        "turning(Hips)",       "duration", "pace",  "curvature", "height(Hips, highest)"
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_true(isfinite(one(texts[i], clip)));
}

TEST_GROUP_OF_CASES(test_param, NULL, NULL)
