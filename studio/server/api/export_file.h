/* export_file.h - a file that a job made, on its way from the worker's files to the client that
   fetches it. Read after jobs.h. */
#ifndef STUDIO_EXPORT_FILE_H
#define STUDIO_EXPORT_FILE_H

#include "buffer.h"
#include "jobs.h"

/* Letters and digits that no system and no shell takes for something else. */
void export_file_name(const char *name, const char *ending, char *out, size_t room);

/* Keeps the worker's file of this name, whose ending says what it is, for the job that runs, and
   writes what the job came to. */
marey_status export_file_keep(studio_worker *worker, const char *path, studio_bytes *result,
                              marey_error *error);

/* Keeps all of the worker's files likewise: one as it is, several as one archive, `name`.zip. Behind
   what the job came to stands `report`, the text of a JSON object. */
marey_status export_files_keep(studio_worker *worker, const char *name, const buffer *report,
                               studio_bytes *result, marey_error *error);

#endif
