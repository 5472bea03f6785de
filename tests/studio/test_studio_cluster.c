/* test_studio_cluster.c - cluster graphs in the studio: listed, built and looked into, as the program and the library do. */
#include "cluster_bench.h"

#include "cluster_graphs.h"

/* ---- what is kept ------------------------------------------------------------------------------- */

static const json_t *named(const json_t *list, const char *name)
{
    for (size_t i = 0; i < size_of(list, "clusters"); i++) {
        if (strcmp(word(item(list, "clusters", i), "name"), name) == 0)
            return item(list, "clusters", i);
    }
    return NULL;
}

TEST(the_list_is_that_of_the_program)
{
    static const char *const keys[] = { "name",  "link",      "fps",   "threshold", "frames",
                                        "nodes", "sequences", "bytes", "made_of",   NULL };
    graph_bench *all = *state;
    json_t *got = graph_json(all, do_cluster_ls, "{}", 200);
    json_t *said = program_json("marey cluster ls lib.marey --json");
    assert_int_equal(size_of(got, "links"), MAREY_LINK_COUNT);
    assert_string_equal(word(item(got, "links", 1), "name"), "single");
    assert_string_equal(word(got, "unit"), "cm2");
    assert_true(number(got, "threshold") == MAREY_CLUSTER_THRESHOLD);
    assert_int_equal(size_of(got, "clusters"), size_of(said, "clusters"));
    for (size_t i = 0; i < size_of(got, "clusters"); i++)
        same_values(item(got, "clusters", i), item(said, "clusters", i), keys);
    const json_t *one = named(got, "few");
    assert_int_equal(number(one, "clips"), 2);
    assert_string_equal(word(one, "metric"), "points");
    assert_string_equal(word(item(one, "made_of", 1), "name"), "short_left");
    assert_int_equal(number(item(one, "made_of", 1), "id"), all->short_left);
    json_decref(said);
    json_decref(got);
}

TEST(a_cluster_graph_is_told_node_by_node)
{
    graph_bench *all = *state;
    json_t *got = api_json(&all->b, api_cluster, 0, "name=few", NULL, 200);
    open_clusters of = judge(all, "few");
    int edges, loops = 0;
    const marey_cluster_edge *edge = marey_clusters_edges(of.graph, &edges);
    assert_int_equal(number(got, "node_count"), of.node_count);
    assert_int_equal(number(got, "sequence_count"), of.sequence_count);
    assert_int_equal(number(got, "edge_count"), edges);
    assert_int_equal(number(got, "frames"), marey_clusters_frames(of.graph));
    assert_string_equal(word(got, "link"), "complete");
    assert_int_equal(number(json_object_get(got, "skeleton"), "id"), all->short_walk);
    assert_int_equal(size_of(got, "nodes"), of.node_count);
    for (int i = 0; i < of.node_count; i++) {
        const json_t *one = item(got, "nodes", (size_t)i);
        const marey_cluster_node *node = &of.nodes[i];
        assert_int_equal(number(one, "node"), i);
        assert_int_equal(number(one, "frames"), node->rows);
        assert_int_equal(number(one, "sequences"), node->sequences);
        assert_int_equal(number(one, "clips"), node->clips);
        assert_true(json_is_true(json_object_get(one, "loops")) == node->loops);
        assert_int_equal(number(one, "id"), of.parts->parts[node->clip].clip);
        assert_int_equal(number(one, "frame"), node->frame);
        assert_true(fabs(number(one, "x")) <= 1 && fabs(number(one, "y")) <= 1);
        loops += node->loops;
    }
    assert_int_equal(number(got, "looping"), loops);
    assert_true(loops > 0 && of.node_count > 5);
    /* The most frequent edges first; all of them are there. */
    assert_int_equal(size_of(got, "edges"), edges);
    int sum = 0, told = 0;
    for (int i = 0; i < edges; i++) {
        const json_t *one = item(got, "edges", (size_t)i);
        told += (int)json_integer_value(json_array_get(one, 2));
        sum += edge[i].count;
        if (i > 0)
            assert_true(json_integer_value(json_array_get(one, 2)) <=
                        json_integer_value(json_array_get(item(got, "edges", (size_t)i - 1), 2)));
    }
    assert_int_equal(told, sum);
    judge_free(&of);
    json_decref(got);
    api_refused(&all->b, api_cluster, 0, "name=fewer", NULL, 404, "input", "few");
    api_refused(&all->b, api_cluster, 0, "", NULL, 400, "request", "name");
    api_refused(&all->b, api_cluster, 0, "name=few&nodes=0", NULL, 400, "request", "nodes");
    api_refused(&all->b, api_cluster, 0, "name=few&nodes=4097", NULL, 400, "request", "nodes");
    api_refused(&all->b, api_cluster, 0, "name=few&edges=20001", NULL, 400, "request", "edges");
}

TEST(the_largest_nodes_are_told_with_the_edges_between_them)
{
    graph_bench *all = *state;
    json_t *got = api_json(&all->b, api_cluster, 0, "name=few&nodes=4&edges=3", NULL, 200);
    open_clusters of = judge(all, "few");
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
        assert_true(chosen[json_integer_value(json_array_get(one, 0))] &&
                    chosen[json_integer_value(json_array_get(one, 1))]);
    }
    judge_free(&of);
    json_decref(got);
}

/* ---- how nodes look ----------------------------------------------------------------------------- */

static double apart(const float *a, const float *b)
{
    return sqrt(pow((double)a[0] - (double)b[0], 2) + pow((double)a[1] - (double)b[1], 2) +
                pow((double)a[2] - (double)b[2], 2));
}

static double apart_in_clip(const double *a, const double *b)
{
    return sqrt(pow(a[0] - b[0], 2) + pow(a[1] - b[1], 2) + pow(a[2] - b[2], 2));
}

/* Turned and moved, and nothing else: all distances between joints are those of the frame. */
static void same_pose(const marey_clip *clip, int frame, const float *pose)
{
    enum { MOST = 64 };
    const marey_skeleton *skeleton = marey_clip_skeleton(clip);
    int joints = skeleton->joint_count;
    double places[3 * MOST];
    assert_true(joints <= MOST);
    marey_clip_positions(clip, frame, 1, places);
    for (int i = 0; i < joints; i++) {
        for (int j = 0; j < i; j++)
            assert_true(fabs(apart(pose + 3 * i, pose + 3 * j) -
                             apart_in_clip(places + 3 * i, places + 3 * j)) < 1e-3);
        assert_true(fabs((double)pose[3 * i + 1] - places[3 * i + 1]) < 1e-3);
    }
    const float *left = pose + 3 * skeleton->roles[MAREY_ROLE_LEFT_HIP];
    const float *right = pose + 3 * skeleton->roles[MAREY_ROLE_RIGHT_HIP];
    assert_true(pose[0] == 0 && pose[2] == 0);
    assert_true(left[0] > right[0] && fabs((double)left[2] - (double)right[2]) < 1e-3);
}

TEST(poses_are_those_of_the_middles)
{
    graph_bench *all = *state;
    open_clusters of = judge(all, "few");
    studio_response got = api_ask(&all->b, api_cluster_poses, 0, "name=few&nodes=4096", NULL);
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
    bytes_free(&got.body);
    judge_free(&of);
}

/* Nodes that look alike are drawn nearer to each other than others, on the whole. */
TEST(similar_poses_are_drawn_near_each_other)
{
    graph_bench *all = *state;
    json_t *got = api_json(&all->b, api_cluster, 0, "name=few", NULL, 200);
    studio_response bytes_got = api_ask(&all->b, api_cluster_poses, 0, "name=few", NULL);
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
            for (size_t j = 0; j < joints; j++)
                far += apart(poses + 3 * (i * joints + j), poses + 3 * (k * joints + j));
            const json_t *a = item(got, "nodes", i), *b = item(got, "nodes", k);
            double drawn = hypot(number(a, "x") - number(b, "x"), number(a, "y") - number(b, "y"));
            sum[0] += far;
            sum[1] += drawn;
            sum[2] += far * drawn;
            sum[3] += far * far;
            sum[4] += drawn * drawn;
        }
    }
    double both = sum[2] - sum[0] * sum[1] / count, one = sum[3] - sum[0] * sum[0] / count;
    double correlation = both / sqrt(one * (sum[4] - sum[1] * sum[1] / count));
    if (!(correlation > 0.8)) fail_msg("%f", correlation);
    bytes_free(&bytes_got.body);
    json_decref(got);
}

/* ---- inside a node ------------------------------------------------------------------------------ */

static void same_sequence(const open_clusters *of, const json_t *one, int number_of)
{
    const marey_cluster_sequence *s = &of->sequences[number_of];
    assert_int_equal(number(one, "sequence"), number_of);
    assert_int_equal(number(one, "id"), of->parts->parts[s->clip].clip);
    assert_string_equal(word(one, "clip"), of->parts->names[s->clip].name);
    assert_int_equal(number(one, "start"), s->start);
    assert_int_equal(number(one, "end"), s->end);
    if (s->next < 0) {
        assert_true(json_is_null(json_object_get(one, "next")));
    } else {
        assert_int_equal(number(one, "next"), of->sequences[s->next].node);
    }
}

TEST(a_node_is_told_with_its_sequences_and_tuples)
{
    graph_bench *all = *state;
    open_clusters of = judge(all, "few");
    marey_tuples tuples = { .count = 0 };
    int node = widest_node(&of), m = of.nodes[node].sequences;
    json_t *got = look(all, api_cluster_node, "name=few&node=%d&pairs=%d", node, 7);
    assert_int_equal(marey_clusters_tuples(all->b.by.ctx, of.graph, node,
                                           &(marey_tuples_def){ .pairs = 7 }, &tuples, NULL),
                     MAREY_OK);
    assert_true(m >= 3);
    const json_t *one = item(got, "nodes", 0), *told = item(got, "tuples", 0);
    assert_int_equal(number(one, "node"), node);
    assert_int_equal(number(one, "frames"), of.nodes[node].rows);
    assert_int_equal(size_of(one, "sequences"), m);
    for (int i = 0; i < m; i++)
        same_sequence(&of, item(one, "sequences", (size_t)i), of.nodes[node].first + i);
    assert_int_equal(size_of(told, "frames"), tuples.count);
    assert_int_equal(number(told, "pairs"), tuples.pairs);
    assert_true(json_is_true(json_object_get(told, "by_pairs")) == tuples.by_pairs);
    for (int r = 0; r < tuples.count; r++) {
        const json_t *row = item(told, "frames", (size_t)r);
        assert_int_equal(json_array_size(row), m);
        assert_true(json_number_value(item(told, "costs", (size_t)r)) == tuples.costs[r]);
        for (int i = 0; i < m; i++)
            assert_int_equal(json_integer_value(json_array_get(row, (size_t)i)),
                             tuples.frames[r * m + i]);
    }
    marey_tuples_free(&tuples);
    json_decref(got);
    judge_free(&of);
    api_refused(&all->b, api_cluster_node, 0, "name=few", NULL, 400, "request", "node says");
    api_refused(&all->b, api_cluster_node, 0, "name=few&node=9999", NULL, 400, "request", "node");
    api_refused(&all->b, api_cluster_node, 0, "name=few&node=0&pairs=321", NULL, 400, "request",
                "pairs");
}

static void same_switch(const open_clusters *of, const json_t *one, const marey_cluster_switch *s)
{
    assert_int_equal(number(one, "from_sequence"), s->from_sequence);
    assert_int_equal(number(one, "to_sequence"), s->to_sequence);
    assert_int_equal(number(one, "from"), s->from);
    assert_int_equal(number(one, "to"), s->to);
    assert_int_equal(number(one, "from_id"),
                     of->parts->parts[of->sequences[s->from_sequence].clip].clip);
    assert_true(number(one, "cost") == s->cost);
}

TEST(switches_are_those_of_the_library)
{
    enum { MOST = 5 };
    graph_bench *all = *state;
    open_clusters of = judge(all, "few");
    const marey_cluster_node *node = &of.nodes[widest_node(&of)];
    int from = node->first, to = node->first + 1, found = 0;
    marey_cluster_switch best[MOST];
    assert_int_equal(
        marey_clusters_switches(all->b.by.ctx, of.graph, from, to, MOST, best, &found, NULL),
        MAREY_OK);
    json_t *got = look(all, api_cluster_switches, "name=few&count=5&from=%d&to=%d", from, to);
    assert_int_equal(size_of(got, "switches"), found);
    for (int i = 0; i < found; i++) same_switch(&of, item(got, "switches", (size_t)i), &best[i]);
    json_decref(got);
    /* To all others: the best one to each, cheapest first. */
    got = look(all, api_cluster_switches, "name=few&from=%d", from);
    assert_int_equal(size_of(got, "switches"), node->sequences - 1);
    double before = 0;
    for (size_t i = 0; i < size_of(got, "switches"); i++) {
        const json_t *one = item(got, "switches", i);
        to = (int)number(one, "to_sequence");
        assert_int_equal(
            marey_clusters_switches(all->b.by.ctx, of.graph, from, to, 1, best, &found, NULL),
            MAREY_OK);
        same_switch(&of, one, &best[0]);
        assert_true(number(one, "cost") >= before);
        before = number(one, "cost");
    }
    json_decref(got);
    int other = of.sequences[0].node == of.sequences[from].node ? of.sequence_count - 1 : 0;
    char query[64];
    snprintf(query, sizeof query, "name=few&from=%d&to=%d", from, other);
    api_refused(&all->b, api_cluster_switches, 0, query, NULL, 400, "request", "node");
    api_refused(&all->b, api_cluster_switches, 0, "name=few", NULL, 400, "request", "from");
    api_refused(&all->b, api_cluster_switches, 0, "name=few&from=99999", NULL, 400, "request",
                "from");
    judge_free(&of);
}

TEST(loops_are_those_of_the_program)
{
    static const char *const keys[] = { "start", "end", "cost", "seam_ratio", "node", NULL };
    graph_bench *all = *state;
    const char *body = graph_text(all, "{'cluster': 'few', 'clip': $left, 'count': 4}");
    json_t *got = api_json(&all->b, do_cluster_loop, 0, "list=1", body, 200);
    json_t *said = program_json("marey cluster loop lib.marey few short_left --count 4 --json");
    assert_true(size_of(got, "loops") > 0);
    assert_int_equal(size_of(got, "loops"), size_of(said, "loops"));
    for (size_t i = 0; i < size_of(got, "loops"); i++)
        same_values(item(got, "loops", i), item(said, "loops", i), keys);
    /* Of one node: the same, without the others. */
    int node = (int)number(item(got, "loops", size_of(got, "loops") - 1), "node");
    char text[128];
    snprintf(text, sizeof text, "{'cluster': 'few', 'clip': $left, 'count': 1000, 'node': %d}",
             node);
    json_t *some = api_json(&all->b, do_cluster_loop, 0, "list=1", graph_text(all, text), 200);
    assert_true(size_of(some, "loops") > 0);
    for (size_t i = 0; i < size_of(some, "loops"); i++)
        assert_int_equal(number(item(some, "loops", i), "node"), node);
    json_decref(some);
    json_decref(said);
    json_decref(got);
}

/* ---- built -------------------------------------------------------------------------------------- */

static void same_kept(graph_bench *all, const char *left, const char *right)
{
    marey_kept *a = NULL, *b = NULL;
    size_t a_size, b_size;
    int count;
    marey_library *library = all->b.by.library;
    assert_int_equal(marey_library_kept(library, MAREY_KEPT_CLUSTERS, left, &a, NULL), 0);
    assert_int_equal(marey_library_kept(library, MAREY_KEPT_CLUSTERS, right, &b, NULL), 0);
    const void *x = marey_kept_bytes(a, &a_size), *y = marey_kept_bytes(b, &b_size);
    assert_int_equal(a_size, b_size);
    assert_memory_equal(x, y, a_size);
    json_t *one = json_loads(marey_kept_entries(a, &count)->about, 0, NULL);
    json_t *other = json_loads(marey_kept_entries(b, &count)->about, 0, NULL);
    assert_true(json_is_object(one) && same_json(one, other));
    json_decref(one);
    json_decref(other);
    marey_kept_free(a);
    marey_kept_free(b);
}

static json_t *built_as_the_program(graph_bench *all, const char *body, const char *options)
{
    char text[512], line[512];
    snprintf(text, sizeof text, "{'name': 'one', %s}", body);
    snprintf(line, sizeof line, "marey cluster build lib.marey two %s --quiet", options);
    json_t *got = graph_done(all, do_cluster_build, text);
    bench_program(line);
    same_kept(all, "one", "two");
    json_t *told = program_json("marey cluster show lib.marey one --json");
    assert_true(same_json(json_object_get(got, "nodes"), json_object_get(told, "nodes")));
    json_decref(told);
    return got;
}

TEST(what_is_built_is_what_the_program_builds)
{
    graph_bench *all = *state;
    json_t *got = built_as_the_program(all, "'clips': [$walk, $left]", "short_walk short_left");
    assert_int_equal(number(got, "left_out"), 0);
    json_decref(got);
    got =
        built_as_the_program(all, "'label': 'few', 'link': 'single', 'threshold': 12.5, 'fps': 20",
                             "--label few --link single --threshold 12.5 --fps 20");
    assert_int_equal(number(got, "left_out"), 1);
    assert_true(number(got, "fps") == 20);
    assert_string_equal(word(got, "link"), "single");
    json_decref(got);
    got = built_as_the_program(all, "'clips': [$walk], 'metric': 'angles', 'threshold': 0.2",
                               "short_walk --metric angles --threshold 0.2");
    assert_string_equal(word(got, "metric"), "angles");
    json_decref(got);
    json_decref(graph_json(all, do_cluster_rm, "{'name': 'one'}", 200));
    json_decref(graph_json(all, do_cluster_rm, "{'name': 'two'}", 200));
}

TEST(the_working_set_can_come_from_an_example)
{
    graph_bench *all = *state;
    json_t *got = built_as_the_program(
        all,
        "'from_example': {'clip': $walk, 'start': 20, 'end': 120}, 'dof': ['LeftLeg.Xrotation'], "
        "'count': 2, 'k': 4, 'noise': 2",
        "--from-example short_walk#20-120 --dof LeftLeg.Xrotation --count 2 --k 4 --noise 2");
    assert_int_equal(number(got, "clips"), 2);
    json_decref(got);
    json_decref(graph_json(all, do_cluster_rm, "{'name': 'one'}", 200));
    json_decref(graph_json(all, do_cluster_rm, "{'name': 'two'}", 200));
}

TEST(bodies_that_cannot_be_are_refused)
{
    static const struct {
        api_run run;
        const char *body, *says;
    } rows[] = {
        { do_cluster_build, "{}", "name" },
        { do_cluster_build, "{'name': ''}", "name" },
        { do_cluster_build, "{'name': 'a/b'}", "name" },
        { do_cluster_build, "{'name': 'x', 'colour': 1}", "colour" },
        { do_cluster_build, "{'name': 'x', 'clips': []}", "clips" },
        { do_cluster_build, "{'name': 'x', 'clips': [1], 'label': 'few'}", "not both" },
        { do_cluster_build, "{'name': 'x', 'link': 'loose'}", "complete" },
        { do_cluster_build, "{'name': 'x', 'threshold': 0}", "threshold" },
        { do_cluster_build, "{'name': 'x', 'fps': 0}", "fps" },
        { do_cluster_build, "{'name': 'x', 'metric': 'taste'}", "taste" },
        { do_cluster_build, "{'name': 'x', 'metric': 'angles'}", "threshold" },
        { do_cluster_build, "{'name': 'x', 'from_example': {}}", "from_example" },
        { do_cluster_build, "{'name': 'x', 'from_curve': 5}", "from_curve" },
        { do_cluster_build, "{'name': 'x', 'dof': ['Hips.Yposition']}", "only for from_example" },
        { do_cluster_build, "{'name': 'x', 'from_example': 1, 'dof': ['Hips']}", "dof" },
        { do_cluster_build, "{'name': 'x', 'clips': [1], 'from_example': 1}", "not both" },
        { do_cluster_build, "{'name': 'x', 'from_example': 1, 'limit': 3}", "limit" },
        { do_cluster_stitch, "{}", "cluster" },
        { do_cluster_stitch, "{'cluster': 'few'}", "nodes" },
        { do_cluster_stitch, "{'cluster': 'few', 'a': $walk}", "together" },
        { do_cluster_stitch, "{'cluster': 'few', 'nodes': [0], 'leave': 5}", "only for a" },
        { do_cluster_stitch, "{'cluster': 'few', 'nodes': [0], 'from': 5}", "from" },
        { do_cluster_stitch, "{'cluster': 'few', 'nodes': []}", "nodes" },
        { do_cluster_stitch, "{'cluster': 'few', 'nodes': [-1]}", "nodes" },
        { do_cluster_stitch, "{'cluster': 'few', 'nodes': [0.5, 1]}", "whole numbers" },
        { do_cluster_stitch, "{'cluster': 'few', 'nodes': [0, 99999]}", "node" },
        { do_cluster_stitch, "{'cluster': 'few', 'nodes': [0, 0]}", "two" },
        { do_cluster_stitch, "{'cluster': 'few', 'a': $walk, 'b': $slide}", "has no clip" },
        { do_cluster_stitch, "{'cluster': 'few', 'a': {'clip': $walk, 'start': 9999}, 'b': $left}",
          "9999" },
        { do_cluster_stitch, "{'cluster': 'few', 'a': $walk, 'b': $left, 'within': 1}",
          "within is only" },
        { do_cluster_stitch, "{'cluster': 'few', 'a': $walk, 'b': $left, 'leave': 5, 'within': -1}",
          "within" },
        { do_cluster_stitch, "{'cluster': 'few', 'a': $walk, 'b': $left, 'leave': '5-6'}",
          "one frame" },
        { do_cluster_stitch,
          "{'cluster': 'few', 'a': $walk, 'b': $left, 'name': 'x', 'output': 'x.bvh'}", "exclude" },
        { do_cluster_stitch, "{'cluster': 'few', 'a': $walk, 'b': $left, 'output': 'x.mp4'}",
          "output" },
        { do_cluster_loop, "{'cluster': 'few'}", "clip" },
        { do_cluster_loop, "{'cluster': 'few', 'clip': $walk, 'at': [3]}", "two frames" },
        { do_cluster_loop, "{'cluster': 'few', 'clip': $walk, 'at': [3, 4]}", "one of the loops" },
        { do_cluster_loop, "{'cluster': 'few', 'clip': $slide}", "has no clip" },
        { do_cluster_loop, "{'cluster': 'few', 'clip': $walk, 'count': 1001}", "count" },
        { do_cluster_loop, "{'cluster': 'few', 'clip': $walk, 'longest': 0.1}", "longest" },
    };
    graph_bench *all = *state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        api_refused(&all->b, rows[i].run, 0, NULL, graph_text(all, rows[i].body), 400, "request",
                    rows[i].says);
    api_refused(&all->b, do_cluster_stitch, 0, NULL, "{\"cluster\": \"nobody\", \"nodes\": [0, 1]}",
                404, "input", "nobody");
    api_refused(&all->b, do_cluster_rm, 0, NULL, "{\"name\": \"nobody\"}", 404, "input", "nobody");
}

static json_t *fails(graph_bench *all, const char *body)
{
    json_t *asked_for = graph_json(all, do_cluster_build, body, 202);
    json_t *over = api_wait(&all->b, (int64_t)number(asked_for, "job"));
    assert_string_equal(word(over, "state"), "failed");
    json_t *error = json_incref(json_object_get(over, "error"));
    json_decref(asked_for);
    json_decref(over);
    return error;
}

TEST(clips_that_cannot_be_fail_the_job)
{
    graph_bench *all = *state;
    json_t *error = fails(all, "{'name': 'x', 'clips': [99999]}");
    assert_string_equal(word(error, "status"), "input");
    json_decref(error);
    error = fails(all, "{'name': 'x', 'clips': [$walk, $slide]}");
    assert_string_equal(word(error, "status"), "shape");
    json_decref(error);
    error = fails(all, "{'name': 'x', 'label': 'nothing'}");
    assert_non_null(strstr(word(error, "message"), "nothing"));
    json_decref(error);
    error = fails(all, "{'name': 'x', 'from_example': $walk, 'dof': ['Tail.Xrotation']}");
    assert_non_null(strstr(word(error, "message"), "Tail"));
    json_decref(error);
    api_refused(&all->b, api_cluster, 0, "name=x", NULL, 404, "input", "x");
}

/* The first may be done before it hears of it; the second waits behind it and never begins. */
TEST(a_build_can_be_cancelled)
{
    graph_bench *all = *state;
    json_t *first = graph_json(all, do_cluster_build, "{'name': 'gone', 'label': 'walk'}", 202);
    json_t *second = graph_json(all, do_cluster_build, "{'name': 'never', 'label': 'walk'}", 202);
    int64_t numbers[2] = { (int64_t)number(first, "job"), (int64_t)number(second, "job") };
    assert_true(jobs_cancel(all->b.of.jobs, numbers[1]));
    assert_true(jobs_cancel(all->b.of.jobs, numbers[0]));
    json_t *a = api_wait(&all->b, numbers[0]), *b = api_wait(&all->b, numbers[1]);
    assert_string_equal(word(b, "state"), "cancelled");
    bool done = strcmp(word(a, "state"), "done") == 0;
    if (!done) assert_string_equal(word(a, "state"), "cancelled");
    api_refused(&all->b, api_cluster, 0, "name=never", NULL, 404, "input", "never");
    if (done) json_decref(graph_json(all, do_cluster_rm, "{'name': 'gone'}", 200));
    api_refused(&all->b, api_cluster, 0, "name=gone", NULL, 404, "input", "gone");
    json_decref(a);
    json_decref(b);
    json_decref(first);
    json_decref(second);
}

/* Frames behind the hole are counted as in the clip, everywhere. */
TEST(a_clip_with_a_hole_counts_its_own_frames)
{
    graph_bench *all = *state;
    char body[256];
    int64_t id = made_holed(all);
    snprintf(body, sizeof body, "'clips': [%" PRId64 ", $walk]", id);
    json_decref(built_as_the_program(all, body, "holed short_walk"));
    json_t *got = api_json(&all->b, api_cluster, 0, "name=one", NULL, 200);
    json_t *said = program_json("marey cluster show lib.marey one --json");
    assert_int_equal(number(got, "clips"), 2);
    assert_int_equal(size_of(got, "parts"), 3);
    assert_int_equal(number(item(got, "parts", 1), "id"), id);
    assert_int_equal(number(item(got, "parts", 1), "start"), 305);
    assert_int_equal(size_of(got, "nodes"), size_of(said, "nodes"));
    for (size_t i = 0; i < size_of(got, "nodes"); i++) {
        static const char *const keys[] = { "node", "frames", "clips", "loops", "widest", NULL };
        const json_t *a = item(got, "nodes", i), *b = item(said, "nodes", i);
        same_values(a, b, keys);
        assert_true(number(a, "frame") == number(json_object_get(b, "middle"), "frame"));
    }
    json_decref(said);
    json_decref(got);
    snprintf(body, sizeof body,
             "{'cluster': 'one', 'a': {'clip': %" PRId64
             ", 'start': 310}, 'b': $walk, 'leave': 450}",
             id);
    made_bytes made = made_ask(all, do_cluster_stitch, body);
    assert_int_equal(number(item(made.said, "pieces", 0), "start"), 310);
    assert_true(fabs(number(item(made.said, "switches", 0), "from") - 450) <= 18);
    made_free(&made);
    /* What cannot be is said in the same frames. */
    snprintf(body, sizeof body,
             "{'cluster': 'one', 'a': %" PRId64 ", 'b': %" PRId64 ", 'leave': 303}", id, id);
    api_refused(&all->b, do_cluster_stitch, 0, NULL, graph_text(all, body), 400, "request", "303");
    json_decref(graph_json(all, do_cluster_rm, "{'name': 'one'}", 200));
    json_decref(graph_json(all, do_cluster_rm, "{'name': 'two'}", 200));
    made_removed(all, "holed");
}

/* ---- kept open, gone, read-only, without memory ------------------------------------------------- */

static const void *open_cluster(graph_bench *all, const char *name)
{
    const app_cache *cache = &all->b.by.saved;
    for (int i = 0; i < APP_CACHE_MOST; i++) {
        const app_cached *one = &cache->entries[i];
        if (one->object && !one->old && strcmp(one->kind, MAREY_KEPT_CLUSTERS) == 0 &&
            strcmp(one->key, name) == 0)
            return one->object;
    }
    return NULL;
}

TEST(one_stays_open_until_the_library_changes)
{
    graph_bench *all = *state;
    worker_forget_saved(&all->b.by);
    assert_null(open_cluster(all, "few"));
    json_decref(api_json(&all->b, api_cluster, 0, "name=few", NULL, 200));
    const void *first = open_cluster(all, "few");
    assert_non_null(first);
    json_decref(api_json(&all->b, api_cluster_node, 0, "name=few&node=0", NULL, 200));
    json_decref(api_json(&all->b, api_cluster, 0, "name=apart", NULL, 200));
    json_decref(
        graph_json(all, do_cluster_loop, "{'cluster': 'few', 'clip': $left, 'name': 'kept'}", 200));
    assert_non_null(open_cluster(all, "apart"));
    assert_ptr_equal(open_cluster(all, "few"), first);
    made_removed(all, "kept");
    int64_t before = all->b.by.saved.entries[0].version;
    bench_program("marey label lib.marey short_walk --add seen");
    json_decref(api_json(&all->b, api_cluster, 0, "name=few", NULL, 200));
    int open = 0;
    for (int i = 0; i < APP_CACHE_MOST; i++) {
        const app_cached *one = &all->b.by.saved.entries[i];
        if (!one->object || strcmp(one->key, "few") != 0) continue;
        assert_true(one->version > before);
        open++;
    }
    assert_int_equal(open, 1); /* that of the library as it was is gone */
    bench_program("marey label lib.marey short_walk --drop seen");
}

TEST(one_whose_clip_is_gone_is_listed_and_refused)
{
    graph_bench *all = *state;
    bench_program("marey cut lib.marey walk_left#500-700 lost");
    bench_program("marey cluster build lib.marey broken lost short_walk --quiet");
    bench_program("marey rm lib.marey lost");
    api_refused(&all->b, api_cluster, 0, "name=broken", NULL, 409, "input", "lost");
    api_refused(&all->b, api_cluster_poses, 0, "name=broken", NULL, 409, "input", "lost");
    api_refused(&all->b, do_cluster_stitch, 0, NULL,
                graph_text(all, "{'cluster': 'broken', 'a': $walk, 'b': $walk}"), 409, "input",
                "lost");
    api_refused(&all->b, do_cluster_loop, 0, NULL,
                graph_text(all, "{'cluster': 'broken', 'clip': $walk}"), 409, "input", "lost");
    json_t *list = graph_json(all, do_cluster_ls, "{}", 200);
    const json_t *one = named(list, "broken");
    assert_true(json_is_true(json_object_get(item(one, "made_of", 0), "removed")));
    json_decref(list);
    json_decref(graph_json(all, do_cluster_rm, "{'name': 'broken'}", 200));
    api_refused(&all->b, api_cluster, 0, "name=broken", NULL, 404, "input", "broken");
    bench_program("marey rm lib.marey lost --purge");
}

TEST(a_library_that_can_only_be_read_refuses_at_once)
{
    graph_bench *all = *state;
    all->b.of.can_write = false;
    api_refused(&all->b, do_cluster_build, 0, NULL, "{\"name\": \"x\"}", 409, "request", "read");
    all->b.of.can_write = true;
}

static void starve(graph_bench *all, api_run run, const char *query, const char *body)
{
    worker_forget_saved(&all->b.by);
    studio_response to = api_starve(&all->b, run, 0, query, body ? graph_text(all, body) : NULL);
    if (to.status != 200)
        fail_msg("%d: %.*s", to.status, (int)to.body.count, (const char *)to.body.data);
    bytes_free(&to.body);
}

TEST(refused_memory_is_told)
{
    graph_bench *all = *state;
    char query[64];
    open_clusters of = judge(all, "few");
    snprintf(query, sizeof query, "name=few&node=%d", widest_node(&of));
    starve(all, do_cluster_ls, NULL, "{}");
    starve(all, api_cluster, "name=few", NULL);
    starve(all, api_cluster_node, query, NULL);
    starve(all, api_cluster_poses, "name=few", NULL);
    snprintf(query, sizeof query, "name=few&from=%d", of.nodes[widest_node(&of)].first);
    starve(all, api_cluster_switches, query, NULL);
    starve(all, do_cluster_loop, "list=1", "{'cluster': 'few', 'clip': $left}");
    starve(all, do_cluster_stitch, NULL, "{'cluster': 'few', 'a': $walk, 'b': $left}");
    starve(all, do_cluster_loop, NULL, "{'cluster': 'few', 'clip': $left}");
    int edges;
    const marey_cluster_edge *edge = marey_clusters_edges(of.graph, &edges);
    char body[128];
    snprintf(body, sizeof body, "{'cluster': 'few', 'nodes': [%d, %d]}", edge->from, edge->to);
    starve(all, do_cluster_stitch, NULL, body);
    judge_free(&of);
    json_decref(api_starve_job(&all->b, do_cluster_build,
                               graph_text(all, "{'name': 'x', 'clips': [$walk]}")));
}

TEST_GROUP_OF_CASES(test_studio_cluster, cluster_bench_open, graph_bench_close)
