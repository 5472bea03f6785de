/* bench_motifs.c - what repeats in a large library: the time, the memory and the list, with what the
   clips of each motif are called. Arguments: a library (default: cmu_large.marey of the folder of
   real data), threads (default 2), a picture to draw: a row of occurrences of each motif, the example
   first, the farthest last. */
#include "bench.h"

#include <marey/marey.h>

#include <string.h>

enum { MOTIFS = 20, SHOWN = 6 /* occurrences of each */ };

static void quit(const char *what, const marey_error *error)
{
    printf("%s: %s\n", what, error->message);
    exit(1);
}

/* What the clips say of themselves, the most frequent texts first. */
static void print_texts(const marey_motif *motif, const marey_entry *entries, int count)
{
    enum { TEXTS = 4 };
    const char *done[TEXTS] = { NULL };
    for (int shown = 0; shown < TEXTS; shown++) {
        int most = 0;
        for (int i = 0; i < count; i++) {
            int times = 0;
            bool is_new = *entries[i].description != 0;
            for (int k = 0; k < shown && is_new; k++)
                is_new = strcmp(done[k], entries[i].description) != 0;
            for (int k = 0; k < motif->count && is_new; k++) {
                for (int e = 0; e < count; e++)
                    times += entries[e].id == motif->occurrences[k].clip &&
                             strcmp(entries[e].description, entries[i].description) == 0;
            }
            if (times <= most) continue;
            most = times;
            done[shown] = entries[i].description;
        }
        if (!done[shown]) break;
        printf("%s%s %d", shown ? ", " : "  ", done[shown], most);
    }
    printf("\n");
}

static void draw(marey_library *library, const marey_motif *motifs, int count, const char *path)
{
    static marey_clip *clips[MOTIFS * SHOWN];
    static char titles[MOTIFS * SHOWN][40];
    const char *texts[MOTIFS * SHOWN];
    marey_error error;
    int all = 0;
    for (int i = 0; i < count; i++) {
        int some = motifs[i].count < SHOWN ? motifs[i].count : SHOWN;
        for (int k = 0; k < some; k++) {
            const marey_match *at = &motifs[i].occurrences[k * (motifs[i].count - 1) / (some - 1)];
            marey_clip *whole;
            char number[24];
            snprintf(number, sizeof number, "#%lld", (long long)at->clip);
            if (marey_library_load(library, number, &whole, &error) != MAREY_OK ||
                marey_clip_trim(whole, at->start, at->end, &clips[all], &error) != MAREY_OK)
                quit(number, &error);
            marey_clip_free(whole);
            snprintf(titles[all], sizeof titles[all], "motif %d, #%d-%d", i + 1, at->start,
                     at->end);
            texts[all] = titles[all];
            all++;
        }
    }
    if (all > 0 &&
        marey_sheet_save((const marey_clip *const *)clips, texts, all, path, &error) != MAREY_OK)
        quit(path, &error);
    for (int i = 0; i < all; i++) marey_clip_free(clips[i]);
}

int main(int argc, char **argv)
{
    char path[1100];
    marey_ctx_def def = { .threads = argc > 2 ? atoi(argv[2]) : 2 };
    marey_ctx *ctx;
    marey_library *library;
    marey_searcher *searcher;
    marey_listing *listing;
    marey_motifs *motifs;
    marey_error error;
    int count, entry_count;
    snprintf(path, sizeof path, "%s/cmu_large.marey", bench_mocap_folder());
    if (argc > 1) snprintf(path, sizeof path, "%s", argv[1]);
    FILE *there = fopen(path, "rb");
    if (!there) {
        printf("skipped: there is no %s\n", path);
        return 77;
    }
    fclose(there);
    if (marey_ctx_open(&def, &ctx) != MAREY_OK) return 1;
    if (marey_library_open(ctx, path, MAREY_LIBRARY_READ, &library, &error) != MAREY_OK ||
        marey_library_list(library, NULL, &listing, &error) != MAREY_OK ||
        marey_searcher_open(library, &searcher, &error) != MAREY_OK)
        quit(path, &error);
    double cpu = bench_cpu_s(), start = bench_wall_s();
    if (marey_searcher_motifs(searcher, &(marey_motifs_def){ .limit = MOTIFS }, &motifs, &error) !=
        MAREY_OK)
        quit(path, &error);
    bench_figure("motifs", bench_wall_s() - start, "s", 180, false);
    bench_figure("  on all processors", bench_cpu_s() - cpu, "s", 0, false);
    bench_figure("  memory", 1e-6 * (double)marey_ctx_bytes_peak(ctx), "MB", 2000, false);
    const marey_entry *entries = marey_listing_entries(listing, &entry_count);
    const marey_motif *list = marey_motifs_list(motifs, &count);
    for (int i = 0; i < count; i++) {
        const marey_match *at = &list[i].occurrences[0];
        printf("%2d %4d x %.2f s  %s#%d-%d", i + 1, list[i].count, list[i].seconds, at->name,
               at->start, at->end);
        print_texts(&list[i], entries, entry_count);
    }
    if (argc > 3) draw(library, list, count, argv[3]);
    marey_motifs_free(motifs);
    marey_searcher_free(searcher);
    marey_listing_free(listing);
    marey_library_close(library);
    marey_ctx_close(ctx);
    return 0;
}
