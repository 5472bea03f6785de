/* param_files.c - from files to clips of an indexed library, on the way to a family. */
#include "param_files.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Of the operands, the library and the family's name come first. */
enum { FIRST_FILE = 2 };

static void note_clip(void *user, const marey_add_result *result)
{
    param_files *all = user;
    char number[24];
    int length = snprintf(number, sizeof number, "#%" PRId64, result->id);
    buffer_bytes(&all->clips, result->path, strlen(result->path) + 1);
    buffer_bytes(&all->clips, number, (size_t)length + 1);
}

void param_files_make(param_files *all, session *run, const request *asked)
{
    adding_make(&all->in, run);
    all->in.taken = note_clip;
    all->in.taken_user = all;
    all->clips = buffer_make(&run->host->def);
    all->given = asked->operand_count > FIRST_FILE;
    all->indexed = false;
    if (all->given && adding_walk(&all->in, asked->operands + FIRST_FILE,
                                  asked->operand_count - FIRST_FILE) != MAREY_OK) {
        all->clips.failed = true; /* told when they are to be put in */
    }
}

void param_files_free(param_files *all)
{
    buffer_free(&all->clips);
    adding_free(&all->in);
}

marey_status param_files_take(param_files *all, marey_library *library, bool index,
                              marey_error *error)
{
    marey_status status = MAREY_OK;
    if (!all->given) return MAREY_OK;
    if (!all->clips.failed) status = adding_run(&all->in, library, error);
    if (all->clips.failed) {
        *error = (marey_error){ .status = MAREY_ERR_MEMORY, .message = "out of memory" };
        status = MAREY_ERR_MEMORY;
    }
    if (status != MAREY_OK || !index) return status;
    status = marey_library_index(library, NULL, &all->index, error);
    all->indexed = status == MAREY_OK;
    if (status == MAREY_ERR_CANCELLED) {
        snprintf(error->message, sizeof error->message,
                 "interrupted; what was put in and indexed stays, and the same command goes on "
                 "from there");
    }
    return status;
}

const char *param_files_clip(const param_files *all, const char *path)
{
    if (all->clips.used == 0) return NULL; /* no file was given */
    const char *at = all->clips.bytes, *end = at + all->clips.used;
    while (at < end) {
        const char *clip = at + strlen(at) + 1;
        if (strcmp(at, path) == 0) return clip;
        at = clip + strlen(clip) + 1;
    }
    return NULL;
}

void param_files_json(const param_files *all, json *to)
{
    if (!all->given) return;
    adding_json(&all->in, to);
    if (!all->indexed) return;
    json_put_integer(to, "pairs_indexed", all->index.pairs_built);
    json_put_number(to, "index_seconds", all->index.seconds);
}

void param_files_text(const param_files *all, buffer *out)
{
    if (!all->given) return;
    adding_text(&all->in, out);
    if (all->indexed && all->index.pairs_built > 0) {
        buffer_print(out, "indexed %d pair%s of clips in %.3g s\n", all->index.pairs_built,
                     all->index.pairs_built == 1 ? "" : "s", all->index.seconds);
    }
}
