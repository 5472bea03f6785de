/* feet_clip.c - see feet_clip.h. No joint turns, so a joint's place is the sum of its
   ancestors'. */
#include "feet_clip.h"

#include <stdio.h>
#include <stdlib.h>

static const char hierarchy[] =
    "HIERARCHY\nROOT Hips\n{\nOFFSET 0 0 0\nCHANNELS 3 Xposition Yposition Zposition\n"
    "JOINT LeftUpLeg\n{\nOFFSET 10 -4 0\nCHANNELS 0\nJOINT LeftLeg\n{\nOFFSET 0 -42 0\nCHANNELS 0\n"
    "JOINT LeftFoot\n{\nOFFSET 0 -40 0\nCHANNELS 3 Xposition Yposition Zposition\n"
    "JOINT LeftToeBase\n{\nOFFSET 0 -6 13\nCHANNELS 3 Xposition Yposition Zposition\n"
    "End Site\n{\nOFFSET 0 0 6\n}\n}\n}\n}\n}\n"
    "JOINT RightUpLeg\n{\nOFFSET -10 -4 0\nCHANNELS 0\nJOINT RightLeg\n{\nOFFSET 0 -42 0\n"
    "CHANNELS 0\n"
    "JOINT RightFoot\n{\nOFFSET 0 -40 0\nCHANNELS 3 Xposition Yposition Zposition\n"
    "JOINT RightToeBase\n{\nOFFSET 0 -6 13\nCHANNELS 3 Xposition Yposition Zposition\n"
    "End Site\n{\nOFFSET 0 0 6\n}\n}\n}\n}\n}\n"
    "JOINT Spine\n{\nOFFSET 0 12 0\nCHANNELS 0\nJOINT Spine1\n{\nOFFSET 0 18 0\nCHANNELS 0\n"
    "JOINT Neck\n{\nOFFSET 0 22 0\nCHANNELS 0\nJOINT Head\n{\nOFFSET 0 9 1\nCHANNELS 0\n"
    "End Site\n{\nOFFSET 0 16 0\n}\n}\n}\n"
    "JOINT LeftArm\n{\nOFFSET 17 16 0\nCHANNELS 0\nJOINT LeftForeArm\n{\nOFFSET 28 0 0\n"
    "CHANNELS 0\n"
    "JOINT LeftHand\n{\nOFFSET 25 0 0\nCHANNELS 3 Xposition Yposition Zposition\n"
    "End Site\n{\nOFFSET 8 0 0\n}\n}\n}\n}\n"
    "JOINT RightArm\n{\nOFFSET -17 16 0\nCHANNELS 0\nJOINT RightForeArm\n{\nOFFSET -28 0 0\n"
    "CHANNELS 0\n"
    "JOINT RightHand\n{\nOFFSET -25 0 0\nCHANNELS 3 Xposition Yposition Zposition\n"
    "End Site\n{\nOFFSET -8 0 0\n}\n}\n}\n}\n"
    "}\n}\n}\n";

test_feet test_feet_standing(void)
{
    return (test_feet){
        .point = { { 10, 9, 0 }, { 10, 3, 13 }, { -10, 9, 0 }, { -10, 3, 13 } },
        .hips = { 0, 95, 0 },
    };
}

static void write_frame(FILE *out, const test_feet *feet)
{
    fprintf(out, "%.9g %.9g %.9g", feet->hips[0], feet->hips[1], feet->hips[2]);
    for (int i = 0; i < 4; i++) {
        const double knee[3] = { feet->hips[0] + (i < 2 ? 10 : -10), feet->hips[1] - 46,
                                 feet->hips[2] };
        const double *from = i % 2 ? feet->point[i - 1] : knee, *at = feet->point[i];
        fprintf(out, " %.9g %.9g %.9g", at[0] - from[0], at[1] - from[1], at[2] - from[2]);
    }
    for (int i = 0; i < 2; i++) { /* from the elbow */
        const double *at = feet->hand[i], *hips = feet->hips;
        bool free = at[0] == 0 && at[1] == 0 && at[2] == 0;
        double side = i ? -1 : 1;
        fprintf(out, " %.9g %.9g %.9g", free ? 25 * side : at[0] - hips[0] - 45 * side,
                free ? 0 : at[1] - hips[1] - 46, free ? 0 : at[2] - hips[2]);
    }
    fputc('\n', out);
}

char *test_feet_text(int frames, double fps, void (*place)(void *user, int frame, test_feet *feet),
                     void *user)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    fprintf(out, "%sMOTION\nFrames: %d\nFrame Time: %.12g\n", hierarchy, frames, 1 / fps);
    for (int f = 0; f < frames; f++) {
        test_feet feet = test_feet_standing();
        place(user, f, &feet);
        write_frame(out, &feet);
    }
    fclose(out);
    return text;
}

marey_clip *test_feet_clip(marey_ctx *ctx, int frames, double fps,
                           void (*place)(void *user, int frame, test_feet *feet), void *user)
{
    char *text = test_feet_text(frames, fps, place, user);
    marey_clip *clip = test_clip(ctx, text);
    free(text);
    return clip;
}
