/* compare_kept.h - two clips that are being compared: how, as a query says it, and what was measured last, which the
   next requests about the same comparison need again. Read after api_common.h. */
#ifndef STUDIO_COMPARE_KEPT_H
#define STUDIO_COMPARE_KEPT_H

#include "api_common.h"

/* Which comparison is meant: two clips and every option. */
typedef struct compare_wish {
    int64_t clips[2];
    marey_metric_def def;       /* def.joints is set by compare_measure */
    marey_joint_weights joints; /* "equal" if the query names none */
} compare_wish;

/* From a query; false: the answer says what is wrong with it. */
bool compare_read(const studio_request *request, compare_wish *out, studio_response *response);

struct compare_kept {
    compare_wish wish;
    marey_layout *layout;
    marey_features *features[2];
    marey_grid *grid; /* NULL unless it was asked for and is small enough to be kept */
};

/* Layout and features, borrowed until the worker's next comparison; false: the answer says why not. */
bool compare_measure(studio_worker *worker, const compare_wish *wish, struct compare_kept **out,
                     studio_response *response);

/* The grid of it, borrowed until compare_let_go, which must follow. */
bool compare_grid(studio_worker *worker, struct compare_kept *of, marey_rows *cost,
                  studio_response *response);

/* What is too large to be kept goes. */
void compare_let_go(struct compare_kept *of);

#endif
