/* clip_cuts.c - `cut`: parts of clips as clips of their own, all or none. */
#include "clip_cuts.h"

#include "clip_reading.h"
#include "operations.h"

#include <stddef.h>
#include <stdio.h>

enum { MOST_CUTS = 4096, LONGEST_LABEL = 200, MOST_LABELS = 60 };

static const app_param cut_params[] = {
    { .name = "cuts",
      .type = APP_CUTS,
      .at = offsetof(app_cut_params, cuts),
      .place = APP_REST,
      .needed = true,
      .most_count = MOST_CUTS,
      .value = "CLIP#A-B NAME",
      .help = "which frames of which clip, and what they are to be called" },
    { .name = "label",
      .type = APP_TEXTS,
      .at = offsetof(app_cut_params, label),
      .repeats = true,
      .most = LONGEST_LABEL,
      .most_count = MOST_LABELS,
      .value = "LABEL",
      .help = "a label for every new clip, beside those it takes over; may be given several "
              "times" },
    { .name = "source-label",
      .type = APP_TEXTS,
      .at = offsetof(app_cut_params, source_label),
      .repeats = true,
      .most = LONGEST_LABEL,
      .most_count = MOST_LABELS,
      .value = "LABEL",
      .help = "a label for every clip that is cut, which the new ones do not take over; may be "
              "given several times" },
    { .name = "mirror",
      .type = APP_SWITCH,
      .at = offsetof(app_cut_params, mirror),
      .help = "left and right change places" },
    { 0 },
};

static marey_status check_cut(const void *params, app_dialect dialect, marey_error *error)
{
    const app_cut_params *request = params;
    const app_cut *last = &request->cuts.values[request->cuts.count - 1];
    (void)dialect;
    if (last->name) return MAREY_OK;
    return app_fail(error, MAREY_ERR_REQUEST, NULL, "missing argument: a name for %s",
                    last->frames);
}

/* Which frames a range in seconds means depends on the clip's rate. */
static marey_status find_frames(const app_env *env, const marey_listing *listing,
                                const app_cut *cut, marey_clip_cut *out, marey_error *error)
{
    address from;
    if (!address_parse(cut->frames, &from))
        return app_fail(error, MAREY_ERR_REQUEST, NULL, "the clip's name is too long");
    const marey_entry *entry = app_listing_find(listing, from.path);
    *out = (marey_clip_cut){ .clip = app_copy(env->scope, from.path), .name = cut->name };
    if (!out->clip) return app_fail_memory(error);
    if (!entry) return app_clip_missing(env, from.path, error);
    marey_status status =
        range_find_among(&from.range, entry->frames, entry->fps, 0, &out->start, &out->end, error);
    if (status != MAREY_OK) snprintf(error->path, sizeof error->path, "%.1000s", from.path);
    return status;
}

static marey_status run_cut(const app_env *env, const void *params, void *result,
                            marey_error *error)
{
    enum { CUT_JSON = 12 * MAREY_NAME_ROOM + 512 };
    const app_cut_params *request = params;
    app_cut_result *done = result;
    int count = request->cuts.count;
    marey_clip_cut *cuts = APP_NEW(env->scope, marey_clip_cut, count);
    marey_named *clips = APP_NEW(env->scope, marey_named, count);
    marey_clip_cuts_def def = { .labels = request->label.values,
                                .label_count = request->label.count,
                                .source_labels = request->source_label.values,
                                .source_label_count = request->source_label.count };
    const marey_listing *listing = NULL;
    if (!cuts || !clips) return app_fail_memory(error);
    *done = (app_cut_result){ cuts, clips };
    marey_status status = app_listing(env, &listing, error);
    for (int i = 0; i < count && status == MAREY_OK; i++)
        status = find_frames(env, listing, &request->cuts.values[i], &cuts[i], error);
    if (status == MAREY_OK) status = app_reserve(env, (size_t)(count + 1) * CUT_JSON, error);
    if (status != MAREY_OK) return status;
    for (int i = 0; i < count; i++) cuts[i].mirrored = request->mirror;
    return marey_library_cut_clips(env->library, cuts, count, &def, clips, error);
}

/* One cut is the answer itself, as well as the only one of the list. */
static void write_one(const marey_clip_cut *cut, const marey_named *clip, json *out)
{
    json_put_string(out, "name", clip->name);
    json_put_integer(out, "frames", cut->end - cut->start);
    json_put_integer(out, "start", cut->start);
    json_put_integer(out, "end", cut->end);
    json_put_integer(out, "id", clip->id);
}

static void write_cuts(const void *params, const void *result, json *out)
{
    const app_cut_params *request = params;
    const app_cut_result *done = result;
    if (request->cuts.count == 1) write_one(done->cuts, done->clips, out);
    json_open(out, "clips", '[');
    for (int i = 0; i < request->cuts.count; i++) {
        json_open(out, NULL, '{');
        write_one(&done->cuts[i], &done->clips[i], out);
        json_close(out, '}');
    }
    json_close(out, ']');
}

const app_operation app_cut_clips = {
    .name = "cut",
    .summary = "make clips out of some frames of others",
    .description = { "CLIP#120-300 names frames, the end not included, CLIP#1.5s-3s times, "
                     "CLIP#120 one frame. The new clip has the labels, the description and the "
                     "licence of the old one, also the labels of its frames, and remembers where "
                     "it was cut from. If NAME is taken it becomes NAME-2.",
                     "Several cuts are made at once: whatever happens, all of them are there "
                     "afterwards, or none." },
    .params = cut_params,
    .params_size = sizeof(app_cut_params),
    .result_size = sizeof(app_cut_result),
    .library = APP_WRITES,
    .check = check_cut,
    .run = run_cut,
    .write = write_cuts,
};
