/* paper_judge.h - the metrics once more, straight from the papers' formulas, with matrices instead
   of quaternions and from a clip's public numbers only. Slow, and shares no code with what it
   judges. */
#ifndef MAREY_TEST_PAPER_JUDGE_H
#define MAREY_TEST_PAPER_JUDGE_H

#include "support.h"

typedef struct paper_clip {
    int frames, joints;
    double fps;
    int root;
    int used[16]; /* Lee's joints */
    int used_count;
    const marey_skeleton *skeleton;
    double *place; /* frames x joints x 3 */
    double *turn;  /* frames x joints x 9: world rotation matrices */
} paper_clip;

paper_clip paper_open(const marey_clip *clip);
void paper_close(paper_clip *clip);

/* The root mean square distance of Lee's joints from the root over both clips, cm. */
double paper_lever(const paper_clip *a, const paper_clip *b);

/* Terms of eq. 2.1 (three) and 2.2 (four, not normalised). */
void paper_angles(const paper_clip *a, int i, const paper_clip *b, int j, double lever, bool fixed,
                  double *terms);
void paper_positions(const paper_clip *a, int i, const paper_clip *b, int j, double lever,
                     double *terms);

/* Eq. 1 of the curves paper: the least over angles tried one by one, places by the means. Window
   5. */
double paper_points(const paper_clip *a, int i, const paper_clip *b, int j);

double paper_relative(const paper_clip *a, int i, const paper_clip *b, int j); /* eq. 3.2 */
void paper_curvature(const paper_clip *a, double sigma_s, double *out); /* frames x Lee's joints */
double paper_correlation(const paper_clip *a, const double *ka, int i, const paper_clip *b,
                         const double *kb, int j, int window, bool normalised); /* eq. 3.5 */

/* Eq. 4.1 to 4.3 of one pair; D_p over 5 frames. */
double paper_transition(const paper_clip *a, int i, const paper_clip *b, int j);
double paper_velocity(const paper_clip *a, int i, const paper_clip *b, int j);
double paper_acceleration(const paper_clip *a, int i, const paper_clip *b, int j);

#endif
