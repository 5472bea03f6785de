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

/* Everything of one who reacts. */
typedef struct result {
    double *live, *made; /* how far away, of each frame, room for all paths */
    int live_count, made_count;
    double way_share, cuts_a_minute, turned_rad; /* means over the paths */
    double jump, slide_cm, below_cm;             /* the most */
} result;

static int by_size(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static void result_open(result *r)
{
    size_t most = PATHS * LAB_PATH;
    *r = (result){ .live = malloc(2 * most * sizeof *r->live) };
    if (!r->live) exit(1);
    r->made = r->live + most;
}

/* A body of its own step for each 1 / fps seconds of a path at LAB_RATE; the one who reacts, if
   there is one, waits for it. */
static void go_live(const stage *on, marey_reactor *reactor, const marey_entity *main, int count,
                    marey_entity *path, marey_body **body, result *out)
{
    marey_error error = { 0 };
    double each = LAB_RATE / marey_graph_fps(on->graph);
    int frames = 0, cuts = 0;
    marey_body_def def = { .ground = on->ground, .keeps = count };
    fine(marey_body_open(on->ctx, on->graph, on->policy, &path[0], &def, body, &error), &error);
    for (int i = 0; i < count; i++) {
        marey_controller_frame frame;
        marey_puppet_frame now;
        if (reactor && i > 0) {
            marey_puppet_step(reactor, &main[i], &now);
            path[i] = now.react;
        }
        if (i < frames * each) continue;
        frames++;
        if (reactor)
            marey_body_lead(*body, reactor, &path[i], &frame);
        else
            marey_body_step(*body, &path[i], &frame);
        out->live[out->live_count++] = hypot(frame.x_cm - path[i].x_cm, frame.z_cm + path[i].y_cm);
        cuts += frame.transition;
    }
    out->cuts_a_minute += cuts * 60 / (frames / marey_graph_fps(on->graph));
}

static void go_made(const stage *on, const marey_entity *path, int count, const marey_body *led,
                    result *out)
{
    marey_made made = { 0 };
    marey_body_made about;
    marey_error error = { 0 };
    marey_quality quality;
    marey_body_def def = { .ground = on->ground, .led = led };
    fine(marey_body_make(on->ctx, on->graph, on->policy, path, count, LAB_RATE, &def, NULL, &made,
                         &about, &error),
         &error);
    fine(marey_clip_quality(made.clip, made.contacts.items, made.contacts.count, &quality), &error);
    out->made[out->made_count++] = about.away_median_cm;
    out->turned_rad += about.turned_rad;
    out->jump = fmax(out->jump, about.walk.jump_ratio);
    out->slide_cm = fmax(out->slide_cm, made.clean.slide_after_cm);
    out->below_cm = fmax(out->below_cm, quality.penetration_cm);
    marey_made_free(&made);
}

/* Of so many paths; frees it. */
static void print_row(const char *name, result *r, int paths)
{
    double mean = 0;
    for (int i = 0; i < r->live_count; i++) mean += r->live[i] / r->live_count;
    qsort(r->live, (size_t)r->live_count, sizeof *r->live, by_size);
    qsort(r->made, (size_t)r->made_count, sizeof *r->made, by_size);
    printf("| %s | %.0f | %.0f | %.0f | %.0f | %.0f | %.0f | %.0f | %.2f | %.2f | %.3f | %.1f |\n",
           name, 100 * r->way_share / paths, r->live[r->live_count / 2], mean,
           r->live[r->live_count * 9 / 10], r->cuts_a_minute / paths, r->made[r->made_count / 2],
           r->made[r->made_count - 1], r->turned_rad / paths, r->jump, r->slide_cm, r->below_cm);
    free(r->live);
}

/* ---- the ready behaviours -------------------------------------------------------------------- */

/* How much of its way the same path takes it, led along by a body. */
static double share_of_way(const puppet_lab *lab, const stage *on, int k, const marey_entity *main,
                           const marey_entity *start)
{
    static marey_puppet_sample samples[LAB_PATH];
    marey_error error = { 0 };
    marey_body_def body = { .ground = on->ground };
    marey_reactor_def def = { 0 };
    marey_played played;
    for (int i = 0; i < LAB_PATH; i++)
        samples[i] = (marey_puppet_sample){ .time_s = i / (double)LAB_RATE, .main = main[i] };
    fine(marey_body_open(on->ctx, on->graph, on->policy, start, &body, &def.body, &error), &error);
    fine(marey_puppet_play(on->ctx, lab->puppets[k], samples, LAB_PATH, &def, &played, &error),
         &error);
    marey_body_free(def.body);
    return played.way_share;
}

static void print_ready(const puppet_lab *lab, const stage *on)
{
    static marey_entity main[LAB_PATH], react[LAB_PATH];
    for (int k = 0; k < LAB_READY; k++) {
        result sum;
        result_open(&sum);
        for (int p = 0; p < PATHS; p++) {
            marey_reactor *reactor = NULL;
            marey_body *body = NULL;
            marey_error error = { 0 };
            lab_wander((uint64_t)(1000 + p), main, LAB_PATH);
            fine(marey_reactor_open(on->ctx, lab->puppets[k], &main[0], NULL, &reactor, &error),
                 &error);
            react[0] = marey_reactor_start(reactor);
            go_live(on, reactor, main, LAB_PATH, react, &body, &sum);
            go_made(on, react, LAB_PATH, body, &sum);
            sum.way_share += share_of_way(lab, on, k, main, &react[0]);
            marey_body_free(body);
            marey_reactor_free(reactor);
        }
        print_row(lab->ready[k]->name, &sum, PATHS);
    }
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
        result one;
        marey_body *body = NULL;
        result_open(&one);
        one.way_share = 1;
        for (int i = 0; i < LAB_PATH; i++) {
            double way = speed * i / LAB_RATE;
            path[i] = eight ? on_eight(way, radius) : on_circle(way, radius);
        }
        go_live(on, NULL, NULL, LAB_PATH, path, &body, &one);
        go_made(on, path, LAB_PATH, NULL, &one);
        marey_body_free(body);
        print_row(eight ? "figure eight" : "circle", &one, 1);
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
        "paths of %d s each, answered by those who learned, who wait where their bodies cannot "
        "keep "
        "up; circle and figure eight: a puck at 110 cm/s on circles of 2 m. Way: how much they go "
        "of what they would have gone. Live, the body knows nothing of what comes; made clips know "
        "the path. Distances from the puck over all frames: median, mean and what one of ten is "
        "beyond; of made clips the medians, one a path: that in the middle and the largest. The "
        "rest is that of made clips.\n\n| | way, %% | live, median, cm | mean | 90 %% | "
        "transitions "
        "a minute | made, median, cm | largest | direction off, rad | jump | slide, cm | toes "
        "below "
        "the floor, cm |\n|---|---|---|---|---|---|---|---|---|---|---|---|\n",
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
