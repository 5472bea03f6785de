/* found_answer.c - the matches of a search for programs and for people. */
#include "found_answer.h"

#include <math.h>
#include <stdio.h>

enum { WIDEST_NAME = 40 };

/* As long as the shortest chain of an index by default: shorter queries are matched by tails of chains and bridges. */
static const double shortest_s = 0.25;

/* ---- the answer for programs ----------------------------------------------------------------------- */

/* Frames of a file count from its first, also where --skip-first has left that out. */
static int shift_of(const searching *all, int match)
{
    return match == 0 && all->outside && all->load.skip_first ? 1 : 0;
}

static void write_matches(const searching *all, json *to)
{
    json_open(to, "matches", '[');
    for (int i = 0; i < all->count; i++) {
        const marey_match *match = &all->matches[i];
        json_open(to, NULL, '{');
        json_put_string(to, "clip", match->name);
        if (match->clip) json_put_integer(to, "id", match->clip);
        if (!match->clip) json_put_null(to, "id");
        json_put_integer(to, "start", match->start + shift_of(all, i));
        json_put_integer(to, "end", match->end + shift_of(all, i));
        json_put_number(to, "distance", match->distance);
        json_put_number(to, "path_distance", match->path_distance);
        json_put_integer(to, "tier", match->tier);
        json_close(to, '}');
    }
    json_close(to, ']');
}

static marey_status write_cells(const searching *all, const marey_match_edge *edges, int edge,
                                json *to, marey_error *error)
{
    int down = shift_of(all, edges[edge].from), across = shift_of(all, edges[edge].to);
    marey_path path;
    marey_status status = marey_finding_path(all->finding, edge, &path, error);
    if (status != MAREY_OK) return status;
    json_open(to, "cells", '[');
    for (int i = 0; i < path.count; i++) {
        json_open(to, NULL, '[');
        json_put_integer(to, NULL, path.cells[i].row + down);
        json_put_integer(to, NULL, path.cells[i].col + across);
        json_close(to, ']');
    }
    json_close(to, ']');
    marey_path_free(&path);
    return MAREY_OK;
}

static marey_status write_edges(const searching *all, json *to, marey_error *error)
{
    marey_status status = MAREY_OK;
    int count;
    const marey_match_edge *edges = marey_finding_edges(all->finding, &count);
    bool paths = request_has(all->asked, OPTION_PATHS);
    json_open(to, "edges", '[');
    for (int i = 0; i < count && status == MAREY_OK; i++) {
        json_open(to, NULL, '{');
        json_put_integer(to, "from", edges[i].from);
        json_put_integer(to, "to", edges[i].to);
        json_put_number(to, "distance", edges[i].distance);
        if (paths) status = write_cells(all, edges, i, to, error);
        json_close(to, '}');
    }
    json_close(to, ']');
    return status;
}

static marey_status write_json(const searching *all, json *to, marey_error *error)
{
    marey_finding_report report = marey_finding_report_of(all->finding);
    json_open(to, NULL, '{');
    write_matches(all, to);
    marey_status status = write_edges(all, to, error);
    json_put_number(to, "seconds", report.seconds);
    json_put_string(to, "metric", all->metric);
    json_put_number(to, "threshold", report.threshold);
    json_put_number(to, "ceiling", report.ceiling); /* null: none */
    json_put_boolean(to, "past_ceiling", report.past_ceiling);
    json_put_integer(to, "tiers", report.tiers);
    json_put_boolean(to, "limited", report.limited);
    json_put_integer(to, "clips_missing", report.clips_missing);
    json_put_number(to, "fps", report.fps);
    if (request_has(all->asked, OPTION_SHEET))
        json_put_string(to, "sheet", all->asked->values[OPTION_SHEET]);
    if (request_has(all->asked, OPTION_OUTPUT)) json_put_array_of(to, "files", &all->files);
    return status;
}

/* ---- the answer for people ------------------------------------------------------------------------- */

static int width_of(const char *text)
{
    int width = 0;
    for (; *text; text++) width += ((unsigned char)*text & 0xc0) != 0x80;
    return width;
}

static double rate_of(const searching *all, const marey_match *match)
{
    const marey_entry *entry = match->clip ? listing_find(all->listing, match->name) : NULL;
    return entry ? entry->fps : all->outside ? marey_clip_fps(all->outside) : 1;
}

static void write_match(const searching *all, int i, int names)
{
    buffer *out = &all->run->out;
    const marey_match *match = &all->matches[i];
    double fps = rate_of(all, match);
    int start = match->start + shift_of(all, i), end = match->end + shift_of(all, i);
    char frames[32];
    snprintf(frames, sizeof frames, "%d-%d", start, end);
    buffer_shown(out, match->name);
    buffer_blanks(out, names - width_of(match->name));
    buffer_print(out, " %13s %8.2f %8.2f", frames, start / fps, end / fps);
    if (i == 0) {
        buffer_text(out, "   the query\n");
        return;
    }
    buffer_print(out, " %10.4g", match->distance);
    if (all->squared) buffer_print(out, " %6.2f cm", sqrt(match->distance));
    buffer_print(out, " %10.4g %5d\n", match->path_distance, match->tier);
}

static void write_table(const searching *all)
{
    buffer *out = &all->run->out;
    int names = 4;
    for (int i = 0; i < all->count; i++) {
        int width = width_of(all->matches[i].name);
        if (width > names) names = width < WIDEST_NAME ? width : WIDEST_NAME;
    }
    buffer_text(out, "clip");
    buffer_blanks(out, names - 4);
    buffer_print(out, " %13s %8s %8s %10s%s %10s %5s\n", "frames", "from s", "to s", "distance",
                 all->squared ? "      root" : "", "path", "tier");
    for (int i = 0; i < all->count; i++) write_match(all, i, names);
}

static void write_summary(const searching *all, const marey_finding_report *report)
{
    buffer *out = &all->run->out;
    int found = all->count - 1;
    buffer_print(out, "%d match%s up to %.6g", found, found == 1 ? "" : "es", report->threshold);
    if (all->squared) buffer_print(out, " cm2 (%.3g cm)", sqrt(report->threshold));
    bool long_time = report->seconds >= 0.9995;
    buffer_print(out, " in %d tier%s, %.3g %s", report->tiers, report->tiers == 1 ? "" : "s",
                 report->seconds * (long_time ? 1 : 1e3), long_time ? "s" : "ms");
    buffer_text(out, report->limited ? "; there are more: --limit\n" : "\n");
}

/* The last match is found by no edge shorter than this. */
static double nearest_of_last(const searching *all)
{
    int count;
    const marey_match_edge *edges = marey_finding_edges(all->finding, &count);
    double least = INFINITY;
    for (int i = 0; i < count; i++) {
        if (edges[i].from == all->count - 1 || edges[i].to == all->count - 1)
            least = fmin(least, edges[i].distance);
    }
    return least;
}

/* Which threshold to try next. One below all edges of a match leaves it out for certain; that a larger one finds more is
   never known before, and above its ceiling the index has nothing. */
static void write_thresholds(const searching *all, const marey_finding_report *report)
{
    buffer *out = &all->run->out;
    double lower = report->threshold / 1.5;
    double higher = fmin((all->count == 1 ? 2 : 1.5) * report->threshold, report->ceiling);
    if (all->count > 1 && report->tiers > 1) {
        buffer_text(out, "; --tiers 1 leaves out what is only like another match");
    } else if (all->count > 1 && nearest_of_last(all) > lower) {
        buffer_print(out, "; --threshold %.4g finds fewer", lower);
    }
    if (higher > report->threshold && !report->limited)
        buffer_print(out, "; --threshold %.4g may find more", higher);
    buffer_byte(out, '\n');
}

/* What to try next, of what was not tried. */
static void write_hint(const searching *all, const marey_finding_report *report)
{
    buffer *out = &all->run->out;
    if (all->count > 1 && request_has(all->asked, OPTION_SHEET)) return;
    buffer_text(out, all->count == 1
                         ? "nothing is that much like it"
                         : "--sheet found.png draws them; --cut NAME makes clips of them");
    write_thresholds(all, report);
}

static void write_text(const searching *all)
{
    const request *asked = all->asked;
    buffer *out = &all->run->out;
    marey_finding_report report = marey_finding_report_of(all->finding);
    write_table(all);
    write_summary(all, &report);
    if (all->run->quiet) return;
    if (request_has(asked, OPTION_SHEET)) {
        buffer_text(out, "wrote ");
        buffer_shown(out, asked->values[OPTION_SHEET]);
        buffer_byte(out, '\n');
    }
    if (request_has(asked, OPTION_OUTPUT)) {
        buffer_text(out, "wrote ");
        buffer_clips(out, all->written);
        buffer_text(out, " to ");
        buffer_shown(out, asked->values[OPTION_OUTPUT]);
        buffer_byte(out, '\n');
    }
    if (!request_has(asked, OPTION_CUT)) write_hint(all, &report);
}

void found_warn_short(session *run, int frames, double fps)
{
    if (run->quiet || frames <= 0 || frames / fps >= shortest_s) return;
    session_say(
        run,
        "warning: a query of %.3g s is so short that it may be like almost anything; %.3g s or "
        "more say what is meant, and --tiers 1 keeps to what is like the query itself",
        frames / fps, shortest_s);
}

void found_warn(const searching *all)
{
    marey_finding_report report = marey_finding_report_of(all->finding);
    if (all->run->quiet) return;
    if (report.past_ceiling)
        session_say(all->run,
                    "warning: the index has nothing above %.6g, so matches may be missing; marey "
                    "index --ceiling %.6g makes it again with more",
                    report.ceiling, 1.5 * report.threshold);
    if (report.clips_missing > 0)
        session_say(all->run,
                    "warning: %d clip%s not all in the index and may not have been searched; run "
                    "marey index %s",
                    report.clips_missing, report.clips_missing == 1 ? " is" : "s are",
                    all->at.path);
}

marey_status found_answer(const searching *all, json *to, marey_error *error)
{
    marey_status status = MAREY_OK;
    if (all->run->json) {
        status = write_json(all, to, error);
    } else {
        write_text(all);
    }
    return status == MAREY_OK ? shelf_ready(all->run, error) : status;
}

void found_answer_end(const searching *all, json *to)
{
    buffer *out = &all->run->out;
    if (all->run->json) {
        if (all->clips) {
            json_open(to, "clips", '[');
            for (int i = 0; i < all->clip_count; i++) json_put_string(to, NULL, all->clips[i].name);
            json_close(to, ']');
        }
        json_close(to, '}');
        buffer_byte(out, '\n');
    } else if (all->clips && !all->run->quiet && all->clip_count > 0) {
        buffer_text(out, "made ");
        buffer_clips(out, all->clip_count);
        buffer_text(out, ", ");
        buffer_shown(out, all->clips[0].name);
        if (all->clip_count > 1) buffer_text(out, " to ");
        if (all->clip_count > 1) buffer_shown(out, all->clips[all->clip_count - 1].name);
        buffer_byte(out, '\n');
    }
}
