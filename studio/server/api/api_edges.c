/* api_edges.c - how the frames of two matches go together: the cells of their alignment, what each
   costs, and the grid around them, all as marey_library_index_view measures it. */
#include "grid_binary.h"
#include "searching.h"

#include <math.h>
#include <string.h>

enum { MOST_SIDE = 600, MOST_CELLS = 16 << 20 };

/* ---- the edge -------------------------------------------------------------------------------- */

/* Copied out of a finding, so that others can search while the rest is measured. */
typedef struct edge_copy {
    heap *memory;
    marey_match_edge edge;
    int64_t clips[2];
    bool mirrored[2];
    /* frames of the matches, or of the alignment where that reaches further */
    int start[2], end[2];
    marey_cell *cells;
    int count;
} edge_copy;

static void copy_side(edge_copy *out, int side, const marey_match *match, int first, int last)
{
    out->clips[side] = match->clip;
    out->mirrored[side] = match->mirrored;
    out->start[side] = match->start < first ? match->start : first;
    out->end[side] = match->end > last + 1 ? match->end : last + 1;
}

static bool copy_edge(const marey_finding *finding, int number, edge_copy *out,
                      studio_response *response)
{
    int count = 0;
    marey_path path = { 0 };
    marey_error error;
    const marey_match *matches = marey_finding_matches(finding, &count);
    out->edge = marey_finding_edges(finding, &count)[number];
    copy_side(out, 0, &matches[out->edge.from], out->edge.first.row, out->edge.last.row);
    copy_side(out, 1, &matches[out->edge.to], out->edge.first.col, out->edge.last.col);
    if (marey_finding_path(finding, number, &path, &error) != MAREY_OK) {
        answer_fail(response, &error);
        return false;
    }
    out->cells = heap_resize(out->memory, NULL, 0, (size_t)path.count * sizeof *out->cells);
    if (out->cells) {
        memcpy(out->cells, path.cells, (size_t)path.count * sizeof *out->cells);
        out->count = path.count;
    } else {
        api_fail_memory(response);
    }
    marey_path_free(&path);
    return out->cells != NULL;
}

static void edge_free(edge_copy *edge)
{
    heap_resize(edge->memory, edge->cells, (size_t)edge->count * sizeof *edge->cells, 0);
    edge->cells = NULL;
}

static bool edge_read(studio_worker *worker, const studio_request *request, edge_copy *out,
                      studio_response *response)
{
    const marey_finding *finding = NULL;
    int count = 0;
    *out = (edge_copy){ .memory = &worker->of->memory };
    if (!searching_recall(worker, request->id, &finding, response)) return false;
    marey_finding_edges(finding, &count);
    bool copied = false;
    if (request->second < count)
        copied = copy_edge(finding, (int)request->second, out, response);
    else
        answer_refuse(response, 404, "input", "search %lld has no edge %lld: it has %d, from 0 on",
                      (long long)request->id, (long long)request->second, count);
    searching_leave(worker);
    return copied;
}

/* ---- what the index measures around it ------------------------------------------------------- */

typedef struct edge_view {
    int start[2], end[2]; /* frames of the clips */
    marey_clip *parts[2];
    marey_layout *layout;
    marey_features *features[2];
} edge_view;

static void view_free(edge_view *view)
{
    for (int side = 0; side < 2; side++) marey_features_free(view->features[side]);
    marey_layout_free(view->layout);
    for (int side = 0; side < 2; side++) marey_clip_free(view->parts[side]);
    *view = (edge_view){ .layout = NULL };
}

/* The window is that of the rate of the pair, which is the lower of the two and not more than that
   of the match webs, or 60 without them. */
static marey_status view_make(studio_worker *worker, const edge_copy *edge, edge_view *out,
                              marey_error *error)
{
    const marey_clip *clips[2] = { NULL, NULL };
    marey_index_state state;
    marey_status status = worker_two_clips(worker, edge->clips, clips, error);
    if (status == MAREY_OK) status = marey_library_index_state(worker->library, &state, error);
    if (status != MAREY_OK) return status;
    double most = state.exists ? state.size.fps : 60;
    double fps = fmin(most, fmin(marey_clip_fps(clips[0]), marey_clip_fps(clips[1])));
    for (int side = 0; side < 2; side++) {
        /* As much again as the alignment has, half before and half behind it, but not more than 2 s
           each: enough to see that it lies in a valley. */
        double clip_fps = marey_clip_fps(clips[side]);
        int frames = marey_clip_frames(clips[side]), length = edge->end[side] - edge->start[side];
        int margin = (int)fmin(length / 2.0, 2 * clip_fps);
        int first = edge->start[side] - margin, end = edge->end[side] + margin;
        if (first < 0) first = 0;
        out->end[side] = end < frames ? end : frames;
        /* A part must begin at a frame that the index looks at, or its rows lie between those of
           the index: the latest one up to `first` that is as good as one. The clip's beginning is
           better than none. */
        double frames_a_row = clip_fps / fmin(fps, clip_fps);
        out->start[side] = 0;
        for (int at = first; at > 0 && at > first - 1000; at--) {
            double rows = at / frames_a_row;
            if (fabs(rows - round(rows)) >= 1e-3) continue;
            out->start[side] = at;
            break;
        }
        status = marey_clip_trim(clips[side], out->start[side], out->end[side], &out->parts[side],
                                 error);
        if (status == MAREY_OK && edge->mirrored[side]) {
            marey_clip *as_found = out->parts[side];
            status = marey_clip_mirror(as_found, &out->parts[side], error);
            if (status == MAREY_OK) marey_clip_free(as_found);
        }
        if (status != MAREY_OK) return status;
    }
    const marey_clip *const parts[2] = { out->parts[0], out->parts[1] };
    return marey_library_index_view(worker->library, parts, &out->layout, out->features, error);
}

/* Both must be freed after true. */
static bool view_open(studio_worker *worker, const studio_request *request, edge_copy *edge,
                      edge_view *view, studio_response *response)
{
    marey_error error;
    if (!edge_read(worker, request, edge, response)) return false;
    *view = (edge_view){ .layout = NULL };
    if (view_make(worker, edge, view, &error) == MAREY_OK) return true;
    view_free(view);
    edge_free(edge);
    searching_fail(worker->library, &error, response);
    return false;
}

/* ---- the addresses --------------------------------------------------------------------------- */

void api_search_edge(studio_worker *worker, studio_request *request, studio_response *response)
{
    edge_copy edge;
    edge_view view;
    if (!view_open(worker, request, &edge, &view, response)) return;
    json_t *cells = json_array(), *costs = json_array(), *value = json_object();
    for (int i = 0; i < edge.count; i++) {
        json_t *cell = json_array();
        int row = marey_features_row(view.features[0], edge.cells[i].row - view.start[0]);
        int col = marey_features_row(view.features[1], edge.cells[i].col - view.start[1]);
        describe_append(&cell, json_integer(edge.cells[i].row));
        describe_append(&cell, json_integer(edge.cells[i].col));
        describe_append(&cells, cell);
        describe_append(
            &costs, describe_number(marey_distance(view.features[0], row, view.features[1], col)));
    }
    describe_put(&value, "from", json_integer(edge.edge.from));
    describe_put(&value, "to", json_integer(edge.edge.to));
    describe_put(&value, "distance", describe_number(edge.edge.distance));
    describe_put(&value, "cells", cells);
    describe_put(&value, "costs", costs);
    describe_put(&value, "rows", json_pack("[i, i]", view.start[0], view.end[0]));
    describe_put(&value, "cols", json_pack("[i, i]", view.start[1], view.end[1]));
    answer_json(response, 200, value);
    view_free(&view);
    edge_free(&edge);
}

void api_search_grid(studio_worker *worker, studio_request *request, studio_response *response)
{
    edge_copy edge;
    edge_view view;
    marey_grid *grid = NULL;
    marey_error error;
    if (!view_open(worker, request, &edge, &view, response)) return;
    int64_t cells =
        (int64_t)marey_features_rows(view.features[0]) * marey_features_rows(view.features[1]);
    if (cells > MOST_CELLS) {
        answer_refuse(response, 413, "limit", "%lld million pairs of frames, and %d is the most",
                      (long long)(cells >> 20), MOST_CELLS >> 20);
    } else if (marey_grid_build(worker->ctx, view.features[0], view.features[1], &grid, &error) !=
               MAREY_OK) {
        answer_fail(response, &error);
    } else {
        grid_answer(marey_grid_cost(grid), marey_layout_fps(view.layout), MOST_SIDE, MOST_SIDE,
                    response);
        marey_grid_free(grid);
    }
    view_free(&view);
    edge_free(&edge);
}
