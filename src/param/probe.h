/* probe.h - what a blend does, without making it: only the frames and the joints that the
   parameters look at. f(w) of webs, 6.3, as sampling and refining need it thousands of times. Read
   by param. */
#ifndef MRY_PROBE_H
#define MRY_PROBE_H

#include "align/registration_data.h"
#include "blend/mixer.h"
#include "param/param_data.h"

typedef struct mry_probe_frame {
    double u;
    mry_floor place; /* T */
} mry_probe_frame;

/* One thread's. Nothing is allocated once it is open, but where a blend has more frames than any
   before. */
typedef struct mry_probe {
    marey_ctx *ctx;
    mry_arena mem;
    const marey_registration *of;
    const marey_param *params;
    int param_count;
    int joint[MAREY_MOST_PARAMS];
    /* The moment of each parameter, as a place on the curve; NaN: none. */
    double u[MAREY_MOST_PARAMS];
    bool all_frames, path;
    mry_mixer mixer;
    double rows_per_frame, fps;
    marey_registration picked; /* the motions of the blend in hand, the first example before them */
    int *motions;
    double *weights; /* of the picked ones */
    int place_of;    /* number of the picked one whose start the blend starts at */
    int frames, most_frames, room;
    mry_probe_frame *frame;
    int placed; /* how many of them have their place */
    double *pose_places;
    float *turns[2];
    double *positions[2];
    int next;
} mry_probe;

/* `params` must live as long as it. `moments` are their places on the curve; NULL: found in the
   examples. REQUEST: a joint that the skeleton does not have. MEMORY. */
marey_status mry_probe_open(mry_probe *probe, marey_ctx *ctx,
                            const marey_registration *registration, const marey_param *params,
                            int param_count, const double *moments, marey_error *error);
void mry_probe_close(mry_probe *probe);

/* The values of a blend with these weights (sum 1), all parameters' numbers one behind the other;
   NaN for labels. false: out of memory. */
bool mry_probe_values(mry_probe *probe, const int *motions, const double *weights, int count,
                      double *values);

/* Makes p->picked and p->weights a registration and weights of this blend. */
void mry_probe_pick(mry_probe *probe, const int *motions, const double *weights, int count);

/* The moments in the frames of the blend that was looked at last. */
double mry_probe_moment(const mry_probe *probe, int param);

#endif
