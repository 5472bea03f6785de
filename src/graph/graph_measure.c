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

/* ---- who reaches whom ------------------------------------------------------------------------ */

/* A graph below a threshold: what leads from free node to free node (dwell.c). */
typedef struct measuring {
    const marey_graph *graph;
    double threshold;
    int least, longest; /* frames behind a transition, at least and at most */
    int *lands;
    mry_arcs arcs;
} measuring;

static bool is_there(const measuring *m, int transition)
{
    return m->graph->transitions[transition].distance < m->threshold;
}

static bool open_measuring(measuring *m, mry_arena *tmp, const marey_graph *graph, double threshold)
{
    *m = (measuring){ .graph = graph,
                      .threshold = threshold,
                      .least = mry_dwell_frames(graph, graph->def.dwell_s),
                      .longest = 1,
                      .lands = MRY_NEW_RAW(tmp, int, (size_t)graph->transition_count + 1) };
    if (!m->lands) return false;
    mry_dwell_lands(graph, m->least, NULL, m->lands);
    for (int i = 0; i < graph->transition_count; i++) {
        int stay = mry_dwell_stay(graph, i, m->least);
        if (is_there(m, i) && stay > m->longest) m->longest = stay;
    }
    return mry_dwell_arcs(graph, m->lands, threshold, tmp, &m->arcs);
}

/* Components lead to lower ones, so in rising order all that one leads to are complete. Each has a
   set of the originals that are passed on the ways from it. */
typedef struct reach {
    int components;
    int *component; /* of each node */
    int *size;      /* originals in each component */
    size_t words;
    uint64_t *sets; /* components x words */
} reach;

static void join_set(reach *r, int component, int node)
{
    if (node >= 0 && r->component[node] != component) {
        uint64_t *into = r->sets + (size_t)component * r->words;
        const uint64_t *more = r->sets + (size_t)r->component[node] * r->words;
        for (size_t w = 0; w < r->words; w++) into[w] |= more[w];
    }
}

/* false: out of memory. */
static bool find_reach(mry_arena *tmp, const measuring *m, reach *r)
{
    const marey_graph *graph = m->graph;
    const mry_arcs *arcs = &m->arcs;
    *r = (reach){ .component = MRY_NEW_RAW(tmp, int, arcs->nodes),
                  .words = ((size_t)graph->originals + WORD - 1) / WORD };
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
        uint64_t *set = r->sets + (size_t)c * r->words;
        if (n < graph->originals) {
            r->size[c]++;
            set[n / WORD] |= UINT64_C(1) << (n % WORD);
        }
        join_set(r, c, graph->next[n]);
        for (int k = graph->leaving[n]; k < graph->leaving[n + 1]; k++) {
            if (!is_there(m, k)) continue;
            /* What is passed before it lands, or up to the end of the sequence. */
            for (int on = graph->transitions[k].to; on >= 0 && on != m->lands[k];
                 on = graph->next[on]) {
                if (on < graph->originals) set[on / WORD] |= UINT64_C(1) << (on % WORD);
            }
            join_set(r, c, m->lands[k]);
        }
    }
    return true;
}

/* ---- how long it takes ----------------------------------------------------------------------- */

/* Frames from some free nodes to all others, or from all others to some. Nodes wait in a list for
   each of the next frames, as many as the longest step takes (Dial 1969). */
typedef struct waiting {
    int *when; /* of each node; -1: never */
    int *head; /* of each of the next frames; -1 */
    int *link, *node;
    int entries, buckets;
} waiting;

static bool open_waiting(waiting *w, mry_arena *tmp, const measuring *m)
{
    size_t most = 2 * ((size_t)m->graph->nodes + (size_t)m->graph->transition_count) + 1;
    *w = (waiting){ .when = MRY_NEW_RAW(tmp, int, m->graph->nodes),
                    .head = MRY_NEW_RAW(tmp, int, (size_t)m->longest + 1),
                    .link = MRY_NEW_RAW(tmp, int, most),
                    .node = MRY_NEW_RAW(tmp, int, most),
                    .buckets = m->longest + 1 };
    if (!w->when || !w->head || !w->link || !w->node) return false;
    memset(w->when, -1, (size_t)m->graph->nodes * sizeof *w->when);
    memset(w->head, -1, (size_t)w->buckets * sizeof *w->head);
    return true;
}

static void wait_until(waiting *w, int node, int frame)
{
    if (node < 0 || (w->when[node] >= 0 && w->when[node] <= frame)) return;
    w->when[node] = frame;
    w->node[w->entries] = node;
    w->link[w->entries] = w->head[frame % w->buckets];
    w->head[frame % w->buckets] = w->entries++;
}

/* The next node in the order of their times, *frame; -1: none waits any more. */
static int next_of(waiting *w, int *frame)
{
    for (int empty = 0; empty < w->buckets;) {
        int *head = &w->head[*frame % w->buckets], entry = *head;
        if (entry < 0) {
            ++*frame;
            empty++;
            continue;
        }
        *head = w->link[entry];
        if (w->when[w->node[entry]] == *frame) return w->node[entry];
    }
    return -1;
}

typedef struct timing {
    const measuring *of;
    int sources;
    double *sum; /* of frames, of each source */
    int64_t *count;
    atomic_bool failed;
} timing;

static void time_from(void *user, int64_t i)
{
    timing *t = user;
    const marey_graph *graph = t->of->graph;
    int originals = graph->originals, source = (int)(i * originals / t->sources);
    mry_arena tmp = mry_arena_make(graph->ctx);
    waiting w;
    int *shown = MRY_NEW_RAW(&tmp, int, graph->nodes); /* when each node is passed at the soonest */
    if (!shown || !open_waiting(&w, &tmp, t->of) || mry_cancelled(graph->ctx)) {
        t->failed = true;
        mry_arena_free(&tmp);
        return;
    }
    wait_until(&w, source, 0);
    memset(shown, -1, (size_t)graph->nodes * sizeof *shown);
    for (int frame = 0, n; (n = next_of(&w, &frame)) >= 0;) {
        wait_until(&w, graph->next[n], frame + 1);
        for (int k = graph->leaving[n]; k < graph->leaving[n + 1]; k++) {
            if (!is_there(t->of, k)) continue;
            int to = graph->transitions[k].to;
            if (shown[to] < 0 || shown[to] > frame + 1) shown[to] = frame + 1;
            wait_until(&w, t->of->lands[k], frame + mry_dwell_stay(graph, k, t->of->least));
        }
    }
    for (int n = 0; n < originals; n++) {
        int before = graph->before[n] >= 0 ? shown[graph->before[n]] : -1;
        if (before >= 0 && (shown[n] < 0 || shown[n] > before + 1)) shown[n] = before + 1;
        if (w.when[n] >= 0 && (shown[n] < 0 || shown[n] > w.when[n])) shown[n] = w.when[n];
        if (n == source || shown[n] < 0) continue;
        t->sum[i] += shown[n];
        t->count[i]++;
    }
    mry_arena_free(&tmp);
}

/* Transitions by where they land. */
typedef struct landing {
    int *first, *over;
} landing;

static bool find_landings(mry_arena *tmp, const measuring *m, landing *out)
{
    const marey_graph *graph = m->graph;
    out->first = MRY_NEW(tmp, int, (size_t)graph->nodes + 2);
    out->over = MRY_NEW_RAW(tmp, int, (size_t)graph->transition_count + 1);
    if (!out->first || !out->over) return false;
    for (int i = 0; i < graph->transition_count; i++) {
        if (is_there(m, i) && m->lands[i] >= 0) out->first[m->lands[i] + 2]++;
    }
    for (int n = 0; n < graph->nodes; n++) out->first[n + 2] += out->first[n + 1];
    for (int i = 0; i < graph->transition_count; i++) {
        if (is_there(m, i) && m->lands[i] >= 0) out->over[out->first[m->lands[i] + 1]++] = i;
    }
    return true;
}

/* w->when: frames from every free node to the soonest one with a label that is passed. */
static void time_to_label(const measuring *m, const landing *into, int label, waiting *w)
{
    const marey_graph *graph = m->graph;
    for (int n = 0; n < graph->nodes; n++) {
        if (marey_graph_has_label(graph, n, label)) wait_until(w, n, 0);
    }
    for (int i = 0; i < graph->transition_count; i++) {
        /* What is passed before it lands, or up to the end of the sequence. */
        int on = is_there(m, i) ? graph->transitions[i].to : -1, frames = 1;
        while (on >= 0 && on != m->lands[i] && !marey_graph_has_label(graph, on, label)) {
            on = graph->next[on];
            frames++;
        }
        if (on >= 0 && marey_graph_has_label(graph, on, label))
            wait_until(w, graph->transitions[i].from, frames);
    }
    for (int frame = 0, n; (n = next_of(w, &frame)) >= 0;) {
        wait_until(w, graph->before[n], frame + 1);
        for (int k = into->first[n]; k < into->first[n + 1]; k++) {
            int over = into->over[k];
            wait_until(w, graph->transitions[over].from,
                       frame + mry_dwell_stay(graph, over, m->least));
        }
    }
}

/* Of the segments of the captured motion by contact with the floor, as far as walks can use them,
   half their length and the time from their end on to each label count. */
static bool find_maneuverability(mry_arena *tmp, const measuring *m, const uint8_t *core,
                                 marey_graph_stats *out)
{
    const marey_graph *graph = m->graph;
    out->local_maneuverability_s = NAN;
    if (graph->label_count == 0) return true;
    mry_phase *phases;
    landing into;
    int phase_count = mry_phases_find(graph, tmp, &phases), segments = 0;
    int *segment_end = MRY_NEW_RAW(tmp, int, graph->originals);
    int *segment_length = MRY_NEW_RAW(tmp, int, graph->originals);
    if (phase_count < 0 || !segment_end || !segment_length || !find_landings(tmp, m, &into))
        return false;
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
        mry_arena room = mry_arena_make(graph->ctx);
        waiting w;
        bool there = open_waiting(&w, &room, m);
        if (there) time_to_label(m, &into, label, &w);
        /* The mean over segments. */
        double total = 0;
        for (int i = 0; i < segments && there; i++) {
            int after = w.when[segment_end[i]];
            total += after < 0 ? NAN : 0.5 * segment_length[i] + after;
        }
        mry_arena_free(&room);
        if (!there) return false;
        double time = segments ? total / segments : NAN;
        out->behaviours += isfinite(time);
        sum += time;
    }
    out->local_maneuverability_s = sum / graph->label_count / graph->fps;
    return true;
}

/* ---- all of it ------------------------------------------------------------------------------- */

static bool measure(mry_arena *tmp, const marey_graph *graph, double threshold, bool quick,
                    marey_graph_stats *out)
{
    measuring m;
    reach r;
    mry_dwell core;
    if (!open_measuring(&m, tmp, graph, threshold) || !find_reach(tmp, &m, &r) ||
        mry_dwell_find(graph, tmp, m.least, threshold, NULL, NULL, 0, &core, NULL))
        return false;
    double all = (double)graph->originals * ((double)graph->originals - 1);
    int passed = 0;
    for (int n = 0; n < graph->originals; n++) passed += core.passed[n];
    out->scc_percent = 100.0 * passed / graph->originals;
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
    for (int i = 0; i < graph->transition_count; i++) out->transitions += is_there(&m, i);
    out->edges = mry_graph_edges(graph) - graph->transition_count + out->transitions;
    out->mean_transition_s = NAN;
    if (!find_maneuverability(tmp, &m, core.free, out)) return false;
    if (quick) return true;
    /* How long it takes on the mean. */
    int sources = graph->originals < MOST_SOURCES ? graph->originals : MOST_SOURCES;
    timing t = { .of = &m,
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
    measuring m;
    reach r;
    size_t stride = ((size_t)graph->originals + 7) / 8;
    bool done = open_measuring(&m, &tmp, graph, INFINITY) && find_reach(&tmp, &m, &r);
    for (int n = 0; done && n < graph->originals; n++) {
        const uint64_t *set = r.sets + (size_t)r.component[n] * r.words;
        for (size_t i = 0; i < stride; i++)
            bits[(size_t)n * stride + i] = (uint8_t)(set[i / 8] >> (8 * (i % 8)));
    }
    mry_arena_free(&tmp);
    return done ? MAREY_OK : mry_fail_memory(error, NULL);
}
