/* test_example_rates.c - the same query at half and double the rate finds the same clip and the
   same parts: on made-up curves, and on real clips where they are. */
#include "frame_measures.h"

#include "example_clips.h"
#include "example_rates.h"

enum { CURVES = 12, FRAMES = 900, MOST_CLIPS = 8 };

/* A hundred queries; of so many at half the rate another clip is the best. */
static void check(marey_ctx *ctx, marey_clip **clips, int count, const char *signals, int lost)
{
    marey_dof dofs[MAREY_MOST_DOFS];
    OWNED(marey_examples) *in = NULL;
    rates r = { .ctx = ctx, .clips = clips, .count = count, .dofs = dofs, .seed = 1 };
    test_fine(marey_dofs_parse(signals, dofs, &r.dof_count, NULL), NULL);
    test_fine(marey_examples_open(ctx, (const marey_clip *const *)clips, count, dofs, r.dof_count,
                                  NULL, &in, NULL),
              NULL);
    r.in = in;
    rates_measure(&r, 100);
    for (int twice = 0; twice < 2; twice++) {
        const rates_tally *tally = twice ? &r.twice : &r.half;
        print_message("%d queries, %d best clips stay, %.1f %% of %d parts, %.1f %% exactly\n",
                      tally->queries, tally->clips, 100.0 * tally->stayed / tally->parts,
                      tally->parts, 100.0 * tally->exactly / tally->parts);
        assert_true(tally->clips >= tally->queries - (twice ? 0 : lost));
        assert_true(tally->stayed >= 0.95 * tally->parts);
    }
    for (int c = 0; c < count; c++) marey_clip_free(clips[c]);
}

/* Smooth but for a tremble that is less than the noise. */
TEST_CTX(curves_are_found_at_any_rate)
{
    uint64_t seed = 23;
    marey_clip *clips[CURVES];
    FREED double *values = malloc(sizeof *values * EXAMPLE_DOFS * FRAMES);
    for (int c = 0; c < CURVES; c++) {
        for (int d = 0; d < EXAMPLE_DOFS; d++) {
            example_curve(&seed, FRAMES, 40, 0.5, values + d * FRAMES);
        }
        clips[c] = example_clip(ctx, FRAMES, 120, values, NULL);
    }
    check(ctx, clips, CURVES, example_dofs, 0);
}

TEST_CTX(real_clips_are_found_at_any_rate)
{
    test_need_mocap();
    static const char *const names[MOST_CLIPS] = { "cmu/144_09", "cmu/144_22", "cmu/38_03",
                                                   "cmu/16_15",  "cmu/91_01",  "cmu/49_02",
                                                   "cmu/13_35",  "cmu/60_08" };
    marey_clip *clips[MOST_CLIPS];
    for (int c = 0; c < MOST_CLIPS; c++) clips[c] = test_captured(ctx, names[c]);
    check(ctx, clips, MOST_CLIPS, "left_knee.Xrotation,right_knee.Xrotation", 1);
}

TEST_GROUP_OF_CASES(test_example_rates, NULL, NULL)
