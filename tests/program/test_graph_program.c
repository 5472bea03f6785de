/* test_graph_program.c - the commands of motion graphs as a program: their numbers are the
   library's, walks do what the answer says and remember their pieces, the script's directions are
   those of the clip, wrong requests are refused by name; refused memory, full disks and Ctrl-C. */
#include "graph/graph_data.h"
#include "picture/graph_picture.h"
#include "program_lines.h"

#include <math.h>

/* A character that walks, stands and sits down: three takes of the demo, and the graphs that it
   makes of them. */
static void make_demo(void)
{
    test_run_well("marey demo . --take walk_left --take idles --take sits --quiet");
}

static int enter_demo(void **state)
{
    return test_enter_copy(state, make_demo);
}

#define DEMO(name) TEST_IN(enter_demo, test_leave_place, name)

/* Two small clips, one with lost frames, and a trained graph of them. */
static void make_persons(void)
{
    static const char truth[] = "{\"takes\":[{\"clip\":\"a\",\"segments\":[{\"label\":\"step\","
                                "\"start\":30,\"end\":110}]}]}";
    static const char inputs[] = "0,0,0\n0.2,1,120\n";
    write_person("a.bvh", 140);
    test_write_dropouts("b.bvh", 150, 60, 63);
    test_file_write("t.json", truth, sizeof truth - 1);
    test_file_write("w.csv", inputs, sizeof inputs - 1);
    test_run_well("marey add m.marey a.bvh b.bvh --quiet");
    test_run_well(
        "marey graph build m.marey g a b --threshold 3 --behaviours t.json --sweep 1,3 --json");
    test_run_well("marey graph train m.marey g --directions 8 --speeds 0,100 --quiet");
}

static int enter_persons(void **state)
{
    return test_enter_copy(state, make_persons);
}

#define PERSONS(name) TEST_IN(enter_persons, test_leave_place, name)

/* A kept graph, open. */
typedef struct opened {
    marey_ctx *ctx;
    marey_library *library;
    marey_parts *parts;
    marey_graph *graph;
} opened;

static opened open_graph(const char *path, const char *name)
{
    opened of = { .ctx = test_ctx() };
    marey_error error;
    if (marey_library_open(of.ctx, path, MAREY_LIBRARY_READ, &of.library, &error) ||
        marey_library_graph(of.library, name, &of.parts, &of.graph, &error)) {
        fail_msg("%s: %s", name, error.message);
    }
    return of;
}

static void close_graph(opened *of)
{
    marey_graph_free(of->graph);
    marey_parts_free(of->parts);
    marey_library_close(of->library);
    marey_ctx_close(of->ctx);
}

/* ---- building -------------------------------------------------------------------------------- */

DEMO(the_demo_has_ready_graphs)
{
    char *list = test_reply("marey graph ls demo.marey --json");
    assert_non_null(strstr(list, "\"name\":\"standard\",\"kind\":\"standard\",\"fps\":30,"));
    assert_non_null(strstr(list, "\"clips\":3,\"policy\":false"));
    char *stats = test_reply("marey graph stats demo.marey connected --json");
    assert_true(test_number(stats, "nodes") > test_number(stats, "frames"));
    assert_true(test_number(stats, "nodes_before") >= test_number(stats, "nodes"));
    stats = test_reply("marey graph stats demo.marey standard --json");
    assert_non_null(strstr(stats, "\"labels\":["));
    assert_non_null(strstr(stats, "\"sit\""));
    assert_true(test_number(stats, "scc_percent") > 90);
    assert_true(test_number(stats, "local_maneuverability_s") > 0);
    /* It may be made again, but not over what somebody else kept. */
    test_run_well("marey demo . --take kicks --take idles --quiet");
    list = test_reply("marey graph ls demo.marey");
    assert_string_equal(list, "no saved motion graph; marey graph build makes one\n");
    test_run_well("marey graph build demo.marey mine kicks --quiet");
    test_fails("marey demo . --take idles --quiet", 1, "has a saved graph, mine");
    test_run_well("marey graph rm demo.marey mine --quiet");
    test_run_well("marey demo . --take idles --quiet");
}

DEMO(a_built_graph_is_what_the_answer_says)
{
    static const char *const keys[] = { "frames",
                                        "nodes",
                                        "edges",
                                        "threshold",
                                        "scc_percent",
                                        "connectivity_percent",
                                        "mean_transition_s",
                                        "bytes",
                                        "transitions",
                                        "nodes_before",
                                        "edges_before",
                                        "worst_jump",
                                        "fps" };
    char *built =
        test_reply("marey graph build demo.marey g walk_left idles --threshold 12 --json");
    char *stats = test_reply("marey graph stats demo.marey g --json");
    opened of = open_graph("demo.marey", "g");
    marey_graph_stats want;
    assert_int_equal(marey_graph_measure(of.ctx, of.graph, &want, NULL), MAREY_OK);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (test_number(built, keys[i]) != test_number(stats, keys[i])) fail_msg("%s", keys[i]);
    }
    assert_true(test_number(stats, "frames") == want.frames && want.frames > 1000);
    assert_true(test_number(stats, "transitions") == (double)want.transitions);
    assert_true(test_number(stats, "edges") == (double)want.edges);
    assert_true(test_number(stats, "threshold") == 12);
    assert_true(fabs(test_number(stats, "scc_percent") - want.scc_percent) < 1e-9);
    assert_true(fabs(test_number(stats, "mean_transition_s") - want.mean_transition_s) < 1e-9);
    assert_true(fabs(test_number(stats, "local_maneuverability_s") - want.local_maneuverability_s) <
                1e-9);
    assert_non_null(strstr(stats, "\"kind\":\"standard\",\"clips\":2,"));
    assert_non_null(strstr(stats, "\"metric\":\"points\",\"unit\":\"cm2\",\"joints\":\"wang\""));
    close_graph(&of);
}

static void frames_with(const char *file_option, const char *label, int *count)
{
    char line[256];
    snprintf(line, sizeof line,
             "marey graph build demo.marey g walk_left sits --threshold 9 %s "
             "--quiet",
             file_option);
    test_run_well(line);
    opened of = open_graph("demo.marey", "g");
    int labels, number = -1;
    const char *const *names = marey_graph_labels(of.graph, &labels);
    for (int i = 0; i < labels; i++) {
        if (strcmp(names[i], label) == 0) number = i;
    }
    *count = 0;
    for (int n = 0; n < marey_graph_nodes(of.graph); n++)
        *count += marey_graph_has_label(of.graph, n, number);
    close_graph(&of);
}

/* Labels are for whole clips; a file says more exactly what is done when. */
DEMO(behaviours_are_labels_or_what_a_file_says)
{
    static const char hand[] = "{\"takes\":[{\"segments\":[{\"start\":10,\"label\":\"\\u0073it\","
                               "\"end\":50,\"x\":[1,{\"y\":null}]}],\"clip\":\"sits\"},"
                               "{\"clip\":\"other\"}]}";
    int whole, some, own;
    frames_with("", "sit", &whole);
    frames_with("--behaviours truth.json", "sit", &some);
    test_file_write("own.json", hand, sizeof hand - 1);
    frames_with("--behaviours own.json", "sit", &own);
    opened of = open_graph("demo.marey", "g");
    assert_int_equal(whole, marey_clip_frames(of.parts->clips[1]) / 2); /* 60 frames a second */
    close_graph(&of);
    assert_true(some > 20 && some < whole);
    assert_int_equal(own, 20);
    test_run run = test_run_make();
    test_run_line(&run, "marey graph build demo.marey g sits --behaviours own.json");
    assert_non_null(strstr(run.err.bytes, "own.json: 1 of its takes is no clip of this library"));
    test_run_free(&run);
}

DEMO(wrong_files_of_behaviours_are_refused_where_they_are_wrong)
{
    static const test_wrong_file wrong[] = {
        { "[]", "own.json:1:1: expected an object" },
        { "{}", "there is no \"takes\" in it" },
        { "{\"takes\":3}", "expected a list of takes" },
        { "{\"takes\":[{\"segments\":[]}]}", "a take needs \"clip\"" },
        { "{\"takes\":[{\"clip\":\"sits\",\"segments\":[{\"label\":\"sit\",\"start\":4}]}]}",
          "this one has no end" },
        { "{\"takes\":[{\"clip\":\"sits\",\n\"segments\":[{\"label\":\"sit\",\"start\":9,\"end\":4}"
          "]}]}",
          "own.json:2:13: end frame must come after start frame, got 9-4" },
        { "{\"takes\":[{\"clip\":\"seats\",\"segments\":[]}]}",
          "none of its takes is a clip of this graph" },
        { "{\"takes\":[{\"clip\":\"\\ud800\"}]}", "half a pair of \\u escapes" },
        { "{\"takes\":[]} x", "expected nothing more" },
    };
    TEST_FAIL_FILES(wrong, "own.json", "marey graph build demo.marey g sits --behaviours own.json");
}

DEMO(a_sweep_tells_what_graphs_would_be_worth)
{
    char *text = test_reply("marey graph build demo.marey g walk_left sits --threshold 9 --sweep "
                            "4,9,20 --json");
    const char *at = strstr(text, "\"sweep\":[");
    assert_int_equal(test_parts_count(at, "\"threshold\":"), 3);
    double before = -1;
    for (int i = 0; i < 3; i++) {
        at = strstr(at + 1, "{\"frames\":");
        double transitions = test_number(at, "transitions");
        assert_true(transitions >= before);
        before = transitions;
        if (i != 1) continue;
        assert_true(test_number(at, "threshold") == 9);
        assert_true(transitions == test_number(text, "transitions"));
        assert_true(test_number(at, "connectivity_percent") ==
                    test_number(text, "connectivity_percent"));
    }
    text = test_reply("marey graph stats demo.marey g --sweep 4,9");
    assert_non_null(strstr(text, "  threshold  transitions  largest part"));
}

/* ---- pictures -------------------------------------------------------------------------------- */

DEMO(statistics_can_be_drawn)
{
    char *text = test_reply("marey graph stats demo.marey standard --matrix m.png --closure c.svg "
                            "--json");
    assert_non_null(strstr(text, "\"files\":[\"m.png\",\"c.svg\"]"));
    size_t count;
    char *png = test_file_read("m.png", &count), *svg = test_file_read("c.svg", &count);
    assert_memory_equal(png, "\x89PNG", 4);
    assert_non_null(strstr(svg, "<svg"));
    free(png);
    free(svg);
}

/* Every cell against its formula, sequence by sequence as the paper's windows see them. */
PERSONS(the_matrix_shows_the_distances_of_frames)
{
    opened of = open_graph("m.marey", "g");
    const marey_graph *g = of.graph;
    int side = g->originals, count = 0, first[8];
    marey_features *features[8];
    marey_layout *layout = NULL;
    const marey_clip *motion = marey_graph_motion(g);
    float *got = malloc((size_t)side * (size_t)side * sizeof *got);
    marey_metric_def metric = g->metric;
    metric.fps = g->fps;
    assert_int_equal(mry_graph_distances(g, side, got, NULL), MAREY_OK);
    assert_int_equal(marey_layout_build(of.ctx, &motion, 1, &metric, &layout, NULL), MAREY_OK);
    for (int n = 0, end; n < side; n = end) {
        marey_clip *part = NULL;
        end = n + 1;
        while (end < side && g->before[end] == end - 1) end++;
        first[count] = n;
        assert_int_equal(marey_clip_trim(motion, n, end, &part, NULL), MAREY_OK);
        assert_int_equal(marey_features_build(layout, part, &features[count++], NULL), MAREY_OK);
        marey_clip_free(part);
    }
    assert_int_equal(count, 3); /* one clip is cut in two by a dropout */
    for (int i = 0; i < side; i++) {
        for (int j = 0; j < side; j++) {
            int a = i >= first[2] ? 2 : i >= first[1], b = j >= first[2] ? 2 : j >= first[1];
            double want = marey_distance(features[a], i - first[a], features[b], j - first[b]);
            if (fabs(got[i * side + j] - want) > 1e-3 * (1 + want)) fail_msg("%d %d", i, j);
        }
    }
    for (int i = 0; i < count; i++) marey_features_free(features[i]);
    marey_layout_free(layout);
    free(got);
    close_graph(&of);
}

/* ---- walks ----------------------------------------------------------------------------------- */

/* Pieces follow each other without a gap; nothing is outside its clip. Returns how many there
   are. */
static int check_pieces(const char *text)
{
    const char *at = strstr(text, "\"pieces\":[");
    int count = 0, frames = 0;
    while ((at = strstr(at + 1, "{\"at\":"))) {
        assert_true(test_number(at, "at") == frames);
        frames += (int)test_number(at, "length");
        assert_true(test_number(at, "start") >= 0);
        assert_true(test_number(at, "end") > test_number(at, "start"));
        count++;
    }
    assert_true(test_number(strstr(text, "\"constraints\":"), "frames") == frames);
    assert_true(test_number(text, "transitions") == count - 1);
    return count;
}

DEMO(a_walk_goes_from_here_to_there)
{
    char *text = test_reply("marey graph walk demo.marey standard --from walk_left#300 --to "
                            "sits#400 -o to.bvh --json");
    int count = check_pieces(text);
    assert_true(count > 1);
    assert_non_null(strstr(text, "\"kind\":\"to\",\"arrived\":true,\"path_cm\":null"));
    const char *first = strstr(text, "{\"at\":0,"), *last = first;
    while (strstr(last + 1, "{\"at\":")) last = strstr(last + 1, "{\"at\":");
    assert_non_null(strstr(first, "\"clip\":\"walk_left\""));
    assert_true(test_number(first, "start") == 300);
    assert_true(strncmp(strstr(last, "\"clip\":"), "\"clip\":\"sits\"", 13) == 0);
    assert_true(test_number(last, "end") == 401);
}

DEMO(a_walk_is_as_long_as_wanted_and_the_same_every_time)
{
    char *text = test_reply("marey graph walk demo.marey standard --length 5s -o a.bvh --json");
    check_pieces(text);
    assert_true(test_number(strstr(text, "\"constraints\":"), "frames") ==
                300); /* the clips' 60 a second */
    assert_true(test_number(strstr(text, "\"constraints\":"), "fps") == 60);
    assert_true(test_number(text, "jump_ratio") < 1.15);
    assert_true(test_number(text, "slide_after_cm") < 0.5);
    test_run_well("marey graph walk demo.marey standard --length 300 -o b.bvh --threads 2 --quiet");
    test_same_file("a.bvh", "b.bvh");
    test_run_well("marey graph walk demo.marey standard --length 300 -o c.bvh --seed 2 --quiet");
    size_t a_bytes, c_bytes;
    char *a = test_file_read("a.bvh", &a_bytes), *c = test_file_read("c.bvh", &c_bytes);
    assert_true(a_bytes != c_bytes || memcmp(a, c, a_bytes) != 0);
    free(a);
    free(c);
    test_run_well("marey graph walk demo.marey standard --length 60 --rough -o r.bvh --quiet");
    test_run_well("marey graph walk demo.marey standard --length 60 --leave-feet -o l.bvh --quiet");
}

/* Frames of pieces and plants are those of the clip that was written, at any rate. */
DEMO(a_walk_has_the_rate_asked_for)
{
    static const double rates[] = { 24, 30, 119.88 };
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) {
        char line[256];
        snprintf(line, sizeof line,
                 "marey graph walk demo.marey standard --length 4s --style walk --fps %g -o f.bvh "
                 "--json",
                 rates[i]);
        char *text = test_reply(line);
        const char *end = strstr(text, "\"constraints\":");
        check_pieces(text);
        assert_true(test_number(end, "frames") == round(4 * rates[i]));
        assert_true(fabs(test_number(end, "fps") - rates[i]) < 0.01);
        assert_true(test_number(text, "slide_after_cm") < 0.5);
        assert_true(test_number(text, "jump_ratio") < 1.15);
    }
    test_fails("marey graph walk demo.marey standard --length 4s --fps 0 -o f.bvh", 2, "--fps");
}

/* The same command, with pieces that are interpolated and say of what. */
DEMO(a_connected_graph_is_used_the_same_way)
{
    char *text = test_reply("marey graph walk demo.marey connected --length 10s -o a.bvh "
                            "--provenance --json");
    check_pieces(text);
    const char *mixed = strstr(text, "\"other\":");
    assert_non_null(mixed);
    assert_true(test_number(mixed, "weight") > 0 && test_number(mixed, "weight") < 1);
    assert_true(test_number(mixed, "other_end") > test_number(mixed, "other_start"));
    assert_true(test_number(text, "jump_ratio") < 1.2);
    test_file_has("a.bvh.provenance.json", "\"weight\":0.5");
    text = test_reply("marey graph walk demo.marey connected --through walk,sit -o l.bvh --json");
    assert_non_null(strstr(text, "\"arrived\":true"));
    test_run_well("marey graph build demo.marey c sits --kind connected --mu 2 --weights 0.3,0.6 "
                  "--smoothness 0 --fps 10 --quiet");
}

/* From one example of an action to a walk that does it, in three commands. */
DEMO(what_a_search_labels_is_done_whole)
{
    test_run_well("marey search demo.marey sits#108-230 --label-matches down --quiet");
    test_run_well("marey graph build demo.marey acts sits walk_left --quiet");
    char *text = test_reply("marey graph walk demo.marey acts --through down,walk,down -o a.bvh "
                            "--json");
    assert_non_null(strstr(text, "\"arrived\":true"));
    /* All of a stretch is in one piece. */
    int whole = 0;
    for (const char *at = text; (at = strstr(at, "\"label\":\"down\"")); at++) {
        const char *piece = at;
        while (piece[0] != '{') piece--;
        double start = test_number(piece, "start"), end = test_number(piece, "end");
        static const int stretches[][2] = { { 108, 230 }, { 532, 656 }, { 921, 1037 } };
        for (int i = 0; i < 3; i++)
            whole += start <= stretches[i][0] + 1 && end >= stretches[i][1] - 1;
    }
    assert_int_equal(whole, 2);
}

DEMO(a_walk_does_what_its_labels_say)
{
    char *text = test_reply("marey graph walk demo.marey standard --through walk,sit -o l.bvh "
                            "--json");
    check_pieces(text);
    assert_non_null(strstr(text, "\"arrived\":true"));
    assert_non_null(strstr(text, "\"clip\":\"walk_left\""));
    assert_non_null(strstr(text, "\"clip\":\"sits\""));
    text = test_reply("marey graph walk demo.marey standard --length 90 --style walk -o s.bvh "
                      "--json");
    assert_null(strstr(text, "\"clip\":\"sits\""));
}

DEMO(a_walk_follows_a_path)
{
    static const char points[] = "x,z\n0,0\n0,300\n";
    char *text = test_reply("marey graph walk demo.marey standard --path '0,0 0,300' --effort "
                            "20000 -o p.bvh --json");
    check_pieces(text);
    assert_true(test_number(text, "path_cm") < 30);
    assert_true(test_number(text, "path_worst_cm") >= test_number(text, "path_cm"));
    test_file_write("path.csv", points, sizeof points - 1);
    test_run_well("marey graph walk demo.marey standard --path path.csv --effort 20000 -o q.bvh "
                  "--quiet");
    test_same_file("p.bvh", "q.bvh");
}

DEMO(a_walk_is_at_places_at_times)
{
    char *text = test_reply("marey graph walk demo.marey standard --at 5s:100,-150 --at "
                            "8s:100,-150 --avoid 200,100,40 --effort 20000 -o g.bvh --json");
    check_pieces(text);
    assert_non_null(strstr(text, "\"kind\":\"goals\",\"arrived\":true"));
    assert_non_null(strstr(text, "\"goals\":[{\"at_s\":5,\"x_cm\":100,\"z_cm\":-150,"));
    assert_true(test_number(text, "error_cm") < 30);
    assert_true(test_number(text, "clearance_cm") > 15);
    assert_true(test_number(strstr(text, "\"constraints\":"), "frames") == 481);
    /* In frames of what is made it is the same. */
    test_run_well("marey graph walk demo.marey standard --at 300:100,-150 --at "
                  "480:100,-150 --avoid 200,100,40 --effort 20000 -o h.bvh --quiet");
    test_same_file("g.bvh", "h.bvh");
    text = test_reply("marey graph walk demo.marey standard --at 1s:900,0 --effort 2000 -o far.bvh "
                      "--json");
    assert_non_null(strstr(text, "\"arrived\":false"));
    assert_true(test_number(text, "error_cm") > 300);
}

DEMO(a_made_walk_remembers_its_pieces)
{
    test_run_well("marey label demo.marey walk_left --licence 'CC BY-NC 4.0' --quiet");
    char *text = test_reply("marey graph walk demo.marey standard --length 4s --style walk -o "
                            "demo.marey:round --provenance --json");
    int pieces = check_pieces(text);
    assert_non_null(strstr(text, "\"path\":\"demo.marey:round\""));
    opened of = open_graph("demo.marey", "standard");
    marey_listing *listing = NULL;
    int count;
    assert_int_equal(marey_library_list(of.library, NULL, &listing, NULL), MAREY_OK);
    const marey_entry *entries = marey_listing_entries(listing, &count);
    for (int i = 0; i < count; i++) {
        if (strcmp(entries[i].name, "round") != 0) continue;
        assert_non_null(strstr(entries[i].provenance, "\"made_by\":\"graph walk\""));
        assert_non_null(strstr(entries[i].provenance, "\"graph\":\"standard\""));
        assert_int_equal(test_parts_count(entries[i].provenance, "\"clip\":\"walk_left\""), pieces);
        assert_non_null(strstr(entries[i].licence, "CC BY-NC 4.0"));
        count = -1;
        break;
    }
    assert_int_equal(count, -1);
    marey_listing_free(listing);
    close_graph(&of);
    text = test_reply("marey contacts -L demo.marey round --json");
    assert_true(test_parts_count(text, "\"joint\":") > 0);
}

/* The clip's licence is said once, however many pieces of it there are. */
DEMO(a_non_commercial_source_is_said_once)
{
    test_run_well("marey label demo.marey walk_left --licence 'CC BY-NC 4.0' --quiet");
    test_run run = test_run_make();
    assert_int_equal(test_run_line(&run, "marey graph walk demo.marey standard --length 6s --style "
                                         "walk -o n.bvh"),
                     0);
    assert_int_equal(test_parts_count(run.err.bytes, "non-commercial"), 1);
    test_run_free(&run);
}

/* ---- control --------------------------------------------------------------------------------- */

DEMO(wishes_are_followed)
{
    static const char script[] = "time,direction,speed\n0,1.2,0\n1,1.2,110\n";
    test_file_write("inputs.csv", script, sizeof script - 1);
    test_fails("marey graph control demo.marey standard --script inputs.csv -o w.bvh", 1,
               "the graph standard has no policy yet: marey graph train demo.marey standard");
    char *text = test_reply("marey graph train demo.marey standard --directions 16 --json");
    assert_true(test_number(text, "directions") == 16 && test_number(text, "rounds") > 1);
    text = test_reply("marey graph ls demo.marey --json");
    assert_non_null(strstr(text, "\"policy\":true"));
    text = test_reply("marey graph control demo.marey standard --script inputs.csv --length 8s "
                      "-o w.bvh --json");
    check_pieces(text);
    double control = test_number(text, "control"), transition = test_number(text, "transition");
    assert_true(control > 0.3 && control <= 1 && transition > 0.5 && transition <= 1);
    assert_true(fabs(test_number(text, "total") - control * transition) < 1e-9);
    assert_true(test_number(strstr(text, "\"constraints\":"), "frames") == 480);
    /* The clip goes where the wish says, seen from above; it has curves to the left alone, so only
       on the whole. */
    marey_ctx *ctx = test_ctx();
    marey_clip *clip = test_clip_load(ctx, "w.bvh");
    const marey_skeleton *skeleton = marey_clip_skeleton(clip);
    double *room = malloc((size_t)skeleton->joint_count * 6 * sizeof *room), at[2][2];
    float *turns = malloc((size_t)skeleton->joint_count * 4 * sizeof *turns);
    double *places = room + 3 * skeleton->joint_count;
    for (int i = 0; i < 2; i++) {
        marey_clip_sample(clip, i ? 7.9 : 2, places, turns);
        marey_pose_positions(skeleton, places, turns, room);
        at[i][0] = room[0];
        at[i][1] = room[2];
    }
    double x = at[1][0] - at[0][0], z = at[1][1] - at[0][1];
    assert_true(hypot(x, z) > 100);
    assert_true(fabs(remainder(atan2(-z, x) - 1.2, 2 * M_PI)) < 0.5);
    free(turns);
    free(room);
    marey_clip_free(clip);
    marey_ctx_close(ctx);
    /* It goes with its graph. */
    test_run_well("marey graph build demo.marey standard walk_left --quiet");
    test_fails("marey graph control demo.marey standard --script inputs.csv -o w.bvh", 1,
               "has no policy yet");
    /* Matching needs none, and may begin at any frame. */
    text = test_reply("marey graph control demo.marey standard --script inputs.csv --length 8s "
                      "--controller matching --from walk_left#4 -o w.bvh --json");
    check_pieces(text);
    assert_non_null(strstr(text, "\"controller\":\"matching\""));
    assert_true(test_number(text, "control") > 0.2 && test_number(text, "searches") >= 80);
    assert_true(test_number(strstr(text, "\"pieces\":"), "start") == 4);
    test_run_well("marey cut demo.marey walk_left#0-40 short --quiet");
    test_run_well("marey graph build demo.marey tiny short --quiet");
    test_fails("marey graph control demo.marey tiny --script inputs.csv --controller matching "
               "-o w.bvh",
               1, "no clip of this graph is longer than 1 s");
}

DEMO(wrong_scripts_are_refused_where_they_are_wrong)
{
    static const test_wrong_file wrong[] = {
        { "time,direction,speed\n", "there is no line of inputs" },
        { "0,1\n", "inputs.csv:1:4: expected a speed in cm/s, found the end of the line" },
        { "0,1,2,3\n", "inputs.csv:1:6: an input has a time, a direction and a speed" },
        { "1,0,5\n1,0,5\n", "inputs.csv:2:1: times must rise" },
        { "0,0,-5\n", "a speed is not negative" },
        { "0,east,5\n", "expected a direction in radians, found \"east\"" },
        { "-1,0,5\n", "times count from 0 on" },
    };
    TEST_FAIL_FILES(wrong, "inputs.csv",
                    "marey graph control demo.marey standard --script inputs.csv -o w.bvh");
}

/* ---- what is refused ------------------------------------------------------------------------- */

DEMO(wrong_requests_are_refused_by_name)
{
    static const test_wrong_line wrong[] = {
        { "marey graph", 2, "say which: graph build, sweep, stats" },
        { "marey graph wlak", 2, "did you mean \"graph walk\"" },
        { "marey graph build demo.marey g --kind conected", 2, "connected" },
        { "marey graph build demo.marey g --mu 5", 2, "--mu is only for --kind connected" },
        { "marey graph build demo.marey g sits --label sit", 2, "--label is only for graphs" },
        { "marey graph build demo.marey g --metric angles", 2, "--threshold is missing" },
        { "marey graph build demo.marey g --sweep 20,10", 2, "--sweep must be rising numbers" },
        { "marey graph build demo.marey g --kind connected --weights 0.5,2", 2,
          "--weights must be rising numbers" },
        { "marey graph build demo.marey g sist", 1, "no clip is called sist; is it sits?" },
        { "marey graph build demo.marey g --label fly", 1, "no clip has the label fly; marey ls" },
        { "marey graph build demo.marey a/b sits", 2, "name must be a name of at most 200 bytes" },
        { "marey graph stats demo.marey standart", 1,
          "no graph is called standart; is it standard?" },
        { "marey graph stats demo.marey x", 1, "marey graph ls lists those there are" },
        { "marey graph stats demo.marey standard --matrix m.bvh", 2, "--matrix takes a name" },
        { "marey graph walk demo.marey standard --length 5s", 2, "-o OUT is needed" },
        { "marey graph walk demo.marey standard -o a.bvh", 2, "a walk must have one of --length" },
        { "marey graph walk demo.marey standard --length 5m -o a.bvh", 2,
          "--length must be frames" },
        { "marey graph walk demo.marey standard --length 5s --path '0,0 1,1' -o a.bvh", 2,
          "kinds of walk: one of these" },
        { "marey graph walk demo.marey standard --at 4s:1 -o a.bvh", 2,
          "--at must be a time and a place" },
        { "marey graph walk demo.marey standard --at 4s:1,nan -o a.bvh", 2,
          "--at must be a time and a place" },
        { "marey graph walk demo.marey standard --at 4s:1,2 --to sits#400 -o a.bvh", 2,
          "--to is for walks" },
        { "marey graph walk demo.marey standard --at 4s:1,2 --length 4s -o a.bvh", 2,
          "kinds of walk: one of these" },
        { "marey graph walk demo.marey standard --at 4s:1,2 --at 3s:1,2 -o a.bvh", 1,
          "times of goals must rise" },
        { "marey graph walk demo.marey standard --at 4s:100,2 --avoid 90,0,9 -o a.bvh", 1,
          "goal 1 must be at least 25 cm from the edge of obstacle 1, got 1 cm" },
        { "marey graph walk demo.marey standard --at 4s:1,2 --avoid 90,0 -o a.bvh", 2,
          "--avoid must be x, z and a positive radius" },
        { "marey graph walk demo.marey standard --length 4s --avoid 90,0,9 -o a.bvh", 2,
          "--avoid is only for --path and --at" },
        { "marey graph walk demo.marey standard --length 4s --effort 9 -o a.bvh", 2,
          "--effort is only for --path and --at" },
        { "marey graph walk demo.marey standard --path '0,0' -o a.bvh", 2,
          "--path must be at least 2 rows of 2 numbers" },
        { "marey graph walk demo.marey standard --path '0,0 1' -o a.bvh", 2,
          "--path must be at least 2 rows of 2 numbers" },
        { "marey graph walk demo.marey standard --path no.csv -o a.bvh", 1, "no.csv: cannot read" },
        { "marey graph walk demo.marey standard --through walk,,sit -o a.bvh", 2,
          "--through must be a list of texts" },
        { "marey graph walk demo.marey standard --through wlak -o a.bvh", 1, "walk" },
        { "marey graph walk demo.marey standard --to sits -o a.bvh", 1, "one frame of a clip" },
        { "marey graph walk demo.marey standard --to sit#20 -o a.bvh", 1, "is it sits?" },
        { "marey graph walk demo.marey standard --to sits#99999 -o a.bvh", 1,
          "frame 99999 is no captured frame in the graph standard; the nearest usable frame is "
          "sits#" },
        { "marey graph walk demo.marey standard --to sits#0 -o a.bvh", 1,
          "frame 0 has no way in with room for a piece in the graph standard; the nearest usable "
          "frame "
          "is sits#" },
        { "marey graph walk demo.marey standard --to sits#20 --seed 3 -o a.bvh", 2,
          "--seed is only for --length" },
        { "marey graph train demo.marey standard --speeds 5,3", 2,
          "--speeds must be rising numbers" },
        { "marey graph control demo.marey standard -o a.bvh", 2, "--script is missing" },
        { "marey graph control demo.marey standard --controller match -o a.bvh", 2, "matching" },
        { "marey graph rm demo.marey x", 1, "no graph is called x" },
    };
    TEST_FAIL_ALL(wrong);
    assert_int_not_equal(access("a.bvh", F_OK), 0);
}

DEMO(a_graph_whose_clip_is_removed_is_listed_and_says_which)
{
    test_run_well("marey rm demo.marey sits --quiet");
    char *list = test_reply("marey graph ls demo.marey --json");
    assert_non_null(strstr(list, "\"name\":\"standard\""));
    test_fails("marey graph stats demo.marey standard", 1,
               "the graph standard needs the clip sits");
    test_run_well("marey restore demo.marey sits --quiet");
    test_run_well("marey graph stats demo.marey standard");
}

/* ---- when the machine fails ------------------------------------------------------------------ */

static const char *const lines[] = {
    "marey graph stats m.marey g --sweep 1,3 --matrix m.png --closure c.png --json",
    "marey graph walk m.marey g --length 20 -o out.bvh --provenance --json",
    "marey graph walk m.marey g --through step --dwell 0 -o out.bvh --json",
    "marey graph control m.marey g --script w.csv -o out.bvh --json",
    "marey graph ls m.marey --json",
};
enum { LINES = sizeof lines / sizeof *lines };

static void check_files(const test_run *run, void *user)
{
    (void)run;
    (void)user;
    static const char *const made[] = { "out.bvh", "out.bvh.provenance.json", "m.png", "c.png" };
    for (int i = 0; i < 4; i++) unlink(made[i]);
    assert_int_equal(test_folder_count("."), 5);
}

PERSONS(refused_memory_ends_with_status_3)
{
    for (int i = 0; i < LINES; i++) sweep_memory(lines[i], check_files, NULL);
}

PERSONS(a_graph_is_kept_or_not_at_all)
{
    sweep_change("marey graph ls m.marey --json",
                 "marey graph build m.marey h a b --threshold 3 --json", "\"name\":\"h\"",
                 "marey graph rm m.marey h --quiet");
    test_run_well("marey graph build m.marey g a b --threshold 3 --quiet"); /* without its policy */
    sweep_change("marey graph ls m.marey --json",
                 "marey graph train m.marey g --directions 8 --speeds 0,100 --json",
                 "\"policy\":true", "marey graph build m.marey g a b --threshold 3 --quiet");
}

PERSONS(full_standard_output_and_a_cancelled_run_are_told)
{
    for (int i = 0; i < LINES; i++) {
        test_full_output(lines[i]);
    }
    static const char *const long_lines[] = {
        "marey graph build m.marey g a b --threshold 3",
        "marey graph stats m.marey g --matrix m.png",
        "marey graph walk m.marey g --length 20 -o out.bvh",
        "marey graph train m.marey g",
    };
    for (size_t i = 0; i < sizeof long_lines / sizeof *long_lines; i++) {
        test_cancelled(long_lines[i]);
    }
}

TEST_GROUP_OF_CASES(test_graph_program, NULL, NULL)
