/* bench_switch.c - switches and loops of cluster graphs of captured motion, with sets/cmu_sets.txt
   in the folder of real data: 500 switches drawn by lot in the graph of the set [a_kovar], whether
   they jump and whether feet slide; tuples of its nodes and ways between its clips, how many there
   are and how long they take; and for every clip of it with at least three gait cycles a loop of at
   least one of them, at 30 Hz: the largest step of its seam beside the clip's own. Arguments:
   switches (default 500), seed (default 1), "each" for a line each. */
#include "bench.h"

#include <marey/marey.h>

#include <math.h>
#include <stdint.h>
#include <string.h>

enum { MOST_CLIPS = 64, MOST_LOOPS = 24 };

#define SIDE_S 2.0 /* played before and behind a switch, where there is so much */

static void need(marey_status status, const marey_error *error)
{
    if (!status) return;
    fprintf(stderr, "bench_switch: %s\n", error->message);
    exit(1);
}

static uint64_t draw(uint64_t *lot)
{
    uint64_t z = *lot += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* ---- clips ----------------------------------------------------------------------------------- */

typedef struct clips {
    int count;
    marey_clip *all[MOST_CLIPS];
    marey_contacts plants[MOST_CLIPS];
} clips;

static const marey_clip *const *list_of(const clips *of)
{
    return (const marey_clip *const *)of->all;
}

static clips load_set(marey_ctx *ctx)
{
    char path[1100], line[512], name[256];
    clips all = { 0 };
    bool inside = false;
    marey_error error;
    snprintf(path, sizeof path, "%s/sets/cmu_sets.txt", bench_mocap_folder());
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file) && all.count < MOST_CLIPS) {
        if (line[0] == '[') inside = strncmp(line, "[a_kovar]", 9) == 0;
        if (!inside || sscanf(line, " %255[^\t#]", name) != 1 || !strstr(name, ".bvh")) continue;
        snprintf(path, sizeof path, "%s/%s", bench_mocap_folder(), name);
        need(marey_clip_load(ctx, path, NULL, &all.all[all.count++], &error), &error);
    }
    if (file) fclose(file);
    return all;
}

/* At 30 Hz, captured frames only. */
static clips bring_to_30(const clips *of)
{
    clips slow = { .count = of->count };
    marey_error error;
    for (int i = 0; i < of->count; i++) {
        marey_clip *whole = NULL;
        need(marey_clip_unmarked(of->all[i], NULL, &whole, &error), &error);
        need(marey_clip_resample(whole, 30, &slow.all[i], &error), &error);
        marey_clip_free(whole);
    }
    return slow;
}

static void find_plants(clips *of)
{
    for (int i = 0; i < of->count; i++) marey_contacts_find(of->all[i], NULL, &of->plants[i]);
}

static void free_clips(clips *of)
{
    for (int i = 0; i < of->count; i++) {
        marey_contacts_free(&of->plants[i]);
        marey_clip_free(of->all[i]);
    }
}

/* ---- switches -------------------------------------------------------------------------------- */

typedef struct tally {
    int count, jumps, slides, look;
    double jump, slide, cost; /* the worst */
    double looks; /* the worst mean slide of plants as they are found in what was made */
    double mean_cost, mean_jump;
} tally;

/* The captured frames around a frame, at most so many to each side. */
static void reach_around(const marey_clusters *c, const clips *all, int clip, int frame, int *first,
                         int *last)
{
    int most = (int)(SIDE_S * marey_clip_fps(all->all[clip]));
    for (*first = frame; frame - *first < most; --*first) {
        if (marey_clusters_find(c, clip, *first - 1) < 0) break;
    }
    for (*last = frame; *last - frame < most; ++*last) {
        if (marey_clusters_find(c, clip, *last + 1) < 0) break;
    }
}

static void try_switch(marey_ctx *ctx, const marey_clusters *c, const clips *all,
                       const marey_cluster_switch *at, bool each, tally *to)
{
    int count;
    const marey_cluster_sequence *sequences = marey_clusters_sequences(c, &count);
    int a = sequences[at->from_sequence].clip, b = sequences[at->to_sequence].clip, low, high, none;
    marey_made made;
    marey_walk_made about;
    marey_quality quality;
    marey_error error;
    reach_around(c, all, a, at->from, &low, &none);
    reach_around(c, all, b, at->to, &none, &high);
    marey_piece pieces[2] = { { a, low, at->from + 1, 0 }, { b, at->to + 1, high + 1, 0 } };
    need(marey_pieces_make(ctx, list_of(all), all->count, all->plants, pieces, 2, NULL, &made,
                           &about, &error),
         &error);
    marey_clip_quality(made.clip, made.contacts.items, made.contacts.count, &quality);
    to->count++;
    marey_contacts found;
    marey_quality seen;
    if (!marey_contacts_find(made.clip, NULL, &found)) {
        if (!marey_clip_quality(made.clip, found.items, found.count, &seen)) {
            to->looks = fmax(to->looks, seen.slide_cm);
            to->look += seen.slide_cm > 0.5;
        }
        marey_contacts_free(&found);
    }
    to->jumps += about.jump_ratio > 1.2;
    to->slides += quality.slide_max_cm > 0.5;
    to->jump = fmax(to->jump, about.jump_ratio);
    to->slide = fmax(to->slide, quality.slide_max_cm);
    to->cost = fmax(to->cost, at->cost);
    to->mean_cost += at->cost;
    to->mean_jump += about.jump_ratio;
    if (each || about.jump_ratio > 1.2 || quality.slide_max_cm > 0.5)
        printf("  %s %d -> %s %d: cost %.1f jump %.3f slide %.3f cm, %d frames\n",
               marey_clip_name(all->all[a]), at->from, marey_clip_name(all->all[b]), at->to,
               at->cost, about.jump_ratio, quality.slide_max_cm, marey_clip_frames(made.clip));
    marey_made_free(&made);
}

/* How often figure 4 finds a tuple at once, when lists have grown, or never. */
static void measure_tuples(marey_ctx *ctx, const marey_clusters *c)
{
    int count, at_once = 0, grown = 0, none = 0;
    const marey_cluster_node *nodes = marey_clusters_nodes(c, &count);
    double began = bench_cpu_s();
    for (int n = 0; n < count; n++) {
        marey_tuples got;
        marey_error error;
        if (nodes[n].sequences < 2) continue;
        need(marey_clusters_tuples(ctx, c, n, NULL, &got, &error), &error);
        none += got.by_pairs;
        at_once += !got.by_pairs && got.pairs == 5;
        grown += !got.by_pairs && got.pairs > 5;
        marey_tuples_free(&got);
    }
    printf("tuples: at once in %d nodes, with longer lists in %d, none in %d; %.2f s\n", at_once,
           grown, none, bench_cpu_s() - began);
}

/* From every clip to three others. */
static void measure_ways(marey_ctx *ctx, const marey_clusters *c)
{
    int count = marey_clusters_clip_count(c), direct = 0, several = 0, none = 0;
    double most = 0, sum = 0;
    for (int a = 0; a < count; a++) {
        for (int n = 1; n < 14; n += 6) {
            marey_route_def def = { .from_clip = a, .to_clip = (a + n) % count };
            marey_route got = { 0 };
            marey_error error;
            double began = bench_cpu_s();
            marey_status status = marey_clusters_route(ctx, c, &def, &got, &error);
            double took = bench_cpu_s() - began;
            sum += took;
            if (took > most) most = took;
            if (status)
                none++;
            else if (got.direct)
                direct++;
            else
                several++;
            marey_route_free(&got);
        }
    }
    printf("ways from clip to clip: %d with one switch, %d with several, none for %d; mean %.3f s, "
           "worst %.3f s\n",
           direct, several, none, sum / count / 3, most);
}

/* From any sequence that is not alone in its node to any other one there, at the best place. */
static void measure_switches(marey_ctx *ctx, const clips *all, int count, uint64_t seed, bool each)
{
    marey_clusters *c;
    marey_error error;
    tally t = { 0 };
    double began = bench_cpu_s();
    need(marey_clusters_build(ctx, list_of(all), all->count, NULL, &c, &error), &error);
    int sequence_count, node_count, left = count;
    const marey_cluster_sequence *sequences = marey_clusters_sequences(c, &sequence_count);
    const marey_cluster_node *nodes = marey_clusters_nodes(c, &node_count);
    printf("%d nodes, %d sequences, %.1f s\n", node_count, sequence_count, bench_cpu_s() - began);
    began = bench_cpu_s();
    while (left > 0) {
        int from = (int)(draw(&seed) % (uint64_t)sequence_count), found = 0;
        const marey_cluster_node *node = &nodes[sequences[from].node];
        int to = node->first + (int)(draw(&seed) % (uint64_t)node->sequences);
        marey_cluster_switch at;
        if (to == from) continue;
        need(marey_clusters_switches(ctx, c, from, to, 1, &at, &found, &error), &error);
        if (found == 0) continue; /* it would end a clip */
        try_switch(ctx, c, all, &at, each, &t);
        left--;
    }
    printf("%d switches, %.1f s; mean cost %.1f cm2, worst %.1f; mean jump %.3f\n", t.count,
           bench_cpu_s() - began, t.mean_cost / t.count, t.cost, t.mean_jump / t.count);
    bench_figure("switches: worst jump ratio", t.jump, "", 1.2, false);
    bench_figure("switches: worst foot slide of a plant", t.slide, "cm", 0.5, false);
    bench_figure("switches above either", t.jumps + t.slides, "", 0, false);
    bench_figure("  feet that look planted: worst mean slide", t.looks, "cm", 0, false);
    bench_figure("  .. more than 0.5 cm", t.look, "", 0, false);
    measure_tuples(ctx, c);
    measure_ways(ctx, c);
    marey_clusters_free(c);
}

/* ---- gait cycles ----------------------------------------------------------------------------- */

/* From a plant of the left foot to the next, with one of the right foot between them; the body goes
   at least 20 cm, in at most 2 s. The median length of those there are; *count is how many. */
static int is_left(marey_contact_joint joint)
{
    return joint == MAREY_CONTACT_LEFT_HEEL || joint == MAREY_CONTACT_LEFT_TOE;
}

static bool planted(const marey_contacts *plants, bool left, int frame)
{
    for (int n = 0; n < plants->count; n++) {
        const marey_contact *one = &plants->items[n];
        bool foot = one->joint <= MAREY_CONTACT_RIGHT_TOE;
        if (foot && (bool)is_left(one->joint) == left && frame >= one->start && frame < one->end)
            return true;
    }
    return false;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double find_cycles(const marey_clip *clip, const marey_contacts *plants, int *count)
{
    int frames = marey_clip_frames(clip), last = -1,
        joints = marey_clip_skeleton(clip)->joint_count;
    double *rows = malloc((size_t)joints * 6 * sizeof *rows);
    double *lengths = malloc((size_t)frames * sizeof *lengths), length = 0;
    bool right = false; /* planted anew since the left one was */
    *count = 0;
    for (int f = 1; f < frames; f++) {
        if (planted(plants, false, f) && !planted(plants, false, f - 1)) right = true;
        if (!planted(plants, true, f) || planted(plants, true, f - 1)) continue;
        if (last >= 0 && right && f - last <= 2 * marey_clip_fps(clip)) {
            marey_clip_positions(clip, last, 1, rows);
            marey_clip_positions(clip, f, 1, rows + 3 * joints);
            double x = rows[3 * joints] - rows[0], z = rows[3 * joints + 2] - rows[2];
            if (hypot(x, z) >= 20) lengths[(*count)++] = (f - last) / marey_clip_fps(clip);
        }
        last = f;
        right = false;
    }
    if (*count) {
        qsort(lengths, (size_t)*count, sizeof *lengths, by_value);
        length = lengths[*count / 2];
    }
    free(lengths);
    free(rows);
    return length;
}

/* ---- loops ----------------------------------------------------------------------------------- */

static double step_of(const double *p, const double *q, int joints)
{
    double most = 0;
    for (int j = 0; j < 3 * joints; j += 3) {
        double x = p[j] - q[j], y = p[j + 1] - q[j + 1], z = p[j + 2] - q[j + 2];
        double step = sqrt(x * x + y * y + z * z);
        if (step > most) most = step;
    }
    return most;
}

/* The largest step of any joint from each frame to the next; free() it. */
static double *steps_of(const marey_clip *clip, int *count)
{
    int joints = marey_clip_skeleton(clip)->joint_count, frames = marey_clip_frames(clip);
    double *places = malloc((size_t)frames * (size_t)joints * 3 * sizeof *places);
    double *steps = malloc((size_t)frames * sizeof *steps);
    marey_clip_positions(clip, 0, frames, places);
    *count = frames - 1;
    for (int f = 0; f + 1 < frames; f++)
        steps[f] = step_of(places + (size_t)f * (size_t)joints * 3,
                           places + (size_t)(f + 1) * (size_t)joints * 3, joints);
    free(places);
    return steps;
}

/* From the last frame that is the clip's own to the first one of the next round. */
static double largest_of_seam(const marey_made *made, const marey_loop *loop)
{
    int count;
    double *steps = steps_of(made->clip, &count), most = 0, all = 0;
    for (int f = 0; f < count; f++) {
        if (f + 1 >= made->from_a_end && steps[f] > most) most = steps[f];
        if (steps[f] > all) all = steps[f];
    }
    free(steps);
    /* seam_ratio is the step to the next round over the largest inside */
    return fmax(most, loop->seam_ratio * all);
}

static bool try_clip(marey_ctx *ctx, const marey_clusters *c, const clips *all, int clip)
{
    const marey_clip *of = all->all[clip];
    marey_loop loops[MOST_LOOPS];
    marey_error error;
    int cycles, found = 0, count;
    double cycle = find_cycles(of, &all->plants[clip], &cycles), *steps = steps_of(of, &count);
    qsort(steps, (size_t)count, sizeof *steps, by_value);
    double large = steps[(int)(0.95 * (count - 1))];
    free(steps);
    if (cycles < 3) {
        printf("  %-8s %2d cycles\n", marey_clip_name(of), cycles);
        return true;
    }
    marey_cluster_loops_def def = { .shortest_s = cycle };
    need(marey_clusters_loops(ctx, c, clip, &def, MOST_LOOPS, loops, &found, &error), &error);
    for (int n = 0; n < found; n++) {
        marey_made made;
        if (marey_loop_make(ctx, of, &all->plants[clip], NULL, &loops[n], &made, &error)) {
            printf("  %s\n", error.message);
            continue;
        }
        double step = largest_of_seam(&made, &loops[n]);
        printf("  %-8s %2d cycles of %.2f s: loop %d of %d, %d-%d, cost %.1f, seam %.2f of %.2f "
               "cm%s\n",
               marey_clip_name(of), cycles, cycle, n + 1, found, loops[n].start, loops[n].end,
               loops[n].cost, step, large, step <= large ? "" : " TOO LARGE");
        marey_made_free(&made);
        return step <= large;
    }
    printf("  %-8s %2d cycles of %.2f s: no loop\n", marey_clip_name(of), cycles, cycle);
    return false;
}

static void measure_loops(marey_ctx *ctx, const clips *all)
{
    marey_clusters *c;
    marey_error error;
    int bad = 0;
    need(marey_clusters_build(ctx, list_of(all), all->count, NULL, &c, &error), &error);
    for (int i = 0; i < all->count; i++) bad += !try_clip(ctx, c, all, i);
    bench_figure("loops: clips whose best has a large step", bad, "", 0.5, false);
    marey_clusters_free(c);
}

int main(int argc, char **argv)
{
    marey_ctx *ctx;
    marey_ctx_def def = { .threads = 2 };
    if (marey_ctx_open(&def, &ctx)) return 1;
    clips all = load_set(ctx);
    if (all.count == 0) {
        printf("no real data: see docs/data.md\n");
        return 0;
    }
    clips slow = bring_to_30(&all);
    find_plants(&all);
    find_plants(&slow);
    int count = argc > 1 ? atoi(argv[1]) : 500;
    uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    if (count > 0) measure_switches(ctx, &all, count, seed, argc > 3);
    if (seed == 1) measure_loops(ctx, &slow);
    free_clips(&slow);
    free_clips(&all);
    marey_ctx_close(ctx);
    return 0;
}
