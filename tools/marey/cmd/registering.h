/* registering.h - a registration of the clips that a command names, or one that a library keeps. Read after making.h;
   align and blend use it. */
#ifndef MAREY_TOOL_REGISTERING_H
#define MAREY_TOOL_REGISTERING_H

#include "making.h"

enum { MOST_MOTIONS = 256 }; /* as many as a library keeps in one registration */

typedef struct registering {
    marey_parts *parts;               /* of a kept registration, whose clips it is of */
    marey_registration *registration; /* of the clips of the making, or of those */
    char **texts; /* addresses of a kept one's clips, which the making borrows */
    int text_count;
} registering;

/* Loads the clips of the command line and registers them. */
marey_status registering_build(registering *out, making *of, marey_error *error);

/* Opens the registration that the library of -L keeps under a name, and loads its clips into the making as well, for
   their names, sources and speeds. */
marey_status registering_open(registering *out, making *of, const char *name, marey_error *error);

void registering_free(registering *of,
                      session *run); /* before the making is closed; {0} is allowed */

/* "reference", "clips":[{"clip","mean_distance","refitted"}]: distances are those to the clip that each was aligned with. */
void registering_json(const registering *of, const making *from, json *to);
void registering_text(const registering *of, const making *from, buffer *out);

/* The frame as in its file that a motion shows at u. */
double registering_frame(const registering *of, const making *from, int motion, double u);

#endif
