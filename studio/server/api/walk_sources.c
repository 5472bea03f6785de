/* walk_sources.c - what of which clips a walk is made of. */
#include "walk_sources.h"

#include "json_inside.h"

marey_status walk_sources_find(heap *memory, const marey_graph *graph, const marey_walk *walk,
                               walk_sources *out, marey_error *error)
{
    int count = marey_walk_pieces(graph, walk, NULL, 0);
    size_t room = ((size_t)count + 1) * sizeof *out->items;
    out->items = heap_resize(memory, NULL, 0, room);
    if (!out->items) return json_fail_memory(error);
    out->bytes = room;
    out->count = marey_walk_pieces(graph, walk, out->items, count);
    return MAREY_OK;
}

void walk_sources_free(heap *memory, walk_sources *of)
{
    heap_resize(memory, of->items, of->bytes, 0);
    *of = (walk_sources){ 0 };
}

void walk_sources_note(const walk_sources *of, const marey_parts *parts, made_of *from)
{
    for (int i = 0; i < of->count; i++) {
        const marey_graph_node *first = &of->items[i].first, *last = &of->items[i].last;
        bool mixed = first->other >= 0;
        made_of_share(from, parts->parts[first->clip].clip, app_graph_frame(parts, first),
                      app_graph_frame(parts, last) + 1, mixed ? 1 - first->weight : 0);
        if (!mixed) continue;
        made_of_share(from, parts->parts[first->other].clip, app_graph_other_frame(parts, first),
                      app_graph_other_frame(parts, last) + 1, first->weight);
    }
}
