/* searcher_memory.c - what the last query found. A threshold that is moved asks for the same query
   once more: all that is nearer than a threshold before is among what was found then, as of matches
   in one place the nearest stays, whatever the threshold. So nothing is searched again (decision 22). */
#include "index/searcher_data.h"

#include "base/fail.h"

#include <string.h>

/* More are searched for anew; so a searcher does not keep more than a few megabytes. */
enum { MOST_REMEMBERED = 20000 };

static bool can_remember(const mry_seek *seek, marey_segment query)
{
    return !seek->spans && !seek->places && seek->example_count == 0 &&
           mry_same_segment(query, seek->query) && query.clip < seek->searcher->slot_count;
}

static bool copy_list(marey_ctx *ctx, const mry_list *from, mry_list *to, size_t size)
{
    if (!mry_list_room(ctx, to, from->count, size)) return false;
    if (from->count > 0) memcpy(to->items, from->items, (size_t)from->count * size);
    to->count = from->count;
    return true;
}

void mry_forget(marey_searcher *searcher)
{
    mry_memory *m = &searcher->memory;
    mry_list_free(searcher->ctx, &m->hits);
    mry_list_free(searcher->ctx, &m->steps);
    mry_list_free(searcher->ctx, &m->allowed);
    *m = (mry_memory){ 0 };
}

marey_status mry_remember(mry_seek *seek, marey_segment query, double known, int compared,
                          marey_error *error)
{
    marey_searcher *s = seek->searcher;
    mry_memory *m = &s->memory;
    m->there = false;
    if (!can_remember(seek, query) || seek->hits.count > MOST_REMEMBERED) return MAREY_OK;
    mry_list allowed = { .items = seek->allowed, .count = s->slot_count };
    if (!copy_list(s->ctx, &seek->hits, &m->hits, sizeof(mry_hit)) ||
        !copy_list(s->ctx, &seek->steps, &m->steps, 1) ||
        !copy_list(s->ctx, &allowed, &m->allowed, 1))
        return mry_fail_memory(error, NULL);
    m->there = true;
    m->query = query;
    m->mirror = seek->def->mirror;
    m->same = seek->same;
    m->known = known;
    m->compared = compared;
    m->poses = seek->poses;
    m->poses_left = seek->poses_left;
    return MAREY_OK;
}

marey_status mry_recall(mry_seek *seek, marey_segment query, double cutoff, int *compared,
                        bool *recalled, marey_error *error)
{
    marey_searcher *s = seek->searcher;
    const mry_memory *m = &s->memory;
    *recalled = m->there && can_remember(seek, query) && mry_same_segment(m->query, query) &&
                m->mirror == seek->def->mirror && m->same == seek->same && cutoff <= m->known &&
                memcmp(m->allowed.items, seek->allowed, (size_t)s->slot_count) == 0;
    if (!*recalled) return MAREY_OK;
    if (!copy_list(s->ctx, &m->hits, &seek->hits, sizeof(mry_hit)) ||
        !copy_list(s->ctx, &m->steps, &seek->steps, 1))
        return mry_fail_memory(error, NULL);
    mry_hit *hits = seek->hits.items;
    int kept = 0;
    for (int i = 0; i < seek->hits.count; i++)
        if ((float)hits[i].mean <= (float)cutoff) hits[kept++] = hits[i];
    seek->hits.count = kept;
    seek->poses = m->poses;
    seek->poses_left = m->poses_left;
    *compared = m->compared;
    return MAREY_OK;
}
