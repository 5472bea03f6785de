/* exam.h - what the checks of a clip share. A check is one file that finds flaws of one or a few
   kinds, and a row in flaws.c. */
#ifndef MRY_EXAM_H
#define MRY_EXAM_H

#include "motion/clip_data.h"

#include <marey/repair.h>

typedef struct mry_exam {
    const marey_clip *clip;
    mry_arena *tmp;   /* until the exam is over */
    uint8_t *marked;  /* a byte a frame: 1, no captured motion, or found to be none */
    const double *at; /* F x J x 3: where every joint is in the world, cm */
    const marey_contact *plants;
    int plant_count;
    marey_rate_evidence rate; /* by mry_check_rate */
    bool misread;             /* by mry_check_scale: its lengths or directions are wrong */
    /* What was found so far. */
    marey_flaw *flaws;
    int count, room;
} mry_exam;

/* Each false: out of memory. */
bool mry_flaw_add(mry_exam *exam, const marey_flaw *flaw);
bool mry_check_marks(mry_exam *exam);  /* check_marks.c: first frames and dropouts */
bool mry_check_scale(mry_exam *exam);  /* check_scale.c: wrong units or up axis */
bool mry_check_rate(mry_exam *exam);   /* check_rate.c: a wrong frame rate */
bool mry_check_jumps(mry_exam *exam);  /* check_jumps.c: spikes, steps, flips and twists */
bool mry_check_bends(mry_exam *exam);  /* check_bends.c: knees and elbows the wrong way */
bool mry_check_frozen(mry_exam *exam); /* check_frozen.c: frames that repeat the one before */
bool mry_check_harm(mry_exam *exam);   /* check_harm.c: repairs that do harm */
bool mry_check_bones(mry_exam *exam);  /* check_bones.c: lengths */
bool mry_check_floor(mry_exam *exam);  /* check_floor.c: a floor that is not level or not still */

/* landmarks.c: by which copies are found, in `tmp`. False: out of memory. */
bool mry_landmarks_find(mry_exam *exam, marey_landmark **out, int *count);

/* Is it a leap of the whole body? */
static inline bool mry_flaw_moves_body(const mry_exam *exam, const marey_flaw *flaw)
{
    bool leaps = flaw->kind == MAREY_FLAW_STEP || flaw->kind == MAREY_FLAW_SPIKE ||
                 flaw->kind == MAREY_FLAW_FLIP;
    return leaps &&
           (flaw->joint == 0 || flaw->joint == exam->clip->skeleton.roles[MAREY_ROLE_HIPS]);
}

static inline const double *mry_exam_at(const mry_exam *exam, int frame, int joint)
{
    size_t row = (size_t)frame * (size_t)exam->clip->skeleton.joint_count + (size_t)joint;
    return exam->at + 3 * row;
}

#endif
