/* motion_graphs.h - parameters and results of the operations of motion graphs. Read after operation.h; the program shows the
   results. */
#ifndef MAREY_APP_MOTION_GRAPHS_H
#define MAREY_APP_MOTION_GRAPHS_H

#include "metric_params.h"
#include "operation.h"
#include "saved.h"
#include "saved_things.h"

/* ---- saved graphs -------------------------------------------------------------------------------- */

/* One that is open. What is worked out on the way is kept with it. */
typedef struct app_saved_graph {
    const char *name;
    marey_parts *parts;
    marey_graph *graph;
    bool measured;
    marey_graph_stats stats; /* if measured */
    bool timed;
    double joint_cm_per_s, knee_cm_per_s; /* the fastest of its clips, if timed */
} app_saved_graph;

/* Through env->cache; see app_saved_open. INPUT: a clip of it is gone. NOT_FOUND: there is none of that name. */
marey_status app_graph_open(const app_env *env, const char *name, app_saved_graph **out,
                            marey_error *error);

/* What is noted of the policy that is saved with a graph. */
typedef struct app_policy_notes {
    bool there;
    double directions;  /* NaN: not noted */
    app_numbers speeds; /* none: not noted */
    int64_t bytes;
} app_policy_notes;

marey_status app_graph_policy_notes(const app_env *env, const char *name, app_policy_notes *out,
                                    marey_error *error);

/* ---- build, sweep -------------------------------------------------------------------------------- */

enum { APP_GRAPH_THRESHOLDS = 64 };

/* Which clips, and how a graph is made of them. */
typedef struct app_graph_recipe {
    app_params given;
    const char *name; /* NULL of a sweep */
    app_texts clips;  /* none: those with the label, or all */
    const char *label;
    int kind;
    double threshold, sigma, fps; /* 0: the default */
    app_document behaviours;
    app_numbers weights;
    double mu, smoothness;
    bool only_smooth, unreduced;
    app_numbers sweep;
    bool quick; /* a sweep without the mean time */
    app_metric_params metric;
} app_graph_recipe;

/* Measures of graphs with the thresholds of a sweep. */
typedef struct app_graph_sweep_rows {
    marey_graph_stats *rows;
    int count;
} app_graph_sweep_rows;

typedef struct app_graph_built {
    marey_parts *parts;
    marey_graph *graph; /* NULL of a sweep */
    marey_graph_stats stats;
    app_graph_sweep_rows sweep;
    double seconds;
    int left_out; /* clips with other joints than the first */
} app_graph_built;

/* ---- stats --------------------------------------------------------------------------------------- */

/* Graphs with more nodes are not measured where that should be quick. */
enum { APP_GRAPH_QUICK_NODES = 20000 };

typedef struct app_graph_stats_params {
    app_params given;
    const char *name;
    app_numbers sweep;
    bool quick;
} app_graph_stats_params;

typedef struct app_graph_measured {
    const app_saved_graph *saved;
    bool measured;
    app_policy_notes policy;
    app_graph_sweep_rows sweep;
} app_graph_measured;

/* ---- ls ------------------------------------------------------------------------------------------ */

/* By what was noted when it was built: it is not opened. */
typedef struct app_graph_listed {
    const char *name;
    const char *kind; /* NULL, NaN: not noted */
    double fps, threshold, frames, nodes, transitions;
    app_texts labels;
    bool policy; /* there is one */
    int64_t bytes;
    app_made_of_list made_of;
} app_graph_listed;

typedef struct app_graph_list {
    const app_graph_listed *graphs;
    int count;
} app_graph_list;

/* ---- train --------------------------------------------------------------------------------------- */

enum { APP_POLICY_SPEEDS = 8 };

typedef struct app_graph_train_params {
    app_params given;
    const char *name;
    int directions;
    app_numbers speeds;
    double discount, poor;
} app_graph_train_params;

typedef struct app_graph_trained {
    marey_policy *policy;
    double seconds;
} app_graph_trained;

/* ---- what they share ----------------------------------------------------------------------------- */

/* "name": ..., and what the graph is. */
void app_graph_write(json *out, const char *name, const marey_graph *graph,
                     const marey_parts *parts);
/* Its measures. */
void app_graph_write_stats(json *out, const marey_graph_stats *stats);
/* Its settings, its stretches of clips, and on whose bones its motion is. */
void app_graph_write_content(json *out, const marey_graph *graph, const marey_parts *parts);
/* "sweep": [...]; nothing where no thresholds were given. */
void app_graph_write_sweep(json *out, const app_graph_sweep_rows *sweep);

marey_status app_graph_sweep_measure(const app_env *env, const marey_parts *parts,
                                     const marey_graph_def *def, const app_numbers *thresholds,
                                     bool quick, app_graph_sweep_rows *out, marey_error *error);

/* Puts a graph into the library, in place of one of that name, noting that `maker` made it with these parameters; rows NULL:
   with none. */
marey_status app_graph_save(const app_env *env, const char *maker, const char *name,
                            const marey_graph *graph, const marey_parts *parts,
                            const app_param *rows, const app_params *params, marey_error *error);

#endif
