/* clean_wants.c - what the plants ask of each frame, and how that comes and goes (Kovar, Schreiner & Gleicher 2002, 3.2 and 3.5).
   A foot is turned only where heel and toe are both planted; a point that is planted alone leaves the foot turned as the
   motion has it, but for what is left of a turn before or after. That is why turns are found, and eased, first. */
#include "blend/clean.h"

enum { SOFT_PART = 4 }; /* heights are softened over two such parts of the ease, to both sides */
static const double NOTHING = 1e-9; /* cm; what sums leave */

/* A smaller change leaves even a straight knee where it is; a larger one than the second bends it the right way, plant or
   not. */
static const double LEAST_CHANGE_CM = 0.01, FULL_CHANGE_CM = 0.5;

static mry_vec turn_of(mry_rot q)
{
    mry_vec v = { q.x, q.y, q.z };
    double s = mry_vec_length(v), angle = 2 * atan2(s, q.w);
    return s > 0 ? mry_vec_scale(v, angle / s) : v;
}

/* ---- between what is known -------------------------------------------------------------------------- */

/* A run of frames in which nothing is known: behind frame `left` and before frame `right`, where something is, or
   which are outside the clip. */
typedef struct gap {
    int left, right;
    bool has_left, has_right;
} gap;

static bool is_known(const mry_clean_leg *leg, bool both, int frame)
{
    return both ? leg->heel_plant[frame] >= 0 && leg->toe_plant[frame] >= 0
                : mry_clean_is_held(leg, frame);
}

/* Known is where a point is held, or both are. Begins behind *g; false: there are no more. */
static bool next_gap(const mry_clean_leg *leg, bool both, int frames, gap *g)
{
    int at = g->right;
    while (at < frames && is_known(leg, both, at)) at++;
    if (at >= frames) return false;
    g->left = at - 1;
    g->has_left = at > 0;
    while (at < frames && !is_known(leg, both, at)) at++;
    g->right = at;
    g->has_right = at < frames;
    return true;
}

/* How much of what was before and of what comes next counts in a frame of the gap. Where both are farther apart than
   twice the ease, one goes before the other comes; else one becomes the other. */
static void shares(const gap *g, int ease, int frame, double *before, double *next)
{
    int wide = g->right - g->left;
    bool both = g->has_left && g->has_right && wide < 2 * ease;
    double over = both ? wide : ease;
    *before = g->has_left ? 1 - mry_clean_ease((frame - g->left) / over) : 0;
    *next = g->has_right ? 1 - mry_clean_ease((g->right - frame) / over) : 0;
}

/* `width` numbers a frame. */
static void fill_gap(const gap *g, int ease, int width, double *track)
{
    size_t wide = (size_t)width;
    for (int f = g->left + 1; f < g->right; f++) {
        double before, next;
        shares(g, ease, f, &before, &next);
        for (size_t k = 0; k < wide; k++) {
            double from = g->has_left ? track[(size_t)g->left * wide + k] : 0;
            double to = g->has_right ? track[(size_t)g->right * wide + k] : 0;
            track[(size_t)f * wide + k] = before * from + next * to;
        }
    }
}

/* 1 at plants, 0 an ease away from them, smooth also half way between two. */
static void fill_grip(const gap *g, int ease, double *grip)
{
    for (int f = g->left + 1; f < g->right; f++) {
        double left = g->has_left ? mry_clean_ease((f - g->left) / (double)ease) : 1;
        double right = g->has_right ? mry_clean_ease((g->right - f) / (double)ease) : 1;
        grip[f] = 1 - left * right;
    }
}

/* ---- one leg -------------------------------------------------------------------------------------------- */

static void note_plants(const mry_clean *c, int n)
{
    const mry_clean_leg *leg = &c->legs[n];
    for (int f = 0; f < c->clip->frames; f++) leg->heel_plant[f] = leg->toe_plant[f] = -1;
    for (int i = 0; i < c->plant_count; i++) {
        const mry_plant *plant = &c->plants[i];
        int *of = plant->is_toe ? leg->toe_plant : leg->heel_plant;
        for (int f = plant->start; f < plant->end && plant->leg == n; f++) {
            if (!c->feet.marked[f]) of[f] = i;
        }
    }
}

/* The turn that lays the foot from heel to toe, whatever its roll. */
static mry_vec tilt_at(const mry_clean *c, const mry_clean_leg *leg, int frame)
{
    const mry_vec none = { 0, 0, 0 };
    mry_vec heel = c->plants[leg->heel_plant[frame]].place;
    mry_vec want = mry_vec_sub(c->plants[leg->toe_plant[frame]].place, heel);
    mry_vec foot = mry_vec_sub(mry_vec_at(leg->toe_at, frame), mry_vec_at(leg->ankle_at, frame));
    double length = mry_vec_length(foot);
    if (length < 1e-6 || mry_vec_length(want) < 1e-6) return none;
    mry_vec turn = turn_of(mry_rot_between(foot, want));
    return mry_vec_length(turn) * length < MRY_CLEAN_STILL_CM ? none : turn;
}

static mry_vec shift_at(const mry_clean *c, const mry_clean_leg *leg, int frame)
{
    const mry_vec none = { 0, 0, 0 };
    mry_vec ankle = mry_vec_at(leg->ankle_at, frame), goal;
    if (leg->heel_plant[frame] >= 0) {
        goal = c->plants[leg->heel_plant[frame]].place;
    } else {
        mry_vec foot = mry_vec_sub(mry_vec_at(leg->toe_at, frame), ankle);
        foot = mry_rot_apply(mry_clean_rot(mry_vec_at(leg->tilt, frame)), foot);
        goal = mry_vec_sub(c->plants[leg->toe_plant[frame]].place, foot);
    }
    mry_vec shift = mry_vec_sub(goal, ankle);
    return mry_vec_length(shift) < MRY_CLEAN_STILL_CM ? none : shift;
}

static void find_leg_wants(const mry_clean *c, int n)
{
    const mry_clean_leg *leg = &c->legs[n];
    int frames = c->clip->frames;
    note_plants(c, n);
    for (int f = 0; f < frames; f++) {
        if (is_known(leg, true, f)) mry_vec_put(leg->tilt, f, tilt_at(c, leg, f));
    }
    for (gap g = { 0 }; next_gap(leg, true, frames, &g);) fill_gap(&g, c->ease, 3, leg->tilt);
    for (int f = 0; f < frames; f++) {
        if (!mry_clean_is_held(leg, f)) continue;
        mry_vec_put(leg->shift, f, shift_at(c, leg, f));
        leg->grip[f] = 1;
    }
    for (gap g = { 0 }; next_gap(leg, false, frames, &g);) {
        fill_gap(&g, c->ease, 3, leg->shift);
        fill_grip(&g, c->ease, leg->grip);
    }
}

/* A foot that is set down or lifted stops and starts within a frame if its height is held like its place on the floor,
   and the knee with it. So heights come to rest over a few frames; slides are a matter of the floor. */
static void soften_heights(const mry_clean *c, const mry_clean_leg *leg, double *high, double *mean)
{
    int frames = c->clip->frames, half = c->ease / SOFT_PART;
    for (int f = 0; f < frames; f++) high[f] = leg->shift[3 * (size_t)f + 1];
    mry_clean_average(high, frames, 1, half, mean);
    mry_clean_average(mean, frames, 1, half, high);
    for (int f = 0; f < frames; f++) {
        double *y = &leg->shift[3 * (size_t)f + 1];
        *y += leg->grip[f] * (high[f] - *y);
        if (fabs(*y) < NOTHING) *y = 0;
    }
}

bool mry_clean_find_wants(mry_arena *tmp, mry_clean *c)
{
    double *high = MRY_NEW_RAW(tmp, double, c->clip->frames);
    double *mean = MRY_NEW_RAW(tmp, double, c->clip->frames);
    if (!high || !mean) return false;
    for (int n = 0; n < MRY_LEGS; n++) {
        if (!c->legs[n].whole) continue;
        find_leg_wants(c, n);
        soften_heights(c, &c->legs[n], high, mean);
    }
    return true;
}

static double change_at(const mry_clean *c, const mry_clean_leg *leg, int frame)
{
    return mry_vec_length(mry_vec_at(leg->shift, frame)) +
           mry_vec_length(mry_vec_at(c->root, frame));
}

/* Of a run of held frames: 1 if anything changes in it. */
static double form_of(const mry_clean *c, const mry_clean_leg *leg, int start, int end)
{
    for (int f = start; f < end; f++) {
        if (change_at(c, leg, f) > LEAST_CHANGE_CM) return 1;
    }
    return 0;
}

void mry_clean_find_forms(mry_clean *c)
{
    int frames = c->clip->frames;
    for (int n = 0; n < MRY_LEGS; n++) {
        const mry_clean_leg *leg = &c->legs[n];
        if (!leg->whole) continue;
        for (int f = 0, end; f < frames; f = end + 1) {
            for (end = f; end < frames && mry_clean_is_held(leg, end);) end++;
            double form = form_of(c, leg, f, end);
            for (int i = f; i < end; i++) leg->form[i] = form;
        }
        for (gap g = { 0 }; next_gap(leg, false, frames, &g);) fill_gap(&g, c->ease, 1, leg->form);
        for (int f = 0; f < frames; f++) {
            leg->form[f] =
                fmax(leg->form[f], mry_clean_ease(change_at(c, leg, f) / FULL_CHANGE_CM));
        }
    }
}
