/* puppet_lab.h - what the parts of the experiment share: main characters on ways that were never
   shown, who reacts to them, and numbers that tell behaviours from each other. */
#ifndef MAREY_EXPERIMENTS_PUPPET_LAB_H
#define MAREY_EXPERIMENTS_PUPPET_LAB_H

#include <marey/marey.h>

enum { LAB_READY = 5, LAB_RATE = 60, LAB_PATH = 40 * LAB_RATE, LAB_PATHS = 100 };

typedef struct puppet_lab {
    marey_ctx *ctx;
    const char *folder; /* for pictures */
    const marey_ready_puppet *ready[LAB_READY];
    marey_puppet_sample *shown[LAB_READY];
    marey_puppet *puppets[LAB_READY];
} puppet_lab;

void lab_open(puppet_lab *lab, const char *folder);
void lab_close(puppet_lab *lab);
/* Trained on the first samples of a ready demonstration; free it. */
marey_puppet *lab_train(const puppet_lab *lab, int ready, int samples);

/* A way that was never shown: walks, runs, stands, turns; straight, in arcs and on the spot. */
void lab_wander(uint64_t number, marey_entity *main, int count);

/* Who reacts to it: one that has learned, or the rule itself. */
void lab_react(const puppet_lab *lab, const marey_puppet *puppet, const marey_reactor_def *def,
               const marey_entity *main, int count, marey_entity *react);

/* ---- measures -------------------------------------------------------------------------------- */

enum { LAB_MEASURES = 8 };

typedef struct lab_measures {
    double of[LAB_MEASURES];
} lab_measures;

typedef struct lab_measure_name {
    const char *name;
    int digits; /* behind the point */
} lab_measure_name;

extern const lab_measure_name lab_measure_names[LAB_MEASURES];

lab_measures lab_measure(const marey_entity *main, const marey_entity *react, int count);

/* Roots of mean squares of the second and third differences, in cm/s2 and cm/s3. */
double lab_acceleration(const marey_entity *path, int count);
double lab_jerk(const marey_entity *path, int count);
double lab_speed(const marey_entity *path, int count);
/* Root of the mean square of what a mean over four loses of the heading, radians, where it
   moves. */
double lab_texture(const marey_entity *path, int count);

/* ---- parts ----------------------------------------------------------------------------------- */

void part_identity(const puppet_lab *lab);
void part_measures(const puppet_lab *lab);
void part_naming(const puppet_lab *lab);
void part_loops(const puppet_lab *lab);
void part_jitter(const puppet_lab *lab);
void part_texture(const puppet_lab *lab);
void part_drawings(const puppet_lab *lab);
void part_bodies(const puppet_lab *lab);

#endif
