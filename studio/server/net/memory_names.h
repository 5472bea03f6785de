/* memory_names.h - the names of files in memory. Pure functions; memory_files.c uses them. A name has room for
   MEMORY_NAME_LONGEST bytes and a zero. */
#ifndef STUDIO_MEMORY_NAMES_H
#define STUDIO_MEMORY_NAMES_H

#include <stdbool.h>

enum { MEMORY_NAME_LONGEST = 1000, MEMORY_NAME_PART = 255 };

/* The name that a path of the hook means: "." and ".." are followed. -ENOENT: it leads out of what is in memory;
   -ENAMETOOLONG. */
int memory_name_resolve(const char *path, char *name);

/* The harmless name that memory_files_put promises. False: nothing is left. */
bool memory_name_clean(const char *text, char *name);

/* "s07/walk.bvh" becomes "s07/walk-2.bvh". `name` is clean. */
void memory_name_number(const char *name, int number, char *out);

#endif
