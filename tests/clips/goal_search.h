/* goal_search.h - what a search for a walk with goals needs, opened and closed. */
#ifndef MAREY_TEST_GOAL_SEARCH_H
#define MAREY_TEST_GOAL_SEARCH_H

#include "graph/walk_path.h"
#include "support.h"

typedef struct setting {
    marey_ctx *ctx;
    marey_graph *graph;
    mry_arena tmp;
    mry_ways ways;
    mry_tracks tracks;
    mry_goals goals;
    mry_path_task task;
    const marey_walk_def *def;
} setting;

static inline void set_up(setting *s, marey_graph *graph, const marey_walk_def *def)
{
    *s = (setting){ .ctx = graph->ctx, .graph = graph, .def = def };
    s->tmp = mry_arena_make(s->ctx);
    assert_int_equal(mry_ways_open(&s->ways, &s->tmp, graph, &(marey_walk_def){ 0 }, NULL), 0);
    assert_true(mry_tracks_open(&s->tracks, &s->tmp, &s->ways));
    assert_int_equal(mry_goals_open(&s->goals, &s->tmp, &s->tracks, def, NULL), 0);
    s->task = (mry_path_task){ .tracks = &s->tracks,
                               .goals = &s->goals,
                               .goal = s->goals.end,
                               .obstacles = def->obstacles,
                               .obstacle_count = def->obstacle_count };
}

static inline void take_down(setting *s)
{
    mry_arena_free(&s->tmp);
}
OWNED_VALUE(setting, take_down)

static inline mry_path_search search(const setting *s, double cell_cm, int64_t effort)
{
    mry_path_search search = { .task = s->task, .effort = effort };
    assert_true(mry_path_open_make(&search.open, s->ctx, &s->task, cell_cm));
    assert_int_equal(mry_path_search_run(&search, -1, NULL), MAREY_OK);
    return search;
}

static inline void search_end(mry_path_search *search)
{
    mry_path_open_free(&search->open);
}
OWNED_VALUE(mry_path_search, search_end)

#endif
