/* hand_graph.c - small motion graphs made by hand. */
#include "hand_graph.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846
#define FPS 30.0

static void put(char *text, size_t room, size_t *used, const char *line)
{
    size_t count = strlen(line);
    assert_true(*used + count < room);
    memcpy(text + *used, line, count + 1);
    *used += count;
}

static void put_sequence(const hand_sequence *one, char *text, size_t room, size_t *used)
{
    double x = 0, z = 0, direction = one->direction_deg;
    for (int f = 0; f < one->frames; f++) {
        char line[160];
        /* z is ahead where nothing is turned, and that is -90 degrees on the plan. */
        snprintf(line, sizeof line, "%.7f 100 %.7f 0 0 %.7f 0 0 0\n", x, z, direction + 90);
        put(text, room, used, line);
        direction += one->turn_deg_s / FPS;
        x += one->speed_cm_s / FPS * cos(direction * PI / 180);
        z -= one->speed_cm_s / FPS * sin(direction * PI / 180);
    }
}

static marey_clip *make_motion(marey_ctx *ctx, const hand_sequence *sequences, int count, int nodes)
{
    size_t room = 1024 + 160 * (size_t)nodes, used = 0;
    char *text = malloc(room), line[64];
    marey_load_def def = { .units = MAREY_UNITS_RAW, .up = MAREY_UP_Y };
    marey_clip *clip = NULL;
    assert_non_null(text);
    put(text, room, &used,
        "HIERARCHY\nROOT body\n{\nOFFSET 0 0 0\nCHANNELS 6 Xposition Yposition Zposition "
        "Zrotation Xrotation Yrotation\nJOINT top\n{\nOFFSET 0 10 0\nCHANNELS 3 Zrotation "
        "Xrotation Yrotation\nEnd Site\n{\nOFFSET 0 5 0\n}\n}\n}\nMOTION\n");
    snprintf(line, sizeof line, "Frames: %d\nFrame Time: 0.0333333333\n", nodes);
    put(text, room, &used, line);
    for (int i = 0; i < count; i++) put_sequence(&sequences[i], text, room, &used);
    if (marey_clip_load_bytes(ctx, "hand", text, used, &def, &clip, &test_error))
        fail_msg("%s", test_error.message);
    free(text);
    return clip;
}

/* Where a node comes from in one frame. */
static void step_before(const marey_graph *g, int node, double *x, double *z)
{
    const double *here = mry_place(g->motion, node);
    bool last = g->next[node] < 0;
    if (last && g->before[node] < 0) {
        *x = here[0];
        *z = here[2];
        return;
    }
    const double *a = mry_place(g->motion, last ? g->before[node] : node);
    const double *b = mry_place(g->motion, last ? node : g->next[node]);
    *x = here[0] - (b[0] - a[0]);
    *z = here[2] - (b[2] - a[2]);
}

marey_graph *hand_graph_make(marey_ctx *ctx, const hand_sequence *sequences, int sequence_count,
                             const hand_link *links, int link_count)
{
    int nodes = 0;
    for (int i = 0; i < sequence_count; i++) nodes += sequences[i].frames;
    mry_arena mem = mry_arena_make(ctx);
    marey_graph *g = MRY_NEW(&mem, marey_graph, 1);
    assert_non_null(g);
    g->mem = mem;
    g->ctx = ctx;
    g->fps = FPS;
    g->def = (marey_graph_def){ .fps = FPS, .sigma = 10, .threshold = 1, .dwell_s = -1 };
    g->nodes = g->originals = nodes;
    g->motion = make_motion(ctx, sequences, sequence_count, nodes);
    g->origin = MRY_NEW(&g->mem, mry_origin, nodes);
    g->next = MRY_NEW(&g->mem, int, nodes);
    g->before = MRY_NEW(&g->mem, int, nodes);
    g->contacts = MRY_NEW(&g->mem, uint8_t, nodes);
    g->labelled = MRY_NEW(&g->mem, uint64_t, nodes);
    g->transitions = MRY_NEW(&g->mem, marey_graph_transition, link_count + 1);
    g->places = MRY_NEW(&g->mem, mry_floor, link_count + 1);
    g->half = MRY_NEW(&g->mem, uint8_t, link_count + 1);
    g->leaving = MRY_NEW(&g->mem, int, nodes + 1);
    assert_true(g->origin && g->next && g->before && g->contacts && g->labelled && g->transitions &&
                g->places && g->half && g->leaving);
    int node = 0;
    for (int i = 0; i < sequence_count; i++) {
        for (int f = 0; f < sequences[i].frames; f++, node++) {
            g->next[node] = f + 1 < sequences[i].frames ? node + 1 : -1;
            g->before[node] = f > 0 ? node - 1 : -1;
            g->origin[node] = (mry_origin){ .other = -1, .frame = node };
        }
    }
    g->transition_count = link_count;
    for (int i = 0; i < link_count; i++) {
        double x, z, angle = (float)(links[i].turn_deg * PI / 180);
        const double *from = mry_place(g->motion, links[i].from);
        step_before(g, links[i].to, &x, &z);
        mry_floor_turn(angle, &x, &z);
        g->transitions[i] = (marey_graph_transition){ .from = links[i].from,
                                                      .to = links[i].to,
                                                      .distance = (float)links[i].distance,
                                                      .jump = 1 };
        g->places[i] = (mry_floor){ angle, (float)(from[0] - x), (float)(from[2] - z) };
        g->half[i] = 4;
        g->leaving[links[i].from + 1]++;
    }
    for (int n = 0; n < g->nodes; n++) g->leaving[n + 1] += g->leaving[n];
    test_ok(mry_dwell_find(g, &g->mem, 0, INFINITY, NULL, NULL, 0, &g->dwell, NULL));
    return g;
}

marey_graph *hand_graph_crossing(marey_ctx *ctx)
{
    static const hand_sequence ways[] = { { 10, 0, 90, 0 }, { 10, 0, 90, 0 }, { 10, 0, 90, 0 } };
    static const hand_link links[] = {
        { 9, 0, 0, 0 }, { 9, 10, 90, 1 }, { 9, 20, -90, 1 }, { 19, 0, 0, 0 }, { 29, 0, 0, 0 }
    };
    return hand_graph_make(ctx, ways, 3, links, 5);
}

hand_walker *hand_walker_open(bool crossing)
{
    static const hand_sequence way = { 20, 0, 90, 0 };
    hand_walker *w = calloc(1, sizeof *w);
    w->memory.refuse = -1;
    marey_ctx_def open = { .resize = test_memory_resize,
                           .resize_user = &w->memory,
                           .threads = 1,
                           .progress = test_stops_report,
                           .progress_user = &w->stops };
    test_ok(marey_ctx_open(&open, &w->ctx));
    w->stops = (test_stops){ .ctx = w->ctx, .memory = &w->memory };
    w->graph = crossing ? hand_graph_crossing(w->ctx) : hand_graph_make(w->ctx, &way, 1, NULL, 0);
    test_ok(marey_policy_train(w->ctx, w->graph, NULL, &w->policy, NULL));
    return w;
}

void hand_walker_close(hand_walker *walker)
{
    marey_policy_free(walker->policy);
    marey_graph_free(walker->graph);
    test_ctx_close(walker->ctx);
    test_memory_empty(&walker->memory);
    free(walker);
}
