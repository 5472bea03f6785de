/* test_studio_cluster_make.c - motion made by way of cluster graphs in the studio: stitches and
   loops are those of the program, ways along nodes the cheapest there are. */
#include "cluster_bench.h"

/* ---- made ------------------------------------------------------------------------------------ */

static void as_the_program(api_bench *b, api_run run, const char *fields, const char *line)
{
    const char *const begin[] = { "'cluster': 'few'", "cluster" };
    json_t *said;
    const json_t *got =
        made_as_the_program(b, run, begin, fields, line, "jump_ratio slide_after_cm", &said);
    if (run != do_cluster_stitch) return;
    static const char way[] = "cost direct";
    same_values(got, said, way);
    assert_int_equal(size_of(got, "switches"), size_of(said, "switches"));
    for (size_t i = 0; i < size_of(got, "switches"); i++)
        same_values(item(got, "switches", i), item(said, "switches", i), "node from to cost");
    made_pieces_fit(got);
}

#define STITCH_LINE "stitch lib.marey few walk left"

TEST_OF(api_bench *b, stitches_are_those_of_the_program)
{
    as_the_program(b, do_cluster_stitch, "'a': $walk, 'b': $left", STITCH_LINE);
    as_the_program(b, do_cluster_stitch, "'a': $walk, 'b': $left, 'leave': 120, 'within': 0.5",
                   STITCH_LINE " --leave 120 --within 0.5");
    as_the_program(b, do_cluster_stitch, "'a': $walk, 'b': $left, 'enter': 150, 'leave_feet': true",
                   STITCH_LINE " --enter 150 --leave-feet");
    as_the_program(b, do_cluster_stitch, "'a': $walk, 'b': $left, 'rough': true",
                   STITCH_LINE " --rough");
}

TEST_OF(api_bench *b, a_stitch_begins_and_ends_where_it_should)
{
    OWNED(made_read) got =
        read_made(b, do_cluster_stitch,
                  "{'cluster': 'few', 'a': {'clip': $walk, 'start': 10}, "
                  "'b': {'clip': $left, 'start': 280}, 'leave': 100, 'within': 1}");
    const json_t *first = item(got.said, "pieces", 0), *change = item(got.said, "switches", 0);
    made_pieces_fit(got.said);
    expect(first, "{'start': 10, 'length': %g, 'end': %g}", number(change, "at"),
           number(change, "from") + 1);
    expect(item(got.said, "pieces", size_of(got.said, "pieces") - 1),
           "{'end': 281, 'id': %" PRId64 "}", bench_id(b, "left"));
    test_near(number(change, "from"), 100, 60);
    assert_true(number(got.said, "jump_ratio") < 1.2);
    assert_true(number(got.said, "slide_after_cm") < 0.5);
    refused(b, 400, "input", "left", do_cluster_stitch,
            "{'cluster': 'apart', 'a': $walk, 'b': $left}");
}

TEST_OF(api_bench *b, loops_are_made_as_the_program_does)
{
    as_the_program(b, do_cluster_loop, "'clip': $left", "loop lib.marey few left");
    as_the_program(b, do_cluster_loop, "'clip': $left, 'shortest': 1.5",
                   "loop lib.marey few left --shortest 1.5");
    as_the_program(b, do_cluster_loop, "'clip': $walk, 'leave_feet': true",
                   "loop lib.marey few walk --leave-feet");
    /* Any of those that were listed. */
    const json_t *list = ask(b, do_cluster_loop, "?list=1 {'cluster': 'few', 'clip': $left}");
    const json_t *last = item(list, "loops", size_of(list, "loops") - 1);
    char body[128];
    snprintf(body, sizeof body, "'cluster': 'few', 'clip': $left, 'at': [%g, %g]",
             number(last, "start"), number(last, "end"));
    OWNED(made_read) got = read_made(b, do_cluster_loop, "{%s}", body);
    assert_int_equal(size_of(got.said, "loops"), 1);
    expect(item(got.said, "loops", 0), "{'start': %g, 'cost': %.17g}", number(last, "start"),
           number(last, "cost"));
    assert_true(number(item(got.said, "loops", 0), "seam_ratio") < 2);
    OWNED(made_read) still = read_made(b, do_cluster_loop, "{%s, 'in_place': true}", body);
    assert_true(number(still.said, "frames") == number(got.said, "frames"));
    assert_int_equal(size_of(still.said, "slides"), 0); /* the floor moves under planted feet */
}

TEST_OF(api_bench *b, generated_motion_can_be_had_as_a_file)
{
    const json_t *result = ask_job(
        b, do_cluster_stitch, "{'cluster': 'few', 'a': $walk, 'b': $left, 'output': 'few.bvh'}");
    bench_program("marey cluster " STITCH_LINE " -o made.bvh --quiet");
    assert_string_equal(word(result, "name"), "few.bvh");
    same_export(b, result, "made.bvh");
    ask_job(b, do_cluster_loop, "{'cluster': 'few', 'clip': $left, 'output': 'few.glb'}");
}

/* ---- along nodes ----------------------------------------------------------------------------- */

/* The nodes that a motion is in, one after the other, each once. */
static int nodes_of(const open_clusters *of, const json_t *said, int *out, int room)
{
    int count = 0;
    for (size_t i = 0; i < size_of(said, "pieces"); i++) {
        const json_t *piece = item(said, "pieces", i);
        int part = 0;
        while (of->parts->parts[part].clip != whole(piece, "id")) part++;
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
static double cheapest(api_bench *bench, const open_clusters *of, const int nodes[4])
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
                    assert_int_equal(marey_clusters_switches(bench->by.ctx, of->graph, pairs[i][0],
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
static size_t check_way(api_bench *b, const open_clusters *of, const int nodes[4])
{
    int got_nodes[4];
    OWNED(made_read) got =
        read_made(b, do_cluster_stitch, "{'cluster': 'fine', 'nodes': [%d, %d, %d, %d]}", nodes[0],
                  nodes[1], nodes[2], nodes[3]);
    size_t switches = size_of(got.said, "switches");
    test_near(number(got.said, "cost"), cheapest(b, of, nodes), 1e-9);
    assert_int_equal(nodes_of(of, got.said, got_nodes, 4), 4);
    assert_memory_equal(got_nodes, nodes, sizeof got_nodes);
    made_pieces_fit(got.said);
    assert_int_equal(size_of(got.said, "pieces"), switches + 1);
    for (size_t i = 0; i < switches; i++) {
        const json_t *one = item(got.said, "switches", i);
        expect(item(got.said, "pieces", i), "{'end': %g}", number(one, "from") + 1);
        expect(item(got.said, "pieces", i + 1), "{'start': %g, 'at': %g}", number(one, "to") + 1,
               number(one, "at"));
    }
    return switches;
}

/* Ways of four nodes along edges: some are in one clip, others need a switch. */
TEST_OF(api_bench *b, a_way_along_nodes_is_the_cheapest_of_all)
{
    enum { MOST = 200 };
    OWNED(open_clusters) of = judge(b, "fine");
    int edges, ways = 0, switched = 0;
    const marey_cluster_edge *edge = marey_clusters_edges(of.graph, &edges);
    for (int i = 0; i < edges * edges && ways < MOST; i++) {
        const marey_cluster_edge *first = &edge[i / edges], *last = &edge[i % edges];
        int nodes[4] = { first->from, first->to, last->from, last->to };
        if (!has_edge(edge, edges, nodes[1], nodes[2])) continue;
        switched += check_way(b, &of, nodes) > 0;
        ways++;
    }
    if (switched < 3 || ways - switched < 3) fail_msg("%d of %d ways switch", switched, ways);
}

TEST_OF(api_bench *b, where_no_edge_leads_the_shortest_way_is_taken)
{
    enum { ROOM = 64 };
    OWNED(open_clusters) of = judge(b, "few");
    int edges, got_nodes[ROOM], far = -1;
    const marey_cluster_edge *edge = marey_clusters_edges(of.graph, &edges);
    int start = edge[0].from;
    /* Two edges away, and not one. */
    for (int i = 0; i < edges && far < 0; i++) {
        for (int k = 0; k < edges && edge[i].from == start && far < 0; k++) {
            if (edge[k].from == edge[i].to && edge[k].to != start) far = edge[k].to;
        }
        if (far >= 0 && has_edge(edge, edges, start, far)) far = -1;
    }
    assert_true(far >= 0);
    OWNED(made_read) got =
        read_made(b, do_cluster_stitch, "{'cluster': 'few', 'nodes': [%d, %d]}", start, far);
    assert_int_equal(nodes_of(&of, got.said, got_nodes, ROOM), 3);
    assert_int_equal(got_nodes[0], start);
    assert_int_equal(got_nodes[2], far);
    OWNED(open_clusters) apart = judge(b, "apart");
    int other = apart.sequences[apart.sequence_count - 1].node;
    for (int i = 0; i < apart.sequence_count; i++) {
        if (apart.sequences[i].clip == 1) other = apart.sequences[i].node;
    }
    refused(b, 400, "input", "no edges", do_cluster_stitch,
            "{'cluster': 'apart', 'nodes': [%d, %d]}", apart.sequences[0].node, other);
}

TEST_GROUP_OF_CASES(test_studio_cluster_make, cluster_bench_open, api_bench_close)
