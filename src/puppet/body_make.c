/* body_make.c - a whole path at once: what a body does that knows the way ahead, as one clip with planted feet. */
#include "base/fail.h"
#include "graph/walk_data.h"
#include "puppet/body_data.h"

#include <math.h>

#define MOVES_CM_S 30.0

static marey_status check_path(const marey_entity *path, int count, double rate, double fps,
                               marey_error *error)
{
    if (count < 2 || !(rate > 0 && rate <= 10000))
        return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                        "a path has two places at least, and a rate");
    for (int i = 0; i < count; i++) {
        if (!mry_entity_can_be(&path[i]))
            return mry_fail(error, MAREY_ERR_REQUEST, NULL, "place %d of the path cannot be", i);
    }
    double frames = floor((count - 1) / rate * fps) + 1;
    if (frames > MRY_WALK_MOST_FRAMES)
        return mry_fail(error, MAREY_ERR_LIMIT, NULL,
                        "a path of %.0f frames; a body is made for at most %d", frames,
                        (int)MRY_WALK_MOST_FRAMES);
    return MAREY_OK;
}

typedef struct following {
    marey_body *body;
    const marey_entity *path;
    int count;
    double rate;
    marey_walk walk;
    mry_floor *at; /* of each frame: how it is laid */
    marey_body_made how;
} following;

static marey_entity place_at(const following *f, double time_s)
{
    double at = fmin(fmax(time_s * f->rate, 0), f->count - 1);
    int i = (int)at;
    if (i >= f->count - 1) return f->path[f->count - 1];
    return mry_entity_between(&f->path[i], &f->path[i + 1], at - i);
}

static void find_aims(const following *f, int frame, mry_aim *aims)
{
    const double around = 0.1;
    for (int k = 0; k < f->body->search.layers; k++) {
        double time = (frame - 1 + (k + 1) * f->body->ground->frames) / f->body->fps;
        marey_entity at = place_at(f, time), before = place_at(f, time - around),
                     behind = place_at(f, time + around);
        aims[k] = (mry_aim){ at.x_cm,
                             at.y_cm,
                             (behind.x_cm - before.x_cm) / (2 * around),
                             (behind.y_cm - before.y_cm) / (2 * around),
                             cos(at.direction_rad),
                             sin(at.direction_rad) };
    }
}

static double add_frame(following *f, int n, const marey_entity *before, const marey_entity *wanted)
{
    marey_controller_frame frame;
    mry_aim aims[MRY_BODY_MOST_LAYERS];
    find_aims(f, n, aims);
    mry_body_go(f->body, aims, wanted, &frame);
    marey_placement laid = marey_controller_place(f->body->controller);
    f->walk.nodes[n] = frame.node;
    f->at[n] = (mry_floor){ laid.angle_rad, laid.x_cm, laid.z_cm };
    double away = hypot(wanted->x_cm - f->body->x_cm, wanted->y_cm - f->body->y_cm);
    f->how.away_cm += away / f->walk.count;
    f->how.away_most_cm = fmax(f->how.away_most_cm, away);
    double x = wanted->x_cm - before->x_cm, y = wanted->y_cm - before->y_cm;
    if (hypot(x, y) * f->body->fps < MOVES_CM_S) return -1;
    return fabs(mry_wrap(frame.direction_rad - atan2(y, x)));
}

/* Walks it, and says how close it came. */
static marey_status follow(following *f, marey_ctx *ctx, marey_error *error)
{
    int moving = 0;
    for (int n = 0; n < f->walk.count; n++) {
        if (n % 64 == 0 && !mry_progress(ctx, "following", n, f->walk.count))
            return mry_fail_cancelled(error);
        marey_entity before = f->body->wanted, wanted = place_at(f, n / f->body->fps);
        double turned = add_frame(f, n, &before, &wanted);
        if (turned < 0) continue;
        f->how.turned_rad += turned;
        moving++;
    }
    if (moving) f->how.turned_rad /= moving;
    return MAREY_OK;
}

/* The nodes once more, as a walk that outlives this; who stands where there is no way on is in one for many frames. */
static marey_status copy_walk(marey_ctx *ctx, const marey_walk *walk, marey_walk *out,
                              marey_error *error)
{
    size_t bytes = (size_t)walk->count * sizeof *walk->nodes;
    int *nodes = mry_alloc(ctx, bytes), count = 0;
    if (!nodes) return mry_fail_memory(error, NULL);
    for (int n = 0; n < walk->count; n++) {
        if (n == 0 || walk->nodes[n] != walk->nodes[n - 1]) nodes[count++] = walk->nodes[n];
    }
    *out = (marey_walk){ .count = count, .nodes = nodes, .bytes = bytes, .ctx = ctx };
    return MAREY_OK;
}

marey_status marey_body_make(marey_ctx *ctx, const marey_graph *graph, const marey_policy *policy,
                             const marey_entity *path, int count, double rate,
                             const marey_body_def *def, const marey_walk_make_def *make,
                             marey_made *out, marey_body_made *about, marey_error *error)
{
    const marey_body_def none = { 0 };
    following f = { .path = path, .count = count, .rate = rate };
    marey_walk walked = { 0 };
    marey_status status = check_path(path, count, rate, graph->fps, error);
    if (!status)
        status = mry_body_open(ctx, graph, policy, &path[0], def ? def : &none, MRY_BODY_MADE_WIDTH,
                               MRY_BODY_MADE_LAYERS, &f.body, error);
    if (status) return status;
    mry_arena tmp = mry_arena_make(ctx);
    f.walk.count = (int)floor((count - 1) / rate * graph->fps) + 1;
    f.walk.nodes = MRY_NEW_RAW(&tmp, int, f.walk.count);
    f.at = MRY_NEW_RAW(&tmp, mry_floor, f.walk.count);
    if (!f.walk.nodes || !f.at) status = mry_fail_memory(error, NULL);
    if (!status) status = follow(&f, ctx, error);
    if (!status && def && def->walked) status = copy_walk(ctx, &f.walk, &walked, error);
    if (!status)
        status = mry_walk_make_bent(ctx, graph, &f.walk, f.at, make, out, &f.how.walk, error);
    mry_arena_free(&tmp);
    marey_body_free(f.body);
    if (status) marey_walk_free(&walked);
    if (!status && def && def->walked) *def->walked = walked;
    if (!status && about) *about = f.how;
    return status;
}
