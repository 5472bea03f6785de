/* provenance_text.h - pieces of the JSON that says what a file or a clip was made of. Whether all of it could be written is
   said by `failed` of the bytes. Read after heap.h. */
#ifndef STUDIO_PROVENANCE_TEXT_H
#define STUDIO_PROVENANCE_TEXT_H

#include "heap.h"

#include <marey/marey.h>

void provenance_text(studio_bytes *out, const char *text); /* as it is */

/* "value", escaped, behind what stands before it. */
void provenance_string(studio_bytes *out, const char *before, const char *value);

/* One object of "sources": frames [start, end) of a clip. */
void provenance_source(studio_bytes *out, const char *library, const marey_entry *entry, int start,
                       int end);

/* NULL if there is none with this number. */
const marey_entry *provenance_entry(const marey_listing *listing, int64_t id);

/* One more licence, each once: "CC BY 4.0; CC BY-NC 4.0", and an ending zero. */
void provenance_licence(studio_bytes *joined, const char *licence);

#endif
