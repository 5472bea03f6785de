/* cmd_similar.c - `marey similar`: the most similar frames of two clips, as a list, as dots on the grid, and as the place
   for a cut from one to the other. */
#include "commands.h"
#include "grid_picture_of.h"
#include "shelf.h"
#include "similar_cut.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_COUNT = 100000000 };

typedef struct search {
    comparison all;
    int64_t count; /* pairs that are asked for */
    bool minima;
    bool at_given;
    int64_t at[2]; /* --at: the one pair, in frames of the files */
    buffer found;  /* of marey_pair */
    cutting_out cut;
    double seconds;
} search;

static const marey_pair *pairs_of(const search *of, int *count)
{
    *count = (int)(of->found.used / sizeof(marey_pair));
    return (const marey_pair *)(const void *)of->found.bytes;
}

/* ---- finding --------------------------------------------------------------------------------------- */

static void note_minima(void *user, const marey_minimum *items, int count)
{
    search *of = user;
    for (int i = 0; i < count; i++) {
        const marey_minimum *one = &items[i];
        if (one->least != (MAREY_LEAST_IN_ROW | MAREY_LEAST_IN_COLUMN)) continue;
        if (!comparison_is_captured(&of->all, 0, one->row) ||
            !comparison_is_captured(&of->all, 1, one->col)) {
            continue;
        }
        marey_pair pair = { one->row, one->col, one->value };
        buffer_bytes(&of->found, (const char *)&pair, sizeof pair);
    }
}

/* By value, then row, then column: the order of marey_grid_pairs. */
static int compare_pairs(const void *left, const void *right)
{
    const marey_pair *a = left, *b = right;
    if (a->value != b->value) return a->value < b->value ? -1 : 1;
    if (a->row != b->row) return a->row < b->row ? -1 : 1;
    return (a->col > b->col) - (a->col < b->col);
}

static marey_status find_minima(search *of, marey_error *error)
{
    const comparison *all = &of->all;
    marey_minima_def def = { .found = note_minima, .user = of };
    marey_status status =
        marey_grid_minima(all->run->ctx, all->features[0], all->features[1], &def, error);
    if (status != MAREY_OK) return status;
    size_t count = of->found.used / sizeof(marey_pair);
    if (count > 0) qsort(of->found.bytes, count, sizeof(marey_pair), compare_pairs);
    if (count > (size_t)of->count) of->found.used = (size_t)of->count * sizeof(marey_pair);
    return MAREY_OK;
}

static marey_status fail_memory(marey_error *error)
{
    *error = (marey_error){ .status = MAREY_ERR_MEMORY, .message = "out of memory" };
    return MAREY_ERR_MEMORY;
}

static marey_status find_pairs(search *of, marey_error *error)
{
    const comparison *all = &of->all;
    int64_t cells =
        (int64_t)marey_features_rows(all->features[0]) * marey_features_rows(all->features[1]);
    int64_t room = of->count < cells ? of->count : cells;
    int found = 0;
    /* The buffer is the room, and all of it is written. */
    for (int64_t i = 0; i < room && !of->found.failed; i++) {
        buffer_bytes(&of->found, (const char *)&(marey_pair){ 0 }, sizeof(marey_pair));
    }
    if (of->found.failed) return fail_memory(error);
    marey_status status =
        marey_grid_pairs(all->run->ctx, all->features[0], all->features[1], (int)room,
                         (marey_pair *)(void *)of->found.bytes, &found, error);
    of->found.used = status == MAREY_OK ? (size_t)found * sizeof(marey_pair) : 0;
    return status;
}

/* ---- one pair -------------------------------------------------------------------------------------- */

/* "12,30". */
static int read_at(search *of, session *run, const request *asked)
{
    const char *text = asked->values[OPTION_AT], *rest = text;
    if (!text) return PROGRAM_DONE;
    of->at_given = true;
    for (int side = 0; side < 2 && rest; side++) {
        char *end = NULL;
        errno = 0;
        of->at[side] = strtoll(rest, &end, 10);
        bool plain = *rest >= '0' && *rest <= '9' && errno == 0 && of->at[side] <= INT32_MAX;
        rest = plain && *end == (side == 0 ? ',' : 0) ? end + 1 : NULL;
    }
    if (!rest) return session_usage(run, "--at takes two frames, as in 12,30, not \"%s\"", text);
    if (!request_has(asked, OPTION_COUNT) && !of->minima) return PROGRAM_DONE;
    return session_usage(run, "--at says which pair, so there is nothing for --%s to choose",
                         of->minima ? "minima" : "count");
}

static marey_status check_at(const search *of, marey_error *error)
{
    for (int side = 0; side < 2; side++) {
        const input_source *from = &of->all.sources[side];
        if (of->at[side] >= from->start && of->at[side] < from->end) continue;
        *error = (marey_error){ .status = MAREY_ERR_REQUEST };
        snprintf(error->message, sizeof error->message,
                 "--at: frame %lld is not among the frames %d-%d of %s", (long long)of->at[side],
                 from->start, from->end, side == 0 ? "A" : "B");
        return MAREY_ERR_REQUEST;
    }
    return MAREY_OK;
}

static marey_status value_of_cell(const search *of, int row, int col, float *out,
                                  marey_error *error)
{
    const comparison *all = &of->all;
    marey_grid *grid = NULL;
    double value = marey_distance(all->features[0], row, all->features[1], col);
    *out = (float)value;
    if (!isnan(value)) return MAREY_OK;
    /* The cells of curvature depend on each other. */
    marey_status status =
        marey_grid_build(all->run->ctx, all->features[0], all->features[1], &grid, error);
    if (status != MAREY_OK) return status;
    marey_rows cost = marey_grid_cost(grid);
    *out = cost.values[(size_t)row * cost.stride + (size_t)col];
    marey_grid_free(grid);
    return MAREY_OK;
}

static marey_status measure_at(search *of, marey_error *error)
{
    marey_pair pair = { 0 };
    marey_status status = check_at(of, error);
    if (status != MAREY_OK) return status;
    pair.row = comparison_row(&of->all, 0, (int)of->at[0]);
    pair.col = comparison_row(&of->all, 1, (int)of->at[1]);
    status = value_of_cell(of, pair.row, pair.col, &pair.value, error);
    if (status == MAREY_OK) buffer_bytes(&of->found, (const char *)&pair, sizeof pair);
    return status;
}

/* The frame of a pair as it is in the file. At another rate the frame that was asked for has no row of its own. */
static int frame_of(const search *of, int side, int row)
{
    return of->at_given ? (int)of->at[side] : comparison_frame(&of->all, side, row);
}

static double time_of(const search *of, int side, int row)
{
    return frame_of(of, side, row) / marey_clip_fps(comparison_own(&of->all, side));
}

/* ---- the answer ------------------------------------------------------------------------------------ */

static void write_json(const search *of)
{
    const comparison *all = &of->all;
    json to = json_make(&all->run->out);
    int count;
    const marey_pair *pairs = pairs_of(of, &count);
    json_open(&to, NULL, '{');
    json_open(&to, "pairs", '[');
    for (int i = 0; i < count; i++) {
        json_open(&to, NULL, '[');
        json_put_integer(&to, NULL, frame_of(of, 0, pairs[i].row));
        json_put_integer(&to, NULL, frame_of(of, 1, pairs[i].col));
        json_put_number(&to, NULL, pairs[i].value);
        json_close(&to, ']');
    }
    json_close(&to, ']');
    json_put_integer(&to, "rows", marey_features_rows(all->features[0]));
    json_put_integer(&to, "cols", marey_features_rows(all->features[1]));
    json_put_number(&to, "seconds", of->seconds);
    comparison_json(all, &to);
    json_put_boolean(&to, "minima", of->minima);
    json_put_string(&to, "path", all->asked->values[OPTION_OUTPUT]);
}

static void write_table(const search *of)
{
    const comparison *all = &of->all;
    buffer *out = &all->run->out;
    const char *unit = comparison_unit(all);
    bool squared = comparison_is_squared(all);
    int count;
    const marey_pair *pairs = pairs_of(of, &count);
    comparison_text(all, out);
    if (count == 0) {
        buffer_text(out, of->minima ? "no pair is less than all four beside it\n"
                                    : "there is no pair of captured frames\n");
        return;
    }
    buffer_print(out, "%8s %9s   %8s %9s   %12s%s%s%s", "frame", "second", "frame", "second",
                 "value", *unit ? " " : "", unit, squared ? "   root\n" : "\n");
    for (int i = 0; i < count; i++) {
        buffer_print(out, "%8d %9.3f   %8d %9.3f   %12.6g", frame_of(of, 0, pairs[i].row),
                     time_of(of, 0, pairs[i].row), frame_of(of, 1, pairs[i].col),
                     time_of(of, 1, pairs[i].col), pairs[i].value);
        if (squared) {
            buffer_print(out, "   %8.4g %s", sqrt(pairs[i].value),
                         strcmp(unit, "cm2") == 0 ? "cm" : "raw");
        }
        buffer_byte(out, '\n');
    }
}

static void write_wrote(session *run, const char *path)
{
    buffer_text(&run->out, "wrote ");
    buffer_shown(&run->out, path);
}

/* The JSON object stays open: the cut's part comes behind. */
static void write_answer(const search *of)
{
    session *run = of->all.run;
    const char *path = of->all.asked->values[OPTION_OUTPUT];
    if (run->json) {
        write_json(of);
    } else {
        write_table(of);
    }
    if (!run->json && !run->quiet && path) {
        write_wrote(run, path);
        buffer_byte(&run->out, '\n');
    }
}

static void end_answer(session *run)
{
    if (run->json) buffer_text(&run->out, "}\n");
}

static void describe_cut(void *user, const clip_out *out, const char *path)
{
    const cutting_out *cut = user;
    session *run = out->run;
    int frames = marey_clip_frames(cut->clip);
    if (run->json) {
        json to = { .out = &run->out, .comma = true };
        json_open(&to, "cut", '{');
        json_put_string(&to, "path", path);
        json_put_integer(&to, "a", cut->frames[0]);
        json_put_integer(&to, "b", cut->frames[1]);
        json_put_integer(&to, "seam", cut->seam);
        json_put_integer(&to, "frames", frames);
        json_put_number(&to, "fps", marey_clip_fps(cut->clip));
        json_close(&to, '}');
    } else if (!run->quiet) {
        write_wrote(run, path);
        buffer_print(&run->out,
                     ": %d frame%s at %.6g a second, cut at frame %d, from %d of the first to %d "
                     "of the second\n",
                     frames, frames == 1 ? "" : "s", marey_clip_fps(cut->clip), cut->seam,
                     cut->frames[0], cut->frames[1]);
    }
    end_answer(run);
}

/* ---- the command ----------------------------------------------------------------------------------- */

static marey_status draw(const search *of, const char *path, marey_error *error)
{
    const comparison *all = &of->all;
    marey_grid *grid = NULL;
    marey_grid_picture_def def = { .minima = false };
    def.pairs = pairs_of(of, &def.pair_count);
    marey_status status =
        marey_grid_build(all->run->ctx, all->features[0], all->features[1], &grid, error);
    if (status == MAREY_OK) status = grid_picture_of(all, grid, &def, path, error);
    marey_grid_free(grid);
    return status;
}

static marey_status find(search *of, marey_error *error)
{
    comparison *all = &of->all;
    marey_status status = comparison_load(all, error);
    if (status == MAREY_OK) status = comparison_measure(all, &all->def, error);
    if (status != MAREY_OK) return status;
    double start = seconds_now();
    status = of->at_given ? measure_at(of, error)
             : of->minima ? find_minima(of, error)
                          : find_pairs(of, error);
    if (status == MAREY_OK && of->found.failed) status = fail_memory(error);
    of->seconds = all->seconds + seconds_now() - start;
    return status;
}

static marey_status cut(search *of, marey_error *error)
{
    int count;
    const marey_pair *pairs = pairs_of(of, &count);
    if (count > 0) {
        return cutting_make(&of->cut, &of->all, frame_of(of, 0, pairs[0].row),
                            frame_of(of, 1, pairs[0].col), error);
    }
    *error = (marey_error){ .status = MAREY_ERR_REQUEST,
                            .message = "there is no pair of captured frames to cut at" };
    return MAREY_ERR_REQUEST;
}

static int search_and_answer(search *of)
{
    session *run = of->all.run;
    const char *path = of->all.asked->values[OPTION_OUTPUT];
    marey_error error;
    marey_status status = find(of, &error);
    if (status == MAREY_OK && of->cut.target) status = cut(of, &error);
    if (status == MAREY_OK) {
        write_answer(of);
        if (!of->cut.target) end_answer(run);
        status = shelf_ready(run, &error);
    }
    if (status == MAREY_OK && path) status = draw(of, path, &error);
    if (status != MAREY_OK) {
        run->out.used = 0;
        return session_fail(run, &error);
    }
    if (!of->cut.target) return session_finish(run, PROGRAM_DONE);
    input_close(&of->all.from); /* the library that was read may be the one that is written */
    return clip_out_save(&of->cut.out, describe_cut, &of->cut);
}

int command_similar(session *run, const request *asked)
{
    search of = { .count = 20,
                  .minima = request_has(asked, OPTION_MINIMA),
                  .found = buffer_make(&run->host->def) };
    const char *path = asked->values[OPTION_OUTPUT];
    int status = options_whole(run, asked, OPTION_COUNT, 1, MOST_COUNT, &of.count);
    if (status == PROGRAM_DONE) status = read_at(&of, run, asked);
    if (status == PROGRAM_DONE) status = cutting_options(&of.cut, run, asked);
    if (status == PROGRAM_DONE && path && !is_picture(path)) {
        status = session_usage(run, "-o takes a name that ends in .png, .svg or .pdf");
    }
    if (status == PROGRAM_DONE) status = comparison_open(&of.all, run, asked);
    if (status != PROGRAM_DONE) return status;
    status = search_and_answer(&of);
    cutting_free(&of.cut);
    buffer_free(&of.found);
    comparison_close(&of.all);
    return status;
}
