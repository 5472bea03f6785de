/* searcher_cuts.c - which clips were cut from clips that are searched too. Their frames are there twice, and what is like
   them would be found twice; so a cut is not searched where its source is, and a query in a cut is one in its source.
   A cut remembers its source by name (cut.c): one that was renamed since, or whose frames cannot be those that were
   cut, is no source any more, and the cut is searched like any clip. */
#include "library/searcher_data.h"

/* A source is older than what was cut from it, so its own source, if it is a cut itself, is known when it is met. */
static const char cuts[] =
    "WITH cut AS (SELECT id, skeleton, frames, fps,"
    "  CASE WHEN json_valid(provenance) THEN provenance END AS said FROM clip"
    "  WHERE removed = 0 AND provenance LIKE '{\"made_by\":\"cut\",%')"
    " SELECT cut.id, source.id, json_extract(said, '$.sources[0].start') AS start"
    " FROM cut JOIN clip AS source ON source.name = json_extract(said, '$.sources[0].clip')"
    " WHERE source.removed = 0 AND source.id < cut.id AND source.skeleton = cut.skeleton"
    " AND source.fps = cut.fps AND start >= 0 AND start + cut.frames <= source.frames"
    " AND start + cut.frames = json_extract(said, '$.sources[0].end') ORDER BY cut.id";

marey_status mry_slots_find_sources(marey_library *library, mry_slot *slots, int count,
                                    marey_error *error)
{
    mry_query rows = mry_query_start(library->store, cuts);
    while (mry_query_next(&rows)) {
        mry_slot *cut = mry_slot_find(slots, count, mry_column_integer(&rows, 0));
        mry_slot *source = mry_slot_find(slots, count, mry_column_integer(&rows, 1));
        if (!cut || !source) continue;
        cut->source_start = (int)mry_column_integer(&rows, 2) + source->source_start;
        cut->source = source->source ? source->source : source;
    }
    return mry_query_end(&rows, error);
}
