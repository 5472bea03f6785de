/* export_provenance.h - what an exported file says of itself. Read after heap.h. */
#ifndef STUDIO_EXPORT_PROVENANCE_H
#define STUDIO_EXPORT_PROVENANCE_H

#include "heap.h"

#include <marey/marey.h>

/* Writes the JSON that `marey convert -L LIB NAME#start-end` puts into a file, byte for byte, and an ending zero. The
   name is the one that the clip has now. INPUT: it was removed. MEMORY, IO. */
marey_status provenance_of_export(marey_library *library, int64_t clip, int start, int end,
                                  studio_bytes *out, marey_error *error);

#endif
