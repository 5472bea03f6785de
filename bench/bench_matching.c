/* bench_matching.c - motion matching among 100,000 poses of real clips: building it, a controller's
   step, and each of its searches beside comparing all poses, by turns. Arguments: a library, of
   which a copy is made (default: cmu_large.marey of the folder of real data), how many poses. */
#include "bench.h"

#include "control/matching_data.h"

#include <marey/marey.h>

#include <unistd.h>

#define PI 3.14159265358979323846

enum { SCRIPT_S = 600, MOST_CLIPS = 1024, EVERY = 20 };

static void need(marey_status status, const marey_error *error)
{
    if (status == MAREY_OK) return;
    fprintf(stderr, "%s\n", error->message);
    exit(3);
}

/* A new direction every 2 to 3 s; sometimes it stands. */
typedef struct script {
    uint32_t seed;
    int left;
    marey_control_input input;
} script;

static uint32_t draw(script *s)
{
    s->seed = s->seed * 1664525u + 1013904223u;
    return s->seed >> 8;
}

static const marey_control_input *input_now(script *s, double fps)
{
    static const double speeds[] = { 0, 80, 120, 120, 250 };
    if (s->left-- > 0) return &s->input;
    s->input.direction_rad = (draw(s) % 360) * PI / 180;
    s->input.speed_cm_s = speeds[draw(s) % 5];
    s->left = (int)((2 + draw(s) % 1000 / 1000.0) * fps);
    return &s->input;
}

/* Clips until there are so many poses at 30 a second with a second behind them. */
static int load(marey_ctx *ctx, const char *path, int poses, const marey_clip **clips)
{
    marey_library *library;
    marey_listing *listing;
    marey_error error;
    double found = 0;
    int count = 0, listed;
    need(marey_library_open(ctx, path, MAREY_LIBRARY_READ, &library, &error), &error);
    need(marey_library_list(library, NULL, &listing, &error), &error);
    const marey_entry *entry = marey_listing_entries(listing, &listed);
    for (int i = 0; i < listed && count < MOST_CLIPS && found < poses; i++, entry++) {
        char number[32];
        marey_clip *clip;
        if (entry->frames < 2 * entry->fps) continue;
        snprintf(number, sizeof number, "#%lld", (long long)entry->id);
        if (marey_library_load(library, number, &clip, &error)) continue;
        clips[count++] = clip;
        found += 30 * (entry->frames / entry->fps - 1) - 1;
    }
    marey_listing_free(listing);
    marey_library_close(library);
    return count;
}

/* The same by comparing all, as fast as that goes. */
static int compare_all(const marey_matching *m, const float *query, int low, int high)
{
    int found = -1;
    float best = INFINITY;
    for (int r = 0; r < m->poses; r++) {
        float off = mry_match_distance(query, m->features + (size_t)r * MRY_MATCH_ROW);
        int node = m->node[r];
        if (off > best || (node >= low && node <= high)) continue;
        if (off == best && found >= 0 && node > m->node[found]) continue;
        best = off;
        found = r;
    }
    return found;
}

/* Steps a character through the script; some of what it searches for is searched again, without
   what is known of going on, and by comparing all. */
static void measure(marey_ctx *ctx, const marey_matching *m)
{
    marey_controller *c;
    marey_controller_frame frame = { 0 };
    marey_error error;
    script inputs = { .seed = 1 };
    double fps = marey_graph_fps(m->graph), steps = 0, worst = 0, by_tree = 0, most = 0, all = 0;
    int searched = 0, wrong = 0, compared, frames = (int)(SCRIPT_S * fps);
    need(marey_controller_open_matching(ctx, m, NULL, &c, &error), &error);
    for (int f = 0; f < frames; f++) {
        const marey_control_input *input = input_now(&inputs, fps);
        double start = bench_cpu_s();
        marey_controller_step(c, input, &frame);
        double took = bench_cpu_s() - start;
        steps += took;
        worst = fmax(worst, took);
        if (f % EVERY) continue;
        float query[MRY_MATCH_ROW];
        double seen = input->direction_rad - marey_controller_place(c).angle_rad;
        mry_matching_query(m, frame.node, seen, input->speed_cm_s, query);
        start = bench_cpu_s();
        int found = mry_matching_search(m, query, INFINITY, frame.node, frame.node, &compared);
        took = bench_cpu_s() - start;
        by_tree += took;
        most = fmax(most, took);
        start = bench_cpu_s();
        wrong += found != compare_all(m, query, frame.node, frame.node);
        all += bench_cpu_s() - start;
        searched++;
    }
    marey_controller_searches searches = marey_controller_searched(c);
    bench_figure("step of a matching controller", 1e6 * steps / frames, "us, mean", 20, false);
    bench_figure("worst step", 1e6 * worst, "us", 0, false);
    bench_figure("poses compared in a search", searches.compared, "mean", 0, false);
    bench_figure("at most", searches.most_compared, "", 0, false);
    bench_figure("search, nothing known of going on", 1e6 * by_tree / searched, "us, mean", 0,
                 false);
    bench_figure("worst of these", 1e6 * most, "us", 0, false);
    bench_figure("comparing all", 1e6 * all / searched, "us, mean", 0, false);
    bench_figure("comparing all over search", all / by_tree, "times", 0, false);
    bench_figure("searches that find another pose", wrong, "", 0, false);
    marey_controller_free(c);
}

int main(int argc, char **argv)
{
    static const marey_clip *clips[MOST_CLIPS];
    char from[1024], copy[] = "/tmp/bench_matching_XXXXXX";
    int poses = argc > 2 ? atoi(argv[2]) : 100000, place = mkstemp(copy);
    marey_ctx *ctx;
    marey_error error;
    marey_graph *graph;
    marey_matching *matching;
    snprintf(from, sizeof from, "%s/cmu_large.marey", bench_mocap_folder());
    if (argc > 1) snprintf(from, sizeof from, "%s", argv[1]);
    FILE *in = fopen(from, "rb"), *out = place >= 0 ? fdopen(place, "wb") : NULL;
    if (!in || !out) {
        printf("no real clips: %s\n", from);
        unlink(copy);
        return 0;
    }
    static char bytes[1 << 16];
    for (size_t count; (count = fread(bytes, 1, sizeof bytes, in)) > 0;)
        if (fwrite(bytes, 1, count, out) != count) return 3;
    fclose(in);
    if (fclose(out) || marey_ctx_open(NULL, &ctx)) return 3;
    int count = load(ctx, copy, poses, clips);
    unlink(copy);
    /* Nothing is to be found of transitions and plants: matching uses neither. */
    marey_contacts *contacts = calloc((size_t)count, sizeof *contacts);
    marey_graph_def def = { .threshold = 1e-6, .fps = 30 };
    double start = bench_cpu_s();
    need(marey_graph_build(ctx, clips, count, contacts, &def, &graph, &error), &error);
    double built = bench_cpu_s();
    need(marey_matching_build(ctx, graph, NULL, &matching, &error), &error);
    printf("%d clips, %d frames, %d poses\n", count, marey_graph_originals(graph),
           marey_matching_poses(matching));
    bench_figure("taking the frames", built - start, "s", 0, false);
    double took = bench_cpu_s() - built;
    bench_figure("building the matching", took, "s", 0, false);
    bench_figure("of 36,000 poses", took * 36000 / marey_matching_poses(matching), "s", 1, false);
    bench_figure("its memory", (double)marey_matching_bytes(matching) / 1e6, "MB", 0, false);
    measure(ctx, matching);
    marey_matching_free(matching);
    marey_graph_free(graph);
    for (int i = 0; i < count; i++) marey_clip_free((marey_clip *)(uintptr_t)clips[i]);
    free(contacts);
    marey_ctx_close(ctx);
    return 0;
}
