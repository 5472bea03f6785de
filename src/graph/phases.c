/* phases.c - motion cut where a foot comes down or leaves the floor, and all pairs of what lies between with the same feet on
   the floor. */
#include "graph/weave.h"

#include <string.h>

enum { LEFT = 1 << MAREY_CONTACT_LEFT_HEEL | 1 << MAREY_CONTACT_LEFT_TOE };
enum { RIGHT = 1 << MAREY_CONTACT_RIGHT_HEEL | 1 << MAREY_CONTACT_RIGHT_TOE };

static int feet_of(const marey_graph *graph, int node)
{
    int bits = graph->contacts[node];
    return (bits & LEFT ? 1 : 0) | (bits & RIGHT ? 2 : 0);
}

/* Feet that differ for a single frame from what is before are those before: nobody stands for a thirtieth of a second. */
static int settled_feet(const marey_graph *graph, int node, int before)
{
    int now = feet_of(graph, node), next = graph->next[node];
    bool alone = next >= 0 && feet_of(graph, next) != now;
    return alone && graph->before[node] >= 0 ? before : now;
}

int mry_phases_find(const marey_graph *graph, mry_arena *mem, mry_phase **out)
{
    mry_phase *phases = MRY_NEW(mem, mry_phase, graph->originals);
    if (!phases) return -1;
    int count = 0, sequence = -1, last = 0;
    for (int n = 0; n < graph->originals; n++) {
        bool starts = graph->before[n] < 0;
        int feet = settled_feet(graph, n, last);
        if (starts) sequence++;
        if (starts || feet != last)
            phases[count++] = (mry_phase){ .sequence = sequence, .first = n, .feet = feet };
        phases[count - 1].count++;
        last = feet;
    }
    *out = phases;
    return count;
}

/* ---- pairs ------------------------------------------------------------------------------------------ */

static bool is_pair(const mry_phase *phases, int count, int a, int b)
{
    return a >= 0 && b < count && phases[a].feet == phases[b].feet;
}

/* The phase behind this one in the same sequence. */
static bool goes_on(const mry_phase *phases, int count, int phase)
{
    return phase + 1 < count && phases[phase + 1].sequence == phases[phase].sequence;
}

static bool begins(const mry_phase *phases, int count, int a, int b)
{
    return a == 0 || !goes_on(phases, count, a - 1) || !goes_on(phases, count, b - 1) ||
           !is_pair(phases, count, a - 1, b - 1);
}

static int length_of(const mry_phase *phases, int count, int a, int b)
{
    int length = 1;
    while (goes_on(phases, count, a) && goes_on(phases, count, b) &&
           is_pair(phases, count, a + 1, b + 1)) {
        a++;
        b++;
        length++;
    }
    return length;
}

static int64_t walk_pairs(const mry_phase *phases, int count, mry_strand *out)
{
    int64_t found = 0;
    for (int a = 0; a < count; a++) {
        for (int b = a + 1; b < count; b++) {
            if (!is_pair(phases, count, a, b) || !begins(phases, count, a, b)) continue;
            if (out)
                out[found] =
                    (mry_strand){ .a = a, .b = b, .count = length_of(phases, count, a, b) };
            found++;
        }
    }
    return found;
}

int mry_strands_find(const mry_phase *phases, int count, mry_arena *mem, mry_strand **out)
{
    int64_t found = walk_pairs(phases, count, NULL);
    if (found >= INT32_MAX) return -1; /* there is no room for what they would make */
    *out = MRY_NEW(mem, mry_strand, (size_t)found + 1);
    if (!*out) return -1;
    return (int)walk_pairs(phases, count, *out);
}
