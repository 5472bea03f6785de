/* test_studio_cluster_make.c - motion made by way of cluster graphs in the studio: stitches and loops are those of the program,
   ways along nodes the cheapest there are. */
#include "cluster_bench.h"

/* ---- made --------------------------------------------------------------------------------------- */

static void made_as_the_program(graph_bench *all, api_run run, const char *body, const char *line)
{
    static const char *const keys[] = { "jump_ratio", "slide_after_cm", NULL };
    static int made;
    char text[512], whole[512], one[16], other[16];
    snprintf(one, sizeof one, "api%d", ++made);
    snprintf(other, sizeof other, "cli%d", made);
    snprintf(text, sizeof text, "{'cluster': 'few', 'name': '%s', %s}", one, body);
    snprintf(whole, sizeof whole, "%s -o lib.marey:%s --json", line, other);
    json_t *got = graph_json(all, run, text, 200), *said = program_json(whole);
    assert_string_equal(word(got, "name"), one);
    assert_int_equal(number(got, "id"), bench_id(&all->b, one));
    same_values(got, said, keys);
    if (run == do_cluster_stitch) {
        static const char *const way[] = { "cost", "direct", NULL };
        static const char *const place[] = { "node", "from", "to", "cost", NULL };
        same_values(got, said, way);
        assert_int_equal(size_of(got, "switches"), size_of(said, "switches"));
        for (size_t i = 0; i < size_of(got, "switches"); i++)
            same_values(item(got, "switches", i), item(said, "switches", i), place);
        made_pieces_fit(got);
    }
    made_same(all, one, other);
    made_removed(all, one);
    made_removed(all, other);
    json_decref(said);
    json_decref(got);
}

#define STITCH_LINE "marey cluster stitch lib.marey few short_walk short_left"

TEST(stitches_are_those_of_the_program)
{
    graph_bench *all = *state;
    api_run run = do_cluster_stitch;
    made_as_the_program(all, run, "'a': $walk, 'b': $left", STITCH_LINE);
    made_as_the_program(all, run, "'a': $walk, 'b': $left, 'leave': 120, 'within': 0.5",
                        STITCH_LINE " --leave 120 --within 0.5");
    made_as_the_program(all, run, "'a': $walk, 'b': $left, 'enter': 150, 'leave_feet': true",
                        STITCH_LINE " --enter 150 --leave-feet");
    made_as_the_program(all, run, "'a': $walk, 'b': $left, 'rough': true", STITCH_LINE " --rough");
}

TEST(a_stitch_begins_and_ends_where_it_should)
{
    graph_bench *all = *state;
    made_bytes got = made_ask(all, do_cluster_stitch,
                              "{'cluster': 'few', 'a': {'clip': $walk, 'start': 10}, "
                              "'b': {'clip': $left, 'start': 280}, 'leave': 100, 'within': 1}");
    const json_t *first = item(got.said, "pieces", 0), *change = item(got.said, "switches", 0);
    const json_t *last = item(got.said, "pieces", size_of(got.said, "pieces") - 1);
    made_pieces_fit(got.said);
    assert_int_equal(number(first, "start"), 10);
    assert_int_equal(number(last, "end"), 281);
    assert_int_equal(number(last, "id"), all->short_left);
    assert_true(fabs(number(change, "from") - 100) <= 60);
    assert_int_equal(number(change, "at"), number(first, "length"));
    assert_int_equal(number(change, "from") + 1, number(first, "end"));
    assert_true(number(got.said, "jump_ratio") < 1.2);
    assert_true(number(got.said, "slide_after_cm") < 0.5);
    made_free(&got);
    api_refused(&all->b, do_cluster_stitch, 0, NULL,
                graph_text(all, "{'cluster': 'apart', 'a': $walk, 'b': $left}"), 400, "input",
                "short_left");
}

TEST(loops_are_made_as_the_program_does)
{
    graph_bench *all = *state;
    api_run run = do_cluster_loop;
    made_as_the_program(all, run, "'clip': $left", "marey cluster loop lib.marey few short_left");
    made_as_the_program(all, run, "'clip': $left, 'shortest': 1.5",
                        "marey cluster loop lib.marey few short_left --shortest 1.5");
    made_as_the_program(all, run, "'clip': $walk, 'leave_feet': true",
                        "marey cluster loop lib.marey few short_walk --leave-feet");
    /* Any of those that were told. */
    const char *list = graph_text(all, "{'cluster': 'few', 'clip': $left}");
    json_t *told = api_json(&all->b, run, 0, "list=1", list, 200);
    const json_t *last = item(told, "loops", size_of(told, "loops") - 1);
    char body[256];
    snprintf(body, sizeof body, "{'cluster': 'few', 'clip': $left, 'at': [%.0f, %.0f]}",
             number(last, "start"), number(last, "end"));
    made_bytes got = made_ask(all, run, body);
    const json_t *one = item(got.said, "loops", 0);
    assert_int_equal(size_of(got.said, "loops"), 1);
    assert_true(number(one, "start") == number(last, "start"));
    assert_true(number(one, "cost") == number(last, "cost"));
    assert_true(number(one, "seam_ratio") < 2);
    double frames = number(got.said, "frames");
    made_free(&got);
    snprintf(body + strlen(body) - 1, 32, ", 'in_place': true}");
    got = made_ask(all, run, body);
    assert_true(number(got.said, "frames") == frames);
    assert_int_equal(size_of(got.said, "slides"), 0); /* the floor moves under planted feet */
    made_free(&got);
    json_decref(told);
}

TEST(what_is_made_can_be_had_as_a_file)
{
    graph_bench *all = *state;
    json_t *result = graph_done(all, do_cluster_stitch,
                                "{'cluster': 'few', 'a': $walk, 'b': $left, 'output': 'few.bvh'}");
    bench_program(STITCH_LINE " -o made.bvh --quiet");
    assert_string_equal(word(result, "name"), "few.bvh");
    studio_response file =
        api_ask(&all->b, api_job_file, (int64_t)number(result, "job"), NULL, NULL);
    const studio_bytes *content = file.lent ? &file.lent->content : &file.body;
    size_t count = 0;
    char *made = test_file_read("made.bvh", &count);
    assert_int_equal(content->count, count);
    assert_memory_equal(content->data, made, count);
    free(made);
    answer_clear(&file);
    json_decref(result);
    json_decref(
        graph_done(all, do_cluster_loop, "{'cluster': 'few', 'clip': $left, 'output': 'few.glb'}"));
}

/* ---- along nodes -------------------------------------------------------------------------------- */

/* The nodes that a motion is in, one after the other, each once. */
static int nodes_of(const open_clusters *of, const json_t *said, int *out, int room)
{
    int count = 0;
    for (size_t i = 0; i < size_of(said, "pieces"); i++) {
        const json_t *piece = item(said, "pieces", i);
        int part = 0;
        while (of->parts->parts[part].clip != (int64_t)number(piece, "id")) part++;
        for (int f = (int)number(piece, "start"); f < number(piece, "end"); f++) {
            int s = marey_clusters_find(of->graph, part, f);
            assert_true(s >= 0);
            if (count > 0 && out[count - 1] == of->sequences[s].node) continue;
            assert_true(count < room);
            out[count++] = of->sequences[s].node;
        }
    }
    return count;
}

/* Every choice of sequences to leave three nodes by, switches where they do not follow. */
static double cheapest(graph_bench *all, const open_clusters *of, const int nodes[4])
{
    double best = INFINITY;
    int tried = 0;
    for (int a = 0; a < of->sequence_count; a++) {
        int b = of->sequences[a].next;
        if (of->sequences[a].node != nodes[0] || b < 0 || of->sequences[b].node != nodes[1])
            continue;
        for (int c = 0; c < of->sequence_count; c++) {
            int d = of->sequences[c].next;
            if (of->sequences[c].node != nodes[1] || d < 0 || of->sequences[d].node != nodes[2])
                continue;
            for (int e = 0; e < of->sequence_count; e++) {
                int f = of->sequences[e].next;
                if (of->sequences[e].node != nodes[2] || f < 0 || of->sequences[f].node != nodes[3])
                    continue;
                double cost = 0;
                const int pairs[2][2] = { { b, c }, { d, e } };
                for (int i = 0; i < 2; i++) {
                    marey_cluster_switch s = { .cost = INFINITY };
                    int found = 0;
                    if (pairs[i][0] == pairs[i][1]) continue;
                    assert_int_equal(marey_clusters_switches(all->b.by.ctx, of->graph, pairs[i][0],
                                                             pairs[i][1], 1, &s, &found, NULL),
                                     MAREY_OK);
                    cost += found ? 1 + s.cost / 100 : INFINITY;
                }
                tried++;
                if (cost < best) best = cost;
            }
        }
    }
    assert_true(tried > 0);
    return best;
}

static bool has_edge(const marey_cluster_edge *edges, int count, int from, int to)
{
    for (int i = 0; i < count; i++) {
        if (edges[i].from == from && edges[i].to == to) return true;
    }
    return false;
}

/* How many switches the way along these nodes has. */
static size_t check_way(graph_bench *all, const open_clusters *of, const int nodes[4])
{
    char body[128];
    int got_nodes[4];
    snprintf(body, sizeof body, "{'cluster': 'fine', 'nodes': [%d, %d, %d, %d]}", nodes[0],
             nodes[1], nodes[2], nodes[3]);
    made_bytes got = made_ask(all, do_cluster_stitch, body);
    size_t switches = size_of(got.said, "switches");
    assert_true(fabs(number(got.said, "cost") - cheapest(all, of, nodes)) < 1e-9);
    assert_int_equal(nodes_of(of, got.said, got_nodes, 4), 4);
    assert_memory_equal(got_nodes, nodes, sizeof got_nodes);
    made_pieces_fit(got.said);
    assert_int_equal(size_of(got.said, "pieces"), switches + 1);
    for (size_t i = 0; i < switches; i++) {
        const json_t *one = item(got.said, "switches", i);
        assert_true(number(item(got.said, "pieces", i), "end") == number(one, "from") + 1);
        assert_true(number(item(got.said, "pieces", i + 1), "start") == number(one, "to") + 1);
        assert_true(number(item(got.said, "pieces", i + 1), "at") == number(one, "at"));
    }
    made_free(&got);
    return switches;
}

/* Ways of four nodes along edges: some are in one clip, others need a switch. */
TEST(a_way_along_nodes_is_the_cheapest_of_all)
{
    enum { MOST = 200 };
    graph_bench *all = *state;
    open_clusters of = judge(all, "fine");
    int edges, ways = 0, switched = 0;
    const marey_cluster_edge *edge = marey_clusters_edges(of.graph, &edges);
    for (int i = 0; i < edges * edges && ways < MOST; i++) {
        const marey_cluster_edge *first = &edge[i / edges], *last = &edge[i % edges];
        int nodes[4] = { first->from, first->to, last->from, last->to };
        if (!has_edge(edge, edges, nodes[1], nodes[2])) continue;
        switched += check_way(all, &of, nodes) > 0;
        ways++;
    }
    judge_free(&of);
    if (switched < 3 || ways - switched < 3) fail_msg("%d of %d ways switch", switched, ways);
}

TEST(where_no_edge_leads_the_shortest_way_is_taken)
{
    enum { ROOM = 64 };
    graph_bench *all = *state;
    open_clusters of = judge(all, "few");
    int edges, got_nodes[ROOM], far = -1;
    const marey_cluster_edge *edge = marey_clusters_edges(of.graph, &edges);
    int start = edge[0].from;
    /* Two edges away, and not one. */
    for (int i = 0; i < edges && far < 0; i++) {
        for (int k = 0; k < edges && edge[i].from == start && far < 0; k++) {
            if (edge[k].from == edge[i].to && edge[k].to != start) far = edge[k].to;
        }
        for (int k = 0; k < edges && far >= 0; k++) {
            if (edge[k].from == start && edge[k].to == far) far = -1;
        }
    }
    assert_true(far >= 0);
    char body[128];
    snprintf(body, sizeof body, "{'cluster': 'few', 'nodes': [%d, %d]}", start, far);
    made_bytes got = made_ask(all, do_cluster_stitch, body);
    assert_int_equal(nodes_of(&of, got.said, got_nodes, ROOM), 3);
    assert_int_equal(got_nodes[0], start);
    assert_int_equal(got_nodes[2], far);
    made_free(&got);
    judge_free(&of);
    of = judge(all, "apart");
    int other = of.sequences[of.sequence_count - 1].node;
    for (int i = 0; i < of.sequence_count; i++) {
        if (of.sequences[i].clip == 1) other = of.sequences[i].node;
    }
    snprintf(body, sizeof body, "{'cluster': 'apart', 'nodes': [%d, %d]}", of.sequences[0].node,
             other);
    api_refused(&all->b, do_cluster_stitch, 0, NULL, graph_text(all, body), 400, "input",
                "no edges");
    judge_free(&of);
}

TEST_GROUP_OF_CASES(test_studio_cluster_make, cluster_bench_open, graph_bench_close)
