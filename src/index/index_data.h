/* index_data.h - the match webs of a library's clips, as its file keeps them. Read by index_*.c and
   by the searcher.

   What a web's bytes depend on: its two clips and the settings, nothing else. So
     - rows are the clip with the lesser hash (of equal ones the lesser number), whatever numbers the two have;
     - clips are compared through a layout that follows from the joints of the two and their rates alone: heights are
       counted from those of a typical body, and by roles everybody has legs of one length (feature/layout.c);
     - what a metric is normalised by is measured on all clips of the library and is part of the settings.

   All functions work inside a snapshot or transaction and outside of one. */
#ifndef MRY_INDEX_DATA_H
#define MRY_INDEX_DATA_H

#include "library/library_data.h"

#include <marey/index.h>

/* ---- settings -------------------------------------------------------------------------------- */

typedef struct mry_index_settings { /* every default filled in */
    double fps;
    marey_metric_def metric; /* `joints` points at memory of the arena it was read into */
    marey_web_def web;       /* ceiling: INFINITY for none */
    double normal[MAREY_MOST_ATTRIBUTES]; /* by which the metric is normalised; 0: it is not */
    const char *about;                    /* all of it as JSON */
} mry_index_settings;

/* *exists: is there an index? *out is written only then. INPUT: damaged, or by a marey that makes
   other webs. */
marey_status mry_index_settings_read(marey_library *library, mry_arena *mem,
                                     mry_index_settings *out, bool *exists, marey_error *error);

/* ---- clips ----------------------------------------------------------------------------------- */

typedef struct mry_index_clip {
    int64_t id;
    int frames;        /* its own */
    double fps;        /* likewise */
    int64_t layer_sum; /* of its repairs */
    /* At which the index looks at it: the settings' fps, or its own if that is lower. */
    double rate;
    int rows; /* at that rate; 0: it has no web with itself yet, and so is not in the index */
} mry_index_clip;

/* All that are not removed, by their numbers. `settings` NULL: as searches by poses look at them,
   whether there are webs or not. */
marey_status mry_index_clips_read(marey_library *library, const mry_index_settings *settings,
                                  mry_arena *mem, mry_index_clip **out, int *count,
                                  marey_error *error);

/* The frame of a clip at which a row is, and the row nearest to a frame: as in features at that
   rate. */
int mry_index_frame(const mry_index_clip *clip, int row);
int mry_index_row(const mry_index_clip *clip, int frame);

/* ---- webs ------------------------------------------------------------------------------------ */

typedef enum mry_index_web_state {
    MRY_WEB_THERE,   /* *out is the web; free it */
    MRY_WEB_NOTHING, /* the two have nothing in common */
    MRY_WEB_MISSING  /* not built yet */
} mry_index_web_state;

/* Reads the web of two clips, given in any order. *out is NULL unless it is there. *flipped: rows
   are frames of `b`. INPUT: damaged. MEMORY, IO. */
marey_status mry_index_web_read(marey_library *library, int64_t a, int64_t b, marey_web **out,
                                bool *flipped, mry_index_web_state *state, marey_error *error);

/* ---- a clip that is not in the library ------------------------------------------------------- */

/* Compares a clip with those of the library just as indexing it would. The clip must outlive it. */
typedef struct mry_outside mry_outside;

/* `settings` is copied. INPUT: the clip is damaged. */
marey_status mry_outside_open(marey_library *library, const mry_index_settings *settings,
                              const marey_clip *clip, mry_outside **out, marey_error *error);
void mry_outside_free(mry_outside *outside); /* NULL is allowed */

/* Like a clip of the index, with the number 0. */
mry_index_clip mry_outside_clip(const mry_outside *outside);

/* Its web with a clip of a library of the same context; rows are always frames of the outside one. Loads that clip.
   *out is NULL if the two have nothing in common. The web does not need the outside object any
   more. */
marey_status mry_outside_web(mry_outside *outside, marey_library *library, int64_t id,
                             marey_web **out, marey_error *error);

/* The same for its web with itself. */
marey_status mry_outside_self(mry_outside *outside, marey_web **out, marey_error *error);

#endif
