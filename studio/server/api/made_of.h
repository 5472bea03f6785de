/* made_of.h - what a clip is made of, as the library keeps it with the clip: the verb, the sources and the settings that
   the command would have. Read after worker.h. */
#ifndef STUDIO_MADE_OF_H
#define STUDIO_MADE_OF_H

#include "worker.h"

typedef struct made_of_source {
    marey_part part;
    double weight; /* 0: not told */
} made_of_source;

typedef struct made_of {
    const char *verb;    /* "blend" */
    const char *family;  /* of which it is a member, or NULL */
    const char *graph;   /* through which it goes, or NULL */
    const char *puppet;  /* that it follows, or NULL */
    studio_bytes taught; /* the clips that the puppet was trained on, as text inside the brackets */
    studio_bytes terms;  /* their licences, each with an ending zero */
    studio_bytes sources;  /* of made_of_source */
    studio_bytes settings; /* what is inside the braces */
} made_of;

made_of made_of_begin(studio_worker *worker, const char *verb);
void made_of_free(made_of *of);

void made_of_share(made_of *of, int64_t clip, int start, int end, double weight);

/* A clip that the puppet was trained on: its frames are not in what is made, its licence is. */
void made_of_taught(made_of *of, const char *clip, const char *licence);

/* In the order of the command's options. */
void made_of_text(made_of *of, const char *name, const char *value);
void made_of_true(made_of *of, const char *name);

/* A number in as few digits as say exactly that. */
enum { NUMBER_ROOM = 32 };
void number_text(double value, char text[NUMBER_ROOM]);

/* The JSON, and the licences of the sources (may be NULL), both with an ending zero. INPUT: a clip is gone. */
marey_status made_of_write(studio_worker *worker, const made_of *of, studio_bytes *out,
                           studio_bytes *licence, marey_error *error);

#endif
