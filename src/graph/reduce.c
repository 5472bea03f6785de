/* reduce.c - the node reduction of well-connected motion graphs (slides, "Node Reduction Step"):
   what lies on the best paths between the originals stays, the rest goes. Best is least in frames
   and in what transitions cost, weighed. Paths stay in their pieces as walks do (dwell.c): they lead
   from free node to free node, and a transition takes as long as it is until its path is free again.
   Originals at the beginning of a sequence, where no path is ever free, are passed on the best way
   there is.

   First what no path from an original to an original can use is left out, then nodes from which
   there is only one way on and to which there is only one way are put together with the next, so
   that Dijkstra's search goes from place of choice to place of choice. Costs are whole numbers, so
   nodes wait in buckets (Dial 1969). An original that only leads to the next frame has no paths of
   its own: they are that one's. With a suboptimality mu > 1, steps outside of what was chosen
   before cost mu times as much, and searches go one after the other; without, they do not depend on
   each other. */
#include "base/fail.h"
#include "graph/graph_data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    FRAME = 64,
    BATCH = 8
}; /* what a frame costs, in parts; searches that share room where any thread may do them */
enum { MOST_COST = 1 << 24 }; /* of a step: buckets are as many */

/* A step of the search: a transition, or the frames to the next place of choice. */
typedef struct step {
    int to;         /* place */
    int cost;       /* in parts */
    int transition; /* -1: frames */
} step;

/* A step over a transition into the beginning of a sequence. */
typedef struct passing {
    int node; /* that it leads to */
    int place, step;
} passing;

typedef struct search {
    const marey_graph *graph;
    int least;         /* frames of a piece */
    const int *detour; /* of each transition: frames on the way; NULL: none */
    int *lands;        /* of each transition: the node at which a path is free again; -1 */
    uint8_t *useful;   /* nodes that paths are free at */
    int *place;        /* of each node; -1 */
    int places;
    int *node;  /* of each place */
    int *first; /* places + 1 */
    step *steps;
    int most; /* the greatest cost of a step, times mu */
    double mu;
    int sources, batch; /* batch: searches that share room */
    int *source;        /* places */
    uint8_t *chosen;    /* places */
    uint8_t *taken;     /* steps */
    passing *passings;  /* by their nodes */
    int passing_count;
    atomic_bool failed;
} search;

/* ---- what can be of use ---------------------------------------------------------------------- */

/* Backwards over transitions: those that land at each node. */
typedef struct arriving {
    int *first, *from;
} arriving;

static void reach(uint8_t *mark, int *queue, int *tail, int node, uint8_t bit)
{
    if (node < 0 || (mark[node] & bit)) return;
    mark[node] |= bit;
    queue[(*tail)++] = node;
}

static bool find_useful(search *s, mry_arena *mem, mry_arena *tmp)
{
    const marey_graph *g = s->graph;
    arriving back;
    int *queue = MRY_NEW_RAW(tmp, int, g->nodes);
    s->useful = MRY_NEW(mem, uint8_t, g->nodes);
    if (!queue || !s->useful) return false;
    s->lands = MRY_NEW_RAW(mem, int, (size_t)g->transition_count + 1);
    /* Transitions by where they land. */
    back.first = MRY_NEW(tmp, int, (size_t)g->nodes + 2);
    back.from = MRY_NEW_RAW(tmp, int, (size_t)g->transition_count + 1);
    if (!s->lands || !back.first || !back.from) return false;
    mry_dwell_lands(g, s->least, NULL, s->lands);
    for (int i = 0; i < g->transition_count; i++) {
        if (s->lands[i] >= 0) back.first[s->lands[i] + 2]++;
    }
    for (int n = 0; n < g->nodes; n++) back.first[n + 2] += back.first[n + 1];
    for (int i = 0; i < g->transition_count; i++) {
        if (s->lands[i] >= 0) back.from[back.first[s->lands[i] + 1]++] = g->transitions[i].from;
    }
    for (uint8_t bit = 1; bit <= 2; bit++) {
        int head = 0, tail = 0;
        for (int n = 0; n < g->originals; n++) reach(s->useful, queue, &tail, n, bit);
        while (head < tail) {
            int n = queue[head++];
            reach(s->useful, queue, &tail, bit == 1 ? g->next[n] : g->before[n], bit);
            if (bit == 1) {
                for (int i = g->leaving[n]; i < g->leaving[n + 1]; i++)
                    reach(s->useful, queue, &tail, s->lands[i], bit);
            } else {
                for (int i = back.first[n]; i < back.first[n + 1]; i++)
                    reach(s->useful, queue, &tail, back.from[i], bit);
            }
        }
    }
    for (int n = 0; n < g->nodes; n++) s->useful[n] = s->useful[n] == 3;
    return true;
}

/* ---- places and steps ------------------------------------------------------------------------ */

static bool leads_on(const search *s, int node)
{
    int next = s->graph->next[node];
    return next >= 0 && s->useful[next];
}

static void put(search *s, int *count, step added)
{
    if (s->steps) s->steps[*count] = added;
    ++*count;
}

static int frame_parts(const search *s)
{
    int parts = (int)lround(FRAME * (1 - s->graph->def.smoothness));
    return parts < 1 ? 1 : parts;
}

static int list_steps(search *s)
{
    const marey_graph *g = s->graph;
    int count = 0;
    for (int p = 0; p < s->places; p++) {
        int n = s->node[p], frames = 0, at = n;
        s->first[p] = count;
        for (int i = g->leaving[n]; i < g->leaving[n + 1]; i++) {
            int to = s->lands[i];
            if (to < 0 || !s->useful[to]) continue;
            /* In parts of a frame, as all steps. */
            double share = g->def.smoothness;
            double cost =
                (1 - share) + share * (double)g->transitions[i].distance / g->def.threshold;
            int parts = (int)lround(FRAME * cost), stay = mry_dwell_stay(g, i, s->least);
            if (s->detour) stay += s->detour[i];
            int length = (parts < 1 ? 1 : parts) + (stay - 1) * frame_parts(s);
            put(s, &count, (step){ s->place[to], length, i });
        }
        while (leads_on(s, at)) {
            at = g->next[at];
            frames++;
            if (s->place[at] >= 0) break;
        }
        if (frames == 0) continue;
        int64_t cost = (int64_t)frame_parts(s) * frames;
        int length = cost < MOST_COST ? (int)cost : MOST_COST;
        put(s, &count, (step){ s->place[at], length, -1 });
    }
    s->first[s->places] = count;
    return count;
}

static bool find_steps(search *s, mry_arena *mem, mry_arena *tmp)
{
    /* Places: something arrives or leaves, or a sequence begins or ends there. */
    const marey_graph *g = s->graph;
    uint8_t *choice = MRY_NEW(tmp, uint8_t, g->nodes);
    s->place = MRY_NEW_RAW(mem, int, g->nodes);
    if (!choice || !s->place) return false;
    for (int i = 0; i < g->transition_count; i++) {
        int from = g->transitions[i].from, to = s->lands[i];
        if (to < 0 || !s->useful[from] || !s->useful[to]) continue;
        choice[from] = choice[to] = 1;
    }
    for (int n = 0; n < g->nodes; n++) {
        int before = g->before[n];
        bool begins = before < 0 || !s->useful[before];
        bool is = s->useful[n] && (choice[n] || begins || !leads_on(s, n));
        s->place[n] = is ? s->places++ : -1;
    }
    s->node = MRY_NEW_RAW(mem, int, (size_t)s->places + 1);
    if (!s->node) return false;
    for (int n = 0; n < g->nodes; n++) {
        if (s->place[n] >= 0) s->node[s->place[n]] = n;
    }
    s->first = MRY_NEW(mem, int, (size_t)s->places + 1);
    if (!s->first) return false;
    int count = list_steps(s);
    s->steps = MRY_NEW_RAW(mem, step, (size_t)count + 1);
    s->taken = MRY_NEW(mem, uint8_t, (size_t)count + 1);
    s->chosen = MRY_NEW(mem, uint8_t, (size_t)s->places + 1);
    s->source = MRY_NEW_RAW(mem, int, (size_t)s->places + 1);
    if (!s->steps || !s->taken || !s->chosen || !s->source) return false;
    list_steps(s);
    for (int i = 0; i < count; i++) {
        double cost = ceil(s->mu * s->steps[i].cost);
        if (cost > s->most) s->most = (int)fmin(cost, MOST_COST);
    }
    for (int p = 0; p < s->places; p++) {
        if (s->node[p] >= g->originals) continue;
        s->chosen[p] = 1;
        bool leaves = s->first[p] < s->first[p + 1] && s->steps[s->first[p]].transition >= 0;
        if (leaves) s->source[s->sources++] = p;
    }
    return true;
}

static int by_node(const void *left, const void *right)
{
    const passing *a = left, *b = right;
    if (a->node != b->node) return a->node < b->node ? -1 : 1;
    return (a->step > b->step) - (a->step < b->step);
}

/* Transitions into the beginnings of captured sequences, up to where any of them lands. */
static bool find_passings(search *s, mry_arena *mem, mry_arena *tmp)
{
    const marey_graph *g = s->graph;
    uint8_t *free_at = MRY_NEW(tmp, uint8_t, g->nodes);
    if (!free_at) return false;
    for (int i = 0; i < s->first[s->places]; i++) {
        if (s->steps[i].transition >= 0) free_at[s->node[s->steps[i].to]] = 1;
    }
    for (int n = 0; n < g->originals; n++) free_at[n] |= g->before[n] >= 0 && free_at[g->before[n]];
    for (int pass = 0; pass < 2; pass++) {
        int count = 0;
        for (int p = 0; p < s->places; p++) {
            for (int i = s->first[p]; i < s->first[p + 1]; i++) {
                int to =
                    s->steps[i].transition < 0 ? -1 : g->transitions[s->steps[i].transition].to;
                if (to < 0 || to >= g->originals || free_at[to]) continue;
                if (pass) s->passings[count] = (passing){ to, p, i };
                count++;
            }
        }
        s->passing_count = count;
        if (!pass) s->passings = MRY_NEW_RAW(mem, passing, (size_t)count + 1);
        if (!s->passings) return false;
    }
    qsort(s->passings, (size_t)s->passing_count, sizeof *s->passings, by_node);
    return true;
}

/* ---- Dijkstra -------------------------------------------------------------------------------- */

/* Room for one search at a time. Places wait in lists by the cost they were found at, modulo the
   number of buckets. */
typedef struct room {
    int64_t *cost; /* of places; -1: not reached */
    int *by;       /* the step that leads there */
    int *from;     /* and from where */
    int *stamp;    /* seen by the search of this number */
    uint8_t *done;
    int buckets;
    int *head;  /* of each bucket; -1 */
    int *link;  /* of each entry .. */
    int *entry; /* .. its place */
    int entries, most_entries, unused;
} room;

static void enqueue(room *r, int place, int64_t cost)
{
    int at = r->unused;
    if (at >= 0)
        r->unused = r->link[at];
    else
        at = r->entries++;
    int bucket = (int)(cost % r->buckets);
    r->entry[at] = place;
    r->link[at] = r->head[bucket];
    r->head[bucket] = at;
}

static void find_paths(const search *s, room *r, int source)
{
    memset(r->cost, -1, (size_t)s->places * sizeof *r->cost);
    memset(r->done, 0, (size_t)s->places);
    r->entries = 0;
    r->unused = -1;
    r->cost[source] = 0;
    r->from[source] = -1;
    int waiting = 1;
    enqueue(r, source, 0);
    for (int64_t now = 0; waiting > 0; now++) {
        int bucket = (int)(now % r->buckets);
        while (r->head[bucket] >= 0) {
            int at = r->head[bucket], place = r->entry[at];
            r->head[bucket] = r->link[at];
            r->link[at] = r->unused;
            r->unused = at;
            waiting--;
            if (!r->done[place] && r->cost[place] == now) {
                /* Its ways on. */
                r->done[place] = 1;
                for (int i = s->first[place]; i < s->first[place + 1]; i++) {
                    const step *one = &s->steps[i];
                    int to = one->to;
                    if (r->done[to]) continue;
                    bool crosses =
                        s->detour && one->transition >= 0 && s->detour[one->transition] > 0;
                    bool inside =
                        s->mu <= 1 || s->taken[i] ||
                        (one->transition >= 0 && !crosses && s->chosen[place] && s->chosen[to]) ||
                        (one->transition < 0 && s->node[place] < s->graph->originals);
                    int64_t length =
                        inside ? one->cost : (int64_t)fmin(ceil(s->mu * one->cost), s->most);
                    int64_t cost = r->cost[place] + length;
                    if (r->cost[to] >= 0 && r->cost[to] <= cost) continue;
                    r->cost[to] = cost;
                    r->by[to] = i;
                    r->from[to] = place;
                    enqueue(r, to, cost);
                    ++waiting;
                }
            }
        }
    }
}

/* Back from a place that was reached, as far as a way that was marked for this source already. */
static void mark_back(search *s, room *r, int place, int number)
{
    for (int at = place; r->stamp[at] != number && r->from[at] >= 0; at = r->from[at]) {
        r->stamp[at] = number;
        __atomic_store_n(&s->taken[r->by[at]], 1, __ATOMIC_RELAXED);
        __atomic_store_n(&s->chosen[at], 1, __ATOMIC_RELAXED);
    }
}

/* The best way to pass each original at the beginning of a sequence. */
static void mark_passings(search *s, room *r, int number)
{
    const marey_graph *g = s->graph;
    const passing *best = NULL; /* up to here in this sequence */
    int64_t least = 0;
    for (int i = 0; i < s->passing_count; i++) {
        const passing *one = &s->passings[i];
        const step *over = &s->steps[one->step];
        for (int n = best ? best->node + 1 : 0; best && n <= one->node; n++) {
            if (g->before[n] < 0) best = NULL;
        }
        if (r->cost[one->place] < 0) continue;
        int stay = mry_dwell_stay(g, over->transition, s->least);
        int64_t cost = r->cost[one->place] + over->cost - (int64_t)(stay - 1) * frame_parts(s);
        if (best && least + (int64_t)(one->node - best->node) * frame_parts(s) <= cost) continue;
        best = one;
        least = cost;
        mark_back(s, r, one->place, number);
        __atomic_store_n(&s->taken[one->step], 1, __ATOMIC_RELAXED);
    }
}

/* A batch of searches, one after the other. Bytes only ever become 1, so it does not matter which
   search sets them, or when. */
static void search_some(void *user, int64_t i)
{
    search *s = user;
    marey_ctx *ctx = s->graph->ctx;
    mry_arena tmp = mry_arena_make(ctx);
    size_t places = (size_t)s->places + 1;
    room r = { .buckets = s->most + 1, .most_entries = s->first[s->places] + 2 };
    r.cost = MRY_NEW_RAW(&tmp, int64_t, places);
    r.by = MRY_NEW_RAW(&tmp, int, places);
    r.from = MRY_NEW_RAW(&tmp, int, places);
    r.stamp = MRY_NEW(&tmp, int, places);
    r.done = MRY_NEW(&tmp, uint8_t, places);
    r.head = MRY_NEW_RAW(&tmp, int, (size_t)r.buckets);
    r.link = MRY_NEW_RAW(&tmp, int, (size_t)r.most_entries);
    r.entry = MRY_NEW_RAW(&tmp, int, (size_t)r.most_entries);
    if (!r.cost || !r.by || !r.from || !r.stamp || !r.done || !r.head || !r.link || !r.entry)
        s->failed = true;
    else
        memset(r.head, -1, (size_t)r.buckets * sizeof *r.head);
    int first = (int)i * s->batch;
    int end = s->sources - first < s->batch ? s->sources : first + s->batch;
    for (int k = first; k < end && !s->failed; k++) {
        bool alone = s->mu > 1;
        if (alone ? !mry_progress(ctx, "choosing nodes", k, s->sources) : mry_cancelled(ctx)) break;
        find_paths(s, &r, s->source[k]);
        for (int p = 0; p < s->places && s->node[p] < s->graph->originals; p++) {
            if (r.cost[p] >= 0) mark_back(s, &r, p, k + 1);
        }
        mark_passings(s, &r, k + 1);
    }
    mry_arena_free(&tmp);
}

marey_status mry_graph_reduce(const marey_graph *graph, const int *detour, uint8_t *nodes,
                              uint8_t *transitions, marey_error *error)
{
    mry_arena mem = mry_arena_make(graph->ctx), tmp = mry_arena_make(graph->ctx);
    search s = { .graph = graph,
                 .least = mry_dwell_frames(graph, graph->def.dwell_s),
                 .detour = detour,
                 .mu = graph->def.suboptimality,
                 .batch = BATCH };
    marey_status status = MAREY_OK;
    if (!mry_progress(graph->ctx, "choosing nodes", 0, 1))
        status = mry_fail_cancelled(error);
    else if (!find_useful(&s, &mem, &tmp) || !find_steps(&s, &mem, &tmp) ||
             !find_passings(&s, &mem, &tmp))
        status = mry_fail_memory(error, NULL);
    if (!status && s.mu <= 1) {
        marey_ctx_run(graph->ctx, (s.sources + BATCH - 1) / BATCH, search_some, &s);
    } else if (!status) {
        s.batch = s.sources;
        search_some(&s, 0);
    }
    if (!status && mry_cancelled(graph->ctx)) status = mry_fail_cancelled(error);
    if (!status && s.failed) status = mry_fail_memory(error, NULL);
    if (!status) {
        /* What lies on the paths that were found. */
        memset(nodes, 1, (size_t)graph->originals);
        for (int p = 0; p < s.places; p++) {
            for (int i = s.first[p]; i < s.first[p + 1]; i++) {
                if (!s.taken[i]) continue;
                nodes[s.node[p]] = nodes[s.node[s.steps[i].to]] = 1;
                int over = s.steps[i].transition;
                if (over >= 0) {
                    transitions[over] = 1;
                    for (int n = graph->transitions[over].to; n != s.lands[over];
                         n = graph->next[n])
                        nodes[n] = 1;
                    continue;
                }
                for (int n = s.node[p]; n != s.node[s.steps[i].to]; n = graph->next[n])
                    nodes[n] = 1;
            }
        }
    }
    mry_arena_free(&tmp);
    mry_arena_free(&mem);
    return status;
}

/* ---- leaving out what is not needed --------------------------------------------------------- */

/* A graph without the nodes and transitions that it can do without, and without their memory. */

marey_status mry_graph_compact(marey_graph *graph, const uint8_t *nodes, const uint8_t *transitions,
                               marey_error *error)
{
    mry_arena tmp = mry_arena_make(graph->ctx);
    int *number = MRY_NEW_RAW(&tmp, int, graph->nodes), count = 0, kept = 0;
    size_t staying = 1; /* one more than transitions */
    for (int i = 0; i < graph->transition_count; i++) staying += transitions[i] != 0;
    marey_graph_transition *links = MRY_NEW_RAW(&tmp, marey_graph_transition, staying);
    mry_floor *places = MRY_NEW_RAW(&tmp, mry_floor, staying);
    uint8_t *half = MRY_NEW_RAW(&tmp, uint8_t, staying);
    bool done = number && links && places && half;
    /* New numbers of the nodes that stay; -1 for others. */
    for (int n = 0; done && n < graph->nodes; n++) number[n] = nodes[n] ? count++ : -1;
    /* Transitions that stay, with the new numbers of their nodes. */
    for (int i = 0; done && i < graph->transition_count; i++) {
        if (!transitions[i]) continue;
        links[kept] = graph->transitions[i];
        links[kept].from = number[graph->transitions[i].from];
        links[kept].to = number[graph->transitions[i].to];
        places[kept] = graph->places[i];
        half[kept++] = graph->half[i];
    }
    /* Nodes that stay move up. */
    for (int n = 0; done && n < graph->nodes; n++) {
        int to = number[n];
        if (to < 0) continue; /* never to a higher number: nothing is overwritten */
        graph->origin[to] = graph->origin[n];
        graph->next[to] = graph->next[n] < 0 ? -1 : number[graph->next[n]];
        graph->before[to] = graph->before[n] < 0 ? -1 : number[graph->before[n]];
        graph->contacts[to] = graph->contacts[n];
        graph->labelled[to] = graph->labelled[n];
        mry_clip_copy_frames(graph->motion, to, graph->motion, n, to == n ? 0 : 1);
    }
    /* Memory for these alone. */
    if (done) graph->nodes = count;
    done = done && mry_graph_grow(graph, count) && mry_graph_take_transitions(graph, kept);
    if (done) {
        memcpy(graph->transitions, links, (size_t)kept * sizeof *links);
        memcpy(graph->places, places, (size_t)kept * sizeof *places);
        memcpy(graph->half, half, (size_t)kept);
        graph->transition_count = kept;
        mry_graph_count_leaving(graph);
    }
    mry_arena_free(&tmp);
    return done ? MAREY_OK : mry_fail_memory(error, NULL);
}
