/* graph_measure.c - how well a motion graph is connected (slides, "Experimental Analysis"): its
   largest component, which frames can reach which, how long that takes, and how soon each behaviour
   can begin (Reitsma & Pollard 2007), from the contact segments of the captured motion. */
#include "base/fail.h"
#include "graph/weave.h"

#include <math.h>
#include <string.h>

/* Where originals are more than this, so many of them, evenly spread, stand for all as sources of
   shortest times. */
enum { MOST_SOURCES = 3000, WORD = 64 };

/* Components lead to lower ones, so in rising order all that one leads to are complete. Each has a
   set of the originals that it reaches. */
typedef struct reach {
    int components;
    int *component; /* of each node */
    int *size;      /* originals in each component */
    size_t words;
    uint64_t *sets; /* components x words */
} reach;

static void join_arc(reach *r, int component, int node)
{
    if (node >= 0 && r->component[node] != component) {
        uint64_t *into = r->sets + (size_t)component * r->words;
        const uint64_t *more = r->sets + (size_t)r->component[node] * r->words;
        for (size_t w = 0; w < r->words; w++) into[w] |= more[w];
    }
}

/* false: out of memory. */
static bool find_reach(mry_arena *tmp, const mry_arcs *arcs, int originals, reach *r)
{
    *r = (reach){ .component = MRY_NEW_RAW(tmp, int, arcs->nodes),
                  .words = ((size_t)originals + WORD - 1) / WORD };
    if (!r->component) return false;
    r->components = mry_components(tmp, arcs, r->component);
    if (r->components < 0) return false;
    int *at = MRY_NEW(tmp, int, (size_t)r->components + 1);
    int *sorted = MRY_NEW_RAW(tmp, int, arcs->nodes);
    r->size = MRY_NEW(tmp, int, (size_t)r->components + 1);
    r->sets = MRY_NEW(tmp, uint64_t, (size_t)r->components * r->words + 1);
    if (!at || !sorted || !r->size || !r->sets) return false;
    /* Nodes in the order of their components. */
    for (int n = 0; n < arcs->nodes; n++) at[r->component[n] + 1]++;
    for (int c = 0; c < r->components; c++) at[c + 1] += at[c];
    for (int n = 0; n < arcs->nodes; n++) sorted[at[r->component[n]]++] = n;
    for (int i = 0; i < arcs->nodes; i++) {
        int n = sorted[i], c = r->component[n];
        if (n < originals) {
            r->size[c]++;
            r->sets[(size_t)c * r->words + (size_t)n / WORD] |= UINT64_C(1) << (n % WORD);
        }
        join_arc(r, c, arcs->next ? arcs->next[n] : -1);
        for (int k = arcs->first[n]; k < arcs->first[n + 1]; k++) join_arc(r, c, arcs->to[k]);
    }
    return true;
}

typedef struct timing {
    const marey_graph *graph;
    const mry_arcs *arcs;
    int sources;
    double *sum; /* of frames, of each source */
    int64_t *count;
    atomic_bool failed;
} timing;

/* Every arc is a frame, so nodes are met in the order of their times. */
static void time_from(void *user, int64_t i)
{
    timing *t = user;
    const mry_arcs *arcs = t->arcs;
    int originals = t->graph->originals, source = (int)(i * originals / t->sources);
    mry_arena tmp = mry_arena_make(t->graph->ctx);
    int *when = MRY_NEW_RAW(&tmp, int, arcs->nodes), *queue = MRY_NEW_RAW(&tmp, int, arcs->nodes);
    if (!when || !queue || mry_cancelled(t->graph->ctx)) {
        t->failed = true;
        mry_arena_free(&tmp);
        return;
    }
    memset(when, -1, (size_t)arcs->nodes * sizeof *when);
    int head = 0, tail = 0;
    when[source] = 0;
    queue[tail++] = source;
    while (head < tail) {
        int n = queue[head++];
        for (int k = arcs->first[n] - 1; k < arcs->first[n + 1]; k++) {
            int to = k < arcs->first[n] ? (arcs->next ? arcs->next[n] : -1) : arcs->to[k];
            if (to < 0 || when[to] >= 0) continue;
            when[to] = when[n] + 1;
            queue[tail++] = to;
        }
    }
    for (int n = 0; n < originals; n++) {
        if (n == source || when[n] < 0) continue;
        t->sum[i] += when[n];
        t->count[i]++;
    }
    mry_arena_free(&tmp);
}

/* Frames from every node to the nearest one with a label, -1: never; backwards, so over arcs that
   are turned round. Of the segments of the captured motion by contact with the floor, as far as
   walks can use them, half their length and the time from their end on count. */
static bool find_maneuverability(mry_arena *tmp, const marey_graph *graph, const mry_arcs *arcs,
                                 const uint8_t *core, marey_graph_stats *out)
{
    out->local_maneuverability_s = NAN;
    if (graph->label_count == 0) return true;
    mry_phase *phases;
    int phase_count = mry_phases_find(graph, tmp, &phases), segments = 0;
    int *segment_end = MRY_NEW_RAW(tmp, int, graph->originals);
    int *segment_length = MRY_NEW_RAW(tmp, int, graph->originals);
    int *when = MRY_NEW_RAW(tmp, int, arcs->nodes), *queue = MRY_NEW_RAW(tmp, int, arcs->nodes);
    int *back_first = MRY_NEW(tmp, int, (size_t)arcs->nodes + 2);
    int *back_from = MRY_NEW_RAW(tmp, int, (size_t)arcs->first[arcs->nodes] + 1);
    if (phase_count < 0 || !segment_end || !segment_length || !when || !queue || !back_first ||
        !back_from)
        return false;
    for (int k = 0; k < arcs->first[arcs->nodes]; k++) back_first[arcs->to[k] + 2]++;
    for (int n = 0; n < arcs->nodes; n++) back_first[n + 2] += back_first[n + 1];
    for (int n = 0; n < arcs->nodes; n++) {
        for (int k = arcs->first[n]; k < arcs->first[n + 1]; k++)
            back_from[back_first[arcs->to[k] + 1]++] = n;
    }
    /* Segments, cut out of the phases: each ends with a node. */
    for (int i = 0; i < phase_count; i++) {
        int last = phases[i].first + phases[i].count - 1;
        for (int n = phases[i].first, length = 0; n <= last; n++) {
            length = core[n] ? length + 1 : 0;
            if (!core[n] || (n < last && core[n + 1])) continue;
            segment_end[segments] = n;
            segment_length[segments++] = length;
        }
    }
    double sum = 0;
    for (int label = 0; label < graph->label_count; label++) {
        int head = 0, tail = 0;
        for (int n = 0; n < arcs->nodes; n++) {
            when[n] = marey_graph_has_label(graph, n, label) ? 0 : -1;
            if (when[n] == 0) queue[tail++] = n;
        }
        while (head < tail) {
            int n = queue[head++];
            for (int k = back_first[n] - 1; k < back_first[n + 1]; k++) {
                int from = k < back_first[n] ? graph->before[n] : back_from[k];
                if (from < 0 || when[from] >= 0) continue;
                when[from] = when[n] + 1;
                queue[tail++] = from;
            }
        }
        /* The mean over segments. */
        double total = 0;
        for (int i = 0; i < segments; i++) {
            int after = when[segment_end[i]];
            total += after < 0 ? NAN : 0.5 * segment_length[i] + after;
        }
        double time = segments ? total / segments : NAN;
        out->behaviours += isfinite(time);
        sum += time;
    }
    out->local_maneuverability_s = sum / graph->label_count / graph->fps;
    return true;
}

static bool measure(mry_arena *tmp, const marey_graph *graph, double threshold, bool quick,
                    marey_graph_stats *out)
{
    mry_arcs arcs;
    reach r;
    uint8_t *core = MRY_NEW(tmp, uint8_t, graph->nodes);
    if (!core || !mry_graph_arcs(graph, tmp, threshold, &arcs) ||
        !find_reach(tmp, &arcs, graph->originals, &r))
        return false;
    /* As mry_graph_find_core chooses. */
    int best = r.component[0];
    for (int n = 1; n < graph->originals; n++) {
        if (r.size[r.component[n]] > r.size[best]) best = r.component[n];
    }
    for (int n = 0; n < graph->nodes; n++) core[n] = r.component[n] == best;
    double all = (double)graph->originals * ((double)graph->originals - 1);
    out->scc_percent = 100.0 * r.size[best] / graph->originals;
    /* Ordered pairs of different originals, the second of which can be reached. */
    double pairs = 0;
    for (int c = 0; c < r.components; c++) {
        if (r.size[c] == 0) continue;
        int64_t reached = -1;
        for (size_t w = 0; w < r.words; w++)
            reached += __builtin_popcountll(r.sets[(size_t)c * r.words + w]);
        pairs += (double)r.size[c] * (double)reached;
    }
    out->connectivity_percent = 100 * pairs / all;
    out->transitions = arcs.first[graph->nodes];
    out->edges = mry_graph_edges(graph) - graph->transition_count + out->transitions;
    out->mean_transition_s = NAN;
    if (!find_maneuverability(tmp, graph, &arcs, core, out)) return false;
    if (quick) return true;
    /* How long it takes on the mean. */
    int sources = graph->originals < MOST_SOURCES ? graph->originals : MOST_SOURCES;
    timing t = { .graph = graph,
                 .arcs = &arcs,
                 .sources = sources,
                 .sum = MRY_NEW(tmp, double, sources),
                 .count = MRY_NEW(tmp, int64_t, sources) };
    if (!t.sum || !t.count) return false;
    marey_ctx_run(graph->ctx, sources, time_from, &t);
    if (t.failed) return false;
    double sum = 0, count = 0;
    for (int i = 0; i < sources; i++) {
        sum += t.sum[i];
        count += (double)t.count[i];
    }
    out->sources = sources;
    out->mean_transition_s = count > 0 ? sum / count / graph->fps : NAN;
    return true;
}

marey_status mry_graph_measure_at(const marey_graph *graph, double threshold, bool quick,
                                  marey_graph_stats *out, marey_error *error)
{
    marey_graph_stats row = { .frames = graph->originals,
                              .nodes = graph->nodes,
                              .threshold = fmin(threshold, graph->def.threshold),
                              .nodes_before = graph->nodes_before,
                              .edges_before = graph->edges_before };
    for (int i = 0; i < graph->transition_count; i++) {
        const marey_graph_transition *one = &graph->transitions[i];
        if (one->distance < threshold) row.worst_jump = fmax(row.worst_jump, (double)one->jump);
    }
    mry_arena tmp = mry_arena_make(graph->ctx);
    bool done = measure(&tmp, graph, threshold, quick, &row);
    mry_arena_free(&tmp);
    if (mry_cancelled(graph->ctx)) return mry_fail_cancelled(error);
    if (!done) return mry_fail_memory(error, NULL);
    /* What a program needs to walk in it: poses, where each is from, and the transitions. */
    const marey_clip *motion = graph->motion;
    int64_t pose = (int64_t)motion->skeleton.joint_count * 4 * (int64_t)sizeof(float) +
                   (int64_t)motion->mover_count * 3 * (int64_t)sizeof(double);
    int64_t node = (int64_t)(sizeof(mry_origin) + 3 * sizeof(int) + 2 + sizeof(uint64_t)) + pose;
    row.bytes = graph->nodes * node +
                row.transitions * (int64_t)(sizeof *graph->transitions + sizeof *graph->places);
    /* What was never reduced is as it was before. */
    if (graph->edges_before == mry_graph_edges(graph)) row.edges_before = row.edges;
    *out = row;
    return MAREY_OK;
}

marey_status marey_graph_measure(marey_ctx *ctx, const marey_graph *graph, marey_graph_stats *out,
                                 marey_error *error)
{
    (void)ctx;
    return mry_graph_measure_at(graph, INFINITY, false, out, error);
}

marey_status marey_graph_sweep(marey_ctx *ctx, const marey_clip *const *clips, int count,
                               const marey_contacts *contacts, const marey_graph_def *def,
                               const double *thresholds, int threshold_count, bool quick,
                               marey_graph_stats *rows, marey_error *error)
{
    marey_graph_def whole = def ? *def : (marey_graph_def){ 0 };
    whole.unreduced = true;
    for (int i = 0; i < threshold_count; i++) {
        if (!(thresholds[i] > (i ? thresholds[i - 1] : 0))) {
            return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                            "thresholds must be positive and rise, got %g", thresholds[i]);
        }
    }
    /* One graph has the transitions of all smaller thresholds, too. Not if it is interpolated with
       as many weights as its threshold asks for: then every row is a graph of its own. */
    bool each = whole.kind == MAREY_GRAPH_CONNECTED && whole.weight_count == 0;
    marey_graph *graph = NULL;
    marey_status status = MAREY_OK;
    for (int i = 0; i < threshold_count && !status; i++) {
        if (!mry_progress(ctx, "measuring", i, threshold_count)) status = mry_fail_cancelled(error);
        if (!status && (each || !graph)) {
            marey_graph_free(graph);
            graph = NULL;
            whole.threshold = thresholds[each ? i : threshold_count - 1];
            status = marey_graph_build(ctx, clips, count, contacts, &whole, &graph, error);
        }
        if (!status) status = mry_graph_measure_at(graph, thresholds[i], quick, &rows[i], error);
    }
    marey_graph_free(graph);
    return status;
}

marey_status marey_graph_closure(marey_ctx *ctx, const marey_graph *graph, uint8_t *bits,
                                 marey_error *error)
{
    mry_arena tmp = mry_arena_make(ctx);
    mry_arcs arcs;
    reach r;
    size_t stride = ((size_t)graph->originals + 7) / 8;
    bool done = mry_graph_arcs(graph, &tmp, INFINITY, &arcs) &&
                find_reach(&tmp, &arcs, graph->originals, &r);
    for (int n = 0; done && n < graph->originals; n++) {
        const uint64_t *set = r.sets + (size_t)r.component[n] * r.words;
        for (size_t i = 0; i < stride; i++)
            bits[(size_t)n * stride + i] = (uint8_t)(set[i / 8] >> (8 * (i % 8)));
    }
    mry_arena_free(&tmp);
    return done ? MAREY_OK : mry_fail_memory(error, NULL);
}
