/* test_search_demo.c - searching in the demo takes, whose truth is known: for each action, and for each side of it, there is
   a threshold at which all of them are found and nothing else.

   Three things are the metric's and not the search's. Point clouds of people of different size are far from each other
   whatever they do, so the takes of the small person are brought to the others' size first. A turn to the left is no turn
   to the right, though the truth has one label for both. And heights above the floor count, so stepping from one
   step to the next is not stepping up from the floor. */
#include "support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_TAKES = 32, MOST_KINDS = 40, MOST_EXAMPLES = 24 };

#define SMALL 0.86 /* the size of the person in the takes called small_... */

typedef struct library {
    marey_ctx *ctx;
    int takes;
    marey_demo_take *take[MOST_TAKES];
    marey_clip *scaled[MOST_TAKES]; /* NULL: as it is */
    marey_web *webs[MOST_TAKES][MOST_TAKES];
} library;

/* ---- webs of all pairs ------------------------------------------------------------------------------------- */

static void load_takes(library *l, const marey_clip **clips)
{
    l->takes = marey_demo_count();
    assert_true(l->takes <= MOST_TAKES);
    for (int i = 0; i < l->takes; i++) {
        assert_int_equal(marey_demo_build(l->ctx, i, 1, &l->take[i], NULL), MAREY_OK);
        clips[i] = marey_demo_clip(l->take[i]);
        if (strncmp(marey_demo_name(i), "small_", 6) != 0) continue;
        assert_int_equal(marey_clip_scale(clips[i], 1 / SMALL, &l->scaled[i], NULL), MAREY_OK);
        clips[i] = l->scaled[i];
    }
}

static void library_make(library *l)
{
    const marey_clip *clips[MOST_TAKES];
    marey_features *features[MOST_TAKES];
    marey_layout *layout;
    marey_metric_def def = { .bounded = true };
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
    marey_layout_free(layout);
}

static void library_free(library *l)
{
    for (int a = 0; a < l->takes; a++) {
        for (int b = a; b < l->takes; b++) marey_web_free(l->webs[a][b]);
        marey_clip_free(l->scaled[a]);
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

/* ---- truth ------------------------------------------------------------------------------------------------- */

typedef struct kind {
    const char *label, *side;
    int count;
    marey_segment examples[MOST_EXAMPLES];
} kind;

static const char *side_of(const marey_demo_segment *s)
{
    if (strcmp(s->label, "turn") != 0) return s->side;
    return s->param_values[0] > 0 ? "left" : "right";
}

static int list_kinds(const library *l, kind *kinds)
{
    int count = 0;
    for (int t = 0; t < l->takes; t++) {
        int segments;
        const marey_demo_segment *s = marey_demo_segments(l->take[t], &segments);
        for (int i = 0; i < segments; i++) {
            int k = 0;
            if (!strcmp(s[i].label, "idle")) continue;
            while (k < count &&
                   (strcmp(kinds[k].label, s[i].label) || strcmp(kinds[k].side, side_of(&s[i])))) {
                k++;
            }
            if (k == count) kinds[count++] = (kind){ .label = s[i].label, .side = side_of(&s[i]) };
            assert_true(count < MOST_KINDS && kinds[k].count < MOST_EXAMPLES);
            kinds[k].examples[kinds[k].count++] = (marey_segment){ t, s[i].start, s[i].end };
        }
    }
    return count;
}

/* What a person would mark: of an action that goes on, 1.5 s in the middle; of sitting, the sitting down - while one sits
   there is nothing to tell frames by; of others the action without the standing before and behind it. */
static marey_segment query_of(const kind *k, int example)
{
    marey_segment at = k->examples[example];
    int length = at.end - at.start, middle = (at.start + at.end) / 2;
    if (!strcmp(k->label, "sit"))
        return (marey_segment){ at.clip, at.start + length / 20, at.start + length * 6 / 20 };
    if (length > 238) return (marey_segment){ at.clip, middle - 45, middle + 45 };
    return (marey_segment){ at.clip, at.start + length / 5, at.end - length / 5 };
}

static double overlap(marey_segment a, marey_segment b)
{
    int start = a.start > b.start ? a.start : b.start, end = a.end < b.end ? a.end : b.end;
    int first = a.end - a.start, second = b.end - b.start;
    if (a.clip != b.clip || end <= start) return 0;
    return (double)(end - start) / (first < second ? first : second);
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

/* ---- thresholds ------------------------------------------------------------------------------------------- */

/* The thresholds at which exactly the examples are found, or else the fewest mistakes. */
typedef struct range {
    double first, last; /* 0: none */
    score best;
    double best_at;
} range;

static range try_query(library *l, const kind *k, marey_segment query)
{
    marey_webs webs = { l->takes, web_of, l };
    range r = { .best = { 1000, 1000 } };
    for (double threshold = 0.5; threshold < MAREY_WEB_CEILING; threshold *= 1.25) {
        marey_search_def def = { .threshold = threshold, .limit = 300 };
        marey_match_graph *graph;
        assert_int_equal(marey_search(l->ctx, &webs, query, &def, &graph, NULL), MAREY_OK);
        score s = judge(graph, k);
        marey_match_graph_free(graph);
        if (s.wrong + s.missing < r.best.wrong + r.best.missing) {
            r.best = s;
            r.best_at = threshold;
        }
        if (s.wrong + s.missing == 0) {
            if (r.first == 0) r.first = threshold;
            r.last = threshold;
        }
        if (s.wrong > 40) break; /* it only gets worse */
    }
    return r;
}

/* Does any example find all others? */
static bool try_kind(library *l, const kind *k)
{
    range best = { .best = { 1000, 1000 } };
    int exact = 0, first = -1;
    for (int e = 0; e < k->count; e++) {
        range r = try_query(l, k, query_of(k, e));
        if (r.first > 0 && exact++ == 0) first = e;
        if (first == e ||
            (exact == 0 && r.best.wrong + r.best.missing < best.best.wrong + best.best.missing)) {
            best = r;
        }
    }
    print_message("%-10s %-5s %2d examples, %2d of them as queries exact; ", k->label, k->side,
                  k->count, exact);
    if (exact)
        print_message("example %d from %.1f to %.1f cm2\n", first, best.first, best.last);
    else
        print_message("at best %d wrong, %d missing at %.1f\n", best.best.wrong, best.best.missing,
                      best.best_at);
    return exact > 0;
}

/* Minutes under a sanitizer, which sees the same code in the other tests of searching. */
static bool is_sanitized(void)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    return true;
#elif defined(__has_feature)
    return __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
    return false;
#endif
}

static void each_action_and_side_has_a_threshold_that_finds_all_of_it_and_nothing_else(void **state)
{
    (void)state;
    library l;
    kind kinds[MOST_KINDS];
    if (is_sanitized()) {
        print_message("skipped: takes minutes with a sanitizer\n");
        skip();
    }
    library_make(&l);
    int count = list_kinds(&l, kinds);
    assert_true(count > 20);
    for (int i = 0; i < count; i++) {
        bool found = try_kind(&l, &kinds[i]);
        bool from_a_step = !strncmp(kinds[i].label, "step_", 5); /* see the top of this file */
        if (!from_a_step) assert_true(found);
    }
    library_free(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            each_action_and_side_has_a_threshold_that_finds_all_of_it_and_nothing_else),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
