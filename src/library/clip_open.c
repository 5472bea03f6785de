/* clip_open.c - stored records to clips. The bytes passed their checksums, but that is no proof of sense: every
   count is bounded by the bytes there are before memory is taken for it, and what is read must be a sound clip
   (mry_clip_check) before anything is made of it. What is a number's own business is checked where it is read, what
   makes a clip sound is not said here again. */
#include "library/clip_record.h"

#include "base/bytes.h"
#include "base/fail.h"
#include "motion/channels.h"
#include "store/columns.h"

#include <inttypes.h>
#include <string.h>

enum { RECORD_VERSION = 1 };

static marey_status fail_damaged(const mry_stored *stored, marey_error *error)
{
    return mry_fail(error, MAREY_ERR_INPUT, stored->name, "the stored clip is damaged");
}

static void get_joint(mry_bytes_reader *in, marey_clip *clip, int j)
{
    marey_joint *joint = &clip->joints[j];
    joint->name = mry_get_text(in, &clip->mem);
    joint->parent = (int)mry_get_integer(in, -1, MRY_MOST_JOINTS);
    joint->has_end = mry_get_integer(in, 0, 1);
    joint->channel_count = (int)mry_get_integer(in, 0, MAREY_CHANNEL_COUNT);
    joint->first_channel = clip->skeleton.channel_count;
    clip->skeleton.channel_count += joint->channel_count;
    for (int c = 0; c < joint->channel_count; c++) {
        joint->channels[c] = (marey_channel)mry_get_integer(in, 0, MAREY_CHANNEL_COUNT - 1);
    }
    for (int i = 0; i < 3; i++) {
        joint->offset_cm[i] = clip->source.offsets[3 * j + i] = mry_get_number(in);
    }
    for (int i = 0; i < 3 && joint->has_end; i++) {
        joint->end_cm[i] = clip->source.ends[3 * j + i] = mry_get_number(in);
    }
}

static bool get_axes(mry_bytes_reader *in, marey_clip *clip)
{
    int count = clip->skeleton.joint_count;
    if (mry_get_integer(in, 0, 1)) {
        clip->source.axes = MRY_NEW(&clip->mem, float, 4 * count);
        if (!clip->source.axes) return false;
        for (int i = 0; i < 4 * count; i++) clip->source.axes[i] = (float)mry_get_number(in);
    }
    if (mry_get_integer(in, 0, 1)) {
        clip->source.orders = MRY_NEW(&clip->mem, uint8_t, 3 * count);
        if (!clip->source.orders) return false;
        for (int i = 0; i < 3 * count; i++) {
            clip->source.orders[i] = (uint8_t)mry_get_integer(in, 0, 2);
        }
    }
    return true;
}

/* A joint takes at least 28 bytes, so the bytes bound the joints. */
static marey_clip *get_skeleton(marey_ctx *ctx, const mry_stored *stored, bool *damaged)
{
    const uint8_t *bytes = stored->skeleton;
    mry_bytes_reader in = { .p = bytes, .end = bytes + stored->skeleton_size };
    mry_get_integer(&in, RECORD_VERSION, RECORD_VERSION);
    int64_t most = (int64_t)(stored->skeleton_size / 28);
    int count = (int)mry_get_integer(&in, 1, most < MRY_MOST_JOINTS ? most : MRY_MOST_JOINTS);
    *damaged = in.failed;
    if (in.failed) return NULL;
    marey_clip *clip = mry_clip_make(ctx, stored->name, count);
    if (!clip) return NULL;
    for (int j = 0; j < count && !in.failed; j++) get_joint(&in, clip, j);
    bool fits = !in.failed && get_axes(&in, clip) && mry_clip_find_movers(clip);
    *damaged = in.failed || in.p != in.end;
    if (fits && !*damaged) return clip;
    marey_clip_free(clip);
    return NULL;
}

static bool get_marks(mry_bytes_reader *in, marey_clip *clip)
{
    int64_t count = mry_get_integer(in, 0, clip->frames), after = 0;
    for (int64_t i = 0; i < count && !in->failed; i++) {
        marey_mark_kind kind = (marey_mark_kind)mry_get_integer(in, 0, MAREY_MARK_COUNT - 1);
        int64_t start = mry_get_integer(in, after, clip->frames - 1);
        int64_t end = mry_get_integer(in, start + 1, clip->frames);
        if (in->failed) break;
        if (!mry_clip_add_mark(clip, kind, (int)start, (int)end)) return false;
        after = end;
    }
    return true;
}

/* Overwrites what settling the units wrote, with what was found when the clip was first read. */
static bool get_report(mry_bytes_reader *in, marey_clip *clip)
{
    marey_report *report = &clip->report;
    report->format = mry_get_text(in, &clip->mem);
    report->units_why = mry_get_text(in, &clip->mem);
    report->up_why = mry_get_text(in, &clip->mem);
    report->height_cm = mry_get_number(in);
    report->claimed_fps = mry_get_number(in);
    report->flight_fps = mry_get_number(in);
    report->flight_count = (int)mry_get_integer(in, 0, MRY_MOST_FRAMES);
    /* Later stages measure by the height: what no chain of sound bones has is none. */
    const double tallest = MRY_MOST_NUMBER * MRY_MOST_JOINTS * 1000, quickest = 1e6;
    in->failed |= !(report->height_cm >= 0 && report->height_cm <= tallest) ||
                  !(report->claimed_fps >= 0 && report->claimed_fps <= quickest) ||
                  !(report->flight_fps >= 0 && report->flight_fps <= quickest);
    report->warning_count = 0;
    report->warnings = NULL;
    int64_t count = mry_get_integer(in, 0, 1000);
    for (int64_t i = 0; i < count && !in->failed; i++) {
        const char *text = mry_get_text(in, &clip->mem);
        if (text && !mry_clip_warn(clip, "%s", text)) return false;
    }
    return true;
}

/* Frames, rate and the file's own numbers: all that a sound clip is judged by. INPUT, MEMORY. */
static marey_status get_numbers(const mry_stored *stored, mry_bytes_reader *about, marey_clip *clip,
                                marey_error *error)
{
    int rows = 0, cols = 0;
    mry_get_integer(about, RECORD_VERSION, RECORD_VERSION);
    clip->fps = mry_get_number(about);
    clip->source.frame_time = mry_get_number(about);
    clip->source.decimals = (int)mry_get_integer(about, 0, 400);
    if (about->failed || !mry_columns_shape(stored->columns, stored->columns_size, &rows, &cols) ||
        rows < 1 || rows > MRY_MOST_FRAMES || cols != clip->skeleton.channel_count || cols < 1) {
        return fail_damaged(stored, error);
    }
    uint64_t memory = mry_record_memory(clip, rows);
    size_t there = stored->packed_size + stored->skeleton_size, most = mry_most_unpacked(there);
    if (memory > most) {
        return mry_fail(error, MAREY_ERR_INPUT, stored->name,
                        "unsound clip: %zu stored bytes must unpack to at most %zu, got %" PRIu64
                        " for %d frames",
                        there, most, memory, rows);
    }
    clip->frames = rows;
    clip->source.channels = MRY_NEW_RAW(&clip->mem, double, (size_t)rows *(size_t)cols);
    if (!clip->source.channels) return mry_fail_memory(error, stored->name);
    if (!mry_columns_unpack(stored->columns, stored->columns_size, clip->source.channels)) {
        return fail_damaged(stored, error);
    }
    return MAREY_OK;
}

/* The tracks of a sound clip, then what is known about it. False when out of memory. */
static bool get_rest(mry_bytes_reader *about, marey_clip *clip)
{
    mry_plan plan;
    marey_units units = (marey_units)mry_get_integer(about, MAREY_UNITS_MM, MAREY_UNITS_RAW);
    marey_up up = (marey_up)mry_get_integer(about, MAREY_UP_Y, MAREY_UP_Z);
    if (about->failed) return true;
    mry_arena tmp = mry_arena_make(clip->mem.ctx);
    bool fits = mry_clip_take_tracks(clip, clip->frames) && mry_plan_make(&plan, clip, &tmp);
    for (int f = 0; f < clip->frames && fits; f++) mry_plan_derive(&plan, clip, f);
    mry_arena_free(&tmp);
    return fits && mry_roles_find(clip) && mry_clip_settle_units(clip, units, up) &&
           get_marks(about, clip) && get_report(about, clip);
}

marey_status mry_record_open(marey_ctx *ctx, const mry_stored *stored, marey_clip **out,
                             marey_error *error)
{
    const uint8_t *bytes = stored->about;
    mry_bytes_reader about = { .p = bytes, .end = bytes + stored->about_size };
    bool damaged = false;
    marey_clip *clip = get_skeleton(ctx, stored, &damaged);
    if (!clip) {
        return damaged ? fail_damaged(stored, error) : mry_fail_memory(error, stored->name);
    }
    marey_status status = get_numbers(stored, &about, clip, error);
    if (!status) status = mry_clip_check(clip, stored->name, error);
    if (!status && !get_rest(&about, clip)) status = mry_fail_memory(error, stored->name);
    if (!status && (about.failed || about.p != about.end)) status = fail_damaged(stored, error);
    if (status) {
        marey_clip_free(clip);
        return status;
    }
    *out = clip;
    return MAREY_OK;
}
