/* metric_bytes.h - a metric with its joint weights as bytes, for all that is saved with one. Read
   by graph and library. */
#ifndef MRY_METRIC_BYTES_H
#define MRY_METRIC_BYTES_H

#include "base/bytes.h"

#include <marey/feature.h>

/* `def` has a metric and joint weights. */
void mry_put_metric(mry_bytes_writer *out, const marey_metric_def *def);

/* *joints becomes the weights of *def; takes no memory. False: damaged, or an unknown metric. */
bool mry_get_metric(mry_bytes_reader *reader, marey_metric_def *def, marey_joint_weights *joints);

/* The same of what an index was saved with up to its version 2. */
bool mry_get_metric_of_index2(mry_bytes_reader *reader, marey_metric_def *def,
                              marey_joint_weights *joints);

#endif
