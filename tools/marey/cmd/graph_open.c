/* graph_open.c - what the commands of motion graphs share. */
#include "graph_open.h"

#include "saved_things.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
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
