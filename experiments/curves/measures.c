/* measures.c - what a blend does against what it was made of: speed of the knees, way of the root,
   turning. */
#include "stage.h"

#include <math.h>
#include <stdio.h>

static double distance(const double *a, const double *b)
{
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) +
                (a[2] - b[2]) * (a[2] - b[2]));
}

double actor_heading(const actor *of, int frame)
{
    const double *left = actor_place(of, frame, MAREY_ROLE_LEFT_HIP);
    const double *right = actor_place(of, frame, MAREY_ROLE_RIGHT_HIP);
    return atan2(right[2] - left[2], left[0] - right[0]);
}

double actor_way(const actor *of)
{
    double way = 0;
    for (int f = 1; f < of->frames; f++) {
        const double *from = marey_clip_root(of->clip, f - 1), *to = marey_clip_root(of->clip, f);
        way += hypot(to[0] - from[0], to[2] - from[2]);
    }
    return way;
}

/* Angle of a knee, radians: pi when the leg is straight. */
static double knee_angle(const actor *of, int frame, marey_role hip)
{
    const double *h = actor_place(of, frame, hip);
    const double *k = actor_place(of, frame, hip + 1);
    const double *a = actor_place(of, frame, hip + 2);
    double up = distance(h, k), down = distance(k, a), whole = distance(h, a);
    double cosine = (up * up + down * down - whole * whole) / (2 * up * down);
    return acos(fmax(-1, fmin(1, cosine)));
}

typedef struct fastest {
    double knee; /* cm a second */
    double bend; /* of a knee, radians a second */
    double turn; /* of the whole body, radians a frame of 1/60 s */
} fastest;

static fastest measure(const actor *of)
{
    const marey_role hips[2] = { MAREY_ROLE_LEFT_HIP, MAREY_ROLE_RIGHT_HIP };
    fastest most = { 0 };
    for (int f = 1; f < of->frames; f++) {
        for (int s = 0; s < 2; s++) {
            const double *from = actor_place(of, f - 1, hips[s] + 1);
            const double *to = actor_place(of, f, hips[s] + 1);
            double bend = fabs(knee_angle(of, f, hips[s]) - knee_angle(of, f - 1, hips[s]));
            most.knee = fmax(most.knee, distance(from, to) * of->fps);
            most.bend = fmax(most.bend, bend * of->fps);
        }
        double turn = remainder(actor_heading(of, f) - actor_heading(of, f - 1), 8 * atan(1));
        most.turn = fmax(most.turn, fabs(turn) * of->fps / 60);
    }
    return most;
}

void print_measures(const actor *made, const actor *inputs, int count, bool weighted)
{
    const double degrees = 45 / atan(1);
    fastest own = measure(made), most = { 0 };
    double way = 0, sum = 0;
    for (int n = 0; n < count; n++) {
        fastest input = measure(&inputs[n]);
        most.knee = fmax(most.knee, input.knee);
        most.bend = fmax(most.bend, input.bend);
        most.turn = fmax(most.turn, input.turn);
        way += inputs[n].weight * actor_way(&inputs[n]);
        sum += inputs[n].weight;
    }
    printf("%.2f | %.2f | ", own.knee / most.knee, own.bend / most.bend);
    if (weighted) {
        double mean = way / sum;
        printf("%.0f, %+.1f %%", actor_way(made), 100 * (actor_way(made) / mean - 1));
    } else {
        printf("%.0f", actor_way(made));
    }
    printf(" | %.1f (%.1f)\n", own.turn * degrees, most.turn * degrees);
}

/* How far the right hand gets from its shoulder, in which frame. */
static int farthest(const actor *of, double *reach_cm)
{
    int at = 0;
    *reach_cm = 0;
    for (int f = 0; f < of->frames; f++) {
        double here = distance(actor_place(of, f, MAREY_ROLE_RIGHT_SHOULDER),
                               actor_place(of, f, MAREY_ROLE_RIGHT_WRIST));
        if (here <= *reach_cm) continue;
        *reach_cm = here;
        at = f;
    }
    return at;
}

/* How often the hand goes out: tops of its distance from the shoulder that rise 2 cm above what
   lies between them. */
static int count_reaches(const actor *of)
{
    const double least = 2;
    double low = INFINITY, high = 0;
    int count = 0;
    bool rising = true;
    for (int f = 0; f < of->frames; f++) {
        double here = distance(actor_place(of, f, MAREY_ROLE_RIGHT_SHOULDER),
                               actor_place(of, f, MAREY_ROLE_RIGHT_WRIST));
        if (rising) {
            high = fmax(high, here);
            low = fmin(low, here);
            if (here < high - least && high > low + least) {
                count++;
                rising = false;
                low = here;
            }
        } else {
            low = fmin(low, here);
            if (here > low + least) {
                rising = true;
                high = here;
            }
        }
    }
    return count;
}

void print_descriptions(const actor *actors, int count)
{
    const double degrees = 45 / atan(1);
    for (int n = 0; n < count; n++) {
        const actor *of = &actors[n];
        double turn = 0, ankle = 0, reach;
        int at = farthest(of, &reach);
        const double *from = actor_place(of, at, MAREY_ROLE_RIGHT_SHOULDER);
        const double *to = actor_place(of, at, MAREY_ROLE_RIGHT_WRIST);
        double aim = atan2(to[0] - from[0], to[2] - from[2]) - actor_heading(of, at);
        for (int f = 0; f < of->frames; f++) {
            ankle = fmax(ankle, actor_place(of, f, MAREY_ROLE_RIGHT_ANKLE)[1]);
            if (f == 0) continue;
            turn += remainder(actor_heading(of, f) - actor_heading(of, f - 1), 8 * atan(1));
        }
        printf("| %s | %.2f | %.0f | %+.0f | %.1f | %d | %+.0f | %.0f |\n", of->label,
               of->frames / of->fps, actor_way(of) * of->fps / (of->frames - 1), turn * degrees,
               reach, count_reaches(of), remainder(aim, 8 * atan(1)) * degrees, ankle);
    }
}
