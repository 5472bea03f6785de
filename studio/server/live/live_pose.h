/* live_pose.h - the last two frames of a character, and the pose between them as it is sent. Read
   after live.h. */
#ifndef STUDIO_LIVE_POSE_H
#define STUDIO_LIVE_POSE_H

#include "live.h"

/* first number of a message: this and play */
enum { PLAY_POSES = 256, PLAY_HEADER_BYTES = 48 };

/* The last two frames of a character, and room for what is sent of them. */
typedef struct play_pose {
    heap *memory;
    const marey_skeleton *skeleton;
    /* all that follows lies in it */
    void *room;
    size_t room_bytes;
    double *places[2];                /* joints x 3, local; [1] is the newer */
    float *turns[2];                  /* joints x 4, local */
    double *global;                   /* joints x 3 */
    float *turned;                    /* joints x 4 */
    uint8_t *message;                 /* header and joints x 7 floats */
    marey_controller_frame frames[2]; /* without their poses */
} play_pose;

/* Errors: false if there is no memory. */
bool play_pose_open(play_pose *pose, heap *memory, const marey_skeleton *skeleton);
void play_pose_free(play_pose *pose);
size_t play_pose_bytes(const play_pose *pose); /* of a message */

/* One more frame: the newer becomes the older one. */
void play_pose_add(play_pose *pose, const marey_controller_frame *frame);

typedef struct play_header {
    int play;
    int64_t tick;
    marey_control_input input;
    marey_control_score score;
} play_header;

/* The message for `share` of the way from the older frame to the newer one. */
const uint8_t *play_pose_write(play_pose *pose, const play_header *header, double share);

/* The joints alone, for `share` of the way; returns the end of what it wrote. */
uint8_t *play_pose_joints(play_pose *pose, double share, uint8_t *out);

/* Little-endian; each returns the end of what it wrote. */
uint8_t *pose_put_uint32(uint8_t *out, uint32_t value);
uint8_t *pose_put_float(uint8_t *out, double value); /* as a float32 */

/* The product of two quaternions (w, x, y, z). */
void pose_multiply(const float *a, const float *b, float *out);

#endif
