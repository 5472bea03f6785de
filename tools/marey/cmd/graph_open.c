/* graph_open.c - what the commands of motion graphs share. */
#include "graph_open.h"

#include "address.h"
#include "saved_things.h"
#include "table_file.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

marey_status fail_graph(marey_error *error, marey_status status, const char *path,
                        const char *format, ...)
{
    va_list args;
    *error = (marey_error){ .status = status };
    snprintf(error->path, sizeof error->path, "%.1000s", path);
    va_start(args, format);
    vsnprintf(error->message, sizeof error->message, format, args);
    va_end(args);
    return status;
}

/* ---- opening --------------------------------------------------------------------------------------- */

marey_status kept_graph_open(session *run, const request *asked, marey_library_mode mode,
                             kept_graph *out, marey_error *error)
{
    return kept_graph_find(run, asked->operands[0], asked->operands[1], mode, out, error);
}

marey_status kept_graph_find(session *run, const char *path, const char *name,
                             marey_library_mode mode, kept_graph *out, marey_error *error)
{
    kept_graph of = { .name = name };
    marey_status status = shelf_open(run, path, mode, &of.at, error);
    if (status != MAREY_OK) return status;
    status = marey_library_graph(of.at.library, of.name, &of.parts, &of.graph, error);
    if (status != MAREY_OK) {
        shelf_close(&of.at, true);
        shelf_hint("graph", "build", error);
        return status;
    }
    *out = of;
    return MAREY_OK;
}

void kept_graph_close(kept_graph *of)
{
    marey_graph_free(of->graph);
    marey_parts_free(of->parts);
    of->graph = NULL;
    of->parts = NULL;
    if (of->at.library) shelf_close(&of->at, true);
    of->at.library = NULL;
}

int kept_graph_end(kept_graph *of, marey_status status, marey_error *error)
{
    session *run = of->at.run;
    kept_graph_close(of);
    if (status == MAREY_OK) return session_finish(run, PROGRAM_DONE);
    run->out.used = 0;
    return session_fail(run, error);
}

/* ---- its policy -------------------------------------------------------------------------------------- */

static marey_status no_policy(const kept_graph *of, marey_error *error)
{
    return fail_graph(
        error, MAREY_ERR_INPUT, of->at.path,
        "the graph %.100s has no policy yet: marey graph train %.300s %.100s makes it", of->name,
        of->at.path, of->name);
}

marey_status kept_graph_policy(const kept_graph *of, marey_policy **out, marey_error *error)
{
    marey_kept *kept = NULL;
    bool there = false;
    int count;
    marey_status status = marey_library_kept_list(of->at.library, MAREY_KEPT_POLICY, &kept, error);
    if (status != MAREY_OK) return status;
    const marey_kept_entry *entries = marey_kept_entries(kept, &count);
    for (int i = 0; i < count; i++) there |= strcmp(entries[i].name, of->name) == 0;
    marey_kept_free(kept);
    if (!there) return no_policy(of, error);
    return marey_library_policy(of->at.library, of->name, of->graph, out, error);
}

/* ---- frames ---------------------------------------------------------------------------------------- */

int graph_frame(const marey_parts *parts, const marey_graph_node *node)
{
    return parts->parts[node->clip].start + (int)lround(node->frame);
}

int graph_other_frame(const marey_parts *parts, const marey_graph_node *node)
{
    return parts->parts[node->other].start + (int)lround(node->other_frame);
}

int parts_clips(const marey_parts *parts)
{
    return app_clip_count(parts->parts, parts->count);
}

bool parts_is_clip(const marey_parts *parts, int i, const char *name)
{
    char number[24];
    snprintf(number, sizeof number, "#%lld", (long long)parts->parts[i].clip);
    return strcmp(name[0] == '#' ? number : parts->names[i].name, name) == 0;
}

static marey_status fail_unknown(const kept_graph *of, const char *name, marey_error *error)
{
    const char *nearest = NULL;
    for (int i = 0; i < of->parts->count && !nearest; i++) {
        if (is_near(name, of->parts->names[i].name)) nearest = of->parts->names[i].name;
    }
    return fail_graph(error, MAREY_ERR_INPUT, of->at.path,
                      "the graph %.100s has no clip %.200s%s%.200s%s", of->name, name,
                      nearest ? "; is it " : "", nearest ? nearest : "", nearest ? "?" : "");
}

/* The node of this clip that is nearest to a frame among those that walks can use; -1: it has none. */
static int nearest_core(const kept_graph *of, const char *clip, int frame)
{
    int best = -1, off = 0;
    for (int n = 0; n < marey_graph_originals(of->graph); n++) {
        marey_graph_node node = marey_graph_node_of(of->graph, n);
        if (!node.core || !parts_is_clip(of->parts, node.clip, clip)) continue;
        int d = abs(graph_frame(of->parts, &node) - frame);
        if (best >= 0 && d >= off) continue;
        best = n;
        off = d;
    }
    return best;
}

static marey_status fail_frame(const kept_graph *of, const char *clip, int frame, bool there,
                               marey_error *error)
{
    const char *why = there ? "cannot be walked both to and from" : "is no captured frame";
    int nearest = nearest_core(of, clip, frame);
    if (nearest < 0) {
        return fail_graph(error, MAREY_ERR_REQUEST, clip,
                          "frame %d %s in the graph %.100s, nor can any of this clip; a larger "
                          "--threshold connects more",
                          frame, why, of->name);
    }
    marey_graph_node node = marey_graph_node_of(of->graph, nearest);
    return fail_graph(error, MAREY_ERR_REQUEST, clip,
                      "frame %d %s in the graph %.100s; the nearest that can be is %.200s#%d",
                      frame, why, of->name, clip, graph_frame(of->parts, &node));
}

marey_status graph_node_at(const kept_graph *of, const char *text, int *node, marey_error *error)
{
    address at;
    double fps = 0;
    int known = -1;
    if (!address_parse(text, &at) || !at.range.given || !at.range.one_frame) {
        return fail_graph(error, MAREY_ERR_REQUEST, text,
                          "expected one frame of a clip, as in walk#120 or walk#1.5s");
    }
    for (int i = 0; i < of->parts->count && known < 0; i++) {
        if (parts_is_clip(of->parts, i, at.path)) known = i;
    }
    if (known < 0) return fail_unknown(of, at.path, error);
    fps = marey_clip_fps(of->parts->clips[known]);
    int frame = (int)lround(fmin(at.range.in_seconds ? at.range.start * fps : at.range.start, 1e9));
    int found = -1;
    for (int i = known; i < of->parts->count && found < 0; i++) {
        const marey_part *part = &of->parts->parts[i];
        if (!parts_is_clip(of->parts, i, at.path) || frame < part->start || frame >= part->end)
            continue;
        found = marey_graph_find(of->graph, i, frame - part->start);
    }
    if (found < 0 || !marey_graph_node_of(of->graph, found).core)
        return fail_frame(of, at.path, frame, found >= 0, error);
    *node = found;
    return MAREY_OK;
}

/* ---- numbers --------------------------------------------------------------------------------------- */

int options_list(session *run, const request *asked, option_key key, const char *name, double low,
                 double high, int most, number_list *out)
{
    const char *text = asked->values[key], *at = text;
    out->count = 0;
    if (!text) return PROGRAM_DONE;
    while (out->count < most && (at = number_read(at, &out->values[out->count]))) {
        double value = out->values[out->count];
        bool rises = out->count == 0 || value > out->values[out->count - 1];
        if (!(value >= low && value <= high) || !rises) {
            at = NULL;
            break;
        }
        out->count++;
        if (*at != ',') break;
        at++;
    }
    if (out->count > 0 && at && *at == 0) return PROGRAM_DONE;
    return session_usage(run,
                         "--%s takes up to %d rising numbers from %g to %g with commas between "
                         "them, not \"%s\"",
                         name, most, low, high, text);
}

int options_frames(session *run, const request *asked, option_key key, const char *name, double fps,
                   int *out)
{
    static const double most = 1e7;
    const char *text = asked->values[key];
    double value = 0;
    if (!text) return PROGRAM_DONE;
    const char *end = number_read(text, &value);
    bool seconds = end && strcmp(end, "s") == 0;
    double frames = seconds ? value * fps : value;
    if (end && (seconds || *end == 0) && frames >= 1 && frames <= most) {
        *out = (int)lround(frames);
        return PROGRAM_DONE;
    }
    return session_usage(run, "--%s takes frames, as in 600, or seconds, as in 20s, not \"%s\"",
                         name, text);
}
