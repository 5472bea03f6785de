/* points_file.c - the table of files that hold points, and the one way in. */
#include "io/points_file.h"
#include "base/fail.h"

#include <inttypes.h>
#include <string.h>
#include <strings.h>

static const struct {
    marey_format shown;
    mry_points_probe_fn *probe;
    mry_points_read_fn *read;
} formats[] = {
    { .shown = { .name = "npy",
                 .ending = ".npy",
                 .description = "NumPy array: frames x points x 3",
                 .reads = true,
                 .writes = true,
                 .points = true,
                 .written_units = MAREY_UNITS_CM,
                 .lost_reading = "",
                 .lost_writing = "rotations, names, parents, the rate, the units" },
      .probe = mry_npy_probe,
      .read = mry_npy_read },
    { .shown = { .name = "npz",
                 .ending = ".npz",
                 .description = "NumPy archive: points with names, parents and rate",
                 .reads = true,
                 .writes = true,
                 .points = true,
                 .written_units = MAREY_UNITS_CM,
                 .lost_reading = "other arrays",
                 .lost_writing = "rotations, events" },
      .probe = mry_npz_probe,
      .read = mry_npz_read },
    { .shown = { .name = "trc",
                 .ending = ".trc",
                 .description = "markers as text, of Motion Analysis and OpenSim",
                 .reads = true,
                 .points = true,
                 .lost_reading = "times of frames beside the rate",
                 .lost_writing = "" },
      .probe = mry_trc_probe,
      .read = mry_trc_read },
    { .shown = { .name = "c3d",
                 .ending = ".c3d",
                 .description = "markers and events of a laboratory",
                 .reads = true,
                 .points = true,
                 .lost_reading = "analog channels, force plates, residuals, cameras",
                 .lost_writing = "" },
      .probe = mry_c3d_probe,
      .read = mry_c3d_read },
};
enum { FORMATS = sizeof formats / sizeof *formats };

/* What is handed out begins with the points and holds the arena that all of it lives in. */
typedef struct held {
    marey_points view;
    mry_arena mem;
} held;

const marey_format *mry_points_format(int index)
{
    return index >= 0 && index < FORMATS ? &formats[index].shown : NULL;
}

marey_status mry_points_check_size(const mry_points_file *file, int64_t frames, int64_t count)
{
    if (count <= MRY_MOST_POINTS && frames <= MRY_MOST_POINT_FRAMES) return MAREY_OK;
    return mry_fail(file->scan->error, MAREY_ERR_LIMIT, file->scan->path,
                    "%" PRId64 " points in %" PRId64
                    " frames; marey reads at most %d points and %d frames",
                    count, frames, MRY_MOST_POINTS, MRY_MOST_POINT_FRAMES);
}

marey_units mry_points_units(const char *name)
{
    for (int i = MAREY_UNITS_GUESS + 1; i < MAREY_UNITS_RAW; i++)
        if (strcasecmp(name, marey_units_name((marey_units)i)) == 0) return (marey_units)i;
    return MAREY_UNITS_GUESS;
}

static marey_status load(mry_scan *scan, mry_arena *tmp, marey_points **out)
{
    /* By content; if nothing fits, by name, so that a damaged file gets its reader's complaint. */
    int format = 0;
    size_t seen = (size_t)(scan->end - scan->p), length = strlen(scan->path);
    while (format < FORMATS && !formats[format].probe((const uint8_t *)scan->p, seen)) format++;
    for (int i = 0; i < FORMATS && format == FORMATS; i++) {
        size_t n = strlen(formats[i].shown.ending);
        if (length > n && strcasecmp(scan->path + length - n, formats[i].shown.ending) == 0) {
            format = i;
            break;
        }
    }
    if (format == FORMATS)
        return mry_fail(scan->error, MAREY_ERR_UNKNOWN_FORMAT, scan->path,
                        "no known format of points: its content is not C3D, TRC, NPY or NPZ");
    mry_arena mem = mry_arena_make(scan->ctx);
    mry_points_file file = { .scan = scan, .mem = &mem, .tmp = tmp };
    const char *slash = strrchr(scan->path, '/'), *start = slash ? slash + 1 : scan->path;
    const char *dot = strrchr(start, '.');
    held *all = MRY_NEW(&mem, held, 1);
    const char *name =
        mry_arena_text(&mem, start, dot && dot > start ? (size_t)(dot - start) : strlen(start));
    marey_status status = mry_scan_whole(scan, tmp, &file.bytes, &file.count);
    if (!status && (!name || !all)) status = mry_fail_memory(scan->error, scan->path);
    if (!status) {
        all->view.name = name;
        all->view.format = formats[format].shown.name;
        status = formats[format].read(&file, &all->view);
    }
    if (status) {
        mry_arena_free(&mem);
        return status;
    }
    all->mem = mem;
    *out = &all->view;
    return MAREY_OK;
}

marey_status marey_points_load(marey_ctx *ctx, const char *path, marey_points **out,
                               marey_error *error)
{
    mry_arena tmp = mry_arena_make(ctx);
    mry_scan scan;
    marey_status status = mry_scan_open(&scan, &tmp, path, error);
    if (!status) status = load(&scan, &tmp, out);
    mry_scan_close(&scan);
    mry_arena_free(&tmp);
    return status;
}

marey_status marey_points_load_bytes(marey_ctx *ctx, const char *name, const void *bytes,
                                     size_t count, marey_points **out, marey_error *error)
{
    mry_arena tmp = mry_arena_make(ctx);
    mry_scan scan;
    marey_status status = mry_scan_bytes(&scan, &tmp, name, bytes, count, error);
    if (!status) status = load(&scan, &tmp, out);
    mry_arena_free(&tmp);
    return status;
}

void marey_points_free(marey_points *points)
{
    if (!points) return;
    mry_arena mem = ((held *)points)->mem;
    mry_arena_free(&mem);
}
