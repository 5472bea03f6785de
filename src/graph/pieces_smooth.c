/* pieces_smooth.c - where two pieces meet, over how many frames is what differs spread? A motion graph has many transitions, and
   reckons with places what jumps (graph_jump.c). Here there are few, and anything may meet anything: a limb that turns fast turns
   it differently bent, and moves farther; a foot that is held stretches its leg. So each seam is made, with some frames around
   it, and looked at. */
#include "base/fail.h"
#include "graph/pieces_data.h"
#include "graph/walk_data.h"

#include <math.h>

/* What is tried, in order, until it is smooth: how long, times what was reckoned, and how much of it before the seam. With all of
   it on one side the other motion stays as it is: an arm half-way between two may swing farther than either. */
static const struct {
    double length, lean;
} tries[] = { { 1, 0.5 },    { 1.5, 0.5 }, { 0.5, 0.5 }, { 2, 0.5 },     { 3, 0.5 },
              { 0.25, 0.5 }, { 4, 0.5 },   { 1, 0 },     { 1, 1 },       { 2, 0 },
              { 2, 1 },      { 0.5, 0 },   { 0.5, 1 },   { 0.125, 0.5 }, { 0.0625, 0.5 } };

enum { TRIES = sizeof tries / sizeof *tries };

/* Frames farther away than anything is spread: what a foot does there may be part of how it is held. */
static int seen(const marey_graph *graph)
{
    return (int)ceil(0.5 * graph->fps);
}

/* The frames that are played around a seam. Returns how many. */
static int take_around(const mry_part *part, int most, int *nodes)
{
    int last = part->first + part->count - 1, count = 0;
    int before = part->count < most ? part->count : most;
    int behind = part[1].count < most ? part[1].count : most;
    for (int k = before - 1; k >= 0; k--) nodes[count++] = last - k;
    for (int k = 0; k < behind; k++) nodes[count++] = part[1].first + k;
    return count;
}

/* The jump ratio of a seam with what the graph says of it. */
static marey_status judge(const mry_parts *parts, const marey_graph *graph, int seam,
                          const marey_walk_make_def *def, int *nodes, double *out,
                          marey_error *error)
{
    marey_walk walk = { .nodes = nodes };
    marey_made made = { 0 };
    marey_walk_made about;
    walk.count = take_around(&parts->items[seam], graph->half[seam] + seen(graph), nodes);
    marey_status status = marey_walk_make(graph->ctx, graph, &walk, def, &made, &about, error);
    if (status) return status;
    marey_made_free(&made);
    *out = about.jump_ratio;
    return MAREY_OK;
}

static marey_status smooth(const mry_parts *parts, marey_graph *graph, int seam,
                           const marey_walk_make_def *def, int *nodes, marey_error *error)
{
    int reckoned = graph->half[seam], best = reckoned;
    double least = INFINITY, lean = 0.5;
    for (int n = 0; n < TRIES && !(least <= graph->def.jump); n++) {
        double jump, half = floor(reckoned * tries[n].length + 0.5);
        if (half < 1 || half > UINT8_MAX) continue;
        graph->half[seam] = (uint8_t)half;
        graph->lean[seam] = tries[n].lean;
        marey_status status = judge(parts, graph, seam, def, nodes, &jump, error);
        if (status) return status;
        if (!(jump < least)) continue;
        least = jump;
        best = (int)half;
        lean = tries[n].lean;
    }
    graph->half[seam] = (uint8_t)best;
    graph->lean[seam] = lean;
    return MAREY_OK;
}

marey_status mry_parts_smooth(const mry_parts *parts, marey_graph *graph,
                              const marey_walk_make_def *def, marey_error *error)
{
    mry_arena tmp = mry_arena_make(graph->ctx);
    int *nodes = MRY_NEW_RAW(&tmp, int, 2 * (UINT8_MAX + seen(graph)));
    marey_status status = nodes ? MAREY_OK : mry_fail_memory(error, NULL);
    for (int seam = 0; seam + 1 < parts->count && !status; seam++)
        status = smooth(parts, graph, seam, def, nodes, error);
    mry_arena_free(&tmp);
    return status;
}
