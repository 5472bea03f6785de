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

/* Distances rise, and what is found up to one of them does not depend on the threshold: of matches
   that overlap the nearest is kept. So one search far beyond the threshold has all others in it. */
static void try_query(const asked *a, const wanted *what, marey_segment query, score *out)
{
    static const double beyond = 2.5;
    int per_row = set_frames_per_row(a->set, query.clip), count;
    marey_query of = { .clip = a->set->names[query.clip],
                       .start = query.start * per_row,
                       .end = query.end * per_row };
    marey_finding *finding;
    marey_error error;
    marey_find_def def = { .mirror = a->mirror };
    web_must(marey_searcher_find(a->searcher, &of, &def, &finding, &error), &error);
    double chosen = marey_finding_report_of(finding).threshold, best = 0;
    marey_finding_free(finding);
    def.search.threshold = beyond * chosen;
    web_must(marey_searcher_find(a->searcher, &of, &def, &finding, &error), &error);
    const marey_match *matches = marey_finding_matches(finding, &count);
    marey_found *found = web_room((size_t)count * sizeof *found);
    verdict by_itself = { 0 };
    for (int i = 0; i < count; i++) found[i] = to_rows(a->set, &matches[i]);
    for (int i = 1; i <= count; i++) {
        bool last_within = matches[i - 1].distance <= chosen;
        bool is_cut = i == count || matches[i].distance > chosen;
        bool cut_here = last_within && is_cut;
        /* Every match is judged once more, so not every number of them is tried. */
        if (!cut_here && i > 40 && i % 8) continue;
        verdict v = judge_found(a->set, a->of, what, found, i);
        best = fmax(best, verdict_f1(&v));
        if (cut_here) by_itself = v;
    }
    out->tried++;
    out->f1 += verdict_f1(&by_itself);
    out->best_f1 += best;
    out->precision += verdict_precision(&by_itself);
    out->recall += verdict_recall(&by_itself);
    free(found);
    marey_finding_free(finding);
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
    a.mirror = true;
    try_list(&a, "With `--mirror`, either side wanted", sides, sizeof sides / sizeof sides[0]);
    marey_searcher_free(a.searcher);
    marey_library_close(library);
}
