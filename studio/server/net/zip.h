/* zip.h - several files as one: a zip archive whose entries are stored as they are, since motion files
   are fetched from the machine they are on. Read after heap.h. */
#ifndef STUDIO_ZIP_H
#define STUDIO_ZIP_H

#include "heap.h"

#include <stdbool.h>

typedef struct zip_writer {
    studio_bytes *out;
    studio_bytes list; /* of the entries, which comes behind them */
    int count;
} zip_writer;

zip_writer zip_begin(studio_bytes *out);

/* At most 65 535 files and 4 GiB of them; the caller counts. `name` is UTF-8. */
void zip_add(zip_writer *zip, const char *name, const studio_bytes *content);

/* False: out of memory, and what is in `out` is not whole. */
bool zip_end(zip_writer *zip);

#endif
