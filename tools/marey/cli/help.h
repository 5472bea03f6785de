/* help.h - what the program says about itself, written from the table of commands. */
#ifndef MAREY_TOOL_HELP_H
#define MAREY_TOOL_HELP_H

#include "commands.h"

void help_program(buffer *out);
void help_command(buffer *out, const command *row);

/* "--units UNITS", with its short form before it; no line end. */
void help_option_head(buffer *out, const option_row *row);
void help_option_words(buffer *out, const option_row *row); /* ": mm, cm, m", or nothing */

#endif
