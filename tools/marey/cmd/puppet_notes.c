/* puppet_notes.c - reading tables of paths. */
#include "puppet_notes.h"

#include "graph_open.h"
#include "input.h"
#include "puppet_open.h"
#include "text_file.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { LARGEST_FILE_MIB = 1024 };

/* ---- notes --------------------------------------------------------------------------------------------- */

void puppet_notes_make(puppet_notes *all, session *run)
{
    *all = (puppet_notes){ .run = run, .values = buffer_make(&run->host->def) };
    all->to = json_make(&all->values);
}

void puppet_notes_free(puppet_notes *all)
{
    buffer_free(&all->values);
}

void puppet_note(puppet_notes *all, const char *format, ...)
{
    char text[2048];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    json_put_string(&all->to, NULL, text);
    if (!all->run->quiet) session_say(all->run, "%s", text);
}

/* ---- tables -------------------------------------------------------------------------------------------- */

/* What was meant, if it is something else that is known. */
static marey_status refuse_others(const buffer *text, const char *path, marey_error *error)
{
    if (puppet_is_bytes(text)) {
        return fail_graph(
            error, MAREY_ERR_INPUT, path,
            "this is a trained puppet, not a table of paths; marey puppet show %.300s "
            "--csv OUT.csv writes its demonstrations as one",
            path);
    }
    if (text->used > 16 && memcmp(text->bytes, "SQLite format 3", 16) == 0) {
        return fail_graph(error, MAREY_ERR_INPUT, path,
                          "this is a library, not a table of paths; it is named by -L");
    }
    if (is_clip_file(path)) {
        return fail_graph(error, MAREY_ERR_INPUT, path,
                          "this is a clip, not a table of paths; marey puppet train --clips A B "
                          "takes the floor paths of two clips");
    }
    return MAREY_OK;
}

marey_status paths_open(session *run, const char *path, const marey_paths_def *def,
                        marey_paths **out, marey_error *error)
{
    buffer text = buffer_make(&run->host->def);
    marey_status status =
        text_file_read(run, path, LARGEST_FILE_MIB, "a table of paths", &text, error);
    if (status == MAREY_OK) status = refuse_others(&text, path, error);
    if (status == MAREY_OK)
        status = marey_paths_read(run->ctx, text.bytes, text.used - 1, path, def, out, error);
    buffer_free(&text);
    return status;
}

static void note_gaps(puppet_notes *all, const char *path, const marey_paths_about *facts,
                      const char *gap)
{
    char which[96];
    if (facts->gaps > 1) {
        snprintf(which, sizeof which, "the first of %d gaps of up to %.4g s", facts->gaps,
                 facts->gap_most_s);
    } else {
        snprintf(which, sizeof which, "a gap of %.4g s", facts->gap_most_s);
    }
    puppet_note(all, "%.1000s:%d: this row comes behind %s; %s", path, facts->gap_line, which, gap);
}

void paths_note_turns(puppet_notes *all, const char *path, const marey_paths *paths)
{
    int line = marey_paths_facts(paths)->degrees_line;
    if (line == 0) return;
    puppet_note(all,
                "%.1000s:%d: a direction is beyond 7; is it in degrees? Directions are in radians, "
                "counter-clockwise from x",
                path, line);
}

void paths_note(puppet_notes *all, const char *path, const marey_paths *paths, const char *gap)
{
    const marey_paths_about *facts = marey_paths_facts(paths);
    if (facts->not_seconds) {
        puppet_note(all,
                    "%.1000s: rows are %.4g s apart; are these milliseconds, or numbers of frames? "
                    "Times should be in seconds",
                    path, facts->seconds / (facts->count - 1));
    } else if (facts->gaps > 0) {
        note_gaps(all, path, facts, gap);
    }
    paths_note_turns(all, path, paths);
}
