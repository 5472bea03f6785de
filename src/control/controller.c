/* controller.c - a character that a program steers: a policy followed, or poses matched, frame by
   frame. Everything it needs is taken when it is opened; a step looks a choice up or searches for
   it, lays the next node behind the last one and adds what is left of differences at
   transitions. */
#include "base/fail.h"
#include "control/matching_data.h"
#include "control/play.h"
#include "math/quat.h"

#include <string.h>

#define PI 3.14159265358979323846
#define UPRIGHT 0.95 /* of the hips' height while walking */
/* An input that turns by so much is a turn whose response is measured, .. */
#define TURN (PI / 6)
/* .. by the body's velocity over about so long. */
#define SEEN_S 0.1
/* An input that changes by more than this is searched for at once. */
#define OTHER_RAD (PI / 18)
#define OTHER_CM_S 20.0
/* Who stands so long where the input goes is turned, by so much a second. */
#define STAND_S 0.5
#define STAND_TURN (2 * PI / 3)
/* Half of what differs where a family's motion is entered or left is gone after so long. */
#define PLAY_FADE_S 0.1

struct marey_controller {
    mry_arena mem;
    const marey_graph *graph;
    const mry_move *moves;      /* of each node */
    const marey_policy *policy; /* one of the two */
    const marey_matching *matching;
    bool rough;
    marey_control_input input;
    int node;
    mry_floor laid; /* how the node's sequence lies in the world */
    bool over;      /* the node was reached by a transition */
    int stay;       /* frames that it goes on before there is a choice */
    mry_fades fades;
    /* Of a matching, and of one that does families' motions: what differs. */
    mry_inertia inertia;
    mry_play play;
    /* Of a matching: room to lay poses, what was searched for and when. */
    float *room;
    marey_control_input searched;
    int since, waited; /* frames */
    marey_controller_searches searches;
    int64_t compared; /* in all */
    double x, z;      /* where the body is */
    double *places;   /* joints x 3 */
    float *turns;     /* joints x 4 */
    int frames, transitions;
    double followed, quality; /* sums */
    /* The turn that was asked for last: how far off is half of it, and frames since then; -1: it
       was done. The body's velocity, cm/s. */
    double half_turn, x_speed, z_speed;
    int asked, turning; /* turns so far */
};

/* That it may start with. */
static bool usable(const marey_controller *c, int node)
{
    return c->matching ? node < c->graph->originals
                       : mry_dwell_begin(c->graph, &c->graph->dwell, node) >= 0;
}

/* Who sits, crouches or lifts a foot does not stand: each counts as moving. */
static int stillest(const marey_controller *c)
{
    const marey_graph *graph = c->graph;
    int best = -1;
    double least = 0, upright = UPRIGHT * mry_upright_cm(graph, c->moves);
    for (int n = 0; n < graph->nodes; n++) {
        if (!usable(c, n)) continue;
        double moves = mry_move_speed(c->moves[n]);
        if (c->matching && c->matching->row[n] >= c->matching->poses) moves += 1000;
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

/* *c has its graph and what chooses. */
static marey_status open_one(marey_ctx *ctx, marey_controller like, const marey_controller_def *def,
                             marey_controller **out, marey_error *error)
{
    static const marey_controller_def none = { 0 };
    const marey_graph *graph = like.graph;
    if (!def) def = &none;
    /* What is asked for. */
    const char *wrong = NULL;
    if (def->from_given && (def->from < 0 || def->from >= graph->nodes))
        wrong = "there is no such node to start with";
    else if (def->from_given && !usable(&like, def->from))
        wrong = like.matching ? "the node to start with is no captured frame"
                              : "the node to start with is not one that walks can begin with";
    else if (!isfinite(def->x_cm) || !isfinite(def->z_cm) || !isfinite(def->direction_rad))
        wrong = "the place to start at is not finite";
    marey_status status = wrong ? mry_fail(error, MAREY_ERR_REQUEST, NULL, "%s", wrong) : MAREY_OK;
    if (status) return status;
    mry_arena mem = mry_arena_make(ctx);
    marey_controller *c = MRY_NEW(&mem, marey_controller, 1);
    if (!c) return mry_fail_memory(error, NULL);
    *c = like;
    c->mem = mem;
    c->turning = -1;
    const marey_skeleton *skeleton = &graph->motion->skeleton;
    size_t joints = (size_t)skeleton->joint_count;
    c->places = MRY_NEW(&c->mem, double, 3 * joints);
    c->turns = MRY_NEW(&c->mem, float, 4 * joints);
    bool room = c->places && c->turns;
    mry_play_open(&c->play, ctx, graph);
    room = room && mry_inertia_open(&c->inertia, &c->mem, graph);
    if (c->matching) {
        c->room = MRY_NEW(&c->mem, float, 6 * joints);
        room = room && c->room;
    } else {
        room = room && mry_fades_open(&c->fades, &c->mem, graph);
    }
    if (!room) {
        marey_controller_free(c);
        return mry_fail_memory(error, NULL);
    }
    for (size_t j = 0; j < joints; j++)
        memcpy(c->places + 3 * j, skeleton->joints[j].offset_cm, 3 * sizeof *c->places);
    /* Where the definition has it. */
    c->node = def->from_given ? def->from : stillest(c);
    mry_vec body = mry_node_at(graph, c->node);
    c->stay = graph->dwell.least > 0 ? graph->dwell.least - 1 : 0;
    c->laid.angle = remainder(def->direction_rad - (double)c->moves[c->node].facing, 2 * PI);
    mry_floor_turn(c->laid.angle, &body.x, &body.z);
    c->laid.x = def->x_cm - body.x;
    c->laid.z = def->z_cm - body.z;
    c->rough = def->rough;
    *out = c;
    return MAREY_OK;
}

marey_status marey_controller_open(marey_ctx *ctx, const marey_graph *graph,
                                   const marey_policy *policy, const marey_controller_def *def,
                                   marey_controller **out, marey_error *error)
{
    mry_graph_mark mark = mry_graph_mark_of(graph);
    if (mark.nodes != policy->mark.nodes || mark.transitions != policy->mark.transitions ||
        mark.hash != policy->mark.hash)
        return mry_fail(error, MAREY_ERR_REQUEST, NULL, "the policy is for another graph");
    marey_controller like = { .graph = graph, .moves = policy->moves, .policy = policy };
    return open_one(ctx, like, def, out, error);
}

marey_status marey_controller_open_matching(marey_ctx *ctx, const marey_matching *matching,
                                            const marey_controller_def *def, marey_controller **out,
                                            marey_error *error)
{
    marey_controller like = { .graph = matching->graph,
                              .moves = matching->moves,
                              .matching = matching };
    return open_one(ctx, like, def, out, error);
}

void marey_controller_free(marey_controller *controller)
{
    if (!controller) return;
    mry_play_close(&controller->play);
    mry_arena mem = controller->mem;
    mry_arena_free(&mem);
}

/* A way as mry_policy_choose has it. */
static void go_on(marey_controller *c, int option)
{
    mry_fades_age(&c->fades);
    if (c->play.count > 0) mry_inertia_age(&c->inertia, PLAY_FADE_S);
    c->over = false;
    if (option >= 0) {
        /* Over a transition. */
        mry_floor from = c->laid;
        c->laid = mry_floor_times(from, c->graph->places[option]);
        if (!c->rough) mry_fades_add(&c->fades, option, from, c->laid);
        c->laid.angle = remainder(c->laid.angle, 2 * PI);
        c->node = c->graph->transitions[option].to;
        c->over = true;
        c->stay = mry_dwell_stay(c->graph, option, c->graph->dwell.least) - 1;
        c->transitions++;
        c->quality += mry_quality(c->graph, option);
    } else if (option == -1) {
        c->node = c->graph->next[c->node];
        if (c->stay > 0) c->stay--;
    }
}

/* ---- what it is asked for --------------------------------------------------------------------- */

static marey_status refuse_matching(marey_error *error)
{
    return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                    "a controller that matches poses takes no requests: open one with a policy");
}

marey_status marey_controller_join(marey_controller *controller, const marey_graph_family *family,
                                   int *number, marey_error *error)
{
    if (controller->matching) return refuse_matching(error);
    return mry_play_join(&controller->play, family, number, error);
}

marey_status marey_controller_join_action(marey_controller *controller, const char *label,
                                          int *number, marey_error *error)
{
    if (controller->matching) return refuse_matching(error);
    return mry_play_join_action(&controller->play, label, number, error);
}

marey_status marey_controller_ask(marey_controller *controller, int number, const double *wanted,
                                  marey_answer *answer, marey_error *error)
{
    return mry_play_ask(&controller->play, number, wanted, answer, error);
}

void mry_play_look(const marey_controller *controller, double *positions)
{
    const mry_play *play = &controller->play;
    marey_clip_positions(play->motion, play->frame, 1, positions);
    for (int j = 0; j < play->motion->skeleton.joint_count; j++)
        mry_floor_apply(play->laid, &positions[3 * j], &positions[3 * j + 2]);
}

/* On the way to what it was asked for, or in it. */
static void play_on(marey_controller *c)
{
    mry_play *play = &c->play;
    c->over = false;
    mry_fades_age(&c->fades);
    mry_inertia_age(&c->inertia, PLAY_FADE_S);
    if (play->doing >= 0 && play->frame < play->leave) {
        play->frame++;
        return;
    }
    int like;
    if (play->doing >= 0) {
        /* Back into the graph, behind the node that its end is like. */
        mry_posed was = { play->motion, play->frame, play->laid };
        c->laid = play->leave_laid;
        c->laid.angle = remainder(c->laid.angle, 2 * PI);
        if (!c->rough)
            mry_inertia_add(&c->inertia, was, (mry_posed){ NULL, play->like_now, c->laid });
        c->node = play->to;
        c->stay = c->graph->dwell.least > 0 ? c->graph->dwell.least - 1 : 0;
        play->doing = -1;
        play->distance = play->leave_distance;
    } else {
        mry_posed was = { NULL, c->node, c->laid };
        mry_play_enter(play, c->node, c->laid, &like);
        if (!c->rough)
            mry_inertia_add(&c->inertia, was, (mry_posed){ play->motion, like, play->laid });
        play->frame++;
    }
    c->over = true;
    c->transitions++;
    c->quality += exp(-play->distance / c->graph->def.sigma);
}

static void go_to_asked(marey_controller *c)
{
    mry_play *play = &c->play;
    const mry_play_item *item = &play->items[play->asked];
    int way = mry_play_way(play, c->node), begins = item->of ? -1 : item->begins[c->node];
    if (way == MRY_PLAY_ENTER) {
        play_on(c);
        return;
    }
    go_on(c, way);
    if (begins < 0) return;
    /* From here on there is no choice before its last frame. */
    play->act = item->instances[begins];
    play->acting = play->asked;
    play->asked = -1;
    if (c->stay < play->act.last - c->node) c->stay = play->act.last - c->node;
}

/* What it does of what it was asked for; -1: nothing, or it is still on its way. */
static int doing_now(const marey_controller *c)
{
    const mry_play *play = &c->play;
    if (play->doing >= 0) return play->doing;
    return play->acting >= 0 && c->node >= play->act.first ? play->acting : -1;
}

/* About the body, then shifted. */
static void bend_laid(marey_controller *c, mry_bend bend)
{
    mry_vec at = mry_node_at(c->graph, c->node), turned = at;
    mry_floor_apply(c->laid, &at.x, &at.z);
    c->laid.angle = remainder(c->laid.angle + bend.turn, 2 * PI);
    mry_floor_turn(c->laid.angle, &turned.x, &turned.z);
    c->laid.x = at.x + bend.x - turned.x;
    c->laid.z = at.z + bend.z - turned.z;
}

/* To the next node, or behind the one that a search found. */
static void match_on(marey_controller *c)
{
    const marey_matching *m = c->matching;
    const marey_control_input *in = &c->input;
    double turned = remainder(in->direction_rad - c->searched.direction_rad, 2 * PI);
    bool due = ++c->since >= m->def.search_s * c->graph->fps - 1e-6 || fabs(turned) > OTHER_RAD ||
               fabs(in->speed_cm_s - c->searched.speed_cm_s) > OTHER_CM_S ||
               mry_match_next(c->graph, c->node) < 0;
    c->over = false;
    if (due) {
        int compared;
        int like = mry_matching_choose(m, c->node, in->direction_rad - c->laid.angle,
                                       in->speed_cm_s, &compared);
        c->since = 0;
        c->searched = *in;
        c->searches.count++;
        c->compared += compared;
        if (compared > c->searches.most_compared) c->searches.most_compared = compared;
        c->over = like >= 0;
        if (like >= 0) {
            double distance;
            mry_floor from = c->laid;
            c->laid = mry_floor_times(from, mry_matching_lay(m, c->node, like, c->room, &distance));
            c->laid.angle = remainder(c->laid.angle, 2 * PI);
            if (!c->rough)
                mry_inertia_add(&c->inertia, (mry_posed){ NULL, c->node, from },
                                (mry_posed){ NULL, like, c->laid });
            c->node = like;
            c->transitions++;
            c->quality += exp(-distance / m->sigma);
        }
    }
    mry_inertia_age(&c->inertia, m->def.fade_s);
    c->node = mry_match_next(c->graph, c->node);
    /* Clips may know no start to where the input points: then standing is the closest for good. So
       one who stands for long but should walk is turned to the input. */
    double facing = (double)m->stands[c->node].facing + c->laid.angle;
    double turn = remainder(in->direction_rad - facing, 2 * PI), most = STAND_TURN / c->graph->fps;
    bool waits =
        in->speed_cm_s >= MRY_STAND_CM_S && mry_move_speed(c->moves[c->node]) < MRY_STAND_CM_S;
    c->waited = waits ? c->waited + 1 : 0;
    if (c->waited > STAND_S * c->graph->fps)
        bend_laid(c, (mry_bend){ .turn = fmin(fmax(turn, -most), most) });
}

/* The frame of its node, as it is laid, and what is known of it. */
static void show(marey_controller *c, marey_controller_frame *out)
{
    bool doing = c->play.doing >= 0;
    const marey_clip *motion = doing ? c->play.motion : c->graph->motion;
    const mry_carrier *body = &c->graph->body;
    int frame = doing ? c->play.frame : c->node;
    mry_floor laid = doing ? c->play.laid : c->laid;
    const double *places = mry_place(motion, frame);
    double *at = c->places + 3 * body->joint;
    float *turns = c->turns + 4 * body->joint;
    for (int m = 0; m < motion->mover_count; m++)
        memcpy(c->places + 3 * motion->mover[m], places + 3 * m, 3 * sizeof *places);
    memcpy(c->turns, mry_turn(motion, frame),
           4 * (size_t)motion->skeleton.joint_count * sizeof *c->turns);
    mry_carrier_out(body, at, turns);
    mry_floor_apply(laid, &at[0], &at[2]);
    float turn[4] = { (float)cos(laid.angle / 2), 0, (float)sin(laid.angle / 2), 0 };
    mry_quat_multiply(turn, turns, turns);
    mry_quat_normalize(turns);
    if (c->matching || c->play.count > 0) mry_inertia_apply(&c->inertia, c->places, c->turns);
    if (!c->matching) mry_fades_apply(&c->fades, c->places, c->turns);
    /* How fast it is seen to move. */
    double fresh = c->frames > 0 ? 1 - exp(-1 / (SEEN_S * c->graph->fps)) : 0;
    c->x_speed += fresh * ((at[0] - c->x) * c->graph->fps - c->x_speed);
    c->z_speed += fresh * ((at[2] - c->z) * c->graph->fps - c->z_speed);
    c->x = at[0];
    c->z = at[2];
    mry_carrier_in(body, at, turns);
    int does = doing_now(c);
    mry_move move = c->moves[c->node];
    double speed = mry_move_speed(move), seen = (double)move.facing;
    if (speed >= MRY_STAND_CM_S) seen = atan2(-(double)move.z, (double)move.x);
    *out = (marey_controller_frame){ .node = doing ? -1 : c->node,
                                     .doing = does,
                                     .doing_frame = doing      ? c->play.frame
                                                    : does < 0 ? 0
                                                               : c->node - c->play.act.first,
                                     .transition = c->over,
                                     .x_cm = c->x,
                                     .z_cm = c->z,
                                     .direction_rad = remainder(seen + c->laid.angle, 2 * PI),
                                     .speed_cm_s = speed,
                                     .places = c->places,
                                     .turns = c->turns };
    if (doing) { /* as it is seen */
        out->speed_cm_s = sqrt(c->x_speed * c->x_speed + c->z_speed * c->z_speed);
        if (out->speed_cm_s >= MRY_STAND_CM_S) out->direction_rad = atan2(-c->z_speed, c->x_speed);
    }
    c->frames++;
}

/* Whether half of the turn that was asked for is done: how long that took, else 0. */
static double respond(marey_controller *c)
{
    if (c->turning < 0) return 0;
    double speed = sqrt(c->x_speed * c->x_speed + c->z_speed * c->z_speed);
    double off = remainder(atan2(-c->z_speed, c->x_speed) - c->input.direction_rad, 2 * PI);
    double took = ++c->turning / c->graph->fps;
    if (speed < MRY_STAND_CM_S || fabs(off) > c->half_turn) return 0;
    c->turning = -1;
    return took;
}

void marey_controller_step(marey_controller *controller, const marey_control_input *input,
                           marey_controller_frame *out)
{
    marey_controller *c = controller;
    if (isfinite(input->direction_rad) && isfinite(input->speed_cm_s)) {
        double turn = fabs(remainder(input->direction_rad - c->input.direction_rad, 2 * PI));
        bool walks = c->input.speed_cm_s >= MRY_STAND_CM_S && input->speed_cm_s >= MRY_STAND_CM_S;
        if (walks && turn >= TURN) {
            c->asked++;
            c->turning = 0;
            c->half_turn = turn / 2;
        }
        c->input = *input;
        if (c->input.speed_cm_s < 0) c->input.speed_cm_s = 0;
    }
    double seen = c->input.direction_rad - c->laid.angle;
    if (c->node >= c->play.act.last) c->play.acting = -1; /* its last frame was shown */
    if (c->frames > 0 && c->matching)
        match_on(c);
    else if (c->frames > 0 && c->play.doing >= 0)
        play_on(c);
    else if (c->frames > 0 && c->stay > 0)
        go_on(c, -1);
    else if (c->frames > 0 && c->play.asked >= 0)
        go_to_asked(c);
    else if (c->frames > 0)
        go_on(c, mry_policy_choose(c->policy, c->node, seen, c->input.speed_cm_s));
    show(c, out);
    out->response_s = respond(c);
    /* Doing what it was asked for is following, too. */
    bool asked = c->play.doing >= 0 || c->play.acting >= 0 || c->play.asked >= 0;
    c->followed += asked ? 1
                         : mry_move_follows(c->moves[c->node], c->laid.angle,
                                            c->input.direction_rad, c->input.speed_cm_s);
}

void mry_controller_go(marey_controller *controller, int way, mry_bend bend,
                       marey_controller_frame *out)
{
    marey_controller *c = controller;
    if (c->frames > 0) {
        go_on(c, way);
        if (bend.turn != 0 || bend.x != 0 || bend.z != 0) bend_laid(c, bend);
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
    score.turns = c->asked;
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

marey_controller_searches marey_controller_searched(const marey_controller *controller)
{
    marey_controller_searches searches = controller->searches;
    if (searches.count > 0) searches.compared = (double)controller->compared / searches.count;
    return searches;
}
