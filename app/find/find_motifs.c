/* find_motifs.c - `motifs`: what repeats in a library, without any query. */
#include "find_motion.h"

#include "operations.h"

#include <math.h>

static const app_param rows[] = {
    { .name = "limit",
      .type = APP_WHOLE,
      .at = offsetof(app_motifs_params, limit),
      .least = 1,
      .most = 200,
      .standard = "20",
      .value = "N",
      .help = "at most this many motifs" },
    { .name = "label",
      .type = APP_TEXT,
      .at = offsetof(app_motifs_params, label),
      .help = "only in clips with this label, and in frames that have it" },
    { .name = "in",
      .type = APP_CLIPS,
      .at = offsetof(app_motifs_params, in),
      .value = "NAME",
      .help = "only in this clip; may be given several times" },
    APP_SHARD_PARAMS(app_motifs_params, share),
    { 0 },
};

static marey_status run(const app_env *env, const void *params, void *result, marey_error *error)
{
    const app_motifs_params *request = params;
    app_motifs_result *out = result;
    marey_motifs_def def = { .limit = request->limit,
                             .label = request->label,
                             .clip_count = request->in.count,
                             .tiles = env->tiles };
    marey_searcher *searcher = NULL;
    marey_motifs *motifs = NULL;
    out->library = marey_library_path(env->library);
    marey_status status = app_listing(env, &out->listing, error);
    app_library one;
    const int *numbers;
    const app_libraries libraries = app_libraries_of(env, out->listing, &one);
    if (status == MAREY_OK && request->in.count > 0)
        status = app_clip_ids(env, &libraries, &request->in, &def.clips, &numbers, error);
    if (status == MAREY_OK) status = marey_searcher_open(env->library, &searcher, error);
    if (status == MAREY_OK) status = marey_searcher_motifs(searcher, &def, &motifs, error);
    marey_searcher_free(searcher);
    if (status == MAREY_OK && marey_tiles_made(env->tiles)) return MAREY_OK;
    if (status == MAREY_OK) status = app_own_motifs(env, motifs, error);
    if (status != MAREY_OK) return status;
    out->motifs = marey_motifs_list(motifs, &out->count);
    out->report = marey_motifs_report_of(motifs);
    return MAREY_OK;
}

static void write_place(const marey_match *at, json *out)
{
    json_put_string(out, "clip", at->name);
    json_put_integer(out, "id", at->clip);
    json_put_integer(out, "start", at->start);
    json_put_integer(out, "end", at->end);
}

static void write(const void *params, const void *result, json *out)
{
    const app_motifs_result *of = result;
    (void)params;
    json_open(out, "motifs", '[');
    for (int i = 0; i < of->count; i++) {
        const marey_motif *motif = &of->motifs[i];
        json_open(out, NULL, '{');
        json_put_integer(out, "count", motif->count);
        json_put_number(out, "seconds", motif->seconds);
        json_put_number(out, "threshold", motif->threshold);
        json_open(out, "example", '{');
        write_place(&motif->occurrences[0], out);
        json_close(out, '}');
        json_open(out, "occurrences", '[');
        for (int k = 0; k < motif->count; k++) {
            json_open(out, NULL, '{');
            write_place(&motif->occurrences[k], out);
            json_put_number(out, "distance", motif->occurrences[k].distance);
            json_put_number(out, "distance_cm", sqrt(motif->occurrences[k].distance));
            json_close(out, '}');
        }
        json_close(out, ']');
        json_close(out, '}');
    }
    json_close(out, ']');
    json_put_integer(out, "searches", of->report.seeds);
    json_put_number(out, "seconds", of->report.seconds);
}

const app_operation app_motifs = {
    .name = "motifs",
    .summary = "find what repeats in a library, without any query",
    .description = { "Lists the movements that recur, the longest and most frequent first: by "
                     "their number times their length. Each is shown by its example, the "
                     "occurrence that is nearest to the others; -o draws a sheet of them. marey "
                     "search with an example finds more that is like it, with --mirror also what "
                     "is done with the other side, which is a motif of its own here.",
                     "Occurrences are nearer to the example than the matches of a search have to "
                     "be (0.3 of what standing still would score, in place of 0.6), and at most by "
                     "two thirds longer or shorter. A movement that repeats itself, such as a "
                     "walk, is one motif of one period; what stands still is not one.",
                     "Pieces of 1.5 seconds, 512 at most and evenly spread over all that moves, "
                     "are searched for, so time goes with the length of the library, and what "
                     "recurs only a few times in a large one may be missed. The same library gives "
                     "the same motifs." },
    .params = rows,
    .params_size = sizeof(app_motifs_params),
    .result_size = sizeof(app_motifs_result),
    .library = APP_READS,
    .takes_long = true,
    .shards = offsetof(app_motifs_params, share),
    .run = run,
    .write = write,
    .pictures = app_motifs_pictures,
};
