/* test_studio_cluster.c - cluster graphs in the studio: listed, built and looked into, as the
   program and the library do. */
#include "cluster_bench.h"

#include "cluster_graphs.h"

/* ---- what is kept ---------------------------------------------------------------------------- */

static const json_t *named(const json_t *list, const char *name)
{
    for (size_t i = 0; i < size_of(list, "clusters"); i++) {
        if (strcmp(word(item(list, "clusters", i), "name"), name) == 0)
            return item(list, "clusters", i);
    }
    return NULL;
}

TEST_OF(api_bench *b, the_list_is_that_of_the_program)
{
    const json_t *got = ask(b, do_cluster_ls, "{}");
    const json_t *said = program_json("marey cluster ls lib.marey --json");
    assert_int_equal(size_of(got, "links"), MAREY_LINK_COUNT);
    assert_string_equal(word(item(got, "links", 1), "name"), "single");
    expect(got, "{'unit': 'cm2', 'threshold': %.17g}", (double)MAREY_CLUSTER_THRESHOLD);
    assert_int_equal(size_of(got, "clusters"), size_of(said, "clusters"));
    for (size_t i = 0; i < size_of(got, "clusters"); i++)
        same_values(item(got, "clusters", i), item(said, "clusters", i),
                    "name link fps threshold frames nodes sequences bytes made_of");
    const json_t *one = named(got, "few");
    expect(one, "{'clips': 2, 'metric': 'points'}");
    expect(item(one, "made_of", 1), "{'name': 'left', 'id': %" PRId64 "}", bench_id(b, "left"));
}

TEST_OF(api_bench *b, a_cluster_graph_is_described_node_by_node)
{
    const json_t *got = ask(b, api_cluster, "?name=few");
    OWNED(open_clusters) of = judge(b, "few");
    int edges, loops = 0;
    const marey_cluster_edge *edge = marey_clusters_edges(of.graph, &edges);
    for (int i = 0; i < of.node_count; i++) {
        const json_t *one = item(got, "nodes", (size_t)i);
        const marey_cluster_node *node = &of.nodes[i];
        expect(one,
               "{'node': %d, 'frames': %d, 'sequences': %d, 'clips': %d, 'loops': %s, "
               "'id': %" PRId64 ", 'frame': %d}",
               i, node->rows, node->sequences, node->clips, node->loops ? "true" : "false",
               of.parts->parts[node->clip].clip, node->frame);
        assert_true(fabs(number(one, "x")) <= 1 && fabs(number(one, "y")) <= 1);
        loops += node->loops;
    }
    expect(got,
           "{'node_count': %d, 'sequence_count': %d, 'edge_count': %d, 'frames': %d, 'link': "
           "'complete', 'skeleton': {'id': %" PRId64 "}, 'looping': %d}",
           of.node_count, of.sequence_count, edges, marey_clusters_frames(of.graph),
           bench_id(b, "walk"), loops);
    assert_int_equal(size_of(got, "nodes"), of.node_count);
    assert_true(loops > 0 && of.node_count > 5);
    /* The most frequent edges first; all of them are there. */
    assert_int_equal(size_of(got, "edges"), edges);
    double sum = 0, listed = 0, before = INFINITY;
    for (int i = 0; i < edges; i++) {
        double count = number_at(item(got, "edges", (size_t)i), 2);
        assert_true(count <= before);
        before = count;
        listed += count;
        sum += edge[i].count;
    }
    assert_true(listed == sum);
    static const api_refusal rows[] = { { "/", "name" },
                                        { "?name=few&nodes=0", "nodes" },
                                        { "?name=few&nodes=4097", "nodes" },
                                        { "?name=few&edges=20001", "edges" } };
    REFUSED(b, 400, "request", api_cluster, rows);
    refused(b, 404, "input", "few", api_cluster, "?name=fewer");
}

TEST_OF(api_bench *b, the_largest_nodes_are_listed_with_the_edges_between_them)
{
    const json_t *got = ask(b, api_cluster, "?name=few&nodes=4&edges=3");
    OWNED(open_clusters) of = judge(b, "few");
    bool chosen[4096] = { false };
    int least = INT32_MAX, before = -1;
    assert_int_equal(size_of(got, "nodes"), 4);
    for (size_t i = 0; i < 4; i++) {
        int node = (int)number(item(got, "nodes", i), "node");
        assert_true(node > before);
        before = node;
        chosen[node] = true;
        if (of.nodes[node].rows < least) least = of.nodes[node].rows;
    }
    for (int i = 0; i < of.node_count; i++) assert_true(chosen[i] || of.nodes[i].rows <= least);
    assert_true(size_of(got, "edges") <= 3);
    for (size_t i = 0; i < size_of(got, "edges"); i++) {
        const json_t *one = item(got, "edges", i);
        assert_true(chosen[(int)number_at(one, 0)] && chosen[(int)number_at(one, 1)]);
    }
}

/* ---- how nodes look -------------------------------------------------------------------------- */

static double apart(const double *a, const double *b)
{
    return hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]);
}

/* Turned and moved, and nothing else: all distances between joints are those of the frame. */
static void same_pose(const marey_clip *clip, int frame, const float *floats)
{
    enum { MOST = 64 };
    const marey_skeleton *skeleton = marey_clip_skeleton(clip);
    int joints = skeleton->joint_count;
    double places[3 * MOST], pose[3 * MOST];
    assert_true(joints <= MOST);
    marey_clip_positions(clip, frame, 1, places);
    for (int i = 0; i < 3 * joints; i++) pose[i] = (double)floats[i];
    for (int i = 0; i < joints; i++) {
        for (int j = 0; j < i; j++)
            test_near(apart(pose + 3 * i, pose + 3 * j), apart(places + 3 * i, places + 3 * j),
                      1e-3);
        test_near(pose[3 * i + 1], places[3 * i + 1], 1e-3);
    }
    const double *left = pose + 3 * skeleton->roles[MAREY_ROLE_LEFT_HIP];
    const double *right = pose + 3 * skeleton->roles[MAREY_ROLE_RIGHT_HIP];
    assert_true(pose[0] == 0 && pose[2] == 0);
    assert_true(left[0] > right[0] && fabs(left[2] - right[2]) < 1e-3);
}

TEST_OF(api_bench *b, poses_are_those_of_the_middles)
{
    OWNED(open_clusters) of = judge(b, "few");
    OWNED(studio_response) got = api_ask(b, api_cluster_poses, "?name=few&nodes=4096");
    const marey_skeleton *skeleton = marey_clip_skeleton(of.parts->clips[0]);
    size_t joints = (size_t)skeleton->joint_count, nodes = (size_t)of.node_count;
    uint32_t numbers[3];
    assert_int_equal(got.status, 200);
    assert_int_equal(got.body.count, 16 + 4 * joints + 4 * nodes + 12 * joints * nodes);
    assert_memory_equal(got.body.data, "MRYP", 4);
    memcpy(numbers, got.body.data + 4, sizeof numbers);
    assert_true(numbers[0] == 1 && numbers[1] == nodes && numbers[2] == joints);
    for (size_t j = 0; j < joints; j++) {
        int32_t parent;
        memcpy(&parent, got.body.data + 16 + 4 * j, 4);
        assert_int_equal(parent, skeleton->joints[j].parent);
    }
    const float *poses = (const float *)(const void *)(got.body.data + 16 + 4 * joints + 4 * nodes);
    for (size_t i = 0; i < nodes; i++) {
        uint32_t node;
        memcpy(&node, got.body.data + 16 + 4 * joints + 4 * i, 4);
        assert_int_equal(node, i);
        same_pose(of.parts->clips[of.nodes[i].clip], of.nodes[i].frame, poses + 3 * joints * i);
    }
}

/* Nodes that look alike are drawn nearer to each other than others, on the whole. */
TEST_OF(api_bench *b, similar_poses_are_drawn_near_each_other)
{
    json_t *got = ask(b, api_cluster, "?name=few");
    OWNED(studio_response) bytes_got = api_ask(b, api_cluster_poses, "?name=few");
    uint32_t numbers[3];
    memcpy(numbers, bytes_got.body.data + 4, sizeof numbers);
    size_t nodes = numbers[1], joints = numbers[2];
    const float *poses =
        (const float *)(const void *)(bytes_got.body.data + 16 + 4 * joints + 4 * nodes);
    double sum[5] = { 0 };
    int count = 0;
    for (size_t i = 0; i < nodes; i++) {
        for (size_t k = 0; k < i; k++, count++) {
            double far = 0;
            for (size_t j = 0; j < joints; j++) {
                const float *x = poses + 3 * (i * joints + j), *y = poses + 3 * (k * joints + j);
                far += hypot(hypot(x[0] - y[0], x[1] - y[1]), x[2] - y[2]);
            }
            const json_t *one = item(got, "nodes", i), *two = item(got, "nodes", k);
            double drawn =
                hypot(number(one, "x") - number(two, "x"), number(one, "y") - number(two, "y"));
            sum[0] += far;
            sum[1] += drawn;
            sum[2] += far * drawn;
            sum[3] += far * far;
            sum[4] += drawn * drawn;
        }
    }
    double both = sum[2] - sum[0] * sum[1] / count, spread = sum[3] - sum[0] * sum[0] / count;
    double correlation = both / sqrt(spread * (sum[4] - sum[1] * sum[1] / count));
    if (!(correlation > 0.8)) fail_msg("%f", correlation);
}

/* ---- inside a node --------------------------------------------------------------------------- */

static void same_sequence(const open_clusters *of, const json_t *one, int number_of)
{
    const marey_cluster_sequence *s = &of->sequences[number_of];
    expect(one, "{'sequence': %d, 'id': %" PRId64 ", 'clip': '%s', 'start': %d, 'end': %d}",
           number_of, of->parts->parts[s->clip].clip, of->parts->names[s->clip].name, s->start,
           s->end);
    if (s->next < 0)
        assert_true(is_null(one, "next"));
    else
        assert_int_equal(number(one, "next"), of->sequences[s->next].node);
}

TEST_OF(api_bench *b, a_node_is_described_with_its_sequences_and_tuples)
{
    OWNED(open_clusters) of = judge(b, "few");
    marey_tuples tuples = { .count = 0 };
    int node = widest_node(&of), m = of.nodes[node].sequences;
    const json_t *got = ask(b, api_cluster_node, "?name=few&node=%d&pairs=7", node);
    assert_int_equal(marey_clusters_tuples(b->by.ctx, of.graph, node,
                                           &(marey_tuples_def){ .pairs = 7 }, &tuples, NULL),
                     MAREY_OK);
    assert_true(m >= 3);
    const json_t *one = item(got, "nodes", 0), *tuple = item(got, "tuples", 0);
    expect(one, "{'node': %d, 'frames': %d}", node, of.nodes[node].rows);
    assert_int_equal(size_of(one, "sequences"), m);
    for (int i = 0; i < m; i++)
        same_sequence(&of, item(one, "sequences", (size_t)i), of.nodes[node].first + i);
    assert_int_equal(size_of(tuple, "frames"), tuples.count);
    expect(tuple, "{'pairs': %d, 'by_pairs': %s}", tuples.pairs,
           tuples.by_pairs ? "true" : "false");
    same_numbers(json_object_get(tuple, "costs"), tuples.costs, tuples.count);
    for (int r = 0; r < tuples.count; r++) {
        const json_t *row = item(tuple, "frames", (size_t)r);
        assert_int_equal(json_array_size(row), m);
        for (int i = 0; i < m; i++)
            assert_int_equal(number_at(row, (size_t)i), tuples.frames[r * m + i]);
    }
    marey_tuples_free(&tuples);
    static const api_refusal rows[] = { { "?name=few", "node says" },
                                        { "?name=few&node=9999", "node" },
                                        { "?name=few&node=0&pairs=321", "pairs" } };
    REFUSED(b, 400, "request", api_cluster_node, rows);
}

static void same_switch(const open_clusters *of, const json_t *one, const marey_cluster_switch *s)
{
    expect(one,
           "{'from_sequence': %d, 'to_sequence': %d, 'from': %d, 'to': %d, 'from_id': %" PRId64
           ", 'cost': %.17g}",
           s->from_sequence, s->to_sequence, s->from, s->to,
           of->parts->parts[of->sequences[s->from_sequence].clip].clip, s->cost);
}

TEST_OF(api_bench *b, switches_are_those_of_the_library)
{
    enum { MOST = 5 };
    OWNED(open_clusters) of = judge(b, "few");
    const marey_cluster_node *node = &of.nodes[widest_node(&of)];
    int from = node->first, to = node->first + 1, found = 0;
    marey_cluster_switch best[MOST];
    assert_int_equal(
        marey_clusters_switches(b->by.ctx, of.graph, from, to, MOST, best, &found, NULL), MAREY_OK);
    const json_t *got = ask(b, api_cluster_switches, "?name=few&count=5&from=%d&to=%d", from, to);
    assert_int_equal(size_of(got, "switches"), found);
    for (int i = 0; i < found; i++) same_switch(&of, item(got, "switches", (size_t)i), &best[i]);
    /* To all others: the best one to each, cheapest first. */
    got = ask(b, api_cluster_switches, "?name=few&from=%d", from);
    assert_int_equal(size_of(got, "switches"), node->sequences - 1);
    double before = 0;
    for (size_t i = 0; i < size_of(got, "switches"); i++) {
        const json_t *one = item(got, "switches", i);
        to = (int)number(one, "to_sequence");
        assert_int_equal(
            marey_clusters_switches(b->by.ctx, of.graph, from, to, 1, best, &found, NULL),
            MAREY_OK);
        same_switch(&of, one, &best[0]);
        assert_true(number(one, "cost") >= before);
        before = number(one, "cost");
    }
    int other = of.sequences[0].node == of.sequences[from].node ? of.sequence_count - 1 : 0;
    refused(b, 400, "request", "node", api_cluster_switches, "?name=few&from=%d&to=%d", from,
            other);
    refused(b, 400, "request", "from", api_cluster_switches, "?name=few");
    refused(b, 400, "request", "from", api_cluster_switches, "?name=few&from=99999");
}

TEST_OF(api_bench *b, loops_are_those_of_the_program)
{
    const json_t *got =
        ask(b, do_cluster_loop, "?list=1 {'cluster': 'few', 'clip': $left, 'count': 4}");
    const json_t *said = program_json("marey cluster loop lib.marey few left --count 4 --json");
    assert_true(size_of(got, "loops") > 0);
    assert_int_equal(size_of(got, "loops"), size_of(said, "loops"));
    for (size_t i = 0; i < size_of(got, "loops"); i++)
        same_values(item(got, "loops", i), item(said, "loops", i),
                    "start end cost seam_ratio node");
    /* Of one node: the same, without the others. */
    int node = (int)number(item(got, "loops", size_of(got, "loops") - 1), "node");
    const json_t *some =
        ask(b, do_cluster_loop,
            "?list=1 {'cluster': 'few', 'clip': $left, 'count': 1000, 'node': %d}", node);
    assert_true(size_of(some, "loops") > 0);
    for (size_t i = 0; i < size_of(some, "loops"); i++)
        assert_int_equal(number(item(some, "loops", i), "node"), node);
}

/* ---- built ----------------------------------------------------------------------------------- */

/* As `one`, and as `two` by the program; clusters_removed then. */
static json_t *built_as_the_program(api_bench *b, const char *fields, const char *options)
{
    json_t *about[2], *got = ask_job(b, do_cluster_build, "{'name': 'one', %s}", fields);
    bench_program("marey cluster build lib.marey two %s --quiet", options);
    same_saved(b, MAREY_KEPT_CLUSTERS, "one", "two", about);
    assert_true(json_is_object(about[0]) && same_json(about[0], about[1]));
    same_values(got, program_json("marey cluster show lib.marey one --json"), "nodes");
    return got;
}

static void clusters_removed(api_bench *b)
{
    ask(b, do_cluster_rm, "{'name': 'one'}");
    ask(b, do_cluster_rm, "{'name': 'two'}");
}

TEST_OF(api_bench *b, cluster_graphs_are_built_as_the_program_does)
{
    expect(built_as_the_program(b, "'clips': [$walk, $left]", "walk left"), "{'left_out': 0}");
    expect(built_as_the_program(b, "'label': 'few', 'link': 'single', 'threshold': 12.5, 'fps': 20",
                                "--label few --link single --threshold 12.5 --fps 20"),
           "{'left_out': 1, 'fps': 20, 'link': 'single'}");
    expect(built_as_the_program(b, "'clips': [$walk], 'metric': 'angles', 'threshold': 0.2",
                                "walk --metric angles --threshold 0.2"),
           "{'metric': 'angles'}");
    expect(built_as_the_program(
               b,
               "'from_example': {'clip': $walk, 'start': 20, 'end': 120}, 'dof': "
               "['LeftLeg.Xrotation'], 'count': 2, 'k': 4, 'noise': 2",
               "--from-example walk#20-120 --dof LeftLeg.Xrotation --count 2 --k 4 --noise 2"),
           "{'clips': 2}");
    clusters_removed(b);
}

TEST_OF(api_bench *b, invalid_bodies_are_refused)
{
    static const api_refusal builds[] = {
        { "{}", "name" },
        { "{'name': ''}", "name" },
        { "{'name': 'a/b'}", "name" },
        { "{'name': 'x', 'colour': 1}", "colour" },
        { "{'name': 'x', 'clips': []}", "clips" },
        { "{'name': 'x', 'clips': [1], 'label': 'few'}", "not both" },
        { "{'name': 'x', 'link': 'loose'}", "complete" },
        { "{'name': 'x', 'threshold': 0}", "threshold" },
        { "{'name': 'x', 'fps': 0}", "fps" },
        { "{'name': 'x', 'metric': 'taste'}", "taste" },
        { "{'name': 'x', 'metric': 'angles'}", "threshold" },
        { "{'name': 'x', 'from_example': {}}", "from_example" },
        { "{'name': 'x', 'from_curve': 5}", "from_curve" },
        { "{'name': 'x', 'dof': ['Hips.Yposition']}", "only for from_example" },
        { "{'name': 'x', 'from_example': 1, 'dof': ['Hips']}", "dof" },
        { "{'name': 'x', 'clips': [1], 'from_example': 1}", "not both" },
        { "{'name': 'x', 'from_example': 1, 'limit': 3}", "limit" },
    };
    static const api_refusal stitches[] = {
        { "{}", "cluster" },
        { "{'cluster': 'few'}", "nodes" },
        { "{'cluster': 'few', 'a': $walk}", "together" },
        { "{'cluster': 'few', 'nodes': [0], 'leave': 5}", "only for a" },
        { "{'cluster': 'few', 'nodes': [0], 'from': 5}", "from" },
        { "{'cluster': 'few', 'nodes': []}", "nodes" },
        { "{'cluster': 'few', 'nodes': [-1]}", "nodes" },
        { "{'cluster': 'few', 'nodes': [0.5, 1]}", "whole numbers" },
        { "{'cluster': 'few', 'nodes': [0, 99999]}", "node" },
        { "{'cluster': 'few', 'nodes': [0, 0]}", "two" },
        { "{'cluster': 'few', 'a': $walk, 'b': $slide}", "has no clip" },
        { "{'cluster': 'few', 'a': {'clip': $walk, 'start': 9999}, 'b': $left}", "9999" },
        { "{'cluster': 'few', 'a': $walk, 'b': $left, 'within': 1}", "within is only" },
        { "{'cluster': 'few', 'a': $walk, 'b': $left, 'leave': 5, 'within': -1}", "within" },
        { "{'cluster': 'few', 'a': $walk, 'b': $left, 'leave': '5-6'}", "one frame" },
        { "{'cluster': 'few', 'a': $walk, 'b': $left, 'name': 'x', 'output': 'x.bvh'}", "exclude" },
        { "{'cluster': 'few', 'a': $walk, 'b': $left, 'output': 'x.mp4'}", "output" },
    };
    static const api_refusal loops[] = {
        { "{'cluster': 'few'}", "clip" },
        { "{'cluster': 'few', 'clip': $walk, 'at': [3]}", "two frames" },
        { "{'cluster': 'few', 'clip': $walk, 'at': [3, 4]}", "one of the loops" },
        { "{'cluster': 'few', 'clip': $slide}", "has no clip" },
        { "{'cluster': 'few', 'clip': $walk, 'count': 1001}", "count" },
        { "{'cluster': 'few', 'clip': $walk, 'longest': 0.1}", "longest" },
    };
    REFUSED(b, 400, "request", do_cluster_build, builds);
    REFUSED(b, 400, "request", do_cluster_stitch, stitches);
    REFUSED(b, 400, "request", do_cluster_loop, loops);
    refused(b, 404, "input", "missing", do_cluster_stitch,
            "{'cluster': 'missing', 'nodes': [0, 1]}");
    refused(b, 404, "input", "missing", do_cluster_rm, "{'name': 'missing'}");
}

TEST_OF(api_bench *b, invalid_clips_fail_the_job)
{
    job_fails(b, "input", "", do_cluster_build, "{'name': 'x', 'clips': [99999]}");
    job_fails(b, "shape", "", do_cluster_build, "{'name': 'x', 'clips': [$walk, $slide]}");
    job_fails(b, "request", "nothing", do_cluster_build, "{'name': 'x', 'label': 'nothing'}");
    job_fails(b, "request", "Tail", do_cluster_build,
              "{'name': 'x', 'from_example': $walk, 'dof': ['Tail.Xrotation']}");
    refused(b, 404, "input", "x", api_cluster, "?name=x");
}

TEST_OF(api_bench *b, a_build_can_be_cancelled)
{
    builds_are_cancelled(b, do_cluster_build, do_cluster_rm);
}

/* Frames behind the hole are counted as in the clip, everywhere. */
TEST_OF(api_bench *b, a_clip_with_a_hole_counts_its_own_frames)
{
    put_holed(b);
    built_as_the_program(b, "'clips': [$holed, $walk]", "holed walk");
    const json_t *got = ask(b, api_cluster, "?name=one");
    const json_t *said = program_json("marey cluster show lib.marey one --json");
    assert_int_equal(number(got, "clips"), 2);
    assert_int_equal(size_of(got, "parts"), 3);
    expect(item(got, "parts", 1), "{'id': %" PRId64 ", 'start': 305}", bench_id(b, "holed"));
    assert_int_equal(size_of(got, "nodes"), size_of(said, "nodes"));
    for (size_t i = 0; i < size_of(got, "nodes"); i++) {
        const json_t *ours = item(got, "nodes", i), *theirs = item(said, "nodes", i);
        same_values(ours, theirs, "node frames clips loops widest");
        assert_true(number(ours, "frame") == number(json_object_get(theirs, "middle"), "frame"));
    }
    OWNED(made_read) made = read_made(
        b, do_cluster_stitch,
        "{'cluster': 'one', 'a': {'clip': $holed, 'start': 310}, 'b': $walk, 'leave': 450}");
    assert_int_equal(number(item(made.said, "pieces", 0), "start"), 310);
    test_near(number(item(made.said, "switches", 0), "from"), 450, 18);
    /* What is invalid is reported in the same frames. */
    refused(b, 400, "request", "303", do_cluster_stitch,
            "{'cluster': 'one', 'a': $holed, 'b': $holed, 'leave': 303}");
    clusters_removed(b);
    made_removed(b, "holed");
}

/* ---- kept open, gone, read-only, without memory ---------------------------------------------- */

TEST_OF(api_bench *b, one_stays_open_until_the_library_changes)
{
    worker_forget_saved(&b->by);
    assert_null(cached(&b->by, MAREY_KEPT_CLUSTERS, "few"));
    ask(b, api_cluster, "?name=few");
    const app_cached *first = cached(&b->by, MAREY_KEPT_CLUSTERS, "few");
    const void *object = first->object;
    int64_t version = first->version;
    ask(b, api_cluster_node, "?name=few&node=0");
    ask(b, api_cluster, "?name=apart");
    ask(b, do_cluster_loop, "{'cluster': 'few', 'clip': $left, 'name': 'kept'}");
    assert_non_null(cached(&b->by, MAREY_KEPT_CLUSTERS, "apart"));
    assert_ptr_equal(cached(&b->by, MAREY_KEPT_CLUSTERS, "few")->object, object);
    made_removed(b, "kept");
    bench_program("marey label lib.marey walk --add seen");
    ask(b, api_cluster, "?name=few");
    int open = 0;
    for (int i = 0; i < APP_CACHE_MOST; i++) {
        const app_cached *one = &b->by.saved.entries[i];
        if (!one->object || strcmp(one->key, "few") != 0) continue;
        assert_true(one->version > version);
        open++;
    }
    assert_int_equal(open, 1); /* that of the library as it was is gone */
    bench_program("marey label lib.marey walk --drop seen");
}

TEST_OF(api_bench *b, one_whose_clip_is_gone_is_listed_and_refused)
{
    bench_program("marey cut lib.marey walk_left#500-700 lost");
    bench_program("marey cluster build lib.marey broken lost walk --quiet");
    bench_program("marey rm lib.marey lost");
    refused(b, 409, "input", "lost", api_cluster, "?name=broken");
    refused(b, 409, "input", "lost", api_cluster_poses, "?name=broken");
    refused(b, 409, "input", "lost", do_cluster_stitch,
            "{'cluster': 'broken', 'a': $walk, 'b': $walk}");
    refused(b, 409, "input", "lost", do_cluster_loop, "{'cluster': 'broken', 'clip': $walk}");
    const json_t *one = named(ask(b, do_cluster_ls, "{}"), "broken");
    assert_true(is_true(item(one, "made_of", 0), "removed"));
    ask(b, do_cluster_rm, "{'name': 'broken'}");
    refused(b, 404, "input", "broken", api_cluster, "?name=broken");
    bench_program("marey rm lib.marey lost --purge");
}

TEST_OF(api_bench *b, a_library_that_can_only_be_read_refuses_at_once)
{
    b->of.can_write = false;
    refused(b, 409, "request", "read", do_cluster_build, "{'name': 'x'}");
    b->of.can_write = true;
}

TEST_OF(api_bench *b, refused_memory_is_reported)
{
    OWNED(open_clusters) of = judge(b, "few");
    int node = widest_node(&of), edges;
    const marey_cluster_edge *edge = marey_clusters_edges(of.graph, &edges);
    char queries[3][64];
    snprintf(queries[0], sizeof queries[0], "?name=few&node=%d", node);
    snprintf(queries[1], sizeof queries[1], "?name=few&from=%d", of.nodes[node].first);
    snprintf(queries[2], sizeof queries[2], "{'cluster': 'few', 'nodes': [%d, %d]}", edge->from,
             edge->to);
    const api_request rows[] = { { do_cluster_ls, "{}" },
                                 { api_cluster, "?name=few" },
                                 { api_cluster_node, queries[0] },
                                 { api_cluster_poses, "?name=few" },
                                 { api_cluster_switches, queries[1] },
                                 { do_cluster_loop, "?list=1 {'cluster': 'few', 'clip': $left}" },
                                 { do_cluster_stitch,
                                   "{'cluster': 'few', 'a': $walk, 'b': $left}" },
                                 { do_cluster_loop, "{'cluster': 'few', 'clip': $left}" },
                                 { do_cluster_stitch, queries[2] } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        worker_forget_saved(&b->by);
        STARVE(b, rows[i].run, "%s", rows[i].text);
    }
    api_starve_job(b, do_cluster_build, "{'name': 'x', 'clips': [$walk]}");
}

TEST_GROUP_OF_CASES(test_studio_cluster, cluster_bench_open, api_bench_close)
