/* cmd_puppet_train.c - `marey puppet train`: a behaviour out of demonstrations. */
#include "commands.h"
#include "param_family.h"
#include "puppet_demos.h"
#include "puppet_open.h"
#include "puppet_tell.h"

#include <string.h>

typedef struct training {
    session *run;
    const request *asked;
    marey_puppet_def def;
    puppet_place to;
    puppet_demos demos;
    marey_puppet *puppet;
    buffer about;
} training;

/* ---- options ------------------------------------------------------------------------------------------ */

/* What does nothing is refused. */
static int check_use(const training *all)
{
    static const struct {
        option_key key;
        const char *name;
    } of_clips[] = { { OPTION_UNITS, "units" },
                     { OPTION_UP, "up" },
                     { OPTION_SOURCE_FPS, "source-fps" },
                     { OPTION_SKIP_FIRST, "skip-first" },
                     { OPTION_SKELETON, "skeleton" } };
    const request *asked = all->asked;
    bool clips = request_has(asked, OPTION_CLIPS);
    if (!clips && asked->operand_count == 0)
        return session_usage(all->run, "a demonstration is needed: DEMO.csv, or --clips A B");
    for (size_t i = 0; i < sizeof of_clips / sizeof *of_clips && !clips; i++) {
        if (!request_has(asked, of_clips[i].key)) continue;
        return session_usage(all->run, "--%s is for --clips", of_clips[i].name);
    }
    if (request_has(asked, OPTION_ABOUT) && !all->to.library)
        return session_usage(all->run, "--about is kept by a library; a file has no room for it");
    if (request_has(asked, OPTION_LIBRARY) && !clips && !all->to.library)
        return session_usage(all->run,
                             "-L is for --clips A B, or for a puppet that a library keeps");
    return PROGRAM_DONE;
}

static int read_options(training *all)
{
    session *run = all->run;
    const request *asked = all->asked;
    int status = puppet_place_to(run, asked, &all->to);
    if (status == PROGRAM_DONE) status = check_use(all);
    if (status == PROGRAM_DONE)
        status = options_number(run, asked, OPTION_RATE, 5, 240, &all->def.rate);
    if (status == PROGRAM_DONE)
        status = options_number(run, asked, OPTION_WINDOW, 0.02, 30, &all->def.window_s);
    if (status == PROGRAM_DONE)
        status = options_number(run, asked, OPTION_GAP, 0.001, 3600, &all->def.gap_s);
    if (status != PROGRAM_DONE || all->to.library) return status;
    return refuse_overwriting(run, "-o", all->to.name, asked->operands, asked->operand_count);
}

/* ---- the answer ---------------------------------------------------------------------------------------- */

static void write_demo(const puppet_demo *of, json *to)
{
    json_open(to, NULL, '{');
    json_put_string(to, of->other ? "main" : "path", of->name);
    if (of->other) json_put_string(to, "react", of->other);
    json_put_integer(to, "rows", of->count);
    json_put_number(to, "seconds", of->samples[of->count - 1].time_s - of->samples[0].time_s);
    json_put_integer(to, "pieces", of->pieces - of->left_out);
    json_put_integer(to, "left_out", of->left_out);
    json_close(to, '}');
}

static void write_json(const training *all, json *to)
{
    json_open(to, NULL, '{');
    json_put_string(to, "name", all->to.library ? all->to.name : NULL);
    json_put_string(to, all->to.library ? "library" : "path",
                    all->to.library ? all->to.library : all->to.name);
    json_puppet(to, all->puppet);
    json_open(to, "demonstrations", '[');
    for (int i = 0; i < puppet_demos_count(&all->demos); i++)
        write_demo(puppet_demos_at(&all->demos, i), to);
    json_close(to, ']');
    json_put_array_of(to, "notes", &all->demos.notes.values);
    json_close(to, '}');
    buffer_byte(to->out, '\n');
}

static void write_text(const training *all, buffer *out)
{
    buffer_text(out, "wrote ");
    buffer_puppet(out, &all->to);
    buffer_text(out, ": ");
    buffer_learned(out, all->puppet);
}

static marey_status answer(const training *all, marey_error *error)
{
    json to = json_make(&all->run->out);
    if (all->run->json) {
        write_json(all, &to);
    } else if (!all->run->quiet) {
        write_text(all, &all->run->out);
    }
    if (all->demos.notes.values.failed) return fail_for_memory(error);
    return shelf_ready(all->run, error);
}

/* ---- keeping it ---------------------------------------------------------------------------------------- */

/* "trained on a.csv, walk with run". */
static void describe(training *all)
{
    buffer *out = &all->about;
    const char *given = all->asked->values[OPTION_ABOUT];
    if (given) {
        buffer_text(out, given);
    } else {
        buffer_text(out, "trained on ");
        for (int i = 0; i < puppet_demos_count(&all->demos); i++) {
            const puppet_demo *of = puppet_demos_at(&all->demos, i);
            if (i > 0) buffer_text(out, ", ");
            buffer_shown(out, of->name);
            if (!of->other) continue;
            buffer_text(out, " with ");
            buffer_shown(out, of->other);
        }
    }
    buffer_byte(out, 0);
}

/* Clips of another library are none of this one. */
static marey_status keep(training *all, marey_error *error)
{
    const buffer *parts = &all->demos.parts;
    const char *from = all->asked->values[OPTION_LIBRARY];
    bool own = from && all->to.library && is_same_file(from, all->to.library);
    marey_status status = answer(all, error);
    describe(all);
    if (status == MAREY_OK && all->about.failed) status = fail_for_memory(error);
    if (status != MAREY_OK) return status;
    return puppet_keep(all->run, &all->to, all->puppet, &all->demos.origin,
                       own ? (const marey_part *)(const void *)parts->bytes : NULL,
                       own ? (int)(parts->used / sizeof(marey_part)) : 0, all->about.bytes, error);
}

/* Whoever shows so little gets a puppet that can do little; better to hear it now. */
static void note_little(training *all)
{
    static const double little_s = 2;
    double seconds = puppet_measure(all->puppet).seconds;
    if (seconds >= little_s) return;
    puppet_note(&all->demos.notes,
                "%.3g s are little to learn from; half a minute in which everything happens once "
                "is enough",
                seconds);
}

static int train(training *all)
{
    marey_error error;
    int read = puppet_demos_read(&all->demos, all->asked);
    if (read != PROGRAM_DONE) return read;
    marey_status status = puppet_demos_train(&all->demos, &all->puppet, &error);
    if (status == MAREY_OK) {
        note_little(all);
        status = keep(all, &error);
    }
    if (status == MAREY_OK) return session_finish(all->run, PROGRAM_DONE);
    all->run->out.used = 0;
    return session_fail(all->run, &error);
}

int command_puppet_train(session *run, const request *asked)
{
    training all = { .run = run, .asked = asked, .about = buffer_make(&run->host->def) };
    int status = read_options(&all);
    puppet_demos_make(&all.demos, run, &all.def);
    if (status == PROGRAM_DONE) status = train(&all);
    marey_puppet_free(all.puppet);
    puppet_demos_free(&all.demos);
    buffer_free(&all.about);
    return status;
}
