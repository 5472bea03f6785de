/* manual.c - man pages (roff with the man macros), and the writing of all files of the manual. */
#include "manual.h"

#include "commands.h"
#include "help.h"

#include <stdio.h>
#include <string.h>

/* ---- roff ------------------------------------------------------------------------------------ */

/* A backslash, a dash or a dot that begins a line means something to roff. */
static void write_roff(buffer *out, const char *text)
{
    if (*text == '.' || *text == '\'') buffer_text(out, "\\&");
    for (; *text; text++) {
        if (*text == '\\')
            buffer_text(out, "\\e");
        else if (*text == '-')
            buffer_text(out, "\\-");
        else
            buffer_byte(out, *text);
    }
}

static void write_line(buffer *out, const char *macro, const char *text)
{
    if (macro) buffer_print(out, "%s\n", macro);
    write_roff(out, text);
    buffer_byte(out, '\n');
}

/* Without a date, so that the same source gives the same page. */
static void write_title(buffer *out, const char *name, const char *summary)
{
    buffer_print(out, ".TH \"%s\" 1 \"\" \"marey %s\" \"marey\"\n.SH NAME\n", name,
                 marey_version());
    write_roff(out, name);
    buffer_text(out, " \\- ");
    write_line(out, NULL, summary);
}

/* Those of a command, or with NULL those of every command. */
static void write_options(buffer *out, const command *owner)
{
    const option_row *row;
    for (int i = 0; (row = option_at(owner, i)); i++) {
        char room[1024] = "";
        buffer text = buffer_fixed(room, sizeof room - 1);
        help_option_head(&text, row);
        room[text.used] = 0;
        write_line(out, ".TP\n.B", room);
        text.used = 0;
        option_help(row, &text);
        help_option_words(&text, row);
        room[text.used] = 0;
        write_line(out, NULL, room);
    }
}

static void write_exit_status(buffer *out)
{
    buffer_text(out, ".SH EXIT STATUS\n.TP\n0\ndone\n.TP\n1\nthe input or the request was wrong\n"
                     ".TP\n2\nthe command line was wrong\n.TP\n3\nthe machine failed: disk, "
                     "memory\n.TP\n130\ninterrupted\n");
}

/* "marey-param-build": words of a verb are joined as pages and files are called. */
static void page_name(const command *row, char *name, size_t room)
{
    snprintf(name, room, "marey-%s", row->verb);
    for (char *c = name; *c; c++) *c = *c == ' ' ? '-' : *c;
}

static void write_pages(buffer *out, const command *rows)
{
    for (const command *row = rows; row->verb; row++) {
        char name[64];
        page_name(row, name, sizeof name);
        buffer_text(out, ".TP\n.BR ");
        write_roff(out, name);
        buffer_text(out, " (1)\n");
        write_line(out, NULL, command_summary(row));
    }
}

static void write_program_page(buffer *out)
{
    write_title(out, "marey", "motion capture, used again");
    buffer_text(out, ".SH SYNOPSIS\n.B marey\n.I COMMAND\n\\&... [options]\n.SH COMMANDS\n");
    write_pages(out, commands);
    buffer_text(out, ".SH OPTIONS\nEvery command has these.\n");
    write_options(out, NULL);
    write_exit_status(out);
}

static void write_command_page(buffer *out, const command *row)
{
    char name[64];
    page_name(row, name, sizeof name);
    write_title(out, name, command_summary(row));
    buffer_print(out, ".SH SYNOPSIS\n.B marey %s\n", row->verb);
    char room[256] = "";
    buffer usage = buffer_fixed(room, sizeof room - 1);
    command_usage(row, &usage);
    room[usage.used] = 0;
    write_roff(out, room);
    buffer_text(out, " [options]\n.SH DESCRIPTION\n");
    const char *paragraph;
    for (int i = 0; (paragraph = command_paragraph(row, i)); i++)
        write_line(out, i ? ".PP" : NULL, paragraph);
    if (row->actions) {
        buffer_text(out, ".SH ACTIONS\n");
        write_pages(out, row->actions);
    } else {
        buffer_text(out, ".SH OPTIONS\n");
        write_options(out, row);
        write_options(out, NULL);
    }
    buffer_text(out, ".SH EXAMPLES\n.nf\n");
    for (int i = 0; row->examples[i]; i++) write_line(out, NULL, row->examples[i]);
    buffer_text(out, ".fi\n");
    write_exit_status(out);
    buffer_text(out, ".SH SEE ALSO\n.BR marey (1)\n");
}

/* ---- files ----------------------------------------------------------------------------------- */

/* Saves what is in `text` and empties it. */
static marey_status save(session *run, const char *folder, const char *name, buffer *text,
                         marey_error *error)
{
    char path[4096];
    *error = (marey_error){ .status = MAREY_ERR_MEMORY, .message = "out of memory" };
    if (text->failed) return MAREY_ERR_MEMORY;
    if ((size_t)snprintf(path, sizeof path, "%s/%s", folder, name) >= sizeof path) {
        *error = (marey_error){ .status = MAREY_ERR_INPUT, .message = "this name is too long" };
        return MAREY_ERR_INPUT;
    }
    marey_status status = marey_file_save(run->ctx, path, text->bytes, text->used, error);
    text->used = 0;
    return status;
}

marey_status manual_write(session *run, const char *folder, marey_error *error)
{
    static const struct {
        const char *name;
        void (*write)(buffer *out);
    } scripts[] = {
        { "marey.bash", completions_bash },     { "_marey", completions_zsh },
        { "marey.fish", completions_fish },     { "commands.md", manual_markdown },
        { "operations.md", manual_operations },
    };
    buffer text = buffer_make(&run->host->def);
    const command *row;
    write_program_page(&text);
    marey_status status = save(run, folder, "marey.1", &text, error);
    for (int i = 0; status == MAREY_OK && (row = command_page(i)); i++) {
        char name[64], file[72];
        page_name(row, name, sizeof name);
        snprintf(file, sizeof file, "%s.1", name);
        write_command_page(&text, row);
        status = save(run, folder, file, &text, error);
    }
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts && status == MAREY_OK; i++) {
        scripts[i].write(&text);
        status = save(run, folder, scripts[i].name, &text, error);
    }
    buffer_free(&text);
    return status;
}
