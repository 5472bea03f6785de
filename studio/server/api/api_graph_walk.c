/* api_graph_walk.c - walks through a motion graph: along a path that is dragged, for so long, through actions, or over one
   transition that somebody clicked on. What `marey graph walk` does, with the same provenance. */
#include "graph_body.h"
#include "graph_kept.h"
#include "made_answer.h"
#include "walk_sources.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct walking {
    studio_worker *by;
    app_saved_graph *of;
    const walk_body *body;
    marey_walk walk;
    int *own; /* nodes of a walk over a transition, which is put together here */
    size_t own_bytes;
    marey_walk_made about;
    double fps; /* of the clip, .. */
    int frames; /* .. and its length */
    walk_sources pieces;
} walking;

static marey_status fail(marey_error *error, marey_status status, const char *message)
{
    *error = (marey_error){ .status = status };
    snprintf(error->message, sizeof error->message, "%s", message);
    return status;
}

/* ---- which nodes -------------------------------------------------------------------------------- */

/* What is only looked at is at the graph's rate, which is quicker to send while a path is dragged; what is kept, at that of the
   first clip. */
static double made_fps(const walking *all)
{
    return all->body->name ? marey_clip_fps(all->of->parts->clips[0])
                           : marey_graph_fps(all->of->graph);
}

/* 0: as long as the walk. */
static int made_frames(const walk_body *body, double fps)
{
    return body->length_s > 0 ? (int)lround(fmin(body->length_s * fps, 1e7)) : 0;
}

/* So many nodes that the frames asked for come of them. */
static marey_walk_def define(const walk_body *body, const marey_graph *graph, double fps)
{
    marey_walk_def def = { .kind = body->point_count > 0     ? MAREY_WALK_PATH
                                   : body->length_s > 0      ? MAREY_WALK_LENGTH
                                   : body->through_count > 0 ? MAREY_WALK_LABELS
                                                             : MAREY_WALK_TO,
                           .from_given = body->from >= 0,
                           .to_given = body->to >= 0,
                           .seed = (uint64_t)body->seed,
                           .labels = body->through,
                           .label_count = body->through_count,
                           .styles = body->styles,
                           .style_count = body->style_count };
    if (def.from_given) def.from = body->from;
    if (def.to_given) def.to = body->to;
    if (def.kind == MAREY_WALK_LENGTH) {
        double last = fmax(made_frames(body, fps) - 1, 1) * (marey_graph_fps(graph) / fps);
        def.frames = (int)ceil(last - 1e-6) + 1;
    }
    if (def.kind == MAREY_WALK_PATH) {
        def.path = body->path;
        def.point_count = body->point_count;
        def.effort = body->effort;
    }
    return def;
}

static bool has_transition(const marey_graph *graph, int from, int to)
{
    int first, all;
    if (from >= marey_graph_nodes(graph)) return false;
    const marey_graph_transition *transitions = marey_graph_transitions(graph, &all);
    int count = marey_graph_leaving(graph, from, &first);
    for (int i = first; i < first + count; i++) {
        if (transitions[i].to == to) return true;
    }
    return false;
}

/* From `node` on, in one direction, as far as it goes; how many there are with itself, at most `most`. Written to `out` if
   that is there, from the back if it goes back. */
static int follow(const marey_graph *graph, int node, bool back, int most, int *out)
{
    int count = 0;
    while (node >= 0 && count < most) {
        marey_graph_node one = marey_graph_node_of(graph, node);
        if (out) out[back ? -count : count] = node;
        count++;
        node = back ? one.before : one.next;
    }
    return count;
}

static marey_status cross(walking *all, marey_error *error)
{
    const marey_graph *graph = all->of->graph;
    const int *over = all->body->over;
    int most = (int)lround(all->body->around_s * marey_graph_fps(graph));
    if (most < 1) most = 1;
    if (!has_transition(graph, over[0], over[1]))
        return fail(error, MAREY_ERR_REQUEST, "the graph has no such transition");
    int before = follow(graph, over[0], true, most, NULL);
    int behind = follow(graph, over[1], false, most, NULL);
    all->own_bytes = (size_t)(before + behind) * sizeof *all->own;
    all->own = heap_resize(&all->by->of->memory, NULL, 0, all->own_bytes);
    if (!all->own) return fail(error, MAREY_ERR_MEMORY, "out of memory");
    follow(graph, over[0], true, most, all->own + before - 1);
    follow(graph, over[1], false, most, all->own + before);
    all->walk = (marey_walk){ .count = before + behind, .nodes = all->own, .arrived = true };
    return MAREY_OK;
}

static marey_status find_walk(walking *all, marey_error *error)
{
    if (all->body->over[0] >= 0) return cross(all, error);
    marey_walk_def def = define(all->body, all->of->graph, all->fps);
    return marey_graph_walk(all->by->ctx, all->of->graph, &def, &all->walk, error);
}

/* ---- what is said of it ------------------------------------------------------------------------- */

/* What a frame of the walk is in the clip that is made of it. */
static int made_frame(const walking *all, int frame)
{
    int at = marey_walk_frame(all->of->graph, frame, all->fps);
    return frame == all->walk.count || at > all->frames ? all->frames : at;
}

static json_t *describe_piece(const walking *all, const marey_walk_piece *piece)
{
    const marey_parts *parts = all->of->parts;
    heap *memory = &all->by->of->memory;
    const marey_graph_node *first = &piece->first, *last = &piece->last;
    int start = made_frame(all, piece->at), end = made_frame(all, piece->at + piece->frames);
    json_t *one = json_object();
    describe_put(&one, "at", json_integer(start));
    describe_put(&one, "length", json_integer(end - start));
    describe_put(&one, "clip", json_integer(parts->parts[first->clip].clip));
    describe_put(&one, "name", describe_text(memory, parts->names[first->clip].name));
    describe_put(&one, "start", json_integer(graph_clip_frame(parts, first)));
    describe_put(&one, "end", json_integer(graph_clip_frame(parts, last) + 1));
    if (first->other < 0) return one;
    describe_put(&one, "other", json_integer(parts->parts[first->other].clip));
    describe_put(&one, "other_name", describe_text(memory, parts->names[first->other].name));
    describe_put(&one, "other_start", json_integer(graph_clip_other(parts, first)));
    describe_put(&one, "other_end", json_integer(graph_clip_other(parts, last) + 1));
    describe_put(&one, "weight", describe_number(first->weight));
    return one;
}

static void put_walk(const walking *all, json_t **to)
{
    const marey_walk *walk = &all->walk;
    bool path = all->body->point_count > 0;
    json_t *pieces = json_array();
    for (int i = 0; i < all->pieces.count && i < LIMIT_SEGMENTS; i++)
        describe_append(&pieces, describe_piece(all, &all->pieces.items[i]));
    describe_put(to, "jump_ratio", describe_number(all->about.jump_ratio)); /* of its own pieces */
    describe_put(to, "transitions", json_integer(all->about.transitions));
    describe_put(to, "mean_quality", describe_number(all->about.mean_quality));
    describe_put(to, "cost", describe_number(walk->cost));
    describe_put(to, "pieces", pieces);
    describe_put(to, "arrived", json_boolean(walk->arrived));
    describe_put(to, "path_cm", describe_number(path ? walk->path_cm : NAN));
    describe_put(to, "path_worst_cm", describe_number(path ? walk->path_worst_cm : NAN));
    describe_put(to, "effort", path ? json_integer(walk->expanded) : json_null());
}

/* ---- where it comes from ------------------------------------------------------------------------ */

/* "walk#120", as the command takes it. */
static void note_node(const walking *all, const char *option, int node, made_of *from)
{
    char text[API_NAME_ROOM + 16];
    marey_graph_node one = marey_graph_node_of(all->of->graph, node);
    snprintf(text, sizeof text, "%s#%d", all->of->parts->names[one.clip].name,
             graph_clip_frame(all->of->parts, &one));
    made_of_text(from, option, text);
}

static void note_labels(const char *option, const char *const *labels, int count, made_of *from)
{
    studio_bytes text = { .memory = from->settings.memory };
    for (int i = 0; i < count; i++) {
        if (i > 0) bytes_add(&text, ",", 1);
        bytes_add(&text, labels[i], strlen(labels[i]));
    }
    bytes_add(&text, "", 1);
    if (text.failed)
        from->settings.failed = 1;
    else if (count > 0)
        made_of_text(from, option, (const char *)text.data);
    bytes_free(&text);
}

static void note_path(const walk_body *body, made_of *from)
{
    char number[NUMBER_ROOM];
    studio_bytes text = { .memory = from->settings.memory };
    for (int i = 0; i < 2 * body->point_count; i++) {
        number_text(body->path[i], number);
        if (i > 0) bytes_add(&text, i % 2 ? "," : " ", 1);
        bytes_add(&text, number, strlen(number));
    }
    bytes_add(&text, "", 1);
    if (text.failed)
        from->settings.failed = 1;
    else if (body->point_count > 0)
        made_of_text(from, "path", (const char *)text.data);
    bytes_free(&text);
}

/* A walk over a transition has no option of the command, and is noted by its two frames. */
static void note(const walking *all, made_of *from)
{
    const walk_body *body = all->body;
    from->graph = all->of->name;
    walk_sources_note(&all->pieces, all->of->parts, from);
    if (body->over[0] >= 0) {
        note_node(all, "over", body->over[0], from);
        note_node(all, "onto", body->over[1], from);
    }
    if (body->from >= 0) note_node(all, "from", body->from, from);
    if (body->to >= 0) note_node(all, "to", body->to, from);
    if (body->length_s > 0) {
        char number[NUMBER_ROOM], text[NUMBER_ROOM + 2];
        number_text(body->length_s, number);
        snprintf(text, sizeof text, "%ss", number);
        made_of_text(from, "length", text);
    }
    note_labels("through", body->through, body->through_count, from);
    note_path(body, from);
    note_labels("style", body->styles, body->style_count, from);
    if (body->seed > 0) made_of_whole(from, "seed", body->seed);
    if (body->point_count > 0) made_of_whole(from, "effort", body->effort);
    if (body->rough) made_of_true(from, "rough");
    if (!body->clean) made_of_true(from, "leave-feet");
}

/* ---- the address -------------------------------------------------------------------------------- */

static marey_status make(walking *all, made_answer *out, json_t **value, marey_error *error)
{
    const walk_body *body = all->body;
    all->fps = made_fps(all);
    marey_walk_make_def def = { .rough = body->rough,
                                .leave_feet = !body->clean,
                                .fps = all->fps,
                                .frames = made_frames(body, all->fps) };
    marey_status status = find_walk(all, error);
    if (status == MAREY_OK)
        status = walk_sources_find(&all->by->of->memory, all->of->graph, &all->walk, &all->pieces,
                                   error);
    if (status == MAREY_OK) {
        status = marey_walk_make(all->by->ctx, all->of->graph, &all->walk, &def, &out->made,
                                 &all->about, error);
    }
    if (status == MAREY_OK) {
        out->cleaned = body->clean && !body->rough;
        all->frames = out->end = marey_clip_frames(out->made.clip);
        status = graph_speeds(all->by, all->of, &out->inputs, error);
    }
    return status == MAREY_OK ? made_answer_describe(out, value, error) : status;
}

static void answer_walk(walking *all, studio_response *response)
{
    made_answer out = made_answer_begin(all->by, NULL, "graph walk");
    json_t *value = NULL;
    marey_error error;
    if (make(all, &out, &value, &error) == MAREY_OK) {
        put_walk(all, &value);
        if (all->body->name) note(all, &out.from);
        made_answer_send(&out, value, all->body->name, response);
    } else {
        answer_fail(response, &error);
    }
    made_answer_free(&out);
}

void api_graph_walk(studio_worker *worker, studio_request *request, studio_response *response)
{
    heap *memory = &worker->of->memory;
    walking all = { .by = worker };
    walk_body body;
    marey_error error;
    if (walk_body_read(&body, request->body, request->body_count, &error) != MAREY_OK) {
        answer_fail(response, &error);
        return;
    }
    all.body = &body;
    if (graph_open(worker, body.graph, &all.of, &error) == MAREY_OK) {
        answer_walk(&all, response);
    } else {
        answer_fail(response, &error);
    }
    if (!all.own) marey_walk_free(&all.walk);
    heap_resize(memory, all.own, all.own ? all.own_bytes : 0, 0);
    walk_sources_free(memory, &all.pieces);
    graph_let_go(worker);
    walk_body_free(&body);
}
