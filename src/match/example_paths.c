/* example_paths.c - the best ways through the candidates of a query's fragments (clusters, 3.1.1 and 3.1.3). The paper tries all
   k^n of them and finds that "the optimization of this step is very essential". Both things that a way is judged by, its jumps and its
   error, are sums over its steps, so the best ways from a candidate to the end begin with a step to one of the next
   fragment's candidates and go on with one of the best ways from there: a table, filled from the last fragment to
   the first, in O(n k^2 p) for the p best (Bellman 1957; the p best as by Jimenez & Marzal 1999).

   It is exactly what trying them all gives, ties too. Errors are whole numbers, whose sums do not depend on their order. Ways
   with the same jumps and error are ordered by their candidates, the first fragment's first; filled from the end, that order is
   kept by taking, among equals, the way over the earlier next candidate, and of one candidate's ways the earlier one.

   Invariant: the ways of a candidate are sorted and all different. */
#include "match/example_data.h"

bool mry_path_table_make(mry_arena *mem, int fragments, int k, int best, mry_path_table *out)
{
    size_t cells = (size_t)fragments * (size_t)k;
    *out = (mry_path_table){ .fragments = fragments,
                             .k = k,
                             .best = best,
                             .ways = MRY_NEW_RAW(mem, mry_way, cells * (size_t)best),
                             .counts = MRY_NEW_RAW(mem, int, cells),
                             .first = MRY_NEW_RAW(mem, mry_way, best) };
    return out->ways && out->counts && out->first;
}

static mry_way *ways_of(const mry_path_table *table, int fragment, int candidate)
{
    size_t cell = (size_t)fragment * (size_t)table->k + (size_t)candidate;
    return table->ways + cell * (size_t)table->best;
}

static bool is_better(const mry_way *a, const mry_way *b)
{
    return a->jumps != b->jumps ? a->jumps < b->jumps : a->error < b->error;
}

/* The best ways over any candidate of a fragment, merged from the sorted ways of each; steps[c]: jumps on the way to c. */
static int merge(const mry_path_table *table, int fragment, int held, const int *steps,
                 mry_way *out)
{
    const int *counts = table->counts + (size_t)fragment * (size_t)table->k;
    int taken[MAREY_EXAMPLE_MOST_K] = { 0 }, found = 0;
    for (; found < table->best; found++) {
        mry_way least = { .jumps = -1 };
        for (int c = 0; c < held; c++) {
            if (taken[c] == counts[c]) continue;
            mry_way way = ways_of(table, fragment, c)[taken[c]];
            way = (mry_way){ way.error, way.jumps + steps[c], (uint8_t)c, (uint8_t)taken[c] };
            if (least.jumps < 0 || is_better(&way, &least)) least = way;
        }
        if (least.jumps < 0) break;
        taken[least.next]++;
        out[found] = least;
    }
    return found;
}

static void fill(mry_path_table *table, const mry_candidate *candidates, int held, int fragment)
{
    const mry_candidate *row = candidates + (size_t)fragment * (size_t)table->k;
    const mry_candidate *next = row + table->k;
    int steps[MAREY_EXAMPLE_MOST_K];
    for (int c = 0; c < held; c++) {
        mry_way *ways = ways_of(table, fragment, c);
        int *count = &table->counts[(size_t)fragment * (size_t)table->k + (size_t)c];
        if (fragment + 1 == table->fragments) {
            ways[0] = (mry_way){ 0 };
            *count = 1;
        } else {
            for (int d = 0; d < held; d++) {
                steps[d] = next[d].clip != row[c].clip || next[d].from != row[c].to;
            }
            *count = merge(table, fragment + 1, held, steps, ways);
        }
        for (int p = 0; p < *count; p++) ways[p].error += row[c].error;
    }
}

int mry_paths_find(mry_path_table *table, const mry_candidate *candidates, int held)
{
    static const int none[MAREY_EXAMPLE_MOST_K];
    for (int i = table->fragments - 1; i >= 0; i--) fill(table, candidates, held, i);
    table->first_count = merge(table, 0, held, none, table->first);
    return table->first_count;
}

void mry_path_read(const mry_path_table *table, int p, int *candidates)
{
    mry_way way = table->first[p];
    for (int i = 0; i < table->fragments; i++) {
        candidates[i] = way.next;
        way = ways_of(table, i, way.next)[way.way];
    }
}
