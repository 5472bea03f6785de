/* input.c - from an address and options to a clip. */
#include "input.h"

#include "shelf.h"

#include <stdio.h>
#include <string.h>

/* What the library accepts; see marey_load_def and marey_clip_resample. */
static const double LOWEST_FPS = 0.1, HIGHEST_FPS = 10000;

int input_options(session *run, const request *asked, marey_load_def *out)
{
    *out = (marey_load_def){ .skip_first = request_has(asked, OPTION_SKIP_FIRST),
                             .skeleton_path = asked->values[OPTION_SKELETON] };
    int status = options_units(run, asked, OPTION_UNITS, &out->units);
    if (status == PROGRAM_DONE) status = options_up(run, asked, OPTION_UP, &out->up);
    if (status == PROGRAM_DONE) {
        status = options_number(run, asked, OPTION_SOURCE_FPS, LOWEST_FPS, HIGHEST_FPS,
                                &out->source_fps);
    }
    return status;
}

int input_check(session *run, const request *asked, marey_load_def *out)
{
    static const struct {
        option_key key;
        const char *name;
    } reading[] = { { OPTION_UNITS, "units" },
                    { OPTION_UP, "up" },
                    { OPTION_SOURCE_FPS, "source-fps" },
                    { OPTION_SKIP_FIRST, "skip-first" },
                    { OPTION_SKELETON, "skeleton" } };
    int status = input_options(run, asked, out);
    if (status != PROGRAM_DONE || !asked->values[OPTION_LIBRARY]) return status;
    for (size_t i = 0; i < sizeof reading / sizeof *reading; i++)
        if (request_has(asked, reading[i].key))
            return session_usage(
                run, "--%s is for files; a library's clips were read when they were added",
                reading[i].name);
    return PROGRAM_DONE;
}

int input_open(session *run, const request *asked, input *out)
{
    const char *path = asked->values[OPTION_LIBRARY];
    input from = { .run = run };
    marey_error error;
    int status = input_check(run, asked, &from.def);
    if (status != PROGRAM_DONE) return status;
    if (path &&
        marey_library_open(run->ctx, path, MAREY_LIBRARY_READ, &from.library, &error) != MAREY_OK) {
        return session_fail(run, &error);
    }
    *out = from;
    return PROGRAM_DONE;
}

void input_close(input *from)
{
    marey_listing_free(from->listing);
    marey_library_close(from->library);
    from->listing = NULL;
    from->library = NULL;
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

/* Which frames of its file or library entry a clip still has. */
typedef struct span {
    int start, end;
} span;

static marey_status cut(marey_clip **clip, const frame_range *range, int dropped, const char *path,
                        span *left, marey_error *error)
{
    marey_clip *fresh = NULL;
    int start = 0, end = 0;
    if (!range->given) return MAREY_OK;
    marey_status status = range_find(range, *clip, dropped, &start, &end, error);
    if (status == MAREY_OK) status = marey_clip_trim(*clip, start, end, &fresh, error);
    *left = (span){ left->start + start, left->start + end };
    return input_replace(clip, fresh, status, path, error);
}

static marey_status fill_source(input *from, const address *at, span left, input_source *out,
                                marey_error *error)
{
    const char *name = at->path, *licence = "", *library = NULL;
    if (from->library) {
        if (!from->listing) {
            marey_status status = marey_library_list(from->library, NULL, &from->listing, error);
            if (status != MAREY_OK) return status;
        }
        const marey_entry *entry = listing_find(from->listing, at->path);
        if (entry) {
            name = entry->name; /* "#34" says little to who reads it elsewhere */
            licence = entry->licence;
        }
        library = marey_library_path(from->library);
    }
    *out = (input_source){
        .library = library, .licence = licence, .start = left.start, .end = left.end
    };
    memcpy(out->name, name, strlen(name) + 1);
    return MAREY_OK;
}

/* A library's clip was warned about when it was added; info says it again. */
marey_status input_load_file(void *user, const char *path, marey_clip **out, int *dropped,
                             marey_error *error)
{
    input *from = user;
    marey_status status = marey_clip_load(from->run->ctx, path, &from->def, out, error);
    *dropped = from->def.skip_first ? 1 : 0;
    if (status != MAREY_OK) return status;
    input_say_warnings(from->run, path, *out, 0);
    /* A user who names a skeleton wants it used. */
    if (from->def.skeleton_path && !from->run->quiet &&
        strcmp(marey_clip_report(*out)->format, "amc") != 0)
        session_say(from->run,
                    "%s: --skeleton is for AMC files; this file has a skeleton of its own", path);
    return MAREY_OK;
}

marey_status input_load(input *from, const char *text, const frame_range *trim, marey_clip **out,
                        input_source *source, marey_error *error)
{
    address at;
    marey_clip *clip = NULL;
    if (!address_parse(text, &at)) {
        *error = (marey_error){ .status = MAREY_ERR_INPUT, .message = "this name is too long" };
        snprintf(error->path, sizeof error->path, "%s", text);
        return MAREY_ERR_INPUT;
    }
    int dropped = 0;
    marey_status status = from->library ? marey_library_load(from->library, at.path, &clip, error)
                                        : input_load_file(from, at.path, &clip, &dropped, error);
    if (marey_status_group(status) == MAREY_ERR_INPUT || marey_status_group(status) == MAREY_ERR_IO)
        address_explain(at.path, error);
    /* Ranges count the file's frames; behind a first cut they count those that are left. */
    dropped = from->def.skip_first ? 1 : 0;
    span left = { dropped, dropped + (clip ? marey_clip_frames(clip) : 0) };
    if (status == MAREY_OK) status = cut(&clip, &at.range, dropped, at.path, &left, error);
    if (at.range.given) dropped = 0;
    if (status == MAREY_OK) status = cut(&clip, trim, dropped, at.path, &left, error);
    if (status == MAREY_OK && source) status = fill_source(from, &at, left, source, error);
    if (status != MAREY_OK) {
        marey_clip_free(clip);
        return status;
    }
    *out = clip;
    return MAREY_OK;
}
