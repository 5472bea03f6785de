/* test_cluster_switch.c - switches inside the nodes of a cluster graph: what one costs, the best
   places for one, and tuples of frames that are all alike, by figure 4 as it is printed and by
   trying all there are. */
#include "frame_measures.h"
#include "switch_judge.h"

#include "cluster/cluster_pairs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ROWS = 400, MOST_TUPLES = 4096, MOST_M = 24 };

/* Clouds are kept as floats. */
static double off_by(double cost)
{
    return 0.002 + 1e-5 * cost;
}

/* ---- what one costs -------------------------------------------------------------------------- */

TEST_RIG_SWITCH(a_switch_costs_distance_and_derivatives)
{
    OWNED(marey_clusters) *c = switch_rig_build(rig, 4, 30, 60);
    OWNED(mry_arena) tmp = mry_arena_make(rig->ctx);
    mry_pairing pairing = mry_pairing_open(c);
    int rows = c->first_row[4];
    double least = INFINITY, most = 0;
    for (int a = 0; a < rows; a += 7) {
        for (int b = 3; b < rows; b += 11) {
            int clips[2] = { judge_row_clip(c, a), judge_row_clip(c, b) };
            const float *p =
                mry_pairing_rows(&pairing, &tmp, clips[0], a - c->first_row[clips[0]], 1);
            const float *q =
                mry_pairing_rows(&pairing, &tmp, clips[1], b - c->first_row[clips[1]], 1);
            double distance, cost = mry_pairing_parts(&pairing, p, q, &distance);
            double judged = judge_switch(c, a, b);
            assert_true(fabs(cost - judged) < off_by(judged));
            assert_true(
                fabs(distance - marey_distance(c->features[clips[0]], a - c->first_row[clips[0]],
                                               c->features[clips[1]], b - c->first_row[clips[1]])) <
                off_by(distance));
            least = fmin(least, cost);
            most = fmax(most, cost);
        }
    }
    assert_true(least < 20 && most > 300);
}

/* Places and moves count, however frames were put into nodes. */
TEST_RIG_SWITCH(a_switch_costs_the_same_whatever_the_metric)
{
    OWNED(marey_clusters) *points = switch_rig_build(rig, 2, 30, 60);
    OWNED(mry_arena) tmp = mry_arena_make(rig->ctx);
    mry_pairing first = mry_pairing_open(points);
    static const char *const names[] = { "angles", "positions", "curvature" };
    for (int n = 0; n < 3; n++) {
        OWNED(marey_clusters) *c = NULL;
        marey_error error = { 0 };
        marey_metric_def metric = { .metric = marey_metric_named(names[n]) };
        marey_clusters_def def = { .metric = &metric, .fps = 30, .threshold = 0.5 };
        test_fine(marey_clusters_build(rig->ctx, rig->clips, 2, &def, &c, &error), &error);
        mry_pairing second = mry_pairing_open(c);
        for (int r = 0; r + 5 < c->features[0]->rows; r += 5) {
            double costs[2];
            for (int which = 0; which < 2; which++) {
                const mry_pairing *p = which ? &second : &first;
                const float *a = mry_pairing_rows(p, &tmp, 0, r, 1);
                const float *b = mry_pairing_rows(p, &tmp, 1, r / 2, 1);
                costs[which] = mry_pairing_cost(p, a, b);
            }
            assert_true(fabs(costs[0] - costs[1]) < off_by(costs[0]));
        }
        marey_loop loops[4];
        int found = 0;
        test_fine(marey_clusters_loops(rig->ctx, c, 0, NULL, 4, loops, &found, &error), &error);
        for (int k = 0; k < found; k++) assert_true(isfinite(loops[k].cost));
    }
}

/* ---- the best places ------------------------------------------------------------------------- */

typedef struct pair {
    int a, b;
    double cost;
} pair;

static int by_cost(const void *left, const void *right)
{
    const pair *p = left, *q = right;
    return (p->cost > q->cost) - (p->cost < q->cost);
}

/* All pairs of rows of two sequences, the best first. */
static int all_pairs(const marey_clusters *c, int from, int to, bool both, pair *out)
{
    int count = 0;
    for (int r = 0; r < c->sequences[from].rows; r++) {
        if (both && !judge_goes_on(c, judge_row_of(c, from, r))) continue;
        for (int s = 0; s < c->sequences[to].rows; s++) {
            int a = judge_row_of(c, from, r), b = judge_row_of(c, to, s);
            if (judge_goes_on(c, b)) out[count++] = (pair){ r, s, judge_switch(c, a, b) };
        }
    }
    qsort(out, (size_t)count, sizeof *out, by_cost);
    return count;
}

static void assert_switches(graph_rig *rig, const marey_clusters *c, int from, int to)
{
    static pair pairs[MOST_ROWS * MOST_ROWS];
    marey_cluster_switch got[6];
    bool used[2][MOST_ROWS] = { { 0 } };
    int found = -1, n = 0, count = all_pairs(c, from, to, false, pairs);
    assert_int_equal(marey_clusters_switches(rig->ctx, c, from, to, 6, got, &found, NULL),
                     MAREY_OK);
    for (int k = 0; k < count && n < 6; k++) {
        if (used[0][pairs[k].a] || used[1][pairs[k].b]) continue;
        used[0][pairs[k].a] = used[1][pairs[k].b] = true;
        assert_true(n < found);
        assert_int_equal(got[n].from_sequence, from);
        assert_int_equal(got[n].to_sequence, to);
        assert_true(fabs(got[n].cost - pairs[k].cost) < off_by(pairs[k].cost));
        assert_int_equal(got[n].from, judge_row_frame(c, judge_row_of(c, from, pairs[k].a)));
        assert_int_equal(got[n].to, judge_row_frame(c, judge_row_of(c, to, pairs[k].b)));
        n++;
    }
    assert_int_equal(found, n);
}

TEST_RIG_SWITCH(the_best_places_are_those_of_all_pairs)
{
    int tried = 0;
    for (int n = 0; n < 3; n++) {
        OWNED(marey_clusters) *c = switch_rig_build(rig, 2 + n, 20 + 5 * n, 40 + 60 * n);
        for (int from = 0; from < c->sequence_count; from++) {
            for (int to = 0; to < c->sequence_count; to++) {
                if (from == to || c->sequences[from].node != c->sequences[to].node) continue;
                assert_switches(rig, c, from, to);
                tried++;
            }
        }
    }
    assert_true(tried > 30);
}

TEST_RIG_SWITCH(switches_are_between_two_of_one_node)
{
    marey_cluster_switch got[2];
    marey_error error = { 0 };
    int found = -7, other = 1;
    OWNED(marey_clusters) *c = switch_rig_build(rig, 2, 30, 60);
    while (c->sequences[other].node == c->sequences[0].node) other++;
    const int wrong[][2] = { { 0, 0 }, { 0, other }, { -1, 0 }, { 0, c->sequence_count } };
    for (int n = 0; n < 4; n++) {
        assert_int_equal(
            marey_clusters_switches(rig->ctx, c, wrong[n][0], wrong[n][1], 2, got, &found, &error),
            MAREY_ERR_REQUEST);
        assert_int_equal(found, -7);
    }
}

/* ---- tuples ---------------------------------------------------------------------------------- */

typedef struct tuple {
    int rows[MOST_M];
    double cost;
} tuple;

static int by_tuple(const void *left, const void *right)
{
    const tuple *p = left, *q = right;
    return (p->cost > q->cost) - (p->cost < q->cost);
}

/* Figure 4 as it is printed: S = L12; for each element of S and each pair that goes on from its
   last, T gets a longer one. -1: too many. */
static int print_figure_4(const marey_clusters *c, int node, int k, tuple *s)
{
    static pair pairs[MOST_ROWS * MOST_ROWS];
    static tuple t[MOST_TUPLES];
    int first = c->nodes[node].first, m = c->nodes[node].sequences, count = 0;
    for (int i = 0; i + 1 < m; i++) {
        int length = all_pairs(c, first + i, first + i + 1, true, pairs), longer = 0;
        if (length > k) length = k;
        for (int n = 0; i == 0 && n < length; n++)
            s[count++] = (tuple){ { pairs[n].a, pairs[n].b }, pairs[n].cost };
        if (i == 0) continue;
        for (int n = 0; n < count; n++) {
            for (int q = 0; q < length; q++) {
                if (pairs[q].a != s[n].rows[i]) continue;
                if (longer == MOST_TUPLES) return -1;
                t[longer] = s[n];
                t[longer].rows[i + 1] = pairs[q].b;
                t[longer++].cost += pairs[q].cost;
            }
        }
        memcpy(s, t, (size_t)longer * sizeof *s);
        count = longer;
    }
    qsort(s, (size_t)count, sizeof *s, by_tuple);
    return count;
}

static void assert_tuples(const marey_clusters *c, int node, const marey_tuples *got, int k,
                          int most)
{
    static tuple s[MOST_TUPLES];
    int m = c->nodes[node].sequences, first = c->nodes[node].first;
    int count = print_figure_4(c, node, k, s);
    if (count < 0) return;
    assert_int_equal(got->sequences, m);
    assert_int_equal(got->count, count < most ? count : most);
    assert_int_equal(got->by_pairs, count == 0);
    for (int n = 0; n < got->count; n++) {
        double sum = 0;
        assert_true(fabs(got->costs[n] - s[n].cost) < m * off_by(s[n].cost));
        for (int i = 0; i + 1 < m; i++) { /* they are what they cost */
            int a = c->first_row[c->sequences[first + i].clip];
            int b = c->first_row[c->sequences[first + i + 1].clip];
            while (judge_row_frame(c, a) != got->frames[n * m + i]) a++;
            while (judge_row_frame(c, b) != got->frames[n * m + i + 1]) b++;
            assert_int_equal(c->sequence[a], first + i);
            assert_int_equal(c->sequence[b], first + i + 1);
            sum += judge_switch(c, a, b);
        }
        assert_true(fabs(got->costs[n] - sum) < m * off_by(sum));
    }
}

TEST_RIG_SWITCH(tuples_are_those_of_figure_4)
{
    int several = 0, grown = 0, none = 0;
    for (int n = 0; n < 4; n++) {
        OWNED(marey_clusters) *c = switch_rig_build(rig, 2 + n % 3, 20 + 5 * n, 30 + 50 * n);
        for (int node = 0; node < c->node_count; node++) {
            if (c->nodes[node].sequences < 2) continue;
            assert_true(c->nodes[node].sequences <= MOST_M);
            for (int most = 1; most <= 20; most += 19) {
                marey_tuples_def def = { .pairs = 1 + n, .most = most, .most_pairs = n ? 16 : 1 };
                OWNED(marey_tuples) got = { 0 };
                assert_int_equal(marey_clusters_tuples(rig->ctx, c, node, &def, &got, NULL),
                                 MAREY_OK);
                assert_tuples(c, node, &got, got.pairs, most);
                assert_true(got.pairs >= def.pairs && got.pairs <= def.most_pairs);
                if (got.pairs > def.pairs) {                       /* no sooner */
                    int half = got.pairs < 16 ? got.pairs / 2 : 8; /* what was tried before */
                    static tuple s[MOST_TUPLES];
                    int found = print_figure_4(c, node, half < def.pairs ? def.pairs : half, s);
                    assert_int_equal(found, 0);
                    grown++;
                }
                several += got.count > 1;
                none += got.by_pairs;
            }
        }
    }
    assert_true(several > 10 && grown > 2 && none > 0);
}

/* With lists of all pairs every choice of a frame each is a tuple: the best of all. */
TEST_RIG_SWITCH(with_all_pairs_the_best_of_all_choices_is_found)
{
    int tried = 0;
    OWNED(marey_clusters) *c = switch_rig_build(rig, 3, 12, 90);
    for (int node = 0; node < c->node_count; node++) {
        const marey_cluster_node *of = &c->nodes[node];
        int m = of->sequences, at[MOST_M] = { 0 };
        double choices = 1, best = INFINITY;
        for (int i = 0; i < m; i++) choices *= c->sequences[of->first + i].rows;
        if (m < 2 || choices > 20000) continue;
        for (int carry = 0; carry < m;) {
            double cost = 0;
            bool fits = true;
            for (int i = 0; i < m && fits; i++) {
                fits = judge_goes_on(c, judge_row_of(c, of->first + i, at[i]));
                if (fits && i + 1 < m)
                    cost += judge_switch(c, judge_row_of(c, of->first + i, at[i]),
                                         judge_row_of(c, of->first + i + 1, at[i + 1]));
            }
            if (fits) best = fmin(best, cost);
            for (carry = 0; carry < m; carry++) {
                if (++at[carry] < c->sequences[of->first + carry].rows) break;
                at[carry] = 0;
            }
        }
        marey_tuples_def def = { .pairs = 100000, .most = 1 };
        OWNED(marey_tuples) got = { 0 };
        assert_int_equal(marey_clusters_tuples(rig->ctx, c, node, &def, &got, NULL), MAREY_OK);
        assert_int_equal(got.count, best < INFINITY ? 1 : 0);
        if (got.count) assert_true(fabs(got.costs[0] - best) < m * off_by(best));
        tried++;
    }
    assert_true(tried > 5);
}

TEST_RIG_SWITCH(a_node_of_one_sequence_has_no_tuple)
{
    marey_tuples got = { 0 };
    marey_error error = { 0 };
    OWNED(marey_clusters) *c = switch_rig_build(rig, 1, 30, 1);
    assert_int_equal(c->nodes[0].sequences, 1);
    assert_int_equal(marey_clusters_tuples(rig->ctx, c, 0, NULL, &got, &error), MAREY_OK);
    assert_true(got.count == 0 && got.sequences == 1 && !got.by_pairs && got.pairs == 0);
    marey_tuples_free(&got);
    assert_int_equal(marey_clusters_tuples(rig->ctx, c, c->node_count, NULL, &got, &error),
                     MAREY_ERR_REQUEST);
    marey_tuples_def wrong[] = { { .pairs = -1 }, { .most = -1 }, { .pairs = 9, .most_pairs = 8 } };
    for (int n = 0; n < 3; n++)
        assert_int_equal(marey_clusters_tuples(rig->ctx, c, 0, &wrong[n], &got, &error),
                         MAREY_ERR_REQUEST);
}

/* The captured frames around one, at most two seconds to each side. */
static void reach_around(const marey_clusters *c, int clip, int frame, int *first, int *last)
{
    int most = (int)(2 * c->clips[clip]->fps);
    *first = *last = frame;
    while (frame - *first < most && marey_clusters_find(c, clip, *first - 1) >= 0) --*first;
    while (*last - frame < most && marey_clusters_find(c, clip, *last + 1) >= 0) ++*last;
}

static void assert_sound(marey_ctx *ctx, const marey_clusters *c, const marey_contacts *plants,
                         const marey_cluster_switch *at)
{
    int a = c->sequences[at->from_sequence].clip, b = c->sequences[at->to_sequence].clip;
    int low, high, none;
    OWNED(marey_made) made = { 0 };
    marey_walk_made about;
    marey_error error = { 0 };
    reach_around(c, a, at->from, &low, &none);
    reach_around(c, b, at->to, &none, &high);
    marey_piece pieces[2] = { { a, low, at->from + 1, 0 }, { b, at->to + 1, high + 1, 0 } };
    test_fine(marey_pieces_make(ctx, c->clips, c->clip_count, plants, pieces, 2, NULL, &made,
                                &about, &error),
              &error);
    double slide = test_slide(made.clip, made.contacts.items, made.contacts.count);
    if (!(about.jump_ratio <= 1.2 && slide <= 0.5))
        fail_msg("%s %d to %s %d: jump %g, slide %g cm", c->clips[a]->name, at->from,
                 c->clips[b]->name, at->to, about.jump_ratio, slide);
}

/* Drawn by lot; bench_switch does it 500 times on more clips. */
TEST_CTX(switches_of_captured_motion_neither_jump_nor_slide)
{
    static const char *const names[] = { "cmu/16_15",  "cmu/38_03", "cmu/91_01",
                                         "cmu/111_23", "cmu/09_12", "cmu/49_06" };
    enum { COUNT = sizeof names / sizeof *names };
    marey_clip *clips[COUNT];
    marey_contacts plants[COUNT];
    OWNED(marey_clusters) *c = NULL;
    marey_error error = { 0 };
    uint64_t seed = 1;
    test_need_mocap();
    for (int i = 0; i < COUNT; i++) {
        clips[i] = test_captured(ctx, names[i]);
        assert_int_equal(marey_contacts_find(clips[i], NULL, &plants[i]), MAREY_OK);
    }
    test_fine(marey_clusters_build(ctx, (const marey_clip *const *)clips, COUNT, NULL, &c, &error),
              &error);
    for (int left = test_trials(60, 60); left > 0;) {
        int from = (int)(mry_random_next(&seed) % (uint64_t)c->sequence_count), found = 0;
        const marey_cluster_node *node = &c->nodes[c->sequences[from].node];
        int to = node->first + (int)(mry_random_next(&seed) % (uint64_t)node->sequences);
        marey_cluster_switch at;
        if (to == from) continue;
        test_fine(marey_clusters_switches(ctx, c, from, to, 1, &at, &found, &error), &error);
        if (found == 0) continue;
        assert_sound(ctx, c, plants, &at);
        left--;
    }
    for (int i = 0; i < COUNT; i++) {
        marey_contacts_free(&plants[i]);
        marey_clip_free(clips[i]);
    }
}

TEST_RIG_SWITCH(running_out_of_memory_is_reported_and_leaves_nothing)
{
    OWNED(marey_clusters) *c = switch_rig_build(rig, 3, 20, 60);
    int node = 0; /* the busiest */
    for (int n = 0; n < c->node_count; n++) {
        if (c->nodes[n].sequences > c->nodes[node].sequences) node = n;
    }
    int first = c->nodes[node].first;
    assert_true(c->nodes[node].sequences > 2);
    for (int what = 0; what < 2; what++) {
        marey_status status = MAREY_OK;
        for (test_refusals sweep = { .memory = &rig->memory }; test_refuse(&sweep, status);) {
            marey_tuples got = { .count = -7 };
            marey_cluster_switch place;
            int found = -7;
            status = what ? marey_clusters_tuples(rig->ctx, c, node, NULL, &got, NULL)
                          : marey_clusters_switches(rig->ctx, c, first, first + 1, 1, &place,
                                                    &found, NULL);
            if (status) assert_true(got.count == -7 && found == -7);
            if (!status && what) marey_tuples_free(&got);
        }
    }
    marey_ctx_cancel(rig->ctx);
    marey_tuples got = { .count = -7 };
    assert_int_equal(marey_clusters_tuples(rig->ctx, c, node, NULL, &got, NULL),
                     MAREY_ERR_CANCELLED);
    assert_int_equal(got.count, -7);
    marey_ctx_resume(rig->ctx);
}

TEST_GROUP_OF_CASES(test_cluster_switch, NULL, NULL)
