/* body_follow.c - a whole body that goes where a puck goes. A few times a second it looks for the
   best way through the next second or two, goes the beginning of it, and looks again. Smooth
   transitions are those of the graph. A path that is known as a whole is followed the same way,
   with its way ahead in view, and becomes one clip with planted feet. */
#include "base/fail.h"
#include "graph/walk_data.h"
#include "puppet/body_data.h"

#include <math.h>
#include <stdlib.h>

#define PI 3.14159265358979323846
#define CATCH_UP_S 1.2
#define STANDS_CM_S 15.0   /* slower inputs are to stand */
#define CLOSE_ENOUGH_CM 15 /* too little for a step */
#define AGAIN_S 0.067      /* a new plan so often */
#define MOVES_CM_S 30.0    /* below this looks are not compared */
#define JUMPS_CM_S 1000.0  /* faster than any body: it was put somewhere else */
#define HELD_CM 40.0       /* a character that reacts waits for its body */
#define SMOOTH_S 0.05      /* how the puck moves is a mean over about so long .. */
#define TURNS_S 0.8        /* .. it stops to turn .. */
#define GOES_ON_S 4.0      /* .. and to go within about this */

typedef struct following {
    marey_body *body;
    const marey_entity *path;
    int count;
    double rate;
    marey_walk walk;
    mry_floor *at; /* of each frame: how it is laid */
    double *aways; /* and how far away it is */
    marey_body_made how;
} following;

/* With a beam of its own. */
static marey_status open_body(marey_ctx *ctx, const marey_graph *graph, const marey_policy *policy,
                              const marey_entity *start, const marey_body_def *def, int width,
                              int layers, marey_body **out, marey_error *error)
{
    if (!mry_entity_can_be(start))
        return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                        "start must be finite and within 1e6 cm of the origin");
    if (!(def->catch_up_s >= 0 && def->catch_up_s <= 3600))
        return mry_fail(error, MAREY_ERR_REQUEST, NULL, "catch-up time must be 0 to 3600 s, got %g",
                        def->catch_up_s);
    if (def->keeps < 0 || def->keeps > MRY_WALK_MOST_FRAMES)
        return mry_fail(error, MAREY_ERR_REQUEST, NULL, "a body keeps 0 to %d frames, got %d",
                        (int)MRY_WALK_MOST_FRAMES, def->keeps);
    if (def->ground && (def->ground->graph != graph || def->ground->policy != policy))
        return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                        "the ground is that of another graph or policy");
    mry_arena mem = mry_arena_make(ctx);
    marey_body *made = MRY_NEW(&mem, marey_body, 1);
    if (!made) return mry_fail_memory(error, NULL);
    *made = (marey_body){ .mem = mem,
                          .ground = def->ground,
                          .fps = marey_graph_fps(graph),
                          .owes = graph->dwell.least > 0 ? graph->dwell.least - 1 : 0,
                          .wanted = *start,
                          .x_cm = start->x_cm,
                          .y_cm = start->y_cm };
    marey_controller_def begin = { .x_cm = start->x_cm,
                                   .z_cm = -start->y_cm,
                                   .direction_rad = start->direction_rad,
                                   .rough = def->rough };
    marey_status status = MAREY_OK;
    if (!made->ground) status = marey_body_ground_open(ctx, graph, policy, &made->own, error);
    if (made->own) made->ground = made->own;
    made->keeps = def->keeps;
    if (def->keeps > 0) made->kept = MRY_NEW_RAW(&made->mem, mry_body_frame, def->keeps);
    if (!status && def->keeps > 0 && !made->kept) status = mry_fail_memory(error, NULL);
    if (!status && !mry_search_open(&made->search, &made->mem, made->ground, width, layers,
                                    def->catch_up_s > 0 ? def->catch_up_s : CATCH_UP_S))
        status = mry_fail_memory(error, NULL);
    if (!status)
        status = marey_controller_open(ctx, graph, policy, &begin, &made->controller, error);
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
    return open_body(ctx, graph, policy, start, def ? def : &none, MRY_BODY_WIDTH, MRY_BODY_LAYERS,
                     out, error);
}

void marey_body_free(marey_body *body)
{
    if (!body) return;
    mry_arena mem = body->mem;
    marey_controller_free(body->controller);
    marey_body_ground_free(body->own);
    mry_arena_free(&mem);
}

/* A step over a transition, or on. */
static void took(marey_body *body, int way)
{
    const marey_graph *graph = body->ground->graph;
    if (way >= 0)
        body->owes = mry_dwell_stay(graph, way, graph->dwell.least) - 1;
    else if (body->owes > 0)
        body->owes--;
    body->age = way >= 0 ? 0 : body->age + 1;
}

/* The next frame; the aims are on the plan, where it should be after each hop from the last frame
   on. */
static void go_on(marey_body *body, const mry_aim *aims, const marey_entity *wanted,
                  marey_controller_frame *out)
{
    const marey_body_ground *g = body->ground;
    if (body->steps++ == 0) {
        mry_controller_go(body->controller, -1, (mry_bend){ 0 }, out);
    } else {
        if (body->until <= 0 || body->hop >= body->hops) {
            mry_aim seen[MRY_BODY_MOST_LAYERS];
            /* Where it is, whatever is still faded in. */
            marey_placement laid = marey_controller_place(body->controller);
            int node = mry_controller_node(body->controller);
            mry_vec at = mry_node_at(g->graph, node);
            mry_floor_apply((mry_floor){ laid.angle_rad, laid.x_cm, laid.z_cm }, &at.x, &at.z);
            mry_spot begin = { .node = node,
                               .age = body->age,
                               .owes = body->owes,
                               .c = cos(laid.angle_rad),
                               .s = sin(laid.angle_rad) };
            for (int k = 0; k < body->search.layers; k++) {
                seen[k] = aims[k];
                seen[k].x -= at.x;
                seen[k].y -= -at.z;
            }
            body->hops = mry_search_run(&body->search, &begin, seen, body->way);
            body->hop = body->frame = 0;
            body->until = (int)fmax(1, round(AGAIN_S * body->fps));
        }
        if (body->hops > 0) {
            const mry_spot *to = &body->way[body->hop + 1];
            const mry_hop *hop = &g->hops[to->hop];
            int way = hop->transition >= 0 && body->frame == hop->stay ? hop->transition : -1;
            int node = way >= 0 ? g->graph->transitions[way].to
                                : g->graph->next[mry_controller_node(body->controller)];
            /* A share of the hop's bend, and no more than is not seen in this frame. */
            const mry_stance *as = &g->stances[node];
            double went = hypot((double)as->vx, (double)as->vy) / g->graph->fps;
            double share = 1.0 / g->frames, size = share * hypot(to->bx, to->by);
            double most = MRY_BODY_SHIFT * went;
            double shift = size > most ? share * most / size : share;
            mry_controller_go(body->controller, way,
                              (mry_bend){ share * to->turn, shift * to->bx, -shift * to->by }, out);
            took(body, way);
            body->frame = (body->frame + 1) % g->frames;
            body->hop += body->frame == 0;
        } else {
            /* As the policy would: no hop leads on. */
            double x = wanted->x_cm - body->x_cm, y = wanted->y_cm - body->y_cm;
            double behind = hypot(x, y) > CLOSE_ENOUGH_CM ? 1 / body->search.catch_up_s : 0;
            double vx = body->vx + behind * x, vy = body->vy + behind * y, speed = hypot(vx, vy);
            marey_control_input input = { atan2(vy, vx), speed };
            if (speed < STANDS_CM_S) input = (marey_control_input){ wanted->direction_rad, 0 };
            int node = mry_controller_node(body->controller), way = g->graph->leaving[node];
            marey_controller_step(body->controller, &input, out);
            while (out->transition && g->graph->transitions[way].to != out->node) way++;
            took(body, out->transition ? way : -1);
        }
        body->until--;
    }
    body->wanted = *wanted;
    body->x_cm = out->x_cm;
    body->y_cm = -out->z_cm;
    if (body->kept_count >= body->keeps) return;
    marey_placement laid = marey_controller_place(body->controller);
    body->kept[body->kept_count++] = (mry_body_frame){ out->node,
                                                       { laid.angle_rad, laid.x_cm, laid.z_cm },
                                                       body->x_cm,
                                                       body->y_cm,
                                                       out->direction_rad };
}

/* Towards a puck that moves by so much a second. */
static void follow_puck(marey_body *body, marey_entity to, double vx, double vy,
                        marey_controller_frame *out)
{
    mry_aim aims[MRY_BODY_MOST_LAYERS];
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
    /* Where it will be if it goes on as it does. */
    double x = to.x_cm, y = to.y_cm;
    vx = body->vx;
    vy = body->vy;
    turn = body->turn;
    double hop_s = body->ground->frames / body->fps, dt = hop_s - 1 / body->fps;
    for (int k = 0; k < body->search.layers; k++, dt = hop_s) {
        double c = cos(turn * dt), s = sin(turn * dt), slower = exp(-dt / GOES_ON_S);
        double to_x = slower * (c * vx - s * vy), to_y = slower * (s * vx + c * vy);
        x += 0.5 * dt * (vx + to_x);
        y += 0.5 * dt * (vy + to_y);
        vx = to_x;
        vy = to_y;
        turn *= exp(-dt / TURNS_S);
        aims[k] = (mry_aim){ x, y, vx, vy, cos(to.direction_rad), sin(to.direction_rad) };
    }
    go_on(body, aims, &to, out);
}

void marey_body_step(marey_body *body, const marey_entity *wanted, marey_controller_frame *out)
{
    marey_entity to = mry_entity_can_be(wanted) ? *wanted : body->wanted;
    follow_puck(body, to, (to.x_cm - body->wanted.x_cm) * body->fps,
                (to.y_cm - body->wanted.y_cm) * body->fps, out);
}

void marey_body_lead(marey_body *body, marey_reactor *reactor, const marey_entity *wanted,
                     marey_controller_frame *out)
{
    marey_entity to = mry_entity_can_be(wanted) ? *wanted : body->wanted;
    follow_puck(body, to, reactor->wish[0], reactor->wish[1], out);
    reactor->held = (marey_entity){ body->x_cm, body->y_cm, 0 };
    reactor->held_cm = HELD_CM;
}

/* ---- a whole path ---------------------------------------------------------------------------- */

static marey_entity place_at(const following *f, double time_s)
{
    double at = fmin(fmax(time_s * f->rate, 0), f->count - 1);
    int i = (int)at;
    if (i >= f->count - 1) return f->path[f->count - 1];
    return mry_entity_between(&f->path[i], &f->path[i + 1], at - i);
}

static int by_size(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* Walks it. */
static marey_status follow(following *f, marey_ctx *ctx, marey_error *error)
{
    const double around = 0.1; /* s: how fast it should be is a mean over so long on either side */
    for (int n = 0; n < f->walk.count; n++) {
        if (n % 64 == 0 && !mry_progress(ctx, "following", n, f->walk.count))
            return mry_fail_cancelled(error);
        marey_entity wanted = place_at(f, n / f->body->fps);
        marey_controller_frame frame;
        mry_aim aims[MRY_BODY_MOST_LAYERS];
        for (int k = 0; k < f->body->search.layers; k++) {
            double time = (n - 1 + (k + 1) * f->body->ground->frames) / f->body->fps;
            marey_entity at = place_at(f, time), last = place_at(f, time - around),
                         behind = place_at(f, time + around);
            aims[k] = (mry_aim){ at.x_cm,
                                 at.y_cm,
                                 (behind.x_cm - last.x_cm) / (2 * around),
                                 (behind.y_cm - last.y_cm) / (2 * around),
                                 cos(at.direction_rad),
                                 sin(at.direction_rad) };
        }
        go_on(f->body, aims, &wanted, &frame);
    }
    return MAREY_OK;
}

/* Says how close a body came, and takes it if it came closer than the one before. */
static void take_closer(following *f, const marey_body *body)
{
    marey_body_made how = { 0 };
    marey_entity before = f->path[0];
    int moving = 0;
    for (int n = 0; n < f->walk.count; n++) {
        const mry_body_frame *is = &body->kept[n];
        marey_entity wanted = place_at(f, n / f->body->fps);
        f->aways[n] = hypot(wanted.x_cm - is->x_cm, wanted.y_cm - is->y_cm);
        how.away_cm += f->aways[n] / f->walk.count;
        how.away_most_cm = fmax(how.away_most_cm, f->aways[n]);
        double x = wanted.x_cm - before.x_cm, y = wanted.y_cm - before.y_cm;
        before = wanted;
        if (hypot(x, y) * f->body->fps < MOVES_CM_S) continue;
        how.turned_rad += fabs(mry_wrap(is->direction_rad - atan2(y, x)));
        moving++;
    }
    if (moving) how.turned_rad /= moving;
    qsort(f->aways, (size_t)f->walk.count, sizeof *f->aways, by_size);
    how.away_median_cm = f->aways[f->walk.count / 2];
    if (body != f->body && how.away_cm >= f->how.away_cm) return;
    f->how = how;
    for (int n = 0; n < f->walk.count; n++) {
        f->walk.nodes[n] = body->kept[n].node;
        f->at[n] = body->kept[n].laid;
    }
}

marey_status marey_body_make(marey_ctx *ctx, const marey_graph *graph, const marey_policy *policy,
                             const marey_entity *path, int count, double rate,
                             const marey_body_def *def, const marey_walk_make_def *make,
                             marey_made *out, marey_body_made *about, marey_error *error)
{
    following f = { .path = path, .count = count, .rate = rate };
    marey_walk walked = { 0 };
    if (count < 2 || !(rate > 0 && rate <= 10000))
        return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                        "a path must have at least 2 positions at 0 to 10000 Hz, got %d at %g",
                        count, rate);
    for (int i = 0; i < count; i++) {
        if (!mry_entity_can_be(&path[i]))
            return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                            "position %d of the path must be finite and within 1e6 cm", i);
    }
    double frames = floor((count - 1) / rate * graph->fps) + 1;
    if (frames > MRY_WALK_MOST_FRAMES)
        return mry_fail(error, MAREY_ERR_LIMIT, NULL,
                        "a path of %.0f frames; a body is made for at most %d", frames,
                        (int)MRY_WALK_MOST_FRAMES);
    marey_body_def own = def ? *def : (marey_body_def){ 0 };
    own.keeps = (int)frames;
    if (own.led && (own.led->ground->graph != graph || own.led->kept_count < own.keeps))
        return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                        "the body that was led is of another graph, or did not keep %d frames",
                        own.keeps);
    marey_status status = open_body(ctx, graph, policy, &path[0], &own, MRY_BODY_MADE_WIDTH,
                                    MRY_BODY_MADE_LAYERS, &f.body, error);
    if (status) return status;
    mry_arena tmp = mry_arena_make(ctx);
    f.walk.count = (int)frames;
    f.walk.nodes = MRY_NEW_RAW(&tmp, int, f.walk.count);
    f.at = MRY_NEW_RAW(&tmp, mry_floor, f.walk.count);
    f.aways = MRY_NEW_RAW(&tmp, double, f.walk.count);
    if (!f.walk.nodes || !f.at || !f.aways) status = mry_fail_memory(error, NULL);
    if (!status) status = follow(&f, ctx, error);
    if (!status) take_closer(&f, f.body);
    if (!status && own.led) take_closer(&f, own.led);
    if (!status && def && def->walked) {
        /* The nodes once more, as a walk that outlives this; who stands where there is no way on is
           in one for many frames. */
        size_t bytes = (size_t)f.walk.count * sizeof *f.walk.nodes;
        walked = (marey_walk){ .nodes = mry_alloc(ctx, bytes), .bytes = bytes, .ctx = ctx };
        for (int n = 0; walked.nodes && n < f.walk.count; n++) {
            if (n == 0 || f.walk.nodes[n] != f.walk.nodes[n - 1])
                walked.nodes[walked.count++] = f.walk.nodes[n];
        }
        if (!walked.nodes) status = mry_fail_memory(error, NULL);
    }
    if (!status)
        status = mry_walk_make_bent(ctx, graph, &f.walk, f.at, make, out, &f.how.walk, error);
    mry_arena_free(&tmp);
    marey_body_free(f.body);
    if (status) marey_walk_free(&walked);
    if (!status && def && def->walked) *def->walked = walked;
    if (!status && about) *about = f.how;
    return status;
}
