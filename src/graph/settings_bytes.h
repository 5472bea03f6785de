/* settings_bytes.h - parts of what graphs are kept as: a metric with its joint weights, and what tells their clips from
   others. Read by graph_bytes.c and cluster_bytes.c. */
#ifndef MRY_SETTINGS_BYTES_H
#define MRY_SETTINGS_BYTES_H

#include "base/bytes.h"

#include <marey/feature.h>

void mry_put_float(mry_bytes_writer *out, float value);
float mry_get_float(mry_bytes_reader *in); /* 0 on failure; finite */

/* `def` has a metric and joint weights. */
void mry_put_metric(mry_bytes_writer *out, const marey_metric_def *def);
/* *joints becomes the weights of *def. False: damaged, or no such metric. */
bool mry_get_metric(mry_bytes_reader *in, mry_arena *tmp, marey_metric_def *def,
                    marey_joint_weights *joints);

/* Of each clip frames, rate, joints, and sums of its numbers. */
void mry_put_clips(mry_bytes_writer *out, const marey_clip *const *clips, int count);
bool mry_same_clips(mry_bytes_reader *in, const marey_clip *const *clips, int count);

#endif
