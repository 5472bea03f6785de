/* puppet_sources.c - the clips that a behaviour was trained on, and what may be done with them: a path once learned is the
   puppet's own, the licence of the clip is not left behind.

       how many
       of each      its name, its licence */
#include "puppet/puppet_sources.h"

#include "base/fail.h"

#include <string.h>

struct marey_puppet_sources {
    mry_arena mem; /* everything lives here, and so does this */
    const marey_puppet_source *items;
    int count;
};

void mry_put_sources(mry_bytes_writer *out, const marey_puppet_source *items, int count)
{
    mry_put_integer(out, count);
    for (int i = 0; i < count; i++) {
        mry_put_text(out, items[i].name);
        mry_put_text(out, items[i].licence);
    }
}

/* ---- reading ------------------------------------------------------------------------------------------------- */

static void pass_text(mry_bytes_reader *in)
{
    int64_t count = mry_get_integer(in, 0, in->end - in->p);
    if (in->failed || count > in->end - in->p || memchr(in->p, 0, (size_t)count))
        in->failed = true;
    else
        in->p += count;
}

void mry_pass_sources(mry_bytes_reader *in)
{
    int count = (int)mry_get_integer(in, 1, MAREY_PUPPET_MOST_SOURCES);
    for (int i = 0; i < 2 * count && !in->failed; i++) pass_text(in);
}

/* ---- lists ------------------------------------------------------------------------------------------------- */

static marey_puppet_sources *make(marey_ctx *ctx, int count, marey_puppet_source **items)
{
    mry_arena mem = mry_arena_make(ctx);
    marey_puppet_sources *made = MRY_NEW(&mem, marey_puppet_sources, 1);
    *items = made ? MRY_NEW(&mem, marey_puppet_source, count + 1) : NULL;
    if (!*items) {
        mry_arena_free(&mem);
        return NULL;
    }
    made->mem = mem;
    made->items = *items;
    made->count = count;
    return made;
}

static marey_status hand_over(marey_puppet_sources *made, bool whole, marey_puppet_sources **out,
                              marey_error *error)
{
    if (!whole) {
        marey_puppet_sources_free(made);
        return mry_fail_memory(error, NULL);
    }
    *out = made;
    return MAREY_OK;
}

marey_status mry_puppet_sources_make(marey_ctx *ctx, const marey_puppet_source *items, int count,
                                     marey_puppet_sources **out, marey_error *error)
{
    marey_puppet_source *own;
    marey_puppet_sources *made = make(ctx, count, &own);
    bool whole = made != NULL;
    for (int i = 0; i < count && whole; i++) {
        own[i].name = mry_arena_text(&made->mem, items[i].name, strlen(items[i].name));
        own[i].licence = mry_arena_text(&made->mem, items[i].licence, strlen(items[i].licence));
        whole = own[i].name && own[i].licence;
    }
    return hand_over(made, whole, out, error);
}

/* They are gone over before there is room for any: from then on only memory can be missing. */
marey_status marey_puppet_sources_read(marey_ctx *ctx, const uint8_t *bytes, size_t size,
                                       marey_puppet_sources **out, marey_error *error)
{
    int version, count = 0;
    mry_bytes_reader in;
    marey_puppet_source *items;
    marey_status status = mry_puppet_bytes_open(bytes, size, &in, &version, error);
    if (status) return status;
    if (version == MRY_PUPPET_SOURCED) {
        mry_bytes_reader ahead = in;
        mry_pass_sources(&ahead);
        if (ahead.failed) return mry_puppet_damaged(error);
        count = (int)mry_get_integer(&in, 1, MAREY_PUPPET_MOST_SOURCES);
    }
    marey_puppet_sources *made = make(ctx, count, &items);
    for (int i = 0; i < count && made && !in.failed; i++) {
        items[i].name = mry_get_text(&in, &made->mem);
        items[i].licence = mry_get_text(&in, &made->mem);
    }
    return hand_over(made, made && !in.failed, out, error);
}

void marey_puppet_sources_free(marey_puppet_sources *sources)
{
    if (!sources) return;
    mry_arena mem = sources->mem;
    mry_arena_free(&mem);
}

const marey_puppet_source *marey_puppet_sources_list(const marey_puppet_sources *sources,
                                                     int *count)
{
    *count = sources->count;
    return sources->items;
}
