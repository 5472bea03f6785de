/* index_bodies.h - through which layout two clips of an index are compared. A body is what layouts
   follow from: joints, their roles, and which of them sit on their parents; clips of one body at
   one rate share a layout. Read by index_*.c. */
#ifndef MRY_INDEX_BODIES_H
#define MRY_INDEX_BODIES_H

#include "index/index_data.h"

typedef struct mry_body {
    const uint8_t *key; /* equal for the same body, and nothing else */
    size_t size;
    marey_clip *shape; /* one frame of a clip that has it */
} mry_body;

typedef struct mry_meeting {
    int first, second; /* bodies, the one with the lesser key first */
    double rate;
    marey_layout *layout; /* NULL: they have nothing in common */
    bool based;           /* it got its basis */
} mry_meeting;

typedef struct mry_bodies {
    marey_ctx *ctx;
    mry_arena mem;
    const mry_index_settings *settings; /* borrowed */
    mry_body *items;
    int count, room;
    mry_meeting *meetings;
    int meeting_count, meeting_room;
} mry_bodies;

mry_bodies mry_bodies_make(marey_ctx *ctx, const mry_index_settings *settings);
void mry_bodies_free(mry_bodies *bodies);

/* The number of a clip's body, old or new. MEMORY. */
marey_status mry_bodies_add(mry_bodies *bodies, const marey_clip *clip, int *body,
                            marey_error *error);

/* The number of the meeting of two bodies at the lower of two rates. MEMORY. */
marey_status mry_bodies_meet(mry_bodies *bodies, int a, int b, double rate, int *meeting,
                             marey_error *error);

/* Lets a layout know what clips look like that it is for, so that what is too far apart need not be
   measured exactly. Which clips does not matter for what is found. Only the first call does it. */
marey_status mry_bodies_base(mry_bodies *bodies, int meeting, const marey_clip *const *clips,
                             int count, marey_error *error);

#endif
