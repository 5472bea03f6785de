/* cmd_label.c - `marey label`: labels, descriptions and licences of clips. */
#include "commands.h"
#include "shelf.h"

#include <string.h>

/* The library's rule, asked before anything is changed. */
enum { LONGEST_LABEL = 200 };

typedef struct labelling {
    shelf at;
    const request *asked;
    char **names;
    int count;
} labelling;

static void json_values(json *to, const char *key, const request *asked, option_key option)
{
    const char *value;
    int at = 0;
    json_open(to, key, '[');
    while ((value = request_next(asked, option, &at))) json_put_string(to, NULL, value);
    json_close(to, ']');
}

static void describe(labelling *all)
{
    session *run = all->at.run;
    json to = json_make(&run->out);
    if (run->json) {
        json_open(&to, NULL, '{');
        json_names(&to, "names", all->names, all->count);
        json_values(&to, "added", all->asked, OPTION_ADD);
        json_values(&to, "dropped", all->asked, OPTION_DROP);
        json_close(&to, '}');
        buffer_byte(&run->out, '\n');
    } else if (!run->quiet) {
        buffer_text(&run->out, "changed ");
        buffer_clips(&run->out, all->count);
        buffer_byte(&run->out, '\n');
    }
}

/* The values of an option. */
static int find_values(const request *asked, option_key key, const char **values)
{
    int at = 0, count = 0;
    for (const char *value; count < MOST_REPEATED && (value = request_next(asked, key, &at));) {
        values[count++] = value;
    }
    return count;
}

/* One transaction: all of it for all clips, or nothing. */
static marey_status change(labelling *all, marey_error *error)
{
    const char *drop[MOST_REPEATED], *add[MOST_REPEATED];
    marey_edit_def def = { .drop = drop,
                           .drop_count = find_values(all->asked, OPTION_DROP, drop),
                           .add = add,
                           .add_count = find_values(all->asked, OPTION_ADD, add),
                           .description = all->asked->values[OPTION_DESCRIBE],
                           .licence = all->asked->values[OPTION_LICENCE] };
    describe(all);
    marey_status status = shelf_ready(all->at.run, error);
    if (status != MAREY_OK) return status;
    return marey_library_edit(all->at.library, (const char *const *)all->names, all->count, &def,
                              error);
}

int command_label(session *run, const request *asked)
{
    labelling all = { .asked = asked,
                      .names = asked->operands + 1,
                      .count = asked->operand_count - 1 };
    marey_error error;
    bool asks = request_has(asked, OPTION_ADD) || request_has(asked, OPTION_DROP) ||
                request_has(asked, OPTION_DESCRIBE) || request_has(asked, OPTION_LICENCE);
    if (!asks) return session_usage(run, "one of --add, --drop, --describe, --licence is needed");
    for (int i = 0; i < asked->repeated_count; i++) {
        size_t length = strlen(asked->repeated[i].value);
        if (length == 0 || length > LONGEST_LABEL) {
            return session_usage(run, "a label has 1 to %d bytes", (int)LONGEST_LABEL);
        }
    }
    if (shelf_open(run, asked->operands[0], MAREY_LIBRARY_WRITE, &all.at, &error) != MAREY_OK) {
        return session_fail(run, &error);
    }
    marey_status status = change(&all, &error);
    return shelf_end(&all.at, status, &error);
}
