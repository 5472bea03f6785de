/* reactor_move.c - what a character does that follows a moment of the demonstrations: towards the
   place it had in relation to the main character, as fast as it went, smoothed over three steps,
   with the detail of its heading that smoothing takes away; and looks as it looked (slides, "Output
   Generation"). */
#include "puppet/puppet_data.h"

#include <math.h>

#define AHEAD_S 0.5  /* what it is off by would be gone in so long */
#define FAR_OFF 50.0 /* cm: one that is off by that .. */
#define CATCH_UP 0.2 /* .. may be so much faster than was shown */
#define FREE 0.25    /* of how far it is held: nearer it is not held back */

static void shorten(double way[2], double most)
{
    double far = hypot(way[0], way[1]), share = far > most ? most / far : 1;
    for (int i = 0; i < 2; i++) way[i] *= share;
}

/* How far the line to the main character has turned since then. */
static double line_turned(const marey_reactor *r, int target)
{
    const marey_puppet *puppet = r->puppet;
    return mry_bearing(&r->react.at, &r->main.at) -
           mry_bearing(&puppet->react[target - 1].at, &puppet->main[target].at);
}

/* How the demonstration lies around the main character. A moment is taken up as the line to that one
   lies, or as it looks, by how much was kept to one side of where it looks. From there on it turns
   with the look by as much, and only where that turns otherwise than it did then: one who dances
   around is not carried round by a main character that turns. */
static void lay_moment(marey_reactor *r, int target, bool goes_on)
{
    const marey_puppet *puppet = r->puppet;
    double look = r->main.at.direction_rad - puppet->main[target].at.direction_rad;
    if (goes_on)
        r->laid += puppet->by_look * mry_wrap(look - r->look_turned);
    else
        r->laid = look + (1 - puppet->by_look) * mry_wrap(line_turned(r, target) - look);
    r->look_turned = look;
}

/* The step it made then, as far round as the line to the main character has turned since, and a
   share of what it is off by: together a step towards where it will be AHEAD_S later, a little
   faster at most than it went. Straight to the place would be a right angle whenever another moment
   is followed. What it is off by counts for no more than the step: a place on the other side of the
   one it runs from would else be run to. `source`: whose step it is, `target` or the one behind
   it. */
static void step_towards(const marey_reactor *r, int target, const mry_mover *source, double way[2])
{
    const marey_puppet *puppet = r->puppet;
    const mry_mover *into = &puppet->react[target];
    const marey_entity *then = &puppet->main[target].at;
    double x = into->at.x_cm - then->x_cm, y = into->at.y_cm - then->y_cm;
    double to_x = r->main.at.x_cm + cos(r->laid) * x - sin(r->laid) * y - r->react.at.x_cm;
    double to_y = r->main.at.y_cm + sin(r->laid) * x + cos(r->laid) * y - r->react.at.y_cm;
    double turned = line_turned(r, target);
    double c = cos(turned), s = sin(turned), rate = puppet->def.rate, most = source->speed / rate;
    double off[2] = { to_x - (c * into->vx - s * into->vy) / rate,
                      to_y - (s * into->vx + c * into->vy) / rate };
    double faster = fmin(hypot(off[0], off[1]) / FAR_OFF, 1) * CATCH_UP;
    for (int i = 0; i < 2; i++) off[i] /= AHEAD_S * rate;
    shorten(off, most);
    way[0] = (c * source->vx - s * source->vy) / rate + off[0];
    way[1] = (s * source->vx + c * source->vy) / rate + off[1];
    shorten(way, most * (1 + faster));
}

/* How hard it may change its velocity now, cm/s2, or its look, rad/s: as hard as it hardly ever did;
   and as it did in the moment that is followed, or one who was shown to start once from one sample
   to the next could never keep up with that. Three samples go into a step. */
static double most_change(const marey_puppet *puppet, int sample, bool looks)
{
    double most = looks ? puppet->quickest : puppet->hardest;
    for (const mry_mover *now = &puppet->react[sample], *end = now - 3; now > end; now--)
        most = fmax(most, mry_mover_change(now, looks) * puppet->def.rate);
    return most;
}

/* The less of a step leads away from where its body is the farther it is away already: it waits
   there. To one side and back it goes as it likes. */
static void hold_back(const marey_reactor *r, double way[2])
{
    double x = r->react.at.x_cm - r->held.x_cm, y = r->react.at.y_cm - r->held.y_cm;
    double far = hypot(x, y), free = FREE * r->held_cm, out = x * way[0] + y * way[1];
    if (!(far > free) || !(out > 0)) return;
    double taken = fmin((far - free) / (r->held_cm - free), 1) * out / (far * far);
    way[0] -= taken * x;
    way[1] -= taken * y;
}

marey_entity mry_reactor_move(marey_reactor *r, int target)
{
    const marey_puppet *puppet = r->puppet;
    double rate = puppet->def.rate, way[2];
    marey_entity to = r->react.at;
    bool goes_on = r->source[r->step % puppet->window] + 1 == target;
    /* A mean of three is a step late, so what goes into it is a step early. */
    int fed = !r->def.rough && mry_puppet_has_next(puppet, target) ? target + 1 : target;
    lay_moment(r, target, goes_on);
    step_towards(r, target, &puppet->react[fed], way);
    if (!r->def.rough) {
        /* What differs when another moment is followed fades away; then the mean of three steps;
           and no harder a change from the last than the demonstrations have. One shown going does
           not have to get going first. */
        double change[2];
        for (int i = 0; i < 2; i++) {
            if (r->step == 0) r->way[0][i] = r->way[1][i] = r->went[i] = way[i];
            r->left_over[i] = goes_on ? r->left_over[i] * r->fades : r->way[0][i] - way[i];
            double now = way[i] + r->left_over[i];
            change[i] = (now + r->way[0][i] + r->way[1][i]) / 3 - r->went[i];
            r->way[1][i] = r->way[0][i];
            r->way[0][i] = now;
        }
        shorten(change, most_change(puppet, fed, false) / (rate * rate));
        for (int i = 0; i < 2; i++) way[i] = r->went[i] += change[i];
    }
    if (!r->def.rough && !r->def.smooth) {
        /* Off its way by as much as then; going faster now than then, it does not swerve
           farther. */
        double then = puppet->react[target].speed / rate;
        double far = hypot(way[0], way[1]), share = far > then ? then / far : 1;
        double angle = share * puppet->detail[target], c = cos(angle), s = sin(angle), x = way[0];
        way[0] = c * x - s * way[1];
        way[1] = s * x + c * way[1];
    }
    for (int i = 0; i < 2; i++) r->wish[i] = way[i] * rate;
    r->wished_cm += hypot(way[0], way[1]);
    if (r->held_cm > 0) hold_back(r, way);
    r->gone_cm += hypot(way[0], way[1]);
    to.x_cm = fmin(fmax(to.x_cm + way[0], -MRY_PUPPET_FAR), MRY_PUPPET_FAR);
    to.y_cm = fmin(fmax(to.y_cm + way[1], -MRY_PUPPET_FAR), MRY_PUPPET_FAR);
    mry_mover moved = mry_mover_step(&r->react, to, rate);
    /* Compared with where it goes, and with where the main character is, it looks where it looked
       then: mixed by how steady either was. */
    const mry_mover *then = &puppet->react[fed];
    double bearing = mry_bearing(&then->at, &puppet->main[fed].at);
    double by_main = mry_bearing(&to, &r->main.at) + then->at.direction_rad - bearing;
    double by_way = moved.heading + then->at.direction_rad - then->heading;
    double share = puppet->by_way[fed];
    double look = atan2((1 - share) * sin(by_main) + share * sin(by_way),
                        (1 - share) * cos(by_main) + share * cos(by_way));
    if (!r->def.rough) {
        /* Looks are smoothed as steps are. */
        double most = most_change(puppet, fed, true) / rate, now = to.direction_rad;
        if (r->step == 0) r->looks[0] = r->looks[1] = look;
        r->look_left_over = goes_on ? r->look_left_over * r->fades : mry_wrap(r->looks[0] - look);
        look = mry_wrap(look + r->look_left_over);
        double mean = (mry_wrap(r->looks[0] - look) + mry_wrap(r->looks[1] - look)) / 3;
        r->looks[1] = r->looks[0];
        r->looks[0] = look;
        look = now + fmin(fmax(mry_wrap(look + mean - now), -most), most);
    }
    to.direction_rad = mry_wrap(look);
    return to;
}
