/* walk_report.c - how a made walk went: its transitions, and whether anything jumps. */
#include "graph/walk_data.h"

#include "math/quat.h"

#include <math.h>

typedef struct stepping {
    const mry_walker *w;
    int parts;          /* that the way from one node to the next is looked at in */
    double *last, *now; /* places of all joints */
    marey_clip *pose;   /* a single frame */
} stepping;

static bool open(stepping *s, mry_arena *tmp, const mry_walker *w)
{
    int joints = w->made->skeleton.joint_count;
    *s = (stepping){ .w = w,
                     .parts = (int)fmax(ceil(w->made->fps / w->graph->fps - 1e-6), 1),
                     .last = MRY_NEW_RAW(tmp, double, 3 * joints),
                     .now = MRY_NEW_RAW(tmp, double, 3 * joints),
                     .pose = mry_clip_make_like(w->graph->motion, 1, w->made->fps) };
    return s->last && s->now && s->pose;
}

/* From the places that were looked at last to those of now, which are the last ones then. */
static double largest_step(stepping *s)
{
    double most = 0, *last = s->last;
    for (int j = 0; j < 3 * s->w->made->skeleton.joint_count; j += 3) {
        double step = mry_distance3(last + j, s->now + j);
        if (step > most) most = step;
    }
    s->last = s->now;
    s->now = last;
    return most;
}

/* The fastest that any joint is between two nodes one behind the other, in cm/s, at the made clip's rate. around[1] and
   around[2] are the two; 0 if either is not there. */
static double speed_between(stepping *s, const int *around)
{
    const marey_clip *clip = s->w->graph->motion;
    double most = 0;
    if (around[1] < 0 || around[2] < 0) return 0;
    marey_clip_positions(clip, around[1], 1, s->last);
    for (int k = 1; k < s->parts; k++) {
        mry_walk_between(clip, around, (double)k / s->parts, mry_place(s->pose, 0),
                         mry_turn(s->pose, 0));
        marey_clip_positions(s->pose, 0, 1, s->now);
        double step = largest_step(s);
        if (step > most) most = step;
    }
    marey_clip_positions(clip, around[2], 1, s->now);
    return fmax(most, largest_step(s)) * s->parts * s->w->graph->fps;
}

static double node_speed(stepping *s, int from, int to)
{
    const marey_graph *graph = s->w->graph;
    int around[4] = { from < 0 ? -1 : graph->before[from], from, to,
                      to < 0 ? -1 : graph->next[to] };
    return speed_between(s, around);
}

/* Over a transition, the motions' own are the steps that the first would make and the second does make there. */
static double own_speed(stepping *s, int frame)
{
    const marey_graph *graph = s->w->graph;
    int from = s->w->walk->nodes[frame - 1], to = s->w->walk->nodes[frame];
    if (s->w->step[frame] < 0) return node_speed(s, from, to);
    return fmax(node_speed(s, from, graph->next[from]), node_speed(s, graph->before[to], to));
}

static double made_speed(stepping *s)
{
    const marey_clip *made = s->w->made;
    double most = 0;
    marey_clip_positions(made, 0, 1, s->last);
    for (int f = 1; f < made->frames; f++) {
        marey_clip_positions(made, f, 1, s->now);
        double step = largest_step(s);
        if (step > most) most = step;
    }
    return most * made->fps;
}

bool mry_walk_report(const mry_walker *w, marey_walk_made *about)
{
    const marey_graph *graph = w->graph;
    mry_arena tmp = mry_arena_make(w->ctx);
    stepping s;
    double own = 0, quality = 0;
    bool room = open(&s, &tmp, w);
    *about = (marey_walk_made){ 0 };
    for (int f = 1; f < w->walk->count && room; f++) {
        own = fmax(own, own_speed(&s, f));
        if (w->step[f] < 0) continue;
        double distance = (double)graph->transitions[w->step[f]].distance;
        about->transitions++;
        quality += graph->def.sigma > 0 ? exp(-distance / graph->def.sigma) : 1;
    }
    about->mean_quality = about->transitions ? quality / about->transitions : 1;
    if (room) {
        about->jump_ratio = fmax(made_speed(&s), MAREY_GRAPH_STILL) / fmax(own, MAREY_GRAPH_STILL);
    }
    marey_clip_free(s.pose);
    mry_arena_free(&tmp);
    return room;
}
