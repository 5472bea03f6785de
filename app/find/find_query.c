/* find_query.c - what is looked for, and in which clips, by names, numbers and files. */
#include "find_motion.h"

#include <stdio.h>

marey_status app_clip_ids(const app_env *env, const marey_listing *listing, const app_texts *names,
                          const int64_t **out, marey_error *error)
{
    int64_t *ids = APP_NEW(env->scope, int64_t, names->count);
    marey_status status = app_check(!ids, error);
    for (int i = 0; i < names->count && status == MAREY_OK; i++) {
        const marey_entry *entry = app_listing_find(listing, names->values[i]);
        status = entry ? MAREY_OK : app_clip_missing(env, names->values[i], error);
        if (entry) ids[i] = entry->id;
    }
    *out = ids;
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

marey_status app_query_open(const app_env *env, const marey_listing *listing,
                            const app_reading *reading, const app_segment *segment, bool load,
                            app_query *out, marey_error *error)
{
    const char *name = segment->clip;
    const app_lent *lent = app_lent_find(env, name);
    const marey_entry *entry = lent ? NULL : app_listing_find(listing, name);
    app_query of = { .name = name, .entry = entry };
    marey_clip *clip = NULL;
    marey_status status = MAREY_OK;
    if (lent) {
        clip = lent->clip;
    } else if (!entry && env->reads_files && input_is_file(name)) {
        status = app_file_read(env, reading, name, &clip, error);
        of.dropped = reading->skip_first ? 1 : 0;
    } else if (!entry) {
        status = app_clip_missing(env, name, error);
        if (marey_status_group(status) == MAREY_ERR_INPUT) address_explain(name, error);
    } else if (load) {
        status = marey_library_load(env->library, name, &clip, error);
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
