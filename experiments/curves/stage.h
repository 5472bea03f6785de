/* stage.h - what the experiments on blending share: clips with the places of their joints,
   measures, drawings. An experiment that cannot go on says why and ends the program: there is no
   caller to hand a status to. */
#ifndef MAREY_EXPERIMENTS_STAGE_H
#define MAREY_EXPERIMENTS_STAGE_H

#include <marey/marey.h>

enum { STAGE_CLIPS = 16 };

typedef struct actor {
    marey_clip *clip;
    const marey_skeleton *skeleton;
    int frames;
    double fps;
    double *places; /* frames x joints x 3, cm */
    double weight;
    const char *label;
} actor;

/* "FILE", "FILE:WEIGHT" or "FILE=LABEL". With `like`, on its bones. */
actor actor_load(marey_ctx *ctx, char *name, const actor *like);
void actor_free(actor *gone);

const double *actor_place(const actor *of, int frame, marey_role role);
/* Where the body faces, from the z axis towards x: across the line of the hips. */
double actor_heading(const actor *of, int frame);
/* The way of the root on the floor, cm. */
double actor_way(const actor *of);

/* One line of cells for a table: see curves_experiment.c. */
void print_measures(const actor *made, const actor *inputs, int count, bool weighted);

/* A line for a table for every clip: what the control of a blend controls. */
void print_descriptions(const actor *actors, int count);

/* Paths of a joint seen from above, all clips starting with the root at one point and facing up.
   The root's have a triangle every quarter of a second. */
void draw_paths(const char *out, const char *role, const actor *actors, int count);
/* A chain of joints from the side, every `every` frames, a row for each clip. */
void draw_limbs(const char *out, const char *limb, int every, const actor *actors, int count);

#endif
