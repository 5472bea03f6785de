/* cmd_make.c - how generated clips are shown. */
#include "clip_pieces.h"
#include "commands.h"
#include "library_file.h"
#include "make.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- retarget -------------------------------------------------------------------------------- */

int check_retargeting(session *run, const request *options, const void *params)
{
    const app_retarget_params *of = params;
    const char *output = options->values[OPTION_OUTPUT];
    char path[4096];
    bool folder = of->clips.count > 1 || app_given(app_retarget.params, &of->given, "to");
    if (of->map_of.count > 0)
        return output ? session_usage(run, "-o is not for --map-of, which prints a map")
                      : PROGRAM_DONE;
    if (!output) return session_usage(run, folder ? "-o DIR is needed" : "-o OUT is needed");
    if (folder && library_target(output, path, sizeof path))
        return session_usage(run, "-o must be a folder for several clips, got %s", output);
    if (folder && request_has(options, OPTION_PROVENANCE))
        return session_usage(run, "--provenance is for one clip; GLB files hold theirs");
    return PROGRAM_DONE;
}

int exit_retargeted(const void *result)
{
    return failures_exit(&((const app_retarget_result *)result)->many.failures);
}

void show_retargeted(session *run, const void *params, const void *result, buffer *out)
{
    const app_retarget_result *of = result;
    (void)params;
    if (of->map_text) buffer_text(out, of->map_text);
    if (of->map_text || run->quiet) return;
    for (int i = 0; i < of->count; i++) {
        const app_retargeted *one = &of->items[i];
        buffer_shown(out, short_name(one->text));
        if (one->report.same_body)
            buffer_text(out, ": the same body\n");
        else
            buffer_print(out, ": slide %.2f cm, %.2f cm into the floor, reach %.1f percent off\n",
                         one->quality.slide_max_cm, one->quality.penetration_cm,
                         one->report.reach_percent);
    }
    if (of->items) {
        show_batch(run, &of->many, out);
        return;
    }
    if (of->one.report.same_body) {
        buffer_text(out, "the bodies are the same: nothing had to be changed\n");
        return;
    }
    buffer_print(out, "%d roles that both bodies have, legs %.2f times as long\n",
                 of->one.report.roles, of->one.report.leg_ratio);
    if (!of->made.in_place)
        buffer_print(out, "  slide     at most %.2f cm\n", of->one.quality.slide_max_cm);
    buffer_print(out, "  floor     feet go up to %.2f cm into it", of->one.quality.penetration_cm);
    if (isfinite(of->one.source_sinks_cm))
        buffer_print(out, " (in the source clip %.2f, in proportion)", of->one.source_sinks_cm);
    buffer_text(out, "\n");
    buffer_print(
        out,
        "  reach     hands and feet %.1f percent of a limb off, stretched straight in %d of "
        "%d frames\n"
        "  speed     peak joint speed %.2f x the source clip, in proportion\n",
        of->one.report.reach_percent, of->one.report.straight_frames, of->one.frames,
        of->one.report.speed_ratio);
}

void show_map(session *run, const void *params, const void *result, buffer *out)
{
    const app_map_params *asked = params;
    const app_map_result *of = result;
    if (!asked->set.name && !asked->forget)
        buffer_text(out, of->text);
    else if (!run->quiet && asked->set.name)
        buffer_print(out, "kept a map of %d pairs for these skeletons\n", of->map.map.count);
    else if (!run->quiet)
        buffer_text(out, "forgot the map of these skeletons\n");
    if (!run->quiet) show_stale(&of->stale, "", out);
}

/* ---- clean ----------------------------------------------------------------------------------- */

void show_clean(session *run, const void *params, const void *result, buffer *out)
{
    const app_clean_result *of = result;
    const marey_clean_result *got = &of->made.made.clean;
    int held = got->plants, left = got->plants_left;
    (void)params;
    if (run->quiet) return;
    if (held + left == 0) {
        buffer_text(out, "no foot is ever planted, so there is nothing to hold\n");
        return;
    }
    buffer_print(out, "%d plant%s %s, %d held\n", held + left, held + left == 1 ? "" : "s",
                 of->all.items[0].stored ? "saved in the library" : "found", held);
    if (left > 0) {
        buffer_print(out, "  left      %d: the skeleton does not say which joints are its leg\n",
                     left);
    }
    buffer_print(out,
                 "  slide     at most %.2f cm (%.2f before), %.2f cm on average (%.2f before)\n"
                 "  root      moved by up to %.2f cm\n",
                 of->after.slide_max_cm, of->before.slide_max_cm, of->after.slide_cm,
                 of->before.slide_cm, got->root_moved_cm);
    if (got->stretched > 0) {
        buffer_print(out, "  stretch   a leg got longer by up to %.2f %%\n", 100 * got->stretched);
    }
}

void show_figures(const app_made *made, buffer *out)
{
    const marey_clean_result *clean = &made->made.clean;
    const char *many = made->plants == 1 ? "" : "s";
    if (made->plants == 0) {
        buffer_text(out, "  feet      no foot is ever planted\n");
    } else if (isnan(made->slide_after_cm)) {
        buffer_print(out, "  feet      %d plant%s; they were not held\n", made->plants, many);
    } else if (made->cleaned) {
        buffer_print(
            out,
            "  feet      %d plant%s, foot slide at most %.2f cm (%.2f before they were held); the "
            "root was moved by up to %.2f cm\n",
            made->plants, many, made->slide_after_cm, made->slide_before_cm, clean->root_moved_cm);
        if (clean->root_moved_cm > 1 && clean->stretched <= 0) {
            buffer_text(out, "            --stretch 0.03 would move the root less, with legs that "
                             "get a little longer\n");
        }
    } else {
        buffer_print(out,
                     "  feet      %d plant%s, foot slide at most %.2f cm; they were not held\n",
                     made->plants, many, made->slide_after_cm);
    }
    buffer_print(out, "  jump      peak joint speed %.2f x the source clips\n", made->jump_ratio);
}

void show_pieces(const app_pieces *pieces, buffer *out)
{
    enum { SHOWN = 8 };
    buffer_print(out, "  pieces    %d, with %d transition%s\n", pieces->count,
                 pieces->about.transitions, pieces->about.transitions == 1 ? "" : "s");
    for (int i = 0; i < pieces->count && i < SHOWN; i++) {
        const marey_piece *piece = &pieces->pieces[i];
        const marey_part *part = &pieces->parts->parts[piece->clip];
        buffer_named(out, "            ", pieces->parts->names[piece->clip].name, "");
        buffer_print(out, "#%.0f-%.0f", floor(part->start + piece->start),
                     ceil(part->start + piece->end));
        if (piece->seconds > 0) buffer_print(out, " in %.2f s", piece->seconds);
        buffer_byte(out, '\n');
    }
    if (pieces->count > SHOWN)
        buffer_print(out, "            and %d more\n", pieces->count - SHOWN);
}

void show_loop(session *run, const void *params, const void *result, buffer *out)
{
    const app_loop_result *of = result;
    double fps = marey_clip_fps(of->all.clips[0]);
    (void)params;
    if (run->quiet && of->made.made.clip) return;
    if (of->count == 0) {
        buffer_text(out, "no loop was found\n");
        return;
    }
    buffer_print(out, "%8s %8s %9s %10s   %s\n", "start", "end", "seconds", "seam", "cost");
    for (int i = 0; i < of->count; i++) {
        const marey_loop *one = &of->loops[i];
        buffer_print(out, "%8d %8d %9.3f %10.3f   ", app_material_frame(&of->all, 0, one->start),
                     app_material_frame(&of->all, 0, one->end), (one->end - one->start) / fps,
                     one->seam_ratio);
        buffer_distance(out, one->cost, of->metric.def.metric->unit);
        if (one->still_s > 0) buffer_print(out, ", stands for %.1f s", one->still_s);
        buffer_byte(out, '\n');
    }
    if (of->made.made.clip) show_figures(&of->made, out);
}

static void show_refits(const app_materials *materials, buffer *out)
{
    for (int i = 0; i < materials->count; i++) {
        if (!materials->items[i].refitted) continue;
        buffer_shown(out, short_name(materials->items[i].text));
        const app_material *one = &materials->items[i];
        if (one->retargeted)
            buffer_print(out, " has other joints, of which %d roles are known",
                         one->retarget.roles);
        buffer_named(out,
                     one->retargeted ? ": it was retargeted onto the body of "
                                     : " has other bones: it was put on those of ",
                     short_name(materials->items[0].text), "");
        if (one->retargeted)
            buffer_print(out, ", with hands and feet %.1f percent of a limb off",
                         one->retarget.reach_percent);
        buffer_byte(out, '\n');
    }
}

/* ---- transition ------------------------------------------------------------------------------ */

/* The cheapest cut of all is often one from standing to standing, at the end of a clip. */
static void show_little_left(const app_transition_params *params,
                             const app_transition_result *result, buffer *out)
{
    const marey_made *made = &result->made.made;
    double fps = marey_clip_fps(made->clip);
    double left[2] = { made->from_a_end / fps,
                       (marey_clip_frames(made->clip) - made->from_b_start) / fps };
    for (int i = 0; i < 2; i++) {
        bool named =
            params->at.given[0] || params->near.given[i] || result->all.items[i].centre_given;
        if (named || left[i] >= 1) continue;
        buffer_print(out, "  short     only %.1f s of ", left[i]);
        buffer_shown(out, result->all.items[i].text);
        buffer_text(out, i == 0 ? " come before it" : " come behind it");
        buffer_text(out, "; name the frames that matter, as in walk.bvh#100-400\n");
    }
}

void show_transition(session *run, const void *params, const void *result, buffer *out)
{
    const app_transition_result *of = result;
    const marey_made *made = &of->made.made;
    double fps[2] = { marey_clip_fps(of->all.clips[0]), marey_clip_fps(of->all.clips[1]) };
    const char *unit = of->metric.def.metric->unit;
    if (run->quiet && made->clip) return;
    show_refits(&of->all, out);
    bool chosen = of->spans[0].end > 0 || of->spans[1].end > 0;
    if (of->count == 0 && isinf(of->cheapest) && chosen) {
        buffer_print(out,
                     "no cut lies in the frames that leave and enter allow: %d frames are needed "
                     "on both sides of it\n",
                     of->half);
    } else if (of->count == 0 && isinf(of->cheapest)) {
        buffer_print(out,
                     "there is no room for a transition: %d frames are needed on both sides of a "
                     "cut\n",
                     of->half);
    } else if (of->count == 0) {
        buffer_print(out,
                     "no cut costs less than %g%s%s; the cheapest costs %.4g, and --below would "
                     "take it\n",
                     of->below, *unit ? " " : "", unit, of->cheapest);
    } else {
        buffer_print(out, "%8s %9s   %8s %9s   %s\n", "frame", "second", "frame", "second", "cost");
    }
    for (int i = 0; i < of->count; i++) {
        const marey_cut *one = &of->cuts[i];
        int a = app_material_frame(&of->all, 0, one->a),
            b = app_material_frame(&of->all, 1, one->b);
        buffer_print(out, "%8d %9.3f   %8d %9.3f   ", a, a / fps[0], b, b / fps[1]);
        buffer_distance(out, one->cost, of->metric.def.metric->unit);
        buffer_byte(out, '\n');
    }
    if (!made->clip) return;
    buffer_print(out,
                 "  frames    0-%d are the first clip's own, %d-%d the second's, %d frames "
                 "blended\n",
                 made->from_a_end, made->from_b_start, marey_clip_frames(made->clip),
                 made->from_b_start - made->from_a_end);
    show_figures(&of->made, out);
    show_little_left(params, of, out);
}

/* A sheet of the second around every cut of the list. */
marey_status draw_transition(session *run, const request *options, app_call *call,
                             marey_error *error)
{
    const char *path = options->values[OPTION_SHEET];
    const app_transition_result *of = call->result;
    if (!path) return MAREY_OK;
    marey_status status = draw_result(run, call, NULL, "sheet", NULL, path, error);
    if (status != MAREY_OK || run->json || (run->quiet && of->made.made.clip)) return status;
    buffer_named(&run->out, "wrote ", path, "\n");
    return app_check(run->out.failed, error);
}

/* ---- blend ----------------------------------------------------------------------------------- */

static void show_registered(const app_registered *registered, buffer *out)
{
    show_refits(&registered->all, out);
    for (int i = 0; i < registered->all.count; i++) {
        const marey_path *path = marey_registration_path(registered->registration, i);
        buffer_named(out, "  ", short_name(registered->all.items[i].text), "");
        if (path) {
            int parent = marey_registration_parent(registered->registration, i);
            buffer_named(out, ": aligned with ", short_name(registered->all.items[parent].text),
                         ", mean distance ");
            buffer_distance(out, path->mean, registered->metric.def.metric->unit);
        } else {
            buffer_text(out, ": the reference");
        }
        buffer_byte(out, '\n');
    }
}

void show_blend(session *run, const void *params, const void *result, buffer *out)
{
    const app_blend_result *of = result;
    int rows = ((const app_blend_params *)params)->keys.count;
    if (run->quiet) return;
    show_registered(of->from, out);
    if (of->weights) {
        buffer_text(out, "  weights  ");
        for (int i = 0; i < of->from->all.count; i++) buffer_print(out, " %.4g", of->weights[i]);
        buffer_byte(out, '\n');
    } else {
        buffer_print(out, "  weights   over time, %d line%s\n", rows, rows == 1 ? "" : "s");
    }
    show_figures(&of->made, out);
}

/* ---- align ----------------------------------------------------------------------------------- */

int check_align(session *run, const request *options, const void *params)
{
    const app_align_params *of = params;
    const char *path = options->values[OPTION_OUTPUT];
    if (path && (of->motions.clips.count != 2 || of->save || of->registration))
        return session_usage(run, "--output is for the path of two clips, without --save");
    if (path && !path_is_picture(path) && !path_ends_in(path, ".npy"))
        return session_usage(run, "-o takes a name that ends in .npy, .png, .svg or .pdf");
    return PROGRAM_DONE;
}

static void show_pair(const app_align_params *params, const app_alignment *alignment, buffer *out)
{
    const app_comparison *compared = &alignment->compared;
    const marey_cell *first = &alignment->path.cells[0],
                     *last = &alignment->path.cells[alignment->path.count - 1];
    const char *unit = app_comparison_unit(compared);
    int slope = params->motions.slope ? params->motions.slope : 2;
    show_compared(compared, out);
    if (alignment->all.items[1].refitted) {
        buffer_named(out, "their bones differ: ", short_name(alignment->all.items[1].text),
                     " was put on those of the first\n");
    }
    buffer_print(out,
                 "  path      %d cells, from frames %d and %d to frames %d and %d\n"
                 "  distance  ",
                 alignment->path.count, app_comparison_frame(compared, 0, first->row),
                 app_comparison_frame(compared, 1, first->col),
                 app_comparison_frame(compared, 0, last->row),
                 app_comparison_frame(compared, 1, last->col));
    buffer_distance(out, alignment->path.mean, unit);
    buffer_text(out, " on average");
    buffer_print(out, "\n  slope     at most %d step%s in a row along one clip\n  seconds   %.3g\n",
                 slope, slope == 1 ? "" : "s", alignment->seconds);
}

void show_align(session *run, const void *params, const void *result, buffer *out)
{
    const app_align_params *given = params;
    const app_align_result *of = result;
    int matches;
    if (of->pair) {
        show_pair(given, of->pair, out);
        return;
    }
    if (run->quiet && given->save) return;
    marey_registration_matches(of->registered->registration, &matches);
    show_registered(of->registered, out);
    buffer_print(out, "  %d foot plant%s that all of them have\n", matches,
                 matches == 1 ? "" : "s");
    if (!given->save) return;
    buffer_named(out, "saved as ", given->save, "\n");
}

/* The file is named before it is written. */
marey_status finish_align(session *run, const request *options, const app_call *call,
                          struct library_file *at, buffer *more, marey_error *error)
{
    const char *path = options->values[OPTION_OUTPUT];
    json out = json_make(more);
    (void)at;
    if (!((const app_align_result *)call->result)->pair) return MAREY_OK;
    if (run->json) {
        json_put_string(&out, "file", path);
    } else if (path && !run->quiet) {
        buffer_named(more, "wrote ", path, "\n");
    }
    return app_check(more->failed, error);
}

/* Rows of two numbers, the frames of the files; or the grid with the path over it. */
marey_status draw_align(session *run, const request *options, app_call *call, marey_error *error)
{
    const char *path = options->values[OPTION_OUTPUT];
    const app_alignment *of = ((const app_align_result *)call->result)->pair;
    if (!path || !of) return MAREY_OK;
    if (path_is_picture(path)) return draw_result(run, call, NULL, "path", NULL, path, error);
    int64_t shape[2] = { of->path.count, 2 };
    float *frames = APP_NEW(&call->scope, float, 2 * (size_t)of->path.count);
    if (!frames) return app_fail_memory(error);
    for (int i = 0; i < of->path.count; i++) {
        const marey_cell *cell = &of->path.cells[i];
        frames[2 * i] = (float)app_comparison_frame(&of->compared, 0, cell->row);
        frames[2 * i + 1] = (float)app_comparison_frame(&of->compared, 1, cell->col);
    }
    return marey_npy_save(run->ctx, path, frames, shape, 2, error);
}

/* ---- curves ---------------------------------------------------------------------------------- */

void show_curves(session *run, const void *params, const void *result, buffer *out)
{
    const app_curves_list *list = result;
    const char *forgotten = ((const app_curves_params *)params)->rm;
    if (forgotten && !run->quiet) {
        buffer_named(out, "forgot ", forgotten, "\n");
    }
    if (forgotten) return;
    if (list->count == 0) buffer_text(out, "no saved registration; marey align --save saves one\n");
    for (int i = 0; i < list->count; i++) {
        const marey_kept_entry *one = &list->entries[i];
        buffer_shown(out, one->name);
        buffer_print(out, "  (%d clips, %lld bytes)\n", one->part_count, (long long)one->size);
        for (int k = 0; k < one->part_count; k++) {
            buffer_named(out, "  ", one->part_names[k], "");
            buffer_print(out, "#%d-%d\n", one->parts[k].start, one->parts[k].end);
        }
    }
}
