/* steering_lab.c - see steering_lab.h. */
#include "steering_lab.h"

#include <math.h>
#include <string.h>

#define PI 3.14159265358979323846

enum { MOST_JOINTS = 64, MOST_FRAMES = 60000 };

uint32_t lab_draw(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double share_of(const double *sorted, int count, double share)
{
    return sorted[(int)(share * (count - 1))];
}

/* ---- how motion looks ------------------------------------------------------------------------ */

typedef struct watching {
    const marey_graph *graph;
    double last[3 * MOST_JOINTS], step[2], facing;
    int node, since; /* frames since it began or the clip did */
    double joint, slid, planted;
    double turn[MOST_FRAMES], push[MOST_FRAMES];
    int count;
} watching;

static void watch(watching *w, int node, const double *now)
{
    static const marey_role feet[4] = { MAREY_ROLE_LEFT_ANKLE, MAREY_ROLE_LEFT_TOE,
                                        MAREY_ROLE_RIGHT_ANKLE, MAREY_ROLE_RIGHT_TOE };
    const marey_skeleton *skeleton = marey_clip_skeleton(marey_graph_motion(w->graph));
    const int *roles = skeleton->roles;
    const double *left = now + 3 * roles[MAREY_ROLE_LEFT_HIP];
    const double *right = now + 3 * roles[MAREY_ROLE_RIGHT_HIP];
    int hips = 3 * roles[MAREY_ROLE_HIPS];
    double fps = marey_graph_fps(w->graph);
    double facing = atan2(-(left[2] - right[2]), left[0] - right[0]) - PI / 2;
    if (w->since > 0) {
        int planted = marey_graph_node_of(w->graph, node).contacts &
                      marey_graph_node_of(w->graph, w->node).contacts;
        double step[2] = { now[hips] - w->last[hips], now[hips + 2] - w->last[hips + 2] };
        for (int j = 0; j < 3 * skeleton->joint_count; j += 3) {
            double x = now[j] - w->last[j], y = now[j + 1] - w->last[j + 1];
            double z = now[j + 2] - w->last[j + 2];
            w->joint = fmax(w->joint, sqrt(x * x + y * y + z * z) * fps);
        }
        for (int i = 0; i < 4; i++) {
            int j = 3 * roles[feet[i]];
            if (j < 0 || !(planted >> i & 1)) continue;
            w->slid += hypot(now[j] - w->last[j], now[j + 2] - w->last[j + 2]);
            w->planted += 1 / fps;
        }
        if (w->since > 1 && w->count < MOST_FRAMES) {
            w->turn[w->count] = fabs(remainder(facing - w->facing, 2 * PI)) * fps * 180 / PI;
            w->push[w->count++] = hypot(step[0] - w->step[0], step[1] - w->step[1]) * fps * fps;
        }
        memcpy(w->step, step, sizeof step);
    }
    w->facing = facing;
    memcpy(w->last, now, (size_t)skeleton->joint_count * 3 * sizeof *now);
    w->node = node;
    w->since++;
}

static looks watched(watching *w)
{
    qsort(w->turn, (size_t)w->count, sizeof *w->turn, by_size);
    qsort(w->push, (size_t)w->count, sizeof *w->push, by_size);
    return (looks){ share_of(w->turn, w->count, 0.999), share_of(w->push, w->count, 0.999),
                    w->joint, w->slid / w->planted };
}

/* A body walks at 60 cm/s and more; velocities are those over 0.1 s, as responses have them. */
static void find_turns(const marey_graph *graph, subject *out)
{
    static double took[MOST_FRAMES], x[MOST_FRAMES], z[MOST_FRAMES];
    const marey_clip *motion = marey_graph_motion(graph);
    int count = marey_graph_originals(graph), over = (int)lround(marey_graph_fps(graph) / 10);
    int *left = calloc((size_t)count, sizeof *left); /* frames of its sequence behind it */
    double fps = marey_graph_fps(graph);
    for (int n = count - 1; left && n >= 0; n--) {
        const int *roles = marey_clip_skeleton(motion)->roles;
        double now[3 * MOST_JOINTS];
        marey_clip_positions(motion, n, 1, now);
        x[n] = now[3 * roles[MAREY_ROLE_HIPS]];
        z[n] = now[3 * roles[MAREY_ROLE_HIPS] + 2];
        left[n] = marey_graph_node_of(graph, n).next == n + 1 ? left[n + 1] + 1 : 0;
    }
    out->turns = 0;
    for (int n = 0; left && n < count; n++) {
        double begin = 0;
        for (int k = 0; k < (int)fps && k + over <= left[n]; k++) {
            double u = x[n + k + over] - x[n + k], v = z[n + k + over] - z[n + k];
            double speed = hypot(u, v) * fps / over, way = atan2(v, u);
            if (speed < (k ? 20 : 60)) break;
            if (k == 0) begin = way;
            if (fabs(remainder(way - begin, 2 * PI)) < PI / 4) continue;
            took[out->turns++] = k / fps;
            break;
        }
    }
    free(left);
    qsort(took, (size_t)out->turns, sizeof *took, by_size);
    out->turn_tenth = out->turns ? share_of(took, out->turns, 0.1) : NAN;
    out->turn_median = out->turns ? share_of(took, out->turns, 0.5) : NAN;
}

subject subject_open(const lab *of, const marey_graph *graph)
{
    static watching w;
    marey_matching *matching;
    marey_error error;
    int speeds;
    w = (watching){ .graph = graph };
    for (int n = 0; n < marey_graph_originals(graph); n++) {
        double now[3 * MOST_JOINTS];
        if (marey_graph_node_of(graph, n).before < 0) w.since = 0;
        marey_clip_positions(marey_graph_motion(graph), n, 1, now);
        watch(&w, n, now);
    }
    lab_need(marey_matching_build(of->ctx, graph, NULL, &matching, &error), &error);
    const double *usual = marey_matching_speeds(matching, &speeds);
    subject on = { .of = of, .graph = graph, .walk = usual[speeds / 2], .own = watched(&w) };
    find_turns(graph, &on);
    marey_matching_free(matching);
    return on;
}

/* ---- turns ----------------------------------------------------------------------------------- */

static outcome steer(const subject *on, marey_controller *controller)
{
    static outcome out;
    static watching w;
    const marey_skeleton *skeleton = marey_clip_skeleton(marey_graph_motion(on->graph));
    marey_control_input input = { 0, on->walk };
    double fps = marey_graph_fps(on->graph), took = 0, side = 1, from[2] = { 0 };
    uint32_t seed = 7;
    int left = (int)(3 * fps), turns = 0, since = 0;
    bool waits = false;
    out = (outcome){ 0 };
    w = (watching){ .graph = on->graph };
    for (int i = 0; i < TURNS; i++) out.response[i] = out.wait[i] = INFINITY;
    for (;; since++) {
        marey_controller_frame frame;
        double now[3 * MOST_JOINTS];
        if (left-- == 0) {
            /* A turn to either side every 2 to 3 s. */
            if (turns++ == TURNS) break;
            side = lab_draw(&seed) % 2 ? 1 : -1;
            input.direction_rad += side * PI / 2;
            left = (int)((2 + lab_draw(&seed) % 1000 / 1000.0) * fps);
            since = 0;
            waits = true;
        }
        double start = lab_cpu_s();
        marey_controller_step(controller, &input, &frame);
        double one = lab_cpu_s() - start;
        took += one;
        out.worst_us = fmax(out.worst_us, 1e6 * one);
        marey_pose_positions(skeleton, frame.places, frame.turns, now);
        watch(&w, frame.node, now);
        out.off_deg += fabs(remainder(w.facing - input.direction_rad, 2 * PI)) * 180 / PI;
        if (turns == 0) continue;
        if (frame.response_s > 0) out.response[turns - 1] = frame.response_s;
        if (waits && frame.transition) {
            out.wait[turns - 1] = (since + 1) / fps;
            waits = false;
        }
        if (since == 0) memcpy(from, (double[]){ frame.x_cm, frame.z_cm }, sizeof from);
        if (turns <= SHOWN_TURNS && since < SHOWN_FRAMES) {
            /* Seen so that the input before went up and the new one goes to the left. */
            double before = input.direction_rad - side * PI / 2;
            double x = frame.x_cm - from[0], z = frame.z_cm - from[1];
            double *at = out.path[turns - 1][since];
            at[0] = -side * (-x * sin(before) - z * cos(before));
            at[1] = x * cos(before) - z * sin(before);
        }
    }
    out.score = marey_controller_score(controller);
    out.searches = marey_controller_searched(controller);
    marey_controller_free(controller);
    for (int i = 0; i < TURNS; i++) out.answered += isfinite(out.response[i]);
    qsort(out.response, TURNS, sizeof *out.response, by_size);
    qsort(out.wait, TURNS, sizeof *out.wait, by_size);
    out.look = watched(&w);
    out.look.turn /= on->own.turn;
    out.look.push /= on->own.push;
    out.look.joint /= on->own.joint;
    out.step_us = 1e6 * took / out.score.frames;
    out.off_deg /= out.score.frames;
    return out;
}

/* 60 reversals, every second one from a stop. */
static double find_backward(const subject *on, marey_controller *controller)
{
    enum { REVERSALS = 60 };
    static watching w;
    const marey_skeleton *skeleton = marey_clip_skeleton(marey_graph_motion(on->graph));
    double fps = marey_graph_fps(on->graph);
    int away = 0, all = 0;
    w = (watching){ .graph = on->graph };
    marey_control_input input = { 0 };
    for (int i = 0; i < REVERSALS; i++) {
        int stop = i % 2 ? (int)(1.5 * fps) : 0;
        input.direction_rad += PI;
        for (int f = 0; f < stop + (int)(4 * fps); f++) {
            marey_controller_frame frame;
            double now[3 * MOST_JOINTS];
            input.speed_cm_s = f < stop ? 0 : on->walk;
            marey_controller_step(controller, &input, &frame);
            marey_pose_positions(skeleton, frame.places, frame.turns, now);
            watch(&w, frame.node, now);
            if (f < stop + 2 * fps) continue;
            away += fabs(remainder(w.facing - input.direction_rad, 2 * PI)) > PI / 2;
            all++;
        }
    }
    marey_controller_free(controller);
    return 100.0 * away / all;
}

outcome steer_graph(const subject *on, const marey_policy *policy)
{
    marey_controller *by[2];
    marey_error error;
    for (int i = 0; i < 2; i++)
        lab_need(marey_controller_open(on->of->ctx, on->graph, policy, NULL, &by[i], &error),
                 &error);
    outcome out = steer(on, by[0]);
    out.backward = find_backward(on, by[1]);
    return out;
}

outcome steer_matching(const subject *on, const marey_matching *matching)
{
    marey_controller *by[2];
    marey_error error;
    for (int i = 0; i < 2; i++)
        lab_need(marey_controller_open_matching(on->of->ctx, matching, NULL, &by[i], &error),
                 &error);
    outcome out = steer(on, by[0]);
    out.backward = find_backward(on, by[1]);
    return out;
}
