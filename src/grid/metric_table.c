/* metric_table.c - the ways to measure how far two frames are from each other (Guan & Yang,
   sections 2 to 4), each one a whole row: what it is called, what its distances mean to later
   stages, and how it is computed. */
#include "grid/grid_data.h"

#include <string.h>

static const mry_metric_row table[] = {
    { .metric = { .name = "points",
                  .description = "point clouds of a window, laid on each other on the floor "
                                 "(Kovar & Gleicher)",
                  .unit = "cm2",
                  .window = 5,
                  .least_window = 1,
                  .squared = true,
                  .can_bound = true,
                  .thresholds = { .cut = MAREY_CUT_LIMIT,
                                  .web_ceiling = MAREY_WEB_CEILING,
                                  .find = MAREY_FIND_THRESHOLD,
                                  .graph = MAREY_GRAPH_CEILING,
                                  .graph_connected = MAREY_GRAPH_CONNECTED_THRESHOLD,
                                  .graph_sigma = MAREY_GRAPH_SIGMA,
                                  .cluster = MAREY_CLUSTER_THRESHOLD } },
      .fill = mry_points_fill,
      .grid = mry_clouds_grid,
      .distance = mry_points_distance },
    { .metric = { .name = "angles",
                  .description = "joint angles and velocities (Lee et al.)",
                  .unit = "",
                  .window = 1,
                  .least_window = 1,
                  .attribute_count = 3,
                  .attributes = { "root", "angles", "velocities" },
                  .options = MAREY_METRIC_FIXED_ROOT },
      .turns = true,
      .levers = true,
      .fill = mry_angles_fill,
      .grid = mry_terms_grid,
      .distance = mry_angles_distance },
    { .metric = { .name = "positions",
                  .description = "joint positions and velocities, root velocity and acceleration "
                                 "(Arikan & Forsyth)",
                  .unit = "",
                  .window = 1,
                  .least_window = 1,
                  .attribute_count = 4,
                  .attributes = { "positions", "velocities", "root_velocity", "root_acceleration" },
                  .options = MAREY_METRIC_STEPS },
      .levers = true,
      .fill = mry_positions_fill,
      .grid = mry_terms_grid,
      .distance = mry_positions_distance },
    { .metric = { .name = "curvature",
                  .description = "relative positions, then the curvature of the joints' paths "
                                 "(Guan & Yang)",
                  .unit = "",
                  .window = MRY_CURVATURE_WINDOW,
                  .least_window = 2,
                  .whole_grid = true,
                  .options = MAREY_METRIC_CANDIDATES },
      .relative = true,
      .fill = mry_curvature_fill,
      .grid = mry_curvature_grid,
      .distance = mry_curvature_distance },
    { .metric = { .name = "transition",
                  .description = "how far the joints jump in a cut, roots laid on each other (D_p "
                                 "of Guan & Yang)",
                  .unit = "cm",
                  .window = MRY_JUDGE_WINDOW,
                  .least_window = 1,
                  .is_judge = true },
      .fill = mry_transition_fill,
      .grid = mry_terms_grid,
      .distance = mry_transition_distance },
};

enum { ROWS = sizeof table / sizeof *table };

/* What own metrics are computed by. What others see of one is its own. */
static const mry_metric_row own_row = { .metric = { .name = "own", .unit = "", .window = 1 },
                                        .fill = mry_own_fill,
                                        .grid = mry_terms_grid,
                                        .distance = mry_own_distance };

const mry_metric_row *mry_metric_row_of(const marey_metric_def *def)
{
    const marey_metric *metric = def->metric;
    if (def->own) return &own_row;
    for (int i = 0; i < ROWS; i++)
        if (metric == &table[i].metric) return &table[i];
    return NULL;
}

const marey_metric *marey_metric_find(int index)
{
    return index >= 0 && index < ROWS ? &table[index].metric : NULL;
}

const marey_metric *marey_metric_named(const char *name)
{
    for (int i = 0; i < ROWS; i++)
        if (strcmp(name, table[i].metric.name) == 0) return &table[i].metric;
    return NULL;
}
