/* fades.c - what differs at a transition fades away behind it. Where a controller will go is not
   known before, so all of the difference is behind the transition, and lasts as long as it would on
   both sides.

   Every transition has a difference of its own, between the nodes as they are, and a time of its
   own; what is shown is the node and the sum of what is left. So transitions that follow fast on
   each other neither pile up nor stop each other's fading. */
#include "control/control_data.h"
#include "feature/feature_data.h"
#include "math/quat.h"

#include <string.h>

/* A pose: that of a node, or, as far beyond it as it is from another one, a frame that is not
   there. */
typedef struct fade_pose {
    int node, away_from; /* -1: the node itself */
    mry_floor laid;
    const marey_clip *clip; /* whose frames the two are; NULL: the graph's motion */
} fade_pose;

static mry_rot turn_of(const marey_clip *clip, int frame, int joint)
{
    const float *q = mry_turn(clip, frame) + 4 * joint;
    return (mry_rot){ q[0], q[1], q[2], q[3] };
}

static mry_rot pose_turn(const marey_graph *graph, const fade_pose *p, int joint)
{
    const marey_clip *clip = p->clip ? p->clip : graph->motion;
    mry_rot turn = turn_of(clip, p->node, joint);
    if (p->away_from >= 0) {
        mry_rot back = mry_rot_back(turn_of(clip, p->away_from, joint));
        turn = mry_rot_times(mry_rot_times(turn, back), turn);
    }
    if (joint != graph->body.joint) return turn;
    if (joint > 0) turn = mry_rot_times(turn_of(clip, p->node, 0), turn);
    return mry_rot_times(mry_rot_about(0, 1, 0, p->laid.angle), turn);
}

static void pose_place(const marey_graph *graph, const fade_pose *p, double *out)
{
    const marey_clip *clip = p->clip ? p->clip : graph->motion;
    mry_vec at = mry_carrier_at(&graph->body, clip, p->node);
    if (p->away_from >= 0) {
        mry_vec other = mry_carrier_at(&graph->body, clip, p->away_from);
        at = mry_vec_add(at, mry_vec_sub(at, other));
    }
    mry_floor_apply(p->laid, &at.x, &at.z);
    out[0] = at.x;
    out[1] = at.y;
    out[2] = at.z;
}

void mry_fades_add(mry_fades *fades, int transition, mry_floor start, mry_floor end)
{
    const marey_graph *graph = fades->graph;
    const marey_graph_transition *over = &graph->transitions[transition];
    if (graph->half[transition] == 0) return;
    mry_fade *fade = &fades->items[fades->count++];
    fade_pose was = { .laid = start }, is = { .laid = end };
    /* Two poses that are meant to be the same: where the motion was and what is laid on it. Nodes
       beside a transition may have been left out of the graph; then it is the next frame of both,
       seen or reckoned. */
    was.node = over->from;
    is.node = over->to;
    was.away_from = is.away_from = -1;
    if (graph->before[over->to] >= 0) {
        is.node = graph->before[over->to];
    } else if (graph->next[over->from] >= 0) {
        was.node = graph->next[over->from];
    } else if (graph->before[over->from] >= 0) {
        was.away_from = graph->before[over->from];
    } else {
        is.away_from = graph->next[over->to];
    }
    fade->age = 1;
    fade->half = 2 * graph->half[transition];
    double a[3], b[3];
    pose_place(graph, &was, a);
    pose_place(graph, &is, b);
    for (int i = 0; i < 3; i++) fade->place[i] = a[i] - b[i];
    for (int j = 0; j < graph->motion->skeleton.joint_count; j++) {
        mry_rot back = mry_rot_back(pose_turn(graph, &is, j));
        mry_vec off = mry_rot_log(mry_rot_times(pose_turn(graph, &was, j), back));
        fade->turn[3 * j] = (float)off.x;
        fade->turn[3 * j + 1] = (float)off.y;
        fade->turn[3 * j + 2] = (float)off.z;
    }
}

bool mry_fades_open(mry_fades *fades, mry_arena *mem, const marey_graph *graph)
{
    int longest = 0, joints = graph->motion->skeleton.joint_count;
    for (int i = 0; i < graph->transition_count; i++) {
        if (graph->half[i] > longest) longest = graph->half[i];
    }
    /* One is added a frame at most. */
    *fades = (mry_fades){ .graph = graph, .room = 2 * longest + 1 };
    fades->items = MRY_NEW(mem, mry_fade, fades->room);
    fades->sum = MRY_NEW(mem, float, 3 * (size_t)joints);
    float *turns = MRY_NEW(mem, float, (size_t)fades->room *(size_t)joints * 3);
    if (!fades->items || !fades->sum || !turns) return false;
    for (int i = 0; i < fades->room; i++)
        fades->items[i].turn = turns + (size_t)i * (size_t)joints * 3;
    return true;
}

void mry_fades_age(mry_fades *fades)
{
    int kept = 0;
    for (int i = 0; i < fades->count; i++) {
        mry_fade one = fades->items[i];
        if (++one.age > one.half) continue;
        /* Each keeps room for turns of its own. */
        float *free_room = fades->items[kept].turn;
        fades->items[i].turn = free_room;
        fades->items[kept++] = one;
    }
    fades->count = kept;
}

/* Every joint by a rotation vector of its own. */
static void turn_joints(const float *by, int joints, float *turns)
{
    for (int j = 0; j < joints; j++) {
        const float *vector = by + 3 * j;
        float *turn = turns + 4 * j;
        float angle = sqrtf(vector[0] * vector[0] + vector[1] * vector[1] + vector[2] * vector[2]);
        float half = 0.5f * angle, share = angle > 1e-6f ? sinf(half) / angle : 0.5f;
        float one[4] = { cosf(half), share * vector[0], share * vector[1], share * vector[2] };
        mry_quat_multiply(one, turn, turn);
        mry_quat_normalize(turn);
    }
}

void mry_fades_apply(mry_fades *fades, double *places, float *turns)
{
    int joints = fades->graph->motion->skeleton.joint_count;
    double *at = places + 3 * fades->graph->body.joint;
    if (fades->count == 0) return;
    memset(fades->sum, 0, 3 * (size_t)joints * sizeof *fades->sum);
    for (int i = 0; i < fades->count; i++) {
        const mry_fade *one = &fades->items[i];
        double left = mry_spread(one->age, one->half);
        for (int k = 0; k < 3; k++) at[k] += left * one->place[k];
        for (int k = 0; k < 3 * joints; k++) fades->sum[k] += (float)left * one->turn[k];
    }
    turn_joints(fades->sum, joints, turns);
}

/* ---- differences between any two poses ------------------------------------------------------- */

bool mry_inertia_open(mry_inertia *inertia, mry_arena *mem, const marey_graph *graph)
{
    size_t joints = (size_t)graph->motion->skeleton.joint_count;
    *inertia = (mry_inertia){ .graph = graph };
    inertia->turn = MRY_NEW(mem, float, 3 * joints);
    inertia->turn_speed = MRY_NEW(mem, float, 3 * joints);
    return inertia->turn && inertia->turn_speed;
}

/* What is shown goes on as it was, place and velocity, and comes to the new motion. */
void mry_inertia_add(mry_inertia *inertia, mry_posed from, mry_posed to)
{
    const marey_graph *g = inertia->graph;
    const fade_pose here[2] = { { from.frame, -1, from.laid, from.clip },
                                { to.frame, -1, to.laid, to.clip } };
    const mry_posed *given[2] = { &from, &to };
    fade_pose beside[2];
    double at[2][3], step[2][3], rate[2];
    for (int i = 0; i < 2; i++) {
        /* The frame before each tells how fast it is; where there is none, the one behind. */
        int frame = given[i]->frame, before = frame - 1;
        int next = given[i]->clip && frame + 1 < given[i]->clip->frames ? frame + 1 : -1;
        if (!given[i]->clip) {
            before = g->before[frame];
            next = g->next[frame];
        }
        beside[i] = here[i];
        beside[i].node = before >= 0 ? before : next >= 0 ? next : frame;
        rate[i] = before >= 0 ? g->fps : -g->fps;
        pose_place(g, &here[i], at[i]);
        pose_place(g, &beside[i], step[i]);
    }
    for (int k = 0; k < 3; k++) {
        inertia->place[k] += at[0][k] - at[1][k];
        inertia->place_speed[k] +=
            (at[0][k] - step[0][k]) * rate[0] - (at[1][k] - step[1][k]) * rate[1];
    }
    for (int j = 0; j < g->motion->skeleton.joint_count; j++) {
        float *turn = inertia->turn + 3 * j, *speed = inertia->turn_speed + 3 * j;
        mry_rot is[2];
        for (int i = 0; i < 2; i++) {
            is[i] = pose_turn(g, &here[i], j);
            mry_rot back = mry_rot_back(pose_turn(g, &beside[i], j));
            mry_vec by = mry_rot_log(mry_rot_times(is[i], back));
            double share = i == 0 ? rate[i] : -rate[i];
            speed[0] += (float)(share * by.x);
            speed[1] += (float)(share * by.y);
            speed[2] += (float)(share * by.z);
        }
        double x = (double)turn[0], y = (double)turn[1], z = (double)turn[2];
        double angle = sqrt(x * x + y * y + z * z);
        if (angle > 1e-9)
            is[0] = mry_rot_times(mry_rot_about(x / angle, y / angle, z / angle, angle), is[0]);
        mry_vec off = mry_rot_log(mry_rot_times(is[0], mry_rot_back(is[1])));
        turn[0] = (float)off.x;
        turn[1] = (float)off.y;
        turn[2] = (float)off.z;
    }
}

void mry_inertia_age(mry_inertia *inertia, double half_life_s)
{
    double dt = 1 / inertia->graph->fps, y = 2 * log(2) / half_life_s, left = exp(-y * dt);
    for (int k = 0; k < 3; k++) {
        double pull = inertia->place_speed[k] + y * inertia->place[k];
        inertia->place[k] = left * (inertia->place[k] + pull * dt);
        inertia->place_speed[k] = left * (inertia->place_speed[k] - pull * y * dt);
    }
    float step = (float)dt, damp = (float)y, rest = (float)left;
    for (int k = 0; k < 3 * inertia->graph->motion->skeleton.joint_count; k++) {
        float *turn = &inertia->turn[k], *speed = &inertia->turn_speed[k];
        float pull = *speed + damp * *turn;
        *turn = rest * (*turn + pull * step);
        *speed = rest * (*speed - pull * damp * step);
        if (fabsf(*turn) + fabsf(*speed) < 1e-8f) *turn = *speed = 0; /* tiny numbers are slow */
    }
}

void mry_inertia_apply(const mry_inertia *inertia, double *places, float *turns)
{
    const marey_graph *g = inertia->graph;
    for (int k = 0; k < 3; k++) places[3 * g->body.joint + k] += inertia->place[k];
    turn_joints(inertia->turn, g->motion->skeleton.joint_count, turns);
}
