/* cmd_compare.c - how grid, similar, compare and weights are shown, drawn and written. */
#include "commands.h"
#include "comparison.h"
#include "library_file.h"

#include <math.h>
#include <string.h>

/* "walk x run: 300 x 237 frames at 30 a second, joints lee". */
void show_compared(const app_comparison *comparison, buffer *out)
{
    buffer_shown(out, short_name(comparison->texts[0]));
    buffer_named(out, " x ", short_name(comparison->texts[1]), "");
    buffer_print(out, ": %d x %d frames at %.6g a second, joints %s\n",
                 marey_features_rows(comparison->features[0]),
                 marey_features_rows(comparison->features[1]), marey_layout_fps(comparison->layout),
                 marey_layout_def(comparison->layout)->joints->name);
    if (marey_layout_by_roles(comparison->layout)) {
        buffer_print(out, "their joints differ: %d role%s that both have are compared\n",
                     marey_layout_joints(comparison->layout),
                     marey_layout_joints(comparison->layout) == 1 ? "" : "s");
    }
    if (comparison->with) {
        buffer_text(out, "steps are those of the two and of ");
        buffer_clips(out, comparison->with_count - 2);
        buffer_text(out, " of the library\n");
    }
}

/* ---- files ----------------------------------------------------------------------------------- */

/* What -o writes is reported before it is written: after that only sending it can fail. */
marey_status finish_picture(session *run, const request *options, const app_call *call,
                            struct library_file *at, buffer *more, marey_error *error)
{
    const char *path = options->values[OPTION_OUTPUT];
    json members = json_make(more);
    (void)call, (void)at;
    if (run->json) {
        json_put_string(&members, "path", path);
    } else if (path && !run->quiet) {
        buffer_named(more, "wrote ", path, "\n");
    }
    return app_check(more->failed, error);
}

/* ---- grid ------------------------------------------------------------------------------------ */

int check_grid(session *run, const request *options, const void *params)
{
    const char *path = options->values[OPTION_OUTPUT];
    bool drawn = path && path_is_picture(path);
    (void)params;
    if (path && !drawn && !path_ends_in(path, ".npy"))
        return session_usage(run, "-o takes a name that ends in .npy, .png, .svg or .pdf");
    if (!drawn && request_has(options, OPTION_MINIMA))
        return session_usage(run, "--minima is for a picture: -o FILE.png, .svg or .pdf");
    return PROGRAM_DONE;
}

static void show_value(const app_comparison *comparison, const char *name, double value,
                       buffer *out)
{
    const char *unit = app_comparison_unit(comparison);
    if (!isfinite(value)) return;
    buffer_print(out, "  %-9s ", name);
    buffer_distance(out, value, unit);
    buffer_byte(out, '\n');
}

void show_grid(session *run, const void *params, const void *result, buffer *out)
{
    const app_grid_result *of = result;
    const marey_layout *layout = of->of->layout;
    (void)params;
    if (run->quiet && of->has_grid) return;
    show_compared(of->of, out);
    buffer_print(out, "  metric    %s", marey_layout_def(layout)->metric->name);
    if (marey_layout_window(layout) > 1)
        buffer_print(out, ", window of %d frames", marey_layout_window(layout));
    buffer_byte(out, '\n');
    show_value(of->of, "least", of->least, out);
    show_value(of->of, "greatest", of->greatest, out);
    buffer_print(out, "  minima    %lld\n  seconds   %.3g\n", (long long)of->minima, of->seconds);
}

marey_status draw_grid(session *run, const request *options, app_call *call, marey_error *error)
{
    const app_grid_result *of = call->result;
    const char *path = options->values[OPTION_OUTPUT];
    if (!path) return MAREY_OK;
    if (path_is_picture(path))
        return draw_result(run, call, NULL, request_has(options, OPTION_MINIMA) ? "minima" : "grid",
                           NULL, path, error);
    marey_rows cost = marey_grid_cost(of->of->grid);
    return marey_npy_save_rows(run->ctx, path, cost.values, cost.rows, cost.cols, cost.stride,
                               error);
}

/* ---- similar --------------------------------------------------------------------------------- */

int check_similar(session *run, const request *options, const void *params)
{
    const app_similar_params *given = params;
    const char *path = options->values[OPTION_OUTPUT];
    const char *unused = request_has(options, OPTION_PROVENANCE) ? "provenance" : NULL;
    if (given->full) unused = "full";
    if (app_given(app_similar.params, &given->given, "smooth")) unused = "smooth";
    if (unused && !options->values[OPTION_CUT])
        return session_usage(run, "--%s is for a cut: --cut OUT", unused);
    if (options->values[OPTION_CUT] && given->compared.reading.units == MAREY_UNITS_RAW)
        return session_usage(run, "--units raw has no lengths to cut by");
    if (path && !path_is_picture(path))
        return session_usage(run, "-o takes a name that ends in .png, .svg or .pdf");
    return PROGRAM_DONE;
}

void show_similar(session *run, const void *params, const void *result, buffer *out)
{
    const app_similar_params *given = params;
    const app_similar_result *of = result;
    const char *unit = app_comparison_unit(of->of);
    bool squared = of->of->metric.def.metric->squared;
    (void)run;
    show_compared(of->of, out);
    if (of->count == 0) {
        buffer_text(out, given->minima ? "no pair is less than all four beside it\n"
                                       : "there is no pair of captured frames\n");
        return;
    }
    buffer_print(out, "%8s %9s   %8s %9s   %12s%s%s%s", "frame", "second", "frame", "second",
                 "value", *unit ? " " : "", unit, squared ? "   RMS\n" : "\n");
    for (int i = 0; i < of->count; i++) {
        for (int side = 0; side < 2; side++) {
            int frame = app_similar_frame(given, of, i, side);
            buffer_print(out, "%8d %9.3f   ", frame, frame / marey_clip_fps(of->of->own[side]));
        }
        buffer_print(out, "%12.6g", of->pairs[i].value);
        if (squared) {
            buffer_print(out, "   %8.4g %s", sqrt(of->pairs[i].value),
                         strcmp(unit, "cm2") == 0 ? "cm" : "raw");
        }
        buffer_byte(out, '\n');
    }
}

marey_status draw_similar(session *run, const request *options, app_call *call, marey_error *error)
{
    const char *path = options->values[OPTION_OUTPUT];
    if (!path) return MAREY_OK;
    return draw_result(run, call, NULL, "pairs", NULL, path, error);
}

void wrote_cut(const void *result, buffer *out)
{
    const app_similar_result *of = result;
    buffer_print(out, ", cut at frame %d, from %d of the first to %d of the second", of->seam,
                 of->frames[0], of->frames[1]);
}

void write_cut(const void *result, const char *path, json *out)
{
    const app_similar_result *of = result;
    const marey_clip *clip = of->made.made.clip;
    json_open(out, "cut", '{');
    json_put_string(out, "path", path);
    json_put_integer(out, "a", of->frames[0]);
    json_put_integer(out, "b", of->frames[1]);
    json_put_integer(out, "seam", of->seam);
    json_put_integer(out, "frames", marey_clip_frames(clip));
    json_put_number(out, "fps", marey_clip_fps(clip));
    json_close(out, '}');
}

/* ---- compare --------------------------------------------------------------------------------- */

void show_compare(session *run, const void *params, const void *result, buffer *out)
{
    static const int widths[APP_MEASURES] = { 9, 11, 13 };
    const app_compare_result *of = result;
    (void)run, (void)params;
    show_compared(&of->of, out);
    buffer_print(out, "the %d most similar pair%s of each metric\n\n", of->pairs,
                 of->pairs == 1 ? "" : "s");
    buffer_print(out, "%-11s %9s   %9s rank   %11s rank   %13s rank\n", "metric", "seconds",
                 "Dp cm", "Dv (cm/s)2", "Da (cm/s2)2");
    for (int i = 0; i < of->count; i++) {
        const app_contestant *one = &of->rows[i];
        buffer_print(out, "%-11s %9.4f", one->metric->name, one->seconds);
        for (int m = 0; m < APP_MEASURES; m++) {
            buffer_print(out, "   %*.*f ", widths[m], m == 0 ? 3 : 0, one->judged[m]);
            if (one->metric->is_judge) {
                buffer_text(out, "   -");
            } else {
                buffer_print(out, "%4d", one->rank[m]);
            }
        }
        buffer_byte(out, '\n');
    }
}

/* ---- weights --------------------------------------------------------------------------------- */

void show_weights(session *run, const void *params, const void *result, buffer *out)
{
    const app_weights_result *of = result;
    const marey_weights_result *got = &of->got;
    const marey_metric *metric = marey_layout_def(of->of->layout)->metric;
    (void)run, (void)params;
    show_compared(of->of, out);
    for (int i = 0; i < got->count; i++)
        buffer_print(out, "  %-18s %.6g\n", metric->attributes[i], got->weights[i]);
    buffer_print(out, "  Dp %.4f cm, after %lld evaluations", got->position_cm,
                 (long long)got->evaluations);
    if (got->combinations > 0)
        buffer_print(out, " for %lld combinations", (long long)got->combinations);
    buffer_print(out, ", %.3g s\n  --metric %s --attributes ", of->seconds, metric->name);
    for (int i = 0; i < got->count; i++) buffer_print(out, "%s%.6g", i ? "," : "", got->weights[i]);
    buffer_byte(out, '\n');
}
