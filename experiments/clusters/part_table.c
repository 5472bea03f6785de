/* part_table.c - table 1: parts of walks asked for in a dance, by one degree of freedom, for K = 2,
   3, 4; and the time that trying all ways takes. */
#include "clusters_parts.h"

#include <math.h>
#include <string.h>

static const char *DRIVING = "LeftLeg.Xrotation";
/* As many fragments as the paper's queries have. */
static const int WISHED[] = { 7, 6, 5, 8, 7, 5, 5, 6, 7, 6, 5, 13 };

typedef struct row {
    double error[3];
    int jumps[3];
} row;

static row ask(const lab *of, const marey_examples *in, const marey_example_query *query)
{
    row out;
    for (int k = 2; k <= 4; k++) {
        marey_example_found *found = NULL;
        marey_error error;
        int count;
        marey_example_find_def def = { .k = k, .best = 1 };
        lab_need(marey_examples_find(of->ctx, in, query, &def, &found, &error), &error);
        const marey_example_path *path = marey_example_paths(found, &count);
        out.error[k - 2] = path->error;
        out.jumps[k - 2] = path->jumps;
        marey_example_found_free(found);
    }
    return out;
}

static void print_row(int number, const char *clip, int start, int end, int fragments, row r)
{
    printf("| %d | %s#%d-%d | %d |", number, clip, start, end, fragments);
    for (int k = 0; k < 3; k++) printf(" %.2f |", r.error[k]);
    for (int k = 0; k < 3; k++) printf(" %d |", r.jumps[k]);
    printf("\n");
}

/* More candidates never mean more jumps, and with as many jumps never a larger error. */
static int breaks(row r)
{
    int wrong = 0;
    for (int k = 1; k < 3; k++) {
        wrong += r.jumps[k] > r.jumps[k - 1];
        wrong += r.jumps[k] == r.jumps[k - 1] && r.error[k] > r.error[k - 1];
    }
    return wrong;
}

void part_table(const lab *of)
{
    static lab_set walks, dances;
    static lab_query query;
    marey_dof dof[MAREY_MOST_DOFS];
    marey_error error;
    const marey_example_def paper = { .plain = true }; /* its fragments, and no others */
    int wrong = 0, fewer = 0, rows = (int)(sizeof WISHED / sizeof *WISHED);
    lab_dofs(DRIVING, dof);
    lab_load(of, "walk_query", 0, &walks);
    lab_load(of, "dance_target", 0, &dances);
    for (int t = 0; t < dances.count; t++) {
        marey_examples *in = NULL;
        const marey_clip *clip = dances.clips[t];
        lab_need(marey_examples_open(of->ctx, &clip, 1, dof, 1, &paper, &in, &error), &error);
        printf("\n## Table 1 against %s: %s, %d fragments\n\n", dances.names[t], DRIVING,
               marey_examples_fragments(in));
        printf("| no. | query | fragments | error, K = 2 | 3 | 4 | jumps, K = 2 | 3 | 4 |\n"
               "|---|---|---|---|---|---|---|---|---|\n");
        for (int i = 0; i < rows; i++) {
            int w = i % 2, start = 1 + 12 * (i / 2);
            int end = lab_query_end(of, walks.clips[w], dof, start, WISHED[i]);
            if (end < 0) end = lab_query_end(of, walks.clips[w = 1 - w], dof, start = 1, WISHED[i]);
            if (end < 0) continue;
            lab_query_take(of, walks.clips[w], start, end, dof, 1, &query);
            row r = ask(of, in, &query.ask);
            print_row(i + 1, walks.names[w], start, end, WISHED[i], r);
            wrong += breaks(r);
            fewer += r.jumps[2] < r.jumps[0];
        }
        marey_examples_free(in);
    }
    printf("\nRows in which more candidates mean more jumps, or a larger error with as many jumps: "
           "%d. Rows in which K = 4 has fewer jumps than K = 2: %d of %d.\n",
           wrong, fewer, rows * dances.count);
    lab_set_free(&walks);
    lab_set_free(&dances);
}

/* ---- all ways -------------------------------------------------------------------------------- */

/* Goes through all k^n ways, as the paper does, with made-up errors: only the time matters. */
static double try_all(int n, int k)
{
    double from = lab_cpu_s(), best = INFINITY;
    int at[16] = { 0 }, depth = 0;
    for (;;) {
        double sum = 0;
        int jumps = 0;
        for (int i = 0; i < n; i++) {
            sum += (at[i] * 7 + i) % 5;
            jumps += i > 0 && at[i] != at[i - 1];
        }
        if (jumps * 1e6 + sum < best) best = jumps * 1e6 + sum;
        for (depth = n - 1; depth >= 0 && ++at[depth] == k; depth--) at[depth] = 0;
        if (depth < 0) break;
    }
    return best < 0 ? 0 : lab_cpu_s() - from;
}

void part_ways(const lab *of)
{
    static lab_set walks, dances;
    static lab_query query;
    marey_dof dof[MAREY_MOST_DOFS];
    marey_examples *in = NULL;
    marey_error error;
    lab_dofs(DRIVING, dof);
    lab_load(of, "walk_query", 0, &walks);
    lab_load(of, "dance_target", 0, &dances);
    lab_need(marey_examples_open(of->ctx, (const marey_clip *const *)dances.clips, dances.count,
                                 dof, 1, NULL, &in, &error),
             &error);
    printf("\n## Ways\n\nA query of n fragments with K candidates each has K^n ways. Looking at "
           "all of "
           "them, beside the whole question by the table (finding candidates in three dances "
           "included; mean of 200):\n\n"
           "| n | K | ways | all, s | table, s |\n|---|---|---|---|---|\n");
    for (int n = 7; n <= 13; n += 3) {
        for (int k = 2; k <= 4; k++) {
            int end = lab_query_end(of, walks.clips[0], dof, 1, n);
            if (end < 0) continue;
            lab_query_take(of, walks.clips[0], 1, end, dof, 1, &query);
            double all = try_all(n, k), from = lab_cpu_s();
            for (int i = 0; i < 200; i++) {
                marey_example_found *found = NULL;
                marey_example_find_def def = { .k = k, .best = 1 };
                lab_need(marey_examples_find(of->ctx, in, &query.ask, &def, &found, &error),
                         &error);
                marey_example_found_free(found);
            }
            printf("| %d | %d | %.0f | %.6f | %.6f |\n", n, k, pow(k, n), all,
                   (lab_cpu_s() - from) / 200);
        }
    }
    marey_examples_free(in);
    lab_set_free(&walks);
    lab_set_free(&dances);
}
