/* folder.h - the files that names stand for: themselves, or all in a folder. Read after
   buffer.h. */
#ifndef MAREY_APP_FOLDER_H
#define MAREY_APP_FOLDER_H

#include "buffer.h"

typedef enum found_kind {
    FOUND_NAMED = 'n',     /* named by the user */
    FOUND_IN_FOLDER = 'f', /* a file below a named folder */
    FOUND_SPECIAL = 's',   /* below a named folder: a pipe, a device, a link to nothing */
    FOUND_UNREADABLE = 'u' /* a folder that does not list, a file that does not say what it is */
} found_kind;

/* One found file. path is borrowed from the list. */
typedef struct found {
    found_kind kind;
    const char *path;
    int failed_errno; /* for FOUND_UNREADABLE */
} found;

/* Records of a kind byte, an errno byte and a path with its ending zero, one behind the other, so
   that a hundred thousand files are one piece of memory. */
typedef struct found_list {
    buffer records;
    int64_t count;
} found_list;

/* Adds a file, or every file below a folder in sorted order (by bytes, deeper ones in their
   folder's place). Hidden files and links to folders are left out, so that no link can lead in a
   circle. MEMORY only; a folder that cannot be listed becomes a record. */
marey_status folder_walk(const marey_ctx_def *memory, const char *path, found_list *list);

bool folder_is(const char *path); /* is it one? */

/* Adds a name that stands for no file: a clip of a library. */
marey_status found_add_name(found_list *list, const char *name);

/* Makes a folder, if it is not there. INPUT (also: there is something else), IO. */
marey_status folder_make(const char *path, marey_error *error);

/* The path of a clip's file in a folder. INPUT: it is too long; or the name leads out of the
   folder, which only a library has that no marey made. */
marey_status folder_path(const char *folder, const char *name, const char *ending, char *path,
                         size_t room, marey_error *error);

/* Why a folder could not be listed. */
void found_error(const found *file, marey_error *error);

/* The record at *offset, which is moved to the next; false past the last. Start with 0. */
bool found_next(const found_list *list, size_t *offset, found *out);

#endif
