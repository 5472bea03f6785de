/* kernel.h - the hot loops of the distance grid: one table of function pointers for each
   instruction set. Plain C comes first and is the truth; every other one agrees with it within a
   stated tolerance (tests/math/test_kernel.c). Kernels cannot fail: sizes and alignment are the
   caller's promise. Read by feature and grid.

   A frame has k joints, each with x, z (about the frame's weighted mean) and y, times the square
   root of its weight. Frames are packed in panels, mr frames each for the first clip and nr for the
   second:

       first:   k rows of mr floats:  x  | k rows:  z  | k rows: -(x + z)  | k rows:  y
       second:  k rows of nr floats:  x' | k rows:  z' | k rows:   x' - z' | k rows:  y'

   so that three real products give the complex one:

       B = xx' + zz'      C = xz' - zx' = (xx' - zz') - (x + z)(x' - z')      Y = yy'

   All arrays of floats that kernels write are aligned to 64 bytes, and so are panels. */
#ifndef MRY_KERNEL_H
#define MRY_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    MRY_KERNEL_WINDOW = 5, /* frames whose products are summed along the diagonals */
    MRY_KERNEL_PATH = 8, /* numbers a frame for the mean's path in the window: four complex ones */
    MRY_KERNEL_WAYS = 8, /* numbers of a vector of doubles, at most */
    MRY_KERNEL_MOST_MR = 8,
    MRY_KERNEL_MOST_NR = 64
};

/* In cm: farther than anything; its square, times a weight of 0, is a number. */
#define MRY_KERNEL_FAR 1e15f

/* Three planes of numbers, rows `stride` floats apart. */
typedef struct mry_planes {
    float *b, *c, *y;
    size_t stride;
} mry_planes;

/* What distances need beside the planes: S of each row and column, and the means' paths. */
typedef struct mry_cells_def {
    const float *size_a; /* of each row */
    const float *size_b; /* of each column */
    const float *path_a; /* MRY_KERNEL_PATH arrays of a number for each row; NULL: no path */
    const float *path_b; /* likewise for each column */
    size_t path_a_stride, path_b_stride; /* floats from one array to the next */
} mry_cells_def;

typedef struct mry_bounds_def {
    const float *size_a; /* of each row, less what rounding may be off */
    const float *size_b; /* of each column, of which `keep` is counted */
    float keep;
    const float *radii;  /* of each column */
    float *costs;        /* rows `stride` floats apart */
    const float *before; /* NULL: nothing is summed; otherwise the sums before the first row .. */
    float *sums;         /* .. and, likewise apart, those of the first `rows` rows */
    size_t stride;
    int rows;
} mry_bounds_def;

/* Rows between blocks, four each (feature/pose_blocks.h). */
typedef struct mry_guess_def {
    int complex, blocks;
    /* Three times `complex` numbers of each block: x, z and heights, the last of them what is left
       over; `stride` floats from one to the next. The first is of the block two before the first,
       and two are behind the last. */
    const float *numbers;
    size_t stride;
    const float *steps; /* likewise, how far what is left is from that of the next block */
    /* Of the four rows: shares of five blocks; products of those of neighbours in the middle and of
       the outermost ones, of the first four blocks and of the last four. */
    const float *shares, *middle, *outer;
    const float *sizes; /* of the blocks: what rounding may be off, in squares */
    float *panels, *row_sizes;
} mry_guess_def;

typedef struct mry_back_def {
    const float *sums, *costs;
    float *behind, *through, *room;
    int reach;
} mry_back_def;

/* Rounded rows of a clip (feature/pose_blocks.h), nr of them, each number for all of them. */
typedef struct mry_unpack_def {
    int points;
    const int16_t *places;      /* of points x (x, z, y) */
    const int8_t *roots;        /* likewise of speeds: root |root| each */
    const float *units;         /* of each row, for all that is in it; 0: there is no row */
    const float *weights;       /* of points */
    float place, speed, absent; /* one of each number in cm; the size of what is no row */
} mry_unpack_def;

typedef struct mry_widths_def {
    int points;
    const uint8_t *roots; /* of points: root^2 each; 255 is far */
    const float *units, *weights;
    float width; /* one in cm */
} mry_widths_def;

typedef struct mry_warp_def {
    float *sums;
    size_t sums_stride;
    int most, stays;
    const float *before;
    float *best;
    int32_t *from, *best_from; /* likewise where alignments start; NULL: not asked for */
    const int32_t *before_from;
} mry_warp_def;

typedef struct mry_way_start { /* a way begins here */
    int col;
    double sum;
    int64_t tag;
} mry_way_start;

/* One row of the cheapest ways through a grid (match/web_ways.h): states are planes of a number for
   each column, `stride` apart: the least of all, then S, down_1 to down_(slope - 1). */
typedef struct mry_ways_def {
    int slope;
    size_t stride;
    const float *costs;   /* infinite: no way leads through; `slope` more in front are read */
    const double *before; /* sums of the row before; those of one column more in front are read */
    double *sums;         /* infinite: no way; `slope` more of S in front are read */
    const int64_t *tags_before; /* of ways, one more with every cell; NULL: there are none */
    int64_t *tags;
    const int64_t *oldest; /* of each column: ways with lesser tags end before it */
    const mry_way_start *starts;
    int start_count;
    double *least; /* of each column so far, and at which row; NULL: not asked for */
    int64_t *least_at;
    int64_t row;
    uint8_t *states; /* the least: 0 is S, 1 .. slope across, slope + 1 .. 2 slope down */
} mry_ways_def;

typedef struct mry_kernel {
    const char *name; /* "plain", "neon", "avx2", "avx512" */
    int mr, nr;       /* frames of a panel; nr is a multiple of the vector's length */

    /* B, C, Y of one panel against one panel: mr x nr numbers in each plane. */
    void (*tile)(const float *a, const float *b, int k, mry_planes out);

    /* Sums of five along the diagonals, in place: row r of the first mr rows, column j becomes the
       sum of (r + s, j + s), s = 0 .. 4; the four rows behind them are only read. Columns [0,
       cols); may change up to 16 columns left and right of them. */
    void (*diagonals)(mry_planes planes, int cols);

    /* Distances of mr rows: max(0, S + S' - 2 Y - 2 |R|), where R = B + iC plus the product of the
       paths. cols is rounded up to the vector's length. */
    void (*cells)(const mry_cells_def *def, mry_planes in, int cols, float *out, size_t out_stride);

    /* Lower bounds of one panel against one panel, from the planes of a tile: (root(S + keep S' -
       2 Y - 2 |R|) - radii)^2, where both differences are 0 at least. Roots may be off by a few
       hundred thousandths, to the side on which the bound is less. `sums` are what they are with
       the lesser of those of the row before, of this column and the one before it. */
    void (*bounds)(const mry_bounds_def *def, mry_planes in);

    /* Rows between blocks as panels of the second kind, `complex` for k, and S of each. */
    void (*guess)(const mry_guess_def *def);

    /* Is one of the numbers at most `most`? cols is a multiple of the vector's length. */
    bool (*any)(const float *row, int cols, float most);

    /* One row back: `through` becomes at most sums + behind, and `behind` the least of costs +
       behind, `reach` columns ahead at most. `costs` end with a vector of infinite ones, and so
       does `room` after it. cols is rounded up to the vector's length. */
    void (*back)(const mry_back_def *def, int cols);

    /* nr rows as a panel of the second kind, with 2 x points for k, and S of each, about the
       weighted mean of its places. */
    void (*unpack)(const mry_unpack_def *def, float *panel, float *sizes);

    /* Of nr rows, the root of the weighted sum of squares of widths. */
    void (*widths)(const mry_widths_def *def, float *out);

    /* One row of an alignment (match/query_scan.c), whose costs are c. `sums` are stays + 1 arrays,
       sums_stride floats apart, of the least sums by how often in a row the alignment stayed;
       `before` the least of them, with at least `most` infinite ones in front; `best` becomes
       what `before` is for the next row. Of equal sums the one that stayed less often is taken, then
       the one from the nearest column. cols is rounded up to the vector's length. */
    void (*warp)(const float *c, const mry_warp_def *def, int cols);

    /* One row of ways. Of equal sums S is taken, then the one with more steps in a row, then the one
       across. cols is rounded up to MRY_KERNEL_WAYS at most. */
    void (*ways)(const mry_ways_def *def, int cols);

    /* Bit j: cells[j], of 64, is less than the limit. */
    uint64_t (*below)(const float *cells, float limit);

    /* Bit j % 64 of word j / 64: cell j of `row` is less than its neighbours left and right
       (in_row), above and below (in_column), and below the bound. cols is rounded up to 64. Reads
       row[-1] and row[cols]. */
    void (*minima)(const float *above, const float *row, const float *under, int cols, float below,
                   uint64_t *in_row, uint64_t *in_column);
} mry_kernel;

/* Row `index` of the table of those that this processor can run, plain first, fastest last; NULL
   past the last. */
const mry_kernel *mry_kernel_find(int index);

/* The last of them. */
const mry_kernel *mry_kernel_best(void);

/* ---- the rows; each in its own file, NULL where it was not compiled -------------------------- */

extern const mry_kernel mry_kernel_plain;
const mry_kernel *mry_kernel_neon(void);
const mry_kernel *mry_kernel_avx2(void);
const mry_kernel *mry_kernel_avx512(void);

#endif
