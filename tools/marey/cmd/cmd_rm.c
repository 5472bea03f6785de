/* cmd_rm.c - `marey rm`: clips out of the way, or out of the file for good. */
#include "commands.h"
#include "shelf.h"

static void describe_removed(session *run, char **names, int count)
{
    json to = json_make(&run->out);
    if (run->json) {
        json_open(&to, NULL, '{');
        json_names(&to, "removed", names, count);
        json_close(&to, '}');
        buffer_byte(&run->out, '\n');
    } else if (!run->quiet) {
        buffer_text(&run->out, "removed ");
        buffer_clips(&run->out, count);
        buffer_print(&run->out, "; marey restore brings %s back\n", count == 1 ? "it" : "them");
    }
}

static void describe_purged(session *run, int count)
{
    json to = json_make(&run->out);
    if (run->json) {
        json_open(&to, NULL, '{');
        json_put_integer(&to, "purged", count);
        json_close(&to, '}');
        buffer_byte(&run->out, '\n');
    } else if (!run->quiet) {
        buffer_text(&run->out, "purged ");
        buffer_clips(&run->out, count);
        buffer_byte(&run->out, '\n');
    }
}

/* How many there were is known afterwards; room for saying it is made before. */
static marey_status purge(shelf *at, const char *const *names, int count, marey_error *error)
{
    enum { ANSWER_ROOM = 64 };
    int purged = 0;
    marey_status status = shelf_ready_for(at->run, ANSWER_ROOM, error);
    if (status == MAREY_OK) {
        status = marey_library_purge(at->library, names, count, &purged, error);
    }
    if (status == MAREY_OK) describe_purged(at->run, purged);
    if (status == MAREY_OK && marey_library_purge_pending(at->library)) {
        session_say(at->run,
                    "another program is reading %s: what was purged stays in its log until that "
                    "program closes it",
                    marey_library_path(at->library));
    }
    return status;
}

int command_rm(session *run, const request *asked)
{
    char **names = asked->operands + 1;
    int count = asked->operand_count - 1;
    bool for_good = request_has(asked, OPTION_PURGE);
    shelf at;
    marey_error error;
    if (count == 0 && !for_good) {
        return session_usage(run, "missing argument: marey rm %s", run->command->usage);
    }
    if (shelf_open(run, asked->operands[0], MAREY_LIBRARY_WRITE, &at, &error) != MAREY_OK) {
        return session_fail(run, &error);
    }
    marey_status status;
    if (for_good) {
        status = purge(&at, (const char *const *)names, count, &error);
    } else {
        describe_removed(run, names, count);
        status = shelf_ready(run, &error);
        if (status == MAREY_OK) {
            status = marey_library_remove(at.library, (const char *const *)names, count, &error);
        }
    }
    return shelf_end(&at, status, &error);
}
