/* canvas.c - cairo's surfaces over the library's writer. The same drawing gives the same bytes: PDF gets a
   fixed date, and the running number that cairo puts into an SVG, which counts the surfaces of the whole
   process, is taken out on the way. */
#include "picture/canvas.h"

#include "base/fail.h"

#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <string.h>
#include <strings.h>

/* No drawing comes near it; cairo alone knows what one takes. */
static const uint64_t most_bytes = (uint64_t)4 << 30;

static const struct {
    const char *ending;
    mry_canvas_kind kind;
} kinds[] = {
    { ".png", MRY_CANVAS_PNG },
    { ".svg", MRY_CANVAS_SVG },
    { ".pdf", MRY_CANVAS_PDF },
};

bool mry_path_ends(const char *path, const char *ending)
{
    size_t length = strlen(path), tail = strlen(ending);
    return length > tail && strcasecmp(path + length - tail, ending) == 0;
}

static marey_status find_kind(const char *path, mry_canvas_kind *kind, marey_error *error)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (mry_path_ends(path, kinds[i].ending)) {
            *kind = kinds[i].kind;
            return MAREY_OK;
        }
    }
    return mry_fail(error, MAREY_ERR_REQUEST, path,
                    "a picture's name must end in .png, .svg or .pdf");
}

static cairo_status_t write_bytes(void *user, const unsigned char *bytes, unsigned int count)
{
    mry_canvas *canvas = user;
    mry_writer_bytes(&canvas->writer, bytes, count);
    return mry_writer_failed(&canvas->writer) ? CAIRO_STATUS_WRITE_ERROR : CAIRO_STATUS_SUCCESS;
}

/* What cairo puts a running number of the whole process behind. No picture of ours has two of one kind. */
static const char *const numbered[MRY_CANVAS_NUMBERED] = { "surface", "\"image", "#image" };

/* Is this a digit of such a number? Takes one more byte into account. Pieces may end anywhere, so how much of each word
   was just seen is kept in the canvas. */
static bool is_running_number(mry_canvas *canvas, unsigned char byte)
{
    bool digit = byte >= '0' && byte <= '9', found = false;
    for (int w = 0; w < MRY_CANVAS_NUMBERED; w++) {
        const char *word = numbered[w];
        int *matched = &canvas->matched[w];
        if (word[*matched] == 0 && digit) {
            found = true;
        } else if (word[*matched] && byte == (unsigned char)word[*matched]) {
            (*matched)++;
        } else {
            *matched = byte == (unsigned char)word[0];
        }
    }
    return found;
}

/* Leaves running numbers out. Letters that are shown are outlines in cairo's SVG, so these words come from cairo alone;
   in the base64 of an image there are neither quotes nor '#'. */
static cairo_status_t write_svg(void *user, const unsigned char *bytes, unsigned int count)
{
    mry_canvas *canvas = user;
    unsigned int start = 0;
    for (unsigned int i = 0; i < count; i++) {
        if (!is_running_number(canvas, bytes[i])) continue;
        mry_writer_bytes(&canvas->writer, bytes + start, i - start);
        start = i + 1;
    }
    return write_bytes(user, bytes + start, count - start);
}

static cairo_surface_t *make_surface(mry_canvas *canvas)
{
    const double points = 72.0 / 96.0;
    double width = canvas->width, height = canvas->height;
    cairo_surface_t *surface;
    switch (canvas->kind) {
    case MRY_CANVAS_SVG:
        return cairo_svg_surface_create_for_stream(write_svg, canvas, width, height);
    case MRY_CANVAS_PDF:
        surface = cairo_pdf_surface_create_for_stream(write_bytes, canvas, points * width,
                                                      points * height);
        cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATE_DATE,
                                       "2000-01-01T00:00:00Z");
        return surface;
    default:
        canvas->stride = cairo_format_stride_for_width(CAIRO_FORMAT_RGB24, canvas->width);
        canvas->pixels =
            mry_arena_take(canvas->tmp, (size_t)canvas->stride, (size_t)canvas->height);
        if (!canvas->pixels) return NULL;
        return cairo_image_surface_create_for_data(canvas->pixels, CAIRO_FORMAT_RGB24,
                                                   canvas->width, canvas->height, canvas->stride);
    }
}

static void close_surface(mry_canvas *canvas)
{
    if (canvas->cr) cairo_destroy(canvas->cr);
    if (canvas->surface) cairo_surface_destroy(canvas->surface);
    canvas->cr = NULL;
    canvas->surface = NULL;
}

marey_status mry_canvas_open(mry_canvas *canvas, mry_arena *tmp, const char *path, int width,
                             int height, marey_error *error)
{
    *canvas = (mry_canvas){ .width = width, .height = height, .tmp = tmp };
    marey_status status = find_kind(path, &canvas->kind, error);
    if (status) return status;
    if (width > MRY_CANVAS_MOST || height > MRY_CANVAS_MOST) {
        return mry_fail(error, MAREY_ERR_LIMIT, path,
                        "a picture has at most %d pixels on a side, this needs %d x %d",
                        MRY_CANVAS_MOST, width, height);
    }
    status = mry_writer_open(&canvas->writer, tmp, path, most_bytes, error);
    if (status) return status;
    canvas->surface = make_surface(canvas);
    canvas->cr = canvas->surface ? cairo_create(canvas->surface) : NULL;
    if (!canvas->cr || cairo_status(canvas->cr)) {
        mry_canvas_drop(canvas);
        return mry_fail_memory(error, path);
    }
    if (canvas->kind == MRY_CANVAS_PDF) cairo_scale(canvas->cr, 72.0 / 96.0, 72.0 / 96.0);
    cairo_set_source_rgb(canvas->cr, 1, 1, 1);
    cairo_rectangle(canvas->cr, 0, 0, width, height);
    cairo_fill(canvas->cr);
    return MAREY_OK;
}

void mry_canvas_drop(mry_canvas *canvas)
{
    close_surface(canvas);
    mry_writer_abandon(&canvas->writer);
}

marey_status mry_canvas_save(mry_canvas *canvas, marey_error *error)
{
    cairo_status_t drawn = cairo_status(canvas->cr);
    if (!drawn) {
        cairo_show_page(canvas->cr);
        if (canvas->kind == MRY_CANVAS_PNG) {
            cairo_surface_flush(canvas->surface);
            bool written = mry_png_write(&canvas->writer, canvas->tmp, canvas->pixels,
                                         canvas->width, canvas->height, canvas->stride);
            drawn = written ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_NO_MEMORY;
        } else {
            cairo_surface_finish(canvas->surface);
            drawn = cairo_surface_status(canvas->surface);
        }
    }
    close_surface(canvas);
    if (!drawn || mry_writer_failed(&canvas->writer))
        return mry_writer_commit(&canvas->writer, error);
    mry_writer_abandon(&canvas->writer);
    if (drawn == CAIRO_STATUS_NO_MEMORY) return mry_fail_memory(error, canvas->writer.path);
    return mry_fail(error, MAREY_ERR_IO, canvas->writer.path, "cannot draw this picture: %s",
                    cairo_status_to_string(drawn));
}
