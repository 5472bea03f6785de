/* puppet_pictures.c - puppets as paths on a plan: how one reacts, and what it was shown. */
#include "puppets.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* "follower" of follower.puppet and of demo.marey:follower. */
static void short_puppet(const app_puppet *puppet, char *name, size_t room)
{
    static const char ending[] = ".puppet";
    const char *slash = puppet->library ? NULL : strrchr(puppet->name, '/');
    const char *last = slash ? slash + 1 : puppet->name;
    size_t length = strlen(last);
    if (!puppet->library && path_ends_in(last, ending)) length -= strlen(ending);
    snprintf(name, room, "%.*s", (int)(length < room ? length : room - 1), last);
}

/* Samples of any times; `body` (may be NULL) goes where the one goes that reacts. */
static marey_status draw_paths(const app_env *env, const marey_puppet_sample *samples, int count,
                               const char *title, const char *name, const marey_clip *body,
                               const char *path, marey_error *error)
{
    static const double most_places = 20000, usual = 60; /* more cannot be seen */
    const marey_paths_picture_def def = { .title = title };
    double rate = fmin(usual, most_places / (samples[count - 1].time_s - samples[0].time_s));
    marey_paths_walker walkers[3] = { { .rate = rate, .name = "main character" },
                                      { .rate = rate, .name = name } };
    walkers[0].places = app_path_places(env->scope, samples, count, rate, true, &walkers[0].count);
    walkers[1].places = app_path_places(env->scope, samples, count, rate, false, &walkers[1].count);
    if (!walkers[0].places || !walkers[1].places) return app_fail_memory(error);
    if (body) {
        int own = marey_clip_pair_samples(body, body);
        marey_puppet_sample *places = APP_NEW(env->scope, marey_puppet_sample, own);
        if (!places) return app_fail_memory(error);
        marey_status status = marey_clip_pair(body, body, places, &own, error);
        if (status != MAREY_OK) return status;
        walkers[2] = (marey_paths_walker){ .rate = marey_clip_fps(body), .name = "its body" };
        walkers[2].places =
            app_path_places(env->scope, places, own, walkers[2].rate, true, &walkers[2].count);
        if (!walkers[2].places) return app_fail_memory(error);
    }
    return marey_paths_picture_save(env->ctx, walkers, body ? 3 : 2, &def, path, error);
}

static marey_status draw_played(const app_env *env, const void *params, void *result,
                                const app_drawing_def *def, const char *path, marey_error *error)
{
    const app_puppet_played *of = result;
    const char *main = ((const app_puppet_run_params *)params)->main.name;
    char title[512], name[256];
    (void)def;
    short_puppet(of->puppet, name, sizeof name);
    snprintf(title, sizeof title, main ? "%s reacts to %.200s" : "%s reacts", name, main);
    return draw_paths(env, of->samples, of->count, title, name, of->made.made.clip, path, error);
}

/* The run that is asked for, or the longest. */
static marey_status draw_shown(const app_env *env, const void *params, void *result,
                               const app_drawing_def *def, const char *path, marey_error *error)
{
    const app_puppet *of = ((const app_puppet_shown *)result)->puppet;
    int runs = marey_puppet_runs(of->puppet), shown = def->run - 1;
    char title[512], name[256];
    (void)params;
    if (shown >= runs)
        return app_fail(error, MAREY_ERR_REQUEST, of->name,
                        "there is no run %d; the runs are 1 to %d", def->run, runs);
    if (shown < 0) {
        shown = 0;
        for (int r = 1; r < runs; r++)
            if (marey_puppet_run_samples(of->puppet, r) >
                marey_puppet_run_samples(of->puppet, shown))
                shown = r;
    }
    int count = marey_puppet_run_samples(of->puppet, shown);
    marey_puppet_sample *samples = APP_NEW(env->scope, marey_puppet_sample, count);
    if (!samples) return app_fail_memory(error);
    for (int i = 0; i < count; i++) samples[i] = marey_puppet_sample_at(of->puppet, shown, i);
    short_puppet(of, name, sizeof name);
    snprintf(title, sizeof title, "%s: run %d of %d", name, shown + 1, runs);
    return draw_paths(env, samples, count, title, name, NULL, path, error);
}

const app_drawing app_puppet_played_pictures[] = {
    { "paths", "the paths of both characters seen from above, and how far apart they are",
      draw_played },
    { 0 },
};

const app_drawing app_puppet_shown_pictures[] = {
    { "paths", "the paths of both characters in its longest run, seen from above", draw_shown },
    { 0 },
};
