/* graph_lab.c - see graph_lab.h: sets and graphs. */
#include "graph_lab.h"

#include <jansson.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

void lab_need(marey_status status, const marey_error *error)
{
    if (status == MAREY_OK) return;
    fprintf(stderr, "%s\n", error->message);
    exit(1);
}

static double clock_of(clockid_t which)
{
    struct timespec now;
    clock_gettime(which, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double lab_cpu_s(void)
{
    return clock_of(CLOCK_PROCESS_CPUTIME_ID);
}

double lab_clock_s(void)
{
    return clock_of(CLOCK_MONOTONIC);
}

double lab_memory_gb(void)
{
    struct rusage use;
    getrusage(RUSAGE_SELF, &use);
    return (double)use.ru_maxrss / 1e6;
}

/* ---- sets ------------------------------------------------------------------------------------ */

static void load_one(const lab *of, const char *path, double fps, lab_set *set)
{
    char whole[2048];
    marey_error error;
    marey_load_def def = { .source_fps = fps };
    const char *name = strrchr(path, '/');
    snprintf(whole, sizeof whole, "%s/%s", of->mocap, path);
    snprintf(set->names[set->count], sizeof set->names[0], "%.*s",
             (int)strcspn(name ? name + 1 : path, "."), name ? name + 1 : path);
    lab_need(marey_clip_load(of->ctx, whole, &def, &set->clips[set->count++], &error), &error);
}

void lab_load(const lab *of, const char *name, double fps, lab_set *set)
{
    char path[2048], line[512], file_name[256];
    bool inside = false;
    snprintf(path, sizeof path, "%s/sets/cmu_sets.txt", of->mocap);
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file) && set->count < LAB_MOST_CLIPS) {
        char *mark = strchr(line, '#');
        if (mark || line[0] == '[') {
            inside = mark && strncmp(mark + 2, name, strlen(name)) == 0;
        } else if (inside && sscanf(line, " %255[^\t\n]", file_name) == 1 &&
                   strstr(file_name, ".bvh")) {
            load_one(of, file_name, fps, set);
        }
    }
    if (file) fclose(file);
    if (set->count > 0) return;
    fprintf(stderr, "%s: no set %s\n", path, name);
    exit(1);
}

static int clip_named(const lab_set *set, const char *name)
{
    for (int c = 0; c < set->count; c++) {
        if (name && strcmp(set->names[c], name) == 0) return c;
    }
    return -1;
}

static void label_clip(lab_set *set, int clip, const json_t *segments)
{
    json_t *segment;
    size_t s;
    json_array_foreach(segments, s, segment)
    {
        int i = set->behaviour_count;
        const char *label = json_string_value(json_object_get(segment, "label"));
        if (!label || i == LAB_MOST_BEHAVIOURS) continue;
        snprintf(set->said[i], sizeof set->said[i], "%s", label);
        set->behaviours[i] = (marey_behaviour){
            .clip = clip,
            .start = (int)json_integer_value(json_object_get(segment, "start")),
            .end = (int)json_integer_value(json_object_get(segment, "end")),
            .label = set->said[i],
        };
        set->behaviour_count++;
    }
}

void lab_label(const lab *of, lab_set *set)
{
    json_error_t error;
    json_t *root = json_load_file(of->labels, 0, &error), *take;
    size_t t;
    if (!root) {
        fprintf(stderr, "%s:%d: %s\n", of->labels, error.line, error.text);
        exit(1);
    }
    json_array_foreach(json_object_get(root, "takes"), t, take)
    {
        int clip = clip_named(set, json_string_value(json_object_get(take, "clip")));
        if (clip >= 0) label_clip(set, clip, json_object_get(take, "segments"));
    }
    json_decref(root);
}

/* The first frame is invented in all of them, so it goes. */
static void shorten_clip(const lab_set *set, int clip, double share, lab_set *out)
{
    marey_error error;
    int frames = marey_clip_frames(set->clips[clip]);
    int start = 1 + (int)((1 - share) / 2 * (frames - 1));
    int end = start + (int)(share * (frames - 1));
    lab_need(marey_clip_trim(set->clips[clip], start, end, &out->clips[clip], &error), &error);
    snprintf(out->names[clip], sizeof out->names[clip], "%s", set->names[clip]);
    for (int i = 0; i < set->behaviour_count; i++) {
        marey_behaviour part = set->behaviours[i];
        if (part.clip != clip || part.start >= end || part.end <= start) continue;
        part.start = part.start > start ? part.start - start : 0;
        part.end = part.end < end ? part.end - start : end - start;
        out->behaviours[out->behaviour_count++] = part;
    }
}

void lab_shorten(const lab_set *set, double share, lab_set *out)
{
    out->count = set->count;
    for (int i = 0; i < set->count; i++) shorten_clip(set, i, share, out);
}

void lab_set_free(lab_set *set)
{
    for (int i = 0; i < set->count; i++) marey_clip_free(set->clips[i]);
    *set = (lab_set){ 0 };
}

/* ---- graphs ---------------------------------------------------------------------------------- */

marey_graph *lab_build(const lab *of, const lab_set *set, int clips, marey_graph_def def,
                       lab_cost *cost)
{
    marey_behaviour behaviours[LAB_MOST_BEHAVIOURS];
    marey_graph *graph;
    marey_error error;
    int count = 0;
    for (int i = 0; i < set->behaviour_count; i++) {
        if (set->behaviours[i].clip < clips) behaviours[count++] = set->behaviours[i];
    }
    def.behaviours = behaviours;
    def.behaviour_count = count;
    double cpu = lab_cpu_s(), clock = lab_clock_s();
    lab_need(marey_graph_build(of->ctx, (const marey_clip *const *)set->clips, clips, NULL, &def,
                               &graph, &error),
             &error);
    if (cost) *cost = (lab_cost){ lab_cpu_s() - cpu, lab_clock_s() - clock };
    return graph;
}
