/* columns.h - a table of numbers as few, well compressible bytes, and exactly back. Motion files
   print decimals: a column whose numbers are whole multiples of a power of ten becomes integers,
   smooth ones become small differences, and bytes of equal weight stand together. What is no
   decimal is kept as it is. */
#ifndef MRY_COLUMNS_H
#define MRY_COLUMNS_H

#include "base/arena.h"

/* Packs rows x cols doubles (row by row). The same numbers always give the same bytes; -0 counts as
   0. `tmp` is for the way there. False when out of memory. */
bool mry_columns_pack(mry_arena *mem, mry_arena *tmp, const double *values, int rows, int cols,
                      void **bytes, size_t *count);

/* How many rows and columns packed bytes hold. False: these are no packed columns, or not all of
   them are there. Columns that never change take no bytes but their heads, so the rows may be any
   number: bound them before memory is taken. */
bool mry_columns_shape(const void *bytes, size_t count, int *rows, int *cols);

/* Fills rows x cols doubles as mry_columns_shape told, of the rows only every so many, from the first
   on. False: damaged. Time is linear in the numbers. */
bool mry_columns_unpack(const void *bytes, size_t count, int every, double *values);

#endif
