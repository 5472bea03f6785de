/* cluster_build.c - cluster graphs: defaults, the clips as rows of numbers, and building. Basu, Shanbhag & Chandran 2005,
   3.2. */
#include "base/fail.h"
#include "graph/cluster_near.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- single link ---------------------------------------------------------------------------- */

/* Single link: clusters are the connected parts of the graph of all pairs within the threshold, and the
   largest distance that was needed to join one is the largest edge of its minimum spanning tree. Kruskal 1956.

   Pairs come row by row and are not all kept: the tree of what was seen so far and the next pairs make the next tree, since
   an edge that is in no tree of a part is in none of the whole. A pair inside a part that is already held together by nothing
   longer is never needed. */

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
                               .user = &k };
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

/* ---- links ------------------------------------------------------------------------------------------------ */

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

/* ---- the definition --------------------------------------------------------------------------------------- */

static marey_status refuse(marey_error *error, const char *rule)
{
    return mry_fail(error, MAREY_ERR_REQUEST, NULL, "%s", rule);
}

static marey_status settle(marey_clusters *c, const marey_clusters_def *given, marey_error *error)
{
    marey_clusters_def *def = &c->def;
    if (given) *def = *given;
    if (def->fps == 0) def->fps = MAREY_CLUSTER_FPS;
    if ((unsigned)def->link >= MAREY_LINK_COUNT) return refuse(error, "no such link");
    if (!(def->fps >= 1 && def->fps <= 1000))
        return refuse(error, "a rate of 1 to 1000 frames a second");
    if (!(def->threshold >= 0 && def->threshold <= 1e12))
        return refuse(error, "a threshold is a number, and not negative");
    /* The metric, its joint weights and its default threshold. */
    if (def->metric) c->metric = *def->metric;
    if (!c->metric.metric) c->metric.metric = marey_metric_find(0);
    if (def->metric && def->metric->joints)
        c->joint_weights = *def->metric->joints;
    else
        c->joint_weights = *marey_joint_weights_find(0);
    c->metric.joints = &c->joint_weights;
    c->metric.fps = c->def.fps;
    c->metric.bounded = false;
    c->def.metric = &c->metric;
    if (c->def.threshold != 0) return MAREY_OK;
    c->def.threshold = c->metric.metric->thresholds.cluster;
    return c->def.threshold > 0 ? MAREY_OK
                                : refuse(error, "only the metric points has a default threshold");
}

/* ---- the clips as rows -------------------------------------------------------------------------------------- */

static marey_status read_rows(marey_clusters *c, marey_clip **bodies, bool search,
                              marey_error *error)
{
    marey_metric_def metric = c->metric;
    metric.bounded = search;
    for (int i = 0; i < c->clip_count; i++) {
        if (!mry_progress(c->ctx, "reading clips", i, c->clip_count))
            return mry_fail_cancelled(error);
        marey_status status = marey_clip_refit(c->clips[i], c->clips[0], &bodies[i], error);
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

static marey_status take_rows(marey_clusters *c, bool search, marey_error *error)
{
    mry_arena tmp = mry_arena_make(c->ctx);
    marey_clip **bodies = MRY_NEW(&tmp, marey_clip *, c->clip_count);
    c->features = MRY_NEW(&c->mem, marey_features *, c->clip_count);
    c->first_row = MRY_NEW(&c->mem, int, (size_t)c->clip_count + 1);
    bool taken = bodies && c->features && c->first_row;
    marey_status status =
        taken ? read_rows(c, bodies, search, error) : mry_fail_memory(error, NULL);
    for (int i = 0; bodies && i < c->clip_count; i++) marey_clip_free(bodies[i]);
    mry_arena_free(&tmp);
    if (status) return status;
    if (c->rows == 0) return refuse(error, "the clips have no captured frame");
    c->fps = c->def.fps = c->layout->fps;
    c->metric.fps = c->fps;
    c->sequence = MRY_NEW_RAW(&c->mem, int, c->first_row[c->clip_count]);
    return c->sequence ? MAREY_OK : mry_fail_memory(error, NULL);
}

marey_status mry_clusters_make(marey_ctx *ctx, const marey_clip *const *clips, int count,
                               const marey_clusters_def *def, bool search, marey_clusters **out,
                               marey_error *error)
{
    if (count < 1) return refuse(error, "no clips to make a cluster graph of");
    if (count > MAREY_GRAPH_MOST_CLIPS) {
        return mry_fail(error, MAREY_ERR_LIMIT, NULL, "a cluster graph has at most %d clips",
                        (int)MAREY_GRAPH_MOST_CLIPS);
    }
    mry_arena mem = mry_arena_make(ctx);
    marey_clusters *c = MRY_NEW(&mem, marey_clusters, 1);
    if (!c) return mry_fail_memory(error, NULL);
    c->mem = mem;
    c->ctx = ctx;
    const marey_clip **copy = MRY_NEW(&c->mem, const marey_clip *, count);
    marey_status status = copy ? MAREY_OK : mry_fail_memory(error, NULL);
    if (!status) {
        memcpy(copy, clips, (size_t)count * sizeof *copy);
        c->clips = copy;
        c->clip_count = count;
        status = settle(c, def, error);
    }
    if (!status) status = take_rows(c, search, error);
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

/* ---- building ------------------------------------------------------------------------------------------------- */

static marey_status build(marey_clusters *c, mry_arena *tmp, marey_error *error)
{
    mry_frames frames;
    int *label = MRY_NEW_RAW(tmp, int, c->rows);
    float *widest = MRY_NEW_RAW(tmp, float, c->rows);
    int *node_of_row = MRY_NEW_RAW(tmp, int, c->first_row[c->clip_count]);
    if (!label || !widest || !node_of_row) return mry_fail_memory(error, NULL);
    marey_status status = mry_frames_open(&frames, c, error);
    if (status) return status;
    double threshold = c->def.threshold;
    if (c->def.link == MAREY_LINK_COMPLETE)
        status = mry_cluster_complete(&frames, threshold, mry_near_most_cells(c->ctx), label,
                                      widest, error);
    else
        status = mry_cluster_single(&frames, threshold, MRY_SINGLE_WAITING, label, widest, error);
    if (!status) {
        /* Of all rows, from those of the frames. */
        for (int r = 0; r < c->first_row[c->clip_count]; r++)
            node_of_row[r] = frames.number[r] < 0 ? -1 : label[frames.number[r]];
    }
    mry_frames_close(&frames);
    return status ? status : mry_clusters_order(c, node_of_row, widest, error);
}

marey_status marey_clusters_build(marey_ctx *ctx, const marey_clip *const *clips, int count,
                                  const marey_clusters_def *def, marey_clusters **out,
                                  marey_error *error)
{
    marey_clusters *c = NULL;
    marey_status status = mry_clusters_make(ctx, clips, count, def, true, &c, error);
    if (status) return status;
    mry_arena tmp = mry_arena_make(ctx);
    status = build(c, &tmp, error);
    mry_arena_free(&tmp);
    if (status)
        marey_clusters_free(c);
    else
        *out = c;
    return status;
}
