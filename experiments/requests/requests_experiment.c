/* requests_experiment.c - families as nodes of a graph, on real clips: requests all over what each
   family can do, half of them along a path and half one after the other, measured in the generated
   walk. With --play how a character in play is asked for them instead. usage: requests_experiment
   LIB.marey NAME GRAPH [--play] FAMILY... Writes rows of a Markdown table to standard output. */
#include <marey/marey.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { REQUESTS = 200, MOST_WALKS = 200 };

typedef struct tried {
    int asked, count, faults, walks, near;
    double errors[REQUESTS], jumps[MOST_WALKS], slides[MOST_WALKS], away[2 * MOST_WALKS];
    int along;
    double seconds, walked_s;
} tried;

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

static uint64_t random_next(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *seed >> 33;
}

static int by_size(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

static double share(double *values, int count, double part)
{
    qsort(values, (size_t)count, sizeof *values, by_size);
    return count ? values[(int)(part * (count - 1))] : NAN;
}

/* What a blend of random valid weights of an example and its like does. */
static void random_wish(marey_ctx *ctx, const marey_family *family, uint64_t *seed, double *wanted)
{
    int samples, dims = marey_family_dims(family), motions[2 * MAREY_MOST_PARAM_DIMS];
    double weights[2 * MAREY_MOST_PARAM_DIMS];
    const double *values = marey_family_samples(family, &samples);
    marey_error error;
    int one = (int)(random_next(seed) % (uint64_t)samples);
    int used = marey_family_weights(family, one, motions, weights);
    /* A little away from the sample, which was tried when the family was built. */
    double moved = 0.1 * (double)(random_next(seed) % 1000) / 1000;
    if (used > 1) {
        weights[0] += moved * (weights[1] - weights[0]);
        weights[1] -= moved * (weights[1] - weights[0]);
        double sum = 0;
        for (int i = 0; i < used; i++) sum += weights[i];
        for (int i = 0; i < used; i++) weights[i] /= sum;
    }
    memcpy(wanted, values + (size_t)one * (size_t)dims, (size_t)dims * sizeof *wanted);
    need(marey_family_values(ctx, family, motions, weights, used, wanted, &error), &error);
}

/* Is the fastest step of any joint within half a second of where a motion is entered or left? */
static bool is_near_a_way(const marey_performance *walk, const marey_clip *clip)
{
    enum { MOST_JOINTS = 256 };
    static double rows[2][3 * MOST_JOINTS];
    int joints = marey_clip_skeleton(clip)->joint_count, fastest = 0;
    double most = 0, rate = marey_clip_fps(clip) / marey_graph_fps(walk->graph);
    if (joints > MOST_JOINTS) return false;
    for (int f = 0; f < marey_clip_frames(clip); f++) {
        double *now = rows[f % 2], *last = rows[1 - f % 2];
        marey_clip_positions(clip, f, 1, now);
        for (int j = 0; f > 0 && j < 3 * joints; j += 3) {
            double x = now[j] - last[j], y = now[j + 1] - last[j + 1], z = now[j + 2] - last[j + 2];
            double step = sqrt(x * x + y * y + z * z);
            if (step > most) fastest = f;
            most = fmax(most, step);
        }
    }
    bool near = false;
    for (int i = 0; i < walk->count; i++) {
        double in = walk->done[i].first * rate, half = 0.5 * marey_clip_fps(clip);
        double out = (walk->done[i].first + walk->done[i].frames) * rate;
        near |= fabs(fastest - in) < half || fabs(fastest - out) < half;
    }
    return near;
}

static void try_walk(marey_ctx *ctx, const marey_graph *graph, marey_graph_family *joined,
                     const marey_family *family, uint64_t *seed, tried *out)
{
    static const double paths[][6] = { { 0, 0, 300, 0, 600, 100 },
                                       { 0, 0, 0, 500, 0, 600 },
                                       { 0, 0, 250, 150, 500, 0 },
                                       { 0, 0, 300, -60, 600, -60 } };
    bool along = out->walks % 2 == 0;
    double wishes[2][MAREY_MOST_PARAM_DIMS];
    marey_walk_def def = { .kind = along ? MAREY_WALK_PATH : MAREY_WALK_TO,
                           .path = paths[random_next(seed) % 4],
                           .point_count = 3,
                           .effort = 12000 };
    marey_request asked[2];
    for (int k = 0; k < 2; k++) {
        random_wish(ctx, family, seed, wishes[k]);
        asked[k] = (marey_request){ joined, wishes[k], k == 0 ? 200 : 450 };
    }
    marey_performance walk = { 0 };
    marey_made made = { 0 };
    marey_walk_made about;
    marey_walk_fault faults[64];
    marey_error error;
    int count = 0;
    double started = cpu_s();
    need(marey_graph_perform(ctx, graph, &def, asked, 2, &walk, &error), &error);
    need(marey_performance_make(ctx, &walk, NULL, &made, &about, &error), &error);
    out->seconds += cpu_s() - started;
    out->walked_s += marey_clip_seconds(made.clip);
    need(marey_walk_faults(ctx, walk.graph, &walk.walk, made.clip, faults, 64, &count, &error),
         &error);
    out->faults += count > 0;
    out->near += about.jump_ratio > 1.1 && is_near_a_way(&walk, made.clip);
    out->jumps[out->walks] = about.jump_ratio;
    out->slides[out->walks++] = made.clean.slide_after_cm;
    for (int k = 0; k < 2; k++) {
        out->asked++;
        /* What the family says it cannot do is asked for anew. */
        if (!walk.done[k].answer.outside && out->count < REQUESTS)
            out->errors[out->count++] = walk.done[k].answer.error;
        if (along) out->away[out->along++] = walk.done[k].away_cm;
    }
    marey_made_free(&made);
    marey_performance_free(&walk);
}

/* A character that walks about in changing directions is asked for a motion every second or so: how
   long asking takes, a step, and how long it takes until the motion begins. */
static void try_play(marey_ctx *ctx, const marey_graph *graph, const marey_graph_family *joined,
                     const marey_family *family, const char *clips, const char *name)
{
    marey_policy *policy = NULL;
    marey_controller *controller = NULL;
    marey_controller_frame frame;
    marey_error error;
    uint64_t seed = 7;
    int number, steps = 0, waited = 0;
    double asking = 0, longest = 0, stepping = 0, slowest = 0;
    need(marey_policy_train(ctx, graph, NULL, &policy, &error), &error);
    need(marey_controller_open(ctx, graph, policy, NULL, &controller, &error), &error);
    need(marey_controller_join(controller, joined, &number, &error), &error);
    for (int i = 0; i < REQUESTS; i++) {
        double wanted[MAREY_MOST_PARAM_DIMS];
        marey_control_input input = { .direction_rad = i, .speed_cm_s = 120 };
        random_wish(ctx, family, &seed, wanted);
        bool began = false, done = false;
        for (int k = 0; !done; k++, steps++) {
            double started = cpu_s();
            if (k == 30) {
                need(marey_controller_ask(controller, number, wanted, NULL, &error), &error);
                double took = cpu_s() - started;
                asking += took;
                longest = fmax(longest, took);
                started += took;
            }
            marey_controller_step(controller, &input, &frame);
            double took = cpu_s() - started;
            stepping += took;
            slowest = fmax(slowest, took);
            began |= frame.doing >= 0;
            done = began && frame.doing < 0;
            waited += k >= 30 && !began;
        }
    }
    printf("| %s | %s | %.1f | %.1f | %.1f | %.0f | %.2f |\n", clips, name, 1e3 * asking / REQUESTS,
           1e3 * longest, 1e6 * stepping / steps, 1e6 * slowest,
           waited / marey_graph_fps(graph) / REQUESTS);
    marey_controller_free(controller);
    marey_policy_free(policy);
}

int main(int argc, char **argv)
{
    marey_ctx *ctx = NULL;
    marey_library *library = NULL;
    marey_parts *parts = NULL;
    marey_graph *graph = NULL;
    marey_error error;
    bool plays = argc > 4 && strcmp(argv[4], "--play") == 0;
    if (argc < 5 || marey_ctx_open(&(marey_ctx_def){ .threads = 2 }, &ctx)) return 2;
    need(marey_library_open(ctx, argv[1], MAREY_LIBRARY_READ, &library, &error), &error);
    need(marey_library_graph(library, argv[3], &parts, &graph, &error), &error);
    for (int i = plays ? 5 : 4; i < argc; i++) {
        marey_parts *examples = NULL;
        marey_family *family = NULL;
        marey_graph_family *joined = NULL;
        need(marey_library_family(library, argv[i], &examples, &family, &error), &error);
        need(marey_graph_family_join(ctx, graph, family, argv[i], &joined, &error), &error);
        marey_family_ways ways = marey_graph_family_ways(joined);
        uint64_t seed = 7;
        tried all = { 0 };
        if (plays) try_play(ctx, graph, joined, family, argv[2], argv[i]);
        while (!plays && all.count < REQUESTS && all.walks < MOST_WALKS)
            try_walk(ctx, graph, joined, family, &seed, &all);
        int jumpy = 0;
        for (int k = 0; k < all.walks; k++) jumpy += all.jumps[k] > 1.1;
        if (!plays)
            printf(
                "| %s | %s | %d | %d / %d | %d | %.2f | %.2f | %.2f | %d of %d, %d | %.2f | %d | "
                "%.3f | "
                "%.0f / "
                "%.0f | %.2f |\n",
                argv[2], argv[i], examples->count, ways.in, ways.out, all.asked,
                share(all.errors, all.count, 0.5), share(all.errors, all.count, 0.95),
                share(all.errors, all.count, 1), jumpy, all.walks, all.near,
                share(all.jumps, all.walks, 1), all.faults, share(all.slides, all.walks, 1),
                share(all.away, all.along, 0.5), share(all.away, all.along, 0.95),
                all.seconds / all.walked_s);
        fflush(stdout);
        marey_graph_family_free(joined);
        marey_family_free(family);
        marey_parts_free(examples);
    }
    marey_graph_free(graph);
    marey_parts_free(parts);
    marey_library_close(library);
    marey_ctx_close(ctx);
    return 0;
}
