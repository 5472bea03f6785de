/* demo_takes.h - one take of the demo on the command line: in words, and as truth. Read by cmd_demo.c. */
#ifndef MAREY_TOOL_DEMO_TAKES_H
#define MAREY_TOOL_DEMO_TAKES_H

#include "shelf.h"

enum { PATH_ROOM = 4096 };

/* "walk, kick left, reach right x 12", as a library says it. */
void take_describe(const marey_demo_take *take, buffer *out);

/* Does the text about a clip or a kept thing say that demo made it? */
bool made_by_demo(const char *about);

/* {"clip", "fps", "segments": [...], "contacts": [...]}, an element of truth.json. */
void take_write_truth(const marey_demo_take *take, const char *name, json *to);

#endif
