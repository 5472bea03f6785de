/* cluster_bytes.c - a cluster graph as bytes and back, without its clips.

       "MRYC"  version
       settings   link, rate, threshold, the metric with its joint weights
       clips      how many; of each frames, rate, joints, and sums of its numbers
       rows       how many in all, marked ones too; runs of rows in one node: how many rows, the node plus one, 0 for none
       nodes      how many; of each the largest distance in it
       a 64-bit hash of all this

   Sequences, edges and middles follow from these. Bytes may come from anywhere: every number is checked that could lead
   astray. */
#include "base/fail.h"
#include "graph/cluster_data.h"
#include "graph/settings_bytes.h"
#include "store/store.h"

#include <string.h>

enum { VERSION = 1, SUM_BYTES = 8 };

static const char MAGIC[4] = { 'M', 'R', 'Y', 'C' };

/* ---- writing -------------------------------------------------------------------------------------------- */

static int node_of(const marey_clusters *c, int row)
{
    return c->sequence[row] < 0 ? -1 : c->sequences[c->sequence[row]].node;
}

marey_status marey_clusters_write(const marey_clusters *clusters, uint8_t **bytes, size_t *size,
                                  marey_error *error)
{
    mry_arena tmp = mry_arena_make(clusters->ctx);
    mry_bytes_writer out = { .mem = &tmp };
    mry_put_bytes(&out, MAGIC, sizeof MAGIC);
    mry_put_integer(&out, VERSION);
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
    if (!out.failed) mry_put_fixed(&out, mry_hash64(out.bytes, out.used, VERSION), SUM_BYTES);
    uint8_t *made = out.failed ? NULL : mry_alloc(clusters->ctx, out.used);
    if (made) {
        memcpy(made, out.bytes, out.used);
        *bytes = made;
        *size = out.used;
    }
    mry_arena_free(&tmp);
    return made ? MAREY_OK : mry_fail_memory(error, NULL);
}

/* ---- reading ----------------------------------------------------------------------------------------------- */

static marey_status damaged(marey_error *error)
{
    return mry_fail(error, MAREY_ERR_INPUT, NULL,
                    "the kept cluster graph is damaged, or its clips are not those it was made of");
}

static marey_status check_whole(const uint8_t *bytes, size_t size, marey_error *error)
{
    if (size < sizeof MAGIC + 1 + SUM_BYTES || memcmp(bytes, MAGIC, sizeof MAGIC) != 0)
        return damaged(error);
    mry_bytes_reader in = { .p = bytes + sizeof MAGIC, .end = bytes + size };
    int64_t version = mry_get_integer(&in, 0, 1000);
    if (in.failed) return damaged(error);
    mry_bytes_reader sum = { .p = bytes + size - SUM_BYTES, .end = bytes + size };
    /* Every version's sum begins with its number. */
    if (mry_get_fixed(&sum, SUM_BYTES) != mry_hash64(bytes, size - SUM_BYTES, (uint64_t)version))
        return damaged(error);
    if (version == VERSION) return MAREY_OK;
    return mry_fail(error, MAREY_ERR_INPUT, NULL,
                    "the kept cluster graph is of version %d, and this program knows version %d: "
                    "build it again",
                    (int)version, (int)VERSION);
}

/* Marked rows must be in no node, all others in one; nodes must be in the order of their first rows. */
static bool get_rows(mry_bytes_reader *in, const marey_clusters *c, int *node_of_row)
{
    int all = c->first_row[c->clip_count], nodes = 0, done = 0;
    if (mry_get_integer(in, 0, MRY_CLUSTER_MOST_ROWS) != all) return false;
    while (done < all && !in->failed) {
        int rows = (int)mry_get_integer(in, 1, all - done);
        int node = (int)mry_get_integer(in, 0, (int64_t)nodes + 1) - 1;
        if (in->failed) return false;
        if (node == nodes) nodes++;
        for (int i = 0; i < rows; i++) node_of_row[done++] = node;
    }
    for (int clip = 0; clip < c->clip_count; clip++) {
        const marey_features *f = c->features[clip];
        for (int r = 0; r < f->rows; r++) {
            if ((node_of_row[c->first_row[clip] + r] < 0) != (f->marked[r] != 0)) return false;
        }
    }
    return !in->failed && mry_get_integer(in, 0, all) == nodes;
}

static marey_status get_nodes(mry_bytes_reader *in, marey_clusters *c, mry_arena *tmp,
                              marey_error *error)
{
    int all = c->first_row[c->clip_count], nodes = 0;
    int *node_of_row = MRY_NEW_RAW(tmp, int, all);
    float *widest = MRY_NEW(tmp, float, all);
    if (!node_of_row || !widest) return mry_fail_memory(error, NULL);
    if (!get_rows(in, c, node_of_row)) return MAREY_ERR_INPUT;
    for (int r = 0; r < all; r++) {
        if (node_of_row[r] >= nodes) nodes = node_of_row[r] + 1;
    }
    for (int n = 0; n < nodes; n++) {
        widest[n] = mry_get_float(in);
        if (!(widest[n] >= 0)) return MAREY_ERR_INPUT;
    }
    if (in->failed || in->p != in->end) return MAREY_ERR_INPUT;
    return mry_clusters_order(c, node_of_row, widest, error);
}

static marey_status read_all(marey_ctx *ctx, mry_bytes_reader *in, mry_arena *tmp,
                             const marey_clip *const *clips, int count, marey_clusters **out,
                             marey_error *error)
{
    marey_clusters_def def = { 0 };
    marey_metric_def metric = { 0 };
    /* Also opens the arena, so that what is read into it below is not taken for damaged where memory is short. */
    marey_joint_weights *joints = MRY_NEW(tmp, marey_joint_weights, 1);
    if (!joints) return mry_fail_memory(error, NULL);
    mry_get_integer(in, 0, 1000); /* the version */
    /* What it was built with. */
    def.link = (marey_link)mry_get_integer(in, 0, MAREY_LINK_COUNT - 1);
    def.fps = mry_get_number(in);
    def.threshold = mry_get_number(in);
    if (in->failed || !(def.fps >= 1) || !(def.threshold > 0)) return MAREY_ERR_INPUT;
    def.metric = &metric;
    if (!mry_get_metric(in, &metric, joints)) return MAREY_ERR_INPUT;
    if (!mry_same_clips(in, clips, count)) return MAREY_ERR_INPUT;
    marey_status status = mry_clusters_make(ctx, clips, count, &def, false, out, error);
    return status ? status : get_nodes(in, *out, tmp, error);
}

marey_status marey_clusters_read(marey_ctx *ctx, const uint8_t *bytes, size_t size,
                                 const marey_clip *const *clips, int count, marey_clusters **out,
                                 marey_error *error)
{
    if (count < 1) return damaged(error);
    marey_status status = check_whole(bytes, size, error);
    if (status) return status;
    mry_arena tmp = mry_arena_make(ctx);
    marey_clusters *c = NULL;
    mry_bytes_reader in = { .p = bytes + sizeof MAGIC, .end = bytes + size - SUM_BYTES };
    status = read_all(ctx, &in, &tmp, clips, count, &c, error);
    mry_arena_free(&tmp);
    if (!status) {
        *out = c;
        return MAREY_OK;
    }
    marey_clusters_free(c);
    bool own = status == MAREY_ERR_MEMORY || status == MAREY_ERR_CANCELLED;
    return own ? status : damaged(error);
}
