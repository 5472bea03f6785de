/* align_pair.c - the time alignment of two clips, on the grid of their distances. */
#include "align_pair.h"

#include "grid_picture_of.h"
#include "making.h"
#include "shelf.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

typedef struct pairing {
    comparison all;
    marey_align_def def;
    bool from_given, to_given, through_given;
    int64_t from[2], to[2], through[2]; /* frames of the files */
    marey_grid *grid;
    marey_path path;
    double seconds;
} pairing;

/* ---- options --------------------------------------------------------------------------------------- */

static bool is_npy(const char *path)
{
    size_t length = strlen(path);
    return length > 4 && strcasecmp(path + length - 4, ".npy") == 0;
}

static int read_options(pairing *of, session *run, const request *asked)
{
    const char *path = asked->values[OPTION_OUTPUT];
    bool given[2] = { false, false };
    int64_t slope = 0, reference = 0;
    if (path && !is_picture(path) && !is_npy(path)) {
        return session_usage(run, "-o takes a name that ends in .npy, .png, .svg or .pdf");
    }
    int status = options_whole(run, asked, OPTION_SLOPE, 1, 8, &slope);
    /* The path of two is the same whichever of them it is. */
    if (status == PROGRAM_DONE)
        status = options_whole(run, asked, OPTION_REFERENCE, 1, 2, &reference);
    if (status == PROGRAM_DONE) status = read_pair(run, asked, OPTION_FROM, false, of->from, given);
    of->from_given = given[0];
    if (status == PROGRAM_DONE) status = read_pair(run, asked, OPTION_TO, false, of->to, given);
    of->to_given = given[0];
    if (status == PROGRAM_DONE) {
        status = read_pair(run, asked, OPTION_THROUGH, false, of->through, given);
    }
    of->through_given = given[0];
    if (status == PROGRAM_DONE && of->through_given && (of->from_given || of->to_given)) {
        return session_usage(run,
                             "--through has open ends, --from and --to have not: one of these");
    }
    of->def = (marey_align_def){ .slope = (int)slope };
    return status;
}

/* ---- aligning -------------------------------------------------------------------------------------- */

/* A pair of frames of the files as a cell of the grid. */
static marey_status cell_of(const pairing *of, const char *option, const int64_t *frames,
                            marey_cell *out, marey_error *error)
{
    for (int side = 0; side < 2; side++) {
        const input_source *from = &of->all.sources[side];
        *error = (marey_error){ .status = MAREY_ERR_REQUEST };
        if (frames[side] < from->start || frames[side] >= from->end) {
            snprintf(error->message, sizeof error->message,
                     "--%s: frame %lld is not among the frames %d-%d of %s", option,
                     (long long)frames[side], from->start, from->end, side == 0 ? "A" : "B");
            return MAREY_ERR_REQUEST;
        }
    }
    *out = (marey_cell){ comparison_row(&of->all, 0, (int)frames[0]),
                         comparison_row(&of->all, 1, (int)frames[1]) };
    return MAREY_OK;
}

static marey_status choose_ends(pairing *of, marey_error *error)
{
    marey_align_def *def = &of->def;
    marey_status status = MAREY_OK;
    if (of->through_given) {
        def->ends = MAREY_ALIGN_AROUND;
        return cell_of(of, "through", of->through, &def->start, error);
    }
    if (of->from_given) {
        def->ends = MAREY_ALIGN_FORWARDS;
        status = cell_of(of, "from", of->from, &def->start, error);
    }
    if (of->to_given && status == MAREY_OK) {
        def->ends = of->from_given ? MAREY_ALIGN_BETWEEN : MAREY_ALIGN_BACKWARDS;
        status = cell_of(of, "to", of->to, of->from_given ? &def->end : &def->start, error);
    }
    return status;
}

static marey_status align(pairing *of, marey_error *error)
{
    comparison *all = &of->all;
    marey_status status = comparison_load(all, error);
    if (status == MAREY_OK) status = comparison_measure(all, &all->def, error);
    if (status == MAREY_OK) status = choose_ends(of, error);
    if (status != MAREY_OK) return status;
    double start = seconds_now();
    status = marey_grid_build(all->run->ctx, all->features[0], all->features[1], &of->grid, error);
    if (status == MAREY_OK) {
        status = marey_align(all->run->ctx, marey_grid_cost(of->grid), &of->def, &of->path, error);
    }
    of->seconds = all->seconds + seconds_now() - start;
    return status;
}

/* ---- the answer ------------------------------------------------------------------------------------ */

static int slope_of(const pairing *of)
{
    return of->def.slope ? of->def.slope : 2;
}

static void write_json(const pairing *of, const char *path)
{
    const comparison *all = &of->all;
    json to = json_make(&all->run->out);
    json_open(&to, NULL, '{');
    json_open(&to, "path", '[');
    for (int i = 0; i < of->path.count; i++) {
        const marey_cell *cell = &of->path.cells[i];
        json_open(&to, NULL, '[');
        json_put_integer(&to, NULL, comparison_frame(all, 0, cell->row));
        json_put_integer(&to, NULL, comparison_frame(all, 1, cell->col));
        json_close(&to, ']');
    }
    json_close(&to, ']');
    json_put_number(&to, "mean_distance", of->path.mean);
    json_put_integer(&to, "slope", slope_of(of));
    json_put_integer(&to, "cells", of->path.count);
    json_put_integer(&to, "rows", marey_features_rows(all->features[0]));
    json_put_integer(&to, "cols", marey_features_rows(all->features[1]));
    json_put_number(&to, "seconds", of->seconds);
    comparison_json(all, &to);
    json_put_string(&to, "file", path);
    json_close(&to, '}');
    buffer_byte(to.out, '\n');
}

static void write_text(const pairing *of, const char *path)
{
    const comparison *all = &of->all;
    buffer *out = &all->run->out;
    const marey_cell *first = &of->path.cells[0], *last = &of->path.cells[of->path.count - 1];
    const char *unit = comparison_unit(all);
    if (all->run->quiet && path) return;
    comparison_text(all, out);
    buffer_print(out,
                 "  path      %d cells, from frames %d and %d to frames %d and %d\n"
                 "  distance  %.6g%s%s on average",
                 of->path.count, comparison_frame(all, 0, first->row),
                 comparison_frame(all, 1, first->col), comparison_frame(all, 0, last->row),
                 comparison_frame(all, 1, last->col), of->path.mean, *unit ? " " : "", unit);
    if (comparison_is_squared(all)) {
        buffer_print(out, ", root %.4g %s", sqrt(of->path.mean),
                     strcmp(unit, "cm2") == 0 ? "cm" : "raw");
    }
    buffer_print(out, "\n  slope     at most %d step%s in a row along one clip\n  seconds   %.3g\n",
                 slope_of(of), slope_of(of) == 1 ? "" : "s", of->seconds);
    if (!path) return;
    buffer_text(out, "wrote ");
    buffer_shown(out, path);
    buffer_byte(out, '\n');
}

/* ---- files ----------------------------------------------------------------------------------------- */

static marey_status fail_memory(marey_error *error)
{
    *error = (marey_error){ .status = MAREY_ERR_MEMORY, .message = "out of memory" };
    return MAREY_ERR_MEMORY;
}

/* Rows of two numbers: the frames of the files. */
static marey_status save_npy(const pairing *of, const char *path, marey_error *error)
{
    const comparison *all = &of->all;
    int64_t shape[2] = { of->path.count, 2 };
    buffer values = buffer_make(&all->run->host->def);
    for (int i = 0; i < of->path.count; i++) {
        const marey_cell *cell = &of->path.cells[i];
        float pair[2] = { (float)comparison_frame(all, 0, cell->row),
                          (float)comparison_frame(all, 1, cell->col) };
        buffer_bytes(&values, (const char *)pair, sizeof pair);
    }
    marey_status status =
        values.failed ? fail_memory(error)
                      : marey_npy_save(all->run->ctx, path,
                                       (const float *)(const void *)values.bytes, shape, 2, error);
    buffer_free(&values);
    return status;
}

static marey_status draw(const pairing *of, const char *path, marey_error *error)
{
    marey_grid_picture_def def = { .joined = true, .pair_count = of->path.count };
    buffer pairs = buffer_make(&of->all.run->host->def);
    for (int i = 0; i < of->path.count; i++) {
        marey_pair pair = { of->path.cells[i].row, of->path.cells[i].col, 0 };
        buffer_bytes(&pairs, (const char *)&pair, sizeof pair);
    }
    def.pairs = (const marey_pair *)(const void *)pairs.bytes;
    marey_status status =
        pairs.failed ? fail_memory(error) : grid_picture_of(&of->all, of->grid, &def, path, error);
    buffer_free(&pairs);
    return status;
}

/* ---- the command ----------------------------------------------------------------------------------- */

static marey_status align_and_answer(pairing *of, const char *path, marey_error *error)
{
    marey_status status = align(of, error);
    if (status != MAREY_OK) return status;
    if (of->all.run->json) {
        write_json(of, path);
    } else {
        write_text(of, path);
    }
    status = shelf_ready(of->all.run, error);
    if (status != MAREY_OK || !path) return status;
    return is_npy(path) ? save_npy(of, path, error) : draw(of, path, error);
}

int align_pair(session *run, const request *asked)
{
    pairing of = { .grid = NULL };
    marey_error error;
    int status = read_options(&of, run, asked);
    if (status == PROGRAM_DONE) status = comparison_open(&of.all, run, asked);
    if (status != PROGRAM_DONE) return status;
    of.all.for_making = true;
    marey_status done = align_and_answer(&of, asked->values[OPTION_OUTPUT], &error);
    marey_path_free(&of.path);
    marey_grid_free(of.grid);
    comparison_close(&of.all);
    if (done == MAREY_OK) return session_finish(run, PROGRAM_DONE);
    run->out.used = 0;
    return session_fail(run, &error);
}
