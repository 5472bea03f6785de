/* graph_bytes.c - motion graphs as bytes and back, without the clips.

       settings     kind, numbers, weights, the metric with its joint weights
       clips        how many; of each frames, rate, joints, and sums of its numbers (clip_sums.c)
       nodes        how many are originals, how many follow; labels as texts; actions: label, first node, how many follow, whether it goes on and on
                    of each its contacts and labels
                    of each interpolated one its origin, whether the next one follows on it, its places and turns
       transitions  from (as a difference), to, distance, jump, place, frames of spreading
       before the reduction: nodes, edges

   Before it come four letters and the version of the format, behind it a 64-bit hash of all that.
   Bytes may come from anywhere: counts are held against what is left, and every number is checked
   that could lead astray. */
#include "base/fail.h"
#include "feature/feature_data.h"
#include "feature/metric_bytes.h"
#include "graph/clip_sums.h"
#include "graph/graph_data.h"
#include "store/byte_form.h"

#include <math.h>
#include <string.h>

static const mry_byte_form graph_form = { "MRYG", 3, "the saved motion graph",
                                          ", or its clips are not those it was made of", "build" };
void marey_graph_bytes_free(marey_ctx *ctx, uint8_t *bytes, size_t size)
{
    if (bytes) mry_release(ctx, bytes, size);
}

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
    mry_put_clips(&out, graph->clips, graph->clip_count);
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
        mry_put_float(&out, from->weight);
        mry_put_number(&out, from->frame);
        mry_put_number(&out, from->other_frame);
        mry_put_integer(&out, graph->next[n] >= 0);
        for (int i = 0; i < 3 * graph->motion->mover_count; i++) mry_put_number(&out, places[i]);
        for (int i = 0; i < 4 * graph->motion->skeleton.joint_count; i++)
            mry_put_float(&out, turns[i]);
    }
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
        g->origin[n].weight = mry_get_float(in);
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
                q[i] = mry_get_float(in);
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
    if (!mry_same_clips(in, clips, count)) return MAREY_ERR_INPUT;
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
