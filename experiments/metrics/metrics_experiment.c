/* metrics_experiment.c - the experiments of Guan & Yang on real clips: run time (table 2) and
   normalisers (figure 2) here, the others in the files beside. Prints tables, puts pictures into a
   folder. */
#include "lab.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MISSING = 77, TURNS = 20, OTHERS = 23 };

/* ---- table 2 --------------------------------------------------------------------------------- */

/* Every cell by itself in double, by the formula as it is printed: what the paper's programs
   did. */
static double time_plain(const finding *found)
{
    int rows = marey_features_rows(found->sides[0]), cols = marey_features_rows(found->sides[1]);
    double start = lab_seconds(), sum = 0;
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < cols; j++) {
            sum += marey_distance(found->sides[0], i, found->sides[1], j);
        }
    }
    double seconds = lab_seconds() - start;
    return sum == sum ? seconds : 0; /* curvature has no such form */
}

static void print_time(const lab *in, const char *name, double paper_s,
                       const marey_clip *const *clips)
{
    marey_metric_def def = lab_metric(in, name, NULL);
    double best = 1e9, plain = 1e9;
    for (int i = 0; i < TURNS; i++) {
        finding found = lab_find(in, clips, 2, &def, 0);
        if (found.seconds < best) best = found.seconds;
        double here = i < 3 ? time_plain(&found) : plain;
        if (here < plain) plain = here;
        finding_free(&found);
    }
    printf("| %s | %.3f | %.2f | ", name, paper_s, 1e3 * best);
    if (plain > 0) {
        printf("%.0f |\n", 1e3 * plain);
    } else {
        printf("- |\n");
    }
}

/* One thread, the best of 20. */
static void experiment_time(const lab *in)
{
    marey_ctx_def single = { .threads = 1 };
    lab alone = *in;
    if (marey_ctx_open(&single, &alone.ctx) != MAREY_OK) exit(1);
    marey_clip *walk = lab_load(&alone, "bandai/dataset-2_walk_exhausted_004", 0, 0, 0);
    marey_clip *run = lab_load(&alone, "bandai/dataset-2_run_elderly_001", 0, 0, 0);
    const marey_clip *clips[2] = { walk, run };
    printf("## Run time (table 2)\n\nWalk x run, %d x %d frames, one thread, from the clips to the "
           "sorted pairs, best of %d.\n\n",
           marey_clip_frames(walk), marey_clip_frames(run), TURNS);
    printf("| metric | paper, s | ours, ms | cell by cell in double, ms |\n|---|---|---|---|\n");
    print_time(&alone, "curvature", 1.842, clips);
    print_time(&alone, "positions", 7.585, clips);
    print_time(&alone, "angles", 9.844, clips);
    print_time(&alone, "points", 65.422, clips);
    print_time(&alone, "transition", 40, clips);
    printf("\n");
    marey_clip_free(walk);
    marey_clip_free(run);
    marey_ctx_close(alone.ctx);
}

/* ---- figure 2 -------------------------------------------------------------------------------- */

/* Beside the walk and the run, clips of every kind. Those captured at 60 a second are not among
   them. */
static const char *const others[OTHERS] = {
    "cmu/16_15",  "cmu/111_23", "cmu/137_16", "cmu/120_12", "cmu/113_04", "cmu/90_32",
    "cmu/137_24", "cmu/74_01",  "cmu/91_36",  "cmu/89_06",  "cmu/144_01", "cmu/49_06",
    "cmu/144_05", "cmu/144_20", "cmu/135_11", "cmu/144_22", "cmu/13_10",  "cmu/49_02",
    "cmu/13_11",  "cmu/83_40",  "cmu/13_02",  "cmu/83_27",  "cmu/144_33",
};

/* How much greater each normaliser is: the same cell with only that term, divided by the one and by
   the other. */
static void print_normalisers(const lab *in, const marey_clip *const *clips, int count)
{
    for (int t = 0; t < 4; t++) {
        double only[4] = { 0 }, cells[2];
        only[t] = 1;
        marey_metric_def def = lab_metric(in, "positions", only);
        for (int s = 0; s < 2; s++) {
            finding found = lab_find(in, clips, s ? count : 2, &def, 0);
            cells[s] = marey_distance(found.sides[0], 100, found.sides[1], 50);
            finding_free(&found);
        }
        printf(" %.2f |", cells[0] / cells[1]);
    }
    printf("\n");
}

static void print_normalised(const lab *in, const char *title, const marey_clip *const *clips,
                             int count, const finding *two, const char *picture)
{
    marey_metric_def def = lab_metric(in, "positions", NULL);
    finding found = lab_find(in, clips, count, &def, 0);
    printf("| %s | %.3f | %.1f %% |", title, finding_judge(&found).position_cm,
           100 * finding_common(two, &found));
    print_normalisers(in, clips, count);
    lab_picture(in, &found, clips[0], clips[1], picture, 380);
    finding_free(&found);
}

static void experiment_normalisers(const lab *in)
{
    const marey_clip *clips[OTHERS + 2] = { lab_walk(in), lab_run(in) };
    marey_metric_def def = lab_metric(in, "positions", NULL);
    for (int i = 0; i < OTHERS; i++) clips[2 + i] = lab_load(in, others[i], 0, 0, 0);
    finding two = lab_find(in, clips, 2, &def, 0);
    printf("## 2 clips against 25 (figure 2)\n\nWalk x run of CMU, `positions`, %d pairs; the "
           "normalisers as multiples of those of the 2 clips.\n\n",
           two.count);
    printf("| normalised by | D_p cm | pairs in common | positions | velocities | root velocity | "
           "root acceleration |\n|---|---|---|---|---|---|---|\n");
    print_normalised(in, "2 clips", clips, 2, &two, "normalised-2");
    print_normalised(in, "25 clips", clips, OTHERS + 2, &two, "normalised-25");
    clips[OTHERS + 1] = lab_load(in, "cmu/60_08", 0, 0, 0);
    print_normalised(in, "25 clips, one with a tracking fault", clips, OTHERS + 2, &two,
                     "normalised-fault");
    printf("\n");
    finding_free(&two);
}

int main(int argc, char **argv)
{
    char path[2048];
    marey_error error;
    if (argc != 3) {
        fprintf(stderr, "usage: metrics_experiment MOCAP FOLDER\n");
        return 2;
    }
    lab in = { .mocap = argv[1], .folder = argv[2] };
    snprintf(path, sizeof path, "%s/cmu/16_15.bvh", in.mocap);
    if (access(path, R_OK) != 0) {
        fprintf(stderr, "skipped: there is no real motion in %s\n", in.mocap);
        return MISSING;
    }
    if (marey_ctx_open(NULL, &in.ctx) != MAREY_OK) return 1;
    lab_must(marey_joint_weights_parse("lee", &in.joints, &error), &error);
    printf("<!-- Written by `./dev experiment metrics`. -->\n# Metrics: the numbers\n\n"
           "Lee's joints and 30 frames a second throughout; every metric finds 1 %% of the cells. "
           "Walk of CMU: cmu/91_57 from 2.3 to 7.2 s; run of CMU: cmu/38_03. "
           "What they mean is in [metrics.md](metrics.md).\n\n");
    experiment_time(&in);
    experiment_normalisers(&in);
    experiment_relative_places(&in);
    experiment_smoothing(&in);
    experiment_levels(&in);
    experiment_weights(&in);
    experiment_sets(&in);
    experiment_cuts(&in);
    return 0;
}
