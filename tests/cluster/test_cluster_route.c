/* test_cluster_route.c - ways from clip to clip through a cluster graph, beside a judge that
   relaxes every step there is until nothing gets cheaper (Bellman 1958, Ford 1956), and what is
   made of them. */
#include "frame_measures.h"
#include "switch_judge.h"

#include "math/turn.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ROWS = 160, MOST_NODES = 3, CLIPS = 4 };

/* Before the first switch, between, behind the last. */
enum { FIRST, BETWEEN, LAST, PARTS };

typedef struct judge {
    const marey_clusters *c;
    int rows;
    double switches[MOST_ROWS][MOST_ROWS];
    double cost[MOST_NODES + 1][PARTS][MOST_ROWS];
} judge;

static void judge_open(judge *j, const marey_clusters *c)
{
    j->c = c;
    j->rows = c->first_row[c->clip_count];
    assert_true(j->rows <= MOST_ROWS);
    for (int a = 0; a < j->rows; a++) {
        for (int b = 0; b < j->rows; b++) {
            j->switches[a][b] = INFINITY;
            if (c->sequence[a] < 0 || c->sequence[b] < 0 || c->sequence[a] == c->sequence[b])
                continue;
            if (c->sequences[c->sequence[a]].node != c->sequences[c->sequence[b]].node) continue;
            if (judge_goes_on(c, b)) j->switches[a][b] = judge_switch(c, a, b);
        }
    }
}

static int node_at(const judge *j, int row)
{
    return j->c->sequences[j->c->sequence[row]].node;
}

static int pass(const judge *j, const marey_route_def *def, int layer, int row)
{
    while (layer < def->node_count && def->nodes[layer] == node_at(j, row)) layer++;
    return layer;
}

static bool near(const judge *j, int row, bool given, int frame, double within_s)
{
    if (!given) return true;
    double fps = j->c->clips[judge_row_clip(j->c, row)]->fps;
    return fabs(judge_row_frame(j->c, row) - (double)frame) <= within_s * fps + 1e-6;
}

static bool lower(double *cost, double by)
{
    if (!(by < *cost - 1e-12)) return false;
    *cost = by;
    return true;
}

static bool begins(const judge *j, const marey_route_def *def, int row)
{
    if (judge_row_clip(j->c, row) != def->from_clip) return false;
    bool first = row == j->c->first_row[def->from_clip];
    if (!def->from_given) return first || !judge_goes_on(j->c, row - 1);
    return judge_row_frame(j->c, row) >= def->from &&
           (first || judge_row_frame(j->c, row - 1) < def->from);
}

static bool ends(const judge *j, const marey_route_def *def, int row)
{
    if (judge_row_clip(j->c, row) != def->to_clip) return false;
    if (!def->to_given) return !judge_goes_on(j->c, row);
    bool last = row + 1 == j->c->first_row[def->to_clip + 1];
    return judge_row_frame(j->c, row) <= def->to &&
           (last || judge_row_frame(j->c, row + 1) > def->to);
}

static bool relax_switch(judge *j, const marey_route_def *def, bool one, int layer, int part,
                         int from, int to)
{
    double cost = j->cost[layer][part][from] + def->switch_cost + j->switches[from][to] / 100;
    if (part == FIRST) {
        if (!near(j, from, def->leave_given, def->leave, def->within_s)) return false;
        if (def->node_count > 0 && node_at(j, from) != def->nodes[0]) return false;
        if (def->node_count > 0) layer = 1;
    }
    layer = pass(j, def, layer, to + 1);
    bool less = false;
    if (!one) less = lower(&j->cost[layer][BETWEEN][to + 1], cost + 1 / j->c->fps);
    if (judge_row_clip(j->c, to) == def->to_clip &&
        near(j, to, def->enter_given, def->enter, def->within_s))
        less = lower(&j->cost[layer][LAST][to + 1], cost) || less;
    return less;
}

static bool relax(judge *j, const marey_route_def *def, bool one, int layer, int part, int row)
{
    bool less = false;
    double cost = j->cost[layer][part][row];
    if (cost == INFINITY) return false;
    if (judge_goes_on(j->c, row)) {
        int next = part == FIRST ? 0 : pass(j, def, layer, row + 1);
        double time = part == BETWEEN ? 1 / j->c->fps : 0;
        less = lower(&j->cost[next][part][row + 1], cost + time);
    }
    for (int to = 0; to < j->rows && part != LAST; to++) {
        if (j->switches[row][to] < INFINITY)
            less = relax_switch(j, def, one, layer, part, row, to) || less;
    }
    return less;
}

/* The least cost; INFINITY: there is no way. */
static double judge_route(judge *j, const marey_route_def *def, bool one)
{
    double best = INFINITY;
    for (int l = 0; l <= MOST_NODES; l++)
        for (int p = 0; p < PARTS; p++)
            for (int r = 0; r < j->rows; r++) j->cost[l][p][r] = INFINITY;
    for (int r = 0; r < j->rows; r++) {
        if (j->c->sequence[r] >= 0 && begins(j, def, r)) j->cost[0][FIRST][r] = 0;
    }
    for (bool more = true; more;) {
        more = false;
        for (int l = 0; l <= def->node_count; l++)
            for (int p = 0; p < PARTS; p++)
                for (int r = 0; r < j->rows; r++) more = relax(j, def, one, l, p, r) || more;
    }
    for (int r = 0; r < j->rows; r++) {
        if (ends(j, def, r)) best = fmin(best, j->cost[def->node_count][LAST][r]);
    }
    return best;
}

static int row_of(const judge *j, int sequence, int frame)
{
    int row = judge_row_of(j->c, sequence, 0);
    while (judge_row_frame(j->c, row) != frame) row++;
    assert_int_equal(j->c->sequence[row], sequence);
    return row;
}

/* Its pieces are what is between the switches, and its cost is theirs. */
static void assert_route(const judge *j, const marey_route_def *def, const marey_route *got)
{
    double cost = 0;
    assert_int_equal(got->piece_count, got->switch_count + 1);
    assert_int_equal(got->direct, got->switch_count == 1);
    for (int n = 0; n < got->switch_count; n++) {
        const marey_cluster_switch *one = &got->switches[n];
        int from = row_of(j, one->from_sequence, one->from);
        int to = row_of(j, one->to_sequence, one->to);
        assert_true(fabs(one->cost - j->switches[from][to]) < 0.002 + 1e-5 * one->cost);
        assert_true(got->pieces[n].clip == j->c->sequences[one->from_sequence].clip);
        assert_true(got->pieces[n].end == one->from + 1);
        assert_true(got->pieces[n + 1].clip == j->c->sequences[one->to_sequence].clip);
        assert_true(got->pieces[n + 1].start == one->to + 1);
        cost += def->switch_cost + one->cost / 100;
        if (n == 0) continue;
        int entered = row_of(j, got->switches[n - 1].to_sequence, got->switches[n - 1].to);
        assert_true(from > entered); /* never backwards */
        cost += (from - entered) / j->c->fps;
    }
    for (int n = 0; n < got->piece_count; n++) {
        const marey_piece *piece = &got->pieces[n];
        assert_true(piece->start < piece->end && piece->seconds == 0);
        for (int f = (int)piece->start; f < piece->end; f++)
            assert_false(mry_clip_is_marked(j->c->clips[piece->clip], f));
    }
    assert_int_equal(got->pieces[0].clip, def->from_clip);
    assert_int_equal(got->pieces[got->switch_count].clip, def->to_clip);
    if (def->from_given) assert_true(got->pieces[0].start == def->from);
    if (def->to_given) assert_true(got->pieces[got->switch_count].end == def->to + 1);
    assert_true(fabs(cost - got->cost) < 1e-3);
}

static int below(uint64_t *seed, int count)
{
    return (int)(mry_random_next(seed) % (uint64_t)count);
}

static marey_route_def draw(const marey_clusters *c, uint64_t *seed, int *nodes)
{
    marey_route_def def = { .from_clip = below(seed, c->clip_count),
                            .to_clip = below(seed, c->clip_count),
                            .within_s = 0.05 + 0.1 * below(seed, 6),
                            .switch_cost = 0.1 + 0.3 * below(seed, 4) };
    int frames[2] = { c->clips[def.from_clip]->frames, c->clips[def.to_clip]->frames };
    def.from_given = below(seed, 3) == 0;
    const marey_features *first = c->features[def.from_clip];
    def.from = below(seed, first->frame[first->rows - 1] + 1);
    def.to_given = below(seed, 3) == 0;
    def.to = below(seed, frames[1]);
    def.leave_given = below(seed, 2) == 0;
    def.leave = below(seed, frames[0]);
    def.enter_given = below(seed, 3) == 0;
    def.enter = below(seed, frames[1]);
    if (below(seed, 3) > 0) return def;
    def.nodes = nodes;
    def.node_count = 1 + below(seed, MOST_NODES);
    /* one after the other as a clip passes through them, mostly */
    int sequence = below(seed, c->sequence_count);
    for (int n = 0; n < def.node_count; n++) {
        nodes[n] = c->sequences[sequence].node;
        if (c->sequences[sequence].next >= 0) sequence = c->sequences[sequence].next;
        if (below(seed, 5) == 0) sequence = below(seed, c->sequence_count);
    }
    return def;
}

TEST_RIG_SWITCH(ways_are_the_cheapest_there_are)
{
    static judge j;
    int direct = 0, several = 0, none = 0, through = 0;
    uint64_t seed = 3;
    for (int n = 0; n < 6; n++) {
        OWNED(marey_clusters) *c =
            switch_rig_build(rig, 2 + n % 3, 8 + 2 * n % 6, 15 + 25 * (n % 5));
        judge_open(&j, c);
        for (int k = 0; k < 60; k++) {
            int nodes[MOST_NODES];
            marey_route_def def = draw(c, &seed, nodes);
            OWNED(marey_route) got = { .cost = -7 };
            marey_error error = { 0 };
            double one = judge_route(&j, &def, true);
            double any = one < INFINITY ? one : judge_route(&j, &def, false);
            marey_status status = marey_clusters_route(rig->ctx, c, &def, &got, &error);
            if (any == INFINITY) {
                assert_int_equal(status, MAREY_ERR_INPUT);
                assert_true(strlen(error.message) > 10 && got.cost == -7);
                none++;
                continue;
            }
            test_fine(status, &error);
            assert_true(fabs(got.cost - any) < 1e-3);
            assert_int_equal(got.direct, one < INFINITY);
            assert_route(&j, &def, &got);
            direct += got.direct;
            several += got.switch_count > 1;
            through += def.node_count > 1;
        }
    }
    assert_true(direct > 50 && several > 20 && none > 50 && through > 5);
}

/* ---- wishes ---------------------------------------------------------------------------------- */

TEST_RIG_SWITCH(a_clip_is_left_when_it_is_wished)
{
    int tried = 0;
    OWNED(marey_clusters) *c = switch_rig_build(rig, CLIPS, 30, 100);
    for (int frame = 10; frame < 120; frame += 5) {
        marey_route_def def = { .to_clip = 1, .leave_given = true, .leave = frame };
        OWNED(marey_route) got = { 0 };
        if (marey_clusters_route(rig->ctx, c, &def, &got, NULL)) continue;
        assert_true(fabs(got.switches[0].from - (double)frame) <= 0.3 * rig->clips[0]->fps + 1e-6);
        assert_true(got.pieces[0].end == got.switches[0].from + 1);
        tried++;
    }
    assert_true(tried > 10);
}

TEST_RIG_SWITCH(the_message_says_how_near_one_comes)
{
    static judge j;
    int told = 0;
    OWNED(marey_clusters) *c = switch_rig_build(rig, 2, 10, 20);
    judge_open(&j, c);
    for (int frame = 0; frame < rig->clips[0]->frames; frame += 6) {
        marey_route_def def = {
            .to_clip = 1, .leave_given = true, .leave = frame, .within_s = 0.04, .switch_cost = 1
        };
        OWNED(marey_route) got = { 0 };
        marey_error error = { 0 };
        if (!marey_clusters_route(rig->ctx, c, &def, &got, &error)) continue;
        char *text = strstr(error.message, " at frame ");
        assert_non_null(text);
        int nearest = atoi(text + 10);
        /* there it can be left, and nowhere nearer */
        def.leave = nearest;
        assert_true(judge_route(&j, &def, false) < INFINITY);
        for (int other = 0; other < rig->clips[0]->frames; other++) {
            def.leave = other;
            def.within_s = 0.001;
            if (judge_route(&j, &def, false) < INFINITY)
                assert_true(abs(other - frame) >= abs(nearest - frame));
        }
        told++;
    }
    assert_true(told > 0);
    OWNED(marey_clusters) *apart = switch_rig_build(rig, 2, 10, 0.01); /* every frame is alone */
    marey_route_def def = { .to_clip = 1 };
    marey_route got = { 0 };
    marey_error error = { 0 };
    assert_int_equal(marey_clusters_route(rig->ctx, apart, &def, &got, &error), MAREY_ERR_INPUT);
    assert_non_null(strstr(error.message, "no node"));
}

TEST_RIG_SWITCH(what_cannot_be_is_refused)
{
    int frames, none = 100000;
    OWNED(marey_clusters) *c = switch_rig_build(rig, 2, 15, 60);
    frames = rig->clips[1]->frames;
    const marey_route_def wrong[] = {
        { .from_given = true, .from = rig->clips[0]->frames - 1 }, /* no row stands for it */
        { .from_clip = 2 },
        { .from_clip = -1 },
        { .to_clip = 2 },
        { .from_given = true, .from = -1 },
        { .to_clip = 1, .to_given = true, .to = frames },
        { .within_s = -1 },
        { .within_s = NAN },
        { .switch_cost = -1 },
        { .switch_cost = INFINITY },
        { .nodes = &none, .node_count = 1 },
        { .node_count = -1 },
    };
    for (size_t n = 0; n < sizeof wrong / sizeof *wrong; n++) {
        marey_route got = { .cost = -7 };
        marey_error error = { 0 };
        assert_int_equal(marey_clusters_route(rig->ctx, c, &wrong[n], &got, &error),
                         MAREY_ERR_REQUEST);
        assert_true(got.cost == -7 && error.message[0] != 0);
    }
}

/* Neither switched to nor played over. */
TEST_RIG_SWITCH(marked_frames_are_not_on_the_way)
{
    static judge j;
    uint64_t seed = 9;
    int found = 0;
    for (int i = 0; i < 2; i++) {
        marey_clip *clip = (marey_clip *)(uintptr_t)rig->clips[i];
        assert_true(mry_clip_add_mark(clip, MAREY_MARK_INVENTED, 0, 1));
        assert_true(mry_clip_add_mark(clip, MAREY_MARK_DROPOUT, 50 + 10 * i, 57 + 10 * i));
    }
    OWNED(marey_clusters) *c = switch_rig_build(rig, 3, 10, 80);
    judge_open(&j, c);
    for (int k = 0; k < 60; k++) {
        int nodes[MOST_NODES];
        marey_route_def def = draw(c, &seed, nodes);
        OWNED(marey_route) got = { 0 };
        marey_status status = marey_clusters_route(rig->ctx, c, &def, &got, NULL);
        if (status == MAREY_ERR_REQUEST) continue; /* an end is marked */
        double one = judge_route(&j, &def, true);
        double any = one < INFINITY ? one : judge_route(&j, &def, false);
        assert_int_equal(status, any < INFINITY ? MAREY_OK : MAREY_ERR_INPUT);
        if (status) continue;
        assert_true(fabs(got.cost - any) < 1e-3);
        assert_route(&j, &def, &got);
        found++;
    }
    assert_true(found > 10);
}

/* ---- what is made of them -------------------------------------------------------------------- */

TEST_RIG_SWITCH(a_way_is_a_clip_without_a_jump)
{
    OWNED(marey_clusters) *c = switch_rig_build(rig, CLIPS, 30, 100);
    for (int from = 0; from < CLIPS; from++) {
        for (int to = 0; to < CLIPS; to++) {
            marey_route_def def = { .from_clip = from, .to_clip = to };
            OWNED(marey_route) got = { 0 };
            OWNED(marey_made) made = { 0 };
            marey_walk_made about;
            marey_error error = { 0 };
            if (marey_clusters_route(rig->ctx, c, &def, &got, &error)) {
                assert_int_equal(from, to);
                continue;
            }
            test_fine(marey_pieces_make(rig->ctx, rig->clips, CLIPS, NULL, got.pieces,
                                        got.piece_count, NULL, &made, &about, &error),
                      &error);
            assert_int_equal(about.transitions, got.switch_count);
            assert_true(about.jump_ratio <= 1.2);
            assert_true(test_slide(made.clip, made.contacts.items, made.contacts.count) <= 0.5);
        }
    }
}

TEST_RIG_SWITCH(running_out_of_memory_is_reported_and_leaves_nothing)
{
    OWNED(marey_clusters) *c = switch_rig_build(rig, 3, 10, 40);
    marey_route_def def = { .to_clip = 1, .leave_given = true, .leave = 60 };
    marey_status status = MAREY_OK;
    for (test_refusals sweep = { .memory = &rig->memory }; test_refuse(&sweep, status);) {
        marey_route got = { .cost = -7 };
        status = marey_clusters_route(rig->ctx, c, &def, &got, NULL);
        if (status) assert_true(got.cost == -7);
        if (!status) marey_route_free(&got);
    }
    marey_route got = { .cost = -7 };
    marey_ctx_cancel(rig->ctx);
    assert_int_equal(marey_clusters_route(rig->ctx, c, &def, &got, NULL), MAREY_ERR_CANCELLED);
    marey_ctx_resume(rig->ctx);
    assert_true(got.cost == -7);
}

TEST_GROUP_OF_CASES(test_cluster_route, NULL, NULL)
