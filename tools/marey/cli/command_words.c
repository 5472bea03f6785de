/* command_words.c - what is said of the commands of the table, and how one of them is found. */
#include "commands.h"

#include <string.h>

const char *command_summary(const command *cmd)
{
    return cmd->operation ? cmd->operation->summary : cmd->summary;
}

const char *command_paragraph(const command *cmd, int index)
{
    return cmd->operation ? cmd->operation->description[index] : cmd->description[index];
}

void command_usage(const command *cmd, buffer *out)
{
    if (!cmd->operation) {
        buffer_text(out, cmd->usage);
        return;
    }
    const char *blank = "";
    if (cmd->operation->library == APP_OR_FILES) {
        buffer_text(out, "LIB|FILE...");
        blank = " ";
    } else if (cmd->operation->library != APP_NO_LIBRARY &&
               cmd->operation->library != APP_MAY_READ) {
        buffer_text(out, cmd->operation->libraries_option ? "LIB..." : "LIB");
        blank = " ";
    }
    for (const app_param *row = cmd->operation->params; row->name; row++) {
        char room[32];
        if (row->place == APP_OPTION || row->place == APP_FIELD) continue;
        buffer_print(out, row->needed ? "%s%s%s" : "%s[%s%s]", blank, app_param_value(row, room),
                     row->place == APP_REST ? "..." : "");
        blank = " ";
    }
    for (const app_param *row = cmd->operation->params; row->name; row++) {
        char room[32];
        if (row->place != APP_OPTION || !row->needed || !row->letter) continue;
        buffer_print(out, "%s-%c %s", blank, row->letter, app_param_value(row, room));
        blank = " ";
    }
    for (const option_row *row = cmd->options; row && row->name; row++) {
        if (row->needed) buffer_print(out, "%s-%c %s", blank, row->letter, row->value);
    }
    if (cmd->operation->output_last) buffer_text(out, " OUT");
}

const command *command_find(const char *verb)
{
    for (const command *row = commands; row->verb; row++) {
        if (strcmp(row->verb, verb) == 0) return row;
    }
    return NULL;
}

const command *command_action(const command *family, const char *word)
{
    for (const command *row = family->actions; row->verb; row++) {
        if (strcmp(command_last_word(row), word) == 0) return row;
    }
    return NULL;
}

const char *command_last_word(const command *cmd)
{
    const char *blank = strrchr(cmd->verb, ' ');
    return blank ? blank + 1 : cmd->verb;
}

const command *command_page(int index)
{
    for (const command *row = commands; row->verb; row++) {
        if (index-- == 0) return row;
        for (const command *action = row->actions; action && action->verb; action++) {
            if (index-- == 0) return action;
        }
    }
    return NULL;
}
