/* command_options.h - the options of every command, one table each. Read by the table of commands. */
#ifndef MAREY_TOOL_COMMAND_OPTIONS_H
#define MAREY_TOOL_COMMAND_OPTIONS_H

#include "options.h"

extern const option_row demo_options[];
extern const option_row info_options[];
extern const option_row convert_options[];
extern const option_row library_options[]; /* -L alone */
extern const option_row grid_options[];
extern const option_row similar_options[];
extern const option_row library_options[];
extern const option_row align_options[]; /* from here on in making_options.c .. */
extern const option_row transition_options[];
extern const option_row blend_options[];
extern const option_row clean_options[];
extern const option_row loop_options[];   /* .. to here */
extern const option_row search_options[]; /* finding_options.c, as the next */
extern const option_row example_options[];
extern const option_row export_options[];
extern const option_row studio_options[];
extern const option_row no_options[]; /* for commands that have none of their own */

#endif
