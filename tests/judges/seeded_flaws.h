/* seeded_flaws.h - puts a known flaw into a sound clip, so that it is known what a check should
   find and what a repair should give back. Each kind has a row with sizes from barely visible to
   gross; the same seed gives the same flaw. */
#ifndef MAREY_TEST_SEEDED_FLAWS_H
#define MAREY_TEST_SEEDED_FLAWS_H

#include <marey/marey.h>

/* What was put in. */
typedef struct seeded_flaw {
    marey_flaw_kind kind;
    int joint; /* -1: the whole body */
    int start, end;
    double size;  /* in marey_flaw_unit(kind), as the check should say it */
    double value; /* the parameter that a repair should find: a rate, a factor; else 0 */
    /* How far it moves a joint, and turns one, at most: flaws that do neither by 5 cm nor 20
       degrees need not be found. */
    double moves_cm, turns_deg;
} seeded_flaw;

enum { SEEDED_SIZES = 5 };

typedef struct seeded_row {
    const char *name;           /* "spike" */
    double sizes[SEEDED_SIZES]; /* rising; in `unit` */
    const char *unit;
    /* A new clip with the flaw, and what it is; NULL where this clip cannot have it (no such joint,
       too short). Free with marey_clip_free. */
    marey_clip *(*put)(const marey_clip *clip, double size, uint64_t *seed, seeded_flaw *what);
} seeded_row;

extern const seeded_row seeded_joints[]; /* of joints: seeded_joints.c */
extern const int seeded_joints_count;
extern const seeded_row seeded_body[]; /* of the whole body: rate, tilt, drift: seeded_body.c */
extern const int seeded_body_count;

/* A knee or an elbow, by its role, that bends as far the other way in every frame. NULL: the clip has
   no such joint. Free with marey_clip_free. */
marey_clip *seeded_bend_back(const marey_clip *clip, marey_role hinge);

#endif
