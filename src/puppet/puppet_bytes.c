/* puppet_bytes.c - a behaviour as bytes and back: where both characters were. What follows from
   that is not kept.

       "MRYQ"  version
       sources      of version 2 alone: how many clips; of each its name and its licence
       settings     rate, window, gap
       runs         how many; of each, how many samples
       samples      x, y, direction of both, 8 bytes each
       a 64-bit hash of all this

   A path once learned is the puppet's own; the licence of the clip it was taken from is not left
   behind. */
#include "base/bytes.h"
#include "base/fail.h"
#include "puppet/puppet_data.h"
#include "store/store.h"

#include <string.h>

enum { SAMPLE_BYTES = 48 };

/* Versions: bytes that say nothing of clips, and those that do. */
enum { PLAIN = 1, SOURCED = 2 };

static const char MAGIC[4] = { 'M', 'R', 'Y', 'Q' };

struct marey_puppet_sources {
    mry_arena mem; /* everything lives here, and so does this */
    const marey_puppet_source *items;
    int count;
};

/* ---- writing --------------------------------------------------------------------------------- */

static void put_entity(mry_bytes_writer *out, const marey_entity *at)
{
    mry_put_number(out, at->x_cm);
    mry_put_number(out, at->y_cm);
    mry_put_number(out, at->direction_rad);
}

marey_status marey_puppet_write(const marey_puppet *puppet, uint8_t **bytes, size_t *size,
                                marey_error *error)
{
    return marey_puppet_write_from(puppet, NULL, 0, bytes, size, error);
}

marey_status marey_puppet_write_from(const marey_puppet *puppet, const marey_puppet_source *sources,
                                     int count, uint8_t **bytes, size_t *size, marey_error *error)
{
    if (count > MAREY_PUPPET_MOST_SOURCES)
        return mry_fail(error, MAREY_ERR_LIMIT, NULL, "a puppet names at most %d clips",
                        MAREY_PUPPET_MOST_SOURCES);
    mry_arena tmp = mry_arena_make(puppet->ctx);
    mry_bytes_writer out = { .mem = &tmp };
    /* One that has nothing to say of clips is as it ever was. */
    int version = count > 0 ? SOURCED : PLAIN;
    mry_put_bytes(&out, MAGIC, sizeof MAGIC);
    mry_put_integer(&out, version);
    if (count > 0) mry_put_integer(&out, count);
    for (int i = 0; i < count; i++) {
        mry_put_text(&out, sources[i].name);
        mry_put_text(&out, sources[i].licence);
    }
    mry_put_number(&out, puppet->def.rate);
    mry_put_number(&out, puppet->def.window_s);
    mry_put_number(&out, puppet->def.gap_s);
    mry_put_integer(&out, puppet->run_count);
    for (int r = 0; r < puppet->run_count; r++) mry_put_integer(&out, puppet->runs[r].count);
    for (int r = 0; r < puppet->run_count; r++) {
        for (int i = 0; i < puppet->runs[r].count; i++) {
            marey_puppet_sample sample = marey_puppet_sample_at(puppet, r, i);
            put_entity(&out, &sample.main);
            put_entity(&out, &sample.react);
        }
    }
    return mry_bytes_seal(&out, version, bytes, size, error);
}

/* ---- reading --------------------------------------------------------------------------------- */

static marey_status damaged(marey_error *error)
{
    return mry_fail(error, MAREY_ERR_INPUT, NULL, "the kept puppet is damaged");
}

static marey_entity get_entity(mry_bytes_reader *in)
{
    marey_entity at = { 0 };
    at.x_cm = mry_get_number(in);
    at.y_cm = mry_get_number(in);
    at.direction_rad = mry_get_number(in);
    if (!mry_entity_can_be(&at)) in->failed = true;
    return at;
}

static marey_status get_samples(mry_bytes_reader *in, marey_puppet *out, marey_error *error)
{
    /* Counts and makes room; what is said there must be there. */
    int runs = (int)mry_get_integer(in, 0, MAREY_PUPPET_MOST_SAMPLES / 2);
    mry_bytes_reader ahead = *in;
    int64_t count = 0;
    for (int r = 0; r < runs && !ahead.failed && count <= MAREY_PUPPET_MOST_SAMPLES; r++)
        count += out->window + mry_get_integer(&ahead, 2, MAREY_PUPPET_MOST_SAMPLES);
    int64_t samples = count - (int64_t)runs * out->window;
    if (runs < 1 || ahead.failed || count > MAREY_PUPPET_MOST_SAMPLES ||
        ahead.end - ahead.p != samples * SAMPLE_BYTES)
        return damaged(error);
    if (!mry_puppet_room(out, runs, (int)count)) return mry_fail_memory(error, NULL);
    out->run_count = runs;
    out->count = (int)count;
    out->samples = (int)samples;
    for (int r = 0, at = 0; r < runs; r++) {
        at += out->window;
        out->runs[r] = (mry_run){ at, (int)mry_get_integer(in, 2, MAREY_PUPPET_MOST_SAMPLES) };
        at += out->runs[r].count;
    }
    for (int r = 0; r < out->run_count; r++) {
        for (int i = 0; i < out->runs[r].count; i++) {
            out->main[out->runs[r].first + i].at = get_entity(in);
            out->react[out->runs[r].first + i].at = get_entity(in);
        }
        if (in->failed) return damaged(error);
        if (!mry_puppet_move(out, r)) return mry_puppet_stopped(out, error);
    }
    return mry_puppet_describe(out) ? MAREY_OK : mry_puppet_stopped(out, error);
}

static void pass_sources(mry_bytes_reader *in)
{
    int count = (int)mry_get_integer(in, 1, MAREY_PUPPET_MOST_SOURCES);
    for (int i = 0; i < 2 * count && !in->failed; i++) {
        /* A text. */
        int64_t bytes = mry_get_integer(in, 0, in->end - in->p);
        if (in->failed || bytes > in->end - in->p || memchr(in->p, 0, (size_t)bytes))
            in->failed = true;
        else
            in->p += bytes;
    }
}

/* Version and sum are right; `in` stands behind the version. */
static marey_status open_bytes(const uint8_t *bytes, size_t size, mry_bytes_reader *in,
                               int *version, marey_error *error)
{
    if (size < MRY_SEAL_BYTES) return damaged(error);
    const uint8_t *end = bytes + size - MRY_SEAL_BYTES;
    mry_bytes_reader sum = { .p = end, .end = bytes + size };
    *in = (mry_bytes_reader){ .p = bytes, .end = end };
    /* -1: this is no puppet at all. Another version is distinguished from damage before the sum,
       which goes with the version. */
    char magic[4];
    for (int i = 0; i < 4; i++) magic[i] = (char)mry_get_fixed(in, 1);
    *version = (int)mry_get_integer(in, 0, 1000000);
    if (in->failed || memcmp(magic, MAGIC, 4) != 0) *version = -1;
    if (*version >= 0 && *version != PLAIN && *version != SOURCED)
        return mry_fail(error, MAREY_ERR_INPUT, NULL,
                        "the puppet was kept by another version of marey: train it again");
    if (*version < 0 || mry_hash64(bytes, size - MRY_SEAL_BYTES, (uint64_t)*version) !=
                            mry_get_fixed(&sum, MRY_SEAL_BYTES))
        return damaged(error);
    return MAREY_OK;
}

marey_status marey_puppet_read(marey_ctx *ctx, const uint8_t *bytes, size_t size,
                               marey_puppet **out, marey_error *error)
{
    int version;
    mry_bytes_reader in;
    marey_status status = open_bytes(bytes, size, &in, &version, error);
    if (status) return status;
    if (version == SOURCED) pass_sources(&in);
    marey_puppet_def def = { 0 };
    def.rate = mry_get_number(&in);
    def.window_s = mry_get_number(&in);
    def.gap_s = mry_get_number(&in);
    marey_puppet *made = NULL;
    status = in.failed ? damaged(error) : mry_puppet_make(ctx, &def, &made, error);
    if (status == MAREY_ERR_REQUEST) status = damaged(error);
    if (status) return status;
    status = get_samples(&in, made, error);
    if (status) {
        marey_puppet_free(made);
        return status;
    }
    *out = made;
    return MAREY_OK;
}

/* ---- sources --------------------------------------------------------------------------------- */

marey_status mry_puppet_sources_make(marey_ctx *ctx, const marey_puppet_source *items, int count,
                                     marey_puppet_sources **out, marey_error *error)
{
    mry_arena mem = mry_arena_make(ctx);
    marey_puppet_sources *made = MRY_NEW(&mem, marey_puppet_sources, 1);
    marey_puppet_source *own = MRY_NEW(&mem, marey_puppet_source, count + 1);
    bool whole = made && own;
    for (int i = 0; i < count && whole; i++) {
        own[i].name = mry_arena_text(&mem, items[i].name, strlen(items[i].name));
        own[i].licence = mry_arena_text(&mem, items[i].licence, strlen(items[i].licence));
        whole = own[i].name && own[i].licence;
    }
    if (!whole) {
        mry_arena_free(&mem);
        return mry_fail_memory(error, NULL);
    }
    *made = (marey_puppet_sources){ mem, own, count };
    *out = made;
    return MAREY_OK;
}

/* They are gone over before there is room for any: from then on only memory can be missing. */
marey_status marey_puppet_sources_read(marey_ctx *ctx, const uint8_t *bytes, size_t size,
                                       marey_puppet_sources **out, marey_error *error)
{
    int version, count = 0;
    mry_bytes_reader in;
    marey_status status = open_bytes(bytes, size, &in, &version, error);
    if (status) return status;
    if (version == SOURCED) {
        mry_bytes_reader ahead = in;
        pass_sources(&ahead);
        if (ahead.failed) return damaged(error);
        count = (int)mry_get_integer(&in, 1, MAREY_PUPPET_MOST_SOURCES);
    }
    mry_arena tmp = mry_arena_make(ctx);
    marey_puppet_source *items = MRY_NEW(&tmp, marey_puppet_source, count + 1);
    for (int i = 0; i < count && items && !in.failed; i++) {
        items[i].name = mry_get_text(&in, &tmp);
        items[i].licence = mry_get_text(&in, &tmp);
    }
    status = items && !in.failed ? mry_puppet_sources_make(ctx, items, count, out, error)
                                 : mry_fail_memory(error, NULL);
    mry_arena_free(&tmp);
    return status;
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
