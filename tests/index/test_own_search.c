/* test_own_search.c - searching a library by a metric of the caller's own: every match against all
   alignments there are, tried one by one; nearest ones, rates, marked frames, bodies without roles,
   what is refused, refused memory. */
#include "metric_clips.h"
#include "own_clips.h"
#include "searcher_bench.h"

#include "motion/clip_data.h"

#include <math.h>
#include <stdlib.h>

enum { START = 10, END = 18, CLIPS = 4, MOST = 200 };

typedef struct fixture {
    test_library *f;
    marey_clip *clips[CLIPS];
    int ratio[CLIPS]; /* frames of the query to one of the clip */
} fixture;

static const char *const names[CLIPS] = { "query", "other", "slow", "thing" };

static int set_up(void **state)
{
    fixture *x = calloc(1, sizeof *x);
    x->f = test_library_new();
    marey_ctx *ctx = x->f->ctx;
    OWNED(marey_clip) *one = test_mover(ctx, 100, 1), *other = test_mover(ctx, 90, 2);
    OWNED(marey_clip) *third = test_mover(ctx, 120, 3), *thing = test_nameless(ctx, 60);
    double fps = marey_clip_fps(one);
    /* Resampled, as a library keeps what a file said of others. */
    test_ok(marey_clip_resample(one, fps / 2, &x->clips[0], NULL));
    test_ok(marey_clip_resample(other, fps / 2, &x->clips[1], NULL));
    test_ok(marey_clip_resample(third, fps / 4, &x->clips[2], NULL));
    test_ok(marey_clip_resample(thing, fps / 4, &x->clips[3], NULL));
    assert_true(mry_clip_add_mark(x->clips[1], MAREY_MARK_DROPOUT, 20, 24));
    for (int i = 0; i < CLIPS; i++) {
        test_library_put_clip(x->f, x->clips[i], names[i]);
        x->ratio[i] = i < 2 ? 1 : 2;
    }
    test_ok(marey_searcher_open(x->f->library, &x->f->searcher, NULL));
    *state = x;
    return 0;
}

static int tear_down(void **state)
{
    fixture *x = *state;
    void *library = x->f;
    for (int i = 0; i < CLIPS; i++) marey_clip_free(x->clips[i]);
    free(x);
    return test_library_free(&library);
}

#define CASE(name) TEST_OF_IN(set_up, tear_down, fixture *x, name)

/* ---- the judge ------------------------------------------------------------------------------- */

typedef struct truth {
    int clip, start, end; /* frames, the last one included */
    double cost;
} truth;

typedef struct trying {
    double (*cells)[64];
    int rows, cols, begun;
    truth *best; /* of each column */
} trying;

static void try_all(trying *t, int row, int col, int stays, double sum)
{
    sum += t->cells[row][col];
    if (row == t->rows - 1) {
        if (sum / t->rows < t->best[col].cost)
            t->best[col] = (truth){ 0, t->begun, col, sum / t->rows };
        return;
    }
    for (int step = 0; step <= 2; step++) {
        if (col + step >= t->cols || (step == 0 && stays == 1)) continue;
        try_all(t, row + 1, col + step, step == 0 ? stays + 1 : 0, sum);
    }
}

static int compare(const void *left, const void *right)
{
    const truth *a = left, *b = right;
    if (a->cost != b->cost) return a->cost < b->cost ? -1 : 1;
    if (a->clip != b->clip) return a->clip - b->clip;
    return a->start - b->start;
}

static double overlap(truth a, int start, int end)
{
    int from = a.start > start ? a.start : start, to = a.end + 1 < end ? a.end + 1 : end;
    int shorter = a.end + 1 - a.start < end - start ? a.end + 1 - a.start : end - start;
    return to > from ? (double)(to - from) / shorter : 0;
}

static int judge(const fixture *x, double threshold, double same, truth out[MOST])
{
    int count = 0;
    for (int c = 0; c < CLIPS; c++) {
        double cells[8][64];
        truth best[64];
        int first = (START + x->ratio[c] / 2) / x->ratio[c];
        int last = (END - 1 + x->ratio[c] / 2) / x->ratio[c], kept = count;
        trying t = { cells, last - first + 1, marey_clip_frames(x->clips[c]), 0, best };
        for (int j = 0; j < t.cols; j++) {
            double p[TEST_OWN_COLUMNS], q[TEST_OWN_COLUMNS];
            bool marked = c == 1 && j >= 20 && j < 24;
            test_own_numbers(x->clips[c], j, q);
            for (int i = 0; i < t.rows; i++) {
                test_own_numbers(x->clips[0], (first + i) * x->ratio[c], p);
                cells[i][j] = marked ? INFINITY : 0;
                for (int k = 0; k < TEST_OWN_COLUMNS; k++)
                    cells[i][j] += (p[k] - q[k]) * (p[k] - q[k]);
            }
            best[j].cost = INFINITY;
        }
        for (t.begun = 0; t.begun < t.cols; t.begun++) try_all(&t, 0, t.begun, 0, 0);
        qsort(best, (size_t)t.cols, sizeof *best, compare);
        for (int j = 0; j < t.cols && best[j].cost <= threshold; j++) {
            bool is_new = c > 0 || overlap(best[j], START, END) < same;
            for (int k = kept; k < count; k++)
                is_new &= overlap(best[j], out[k].start, out[k].end + 1) < same;
            if (!is_new) continue;
            out[count] = best[j];
            out[count++].clip = c;
        }
    }
    qsort(out, (size_t)count, sizeof *out, compare);
    return count;
}

static void check(const fixture *x, const marey_finding *finding, const truth *truths, int wanted)
{
    int count;
    const marey_match *found = marey_finding_matches(finding, &count);
    assert_int_equal(count, wanted + 1);
    assert_int_equal(found[0].start, START);
    assert_int_equal(found[0].end, END);
    for (int i = 0; i < wanted; i++) {
        const marey_match *one = &found[i + 1];
        assert_string_equal(one->name, names[truths[i].clip]);
        assert_int_equal(one->start, truths[i].start);
        assert_int_equal(one->end, truths[i].end + 1);
        assert_true(fabs(one->distance - truths[i].cost) <= 1e-4 * (1 + truths[i].cost));
        assert_true(one->path_distance == one->distance && one->tier == 1 && !one->mirrored);
    }
    /* How frames go together: from end to end, and as dear as was said. */
    int edges;
    const marey_match_edge *all = marey_finding_edges(finding, &edges);
    assert_int_equal(edges, wanted);
    for (int e = 0; e < edges; e++) {
        const marey_match *to = &found[all[e].to];
        marey_path path;
        test_ok(marey_finding_path(finding, e, &path, NULL));
        assert_int_equal(path.cells[0].col, to->start);
        assert_int_equal(path.cells[path.count - 1].col, to->end - 1);
        assert_in_range(path.cells[0].row, START, START + 1);
        assert_in_range(path.cells[path.count - 1].row, END - 2, END);
        for (int k = 1; k < path.count; k++) {
            assert_true(path.cells[k].row >= path.cells[k - 1].row);
            assert_true(path.cells[k].col >= path.cells[k - 1].col);
        }
        marey_path_free(&path);
    }
    (void)x;
}

static const marey_query query = { .clip = "query", .start = START, .end = END };

/* ---- cases ----------------------------------------------------------------------------------- */

CASE(matches_are_those_of_all_alignments_there_are)
{
    static const double thresholds[] = { 50, 200, 1000, 10000, 1e6 };
    int most = 0;
    for (int i = 0; i < 5; i++) {
        test_own user = { 0 };
        marey_own_metric own = test_own_metric(&user, NULL);
        marey_metric_def metric = { .own = &own };
        marey_find_def def = { .metric = &metric,
                               .search = {
                                   .threshold = thresholds[i], .same = 0.4, .distinct = 0.4 } };
        truth truths[MOST];
        int wanted = judge(x, thresholds[i], 0.4, truths);
        OWNED(marey_finding) *finding = test_searcher_find(x->f, query, &def);
        check(x, finding, truths, wanted);
        assert_int_equal(user.asked, CLIPS); /* each clip once */
        most = wanted > most ? wanted : most;
    }
    assert_true(most > 10);
}

CASE(the_nearest_are_the_first_of_all)
{
    test_own user = { 0 };
    marey_own_metric own = test_own_metric(&user, NULL);
    marey_metric_def metric = { .own = &own };
    truth truths[MOST];
    int all = judge(x, INFINITY, 0.4, truths);
    for (int nearest = 1; nearest < 8; nearest++) {
        marey_find_def def = { .metric = &metric,
                               .nearest = nearest,
                               .search = { .same = 0.4, .distinct = 0.4 } };
        OWNED(marey_finding) *finding = test_searcher_find(x->f, query, &def);
        assert_true(all > nearest);
        check(x, finding, truths, nearest);
    }
}

CASE(a_metrics_own_threshold_is_the_default)
{
    test_own user = { 0 };
    marey_own_metric own = test_own_metric(&user, NULL);
    own.metric.thresholds.find = 1000;
    marey_metric_def metric = { .own = &own };
    marey_find_def def = { .metric = &metric, .search = { .same = 0.4, .distinct = 0.4 } };
    truth truths[MOST];
    OWNED(marey_finding) *finding = test_searcher_find(x->f, query, &def);
    check(x, finding, truths, judge(x, 1000, 0.4, truths));
    assert_true(marey_finding_report_of(finding).threshold == 1000);
}

CASE(searches_by_poses_go_on_beside_it)
{
    test_own user = { 0 };
    marey_own_metric own = test_own_metric(&user, NULL);
    marey_metric_def metric = { .own = &own };
    marey_find_def mine = { .metric = &metric, .nearest = 3 }, poses = { .nearest = 3 };
    OWNED(marey_finding) *before = test_searcher_find(x->f, query, &poses);
    OWNED(marey_finding) *own_one = test_searcher_find(x->f, query, &mine);
    OWNED(marey_finding) *after = test_searcher_find(x->f, query, &poses);
    OWNED(marey_finding) *own_two = test_searcher_find(x->f, query, &mine);
    test_same_findings(before, after);
    test_same_findings(own_one, own_two);
}

CASE(a_query_from_outside_finds_the_same)
{
    test_own user = { 0 };
    marey_own_metric own = test_own_metric(&user, NULL);
    marey_metric_def metric = { .own = &own, .window = 3 };
    marey_find_def def = { .metric = &metric, .nearest = 4 };
    marey_query outside = { .outside = x->clips[0], .start = START, .end = END };
    OWNED(marey_finding) *finding = test_searcher_find(x->f, outside, &def);
    int count;
    const marey_match *found = marey_finding_matches(finding, &count);
    assert_int_equal(count, 5);
    assert_string_equal(found[1].name, "query"); /* itself, which is in the library too */
    assert_true(found[1].start == START && found[1].end == END && found[1].distance < 1e-6);
}

CASE(what_does_not_go_with_it_is_refused)
{
    test_own user = { 0 };
    marey_own_metric own = test_own_metric(&user, NULL);
    marey_metric_def metric = { .own = &own }, points = { .metric = marey_metric_find(0) };
    marey_find_def none = { .metric = &metric }, plain = { .metric = &points, .nearest = 1 };
    marey_find_def mirror = { .metric = &metric, .nearest = 1, .mirror = true };
    marey_find_def like = { .metric = &metric, .nearest = 1, .like = &query, .like_count = 1 };
    test_searcher_refuses(x->f, query, &none, MAREY_ERR_REQUEST, "threshold must be given");
    test_searcher_refuses(x->f, query, &plain, MAREY_ERR_REQUEST, "only an own metric");
    test_searcher_refuses(x->f, query, &mirror, MAREY_ERR_REQUEST, "mirrored");
    test_searcher_refuses(x->f, query, &like, MAREY_ERR_REQUEST, "likes");
    user.fails = MAREY_ERR_INPUT;
    marey_index_def index = { .metric = &metric };
    marey_error error = { 0 };
    assert_int_equal(marey_library_index(x->f->library, &index, NULL, &error), MAREY_ERR_REQUEST);
    assert_non_null(strstr(error.message, "match webs"));
    marey_find_def fails = { .metric = &metric, .nearest = 1 };
    test_searcher_refuses(x->f, query, &fails, MAREY_ERR_INPUT, "the net is not there");
}

static marey_status search(marey_library *library, marey_searcher *searcher)
{
    test_own user = { 0 };
    marey_own_metric own = test_own_metric(&user, NULL);
    marey_metric_def metric = { .own = &own };
    marey_find_def def = { .metric = &metric, .nearest = 3 };
    marey_finding *finding = NULL;
    (void)library;
    marey_status status = marey_searcher_find(searcher, &query, &def, &finding, NULL);
    if (status) assert_null(finding);
    marey_finding_free(finding);
    return status;
}

CASE(refused_memory_and_a_stop_are_reported)
{
    test_searcher_starve(x->f, search);
}

TEST_GROUP_OF_CASES(test_own_search, NULL, NULL)
