/* own_clips.c - metrics of the tests' own, which are in no table. */
#include "own_clips.h"

#include "motion/clip_data.h"

#include <stdlib.h>

void test_own_numbers(const marey_clip *clip, int frame, double numbers[TEST_OWN_COLUMNS])
{
    const marey_skeleton *skeleton = marey_clip_skeleton(clip);
    FREED double *places = calloc((size_t)skeleton->joint_count, 3 * sizeof *places);
    marey_clip_positions(clip, frame, 1, places);
    int wrist = skeleton->roles[MAREY_ROLE_LEFT_WRIST], hips = skeleton->roles[MAREY_ROLE_HIPS];
    if (wrist < 0 || hips < 0) wrist = skeleton->joint_count - 1, hips = 0;
    for (int i = 0; i < 3; i++) numbers[i] = places[3 * wrist + i] - places[3 * hips + i];
    numbers[3] = 10 * places[3 * hips + 1];
}

static marey_status rows(void *user, const marey_clip *clip, float *out, marey_error *error)
{
    test_own *own = user;
    own->asked++;
    if (own->fails) {
        *error = (marey_error){ .status = own->fails, .message = "the net is not there" };
        return own->fails;
    }
    for (int frame = 0; frame < marey_clip_frames(clip); frame++) {
        double numbers[TEST_OWN_COLUMNS];
        test_own_numbers(clip, frame, numbers);
        for (int c = 0; c < TEST_OWN_COLUMNS; c++)
            out[TEST_OWN_COLUMNS * frame + c] = (float)numbers[c];
    }
    if (own->bad != 0) out[TEST_OWN_COLUMNS * own->bad_frame + own->bad_column] = own->bad;
    return MAREY_OK;
}

marey_own_metric test_own_metric(test_own *user, const double *weights)
{
    return (marey_own_metric){ .metric = { .name = "hand", .unit = "" },
                               .columns = TEST_OWN_COLUMNS,
                               .weights = weights,
                               .rows = rows,
                               .user = user };
}
