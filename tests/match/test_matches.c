/* test_matches.c - constraint matches: the paper's example, motions that are the same, standing
   against walking, and random ones against a judge that tries every partition there is. */
#include "align/matches.h"

#include "support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_MOTIONS = 9, MOST_SPANS = 12, MOST_MATCHES = MOST_MOTIONS * MOST_SPANS };

typedef struct input {
    int motions;
    int counts[MOST_MOTIONS];
    mry_span spans[MOST_MOTIONS][MOST_SPANS];
} input;

static mry_matches matches_of(mry_arena *mem, const input *in)
{
    mry_spans motions[MOST_MOTIONS];
    mry_matches found;
    for (int m = 0; m < in->motions; m++) motions[m] = (mry_spans){ in->counts[m], in->spans[m] };
    assert_true(mry_matches_find(mem, motions, in->motions, &found));
    return found;
}

static void assert_near(double got, double want)
{
    if (!(fabs(got - want) <= 1e-9)) fail_msg("%.12g is not %.12g", got, want);
}

static void assert_match(const mry_span *match, mry_span a, mry_span b)
{
    assert_near(match[0].start, a.start);
    assert_near(match[0].end, a.end);
    assert_near(match[1].start, b.start);
    assert_near(match[1].end, b.end);
}

/* ---- examples */

TEST_CTX(two_motions_match_as_they_should)
{
    static const struct {
        const char *name;
        input in;
        int count, dropped, split;
        mry_span want[3][2];
    } examples[] = {
        { "the paper's: 0 .. 5 of the second goes, 8 .. 42 of it is laid on 10 .. 40",
          { 2,
            { 2, 4 },
            { { { 10, 40 }, { 50, 60 } }, { { 0, 5 }, { 8, 20 }, { 28, 42 }, { 52, 63 } } } },
          3,
          1,
          1,
          { { { 10, 10 + 30 * 12 / 34.0 }, { 8, 20 } },
            { { 10 + 30 * 20 / 34.0, 40 }, { 28, 42 } },
            { { 50, 60 }, { 52, 63 } } } },
        /* Laid out over all of the standing, the second step would be sought where the walker's
           foot is long in the air. */
        { "a gap never keeps a part from what it is for, early",
          { 2, { 1, 2 }, { { { 0, 100 } }, { { 0, 1 }, { 2, 3 } } } },
          2,
          0,
          1,
          { { { 0, 1 }, { 0, 1 } }, { { 2, 100 }, { 2, 3 } } } },
        { "a gap never keeps a part from what it is for, late",
          { 2, { 1, 2 }, { { { 0, 100 } }, { { 50, 51 }, { 52, 100 } } } },
          2,
          0,
          1,
          { { { 0, 51 }, { 50, 51 } }, { { 52, 100 }, { 52, 100 } } } },
        { "what only touches is not connected",
          { 2, { 1, 2 }, { { { 5, 10 } }, { { 0, 5 }, { 5, 10 } } } },
          1,
          1,
          0,
          { { { 5, 10 }, { 5, 10 } } } },
        { "plants that follow at once split without a gap",
          { 2, { 1, 2 }, { { { 0, 10 } }, { { 0, 4 }, { 4, 10 } } } },
          2,
          0,
          1,
          { { { 0, 4 }, { 0, 4 } }, { { 4, 10 }, { 4, 10 } } } },
        { "a motion without constraints breaks all of the others",
          { 3, { 2, 0, 1 }, { { { 0, 1 }, { 2, 3 } }, { { 0, 0 } }, { { 0, 9 } } } },
          0,
          3,
          0,
          { { { 0, 0 } } } },
        { "so does one that has no length",
          { 3, { 2, 1, 1 }, { { { 0, 1 }, { 2, 3 } }, { { 0, 0 } }, { { 0, 9 } } } },
          0,
          4,
          0,
          { { { 0, 0 } } } },
    };
    OWNED(mry_arena) mem = mry_arena_make(ctx);
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        mry_matches found = matches_of(&mem, &examples[i].in);
        if (found.count != examples[i].count || found.dropped != examples[i].dropped ||
            found.split != examples[i].split)
            fail_msg("%s: %d matches, %d dropped, %d split", examples[i].name, found.count,
                     found.dropped, found.split);
        for (int k = 0; k < found.count; k++)
            assert_match(found.spans + 2 * k, examples[i].want[k][0], examples[i].want[k][1]);
    }
}

TEST_CTX(motions_that_are_the_same_match_as_they_are)
{
    OWNED(mry_arena) mem = mry_arena_make(ctx);
    for (int motions = 1; motions <= MOST_MOTIONS; motions++) {
        input in = { .motions = motions };
        for (int m = 0; m < motions; m++) {
            in.counts[m] = 5;
            for (int c = 0; c < 5; c++)
                in.spans[m][c] = (mry_span){ 10.0 * c + (c == 3 ? -1 : 1), 10.0 * c + 9 };
        }
        in.spans[0][2].end = in.spans[0][3].start; /* one motion with two that touch */
        mry_matches found = matches_of(&mem, &in);
        assert_int_equal(found.count, 5);
        assert_int_equal(found.dropped, 0);
        assert_int_equal(found.split, 0);
        for (int c = 0; c < 5; c++)
            for (int m = 0; m < motions; m++)
                assert_memory_equal(found.spans + c * motions + m, &in.spans[m][c],
                                    sizeof(mry_span));
    }
}

TEST_CTX(standing_still_is_cut_up_as_walking_is)
{
    OWNED(mry_arena) mem = mry_arena_make(ctx);
    input in = { .motions = 2,
                 .counts = { 5, 1 },
                 .spans = { { { 0, 10 }, { 20, 35 }, { 45, 60 }, { 70, 85 }, { 95, 100 } },
                            { { 0, 100 } } } };
    for (int ends_early = 0; ends_early < 2; ends_early++) {
        if (ends_early) in.spans[0][4].end = 99; /* and stays in the air */
        mry_matches found = matches_of(&mem, &in);
        assert_int_equal(found.count, 5);
        assert_int_equal(found.dropped, 0);
        assert_int_equal(found.split, 1);
        for (int c = 0; c < 4; c++) {
            mry_span step = in.spans[0][c];
            double end = c < 3 || !ends_early ? step.end : 70 + 30 * 15 / 29.0;
            assert_match(found.spans + 2 * c, step, (mry_span){ step.start, end });
        }
        assert_near(found.spans[9].end, 100);
    }
}

typedef struct judge {
    int motions;
    int counts[MOST_MOTIONS]; /* left */
    mry_span left[MOST_MOTIONS][MOST_SPANS];
    bool part[MOST_MOTIONS]; /* left[m][0] is what is behind a gap */
    int matches, dropped, split;
    mry_span found[MOST_MATCHES][MOST_MOTIONS];
} judge;

static double start_of(const judge *j, int motion, int c)
{
    return c < j->counts[motion] ? j->left[motion][c].start : INFINITY;
}

static double end_of(const judge *j, int motion, int c)
{
    return c < j->counts[motion] ? j->left[motion][c].end : INFINITY;
}

static double common(mry_span a, mry_span b)
{
    return fmax(0, fmin(a.end, b.end) - fmax(a.start, b.start));
}

/* Is every place between the first start and the last end inside a span? Places where spans begin
   or end are tried, and one between each two. */
static bool judge_connected(const mry_span *spans, int count)
{
    double first = INFINITY, last = -INFINITY, ends[2 * MOST_MOTIONS];
    for (int s = 0; s < count; s++) {
        first = fmin(first, ends[2 * s] = spans[s].start);
        last = fmax(last, ends[2 * s + 1] = spans[s].end);
    }
    for (int e = 0; e < 2 * count; e++) {
        double next = INFINITY;
        for (int o = 0; o < 2 * count; o++)
            if (ends[o] > ends[e]) next = fmin(next, ends[o]);
        double places[2] = { ends[e], next < INFINITY ? (ends[e] + next) / 2 : first };
        for (int p = 0; p < 2; p++) {
            bool inside = places[p] <= first || places[p] >= last;
            for (int s = 0; s < count; s++)
                inside |= spans[s].start < places[p] && places[p] < spans[s].end;
            if (!inside) return false;
        }
    }
    return true;
}

/* What is split subsumes all that is not. */
static bool partition_is_valid(const judge *j, unsigned s1)
{
    for (int a = 0; a < j->motions; a++) {
        for (int b = 0; b < j->motions; b++) {
            bool subsumes =
                end_of(j, a, 0) > start_of(j, b, 1) && start_of(j, a, 1) > end_of(j, b, 1);
            if ((s1 >> a & 1) && !(s1 >> b & 1) && !subsumes) return false;
        }
    }
    return true;
}

/* s1 = 0 says that nothing is split; then the first intervals count. */
static double total_overlap(const judge *j, unsigned s1)
{
    mry_span counted[MOST_MOTIONS];
    double sum = 0;
    for (int m = 0; m < j->motions; m++) {
        bool longer = s1 && !(s1 >> m & 1);
        counted[m] = (mry_span){ j->left[m][0].start, j->left[m][longer].end };
    }
    for (int a = 0; a < j->motions; a++)
        for (int b = 0; b < j->motions; b++) sum += common(counted[a], counted[b]);
    return sum;
}

static mry_span judge_gap(const judge *j, int i, unsigned s1)
{
    mry_span sum = { 0, 0 }, c = j->left[i][0];
    int votes = 0;
    for (int v = 0; v < j->motions; v++) {
        if (s1 >> v & 1) continue;
        mry_span v1 = j->left[v][0], v2 = j->left[v][1];
        double p = start_of(j, v, 2) < c.end && v2.end > c.start ? v2.end : c.end;
        double a = c.start + (p - c.start) / (v2.end - v1.start) * (v1.end - v1.start);
        double b = c.start + (p - c.start) / (v2.end - v1.start) * (v2.start - v1.start);
        if (c.start < v1.end && (!(common((mry_span){ c.start, a }, v1) > 0) ||
                                 !(common((mry_span){ b, c.end }, v2) > 0))) {
            a = v1.end;
            b = v2.start;
        }
        sum.start += a;
        sum.end += b;
        votes++;
    }
    return (mry_span){ sum.start / votes, sum.end / votes };
}

static void judge_match(const judge *j, unsigned s1, mry_span *match)
{
    for (int m = 0; m < j->motions; m++) {
        match[m] = j->left[m][0];
        if (s1 >> m & 1) match[m].end = judge_gap(j, m, s1).start;
    }
}

/* The valid partition with the largest overlap whose match is connected. */
static unsigned judge_partition(const judge *j)
{
    unsigned best = 0, all = (1u << j->motions) - 1;
    double best_overlap = total_overlap(j, 0);
    for (unsigned s1 = 1; s1 < all; s1++) {
        mry_span match[MOST_MOTIONS];
        if (!partition_is_valid(j, s1)) continue;
        judge_match(j, s1, match);
        if (!judge_connected(match, j->motions)) continue;
        double overlap = total_overlap(j, s1);
        if (overlap > best_overlap) best = s1;
        best_overlap = fmax(overlap, best_overlap);
    }
    return best;
}

static void judge_shift(judge *j, int motion)
{
    j->counts[motion]--;
    j->part[motion] = false;
    memmove(j->left[motion], j->left[motion] + 1, sizeof(mry_span) * (MOST_SPANS - 1));
}

static bool judge_has_all(const judge *j)
{
    for (int m = 0; m < j->motions; m++)
        if (!j->counts[m]) return false;
    return true;
}

static void judge_drop(judge *j)
{
    int first = 0;
    for (int m = 1; m < j->motions; m++) {
        double sooner = j->left[first][0].start - j->left[m][0].start;
        if (sooner > 0 || (sooner == 0 && j->left[m][0].end < j->left[first][0].end)) first = m;
    }
    j->dropped += !j->part[first];
    judge_shift(j, first);
}

static void judge_round(judge *j)
{
    mry_span heads[MOST_MOTIONS], gaps[MOST_MOTIONS];
    judge_match(j, 0, heads);
    if (!judge_connected(heads, j->motions)) {
        judge_drop(j);
        return;
    }
    unsigned s1 = judge_partition(j);
    judge_match(j, s1, j->found[j->matches++]);
    for (int m = 0; m < j->motions; m++)
        if (s1 >> m & 1) gaps[m] = judge_gap(j, m, s1);
    for (int m = 0; m < j->motions; m++) {
        if (s1 >> m & 1) {
            j->left[m][0].start = gaps[m].end;
            j->split += !j->part[m];
            j->part[m] = true;
        } else {
            judge_shift(j, m);
        }
    }
}

static void judge_run(judge *j, const input *in)
{
    *j = (judge){ .motions = in->motions };
    memcpy(j->counts, in->counts, sizeof j->counts);
    memcpy(j->left, in->spans, sizeof j->left);
    while (judge_has_all(j)) judge_round(j);
    for (int m = 0; m < j->motions; m++)
        while (j->counts[m]) {
            j->dropped += !j->part[m];
            judge_shift(j, m);
        }
}

/* ---- random inputs */

static unsigned next_random(unsigned *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

/* On whole numbers, so that ends meet often, or anywhere. */
static void random_input(unsigned *random, int motions, bool whole, input *out)
{
    memset(out, 0, sizeof *out);
    out->motions = motions;
    for (int m = 0; m < motions; m++) {
        int count = (int)(next_random(random) % 7), longest = 2 << next_random(random) % 5;
        double at = next_random(random) % 8;
        for (int c = 0; c < count; c++) {
            double gap = next_random(random) % 6, length = 1 + next_random(random) % longest;
            if (!whole) gap *= 0.37 + next_random(random) * 1e-9;
            if (!whole) length *= 0.29 + next_random(random) * 1e-9;
            at += gap;
            out->spans[m][c] = (mry_span){ at, at + length };
            at += length;
        }
        out->counts[m] = count;
    }
}

TEST_CTX(random_motions_match_as_the_judge_says)
{
    OWNED(mry_arena) mem = mry_arena_make(ctx);
    unsigned random = 7;
    int split = 0, dropped = 0, matches = 0;
    FREED judge *j = calloc(1, sizeof *j);
    for (int round = 0; round < 12000; round++) {
        input in;
        int motions = 1 + round % 12 % MOST_MOTIONS;
        random_input(&random, motions, round % 3 > 0, &in);
        judge_run(j, &in);
        mry_matches found = matches_of(&mem, &in);
        /* Every span lies in a constraint of its motion, behind the span before it, and each match
           is connected. */
        bool matched[MOST_MOTIONS][MOST_SPANS] = { 0 };
        int total = 0, used = 0;
        for (int k = 0; k < found.count; k++) {
            const mry_span *match = found.spans + k * in.motions;
            assert_true(judge_connected(match, in.motions));
            for (int m = 0; m < in.motions; m++) {
                int at = 0;
                while (at < in.counts[m] && in.spans[m][at].end < match[m].end) at++;
                assert_true(at < in.counts[m] && match[m].start >= in.spans[m][at].start);
                assert_true(match[m].start < match[m].end);
                if (k) assert_true(match[m - in.motions].end <= match[m].start);
                matched[m][at] = true;
            }
        }
        for (int m = 0; m < in.motions; m++) {
            total += in.counts[m];
            for (int c = 0; c < in.counts[m]; c++) used += matched[m][c];
        }
        assert_int_equal(used + found.dropped, total);
        assert_true(found.split <= used);
        assert_int_equal(found.count, j->matches);
        assert_int_equal(found.dropped, j->dropped);
        assert_int_equal(found.split, j->split);
        for (int k = 0; k < found.count; k++) {
            for (int m = 0; m < motions; m++) {
                mry_span got = found.spans[k * motions + m];
                assert_near(got.start, j->found[k][m].start);
                assert_near(got.end, j->found[k][m].end);
            }
        }
        matches += motions > 1 ? found.count : 0;
        split += found.split;
        dropped += found.dropped;
        mry_arena_free(&mem);
    }
    assert_true(matches > 6000 && split > 1500 && dropped > 6000); /* all of it was tried */
}

TEST_CTX(the_order_of_the_motions_does_not_matter)
{
    OWNED(mry_arena) mem = mry_arena_make(ctx);
    unsigned random = 99;
    for (int round = 0; round < 500; round++) {
        input in, turned = { 0 };
        random_input(&random, 4, false, &in);
        turned.motions = 4;
        for (int m = 0; m < 4; m++) {
            turned.counts[m] = in.counts[3 - m];
            memcpy(turned.spans[m], in.spans[3 - m], sizeof in.spans[m]);
        }
        mry_matches a = matches_of(&mem, &in), b = matches_of(&mem, &turned);
        assert_int_equal(a.count, b.count);
        assert_int_equal(a.split, b.split);
        for (int k = 0; k < a.count; k++)
            for (int m = 0; m < 4; m++)
                assert_near(a.spans[4 * k + m].end, b.spans[4 * k + 3 - m].end);
        mry_arena_free(&mem);
    }
}

/* ---- what must not hang, crash or leak */

TEST_CTX(spans_that_cannot_be_do_no_harm)
{
    OWNED(mry_arena) mem = mry_arena_make(ctx);
    input in = { .motions = 3,
                 .counts = { 4, 4, 2 },
                 .spans = {
                     { { 0, NAN }, { -INFINITY, INFINITY }, { 3, 2 }, { 1, 1.5 } },
                     { { 1, nextafter(1, 2) }, { nextafter(1, 2), 1.5 }, { 5, 4 }, { 2, 2 } },
                     { { -1e308, 1e308 }, { 0, 5e-324 } } } };
    mry_matches found = matches_of(&mem, &in);
    for (int k = 0; k < found.count * 3; k++)
        assert_true(found.spans[k].start < found.spans[k].end);
}

TEST_CTX(a_long_standing_splits_a_hundred_thousand_times)
{
    OWNED(mry_arena) mem = mry_arena_make(ctx);
    enum { STEPS = 100000 };
    FREED mry_span *walk = malloc(STEPS * sizeof *walk);
    mry_span stand = { 0, 2.0 * STEPS };
    for (int c = 0; c < STEPS; c++) walk[c] = (mry_span){ 2.0 * c, 2.0 * c + 1 };
    mry_spans motions[] = { { STEPS, walk }, { 1, &stand } };
    mry_matches found;
    assert_true(mry_matches_find(&mem, motions, 2, &found));
    assert_int_equal(found.count, STEPS);
    assert_int_equal(found.split, 1);
    assert_int_equal(found.dropped, 0);
}

TEST(refused_memory_is_reported_and_nothing_is_left)
{
    mry_span walk[40], stand = { 0, 400 };
    for (int c = 0; c < 40; c++) walk[c] = (mry_span){ 10.0 * c, 10.0 * c + 6 };
    mry_spans motions[] = { { 40, walk }, { 1, &stand }, { 1, &stand } };
    OWNED(test_memory) memory = { .refuse = -1 };
    OWNED(marey_ctx) *ctx = test_ctx_refusing(&memory);
    marey_status status = MAREY_OK;
    for (test_refusals sweep = { .memory = &memory, .each = true }; test_refuse(&sweep, status);) {
        OWNED(mry_arena) mem = mry_arena_make(ctx);
        mry_matches found = { .count = -1 };
        status = mry_matches_find(&mem, motions, 3, &found) ? MAREY_OK : MAREY_ERR_MEMORY;
        assert_int_equal(found.count, status ? -1 : 40);
    }
}

TEST_GROUP_OF_CASES(test_matches, NULL, NULL)
