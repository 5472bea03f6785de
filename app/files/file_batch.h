/* file_batch.h - many clips become files at once. Read after way_out.h. */
#ifndef MAREY_APP_FILE_BATCH_H
#define MAREY_APP_FILE_BATCH_H

#include "failure_list.h"
#include "way_out.h"

/* ---- many clips ------------------------------------------------------------------------------ */

enum { APP_MOST_BATCH_WARNINGS = 20 };

typedef struct app_batch_warning {
    const char *from, *text; /* `from`: the first that has it */
    int count;
} app_batch_warning;

/* Where they go: a folder, or, where an environment reads no files of the machine, the files of its
   context, which its caller hands on; then there are no notes. Names of files are made by a pattern of {name}, {subject}, {folder} and {number}; what
   was made before of the same with the same settings is left as it is. Which files were made of what
   is noted in the folder, in a hidden file. */
typedef struct app_batch {
    const app_env *env;
    const app_changes *changes;
    marey_clip *body;           /* of changes->onto */
    const app_reading *reading; /* of files */
    const char *folder;
    const char *format;   /* "glb" */
    const char *pattern;  /* NULL: {name} */
    const char *settings; /* whatever else changes the files, as text; NULL: nothing */
    bool provenance;      /* also beside each file */

    /* What became of them, in the scope. */
    const char **files; /* written */
    int file_count;
    const char **skipped; /* inputs that were not read, or whose file is as it should be */
    int skipped_count, up_to_date;
    app_failures failures;
    app_batch_warning warnings[APP_MOST_BATCH_WARNINGS];
    int warning_count, more_warnings;
    struct app_batch_item *items; /* that wait */
    int waiting;
    int number;                   /* of inputs so far */
    int total;                    /* that are expected, for progress */
    struct app_batch_note *notes; /* what lies in the folder, or will: a table by hash */
    int note_room, note_used;
    bool failed; /* memory was refused */
} app_batch;

/* Is it a pattern? `dashes`: what stands before its name in a message. */
marey_status app_pattern_check(const char *pattern, const char *dashes, marey_error *error);

/* Makes the folder, if it is not there, and looks what was made before. */
marey_status app_batch_open(app_batch *batch, marey_error *error);

/* Before the first is added, for each file that will be: none of them is written over. Found in the
   folder `named` (NULL: in none), it may be one that was made here, which is no input: a noted one, or
   any where the batch's folder lies in `named`. */
marey_status app_batch_expect(app_batch *batch, const char *named, const char *path,
                              marey_error *error);
bool app_batch_made(app_batch *batch, const char *path); /* was it? */

/* A file that is read when its turn comes. `below`: the folder that it lies in, seen from the one that
   was named; "". */
marey_status app_batch_file(app_batch *batch, const char *path, const char *below,
                            bool skips_unknown, marey_error *error);

/* A clip, which is the batch's from now on, with its origin (JSON; copied). */
marey_status app_batch_clip(app_batch *batch, const char *name, marey_clip *clip,
                            const char *origin, marey_error *error);

void app_batch_skip(app_batch *batch, const char *path);
void app_batch_fail(app_batch *batch, const char *path, const marey_error *error);

/* Writes what still waits, and notes what was made. Also after a failure. */
marey_status app_batch_close(app_batch *batch, marey_status status, marey_error *error);

/* "files", "skipped", "up_to_date", "failed", "warnings" */
void app_batch_write(const app_batch *batch, json *out);

#endif
