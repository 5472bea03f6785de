/* puppet_features.c - moments as numbers: velocity, relative position, look directions, movement direction and its change
   (slides, "Data and Features"). Look and movement directions are compared as points on a circle, so that a whole turn is
   none. */
#include "puppet/puppet_data.h"

#include <math.h>

#define STRAIGHT 0.5 /* rad/s: who turns less than that goes straight on */

double mry_wrap(double angle)
{
    return remainder(angle, 2 * 3.14159265358979323846);
}

bool mry_entity_can_be(const marey_entity *at)
{
    return fabs(at->x_cm) <= MRY_PUPPET_FAR && fabs(at->y_cm) <= MRY_PUPPET_FAR &&
           fabs(at->direction_rad) <= MRY_PUPPET_FAR;
}

bool mry_time_can_be(double time_s)
{
    return fabs(time_s) <= MRY_PUPPET_LATE;
}

/* ---- movement ---------------------------------------------------------------------------------------- */

mry_mover mry_mover_still(marey_entity at)
{
    return (mry_mover){ .at = at, .heading = at.direction_rad };
}

mry_mover mry_mover_step(const mry_mover *before, marey_entity at, double rate)
{
    mry_mover now = { .at = at, .heading = before->heading };
    now.vx = (at.x_cm - before->at.x_cm) * rate;
    now.vy = (at.y_cm - before->at.y_cm) * rate;
    now.speed = hypot(now.vx, now.vy);
    if (now.speed < MRY_PUPPET_STILL) return now;
    now.heading = atan2(now.vy, now.vx);
    now.turn = mry_wrap(now.heading - before->heading);
    return now;
}

void mry_entity_see(const marey_entity *from, const marey_entity *other, double *ahead,
                    double *left)
{
    double x = other->x_cm - from->x_cm, y = other->y_cm - from->y_cm;
    double c = cos(from->direction_rad), s = sin(from->direction_rad);
    *ahead = c * x + s * y;
    *left = c * y - s * x;
}

marey_entity mry_entity_beside(const marey_entity *from, const marey_entity *relation)
{
    double c = cos(from->direction_rad), s = sin(from->direction_rad);
    return (marey_entity){ from->x_cm + c * relation->x_cm - s * relation->y_cm,
                           from->y_cm + s * relation->x_cm + c * relation->y_cm,
                           mry_wrap(from->direction_rad + relation->direction_rad) };
}

marey_entity mry_entity_between(const marey_entity *a, const marey_entity *b, double share)
{
    return (marey_entity){
        a->x_cm + share * (b->x_cm - a->x_cm), a->y_cm + share * (b->y_cm - a->y_cm),
        mry_wrap(a->direction_rad + share * mry_wrap(b->direction_rad - a->direction_rad))
    };
}

double mry_bearing(const marey_entity *from, const marey_entity *to)
{
    return atan2(to->y_cm - from->y_cm, to->x_cm - from->x_cm);
}

/* ---- situations -------------------------------------------------------------------------------------- */

static int16_t whole(double value)
{
    double scaled = rint(value * MRY_PUPPET_ONE);
    if (scaled > MRY_PUPPET_MOST) return MRY_PUPPET_MOST;
    return scaled < -MRY_PUPPET_MOST ? -MRY_PUPPET_MOST : (int16_t)scaled;
}

/* How somebody moves as they see it themselves. */
static void own_velocity(const mry_mover *mover, double spread, double *ahead, double *left)
{
    double way = mover->heading - mover->at.direction_rad;
    *ahead = mover->speed * cos(way) / spread;
    *left = mover->speed * sin(way) / spread;
}

void mry_puppet_situation(const marey_puppet *puppet, const mry_mover *main, const mry_mover *react,
                          int16_t *out)
{
    double v[MRY_SITUATION];
    double look = react->at.direction_rad - main->at.direction_rad;
    mry_entity_see(&main->at, &react->at, &v[0], &v[1]);
    v[0] /= puppet->spread_place;
    v[1] /= puppet->spread_place;
    v[2] = cos(look);
    v[3] = sin(look);
    own_velocity(main, puppet->spread_main, &v[4], &v[5]);
    own_velocity(react, puppet->spread_react, &v[6], &v[7]);
    for (int i = 0; i < MRY_SITUATION; i++) out[i] = whole(v[i]);
}

void mry_puppet_coherence(const marey_puppet *puppet, const mry_mover *main, const mry_mover *react,
                          float *out)
{
    double look = react->at.direction_rad - react->heading, ahead, left;
    mry_entity_see(&main->at, &react->at, &ahead, &left);
    out[0] = (float)(ahead / puppet->spread_place);
    out[1] = (float)(left / puppet->spread_place);
    out[2] = (float)cos(look);
    out[3] = (float)sin(look);
    out[4] = (float)(react->turn / puppet->spread_turn);
    out[5] = (float)(react->speed / puppet->spread_react);
}

/* ---- all of a puppet ----------------------------------------------------------------------------------- */

/* Roots of mean squares; a demonstration in which somebody never moves has one all the same. */
static void find_spreads(marey_puppet *puppet)
{
    double place = 0, main = 0, react = 0, turn = 0;
    for (int r = 0; r < puppet->run_count; r++) {
        for (int i = 0; i < puppet->runs[r].count; i++) {
            int j = puppet->runs[r].first + i;
            double ahead, left;
            mry_entity_see(&puppet->main[j].at, &puppet->react[j].at, &ahead, &left);
            place += ahead * ahead + left * left;
            main += puppet->main[j].speed * puppet->main[j].speed;
            react += puppet->react[j].speed * puppet->react[j].speed;
            turn += puppet->react[j].turn * puppet->react[j].turn;
        }
    }
    puppet->spread_place = fmax(sqrt(place / puppet->samples), 1);
    puppet->spread_main = fmax(sqrt(main / puppet->samples), MRY_PUPPET_STILL);
    puppet->spread_react = fmax(sqrt(react / puppet->samples), MRY_PUPPET_STILL);
    puppet->spread_turn = fmax(sqrt(turn / puppet->samples), STRAIGHT / puppet->def.rate);
}

bool mry_puppet_describe(marey_puppet *puppet)
{
    int count = puppet->count;
    int16_t row[MRY_SITUATION];
    find_spreads(puppet);
    puppet->coherence = MRY_NEW_RAW(&puppet->mem, float, (size_t)count *MRY_COHERENCE);
    if (!puppet->coherence || !mry_puppet_find_style(puppet)) return false;
    for (int i = 0; i < MRY_SITUATION; i++) {
        puppet->situation[i] = MRY_NEW_RAW(&puppet->mem, int16_t, count);
        if (!puppet->situation[i]) return false;
    }
    for (int j = 0; j < count; j++) {
        const mry_mover *main = &puppet->main[j], *react = &puppet->react[j];
        if (mry_puppet_stops(puppet, j)) return false;
        mry_puppet_situation(puppet, main, react, row);
        for (int i = 0; i < MRY_SITUATION; i++) puppet->situation[i][j] = row[i];
        mry_puppet_coherence(puppet, main, react, puppet->coherence + (size_t)j * MRY_COHERENCE);
    }
    return true;
}
