/* cmd_graph_ls.c - `marey graph ls`: the motion graphs that a library keeps. They are not opened, so that those whose clips
   are gone are listed as well. */
#include "commands.h"
#include "graph_assemble.h"

#include <math.h>
#include <string.h>

enum { KIND_ROOM = 32 };

static int count_clips(const marey_kept_entry *one)
{
    return parts_clips(&(marey_parts){ .count = one->part_count, .parts = one->parts });
}

static bool has_policy(const marey_kept *policies, const char *name)
{
    int count;
    const marey_kept_entry *entries = marey_kept_entries(policies, &count);
    for (int i = 0; i < count; i++) {
        if (strcmp(entries[i].name, name) == 0) return true;
    }
    return false;
}

static void write_graph(json *to, const marey_kept_entry *one, bool policy)
{
    static const char *const numbers[] = { "fps", "threshold", "frames", "nodes", "transitions" };
    char kind[KIND_ROOM];
    json_open(to, NULL, '{');
    json_put_string(to, "name", one->name);
    json_put_string(to, "kind",
                    graph_about_text(one->about, "kind", kind, sizeof kind) ? kind : NULL);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        json_put_number(to, numbers[i], graph_about_number(one->about, numbers[i]));
    json_put_integer(to, "clips", count_clips(one));
    json_put_boolean(to, "policy", policy);
    json_put_integer(to, "bytes", one->size);
    json_close(to, '}');
}

static void write_json(json *to, const marey_kept *graphs, const marey_kept *policies)
{
    int count;
    const marey_kept_entry *entries = marey_kept_entries(graphs, &count);
    json_open(to, NULL, '{');
    json_open(to, "graphs", '[');
    for (int i = 0; i < count; i++)
        write_graph(to, &entries[i], has_policy(policies, entries[i].name));
    json_close(to, ']');
    json_close(to, '}');
    buffer_byte(to->out, '\n');
}

static void write_text(buffer *out, const marey_kept *graphs, const marey_kept *policies)
{
    int count;
    const marey_kept_entry *entries = marey_kept_entries(graphs, &count);
    if (count == 0) buffer_text(out, "no motion graph is kept; marey graph build makes one\n");
    for (int i = 0; i < count; i++) {
        const marey_kept_entry *one = &entries[i];
        char kind[KIND_ROOM];
        buffer_shown(out, one->name);
        buffer_text(out, "  (");
        if (graph_about_text(one->about, "kind", kind, sizeof kind)) {
            buffer_shown(out, kind);
            buffer_text(out, ", ");
        }
        buffer_clips(out, count_clips(one));
        double frames = graph_about_number(one->about, "frames");
        if (isfinite(frames)) {
            buffer_print(out, ", %.0f frames, %.0f transitions", frames,
                         graph_about_number(one->about, "transitions"));
        }
        buffer_print(out, ", %lld bytes%s)\n", (long long)one->size,
                     has_policy(policies, one->name) ? ", with a policy" : "");
    }
}

int command_graph_ls(session *run, const request *asked)
{
    shelf at;
    marey_kept *graphs = NULL, *policies = NULL;
    marey_error error;
    if (shelf_open(run, asked->operands[0], MAREY_LIBRARY_READ, &at, &error) != MAREY_OK)
        return session_fail(run, &error);
    marey_status status = marey_library_kept_list(at.library, MAREY_KEPT_GRAPH, &graphs, &error);
    if (status == MAREY_OK)
        status = marey_library_kept_list(at.library, MAREY_KEPT_POLICY, &policies, &error);
    json to = json_make(&run->out);
    if (status == MAREY_OK && run->json) write_json(&to, graphs, policies);
    if (status == MAREY_OK && !run->json) write_text(&run->out, graphs, policies);
    marey_kept_free(policies);
    marey_kept_free(graphs);
    return shelf_end(&at, status, &error);
}
