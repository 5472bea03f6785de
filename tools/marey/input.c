/* input.c - from an address and options to a clip. */
#include "input.h"

#include <stdio.h>
#include <string.h>

/* What the library accepts; see marey_load_def and marey_clip_resample. */
static const double LOWEST_FPS = 0.1, HIGHEST_FPS = 10000;

int input_options(session *run, const request *asked, marey_load_def *out)
{
    *out = (marey_load_def){ .skip_first = request_has(asked, OPTION_SKIP_FIRST) };
    int status = options_units(run, asked, OPTION_UNITS, &out->units);
    if (status == PROGRAM_DONE) status = options_up(run, asked, OPTION_UP, &out->up);
    if (status == PROGRAM_DONE) {
        status = options_number(run, asked, OPTION_SOURCE_FPS, LOWEST_FPS, HIGHEST_FPS,
                                &out->source_fps);
    }
    return status;
}

int input_rate(session *run, const request *asked, double *out)
{
    *out = 0;
    return options_number(run, asked, OPTION_FPS, LOWEST_FPS, HIGHEST_FPS, out);
}

marey_status input_replace(marey_clip **clip, marey_clip *fresh, marey_status status,
                           const char *path, marey_error *error)
{
    marey_clip_free(*clip);
    *clip = status == MAREY_OK ? fresh : NULL;
    if (status != MAREY_OK) snprintf(error->path, sizeof error->path, "%s", path);
    return status;
}

void input_say_warnings(session *run, const char *path, const marey_clip *clip, int first)
{
    const marey_report *report = marey_clip_report(clip);
    for (int i = first; i < report->warning_count && !run->quiet; i++) {
        session_say(run, "%s: warning: %s", path, report->warnings[i]);
    }
}

static marey_status cut(marey_clip **clip, const frame_range *range, int dropped, const char *path,
                        marey_error *error)
{
    marey_clip *fresh = NULL;
    int start, end;
    if (!range->given) return MAREY_OK;
    marey_status status = range_find(range, *clip, dropped, &start, &end, error);
    if (status == MAREY_OK) status = marey_clip_trim(*clip, start, end, &fresh, error);
    return input_replace(clip, fresh, status, path, error);
}

marey_status input_load(session *run, const char *text, const marey_load_def *def,
                        const frame_range *trim, marey_clip **out, marey_error *error)
{
    address from;
    marey_clip *clip = NULL;
    if (!address_parse(text, &from)) {
        *error = (marey_error){ .status = MAREY_ERR_INPUT, .message = "this name is too long" };
        snprintf(error->path, sizeof error->path, "%s", text);
        return MAREY_ERR_INPUT;
    }
    marey_status status = marey_clip_load(run->ctx, from.path, def, &clip, error);
    if (status != MAREY_OK) return status;
    input_say_warnings(run, from.path, clip, 0);
    /* Ranges count the file's frames; behind a first cut they count those that are left. */
    int dropped = def->skip_first ? 1 : 0;
    status = cut(&clip, &from.range, dropped, from.path, error);
    if (from.range.given) dropped = 0;
    if (status == MAREY_OK) status = cut(&clip, trim, dropped, from.path, error);
    if (status == MAREY_OK) *out = clip;
    return status;
}
