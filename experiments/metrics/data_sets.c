/* data_sets.c - the metrics judged on three sets of clips (Guan & Yang 4.2.3.3, figures 17 and 18,
   table 3). */
#include "lab.h"

#include <stdlib.h>
#include <string.h>

enum { METHODS = 9, MOST_CLIPS = 16, MEASURES = 3, CLIPS_OF_C = 12 };

/* The first four compete; angles with equal weights, two other forms of curvature, the least D_p
   there is, and pairs picked blindly are to compare with. */
typedef struct method {
    const char *title, *metric;
    bool improved;   /* weights found by D_p */
    bool normalised; /* correlation, not covariance */
    bool everything; /* all candidates: what the pose alone lets through */
    double sum[MEASURES], pairs, seconds;
} method;

static const method methods[METHODS] = {
    { .title = "curvature and D_rp", .metric = "curvature" },
    { .title = "points", .metric = "points" },
    { .title = "angles, improved weights", .metric = "angles", .improved = true },
    { .title = "positions", .metric = "positions" },
    { .title = "angles, 1 : 1 : 1", .metric = "angles" },
    { .title = "curvature, normalised", .metric = "curvature", .normalised = true },
    { .title = "all candidates of curvature", .metric = "curvature", .everything = true },
    { .title = "transition: the least D_p there is", .metric = "transition" },
    { .title = "pairs picked blindly", .metric = "transition" },
};

enum { COMPETITORS = 4, BLIND = METHODS - 1 };

typedef struct data_set {
    const char *title, *picture;
    marey_clip *clips[MOST_CLIPS];
    int count;
    double weights[MAREY_MOST_ATTRIBUTES]; /* of angles */
} data_set;

/* Every so many cells, whatever they are worth. */
static void pick_blindly(finding *found)
{
    int cols = marey_features_rows(found->sides[1]);
    int cells = marey_features_rows(found->sides[0]) * cols;
    for (int i = 0; i < found->count; i++) {
        int cell = (int)(((double)i + 0.5) * cells / found->count);
        found->pairs[i] = (marey_pair){ .row = cell / cols, .col = cell % cols };
    }
}

static void measure_pair(const lab *in, const data_set *set, const marey_clip *const *clips,
                         method *all, const char *picture)
{
    for (int m = 0; m < METHODS; m++) {
        marey_metric_def def = lab_metric(in, all[m].metric, all[m].improved ? set->weights : NULL);
        def.normalised = all[m].normalised;
        int cells = marey_clip_frames(clips[0]) * marey_clip_frames(clips[1]);
        finding found = lab_find(in, clips, set->count, &def, all[m].everything ? cells : 0);
        if (m == BLIND) pick_blindly(&found);
        marey_judgement judged = finding_judge(&found);
        double values[MEASURES] = { judged.position_cm, judged.velocity, judged.acceleration };
        for (int k = 0; k < MEASURES; k++) all[m].sum[k] += values[k] * judged.pairs;
        all[m].pairs += judged.pairs;
        all[m].seconds += found.seconds;
        if (picture && m < COMPETITORS) {
            char name[256];
            snprintf(name, sizeof name, "%s-%s", picture, all[m].metric);
            lab_picture(in, &found, clips[0], clips[1], name, 300);
        }
        finding_free(&found);
    }
}

static double mean(const method *one, int measure)
{
    return one->sum[measure] / one->pairs;
}

static int rank(const method *all, int m, int measure)
{
    int place = 1;
    for (int k = 0; k < COMPETITORS; k++) place += mean(&all[k], measure) < mean(&all[m], measure);
    return place;
}

static void print_set(const data_set *set, const method *all)
{
    printf("### %s\n\nangles improved: %.4g : %.4g : %.4g; %.0f pairs each.\n\n", set->title,
           set->weights[0], set->weights[1], set->weights[2], all[0].pairs);
    printf("| metric | D_p cm | rank | over the least | D_v (cm/s)² | rank | D_a (cm/s²)² | rank | "
           "s |\n|---|---|---|---|---|---|---|---|---|\n");
    for (int m = 0; m < METHODS; m++) {
        char ranks[MEASURES][8];
        for (int k = 0; k < MEASURES; k++) {
            snprintf(ranks[k], sizeof ranks[k], m < COMPETITORS ? "%d" : "-", rank(all, m, k));
        }
        printf("| %s | %.3f | %s | %.2f | %.0f | %s | %.0f | %s | %.3f |\n", all[m].title,
               mean(&all[m], 0), ranks[0], mean(&all[m], 0) / mean(&all[METHODS - 2], 0),
               mean(&all[m], 1), ranks[1], mean(&all[m], 2), ranks[2], all[m].seconds);
    }
    printf("\n");
}

/* All pairs of different clips; a clip with itself would only find its own frames. */
static void experiment_set(const lab *in, const data_set *set)
{
    method all[METHODS];
    memcpy(all, methods, sizeof all);
    for (int i = 0; i < set->count; i++) {
        for (int j = i + 1; j < set->count; j++) {
            const marey_clip *clips[MOST_CLIPS] = { set->clips[i], set->clips[j] };
            for (int k = 0, at = 2; k < set->count; k++) {
                if (k != i && k != j) clips[at++] = set->clips[k];
            }
            measure_pair(in, set, clips, all, set->count == 2 ? set->picture : NULL);
        }
    }
    print_set(set, all);
}

/* The paper's way: all of a uniform space of 10 values. */
static void improve_weights(const lab *in, data_set *set)
{
    marey_error error;
    marey_weights_result best;
    const marey_clip *clips[2] = { set->clips[0], set->clips[1] };
    marey_metric_def def = lab_metric(in, "angles", NULL);
    finding found = lab_find(in, clips, 2, &def, 0);
    lab_must(marey_weights_search(in->ctx, found.sides[0], found.sides[1], NULL, &best, &error),
             &error);
    memcpy(set->weights, best.weights, sizeof set->weights);
    finding_free(&found);
}

static void free_clips(data_set *set)
{
    for (int i = 0; i < set->count; i++) marey_clip_free(set->clips[i]);
}

/* C's weights are those of A from the same database: a search takes two clips. */
static void experiment_many(const lab *in, const double *weights)
{
    static const struct {
        const char *name;
        double source_fps;
    } names[CLIPS_OF_C] = {
        { "cmu/143_41", 60 }, { "cmu/137_16", 0 }, { "cmu/120_12", 0 }, { "cmu/113_04", 0 },
        { "cmu/141_12", 60 }, { "cmu/93_03", 60 }, { "cmu/90_32", 0 },  { "cmu/137_24", 0 },
        { "cmu/74_01", 0 },   { "cmu/91_36", 0 },  { "cmu/16_15", 0 },  { "cmu/38_03", 0 },
    };
    data_set set = { .title = "C: 12 clips of CMU, sneaking, drunk walk, dances, walks, a run",
                     .count = CLIPS_OF_C };
    memcpy(set.weights, weights, sizeof set.weights);
    for (int i = 0; i < CLIPS_OF_C; i++) {
        set.clips[i] = lab_load(in, names[i].name, names[i].source_fps, 0, 0);
    }
    experiment_set(in, &set);
    free_clips(&set);
}

/* Takes the clips. Leaves the improved weights. */
static void experiment_two(const lab *in, data_set set, double *weights)
{
    set.count = 2;
    improve_weights(in, &set);
    experiment_set(in, &set);
    free_clips(&set);
    if (weights) memcpy(weights, set.weights, sizeof set.weights);
}

/* The beam is 29 cm high; the paper's clips are all on one level, so it is lowered by that
   first. */
void experiment_sets(const lab *in)
{
    double weights[MAREY_MOST_ATTRIBUTES];
    printf("## Three data sets (figures 17 and 18)\n\n");
    data_set a = { .title = "A: walk and run, bandai, 300 x 237 frames",
                   .picture = "set-a-bandai" };
    a.clips[0] = lab_load(in, "bandai/dataset-2_walk_exhausted_004", 0, 0, 0);
    a.clips[1] = lab_load(in, "bandai/dataset-2_run_elderly_001", 0, 0, 0);
    experiment_two(in, a, NULL);
    data_set a2 = { .title = "A2: walk and run, CMU, 145 x 191 frames", .picture = "set-a2" };
    a2.clips[0] = lab_walk(in);
    a2.clips[1] = lab_run(in);
    experiment_two(in, a2, weights);
    data_set b = { .title = "B: twist and balance beam, CMU, 260 x 300 frames, on one level",
                   .picture = "set-b" };
    b.clips[0] = lab_load(in, "cmu/141_12", 60, 24, 284);
    b.clips[1] = lab_load_on_ramp(in, "cmu/89_06", 0, 29, 545, 845);
    experiment_two(in, b, NULL);
    data_set raised = { .title = "B as it was captured: the beam is 29 cm high",
                        .picture = "set-b-raised" };
    raised.clips[0] = lab_load(in, "cmu/141_12", 60, 24, 284);
    raised.clips[1] = lab_load(in, "cmu/89_06", 0, 545, 845);
    experiment_two(in, raised, NULL);
    experiment_many(in, weights);
}
