/* param_grid.c - a grid of motions for a blend space: files, and a page that says which is where. */
#include "param_grid.h"

#include "folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ALONG = 1000, MOST_MOTIONS_OF_GRID = 10000 };

typedef struct grid {
    param_maker *by;
    session *run;
    const char *folder;
    int dims, steps[MAREY_MOST_PARAM_DIMS];
    double low[MAREY_MOST_PARAM_DIMS], high[MAREY_MOST_PARAM_DIMS];
    int count, outside; /* motions, and those that could not be reached */
    int faulty;         /* those that jump, slide or sink */
    double worst;       /* error of the others */
    double slide_cm;    /* the worst plant of all */
    char path[4096];    /* of grid.json */
    buffer page;        /* what goes into it */
    json page_to;
} grid;

/* ---- what is asked for ----------------------------------------------------------------------------- */

/* "5x5x5": a number for each, no more and no fewer. */
static bool steps_parse(const char *text, int dims, int *steps)
{
    for (int d = 0; d < dims; d++) {
        char *end = NULL;
        if (*text < '0' || *text > '9') return false;
        long value = strtol(text, &end, 10);
        if (value < 1 || value > MOST_ALONG || *end != (d + 1 < dims ? 'x' : 0)) return false;
        steps[d] = (int)value;
        text = end + 1;
    }
    return true;
}

static int read_steps(grid *all)
{
    const char *text = all->by->asked->values[OPTION_GRID];
    int64_t count = 1;
    if (!steps_parse(text, all->dims, all->steps)) {
        char example[2 * MAREY_MOST_PARAM_DIMS + 1] = "5";
        for (int d = 1; d < all->dims; d++) memcpy(example + 2 * d - 1, "x5", 3);
        return session_usage(all->run,
                             "--grid takes how many motions along each of the %d number%s of this "
                             "family, 1 to %d, as in %s, not \"%s\"",
                             all->dims, all->dims == 1 ? "" : "s", MOST_ALONG, example, text);
    }
    for (int d = 0; d < all->dims; d++) {
        count *= all->steps[d];
        if (count > MOST_MOTIONS_OF_GRID) {
            return session_usage(all->run, "--grid %s is more than %d motions", text,
                                 MOST_MOTIONS_OF_GRID);
        }
    }
    all->count = (int)count;
    return PROGRAM_DONE;
}

/* ---- points ---------------------------------------------------------------------------------------- */

/* The last number goes fastest. */
static void index_of(const grid *all, int number, int *index)
{
    for (int d = all->dims - 1; d >= 0; d--) {
        index[d] = number % all->steps[d];
        number /= all->steps[d];
    }
}

/* One alone stands in the middle. */
static double value_at(const grid *all, int d, int step)
{
    double share = all->steps[d] > 1 ? step / (all->steps[d] - 1.0) : 0.5;
    return all->low[d] + share * (all->high[d] - all->low[d]);
}

/* "reach_0_4_2.bvh" */
static void name_file(const grid *all, const int *index, char *name, size_t room)
{
    buffer text = buffer_fixed(name, room - 1);
    buffer_text(&text, all->by->from.name);
    for (int d = 0; d < all->dims; d++) buffer_print(&text, "_%d", index[d]);
    buffer_text(&text, all->by->ending);
    name[text.used] = 0;
}

static marey_status path_in(const grid *all, const char *name, char *path, size_t room,
                            marey_error *error)
{
    int length = snprintf(path, room, "%s/%s", all->folder, name);
    if (length > 0 && (size_t)length < room) return MAREY_OK;
    *error = (marey_error){ .status = MAREY_ERR_INPUT, .message = "this name is too long" };
    snprintf(error->path, sizeof error->path, "%.1000s", all->folder);
    return MAREY_ERR_INPUT;
}

/* ---- the page -------------------------------------------------------------------------------------- */

static void open_page(grid *all)
{
    const marey_family *family = all->by->from.family;
    json *to = &all->page_to;
    json_open(to, NULL, '{');
    json_put_string(to, "family", all->by->from.name);
    json_features(to, family);
    json_open(to, "axes", '[');
    for (int d = 0; d < all->dims; d++) {
        const char *unit;
        json_open(to, NULL, '{');
        json_put_string(to, "name", marey_family_dim(family, d, &unit));
        json_put_string(to, "unit", unit);
        json_open(to, "values", '[');
        for (int i = 0; i < all->steps[d]; i++) json_put_number(to, NULL, value_at(all, d, i));
        json_close(to, ']');
        json_close(to, '}');
    }
    json_close(to, ']');
    json_put_string(to, "error_unit", family_unit(family));
    json_open(to, "motions", '[');
}

static void put_motion(grid *all, const int *index, const char *name, const double *target,
                       const marey_answer *answer, const marey_clip *clip,
                       const made_figures *figures)
{
    json *to = &all->page_to;
    json_open(to, NULL, '{');
    json_open(to, "index", '[');
    for (int d = 0; d < all->dims; d++) json_put_integer(to, NULL, index[d]);
    json_close(to, ']');
    json_put_string(to, "file", name);
    json_numbers(to, "target", target, all->dims);
    json_numbers(to, "reached", answer->values, all->dims);
    json_put_number(to, "error", answer->error);
    json_put_boolean(to, "outside", answer->outside);
    json_figure_faults(to, figures);
    json_put_integer(to, "frames", marey_clip_frames(clip));
    json_put_number(to, "fps", marey_clip_fps(clip));
    json_put_number(to, "seconds", marey_clip_seconds(clip));
    json_close(to, '}');
}

static marey_status save_page(grid *all, marey_error *error)
{
    json *to = &all->page_to;
    json_close(to, ']');
    json_close(to, '}');
    buffer_byte(&all->page, '\n');
    if (all->page.failed) return fail_for_memory(error);
    return marey_file_save(all->run->ctx, all->path, all->page.bytes, all->page.used, error);
}

/* ---- the answer ------------------------------------------------------------------------------------ */

static void describe(const grid *all)
{
    buffer *out = &all->run->out;
    json to = json_make(out);
    if (all->run->json) {
        json_open(&to, NULL, '{');
        json_put_string(&to, "name", all->by->from.name);
        json_put_string(&to, "grid", all->path);
        json_open(&to, "steps", '[');
        for (int d = 0; d < all->dims; d++) json_put_integer(&to, NULL, all->steps[d]);
        json_close(&to, ']');
        json_put_integer(&to, "motions", all->count);
        json_put_integer(&to, "outside", all->outside);
        json_put_integer(&to, "faulty", all->faulty);
        json_put_cm(&to, "worst_error_cm", all->by->from.family, all->worst);
        json_put_number(&to, "worst_error", all->worst);
        json_put_number(&to, "slide_after_cm", all->slide_cm);
        json_close(&to, '}');
        buffer_byte(out, '\n');
    } else {
        buffer_print(out, "%d motion%s in ", all->count, all->count == 1 ? "" : "s");
        buffer_shown(out, all->folder);
        buffer_print(out, "; those that can be reached are off by %.3g %s at worst\n", all->worst,
                     family_unit(all->by->from.family));
        if (all->outside) {
            buffer_print(out,
                         "%d of them are outside what the family can do, and the nearest it "
                         "can\n",
                         all->outside);
        }
        if (all->run->quiet) return;
        buffer_text(out, "wrote ");
        buffer_shown(out, all->path);
        buffer_byte(out, '\n');
    }
}

/* ---- motions --------------------------------------------------------------------------------------- */

/* What is wrong with one is said in the page, not for every motion. */
static marey_status measure_motion(grid *all, const marey_made *made, const marey_answer *answer,
                                   made_figures *figures, marey_error *error)
{
    figure_fault faults[MOST_FIGURE_FAULTS];
    bool quiet = all->run->quiet;
    all->run->quiet = true;
    marey_status status = param_figures(all->by, made, answer, figures, error);
    all->run->quiet = quiet;
    if (status == MAREY_OK && made_figures_faults(figures, faults) > 0) all->faulty++;
    return status;
}

static void warn(const grid *all)
{
    if (all->faulty == 0 || all->run->quiet) return;
    session_say(all->run,
                "warning: %d of %d motions jump%s, slide%s or sink%s; grid.json says which and how "
                "much",
                all->faulty, all->count, all->faulty == 1 ? "s" : "", all->faulty == 1 ? "s" : "",
                all->faulty == 1 ? "s" : "");
}

static marey_status save_motion(grid *all, const char *path, const marey_made *made,
                                const marey_answer *answer, marey_error *error)
{
    clip_out out;
    bool beside = request_has(all->by->asked, OPTION_PROVENANCE), quiet = all->run->quiet;
    clip_out_make(&out, all->run, path, beside);
    all->run->quiet = true; /* what the sources' licences say is said once, not for every motion */
    param_note(all->by, answer, &out);
    all->run->quiet = quiet;
    marey_status status = clip_out_note(&out, all->by->asked, error);
    if (status == MAREY_OK)
        status = marey_clip_save_with(made->clip, path, out.settings.bytes, error);
    if (status == MAREY_OK && beside) {
        status = provenance_save(all->run, path, out.settings.bytes, out.settings.used - 1, error);
    }
    clip_out_free(&out);
    return status;
}

static marey_status make_motion(grid *all, int number, marey_error *error)
{
    int index[MAREY_MOST_PARAM_DIMS];
    double target[MAREY_MOST_PARAM_DIMS];
    char name[CLIP_NAME_ROOM + 8 * MAREY_MOST_PARAM_DIMS], path[4096];
    marey_made made = { 0 };
    marey_answer answer;
    made_figures figures;
    index_of(all, number, index);
    for (int d = 0; d < all->dims; d++) target[d] = value_at(all, d, index[d]);
    name_file(all, index, name, sizeof name);
    marey_status status = path_in(all, name, path, sizeof path, error);
    if (status == MAREY_OK) status = param_make(all->by, target, &made, &answer, error);
    if (status != MAREY_OK) return status;
    status = measure_motion(all, &made, &answer, &figures, error);
    if (status == MAREY_OK) status = save_motion(all, path, &made, &answer, error);
    if (status == MAREY_OK) {
        put_motion(all, index, name, target, &answer, made.clip, &figures);
        all->outside += answer.outside;
        if (!answer.outside && answer.error > all->worst) all->worst = answer.error;
        if (made.clean.slide_after_cm > all->slide_cm) all->slide_cm = made.clean.slide_after_cm;
    }
    marey_made_free(&made);
    return status;
}

static void say_licences(const grid *all)
{
    const marey_parts *parts = all->by->from.parts;
    for (int i = 0; i < parts->count; i++) {
        bool said = false;
        for (int k = 0; k < i && !said; k++) said = parts->names[k].id == parts->names[i].id;
        const marey_entry *entry = listing_find(all->by->listing, parts->names[i].name);
        if (!said && entry) licence_say(all->run, entry->name, entry->licence);
    }
}

/* The page comes last: where it is, all the motions are. */
static marey_status make_all(grid *all, marey_error *error)
{
    marey_status status = path_in(all, "grid.json", all->path, sizeof all->path, error);
    if (status == MAREY_OK) status = folder_make(all->folder, error);
    if (status != MAREY_OK) return status;
    all->run->own_progress = true;
    say_licences(all);
    open_page(all);
    for (int i = 0; i < all->count && status == MAREY_OK; i++) {
        session_progress(all->run, "making motions", i, all->count);
        status = make_motion(all, i, error);
    }
    if (status == MAREY_OK) {
        warn(all);
        describe(all);
        status = shelf_ready(all->run, error);
    }
    return status == MAREY_OK ? save_page(all, error) : status;
}

/* ---- all of it ------------------------------------------------------------------------------------- */

int param_grid(param_maker *by)
{
    session *run = by->run;
    marey_error error;
    grid all = { .by = by,
                 .run = run,
                 .folder = by->asked->values[OPTION_OUTPUT],
                 .dims = marey_family_dims(by->from.family),
                 .page = buffer_make(&run->host->def) };
    all.page_to = json_make(&all.page);
    family_examples_box(by->from.family, all.low, all.high);
    int status = read_steps(&all);
    if (status != PROGRAM_DONE) return status;
    marey_status made = make_all(&all, &error);
    buffer_free(&all.page);
    if (made == MAREY_OK) return session_finish(run, PROGRAM_DONE);
    run->out.used = 0;
    return session_fail(run, &error);
}
