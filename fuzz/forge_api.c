/* forge_api.c - what no operation does with a library, or does only in part: hashes and counts,
   clips as they were captured, saved things opened and written again, characters that are steered
   and react in play, searches of several libraries as one, changes by the calls of C. */
#include "forge.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_TRIED = 3, STEPS = 40, CONTACTS = 16 };

/* `error` is as new behind it. */
static bool went(const char *what, marey_status status, marey_error *error)
{
    forge_check(what, status, error);
    *error = (marey_error){ 0 };
    return status == MAREY_OK;
}
#define TRY(what, call) went(what, call, &error)

static void use_numbers(forge_choices *from, forge_place *at)
{
    (void)from;
    marey_error error = { 0 };
    marey_content content;
    int64_t version;
    uint64_t sum;
    int count;
    TRY("content", marey_library_content(at->library, &content, &error));
    TRY("version", marey_library_version(at->library, &version, &error));
    TRY("sum", marey_library_sum(at->library, &sum, &error));
    TRY("count", marey_library_count(at->library, false, &count, &error));
    TRY("count", marey_library_count(at->library, true, &count, &error));
    TRY("state", marey_library_state(at->library, false, &sum, &error));
    TRY("state", marey_library_state(at->library, true, &sum, &error));
}

/* Whatever opens is sound: its joints are somewhere. */
static void use_clip(const marey_clip *clip)
{
    int joints = marey_clip_skeleton(clip)->joint_count, frames = marey_clip_frames(clip);
    double *places = malloc((size_t)joints * 3 * sizeof *places);
    forge_require(places != NULL, "there is memory");
    for (int last = 0; last < 2; last++) {
        marey_clip_positions(clip, last ? frames - 1 : 0, 1, places);
        for (int i = 0; i < 3 * joints; i++)
            forge_require(isfinite(places[i]), "a clip's places are finite");
    }
    free(places);
}

static void list_clips(forge_choices *from, forge_place *at, bool removed)
{
    marey_listing *listing;
    marey_error error = { 0 };
    marey_list_def def = { .removed = removed };
    int count, some;
    if (!TRY("list", marey_library_list(at->library, &def, &listing, &error))) return;
    const marey_entry *entries = marey_listing_entries(listing, &count);
    int first = count ? (int)forge_below(from, (uint32_t)count) : 0;
    for (int i = 0; i < count && i < MOST_TRIED; i++) {
        const marey_entry *one = &entries[(first + i) % count];
        char number[32], name[MAREY_NAME_ROOM], picture[64];
        marey_clip *clip;
        marey_contact contacts[CONTACTS];
        int64_t layers;
        size_t size;
        snprintf(number, sizeof number, "#%lld", (long long)one->id);
        TRY("name", marey_library_name(at->library, one->id, name, sizeof name, NULL, &error));
        TRY("layers", marey_library_layers(at->library, one->id, &layers, &error));
        TRY("contacts",
            marey_library_contacts(at->library, number, contacts, CONTACTS, &some, &error));
        TRY("picture", marey_library_picture(at->library, one->id, "strip-480x96-1", picture,
                                             sizeof picture, &size, &error));
        if (TRY("load captured", marey_library_load_captured(at->library, number, &clip, &error))) {
            use_clip(clip);
            marey_clip_free(clip);
        }
        if (TRY("load", marey_library_load(at->library, number, &clip, &error))) {
            use_clip(clip);
            marey_clip_free(clip);
        }
    }
    marey_listing_free(listing);
}

static void use_clips(forge_choices *from, forge_place *at)
{
    list_clips(from, at, false);
}

static void use_removed(forge_choices *from, forge_place *at)
{
    list_clips(from, at, true);
}

/* ---- characters ------------------------------------------------------------------------------ */

static void check_frame(const marey_graph *graph, const marey_controller_frame *frame)
{
    forge_require(isfinite(frame->x_cm) && isfinite(frame->z_cm) && isfinite(frame->direction_rad),
                  "a character is somewhere");
    forge_require(frame->node >= -1 && frame->node < marey_graph_nodes(graph),
                  "a character shows a node of its graph");
}

static void steer(forge_choices *from, const marey_graph *graph, marey_controller *controller)
{
    marey_controller_frame frame;
    int number;
    double wanted[12] = { 10, 120, 20 };
    marey_error error = { 0 };
    if (TRY("join an action", marey_controller_join_action(controller, "step", &number, &error)))
        TRY("ask", marey_controller_ask(controller, number, wanted, NULL, &error));
    for (int i = 0; i < STEPS; i++) {
        marey_control_input input = { forge_below(from, 7) - 3.0, 50.0 * forge_below(from, 4) };
        marey_controller_step(controller, &input, &frame);
        check_frame(graph, &frame);
    }
    marey_control_score score = marey_controller_score(controller);
    forge_require(!isnan(score.total), "a score is a number");
    marey_controller_free(controller);
}

static void lead_body(forge_choices *from, forge_place *at, const marey_graph *graph,
                      const marey_policy *policy)
{
    marey_body *body;
    marey_error error = { 0 };
    marey_entity wanted = { 0 };
    marey_controller_frame frame;
    if (!TRY("open a body", marey_body_open(at->ctx, graph, policy, &wanted, NULL, &body, &error)))
        return;
    for (int i = 0; i < STEPS / 4; i++) {
        wanted.x_cm += forge_below(from, 5);
        wanted.y_cm += forge_below(from, 3);
        marey_body_step(body, &wanted, &frame);
        check_frame(graph, &frame);
    }
    marey_body_free(body);
}

static void use_graph(forge_choices *from, forge_place *at, const char *name)
{
    marey_parts *parts;
    marey_graph *graph;
    marey_policy *policy;
    marey_matching *matching;
    marey_controller *controller;
    marey_error error = { 0 };
    uint8_t *bytes;
    size_t size;
    if (!TRY("open a graph", marey_library_graph(at->library, name, &parts, &graph, &error)))
        return;
    if (TRY("write a graph", marey_graph_write(graph, &bytes, &size, &error)))
        marey_graph_bytes_free(at->ctx, bytes, size);
    if (TRY("open a policy", marey_library_policy(at->library, name, graph, &policy, &error))) {
        if (TRY("steer", marey_controller_open(at->ctx, graph, policy, NULL, &controller, &error)))
            steer(from, graph, controller);
        if (forge_picks(from, 4)) lead_body(from, at, graph, policy);
        marey_policy_free(policy);
    }
    if (forge_picks(from, 16) &&
        TRY("match", marey_matching_build(at->ctx, graph, NULL, &matching, &error))) {
        if (TRY("steer by matching",
                marey_controller_open_matching(at->ctx, matching, NULL, &controller, &error)))
            steer(from, graph, controller);
        marey_matching_free(matching);
    }
    marey_graph_free(graph);
    marey_parts_free(parts);
}

static void use_puppet(forge_choices *from, forge_place *at, const char *name)
{
    marey_puppet *puppet;
    marey_puppet_sources *sources;
    marey_reactor *reactor;
    marey_puppet_frame frame;
    marey_entity main = { 0 };
    marey_error error = { 0 };
    if (TRY("sources of a puppet",
            marey_library_puppet_sources(at->library, name, &sources, &error)))
        marey_puppet_sources_free(sources);
    if (!TRY("open a puppet", marey_library_puppet(at->library, name, &puppet, &error))) return;
    if (TRY("react", marey_reactor_open(at->ctx, puppet, &main, NULL, &reactor, &error))) {
        for (int i = 0; i < STEPS; i++) {
            main.x_cm += forge_below(from, 9);
            main.y_cm -= forge_below(from, 5);
            marey_puppet_step(reactor, &main, &frame);
            forge_require(isfinite(frame.react.x_cm) && isfinite(frame.react.y_cm),
                          "a puppet is somewhere");
        }
        marey_reactor_free(reactor);
    }
    marey_puppet_free(puppet);
}

static void use_curves(forge_place *at, const marey_kept_entry *entry)
{
    marey_parts *parts;
    marey_registration *curves;
    marey_family *family;
    marey_clusters *clusters;
    marey_error error = { 0 };
    double first, last, rows[256];
    if (strcmp(entry->kind, MAREY_KEPT_REGISTRATION) == 0 &&
        TRY("open a registration",
            marey_library_registration(at->library, entry->name, &parts, &curves, &error))) {
        marey_registration_range(curves, &first, &last);
        forge_require(parts->count <= 256, "a registration has at most 256 clips");
        marey_registration_times(curves, (first + last) / 2, rows, NULL);
        marey_registration_free(curves);
        marey_parts_free(parts);
    }
    if (strcmp(entry->kind, MAREY_KEPT_FAMILY) == 0 &&
        TRY("open a family",
            marey_library_family(at->library, entry->name, &parts, &family, &error))) {
        marey_answer answer;
        double wanted[16] = { 5, 100, 30 };
        TRY("ask a family", marey_family_ask(at->ctx, family, wanted, NULL, &answer, &error));
        marey_family_free(family);
        marey_parts_free(parts);
    }
    if (strcmp(entry->kind, MAREY_KEPT_CLUSTERS) == 0 &&
        TRY("open a cluster graph",
            marey_library_clusters(at->library, entry->name, &parts, &clusters, &error))) {
        marey_tuples tuples = { 0 };
        int count;
        marey_clusters_nodes(clusters, &count);
        for (int node = 0; node < count && node < MOST_TRIED; node++) {
            if (TRY("switches of a node",
                    marey_clusters_tuples(at->ctx, clusters, node, NULL, &tuples, &error)))
                marey_tuples_free(&tuples);
        }
        marey_clusters_free(clusters);
        marey_parts_free(parts);
    }
}

static void use_saved(forge_choices *from, forge_place *at)
{
    marey_kept *all, *one;
    marey_error error = { 0 };
    int count;
    size_t size;
    if (!TRY("list what is saved", marey_library_kept_list(at->library, NULL, &all, &error)))
        return;
    const marey_kept_entry *entries = marey_kept_entries(all, &count);
    for (int i = 0; i < count; i++) {
        const marey_kept_entry *entry = &entries[i];
        if (!forge_picks(from, 4)) continue;
        for (int k = 0; k < entry->part_count; k++)
            forge_require(entry->parts[k].start < entry->parts[k].end && entry->part_names[k],
                          "a part has frames and a name");
        if (TRY("read what is saved",
                marey_library_kept(at->library, entry->kind, entry->name, &one, &error))) {
            marey_kept_bytes(one, &size);
            marey_kept_free(one);
        }
        use_curves(at, entry);
        if (strcmp(entry->kind, MAREY_KEPT_PUPPET) == 0) use_puppet(from, at, entry->name);
        if (strcmp(entry->kind, MAREY_KEPT_GRAPH) == 0) use_graph(from, at, entry->name);
    }
    marey_kept_free(all);
}

/* ---- searching ------------------------------------------------------------------------------- */

static void read_finding(const marey_finding *finding)
{
    int count, edges;
    marey_path path;
    const marey_match *matches = marey_finding_matches(finding, &count);
    for (int i = 0; i < count; i++)
        forge_require(matches[i].start >= 0 && matches[i].start < matches[i].end &&
                          !isnan(matches[i].distance),
                      "a match has frames and a distance");
    marey_finding_edges(finding, &edges);
    for (int i = 0; i < edges && i < MOST_TRIED; i++)
        if (!marey_finding_path(finding, i, &path, NULL)) marey_path_free(&path);
}

/* Two clips as the webs look at them. */
static void view(forge_place *at)
{
    marey_clip *clips[2] = { NULL, NULL };
    marey_layout *layout;
    marey_features *features[2];
    marey_error error = { 0 };
    if (TRY("load", marey_library_load(at->library, "#1", &clips[0], &error)) &&
        TRY("load", marey_library_load(at->library, "#2", &clips[1], &error)) &&
        TRY("view", marey_library_index_view(at->library, (const marey_clip *const *)clips, &layout,
                                             features, &error))) {
        double apart = marey_distance(features[0], 0, features[1], 0);
        forge_require(!isnan(apart), "a distance is a number");
        for (int i = 0; i < 2; i++) marey_features_free(features[i]);
        marey_layout_free(layout);
    }
    for (int i = 0; i < 2; i++) marey_clip_free(clips[i]);
}

/* The same file twice stands for several libraries. */
static void search(forge_choices *from, forge_place *at)
{
    marey_library *beside, *both[2] = { at->library };
    marey_searcher *searcher;
    marey_finding *finding;
    marey_index_state index;
    marey_pose_report poses;
    marey_error error = { 0 };
    marey_query query = { .clip = forge_below(from, 2) ? "#1" : "#4", .start = 2, .end = 14 };
    marey_find_def def = { .web = forge_below(from, 64) == 0, .search.threshold = 800 };
    TRY("state of the index", marey_library_index_state(at->library, &index, &error));
    if (forge_picks(from, 4)) view(at);
    TRY("state of the poses", marey_library_pose_state(at->library, &poses, &error));
    if (!TRY("open beside",
             marey_library_open_beside(at->library, at->path, MAREY_LIBRARY_READ, &beside, &error)))
        return;
    both[1] = beside;
    if (TRY("open a searcher", marey_searcher_open_all(both, 2, &searcher, &error))) {
        if (TRY("find", marey_searcher_find(searcher, &query, &def, &finding, &error))) {
            read_finding(finding);
            marey_finding_free(finding);
        }
        marey_searcher_free(searcher);
    }
    marey_library_close(beside);
}

/* ---- changing -------------------------------------------------------------------------------- */

static void change(forge_choices *from, forge_place *at)
{
    static const marey_contact contact = { MAREY_CONTACT_LEFT_TOE, 1, 3 };
    marey_error error = { 0 };
    marey_history *history;
    marey_conditions *found;
    char clip[8], got[MAREY_NAME_ROOM];
    const char *name[] = { clip };
    int count;
    snprintf(clip, sizeof clip, "#%u", 1 + forge_below(from, 9));
    TRY("set contacts", marey_library_set_contacts(at->library, clip, &contact, 1, &error));
    marey_edit_def edit = { .add = name, .add_count = 1, .description = "edited" };
    TRY("label", marey_library_label(at->library, name, 1, "more", true, &error));
    TRY("edit", marey_library_edit(at->library, name, 1, &edit, &error));
    TRY("cut a clip", marey_library_cut_clip(at->library, clip, 2, 6, "bit", NULL, &error));
    TRY("restore", marey_library_restore(at->library, name, 1, &error));
    TRY("restore a clip", marey_library_restore_clip(at->library, 11, got, sizeof got, &error));
    TRY("relabel", marey_library_relabel(at->library, name, 1, "other", &error));
    TRY("cut", marey_library_cut(at->library, clip, 1, 5, "bit", got, sizeof got, &error));
    TRY("save", marey_library_keep(at->library, "web", "all", "bytes", 5, NULL, &error));
    TRY("rename what is saved",
        marey_library_rename_kept(at->library, "web", "all", "some", &error));
    TRY("keep a picture",
        marey_library_keep_picture(at->library, 2, "strip", 0, "picture", 7, &error));
    if (TRY("what is known", marey_library_known(at->library, &found, &error)))
        marey_conditions_free(found);
    if (!TRY("history", marey_library_history(at->library, &history, &error))) return;
    const marey_history_step *steps = marey_history_steps(history, &count);
    if (count > 0) {
        int64_t step = steps[forge_below(from, (uint32_t)count)].id;
        TRY("go to a step", marey_library_go_to(at->library, step, NULL, &error));
    }
    marey_history_free(history);
}

void forge_use_api(forge_choices *from, forge_place *at)
{
    static const struct {
        const char *what;
        void (*use)(forge_choices *from, forge_place *at);
    } uses[] = { { "numbers", use_numbers },       { "clips", use_clips },
                 { "removed clips", use_removed }, { "saved things", use_saved },
                 { "searching", search },          { "changing", change } };
    for (size_t i = 0; i < sizeof uses / sizeof *uses; i++) {
        if (!forge_picks(from, 4)) continue;
        forge_clock_start(at->ctx, uses[i].what);
        uses[i].use(from, at);
        forge_clock_stop(at->ctx);
    }
}
