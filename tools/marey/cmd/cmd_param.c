/* cmd_param.c - the commands of `marey param`: how their results are shown, and the page of a
   grid. */
#include "commands.h"
#include "families.h"
#include "folder.h"
#include "library_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
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

/* ---- listing --------------------------------------------------------------------------------- */

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
    buffer_text(out, "FROM, the origin of places (default: start):\n");
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
    const app_family_ls_params *given = params;
    const app_family_list *list = result;
    (void)run;
    if (list->count == 0) buffer_text(out, "no saved family; marey param build makes one\n");
    for (int i = 0; i < list->count; i++) {
        const app_family_listed *one = &list->families[i];
        buffer_shown(out, one->name);
        buffer_print(out, "  (%d examples", one->part_count);
        if (!isnan(one->samples)) buffer_print(out, ", %.0f samples", one->samples);
        buffer_print(out, ", %lld bytes)\n", (long long)one->bytes);
        for (int k = 0; k < one->features.count; k++) {
            buffer_named(out, "  ", one->features.values[k], "\n");
        }
        for (int k = 0; k < one->part_count && given->all; k++) {
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
        buffer_named(out, "  ", name, "");
        buffer_print(out, "  %.4g to %.4g %s\n", low[d], high[d], unit);
    }
}

void show_param(session *run, const void *params, const void *result, buffer *out)
{
    const app_saved_family *of = ((const app_family_shown *)result)->from;
    int samples, dims = marey_family_dims(of->family);
    const double *values = marey_family_samples(of->family, &samples);
    (void)run, (void)params;
    buffer_named(out, "family ", of->name, "");
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

/* ---- building -------------------------------------------------------------------------------- */

/* A file that could not be read was reported, and sets the exit status as marey add does. */
int exit_param_build(const void *result)
{
    return exit_added(&((const app_family_built *)result)->added);
}

/* The worst first. */
static int by_value(const void *a, const void *b)
{
    const app_left_out *x = *(const app_left_out *const *)a, *y = *(const app_left_out *const *)b;
    return (x->value < y->value) - (x->value > y->value);
}

/* A line for each reason: "    moves otherwise: a#0-90, b#10-80 and 12 more". */
static void show_reasons(const app_left_out *const *list, int count, buffer *out)
{
    enum { NAMED = 3 };
    for (int reason = 0; reason < APP_OUT_COUNT; reason++) {
        const char *about;
        int shown = 0, more = 0;
        for (int i = 0; i < count; i++) {
            if (list[i]->reason != reason) continue;
            if (shown == NAMED) {
                more++;
                continue;
            }
            app_out_name(reason, &about);
            if (shown++)
                buffer_text(out, ", ");
            else
                buffer_print(out, "    %s: ", about);
            show_part(out, list[i]->name, &list[i]->part);
        }
        if (more) buffer_print(out, " and %d more", more);
        if (shown) buffer_byte(out, '\n');
    }
}

/* What is left out, and what was named and is odd. */
static void show_left_out(const app_family_built *of, buffer *out)
{
    const app_examples *examples = of->examples;
    const app_left_out *list[APP_MOST_EXAMPLES];
    app_left_out odd[APP_MOST_EXAMPLES];
    int count = examples->left_out_count, odds = 0;
    for (int i = 0; i < count; i++) list[i] = &examples->left_out[i];
    qsort(list, (size_t)count, sizeof *list, by_value);
    if (count) {
        buffer_print(out, "  left out %d of %d; --keep CLIP#A-B takes one anyway\n", count,
                     count + examples->count);
        show_reasons(list, count, out);
    }
    for (int i = 0; i < examples->count; i++) {
        const app_family_example *one = &examples->items[i];
        if (!one->odd.kind || one->kept) continue;
        odd[odds] = (app_left_out){ .reason = (int)one->odd.kind,
                                    .value = one->odd.value,
                                    .name = of->made.parts->names[i].name,
                                    .part = one->part };
        list[odds] = &odd[odds];
        odds++;
    }
    qsort(list, (size_t)odds, sizeof *list, by_value);
    if (!odds) return;
    buffer_print(out, "  %d may not belong to the others; --drop-faulty leaves such examples out\n",
                 odds);
    show_reasons(list, odds, out);
}

void show_param_built(session *run, const void *params, const void *result, buffer *out)
{
    const app_family_recipe *recipe = params;
    const app_family_built *of = result;
    int samples, faults = of->examination.count;
    marey_family_samples(of->made.family, &samples);
    if (recipe->files.count > 0) show_added(run, &of->adding, &of->added, out);
    buffer_named(out, "family ", recipe->name, "");
    buffer_print(out, ": %d examples, %d samples, %.2f s, %zu bytes\n", of->made.parts->count,
                 samples, of->seconds, of->bytes);
    show_axes(of->made.family, out);
    buffer_fits(out, of->made.parts, 11);
    show_left_out(of, out);
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
    buffer_named(out, "family ", of->name, "");
    buffer_print(out, ": %d of %d examples are kept, %zu of %zu bytes\n", kept, kept + of->pruned,
                 of->after, of->before);
}

/* ---- judging --------------------------------------------------------------------------------- */

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

/* ---- making ---------------------------------------------------------------------------------- */

int check_param_make(session *run, const request *options, const void *params)
{
    const app_member_params *given = params;
    const char *format = "bvh", *target = options->values[OPTION_OUTPUT];
    if (!target || !*target)
        return session_usage(run, given->grid ? "-o DIR is needed" : "-o OUT is needed");
    if (request_has(options, OPTION_FORMAT) && !given->grid)
        return session_usage(run, "--format is for the files of --grid; OUT says its own");
    return options_word(run, options, OPTION_FORMAT, &format);
}

void show_param_made(session *run, const void *params, const void *result, buffer *out)
{
    const app_member_params *given = params;
    const app_member *of = result;
    const marey_parts *parts = of->from->parts;
    const marey_answer *got = &of->answer;
    int dims = marey_family_dims(of->from->family);
    (void)run;
    if (given->grid) return; /* finish_param_make knows the folder */
    buffer_text(out, "  given for ");
    show_numbers(out, given->at.values, dims);
    buffer_text(out, "\n  reached   ");
    show_numbers(out, got->values, dims);
    buffer_print(out, "; error %.3g %s (%.3g before refinement)\n", got->error,
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

marey_status finish_param_make(session *run, const request *options, const app_call *call,
                               library_file *at, buffer *more, marey_error *error)
{
    const app_member *of = call->result;
    const char *folder = options->values[OPTION_OUTPUT];
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
    buffer_print(more, "; the error of those within reach is at most %.3g %s\n", of->worst,
                 app_family_unit(of->from->family));
    if (of->outside) {
        buffer_print(more,
                     "%d of them are outside what the family can do, and the nearest it can\n",
                     of->outside);
    }
    if (run->quiet) return MAREY_OK;
    buffer_named(more, "wrote ", path, "\n");
    return MAREY_OK;
}

/* The page of a grid comes last: where it is, all the motions are. */
marey_status draw_param_grid(session *run, const request *options, app_call *call,
                             marey_error *error)
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
            folder_path(options->values[OPTION_OUTPUT], "grid", ".json", path, sizeof path, error);
    if (status == MAREY_OK) status = marey_file_save(run->ctx, path, page.bytes, page.used, error);
    buffer_free(&page);
    return status;
}
