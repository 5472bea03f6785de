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
    while ((value = request_next(asked, option, &at))) json_string(to, NULL, value);
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

/* Every value of an option, as a label put on or taken off. */
static marey_status change_labels(labelling *all, option_key key, bool on, marey_error *error)
{
    const char *label;
    int at = 0;
    marey_status status = MAREY_OK;
    while (status == MAREY_OK && (label = request_next(all->asked, key, &at))) {
        status = marey_library_label(all->at.library, (const char *const *)all->names, all->count,
                                     label, on, error);
    }
    return status;
}

static marey_status change_texts(labelling *all, marey_error *error)
{
    const char *description = all->asked->values[OPTION_DESCRIBE];
    const char *licence = all->asked->values[OPTION_LICENCE];
    marey_status status = MAREY_OK;
    for (int i = 0; i < all->count && status == MAREY_OK; i++) {
        if (description) {
            status = marey_library_describe(all->at.library, all->names[i], description, error);
        }
        if (status == MAREY_OK && licence) {
            status = marey_library_set_licence(all->at.library, all->names[i], licence, error);
        }
    }
    return status;
}

/* All names are looked up first, so that a wrong one among them changes nothing. */
static marey_status change(labelling *all, marey_error *error)
{
    marey_status status = shelf_need(&all->at, all->names, all->count, error);
    if (status == MAREY_OK) describe(all);
    if (status == MAREY_OK) status = shelf_ready(all->at.run, error);
    if (status == MAREY_OK) status = change_labels(all, OPTION_DROP, false, error);
    if (status == MAREY_OK) status = change_labels(all, OPTION_ADD, true, error);
    if (status == MAREY_OK) status = change_texts(all, error);
    return status;
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
