/* registration_bytes.c - a registration curve as bytes and back. Numbers are little-endian, whole
   ones of 4 bytes, real ones of 8.

       "MRYC"  version
       motions  reference  base  epsilon  fps  first  last
       for each motion   frames  fps  joints  parent
                         but for the reference: cells  row  column  sum  mean  of its path, then a byte a step (1: the
                         row goes on, 2: the column, 3: both)
       S                 points  first  last  numbers
       for each motion but the reference
                         origins: 4  points  first  last  numbers
       a 64-bit hash of all this

   Bytes may come from anywhere: a count is held against the bytes that are left before anything is
   taken for it, and every number is checked that could lead a reader astray. The hash is there for
   accidents. */
#include "align/registration_data.h"

#include "base/bytes.h"
#include "base/fail.h"
#include "store/store.h"

#include <float.h>
#include <string.h>

enum { VERSION = 1, SUM_BYTES = 8 };

static const char MAGIC[4] = { 'M', 'R', 'Y', 'C' };
static const double FARTHEST = 1e12; /* of any number */

/* ---- writing --------------------------------------------------------------------------------- */

static void put_int(mry_bytes_writer *w, int value)
{
    mry_put_fixed(w, (uint32_t)value, 4);
}

/* Every bit of it, also the sign of a zero: what is read back writes the same bytes. */
static void put_real(mry_bytes_writer *w, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    mry_put_fixed(w, bits, sizeof bits);
}

static void put_spline(mry_bytes_writer *w, const mry_spline *spline)
{
    put_int(w, spline->count);
    put_real(w, spline->first);
    put_real(w, spline->last);
    for (int i = 0; i < spline->count * spline->dims; i++) put_real(w, spline->points[i]);
}

marey_status marey_registration_write(const marey_registration *registration, uint8_t **bytes,
                                      size_t *size, marey_error *error)
{
    marey_ctx *ctx = registration->mem.ctx;
    mry_arena tmp = mry_arena_make(ctx);
    mry_bytes_writer w = { .mem = &tmp };
    mry_put_bytes(&w, MAGIC, sizeof MAGIC);
    put_int(&w, VERSION);
    put_int(&w, registration->count);
    put_int(&w, registration->reference);
    put_int(&w, registration->base);
    put_real(&w, registration->epsilon);
    put_real(&w, registration->fps);
    put_real(&w, registration->first);
    put_real(&w, registration->last);
    for (int i = 0; i < registration->count; i++) {
        put_int(&w, marey_clip_frames(registration->clips[i]));
        put_real(&w, marey_clip_fps(registration->clips[i]));
        put_int(&w, marey_clip_skeleton(registration->clips[i])->joint_count);
        put_int(&w, registration->parents[i]);
        if (i == registration->reference) continue;
        const marey_path *path = &registration->paths[i];
        put_int(&w, path->count);
        put_int(&w, path->cells[0].row);
        put_int(&w, path->cells[0].col);
        put_real(&w, path->sum);
        put_real(&w, path->mean);
        for (int k = 1; k < path->count; k++) {
            marey_cell from = path->cells[k - 1], to = path->cells[k];
            mry_put_fixed(&w, (uint64_t)((to.row - from.row) + 2 * (to.col - from.col)), 1);
        }
    }
    put_spline(&w, &registration->times);
    for (int i = 0; i < registration->count; i++) {
        const mry_floor_curve *floor = &registration->floors[i];
        if (i == registration->reference) continue;
        for (int k = 0; k < 2; k++) put_real(&w, floor->origin_own[k]);
        for (int k = 0; k < 2; k++) put_real(&w, floor->origin_goal[k]);
        put_spline(&w, &floor->curve);
    }
    if (!w.failed) mry_put_fixed(&w, mry_hash64(w.bytes, w.used, VERSION), SUM_BYTES);
    uint8_t *made = w.failed ? NULL : mry_alloc(ctx, w.used);
    if (made) {
        memcpy(made, w.bytes, w.used);
        *bytes = made;
        *size = w.used;
    }
    mry_arena_free(&tmp);
    return made ? MAREY_OK : mry_fail_memory(error, NULL);
}

void marey_registration_bytes_free(marey_ctx *ctx, uint8_t *bytes, size_t size)
{
    mry_release(ctx, bytes, size);
}

/* ---- reading --------------------------------------------------------------------------------- */

/* After a failure everything is read as 0 or the least, and nothing is taken. */
typedef struct reader {
    mry_bytes_reader in;
    bool no_memory; /* why it failed; otherwise the bytes are damaged */
} reader;

static size_t left(const reader *r)
{
    return (size_t)(r->in.end - r->in.p);
}

static void claim(reader *r, bool holds)
{
    if (!holds) r->in.failed = true;
}

static int get_int(reader *r, int least, int most)
{
    int32_t value = (int32_t)(uint32_t)mry_get_fixed(&r->in, 4);
    claim(r, value >= least && value <= most);
    return r->in.failed ? least : value;
}

static double get_real(reader *r, double least, double most)
{
    uint64_t bits = mry_get_fixed(&r->in, 8);
    double value;
    memcpy(&value, &bits, sizeof value);
    claim(r, value >= least && value <= most); /* no NaN is */
    return r->in.failed ? least : value;
}

/* Only now is memory taken: `count` things of at least `size` bytes each must be there. */
static void *get_room(reader *r, mry_arena *mem, int count, size_t size, size_t item)
{
    claim(r, (size_t)count <= left(r) / size);
    if (r->in.failed) return NULL;
    void *room = mry_arena_take(mem, (size_t)count, item);
    if (!room) r->no_memory = r->in.failed = true;
    return room;
}

/* The path of a motion whose parent and itself end at these rows. */
static void get_path(reader *r, mry_arena *mem, double last_row, double last_col, marey_path *path)
{
    int count = get_int(r, 2, INT32_MAX);
    marey_cell at = { get_int(r, 0, INT32_MAX), 0 };
    at.col = get_int(r, 0, INT32_MAX);
    double sum = get_real(r, -DBL_MAX, DBL_MAX), mean = get_real(r, -DBL_MAX, DBL_MAX);
    marey_cell *cells = get_room(r, mem, count - 1, 1, 2 * sizeof *cells); /* one more than steps */
    for (int i = 0; i < count && cells; i++) {
        int step = i == 0 ? 0 : (int)mry_get_fixed(&r->in, 1);
        claim(r, (i == 0 || step >= 1) && step <= 3);
        at.row += step & 1;
        at.col += step >> 1;
        claim(r, at.row <= last_row && at.col <= last_col);
        if (r->in.failed) return;
        cells[i] = at;
    }
    *path = (marey_path){ .count = count, .cells = cells, .sum = sum, .mean = mean };
}

static void get_spline(reader *r, mry_arena *mem, int dims, mry_spline *out)
{
    int count = get_int(r, 3, INT32_MAX / dims);
    *out = (mry_spline){ .dims = dims, .count = count };
    out->first = get_real(r, -FARTHEST, FARTHEST);
    out->last = get_real(r, -FARTHEST, FARTHEST);
    claim(r, out->first < out->last);
    out->points = get_room(r, mem, count * dims, sizeof(double), sizeof(double));
    for (int i = 0; i < count * dims && !r->in.failed; i++)
        out->points[i] = get_real(r, -FARTHEST, FARTHEST);
}

/* ---- the clips ------------------------------------------------------------------------------- */

static marey_status other(marey_error *error, const char *subject, double was, double is)
{
    return mry_fail(error, MAREY_ERR_INPUT, NULL,
                    "the registration was made of other clips: %s, %g then and %g now", subject,
                    was, is);
}

/* A status only where the clips are not those; faults stay with the reader. */
static marey_status get_all(reader *r, marey_registration *out, marey_error *error)
{
    double slowest = marey_clip_fps(out->clips[0]);
    for (int i = 1; i < out->count; i++) slowest = fmin(slowest, marey_clip_fps(out->clips[i]));
    out->reference = get_int(r, 0, out->count - 1);
    out->base = get_int(r, 0, out->count - 1);
    out->epsilon = get_real(r, 0, 1);
    out->fps = get_real(r, 0, FARTHEST);
    out->first = get_real(r, -FARTHEST, FARTHEST);
    out->last = get_real(r, -FARTHEST, FARTHEST);
    claim(r, out->epsilon > 0);
    if (!r->in.failed && out->fps != slowest) return other(error, "lowest rate", out->fps, slowest);
    for (int i = 0; i < out->count; i++) {
        const marey_clip *clip = out->clips[i];
        int joints = marey_clip_skeleton(clip)->joint_count;
        int frames = get_int(r, 1, INT32_MAX);
        double fps = get_real(r, 0, FARTHEST);
        int was_joints = get_int(r, 1, INT32_MAX), parent = get_int(r, -1, out->count - 1);
        out->parents[i] = parent;
        claim(r, (parent == -1) == (i == out->reference));
        if (r->in.failed) return MAREY_OK;
        if (frames != marey_clip_frames(clip))
            return other(error, "frames of a clip", frames, marey_clip_frames(clip));
        if (fps != marey_clip_fps(clip))
            return other(error, "frames a second", fps, marey_clip_fps(clip));
        if (was_joints != joints) return other(error, "joints", was_joints, joints);
        if (i == out->reference) continue;
        get_path(r, &out->mem, mry_last_row(out->clips[parent], out->fps) + 1e-3,
                 mry_last_row(clip, out->fps) + 1e-3, &out->paths[i]);
    }
    claim(r, mry_tree_is_sound(out->parents, out->count, out->reference));
    get_spline(r, &out->mem, out->count, &out->times);
    /* S must rise in every motion and stay inside the clips. */
    const mry_spline *times = &out->times;
    double at[2][MRY_MOST_MOTIONS];
    for (int i = times->dims; !r->in.failed && i < times->count * times->dims; i++)
        claim(r, times->points[i] > times->points[i - times->dims]);
    claim(r, times->first <= out->first && out->first < out->last && out->last <= times->last);
    if (r->in.failed) return MAREY_OK;
    mry_spline_at(times, out->first, at[0], NULL);
    mry_spline_at(times, out->last, at[1], NULL);
    for (int i = 0; i < out->count; i++)
        claim(r, at[0][i] > -1e-6 && at[1][i] < mry_last_row(out->clips[i], out->fps) + 1e-3);
    for (int i = 0; i < out->count; i++) {
        mry_floor_curve *floor = &out->floors[i];
        if (i == out->reference) continue;
        for (int k = 0; k < 2; k++) floor->origin_own[k] = get_real(r, -FARTHEST, FARTHEST);
        for (int k = 0; k < 2; k++) floor->origin_goal[k] = get_real(r, -FARTHEST, FARTHEST);
        get_spline(r, &out->mem, MRY_FLOOR_DIMS, &floor->curve);
    }
    claim(r, left(r) == 0);
    return MAREY_OK;
}

static marey_status finish(const reader *r, marey_status status, marey_error *error)
{
    if (status || !r->in.failed) return status;
    return r->no_memory ? mry_fail_memory(error, NULL)
                        : mry_fail(error, MAREY_ERR_INPUT, NULL,
                                   "the bytes of the registration curve are damaged");
}

marey_status marey_registration_read(marey_ctx *ctx, const uint8_t *bytes, size_t size,
                                     const marey_clip *const *clips, int count,
                                     const marey_contacts *contacts, marey_registration **out,
                                     marey_error *error)
{
    if (size < sizeof MAGIC + 4 + SUM_BYTES || memcmp(bytes, MAGIC, sizeof MAGIC) != 0)
        return mry_fail(error, MAREY_ERR_INPUT, NULL, "the bytes are not a registration curve");
    size_t whole = size - SUM_BYTES;
    mry_bytes_reader sum = { .p = bytes + whole, .end = bytes + size };
    reader r = { .in = { .p = bytes + sizeof MAGIC, .end = bytes + whole } };
    int version = (int)(uint32_t)mry_get_fixed(&r.in, 4);
    if (version != VERSION)
        return mry_fail(error, MAREY_ERR_INPUT, NULL,
                        "the registration is of version %d, and this program reads version %d",
                        version, VERSION);
    claim(&r, mry_hash64(bytes, whole, VERSION) == mry_get_fixed(&sum, SUM_BYTES));
    int motions = get_int(&r, 2, MRY_MOST_MOTIONS);
    if (!r.in.failed && motions != count) return other(error, "motions", motions, count);
    marey_status status = finish(&r, MAREY_OK, error);
    if (status) return status;
    marey_registration *made = mry_registration_make(ctx, clips, count);
    if (!made) return mry_fail_memory(error, NULL);
    status = finish(&r, get_all(&r, made, error), error);
    for (int i = 1; i < count && !status; i++) {
        if (!mry_same_joints(marey_clip_skeleton(clips[0]), marey_clip_skeleton(clips[i])))
            status = mry_fail(error, MAREY_ERR_INPUT, NULL, "the joints of the clips differ");
    }
    if (!status) status = mry_registration_match(made, contacts, error);
    if (status) {
        marey_registration_free(made);
        return status;
    }
    *out = made;
    return MAREY_OK;
}
