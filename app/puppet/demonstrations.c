/* demonstrations.c - what a puppet is trained on: tables of paths, rows of numbers, ready
   demonstrations, puppets that are kept, and the floor paths of two clips that are played at the
   same time. */
#include "puppets.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char cut_there[] = "the demonstration is cut there";

/* What is being read, for those below. */
typedef struct reading {
    const app_env *env;
    const app_puppet_train_params *request;
    app_puppet_trained *out;
    int room; /* of out->demonstrations */
    marey_error *error;
} reading;

/* ---- one more -------------------------------------------------------------------------------- */

/* As training cuts it. */
static void count_pieces(const reading *reader, const marey_demonstration *run,
                         app_demonstration *to, int *gaps, double *longest_s)
{
    const marey_puppet_sample *s = run->samples;
    for (int first = 0, end; first < run->count; first = end) {
        for (end = first + 1; end < run->count; end++)
            if (s[end].time_s - s[end - 1].time_s > reader->request->gap) break;
        if (end < run->count) {
            ++*gaps;
            *longest_s = fmax(*longest_s, s[end].time_s - s[end - 1].time_s);
        }
        to->pieces++;
        double steps = floor((s[end - 1].time_s - s[first].time_s) * reader->request->rate + 1e-6);
        if (steps >= 1)
            reader->out->steps += steps + 1 + rint(reader->request->window * reader->request->rate);
        else if (to->left_out++ == 0)
            to->left_out_s = s[first].time_s;
    }
}

/* Tables have said where their gaps are, by lines. Where nothing is left, the reader should know
   why. */
static marey_status add(reading *reader, app_demonstration *one, bool note_gaps)
{
    app_puppet_trained *out = reader->out;
    const app_env *env = reader->env;
    double longest_s = 0;
    int gaps = 0;
    for (int i = 0; i < one->run_count; i++) {
        one->rows += one->runs[i].count;
        count_pieces(reader, &one->runs[i], one, &gaps, &longest_s);
    }
    if (one->left_out == one->pieces) {
        return app_fail(reader->error, MAREY_ERR_INPUT, one->name,
                        "there is nothing to learn from: every piece is shorter than a step of "
                        "1/%g s%s",
                        reader->request->rate,
                        one->pieces > 1 ? "; a larger --gap would keep them together" : "");
    }
    if (gaps > 0 && note_gaps) {
        app_note(env, &out->notes,
                 "%.1000s is cut at gaps of more than %g s (%d, the longest of %.4g s)", one->name,
                 reader->request->gap, gaps, longest_s);
    }
    if (one->left_out > 0) {
        app_note(env, &out->notes,
                 "%.1000s%s%.1000s: %d of %d pieces between gaps left out: shorter than a step, "
                 "the first at %.6g s",
                 one->name, one->other ? ", " : "", one->other ? one->other : "", one->left_out,
                 one->pieces, one->left_out_s);
    }
    out->samples += one->rows;
    if (env->most_samples && out->samples > env->most_samples) {
        return app_fail(reader->error, MAREY_ERR_LIMIT, NULL,
                        "the demonstrations have more than %lld samples; show less, or use marey "
                        "puppet train",
                        (long long)env->most_samples);
    }
    if (out->count == reader->room) {
        reader->room = reader->room ? 2 * reader->room : 8;
        app_demonstration *more = APP_NEW(env->scope, app_demonstration, reader->room);
        if (!more) return app_fail_memory(reader->error);
        for (int i = 0; i < out->count; i++) more[i] = out->demonstrations[i];
        out->demonstrations = more;
    }
    out->demonstrations[out->count++] = *one;
    return MAREY_OK;
}

static marey_status add_samples(reading *reader, app_demonstration one,
                                const marey_puppet_sample *samples, int count, bool note_gaps)
{
    one.runs = APP_NEW(reader->env->scope, marey_demonstration, 1);
    if (!one.runs) return app_fail_memory(reader->error);
    one.runs[0] = (marey_demonstration){ samples, count };
    one.run_count = 1;
    return add(reader, &one, note_gaps);
}

static marey_status add_part(reading *reader, const marey_part *part)
{
    app_puppet_trained *out = reader->out;
    for (int i = 0; i < out->part_count; i++)
        if (memcmp(&out->parts[i], part, sizeof *part) == 0) return MAREY_OK;
    if ((out->part_count & (out->part_count - 1)) == 0) {
        marey_part *more =
            APP_NEW(reader->env->scope, marey_part, out->part_count ? 2 * out->part_count : 1);
        if (!more) return app_fail_memory(reader->error);
        for (int i = 0; i < out->part_count; i++) more[i] = out->parts[i];
        out->parts = more;
    }
    out->parts[out->part_count++] = *part;
    return MAREY_OK;
}

/* ---- those that have a name ------------------------------------------------------------------ */

static marey_status read_ready(reading *reader, const char *name)
{
    const marey_ready_puppet *ready;
    char names[256] = "";
    for (int i = 0; (ready = marey_ready_puppet_find(i)); i++) {
        size_t used = strlen(names);
        if (strcmp(ready->name, name) == 0) break;
        snprintf(names + used, sizeof names - used, "%s%s", i > 0 ? ", " : "", ready->name);
    }
    if (!ready)
        return app_fail(reader->error, MAREY_ERR_REQUEST, NULL,
                        "ready must be one of %s, got %.60s", names, name);
    marey_puppet_sample *samples = APP_NEW(reader->env->scope, marey_puppet_sample, ready->samples);
    if (!samples) return app_fail_memory(reader->error);
    marey_ready_puppet_demonstrate(ready, samples);
    if (!reader->out->about) reader->out->about = ready->about;
    return add_samples(reader, (app_demonstration){ .name = ready->name, .named = true }, samples,
                       ready->samples, false);
}

/* All its runs, and the clips that it was trained on: those that are gone since are none that it
   could be made of. */
static marey_status read_puppet(reading *reader, const char *text)
{
    const app_env *env = reader->env;
    const app_puppet *from = NULL;
    marey_kept *kept = NULL;
    int count = 0;
    marey_status status = app_puppet_open(env, text, &from, reader->error);
    if (status != MAREY_OK) return status;
    if (!reader->out->about) reader->out->about = from->about;
    for (int i = 0; i < from->sources.count && status == MAREY_OK; i++)
        status =
            app_puppet_source_add(env->scope, &reader->out->sources, from->sources.items[i].name,
                                  from->sources.items[i].licence, reader->error);
    if (status == MAREY_OK && env->library && from->library &&
        strcmp(from->library, marey_library_path(env->library)) == 0)
        status =
            marey_library_kept(env->library, MAREY_KEPT_PUPPET, from->name, &kept, reader->error);
    const marey_kept_entry *entry = kept ? marey_kept_entries(kept, &count) : NULL;
    for (int i = 0; entry && i < entry->part_count && status == MAREY_OK; i++) {
        const char *name;
        bool removed;
        status = app_part_name(env, entry->parts[i].clip, entry->part_names[i], &name, &removed,
                               reader->error);
        if (status == MAREY_OK && !removed) status = add_part(reader, &entry->parts[i]);
    }
    marey_kept_free(kept);
    if (status != MAREY_OK) return status;
    app_demonstration one = { .name = from->name,
                              .named = true,
                              .run_count = marey_puppet_runs(from->puppet) };
    one.runs = APP_NEW(env->scope, marey_demonstration, one.run_count);
    marey_puppet_sample *out =
        APP_NEW(env->scope, marey_puppet_sample, marey_puppet_samples(from->puppet));
    if (!one.runs || !out) return app_fail_memory(reader->error);
    for (int run = 0; run < one.run_count; run++) {
        int samples = marey_puppet_run_samples(from->puppet, run);
        one.runs[run] = (marey_demonstration){ out, samples };
        for (int i = 0; i < samples; i++) *out++ = marey_puppet_sample_at(from->puppet, run, i);
    }
    return add(reader, &one, false);
}

/* ---- two clips ------------------------------------------------------------------------------- */

static marey_status read_clip(reading *reader, const app_segment *segment, marey_clip **clip)
{
    const app_env *env = reader->env;
    app_source source;
    marey_status status =
        app_clip_read(env, &reader->request->reading, segment, clip, &source, reader->error);
    if (status != MAREY_OK) {
        size_t used = strlen(reader->error->message);
        if (marey_status_group(status) == MAREY_ERR_INPUT && !env->library &&
            !input_is_file(segment->clip) && access(segment->clip, F_OK) != 0)
            snprintf(reader->error->message + used, sizeof reader->error->message - used,
                     "; with -L LIB clips are taken by name from a library");
        return status;
    }
    status = app_puppet_source_add(env->scope, &reader->out->sources, source.name, source.licence,
                                   reader->error);
    if (status != MAREY_OK || !source.id) return status;
    return add_part(reader, &(marey_part){ source.id, source.start, source.end });
}

/* Names that people know, rather than numbers. */
static const char *name_of(reading *reader, const app_segment *segment, const marey_clip *clip)
{
    if (segment->clip[0] != '#') return app_segment_text(reader->env->scope, segment);
    return app_segment_text(reader->env->scope,
                            &(app_segment){ marey_clip_name(clip), segment->range });
}

static marey_status read_pair(reading *reader, const app_segment *two)
{
    static const double much_s = 0.5;
    const app_env *env = reader->env;
    app_notes *notes = &reader->out->notes;
    marey_clip *clips[2] = { NULL, NULL };
    marey_status status = read_clip(reader, &two[0], &clips[0]);
    if (status == MAREY_OK) status = read_clip(reader, &two[1], &clips[1]);
    if (status != MAREY_OK) return status;
    int most = marey_clip_pair_samples(clips[0], clips[1]), count = 0;
    if (env->most_samples && most > env->most_samples - reader->out->samples)
        return app_fail(reader->error, MAREY_ERR_LIMIT, NULL,
                        "the demonstrations have more than %lld samples; show less, or use marey "
                        "puppet train",
                        (long long)env->most_samples);
    marey_puppet_sample *samples = APP_NEW(env->scope, marey_puppet_sample, most);
    app_demonstration one = { .name = name_of(reader, &two[0], clips[0]),
                              .other = name_of(reader, &two[1], clips[1]),
                              .named = true };
    if (!samples || !one.name || !one.other) return app_fail_memory(reader->error);
    status = marey_clip_pair(clips[0], clips[1], samples, &count, reader->error);
    if (status != MAREY_OK) return status;
    double main_s = marey_clip_seconds(clips[0]), react_s = marey_clip_seconds(clips[1]);
    if (fabs(main_s - react_s) >= much_s) {
        app_note(env, notes, "%.1000s: the last %.4g s are left out; by then %.1000s is at its end",
                 main_s > react_s ? one.name : one.other, fabs(main_s - react_s),
                 main_s > react_s ? one.other : one.name);
    }
    if (most > count) {
        app_note(env, notes,
                 "%.1000s, %.1000s: %d moment%s left out: a frame there is no captured motion",
                 one.name, one.other, most - count, most - count == 1 ? "" : "s");
    }
    return add_samples(reader, one, samples, count, false);
}

/* ---- objects of a body ----------------------------------------------------------------------- */

/* A clip's name or number, or {"clip", "start", "end"} as everywhere. */
static bool read_segment(const json_t *value, char name[MAREY_NAME_ROOM], app_segment *out)
{
    bool whole = !json_is_object(value);
    const json_t *clip = whole ? value : json_object_get(value, "clip");
    const json_t *start = json_object_get(value, "start"), *end = json_object_get(value, "end");
    if (json_is_integer(clip) && json_integer_value(clip) > 0)
        snprintf(name, MAREY_NAME_ROOM, "#%lld", (long long)json_integer_value(clip));
    else if (json_is_string(clip) && json_string_length(clip) < MAREY_NAME_ROOM)
        snprintf(name, MAREY_NAME_ROOM, "%s", json_string_value(clip));
    else
        return false;
    *out = (app_segment){ .clip = name,
                          .range = { .given = start != NULL,
                                     .one_frame = !end,
                                     .start = json_number_value(start),
                                     .end = json_number_value(end) } };
    return name[0] && (!start || json_is_integer(start)) && (!end || json_is_integer(end)) &&
           (start || !end);
}

/* {"samples"}, {"clips"}, {"csv", "called"}, {"ready"} or {"puppet"}; what is wrong is named by its
   number, from 0. */
static marey_status read_object(reading *reader, const json_t *object, int number)
{
    static const char *const kinds[] = { "samples", "clips", "csv", "ready", "puppet" };
    const json_t *called = json_object_get(object, "called"), *value = NULL;
    const char *kind = NULL;
    size_t found = 0;
    char own[64], names[2][MAREY_NAME_ROOM];
    snprintf(own, sizeof own, "demonstration %d", number);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (!json_object_get(object, kinds[i])) continue;
        found++;
        kind = kinds[i];
        value = json_object_get(object, kind);
    }
    bool table = kind && strcmp(kind, "csv") == 0;
    if (found != 1 || json_object_size(object) != (called ? 2 : 1) || (called && !table) ||
        (called && !json_is_string(called)))
        return app_fail(reader->error, MAREY_ERR_REQUEST, NULL,
                        "%s must be an object of one of samples, clips, csv (and called), ready, "
                        "puppet",
                        own);
    if (strcmp(kind, "clips") == 0) {
        app_segment two[2];
        bool right = json_array_size(value) == 2;
        for (size_t i = 0; i < 2 && right; i++)
            right = read_segment(json_array_get(value, i), names[i], &two[i]);
        if (right) return read_pair(reader, two);
        return app_fail(reader->error, MAREY_ERR_REQUEST, NULL,
                        "%s: clips must be two clips, the main character's and the reacting one's",
                        own);
    }
    bool rows = strcmp(kind, "samples") == 0;
    if (rows ? !json_is_array(value) : !json_is_string(value))
        return app_fail(reader->error, MAREY_ERR_REQUEST, NULL, "%s: %s must be a %s", own, kind,
                        rows ? "list of rows" : "text");
    if (strcmp(kind, "ready") == 0) return read_ready(reader, json_string_value(value));
    if (strcmp(kind, "puppet") == 0) return read_puppet(reader, json_string_value(value));
    const char *given = json_string_value(called);
    app_demonstration one = { .named = given && *given };
    one.name = app_copy(reader->env->scope, one.named ? given : own);
    if (!one.name) return app_fail_memory(reader->error);
    app_document text = { .text = json_string_value(value) };
    marey_puppet_sample *samples = NULL;
    int count = 0;
    marey_status status =
        rows ? app_path_rows_read(reader->env, value, one.name, false, &samples, &count,
                                  reader->error)
             : app_path_read(reader->env, &text, one.name, false, reader->request->gap, cut_there,
                             &reader->out->notes, &samples, &count, reader->error);
    return status == MAREY_OK ? add_samples(reader, one, samples, count, rows) : status;
}

/* ---- all of them ----------------------------------------------------------------------------- */

static marey_status read_table(reading *reader, const app_document *table, int number)
{
    marey_puppet_sample *samples = NULL;
    int count = 0;
    if (table->text) {
        json_t *object = json_loads(table->text, 0, NULL);
        marey_status status = app_check(!object, reader->error);
        if (status == MAREY_OK) status = read_object(reader, object, number);
        json_decref(object);
        return status;
    }
    marey_status status =
        app_path_read(reader->env, table, table->name, false, reader->request->gap, cut_there,
                      &reader->out->notes, &samples, &count, reader->error);
    if (status == MAREY_OK)
        return add_samples(reader, (app_demonstration){ .name = table->name, .named = true },
                           samples, count, false);
    size_t used = strlen(reader->error->message);
    if (marey_status_group(status) == MAREY_ERR_INPUT && !path_ends_in(table->name, ".csv") &&
        access(table->name, F_OK) != 0)
        snprintf(reader->error->message + used, sizeof reader->error->message - used,
                 "; clips are named with --clips A B, those of a library also with -L LIB");
    return status;
}

marey_status app_demonstrations_read(const app_env *env, const app_puppet_train_params *request,
                                     app_puppet_trained *out, marey_error *error)
{
    reading all = { .env = env, .request = request, .out = out, .error = error };
    marey_status status = MAREY_OK;
    for (int i = 0; i < request->demonstrations.count && status == MAREY_OK; i++)
        status = read_table(&all, &request->demonstrations.values[i], i);
    for (int i = 0; i < request->ready.count && status == MAREY_OK; i++)
        status = read_ready(&all, request->ready.values[i]);
    for (int i = 0; i < request->puppet.count && status == MAREY_OK; i++)
        status = read_puppet(&all, request->puppet.values[i]);
    for (int i = 0; i + 1 < request->clips.count && status == MAREY_OK; i += 2)
        status = read_pair(&all, &request->clips.values[i]);
    if (status == MAREY_OK && env->most_samples && out->steps > (double)env->most_samples) {
        status = app_fail(error, MAREY_ERR_LIMIT, NULL,
                          "these demonstrations are %.0f steps, those before each piece included, "
                          "and %lld are the most here; show less, take a lower rate, or use marey "
                          "puppet train",
                          out->steps, (long long)env->most_samples);
    }
    return status;
}
