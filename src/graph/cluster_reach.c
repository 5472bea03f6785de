/* cluster_reach.c - which rows of a cluster graph lead from a clip to another: where the first can be left, where the last can be
   entered, and what is worth playing between. Without any distances: in a node one can switch from any sequence to any other. */
#include "graph/cluster_ways.h"

#include <math.h>
#include <string.h>

/* Which sequences of a node have a row that is worth switching to. */
typedef struct worth {
    int sequence; /* -1: none */
    bool several;
} worth;

/* ---- the ends ------------------------------------------------------------------------------------------------- */

static bool is_near(const mry_crossing *x, int clip, int row, bool given, int frame)
{
    if (!given) return true;
    double apart = mry_row_frame(x->of, row) - frame;
    return fabs(apart) <= x->def.within_s * x->of->clips[clip]->fps + 1e-6;
}

/* Rows from the beginning on, without a gap. */
static void find_leave(mry_crossing *x, bool anywhere)
{
    const marey_clusters *c = x->of;
    const marey_route_def *def = &x->def;
    bool played = false;
    for (int row = c->first_row[def->from_clip]; row < c->first_row[def->from_clip + 1]; row++) {
        if (c->sequence[row] < 0) continue;
        if (mry_row_begins(c, row)) played = x->from < 0;
        if (row == x->from) played = true;
        x->leave[row] =
            played && (anywhere || is_near(x, def->from_clip, row, def->leave_given, def->leave));
    }
}

/* Rows with something behind them that goes on to the end without a gap. */
static void find_enter(mry_crossing *x, bool anywhere)
{
    const marey_clusters *c = x->of;
    const marey_route_def *def = &x->def;
    bool ends = false;
    for (int row = c->first_row[def->to_clip + 1] - 1; row >= c->first_row[def->to_clip]; row--) {
        if (c->sequence[row] < 0) continue;
        if (!mry_row_goes_on(c, row)) ends = false;
        x->enter[row] =
            ends && (anywhere || is_near(x, def->to_clip, row, def->enter_given, def->enter));
        if (x->to < 0 || row == x->to) ends = true;
    }
}

/* ---- between them ------------------------------------------------------------------------------------------------ */

static void note(worth *of, int sequence)
{
    if (of->sequence < 0)
        of->sequence = sequence;
    else if (of->sequence != sequence)
        of->several = true;
}

static bool can_switch(const mry_crossing *x, const worth *nodes, int row)
{
    const worth *of = &nodes[mry_row_node(x->of, row)];
    return of->several || (of->sequence >= 0 && of->sequence != x->of->sequence[row]);
}

static void find_worth(const mry_crossing *x, worth *nodes)
{
    const marey_clusters *c = x->of;
    for (int n = 0; n < c->node_count; n++) nodes[n] = (worth){ .sequence = -1 };
    for (int row = 0; row < x->rows; row++) {
        if (c->sequence[row] < 0) continue;
        if (x->enter[row] || (mry_row_goes_on(c, row) && x->lead[row + 1]))
            note(&nodes[mry_row_node(c, row)], c->sequence[row]);
    }
}

/* Until nothing more leads there: every round takes one switch more. */
static void find_lead(mry_crossing *x, worth *nodes)
{
    const marey_clusters *c = x->of;
    for (bool more = true; more;) {
        more = false;
        find_worth(x, nodes);
        for (int row = x->rows - 1; row >= 0; row--) {
            if (c->sequence[row] < 0 || x->lead[row]) continue;
            if (!can_switch(x, nodes, row) && !(mry_row_goes_on(c, row) && x->lead[row + 1]))
                continue;
            x->lead[row] = 1;
            more = true;
        }
    }
}

bool mry_crossing_reach(mry_crossing *crossing, mry_arena *tmp, bool anywhere)
{
    worth *nodes = MRY_NEW_RAW(tmp, worth, crossing->of->node_count);
    if (!nodes) return false;
    memset(crossing->leave, 0, (size_t)crossing->rows);
    memset(crossing->enter, 0, (size_t)crossing->rows);
    memset(crossing->lead, 0, (size_t)crossing->rows);
    find_leave(crossing, anywhere);
    find_enter(crossing, anywhere);
    find_lead(crossing, nodes);
    for (int row = 0; row < crossing->rows; row++) {
        if (crossing->leave[row]) crossing->leave[row] = can_switch(crossing, nodes, row);
    }
    return true;
}
