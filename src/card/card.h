/* card.h - the distance grid and the bounds of a search on a graphics card. One table of function
   pointers, like those of kernel.h: libmarey_cuda.so has one, the tests have one in plain C
   (tests/judges/card_plain.c), and a machine without a card has none and loses nothing but time. What makes one and what loads it
   see only this file, which is C and C++. Read by grid and match.

   Decisions are those of the processor. A module does the same operations on floats in the same
   order as the kernels with fused products (kernel_body.h), each rounded once as IEEE 754 says, so
   its distances are the same bits; points_card.c compares a small grid when a module is opened. If
   they differ there, a distance may be off from the processor's by

       slack = MRY_CARD_SLACK(joints) (S + S')

   and cells whose decision lies within that are NEAR: the processor settles them with its own kernel.
   Why that is enough: let u = 2^-24, K joints, P = root(S S') <= (S + S') / 2, which no sum of sizes
   of products along a window exceeds (Cauchy-Schwarz). A sum of n products, one after the other, is
   off by at most n u times their sizes, so

       B    2 K of them, three additions along the diagonal, eight for the path   (2 K + 11) u P
       C    2 xx' - (xx' + zz'), then K of up to three times the size             (7 K + 17) u P
       |R|  the root of both squares, two roundings more                        (7.3 K + 23) u P
       Y    K of them, three additions                                              (K + 3) u P
       D    twice the last two, and 4 u (S + S') for the rest              (8.3 K + 30) u (S + S')

   and two that are off are twice that from each other: 16.6 K + 60; 20 K + 100 leaves room for terms
   of u^2. docs/decisions/0045-card.md has the same in words. */
#ifndef MRY_CARD_H
#define MRY_CARD_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    MRY_CARD_VERSION = 2,       /* of what follows; a module of another one is refused */
    MRY_CARD_WINDOW = 5,        /* frames of a window */
    MRY_CARD_PATH = 8,          /* as MRY_KERNEL_PATH */
    MRY_CARD_CODES = 8,         /* complex numbers of a code, and real ones */
    MRY_CARD_CODE_NUMBERS = 24, /* x, z and heights of these */
    MRY_CARD_MOST_POINTS = 128  /* of a body that is searched for */
};

#define MRY_CARD_SLACK(joints) ((20.0f * (float)(joints) + 100.0f) * 5.9604645e-8f)

/* What a function of a module returns; the reason is in its text. */
typedef enum mry_card_result {
    MRY_CARD_OK,
    MRY_CARD_NO_MEMORY, /* of the card or of the processor; the work may be done elsewhere */
    MRY_CARD_FAILED,    /* the card or its driver; what it said may not be trusted any more */
    MRY_CARD_TOO_LARGE  /* more than it is made for */
} mry_card_result;

typedef struct mry_card mry_card;             /* one that is open */
typedef struct mry_card_clip mry_card_clip;   /* a clip's frames on it */
typedef struct mry_card_shelf mry_card_shelf; /* the blocks of many clips on it */

/* The frames of a clip as points.h packs them: rows + 4 frames, `joints` numbers each of x, z, and
   y, one joint after the other (number k of frame f: k * stride + f); S of each row; the paths. */
typedef struct mry_card_points {
    int rows, joints;
    const float *x, *z, *y;
    size_t stride;
    const float *size;
    const float *path; /* MRY_CARD_PATH arrays, path_stride apart */
    size_t path_stride;
} mry_card_points;

/* A cell that is least in its row or column (MAREY_LEAST_...). NEAR: perhaps, and to be settled. */
enum { MRY_CARD_IN_ROW = 1, MRY_CARD_IN_COLUMN = 2, MRY_CARD_NEAR = 4 };

typedef struct mry_card_cell {
    int32_t row;
    uint32_t col_flags; /* the column times 8, and flags */
    float value;
} mry_card_cell;

/* Rows [first, end) of a grid; first is a multiple of 8. */
typedef struct mry_card_job {
    const mry_card_clip *a, *b;
    int first, end;
    float below; /* INFINITY: all */
    float slack; /* how far a distance may be off; 0: same bits */
    int upper;   /* only cells right of the diagonal are wanted; others may be left out */
} mry_card_job;

/* Blocks of poses as a shelf has them (match/query_scan.h): tiles of `wide` blocks, each number for
   all of a tile: `points` times (x, z, y), 16 bits each, of places; as many of 8 bits, roots of
   speeds; `points` of 8 bits, roots of radii; and twice as many that are not looked at. */
typedef struct mry_card_shelf_def {
    int blocks, points, wide;
    const uint8_t *tiles; /* blocks / wide + 1 of them, 12 x points x wide bytes each */
    const float *units;   /* of each block, for all that is in it; 0: it is of no clip */
} mry_card_shelf_def;

/* A query whose rows have codes by MRY_CARD_CODES directions (match/scan_bounds.c). The code of a block
   is made of what it has of these, with what is left of its size as the last height, and a cost is
   bounded by

       (off root(max(0, S + keep S' - 2 Y - 2 |R|)) - radius)^2,  or 0 if that difference is negative. */
typedef struct mry_card_query {
    int rows;
    const float *numbers; /* of each row MRY_CARD_CODE_NUMBERS */
    const float *size;    /* of each row: S */
    const float *basis;   /* MRY_CARD_CODE_NUMBERS numbers for each of 2 x points: of its x, z, y */
    const float *weights; /* of points */
    float place, speed, radius; /* one in cm: of places, of squares of roots */
    float rounding;             /* what is left over is greater by this share of S' */
    float keep, off;
    float limit;    /* of the sum over the rows; from row to row a block on or none */
    uint32_t *ends; /* bit b % 32 of word b / 32: an alignment may end in block b within it */
} mry_card_query;

typedef struct mry_card_module {
    uint32_t version; /* MRY_CARD_VERSION; first, whatever follows */
    uint32_t bytes;   /* of this table */
    const char *name; /* "cuda", "plain" */

    /* The best card. `text` gets the reason if there is none. */
    mry_card_result (*open)(mry_card **out, char *text, size_t room);
    void (*close)(mry_card *card);
    /* Its name, borrowed until it is closed. */
    const char *(*describe)(const mry_card *card);

    /* All of these may be called from several threads at once. */
    mry_card_result (*put_clip)(mry_card *card, const mry_card_points *points, mry_card_clip **out);
    void (*drop_clip)(mry_card *card, mry_card_clip *clip);

    /* Cells below `below` that are least, in any order. *count may be more than `room`: only the
       first `room` are there then. `cells` may be NULL: they stay on the card, for its time. */
    mry_card_result (*minima)(mry_card *card, const mry_card_job *job, mry_card_cell *cells,
                              int64_t room, int64_t *count);

    /* A byte for every 8 rows (from `first` on) by 32 columns: 1 if a cell there is less than
       below + slack; map_stride bytes from row to row. */
    mry_card_result (*marks)(mry_card *card, const mry_card_job *job, uint8_t *map,
                             size_t map_stride);

    mry_card_result (*put_shelf)(mry_card *card, const mry_card_shelf_def *def,
                                 mry_card_shelf **out);
    void (*drop_shelf)(mry_card *card, mry_card_shelf *shelf);
    mry_card_result (*ends)(mry_card *card, const mry_card_shelf *shelf,
                            const mry_card_query *query);

    /* Milliseconds that the card itself took for the last minima, marks or ends of this thread. */
    double (*last_ms)(const mry_card *card);
    /* Kernels that do the same in another shape: how many, and which one is to be used. */
    int (*shapes)(const mry_card *card);
    void (*use_shape)(mry_card *card, int shape);
} mry_card_module;

/* What libmarey_cuda.so exports. */
typedef const mry_card_module *mry_card_module_fn(void);
#define MRY_CARD_SYMBOL "marey_card_module"

#ifdef __cplusplus
}
#endif
#endif
