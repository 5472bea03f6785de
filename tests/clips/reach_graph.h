/* reach_graph.h - a motion graph of walks and a family of reaches that stands in it, as a fixture. */
#ifndef MAREY_TEST_REACH_GRAPH_H
#define MAREY_TEST_REACH_GRAPH_H

#include "demo_graph.h"
#include "reaches.h"

#include <marey/request.h>
#include <stdlib.h>

typedef struct reach_graph {
    demo_graph *of;
    test_examples reaches;
    marey_family *family; /* of twelve right reaches, by the wrist */
    marey_graph_family *joined;
} reach_graph;

static inline marey_family *reach_graph_family(marey_ctx *ctx, const test_examples *of,
                                               const char *text)
{
    marey_param param;
    marey_registration_def registration = { .reference = 1 };
    marey_family_def def = { .params = &param, .param_count = 1, .registration = &registration };
    marey_family *family = NULL;
    marey_error error = { 0 };
    test_fine(marey_param_parse(text, &param, &error), &error);
    test_fine(marey_family_build(ctx, of->clips, of->count, of->contacts, &def, &family, &error),
              &error);
    return family;
}

static inline int reach_graph_set_up(void **state)
{
    static const char *const names[] = { "reach_right", "walk_straight", "walk_left",
                                         "walk_right" };
    reach_graph *f = calloc(1, sizeof *f);
    marey_error error = { 0 };
    f->of = demo_graph_takes(names, 4);
    f->of->graph = demo_graph_build(f->of->ctx, f->of->clips, 4, NULL);
    test_examples_make(f->of->ctx, "reach", "right", 12, &f->reaches);
    f->family = reach_graph_family(f->of->ctx, &f->reaches, "position(right_wrist, apex, start)");
    test_fine(
        marey_graph_family_join(f->of->ctx, f->of->graph, f->family, "reach", &f->joined, &error),
        &error);
    *state = f;
    return 0;
}

static inline int reach_graph_tear_down(void **state)
{
    reach_graph *f = *state;
    void *of = f->of;
    marey_graph_family_free(f->joined);
    marey_family_free(f->family);
    test_examples_free(&f->reaches);
    demo_graph_tear_down(&of);
    free(f);
    return 0;
}

/* What some blend does: the samples are such. */
static inline const double *some_values(const reach_graph *f, int number)
{
    int count;
    const double *values = marey_family_samples(f->family, &count);
    return values + 3 * (number * 37 % count);
}

#endif
