/* align.h - which frames of several motions belong together, where on the floor they lie on each
   other, and which of their foot plants are the same plant: time alignments and registration
   curves. Read after grid.h; blend.h makes motion of what this finds. */
#ifndef MAREY_ALIGN_H
#define MAREY_ALIGN_H

#include <marey/grid.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- time alignment -------------------------------------------------------------------------- */

/* A cell of a grid. */
typedef struct marey_cell {
    int row, col;
} marey_cell;

/* Cells that belong together, in the order of time. Neighbours in it share an edge or a corner;
   neither row nor column ever goes back. */
typedef struct marey_path {
    int count;
    marey_cell *cells;
    /* Of the cells' costs: the sum, and sum / count. */
    double sum;
    double mean;
    /* For marey_path_free. */
    size_t bytes;
    marey_ctx *ctx;
} marey_path;

/* Frees a path's cells; {0} is allowed. */
MAREY_API void marey_path_free(marey_path *path);

/* Where an alignment begins and ends. */
typedef enum marey_align_ends {
    MAREY_ALIGN_WHOLE,   /* from the first cell of the grid to the last */
    MAREY_ALIGN_BETWEEN, /* from `start` to `end` */
    /* From `start` to the cell of the last row or column with the least mean cost. */
    MAREY_ALIGN_FORWARDS,
    /* From the cell of the first row or column with the least mean cost to `start`. */
    MAREY_ALIGN_BACKWARDS,
    /* Both: through `start`, which is counted once. */
    MAREY_ALIGN_AROUND
} marey_align_ends;

/* How an alignment is found: leave a field zero for its default. */
typedef struct marey_align_def {
    /* Default: whole. */
    marey_align_ends ends;
    marey_cell start, end;
    /* At most so many steps in a row along one clip alone, 1 .. 8; default 2. */
    int slope;
} marey_align_def;

/* Finds a time alignment by dynamic timewarping on a grid (curves, 4.2.1): of all paths with these
   ends and this slope the one whose cells cost least in sum. Costs must not be negative. Sums run
   in double; the same path on every machine.

   Where an end is looked for, there is one such path to every cell of the boundary; of equal means
   the one with the lesser sum is taken, then the one that ends nearest to the diagonal through the
   start. `around` finds both halves by themselves; where they run along one clip at the start,
   together for longer than the slope allows, one of them is found again with what the other leaves
   it.
   Errors: REQUEST: a cell outside the grid; an invalid slope; no path of that slope leads from the
     start to the end (the message says which lengths would do); a cost that was met is negative or
     not finite (cells that no such path can go through may hold anything). MEMORY, CANCELLED.
   Ownership: free with marey_path_free.
   Cost: rows * cols; at most 1 byte a cell during the call. */
MAREY_API marey_status marey_align(marey_ctx *ctx, marey_rows cost, const marey_align_def *def,
                                   marey_path *out, marey_error *error);

/* ---- registration curves --------------------------------------------------------------------- */

/* What several motions have to do with each other (curves, section 2): S(u), the frames that belong
   together, A(u), how they are laid on each other on the floor, and which foot plants match. u is a
   time of no motion in particular, in rows. Times of motions here are rows: frames at the
   registration's rate, as real numbers; frame f of a motion of rate r is row f * rate / r. Never
   changes once made; any thread may read it. */
typedef struct marey_registration marey_registration;

/* How motions are registered: leave a field zero for its default. */
typedef struct marey_registration_def {
    /* Which frames are alike; default: points. */
    const marey_metric_def *metric;
    /* As for alignments; default 2. */
    int slope;
    /* Samples between two knots of the splines, 2 .. 50; default 4. */
    int samples_per_knot;
    /* Samples, odd, 1 .. 31: width of the filter on angles before the fit; default 5. */
    int median;
    /* The motion that the others are aligned with, counted from 1; default: the one with the least
       mean distance to the others. */
    int reference;
    /* A tree of pairs instead of one reference: parents[i] is the motion that motion i is aligned
       with, -1 for one of them, the reference. NULL: all with the reference. */
    const int *parents;
    /* The alignments of those pairs, where they are known: rows are the parent's, columns the
       motion's own; the reference's is ignored. NULL, or count 0: found. */
    const marey_path *paths;
    /* A frame of every motion that belong together: the alignment goes through them, and ends at a
       boundary of the grid where its mean is best. For transitions; cut the clips to what matters
       around the frames first. NULL: the motions are aligned whole, first frames with first and
       last with last. */
    const int *centres;
    /* Frames that belong together in motions that are aligned whole: pin_count times a frame of
       every motion, -1 for one that has none. Alignments go through the pins that both motions
       have, and the curves within a few frames of them. At most MAREY_MOST_PINS; not with centres;
       alignments that are given go where they go. NULL: none. */
    const int *pins;
    int pin_count;
} marey_registration_def;

enum { MAREY_MOST_PINS = 64 };

/* Registers motions. Marked frames are used like all others, so take them out first
   (marey_clip_unmarked). contacts[i] are the plants of clips[i], sorted by joint and start, without
   overlaps; NULL: they are found.
   Errors: REQUEST: fewer than 2 or more than 256 clips; an invalid definition; lengths that the
     slope does not allow, of the clips or between pins; pins in different orders. SHAPE: joints
     differ. MEMORY, CANCELLED.
   Ownership: free with marey_registration_free. `clips` must live as long; contacts need not.
   Cost: one alignment for every motion but the reference; of three and more without a reference or
     a tree, one for every pair. */
MAREY_API marey_status marey_registration_build(marey_ctx *ctx, const marey_clip *const *clips,
                                                int count, const marey_contacts *contacts,
                                                const marey_registration_def *def,
                                                marey_registration **out, marey_error *error);

/* Frees a registration; the clips stay. */
MAREY_API void marey_registration_free(marey_registration *registration);

/* How many motions it has. */
MAREY_API int marey_registration_count(const marey_registration *registration);

/* One of the motions, as it was given. */
MAREY_API const marey_clip *marey_registration_clip(const marey_registration *registration,
                                                    int motion);

/* Rows a second. */
MAREY_API double marey_registration_fps(const marey_registration *registration);

/* The reference, counted from 0. */
MAREY_API int marey_registration_reference(const marey_registration *registration);

/* The motion that a motion was aligned with; -1 for the reference. */
MAREY_API int marey_registration_parent(const marey_registration *registration, int motion);

/* The alignment with its parent, for pictures; NULL for the reference. Borrowed until free. */
MAREY_API const marey_path *marey_registration_path(const marey_registration *registration,
                                                    int motion);

/* ---- its curves ------------------------------------------------------------------------------ */

/* The range of u, from *first to *last. */
MAREY_API void marey_registration_range(const marey_registration *registration, double *first,
                                        double *last);

/* S(u) and its derivative: a number each for every motion; either may be NULL. u is held to the
   range. */
MAREY_API void marey_registration_times(const marey_registration *registration, double u,
                                        double *rows, double *slopes);

/* The u at which a motion is at a row, the inverse of S; held to the range. */
MAREY_API double marey_registration_find(const marey_registration *registration, int motion,
                                         double row);

/* A_j(u): how a motion is laid on the reference at u. The reference's is the identity. */
MAREY_API marey_placement marey_registration_place(const marey_registration *registration,
                                                   int motion, double u);

/* The control points of S, count of motions numbers each, and the ratio that steps between two of
   them keep to (curves, eq. 5): epsilon <= step of any motion / step of the base <= 1 / epsilon.
   Borrowed until free. */
MAREY_API const double *marey_registration_knots(const marey_registration *registration, int *count,
                                                 int *base, double *epsilon);

/* ---- its constraint matches ------------------------------------------------------------------ */

/* When a plant of a match holds, in u: a plant of frames a .. b - 1 covers a - 0.5 .. b - 0.5. */
typedef struct marey_match_span {
    double start, end;
} marey_match_span;

/* Plants of one point of the foot, one of every motion, that are the same plant. Where a plant was
   split, parts of it. */
typedef struct marey_constraint_match {
    marey_contact_joint joint;
    /* One of every motion. */
    const marey_match_span *spans;
} marey_constraint_match;

/* The matches, sorted by joint, then time. Borrowed until free. */
MAREY_API const marey_constraint_match *
marey_registration_matches(const marey_registration *registration, int *count);

/* ---- keeping it ------------------------------------------------------------------------------ */

/* Writes a registration as bytes, without the clips and without the matches, which follow from the
   clips' plants.
   Errors: MEMORY.
   Ownership: free *bytes with marey_registration_bytes_free. */
MAREY_API marey_status marey_registration_write(const marey_registration *registration,
                                                uint8_t **bytes, size_t *size, marey_error *error);

/* Frees what marey_registration_write made. */
MAREY_API void marey_registration_bytes_free(marey_ctx *ctx, uint8_t *bytes, size_t size);

/* Reads a registration. The same clips must be given again, in the same order.
   Errors: INPUT: the bytes are damaged or of another version; other clips. MEMORY.
   Ownership: as marey_registration_build; the bytes may go after the call. */
MAREY_API marey_status marey_registration_read(marey_ctx *ctx, const uint8_t *bytes, size_t size,
                                               const marey_clip *const *clips, int count,
                                               const marey_contacts *contacts,
                                               marey_registration **out, marey_error *error);

#ifdef __cplusplus
}
#endif
#endif
