/* cmd_restore.c - `marey restore`: removed clips back again. A clip whose name was taken meanwhile gets another
   one, which the answer gives. */
#include "commands.h"
#include "shelf.h"

#include <string.h>

typedef struct restoring {
    shelf at;
    char **names;
    int count;
    marey_named *got; /* names[i] is got[i] now */
} restoring;

static void describe(restoring *all)
{
    session *run = all->at.run;
    json to = json_make(&run->out);
    if (run->json) {
        json_open(&to, NULL, '{');
        json_open(&to, "restored", '[');
        for (int i = 0; i < all->count; i++) json_put_string(&to, NULL, all->got[i].name);
        json_close(&to, ']');
        json_close(&to, '}');
        buffer_byte(&run->out, '\n');
        return;
    }
    for (int i = 0; i < all->count && !run->quiet; i++) {
        const char *name = all->got[i].name;
        buffer_text(&run->out, "restored ");
        buffer_shown(&run->out, all->names[i]);
        if (strcmp(name, all->names[i]) != 0) {
            buffer_text(&run->out, " as ");
            buffer_shown(&run->out, name);
        }
        buffer_byte(&run->out, '\n');
    }
}

/* The room for the answer is made before the change, the answer behind it. */
static marey_status restore(restoring *all, marey_error *error)
{
    int room = 256 + all->count * 12 * CLIP_NAME_ROOM;
    marey_status status = shelf_ready_for(all->at.run, room, error);
    if (status == MAREY_OK) {
        status = marey_library_restore_clips(all->at.library, (const char *const *)all->names,
                                             all->count, all->got, error);
    }
    if (status != MAREY_OK) return status;
    describe(all);
    return MAREY_OK;
}

int command_restore(session *run, const request *asked)
{
    restoring all = { .names = asked->operands + 1, .count = asked->operand_count - 1 };
    size_t bytes = (size_t)all.count * sizeof *all.got;
    marey_error error;
    if (shelf_open(run, asked->operands[0], MAREY_LIBRARY_WRITE, &all.at, &error) != MAREY_OK) {
        return session_fail(run, &error);
    }
    all.got = session_resize(run, NULL, 0, bytes);
    if (!all.got) {
        shelf_close(&all.at, true);
        return session_fail_memory(run);
    }
    marey_status status = restore(&all, &error);
    session_resize(run, all.got, bytes, 0);
    return shelf_end(&all.at, status, &error);
}
