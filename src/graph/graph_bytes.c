/* graph_bytes.c - motion graphs and cluster graphs as bytes and back, without the clips.

   A motion graph:
       settings     kind, numbers, weights, the metric with its joint weights
       clips        how many; of each frames, rate, joints, and sums of its numbers
       nodes        how many are originals, how many follow; labels as texts; actions: label, first node, how many follow, whether it goes on and on
                    of each its contacts and labels
                    of each interpolated one its origin, whether the next one follows on it, its places and turns
       transitions  from (as a difference), to, distance, jump, place, frames of spreading
       before the reduction: nodes, edges

   A cluster graph, whose sequences, edges and middles follow from these:
       settings     link, rate, threshold, the metric with its joint weights
       clips        as above
       rows         how many in all, marked ones too; runs of rows in one node: how many rows, the node plus one, 0 for none
       nodes        how many; of each the largest distance in it

   Before each come four letters and the version of its format, behind each a 64-bit hash of all
   that. Bytes may come from anywhere: counts are held against what is left, and every number is
   checked that could lead astray. */
#include "base/fail.h"
#include "feature/metric_bytes.h"
#include "graph/cluster_data.h"
#include "graph/graph_data.h"
#include "store/byte_form.h"

#include <math.h>
#include <string.h>

/* ---- what all of them share ------------------------------------------------------------------ */

static const mry_byte_form graph_form = { "MRYG", 3, "the saved motion graph",
                                          ", or its clips are not those it was made of", "build" };
static const mry_byte_form cluster_form = { "MRYC", 1, "the saved cluster graph",
                                            ", or its clips are not those it was made of",
                                            "build" };

void marey_graph_bytes_free(marey_ctx *ctx, uint8_t *bytes, size_t size)
{
    if (bytes) mry_release(ctx, bytes, size);
}

static void put_float(mry_bytes_writer *out, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    mry_put_fixed(out, bits, 4);
}

/* 0 on failure; finite. */
static float get_float(mry_bytes_reader *in)
{
    uint32_t bits = (uint32_t)mry_get_fixed(in, 4);
    float value;
    memcpy(&value, &bits, sizeof value);
    if (isfinite(value)) return value;
    in->failed = true;
    return 0;
}

/* Sums that other clips of the same length would not have, told apart to what rounding can do on
   another machine. */
enum { SUMS = 2 };

static void sum_up(const marey_clip *clip, double *sums)
{
    sums[0] = sums[1] = 0;
    for (int f = 0; f < clip->frames; f++) {
        double share = (1.0 + f % 7) / clip->frames;
        const double *places = mry_place(clip, f);
        const float *turns = mry_turn(clip, f);
        for (int i = 0; i < 3 * clip->mover_count; i++) sums[0] += share * places[i];
        for (int i = 0; i < 4 * clip->skeleton.joint_count; i++)
            sums[1] += share * (1 + i % 5) * fabs((double)turns[i]); /* q and -q are one turn */
    }
}

/* Of each clip frames, rate, joints, and sums of its numbers. */
static void put_clips(mry_bytes_writer *out, const marey_clip *const *clips, int count)
{
    mry_put_integer(out, count);
    for (int c = 0; c < count; c++) {
        mry_put_integer(out, clips[c]->frames);
        mry_put_number(out, clips[c]->fps);
        mry_put_integer(out, clips[c]->skeleton.joint_count);
        double sums[SUMS];
        sum_up(clips[c], sums);
        for (int i = 0; i < SUMS; i++) mry_put_number(out, sums[i]);
    }
}

static bool same_clips(mry_bytes_reader *in, const marey_clip *const *clips, int count)
{
    if (mry_get_integer(in, 1, MAREY_GRAPH_MOST_CLIPS) != count) return false;
    for (int c = 0; c < count; c++) {
        bool same = mry_get_integer(in, 1, MRY_MOST_FRAMES) == clips[c]->frames;
        same = mry_get_number(in) == clips[c]->fps && same;
        same = mry_get_integer(in, 1, MRY_MOST_JOINTS) == clips[c]->skeleton.joint_count && same;
        if (!same || in->failed) return false;
        double sums[SUMS];
        sum_up(clips[c], sums);
        for (int i = 0; i < SUMS; i++)
            same = fabs(mry_get_number(in) - sums[i]) <= 1e-5 * (1 + fabs(sums[i])) && same;
        if (!same || in->failed) return false;
    }
    return true;
}

/* ---- motion graphs --------------------------------------------------------------------------- */

enum { LEAST_TRANSITION = 22, LEAST_ACTION = 4 }; /* bytes */

/* No body was captured farther away; sums of so many as there can be stay finite. */
#define FARTHEST_CM 1e9

/* What settings are read into. */
typedef struct graph_head {
    marey_graph_def def;
    marey_metric_def metric;
    marey_joint_weights joints;
    double weights[MAREY_GRAPH_MOST_WEIGHTS];
} graph_head;

marey_status marey_graph_write(const marey_graph *graph, uint8_t **bytes, size_t *size,
                               marey_error *error)
{
    marey_status own = mry_own_refuse_file(&graph->metric, "a graph", error);
    if (own) return own;
    mry_arena tmp = mry_arena_make(graph->ctx);
    mry_bytes_writer out = mry_form_begin(&graph_form, &tmp);
    /* What the graph was built with. */
    const marey_graph_def *def = &graph->def;
    mry_put_integer(&out, def->kind);
    double numbers[] = { def->fps,      def->threshold, def->sigma,         def->jump,
                         def->spread_s, def->dwell_s,   def->suboptimality, def->smoothness };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) mry_put_number(&out, numbers[i]);
    mry_put_integer(&out, def->smooth);
    mry_put_integer(&out, def->unreduced);
    mry_put_integer(&out, def->weight_count);
    for (int i = 0; i < def->weight_count; i++) mry_put_number(&out, def->weights[i]);
    mry_put_metric(&out, &graph->metric);
    put_clips(&out, graph->clips, graph->clip_count);
    mry_put_integer(&out, graph->originals);
    mry_put_integer(&out, graph->nodes - graph->originals);
    mry_put_integer(&out, graph->label_count);
    for (int i = 0; i < graph->label_count; i++) mry_put_text(&out, graph->labels[i]);
    mry_put_integer(&out, graph->action_count);
    for (int i = 0; i < graph->action_count; i++) {
        mry_put_integer(&out, graph->actions[i].label);
        mry_put_integer(&out, graph->actions[i].first);
        mry_put_integer(&out, graph->actions[i].last - graph->actions[i].first);
        mry_put_integer(&out, graph->actions[i].ongoing);
    }
    for (int n = 0; n < graph->nodes; n++) {
        mry_put_fixed(&out, graph->contacts[n], 1);
        if (graph->label_count) mry_put_fixed(&out, graph->labelled[n], 8);
    }
    for (int n = graph->originals; n < graph->nodes; n++) {
        /* Of an interpolated node all there is: it cannot be found again. */
        const mry_origin *from = &graph->origin[n];
        const float *turns = mry_turn(graph->motion, n);
        const double *places = mry_place(graph->motion, n);
        mry_put_integer(&out, from->clip);
        mry_put_integer(&out, from->other);
        put_float(&out, from->weight);
        mry_put_number(&out, from->frame);
        mry_put_number(&out, from->other_frame);
        mry_put_integer(&out, graph->next[n] >= 0);
        for (int i = 0; i < 3 * graph->motion->mover_count; i++) mry_put_number(&out, places[i]);
        for (int i = 0; i < 4 * graph->motion->skeleton.joint_count; i++) put_float(&out, turns[i]);
    }
    /* Transitions; of where they start only how far that is from the last. */
    mry_put_integer(&out, graph->transition_count);
    for (int i = 0, last = 0; i < graph->transition_count; i++) {
        const marey_graph_transition *one = &graph->transitions[i];
        mry_put_integer(&out, one->from - last);
        mry_put_integer(&out, one->to);
        put_float(&out, one->distance);
        put_float(&out, one->jump);
        put_float(&out, (float)graph->places[i].angle);
        put_float(&out, (float)graph->places[i].x);
        put_float(&out, (float)graph->places[i].z);
        mry_put_integer(&out, graph->half[i]);
        last = one->from;
    }
    mry_put_integer(&out, graph->nodes_before);
    mry_put_integer(&out, graph->edges_before);
    return mry_bytes_seal(&out, graph_form.version, bytes, size, error);
}

/* The graph has its originals. */
static marey_status get_nodes(mry_bytes_reader *in, marey_graph *g, marey_error *error)
{
    const marey_status damage = MAREY_ERR_INPUT;
    int64_t originals = mry_get_integer(in, 2, MRY_GRAPH_MOST_NODES);
    int64_t more = mry_get_integer(in, 0, MRY_GRAPH_MOST_NODES);
    int64_t least =
        16 * (int64_t)g->motion->skeleton.joint_count; /* bytes of an interpolated one */
    if (in->failed || originals != g->originals || more > (in->end - in->p) / least) return damage;
    /* Labels of the originals. */
    g->label_count = (int)mry_get_integer(in, 0, MRY_GRAPH_MOST_LABELS);
    for (int i = 0; i < g->label_count; i++) {
        g->labels[i] = mry_get_text(in, &g->mem);
        if (!g->labels[i]) return in->no_memory ? mry_fail_memory(error, NULL) : damage;
    }
    g->action_count = (int)mry_get_integer(in, 0, (in->end - in->p) / LEAST_ACTION);
    if (in->failed) return damage;
    g->actions = MRY_NEW(&g->mem, mry_action, (size_t)g->action_count + 1);
    if (!g->actions) return mry_fail_memory(error, NULL);
    for (int i = 0; i < g->action_count; i++) {
        mry_action *one = &g->actions[i];
        one->label = (int)mry_get_integer(in, 0, g->label_count - 1);
        one->first = (int)mry_get_integer(in, 0, g->originals - 1);
        one->last = one->first + (int)mry_get_integer(in, 0, g->originals - 1 - one->first);
        one->ongoing = mry_get_integer(in, 0, 1) != 0;
        for (int n = one->first; n < one->last && !in->failed; n++)
            in->failed = g->next[n] != n + 1;
        if (in->failed) return damage;
    }
    if (more && !mry_graph_grow(g, g->originals + (int)more)) return mry_fail_memory(error, NULL);
    g->nodes = g->originals + (int)more;
    for (int n = 0; n < g->nodes; n++) {
        g->contacts[n] = (uint8_t)mry_get_fixed(in, 1) & ((1 << MAREY_CONTACT_JOINT_COUNT) - 1);
        g->labelled[n] = g->label_count ? mry_get_fixed(in, 8) : 0;
    }
    if (in->failed) return damage;
    /* Interpolated ones. */
    bool follows = false;
    for (int n = g->originals; n < g->nodes; n++) {
        /* Where it is from. */
        g->origin[n].clip = (int)mry_get_integer(in, 0, g->clip_count - 1);
        g->origin[n].other = (int)mry_get_integer(in, 0, g->clip_count - 1);
        g->origin[n].weight = get_float(in);
        g->origin[n].frame = mry_get_number(in);
        g->origin[n].other_frame = mry_get_number(in);
        if (!(!in->failed && g->origin[n].weight >= 0 && g->origin[n].weight <= 1 &&
              g->origin[n].frame >= 0 && g->origin[n].frame < g->clips[g->origin[n].clip]->frames &&
              g->origin[n].other_frame >= 0 &&
              g->origin[n].other_frame < g->clips[g->origin[n].other]->frames))
            return damage;
        g->before[n] = follows ? n - 1 : -1;
        follows = mry_get_integer(in, 0, 1) != 0;
        if (follows && n + 1 == g->nodes) return damage;
        g->next[n] = follows ? n + 1 : -1;
        /* Rotations must be of unit length, or nearly. */
        float *turns = mry_turn(g->motion, n);
        double *places = mry_place(g->motion, n);
        for (int i = 0; i < 3 * g->motion->mover_count; i++) {
            places[i] = mry_get_number(in);
            if (!(fabs(places[i]) < FARTHEST_CM)) return damage;
        }
        for (int j = 0; j < g->motion->skeleton.joint_count; j++) {
            float *q = turns + 4 * j, length = 0;
            for (int i = 0; i < 4; i++) {
                q[i] = get_float(in);
                length += q[i] * q[i];
            }
            if (!(fabsf(length - 1) < 1e-3f)) return damage;
        }
        if (in->failed) return damage;
    }
    return MAREY_OK;
}

static marey_status read_graph(marey_ctx *ctx, mry_bytes_reader *in, mry_arena *tmp,
                               const marey_clip *const *clips, int count,
                               const marey_contacts *contacts, marey_graph **out,
                               marey_error *error)
{
    graph_head *h = MRY_NEW(tmp, graph_head, 1);
    if (!h) return mry_fail_memory(error, NULL);
    /* What it was built with. */
    marey_graph_def *def = &h->def;
    def->kind = (marey_graph_kind)mry_get_integer(in, 0, MAREY_GRAPH_KIND_COUNT - 1);
    double *numbers[] = { &def->fps,      &def->threshold, &def->sigma,         &def->jump,
                          &def->spread_s, &def->dwell_s,   &def->suboptimality, &def->smoothness };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) *numbers[i] = mry_get_number(in);
    if (def->smoothness == 0) def->smoothness = -1; /* so that 0 differs from the default */
    def->smooth = mry_get_integer(in, 0, 1) != 0;
    def->unreduced = mry_get_integer(in, 0, 1) != 0;
    def->weight_count = (int)mry_get_integer(in, 0, MAREY_GRAPH_MOST_WEIGHTS);
    for (int i = 0; i < def->weight_count; i++) h->weights[i] = mry_get_number(in);
    def->weights = h->weights;
    if (in->failed || !(def->threshold > 0) || !(def->sigma > 0) ||
        !mry_get_metric(in, &h->metric, &h->joints))
        return MAREY_ERR_INPUT;
    def->metric = &h->metric;
    if (!same_clips(in, clips, count)) return MAREY_ERR_INPUT;
    marey_status status = mry_graph_make(ctx, clips, count, &h->def, out, error);
    if (!status) status = mry_graph_take(*out, contacts, error);
    if (!status) status = get_nodes(in, *out, error);
    if (status) return status;
    marey_graph *g = *out;
    mry_graph_hold_root(g, g->originals);
    int64_t transitions = mry_get_integer(in, 0, INT32_MAX - 1);
    if (in->failed || transitions > (in->end - in->p) / LEAST_TRANSITION) return MAREY_ERR_INPUT;
    if (!mry_graph_take_transitions(g, (int)transitions)) return mry_fail_memory(error, NULL);
    for (int i = 0; i < (int)transitions; i++) {
        marey_graph_transition *one = &g->transitions[i];
        int last = i ? one[-1].from : 0;
        one->from = last + (int)mry_get_integer(in, 0, g->nodes - 1 - last);
        one->to = (int)mry_get_integer(in, 0, g->nodes - 1);
        one->distance = get_float(in);
        one->jump = get_float(in);
        g->places[i].angle = (double)get_float(in);
        g->places[i].x = (double)get_float(in);
        g->places[i].z = (double)get_float(in);
        g->half[i] = (uint8_t)mry_get_integer(in, 0, UINT8_MAX);
        bool sorted = i == 0 || one->from > one[-1].from || one->to > one[-1].to;
        bool near = fabs(g->places[i].angle) < 100 && fabs(g->places[i].x) < FARTHEST_CM &&
                    fabs(g->places[i].z) < FARTHEST_CM;
        if (!(!in->failed && sorted && near && one->distance >= 0 &&
              (double)one->distance < g->def.threshold && one->jump >= 0))
            return MAREY_ERR_INPUT;
    }
    g->transition_count = (int)transitions;
    mry_graph_count_leaving(g);
    g->nodes_before = (int)mry_get_integer(in, g->nodes, MRY_GRAPH_MOST_NODES);
    g->edges_before = mry_get_integer(in, 0, INT64_MAX);
    if (in->failed || in->p != in->end) return MAREY_ERR_INPUT;
    status = mry_dwell_find(g, &g->data, mry_dwell_frames(g, g->def.dwell_s), INFINITY, NULL, NULL,
                            0, &g->dwell, error);
    return status ? status : mry_graph_find_limits(g, error);
}

marey_status marey_graph_read(marey_ctx *ctx, const uint8_t *bytes, size_t size,
                              const marey_clip *const *clips, int count,
                              const marey_contacts *contacts, marey_graph **out, marey_error *error)
{
    mry_bytes_reader in;
    marey_status status = mry_form_open(&graph_form, bytes, size, &in, error);
    if (status) return status;
    if (count < 1) return mry_form_damaged(&graph_form, error);
    mry_arena tmp = mry_arena_make(ctx);
    marey_graph *graph = NULL;
    status = read_graph(ctx, &in, &tmp, clips, count, contacts, &graph, error);
    mry_arena_free(&tmp);
    if (!status) {
        *out = graph;
        return MAREY_OK;
    }
    marey_graph_free(graph);
    return mry_form_failed(&graph_form, status, error);
}

/* ---- cluster graphs -------------------------------------------------------------------------- */

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
    put_clips(&out, clusters->clips, clusters->clip_count);
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
        put_float(&out, (float)clusters->nodes[n].widest);
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
    if (!same_clips(in, clips, count)) return MAREY_ERR_INPUT;
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
        widest[n] = get_float(in);
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
