/* web_fields.h - made grids for the tests of match webs. */
#ifndef MAREY_TEST_WEB_FIELDS_H
#define MAREY_TEST_WEB_FIELDS_H

#include "support.h"

#include "match/web_data.h"

#include <stdlib.h>

enum { FIELD_FPS = 60 };

typedef struct field { /* a grid, and how its web is asked for */
    marey_rows rows;
    float *values; /* OWNED(field) frees them */
    bool self;
    marey_web_def def;
} field;

static inline void field_free(field *f)
{
    free(f->values);
}
OWNED_VALUE(field, field_free)

/* Valleys along bent diagonals, `period` apart, as motions that repeat themselves have, with noise;
   period 0: noise alone. */
field field_make(int rows, int cols, double period, double noise, uint32_t seed);

/* A motion with itself: symmetric, nothing on the diagonal. */
field field_self(int rows, double period, double noise, uint32_t seed);

/* The web; fails the test if it cannot be. `slab` as for mry_web_from_rows. */
marey_web *field_web(marey_ctx *ctx, const field *f, int slab);

/* Fails the test unless two webs are the same to the bit. */
void check_same_web(const marey_web *a, const marey_web *b);

#endif
