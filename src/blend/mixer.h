/* mixer.h - one frame of a blend: where corresponding frames lie, where they go, and their mean
   (Kovar & Gleicher 2003, 5.2 and 5.3). Read by blend_frames, which makes whole runs of them, and
   by param, which looks at few frames and few joints of very many blends. */
#ifndef MRY_MIXER_H
#define MRY_MIXER_H

#include "blend/blend_pose.h"
#include "blend/blender.h"

/* A floor motion with what its angle's turn needs: a frame is asked for it several times. */
typedef struct mry_mixer_floor {
    mry_floor move;
    double cosine, sine;
} mry_mixer_floor;

/* Everything lives in the arena that it was opened with; nothing is allocated later. */
typedef struct mry_mixer {
    const marey_registration *of;
    marey_blend_method method;
    int motions, joints, movers;
    mry_trunk body;
    const marey_clip **clips;
    double *per_row; /* frames of each clip to a row */
    double *rows;    /* S(u) of the frame in hand */
    int wanted_count;
    int *wanted;    /* joints that are mixed, rising, each with its parents and the pelvis */
    int root_count; /* of these, the root down to the pelvis come first in root[] */
    int *root;
    /* A_j(u) of this frame and of its neighbour, by the frame's number being odd or even; `known`
       says of which */
    mry_mixer_floor *floors[2];
    int *known[2];
    /* the motions that have a weight in the frame in hand */
    int count;
    int *motion;
    double *weight;
    double *places; /* count x movers x 3 */
    float *turns;   /* count x joints x 4 */
    mry_rigid *pelvis;
    float *pelvis_turns; /* count x 4, in the blend's world */
} mry_mixer;

/* For blends on the skeleton of `like`. `wanted` (a byte a joint; NULL: all) says which joints
   matter: turns of the others are not filled in. false: out of memory. */
bool mry_mixer_open(mry_mixer *m, mry_arena *mem, const marey_registration *registration,
                    const marey_clip *like, marey_blend_method method, const uint8_t *wanted);

/* Forgets the floors of frames that were taken before: their numbers will be used again, for other
   u. From here on the motions are those of `registration`, which are no more than it was opened
   with and the same body's. */
void mry_mixer_restart(mry_mixer *m, const marey_registration *registration);

/* Takes the motions' frames at u, those whose weights (one a motion) are not 0. `whole`: all wanted
   joints, to be mixed; else the pelvis alone, which is enough to place the frame. */
void mry_mixer_take(mry_mixer *m, double u, const double *weights, bool whole);

/* T of frame i, which is in hand, from that of its neighbour `from`; u of both. */
mry_floor mry_mixer_place(mry_mixer *m, int i, double u, int from, double u_from, mry_floor last);

/* The frame in hand, taken whole, where T puts it. */
void mry_mixer_mix(mry_mixer *m, int i, double u, mry_floor place, double *places, float *turns);

#endif
