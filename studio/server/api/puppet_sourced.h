/* puppet_sourced.h - the clips that a behaviour was trained on and their licences, as answers tell them. Read after api_common.h. */
#ifndef STUDIO_PUPPET_SOURCED_H
#define STUDIO_PUPPET_SOURCED_H

#include "api_common.h"

typedef struct puppet_sourced {
    studio_bytes texts; /* of each clip its name, a zero, its licence, a zero */
    int count;
} puppet_sourced;

static inline puppet_sourced puppet_sourced_begin(heap *memory)
{
    return (puppet_sourced){ .texts = { .memory = memory } };
}
static inline void puppet_sourced_free(puppet_sourced *of)
{
    bytes_free(&of->texts);
    of->count = 0;
}

/* One more, each once; out of memory is noticed by texts.failed. */
void puppet_sourced_add(puppet_sourced *to, const char *name, const char *licence);

/* The clip behind `at`, which begins at 0; NULL: there are no more. Borrowed. */
const char *puppet_sourced_next(const puppet_sourced *of, size_t *at, const char **licence);

/* Those of a puppet that is kept, and a clip by its number. INPUT: there is none. */
marey_status puppet_sourced_kept(puppet_sourced *to, studio_worker *worker, const char *puppet,
                                 marey_error *error);
marey_status puppet_sourced_clip(puppet_sourced *to, studio_worker *worker, int64_t clip,
                                 marey_error *error);

/* As the library takes them; NULL if there are none, or no memory. heap_resize them to 0, of count * sizeof. */
marey_puppet_source *puppet_sourced_list(const puppet_sourced *of);

json_t *describe_sources(const puppet_sourced *of); /* [{"clip", "licence"}] */
/* Each licence once: "CC BY 4.0; CC BY-NC 4.0" */
json_t *describe_licences(const puppet_sourced *of);
/* A text for each that is for non-commercial use only. */
void describe_limits(const puppet_sourced *of, json_t **notes);

#endif
