/* puppet_gather.h - demonstrations of any kind on their way from a body to training: rows of numbers, a table, a ready one, the
   paths of two clips, the runs of a puppet that is kept. What needs no library is read at once; the rest is looked for at once, and
   loaded by the job. Read after puppet_sourced.h. */
#ifndef STUDIO_PUPPET_GATHER_H
#define STUDIO_PUPPET_GATHER_H

#include "puppet_sourced.h"

typedef struct puppet_gather {
    heap *memory;
    studio_bytes shown;     /* one for each demonstration, in their order */
    studio_bytes samples;   /* of all of them, as far as they are loaded */
    studio_bytes spans;     /* of samples: what is trained on */
    studio_bytes parts;     /* of clips, each once */
    puppet_sourced sources; /* of these clips, and of those that are gone */
    studio_bytes
        about; /* what is said of it where nothing was given; empty: nothing, otherwise with an ending zero */
    json_t *notes; /* texts for people */
} puppet_gather;

bool puppet_gather_begin(puppet_gather *of, heap *memory); /* false: out of memory */
void puppet_gather_free(puppet_gather *of);

/* The list of a body: REQUEST, INPUT, LIMIT, MEMORY. What is wrong is named by the number of the demonstration, and of the
   sample, both from 0. */
marey_status puppet_gather_read(puppet_gather *to, studio_worker *worker, const json_t *list,
                                marey_error *error);

/* Loads what is in the library, and refuses what is too much for the settings. */
marey_status puppet_gather_load(puppet_gather *of, studio_worker *worker,
                                const marey_puppet_def *def, marey_error *error);
marey_status puppet_gather_train(puppet_gather *of, studio_worker *worker,
                                 const marey_puppet_def *def, marey_puppet **out,
                                 marey_error *error);

/* ---- what its files share ----------------------------------------------------------------------- */

typedef enum shown_kind { SHOWN_SAMPLES, SHOWN_CLIPS, SHOWN_PUPPET } shown_kind;

typedef struct puppet_shown {
    shown_kind kind;
    int first, count; /* of the samples */
    bool table;       /* of text, whose notes are by lines */
    int64_t clips[2];
    char puppet[MAREY_NAME_ROOM];
} puppet_shown;

/* Room for so many more samples; NULL, with a sentence, if there are too many, or no memory. */
marey_puppet_sample *puppet_gather_room(puppet_gather *of, int count, marey_error *error);
__attribute__((format(printf, 2, 3))) void puppet_gather_note(puppet_gather *of, const char *format,
                                                              ...);

/* Rows of numbers: `width` of them, the first a time that rises; none but directions and times beyond 1e6. `called` is
   "demonstration 3, sample". out gets the numbers of a row. */
marey_status puppet_read_row(const json_t *row, int width, const char *called, int number,
                             double before_s, double *out, marey_error *error);

#endif
