/* cmd_index.c - `marey index`: the match webs of a library, from which `marey search` finds. */
#include "commands.h"
#include "metric_options.h"
#include "shelf.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct indexing {
    shelf at;
    const request *asked;
    marey_index_def def;
    marey_metric_def metric;
    marey_joint_weights joints; /* what metric.joints points to, if any were given */
    marey_web_def web;
} indexing;

/* ---- asking for it --------------------------------------------------------------------------------- */

static bool has_any(const request *asked, const option_key *keys, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (request_has(asked, keys[i])) return true;
    }
    return false;
}

static int read_ceiling(indexing *all, session *run)
{
    const char *text = all->asked->values[OPTION_CEILING];
    if (text && strcmp(text, "none") == 0) {
        all->web.ceiling = (double)INFINITY;
        return PROGRAM_DONE;
    }
    return options_number(run, all->asked, OPTION_CEILING, 1e-9, 1e12, &all->web.ceiling);
}

static int read_web(indexing *all, session *run)
{
    const request *asked = all->asked;
    int64_t slope = 0;
    int status = read_ceiling(all, run);
    if (status == PROGRAM_DONE) status = options_whole(run, asked, OPTION_SLOPE, 1, 8, &slope);
    if (status == PROGRAM_DONE)
        status = options_number(run, asked, OPTION_VALID, 1e-6, 100, &all->web.valid);
    if (status == PROGRAM_DONE)
        status = options_number(run, asked, OPTION_SHORTEST, 0.01, 60, &all->web.shortest_s);
    if (status == PROGRAM_DONE)
        status = options_number(run, asked, OPTION_BRIDGE, 0.01, 60, &all->web.bridge_s);
    if (status == PROGRAM_DONE)
        status = options_number(run, asked, OPTION_TAIL, 0, 60, &all->web.tail_s);
    if (request_has(asked, OPTION_TAIL) && all->web.tail_s == 0) all->web.tail_s = -1;
    all->web.slope = (int)slope;
    all->web.levels = request_has(asked, OPTION_LEVELS);
    return status;
}

/* What is not said stays as the index was made; what is said makes the rest of its kind the default. */
static int read_options(indexing *all, session *run)
{
    static const option_key metric[] = { OPTION_METRIC,     OPTION_WINDOW,     OPTION_TAPERED,
                                         OPTION_JOINTS,     OPTION_ATTRIBUTES, OPTION_FIXED_ROOT,
                                         OPTION_CANDIDATES, OPTION_GAUSSIAN,   OPTION_NORMALISED,
                                         OPTION_COMMON_SIZE };
    static const option_key web[] = { OPTION_CEILING, OPTION_LEVELS, OPTION_VALID, OPTION_SHORTEST,
                                      OPTION_BRIDGE,  OPTION_TAIL,   OPTION_SLOPE };
    const request *asked = all->asked;
    bool metric_given = has_any(asked, metric, sizeof metric / sizeof *metric);
    bool web_given = has_any(asked, web, sizeof web / sizeof *web);
    bool rate_given = request_has(asked, OPTION_FPS), again = request_has(asked, OPTION_REBUILD);
    bool show = request_has(asked, OPTION_SHOW), drop = request_has(asked, OPTION_DROP);
    int status = PROGRAM_DONE;
    if ((show && drop) || ((show || drop) && (metric_given || web_given || rate_given || again))) {
        return session_usage(run,
                             "--%s builds nothing: no other option of marey index goes with it",
                             show ? "show" : "drop");
    }
    if (metric_given) {
        status = metric_options(run, asked, &all->metric, &all->joints);
        all->metric.common_size = request_has(asked, OPTION_COMMON_SIZE);
        all->def.metric = &all->metric;
    }
    if (status == PROGRAM_DONE && web_given) {
        status = read_web(all, run);
        all->def.web = &all->web;
    }
    if (status == PROGRAM_DONE) status = input_rate(run, asked, &all->def.fps);
    all->def.rebuild = again;
    return status;
}

/* ---- the answer ------------------------------------------------------------------------------------ */

static void write_size(json *to, const marey_index_report *report, const char *metric)
{
    json_put_number(to, "fps", report->fps);
    json_put_integer(to, "clips", report->clips);
    json_put_integer(to, "pairs", report->pairs);
    json_put_integer(to, "cells", report->cells);
    json_put_number(to, "seconds", report->seconds);
    json_put_integer(to, "chains", report->chains);
    json_put_integer(to, "bridges", report->bridges);
    json_put_integer(to, "bytes", report->bytes);
    json_put_string(to, "metric", metric);
    json_put_number(to, "ceiling", report->ceiling); /* null: none */
}

static void write_json(session *run, const marey_index_state *state,
                       const marey_index_report *report)
{
    json to = json_make(&run->out);
    json_open(&to, NULL, '{');
    if (!report) json_put_boolean(&to, "exists", state->exists);
    if (report || state->exists) write_size(&to, report ? report : &state->size, state->metric);
    if (report) {
        json_put_integer(&to, "pairs_built", report->pairs_built);
        json_put_integer(&to, "pairs_dropped", report->pairs_dropped);
        json_put_string(&to, "rebuilt", *report->rebuilt ? report->rebuilt : NULL);
    }
    json_put_integer(&to, "pairs_missing", state->pairs_missing);
    json_close(&to, '}');
    buffer_byte(&run->out, '\n');
}

static void write_amount(buffer *out, double value, const char *unit)
{
    static const char *const steps[] = { "", "thousand ", "million ", "billion " };
    int step = 0;
    while (value >= (step == 0 ? 9999.5 : 999.5) && step < 3) {
        value /= 1000;
        step++;
    }
    buffer_print(out, step == 0 ? "%.0f %s%s" : "%.3g %s%s", value, steps[step], unit);
}

static void write_bytes(buffer *out, int64_t bytes)
{
    if (bytes < 100000) {
        buffer_print(out, "%.1f kB", (double)bytes * 1e-3);
    } else {
        buffer_print(out, "%.1f MB", (double)bytes * 1e-6);
    }
}

static void write_contents(buffer *out, const marey_index_report *report, const char *metric)
{
    buffer_clips(out, report->clips);
    buffer_print(out, ", %d pair%s, %s, up to %.6g frames a second\n", report->pairs,
                 report->pairs == 1 ? "" : "s", metric, report->fps);
    write_amount(out, (double)report->cells, "pairs of frames, ");
    write_amount(out, (double)report->chains, "chains, ");
    write_amount(out, (double)report->bridges, "bridges, ");
    write_bytes(out, report->bytes);
    buffer_byte(out, '\n');
}

static void write_built(session *run, const indexing *all, const marey_index_state *state,
                        const marey_index_report *report)
{
    buffer *out = &run->out;
    buffer_shown(out, all->at.path);
    buffer_text(out, ": ");
    write_contents(out, report, state->metric);
    if (*report->rebuilt) {
        buffer_text(out, "made again: ");
        buffer_shown(out, report->rebuilt);
        buffer_byte(out, '\n');
    }
    if (report->pairs_built == 0 && report->pairs_dropped == 0) {
        buffer_text(out, "nothing was missing\n");
        return;
    }
    buffer_print(out, "built %d pair%s", report->pairs_built, report->pairs_built == 1 ? "" : "s");
    if (report->pairs_dropped > 0) buffer_print(out, ", dropped %d", report->pairs_dropped);
    buffer_print(out, " in %.3g s\nmarey search ", report->seconds);
    buffer_shown(out, all->at.path);
    buffer_text(out, " CLIP#A-B finds what is like frames A to B of a clip\n");
}

static void write_state(session *run, const indexing *all, const marey_index_state *state)
{
    buffer *out = &run->out;
    buffer_shown(out, all->at.path);
    buffer_text(out, ": ");
    if (!state->exists) {
        buffer_text(out, "no index yet; run marey index ");
        buffer_shown(out, all->at.path);
        buffer_byte(out, '\n');
        return;
    }
    write_contents(out, &state->size, state->metric);
    if (state->pairs_missing > 0) {
        buffer_print(out, "%d pair%s missing; marey index ", state->pairs_missing,
                     state->pairs_missing == 1 ? " is" : "s are");
        buffer_shown(out, all->at.path);
        buffer_text(out, " builds what is missing\n");
    }
}

/* ---- doing it -------------------------------------------------------------------------------------- */

static void write_time(char *text, size_t room, double seconds)
{
    int whole = (int)fmin(fmax(seconds + 0.5, 1), 1e8);
    if (whole < 60) {
        snprintf(text, room, "%d s", whole);
    } else if (whole < 3600) {
        snprintf(text, room, "%d min %02d s", whole / 60, whole % 60);
    } else {
        snprintf(text, room, "%d h %02d min", whole / 3600, whole / 60 % 60);
    }
}

static bool show_progress(void *user, const marey_index_progress *progress)
{
    session *run = user;
    char what[128], left[64];
    int shown = snprintf(what, sizeof what, "indexing, %d of %d pairs", progress->pairs_done,
                         progress->pairs);
    if (progress->seconds_left >= 0) {
        write_time(left, sizeof left, progress->seconds_left);
        snprintf(what + shown, sizeof what - (size_t)shown, ", %s left", left);
    }
    session_progress(run, what, progress->cells_done, progress->cells);
    return true;
}

static marey_status build(indexing *all, marey_error *error)
{
    session *run = all->at.run;
    marey_index_report report;
    marey_index_state state;
    all->def.progress = show_progress;
    all->def.user = run;
    run->own_progress = true;
    marey_status status = marey_library_index(all->at.library, &all->def, &report, error);
    if (status == MAREY_ERR_CANCELLED) {
        snprintf(error->message, sizeof error->message,
                 "interrupted; what was indexed stays, and marey index goes on from there");
    }
    if (status == MAREY_OK) status = marey_library_index_state(all->at.library, &state, error);
    if (status != MAREY_OK) return status;
    if (run->json) {
        write_json(run, &state, &report);
    } else if (!run->quiet) {
        write_built(run, all, &state, &report);
    }
    return shelf_ready(run, error);
}

static marey_status show(indexing *all, marey_error *error)
{
    session *run = all->at.run;
    marey_index_state state;
    marey_status status = marey_library_index_state(all->at.library, &state, error);
    if (status != MAREY_OK) return status;
    if (run->json) {
        write_json(run, &state, NULL);
    } else {
        write_state(run, all, &state);
    }
    return shelf_ready(run, error);
}

/* The answer is put together before the change: after that only sending it can fail. */
static marey_status drop(indexing *all, marey_error *error)
{
    session *run = all->at.run;
    marey_index_state state;
    json to = json_make(&run->out);
    marey_status status = marey_library_index_state(all->at.library, &state, error);
    if (status != MAREY_OK) return status;
    if (run->json) {
        json_open(&to, NULL, '{');
        json_put_boolean(&to, "dropped", state.exists);
        json_put_integer(&to, "bytes", state.exists ? state.size.bytes : 0);
        json_close(&to, '}');
        buffer_byte(&run->out, '\n');
    } else if (!run->quiet) {
        buffer_shown(&run->out, all->at.path);
        buffer_text(&run->out,
                    state.exists ? ": the index was taken out\n" : ": there was no index\n");
    }
    status = shelf_ready(run, error);
    return status == MAREY_OK ? marey_library_index_drop(all->at.library, error) : status;
}

int command_index(session *run, const request *asked)
{
    indexing all = { .asked = asked };
    marey_error error;
    bool shows = request_has(asked, OPTION_SHOW), drops = request_has(asked, OPTION_DROP);
    int status = read_options(&all, run);
    if (status != PROGRAM_DONE) return status;
    if (shelf_open(run, asked->operands[0], shows ? MAREY_LIBRARY_READ : MAREY_LIBRARY_WRITE,
                   &all.at, &error) != MAREY_OK) {
        return session_fail(run, &error);
    }
    marey_status done = shows   ? show(&all, &error)
                        : drops ? drop(&all, &error)
                                : build(&all, &error);
    return shelf_end(&all.at, done, &error);
}
