/* puppet_learn.c - what was gathered becomes a behaviour: the library's part of it is loaded, what is too short or too much is found,
   and training is called. */
#include "json_inside.h"
#include "puppet_gather.h"
#include "puppet_told.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct span { /* of the samples */
    int first, count;
} span;

static marey_status add_span(puppet_gather *of, int first, int count, marey_error *error)
{
    span one = { first, count };
    bytes_add(&of->spans, &one, sizeof one);
    return of->spans.failed ? json_fail_memory(error) : MAREY_OK;
}

/* ---- from the library ----------------------------------------------------------------------------- */

static void add_part(puppet_gather *of, const marey_part *part)
{
    const marey_part *parts = (const marey_part *)(const void *)of->parts.data;
    size_t count = of->parts.count / sizeof *parts;
    for (size_t i = 0; i < count; i++)
        if (parts[i].clip == part->clip) return;
    bytes_add(&of->parts, part, sizeof *part);
}

static marey_status load_clips(puppet_gather *of, studio_worker *worker, int number,
                               puppet_shown *one, marey_error *error)
{
    const marey_clip *clips[2];
    marey_status status = worker_two_clips(worker, one->clips, clips, error);
    if (status != MAREY_OK) return status;
    one->first = (int)(of->samples.count / sizeof(marey_puppet_sample));
    int most = marey_clip_pair_samples(clips[0], clips[1]);
    marey_puppet_sample *out = puppet_gather_room(of, most, error);
    if (!out) return error->status;
    for (int i = 0; i < 2 && status == MAREY_OK; i++) {
        add_part(of, &(marey_part){ one->clips[i], 0, marey_clip_frames(clips[i]) });
        status = puppet_sourced_clip(&of->sources, worker, one->clips[i], error);
    }
    if (status == MAREY_OK) status = marey_clip_pair(clips[0], clips[1], out, &one->count, error);
    if (status != MAREY_OK || one->count == most) return status;
    of->samples.count -= (size_t)(most - one->count) * sizeof *out;
    puppet_gather_note(of,
                       "demonstration %d: moments in which a frame is no captured motion are left "
                       "out (%d)",
                       number, most - one->count);
    return MAREY_OK;
}

/* Clips that are gone since are none that it could be said to be made of. */
static void inherit_parts(puppet_gather *of, studio_worker *worker, const marey_kept *kept)
{
    int count = 0;
    const marey_kept_entry *entry = marey_kept_entries(kept, &count);
    for (int i = 0; i < entry->part_count; i++) {
        char name[MAREY_NAME_ROOM];
        bool removed = false;
        if (marey_library_name(worker->library, entry->parts[i].clip, name, sizeof name, &removed,
                               NULL) == MAREY_OK &&
            !removed)
            add_part(of, &entry->parts[i]);
    }
}

static marey_status load_runs(puppet_gather *of, const marey_puppet *puppet, marey_error *error)
{
    marey_status status = MAREY_OK;
    for (int run = 0; run < marey_puppet_runs(puppet) && status == MAREY_OK; run++) {
        int count = marey_puppet_run_samples(puppet, run);
        int first = (int)(of->samples.count / sizeof(marey_puppet_sample));
        marey_puppet_sample *out = puppet_gather_room(of, count, error);
        if (!out) return error->status;
        for (int i = 0; i < count; i++) out[i] = marey_puppet_sample_at(puppet, run, i);
        status = add_span(of, first, count, error);
    }
    return status;
}

static marey_status load_puppet(puppet_gather *of, studio_worker *worker, const puppet_shown *one,
                                marey_error *error)
{
    marey_puppet *puppet = NULL;
    marey_kept *kept = NULL;
    marey_status status = puppet_open_kept(worker, one->puppet, &puppet, &kept, error);
    if (status != MAREY_OK) return status;
    inherit_parts(of, worker, kept);
    status = puppet_sourced_kept(&of->sources, worker, one->puppet, error);
    if (status == MAREY_OK) status = load_runs(of, puppet, error);
    marey_kept_free(kept);
    marey_puppet_free(puppet);
    return status;
}

/* ---- how much it is ------------------------------------------------------------------------------- */

typedef struct cutting {
    double rate, gap_s;
    int window;
    double steps; /* those before each run included */
    int gaps, left_out;
    double longest_s;
} cutting;

static void end_run(cutting *by, double seconds)
{
    double steps = floor(seconds * by->rate + 1e-6) + 1;
    if (steps >= 2)
        by->steps += steps + by->window;
    else
        by->left_out++;
}

/* As training cuts it. */
static void cut(cutting *by, const marey_puppet_sample *samples, int count)
{
    int first = 0;
    for (int i = 1; i < count; i++) {
        double apart = samples[i].time_s - samples[i - 1].time_s;
        if (apart <= by->gap_s) continue;
        end_run(by, samples[i - 1].time_s - samples[first].time_s);
        by->gaps++;
        by->longest_s = fmax(by->longest_s, apart);
        first = i;
    }
    end_run(by, samples[count - 1].time_s - samples[first].time_s);
}

/* Tables have said where their gaps are, by lines. */
static void note_cuts(puppet_gather *of, int number, const puppet_shown *one, const cutting *of_it)
{
    if (of_it->gaps > 0 && !one->table && one->kind == SHOWN_SAMPLES)
        puppet_gather_note(of,
                           "demonstration %d is cut at gaps of more than %g s (%d, the longest of "
                           "%.4g s)",
                           number, of_it->gap_s, of_it->gaps, of_it->longest_s);
    if (of_it->left_out > 0)
        puppet_gather_note(of, "demonstration %d: pieces shorter than two steps are left out (%d)",
                           number, of_it->left_out);
}

static marey_status check_steps(double steps, marey_error *error)
{
    if (steps <= LIMIT_PUPPET_SAMPLES) return MAREY_OK;
    *error = (marey_error){ .status = MAREY_ERR_LIMIT };
    snprintf(
        error->message, sizeof error->message,
        "these demonstrations are %.0f steps, those before each piece included, and %d are the "
        "most here; show less, take a lower rate, or use marey puppet train",
        steps, LIMIT_PUPPET_SAMPLES);
    return MAREY_ERR_LIMIT;
}

/* What a definition leaves zero, as training fills it in. */
static cutting begin_cutting(const marey_puppet_def *def)
{
    double rate = def->rate > 0 ? def->rate : MAREY_PUPPET_RATE;
    double window_s = def->window_s > 0 ? def->window_s : MAREY_PUPPET_WINDOW;
    return (cutting){ .rate = rate,
                      .gap_s = def->gap_s > 0 ? def->gap_s : MAREY_PUPPET_GAP,
                      .window = (int)rint(window_s * rate) };
}

static void measure(puppet_gather *of, const marey_puppet_def *def, double *steps)
{
    const marey_puppet_sample *samples = (const marey_puppet_sample *)(void *)of->samples.data;
    const puppet_shown *shown = (const puppet_shown *)(void *)of->shown.data;
    const span *spans = (const span *)(void *)of->spans.data;
    size_t count = of->spans.count / sizeof *spans, all = of->shown.count / sizeof *shown;
    *steps = 0;
    for (size_t i = 0; i < count; i++) {
        cutting one = begin_cutting(def);
        size_t number = 0;
        cut(&one, samples + spans[i].first, spans[i].count);
        *steps += one.steps;
        while (number < all &&
               (shown[number].kind == SHOWN_PUPPET || shown[number].first != spans[i].first))
            number++;
        if (number < all) note_cuts(of, (int)number, &shown[number], &one);
    }
}

/* ---- all of it ------------------------------------------------------------------------------------ */

marey_status puppet_gather_load(puppet_gather *of, studio_worker *worker,
                                const marey_puppet_def *def, marey_error *error)
{
    size_t count = of->shown.count / sizeof(puppet_shown);
    marey_status status = MAREY_OK;
    double steps = 0;
    for (size_t i = 0; i < count && status == MAREY_OK; i++) {
        puppet_shown *one = (puppet_shown *)(void *)of->shown.data + i;
        if (one->kind == SHOWN_PUPPET) {
            status = load_puppet(of, worker, one, error);
            continue;
        }
        if (one->kind == SHOWN_CLIPS) status = load_clips(of, worker, (int)i, one, error);
        if (status == MAREY_OK) status = add_span(of, one->first, one->count, error);
    }
    if (status != MAREY_OK) return status;
    measure(of, def, &steps);
    return of->parts.failed || !of->notes ? json_fail_memory(error) : check_steps(steps, error);
}

marey_status puppet_gather_train(puppet_gather *of, studio_worker *worker,
                                 const marey_puppet_def *def, marey_puppet **out,
                                 marey_error *error)
{
    const marey_puppet_sample *samples = (const marey_puppet_sample *)(void *)of->samples.data;
    const span *spans = (const span *)(void *)of->spans.data;
    size_t count = of->spans.count / sizeof *spans;
    size_t room = count * sizeof(marey_demonstration);
    marey_demonstration *all = heap_resize(of->memory, NULL, 0, room);
    if (!all) return json_fail_memory(error);
    for (size_t i = 0; i < count; i++)
        all[i] = (marey_demonstration){ samples + spans[i].first, spans[i].count };
    marey_status status = marey_puppet_train(worker->ctx, all, (int)count, def, out, error);
    heap_resize(of->memory, all, room, 0);
    return status;
}
