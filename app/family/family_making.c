/* family_making.c - `param make`: the motion of a family that does what is asked for (webs, 6.3.3),
   or a whole grid of them for a game engine's blend space. */
#include "families.h"
#include "make.h"
#include "operations.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ALONG = 1000, MOST_MOTIONS = 10000 };

static const app_param rows[] = {
    { .name = "family",
      .type = APP_TEXT,
      .at = offsetof(app_member_params, family),
      .place = 1,
      .needed = true,
      .value = "NAME",
      .help = "which family" },
    { .name = "at",
      .type = APP_NUMBERS,
      .at = offsetof(app_member_params, at),
      .least = -1e9,
      .most = 1e9,
      .most_count = MAREY_MOST_PARAM_DIMS,
      .value = "X,Y,...",
      .help = "what the motion shall do: a value for each number of the family's features" },
    { .name = "grid",
      .type = APP_TEXT,
      .at = offsetof(app_member_params, grid),
      .value = "NxN...",
      .help = "motions all over the examples' values, so many along each number, and grid.json "
              "that says which is where" },
    { .name = "table",
      .type = APP_SWITCH,
      .at = offsetof(app_member_params, table),
      .help = "answer from the samples alone, without refinement: less exact, as in the paper" },
    { .name = "fps",
      .type = APP_NUMBER,
      .at = offsetof(app_member_params, fps),
      .least = 0.1,
      .most = 10000,
      .value = "N",
      .help = "frames a second of what is made (default: those of the first example)" },
    APP_NO_CLEAN_PARAM(app_member_params),
    APP_STRETCH_PARAM(app_member_params),
    { 0 },
};

static marey_status check(const void *params, app_dialect dialect, marey_error *error)
{
    const app_member_params *request = params;
    const char *dashes = dialect == APP_COMMAND_LINE ? "--" : "";
    if (request->grid && dialect == APP_BODY)
        return app_fail(error, MAREY_ERR_REQUEST, NULL, "grid writes files: use the command line");
    if (request->grid && request->at.count > 0) {
        return app_fail(error, MAREY_ERR_REQUEST, NULL,
                        "%sat asks for one motion, %sgrid for many: one of these", dashes, dashes);
    }
    if (request->grid || request->at.count > 0) return MAREY_OK;
    return app_fail(error, MAREY_ERR_REQUEST, NULL,
                    dialect == APP_BODY ? "at is missing"
                                        : "--at X,Y,... or --grid NxN... is needed");
}

marey_status app_family_use(const app_env *env, app_saved_family *from, int example, double weight,
                            app_made *made, marey_error *error)
{
    app_source source = from->sources[example];
    marey_speeds *own = &from->speeds[example];
    marey_status status = MAREY_OK;
    source.weight = weight;
    app_provenance_source(&made->from, env->scope, &source);
    if (!from->measured[example]) {
        *own = APP_NO_SPEEDS;
        status = app_speeds_add(from->parts->clips[example], NULL, own, error);
    }
    from->measured[example] = status == MAREY_OK;
    app_speeds_raise(&made->inputs, own);
    return status;
}

/* ---- one motion ------------------------------------------------------------------------------ */

static marey_status make_motion(const app_env *env, const app_member_params *request,
                                app_saved_family *from, const double *target, marey_answer *answer,
                                app_made *made, marey_error *error)
{
    marey_ask_def ask = { .table = request->table };
    marey_clean_def clean = { .stretch = app_stretch(rows, &request->given, request->stretch) };
    marey_family_make_def def = {
        .ask = &ask, .fps = request->fps, .leave_feet = request->no_clean, .clean = &clean
    };
    marey_status status =
        marey_family_make(env->ctx, from->family, target, &def, &made->made, answer, error);
    if (status == MAREY_OK) status = app_made_own(env, made, error);
    if (status != MAREY_OK) return status;
    made->cleaned = !request->no_clean;
    made->end = marey_clip_frames(made->made.clip);
    made->from.family = from->name;
    made->inputs = APP_NO_SPEEDS;
    for (int i = 0; i < answer->count && status == MAREY_OK; i++)
        status = app_family_use(env, from, answer->motions[i], answer->weights[i], made, error);
    if (status != MAREY_OK) return status;
    return app_made_finish(env, &app_param_make, &request->given, made, error);
}

static marey_status run_one(const app_env *env, const app_member_params *request, app_member *out,
                            marey_error *error)
{
    const marey_family *family = out->from->family;
    int count, dims = marey_family_dims(family);
    const marey_param *params = marey_family_params(family, &count);
    if (request->at.count != dims) {
        char room[1024] = "";
        buffer names = buffer_fixed(room, sizeof room - 1);
        for (int d = 0; d < dims; d++) {
            const char *unit;
            buffer_shown(&names, marey_family_dim(family, d, &unit));
            buffer_print(&names, d + 1 < dims ? " %s, " : " %s", unit);
        }
        room[names.used] = 0;
        return app_fail(error, MAREY_ERR_REQUEST, NULL,
                        "at must be %d number%s for this family (%s), got %d", dims,
                        dims == 1 ? "" : "s", room, request->at.count);
    }
    if (!env->wants_clip) {
        return marey_family_ask(env->ctx, family, request->at.values,
                                &(marey_ask_def){ .table = request->table }, &out->answer, error);
    }
    marey_status status =
        make_motion(env, request, out->from, request->at.values, &out->answer, &out->made, error);
    /* Only places can be shown in the world. */
    for (int i = 0; i < count && status == MAREY_OK; i++) {
        double *place = out->places[i];
        place[0] = NAN;
        if (params[i].kind->dims < 2) continue;
        status = marey_param_origin(&params[i], out->made.made.clip, out->answer.moments[i], place,
                                    &place[3], error);
    }
    return status;
}

/* ---- a grid ---------------------------------------------------------------------------------- */

/* "5x5x5": a number for each, no more and no fewer. */
static marey_status read_steps(const app_member_params *request, app_member *out,
                               marey_error *error)
{
    int dims = marey_family_dims(out->from->family);
    const char *text = request->grid;
    int64_t count = 1;
    bool right = true;
    for (int d = 0; d < dims && right; d++) {
        char *end = NULL;
        long value = *text >= '0' && *text <= '9' ? strtol(text, &end, 10) : 0;
        right = value >= 1 && value <= MOST_ALONG && *end == (d + 1 < dims ? 'x' : 0);
        if (!right) break;
        out->steps[d] = (int)value;
        if (count <= MOST_MOTIONS) count *= value;
        text = end + 1;
    }
    if (!right) {
        char example[2 * MAREY_MOST_PARAM_DIMS + 1] = "5";
        for (int d = 1; d < dims; d++) memcpy(example + 2 * d - 1, "x5", 3);
        return app_fail(error, MAREY_ERR_REQUEST, NULL,
                        "grid must be how many motions along each of the %d number%s of this "
                        "family, 1 to %d, as in %s, got %.100s",
                        dims, dims == 1 ? "" : "s", MOST_ALONG, example, request->grid);
    }
    out->count = (int)count;
    if (count <= MOST_MOTIONS) return MAREY_OK;
    return app_fail(error, MAREY_ERR_REQUEST, NULL, "grid must be at most %d motions, got %s",
                    MOST_MOTIONS, request->grid);
}

/* One alone stands in the middle. */
static double value_at(const app_member *grid, int d, int step)
{
    double share = grid->steps[d] > 1 ? step / (grid->steps[d] - 1.0) : 0.5;
    return grid->low[d] + share * (grid->high[d] - grid->low[d]);
}

/* What is wrong with one is said in the grid's page, and what the sources' licences say is said
   once, not for every motion. */
static marey_status make_point(const app_env *env, const app_member_params *request, int number,
                               app_member *out, marey_error *error)
{
    int dims = marey_family_dims(out->from->family);
    char stem[MAREY_NAME_ROOM + 8 * MAREY_MOST_PARAM_DIMS], file[sizeof stem + 16];
    app_grid_motion *point = &out->motions[number];
    app_scope scope = app_scope_open(env->scope->memory);
    app_env quiet = *env;
    app_made made = { .made = { 0 } };
    quiet.scope = &scope;
    quiet.warn = NULL;
    /* The last number goes fastest. */
    for (int d = dims - 1, rest = number; d >= 0; d--) {
        point->index[d] = rest % out->steps[d];
        point->target[d] = value_at(out, d, point->index[d]);
        rest /= out->steps[d];
    }
    /* "reach_0_4_2" */
    buffer text = buffer_fixed(stem, sizeof stem - 1);
    buffer_text(&text, out->from->name);
    for (int d = 0; d < dims; d++) buffer_print(&text, "_%d", point->index[d]);
    stem[text.used] = 0;
    marey_status status =
        make_motion(&quiet, request, out->from, point->target, &point->answer, &made, error);
    if (status == MAREY_OK)
        status = env->take(env->take_user, stem, &made, file, sizeof file, error);
    if (status == MAREY_OK) {
        point->file = app_copy(env->scope, file);
        point->fault_count = app_made_faults(&made, point->faults);
        point->frames = marey_clip_frames(made.made.clip);
        point->fps = marey_clip_fps(made.made.clip);
        point->seconds = marey_clip_seconds(made.made.clip);
        out->faulty += point->fault_count > 0;
        out->outside += point->answer.outside;
        if (!point->answer.outside) out->worst = fmax(out->worst, point->answer.error);
        out->slide_cm = fmax(out->slide_cm, made.made.clean.slide_after_cm);
        status = app_check(!point->file, error);
    }
    app_scope_close(&scope);
    return status;
}

static marey_status run_grid(const app_env *env, const app_member_params *request, app_member *out,
                             marey_error *error)
{
    const marey_parts *parts = out->from->parts;
    marey_status status = read_steps(request, out, error);
    if (status != MAREY_OK) return status;
    if (!env->take) return app_fail(error, MAREY_ERR_REQUEST, NULL, "grid needs a folder");
    app_family_range(out->from->family, out->low, out->high);
    out->motions = APP_NEW(env->scope, app_grid_motion, out->count);
    if (!out->motions) return app_fail_memory(error);
    for (int i = 0; i < parts->count; i++) {
        const app_source *source = &out->from->sources[i];
        bool said = false;
        for (int k = 0; k < i && !said; k++) said = out->from->sources[k].id == source->id;
        if (!said && marey_licence_is_non_commercial(source->licence))
            app_warn(env, "%s: for non-commercial use only: its licence is %s", source->name,
                     source->licence);
    }
    for (int i = 0; i < out->count && status == MAREY_OK; i++) {
        app_progress(env, "making motions", i, out->count, -1);
        status = make_point(env, request, i, out, error);
    }
    if (status == MAREY_OK && out->faulty > 0) {
        const char *many = out->faulty == 1 ? "s" : "";
        app_warn(env,
                 "warning: %d of %d motions jump%s, slide%s or sink%s; grid.json says which and "
                 "how much",
                 out->faulty, out->count, many, many, many);
    }
    return status;
}

void app_grid_write(const app_member *grid, buffer *out)
{
    const marey_family *family = grid->from->family;
    int dims = marey_family_dims(family);
    json to = json_make(out);
    json_open(&to, NULL, '{');
    json_put_string(&to, "family", grid->from->name);
    app_family_write_features(&to, family);
    json_open(&to, "axes", '[');
    for (int d = 0; d < dims; d++) {
        const char *unit;
        json_open(&to, NULL, '{');
        json_put_string(&to, "name", marey_family_dim(family, d, &unit));
        json_put_string(&to, "unit", unit);
        json_open(&to, "values", '[');
        for (int i = 0; i < grid->steps[d]; i++) json_put_number(&to, NULL, value_at(grid, d, i));
        json_close(&to, ']');
        json_close(&to, '}');
    }
    json_close(&to, ']');
    json_put_string(&to, "error_unit", app_family_unit(family));
    json_open(&to, "motions", '[');
    for (int i = 0; i < grid->count; i++) {
        const app_grid_motion *point = &grid->motions[i];
        json_open(&to, NULL, '{');
        json_open(&to, "index", '[');
        for (int d = 0; d < dims; d++) json_put_integer(&to, NULL, point->index[d]);
        json_close(&to, ']');
        json_put_string(&to, "file", point->file);
        json_put_numbers(&to, "target", point->target, dims);
        json_put_numbers(&to, "reached", point->answer.values, dims);
        json_put_number(&to, "error", point->answer.error);
        json_put_boolean(&to, "outside", point->answer.outside);
        app_made_write_faults(&to, point->faults, point->fault_count, NULL);
        json_put_integer(&to, "frames", point->frames);
        json_put_number(&to, "fps", point->fps);
        json_put_number(&to, "seconds", point->seconds);
        json_close(&to, '}');
    }
    json_close(&to, ']');
    json_close(&to, '}');
    buffer_byte(out, '\n');
}

/* ---- the answer ------------------------------------------------------------------------------ */

/* The example whose values are nearest, each parameter scaled as param.h says: by the diagonal of
   its own in the examples' box, unless all have one unit. */
static int nearest_example(const marey_family *family, const double *target)
{
    double low[MAREY_MOST_PARAM_DIMS], high[MAREY_MOST_PARAM_DIMS], scales[MAREY_MOST_PARAM_DIMS];
    double least = INFINITY;
    int samples, count, dims = marey_family_dims(family), nearest = 0;
    const double *values = marey_family_samples(family, &samples);
    const marey_param *params = marey_family_params(family, &count);
    const char *unit;
    marey_family_dim(family, 0, &unit);
    bool alike = strcmp(app_family_unit(family), unit) == 0;
    app_family_range(family, low, high);
    for (int i = 0, first = 0; i < count; i++) {
        int end = first + params[i].kind->dims;
        double sum = 0;
        for (int d = first; d < end; d++) sum += (high[d] - low[d]) * (high[d] - low[d]);
        for (int d = first; d < end; d++) scales[d] = alike ? 1 : sum > 0 ? 1 / sqrt(sum) : 0;
        first = end;
    }
    for (int i = 0; i < app_family_examples(family); i++) {
        double sum = 0;
        for (int d = 0; d < dims; d++) {
            double apart = (values[i * dims + d] - target[d]) * scales[d];
            sum += apart * apart;
        }
        if (sum < least) nearest = i;
        least = fmin(least, sum);
    }
    return nearest;
}

static void write_places(const app_member *member, json *out)
{
    int count;
    marey_family_params(member->from->family, &count);
    json_put_numbers(out, "moments", member->answer.moments, count);
    json_open(out, "places", '[');
    for (int i = 0; i < count; i++) {
        const double *place = member->places[i];
        if (isnan(place[0])) {
            json_put_null(out, NULL);
            continue;
        }
        json_open(out, NULL, '{');
        json_put_number(out, "x_cm", place[0]);
        json_put_number(out, "y_cm", place[1]);
        json_put_number(out, "z_cm", place[2]);
        json_put_number(out, "angle_rad", place[3]);
        json_close(out, '}');
    }
    json_close(out, ']');
}

static void write_one(const app_member_params *request, const app_member *member, json *out)
{
    const marey_family *family = member->from->family;
    const marey_parts *parts = member->from->parts;
    const marey_answer *answer = &member->answer;
    int dims = marey_family_dims(family);
    app_family_write_features(out, family);
    json_put_numbers(out, "target", request->at.values, dims);
    json_put_numbers(out, "reached", answer->values, dims);
    app_family_write_cm(out, "error_cm", family, answer->error);
    json_put_number(out, "error", answer->error);
    json_put_string(out, "error_unit", app_family_unit(family));
    json_put_number(out, "table_error", answer->table_error);
    json_put_boolean(out, "outside", answer->outside);
    json_open(out, "weights", '[');
    for (int i = 0; i < parts->count; i++) {
        double weight = 0;
        for (int k = 0; k < answer->count; k++)
            if (answer->motions[k] == i) weight = answer->weights[k];
        json_put_number(out, NULL, weight);
    }
    json_close(out, ']');
    json_put_integer(out, "nearest", nearest_example(family, request->at.values));
    app_parts_write(out, "examples", parts);
    if (!member->made.made.clip) return;
    const marey_contacts *plants = &member->made.made.contacts;
    app_contacts_write(out, "constraints", plants->items, plants->count, 0);
    app_made_write(&member->made, out);
    write_places(member, out);
}

static marey_status run(const app_env *env, const void *params, void *result, marey_error *error)
{
    const app_member_params *request = params;
    app_member *out = result;
    marey_status status = app_family_open(env, request->family, &out->from, error);
    if (status != MAREY_OK) return status;
    out->saved = env->saves_clip;
    return request->grid ? run_grid(env, request, out, error) : run_one(env, request, out, error);
}

static void write(const void *params, const void *result, json *out)
{
    const app_member_params *request = params;
    const app_member *of = result;
    const marey_family *family = of->from->family;
    if (!of->saved) json_put_string(out, "name", request->family);
    if (!request->grid) {
        write_one(request, of, out);
        return;
    }
    json_open(out, "steps", '[');
    for (int d = 0; d < marey_family_dims(family); d++) json_put_integer(out, NULL, of->steps[d]);
    json_close(out, ']');
    json_put_integer(out, "motions", of->count);
    json_put_integer(out, "outside", of->outside);
    json_put_integer(out, "faulty", of->faulty);
    app_family_write_cm(out, "worst_error_cm", family, of->worst);
    json_put_number(out, "worst_error", of->worst);
    json_put_number(out, "slide_after_cm", of->slide_cm);
}

APP_MADE_OF(app_member, made)

const app_operation app_param_make = {
    .name = "param make",
    .summary = "make the motion of a family that does what is asked for",
    .description = { "The weights of the examples are found whose blend has the wanted values, "
                     "and that blend is made, with planted feet held in place. The clip "
                     "is then measured and its error reported. A target out of reach gives the "
                     "nearest motion, and the answer says so.",
                     "--grid 5x5x5 makes a motion for every point of a grid over the examples' "
                     "values, as NAME_0_0_0.bvh and so on, for a game engine's blend space. "
                     "grid.json beside them says the axes, and for every file what was wanted "
                     "and what is reached; where the family could not reach a point the nearest "
                     "motion is there and marked as outside.",
                     "OUT may be LIB.marey:NAME. The made clip remembers its examples, their "
                     "weights and licences." },
    .params = rows,
    .params_size = sizeof(app_member_params),
    .result_size = sizeof(app_member),
    .library = APP_READS,
    .check = check,
    .run = run,
    .write = write,
    .made = made_of,
    .made_as = "motion of family",
};
