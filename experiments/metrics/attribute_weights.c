/* attribute_weights.c - what the weights of a metric's terms do to the pairs that it finds (Guan &
   Yang, figure 1), and which are best by D_p (4.2.2 and 4.2.3.2, figures 15 and 16). */
#include "lab.h"

#include <string.h>

enum { SETS = 5, SEARCHES = 5 };

typedef struct search_row {
    const char *title;
    marey_weights_def def;
} search_row;

static const search_row searches[SEARCHES] = {
    { "uniform, 10 values", { .space = MAREY_WEIGHTS_UNIFORM } },
    { "uniform, refined twice", { .space = MAREY_WEIGHTS_UNIFORM, .refinements = 2 } },
    { "non-uniform, 10 values", { .space = MAREY_WEIGHTS_NON_UNIFORM } },
    { "non-uniform, refined twice", { .space = MAREY_WEIGHTS_NON_UNIFORM, .refinements = 2 } },
    { "optimised", { .space = MAREY_WEIGHTS_OPTIMISED } },
};

static void print_weights(const double *weights, int count)
{
    for (int i = 0; i < count; i++) printf("%s%.4g", i ? " : " : "", weights[i]);
}

/* ---- figure 1 -------------------------------------------------------------------------------- */

static void print_sets(const lab *in, const marey_clip *const *clips, const char *picture)
{
    /* root, angles, velocities: all alike; the paper's three optima; an animator's guess the other
       way round */
    static const double sets[SETS][3] = {
        { 1, 1, 1 }, { 0.1, 1, 0.1 }, { 0.05, 1, 0.02 }, { 1, 1, 0.1 }, { 1, 0.1, 1 }
    };
    finding first = { .count = 0 };
    printf("| root : angles : velocities | D_p cm | D_v | D_a | pairs in common with 1 : 1 : 1 |\n"
           "|---|---|---|---|---|\n");
    for (int s = 0; s < SETS; s++) {
        marey_metric_def def = lab_metric(in, "angles", sets[s]);
        finding found = lab_find(in, clips, 2, &def, 0);
        marey_judgement judged = finding_judge(&found);
        if (s == 0) first = found;
        printf("| ");
        print_weights(sets[s], 3);
        printf(" | %.3f | %.0f | %.0f | %.1f %% |\n", judged.position_cm, judged.velocity,
               judged.acceleration, 100 * finding_common(&first, &found));
        if (picture && s < 2) {
            char name[256];
            snprintf(name, sizeof name, "%s-%d", picture, s);
            lab_picture(in, &found, clips[0], clips[1], name, 380);
        }
        if (s) finding_free(&found);
    }
    printf("\n");
    finding_free(&first);
}

/* ---- figures 15 and 16 ----------------------------------------------------------------------- */

static void print_search(const lab *in, const finding *found, const search_row *row)
{
    marey_error error;
    marey_weights_result best;
    double start = lab_seconds();
    lab_must(
        marey_weights_search(in->ctx, found->sides[0], found->sides[1], &row->def, &best, &error),
        &error);
    printf("| %s | ", row->title);
    print_weights(best.weights, best.count);
    printf(" | %.4f | %lld | %.2f |\n", best.position_cm, (long long)best.evaluations,
           lab_seconds() - start);
}

static void print_searches(const lab *in, const marey_clip *const *clips, const char *metric)
{
    marey_metric_def def = lab_metric(in, metric, NULL);
    finding found = lab_find(in, clips, 2, &def, 0);
    int count = def.metric->attribute_count;
    printf("`%s`, ", metric);
    for (int i = 0; i < count; i++) printf("%s%s", i ? " : " : "", def.metric->attributes[i]);
    printf(":\n\n| search | weights | D_p cm | evaluations | s |\n|---|---|---|---|---|\n");
    printf("| all alike | %s | %.4f | 1 | |\n", count == 3 ? "1 : 1 : 1" : "1 : 1 : 1 : 1",
           finding_judge(&found).position_cm);
    for (int i = 0; i < SEARCHES; i++) print_search(in, &found, &searches[i]);
    printf("\n");
    finding_free(&found);
}

/* Takes the clips. */
static void experiment_pair(const lab *in, const char *title, marey_clip *a, marey_clip *b,
                            const char *picture)
{
    const marey_clip *clips[2] = { a, b };
    printf("### %s: %s x %s, %d x %d frames\n\n", title, marey_clip_name(a), marey_clip_name(b),
           marey_clip_frames(a), marey_clip_frames(b));
    print_sets(in, clips, picture);
    print_searches(in, clips, "angles");
    print_searches(in, clips, "positions");
    marey_clip_free(a);
    marey_clip_free(b);
}

void experiment_weights(const lab *in)
{
    const char *walk = "bandai/dataset-2_walk_exhausted_004";
    const char *run = "bandai/dataset-2_run_elderly_001";
    const char *dance = "bandai/dataset-1_dance-short_normal_001";
    printf("## Attribute weights (figures 1, 15 and 16)\n\n");
    experiment_pair(in, "Walk and run, bandai", lab_load(in, walk, 0, 0, 0),
                    lab_load(in, run, 0, 0, 0), "weights-bandai");
    experiment_pair(in, "Walk and run, CMU", lab_walk(in), lab_run(in), "weights-walk-run");
    experiment_pair(in, "Dance and run, bandai", lab_load(in, dance, 0, 300, 600),
                    lab_load(in, run, 0, 0, 0), NULL);
    experiment_pair(in, "Dance and run, CMU", lab_load(in, "cmu/113_04", 0, 0, 0), lab_run(in),
                    "weights-dance-run");
}
