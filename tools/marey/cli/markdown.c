/* markdown.c - commands.md and operations.md, out of their tables. */
#include "commands.h"
#include "help.h"
#include "manual.h"

/* A bar would end a table's cell. */
static void write_cell(buffer *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '|') buffer_byte(out, '\\');
        buffer_byte(out, *text);
    }
}

/* The options of a command, or with NULL those of every command. */
static void write_rows(buffer *out, const command *owner)
{
    const option_row *row;
    for (int i = 0; (row = option_at(owner, i)); i++) {
        char room[1024] = "";
        buffer help = buffer_fixed(room, sizeof room - 1);
        buffer_text(out, "| `");
        help_option_head(out, row);
        buffer_text(out, "` | ");
        option_help(row, &help);
        room[help.used] = 0;
        write_cell(out, room);
        help_option_words(out, row);
        buffer_text(out, " |\n");
    }
}

void manual_markdown(buffer *out)
{
    buffer_text(out,
                "<!-- Written by `marey --write-manual` from the program's table of commands. -->\n"
                "# The commands of marey\n\nEvery command has these options:\n\n"
                "| option | what it does |\n|---|---|\n");
    write_rows(out, NULL);
    buffer_text(
        out, "\nExit status: 0 done, 1 the input or the request was wrong, 2 the command line was "
             "wrong, 3 the machine failed (disk, memory), 130 interrupted.\n");
    const command *row;
    for (int i = 0; (row = command_page(i)); i++) {
        buffer_print(out, "\n## marey %s\n\n`marey %s ", row->verb, row->verb);
        command_usage(row, out);
        buffer_print(out, " [options]` – %s.\n", command_summary(row));
        const char *paragraph;
        for (int k = 0; (paragraph = command_paragraph(row, k)); k++)
            buffer_print(out, "\n%s\n", paragraph);
        if (option_at(row, 0)) buffer_text(out, "\n| option | what it does |\n|---|---|\n");
        write_rows(out, row);
        buffer_text(out, "\n```\n");
        for (int k = 0; row->examples[k]; k++) buffer_print(out, "%s\n", row->examples[k]);
        buffer_text(out, "```\n");
    }
}

/* ---- operations.md: the same rows as bodies of the studio's interface ------------------------ */

void manual_operations(buffer *out)
{
    const app_operation *operation;
    buffer_text(out, "<!-- Written by `marey --write-manual` from the table of operations. -->\n"
                     "# The operations of the studio's interface\n");
    for (int i = 0; (operation = app_operation_at(i)); i++) {
        buffer_text(out, "\n## POST /api/do/");
        for (const char *c = operation->name; *c; c++) buffer_byte(out, *c == ' ' ? '-' : *c);
        buffer_print(out, "\n\n`marey %s` – %s.%s%s\n\n", operation->name, operation->summary,
                     operation->takes_long ? " A job." : "",
                     operation->made
                         ? " Answers with frames; with a `name` the clip is saved, with "
                           "`?list=1` nothing is made."
                         : "");
        if (operation->params->name)
            buffer_text(out, "| field | value | what it does |\n|---|---|---|\n");
        for (const app_param *row = operation->params; row->name; row++) {
            char rule[256];
            if (row->lent) continue; /* the studio is lent nothing */
            buffer_text(out, "| `");
            for (const char *c = row->name; *c; c++) buffer_byte(out, *c == '-' ? '_' : *c);
            buffer_print(out, "`%s | ", row->needed ? ", needed" : "");
            write_cell(out, app_param_rule(row, rule, sizeof rule));
            if (row->unit) buffer_print(out, ", in %s", row->unit);
            buffer_text(out, " | ");
            if (row->only_if) buffer_print(out, "only with `%s`: ", row->only_if);
            write_cell(out, row->help);
            if (row->standard) buffer_print(out, " (default: %s)", row->standard);
            buffer_text(out, " |\n");
        }
    }
}
