/* strip.c - one strip as a file. */
#include "picture/strip.h"

#include "base/fail.h"
#include "motion/clip_data.h"
#include "picture/canvas.h"

static marey_status check(const marey_strip_def *def, const char *path, int *width, int *height,
                          marey_error *error)
{
    enum { LEAST = 48, MOST = 16384 };
    *width = def && def->width_px ? def->width_px : 1600;
    *height = def && def->height_px ? def->height_px : 320;
    if (*width < LEAST || *width > MOST || *height < LEAST || *height > MOST) {
        return mry_fail(error, MAREY_ERR_REQUEST, path,
                        "a strip has %d to %d pixels on a side, not %d x %d", LEAST, MOST, *width,
                        *height);
    }
    if (def && def->poses < 0) {
        return mry_fail(error, MAREY_ERR_REQUEST, path, "a strip cannot show %d poses", def->poses);
    }
    return MAREY_OK;
}

static marey_status draw(mry_canvas *canvas, void *user)
{
    mry_strip_draw(user, canvas->cr);
    return MAREY_OK;
}

static marey_status save(mry_arena *tmp, const marey_clip *clip, const marey_strip_def *def,
                         const char *path, marey_error *error)
{
    mry_strip strip;
    int width, height;
    marey_status status = check(def, path, &width, &height, error);
    if (status) return status;
    status = mry_strip_find(&strip, tmp, clip, def, 0, width, height, true);
    if (status) return mry_fail(error, status, path, "%s", marey_status_name(status));
    return mry_canvas_draw(tmp, path, width, height, draw, &strip, error);
}

marey_status marey_strip_save(const marey_clip *clip, const marey_strip_def *def, const char *path,
                              marey_error *error)
{
    mry_arena tmp = mry_arena_make(clip->mem.ctx);
    marey_status status = save(&tmp, clip, def, path, error);
    mry_arena_free(&tmp);
    return status;
}
