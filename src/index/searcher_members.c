/* searcher_members.c - the libraries of a searcher, and which clips they have: one library behind the
   other, in each by number. Looked at again when one of them has changed. */
#include "index/searcher_data.h"

#include "base/fail.h"

#include <stdlib.h>
#include <string.h>

static int compare_slots(const void *key, const void *slot)
{
    int64_t id = *(const int64_t *)key, other = ((const mry_slot *)slot)->clip.id;
    return (id > other) - (id < other);
}

static mry_slot *find_slot(mry_slot *slots, const mry_member *member, int64_t id)
{
    size_t count = (size_t)member->count;
    return count ? bsearch(&id, slots + member->first, count, sizeof *slots, compare_slots) : NULL;
}

mry_slot *mry_slot_find(const marey_searcher *s, int member, int64_t clip)
{
    return find_slot(s->slots, &s->members[member], clip);
}

const char *mry_searcher_path(const marey_searcher *s)
{
    return mry_store_path(s->members[0].library->store);
}

/* A source is older than what was cut from it, so its own source, if it is a cut itself, is known
   when it is met. */
static const char cuts[] =
    "WITH cut AS (SELECT id, skeleton, frames, fps, layer_sum,"
    "  CASE WHEN json_valid(provenance) THEN provenance END AS said FROM clip"
    "  WHERE removed = 0 AND provenance LIKE '{\"made_by\":\"cut\",%')"
    " SELECT cut.id, source.id, json_extract(said, '$.sources[0].start') AS start"
    " FROM cut JOIN clip AS source ON source.name = json_extract(said, '$.sources[0].clip')"
    " WHERE source.removed = 0 AND source.id < cut.id AND source.skeleton = cut.skeleton"
    " AND source.fps = cut.fps AND start >= 0 AND start + cut.frames <= source.frames"
    " AND cut.layer_sum = 0"
    " AND source.layer_sum = coalesce(json_extract(said, '$.sources[0].layer_sum'), 0)"
    " AND start + cut.frames = json_extract(said, '$.sources[0].end') ORDER BY cut.id";

/* What is found out about the clips of all members, until it takes the place of what there was. */
typedef struct looking {
    marey_searcher *searcher;
    mry_arena mem;
    mry_index_settings settings;
    mry_member *members;
    mry_slot *slots;
    int count;
    bool changed; /* a clip has other repairs than before */
} looking;

/* Webs of one library are compared with those of another only if all were made alike. */
static marey_status read_settings(looking *l, int m, marey_error *error)
{
    marey_library *library = l->members[m].library;
    const char *path = mry_store_path(library->store);
    mry_index_settings settings = { .about = "" };
    bool exists = false;
    marey_status status = mry_index_settings_read(library, &l->mem, &settings, &exists, error);
    if (status) return status;
    if (!exists)
        return mry_fail(error, MAREY_ERR_INPUT, path,
                        "no match web yet; run marey index --web %.300s", path);
    if (m > 0 && strcmp(settings.about, l->settings.about) != 0)
        return mry_fail(error, MAREY_ERR_REQUEST, path,
                        "its match webs have other settings than those of %.300s, so distances "
                        "differ; marey index --web with the same options makes them alike, but "
                        "for metrics that are normalised by the data of each library",
                        mry_searcher_path(l->searcher));
    if (m == 0) l->settings = settings;
    return MAREY_OK;
}

/* What was found out about clips of a member that are still there. */
static bool keep_marks(looking *l, int m)
{
    const marey_searcher *s = l->searcher;
    const mry_member *old = &s->members[m];
    for (int i = l->members[m].first, k = old->first; i < l->count; i++) {
        mry_slot *slot = &l->slots[i];
        while (k < old->first + old->count && s->slots[k].clip.id < slot->clip.id) k++;
        const mry_slot *before = k < old->first + old->count ? &s->slots[k] : NULL;
        if (!before || before->clip.id != slot->clip.id) continue;
        l->changed |= before->clip.layer_sum != slot->clip.layer_sum;
        if (before->clip.layer_sum != slot->clip.layer_sum || before->mark_count < 0) continue;
        slot->marks = MRY_NEW(&l->mem, marey_mark, before->mark_count + 1);
        if (!slot->marks) return false;
        memcpy(slot->marks, before->marks, (size_t)before->mark_count * sizeof *slot->marks);
        slot->mark_count = before->mark_count;
    }
    return true;
}

/* Which clips of a member were cut from clips of it that are searched too. Their frames are there
   twice, and what is like them would be found twice; so a cut is not searched where its source is,
   and a query in a cut is one in its source. A cut remembers its source by name (cut.c): one that was
   renamed since, or whose frames are not those that were cut, is no source any more, and the cut is
   searched like any clip; so is one that was repaired otherwise. */
static marey_status find_sources(looking *l, int m, marey_error *error)
{
    const mry_member *member = &l->members[m];
    mry_query rows = mry_query_start(member->library->store, cuts);
    while (mry_query_next(&rows)) {
        mry_slot *cut = find_slot(l->slots, member, mry_column_integer(&rows, 0));
        mry_slot *source = find_slot(l->slots, member, mry_column_integer(&rows, 1));
        if (!cut || !source) continue;
        cut->source_start = (int)mry_column_integer(&rows, 2) + source->source_start;
        cut->source = source->source ? source->source : source;
    }
    return mry_query_end(&rows, error);
}

static marey_status read_members(looking *l, bool web, marey_error *error)
{
    marey_searcher *s = l->searcher;
    int members = s->member_count, total = 0;
    mry_index_clip **clips = MRY_NEW(&l->mem, mry_index_clip *, members);
    l->members = MRY_NEW(&l->mem, mry_member, members);
    if (!clips || !l->members) return mry_fail_memory(error, mry_searcher_path(s));
    for (int m = 0; m < members; m++) {
        mry_member *member = &l->members[m];
        *member = (mry_member){ .library = s->members[m].library, .first = total };
        marey_status status = marey_library_version(member->library, &member->version, error);
        if (!status && web) status = read_settings(l, m, error);
        if (!status)
            status = mry_index_clips_read(member->library, web ? &l->settings : NULL, &l->mem,
                                          &clips[m], &member->count, error);
        if (status) return status;
        total += member->count;
    }
    l->slots = MRY_NEW(&l->mem, mry_slot, total + 1);
    if (!l->slots) return mry_fail_memory(error, mry_searcher_path(s));
    for (int m = 0; m < members; m++) {
        for (int i = 0; i < l->members[m].count; i++)
            l->slots[l->count++] = (mry_slot){ .clip = clips[m][i], .member = m, .mark_count = -1 };
        if (!keep_marks(l, m)) return mry_fail_memory(error, mry_searcher_path(s));
        marey_status status = find_sources(l, m, error);
        if (status) return status;
    }
    return MAREY_OK;
}

/* The webs stay held if they were made with the same settings. On failure all is as it was, or made
   anew by the next search. */
static marey_status renew(marey_searcher *s, const marey_find_def *def, marey_error *error)
{
    bool web = def->web, own = def->metric != NULL;
    looking l = { .searcher = s,
                  .mem = mry_arena_make(s->ctx),
                  .settings = { .fps = MRY_POSE_FPS, .about = "" } };
    marey_status status = read_members(&l, web, error);
    if (status) {
        mry_arena_free(&l.mem);
        return status;
    }
    if (s->known && web && !l.changed && strcmp(l.settings.about, s->settings.about) == 0) {
        mry_held_forget_missing(&s->held);
    } else {
        mry_held_free(&s->held);
    }
    memcpy(s->members, l.members, (size_t)s->member_count * sizeof *s->members);
    mry_arena_free(&s->mem);
    s->mem = l.mem;
    s->settings = l.settings;
    s->slots = l.slots;
    s->slot_count = l.count;
    s->by_web = web;
    s->by_own = own;
    s->own_size = def->own_size;
    s->known = false;
    mry_forget(s);
    mry_shelves_free(&s->shelves);
    if (!web && !own) status = mry_shelves_fill(s, error);
    s->known = !status;
    return status;
}

marey_status mry_searcher_look(marey_searcher *s, const marey_find_def *def, marey_error *error)
{
    bool web = def->web, own = def->metric != NULL; /* which has no use for shelves */
    bool same = s->known && web == s->by_web &&
                (web || own || (!s->by_own && def->own_size == s->own_size));
    for (int m = 0; m < s->member_count; m++) {
        int64_t version = 0;
        marey_status status = marey_library_version(s->members[m].library, &version, error);
        if (status) return status;
        same &= version == s->members[m].version;
    }
    return same ? MAREY_OK : renew(s, def, error);
}

marey_status mry_searcher_snapshot(marey_searcher *s, marey_error *error)
{
    for (int m = 0; m < s->member_count; m++) {
        marey_status status = mry_store_snapshot(s->members[m].library->store, error);
        if (!status) continue;
        while (m-- > 0) mry_store_rollback(s->members[m].library->store);
        return status;
    }
    return MAREY_OK;
}

void mry_searcher_rollback(marey_searcher *s)
{
    for (int m = 0; m < s->member_count; m++) mry_store_rollback(s->members[m].library->store);
}

/* ---- opening --------------------------------------------------------------------------------- */

marey_status marey_searcher_open_all(marey_library *const *libraries, int count,
                                     marey_searcher **out, marey_error *error)
{
    if (count < 1 || count > MAREY_MOST_LIBRARIES)
        return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                        "1 to %d libraries can be searched as one, got %d", MAREY_MOST_LIBRARIES,
                        count);
    marey_ctx *ctx = libraries[0]->ctx;
    for (int m = 0; m < count; m++) {
        const char *path = mry_store_path(libraries[m]->store);
        if (libraries[m]->ctx != ctx)
            return mry_fail(error, MAREY_ERR_REQUEST, path,
                            "libraries that are searched as one must have one context");
        for (int k = 0; k < m; k++) {
            if (libraries[k] == libraries[m])
                return mry_fail(error, MAREY_ERR_REQUEST, path, "the library is given twice");
        }
    }
    marey_searcher *s = mry_alloc(ctx, sizeof *s);
    mry_member *members = s ? mry_alloc(ctx, (size_t)count * sizeof *members) : NULL;
    if (!members) {
        mry_release(ctx, s, sizeof *s);
        return mry_fail_memory(error, mry_store_path(libraries[0]->store));
    }
    for (int m = 0; m < count; m++) members[m] = (mry_member){ .library = libraries[m] };
    *s = (marey_searcher){ .members = members,
                           .member_count = count,
                           .ctx = ctx,
                           .mem = mry_arena_make(ctx),
                           .held = mry_held_make(ctx),
                           .shelves.mem = mry_arena_make(ctx) };
    *out = s;
    return MAREY_OK;
}

marey_status marey_searcher_open(marey_library *library, marey_searcher **out, marey_error *error)
{
    return marey_searcher_open_all(&library, 1, out, error);
}

void marey_searcher_free(marey_searcher *searcher)
{
    if (!searcher) return;
    marey_ctx *ctx = searcher->ctx;
    mry_held_free(&searcher->held);
    mry_forget(searcher);
    mry_shelves_free(&searcher->shelves);
    mry_arena_free(&searcher->mem);
    mry_release(ctx, searcher->members, (size_t)searcher->member_count * sizeof(mry_member));
    mry_release(ctx, searcher, sizeof *searcher);
}
