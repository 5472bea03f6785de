/* file_batch.h - how clips are changed on their way into files, and many of them at once. Read after
   clip_reading.h. */
#ifndef MAREY_APP_FILE_BATCH_H
#define MAREY_APP_FILE_BATCH_H

#include "clip_reading.h"
#include "failure_list.h"

/* ---- changes --------------------------------------------------------------------------------- */

typedef struct app_changes {
    bool mirror, in_place;
    double scale, fps;     /* 0: as they are */
    int engine;            /* for which program it is, app_engine_word; 0: none */
    int out_units, out_up; /* a marey_units, a marey_up; given ones count more than the engine's */
} app_changes;

const char *app_engine_word(int index);
const char *app_written_word(int index); /* formats that are written */

/* Rows of parameters for a struct with a member `changes`. */
#define APP_CHANGE_PARAMS(struct_type)                                                             \
    { .name = "fps",                                                                               \
      .type = APP_NUMBER,                                                                          \
      .at = offsetof(struct_type, changes.fps),                                                    \
      .value = "N",                                                                                \
      .least = 0.1,                                                                                \
      .most = 10000,                                                                               \
      .help = "resample to this many frames a second" },                                           \
        { .name = "mirror",                                                                        \
          .type = APP_SWITCH,                                                                      \
          .at = offsetof(struct_type, changes.mirror),                                             \
          .help = "exchange left and right" },                                                     \
        { .name = "in-place",                                                                      \
          .type = APP_SWITCH,                                                                      \
          .at = offsetof(struct_type, changes.in_place),                                           \
          .help = "keep the body over the spot where it starts" },                                 \
        { .name = "scale",                                                                         \
          .type = APP_NUMBER,                                                                      \
          .at = offsetof(struct_type, changes.scale),                                              \
          .value = "F",                                                                            \
          .least = 1e-3,                                                                           \
          .most = 1e3,                                                                             \
          .help = "make the body and its path F times as large" },                                 \
        { .name = "for",                                                                           \
          .type = APP_WORD,                                                                        \
          .at = offsetof(struct_type, changes.engine),                                             \
          .value = "PROGRAM",                                                                      \
          .word = app_engine_word,                                                                 \
          .help = "units and axes as this program has them, and for game engines a joint on the "  \
                  "floor that carries the body" },                                                 \
        { .name = "out-units",                                                                     \
          .type = APP_WORD,                                                                        \
          .at = offsetof(struct_type, changes.out_units),                                          \
          .value = "UNITS",                                                                        \
          .word = app_units_word,                                                                  \
          .help = "the unit of length to write (default: that of the first input)" },              \
    {                                                                                              \
        .name = "out-up", .type = APP_WORD, .at = offsetof(struct_type, changes.out_up),           \
        .value = "AXIS", .word = app_up_word,                                                      \
        .help = "the axis that points up in what is written (default: that of the first input)"    \
    }

/* Makes them in the order mirror, in place, scale, rate, joint on the floor, units and axes. *out is
   NULL where there is nothing to change; the caller frees it. */
marey_status app_changes_make(const app_changes *changes, const marey_clip *clip, marey_clip **out,
                              marey_error *error);

/* ---- many clips ------------------------------------------------------------------------------ */

enum { APP_MOST_BATCH_WARNINGS = 20 };

typedef struct app_batch_warning {
    const char *from, *text; /* `from`: the first that has it */
    int count;
} app_batch_warning;

/* Where they go. Names of files are made by a pattern of {name}, {subject}, {folder} and {number}; what
   was made before of the same with the same settings is left as it is. Which files were made of what
   is noted in the folder, in a hidden file. */
typedef struct app_batch {
    const app_env *env;
    const app_changes *changes;
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
