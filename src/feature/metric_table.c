/* metric_table.c - the ways to measure how far two frames are from each other (Guan & Yang, sections 2 to 4). */
#include "feature/feature_data.h"

#include <string.h>

static const marey_metric table[MRY_METRIC_COUNT] = {
    [MRY_METRIC_POINTS] = { .name = "points",
                            .description = "point clouds of a window, laid on each other on the "
                                           "floor (Kovar & Gleicher)",
                            .unit = "cm2",
                            .window = 5 },
    [MRY_METRIC_ANGLES] = { .name = "angles",
                            .description = "joint angles and velocities (Lee et al.)",
                            .unit = "",
                            .window = 1,
                            .attribute_count = 3,
                            .attributes = { "root", "angles", "velocities" } },
    [MRY_METRIC_POSITIONS] = { .name = "positions",
                               .description = "joint positions and velocities, root velocity and "
                                              "acceleration (Arikan & Forsyth)",
                               .unit = "",
                               .window = 1,
                               .attribute_count = 4,
                               .attributes = { "positions", "velocities", "root_velocity",
                                               "root_acceleration" } },
    [MRY_METRIC_CURVATURE] = { .name = "curvature",
                               .description = "relative positions, then the curvature of the "
                                              "joints' paths (Guan & Yang)",
                               .unit = "",
                               .window = MRY_CURVATURE_WINDOW },
    [MRY_METRIC_TRANSITION] = { .name = "transition",
                                .description = "how far the joints jump in a cut, roots laid on "
                                               "each other (D_p of Guan & Yang)",
                                .unit = "cm",
                                .window = MRY_JUDGE_WINDOW },
};

const marey_metric *marey_metric_find(int index)
{
    return index >= 0 && index < MRY_METRIC_COUNT ? &table[index] : NULL;
}

const marey_metric *marey_metric_named(const char *name)
{
    for (int i = 0; i < MRY_METRIC_COUNT; i++) {
        if (strcmp(name, table[i].name) == 0) return &table[i];
    }
    return NULL;
}
