/* demo_graphs.c - motion graphs to try things with: somebody who stands, walks in all directions, turns and sits down. */
#include "demo_graphs.h"

#include "demo_takes.h"
#include "graph_assemble.h"
#include "param_family.h"

#include <string.h>

/* Few takes, and of a graph that is more work the beginnings of fewer, so that nobody who tries marey waits long. So few frames
   need more than the usual threshold to be steered well: by smooth transitions all the same. */
typedef struct recipe {
    const char *takes[6]; /* NULL behind the last */
    size_t counted;       /* so many of them count .. */
    int fewest;           /* .. and so many of these must be there */
    double first_s;       /* so much of each; 0: all */
    double threshold;     /* cm2; 0: the usual one */
} recipe;

static const recipe recipes[MAREY_GRAPH_KIND_COUNT] = {
    [MAREY_GRAPH_STANDARD] = { { "idles", "sits", "turns", "walk_left", "walk_right",
                                 "walk_straight" },
                               6,
                               3,
                               0,
                               0 },
    [MAREY_GRAPH_CONNECTED] = { { "sits", "walk_left", "walk_right", "turns" }, 3, 2, 8, 2 },
};

static marey_status keep(assembled_graph *made, const char *name, marey_error *error)
{
    buffer about = buffer_make(&made->run->host->def);
    graph_about_write("demo", made->graph, NULL, NULL, &about);
    marey_status status = about.failed
                              ? fail_for_memory(error)
                              : marey_library_keep_graph(made->library, name, made->graph,
                                                         made->parts->parts, about.bytes, error);
    buffer_free(&about);
    return status;
}

/* The parts of the takes that are there; none if those are too few. */
static marey_status choose(assembled_graph *made, const recipe *by, marey_error *error)
{
    marey_part parts[sizeof by->takes / sizeof *by->takes];
    int count = 0, first = 0;
    for (size_t i = 0; i < sizeof by->takes / sizeof *by->takes && by->takes[i]; i++) {
        const marey_entry *entry = listing_find(made->listing, by->takes[i]);
        if (!entry) continue;
        first += i < by->counted;
        int most = by->first_s > 0 ? (int)(by->first_s * entry->fps) : entry->frames;
        parts[count++] = (marey_part){ entry->id, 0, most < entry->frames ? most : entry->frames };
    }
    if (first < by->fewest) return MAREY_OK;
    return marey_library_parts(made->library, parts, count, &made->parts, error);
}

static marey_status label(assembled_graph *made, buffer *truth, marey_error *error)
{
    buffer_byte(truth, 0);
    if (truth->failed) return fail_for_memory(error);
    marey_status status =
        behaviours_parse(&made->said, made->run, truth, "truth.json", made->parts, error);
    truth->used--;
    return status == MAREY_OK ? behaviours_done(&made->said, error) : status;
}

static marey_status make(session *run, marey_library *library, marey_graph_kind kind, buffer *truth,
                         int *kept, marey_error *error)
{
    assembled_graph made;
    marey_graph_def def = { .kind = kind, .threshold = recipes[kind].threshold, .smooth = true };
    marey_status status = graph_start(&made, run, library, error);
    if (status == MAREY_OK) status = choose(&made, &recipes[kind], error);
    if (status == MAREY_OK && made.parts) {
        status = label(&made, truth, error);
        if (status == MAREY_OK) status = graph_assemble(&made, &def, error);
        if (status == MAREY_OK) status = keep(&made, marey_graph_kind_name(kind), error);
        *kept += status == MAREY_OK;
    }
    assembled_graph_free(&made);
    return status;
}

/* A kind comes only with those before it, so that their number says which there are. */
marey_status demo_graphs_keep(session *run, marey_library *library, buffer *truth, int *kept,
                              marey_error *error)
{
    marey_status status = MAREY_OK;
    *kept = 0;
    for (int k = 0; k < MAREY_GRAPH_KIND_COUNT && *kept == k && status == MAREY_OK; k++) {
        session_progress(run, "making graphs", k, MAREY_GRAPH_KIND_COUNT);
        status = make(run, library, (marey_graph_kind)k, truth, kept, error);
    }
    return status;
}

bool demo_made_graph(const marey_kept_entry *entry)
{
    bool named = false;
    for (int k = 0; k < MAREY_GRAPH_KIND_COUNT; k++)
        named |= strcmp(entry->name, marey_graph_kind_name((marey_graph_kind)k)) == 0;
    return named && strcmp(entry->kind, MAREY_KEPT_GRAPH) == 0 && made_by_demo(entry->about);
}
