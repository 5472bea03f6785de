/* test_example_rates.c - the same query at half and double the rate finds the same clip and the same parts: on made-up curves, and on
   real clips where they are. */
#include "support.h"

#include "example_clips.h"
#include "example_rates.h"

#include <stdio.h>

enum { CURVES = 12, FRAMES = 900, MOST_CLIPS = 8 };

static void check(const rates_tally *tally, int lost)
{
    print_message("%d queries, %d best clips stay, %.1f %% of %d parts, %.1f %% exactly\n",
                  tally->queries, tally->clips, 100.0 * tally->stayed / tally->parts, tally->parts,
                  100.0 * tally->exactly / tally->parts);
    assert_true(tally->clips >= tally->queries - lost);
    assert_true(tally->stayed >= 0.95 * tally->parts);
}

/* Smooth but for a tremble that is less than the noise. */
TEST_CTX(curves_are_found_at_any_rate)
{
    uint64_t seed = 23;
    marey_clip *clips[CURVES];
    marey_dof dofs[MAREY_MOST_DOFS];
    OWNED(marey_examples) *in = NULL;
    int dof_count;
    FREED double *values = malloc(sizeof *values * EXAMPLE_DOFS * FRAMES);
    for (int c = 0; c < CURVES; c++) {
        for (int d = 0; d < EXAMPLE_DOFS; d++) {
            example_curve(&seed, FRAMES, 40, 0.5, values + d * FRAMES);
        }
        clips[c] = example_clip(ctx, FRAMES, 120, values, NULL);
    }
    test_fine(marey_dofs_parse(example_dofs, dofs, &dof_count, NULL), NULL);
    test_fine(marey_examples_open(ctx, (const marey_clip *const *)clips, CURVES, dofs, dof_count,
                                  NULL, &in, NULL),
              NULL);
    rates r = { .ctx = ctx,
                .clips = clips,
                .count = CURVES,
                .dofs = dofs,
                .dof_count = dof_count,
                .in = in,
                .seed = 1 };
    rates_measure(&r, 100);
    check(&r.half, 0);
    check(&r.twice, 0);
    for (int c = 0; c < CURVES; c++) marey_clip_free(clips[c]);
}

TEST_CTX(real_clips_are_found_at_any_rate)
{
    test_need_mocap();
    static const char *const names[MOST_CLIPS] = { "144_09", "144_22", "38_03", "16_15",
                                                   "91_01",  "49_02",  "13_35", "60_08" };
    marey_clip *clips[MOST_CLIPS];
    marey_dof dofs[MAREY_MOST_DOFS];
    OWNED(marey_examples) *in = NULL;
    int dof_count;
    for (int c = 0; c < MOST_CLIPS; c++) {
        char path[1200];
        snprintf(path, sizeof path, "%s/cmu/%s.bvh", test_mocap_folder(), names[c]);
        clips[c] = test_clip_load(ctx, path);
    }
    test_fine(marey_dofs_parse("left_knee.Xrotation,right_knee.Xrotation", dofs, &dof_count, NULL),
              NULL);
    test_fine(marey_examples_open(ctx, (const marey_clip *const *)clips, MOST_CLIPS, dofs,
                                  dof_count, NULL, &in, NULL),
              NULL);
    rates r = { .ctx = ctx,
                .clips = clips,
                .count = MOST_CLIPS,
                .dofs = dofs,
                .dof_count = dof_count,
                .in = in,
                .seed = 1 };
    rates_measure(&r, 100);
    check(&r.half, 1);
    check(&r.twice, 0);
    for (int c = 0; c < MOST_CLIPS; c++) marey_clip_free(clips[c]);
}

TEST_GROUP_OF_CASES(test_example_rates, NULL, NULL)
