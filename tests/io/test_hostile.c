/* test_hostile.c - every file of tests/data/hostile has the outcome of its row here, and what is too
   large to keep is made on the spot. The files and their reasons: tests/data/hostile/README.md. */
#include "support.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef enum outcome {
    ACCEPTED,  /* and plain.bvh has the same number of warnings */
    WARNING,   /* accepted, and `text` is in one of the warnings */
    REFUSED,   /* INPUT at line and column, and `text` is in the message */
    PAST_LIMIT /* the same, but LIMIT */
} outcome;

typedef struct row {
    const char *file;
    outcome outcome;
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

static void row_path(const char *file, char *path, size_t room)
{
    snprintf(path, room, "%s/hostile/%s.bvh", MAREY_TEST_DATA, file);
}

/* ---- one row ---------------------------------------------------------------------------------- */

/* What a load left behind. A load that fails must leave *out alone. */
typedef struct outcome_seen {
    marey_status status;
    marey_error error;
    int frames, warnings;
    bool warned, wrote;
} outcome_seen;

static outcome_seen look_at(const marey_clip *clip, const char *text)
{
    const marey_report *report = marey_clip_report(clip);
    outcome_seen seen = { .frames = marey_clip_frames(clip), .warnings = report->warning_count };
    for (int i = 0; i < report->warning_count; i++) {
        seen.warned |= text && strstr(report->warnings[i], text);
    }
    return seen;
}

static outcome_seen load_row(const char *file, const char *text, double source_fps)
{
    test_memory memory = { .refuse = -1 };
    marey_clip *clip = NULL, *untouched = (marey_clip *)&memory;
    char path[4096];
    row_path(file, path, sizeof path);
    marey_ctx *ctx = test_ctx_refusing(&memory);
    clip = untouched;
    marey_status status = marey_clip_load(ctx, path, &(marey_load_def){ .source_fps = source_fps },
                                          &clip, &test_error);
    outcome_seen seen = { 0 };
    if (status == MAREY_OK) {
        seen = look_at(clip, text);
        marey_clip_free(clip);
    } else {
        seen.wrote = clip != untouched;
    }
    seen.status = status;
    seen.error = test_error;
    marey_ctx_close(ctx);
    assert_int_equal(memory.live, 0);
    assert_int_equal(memory.held, 0);
    return seen;
}

static bool wrong(const row *r, const outcome_seen *seen, const char *what)
{
    char text[2048] = "accepted";
    if (seen->status) marey_error_text(&seen->error, text, sizeof text);
    print_error("%s.bvh: %s; it was: %s\n", r->file, what, text);
    return false;
}

static bool is_refused_as_said(const row *r, const outcome_seen *seen)
{
    const marey_error *error = &seen->error;
    if (seen->status == MAREY_OK) return wrong(r, seen, "should be refused");
    if (seen->wrote) return wrong(r, seen, "wrote the result of a failure");
    if (seen->status != (r->outcome == PAST_LIMIT ? MAREY_ERR_LIMIT : MAREY_ERR_INPUT)) {
        return wrong(r, seen, "another status");
    }
    if (error->status != seen->status) return wrong(r, seen, "error and status differ");
    if (!error->message[0]) return wrong(r, seen, "no message");
    if (!strstr(error->message, r->text)) return wrong(r, seen, "another message");
    if (r->line && error->line != r->line) return wrong(r, seen, "another line");
    if (r->column && error->column != r->column) return wrong(r, seen, "another column");
    return true;
}

static bool is_as_said(const row *r, int usual_warnings)
{
    outcome_seen seen = load_row(r->file, r->text, 0);
    if (r->outcome == REFUSED || r->outcome == PAST_LIMIT) return is_refused_as_said(r, &seen);
    if (seen.status) return wrong(r, &seen, "should be accepted");
    if (seen.frames != (r->frames ? r->frames : 2)) return wrong(r, &seen, "other frames");
    if (r->outcome == WARNING && !seen.warned) return wrong(r, &seen, "no such warning");
    if (r->outcome == ACCEPTED && seen.warnings != usual_warnings) {
        return wrong(r, &seen, "another number of warnings");
    }
    return true;
}

TEST(every_file_has_the_outcome_of_its_row)
{
    int usual = load_row("plain", NULL, 0).warnings, wrong_rows = 0;
    for (int i = 0; i < ROWS; i++) wrong_rows += !is_as_said(&rows[i], usual);
    assert_int_equal(wrong_rows, 0);
}

static bool has_row(const char *name)
{
    for (int i = 0; i < ROWS; i++) {
        size_t count = strlen(rows[i].file);
        if (strncmp(name, rows[i].file, count) == 0 && strcmp(name + count, ".bvh") == 0) {
            return true;
        }
    }
    return false;
}

/* A row without a file fails above; here no file and no line of the table of words may be missing. */
TEST(every_file_has_a_row_and_a_line_in_the_readme)
{
    char *readme = test_file_read(MAREY_TEST_DATA "/hostile/README.md", NULL);
    struct dirent **names;
    int count = scandir(MAREY_TEST_DATA "/hostile", &names, NULL, alphasort), files = 0;
    assert_true(count > 0);
    for (int i = 0; i < count; i++) {
        char cell[512];
        snprintf(cell, sizeof cell, "| `%s` |", names[i]->d_name);
        if (strstr(names[i]->d_name, ".bvh")) {
            files++;
            if (!has_row(names[i]->d_name)) fail_msg("%s has no row", names[i]->d_name);
            if (!strstr(readme, cell)) fail_msg("%s is not in the README", names[i]->d_name);
        }
        free(names[i]);
    }
    free(names);
    free(readme);
    assert_int_equal(files, ROWS);
}

TEST(a_given_rate_makes_a_bad_frame_time_harmless)
{
    test_ok(load_row("frame_time_zero", NULL, 30).status);
    test_ok(load_row("frame_time_negative", NULL, 30).status);
    test_ok(load_row("frame_time_tiny", NULL, 30).status);
    test_ok(load_row("frame_time_long", NULL, 30).status);
}

/* Only a name that ends in .bvh says which reader should complain. */
TEST_CTX(unknown_content_under_another_name_is_no_known_format)
{
    static const char *const contents[] = { "", "  \n", "%PDF-1.4\n", "<html>",
                                            "\x89PNG\r\n\x1a\n" };
    for (size_t i = 0; i < sizeof contents / sizeof *contents; i++) {
        marey_clip *clip = NULL;
        marey_error error = { 0 };
        assert_int_equal(marey_clip_load_bytes(ctx, "notes.xyz", contents[i], strlen(contents[i]),
                                               NULL, &clip, &error),
                         MAREY_ERR_UNKNOWN_FORMAT);
        assert_null(clip);
        assert_memory_equal(error.message, "no known format", 15);
    }
}

/* ---- too large to keep ------------------------------------------------------------------------ */

/* Sanitizers make everything slower; the promise is about the program people use. */
enum { PATIENCE = TEST_SANITIZED ? 10 : 1 };

static marey_status load_large(const char *text, size_t count, int *frames)
{
    OWNED(marey_ctx) *ctx = test_ctx();
    OWNED(marey_clip) *clip = NULL;
    marey_error error = { 0 };
    clock_t start = clock();
    marey_status status = marey_clip_load_bytes(ctx, "large.bvh", text, count, NULL, &clip, &error);
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    if (seconds > 1.0 * PATIENCE) fail_msg("took %.2f s", seconds);
    size_t peak = marey_ctx_bytes_peak(ctx), most = ((size_t)32 << 20) + 3 * count;
    if (peak > most) fail_msg("held %zu bytes for a file of %zu", peak, count);
    if (frames) *frames = clip ? marey_clip_frames(clip) : 0;
    if (status != MAREY_OK) assert_null(clip);
    if (status != MAREY_OK) assert_true(error.message[0] != 0);
    return status;
}

/* `count` joints, each inside the one before it or all beside each other under the root. */
typedef struct crowd {
    int count;
    bool nested, same_name, six_channels;
} crowd;

static void write_crowd(FILE *out, crowd c)
{
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
}

static marey_status load_crowd(crowd c, int said, int given, int *frames)
{
    FREED char *text = NULL;
    size_t count;
    FILE *out = open_memstream(&text, &count);
    write_crowd(out, c);
    fprintf(out, "MOTION\nFrames: %d\nFrame Time: 0.0333333\n", said);
    for (int f = 0; f < given; f++) {
        for (int i = 0; i < c.count * (c.six_channels ? 6 : 1); i++) fputs("0 ", out);
        fputc('\n', out);
    }
    fclose(out);
    return load_large(text, count, frames);
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

TEST_GROUP_OF_CASES(test_hostile, NULL, NULL)
