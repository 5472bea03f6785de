/* clip_sums.h - which clips a graph was made of, told apart by sums of their numbers. Read by what
   saves graphs. */
#ifndef MRY_CLIP_SUMS_H
#define MRY_CLIP_SUMS_H

#include "base/bytes.h"
#include "motion/clip_data.h"

void mry_put_clips(mry_bytes_writer *out, const marey_clip *const *clips, int count);

/* Are these the clips that were put? */
bool mry_same_clips(mry_bytes_reader *in, const marey_clip *const *clips, int count);

#endif
