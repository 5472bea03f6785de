/* walk_arrive.c - from which nodes a walk can still end at a given one, with exactly so many steps left.

   The set for k + 1 steps is that of the nodes with a step into the set for k steps. As there are only so many sets, they
   come again from some number on (in nearly every graph they are "all nodes" from there); Brent's method notices that with one
   comparison a set (Brent 1980). So it does not matter how long a walk is. */
#include "base/fail.h"
#include "graph/walk_data.h"

#include <string.h>

enum { WORD = 64 };

static bool has(const uint64_t *set, int node)
{
    return set[node / WORD] >> (node % WORD) & 1;
}

static void put(uint64_t *set, int node)
{
    set[node / WORD] |= UINT64_C(1) << (node % WORD);
}

static uint64_t *append(mry_arrivals *a, mry_arena *mem)
{
    if (a->count == a->room) {
        int room = a->room ? 2 * a->room : 64;
        uint64_t **sets = MRY_NEW(mem, uint64_t *, room);
        if (!sets) return NULL;
        if (a->count) memcpy(sets, a->sets, (size_t)a->count * sizeof *sets);
        a->sets = sets;
        a->room = room;
    }
    uint64_t *set = MRY_NEW(mem, uint64_t, a->words);
    if (set) a->sets[a->count++] = set;
    return set;
}

/* The nodes with a step into a set. */
static void step_back(const mry_ways *ways, const uint64_t *into, uint64_t *out)
{
    const marey_graph *graph = ways->graph;
    for (int n = 0; n < graph->nodes; n++) {
        int steps = ways->use[n] ? mry_step_count(graph, n) : 0;
        for (int k = 0; k < steps; k++) {
            int to = mry_step_at(ways, n, k).to;
            if (to < 0 || !has(into, to)) continue;
            put(out, n);
            break;
        }
    }
}

marey_status mry_arrivals_open(mry_arrivals *arrivals, mry_arena *mem, const mry_ways *ways, int to,
                               int steps, marey_error *error)
{
    mry_arrivals *a = arrivals;
    *a = (mry_arrivals){ .words = ((size_t)ways->graph->nodes + WORD - 1) / WORD };
    uint64_t *set = append(a, mem);
    if (!set) return mry_fail_memory(error, NULL);
    put(set, to);
    int marker = 0, next_marker = 2;
    while (a->count <= steps) {
        const uint64_t *last = set;
        if (mry_cancelled(mem->ctx)) return mry_fail_cancelled(error);
        set = append(a, mem);
        if (!set) return mry_fail_memory(error, NULL);
        step_back(ways, last, set);
        int number = a->count - 1;
        if (memcmp(set, a->sets[marker], a->words * sizeof *set) == 0) {
            a->base = marker;
            a->period = number - marker;
            break;
        }
        if (number == next_marker) {
            marker = number;
            next_marker *= 2;
        }
    }
    return MAREY_OK;
}

bool mry_arrives(const mry_arrivals *arrivals, int node, int steps)
{
    const mry_arrivals *a = arrivals;
    if (steps >= a->count) steps = a->base + (steps - a->base) % a->period;
    return has(a->sets[steps], node);
}
