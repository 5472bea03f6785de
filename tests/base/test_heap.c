/* test_heap.c - the heap and the arrays that grow; sorting is the judge. */
#include "support.h"

#include "base/binary_heap.h"
#include "base/grow.h"

#include <stdlib.h>

enum { ITEMS = 500 };

static bool is_smaller(const void *user, const void *a, const void *b)
{
    (void)user;
    return *(const int *)a < *(const int *)b;
}

static void note_place(void *user, const void *item, int place)
{
    ((int *)user)[*(const int *)item] = place;
}

static int compare(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

TEST(a_heap_hands_out_what_was_pushed_in_order)
{
    int items[ITEMS], sorted[ITEMS], first, left = ITEMS;
    unsigned seed = 1;
    mry_heap heap = { .items = items, .size = sizeof *items, .before = is_smaller };
    for (int i = 0; i < ITEMS; i++) {
        seed = seed * 1664525u + 1013904223u;
        sorted[i] = (int)(seed >> 24); /* many are equal */
        mry_heap_push(&heap, &sorted[i]);
    }
    qsort(sorted, ITEMS, sizeof *sorted, compare);
    for (int i = 0; mry_heap_pop(&heap, &first); i++, left--) assert_int_equal(first, sorted[i]);
    assert_int_equal(left, 0);
}

TEST(items_of_a_heap_know_their_place_and_can_be_raised_from_there)
{
    int items[ITEMS], places[ITEMS], first;
    mry_heap heap = { items, 0, sizeof *items, is_smaller, note_place, places };
    for (int i = ITEMS - 1; i >= ITEMS / 2; i--) mry_heap_push(&heap, &i);
    for (int i = 0; i < heap.count; i++) assert_int_equal(places[items[i]], i);
    int last = ITEMS - 1, low = 0; /* the last one becomes 0, the first one is replaced by 1 */
    mry_heap_raise(&heap, places[last], &low);
    assert_int_equal(items[0], 0);
    low = 1;
    mry_heap_sink(&heap, 0, &low);
    for (int i = 0; i < heap.count; i++) assert_int_equal(places[items[i]], i);
    assert_true(mry_heap_pop(&heap, &first));
    assert_int_equal(first, 1);
    assert_true(mry_heap_pop(&heap, &first));
    assert_int_equal(first, ITEMS / 2);
}

TEST_CTX(arrays_grow_and_keep_what_they_hold)
{
    OWNED(mry_arena) mem = mry_arena_make(ctx);
    int *of_context = NULL, *of_arena = NULL, room = 0, arena_room = 0;
    for (int i = 0; i < ITEMS; i++) {
        assert_true(mry_grow(ctx, &of_context, &room, i + 1, sizeof *of_context));
        assert_true(mry_grow_in(&mem, &of_arena, &arena_room, i + 1, sizeof *of_arena));
        of_context[i] = of_arena[i] = i;
    }
    assert_int_equal(room, 512);
    assert_int_equal(arena_room, 512);
    for (int i = 0; i < ITEMS; i++) {
        assert_int_equal(of_context[i], i);
        assert_int_equal(of_arena[i], i);
    }
    assert_false(mry_grow(ctx, &of_context, &room, INT32_MAX, sizeof *of_context));
    assert_false(mry_grow_in(&mem, &of_arena, &arena_room, INT32_MAX, sizeof *of_arena));
    assert_int_equal(of_context[ITEMS - 1], ITEMS - 1);
    mry_release(ctx, of_context, (size_t)room * sizeof *of_context);
}

TEST_GROUP_OF_CASES(test_heap, NULL, NULL)
