/* controller.c - a character that a program steers: a policy followed frame by frame. Everything it
   needs is taken when it is opened; a step looks a choice up, lays the next node behind the last
   one and adds what is left of differences at transitions. */
#include "base/fail.h"
#include "graph/control_data.h"
#include "math/quat.h"

#include <string.h>

#define PI 3.14159265358979323846
#define UPRIGHT 0.95 /* of the hips' height while walking */

struct marey_controller {
    mry_arena mem;
    const marey_graph *graph;
    const marey_policy *policy;
    bool rough;
    marey_control_input input;
    int node;
    mry_floor laid; /* how the node's sequence lies in the world */
    bool over;      /* the node was reached by a transition */
    mry_fades fades;
    double x, z;    /* where the body is */
    double *places; /* joints x 3 */
    float *turns;   /* joints x 4 */
    int frames, transitions;
    double followed, quality; /* sums */
};

/* Who sits, crouches or lifts a foot does not stand: each counts as moving. */
static int stillest(const marey_graph *graph, const marey_policy *policy)
{
    int best = -1;
    double least = 0, upright = UPRIGHT * mry_upright_cm(graph, policy->moves);
    for (int n = 0; n < graph->nodes; n++) {
        if (!graph->core[n]) continue;
        double moves = mry_move_speed(policy->moves[n]);
        if (mry_node_at(graph, n).y < upright) moves += 100 * MRY_STAND_CM_S;
        for (int i = 0; i < MAREY_CONTACT_LEFT_HAND; i++) { /* the points of the feet */
            if (!(graph->contacts[n] >> i & 1)) moves += MRY_STAND_CM_S;
        }
        if (best >= 0 && moves >= least) continue;
        best = n;
        least = moves;
    }
    return best;
}

marey_status marey_controller_open(marey_ctx *ctx, const marey_graph *graph,
                                   const marey_policy *policy, const marey_controller_def *def,
                                   marey_controller **out, marey_error *error)
{
    static const marey_controller_def none = { 0 };
    if (!def) def = &none;
    /* What is asked for. */
    mry_graph_mark mark = mry_graph_mark_of(graph);
    const char *wrong = NULL;
    if (mark.nodes != policy->mark.nodes || mark.transitions != policy->mark.transitions ||
        mark.hash != policy->mark.hash)
        wrong = "the policy is for another graph";
    else if (def->from_given && (def->from < 0 || def->from >= graph->nodes))
        wrong = "there is no such node to start with";
    else if (def->from_given && !graph->core[def->from])
        wrong = "the node to start with is not in the graph's core";
    else if (!isfinite(def->x_cm) || !isfinite(def->z_cm) || !isfinite(def->direction_rad))
        wrong = "the place to start at is not finite";
    marey_status status = wrong ? mry_fail(error, MAREY_ERR_REQUEST, NULL, "%s", wrong) : MAREY_OK;
    if (status) return status;
    mry_arena mem = mry_arena_make(ctx);
    marey_controller *c = MRY_NEW(&mem, marey_controller, 1);
    if (!c) return mry_fail_memory(error, NULL);
    c->mem = mem;
    c->graph = graph;
    c->policy = policy;
    const marey_skeleton *skeleton = &graph->motion->skeleton;
    size_t joints = (size_t)skeleton->joint_count;
    c->places = MRY_NEW(&c->mem, double, 3 * joints);
    c->turns = MRY_NEW(&c->mem, float, 4 * joints);
    if (!c->places || !c->turns || !mry_fades_open(&c->fades, &c->mem, graph)) {
        marey_controller_free(c);
        return mry_fail_memory(error, NULL);
    }
    for (size_t j = 0; j < joints; j++)
        memcpy(c->places + 3 * j, skeleton->joints[j].offset_cm, 3 * sizeof *c->places);
    /* Where the definition has it. */
    c->node = def->from_given ? def->from : stillest(graph, c->policy);
    mry_vec body = mry_node_at(graph, c->node);
    c->laid.angle =
        remainder(def->direction_rad - (double)c->policy->moves[c->node].facing, 2 * PI);
    mry_floor_turn(c->laid.angle, &body.x, &body.z);
    c->laid.x = def->x_cm - body.x;
    c->laid.z = def->z_cm - body.z;
    c->rough = def->rough;
    *out = c;
    return MAREY_OK;
}

void marey_controller_free(marey_controller *controller)
{
    if (!controller) return;
    mry_arena mem = controller->mem;
    mry_arena_free(&mem);
}

/* A way as mry_policy_choose has it. */
static void go_on(marey_controller *c, int option)
{
    mry_fades_age(&c->fades);
    c->over = false;
    if (option >= 0) {
        /* Over a transition. */
        mry_floor from = c->laid;
        c->laid = mry_floor_times(from, c->graph->places[option]);
        if (!c->rough) mry_fades_add(&c->fades, option, from, c->laid);
        c->laid.angle = remainder(c->laid.angle, 2 * PI);
        c->node = c->graph->transitions[option].to;
        c->over = true;
        c->transitions++;
        c->quality += mry_quality(c->graph, option);
    } else if (option == -1)
        c->node = c->graph->next[c->node];
}

/* The frame of its node, as it is laid, and what is known of it. */
static void show(marey_controller *c, marey_controller_frame *out)
{
    const marey_clip *motion = c->graph->motion;
    const mry_carrier *body = &c->graph->body;
    const double *places = mry_place(motion, c->node);
    double *at = c->places + 3 * body->joint;
    float *turns = c->turns + 4 * body->joint;
    for (int m = 0; m < motion->mover_count; m++)
        memcpy(c->places + 3 * motion->mover[m], places + 3 * m, 3 * sizeof *places);
    memcpy(c->turns, mry_turn(motion, c->node),
           4 * (size_t)motion->skeleton.joint_count * sizeof *c->turns);
    mry_carrier_out(body, at, turns);
    mry_floor_apply(c->laid, &at[0], &at[2]);
    float turn[4] = { (float)cos(c->laid.angle / 2), 0, (float)sin(c->laid.angle / 2), 0 };
    mry_quat_multiply(turn, turns, turns);
    mry_quat_normalize(turns);
    mry_fades_apply(&c->fades, c->places, c->turns);
    c->x = at[0];
    c->z = at[2];
    mry_carrier_in(body, at, turns);
    mry_move move = c->policy->moves[c->node];
    double speed = mry_move_speed(move), seen = (double)move.facing;
    if (speed >= MRY_STAND_CM_S) seen = atan2(-(double)move.z, (double)move.x);
    *out = (marey_controller_frame){ .node = c->node,
                                     .transition = c->over,
                                     .x_cm = c->x,
                                     .z_cm = c->z,
                                     .direction_rad = remainder(seen + c->laid.angle, 2 * PI),
                                     .speed_cm_s = speed,
                                     .places = c->places,
                                     .turns = c->turns };
    c->frames++;
}

void marey_controller_step(marey_controller *controller, const marey_control_input *input,
                           marey_controller_frame *out)
{
    marey_controller *c = controller;
    if (isfinite(input->direction_rad) && isfinite(input->speed_cm_s)) {
        c->input = *input;
        if (c->input.speed_cm_s < 0) c->input.speed_cm_s = 0;
    }
    double seen = c->input.direction_rad - c->laid.angle;
    if (c->frames > 0) go_on(c, mry_policy_choose(c->policy, c->node, seen, c->input.speed_cm_s));
    show(c, out);
    c->followed += mry_move_follows(c->policy->moves[c->node], c->laid.angle,
                                    c->input.direction_rad, c->input.speed_cm_s);
}

void mry_controller_go(marey_controller *controller, int way, mry_bend bend,
                       marey_controller_frame *out)
{
    marey_controller *c = controller;
    if (c->frames > 0) {
        go_on(c, way);
        if (bend.turn != 0 || bend.x != 0 || bend.z != 0) {
            /* About the body, then shifted. */
            mry_vec at = mry_node_at(c->graph, c->node), turned = at;
            mry_floor_apply(c->laid, &at.x, &at.z);
            c->laid.angle = remainder(c->laid.angle + bend.turn, 2 * PI);
            mry_floor_turn(c->laid.angle, &turned.x, &turned.z);
            c->laid.x = at.x + bend.x - turned.x;
            c->laid.z = at.z + bend.z - turned.z;
        }
    }
    show(c, out);
}

int mry_controller_node(const marey_controller *controller)
{
    return controller->node;
}

marey_control_score marey_controller_score(const marey_controller *controller)
{
    const marey_controller *c = controller;
    marey_control_score score = { .transition = 1, .frames = c->frames };
    score.transitions = c->transitions;
    if (c->frames > 0) score.control = c->followed / c->frames;
    if (c->transitions > 0) score.transition = c->quality / c->transitions;
    score.total = score.control * score.transition;
    return score;
}

marey_placement marey_controller_place(const marey_controller *controller)
{
    const mry_floor *laid = &controller->laid;
    return (marey_placement){ .angle_rad = laid->angle, .x_cm = laid->x, .z_cm = laid->z };
}
