/* retrieval.c - each of the 62 cuts of HDM05's actor bd as the query over all of them: how well do
   the cuts of its class come first? Mean average precision by class. The other cuts are ranked by
   the path distance of the best match in them; those in which nothing was found come after all
   others, in an order that counts against the search: the cuts of other classes first. Arguments:
   threshold in cm2 (default 350), tiers (default 0: all), loose (default 0.3), frames a second
   (default 60), the web's `valid` (default 0.25: with the paper's 0.15 the two halves of
   depositFloorR, which are far from each other, do not meet). Or: "poses" and a folder, for what
   `marey search` does by itself; a third argument is --nearest. */
#include <marey/marey.h>

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CUTS = 128, MOST_CLASSES = 16, NAME = 64 };

typedef struct cuts {
    marey_ctx *ctx;
    int count, classes;
    char class_name[MOST_CLASSES][NAME];
    int class_of[MOST_CUTS];
    marey_clip *clip[MOST_CUTS];
    marey_features *rows[MOST_CUTS];
    marey_web *webs[MOST_CUTS][MOST_CUTS]; /* [a][b] with a <= b */
    marey_layout *layout;
    marey_library *library;
    marey_searcher *searcher;
} cuts;

static void stop(const char *what)
{
    fprintf(stderr, "%s\n", what);
    exit(1);
}

/* ---- the cuts -------------------------------------------------------------------------------- */

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static void load_class(cuts *all, const char *folder, const char *name)
{
    struct dirent **files;
    char path[2048];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    int count = scandir(path, &files, NULL, by_name), first = all->count;
    for (int i = 0; i < count; i++) {
        size_t length = strlen(files[i]->d_name);
        if (length > 4 && !strcmp(files[i]->d_name + length - 4, ".amc")) {
            if (all->count == MOST_CUTS) stop("too many cuts");
            snprintf(path, sizeof path, "%s/%s/%s", folder, name, files[i]->d_name);
            if (marey_clip_load(all->ctx, path, NULL, &all->clip[all->count], NULL))
                stop("cannot read a cut");
            all->class_of[all->count++] = all->classes;
        }
        free(files[i]);
    }
    if (count >= 0) free(files);
    if (all->count == first) return;
    if (all->classes == MOST_CLASSES) stop("too many classes");
    snprintf(all->class_name[all->classes++], NAME, "%.60s", name);
}

static void load_cuts(cuts *all)
{
    const char *mocap = getenv("MAREY_MOCAP");
    char folder[1000];
    struct dirent **names;
    snprintf(folder, sizeof folder, "%s/hdm05", mocap ? mocap : "../shared/mocap");
    int count = scandir(folder, &names, NULL, by_name);
    for (int i = 0; i < count; i++) {
        if (names[i]->d_name[0] != '.') load_class(all, folder, names[i]->d_name);
        free(names[i]);
    }
    if (count >= 0) free(names);
    if (all->count == 0) stop("there are no cuts: set MAREY_MOCAP");
}

static void build_webs(cuts *all, double fps, const marey_web_def *def)
{
    marey_metric_def metric = { .bounded = true, .fps = fps };
    if (marey_layout_build(all->ctx, (const marey_clip *const *)all->clip, all->count, &metric,
                           &all->layout, NULL))
        stop("the cuts have no layout");
    for (int i = 0; i < all->count; i++) {
        if (marey_features_build(all->layout, all->clip[i], &all->rows[i], NULL))
            stop("a cut has no features");
    }
    for (int a = 0; a < all->count; a++) {
        for (int b = a; b < all->count; b++) {
            if (marey_web_build(all->ctx, all->rows[a], all->rows[b], def, &all->webs[a][b], NULL))
                stop("no web");
        }
    }
}

static marey_status web_of(void *user, int a, int b, const marey_web **out, bool *flipped,
                           marey_error *error)
{
    const cuts *all = user;
    (void)error;
    *flipped = a > b;
    *out = a > b ? all->webs[b][a] : all->webs[a][b];
    return MAREY_OK;
}

/* ---- ranking --------------------------------------------------------------------------------- */

typedef struct ranked {
    double distance; /* infinite: not found */
    bool right;
} ranked;

/* Of equal ones the wrong one comes first. */
static int by_rank(const void *left, const void *right)
{
    const ranked *a = left, *b = right;
    if (a->distance != b->distance) return a->distance < b->distance ? -1 : 1;
    return a->right - b->right;
}

static double average_precision(ranked *list, int count, int *missing)
{
    int met = 0;
    double sum = 0;
    *missing = 0;
    qsort(list, (size_t)count, sizeof *list, by_rank);
    for (int i = 0; i < count; i++) {
        if (!list[i].right) continue;
        sum += (double)++met / (i + 1);
        *missing += isinf(list[i].distance) != 0;
    }
    return met ? sum / met : 1;
}

static double try_query(cuts *all, int query, const marey_search_def *def, int *missing)
{
    marey_webs webs = { .clips = all->count, .web = web_of, .user = all };
    marey_segment at = { query, 0, marey_features_rows(all->rows[query]) };
    marey_match_graph *graph;
    double distance[MOST_CUTS];
    ranked list[MOST_CUTS];
    int count, listed = 0;
    if (marey_search(all->ctx, &webs, at, def, &graph, NULL)) stop("a search failed");
    const marey_found *found = marey_match_graph_nodes(graph, &count);
    for (int i = 0; i < all->count; i++) distance[i] = INFINITY;
    for (int i = 0; i < count; i++) {
        double *least = &distance[found[i].at.clip];
        if (found[i].path_distance < *least) *least = found[i].path_distance;
    }
    for (int i = 0; i < all->count; i++) {
        if (i == query) continue;
        list[listed++] = (ranked){ distance[i], all->class_of[i] == all->class_of[query] };
    }
    marey_match_graph_free(graph);
    return average_precision(list, listed, missing);
}

/* ---- by poses, as `marey search` does -------------------------------------------------------- */

static void fill_library(cuts *all, const char *folder)
{
    char path[1200], name[32];
    snprintf(path, sizeof path, "%s/cuts.marey", folder);
    if (marey_library_open(all->ctx, path, MAREY_LIBRARY_CREATE, &all->library, NULL))
        stop("no library");
    for (int i = 0; i < all->count; i++) {
        snprintf(name, sizeof name, "%d", i);
        if (marey_library_put(all->library, all->clip[i], name, NULL, NULL, 0, NULL))
            stop("no cut fits into a library");
    }
    if (marey_searcher_open(all->library, &all->searcher, NULL)) stop("no searcher");
}

static double try_poses(cuts *all, int query, int nearest, int *missing, bool *first_right)
{
    char name[32];
    marey_finding *finding;
    double distance[MOST_CUTS], least = INFINITY;
    ranked list[MOST_CUTS];
    int count, listed = 0;
    snprintf(name, sizeof name, "%d", query);
    marey_query of = { .clip = name, .end = marey_clip_frames(all->clip[query]) };
    marey_find_def def = { .nearest = nearest };
    if (marey_searcher_find(all->searcher, &of, &def, &finding, NULL)) stop("a search failed");
    const marey_match *found = marey_finding_matches(finding, &count);
    for (int i = 0; i < all->count; i++) distance[i] = INFINITY;
    for (int i = 1; i < count; i++) {
        double *of_cut = &distance[atoi(found[i].name)];
        *of_cut = fmin(*of_cut, found[i].distance);
    }
    *first_right = false;
    for (int i = 0; i < all->count; i++) {
        if (i == query) continue;
        bool right = all->class_of[i] == all->class_of[query];
        list[listed++] = (ranked){ distance[i], right };
        if (distance[i] < least) *first_right = right;
        least = fmin(least, distance[i]);
    }
    marey_finding_free(finding);
    return average_precision(list, listed, missing);
}

static int search_by_poses(cuts *all, const char *folder, int nearest)
{
    double total = 0;
    int right = 0;
    fill_library(all, folder);
    printf(
        "| class | cuts | mean average precision | of its pairs not found |\n|---|---|---|---|\n");
    for (int c = 0; c < all->classes; c++) {
        double sum = 0;
        int cuts_of = 0, missing_of = 0;
        for (int i = 0; i < all->count; i++) {
            int missing;
            bool first;
            if (all->class_of[i] != c) continue;
            sum += try_poses(all, i, nearest, &missing, &first);
            missing_of += missing;
            right += first;
            cuts_of++;
        }
        printf("| %s | %d | %.4f | %d of %d |\n", all->class_name[c], cuts_of, sum / cuts_of,
               missing_of, cuts_of * (cuts_of - 1));
        total += sum / cuts_of;
    }
    printf("| **mean of %d classes** | %d | **%.4f** | |\n\nThe nearest cut is of the right class "
           "for %d.\n",
           all->classes, all->count, total / all->classes, right);
    marey_searcher_free(all->searcher);
    marey_library_close(all->library);
    return 0;
}

int main(int argc, char **argv)
{
    static cuts all;
    marey_search_def def = { .threshold = argc > 1 ? atof(argv[1]) : 350,
                             .tiers = argc > 2 ? atoi(argv[2]) : 0,
                             .loose = argc > 3 ? atof(argv[3]) : 0.3 };
    double total = 0;
    if (marey_ctx_open(NULL, &all.ctx)) stop("no memory");
    load_cuts(&all);
    if (argc > 2 && strcmp(argv[1], "poses") == 0)
        return search_by_poses(&all, argv[2], argc > 3 ? atoi(argv[3]) : 0);
    marey_web_def web = { .valid = argc > 5 ? atof(argv[5]) : 0.25 };
    build_webs(&all, argc > 4 ? atof(argv[4]) : 60, &web);
    printf(
        "| class | cuts | mean average precision | of its pairs not found |\n|---|---|---|---|\n");
    for (int c = 0; c < all.classes; c++) {
        double sum = 0;
        int cuts_of = 0, missing_of = 0;
        for (int i = 0; i < all.count; i++) {
            int missing;
            if (all.class_of[i] != c) continue;
            sum += try_query(&all, i, &def, &missing);
            missing_of += missing;
            cuts_of++;
        }
        printf("| %s | %d | %.4f | %d of %d |\n", all.class_name[c], cuts_of, sum / cuts_of,
               missing_of, cuts_of * (cuts_of - 1));
        total += sum / cuts_of;
    }
    printf("| **mean of %d classes** | %d | **%.4f** | |\n", all.classes, all.count,
           total / all.classes);
    for (int a = 0; a < all.count; a++) {
        for (int b = a; b < all.count; b++) marey_web_free(all.webs[a][b]);
        marey_features_free(all.rows[a]);
        marey_clip_free(all.clip[a]);
    }
    marey_layout_free(all.layout);
    marey_ctx_close(all.ctx);
    return 0;
}
