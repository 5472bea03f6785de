/* blend_kept.h - the clips that something is being made of, ready to be mixed, and their registration: what the next
   requests about the same clips need again. Each worker keeps one. Read after api_common.h. */
#ifndef STUDIO_BLEND_KEPT_H
#define STUDIO_BLEND_KEPT_H

#include "api_common.h"
#include "captured_frames.h"

enum { BLEND_MOST_CLIPS = 256 }; /* of a kept registration */

/* Which clips are meant: parts of clips, or a registration that the library keeps. */
typedef struct blend_wish {
    int count; /* of parts; 0: `curve` */
    body_part parts[JSON_BODY_PARTS];
    char curve[MAREY_NAME_ROOM];
    int slope, reference; /* of the registration; 0: the default */
} blend_wish;

/* By clips[] or curve of a body; false: the answer says what is wrong with it. */
bool blend_wish_read(const json_body *body, blend_wish *out, studio_response *response);

typedef struct fastest {
    double joint_cm_per_s;
    double knee_cm_per_s; /* NaN: nobody has knees */
} fastest;

struct blend_kept {
    blend_wish wish;
    int64_t version; /* of the library: plants and kept registrations may be others in the next */
    marey_parts *parts;                       /* NULL: nothing is kept */
    captured_frames frames[BLEND_MOST_CLIPS]; /* of each part */
    bool refitted[BLEND_MOST_CLIPS];          /* it had other bones than the first */
    int total;                                /* frames of all parts */
    marey_registration *registration;         /* NULL unless it was asked for */
    bool loading;                             /* just now */
    studio_bytes bones;                       /* of the first part, while they are loaded */
    bool measured;
    fastest speeds; /* of the parts, if measured */
};

/* Loads the parts, or the kept registration. Borrowed until the worker's next such call; blend_let_go must follow. False:
   the answer says why not. */
bool blend_prepare(studio_worker *worker, const blend_wish *wish, struct blend_kept **out,
                   studio_response *response);

/* Registers them, unless they are already. */
bool blend_register(studio_worker *worker, struct blend_kept *of, studio_response *response);

/* What is too large to be kept goes. */
void blend_let_go(studio_worker *worker);

/* Refuses to compare more pairs of frames than one request may. */
bool blend_check_pairs(int64_t pairs, studio_response *response);

/* The fastest that joints of the parts move; what lies on both sides of a gap is no step. */
marey_status blend_speeds(studio_worker *worker, struct blend_kept *of, fastest *out,
                          marey_error *error);

/* The same of a clip without gaps. */
marey_status clip_speeds(heap *memory, const marey_clip *clip, fastest *out, marey_error *error);

/* A frame of a clip as a frame of the part; false: 400, and the answer says so. `what` is what it is called: "i". */
bool blend_frame(const struct blend_kept *of, int part, const char *what, int frame, int *out,
                 studio_response *response);

/* .. and back. */
int blend_frame_of_clip(const struct blend_kept *of, int part, int frame);

#endif
