/* test_puppet_program.c - the commands of puppets as a program: what is trained on a path plays it
   again, what comes out has a row for each row at the same times, options do what they say, odd
   tables are told with their lines, libraries keep puppets, bodies go where puppets go, the same
   bytes for any number of threads. */
#include "puppet_tables.h"

#include <math.h>

static test_place place;

/* x.csv: 20 s at 30 Hz; y.csv: another stretch of the eight; main.csv: the main character of x
   alone. */
static int enter_tables(void **state)
{
    place_enter(&place);
    test_table_write("x.csv", &(table_form){ .seconds = 20, .rate = 30 });
    test_table_write("y.csv", &(table_form){ .seconds = 8, .rate = 30, .start = 6 });
    test_table_write("main.csv", &(table_form){ .seconds = 10, .rate = 30, .main_only = true });
    *state = &place;
    return 0;
}

static void write_text(const char *path, const char *text)
{
    test_file_write(path, text, strlen(text));
}

/* What is said on standard error. */
static void says(const char *line, const char *message)
{
    test_run run = test_run_make();
    if (test_run_line(&run, line) != 0) fail_msg("%s: %s", line, run.err.bytes);
    if (!strstr(run.err.bytes, message)) fail_msg("%s: %s, not %s", line, run.err.bytes, message);
    test_run_free(&run);
}

static void starts_with(const char *path, const char *bytes, size_t count)
{
    size_t size;
    FREED char *file = test_file_read(path, &size);
    assert_true(size > count);
    assert_memory_equal(file, bytes, count);
}

/* How far the reacting ones of two tables are apart, at most. */
static double apart(const char *a, const char *b, int rows_at_most)
{
    int a_rows, b_rows;
    double *first = test_table_read(a, 7, &a_rows), *second = test_table_read(b, 7, &b_rows);
    double most = 0;
    for (int i = 0; i < a_rows && i < b_rows && i < rows_at_most; i++) {
        const double *p = first + 7 * i, *q = second + 7 * i;
        most = fmax(most, hypot(p[4] - q[4], p[5] - q[5]));
    }
    free(first);
    free(second);
    return most;
}

/* ---- training -------------------------------------------------------------------------------- */

#define TABLES(name) TEST_IN(enter_tables, test_leave_place, name)

TABLES(training_says_what_was_learned)
{
    char *text = test_reply("marey puppet train x.csv -o p.puppet --json");
    assert_non_null(strstr(text, "\"path\":\"p.puppet\""));
    assert_true(test_number(text, "samples") == 20 * 60 + 1);
    assert_true(test_number(text, "runs") == 1);
    assert_true(fabs(test_number(text, "seconds") - 20) < 1e-9);
    assert_true(test_number(text, "rate") == 60 && test_number(text, "window_s") == 0.5);
    /* The table's own rule, but for what lies between its rows. */
    assert_true(fabs(test_number(text, "distance_cm") - TABLE_BEHIND_CM) < 0.1);
    assert_true(test_number(text, "distance_spread_cm") < 0.1);
    assert_true(test_number(text, "behind") == 1 && test_number(text, "faces_main") == 1);
    assert_true(test_number(text, "moving") > 0.9);
    assert_non_null(strstr(text, "\"demonstrations\":[{\"path\":\"x.csv\",\"rows\":601,"));
    assert_non_null(strstr(text, "\"notes\":[]"));
    text = test_reply("marey puppet train x.csv -o p.puppet --rate 30 --window 1");
    assert_memory_equal(text, "wrote p.puppet: 1 run of 20.0 s in all, 601 samples at 30 a second",
                        66);
    assert_non_null(strstr(text, "window    1 s are compared"));
    text = test_reply("marey puppet train x.csv -o p.puppet --quiet");
    assert_string_equal(text, "");
}

TABLES(several_demonstrations_are_one_behaviour)
{
    write_person("a.bvh", 140);
    write_person("b.bvh", 200);
    test_run run = test_run_make();
    test_run_line(&run, "marey puppet train x.csv y.csv --clips a.bvh b.bvh --clips b.bvh#20-100 "
                        "a.bvh -o p.puppet --json");
    const char *text = run.out.bytes;
    assert_int_equal(run.status, 0);
    assert_true(test_number(text, "runs") == 4);
    assert_non_null(strstr(text, "{\"path\":\"y.csv\",\"rows\":241,"));
    assert_non_null(strstr(text, "{\"main\":\"a.bvh\",\"react\":\"b.bvh\",\"rows\":140,"));
    assert_non_null(strstr(text, "{\"main\":\"b.bvh#20-100\",\"react\":\"a.bvh\",\"rows\":80,"));
    assert_non_null(
        strstr(run.err.bytes, "b.bvh: the last 1 s are left out; by then a.bvh is at its end"));
    test_run_free(&run);
    char *shown = test_reply("marey puppet show p.puppet --json");
    assert_int_equal(test_parts_count(strstr(shown, "\"run_list\":["), "{\"samples\":"), 4);
}

/* Somebody whose tracking is lost is nowhere: not at the origin. */
TABLES(frames_that_are_no_captured_motion_are_nobodys_path)
{
    write_person("a.bvh", 140);
    test_write_dropouts("b.bvh", 140, 40, 60);
    says("marey puppet train --clips a.bvh b.bvh -o p.puppet --json",
         "a.bvh, b.bvh: 20 moments left out: a frame there is no captured motion");
    test_write_dropouts("b.bvh", 140, 40, 80);
    char *text = test_reply("marey puppet train --clips b.bvh a.bvh -o p.puppet --quiet --json");
    assert_true(test_number(text, "runs") == 2);
    assert_true(test_number(text, "distance_most_cm") < 1); /* both do the same */
}

/* Whoever acted only the main character left the other columns empty. */
TABLES(who_else_is_in_the_main_characters_table_does_not_matter)
{
    static const char main[] = "time,main_x,main_y,main_dir\n0,0,0,0\n1,90,0,0\n2,90,90,1\n";
    static const char both[] = "time,main_x,main_y,main_dir,react_x,react_y,react_dir\n"
                               "0,0,0,0,,,\n1,90,0,0,?,,\n2,90,90,1,,,\n";
    test_file_write("m1.csv", main, sizeof main - 1);
    test_file_write("m2.csv", both, sizeof both - 1);
    test_run_well("marey puppet train x.csv -o p.puppet --quiet");
    test_run_well("marey puppet run p.puppet m1.csv -o o1.csv --quiet");
    test_run_well("marey puppet run p.puppet m2.csv -o o2.csv --quiet");
    test_same_file("o1.csv", "o2.csv");
}

TABLES(a_table_of_a_spreadsheet_does_as_well)
{
    test_table_write("s.csv", &(table_form){ .seconds = 20, .rate = 30, .spreadsheet = true });
    test_run_well("marey puppet train s.csv -o s.puppet --quiet");
    test_run_well("marey puppet train x.csv -o x.puppet --quiet");
    test_same_file("s.puppet", "x.puppet");
}

/* ---- what is odd about tables ---------------------------------------------------------------- */

TABLES(gaps_are_told_with_file_and_line)
{
    test_table_write("gap.csv",
                     &(table_form){ .seconds = 20, .rate = 30, .gap_from = 6, .gap_to = 8 });
    says("marey puppet train x.csv gap.csv -o p.puppet",
         "gap.csv:183: this row comes behind a gap of 2 s; the demonstration is cut there");
    char *text = test_reply("marey puppet train x.csv gap.csv -o p.puppet --json");
    assert_true(test_number(text, "runs") == 3);
    assert_non_null(strstr(text, "\"notes\":[\"gap.csv:183: "));
    text = test_reply("marey puppet train x.csv gap.csv -o p.puppet --gap 3 --json");
    assert_true(test_number(text, "runs") == 2 && test_number(text, "gap_s") == 3);
    assert_non_null(strstr(text, "\"notes\":[]"));
    says("marey puppet run p.puppet gap.csv -o out.csv",
         "gap.csv:183: this row comes behind a gap of 2 s; the main character goes straight");
    test_run quiet = test_run_make();
    test_run_line(&quiet, "marey puppet train gap.csv -o p.puppet --quiet");
    assert_string_equal(quiet.err.bytes, "");
    test_run_free(&quiet);
}

TABLES(pieces_that_are_too_short_are_told)
{
    write_text("odd.csv", "time,main_x,main_y,main_dir,react_x,react_y,react_dir\n"
                          "0,0,0,0,50,0,0\n0.4,10,0,0,50,0,0\n2,20,0,0,50,0,0\n4,0,0,0,50,0,0\n"
                          "4.4,9,0,0,50,0,0\n");
    test_run run = test_run_make();
    test_run_line(&run, "marey puppet train x.csv odd.csv -o p.puppet --json");
    assert_int_equal(run.status, 0);
    assert_non_null(strstr(run.err.bytes, "odd.csv:4: this row comes behind the first of 2 gaps of "
                                          "up to 2 s; the demonstration is cut there"));
    assert_non_null(strstr(run.err.bytes, "odd.csv: 1 of 3 pieces between gaps left out: shorter "
                                          "than a step, the first at 2 s"));
    const char *of = strstr(run.out.bytes, "{\"path\":\"odd.csv\"");
    assert_true(test_number(of, "pieces") == 2 && test_number(of, "left_out") == 1);
    test_run_free(&run);
    says("marey puppet train odd.csv -o p.puppet", "0.8 s are little to learn from");
    test_fails("marey puppet train odd.csv -o p.puppet --gap 0.1", 1,
               "odd.csv: there is nothing to learn from: every piece is shorter than a step of "
               "1/60 s; a larger --gap would keep them together");
}

TABLES(other_units_are_suspected)
{
    test_table_write("deg.csv",
                     &(table_form){ .seconds = 20, .rate = 30, .turn_scale = 180 / acos(-1) });
    says("marey puppet train deg.csv -o p.puppet",
         "deg.csv:2: a direction is beyond 7; is it in degrees? Directions are in radians");
    test_table_write("ms.csv", &(table_form){ .seconds = 20, .rate = 30, .time_scale = 1000 });
    test_fails("marey puppet train x.csv ms.csv -o p.puppet", 1,
               "ms.csv: rows are 33.33 s apart, so that nothing follows on anything; are these "
               "milliseconds, or numbers of frames?");
    test_table_write(
        "both.csv",
        &(table_form){ .seconds = 20, .rate = 30, .time_scale = 30, .turn_scale = 180 / acos(-1) });
    test_run run = test_run_make();
    test_run_line(&run, "marey puppet train both.csv -o p.puppet");
    assert_int_equal(run.status, 1);
    assert_non_null(
        strstr(run.err.bytes, "both.csv:2: a direction is beyond 7; is it in degrees?"));
    assert_non_null(strstr(run.err.bytes, "both.csv: "));
    test_run_free(&run);
    test_run_well("marey puppet train x.csv -o p.puppet --quiet");
    test_table_write("ms.csv", &(table_form){ .seconds = 0.2, .rate = 30, .time_scale = 1000 });
    says("marey puppet run p.puppet ms.csv -o out.csv",
         "ms.csv: rows are 33.33 s apart; are these");
    says("marey puppet run p.puppet main.csv -o out.csv --start 0,0,90",
         "--start 0,0,90: is its direction in degrees?");
}

/* ---- reacting -------------------------------------------------------------------------------- */

TABLES(what_was_shown_is_done_again)
{
    test_run_well("marey puppet train x.csv -o p.puppet --quiet");
    test_run_well("marey puppet run p.puppet x.csv -o out.csv --quiet");
    double extent = hypot(600, 400);
    if (!(apart("x.csv", "out.csv", 10 * 30) < 0.05 * extent))
        fail_msg("%g cm apart", apart("x.csv", "out.csv", 10 * 30));
}

TABLES(rows_and_times_are_those_of_the_main_character)
{
    int rows, main_rows;
    test_run_well("marey puppet train x.csv -o p.puppet --quiet");
    write_text("odd.csv", "note,main_dir,time,main_y,main_x\n"
                          "a,0.5,3,2,1\nb,0.6,3.05,3,2\n# a word\n\nc,0.7,3.3,9,8\nd,0.9,4,20,9\n");
    char *text = test_reply("marey puppet run p.puppet odd.csv -o out.csv --json");
    assert_true(test_number(text, "frames") == 4);
    assert_true(fabs(test_number(text, "seconds") - 1) < 1e-9);
    assert_true(test_number(text, "steps") == 60);
    starts_with("out.csv", "time,main_x,main_y,main_dir,react_x,react_y,react_dir\n", 54);
    static const double expected[] = {
        3, 1, 2, 0.5, 3.05, 2, 3, 0.6, 3.3, 8, 9, 0.7, 4, 9, 20, 0.9
    };
    double *values = test_table_read("out.csv", 7, &rows);
    assert_int_equal(rows, 4);
    for (int i = 0; i < 16; i++) assert_true(values[7 * (i / 4) + i % 4] == expected[i]);
    free(values);
    test_run_well("marey puppet run p.puppet main.csv -o out.csv --quiet");
    double *main = test_table_read("main.csv", 4, &main_rows);
    values = test_table_read("out.csv", 7, &rows);
    assert_int_equal(rows, main_rows);
    for (int i = 0; i < rows; i++) assert_memory_equal(values + 7 * i, main + 4 * i, 4 * 8);
    free(values);
    free(main);
}

TABLES(it_starts_in_the_relation_that_was_shown_or_where_asked)
{
    int rows;
    double start[3];
    test_run_well("marey puppet train x.csv -o p.puppet --quiet");
    write_text("m.csv", "time,main_x,main_y,main_dir\n0,50,20,1.5707963267948966\n1,50,20,1.57\n");
    char *text = test_reply("marey puppet run p.puppet m.csv -o out.csv --json");
    test_numbers(text, "start", 3, start);
    assert_true(fabs(start[0] - 50) < 0.01 && fabs(start[1] - (20 - TABLE_BEHIND_CM)) < 0.01);
    assert_true(fabs(start[2] - acos(-1) / 2) < 0.01);
    text = test_reply("marey puppet run p.puppet m.csv -o out.csv --start -30,40,0.25 --json");
    test_numbers(text, "start", 3, start);
    assert_true(start[0] == -30 && start[1] == 40 && start[2] == 0.25);
    double *values = test_table_read("out.csv", 7, &rows);
    assert_true(values[4] == -30 && values[5] == 40 && values[6] == 0.25);
    free(values);
}

TABLES(options_lead_elsewhere_and_threads_do_not)
{
    static const char *const options[] = { "--balance 0.9", "--weight 3", "--rough" };
    test_run_well("marey puppet train x.csv y.csv -o p.puppet --quiet");
    test_run_well("marey puppet train x.csv y.csv -o q.puppet --threads 4 --quiet");
    test_same_file("p.puppet", "q.puppet");
    test_table_write("m.csv",
                     &(table_form){ .seconds = 10, .rate = 47, .start = 3, .main_only = true });
    test_run_well("marey puppet run p.puppet m.csv -o one.csv --quiet");
    test_run_well("marey puppet run q.puppet m.csv -o four.csv --threads 4 --quiet");
    test_same_file("one.csv", "four.csv");
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        char line[200];
        snprintf(line, sizeof line, "marey puppet run p.puppet m.csv -o other.csv %s --quiet",
                 options[i]);
        test_run_well(line);
        if (!(apart("one.csv", "other.csv", 1000) > 0)) fail_msg("%s changes nothing", options[i]);
    }
    char *text = test_reply("marey puppet run p.puppet m.csv -o one.csv");
    assert_memory_equal(text, "p.puppet reacts for 10.0 s, from ", 33);
    assert_non_null(strstr(text, "wrote one.csv: 471 rows\n"));
}

/* ---- showing --------------------------------------------------------------------------------- */

TABLES(its_demonstrations_can_be_had_back)
{
    int rows;
    test_run_well("marey puppet train x.csv y.csv -o p.puppet --quiet");
    char *text = test_reply("marey puppet show p.puppet --csv again.csv");
    assert_non_null(strstr(text, "p.puppet: 2 runs of 28.0 s in all"));
    assert_non_null(strstr(text, "  runs      20.0 s, 8.0 s\n"));
    assert_non_null(strstr(text, "wrote again.csv\n"));
    test_run_well(
        "marey puppet train y.csv y.csv y.csv y.csv y.csv y.csv y.csv y.csv y.csv y.csv y.csv "
        "y.csv y.csv y.csv -o many.puppet --quiet");
    assert_non_null(strstr(test_reply("marey puppet show many.puppet"), ", 8.0 s and 2 more\n"));
    double *values = test_table_read("again.csv", 7, &rows);
    assert_int_equal(rows, 1201 + 481);
    assert_true(fabs(values[7 * 1201] - values[7 * 1200] - 1.5) < 1e-9); /* a second and the gap */
    free(values);
    test_run_well("marey puppet train again.csv -o again.puppet --quiet");
    text = test_reply("marey puppet show again.puppet --json");
    assert_true(test_number(text, "runs") == 2 && test_number(text, "samples") == 1201 + 481);
    test_run_well("marey puppet run p.puppet main.csv -o a.csv --quiet");
    test_run_well("marey puppet run again.puppet main.csv -o b.csv --quiet");
    assert_true(apart("a.csv", "b.csv", 1000) < 1);
}

TABLES(pictures_are_drawn)
{
    test_run_well("marey puppet train x.csv y.csv -o p.puppet --quiet");
    test_run_well("marey puppet show p.puppet --picture longest.png --quiet");
    test_run_well("marey puppet show p.puppet --picture first.png --run 1 --quiet");
    test_run_well("marey puppet show p.puppet --picture second.png --run 2 --quiet");
    test_same_file("longest.png", "first.png");
    starts_with("second.png", "\x89PNG", 4);
    char *text = test_reply("marey puppet run p.puppet main.csv --picture out.svg --json");
    assert_non_null(strstr(text, "\"path\":null,\"picture\":\"out.svg\""));
    starts_with("out.svg", "<?xml", 5);
}

/* ---- libraries ------------------------------------------------------------------------------- */

TABLES(a_library_keeps_puppets)
{
    test_run_well("marey puppet train x.csv -o p.puppet --quiet");
    char *text = test_reply("marey puppet train x.csv -o m.marey:one --json");
    assert_non_null(strstr(text, "{\"samples\":1201,"));
    assert_non_null(strstr(text, "\"name\":\"one\",\"library\":\"m.marey\"}"));
    test_run_well("marey puppet train -L m.marey y.csv -o two --about 'stays behind' --quiet");
    text = test_reply("marey puppet ls m.marey");
    assert_memory_equal(text, "one  (20.0 s in 1 run, ", 23);
    assert_non_null(strstr(text, ")  trained on x.csv\ntwo  (8.0 s in 1 run, "));
    assert_non_null(strstr(text, ")  stays behind\n"));
    test_run_well("marey puppet run p.puppet main.csv -o file.csv --quiet");
    test_run_well("marey puppet run -L m.marey one main.csv -o name.csv --quiet");
    test_run_well("marey puppet run m.marey:one main.csv -o place.csv --quiet");
    test_same_file("file.csv", "name.csv");
    test_same_file("file.csv", "place.csv");
    test_run_well("marey puppet rename m.marey one three --quiet");
    text = test_reply("marey puppet ls m.marey --json");
    assert_non_null(strstr(text, "{\"puppets\":[{\"name\":\"three\",\"about\":\"trained on x.csv\","
                                 "\"samples\":1201,\"runs\":1,\"seconds\":20,\"rate\":60,"));
    test_run_well("marey puppet rm m.marey three --quiet");
    text = test_reply("marey puppet show -L m.marey two");
    assert_non_null(strstr(text, "m.marey:two: 1 run of 8.0 s"));
    assert_non_null(strstr(text, "  about     stays behind\n"));
    test_run_well("marey puppet rm m.marey two --quiet");
    text = test_reply("marey puppet ls m.marey");
    assert_string_equal(text, "no saved puppet; marey puppet train makes one\n");
}

TABLES(clips_are_taken_by_name_and_remembered)
{
    int count;
    marey_kept *kept = NULL;
    marey_library *library = NULL;
    write_person("a.bvh", 140);
    write_person("b.bvh", 150);
    test_run_well("marey add m.marey a.bvh b.bvh --quiet");
    test_run_well("marey puppet train -L m.marey --clips a#20-100 b -o pair --quiet");
    marey_ctx *ctx = test_ctx();
    assert_int_equal(marey_library_open(ctx, "m.marey", MAREY_LIBRARY_READ, &library, NULL), 0);
    assert_int_equal(marey_library_kept_list(library, MAREY_KEPT_PUPPET, &kept, NULL), 0);
    const marey_kept_entry *one = marey_kept_entries(kept, &count);
    assert_int_equal(count, 1);
    assert_string_equal(one->about, "trained on a#20-100 with b");
    assert_int_equal(one->part_count, 2);
    assert_string_equal(one->part_names[0], "a");
    assert_true(one->parts[0].start == 20 && one->parts[0].end == 100);
    marey_kept_free(kept);
    marey_library_close(library);
    marey_ctx_close(ctx);
    test_run_well("marey rm m.marey a --purge --quiet");
    test_run_well("marey puppet show -L m.marey pair --quiet"); /* it needs no clips */
    test_run_well("marey puppet train -L m.marey --clips b b -o alone.puppet --quiet");
    starts_with("alone.puppet", "MRYQ", 4);
}

/* `times` of the clips are said to be for non-commercial use only. */
static void says_so(const char *line, int times)
{
    test_run run = test_run_make();
    test_run_line(&run, line);
    if (run.status != 0) fail_msg("%s: %s", line, run.err.bytes);
    int said = test_parts_count(run.err.bytes, "for non-commercial use only: its licence is");
    if (said != times) fail_msg("%s: %d times: %s", line, said, run.err.bytes);
    test_run_free(&run);
}

TABLES(what_a_puppet_was_trained_on_is_said_wherever_it_is_used)
{
    write_person("a.bvh", 140);
    write_person("b.bvh", 150);
    test_run_well("marey add nc.marey a.bvh b.bvh --licence 'CC BY-NC 4.0' --quiet");
    says_so("marey puppet train -L nc.marey --clips a b -o pair", 2);
    says_so("marey puppet train -L nc.marey --clips a b -o p.puppet", 2);
    says_so("marey puppet train -L nc.marey --clips a b -o other.marey:pair", 2);
    static const char *const places[] = { "nc.marey:pair", "p.puppet", "other.marey:pair" };
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        char line[256];
        snprintf(line, sizeof line, "marey puppet show %s", places[i]);
        says_so(line, 2);
        snprintf(line, sizeof line, "marey puppet show %s --csv out.csv --json", places[i]);
        says_so(line, 2);
        snprintf(line, sizeof line, "marey puppet run %s main.csv -o out.csv", places[i]);
        says_so(line, 2);
        snprintf(line, sizeof line, "marey puppet run %s main.csv -o out.csv --quiet", places[i]);
        says_so(line, 0);
        snprintf(line, sizeof line, "marey puppet show %s --json --quiet", places[i]);
        char *text = test_reply(line);
        assert_non_null(strstr(text, "\"sources\":[{\"clip\":\"a\",\"licence\":\"CC BY-NC 4.0\"},"
                                     "{\"clip\":\"b\",\"licence\":\"CC BY-NC 4.0\"}]"));
        snprintf(line, sizeof line, "marey puppet show %s --quiet", places[i]);
        text = test_reply(line);
        assert_non_null(strstr(text, "  clips     a (CC BY-NC 4.0), b (CC BY-NC 4.0)\n"));
    }
    test_run_well("marey rm nc.marey a --purge --quiet");
    test_run_well("marey label nc.marey b --licence CC0 --quiet");
    says_so("marey puppet run nc.marey:pair main.csv -o out.csv", 1);
    says_so("marey puppet run p.puppet main.csv -o out.csv", 2);
    test_run_well("marey puppet rename nc.marey pair two --quiet");
    says_so("marey puppet show nc.marey:two", 1);
    says_so("marey puppet train x.csv -o nc.marey:plain", 0);
    says_so("marey puppet show nc.marey:plain", 0);
}

/* One whose bytes are no puppet's. */
TABLES(a_damaged_puppet_is_listed_and_told)
{
    size_t size;
    marey_library *library = NULL;
    test_run_well("marey puppet train x.csv -o m.marey:good --quiet");
    marey_ctx *ctx = test_ctx();
    assert_int_equal(marey_library_open(ctx, "m.marey", MAREY_LIBRARY_WRITE, &library, NULL), 0);
    assert_int_equal(marey_library_keep(library, MAREY_KEPT_PUPPET, "bad", "junk", 4, NULL, NULL),
                     0);
    marey_library_close(library);
    marey_ctx_close(ctx);
    test_run run = test_run_make();
    assert_int_equal(test_run_line(&run, "marey puppet ls m.marey --json"), 1);
    assert_true(is_one_json_object(run.out.bytes));
    assert_non_null(strstr(run.out.bytes, "{\"name\":\"bad\",\"about\":\"\",\"samples\":null,"));
    assert_non_null(strstr(run.out.bytes, "{\"name\":\"good\",\"about\":\"trained on x.csv\",\"samp"
                                          "les\":1201,"));
    test_run_free(&run);
    test_fails("marey puppet run -L m.marey bad main.csv -o out.csv", 1,
               "marey: m.marey: the puppet bad: the kept puppet is damaged");
    test_run_well("marey puppet train x.csv -o p.puppet --quiet");
    FREED char *bytes = test_file_read("p.puppet", &size);
    bytes[size / 2] ^= 1;
    test_file_write("p.puppet", bytes, size);
    test_fails("marey puppet run p.puppet main.csv -o out.csv", 1, "marey: p.puppet: ");
    assert_int_not_equal(access("out.csv", F_OK), 0);
}

/* ---- bodies ---------------------------------------------------------------------------------- */

static int enter_graph(void **state)
{
    enter_tables(state);
    write_person("a.bvh", 140);
    write_person("b.bvh", 150);
    test_run_well("marey add m.marey a.bvh b.bvh --licence 'CC BY-NC 4.0' --quiet");
    test_run_well("marey graph build m.marey g a b --threshold 3 --quiet");
    test_run_well("marey puppet train x.csv -o m.marey:p --quiet");
    return 0;
}

#define GRAPH(name) TEST_IN(enter_graph, test_leave_place, name)

GRAPH(a_body_goes_where_the_puppet_goes)
{
    test_fails("marey puppet run -L m.marey p main.csv -o out.csv --graph g --body b.bvh", 1,
               "the graph g has no policy yet: marey graph train m.marey g makes it");
    assert_int_not_equal(access("out.csv", F_OK), 0);
    test_run_well("marey graph train m.marey g --directions 8 --speeds 0,100 --quiet");
    test_run run = test_run_make();
    test_run_line(&run, "marey puppet run -L m.marey p main.csv -o out.csv --graph g --body "
                        "body.bvh --fps 30 --provenance --picture out.png --json");
    if (run.status != 0) fail_msg("%s", run.err.bytes);
    const char *text = run.out.bytes, *body = strstr(text, "\"body\":{\"path\":\"body.bvh\"");
    assert_true(is_one_json_object(text));
    assert_true(test_number(text, "frames") == 301);
    assert_true(test_number(text, "away_cm") >= 0);
    assert_true(test_number(text, "away_most_cm") >= test_number(text, "away_cm"));
    assert_true(isfinite(test_number(text, "turned_rad")));
    assert_non_null(strstr(text, "\"graph\":\"g\""));
    assert_non_null(body);
    assert_true(test_number(body, "fps") == 30 && fabs(test_number(body, "frames") - 301) <= 1);
    assert_non_null(strstr(run.err.bytes, "a: for non-commercial use only"));
    int pieces = (int)test_number(text, "transitions") + 1;
    test_run_free(&run);
    FREED char *from = test_file_read("body.bvh.provenance.json", NULL);
    assert_int_equal(test_parts_count(from, "\"library\":\"m.marey\",\"clip\":"), pieces);
    assert_true(pieces > 2); /* the graph is of two clips */
    assert_non_null(strstr(from, "\"made_by\":\"puppet run\""));
    assert_non_null(strstr(from, "\"graph\":\"g\",\"puppet\":\"p\",\"main\":\"main.csv\""));
    assert_non_null(strstr(from, "\"licence\":\"CC BY-NC 4.0\""));
    starts_with("out.png", "\x89PNG", 4);
}

GRAPH(a_body_can_go_into_the_library_it_came_from)
{
    test_run_well("marey graph train m.marey g --directions 8 --speeds 0,100 --quiet");
    test_run_well("marey puppet train x.csv -o p.puppet --quiet");
    char *text = test_reply("marey puppet run p.puppet main.csv -L m.marey --graph g --body "
                            "m.marey:went --leave-feet --quiet");
    assert_string_equal(text, "");
    text = test_reply("marey puppet run -L m.marey p main.csv --graph g --body m.marey:went "
                      "--threads 4");
    assert_non_null(strstr(text, "  body      "));
    assert_non_null(strstr(text, "wrote m.marey:went-2: "));
    text = test_reply("marey info -L m.marey went-2 --json");
    assert_true(fabs(test_number(text, "seconds") - 10) < 0.1);
    test_run_well("marey puppet run p.puppet main.csv -L m.marey --graph g --body one.bvh --quiet");
    test_run_well("marey puppet run p.puppet main.csv -L m.marey --graph g --body four.bvh "
                  "--threads 4 --quiet");
    test_same_file("one.bvh", "four.bvh");
}

/* The graph's clips are free, those of the puppet are not. */
GRAPH(a_body_has_the_licences_of_what_its_puppet_was_trained_on)
{
    test_run_well("marey graph train m.marey g --directions 8 --speeds 0,100 --quiet");
    test_run_well("marey puppet train -L m.marey --clips a b -o p.puppet --quiet");
    test_run_well("marey label m.marey a b --licence 'CC BY 4.0' --quiet");
    says_so("marey puppet run p.puppet main.csv -L m.marey --graph g --body m.marey:went", 2);
    char *text = test_answer("marey ls m.marey went --json");
    assert_non_null(strstr(text, "\"licence\":\"CC BY 4.0; CC BY-NC 4.0\""));
    free(text);
    test_run_well("marey puppet run p.puppet main.csv -L m.marey --graph g --body body.bvh "
                  "--provenance --quiet");
    test_file_has("body.bvh.provenance.json",
                  "\"main\":\"main.csv\",\"trained_on\":[{\"clip\":\"a\","
                  "\"licence\":\"CC BY-NC 4.0\"},{\"clip\":\"b\",");
}

TEST_GROUP_OF_CASES(test_puppet_program, NULL, NULL)
