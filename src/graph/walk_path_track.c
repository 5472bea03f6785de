/* walk_path_track.c - what a walk along a path costs, as far as it does not depend on the path.

   A frame costs, in centimetres: how far the body is from the path point that belongs to it, where the few centimetres
   that a body sways as it walks count little; a little for its time; more if
   it is faster or slower than the graph's motions usually go, so that nobody runs where a walk will do or stands about;
   and more if the body looks elsewhere than along the path, so that nobody walks it backwards. A transition costs a
   little, and more the farther apart its frames are.

   The bound. Let a frame be reached by a step of the body of length l, at a pace cost c. The path point that belongs to it
   gains at most GAIN * l (that is how it is found, walk_path_steps.c). Everything else in the cost is not negative, so a
   frame costs at least c. With least = min c / (GAIN * l) over all steps that the graph has, a frame costs at least least
   for every centimetre that its path point gains: c >= least * GAIN * l >= least * gain. The gains of the frames that are
   left add up to at least goal - arc, so what is left costs at least least * (goal - arc). Steps are the same
   wherever a walk stands: turns and shifts keep lengths. */
#include "graph/walk_path.h"

#include <math.h>
#include <stdlib.h>

#define TIME_CM 4.0
#define HURRY_CM 20.0   /* for twice the usual speed, or none .. */
#define HURRY_FREE 0.25 /* .. beyond so much of it, which is free */
#define JOIN_CM 100.0
#define POOR_CM 100.0 /* for a transition whose distance is the threshold */
#define STANDS_CM_S 20.0
#define HEADING_S 0.5
#define PACE_S 0.25 /* the speed is taken over so long on either side: a body that walks sways */
#define STANDS_CM 10.0
#define COST_FPS 30.0

/* ---- where it looks ---------------------------------------------------------------------------------- */

/* Across the hips, or the shoulders if a skeleton does not tell its hips; turned by a quarter that is ahead. */
static bool find_pair(const marey_skeleton *skeleton, int *left, int *right)
{
    *left = skeleton->roles[MAREY_ROLE_LEFT_HIP];
    *right = skeleton->roles[MAREY_ROLE_RIGHT_HIP];
    if (*left >= 0 && *right >= 0) return true;
    *left = skeleton->roles[MAREY_ROLE_LEFT_SHOULDER];
    *right = skeleton->roles[MAREY_ROLE_RIGHT_SHOULDER];
    return *left >= 0 && *right >= 0;
}

static void look(mry_tracks *tracks, int node, const float *left, const float *right)
{
    double x = (double)right[2] - left[2], z = (double)left[0] - right[0], size = hypot(x, z);
    if (!(size > 0)) return;
    tracks->face_x[node] = (float)(x / size);
    tracks->face_z[node] = (float)(z / size);
}

static bool find_faces(mry_tracks *tracks, mry_arena *mem)
{
    enum { AT_ONCE = 64 };
    const marey_graph *graph = tracks->graph;
    const marey_skeleton *skeleton = &graph->motion->skeleton;
    int left, right;
    if (!find_pair(skeleton, &left, &right)) return true;
    size_t row = (size_t)skeleton->joint_count * 3;
    float *positions = MRY_NEW_RAW(mem, float, AT_ONCE *row);
    if (!positions) return false;
    for (int first = 0; first < graph->nodes; first += AT_ONCE) {
        int count = graph->nodes - first < AT_ONCE ? graph->nodes - first : AT_ONCE;
        marey_clip_positions_float(graph->motion, first, count, positions);
        for (int k = 0; k < count; k++) {
            const float *body = positions + row * (size_t)k;
            look(tracks, first + k, body + 3 * left, body + 3 * right);
        }
    }
    return true;
}

void mry_tracks_heading(const mry_tracks *tracks, int node, double *x, double *z)
{
    const marey_graph *graph = tracks->graph;
    int end = node;
    for (int k = (int)lround(HEADING_S * graph->fps); k > 0 && graph->next[end] >= 0; k--)
        end = graph->next[end];
    mry_vec from = mry_node_at(graph, node), to = mry_node_at(graph, end);
    *x = to.x - from.x;
    *z = to.z - from.z;
    double size = hypot(*x, *z);
    if (size < STANDS_CM && (tracks->face_x[node] != 0 || tracks->face_z[node] != 0)) {
        *x = tracks->face_x[node];
        *z = tracks->face_z[node];
    } else {
        *x = size > 0 ? *x / size : 0;
        *z = size > 0 ? *z / size : 1;
    }
}

/* ---- how fast it is ------------------------------------------------------------------------------------ */

/* cm/s around a node. */
static double speed_at(const marey_graph *graph, int node)
{
    int half = (int)lround(PACE_S * graph->fps), a = node, b = node, frames = 0;
    if (half < 1) half = 1;
    for (int k = 0; k < half && graph->before[a] >= 0; k++, frames++) a = graph->before[a];
    for (int k = 0; k < half && graph->next[b] >= 0; k++, frames++) b = graph->next[b];
    if (frames == 0) return 0;
    mry_vec from = mry_node_at(graph, a), to = mry_node_at(graph, b);
    return hypot(to.x - from.x, to.z - from.z) * graph->fps / frames;
}

static int by_size(const void *left, const void *right)
{
    const float *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

/* What those that move usually do: the median. 0: nobody moves. */
static double usual_speed(const mry_tracks *tracks, float *room)
{
    int count = 0;
    for (int n = 0; n < tracks->graph->nodes; n++) {
        if (tracks->ways->use[n] && (double)tracks->pace[n] > STANDS_CM_S)
            room[count++] = tracks->pace[n];
    }
    qsort(room, (size_t)count, sizeof *room, by_size);
    return count ? (double)room[count / 2] : 0;
}

static bool find_paces(mry_tracks *tracks, mry_arena *mem)
{
    const marey_graph *graph = tracks->graph;
    float *room = MRY_NEW_RAW(mem, float, graph->nodes);
    if (!room) return false;
    for (int n = 0; n < graph->nodes; n++) tracks->pace[n] = (float)speed_at(graph, n);
    double usual = usual_speed(tracks, room);
    for (int n = 0; n < graph->nodes; n++) {
        double off = usual > 0 ? fabs((double)tracks->pace[n] / usual - 1) - HURRY_FREE : 0;
        tracks->pace[n] = (float)(tracks->frame * (TIME_CM + HURRY_CM * fmax(off, 0)));
    }
    return true;
}

/* ---- transitions, and the bound ---------------------------------------------------------------------------- */

static void count_step(mry_tracks *tracks, int from, int to, mry_floor by)
{
    const marey_graph *graph = tracks->graph;
    mry_vec was = mry_node_at(graph, from), is = mry_node_at(graph, to);
    mry_floor_apply(by, &is.x, &is.z);
    double step = hypot(is.x - was.x, is.z - was.z);
    if (step > 0) tracks->least = fmin(tracks->least, tracks->pace[to] / (MRY_PATH_GAIN * step));
}

static void find_bound(mry_tracks *tracks)
{
    const marey_graph *graph = tracks->graph;
    const uint8_t *use = tracks->ways->use;
    tracks->least = INFINITY;
    for (int n = 0; n < graph->nodes; n++) {
        if (!use[n]) continue;
        if (graph->next[n] >= 0 && use[graph->next[n]])
            count_step(tracks, n, graph->next[n], (mry_floor){ 0 });
        for (int i = graph->leaving[n]; i < graph->leaving[n + 1]; i++) {
            int to = graph->transitions[i].to;
            if (!use[to]) continue;
            tracks->choice[n] = 1;
            count_step(tracks, n, to, graph->places[i]);
        }
    }
    /* Numbers are rounded; where nobody moves at all any bound is one. */
    tracks->least = isfinite(tracks->least) ? tracks->least * (1 - 1e-9) : 0;
}

bool mry_tracks_open(mry_tracks *tracks, mry_arena *mem, const mry_ways *ways)
{
    const marey_graph *graph = ways->graph;
    double threshold = graph->def.threshold;
    *tracks = (mry_tracks){ .graph = graph,
                            .ways = ways,
                            .face_x = MRY_NEW(mem, float, graph->nodes),
                            .face_z = MRY_NEW(mem, float, graph->nodes),
                            .pace = MRY_NEW(mem, float, graph->nodes),
                            .choice = MRY_NEW(mem, uint8_t, graph->nodes),
                            .frame = COST_FPS / graph->fps,
                            .join = JOIN_CM,
                            .poor = threshold > 0 ? POOR_CM / threshold : 0,
                            .run = (int)lround(2 * graph->def.spread_s * graph->fps) };
    if (tracks->run < 1) tracks->run = 1;
    if (!tracks->face_x || !tracks->face_z || !tracks->pace || !tracks->choice) return false;
    if (!find_faces(tracks, mem) || !find_paces(tracks, mem)) return false;
    find_bound(tracks);
    return true;
}
