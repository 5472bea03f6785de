/* lab.c - clips, findings and pictures for the experiments on metrics. */
#include "lab.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

void lab_must(marey_status status, const marey_error *error)
{
    char text[1600];
    if (status == MAREY_OK) return;
    marey_error_text(error, text, sizeof text);
    fprintf(stderr, "%s\n", text);
    exit(1);
}

void *lab_room(size_t bytes)
{
    void *room = calloc(1, bytes);
    if (room) return room;
    fprintf(stderr, "out of memory\n");
    exit(1);
}

double lab_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- clips ----------------------------------------------------------------------------------- */

marey_clip *lab_load(const lab *in, const char *name, double source_fps, int first, int end)
{
    char path[2048];
    marey_error error;
    marey_clip *read, *clip;
    size_t length = strlen(name);
    bool elsewhere = length > 4 && strcmp(name + length - 4, ".bvh") == 0;
    if (elsewhere) {
        snprintf(path, sizeof path, "%s", name);
    } else {
        snprintf(path, sizeof path, "%s/%s.bvh", in->mocap, name);
    }
    marey_load_def def = { .source_fps = source_fps, .skip_first = strncmp(name, "cmu/", 4) == 0 };
    lab_must(marey_clip_load(in->ctx, path, &def, &read, &error), &error);
    lab_must(marey_clip_resample(read, LAB_FPS, &clip, &error), &error);
    marey_clip_free(read);
    if (end == 0) return clip;
    marey_clip *part;
    lab_must(marey_clip_trim(clip, first, end, &part, &error), &error);
    marey_clip_free(clip);
    return part;
}

marey_clip *lab_walk(const lab *in)
{
    return lab_load(in, "cmu/91_57", 0, LAB_WALK_FIRST, LAB_WALK_END);
}

marey_clip *lab_run(const lab *in)
{
    return lab_load(in, "cmu/38_03", 0, 0, 0);
}

/* ---- findings -------------------------------------------------------------------------------- */

marey_metric_def lab_metric(const lab *in, const char *name, const double *attributes)
{
    marey_metric_def def = { .metric = marey_metric_named(name), .joints = &in->joints };
    if (!attributes) return def;
    def.attributes_given = true;
    memcpy(def.attributes, attributes, (size_t)def.metric->attribute_count * sizeof *attributes);
    return def;
}

finding lab_find(const lab *in, const marey_clip *const *clips, int count,
                 const marey_metric_def *def, int pairs)
{
    finding found = { .count = 0 };
    marey_error error;
    double start = lab_seconds();
    lab_must(marey_layout_build(in->ctx, clips, count, def, &found.layout, &error), &error);
    for (int s = 0; s < 2; s++) {
        lab_must(marey_features_build(found.layout, clips[s], &found.sides[s], &error), &error);
    }
    int cells = marey_features_rows(found.sides[0]) * marey_features_rows(found.sides[1]);
    if (pairs == 0) pairs = cells / 100 > 10 ? cells / 100 : 10;
    found.pairs = lab_room((size_t)pairs * sizeof *found.pairs);
    lab_must(marey_grid_pairs(in->ctx, found.sides[0], found.sides[1], pairs, found.pairs,
                              &found.count, &error),
             &error);
    found.seconds = lab_seconds() - start;
    return found;
}

void finding_free(finding *found)
{
    for (int s = 0; s < 2; s++) marey_features_free(found->sides[s]);
    marey_layout_free(found->layout);
    free(found->pairs);
    *found = (finding){ .count = 0 };
}

marey_judgement finding_judge(const finding *found)
{
    return marey_judge(found->sides[0], found->sides[1], found->pairs, found->count);
}

double finding_common(const finding *one, const finding *other)
{
    int cols = marey_features_rows(one->sides[1]), common = 0;
    size_t cells = (size_t)marey_features_rows(one->sides[0]) * (size_t)cols;
    bool *taken = lab_room(cells);
    for (int i = 0; i < one->count; i++) taken[one->pairs[i].row * cols + one->pairs[i].col] = true;
    for (int i = 0; i < other->count; i++) {
        common += taken[other->pairs[i].row * cols + other->pairs[i].col];
    }
    free(taken);
    return (double)common / one->count;
}

/* ---- pictures -------------------------------------------------------------------------------- */

void lab_picture(const lab *in, const finding *found, const marey_clip *a, const marey_clip *b,
                 const char *name, int side_px)
{
    char path[2048];
    marey_error error;
    marey_grid *grid;
    snprintf(path, sizeof path, "%s/%s.png", in->folder, name);
    marey_grid_picture_def def = { .side_px = side_px,
                                   .pairs = found->pairs,
                                   .pair_count = found->count };
    marey_grid_side rows = { .features = found->sides[0], .clip = a };
    marey_grid_side cols = { .features = found->sides[1], .clip = b };
    lab_must(marey_grid_build(in->ctx, found->sides[0], found->sides[1], &grid, &error), &error);
    lab_must(marey_grid_picture_save(grid, &rows, &cols, &def, path, &error), &error);
    marey_grid_free(grid);
}

void lab_grey(const lab *in, const char *name, const unsigned char *pixels, int width, int height)
{
    char path[2048], head[64];
    marey_error error;
    snprintf(path, sizeof path, "%s/%s.pgm", in->folder, name);
    int length = snprintf(head, sizeof head, "P5\n%d %d\n255\n", width, height);
    size_t count = (size_t)width * (size_t)height;
    char *bytes = lab_room((size_t)length + count);
    memcpy(bytes, head, (size_t)length);
    memcpy(bytes + length, pixels, count);
    lab_must(marey_file_save(in->ctx, path, bytes, (size_t)length + count, &error), &error);
    free(bytes);
}
