/* seeded_score.h - how well flaws that were put into a clip are found and mended. */
#ifndef MAREY_TEST_SEEDED_SCORE_H
#define MAREY_TEST_SEEDED_SCORE_H

#include "seeded_flaws.h"

#include <stdio.h>

/* Sums over cases. What moves a joint by 5 cm, or turns one by 20 degrees, is due. */
typedef struct seeded_score {
    int cases, due;
    int found, found_due;
    int kind_due;    /* due, found, and called what it is */
    int wrong;       /* findings that are neither the flaw nor there without it */
    int repaired;    /* found, and its repair changes frames */
    double error_cm; /* sum over these: the mean distance of joints in the changed frames */
    double worst_cm; /* the largest of them */
    int changed;     /* frames outside flaw and repair that are not as before */
} seeded_score;

/* Puts the flaw of a row and size (0 .. SEEDED_SIZES - 1) into a clip whose own flaws are `before`,
   and adds up what is found. What was missed, or wrong, is written to `notes`, if there is one. */
void seeded_try(const marey_clip *clip, const marey_flaws *before, const seeded_row *row, int size,
                uint64_t *seed, seeded_score *score, FILE *notes);

void seeded_add(seeded_score *sum, const seeded_score *more);

double seeded_recall(const seeded_score *score);    /* of what is due */
double seeded_precision(const seeded_score *score); /* of all findings */

#endif
