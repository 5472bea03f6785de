/* test_cluster_link.c - joining clusters: the same as textbooks', ties and all, whatever memory
   there is. */
#include "cluster_judge.h"
#include "metric_clips.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Few different values, so that there are many ties; or places on a line with noise. */
static float *random_table(int n, int values, uint64_t seed)
{
    float *table = calloc((size_t)n * (size_t)n, sizeof *table);
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < i; k++) {
            seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            uint64_t r = seed >> 33;
            float value = values ? (float)(r % (uint64_t)values)
                                 : (float)abs(i - k) + (float)(r % 1000) * 0.003f;
            table[i * n + k] = table[k * n + i] = value;
        }
    }
    return table;
}

TEST_CTX(complete_link_is_the_textbooks)
{
    enum { MOST = 48 };
    int label[MOST], judged[MOST], joined = 0;
    for (uint64_t seed = 0; seed < 600; seed++) {
        int n = 1 + (int)(seed % MOST), kinds[] = { 0, 2, 3, 8, 40 }, values = kinds[seed % 5];
        float widest[MOST] = { 0 }, wide[MOST];
        float threshold = values ? (float)(values - 1) * 0.6f : 7;
        FREED float *table = random_table(n, values, seed);
        mry_near_lists lists = { .ctx = ctx, .count = n };
        lists.rows = mry_alloc(ctx, (size_t)n * sizeof *lists.rows);
        for (int i = 0; i < n; i++) {
            mry_near_row *row = &lists.rows[i];
            *row = (mry_near_row){ .cells = mry_alloc(ctx, (size_t)n * sizeof *row->cells),
                                   .room = n };
            for (int k = 0; k < n; k++) {
                if (k != i && table[i * n + k] <= threshold)
                    row->cells[row->count++] = (mry_near_cell){ k, table[i * n + k] };
            }
        }
        judge_agglomerate(table, n, (double)threshold, MAREY_LINK_COMPLETE, judged, wide);
        assert_int_equal(mry_link_complete(&lists, label, widest, NULL), MAREY_OK);
        for (int i = 0; i < n; i++) {
            assert_int_equal(label[i], judged[i]);
            if (label[i] == i) assert_true(widest[i] == wide[i]);
            joined += label[i] != i;
        }
        mry_near_lists_free(&lists);
    }
    assert_true(joined > 1000);
}

/* ---- of clips -------------------------------------------------------------------------------- */

static graph_rig *open_walks(int threads)
{
    graph_rig *rig = graph_rig_open(threads);
    graph_rig_add(rig, "walk_left", 0, 40, 180);
    graph_rig_add(rig, "walk_right", 0, 60, 190);
    graph_rig_add(rig, "turns", 0, 0, 120);
    return rig;
}

static void judge_labels(const marey_clusters *c, const int *judged, const float *wide, int n)
{
    mry_frames frames;
    marey_error error;
    test_fine(mry_frames_open(&frames, c, &error), &error);
    assert_int_equal(frames.count, n);
    for (int i = 0; i < n; i++) {
        int own = c->sequence[c->first_row[frames.clip[i]] + frames.row[i]];
        int first = c->sequence[c->first_row[frames.clip[judged[i]]] + frames.row[judged[i]]];
        const marey_cluster_node *node = &c->nodes[c->sequences[own].node];
        assert_int_equal(c->sequences[own].node, c->sequences[first].node);
        assert_true((float)node->widest == wide[judged[i]]);
    }
    int clusters = 0;
    for (int i = 0; i < n; i++) clusters += judged[i] == i;
    assert_int_equal(clusters, c->node_count);
    mry_frames_close(&frames);
}

TEST(graphs_of_clips_are_the_textbooks)
{
    static const char *const metrics[] = { "points", "angles", "positions", "transition" };
    const double thresholds[][3] = { { 5, 60, 400 }, { 0.5, 3, 8 }, { 0.5, 2, 6 }, { 3, 8, 20 } };
    OWNED(graph_rig) *rig = open_walks(2);
    int several = 0;
    for (int m = 0; m < 4; m++) {
        marey_metric_def metric = { .metric = marey_metric_named(metrics[m]) };
        for (int t = 0; t < 3; t++) {
            for (int link = 0; link < MAREY_LINK_COUNT; link++) {
                marey_clusters_def def = { .metric = &metric,
                                           .link = (marey_link)link,
                                           .threshold = thresholds[m][t],
                                           .fps = 20 };
                OWNED(marey_clusters) *c = cluster_rig_build(rig, &def);
                int n;
                FREED float *table = judge_table(c, &n);
                FREED int *judged = malloc((size_t)n * sizeof *judged);
                FREED float *wide = malloc((size_t)n * sizeof *wide);
                judge_agglomerate(table, n, def.threshold, def.link, judged, wide);
                judge_labels(c, judged, wide, n);
                judge_clusters(c);
                several += c->node_count > 3 && c->node_count < n / 2;
            }
        }
    }
    assert_true(several > 8);
}

/* Frames that are equally near by the thousand: as when a body stands still, or a clip is there
   twice. */
TEST(clips_that_are_there_twice_are_joined_like_textbooks_do)
{
    OWNED(graph_rig) *rig = graph_rig_open(2);
    for (int i = 0; i < 3; i++) graph_rig_add(rig, "walk_left", 0, 60, 130);
    OWNED(marey_clusters) *c = cluster_rig_build(rig, &(marey_clusters_def){ .threshold = 40 });
    int n;
    FREED float *table = judge_table(c, &n);
    FREED int *judged = malloc((size_t)n * sizeof *judged);
    FREED float *wide = malloc((size_t)n * sizeof *wide);
    judge_agglomerate(table, n, 40, MAREY_LINK_COMPLETE, judged, wide);
    judge_labels(c, judged, wide, n);
    judge_clusters(c);
}

/* ---- little memory, many threads ------------------------------------------------------------- */

/* With copies that were turned and shifted: distances that differ by rounding alone. */
static graph_rig *open_copies(void)
{
    graph_rig *rig = open_walks(2);
    mry_rot turn = { cos(0.3), 0, sin(0.3), 0 };
    graph_rig_put(rig, test_moved(rig->clips[0], turn, (mry_vec){ 150, 0, -60 }));
    graph_rig_put(rig, test_moved(rig->clips[1], turn, (mry_vec){ -420, 0, 77 }));
    return rig;
}

typedef struct outcome {
    int *label;
    float *widest;
} outcome;

static outcome outcome_of(const mry_frames *frames, marey_link link, double within, int64_t most)
{
    size_t n = (size_t)frames->count;
    outcome out = { malloc(n * sizeof *out.label), malloc(n * sizeof *out.widest) };
    marey_error error;
    marey_status status =
        link == MAREY_LINK_COMPLETE
            ? mry_cluster_complete(frames, within, most, out.label, out.widest, &error)
            : mry_cluster_single(frames, within, (int)most, out.label, out.widest, &error);
    test_fine(status, &error);
    return out;
}

TEST(little_memory_gives_the_same_clusters)
{
    OWNED(graph_rig) *rig = open_copies();
    OWNED(marey_clusters) *c = cluster_rig_build(rig, NULL);
    mry_frames frames;
    marey_error error;
    int lowered = 0;
    test_fine(mry_frames_open(&frames, c, &error), &error);
    for (int link = 0; link < MAREY_LINK_COUNT; link++) {
        double within = link == MAREY_LINK_COMPLETE ? 120 : 10;
        outcome all = outcome_of(&frames, (marey_link)link, within, 1 << 20);
        for (int64_t most = 20000; most > 100; most /= 3) {
            OWNED(mry_arena) tmp = mry_arena_make(rig->ctx);
            double reach;
            assert_true(mry_near_first_reach(&frames, &tmp, within, most, &reach));
            lowered += reach < within;
            outcome less = outcome_of(&frames, (marey_link)link, within, most);
            for (int i = 0; i < frames.count; i++) {
                assert_int_equal(all.label[i], less.label[i]);
                if (all.label[i] == i) assert_true(all.widest[i] == less.widest[i]);
            }
            free(less.label);
            free(less.widest);
        }
        free(all.label);
        free(all.widest);
    }
    assert_true(lowered > 4);
    mry_frames_close(&frames);
}

/* Whatever the reach was before it had to be lowered. */
TEST(lists_that_do_not_fit_hold_all_that_is_nearer)
{
    OWNED(graph_rig) *rig = open_copies();
    OWNED(marey_clusters) *c = cluster_rig_build(rig, NULL);
    mry_frames frames;
    marey_error error;
    test_fine(mry_frames_open(&frames, c, &error), &error);
    int n, *own = malloc((size_t)frames.count * sizeof *own), *one = malloc(sizeof *one * 4096);
    FREED float *table = judge_table(c, &n);
    assert_true(n == frames.count && n < 4096);
    for (int i = 0; i < n; i++) {
        own[i] = i;
        one[i] = 1;
    }
    for (int64_t most = 1000; most < 100000; most *= 3) {
        mry_near_lists lists;
        double reach = 300;
        int64_t within = 0;
        test_fine(
            mry_near_lists_find(&frames, own, one, n, 300, most, NULL, &lists, &reach, &error),
            &error);
        for (int i = 0; i < n; i++) {
            int at = 0;
            for (int k = 0; k < n; k++) {
                if (k == i || !((double)table[i * n + k] <= reach)) continue;
                assert_true(at < lists.rows[i].count && lists.rows[i].cells[at].other == k);
                assert_true(lists.rows[i].cells[at++].value == table[i * n + k]);
            }
            assert_int_equal(lists.rows[i].count, at);
            within += at;
        }
        assert_true(within == lists.cells && within <= most);
        assert_true(reach == 300 || within > most / 8);
        mry_near_lists_free(&lists);
    }
    free(own);
    free(one);
    mry_frames_close(&frames);
}

TEST_RIG(pairs_that_are_all_alike_and_do_not_fit_are_a_limit)
{
    FREED char *text = test_person(1);
    OWNED(marey_clip) *one = test_clip(rig->ctx, text);
    marey_clip *still = mry_clip_make_like(one, 90, 30);
    for (int f = 0; f < 90; f++) mry_clip_copy_frames(still, f, one, 0, 1);
    graph_rig_put(rig, still);
    OWNED(marey_clusters) *c = cluster_rig_build(rig, NULL);
    assert_int_equal(c->node_count, 1);
    assert_int_equal(c->sequence_count, 1);
    mry_frames frames;
    marey_error error;
    int label[90];
    float widest[90];
    test_fine(mry_frames_open(&frames, c, &error), &error);
    assert_int_equal(mry_cluster_complete(&frames, 10, 1000, label, widest, &error),
                     MAREY_ERR_LIMIT);
    assert_non_null(strstr(error.message, "equally near"));
    test_fine(mry_cluster_complete(&frames, 10, 90 * 89, label, widest, &error), &error);
    mry_frames_close(&frames);
}

TEST(any_number_of_threads_gives_the_same_graph)
{
    for (int link = 0; link < MAREY_LINK_COUNT; link++) {
        marey_clusters_def def = { .link = (marey_link)link, .threshold = link ? 12 : 80 };
        OWNED(graph_rig) *first = open_walks(1);
        OWNED(marey_clusters) *c = cluster_rig_build(first, &def);
        for (int threads = 2; threads < 6; threads += 3) {
            OWNED(graph_rig) *other = open_walks(threads);
            OWNED(marey_clusters) *same = cluster_rig_build(other, &def);
            judge_same_clusters(c, same);
        }
    }
}

TEST_GROUP_OF_CASES(test_cluster_link, NULL, NULL)
