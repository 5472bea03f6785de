/* part_finer.c - "cluster graphs provide a level of granularity smaller than those of motion
   graphs": from how many moments of a clip one can go over to another, by cluster graphs and by
   motion graphs, and how long one has to wait for it. */
#include "clusters_parts.h"

#include <math.h>
#include <string.h>

static const double TENTH_S = 0.1; /* moments closer to each other than this are one */

typedef struct leaving {
    double moments; /* on the mean, of a clip to each other clip that can be reached at all */
    int pairs;      /* ordered pairs of clips with at least one */
    double
        wait_s; /* mean time from any frame to the next moment for the same other clip; pairs that have none left out */
    double any_wait_s; /* .. to any other clip; of frames that can wait for one */
    double covered;    /* share of frames with a moment to any other clip within half a second */
} leaving;

/* can[clip][other][frame at 30 Hz] */
typedef struct moments {
    int clips, frames[LAB_MOST_CLIPS];
    uint8_t *can[LAB_MOST_CLIPS][LAB_MOST_CLIPS];
    uint8_t *any[LAB_MOST_CLIPS];
} moments;

static void moments_open(moments *m, const lab_set *set)
{
    m->clips = set->count;
    for (int c = 0; c < set->count; c++) {
        m->frames[c] =
            (int)(marey_clip_frames(set->clips[c]) / marey_clip_fps(set->clips[c]) * 30) + 2;
        m->any[c] = calloc((size_t)m->frames[c], 1);
        for (int o = 0; o < set->count; o++) m->can[c][o] = calloc((size_t)m->frames[c], 1);
    }
}

static void moments_free(moments *m)
{
    for (int c = 0; c < m->clips; c++) {
        free(m->any[c]);
        for (int o = 0; o < m->clips; o++) free(m->can[c][o]);
    }
}

static void put(moments *m, const lab_set *set, int clip, double frame, int other)
{
    int at = (int)(frame / marey_clip_fps(set->clips[clip]) * 30);
    if (clip == other || at >= m->frames[clip]) return;
    m->can[clip][other][at] = 1;
    m->any[clip][at] = 1;
}

/* Moments that are farther apart than a tenth of a second. */
static int count_moments(const uint8_t *can, int frames)
{
    int count = 0, last = -1000;
    for (int f = 0; f < frames; f++) {
        if (!can[f]) continue;
        if (f - last > TENTH_S * 30) count++;
        last = f;
    }
    return count;
}

static double mean_wait(const uint8_t *can, int frames, double *seen)
{
    double sum = 0;
    int next = -1;
    for (int f = frames - 1; f >= 0; f--) {
        if (can[f]) next = f;
        if (next < 0) continue;
        sum += (next - f) / 30.0;
        ++*seen;
    }
    return sum;
}

static leaving measure(const moments *m)
{
    leaving out = { 0 };
    double wait = 0, seen = 0, any = 0, any_seen = 0, near = 0, all = 0;
    for (int c = 0; c < m->clips; c++) {
        for (int o = 0; o < m->clips; o++) {
            int count = count_moments(m->can[c][o], m->frames[c]);
            if (count == 0) continue;
            out.moments += count;
            out.pairs++;
            wait += mean_wait(m->can[c][o], m->frames[c], &seen);
        }
        any += mean_wait(m->any[c], m->frames[c], &any_seen);
        int last = -1000;
        for (int f = 0; f < m->frames[c]; f++) {
            bool close = false;
            if (m->any[c][f]) last = f;
            for (int g = f; g < m->frames[c] && g <= f + 15 && !close; g++) close = m->any[c][g];
            near += close || f - last <= 15;
            all++;
        }
    }
    if (out.pairs) out.moments /= out.pairs;
    out.wait_s = seen > 0 ? wait / seen : NAN;
    out.any_wait_s = any_seen > 0 ? any / any_seen : NAN;
    out.covered = all > 0 ? near / all : 0;
    return out;
}

static void print_row(const char *what, const leaving *l, int of)
{
    printf("| %s | %d of %d | %.1f | %.2f | %.2f | %.0f %% |\n", what, l->pairs, of, l->moments,
           l->wait_s, l->any_wait_s, 100 * l->covered);
}

/* Each sequence of a node can be left, at one moment, for each other clip of the node. */
static void by_clusters(const lab *of, const lab_set *set, double threshold, marey_link link)
{
    moments m;
    marey_clusters *graph = NULL;
    marey_error error;
    int nodes, sequences;
    char what[96];
    marey_clusters_def def = { .link = link, .threshold = threshold };
    lab_need(marey_clusters_build(of->ctx, (const marey_clip *const *)set->clips, set->count, &def,
                                  &graph, &error),
             &error);
    moments_open(&m, set);
    const marey_cluster_node *node = marey_clusters_nodes(graph, &nodes);
    const marey_cluster_sequence *s = marey_clusters_sequences(graph, &sequences);
    for (int n = 0; n < nodes; n++) {
        for (int i = node[n].first; i < node[n].first + node[n].sequences; i++) {
            for (int j = node[n].first; j < node[n].first + node[n].sequences; j++) {
                marey_cluster_switch best;
                int found = 0;
                if (s[i].clip == s[j].clip) continue;
                lab_need(marey_clusters_switches(of->ctx, graph, i, j, 1, &best, &found, &error),
                         &error);
                if (found) put(&m, set, s[i].clip, best.from, s[j].clip);
            }
        }
    }
    leaving l = measure(&m);
    snprintf(what, sizeof what, "cluster graph, %s link, %g cm2", marey_link_name(link), threshold);
    print_row(what, &l, set->count * (set->count - 1));
    moments_free(&m);
    marey_clusters_free(graph);
}

static void by_graph(const lab *of, const lab_set *set, double threshold, bool one)
{
    moments m;
    marey_error error;
    char what[96];
    int count;
    marey_graph *graph = NULL;
    marey_graph_def def = { .threshold = threshold, .smooth = true };
    static float best[LAB_MOST_CLIPS][LAB_MOST_CLIPS];
    static double where[LAB_MOST_CLIPS][LAB_MOST_CLIPS];
    lab_need(marey_graph_build(of->ctx, (const marey_clip *const *)set->clips, set->count, NULL,
                               &def, &graph, &error),
             &error);
    moments_open(&m, set);
    for (int a = 0; a < set->count; a++)
        for (int b = 0; b < set->count; b++) best[a][b] = INFINITY;
    const marey_graph_transition *t = marey_graph_transitions(graph, &count);
    for (int i = 0; i < count; i++) {
        marey_graph_node from = marey_graph_node_of(graph, t[i].from),
                         to = marey_graph_node_of(graph, t[i].to);
        if (!one) put(&m, set, from.clip, from.frame, to.clip);
        if (t[i].distance < best[from.clip][to.clip]) {
            best[from.clip][to.clip] = t[i].distance;
            where[from.clip][to.clip] = from.frame;
        }
    }
    for (int a = 0; a < set->count && one; a++) {
        for (int b = 0; b < set->count; b++) {
            if (isfinite(best[a][b])) put(&m, set, a, where[a][b], b);
        }
    }
    leaving l = measure(&m);
    snprintf(what, sizeof what,
             one ? "one transition for each two clips, %g cm2" : "motion graph, %g cm2", threshold);
    print_row(what, &l, set->count * (set->count - 1));
    moments_free(&m);
    marey_graph_free(graph);
}

void part_finer(const lab *of)
{
    static const char *names[] = { "locomotion", "c3_mixed" };
    for (int i = 0; i < 2; i++) {
        static lab_set set;
        set = (lab_set){ 0 };
        lab_load(of, names[i], i == 1 ? 60 : 0, &set);
        printf("\n## Where clips can be left: %s, %d clips\n\nMoments a tenth of a second apart "
               "count as one.\n\n"
               "| by | pairs of clips | moments for each | wait for one clip, s | for any, s | "
               "frames with one within "
               "0.5 s |\n|---|---|---|---|---|---|\n",
               names[i], set.count);
        by_graph(of, &set, 30, true);
        by_graph(of, &set, 30, false);
        by_graph(of, &set, 100, false);
        for (double threshold = 30; threshold < 400; threshold *= 2)
            by_clusters(of, &set, threshold, MAREY_LINK_COMPLETE);
        by_clusters(of, &set, 15, MAREY_LINK_SINGLE);
        lab_set_free(&set);
    }
}
