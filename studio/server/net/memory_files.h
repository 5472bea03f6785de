/* memory_files.h - files that are in memory only, behind the library's hook for all file access.
   The studio's contexts have no other: what is dropped on the page is read from here, what is
   exported is written here, and no name that comes in a request can lead to the disk. (The library
   file itself is SQLite's.)

   One thread at a time, except that reading through the hook may happen from a context's own
   threads. */
#ifndef STUDIO_MEMORY_FILES_H
#define STUDIO_MEMORY_FILES_H

#include "heap.h"

#include <marey/marey.h>

typedef struct memory_files memory_files;

/* NULL when out of memory. */
memory_files *memory_files_make(heap *memory);
void memory_files_free(memory_files *files); /* NULL is allowed */

/* The hook: names are paths of folders and files separated by '/'; folders are there as long as
   something is in them. Borrowed until free: a context keeps the pointer. */
const marey_io *memory_files_io(const memory_files *files);

/* Puts in a file, taking over its bytes (which must be of the same heap); `name` is made harmless
   first: separators are '/', no empty part, no "." or "..", no control character, at most 255 bytes
   a part, a second one of the same name gets a number. 0, -ENOMEM, or -EINVAL if nothing is left of
   the name. */
int memory_files_put(memory_files *files, const char *name, studio_bytes *content);

int memory_files_count(const memory_files *files);
/* sorted by name; borrowed until put */
const char *memory_files_name(const memory_files *files, int index);

/* Takes the bytes of a file out, and the file with them. False if there is none. */
bool memory_files_take(memory_files *files, const char *name, studio_bytes *content);

/* Forgets all files. */
void memory_files_clear(memory_files *files);

#endif
