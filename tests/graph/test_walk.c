/* test_walk.c - walks through small graphs that are drawn by lot, beside judges that try
   everything: the cheapest way, every length to every node, styles. */
#include "toy_graph.h"

#include "graph/walk_data.h"

#include <math.h>
#include <string.h>

/* ---- from here to there ---------------------------------------------------------------------- */

TEST_CTX(the_way_to_every_node_is_the_cheapest)
{
    static const double smoothness[] = { 0.5, 0, 1, 0.9 };
    for (uint64_t seed = 1; seed <= 24; seed++) {
        toy_graph t;
        double cost[TOY_MOST];
        toy_make(&t, ctx, seed, 10 + (int)seed, 12);
        t.g.def.smoothness = smoothness[seed % 4];
        uint64_t lot = seed;
        int from = toy_node(&t, &lot);
        /* Bellman and Ford: every step, again and again. */
        for (int n = 0; n < t.g.nodes; n++) cost[n] = n == from ? 0 : INFINITY;
        for (int round = 0; round < t.g.nodes; round++) {
            for (int a = 0; a < t.g.nodes; a++) {
                for (int b = 0; b < t.g.nodes && t.core[a]; b++) {
                    if (t.core[b]) cost[b] = fmin(cost[b], cost[a] + toy_step(&t, a, b));
                }
            }
        }
        for (int to = 0; to < t.g.nodes; to++) {
            if (!t.core[to]) continue;
            marey_walk_def def = {
                .kind = MAREY_WALK_TO, .from_given = true, .to_given = true, .from = from, .to = to
            };
            OWNED(marey_walk) walk = toy_walk(ctx, &t, def);
            assert_true(fabs(walk.cost - cost[to]) < 1e-9);
            assert_int_equal(walk.nodes[0], from);
            assert_int_equal(walk.nodes[walk.count - 1], to);
            assert_true(walk.arrived);
            assert_int_equal(walk.count == 1, from == to);
        }
    }
}

TEST_CTX(what_cannot_be_is_refused)
{
    const char *const none[] = { "fly" };
    toy_graph t;
    toy_make(&t, ctx, 3, 30, 25);
    int out = 0;
    while (out < 30 && t.core[out]) out++;
    assert_true(out < 30); /* the case has a node outside the core */
    uint64_t lot = 1;
    int in = toy_node(&t, &lot);
    marey_walk_def fly = { .kind = MAREY_WALK_LABELS, .labels = none, .label_count = 1 };
    const struct {
        marey_walk_def def;
        const char *says;
    } wrong[] = {
        { { .kind = MAREY_WALK_KIND_COUNT }, "no such kind" },
        { { .from_given = true, .from = in }, "must both be given" },
        { { .from_given = true, .to_given = true, .from = out, .to = in }, "largest part" },
        { { .from_given = true, .to_given = true, .from = in, .to = 30 }, "0-29" },
        { { .from_given = true, .to_given = true, .from = -1, .to = in }, "0-29" },
        { { .kind = MAREY_WALK_LENGTH }, "at least 1, got 0" },
        { { .kind = MAREY_WALK_LABELS }, "at least 1" },
        { fly, "walk, sit, wave" },
        { { .kind = MAREY_WALK_LENGTH, .frames = 9, .styles = none, .style_count = 1 },
          "walk, sit, wave" },
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        toy_refused(ctx, &t, wrong[i].def, wrong[i].says);
    t.g.label_count = 0;
    toy_refused(ctx, &t, fly, "without labels");
    marey_walk_def endless = { .kind = MAREY_WALK_LENGTH, .frames = MRY_WALK_MOST_FRAMES + 1 };
    marey_walk walk;
    assert_int_equal(marey_graph_walk(ctx, &t.g, &endless, &walk, NULL), MAREY_ERR_LIMIT);
}

/* Clips without any transition: one frame can be shown, and then there is no way on. */
TEST_CTX(a_graph_without_a_way_back_is_refused)
{
    toy_graph t;
    toy_make(&t, ctx, 5, 20, 1000000);
    assert_int_equal(t.g.transition_count, 0);
    toy_refused(ctx, &t, (marey_walk_def){ .kind = MAREY_WALK_LENGTH, .frames = 2 }, "no way on");
    OWNED(marey_walk) one =
        toy_walk(ctx, &t, (marey_walk_def){ .kind = MAREY_WALK_LENGTH, .frames = 1 });
}

/* ---- so many frames -------------------------------------------------------------------------- */

TEST_CTX(a_random_walk_has_its_length_and_comes_again_by_its_seed)
{
    int differ = 0;
    for (uint64_t seed = 1; seed <= 16; seed++) {
        toy_graph t;
        toy_make(&t, ctx, seed, 40, 14);
        marey_walk_def def = { .kind = MAREY_WALK_LENGTH, .frames = 500, .seed = seed };
        OWNED(marey_walk) one = toy_walk(ctx, &t, def), same = toy_walk(ctx, &t, def);
        def.seed += 100;
        OWNED(marey_walk) other = toy_walk(ctx, &t, def);
        assert_int_equal(one.count, 500);
        assert_memory_equal(one.nodes, same.nodes, 500 * sizeof *one.nodes);
        differ += memcmp(one.nodes, other.nodes, 500 * sizeof *one.nodes) != 0;
    }
    assert_true(differ >= 12);
}

/* Every node is passed before walks of this length are through, and none much more often than
   others. On a ring it is each one as often as any. */
TEST_CTX(a_random_walk_repeats_little)
{
    for (uint64_t seed = 1; seed <= 16; seed++) {
        toy_graph t;
        toy_make(&t, ctx, seed, 40, 14);
        marey_walk_def def = { .kind = MAREY_WALK_LENGTH, .frames = 2000, .seed = seed };
        OWNED(marey_walk) walk = toy_walk(ctx, &t, def);
        int passed[TOY_MOST] = { 0 };
        for (int k = 0; k < walk.count; k++) passed[walk.nodes[k]]++;
        for (int n = 0; n < t.g.nodes; n++) {
            if (t.core[n]) assert_true(passed[n] >= 2000 / 40 / 4);
        }
    }
    toy_graph ring = { .labels = { "" } };
    toy_make(&ring, ctx, 1, 30, 1000000);
    for (int n = 0; n < 30; n++) ring.next[n] = (n + 1) % 30;
    toy_settle(&ring, 0);
    OWNED(marey_walk) walk = toy_walk(
        ctx, &ring, (marey_walk_def){ .kind = MAREY_WALK_LENGTH, .frames = 30, .seed = 9 });
    for (int k = 1; k < 30; k++) assert_int_equal(walk.nodes[k], (walk.nodes[k - 1] + 1) % 30);
}

static void try_length(marey_ctx *ctx, const toy_graph *t, marey_walk_def def, bool there_is)
{
    OWNED(marey_walk) walk = { .count = -7 };
    marey_error error;
    marey_status status = marey_graph_walk(ctx, &t->g, &def, &walk, &error);
    assert_int_equal(status, there_is ? MAREY_OK : MAREY_ERR_REQUEST);
    if (status) {
        assert_int_equal(walk.count, -7);
        return;
    }
    toy_assert(t, &walk);
    assert_int_equal(walk.count, def.frames);
    assert_int_equal(walk.nodes[0], def.from);
    assert_int_equal(walk.nodes[def.frames - 1], def.to);
}

static void try_lengths(marey_ctx *ctx, const toy_graph *t, int from, int most)
{
    bool at[TOY_MOST] = { 0 }, then[TOY_MOST];
    at[from] = true;
    for (int frames = 1; frames <= most; frames++) {
        for (int to = 0; to < t->g.nodes; to += 1 + frames / 8) {
            if (!t->core[to]) continue;
            marey_walk_def def = { .kind = MAREY_WALK_LENGTH,
                                   .frames = frames,
                                   .from_given = true,
                                   .to_given = true,
                                   .from = from,
                                   .to = to };
            try_length(ctx, t, def, at[to]);
        }
        /* Which nodes are reached after exactly k steps, by taking them all. */
        memset(then, 0, TOY_MOST * sizeof *then);
        for (int a = 0; a < t->g.nodes; a++) {
            for (int b = 0; b < t->g.nodes && at[a]; b++)
                then[b] |= t->core[a] && t->core[b] && isfinite(toy_step(t, a, b));
        }
        memcpy(at, then, sizeof at);
    }
}

/* Also where it goes round in circles of one length, so that half of all lengths cannot be. */
TEST_CTX(a_walk_ends_at_a_node_with_exactly_so_many_frames_if_one_can)
{
    for (uint64_t seed = 1; seed <= 10; seed++) {
        toy_graph t;
        uint64_t lot = seed;
        toy_make(&t, ctx, seed, 24, 14);
        try_lengths(ctx, &t, toy_node(&t, &lot), 70);
    }
    toy_graph ring;
    toy_make(&ring, ctx, 1, 12, 1000000);
    for (int n = 0; n < 12; n++) ring.next[n] = (n + 1) % 12;
    for (int chord = 0; chord < 2; chord++) {
        if (chord) { /* 3 -> 10: a round is 12 or 6 */
            ring.links[0] = (marey_graph_transition){ .from = 3, .to = 10 };
            ring.g.transition_count = 1;
            for (int n = 4; n <= 12; n++) ring.leaving[n] = 1;
        }
        toy_settle(&ring, 0);
        assert_int_equal(ring.g.dwell.free_count, 12);
        try_lengths(ctx, &ring, 2, 90);
    }
}

TEST_CTX(any_beginning_will_do_if_none_is_given)
{
    for (uint64_t seed = 1; seed <= 10; seed++) {
        toy_graph t;
        uint64_t lot = seed;
        toy_make(&t, ctx, seed, 30, 14);
        marey_walk_def def = {
            .kind = MAREY_WALK_LENGTH, .frames = 41, .to_given = true, .to = toy_node(&t, &lot)
        };
        OWNED(marey_walk) walk = toy_walk(ctx, &t, def);
        assert_int_equal(walk.count, 41);
        assert_int_equal(walk.nodes[40], def.to);
    }
}

/* ---- styles ---------------------------------------------------------------------------------- */

/* The nodes of the largest part whose nodes reach each other in these styles (Warshall 1962). */
static int largest_in_style(const toy_graph *t, uint64_t styles)
{
    bool use[TOY_MOST], reach[TOY_MOST][TOY_MOST];
    int nodes = t->g.nodes, largest = 0;
    for (int n = 0; n < nodes; n++) use[n] = t->core[n] && (t->labelled[n] & styles);
    for (int a = 0; a < nodes; a++) {
        for (int b = 0; b < nodes; b++)
            reach[a][b] = use[a] && use[b] && (a == b || isfinite(toy_step(t, a, b)));
    }
    for (int k = 0; k < nodes; k++) {
        for (int a = 0; a < nodes; a++) {
            for (int b = 0; b < nodes; b++) reach[a][b] |= reach[a][k] && reach[k][b];
        }
    }
    for (int a = 0; a < nodes; a++) {
        int count = 0;
        for (int b = 0; b < nodes; b++) count += reach[a][b] && reach[b][a];
        if (count > largest) largest = count;
    }
    return largest;
}

TEST_CTX(walks_keep_to_the_largest_part_of_their_styles)
{
    static const char *const both[] = { "walk", "wave" };
    int found = 0, refused = 0;
    for (uint64_t seed = 1; seed <= 30; seed++) {
        toy_graph t;
        int passed[TOY_MOST] = { 0 }, different = 0;
        toy_make(&t, ctx, seed, 30, seed % 2 ? 12 : 30);
        int count = 1 + (int)(seed % 2);
        uint64_t styles = count == 1 ? 1 : 5;
        int largest = largest_in_style(&t, styles);
        marey_walk_def def = {
            .kind = MAREY_WALK_LENGTH, .frames = 600, .styles = both, .style_count = count
        };
        if (largest < 2) {
            toy_refused(ctx, &t, def, "no way on");
            refused++;
            continue;
        }
        OWNED(marey_walk) walk = toy_walk(ctx, &t, def);
        for (int k = 0; k < walk.count; k++) {
            assert_true(t.labelled[walk.nodes[k]] & styles);
            different += passed[walk.nodes[k]]++ == 0;
        }
        assert_int_equal(different, largest);
        found++;
    }
    assert_true(found >= 8 && refused >= 2);
}

/* What is outside the core may be larger: it is left behind all the same. Rings of 12 and of 8, the
   first with a shorter round 10, 11, 0 .. 3; that and the second are done in the style. */
TEST_CTX(a_style_outside_the_core_is_not_used)
{
    static const char *const style[] = { "wave" };
    toy_graph t;
    toy_make(&t, ctx, 1, 20, 1000000);
    for (int n = 0; n < 20; n++) {
        t.next[n] = n < 12 ? (n + 1) % 12 : 12 + (n + 1 - 12) % 8;
        t.labelled[n] = n < 4 || n > 9 ? 4 : 0;
        t.leaving[n] = n > 3;
    }
    t.leaving[20] = t.g.transition_count = 1;
    t.links[0] = (marey_graph_transition){ .from = 3, .to = 10 };
    toy_settle(&t, 0);
    marey_walk_def def = {
        .kind = MAREY_WALK_LENGTH, .frames = 50, .styles = style, .style_count = 1
    };
    OWNED(marey_walk) walk = toy_walk(ctx, &t, def);
    for (int k = 0; k < 50; k++) assert_true(walk.nodes[k] < 12);
    def.from_given = true;
    def.from = 6;
    toy_refused(ctx, &t, def, "keep to the styles");
}

/* ---- looking at them, and memory ------------------------------------------------------------- */

TEST_CTX(pieces_are_the_stretches_between_transitions)
{
    toy_graph t;
    toy_make(&t, ctx, 4, 40, 14);
    for (int n = 0; n < 40; n++) t.origin[n].frame = n;
    OWNED(marey_walk) walk =
        toy_walk(ctx, &t, (marey_walk_def){ .kind = MAREY_WALK_LENGTH, .frames = 300 });
    marey_walk_piece pieces[300];
    int count = marey_walk_pieces(&t.g, &walk, pieces, 300), at = 0;
    assert_int_equal(marey_walk_pieces(&t.g, &walk, NULL, 0), count);
    assert_true(count > 5);
    for (int i = 0; i < count; i++) {
        assert_int_equal(pieces[i].at, at);
        at += pieces[i].frames;
        assert_int_equal((int)pieces[i].first.frame, walk.nodes[pieces[i].at]);
        assert_int_equal((int)pieces[i].last.frame, walk.nodes[at - 1]);
        for (int k = pieces[i].at + 1; k < at; k++)
            assert_int_equal(t.next[walk.nodes[k - 1]], walk.nodes[k]);
        if (at < 300) assert_int_not_equal(t.next[walk.nodes[at - 1]], walk.nodes[at]);
    }
    assert_int_equal(at, 300);
}

TEST(running_out_of_memory_is_reported_and_leaves_nothing)
{
    static const char *const names[] = { "walk", "sit" };
    const marey_walk_def defs[] = {
        { .kind = MAREY_WALK_TO, .from_given = true, .to_given = true },
        { .kind = MAREY_WALK_LENGTH, .frames = 40, .to_given = true },
        { .kind = MAREY_WALK_LABELS, .labels = names, .label_count = 2, .to_given = true },
        { .kind = MAREY_WALK_LENGTH, .frames = 40, .styles = names, .style_count = 2 },
    };
    for (size_t i = 0; i < sizeof defs / sizeof *defs; i++) {
        OWNED(test_memory) memory = { .refuse = -1 };
        OWNED(marey_ctx) *ctx = test_ctx_refusing(&memory);
        toy_graph t;
        uint64_t lot = 1;
        toy_make(&t, ctx, 1, 40, 10);
        marey_walk_def def = defs[i];
        def.from = toy_node(&t, &lot);
        def.to = toy_node(&t, &lot);
        marey_status status = MAREY_OK;
        for (test_refusals sweep = { .memory = &memory }; test_refuse(&sweep, status);) {
            marey_walk walk = { .count = -7 };
            status = marey_graph_walk(ctx, &t.g, &def, &walk, NULL);
            if (status) assert_int_equal(walk.count, -7);
            if (!status) marey_walk_free(&walk);
        }
    }
}

TEST_CTX(a_cancelled_search_writes_nothing)
{
    static const char *const names[] = { "walk" };
    toy_graph t;
    uint64_t lot = 1;
    toy_make(&t, ctx, 1, 40, 10);
    const marey_walk_def defs[] = {
        { .kind = MAREY_WALK_LENGTH, .frames = 2000, .to_given = true },
        { .kind = MAREY_WALK_LENGTH, .frames = 2000 },
        { .kind = MAREY_WALK_LENGTH, .frames = 20 },
        { .kind = MAREY_WALK_LABELS, .labels = names, .label_count = 1 },
        { .kind = MAREY_WALK_TO, .from_given = true, .to_given = true },
        { .kind = MAREY_WALK_PATH, .path = (const double[]){ 0, 0, 100, 0 }, .point_count = 2 },
    };
    marey_ctx_cancel(ctx);
    for (size_t i = 0; i < sizeof defs / sizeof *defs; i++) {
        marey_walk_def def = defs[i];
        marey_walk walk = { .count = -7 };
        def.to = toy_node(&t, &lot);
        def.from = toy_node(&t, &lot);
        assert_int_equal(marey_graph_walk(ctx, &t.g, &def, &walk, NULL), MAREY_ERR_CANCELLED);
        assert_int_equal(walk.count, -7);
    }
}

/* The searches themselves ask, too: a user may cancel while one is under way. */
TEST_CTX(a_search_that_is_under_way_can_be_cancelled)
{
    static const char *const names[] = { "walk" };
    OWNED(mry_arena) tmp = mry_arena_make(ctx);
    toy_graph t;
    mry_ways ways;
    uint64_t lot = 1;
    toy_make(&t, ctx, 1, 40, 10);
    marey_walk_def def = { .frames = 20, .labels = names, .label_count = 1 };
    def.from_given = def.to_given = true;
    def.from = toy_node(&t, &lot);
    do def.to = toy_node(&t, &lot);
    while (def.to == def.from);
    assert_int_equal(mry_ways_open(&ways, &tmp, &t.g, &def, NULL), MAREY_OK);
    marey_ctx_cancel(ctx);
    for (int kind = 0; kind < 3; kind++) {
        marey_walk walk = { 0 };
        marey_status status = kind == 0   ? mry_walk_to(ctx, &ways, &def, &walk, NULL)
                              : kind == 1 ? mry_walk_labels(ctx, &ways, &def, &walk, NULL)
                                          : mry_walk_length(ctx, &ways, &def, &walk, NULL);
        assert_int_equal(status, MAREY_ERR_CANCELLED);
        assert_null(walk.nodes);
    }
}

TEST_GROUP_OF_CASES(test_walk, NULL, NULL)
