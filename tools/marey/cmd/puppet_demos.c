/* puppet_demos.c - demonstrations from files and clips. */
#include "puppet_demos.h"

#include "graph_open.h"
#include "param_family.h"
#include "puppet_open.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void puppet_demos_make(puppet_demos *all, session *run, const marey_puppet_def *def)
{
    const marey_ctx_def *memory = &run->host->def;
    *all = (puppet_demos){
        .run = run, .def = *def, .rows = buffer_make(memory), .parts = buffer_make(memory)
    };
    if (all->def.rate == 0) all->def.rate = MAREY_PUPPET_RATE;
    if (all->def.gap_s == 0) all->def.gap_s = MAREY_PUPPET_GAP;
    puppet_origin_make(&all->origin, run);
    puppet_notes_make(&all->notes, run);
}

static void free_demo(session *run, puppet_demo *of)
{
    marey_paths_free(of->paths);
    session_resize(run, of->own, of->own_bytes, 0);
}

int puppet_demos_count(const puppet_demos *all)
{
    return (int)(all->rows.used / sizeof(puppet_demo));
}

const puppet_demo *puppet_demos_at(const puppet_demos *all, int i)
{
    return (const puppet_demo *)(const void *)all->rows.bytes + i;
}

void puppet_demos_free(puppet_demos *all)
{
    for (int i = 0; i < puppet_demos_count(all); i++) {
        puppet_demo one = *puppet_demos_at(all, i);
        free_demo(all->run, &one);
    }
    buffer_free(&all->rows);
    buffer_free(&all->parts);
    puppet_origin_free(&all->origin);
    puppet_notes_free(&all->notes);
}

/* ---- pieces ---------------------------------------------------------------------------------------------- */

/* As training cuts them. */
static void count_pieces(const puppet_demos *all, puppet_demo *of)
{
    for (int first = 0, end; first < of->count; first = end) {
        const marey_puppet_sample *s = of->samples;
        for (end = first + 1; end < of->count; end++) {
            if (s[end].time_s - s[end - 1].time_s > all->def.gap_s) break;
        }
        of->pieces++;
        if (floor((s[end - 1].time_s - s[first].time_s) * all->def.rate + 1e-6) >= 1) continue;
        if (of->left_out++ == 0) of->left_out_s = s[first].time_s;
    }
}

/* Where nothing is left, the reader should know why. */
static marey_status check_left(const puppet_demos *all, puppet_demo *of, marey_error *error)
{
    count_pieces(all, of);
    if (of->left_out < of->pieces) return MAREY_OK;
    double apart = (of->samples[of->count - 1].time_s - of->samples[0].time_s) / (of->count - 1);
    if (of->paths && marey_paths_facts(of->paths)->not_seconds) {
        return fail_graph(error, MAREY_ERR_INPUT, of->name,
                          "rows are %.4g s apart, so that nothing follows on anything; are these "
                          "milliseconds, or numbers of frames? Times should be in seconds",
                          apart);
    }
    return fail_graph(error, MAREY_ERR_INPUT, of->name,
                      "there is nothing to learn from: every piece is shorter than a step of 1/%g "
                      "s%s",
                      all->def.rate,
                      of->pieces > 1 ? "; a larger --gap would keep them together" : "");
}

static marey_status take(puppet_demos *all, puppet_demo *one, marey_error *error)
{
    marey_status status = check_left(all, one, error);
    if (status != MAREY_OK) {
        if (one->paths) paths_note_turns(&all->notes, one->name, one->paths);
        free_demo(all->run, one);
        return status;
    }
    if (one->paths)
        paths_note(&all->notes, one->name, one->paths, "the demonstration is cut there");
    if (one->left_out > 0) {
        puppet_note(&all->notes,
                    "%.1000s%s%.1000s: %d of %d pieces between gaps left out: shorter than a step, "
                    "the first at %.6g s",
                    one->name, one->other ? ", " : "", one->other ? one->other : "", one->left_out,
                    one->pieces, one->left_out_s);
    }
    buffer_bytes(&all->rows, (const char *)one, sizeof *one);
    if (!all->rows.failed) return MAREY_OK;
    free_demo(all->run, one);
    return fail_for_memory(error);
}

/* ---- tables ---------------------------------------------------------------------------------------------- */

static marey_status read_table(puppet_demos *all, const char *path, marey_error *error)
{
    puppet_demo one = { .name = path };
    marey_paths_def def = { .needs_react = true, .gap_s = all->def.gap_s };
    marey_status status = paths_open(all->run, path, &def, &one.paths, error);
    if (status != MAREY_OK) {
        if (!path_ends_in(path, ".csv")) {
            explain_missing(path,
                            "clips are named with --clips A B, those of a library also with -L LIB",
                            error);
        }
        return status;
    }
    one.samples = marey_paths_samples(one.paths, &one.count);
    return take(all, &one, error);
}

/* ---- clips ------------------------------------------------------------------------------------------------ */

static void note_left_out(puppet_demos *all, const puppet_demo *one, int count)
{
    if (count == 0) return;
    puppet_note(&all->notes,
                "%.1000s, %.1000s: %d moment%s left out: a frame there is no captured motion",
                one->name, one->other, count, count == 1 ? "" : "s");
}

static void note_lengths(puppet_demos *all, const puppet_demo *one, marey_clip *const *clips)
{
    static const double much_s = 0.5;
    double main = marey_clip_seconds(clips[0]), react = marey_clip_seconds(clips[1]);
    if (fabs(main - react) < much_s) return;
    puppet_note(&all->notes, "%.1000s: the last %.4g s are left out; by then %.1000s is at its end",
                main > react ? one->name : one->other, fabs(main - react),
                main > react ? one->other : one->name);
}

static marey_status pair(puppet_demos *all, puppet_demo *one, marey_clip *const *clips,
                         marey_error *error)
{
    int most = marey_clip_pair_samples(clips[0], clips[1]);
    one->own_bytes = (size_t)most * sizeof *one->own;
    one->own = session_resize(all->run, NULL, 0, one->own_bytes);
    if (!one->own) return fail_for_memory(error);
    marey_status status = marey_clip_pair(clips[0], clips[1], one->own, &one->count, error);
    if (status == MAREY_OK) {
        note_lengths(all, one, clips);
        note_left_out(all, one, most - one->count);
    }
    one->samples = one->own;
    if (status == MAREY_OK) return take(all, one, error);
    free_demo(all->run, one);
    return status;
}

/* Which clip of the library it was, so that it is kept with the puppet. */
static void note_part(puppet_demos *all, const input *from, const input_source *source)
{
    const marey_entry *entry = from->listing ? listing_find(from->listing, source->name) : NULL;
    marey_part part = { .clip = entry ? entry->id : 0, .start = source->start, .end = source->end };
    licence_say(all->run, source->name, source->licence);
    puppet_origin_add(&all->origin, source->name, source->licence);
    if (entry) buffer_bytes(&all->parts, (const char *)&part, sizeof part);
}

static marey_status read_two(puppet_demos *all, input *from, const char *main, const char *react,
                             marey_error *error)
{
    const frame_range whole = { 0 };
    puppet_demo one = { .name = main, .other = react };
    marey_clip *clips[2] = { NULL, NULL };
    marey_status status = MAREY_OK;
    for (int i = 0; i < 2 && status == MAREY_OK; i++) {
        input_source source;
        const char *text = i ? react : main;
        status = input_load(from, text, &whole, &clips[i], &source, error);
        if (status == MAREY_OK) {
            note_part(all, from, &source);
        } else if (!from->library && !input_is_file(text)) {
            explain_missing(text, "with -L LIB clips are taken by name from a library", error);
        }
    }
    if (status == MAREY_OK) status = pair(all, &one, clips, error);
    marey_clip_free(clips[0]);
    marey_clip_free(clips[1]);
    return status;
}

static int read_clips(puppet_demos *all, const request *asked)
{
    input from;
    marey_error error;
    marey_status status = MAREY_OK;
    int at = 0, opened = input_open(all->run, asked, &from);
    const char *main;
    if (opened != PROGRAM_DONE) return opened;
    while (status == MAREY_OK && (main = request_next(asked, OPTION_CLIPS, &at)))
        status = read_two(all, &from, main, request_next(asked, OPTION_CLIPS, &at), &error);
    if (status == MAREY_OK && (all->parts.failed || all->origin.texts.failed))
        status = fail_for_memory(&error);
    input_close(&from);
    return status == MAREY_OK ? PROGRAM_DONE : session_fail(all->run, &error);
}

/* ---- all of them ------------------------------------------------------------------------------------------- */

int puppet_demos_read(puppet_demos *all, const request *asked)
{
    marey_error error;
    for (int i = 0; i < asked->operand_count; i++) {
        if (read_table(all, asked->operands[i], &error) != MAREY_OK)
            return session_fail(all->run, &error);
    }
    return request_has(asked, OPTION_CLIPS) ? read_clips(all, asked) : PROGRAM_DONE;
}

marey_status puppet_demos_train(puppet_demos *all, marey_puppet **out, marey_error *error)
{
    int count = puppet_demos_count(all);
    size_t bytes = (size_t)count * sizeof(marey_demonstration);
    marey_demonstration *demos = session_resize(all->run, NULL, 0, bytes);
    if (!demos) return fail_for_memory(error);
    for (int i = 0; i < count; i++) {
        const puppet_demo *of = puppet_demos_at(all, i);
        demos[i] = (marey_demonstration){ of->samples, of->count };
    }
    marey_status status = marey_puppet_train(all->run->ctx, demos, count, &all->def, out, error);
    session_resize(all->run, demos, bytes, 0);
    return status;
}
