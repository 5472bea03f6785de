/* body_search.c - the best way through the next hops: a beam search (Lowerre 1976), layer after
   layer, a hop each. Of each layer those are kept that are cheapest with what is still to come;
   ways that meet in the same frame after the same time, and are free again at the same time, are one. How much work it is depends on the
   width alone, never on the graph.

   Costs are cm: how far the body is from where it should be, once for every hop; how differently it
   moves and looks; transitions. */
#include "base/binary_heap.h"
#include "puppet/body_data.h"

#define NEAR_CM 20.0     /* too little for a step */
#define ASIDE_CM 50.0    /* looking the other way than where it should go, for a hop */
#define PACE_S 0.08      /* a difference of velocities counts like what it leads to in so long */
#define STANDING_CM 15.0 /* looking the other way while both stand */
#define WALKS_CM_S 40.0  /* it goes somewhere */
#define LEFT_FAR 2.0     /* what is to come: how far it is to where it should be .. */
#define LEFT_S 1.0       /* .. so much later .. */
#define LEFT_LOST 4.0    /* .. and what is lost on the way, as the graph can only turn so fast .. */
#define LEFT_NEAR_CM 100 /* .. which matters less from here on */
#define SHORT_S 0.25     /* transitions closer to each other than this .. */
#define SHORT_CM 30.0    /* .. cost so much more */

bool mry_search_open(mry_search *search, mry_arena *mem, const marey_body_ground *ground, int width,
                     int layers, double catch_up_s)
{
    int room = 1;
    while (room < 2 * width * MRY_BODY_MOST_HOPS) room *= 2;
    *search = (mry_search){ .ground = ground,
                            .width = width,
                            .layers = layers,
                            .catch_up_s = catch_up_s,
                            .met_room = room };
    mry_spot *spots = MRY_NEW_RAW(mem, mry_spot, (size_t)(layers + 1) * (size_t)width);
    for (int k = 0; k <= layers && spots; k++) search->spots[k] = spots + (size_t)k * (size_t)width;
    search->tries = MRY_NEW_RAW(mem, mry_try, width * MRY_BODY_MOST_HOPS);
    search->met = MRY_NEW_RAW(mem, int, room);
    return spots && search->tries && search->met;
}

/* ---- what it costs --------------------------------------------------------------------------- */

static double length(double x, double y)
{
    return sqrt(x * x + y * y);
}

bool mry_spot_may(const marey_body_ground *ground, const mry_spot *from, const mry_hop *hop)
{
    bool over = hop->transition >= 0, free = ground->graph->dwell.free[hop->to];
    return over ? from->owes <= hop->stay && (hop->owes > 0 || free)
                : from->owes > ground->frames || free;
}

mry_spot mry_spot_hop(const mry_search *search, const mry_spot *from, const mry_hop *hop,
                      const mry_aim *aim)
{
    int frames = search->ground->frames;
    mry_spot to = { .x = from->x + from->c * hop->x - from->s * hop->y,
                    .y = from->y + from->s * hop->x + from->c * hop->y,
                    .c = from->c * hop->c - from->s * hop->s,
                    .s = from->s * hop->c + from->c * hop->s,
                    .node = hop->to };
    to.owes = hop->transition >= 0 ? hop->owes : from->owes > frames ? from->owes - frames : 0;
    to.age = hop->transition < 0 ? from->age + frames : frames - 1 - hop->stay;
    /* Turned and shifted by what is not seen, towards where it should go. */
    const mry_stance *as = &search->ground->stances[to.node];
    double vx = to.c * as->vx - to.s * as->vy, vy = to.s * as->vx + to.c * as->vy;
    double x = aim->x - to.x, y = aim->y - to.y, off = length(x, y), went = length(hop->x, hop->y);
    double speed = length(vx, vy), shift = off > 0 ? fmin(MRY_BODY_SHIFT * went / off, 1) : 0;
    double fps = search->ground->graph->fps, hop_s = frames / fps;
    double wx = x + 0.5 * aim->vx, wy = y + 0.5 * aim->vy, want = length(wx, wy);
    to.bx = shift * x;
    to.by = shift * y;
    if (speed > WALKS_CM_S && want > NEAR_CM) {
        double across = vx * wy - vy * wx, ahead = vx * wx + vy * wy,
               sine = across / (speed * want);
        double most = MRY_BODY_TURN_RAD_S * hop_s * fmin(1, speed / (2 * WALKS_CM_S));
        to.turn = ahead > 0 ? fmin(fmax(sine, -most), most) : across > 0 ? most : -most;
    }
    double t = to.turn, c = to.c, s = to.s, one = 1 - 0.5 * t * t;
    to.x += to.bx;
    to.y += to.by;
    to.c = one * c - t * s;
    to.s = one * s + t * c;
    /* What it costs to be there. */
    vx = to.c * as->vx - to.s * as->vy;
    vy = to.s * as->vx + to.c * as->vy;
    x = aim->x - to.x;
    y = aim->y - to.y;
    double fx = to.c * as->fx - to.s * as->fy, fy = to.s * as->fx + to.c * as->fy;
    double cost = sqrt(x * x + y * y + NEAR_CM * NEAR_CM) - NEAR_CM + (double)as->odd;
    cost += PACE_S * length(vx - aim->vx, vy - aim->vy);
    wx = aim->vx + x / search->catch_up_s;
    wy = aim->vy + y / search->catch_up_s;
    double pace = length(wx, wy);
    if (pace > WALKS_CM_S)
        cost += ASIDE_CM * (1 - (fx * wx + fy * wy) / pace) / 2;
    else
        cost += STANDING_CM * (1 - (fx * aim->fx + fy * aim->fy)) / 2;
    /* And a transition to get there. */
    bool soon = SHORT_S * fps - (from->age + hop->stay) > 0;
    double cut = hop->transition < 0 ? 0 : (double)hop->cost + (soon ? SHORT_CM : 0);
    to.cost = from->cost + cost + cut;
    return to;
}

double mry_spot_left(const mry_search *search, const mry_spot *spot, const mry_aim *aim)
{
    double x = aim->x + LEFT_S * aim->vx - spot->x, y = aim->y + LEFT_S * aim->vy - spot->y;
    double far = length(x, y);
    if (far < NEAR_CM) return 0;
    double gets = mry_ground_reach(search->ground, spot->node, spot->c * x + spot->s * y,
                                   spot->c * y - spot->s * x);
    double lost = search->ground->farthest - gets;
    return LEFT_FAR * (far - NEAR_CM) + LEFT_LOST * lost * fmin(1, (far - NEAR_CM) / LEFT_NEAR_CM);
}

/* ---- the best tries of a layer --------------------------------------------------------------- */

/* The same in any order they come in. */
static bool is_worse(const void *user, const void *left, const void *right)
{
    const mry_try *a = left, *b = right;
    (void)user;
    if (a->cost != b->cost) return a->cost > b->cost;
    if (a->from != b->from) return a->from > b->from;
    return a->hop > b->hop;
}

/* Another try that ends in the same node takes its place if it is better. */
static void put_try(mry_search *search, mry_try attempt, int node)
{
    unsigned mask = (unsigned)search->met_room - 1, at = (unsigned)node * 2654435761u & mask;
    const mry_hop *hops = search->ground->hops;
    while (!search->apart && search->met[at] >= 0) {
        mry_try *other = &search->tries[search->met[at]];
        if (hops[other->hop].to == node && other->owes == attempt.owes) {
            if (is_worse(NULL, other, &attempt)) *other = attempt;
            return;
        }
        at = (at + 1) & mask;
    }
    search->met[at] = search->tried;
    search->tries[search->tried++] = attempt;
}

int mry_search_run(mry_search *search, const mry_spot *begin, const mry_aim *aims, mry_spot *way)
{
    int layer = 0, best = 0;
    search->spots[0][0] = *begin;
    search->counts[0] = 1;
    for (; layer < search->layers; layer++) {
        bool last = layer + 1 == search->layers;
        const marey_body_ground *g = search->ground;
        search->tried = 0;
        for (int i = 0; i < search->met_room && !search->apart; i++) search->met[i] = -1;
        for (int i = 0; i < search->counts[layer]; i++) {
            const mry_spot *from = &search->spots[layer][i];
            for (int h = g->first[from->node]; h < g->first[from->node + 1]; h++) {
                if (!mry_spot_may(g, from, &g->hops[h])) continue;
                mry_spot to = mry_spot_hop(search, from, &g->hops[h], &aims[layer]);
                double cost = to.cost + mry_spot_left(search, &to, &aims[layer]);
                put_try(search, (mry_try){ (float)cost, i, h, to.owes }, to.node);
            }
        }
        /* The best of them, in a heap with the worst on top. */
        mry_try *tries = search->tries;
        int width = search->width;
        mry_heap heap = { tries, width, sizeof *tries, is_worse, NULL, NULL };
        for (int i = width / 2 - 1; search->tried > width && i >= 0; i--) {
            mry_try one = tries[i];
            mry_heap_sink(&heap, i, &one);
        }
        for (int i = width; i < search->tried; i++) {
            if (is_worse(NULL, &tries[0], &tries[i])) mry_heap_sink(&heap, 0, &tries[i]);
        }
        if (search->tried > width) search->tried = width;
        for (int i = 0; i < search->tried; i++) {
            const mry_try *one = &search->tries[i];
            mry_spot *to = &search->spots[layer + 1][i];
            *to = mry_spot_hop(search, &search->spots[layer][one->from], &g->hops[one->hop],
                               &aims[layer]);
            if (last) to->cost = (double)one->cost;
            to->from = one->from;
            to->hop = one->hop;
        }
        search->counts[layer + 1] = search->tried;
        if (search->counts[layer + 1] == 0) break;
    }
    const mry_spot *ends = search->spots[layer];
    for (int i = 1; i < search->counts[layer]; i++) {
        if (ends[i].cost < ends[best].cost) best = i;
    }
    for (int k = layer; k >= 0; k--) {
        way[k] = search->spots[k][best];
        best = way[k].from;
    }
    return layer;
}
