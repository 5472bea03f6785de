/* graph_bytes.c - a motion graph as bytes and back, without its clips.

       "MRYG"  version
       settings     kind, numbers, weights, the metric with its joint weights
       clips        how many; of each frames, rate, joints, and sums of its numbers
       nodes        how many are originals, how many follow; labels as texts
                    of each its contacts and labels
                    of each interpolated one its origin, whether the next one follows on it, its places and turns
       transitions  from (as a difference), to, distance, jump, place, frames of spreading
       before the reduction: nodes, edges
       a 64-bit hash of all this

   Bytes may come from anywhere: counts are held against what is left, and every number is checked that could lead astray. */
#include "base/fail.h"
#include "graph/graph_data.h"
#include "graph/settings_bytes.h"
#include "store/store.h"

#include <math.h>
#include <string.h>

enum { VERSION = 2, MOST_VERSIONS = 1000, SUM_BYTES = 8, LEAST_TRANSITION = 22 };

static const char MAGIC[4] = { 'M', 'R', 'Y', 'G' };

/* Nobody was captured farther away; sums of so many as there can be stay finite. */
#define FARTHEST_CM 1e9

/* ---- settings ------------------------------------------------------------------------------------------- */

/* What settings are read into. */
typedef struct head {
    marey_graph_def def;
    marey_metric_def metric;
    marey_joint_weights joints;
    double weights[MAREY_GRAPH_MOST_WEIGHTS];
} head;

/* ---- nodes ------------------------------------------------------------------------------------------------- */

static void put_nodes(mry_bytes_writer *out, const marey_graph *g)
{
    mry_put_integer(out, g->originals);
    mry_put_integer(out, g->nodes - g->originals);
    mry_put_integer(out, g->label_count);
    for (int i = 0; i < g->label_count; i++) mry_put_text(out, g->labels[i]);
    for (int n = 0; n < g->nodes; n++) {
        mry_put_fixed(out, g->contacts[n], 1);
        if (g->label_count) mry_put_fixed(out, g->labelled[n], 8);
    }
    for (int n = g->originals; n < g->nodes; n++) {
        /* Of an interpolated node all there is: it cannot be found again. */
        const mry_origin *from = &g->origin[n];
        const float *turns = mry_turn(g->motion, n);
        const double *places = mry_place(g->motion, n);
        mry_put_integer(out, from->clip);
        mry_put_integer(out, from->other);
        mry_put_float(out, from->weight);
        mry_put_number(out, from->frame);
        mry_put_number(out, from->other_frame);
        mry_put_integer(out, g->next[n] >= 0);
        for (int i = 0; i < 3 * g->motion->mover_count; i++) mry_put_number(out, places[i]);
        for (int i = 0; i < 4 * g->motion->skeleton.joint_count; i++) mry_put_float(out, turns[i]);
    }
}

static bool get_woven(mry_bytes_reader *in, marey_graph *g)
{
    bool follows = false;
    for (int n = g->originals; n < g->nodes; n++) {
        /* Where it is from. */
        g->origin[n].clip = (int)mry_get_integer(in, 0, g->clip_count - 1);
        g->origin[n].other = (int)mry_get_integer(in, 0, g->clip_count - 1);
        g->origin[n].weight = mry_get_float(in);
        g->origin[n].frame = mry_get_number(in);
        g->origin[n].other_frame = mry_get_number(in);
        if (!(!in->failed && g->origin[n].weight >= 0 && g->origin[n].weight <= 1 &&
              g->origin[n].frame >= 0 && g->origin[n].frame < g->clips[g->origin[n].clip]->frames &&
              g->origin[n].other_frame >= 0 &&
              g->origin[n].other_frame < g->clips[g->origin[n].other]->frames))
            return false;
        g->before[n] = follows ? n - 1 : -1;
        follows = mry_get_integer(in, 0, 1) != 0;
        if (follows && n + 1 == g->nodes) return false;
        g->next[n] = follows ? n + 1 : -1;
        /* Rotations must be of unit length, or nearly. */
        float *turns = mry_turn(g->motion, n);
        double *places = mry_place(g->motion, n);
        for (int i = 0; i < 3 * g->motion->mover_count; i++) {
            places[i] = mry_get_number(in);
            if (!(fabs(places[i]) < FARTHEST_CM)) return false;
        }
        for (int j = 0; j < g->motion->skeleton.joint_count; j++) {
            float *q = turns + 4 * j, length = 0;
            for (int i = 0; i < 4; i++) {
                q[i] = mry_get_float(in);
                length += q[i] * q[i];
            }
            if (!(fabsf(length - 1) < 1e-3f)) return false;
        }
        if (in->failed) return false;
    }
    return true;
}

/* The graph has its originals. */
static marey_status get_nodes(mry_bytes_reader *in, marey_graph *g, marey_error *error)
{
    int64_t originals = mry_get_integer(in, 2, MRY_GRAPH_MOST_NODES);
    int64_t more = mry_get_integer(in, 0, MRY_GRAPH_MOST_NODES);
    const marey_status damaged = MAREY_ERR_INPUT;
    int64_t least =
        16 * (int64_t)g->motion->skeleton.joint_count; /* bytes of an interpolated one */
    if (in->failed || originals != g->originals || more > (in->end - in->p) / least) return damaged;
    /* Labels of the originals. */
    g->label_count = (int)mry_get_integer(in, 0, MRY_GRAPH_MOST_LABELS);
    for (int i = 0; i < g->label_count; i++) {
        g->labels[i] = mry_get_text(in, &g->mem);
        if (!g->labels[i]) return damaged;
    }
    if (in->failed) return damaged;
    if (more && !mry_graph_grow(g, g->originals + (int)more)) return mry_fail_memory(error, NULL);
    g->nodes = g->originals + (int)more;
    for (int n = 0; n < g->nodes; n++) {
        g->contacts[n] = (uint8_t)mry_get_fixed(in, 1) & 15;
        g->labelled[n] = g->label_count ? mry_get_fixed(in, 8) : 0;
    }
    return !in->failed && get_woven(in, g) ? MAREY_OK : damaged;
}

/* ---- transitions --------------------------------------------------------------------------------------------- */

static marey_status get_transitions(mry_bytes_reader *in, marey_graph *g, marey_error *error)
{
    int64_t count = mry_get_integer(in, 0, INT32_MAX - 1);
    if (in->failed || count > (in->end - in->p) / LEAST_TRANSITION) return MAREY_ERR_INPUT;
    if (!mry_graph_take_transitions(g, (int)count)) return mry_fail_memory(error, NULL);
    for (int i = 0; i < (int)count; i++) {
        /* One transition. */
        marey_graph_transition *one = &g->transitions[i];
        int last = i ? one[-1].from : 0;
        one->from = last + (int)mry_get_integer(in, 0, g->nodes - 1 - last);
        one->to = (int)mry_get_integer(in, 0, g->nodes - 1);
        one->distance = mry_get_float(in);
        one->jump = mry_get_float(in);
        g->places[i].angle = (double)mry_get_float(in);
        g->places[i].x = (double)mry_get_float(in);
        g->places[i].z = (double)mry_get_float(in);
        g->half[i] = (uint8_t)mry_get_integer(in, 0, UINT8_MAX);
        bool sorted = i == 0 || one->from > one[-1].from || one->to > one[-1].to;
        bool near = fabs(g->places[i].angle) < 100 && fabs(g->places[i].x) < FARTHEST_CM &&
                    fabs(g->places[i].z) < FARTHEST_CM;
        if (!(!in->failed && sorted && near && one->distance >= 0 &&
              (double)one->distance < g->def.threshold && one->jump >= 0))
            return MAREY_ERR_INPUT;
    }
    g->transition_count = (int)count;
    mry_graph_count_leaving(g);
    g->nodes_before = (int)mry_get_integer(in, g->nodes, MRY_GRAPH_MOST_NODES);
    g->edges_before = mry_get_integer(in, 0, INT64_MAX);
    return in->failed || in->p != in->end ? MAREY_ERR_INPUT : MAREY_OK;
}

/* ---- together --------------------------------------------------------------------------------------------------- */

marey_status marey_graph_write(const marey_graph *graph, uint8_t **bytes, size_t *size,
                               marey_error *error)
{
    mry_arena tmp = mry_arena_make(graph->ctx);
    mry_bytes_writer out = { .mem = &tmp };
    mry_put_bytes(&out, MAGIC, sizeof MAGIC);
    mry_put_integer(&out, VERSION);
    /* What the graph was built with. */
    const marey_graph_def *def = &graph->def;
    mry_put_integer(&out, def->kind);
    double numbers[] = { def->fps,      def->threshold,     def->sigma,     def->jump,
                         def->spread_s, def->suboptimality, def->smoothness };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) mry_put_number(&out, numbers[i]);
    mry_put_integer(&out, def->smooth);
    mry_put_integer(&out, def->unreduced);
    mry_put_integer(&out, def->weight_count);
    for (int i = 0; i < def->weight_count; i++) mry_put_number(&out, def->weights[i]);
    mry_put_metric(&out, &graph->metric);
    mry_put_clips(&out, graph->clips, graph->clip_count);
    put_nodes(&out, graph);
    /* Transitions; of where they start only how far that is from the last. */
    mry_put_integer(&out, graph->transition_count);
    for (int i = 0, last = 0; i < graph->transition_count; i++) {
        const marey_graph_transition *one = &graph->transitions[i];
        mry_put_integer(&out, one->from - last);
        mry_put_integer(&out, one->to);
        mry_put_float(&out, one->distance);
        mry_put_float(&out, one->jump);
        mry_put_float(&out, (float)graph->places[i].angle);
        mry_put_float(&out, (float)graph->places[i].x);
        mry_put_float(&out, (float)graph->places[i].z);
        mry_put_integer(&out, graph->half[i]);
        last = one->from;
    }
    mry_put_integer(&out, graph->nodes_before);
    mry_put_integer(&out, graph->edges_before);
    if (!out.failed) mry_put_fixed(&out, mry_hash64(out.bytes, out.used, VERSION), SUM_BYTES);
    uint8_t *made = out.failed ? NULL : mry_alloc(graph->ctx, out.used);
    if (made) {
        memcpy(made, out.bytes, out.used);
        *bytes = made;
        *size = out.used;
    }
    mry_arena_free(&tmp);
    return made ? MAREY_OK : mry_fail_memory(error, NULL);
}

void marey_graph_bytes_free(marey_ctx *ctx, uint8_t *bytes, size_t size)
{
    if (bytes) mry_release(ctx, bytes, size);
}

static marey_status damaged(marey_error *error)
{
    return mry_fail(error, MAREY_ERR_INPUT, NULL,
                    "the kept motion graph is damaged, or its clips are not those it was made of");
}

/* The version of bytes that are whole, whichever wrote them; 0: they are not. Every version's sum begins with its number. */
static int find_version(const uint8_t *bytes, size_t size)
{
    if (size < sizeof MAGIC + SUM_BYTES || memcmp(bytes, MAGIC, sizeof MAGIC) != 0) return 0;
    mry_bytes_reader in = { .p = bytes + sizeof MAGIC, .end = bytes + size - SUM_BYTES };
    mry_bytes_reader sum = { .p = bytes + size - SUM_BYTES, .end = bytes + size };
    uint64_t version = (uint64_t)mry_get_integer(&in, 0, MOST_VERSIONS);
    bool whole = mry_get_fixed(&sum, SUM_BYTES) == mry_hash64(bytes, size - SUM_BYTES, version);
    return whole && !in.failed ? (int)version : 0;
}

static marey_status read_all(marey_ctx *ctx, mry_bytes_reader *in, mry_arena *tmp,
                             const marey_clip *const *clips, int count,
                             const marey_contacts *contacts, marey_graph **out, marey_error *error)
{
    head *h = MRY_NEW(tmp, head, 1);
    if (!h) return mry_fail_memory(error, NULL);
    mry_get_integer(in, VERSION, VERSION);
    if (in->failed) return MAREY_ERR_INPUT;
    /* What it was built with. */
    marey_graph_def *def = &h->def;
    def->kind = (marey_graph_kind)mry_get_integer(in, 0, MAREY_GRAPH_KIND_COUNT - 1);
    double *numbers[] = { &def->fps,      &def->threshold,     &def->sigma,     &def->jump,
                          &def->spread_s, &def->suboptimality, &def->smoothness };
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
    if (in->failed) return MAREY_ERR_INPUT;
    if (!mry_same_clips(in, clips, count)) return MAREY_ERR_INPUT;
    marey_status status = mry_graph_make(ctx, clips, count, &h->def, out, error);
    if (!status) status = mry_graph_take(*out, contacts, error);
    if (!status) status = get_nodes(in, *out, error);
    if (!status) mry_graph_hold_root(*out, (*out)->originals);
    if (!status) status = get_transitions(in, *out, error);
    return status ? status : mry_graph_find_core(*out, error);
}

marey_status marey_graph_read(marey_ctx *ctx, const uint8_t *bytes, size_t size,
                              const marey_clip *const *clips, int count,
                              const marey_contacts *contacts, marey_graph **out, marey_error *error)
{
    int version = find_version(bytes, size);
    if (version > 0 && version != VERSION)
        return mry_fail(
            error, MAREY_ERR_INPUT, NULL,
            "the kept motion graph is of version %d of its format and this program reads "
            "version %d: build it again",
            version, (int)VERSION);
    if (count < 1 || version == 0) return damaged(error);
    mry_arena tmp = mry_arena_make(ctx);
    marey_graph *graph = NULL;
    mry_bytes_reader in = { .p = bytes + sizeof MAGIC, .end = bytes + size - SUM_BYTES };
    marey_status status = read_all(ctx, &in, &tmp, clips, count, contacts, &graph, error);
    mry_arena_free(&tmp);
    if (!status) {
        *out = graph;
        return MAREY_OK;
    }
    marey_graph_free(graph);
    bool own = status == MAREY_ERR_MEMORY || status == MAREY_ERR_CANCELLED;
    return own ? status : damaged(error);
}
