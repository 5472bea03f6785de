/* cluster_building.c - from clips to a cluster graph, as `marey cluster build` does it: the same clips and notes. */
#include "cluster_building.h"

#include "example_run.h"
#include "made_of.h"
#include "provenance_text.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

cluster_building cluster_building_begin(studio_worker *worker, const cluster_body *body)
{
    return (cluster_building){ .by = worker,
                               .body = body,
                               .chosen = { .memory = &worker->of->memory } };
}

void cluster_building_free(cluster_building *all)
{
    marey_clusters_free(all->clusters);
    marey_parts_free(all->parts);
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

/* Unless its joints are others than the first one's. */
static void add_clip(cluster_building *all, const marey_entry *entry, const char **skeleton)
{
    if (!*skeleton) *skeleton = entry->skeleton;
    if (strcmp(entry->skeleton, *skeleton) == 0)
        bytes_add(&all->chosen, &entry->id, sizeof entry->id);
    else
        all->left_out++;
}

static marey_status choose_listed(cluster_building *all, marey_error *error)
{
    int count;
    const char *label = all->body->label, *skeleton = NULL;
    const marey_entry *entries = marey_listing_entries(all->listing, &count);
    for (int i = 0; i < count; i++) {
        if (!label || has_label(&entries[i], label)) add_clip(all, &entries[i], &skeleton);
    }
    if (skeleton) return MAREY_OK;
    *error = (marey_error){ .status = MAREY_ERR_REQUEST };
    snprintf(error->message, sizeof error->message,
             label ? "no clip has the label %.200s" : "the library has no clips%.0s",
             label ? label : "");
    return MAREY_ERR_REQUEST;
}

/* The working set is what a query finds (clusters, 3.2). */
static marey_status choose_found(cluster_building *all, marey_error *error)
{
    const example_body *body = &all->body->example;
    example_run run = example_run_begin(all->by, body);
    const char *skeleton = NULL;
    int count = 0;
    marey_status status = example_run_find(&run, error);
    const marey_example_clip *clips =
        status == MAREY_OK ? marey_example_clips(run.found, &count) : NULL;
    for (int i = 0; i < count && all->chosen.count < (size_t)body->take * sizeof(int64_t); i++) {
        const marey_entry *entry = provenance_entry(all->listing, run.set.clips[clips[i].clip].id);
        if (entry) add_clip(all, entry, &skeleton);
    }
    example_run_free(&run);
    if (status != MAREY_OK || skeleton) return status;
    *error = (marey_error){ .status = MAREY_ERR_REQUEST,
                            .message = "the example finds no clip that has all its fragments" };
    return MAREY_ERR_REQUEST;
}

marey_status cluster_building_prepare(cluster_building *all, marey_error *error)
{
    marey_library *library = all->by->library;
    const cluster_body *body = all->body;
    marey_status status = marey_library_list(library, NULL, &all->listing, error);
    if (status != MAREY_OK) return status;
    if (body->clip_count > 0)
        bytes_add(&all->chosen, body->clips, (size_t)body->clip_count * sizeof *body->clips);
    else
        status = body->example.root ? choose_found(all, error) : choose_listed(all, error);
    if (status != MAREY_OK) return status;
    if (all->chosen.failed) return fail_memory(error);
    return marey_library_captured_parts(library, (const int64_t *)(const void *)all->chosen.data,
                                        (int)(all->chosen.count / sizeof(int64_t)), &all->parts,
                                        error);
}

marey_status cluster_building_run(cluster_building *all, marey_error *error)
{
    const cluster_body *body = all->body;
    const marey_parts *parts = all->parts;
    double start = seconds_now();
    all->metric = (marey_metric_def){ .metric = body->metric };
    marey_clusters_def def = { .link = body->link,
                               .metric = body->metric ? &all->metric : NULL,
                               .fps = body->fps,
                               .threshold = body->threshold };
    marey_status status =
        marey_clusters_build(all->by->ctx, parts->clips, parts->count, &def, &all->clusters, error);
    all->seconds = seconds_now() - start;
    return status;
}

/* ---- keeping it --------------------------------------------------------------------------------- */

static void put_setting(const cluster_body *body, json_t **to, const char *option, double value)
{
    char text[NUMBER_ROOM];
    if (!json_object_get(body->root, option)) return;
    number_text(value, text);
    describe_put(to, option, json_string(text));
}

static void put_dofs(heap *memory, const example_body *body, json_t **to)
{
    studio_bytes text = { .memory = memory };
    for (int i = 0; i < body->dof_count; i++) {
        if (i > 0) bytes_add(&text, ",", 1);
        bytes_add(&text, body->dof_texts[i], strlen(body->dof_texts[i]));
    }
    bytes_add(&text, "", 1);
    describe_put(to, "dof", text.failed ? NULL : json_string((const char *)text.data));
    bytes_free(&text);
}

static void put_query(const cluster_building *all, json_t **to)
{
    const example_body *body = &all->body->example;
    char text[MAREY_NAME_ROOM + 64];
    const marey_entry *entry = provenance_entry(all->listing, body->clip);
    if (body->clip == 0)
        snprintf(text, sizeof text, "drawn");
    else if (!json_object_get(body->root, "start") && body->end < 0)
        snprintf(text, sizeof text, "%s", entry ? entry->name : "");
    else
        snprintf(text, sizeof text, "%s#%d-%d", entry ? entry->name : "", body->start,
                 body->end < 0 && entry ? entry->frames : body->end);
    describe_put(to, "from-example", describe_text(&all->by->of->memory, text));
}

static void put_example(const cluster_building *all, json_t **to)
{
    const example_body *body = &all->body->example;
    const json_t *root = body->root;
    char number[NUMBER_ROOM];
    put_query(all, to);
    if (json_object_get(root, "take")) {
        number_text(body->take, number);
        describe_put(to, "count", json_string(number));
    }
    put_dofs(&all->by->of->memory, body, to);
    if (body->k > 0) {
        number_text(body->k, number);
        describe_put(to, "k", json_string(number));
    }
    if (json_object_get(root, "noise")) {
        number_text(body->noise < 0 ? 0 : body->noise, number);
        describe_put(to, "noise", json_string(number));
    }
    if (body->shape) describe_put(to, "shape", json_true());
}

/* By the names of the command's options, in their order. */
static json_t *describe_settings(const cluster_building *all)
{
    const cluster_body *body = all->body;
    heap *memory = &all->by->of->memory;
    json_t *to = json_object();
    if (body->link_name) describe_put(&to, "link", json_string(body->link_name));
    put_setting(body, &to, "threshold", body->threshold);
    put_setting(body, &to, "fps", body->fps);
    if (body->label) describe_put(&to, "label", describe_text(memory, body->label));
    if (body->example.root) put_example(all, &to);
    if (body->metric_name) describe_put(&to, "metric", json_string(body->metric_name));
    return to;
}

/* As the command writes it, so that lists need not open the graph, whose clips may be gone. */
static json_t *describe_about(const cluster_building *all)
{
    const marey_clusters *clusters = all->clusters;
    const marey_clusters_def *def = marey_clusters_settings(clusters);
    json_t *about = json_object();
    int nodes, sequences;
    marey_clusters_nodes(clusters, &nodes);
    marey_clusters_sequences(clusters, &sequences);
    describe_put(&about, "made_by", json_string("cluster build"));
    describe_put(&about, "version", json_string(marey_version()));
    describe_put(&about, "link", json_string(marey_link_name(def->link)));
    describe_put(&about, "fps", describe_number(marey_clusters_fps(clusters)));
    describe_put(&about, "threshold", describe_number(def->threshold));
    describe_put(&about, "frames", json_integer(marey_clusters_frames(clusters)));
    describe_put(&about, "nodes", json_integer(nodes));
    describe_put(&about, "sequences", json_integer(sequences));
    describe_put(&about, "settings", describe_settings(all));
    return about;
}

marey_status cluster_building_keep(const cluster_building *all, marey_error *error)
{
    studio_bytes about = { .memory = &all->by->of->memory };
    json_t *value = describe_about(all);
    marey_status status = MAREY_OK;
    if (bytes_add_json(&about, value)) bytes_add(&about, "", 1);
    if (!value || about.failed) status = fail_memory(error);
    if (status == MAREY_OK) {
        status = marey_library_keep_clusters(all->by->library, all->body->name, all->clusters,
                                             all->parts->parts, (const char *)about.data, error);
    }
    json_decref(value);
    bytes_free(&about);
    return status;
}
