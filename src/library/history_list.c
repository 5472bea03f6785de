/* history_list.c - the steps of a library's history, for those who read it. */
#include "library/library_data.h"

#include "base/fail.h"
#include "base/grow.h"

#include <marey/history.h>

struct marey_history {
    mry_arena mem;
    marey_history_step *steps;
    int count, room;
};

marey_status marey_library_history(marey_library *library, marey_history **out, marey_error *error)
{
    const char *path = mry_store_path(library->store);
    mry_arena mem = mry_arena_make(library->ctx);
    marey_history *all = MRY_NEW(&mem, marey_history, 1);
    if (!all) return mry_fail_memory(error, path);
    all->mem = mem;
    bool fits = true;
    mry_query row = mry_query_start(
        library->store, "SELECT id, time, title, undone, rows FROM history ORDER BY id DESC");
    while (fits && mry_query_next(&row)) {
        marey_history_step one = { .id = mry_column_integer(&row, 0),
                                   .time_s = mry_column_integer(&row, 1),
                                   .title = mry_column_copy(&row, 2, &all->mem),
                                   .undone = mry_column_integer(&row, 3) != 0,
                                   .rows = mry_column_integer(&row, 4) };
        fits = one.title &&
               mry_grow_in(&all->mem, &all->steps, &all->room, all->count + 1, sizeof one);
        if (fits) all->steps[all->count++] = one;
    }
    marey_status status = mry_query_end(&row, error);
    if (!status && !fits) status = mry_fail_memory(error, path);
    if (status) {
        marey_history_free(all);
        return status;
    }
    *out = all;
    return MAREY_OK;
}

const marey_history_step *marey_history_steps(const marey_history *history, int *count)
{
    *count = history->count;
    return history->steps;
}

void marey_history_free(marey_history *history)
{
    if (!history) return;
    mry_arena mem = history->mem; /* it goes with its arena */
    mry_arena_free(&mem);
}
