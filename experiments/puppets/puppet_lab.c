/* puppet_lab.c - see puppet_lab.h. */
#include "puppet_lab.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define PI 3.14159265358979323846

static void fine(marey_status status, const marey_error *error)
{
    if (status == MAREY_OK) return;
    fprintf(stderr, "%s\n", error->message);
    exit(1);
}

marey_puppet *lab_train(const puppet_lab *lab, int ready, int samples)
{
    marey_puppet *puppet = NULL;
    marey_error error = { 0 };
    marey_demonstration shown = { lab->shown[ready], samples };
    fine(marey_puppet_train(lab->ctx, &shown, 1, NULL, &puppet, &error), &error);
    return puppet;
}

void lab_open(puppet_lab *lab, const char *folder)
{
    *lab = (puppet_lab){ .folder = folder };
    fine(marey_ctx_open(NULL, &lab->ctx), &(marey_error){ .message = "no memory" });
    for (int k = 0; k < LAB_READY; k++) {
        lab->ready[k] = marey_ready_puppet_find(k);
        lab->shown[k] = malloc((size_t)lab->ready[k]->samples * sizeof *lab->shown[k]);
        if (!lab->shown[k]) exit(1);
        marey_ready_puppet_demonstrate(lab->ready[k], lab->shown[k]);
        lab->puppets[k] = lab_train(lab, k, lab->ready[k]->samples);
    }
}

void lab_close(puppet_lab *lab)
{
    for (int k = 0; k < LAB_READY; k++) {
        marey_puppet_free(lab->puppets[k]);
        free(lab->shown[k]);
    }
    marey_ctx_close(lab->ctx);
}

/* ---- ways ------------------------------------------------------------------------------------ */

/* Marsaglia's xorshift, as fine as this takes. */
static double draw(uint64_t *seed, double low, double high)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return low + (high - low) * (double)(*seed >> 11) / 9007199254740992.0;
}

void lab_wander(uint64_t number, marey_entity *main, int count)
{
    uint64_t seed = 0x9e3779b97f4a7c15u * (number + 1);
    marey_entity at = { .direction_rad = draw(&seed, -PI, PI) };
    double speed = 0, turn = 0, to_speed = 0, to_turn = 0, left = 0, dt = 1.0 / LAB_RATE;
    for (int i = 0; i < count; i++) {
        main[i] = at;
        if (left <= 0) {
            left = draw(&seed, 1.5, 5);
            to_speed = draw(&seed, 0, 1) < 0.3 ? 0 : draw(&seed, 40, 170);
            to_turn = draw(&seed, 0, 1) < 0.4 ? 0 : draw(&seed, -1.2, 1.2);
        }
        left -= dt;
        speed += (to_speed - speed) * dt / 0.3;
        turn += (to_turn - turn) * dt / 0.25;
        at.direction_rad = remainder(at.direction_rad + turn * dt, 2 * PI);
        at.x_cm += speed * cos(at.direction_rad) * dt;
        at.y_cm += speed * sin(at.direction_rad) * dt;
    }
}

void lab_react(const puppet_lab *lab, const marey_puppet *puppet, const marey_reactor_def *def,
               const marey_entity *main, int count, marey_entity *react)
{
    marey_reactor *reactor = NULL;
    marey_error error = { 0 };
    marey_puppet_frame frame;
    fine(marey_reactor_open(lab->ctx, puppet, &main[0], def, &reactor, &error), &error);
    react[0] = marey_reactor_start(reactor);
    for (int i = 1; i < count; i++) {
        marey_puppet_step(reactor, &main[i], &frame);
        react[i] = frame.react;
    }
    marey_reactor_free(reactor);
}
