/* exercise_labels.c - searching against labels of frames that are not ours (mocap6, Fox et al.
   2014): three clips of exercises, one of twelve labels every tenth of a second. A query is 2 s out
   of the middle of each labelled stretch; what is found is judged frame by frame. The exercises go
   round and round, so matches may overlap by half. */
#include "web_lab.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LABELS = 13, QUERY_ROWS = 120, FRAMES_PER_LABEL = 12 };

static const char *const clips[] = { "13_29", "13_30", "14_06" };

typedef struct exercises {
    web_set set;
    int *labels[3]; /* a row's; 0: none */
    char names[LABELS][32];
} exercises;

static FILE *open_label_file(const exercises *e, const char *name)
{
    char path[2048];
    snprintf(path, sizeof path, "%s/labels/mocap6/%s.txt", e->set.mocap, name);
    FILE *file = fopen(path, "r");
    if (file) return file;
    fprintf(stderr, "cannot read %s\n", path);
    exit(1);
}

/* Label i covers the captured frames 12 i + 1 .. 12 i + 12; frame 0 is the T-pose. */
static void read_labels(exercises *e, int clip)
{
    int rows = marey_features_rows(e->set.features[clip]), label;
    int per_row = set_frames_per_row(&e->set, clip);
    FILE *file = open_label_file(e, clips[clip]);
    e->labels[clip] = web_room((size_t)rows * sizeof *e->labels[clip]);
    for (int i = 0; fscanf(file, "%d", &label) == 1; i++) {
        int first = (FRAMES_PER_LABEL * i + 1) / per_row;
        int end = (FRAMES_PER_LABEL * (i + 1) + 1) / per_row;
        for (int r = first; r < end && r < rows; r++) e->labels[clip][r] = label;
    }
    fclose(file);
}

static void read_names(exercises *e)
{
    char line[128], name[32];
    int number;
    FILE *file = open_label_file(e, "classes");
    while (fgets(line, sizeof line, file)) {
        if (sscanf(line, "%d %31s", &number, name) == 2 && number > 0 && number < LABELS) {
            strcpy(e->names[number], name);
        }
    }
    fclose(file);
}

static void load_exercises(exercises *e, const web_set *like)
{
    char path[2048];
    e->set.ctx = like->ctx;
    e->set.mocap = like->mocap;
    for (int c = 0; c < 3; c++) {
        snprintf(path, sizeof path, "%s/cmu/%s.bvh", like->mocap, clips[c]);
        set_add(&e->set, path, clips[c], "exercises");
    }
    set_features(&e->set, NULL);
    set_build(&e->set, -1, NULL);
    for (int c = 0; c < 3; c++) read_labels(e, c);
    read_names(e);
}

/* ---- frame by frame -------------------------------------------------------------------------- */

typedef struct frame_score {
    double precision, recall, f1, threshold;
} frame_score;

static frame_score score_frames(const exercises *e, const marey_found *found, int count, int label)
{
    int right = 0, wrong = 0, all = 0;
    for (int c = 0; c < 3; c++) {
        int rows = marey_features_rows(e->set.features[c]);
        uint8_t *covered = web_room((size_t)rows);
        for (int i = 0; i < count; i++) {
            if (found[i].at.clip != c) continue;
            memset(covered + found[i].at.start, 1, (size_t)(found[i].at.end - found[i].at.start));
        }
        for (int r = 0; r < rows; r++) {
            bool is = e->labels[c][r] == label;
            all += is;
            right += covered[r] && is;
            wrong += covered[r] && !is && e->labels[c][r] > 0;
        }
        free(covered);
    }
    frame_score s = { .precision = right ? (double)right / (right + wrong) : 0,
                      .recall = all ? (double)right / all : 0 };
    if (right) s.f1 = 2 * s.precision * s.recall / (s.precision + s.recall);
    return s;
}

static frame_score best_score(const exercises *e, marey_segment query, int label, int tiers)
{
    frame_score best = { 0 };
    marey_webs webs = set_webs(&e->set);
    for (double threshold = 5; threshold < MAREY_WEB_CEILING; threshold *= 1.3) {
        marey_search_def def = {
            .threshold = threshold, .tiers = tiers, .distinct = 0.5, .limit = 400
        };
        marey_match_graph *graph;
        marey_error error;
        int count;
        web_must(marey_search(e->set.ctx, &webs, query, &def, &graph, &error), &error);
        const marey_found *found = marey_match_graph_nodes(graph, &count);
        frame_score s = score_frames(e, found, count, label);
        marey_match_graph_free(graph);
        s.threshold = threshold;
        if (s.f1 > best.f1) best = s;
    }
    return best;
}

/* ---- by label -------------------------------------------------------------------------------- */

typedef struct label_sum {
    int stretches;
    double seconds;
    frame_score sum[2], best; /* sum: of all tiers, of the first alone */
} label_sum;

static void try_stretch(const exercises *e, int clip, int start, int end, label_sum *to)
{
    int length = end - start < QUERY_ROWS ? end - start : QUERY_ROWS;
    int first = (start + end - length) / 2;
    marey_segment query = { clip, first, first + length };
    to->stretches++;
    for (int t = 0; t < 2; t++) {
        frame_score s = best_score(e, query, e->labels[clip][start], t);
        to->sum[t].precision += s.precision;
        to->sum[t].recall += s.recall;
        to->sum[t].f1 += s.f1;
        if (t == 0 && s.f1 > to->best.f1) to->best = s;
    }
}

static void print_labels(const exercises *e, const label_sum *sums)
{
    double f1 = 0, best = 0;
    int labels = 0;
    printf("\n## Labels of frames: mocap6\n\n2 s of each labelled stretch as the query, best "
           "threshold; "
           "precision and recall of frames, means over the stretches of a label.\n\n"
           "| label | stretches | labelled, s | precision | recall | F1 | F1, first tier alone | "
           "best query: precision | recall | threshold, cm2 "
           "|\n|---|---|---|---|---|---|---|---|---|---|\n");
    for (int l = 1; l < LABELS; l++) {
        const label_sum *s = &sums[l];
        if (s->stretches == 0) continue;
        printf("| %s | %d | %.0f | %.2f | %.2f | %.2f | %.2f | %.2f | %.2f | %.0f |\n", e->names[l],
               s->stretches, s->seconds, s->sum[0].precision / s->stretches,
               s->sum[0].recall / s->stretches, s->sum[0].f1 / s->stretches,
               s->sum[1].f1 / s->stretches, s->best.precision, s->best.recall, s->best.threshold);
        f1 += s->sum[0].f1 / s->stretches;
        best += s->best.f1;
        labels++;
    }
    printf("\nMean F1 over the %d labels: %.3f; of the best query of each: %.3f.\n", labels,
           f1 / labels, best / labels);
}

void experiment_labels(const web_set *like)
{
    exercises *e = web_room(sizeof *e);
    label_sum sums[LABELS] = { 0 };
    load_exercises(e, like);
    for (int c = 0; c < 3; c++) {
        int rows = marey_features_rows(e->set.features[c]);
        for (int start = 0, end; start < rows; start = end) {
            int label = e->labels[c][start];
            for (end = start; end < rows && e->labels[c][end] == label; end++) continue;
            if (label <= 0 || label >= LABELS) continue;
            sums[label].seconds += (end - start) / marey_layout_fps(e->set.layout);
            if (end - start >= 30) try_stretch(e, c, start, end, &sums[label]);
        }
    }
    print_labels(e, sums);
    for (int c = 0; c < 3; c++) free(e->labels[c]);
    set_free(&e->set);
    free(e);
}
