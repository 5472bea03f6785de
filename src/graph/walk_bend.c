/* walk_bend.c - a walk bends towards its path: the body is turned a little about where it stands
   while it goes on, as a driver turns a wheel, so that people who were captured walking straight, or
   round one bend, can follow any path that is not too tight (motion path editing: Gleicher 2001).

   It steers for a point of the path a little ahead (pure pursuit: Coulter 1992): the circle that leads
   there from where the body goes has the curvature 2 sin(off) / distance. What the captured motion
   turns by itself is taken from that; what is left is added, by so much a centimetre that the body
   goes, and never more than the walk's tightest bend, or than its speed allows: who stands is not
   turned, and who runs hardly. It changes over a fifth of a second, so that nothing starts to turn at
   once. Turning costs the more the faster it is: what was captured turning is preferred, and slow
   walking in tight bends.

   The body is turned about where it was the frame before. So every step is as long as it was
   captured, and the bound of the search holds as it is. */
#include "graph/walk_path.h"

#include <math.h>

#define PI 3.14159265358979323846
#define AHEAD_CM 60.0
#define SETTLE_S 0.2
#define RATE_CM 2.0 /* what a frame costs for a turn of 1 radian a second */
#define ROOM                                                                                       \
    1.2 /* a path is to be so much wider than the tightest bend, so that there is room to
                       correct */
/* Driven harder than that to the side a body would have to lean as no one did in the clips. */
#define MOST_CM_S2 300.0
#define LOOK_S 0.5     /* how a node goes is seen over so long on either side */
#define STANDS_CM_S 20 /* slower than that it does not go anywhere */

bool mry_tracks_find_goings(mry_tracks *tracks, mry_arena *mem)
{
    const marey_graph *graph = tracks->graph;
    tracks->goings = MRY_NEW(mem, mry_going, graph->nodes);
    if (!tracks->goings) return false;
    int half = (int)fmax(round(LOOK_S * graph->fps), 1);
    for (int n = 0; n < graph->nodes; n++) {
        int a = n, b = n, before = 0, behind = 0;
        for (; before < half && graph->before[a] >= 0; before++) a = graph->before[a];
        for (; behind < half && graph->next[b] >= 0; behind++) b = graph->next[b];
        mry_vec from = mry_node_at(graph, a), at = mry_node_at(graph, n),
                to = mry_node_at(graph, b);
        double x = to.x - from.x, z = to.z - from.z, way = hypot(x, z);
        if (before + behind == 0 || way * graph->fps / (before + behind) < STANDS_CM_S) continue;
        mry_going *going = &tracks->goings[n];
        going->heading = (float)atan2(x, z);
        going->step = (float)(way / (before + behind));
        double first = hypot(at.x - from.x, at.z - from.z), last = hypot(to.x - at.x, to.z - at.z);
        if (before < half || behind < half || first < 0.25 * way || last < 0.25 * way) continue;
        double turn = atan2(to.x - at.x, to.z - at.z) - atan2(at.x - from.x, at.z - from.z);
        going->curve = (float)(remainder(turn, 2 * PI) / (0.5 * (first + last)));
    }
    return true;
}

double mry_path_tightest(const marey_walk_def *def)
{
    if (isinf(def->bend_cm)) return 0;
    return def->bend_cm > 0 ? def->bend_cm : MAREY_WALK_BEND_CM;
}

double mry_path_radius(const mry_tracks *tracks, const marey_walk_def *def)
{
    double tightest = mry_path_tightest(def);
    if (!(tightest > 0)) return 0;
    return ROOM * fmax(tightest, tracks->usual * tracks->usual / MOST_CM_S2);
}

double mry_path_steer(const mry_path_task *task, mry_path_at *at, int node)
{
    const mry_tracks *tracks = task->tracks;
    const mry_going *going = &tracks->goings[node];
    double aim = 0, step = (double)going->step, fps = tracks->graph->fps;
    if (step > 0) {
        double speed = step * fps, most = 1 / fmax(task->bend_cm, speed * speed / MOST_CM_S2);
        double heading = (double)going->heading + at->place.angle;
        aim = mry_floor_path_steer(task->path, at->arc, AHEAD_CM, at->x, at->z, heading);
        aim = fmin(fmax(aim - (double)going->curve, -most), most);
    }
    at->bend += (aim - at->bend) * fmin(1 / (SETTLE_S * fps), 1);
    return at->bend * step;
}

double mry_path_bend_cost(const mry_path_task *task, const mry_path_at *at)
{
    double rate = at->turned * task->tracks->graph->fps;
    return task->tracks->frame * RATE_CM * rate * rate;
}
