/* graph_building.c - from clips to a motion graph, as `marey graph build` does it: the same clips, behaviours and notes. */
#include "graph_building.h"

#include "made_of.h"
#include "provenance_text.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

double graph_seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

graph_building graph_building_begin(studio_worker *worker, const graph_body *body)
{
    heap *memory = &worker->of->memory;
    return (graph_building){ .by = worker,
                             .body = body,
                             .chosen = { .memory = memory },
                             .behaviours = { .memory = memory } };
}

void graph_building_free(graph_building *all)
{
    marey_graph_free(all->graph);
    marey_parts_free(all->parts);
    bytes_free(&all->behaviours);
    bytes_free(&all->chosen);
    marey_listing_free(all->listing);
}

static marey_status fail_memory(marey_error *error)
{
    *error = (marey_error){ .status = MAREY_ERR_MEMORY, .message = "out of memory" };
    return MAREY_ERR_MEMORY;
}

/* ---- clips -------------------------------------------------------------------------------------- */

static bool has_label(const marey_entry *entry, const char *label)
{
    for (int i = 0; i < entry->label_count; i++) {
        if (strcmp(entry->labels[i], label) == 0) return true;
    }
    return false;
}

static marey_status choose_all(graph_building *all, marey_error *error)
{
    int count;
    const char *label = all->body->label;
    const marey_entry *entries = marey_listing_entries(all->listing, &count), *first = NULL;
    for (int i = 0; i < count; i++) {
        if (label && !has_label(&entries[i], label)) continue;
        if (!first) first = &entries[i];
        if (strcmp(entries[i].skeleton, first->skeleton) == 0)
            bytes_add(&all->chosen, &entries[i].id, sizeof entries[i].id);
        else
            all->left_out++;
    }
    if (first) return all->chosen.failed ? fail_memory(error) : MAREY_OK;
    *error = (marey_error){ .status = MAREY_ERR_REQUEST };
    snprintf(error->message, sizeof error->message,
             label ? "no clip has the label %.200s" : "the library has no clips%.0s",
             label ? label : "");
    return MAREY_ERR_REQUEST;
}

/* Labels of a clip are behaviours of every stretch of it. */
static void note_behaviours(graph_building *all)
{
    const marey_entry *entry = NULL;
    for (int i = 0; i < all->parts->count; i++) {
        const marey_part *part = &all->parts->parts[i];
        if (!entry || entry->id != part->clip) entry = provenance_entry(all->listing, part->clip);
        for (int k = 0; entry && k < entry->label_count; k++) {
            marey_behaviour one = { .clip = i,
                                    .end = part->end - part->start,
                                    .label = entry->labels[k] };
            bytes_add(&all->behaviours, &one, sizeof one);
        }
    }
}

static void define(graph_building *all)
{
    const graph_body *body = all->body;
    size_t behaviours = all->behaviours.count / sizeof(marey_behaviour);
    all->metric = (marey_metric_def){ .metric = body->metric };
    all->def = (marey_graph_def){
        .kind = body->kind,
        .metric = body->metric ? &all->metric : NULL,
        .fps = body->fps,
        .threshold = body->threshold,
        .smooth = body->smooth,
        .behaviours = (const marey_behaviour *)(const void *)all->behaviours.data,
        .behaviour_count = (int)behaviours,
        .weights = body->weight_count > 0 ? body->weights : NULL,
        .weight_count = body->weight_count,
        .suboptimality = body->mu,
        .smoothness = body->smoothness,
        .unreduced = body->unreduced,
    };
}

marey_status graph_building_prepare(graph_building *all, marey_error *error)
{
    marey_library *library = all->by->library;
    const graph_body *body = all->body;
    marey_status status = marey_library_list(library, NULL, &all->listing, error);
    if (status == MAREY_OK && body->clip_count == 0) status = choose_all(all, error);
    if (status != MAREY_OK) return status;
    const int64_t *clips =
        body->clip_count ? body->clips : (const int64_t *)(const void *)all->chosen.data;
    int count = body->clip_count ? body->clip_count : (int)(all->chosen.count / sizeof *clips);
    status = marey_library_captured_parts(library, clips, count, &all->parts, error);
    if (status != MAREY_OK) return status;
    note_behaviours(all);
    if (all->behaviours.failed) return fail_memory(error);
    define(all);
    return MAREY_OK;
}

marey_status graph_building_run(graph_building *all, marey_error *error)
{
    const marey_parts *parts = all->parts;
    double start = graph_seconds_now();
    marey_status status = marey_graph_build(all->by->ctx, parts->clips, parts->count,
                                            parts->contacts, &all->def, &all->graph, error);
    all->seconds = graph_seconds_now() - start;
    if (status != MAREY_OK) return status;
    return marey_graph_measure(all->by->ctx, all->graph, &all->stats, error);
}

/* ---- keeping it --------------------------------------------------------------------------------- */

static void put_setting(const graph_body *body, json_t **to, const char *field, const char *option,
                        double value)
{
    char text[NUMBER_ROOM];
    if (!json_object_get(body->root, field)) return;
    number_text(value < 0 ? 0 : value, text);
    describe_put(to, option, json_string(text));
}

static void put_weights(const graph_body *body, json_t **to)
{
    char text[MAREY_GRAPH_MOST_WEIGHTS * NUMBER_ROOM] = "";
    size_t used = 0;
    for (int i = 0; i < body->weight_count; i++) {
        char one[NUMBER_ROOM];
        number_text(body->weights[i], one);
        used += (size_t)snprintf(text + used, sizeof text - used, i > 0 ? ",%s" : "%s", one);
    }
    if (body->weight_count > 0) describe_put(to, "weights", json_string(text));
}

/* By the names of the command's options, in their order. */
static json_t *describe_settings(const graph_building *all)
{
    const graph_body *body = all->body;
    heap *memory = &all->by->of->memory;
    json_t *to = json_object();
    if (body->kind_name) describe_put(&to, "kind", json_string(body->kind_name));
    if (body->label) describe_put(&to, "label", describe_text(memory, body->label));
    put_setting(body, &to, "threshold", "threshold", body->threshold);
    if (body->smooth) describe_put(&to, "only-smooth", json_true());
    put_setting(body, &to, "fps", "fps", body->fps);
    put_weights(body, &to);
    put_setting(body, &to, "mu", "mu", body->mu);
    put_setting(body, &to, "smoothness", "smoothness", body->smoothness);
    if (body->unreduced) describe_put(&to, "unreduced", json_true());
    if (body->metric_name) describe_put(&to, "metric", json_string(body->metric_name));
    return to;
}

/* As the command writes it, so that lists need not open the graph, whose clips may be gone. */
static json_t *describe_about(const graph_building *all)
{
    const marey_graph *graph = all->graph;
    const marey_graph_def *def = marey_graph_settings(graph);
    json_t *about = json_object();
    int transitions;
    marey_graph_transitions(graph, &transitions);
    describe_put(&about, "made_by", json_string("graph build"));
    describe_put(&about, "version", json_string(marey_version()));
    describe_put(&about, "kind", json_string(marey_graph_kind_name(def->kind)));
    describe_put(&about, "fps", describe_number(marey_graph_fps(graph)));
    describe_put(&about, "threshold", describe_number(def->threshold));
    describe_put(&about, "frames", json_integer(marey_graph_originals(graph)));
    describe_put(&about, "nodes", json_integer(marey_graph_nodes(graph)));
    describe_put(&about, "transitions", json_integer(transitions));
    describe_put(&about, "labels", describe_graph_labels(&all->by->of->memory, graph));
    describe_put(&about, "settings", describe_settings(all));
    return about;
}

marey_status graph_building_keep(const graph_building *all, marey_error *error)
{
    studio_bytes about = { .memory = &all->by->of->memory };
    json_t *value = describe_about(all);
    marey_status status = MAREY_OK;
    if (bytes_add_json(&about, value)) bytes_add(&about, "", 1);
    if (!value || about.failed) status = fail_memory(error);
    if (status == MAREY_OK) {
        status = marey_library_keep_graph(all->by->library, all->body->name, all->graph,
                                          all->parts->parts, (const char *)about.data, error);
    }
    json_decref(value);
    bytes_free(&about);
    return status;
}
