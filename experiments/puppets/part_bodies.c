/* part_bodies.c - how close a whole body comes to the puck it follows: live, where the path ahead
   is unknown, and as a clip made of a path that is known. On the takes of the demo's graph
   `standard`. */
#include "puppet_lab.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846

enum { TAKES = 6, PATHS = 6, SECONDS = LAB_PATH / LAB_RATE };

typedef struct stage {
    marey_ctx *ctx;
    marey_demo_take *takes[TAKES];
    marey_graph *graph;
    marey_policy *policy;
    marey_body_ground *ground;
} stage;

static void fine(marey_status status, const marey_error *error)
{
    if (status == MAREY_OK) return;
    fprintf(stderr, "%s\n", error->message);
    exit(1);
}

static int take_number(const char *name)
{
    int i = 0;
    while (strcmp(marey_demo_name(i), name) != 0) i++;
    return i;
}

static void stage_open(stage *on, marey_ctx *ctx)
{
    static const char *const names[TAKES] = { "idles",     "sits",       "turns",
                                              "walk_left", "walk_right", "walk_straight" };
    const marey_clip *clips[TAKES];
    marey_error error = { 0 };
    *on = (stage){ .ctx = ctx };
    for (int i = 0; i < TAKES; i++) {
        fine(marey_demo_build(ctx, take_number(names[i]), 1, &on->takes[i], &error), &error);
        clips[i] = marey_demo_clip(on->takes[i]);
    }
    fine(marey_graph_build(ctx, clips, TAKES, NULL, NULL, &on->graph, &error), &error);
    fine(marey_policy_train(ctx, on->graph, NULL, &on->policy, &error), &error);
    fine(marey_body_ground_open(ctx, on->graph, on->policy, &on->ground, &error), &error);
}

static void stage_close(stage *on)
{
    marey_body_ground_free(on->ground);
    marey_policy_free(on->policy);
    marey_graph_free(on->graph);
    for (int i = 0; i < TAKES; i++) marey_demo_free(on->takes[i]);
}

/* ---- one path -------------------------------------------------------------------------------- */

typedef struct result {
    double live_cm, live_most_cm, cuts_a_minute;
    double made_cm, made_most_cm, turned_rad;
    double jump, slide_cm, below_cm;
} result;

/* A body of its own step for each 1 / fps seconds of a path at LAB_RATE. */
static void go_live(const stage *on, const marey_entity *path, int count, result *out)
{
    marey_body *body = NULL;
    marey_error error = { 0 };
    marey_body_def def = { .ground = on->ground };
    double each = LAB_RATE / marey_graph_fps(on->graph);
    int steps = (int)((count - 1) / each) + 1, cuts = 0;
    fine(marey_body_open(on->ctx, on->graph, on->policy, &path[0], &def, &body, &error), &error);
    for (int i = 0; i < steps; i++) {
        const marey_entity *at = &path[(int)(i * each)];
        marey_controller_frame frame;
        marey_body_step(body, at, &frame);
        double away = hypot(frame.x_cm - at->x_cm, frame.z_cm + at->y_cm);
        out->live_cm += away / steps;
        out->live_most_cm = fmax(out->live_most_cm, away);
        cuts += frame.transition;
    }
    out->cuts_a_minute = cuts * 60 / (steps / marey_graph_fps(on->graph));
    marey_body_free(body);
}

static void go_made(const stage *on, const marey_entity *path, int count, result *out)
{
    marey_made made = { 0 };
    marey_body_made about;
    marey_error error = { 0 };
    marey_quality quality;
    marey_body_def def = { .ground = on->ground };
    fine(marey_body_make(on->ctx, on->graph, on->policy, path, count, LAB_RATE, &def, NULL, &made,
                         &about, &error),
         &error);
    fine(marey_clip_quality(made.clip, made.contacts.items, made.contacts.count, &quality), &error);
    out->made_cm = about.away_cm;
    out->made_most_cm = about.away_most_cm;
    out->turned_rad = about.turned_rad;
    out->jump = about.walk.jump_ratio;
    out->slide_cm = made.clean.slide_after_cm;
    out->below_cm = quality.penetration_cm;
    marey_made_free(&made);
}

static void print_row(const char *name, const result *r)
{
    printf("| %s | %.0f | %.0f | %.0f | %.0f | %.0f | %.2f | %.2f | %.3f | %.1f |\n", name,
           r->live_cm, r->live_most_cm, r->cuts_a_minute, r->made_cm, r->made_most_cm,
           r->turned_rad, r->jump, r->slide_cm, r->below_cm);
}

/* ---- the ready behaviours -------------------------------------------------------------------- */

/* Means of distances, the worst of all else. */
static void add_result(result *sum, const result *one, double share)
{
    sum->live_cm += share * one->live_cm;
    sum->made_cm += share * one->made_cm;
    sum->cuts_a_minute += share * one->cuts_a_minute;
    sum->turned_rad += share * one->turned_rad;
    sum->live_most_cm = fmax(sum->live_most_cm, one->live_most_cm);
    sum->made_most_cm = fmax(sum->made_most_cm, one->made_most_cm);
    sum->jump = fmax(sum->jump, one->jump);
    sum->slide_cm = fmax(sum->slide_cm, one->slide_cm);
    sum->below_cm = fmax(sum->below_cm, one->below_cm);
}

static void print_ready(const puppet_lab *lab, const stage *on)
{
    static marey_entity main[LAB_PATH], react[LAB_PATH];
    result all = { 0 };
    for (int k = 0; k < LAB_READY; k++) {
        result sum = { 0 };
        for (int p = 0; p < PATHS; p++) {
            result one = { 0 };
            lab_wander((uint64_t)(1000 + p), main, LAB_PATH);
            lab_react(lab, lab->puppets[k], NULL, main, LAB_PATH, react);
            go_live(on, react, LAB_PATH, &one);
            go_made(on, react, LAB_PATH, &one);
            add_result(&sum, &one, 1.0 / PATHS);
        }
        print_row(lab->ready[k]->name, &sum);
        add_result(&all, &sum, 1.0 / LAB_READY);
    }
    print_row("all five", &all);
}

/* ---- plain paths ----------------------------------------------------------------------------- */

static marey_entity on_circle(double way_cm, double radius_cm)
{
    double angle = way_cm / radius_cm;
    return (marey_entity){ radius_cm * sin(angle), radius_cm * (1 - cos(angle)), angle };
}

/* Two circles that touch, one after the other. */
static marey_entity on_eight(double way_cm, double radius_cm)
{
    double round = 2 * PI * radius_cm, in = fmod(way_cm, 2 * round);
    marey_entity at = on_circle(in < round ? in : in - round, radius_cm);
    if (in < round) return at;
    return (marey_entity){ at.x_cm, -at.y_cm, -at.direction_rad };
}

static void print_plain(const stage *on)
{
    static marey_entity path[LAB_PATH];
    const double speed = 110, radius = 200;
    for (int eight = 0; eight < 2; eight++) {
        result one = { 0 };
        for (int i = 0; i < LAB_PATH; i++) {
            double way = speed * i / LAB_RATE;
            path[i] = eight ? on_eight(way, radius) : on_circle(way, radius);
        }
        go_live(on, path, LAB_PATH, &one);
        go_made(on, path, LAB_PATH, &one);
        print_row(eight ? "figure eight" : "circle", &one);
    }
}

/* ---- wanted somewhere else ------------------------------------------------------------------- */

/* A puck that stands: how long until the body is close, and how close it is at the end. */
static void print_arrival(const stage *on, double x_cm, double y_cm, const char *where)
{
    marey_body *body = NULL;
    marey_error error = { 0 };
    marey_body_def def = { .ground = on->ground };
    const marey_entity start = { 0 }, wanted = { x_cm, y_cm, atan2(y_cm, x_cm) };
    double fps = marey_graph_fps(on->graph), arrived = INFINITY, away = 0, moves = 0;
    int steps = (int)(15 * fps);
    fine(marey_body_open(on->ctx, on->graph, on->policy, &start, &def, &body, &error), &error);
    for (int i = 0; i < steps; i++) {
        marey_controller_frame frame;
        marey_body_step(body, &wanted, &frame);
        away = hypot(frame.x_cm - x_cm, frame.z_cm + y_cm);
        if (away < 50) arrived = fmin(arrived, i / fps);
        if (i >= steps / 2) moves += frame.speed_cm_s / (steps - steps / 2);
    }
    printf("| %s | %.1f | %.0f | %.0f |\n", where, arrived, away, moves);
    marey_body_free(body);
}

void part_bodies(const puppet_lab *lab)
{
    stage on;
    stage_open(&on, lab->ctx);
    printf(
        "\n## Bodies\n\nOn the takes of the demo's graph `standard` (%d frames), %d unseen main "
        "paths of %d s each, answered by those who learned; circle and figure eight: a puck at "
        "110 cm/s on circles of 2 m. Live, the body knows nothing of what comes; made clips "
        "know the path. Distances are means, then the most; the rest is that of made "
        "clips.\n\n| | live, cm | most | transitions a minute | made, cm | most | direction off, "
        "rad | jump | slide, cm | toes below the floor, cm "
        "|\n|---|---|---|---|---|---|---|---|---|---|\n",
        marey_graph_originals(on.graph), PATHS, SECONDS);
    print_ready(lab, &on);
    print_plain(&on);
    printf("\nA puck that stands somewhere from the start on: seconds until the body is within 50 "
           "cm, how far it is after 15 s, and how fast it is in the second half.\n\n"
           "| | seconds | cm | cm/s |\n|---|---|---|---|\n");
    print_arrival(&on, 200, 0, "2 m ahead");
    print_arrival(&on, 0, 200, "2 m to the left");
    print_arrival(&on, 0, -200, "2 m to the right");
    print_arrival(&on, -200, 0, "2 m behind");
    print_arrival(&on, -400, 0, "4 m behind");
    print_arrival(&on, 0, 0, "here");
    stage_close(&on);
}
