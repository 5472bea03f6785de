/* graph_pieces.c - what of which clips a walk is made of. */
#include "graph_pieces.h"

#include "param_family.h"

#include <stdio.h>

marey_status graph_pieces_find(session *run, const marey_graph *graph, const marey_walk *walk,
                               graph_pieces *out, marey_error *error)
{
    int count = marey_walk_pieces(graph, walk, NULL, 0);
    size_t bytes = ((size_t)count + 1) * sizeof *out->items;
    out->items = session_resize(run, NULL, 0, bytes);
    if (!out->items) return fail_for_memory(error);
    out->bytes = bytes;
    out->count = marey_walk_pieces(graph, walk, out->items, count);
    return MAREY_OK;
}

void graph_pieces_free(session *run, graph_pieces *pieces)
{
    session_resize(run, pieces->items, pieces->bytes, 0);
    *pieces = (graph_pieces){ 0 };
}

/* What was taken of a clip, end exclusive, in its own frames. */
static void note_source(const kept_graph *of, const marey_listing *listing, provenance *to,
                        int part, int start, int end, double weight)
{
    const marey_named *named = &of->parts->names[part];
    const marey_entry *entry = listing_find(listing, named->name);
    input_source source = { .library = of->at.path,
                            .licence = entry ? entry->licence : "",
                            .start = start,
                            .end = end,
                            .weight = weight };
    snprintf(source.name, sizeof source.name, "%s", named->name);
    provenance_note(to, &source);
}

/* Once for every clip, however many pieces of it there are. */
static void say_licences(const graph_pieces *pieces, const kept_graph *of,
                         const marey_listing *listing, session *run)
{
    const marey_parts *parts = of->parts;
    for (int c = 0; c < parts->count; c++) {
        bool used = false;
        if (c > 0 && parts->parts[c].clip == parts->parts[c - 1].clip) continue;
        for (int i = 0; i < pieces->count && !used; i++) {
            const marey_graph_node *node = &pieces->items[i].first;
            used = parts->parts[node->clip].clip == parts->parts[c].clip ||
                   (node->other >= 0 && parts->parts[node->other].clip == parts->parts[c].clip);
        }
        const marey_entry *entry = listing_find(listing, parts->names[c].name);
        if (used && entry) licence_say(run, entry->name, entry->licence);
    }
}

void graph_pieces_note(const graph_pieces *pieces, const kept_graph *of,
                       const marey_listing *listing, provenance *to)
{
    const marey_parts *parts = of->parts;
    for (int i = 0; i < pieces->count; i++) {
        const marey_graph_node *first = &pieces->items[i].first, *last = &pieces->items[i].last;
        bool mixed = first->other >= 0;
        note_source(of, listing, to, first->clip, graph_frame(parts, first),
                    graph_frame(parts, last) + 1, mixed ? 1 - first->weight : 0);
        if (!mixed) continue;
        note_source(of, listing, to, first->other, graph_other_frame(parts, first),
                    graph_other_frame(parts, last) + 1, first->weight);
    }
    say_licences(pieces, of, listing, to->run);
}
