/* play.h - characters that clients steer through motion graphs, step by step, over their WebSockets. All of it is the hub's
   thread's, but for the opening of graphs, which workers do. Read after hub_inside.h.

   play_stage.c  the graphs that are open to be steered, with their policies
   play_ground.c what bodies know of such a graph, found when the first of them is asked for
   play_steer.c  the characters, and what clients say to them
   play_pose.c   a pose between two frames, as it is sent */
#ifndef STUDIO_PLAY_H
#define STUDIO_PLAY_H

#include "hub_inside.h"

/* ---- play_pose.c -------------------------------------------------------------------------------- */

enum { PLAY_POSES = 256, PLAY_HEADER_BYTES = 48 }; /* first number of a message: this and play */

/* The last two frames of a character, and room for what is sent of them. */
typedef struct play_pose {
    heap *memory;
    const marey_skeleton *skeleton;
    void *room; /* all that follows lies in it */
    size_t room_bytes;
    double *places[2];                /* joints x 3, local; [1] is the newer */
    float *turns[2];                  /* joints x 4, local */
    double *global;                   /* joints x 3 */
    float *turned;                    /* joints x 4 */
    uint8_t *message;                 /* header and joints x 7 floats */
    marey_controller_frame frames[2]; /* without their poses */
} play_pose;

bool play_pose_open(play_pose *of, heap *memory,
                    const marey_skeleton *skeleton); /* false: no memory */
void play_pose_free(play_pose *of);
size_t play_pose_bytes(const play_pose *of); /* of a message */

/* One more frame: the newer becomes the older one. */
void play_pose_add(play_pose *of, const marey_controller_frame *frame);

typedef struct play_header {
    int play;
    int64_t tick;
    marey_wish wish;
    marey_control_score score;
} play_header;

/* The message for `share` of the way from the older frame to the newer one. */
const uint8_t *play_pose_write(play_pose *of, const play_header *header, double share);

/* Little-endian; each returns what is behind it. */
uint8_t *play_put_uint32(uint8_t *to, uint32_t value);
uint8_t *play_put_float(uint8_t *to, double value); /* as a float32 */

/* The joints alone, for `share` of the way, to where there is room for them; returns what is behind. */
uint8_t *play_pose_joints(play_pose *of, double share, uint8_t *to);

/* ---- play_stage.c ------------------------------------------------------------------------------- */

typedef enum ground_state { GROUND_NONE, GROUND_SOUGHT, GROUND_FOUND } ground_state;

/* What bodies share of a graph. A worker's while it is sought, then the hub's. */
typedef struct stage_ground {
    task work; /* first, so that the worker's task is the ground */
    landed back;
    struct stage *of;
    ground_state state;
    marey_ctx *ctx;
    marey_body_ground *found;
    marey_error error; /* why it was not found */
} stage_ground;

/* A graph that is open to be steered. Never changes once it is ready, but for its ground. */
typedef struct stage {
    task work; /* first, so that the worker's task is the stage */
    landed back;
    hub *all;
    char name[MAREY_NAME_ROOM];
    int64_t version; /* of the library when it was asked for */
    marey_ctx *ctx;  /* the worker's until it is ready, then the hub's */
    marey_parts *parts;
    marey_graph *graph;
    marey_policy *policy;
    bool ready;
    marey_error error; /* why it could not be opened */
    bool needs_policy; /* that is why */
    int users;         /* characters, those included that wait for it */
    int64_t idle_ms;   /* since when there are none */
    stage_ground ground;
} stage;

/* The graph of this name, open or on its way; NULL, with a sentence, if there are too many, or no memory. */
stage *stage_find(hub *all, const char *name, const char **wrong);
void stage_leave(stage *of); /* one user less */

/* ---- play_ground.c ------------------------------------------------------------------------------ */

void ground_want(
    stage *of); /* of one that is ready: unless it is there, or sought, it is looked for */
void ground_free(stage *of); /* it must not be sought */

/* ---- play_steer.c ------------------------------------------------------------------------------- */

/* A stage is open, or could not be opened: who waits for it on this socket is told. */
void play_stage_ready(live_socket *on, stage *of);

/* ---- puppet_live.c ------------------------------------------------------------------------------ */

/* The same for those who react with a body; and when its ground is found, or not. */
void react_stage_ready(live_socket *on, stage *of);
void react_ground_ready(live_socket *on, stage *of);

#endif
