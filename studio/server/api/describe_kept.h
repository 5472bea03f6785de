/* describe_kept.h - what is told in a list of kept things, graphs and cluster graphs, without opening them: what was noted when
   they were built, and their clips. So those whose clips are gone are listed too. Read after worker.h. */
#ifndef MAREY_STUDIO_DESCRIBE_KEPT_H
#define MAREY_STUDIO_DESCRIBE_KEPT_H

#include "describe.h"
#include "worker.h"

/* A note under its own key; null if there is none, or one of another kind. */
void describe_noted_text(heap *memory, const json_t *about, const char *key, json_t **to);
void describe_noted_number(const json_t *about, const char *key, json_t **to);
void describe_noted_whole(const json_t *about, const char *key, json_t **to);

/* Each clip once, though dropouts cut it into several parts. A clip that was purged has only the name it had. */
json_t *describe_kept_clips(studio_worker *worker, const marey_kept_entry *entry);

#endif
