/* puppet_opening.c - puppets of libraries and files, the clips that they were trained on, and what
   they have learned. */
#include "file_text.h"
#include "puppets.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { LARGEST_FILE_MIB = 1024, LEAST_SAMPLE_BYTES = 48 /* of a kept one */ };

/* ---- notes ----------------------------------------------------------------------------------- */

void app_note(const app_env *env, app_notes *notes, const char *format, ...)
{
    char text[2048];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    app_warn(env, "%s", text);
    int count = notes->list.count;
    const char **values = (const char **)(uintptr_t)notes->list.values;
    if ((count & (count - 1)) == 0) {
        values = APP_NEW(env->scope, const char *, count ? 2 * count : 1);
        for (int i = 0; i < count && values; i++) values[i] = notes->list.values[i];
    }
    const char *copy = values ? app_copy(env->scope, text) : NULL;
    if (!copy) notes->failed = true;
    if (!copy) return;
    values[count] = copy;
    notes->list = (app_texts){ values, count + 1 };
}

void app_notes_write(json *out, const app_notes *notes)
{
    json_put_texts(out, "notes", notes->list.values, notes->list.count);
}

/* ---- the clips that it was trained on -------------------------------------------------------- */

/* One without a licence has nothing to be remembered for. */
marey_status app_puppet_source_add(app_scope *scope, app_puppet_sources *list, const char *name,
                                   const char *licence, marey_error *error)
{
    if (!*licence) return MAREY_OK;
    for (int i = 0; i < list->count; i++)
        if (strcmp(list->items[i].name, name) == 0 && strcmp(list->items[i].licence, licence) == 0)
            return MAREY_OK;
    if ((list->count & (list->count - 1)) == 0) {
        marey_puppet_source *items =
            APP_NEW(scope, marey_puppet_source, list->count ? 2 * list->count : 1);
        if (!items) return app_fail_memory(error);
        for (int i = 0; i < list->count; i++) items[i] = list->items[i];
        list->items = items;
    }
    marey_puppet_source one = { app_copy(scope, name), app_copy(scope, licence) };
    if (!one.name || !one.licence) return app_fail_memory(error);
    list->items[list->count++] = one;
    return MAREY_OK;
}

void app_puppet_sources_write(json *out, const app_puppet_sources *list)
{
    json_open(out, "sources", '[');
    for (int i = 0; i < list->count; i++) {
        json_open(out, NULL, '{');
        json_put_string(out, "clip", list->items[i].name);
        json_put_string(out, "licence", list->items[i].licence);
        json_close(out, '}');
    }
    json_close(out, ']');
}

void app_puppet_sources_note(const app_env *env, const app_puppet_sources *list, const char *puppet,
                             app_notes *notes)
{
    for (int i = 0; i < list->count; i++) {
        const marey_puppet_source *one = &list->items[i];
        if (!marey_licence_is_non_commercial(one->licence)) continue;
        app_note(env, notes, "%.300s%s%.300s: for non-commercial use only: its licence is %.300s",
                 puppet ? puppet : "", puppet ? ": trained on " : "", one->name, one->licence);
    }
}

/* Takes `sources` over. */
static marey_status take_sources(app_scope *scope, marey_puppet_sources *sources,
                                 app_puppet_sources *out, marey_error *error)
{
    int count;
    marey_status status = MAREY_OK;
    const marey_puppet_source *items = marey_puppet_sources_list(sources, &count);
    for (int i = 0; i < count && status == MAREY_OK; i++)
        status = app_puppet_source_add(scope, out, items[i].name, items[i].licence, error);
    marey_puppet_sources_free(sources);
    return status;
}

/* ---- opening --------------------------------------------------------------------------------- */

static marey_status open_file(const app_env *env, const char *path, app_puppet *out,
                              marey_error *error)
{
    buffer text = buffer_make(env->scope->memory);
    marey_puppet_sources *sources = NULL;
    *out = (app_puppet){ .name = path, .about = "" };
    marey_status status =
        app_file_text(env->scope->memory, path, LARGEST_FILE_MIB, "a puppet", &text, error);
    if (status != MAREY_OK) {
        size_t used = strlen(error->message);
        if (marey_status_group(status) == MAREY_ERR_INPUT && access(path, F_OK) != 0)
            snprintf(error->message + used, sizeof error->message - used,
                     "; with -L LIB it would be one that a library keeps");
    } else if (text.used > 15 && memcmp(text.bytes, "SQLite format 3", 15) == 0) {
        status = app_fail(error, MAREY_ERR_INPUT, path,
                          "this is a library, not a puppet; %.300s:NAME is one that it keeps, and "
                          "marey puppet ls lists them",
                          path);
    } else if (text.used <= 4 || memcmp(text.bytes, "MRYQ", 4) != 0) {
        status = app_fail(error, MAREY_ERR_INPUT, path,
                          "this is no trained puppet; marey puppet train makes one out of a table "
                          "of paths");
    } else {
        const uint8_t *bytes = (const uint8_t *)text.bytes;
        status = marey_puppet_sources_read(env->ctx, bytes, text.used - 1, &sources, error);
        if (status == MAREY_OK) status = take_sources(env->scope, sources, &out->sources, error);
        if (status == MAREY_OK)
            status = marey_puppet_read(env->ctx, bytes, text.used - 1, &out->puppet, error);
        if (marey_status_group(status) == MAREY_ERR_INPUT)
            snprintf(error->path, sizeof error->path, "%.1000s", path);
        if (status == MAREY_OK) status = app_own_puppet(env, out->puppet, error);
    }
    buffer_free(&text);
    return status;
}

static marey_status open_kept(const app_env *env, const char *name, void *object, int64_t *weight,
                              marey_error *error)
{
    app_puppet *out = object;
    marey_puppet_sources *sources = NULL;
    marey_kept *kept = NULL;
    int count;
    marey_status status = marey_library_kept(env->library, MAREY_KEPT_PUPPET, name, &kept, error);
    if (status == MAREY_OK) {
        const marey_kept_entry *entry = marey_kept_entries(kept, &count);
        out->name = app_copy(env->scope, name);
        out->about = app_copy(env->scope, entry->about);
        out->library = app_copy(env->scope, marey_library_path(env->library));
        /* By what the library says of it, before memory is taken for it. */
        if (env->most_samples && entry->size / LEAST_SAMPLE_BYTES > env->most_samples)
            status =
                app_fail(error, MAREY_ERR_LIMIT, NULL,
                         "the puppet is too large to be opened here: %lld samples are the most",
                         (long long)env->most_samples);
        marey_kept_free(kept);
    }
    if (status == MAREY_OK) status = marey_library_puppet(env->library, name, &out->puppet, error);
    if (status != MAREY_OK) return app_saved_hint("puppet", "train", error);
    status = app_own_puppet(env, out->puppet, error);
    if (status == MAREY_OK)
        status = marey_library_puppet_sources(env->library, name, &sources, error);
    if (status == MAREY_OK) status = take_sources(env->scope, sources, &out->sources, error);
    *weight = marey_puppet_samples(out->puppet);
    return status == MAREY_OK ? app_check(!out->name || !out->about || !out->library, error)
                              : status;
}

marey_status app_puppet_open(const app_env *env, const char *text, const app_puppet **out,
                             marey_error *error)
{
    static const app_saved_kind puppets = { MAREY_KEPT_PUPPET, sizeof(app_puppet), open_kept };
    char path[4096];
    const char *name = env->reads_files ? library_target(text, path, sizeof path) : NULL;
    bool file = env->reads_files && path_ends_in(text, ".puppet") && access(text, F_OK) == 0;
    void *object = NULL;
    int64_t weight;
    marey_status status;
    if (!name && env->library && !file) {
        status = app_saved_open(env, &puppets, text, &object, error);
    } else {
        object = APP_NEW(env->scope, app_puppet, 1);
        if (!object) return app_fail_memory(error);
        app_env elsewhere = *env;
        if (name) {
            status =
                marey_library_open(env->ctx, path, MAREY_LIBRARY_READ, &elsewhere.library, error);
            if (status != MAREY_OK) return status;
            status = open_kept(&elsewhere, name, object, &weight, error);
            marey_library_close(elsewhere.library);
        } else {
            status = open_file(env, text, object, error);
        }
    }
    if (status == MAREY_OK) *out = object;
    return status;
}

/* ---- its runs -------------------------------------------------------------------------------- */

int64_t app_puppet_work(const marey_puppet *puppet)
{
    const marey_puppet_def *def = marey_puppet_settings(puppet);
    int64_t window = (int64_t)rint(def->window_s * def->rate);
    return marey_puppet_samples(puppet) + marey_puppet_runs(puppet) * window;
}

double app_puppet_seconds(const marey_puppet *puppet)
{
    int steps = marey_puppet_samples(puppet) - marey_puppet_runs(puppet);
    return steps / marey_puppet_settings(puppet)->rate;
}

double app_puppet_run_seconds(const marey_puppet *puppet, int run)
{
    return (marey_puppet_run_samples(puppet, run) - 1) / marey_puppet_settings(puppet)->rate;
}

marey_puppet_sample *app_puppet_demonstrated(app_scope *scope, const marey_puppet *puppet)
{
    marey_puppet_sample *samples =
        APP_NEW(scope, marey_puppet_sample, marey_puppet_samples(puppet));
    marey_puppet_sample *out = samples;
    double start = 0;
    for (int r = 0; r < marey_puppet_runs(puppet) && samples; r++) {
        int count = marey_puppet_run_samples(puppet, r);
        for (int i = 0; i < count; i++, out++) {
            *out = marey_puppet_sample_at(puppet, r, i);
            out->time_s += start;
        }
        start = out[-1].time_s + 1 + marey_puppet_settings(puppet)->gap_s;
    }
    return samples;
}

/* ---- what it has learned --------------------------------------------------------------------- */

#define MOVES_CM_S 5.0 /* slower is to stand */
#define ABOUT_RAD                                                                                  \
    0.785 /* within an eighth of a turn to either side a character looks at something */

/* How far two directions are apart. */
static double apart(double a, double b)
{
    return fabs(remainder(a - b, 2 * acos(-1)));
}

static double speed(const marey_entity *before, const marey_entity *now, double rate)
{
    return hypot(now->x_cm - before->x_cm, now->y_cm - before->y_cm) * rate;
}

app_puppet_measures app_puppet_measure(const marey_puppet *puppet)
{
    app_puppet_measures of = { 0 };
    double rate = marey_puppet_settings(puppet)->rate, steps = 0, moved = 0, squares = 0;
    int places = 0;
    for (int run = 0; run < marey_puppet_runs(puppet); run++) {
        marey_puppet_sample before = { 0 };
        int count = marey_puppet_run_samples(puppet, run);
        for (int i = 0; i < count; i++) {
            marey_puppet_sample now = marey_puppet_sample_at(puppet, run, i);
            double x = now.react.x_cm - now.main.x_cm, y = now.react.y_cm - now.main.y_cm;
            double distance = hypot(x, y);
            if (places == 0 || distance < of.distance_least_cm) of.distance_least_cm = distance;
            if (distance > of.distance_most_cm) of.distance_most_cm = distance;
            /* Welford's way: no difference of large sums. */
            double off = distance - of.distance_cm;
            of.distance_cm += off / ++places;
            squares += off * (distance - of.distance_cm);
            of.faces_main += apart(now.react.direction_rad, atan2(-y, -x)) < ABOUT_RAD;
            of.behind += apart(now.main.direction_rad, atan2(y, x)) > 2 * ABOUT_RAD;
            if (i > 0) {
                double own = speed(&before.react, &now.react, rate);
                steps++;
                of.main_speed_cm_s += speed(&before.main, &now.main, rate);
                of.speed_cm_s += own;
                of.speed_most_cm_s = fmax(of.speed_most_cm_s, own);
                double way =
                    atan2(now.react.y_cm - before.react.y_cm, now.react.x_cm - before.react.x_cm);
                moved += own >= MOVES_CM_S;
                of.faces_way +=
                    own >= MOVES_CM_S && apart(now.react.direction_rad, way) < ABOUT_RAD;
            }
            before = now;
        }
        of.seconds += (count - 1) / rate;
    }
    steps = fmax(steps, 1);
    of.distance_spread_cm = sqrt(squares / places);
    of.faces_main /= places;
    of.behind /= places;
    of.main_speed_cm_s /= steps;
    of.speed_cm_s /= steps;
    of.moving = moved / steps;
    of.faces_way /= fmax(moved, 1);
    return of;
}

void app_puppet_write(json *out, const marey_puppet *puppet)
{
    const marey_puppet_def *def = marey_puppet_settings(puppet);
    app_puppet_measures of = app_puppet_measure(puppet);
    json_put_integer(out, "samples", marey_puppet_samples(puppet));
    json_put_integer(out, "runs", marey_puppet_runs(puppet));
    json_put_number(out, "seconds", of.seconds);
    json_put_number(out, "rate", def->rate);
    json_put_number(out, "window_s", def->window_s);
    json_put_number(out, "gap_s", def->gap_s);
    json_put_number(out, "distance_cm", of.distance_cm);
    json_put_number(out, "distance_spread_cm", of.distance_spread_cm);
    json_put_number(out, "distance_least_cm", of.distance_least_cm);
    json_put_number(out, "distance_most_cm", of.distance_most_cm);
    json_put_number(out, "speed_cm_s", of.speed_cm_s);
    json_put_number(out, "speed_most_cm_s", of.speed_most_cm_s);
    json_put_number(out, "main_speed_cm_s", of.main_speed_cm_s);
    json_put_number(out, "moving", of.moving);
    json_put_number(out, "behind", of.behind);
    json_put_number(out, "faces_main", of.faces_main);
    json_put_number(out, "faces_way", of.faces_way);
}
