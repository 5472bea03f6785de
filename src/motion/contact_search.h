/* contact_search.h - the steps of finding foot plants. Read by contact_*.c and contacts.c only. */
#ifndef MRY_CONTACT_SEARCH_H
#define MRY_CONTACT_SEARCH_H

#include "motion/feet.h"

/* A stretch in which a point of a foot rests. */
typedef struct mry_rest {
    int start, end;   /* frames, end exclusive */
    double height_cm; /* median of the point */
    double sole_cm;   /* the same less what a heel's joint is above the toe's on a flat foot */
    bool is_plant;
} mry_rest;

typedef struct mry_rests {
    int count;
    mry_rest *list; /* rising, apart */
} mry_rests;

typedef struct mry_contact_search {
    mry_feet feet;
    double fps, size_cm;            /* of the body, from head to foot */
    double shortest, bridge;        /* frames */
    int lag;                        /* frames over which a speed is measured */
    double most, least;             /* between these, thresholds follow the noise; cm/s */
    double leave[2];                /* a heel, a toe of the clip's usual noise; cm/s */
    double flat_cm[2];              /* heel above toe on a flat foot, left and right */
    double *speed[MRY_FOOT_POINTS]; /* cm/s; infinite where it is not known */
    double *values;                 /* room for MRY_FOOT_POINTS numbers a frame */
    int *line;                      /* room for a number a frame */
    uint8_t *on;                    /* a byte a frame: at rest, as far as judged */
    mry_rests rests[MRY_FOOT_POINTS];
} mry_contact_search;

/* contact_speed.c: speeds of all points and what counts as slow in this clip. false: out of memory. */
bool mry_contact_measure(mry_arena *tmp, mry_contact_search *s);

/* contact_rest.c: fills rests[] with where each point is slow and low. false: out of memory. */
bool mry_contact_find_rests(mry_arena *tmp, mry_contact_search *s);

/* contact_ground.c: tells rests on the ground from feet held still in the air. false: out of memory. */
bool mry_contact_judge(mry_arena *tmp, mry_contact_search *s);

#endif
