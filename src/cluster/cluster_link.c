/* cluster_link.c - complete link: of all pairs of clusters the nearest two are joined, again and
   again.

   How far two clusters are is the largest distance of their frames, so what is near both of two
   that are joined is what is near each of them, at the larger of the distances: lists only get
   shorter. Two clusters that are each other's nearest can be joined at any time with the same
   outcome as in the order of distances, since joining them brings nothing nearer to anything
   (Bruynooghe 1977; a total order of pairs - distance, then first frames - makes that hold for ties
   too). So a chain of nearest neighbours is followed until two point at each other (Murtagh 1983),
   and no heap is needed.

   Lists name clusters as they were when the list was last cleaned. Joined clusters get numbers of
   their own, in the order of joins, so that the parts a cluster had then can be counted: it is near
   if all of them were. */
#include "base/fail.h"
#include "cluster/cluster_near.h"

#include <stdlib.h>
#include <string.h>

/* ---- what is near each cluster -------------------------------------------------------------- */

/* Of each cluster what is near it with all of its frames, in bounded memory.

   The row of a frame lists the clusters that are wholly within reach of it; what is near a cluster
   is in the rows of all its frames, with the largest of their values. Where all lists together get
   too long, the reach is lowered to where half of them fit: joins below that reach need nothing
   beyond it, and afterwards there are fewer clusters. */

/* Of cells of lists at 8 bytes: 200 MB. More would not be faster, as every cell of a frame's list
   is measured. */
#define MOST_CELLS ((int64_t)24 << 20)
#define LEAST_CELLS ((int64_t)1 << 16)

enum { BINS = 1 << 16, SAMPLE = 1 << 13 };

/* Of the memory that is there, as samples are not exact. */
#define FILL 0.75

typedef struct listing {
    mry_near_search search;
    mry_near_lists *lists;
    int64_t most_cells;
    int *seen; /* frames of each cluster whose rows are in its list */
} listing;

int64_t mry_near_most_cells(const marey_ctx *ctx)
{
    size_t limit = ctx->def.byte_limit, held = ctx->bytes;
    if (limit == 0) return MOST_CELLS;
    int64_t fit = limit > held ? (int64_t)((limit - held) / 2 / sizeof(mry_near_cell)) : 0;
    return fit < LEAST_CELLS ? LEAST_CELLS : fit < MOST_CELLS ? fit : MOST_CELLS;
}

/* Gives back what is not used. */
static bool row_trim(marey_ctx *ctx, mry_near_row *row, int count)
{
    size_t size = sizeof *row->cells;
    row->count = count;
    if (count == row->room) return true;
    if (count == 0) {
        mry_release(ctx, row->cells, (size_t)row->room * size);
        *row = (mry_near_row){ 0 };
        return true;
    }
    mry_near_cell *less =
        mry_resize(ctx, row->cells, (size_t)row->room * size, (size_t)count * size);
    if (!less) return false;
    row->cells = less;
    row->room = count;
    return true;
}

void mry_near_lists_free(mry_near_lists *lists)
{
    for (int i = 0; lists->rows && i < lists->count; i++) row_trim(lists->ctx, &lists->rows[i], 0);
    if (lists->rows)
        mry_release(lists->ctx, lists->rows, (size_t)lists->count * sizeof *lists->rows);
    *lists = (mry_near_lists){ 0 };
}

/* The upper half of the bits of values at which the count gets beyond `fit`, or the lower half of
   those with this upper half; *below is how many come before. */
static uint32_t find_half(const mry_near_lists *lists, int64_t *bins, bool lower, uint32_t upper,
                          int64_t fit, int64_t *below)
{
    memset(bins, 0, BINS * sizeof *bins);
    for (int i = 0; i < lists->count; i++) {
        for (int k = 0; k < lists->rows[i].count; k++) {
            uint32_t bits; /* of values that are not negative: in their order */
            memcpy(&bits, &lists->rows[i].cells[k].value, sizeof bits);
            if (!lower)
                bins[bits >> 16]++;
            else if (bits >> 16 == upper)
                bins[bits & 0xffff]++;
        }
    }
    uint32_t at = 0;
    while (at < BINS - 1 && *below + bins[at] <= fit) *below += bins[at++];
    return at;
}

/* The largest reach within which no more than `fit` cells are; negative: no such reach. */
static marey_status find_reach(const listing *l, int64_t fit, double *reach, marey_error *error)
{
    mry_arena tmp = mry_arena_make(l->lists->ctx);
    int64_t *bins = MRY_NEW_RAW(&tmp, int64_t, BINS), below = 0;
    if (!bins) return mry_fail_memory(error, NULL);
    uint32_t upper = find_half(l->lists, bins, false, 0, fit, &below);
    uint32_t lower = find_half(l->lists, bins, true, upper, fit, &below);
    uint32_t first_out = upper << 16 | lower, last_in = first_out - 1;
    float value;
    memcpy(&value, &last_in, sizeof value);
    mry_arena_free(&tmp);
    *reach = below > 0 && first_out > 0 ? (double)value : -1;
    return MAREY_OK;
}

static marey_status take_row(void *user, int frame, mry_near_row *row, marey_error *error)
{
    listing *l = user;
    mry_near_lists *lists = l->lists;
    marey_ctx *ctx = lists->ctx;
    int cluster = l->search.cluster[frame];
    mry_near_row *list = &lists->rows[cluster];
    int before = list->count;
    /* Values beyond the reach of now may be in rows that were found before it was lowered. */
    int kept = 0;
    for (int i = 0; i < row->count; i++) {
        if (row->cells[i].value <= l->search.reach) row->cells[kept++] = row->cells[i];
    }
    row->count = kept;
    if (l->seen[cluster]++ == 0) {
        if (row->count == 0) return MAREY_OK;
        list->cells = mry_alloc(ctx, (size_t)row->count * sizeof *list->cells);
        if (!list->cells) return mry_fail_memory(error, NULL);
        memcpy(list->cells, row->cells, (size_t)row->count * sizeof *list->cells);
        list->count = list->room = row->count;
    } else {
        /* What is in both, at the larger value. */
        kept = 0;
        for (int i = 0, k = 0; i < list->count && k < row->count;) {
            mry_near_cell one = list->cells[i], other = row->cells[k];
            if (one.other == other.other) {
                if (other.value > one.value) one.value = other.value;
                list->cells[kept++] = one;
            }
            i += one.other <= other.other;
            k += one.other >= other.other;
        }
        if (!row_trim(ctx, list, kept)) return mry_fail_memory(error, NULL);
    }
    lists->cells += list->count - before;
    if (lists->cells <= l->most_cells) return MAREY_OK;
    /* Too many: the reach is lowered, and lists lose what is beyond it. */
    double reach;
    marey_status status = find_reach(l, l->most_cells / 2, &reach, error);
    if (!status && reach < 0) status = find_reach(l, l->most_cells, &reach, error);
    if (status) return status;
    if (reach < 0) {
        return mry_fail(error, MAREY_ERR_LIMIT, NULL,
                        "more than %lld pairs of frames are all equally near each other: that is "
                        "more than fits into memory; take fewer clips, or a lower rate",
                        (long long)(l->most_cells / 2));
    }
    l->search.reach = reach;
    lists->cells = 0;
    for (int i = 0; i < lists->count; i++) {
        list = &lists->rows[i];
        kept = 0;
        for (int k = 0; k < list->count; k++) {
            if (list->cells[k].value <= reach) list->cells[kept++] = list->cells[k];
        }
        if (!row_trim(ctx, list, kept)) return mry_fail_memory(error, NULL);
        lists->cells += kept;
    }
    return MAREY_OK;
}

/* From a sample of pairs, by a generator of random numbers that always says the same. */
bool mry_near_first_reach(const mry_frames *frames, mry_arena *tmp, double threshold,
                          int64_t most_cells, double *reach)
{
    double all = (double)frames->count * frames->count;
    uint64_t random = 1;
    *reach = threshold;
    if (!frames->clouds.clouds) return true;
    float *sample = MRY_NEW_RAW(tmp, float, SAMPLE);
    if (!sample) return false;
    for (int i = 0; i < SAMPLE; i++) {
        int pair[2];
        for (int k = 0; k < 2; k++) {
            random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            pair[k] = (int)((random >> 33) % (uint64_t)frames->count);
        }
        sample[i] = mry_cloud_distance(&frames->clouds, pair[0], pair[1]);
    }
    qsort(sample, SAMPLE, sizeof *sample, mry_by_size);
    double fit = FILL * (double)most_cells / all * SAMPLE;
    if (fit < SAMPLE && (double)sample[(int)fit] < threshold) *reach = (double)sample[(int)fit];
    return true;
}

marey_status mry_near_lists_find(const mry_frames *frames, const int *cluster, const int *size,
                                 int count, double threshold, int64_t most_cells,
                                 const marey_tiles *tiles, mry_near_lists *out, double *reach,
                                 marey_error *error)
{
    marey_ctx *ctx = frames->clusters->ctx;
    mry_arena tmp = mry_arena_make(ctx);
    mry_near_lists lists = { .ctx = ctx, .count = count };
    listing l = { .search = { .frames = frames,
                              .threshold = threshold,
                              .reach = *reach,
                              .cluster = cluster,
                              .size = size,
                              .cluster_count = count,
                              .take = take_row,
                              .user = &l,
                              .tiles = tiles },
                  .lists = &lists,
                  .most_cells = most_cells,
                  .seen = MRY_NEW(&tmp, int, count) };
    lists.rows = mry_alloc(ctx, (size_t)count * sizeof *lists.rows);
    if (lists.rows) memset(lists.rows, 0, (size_t)count * sizeof *lists.rows);
    marey_status status = lists.rows && l.seen ? MAREY_OK : mry_fail_memory(error, NULL);
    if (!status) status = mry_near_search_run(&l.search, error);
    bool symmetric = frames->clouds.clouds != NULL; /* to the last bit */
    /* Both of a pair must say the same; where a metric's cells are not quite symmetric, the larger
       value counts. */
    for (int i = 0; !symmetric && !status && i < count; i++) {
        mry_near_row *row = &lists.rows[i];
        int kept = 0;
        for (int k = 0; k < row->count; k++) {
            mry_near_cell one = row->cells[k];
            const mry_near_row *others = &lists.rows[one.other];
            int low = 0, high = others->count;
            while (low < high) {
                int middle = low + (high - low) / 2;
                if (others->cells[middle].other < i)
                    low = middle + 1;
                else
                    high = middle;
            }
            if (low == others->count || others->cells[low].other != i) continue;
            mry_near_cell *back = &others->cells[low];
            if (back->value > one.value) one.value = back->value;
            back->value = one.value;
            row->cells[kept++] = one;
        }
        lists.cells += kept - row->count;
        if (!row_trim(ctx, row, kept)) status = mry_fail_memory(error, NULL);
    }

    mry_arena_free(&tmp);
    if (status) {
        mry_near_lists_free(&lists);
        return status;
    }
    *out = lists;
    *reach = l.search.reach;
    return MAREY_OK;
}

/* ---- complete link -------------------------------------------------------------------------- */

enum { REPORT_EVERY = 1024 };

typedef struct linker {
    mry_near_lists *lists;
    int leaves, nodes; /* nodes: so far */
    int *parent;       /* of each node; itself: none. Paths are shortened */
    int *left, *right; /* of each node, less the leaves */
    int *first;        /* leaf of each node */
    int *list;         /* of each node: its row of the lists; -1: it was joined */
    int *cleaned;      /* of each row: how many nodes there were */
    float *value;      /* of each node, less the leaves: at which it was joined */
    /* Of each node, 0 between uses. */
    int *met;
    float *largest;
    int *touched, *stack; /* room for every node */
    int *chain;
    int chain_count;
} linker;

static int root_of(linker *l, int node)
{
    while (l->parent[node] != node) {
        l->parent[node] = l->parent[l->parent[node]];
        node = l->parent[node];
    }
    return node;
}

/* Did the node consist of so many, and no more, when there were `node_count` nodes? */
static bool had_parts(linker *l, int node, int node_count, int parts)
{
    int depth = 0;
    l->stack[depth++] = node;
    while (depth > 0) {
        int at = l->stack[--depth];
        if (at >= node_count) {
            l->stack[depth++] = l->left[at - l->leaves];
            l->stack[depth++] = l->right[at - l->leaves];
            if (depth > parts) return false;
        } else if (--parts < 0) {
            return false;
        }
    }
    return parts == 0;
}

/* Names clusters as they are now, and leaves out those of which not all parts are near. */
static void clean(linker *l, int node)
{
    int row_number = l->list[node], then = l->cleaned[row_number], touched = 0, kept = 0;
    mry_near_row *row = &l->lists->rows[row_number];
    if (then == l->nodes) return;
    for (int i = 0; i < row->count; i++) {
        mry_near_cell cell = row->cells[i];
        int root = root_of(l, cell.other);
        if (root == cell.other) {
            row->cells[kept++] = cell;
            continue;
        }
        if (!l->met[root]++) {
            l->touched[touched++] = root;
            l->largest[root] = cell.value;
        } else if (cell.value > l->largest[root]) {
            l->largest[root] = cell.value;
        }
    }
    for (int i = 0; i < touched; i++) {
        int root = l->touched[i];
        if (had_parts(l, root, then, l->met[root]))
            row->cells[kept++] = (mry_near_cell){ root, l->largest[root] };
        l->met[root] = 0;
    }
    row->count = kept;
    l->cleaned[row_number] = l->nodes;
}

/* False: the chain's last has nothing near. Then it is the chain's only one. */
static bool step(linker *l)
{
    int last = l->chain[l->chain_count - 1];
    float value = 0;
    /* Of those equally near the one with the earliest first frame; -1: nothing is near. */
    clean(l, last);
    const mry_near_row *list = &l->lists->rows[l->list[last]];
    int to = -1;
    for (int i = 0; i < list->count; i++) {
        mry_near_cell cell = list->cells[i];
        bool nearer = to < 0 || cell.value < value ||
                      (cell.value == value && l->first[cell.other] < l->first[to]);
        if (!nearer) continue;
        to = cell.other;
        value = cell.value;
    }
    if (to < 0) return false;
    if (l->chain_count > 1 && l->chain[l->chain_count - 2] == to) {
        l->chain_count -= 2;
        /* Two that are each other's nearest are joined. */
        clean(l, to);
        /* What is in both lists goes into the shorter one. */
        mry_near_row *one = &l->lists->rows[l->list[last]], *other = &l->lists->rows[l->list[to]];
        bool swap = other->room < one->room;
        mry_near_row *both = swap ? other : one, *gone = swap ? one : other;
        int node = l->nodes, row = l->list[swap ? to : last], kept = 0;
        for (int i = 0; i < gone->count; i++) {
            l->met[gone->cells[i].other] = 1;
            l->largest[gone->cells[i].other] = gone->cells[i].value;
        }
        for (int i = 0; i < both->count; i++) {
            mry_near_cell cell = both->cells[i];
            if (!l->met[cell.other]) continue;
            if (l->largest[cell.other] > cell.value) cell.value = l->largest[cell.other];
            both->cells[kept++] = cell;
        }
        for (int i = 0; i < gone->count; i++) l->met[gone->cells[i].other] = 0;
        both->count = kept;
        row_trim(l->lists->ctx, gone, 0);
        l->left[node - l->leaves] = last;
        l->right[node - l->leaves] = to;
        l->value[node - l->leaves] = value;
        l->first[node] = l->first[last] < l->first[to] ? l->first[last] : l->first[to];
        l->parent[last] = l->parent[to] = l->parent[node] = node;
        l->list[node] = row;
        l->list[last] = l->list[to] = -1;
        l->nodes++;
        l->cleaned[row] = l->nodes;
    } else {
        l->chain[l->chain_count++] = to;
    }
    return true;
}

marey_status mry_link_complete(mry_near_lists *lists, int *label, float *widest, marey_error *error)
{
    marey_ctx *ctx = lists->ctx;
    mry_arena tmp = mry_arena_make(ctx);
    size_t leaves = (size_t)lists->count, all = 2 * leaves;
    linker l = { .lists = lists,
                 .leaves = lists->count,
                 .nodes = lists->count,
                 .parent = MRY_NEW_RAW(&tmp, int, all),
                 .left = MRY_NEW_RAW(&tmp, int, leaves),
                 .right = MRY_NEW_RAW(&tmp, int, leaves),
                 .first = MRY_NEW_RAW(&tmp, int, all),
                 .list = MRY_NEW_RAW(&tmp, int, all),
                 .cleaned = MRY_NEW_RAW(&tmp, int, leaves),
                 .value = MRY_NEW_RAW(&tmp, float, leaves),
                 .met = MRY_NEW(&tmp, int, all),
                 .largest = MRY_NEW_RAW(&tmp, float, all),
                 .touched = MRY_NEW_RAW(&tmp, int, all),
                 .stack = MRY_NEW_RAW(&tmp, int, all),
                 .chain = MRY_NEW_RAW(&tmp, int, all) };
    bool room = l.parent && l.left && l.right && l.first && l.list && l.cleaned && l.value &&
                l.met && l.largest && l.touched && l.stack && l.chain;
    marey_status status = room ? MAREY_OK : mry_fail_memory(error, NULL);
    for (int i = 0; i < l.leaves && !status; i++) {
        l.parent[i] = l.first[i] = l.list[i] = i;
        l.cleaned[i] = l.leaves;
    }
    for (int start = 0; start < l.leaves && !status; start++) {
        if (start % REPORT_EVERY == 0 && !mry_progress(ctx, "joining frames", start, l.leaves)) {
            status = mry_fail_cancelled(error);
            break;
        }
        do {
            l.chain_count = 1;
            l.chain[0] = root_of(&l, start);
            while (l.chain_count > 0 && step(&l)) {
            }
        } while (l.chain_count == 0);
        row_trim(ctx, &lists->rows[l.list[l.chain[0]]], 0);
    }
    /* What each is joined with. */
    for (int i = 0; i < l.leaves && !status; i++) {
        int root = root_of(&l, i), first = l.first[root];
        label[i] = first;
        float value = root >= l.leaves ? l.value[root - l.leaves] : 0;
        if (value > widest[first]) widest[first] = value;
    }
    mry_arena_free(&tmp);
    return status;
}

marey_status mry_cluster_complete(const mry_frames *frames, double threshold, int64_t most_cells,
                                  int *label, float *widest, marey_error *error)
{
    mry_arena tmp = mry_arena_make(frames->clusters->ctx);
    int *cluster = MRY_NEW_RAW(&tmp, int, frames->count);
    int *size = MRY_NEW_RAW(&tmp, int, frames->count);
    int *first = MRY_NEW_RAW(&tmp, int, frames->count);
    int *joined = MRY_NEW_RAW(&tmp, int, frames->count);
    float *wide = MRY_NEW_RAW(&tmp, float, frames->count);
    const marey_tiles *tiles = frames->clusters->def.tiles;
    /* Every machine must look as far as the others, however much memory it has. */
    int64_t meant = tiles ? MOST_CELLS : most_cells;
    double reach;
    bool room = cluster && size && first && joined && wide &&
                mry_near_first_reach(frames, &tmp, threshold, meant, &reach);
    marey_status status = room ? MAREY_OK : mry_fail_memory(error, NULL);
    for (int i = 0; i < frames->count; i++) {
        label[i] = i;
        widest[i] = 0;
    }
    for (bool done = false; !status && !done;) {
        /* Clusters by the order of their first frames, from the first frame of each frame's. */
        int count = 0;
        for (int i = 0; i < frames->count; i++) {
            if (label[i] == i) {
                first[count] = i;
                size[count] = 0;
                cluster[i] = count++;
            } else {
                cluster[i] = cluster[label[i]];
            }
            size[cluster[i]]++;
        }
        for (int i = 0; i < count; i++) wide[i] = widest[first[i]];
        /* Within reach, or what of it fits: then it is lowered. */
        mry_near_lists lists = { 0 };
        status = mry_near_lists_find(frames, cluster, size, count, threshold, most_cells, tiles,
                                     &lists, &reach, error);
        if (marey_tiles_made(tiles)) {
            mry_near_lists_free(&lists);
            break;
        }
        tiles = NULL;
        if (!status) status = mry_link_complete(&lists, joined, wide, error);
        mry_near_lists_free(&lists);
        if (status) break;
        for (int i = 0; i < count; i++) widest[first[i]] = wide[i];
        for (int i = 0; i < frames->count; i++) label[i] = first[joined[cluster[i]]];
        done = reach >= threshold;
        reach = threshold;
    }
    mry_arena_free(&tmp);
    return status;
}
