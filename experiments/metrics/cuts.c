/* cuts.c - cuts at the pairs that the metrics find, plain and smoothed (Guan & Yang 4.3, figure
   19).

   A cut is judged by its kink: the largest mean second difference of the joints' places in the
   frames around the seam. The same of the two clips around the two frames, uncut, is what there is
   without any cut. */
#include "lab.h"

#include <math.h>
#include <stdlib.h>

enum { CUTS = 10, APART = 6, SMOOTH = 20, REACH = 12 };

/* Of the joints with a role: a joint above the hips stands for no part of the body. p: three frames
   in a row. */
static double kink(const marey_skeleton *skeleton, const double *p)
{
    double sum = 0;
    int joints = skeleton->joint_count, count = 0;
    for (int r = 0; r < MAREY_ROLE_COUNT; r++) {
        int k = skeleton->roles[r];
        double d[3];
        for (int c = 0; c < 3 && k >= 0; c++) {
            d[c] = p[3 * k + c] - 2 * p[3 * (joints + k) + c] + p[3 * (2 * joints + k) + c];
        }
        sum += k >= 0 ? sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) : 0;
        count += k >= 0;
    }
    return count ? sum / count : 0;
}

static double largest_kink(const marey_clip *clip, int at)
{
    const marey_skeleton *skeleton = marey_clip_skeleton(clip);
    int frames = marey_clip_frames(clip), first = at - REACH < 1 ? 1 : at - REACH;
    int last = at + REACH > frames - 2 ? frames - 2 : at + REACH;
    double largest = 0, *p = lab_room((size_t)skeleton->joint_count * 9 * sizeof *p);
    for (int i = first; i <= last; i++) {
        marey_clip_positions(clip, i - 1, 3, p);
        double here = kink(skeleton, p);
        if (here > largest) largest = here;
    }
    free(p);
    return largest;
}

/* The best pairs that are not neighbours, and leave room for the smoothing. */
static int spread(const finding *found, marey_pair *out)
{
    int count = 0, rows = marey_features_rows(found->sides[0]);
    int cols = marey_features_rows(found->sides[1]);
    for (int i = 0; i < found->count && count < CUTS; i++) {
        marey_pair here = found->pairs[i];
        bool good = here.row > SMOOTH && here.row < rows - SMOOTH && here.col > SMOOTH &&
                    here.col < cols - SMOOTH;
        for (int k = 0; k < count && good; k++) {
            good = abs(out[k].row - here.row) >= APART || abs(out[k].col - here.col) >= APART;
        }
        if (good) out[count++] = here;
    }
    return count;
}

static double kink_of_cut(const marey_clip *a, const marey_clip *b, marey_pair at, int smooth)
{
    marey_error error;
    marey_clip *cut;
    marey_stitch_def def = { .smooth_frames = smooth };
    lab_must(marey_clip_stitch(a, at.row, b, at.col, &def, &cut, &error), &error);
    double kink = largest_kink(cut, at.row);
    marey_clip_free(cut);
    return kink;
}

static void measure(const lab *in, const char *title, const marey_clip *const *clips,
                    const marey_metric_def *def)
{
    marey_pair cuts[CUTS];
    finding found = lab_find(in, clips, 2, def, marey_clip_frames(clips[0]) * 20);
    int count = spread(&found, cuts);
    double plain = 0, smooth = 0, uncut = 0;
    for (int i = 0; i < count; i++) {
        double a = largest_kink(clips[0], cuts[i].row), b = largest_kink(clips[1], cuts[i].col);
        uncut += (a > b ? a : b) / count;
        plain += kink_of_cut(clips[0], clips[1], cuts[i], 0) / count;
        smooth += kink_of_cut(clips[0], clips[1], cuts[i], SMOOTH) / count;
    }
    marey_judgement judged = marey_judge(found.sides[0], found.sides[1], cuts, count);
    printf("| %s | %d | %.2f | %.2f | %.2f | %.2f |\n", title, count, judged.position_cm, uncut,
           plain, smooth);
    finding_free(&found);
}

/* Takes the clips. */
static void experiment_pair(const lab *in, marey_clip *a, marey_clip *b)
{
    static const char *const names[] = { "curvature", "points", "angles", "positions",
                                         "transition" };
    static const double improved[3] = { 0.1, 1, 0.1 };
    const marey_clip *clips[2] = { a, b };
    printf("%s x %s. Largest mean second difference of the joints, cm:\n\n", marey_clip_name(a),
           marey_clip_name(b));
    printf("| metric | cuts | D_p cm | uncut | plain cut | smoothed over 20 frames |\n"
           "|---|---|---|---|---|---|\n");
    for (int i = 0; i < 5; i++) {
        marey_metric_def def = lab_metric(in, names[i], NULL);
        measure(in, names[i], clips, &def);
    }
    marey_metric_def def = lab_metric(in, "angles", improved);
    measure(in, "angles, 0.1 : 1 : 0.1", clips, &def);
    printf("\n");
    marey_clip_free(a);
    marey_clip_free(b);
}

void experiment_cuts(const lab *in)
{
    printf("## Cuts (figure 19)\n\n");
    experiment_pair(in, lab_walk(in), lab_run(in));
    experiment_pair(in, lab_load(in, "bandai/dataset-2_walk_exhausted_004", 0, 0, 0),
                    lab_load(in, "bandai/dataset-2_run_elderly_001", 0, 0, 0));
}
