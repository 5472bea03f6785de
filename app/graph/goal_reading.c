/* goal_reading.c - from "4s:200,300,90" and "120,150,40" to places at times and obstacles, and where
   the body of a walk really was. */
#include "motion_graphs.h"

#include <math.h>
#include <stdio.h>

#define PI 3.14159265358979323846

/* Up to `most` numbers with commas between, all of the text; how many, 0: it is something else. */
static int read_numbers(const char *text, int most, double *out)
{
    for (int count = 0; count < most;) {
        text = number_read(text, &out[count]);
        if (!text || !isfinite(out[count])) return 0;
        count++;
        if (*text == 0) return count;
        if (*text++ != ',') return 0;
    }
    return 0;
}

/* "4s:200,300,90"; at a rate a time may be in frames, 0: that is not known yet. */
static bool read_goal(const char *text, double fps, marey_walk_goal *out)
{
    double numbers[3];
    const char *at = number_read(text, &out->at_s);
    if (!at || !isfinite(out->at_s) || out->at_s < 0) return false;
    if (*at == 's')
        at++;
    else if (fps > 0)
        out->at_s /= fps;
    int count = *at == ':' ? read_numbers(at + 1, 3, numbers) : 0;
    if (count < 2) return false;
    out->x_cm = numbers[0];
    out->z_cm = numbers[1];
    out->heading_given = count == 3;
    out->heading_rad = count == 3 ? numbers[2] * PI / 180 : 0;
    return true;
}

static bool read_obstacle(const char *text, marey_walk_obstacle *out)
{
    double numbers[3];
    if (read_numbers(text, 3, numbers) != 3 || !(numbers[2] > 0)) return false;
    *out = (marey_walk_obstacle){ numbers[0], numbers[1], numbers[2] };
    return true;
}

marey_status app_walk_floor_check(const app_texts *at, const app_texts *avoid, app_dialect dialect,
                                  marey_error *error)
{
    const char *dashes = dialect == APP_COMMAND_LINE ? "--" : "";
    marey_walk_goal goal;
    marey_walk_obstacle obstacle;
    for (int i = 0; i < at->count; i++) {
        if (read_goal(at->values[i], 0, &goal)) continue;
        return app_fail(error, MAREY_ERR_REQUEST, NULL,
                        "%sat must be a time and a place, as in 4s:200,300, or with a heading in "
                        "degrees, as in 4s:200,300,90, got %.100s",
                        dashes, at->values[i]);
    }
    for (int i = 0; i < avoid->count; i++) {
        if (read_obstacle(avoid->values[i], &obstacle)) continue;
        return app_fail(error, MAREY_ERR_REQUEST, NULL,
                        "%savoid must be x, z and a positive radius in centimetres, as in "
                        "120,150,40, got %.100s",
                        dashes, avoid->values[i]);
    }
    return MAREY_OK;
}

marey_status app_walk_floor_read(app_scope *scope, const app_texts *at, const app_texts *avoid,
                                 double fps, app_walk_floor *out, marey_error *error)
{
    *out = (app_walk_floor){ .goals = APP_NEW(scope, marey_walk_goal, at->count),
                             .goal_count = at->count,
                             .obstacles = APP_NEW(scope, marey_walk_obstacle, avoid->count),
                             .obstacle_count = avoid->count,
                             .clearance_cm = NAN };
    if (!out->goals || !out->obstacles) return app_fail_memory(error);
    for (int i = 0; i < at->count; i++) read_goal(at->values[i], fps, &out->goals[i]);
    for (int i = 0; i < avoid->count; i++) read_obstacle(avoid->values[i], &out->obstacles[i]);
    return MAREY_OK;
}

marey_status app_walk_floor_measure(const app_env *env, const marey_graph *graph,
                                    const marey_clip *made, app_walk_floor *floor, bool *missed,
                                    marey_error *error)
{
    marey_walk_def def = { .goals = floor->goals,
                           .goal_count = floor->goal_count,
                           .obstacles = floor->obstacles,
                           .obstacle_count = floor->obstacle_count };
    floor->reached = APP_NEW(env->scope, marey_goal_reached, floor->goal_count);
    if (!floor->reached) return app_fail_memory(error);
    marey_status status = marey_walk_reached(env->ctx, graph, made, &def, floor->reached,
                                             &floor->clearance_cm, error);
    if (status != MAREY_OK) return status;
    int worst = -1;
    for (int i = 0; i < floor->goal_count; i++) {
        const marey_goal_reached *one = &floor->reached[i];
        if (one->error_cm <= MAREY_WALK_GOAL_CM &&
            !(one->error_rad > MAREY_WALK_GOAL_DEG * PI / 180))
            continue;
        if (worst < 0 || one->error_cm > floor->reached[worst].error_cm) worst = i;
    }
    *missed = worst >= 0 || floor->clearance_cm < 0;
    if (worst >= 0) {
        char turned[64] = "";
        double degrees = floor->reached[worst].error_rad * 180 / PI;
        if (!isnan(degrees)) snprintf(turned, sizeof turned, " and %.0f degrees", degrees);
        app_warn(env,
                 "warning: goal %d was not reached: at %g s the body is %.0f cm%s from it; give it "
                 "more time, or take a graph that can turn and stop",
                 worst + 1, floor->goals[worst].at_s, floor->reached[worst].error_cm, turned);
    }
    if (floor->clearance_cm < 0)
        app_warn(env, "warning: the body enters an obstacle by %.0f cm", -floor->clearance_cm);
    return MAREY_OK;
}

void app_walk_floor_write(const app_walk_floor *floor, json *out)
{
    json_open(out, "goals", '[');
    for (int i = 0; i < floor->goal_count; i++) {
        const marey_walk_goal *goal = &floor->goals[i];
        const marey_goal_reached *one = &floor->reached[i];
        json_open(out, NULL, '{');
        json_put_number(out, "at_s", goal->at_s);
        json_put_number(out, "x_cm", goal->x_cm);
        json_put_number(out, "z_cm", goal->z_cm);
        json_put_number(out, "heading_deg",
                        goal->heading_given ? goal->heading_rad * 180 / PI : NAN);
        json_put_number(out, "reached_x_cm", one->x_cm);
        json_put_number(out, "reached_z_cm", one->z_cm);
        json_put_number(out, "reached_heading_deg", one->heading_rad * 180 / PI);
        json_put_number(out, "error_cm", one->error_cm);
        json_put_number(out, "error_deg", one->error_rad * 180 / PI);
        json_close(out, '}');
    }
    json_close(out, ']');
    json_put_number(out, "clearance_cm", floor->clearance_cm);
}
