/* graph_lab_seen.c - see graph_lab.h: walks as the program finds them, searched again without the
   transitions at which eyes would see a fault. */
#include "graph_lab.h"

#include <string.h>

enum { MOST_FAULTS = 256, MOST_SEARCHES = 100, MOST_PATH_SEARCHES = 6 };

typedef struct seen {
    int count;
    marey_walk_fault faults[MOST_FAULTS];
} seen;

static void look(const lab *of, const marey_graph *graph, const marey_walk *walk, seen *out)
{
    marey_walk_make_def def = { .leave_feet = true, .fps = marey_graph_fps(graph) };
    marey_made made;
    marey_error error;
    lab_need(marey_walk_make(of->ctx, graph, walk, &def, &made, NULL, &error), &error);
    lab_need(marey_walk_faults(of->ctx, graph, walk, made.clip, out->faults, MOST_FAULTS,
                               &out->count, &error),
             &error);
    marey_made_free(&made);
}

/* Adds the transitions of a walk that have faults to those that are barred; how many there are. */
static int bar(const marey_graph *graph, const marey_walk *walk, const seen *at, int *barred,
               int count)
{
    int all, first;
    const marey_graph_transition *over = marey_graph_transitions(graph, &all);
    for (int i = 0; i < at->count; i++) {
        const int *to = walk->nodes + at->faults[i].transition;
        int end = marey_graph_leaving(graph, to[-1], &first) + first;
        while (first < end && over[first].to != *to) first++;
        if (first < end) barred[count++] = first;
    }
    return count;
}

bool lab_walk_seen(const lab *of, const marey_graph *graph, marey_walk_def def, marey_walk *out,
                   int *faults)
{
    static int barred[MOST_FAULTS * MOST_SEARCHES];
    seen least, now;
    marey_error error;
    marey_walk walk;
    if (marey_graph_walk(of->ctx, graph, &def, out, &error)) return false;
    look(of, graph, out, &least);
    now = least;
    def.barred = barred;
    def.barred_count = bar(graph, out, &now, barred, 0);
    bool long_one = def.kind == MAREY_WALK_PATH || def.kind == MAREY_WALK_GOALS;
    int most = long_one ? MOST_PATH_SEARCHES : MOST_SEARCHES;
    for (int i = 1; i < most && least.count > 0 && now.count > 0; i++) {
        if (marey_graph_walk(of->ctx, graph, &def, &walk, &error)) break; /* there is no other */
        look(of, graph, &walk, &now);
        def.barred_count = bar(graph, &walk, &now, barred, def.barred_count);
        bool near = walk.arrived || (!out->arrived && walk.goal_worst_cm <= out->goal_worst_cm);
        if (now.count < least.count && near) {
            marey_walk swap = *out;
            *out = walk;
            walk = swap;
            least = now;
        }
        marey_walk_free(&walk);
    }
    *faults = least.count;
    return true;
}
