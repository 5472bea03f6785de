/* test_cluster_program.c - the commands of cluster graphs as a program: the demo has one ready,
   what is built is what the answer says and has every frame once, stitches leave where they are
   asked to and remember their pieces, loops close, pictures are drawn, frames are those of the
   clips even behind dropouts; wrong requests are refused by name; refused memory, full disks and
   Ctrl-C. */
#include "program_lines.h"

#include <math.h>
#include <sys/stat.h>

static void make_demo(void)
{
    test_run_well("marey demo . --take walk_straight --take walk_left --take idles --quiet");
}

static int enter_demo(void **state)
{
    return test_enter_copy(state, make_demo);
}

#define DEMO(name) TEST_IN(enter_demo, test_leave_place, name)

typedef struct opened {
    marey_ctx *ctx;
    marey_library *library;
    marey_parts *parts;
    marey_clusters *graph;
} opened;

static opened open_clusters(const char *path, const char *name)
{
    opened of = { .ctx = test_ctx() };
    marey_error error;
    if (marey_library_open(of.ctx, path, MAREY_LIBRARY_READ, &of.library, &error) ||
        marey_library_clusters(of.library, name, &of.parts, &of.graph, &error))
        fail_msg("%s: %s", name, error.message);
    return of;
}

static void close_clusters(opened *of)
{
    marey_clusters_free(of->graph);
    marey_parts_free(of->parts);
    marey_library_close(of->library);
    marey_ctx_close(of->ctx);
}

/* ---- building -------------------------------------------------------------------------------- */

DEMO(the_demo_has_a_ready_cluster_graph)
{
    char *text = test_reply("marey cluster ls demo.marey --json");
    assert_non_null(strstr(text, "{\"clusters\":[{\"name\":\"moves\",\"link\":\"complete\","
                                 "\"fps\":30,\"threshold\":200,"));
    assert_true(test_number(text, "clips") == 3);
    assert_true(test_number(text, "nodes") > 5);
    text = test_reply("marey cluster ls demo.marey");
    assert_memory_equal(text, "moves  (complete link, 3 clips, ", 32);
}

/* Every captured frame is in one sequence: those of a clip follow each other without a gap. */
static void check_sequences(const char *text, const char *clip, int frames)
{
    static char seen[4096];
    char mark[64];
    memset(seen, 0, sizeof seen);
    snprintf(mark, sizeof mark, ",\"clip\":\"%s\",", clip);
    const char *end = strstr(text, "\"tuples\":[");
    for (const char *at = strstr(text, "\"nodes\":["); (at = strstr(at + 1, "{\"sequence\":"));) {
        if (at > end) break;
        const char *name = strstr(at, ",\"clip\":");
        if (strncmp(name, mark, strlen(mark)) != 0) continue;
        for (int f = (int)test_number(at, "start"); f < (int)test_number(at, "end"); f++) {
            assert_true(f >= 0 && f < frames);
            assert_int_equal(seen[f]++, 0);
        }
    }
    for (int f = 0; f < frames; f++) assert_int_equal(seen[f], 1);
}

DEMO(a_built_graph_is_what_the_answer_says)
{
    char *text = test_reply("marey cluster build demo.marey g walk_left idles --threshold 60 "
                            "--json");
    opened of = open_clusters("demo.marey", "g");
    int nodes, sequences, edges, tuples = 0;
    const marey_cluster_node *all = marey_clusters_nodes(of.graph, &nodes);
    marey_clusters_sequences(of.graph, &sequences);
    marey_clusters_edges(of.graph, &edges);
    assert_true(test_number(text, "node_count") == nodes);
    assert_true(test_number(text, "sequence_count") == sequences);
    assert_true(test_number(text, "edge_count") == edges);
    assert_true(test_number(text, "frames") == marey_clusters_frames(of.graph));
    assert_true(test_number(text, "threshold") == 60);
    assert_int_equal(test_parts_count(text, "{\"sequence\":"), sequences);
    check_sequences(text, "walk_left", marey_clip_frames(of.parts->clips[0]));
    check_sequences(text, "idles", marey_clip_frames(of.parts->clips[1]));
    for (int n = 0; n < nodes; n++) tuples += all[n].sequences > 1;
    assert_int_equal(test_parts_count(text, "\"by_pairs\":"), tuples);
    assert_true(tuples > 3);
    close_clusters(&of);
    text = test_reply("marey cluster build demo.marey g walk_left idles --link single --threshold "
                      "20 --fps 15");
    assert_memory_equal(text, "cluster graph g: single link, 2 clips, ", 39);
    assert_non_null(strstr(text, " at 15 a second\n  threshold  4.472 cm RMS (20 cm2)\n"));
}

/* In a node of complete links no two frames are farther apart than the threshold, whatever the
   metric. */
DEMO(other_metrics_make_other_nodes)
{
    char *text = test_reply("marey cluster build demo.marey a walk_left --metric positions "
                            "--threshold 0.4 --json");
    assert_non_null(strstr(text, "\"metric\":\"positions\""));
    for (const char *at = text; (at = strstr(at + 1, "\"widest\":"));)
        assert_true(test_number(at, "widest") <= 0.4);
}

/* The clip that `marey example` lists behind this place. */
static const char *next_clip(const char *at, char *name, size_t room)
{
    at = strstr(at, "{\"clip\":\"");
    assert_non_null(at);
    at += strlen("{\"clip\":\"");
    snprintf(name, room, "%.*s", (int)strcspn(at, "\""), at);
    return strstr(at, "]");
}

DEMO(the_working_set_can_come_from_an_example)
{
    char first[64], second[64], set[200];
    char *found = test_reply("marey example demo.marey walk_left#200-400 --whole --json");
    const char *rest = next_clip(strstr(found, "\"clips\":["), first, sizeof first);
    next_clip(rest, second, sizeof second);
    assert_string_equal(first, "walk_left");
    snprintf(set, sizeof set, "\"working_set\":[\"%s\",\"%s\"]", first, second);
    char *text = test_reply("marey cluster build demo.marey e --from-example walk_left#200-400 "
                            "--whole --count 2 --json");
    if (!strstr(text, set)) fail_msg("no %s", set);
    text = test_reply("marey cluster build demo.marey e --from-example walk_left#200-400 "
                      "--whole --dof left_knee.Xrotation --k 5 --count 1");
    assert_non_null(strstr(text, "  clips      walk_left\n"));
}

/* ---- showing --------------------------------------------------------------------------------- */

DEMO(a_node_tells_its_sequences_and_where_to_switch)
{
    opened of = open_clusters("demo.marey", "moves");
    int nodes, most = 0;
    const marey_cluster_node *all = marey_clusters_nodes(of.graph, &nodes);
    for (int n = 0; n < nodes; n++) {
        if (all[n].sequences > all[most].sequences) most = n;
    }
    char line[128];
    snprintf(line, sizeof line, "marey cluster show demo.marey moves --node %d --json", most);
    char *text = test_reply(line);
    int m = all[most].sequences;
    assert_int_equal(test_parts_count(text, "{\"sequence\":"), m);
    const char *switches = strstr(text, "\"best_switches\":[");
    assert_int_equal(test_parts_count(switches, "{\"from_sequence\":"), m * (m - 1));
    const char *tuple = strstr(text, "\"tuples\":[{");
    assert_true(test_number(tuple, "node") == most);
    marey_tuples tuples = { 0 };
    assert_int_equal(marey_clusters_tuples(of.ctx, of.graph, most, NULL, &tuples, NULL), MAREY_OK);
    assert_true(test_number(tuple, "pairs") == tuples.pairs);
    if (tuples.count > 0) {
        double frames[256];
        const char *first = strstr(tuple, "\"frames\":[") + strlen("\"frames\":[") - 1;
        assert_true(m <= 256);
        for (int i = 0; i < m; i++) {
            frames[i] = strtod(first + 2, NULL);
            assert_true(frames[i] == tuples.frames[i]); /* these clips begin with frame 0 */
            first = strpbrk(first + 2, ",]") - 1;
        }
    }
    marey_tuples_free(&tuples);
    snprintf(line, sizeof line, "marey cluster show demo.marey moves --node %d", most);
    text = test_reply(line);
    assert_non_null(strstr(text, "goes on in node"));
    close_clusters(&of);
}

DEMO(a_graph_can_be_drawn)
{
    char *text = test_reply("marey cluster show demo.marey moves -o moves.png --json");
    assert_non_null(strstr(text, "\"path\":\"moves.png\""));
    assert_true(test_number(text, "node_count") == test_parts_count(text, "\"widest\":"));
    FREED char *png = test_file_read("moves.png", NULL);
    assert_memory_equal(png, "\x89PNG", 4);
    text = test_reply("marey cluster show demo.marey moves --limit 3 -o moves.svg");
    assert_non_null(strstr(text, "more; --limit shows more"));
    assert_non_null(strstr(text, "wrote moves.svg\n"));
    test_file_has("moves.svg", "<svg");
    test_run_well("marey cluster show demo.marey moves -o again.svg --limit 3");
    test_same_file("moves.svg", "again.svg");
}

/* ---- stitching ------------------------------------------------------------------------------- */

/* Pieces follow each other at the switches, in frames of the clips, and make up the whole. */
static void check_stitch(const char *text)
{
    const char *piece = strstr(text, "\"pieces\":["), *at = strstr(text, "\"switches\":[");
    const char *end = strstr(at, "],");
    int frames = 0;
    piece = strstr(piece, "{\"at\":");
    while (piece) {
        const char *next = strstr(piece + 1, "{\"at\":");
        assert_true(test_number(piece, "at") == frames);
        frames += (int)(test_number(piece, "end") - test_number(piece, "start"));
        if (next) {
            at = strstr(at + 1, "{\"node\":");
            assert_true(at && at < end);
            assert_true(test_number(piece, "end") == test_number(at, "from") + 1);
            assert_true(test_number(next, "start") == test_number(at, "to") + 1);
        }
        piece = next;
    }
    assert_true(test_number(strstr(text, "\"pieces\":["), "frames") == frames);
    assert_true(test_number(text, "jump_ratio") <= 1.2);
    assert_true(test_number(text, "slide_mean_cm") <= 0.5);
}

DEMO(a_clip_goes_over_into_another_when_asked_to)
{
    for (int leave_at = 200; leave_at <= 400; leave_at += TEST_SANITIZED ? 100 : 50) {
        char line[200];
        snprintf(
            line, sizeof line,
            "marey cluster stitch demo.marey moves walk_straight walk_left --leave %d -o s.bvh "
            "--json",
            leave_at);
        char *text = test_reply(line);
        check_stitch(text);
        double from = test_number(strstr(text, "\"switches\":["), "from");
        assert_true(fabs(from - leave_at) <= 0.3 * 60 + 1e-9);
        assert_non_null(strstr(text, "\"direct\":true"));
        assert_non_null(strstr(text, "\"nodes\":[{\"node\":"));
        assert_non_null(strstr(text, "\"tuples\":[{\"node\":"));
    }
}

DEMO(frames_say_where_it_begins_and_ends)
{
    char *text = test_reply("marey cluster stitch demo.marey moves walk_straight#60-300 "
                            "walk_left#240-500 -o s.bvh --json");
    check_stitch(text);
    const char *first = strstr(text, "{\"at\":0,"), *last = strstr(first + 1, "{\"at\":");
    assert_true(test_number(first, "start") == 60);
    assert_true(fabs(test_number(first, "end") - 300) <= 19);
    assert_true(fabs(test_number(last, "start") - 240) <= 19);
    assert_true(fabs(test_number(last, "end") - 500) <= 1);
    text = test_reply("marey cluster stitch demo.marey moves walk_straight#1s walk_left#480 "
                      "--enter 4.5s --within 0.5 -o s.bvh --json");
    check_stitch(text);
    first = strstr(text, "{\"at\":0,");
    last = strstr(first + 1, "{\"at\":");
    assert_true(test_number(first, "start") == 60);
    assert_true(fabs(test_number(last, "start") - 270) <= 31);
    assert_true(fabs(test_number(last, "end") - 481) <= 1);
}

DEMO(a_route_goes_through_the_nodes_that_are_named)
{
    char *text = test_reply("marey cluster stitch demo.marey moves walk_straight walk_left --leave "
                            "300 -o s.bvh --json");
    int node = (int)test_number(strstr(text, "\"switches\":["), "node");
    char line[200];
    snprintf(line, sizeof line,
             "marey cluster stitch demo.marey moves walk_straight walk_left --nodes %d -o s.bvh "
             "--json",
             node);
    text = test_reply(line);
    check_stitch(text);
    assert_true(test_number(strstr(text, "\"switches\":["), "node") == node);
}

DEMO(a_stitch_remembers_its_pieces_and_can_be_drawn)
{
    test_run_well("marey label demo.marey walk_left --licence 'CC BY-NC 4.0' --quiet");
    test_run run = test_run_make();
    assert_int_equal(test_run_line(&run, "marey cluster stitch demo.marey moves walk_straight "
                                         "walk_left -o demo.marey:both --plot p.svg --dof "
                                         "LeftLeg.Xrotation,Hips.Yposition"),
                     0);
    assert_int_equal(test_parts_count(run.err.bytes, "non-commercial"), 1);
    assert_non_null(strstr(run.out.bytes, "goes on as walk_left#"));
    assert_non_null(strstr(run.out.bytes, "wrote p.svg\n"));
    test_run_free(&run);
    test_file_has("p.svg", "<svg");
    test_run_well("marey cluster stitch demo.marey moves idles walk_left -o s.bvh --plot p.png "
                  "--provenance --quiet");
    FREED char *from = test_file_read("s.bvh.provenance.json", NULL);
    assert_non_null(strstr(from, "\"made_by\":\"cluster stitch\""));
    assert_non_null(strstr(from, "\"graph\":\"moves\""));
    assert_non_null(strstr(from, "\"licence\":\"CC BY-NC 4.0\""));
    char *text = test_reply("marey contacts -L demo.marey both --json");
    assert_true(test_parts_count(text, "\"joint\":") > 0);
}

/* ---- loops ----------------------------------------------------------------------------------- */

DEMO(a_clip_goes_on_for_ever)
{
    char *text =
        test_reply("marey cluster loop demo.marey moves walk_straight --count 3 --shortest "
                   "1 --longest 3 -o l.bvh --json");
    int loops = test_parts_count(text, "\"seam_ratio\":");
    assert_true(loops > 0 && loops <= 3);
    for (const char *at = strstr(text, "\"loops\":["); (at = strstr(at + 1, "{\"start\":"));) {
        if (!strstr(at, "\"seam_ratio\":")) break;
        double seconds = (test_number(at, "end") - test_number(at, "start")) / 60;
        assert_true(seconds >= 1 - 1e-9 && seconds <= 3 + 1e-9);
        assert_true(test_number(at, "seam_ratio") < 1.1);
        if (--loops == 0) break;
    }
    text = test_reply("marey cluster loop demo.marey moves walk_straight");
    assert_non_null(strstr(text, "   seconds"));
    test_run run = test_run_make();
    test_run_line(&run,
                  "marey cluster loop demo.marey moves walk_straight --shortest 1 --longest 3 "
                  "--in-place -o demo.marey:round --json");
    assert_string_equal(run.err.bytes, ""); /* nobody slides: the floor goes by */
    assert_non_null(strstr(run.out.bytes, "\"path\":\"demo.marey:round\""));
    test_run_free(&run);
    /* A seam is made at the clip's own rate, four times the graph's. */
    test_run_well("marey convert walk_straight.bvh quick.bvh --fps 120 --quiet");
    test_run_well("marey add demo.marey quick.bvh --quiet");
    test_run_well("marey cluster build demo.marey q quick --quiet");
    text = test_reply("marey cluster loop demo.marey q quick --shortest 1 --longest 2 -o q.bvh "
                      "--json");
    assert_true(test_number(text, "seam_ratio") < 1.1);
    assert_true(test_number(text, "fps") == 120);
}

/* ---- what is refused ------------------------------------------------------------------------- */

DEMO(wrong_requests_are_refused_by_name)
{
    static const test_wrong_line wrong[] = {
        { "marey cluster", 2, "say which: cluster build, show" },
        { "marey cluster stich", 2, "did you mean \"cluster stitch\"" },
        { "marey cluster build demo.marey g --link complet", 2, "one of complete, single" },
        { "marey cluster build demo.marey g idles --label idle", 2, "not both" },
        { "marey cluster build demo.marey g idles --from-example idles", 2, "not both" },
        { "marey cluster build demo.marey g --dof Hips.Yposition", 2,
          "--dof is only for --from-example" },
        { "marey cluster build demo.marey g --metric angles", 2, "--threshold is missing" },
        { "marey cluster build demo.marey g idels", 1, "is it idles?" },
        { "marey cluster build demo.marey g --label fly", 1, "no clip has the label fly" },
        { "marey cluster build demo.marey a/b idles", 2, "name must be a name of at most" },
        { "marey cluster build demo.marey g --from-example no.csv", 1, "no.csv" },
        { "marey cluster show demo.marey move", 1, "no cluster is called move; is it moves?" },
        { "marey cluster show demo.marey x", 1, "marey cluster ls lists those there are" },
        { "marey cluster show demo.marey moves --node 99999", 1, "there is no node 99999" },
        { "marey cluster show demo.marey moves -o a.bvh", 2, "-o takes a name that ends in .png" },
        { "marey cluster stitch demo.marey moves idles walk_left", 2, "-o OUT is needed" },
        { "marey cluster stitch demo.marey moves idles walk_lef -o a.bvh", 1,
          "the cluster graph moves has no clip walk_lef; is it walk_left?" },
        { "marey cluster stitch demo.marey moves idles#99999 walk_left -o a.bvh", 1, "idles" },
        { "marey cluster stitch demo.marey moves idles walk_left --leave 99999 -o a.bvh", 1,
          "frame 99999 is no captured frame of this clip in the cluster graph moves, which has 0 "
          "to" },
        { "marey cluster stitch demo.marey moves idles walk_left --leave 1-2 -o a.bvh", 2,
          "--leave must be one frame" },
        { "marey cluster stitch demo.marey moves idles walk_left --nodes 3,,4 -o a.bvh", 2,
          "--nodes must be whole numbers" },
        { "marey cluster stitch demo.marey moves idles walk_left --nodes 3, -o a.bvh", 2,
          "--nodes must be whole numbers" },
        { "marey cluster stitch demo.marey moves idles walk_left --nodes 99999 -o a.bvh", 1,
          "there is no node 99999" },
        { "marey cluster stitch demo.marey moves idles walk_left --dof a.Xrotation -o a.bvh", 2,
          "--dof is for --plot" },
        { "marey cluster stitch demo.marey moves idles walk_left --plot p.txt -o a.bvh", 2,
          "--plot takes a name" },
        { "marey cluster stitch demo.marey moves idles walk_left --plot p.png --dof "
          "Tail.Xrotation -o a.bvh",
          1, "LeftUpLeg" },
        { "marey cluster loop demo.marey moves wlak_left", 1, "has no clip wlak_left" },
        { "marey cluster loop demo.marey moves walk_left#3-90", 1, "a clip without frames" },
        { "marey cluster loop demo.marey moves walk_left --shortest 3 --longest 2", 2,
          "--longest must be at least --shortest" },
        { "marey cluster loop demo.marey moves walk_left --shortest 900 -o a.bvh", 1,
          "no loop was found" },
        { "marey cluster rm demo.marey x", 1, "no cluster is called x" },
    };
    TEST_FAIL_ALL(wrong);
    assert_int_not_equal(access("a.bvh", F_OK), 0);
}

DEMO(a_graph_whose_clip_is_removed_is_listed_and_says_which)
{
    test_run_well("marey rm demo.marey idles --quiet");
    char *list = test_reply("marey cluster ls demo.marey --json");
    assert_non_null(strstr(list, "\"name\":\"moves\""));
    test_fails("marey cluster show demo.marey moves", 1,
               "the cluster graph moves needs the clip idles");
    test_run_well("marey restore demo.marey idles --quiet");
    test_run_well("marey cluster show demo.marey moves");
}

/* A library is made again unless somebody kept something in it. */
DEMO(a_demo_is_not_made_over_what_somebody_kept)
{
    test_run_well("marey demo . --take idles --quiet");
    test_run_well("marey cluster build demo.marey mine idles --quiet");
    test_fails("marey demo . --take idles --quiet", 1, "has a saved cluster, mine");
    test_run_well("marey cluster rm demo.marey mine --quiet");
    test_run_well("marey demo . --take idles --quiet");
    char *list = test_reply("marey cluster ls demo.marey");
    assert_string_equal(list, "no saved cluster graph; marey cluster build makes one\n");
}

/* ---- dropouts -------------------------------------------------------------------------------- */

static void make_persons(void)
{
    write_person("a.bvh", 100);
    test_write_dropouts("b.bvh", 110, 40, 43);
    test_run_well("marey add m.marey a.bvh b.bvh --quiet");
    test_run_well("marey cluster build m.marey g a b --threshold 3 --fps 60 --quiet");
}

static int enter_persons(void **state)
{
    return test_enter_copy(state, make_persons);
}

#define PERSONS(name) TEST_IN(enter_persons, test_leave_place, name)

PERSONS(frames_behind_a_dropout_are_those_of_the_clip)
{
    char *text = test_reply("marey cluster show m.marey g --json");
    for (const char *at = text; (at = strstr(at + 1, "{\"sequence\":"));) {
        if (strncmp(strstr(at, "\"clip\":"), "\"clip\":\"b\"", 10) != 0) continue;
        assert_true(test_number(at, "end") <= 40 || test_number(at, "start") >= 43);
        assert_true(test_number(at, "end") <= 110);
    }
    /* Both are the same motion: from a to the same time of b. */
    text = test_reply("marey cluster stitch m.marey g a b --leave 70 -o s.bvh --json");
    const char *one = strstr(text, "\"switches\":[");
    assert_true(fabs(test_number(one, "from") - 70) <= 19);
    assert_true(test_number(one, "to") >= 43);
    assert_true(fabs(test_number(one, "to") - test_number(one, "from")) <= 30);
    assert_true(test_number(strstr(strstr(text, "\"pieces\":["), "\"clip\":\"b\""), "end") == 110);
    test_fails("marey cluster stitch m.marey g b a --leave 41 -o s.bvh", 1,
               "frame 41 is no captured frame of this clip");
}

/* ---- when the machine fails ------------------------------------------------------------------ */

static const char *const lines[] = {
    "marey cluster show m.marey g --node 0 --json",
    "marey cluster show m.marey g --limit 5 -o g.png --json",
    "marey cluster stitch m.marey g a#20-60 b#50-90 --within 1 -o out.bvh --provenance --json",
    "marey cluster stitch m.marey g a#20-60 b#50-90 --within 1 -o out.bvh --plot p.png --json",
    "marey cluster loop m.marey g a --count 1 -o out.bvh --json",
    "marey cluster ls m.marey --json",
};
enum { LINES = sizeof lines / sizeof *lines };

static void check_files(const test_run *run, void *user)
{
    (void)run;
    (void)user;
    static const char *const made[] = { "out.bvh", "out.bvh.provenance.json", "g.png", "p.png" };
    for (int i = 0; i < 4; i++) unlink(made[i]);
    assert_int_equal(test_folder_count("."), 3);
}

PERSONS(refused_memory_ends_with_status_3)
{
    for (int i = 0; i < LINES; i++) sweep_memory(lines[i], check_files, NULL);
}

PERSONS(a_graph_is_kept_or_not_at_all)
{
    sweep_change("marey cluster ls m.marey --json",
                 "marey cluster build m.marey h a b --threshold 3 --json", "\"name\":\"h\"",
                 "marey cluster rm m.marey h --quiet");
    sweep_change("marey cluster ls m.marey --json",
                 "marey cluster build m.marey h --from-example a#20-90 --count 1 --json",
                 "\"name\":\"h\"", "marey cluster rm m.marey h --quiet");
}

PERSONS(full_disks_and_cancelled_runs_are_told)
{
    for (int i = 0; i < LINES; i++) {
        test_full_output(lines[i]);
        check_files(NULL, NULL);
    }
    for (int i = 1; i < 5; i++) {
        test_run disk = test_run_make();
        disk.files.kinds = TEST_IO_WRITE;
        disk.files.fail = 0;
        disk.files.with_errno = ENOSPC;
        if (test_run_line(&disk, lines[i]) != 3) fail_msg("%s: %d", lines[i], disk.status);
        assert_int_not_equal(access("out.bvh", F_OK), 0);
        assert_int_not_equal(access("g.png", F_OK), 0);
        test_run_free(&disk);
        check_files(NULL, NULL);
    }
    static const char *const long_lines[] = {
        "marey cluster build m.marey h a b --threshold 3",
        "marey cluster stitch m.marey g a#20-60 b#50-90 --within 1 -o out.bvh",
        "marey cluster loop m.marey g a -o out.bvh",
    };
    for (size_t i = 0; i < sizeof long_lines / sizeof *long_lines; i++) {
        test_cancelled(long_lines[i]);
    }
}

/* Looking needs no writing; building does, and says so. Who may write everywhere can build. */
PERSONS(a_library_that_cannot_be_written_is_enough_to_look)
{
    assert_int_equal(chmod("m.marey", 0444), 0);
    assert_int_equal(chmod(".", 0555), 0);
    test_run_well("marey cluster show m.marey g --json");
    test_run run = test_run_make();
    int status = test_run_line(&run, "marey cluster build m.marey h a");
    assert_true(geteuid() == 0 || status == 1 || status == 3);
    test_run_free(&run);
    assert_int_equal(chmod(".", 0755), 0);
}

TEST_GROUP_OF_CASES(test_cluster_program, NULL, NULL)
