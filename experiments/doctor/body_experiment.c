/* body_experiment.c - how well flaws of the whole body are found: each kind and size is put into
   every clip given, and what the clip does not have without it is counted.

       body_experiment FILE...

   A floor's flaw is put in twice, up and down. Of both repaired clips the ankles should be equally
   high, whatever the clip had before: what is left of their difference is the error. */
#include "motion/clip_data.h"
#include "seeded_flaws.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct tally {
    int clips, found, either, wrong, measured, near;
} tally;

/* The finding of a kind; NULL: there is none. */
static const marey_flaw *found(const marey_flaws *flaws, marey_flaw_kind kind)
{
    for (int i = 0; i < flaws->count; i++) {
        if (flaws->items[i].kind == kind) return &flaws->items[i];
    }
    return NULL;
}

static bool has_floor(const marey_flaws *flaws)
{
    return found(flaws, MAREY_FLAW_TILT) || found(flaws, MAREY_FLAW_DRIFT);
}

static bool is_body(marey_flaw_kind kind)
{
    return kind == MAREY_FLAW_RATE || kind == MAREY_FLAW_TILT || kind == MAREY_FLAW_DRIFT;
}

/* Standard deviation of the difference of both clips' ankles' heights, less their mean. */
static double ankles_apart(const marey_clip *a, const marey_clip *b)
{
    int joint = a->skeleton.roles[MAREY_ROLE_LEFT_ANKLE], joints = a->skeleton.joint_count;
    double *at = calloc((size_t)joints * 6, sizeof *at), sum = 0, squares = 0;
    for (int f = 0; f < a->frames; f++) {
        marey_clip_positions(a, f, 1, at);
        marey_clip_positions(b, f, 1, at + 3 * joints);
        double apart = at[3 * joint + 1] - at[3 * (joints + joint) + 1];
        sum += apart;
        squares += apart * apart;
    }
    free(at);
    return sqrt(fmax(squares / a->frames - pow(sum / a->frames, 2), 0));
}

/* The clip with all repairs of the whole body. */
static marey_clip *repaired(const marey_clip *clip, const marey_flaws *flaws)
{
    marey_layer layers[3];
    int count = 0;
    marey_clip *made = NULL;
    for (int i = 0; i < flaws->count && count < 3; i++) {
        if (is_body(flaws->items[i].kind)) layers[count++] = flaws->items[i].repair;
    }
    return marey_clip_repair(clip, layers, count, &made, NULL) ? NULL : made;
}

static void try_one(const marey_clip *clip, const marey_flaws *before, const seeded_row *row,
                    int size, tally tallies[2], bool show)
{
    uint64_t seeds[2] = { 41 + (uint64_t)clip->frames, 41 + (uint64_t)clip->frames };
    seeded_flaw what, other;
    marey_flaws flaws[2] = { { 0 }, { 0 } };
    marey_clip *made[2] = { row->put(clip, row->sizes[size], &seeds[0], &what), NULL };
    bool floor = what.kind != MAREY_FLAW_RATE;
    if (floor) made[1] = row->put(clip, -row->sizes[size], &seeds[1], &other);
    for (int k = 0; k < 2 && made[k]; k++) marey_flaws_find(made[k], &flaws[k]);
    const marey_flaw *is = found(&flaws[0], what.kind);
    /* In the second: clips in which it moves the feet by 5 cm. */
    for (int k = 0; k < 2; k++) {
        tally *t = &tallies[k];
        if (k && floor && what.moves_cm < 5) break;
        t->clips++;
        t->found += is != NULL;
        t->either +=
            is ||
            (floor && (found(&flaws[0], MAREY_FLAW_TILT) || found(&flaws[0], MAREY_FLAW_DRIFT)));
        for (int i = 0; i < flaws[0].count; i++) {
            marey_flaw_kind kind = flaws[0].items[i].kind;
            t->wrong += is_body(kind) && kind != what.kind && !found(before, kind);
        }
        if (!floor && is) {
            t->measured++;
            t->near += fabs(is->size / what.value - 1) < 0.05;
        }
        if (floor && has_floor(&flaws[0]) && has_floor(&flaws[1])) {
            marey_clip *flat[2] = { repaired(made[0], &flaws[0]), repaired(made[1], &flaws[1]) };
            double left = ankles_apart(flat[0], flat[1]) / ankles_apart(made[0], made[1]);
            t->measured++;
            t->near += left < 0.05;
            if (show && k && left >= 0.05)
                printf("  %.2f left: %s %g in %s\n", left, row->name, row->sizes[size], clip->name);
            for (int i = 0; i < 2; i++) marey_clip_free(flat[i]);
        }
    }
    if (show && !is && !has_floor(&flaws[0]) && (!floor || what.moves_cm >= 5))
        printf("  not found: %s %g in %s (moves the feet by %.0f cm)\n", row->name,
               row->sizes[size], clip->name, what.moves_cm);
    for (int k = 0; k < 2; k++) {
        marey_flaws_free(&flaws[k]);
        marey_clip_free(made[k]);
    }
}

int main(int argc, char **argv)
{
    static tally tallies[8][SEEDED_SIZES][2];
    bool show = getenv("SHOW_MISSED") != NULL;
    marey_ctx *ctx;
    int clips = 0, kinds[MAREY_FLAW_COUNT] = { 0 };
    if (marey_ctx_open(NULL, &ctx)) return 3;
    for (int i = 1; i < argc; i++) {
        marey_clip *clip;
        marey_error error;
        marey_flaws before = { 0 };
        if (marey_clip_load(ctx, argv[i], NULL, &clip, &error)) {
            fprintf(stderr, "%s: %s\n", argv[i], error.message);
            return 1;
        }
        marey_flaws_find(clip, &before);
        for (int k = 0; k < before.count; k++) kinds[before.items[k].kind]++;
        /* What is wrong already is put right first, or a second tilt might undo the first. */
        marey_clip *right = repaired(clip, &before);
        marey_flaws_free(&before);
        marey_clip_free(clip);
        clip = right;
        marey_flaws_find(clip, &before);
        for (int r = 0; r < seeded_body_count; r++) {
            for (int s = 0; s < SEEDED_SIZES; s++)
                try_one(clip, &before, &seeded_body[r], s, tallies[r][s], show);
        }
        clips++;
        marey_flaws_free(&before);
        marey_clip_free(clip);
    }
    printf("%d clips, untouched:", clips);
    for (int k = 0; k < MAREY_FLAW_COUNT; k++) {
        if (is_body((marey_flaw_kind)k))
            printf(" %s in %d,", marey_flaw_name((marey_flaw_kind)k), kinds[k]);
    }
    printf("\n\n| put in | clips | found | or the other of the floor | wrong others | right within "
           "5 %% | "
           "moves feet 5 cm | found | or other | within 5 %% "
           "|\n|---|---|---|---|---|---|---|---|---|---|\n");
    for (int r = 0; r < seeded_body_count; r++) {
        for (int s = 0; s < SEEDED_SIZES; s++) {
            const tally *t = tallies[r][s];
            printf(
                "| %s %g %s | %d | %.2f | %.2f | %d | %d of %d | %d | %.2f | %.2f | %d of %d |\n",
                seeded_body[r].name, seeded_body[r].sizes[s], seeded_body[r].unit, t->clips,
                (double)t->found / t->clips, (double)t->either / t->clips, t->wrong, t->near,
                t->measured, t[1].clips, t[1].clips ? (double)t[1].found / t[1].clips : 0,
                t[1].clips ? (double)t[1].either / t[1].clips : 0, t[1].near, t[1].measured);
        }
    }
    marey_ctx_close(ctx);
    return 0;
}
