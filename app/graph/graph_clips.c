/* graph_clips.c - clips out of motion graphs: where walks begin and end, what they are made of, and
   what is said of them. */
#include "make.h"
#include "motion_graphs.h"
#include "near_name.h"
#include "requests.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- frames ---------------------------------------------------------------------------------- */

int app_graph_frame(const marey_parts *parts, const marey_graph_node *node)
{
    return parts->parts[node->clip].start + (int)lround(node->frame);
}

int app_graph_other_frame(const marey_parts *parts, const marey_graph_node *node)
{
    return parts->parts[node->other].start + (int)lround(node->other_frame);
}

/* A walk can begin with it, or end with it. */
static bool is_usable(const marey_graph_node *node, app_node_use use)
{
    return use == APP_NODE_BEGINS ? node->begins : use == APP_NODE_ENDS ? node->ends : true;
}

/* With the nearest frame of the clip that walks can use so, if there is one. `there`: the graph has
   this frame. */
static marey_status fail_frame(const app_saved_graph *saved, const char *clip, int frame,
                               bool there, app_node_use use, marey_error *error)
{
    const char *why = !there                   ? "is no captured frame"
                      : use == APP_NODE_BEGINS ? "has no room for a piece and a way on"
                                               : "has no way in with room for a piece";
    int nearest = -1, off = 0;
    for (int n = 0; n < marey_graph_originals(saved->graph); n++) {
        marey_graph_node node = marey_graph_node_of(saved->graph, n);
        if (!is_usable(&node, use) || !app_part_is_of(saved->parts, node.clip, clip)) continue;
        int apart = abs(app_graph_frame(saved->parts, &node) - frame);
        if (nearest >= 0 && apart >= off) continue;
        nearest = n;
        off = apart;
    }
    if (nearest < 0) {
        return app_fail(error, MAREY_ERR_REQUEST, clip,
                        "frame %d %s in the graph %.100s, nor can any of this clip; a larger "
                        "--threshold connects more",
                        frame, why, saved->name);
    }
    marey_graph_node node = marey_graph_node_of(saved->graph, nearest);
    return app_fail(error, MAREY_ERR_REQUEST, clip,
                    "frame %d %s in the graph %.100s; the nearest usable frame is %.200s#%d", frame,
                    why, saved->name, clip, app_graph_frame(saved->parts, &node));
}

marey_status app_graph_node(const app_saved_graph *saved, const app_segment *segment,
                            app_node_use use, int *node, marey_error *error)
{
    const frame_range *range = &segment->range;
    const marey_parts *parts = saved->parts;
    int known = 0, found = -1;
    if (!range->given || !range->one_frame) {
        return app_fail(error, MAREY_ERR_REQUEST, segment->clip,
                        "expected one frame of a clip, as in walk#120 or walk#1.5s");
    }
    while (known < parts->count && !app_part_is_of(parts, known, segment->clip)) known++;
    if (known == parts->count) {
        const char *nearest = NULL;
        for (int i = 0; i < parts->count && !nearest; i++)
            if (is_near(segment->clip, parts->names[i].name)) nearest = parts->names[i].name;
        return app_fail(error, MAREY_ERR_INPUT, NULL,
                        "the graph %.100s has no clip %.200s%s%.200s%s", saved->name, segment->clip,
                        nearest ? "; is it " : "", nearest ? nearest : "", nearest ? "?" : "");
    }
    double fps = range->in_seconds ? marey_clip_fps(parts->clips[known]) : 1;
    int frame = (int)lround(fmin(range->start * fps, 1e9));
    for (int i = known; i < parts->count && found < 0; i++) {
        const marey_part *part = &parts->parts[i];
        if (app_part_is_of(parts, i, segment->clip) && frame >= part->start && frame < part->end)
            found = marey_graph_find(saved->graph, i, frame - part->start);
    }
    marey_graph_node one = { 0 };
    if (found >= 0) one = marey_graph_node_of(saved->graph, found);
    if (found < 0 || !is_usable(&one, use))
        return fail_frame(saved, segment->clip, frame, found >= 0, use, error);
    *node = found;
    return MAREY_OK;
}

/* ---- policies -------------------------------------------------------------------------------- */

marey_status app_graph_policy(const app_env *env, const app_saved_graph *saved, marey_policy **out,
                              marey_error *error)
{
    marey_status status = marey_library_policy(env->library, saved->name, saved->graph, out, error);
    if (status == MAREY_ERR_NOT_FOUND) {
        const char *path = marey_library_path(env->library);
        return app_fail(
            error, MAREY_ERR_NOT_FOUND, path,
            "the graph %.100s has no policy yet: marey graph train %.300s %.100s makes it",
            saved->name, path, saved->name);
    }
    return status == MAREY_OK ? app_own_policy(env, *out, error) : status;
}

static void release_matching(void *matching)
{
    marey_matching_free(matching);
}

marey_status app_graph_matching(const app_env *env, const app_saved_graph *saved,
                                marey_matching **out, marey_error *error)
{
    marey_status status = marey_matching_build(env->ctx, saved->graph, NULL, out, error);
    return status == MAREY_OK ? app_own(env->scope, *out, release_matching, error) : status;
}

int app_controller_named(const char *name)
{
    int kind = 0;
    while (kind < MAREY_CONTROLLER_KIND_COUNT &&
           strcmp(name, marey_controller_kind_name((marey_controller_kind)kind)) != 0)
        kind++;
    return kind;
}

/* ---- rate and length ------------------------------------------------------------------------- */

/* "20s" or "600"; at 0 frames a second it is only read. */
static bool read_length(const char *text, double fps, double *frames)
{
    const char *end = number_read(text, frames);
    bool seconds = end && strcmp(end, "s") == 0;
    if (seconds && fps > 0) *frames *= fps;
    double least = seconds && fps <= 0 ? 0 : 1;
    return end && (seconds || *end == 0) && *frames >= least && *frames <= 1e7;
}

marey_status app_walk_check(const app_walk_making *making, app_dialect dialect, marey_error *error)
{
    double unused;
    if (!making->length || read_length(making->length, 0, &unused)) return MAREY_OK;
    return app_fail(error, MAREY_ERR_REQUEST, NULL,
                    "%slength must be frames, as in 600, or seconds, as in 20s, got %.100s",
                    dialect == APP_COMMAND_LINE ? "--" : "", making->length);
}

static marey_status check_frames(const app_env *env, double frames, marey_error *error)
{
    if (!env->most_frames || frames <= (double)env->most_frames) return MAREY_OK;
    return app_fail(error, MAREY_ERR_LIMIT, NULL,
                    "the clip must have at most %lld frames here, got %.0f: ask for less, or use "
                    "the command line",
                    (long long)env->most_frames, frames);
}

marey_status app_graph_clip_open(const app_env *env, const app_walk_making *making,
                                 app_graph_clip *out, marey_error *error)
{
    out->saves = env->saves_clip;
    return app_graph_open(env, making->graph, &out->saved, error);
}

double app_graph_clip_fps(const app_walk_making *making, const app_graph_clip *clip)
{
    return making->fps > 0 ? making->fps : marey_clip_fps(clip->saved->parts->clips[0]);
}

marey_status app_graph_clip_length(const app_env *env, const app_walk_making *making,
                                   const app_graph_clip *clip, int *frames, int *nodes,
                                   marey_error *error)
{
    double fps = app_graph_clip_fps(making, clip), wanted = *frames;
    double pace = marey_graph_fps(clip->saved->graph) / fps;
    if (making->length && !read_length(making->length, fps, &wanted)) {
        return app_fail(error, MAREY_ERR_REQUEST, NULL,
                        "length must be 1 to 1e7 frames, got %.100s", making->length);
    }
    *frames = (int)lround(wanted);
    *nodes = (int)fmin(fmax(ceil((*frames - 1) * pace - 1e-6) + 1, 2), 1e9);
    return check_frames(env, *frames, error);
}

/* ---- making ---------------------------------------------------------------------------------- */

/* Of the other; on the mean where it changes, as in a crossing. */
static double piece_weight(const marey_walk_piece *piece)
{
    return 0.5 * (piece->first.weight + piece->last.weight);
}

const marey_graph *app_graph_clip_graph(const app_graph_clip *clip)
{
    return clip->performance ? clip->performance->graph : clip->saved->graph;
}

int app_graph_clip_request(const app_graph_clip *clip, const marey_graph_node *node)
{
    int own = clip->saved->parts->count;
    for (int i = 0; i < clip->request_count && node->clip >= own; i++)
        if (clip->requests[i].done == node->clip - own) return i;
    return -1;
}

/* The examples that a request's motion is made of, and how fast they are. */
static marey_status add_request(const app_env *env, app_graph_clip *clip, int number,
                                marey_error *error)
{
    app_saved_family *from = clip->requests[number].from;
    if (!from) return MAREY_OK; /* an action: its clip is noted */
    const marey_answer *answer = &clip->performance->done[clip->requests[number].done].answer;
    marey_status status = MAREY_OK;
    for (int i = 0; i < answer->count && status == MAREY_OK; i++)
        status =
            app_family_use(env, from, answer->motions[i], answer->weights[i], &clip->made, error);
    return status;
}

marey_status app_walk_sources(const app_env *env, const app_saved_graph *saved,
                              const marey_walk_piece *pieces, int count, app_provenance *note,
                              marey_error *error)
{
    const marey_parts *parts = saved->parts;
    const marey_listing *listing = NULL;
    marey_status status = app_listing(env, &listing, error);
    for (int i = 0; i < count && status == MAREY_OK; i++) {
        const marey_graph_node *first = &pieces[i].first, *last = &pieces[i].last;
        if (first->clip >= parts->count) continue; /* a request's */
        bool mixed = first->other >= 0;
        double weight = piece_weight(&pieces[i]);
        marey_part one = { parts->parts[first->clip].clip, app_graph_frame(parts, first),
                           app_graph_frame(parts, last) + 1 };
        status = app_provenance_part(note, env, listing, &one, mixed ? 1 - weight : 0, error);
        if (status != MAREY_OK || !mixed) continue;
        one = (marey_part){ parts->parts[first->other].clip, app_graph_other_frame(parts, first),
                            app_graph_other_frame(parts, last) + 1 };
        status = app_provenance_part(note, env, listing, &one, weight, error);
    }
    return status;
}

marey_status app_graph_clip_make(const app_env *env, const app_operation *operation,
                                 const app_params *params, const app_walk_making *making,
                                 marey_walk_make_def *def, app_graph_clip *clip, marey_error *error)
{
    app_saved_graph *saved = clip->saved;
    app_made *made = &clip->made;
    marey_clean_def clean = { .stretch = app_stretch(operation->params, params, making->stretch) };
    double pace = app_graph_clip_fps(making, clip) / marey_graph_fps(saved->graph);
    marey_status status = check_frames(env, clip->walk.count * pace, error);
    if (status != MAREY_OK) return status;
    def->fps = making->fps;
    def->rough = making->rough;
    def->leave_feet = making->leave_feet;
    def->clean = &clean;
    if (clip->performance)
        status = marey_performance_make(env->ctx, clip->performance, def, &made->made, &clip->about,
                                        error);
    else if (clip->matching)
        status = marey_matching_make(env->ctx, clip->matching, &clip->walk, clip->places, def,
                                     &made->made, &clip->about, error);
    else
        status = marey_walk_make(env->ctx, saved->graph, &clip->walk, def, &made->made,
                                 &clip->about, error);
    if (clip->performance) clip->walk = clip->performance->walk;
    if (status == MAREY_OK) status = app_made_own(env, made, error);
    /* The fastest that joints of its clips move is measured once. */
    marey_speeds all = APP_NO_SPEEDS;
    for (int i = 0; i < saved->parts->count && !saved->timed && status == MAREY_OK; i++)
        status = app_speeds_add(saved->parts->clips[i], NULL, &all, error);
    if (status != MAREY_OK) return status;
    if (!saved->timed) saved->speeds = all;
    saved->timed = true;
    const marey_graph *graph = app_graph_clip_graph(clip);
    clip->piece_count = marey_walk_pieces(graph, &clip->walk, NULL, 0);
    clip->pieces = APP_NEW(env->scope, marey_walk_piece, clip->piece_count);
    if (!clip->pieces) return app_fail_memory(error);
    marey_walk_pieces(graph, &clip->walk, clip->pieces, clip->piece_count);
    made->inputs = saved->speeds;
    made->cleaned = !making->leave_feet && !making->rough;
    made->end = marey_clip_frames(made->made.clip);
    made->jump_known = true;
    made->jump_ratio = clip->about.jump_ratio;
    made->from.graph = saved->name;
    status = app_walk_sources(env, saved, clip->pieces, clip->piece_count, &made->from, error);
    for (int i = 0; i < clip->request_count && status == MAREY_OK; i++)
        status = add_request(env, clip, i, error);
    return status == MAREY_OK ? app_made_finish(env, operation, params, made, error) : status;
}

/* ---- as JSON --------------------------------------------------------------------------------- */

int app_graph_clip_frame(const app_graph_clip *clip, int frame)
{
    const marey_clip *made = clip->made.made.clip;
    int at = marey_walk_frame(app_graph_clip_graph(clip), frame, marey_clip_fps(made));
    int end = marey_clip_frames(made);
    return frame == clip->walk.count || at > end ? end : at;
}

/* The label that most of a piece has, at least half of it, and first of all one of the actions that
   the walk goes through; NULL: none. */
static const char *piece_label(const app_graph_clip *clip, const marey_walk_piece *piece)
{
    const marey_graph *graph = clip->saved->graph;
    int count, most = 0;
    const char *const *labels = marey_graph_labels(graph, &count), *best = NULL;
    for (int asked = 1; asked >= 0 && !best; asked--) {
        for (int k = 0; k < count; k++) {
            bool acts = !asked;
            for (int i = 0; i < clip->actions.count && !acts; i++)
                acts = strcmp(clip->actions.values[i], labels[k]) == 0;
            int having = 0;
            for (int f = piece->at; acts && f < piece->at + piece->frames; f++)
                having += marey_graph_has_label(graph, clip->walk.nodes[f], k);
            if (having <= most || 2 * having < piece->frames) continue;
            best = labels[k];
            most = having;
        }
    }
    return best;
}

void app_graph_clip_write(const app_graph_clip *clip, json *out)
{
    const marey_contacts *feet = &clip->made.made.contacts;
    const marey_parts *parts = clip->saved->parts;
    json_put_integer(out, "transitions", clip->about.transitions);
    json_put_number(out, "mean_quality", clip->about.mean_quality);
    json_open(out, "pieces", '[');
    for (int i = 0; i < clip->piece_count; i++) {
        const marey_walk_piece *piece = &clip->pieces[i];
        const marey_graph_node *first = &piece->first, *last = &piece->last;
        int start = app_graph_clip_frame(clip, piece->at);
        int request = app_graph_clip_request(clip, first);
        json_open(out, NULL, '{');
        json_put_integer(out, "at", start);
        json_put_integer(out, "length",
                         app_graph_clip_frame(clip, piece->at + piece->frames) - start);
        if (request >= 0) {
            const char *name = clip->requests[request].from->name;
            json_put_string(out, "clip", name);
            json_put_null(out, "id");
            json_put_integer(out, "start", (int)lround(first->frame));
            json_put_integer(out, "end", (int)lround(last->frame) + 1);
            json_put_string(out, "label", name);
            json_put_string(out, "family", name);
            json_close(out, '}');
            continue;
        }
        json_put_string(out, "clip", parts->names[first->clip].name);
        json_put_integer(out, "id", parts->parts[first->clip].clip);
        json_put_integer(out, "start", app_graph_frame(parts, first));
        json_put_integer(out, "end", app_graph_frame(parts, last) + 1);
        json_put_string(out, "label", piece_label(clip, piece));
        if (first->other >= 0) {
            json_put_string(out, "other", parts->names[first->other].name);
            json_put_integer(out, "other_id", parts->parts[first->other].clip);
            json_put_integer(out, "other_start", app_graph_other_frame(parts, first));
            json_put_integer(out, "other_end", app_graph_other_frame(parts, last) + 1);
            json_put_number(out, "weight", piece_weight(piece));
        }
        json_close(out, '}');
    }
    json_close(out, ']');
    app_requests_write(clip, out);
    app_contacts_write(out, "constraints", feet->items, feet->count, 0);
    app_made_write(&clip->made, out);
}
