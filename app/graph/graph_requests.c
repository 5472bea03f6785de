/* graph_requests.c - `--do 'kick(height=95)@300'`: motions of families that are asked for in a walk,
   and actions in play: reading what is asked for, finding the walk, and what came of it. */
#include "requests.h"

#include "near_name.h"
#include "table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_SEARCHES = 6 };

/* ---- reading it -------------------------------------------------------------------------------- */

static marey_status refuse(const char *text, const char *why, marey_error *error)
{
    return app_fail(error, MAREY_ERR_REQUEST, NULL,
                    "do must be a family and what it shall do, as in kick(height=95)@300: %s, got "
                    "%.100s",
                    why, text);
}

/* "300", "3m", "4s", "end" behind the @. */
static bool read_where(const char *text, app_request_text *out)
{
    if (strcmp(text, "end") == 0) {
        out->where = APP_REQUEST_END;
        return true;
    }
    const char *end = number_read(text, &out->at);
    if (!end || !(out->at >= 0)) return false;
    bool metres = strcmp(end, "m") == 0, seconds = strcmp(end, "s") == 0;
    if (metres) out->at *= 100;
    out->where = seconds ? APP_REQUEST_TIME : APP_REQUEST_ALONG;
    return metres || seconds || *end == 0 || strcmp(end, "cm") == 0;
}

/* "height=95", "at=30,120,60": each number with the name before it. The text is written into. */
static bool read_numbers(char *text, app_request_text *out)
{
    int name = -1;
    for (char *one = text, *next; one && *one; one = next) {
        next = strchr(one, ',');
        if (next) *next++ = 0;
        char *equals = strchr(one, '=');
        if (equals) {
            *equals = 0;
            name = (int)(one + strspn(one, " ") - out->room);
            one = equals + 1;
        }
        one += strspn(one, " ");
        if (name < 0 || !out->room[name] || out->count == MAREY_MOST_PARAM_DIMS) return false;
        const char *end = number_read(one, &out->values[out->count]);
        if (!end || end[strspn(end, " ")]) return false;
        out->names[out->count++] = name;
    }
    return true;
}

marey_status app_request_read(const char *text, app_request_text *out, marey_error *error)
{
    *out = (app_request_text){ .where = APP_REQUEST_NOWHERE };
    char *copy = out->room;
    if (strlen(text) >= sizeof out->room) return refuse(text, "it is too long", error);
    memcpy(copy, text, strlen(text) + 1);
    char *at = strrchr(copy, '@'), *close = strrchr(copy, ')');
    if (at && (!close || at > close)) {
        *at = 0;
        if (!read_where(at + 1, out))
            return refuse(text, "behind @ comes where, in cm (300) or m (3m), when (4s), or end",
                          error);
    }
    char *open = strchr(copy, '(');
    if (open) {
        *open = 0;
        if (!close || close[1]) return refuse(text, "the bracket is not closed", error);
        *close = 0;
        if (!read_numbers(open + 1, out))
            return refuse(text, "in brackets come names and numbers, height=95 or at=30,120,60",
                          error);
    }
    return *copy ? MAREY_OK : refuse(text, "there is no name", error);
}

/* ---- what the names mean ----------------------------------------------------------------------- */

/* The first of the family's numbers that a name means, and how many there are: "at" means all, the
   name of a feature all of its own, that of an axis the one. 0: it means none; -1: more than one. */
static int find_name(const marey_family *family, const char *name, int *first)
{
    int count, found = 0;
    const marey_param *params = marey_family_params(family, &count);
    *first = 0;
    if (strcmp(name, "at") == 0) return marey_family_dims(family);
    for (int i = 0, d = 0; i < count; d += params[i].kind->dims, i++) {
        const char *own = params[i].label[0] ? params[i].label : params[i].kind->name;
        if (strcmp(name, own) == 0) {
            if (found) return -1;
            *first = d;
            found = params[i].kind->dims;
            continue;
        }
        for (int k = 0; k < params[i].kind->dims; k++) {
            if (strcmp(name, params[i].kind->axes[k]) != 0) continue;
            if (found) return -1;
            *first = d + k;
            found = 1;
        }
    }
    return found;
}

static marey_status refuse_name(const app_request *one, const char *name, bool twice,
                                marey_error *error)
{
    char room[512] = "";
    buffer names = buffer_fixed(room, sizeof room - 1);
    int count;
    const marey_param *params = marey_family_params(one->from->family, &count);
    for (int i = 0; i < count; i++) {
        buffer_print(&names, "%s%s", i ? ", " : "",
                     params[i].label[0] ? params[i].label : params[i].kind->name);
        for (int k = 0; k < params[i].kind->dims && params[i].kind->dims > 1; k++)
            buffer_print(&names, ", %s", params[i].kind->axes[k]);
    }
    room[names.used] = 0;
    return app_fail(error, MAREY_ERR_REQUEST, NULL, "%.100s %s of the family %.100s; it has at, %s",
                    name, twice ? "means more than one number" : "is no number", one->from->name,
                    room);
}

/* Numbers that are not given are those of the example that is nearest in those that are, each
   measured by how far the examples' go; of none given, in the middle. */
static void fill_in(const marey_family *family, const bool *given, double *wanted)
{
    int samples, dims = marey_family_dims(family), best = 0;
    int examples = marey_registration_count(marey_family_registration(family));
    const double *values = marey_family_samples(family, &samples);
    double low[MAREY_MOST_PARAM_DIMS], high[MAREY_MOST_PARAM_DIMS], least = INFINITY;
    bool any = false;
    for (int d = 0; d < dims; d++) any |= given[d];
    marey_family_box(family, low, high);
    for (int i = 0; i < examples; i++) {
        double sum = 0;
        for (int d = 0; d < dims; d++) {
            if (any && !given[d]) continue;
            double from = any ? wanted[d] : 0.5 * (low[d] + high[d]);
            double off = (values[i * dims + d] - from) / fmax(high[d] - low[d], 1e-9);
            sum += off * off;
        }
        if (sum < least) best = i;
        least = fmin(least, sum);
    }
    for (int d = 0; d < dims; d++)
        if (!given[d]) wanted[d] = values[best * dims + d];
}

marey_status app_request_settle(app_request *one, marey_error *error)
{
    const app_request_text *text = &one->text;
    bool given[MAREY_MOST_PARAM_DIMS] = { false };
    if (!one->from && text->count > 0)
        return app_fail(error, MAREY_ERR_REQUEST, NULL,
                        "the action %.100s must be asked for without numbers, got %s=%g",
                        text->room, text->room + text->names[0], text->values[0]);
    if (!one->from) return MAREY_OK;
    for (int i = 0; i < text->count;) {
        int of = text->names[i];
        const char *name = text->room + of;
        int first, count = 0, need = find_name(one->from->family, name, &first);
        if (need <= 0) return refuse_name(one, name, need < 0, error);
        for (; i < text->count && text->names[i] == of; i++, count++) {
            if (count >= need) continue;
            one->wanted[first + count] = text->values[i];
            given[first + count] = true;
        }
        if (count != need)
            return app_fail(error, MAREY_ERR_REQUEST, NULL,
                            "%.100s of the family %.100s must be %d number%s, got %d", name,
                            one->from->name, need, need == 1 ? "" : "s", count);
    }
    fill_in(one->from->family, given, one->wanted);
    return MAREY_OK;
}

static void release_joined(void *joined)
{
    marey_graph_family_free(joined);
}

/* Whether it means an action of the graph. */
static bool is_action(const app_request *one, const marey_graph *graph)
{
    int count;
    const char *const *labels = marey_graph_labels(graph, &count);
    for (int i = 0; i < count; i++)
        if (strcmp(labels[i], one->text.room) == 0) return true;
    return false;
}

/* Neither a family nor an action. */
static marey_status refuse_unknown(const char *name, const app_saved_graph *saved,
                                   marey_error *error)
{
    char room[400] = "";
    buffer names = buffer_fixed(room, sizeof room - 1);
    int count;
    const char *const *labels = marey_graph_labels(saved->graph, &count);
    for (int i = 0; i < count; i++) buffer_print(&names, "%s%s", i ? ", " : "", labels[i]);
    room[names.used] = 0;
    return app_fail(
        error, MAREY_ERR_NOT_FOUND, NULL,
        "%.100s is neither a family of the library nor an action of the graph %.100s%s%s", name,
        saved->name, count ? ", which has " : ", which has no labels", room);
}

marey_status app_request_find(const app_env *env, const app_saved_graph *saved, bool actions,
                              app_request *one, marey_error *error)
{
    one->from = NULL;
    marey_status status = app_family_open(env, one->text.room, &one->from, error);
    if (status != MAREY_ERR_NOT_FOUND || !actions) return status;
    return is_action(one, saved->graph) ? MAREY_OK : refuse_unknown(one->text.room, saved, error);
}

marey_status app_request_join(const app_env *env, const app_saved_graph *saved, app_request *one,
                              marey_error *error)
{
    marey_status status = marey_graph_family_join(env->ctx, saved->graph, one->from->family,
                                                  one->from->name, &one->joined, error);
    return status == MAREY_OK ? app_own(env->scope, one->joined, release_joined, error) : status;
}

marey_status app_requests_open(const app_env *env, const app_texts *texts,
                               const app_saved_graph *saved, bool actions, app_request **out,
                               marey_error *error)
{
    app_request *all = APP_NEW(env->scope, app_request, texts->count);
    marey_status status = app_check(!all, error);
    for (int i = 0; i < texts->count && status == MAREY_OK; i++) {
        app_request *one = &all[i];
        one->done = i;
        status = app_request_read(texts->values[i], &one->text, error);
        if (status != MAREY_OK) break; /* it quotes the request */
        status = app_request_find(env, saved, actions, one, error);
        if (status == MAREY_OK) status = app_request_settle(one, error);
        if (!one->from) one->done = -1;
        /* One family is joined once. */
        for (int k = 0; k < i && one->from && !one->joined; k++)
            if (all[k].from == one->from) one->joined = all[k].joined;
        if (status == MAREY_OK && one->from && !one->joined)
            status = app_request_join(env, saved, one, error);
        /* Which of several it is. */
        if (status != MAREY_OK) snprintf(error->path, sizeof error->path, "%s", texts->values[i]);
    }
    *out = all;
    return status;
}

/* ---- walking ----------------------------------------------------------------------------------- */

static void release_performance(void *performance)
{
    marey_performance_free(performance);
}

marey_status app_requests_perform(const app_env *env, marey_walk_def *def, app_walked *out,
                                  marey_error *error)
{
    app_graph_clip *clip = &out->clip;
    const marey_graph *graph = clip->saved->graph;
    marey_request *wanted = APP_NEW(env->scope, marey_request, clip->request_count);
    marey_performance *best = APP_NEW(env->scope, marey_performance, 1);
    int *barred = APP_NEW(env->scope, int, MOST_SEARCHES *APP_WALK_MOST_FAULTS);
    if (!wanted || !best || !barred) return app_fail_memory(error);
    double length = 0;
    for (int i = 1; i < def->point_count; i++) {
        const double *at = def->path + 2 * (size_t)i;
        length += hypot(at[0] - at[-2], at[1] - at[-1]);
    }
    for (int i = 0; i < clip->request_count; i++) {
        const app_request *one = &clip->requests[i];
        bool along = one->text.where == APP_REQUEST_ALONG;
        wanted[i] = (marey_request){ one->joined, one->wanted, along ? one->text.at : length };
    }
    marey_status status = app_own(env->scope, best, release_performance, error);
    int bars = 0, fewest = APP_WALK_MOST_FAULTS + 1;
    for (out->searches = 0; out->searches < MOST_SEARCHES && status == MAREY_OK;) {
        marey_performance found = { 0 };
        marey_walk_fault faults[APP_WALK_MOST_FAULTS];
        int count = 0;
        def->barred = barred;
        def->barred_count = bars;
        status =
            marey_graph_perform(env->ctx, graph, def, wanted, clip->request_count, &found, error);
        if (status == MAREY_ERR_REQUEST && out->searches > 0) { /* there is no other one */
            status = MAREY_OK;
            break;
        }
        if (status != MAREY_OK) break;
        out->searches++;
        status = app_walk_find_faults(env, found.graph, &found.walk, faults, &count, error);
        int more = app_walk_bar(graph, &found.walk, faults, count, barred + bars);
        bool fewer = status == MAREY_OK && count < fewest && (found.walk.arrived || !best->graph);
        marey_performance last = fewer ? *best : found;
        if (fewer) {
            *best = found;
            fewest = out->fault_count = count;
            memcpy(out->faults, faults, sizeof faults);
        }
        marey_performance_free(&last);
        bars += more;
        if (fewest == 0 || more == 0) break;
    }
    clip->performance = best;
    clip->walk = best->walk;
    return status;
}

marey_status app_requests_played(const app_env *env, const marey_steered *frames, int count,
                                 app_graph_clip *clip, marey_error *error)
{
    marey_request *wanted = APP_NEW(env->scope, marey_request, clip->request_count);
    marey_performance *played = APP_NEW(env->scope, marey_performance, 1);
    int motions = 0;
    if (!wanted || !played) return app_fail_memory(error);
    for (int i = 0; i < clip->request_count; i++) {
        app_request *one = &clip->requests[i];
        if (!one->from) continue;
        one->done = motions;
        wanted[motions++] = (marey_request){ .family = one->joined, .wanted = one->wanted };
    }
    if (motions == 0) return MAREY_OK;
    marey_status status = app_own(env->scope, played, release_performance, error);
    if (status == MAREY_OK)
        status = marey_steered_perform(env->ctx, clip->saved->graph, frames, count, wanted, motions,
                                       played, error);
    if (status != MAREY_OK) return status;
    clip->performance = played;
    clip->walk = played->walk;
    return MAREY_OK;
}

/* ---- what came of it ---------------------------------------------------------------------------- */

static void write_motion(const app_graph_clip *clip, const app_request *one, json *out)
{
    const marey_performed *done = &clip->performance->done[one->done];
    const marey_family *family = one->from->family;
    int dims = marey_family_dims(family), count;
    marey_family_params(family, &count);
    json_put_string(out, "family", one->from->name);
    json_put_numbers(out, "target", one->wanted, dims);
    json_put_numbers(out, "reached", done->answer.values, dims);
    app_family_write_cm(out, "error_cm", family, done->answer.error);
    json_put_number(out, "error", done->answer.error);
    json_put_string(out, "error_unit", app_family_unit(family));
    json_put_boolean(out, "outside", done->answer.outside);
    int start = app_graph_clip_frame(clip, done->first);
    json_put_integer(out, "at", start);
    json_put_integer(out, "length", app_graph_clip_frame(clip, done->first + done->frames) - start);
    json_put_numbers(out, "moments", done->answer.moments, count);
    json_put_number(out, "away_cm", done->away_cm);
    json_put_number(out, "distance_in", done->in);
    json_put_number(out, "distance_out", done->out);
}

void app_requests_write(const app_graph_clip *clip, json *out)
{
    if (clip->request_count == 0) return;
    json_open(out, "requests", '[');
    for (int i = 0; i < clip->request_count; i++) {
        const app_request *one = &clip->requests[i];
        json_open(out, NULL, '{');
        if (one->from) {
            write_motion(clip, one, out);
        } else {
            int start = app_graph_clip_frame(clip, one->first);
            json_put_string(out, "action", one->text.room);
            json_put_integer(out, "at", start);
            json_put_integer(out, "length",
                             app_graph_clip_frame(clip, one->first + one->frames) - start);
        }
        if (one->text.where == APP_REQUEST_TIME) json_put_number(out, "waited_s", one->waited_s);
        json_close(out, '}');
    }
    json_close(out, ']');
}
