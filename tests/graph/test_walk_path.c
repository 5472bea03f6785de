/* test_walk_path.c - walks along a path on the floor: against an exhaustive search, and at the
   edges of what can be asked. The graphs are made by hand; how real clips follow real paths is
   bench_path's. */
#include "graph/walk_path.h"
#include "hand_graph.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846

static uint32_t dice(uint32_t *seed, uint32_t sides)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (*seed >> 8) % sides;
}

static int by_ends(const void *left, const void *right)
{
    const hand_link *a = left, *b = right;
    return a->from != b->from ? a->from - b->from : a->to - b->to;
}

/* Four sequences of six frames that go straight or turn, each joined with others at its end and
   somewhere before. */
static marey_graph *random_graph(marey_ctx *ctx, uint32_t seed)
{
    enum { WAYS = 4, FRAMES = 6, LINKS = 9 };
    static const int turns[] = { -60, 0, 0, 60 };
    hand_sequence ways[WAYS];
    hand_link links[LINKS];
    for (int i = 0; i < WAYS; i++) {
        ways[i] = (hand_sequence){ .frames = FRAMES,
                                   .direction_deg = (int)dice(&seed, 360),
                                   .speed_cm_s = 120 + (int)dice(&seed, 120),
                                   .turn_deg_s = turns[dice(&seed, 4)] };
    }
    int count = 0;
    for (int i = 0; i < LINKS; i++) {
        int way = i % WAYS, to = i < WAYS ? (way + 1) % WAYS : (int)dice(&seed, WAYS);
        hand_link one = { .from = FRAMES * way + (i < WAYS ? FRAMES - 1 : (int)dice(&seed, FRAMES)),
                          .to = FRAMES * to + (int)dice(&seed, 3),
                          .turn_deg = ways[way].direction_deg - ways[to].direction_deg +
                                      (int)dice(&seed, 40) - 20,
                          .distance = 0.01 * dice(&seed, 100) };
        bool there = one.to == one.from + 1 && one.from % FRAMES != FRAMES - 1;
        for (int k = 0; k < count; k++)
            there = there || (links[k].from == one.from && links[k].to == one.to);
        if (!there) links[count++] = one;
    }
    qsort(links, (size_t)count, sizeof *links, by_ends);
    return hand_graph_make(ctx, ways, WAYS, links, count);
}

typedef struct setting {
    marey_ctx *ctx;
    marey_graph *graph;
    mry_arena tmp;
    mry_ways ways;
    mry_tracks tracks;
    mry_floor_path path;
    mry_path_task task;
    const double *points;
    int count;
} setting;

static void set_up(setting *s, marey_graph *graph, const double *points, int count)
{
    *s = (setting){ .ctx = graph->ctx, .graph = graph, .points = points, .count = count };
    s->tmp = mry_arena_make(s->ctx);
    assert_int_equal(mry_ways_open(&s->ways, &s->tmp, graph, &(marey_walk_def){ 0 }, NULL), 0);
    assert_true(mry_tracks_open(&s->tracks, &s->tmp, &s->ways));
    assert_int_equal(mry_floor_path_open(&s->path, &s->tmp, points, count, NULL), 0);
    s->task = mry_path_begin(&s->tracks, &s->path);
}

static void take_down(setting *s)
{
    mry_arena_free(&s->tmp);
}
OWNED_VALUE(setting, take_down)

/* ---- the judge: every walk there is, frame by frame ------------------------------------------ */

typedef struct judge {
    const setting *s;
    double best;
    long visits;
    int worst_bounds; /* how often the bound was more than what the rest cost */
} judge;

typedef struct stand {
    int node, stay; /* frames that it must go on in its piece */
    mry_floor place;
    double x, z, arc, off, cost;
} stand;

/* The nearest place of the path as it was drawn, between two arc lengths. */
static double nearest_of_drawn(const setting *s, double low, double high, double x, double z,
                               double *away)
{
    double gone = 0, arc = low;
    *away = INFINITY;
    for (int i = 1; i < s->count; i++) {
        const double *a = s->points + 2 * (i - 1), *b = a + 2;
        double length = hypot(b[0] - a[0], b[1] - a[1]);
        double from = fmax(low, gone), to = fmin(high, gone + length);
        if (length > 0 && from <= to) {
            double ux = (b[0] - a[0]) / length, uz = (b[1] - a[1]) / length;
            double t = fmin(fmax((x - a[0]) * ux + (z - a[1]) * uz, from - gone), to - gone);
            double off = hypot(a[0] + t * ux - x, a[1] + t * uz - z);
            if (off < *away - 1e-12) {
                *away = off;
                arc = gone + t;
            }
        }
        gone += length;
    }
    return arc;
}

static stand judge_arrive(const judge *j, stand at, int node)
{
    const mry_tracks *t = &j->s->tracks;
    const double *root = mry_place(j->s->graph->motion, node);
    double x = root[0], z = root[2], away, ahead_x, ahead_z;
    mry_floor_apply(at.place, &x, &z);
    double step = hypot(x - at.x, z - at.z);
    at.arc =
        nearest_of_drawn(j->s, at.arc, fmin(at.arc + 1.25 * step, j->s->path.length), x, z, &away);
    double face_x = t->face_x[node], face_z = t->face_z[node];
    mry_floor_turn(at.place.angle, &face_x, &face_z);
    mry_floor_path_ahead(&j->s->path, at.arc, &ahead_x, &ahead_z);
    bool looks = face_x != 0 || face_z != 0;
    at.off = away * away / (away + 8);
    at.cost += (double)t->pace[node] + at.off +
               (looks ? 20 * (1 - face_x * ahead_x - face_z * ahead_z) : 0);
    at.node = node;
    at.x = x;
    at.z = z;
    return at;
}

/* What the rest costs; INFINITY: more than `most`, or than the frames there may be. */
static double judge_rest(judge *j, stand at, double most, int frames)
{
    const marey_graph *g = j->s->graph;
    const mry_tracks *t = &j->s->tracks;
    double best = INFINITY;
    j->visits++;
    const mry_dwell *dwell = &j->s->ways.dwell;
    if (at.arc >= j->s->task.goal && at.stay == 0) return 14 * at.off;
    if (frames == 0) return INFINITY;
    int next = g->next[at.node], behind = dwell->least > 0 ? dwell->least - 1 : 0;
    bool on = next >= 0 && (at.stay > 0 || dwell->free[next]);
    for (int i = g->leaving[at.node] - 1; i < g->leaving[at.node + 1]; i++) {
        stand to = at;
        bool straight = i < g->leaving[at.node];
        if (straight ? !on : at.stay > 0 || dwell->lands[i] < 0) continue;
        to.stay = straight ? (at.stay > 0 ? at.stay - 1 : 0) : behind;
        if (!straight) {
            to.place = mry_floor_times(at.place, g->places[i]);
            to.cost += t->join + t->poor * (double)g->transitions[i].distance;
        }
        to = judge_arrive(j, to, straight ? next : g->transitions[i].to);
        if (to.cost >= most) continue;
        double rest = to.cost - at.cost + judge_rest(j, to, most, frames - 1);
        if (at.cost + rest < most && most < INFINITY) most = at.cost + rest;
        best = fmin(best, rest);
    }
    if (best < mry_path_bound(&j->s->task, at.arc) - 1e-9) j->worst_bounds++;
    return best;
}

/* Where a walk begins, by the words of the contract: at the first point, heading along the path. */
static stand judge_start(const judge *j, int node)
{
    const setting *s = j->s;
    const marey_graph *g = s->graph;
    int end = node;
    for (int k = 0; k < 15 && g->next[end] >= 0; k++) end = g->next[end];
    const double *first = mry_place(g->motion, node), *last = mry_place(g->motion, end);
    double x = last[0] - first[0], z = last[2] - first[2], size = hypot(x, z);
    bool looks = s->tracks.face_x[node] != 0 || s->tracks.face_z[node] != 0;
    if (size < 10 && looks) {
        x = s->tracks.face_x[node];
        z = s->tracks.face_z[node];
    } else if (size == 0) {
        z = 1;
    }
    double angle = atan2(s->path.tx[0], s->path.tz[0]) - atan2(x, z);
    double root_x = first[0], root_z = first[2];
    mry_floor_turn(angle, &root_x, &root_z);
    int least = s->ways.dwell.least;
    stand at = { .x = s->points[0], .z = s->points[1], .stay = least > 0 ? least - 1 : 0 };
    at.place = (mry_floor){ angle, at.x - root_x, at.z - root_z };
    return judge_arrive(j, at, node);
}

static double judge_all(judge *j, double most, int frames)
{
    double best = INFINITY;
    for (int n = 0; n < j->s->graph->nodes; n++) {
        if (mry_dwell_begin(j->s->graph, &j->s->ways.dwell, n) < 0) continue;
        stand at = judge_start(j, n);
        double cost = at.cost + judge_rest(j, at, most, frames);
        best = fmin(best, cost);
        if (most < INFINITY) most = fmin(most, cost);
    }
    return best;
}

/* A corner at a multiple of 4 cm, so that laying the points out anew hardly cuts it. */
static void random_path(uint32_t seed, double *points)
{
    double first = dice(&seed, 628) * 0.01, second = first + (int)dice(&seed, 200) * 0.01 - 1;
    points[0] = (int)dice(&seed, 1000);
    points[1] = (int)dice(&seed, 1000);
    points[2] = points[0] + 40 * cos(first);
    points[3] = points[1] + 40 * sin(first);
    points[4] = points[2] + 31.99999 * cos(second);
    points[5] = points[3] + 31.99999 * sin(second);
}

static mry_path_search search(const setting *s, double cell_cm, int64_t effort, int64_t most)
{
    mry_path_search search = { .task = s->task, .effort = effort, .most = most };
    assert_true(mry_path_open_make(&search.open, s->ctx, &s->task, cell_cm));
    assert_int_equal(mry_path_search_run(&search, -1, NULL), MAREY_OK);
    return search;
}

static void search_end(mry_path_search *search)
{
    mry_path_open_free(&search->open);
}
OWNED_VALUE(mry_path_search, search_end)

TEST_CTX(what_is_found_costs_what_an_exhaustive_search_finds)
{
    for (uint32_t seed = 1; seed <= 40; seed++) {
        double points[6];
        OWNED(marey_graph) *graph = random_graph(ctx, seed);
        OWNED(setting) s;
        memset(graph->half, 0, (size_t)graph->transition_count);
        test_ok(mry_dwell_find(graph, &graph->mem, seed % 2 ? 2 : 0, INFINITY, NULL, NULL, 0,
                               &graph->dwell, NULL));
        random_path(seed + 77, points);
        set_up(&s, graph, points, 3);
        /* A body without hips looks nowhere; here it looks somewhere, so that it counts. */
        uint32_t looks = seed;
        for (int n = 0; n < graph->nodes && seed % 3; n++) {
            double angle = dice(&looks, 628) * 0.01;
            s.tracks.face_x[n] = (float)cos(angle);
            s.tracks.face_z[n] = (float)sin(angle);
        }
        OWNED(mry_path_search) found = search(&s, 0, 3000000, 0);
        judge j = { .s = &s };
        double judged = judge_all(&j, found.cost + 1, 200);
        assert_true(found.finished && isfinite(judged));
        assert_true(fabs(found.cost - judged) < 1e-6 * judged);
        /* Merged it is found too, and not better than the best. */
        OWNED(mry_path_search) merged = search(&s, 10, 3000000, 0);
        assert_true(isfinite(merged.cost) && merged.cost >= judged * (1 - 1e-6));
    }
}

TEST_CTX(the_bound_is_never_more_than_what_the_rest_costs)
{
    long visits = 0;
    for (uint32_t seed = 100; seed < 130; seed++) {
        double points[6];
        OWNED(marey_graph) *graph = random_graph(ctx, seed);
        OWNED(setting) s;
        random_path(seed, points);
        set_up(&s, graph, points, 3);
        assert_true(s.tracks.least > 0);
        judge j = { .s = &s };
        judge_all(&j, INFINITY, 18);
        assert_int_equal(j.worst_bounds, 0);
        visits += j.visits;
    }
    assert_true(visits > 10000);
}

/* ---- what is handed back --------------------------------------------------------------------- */

typedef struct asked {
    marey_ctx *ctx;
    marey_graph *graph;
    marey_walk_def def;
    marey_walk walk;
    marey_error error;
} asked;

/* Straight on, or turning in wide bends to both sides; everything joins everything at the ends. */
static marey_graph *walker(marey_ctx *ctx)
{
    static const hand_sequence ways[] = {
        { 10, 0, 90, 0 }, { 10, 0, 90, 60 }, { 10, 0, 90, -60 }, { 10, 0, 270, 0 }
    };
    hand_link links[16];
    for (int i = 0; i < 16; i++) {
        int from = i / 4, to = i % 4;
        double turned = ways[from].turn_deg_s * 10 / 30;
        links[i] = (hand_link){ 10 * from + 9, 10 * to, turned, from == to ? 0 : 0.3 };
    }
    return hand_graph_make(ctx, ways, 4, links, 16);
}

static asked ask(const double *points, int count)
{
    asked a = { .ctx = test_ctx() };
    a.graph = walker(a.ctx);
    a.def = (marey_walk_def){
        .kind = MAREY_WALK_PATH, .path = points, .point_count = count, .effort = 3000
    };
    return a;
}

static void answer(asked *a)
{
    if (mry_walk_path(a->ctx, a->graph, &a->def, &a->walk, &a->error))
        fail_msg("%s", a->error.message);
}

static void done(asked *a)
{
    marey_walk_free(&a->walk);
    marey_graph_free(a->graph);
    assert_int_equal(marey_ctx_bytes(a->ctx), 0);
    marey_ctx_close(a->ctx);
}
OWNED_VALUE(asked, done)

/* The mean distance from the path, the body's places found again from what is public. */
static double distance_again(const asked *a, double *first_x, double *first_z)
{
    OWNED(setting) s;
    marey_walk_path followed = { 0 };
    double sum = 0, arc = 0, last_x = a->def.path[0], last_z = a->def.path[1];
    assert_int_equal(marey_graph_path(a->ctx, a->graph, &a->def, &followed, NULL), MAREY_OK);
    set_up(&s, a->graph, followed.points, followed.count);
    mry_floor place = { a->walk.place.angle_rad, a->walk.place.x_cm, a->walk.place.z_cm };
    for (int k = 0; k < a->walk.count; k++) {
        int node = a->walk.nodes[k];
        const double *root = mry_place(a->graph->motion, node);
        double x = root[0], z = root[2], away;
        if (k) {
            assert_true(mry_walk_step(a->graph, a->walk.nodes[k - 1], node) >= -1);
            marey_placement by = marey_graph_place(a->graph, a->walk.nodes[k - 1], node);
            place = mry_floor_times(place, (mry_floor){ by.angle_rad, by.x_cm, by.z_cm });
            place = mry_floor_about(place, a->walk.bends[k], last_x, last_z);
        }
        mry_floor_apply(place, &x, &z);
        double most = 1.25 * hypot(x - last_x, z - last_z);
        arc = nearest_of_drawn(&s, arc, fmin(arc + most, s.path.length), x, z, &away);
        sum += away;
        if (k == 0) {
            *first_x = x;
            *first_z = z;
        }
        last_x = x;
        last_z = z;
    }
    marey_walk_path_free(&followed);
    return sum / a->walk.count;
}

TEST(a_walk_starts_at_the_first_point_and_follows_the_path_to_its_end)
{
    static const double bent[] = { 100, 50, 500, 50, 700, 170, 700, 450 };
    OWNED(asked) a = ask(bent, 4);
    double x = 0, z = 0;
    answer(&a);
    assert_true(a.walk.arrived && a.walk.placed);
    assert_true(fabs(distance_again(&a, &x, &z) - a.walk.path_cm) < 0.05);
    assert_true(fabs(x - 100) < 1e-6 && fabs(z - 50) < 1e-6);
    assert_true(a.walk.path_cm < 8 && a.walk.path_worst_cm >= a.walk.path_cm);
    assert_true(a.walk.first_after > 0 && a.walk.first_after <= a.walk.expanded);
    assert_true(a.walk.expanded <= 3000);
    /* 10 m at 90 cm/s are 11 s, and there is no run where a walk will do. */
    assert_true(a.walk.count > 300 && a.walk.count < 400);
    for (int k = 0; k < a.walk.count; k++) assert_true(a.walk.nodes[k] < 30);
}

/* An eight: from the left over the middle, round, and over the middle again. */
TEST(a_path_that_crosses_itself_is_gone_through_in_its_order)
{
    enum { POINTS = 101 };
    double points[2 * POINTS];
    for (int i = 0; i < POINTS; i++) {
        double t = 2 * PI * i / (POINTS - 1);
        points[2 * i] = 250 * sin(t);
        points[2 * i + 1] = 250 * sin(t) * cos(t);
    }
    OWNED(asked) a = ask(points, POINTS);
    a.def.effort = 30000;
    answer(&a);
    assert_true(a.walk.arrived);
    assert_true(a.walk.count * 3.0 > 0.9 * 1500);
    assert_true(a.walk.path_cm < 20);
}

TEST(a_path_that_turns_right_back_is_followed_as_well_as_can_be)
{
    static const double back[] = { 0, 0, 300, 0, 0, 0 };
    OWNED(asked) a = ask(back, 3);
    a.def.effort = 30000;
    answer(&a);
    assert_true(a.walk.arrived);
    assert_true(a.walk.count * 3 > 550);
}

TEST(short_paths_and_doubled_points_are_paths)
{
    static const double tiny[] = { 5, 5, 5.5, 5 };
    static const double doubled[] = { 0, 0, 0, 0, 100, 0, 100, 0, 100, 0, 200, 0, 200, 0 };
    static const double plain[] = { 0, 0, 200, 0 };
    OWNED(asked) a = ask(tiny, 2);
    OWNED(asked) b = ask(doubled, 7);
    OWNED(asked) c = ask(plain, 2);
    answer(&a);
    answer(&b);
    answer(&c);
    assert_true(a.walk.arrived && a.walk.count >= 1 && a.walk.count <= 3);
    assert_true(b.walk.arrived && c.walk.arrived);
    assert_int_equal(b.walk.count, c.walk.count);
    assert_memory_equal(b.walk.nodes, c.walk.nodes, (size_t)c.walk.count * sizeof(int));
    assert_true(c.walk.path_cm < 0.1);
}

TEST(paths_that_cannot_be_are_refused)
{
    static const double rows[][4] = { { 0, 0, NAN, 5 },       { INFINITY, 0, 5, 5 },
                                      { 0, 0, -INFINITY, 0 }, { 3, 4, 3, 4 },
                                      { 0, 0, 1e300, 0 },     { -9e5, 0, 9e5, 0 } };
    static const double fine[] = { 0, 0, 50, 0 };
    const marey_walk_def wrong[] = {
        { .path = rows[0], .point_count = 2 },
        { .path = rows[1], .point_count = 2 },
        { .path = rows[2], .point_count = 2 },
        { .path = rows[3], .point_count = 2 },
        { .path = rows[4], .point_count = 2 },
        { .path = rows[5], .point_count = 2 },
        { .path = fine, .point_count = 1 },
        { .path = NULL, .point_count = 2 },
        { .path = fine, .point_count = 2, .effort = -1 },
        { .path = fine, .point_count = 2, .effort = INT64_MAX },
        { .path = fine, .point_count = 2, .from_given = true, .from = 40 },
    };
    OWNED(asked) a = ask(fine, 2);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        marey_walk walk = { .count = -7 };
        marey_error error = { 0 };
        assert_int_equal(mry_walk_path(a.ctx, a.graph, &wrong[i], &walk, &error),
                         MAREY_ERR_REQUEST);
        assert_int_equal(walk.count, -7);
        assert_true(error.message[0] != 0);
    }
}

TEST(a_walk_begins_with_the_node_it_is_given_and_keeps_to_styles)
{
    static const double bent[] = { 0, 0, 400, 0, 600, 150 };
    static const char *labels[] = { "straight", "left", "right", "run" };
    static const char *const styles[] = { "run", "right" };
    OWNED(asked) a = ask(bent, 3);
    a.graph->labels = labels;
    a.graph->label_count = 4;
    for (int n = 0; n < 40; n++) a.graph->labelled[n] = UINT64_C(1) << (n / 10);
    a.def.from_given = true;
    a.def.from = 25;
    answer(&a);
    assert_int_equal(a.walk.nodes[0], 25);
    assert_true(a.walk.arrived);
    marey_walk_free(&a.walk);
    a.def.from_given = false;
    a.def.styles = styles;
    a.def.style_count = 2;
    answer(&a);
    for (int k = 0; k < a.walk.count; k++) assert_true(a.walk.nodes[k] >= 20);
    assert_true(a.walk.arrived);
}

/* ---- anytime --------------------------------------------------------------------------------- */

typedef struct listener {
    int calls, stop_after;
    int count;
    int64_t first;
} listener;

static bool listen(void *user, const marey_walk *walk)
{
    listener *l = user;
    assert_true(walk->arrived && walk->placed && walk->count > 0);
    assert_true(walk->first_after <= walk->expanded);
    l->count = walk->count;
    l->first = walk->first_after;
    return ++l->calls != l->stop_after;
}

TEST(better_walks_are_shown_until_one_is_good_enough)
{
    static const double bent[] = { 0, 0, 400, 30, 600, 250, 620, 500 };
    OWNED(asked) a = ask(bent, 4);
    listener all = { 0 }, one = { .stop_after = 1 };
    a.def.better = listen;
    a.def.user = &all;
    answer(&a);
    assert_true(all.calls > 1);
    assert_int_equal(all.count, a.walk.count);
    int64_t expanded = a.walk.expanded;
    marey_walk_free(&a.walk);
    a.def.user = &one;
    answer(&a);
    assert_int_equal(one.calls, 1);
    assert_int_equal(one.count, a.walk.count);
    assert_true(a.walk.arrived && a.walk.expanded < expanded);
    assert_int_equal(a.walk.first_after, all.first);
}

TEST(two_searches_find_the_same_and_more_effort_is_not_worse)
{
    static const double bent[] = { 0, 0, 400, 30, 600, 250, 620, 500 };
    OWNED(asked) a = ask(bent, 4);
    OWNED(asked) b = ask(bent, 4);
    OWNED(setting) s;
    answer(&a);
    answer(&b);
    assert_int_equal(a.walk.count, b.walk.count);
    assert_memory_equal(a.walk.nodes, b.walk.nodes, (size_t)a.walk.count * sizeof(int));
    set_up(&s, a.graph, bent, 4);
    double last = INFINITY;
    for (int64_t effort = 200; effort < 20000; effort *= 3) {
        OWNED(mry_path_search) found = search(&s, 10, effort, 0);
        assert_true(found.cost <= last && found.expanded <= effort);
        last = found.cost;
    }
    assert_true(isfinite(last));
}

/* What a search may hold is known before: then it ends with the best that it has. */
TEST(a_search_ends_when_it_holds_enough)
{
    static const double bent[] = { 0, 0, 400, 30, 600, 250, 620, 500 };
    OWNED(asked) a = ask(bent, 4);
    OWNED(setting) s;
    set_up(&s, a.graph, bent, 4);
    OWNED(mry_path_search) whole = search(&s, 10, 3000, 0);
    for (int64_t most = a.graph->nodes + 1; most < whole.open.count; most *= 2) {
        OWNED(mry_path_search) part = search(&s, 10, 3000, most);
        assert_int_equal(part.open.count, most);
        assert_true(part.expanded < whole.expanded && part.cost >= whole.cost);
        assert_true(part.farthest >= 0);
    }
}

TEST(too_little_effort_gives_the_walk_that_came_farthest)
{
    static const double far[] = { 0, 0, 5000, 0 };
    OWNED(asked) a = ask(far, 2);
    a.def.effort = 20;
    answer(&a);
    assert_false(a.walk.arrived);
    assert_true(a.walk.count > 10 && a.walk.placed);
    assert_int_equal(a.walk.expanded, 20);
}

TEST(who_cannot_turn_stops_where_the_path_does)
{
    static const double bent[] = { 0, 0, 300, 0, 300, 3000 };
    static const hand_sequence way = { 10, 0, 90, 0 };
    static const hand_link again = { 9, 0, 0, 0 };
    OWNED(asked) a = ask(bent, 3);
    marey_graph_free(a.graph);
    a.graph = hand_graph_make(a.ctx, &way, 1, &again, 1);
    a.def.bend_cm = INFINITY;
    answer(&a);
    assert_null(a.walk.bends);
    assert_false(a.walk.arrived);
    assert_true(a.walk.count * 3 > 270 && a.walk.path_worst_cm < 40);
}

/* The same body, which was only ever captured going straight on. */
TEST(a_walk_is_bent_along_its_path_and_no_further_than_it_may)
{
    static const double bent[] = { 0, 0, 300, 0, 300, 600 };
    static const hand_sequence way = { 10, 0, 90, 0 };
    static const hand_link again = { 9, 0, 0, 0 };
    static const double radii[] = { 0, 40, 120 };
    for (int n = 0; n < 3; n++) {
        OWNED(asked) a = ask(bent, 3);
        marey_graph_free(a.graph);
        a.graph = hand_graph_make(a.ctx, &way, 1, &again, 1);
        a.def.bend_cm = radii[n];
        answer(&a);
        assert_true(a.walk.arrived && a.walk.path_cm < 4);
        double radius = radii[n] > 0 ? radii[n] : MAREY_WALK_BEND_CM, turned = 0;
        assert_true(a.walk.bends[0] == 0);
        for (int k = 1; k < a.walk.count; k++) {
            assert_true(fabs(a.walk.bends[k]) <= 90 / a.graph->fps / radius * (1 + 1e-6));
            turned += a.walk.bends[k];
        }
        assert_true(fabs(turned + 3.14159265358979323846 / 2) < 0.15);
        /* The clip that is made of it ends where the path does. */
        marey_made made = { 0 };
        marey_walk_make_def as_it_is = { .rough = true, .fps = a.graph->fps };
        assert_int_equal(marey_walk_make(a.ctx, a.graph, &a.walk, &as_it_is, &made, NULL, NULL),
                         MAREY_OK);
        const double *root = mry_place(made.clip, made.clip->frames - 1);
        assert_true(hypot(root[0] - 300, root[2] - 600) < 15);
        marey_made_free(&made);
    }
}

TEST(what_is_rounded_is_said_before_the_walk)
{
    static const double straight[] = { 0, 0, 600, 0 }, corner[] = { 0, 0, 300, 0, 300, 600 };
    OWNED(asked) a = ask(straight, 2);
    marey_walk_path followed = { 0 };
    assert_int_equal(marey_graph_path(a.ctx, a.graph, &a.def, &followed, NULL), MAREY_OK);
    assert_int_equal(followed.place_count, 0);
    marey_walk_path_free(&followed);
    a.def.path = corner;
    a.def.point_count = 3;
    assert_int_equal(marey_graph_path(a.ctx, a.graph, &a.def, &followed, NULL), MAREY_OK);
    assert_int_equal(followed.place_count, 1);
    const marey_rounding *one = &followed.places[0];
    assert_true(fabs(one->along_cm - 300) < 40 && one->off_cm == followed.most_off_cm);
    assert_true(hypot(one->x_cm - 300, one->z_cm) < 40 && one->off_cm > 10 && one->off_cm < 40);
    marey_walk_path_free(&followed);
    a.def.bend_cm = INFINITY;
    assert_int_equal(marey_graph_path(a.ctx, a.graph, &a.def, &followed, NULL), MAREY_OK);
    assert_true(followed.place_count == 0 && followed.radius_cm == 0);
    marey_walk_path_free(&followed);
    static const double wrong[] = { 5, -1, NAN };
    for (int n = 0; n < 3; n++) {
        a.def.bend_cm = wrong[n];
        assert_int_equal(marey_graph_path(a.ctx, a.graph, &a.def, &followed, NULL),
                         MAREY_ERR_REQUEST);
    }
}

/* ---- what can go wrong ----------------------------------------------------------------------- */

TEST(running_out_of_memory_is_reported_and_writes_nothing)
{
    static const double bent[] = { 0, 0, 200, 30, 300, 150 };
    OWNED(test_memory) memory = { .refuse = -1 };
    OWNED(marey_ctx) *ctx = test_ctx_refusing(&memory);
    OWNED(marey_graph) *graph = walker(ctx);
    marey_status status = MAREY_OK;
    test_refusals sweep = { .memory = &memory };
    while (test_refuse(&sweep, status)) {
        listener any = { 0 };
        marey_walk_def def = { .kind = MAREY_WALK_PATH,
                               .path = bent,
                               .point_count = 3,
                               .effort = 400,
                               .better = listen,
                               .user = &any };
        marey_walk walk = { .count = -7 };
        status = mry_walk_path(ctx, graph, &def, &walk, NULL);
        if (status) assert_int_equal(walk.count, -7);
        if (!status) marey_walk_free(&walk);
    }
    assert_true(sweep.at > 20);
}

static void stop(void *user, const char *what, int64_t so_far, int64_t total)
{
    (void)what, (void)so_far, (void)total;
    marey_ctx_cancel(*(marey_ctx **)user);
}

TEST(a_search_can_be_cancelled)
{
    static const double far[] = { 0, 0, 5000, 700, 9000, -800 };
    OWNED(marey_ctx) *ctx = NULL;
    marey_ctx_def hooks = { .threads = 1, .progress = stop, .progress_user = &ctx };
    assert_int_equal(marey_ctx_open(&hooks, &ctx), MAREY_OK);
    OWNED(marey_graph) *graph = walker(ctx);
    marey_walk_def def = { .kind = MAREY_WALK_PATH, .path = far, .point_count = 3 };
    marey_walk walk = { .count = -7 };
    assert_int_equal(mry_walk_path(ctx, graph, &def, &walk, NULL), MAREY_ERR_CANCELLED);
    assert_int_equal(walk.count, -7);
}

TEST_GROUP_OF_CASES(test_walk_path, NULL, NULL)
