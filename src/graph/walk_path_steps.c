/* walk_path_steps.c - going along a path from one place of choice to the next, frame by frame.

   The path point that belongs to a frame is the nearest one ahead of that of the frame before, not farther ahead than a
   little more than the step that the body made: so a path that crosses itself is gone through in its order, and a body
   that cuts a corner is led back to where it left, and not round it. */
#include "graph/walk_path.h"

#include <math.h>

#define NEAR_END_CM 1.0

mry_path_task mry_path_begin(const mry_tracks *tracks, const mry_floor_path *path)
{
    return (mry_path_task){ .tracks = tracks,
                            .path = path,
                            .goal = fmax(path->length - NEAR_END_CM, 0.5 * path->length) };
}

static void lay(mry_path_at *at, mry_floor place)
{
    at->place = place;
    at->turn_cos = cos(place.angle);
    at->turn_sin = sin(place.angle);
}

static void arrive(const mry_path_task *task, mry_path_at *at, int node)
{
    const mry_tracks *tracks = task->tracks;
    mry_vec body = mry_node_at(tracks->graph, node);
    double c = at->turn_cos, s = at->turn_sin;
    double x = body.x * c + body.z * s + at->place.x, z = body.z * c - body.x * s + at->place.z;
    double step = sqrt((x - at->x) * (x - at->x) + (z - at->z) * (z - at->z));
    at->arc = mry_floor_path_follow(task->path, at->arc, MRY_PATH_GAIN * step, x, z, &at->away);
    double face_x = tracks->face_x[node], face_z = tracks->face_z[node], ahead_x, ahead_z, look = 0;
    if (face_x != 0 || face_z != 0) {
        mry_floor_path_ahead(task->path, at->arc, &ahead_x, &ahead_z);
        look = 1 - ((face_x * c + face_z * s) * ahead_x + (face_z * c - face_x * s) * ahead_z);
    }
    double off = at->away * at->away / (at->away + MRY_PATH_SOFT_CM);
    if (mry_path_done(task, at->arc)) off *= MRY_PATH_END_FRAMES;
    at->cost +=
        tracks->frame * (off + MRY_PATH_LOOK_CM * fmax(look, 0)) + (double)tracks->pace[node];
    at->node = node;
    at->x = x;
    at->z = z;
}

/* On from a node that was reached, until so many frames are gone and there is a choice, or the end of the path or of
   the sequence. */
static void go_on(const mry_path_task *task, mry_path_at *at, int frames, mry_path_seen seen,
                  void *user)
{
    const mry_tracks *tracks = task->tracks;
    const int *next = tracks->graph->next;
    if (seen) seen(user, at);
    for (int k = 1; !mry_path_done(task, at->arc); k++) {
        int to = next[at->node];
        if (k >= frames && tracks->choice[at->node]) return;
        if (to < 0 || !tracks->ways->use[to]) return;
        arrive(task, at, to);
        if (seen) seen(user, at);
    }
}

mry_path_at mry_path_start(const mry_path_task *task, int node, mry_path_seen seen, void *user)
{
    const marey_graph *graph = task->tracks->graph;
    const mry_floor_path *path = task->path;
    mry_vec body = mry_node_at(graph, node);
    double x, z;
    mry_tracks_heading(task->tracks, node, &x, &z);
    double angle = atan2(path->tx[0], path->tz[0]) - atan2(x, z);
    mry_floor_turn(angle, &body.x, &body.z);
    mry_path_at at = { .node = node, .x = path->x[0], .z = path->z[0] };
    lay(&at, (mry_floor){ angle, path->x[0] - body.x, path->z[0] - body.z });
    arrive(task, &at, node);
    go_on(task, &at, task->tracks->run, seen, user);
    return at;
}

mry_path_at mry_path_stand(const mry_path_task *task, int node, mry_floor place, double arc,
                           double cost)
{
    mry_vec body = mry_node_at(task->tracks->graph, node);
    mry_path_at at = { .node = node, .x = body.x, .z = body.z, .arc = arc, .cost = cost };
    lay(&at, place);
    mry_floor_apply(place, &at.x, &at.z);
    return at;
}

bool mry_path_step(const mry_path_task *task, mry_path_at *at, int transition, mry_path_seen seen,
                   void *user)
{
    const mry_tracks *tracks = task->tracks;
    const marey_graph *graph = tracks->graph;
    int to = transition >= 0 ? graph->transitions[transition].to : graph->next[at->node];
    if (to < 0 || !tracks->ways->use[to]) return false;
    if (transition >= 0) {
        lay(at, mry_floor_times(at->place, graph->places[transition]));
        at->cost += tracks->join + tracks->poor * (double)graph->transitions[transition].distance;
    }
    arrive(task, at, to);
    go_on(task, at, transition >= 0 ? tracks->run : 1, seen, user);
    return true;
}
