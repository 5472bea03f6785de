/* align_pair.h - `marey align` of two clips. Read after metric_options.h. */
#ifndef MAREY_TOOL_ALIGN_PAIR_H
#define MAREY_TOOL_ALIGN_PAIR_H

#include "metric_options.h"

/* Returns the exit status. */
int align_pair(session *run, const request *asked);

#endif
