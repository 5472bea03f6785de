/* doctor_experiment.c - flaws of joints that are put into real clips, found and mended again; and the
   flaws that the clips have as they are.

       doctor_experiment MOCAP seeded [rounds [seed]]   a table by kind and size
       doctor_experiment MOCAP untouched                every flaw of every clip
       doctor_experiment MOCAP mended [FOLDER]          peak speeds before and behind all repairs; the
                                                        mended clips go into FOLDER
       doctor_experiment MOCAP speeds WALK.bvh...       peak speeds of walks beside those of the clips

   What was missed, or wrong, goes to standard error. docs/results/doctor.md has the figures. */
#include "seeded_score.h"

#include "repair/flawed.h"

#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CLIPS = 200, MOST_ROWS = 16 };

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The BVH files of a folder behind the paths there are. */
static int list_folder(const char *mocap, const char *name, char **paths, int count)
{
    char folder[1000];
    int first = count;
    snprintf(folder, sizeof folder, "%s/%s", mocap, name);
    DIR *dir = opendir(folder);
    for (struct dirent *e; dir && (e = readdir(dir));) {
        size_t length = strlen(e->d_name);
        if (length < 5 || strcmp(e->d_name + length - 4, ".bvh") != 0 || count == MOST_CLIPS)
            continue;
        paths[count] = malloc(strlen(folder) + length + 2);
        sprintf(paths[count++], "%s/%s", folder, e->d_name);
    }
    if (dir) closedir(dir);
    qsort(paths + first, (size_t)(count - first), sizeof *paths, by_name);
    return count;
}

static void print_flaws(const marey_clip *clip, const marey_flaws *flaws)
{
    for (int i = 0; i < flaws->count; i++) {
        const marey_flaw *flaw = &flaws->items[i];
        const char *joint =
            flaw->joint < 0 ? "-" : marey_clip_skeleton(clip)->joints[flaw->joint].name;
        printf("%-10s %-12s %-16s %6d-%-6d %8.1f %-8s %.2f %s\n", marey_clip_name(clip),
               marey_flaw_name(flaw->kind), joint, flaw->start, flaw->end, flaw->size,
               marey_flaw_unit(flaw->kind), flaw->certainty,
               flaw->mendable ? marey_layer_name(flaw->repair.kind) : "none");
    }
}

/* The largest way of a joint from one frame to the next in cm a second, of all frames, or without
   marked ones and, if `sound`, without those that a flaw spoils. */
static double peak_speed(const marey_clip *clip, bool all, bool sound)
{
    int joints = marey_clip_skeleton(clip)->joint_count, frames = marey_clip_frames(clip), marks;
    const marey_mark *mark = marey_clip_marks(clip, &marks);
    uint8_t *skip = calloc((size_t)frames, 1);
    if (sound && !mry_flawed_frames(clip, skip)) abort();
    for (int i = 0; i < marks && !all; i++)
        memset(skip + mark[i].start, 1, (size_t)(mark[i].end - mark[i].start));
    double *p = malloc(sizeof *p * 3 * (size_t)joints * (size_t)frames), most = 0;
    marey_clip_positions(clip, 0, frames, p);
    for (int f = 0; f + 1 < frames; f++) {
        for (int j = 0; j < joints && !skip[f] && !skip[f + 1]; j++) {
            const double *a = p + 3 * ((size_t)f * (size_t)joints + (size_t)j), *b = a + 3 * joints;
            most = fmax(most, hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]));
        }
    }
    free(p);
    free(skip);
    return most * marey_clip_fps(clip);
}

static void print_mended(const marey_clip *clip, const marey_flaws *before, const char *folder)
{
    marey_layer *layers = malloc(sizeof *layers * (size_t)(before->count + 1));
    marey_clip *made = NULL;
    marey_flaws after;
    int count = 0;
    for (int i = 0; i < before->count; i++) {
        if (before->items[i].mendable) layers[count++] = before->items[i].repair;
    }
    if (marey_clip_repair(clip, layers, count, &made, NULL) || marey_flaws_find(made, &after))
        abort();
    printf("%-40s %4d flaws, %4d mended, %4d left; peak %6.0f -> %6.0f cm/s\n",
           marey_clip_name(clip), before->count, count, after.count, peak_speed(clip, false, false),
           peak_speed(made, false, false));
    if (folder) {
        char path[1000];
        snprintf(path, sizeof path, "%s/%s.bvh", folder, marey_clip_name(clip));
        if (marey_clip_save(made, path, NULL)) abort();
    }
    marey_flaws_free(&after);
    marey_clip_free(made);
    free(layers);
}

static void print_score(const char *name, const char *size, const seeded_score *s)
{
    printf("| %-22s | %14s | %5d | %5d | %6.3f | %6.3f | %9.3f | %7.3f | %5.2f | %7d |\n", name,
           size, s->cases, s->due, seeded_recall(s), (double)s->found / s->cases,
           seeded_precision(s), s->repaired ? s->error_cm / s->repaired : NAN, s->worst_cm,
           s->changed);
}

static void print_table(seeded_score scores[][SEEDED_SIZES])
{
    seeded_score sum = { 0 };
    printf("| %-22s | %14s | %5s | %5s | %6s | %6s | %9s | %7s | %5s | %7s |\n", "flaw", "size",
           "cases", "due", "recall", "of all", "precision", "mean cm", "worst", "outside");
    for (int r = 0; r < seeded_joints_count; r++) {
        const seeded_row *row = &seeded_joints[r];
        for (int i = 0; i < SEEDED_SIZES; i++) {
            char size[40];
            snprintf(size, sizeof size, "%g %s", row->sizes[i], row->unit);
            if (scores[r][i].cases) print_score(row->name, size, &scores[r][i]);
            seeded_add(&sum, &scores[r][i]);
        }
    }
    print_score("all", "", &sum);
}

int main(int argc, char **argv)
{
    char *paths[MOST_CLIPS];
    static seeded_score scores[MOST_ROWS][SEEDED_SIZES];
    const char *what = argc > 2 ? argv[2] : "";
    bool seeded = strcmp(what, "seeded") == 0, mended = strcmp(what, "mended") == 0;
    bool speeds = strcmp(what, "speeds") == 0, untouched = strcmp(what, "untouched") == 0;
    double fastest = 0, sound = 0;
    if (!seeded && !mended && !speeds && !untouched) {
        fprintf(stderr, "usage: doctor_experiment MOCAP seeded|untouched|mended|speeds\n");
        return 2;
    }
    int rounds = seeded && argc > 3 ? atoi(argv[3]) : 1;
    uint64_t seed = seeded && argc > 4 ? strtoull(argv[4], NULL, 10) : 1;
    int count = list_folder(argv[1], "bandai", paths, list_folder(argv[1], "cmu", paths, 0));
    marey_ctx *ctx;
    if (marey_ctx_open(NULL, &ctx)) return 1;
    for (int i = 0; i < count; i++) {
        marey_clip *clip;
        marey_flaws before;
        if (marey_clip_load(ctx, paths[i], NULL, &clip, NULL)) continue;
        if (marey_flaws_find(clip, &before)) abort();
        if (mended) print_mended(clip, &before, argc > 3 ? argv[3] : NULL);
        if (untouched) print_flaws(clip, &before);
        if (speeds) {
            fastest = fmax(fastest, peak_speed(clip, false, false));
            sound = fmax(sound, peak_speed(clip, false, true));
        }
        for (int r = 0; r < seeded_joints_count && seeded; r++) {
            for (int k = 0; k < SEEDED_SIZES * rounds; k++)
                seeded_try(clip, &before, &seeded_joints[r], k % SEEDED_SIZES, &seed,
                           &scores[r][k % SEEDED_SIZES], stderr);
        }
        marey_flaws_free(&before);
        marey_clip_free(clip);
    }
    if (seeded) print_table(scores);
    if (speeds) printf("clips: %.0f cm/s, without flaws %.0f cm/s\n", fastest, sound);
    for (int i = 3; i < argc && speeds; i++) {
        marey_clip *walk;
        if (marey_clip_load(ctx, argv[i], NULL, &walk, NULL)) return 1;
        double peak = peak_speed(walk, true, false);
        printf("%s: %.0f cm/s, %.2f of what is without flaws\n", marey_clip_name(walk), peak,
               peak / sound);
        marey_clip_free(walk);
    }
    for (int i = 0; i < count; i++) free(paths[i]);
    marey_ctx_close(ctx);
    return 0;
}
