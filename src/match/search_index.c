/* search_index.c - see search_index.h. Paths that cross a row are found by blocks of rows: a path
   is listed in every block that it touches, so that a query looks at one list and not at all
   paths. */
#include "match/search_index.h"

#include "base/fail.h"

#include <limits.h>
#include <stdlib.h>

int mry_path_find(const marey_web *web, int path, int axis, int at)
{
    const marey_cell *cells = web->cells + web->paths[path].first;
    const mry_path_span *span = &web->index->spans[path];
    int count = web->paths[path].count;
    if (at <= span->first[axis]) return 0;
    if (at > span->last[axis]) return count;
    /* No step is longer than one row, which leaves few cells to choose from where a path is not far
       from the diagonal. */
    int low = at - span->first[axis], high = count - 1 - (span->last[axis] - at);
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (mry_along(cells[middle], axis) < at) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Counts first, then fills: start[k + 1] is where block k is filled next, and in the end where it
   ends. */
static bool list_blocks(mry_arena *mem, const marey_web *web, mry_web_index *index, int axis)
{
    int length = axis == MRY_ALONG_ROWS ? web->rows : web->cols;
    int paths = web->chain_count + web->bridge_count;
    int blocks = index->blocks[axis] = length / MRY_INDEX_BLOCK + 1;
    int *start = index->block_start[axis] = MRY_NEW(mem, int, blocks + 2);
    if (!start) return false;
    for (int i = 0; i < paths; i++) {
        if (index->spans[i].first[axis] > index->spans[i].last[axis]) continue;
        int last = index->spans[i].last[axis] / MRY_INDEX_BLOCK;
        for (int k = index->spans[i].first[axis] / MRY_INDEX_BLOCK; k <= last; k++) start[k + 2]++;
    }
    for (int k = 2; k < blocks + 2; k++) start[k] += start[k - 1];
    int *list = index->crossing[axis] = MRY_NEW_RAW(mem, int, start[blocks + 1]);
    if (!list) return false;
    for (int i = 0; i < paths; i++) {
        if (index->spans[i].first[axis] > index->spans[i].last[axis]) continue;
        int last = index->spans[i].last[axis] / MRY_INDEX_BLOCK;
        for (int k = index->spans[i].first[axis] / MRY_INDEX_BLOCK; k <= last; k++) {
            list[start[k + 1]++] = i;
        }
    }
    return true;
}

typedef struct leaver {
    int chain, cell, path;
} leaver;

static int by_chain_and_cell(const void *left, const void *right)
{
    const leaver *a = left, *b = right;
    if (a->chain != b->chain) return a->chain < b->chain ? -1 : 1;
    if (a->cell != b->cell) return a->cell < b->cell ? -1 : 1;
    return (a->path > b->path) - (a->path < b->path);
}

static bool list_leaving(mry_arena *mem, mry_arena *tmp, const marey_web *web, mry_web_index *index)
{
    leaver *all = MRY_NEW_RAW(tmp, leaver, web->bridge_count);
    index->leaving_start = MRY_NEW(mem, int, web->chain_count + 1);
    index->leaving = MRY_NEW_RAW(mem, int, web->bridge_count);
    index->bridge_sums = MRY_NEW_RAW(mem, double, web->bridge_count);
    if (!all || !index->leaving_start || !index->leaving || !index->bridge_sums) return false;
    for (int i = 0; i < web->bridge_count; i++) {
        int path = web->chain_count + i;
        all[i] = (leaver){ web->paths[path].from, web->paths[path].from_cell, path };
        index->leaving_start[all[i].chain + 1]++;
        const float *costs = web->costs + web->paths[path].first;
        double sum = 0;
        for (int k = 0; k < web->paths[path].count; k++) sum += (double)costs[k];
        index->bridge_sums[i] = sum;
    }
    if (web->bridge_count > 1)
        qsort(all, (size_t)web->bridge_count, sizeof *all, by_chain_and_cell);
    for (int i = 0; i < web->bridge_count; i++) index->leaving[i] = all[i].path;
    for (int i = 0; i < web->chain_count; i++)
        index->leaving_start[i + 1] += index->leaving_start[i];
    return true;
}

marey_status mry_web_index_make(marey_web *web, marey_error *error)
{
    int paths = web->chain_count + web->bridge_count;
    mry_arena tmp = mry_arena_make(web->mem.ctx);
    mry_web_index *index = MRY_NEW(&web->mem, mry_web_index, 1);
    bool fine = index && (index->spans = MRY_NEW_RAW(&web->mem, mry_path_span, paths));
    for (int i = 0; fine && i < paths; i++) {
        const marey_cell *cells = web->cells + web->paths[i].first;
        int count = web->paths[i].count;
        index->spans[i] = (mry_path_span){ { INT_MAX, INT_MAX }, { -1, -1 } };
        if (count == 0) continue;
        marey_cell first = cells[0], last = cells[count - 1];
        index->spans[i] = (mry_path_span){ { first.row, first.col }, { last.row, last.col } };
    }
    for (int axis = 0; fine && axis < 2; axis++) fine = list_blocks(&web->mem, web, index, axis);
    fine = fine && list_leaving(&web->mem, &tmp, web, index);
    mry_arena_free(&tmp);
    if (!fine) return mry_fail_memory(error, NULL);
    web->index = index;
    return MAREY_OK;
}
