/* check_harm.c - are joints better off with their repairs? Runs last.

   A joint that is off by itself is mended by itself. But trackers also turn a whole limb about, each
   joint against the next, so that hand or foot hardly moves: to mend one of them and not the others
   would throw the limb across the room. So all repairs are made, and wherever joints then leap more
   than they did, the repairs that begin or end there are given up, until none does harm. What was
   given up and can be seen is marked, so that no motion leads across it. Where many joints break at
   once, and not all can be mended, the body was lost: its frames are marked from the first to the
   last of them. */
#include "math/turn.h"
#include "repair/exam.h"

#include <stdlib.h>

static const double BETTER = 0.7;   /* of a leap that can be seen a repair leaves no more, */
static const double WORSE_CM = 0.5; /* and it adds no more to one that cannot */
static const double SEEN_CM = 4;    /* what leaps less is not marked */
static const double LONGEST_MARK_S = 0.2;

enum { BESIDE = 3, MANY = 4, MOST_ROUNDS = 12 };

/* How far a joint leaps at most between frames [first, last] and the next, in the world: the way of a
   frame less the mean of those before and behind it. Marked frames do not count. */
static double largest_leap(const marey_clip *clip, int first, int last, double *at)
{
    int joints = clip->skeleton.joint_count;
    double most = 0;
    if (first < 1) first = 1;
    if (last > clip->frames - 3) last = clip->frames - 3;
    if (first > last) return 0;
    marey_clip_positions(clip, first - 1, last + 4 - first, at);
    for (int f = first; f <= last; f++) {
        bool marked = false;
        for (int i = -1; i < 3; i++) marked |= mry_clip_is_marked(clip, f + i);
        for (int k = 0; k < joints && !marked; k++) {
            const double *p = at + 3 * ((size_t)(f - first) * (size_t)joints + (size_t)k);
            double sum = 0;
            for (int i = 0; i < 3; i++) {
                const double *q = p + i;
                double a = q[0], b = q[3 * joints], c = q[6 * joints], d = q[9 * joints];
                double leap = (c - b) - ((b - a) + (d - c)) / 2;
                sum += leap * leap;
            }
            most = fmax(most, sum);
        }
    }
    return sqrt(most);
}

static void give_up(const mry_exam *exam, marey_flaw *flaw, double leap_cm)
{
    int start = flaw->start, end = flaw->end;
    if (end - start > LONGEST_MARK_S * exam->clip->fps) { /* only where it begins is known */
        start = flaw->start - 1;
        end = flaw->start + 1;
    }
    flaw->repair = (marey_layer){ MAREY_LAYER_MARK, -1, start, end, { MAREY_MARK_JUMP } };
    flaw->mendable = leap_cm >= SEEN_CM;
}

typedef struct edge {
    int frame, flaw;
} edge;

static int by_frame(const void *a, const void *b)
{
    const edge *x = a, *y = b;
    return x->frame != y->frame ? (x->frame > y->frame) - (x->frame < y->frame)
                                : (x->flaw > y->flaw) - (x->flaw < y->flaw);
}

/* Is it a flaw of one joint that can be seen? */
static bool is_of_joint(const marey_flaw *flaw)
{
    return flaw->joint >= 0 && flaw->kind != MAREY_FLAW_BONE && flaw->kind != MAREY_FLAW_BEND;
}

/* Marks what is between the flaws of MANY joints or more that begin or end within a moment, if one of
   them has no repair. */
static bool mark_broken(mry_exam *exam)
{
    const marey_clip *clip = exam->clip;
    int count = 0, gap = (int)(LONGEST_MARK_S * clip->fps), last_end = -1, last_first = 0;
    edge *edges = MRY_NEW_RAW(exam->tmp, edge, 2 * exam->count + 1);
    if (!edges) return false;
    for (int i = 0; i < exam->count; i++) {
        const marey_flaw *flaw = &exam->flaws[i];
        if (!is_of_joint(flaw) || flaw->kind == MAREY_FLAW_TWIST) continue;
        edges[count++] = (edge){ flaw->start, i };
        if (flaw->end < clip->frames) edges[count++] = (edge){ flaw->end, i };
    }
    qsort(edges, (size_t)count, sizeof *edges, by_frame);
    for (int i = 0; i < count; i++) {
        int end = i, joints = 0;
        while (end < count && edges[end].frame <= edges[i].frame + 2 * BESIDE) end++;
        for (int k = i; k < end; k++) {
            bool again = false;
            for (int m = i; m < k; m++)
                again |= exam->flaws[edges[m].flaw].joint == exam->flaws[edges[k].flaw].joint;
            joints += !again;
        }
        bool lost = false;
        for (int k = i; k < end; k++) {
            const marey_flaw *flaw = &exam->flaws[edges[k].flaw];
            lost |= !flaw->mendable || flaw->repair.kind == MAREY_LAYER_MARK;
        }
        if (joints < MANY || !lost) continue;
        /* Two such moments that are near are one. */
        int first = edges[i].frame, from = i;
        if (last_end >= 0 && first - last_end <= gap) {
            first = last_first;
            while (from > 0 && edges[from - 1].frame >= first) from--;
        }
        int last = edges[end - 1].frame;
        for (int k = from; k < end; k++) {
            const marey_flaw *flaw = &exam->flaws[edges[k].flaw];
            if (flaw->end - flaw->start > gap) continue;
            if (flaw->start < first) first = flaw->start;
            if (flaw->end > last) last = flaw->end;
        }
        int start = first > 0 ? first - 1 : 0, stop = last < clip->frames ? last + 1 : last;
        for (int k = from; k < end; k++) {
            marey_flaw *flaw = &exam->flaws[edges[k].flaw];
            flaw->repair = (marey_layer){ MAREY_LAYER_MARK, -1, start, stop, { MAREY_MARK_JUMP } };
            flaw->mendable = true;
        }
        last_first = first;
        last_end = last;
    }
    return true;
}

/* Gives repairs up until none does harm. */
static bool give_up_harmful(mry_exam *exam)
{
    const marey_clip *clip = exam->clip;
    enum { WINDOW = 2 * BESIDE + 32 };
    marey_layer *layers = MRY_NEW_RAW(exam->tmp, marey_layer, exam->count + 1);
    double *at = MRY_NEW_RAW(exam->tmp, double, 3 * (size_t)clip->skeleton.joint_count * WINDOW);
    if (!layers || !at) return false;
    bool given_up = true;
    for (int round = 0; given_up && round < MOST_ROUNDS; round++) {
        int count = 0;
        bool moves = false;
        for (int i = 0; i < exam->count; i++) {
            const marey_flaw *flaw = &exam->flaws[i];
            if (!flaw->mendable || !is_of_joint(flaw)) continue;
            moves |= flaw->repair.kind != MAREY_LAYER_MARK;
            layers[count++] = flaw->repair;
        }
        if (!moves) return true;
        marey_clip *made = NULL;
        if (marey_clip_repair(clip, layers, count, &made, NULL)) return false;
        given_up = false;
        for (int i = 0; i < exam->count; i++) {
            marey_flaw *flaw = &exam->flaws[i];
            if (!flaw->mendable || !is_of_joint(flaw) || flaw->repair.kind == MAREY_LAYER_MARK)
                continue;
            for (int side = 0; side < 2; side++) {
                int at_edge = side ? flaw->end : flaw->start;
                if (at_edge >= clip->frames) continue;
                int first = at_edge - BESIDE, last = at_edge + BESIDE - 1;
                double before = largest_leap(clip, first, last, at);
                double after = largest_leap(made, first, last, at);
                bool good = before < SEEN_CM ? after < before + WORSE_CM : after < BETTER * before;
                if (good) continue;
                give_up(exam, flaw, before);
                given_up = true;
                break;
            }
        }
        marey_clip_free(made);
    }
    return true;
}

bool mry_check_harm(mry_exam *exam)
{
    return give_up_harmful(exam) && mark_broken(exam) && give_up_harmful(exam);
}
