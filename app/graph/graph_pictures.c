/* graph_pictures.c - motion graphs as matrices: where the motion may go on unnoticed, and which
   frames can be reached. */
#include "motion_graphs.h"

typedef marey_status save_picture(marey_ctx *ctx, const marey_graph *graph,
                                  const marey_graph_picture_def *def, const char *path,
                                  marey_error *error);

static marey_status draw(const app_env *env, save_picture *save, const char *name,
                         const marey_graph *graph, const marey_parts *parts, const char *path,
                         marey_error *error)
{
    const char **names = APP_NEW(env->scope, const char *, parts->count);
    if (!names) return app_fail_memory(error);
    for (int i = 0; i < parts->count; i++) names[i] = parts->names[i].name;
    marey_graph_picture_def def = { .title = name, .names = names };
    return save(env->ctx, graph, &def, path, error);
}

/* ---- one that was built ---------------------------------------------------------------------- */

static marey_status built_matrix(const app_env *env, const void *params, void *result,
                                 const app_drawing_def *def, const char *path, marey_error *error)
{
    const app_graph_built *of = result;
    const char *name = ((const app_graph_recipe *)params)->name;
    (void)def;
    return draw(env, marey_graph_matrix_save, name, of->graph, of->parts, path, error);
}

static marey_status built_closure(const app_env *env, const void *params, void *result,
                                  const app_drawing_def *def, const char *path, marey_error *error)
{
    const app_graph_built *of = result;
    const char *name = ((const app_graph_recipe *)params)->name;
    (void)def;
    return draw(env, marey_graph_closure_save, name, of->graph, of->parts, path, error);
}

/* ---- one that is saved ----------------------------------------------------------------------- */

static marey_status saved_matrix(const app_env *env, const void *params, void *result,
                                 const app_drawing_def *def, const char *path, marey_error *error)
{
    const app_saved_graph *of = ((const app_graph_measured *)result)->saved;
    (void)params, (void)def;
    return draw(env, marey_graph_matrix_save, of->name, of->graph, of->parts, path, error);
}

static marey_status saved_closure(const app_env *env, const void *params, void *result,
                                  const app_drawing_def *def, const char *path, marey_error *error)
{
    const app_saved_graph *of = ((const app_graph_measured *)result)->saved;
    (void)params, (void)def;
    return draw(env, marey_graph_closure_save, of->name, of->graph, of->parts, path, error);
}

/* ---- what there is --------------------------------------------------------------------------- */

#define MATRIX                                                                                     \
    "which frames can follow which, bright where it would go unnoticed, with the graph's "         \
    "transitions as dots"
#define CLOSURE "which frames can be reached from which"

const app_drawing app_graph_built_pictures[] = {
    { "matrix", MATRIX, built_matrix },
    { "closure", CLOSURE, built_closure },
    { 0 },
};

const app_drawing app_graph_measured_pictures[] = {
    { "matrix", MATRIX, saved_matrix },
    { "closure", CLOSURE, saved_closure },
    { 0 },
};
