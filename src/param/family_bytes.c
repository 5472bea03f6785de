/* family_bytes.c - a family as bytes and back, without its clips.

       "MRYF"  version
       parameters   count, then each as text;  labels: a number an example
       settings     samples  grow  delta  apart  nearest  seed
       of each parameter its moment;  of each number its box, scale, base and step
       samples      count, bytes, then bits: of each but the examples its motions, all weights but the last, and of all
                    their values. A weight is a whole number of MRY_WEIGHT_PARTS, a value one of its steps
       registration bytes, as marey_registration_write has them
       a 64-bit hash of all this

   Bytes may come from anywhere: counts are held against what is left, and every number is checked
   that could lead astray. */
#include "base/bytes.h"
#include "base/fail.h"
#include "param/family_data.h"
#include "store/store.h"

#include <math.h>
#include <string.h>

enum { VERSION = 1, VALUE_BITS = 15, TEXT_ROOM = 256 };

static const char MAGIC[4] = { 'M', 'R', 'Y', 'F' };

typedef struct bit_writer {
    mry_bytes_writer *out;
    uint64_t held;
    int count;
} bit_writer;

static void put_bits(bit_writer *w, uint64_t value, int bits)
{
    w->held |= value << w->count;
    w->count += bits;
    while (w->count >= 8) {
        mry_put_fixed(w->out, w->held & 0xff, 1);
        w->held >>= 8;
        w->count -= 8;
    }
}

typedef struct bit_reader {
    mry_bytes_reader *in;
    uint64_t held;
    int count;
} bit_reader;

static uint64_t get_bits(bit_reader *r, int bits)
{
    while (r->count < bits) {
        r->held |= mry_get_fixed(r->in, 1) << r->count;
        r->count += 8;
    }
    uint64_t value = r->held & (((uint64_t)1 << bits) - 1);
    r->held >>= bits;
    r->count -= bits;
    return value;
}

/* Bits that hold numbers 0 .. most. */
static int bits_for(int most)
{
    int bits = 1;
    while (most >> bits) bits++;
    return bits;
}

static int least_parts(const marey_family *family)
{
    return (int)floor(-family->def.delta * MRY_WEIGHT_PARTS) - 1;
}

static int weight_bits(const marey_family *family)
{
    return bits_for(MRY_WEIGHT_PARTS - 2 * least_parts(family));
}

static size_t samples_bytes(const marey_family *family)
{
    size_t made = (size_t)(family->count - family->examples), near = (size_t)family->near;
    size_t bits = made * near * (size_t)bits_for(family->examples - 1) +
                  made * (near - 1) * (size_t)weight_bits(family) +
                  (size_t)family->count * (size_t)family->dims * VALUE_BITS;
    return (bits + 7) / 8;
}

marey_status marey_family_write(const marey_family *family, uint8_t **bytes, size_t *size,
                                size_t *samples_size, marey_error *error)
{
    mry_arena tmp = mry_arena_make(family->ctx);
    mry_bytes_writer out = { .mem = &tmp };
    bit_writer w = { .out = &out };
    int motion_bits = bits_for(family->examples - 1), own_bits = weight_bits(family);
    uint8_t *curve;
    size_t curve_size;
    marey_status status = marey_registration_write(family->of, &curve, &curve_size, error);
    if (status) return status;
    /* What stands before the samples. */
    const marey_family_def *def = &family->def;
    mry_put_bytes(&out, MAGIC, sizeof MAGIC);
    mry_put_integer(&out, VERSION);
    mry_put_integer(&out, family->examples);
    mry_put_integer(&out, def->param_count);
    for (int i = 0; i < def->param_count; i++) {
        char text[TEXT_ROOM];
        uint64_t bits;
        marey_param_text(&family->params[i], text, sizeof text);
        mry_put_text(&out, text);
        memcpy(&bits, &family->moments[i], sizeof bits); /* all of them, also those of no number */
        mry_put_fixed(&out, bits, sizeof bits);
    }
    for (int i = 0; i < family->examples * family->labels; i++)
        mry_put_number(&out, family->label_values[i]);
    mry_put_integer(&out, def->samples);
    mry_put_number(&out, def->grow);
    mry_put_number(&out, def->delta);
    mry_put_number(&out, def->apart);
    mry_put_integer(&out, def->nearest);
    mry_put_fixed(&out, def->seed, 8);
    for (int d = 0; d < family->dims; d++) {
        mry_put_number(&out, family->low[d]);
        mry_put_number(&out, family->high[d]);
        mry_put_number(&out, family->scale[d]);
        mry_put_number(&out, family->value_base[d]);
        mry_put_number(&out, family->value_step[d]);
    }
    mry_put_integer(&out, family->count);
    size_t before = out.used;
    for (int i = 0; i < family->count; i++) {
        size_t first = (size_t)i * (size_t)family->near;
        for (int k = 0; k < family->near && i >= family->examples; k++) {
            double parts = family->weights[first + (size_t)k] * MRY_WEIGHT_PARTS;
            put_bits(&w, (uint64_t)family->motions[first + (size_t)k], motion_bits);
            if (k + 1 < family->near)
                put_bits(&w, (uint64_t)(lround(parts) - least_parts(family)), own_bits);
        }
        for (int d = 0; d < family->dims; d++) {
            double step = family->value_step[d];
            double apart = family->values[i * family->dims + d] - family->value_base[d];
            long parts = step > 0 ? lround(apart / step) : 0;
            put_bits(&w, (uint64_t)(parts + MRY_VALUE_PARTS), VALUE_BITS);
        }
    }
    if (w.count) mry_put_fixed(&out, w.held, 1);
    size_t samples = out.used - before;
    mry_put_integer(&out, (int64_t)curve_size);
    mry_put_bytes(&out, curve, curve_size);
    marey_registration_bytes_free(family->ctx, curve, curve_size);
    status = mry_bytes_seal(&out, VERSION, bytes, size, error);
    if (!status && samples_size) *samples_size = samples;
    return status;
}

void marey_family_bytes_free(marey_ctx *ctx, uint8_t *bytes, size_t size)
{
    mry_release(ctx, bytes, size);
}

static marey_status damaged(marey_error *error)
{
    return mry_fail(error, MAREY_ERR_INPUT, NULL, "the saved family is damaged");
}

/* What stands before the samples, into a definition. */
typedef struct head {
    marey_param params[MAREY_MOST_PARAMS];
    double moments[MAREY_MOST_PARAMS];
    marey_family_def def;
    int examples;
} head;

/* Defaults stand for zeros, so what was resolved to zero is given as less. */
static double not_default(double value)
{
    return value == 0 ? -1 : value;
}

static marey_status get_head(mry_bytes_reader *in, mry_arena *tmp, int clips, head *h,
                             marey_error *error)
{
    uint8_t magic[4];
    int labels = 0;
    for (int i = 0; i < 4; i++) magic[i] = (uint8_t)mry_get_fixed(in, 1);
    if (memcmp(magic, MAGIC, 4) != 0 || mry_get_integer(in, 0, 1000) != VERSION)
        return damaged(error);
    h->examples = (int)mry_get_integer(in, 2, 1 << 20);
    if (in->failed || h->examples != clips) return damaged(error);
    h->def.param_count = (int)mry_get_integer(in, 1, MAREY_MOST_PARAMS);
    for (int i = 0; i < h->def.param_count; i++) {
        /* Without memory, so that its want is not taken for damage. */
        char text[TEXT_ROOM];
        int64_t length = mry_get_integer(in, 0, TEXT_ROOM - 1);
        if (in->failed || length > in->end - in->p) return damaged(error);
        memcpy(text, in->p, (size_t)length);
        text[length] = 0;
        in->p += length;
        uint64_t bits = mry_get_fixed(in, 8);
        memcpy(&h->moments[i], &bits, sizeof bits);
        if (in->failed || marey_param_parse(text, &h->params[i], NULL)) return damaged(error);
        labels += mry_param_kind_of(&h->params[i]) == MRY_KIND_LABEL;
    }
    size_t count = (size_t)labels * (size_t)h->examples;
    if (count > (size_t)(in->end - in->p)) return damaged(error);
    double *label_values = MRY_NEW(tmp, double, count + 1);
    if (!label_values) return mry_fail_memory(error, NULL);
    for (size_t i = 0; i < count; i++) label_values[i] = mry_get_number(in);
    h->def.params = h->params;
    h->def.label_values = label_values;
    int samples = (int)mry_get_integer(in, 0, 100000);
    h->def.samples = samples ? samples : -1;
    h->def.grow = mry_get_number(in);
    h->def.delta = not_default(mry_get_number(in));
    h->def.apart = not_default(mry_get_number(in));
    h->def.nearest = (int)mry_get_integer(in, 2, 16);
    h->def.seed = mry_get_fixed(in, 8);
    /* It says how many bits weights have. */
    return !in->failed && h->def.delta <= 1 ? MAREY_OK : damaged(error);
}

/* A family is made with its registration, whose bytes lie behind the samples: they are found before
   those are read. */
static bool find_curve(mry_bytes_reader in, const head *h, mry_bytes_reader *curve)
{
    int dims = 0, labels = 0;
    for (int i = 0; i < h->def.param_count; i++) {
        dims += h->params[i].kind->dims;
        labels += mry_param_kind_of(&h->params[i]) == MRY_KIND_LABEL;
    }
    if (dims > MAREY_MOST_PARAM_DIMS - 1) return false;
    marey_family shape = { .examples = h->examples, .def = h->def, .dims = dims, .labels = labels };
    shape.near = dims + 1 < h->examples ? dims + 1 : h->examples;
    if (shape.def.delta < 0) shape.def.delta = 0;
    for (int i = 0; i < 5 * dims; i++) mry_get_number(&in);
    int samples = h->def.samples > 0 ? h->def.samples : 0;
    shape.count = (int)mry_get_integer(&in, h->examples, h->examples + samples);
    size_t skip = samples_bytes(&shape);
    if (in.failed || skip > (size_t)(in.end - in.p)) return false;
    in.p += skip;
    int64_t length = mry_get_integer(&in, 1, (int64_t)1 << 32);
    if (in.failed || length != in.end - in.p) return false;
    *curve = in;
    return true;
}

/* The box, the scale and the samples: of each but the examples its motions and all weights but the
   last; of all their values. false: damaged. */
static bool get_table(mry_bytes_reader *in, const head *h, marey_family *family)
{
    memcpy(family->moments, h->moments, sizeof family->moments);
    for (int d = 0; d < family->dims; d++) {
        family->low[d] = mry_get_number(in);
        family->high[d] = mry_get_number(in);
        family->scale[d] = mry_get_number(in);
        family->value_base[d] = mry_get_number(in);
        family->value_step[d] = mry_get_number(in);
        if (!(family->scale[d] >= 0 && family->value_step[d] >= 0)) return false;
        if (!(family->low[d] <= family->high[d])) return false;
    }
    int most = family->examples + family->def.samples;
    int count = (int)mry_get_integer(in, family->examples, most);
    if (in->failed) return false;
    family->count = count;
    if (samples_bytes(family) > (size_t)(in->end - in->p)) return false;
    bit_reader r = { .in = in };
    double least = -family->def.delta - 1e-9, greatest = 1 + family->def.delta + 1e-9;
    for (int i = 0; i < family->count; i++) {
        int *motions = family->motions + (size_t)i * (size_t)family->near;
        double *weights = family->weights + (size_t)i * (size_t)family->near, left = 1;
        bool example = i < family->examples;
        family->used[i] = example ? 1 : family->near;
        if (example) {
            motions[0] = i;
            weights[0] = 1;
        }
        for (int k = 0; k < family->near && !example; k++) {
            motions[k] = (int)get_bits(&r, bits_for(family->examples - 1));
            weights[k] = left;
            if (k + 1 < family->near) {
                int parts = (int)get_bits(&r, weight_bits(family)) + least_parts(family);
                weights[k] = (double)parts / MRY_WEIGHT_PARTS;
            }
            left -= weights[k];
            if (motions[k] >= family->examples || !(weights[k] >= least && weights[k] <= greatest))
                return false;
            for (int other = 0; other < k; other++) {
                if (motions[other] == motions[k]) return false;
            }
        }
        for (int d = 0; d < family->dims; d++) {
            double parts = (double)get_bits(&r, VALUE_BITS) - MRY_VALUE_PARTS;
            double value = family->value_base[d] + parts * family->value_step[d];
            if (!isfinite(value)) return false;
            family->values[i * family->dims + d] = value;
        }
    }
    return !in->failed;
}

marey_status marey_family_read(marey_ctx *ctx, const uint8_t *bytes, size_t size,
                               const marey_clip *const *clips, int count,
                               const marey_contacts *contacts, marey_family **out,
                               marey_error *error)
{
    mry_arena tmp = mry_arena_make(ctx);
    marey_family *family = NULL;
    marey_registration *registration;
    mry_bytes_reader curve = { 0 };
    if (size < MRY_SEAL_BYTES) return damaged(error);
    size_t whole = size - MRY_SEAL_BYTES;
    mry_bytes_reader in = { .p = bytes, .end = bytes + whole };
    mry_bytes_reader sum = { .p = bytes + whole, .end = bytes + size };
    if (mry_get_fixed(&sum, MRY_SEAL_BYTES) != mry_hash64(bytes, whole, VERSION))
        return damaged(error);
    head *h = MRY_NEW(&tmp, head, 1);
    marey_status status = h ? MAREY_OK : mry_fail_memory(error, NULL);
    if (!status) status = get_head(&in, &tmp, count, h, error);
    if (!status && !find_curve(in, h, &curve)) status = damaged(error);
    if (!status) status = mry_param_bind(ctx, h->params, h->def.param_count, error);
    if (!status)
        status = marey_registration_read(ctx, curve.p, (size_t)(curve.end - curve.p), clips, count,
                                         contacts, &registration, error);
    if (!status) {
        status = mry_family_make_empty(ctx, registration, &h->def, &family, error);
        if (status) marey_registration_free(registration);
        if (status == MAREY_ERR_REQUEST) status = damaged(error);
    }
    if (!status && !get_table(&in, h, family)) {
        marey_family_free(family);
        status = damaged(error);
    }
    mry_arena_free(&tmp);
    if (!status) *out = family;
    return status;
}
