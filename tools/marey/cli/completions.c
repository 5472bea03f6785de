/* completions.c - what bash, zsh and fish need to complete command lines. */
#include "commands.h"
#include "manual.h"

#include <string.h>

static void write_verbs(buffer *out)
{
    for (const command *row = commands; row->verb; row++) buffer_print(out, "%s ", row->verb);
    buffer_text(out, "help");
}

/* ---- bash ------------------------------------------------------------------------------------ */

/* Of a command, or with NULL of every command. */
static void bash_names(buffer *out, const command *owner)
{
    const option_row *row;
    for (int i = 0; (row = option_at(owner, i)); i++) {
        buffer_print(out, " --%s", row->name);
        if (row->letter) buffer_print(out, " -%c", row->letter);
    }
}

void completions_bash(buffer *out)
{
    buffer_text(out, "# bash completion for marey; written by marey --write-manual\n"
                     "_marey() {\n    local word=${COMP_WORDS[COMP_CWORD]}\n"
                     "    local before=${COMP_WORDS[COMP_CWORD-1]}\n    local options=\n"
                     "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
                     "        COMPREPLY=($(compgen -W '");
    write_verbs(out);
    buffer_text(out, " --help --version' -- \"$word\"))\n        return\n    fi\n"
                     "    local verb=${COMP_WORDS[1]}\n    case $verb in\n");
    for (const command *row = commands; row->verb; row++) {
        if (!row->actions) continue;
        buffer_print(out,
                     "    %s)\n        if [ \"$COMP_CWORD\" -eq 2 ]; then\n"
                     "            COMPREPLY=($(compgen -W '",
                     row->verb);
        for (const command *action = row->actions; action->verb; action++)
            buffer_print(out, action == row->actions ? "%s" : " %s", command_last_word(action));
        buffer_text(out, " --help' -- \"$word\"))\n            return\n        fi\n"
                         "        verb=\"$verb ${COMP_WORDS[2]}\" ;;\n");
    }
    buffer_text(out, "    esac\n    case $verb in\n");
    buffer_text(out, "    help) COMPREPLY=($(compgen -W '");
    write_verbs(out);
    buffer_text(out, "' -- \"$word\")); return ;;\n");
    const command *row;
    for (int i = 0; (row = command_page(i)); i++) {
        if (row->actions) continue;
        buffer_print(out, "    '%s')\n        options='", row->verb);
        bash_names(out, row);
        bash_names(out, NULL);
        buffer_text(out, "'\n        case $before in\n");
        const option_row *option;
        for (int k = 0; (option = option_at(row, k)); k++) {
            const char *word = option_word(option, 0);
            if (!word) continue; /* its value is not one of a few words */
            buffer_print(out, "        --%s) COMPREPLY=($(compgen -W '%s", option->name, word);
            for (int w = 1; (word = option_word(option, w)); w++) buffer_print(out, " %s", word);
            buffer_text(out, "' -- \"$word\")); return ;;\n");
        }
        buffer_text(out, "        esac ;;\n");
    }
    buffer_text(out, "    esac\n    if [[ $word == -* ]]; then\n"
                     "        COMPREPLY=($(compgen -W \"$options\" -- \"$word\"))\n    else\n"
                     "        compopt -o filenames 2>/dev/null\n"
                     "        COMPREPLY=($(compgen -f -- \"$word\"))\n    fi\n}\n"
                     "complete -F _marey marey\n");
}

/* ---- zsh ------------------------------------------------------------------------------------- */

/* Inside '...' and [...] of an _arguments row. */
static void zsh_text(buffer *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '\'') {
            buffer_text(out, "'\\''");
        } else {
            if (strchr("[]:\\", *text)) buffer_byte(out, '\\');
            buffer_byte(out, *text);
        }
    }
}

static void zsh_row(buffer *out, const option_row *row, const char *name)
{
    char value[32], room[1024] = "";
    const char *word;
    buffer help = buffer_fixed(room, sizeof room - 1);
    buffer_print(out, " \\\n            '%s[", name);
    option_help(row, &help);
    room[help.used] = 0;
    zsh_text(out, room);
    buffer_byte(out, ']');
    if (row->pair) {
        buffer_text(out, ":first:_files:second:_files'");
        return;
    }
    if (option_takes_value(row)) buffer_print(out, ":%s:", app_param_value(row, value));
    if (option_takes_value(row) && !option_word(row, 0)) {
        const char *kind = app_param_value(row, value);
        bool is_file = strcmp(kind, "FILE") == 0, is_folder = strcmp(kind, "DIR") == 0;
        buffer_text(out, is_file ? "_files" : is_folder ? "_files -/" : " ");
    }
    for (int i = 0; (word = option_word(row, i)); i++) buffer_print(out, i ? " %s" : "(%s", word);
    if (option_word(row, 0)) buffer_byte(out, ')');
    buffer_byte(out, '\'');
}

static void zsh_rows(buffer *out, const command *owner)
{
    const option_row *row;
    for (int i = 0; (row = option_at(owner, i)); i++) {
        char room[64] = "";
        buffer name = buffer_fixed(room, sizeof room - 1);
        buffer_print(&name, "--%s", row->name);
        room[name.used] = 0;
        zsh_row(out, row, room);
        if (row->letter) zsh_row(out, row, (const char[]){ '-', row->letter, 0 });
    }
}

static void zsh_names(buffer *out, const command *rows)
{
    for (const command *row = rows; row->verb; row++) {
        buffer_print(out, "            '%s:", command_last_word(row));
        zsh_text(out, command_summary(row));
        buffer_text(out, "'\n");
    }
}

void completions_zsh(buffer *out)
{
    buffer_text(out, "#compdef marey\n# written by marey --write-manual\n_marey() {\n"
                     "    if (( CURRENT == 2 )); then\n        local -a verbs=(\n");
    zsh_names(out, commands);
    buffer_text(out, "            'help:say what a command does'\n        )\n"
                     "        _describe command verbs\n        return\n    fi\n"
                     "    local verb=$words[2]\n    (( CURRENT-- ))\n    shift words\n");
    /* The second word of a family's command line, and then the two of them as the verb. */
    const command *row;
    for (row = commands; row->verb; row++) {
        if (!row->actions) continue;
        buffer_print(out,
                     "    if [[ $verb == %s ]]; then\n        if (( CURRENT == 2 )); then\n"
                     "            local -a actions=(\n",
                     row->verb);
        zsh_names(out, row->actions);
        buffer_text(out, "            )\n            _describe action actions\n"
                         "            return\n        fi\n        verb=\"$verb $words[2]\"\n"
                         "        (( CURRENT-- ))\n        shift words\n    fi\n");
    }
    buffer_text(out, "    case $verb in\n");
    for (int i = 0; (row = command_page(i)); i++) {
        if (row->actions) continue;
        buffer_print(out, "    '%s')\n        _arguments -S", row->verb);
        zsh_rows(out, row);
        zsh_rows(out, NULL);
        buffer_text(out, " \\\n            '*:file:_files' ;;\n");
    }
    buffer_text(out, "    help) compadd -- ");
    write_verbs(out);
    buffer_text(out, " ;;\n    esac\n}\n_marey \"$@\"\n");
}

/* ---- fish ------------------------------------------------------------------------------------ */

static void fish_text(buffer *out, const char *text)
{
    buffer_byte(out, '\'');
    for (; *text; text++) {
        if (*text == '\'' || *text == '\\') buffer_byte(out, '\\');
        buffer_byte(out, *text);
    }
    buffer_byte(out, '\'');
}

/* "param build" stands behind "param". */
static void fish_condition(buffer *out, const command *completed)
{
    const char *last = command_last_word(completed);
    buffer_text(out, "complete -c marey -n '");
    if (last != completed->verb) {
        buffer_text(out, "__fish_seen_subcommand_from ");
        buffer_bytes(out, completed->verb, (size_t)(last - completed->verb - 1));
        buffer_text(out, "; and ");
    }
    buffer_print(out, "__fish_seen_subcommand_from %s'", last);
}

/* The options of `owner`, which is NULL for those of every command. */
static void fish_rows(buffer *out, const command *completed, const command *owner)
{
    const option_row *row;
    const char *word;
    for (int i = 0; (row = option_at(owner, i)); i++) {
        char room[1024] = "";
        buffer help = buffer_fixed(room, sizeof room - 1);
        fish_condition(out, completed);
        buffer_print(out, " -l %s", row->name);
        if (row->letter) buffer_print(out, " -s %c", row->letter);
        if (option_takes_value(row)) buffer_text(out, " -r");
        for (int k = 0; (word = option_word(row, k)); k++) {
            buffer_print(out, k ? " %s" : " -f -a '%s", word);
        }
        if (option_word(row, 0)) buffer_byte(out, '\'');
        buffer_text(out, " -d ");
        option_help(row, &help);
        room[help.used] = 0;
        fish_text(out, room);
        buffer_byte(out, '\n');
    }
}

static void fish_command(buffer *out, const command *completed)
{
    fish_rows(out, completed, completed);
    fish_rows(out, completed, NULL);
}

void completions_fish(buffer *out)
{
    buffer_text(out, "# fish completion for marey; written by marey --write-manual\n");
    for (const command *row = commands; row->verb; row++) {
        buffer_print(out, "complete -c marey -n __fish_use_subcommand -f -a %s -d ", row->verb);
        fish_text(out, command_summary(row));
        buffer_byte(out, '\n');
        if (!row->actions) fish_command(out, row);
        for (const command *action = row->actions; action && action->verb; action++) {
            fish_condition(out, row);
            buffer_print(out, " -f -a %s -d ", command_last_word(action));
            fish_text(out, command_summary(action));
            buffer_byte(out, '\n');
            fish_command(out, action);
        }
    }
    buffer_text(out, "complete -c marey -n __fish_use_subcommand -f -a help "
                     "-d 'say what a command does'\n");
}
