/* controller.c - a character that a program steers: a policy followed frame by frame. Everything it
   needs is taken when it is opened; a step looks a choice up, lays the next node behind the last
   one and adds what is left of differences at transitions. */
#include "base/fail.h"
#include "feature/feature_data.h"
#include "graph/control_data.h"
#include "math/quat.h"

#include <string.h>

/* ---- what differs at a transition fades away ------------------------------------------------ */

/* What differs at a transition fades away behind it. Where a controller will go is not known
   before, so all of the difference is behind the transition, and lasts as long as it would on both
   sides.

   Every transition has a difference of its own, between the nodes as they are, and a time of its
   own; what is shown is the node and the sum of what is left. So transitions that follow fast on
   each other neither pile up nor stop each other's fading. */

/* A pose: that of a node, or, as far beyond it as it is from another one, a frame that is not
   there. */
typedef struct fade_pose {
    int node, away_from; /* -1: the node itself */
    mry_floor laid;
} fade_pose;

static mry_rot turn_of(const marey_graph *graph, int node, int joint)
{
    const float *q = mry_turn(graph->motion, node) + 4 * joint;
    return (mry_rot){ q[0], q[1], q[2], q[3] };
}

static mry_rot pose_turn(const marey_graph *graph, const fade_pose *p, int joint)
{
    mry_rot turn = turn_of(graph, p->node, joint);
    if (p->away_from >= 0) {
        mry_rot back = mry_rot_back(turn_of(graph, p->away_from, joint));
        turn = mry_rot_times(mry_rot_times(turn, back), turn);
    }
    if (joint != graph->body.joint) return turn;
    if (joint > 0) turn = mry_rot_times(turn_of(graph, p->node, 0), turn);
    return mry_rot_times(mry_rot_about(0, 1, 0, p->laid.angle), turn);
}

static void pose_place(const marey_graph *graph, const fade_pose *p, double *out)
{
    mry_vec at = mry_node_at(graph, p->node);
    if (p->away_from >= 0) {
        mry_vec other = mry_node_at(graph, p->away_from);
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
    for (int j = 0; j < joints; j++) {
        /* Every joint by what is left of its turns. */
        const float *vector = fades->sum + 3 * j;
        float *turn = turns + 4 * j;
        float angle = sqrtf(vector[0] * vector[0] + vector[1] * vector[1] + vector[2] * vector[2]);
        float half = 0.5f * angle, share = angle > 1e-6f ? sinf(half) / angle : 0.5f;
        float by[4] = { cosf(half), share * vector[0], share * vector[1], share * vector[2] };
        mry_quat_multiply(by, turn, turn);
        mry_quat_normalize(turn);
    }
}

/* ---- the controller ------------------------------------------------------------------------- */

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
