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
#include "base/bytes.h"
#include "base/fail.h"
#include "graph/graph_data.h"
#include "store/store.h"

#include <math.h>
#include <string.h>

enum { VERSION = 2, SUM_BYTES = 8, LEAST_TRANSITION = 22 };

static const char MAGIC[4] = { 'M', 'R', 'Y', 'G' };

static void put_float(mry_bytes_writer *out, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    mry_put_fixed(out, bits, 4);
}

static float get_float(mry_bytes_reader *in)
{
    uint32_t bits = (uint32_t)mry_get_fixed(in, 4);
    float value;
    memcpy(&value, &bits, sizeof value);
    if (isfinite(value)) return value;
    in->failed = true;
    return 0;
}

/* ---- settings ------------------------------------------------------------------------------------------- */

static void put_metric(mry_bytes_writer *out, const marey_graph *g)
{
    const marey_metric_def *def = &g->metric;
    mry_put_text(out, def->metric->name);
    mry_put_integer(out, def->window);
    mry_put_integer(out, def->tapered);
    mry_put_integer(out, def->common_size);
    mry_put_integer(out, def->fixed_root);
    mry_put_integer(out, def->normalised);
    mry_put_integer(out, def->fourier);
    mry_put_number(out, def->candidates);
    mry_put_number(out, def->smooth_s);
    mry_put_integer(out, def->attributes_given);
    for (int i = 0; def->attributes_given && i < MAREY_MOST_ATTRIBUTES; i++)
        mry_put_number(out, def->attributes[i]);
    mry_put_text(out, g->joint_weights.name);
    mry_put_integer(out, g->joint_weights.every_joint);
    for (int r = 0; r < MAREY_ROLE_COUNT; r++) mry_put_number(out, g->joint_weights.roles[r]);
}

static void put_settings(mry_bytes_writer *out, const marey_graph *g)
{
    const marey_graph_def *def = &g->def;
    mry_put_integer(out, def->kind);
    double numbers[] = { def->fps,      def->threshold,     def->sigma,     def->jump,
                         def->spread_s, def->suboptimality, def->smoothness };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) mry_put_number(out, numbers[i]);
    mry_put_integer(out, def->smooth);
    mry_put_integer(out, def->unreduced);
    mry_put_integer(out, def->weight_count);
    for (int i = 0; i < def->weight_count; i++) mry_put_number(out, def->weights[i]);
    put_metric(out, g);
}

/* What settings are read into. */
typedef struct head {
    marey_graph_def def;
    marey_metric_def metric;
    marey_joint_weights joints;
    double weights[MAREY_GRAPH_MOST_WEIGHTS];
} head;

static bool get_metric(mry_bytes_reader *in, mry_arena *tmp, head *h)
{
    const char *name = mry_get_text(in, tmp);
    h->metric.metric = name ? marey_metric_named(name) : NULL;
    marey_metric_def *def = &h->metric;
    def->window = (int)mry_get_integer(in, 0, MAREY_MOST_WINDOW);
    def->tapered = mry_get_integer(in, 0, 1) != 0;
    def->common_size = mry_get_integer(in, 0, 1) != 0;
    def->fixed_root = mry_get_integer(in, 0, 1) != 0;
    def->normalised = mry_get_integer(in, 0, 1) != 0;
    def->fourier = mry_get_integer(in, 0, 1) != 0;
    def->candidates = mry_get_number(in);
    def->smooth_s = mry_get_number(in);
    def->attributes_given = mry_get_integer(in, 0, 1) != 0;
    for (int i = 0; def->attributes_given && i < MAREY_MOST_ATTRIBUTES; i++)
        def->attributes[i] = mry_get_number(in);
    const char *joints = mry_get_text(in, tmp);
    if (!h->metric.metric || !joints) return false;
    if (marey_joint_weights_parse(joints, &h->joints, NULL)) h->joints.name = "own";
    h->joints.every_joint = mry_get_integer(in, 0, 1) != 0;
    double sum = 0;
    for (int r = 0; r < MAREY_ROLE_COUNT; r++) {
        h->joints.roles[r] = mry_get_number(in);
        if (!(h->joints.roles[r] >= 0)) return false;
        sum += h->joints.roles[r];
    }
    h->metric.joints = &h->joints;
    return h->joints.every_joint || sum > 0;
}

static bool get_settings(mry_bytes_reader *in, mry_arena *tmp, head *h)
{
    marey_graph_def *def = &h->def;
    def->kind = (marey_graph_kind)mry_get_integer(in, 0, MAREY_GRAPH_KIND_COUNT - 1);
    double *numbers[] = { &def->fps,      &def->threshold,     &def->sigma,     &def->jump,
                          &def->spread_s, &def->suboptimality, &def->smoothness };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) *numbers[i] = mry_get_number(in);
    if (def->smoothness == 0) def->smoothness = -1; /* as 0 is told from the default */
    def->smooth = mry_get_integer(in, 0, 1) != 0;
    def->unreduced = mry_get_integer(in, 0, 1) != 0;
    def->weight_count = (int)mry_get_integer(in, 0, MAREY_GRAPH_MOST_WEIGHTS);
    for (int i = 0; i < def->weight_count; i++) h->weights[i] = mry_get_number(in);
    def->weights = h->weights;
    if (in->failed || !(def->threshold > 0) || !(def->sigma > 0) || !get_metric(in, tmp, h))
        return false;
    def->metric = &h->metric;
    return !in->failed;
}

/* ---- clips ------------------------------------------------------------------------------------------------ */

/* Sums that other clips of the same length would not have, told apart to what rounding can do on another machine. */
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

static bool same_sum(double a, double b)
{
    return fabs(a - b) <= 1e-5 * (1 + fabs(b));
}

static void put_clips(mry_bytes_writer *out, const marey_graph *g)
{
    mry_put_integer(out, g->clip_count);
    for (int c = 0; c < g->clip_count; c++) {
        mry_put_integer(out, g->clips[c]->frames);
        mry_put_number(out, g->clips[c]->fps);
        mry_put_integer(out, g->clips[c]->skeleton.joint_count);
        double sums[SUMS];
        sum_up(g->clips[c], sums);
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
        for (int i = 0; i < SUMS; i++) same = same_sum(mry_get_number(in), sums[i]) && same;
        if (!same || in->failed) return false;
    }
    return true;
}

/* ---- nodes ------------------------------------------------------------------------------------------------- */

static void put_woven(mry_bytes_writer *out, const marey_graph *g, int n)
{
    const mry_origin *from = &g->origin[n];
    const float *turns = mry_turn(g->motion, n);
    const double *places = mry_place(g->motion, n);
    mry_put_integer(out, from->clip);
    mry_put_integer(out, from->other);
    put_float(out, from->weight);
    mry_put_number(out, from->frame);
    mry_put_number(out, from->other_frame);
    mry_put_integer(out, g->next[n] >= 0);
    for (int i = 0; i < 3 * g->motion->mover_count; i++) mry_put_number(out, places[i]);
    for (int i = 0; i < 4 * g->motion->skeleton.joint_count; i++) put_float(out, turns[i]);
}

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
    for (int n = g->originals; n < g->nodes; n++) put_woven(out, g, n);
}

static bool get_labels(mry_bytes_reader *in, marey_graph *g)
{
    g->label_count = (int)mry_get_integer(in, 0, MRY_GRAPH_MOST_LABELS);
    for (int i = 0; i < g->label_count; i++) {
        g->labels[i] = mry_get_text(in, &g->mem);
        if (!g->labels[i]) return false;
    }
    return !in->failed;
}

static bool get_origin(mry_bytes_reader *in, const marey_graph *g, mry_origin *out)
{
    out->clip = (int)mry_get_integer(in, 0, g->clip_count - 1);
    out->other = (int)mry_get_integer(in, 0, g->clip_count - 1);
    out->weight = get_float(in);
    out->frame = mry_get_number(in);
    out->other_frame = mry_get_number(in);
    return !in->failed && out->weight >= 0 && out->weight <= 1 && out->frame >= 0 &&
           out->frame < g->clips[out->clip]->frames && out->other_frame >= 0 &&
           out->other_frame < g->clips[out->other]->frames;
}

/* Rotations must be of unit length, or nearly. */
static bool get_pose(mry_bytes_reader *in, marey_clip *motion, int n)
{
    float *turns = mry_turn(motion, n);
    double *places = mry_place(motion, n);
    for (int i = 0; i < 3 * motion->mover_count; i++) {
        places[i] = mry_get_number(in);
        if (!(fabs(places[i]) < 1e9)) return false;
    }
    for (int j = 0; j < motion->skeleton.joint_count; j++) {
        float *q = turns + 4 * j, length = 0;
        for (int i = 0; i < 4; i++) {
            q[i] = get_float(in);
            length += q[i] * q[i];
        }
        if (!(fabsf(length - 1) < 1e-3f)) return false;
    }
    return !in->failed;
}

static bool get_woven(mry_bytes_reader *in, marey_graph *g)
{
    bool follows = false;
    for (int n = g->originals; n < g->nodes; n++) {
        if (!get_origin(in, g, &g->origin[n])) return false;
        g->before[n] = follows ? n - 1 : -1;
        follows = mry_get_integer(in, 0, 1) != 0;
        if (follows && n + 1 == g->nodes) return false;
        g->next[n] = follows ? n + 1 : -1;
        if (!get_pose(in, g->motion, n)) return false;
    }
    return true;
}

/* The graph has its originals. */
static marey_status get_nodes(mry_bytes_reader *in, marey_graph *g, marey_error *error)
{
    int64_t originals = mry_get_integer(in, 2, MRY_GRAPH_MOST_NODES);
    int64_t more = mry_get_integer(in, 0, MRY_GRAPH_MOST_NODES);
    const marey_status damaged = MAREY_ERR_INPUT;
    if (in->failed || originals != g->originals || more > in->end - in->p) return damaged;
    if (!get_labels(in, g)) return damaged;
    if (more && !mry_graph_grow(g, g->originals + (int)more)) return mry_fail_memory(error, NULL);
    g->nodes = g->originals + (int)more;
    for (int n = 0; n < g->nodes; n++) {
        g->contacts[n] = (uint8_t)mry_get_fixed(in, 1) & 15;
        g->labelled[n] = g->label_count ? mry_get_fixed(in, 8) : 0;
    }
    return !in->failed && get_woven(in, g) ? MAREY_OK : damaged;
}

/* ---- transitions --------------------------------------------------------------------------------------------- */

static void put_transitions(mry_bytes_writer *out, const marey_graph *g)
{
    mry_put_integer(out, g->transition_count);
    for (int i = 0, last = 0; i < g->transition_count; i++) {
        const marey_graph_transition *one = &g->transitions[i];
        mry_put_integer(out, one->from - last);
        mry_put_integer(out, one->to);
        put_float(out, one->distance);
        put_float(out, one->jump);
        put_float(out, (float)g->places[i].angle);
        put_float(out, (float)g->places[i].x);
        put_float(out, (float)g->places[i].z);
        mry_put_integer(out, g->half[i]);
        last = one->from;
    }
}

static bool get_transition(mry_bytes_reader *in, marey_graph *g, int i)
{
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
    return !in->failed && sorted && one->distance >= 0 && one->jump >= 0;
}

static marey_status get_transitions(mry_bytes_reader *in, marey_graph *g, marey_error *error)
{
    int64_t count = mry_get_integer(in, 0, INT32_MAX - 1);
    if (in->failed || count > (in->end - in->p) / LEAST_TRANSITION) return MAREY_ERR_INPUT;
    if (!mry_graph_take_transitions(g, (int)count)) return mry_fail_memory(error, NULL);
    for (int i = 0; i < (int)count; i++) {
        if (!get_transition(in, g, i)) return MAREY_ERR_INPUT;
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
    put_settings(&out, graph);
    put_clips(&out, graph);
    put_nodes(&out, graph);
    put_transitions(&out, graph);
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

static bool is_whole(const uint8_t *bytes, size_t size)
{
    if (size < sizeof MAGIC + SUM_BYTES || memcmp(bytes, MAGIC, sizeof MAGIC) != 0) return false;
    mry_bytes_reader sum = { .p = bytes + size - SUM_BYTES, .end = bytes + size };
    return mry_get_fixed(&sum, SUM_BYTES) == mry_hash64(bytes, size - SUM_BYTES, VERSION);
}

/* Graphs of earlier settings may not be had any more: then they are built again. */
static marey_status read_all(marey_ctx *ctx, mry_bytes_reader *in, mry_arena *tmp,
                             const marey_clip *const *clips, int count,
                             const marey_contacts *contacts, marey_graph **out, marey_error *error)
{
    head *h = MRY_NEW(tmp, head, 1);
    if (!h) return mry_fail_memory(error, NULL);
    if (mry_get_integer(in, 0, 1000) != VERSION || !get_settings(in, tmp, h) ||
        !same_clips(in, clips, count))
        return MAREY_ERR_INPUT;
    marey_status status = mry_graph_make(ctx, clips, count, &h->def, out, error);
    if (!status) status = mry_graph_take(*out, contacts, error);
    if (!status) status = get_nodes(in, *out, error);
    if (!status) status = get_transitions(in, *out, error);
    return status ? status : mry_graph_find_core(*out, error);
}

marey_status marey_graph_read(marey_ctx *ctx, const uint8_t *bytes, size_t size,
                              const marey_clip *const *clips, int count,
                              const marey_contacts *contacts, marey_graph **out, marey_error *error)
{
    if (count < 1 || !is_whole(bytes, size)) return damaged(error);
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
