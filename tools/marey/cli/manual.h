/* manual.h - man pages and completions, written from the table of commands. */
#ifndef MAREY_TOOL_MANUAL_H
#define MAREY_TOOL_MANUAL_H

#include "session.h"

/* Writes marey.1, marey-VERB.1 for every command, marey.bash, _marey, marey.fish, commands.md
   and operations.md into a folder. */
marey_status manual_write(session *run, const char *folder, marey_error *error);

void manual_markdown(buffer *out);   /* markdown.c: commands.md .. */
void manual_operations(buffer *out); /* .. and operations.md */

/* completions.c: the three scripts. */
void completions_bash(buffer *out);
void completions_zsh(buffer *out);
void completions_fish(buffer *out);

#endif
