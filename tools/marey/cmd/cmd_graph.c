/* cmd_graph.c - how the results of `marey graph` are shown. */
#include "commands.h"
#include "library_file.h"
#include "motion_graphs.h"
#include "requests.h"

#include <math.h>
#include <string.h>

/* ---- graphs and measures --------------------------------------------------------------------- */

static void put_graph(buffer *out, const char *name, const marey_graph *graph,
                      const marey_parts *parts)
{
    buffer_named(out, "graph ", name, "");
    buffer_print(out, ": %s, ", marey_graph_kind_name(marey_graph_settings(graph)->kind));
    buffer_clips(out, app_clip_count(parts->parts, parts->count));
    buffer_print(out, ", %d frames at %.4g a second\n", marey_graph_originals(graph),
                 marey_graph_fps(graph));
}

static void put_stats(buffer *out, const marey_graph *graph, const marey_graph_stats *stats)
{
    int label_count;
    const char *const *labels = marey_graph_labels(graph, &label_count);
    const char *unit = marey_graph_settings(graph)->metric->metric->unit;
    buffer_text(out, "  threshold        ");
    buffer_distance(out, stats->threshold, unit);
    buffer_print(out, "\n  transitions      %lld", (long long)stats->transitions);
    if (stats->transitions > 0)
        buffer_print(out, ", the worst with a jump of %.3g", stats->worst_jump);
    buffer_print(out, "\n  nodes            %d, %d of them interpolated", stats->nodes,
                 stats->nodes - stats->frames);
    if (stats->nodes_before > stats->nodes) buffer_print(out, ", of %d", stats->nodes_before);
    buffer_print(out, "\n  edges            %lld", (long long)stats->edges);
    if (stats->edges_before > stats->edges)
        buffer_print(out, ", of %lld", (long long)stats->edges_before);
    buffer_print(out,
                 "\n  largest part     %.1f %% of the frames can all reach each other\n"
                 "  connectivity     %.1f %% of pairs of frames",
                 stats->scc_percent, stats->connectivity_percent);
    if (isfinite(stats->mean_transition_s))
        buffer_print(out, ", in %.2f s on average", stats->mean_transition_s);
    buffer_byte(out, '\n');
    if (isfinite(stats->local_maneuverability_s)) {
        buffer_print(out, "  maneuverability  %.2f s to whatever is wanted\n",
                     stats->local_maneuverability_s);
    } else if (label_count > 0) {
        buffer_text(out, "  maneuverability  not every behaviour can be reached from everywhere\n");
    }
    for (int i = 0; i < label_count; i++) {
        buffer_named(out, i ? ", " : "  labels           ", labels[i], "");
    }
    if (label_count > 0) buffer_byte(out, '\n');
    buffer_print(out, "  memory           %.1f MB\n", (double)stats->bytes / 1e6);
}

static void put_sweep(buffer *out, const app_graph_sweep_rows *sweep)
{
    if (sweep->count == 0) return;
    buffer_text(out,
                "  threshold  transitions  largest part  connectivity  mean time  worst jump\n");
    for (int i = 0; i < sweep->count; i++) {
        const marey_graph_stats *row = &sweep->rows[i];
        buffer_print(out, "  %9.4g  %11lld  %10.1f %%  %10.1f %%", row->threshold,
                     (long long)row->transitions, row->scc_percent, row->connectivity_percent);
        if (isfinite(row->mean_transition_s)) {
            buffer_print(out, "  %7.2f s", row->mean_transition_s);
        } else {
            buffer_text(out, "          -");
        }
        buffer_print(out, "  %10.3g\n", row->worst_jump);
    }
}

/* ---- build, sweep ---------------------------------------------------------------------------- */

void show_graph_built(session *run, const void *params, const void *result, buffer *out)
{
    const app_graph_recipe *recipe = params;
    const app_graph_built *built = result;
    if (run->quiet) return;
    put_graph(out, recipe->name, built->graph, built->parts);
    buffer_fits(out, built->parts, 17);
    put_stats(out, built->graph, &built->stats);
    buffer_print(out, "  built in         %.2f s\n", built->seconds);
    put_sweep(out, &built->sweep);
}

void show_graph_swept(session *run, const void *params, const void *result, buffer *out)
{
    (void)run, (void)params;
    put_sweep(out, &((const app_graph_built *)result)->sweep);
}

/* ---- stats ----------------------------------------------------------------------------------- */

static const struct {
    option_key key;
    const char *name;
} pictures[] = { { OPTION_MATRIX, "matrix" }, { OPTION_CLOSURE, "closure" } };

int check_graph_pictures(session *run, const request *options, const void *params)
{
    (void)params;
    for (size_t i = 0; i < sizeof pictures / sizeof *pictures; i++) {
        const char *path = options->values[pictures[i].key];
        if (path && !path_is_picture(path)) {
            return session_usage(run, "--%s takes a name that ends in .png, .svg or .pdf",
                                 pictures[i].name);
        }
    }
    return PROGRAM_DONE;
}

void show_graph_stats(session *run, const void *params, const void *result, buffer *out)
{
    const app_graph_measured *of = result;
    (void)run, (void)params;
    put_graph(out, of->saved->name, of->saved->graph, of->saved->parts);
    if (of->measured) {
        put_stats(out, of->saved->graph, &of->saved->stats);
    } else {
        buffer_print(out, "  nodes            %d: too many to be measured quickly\n",
                     marey_graph_nodes(of->saved->graph));
    }
    put_sweep(out, &of->sweep);
}

/* The files are named in the answer before they are drawn. */
marey_status draw_graph(session *run, const request *options, app_call *call, marey_error *error)
{
    size_t count = sizeof pictures / sizeof *pictures;
    json out = { .out = &run->out, .comma = true };
    bool wanted = false;
    for (size_t i = 0; i < count; i++) wanted |= request_has(options, pictures[i].key);
    if (!wanted) return MAREY_OK;
    if (run->json) json_open(&out, "files", '[');
    for (size_t i = 0; i < count; i++) {
        const char *path = options->values[pictures[i].key];
        if (path && run->json) {
            json_put_string(&out, NULL, path);
        } else if (path) {
            buffer_named(&run->out, "wrote ", path, "\n");
        }
    }
    if (run->json) json_close(&out, ']');

    buffer_reserve(&run->out, 2);
    marey_status status = app_check(run->out.failed, error);
    for (size_t i = 0; i < count && status == MAREY_OK; i++) {
        const char *path = options->values[pictures[i].key];
        if (path) status = draw_result(run, call, NULL, pictures[i].name, NULL, path, error);
    }
    return status;
}

/* ---- train, ls ------------------------------------------------------------------------------- */

void show_graph_trained(session *run, const void *params, const void *result, buffer *out)
{
    const app_graph_trained *trained = result;
    const marey_policy_def *def = marey_policy_settings(trained->policy);
    if (run->quiet) return;
    buffer_named(out, "policy of ", ((const app_graph_train_params *)params)->name, "");
    buffer_print(out, ": %d directions, speeds ", def->directions);
    for (int i = 0; i < def->speed_count; i++)
        buffer_print(out, i ? ", %.4g" : "%.4g", def->speeds[i]);
    buffer_print(out, " cm/s\n  %d rounds, %.2f s, %.1f MB\n", marey_policy_rounds(trained->policy),
                 trained->seconds, (double)marey_policy_bytes(trained->policy) / 1e6);
}

void show_graphs(session *run, const void *params, const void *result, buffer *out)
{
    const app_graph_list *list = result;
    (void)run, (void)params;
    if (list->count == 0) buffer_text(out, "no saved motion graph; marey graph build makes one\n");
    for (int i = 0; i < list->count; i++) {
        const app_graph_listed *one = &list->graphs[i];
        buffer_named(out, "", one->name, "  (");
        if (one->kind) {
            buffer_named(out, "", one->kind, ", ");
        }
        buffer_clips(out, one->made_of.count);
        if (isfinite(one->frames)) {
            buffer_print(out, ", %.0f frames, %.0f transitions", one->frames, one->transitions);
        }
        buffer_print(out, ", %lld bytes%s)\n", (long long)one->bytes,
                     one->policy ? ", with a policy" : "");
    }
}

/* ---- walk, control --------------------------------------------------------------------------- */

static void show_graph_clip(const app_graph_clip *clip, buffer *out)
{
    enum { SHOWN = 6 };
    const marey_parts *parts = clip->saved->parts;
    int count = clip->piece_count;
    buffer_print(out, "  pieces    %d, with %d transition%s", count, clip->about.transitions,
                 clip->about.transitions == 1 ? "" : "s");
    if (clip->about.transitions > 0)
        buffer_print(out, " of quality %.3f on average", clip->about.mean_quality);
    buffer_byte(out, '\n');
    for (int i = 0; i < count && i < SHOWN; i++) {
        const marey_graph_node *first = &clip->pieces[i].first, *last = &clip->pieces[i].last;
        if (app_graph_clip_request(clip, first) >= 0) {
            buffer_named(out, "            ",
                         clip->requests[app_graph_clip_request(clip, first)].from->name, "\n");
            continue;
        }
        buffer_named(out, "            ", parts->names[first->clip].name, "");
        buffer_print(out, "#%d-%d", app_graph_frame(parts, first),
                     app_graph_frame(parts, last) + 1);
        if (first->other >= 0) {
            buffer_named(out, " with ", parts->names[first->other].name, "");
            buffer_print(out, "#%d-%d", app_graph_other_frame(parts, first),
                         app_graph_other_frame(parts, last) + 1);
        }
        buffer_byte(out, '\n');
    }
    if (count > SHOWN) buffer_print(out, "            and %d more\n", count - SHOWN);
    show_figures(&clip->made, out);
}

/* "did" and what it came to, a line for each. */
static void show_requests(const app_graph_clip *clip, buffer *out)
{
    for (int i = 0; i < clip->request_count; i++) {
        const app_request *one = &clip->requests[i];
        const marey_performed *done = one->from ? &clip->performance->done[one->done] : NULL;
        buffer_named(out, "  did       ", one->from ? one->from->name : one->text.room, "");
        buffer_print(out, " from frame %d",
                     app_graph_clip_frame(clip, done ? done->first : one->first));
        if (done)
            buffer_print(out, ", %.1f %s off what was asked for%s", done->answer.error,
                         app_family_unit(one->from->family),
                         done->answer.outside ? ": that is out of reach" : "");
        if (done && isfinite(done->away_cm))
            buffer_print(out, "; %.0f cm from its place on the path", done->away_cm);
        if (one->text.where == APP_REQUEST_TIME)
            buffer_print(out, "; %.1f s after it was asked for", one->waited_s);
        buffer_byte(out, '\n');
    }
}

/* Where a path is rounded, if it is. */
static void show_rounded(const marey_walk_path *followed, buffer *out)
{
    int count = followed ? followed->place_count : 0;
    if (count == 0) return;
    buffer_print(out,
                 "  rounded   at %d place%s, at most %.0f cm from what was drawn: bodies turn on "
                 "%.0f cm of radius\n",
                 count, count == 1 ? "" : "s", followed->most_off_cm, followed->radius_cm);
}

void show_graph_path(session *run, const void *params, const void *result, buffer *out)
{
    enum { SHOWN_PLACES = 20 };
    const app_path *of = result;
    const marey_walk_path *followed = of->followed;
    (void)run;
    (void)params;
    buffer_print(out, "  drawn     %.0f cm\n", of->drawn_cm);
    if (followed->place_count == 0) buffer_text(out, "  followed  as it was drawn\n");
    show_rounded(followed, out);
    for (int i = 0; i < followed->place_count && i < SHOWN_PLACES; i++) {
        const marey_rounding *one = &followed->places[i];
        buffer_print(out, "            %.0f cm off at %.0f,%.0f, %.0f cm along it\n", one->off_cm,
                     one->x_cm, one->z_cm, one->along_cm);
    }
    if (followed->place_count > SHOWN_PLACES)
        buffer_print(out, "            and %d more\n", followed->place_count - SHOWN_PLACES);
}

void show_graph_walk(session *run, const void *params, const void *result, buffer *out)
{
    const app_walked *of = result;
    const marey_walk *walk = &of->clip.walk;
    (void)params;
    if (run->quiet) return;
    if (of->kind == MAREY_WALK_PATH) {
        buffer_print(out,
                     "  path      %.1f cm from it on average, at most %.1f cm; its end was %s\n",
                     walk->path_cm, walk->path_worst_cm, walk->arrived ? "reached" : "not reached");
        show_rounded(of->followed, out);
    } else if (!walk->arrived && of->kind == MAREY_WALK_LABELS) {
        buffer_text(out, "  actions   not all of them could be done\n");
    }
    show_requests(&of->clip, out);
    for (int i = 0; i < of->floor.goal_count; i++) {
        const marey_walk_goal *goal = &of->floor.goals[i];
        const marey_goal_reached *one = &of->floor.reached[i];
        buffer_print(out, "%s at %.2f s  error %.1f cm", i ? "           " : "  goals    ",
                     goal->at_s, one->error_cm);
        if (!isnan(one->error_rad))
            buffer_print(out, ", %.1f degrees", one->error_rad * 180 / 3.14159265358979323846);
        buffer_byte(out, '\n');
    }
    if (!isnan(of->floor.clearance_cm) && of->floor.obstacle_count > 0)
        buffer_print(out, "  clearance %.0f cm from the edges of obstacles, at least\n",
                     of->floor.clearance_cm);
    show_graph_clip(&of->clip, out);
}

void show_graph_control(session *run, const void *params, const void *result, buffer *out)
{
    const app_controlled *of = result;
    int count = ((const app_control_params *)params)->script.count;
    if (run->quiet) return;
    buffer_print(out,
                 "  control   %.3f, how well %d input%s %s followed\n"
                 "  transition %.3f, how good the transitions were\n"
                 "  total     %.3f\n",
                 of->score.control, count, count == 1 ? "" : "s", count == 1 ? "was" : "were",
                 of->score.transition, of->score.total);
    if (isfinite(of->response_s))
        buffer_print(out, "  response  %.2f s to half of a turn, median of %d\n", of->response_s,
                     of->score.turns);
    if (of->clip.matching)
        buffer_print(out,
                     "  searches  %d; of %d poses %.0f were compared on the mean, %d at most\n",
                     of->searches.count, marey_matching_poses(of->clip.matching),
                     of->searches.compared, of->searches.most_compared);
    show_requests(&of->clip, out);
    show_graph_clip(&of->clip, out);
}
