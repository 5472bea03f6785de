/* kept_made.h - things that are made of parts of clips and kept as bytes, which their makers read, most of them only when the
   clips are there.
   Read after library_data.h. */
#ifndef MRY_KEPT_MADE_H
#define MRY_KEPT_MADE_H

#include "library/library_data.h"

typedef struct mry_maker {
    const char *kind;
    const char *word; /* for messages */
    int most;         /* parts; 0: it is read without them, whether or not they are there */
    marey_status (*read)(marey_ctx *ctx, const uint8_t *bytes, size_t size,
                         const marey_parts *parts, void **out, marey_error *error);
    void (*free)(void *made);
} mry_maker;

extern const mry_maker mry_graph_maker;   /* kept_graph.c */
extern const mry_maker mry_cluster_maker; /* kept_cluster.c */
extern const mry_maker mry_puppet_maker;  /* kept_puppet.c */

/* By one transaction, once what is kept was opened as it will be later. */
marey_status mry_keep_made(marey_library *library, const mry_maker *by, const char *name,
                           const uint8_t *bytes, size_t size, const marey_keep_def *def,
                           marey_error *error);

/* Opens a kept thing with its parts; the other inside a snapshot or transaction. */
marey_status mry_open_made(marey_library *library, const mry_maker *by, const char *name,
                           marey_parts **parts, void **out, marey_error *error);
marey_status mry_open_inside(marey_library *library, const mry_maker *by, const char *name,
                             marey_parts **parts, void **out, marey_error *error);

/* The clips of these parts that have a licence, and then `more`, each once, borrowed from `mem` and `more`. (kept_sources.c) */
marey_status mry_puppet_sources_of(marey_library *library, const marey_part *parts, int part_count,
                                   const marey_puppet_source *more, int more_count, mry_arena *mem,
                                   const marey_puppet_source **out, int *count, marey_error *error);

/* As mry_check_made, of a policy. (kept_graph.c) */
marey_status mry_check_policy(marey_library *library, const char *name, marey_error *error);

/* What was needed to look at a thing cannot be had: that is not for whoever looks at the thing to tell. */
bool mry_is_told_elsewhere(marey_status status);

#endif
