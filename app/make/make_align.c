/* make_align.c - `align`: which frames of clips belong together (Kovar & Gleicher 2003, section 4).
   Two clips have a path through the grid of their distances; several, or two that are to be saved,
   a registration. */
#include "make.h"
#include "operations.h"
#include "saved_things.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define AT(member) offsetof(app_align_params, member)
static const app_param rows[] = {
    { .name = "clips",
      .type = APP_SEGMENTS,
      .at = AT(motions.clips),
      .place = APP_REST,
      .most_count = APP_MOST_MOTIONS,
      .value = "CLIP",
      .help = "two clips, or more" },
    APP_SLOPE_PARAM_AT(AT(motions.slope)),
    { .name = "from",
      .type = APP_PAIR,
      .at = AT(from),
      .value = "I,J",
      .help = "start at frame I of A and frame J of B, and end where the mean cost is best" },
    { .name = "to",
      .type = APP_PAIR,
      .at = AT(to),
      .value = "I,J",
      .help = "end there, and start where the mean cost is best; with --from, from there to "
              "here" },
    { .name = "through",
      .type = APP_PAIR,
      .at = AT(through),
      .value = "I,J",
      .help = "go through this pair, and start and end where the mean cost is best; a "
              "registration of two clips goes from their first frames to their last" },
    { .name = "save",
      .type = APP_NAME,
      .at = AT(save),
      .help = "keep the registration of the clips in the library of -L under this name" },
    { .name = "registration",
      .type = APP_SWITCH,
      .at = AT(registration),
      .note = true,
      .help = "the registration of two clips too, not the path through their grid" },
    APP_CURVE_PARAM(app_align_params),
    APP_REFERENCE_PARAM(app_align_params),
    APP_METRIC_PARAMS(app_align_params, motions.metric, "equal"),
    APP_OWN_METRIC_PARAM(app_align_params, motions.metric),
    { .name = "normalize",
      .type = APP_TEXT,
      .at = AT(normalize),
      .value = "LIB",
      .only_if = "metric=positions",
      .help = "divide each term by its largest step in this library's clips, not in the two "
              "alone" },
    { .name = "fps",
      .type = APP_NUMBER,
      .at = AT(fps),
      .value = "N",
      .least = 0.1,
      .most = 10000,
      .help = "compare at this many frames a second (default: the lower rate of the two)" },
    APP_FOUND_PARAM_AT(AT(motions.found)),
    APP_READING_PARAMS_AT(app_align_params, motions.reading, app_units_or_raw_word),
    { 0 },
};
#undef AT

/* The path of two, or a registration? */
static bool is_path(const app_align_params *request)
{
    return request->motions.clips.count == 2 && !request->save && !request->registration;
}

static marey_status check(const void *params, app_dialect dialect, marey_error *error)
{
    static const char *const of_paths[] = { "from", "to", "through", "fps", "normalize" };
    const app_align_params *request = params;
    const char *dashes = dialect == APP_COMMAND_LINE ? "--" : "";
    bool pinned = request->motions.clips.count == 2;
    for (size_t i = 0; i < 5 && !is_path(request); i++) {
        if (!app_given(rows, &request->given, of_paths[i])) continue;
        if (pinned && strcmp(of_paths[i], "through") == 0) continue;
        return app_fail(error, MAREY_ERR_REQUEST, NULL,
                        "%s%s is for the path of two clips, without %ssave", dashes, of_paths[i],
                        dashes);
    }
    if (request->through.given[0] && (request->from.given[0] || request->to.given[0])) {
        return app_fail(error, MAREY_ERR_REQUEST, NULL,
                        "%sthrough has open ends, %sfrom and %sto have not: one of these", dashes,
                        dashes, dashes);
    }
    if (request->motions.curve && request->save) {
        return app_fail(error, MAREY_ERR_REQUEST, NULL, "%scurve is saved already, and has a name",
                        dashes);
    }
    return app_motions_check(rows, &request->given, &request->motions, dialect, error);
}

/* ---- the path of two ------------------------------------------------------------------------- */

/* A pair of frames of the files as a cell of the grid; one that is no captured motion is the next
   that is. */
static marey_status find_cell(const app_comparison *compared, const char *name,
                              const app_pair *pair, marey_cell *out, marey_error *error)
{
    for (int side = 0; side < 2; side++) {
        const app_source *source = &compared->sources[side];
        int frame = pair->values[side];
        if (frame < source->start || frame >= source->end) {
            return app_fail(error, MAREY_ERR_REQUEST, compared->texts[side],
                            "%s: frame must be %d to %d, got %d", name, source->start,
                            source->end - 1, frame);
        }
    }
    *out = (marey_cell){ app_comparison_row(compared, 0, pair->values[0]),
                         app_comparison_row(compared, 1, pair->values[1]) };
    return MAREY_OK;
}

static marey_status find_ends(const app_align_params *request, const app_comparison *compared,
                              marey_align_def *def, marey_error *error)
{
    bool from = request->from.given[0], to = request->to.given[0];
    marey_status status = MAREY_OK;
    if (request->through.given[0]) {
        def->ends = MAREY_ALIGN_AROUND;
        return find_cell(compared, "through", &request->through, &def->start, error);
    }
    if (from) {
        def->ends = MAREY_ALIGN_FORWARDS;
        status = find_cell(compared, "from", &request->from, &def->start, error);
    }
    if (to && status == MAREY_OK) {
        def->ends = from ? MAREY_ALIGN_BETWEEN : MAREY_ALIGN_BACKWARDS;
        status = find_cell(compared, "to", &request->to, from ? &def->end : &def->start, error);
    }
    return status;
}

static void release_path(void *path)
{
    marey_path_free(path);
}

/* The two are compared without their marked frames, the second on the bones of the first. */
static marey_status align_two(const app_env *env, const app_align_params *request,
                              app_alignment *out, marey_error *error)
{
    app_material_def how = { .reading = &request->motions.reading, .no_plants = true };
    marey_align_def def = { .slope = request->motions.slope };
    app_comparison *compared = &out->compared;
    compared->scope = env->scope;
    marey_status status =
        app_metric_define(env, &request->motions.metric, APP_BODY, &compared->metric, error);
    if (status == MAREY_OK)
        status = app_materials_load(env, &how, request->motions.clips.values, 2, &out->all, error);
    for (int side = 0; side < 2 && status == MAREY_OK; side++) {
        const app_material *one = &out->all.items[side];
        marey_clip *clip = out->all.clips[side];
        compared->texts[side] = one->text;
        compared->sources[side] = one->source;
        compared->marked[side] = one->own;
        compared->own[side] = clip;
        if (request->fps > 0 && marey_clip_fps(clip) != request->fps) {
            status = marey_clip_resample(out->all.clips[side], request->fps, &clip, error);
            if (status == MAREY_OK) status = app_own_clip(env, clip, error);
        }
        compared->clips[side] = clip;
    }
    if (status == MAREY_OK && request->normalize)
        status = app_comparison_normalize(env, request->normalize, compared, error);
    if (status == MAREY_OK)
        status = app_comparison_measure(env, compared, &compared->metric.def, error);
    if (status == MAREY_OK) status = find_ends(request, compared, &def, error);
    double start = app_seconds();
    if (status == MAREY_OK) status = app_comparison_grid(env, compared, error);
    if (status == MAREY_OK)
        status = marey_align(env->ctx, marey_grid_cost(compared->grid), &def, &out->path, error);
    out->seconds = compared->seconds + app_seconds() - start;
    return status == MAREY_OK ? app_own(env->scope, &out->path, release_path, error) : status;
}

/* ---- running --------------------------------------------------------------------------------- */

/* Which frames of which clips, by the clips' numbers, and where it comes from. */
static marey_status note(const app_env *env, const app_align_params *request, app_align_result *out,
                         marey_error *error)
{
    const app_materials *materials = &out->registered->all;
    app_made saved = { .end = 0 };
    out->parts = APP_NEW(env->scope, marey_part, materials->count);
    if (!out->parts) return app_fail_memory(error);
    for (int i = 0; i < materials->count; i++) {
        const app_source *source = &materials->items[i].source;
        if (source->id == 0)
            return app_fail(error, MAREY_ERR_INPUT, source->name, "this clip is gone");
        out->parts[i] = (marey_part){ source->id, source->start, source->end };
        app_provenance_source(&saved.from, env->scope, source);
    }
    marey_status status = app_made_note(env, &app_align, &request->given, &saved, error);
    out->about = saved.provenance;
    return status;
}

static marey_status run(const app_env *env, const void *params, void *result, marey_error *error)
{
    const app_align_params *request = params;
    app_align_result *out = result;
    if (is_path(request)) {
        out->pair = APP_NEW(env->scope, app_alignment, 1);
        return out->pair ? align_two(env, request, out->pair, error) : app_fail_memory(error);
    }
    app_motions motions = request->motions;
    char pin[32];
    const char *pins[] = { pin };
    if (request->through.given[0]) {
        snprintf(pin, sizeof pin, "%d,%d", request->through.values[0], request->through.values[1]);
        motions.through = (app_texts){ pins, 1 };
    }
    marey_status status = app_registered_open(env, &motions, &out->registered, error);
    return status == MAREY_OK && request->save ? note(env, request, out, error) : status;
}

static bool saves(const void *params)
{
    return ((const app_align_params *)params)->save != NULL;
}

static marey_status commit(const app_env *env, const void *params, void *result, marey_error *error)
{
    const app_align_params *request = params;
    const app_align_result *of = result;
    if (!request->save) return MAREY_OK;
    return marey_library_keep_registration(
        env->library, request->save, of->registered->registration, of->parts, of->about, error);
}

/* ---- as JSON --------------------------------------------------------------------------------- */

static void write_pair(const app_align_params *request, const app_alignment *alignment, json *out)
{
    const app_comparison *compared = &alignment->compared;
    json_open(out, "path", '[');
    for (int i = 0; i < alignment->path.count; i++) {
        const marey_cell *cell = &alignment->path.cells[i];
        json_open(out, NULL, '[');
        json_put_integer(out, NULL, app_comparison_frame(compared, 0, cell->row));
        json_put_integer(out, NULL, app_comparison_frame(compared, 1, cell->col));
        json_close(out, ']');
    }
    json_close(out, ']');
    json_put_number(out, "mean_distance", alignment->path.mean);
    json_put_integer(out, "slope", request->motions.slope ? request->motions.slope : 2);
    json_put_integer(out, "cells", alignment->path.count);
    json_put_integer(out, "rows", marey_features_rows(compared->features[0]));
    json_put_integer(out, "cols", marey_features_rows(compared->features[1]));
    json_put_number(out, "seconds", alignment->seconds);
    app_comparison_write(compared, out);
    app_refit_write(&alignment->all.items[1], out);
}

/* A registration as curves over u, at so many places. */
typedef struct view {
    const app_registered *of;
    const marey_registration *registration;
    int times;
    double fps, first, last;
} view;

/* A clip's own frames in a row. */
static double frames_per_row(const view *v, int motion)
{
    return marey_clip_fps(v->of->all.clips[motion]) / v->fps;
}

static int frame_of_row(const view *v, int motion, int row)
{
    int last = marey_clip_frames(v->of->all.clips[motion]) - 1;
    int frame = (int)lround(row * frames_per_row(v, motion));
    return app_material_frame(&v->of->all, motion, frame < last ? frame : last);
}

/* Cells of the path to the clip that a motion is aligned with; `first` is the clip whose frames
   come first. */
static void write_path(const view *v, int motion, int first, json *out)
{
    const marey_path *path = marey_registration_path(v->registration, motion);
    int parent = marey_registration_parent(v->registration, motion);
    json_open(out, "path", '[');
    for (int i = 0; i < path->count; i++) {
        int row = frame_of_row(v, parent, path->cells[i].row);
        int col = frame_of_row(v, motion, path->cells[i].col);
        json_open(out, NULL, '[');
        json_put_integer(out, NULL, first == parent ? row : col);
        json_put_integer(out, NULL, first == parent ? col : row);
        json_close(out, ']');
    }
    json_close(out, ']');
}

/* Does any part of the plant belong to a match? One that fills frames a .. b - 1 covers a - 0.5 ..
   b - 0.5. */
static bool is_matched(const view *v, int motion, const marey_contact *plant)
{
    int count;
    const marey_constraint_match *matches = marey_registration_matches(v->registration, &count);
    double per_row = frames_per_row(v, motion);
    double start = marey_registration_find(v->registration, motion, (plant->start - 0.5) / per_row);
    double end = marey_registration_find(v->registration, motion, (plant->end - 0.5) / per_row);
    for (int i = 0; i < count; i++) {
        const marey_match_span *span = &matches[i].spans[motion];
        if (matches[i].joint != plant->joint) continue;
        if (fmin(end, span->end) - fmax(start, span->start) > 1e-6) return true;
    }
    return false;
}

static void write_clip(const view *v, int motion, int *dropped, json *out)
{
    const app_material *one = &v->of->all.items[motion];
    const marey_contacts *plants = &v->of->all.contacts[motion];
    const marey_path *path = marey_registration_path(v->registration, motion);
    int parent = marey_registration_parent(v->registration, motion);
    json_open(out, NULL, '{');
    json_put_string(out, "clip", one->text);
    json_put_number(out, "mean_distance", path ? path->mean : NAN);
    app_refit_write(one, out);
    json_put_integer(out, "id", one->source.id);
    json_put_integer(out, "start", one->source.start);
    json_put_integer(out, "end", one->source.end);
    json_open(out, "times", '[');
    for (int i = 0; i < v->times; i++) {
        double share = (double)i / (v->times - 1), u = v->first + share * (v->last - v->first);
        json_put_number(out, NULL,
                        app_registered_frame(v->of, motion, i == v->times - 1 ? v->last : u));
    }
    json_close(out, ']');
    if (path) {
        json_put_integer(out, "parent", parent + 1);
        write_path(v, motion, parent, out);
    } else {
        json_put_null(out, "parent");
        json_put_null(out, "path");
    }
    json_open(out, "plants", '[');
    for (int i = 0; i < plants->count; i++) {
        const marey_contact *plant = &plants->items[i];
        bool matched = is_matched(v, motion, plant);
        json_open(out, NULL, '{');
        json_put_string(out, "joint", marey_contact_name(plant->joint));
        json_put_integer(out, "start", app_material_frame(&v->of->all, motion, plant->start));
        json_put_integer(out, "end", app_material_frame(&v->of->all, motion, plant->end - 1) + 1);
        json_put_boolean(out, "matched", matched);
        json_close(out, '}');
        *dropped += !matched;
    }
    json_close(out, ']');
    json_close(out, '}');
}

/* Spans are the clips' own frames; `u` is where they are on the curves. What a plant that fills
   frames a .. b - 1 covers is a - 0.5 .. b - 0.5. */
static void write_matches(const view *v, json *out)
{
    int count;
    const marey_constraint_match *matches = marey_registration_matches(v->registration, &count);
    json_open(out, "matches", '[');
    for (int i = 0; i < count; i++) {
        const marey_match_span *spans = matches[i].spans;
        json_open(out, NULL, '{');
        json_put_string(out, "joint", marey_contact_name(matches[i].joint));
        json_open(out, "spans", '[');
        for (int m = 0; m < v->of->all.count; m++) {
            json_open(out, NULL, '[');
            json_put_integer(out, NULL,
                             lround(app_registered_frame(v->of, m, spans[m].start) + 0.5));
            json_put_integer(out, NULL, lround(app_registered_frame(v->of, m, spans[m].end) + 0.5));
            json_close(out, ']');
        }
        json_close(out, ']');
        json_open(out, "u", '[');
        for (int m = 0; m < v->of->all.count; m++)
            json_put_numbers(out, NULL, (const double[]){ spans[m].start, spans[m].end }, 2);
        json_close(out, ']');
        json_close(out, '}');
    }
    json_close(out, ']');
}

static void write_registration(const app_align_params *request, const app_registered *registered,
                               json *out)
{
    enum { MOST_TIMES = 256 };
    const marey_registration *registration = registered->registration;
    int reference = marey_registration_reference(registration), knots, base, dropped = 0;
    double epsilon;
    view v = { .of = registered, .registration = registration };
    v.fps = marey_registration_fps(registration);
    marey_registration_range(registration, &v.first, &v.last);
    v.times = (int)fmin(MOST_TIMES, fmax(2, ceil(v.last - v.first) + 1));
    marey_registration_knots(registration, &knots, &base, &epsilon);
    if (registered->all.count == 2) {
        const marey_path *path = marey_registration_path(registration, 1 - reference);
        write_path(&v, 1 - reference, 0, out);
        json_put_number(out, "mean_distance", path->mean);
        json_put_integer(out, "cells", path->count);
    }
    json_put_string(out, "reference", registered->all.items[reference].text);
    json_open(out, "clips", '[');
    for (int m = 0; m < registered->all.count; m++) write_clip(&v, m, &dropped, out);
    json_close(out, ']');
    write_matches(&v, out);
    json_put_integer(out, "knots", knots);
    if (request->motions.curve) {
        json_put_null(out, "slope"); /* it is not kept */
    } else {
        json_put_integer(out, "slope", request->motions.slope ? request->motions.slope : 2);
    }
    json_put_number(out, "fps", v.fps);
    json_put_string(out, "metric", registered->metric.def.metric->name);
    json_put_string(out, "unit", registered->metric.def.metric->unit);
    json_put_integer(out, "reference_number", reference + 1);
    json_put_integer(out, "base", base + 1);
    json_put_number(out, "epsilon", epsilon);
    json_put_number(out, "first", v.first);
    json_put_number(out, "last", v.last);
    json_open(out, "u", '[');
    for (int i = 0; i < v.times; i++) {
        double share = (double)i / (v.times - 1);
        json_put_number(out, NULL,
                        i == v.times - 1 ? v.last : v.first + share * (v.last - v.first));
    }
    json_close(out, ']');
    json_put_integer(out, "dropped", dropped);
    json_put_string(out, "saved", request->save);
}

static void write(const void *params, const void *result, json *out)
{
    const app_align_result *of = result;
    if (of->pair)
        write_pair(params, of->pair, out);
    else
        write_registration(params, of->registered, out);
}

/* ---- as a picture ---------------------------------------------------------------------------- */

static marey_status draw(const app_env *env, const void *params, void *result,
                         const app_drawing_def *def, const char *path, marey_error *error)
{
    app_alignment *of = ((app_align_result *)result)->pair;
    (void)params, (void)def;
    if (!of)
        return app_fail(error, MAREY_ERR_REQUEST, NULL,
                        "only the path of two clips can be drawn, not a registration");
    marey_pair *pairs = APP_NEW(env->scope, marey_pair, of->path.count);
    if (!pairs) return app_fail_memory(error);
    for (int i = 0; i < of->path.count; i++)
        pairs[i] = (marey_pair){ of->path.cells[i].row, of->path.cells[i].col, 0 };
    marey_grid_picture_def how = { .joined = true, .pairs = pairs, .pair_count = of->path.count };
    return app_comparison_draw(env, &of->compared, &how, path, error);
}

static const app_drawing pictures[] = {
    { "path", "the grid of the two clips, with the path over it", draw },
    { 0 },
};

const app_operation app_align = {
    .name = "align",
    .summary = "find which frames of clips belong together",
    .description = { "Of two clips: the path through the grid of their distances along which they "
                     "are most alike, from both first frames to both last ones. It never goes "
                     "back, and goes at most --slope steps in a row along one clip alone. The "
                     "answer gives pairs of frames as they are in the files.",
                     "--from, --to and --through fix a pair of frames and leave open the ends "
                     "that are not named: then the path ends at the first or last frame of either "
                     "clip, where its mean distance is best.",
                     "-o FILE.npy writes the path as rows of two numbers; .png, .svg and .pdf draw "
                     "it over the grid.",
                     "Of more than two clips, or with --save: their registration, which also says "
                     "how they lie on each other on the floor and which foot plants are the same. "
                     "--save NAME keeps it in the library of -L, where marey blend --curve NAME "
                     "uses it again.",
                     "Frames that are no captured motion are left out. Clips with the same joints "
                     "and other bones are put on the bones of the first, and that is said." },
    .params = rows,
    .params_size = sizeof(app_align_params),
    .result_size = sizeof(app_align_result),
    .library = APP_MAY_READ,
    .check = check,
    .writes = saves,
    .run = run,
    .write = write,
    .commit = commit,
    .pictures = pictures,
};

/* ---- curves ---------------------------------------------------------------------------------- */

static const app_param curves_rows[] = {
    { .name = "rm",
      .type = APP_TEXT,
      .at = offsetof(app_curves_params, rm),
      .value = "NAME",
      .help = "forget the registration of this name; its clips stay" },
    { 0 },
};

static bool forgets(const void *params)
{
    return ((const app_curves_params *)params)->rm != NULL;
}

static marey_status run_curves(const app_env *env, const void *params, void *result,
                               marey_error *error)
{
    app_curves_list *out = result;
    if (forgets(params)) return MAREY_OK;
    return app_saved_list(env, MAREY_KEPT_REGISTRATION, &out->entries, &out->count, error);
}

static marey_status forget_curve(const app_env *env, const void *params, void *result,
                                 marey_error *error)
{
    (void)result;
    if (!forgets(params)) return MAREY_OK;
    return marey_library_forget(env->library, MAREY_KEPT_REGISTRATION,
                                ((const app_curves_params *)params)->rm, error);
}

static void write_curves(const void *params, const void *result, json *out)
{
    const app_curves_list *list = result;
    if (forgets(params)) {
        json_put_string(out, "forgotten", ((const app_curves_params *)params)->rm);
        return;
    }
    json_open(out, "curves", '[');
    for (int i = 0; i < list->count; i++) {
        const marey_kept_entry *one = &list->entries[i];
        json_open(out, NULL, '{');
        json_put_string(out, "name", one->name);
        json_put_integer(out, "bytes", one->size);
        json_open(out, "clips", '[');
        for (int k = 0; k < one->part_count; k++) {
            json_open(out, NULL, '{');
            app_part_write(out, one->part_names[k], &one->parts[k]);
            json_close(out, '}');
        }
        json_close(out, ']');
        json_close(out, '}');
    }
    json_close(out, ']');
}

const app_operation app_curves = {
    .name = "curves",
    .summary = "list the registrations that a library keeps",
    .description = { "marey align --save keeps them, marey blend --curve uses them. --rm forgets "
                     "one." },
    .params = curves_rows,
    .params_size = sizeof(app_curves_params),
    .result_size = sizeof(app_curves_list),
    .library = APP_WRITES,
    .writes = forgets,
    .run = run_curves,
    .write = write_curves,
    .commit = forget_curve,
};
