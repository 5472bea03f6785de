/* sheet.c - a library at a glance: many thumbnails of strips on one page. In a PNG the strips are
   drawn by several threads, each into its own part of the page's pixels; letters are drawn by
   one. */
#include "base/fail.h"
#include "motion/clip_data.h"
#include "picture/canvas.h"
#include "picture/strip.h"

#include <cairo.h>
#include <math.h>
#include <stdio.h>

/* Of one clip: its strip, a line with the name, a line about it. */
enum { CELL_WIDTH = 420, CELL_HEIGHT = 132, STRIP_HEIGHT = 92, GAP = 14, MOST_CLIPS = 20000 };

typedef struct sheet {
    const marey_clip *const *clips;
    const char *const *labels; /* may be NULL */
    int count, columns, rows;
    mry_canvas *canvas;     /* while it is drawn */
    int first;              /* strip of those that are drawn now */
    marey_status *statuses; /* of each strip */
    int8_t *sides;          /* from which each is seen best */
    int side;               /* from which all are seen */
} sheet;

static void cell_place(const sheet *s, int64_t i, int *x, int *y)
{
    *x = GAP + (int)(i % s->columns) * (CELL_WIDTH + GAP);
    *y = GAP + (int)(i / s->columns) * (CELL_HEIGHT + GAP);
}

static marey_status draw_strip(const sheet *s, int64_t i, mry_arena *tmp, cairo_t *cr)
{
    mry_strip strip;
    marey_status status =
        mry_strip_find(&strip, tmp, s->clips[i], NULL, s->side, CELL_WIDTH, STRIP_HEIGHT, false);
    if (!status) mry_strip_draw(&strip, cr);
    return status;
}

/* One strip of those from `first` on. */
static void draw_cell(void *user, int64_t number)
{
    sheet *s = user;
    int64_t i = s->first + number;
    int x, y;
    marey_ctx *ctx = s->clips[0]->mem.ctx;
    mry_arena tmp = mry_arena_make(ctx);
    cell_place(s, i, &x, &y);
    if (mry_cancelled(ctx)) {
        s->statuses[i] = MAREY_ERR_CANCELLED;
    } else if (s->canvas->pixels) {
        /* Straight into the page's pixels: cells do not touch, so threads do not meet. */
        uint8_t *corner = s->canvas->pixels + (size_t)y * (size_t)s->canvas->stride + 4 * (size_t)x;
        cairo_surface_t *surface = cairo_image_surface_create_for_data(
            corner, CAIRO_FORMAT_RGB24, CELL_WIDTH, STRIP_HEIGHT, s->canvas->stride);
        cairo_t *cr = cairo_create(surface);
        cairo_set_font_face(cr, s->canvas->letters);
        marey_status status = draw_strip(s, i, &tmp, cr);
        if (!status && cairo_status(cr)) status = MAREY_ERR_MEMORY;
        cairo_destroy(cr);
        cairo_surface_destroy(surface);
        s->statuses[i] = status;
    } else {
        cairo_save(s->canvas->cr);
        cairo_translate(s->canvas->cr, x, y);
        s->statuses[i] = draw_strip(s, i, &tmp, s->canvas->cr);
        cairo_restore(s->canvas->cr);
    }
    mry_arena_free(&tmp);
}

static void find_side(void *user, int64_t i)
{
    sheet *s = user;
    mry_arena tmp = mry_arena_make(s->clips[0]->mem.ctx);
    mry_track track;
    mry_body body;
    if (mry_cancelled(s->clips[0]->mem.ctx)) {
        s->statuses[i] = MAREY_ERR_CANCELLED;
    } else if (!mry_track_find(&track, &body, &tmp, s->clips[i])) {
        s->statuses[i] = MAREY_ERR_MEMORY;
    } else {
        s->sides[i] = (int8_t)mry_track_side(&track, &body);
    }
    mry_arena_free(&tmp);
}

static marey_status first_failure(const sheet *s)
{
    for (int i = 0; i < s->count; i++) {
        if (s->statuses[i]) return s->statuses[i];
    }
    return MAREY_OK;
}

static marey_status draw(mry_canvas *canvas, void *user)
{
    enum { BATCH = 32 }; /* some at a time, so that progress shows */
    sheet *s = user;
    cairo_t *cr = canvas->cr;
    marey_ctx *ctx = s->clips[0]->mem.ctx;
    s->canvas = canvas;
    if (canvas->pixels) cairo_surface_flush(canvas->surface);
    for (s->first = 0; s->first < s->count; s->first += BATCH) {
        int count = s->count - s->first < BATCH ? s->count - s->first : BATCH;
        mry_progress(ctx, "drawing strips", s->first, s->count);
        if (canvas->pixels) {
            marey_ctx_run(ctx, count, draw_cell, s);
        } else { /* SVG and PDF are one stream, so one thread draws them */
            for (int i = 0; i < count; i++) draw_cell(s, i);
        }
    }
    if (canvas->pixels) cairo_surface_mark_dirty(canvas->surface);
    marey_status status = first_failure(s);
    for (int i = 0; i < s->count && !status; i++) {
        char about[256];
        int x, y;
        const char *labels = s->labels && s->labels[i] ? s->labels[i] : "";
        cell_place(s, i, &x, &y);
        snprintf(about, sizeof about, "%.3g s%s%.200s", marey_clip_seconds(s->clips[i]),
                 *labels ? " \xc2\xb7 " : "", labels);
        mry_text(cr, x + 2, y + STRIP_HEIGHT + 15, 13, MRY_TEXT, 0, CELL_WIDTH - 4,
                 marey_clip_name(s->clips[i]));
        mry_text(cr, x + 2, y + STRIP_HEIGHT + 30, 11, MRY_PALE, 0, CELL_WIDTH - 4, about);
        mry_line(cr, x, y + CELL_HEIGHT + 0.5, x + CELL_WIDTH, y + CELL_HEIGHT + 0.5, MRY_FAINT, 1);
    }
    return status;
}

marey_status marey_sheet_save(const marey_clip *const *clips, const char *const *labels, int count,
                              const char *path, marey_error *error)
{
    if (count < 1)
        return mry_fail(error, MAREY_ERR_REQUEST, path, "a sheet must have at least 1 clip");
    if (count > MOST_CLIPS) {
        return mry_fail(error, MAREY_ERR_LIMIT, path, "clips of a sheet must be at most %d, got %d",
                        MOST_CLIPS, count);
    }
    mry_arena tmp = mry_arena_make(clips[0]->mem.ctx);
    sheet s = { .clips = clips, .labels = labels, .count = count };
    /* As many columns as make the page about four wide to three high. */
    s.columns = (int)ceil(sqrt(count * (4.0 / 3.0) * CELL_HEIGHT / CELL_WIDTH) - 1e-9);
    if (s.columns < 2 && count > 1) s.columns = 2;
    s.rows = (count + s.columns - 1) / s.columns;
    s.statuses = MRY_NEW(&tmp, marey_status, count);
    s.sides = MRY_NEW(&tmp, int8_t, count);
    marey_status status = s.statuses && s.sides ? MAREY_OK : mry_fail_memory(error, path);
    if (!status) {
        /* Strips that are compared with each other are seen from one side: the one that most of
           them want. */
        int sum = 0;
        marey_ctx_run(tmp.ctx, count, find_side, &s);
        for (int i = 0; i < count; i++) sum += s.sides[i];
        s.side = sum > 0 ? 1 : -1;
        status = first_failure(&s);
        if (status) mry_fail(error, status, path, "%s", marey_status_name(status));
    }
    if (!status)
        status = mry_canvas_draw(&tmp, path, GAP + s.columns * (CELL_WIDTH + GAP),
                                 GAP + s.rows * (CELL_HEIGHT + GAP), draw, &s, error);
    mry_arena_free(&tmp);
    return status;
}
