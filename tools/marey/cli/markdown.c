/* markdown.c - commands.md, all commands on one page, out of their table. */
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

static void write_rows(buffer *out, const command *of)
{
    const option_row *row;
    for (int i = 0; (row = option_at(of, i)); i++) {
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

static void write_command(buffer *out, const command *row)
{
    buffer_print(out, "\n## marey %s\n\n`marey %s ", row->verb, row->verb);
    command_usage(row, out);
    buffer_print(out, " [options]` – %s.\n", command_summary(row));
    const char *paragraph;
    for (int i = 0; (paragraph = command_paragraph(row, i)); i++)
        buffer_print(out, "\n%s\n", paragraph);
    if (option_at(row, 0)) buffer_text(out, "\n| option | what it does |\n|---|---|\n");
    write_rows(out, row);
    buffer_text(out, "\n```\n");
    for (int i = 0; row->examples[i]; i++) buffer_print(out, "%s\n", row->examples[i]);
    buffer_text(out, "```\n");
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
    for (int i = 0; (row = command_page(i)); i++) write_command(out, row);
}
