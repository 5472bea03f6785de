/* find_example.c - query by example (clusters, 3.1): a clip, a part of one or a drawn curve, and
   what moves like it in a library. */
#include "find_example.h"

#include "chosen_clips.h"
#include "drawn_curve.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- signals --------------------------------------------------------------------------------- */

const char *app_dof_text(const marey_dof *dof, char text[APP_DOF_ROOM])
{
    snprintf(text, APP_DOF_ROOM, "%s.%s", dof->joint, marey_channel_name(dof->channel));
    return text;
}

marey_status app_dof_bending(const app_env *env, const marey_clip *clip, int start, int end,
                             marey_role role, marey_dof *out, bool *there, marey_error *error)
{
    const marey_skeleton *skeleton = marey_clip_skeleton(clip);
    double widest = -1;
    *there = false;
    if (skeleton->roles[role] < 0) return MAREY_OK;
    const marey_joint *joint = &skeleton->joints[skeleton->roles[role]];
    double *values = APP_NEW(env->scope, double, marey_clip_frames(clip));
    marey_status status = app_check(!values, error);
    for (int c = 0; c < joint->channel_count && status == MAREY_OK; c++) {
        marey_dof dof = { .channel = joint->channels[c] };
        double low = INFINITY, high = -INFINITY;
        if (dof.channel < MAREY_CHANNEL_X_ROTATION || dof.channel > MAREY_CHANNEL_Z_ROTATION)
            continue;
        snprintf(dof.joint, sizeof dof.joint, "%s", marey_role_name(role));
        status = marey_clip_signal(clip, &dof, values, error);
        for (int f = start; f < end && status == MAREY_OK; f++) {
            low = fmin(low, values[f]);
            high = fmax(high, values[f]);
        }
        if (status != MAREY_OK || high - low <= widest) continue;
        widest = high - low;
        *out = dof;
        *there = true;
    }
    return status;
}

/* What bends the hips, then the knees: whatever else people do, that is what tells walks, runs,
   jumps and rests from each other. Chosen by ten queries of the demo's clips, ranked by whether
   clips share a label with the query: mean average precision 0.80 with these four, 0.69 with the
   left hip alone, 0.52 with the left knee alone. A clip may lack all but the first; a curve has as
   many as it has values. */
static marey_status choose_dofs(const app_env *env, const marey_clip *clip, int start, int end,
                                int count, app_example_found *out, marey_error *error)
{
    static const marey_role roles[] = { MAREY_ROLE_LEFT_HIP, MAREY_ROLE_RIGHT_HIP,
                                        MAREY_ROLE_LEFT_KNEE, MAREY_ROLE_RIGHT_KNEE };
    enum { MOST = sizeof roles / sizeof *roles };
    int found = 0;
    if (count > MOST) {
        return app_fail(error, MAREY_ERR_REQUEST, out->text,
                        "--dof must name %d signals, as in LeftArm.Zrotation,Hips.Yposition",
                        count);
    }
    for (int i = 0; i < (count ? count : MOST); i++) {
        bool there;
        marey_status status =
            app_dof_bending(env, clip, start, end, roles[i], &out->dofs[found], &there, error);
        if (status != MAREY_OK) return status;
        found += there;
        if (there || (count == 0 && i > 0)) continue;
        return app_fail(error, MAREY_ERR_REQUEST, out->text,
                        "--dof is needed: the skeleton has no joint that is known as the %s",
                        marey_role_name(roles[i]));
    }
    out->dof_count = found;
    return MAREY_OK;
}

/* ---- where it is looked for ------------------------------------------------------------------ */

/* A clip of one of the libraries. */
typedef struct place {
    const marey_entry *entry;
    int library;
} place;

static int by_name(const void *left, const void *right)
{
    const place *a = left, *b = right;
    int order = strcmp(a->entry->name, b->entry->name);
    return order ? order : (a->library > b->library) - (a->library < b->library);
}

/* All clips in the order of their names, as one library of all has them: of what is found equal ones
   come in that order. */
static marey_status list_places(const app_env *env, const app_libraries *libraries,
                                const place **out, int *count, marey_error *error)
{
    int all = 0, each;
    for (int l = 0; l < libraries->count; l++) {
        marey_listing_entries(libraries->all[l].listing, &each);
        all += each;
    }
    place *places = APP_NEW(env->scope, place, all);
    *count = 0;
    for (int l = 0; l < libraries->count && places; l++) {
        const marey_entry *entries = marey_listing_entries(libraries->all[l].listing, &each);
        for (int i = 0; i < each; i++) places[(*count)++] = (place){ &entries[i], l };
    }
    if (places && libraries->count > 1) qsort(places, (size_t)all, sizeof *places, by_name);
    *out = places;
    return app_check(!places, error);
}

static bool is_wanted(const app_example_choice *choice, const place *at_place)
{
    const marey_entry *entry = at_place->entry;
    bool named = !choice->clips;
    marey_part part;
    int at = 0;
    if ((entry->id == choice->without && at_place->library == choice->without_library) ||
        !app_next_labelled(entry, choice->label, &at, &part))
        return false;
    for (int i = 0; i < choice->clip_count && !named; i++)
        named = choice->clips[i] == entry->id &&
                (!choice->libraries || choice->clip_libraries[i] == at_place->library);
    return named;
}

static marey_status load_part(const app_env *env, const marey_part *part, marey_clip **out,
                              marey_error *error)
{
    char number[24];
    marey_clip *whole = NULL;
    snprintf(number, sizeof number, "#%lld", (long long)part->clip);
    marey_status status = marey_library_load(env->library, number, &whole, error);
    if (status == MAREY_OK) status = app_own_clip(env, *out = whole, error);
    if (status != MAREY_OK || part->end - part->start >= marey_clip_frames(whole)) return status;
    status = marey_clip_trim(whole, part->start, part->end, out, error);
    return status == MAREY_OK ? app_own_clip(env, *out, error) : status;
}

/* No clip has all signals: the first one says which it has. */
static marey_status refuse_dofs(const app_env *env, const app_example_choice *choice,
                                const marey_clip *first, marey_error *error)
{
    double *values = APP_NEW(env->scope, double, marey_clip_frames(first));
    marey_status status = app_check(!values, error);
    for (int d = 0; d < choice->dof_count && status == MAREY_OK; d++)
        status = marey_clip_signal(first, &choice->dofs[d], values, error);
    if (status != MAREY_OK) return status;
    return app_fail(error, MAREY_ERR_REQUEST, NULL, "no clip has all of these signals");
}

static marey_status cut_clips(const app_env *env, app_scope *reading,
                              const app_example_choice *choice, app_example_set *out,
                              marey_error *error)
{
    app_env inside = *env;
    app_library one;
    const marey_listing *listing = NULL;
    const place *places = NULL;
    int count;
    inside.scope = reading;
    marey_status status = choice->libraries ? MAREY_OK : app_listing(&inside, &listing, error);
    if (status != MAREY_OK) return status;
    const app_libraries own = app_libraries_of(env, listing, &one);
    const app_libraries *libraries = choice->libraries ? choice->libraries : &own;
    status = list_places(&inside, libraries, &places, &count, error);
    if (status != MAREY_OK) return status;
    size_t room = 0;
    for (int i = 0; i < count; i++) room += 1 + (size_t)places[i].entry->stretch_count;
    const marey_clip **clips = APP_NEW(reading, const marey_clip *, room);
    marey_named *named = APP_NEW(env->scope, marey_named, room);
    int *starts = APP_NEW(env->scope, int, room), *numbers = APP_NEW(env->scope, int, room);
    if (!clips || !named || !starts || !numbers) return app_fail_memory(error);
    out->clips = named;
    out->starts = starts;
    out->libraries = numbers;
    for (int i = 0; i < count && status == MAREY_OK; i++) {
        const marey_entry *entry = places[i].entry;
        marey_part part;
        if (!is_wanted(choice, &places[i])) continue;
        inside.library = libraries->all[places[i].library].library;
        for (int at = 0; status == MAREY_OK && app_next_labelled(entry, choice->label, &at, &part);
             out->clip_count++) {
            marey_clip *clip = NULL;
            app_progress(env, "reading clips", i, count, -1);
            if (marey_ctx_cancelled(env->ctx))
                return app_fail(error, MAREY_ERR_CANCELLED, NULL, "cancelled");
            status = load_part(&inside, &part, &clip, error);
            named[out->clip_count].id = entry->id;
            numbers[out->clip_count] = places[i].library;
            snprintf(named[out->clip_count].name, MAREY_NAME_ROOM, "%s", entry->name);
            starts[out->clip_count] = part.start;
            clips[out->clip_count] = clip;
        }
    }
    if (status != MAREY_OK) return status;
    if (out->clip_count == 0) {
        const char *path = marey_library_path(env->library);
        return count == 0
                   ? app_fail(error, MAREY_ERR_REQUEST, path,
                              "this library has no clips; marey add puts some in")
                   : app_fail(error, MAREY_ERR_REQUEST, path,
                              "there is no clip to look in%s%.200s; marey ls shows clips and "
                              "labels",
                              choice->label ? " with the label " : "",
                              choice->label ? choice->label : "");
    }
    marey_examples *examples = NULL;
    double start = app_seconds();
    status = marey_examples_open(env->ctx, clips, out->clip_count, choice->dofs, choice->dof_count,
                                 &choice->def, &examples, error);
    out->opening_s = app_seconds() - start;
    if (status == MAREY_OK) status = app_own_examples(env, examples, error);
    out->examples = examples;
    if (status == MAREY_OK && marey_examples_left_out(examples) == out->clip_count)
        status = refuse_dofs(&inside, choice, clips[0], error);
    return status;
}

marey_status app_example_open(const app_env *env, const app_example_choice *choice,
                              app_example_set *out, marey_error *error)
{
    app_scope reading = app_scope_open(env->scope->memory);
    *out = (app_example_set){ .examples = NULL };
    marey_status status = cut_clips(env, &reading, choice, out, error);
    app_scope_close(&reading);
    return status;
}

/* ---- the query ------------------------------------------------------------------------------- */

marey_status app_example_check(const app_example_request *request, app_dialect dialect,
                               marey_error *error)
{
    const char *dashes = dialect == APP_COMMAND_LINE ? "--" : "";
    if (!request->query.clip == !request->curve.text) {
        return app_fail(error, MAREY_ERR_REQUEST, NULL,
                        "%s must be frames of a clip, or %scurve given: one of these",
                        dialect == APP_COMMAND_LINE ? "QUERY" : "query", dashes);
    }
    if (request->curve.text && request->others) {
        return app_fail(error, MAREY_ERR_REQUEST, NULL, "%sothers is for a query that is a clip",
                        dashes);
    }
    for (int i = 0; i < request->dof.count; i++) {
        marey_dof dofs[MAREY_MOST_DOFS];
        marey_error wrong;
        int count = 0;
        if (marey_dofs_parse(request->dof.values[i], dofs, &count, &wrong) != MAREY_OK)
            return app_fail(error, MAREY_ERR_REQUEST, NULL, "%sdof: %s", dashes, wrong.message);
        if (count != 1) {
            return app_fail(error, MAREY_ERR_REQUEST, NULL,
                            "each %sdof must be one joint's channel, got %.100s", dashes,
                            request->dof.values[i]);
        }
    }
    return MAREY_OK;
}

/* The values of a clip's frames, signal by signal. Signals are of whole clips: unwrapping goes from
   the first frame on. */
static marey_status read_clip(const app_env *env, const app_example_request *request,
                              app_example_found *out, const double **values, marey_error *error)
{
    app_query *query = &out->query;
    marey_status status = app_query_open(env, &out->libraries, &request->reading, &request->query,
                                         true, query, error);
    if (status != MAREY_OK) return status;
    out->fps = query->fps;
    out->samples = query->end - query->start;
    if (out->samples < 2) {
        return app_fail(error, MAREY_ERR_REQUEST, request->query.clip,
                        "one frame is no movement; ask by a stretch, as in walk#120-300");
    }
    if (env->finder && env->finder->most_samples && out->samples > env->finder->most_samples) {
        return app_fail(error, MAREY_ERR_LIMIT, NULL, "query must have at most %d frames, got %d",
                        env->finder->most_samples, out->samples);
    }
    if (out->dof_count == 0)
        status = choose_dofs(env, query->clip, query->start, query->end, 0, out, error);
    if (status != MAREY_OK) return status;
    double *signal = APP_NEW(env->scope, double, marey_clip_frames(query->clip));
    double *rows = APP_NEW(env->scope, double, (size_t)out->dof_count *(size_t)out->samples);
    status = app_check(!signal || !rows, error);
    for (int d = 0; d < out->dof_count && status == MAREY_OK; d++) {
        status = marey_clip_signal(query->clip, &out->dofs[d], signal, error);
        if (status == MAREY_OK)
            memcpy(rows + (size_t)d * (size_t)out->samples, signal + query->start,
                   (size_t)out->samples * sizeof *rows);
    }
    *values = rows;
    return status;
}

/* A drawn curve need not say what it is of: the first clip with such joints does. */
static marey_status choose_for_curve(const app_env *env, const app_example_choice *choice,
                                     int signals, app_example_found *out, marey_error *error)
{
    int count;
    const place *places = NULL;
    marey_status status = list_places(env, &out->libraries, &places, &count, error);
    if (status != MAREY_OK) return status;
    for (int i = 0; i < count; i++) {
        app_scope reading = app_scope_open(env->scope->memory);
        app_env inside = *env;
        marey_clip *clip = NULL;
        if (!is_wanted(choice, &places[i])) continue;
        inside.scope = &reading;
        inside.library = out->libraries.all[places[i].library].library;
        marey_part whole = { places[i].entry->id, 0, places[i].entry->frames };
        status = load_part(&inside, &whole, &clip, error);
        if (status == MAREY_OK)
            status = choose_dofs(&inside, clip, 0, marey_clip_frames(clip), signals, out, error);
        app_scope_close(&reading);
        if (status != MAREY_ERR_REQUEST) break;
    }
    return status;
}

static marey_status read_curve(const app_env *env, const app_example_request *request,
                               const app_example_choice *choice, app_example_found *out,
                               const double **values, marey_error *error)
{
    app_curve curve;
    marey_status status = request->curve.text
                              ? app_curve_parse(env, &request->curve, &curve, error)
                              : app_curve_read(env, request->query.clip, &curve, error);
    if (status != MAREY_OK) return status;
    out->drawn = true;
    out->samples = curve.samples;
    out->fps = curve.fps;
    out->start_s = curve.start_s;
    *values = curve.values;
    if (out->dof_count == 0 && *curve.names) {
        status = marey_dofs_parse(curve.names, out->dofs, &out->dof_count, error);
        if (status != MAREY_OK) {
            snprintf(error->path, sizeof error->path, "%.1000s", out->text);
            error->line = 1;
            return status;
        }
    }
    if (out->dof_count == 0) return choose_for_curve(env, choice, curve.signals, out, error);
    if (out->dof_count == curve.signals) return MAREY_OK;
    return app_fail(error, MAREY_ERR_REQUEST, out->text,
                    "this curve has %d row%s of values, and dof names %d", curve.signals,
                    curve.signals == 1 ? "" : "s", out->dof_count);
}

/* ---- finding --------------------------------------------------------------------------------- */

double app_example_frame(const app_example_found *found, double sample)
{
    return (found->drawn ? 0 : found->query.start) + found->first_sample + sample;
}

double app_example_time(const app_example_found *found, double sample)
{
    return found->start_s + app_example_frame(found, sample) / found->fps;
}

static marey_status ask(const app_env *env, const app_example_request *request,
                        const double *values, app_example_found *out, marey_error *error)
{
    marey_example_find_def def = { .k = request->k, .best = request->best };
    double *some = APP_NEW(env->scope, double, (size_t)out->dof_count *(size_t)out->used);
    marey_example_query query = { .samples = out->used, .fps = out->fps, .values = some };
    marey_example_found *found = NULL;
    if (!some) return app_fail_memory(error);
    for (int d = 0; d < out->dof_count; d++) {
        memcpy(some + (size_t)d * (size_t)out->used,
               values + (size_t)d * (size_t)out->samples + out->first_sample,
               (size_t)out->used * sizeof *some);
    }
    double start = app_seconds();
    marey_status status =
        marey_examples_find(env->ctx, out->set.examples, &query, &def, &found, error);
    out->seconds = app_seconds() - start;
    if (status == MAREY_OK) status = app_own_example_found(env, found, error);
    if (status == MAREY_OK) out->found = found;
    return status;
}

/* Where a clip begins and ends nothing is cut off; a drawn curve is meant as it is. */
static marey_status ask_whole(const app_env *env, const app_example_request *request,
                              const double *values, app_example_found *out, marey_error *error)
{
    int count;
    const marey_fragment *fragments = marey_example_fragments(out->found, &count);
    bool first = out->query.start > 0;
    bool last = out->query.end < marey_clip_frames(out->query.clip);
    if (count - first - last < 1 || !(first || last)) return MAREY_OK;
    int start = first ? (int)lround(fragments[0].end) : 0;
    int end = last ? (int)lround(fragments[count - 1].start) + 1 : out->samples;
    if (end - start < 2) return MAREY_OK;
    out->first_sample = start;
    out->used = end - start;
    return ask(env, request, values, out, error);
}

marey_status app_example_find(const app_env *env, const app_example_request *request,
                              app_example_found *out, marey_error *error)
{
    const double *values = NULL;
    const char *name = request->query.clip;
    app_example_choice choice = { .def = { .noise = request->noise > 0 ? request->noise : -1,
                                           .shape = request->shape,
                                           .plain = request->plain },
                                  .label = request->label,
                                  .clip_count = request->in.count };
    out->text = name ? app_segment_text(env->scope, &request->query) : request->curve.name;
    if (!out->text) return app_fail_memory(error);
    const int *numbers = NULL;
    marey_status status = app_libraries_open(env, &request->also, &out->libraries, error);
    if (status == MAREY_OK) out->listing = out->libraries.all->listing;
    bool several = status == MAREY_OK && out->libraries.count > 1;
    if (status == MAREY_OK && request->in.count > 0)
        status = app_clip_ids(env, &out->libraries, &request->in, &choice.clips, &numbers, error);
    if (several) choice.libraries = &out->libraries;
    choice.clip_libraries = numbers;
    for (int i = 0; i < request->dof.count && status == MAREY_OK; i++) {
        int one = 0;
        marey_dof dofs[MAREY_MOST_DOFS];
        status = marey_dofs_parse(request->dof.values[i], dofs, &one, error);
        out->dofs[out->dof_count++] = dofs[0];
    }
    if (status != MAREY_OK) return status;
    bool drawn = !name || (env->reads_files && path_ends_in(name, ".csv") &&
                           !app_listing_find(out->listing, name));
    status = drawn ? read_curve(env, request, &choice, out, &values, error)
                   : read_clip(env, request, out, &values, error);
    if (status != MAREY_OK) return status;

    choice.dofs = out->dofs;
    choice.dof_count = out->dof_count;
    if (request->others && out->query.entry) choice.without = out->query.entry->id;
    choice.without_library = out->query.library;
    status = env->finder && !several
                 ? env->finder->examples(env->finder->user, env->scope, &choice, &out->set, error)
                 : app_example_open(env, &choice, &out->set, error);
    out->used = out->samples;
    if (status == MAREY_OK) status = ask(env, request, values, out, error);
    if (status == MAREY_OK && !drawn && request->whole)
        status = ask_whole(env, request, values, out, error);
    if (status == MAREY_ERR_REQUEST && !*error->path)
        snprintf(error->path, sizeof error->path, "%.1000s", out->text);
    return status;
}
