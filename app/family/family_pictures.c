/* family_pictures.c - families as the space of their numbers. */
#include "families.h"

static marey_status draw(const app_env *env, const char *name, const marey_family *family,
                         const char *path, marey_error *error)
{
    marey_family_picture_def def = { .title = name };
    return marey_family_picture_save(env->ctx, family, &def, path, error);
}

static marey_status draw_built(const app_env *env, const void *params, void *result,
                               const app_drawing_def *def, const char *path, marey_error *error)
{
    const app_family_built *of = result;
    (void)def;
    return draw(env, ((const app_family_recipe *)params)->name, of->made.family, path, error);
}

static marey_status draw_pruned(const app_env *env, const void *params, void *result,
                                const app_drawing_def *def, const char *path, marey_error *error)
{
    const app_pruned *of = result;
    (void)params, (void)def;
    return draw(env, of->name, of->made.family, path, error);
}

static marey_status draw_shown(const app_env *env, const void *params, void *result,
                               const app_drawing_def *def, const char *path, marey_error *error)
{
    const app_saved_family *of = ((const app_family_shown *)result)->from;
    (void)params, (void)def;
    return draw(env, of->name, of->family, path, error);
}

#define SPACE "what the examples do, numbered, and what blends of them do, along pairs of axes"

const app_drawing app_family_built_pictures[] = { { "space", SPACE, draw_built }, { 0 } };
const app_drawing app_family_pruned_pictures[] = { { "space", SPACE, draw_pruned }, { 0 } };
const app_drawing app_family_shown_pictures[] = { { "space", SPACE, draw_shown }, { 0 } };
