/* cmd_cluster_loop.c - `marey cluster loop`: a clip of a cluster graph that goes on for ever, by way of nodes that have it
   several times. */
#include "clip_facts.h"
#include "clusters_open.h"
#include "commands.h"
#include "graph_open.h"
#include "param_family.h"
#include "played_clip.h"

#include <string.h>

enum { MOST_LOOPS = 1000 };

typedef struct looping {
    session *run;
    const request *asked;
    kept_clusters of;
    marey_listing *listing;
    played_clip play; /* for its clip and figures; no pieces */
    marey_cluster_loops_def find;
    marey_loop_def make;
    int64_t most;
    int part; /* of the clip */
    marey_loop *loops;
    int found;
} looping;

static int read_options(looping *all)
{
    session *run = all->run;
    const request *asked = all->asked;
    int status = options_whole(run, asked, OPTION_COUNT, 1, MOST_LOOPS, &all->most);
    if (status == PROGRAM_DONE)
        status = options_number(run, asked, OPTION_SHORTEST, 0.001, 1e6, &all->find.shortest_s);
    if (status == PROGRAM_DONE)
        status = options_number(run, asked, OPTION_LONGEST, 0.001, 1e6, &all->find.longest_s);
    double shortest = all->find.shortest_s > 0 ? all->find.shortest_s : 0.5;
    if (status == PROGRAM_DONE && all->find.longest_s > 0 && all->find.longest_s < shortest) {
        return session_usage(run, "no loop is at most %g s long and at least %g s",
                             all->find.longest_s, shortest);
    }
    return status;
}

/* ---- the answer ------------------------------------------------------------------------------------ */

static int node_of(const looping *all, const marey_loop *loop)
{
    int count, sequence = marey_clusters_find(all->of.graph, all->part, loop->start);
    return sequence < 0 ? -1 : marey_clusters_sequences(all->of.graph, &count)[sequence].node;
}

static int frame_of(const looping *all, int frame)
{
    return clusters_frame(all->of.parts, all->part, frame);
}

static marey_status write_json(const looping *all, json *to, marey_error *error)
{
    const kept_clusters *of = &all->of;
    json_open(to, NULL, '{');
    json_put_string(to, "name", of->name);
    json_put_string(to, "clip", of->parts->names[all->part].name);
    json_open(to, "loops", '[');
    for (int i = 0; i < all->found; i++) {
        const marey_loop *one = &all->loops[i];
        int node = node_of(all, one);
        json_open(to, NULL, '{');
        json_put_integer(to, "start", frame_of(all, one->start));
        json_put_integer(to, "end", frame_of(all, one->end));
        json_put_number(to, "cost", one->cost);
        json_put_number(to, "seam_ratio", one->seam_ratio);
        if (node >= 0) json_put_integer(to, "node", node);
        json_close(to, '}');
    }
    json_close(to, ']');
    json_put_boolean(to, "in_place", all->make.in_place);
    int node = all->found > 0 ? node_of(all, &all->loops[0]) : -1;
    json_open(to, "nodes", '[');
    if (node >= 0) json_cluster_node(to, of->graph, of->parts, node);
    json_close(to, ']');
    marey_status status =
        json_all_tuples(all->run, to, of->graph, of->parts, &node, node >= 0 ? 1 : 0, 0, error);
    if (all->play.out.target) made_figures_json(&all->play.figures, to);
    return status;
}

static void write_text(const looping *all, buffer *out)
{
    double fps = marey_clip_fps(all->of.parts->clips[all->part]);
    if (all->found == 0) {
        buffer_text(out, "no loop was found\n");
        return;
    }
    buffer_print(out, "%8s %8s %9s %8s %7s   %s\n", "start", "end", "seconds", "seam", "node",
                 "cost");
    for (int i = 0; i < all->found; i++) {
        const marey_loop *one = &all->loops[i];
        buffer_print(out, "%8d %8d %9.3f %8.3f %7d   ", frame_of(all, one->start),
                     frame_of(all, one->end), (one->end - one->start) / fps, one->seam_ratio,
                     node_of(all, one));
        buffer_distance(out, all->of.graph, one->cost);
        buffer_byte(out, '\n');
    }
    if (all->play.out.target) made_figures_text(&all->play.figures, out);
}

/* ---- making ---------------------------------------------------------------------------------------- */

/* How well a loop closes is known when it is made, so all of the list are; the first is kept. */
static marey_status make_loops(looping *all, marey_error *error)
{
    const marey_parts *parts = all->of.parts;
    marey_status status = MAREY_OK;
    all->make.clean = &all->play.clean;
    /* The seam is made at the clip's own rate, not at that of the graph. */
    marey_metric_def metric = *marey_clusters_settings(all->of.graph)->metric;
    metric.fps = 0;
    all->make.metric = &metric;
    for (int i = 0; i < all->found && status == MAREY_OK; i++) {
        marey_made made = { 0 };
        session_progress(all->run, "making loops", i, all->found);
        status =
            marey_loop_make(all->run->ctx, parts->clips[all->part], &parts->contacts[all->part],
                            &all->make, &all->loops[i], &made, error);
        if (i == 0 && status == MAREY_OK) {
            all->play.made = made;
        } else {
            marey_made_free(&made);
        }
    }
    return status;
}

static marey_status measure(looping *all, marey_error *error)
{
    played_clip *play = &all->play;
    bool cleaned = !all->make.leave_feet;
    app_speeds speeds;
    marey_status status = app_speeds_measure(&all->run->host->def, all->of.parts->clips[all->part],
                                             NULL, &speeds, error);
    if (status != MAREY_OK) return status;
    double fastest = speeds.joint_cm_per_s;
    if (all->make.in_place) {
        return made_figures_in_place(all->run, fastest, &play->made, cleaned, &play->figures,
                                     error);
    }
    return made_figures_against(all->run, fastest, &play->made, 0,
                                marey_clip_frames(play->made.clip), cleaned, &play->figures, error);
}

static marey_status judge(looping *all, marey_error *error)
{
    played_clip *play = &all->play;
    if (!play->out.target) return MAREY_OK;
    if (all->found == 0) {
        return fail_graph(error, MAREY_ERR_REQUEST, all->asked->operands[2],
                          "no loop was found: no node of %.100s has this clip twice so far apart",
                          all->of.name);
    }
    marey_status status = measure(all, error);
    if (status != MAREY_OK) return status;
    played_clip_note(play, all->of.parts, all->listing, all->of.at.path, all->part,
                     all->loops[0].start, all->loops[0].end);
    const char *name = all->of.parts->names[all->part].name;
    const marey_entry *entry = listing_find(all->listing, name);
    if (entry) licence_say(all->run, entry->name, entry->licence);
    return clip_out_note(&play->out, all->asked, error);
}

static marey_status find(looping *all, marey_error *error)
{
    clip_place place;
    marey_status status = clusters_place(&all->of, all->asked->operands[2], &place, error);
    if (status == MAREY_OK && place.at.range.given) {
        return fail_graph(error, MAREY_ERR_REQUEST, all->asked->operands[2],
                          "a clip without frames, please: loops are looked for in all of it");
    }
    if (status == MAREY_OK) status = clusters_part(&all->of, place.at.path, -1, &all->part, error);
    all->loops = session_resize(all->run, NULL, 0, (size_t)all->most * sizeof *all->loops);
    if (status == MAREY_OK && !all->loops) status = fail_for_memory(error);
    if (status != MAREY_OK) return status;
    return marey_clusters_loops(all->run->ctx, all->of.graph, all->part, &all->find, (int)all->most,
                                all->loops, &all->found, error);
}

/* ---- the command ------------------------------------------------------------------------------------- */

static marey_status loop(looping *all, marey_error *error)
{
    marey_status status = marey_library_list(all->of.at.library, NULL, &all->listing, error);
    if (status == MAREY_OK) status = find(all, error);
    if (all->found > all->most) all->found = (int)all->most;
    if (status == MAREY_OK) status = make_loops(all, error);
    if (status == MAREY_OK) status = judge(all, error);
    if (status != MAREY_OK) return status;
    json to = json_make(&all->run->out);
    if (all->run->json) return write_json(all, &to, error);
    if (!all->run->quiet || !all->play.out.target) write_text(all, &all->run->out);
    return MAREY_OK;
}

static int run_all(looping *all)
{
    marey_error error;
    if (kept_clusters_open(all->run, all->asked, &all->of, &error) != MAREY_OK)
        return session_fail(all->run, &error);
    marey_status status = loop(all, &error);
    marey_listing_free(all->listing);
    if (all->loops) session_resize(all->run, all->loops, (size_t)all->most * sizeof *all->loops, 0);
    if (status != MAREY_OK) return kept_clusters_end(&all->of, status, &error);
    kept_clusters_close(&all->of);
    return played_clip_save(&all->play);
}

int command_cluster_loop(session *run, const request *asked)
{
    looping all = { .run = run,
                    .asked = asked,
                    .most = 5,
                    .make = { .in_place = request_has(asked, OPTION_IN_PLACE),
                              .leave_feet = request_has(asked, OPTION_NO_CLEAN) } };
    int status = read_options(&all);
    if (status != PROGRAM_DONE) return status;
    status = played_clip_open(&all.play, run, asked);
    if (status == PROGRAM_DONE) status = run_all(&all);
    played_clip_close(&all.play);
    return status;
}
