/* index_order.c - pairs of clips in an order in which those next to each other are pairs of few clips: a
   shard is a run of tiles, and reads the clips of its pairs. In the order of a table's rows a run of a
   sixteenth reads seven tenths of all clips, in this one four.

   Clips are halved again and again, so that halves have about as many rows of features each. All pairs
   of clips of a run are those of its first half, then those between its halves, then those of its
   second half. The pairs between two runs are a rectangle, which is halved across its longer side:

       first half   | between: across |   place 0 1 | 3 4
       -------------+ or down, by     |           2 | 5 6
                    | second half     |         ----+----
                                                    | 7 8
                                                    |   9

   So every run of tiles is a few squares, wherever it begins and ends, and the order follows from the
   clips alone. */
#include "index/index_order.h"

static int clips_of(const mry_order_run *run)
{
    return run->end - run->first;
}

/* Pairs of a run's clips, each with itself too. */
static int64_t pairs_within(const mry_order_run *run)
{
    return (int64_t)clips_of(run) * (clips_of(run) + 1) / 2;
}

static int64_t pairs_between(const mry_order_run *a, const mry_order_run *b)
{
    return (int64_t)clips_of(a) * clips_of(b);
}

mry_index_order mry_index_order_make(mry_arena *mem, const int *rows, int count)
{
    mry_index_order order = { .runs = MRY_NEW(mem, mry_order_run, 2 * (int64_t)count + 1) };
    if (!order.runs || count == 0) return order;
    order.runs[0] = (mry_order_run){ .end = count };
    for (int i = 0; i < count; i++) order.runs[0].rows += rows[i];
    for (int at = 0, made = 1; at < made; at++) {
        mry_order_run *run = &order.runs[at];
        if (clips_of(run) < 2) continue;
        /* One clip more in the first half as long as that brings it nearer to half of the rows. */
        int middle = run->first + 1;
        int64_t before = rows[run->first];
        while (middle + 1 < run->end && 2 * before + rows[middle] <= run->rows)
            before += rows[middle++];
        run->halves = made;
        order.runs[made++] = (mry_order_run){ run->first, middle, before, 0 };
        order.runs[made++] = (mry_order_run){ middle, run->end, run->rows - before, 0 };
    }
    return order;
}

int64_t mry_index_order_place(const mry_index_order *order, int i, int j)
{
    const mry_order_run *down = order->runs, *across = down;
    int64_t place = 0;
    /* A triangle, while both clips are in the same run. */
    while (down == across && clips_of(down) > 1) {
        const mry_order_run *half = order->runs + down->halves;
        if (j < half->end) {
            down = across = half;
        } else if (i >= half->end) {
            place += pairs_within(half) + pairs_between(half, half + 1);
            down = across = half + 1;
        } else {
            place += pairs_within(half);
            down = half;
            across = half + 1;
        }
    }
    /* Then a rectangle. */
    while (down != across && pairs_between(down, across) > 1) {
        bool is_down = clips_of(across) == 1 || (clips_of(down) > 1 && down->rows >= across->rows);
        const mry_order_run **side = is_down ? &down : &across;
        const mry_order_run *half = order->runs + (*side)->halves;
        bool second = (is_down ? i : j) >= half->end;
        if (second) place += pairs_between(half, is_down ? across : down);
        *side = half + second;
    }
    return place;
}
