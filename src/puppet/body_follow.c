/* body_follow.c - a whole body that goes where a puck goes. A few times a second it looks for the best way through the next second or
   two, goes the beginning of it, and looks again. Smooth transitions are those of the graph. */
#include "base/fail.h"
#include "puppet/body_data.h"

#include <math.h>

#define PI 3.14159265358979323846
#define CATCH_UP_S 1.2
#define STANDS_CM_S 15.0   /* slower wishes are to stand */
#define CLOSE_ENOUGH_CM 15 /* nobody takes a step for less */
#define AGAIN_S 0.067      /* a new plan so often */

/* ---- opening ------------------------------------------------------------------------------------------------ */

static marey_status check(const marey_graph *graph, const marey_policy *policy,
                          const marey_entity *start, const marey_body_def *def, marey_error *error)
{
    if (!mry_entity_can_be(start) || !(def->catch_up_s >= 0 && def->catch_up_s <= 3600))
        return mry_fail(error, MAREY_ERR_REQUEST, NULL, "a place or a time that cannot be");
    if (def->ground && (def->ground->graph != graph || def->ground->policy != policy))
        return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                        "the ground is that of another graph or policy");
    return MAREY_OK;
}

/* Everything that steps need. */
static marey_status take(marey_ctx *ctx, marey_body *body, const marey_policy *policy,
                         const marey_controller_def *begin, const marey_body_def *def, int width,
                         int layers, marey_error *error)
{
    double catch_up_s = def->catch_up_s > 0 ? def->catch_up_s : CATCH_UP_S;
    const marey_graph *graph = body->ground->graph;
    if (!mry_search_open(&body->search, &body->mem, body->ground, width, layers, catch_up_s))
        return mry_fail_memory(error, NULL);
    return marey_controller_open(ctx, graph, policy, begin, &body->controller, error);
}

marey_status mry_body_open(marey_ctx *ctx, const marey_graph *graph, const marey_policy *policy,
                           const marey_entity *start, const marey_body_def *def, int width,
                           int layers, marey_body **out, marey_error *error)
{
    marey_status status = check(graph, policy, start, def, error);
    if (status) return status;
    mry_arena mem = mry_arena_make(ctx);
    marey_body *made = MRY_NEW(&mem, marey_body, 1);
    if (!made) return mry_fail_memory(error, NULL);
    *made = (marey_body){ .mem = mem,
                          .ground = def->ground,
                          .fps = marey_graph_fps(graph),
                          .wanted = *start,
                          .x_cm = start->x_cm,
                          .y_cm = start->y_cm };
    marey_controller_def begin = { .x_cm = start->x_cm,
                                   .z_cm = -start->y_cm,
                                   .direction_rad = start->direction_rad,
                                   .rough = def->rough };
    if (!made->ground) status = marey_body_ground_open(ctx, graph, policy, &made->own, error);
    if (made->own) made->ground = made->own;
    if (!status) status = take(ctx, made, policy, &begin, def, width, layers, error);
    if (status)
        marey_body_free(made);
    else
        *out = made;
    return status;
}

marey_status marey_body_open(marey_ctx *ctx, const marey_graph *graph, const marey_policy *policy,
                             const marey_entity *start, const marey_body_def *def, marey_body **out,
                             marey_error *error)
{
    const marey_body_def none = { 0 };
    return mry_body_open(ctx, graph, policy, start, def ? def : &none, MRY_BODY_WIDTH,
                         MRY_BODY_LAYERS, out, error);
}

void marey_body_free(marey_body *body)
{
    if (!body) return;
    mry_arena mem = body->mem;
    marey_controller_free(body->controller);
    marey_body_ground_free(body->own);
    mry_arena_free(&mem);
}

/* ---- the next frame of a way ----------------------------------------------------------------------------------- */

/* Where it is, whatever is still faded in. */
static mry_spot spot_now(const marey_body *body, double *x, double *y)
{
    marey_placement laid = marey_controller_place(body->controller);
    int node = mry_controller_node(body->controller);
    mry_vec at = mry_node_at(body->ground->graph, node);
    mry_floor_apply((mry_floor){ laid.angle_rad, laid.x_cm, laid.z_cm }, &at.x, &at.z);
    *x = at.x;
    *y = -at.z;
    return (mry_spot){
        .node = node, .age = body->age, .c = cos(laid.angle_rad), .s = sin(laid.angle_rad)
    };
}

/* As the policy would: where no hop leads on. */
static marey_wish wish_of(const marey_body *body, const marey_entity *wanted)
{
    double x = wanted->x_cm - body->x_cm, y = wanted->y_cm - body->y_cm;
    double behind = hypot(x, y) > CLOSE_ENOUGH_CM ? 1 / body->search.catch_up_s : 0;
    double vx = body->vx + behind * x, vy = body->vy + behind * y, speed = hypot(vx, vy);
    if (speed < STANDS_CM_S) return (marey_wish){ wanted->direction_rad, 0 };
    return (marey_wish){ atan2(vy, vx), speed };
}

/* A share of the hop's bend, and no more than of this frame nobody sees. */
static mry_bend bend_now(const marey_body *body, int to, const mry_spot *hop)
{
    const marey_graph *graph = body->ground->graph;
    const mry_stance *as = &body->ground->stances[to];
    double went = hypot((double)as->vx, (double)as->vy) / graph->fps;
    double share = 1.0 / body->ground->frames, size = share * hypot(hop->bx, hop->by);
    double most = MRY_BODY_SHIFT * went;
    double shift = size > most ? share * most / size : share;
    return (mry_bend){ share * hop->turn, shift * hop->bx, -shift * hop->by };
}

static void go(marey_body *body, marey_controller_frame *out)
{
    const marey_body_ground *g = body->ground;
    const mry_spot *to = &body->way[body->hop + 1];
    const mry_hop *hop = &g->hops[to->hop];
    int way = hop->transition >= 0 && body->frame == hop->stay ? hop->transition : -1;
    int node = mry_option_to(g->graph, mry_controller_node(body->controller), way);
    mry_controller_go(body->controller, way, bend_now(body, node, to), out);
    body->age = way >= 0 ? 0 : body->age + 1;
    if (++body->frame < g->frames) return;
    body->frame = 0;
    body->hop++;
}

void mry_body_go(marey_body *body, const mry_aim *aims, const marey_entity *wanted,
                 marey_controller_frame *out)
{
    if (body->steps++ == 0) {
        mry_controller_go(body->controller, -1, (mry_bend){ 0 }, out);
    } else {
        if (body->until <= 0 || body->hop >= body->hops) {
            double x, y;
            mry_aim seen[MRY_BODY_MOST_LAYERS];
            mry_spot begin = spot_now(body, &x, &y);
            for (int k = 0; k < body->search.layers; k++) {
                seen[k] = aims[k];
                seen[k].x -= x;
                seen[k].y -= y;
            }
            body->hops = mry_search_run(&body->search, &begin, seen, body->way);
            body->hop = body->frame = 0;
            body->until = (int)fmax(1, round(AGAIN_S * body->fps));
        }
        if (body->hops > 0) {
            go(body, out);
        } else {
            marey_wish wish = wish_of(body, wanted);
            marey_controller_step(body->controller, &wish, out);
            body->age = out->transition ? 0 : body->age + 1;
        }
        body->until--;
    }
    body->wanted = *wanted;
    body->x_cm = out->x_cm;
    body->y_cm = -out->z_cm;
}

/* ---- live -------------------------------------------------------------------------------------------------------- */

#define JUMPS_CM_S 1000.0 /* nobody goes so fast: it was put somewhere else */
#define SMOOTH_S 0.05     /* how the puck moves is a mean over about so long .. */
#define TURNS_S 0.8       /* .. it stops to turn .. */
#define GOES_ON_S 4.0     /* .. and to go within about this */

/* How the puck moves, from where it is now. */
static void watch(marey_body *body, const marey_entity *wanted)
{
    double vx = (wanted->x_cm - body->wanted.x_cm) * body->fps;
    double vy = (wanted->y_cm - body->wanted.y_cm) * body->fps;
    double share = 1 - exp(-1 / (SMOOTH_S * body->fps));
    if (hypot(vx, vy) > JUMPS_CM_S) vx = vy = 0;
    double before = atan2(body->vy, body->vx), moved = hypot(body->vx, body->vy);
    body->vx += share * (vx - body->vx);
    body->vy += share * (vy - body->vy);
    double turn = 0;
    if (moved > STANDS_CM_S && hypot(body->vx, body->vy) > STANDS_CM_S)
        turn = mry_wrap(atan2(body->vy, body->vx) - before) * body->fps;
    turn = fmin(fmax(turn, -PI), PI);
    body->turn += share * (turn - body->turn);
}

/* Where it will be if it goes on as it does. */
static void foresee(const marey_body *body, const marey_entity *wanted, mry_aim *aims)
{
    double x = wanted->x_cm, y = wanted->y_cm, vx = body->vx, vy = body->vy, turn = body->turn;
    double hop_s = body->ground->frames / body->fps, dt = hop_s - 1 / body->fps;
    for (int k = 0; k < body->search.layers; k++, dt = hop_s) {
        double c = cos(turn * dt), s = sin(turn * dt), slower = exp(-dt / GOES_ON_S);
        double to_x = slower * (c * vx - s * vy), to_y = slower * (s * vx + c * vy);
        x += 0.5 * dt * (vx + to_x);
        y += 0.5 * dt * (vy + to_y);
        vx = to_x;
        vy = to_y;
        turn *= exp(-dt / TURNS_S);
        aims[k] = (mry_aim){ x, y, vx, vy, cos(wanted->direction_rad), sin(wanted->direction_rad) };
    }
}

void marey_body_step(marey_body *body, const marey_entity *wanted, marey_controller_frame *out)
{
    marey_entity to = mry_entity_can_be(wanted) ? *wanted : body->wanted;
    mry_aim aims[MRY_BODY_MOST_LAYERS];
    watch(body, &to);
    foresee(body, &to, aims);
    mry_body_go(body, aims, &to, out);
}
