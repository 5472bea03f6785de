/* find_example_clip.c - `example`: clips that move as an example does, or a curve that was drawn,
   and a way through them as a clip. */
#include "find_example.h"
#include "make.h"
#include "operations.h"

#include <math.h>
#include <string.h>

enum { MOST_LISTED = 1000 };

static const app_param rows[] = {
    { .name = "query",
      .type = APP_SEGMENT,
      .at = offsetof(app_example_params, asked.query),
      .place = 1,
      .value = "QUERY",
      .help = "what is looked for" },
    APP_ALSO_PARAM(app_example_params, asked.also),
    { .name = "curve",
      .type = APP_DOCUMENT,
      .at = offsetof(app_example_params, asked.curve),
      .value = "FILE",
      .help = "a curve as JSON, in place of QUERY: {\"fps\": 30, \"values\": [[...], ...]}, a row "
              "for each signal, null for one that is not asked for" },
    APP_EXAMPLE_PARAMS(app_example_params, asked, NULL),
    { .name = "best",
      .type = APP_WHOLE,
      .at = offsetof(app_example_params, asked.best),
      .least = 1,
      .most = MAREY_EXAMPLE_MOST_BEST,
      .value = "P",
      .standard = "5",
      .help = "how many ways through the clips are listed" },
    { .name = "label",
      .type = APP_TEXT,
      .at = offsetof(app_example_params, asked.label),
      .help = "only in clips with this label, or in frames that have it; the query may be any" },
    { .name = "in",
      .type = APP_CLIPS,
      .at = offsetof(app_example_params, asked.in),
      .value = "NAME",
      .help = "only in this clip; may be given several times" },
    { .name = "others",
      .type = APP_SWITCH,
      .at = offsetof(app_example_params, asked.others),
      .help = "not in the query's own clip" },
    { .name = "limit",
      .type = APP_WHOLE,
      .at = offsetof(app_example_params, limit),
      .least = 0,
      .most = MOST_LISTED,
      .value = "N",
      .note = true,
      .help = "how many clips are listed with --json (default: all)" },
    { .name = "path",
      .type = APP_WHOLE,
      .at = offsetof(app_example_params, path),
      .least = 0,
      .most = MAREY_EXAMPLE_MOST_BEST - 1,
      .value = "N",
      .help = "which of the ways is made, counted from 0 (default: the first)" },
    { .name = "of",
      .type = APP_CLIP,
      .at = offsetof(app_example_params, of),
      .value = "NAME",
      .note = true,
      .help = "make the best way through this clip alone" },
    { .name = "own-pace",
      .type = APP_SWITCH,
      .at = offsetof(app_example_params, own_pace),
      .help = "every part as fast as it was captured, not as long as the fragment it stands for" },
    { .name = "fps",
      .type = APP_NUMBER,
      .at = offsetof(app_example_params, fps),
      .least = 0.1,
      .most = 10000,
      .value = "N",
      .help = "frames a second of the clip (default: those of the clip it begins with)" },
    APP_ROUGH_PARAM(app_example_params),
    APP_LEAVE_FEET_PARAM(app_example_params),
    APP_STRETCH_PARAM(app_example_params),
    APP_READING_PARAMS_AT(app_example_params, asked.reading, app_units_word),
    { 0 },
};

static marey_status check(const void *params, app_dialect dialect, marey_error *error)
{
    const app_example_params *request = params;
    const char *dashes = dialect == APP_COMMAND_LINE ? "--" : "";
    if (request->of && app_given(rows, &request->given, "path")) {
        return app_fail(error, MAREY_ERR_REQUEST, NULL, "%spath, or %sof: one of these", dashes,
                        dashes);
    }
    return app_example_check(&request->asked, dialect, error);
}

/* ---- a path as pieces ------------------------------------------------------------------------ */

/* The one that was asked for; otherwise the best. */
static marey_status choose_path(const app_example_params *request, app_example_result *out,
                                marey_error *error)
{
    const app_example_found *found = &out->found;
    int count, clips;
    const marey_example_path *paths = marey_example_paths(found->found, &count);
    const marey_example_clip *own = marey_example_clips(found->found, &clips);
    if (request->of) {
        const marey_entry *entry = app_listing_find(found->listing, request->of);
        for (int i = 0; i < clips && entry && !out->path; i++)
            if (found->set.clips[own[i].clip].id == entry->id) out->path = &own[i].path;
        if (out->path) return MAREY_OK;
        return app_fail(error, MAREY_ERR_REQUEST, request->of,
                        "this clip has no path of its own for the query");
    }
    if (app_given(rows, &request->given, "path")) {
        if (request->path >= count) {
            return app_fail(error, MAREY_ERR_REQUEST, NULL,
                            "path must be one of the query's %d paths, got %d", count,
                            request->path);
        }
        out->made_path = request->path;
    }
    if (count == 0)
        return app_fail(error, MAREY_ERR_REQUEST, found->text,
                        "nothing was found that a clip could be made of");
    if (out->made_path < 0) out->made_path = 0;
    out->path = &paths[out->made_path];
    return MAREY_OK;
}

/* The parts of the clips that are used, the first one first: the generated clip is on its bones. */
static marey_status open_parts(const app_env *env, const app_example_result *result, int count,
                               const marey_parts **out, marey_error *error)
{
    marey_part *clips = APP_NEW(env->scope, marey_part, count);
    marey_parts *parts = NULL;
    int used = 0;
    if (!clips) return app_fail_memory(error);
    for (int i = 0; i < count; i++) {
        int64_t id = result->found.set.clips[result->path->parts[i].clip].id;
        int k = 0;
        while (k < used && clips[k].clip != id) k++;
        if (k == used) clips[used++].clip = id;
    }
    marey_status status = marey_library_captured_parts(env->library, clips, used, 0, &parts, error);
    if (status == MAREY_OK) status = app_own_parts(env, parts, error);
    if (status != MAREY_OK) return status;
    *out = parts;
    if (parts->left_out_count == 0) return MAREY_OK;
    return app_fail(error, MAREY_ERR_SHAPE, parts->left_out[0].clip.name,
                    "%s; --path makes another way", parts->left_out[0].why);
}

/* Fragments have no marked frames, so each is inside one stretch of its clip. What is made has two
   frames of each piece at least. */
static marey_status line_up(const app_env *env, const app_example_params *request,
                            app_example_result *out, marey_error *error)
{
    const app_example_found *found = &out->found;
    app_pieces *all = &out->pieces;
    const marey_fragment *fragments = marey_example_fragments(found->found, &all->count);
    marey_piece *pieces = APP_NEW(env->scope, marey_piece, all->count);
    if (!pieces) return app_fail_memory(error);
    marey_status status = open_parts(env, out, all->count, &all->parts, error);
    if (status != MAREY_OK) return status;
    all->pieces = pieces;
    double least = 2.5 / marey_clip_fps(all->parts->clips[0]);
    for (int i = 0; i < all->count; i++) {
        const marey_example_part *from = &out->path->parts[i];
        int64_t id = found->set.clips[from->clip].id;
        double start = from->at.start + found->set.starts[from->clip];
        double end = from->at.end + found->set.starts[from->clip];
        int at = 0;
        for (; at < all->parts->count; at++) {
            const marey_part *part = &all->parts->parts[at];
            if (part->clip == id && start >= part->start && end <= part->end) break;
        }
        if (at == all->parts->count) {
            return app_fail(error, MAREY_ERR_REQUEST, found->text,
                            "library changed a moment ago; retry");
        }
        int first = all->parts->parts[at].start;
        pieces[i] = (marey_piece){ .clip = at, .start = start - first, .end = end - first };
        if (!request->own_pace)
            pieces[i].seconds = fmax((fragments[i].end - fragments[i].start) / found->fps, least);
    }
    return MAREY_OK;
}

static marey_status make(const app_env *env, const app_example_params *request,
                         app_example_result *out, marey_error *error)
{
    marey_clean_def clean = { .stretch = app_stretch(rows, &request->given, request->stretch) };
    marey_pieces_def def = { .fps = request->fps,
                             .rough = request->rough,
                             .leave_feet = request->leave_feet,
                             .clean = &clean };
    /* Where it was looked for is noted by names; a clip's own path is the best one in that clip. */
    app_example_params noted = *request;
    const app_texts *in = &request->asked.in;
    app_texts of = { &request->of, 1 };
    if (request->of) in = &of;
    const char **names = APP_NEW(env->scope, const char *, in->count);
    if (!names) return app_fail_memory(error);
    for (int i = 0; i < in->count; i++) {
        const marey_entry *entry = app_listing_find(out->found.listing, in->values[i]);
        names[i] = entry ? entry->name : in->values[i];
    }
    noted.asked.in = (app_texts){ names, in->count };
    for (const app_param *row = rows; row->name; row++)
        if (request->of && strcmp(row->name, "in") == 0)
            noted.given.given |= (uint64_t)1 << (row - rows);
    marey_status status = choose_path(request, out, error);
    if (status == MAREY_OK) status = line_up(env, request, out, error);
    if (status != MAREY_OK) return status;
    return app_pieces_make(env, &app_example, &noted.given, &def, &out->pieces, &out->made, error);
}

static marey_status run(const app_env *env, const void *params, void *result, marey_error *error)
{
    const app_example_params *request = params;
    app_example_result *out = result;
    out->made_path = -1;
    bool several = request->asked.also.count > 0;
    if (env->wants_clip && several && (env->output || env->saves_clip))
        return app_fail(error, MAREY_ERR_REQUEST, NULL,
                        "a clip is made from one library: ask that one alone, or put the clips "
                        "of all into one");
    marey_status status = app_example_find(env, &request->asked, &out->found, error);
    if (status != MAREY_OK) return status;
    marey_example_clips(out->found.found, &out->clip_limit);
    if (app_given(rows, &request->given, "limit") && request->limit < out->clip_limit)
        out->clip_limit = request->limit;
    return env->wants_clip && !several ? make(env, request, out, error) : MAREY_OK;
}

/* ---- the answer ------------------------------------------------------------------------------ */

static void write_clip(const app_example_found *found, int clip, json *out)
{
    const app_example_set *set = &found->set;
    json_put_string(out, "clip", set->clips[clip].name);
    json_put_integer(out, "id", set->clips[clip].id);
    if (found->libraries.count > 1)
        json_put_string(out, "library", found->libraries.all[set->libraries[clip]].name);
}

static void write_path(const app_example_found *found, const marey_example_path *path, json *out)
{
    int count;
    marey_example_fragments(found->found, &count);
    json_put_number(out, "error", path->error);
    json_put_integer(out, "jumps", path->jumps);
    json_open(out, "parts", '[');
    for (int i = 0; i < count; i++) {
        const marey_example_part *part = &path->parts[i];
        json_open(out, NULL, '{');
        write_clip(found, part->clip, out);
        json_put_number(out, "start", part->at.start + found->set.starts[part->clip]);
        json_put_number(out, "end", part->at.end + found->set.starts[part->clip]);
        json_put_integer(out, "fragment", part->fragment);
        json_put_integer(out, "next", part->next);
        json_put_number(out, "error", part->error);
        json_close(out, '}');
    }
    json_close(out, ']');
}

static void write_query(const app_example_found *found, json *out)
{
    char text[APP_DOF_ROOM];
    const marey_entry *entry = found->query.entry;
    json_open(out, "query", '{');
    if (found->drawn) {
        json_put_string(out, "curve", found->text);
    } else {
        json_put_string(out, entry ? "clip" : "file", entry ? entry->name : found->query.name);
        if (entry) json_put_integer(out, "id", entry->id);
        if (entry && found->libraries.count > 1)
            json_put_string(out, "library", found->libraries.all[found->query.library].name);
        json_put_integer(out, "start", found->query.start);
        json_put_integer(out, "end", found->query.end);
    }
    json_put_integer(out, "samples", found->samples);
    json_put_number(out, "fps", found->fps);
    json_close(out, '}');
    json_open(out, "dofs", '[');
    for (int d = 0; d < found->dof_count; d++)
        json_put_string(out, NULL, app_dof_text(&found->dofs[d], text));
    json_close(out, ']');
}

static void write(const void *params, const void *result, json *out)
{
    const app_example_params *wanted = params;
    const app_example_result *of = result;
    const app_example_found *found = &of->found;
    const app_example_request *request = &wanted->asked;
    int fragment_count, path_count, clip_count;
    const marey_fragment *fragments = marey_example_fragments(found->found, &fragment_count);
    const marey_example_path *paths = marey_example_paths(found->found, &path_count);
    const marey_example_clip *clips = marey_example_clips(found->found, &clip_count);
    write_query(found, out);
    json_put_integer(out, "k", request->k);
    json_put_number(out, "noise", request->noise);
    json_put_boolean(out, "shape", request->shape);
    json_put_boolean(out, "plain", request->plain);
    json_put_boolean(out, "whole", request->whole);
    json_open(out, "fragments", '[');
    for (int i = 0; i < fragment_count; i++) {
        json_open(out, NULL, '{');
        json_put_number(out, "start", app_example_frame(found, fragments[i].start));
        json_put_number(out, "end", app_example_frame(found, fragments[i].end));
        json_put_number(out, "start_s", app_example_time(found, fragments[i].start));
        json_put_number(out, "end_s", app_example_time(found, fragments[i].end));
        json_put_boolean(out, "rising", fragments[i].rising);
        json_close(out, '}');
    }
    json_close(out, ']');
    json_open(out, "paths", '[');
    for (int i = 0; i < path_count; i++) {
        json_open(out, NULL, '{');
        write_path(found, &paths[i], out);
        json_close(out, '}');
    }
    json_close(out, ']');
    json_open(out, "clips", '[');
    for (int i = 0; i < of->clip_limit; i++) {
        json_open(out, NULL, '{');
        write_clip(found, clips[i].clip, out);
        write_path(found, &clips[i].path, out);
        json_close(out, '}');
    }
    json_close(out, ']');
    json_put_integer(out, "clip_count", clip_count);
    int left_out = marey_examples_left_out(found->set.examples);
    json_open(out, "searched", '{');
    json_put_integer(out, "clips", found->set.clip_count - left_out);
    json_put_integer(out, "left_out", left_out);
    json_put_integer(out, "fragments", marey_examples_fragments(found->set.examples));
    json_put_integer(out, "bytes", (int64_t)marey_examples_bytes(found->set.examples));
    json_put_number(out, "opening_s", found->set.opening_s);
    json_put_number(out, "seconds", found->seconds);
    json_close(out, '}');
    if (!of->path) { /* else it is the clip's */
        json_put_number(out, "seconds", found->seconds);
        return;
    }
    if (of->made_path >= 0)
        json_put_integer(out, "made_path", of->made_path);
    else
        json_put_null(out, "made_path");
    json_put_number(out, "error", of->path->error);
    json_put_integer(out, "jumps", of->path->jumps);
    app_pieces_write(&of->pieces, &of->made, out);
}

APP_MADE_OF(app_example_result, made)

const app_operation app_example = {
    .name = "example",
    .summary = "find clips that move as an example does, or a curve that you draw",
    .description = { "QUERY is a clip of the library, frames of one (CLIP#120-300, CLIP#1.5s-3s), "
                     "those of a motion file, or a file that ends in .csv with a curve: lines of "
                     "a time in seconds and a value for each signal. Its first line may name "
                     "the signals, as in time,left_hip.Xrotation.",
                     "Signals are channels of joints, as in LeftLeg.Xrotation, or of what a joint "
                     "is to the body, as in left_hip.Xrotation; in degrees or centimetres. The "
                     "first one is cut into fragments where it turns, the others at the same "
                     "times. Each fragment of the query is compared with all in the library, "
                     "brought to one length, so that speed does not matter.",
                     "The answer lists the best ways through the clips: with the fewest jumps "
                     "from a fragment to one that does not follow it, then with the least "
                     "error. Below are the clips, by the best way through each of them alone. "
                     "Errors are roots of mean squared differences; in --json that of a way is "
                     "the sum of its parts'.",
                     "With -o the best way is made into a clip, with the times of the query.",
                     "Several libraries in a row are looked through as one; LIB:CLIP names a clip "
                     "of one of them, as for marey search. A clip is made from one library "
                     "alone." },
    .params = rows,
    .params_size = sizeof(app_example_params),
    .result_size = sizeof(app_example_result),
    .library = APP_READS,
    .check = check,
    .run = run,
    .write = write,
    .pictures = app_example_pictures,
    .made = made_of,
    .libraries_option = "also",
    .made_as = "pieces of",
};
