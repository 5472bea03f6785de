/* demo_takes.h - one take of the demo on the command line: in words, as truth, and in a library. Read by cmd_demo.c. */
#ifndef MAREY_TOOL_DEMO_TAKES_H
#define MAREY_TOOL_DEMO_TAKES_H

#include "shelf.h"

enum { PATH_ROOM = 4096 };

/* "walk, kick left, reach right x 12"; idling is not mentioned unless there is nothing else. */
void take_describe(const marey_demo_take *take, buffer *out);

/* {"clip", "fps", "segments": [...], "contacts": [...]}, an element of truth.json. */
void take_write_truth(const marey_demo_take *take, const char *name, json *to);

/* Is this entry as take_put wrote it: description, licence and labels? False also when out of memory. */
bool take_is_as_made(session *run, const marey_demo_take *take, const marey_entry *entry);

/* The clip with labels, description, licence, provenance and foot plants. */
marey_status take_put(shelf *at, const marey_demo_take *take, const char *name, int64_t seed,
                      marey_error *error);

#endif
