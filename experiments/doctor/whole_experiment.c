/* whole_experiment.c - what is wrong with clips as a whole. They are read in every wrong unit and
   with the wrong axis up: is it found, and is what was guessed at first what mends it? Their knees
   and elbows are bent the other way in every frame: is the joint named?

       whole_experiment FILE... */
#include "seeded_flaws.h"

#include <stdio.h>

enum { UPS = 4, WAYS = MAREY_UNITS_RAW + UPS };

typedef struct tally {
    int clips, due, found, right;
} tally;

/* The finding of a kind; certainty 0: there is none. */
static marey_flaw find(const marey_clip *clip, marey_flaw_kind kind)
{
    marey_flaws flaws;
    marey_flaw found = { 0 };
    if (marey_flaws_find(clip, &flaws)) return found;
    for (int i = 0; i < flaws.count; i++)
        if (flaws.items[i].kind == kind) found = flaws.items[i];
    marey_flaws_free(&flaws);
    return found;
}

/* Is the head above the ankles as it was? */
static bool stands_alike(const marey_clip *a, const marey_clip *b)
{
    double at[2][3 * 256];
    const int *role = marey_clip_skeleton(a)->roles;
    int frame = marey_clip_frames(a) / 2, head = role[MAREY_ROLE_HEAD];
    int ankle = role[MAREY_ROLE_LEFT_ANKLE];
    marey_clip_positions(a, frame, 1, at[0]);
    marey_clip_positions(b, frame, 1, at[1]);
    double up = at[0][3 * head + 1] - at[0][3 * ankle + 1];
    double other = at[1][3 * head + 1] - at[1][3 * ankle + 1];
    return up - other < 0.1 && other - up < 0.1;
}

static const marey_role hinges[] = { MAREY_ROLE_LEFT_KNEE, MAREY_ROLE_RIGHT_KNEE,
                                     MAREY_ROLE_LEFT_ELBOW, MAREY_ROLE_RIGHT_ELBOW };

/* Is it bent by 20 degrees in a fifth of the frames? */
static bool is_bent(const marey_clip *clip, marey_role hinge)
{
    const int *role = marey_clip_skeleton(clip)->roles;
    const double least = 0.9396926; /* cosine of 20 degrees */
    int frames = marey_clip_frames(clip), bent = 0;
    for (int f = 0; f < frames; f++) {
        double at[3 * 256], dot = 0, upper = 0, lower = 0;
        marey_clip_positions(clip, f, 1, at);
        for (int i = 0; i < 3; i++) {
            double a = at[3 * role[hinge] + i] - at[3 * role[hinge - 1] + i];
            double b = at[3 * role[hinge + 1] + i] - at[3 * role[hinge] + i];
            dot += a * b;
            upper += a * a;
            lower += b * b;
        }
        bent += dot < 0 || dot * dot < least * least * upper * lower;
    }
    return 5 * bent >= frames;
}

static void try_bends(const marey_clip *clip, tally tallies[4])
{
    for (int i = 0; i < 4; i++) {
        marey_clip *wrong = seeded_bend_back(clip, hinges[i]);
        marey_flaws flaws = { 0 };
        if (!wrong || marey_flaws_find(wrong, &flaws)) return;
        bool found = false;
        for (int k = 0; k < flaws.count; k++) {
            if (flaws.items[k].kind != MAREY_FLAW_BEND) continue;
            bool right = flaws.items[k].joint == marey_clip_skeleton(clip)->roles[hinges[i]];
            found |= right;
            tallies[i].found++;
            tallies[i].right += right;
        }
        tallies[i].clips++;
        tallies[i].due += is_bent(clip, hinges[i]);
        if (!found)
            fprintf(stderr, "missed: bend of %s in %s\n", marey_role_name(hinges[i]),
                    marey_clip_name(clip));
        marey_flaws_free(&flaws);
        marey_clip_free(wrong);
    }
}

int main(int argc, char **argv)
{
    static tally tallies[WAYS], bends[4];
    static const char *const names[UPS] = { "up: the other of y and z", "up: x", "up: -x",
                                            "up: the other one, upside down" };
    marey_ctx *ctx;
    int clips = 0, accused = 0;
    if (marey_ctx_open(NULL, &ctx)) return 3;
    for (int i = 1; i < argc; i++) {
        marey_clip *clip;
        if (marey_clip_load(ctx, argv[i], NULL, &clip, NULL)) continue;
        marey_units units = marey_clip_units(clip);
        marey_up up = marey_clip_up(clip);
        bool body = marey_clip_report(clip)->height_cm > 0;
        clips += body;
        try_bends(clip, bends);
        for (int k = 0; k < MAREY_FLAW_COUNT; k++) {
            bool whole = k == MAREY_FLAW_UNITS || k == MAREY_FLAW_UP || k == MAREY_FLAW_BEND;
            if (!whole || find(clip, (marey_flaw_kind)k).certainty == 0) continue;
            printf("%s in %s as it is\n", marey_flaw_name((marey_flaw_kind)k), argv[i]);
            accused++;
        }
        for (int way = 0; way < WAYS && body; way++) {
            bool size = way < MAREY_UNITS_RAW;
            int turn = way - MAREY_UNITS_RAW;
            marey_load_def def = { 0 };
            marey_clip *wrong = NULL, *mended = NULL;
            if (size && (way == (int)units || way == MAREY_UNITS_GUESS)) continue;
            if (size) def.units = (marey_units)way;
            if (!size && turn == 0) def.up = up == MAREY_UP_Y ? MAREY_UP_Z : MAREY_UP_Y;
            if (marey_clip_load(ctx, argv[i], &def, &wrong, NULL)) return 1;
            if (turn > 0) { /* a quarter turn that no up axis of a file is */
                double h = 0.70710678118654752, sign = turn == 1 ? -h : h;
                marey_layer layer = { MAREY_LAYER_LEVEL, -1, 0, marey_clip_frames(clip), { h } };
                if (turn < 3) layer.value[3] = sign;
                if (turn == 3) layer.value[1] = up == MAREY_UP_Y ? -h : h;
                marey_clip_free(wrong);
                if (marey_clip_repair(clip, &layer, 1, &wrong, NULL)) return 1;
            }
            marey_flaw flaw = find(wrong, size ? MAREY_FLAW_UNITS : MAREY_FLAW_UP);
            tallies[way].clips++;
            tallies[way].found += flaw.certainty > 0;
            if (flaw.mendable && !marey_clip_repair(wrong, &flaw.repair, 1, &mended, NULL))
                tallies[way].right +=
                    size ? marey_clip_units(mended) == units : stands_alike(clip, mended);
            if (flaw.certainty == 0)
                fprintf(stderr, "missed: %s in %s\n",
                        size ? marey_units_name((marey_units)way) : names[turn], argv[i]);
            marey_clip_free(mended);
            marey_clip_free(wrong);
        }
        marey_clip_free(clip);
    }
    printf("%d clips, %d findings as they are\n\n| read as | clips | found | right |\n"
           "|---|---|---|---|\n",
           clips, accused);
    for (int way = 1; way < WAYS; way++)
        printf("| %s | %d | %d | %d |\n",
               way < MAREY_UNITS_RAW ? marey_units_name((marey_units)way)
                                     : names[way - MAREY_UNITS_RAW],
               tallies[way].clips, tallies[way].found, tallies[way].right);
    printf("\n| bends back | clips | bent | found | right |\n|---|---|---|---|---|\n");
    for (int i = 0; i < 4; i++)
        printf("| %s | %d | %d | %d | %d |\n", marey_role_name(hinges[i]), bends[i].clips,
               bends[i].due, bends[i].found, bends[i].right);
    marey_ctx_close(ctx);
    return 0;
}
