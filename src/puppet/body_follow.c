/* body_follow.c - a whole body that goes where a puck goes: the wish of each frame is the puck's own movement and what it takes
   to make up for being behind it. Planted feet and smooth transitions are those of the graph. */
#include "base/fail.h"
#include "puppet/puppet_data.h"

#include <math.h>

#define CATCH_UP_S 1.2
#define STANDS_CM_S 15.0   /* slower wishes are to stand */
#define CLOSE_ENOUGH_CM 15 /* nobody takes a step for less */

struct marey_body {
    mry_arena mem;
    marey_controller *controller;
    double fps, catch_up_s;
    marey_entity wanted; /* a frame ago */
    double x_cm, y_cm;   /* where it is */
};

marey_status marey_body_open(marey_ctx *ctx, const marey_graph *graph, const marey_policy *policy,
                             const marey_entity *start, const marey_body_def *def, marey_body **out,
                             marey_error *error)
{
    const marey_body_def none = { 0 };
    if (!def) def = &none;
    if (!mry_entity_can_be(start) || !(def->catch_up_s >= 0 && def->catch_up_s <= 3600))
        return mry_fail(error, MAREY_ERR_REQUEST, NULL, "a place or a time that cannot be");
    mry_arena mem = mry_arena_make(ctx);
    marey_body *made = MRY_NEW(&mem, marey_body, 1);
    if (!made) return mry_fail_memory(error, NULL);
    marey_controller_def begin = { .x_cm = start->x_cm,
                                   .z_cm = -start->y_cm,
                                   .direction_rad = start->direction_rad,
                                   .rough = def->rough };
    *made = (marey_body){ .mem = mem,
                          .fps = marey_graph_fps(graph),
                          .catch_up_s = def->catch_up_s > 0 ? def->catch_up_s : CATCH_UP_S,
                          .wanted = *start,
                          .x_cm = start->x_cm,
                          .y_cm = start->y_cm };
    marey_status status =
        marey_controller_open(ctx, graph, policy, &begin, &made->controller, error);
    if (status) {
        mry_arena_free(&mem);
        return status;
    }
    *out = made;
    return MAREY_OK;
}

void marey_body_free(marey_body *body)
{
    if (!body) return;
    mry_arena mem = body->mem;
    marey_controller_free(body->controller);
    mry_arena_free(&mem);
}

static marey_wish wish_of(const marey_body *body, const marey_entity *wanted)
{
    double x = wanted->x_cm - body->x_cm, y = wanted->y_cm - body->y_cm;
    double behind = hypot(x, y) > CLOSE_ENOUGH_CM ? 1 / body->catch_up_s : 0;
    double vx = (wanted->x_cm - body->wanted.x_cm) * body->fps + behind * x;
    double vy = (wanted->y_cm - body->wanted.y_cm) * body->fps + behind * y;
    double speed = hypot(vx, vy);
    if (speed < STANDS_CM_S) return (marey_wish){ wanted->direction_rad, 0 };
    return (marey_wish){ atan2(vy, vx), speed };
}

void marey_body_step(marey_body *body, const marey_entity *wanted, marey_controller_frame *out)
{
    marey_entity to = mry_entity_can_be(wanted) ? *wanted : body->wanted;
    marey_wish wish = wish_of(body, &to);
    marey_controller_step(body->controller, &wish, out);
    body->wanted = to;
    body->x_cm = out->x_cm;
    body->y_cm = -out->z_cm;
}

/* ---- a whole path ------------------------------------------------------------------------------------------ */

static marey_status check_path(const marey_entity *path, int count, double rate, marey_error *error)
{
    if (count < 2 || !(rate > 0 && rate <= 10000))
        return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                        "a path has two places at least, and a rate");
    for (int i = 0; i < count; i++) {
        if (!mry_entity_can_be(&path[i]))
            return mry_fail(error, MAREY_ERR_REQUEST, NULL, "place %d of the path cannot be", i);
    }
    return MAREY_OK;
}

static marey_entity place_at(const marey_entity *path, int count, double at)
{
    int i = at < count - 1 ? (int)at : count - 1;
    if (i == count - 1) return path[i];
    double share = at - i;
    const marey_entity *a = &path[i], *b = &path[i + 1];
    return (
        marey_entity){ a->x_cm + share * (b->x_cm - a->x_cm), a->y_cm + share * (b->y_cm - a->y_cm),
                       a->direction_rad + share * mry_wrap(b->direction_rad - a->direction_rad) };
}

/* Walks it, and says how close it came. */
static void follow(marey_body *body, const marey_entity *path, int count, double rate,
                   marey_walk *walk, marey_body_made *about)
{
    int moving = 0;
    for (int f = 0; f < walk->count; f++) {
        marey_controller_frame frame;
        marey_entity before = body->wanted, wanted = place_at(path, count, f * rate / body->fps);
        marey_body_step(body, &wanted, &frame);
        walk->nodes[f] = frame.node;
        if (f == 0) {
            walk->placed = true;
            walk->place = marey_controller_place(body->controller);
        }
        double away = hypot(wanted.x_cm - body->x_cm, wanted.y_cm - body->y_cm);
        about->away_cm += away / walk->count;
        if (away > about->away_most_cm) about->away_most_cm = away;
        double x = wanted.x_cm - before.x_cm, y = wanted.y_cm - before.y_cm;
        if (hypot(x, y) * body->fps < 2 * STANDS_CM_S) continue;
        about->turned_rad += fabs(mry_wrap(frame.direction_rad - atan2(y, x)));
        moving++;
    }
    if (moving) about->turned_rad /= moving;
}

marey_status marey_body_make(marey_ctx *ctx, const marey_graph *graph, const marey_policy *policy,
                             const marey_entity *path, int count, double rate,
                             const marey_body_def *def, const marey_walk_make_def *make,
                             marey_made *out, marey_body_made *about, marey_error *error)
{
    marey_body *body = NULL;
    marey_body_made how = { 0 };
    marey_status status = check_path(path, count, rate, error);
    if (!status) status = marey_body_open(ctx, graph, policy, &path[0], def, &body, error);
    if (status) return status;
    mry_arena tmp = mry_arena_make(ctx);
    double frames = floor((count - 1) / rate * body->fps) + 1;
    marey_walk walk = { .count = frames < 1e7 ? (int)frames : (int)1e7 };
    walk.nodes = MRY_NEW_RAW(&tmp, int, walk.count);
    if (walk.nodes) {
        follow(body, path, count, rate, &walk, &how);
        status = marey_walk_make(ctx, graph, &walk, make, out, &how.walk, error);
    } else {
        status = mry_fail_memory(error, NULL);
    }
    mry_arena_free(&tmp);
    marey_body_free(body);
    if (!status && about) *about = how;
    return status;
}
