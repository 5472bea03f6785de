/* steering_lab.h - a character steered through turns, and what is measured of it. */
#ifndef MAREY_EXPERIMENTS_STEERING_LAB_H
#define MAREY_EXPERIMENTS_STEERING_LAB_H

#include "graph_lab.h"

enum { TURNS = 500, SHOWN_TURNS = 60, SHOWN_FRAMES = 60 };

/* How motion looks, in numbers: exceeded once in a thousand frames by how fast the hips turn
   (degrees a second) and how much their velocity on the floor changes (cm/s2); the fastest joint
   (cm/s); how much planted ankles and toes slide (cm/s). Of a character over the clips', but for
   sliding. */
typedef struct looks {
    double turn, push, joint, slide;
} looks;

typedef struct subject {
    const lab *of;
    const marey_graph *graph;
    double walk; /* cm/s that are asked for: the usual speed of its motions */
    looks own;   /* of the clips */
    /* Moments of the clips from which a walking body moves 45 degrees off within a second, and how
       long that takes: the fastest tenth and the median, s. */
    int turns;
    double turn_tenth, turn_median;
} subject;

typedef struct outcome {
    marey_control_score score;
    marey_controller_searches searches;
    int answered;
    /* Sorted; what never came is infinite. Until half of a turn is done; until the first transition
       or jump behind an input. */
    double response[TURNS], wait[TURNS];
    looks look;
    double off_deg; /* mean angle between where it faces and the input */
    /* Share of the frames from 2 s on behind a reversal of the input, half of them from a stop, in
       which it faces away from where it should go, percent. */
    double backward;
    double step_us, worst_us;
    /* Some paths from the moment of a turn on, as if the way went up and the turn to the left. */
    double path[SHOWN_TURNS][SHOWN_FRAMES][2];
} outcome;

uint32_t lab_draw(uint32_t *seed);
double share_of(const double *sorted, int count, double share);
subject subject_open(const lab *of, const marey_graph *graph);
outcome steer_graph(const subject *on, const marey_policy *policy);
outcome steer_matching(const subject *on, const marey_matching *matching);

/* FOLDER/NAME.png: paths of both, and how many turns are answered how soon. */
void draw_turns(const char *folder, const char *name, const outcome *graph, const outcome *poses);

#endif
