/* puppet_features.c - moments as numbers: velocity, relative position, look directions, movement
   direction and its change (slides, "Data and Features"). Look and movement directions are compared
   as points on a circle, so that a whole turn is none. And what a behaviour is like beside where it
   goes: the texture of its heading (slides, "Detail Incorporation"), what its looks go with, and
   how hard it turns and accelerates. */
#include "base/arena.h"
#include "puppet/puppet_data.h"

#include <math.h>

enum { HAAR = 4 }; /* samples of the second level */

#define QUARTER 1.57079632679489661923
#define STEADY 0.001 /* looks that are as steady as that are steady */
#define RARE 500     /* one sample of so many may be harder than the hardest */
#define STARTS_S                                                                                   \
    1.0 /* a character shown at one speed all the time is as fast as that in so long, .. */
#define TURNS 0.5    /* .. and turns to where it looked, rad/s: shown were neither */
#define SIDED 1.2    /* one who is anywhere around is at one side by a little all the same */
#define NEAREST 1e-3 /* cm: nearer there is no side */
#define STRAIGHT 0.5 /* rad/s: turning less than that is going straight on */

/* Cosines and sines of looks, compared with where it goes and with where the main character is,
   summed up over a window. */
typedef struct look_sums {
    double way[2], main[2];
    int moving;
} look_sums;

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
    for (int k = 0; k < 2; k++) {
        /* How each moves as it sees it itself. */
        const mry_mover *mover = k ? react : main;
        double way = mover->heading - mover->at.direction_rad;
        double spread = k ? puppet->spread_react : puppet->spread_main;
        v[4 + 2 * k] = mover->speed * cos(way) / spread;
        v[5 + 2 * k] = mover->speed * sin(way) / spread;
    }
    for (int i = 0; i < MRY_SITUATION; i++)
        out[i] =
            (int16_t)fmin(fmax(rint(v[i] * MRY_PUPPET_ONE), -MRY_PUPPET_MOST), MRY_PUPPET_MOST);
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

/* What a mean over four loses of a heading: the two finest levels of its Haar wavelets, at every
   sample. The four reach from two before it to the one behind it, as near to its middle as four can
   be; where there is none behind it they end with it. Those of the four in which it stood have
   none; and turning back is no detail. */
static double detail_of(const mry_mover *now, bool last)
{
    const mry_mover *newest = last ? now : now + 1;
    double sum = 0;
    int moving = 0;
    for (int i = 0; i < HAAR; i++) {
        if (newest[-i].speed < MRY_PUPPET_STILL) continue;
        double off = mry_wrap(newest[-i].heading - now->heading);
        if (fabs(off) > QUARTER) return 0;
        sum += off;
        moving++;
    }
    return now->speed >= MRY_PUPPET_STILL ? -sum / moving : 0;
}

static void add_look(look_sums *sums, const marey_puppet *puppet, int j, int sign)
{
    const mry_mover *react = &puppet->react[j];
    double look = react->at.direction_rad - mry_bearing(&react->at, &puppet->main[j].at);
    sums->main[0] += sign * cos(look);
    sums->main[1] += sign * sin(look);
    if (react->speed < MRY_PUPPET_STILL) return;
    sums->way[0] += sign * cos(react->at.direction_rad - react->heading);
    sums->way[1] += sign * sin(react->at.direction_rad - react->heading);
    sums->moving += sign;
}

/* How unsteady angles are whose cosines and sines have this sum: 0 if they are all the same, 1 if
   they are anywhere. */
static double unsteady(const double sum[2], int count)
{
    return count > 0 ? fmax(1 - hypot(sum[0], sum[1]) / count, 0) + STEADY : 1;
}

/* How hard it turns its look, rad/s, or accelerates, cm/s2: what one sample of RARE has more of;
   halved until it is known well enough. The first sample of a run has none: it stands like those
   before it. */
static double find_most(const marey_puppet *puppet, bool looks, float *values)
{
    double low = 0, high = 1e9;
    int count = 0;
    for (int r = 0; r < puppet->run_count; r++) {
        const mry_mover *first = puppet->react + puppet->runs[r].first;
        for (const mry_mover *now = first; now < first + puppet->runs[r].count; now++) {
            values[count++] = (float)(mry_mover_change(now, looks) * puppet->def.rate);
        }
    }
    for (int turn = 0; turn < 40; turn++) {
        float middle = (float)((low + high) / 2);
        int more = 0;
        for (int i = 0; i < count; i++) more += values[i] > middle;
        if (more > count / RARE)
            low = middle;
        else
            high = middle;
    }
    return high;
}

bool mry_puppet_describe(marey_puppet *puppet)
{
    int count = puppet->count;
    int16_t row[MRY_SITUATION];
    if (!mry_puppet_steady(puppet)) return false;
    /* Spreads: roots of mean squares; a demonstration without movement has one all the same. */
    double side[2] = { 0 }, place = 0, main_speed = 0, react_speed = 0, turn = 0;
    for (int r = 0; r < puppet->run_count; r++) {
        for (int i = 0; i < puppet->runs[r].count; i++) {
            int j = puppet->runs[r].first + i;
            double ahead, left;
            mry_entity_see(&puppet->main[j].at, &puppet->react[j].at, &ahead, &left);
            place += ahead * ahead + left * left;
            double away = fmax(hypot(ahead, left), NEAREST);
            side[0] += ahead / away;
            side[1] += left / away;
            main_speed += puppet->main[j].speed * puppet->main[j].speed;
            react_speed += puppet->react[j].speed * puppet->react[j].speed;
            turn += puppet->react[j].turn * puppet->react[j].turn;
        }
    }
    puppet->by_look = pow(hypot(side[0], side[1]) / puppet->samples, SIDED);
    puppet->spread_place = fmax(sqrt(place / puppet->samples), 1);
    puppet->spread_main = fmax(sqrt(main_speed / puppet->samples), MRY_PUPPET_STILL);
    puppet->spread_react = fmax(sqrt(react_speed / puppet->samples), MRY_PUPPET_STILL);
    puppet->spread_turn = fmax(sqrt(turn / puppet->samples), STRAIGHT / puppet->def.rate);
    puppet->coherence = MRY_NEW_RAW(&puppet->mem, float, (size_t)count *MRY_COHERENCE);
    /* What it is like beside where it goes. */
    mry_arena tmp = mry_arena_make(puppet->ctx);
    float *values = MRY_NEW_RAW(&tmp, float, puppet->samples);
    puppet->detail = MRY_NEW(&puppet->mem, double, puppet->count);
    puppet->by_way = MRY_NEW(&puppet->mem, float, puppet->count);
    bool there = values && puppet->detail && puppet->by_way;
    if (there) {
        puppet->hardest = fmax(find_most(puppet, false, values), puppet->spread_react / STARTS_S);
        puppet->quickest = fmax(find_most(puppet, true, values), TURNS);
    }
    for (int r = 0; there && r < puppet->run_count; r++) {
        const mry_run *run = &puppet->runs[r];
        for (int j = run->first, end = j + run->count; j < end; j++)
            puppet->detail[j] = detail_of(&puppet->react[j], j + 1 == end);
        /* Over the window that ends with a sample: the steadier of the two weighs more. */
        look_sums sums = { 0 };
        for (int j = run->first - puppet->window; there && j < run->first + run->count; j++) {
            there = !mry_puppet_stops(puppet, j);
            add_look(&sums, puppet, j, 1);
            if (j < run->first) continue;
            add_look(&sums, puppet, j - puppet->window, -1);
            double way = unsteady(sums.way, sums.moving);
            double main = unsteady(sums.main, puppet->window);
            bool moves = puppet->react[j].speed >= MRY_PUPPET_STILL;
            puppet->by_way[j] = moves ? (float)(main / (way + main)) : 0;
        }
    }
    mry_arena_free(&tmp);
    if (!there || !puppet->coherence) return false;
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
