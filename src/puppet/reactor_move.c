/* reactor_move.c - what somebody does who follows a moment of the demonstrations (slides, "Output Generation"): it goes towards
   the place it had in relation to the main character, as fast as it went, smoothed over three steps, with the detail of its
   heading that smoothing takes away; and looks as it looked. */
#include "puppet/puppet_data.h"

#include <math.h>

#define AHEAD_S 0.5  /* what it is off by would be gone in so long */
#define FAR_OFF 50.0 /* cm: who is off by that .. */
#define CATCH_UP 0.2 /* .. may be so much faster than was shown */

marey_entity mry_reactor_relation(const marey_puppet *puppet, int sample, const marey_entity *main)
{
    const marey_entity *then = &puppet->main[sample].at, *with = &puppet->react[sample].at;
    marey_entity seen = { .direction_rad = with->direction_rad - then->direction_rad };
    mry_entity_see(then, with, &seen.x_cm, &seen.y_cm);
    return mry_entity_beside(main, &seen);
}

/* ---- where it goes ------------------------------------------------------------------------------------------------ */

static void shorten(double way[2], double most)
{
    double far = hypot(way[0], way[1]), share = far > most ? most / far : 1;
    for (int i = 0; i < 2; i++) way[i] *= share;
}

/* A mean of three is a step late, so what goes into it is a step early. */
static int fed(const marey_reactor *r, int target)
{
    return !r->def.rough && mry_puppet_goes_on(r->puppet, target) ? target + 1 : target;
}

/* The step it made then, as far round as the line to the main character has turned since, and a share of what it is off by:
   together a step towards where it will be AHEAD_S later, a little faster at most than it went. Straight to the place would be
   a right angle whenever another moment is followed. What it is off by counts for no more than the step: a place on the other
   side of somebody it runs from would else be run to. `then`: whose step it is, `target` or the one behind it. */
static void step_towards(const marey_reactor *r, int target, const mry_mover *then, double way[2])
{
    const marey_puppet *puppet = r->puppet;
    const mry_mover *into = &puppet->react[target];
    marey_entity wanted = mry_reactor_relation(puppet, target, &r->main.at);
    double turned = mry_bearing(&r->react.at, &r->main.at) -
                    mry_bearing(&puppet->react[target - 1].at, &puppet->main[target].at);
    double c = cos(turned), s = sin(turned), rate = puppet->def.rate, most = then->speed / rate;
    double off[2] = { wanted.x_cm - r->react.at.x_cm - (c * into->vx - s * into->vy) / rate,
                      wanted.y_cm - r->react.at.y_cm - (s * into->vx + c * into->vy) / rate };
    double faster = fmin(hypot(off[0], off[1]) / FAR_OFF, 1) * CATCH_UP;
    for (int i = 0; i < 2; i++) off[i] /= AHEAD_S * rate;
    shorten(off, most);
    way[0] = (c * then->vx - s * then->vy) / rate + off[0];
    way[1] = (s * then->vx + c * then->vy) / rate + off[1];
    shorten(way, most * (1 + faster));
}

/* What differs when another moment is followed fades away; then the mean of three steps; and no harder a change from the last
   than the demonstrations have. Who was shown going does not have to get going first. */
static void smooth(marey_reactor *r, bool goes_on, double way[2])
{
    const marey_puppet *puppet = r->puppet;
    double change[2], most = puppet->hardest / (puppet->def.rate * puppet->def.rate);
    for (int i = 0; i < 2; i++) {
        if (r->step == 0) r->way[0][i] = r->way[1][i] = r->went[i] = way[i];
        r->left_over[i] = goes_on ? r->left_over[i] * r->fades : r->way[0][i] - way[i];
        double now = way[i] + r->left_over[i];
        change[i] = (now + r->way[0][i] + r->way[1][i]) / 3 - r->went[i];
        r->way[1][i] = r->way[0][i];
        r->way[0][i] = now;
    }
    shorten(change, most);
    for (int i = 0; i < 2; i++) way[i] = r->went[i] += change[i];
}

/* Off its way by as much as then; somebody who goes faster now than then does not swerve farther. */
static void add_detail(const marey_reactor *r, int target, double way[2])
{
    double then = r->puppet->react[target].speed / r->puppet->def.rate;
    double far = hypot(way[0], way[1]), share = far > then ? then / far : 1;
    double angle = share * r->puppet->detail[target], c = cos(angle), s = sin(angle), x = way[0];
    way[0] = c * x - s * way[1];
    way[1] = s * x + c * way[1];
}

/* Compared with where it goes, and with where the main character is, it looks where it looked then: mixed by how steady
   either was. */
static double look_of(const marey_reactor *r, int target, const marey_entity *at, double heading)
{
    const marey_puppet *puppet = r->puppet;
    const mry_mover *react = &puppet->react[target];
    double then = mry_bearing(&react->at, &puppet->main[target].at);
    double by_main = mry_bearing(at, &r->main.at) + react->at.direction_rad - then;
    double by_way = heading + react->at.direction_rad - react->heading;
    double share = puppet->by_way[target];
    return atan2((1 - share) * sin(by_main) + share * sin(by_way),
                 (1 - share) * cos(by_main) + share * cos(by_way));
}

/* The same for looks. */
static double smooth_look(marey_reactor *r, bool goes_on, double look)
{
    double most = r->puppet->quickest / r->puppet->def.rate, now = r->react.at.direction_rad;
    if (r->step == 0) r->looks[0] = r->looks[1] = look;
    r->look_left_over = goes_on ? r->look_left_over * r->fades : mry_wrap(r->looks[0] - look);
    look = mry_wrap(look + r->look_left_over);
    double mean = (mry_wrap(r->looks[0] - look) + mry_wrap(r->looks[1] - look)) / 3;
    r->looks[1] = r->looks[0];
    r->looks[0] = look;
    return now + fmin(fmax(mry_wrap(look + mean - now), -most), most);
}

marey_entity mry_reactor_move(marey_reactor *r, int target)
{
    marey_entity to = r->react.at;
    bool goes_on = r->source[r->step % r->puppet->window] + 1 == target;
    double way[2];
    step_towards(r, target, &r->puppet->react[fed(r, target)], way);
    if (!r->def.rough) smooth(r, goes_on, way);
    if (!r->def.rough && !r->def.smooth) add_detail(r, target, way);
    to.x_cm = fmin(fmax(to.x_cm + way[0], -MRY_PUPPET_FAR), MRY_PUPPET_FAR);
    to.y_cm = fmin(fmax(to.y_cm + way[1], -MRY_PUPPET_FAR), MRY_PUPPET_FAR);
    mry_mover moved = mry_mover_step(&r->react, to, r->puppet->def.rate);
    double look = look_of(r, fed(r, target), &to, moved.heading);
    to.direction_rad = mry_wrap(r->def.rough ? look : smooth_look(r, goes_on, look));
    return to;
}
