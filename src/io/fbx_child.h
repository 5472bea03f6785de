/* fbx_child.h - the program marey-fbx, started on the bytes of a file, and what it answers. */
#ifndef MRY_FBX_CHILD_H
#define MRY_FBX_CHILD_H

#include "base/scan.h"
#include "io/fbx_look.h"

#include <marey/io.h>

/* The answer lives in tmp. Errors: REQUEST: the program is not there. INPUT: it crashed, or took too
   long or too much memory. LIMIT, IO, MEMORY, CANCELLED. */
marey_status mry_fbx_ask(mry_scan *scan, mry_arena *tmp, const uint8_t *bytes, size_t count,
                         const uint8_t **answer, size_t *length);

/* The clip of an answer, of which nothing is believed; fbx_read.c. `answer` lies at a multiple of 4. */
marey_status mry_fbx_understand(mry_scan *scan, mry_arena *tmp, const mry_fbx_facts *facts,
                                size_t file_size, const uint8_t *answer, size_t length,
                                const char *name, const marey_load_def *def, marey_clip **out);

#endif
