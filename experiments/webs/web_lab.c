/* web_lab.c - a set of clips and the webs of its pairs. */
#include "web_lab.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { WEB_FPS = 60 };

void web_must(marey_status status, const marey_error *error)
{
    char text[1600];
    if (status == MAREY_OK) return;
    marey_error_text(error, text, sizeof text);
    fprintf(stderr, "%s\n", text);
    exit(1);
}

void *web_room(size_t bytes)
{
    void *room = calloc(1, bytes ? bytes : 1);
    if (room) return room;
    fprintf(stderr, "out of memory\n");
    exit(1);
}

static double clock_s(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double web_seconds(void)
{
    return clock_s(CLOCK_MONOTONIC);
}

double web_cpu_seconds(void)
{
    return clock_s(CLOCK_PROCESS_CPUTIME_ID);
}

static char *copy(const char *text)
{
    char *out = web_room(strlen(text) + 1);
    strcpy(out, text);
    return out;
}

/* ---- clips ----------------------------------------------------------------------------------- */

static int category_of(web_set *set, const char *name)
{
    for (int c = 0; c < set->categories; c++) {
        if (strcmp(set->category_names[c], name) == 0) return c;
    }
    if (set->categories == MOST_CATEGORIES) {
        fprintf(stderr, "there are more than %d categories\n", MOST_CATEGORIES);
        exit(1);
    }
    set->category_names[set->categories] = copy(name);
    return set->categories++;
}

void set_add(web_set *set, const char *file, const char *name, const char *category)
{
    marey_error error;
    if (set->count == MOST_CLIPS) {
        fprintf(stderr, "there are more than %d clips\n", MOST_CLIPS);
        exit(1);
    }
    web_must(marey_clip_load(set->ctx, file, NULL, &set->clips[set->count], &error), &error);
    set->names[set->count] = copy(name);
    set->category[set->count] = category_of(set, category);
    set->count++;
}

/* Lines of the file: "  # jumphop: 4 files, ..." begins a category, "  cmu/49_02.bvh<tab>..." is a
   clip. */
void set_read(web_set *set, const char *which)
{
    char path[2048], line[512], word[256], category[64] = "", heading[64];
    bool inside = false;
    snprintf(path, sizeof path, "%s/sets/cmu_sets.txt", set->mocap);
    FILE *file = fopen(path, "r");
    if (!file) {
        fprintf(stderr, "cannot read %s\n", path);
        exit(1);
    }
    snprintf(heading, sizeof heading, "[%s]", which);
    while (fgets(line, sizeof line, file)) {
        if (line[0] == '[') inside = strncmp(line, heading, strlen(heading)) == 0;
        if (!inside) continue;
        if (sscanf(line, " # %63[^: \n]:", word) == 1 && strncmp(line, "  # TOTAL", 9) != 0) {
            snprintf(category, sizeof category, "%.63s", word);
        } else if (sscanf(line, " cmu/%200[^.].bvh", word) == 1) {
            snprintf(path, sizeof path, "%s/cmu/%s.bvh", set->mocap, word);
            set_add(set, path, word, category);
        }
    }
    fclose(file);
}

void set_resize(web_set *set)
{
    double height = marey_clip_report(set->clips[0])->height_cm;
    for (int i = 1; i < set->count; i++) {
        marey_clip *sized;
        marey_error error;
        double factor = height / marey_clip_report(set->clips[i])->height_cm;
        web_must(marey_clip_scale(set->clips[i], factor, &sized, &error), &error);
        marey_clip_free(set->clips[i]);
        set->clips[i] = sized;
    }
}

void set_features(web_set *set, const marey_joint_weights *joints)
{
    marey_error error;
    marey_metric_def def = { .bounded = true, .fps = WEB_FPS, .joints = joints };
    web_must(marey_layout_build(set->ctx, (const marey_clip *const *)set->clips, set->count, &def,
                                &set->layout, &error),
             &error);
    for (int i = 0; i < set->count; i++) {
        web_must(marey_features_build(set->layout, set->clips[i], &set->features[i], &error),
                 &error);
        set->rows += marey_features_rows(set->features[i]);
    }
}

void set_free(web_set *set)
{
    for (int a = 0; a < set->count; a++) {
        for (int b = a; b < set->count; b++) marey_web_free(set->webs[a][b]);
        marey_features_free(set->features[a]);
        marey_clip_free(set->clips[a]);
        free(set->names[a]);
    }
    for (int c = 0; c < set->categories; c++) free(set->category_names[c]);
    marey_layout_free(set->layout);
}

int set_find(const web_set *set, const char *name)
{
    for (int i = 0; i < set->count; i++) {
        if (strcmp(set->names[i], name) == 0) return i;
    }
    return -1;
}

int set_frames_per_row(const web_set *set, int clip)
{
    return (int)lround(marey_clip_fps(set->clips[clip]) / marey_layout_fps(set->layout));
}

/* ---- webs ------------------------------------------------------------------------------------ */

typedef struct pair_job {
    web_set *set;
    const marey_web_def *def;
    int (*pairs)[2];
} pair_job;

static void build_pair(void *user, int64_t number)
{
    const pair_job *job = user;
    int a = job->pairs[number][0], b = job->pairs[number][1];
    marey_error error;
    marey_web_free(job->set->webs[a][b]);
    web_must(marey_web_build(job->set->ctx, job->set->features[a], job->set->features[b], job->def,
                             &job->set->webs[a][b], &error),
             &error);
}

static void add_size(web_cost *cost, const web_set *set, int a, int b)
{
    const marey_web *web = set->webs[a][b];
    int rows, cols, chains, bridges;
    int64_t cells;
    uint8_t *bytes;
    size_t size;
    marey_error error;
    marey_web_size(web, &rows, &cols, &chains, &bridges, &cells);
    web_must(marey_web_write(web, &bytes, &size, &error), &error);
    marey_web_bytes_free(set->ctx, bytes, size);
    cost->pairs++;
    cost->cells += a == b ? (int64_t)rows * rows / 2 : (int64_t)rows * cols;
    cost->chains += chains;
    cost->bridges += bridges;
    cost->path_cells += cells;
    cost->bytes += (int64_t)size;
    cost->raw += 8 * cells;
}

web_cost set_build(web_set *set, int category, const marey_web_def *def)
{
    web_cost cost = { 0 };
    int count = 0;
    pair_job job = { set, def, web_room(MOST_CLIPS * MOST_CLIPS * sizeof *job.pairs) };
    for (int a = 0; a < set->count; a++) {
        for (int b = a; b < set->count; b++) {
            if (category >= 0 && (set->category[a] != category || set->category[b] != category)) {
                continue;
            }
            job.pairs[count][0] = a;
            job.pairs[count++][1] = b;
        }
    }
    double cpu = web_cpu_seconds(), wall = web_seconds();
    marey_ctx_run(set->ctx, count, build_pair, &job);
    cost.cpu_s = web_cpu_seconds() - cpu;
    cost.wall_s = web_seconds() - wall;
    for (int i = 0; i < count; i++) add_size(&cost, set, job.pairs[i][0], job.pairs[i][1]);
    free(job.pairs);
    return cost;
}

static marey_status web_of(void *user, int a, int b, const marey_web **out, bool *flipped,
                           marey_error *error)
{
    const web_set *set = user;
    (void)error;
    *flipped = a > b;
    *out = a > b ? set->webs[b][a] : set->webs[a][b];
    return MAREY_OK;
}

marey_webs set_webs(const web_set *set)
{
    return (marey_webs){ .clips = set->count, .web = web_of, .user = (void *)(uintptr_t)set };
}
