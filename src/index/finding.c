/* finding.c - what a search found, in names and the clips' own frames. */
#include "index/searcher_data.h"

#include "base/fail.h"

#include <math.h>
#include <string.h>

struct marey_finding {
    mry_arena mem; /* everything below but the graph lives here, and so does the finding itself */
    marey_match *matches;
    mry_ruler *rulers; /* of each match's clip */
    int match_count;
    marey_match_edge *edges;
    int edge_count;
    marey_match_graph *graph;
    marey_finding_report report;
};

int mry_ruler_frame(const mry_ruler *ruler, int row)
{
    int frame = ruler->shift + mry_index_frame(&ruler->clip, row);
    if (ruler->frames == 0) return frame;
    /* Where the query is the end of a cut, what was merged with it may reach beyond. */
    return frame < 0 ? 0 : frame >= ruler->frames ? ruler->frames - 1 : frame;
}

int mry_ruler_end(const mry_ruler *ruler, int row)
{
    if (row >= ruler->clip.rows) return ruler->shift + ruler->clip.frames;
    return mry_ruler_frame(ruler, row);
}

static marey_cell to_frames(const mry_ruler *rows, const mry_ruler *cols, marey_cell cell)
{
    return (marey_cell){ mry_ruler_frame(rows, cell.row), mry_ruler_frame(cols, cell.col) };
}

static mry_ruler ruler_of(const mry_seek *seek, const marey_found *found, bool is_query)
{
    if (is_query) return seek->ruler;
    return (mry_ruler){ .clip = seek->searcher->slots[found->at.clip].clip };
}

marey_status mry_match_make(mry_seek *seek, const marey_found *found, bool is_query,
                            marey_match *out, marey_error *error)
{
    marey_searcher *searcher = seek->searcher;
    *out = (marey_match){ .clip = seek->id,
                          .name = seek->name,
                          .start = seek->start,
                          .end = seek->end,
                          .distance = found->distance,
                          .path_distance = found->path_distance,
                          .tier = found->tier,
                          .mirrored = found->mirrored,
                          .library = seek->member };
    if (is_query) return MAREY_OK;
    mry_ruler ruler = ruler_of(seek, found, false);
    mry_slot *slot = &searcher->slots[found->at.clip];
    out->start = mry_ruler_frame(&ruler, found->at.start);
    out->end = mry_ruler_end(&ruler, found->at.end);
    if (!slot->name) {
        char name[MAREY_NAME_ROOM];
        marey_status status = mry_clip_name(mry_slot_library(searcher, found->at.clip),
                                            slot->clip.id, name, sizeof name, NULL, error);
        if (status) return status;
        slot->name = mry_arena_text(&searcher->mem, name, strlen(name));
        if (!slot->name) return mry_fail_memory(error, NULL);
    }
    out->clip = slot->clip.id;
    out->library = slot->member;
    out->name = slot->name;
    return MAREY_OK;
}

marey_status mry_finding_make(mry_seek *seek, marey_match_graph *graph, double seconds,
                              marey_finding **out, marey_error *error)
{
    mry_arena mem = mry_arena_make(seek->searcher->ctx);
    marey_finding *f = MRY_NEW(&mem, marey_finding, 1);
    int count = 0, edge_count = 0;
    const marey_found *found = marey_match_graph_nodes(graph, &count);
    const marey_match_edge *edges = marey_match_graph_edges(graph, &edge_count);
    if (f) {
        f->graph = graph;
        f->match_count = count;
        f->edge_count = edge_count;
        f->matches = MRY_NEW(&mem, marey_match, count);
        f->rulers = MRY_NEW(&mem, mry_ruler, count);
        f->edges = MRY_NEW(&mem, marey_match_edge, edge_count + 1);
    }
    if (!f || !f->matches || !f->rulers || !f->edges) {
        mry_arena_free(&mem);
        marey_match_graph_free(graph);
        return mry_fail_memory(error, NULL);
    }
    f->mem = mem;
    marey_status status = MAREY_OK;
    for (int i = 0; i < count && !status; i++) {
        marey_match *match = &f->matches[i];
        status = mry_match_make(seek, &found[i], i == 0, match, error);
        if (status) break;
        match->name = mry_arena_text(&f->mem, match->name, strlen(match->name));
        if (!match->name) status = mry_fail_memory(error, NULL);
        f->rulers[i] = ruler_of(seek, &found[i], i == 0);
    }
    if (status) {
        marey_finding_free(f);
        return status;
    }
    for (int i = 0; i < edge_count; i++) {
        const mry_ruler *from = &f->rulers[edges[i].from], *to = &f->rulers[edges[i].to];
        f->edges[i] = edges[i];
        f->edges[i].first = to_frames(from, to, edges[i].first);
        f->edges[i].last = to_frames(from, to, edges[i].last);
    }
    const mry_index_settings *settings = &seek->searcher->settings;
    marey_search_report search = marey_match_graph_report(graph);
    double ceiling = seek->searcher->by_web ? settings->web.ceiling : (double)INFINITY;
    f->report = (marey_finding_report){ .tiers = search.tiers,
                                        .limited = search.limited,
                                        .threshold = seek->threshold,
                                        .chosen = seek->chosen,
                                        .still_cost = seek->still_cost,
                                        .left_out = seek->left_out,
                                        .poses = seek->poses,
                                        .poses_left = seek->poses_left,
                                        .scan_seconds = seek->scan_seconds,
                                        .ceiling = ceiling,
                                        .past_ceiling = seek->threshold > ceiling,
                                        .fps = settings->fps,
                                        .seconds = seconds };
    for (int i = 0; i < seek->example_count; i++)
        ++*(seek->examples[i].number > 0 ? &f->report.liked : &f->report.unliked);
    for (int i = 0; i < seek->searcher->slot_count; i++)
        f->report.clips_missing += seek->missing[i];
    *out = f;
    return MAREY_OK;
}

void marey_finding_free(marey_finding *finding)
{
    if (!finding) return;
    marey_match_graph_free(finding->graph);
    mry_arena mem = finding->mem;
    mry_arena_free(&mem);
}

const marey_match *marey_finding_matches(const marey_finding *finding, int *count)
{
    *count = finding->match_count;
    return finding->matches;
}

const marey_match_edge *marey_finding_edges(const marey_finding *finding, int *count)
{
    *count = finding->edge_count;
    return finding->edges;
}

marey_status marey_finding_path(const marey_finding *finding, int edge, marey_path *out,
                                marey_error *error)
{
    marey_path path;
    if (edge < 0 || edge >= finding->edge_count)
        return mry_fail(error, MAREY_ERR_REQUEST, NULL, "there is no edge %d", edge);
    marey_status status = marey_match_graph_path(finding->graph, edge, &path, error);
    if (status) return status;
    const mry_ruler *from = &finding->rulers[finding->edges[edge].from];
    const mry_ruler *to = &finding->rulers[finding->edges[edge].to];
    for (int i = 0; i < path.count; i++) path.cells[i] = to_frames(from, to, path.cells[i]);
    *out = path;
    return MAREY_OK;
}

marey_status marey_finding_parents(const marey_finding *finding, const int *matches, int count,
                                   int *parents, marey_error *error)
{
    if (count < 1) return mry_fail(error, MAREY_ERR_REQUEST, NULL, "no match was chosen");
    mry_arena tmp = mry_arena_make(finding->mem.ctx);
    double *costs = MRY_NEW_RAW(&tmp, double, finding->match_count);
    int *before = MRY_NEW_RAW(&tmp, int, finding->match_count);
    int *numbers =
        MRY_NEW_RAW(&tmp, int, finding->match_count); /* of those chosen; -1: it is not */
    int first = 0;                                    /* the one nearest to the query */
    marey_status status = costs && before && numbers ? MAREY_OK : mry_fail_memory(error, NULL);
    for (int i = 0; i < finding->match_count && !status; i++) {
        costs[i] = INFINITY;
        before[i] = numbers[i] = -1;
    }
    for (int i = 0; i < count && !status; i++) {
        int match = matches[i];
        if (match < 0 || match >= finding->match_count)
            status = mry_fail(error, MAREY_ERR_REQUEST, NULL, "there is no match %d", match);
        else if (numbers[match] >= 0)
            status = mry_fail(error, MAREY_ERR_REQUEST, NULL, "match %d is there twice", match);
        else
            numbers[match] = i;
        if (match < matches[first]) first = i;
    }
    /* On the shortest way from the query to each match: the match before it. Matches are in the
       order of their distances along these ways, so what comes before a match on its way comes
       before it in the list. */
    for (int e = 0; e < finding->edge_count && !status; e++) {
        int a = finding->edges[e].from, b = finding->edges[e].to;
        int near = a < b ? a : b, far = a < b ? b : a;
        double cost = finding->matches[near].path_distance + finding->edges[e].distance;
        if (near == far || !(cost < costs[far])) continue;
        costs[far] = cost;
        before[far] = near;
    }
    for (int i = 0; i < count && !status; i++) {
        int at = before[matches[i]];
        while (at >= 0 && numbers[at] < 0) at = before[at];
        parents[i] = i == first ? -1 : at >= 0 ? numbers[at] : first;
    }
    mry_arena_free(&tmp);
    return status;
}

marey_finding_report marey_finding_report_of(const marey_finding *finding)
{
    return finding->report;
}
