/* by_default.c - what a user gets who points at one movement and sets nothing: `marey search` for up
   to eight occurrences of each kind in the whole set, judged by the truth. Beside it what the best
   threshold would have given, chosen for each query with the truth in hand. */
#include "web_lab.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct asked {
    const web_set *set;
    const truth *of;
    marey_searcher *searcher;
    bool mirror; /* both sides are wanted */
} asked;

/* What people of different size do with either side. */
static const query_kind sides[] = {
    { "kick", "kick", "left", "fighting", "front" },
    { "kick", "kick", "right", "fighting", "front" },
    { "kick", "kick", "left", "fighting", "side" },
    { "kick", "kick", "right", "fighting", "side" },
    { "punch", "punch", "left", "fighting", "standing" },
    { "punch", "punch", "right", "fighting", "standing" },
    { "cartwheel", "cartwheel", "left", "cartwheel", NULL },
    { "cartwheel", "cartwheel", "right", "cartwheel", NULL },
};

/* In rows, as the truth is. */
static marey_found to_rows(const web_set *set, const marey_match *match)
{
    int clip = set_find(set, match->name), per_row = set_frames_per_row(set, clip);
    marey_segment at = { clip, match->start / per_row, (match->end + per_row - 1) / per_row };
    int rows = marey_features_rows(set->features[clip]);
    if (at.end > rows) at.end = rows;
    return (marey_found){ .at = at, .distance = match->distance, .path_distance = match->distance };
}

typedef struct score {
    int tried;
    double f1, best_f1, precision, recall; /* sums */
} score;

static verdict judge_matches(const asked *a, const wanted *what, marey_finding *finding,
                             double *best)
{
    int count;
    const marey_match *matches = marey_finding_matches(finding, &count);
    marey_found *found = web_room((size_t)count * sizeof *found);
    for (int i = 0; i < count; i++) found[i] = to_rows(a->set, &matches[i]);
    /* Every match is judged once more, so not every number of them is tried. */
    for (int i = 1; best && i < count; i += i < 40 ? 1 : 8) {
        verdict v = judge_found(a->set, a->of, what, found, i);
        *best = fmax(*best, verdict_f1(&v));
    }
    verdict all = judge_found(a->set, a->of, what, found, count);
    if (best) *best = fmax(*best, verdict_f1(&all));
    free(found);
    return all;
}

/* Distances rise, and what is found up to one of them does not depend on the threshold: of matches
   that overlap the nearest is kept. So one search far beyond any threshold has all others in it. */
static void try_query(const asked *a, const wanted *what, marey_segment query, score *out)
{
    static const double beyond = 1.5;
    int per_row = set_frames_per_row(a->set, query.clip);
    marey_query of = { .clip = a->set->names[query.clip],
                       .start = query.start * per_row,
                       .end = query.end * per_row };
    marey_finding *finding;
    marey_error error;
    marey_find_def def = { .mirror = a->mirror };
    web_must(marey_searcher_find(a->searcher, &of, &def, &finding, &error), &error);
    double best = 0;
    verdict by_itself = judge_matches(a, what, finding, NULL);
    def.search.threshold = beyond * marey_finding_report_of(finding).still_cost;
    marey_finding_free(finding);
    web_must(marey_searcher_find(a->searcher, &of, &def, &finding, &error), &error);
    judge_matches(a, what, finding, &best);
    marey_finding_free(finding);
    out->tried++;
    out->f1 += verdict_f1(&by_itself);
    out->best_f1 += best;
    out->precision += verdict_precision(&by_itself);
    out->recall += verdict_recall(&by_itself);
}

static void try_list(const asked *a, const char *title, const query_kind *kinds, int count)
{
    double f1 = 0, best = 0;
    printf("\n### %s\n\n| query | tried | precision | recall | F1 | F1 by the best threshold |\n"
           "|---|---|---|---|---|---|\n",
           title);
    for (int k = 0; k < count; k++) {
        marey_segment queries[MOST_TRIED];
        const char *side = a->mirror ? "" : kinds[k].side;
        wanted what = { kinds[k].label, side, kinds[k].manner, NULL };
        int tried = web_queries(a->of, &kinds[k], queries);
        score s = { 0 };
        for (int i = 0; i < tried; i++) try_query(a, &what, queries[i], &s);
        printf("| %s%s%s%s%s | %d | %.3f | %.3f | %.3f | %.3f |\n", kinds[k].side,
               kinds[k].side[0] ? " " : "", kinds[k].label, kinds[k].manner ? ", " : "",
               kinds[k].manner ? kinds[k].manner : "", s.tried, s.precision / s.tried,
               s.recall / s.tried, s.f1 / s.tried, s.best_f1 / s.tried);
        f1 += s.f1 / s.tried / count;
        best += s.best_f1 / s.tried / count;
    }
    printf("| **mean** | | | | **%.3f** | **%.3f** |\n", f1, best);
}

/* ---- a user who ticks and crosses ------------------------------------------------------------ */

enum { SAID = 3 /* likes, and as many unlikes */ };

typedef struct said {
    marey_segment at[SAID + 1]; /* in rows; of the liked, the query is the first */
    marey_query asked[SAID + 1];
    int count;
} said;

static bool is_said(const said *of, marey_segment at)
{
    for (int i = 0; i < of->count; i++) {
        if (segments_overlap(of->at[i], at) >= 0.5) return true;
    }
    return false;
}

static void say(said *of, const web_set *set, const marey_match *match)
{
    of->at[of->count] = to_rows(set, match).at;
    of->asked[of->count] = (marey_query){ .clip = set->names[of->at[of->count].clip],
                                          .start = match->start,
                                          .end = match->end };
    of->count++;
}

/* Ticks the first right ones that the answer
   lacks, or, where it lacks none of these, the last right ones that it has; crosses the first wrong
   ones. `each` of both. */
static void look_through(const asked *a, const wanted *what, const marey_match *matches, int count,
                         double threshold, int each, said *liked, said *unliked)
{
    int likes = liked->count + each, unlikes = unliked->count + each, within = 0;
    if (likes > SAID + 1) likes = SAID + 1;
    while (within < count && matches[within].distance <= threshold) within++;
    for (int k = 0; k < count && liked->count < likes; k++) {
        /* Behind it, then back from there. */
        int i = k < count - within ? within + k : count - 1 - k;
        marey_found one = to_rows(a->set, &matches[i]);
        verdict v = judge_found(a->set, a->of, what, &one, 1);
        if (v.right && !is_said(liked, one.at)) say(liked, a->set, &matches[i]);
    }
    for (int i = 1; i < count && unliked->count < unlikes; i++) {
        marey_found one = to_rows(a->set, &matches[i]);
        verdict v = judge_found(a->set, a->of, what, &one, 1);
        if (v.wrong && !is_said(unliked, one.at)) say(unliked, a->set, &matches[i]);
    }
}

typedef struct feedback {
    int tried, likes, unlikes;
    double precision, recall, f1, rest; /* sums; the rest: without what was ticked */
} feedback;

static void answer_to(const asked *a, const wanted *what, const marey_query *query,
                      const marey_find_def *def, const said *liked, double *threshold,
                      feedback *out)
{
    marey_finding *finding;
    marey_error error;
    int count;
    web_must(marey_searcher_find(a->searcher, query, def, &finding, &error), &error);
    const marey_match *matches = marey_finding_matches(finding, &count);
    *threshold = marey_finding_report_of(finding).threshold;
    if (out) {
        marey_found *found = web_room((size_t)count * sizeof *found);
        truth rest = { a->of->count, web_room((size_t)a->of->count * sizeof *rest.segments) };
        memcpy(rest.segments, a->of->segments, (size_t)rest.count * sizeof *rest.segments);
        for (int i = 0; i < rest.count; i++) {
            truth_segment *s = &rest.segments[i];
            for (int k = 1; k < liked->count && s->strike_count == 0; k++)
                s->doubtful |= segments_overlap(liked->at[k], s->at) >= 0.5;
        }
        for (int i = 0; i < count; i++) found[i] = to_rows(a->set, &matches[i]);
        verdict v = judge_found(a->set, a->of, what, found, count);
        verdict others = judge_found(a->set, &rest, what, found, count);
        out->precision += verdict_precision(&v);
        out->recall += verdict_recall(&v);
        out->f1 += verdict_f1(&v);
        out->rest += verdict_f1(&others);
        free(found);
        free(rest.segments);
    }
    marey_finding_free(finding);
}

/* Looks at the list as far as five times the threshold; `each` likes and unlikes at a time, a new
   search after each time, until there are SAID. `nearest`: ticks right ones from the top of the
   list, whether the answer lacks them or not. */
static void try_feedback(const asked *a, const wanted *what, marey_segment segment, int each,
                         bool nearest, feedback *out)
{
    static const double beyond = 5;
    int per_row = set_frames_per_row(a->set, segment.clip);
    marey_query query = { .clip = a->set->names[segment.clip],
                          .start = segment.start * per_row,
                          .end = segment.end * per_row };
    said liked = { .at = { segment }, .count = 1 }, unliked = { 0 };
    marey_find_def def = { .like = liked.asked + 1, .unlike = unliked.asked };
    double threshold;
    for (int i = 0; i < SAID; i += each) {
        marey_finding *list;
        marey_error error;
        int count;
        answer_to(a, what, &query, &def, &liked, &threshold, NULL);
        marey_find_def wide = def;
        wide.search.threshold = beyond * threshold;
        web_must(marey_searcher_find(a->searcher, &query, &wide, &list, &error), &error);
        const marey_match *matches = marey_finding_matches(list, &count);
        look_through(a, what, matches, count, nearest ? 0 : threshold, each, &liked, &unliked);
        marey_finding_free(list);
        def.like_count = liked.count - 1;
        def.unlike_count = unliked.count;
    }
    answer_to(a, what, &query, &def, &liked, &threshold, out);
    out->tried++;
    out->likes += def.like_count;
    out->unlikes += def.unlike_count;
}

static void try_all_feedback(const asked *a)
{
    double f1[3] = { 0 }, rest = 0;
    printf("\n### The ten queries, with three likes and three unlikes\n\n| query | tried | likes | "
           "unlikes | precision | recall | F1 | F1 without what was liked | F1, all six at once | "
           "F1, the nearest three of both |\n|---|---|---|---|---|---|---|---|---|---|\n");
    for (int k = 0; k < web_kind_count; k++) {
        marey_segment queries[MOST_TRIED];
        const query_kind *kind = &web_kinds[k];
        wanted what = { kind->label, kind->side, NULL, NULL };
        int tried = web_queries(a->of, kind, queries);
        feedback one = { 0 }, all = { 0 }, near = { 0 };
        for (int i = 0; i < tried; i++) {
            try_feedback(a, &what, queries[i], 1, false, &one);
            try_feedback(a, &what, queries[i], SAID, false, &all);
            try_feedback(a, &what, queries[i], SAID, true, &near);
        }
        printf("| %s%s%s | %d | %.1f | %.1f | %.3f | %.3f | %.3f | %.3f | %.3f | %.3f |\n",
               kind->side, kind->side[0] ? " " : "", kind->label, tried, (double)one.likes / tried,
               (double)one.unlikes / tried, one.precision / tried, one.recall / tried,
               one.f1 / tried, one.rest / tried, all.f1 / tried, near.f1 / tried);
        f1[0] += one.f1 / tried / web_kind_count;
        f1[1] += all.f1 / tried / web_kind_count;
        f1[2] += near.f1 / tried / web_kind_count;
        rest += one.rest / tried / web_kind_count;
    }
    printf("| **mean** | | | | | | **%.3f** | **%.3f** | **%.3f** | **%.3f** |\n", f1[0], rest,
           f1[1], f1[2]);
}

void experiment_default(const web_set *set, const truth *of)
{
    char path[2048];
    marey_library *library;
    marey_error error;
    asked a = { .set = set, .of = of };
    snprintf(path, sizeof path, "%s/default.marey", set->folder);
    remove(path);
    web_must(marey_library_open(set->ctx, path, MAREY_LIBRARY_CREATE, &library, &error), &error);
    for (int i = 0; i < set->count; i++)
        web_must(marey_library_put(library, set->clips[i], set->names[i], NULL, NULL, 0, &error),
                 &error);
    web_must(marey_searcher_open(library, &a.searcher, &error), &error);
    printf("\n## What a user gets\n\n`marey search LIB CLIP#A-B` in the whole set, nothing set.\n");
    try_list(&a, "The ten queries", web_kinds, web_kind_count);
    try_list(&a, "What was done in the same manner", web_manners, web_manner_count);
    try_all_feedback(&a);
    a.mirror = true;
    try_list(&a, "With `--mirror`, either side wanted", sides, sizeof sides / sizeof sides[0]);
    marey_searcher_free(a.searcher);
    marey_library_close(library);
}
