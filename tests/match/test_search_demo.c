/* test_search_demo.c - searching in the demo takes, whose truth is known: for each action, and for
   each side of it, there is a threshold at which all of them are found and nothing else. The
   queries are the segments of the truth as they are; a match counts if it overlaps one by half of
   the two together. The takes of the small person are compared at a common size: point clouds of
   people of different size are far from each other whatever they do. */
#include "support.h"

#include <string.h>

enum { MOST_TAKES = 32, MOST_KINDS = 40, MOST_EXAMPLES = 24, MOST_TRIED = 5 };

typedef struct library {
    marey_ctx *ctx;
    int takes;
    marey_demo_take *take[MOST_TAKES];
    marey_web *webs[MOST_TAKES][MOST_TAKES];
} library;

/* Webs of all pairs take most of the time: without MAREY_LONG there are half of the takes, and no
   reaches, which find each other only where all of them are. */
static bool is_taken(const char *name)
{
    static const char *const some[] = { "walk_straight", "jog_curve", "run_straight", "sneak_curve",
                                        "turns",         "punches",   "kicks",        "jumps",
                                        "hops",          "sits",      "cartwheels",   "small_walk",
                                        "small_fight",   "small_play" };
    for (size_t i = 0; i < sizeof some / sizeof *some; i++)
        if (strcmp(some[i], name) == 0) return true;
    return test_is_long();
}

static void load_takes(library *l, const marey_clip **clips)
{
    assert_true(marey_demo_count() <= MOST_TAKES);
    for (int i = 0; i < marey_demo_count(); i++) {
        if (!is_taken(marey_demo_name(i))) continue;
        assert_int_equal(marey_demo_build(l->ctx, i, 1, &l->take[l->takes], NULL), MAREY_OK);
        clips[l->takes] = marey_demo_clip(l->take[l->takes]);
        l->takes++;
    }
}

static void library_make(library *l)
{
    const marey_clip *clips[MOST_TAKES];
    marey_features *features[MOST_TAKES];
    OWNED(marey_layout) *layout = NULL;
    marey_metric_def def = { .bounded = true, .common_size = true };
    *l = (library){ 0 };
    assert_int_equal(marey_ctx_open(NULL, &l->ctx), MAREY_OK);
    load_takes(l, clips);
    assert_int_equal(marey_layout_build(l->ctx, clips, l->takes, &def, &layout, NULL), MAREY_OK);
    for (int i = 0; i < l->takes; i++) {
        assert_int_equal(marey_features_build(layout, clips[i], &features[i], NULL), MAREY_OK);
    }
    for (int a = 0; a < l->takes; a++) {
        for (int b = a; b < l->takes; b++) {
            assert_int_equal(
                marey_web_build(l->ctx, features[a], features[b], NULL, &l->webs[a][b], NULL),
                MAREY_OK);
        }
    }
    for (int i = 0; i < l->takes; i++) marey_features_free(features[i]);
}

static void library_free(library *l)
{
    for (int a = 0; a < l->takes; a++) {
        for (int b = a; b < l->takes; b++) marey_web_free(l->webs[a][b]);
        marey_demo_free(l->take[a]);
    }
    marey_ctx_close(l->ctx);
}

static marey_status web_of(void *user, int a, int b, const marey_web **out, bool *flipped,
                           marey_error *error)
{
    const library *l = user;
    (void)error;
    *flipped = a > b;
    *out = a > b ? l->webs[b][a] : l->webs[a][b];
    return MAREY_OK;
}

typedef struct kind {
    const char *label, *side;
    int count;
    marey_segment examples[MOST_EXAMPLES];
} kind;

static double overlap(marey_segment a, marey_segment b)
{
    int start = a.start > b.start ? a.start : b.start, end = a.end < b.end ? a.end : b.end;
    if (a.clip != b.clip || end <= start) return 0;
    return (double)(end - start) / (a.end - a.start + b.end - b.start - (end - start));
}

typedef struct score {
    int wrong, missing;
} score;

static score judge(const marey_match_graph *graph, const kind *k)
{
    int count;
    const marey_found *found = marey_match_graph_nodes(graph, &count);
    bool met[MOST_EXAMPLES] = { 0 };
    score s = { 0, 0 };
    for (int i = 0; i < count; i++) {
        bool right = false;
        for (int e = 0; e < k->count; e++) {
            if (overlap(found[i].at, k->examples[e]) < 0.5) continue;
            met[e] = right = true;
        }
        s.wrong += !right;
    }
    for (int e = 0; e < k->count; e++) s.missing += !met[e];
    return s;
}

/* The thresholds at which exactly the examples are found, or else the fewest mistakes. */
typedef struct range {
    double first, last; /* 0: none */
    score best;
    double best_at;
} range;

static range try_query(library *l, const kind *k, marey_segment query)
{
    marey_webs webs = { .clips = l->takes, .web = web_of, .user = l };
    range r = { .best = { 1000, 1000 } };
    for (double threshold = 0.5; threshold < MAREY_WEB_CEILING; threshold *= 1.2) {
        marey_search_def def = { .threshold = threshold, .limit = 300 };
        OWNED(marey_match_graph) *graph = NULL;
        assert_int_equal(marey_search(l->ctx, &webs, query, &def, &graph, NULL), MAREY_OK);
        score s = judge(graph, k);
        if (s.wrong + s.missing < r.best.wrong + r.best.missing) {
            r.best = s;
            r.best_at = threshold;
        }
        if (s.wrong + s.missing == 0) {
            if (r.first == 0) r.first = threshold;
            r.last = threshold;
        } else if (r.first > 0) {
            break;
        }
        if (s.wrong > 10) break; /* it only gets worse */
    }
    return r;
}

/* Does one of a kind's first examples find all others, and nothing else? */
static int try_kind(library *l, const kind *k)
{
    int exact = 0, tried = k->count < MOST_TRIED ? k->count : MOST_TRIED;
    for (int e = 0; e < tried && !exact; e++) {
        range r = try_query(l, k, k->examples[e]);
        exact += r.first > 0;
        print_message("%-10s %-5s example %d of %2d: ", k->label, k->side, e, k->count);
        if (r.first > 0)
            print_message("exact from %.1f to %.1f cm2\n", r.first, r.last);
        else
            print_message("at best %d wrong, %d missing at %.1f\n", r.best.wrong, r.best.missing,
                          r.best_at);
    }
    return exact;
}

TEST(each_action_and_side_has_a_threshold_that_finds_all_of_it_and_nothing_else)
{
    library l;
    kind kinds[MOST_KINDS];
    if (TEST_SANITIZED) test_skip("takes minutes with a sanitizer"); /* other tests search there */
    library_make(&l);
    int count = 0;
    for (int t = 0; t < l.takes; t++) {
        int segments;
        const marey_demo_segment *s = marey_demo_segments(l.take[t], &segments);
        for (int i = 0; i < segments; i++) {
            int k = 0;
            if (!strcmp(s[i].label, "idle")) continue;
            while (k < count &&
                   (strcmp(kinds[k].label, s[i].label) || strcmp(kinds[k].side, s[i].side))) {
                k++;
            }
            if (k == count) kinds[count++] = (kind){ .label = s[i].label, .side = s[i].side };
            assert_true(count < MOST_KINDS && kinds[k].count < MOST_EXAMPLES);
            kinds[k].examples[kinds[k].count++] = (marey_segment){ t, s[i].start, s[i].end };
        }
    }
    assert_true(count > (test_is_long() ? 20 : 15));
    for (int i = 0; i < count; i++) {
        assert_true(try_kind(&l, &kinds[i]) > 0);
    }
    library_free(&l);
}

TEST_GROUP_OF_CASES(test_search_demo, NULL, NULL)
