/* cluster_view.c - a cluster graph to look at: its nodes in order, their sequences, what follows what, and their middles. */
#include "base/fail.h"
#include "graph/cluster_data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Middles of a node that all of its middles are held against. */
enum { MOST_HELD = 48 };

/* ---- sequences ------------------------------------------------------------------------------------------------ */

/* A run of rows of one clip in one node. */
typedef struct run {
    int node, clip, row, rows;
    int before, after; /* runs that follow on each other in the clip; -1: none */
    int order;         /* its number among the sequences */
} run;

/* Nodes get the order of their first rows; number[n]: of node n, as many as there are rows in all. */
static int renumber(const marey_clusters *c, int *node_of_row, const float *widest, int *number,
                    float *width)
{
    int all = c->first_row[c->clip_count], nodes = 0;
    for (int i = 0; i < all; i++) number[i] = -1;
    for (int i = 0; i < all; i++) {
        int node = node_of_row[i];
        if (node < 0) continue;
        if (number[node] < 0) {
            width[nodes] = widest[node];
            number[node] = nodes++;
        }
        node_of_row[i] = number[node];
    }
    return nodes;
}

/* A marked frame between two rows parts them, though no row stands for it. */
static bool follows(const marey_clusters *c, int clip, int row)
{
    const marey_clip *of = c->clips[clip];
    const int *frame = c->features[clip]->frame + row;
    for (int m = 0; m < of->mark_count; m++) {
        if (of->marks[m].start <= frame[0] && of->marks[m].end > frame[-1]) return false;
    }
    return true;
}

static int find_runs(const marey_clusters *c, const int *node_of_row, run *runs)
{
    int count = 0;
    for (int clip = 0; clip < c->clip_count; clip++) {
        const int *node = node_of_row + c->first_row[clip];
        for (int r = 0; r < c->features[clip]->rows; r++) {
            if (node[r] < 0) continue;
            bool goes_on = r > 0 && node[r - 1] >= 0 && follows(c, clip, r);
            if (goes_on && node[r - 1] == node[r]) {
                runs[count - 1].rows++;
                continue;
            }
            runs[count] = (run){ node[r], clip, r, 1, goes_on ? count - 1 : -1, -1, 0 };
            if (goes_on) runs[count - 1].after = count;
            count++;
        }
    }
    return count;
}

/* first[n]: of node n's runs, among all that are sorted by node, as they are by clip and row already. */
static void sort_runs(marey_clusters *c, run *runs, int count, int *first)
{
    memset(first, 0, ((size_t)c->node_count + 1) * sizeof *first);
    for (int i = 0; i < count; i++) first[runs[i].node + 1]++;
    for (int n = 0; n < c->node_count; n++) first[n + 1] += first[n];
    for (int i = 0; i < count; i++) runs[i].order = first[runs[i].node]++;
    for (int n = c->node_count; n > 0; n--) first[n] = first[n - 1];
    first[0] = 0;
    for (int i = 0; i < count; i++) {
        const run *one = &runs[i];
        marey_cluster_sequence *to = &c->sequences[one->order];
        to->node = one->node;
        to->clip = one->clip;
        to->start = c->features[one->clip]->frame[one->row];
        /* Up to the frame of the next row, or what is marked before that. */
        const marey_features *f = c->features[one->clip];
        const marey_clip *clip = c->clips[one->clip];
        int last = one->row + one->rows - 1, from = f->frame[last];
        int end = last + 1 < f->rows ? f->frame[last + 1] : f->frames;
        for (int m = 0; m < clip->mark_count; m++) {
            int start = clip->marks[m].start;
            if (clip->marks[m].end > from + 1 && start < end) end = start > from ? start : from + 1;
        }
        to->end = end;
        to->rows = one->rows;
        to->next = one->after < 0 ? -1 : runs[one->after].order;
        to->before = one->before < 0 ? -1 : runs[one->before].order;
        c->sequence_row[one->order] = one->row;
        for (int r = 0; r < one->rows; r++)
            c->sequence[c->first_row[one->clip] + one->row + r] = one->order;
    }
}

/* ---- edges ------------------------------------------------------------------------------------------------------ */

static int by_nodes(const void *left, const void *right)
{
    const marey_cluster_edge *a = left, *b = right;
    if (a->from != b->from) return a->from < b->from ? -1 : 1;
    return (a->to > b->to) - (a->to < b->to);
}

/* ---- nodes ------------------------------------------------------------------------------------------------------ */

static void find_middle(void *user, int64_t n)
{
    marey_clusters *c = user;
    marey_cluster_node *node = &c->nodes[n];
    int best = 0;
    double least = 0;
    if (mry_cancelled(c->ctx)) return;
    for (int i = 0; i < node->sequences && node->sequences > 1; i++) {
        /* The mean distance of a sequence's middle to some of the others' middles, evenly chosen. */
        int held = node->sequences < MOST_HELD ? node->sequences : MOST_HELD, count = 0;
        int a = node->first + i;
        double sum = 0;
        for (int k = 0; k < held; k++) {
            int b = node->first + (int)((int64_t)k * node->sequences / held);
            if (a == b) continue;
            sum +=
                mry_sequence_distance(c, a, c->sequences[a].rows / 2, b, c->sequences[b].rows / 2);
            count++;
        }
        double mean = count ? sum / count : 0;
        if (i > 0 && !(mean < least)) continue;
        best = i;
        least = mean;
    }
    int sequence = node->first + best;
    node->clip = c->sequences[sequence].clip;
    node->frame = mry_sequence_frame(c, sequence, c->sequences[sequence].rows / 2);
}

static marey_status order(marey_clusters *c, int *node_of_row, const float *widest, mry_arena *tmp,
                          marey_error *error)
{
    int all = c->first_row[c->clip_count];
    int *number = MRY_NEW_RAW(tmp, int, (size_t)all + 1);
    float *width = MRY_NEW_RAW(tmp, float, all);
    run *runs = MRY_NEW_RAW(tmp, run, all);
    if (!number || !width || !runs) return mry_fail_memory(error, NULL);
    c->node_count = renumber(c, node_of_row, widest, number, width);
    c->sequence_count = find_runs(c, node_of_row, runs);
    /* Room for all of them. */
    c->nodes = MRY_NEW(&c->mem, marey_cluster_node, c->node_count);
    c->sequences = MRY_NEW(&c->mem, marey_cluster_sequence, c->sequence_count);
    c->sequence_row = MRY_NEW(&c->mem, int, c->sequence_count);
    c->edges = MRY_NEW(&c->mem, marey_cluster_edge, c->sequence_count);
    if (!(c->nodes && c->sequences && c->sequence_row && c->edges))
        return mry_fail_memory(error, NULL);
    for (int r = 0; r < all; r++) c->sequence[r] = -1;
    sort_runs(c, runs, c->sequence_count, number);
    for (int n = 0; n < c->node_count; n++) {
        c->nodes[n].first = number[n];
        c->nodes[n].sequences = number[n + 1] - number[n];
        c->nodes[n].widest = (double)width[n];
        /* What is in it. */
        const marey_cluster_sequence *of = c->sequences + c->nodes[n].first;
        for (int i = 0; i < c->nodes[n].sequences; i++) {
            c->nodes[n].rows += of[i].rows;
            if (i == 0 || of[i].clip != of[i - 1].clip)
                c->nodes[n].clips++;
            else
                c->nodes[n].loops = true;
        }
    }
    /* Edges: sequences that go on in another node, counted. */
    int count = 0;
    for (int s = 0; s < c->sequence_count; s++) {
        int next = c->sequences[s].next;
        if (next < 0) continue;
        c->edges[count++] =
            (marey_cluster_edge){ c->sequences[s].node, c->sequences[next].node, 1 };
    }
    if (count > 0) qsort(c->edges, (size_t)count, sizeof *c->edges, by_nodes);
    for (int i = 0; i < count; i++) {
        marey_cluster_edge *last = c->edge_count ? &c->edges[c->edge_count - 1] : NULL;
        if (last && by_nodes(last, &c->edges[i]) == 0)
            last->count++;
        else
            c->edges[c->edge_count++] = c->edges[i];
    }
    marey_ctx_run(c->ctx, c->node_count, find_middle, c);
    return mry_cancelled(c->ctx) ? mry_fail_cancelled(error) : MAREY_OK;
}

marey_status mry_clusters_order(marey_clusters *c, int *node_of_row, const float *widest,
                                marey_error *error)
{
    mry_arena tmp = mry_arena_make(c->ctx);
    marey_status status = order(c, node_of_row, widest, &tmp, error);
    mry_arena_free(&tmp);
    return status;
}

/* ---- public ------------------------------------------------------------------------------------------------------- */

const marey_clusters_def *marey_clusters_settings(const marey_clusters *clusters)
{
    return &clusters->def;
}

int marey_clusters_clip_count(const marey_clusters *clusters)
{
    return clusters->clip_count;
}

double marey_clusters_fps(const marey_clusters *clusters)
{
    return clusters->fps;
}

int marey_clusters_frames(const marey_clusters *clusters)
{
    return clusters->rows;
}

const marey_cluster_sequence *marey_clusters_sequences(const marey_clusters *clusters, int *count)
{
    *count = clusters->sequence_count;
    return clusters->sequences;
}

const marey_cluster_node *marey_clusters_nodes(const marey_clusters *clusters, int *count)
{
    *count = clusters->node_count;
    return clusters->nodes;
}

const marey_cluster_edge *marey_clusters_edges(const marey_clusters *clusters, int *count)
{
    *count = clusters->edge_count;
    return clusters->edges;
}

int marey_clusters_find(const marey_clusters *clusters, int clip, int frame)
{
    if (clip < 0 || clip >= clusters->clip_count) return -1;
    const marey_features *f = clusters->features[clip];
    if (frame < 0 || frame >= f->frames) return -1;
    int low = 0, high = f->rows - 1; /* the last row that is not behind the frame */
    while (low < high) {
        int middle = high - (high - low) / 2;
        if (f->frame[middle] <= frame)
            low = middle;
        else
            high = middle - 1;
    }
    int sequence = clusters->sequence[clusters->first_row[clip] + low];
    return sequence >= 0 && frame < clusters->sequences[sequence].end ? sequence : -1;
}
