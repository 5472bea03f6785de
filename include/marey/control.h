/* control.h - press a key and the character turns: policies that say which way to go at every node
   of a motion graph, and characters that follow them, frame by frame. Read after graph.h and
   request.h. */
#ifndef MAREY_CONTROL_H
#define MAREY_CONTROL_H

#include <marey/request.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- policies -------------------------------------------------------------------------------- */

/* The input of a player: a direction on the plan seen from above, radians counter-clockwise from x
   (so z, which points to the bottom of the plan, is -pi / 2), and a speed. */
typedef struct marey_control_input {
    double direction_rad;
    /* 0: stand. */
    double speed_cm_s;
} marey_control_input;

/* Which move to play at every node for every input, found by value iteration. Never changes once
   made; any thread may read it. */
typedef struct marey_policy marey_policy;

/* How a policy is trained: leave a field zero for its default. */
typedef struct marey_policy_def {
    /* Of the input relative to the body's, 8 .. 64; default 24. */
    int directions;
    /* cm/s, rising, at most 8; default: 0 and up to three, well apart, that the graph's motions
       have. */
    const double *speeds;
    int speed_count;
    /* Of a second, between 0 and 1; default 0.6. */
    double discount;
    /* What the quality lost at a transition, 1 - t, counts for, in seconds of following perfectly;
       default 1. */
    double poor;
    /* Iterated until no value changes by more; default 0.001. */
    double close;
} marey_policy_def;

/* Trains a policy.
   Errors: REQUEST: an invalid definition. MEMORY, CANCELLED.
   Ownership: free with marey_policy_free. It may outlive the graph, but is of use with that graph
     only.
   Cost: nodes * directions * speeds a round; the speeds are spread over the threads. */
MAREY_API marey_status marey_policy_train(marey_ctx *ctx, const marey_graph *graph,
                                          const marey_policy_def *def, marey_policy **out,
                                          marey_error *error);

/* Frees a policy. */
MAREY_API void marey_policy_free(marey_policy *policy);

/* The settings, with every default filled in. Borrowed until free. */
MAREY_API const marey_policy_def *marey_policy_settings(const marey_policy *policy);

/* Rounds of iteration it took. */
MAREY_API int marey_policy_rounds(const marey_policy *policy);

/* Bytes in memory. */
MAREY_API size_t marey_policy_bytes(const marey_policy *policy);

/* A character that a program steers: step after step, a frame of the graph each. Not for several
   threads at once; graph and policy may be shared by many controllers. */
typedef struct marey_controller marey_controller;

/* Where a character starts: leave a field zero for its default. */
typedef struct marey_controller_def {
    /* The node it starts with, in the core; default: the one that stands most still. */
    bool from_given;
    int from;
    /* Where it stands. */
    double x_cm, z_cm;
    /* Where it faces, as in an input. */
    double direction_rad;
    /* No smoothing at transitions; default: the difference fades away. */
    bool rough;
} marey_controller_def;

/* One frame of a steered character. */
typedef struct marey_controller_frame {
    /* -1 while it does a motion of a family that it was asked for. */
    int node;
    /* The number of what it was asked for and does, a family or an action, and the frame of it at
       the graph's rate; doing is -1 where it does nothing of that. */
    int doing, doing_frame;
    /* This frame was reached by one. */
    bool transition;
    /* The body on the floor. */
    double x_cm, z_cm;
    /* Where it moves; where it faces while it stands. */
    double direction_rad;
    double speed_cm_s;
    /* Response: seconds since an input turned by 30 degrees or more while it walks, in the frame in
       which the body, as it is seen to move over 0.1 s, has come half of that turn; else 0. */
    double response_s;
    /* The pose, borrowed until the next step: local translations, 3 numbers a joint, and rotations,
       4 numbers a joint, as marey_pose_positions reads them. */
    const double *places;
    const float *turns;
} marey_controller_frame;

/* How well a character was steered. */
typedef struct marey_control_score {
    /* How well inputs were followed, 0 .. 1, the mean over the frames. */
    double control;
    /* Mean quality exp(-s / sigma) of the transitions that were taken; 1 if none was. */
    double transition;
    /* Their product. */
    double total;
    int frames;
    /* Frames that were not the next of the motion before: over a transition of the graph, or a jump
       of one that matches; and to enter and to leave a motion of a family. Of frames that are shown
       twice or left out each counts once. */
    int transitions;
    /* Turns of inputs by 30 degrees or more while it walks; those that were followed are in the
       frames' response_s. */
    int turns;
} marey_control_score;

/* Opens a controller.
   Errors: REQUEST: the policy is for another graph; a start node outside the core; a start position
     that is not finite. MEMORY.
   Ownership: free with marey_controller_free. Graph and policy must live as long. */
MAREY_API marey_status marey_controller_open(marey_ctx *ctx, const marey_graph *graph,
                                             const marey_policy *policy,
                                             const marey_controller_def *def,
                                             marey_controller **out, marey_error *error);

/* Frees a controller. */
MAREY_API void marey_controller_free(marey_controller *controller);

/* Steps to the next frame. Never fails: an input that is not finite is as before.
   Cost: microseconds; allocates nothing. */
MAREY_API void marey_controller_step(marey_controller *controller, const marey_control_input *input,
                                     marey_controller_frame *out);

/* The score of all steps so far. */
MAREY_API marey_control_score marey_controller_score(const marey_controller *controller);

/* How the frame of the node it shows is laid on the floor. */
MAREY_API marey_placement marey_controller_place(const marey_controller *controller);

/* ---- asking in play ------------------------------------------------------------------------------ */

/* Lets a controller do a family's motions: *number is how they are asked for. The controller must
   follow a policy.
   Errors: REQUEST: a controller that matches; a family of another graph. LIMIT: more than 16
     families and actions. MEMORY.
   Cost: a search for the best ways to it from all nodes. */
MAREY_API marey_status marey_controller_join(marey_controller *controller,
                                             const marey_graph_family *family, int *number,
                                             marey_error *error);

/* Lets a controller do an action, a labelled stretch of the graph's clips: the whole of one of them;
   or a second of a label that is only given to what goes on and on.
   Errors: REQUEST: a controller that matches; no such label, the message names those there are; no
     way to the whole of it and on from there. LIMIT, MEMORY, Cost: as marey_controller_join. */
MAREY_API marey_status marey_controller_join_action(marey_controller *controller, const char *label,
                                                    int *number, marey_error *error);

/* Asks for a motion of a family, or an action: from the next step on the character goes to where it
   can be entered, does it, and is steered again. Asking again before it began replaces what was
   asked for; while one is done, the next one waits. Of an action `wanted` is not read and may be
   NULL. `answer` may be NULL: what the motion does, as marey_family_make says it; where it is laid
   is seen when it is done; of an action it is {0}.
   Errors: REQUEST: no such number; a number that is not finite. MEMORY. Then what was asked for
     before stays.
   Cost: as marey_family_make, well below the time of a frame; steps cost as much as ever. */
MAREY_API marey_status marey_controller_ask(marey_controller *controller, int number,
                                            const double *wanted, marey_answer *answer,
                                            marey_error *error);

/* What a frame of a controller showed: as marey_controller_frame has it. */
typedef struct marey_steered {
    int node;
    int doing_frame;
} marey_steered;

/* The walk that was steered, with the motions of families that were done in it, in that order, as a
   performance: marey_performance_make makes it a clip, in which differences are spread as in any
   walk and what was asked for is met again.
   Errors: REQUEST: frames that do not follow on each other in this graph; not as many requests as
     motions; one that was cut off before it did what it was asked for; a family of another graph.
     As marey_family_make.
   Ownership: as marey_graph_perform. */
MAREY_API marey_status marey_steered_perform(marey_ctx *ctx, const marey_graph *graph,
                                             const marey_steered *frames, int count,
                                             const marey_request *requests, int request_count,
                                             marey_performance *out, marey_error *error);

/* ---- keeping policies ------------------------------------------------------------------------- */

/* Writes a policy as bytes, without the graph.
   Errors, Ownership: as marey_graph_write. */
MAREY_API marey_status marey_policy_write(const marey_policy *policy, uint8_t **bytes, size_t *size,
                                          marey_error *error);

/* Reads a policy of a graph.
   Errors: INPUT: the bytes are damaged or of another version; another graph. MEMORY.
   Ownership: as marey_policy_train; the bytes may go after the call. */
MAREY_API marey_status marey_policy_read(marey_ctx *ctx, const uint8_t *bytes, size_t size,
                                         const marey_graph *graph, marey_policy **out,
                                         marey_error *error);

#ifdef __cplusplus
}
#endif
#endif
