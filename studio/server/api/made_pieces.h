/* made_pieces.h - stretches of clips in a row as one clip: made, measured, told and noted. What sketches and cluster graphs
   share. Read after made_answer.h. */
#ifndef STUDIO_MADE_PIECES_H
#define STUDIO_MADE_PIECES_H

#include "made_answer.h"

typedef struct made_pieces {
    studio_worker *by;
    const marey_parts *parts;  /* what clips the pieces are of; stretches without marked frames */
    const marey_piece *pieces; /* frames of these */
    int count;
    bool clean, rough;
    marey_walk_made about; /* filled by made_pieces_make */
} made_pieces;

/* Makes them into out->made and notes them as sources in out->from. */
marey_status made_pieces_make(made_pieces *all, made_answer *out, marey_error *error);

/* As JSON, once made; json_decref what it gives, or hand it on. */
marey_status made_pieces_describe(const made_pieces *all, made_answer *out, json_t **value,
                                  marey_error *error);

/* Where piece `number` begins in what is made, at its rate. */
int made_pieces_at(const made_pieces *all, int number, double fps);

#endif
