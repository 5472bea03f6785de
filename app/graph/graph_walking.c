/* graph_walking.c - `graph walk`: a clip that goes through a motion graph, from here to there, for
   so long, through labelled actions, along a path on the floor, at places at times, or over one
   transition that is to be looked at. */
#include "make.h"
#include "motion_graphs.h"
#include "operations.h"
#include "requests.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum { MOST_LABELS = 256, MOST_SEARCHES = 100, MOST_PATH_SEARCHES = 6 };

#define AT(member) offsetof(app_walk_params, member)
static const app_param rows[] = {
    APP_WALK_GRAPH_PARAM(app_walk_params),
    { .name = "from",
      .type = APP_SEGMENT,
      .at = AT(making.from),
      .value = "CLIP#F",
      .help = "where it begins (default: anywhere)" },
    { .name = "to",
      .type = APP_SEGMENT,
      .at = AT(to),
      .value = "CLIP#F",
      .help = "where it ends, by the best way" },
    { .name = "length",
      .type = APP_TEXT,
      .at = AT(making.length),
      .value = "20s|600",
      .help = "a random walk of so many seconds, or frames of what is made, with as few repeats "
              "as there can be" },
    { .name = "through",
      .type = APP_TEXTS,
      .at = AT(through),
      .most_count = MOST_LABELS,
      .value = "L,L,...",
      .help = "do these labelled actions one after the other, each whole; of labels of whole clips "
              "a second" },
    { .name = "path",
      .type = APP_TABLE,
      .at = AT(path),
      .table = &app_path_points,
      .value = "X,Z X,Z ...",
      .help = "walk along these points of the floor in centimetres, or those of a file that ends "
              "in .csv" },
    { .name = "do",
      .type = APP_TEXTS,
      .at = AT(requests),
      .repeats = true,
      .most_count = APP_MOST_REQUESTS,
      .value = "FAMILY(NAME=N)@CM",
      .help = "do a motion of a saved family on the way, so many centimetres along the path or at "
              "its @end; without a path one after the other. In brackets what it shall do: "
              "height=95, at=30,120,60; what is left out is as in the nearest example" },
    { .name = "at",
      .type = APP_TEXTS,
      .at = AT(at),
      .repeats = true,
      .most_count = MAREY_WALK_MOST_GOALS,
      .value = "T:X,Z[,H]",
      .help = "be at this point of the floor in centimetres at this time, as in 4s:200,300, or at "
              "a frame of what is made; H: and face there, degrees counter-clockwise from x on a "
              "plan seen from above; may be given several times, times must rise" },
    { .name = "avoid",
      .type = APP_TEXTS,
      .at = AT(avoid),
      .repeats = true,
      .most_count = MAREY_WALK_MOST_OBSTACLES,
      .value = "X,Z,R",
      .help = "go round this circle on the floor, x, z and radius in centimetres; for --path and "
              "--at, may be given several times" },
    { .name = "over",
      .type = APP_PAIR,
      .at = AT(over),
      .value = "N,N",
      .help = "only over the transition between these two nodes of the graph" },
    { .name = "around",
      .type = APP_NUMBER,
      .at = AT(around),
      .value = "S",
      .least = 0.1,
      .most = 10,
      .unit = "s",
      .standard = "1",
      .only_if = "over",
      .help = "how much is shown before the transition and behind it" },
    { .name = "style",
      .type = APP_TEXTS,
      .at = AT(style),
      .most_count = MOST_LABELS,
      .value = "L,L,...",
      .help = "use only frames with one of these labels" },
    { .name = "dwell",
      .type = APP_NUMBER,
      .at = AT(dwell),
      .value = "S",
      .least = 0,
      .most = MAREY_GRAPH_MOST_DWELL,
      .unit = "s",
      .help = "stay at least so long in every piece (default: as the graph was built)" },
    { .name = "seed",
      .type = APP_WHOLE,
      .at = AT(seed),
      .value = "N",
      .least = 1,
      .most = INT32_MAX,
      .standard = "1",
      .only_if = "length",
      .help = "another random walk" },
    { .name = "effort",
      .type = APP_WHOLE,
      .at = AT(effort),
      .value = "N",
      .least = 1,
      .most = 1000000000,
      .help = "how many steps the search for --path and --at may take, of 2.5 kB at most each "
              "(default: 30000 along a path, 100000 for --at and for --bend 0)" },
    APP_BEND_PARAM(app_walk_params),
    APP_WALK_MAKING_PARAMS(app_walk_params),
    { 0 },
};
#undef AT

/* Where a request is done: along the path if there is one, and in order. */
static marey_status check_requests(const app_walk_params *request, bool path, marey_error *error)
{
    marey_status status = MAREY_OK;
    for (int i = 0; i < request->requests.count && status == MAREY_OK; i++) {
        app_request_text text;
        const char *asked = request->requests.values[i];
        status = app_request_read(asked, &text, error);
        if (status == MAREY_OK && text.where == APP_REQUEST_TIME)
            status =
                app_fail(error, MAREY_ERR_REQUEST, NULL,
                         "do: %.100s must be @ so many centimetres along the path, or @end", asked);
        if (status == MAREY_OK && text.where != APP_REQUEST_NOWHERE && !path)
            status = app_fail(error, MAREY_ERR_REQUEST, NULL,
                              "do: %.100s is at a place along a path, and there is no path", asked);
    }
    return status;
}

/* What kind of walk it is follows from what is asked for. */
static marey_status check(const void *params, app_dialect dialect, marey_error *error)
{
    const app_walk_params *request = params;
    const char *dashes = dialect == APP_COMMAND_LINE ? "--" : "";
    bool path = app_given(rows, &request->given, "path"), through = request->through.count > 0;
    bool length = request->making.length != NULL, to = request->to.clip != NULL;
    bool over = request->over.given[0], does = request->requests.count > 0;
    bool at = request->at.count > 0, avoid = request->avoid.count > 0;
    if (does && (through || length || over || to || at || avoid)) {
        return app_fail(error, MAREY_ERR_REQUEST, NULL,
                        "%sdo is for walks along a %spath and for those of nothing else", dashes,
                        dashes);
    }
    if (path + through + length + over + at > 1) {
        return app_fail(error, MAREY_ERR_REQUEST, NULL,
                        "%slength, %sthrough, %spath, %sat and %sover are kinds of walk: one of "
                        "these",
                        dashes, dashes, dashes, dashes, dashes);
    }
    if (path + through + length + over + at + to + does == 0) {
        return app_fail(
            error, MAREY_ERR_REQUEST, NULL,
            "a walk must have one of %slength, %sthrough, %spath, %sat, %sto, %sdo and %sover",
            dashes, dashes, dashes, dashes, dashes, dashes, dashes);
    }
    if ((path || through || over || at) && to) {
        return app_fail(error, MAREY_ERR_REQUEST, NULL,
                        "%sto is for walks from here to there and of a %slength: one of these",
                        dashes, dashes);
    }
    if (app_given(rows, &request->given, "bend") && !path)
        return app_fail(error, MAREY_ERR_REQUEST, NULL, "%sbend is only for %spath", dashes,
                        dashes);
    bool effort = app_given(rows, &request->given, "effort");
    if ((avoid || effort) && !path && !at) {
        return app_fail(error, MAREY_ERR_REQUEST, NULL, "%s%s is only for %spath and %sat", dashes,
                        avoid ? "avoid" : "effort", dashes, dashes);
    }
    if (over && (request->making.from.clip || request->style.count > 0)) {
        return app_fail(error, MAREY_ERR_REQUEST, NULL,
                        "%sfrom and %sstyle are not for walks %sover a transition", dashes, dashes,
                        dashes);
    }
    marey_status status = check_requests(request, path, error);
    if (status == MAREY_OK)
        status = app_walk_floor_check(&request->at, &request->avoid, dialect, error);
    return status == MAREY_OK ? app_walk_check(&request->making, dialect, error) : status;
}

/* ---- over a transition ----------------------------------------------------------------------- */

/* From `node` on, in one direction, as far as it goes; how many there are with itself, at most
   `most`. Written to `out` if that is there, from the back if it goes back. */
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

static marey_status cross(const app_env *env, const app_walk_params *request, app_graph_clip *clip,
                          marey_error *error)
{
    const marey_graph *graph = clip->saved->graph;
    int from = request->over.values[0], to = request->over.values[1], first = 0, all;
    int most = (int)fmax(round(request->around * marey_graph_fps(graph)), 1);
    const marey_graph_transition *transitions = marey_graph_transitions(graph, &all);
    int end = from < marey_graph_nodes(graph) ? marey_graph_leaving(graph, from, &first) : 0;
    end += first;
    while (first < end && transitions[first].to != to) first++;
    if (first == end) {
        return app_fail(error, MAREY_ERR_REQUEST, NULL,
                        "over must be a transition of the graph, got %d,%d", from, to);
    }
    int before = follow(graph, from, true, most, NULL);
    int behind = follow(graph, to, false, most, NULL);
    int *nodes = APP_NEW(env->scope, int, before + behind);
    if (!nodes) return app_fail_memory(error);
    follow(graph, from, true, most, nodes + before - 1);
    follow(graph, to, false, most, nodes + before);
    clip->walk = (marey_walk){ .nodes = nodes, .count = before + behind, .arrived = true };
    return MAREY_OK;
}

/* ---- walking --------------------------------------------------------------------------------- */

static void release_walk(void *walk)
{
    marey_walk_free(walk);
}

static marey_status check_work(const app_env *env, const app_walk_params *request,
                               marey_error *error)
{
    double cm = 0;
    for (int i = 1; i < request->path.count; i++) {
        const double *at = request->path.values + 2 * (size_t)i;
        cm += hypot(at[0] - at[-2], at[1] - at[-1]);
    }
    if (env->most_steps && cm > (double)env->most_steps) {
        return app_fail(error, MAREY_ERR_LIMIT, NULL,
                        "path must be at most %lld m long here, got %.0f m: take a shorter one, or "
                        "use the command line",
                        (long long)env->most_steps / 100, cm / 100);
    }
    if (env->most_steps && request->effort > env->most_steps) {
        return app_fail(error, MAREY_ERR_LIMIT, NULL, "effort must be at most %lld here, got %d",
                        (long long)env->most_steps, request->effort);
    }
    return MAREY_OK;
}

marey_status app_walk_find_faults(const app_env *env, const marey_graph *graph,
                                  const marey_walk *walk, marey_walk_fault *faults, int *count,
                                  marey_error *error)
{
    marey_walk_make_def def = { .leave_feet = true, .fps = marey_graph_fps(graph) };
    marey_made made = { 0 };
    marey_status status = marey_walk_make(env->ctx, graph, walk, &def, &made, NULL, error);
    if (status == MAREY_OK)
        status = marey_walk_faults(env->ctx, graph, walk, made.clip, faults, APP_WALK_MOST_FAULTS,
                                   count, error);
    marey_made_free(&made);
    return status;
}

int app_walk_bar(const marey_graph *graph, const marey_walk *walk, const marey_walk_fault *faults,
                 int count, int *barred)
{
    int bars = 0, all, nodes = marey_graph_nodes(graph);
    const marey_graph_transition *over = marey_graph_transitions(graph, &all);
    for (int i = 0; i < count; i++) {
        int at = faults[i].transition, from = walk->nodes[at - 1], to = walk->nodes[at], first;
        if (from >= nodes || to >= nodes) continue;
        int leaving = marey_graph_leaving(graph, from, &first);
        while (leaving > 0 && over[first].to != to) first++, leaving--;
        if (leaving > 0) barred[bars++] = first;
    }
    return bars;
}

/* As long as a walk has faults it is searched again without the transitions that have them; the one
   with the fewest stays. */
static marey_status search_again(const app_env *env, const marey_graph *graph, marey_walk_def *def,
                                 marey_walk *walk, app_walked *out, marey_error *error)
{
    int *barred = APP_NEW(env->scope, int, MOST_SEARCHES *APP_WALK_MOST_FAULTS);
    if (!barred) return app_fail_memory(error);
    marey_walk_fault *faults = out->faults, next[APP_WALK_MOST_FAULTS];
    int count = 0, bars = 0;
    bool searched = def->kind == MAREY_WALK_PATH || def->kind == MAREY_WALK_GOALS;
    int most = searched ? MOST_PATH_SEARCHES : MOST_SEARCHES;
    marey_status status = app_walk_find_faults(env, graph, walk, faults, &out->fault_count, error);
    memcpy(next, faults, sizeof next);
    count = out->fault_count;
    marey_walk last = *walk, other = { 0 };
    while (status == MAREY_OK && count > 0 && out->fault_count > 0 && out->searches < most) {
        bars += app_walk_bar(graph, &last, next, count, barred + bars);
        marey_walk found = { 0 };
        def->barred = barred;
        def->barred_count = bars;
        out->searches++;
        status = marey_graph_walk(env->ctx, graph, def, &found, error);
        if (status == MAREY_ERR_REQUEST) { /* there is no other one */
            status = MAREY_OK;
            break;
        }
        if (status == MAREY_OK)
            status = app_walk_find_faults(env, graph, &found, next, &count, error);
        /* Not at the cost of a goal. */
        bool near = found.arrived || (!walk->arrived && found.goal_worst_cm <= walk->goal_worst_cm);
        bool fewer = status == MAREY_OK && count < out->fault_count && near;
        marey_walk_free(&other);
        if (fewer) {
            marey_walk_free(walk);
            *walk = found;
            memcpy(faults, next, sizeof next);
            out->fault_count = count;
        } else {
            other = found;
        }
        last = found;
    }
    marey_walk_free(&other);
    return status;
}

/* Where a label is of whole clips, it is not known in which frames it is done. */
static void warn_of_clips(const app_env *env, const marey_graph *graph, const app_texts *through)
{
    int count;
    const char *const *labels = marey_graph_labels(graph, &count);
    for (int i = 0; i < through->count; i++) {
        bool told = false;
        for (int k = 0; k < i; k++) told |= strcmp(through->values[k], through->values[i]) == 0;
        for (int k = 0; k < count && !told; k++) {
            if (strcmp(labels[k], through->values[i]) != 0 || marey_graph_is_action(graph, k))
                continue;
            app_warn(env,
                     "%.100s is a label of whole clips: any second of one was played; label the "
                     "frames in which it is done (marey label LIB CLIP#A-B, or marey search "
                     "--label-matches)",
                     labels[k]);
        }
    }
}

static marey_status find_walk(const app_env *env, const app_walk_params *request, int nodes,
                              app_walked *out, marey_error *error)
{
    app_graph_clip *clip = &out->clip;
    marey_walk_def def = { .from_given = request->making.from.clip != NULL,
                           .to_given = request->to.clip != NULL,
                           .frames = nodes,
                           .seed = (uint64_t)request->seed,
                           .labels = request->through.values,
                           .label_count = request->through.count,
                           .styles = request->style.values,
                           .style_count = request->style.count,
                           .path = request->path.values,
                           .point_count = request->path.count,
                           .goals = out->floor.goals,
                           .goal_count = out->floor.goal_count,
                           .obstacles = out->floor.obstacles,
                           .obstacle_count = out->floor.obstacle_count,
                           .bend_cm = app_walk_bend(request->bend),
                           .effort = request->effort };
    if (app_given(rows, &request->given, "dwell"))
        def.dwell_s = request->dwell > 0 ? request->dwell : -1; /* 0 is the graph's */
    def.kind = request->path.count > 0      ? MAREY_WALK_PATH
               : request->at.count > 0      ? MAREY_WALK_GOALS
               : request->through.count > 0 ? MAREY_WALK_LABELS
               : request->making.length     ? MAREY_WALK_LENGTH
                                            : MAREY_WALK_TO;
    out->kind = (int)def.kind;
    clip->actions = request->through;
    marey_status status = check_work(env, request, error);
    if (status == MAREY_OK && def.kind == MAREY_WALK_PATH)
        status = app_path_follow(env, clip->saved->graph, &def, &out->followed, error);
    if (status == MAREY_OK && def.from_given)
        status =
            app_graph_node(clip->saved, &request->making.from, APP_NODE_BEGINS, &def.from, error);
    if (status == MAREY_OK && def.to_given)
        status = app_graph_node(clip->saved, &request->to, APP_NODE_ENDS, &def.to, error);
    if (request->requests.count > 0) {
        clip->request_count = request->requests.count;
        if (status == MAREY_OK)
            status = app_requests_open(env, &request->requests, clip->saved, false, &clip->requests,
                                       error);
        if (request->path.count == 0) out->kind = APP_WALK_REQUESTS;
        return status == MAREY_OK ? app_requests_perform(env, &def, out, error) : status;
    }
    marey_walk *own = APP_NEW(env->scope, marey_walk, 1);
    if (status == MAREY_OK) status = app_check(!own, error);
    if (status == MAREY_OK)
        status = marey_graph_walk(env->ctx, clip->saved->graph, &def, own, error);
    if (status != MAREY_OK) return status;
    status = app_own(env->scope, own, release_walk, error);
    out->searches = 1;
    warn_of_clips(env, clip->saved->graph, &request->through);
    if (status == MAREY_OK && !request->making.rough)
        status = search_again(env, clip->saved->graph, &def, own, out, error);
    clip->walk = *own;
    return status;
}

/* A clip's number says little to who reads it elsewhere. */
static void name_clip(const marey_parts *parts, app_segment *segment)
{
    for (int i = 0; i < parts->count && segment->clip; i++)
        if (app_part_is_of(parts, i, segment->clip)) segment->clip = parts->names[i].name;
}

/* What is left of them, where it is in the clip, with a warning of the worst. */
static marey_status tell_faults(const app_env *env, app_walked *out, marey_error *error)
{
    int *at = APP_NEW(env->scope, int, out->fault_count), worst = 0;
    if (!at) return app_fail_memory(error);
    for (int i = 0; i < out->fault_count; i++) {
        const marey_walk_fault *one = &out->faults[i], *most = &out->faults[worst];
        at[i] = app_graph_clip_frame(&out->clip, one->transition);
        if (one->value / one->limit > most->value / most->limit) worst = i;
    }
    out->clip.made.seen = out->faults;
    out->clip.made.seen_at = at;
    out->clip.made.seen_count = out->fault_count;
    if (out->fault_count == 0) return MAREY_OK;
    const marey_walk_fault *most = &out->faults[worst];
    app_warn(env, "warning: %s at frame %d: %.0f %s, in its clips at most %.0f",
             marey_walk_fault_about(most->kind), at[worst], most->value,
             marey_walk_fault_unit(most->kind), most->limit);
    return MAREY_OK;
}

/* Where the body really was. It has arrived if it is there in the clip, too. */
static marey_status measure_floor(const app_env *env, app_walked *out, marey_error *error)
{
    bool missed = false;
    marey_status status = app_walk_floor_measure(
        env, out->clip.saved->graph, out->clip.made.made.clip, &out->floor, &missed, error);
    if (status != MAREY_OK) return status;
    if (out->kind == MAREY_WALK_GOALS && !out->clip.walk.stands)
        app_warn(env,
                 "warning: this graph has no still frames that a body could go on standing in: it "
                 "stays as near to its goals as it can; add a clip in which it stands");
    out->clip.walk.arrived &= !missed;
    return MAREY_OK;
}

static marey_status run(const app_env *env, const void *params, void *result, marey_error *error)
{
    const app_walk_params *request = params;
    app_walked *out = result;
    app_graph_clip *clip = &out->clip;
    marey_walk_make_def def = { .frames = 0 };
    int nodes = 0;
    marey_status status = app_graph_clip_open(env, &request->making, clip, error);
    if (status == MAREY_OK && request->making.length)
        status = app_graph_clip_length(env, &request->making, clip, &def.frames, &nodes, error);
    if (status == MAREY_OK)
        status =
            app_walk_floor_read(env->scope, &request->at, &request->avoid,
                                app_graph_clip_fps(&request->making, clip), &out->floor, error);
    if (status == MAREY_OK && out->floor.goal_count > 0) {
        /* As many frames as the last goal takes must be allowed. */
        double last_s = fmin(out->floor.goals[out->floor.goal_count - 1].at_s, MAREY_WALK_MOST_S);
        int frames = (int)fmax(round(last_s * app_graph_clip_fps(&request->making, clip)), 1);
        status = app_graph_clip_length(env, &request->making, clip, &frames, &nodes, error);
    }
    if (status == MAREY_OK && request->over.given[0]) {
        out->kind = APP_WALK_OVER;
        status = cross(env, request, clip, error);
    } else if (status == MAREY_OK) {
        status = find_walk(env, request, nodes, out, error);
    }
    if (status != MAREY_OK) return status;
    app_walk_params noted = *request;
    name_clip(clip->saved->parts, &noted.making.from);
    name_clip(clip->saved->parts, &noted.to);
    status = app_graph_clip_make(env, &app_graph_walk, &noted.given, &request->making, &def, clip,
                                 error);
    /* What was corrected may take a frame more or less. */
    if (status == MAREY_OK && clip->performance && !request->making.rough)
        status = app_walk_find_faults(env, clip->performance->graph, &clip->walk, out->faults,
                                      &out->fault_count, error);
    if (status == MAREY_OK && (request->at.count > 0 || request->avoid.count > 0))
        status = measure_floor(env, out, error);
    return status == MAREY_OK ? tell_faults(env, out, error) : status;
}

static void write(const void *params, const void *result, json *out)
{
    static const char *const kinds[] = { "to", "length", "labels", "path", "goals", "over", "do" };
    const app_walked *of = result;
    const marey_walk *walk = &of->clip.walk;
    bool path = of->kind == MAREY_WALK_PATH;
    (void)params;
    if (!of->clip.saves) json_put_string(out, "name", of->clip.saved->name);
    json_put_string(out, "kind", kinds[of->kind]);
    json_put_boolean(out, "arrived", walk->arrived);
    json_put_number(out, "path_cm", path ? walk->path_cm : NAN);
    json_put_number(out, "path_worst_cm", path ? walk->path_worst_cm : NAN);
    app_path_write_rounded(of->followed, out);
    json_put_number(out, "cost", walk->cost);
    json_put_integer(out, "expanded", walk->expanded);
    json_put_integer(out, "first_after", walk->first_after);
    json_put_integer(out, "searches", of->searches);
    app_walk_floor_write(&of->floor, out);
    app_graph_clip_write(&of->clip, out);
}

APP_MADE_OF(app_walked, clip.made)

const app_operation app_graph_walk = {
    .name = "graph walk",
    .summary = "make a clip that is a walk through a motion graph",
    .description = { "From here to there (--from, --to), of a length (--length), through labelled "
                     "actions (--through walk,sit,stand), along a path on the floor (--path), or "
                     "at "
                     "places at times (--at). "
                     "Pieces of clips are laid on each other; what differs where they meet is "
                     "spread over both sides, and planted feet are held.",
                     "A walk along a path begins at its first point and bends along it. Where the "
                     "path is tighter than the actors could turn it is rounded; the answer says "
                     "where and by how much, how far from the path the body is on average, and "
                     "whether its end was reached. marey graph path says it before the walk.",
                     "With --at the body is at each point at its time: it goes there, stands and "
                     "waits where it is early, and goes on. It begins at a point of time 0s, "
                     "otherwise at 0,0, and ends at the last. The answer says where it was at each "
                     "time. Goals within 30 cm and 30 degrees are reached. --avoid keeps the hips "
                     "25 cm off a circle; clearance_cm is how near they come to an edge.",
                     "OUT may be LIB.marey:NAME. The clip remembers its pieces, with their frames "
                     "and licences." },
    .params = rows,
    .params_size = sizeof(app_walk_params),
    .result_size = sizeof(app_walked),
    .library = APP_READS,
    .check = check,
    .run = run,
    .write = write,
    .made = made_of,
    .made_as = "walk through graph",
};
