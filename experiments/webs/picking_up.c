/* picking_up.c - picking up against putting back (webs, figure 6.12): the authors' system took the
   one for the other. Cuts of HDM05: a thing is taken from a high shelf, or put down on the floor,
   with the right hand. */
#include "web_lab.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const classes[2] = { "grabHighR", "depositFloorR" };
static const int cuts[2] = { 4, 6 };

static void load_cuts(web_set *set)
{
    char path[2048], name[64];
    for (int c = 0; c < 2; c++) {
        for (int i = 1; i <= cuts[c]; i++) {
            snprintf(name, sizeof name, "HDM_bd_%s_%03d_120", classes[c], i);
            snprintf(path, sizeof path, "%s/hdm05/%s/%s.amc", set->mocap, classes[c], name);
            set_add(set, path, name, classes[c]);
        }
    }
}

/* The least distance of any match in each clip; infinite without a match. */
static void search_clips(const web_set *set, int query, double *least)
{
    marey_webs webs = set_webs(set);
    marey_search_def def = { .threshold = MAREY_WEB_CEILING, .tiers = 1 };
    marey_segment at = { query, 0, marey_features_rows(set->features[query]) };
    marey_match_graph *graph;
    marey_error error;
    int count;
    web_must(marey_search(set->ctx, &webs, at, &def, &graph, &error), &error);
    const marey_found *found = marey_match_graph_nodes(graph, &count);
    for (int i = 0; i < set->count; i++) least[i] = INFINITY;
    for (int i = 0; i < count; i++) {
        least[found[i].at.clip] = fmin(least[found[i].at.clip], found[i].distance);
    }
    marey_match_graph_free(graph);
}

typedef struct reached {
    int pairs, met;
    double sum, most, least;
} reached;

static void print_pair(const char *from, const char *to, const reached *r)
{
    printf("| %s | %s | %d | %d |", from, to, r->pairs, r->met);
    if (r->met == 0) {
        printf(" - | - | - |\n");
        return;
    }
    printf(" %.0f | %.0f | %.0f |\n", r->least, r->sum / r->met, r->most);
}

void experiment_picking_up(const web_set *like)
{
    web_set *set = web_room(sizeof *set);
    reached all[2][2] = { 0 };
    set->ctx = like->ctx;
    set->mocap = like->mocap;
    load_cuts(set);
    set_features(set, NULL);
    set_build(set, -1, NULL);
    for (int q = 0; q < set->count; q++) {
        double least[MOST_CLIPS];
        search_clips(set, q, least);
        for (int c = 0; c < set->count; c++) {
            reached *r = &all[set->category[q]][set->category[c]];
            if (c == q) continue;
            r->pairs++;
            if (isinf(least[c])) continue;
            if (r->met++ == 0) r->least = least[c];
            r->sum += least[c];
            r->most = fmax(r->most, least[c]);
            r->least = fmin(r->least, least[c]);
        }
    }
    printf("\n## Picking up against putting back\n\nWhole cuts as queries, first tier, at the "
           "ceiling; "
           "cm2.\n\n| query | searched | pairs | found | least | mean | most |\n"
           "|---|---|---|---|---|---|---|\n");
    for (int a = 0; a < 2; a++) {
        for (int b = 0; b < 2; b++) print_pair(classes[a], classes[b], &all[a][b]);
    }
    set_free(set);
    free(set);
}
