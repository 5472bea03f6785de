/* param_experiment.c - the families of table 6.1 (Kovar's thesis, 6.3), from search to answers: how
   long they take to build, how much their samples take to keep, how near answers are from the
   examples alone, from samples, and refined; samplings for several delta; a walk pruned at a
   quarter inch. usage: param_experiment SET.marey DEMO.marey, both with an index. Writes Markdown
   to standard output. */
#include <marey/marey.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST = 128, TRIALS = 300 };

typedef struct row {
    const char *name, *clip;
    int start, end;
    double threshold, distinct;
    const char *feature;
    bool demo;
    bool
        own; /* only in the query's own clip: in the whole set others come in before all of a kind are found */
} row;

/* Queries were chosen among those of experiments/webs/truth.json, thresholds by looking at what is
   found. */
static const row rows[] = {
    { "reach", "144_24", 82, 212, 136, 0, "position(right_wrist, apex, start)", false, true },
    { "walk", "144_33", 84, 262, 36, 0.5, "place(start)", false, false },
    { "kick", "144_05", 96, 212, 18, 0, "position(right_ankle, apex, start)", false, false },
    { "sit", "13_02", 1440, 1530, 169, 0, "height(hips, lowest)", false, false },
    { "step up", "83_27", 652, 770, 169, 0, "place(start)", false, false },
    { "punch", "144_20", 170, 230, 36, 0, "position(right_wrist, apex, start)", false, false },
    { "hop", "49_02", 1010, 1074, 80, 0, "place(start)", false, false },
    { "cartwheel", "144_01", 220, 418, 300, 0, "place(start)", false, false },
    { "reach", "reach_right", 131, 276, 25, 0, "position(right_wrist, apex, start)", true, false },
    { "kick", "kicks", 122, 252, 25, 0, "position(right_ankle, apex, start)", true, false },
};

static void need(marey_status status, const marey_error *error)
{
    if (status == MAREY_OK) return;
    fprintf(stderr, "%s\n", error->message);
    exit(1);
}

static double cpu_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- examples -------------------------------------------------------------------------------- */

typedef struct found {
    marey_parts *parts;
    int parents[MOST];
    int count;
} found;

/* What is as long as the query within a factor of two; motions of other joints do not mix with
   it. */
static int choose(const marey_match *matches, int count, int *chosen, marey_part *parts)
{
    int used = 0;
    int length = matches[0].end - matches[0].start;
    for (int i = 0; i < count && used < MOST; i++) {
        int own = matches[i].end - matches[i].start;
        if (2 * own < length || own > 2 * length) continue;
        chosen[used] = i;
        parts[used++] = (marey_part){ matches[i].clip, matches[i].start, matches[i].end };
    }
    return used;
}

static int64_t id_of(marey_library *library, const char *name)
{
    marey_listing *listing;
    marey_error error;
    int count;
    int64_t id = 0;
    need(marey_library_list(library, NULL, &listing, &error), &error);
    const marey_entry *entries = marey_listing_entries(listing, &count);
    for (int i = 0; i < count; i++) {
        if (strcmp(entries[i].name, name) == 0) id = entries[i].id;
    }
    marey_listing_free(listing);
    return id;
}

static bool find(marey_library *library, const row *of, found *out)
{
    marey_error error;
    marey_searcher *searcher;
    marey_finding *finding;
    marey_query query = { .clip = of->clip, .start = of->start, .end = of->end };
    marey_find_def def = {
        .search = { .threshold = of->threshold, .distinct = of->distinct, .limit = MOST - 1 },
        .web = true /* as the paper does */
    };
    need(marey_searcher_open(library, &searcher, &error), &error);
    int64_t own = id_of(library, of->clip);
    if (of->own) {
        def.clips = &own;
        def.clip_count = 1;
    }
    need(marey_searcher_find(searcher, &query, &def, &finding, &error), &error);
    int count, chosen[MOST];
    marey_part parts[MOST];
    const marey_match *matches = marey_finding_matches(finding, &count);
    out->count = choose(matches, count, chosen, parts);
    if (out->count >= 2) {
        need(marey_finding_parents(finding, chosen, out->count, out->parents, &error), &error);
        need(marey_library_parts(library, parts, out->count, 0, &out->parts, &error), &error);
    }
    marey_finding_free(finding);
    marey_searcher_free(searcher);
    return out->count >= 2;
}

/* ---- families -------------------------------------------------------------------------------- */

static marey_family *build(marey_ctx *ctx, const found *of, const char *feature, int samples,
                           double delta, double *seconds)
{
    marey_param param;
    marey_error error;
    marey_family *family;
    marey_metric_def metric = { .fps = 60 };
    marey_registration_def tree = { .parents = of->parents, .metric = &metric };
    marey_family_def def = { .params = &param,
                             .param_count = 1,
                             .registration = &tree,
                             .samples = samples,
                             .delta = delta };
    need(marey_param_parse(feature, &param, &error), &error);
    double from = cpu_s();
    need(marey_family_build(ctx, of->parts->clips, of->count, of->parts->contacts, &def, &family,
                            &error),
         &error);
    *seconds = cpu_s() - from;
    return family;
}

static double samples_percent(marey_ctx *ctx, const marey_family *family, const found *of)
{
    uint8_t *bytes;
    size_t size, samples;
    marey_error error;
    double raw = 0;
    need(marey_family_write(family, &bytes, &size, &samples, &error), &error);
    marey_family_bytes_free(ctx, bytes, size);
    for (int i = 0; i < of->count; i++)
        raw += marey_clip_frames(of->parts->clips[i]) *
               (4.0 * marey_clip_skeleton(of->parts->clips[i])->joint_count + 3) * 4;
    return 100 * (double)samples / raw;
}

static marey_family_check try_it(marey_ctx *ctx, const marey_family *family)
{
    marey_family_check check;
    marey_error error;
    need(marey_family_try(ctx, family, TRIALS, 5, NULL, &check, &error), &error);
    return check;
}

static double show_family(marey_ctx *ctx, marey_library *library, const row *of)
{
    found examples = { 0 };
    double seconds, alone_s;
    int samples, faults;
    marey_error error;
    if (!find(library, of, &examples)) {
        printf("| %s | %s | %s | 1 | – | – | – | – | – | – | – |\n", of->name,
               of->demo ? "demo" : "CMU", of->feature);
        return -1;
    }
    marey_family *family = build(ctx, &examples, of->feature, 0, 0, &seconds);
    marey_family *alone = build(ctx, &examples, of->feature, -1, 0, &alone_s);
    marey_family_samples(family, &samples);
    need(
        marey_family_examine(ctx, family, examples.parts->contacts, NULL, 0, &faults, NULL, &error),
        &error);
    marey_family_check with = try_it(ctx, family), without = try_it(ctx, alone);
    double percent = samples_percent(ctx, family, &examples);
    printf("| %s | %s | `%s` | %d | %d | %.2f s | %d | %.1f %% | %.2f, %.2f | %.2f, %.2f | %.3f, "
           "%.3f |\n",
           of->name, of->demo ? "demo" : "CMU", of->feature, examples.count, faults, seconds,
           samples, percent, without.table_median, without.table_p95, with.table_median,
           with.table_p95, with.median, with.p95);
    marey_family_free(alone);
    marey_family_free(family);
    marey_parts_free(examples.parts);
    return percent;
}

/* ---- the rest -------------------------------------------------------------------------------- */

/* How much of space samples fill: cells of a grid of 5 cm that one of them is in. */
static int cells_of(const double *values, int count, int dims)
{
    int cells = 0;
    for (int i = 0; i < count; i++) {
        bool is_new = true;
        for (int k = 0; k < i && is_new; k++) {
            bool same = true;
            for (int d = 0; d < dims; d++)
                same &= (int)(values[i * dims + d] / 5 + 1000) ==
                        (int)(values[k * dims + d] / 5 + 1000);
            is_new = !same;
        }
        cells += is_new;
    }
    return cells;
}

static void show_deltas(marey_ctx *ctx, marey_library *library, const row *of)
{
    static const double deltas[] = { -1, 0.05, 0.1, 0.15, 0.25 };
    found examples = { 0 };
    if (!find(library, of, &examples)) return;
    printf("\n## Samplings of a reach for several delta (figure 6.14)\n\n%d examples, 1000 samples "
           "tried.\n\n| delta | samples kept | cells of 5 cm that hold one |\n|---|---|---|\n",
           examples.count);
    for (size_t i = 0; i < sizeof deltas / sizeof *deltas; i++) {
        double seconds;
        int count;
        marey_family *family = build(ctx, &examples, of->feature, 0, deltas[i], &seconds);
        const double *values = marey_family_samples(family, &count);
        printf("| %.2f | %d | %d |\n", deltas[i] < 0 ? 0 : deltas[i], count,
               cells_of(values, count, marey_family_dims(family)));
        marey_family_free(family);
    }
    marey_parts_free(examples.parts);
}

static void show_pruning(marey_ctx *ctx, marey_library *library, const row *of)
{
    found examples = { 0 };
    uint8_t keep[MOST];
    int kept;
    double seconds;
    marey_error error;
    if (!find(library, of, &examples)) return;
    marey_family *family = build(ctx, &examples, of->feature, 0, 0, &seconds);
    need(marey_family_prune(ctx, family, 0.635, keep, &kept, &error), &error);
    printf("\n## Pruning at a quarter inch\n\n%s: %d of %d examples stay (the text: 46 of 96 "
           "walks).\n",
           of->name, kept, examples.count);
    marey_family_free(family);
    marey_parts_free(examples.parts);
}

int main(int argc, char **argv)
{
    marey_ctx *ctx;
    marey_library *libraries[2];
    marey_error error;
    double sum = 0;
    int families = 0;
    if (argc != 3 || marey_ctx_open(&(marey_ctx_def){ .threads = 1 }, &ctx)) return 2;
    for (int i = 0; i < 2; i++)
        need(marey_library_open(ctx, argv[1 + i], MAREY_LIBRARY_READ, &libraries[i], &error),
             &error);
    printf("# Parameterized motion: all numbers\n\nWritten by `./dev experiment param`; what they "
           "mean is in [param.md](param.md).\n\n## The families of table 6.1\n\nErrors are medians "
           "and 95 %% over %d requests that fresh random valid weights can meet, in the "
           "parameter's unit.\n\n"
           "| family | clips | parameter | examples | faults | time to build | samples | size of "
           "samples | examples alone | with samples | refined |\n"
           "|---|---|---|---|---|---|---|---|---|---|---|\n",
           TRIALS);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double percent = show_family(ctx, libraries[rows[i].demo], &rows[i]);
        sum += percent < 0 ? 0 : percent;
        families += percent >= 0;
    }
    printf("\nSize of samples on average: %.2f %% of the examples' float tracks.\n",
           families ? sum / families : 0);
    show_deltas(ctx, libraries[0], &rows[0]);
    show_pruning(ctx, libraries[0], &rows[1]);
    for (int i = 0; i < 2; i++) marey_library_close(libraries[i]);
    marey_ctx_close(ctx);
    return 0;
}
