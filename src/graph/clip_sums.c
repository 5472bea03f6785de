/* clip_sums.c - which clips a saved graph was made of: of each frames, rate, joints, and sums of its
   numbers. */
#include "graph/clip_sums.h"

#include "graph/graph_data.h"

/* Sums that other clips of the same length would not have, told apart to what rounding can do on
   another machine. */
enum { SUMS = 2 };

static void sum_up(const marey_clip *clip, double *sums)
{
    sums[0] = sums[1] = 0;
    for (int f = 0; f < clip->frames; f++) {
        double share = (1.0 + f % 7) / clip->frames;
        const double *places = mry_place(clip, f);
        const float *turns = mry_turn(clip, f);
        for (int i = 0; i < 3 * clip->mover_count; i++) sums[0] += share * places[i];
        for (int i = 0; i < 4 * clip->skeleton.joint_count; i++)
            sums[1] += share * (1 + i % 5) * fabs((double)turns[i]); /* q and -q are one turn */
    }
}

void mry_put_clips(mry_bytes_writer *out, const marey_clip *const *clips, int count)
{
    mry_put_integer(out, count);
    for (int c = 0; c < count; c++) {
        mry_put_integer(out, clips[c]->frames);
        mry_put_number(out, clips[c]->fps);
        mry_put_integer(out, clips[c]->skeleton.joint_count);
        double sums[SUMS];
        sum_up(clips[c], sums);
        for (int i = 0; i < SUMS; i++) mry_put_number(out, sums[i]);
    }
}

bool mry_same_clips(mry_bytes_reader *in, const marey_clip *const *clips, int count)
{
    if (mry_get_integer(in, 1, MAREY_GRAPH_MOST_CLIPS) != count) return false;
    for (int c = 0; c < count; c++) {
        bool same = mry_get_integer(in, 1, MRY_MOST_FRAMES) == clips[c]->frames;
        same = mry_get_number(in) == clips[c]->fps && same;
        same = mry_get_integer(in, 1, MRY_MOST_JOINTS) == clips[c]->skeleton.joint_count && same;
        if (!same || in->failed) return false;
        double sums[SUMS];
        sum_up(clips[c], sums);
        for (int i = 0; i < SUMS; i++)
            same = fabs(mry_get_number(in) - sums[i]) <= 1e-5 * (1 + fabs(sums[i])) && same;
        if (!same || in->failed) return false;
    }
    return true;
}
