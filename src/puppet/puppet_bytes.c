/* puppet_bytes.c - a behaviour as bytes and back: where everybody was. What follows from that is not kept.

       "MRYQ"  version
       sources      of version 2 alone: clips and their licences (puppet_sources.c)
       settings     rate, window, gap
       runs         how many; of each, how many samples
       samples      x, y, direction of both, 8 bytes each
       a 64-bit hash of all this */
#include "base/bytes.h"
#include "base/fail.h"
#include "puppet/puppet_data.h"
#include "puppet/puppet_sources.h"
#include "store/store.h"

#include <string.h>

enum { SUM_BYTES = 8, SAMPLE_BYTES = 48 };

static const char MAGIC[4] = { 'M', 'R', 'Y', 'Q' };

/* ---- writing ----------------------------------------------------------------------------------------------- */

static void put_entity(mry_bytes_writer *out, const marey_entity *at)
{
    mry_put_number(out, at->x_cm);
    mry_put_number(out, at->y_cm);
    mry_put_number(out, at->direction_rad);
}

/* One that has nothing to say of clips is as it ever was. */
static void put_all(mry_bytes_writer *out, const marey_puppet *puppet,
                    const marey_puppet_source *sources, int count)
{
    int version = count > 0 ? MRY_PUPPET_SOURCED : MRY_PUPPET_PLAIN;
    mry_put_bytes(out, MAGIC, sizeof MAGIC);
    mry_put_integer(out, version);
    if (count > 0) mry_put_sources(out, sources, count);
    mry_put_number(out, puppet->def.rate);
    mry_put_number(out, puppet->def.window_s);
    mry_put_number(out, puppet->def.gap_s);
    mry_put_integer(out, puppet->run_count);
    for (int r = 0; r < puppet->run_count; r++) mry_put_integer(out, puppet->runs[r].count);
    for (int r = 0; r < puppet->run_count; r++) {
        for (int i = 0; i < puppet->runs[r].count; i++) {
            put_entity(out, &puppet->main[puppet->runs[r].first + i].at);
            put_entity(out, &puppet->react[puppet->runs[r].first + i].at);
        }
    }
    if (!out->failed)
        mry_put_fixed(out, mry_hash64(out->bytes, out->used, (uint64_t)version), SUM_BYTES);
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
    put_all(&out, puppet, sources, count);
    uint8_t *made = out.failed ? NULL : mry_alloc(puppet->ctx, out.used);
    if (made) {
        memcpy(made, out.bytes, out.used);
        *bytes = made;
        *size = out.used;
    }
    mry_arena_free(&tmp);
    return made ? MAREY_OK : mry_fail_memory(error, NULL);
}

/* ---- reading ------------------------------------------------------------------------------------------------- */

marey_status mry_puppet_damaged(marey_error *error)
{
    return mry_fail(error, MAREY_ERR_INPUT, NULL, "the kept puppet is damaged");
}

/* Which version; -1: this is no puppet at all. Told apart from damage before the sum, which goes with the version. */
static int get_version(mry_bytes_reader *in)
{
    char magic[4];
    for (int i = 0; i < 4; i++) magic[i] = (char)mry_get_fixed(in, 1);
    int version = (int)mry_get_integer(in, 0, 1000000);
    return in->failed || memcmp(magic, MAGIC, 4) != 0 ? -1 : version;
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

/* Sets out->count and makes room; what is said there must be there. */
static marey_status get_runs(mry_bytes_reader *in, marey_puppet *out, marey_error *error)
{
    int runs = (int)mry_get_integer(in, 0, MAREY_PUPPET_MOST_SAMPLES / 2);
    mry_bytes_reader ahead = *in;
    int64_t count = 0;
    for (int r = 0; r < runs && !ahead.failed && count <= MAREY_PUPPET_MOST_SAMPLES; r++)
        count += out->window + mry_get_integer(&ahead, 2, MAREY_PUPPET_MOST_SAMPLES);
    int64_t samples = count - (int64_t)runs * out->window;
    if (runs < 1 || ahead.failed || count > MAREY_PUPPET_MOST_SAMPLES ||
        ahead.end - ahead.p != samples * SAMPLE_BYTES)
        return mry_puppet_damaged(error);
    if (!mry_puppet_room(out, runs, (int)count)) return mry_fail_memory(error, NULL);
    out->run_count = runs;
    out->count = (int)count;
    out->samples = (int)samples;
    for (int r = 0, at = 0; r < runs; r++) {
        at += out->window;
        out->runs[r] = (mry_run){ at, (int)mry_get_integer(in, 2, MAREY_PUPPET_MOST_SAMPLES) };
        at += out->runs[r].count;
    }
    return MAREY_OK;
}

static marey_status get_samples(mry_bytes_reader *in, marey_puppet *out, marey_error *error)
{
    marey_status status = get_runs(in, out, error);
    if (status) return status;
    for (int r = 0; r < out->run_count; r++) {
        for (int i = 0; i < out->runs[r].count; i++) {
            out->main[out->runs[r].first + i].at = get_entity(in);
            out->react[out->runs[r].first + i].at = get_entity(in);
        }
        if (in->failed) return mry_puppet_damaged(error);
        if (!mry_puppet_move(out, r)) return mry_puppet_stopped(out, error);
    }
    return mry_puppet_describe(out) ? MAREY_OK : mry_puppet_stopped(out, error);
}

marey_status mry_puppet_bytes_open(const uint8_t *bytes, size_t size, mry_bytes_reader *in,
                                   int *version, marey_error *error)
{
    if (size < SUM_BYTES) return mry_puppet_damaged(error);
    const uint8_t *end = bytes + size - SUM_BYTES;
    mry_bytes_reader sum = { .p = end, .end = bytes + size };
    *in = (mry_bytes_reader){ .p = bytes, .end = end };
    *version = get_version(in);
    if (*version >= 0 && *version != MRY_PUPPET_PLAIN && *version != MRY_PUPPET_SOURCED)
        return mry_fail(error, MAREY_ERR_INPUT, NULL,
                        "the puppet was kept by another version of marey: train it again");
    if (*version < 0 ||
        mry_hash64(bytes, size - SUM_BYTES, (uint64_t)*version) != mry_get_fixed(&sum, SUM_BYTES))
        return mry_puppet_damaged(error);
    return MAREY_OK;
}

marey_status marey_puppet_read(marey_ctx *ctx, const uint8_t *bytes, size_t size,
                               marey_puppet **out, marey_error *error)
{
    int version;
    mry_bytes_reader in;
    marey_status status = mry_puppet_bytes_open(bytes, size, &in, &version, error);
    if (status) return status;
    if (version == MRY_PUPPET_SOURCED) mry_pass_sources(&in);
    marey_puppet_def def = { 0 };
    def.rate = mry_get_number(&in);
    def.window_s = mry_get_number(&in);
    def.gap_s = mry_get_number(&in);
    marey_puppet *made = NULL;
    status = in.failed ? mry_puppet_damaged(error) : mry_puppet_make(ctx, &def, &made, error);
    if (status == MAREY_ERR_REQUEST) status = mry_puppet_damaged(error);
    if (status) return status;
    status = get_samples(&in, made, error);
    if (status) {
        marey_puppet_free(made);
        return status;
    }
    *out = made;
    return MAREY_OK;
}
