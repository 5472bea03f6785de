/* shards.h - operations that several machines can share: --shard I/N --out PART works out one shard into
   a file, and `merge` puts the shards together. Read after operation.h. */
#ifndef MAREY_APP_SHARDS_H
#define MAREY_APP_SHARDS_H

#include "params.h"

/* In the struct of an operation that can be shared; its place there is the operation's `shards`. */
typedef struct app_shard_params {
    const char *shard; /* "3/8"; NULL: all of it is worked out */
    const char *out;
} app_shard_params;

/* The rows of a struct's member of that type. */
#define APP_SHARD_PARAMS(type_of, member)                                                          \
    { .name = "shard",                                                                             \
      .type = APP_TEXT,                                                                            \
      .at = offsetof(type_of, member.shard),                                                       \
      .of_file = true,                                                                             \
      .note = true,                                                                                \
      .value = "I/N",                                                                              \
      .help = "work out only the I-th of N shards, into the file of --out; marey merge puts them " \
              "together" },                                                                        \
    {                                                                                              \
        .name = "out", .type = APP_TEXT, .at = offsetof(type_of, member.out), .of_file = true,     \
        .note = true, .only_if = "shard", .value = "PART",                                         \
        .help = "where the shard goes; one that is there already is not worked out again"          \
    }

/* Is it a shard that this call is to work out? */
struct app_call;
const app_shard_params *app_shard_asked(const struct app_call *call); /* NULL: no */

/* The numbers of "3/8". REQUEST. */
marey_status app_shard_parse(const char *text, int *number, int *count, marey_error *error);

/* What was worked out: the answer in place of the operation's own. */
typedef struct app_shard_result {
    marey_shard_info info;
    bool there_already;
} app_shard_result;

marey_status app_shard_run(struct app_call *call, const app_env *env, marey_error *error);
void app_shard_write(const app_shard_result *result, json *out);

/* What a shard says of its work: the operation and its values, so that `merge` can ask for the same. The
   text lives in `scope`; NULL: out of memory. */
const char *app_shard_about(app_scope *scope, const struct app_call *call);

/* A call as a shard's `about` has it; app_call_close must follow, whatever it returns. INPUT: it is of
   another marey. */
marey_status app_shard_recall(const char *about, const marey_ctx_def *memory, struct app_call *call,
                              marey_error *error);

#endif
