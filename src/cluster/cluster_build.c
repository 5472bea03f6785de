/* cluster_build.c - cluster graphs: defaults, the clips as rows of numbers, building, and looking
   at what was built: nodes in order, their sequences, what follows what, and their middles. Basu,
   Shanbhag & Chandran 2005, 3.2. */
#include "base/fail.h"
#include "cluster/cluster_near.h"

#include <marey/retarget.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- single link ---------------------------------------------------------------------------- */

/* Single link: clusters are the connected parts of the graph of all pairs within the threshold, and
   the largest distance that was needed to join one is the largest edge of its minimum spanning
   tree. Kruskal 1956.

   Pairs come row by row and are not all kept: the tree of what was seen so far and the next pairs
   make the next tree, since an edge that is in no tree of a part is in none of the whole. A pair
   inside a part that is already held together by nothing longer is never needed. */

typedef struct kruskal {
    int frames;
    int *parent;     /* of each frame: in its part; itself: the part's first frame */
    float *longest;  /* of each part's first frame: its tree's longest edge */
    mry_near *edges; /* the tree's, then those that wait */
    int64_t count, room;
} kruskal;

static int by_value(const void *left, const void *right)
{
    const mry_near *a = left, *b = right;
    if (a->value != b->value) return a->value < b->value ? -1 : 1;
    if (a->a != b->a) return a->a < b->a ? -1 : 1;
    return (a->b > b->b) - (a->b < b->b);
}

static int part_of(kruskal *k, int frame)
{
    while (k->parent[frame] != frame) {
        k->parent[frame] = k->parent[k->parent[frame]];
        frame = k->parent[frame];
    }
    return frame;
}

static void grow_tree(kruskal *k)
{
    int64_t kept = 0;
    if (k->count > 0) qsort(k->edges, (size_t)k->count, sizeof *k->edges, by_value);
    for (int i = 0; i < k->frames; i++) {
        k->parent[i] = i;
        k->longest[i] = 0;
    }
    for (int64_t e = 0; e < k->count; e++) {
        mry_near edge = k->edges[e];
        int a = part_of(k, edge.a), b = part_of(k, edge.b);
        if (a == b) continue;
        int first = a < b ? a : b, other = a < b ? b : a;
        k->parent[other] = first;
        k->longest[first] = edge.value; /* they come in order */
        k->edges[kept++] = edge;
    }
    k->count = kept;
}

static marey_status take_row(void *user, int frame, mry_near_row *row, marey_error *error)
{
    kruskal *k = user;
    (void)error;
    int own = part_of(k, frame);
    for (int i = 0; i < row->count; i++) {
        mry_near_cell cell = row->cells[i];
        if (part_of(k, cell.other) == own && cell.value >= k->longest[own]) continue;
        if (k->count == k->room) {
            grow_tree(k);
            own = part_of(k, frame);
        }
        k->edges[k->count++] = (mry_near){ frame, cell.other, cell.value };
    }
    return MAREY_OK;
}

marey_status mry_cluster_single(const mry_frames *frames, double threshold, int most_waiting,
                                int *label, float *widest, marey_error *error)
{
    mry_arena tmp = mry_arena_make(frames->clusters->ctx);
    kruskal k = { .frames = frames->count,
                  .parent = MRY_NEW_RAW(&tmp, int, frames->count),
                  .longest = widest,
                  .room = (int64_t)frames->count + most_waiting };
    k.edges = MRY_NEW_RAW(&tmp, mry_near, k.room);
    mry_near_search search = { .frames = frames,
                               .threshold = threshold,
                               .reach = threshold,
                               .later = true,
                               .take = take_row,
                               .user = &k,
                               .tiles = frames->clusters->def.tiles };
    marey_status status = k.parent && k.edges ? MAREY_OK : mry_fail_memory(error, NULL);
    if (!status) {
        grow_tree(&k);
        status = mry_near_search_run(&search, error);
    }
    if (!status) grow_tree(&k);
    for (int i = 0; i < frames->count && !status; i++) label[i] = part_of(&k, i);
    mry_arena_free(&tmp);
    return status;
}

/* ---- links ----------------------------------------------------------------------------------- */

static const struct {
    const char *name, *about;
} links[MAREY_LINK_COUNT] = {
    [MAREY_LINK_COMPLETE] = { "complete", "any two frames of a node are within the threshold" },
    [MAREY_LINK_SINGLE] = { "single",
                            "each frame of a node is within the threshold of another: chains" },
};

const char *marey_link_name(marey_link link)
{
    return (unsigned)link < MAREY_LINK_COUNT ? links[link].name : "";
}

const char *marey_link_about(marey_link link)
{
    return (unsigned)link < MAREY_LINK_COUNT ? links[link].about : "";
}

/* ---- the definition -------------------------------------------------------------------------- */

static marey_status refuse(marey_error *error, const char *rule)
{
    return mry_fail(error, MAREY_ERR_REQUEST, NULL, "%s", rule);
}

/* ---- the clips as rows ----------------------------------------------------------------------- */

static marey_status read_rows(marey_clusters *c, marey_clip **bodies, bool search,
                              marey_error *error)
{
    marey_metric_def metric = c->metric;
    metric.bounded = search;
    for (int i = 0; i < c->clip_count; i++) {
        if (!mry_progress(c->ctx, "reading clips", i, c->clip_count))
            return mry_fail_cancelled(error);
        marey_status status =
            marey_clip_fit(c->clips[i], NULL, c->clips[0], NULL, &bodies[i], NULL, error);
        if (status) return status;
    }
    marey_status status = marey_layout_build_bodies(c->ctx, (const marey_clip *const *)bodies,
                                                    c->clip_count, &metric, &c->layout, error);
    int64_t all = 0;
    for (int i = 0; i < c->clip_count && !status; i++) {
        status = marey_features_build(c->layout, bodies[i], &c->features[i], error);
        if (status) return status;
        marey_clip_free(bodies[i]);
        bodies[i] = NULL;
        all += c->features[i]->rows;
        if (all > MRY_CLUSTER_MOST_ROWS) {
            return mry_fail(error, MAREY_ERR_LIMIT, NULL,
                            "the clips have more than %d frames at %g frames a second",
                            (int)MRY_CLUSTER_MOST_ROWS, c->layout->fps);
        }
        c->first_row[i + 1] = (int)all;
        /* Between frames a row may not be marked where the frame that it stands for is. */
        const marey_clip *of = c->clips[i];
        marey_features *f = c->features[i];
        for (int m = 0; m < of->mark_count; m++) {
            for (int r = 0; r < f->rows; r++)
                f->marked[r] |= f->frame[r] >= of->marks[m].start && f->frame[r] < of->marks[m].end;
        }
        for (int r = 0; r < f->rows; r++) c->rows += !f->marked[r];
    }
    return status;
}

marey_status mry_clusters_make(marey_ctx *ctx, const marey_clip *const *clips, int count,
                               const marey_clusters_def *request, bool search, marey_clusters **out,
                               marey_error *error)
{
    if (count < 1) return refuse(error, "no clips to make a cluster graph of");
    if (count > MAREY_GRAPH_MOST_CLIPS) {
        return mry_fail(error, MAREY_ERR_LIMIT, NULL, "clips must be at most %d, got %d",
                        (int)MAREY_GRAPH_MOST_CLIPS, count);
    }
    marey_clusters_def def = request ? *request : (marey_clusters_def){ 0 };
    marey_metric_def metric = def.metric ? *def.metric : (marey_metric_def){ 0 };
    if (def.fps == 0) def.fps = MAREY_CLUSTER_FPS;
    metric.metric = mry_metric_of(&metric);
    if ((unsigned)def.link >= MAREY_LINK_COUNT) return refuse(error, "no such link");
    if (!(def.fps >= 1 && def.fps <= 1000))
        return mry_fail(error, MAREY_ERR_REQUEST, NULL, "rate must be 1 to 1000 Hz, got %g",
                        def.fps);
    if (!(def.threshold >= 0 && def.threshold <= 1e12))
        return mry_fail(error, MAREY_ERR_REQUEST, NULL, "threshold must be 0 to 1e12, got %g",
                        def.threshold);
    if (def.threshold == 0) def.threshold = metric.metric->thresholds.cluster;
    if (!(def.threshold > 0))
        return refuse(error, "only the metric points has a default threshold");
    mry_arena mem = mry_arena_make(ctx), tmp = mry_arena_make(ctx);
    marey_clusters *c = MRY_NEW(&mem, marey_clusters, 1);
    if (!c) return mry_fail_memory(error, NULL);
    c->mem = mem;
    c->ctx = ctx;
    c->clip_count = count;
    c->def = def;
    c->def.metric = &c->metric;
    c->joint_weights = metric.joints ? *metric.joints : *marey_joint_weights_find(0);
    c->metric = metric;
    c->metric.joints = &c->joint_weights;
    c->metric.fps = def.fps;
    c->metric.bounded = false;
    const marey_clip **copy = MRY_NEW(&c->mem, const marey_clip *, count);
    marey_clip **bodies = MRY_NEW(&tmp, marey_clip *, count);
    c->features = MRY_NEW(&c->mem, marey_features *, count);
    c->first_row = MRY_NEW(&c->mem, int, (size_t)count + 1);
    bool room = copy && bodies && c->features && c->first_row;
    marey_status status = room ? MAREY_OK : mry_fail_memory(error, NULL);
    if (!status) {
        memcpy(copy, clips, (size_t)count * sizeof *copy);
        c->clips = copy;
        status = read_rows(c, bodies, search, error);
    }
    for (int i = 0; bodies && i < count; i++) marey_clip_free(bodies[i]);
    mry_arena_free(&tmp);
    if (!status && c->rows == 0) status = refuse(error, "the clips have no captured frame");
    if (!status) {
        c->metric.fps = c->fps = c->def.fps = c->layout->fps;
        c->sequence = MRY_NEW_RAW(&c->mem, int, c->first_row[count]);
        if (!c->sequence) status = mry_fail_memory(error, NULL);
    }
    if (status)
        marey_clusters_free(c);
    else
        *out = c;
    return status;
}

void marey_clusters_free(marey_clusters *clusters)
{
    if (!clusters) return;
    for (int i = 0; clusters->features && i < clusters->clip_count; i++)
        marey_features_free(clusters->features[i]);
    marey_layout_free(clusters->layout);
    mry_arena mem = clusters->mem;
    mry_arena_free(&mem);
}

/* ---- nodes in order, sequences and edges ----------------------------------------------------- */

/* Middles of a node that all of its middles are held against. */
enum { MOST_HELD = 48 };

/* A run of rows of one clip in one node. */
typedef struct run {
    int node, clip, row, rows;
    int before, after; /* runs that follow on each other in the clip; -1: none */
    int order;         /* its number among the sequences */
} run;

/* Numbers nodes by their first rows and lists their sequences, by node, clip and row. first[n], of
   room for one more than all rows: the first sequence of node n; width[n]: the widest distance in
   it. */
static marey_status find_sequences(marey_clusters *c, int *node_of_row, const float *widest,
                                   mry_arena *tmp, int *first, float *width, marey_error *error)
{
    int all = c->first_row[c->clip_count];
    run *runs = MRY_NEW_RAW(tmp, run, all);
    if (!first || !width || !runs) return mry_fail_memory(error, NULL);
    int *number = first; /* of each node as it was, until nodes have their order */
    for (int i = 0; i < all; i++) number[i] = -1;
    for (int i = 0; i < all; i++) {
        int node = node_of_row[i];
        if (node < 0) continue;
        if (number[node] < 0) {
            width[c->node_count] = widest[node];
            number[node] = c->node_count++;
        }
        node_of_row[i] = number[node];
    }
    int count = 0;
    for (int i = 0; i < c->clip_count; i++) {
        const int *node = node_of_row + c->first_row[i], *frame = c->features[i]->frame;
        const marey_clip *clip = c->clips[i];
        for (int r = 0; r < c->features[i]->rows; r++) {
            if (node[r] < 0) continue;
            /* A marked frame between two rows parts them, though no row stands for it. */
            bool goes_on = r > 0 && node[r - 1] >= 0;
            for (int m = 0; goes_on && m < clip->mark_count; m++)
                goes_on = clip->marks[m].start > frame[r] || clip->marks[m].end <= frame[r - 1];
            if (goes_on && node[r - 1] == node[r]) {
                runs[count - 1].rows++;
                continue;
            }
            runs[count] = (run){ node[r], i, r, 1, goes_on ? count - 1 : -1, -1, 0 };
            if (goes_on) runs[count - 1].after = count;
            count++;
        }
    }
    c->sequence_count = count;
    c->sequences = MRY_NEW(&c->mem, marey_cluster_sequence, count);
    c->sequence_row = MRY_NEW(&c->mem, int, count);
    if (!c->sequences || !c->sequence_row) return mry_fail_memory(error, NULL);
    /* Sorted by node; by clip and row they are already. */
    memset(first, 0, ((size_t)c->node_count + 1) * sizeof *first);
    for (int i = 0; i < count; i++) first[runs[i].node + 1]++;
    for (int n = 0; n < c->node_count; n++) first[n + 1] += first[n];
    for (int i = 0; i < count; i++) runs[i].order = first[runs[i].node]++;
    for (int n = c->node_count; n > 0; n--) first[n] = first[n - 1];
    first[0] = 0;
    for (int r = 0; r < all; r++) c->sequence[r] = -1;
    for (int i = 0; i < count; i++) {
        const run *one = &runs[i];
        /* Up to the frame of the next row, or what is marked before that. */
        const marey_features *f = c->features[one->clip];
        const marey_clip *clip = c->clips[one->clip];
        int last = one->row + one->rows - 1, from = f->frame[last];
        int end = last + 1 < f->rows ? f->frame[last + 1] : f->frames;
        for (int m = 0; m < clip->mark_count; m++) {
            int start = clip->marks[m].start;
            if (clip->marks[m].end > from + 1 && start < end) end = start > from ? start : from + 1;
        }
        c->sequences[one->order] = (marey_cluster_sequence){
            .node = one->node,
            .clip = one->clip,
            .start = f->frame[one->row],
            .end = end,
            .rows = one->rows,
            .next = one->after < 0 ? -1 : runs[one->after].order,
            .before = one->before < 0 ? -1 : runs[one->before].order,
        };
        c->sequence_row[one->order] = one->row;
        for (int r = 0; r < one->rows; r++)
            c->sequence[c->first_row[one->clip] + one->row + r] = one->order;
    }
    return MAREY_OK;
}

static void find_middle(void *user, int64_t n)
{
    marey_clusters *c = user;
    marey_cluster_node *node = &c->nodes[n];
    int best = 0;
    double least = 0;
    if (mry_cancelled(c->ctx)) return;
    for (int i = 0; i < node->sequences && node->sequences > 1; i++) {
        /* The mean distance of a sequence's middle to some of the others' middles, evenly
           chosen. */
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

marey_status mry_clusters_order(marey_clusters *c, int *node_of_row, const float *widest,
                                marey_error *error)
{
    mry_arena tmp = mry_arena_make(c->ctx);
    int all = c->first_row[c->clip_count];
    int *first = MRY_NEW_RAW(&tmp, int, (size_t)all + 1);
    float *width = MRY_NEW_RAW(&tmp, float, all);
    marey_status status = find_sequences(c, node_of_row, widest, &tmp, first, width, error);
    if (!status) {
        c->nodes = MRY_NEW(&c->mem, marey_cluster_node, c->node_count);
        c->edges = MRY_NEW(&c->mem, marey_cluster_edge, c->sequence_count);
        if (!c->nodes || !c->edges) status = mry_fail_memory(error, NULL);
    }
    for (int n = 0; n < c->node_count && !status; n++) {
        marey_cluster_node *node = &c->nodes[n];
        *node = (marey_cluster_node){ .first = first[n],
                                      .sequences = first[n + 1] - first[n],
                                      .widest = (double)width[n] };
        const marey_cluster_sequence *of = c->sequences + node->first;
        for (int i = 0; i < node->sequences; i++) {
            node->rows += of[i].rows;
            if (i == 0 || of[i].clip != of[i - 1].clip)
                node->clips++;
            else
                node->loops = true;
        }
    }
    mry_arena_free(&tmp);
    if (status) return status;
    /* Edges: sequences that go on in another node, counted. */
    int count = 0;
    for (int s = 0; s < c->sequence_count; s++) {
        int next = c->sequences[s].next;
        if (next < 0) continue;
        c->edges[count++] =
            (marey_cluster_edge){ c->sequences[s].node, c->sequences[next].node, 1 };
    }
    if (count > 0) qsort(c->edges, (size_t)count, sizeof *c->edges, mry_by_ends);
    for (int i = 0; i < count; i++) {
        marey_cluster_edge *last = c->edge_count ? &c->edges[c->edge_count - 1] : NULL;
        if (last && mry_by_ends(last, &c->edges[i]) == 0)
            last->count++;
        else
            c->edges[c->edge_count++] = c->edges[i];
    }
    marey_ctx_run(c->ctx, c->node_count, find_middle, c);
    return mry_cancelled(c->ctx) ? mry_fail_cancelled(error) : MAREY_OK;
}

/* ---- building -------------------------------------------------------------------------------- */

marey_status marey_clusters_build(marey_ctx *ctx, const marey_clip *const *clips, int count,
                                  const marey_clusters_def *def, marey_clusters **out,
                                  marey_error *error)
{
    marey_clusters *c = NULL;
    marey_status status = mry_clusters_make(ctx, clips, count, def, true, &c, error);
    if (status) return status;
    mry_arena tmp = mry_arena_make(ctx);
    mry_frames frames;
    int *label = MRY_NEW_RAW(&tmp, int, c->rows);
    float *widest = MRY_NEW_RAW(&tmp, float, c->rows);
    int *node_of_row = MRY_NEW_RAW(&tmp, int, c->first_row[c->clip_count]);
    bool room = label && widest && node_of_row;
    status = room ? mry_frames_open(&frames, c, error) : mry_fail_memory(error, NULL);
    if (!status) {
        double threshold = c->def.threshold;
        if (c->def.link == MAREY_LINK_COMPLETE)
            status = mry_cluster_complete(&frames, threshold, mry_near_most_cells(ctx), label,
                                          widest, error);
        else
            status =
                mry_cluster_single(&frames, threshold, MRY_SINGLE_WAITING, label, widest, error);
        /* Of all rows, from those of the frames. */
        for (int r = 0; r < c->first_row[c->clip_count] && !status; r++)
            node_of_row[r] = frames.number[r] < 0 ? -1 : label[frames.number[r]];
        mry_frames_close(&frames);
    }
    if (!status && marey_tiles_made(c->def.tiles)) {
        mry_arena_free(&tmp);
        marey_clusters_free(c);
        *out = NULL;
        return MAREY_OK;
    }
    c->def.tiles = NULL; /* they are another's */
    if (!status) status = mry_clusters_order(c, node_of_row, widest, error);
    mry_arena_free(&tmp);
    if (status)
        marey_clusters_free(c);
    else
        *out = c;
    return status;
}

/* ---- looking at one -------------------------------------------------------------------------- */

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
