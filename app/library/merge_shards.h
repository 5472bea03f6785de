/* merge_shards.h - what is asked and answered when shards are put together. Read after operation.h. */
#ifndef MAREY_APP_MERGE_SHARDS_H
#define MAREY_APP_MERGE_SHARDS_H

#include "shards.h"

typedef struct app_merge_params {
    app_params given;
    app_texts files;
    bool missing;
} app_merge_params;

typedef struct app_merge_result {
    marey_shards *shards;
    const marey_shard_info *items;
    int count;
    const int *missing;
    int missing_count;
    /* What the shards are of, asked for once more with what they give; not run with `missing`. */
    struct app_call *call;
    bool ran;
} app_merge_result;

/* "3, 5 to 7": the shards that are missing. */
void app_merge_list_missing(const app_merge_result *of, buffer *out);

#endif
