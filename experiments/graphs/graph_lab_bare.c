/* graph_lab_bare.c - see graph_lab.h: transitions as they are, without the spreading that walks and
   controllers do. */
#include "graph_lab.h"

#include <math.h>

enum { MOST_LOOKED_AT = 40000 };
#define WINDOW_S 0.2  /* around a transition */
#define STILL_CM_S 30 /* slower steps do not count */

typedef struct bodies {
    const marey_graph *graph;
    int joints;
    float *positions; /* nodes x joints x 3 */
} bodies;

static const float *body(const bodies *of, int node)
{
    return of->positions + (size_t)node * (size_t)of->joints * 3;
}

/* The largest step of any joint from p to q, which is laid behind it first. */
static double step_between(const bodies *of, int p, int q, marey_placement place)
{
    const float *a = body(of, p), *b = body(of, q);
    double c = cos(place.angle_rad), s = sin(place.angle_rad), most = 0;
    for (int j = 0; j < of->joints; j++, a += 3, b += 3) {
        double x = b[0] * c + b[2] * s + place.x_cm - a[0], y = (double)b[1] - a[1];
        double z = -b[0] * s + b[2] * c + place.z_cm - a[2];
        double squared = x * x + y * y + z * z;
        if (squared > most) most = squared; /* gcc 12 fails at fmax here */
    }
    return sqrt(most);
}

/* The largest step of the motion that a node is of, near it. */
static double own_step(const bodies *of, int node, int around)
{
    double most = 0;
    for (int k = 0, n = node; k < around; k++) {
        int before = marey_graph_node_of(of->graph, n).before;
        if (before < 0) break;
        most = fmax(most, step_between(of, before, n, (marey_placement){ 0 }));
        n = before;
    }
    for (int k = 0, n = node; k < around; k++) {
        int next = marey_graph_node_of(of->graph, n).next;
        if (next < 0) break;
        most = fmax(most, step_between(of, n, next, (marey_placement){ 0 }));
        n = next;
    }
    return most;
}

double lab_bare_percent(const marey_graph *graph)
{
    int count, smooth = 0, looked_at = 0, nodes = marey_graph_nodes(graph);
    const marey_clip *motion = marey_graph_motion(graph);
    const marey_graph_transition *t = marey_graph_transitions(graph, &count);
    bodies of = { .graph = graph, .joints = marey_clip_skeleton(motion)->joint_count };
    int around = (int)lround(WINDOW_S * marey_graph_fps(graph));
    if (count == 0) return 100;
    of.positions = malloc((size_t)nodes * (size_t)of.joints * 3 * sizeof *of.positions);
    if (!of.positions) exit(1);
    marey_clip_positions_float(motion, 0, nodes, of.positions);
    for (int i = 0; i < count; i += 1 + count / MOST_LOOKED_AT) {
        double own = fmax(own_step(&of, t[i].from, around), own_step(&of, t[i].to, around));
        own = fmax(own, STILL_CM_S / marey_graph_fps(graph));
        double made =
            step_between(&of, t[i].from, t[i].to, marey_graph_place(graph, t[i].from, t[i].to));
        smooth += made <= MAREY_GRAPH_JUMP * own;
        looked_at++;
    }
    free(of.positions);
    return 100.0 * smooth / looked_at;
}
