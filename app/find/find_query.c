/* find_query.c - what is looked for, and in which clips, by names, numbers and files. */
#include "find_motion.h"

#include <stdio.h>

/* Of one of the libraries, for what an environment is asked for. */
static app_env inside(const app_env *env, const app_libraries *libraries, int library)
{
    app_env of = *env;
    of.library = libraries->all[library].library;
    return of;
}

marey_status app_clip_ids(const app_env *env, const app_libraries *libraries,
                          const app_texts *names, const int64_t **out, const int **numbers,
                          marey_error *error)
{
    int64_t *ids = APP_NEW(env->scope, int64_t, names->count);
    int *of = APP_NEW(env->scope, int, names->count);
    marey_status status = app_check(!ids || !of, error);
    for (int i = 0; i < names->count && status == MAREY_OK; i++) {
        const char *name;
        of[i] = app_libraries_find(libraries, names->values[i], &name);
        const marey_entry *entry = app_listing_find(libraries->all[of[i]].listing, name);
        app_env there = inside(env, libraries, of[i]);
        status = entry ? MAREY_OK : app_clip_missing(&there, name, error);
        if (entry) ids[i] = entry->id;
    }
    *out = ids;
    *numbers = of;
    return status;
}

void app_query_warn(const app_env *env, int frames, double fps)
{
    /* As long as the shortest chain of an index by default: shorter ones are matched by tails of
       chains and bridges. */
    static const double shortest_s = 0.25;
    if (frames <= 0 || frames / fps >= shortest_s) return;
    app_warn(env,
             "warning: a query of %.3g s is so short that it may be like almost anything; %.3g s "
             "or more say what is meant, and --tiers 1 keeps to what is like the query itself",
             frames / fps, shortest_s);
}

/* The first library that has a name is meant: it says so where another one has it too. */
static void warn_of_others(const app_env *env, const app_libraries *libraries, int library,
                           const char *name)
{
    for (int i = library + 1; i < libraries->count; i++) {
        const char *other = libraries->all[i].name;
        if (!app_listing_find(libraries->all[i].listing, name)) continue;
        app_warn(env, "warning: %s is in %s and in %s: the first is meant; %s:%s names the other",
                 name, libraries->all[library].name, other, other, name);
        return;
    }
}

marey_status app_query_open(const app_env *env, const app_libraries *libraries,
                            const app_reading *reading, const app_segment *segment, bool load,
                            app_query *out, marey_error *error)
{
    const char *name;
    const app_lent *lent = app_lent_find(env, segment->clip);
    app_query of = { .library = app_libraries_find(libraries, segment->clip, &name) };
    app_env there = inside(env, libraries, of.library);
    if (lent) name = segment->clip, of.library = 0;
    const marey_entry *entry =
        lent ? NULL : app_listing_find(libraries->all[of.library].listing, name);
    of.name = name;
    of.entry = entry;
    if (entry && name == segment->clip) warn_of_others(env, libraries, of.library, name);
    marey_clip *clip = NULL;
    marey_status status = MAREY_OK;
    if (lent) {
        clip = lent->clip;
    } else if (!entry && env->reads_files && input_is_file(name)) {
        status = app_file_read(env, reading, name, &clip, error);
        of.dropped = reading->skip_first ? 1 : 0;
    } else if (!entry) {
        status = app_clip_missing(&there, name, error);
        if (marey_status_group(status) == MAREY_ERR_INPUT) address_explain(name, error);
    } else if (load) {
        status = marey_library_load(there.library, name, &clip, error);
    }
    if (status == MAREY_OK && !lent) status = app_own_clip(env, clip, error);
    if (status != MAREY_OK) return status;
    of.clip = clip;
    of.fps = clip ? marey_clip_fps(clip) : entry->fps;
    of.end = clip ? marey_clip_frames(clip) : entry->frames;
    if (segment->range.given) {
        status = range_find_among(&segment->range, of.end, of.fps, of.dropped, &of.start, &of.end,
                                  error);
        if (status != MAREY_OK) snprintf(error->path, sizeof error->path, "%.1000s", name);
    }
    if (status == MAREY_OK) *out = of;
    return status;
}
