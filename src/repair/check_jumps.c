/* check_jumps.c - a joint that is elsewhere for some frames, or from some frame on.

   Of a track x (a joint's rotation, or the place of a joint that moves) let d(t) be the way from
   frame t to t + 1. A body cannot change its speed at once, so

       jump(t) = d(t) - (d(t - 1) + d(t + 1)) / 2

   is small: at 120 frames a second less than a millimetre, in the hardest stop a centimetre. Where
   it is larger than a floor, and much larger than jumps are around that time (so clips of few frames
   a second, and hard moves, set their own measure), something is wrong with the frames beside it.
   What it is is found by trying: a step at one of the boundaries is taken back, or some frames are
   filled in from those around them (fill.h), and the explanation that changes least and leaves no
   jump is believed. Two steps that cancel are one stretch; a stretch between jumps that is off by
   one and the same rotation is turned back, anything else that is short is filled in. */
#include "math/quat.h"
#include "motion/quantile.h"
#include "repair/exam.h"
#include "repair/fill.h"

#include <stdlib.h>
#include <string.h>

#define DEGREE (3.14159265358979323846 / 180)

static const double FLOOR_RAD = 8 * DEGREE;  /* smaller jumps are looked at only where */
static const double FLOOR_CM = 2;            /* they move a joint of the body so far */
static const double LEAST_CM = 4;            /* a flaw moves a joint so far, */
static const double LEAST_RAD = 18 * DEGREE; /* or turns one so far */
static const double MOVES_CM = 2;            /* what moves no joint so far is a twist */
static const double FLIP_RAD = 100 * DEGREE;
static const double MOMENT_S = 0.1;    /* before a first step, or behind a last one, is no motion */
static const double AROUND_STEP_S = 2; /* where a joint usually is, before a step and behind it */
static const double AROUND_S = 0.3;    /* how far around a jump others are compared with it */
static const double USUAL = 0.75;      /* their quantile that counts */
static const double CLEAR = 10; /* times larger than that, a jump is as likely a flaw as not */
static const double LONGEST_FILL_S = 0.2;
static const double BRIEF_S = 0.067; /* a stretch that is filled in as a whole */
static const double SURELY_S = 0.04; /* a longer one must be so many times */
static const double SURELY = 3;      /* clearer */
static const double EXPLAINED = 0.3; /* of the squares of jumps an explanation leaves no more; */
static const double NOTHING = 0.02;  /* where it leaves so little, no other is looked for */

enum {
    BESIDE = 4,      /* jumps so near are part of the same disturbance */
    BRIEF = 4,       /* its frames at most */
    MOST_STEPS = 100 /* of one track; one that has more is beyond help */
};

/* A joint's rotation or place in one frame. */
typedef struct state {
    mry_rot turn;
    mry_vec at;
} state;

/* A step: from frame `at` on everything is off by `by`. */
typedef struct step {
    int at;
    double ratio; /* of its jump to what is usual there */
    state by;
} step;

typedef struct large_jump {
    float size;
    int at;
} large_jump;

/* One track of one joint. */
typedef struct track {
    const marey_clip *clip;
    int joint;
    bool place;        /* of its place, else of its rotation */
    double reach_cm;   /* from the joint to the farthest one that it carries; 1 for a place */
    double floor;      /* jumps below it are not looked at: radians, or cm */
    float *way;        /* F x 3: d(t), rotations as chords, which are quick and no larger */
    float *jump;       /* F: the size of jump(t); -1 where a mark is near */
    large_jump *large; /* F: those above the floor */
    step *steps;       /* MOST_STEPS of them, of the track at hand */
    state *work;       /* F: the track without what was explained so far */
} track;

static state state_in(const track *t, int frame)
{
    state s = { .turn = { 1, 0, 0, 0 } };
    if (!t->place) s.turn = mry_rot_in(t->clip, frame, t->joint);
    if (t->place) {
        const double *p = mry_place(t->clip, frame) + 3 * t->clip->slot[t->joint];
        s.at = (mry_vec){ p[0], p[1], p[2] };
    }
    return s;
}

/* From a to b, and from a by v. */
static mry_vec way(const track *t, state a, state b)
{
    if (t->place) return mry_vec_sub(b.at, a.at);
    return mry_rot_vector(mry_rot_times(mry_rot_back(a.turn), b.turn));
}

static state go(const track *t, state a, mry_vec v)
{
    if (t->place) a.at = mry_vec_add(a.at, v);
    if (!t->place) a.turn = mry_rot_times(a.turn, mry_vector_rot(v));
    return a;
}

static state back(const track *t, state a)
{
    if (t->place) a.at = mry_vec_scale(a.at, -1);
    if (!t->place) a.turn = mry_rot_back(a.turn);
    return a;
}

/* Steps are taken back from what others were taken back from: lengths must not add up. */
static mry_rot unit(mry_rot q)
{
    double length = sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
    return (mry_rot){ q.w / length, q.x / length, q.y / length, q.z / length };
}

/* First a, then b, in a's own axes. */
static state both(const track *t, state a, state b)
{
    if (t->place) a.at = mry_vec_add(a.at, b.at);
    if (!t->place) a.turn = unit(mry_rot_times(a.turn, b.turn));
    return a;
}

static double size_of(const track *t, state by)
{
    return mry_vec_length(way(t, (state){ .turn = { 1, 0, 0, 0 } }, by));
}

/* ---- jumps ----------------------------------------------------------------------------------- */

static void measure_jumps(const mry_exam *exam, track *t)
{
    const marey_clip *clip = t->clip;
    int last = clip->frames - 1;
    for (int f = 0; f < last; f++) {
        float *out = t->way + 3 * (size_t)f;
        if (t->place) {
            const double *a = mry_place(clip, f) + 3 * clip->slot[t->joint];
            const double *b = mry_place(clip, f + 1) + 3 * clip->slot[t->joint];
            for (int i = 0; i < 3; i++) out[i] = (float)(b[i] - a[i]);
        } else {
            float turn[4];
            mry_quat_between(mry_turn(clip, f) + 4 * t->joint, mry_turn(clip, f + 1) + 4 * t->joint,
                             turn);
            float twice = turn[0] < 0 ? -2.0f : 2.0f;
            for (int i = 0; i < 3; i++) out[i] = twice * turn[i + 1];
        }
    }
    for (int f = 0; f < last; f++) {
        t->jump[f] = -1;
        if (f < 1 || f + 2 > last) continue;
        if (exam->marked[f - 1] | exam->marked[f] | exam->marked[f + 1] | exam->marked[f + 2])
            continue;
        const float *d = t->way + 3 * (size_t)f;
        float sum = 0;
        for (int i = 0; i < 3; i++) {
            float j = d[i] - 0.5f * (d[i - 3] + d[i + 3]);
            sum += j * j;
        }
        t->jump[f] = sqrtf(sum);
    }
}

/* How many times larger a jump is than those around it. */
static double ratio_to_usual(const track *t, int at, double size)
{
    double others[2 * 256];
    int count = 0, around = (int)(AROUND_S * t->clip->fps);
    if (around < 10) around = 10;
    if (around > 250) around = 250;
    for (int f = at - around; f <= at + around && count < 512; f++) {
        if (f < 1 || f >= t->clip->frames - 2 || abs(f - at) < BESIDE || t->jump[f] < 0) continue;
        others[count++] = (double)t->jump[f];
    }
    double usual = count > 4 ? mry_quantile(others, (size_t)count, USUAL) : 0;
    return size / fmax(usual, t->floor / (4 * CLEAR));
}

/* ---- what explains a jump -------------------------------------------------------------------- */

/* The jump between row[i] and row[i + 1]. */
static double jump_in(const track *t, const state *row, int i)
{
    mry_vec beside = mry_vec_add(way(t, row[i - 1], row[i]), way(t, row[i + 1], row[i + 2]));
    return mry_vec_length(mry_vec_sub(way(t, row[i], row[i + 1]), mry_vec_scale(beside, 0.5)));
}

/* row[s .. e) from the two states before and behind them. */
static void fill_row(const track *t, state *row, int s, int e)
{
    int n = e - s + 1;
    mry_vec to = way(t, row[s - 1], row[e]), v0 = way(t, row[s - 2], row[s - 1]);
    mry_vec v1 = way(t, row[e], row[e + 1]);
    state base = row[s - 1];
    for (int i = s; i < e; i++) {
        row[i] = go(t, base, mry_cubic(to, v0, v1, n, i - s + 1));
    }
}

/* The step between row[b] and row[b + 1], if both sides go on with their own speeds. */
static state step_between(const track *t, const state *row, int b)
{
    mry_vec v =
        mry_vec_scale(mry_vec_add(way(t, row[b - 1], row[b]), way(t, row[b + 1], row[b + 2])), 0.5);
    state wanted = go(t, row[b], v);
    if (t->place) return (state){ .at = mry_vec_sub(row[b + 1].at, wanted.at) };
    return (state){ .turn = unit(mry_rot_times(mry_rot_back(wanted.turn), row[b + 1].turn)) };
}

typedef struct cause {
    int start, end; /* frames that are off; of a step only the first is known, and end is 0 */
    double left;    /* the share of the squares of the jumps around it that remains */
    state by;
} cause;

/* What explains the jump between frames `at` and at + 1: a step there, or a stretch of up to BRIEF
   frames that begins or ends there. Of explanations that leave about as little the shortest.
   `work` has the states of the frames as they are after what was explained before. */
static cause explain(const track *t, const state *work, int at)
{
    int frames = t->clip->frames, low = at - BRIEF - 1, high = at + BRIEF + 1;
    if (low < 1) low = 1;
    if (high > frames - 3) high = frames - 3;
    int from = low - 1, count = high + 3 - from; /* jumps low .. high can be measured */
    state row[2 * BRIEF + 6];
    cause best = { .left = HUGE_VAL };
    int longest =
        (int)(BRIEF_S * t->clip->fps); /* natural motion can be filled in, too: not longer */
    if (longest < 1) longest = 1;
    for (int length = 0; length <= (longest < BRIEF ? longest : BRIEF); length++) {
        for (int ends = 0; ends < (length ? 2 : 1); ends++) {
            int s = (ends ? at + 1 - length : at + 1) - from, e = s + length;
            if (s < 2 || e + (length ? 1 : 2) > count - 1) continue;
            if (t->jump[from + s - 1] < 0 || (length && t->jump[from + e - 1] < 0)) continue;
            cause next = { .start = from + s, .end = length ? from + e : 0 };
            memcpy(row, work + from, (size_t)count * sizeof *row);
            if (length) {
                fill_row(t, row, s, e);
                mry_vec off = { 0 };
                for (int i = s; i < e; i++) {
                    mry_vec more = way(t, row[i], work[from + i]);
                    if (mry_vec_length(more) > mry_vec_length(off)) off = more;
                }
                next.by = go(t, (state){ .turn = { 1, 0, 0, 0 } }, off);
            } else {
                next.by = step_between(t, row, s - 1);
                for (int i = s; i < count; i++) row[i] = both(t, row[i], back(t, next.by));
            }
            double was = 0, left = 0;
            for (int i = s - 3; i < (length ? e : s) + 2; i++) {
                if (i < 1 || i + 3 > count) continue;
                double now = jump_in(t, row, i), then = jump_in(t, work + from, i);
                left += now * now;
                was += then * then;
            }
            next.left = left / was;
            if (next.left < best.left * 0.3 && best.left > NOTHING) best = next;
        }
    }
    return best;
}

/* ---- flaws ----------------------------------------------------------------------------------- */

/* Does a knee or an elbow bend the other way in this frame than in the frames before it? */
static bool bends_back(const track *t, int frame, state by)
{
    const int *roles = t->clip->skeleton.roles;
    bool hinge =
        t->joint == roles[MAREY_ROLE_LEFT_KNEE] || t->joint == roles[MAREY_ROLE_RIGHT_KNEE] ||
        t->joint == roles[MAREY_ROLE_LEFT_ELBOW] || t->joint == roles[MAREY_ROLE_RIGHT_ELBOW];
    if (!hinge || t->place) return false;
    state here = state_in(t, frame), was = both(t, here, back(t, by));
    mry_vec a = mry_rot_vector(here.turn), b = mry_rot_vector(was.turn);
    return mry_vec_dot(a, b) < 0 && mry_vec_length(a) > 5 * DEGREE &&
           mry_vec_length(b) > 5 * DEGREE;
}

/* A joint's place in the world, or as seen from another one (hips; -1: none). */
static mry_vec place_of(const mry_exam *exam, int frame, int joint, int hips)
{
    const double *p = mry_exam_at(exam, frame, joint);
    if (hips < 0) return (mry_vec){ p[0], p[1], p[2] };
    const double *h = mry_exam_at(exam, frame, hips);
    mry_rot turn = mry_rot_in(exam->clip, frame, hips);
    for (int j = exam->clip->joints[hips].parent; j >= 0; j = exam->clip->joints[j].parent)
        turn = mry_rot_times(mry_rot_in(exam->clip, frame, j), turn);
    return mry_rot_apply(mry_rot_back(turn), (mry_vec){ p[0] - h[0], p[1] - h[1], p[2] - h[2] });
}

/* How far the joints that this one carries, and itself if it is moved, are from where they would be
   without the flaw: at a step (end 0), or in frames [start, end), as the frames beside it go on.
   Chains whose joints turn against each other move nothing, whatever each of them does; and what a
   flaw of the hips moves is none of the limbs': the least of three counts, in the world, as seen
   from the hips, and by the joint's own turn, of `size`. */
static double moved_cm(const mry_exam *exam, const track *t, int start, int end, double size)
{
    const marey_clip *clip = t->clip;
    int last = clip->frames - 1, a = start - 1, b = end ? end : start,
        hips = clip->skeleton.roles[MAREY_ROLE_HIPS];
    double moved[2] = { 0 }, own = t->place ? size : 0;
    int views = hips >= 0 && t->joint > hips ? 2 : 1;
    for (int j = t->joint; j <= clip->skeleton.joint_count - 1; j++) {
        if (j > t->joint && clip->joints[j].parent < t->joint) break; /* no longer below it */
        if (j == t->joint && !t->place) continue;
        if (!t->place)
            own = fmax(own, 2 * sin(size / 2) *
                                mry_distance3(mry_exam_at(exam, start, j),
                                              mry_exam_at(exam, start, t->joint)));
        for (int view = 0; view < views; view++) {
            int at[4] = { a > 0 ? a - 1 : 0, a, b > last ? last : b, b < last ? b + 1 : last };
            mry_vec p[4];
            for (int i = 0; i < 4; i++) p[i] = place_of(exam, at[i], j, view ? hips : -1);
            mry_vec v0 = mry_vec_sub(p[1], p[0]), v1 = mry_vec_sub(p[3], p[2]), wanted;
            for (int f = start; f < (end ? end : start + 1); f++) {
                if (end) {
                    mry_vec way_on = mry_cubic(mry_vec_sub(p[2], p[1]), v0, v1, b - a, f - a);
                    wanted = mry_vec_add(p[1], way_on);
                } else {
                    wanted = mry_vec_add(p[1], mry_vec_scale(mry_vec_add(v0, v1), 0.5));
                }
                mry_vec off = mry_vec_sub(place_of(exam, f, j, view ? hips : -1), wanted);
                moved[view] = fmax(moved[view], mry_vec_length(off));
            }
        }
    }
    return fmin(own, views > 1 ? fmin(moved[0], moved[1]) : moved[0]);
}

/* Is a joint away from where it usually is after a step, and would it be back without it? Else it was
   away before, or goes where it always goes, only at once: toes that snap back at the end of a step.
   Of places nothing is usual. */
static bool leads_away(const mry_exam *exam, const track *t, int at, state by)
{
    enum { SAMPLES = 60 };
    int span = (int)(AROUND_STEP_S * t->clip->fps), stride = span / SAMPLES + 1;
    mry_vec sum[2] = { { 0 } };
    state base = state_in(t, at - 1);
    if (t->place) return true;
    for (int side = 0; side < 2; side++) {
        int count = 0;
        for (int i = 1; i <= span; i += stride) {
            int f = side ? at + i : at - i;
            if (f < 0 || f >= t->clip->frames || exam->marked[f]) break;
            sum[side] = mry_vec_add(sum[side], way(t, base, state_in(t, f)));
            count++;
        }
        if (count) sum[side] = mry_vec_scale(sum[side], 1.0 / count);
    }
    state was = go(t, base, sum[0]), is = go(t, base, sum[1]);
    double here = size_of(t, both(t, back(t, was), is));
    return size_of(t, both(t, back(t, was), both(t, is, back(t, by)))) < 0.8 * here;
}

/* A flaw of frames [start, end); constant: they are off by one and the same rotation. */
static bool add_flaw(mry_exam *exam, const track *t, int start, int end, state by, double ratio,
                     bool constant)
{
    const marey_clip *clip = t->clip;
    double size = size_of(t, by);
    double cm = moved_cm(exam, t, start, constant ? 0 : end, size);
    if (constant && end < clip->frames) cm = fmax(cm, moved_cm(exam, t, end, 0, size));
    double share = ratio / CLEAR;
    marey_flaw flaw = { .joint = t->joint,
                        .start = start,
                        .end = end,
                        .size = cm,
                        .certainty = 1 - 1 / (1 + share * share),
                        .mendable = true,
                        .repair = { MAREY_LAYER_FILL, t->joint, start, end, { 0 } } };
    bool brief = end - start <= LONGEST_FILL_S * clip->fps;
    flaw.kind = end - start <= 3 ? MAREY_FLAW_SPIKE : MAREY_FLAW_STEP;
    if (!t->place && cm < MOVES_CM) flaw.kind = MAREY_FLAW_TWIST;
    if (!t->place && (size > FLIP_RAD || bends_back(t, start, by))) flaw.kind = MAREY_FLAW_FLIP;
    if (flaw.kind == MAREY_FLAW_TWIST || flaw.kind == MAREY_FLAW_FLIP) flaw.size = size / DEGREE;
    int first = mry_clip_first_captured(clip), moment = (int)(MOMENT_S * clip->fps);
    bool at_start = start - first <= moment, at_end = clip->frames - start <= moment;
    if (constant && end == clip->frames && (at_start || at_end)) {
        /* The few frames before it, or behind it, are what is off: the rest of a T-pose. */
        if (cm < LEAST_CM) return true;
        flaw.start = at_start ? first : start;
        flaw.end = at_start ? start : end;
        flaw.repair =
            (marey_layer){ MAREY_LAYER_MARK, -1, flaw.start, flaw.end, { MAREY_MARK_JUMP } };
    } else if (constant && end == clip->frames && !leads_away(exam, t, start, by)) {
        /* There is nothing to go back to, but no motion leads across it. */
        if (cm < LEAST_CM) return true;
        flaw.repair =
            (marey_layer){ MAREY_LAYER_MARK, -1, start - 1, start + 1, { MAREY_MARK_JUMP } };
        flaw.end = start + 1;
    } else if (constant) {
        state undo = back(t, by);
        flaw.repair.kind = t->place ? MAREY_LAYER_SHIFT : MAREY_LAYER_TURN;
        double turn[] = { undo.turn.w, undo.turn.x, undo.turn.y, undo.turn.z };
        double at[] = { undo.at.x, undo.at.y, undo.at.z };
        memcpy(flaw.repair.value, t->place ? at : turn, t->place ? sizeof at : sizeof turn);
    } else if (!brief) {
        flaw.mendable = false;
    }
    bool seen = cm >= LEAST_CM || (!t->place && size >= LEAST_RAD);
    if (flaw.certainty < 0.5 || !seen) return true;
    return mry_flaw_add(exam, &flaw);
}

/* Jumps around frames [first, last) anew, from the states as they are now. */
static void measure_again(const track *t, const state *work, int first, int last)
{
    for (int f = first < 1 ? 1 : first; f < last && f + 3 <= t->clip->frames; f++) {
        if (t->jump[f] >= 0) t->jump[f] = (float)jump_in(t, work, f);
    }
}

static int by_size(const void *a, const void *b)
{
    const large_jump *x = a, *y = b;
    if (x->size != y->size) return x->size > y->size ? -1 : 1;
    return (x->at > y->at) - (x->at < y->at);
}

/* Jumps above the floor, the largest first: how many there are. */
static int list_jumps(track *t)
{
    int count = 0;
    for (int f = 1; f + 3 < t->clip->frames; f++) {
        if ((double)t->jump[f] >= t->floor) t->large[count++] = (large_jump){ t->jump[f], f };
    }
    qsort(t->large, (size_t)count, sizeof *t->large, by_size);
    return count;
}

static int by_frame(const void *a, const void *b)
{
    const step *x = a, *y = b;
    return (x->at > y->at) - (x->at < y->at);
}

/* Flaws of one track. */
static bool look_at(mry_exam *exam, track *t)
{
    int frames = t->clip->frames, count = 0;
    double ratio = 0;
    step *steps = t->steps;
    measure_jumps(exam, t);
    int large = list_jumps(t);
    if (large == 0) return true;
    for (int f = 0; f < frames; f++) t->work[f] = state_in(t, f);
    /* Twice: what is taken out may have hidden what is near it. */
    for (int i = 0; i < 2 * large; i++) {
        int at = t->large[i % large].at;
        if ((double)t->jump[at] < t->floor) continue; /* explained by now */
        ratio = ratio_to_usual(t, at, (double)t->jump[at]);
        if (ratio < CLEAR) continue;
        cause why = explain(t, t->work, at);
        if (!(why.left < EXPLAINED)) continue;
        /* Two frames at thirty a second can be a quick motion, too. */
        if ((why.end - why.start) > SURELY_S * t->clip->fps && ratio < SURELY * CLEAR) continue;
        if (why.end) {
            if (!add_flaw(exam, t, why.start, why.end, why.by, ratio, false)) return false;
            fill_row(t, t->work, why.start, why.end);
            measure_again(t, t->work, why.start - 3, why.end + 3);
        } else if (count < MOST_STEPS) {
            int k = 0;
            while (k < count && steps[k].at != why.start) k++;
            if (k < count) /* what was left of it */
                steps[k].by = both(t, why.by, steps[k].by);
            else
                steps[count++] = (step){ why.start, ratio, why.by };
            for (int f = why.start; f < frames; f++)
                t->work[f] = both(t, t->work[f], back(t, why.by));
            measure_again(t, t->work, why.start - 3, why.start + 3);
        }
    }
    /* A step back to where the track was makes a stretch of it; half back, one of frames that are
       off by this and that. Steps were taken back one after the other, each seen from the later
       ones: what is left of two is what they did together. */
    qsort(steps, (size_t)count, sizeof *steps, by_frame);
    for (int i = 0; i < count; i++) {
        const step *one = &steps[i], *next = i + 1 < count ? &steps[i + 1] : NULL;
        double most = next ? fmax(size_of(t, one->by), size_of(t, next->by)) : 0;
        double rest = next ? size_of(t, both(t, one->by, next->by)) : 1;
        bool brief = next && next->at - one->at <= LONGEST_FILL_S * t->clip->fps;
        bool whole = rest < 0.25 * most, part = brief && rest < 0.7 * most;
        int end = whole || part ? next->at : frames;
        state by = one->by;
        ratio = one->ratio;
        if (end < frames) { /* the mean of both */
            if (whole) by = go(t, by, mry_vec_scale(way(t, by, back(t, next->by)), 0.5));
            ratio = fmax(ratio, next->ratio);
            i++;
        }
        if (!add_flaw(exam, t, one->at, end, by, ratio, whole || !part)) return false;
    }
    return true;
}

bool mry_check_jumps(mry_exam *exam)
{
    const marey_clip *clip = exam->clip;
    int joints = clip->skeleton.joint_count;
    track t = { .clip = clip };
    if (clip->frames < 2 * BESIDE) return true;
    t.way = MRY_NEW_RAW(exam->tmp, float, 3 * (size_t)clip->frames);
    t.jump = MRY_NEW_RAW(exam->tmp, float, clip->frames);
    double *reach = MRY_NEW(exam->tmp, double, joints);
    t.large = MRY_NEW_RAW(exam->tmp, large_jump, clip->frames);
    t.work = MRY_NEW_RAW(exam->tmp, state, clip->frames);
    t.steps = MRY_NEW_RAW(exam->tmp, step, MOST_STEPS);
    if (!t.way || !t.jump || !reach || !t.large || !t.work || !t.steps) return false;
    for (int j = joints - 1; j > 0; j--) {
        double bone = mry_length3(clip->joints[j].offset_cm);
        int parent = clip->joints[j].parent;
        reach[parent] = fmax(reach[parent], bone + reach[j]);
    }
    for (int j = 0; j < joints; j++) {
        t.joint = j;
        t.place = false;
        t.reach_cm = reach[j];
        t.floor = fmin(FLOOR_RAD, reach[j] > 0 ? FLOOR_CM / reach[j] : FLOOR_RAD);
        if (!look_at(exam, &t)) return false;
        if (clip->slot[j] < 0) continue;
        t.place = true;
        t.reach_cm = 1;
        t.floor = FLOOR_CM;
        if (!look_at(exam, &t)) return false;
    }
    return true;
}
