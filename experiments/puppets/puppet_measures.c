/* puppet_measures.c - numbers that tell behaviours from each other, from two paths alone. */
#include "puppet_lab.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846
#define GOES 30.0   /* cm/s: faster is on purpose */
#define STANDS 5.0  /* cm/s: slower stands */
#define LONGEST 5.0 /* seconds: who has not settled then does not */

const lab_measure_name lab_measure_names[LAB_MEASURES] = {
    { "distance, cm", 0 },
    { "its spread, cm", 0 },
    { "faces you, cos", 2 },
    { "ahead of you, cos", 2 },
    { "goes around, rad/s", 2 },
    { "comes back after retreat, 1/min", 1 },
    { "settles after you stop, s", 1 },
    { "speed, cm/s", 0 },
};

/* ---- paths ----------------------------------------------------------------------------------- */

static double step_of(const marey_entity *path, int i)
{
    return hypot(path[i].x_cm - path[i - 1].x_cm, path[i].y_cm - path[i - 1].y_cm) * LAB_RATE;
}

double lab_speed(const marey_entity *path, int count)
{
    double sum = 0;
    for (int i = 1; i < count; i++) sum += step_of(path, i);
    return sum / (count - 1);
}

/* The n-th difference of a coordinate. */
static double difference(const marey_entity *path, int i, int order, bool up)
{
    if (order == 0) return up ? path[i].y_cm : path[i].x_cm;
    return difference(path, i, order - 1, up) - difference(path, i - 1, order - 1, up);
}

static double root_mean(const marey_entity *path, int count, int order)
{
    double sum = 0;
    for (int i = order; i < count; i++)
        sum += pow(difference(path, i, order, false), 2) + pow(difference(path, i, order, true), 2);
    return sqrt(sum / (count - order)) * pow(LAB_RATE, order);
}

double lab_acceleration(const marey_entity *path, int count)
{
    return root_mean(path, count, 2);
}

double lab_jerk(const marey_entity *path, int count)
{
    return root_mean(path, count, 3);
}

static double heading(const marey_entity *path, int i)
{
    return atan2(path[i].y_cm - path[i - 1].y_cm, path[i].x_cm - path[i - 1].x_cm);
}

double lab_texture(const marey_entity *path, int count)
{
    double sum = 0;
    int moving = 0;
    for (int i = 4; i < count; i++) {
        double mean = 0;
        bool goes = true;
        for (int k = 0; k < 4; k++) {
            mean += remainder(heading(path, i - k) - heading(path, i), 2 * PI) / 4;
            goes = goes && step_of(path, i - k) > GOES;
        }
        if (!goes) continue;
        sum += mean * mean;
        moving++;
    }
    return moving > 0 ? sqrt(sum / moving) : 0;
}

/* ---- both ------------------------------------------------------------------------------------ */

static double bearing(const marey_entity *from, const marey_entity *to)
{
    return atan2(to->y_cm - from->y_cm, to->x_cm - from->x_cm);
}

static double apart(const marey_entity *a, const marey_entity *b)
{
    return hypot(a->x_cm - b->x_cm, a->y_cm - b->y_cm);
}

/* How fast it comes nearer by its own doing. */
static double comes(const marey_entity *main, const marey_entity *react, int i)
{
    double to = bearing(&react[i - 1], &main[i - 1]);
    return LAB_RATE * ((react[i].x_cm - react[i - 1].x_cm) * cos(to) +
                       (react[i].y_cm - react[i - 1].y_cm) * sin(to));
}

/* How often a minute it comes again after it has gone away. */
static double come_backs(const marey_entity *main, const marey_entity *react, int count)
{
    bool away = false;
    int times = 0;
    for (int i = 1; i < count; i++) {
        double speed = comes(main, react, i);
        if (speed < -GOES) away = true;
        if (speed > GOES && away) {
            away = false;
            times++;
        }
    }
    return times * 60.0 * LAB_RATE / count;
}

/* After the main character has stopped, on the mean: until it is not faster than GOES any more,
   while the other one stands. */
static double settling(const marey_entity *main, const marey_entity *react, int count)
{
    double sum = 0;
    int stops = 0, longest = (int)(LONGEST * LAB_RATE);
    for (int i = 2; i < count; i++) {
        if (step_of(main, i) >= STANDS || step_of(main, i - 1) < STANDS) continue;
        int last = i, j = i;
        for (; j < count && j - i < longest && step_of(main, j) < STANDS; j++) {
            if (step_of(react, j) > GOES) last = j;
        }
        if (j - i < LAB_RATE) continue;
        sum += last == j - 1 ? LONGEST : (last - i) / (double)LAB_RATE;
        stops++;
    }
    return stops > 0 ? sum / stops : LONGEST / 2;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The median, and a half of what 80 % in the middle span. */
static void distances(const marey_entity *main, const marey_entity *react, int count, double *out)
{
    double *far = malloc((size_t)count * sizeof *far);
    if (!far) exit(1);
    for (int i = 0; i < count; i++) far[i] = apart(&main[i], &react[i]);
    qsort(far, (size_t)count, sizeof *far, compare);
    out[0] = far[count / 2];
    out[1] = (far[count * 9 / 10] - far[count / 10]) / 2;
    free(far);
}

lab_measures lab_measure(const marey_entity *main, const marey_entity *react, int count)
{
    lab_measures m = { 0 };
    distances(main, react, count, m.of);
    for (int i = 1; i < count; i++) {
        double there = bearing(&main[i], &react[i]), before = bearing(&main[i - 1], &react[i - 1]);
        m.of[2] += cos(bearing(&react[i], &main[i]) - react[i].direction_rad) / (count - 1);
        m.of[3] += cos(there - main[i].direction_rad) / (count - 1);
        m.of[4] += remainder(there - before, 2 * PI) * LAB_RATE / (count - 1);
    }
    m.of[5] = come_backs(main, react, count);
    m.of[6] = settling(main, react, count);
    m.of[7] = lab_speed(react, count);
    return m;
}
