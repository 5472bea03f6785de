/* cmd_grid.c - `marey grid`: how far every frame of one clip is from every frame of another, as numbers or drawn. */
#include "commands.h"
#include "grid_picture_of.h"
#include "shelf.h"

#include <math.h>
#include <string.h>
#include <strings.h>

typedef struct grid_answer {
    double least, greatest; /* infinite: not known */
    int64_t minima;         /* cells that are less than all four beside them */
    double seconds;
} grid_answer;

/* ---- what is in it --------------------------------------------------------------------------------- */

static void note_minima(void *user, const marey_minimum *items, int count)
{
    grid_answer *about = user;
    for (int i = 0; i < count; i++) {
        about->least = fmin(about->least, items[i].value);
        about->minima += items[i].least == (MAREY_LEAST_IN_ROW | MAREY_LEAST_IN_COLUMN);
    }
}

static bool is_minimum(const marey_rows *of, int i, int j)
{
    const float *at = of->values + (size_t)i * of->stride + (size_t)j;
    return (j == 0 || at[0] < at[-1]) && (j + 1 == of->cols || at[0] < at[1]) &&
           (i == 0 || at[0] < *(at - of->stride)) && (i + 1 == of->rows || at[0] < at[of->stride]);
}

static void look_through(marey_rows of, grid_answer *about)
{
    for (int i = 0; i < of.rows; i++) {
        const float *row = of.values + (size_t)i * of.stride;
        for (int j = 0; j < of.cols; j++) {
            about->least = fmin(about->least, row[j]);
            about->greatest = fmax(about->greatest, row[j]);
            about->minima += is_minimum(&of, i, j);
        }
    }
}

/* ---- the answer ------------------------------------------------------------------------------------ */

static void write_number(json *to, const char *key, double value)
{
    if (isfinite(value)) {
        json_put_number(to, key, value);
    } else {
        json_put_null(to, key);
    }
}

static void write_json(const comparison *all, const grid_answer *about, const char *path)
{
    json to = json_make(&all->run->out);
    json_open(&to, NULL, '{');
    json_put_string(&to, "path", path);
    json_put_integer(&to, "rows", marey_features_rows(all->features[0]));
    json_put_integer(&to, "cols", marey_features_rows(all->features[1]));
    json_put_number(&to, "seconds", about->seconds);
    comparison_json(all, &to);
    write_number(&to, "least", about->least);
    write_number(&to, "greatest", about->greatest);
    json_put_integer(&to, "minima", about->minima);
    json_close(&to, '}');
    buffer_byte(&all->run->out, '\n');
}

static void write_value(const comparison *all, const char *name, double value)
{
    buffer *out = &all->run->out;
    const char *unit = comparison_unit(all);
    if (!isfinite(value)) return;
    buffer_print(out, "  %-9s %.6g%s%s", name, value, *unit ? " " : "", unit);
    if (comparison_is_squared(all)) {
        buffer_print(out, ", root %.4g %s", sqrt(value), strcmp(unit, "cm2") == 0 ? "cm" : "raw");
    }
    buffer_byte(out, '\n');
}

static void write_text(const comparison *all, const grid_answer *about, const char *path)
{
    buffer *out = &all->run->out;
    if (all->run->quiet && path) return;
    comparison_text(all, out);
    buffer_print(out, "  metric    %s", marey_layout_def(all->layout)->metric->name);
    if (marey_layout_window(all->layout) > 1) {
        buffer_print(out, ", window of %d frames", marey_layout_window(all->layout));
    }
    buffer_byte(out, '\n');
    write_value(all, "least", about->least);
    write_value(all, "greatest", about->greatest);
    buffer_print(out, "  minima    %lld\n  seconds   %.3g\n", (long long)about->minima,
                 about->seconds);
    if (!path) return;
    buffer_text(out, "wrote ");
    buffer_shown(out, path);
    buffer_byte(out, '\n');
}

/* Put together before a file is written: after that only sending it can fail. */
static marey_status answer(const comparison *all, const grid_answer *about, const char *path,
                           marey_error *error)
{
    if (all->run->json) {
        write_json(all, about, path);
    } else {
        write_text(all, about, path);
    }
    return shelf_ready(all->run, error);
}

/* ---- files ----------------------------------------------------------------------------------------- */

static bool is_npy(const char *path)
{
    size_t length = strlen(path);
    return length > 4 && strcasecmp(path + length - 4, ".npy") == 0;
}

static marey_status save_npy(session *run, const marey_grid *grid, const char *path,
                             marey_error *error)
{
    marey_rows of = marey_grid_cost(grid);
    return marey_npy_save_rows(run->ctx, path, of.values, of.rows, of.cols, of.stride, error);
}

static marey_status save(const comparison *all, const marey_grid *grid, const char *path,
                         marey_error *error)
{
    marey_grid_picture_def def = { .minima = request_has(all->asked, OPTION_MINIMA) };
    if (is_npy(path)) return save_npy(all->run, grid, path, error);
    return grid_picture_of(all, grid, &def, path, error);
}

/* ---- the command ----------------------------------------------------------------------------------- */

static marey_status measure_whole(const comparison *all, const char *path, grid_answer *about,
                                  marey_error *error)
{
    marey_grid *grid = NULL;
    double start = seconds_now();
    marey_status status =
        marey_grid_build(all->run->ctx, all->features[0], all->features[1], &grid, error);
    if (status != MAREY_OK) return status;
    about->seconds += seconds_now() - start;
    about->minima = 0;
    look_through(marey_grid_cost(grid), about);
    status = answer(all, about, path, error);
    if (status == MAREY_OK && path) status = save(all, grid, path, error);
    marey_grid_free(grid);
    return status;
}

/* Nobody wants the numbers, so the grid of points is not kept. A grid that is even everywhere has no minimum that
   would tell its least value. */
static marey_status measure_passing(const comparison *all, grid_answer *about, marey_error *error)
{
    marey_minima_def def = { .found = note_minima, .user = about };
    double start = seconds_now();
    marey_status status =
        marey_grid_minima(all->run->ctx, all->features[0], all->features[1], &def, error);
    if (status != MAREY_OK) return status;
    about->seconds += seconds_now() - start;
    about->greatest = INFINITY;
    return answer(all, about, NULL, error);
}

static marey_status make_grid(comparison *all, const char *path, marey_error *error)
{
    grid_answer about = { .least = INFINITY, .greatest = -INFINITY };
    marey_status status = comparison_load(all, error);
    if (status == MAREY_OK) status = comparison_measure(all, &all->def, error);
    if (status != MAREY_OK) return status;
    about.seconds = all->seconds;
    bool passing = !path && all->def.metric->can_bound;
    return passing ? measure_passing(all, &about, error) : measure_whole(all, path, &about, error);
}

static int check_output(session *run, const request *asked)
{
    const char *path = asked->values[OPTION_OUTPUT];
    bool drawn = path && is_picture(path);
    if (path && !drawn && !is_npy(path)) {
        return session_usage(run, "-o takes a name that ends in .npy, .png, .svg or .pdf");
    }
    if (!drawn && request_has(asked, OPTION_MINIMA)) {
        return session_usage(run, "--minima is for a picture: -o FILE.png, .svg or .pdf");
    }
    return PROGRAM_DONE;
}

int command_grid(session *run, const request *asked)
{
    comparison all;
    marey_error error;
    int status = check_output(run, asked);
    if (status == PROGRAM_DONE) status = comparison_open(&all, run, asked);
    if (status != PROGRAM_DONE) return status;
    marey_status done = make_grid(&all, asked->values[OPTION_OUTPUT], &error);
    comparison_close(&all);
    if (done == MAREY_OK) return session_finish(run, PROGRAM_DONE);
    run->out.used = 0;
    return session_fail(run, &error);
}
