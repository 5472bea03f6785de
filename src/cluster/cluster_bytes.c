/* cluster_bytes.c - cluster graphs as bytes and back, without the clips. Sequences, edges and middles
   follow from these:

       settings     link, rate, threshold, the metric with its joint weights
       clips        how many; of each frames, rate, joints, and sums of its numbers (graph/clip_sums.c)
       rows         how many in all, marked ones too; runs of rows in one node: how many rows, the node plus one, 0 for none
       nodes        how many; of each the largest distance in it

   Framed and checked as those of motion graphs are (graph/graph_bytes.c). */
#include "base/fail.h"
#include "cluster/cluster_data.h"
#include "feature/metric_bytes.h"
#include "graph/clip_sums.h"
#include "store/byte_form.h"

static const mry_byte_form cluster_form = { "MRYC", 1, "the saved cluster graph",
                                            ", or its clips are not those it was made of",
                                            "build" };

static int node_of(const marey_clusters *c, int row)
{
    return c->sequence[row] < 0 ? -1 : c->sequences[c->sequence[row]].node;
}

marey_status marey_clusters_write(const marey_clusters *clusters, uint8_t **bytes, size_t *size,
                                  marey_error *error)
{
    marey_status own = mry_own_refuse_file(&clusters->metric, "a cluster graph", error);
    if (own) return own;
    mry_arena tmp = mry_arena_make(clusters->ctx);
    mry_bytes_writer out = mry_form_begin(&cluster_form, &tmp);
    mry_put_integer(&out, clusters->def.link);
    mry_put_number(&out, clusters->def.fps);
    mry_put_number(&out, clusters->def.threshold);
    mry_put_metric(&out, &clusters->metric);
    mry_put_clips(&out, clusters->clips, clusters->clip_count);
    /* Nodes of rows, as runs, and how wide the nodes are. */
    int all = clusters->first_row[clusters->clip_count];
    mry_put_integer(&out, all);
    for (int r = 0, next; r < all; r = next) {
        for (next = r + 1; next < all && node_of(clusters, next) == node_of(clusters, r);) next++;
        mry_put_integer(&out, next - r);
        mry_put_integer(&out, node_of(clusters, r) + 1);
    }
    mry_put_integer(&out, clusters->node_count);
    for (int n = 0; n < clusters->node_count; n++)
        mry_put_float(&out, (float)clusters->nodes[n].widest);
    return mry_bytes_seal(&out, cluster_form.version, bytes, size, error);
}

static marey_status read_clusters(marey_ctx *ctx, mry_bytes_reader *in, mry_arena *tmp,
                                  const marey_clip *const *clips, int count, marey_clusters **out,
                                  marey_error *error)
{
    marey_clusters_def def = { 0 };
    marey_metric_def metric = { 0 };
    /* Also opens the arena, so that what is read into it below is not taken for damaged where
       memory is short. */
    marey_joint_weights *joints = MRY_NEW(tmp, marey_joint_weights, 1);
    if (!joints) return mry_fail_memory(error, NULL);
    /* What it was built with. */
    def.link = (marey_link)mry_get_integer(in, 0, MAREY_LINK_COUNT - 1);
    def.fps = mry_get_number(in);
    def.threshold = mry_get_number(in);
    if (in->failed || !(def.fps >= 1) || !(def.threshold > 0)) return MAREY_ERR_INPUT;
    def.metric = &metric;
    if (!mry_get_metric(in, &metric, joints)) return MAREY_ERR_INPUT;
    if (!mry_same_clips(in, clips, count)) return MAREY_ERR_INPUT;
    marey_status status = mry_clusters_make(ctx, clips, count, &def, false, out, error);
    if (status) return status;
    const marey_clusters *c = *out;
    int all = c->first_row[c->clip_count], nodes = 0, done = 0;
    int *node_of_row = MRY_NEW_RAW(tmp, int, all);
    float *widest = MRY_NEW(tmp, float, all);
    if (!node_of_row || !widest) return mry_fail_memory(error, NULL);
    if (mry_get_integer(in, 0, MRY_CLUSTER_MOST_ROWS) != all) return MAREY_ERR_INPUT;
    while (done < all && !in->failed) {
        int rows = (int)mry_get_integer(in, 1, all - done);
        int node = (int)mry_get_integer(in, 0, (int64_t)nodes + 1) - 1;
        if (in->failed) return MAREY_ERR_INPUT;
        if (node == nodes) nodes++; /* in the order of their first rows */
        for (int i = 0; i < rows; i++) node_of_row[done++] = node;
    }
    /* Marked rows must be in no node, all others in one. */
    for (int clip = 0; clip < c->clip_count; clip++) {
        const marey_features *f = c->features[clip];
        for (int r = 0; r < f->rows; r++) {
            if ((node_of_row[c->first_row[clip] + r] < 0) != (f->marked[r] != 0))
                return MAREY_ERR_INPUT;
        }
    }
    if (in->failed || mry_get_integer(in, 0, all) != nodes) return MAREY_ERR_INPUT;
    for (int n = 0; n < nodes; n++) {
        widest[n] = mry_get_float(in);
        if (!(widest[n] >= 0)) return MAREY_ERR_INPUT;
    }
    if (in->failed || in->p != in->end) return MAREY_ERR_INPUT;
    return mry_clusters_order(*out, node_of_row, widest, error);
}

marey_status marey_clusters_read(marey_ctx *ctx, const uint8_t *bytes, size_t size,
                                 const marey_clip *const *clips, int count, marey_clusters **out,
                                 marey_error *error)
{
    if (count < 1) return mry_form_damaged(&cluster_form, error);
    mry_bytes_reader in;
    marey_status status = mry_form_open(&cluster_form, bytes, size, &in, error);
    if (status) return status;
    mry_arena tmp = mry_arena_make(ctx);
    marey_clusters *c = NULL;
    status = read_clusters(ctx, &in, &tmp, clips, count, &c, error);
    mry_arena_free(&tmp);
    if (!status) {
        *out = c;
        return MAREY_OK;
    }
    marey_clusters_free(c);
    return mry_form_failed(&cluster_form, status, error);
}
