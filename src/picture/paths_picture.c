/* paths_picture.c - ways seen from above: what is asked for, and the whole. */
#include "picture/paths_picture.h"

#include "base/fail.h"
#include "picture/canvas.h"
#include "puppet/puppet_data.h"

#include <math.h>

static marey_status check_walker(const marey_paths_walker *walker, int number, const char *path,
                                 marey_error *error)
{
    if (walker->count < 2)
        return mry_fail(error, MAREY_ERR_REQUEST, path, "way %d has %d places; it takes two",
                        number, walker->count);
    if (!(walker->rate >= 1e-3 && walker->rate <= 1e5))
        return mry_fail(error, MAREY_ERR_REQUEST, path, "way %d: %g places a second cannot be",
                        number, walker->rate);
    for (int i = 0; i < walker->count; i++) {
        if (!mry_entity_can_be(&walker->places[i]))
            return mry_fail(error, MAREY_ERR_REQUEST, path,
                            "way %d, place %d: not a number, or too far", number, i);
    }
    return MAREY_OK;
}

static marey_status check(const mry_paths_plan *p, const char *path, marey_error *error)
{
    if (p->count < 1 || p->count > MRY_PATHS_MOST_WALKERS)
        return mry_fail(error, MAREY_ERR_REQUEST, path, "a plan shows 1 to %d ways",
                        (int)MRY_PATHS_MOST_WALKERS);
    if (p->width < 240 || p->width > 8192)
        return mry_fail(error, MAREY_ERR_REQUEST, path, "a plan is 240 to 8192 pixels wide");
    for (int i = 0; i < p->count; i++) {
        marey_status status = check_walker(&p->walkers[i], i, path, error);
        if (status) return status;
        double dots = mry_paths_seconds(&p->walkers[i]) / p->def->every_s;
        if (p->def->every_s != 0 && !(p->def->every_s > 0 && dots <= MRY_PATHS_MOST_DOTS))
            return mry_fail(error, MAREY_ERR_REQUEST, path,
                            "a dot each %g s cannot be; a way has at most %d", p->def->every_s,
                            (int)MRY_PATHS_MOST_DOTS);
    }
    return MAREY_OK;
}

static marey_status draw(mry_canvas *canvas, void *user)
{
    const mry_paths_plan *p = user;
    cairo_t *cr = canvas->cr;
    if (p->def->title)
        mry_text(cr, p->floor.x, p->title_y, 16, MRY_TEXT, 0, p->floor.width, p->def->title);
    mry_paths_draw_key(p, cr);
    mry_paths_draw_floor(p, cr);
    mry_paths_draw_joins(p, cr);
    mry_paths_draw_ways(p, cr);
    mry_paths_draw_marks(p, cr);
    mry_paths_draw_distances(p, cr);
    return MAREY_OK;
}

marey_status marey_paths_picture_save(marey_ctx *ctx, const marey_paths_walker *walkers, int count,
                                      const marey_paths_picture_def *def, const char *path,
                                      marey_error *error)
{
    marey_paths_picture_def settled = def ? *def : (marey_paths_picture_def){ 0 };
    if (settled.width_px == 0) settled.width_px = 1000;
    mry_paths_plan p = {
        .walkers = walkers, .count = count, .def = &settled, .width = settled.width_px
    };
    marey_status status = check(&p, path, error);
    if (status) return status;
    mry_paths_lay_out(&p);
    mry_arena tmp = mry_arena_make(ctx);
    status = mry_canvas_draw(&tmp, path, p.width, p.height, draw, &p, error);
    mry_arena_free(&tmp);
    return status;
}
