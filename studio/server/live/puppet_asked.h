/* puppet_asked.h - the body of POST /api/puppets/run: whom to ask, and how the main character goes. Read after api_common.h. */
#ifndef STUDIO_PUPPET_ASKED_H
#define STUDIO_PUPPET_ASKED_H

#include "api_common.h"

typedef struct puppet_asked {
    heap *memory;
    char puppet[MAREY_NAME_ROOM];
    char graph[MAREY_NAME_ROOM], name[MAREY_NAME_ROOM]; /* "": not given */
    marey_reactor_def def;
    studio_bytes samples; /* of marey_puppet_sample: where the main character is */
} puppet_asked;

/* After OK puppet_asked_free must follow; on failure nothing is left. REQUEST, LIMIT, MEMORY. */
marey_status puppet_asked_read(puppet_asked *out, heap *memory, const uint8_t *data, size_t count,
                               marey_error *error);
void puppet_asked_free(puppet_asked *of);

marey_puppet_sample *puppet_asked_samples(const puppet_asked *of, int *count);

/* Who reacts, as bodies and messages say it: balance, weight and rough of an object; 0 is as good as no balance at all. */
marey_status puppet_read_manner(const json_t *object, marey_reactor_def *out, marey_error *error);
/* [x, y, direction] */
marey_status puppet_read_entity(const json_t *value, const char *name, marey_entity *out,
                                marey_error *error);

/* Straight from a to b, and the shorter way round; a share outside of 0 to 1 is the nearer of these. */
marey_entity puppet_between(const marey_entity *a, const marey_entity *b, double share);

#endif
