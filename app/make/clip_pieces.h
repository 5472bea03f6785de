/* clip_pieces.h - stretches of clips in a row as one generated clip. Read after made.h; what
   goes from clip to clip is made so. */
#ifndef MAREY_APP_CLIP_PIECES_H
#define MAREY_APP_CLIP_PIECES_H

#include "made.h"

typedef struct app_pieces {
    const marey_parts *parts; /* whose clips the pieces are of, by their number there */
    const marey_piece *pieces;
    int count;
    /* By app_pieces_make: */
    marey_walk_made about;
    int *at; /* the frame of what was made at which each begins, and its end */
} app_pieces;

#define APP_LEAVE_FEET_PARAM(struct_type)                                                          \
    {                                                                                              \
        .name = "leave-feet", .type = APP_SWITCH, .at = offsetof(struct_type, leave_feet),         \
        .help = "do not hold planted feet in place"                                                \
    }

#define APP_ROUGH_PARAM(struct_type)                                                               \
    {                                                                                              \
        .name = "rough", .type = APP_SWITCH, .at = offsetof(struct_type, rough),                   \
        .help = "the pieces as they are, laid on each other, and nothing more: no spreading of "   \
                "differences, no feet"                                                             \
    }

/* Makes the clip, with its sources, measures and provenance; `made` has its name of a graph, if
   any, before. */
marey_status app_pieces_make(const app_env *env, const app_operation *operation,
                             const app_params *params, const marey_pieces_def *def,
                             app_pieces *pieces, app_made *made, marey_error *error);

/* "transitions", "mean_quality", "pieces" in the clips' own frames, and all that app_made_write
   says. */
void app_pieces_write(const app_pieces *pieces, const app_made *made, json *out);

#endif
