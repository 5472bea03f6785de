/* part_reacting.c - identity, coherence loops, and how smooth answers are. */
#include "puppet_lab.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- identity -------------------------------------------------------------------------------- */

static void print_identity(const puppet_lab *lab, int k)
{
    const marey_puppet_sample *s = lab->shown[k];
    int count = lab->ready[k]->samples;
    marey_entity *main = malloc((size_t)count * 2 * sizeof *main), *react = main + count;
    if (!main) exit(1);
    for (int i = 0; i < count; i++) main[i] = s[i].main;
    lab_react(lab, lab->puppets[k], NULL, main, count, react);
    double most[2] = { 0 }, low[2] = { INFINITY, INFINITY }, high[2] = { -INFINITY, -INFINITY };
    for (int i = 0; i < count; i++) {
        double off = hypot(react[i].x_cm - s[i].react.x_cm, react[i].y_cm - s[i].react.y_cm);
        most[1] = fmax(most[1], off);
        if (i >= 10 * LAB_RATE) continue;
        most[0] = fmax(most[0], off);
        low[0] = fmin(low[0], s[i].react.x_cm);
        low[1] = fmin(low[1], s[i].react.y_cm);
        high[0] = fmax(high[0], s[i].react.x_cm);
        high[1] = fmax(high[1], s[i].react.y_cm);
    }
    double extent = hypot(high[0] - low[0], high[1] - low[1]);
    printf("| %s | %.0f | %.1f | %.2f %% | %.1f |\n", lab->ready[k]->name, extent, most[0],
           100 * most[0] / extent, most[1]);
    free(main);
}

void part_identity(const puppet_lab *lab)
{
    printf("\n## The main character does as was shown\n\n| | extent of the path of 10 s, cm | "
           "farthest off, cm | of the extent | "
           "farthest off in all %d s, cm |\n|---|---|---|---|---|\n",
           lab->ready[0]->samples / LAB_RATE);
    for (int k = 0; k < LAB_READY; k++) print_identity(lab, k);
}

/* ---- loops ----------------------------------------------------------------------------------- */

typedef struct stretch {
    int from, to; /* samples that are followed one after the other */
} stretch;

/* The same stretch of at least `shortest` samples three times in a row: four fifths of the longest
   are in all three. */
static int count_loops(const stretch *s, int count, int shortest)
{
    int loops = 0;
    for (int i = 0; i + 2 < count; i++) {
        int from = s[i].from, to = s[i].to, longest = 0;
        for (int k = 0; k < 3; k++) {
            if (s[i + k].from > from) from = s[i + k].from;
            if (s[i + k].to < to) to = s[i + k].to;
            int length = s[i + k].to - s[i + k].from + 1;
            if (length > longest) longest = length;
        }
        loops += to - from + 1 >= shortest && 5 * (to - from + 1) >= 4 * longest;
    }
    return loops;
}

/* Where the main character is: in circles, or winding with a speed that changes. */
static void walk_on(marey_entity *at, double time, bool winds)
{
    double turn = winds ? 0.6 * sin(0.37 * time) + 0.4 * sin(0.91 * time) : 0.5;
    double speed = winds ? 100 + 60 * sin(0.9 * time) : 100;
    at->direction_rad = remainder(at->direction_rad + turn / LAB_RATE, 6.28318530717958647692);
    at->x_cm += speed * cos(at->direction_rad) / LAB_RATE;
    at->y_cm += speed * sin(at->direction_rad) / LAB_RATE;
}

static int play(const puppet_lab *lab, const marey_puppet *puppet, double weight, bool winds,
                int shortest)
{
    enum { STEPS = 120 * LAB_RATE };
    static stretch played[STEPS];
    marey_entity main = { 0 };
    marey_reactor_def def = { .weight = weight };
    marey_reactor *reactor = NULL;
    int count = 0;
    if (marey_reactor_open(lab->ctx, puppet, &main, &def, &reactor, NULL)) exit(1);
    for (int i = 0; i < STEPS; i++) {
        marey_puppet_frame frame;
        walk_on(&main, (double)i / LAB_RATE, winds);
        marey_puppet_step(reactor, &main, &frame);
        int now = (int)lround(frame.time_s * LAB_RATE);
        if (count > 0 && played[count - 1].to + 1 == now)
            played[count - 1].to = now;
        else
            played[count++] = (stretch){ now, now };
    }
    marey_reactor_free(reactor);
    return count_loops(played, count, shortest);
}

void part_loops(const puppet_lab *lab)
{
    static const double weights[] = { 3, 30, 1000, 0, 0 };
    static const int lengths[] = { 15, 25, 144 };
    printf(
        "\n## Coherence loops\n\nThe main character walks for two minutes, in circles / winding "
        "with changing speed. How often the same stretch of at least a second of the demonstration "
        "is played three times in a row (four fifths of the longest are in all three); the last "
        "column counts stretches from 0.3 s on.\n\n"
        "| trained on | weight 3 | weight 30 | weight 1000 | adjusted | adjusted, from 0.3 s on |\n"
        "|---|---|---|---|---|---|\n");
    for (int k = 0; k < LAB_READY; k++) {
        for (int l = 0; l < 3; l++) {
            marey_puppet *puppet = lab_train(lab, k, lengths[l] * LAB_RATE);
            printf("| %s, %d s |", lab->ready[k]->name, lengths[l]);
            for (int w = 0; w < 5; w++) {
                int shortest = w < 4 ? LAB_RATE : 3 * LAB_RATE / 10;
                printf(" %d / %d |", play(lab, puppet, weights[w], false, shortest),
                       play(lab, puppet, weights[w], true, shortest));
            }
            printf("\n");
            marey_puppet_free(puppet);
        }
    }
}

/* ---- how smooth ------------------------------------------------------------------------------ */

enum { SMOOTH_PATHS = 20 };

typedef struct smoothness {
    double speed, acceleration, jerk, texture;
} smoothness;

static smoothness mean_smoothness(const puppet_lab *lab, int k, const marey_reactor_def *def)
{
    static marey_entity main[LAB_PATH], react[LAB_PATH];
    smoothness mean = { 0 };
    for (int p = 0; p < SMOOTH_PATHS; p++) {
        lab_wander((uint64_t)p, main, LAB_PATH);
        if (def)
            lab_react(lab, lab->puppets[k], def, main, LAB_PATH, react);
        else
            marey_ready_puppet_react(lab->ready[k], main, LAB_PATH, react);
        mean.speed += lab_speed(react, LAB_PATH) / SMOOTH_PATHS;
        mean.acceleration += lab_acceleration(react, LAB_PATH) / SMOOTH_PATHS;
        mean.jerk += lab_jerk(react, LAB_PATH) / SMOOTH_PATHS;
        mean.texture += lab_texture(react, LAB_PATH) / SMOOTH_PATHS;
    }
    return mean;
}

void part_jitter(const puppet_lab *lab)
{
    static const struct {
        const char *what;
        marey_reactor_def def;
    } rows[] = { { "the best match as it is", { .rough = true } },
                 { "smoothed", { .smooth = true } },
                 { "smoothed, with detail", { 0 } } };
    printf("\n## Jitter\n\nMeans over %d unseen main paths; accelerations and jerks are roots of "
           "mean squares. Texture: what a mean over four samples loses of the heading.\n\n"
           "| | speed, cm/s | acceleration, cm/s² | jerk, cm/s³ | texture, mrad "
           "|\n|---|---|---|---|---|\n",
           SMOOTH_PATHS);
    for (int k = 0; k < LAB_READY; k++) {
        for (int row = 0; row < 4; row++) {
            smoothness s = mean_smoothness(lab, k, row < 3 ? &rows[row].def : NULL);
            printf("| %s, %s | %.0f | %.0f | %.0f | %.1f |\n", lab->ready[k]->name,
                   row < 3 ? rows[row].what : "the rule", s.speed, s.acceleration, s.jerk,
                   1000 * s.texture);
        }
    }
}

/* ---- texture --------------------------------------------------------------------------------- */

/* The demonstration of a character that trembles: across where it goes, 12 times a second. */
static marey_puppet *train_trembling(const puppet_lab *lab, int k, double *texture)
{
    int count = lab->ready[k]->samples;
    marey_puppet_sample *s = malloc((size_t)count * sizeof *s);
    marey_entity *path = malloc((size_t)count * sizeof *path);
    marey_puppet *puppet = NULL;
    if (!s || !path) exit(1);
    for (int i = 0; i < count; i++) {
        const marey_entity *now = &lab->shown[k][i].react,
                           *last = &lab->shown[k][i > 0 ? i - 1 : 0].react;
        double x = now->x_cm - last->x_cm, y = now->y_cm - last->y_cm;
        double across = 0.15 * sin(2 * 3.14159265358979323846 * 12 * i / LAB_RATE);
        s[i] = lab->shown[k][i];
        s[i].react.x_cm -= across * y;
        s[i].react.y_cm += across * x;
        path[i] = s[i].react;
    }
    *texture = lab_texture(path, count);
    if (marey_puppet_train(lab->ctx, &(marey_demonstration){ s, count }, 1, NULL, &puppet, NULL))
        exit(1);
    free(s);
    free(path);
    return puppet;
}

void part_texture(const puppet_lab *lab)
{
    static marey_entity main[LAB_PATH], react[LAB_PATH];
    printf("\n## Texture\n\nAll tremble in their demonstrations: across where they go, by 15 %% of "
           "a step, 12 times a second. What a mean over four samples loses of the heading, mrad, "
           "as shown, and on the mean over %d unseen main paths.\n\n"
           "| | as shown | smoothed | smoothed, with detail |\n|---|---|---|---|\n",
           SMOOTH_PATHS);
    for (int k = 0; k < LAB_READY; k++) {
        double shown, mean[2] = { 0 };
        marey_puppet *puppet = train_trembling(lab, k, &shown);
        for (int p = 0; p < SMOOTH_PATHS; p++) {
            lab_wander((uint64_t)p, main, LAB_PATH);
            for (int detail = 0; detail < 2; detail++) {
                marey_reactor_def def = { .smooth = detail == 0 };
                lab_react(lab, puppet, &def, main, LAB_PATH, react);
                mean[detail] += lab_texture(react, LAB_PATH) / SMOOTH_PATHS;
            }
        }
        printf("| %s | %.0f | %.0f | %.0f |\n", lab->ready[k]->name, 1000 * shown, 1000 * mean[0],
               1000 * mean[1]);
        marey_puppet_free(puppet);
    }
}
