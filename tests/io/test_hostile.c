/* test_hostile.c - every file of tests/data/hostile has the outcome of its row here, and what is
   too large to keep is made on the spot. The files and their reasons:
   tests/data/hostile/README.md. */
#include "reader_bench.h"

#include <dirent.h>
#include <stdlib.h>

typedef struct row {
    const char *file;
    reader_outcome outcome;
    int line, column; /* 0: anywhere */
    const char *text;
    int frames; /* of an accepted one; 0: two, as in plain.bvh */
} row;

static const row rows[] = {
    { .file = "plain" },
    { .file = "keywords_lower_case" },
    { .file = "keywords_upper_case" },
    { .file = "joint_lower_case" },
    { .file = "byte_order_mark" },
    { .file = "tabs" },
    { .file = "blank_lines" },
    { .file = "line_ends_mixed" },
    { .file = "line_ends_cr" },
    { .file = "brace_on_name_line" },
    { .file = "name_blanks_colons" },
    { .file = "name_utf8" },
    { "name_missing", REFUSED, 6, 8, "a name after JOINT", 0 },
    { "name_too_long", PAST_LIMIT, 6, 9, "255", 0 },
    { "names_duplicate", WARNING, 0, 0, "Hips", 0 },
    { .file = "end_missing" },
    { .file = "end_name" },
    { .file = "rotations_first" },
    { .file = "orders_mixed" },
    { .file = "positions_everywhere" },
    { .file = "positions_partial" },
    { .file = "root_offset" },
    { .file = "channels_none" },
    { .file = "channels_zero" },
    { "channels_nine", WARNING, 0, 0, "scale", 0 },
    { "offset_missing", WARNING, 0, 0, "OFFSET", 0 },
    { "offset_missing_end", WARNING, 0, 0, "OFFSET", 0 },
    { .file = "numbers_odd" },

    { "channels_after_joint", REFUSED, 14, 3, "CHANNELS", 0 },
    { "channels_twice", REFUSED, 10, 5, "CHANNELS", 0 },
    { "channel_twice", REFUSED, 9, 36, "Zrotation", 0 },
    { "channel_unknown", REFUSED, 9, 26, "Wrotation", 0 },
    { "channels_few_names", REFUSED, 9, 0, "channel", 0 },
    { "channels_many_names", REFUSED, 9, 0, "channel", 0 },
    { "channels_twelve", REFUSED, 9, 14, "12", 0 },
    { "channels_four_billion", REFUSED, 9, 14, "4000000000", 0 },
    { "channels_minus_one", REFUSED, 9, 14, "-1", 0 },
    { "channels_no_count", REFUSED, 9, 14, "Zrotation", 0 },
    { "channels_nowhere", REFUSED, 0, 0, "CHANNELS", 0 },
    { "offset_twice", REFUSED, 9, 5, "OFFSET", 0 },
    { "offset_short", REFUSED, 8, 17, "the end of the line", 0 },
    { "offset_nan", REFUSED, 8, 14, "nan", 0 },
    { "offset_comma", WARNING, 0, 0, "comma", 0 },
    { "offset_huge", REFUSED, 8, 14, "too large", 0 },
    { "two_roots", REFUSED, 16, 1, "ROOT", 0 },
    { "root_inside", REFUSED, 6, 3, "ROOT", 0 },
    { "joint_outside", REFUSED, 16, 1, "JOINT", 0 },
    { "joint_in_end_site", REFUSED, 13, 7, "JOINT", 0 },
    { "no_hierarchy", REFUSED, 1, 1, "HIERARCHY", 0 },
    { "no_root", REFUSED, 2, 1, "ROOT", 0 },
    { "no_motion", REFUSED, 0, 0, "MOTION", 0 },
    { "brace_not_closed", REFUSED, 15, 1, "MOTION", 0 },
    { "brace_not_opened", REFUSED, 7, 5, "{", 0 },
    { "brace_too_many", REFUSED, 16, 1, "}", 0 },

    { .file = "frames_glued" },
    { .file = "frames_blank_colon" },
    { "frames_minus_one", REFUSED, 17, 9, "-1", 0 },
    { "frames_zero", REFUSED, 17, 9, "0", 0 },
    { "frames_nan", REFUSED, 17, 9, "nan", 0 },
    { "frames_fraction", REFUSED, 17, 9, "1.5", 0 },
    { "frames_empty", REFUSED, 17, 8, "the end of the line", 0 },
    { "frames_missing", REFUSED, 17, 1, "Frames", 0 },
    { "frames_four_billion", PAST_LIMIT, 17, 9, "at most 100000000", 0 },
    { "frames_past_64_bits", PAST_LIMIT, 17, 9, "at most 100000000", 0 },
    { "frames_96_gigabytes", WARNING, 0, 0, "100000000", 2 },
    { "frames_too_few_lines", WARNING, 0, 0, "says 5 frames but holds 2", 2 },
    { "frames_too_many_lines", WARNING, 0, 0, "more behind the 1 frame", 1 },
    { "rubbish_behind", WARNING, 0, 0, "left out", 2 },
    { "no_data", REFUSED, 0, 0, "frame", 0 },
    { "first_frame_cut", REFUSED, 0, 0, "frame", 0 },
    { "last_frame_cut", WARNING, 0, 0, "the last frame is incomplete", 1 },
    { .file = "last_line_end_missing" },
    { "line_too_short", REFUSED, 20, 17, "expected 9 numbers in this line, found 8", 0 },
    { "line_too_long", REFUSED, 20, 20, "9", 0 },
    { "first_line_too_long", REFUSED, 19, 20, "9", 0 },
    { "first_line_too_short", WARNING, 0, 0, "do not keep to lines", 2 },
    { "frame_over_lines", WARNING, 0, 0, "do not keep to lines", 2 },

    { "frame_time_zero", REFUSED, 18, 13, "--source-fps", 0 },
    { "frame_time_negative", REFUSED, 18, 13, "--source-fps", 0 },
    { "frame_time_nan", REFUSED, 18, 13, "--source-fps", 0 },
    { "frame_time_inf", REFUSED, 18, 13, "--source-fps", 0 },
    { "frame_time_word", REFUSED, 18, 13, "--source-fps", 0 },
    { "frame_time_missing", REFUSED, 18, 1, "--source-fps", 0 },
    { "frame_time_tiny", REFUSED, 18, 13, "--source-fps", 0 },
    { "frame_time_long", REFUSED, 18, 13, "--source-fps", 0 },
    { "frame_time_comma", WARNING, 0, 0, "comma", 0 },
    { .file = "frame_time_glued" },

    { "value_nan", REFUSED, 20, 18, "expected a number for LeftKnee Xrotation, found \"nan\"", 0 },
    { "value_minus_nan", REFUSED, 20, 18, "found \"-nan(ind)\"", 0 },
    { "value_inf", REFUSED, 20, 18, "found \"inf\"", 0 },
    { "value_1e400", REFUSED, 20, 18, "LeftKnee Xrotation", 0 },
    { "value_1e10", REFUSED, 20, 18, "LeftKnee Xrotation", 0 },
    { "value_hexadecimal", REFUSED, 20, 18, "found \"0x10\"", 0 },
    { "value_word", REFUSED, 20, 18, "expected a number for LeftKnee Xrotation, found \"abc\"", 0 },
    { "value_two_points", REFUSED, 20, 18, "found \"1.2.3\"", 0 },
    { "value_commas", REFUSED, 20, 18, "found \"1,2,3\"", 0 },
    { "value_ind", REFUSED, 20, 18, "found \"-1.#IND\"", 0 },
    { "value_long", REFUSED, 20, 18, "LeftKnee Xrotation", 0 },
    { "value_word_mixed_ends", REFUSED, 20, 18, "found \"abc\"", 0 },
    { .file = "value_last_allowed" },
    { "decimal_comma", WARNING, 0, 0, "comma", 0 },

    { "empty", REFUSED, 0, 0, "", 0 },
    { "blanks_only", REFUSED, 0, 0, "", 0 },
    { "rubbish", REFUSED, 0, 0, "", 0 },
    { "nul_bytes", REFUSED, 0, 0, "", 0 },
    { "nul_in_name", REFUSED, 6, 0, "", 0 },
    { "nul_in_motion", REFUSED, 20, 0, "", 0 },
    { "utf16_le", REFUSED, 0, 0, "UTF-16", 0 },
    { "utf16_be", REFUSED, 0, 0, "UTF-16", 0 },
    { "web_page", REFUSED, 1, 1, "", 0 },
};
enum { ROWS = sizeof rows / sizeof *rows };

static char *read_row(const char *file, size_t *count)
{
    char path[600];
    snprintf(path, sizeof path, "%s/hostile/%s.bvh", MAREY_TEST_DATA, file);
    return test_file_read(path, count);
}

#define CASE(name) TEST_OF_IN(reader_bench_make, reader_bench_free, reader_bench *b, name)

CASE(every_file_has_the_outcome_of_its_row)
{
    size_t count;
    FREED char *plain = read_row("plain", &count);
    OWNED(marey_clip) *clip = reader_load(b, ".bvh", plain, count, 0);
    int quiet = marey_clip_report(clip)->warning_count;
    b->idle = b->memory.live;
    for (int i = 0; i < ROWS; i++) {
        const row *r = &rows[i];
        FREED char *bytes = read_row(r->file, &count);
        int frames = reader_check(
            b, ".bvh", bytes, count,
            &(reader_row){ r->file, NULL, r->outcome, r->line, r->column, r->text }, quiet);
        if (r->outcome < REFUSED) assert_int_equal(frames, r->frames ? r->frames : 2);
    }
}

/* A row without a file fails above; here no file and no line of the table of words may be
   missing. */
TEST(every_file_has_a_row_and_a_line_in_the_readme)
{
    FREED char *readme = test_file_read(MAREY_TEST_DATA "/hostile/README.md", NULL);
    struct dirent **names;
    int count = scandir(MAREY_TEST_DATA "/hostile", &names, NULL, alphasort), files = 0;
    assert_true(count > 0);
    for (int i = 0; i < count; i++) {
        char cell[512], file[512];
        snprintf(cell, sizeof cell, "| `%s` |", names[i]->d_name);
        if (strstr(names[i]->d_name, ".bvh")) {
            bool has_row = false;
            for (int k = 0; k < ROWS; k++) {
                snprintf(file, sizeof file, "%s.bvh", rows[k].file);
                has_row |= strcmp(names[i]->d_name, file) == 0;
            }
            files++;
            if (!has_row) fail_msg("%s has no row", names[i]->d_name);
            if (!strstr(readme, cell)) fail_msg("%s is not in the README", names[i]->d_name);
        }
        free(names[i]);
    }
    free(names);
    assert_int_equal(files, ROWS);
}

CASE(a_given_rate_makes_a_bad_frame_time_harmless)
{
    static const char *const files[] = { "frame_time_zero", "frame_time_negative",
                                         "frame_time_tiny", "frame_time_long" };
    for (int i = 0; i < 4; i++) {
        size_t count;
        FREED char *bytes = read_row(files[i], &count);
        OWNED(marey_clip) *clip = reader_load(b, ".bvh", bytes, count, 30);
        assert_non_null(clip);
    }
}

#define BVH(joint, time, numbers)                                                                  \
    "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\n" joint "\n}\nMOTION\nFrames: 1\n" time "\n" numbers "\n"
#define TURNS "CHANNELS 3 Xrotation Yrotation Zrotation"
#define END "\nEnd Site\n{\nOFFSET 0 1 0\n}"

CASE(odd_short_texts_have_the_outcome_of_their_row)
{
    static const reader_row texts[] = {
        { "plain", BVH(TURNS END, "Frame Time: .05", "1 2 3"), ACCEPTED, 0, 0, "" },
        { "time in one word", BVH(TURNS END, "FrameTime: .05", "1 2 3"), ACCEPTED, 0, 0, "" },
        { "two ends", BVH(TURNS END END, "Frame Time: .05", "1 2 3"), WARNING, 0, 0,
          "more than one End Site" },
        { "slower than a frame a second", BVH(TURNS END, "Frame Time: 3.4", "1 2 3"), ACCEPTED, 0,
          0, "" },
        { "no rate of films", BVH(TURNS END, "Frame Time: .0123", "1 2 3"), ACCEPTED, 0, 0, "" },
        { "a rate of films", BVH(TURNS END, "Frame Time: .0417083", "1 2 3"), ACCEPTED, 0, 0, "" },
        { "another line than the time", BVH(TURNS END, "Frame Rate: 20", "1 2 3"), REFUSED, 13, 0,
          "Frame Time: (or give --source-fps)" },
        { "no time", BVH(TURNS END, "1 2 3", ""), REFUSED, 13, 0, "Frame Time:" },
        { "half a channel", BVH("CHANNELS 1.5 Xrotation", "Frame Time: .05", "1"), REFUSED, 5, 10,
          "the number of channels" },
        { "a brace behind channels", BVH("CHANNELS 1 Xrotation }\n", "", ""), REFUSED, 7, 1,
          "MOTION" },
        { "more behind channels", BVH("CHANNELS 1 Xrotation more", "", ""), REFUSED, 5, 22,
          "the end of the line after the channels" },
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        reader_check(b, ".bvh", texts[i].bytes, strlen(texts[i].bytes), &texts[i], 2);
    const char *timeless = BVH(TURNS END, "", "1 2 3"),
               *odd = BVH(TURNS END, "Frame Time: x", "1 2 3");
    for (int i = 0; i < 2; i++) {
        const char *text = i ? odd : timeless;
        OWNED(marey_clip) *clip = reader_load(b, ".bvh", text, strlen(text), 30);
        assert_true(clip && marey_clip_fps(clip) == 30);
    }
}

/* Only a name that ends in .bvh says which reader should complain. */
CASE(unknown_content_under_another_name_is_no_known_format)
{
    static const char *const contents[] = { "", "  \n", "%PDF-1.4\n", "<html>",
                                            "\x89PNG\r\n\x1a\n" };
    for (size_t i = 0; i < sizeof contents / sizeof *contents; i++) {
        assert_null(reader_load(b, ".xyz", contents[i], strlen(contents[i]), 0));
        assert_int_equal(test_error.status, MAREY_ERR_UNKNOWN_FORMAT);
        assert_memory_equal(test_error.message, "no known format", 15);
    }
}

/* ---- too large to keep ----------------------------------------------------------------------- */

/* `count` joints, each inside the one before it or all beside each other under the root. */
typedef struct crowd {
    int count;
    bool nested, same_name, six_channels;
} crowd;

static marey_status load_crowd(crowd c, int said, int given, int *frames)
{
    FREED char *text = NULL;
    size_t count;
    FILE *out = open_memstream(&text, &count);
    fputs("HIERARCHY\n", out);
    for (int i = 0; i < c.count; i++) {
        const char *channels = c.six_channels
                                   ? "6 Xposition Yposition Zposition Zrotation Yrotation Xrotation"
                                   : "1 Xrotation";
        fprintf(out, "%s J%d\n{\nOFFSET 0 1 0\nCHANNELS %s\n", i ? "JOINT" : "ROOT",
                c.same_name ? 0 : i, channels);
        if (!c.nested && i) fputs("}\n", out);
    }
    for (int i = 0; i < (c.nested ? c.count : 1); i++) fputs("}\n", out);
    fprintf(out, "MOTION\nFrames: %d\nFrame Time: 0.0333333\n", said);
    for (int f = 0; f < given; f++) {
        for (int i = 0; i < c.count * (c.six_channels ? 6 : 1); i++) fputs("0 ", out);
        fputc('\n', out);
    }
    fclose(out);
    return reader_load_large("large.bvh", NULL, text, count, ((size_t)32 << 20) + 3 * count,
                             frames);
}

TEST(deep_nesting_is_refused_at_once)
{
    crowd deep = { .count = 100000, .nested = true };
    assert_int_equal(load_crowd(deep, 1, 0, NULL), MAREY_ERR_LIMIT);
    deep.count = 1000000;
    assert_int_equal(load_crowd(deep, 1, 0, NULL), MAREY_ERR_LIMIT);
}

TEST(the_joint_limit_is_16384)
{
    for (int i = 0; i < 4; i++) {
        int frames = 0;
        crowd many = { .count = 16384, .nested = i & 1, .same_name = i & 2 };
        test_ok(load_crowd(many, 1, 1, &frames));
        assert_int_equal(frames, 1);
        many.count++;
        assert_int_equal(load_crowd(many, 1, 1, NULL), MAREY_ERR_LIMIT);
    }
}

TEST(memory_follows_the_file_and_not_its_promises)
{
    crowd many = { .count = 16384, .six_channels = true };
    int frames = 0;
    assert_int_equal(load_crowd(many, 100000000, 0, NULL), MAREY_ERR_INPUT);
    test_ok(load_crowd(many, 100000000, 1, &frames));
    assert_int_equal(frames, 1);
    crowd one = { .count = 1 };
    test_ok(load_crowd(one, 100000000, 3, &frames));
    assert_int_equal(frames, 3);
}

/* 300 frames of one number each, of 16,000 joints, would take 77 MB. */
TEST(joints_that_never_move_take_no_memory_without_bound)
{
    FREED char *text = NULL;
    size_t count;
    FILE *out = open_memstream(&text, &count);
    fputs("HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 1 Xrotation\n", out);
    for (int i = 0; i < 16000; i++) fprintf(out, "JOINT b%d\n{\nOFFSET 0 1 0\n}\n", i);
    fputs("}\nMOTION\nFrames: 300\nFrame Time: .05\n", out);
    for (int f = 0; f < 300; f++) fputs("1\n", out);
    fclose(out);
    assert_int_equal(reader_load_large("large.bvh", NULL, text, count, (size_t)64 << 20, NULL),
                     MAREY_ERR_LIMIT);
}

TEST_GROUP_OF_CASES(test_hostile, NULL, NULL)
