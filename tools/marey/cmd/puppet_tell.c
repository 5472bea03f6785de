/* puppet_tell.c - measuring demonstrations. */
#include "puppet_tell.h"

#include <math.h>

#define MOVES_CM_S 5.0  /* slower is to stand */
#define ABOUT_RAD 0.785 /* within an eighth of a turn to either side somebody looks at something */

/* How far two directions are apart. */
static double apart(double a, double b)
{
    return fabs(remainder(a - b, 2 * acos(-1)));
}

static double speed(const marey_entity *before, const marey_entity *now, double rate)
{
    return hypot(now->x_cm - before->x_cm, now->y_cm - before->y_cm) * rate;
}

typedef struct sums {
    puppet_measures of;
    double steps, moved, squares;
    int count;
} sums;

static void add_place(sums *all, const marey_puppet_sample *s)
{
    double x = s->react.x_cm - s->main.x_cm, y = s->react.y_cm - s->main.y_cm;
    double distance = hypot(x, y);
    puppet_measures *of = &all->of;
    if (all->count == 0 || distance < of->distance_least_cm) of->distance_least_cm = distance;
    if (distance > of->distance_most_cm) of->distance_most_cm = distance;
    /* Welford's way: no difference of large sums. */
    double off = distance - of->distance_cm;
    of->distance_cm += off / ++all->count;
    all->squares += off * (distance - of->distance_cm);
    of->faces_main += apart(s->react.direction_rad, atan2(-y, -x)) < ABOUT_RAD;
    of->behind += apart(s->main.direction_rad, atan2(y, x)) > 2 * ABOUT_RAD;
}

static void add_step(sums *all, const marey_puppet_sample *before, const marey_puppet_sample *now,
                     double rate)
{
    puppet_measures *of = &all->of;
    double own = speed(&before->react, &now->react, rate);
    all->steps++;
    of->main_speed_cm_s += speed(&before->main, &now->main, rate);
    of->speed_cm_s += own;
    of->speed_most_cm_s = fmax(of->speed_most_cm_s, own);
    if (own < MOVES_CM_S) return;
    double way = atan2(now->react.y_cm - before->react.y_cm, now->react.x_cm - before->react.x_cm);
    all->moved++;
    of->faces_way += apart(now->react.direction_rad, way) < ABOUT_RAD;
}

puppet_measures puppet_measure(const marey_puppet *puppet)
{
    sums all = { 0 };
    puppet_measures *of = &all.of;
    double rate = marey_puppet_settings(puppet)->rate;
    for (int run = 0; run < marey_puppet_runs(puppet); run++) {
        marey_puppet_sample before = { 0 };
        int count = marey_puppet_run_samples(puppet, run);
        for (int i = 0; i < count; i++) {
            marey_puppet_sample now = marey_puppet_sample_at(puppet, run, i);
            add_place(&all, &now);
            if (i > 0) add_step(&all, &before, &now, rate);
            before = now;
        }
        of->seconds += (count - 1) / rate;
    }
    double steps = fmax(all.steps, 1);
    of->distance_spread_cm = sqrt(all.squares / all.count);
    of->faces_main /= all.count;
    of->behind /= all.count;
    of->main_speed_cm_s /= steps;
    of->speed_cm_s /= steps;
    of->moving = all.moved / steps;
    of->faces_way /= fmax(all.moved, 1);
    return *of;
}

/* ---- the answer -------------------------------------------------------------------------------------------- */

void json_puppet(json *to, const marey_puppet *puppet)
{
    const marey_puppet_def *def = marey_puppet_settings(puppet);
    puppet_measures of = puppet_measure(puppet);
    json_put_integer(to, "samples", marey_puppet_samples(puppet));
    json_put_integer(to, "runs", marey_puppet_runs(puppet));
    json_put_number(to, "seconds", of.seconds);
    json_put_number(to, "rate", def->rate);
    json_put_number(to, "window_s", def->window_s);
    json_put_number(to, "gap_s", def->gap_s);
    json_put_number(to, "distance_cm", of.distance_cm);
    json_put_number(to, "distance_spread_cm", of.distance_spread_cm);
    json_put_number(to, "distance_least_cm", of.distance_least_cm);
    json_put_number(to, "distance_most_cm", of.distance_most_cm);
    json_put_number(to, "speed_cm_s", of.speed_cm_s);
    json_put_number(to, "speed_most_cm_s", of.speed_most_cm_s);
    json_put_number(to, "main_speed_cm_s", of.main_speed_cm_s);
    json_put_number(to, "moving", of.moving);
    json_put_number(to, "behind", of.behind);
    json_put_number(to, "faces_main", of.faces_main);
    json_put_number(to, "faces_way", of.faces_way);
}

void buffer_learned(buffer *out, const marey_puppet *puppet)
{
    const marey_puppet_def *def = marey_puppet_settings(puppet);
    puppet_measures of = puppet_measure(puppet);
    int runs = marey_puppet_runs(puppet);
    buffer_print(out, "%d run%s of %.1f s in all, %d samples at %.6g a second\n", runs,
                 runs == 1 ? "" : "s", of.seconds, marey_puppet_samples(puppet), def->rate);
    buffer_print(out, "  window    %.4g s are compared; gaps of more than %.4g s cut\n",
                 def->window_s, def->gap_s);
    buffer_print(out,
                 "  distance  %.0f cm from the main character, give or take %.0f; %.0f to %.0f\n",
                 of.distance_cm, of.distance_spread_cm, of.distance_least_cm, of.distance_most_cm);
    buffer_print(out, "  place     behind the main character's back %.0f %% of the time\n",
                 100 * of.behind);
    buffer_print(out,
                 "  speed     %.0f cm/s on average, at most %.0f, and moves %.0f %% of the time; "
                 "the main character %.0f\n",
                 of.speed_cm_s, of.speed_most_cm_s, 100 * of.moving, of.main_speed_cm_s);
    buffer_print(out,
                 "  looks     at the main character %.0f %% of the time, where it goes %.0f %% of "
                 "the way\n",
                 100 * of.faces_main, 100 * of.faces_way);
}
