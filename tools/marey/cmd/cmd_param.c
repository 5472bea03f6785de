/* cmd_param.c - the commands of `marey param`: how their results are shown, the files that `build` puts into the library
   first, and the page of a grid. */
#include "adding.h"
#include "commands.h"
#include "families.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static void show_part(buffer *out, const char *name, const marey_part *part)
{
    buffer_shown(out, name);
    buffer_print(out, "#%d-%d", part->start, part->end);
}

static void show_numbers(buffer *out, const double *values, int count)
{
    for (int i = 0; i < count; i++) buffer_print(out, i ? ", %.4g" : "%.4g", values[i]);
}

/* ---- listing --------------------------------------------------------------------------------------- */

void show_param_features(session *run, const void *params, const void *result, buffer *out)
{
    const marey_param_kind *kind;
    const char *about = NULL;
    (void)run, (void)params, (void)result;
    buffer_text(out, "features, for --feature:\n");
    for (int i = 0; (kind = marey_param_kind_find(i)); i++) {
        buffer_print(out, "  %-30s %s", kind->form, kind->about);
        if (*kind->unit) buffer_print(out, ", in %s", kind->unit);
        buffer_byte(out, '\n');
    }
    buffer_text(out, "JOINT, a joint's name or its role, such as RightHand or right_wrist\n"
                     "WHEN, a moment (default: apex):\n");
    for (int i = MAREY_WHEN_NONE + 1; i < MAREY_WHEN_COUNT; i++) {
        const char *name = marey_param_when_name((marey_param_when)i, &about);
        buffer_print(out, "  %-10s %s\n", name, about);
    }
    buffer_text(out, "FROM, where places are told from (default: start):\n");
    for (int i = 0; i < MAREY_FROM_COUNT; i++) {
        const char *name = marey_param_from_name((marey_param_from)i, &about);
        buffer_print(out, "  %-10s %s\n", name, about);
    }
    buffer_text(out, "AMOUNT, over the whole motion (default: mean):\n ");
    for (int i = 0; i < MAREY_AMOUNT_COUNT; i++)
        buffer_print(out, " %s", marey_param_amount_name((marey_param_amount)i));
    buffer_byte(out, '\n');
}

void show_params(session *run, const void *params, const void *result, buffer *out)
{
    const app_family_ls_params *asked = params;
    const app_family_list *list = result;
    (void)run;
    if (list->count == 0) buffer_text(out, "no family is kept; marey param build makes one\n");
    for (int i = 0; i < list->count; i++) {
        const app_family_listed *one = &list->families[i];
        buffer_shown(out, one->name);
        buffer_print(out, "  (%d examples", one->part_count);
        if (!isnan(one->samples)) buffer_print(out, ", %.0f samples", one->samples);
        buffer_print(out, ", %lld bytes)\n", (long long)one->bytes);
        for (int k = 0; k < one->features.count; k++) {
            buffer_text(out, "  ");
            buffer_shown(out, one->features.values[k]);
            buffer_byte(out, '\n');
        }
        for (int k = 0; k < one->part_count && asked->all; k++) {
            buffer_text(out, "    ");
            show_part(out, one->part_names[k], &one->parts[k]);
            buffer_byte(out, '\n');
        }
    }
}

static void show_axes(const marey_family *family, buffer *out)
{
    double low[MAREY_MOST_PARAM_DIMS], high[MAREY_MOST_PARAM_DIMS];
    app_family_range(family, low, high);
    for (int d = 0; d < marey_family_dims(family); d++) {
        const char *unit, *name = marey_family_dim(family, d, &unit);
        buffer_text(out, "  ");
        buffer_shown(out, name);
        buffer_print(out, "  %.4g to %.4g %s\n", low[d], high[d], unit);
    }
}

void show_param(session *run, const void *params, const void *result, buffer *out)
{
    const app_saved_family *of = ((const app_family_shown *)result)->from;
    int samples, dims = marey_family_dims(of->family);
    const double *values = marey_family_samples(of->family, &samples);
    (void)run, (void)params;
    buffer_text(out, "family ");
    buffer_shown(out, of->name);
    buffer_print(out, ": %d examples, %d samples\n", of->parts->count, samples);
    show_axes(of->family, out);
    for (int i = 0; i < of->parts->count; i++) {
        buffer_text(out, "    ");
        show_part(out, of->parts->names[i].name, &of->parts->parts[i]);
        buffer_text(out, ": ");
        show_numbers(out, values + i * dims, dims);
        buffer_byte(out, '\n');
    }
}

/* ---- building: files that are put in first ----------------------------------------------------------- */

typedef struct param_files {
    adding in;
    /* Of each file its path and its clip's number, "#34", each with its ending zero. */
    buffer clips;
    bool given, indexed;
    marey_index_report index;
    app_file_clips known; /* its `user` is this */
} param_files;

static void note_clip(void *user, const marey_add_result *result)
{
    param_files *all = user;
    char number[24];
    int length = snprintf(number, sizeof number, "#%" PRId64, result->id);
    buffer_bytes(&all->clips, result->path, strlen(result->path) + 1);
    buffer_bytes(&all->clips, number, (size_t)length + 1);
}

static const char *find_clip(void *user, const char *path)
{
    const param_files *all = user;
    if (all->clips.used == 0) return NULL;
    const char *at = all->clips.bytes, *end = at + all->clips.used;
    while (at < end) {
        const char *clip = at + strlen(at) + 1;
        if (strcmp(at, path) == 0) return clip;
        at = clip + strlen(clip) + 1;
    }
    return NULL;
}

static void release_files(void *object)
{
    param_files *all = object;
    buffer_free(&all->clips);
    adding_free(&all->in);
}

/* Files, or folders of them, are put in, and what the index lacks is made if a search is to find examples; then one command
   leads from files to a family. What was put in stays, whatever fails later. */
marey_status open_param_build(session *run, const request *asked, app_call *call, shelf *at,
                              marey_error *error)
{
    enum { FIRST_FILE = 2 }; /* the library and the family's name come first */
    app_family_recipe *recipe = (void *)call->params;
    param_files *all = APP_NEW(&call->scope, param_files, 1);
    if (!all) return app_fail_memory(error);
    adding_make(&all->in, run);
    all->in.taken = note_clip;
    all->in.taken_user = all;
    all->clips = buffer_make(&run->host->def);
    all->known = (app_file_clips){ all, find_clip };
    all->given = recipe->files.count > 0;
    recipe->put_in = &all->known;
    call->library_path = asked->operands[0];
    marey_status status = app_own(&call->scope, all, release_files, error);
    if (status == MAREY_OK && all->given) {
        bool walked =
            adding_walk(&all->in, asked->operands + FIRST_FILE, recipe->files.count) == MAREY_OK;
        status = app_check(!walked, error);
    }
    if (status == MAREY_OK) {
        marey_library_mode mode = all->given ? MAREY_LIBRARY_CREATE : MAREY_LIBRARY_WRITE;
        status = shelf_open(run, asked->operands[0], mode, at, error);
    }
    if (status != MAREY_OK || !all->given) return status;
    status = adding_run(&all->in, at->library, error);
    if (status == MAREY_OK) status = app_check(all->clips.failed, error);
    if (status != MAREY_OK || !recipe->query.clip) return status;
    status = marey_library_index(at->library, NULL, &all->index, error);
    all->indexed = status == MAREY_OK;
    if (status == MAREY_ERR_CANCELLED) {
        snprintf(error->message, sizeof error->message,
                 "interrupted; what was put in and indexed stays, and the same command goes on "
                 "from there");
    }
    return status;
}

static const param_files *files_of(const void *result)
{
    const param_files *all = ((const app_family_built *)result)->put_in->user;
    return all->given ? all : NULL;
}

marey_status finish_param_build(session *run, const request *asked, const app_call *call, shelf *at,
                                buffer *more, marey_error *error)
{
    const param_files *all = files_of(call->result);
    json to = json_make(more);
    (void)asked, (void)at, (void)error;
    if (!all || !run->json) return MAREY_OK;
    adding_json(&all->in, &to);
    if (!all->indexed) return MAREY_OK;
    json_put_integer(&to, "pairs_indexed", all->index.pairs_built);
    json_put_number(&to, "index_seconds", all->index.seconds);
    return MAREY_OK;
}

/* A file that could not be read was said, and is told by the exit status as marey add tells it. */
int exit_param_build(const void *result)
{
    const param_files *all = files_of(result);
    return all ? all->in.errors.status : PROGRAM_DONE;
}

void show_param_built(session *run, const void *params, const void *result, buffer *out)
{
    const app_family_recipe *recipe = params;
    const app_family_built *of = result;
    const param_files *all = files_of(result);
    int samples, faults = of->examination.count;
    marey_family_samples(of->made.family, &samples);
    (void)run;
    if (all) adding_text(&all->in, out);
    if (all && all->indexed && all->index.pairs_built > 0) {
        buffer_print(out, "indexed %d pair%s of clips in %.3g s\n", all->index.pairs_built,
                     all->index.pairs_built == 1 ? "" : "s", all->index.seconds);
    }
    buffer_text(out, "family ");
    buffer_shown(out, recipe->name);
    buffer_print(out, ": %d examples, %d samples, %.2f s, %zu bytes\n", of->made.parts->count,
                 samples, of->seconds, of->bytes);
    show_axes(of->made.family, out);
    for (int i = 0; i < of->dropped_count; i++) {
        buffer_text(out, "  dropped ");
        show_part(out, of->dropped[i].name, &of->dropped[i].part);
        buffer_print(out, ": %.0f %% of its blends are faulty\n", 100 * of->dropped[i].share);
    }
    if (of->pruned) {
        buffer_print(out, "  pruned %d example%s that the others can do without\n", of->pruned,
                     of->pruned == 1 ? "" : "s");
    }
    if (faults) {
        buffer_print(out, "  %d fault%s in blends of neighbours; marey param examine says which\n",
                     faults, faults == 1 ? "" : "s");
    }
}

void show_param_pruned(session *run, const void *params, const void *result, buffer *out)
{
    const app_pruned *of = result;
    int kept = of->made.parts->count;
    (void)params;
    if (run->quiet) return;
    buffer_text(out, "family ");
    buffer_shown(out, of->name);
    buffer_print(out, ": %d of %d examples are kept, %zu of %zu bytes\n", kept, kept + of->pruned,
                 of->after, of->before);
}

/* ---- judging --------------------------------------------------------------------------------------- */

void show_param_checked(session *run, const void *params, const void *result, buffer *out)
{
    const app_family_checked *of = result;
    const marey_family_check *got = &of->check;
    (void)run, (void)params;
    buffer_print(out, "%d requests that can be met, errors in %s\n", got->count,
                 app_family_unit(of->family));
    buffer_text(out, "                    median      95 %     worst\n");
    buffer_print(out, "  answers         %8.3f  %8.3f  %8.3f\n", got->median, got->p95, got->worst);
    buffer_print(out, "  the table alone %8.3f  %8.3f  %8.3f\n", got->table_median, got->table_p95,
                 got->table_worst);
    if (got->invalid) buffer_print(out, "%d answers are not valid\n", got->invalid);
}

void show_param_examined(session *run, const void *params, const void *result, buffer *out)
{
    const app_family_examined *of = result;
    const app_examination *got = &of->examination;
    const marey_parts *parts = of->from->parts;
    int blamed = 0;
    (void)run, (void)params;
    for (int i = 0; i < parts->count; i++) blamed += got->blamed[i] > 0.5;
    if (got->count == 0) {
        buffer_print(out, "all %d examples blend well with their neighbours\n", parts->count);
    } else {
        buffer_print(out, "%d fault%s in blends of neighbours among %d examples; ", got->count,
                     got->count == 1 ? "" : "s", parts->count);
        if (blamed)
            buffer_print(out, "%d example%s may not belong here\n", blamed, blamed == 1 ? "" : "s");
        if (!blamed) buffer_text(out, "no example has them in most of its blends\n");
    }
    for (int i = 0; i < got->count; i++) {
        app_fault_text(&got->faults[i], parts, out);
        buffer_byte(out, '\n');
    }
    for (int i = 0; i < parts->count; i++) {
        if (got->blamed[i] <= 0.5) continue;
        buffer_text(out, "most blends of ");
        show_part(out, parts->names[i].name, &parts->parts[i]);
        buffer_print(out, " are faulty (%.0f %%): it may not belong here\n", 100 * got->blamed[i]);
    }
}

/* ---- making ---------------------------------------------------------------------------------------- */

int check_param_make(session *run, const request *asked, const void *params)
{
    const app_member_params *wish = params;
    const char *format = "bvh", *target = asked->values[OPTION_OUTPUT];
    if (!target || !*target)
        return session_usage(run, wish->grid ? "-o DIR is needed" : "-o OUT is needed");
    if (request_has(asked, OPTION_FORMAT) && !wish->grid)
        return session_usage(run, "--format is for the files of --grid; OUT says its own");
    return options_word(run, asked, OPTION_FORMAT, &format);
}

void show_param_made(session *run, const void *params, const void *result, buffer *out)
{
    const app_member_params *asked = params;
    const app_member *of = result;
    const marey_parts *parts = of->from->parts;
    const marey_answer *got = &of->answer;
    int dims = marey_family_dims(of->from->family);
    (void)run;
    if (asked->grid) return; /* finish_param_make knows the folder */
    buffer_text(out, "  asked for ");
    show_numbers(out, asked->at.values, dims);
    buffer_text(out, "\n  reached   ");
    show_numbers(out, got->values, dims);
    buffer_print(out, "; off by %.3g %s, by %.3g without refinement\n", got->error,
                 app_family_unit(of->from->family), got->table_error);
    if (got->outside)
        buffer_text(out, "  that is outside what this family can do: this is the nearest it can\n");
    for (int i = 0, told = 0; i < got->count; i++) {
        if (fabs(got->weights[i]) < 0.0005) continue;
        buffer_text(out, told++ ? "            " : "  made of   ");
        buffer_print(out, "%6.3f of ", got->weights[i]);
        show_part(out, parts->names[got->motions[i]].name, &parts->parts[got->motions[i]]);
        buffer_byte(out, '\n');
    }
    show_figures(&of->made, out);
}

marey_status finish_param_make(session *run, const request *asked, const app_call *call, shelf *at,
                               buffer *more, marey_error *error)
{
    const app_member *of = call->result;
    const char *folder = asked->values[OPTION_OUTPUT];
    char path[4096];
    json to = json_make(more);
    (void)at;
    if (!of->motions) return MAREY_OK;
    marey_status status = folder_path(folder, "grid", ".json", path, sizeof path, error);
    if (status != MAREY_OK) return status;
    if (run->json) {
        json_put_string(&to, "grid", path);
        return MAREY_OK;
    }
    buffer_print(more, "%d motion%s in ", of->count, of->count == 1 ? "" : "s");
    buffer_shown(more, folder);
    buffer_print(more, "; those that can be reached are off by %.3g %s at worst\n", of->worst,
                 app_family_unit(of->from->family));
    if (of->outside) {
        buffer_print(more,
                     "%d of them are outside what the family can do, and the nearest it can\n",
                     of->outside);
    }
    if (run->quiet) return MAREY_OK;
    buffer_text(more, "wrote ");
    buffer_shown(more, path);
    buffer_byte(more, '\n');
    return MAREY_OK;
}

/* The page of a grid comes last: where it is, all the motions are. */
marey_status draw_param_grid(session *run, const request *asked, app_call *call, marey_error *error)
{
    enum { END_ROOM = 16 };
    const app_member *of = call->result;
    buffer page = buffer_make(&run->host->def);
    char path[4096];
    if (!of->motions) return MAREY_OK;
    app_grid_write(of, &page);
    buffer_reserve(&run->out, END_ROOM);
    marey_status status = app_check(page.failed || run->out.failed, error);
    if (status == MAREY_OK)
        status =
            folder_path(asked->values[OPTION_OUTPUT], "grid", ".json", path, sizeof path, error);
    if (status == MAREY_OK) status = marey_file_save(run->ctx, path, page.bytes, page.used, error);
    buffer_free(&page);
    return status;
}
