/* part_naming.c - what tells the behaviours from each other, as shown, by the rule and as learned;
   and whether they can be named: by the nearest mean of measures of pieces of the demonstrations,
   in units of their spread within a behaviour. */
#include "puppet_lab.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { PIECES = 14 }; /* of a demonstration, each as long as a path, evenly spaced */

static void split(const puppet_lab *lab, int ready, int first, int count, marey_entity *main,
                  marey_entity *react)
{
    for (int i = 0; i < count; i++) {
        main[i] = lab->shown[ready][first + i].main;
        react[i] = lab->shown[ready][first + i].react;
    }
}

static lab_measures measure_shown(const puppet_lab *lab, int ready, int first, int count)
{
    marey_entity *main = malloc((size_t)count * 2 * sizeof *main);
    if (!main) exit(1);
    split(lab, ready, first, count, main, main + count);
    lab_measures m = lab_measure(main, main + count, count);
    free(main);
    return m;
}

static lab_measures measure_answer(const puppet_lab *lab, int ready, uint64_t path, bool rule)
{
    static marey_entity main[LAB_PATH], react[LAB_PATH];
    lab_wander(path, main, LAB_PATH);
    if (rule)
        marey_ready_puppet_react(lab->ready[ready], main, LAB_PATH, react);
    else
        lab_react(lab, lab->puppets[ready], NULL, main, LAB_PATH, react);
    return lab_measure(main, react, LAB_PATH);
}

/* ---- measures -------------------------------------------------------------------------------- */

static void print_mean(const puppet_lab *lab, int ready, bool rule, const char *what)
{
    static lab_measures all[LAB_PATHS];
    for (int p = 0; p < LAB_PATHS; p++) all[p] = measure_answer(lab, ready, (uint64_t)p, rule);
    printf("| %s, %s |", lab->ready[ready]->name, what);
    for (int i = 0; i < LAB_MEASURES; i++) {
        double mean = 0, square = 0;
        for (int p = 0; p < LAB_PATHS; p++) mean += all[p].of[i] / LAB_PATHS;
        for (int p = 0; p < LAB_PATHS; p++) square += pow(all[p].of[i] - mean, 2) / LAB_PATHS;
        int digits = lab_measure_names[i].digits;
        printf(" %.*f ± %.*f |", digits, mean, digits, sqrt(square));
    }
    printf("\n");
}

void part_measures(const puppet_lab *lab)
{
    printf("\n## What tells them from each other\n\nAs shown: the whole demonstration. The rule "
           "and the learned one: on the same "
           "%d unseen main paths of %d s, mean and standard deviation over the paths.\n\n| |",
           LAB_PATHS, LAB_PATH / LAB_RATE);
    for (int i = 0; i < LAB_MEASURES; i++) printf(" %s |", lab_measure_names[i].name);
    printf("\n|---|---|---|---|---|---|---|---|---|\n");
    for (int k = 0; k < LAB_READY; k++) {
        lab_measures m = measure_shown(lab, k, 0, lab->ready[k]->samples);
        printf("| **%s**, as shown |", lab->ready[k]->name);
        for (int i = 0; i < LAB_MEASURES; i++)
            printf(" %.*f |", lab_measure_names[i].digits, m.of[i]);
        printf("\n");
        print_mean(lab, k, true, "the rule on unseen paths");
        print_mean(lab, k, false, "learned, on unseen paths");
    }
}

/* ---- names ----------------------------------------------------------------------------------- */

typedef struct namer {
    lab_measures mean[LAB_READY];
    double spread[LAB_MEASURES];
} namer;

static namer learn(const puppet_lab *lab)
{
    static lab_measures pieces[LAB_READY][PIECES];
    namer n = { 0 };
    for (int k = 0; k < LAB_READY; k++) {
        int far = (lab->ready[k]->samples - LAB_PATH) / (PIECES - 1);
        for (int p = 0; p < PIECES; p++) {
            pieces[k][p] = measure_shown(lab, k, p * far, LAB_PATH);
            for (int i = 0; i < LAB_MEASURES; i++) n.mean[k].of[i] += pieces[k][p].of[i] / PIECES;
        }
    }
    for (int i = 0; i < LAB_MEASURES; i++) {
        double sum = 0;
        for (int k = 0; k < LAB_READY; k++) {
            for (int p = 0; p < PIECES; p++) sum += pow(pieces[k][p].of[i] - n.mean[k].of[i], 2);
        }
        n.spread[i] = sqrt(sum / (LAB_READY * PIECES));
    }
    return n;
}

static int name(const namer *n, const lab_measures *m)
{
    int best = -1;
    double least = INFINITY;
    for (int k = 0; k < LAB_READY; k++) {
        double sum = 0;
        for (int i = 0; i < LAB_MEASURES; i++)
            sum += pow((m->of[i] - n->mean[k].of[i]) / n->spread[i], 2);
        if (sum >= least) continue;
        least = sum;
        best = k;
    }
    return best;
}

static void print_names(const puppet_lab *lab, const namer *n, bool rule, const char *title)
{
    int right = 0;
    printf("\n### %s\n\n| is |", title);
    for (int k = 0; k < LAB_READY; k++) printf(" named %s |", lab->ready[k]->name);
    printf("\n|---|---|---|---|---|---|\n");
    for (int k = 0; k < LAB_READY; k++) {
        int times[LAB_READY] = { 0 };
        for (int p = 0; p < LAB_PATHS; p++) {
            lab_measures m = measure_answer(lab, k, (uint64_t)p, rule);
            times[name(n, &m)]++;
        }
        printf("| %s |", lab->ready[k]->name);
        for (int other = 0; other < LAB_READY; other++) printf(" %d |", times[other]);
        printf("\n");
        right += times[k];
    }
    printf("\nRight: %.1f %%.\n", 100.0 * right / (LAB_READY * LAB_PATHS));
}

void part_naming(const puppet_lab *lab)
{
    namer n = learn(lab);
    printf("\n## Named by a classifier that knows the demonstrations alone\n\nNearest mean of the "
           "measures above over %d pieces of %d s of each demonstration, "
           "each measure in units of its spread within a behaviour. %d unseen main paths, each "
           "answered by all five.\n",
           PIECES, LAB_PATH / LAB_RATE, LAB_PATHS);
    print_names(lab, &n, false, "Learned");
    print_names(lab, &n, true, "The rules themselves, for comparison");
}
