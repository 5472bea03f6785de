/* cmd_find.c - how what is found in a library is shown: its index, matches of a search, ways of a
   query by example. */
#include "commands.h"
#include "find_example.h"
#include "folder.h"
#include "library_file.h"

#include <math.h>
#include <stdio.h>

/* ---- index ----------------------------------------------------------------------------------- */

static void write_amount(buffer *out, double value, const char *unit)
{
    static const char *const steps[] = { "", "thousand ", "million ", "billion " };
    int step = 0;
    while (value >= (step == 0 ? 9999.5 : 999.5) && step < 3) {
        value /= 1000;
        step++;
    }
    buffer_print(out, step == 0 ? "%.0f %s%s" : "%.3g %s%s", value, steps[step], unit);
}

static void write_contents(buffer *out, const marey_index_report *report, const char *metric)
{
    double bytes = (double)report->bytes;
    buffer_clips(out, report->clips);
    buffer_print(out, ", %d pair%s, %s, up to %.6g frames a second\n", report->pairs,
                 report->pairs == 1 ? "" : "s", metric, report->fps);
    write_amount(out, (double)report->cells, "pairs of frames, ");
    write_amount(out, (double)report->chains, "chains, ");
    write_amount(out, (double)report->bridges, "bridges, ");
    buffer_print(out, bytes < 100000 ? "%.1f kB\n" : "%.1f MB\n",
                 bytes * (bytes < 100000 ? 1e-3 : 1e-6));
}

void show_index(session *run, const void *params, const void *result, buffer *out)
{
    const app_index_params *given = params;
    const app_index_result *of = result;
    const marey_index_report *report = &of->report;
    const marey_index_state *state = &of->state;
    if (run->quiet && !given->show) return;
    buffer_named(out, "", of->library, ": ");
    if (given->drop) {
        buffer_text(out,
                    of->webs ? "the match webs were taken out\n" : "there were no match webs\n");
        return;
    }
    double bytes = (double)of->poses.bytes;
    buffer_clips(out, of->poses.clips);
    buffer_print(out, bytes < 100000 ? ", %.1f kB\n" : ", %.1f MB\n",
                 bytes * (bytes < 100000 ? 1e-3 : 1e-6));
    if (given->show && of->poses.clips_made > 0) {
        buffer_clips(out, of->poses.clips_made);
        buffer_named(out, of->poses.clips_made == 1 ? " is" : " are", "",
                     " missing; marey index makes what is missing\n");
    } else if (!given->show && of->poses.clips_made == 0 && !of->webs) {
        buffer_text(out, "nothing was missing\n");
    } else if (!given->show && of->poses.clips_made > 0) {
        buffer_print(out, "made %d in %.3g s\n", of->poses.clips_made, of->poses.seconds);
    }
    if (of->webs) {
        buffer_text(out, "match webs: ");
        write_contents(out, given->show ? &state->size : report, state->metric);
    }
    if (given->show && of->webs && state->pairs_missing > 0) {
        buffer_print(out, "%d pair%s missing; ", state->pairs_missing,
                     state->pairs_missing == 1 ? " is" : "s are");
        buffer_named(out, "marey index ", of->library, " builds what is missing\n");
    } else if (!given->show && of->webs) {
        if (*report->rebuilt) buffer_named(out, "made again: ", report->rebuilt, "\n");
        if (report->pairs_built == 0 && report->pairs_dropped == 0) {
            buffer_text(out, "nothing was missing\n");
            return;
        }
        buffer_print(out, "built %d pair%s", report->pairs_built,
                     report->pairs_built == 1 ? "" : "s");
        if (report->pairs_dropped > 0) buffer_print(out, ", dropped %d", report->pairs_dropped);
        buffer_print(out, " in %.3g s\n", report->seconds);
    }
    if (!given->show)
        buffer_named(out, "marey search ", of->library,
                     " CLIP#A-B finds what is like frames A to B of a clip\n");
}

/* ---- search ---------------------------------------------------------------------------------- */

enum { WIDEST_NAME = 40 };

/* NULL: the query, from outside. */
static const marey_entry *match_entry(const app_search_result *result, const marey_match *match)
{
    if (!match->clip) return NULL;
    return app_listing_find(result->libraries.all[match->library].listing, match->name);
}

static int match_width(const app_search_result *result, const marey_match *match)
{
    bool several = result->libraries.count > 1 && match->clip;
    const char *library = several ? result->libraries.all[match->library].name : "";
    return shown_width(match->name) + shown_width(library) + several;
}

static void show_match(const app_search_result *result, int i, int names, buffer *out)
{
    const marey_match *match = &result->matches[i];
    const marey_entry *entry = match_entry(result, match);
    double fps = entry ? entry->fps : result->query.fps;
    int dropped = i == 0 ? result->query.dropped : 0;
    int start = match->start + dropped, end = match->end + dropped;
    char frames[32];
    snprintf(frames, sizeof frames, "%d-%d", start, end);
    if (match->clip)
        app_libraries_show(&result->libraries, match->library, match->name, out);
    else
        buffer_shown(out, match->name);
    buffer_blanks(out, names - match_width(result, match));
    buffer_print(out, " %13s %8.2f %8.2f", frames, start / fps, end / fps);
    if (i == 0) {
        buffer_text(out, "   the query\n");
        return;
    }
    buffer_print(out, " %10.4g", match->distance);
    if (result->squared) buffer_print(out, " %6.2f cm", sqrt(match->distance));
    buffer_print(out, " %10.4g %5d%s\n", match->path_distance, match->tier,
                 match->mirrored ? "  mirrored" : "");
}

void show_search(session *run, const void *params, const void *result, buffer *out)
{
    const app_search_params *given = params;
    const app_search_result *of = result;
    const marey_finding_report *report = &of->report;
    int names = 4, matches = of->count - 1;
    for (int i = 0; i < of->count; i++) {
        int width = match_width(of, &of->matches[i]);
        if (width > names) names = width < WIDEST_NAME ? width : WIDEST_NAME;
    }
    buffer_text(out, "clip");
    buffer_blanks(out, names - 4);
    buffer_print(out, " %13s %8s %8s %10s%s %10s %5s\n", "frames", "from s", "to s", "distance",
                 of->squared ? "       RMS" : "", "path", "tier");
    for (int i = 0; i < of->count; i++) show_match(of, i, names, out);

    bool long_time = report->seconds >= 0.9995;
    buffer_print(out, "%d match%s up to %.6g", matches, matches == 1 ? "" : "es",
                 report->threshold);
    if (of->squared)
        buffer_print(out, " cm2 (%.3g cm%s)", sqrt(report->threshold),
                     !report->chosen       ? ""
                     : report->unliked > 0 ? ", fitted"
                                           : ", chosen by the query");
    buffer_print(out, " in %d tier%s, %.3g %s", report->tiers, report->tiers == 1 ? "" : "s",
                 report->seconds * (long_time ? 1 : 1e3), long_time ? "s" : "ms");
    bool cut_short = report->limited && given->searching.nearest == 0; /* which asks for that */
    buffer_text(out, cut_short ? "; there are more: --limit\n" : "\n");
    if (report->liked > 0)
        buffer_print(out, "%d liked: searched for too, with weights and a threshold of %s own\n",
                     report->liked, report->liked == 1 ? "its" : "their");
    if (report->unliked > 0)
        buffer_print(out, "%d unliked: %d match%s nearer to %s left out\n", report->unliked,
                     report->left_out, report->left_out == 1 ? "" : "es",
                     report->unliked == 1 ? "it" : "them");

    if (run->quiet || of->clip_count == 0) return;
    if (given->label_matches) {
        buffer_print(out, "labelled %s%d match%s as ",
                     of->clip_count == of->count ? "the query and " : "", matches,
                     matches == 1 ? "" : "es");
        buffer_named(out, "", given->label_matches, "\n");
        return;
    }
    buffer_text(out, "made ");
    buffer_clips(out, of->clip_count);
    buffer_named(out, ", ", of->clips[0].name, "");
    if (of->clip_count > 1) buffer_text(out, " to ");
    if (of->clip_count > 1) buffer_shown(out, of->clips[of->clip_count - 1].name);
    buffer_byte(out, '\n');
}

/* Which threshold to try next. One below all edges of a match leaves it out for certain; that a
   larger one finds more is never known before, and above its ceiling the index has nothing. */
static void hint_thresholds(const app_search_result *result, buffer *out)
{
    const marey_finding_report *report = &result->report;
    int edge_count;
    const marey_match_edge *edges = marey_finding_edges(result->found.finding, &edge_count);
    double lower = report->threshold / 1.5, nearest_of_last = (double)INFINITY;
    double higher = fmin((result->count == 1 ? 2 : 1.5) * report->threshold, report->ceiling);
    for (int i = 0; i < edge_count; i++) {
        if (edges[i].from == result->count - 1 || edges[i].to == result->count - 1)
            nearest_of_last = fmin(nearest_of_last, edges[i].distance);
    }
    if (result->count > 1 && report->tiers > 1) {
        buffer_text(out, "; --tiers 1 leaves out what is only like another match");
    } else if (result->count > 1 && nearest_of_last > lower) {
        buffer_print(out, "; --threshold %.4g finds fewer", lower);
    }
    if (higher > report->threshold && !report->limited)
        buffer_print(out, "; --threshold %.4g may find more", higher);
}

int check_search(session *run, const request *options, const void *params)
{
    const app_search_params *given = params;
    const char *sheet = options->values[OPTION_SHEET], *folder = options->values[OPTION_OUTPUT];
    const char *format = "bvh";
    if (sheet && !path_ends_in(sheet, ".png") && !path_ends_in(sheet, ".svg") &&
        !path_ends_in(sheet, ".pdf"))
        return session_usage(run, "--sheet takes a name that ends in .png, .svg or .pdf");
    if (folder && (!*folder || path_ends_in(folder, ".png")))
        return session_usage(run, "-o takes a folder for the matches; --sheet draws them");
    if (request_has(options, OPTION_FORMAT) && !folder)
        return session_usage(run, "--format is for the files of -o DIR");
    if (given->paths && !run->json) return session_usage(run, "--paths is for --json");
    return options_word(run, options, OPTION_FORMAT, &format);
}

/* ---- files of matches ------------------------------------------------------------------------ */

/* With where it was found; formats with a place for it carry it inside. */
static marey_status save_match(session *run, const library_file *at,
                               const app_search_result *result, int i, const char *path,
                               marey_error *error)
{
    const marey_match *match = &result->matches[i];
    const marey_entry *entry = match_entry(result, match);
    buffer origin = buffer_make(&run->host->def);
    marey_clip *clip = NULL;
    json to = json_make(&origin);
    json_open(&to, NULL, '{');
    marey_library *library = result->libraries.all[match->library].library;
    json_put_string(&to, "library", marey_library_path(library));
    json_put_string(&to, "clip", match->name);
    json_put_integer(&to, "start", match->start);
    json_put_integer(&to, "end", match->end);
    json_put_string(&to, "licence", entry ? entry->licence : "");
    json_close(&to, '}');
    buffer_byte(&origin, 0);
    marey_status status = app_check(origin.failed, error);
    if (status == MAREY_OK) status = app_search_open(at->library, result, i, &clip, error);
    if (status == MAREY_OK && entry) licence_say(run, path, entry->licence);
    if (status == MAREY_OK) status = marey_clip_save_with(clip, path, origin.bytes, error);
    marey_clip_free(clip);
    buffer_free(&origin);
    return status;
}

/* "kick", and of several libraries "2-kick": the number of its library, from 1 on, as two may have
   a clip of one name. */
static void match_file_name(const app_search_result *result, const marey_match *match, char *name,
                            size_t room)
{
    if (result->libraries.count > 1)
        snprintf(name, room, "%d-%s", match->library + 1, match->name);
    else
        snprintf(name, room, "%s", match->name);
}

/* Each as FOLDER/CLIP-START-END.ENDING, the query too unless it is from outside. The paths go to
   `files`. */
static marey_status save_matches(session *run, const request *options, const library_file *at,
                                 const app_search_result *result, json *files, int *written,
                                 marey_error *error)
{
    const char *folder = options->values[OPTION_OUTPUT], *format = options->values[OPTION_FORMAT];
    const char *ending = format_ending(format ? format : "bvh");
    marey_status status = folder_make(folder, error);
    run->own_progress = true; /* each clip would else draw its own */
    for (int i = result->query.clip ? 1 : 0; i < result->count && status == MAREY_OK; i++) {
        const marey_match *match = &result->matches[i];
        char path[4096], name[2 * CLIP_NAME_ROOM], range[64];
        session_progress(run, "writing", i, result->count, -1);
        snprintf(range, sizeof range, "-%d-%d%s", match->start, match->end, ending);
        match_file_name(result, match, name, sizeof name);
        status = folder_path(folder, name, range, path, sizeof path, error);
        if (status != MAREY_OK) break;
        json_put_string(files, NULL, path);
        status = app_check(files->out->failed, error);
        if (status == MAREY_OK) status = save_match(run, at, result, i, path, error);
        if (status == MAREY_OK) ++*written;
    }
    return status;
}

marey_status finish_search(session *run, const request *options, const app_call *call,
                           library_file *at, buffer *more, marey_error *error)
{
    const app_search_result *of = call->result;
    const app_search_params *given = (const void *)call->params;
    const char *sheet = options->values[OPTION_SHEET], *folder = options->values[OPTION_OUTPUT];
    buffer paths = buffer_make(&run->host->def);
    json files = json_make(&paths), members = json_make(more);
    int written = 0;
    marey_status status = MAREY_OK;
    if (sheet) status = draw_result(run, call, at, "sheet", NULL, sheet, error);
    if (status == MAREY_OK && folder)
        status = save_matches(run, options, at, of, &files, &written, error);
    if (status == MAREY_OK && run->json) {
        if (sheet) json_put_string(&members, "sheet", sheet);
        if (folder) json_put_array_of(&members, "files", &paths);
    } else if (status == MAREY_OK && !run->quiet) {
        if (sheet) {
            buffer_named(more, "wrote ", sheet, "\n");
        }
        if (folder) {
            buffer_text(more, "wrote ");
            buffer_clips(more, written);
            buffer_named(more, " to ", folder, "\n");
        }
        /* What to try next, of what was not tried. */
        if (!given->cut && !(of->count > 1 && given->label_matches) && !(of->count > 1 && sheet)) {
            buffer_text(more, of->count == 1 ? "nothing is that much like it"
                              : of->libraries.count > 1
                                  ? "--sheet found.png draws them; -o DIR writes them as files"
                                  : "--sheet found.png draws them; --cut NAME makes clips of them");
            if (given->searching.nearest == 0) hint_thresholds(of, more);
            buffer_byte(more, '\n');
        }
    }
    buffer_free(&paths);
    return status;
}

/* ---- example --------------------------------------------------------------------------------- */

/* What does nothing is refused. */
int check_example(session *run, const request *options, const void *params)
{
    static const char *const of_clip[] = { "path",  "of",         "own-pace", "fps",
                                           "rough", "leave-feet", "stretch" };
    const app_example_params *given = params;
    const char *unused = request_has(options, OPTION_PROVENANCE) ? "provenance" : NULL;
    for (size_t i = 0; i < sizeof of_clip / sizeof *of_clip; i++)
        if (app_given(app_example.params, &given->given, of_clip[i])) unused = of_clip[i];
    if (unused && !options->values[OPTION_OUTPUT])
        return session_usage(run, "--%s is for -o OUT", unused);
    return PROGRAM_DONE;
}

/* "   0.512      1  walk#12-57, run#3-20": parts that follow each other are one. */
static void show_way(const app_example_found *answer, const marey_example_path *path, buffer *out)
{
    enum { SHOWN = 5 };
    int count, shown = 0;
    marey_example_fragments(answer->found, &count);
    buffer_print(out, "%8.3f  %5d  ", path->error / count, path->jumps);
    for (int i = 0, end; i < count && shown <= SHOWN; i = end, shown++) {
        const marey_example_part *first = &path->parts[i], *last = first;
        end = i + 1;
        while (end < count && path->parts[end].clip == first->clip &&
               path->parts[end].fragment == last->next)
            last = &path->parts[end++];
        if (shown == SHOWN) {
            buffer_print(out, ", and %d more", path->jumps + 1 - SHOWN);
            continue;
        }
        if (shown) buffer_text(out, ", ");
        app_libraries_show(&answer->libraries, answer->set.libraries[first->clip],
                           answer->set.clips[first->clip].name, out);
        int start = answer->set.starts[first->clip];
        buffer_print(out, "#%.0f-%.0f", floor(first->at.start) + start,
                     ceil(last->at.end) + 1 + start);
    }
    buffer_byte(out, '\n');
}

void show_example(session *run, const void *params, const void *result, buffer *out)
{
    enum { SHOWN = 10 };
    const app_example_result *all = result;
    const app_example_found *of = &all->found;
    char text[APP_DOF_ROOM];
    int count, path_count, clip_count, left_out = marey_examples_left_out(of->set.examples);
    const marey_example_path *paths = marey_example_paths(of->found, &path_count);
    const marey_example_clip *clips = marey_example_clips(of->found, &clip_count);
    (void)params;
    if (run->quiet && all->path) return;
    marey_example_fragments(of->found, &count);
    buffer_shown(out, of->text);
    buffer_print(out, ": %d fragment%s of ", count, count == 1 ? "" : "s");
    for (int d = 0; d < of->dof_count; d++) {
        if (d) buffer_text(out, ", ");
        buffer_shown(out, app_dof_text(&of->dofs[d], text));
    }
    buffer_print(out, ", %.2f s\nlooked at %d fragments of ", of->used / of->fps,
                 marey_examples_fragments(of->set.examples));
    buffer_clips(out, of->set.clip_count - left_out);
    if (left_out) buffer_print(out, " (%d have no such signal)", left_out);
    buffer_print(out, " in %.1f ms\n", 1e3 * of->seconds);

    buffer_text(out, path_count == 0 ? "nothing was found\n"
                                     : "   error  jumps  the best ways through all clips\n");
    for (int i = 0; i < path_count; i++) show_way(of, &paths[i], out);
    if (clip_count > 0) buffer_text(out, "   error  jumps  the best clips, each alone\n");
    for (int i = 0; i < clip_count && i < SHOWN; i++) show_way(of, &clips[i].path, out);
    if (clip_count > SHOWN)
        buffer_print(out, "                 and %d more; --json has them all\n",
                     clip_count - SHOWN);
    if (path_count > 0)
        buffer_text(out, "errors are the mean over the fragments, in degrees or cm\n");
    if (!all->path) return;
    show_pieces(&all->pieces, out);
    show_figures(&all->made, out);
}
