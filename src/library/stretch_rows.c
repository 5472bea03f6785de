/* stretch_rows.c - labels of some frames of a clip. What one label covers is kept as few rows as
   possible: stretches of it that overlap or touch are one. */
#include "library/library_data.h"

#include "base/fail.h"
#include "base/grow.h"

static marey_status insert(marey_library *library, int64_t clip, const char *label, int64_t start,
                           int64_t end, marey_error *error)
{
    return mry_store_run_with(library->store, error, NULL,
                              "INSERT INTO stretch(clip, label, start, stop) VALUES(?, ?, ?, ?)",
                              mry_integer(clip), mry_text(label), mry_integer(start),
                              mry_integer(end));
}

/* All that overlaps or touches the frames goes, and comes back as one row with them, or as what is
   left on either side. */
marey_status mry_label_frames(marey_library *library, int64_t clip, int start, int end,
                              const char *label, bool on, marey_error *error)
{
    int64_t frames = 0, first = start, last = end;
    marey_status status = mry_store_run_with(
        library->store, error, &frames, "SELECT frames FROM clip WHERE id = ?", mry_integer(clip));
    if (status) return status;
    if (start < 0 || start >= end || end > frames) {
        return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                        "frames %d-%d are outside the clip, which has %d", start, end, (int)frames);
    }
    mry_query row =
        mry_query_with(library->store,
                       "SELECT coalesce(min(start), ?3), coalesce(max(stop), ?4) FROM"
                       " stretch WHERE clip = ?1 AND label = ?2 AND start <= ?4 AND"
                       " stop >= ?3",
                       mry_integer(clip), mry_text(label), mry_integer(start), mry_integer(end));
    if (mry_query_next(&row)) {
        first = mry_column_integer(&row, 0);
        last = mry_column_integer(&row, 1);
    }
    status = mry_query_end(&row, error);
    if (!status) {
        status = mry_store_run_with(library->store, error, NULL,
                                    "DELETE FROM stretch WHERE clip = ?1 AND label = ?2 AND"
                                    " start <= ?4 AND stop >= ?3",
                                    mry_integer(clip), mry_text(label), mry_integer(start),
                                    mry_integer(end));
    }
    if (!status && on)
        return insert(library, clip, label, first < start ? first : start, last > end ? last : end,
                      error);
    if (!status && first < start) status = insert(library, clip, label, first, start, error);
    if (!status && last > end) status = insert(library, clip, label, end, last, error);
    return status;
}

marey_status mry_read_stretches(marey_library *library, int64_t clip, int start, int end,
                                mry_arena *mem, marey_stretch **out, int *count, marey_error *error)
{
    marey_stretch *items = NULL;
    int found = 0, room = 0;
    bool fits = true;
    mry_query row =
        mry_query_with(library->store,
                       "SELECT label, max(stretch.start, ?2) AS first, min(stop, ?3) FROM stretch"
                       " JOIN clip ON clip.id = clip WHERE clip = ?1 AND stretch.start >= 0 AND"
                       " stretch.start < stop AND stop <= frames AND stretch.start < ?3 AND"
                       " stop > ?2 ORDER BY first, label",
                       mry_integer(clip), mry_integer(start), mry_integer(end));
    while (fits && mry_query_next(&row)) {
        fits = mry_grow_in(mem, &items, &room, found + 1, sizeof *items);
        if (!fits) break;
        items[found] = (marey_stretch){ .label = mry_column_copy(&row, 0, mem),
                                        .start = (int)mry_column_integer(&row, 1) - start,
                                        .end = (int)mry_column_integer(&row, 2) - start };
        fits = items[found++].label != NULL;
    }
    marey_status status = mry_query_end(&row, error);
    if (!status && !fits) status = mry_fail_memory(error, mry_store_path(library->store));
    if (status) return status;
    *out = items;
    *count = found;
    return MAREY_OK;
}

marey_status mry_check_stretches(marey_library *library, int64_t clip, marey_error *error)
{
    int64_t wrong = 0;
    marey_status status = mry_store_run_with(
        library->store, error, &wrong,
        "SELECT count(*) FROM stretch AS one JOIN clip ON clip.id = clip WHERE clip = ? AND"
        " (start < 0 OR start >= stop OR stop > frames OR EXISTS (SELECT 1 FROM stretch AS next"
        " WHERE next.clip = one.clip AND next.label = one.label AND next.start > one.start AND"
        " next.start <= one.stop))",
        mry_integer(clip));
    if (status || wrong == 0) return status;
    return mry_fail(error, MAREY_ERR_INPUT, mry_store_path(library->store),
                    "a label of some frames is damaged");
}
