/* test_import_edges.c - reading where a careless line would pass the plain cases: the edges of the
   text window, numbers in a locale with a comma, rates of film, and bodies that tell little about
   themselves. */
#include "support.h"

#include "address.h"
#include "base/number.h"
#include "base/scan.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the text window ------------------------------------------------------------------------- */

static const char head[] = "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\n"
                           "CHANNELS 3 Zrotation Xrotation Yrotation\n"
                           "End Site\n{\nOFFSET 0 1 0\n}\n}\nMOTION\n";

/* Writes the text to a file, since only files are read through a window, and reads it. */
static marey_status load_text(marey_ctx *ctx, const char *text, size_t size, marey_clip **clip,
                              marey_error *error)
{
    char folder[512], path[600];
    test_folder_make(folder, sizeof folder);
    snprintf(path, sizeof path, "%s/clip.bvh", folder);
    test_file_write(path, text, size);
    marey_status status = marey_clip_load(ctx, path, NULL, clip, error);
    test_folder_remove(folder);
    return status;
}

static double value_at(int f, int c)
{
    return (f * 7919 % 100000) / 1000.0 * (c - 1) + f * 31 % 97;
}

/* A number asks for 88 bytes ahead; with separators of about that length it is the blanks that use
   the window up, and the number behind them must not be cut at its edge. */
static void check_separators(marey_ctx *ctx, char first, int blanks)
{
    enum { FRAMES = 4000 };
    FREED char *text = NULL;
    size_t size;
    OWNED(marey_clip) *clip = NULL;
    FILE *out = open_memstream(&text, &size);
    fprintf(out, "%sFrames: %d\nFrame Time: 0.01\n", head, FRAMES);
    for (int f = 0; f < FRAMES; f++) {
        for (int c = 0; c < 3; c++) fprintf(out, "%c%*s%.12f", first, blanks, "", value_at(f, c));
        fputc('\n', out);
    }
    fclose(out);
    assert_true(size > 1000000);
    test_ok(load_text(ctx, text, size, &clip, NULL));
    assert_int_equal(marey_clip_frames(clip), FRAMES);
    for (int f = 0; f < FRAMES; f++) {
        for (int c = 0; c < 3; c++)
            test_near(marey_clip_channels(clip, f)[c], value_at(f, c), 1e-9);
    }
}

TEST_CTX(numbers_behind_long_separators_are_whole_at_every_window_edge)
{
    static const int only_blanks[] = { 80, 93, 150, 200, 250 };
    for (int blanks = 80; blanks <= 92; blanks++) check_separators(ctx, '\t', blanks);
    for (int i = 0; i < 5; i++) check_separators(ctx, ' ', only_blanks[i]);
    for (const char *rare = "\f\v"; *rare; rare++) check_separators(ctx, *rare, 81);
}

/* Every line is 512 bytes, blanks before its CR LF, and the first is such that the window's last
   byte is a CR. */
TEST_CTX(a_line_end_across_the_window_edge_counts_once)
{
    enum { LINES = 2000, LINE = 512, BAD = 1900 };
    char start[512];
    FREED char *text = NULL;
    size_t size;
    marey_clip *clip = NULL;
    FILE *out = open_memstream(&text, &size);
    int used = snprintf(start, sizeof start, "%sFrames: %d\r\nFrame Time: 0.01", head, LINES);
    int lines =
        2; /* of the frame count and time, the first ended by CR LF; then those of the head */
    for (const char *p = head; *p; p++) lines += *p == '\n';
    int pad =
        (MRY_SCAN_WINDOW - 1 - used) % LINE; /* so that every CR is at a multiple of LINE, less 1 */
    fprintf(out, "%s%*s\r\n", start, pad, "");
    for (int f = 0; f < LINES; f++)
        fprintf(out, "%-*s\r\n", LINE - 2, f == BAD ? "1 2 oops" : "1.25 2.5 3.75");
    fclose(out);
    assert_true(size > 1000000 && text[MRY_SCAN_WINDOW - 1] == '\r');
    assert_int_equal(load_text(ctx, text, size, &clip, &test_error), MAREY_ERR_INPUT);
    assert_null(clip);
    assert_int_equal(test_error.line, lines + BAD + 1);
    assert_int_equal(test_error.column, 5);
}

/* The quick way takes eight bytes; numbers that end, or have their point, just there. */
TEST_CTX(numbers_of_about_eight_bytes_are_read_right)
{
    static const char *const texts[] = { "1234567.",  "-1234567.", "1234567.12345678", "1234567.1",
                                         "12345678",  "-12345678", "123456.7",         "-123456.7",
                                         "12345.67",  "12345678.", "123456789",        "1.234567",
                                         "-1.234567", ".1234567",  "-.1234567",        "0.000001",
                                         "1.",        "-1.",       "99999999",         "9999999.9",
                                         "0000000.",  "00000000.5" };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char text[1024];
        int used = snprintf(text, sizeof text, "%sFrames: 1\nFrame Time: 1\n7 %s\t%s\n", head,
                            texts[i], texts[i]);
        OWNED(marey_clip) *clip = NULL;
        test_ok(load_text(ctx, text, (size_t)used, &clip, NULL));
        const double *row = marey_clip_channels(clip, 0);
        double wanted = strtod(texts[i], NULL);
        test_near(row[0], 7, 0);
        test_near(row[1], wanted, 0);
        test_near(row[2], wanted, 0);
    }
}

TEST_CTX(what_only_looks_like_a_number_is_refused)
{
    static const char *const texts[] = { ".",         "-.",        "-",         "+",
                                         "1.2.3",     "123.4567.", "--1",       "1-",
                                         "12345678x", "1234567x",  "1234567.x", "1.23456x",
                                         "1234567-" };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char text[1024];
        marey_clip *clip = NULL;
        int used =
            snprintf(text, sizeof text, "%sFrames: 1\nFrame Time: 1\n7 %s 8\n", head, texts[i]);
        assert_int_equal(load_text(ctx, text, (size_t)used, &clip, &test_error), MAREY_ERR_INPUT);
        assert_int_equal(test_error.column, 3);
    }
}

/* ---- a locale with a comma ------------------------------------------------------------------- */

/* Makes the locale, since few machines have it; false where it cannot be made. */
static bool enter_comma_locale(const char *folder)
{
    char command[700];
    snprintf(command, sizeof command,
             "localedef -c -i de_DE -f UTF-8 '%s/de_DE.UTF-8' >/dev/null 2>&1", folder);
    if (system(command) == -1) return false;
    setenv("LOCPATH", folder, 1);
    return setlocale(LC_ALL, "de_DE.UTF-8") && *localeconv()->decimal_point == ',';
}

static void check_reading(const char *text, double wanted)
{
    char room[64 + MRY_NUMBER_SLACK] = { 0 };
    mry_decimal number;
    strcpy(room, text);
    assert_int_equal(mry_number_read(room, room + strlen(text), &number), strlen(text));
    test_near(number.value, wanted, 0);
}

static void check_writing(double value, const char *wanted)
{
    char room[MRY_NUMBER_ROOM + 1] = { 0 };
    room[mry_number_write(room, value, 6)] = 0;
    assert_string_equal(room, wanted);
}

/* A failed check must not leave its locale to the cases behind it. */
static int leave_locale(void **state)
{
    (void)state;
    setlocale(LC_ALL, "C");
    return unsetenv("LOCPATH");
}

TEST_IN(NULL, leave_locale, numbers_have_a_point_in_a_locale_with_a_comma)
{
    char folder[512];
    test_folder_make(folder, sizeof folder);
    bool entered = enter_comma_locale(folder);
    if (entered) {
        check_reading("1.5e-30", 1.5e-30);
        check_reading("2.5E3", 2500);
        check_reading("0.12345678901234567890123", 0.12345678901234568);
        check_reading("1,5e-30", 1.5e-30);
        check_writing(1.5e-30, "1.5e-30");
        check_writing(0.12345678901234568, "0.12345678901234568");
        check_writing(-1.25, "-1.25");
    }
    test_folder_remove(folder);
    if (entered) return;
    test_skip("localedef cannot make a locale with a decimal comma here");
}

/* ---- rates ----------------------------------------------------------------------------------- */

static double rate_of(marey_ctx *ctx, const char *frame_time)
{
    char text[1024];
    snprintf(text, sizeof text, "%sFrames: 1\nFrame Time: %s\n1 2 3\n", head, frame_time);
    OWNED(marey_clip) *clip = test_clip(ctx, text);
    return marey_clip_fps(clip);
}

TEST_CTX(rates_of_film_are_known_from_rounded_frame_times)
{
    static const struct {
        const char *text;
        double fps;
    } cases[] = {
        { "0.0417083", 24000 / 1001.0 },
        { "0.041708", 24000 / 1001.0 },
        { "0.0333667", 30000 / 1001.0 },
        { "0.033367", 30000 / 1001.0 },
        { "0.0166833", 60000 / 1001.0 },
        { "0.016683", 60000 / 1001.0 },
        { "0.0416667", 24 },
        { "0.0333333", 30 },
        { "0.0166667", 60 },
        { ".0083333", 120 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        test_near(rate_of(ctx, cases[i].text), cases[i].fps, 1e-9);
    test_near(rate_of(ctx, "0.0345"), 1 / 0.0345, 1e-9); /* 28.99 Hz is no known rate */
}

TEST_CTX(seconds_in_an_address_go_to_the_nearest_frame)
{
    static const struct {
        const char *text;
        int start, end;
    } cases[] = { { "1.5s", 45, 46 }, /* 44.955 */
                  { "1.5s-2s", 45, 60 },
                  { "0.01s", 0, 1 },
                  { "0.02s", 1, 2 },
                  { "0s-1.5s", 0, 45 } };
    FREED char *person = test_person(90);
    memcpy(strstr(person, "0.0166667"), "0.0333667", 9);
    OWNED(marey_clip) *clip = test_clip(ctx, person);
    for (int i = 0; i < 5; i++) {
        frame_range range;
        int start = -1, end = -1;
        assert_true(range_parse(cases[i].text, &range));
        test_ok(range_find(&range, clip, 0, &start, &end, &test_error));
        assert_int_equal(start, cases[i].start);
        assert_int_equal(end, cases[i].end);
    }
}

/* ---- the body's size ------------------------------------------------------------------------- */

/* Of this body's height, 13.44 cm or 8 % are above the head joint, given by an End Site or by
   nothing. */
static double height_with(marey_ctx *ctx, const char *end_of_head)
{
    static const char end_site[] = "End Site\n{\nOFFSET 0 2.25 0.25\n}\n";
    FREED char *whole = test_person(20), *text = NULL;
    char *at = strstr(whole, end_site);
    size_t size;
    assert_non_null(at);
    FILE *out = open_memstream(&text, &size);
    fprintf(out, "%.*s%s%s", (int)(at - whole), whole, end_of_head, at + strlen(end_site));
    fclose(out);
    OWNED(marey_clip) *clip = test_clip(ctx, text);
    return marey_clip_report(clip)->height_cm;
}

TEST_CTX(a_head_without_a_tip_counts_as_much_as_one_with_a_tip)
{
    double with_tip = height_with(ctx, "End Site\n{\nOFFSET 0 13.44 0\n}\n");
    test_near(with_tip, 168, 2);
    test_near(height_with(ctx, ""), with_tip, 0.5);
}

/* ---- the up axis ----------------------------------------------------------------------------- */

enum { JOINTS = TEST_PERSON_JOINTS, VALUES = TEST_PERSON_ROW };

static void check_up(marey_ctx *ctx, double (*rows)[VALUES], int frames, bool z_up)
{
    FREED char *text = test_person_posed(rows[0], frames, 60, 1, z_up);
    OWNED(marey_clip) *clip = test_clip(ctx, text);
    assert_int_equal(marey_clip_up(clip), z_up ? MAREY_UP_Z : MAREY_UP_Y);
}

/* Stands, then lies where the lowest joint along y and along z stays what it was, so that neither
   axis has the calmer floor. Soles are 93 below the hips, and toes 13 in front of them; the head
   lies towards +z, which is -y in a file with z up, so there it is made to lie the other way
   round. */
TEST_CTX(where_both_axes_have_a_floor_the_rest_pose_decides)
{
    enum { FRAMES = 64 };
    for (int z_up = 0; z_up < 2; z_up++) {
        double rows[FRAMES][VALUES] = { 0 };
        for (int f = 0; f < FRAMES; f++) {
            bool lies = f >= FRAMES / 2;
            rows[f][1] = !lies ? 93 : z_up ? 0 : 13;
            rows[f][2] = !lies ? 0 : z_up ? -80 : 93;
            rows[f][5] = !lies ? 0 : z_up ? -90 : 90;
            rows[f][8] = 0.01 * f;
        }
        check_up(ctx, rows, FRAMES, z_up);
    }
}

/* On a tower: no floor near zero says that who stands along z does not lie there. */
TEST_CTX(a_body_that_stands_far_above_zero_stands_as_the_rest_pose_does)
{
    enum { FRAMES = 40 };
    double rows[FRAMES][VALUES] = { 0 };
    for (int f = 0; f < FRAMES; f++) {
        rows[f][1] = 900;
        rows[f][8] = 0.01 * f;
    }
    for (int z_up = 0; z_up < 2; z_up++) check_up(ctx, rows, FRAMES, z_up);
}

TEST_CTX(a_body_that_never_stands_stands_as_the_rest_pose_does)
{
    enum { FRAMES = 40 };
    double rows[FRAMES][VALUES] = { 0 };
    for (int f = 0; f < FRAMES; f++) {
        rows[f][1] = 70;
        rows[f][5] = 45;
        rows[f][8] = 0.01 * f;
    }
    for (int z_up = 0; z_up < 2; z_up++) check_up(ctx, rows, FRAMES, z_up);
}

/* ---- free flight ----------------------------------------------------------------------------- */

/* A hop of 24 frames at 60 Hz from a box that is not seen. Feet have places of their own, so they
   can stay where they are while the body rises and falls above them as if thrown. */
static marey_clip *hop(marey_ctx *ctx, bool feet_stay)
{
    enum { FRAMES = 120, FROM = 60, LONG = 24 };
    FREED char *whole = test_person(1), *text = NULL;
    char *saved = NULL;
    size_t size;
    bool foot = false;
    FILE *out = open_memstream(&text, &size);
    *strstr(whole, "MOTION") = 0;
    for (char *line = strtok_r(whole, "\n", &saved); line; line = strtok_r(NULL, "\n", &saved)) {
        if (strncmp(line, "JOINT", 5) == 0) foot = strstr(line, "Foot") != NULL;
        bool channels = foot && strncmp(line, "CHANNELS 3", 10) == 0;
        fprintf(out, "%s%s\n", channels ? "CHANNELS 6 Xposition Yposition Zposition" : line,
                channels ? line + 10 : "");
    }
    fprintf(out, "MOTION\nFrames: %d\nFrame Time: 0.0166667\n", FRAMES);
    for (int f = 0; f < FRAMES; f++) {
        bool up = f >= FROM && f < FROM + LONG;
        double t = f - FROM - (LONG - 1) / 2.0, half = LONG / 2.0;
        double rise = up ? 981 / 3600.0 / 2 * (half * half - t * t) : 0;
        fprintf(out, "0 %.6f 0", 93 + (up ? 10 : 0) + rise);
        for (int j = 0; j < JOINTS; j++) {
            if (j == 3 || j == 7) fprintf(out, " 0 %.6f 0", -41 - (feet_stay ? rise : 0));
            fputs(" 0 0 0.1", out);
        }
        fputc('\n', out);
    }
    fclose(out);
    return test_clip(ctx, text);
}

TEST_CTX(a_body_above_feet_that_stay_does_not_fly)
{
    OWNED(marey_clip) *flies = hop(ctx, false), *stands = hop(ctx, true);
    assert_int_equal(marey_clip_report(flies)->flight_count, 1);
    test_near(marey_clip_report(flies)->flight_fps, 60, 3);
    assert_int_equal(marey_clip_report(stands)->flight_count, 0);
}

TEST_GROUP_OF_CASES(test_import_edges, NULL, NULL)
