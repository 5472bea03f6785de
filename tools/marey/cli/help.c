/* help.c - help for a terminal of 80 columns. */
#include "help.h"

#include <string.h>

enum { COLUMNS = 79, OPTION_INDENT = 26, VERB_INDENT = 14 };

/* Puts words into lines that begin `indent` columns in; the first one is already at `column`. */
static void wrap(buffer *out, const char *text, int indent, int column)
{
    bool line_is_empty = true;
    buffer_blanks(out, indent - column);
    column = indent;
    while (*text) {
        int length = (int)strcspn(text, " ");
        if (!line_is_empty && column + 1 + length > COLUMNS) {
            buffer_byte(out, '\n');
            buffer_blanks(out, indent);
            column = indent;
            line_is_empty = true;
        }
        if (!line_is_empty) buffer_byte(out, ' ');
        buffer_bytes(out, text, (size_t)length);
        column += length + !line_is_empty;
        line_is_empty = false;
        text += length;
        text += strspn(text, " ");
    }
    buffer_byte(out, '\n');
}

void help_option_head(buffer *out, const option_row *row)
{
    if (row->letter) buffer_print(out, "-%c, ", row->letter);
    buffer_print(out, "--%s", row->name);
    char room[32];
    if (option_takes_value(row)) buffer_print(out, " %s", app_param_value(row, room));
}

void help_option_words(buffer *out, const option_row *row)
{
    const char *word;
    for (int i = 0; (word = option_word(row, i)); i++) {
        buffer_text(out, i ? ", " : ": ");
        buffer_text(out, word);
    }
}

static void write_options(buffer *out, const command *owner)
{
    const option_row *row;
    for (int i = 0; (row = option_at(owner, i)); i++) {
        char room[1024] = "";
        buffer help = buffer_fixed(room, sizeof room - 1);
        size_t before = out->used;
        buffer_text(out, "  ");
        help_option_head(out, row);
        option_help(row, &help);
        help_option_words(&help, row);
        room[help.used] = 0;
        int column = (int)(out->used - before);
        if (column >= OPTION_INDENT) {
            buffer_byte(out, '\n');
            column = 0;
        }
        wrap(out, room, OPTION_INDENT, column);
    }
}

static void write_verbs(buffer *out, const command *rows, int indent)
{
    for (const command *row = rows; row->verb; row++) {
        size_t before = out->used;
        buffer_print(out, "  %s", row->verb);
        wrap(out, command_summary(row), indent, (int)(out->used - before));
    }
}

void help_command(buffer *out, const command *row)
{
    buffer_print(out, "usage: marey %s ", row->verb);
    if (row->actions)
        buffer_text(out, "ACTION ...");
    else
        command_usage(row, out);
    buffer_print(out, " [options]\n\nmarey %s: %s.\n", row->verb, command_summary(row));
    const char *paragraph;
    for (int i = 0; (paragraph = command_paragraph(row, i)); i++) {
        buffer_byte(out, '\n');
        wrap(out, paragraph, 0, 0);
    }
    if (row->actions) {
        buffer_text(out, "\nactions:\n");
        write_verbs(out, row->actions, OPTION_INDENT);
        buffer_print(out, "\n  marey %s ACTION --help says more about one.\n", row->verb);
    } else {
        buffer_text(out, "\noptions:\n");
        write_options(out, row);
        write_options(out, NULL);
    }
    buffer_text(out, "\nexamples:\n");
    for (int i = 0; row->examples[i]; i++) buffer_print(out, "  %s\n", row->examples[i]);
}

void help_program(buffer *out)
{
    buffer_text(out, "usage: marey COMMAND ... [options]\n\n"
                     "marey: motion capture, used again.\n\ncommands:\n");
    write_verbs(out, commands, VERB_INDENT);
    buffer_text(out, "\noptions of every command:\n");
    write_options(out, NULL);
    buffer_text(out, "\n  marey COMMAND --help says more about a command.\n"
                     "  marey --version prints the version.\n"
                     "  marey --write-manual DIR writes man pages and completions into a folder.\n"
                     "\nexit status: 0 done, 1 the input or request was wrong, 2 usage, 3 the "
                     "machine\nfailed (disk, memory), 130 interrupted.\n");
}
