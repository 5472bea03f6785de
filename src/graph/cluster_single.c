/* cluster_single.c - single link: clusters are the connected parts of the graph of all pairs within the threshold, and the
   largest distance that was needed to join one is the largest edge of its minimum spanning tree. Kruskal 1956.

   Pairs come row by row and are not all kept: the tree of what was seen so far and the next pairs make the next tree, since
   an edge that is in no tree of a part is in none of the whole. A pair inside a part that is already held together by nothing
   longer is never needed. */
#include "base/fail.h"
#include "graph/cluster_near.h"

#include <stdlib.h>
#include <string.h>

typedef struct kruskal {
    int frames;
    int *parent;     /* of each frame: in its part; itself: the part's first frame */
    float *longest;  /* of each part's first frame: its tree's longest edge */
    mry_near *edges; /* the tree's, then those that wait */
    int64_t count, room;
} kruskal;

static int by_value(const void *left, const void *right)
{
    const mry_near *a = left, *b = right;
    if (a->value != b->value) return a->value < b->value ? -1 : 1;
    if (a->a != b->a) return a->a < b->a ? -1 : 1;
    return (a->b > b->b) - (a->b < b->b);
}

static int part_of(kruskal *k, int frame)
{
    while (k->parent[frame] != frame) {
        k->parent[frame] = k->parent[k->parent[frame]];
        frame = k->parent[frame];
    }
    return frame;
}

static void grow_tree(kruskal *k)
{
    int64_t kept = 0;
    if (k->count > 0) qsort(k->edges, (size_t)k->count, sizeof *k->edges, by_value);
    for (int i = 0; i < k->frames; i++) {
        k->parent[i] = i;
        k->longest[i] = 0;
    }
    for (int64_t e = 0; e < k->count; e++) {
        mry_near edge = k->edges[e];
        int a = part_of(k, edge.a), b = part_of(k, edge.b);
        if (a == b) continue;
        int first = a < b ? a : b, other = a < b ? b : a;
        k->parent[other] = first;
        k->longest[first] = edge.value; /* they come in order */
        k->edges[kept++] = edge;
    }
    k->count = kept;
}

static marey_status take_row(void *user, int frame, mry_near_row *row, marey_error *error)
{
    kruskal *k = user;
    (void)error;
    int own = part_of(k, frame);
    for (int i = 0; i < row->count; i++) {
        mry_near_cell cell = row->cells[i];
        if (part_of(k, cell.other) == own && cell.value >= k->longest[own]) continue;
        if (k->count == k->room) {
            grow_tree(k);
            own = part_of(k, frame);
        }
        k->edges[k->count++] = (mry_near){ frame, cell.other, cell.value };
    }
    return MAREY_OK;
}

marey_status mry_cluster_single(const mry_frames *frames, double threshold, int most_waiting,
                                int *label, float *widest, marey_error *error)
{
    mry_arena tmp = mry_arena_make(frames->clusters->ctx);
    kruskal k = { .frames = frames->count,
                  .parent = MRY_NEW_RAW(&tmp, int, frames->count),
                  .longest = widest,
                  .room = (int64_t)frames->count + most_waiting };
    k.edges = MRY_NEW_RAW(&tmp, mry_near, k.room);
    mry_near_search search = { .frames = frames,
                               .threshold = threshold,
                               .reach = threshold,
                               .later = true,
                               .take = take_row,
                               .user = &k };
    marey_status status = k.parent && k.edges ? MAREY_OK : mry_fail_memory(error, NULL);
    if (!status) {
        grow_tree(&k);
        status = mry_near_search_run(&search, error);
    }
    if (!status) grow_tree(&k);
    for (int i = 0; i < frames->count && !status; i++) label[i] = part_of(&k, i);
    mry_arena_free(&tmp);
    return status;
}
