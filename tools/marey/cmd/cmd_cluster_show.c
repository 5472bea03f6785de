/* cmd_cluster_show.c - `marey cluster show`: what is in a cluster graph, or in one node of it, and its picture. */
#include "cluster_assemble.h"
#include "commands.h"
#include "grid_picture_of.h"
#include "param_family.h"

#include <math.h>

typedef struct showing {
    session *run;
    const request *asked;
    kept_clusters of;
    int64_t node; /* -1: all */
    int64_t most; /* nodes in a table or picture; 0: the default */
    int *order;   /* of the nodes, those most worth looking at first */
    int count;    /* of nodes */
    marey_tuples tuples;
} showing;

enum { DEFAULT_ROWS = 20, MOST_ROWS = 1000000 };

/* ---- as JSON --------------------------------------------------------------------------------------- */

static void write_edges(const showing *all, json *to)
{
    int count;
    const marey_cluster_edge *edges = marey_clusters_edges(all->of.graph, &count);
    json_open(to, "edges", '[');
    for (int i = 0; i < count; i++) {
        if (all->node >= 0 && edges[i].from != all->node && edges[i].to != all->node) continue;
        json_open(to, NULL, '{');
        json_put_integer(to, "from", edges[i].from);
        json_put_integer(to, "to", edges[i].to);
        json_put_integer(to, "count", edges[i].count);
        json_close(to, '}');
    }
    json_close(to, ']');
}

static void write_switch(const showing *all, const marey_cluster_switch *one, json *to)
{
    int count;
    const marey_parts *parts = all->of.parts;
    const marey_cluster_sequence *sequences = marey_clusters_sequences(all->of.graph, &count);
    int a = sequences[one->from_sequence].clip, b = sequences[one->to_sequence].clip;
    json_open(to, NULL, '{');
    json_put_integer(to, "from_sequence", one->from_sequence);
    json_put_integer(to, "to_sequence", one->to_sequence);
    json_put_string(to, "from_clip", parts->names[a].name);
    json_put_integer(to, "from", clusters_frame(parts, a, one->from));
    json_put_string(to, "to_clip", parts->names[b].name);
    json_put_integer(to, "to", clusters_frame(parts, b, one->to));
    json_put_number(to, "cost", one->cost);
    json_close(to, '}');
}

/* The best from each sequence of the node to each other. */
static marey_status write_switches(const showing *all, json *to, marey_error *error)
{
    int count;
    const marey_cluster_node *node = &marey_clusters_nodes(all->of.graph, &count)[all->node];
    marey_status status = MAREY_OK;
    json_open(to, "switches", '[');
    for (int a = node->first; a < node->first + node->sequences; a++) {
        for (int b = node->first; b < node->first + node->sequences && status == MAREY_OK; b++) {
            marey_cluster_switch best;
            int found = 0;
            if (a == b) continue;
            status = marey_clusters_switches(all->run->ctx, all->of.graph, a, b, 1, &best, &found,
                                             error);
            if (status == MAREY_OK && found > 0) write_switch(all, &best, to);
        }
    }
    json_close(to, ']');
    return status;
}

static marey_status write_json(const showing *all, json *to, marey_error *error)
{
    const kept_clusters *of = &all->of;
    int node = (int)all->node;
    json_open(to, NULL, '{');
    json_put_string(to, "name", of->name);
    json_clusters(to, of->graph, of->parts);
    json_clip_names(to, "working_set", of->parts);
    json_open(to, "nodes", '[');
    for (int n = 0; n < all->count; n++) {
        if (node < 0 || n == node) json_cluster_node(to, of->graph, of->parts, n);
    }
    json_close(to, ']');
    write_edges(all, to);
    marey_status status = MAREY_OK;
    if (node >= 0) {
        status = json_all_tuples(all->run, to, of->graph, of->parts, &node, 1, 0, error);
        if (status == MAREY_OK) status = write_switches(all, to, error);
    }
    if (request_has(all->asked, OPTION_OUTPUT))
        json_put_string(to, "path", all->asked->values[OPTION_OUTPUT]);
    json_close(to, '}');
    buffer_byte(to->out, '\n');
    return status;
}

/* ---- for people ------------------------------------------------------------------------------------ */

static void show_place(const showing *all, int part, int frame, buffer *out)
{
    buffer_shown(out, all->of.parts->names[part].name);
    buffer_print(out, "#%d", clusters_frame(all->of.parts, part, frame));
}

static void show_table(const showing *all, buffer *out)
{
    int count, most = all->most ? (int)all->most : DEFAULT_ROWS;
    const marey_cluster_node *nodes = marey_clusters_nodes(all->of.graph, &count);
    buffer_print(out, "%7s %7s %10s %6s %6s %9s  %s\n", "node", "frames", "sequences", "clips",
                 "loops", "widest", "middle");
    for (int i = 0; i < count && i < most; i++) {
        const marey_cluster_node *one = &nodes[all->order[i]];
        int clips = clusters_node_clips(all->of.graph, all->of.parts, all->order[i]);
        buffer_print(out, "%7d %7d %10d %6d %6s %9.4g  ", all->order[i], one->rows, one->sequences,
                     clips, clips < one->sequences ? "yes" : "", one->widest);
        show_place(all, one->clip, one->frame, out);
        buffer_byte(out, '\n');
    }
    if (count > most)
        buffer_print(out, "and %d more; --limit shows more of them, --json all\n", count - most);
}

static void show_sequences(const showing *all, const marey_cluster_node *node, buffer *out)
{
    int count;
    const marey_cluster_sequence *sequences = marey_clusters_sequences(all->of.graph, &count);
    buffer_print(out, "%10s  %-28s %s\n", "sequence", "frames", "goes on in node");
    for (int s = node->first; s < node->first + node->sequences; s++) {
        const marey_cluster_sequence *one = &sequences[s];
        size_t before = out->used;
        buffer_print(out, "%10d  ", s);
        show_place(all, one->clip, one->start, out);
        buffer_print(out, "-%d", clusters_frame(all->of.parts, one->clip, one->end));
        buffer_blanks(out, 12 + 29 - (int)(out->used - before));
        if (one->next < 0) {
            buffer_text(out, "- (the clip ends)\n");
        } else {
            buffer_print(out, "%d\n", sequences[one->next].node);
        }
    }
}

static void show_tuples(const showing *all, const marey_cluster_node *node, buffer *out)
{
    enum { SHOWN = 5 };
    const marey_tuples *tuples = &all->tuples;
    int count;
    const marey_cluster_sequence *sequences = marey_clusters_sequences(all->of.graph, &count);
    if (node->sequences < 2) return;
    if (tuples->by_pairs) {
        buffer_print(out,
                     "no frames at which one can switch from any sequence to any other, even with "
                     "%d pairs of each two: switches are found pair by pair\n",
                     tuples->pairs);
        return;
    }
    buffer_print(out,
                 "frames at which one can switch from any sequence to any other (%d sets, %d pairs "
                 "of each two):\n",
                 tuples->count, tuples->pairs);
    for (int t = 0; t < tuples->count && t < SHOWN; t++) {
        buffer_print(out, "  %9.4g ", tuples->costs[t]);
        for (int s = 0; s < tuples->sequences; s++) {
            int frame = tuples->frames[(size_t)t * (size_t)tuples->sequences + (size_t)s];
            buffer_byte(out, ' ');
            show_place(all, sequences[node->first + s].clip, frame, out);
        }
        buffer_byte(out, '\n');
    }
}

static void show_node(const showing *all, buffer *out)
{
    int count;
    const marey_cluster_node *node = &marey_clusters_nodes(all->of.graph, &count)[all->node];
    buffer_print(out, "node %d: %d frames in %d sequence%s, at most ", (int)all->node, node->rows,
                 node->sequences, node->sequences == 1 ? "" : "s");
    buffer_distance(out, all->of.graph, node->widest);
    buffer_text(out, " apart; its middle is ");
    show_place(all, node->clip, node->frame, out);
    buffer_byte(out, '\n');
    show_sequences(all, node, out);
    show_tuples(all, node, out);
}

static marey_status write_text(showing *all, buffer *out, marey_error *error)
{
    marey_status status = MAREY_OK;
    int count;
    buffer_clusters(out, all->of.name, all->of.graph, all->of.parts);
    if (all->node < 0) {
        show_table(all, out);
    } else {
        const marey_cluster_node *node = &marey_clusters_nodes(all->of.graph, &count)[all->node];
        if (node->sequences >= 2) {
            status = marey_clusters_tuples(all->run->ctx, all->of.graph, (int)all->node, NULL,
                                           &all->tuples, error);
        }
        if (status == MAREY_OK) show_node(all, out);
    }
    if (request_has(all->asked, OPTION_OUTPUT)) {
        buffer_text(out, "wrote ");
        buffer_shown(out, all->asked->values[OPTION_OUTPUT]);
        buffer_byte(out, '\n');
    }
    return status;
}

/* ---- the command ------------------------------------------------------------------------------------- */

static marey_status draw(const showing *all, marey_error *error)
{
    const char *path = all->asked->values[OPTION_OUTPUT];
    const marey_parts *parts = all->of.parts;
    size_t bytes = (size_t)parts->count * sizeof(const char *);
    if (!path) return MAREY_OK;
    const char **names = session_resize(all->run, NULL, 0, bytes);
    if (!names) return fail_for_memory(error);
    for (int i = 0; i < parts->count; i++) names[i] = parts->names[i].name;
    marey_cluster_picture_def def = { .title = all->of.name,
                                      .names = names,
                                      .nodes = (int)all->most };
    marey_status status =
        marey_clusters_picture_save(all->run->ctx, all->of.graph, &def, path, error);
    session_resize(all->run, (void *)names, bytes, 0);
    return status;
}

static marey_status show(showing *all, marey_error *error)
{
    json to = json_make(&all->run->out);
    marey_clusters_nodes(all->of.graph, &all->count);
    if (all->node >= all->count) {
        return fail_graph(error, MAREY_ERR_REQUEST, all->of.name,
                          "there is no node %lld; the nodes are 0 to %d", (long long)all->node,
                          all->count - 1);
    }
    all->order = session_resize(all->run, NULL, 0, (size_t)all->count * sizeof *all->order);
    if (!all->order) return fail_for_memory(error);
    clusters_rank(all->of.graph, all->of.parts, all->order);
    marey_status status = MAREY_OK;
    if (all->run->json) {
        status = write_json(all, &to, error);
    } else {
        status = write_text(all, &all->run->out, error);
    }
    if (status == MAREY_OK) status = shelf_ready(all->run, error);
    return status == MAREY_OK ? draw(all, error) : status;
}

int command_cluster_show(session *run, const request *asked)
{
    showing all = { .run = run, .asked = asked, .node = -1 };
    const char *path = asked->values[OPTION_OUTPUT];
    marey_error error;
    int status = options_whole(run, asked, OPTION_NODE, 0, INT32_MAX, &all.node);
    if (status == PROGRAM_DONE)
        status = options_whole(run, asked, OPTION_LIMIT, 1, MOST_ROWS, &all.most);
    if (status != PROGRAM_DONE) return status;
    if (path && !is_picture(path))
        return session_usage(run, "-o takes a name that ends in .png, .svg or .pdf");
    if (kept_clusters_open(run, asked, &all.of, &error) != MAREY_OK)
        return session_fail(run, &error);
    marey_status done = show(&all, &error);
    marey_tuples_free(&all.tuples);
    if (all.order) session_resize(run, all.order, (size_t)all.count * sizeof *all.order, 0);
    return kept_clusters_end(&all.of, done, &error);
}
