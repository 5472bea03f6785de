/* test_cli.c - what the program answers, from text files in tests/cli.

   A block is a command line and what it must do:

       $ marey info walk.bvh       run this, in a folder of small files (see make_files)
       ? 1                         exit status; 0 if not said
       > walk  (walk.bvh, bvh)     a line of standard output; '*' stands for any text
       > ...                       any number of lines
       ! marey: *                  a line of standard error, likewise
       @ file out.bvh              the file is there; "@ none out.bvh": it is not
       @ same a.bvh b.bvh          the two files hold the same bytes

   '#' starts a comment. Standard output under --json must be one JSON object. No command may leave
   a ".part" file. */
#include "program_lines.h"

#include "json.h"
#include "options.h"

#include <dirent.h>
#include <math.h>
#include <sys/stat.h>

/* ---- the folder to run in -------------------------------------------------------------------- */

static void write_changed(const char *path, int frames, const char *from, const char *to)
{
    char *bvh = test_person(frames), *at = strstr(bvh, from), *end = at + strlen(from);
    assert_non_null(at);
    FILE *file = fopen(path, "wb");
    fprintf(file, "%.*s%s%s", (int)(at - bvh), bvh, to, end);
    fclose(file);
    free(bvh);
}

/* Tracking is lost in two frames, or twice: all numbers are 0. */
static void write_lost(const char *path, int frames, int lost, int again)
{
    FREED char *bvh = test_person(frames);
    for (int time = 0; time < (again ? 2 : 1); time++) {
        char *at = strstr(bvh, "Frame Time");
        for (int i = 0; i <= (time ? again : lost); i++) at = strchr(at, '\n') + 1;
        for (int lines = 0; lines < 2; at++) {
            if (*at == '\n') lines++;
            if (!strchr(" \n", *at)) *at = '0';
        }
    }
    test_file_write(path, bvh, strlen(bvh));
}

/* A skeleton of two bones, and motion for it beside it and in the folder below. */
static void make_acclaim_files(void)
{
    static const char skeleton[] =
        ":version 1.10\n:name odd\n:units\n mass 1\n length 0.45\n angle deg\n"
        ":root\n order TX TY TZ RX RY RZ\n axis XYZ\n position 0 0 0\n orientation 0 0 0\n"
        ":bonedata\n begin\n id 1\n name hip\n direction 0 -1 0\n length 4\n axis 0 0 20 XYZ\n"
        " dof rx rz\n limits (-160 20)\n (-70 70)\n end\n"
        " begin\n id 2\n name foot\n direction 0 0 1\n length 2\n axis 0 0 0 XYZ\n end\n"
        ":hierarchy\n begin\n root hip\n hip foot\n end\n";
    static const char motion[] = ":FULLY-SPECIFIED\n:DEGREES\n1\nroot 1 2 3 10 20 30\nhip 15 -15\n"
                                 "2\nroot 1 2 4 10 20 30\nhip 16 -14\n";
    static const char other[] = ":FULLY-SPECIFIED\n:DEGREES\n1\nroot 5 2 3 10 20 30\nhip 5 -5\n";
    mkdir("zoo", 0777);
    mkdir("zoo/below", 0777);
    test_file_write("zoo/odd.asf", skeleton, sizeof skeleton - 1);
    test_file_write("zoo/odd_01.amc", motion, sizeof motion - 1);
    test_file_write("zoo/below/odd_02.amc", other, sizeof other - 1);
}

/* Which legs belong together: of the person and of one whose root is called otherwise, and of a rig
   whose legs marey does not know. */
static void make_maps(void)
{
    static const char *const bodies[][2] = { { "legs", "Hi\\u001b[31mps" }, { "rig", "Hips" } };
    static const char *const joints[][2] = { { "hip", "UpLeg" },
                                             { "knee", "Leg" },
                                             { "ankle", "Foot" } };
    FREED char *bvh = test_person(60);
    FILE *rig = fopen(".flawed/rig.bvh", "w");
    for (const char *at = bvh; *at; at++) {
        bool left = strncmp(at, "JOINT Left", 10) == 0;
        if (!left && strncmp(at, "JOINT Right", 11) != 0) {
            fputc(*at, rig);
            continue;
        }
        fputs(left ? "JOINT l" : "JOINT r", rig);
        at += left ? 9 : 10;
    }
    fclose(rig);
    for (int i = 0; i < 2; i++) {
        char path[64];
        snprintf(path, sizeof path, ".flawed/%s.json", bodies[i][0]);
        FILE *file = fopen(path, "w");
        fprintf(file, "{\"pairs\": [{\"role\": \"hips\", \"from\": \"Hips\", \"to\": \"%s\"}",
                bodies[i][1]);
        fprintf(file, ",\n{\"role\": \"spine\", \"from\": \"Spine\", \"to\": \"Spine\"}");
        for (int k = 0; k < 6; k++) {
            const char *side = k < 3 ? "Left" : "Right", *to = k < 3 ? "l" : "r";
            fprintf(file, ",\n{\"role\": \"%s_%s\", \"from\": \"%s%s\", \"to\": \"%s%s\"}",
                    k < 3 ? "left" : "right", joints[k % 3][0], side, joints[k % 3][1],
                    i == 0 ? side : to, joints[k % 3][1]);
        }
        fputs("]}", file);
        fclose(file);
    }
}

static void make_files(void)
{
    static const char box[] =
        "HIERARCHY\nROOT box\n{\nOFFSET 0 0 0\nCHANNELS 6 Xposition Yposition "
        "Zposition Zrotation Yrotation Xrotation\nEnd Site\n{\nOFFSET 0 50 0\n"
        "}\n}\nMOTION\nFrames: 2\nFrame Time: 0.04\n0 1 0 0 0 0\n1 2 3 0 0 0\n";
    /* Also an index of descriptions, with some prose. */
    static const char notes[] = "nothing that moves\n\n07_01\tthrow a ball\n";
    write_person("walk.bvh", 120);
    write_person("short.bvh", 30);
    mkdir(".flawed", 0777); /* folders do not show it */
    write_lost(".flawed/lost.bvh", 90, 40, 0);
    test_file_copy(MAREY_TEST_DATA "/finds/amass/turn.npz", ".flawed/turn.npz");
    test_file_write(".flawed/bones.csv", "left_knee,0,-40,0\n", 18);
    write_lost(".flawed/twice.bvh", 90, 40, 70);
    make_maps();
    static const char map[] = "{\"pairs\": [{\"from\": \"Hips\", \"to\": \"Tail\"}]}";
    test_file_write(".flawed/map.json", map, sizeof map - 1);
    write_person("odd#name.bvh", 30);
    write_person("two words.bvh", 30);
    write_changed("broken.bvh", 30, "Frames: 30", "Frames: many");
    write_changed("escape.bvh", 30, "ROOT Hips", "ROOT Hi\033[31mps");
    test_file_write("box.bvh", box, sizeof box - 1);
    test_file_write("notes.txt", notes, sizeof notes - 1);
    mkdir("takes", 0777);
    mkdir("takes/deeper", 0777);
    mkdir("empty", 0777);
    write_person("takes/b.bvh", 20);
    write_person("takes/a.bvh", 10);
    write_person("takes/deeper/c.bvh", 30);
    write_person("takes/.hidden.bvh", 30);
    test_file_write("takes/readme.txt", notes, sizeof notes - 1);
    make_acclaim_files();
    if (symlink("..", "takes/deeper/up") != 0) fail_msg("cannot make a link");
}

static int enter(void **state)
{
    static test_place place;
    place_enter(&place);
    make_files();
    *state = &place;
    return 0;
}

/* ---- comparing lines ------------------------------------------------------------------------- */

static bool matches(const char *pattern, const char *text)
{
    for (; *pattern; pattern++, text++) {
        if (*pattern == '*') {
            do {
                if (matches(pattern + 1, text)) return true;
            } while (*text++);
            return false;
        }
        if (*pattern != *text) return false;
    }
    return *text == 0;
}

/* Lines of a text, each with its ending zero; split_lines cuts the text. */
enum { MOST_LINES = 512 };
typedef struct lines {
    char *line[MOST_LINES];
    int count;
} lines;

static void split_lines(char *text, lines *out)
{
    out->count = 0;
    while (*text && out->count < MOST_LINES) {
        out->line[out->count++] = text;
        text += strcspn(text, "\n");
        if (*text) *text++ = 0;
    }
}

static bool lines_match(const lines *expected, int i, const lines *got, int j)
{
    for (; i < expected->count; i++, j++) {
        if (strcmp(expected->line[i], "...") == 0) {
            for (; j <= got->count; j++) {
                if (lines_match(expected, i + 1, got, j)) return true;
            }
            return false;
        }
        if (j >= got->count || !matches(expected->line[i], got->line[j])) return false;
    }
    return j == got->count;
}

/* ---- blocks ---------------------------------------------------------------------------------- */

typedef struct block {
    const char *file;
    int number; /* line of the command */
    char *command;
    int status;
    lines out, err, checks;
} block;

static void print_lines(const char *title, const lines *all)
{
    print_error("%s\n", title);
    for (int i = 0; i < all->count; i++) print_error("  %s\n", all->line[i]);
}

static void compare(const block *of, const char *stream, const lines *expected, char *text)
{
    lines got;
    split_lines(text, &got);
    if (lines_match(expected, 0, &got, 0)) return;
    print_lines("expected:", expected);
    print_lines("got:", &got);
    fail_msg("%s:%d: %s: %s differs", of->file, of->number, of->command, stream);
}

static bool have_same_bytes(const char *a, const char *b)
{
    size_t a_count, b_count;
    char *a_bytes = test_file_read(a, &a_count), *b_bytes = test_file_read(b, &b_count);
    bool same = a_count == b_count && memcmp(a_bytes, b_bytes, a_count) == 0;
    free(a_bytes);
    free(b_bytes);
    return same;
}

static void check_files(const block *of)
{
    for (int i = 0; i < of->checks.count; i++) {
        char *words[8], copy[256];
        snprintf(copy, sizeof copy, "%s", of->checks.line[i]);
        int count = split_words(copy, words, 8);
        bool holds = false;
        if (count == 2 && strcmp(words[0], "file") == 0) holds = access(words[1], F_OK) == 0;
        if (count == 2 && strcmp(words[0], "none") == 0) holds = access(words[1], F_OK) != 0;
        if (count == 3 && strcmp(words[0], "same") == 0)
            holds = have_same_bytes(words[1], words[2]);
        if (!holds) fail_msg("%s:%d: @ %s", of->file, of->number, of->checks.line[i]);
    }
}

static void check_no_part_files(const block *of)
{
    struct dirent *entry;
    DIR *here = opendir(".");
    while ((entry = readdir(here))) {
        if (strstr(entry->d_name, ".part")) fail_msg("%s:%d: a part is left", of->file, of->number);
    }
    closedir(here);
}

static void run_block(const block *of)
{
    test_run run = test_run_make();
    test_run_line(&run, of->command);
    if (run.status != of->status) {
        fail_msg("%s:%d: %s: status %d, expected %d: %s", of->file, of->number, of->command,
                 run.status, of->status, run.err.bytes);
    }
    if (strstr(of->command, "--json") && !is_one_json_object(run.out.bytes)) {
        fail_msg("%s:%d: no JSON object: %s", of->file, of->number, run.out.bytes);
    }
    compare(of, "standard output", &of->out, run.out.bytes);
    compare(of, "standard error", &of->err, run.err.bytes);
    check_files(of);
    check_no_part_files(of);
    test_run_free(&run);
}

static void add_line(lines *to, char *line)
{
    assert_true(to->count < MOST_LINES);
    to->line[to->count++] = line[1] ? line + 2 : line + 1;
}

static int run_file(const char *path, const char *name)
{
    static lines all;
    static block now;
    int blocks = 0;
    char *text = test_file_read(path, NULL);
    /* Empty lines would be lost by strtok; split_lines keeps them. */
    split_lines(text, &all);
    assert_true(all.count < MOST_LINES);
    for (int i = 0; i <= all.count; i++) {
        char *line = i < all.count ? all.line[i] : NULL;
        if ((!line || line[0] == '$') && now.command) run_block(&now);
        if (!line || line[0] == '$') {
            now = (block){ .file = name, .number = i + 1, .command = line ? line + 2 : NULL };
            blocks += line != NULL;
            continue;
        }
        if (line[0] == '?') now.status = atoi(line + 1);
        if (line[0] == '>') add_line(&now.out, line);
        if (line[0] == '!') add_line(&now.err, line);
        if (line[0] == '@') add_line(&now.checks, line);
        if (line[0] && !strchr("?>!@#", line[0])) fail_msg("%s:%d: what is this?", name, i + 1);
    }
    free(text);
    return blocks;
}

/* So that what one text file leaves behind is not seen by the next. */
static void enter_fresh_folder(const test_place *place, const char *name)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", place->folder, name);
    if (mkdir(path, 0777) != 0 || chdir(path) != 0) fail_msg("cannot enter %s", path);
    make_files();
}

#define CASE(name) TEST_IN(enter, test_leave_place, name)

CASE(every_command_line_of_the_text_files_answers_as_written)
{
    struct dirent **names;
    int count = scandir(MAREY_SOURCE_DIR "/tests/cli", &names, NULL, alphasort), blocks = 0;
    const test_place *place = *state;
    assert_true(count > 2);
    for (int i = 0; i < count; i++) {
        char path[1024];
        snprintf(path, sizeof path, MAREY_SOURCE_DIR "/tests/cli/%s", names[i]->d_name);
        if (strstr(names[i]->d_name, ".txt")) {
            enter_fresh_folder(place, names[i]->d_name);
            blocks += run_file(path, names[i]->d_name);
        }
        free(names[i]);
    }
    free(names);
    assert_true(blocks > 20);
}

/* ---- numbers --------------------------------------------------------------------------------- */

CASE(positions_are_a_numpy_file_of_the_librarys_numbers)
{
    marey_ctx *ctx = test_ctx();
    marey_clip *clip = test_clip_load(ctx, "walk.bvh");
    static float expected[120 * 21 * 3];
    size_t count;
    test_run_well("marey positions walk.bvh -o p.npy");
    FREED char *bytes = test_file_read("p.npy", &count);
    size_t start = 10 + (unsigned char)bytes[8] + 256u * (unsigned char)bytes[9];
    marey_clip_positions_float(clip, 0, 120, expected);
    assert_memory_equal(bytes, "\x93NUMPY\x01\x00", 8);
    assert_int_equal(start % 64, 0);
    assert_non_null(strstr(bytes + 10, "'descr': '<f4', 'fortran_order': False"));
    assert_non_null(strstr(bytes + 10, "(120, 21, 3"));
    assert_int_equal(count, start + sizeof expected);
    assert_memory_equal(bytes + start, expected, sizeof expected);
    marey_clip_free(clip);
    marey_ctx_close(ctx);
}

/* Largest difference in cm between positions of walk.bvh, times `factor`, and of what a command
   writes to out.bvh. */
static double difference(const char *command, double factor, int joint_from, int joint_to)
{
    static double a[120 * 21 * 3], b[120 * 21 * 3];
    marey_ctx *ctx = test_ctx();
    test_run_well(command);
    marey_clip *before = test_clip_load(ctx, "walk.bvh"), *after = test_clip_load(ctx, "out.bvh");
    assert_int_equal(marey_clip_frames(after), 120);
    marey_clip_positions(before, 0, 120, a);
    marey_clip_positions(after, 0, 120, b);
    double worst = 0;
    for (int f = 0; f < 120; f++) {
        for (int i = 0; i < 3; i++) {
            double x = a[(f * 21 + joint_from) * 3 + i], y = b[(f * 21 + joint_to) * 3 + i];
            worst = fmax(worst, fabs(x * factor - y));
        }
    }
    marey_clip_free(before);
    marey_clip_free(after);
    marey_ctx_close(ctx);
    return worst;
}

CASE(convert_keeps_scales_mirrors_and_restates_the_motion)
{
    enum { HIPS = 0, LEFT_HAND = 16 };
    assert_true(difference("marey convert walk.bvh out.bvh", 1, LEFT_HAND, LEFT_HAND) == 0);
    assert_true(difference("marey convert walk.bvh out.bvh --scale 1.25", 1.25, LEFT_HAND,
                           LEFT_HAND) < 0.01);
    assert_true(difference("marey convert walk.bvh out.bvh --mirror", 1, LEFT_HAND, LEFT_HAND) > 5);
    test_run_well("marey convert walk.bvh mirrored.bvh --mirror");
    assert_true(difference("marey convert mirrored.bvh out.bvh --mirror", 1, LEFT_HAND, LEFT_HAND) <
                0.01);
    assert_true(difference("marey convert walk.bvh out.bvh --out-units m --out-up z", 1, LEFT_HAND,
                           LEFT_HAND) < 0.01);
    assert_true(difference("marey convert walk.bvh out.bvh --in-place", 1, HIPS, HIPS) > 100);
}

/* ---- threads --------------------------------------------------------------------------------- */

static char *answer_with(const char *command, int threads)
{
    char line[256];
    test_run run = test_run_make();
    snprintf(line, sizeof line, "%s --threads %d", command, threads);
    test_run_line(&run, line);
    free(run.err.bytes);
    return run.out.bytes;
}

CASE(any_number_of_threads_gives_the_same_bytes)
{
    static const char *const commands_[] = { "marey info . --json", "marey info .",
                                             "marey info . --long",
                                             "marey info takes nowhere broken.bvh --json" };
    for (size_t i = 0; i < sizeof commands_ / sizeof *commands_; i++) {
        char *alone = answer_with(commands_[i], 1);
        for (int threads = 2; threads < 6; threads++) {
            char *together = answer_with(commands_[i], threads);
            assert_string_equal(alone, together);
            free(together);
        }
        free(alone);
    }
    write_person("long.bvh", 3000);
    test_run_well("marey positions long.bvh -o one.npy --threads 1");
    test_run_well("marey positions long.bvh -o four.npy --threads 4");
    test_same_file("one.npy", "four.npy");
}

/* ---- parts ----------------------------------------------------------------------------------- */

static void json_text(const char *value, const char *expected)
{
    char room[256] = "";
    buffer out = buffer_fixed(room, sizeof room - 1);
    json to = json_make(&out);
    json_put_string(&to, NULL, value);
    assert_string_equal(room, expected);
}

TEST(json_strings_are_escaped_and_always_utf_8)
{
    json_text("plain", "\"plain\"");
    json_text("a\"b\\c\n\t\x01\x7f", "\"a\\\"b\\\\c\\n\\t\\u0001\\u007f\"");
    json_text("\xc3\x89tienne \xf0\x9f\x9a\xb6", "\"\xc3\x89tienne \xf0\x9f\x9a\xb6\"");
    json_text("\xff", "\"\xef\xbf\xbd\"");
    json_text("\xc0\xaf", "\"\xef\xbf\xbd\xef\xbf\xbd\"");                 /* overlong */
    json_text("\xed\xa0\x80", "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\""); /* surrogate */
    json_text("\xe2\x82", "\"\xef\xbf\xbd\xef\xbf\xbd\"");                 /* cut short */
    json_text("\xf5\x80\x80\x80", "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"");
}

static void json_digits(double value, const char *expected)
{
    char room[64] = "";
    buffer out = buffer_fixed(room, sizeof room - 1);
    json to = json_make(&out);
    json_put_number(&to, NULL, value);
    assert_string_equal(room, expected);
    if (isfinite(value)) assert_true(strtod(room, NULL) == value);
}

TEST(json_numbers_are_short_and_read_back_the_same)
{
    json_digits(60, "60");
    json_digits(0, "0");
    json_digits(0.1, "0.1");
    json_digits(1.0 / 3, "0.3333333333333333");
    json_digits(-123456789.25, "-123456789.25");
    json_digits(1e300, "1e+300");
    json_digits(1e-7, "1e-07");
    json_digits((double)INFINITY, "null");
    json_digits((double)NAN, "null");
}

/* The judge tries one digit more after the other. */
TEST(json_numbers_are_the_shortest_that_read_back_the_same)
{
    uint64_t random = 7;
    for (int i = 0; i < 200000; i++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        double value = (double)(int64_t)random;
        if (i % 4 == 1) value = (double)(int)(random >> 40) / 1000;
        if (i % 4 == 2) value = ldexp((double)(random >> 11), (int)(random % 2098) - 1126);
        if (i % 4 == 3) value = (double)(random >> 33) / (double)(1 + (random & 1023));
        char judged[40];
        bool is_plain = fabs(value) >= 1e-4 && fabs(value) < 1e15;
        for (int precision = 1; precision <= 17; precision++) {
            snprintf(judged, sizeof judged, "%.*g", precision, value);
            if (strtod(judged, NULL) == value && !(is_plain && strchr(judged, 'e'))) break;
        }
        if (isfinite(value)) json_digits(value, judged);
    }
    json_digits(5e-324, "5e-324");
    json_digits(-0.0, "-0");
    json_digits(999999999999999.0, "999999999999999");
    json_digits(1e15, "1e+15");
}

TEST(edit_distance_counts_changed_letters)
{
    assert_int_equal(edit_distance("info", "info"), 0);
    assert_int_equal(edit_distance("inof", "info"), 2);
    assert_int_equal(edit_distance("", "info"), 4);
    assert_int_equal(edit_distance("kitten", "sitting"), 3);
    assert_true(is_near("convrt", "convert"));
    assert_false(is_near("walk", "info"));
}

TEST_GROUP_OF_CASES(test_cli, NULL, NULL)
