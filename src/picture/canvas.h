/* canvas.h - a page to draw on with cairo that becomes a PNG, SVG or PDF file, whole or not at all.
   Read after base/file.h. cairo's own memory is not counted by the context; the pixels are. All
   drawing happens in a child process: see canvas.c. */
#ifndef MRY_CANVAS_H
#define MRY_CANVAS_H

#include "base/file.h"

/* cairo's own types, so that a reader of this need not know where cairo is. */
typedef struct _cairo cairo_t;
typedef struct _cairo_surface cairo_surface_t;
typedef struct _cairo_font_face cairo_font_face_t;

typedef enum mry_canvas_kind { MRY_CANVAS_PNG, MRY_CANVAS_SVG, MRY_CANVAS_PDF } mry_canvas_kind;

enum { MRY_CANVAS_NUMBERED = 3 };

typedef struct mry_canvas {
    mry_canvas_kind kind;
    int width, height; /* pixels, or points of 1/96 inch */
    cairo_t *cr;       /* white, ready to draw on */
    cairo_surface_t *surface;
    cairo_font_face_t *letters; /* set for cr; for another one that is drawn on beside it */
    uint8_t *pixels;            /* of a PNG: rows of `stride` bytes; otherwise NULL */
    int stride;
    mry_arena *tmp;
    mry_writer writer;
    /* SVG: bytes of each word before a running number that were just seen. */
    int matched[MRY_CANVAS_NUMBERED];
} mry_canvas;

enum { MRY_CANVAS_MOST = 32767 }; /* cairo's largest picture */

/* Fills the page, in a child process: it sees everything that the caller sees, and nothing that it
   changes comes back but the page, its status and its progress. It may use marey_ctx_run. */
typedef marey_status mry_canvas_fn(mry_canvas *canvas, void *user);

/* Draws a page and saves it. REQUEST: another ending than the three. LIMIT: too large. MEMORY: also
   where cairo failed. */
marey_status mry_canvas_draw(mry_arena *tmp, const char *path, int width, int height,
                             mry_canvas_fn *draw, void *user, marey_error *error);

bool mry_path_ends(const char *path, const char *ending); /* in any case */

#endif
