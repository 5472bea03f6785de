/* cmd_cut.c - `marey cut`: a part of a clip as a clip of its own. */
#include "address.h"
#include "commands.h"
#include "shelf.h"

#include <stdio.h>

typedef struct cutting {
    shelf at;
    address from;
    int start, end;
    char got[CLIP_NAME_ROOM];
} cutting;

static void describe(cutting *all)
{
    session *run = all->at.run;
    json to = json_make(&run->out);
    int frames = all->end - all->start;
    if (run->json) {
        json_open(&to, NULL, '{');
        json_put_string(&to, "name", all->got);
        json_put_integer(&to, "frames", frames);
        json_put_integer(&to, "start", all->start);
        json_put_integer(&to, "end", all->end);
        json_close(&to, '}');
        buffer_byte(&run->out, '\n');
    } else if (!run->quiet) {
        buffer_text(&run->out, "made ");
        buffer_shown(&run->out, all->got);
        buffer_print(&run->out, ": %d frame%s\n", frames, frames == 1 ? "" : "s");
    }
}

/* Which frames a range in seconds means depends on the clip's rate. */
static marey_status find_frames(cutting *all, marey_error *error)
{
    marey_clip *clip = NULL;
    marey_status status = marey_library_load(all->at.library, all->from.path, &clip, error);
    if (status != MAREY_OK) return status;
    status = range_find(&all->from.range, clip, 0, &all->start, &all->end, error);
    if (status != MAREY_OK) snprintf(error->path, sizeof error->path, "%.1000s", all->from.path);
    marey_clip_free(clip);
    return status;
}

static marey_status cut(cutting *all, const char *name, marey_error *error)
{
    enum { ANSWER_ROOM = 6 * CLIP_NAME_ROOM + 256 };
    marey_status status = find_frames(all, error);
    if (status == MAREY_OK) status = shelf_ready_for(all->at.run, ANSWER_ROOM, error);
    if (status == MAREY_OK) {
        status = marey_library_cut(all->at.library, all->from.path, all->start, all->end, name,
                                   all->got, sizeof all->got, error);
    }
    if (status == MAREY_OK) describe(all);
    return status;
}

int command_cut(session *run, const request *asked)
{
    cutting all = { .got = "" };
    marey_error error;
    if (!address_parse(asked->operands[1], &all.from) || !all.from.range.given) {
        return session_usage(run,
                             "which frames of %s? Name them as in walk#120-300 or walk#1.5s-3s",
                             asked->operands[1]);
    }
    if (shelf_open(run, asked->operands[0], MAREY_LIBRARY_WRITE, &all.at, &error) != MAREY_OK) {
        return session_fail(run, &error);
    }
    marey_status status = cut(&all, asked->operands[2], &error);
    return shelf_end(&all.at, status, &error);
}
