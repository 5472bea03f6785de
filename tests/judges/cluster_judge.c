/* cluster_judge.c - textbook clustering, and cluster graphs counted frame by frame. */
#include "cluster_judge.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

marey_clusters *cluster_rig_build(graph_rig *rig, const marey_clusters_def *def)
{
    marey_clusters *clusters = NULL;
    test_ok(marey_clusters_build(rig->ctx, rig->clips, rig->count, def, &clusters, &test_error));
    return clusters;
}

/* ---- textbook clustering --------------------------------------------------------------------- */

void judge_agglomerate(const float *table, int n, double threshold, marey_link link, int *label,
                       float *widest)
{
    float *far = malloc((size_t)n * (size_t)n * sizeof *far); /* of clusters, by first frames */
    memcpy(far, table, (size_t)n * (size_t)n * sizeof *far);
    for (int i = 0; i < n; i++) {
        label[i] = i;
        widest[i] = 0;
    }
    for (;;) {
        int a = -1, b = -1;
        for (int i = 0; i < n; i++) {
            for (int k = i + 1; k < n && label[i] == i; k++) {
                if (label[k] != k || !((double)far[i * n + k] <= threshold)) continue;
                if (a < 0 || far[i * n + k] < far[a * n + b]) {
                    a = i;
                    b = k;
                }
            }
        }
        if (a < 0) break;
        widest[a] = far[a * n + b];
        for (int i = 0; i < n; i++) {
            float one = far[a * n + i], other = far[b * n + i];
            float both = link == MAREY_LINK_COMPLETE ? fmaxf(one, other) : fminf(one, other);
            far[a * n + i] = far[i * n + a] = both;
            if (label[i] == b) label[i] = a;
        }
    }
    free(far);
}

typedef struct table_fill {
    float *table;
    int n;
} table_fill;

static marey_status fill_row(void *user, int frame, mry_near_row *row, marey_error *error)
{
    table_fill *t = user;
    (void)error;
    for (int i = 0; i < row->count; i++)
        t->table[(size_t)frame * (size_t)t->n + (size_t)row->cells[i].other] = row->cells[i].value;
    return MAREY_OK;
}

float *judge_table(const marey_clusters *clusters, int *n)
{
    mry_frames frames;
    test_ok(mry_frames_open(&frames, clusters, &test_error));
    size_t count = (size_t)frames.count;
    table_fill t = { malloc(count * count * sizeof(float)), frames.count };
    for (size_t i = 0; i < count * count; i++) t.table[i] = INFINITY;
    mry_near_search search = {
        .frames = &frames, .threshold = 1e9, .reach = 1e9, .take = fill_row, .user = &t
    };
    test_ok(mry_near_search_run(&search, &test_error));
    for (size_t i = 0; i < count; i++) {
        t.table[i * count + i] = 0;
        for (size_t k = 0; k < i; k++) {
            float *one = &t.table[i * count + k], *other = &t.table[k * count + i];
            if (frames.clouds.clouds) assert_true(*one == *other);
            *one = *other = fmaxf(*one, *other);
        }
    }
    *n = frames.count;
    mry_frames_close(&frames);
    return t.table;
}

/* ---- what follows from nodes ----------------------------------------------------------------- */

static bool is_marked(const marey_clip *clip, int frame)
{
    int count;
    const marey_mark *marks = marey_clip_marks(clip, &count);
    for (int m = 0; m < count; m++)
        if (frame >= marks[m].start && frame < marks[m].end) return true;
    return false;
}

static void judge_frames_found(const marey_clusters *c)
{
    int count, rows = 0;
    const marey_cluster_sequence *all = marey_clusters_sequences(c, &count);
    for (int s = 0; s < count; s++) {
        rows += all[s].rows;
        for (int f = all[s].start; f < all[s].end; f++) {
            assert_false(is_marked(c->clips[all[s].clip], f));
            assert_int_equal(marey_clusters_find(c, all[s].clip, f), s);
        }
    }
    assert_int_equal(rows, marey_clusters_frames(c));
    for (int clip = 0; clip < c->clip_count; clip++) {
        int frames = marey_clip_frames(c->clips[clip]);
        assert_int_equal(marey_clusters_find(c, clip, -1), -1);
        assert_int_equal(marey_clusters_find(c, clip, frames), -1);
        for (int f = 0; f < frames; f++) {
            int s = marey_clusters_find(c, clip, f);
            if (is_marked(c->clips[clip], f)) assert_int_equal(s, -1);
            if (s < 0) continue;
            assert_true(all[s].clip == clip && f >= all[s].start && f < all[s].end);
        }
        for (int r = 0; r < c->features[clip]->rows; r++) {
            int frame = marey_features_frame(c->features[clip], r);
            assert_true((marey_clusters_find(c, clip, frame) < 0) ==
                        is_marked(c->clips[clip], frame));
        }
    }
    assert_int_equal(marey_clusters_find(c, -1, 0), -1);
    assert_int_equal(marey_clusters_find(c, c->clip_count, 0), -1);
}

/* The sequence that begins where this one ends; -1: none. */
static int plain_next(const marey_cluster_sequence *all, int count, int s)
{
    for (int i = 0; i < count; i++)
        if (all[i].clip == all[s].clip && all[i].start == all[s].end) return i;
    return -1;
}

static void judge_nodes(const marey_clusters *c)
{
    int count, nodes, last_clip = 0, last_start = -1;
    const marey_cluster_sequence *all = marey_clusters_sequences(c, &count);
    const marey_cluster_node *of = marey_clusters_nodes(c, &nodes);
    for (int n = 0; n < nodes; n++) {
        int clips = 0, rows = 0, sequences = 0;
        for (int s = 0; s < count; s++) {
            bool again = false;
            if (all[s].node != n) continue;
            for (int k = 0; k < s; k++) again |= all[k].node == n && all[k].clip == all[s].clip;
            clips += !again;
            rows += all[s].rows;
            sequences++;
        }
        assert_true(of[n].clips == clips && of[n].rows == rows && of[n].sequences == sequences);
        assert_int_equal(of[n].loops, sequences > clips);
        const marey_cluster_sequence *first = &all[of[n].first];
        assert_true(first->clip > last_clip ||
                    (first->clip == last_clip && first->start > last_start));
        last_clip = first->clip;
        last_start = first->start;
        int middle = marey_clusters_find(c, of[n].clip, of[n].frame);
        assert_true(middle >= 0 && all[middle].node == n);
    }
}

static void judge_edges(const marey_clusters *c)
{
    int count, edges, sum = 0, follow = 0;
    const marey_cluster_sequence *all = marey_clusters_sequences(c, &count);
    const marey_cluster_edge *of = marey_clusters_edges(c, &edges);
    for (int s = 0; s < count; s++) follow += all[s].next >= 0;
    for (int e = 0; e < edges; e++) {
        int times = 0;
        for (int s = 0; s < count; s++)
            times +=
                all[s].next >= 0 && all[s].node == of[e].from && all[all[s].next].node == of[e].to;
        assert_true(times > 0 && times == of[e].count);
        sum += times;
        if (e == 0) continue;
        assert_true(of[e].from > of[e - 1].from ||
                    (of[e].from == of[e - 1].from && of[e].to > of[e - 1].to));
    }
    assert_int_equal(sum, follow);
}

/* Every pair of frames of every node. */
static void judge_widths(const marey_clusters *c)
{
    const marey_clusters_def *def = marey_clusters_settings(c);
    int count;
    const marey_cluster_node *of = marey_clusters_nodes(c, &count);
    if (def->link != MAREY_LINK_COMPLETE || c->layout->def.metric->whole_grid) return;
    for (int n = 0; n < count; n++) {
        double widest = 0;
        for (int s = of[n].first; s < of[n].first + of[n].sequences; s++) {
            for (int t = of[n].first; t <= s; t++) {
                for (int i = 0; i < c->sequences[s].rows; i++) {
                    for (int k = 0; k < c->sequences[t].rows; k++) {
                        if (s == t && k >= i) break;
                        double d = mry_sequence_distance(c, t, k, s, i);
                        if (!(d <= def->threshold))
                            fail_msg("node %d: %.9g is beyond %.9g", n, d, def->threshold);
                        if (d > widest) widest = d;
                    }
                }
            }
        }
        if (!(fabs(widest - of[n].widest) <= 1e-2 + 1e-4 * widest))
            fail_msg("node %d is %g wide, not %g", n, widest, of[n].widest);
    }
}

void judge_clusters(const marey_clusters *clusters)
{
    judge_frames_found(clusters);
    /* The sequences. */
    int count, nodes;
    const marey_cluster_sequence *all = marey_clusters_sequences(clusters, &count);
    const marey_cluster_node *of = marey_clusters_nodes(clusters, &nodes);
    for (int s = 0; s < count; s++) {
        int next = plain_next(all, count, s);
        assert_int_equal(all[s].next, next);
        if (next >= 0) assert_true(all[next].before == s && all[next].node != all[s].node);
        if (all[s].before >= 0) assert_int_equal(all[all[s].before].next, s);
        assert_true(s >= of[all[s].node].first);
        assert_true(s < of[all[s].node].first + of[all[s].node].sequences);
        if (s == 0) continue;
        bool order = all[s].node > all[s - 1].node ||
                     (all[s].node == all[s - 1].node && all[s].clip > all[s - 1].clip) ||
                     (all[s].node == all[s - 1].node && all[s].clip == all[s - 1].clip &&
                      all[s].start >= all[s - 1].end);
        assert_true(order);
    }
    judge_nodes(clusters);
    judge_edges(clusters);
    judge_widths(clusters);
}

void judge_same_clusters(const marey_clusters *a, const marey_clusters *b)
{
    assert_int_equal(a->node_count, b->node_count);
    assert_int_equal(a->sequence_count, b->sequence_count);
    assert_int_equal(a->edge_count, b->edge_count);
    assert_int_equal(a->rows, b->rows);
    assert_true(a->fps == b->fps && a->def.threshold == b->def.threshold);
    assert_memory_equal(a->sequences, b->sequences,
                        (size_t)a->sequence_count * sizeof *a->sequences);
    assert_memory_equal(a->edges, b->edges, (size_t)a->edge_count * sizeof *a->edges);
    for (int n = 0; n < a->node_count; n++) {
        const marey_cluster_node *x = &a->nodes[n], *y = &b->nodes[n];
        assert_true(x->first == y->first && x->sequences == y->sequences && x->rows == y->rows);
        assert_true(x->clips == y->clips && x->loops == y->loops && x->clip == y->clip);
        assert_true(x->frame == y->frame && x->widest == y->widest);
    }
}
