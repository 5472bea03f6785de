/* seeded_score.c - finds, compares with what was put in, repairs, compares with what was there. */
#include "seeded_score.h"

#include <math.h>
#include <stdlib.h>

enum { NEAR = 2 }; /* frames that a finding may be off */

/* Spikes, steps, flips and twists differ in length and size only. */
static bool is_jump(marey_flaw_kind kind)
{
    return kind >= MAREY_FLAW_SPIKE && kind <= MAREY_FLAW_TWIST;
}

static bool same_kind(marey_flaw_kind a, marey_flaw_kind b)
{
    return a == b || (is_jump(a) && is_jump(b));
}

static bool near(int a, int b)
{
    return abs(a - b) <= NEAR;
}

/* What is off may be what is before a step as well as what is behind it. Which of two bones is the wrong one is
   told by the repair. */
static bool answers(const marey_flaw *flaw, const seeded_flaw *what)
{
    if (!same_kind(flaw->kind, what->kind)) return false;
    if (what->kind == MAREY_FLAW_BONE) return true;
    if (flaw->joint != what->joint) return false;
    return near(flaw->start, what->start) ||
           (is_jump(flaw->kind) && (near(flaw->start, what->end) || near(flaw->end, what->start)));
}

static bool was_there(const marey_flaws *list, const marey_flaw *flaw)
{
    for (int i = 0; i < list->count; i++) {
        const marey_flaw *other = &list->items[i];
        if (same_kind(other->kind, flaw->kind) && other->joint == flaw->joint &&
            (near(other->start, flaw->start) || near(other->end, flaw->start) ||
             near(other->start, flaw->end)))
            return true;
    }
    return false;
}

/* Makes the repairs of the flaw that was put in, and measures how far joints are from where they
   were before. */
static void judge_repair(const marey_clip *was, const marey_clip *broken, const marey_flaws *found,
                         const marey_flaws *before, const seeded_flaw *what, seeded_score *score)
{
    marey_layer layers[64];
    int count = 0, joints = marey_clip_skeleton(was)->joint_count, frames = marey_clip_frames(was);
    for (int i = 0; i < found->count && count < 64; i++) {
        const marey_flaw *flaw = &found->items[i];
        if (flaw->mendable && flaw->repair.kind != MAREY_LAYER_MARK && answers(flaw, what) &&
            !was_there(before, flaw))
            layers[count++] = flaw->repair;
    }
    if (count == 0) return;
    marey_clip *made = NULL;
    if (marey_clip_repair(broken, layers, count, &made, NULL)) abort();
    double *a = malloc(sizeof *a * 3 * (size_t)joints), *b = malloc(sizeof *b * 3 * (size_t)joints);
    double sum = 0;
    int inside = 0;
    for (int f = 0; f < frames; f++) {
        bool meant = f >= what->start && f < what->end;
        for (int i = 0; i < count; i++) meant |= f >= layers[i].start && f < layers[i].end;
        marey_clip_positions(was, f, 1, a);
        marey_clip_positions(made, f, 1, b);
        double off = 0;
        for (int j = 0; j < 3 * joints; j += 3)
            off += hypot(hypot(a[j] - b[j], a[j + 1] - b[j + 1]), a[j + 2] - b[j + 2]);
        if (meant) {
            sum += off / joints;
            inside++;
        } else if (off > 0) {
            score->changed++;
        }
    }
    score->repaired++;
    score->error_cm += sum / inside;
    score->worst_cm = fmax(score->worst_cm, sum / inside);
    free(a);
    free(b);
    marey_clip_free(made);
}

static void note(FILE *notes, const char *what, const marey_clip *clip, const seeded_row *row,
                 double size, int joint, int start, int end)
{
    if (!notes) return;
    fprintf(notes, "%s: %s, %s of %g: %s, frames %d-%d\n", what, marey_clip_name(clip), row->name,
            size, joint < 0 ? "body" : marey_clip_skeleton(clip)->joints[joint].name, start, end);
}

void seeded_try(const marey_clip *clip, const marey_flaws *before, const seeded_row *row, int size,
                uint64_t *seed, seeded_score *score, FILE *notes)
{
    seeded_flaw what;
    marey_clip *broken = row->put(clip, row->sizes[size], seed, &what);
    marey_flaws found;
    if (!broken) return;
    if (marey_flaws_find(broken, &found)) abort();
    bool due = what.moves_cm >= 5 || what.turns_deg >= 20, hit = false, kind = false;
    for (int i = 0; i < found.count; i++) {
        const marey_flaw *flaw = &found.items[i];
        if (answers(flaw, &what)) {
            hit = true;
            kind |= flaw->kind == what.kind;
        } else if (!was_there(before, flaw)) {
            score->wrong++;
            note(notes, marey_flaw_name(flaw->kind), clip, row, row->sizes[size], flaw->joint,
                 flaw->start, flaw->end);
        }
    }
    if (due && !hit)
        note(notes, "missed", clip, row, row->sizes[size], what.joint, what.start, what.end);
    score->cases++;
    score->due += due;
    score->found += hit;
    score->found_due += due && hit;
    score->kind_due += due && kind;
    if (hit) judge_repair(clip, broken, &found, before, &what, score);
    marey_flaws_free(&found);
    marey_clip_free(broken);
}

void seeded_add(seeded_score *sum, const seeded_score *more)
{
    sum->cases += more->cases;
    sum->due += more->due;
    sum->found += more->found;
    sum->found_due += more->found_due;
    sum->kind_due += more->kind_due;
    sum->wrong += more->wrong;
    sum->repaired += more->repaired;
    sum->error_cm += more->error_cm;
    sum->worst_cm = fmax(sum->worst_cm, more->worst_cm);
    sum->changed += more->changed;
}

double seeded_recall(const seeded_score *score)
{
    return score->due ? (double)score->found_due / score->due : NAN;
}

double seeded_precision(const seeded_score *score)
{
    int all = score->found + score->wrong;
    return all ? (double)score->found / all : NAN;
}
