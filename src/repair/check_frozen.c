/* check_frozen.c - frames in which nothing moves at all.

   A captured body is never still: breath, balance and the noise of the cameras change some number in
   every frame. Frames that repeat the one before them bit by bit are a tracker that held its last
   answer, unless the whole clip is so made (a pose, a generated clip, a rate that was doubled by
   repeating frames). What happened meanwhile is lost, so the frames are marked. */
#include "math/quat.h"
#include "repair/exam.h"

#include <string.h>

static const double SHORTEST_S = 0.06; /* shorter holds are no loss that anybody sees */
static const double MOST_A_SECOND = 1; /* holds: a clip with more of them was made so */
static const double SLOW_CM = 0.5;     /* no joint moves farther in a frame, */
static const double QUICK = 2;         /* nor so many times as far when it goes on */

static bool same_frames(const marey_clip *clip, int a, int b)
{
    size_t turns = (size_t)clip->skeleton.joint_count * 4 * sizeof(float);
    size_t places = (size_t)clip->mover_count * 3 * sizeof(double);
    return memcmp(mry_turn(clip, a), mry_turn(clip, b), turns) == 0 &&
           memcmp(mry_place(clip, a), mry_place(clip, b), places) == 0;
}

/* The largest way of a joint from one frame to the next. */
static double largest_step(const mry_exam *exam, int frame)
{
    double most = 0;
    for (int j = 0; j < exam->clip->skeleton.joint_count; j++)
        most =
            fmax(most, mry_distance3(mry_exam_at(exam, frame, j), mry_exam_at(exam, frame + 1, j)));
    return most;
}

bool mry_check_frozen(mry_exam *exam)
{
    const marey_clip *clip = exam->clip;
    int holds = 0, first = exam->count;
    for (int f = 1; f < clip->frames; f++) {
        if (exam->marked[f] || exam->marked[f - 1] || !same_frames(clip, f - 1, f)) continue;
        int start = f;
        while (f < clip->frames && !exam->marked[f] && same_frames(clip, f - 1, f)) f++;
        int end = f--, count = end - start;
        holds++;
        if (count < 2 || count < SHORTEST_S * clip->fps || end >= clip->frames || start < 2)
            continue;
        /* A pose that is slowly come to, held and left is no loss. */
        double leap = largest_step(exam, end - 1), before = largest_step(exam, start - 2);
        double behind = end + 1 < clip->frames ? largest_step(exam, end) : before;
        double usual = fmax(before, behind);
        if (usual < SLOW_CM && leap < QUICK * usual + SLOW_CM / 10) continue;
        marey_flaw flaw = { .kind = MAREY_FLAW_FROZEN,
                            .joint = -1,
                            .start = start,
                            .end = end,
                            .size = count / clip->fps,
                            .certainty = 0.95,
                            .mendable = true,
                            .repair = { MAREY_LAYER_MARK, -1, start, end, { MAREY_MARK_FROZEN } } };
        if (!mry_flaw_add(exam, &flaw)) return false;
    }
    if (holds > fmax(MOST_A_SECOND * clip->frames / clip->fps, 3)) exam->count = first;
    for (int i = first; i < exam->count; i++) { /* and no later check looks for motion in them */
        const marey_flaw *flaw = &exam->flaws[i];
        memset(exam->marked + flaw->start, 1, (size_t)(flaw->end - flaw->start));
    }
    return true;
}
