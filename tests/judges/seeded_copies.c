/* seeded_copies.c - copies of a clip as they are found in collections of motion. */
#include "seeded_copies.h"

#include "math/quat.h"
#include "math/turn.h"
#include "motion/clip_data.h"

#include <math.h>
#include <stdlib.h>

/* In place of the clip. */
static marey_clip *replace(marey_clip *clip, marey_status status, marey_clip *const *made)
{
    if (status) abort();
    marey_clip_free(clip);
    return *made;
}

static marey_clip *trim(marey_clip *clip, uint64_t *seed)
{
    marey_clip *made = NULL;
    int start = (int)(mry_random_between(seed, 0.1, 0.3) * clip->frames);
    int end = (int)(mry_random_between(seed, 0.7, 0.9) * clip->frames);
    return replace(clip, marey_clip_trim(clip, start, end, &made, NULL), &made);
}

static marey_clip *turn(marey_clip *clip, uint64_t *seed)
{
    marey_clip *made = NULL;
    double half = mry_random_between(seed, 0.3, 1.5);
    marey_layer layers[] = { { MAREY_LAYER_LEVEL,
                               -1,
                               0,
                               clip->frames,
                               { cos(half), 0, sin(half), 0, mry_random_between(seed, 100, 500), 0,
                                 mry_random_between(seed, 100, 500) } },
                             { MAREY_LAYER_RAISE, -1, 0, clip->frames, { 3, 3 } } };
    return replace(clip, marey_clip_repair(clip, layers, 2, &made, NULL), &made);
}

/* Numbers with fewer digits: a tenth of a centimetre, and two of a quaternion and a half. */
static marey_clip *cut_digits(marey_clip *clip, uint64_t *seed)
{
    (void)seed;
    for (size_t i = 0; i < (size_t)clip->frames * (size_t)clip->mover_count * 3; i++)
        clip->place[i] = rint(clip->place[i] * 10) / 10;
    for (size_t i = 0; i < (size_t)clip->frames * (size_t)clip->skeleton.joint_count; i++) {
        for (int k = 0; k < 4; k++)
            clip->turn[4 * i + (size_t)k] = rintf(clip->turn[4 * i + (size_t)k] * 500) / 500;
        mry_quat_normalize(clip->turn + 4 * i);
    }
    return clip;
}

static marey_clip *resample(marey_clip *clip, double fps)
{
    marey_clip *made = NULL;
    return replace(clip, marey_clip_resample(clip, fps, &made, NULL), &made);
}

static marey_clip *at_half_rate(marey_clip *clip, uint64_t *seed)
{
    (void)seed;
    return resample(clip, clip->fps / 2);
}

static marey_clip *at_25(marey_clip *clip, uint64_t *seed)
{
    (void)seed;
    return resample(clip, 25);
}

static marey_clip *enlarge(marey_clip *clip, uint64_t *seed)
{
    marey_clip *made = NULL;
    double factor = mry_random_between(seed, 0.5, 2);
    return replace(clip, marey_clip_scale(clip, factor, &made, NULL), &made);
}

static marey_clip *mirror(marey_clip *clip, uint64_t *seed)
{
    marey_clip *made = NULL;
    (void)seed;
    return replace(clip, marey_clip_mirror(clip, &made, NULL), &made);
}

static marey_clip *all_at_once(marey_clip *clip, uint64_t *seed)
{
    return cut_digits(mirror(enlarge(at_half_rate(turn(trim(clip, seed), seed), seed), seed), seed),
                      seed);
}

const seeded_copy_row seeded_copies[] = {
    { "trimmed to 0.4 to 0.8", trim },
    { "turned and moved", turn },
    { "fewer digits", cut_digits },
    { "half the rate", at_half_rate },
    { "25 a second", at_25 },
    { "scaled by 0.5 to 2", enlarge },
    { "mirrored", mirror },
    { "all at once, half the rate", all_at_once },
};
const int seeded_copies_count = sizeof seeded_copies / sizeof *seeded_copies;

marey_clip *seeded_copy(const marey_clip *clip, const seeded_copy_row *row, uint64_t *seed)
{
    marey_clip *same = NULL;
    if (marey_clip_repair(clip, NULL, 0, &same, NULL)) abort();
    return row->make(same, seed);
}
