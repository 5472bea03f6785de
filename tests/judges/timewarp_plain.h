/* timewarp_plain.h - time alignment by the textbook form, which keeps the length of every run: the
   judge of the library's form, and what its speed is measured against. Read by warp_grids.c and
   bench_align.c. */
#ifndef MAREY_TEST_TIMEWARP_PLAIN_H
#define MAREY_TEST_TIMEWARP_PLAIN_H

#include <marey/align.h>

/* As marey_align, with the same cost; where two paths cost the same it may choose another, and a
   bad cost is refused wherever it is. 2 slope + 1 bytes a cell of memory. */
marey_status warp_align_plain(marey_ctx *ctx, marey_rows cost, const marey_align_def *def,
                              marey_path *out, marey_error *error);

#endif
