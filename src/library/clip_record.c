/* clip_record.c - clips to records and back. */
#include "library/clip_record.h"

#include "base/bytes.h"
#include "base/fail.h"
#include "feature/feature_data.h"
#include "library/pose_rows.h"
#include "motion/channels.h"
#include "store/columns.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { RECORD_VERSION = 1, MOTION_LEVEL = 3 };

static void put_skeleton(mry_bytes_writer *out, const marey_clip *clip, const marey_joint *joints)
{
    const mry_source *source = &clip->source;
    int count = clip->skeleton.joint_count;
    bool own_axes = source->channels && source->axes;
    bool own_orders = source->channels && source->orders;
    mry_put_integer(out, RECORD_VERSION);
    mry_put_integer(out, count);
    for (int j = 0; j < count; j++) {
        const marey_joint *joint = &joints[j];
        mry_put_text(out, joint->name);
        mry_put_integer(out, joint->parent);
        mry_put_integer(out, joint->has_end);
        mry_put_integer(out, joint->channel_count);
        for (int c = 0; c < joint->channel_count; c++)
            mry_put_integer(out, (int64_t)joint->channels[c]);
        for (int i = 0; i < 3; i++) mry_put_number(out, source->offsets[3 * j + i]);
        for (int i = 0; i < 3 && joint->has_end; i++) mry_put_number(out, source->ends[3 * j + i]);
    }
    mry_put_integer(out, own_axes);
    for (int i = 0; i < 4 * count && own_axes; i++) mry_put_number(out, (double)source->axes[i]);
    mry_put_integer(out, own_orders);
    for (int i = 0; i < 3 * count && own_orders; i++) mry_put_integer(out, source->orders[i]);
}

void mry_record_hash(const mry_stored *stored, double fps, marey_units units, marey_up up,
                     uint8_t hash[16])
{
    const uint64_t rest[3] = { (uint64_t)llrint(fps * 1e6), (uint64_t)units, (uint64_t)up };
    for (int half = 0; half < 2; half++) {
        uint64_t sum = mry_hash64(stored->skeleton, stored->skeleton_size, (uint64_t)half + 1);
        sum = mry_hash64(stored->columns, stored->columns_size, sum);
        for (int i = 0; i < 3; i++) {
            uint8_t bytes[8];
            for (int k = 0; k < 8; k++) bytes[k] = (uint8_t)(rest[i] >> (8 * k));
            sum = mry_hash64(bytes, sizeof bytes, sum);
        }
        for (int i = 0; i < 8; i++) hash[8 * half + i] = (uint8_t)(sum >> (8 * i));
    }
}

static void put_about(mry_bytes_writer *out, const marey_clip *clip)
{
    const marey_report *report = &clip->report;
    mry_put_integer(out, RECORD_VERSION);
    mry_put_number(out, clip->fps);
    mry_put_number(out, clip->source.frame_time);
    mry_put_integer(out, clip->source.channels ? clip->source.decimals : 6);
    mry_put_integer(out, (int64_t)clip->units);
    mry_put_integer(out, (int64_t)clip->up);
    mry_put_integer(out, clip->mark_count);
    for (int i = 0; i < clip->mark_count; i++) {
        mry_put_integer(out, (int64_t)clip->marks[i].kind);
        mry_put_integer(out, clip->marks[i].start);
        mry_put_integer(out, clip->marks[i].end);
    }
    mry_put_text(out, report->format);
    mry_put_text(out, report->units_why);
    mry_put_text(out, report->up_why);
    mry_put_number(out, report->height_cm);
    mry_put_number(out, report->claimed_fps);
    mry_put_number(out, report->flight_fps);
    mry_put_integer(out, report->flight_count);
    mry_put_integer(out, report->warning_count);
    for (int i = 0; i < report->warning_count; i++) mry_put_text(out, report->warnings[i]);
}

uint64_t mry_record_memory(const marey_clip *clip, int frames)
{
    uint64_t row = (uint64_t)clip->skeleton.channel_count * sizeof(double) +
                   (uint64_t)clip->skeleton.joint_count * 4 * sizeof(float) +
                   (uint64_t)clip->mover_count * 3 * sizeof(double);
    return row * (uint64_t)frames;
}

marey_status mry_record_check(const mry_record *record, const char *name, marey_error *error)
{
    uint64_t row = record->memory / (uint64_t)record->frames;
    uint64_t most = mry_most_unpacked(record->motion.packed_size + record->skeleton_size);
    if (record->memory <= most) return MAREY_OK;
    return mry_fail(error, MAREY_ERR_LIMIT, name,
                    "a clip that hardly moves must have at most %" PRIu64
                    " frames with these joints, got %d",
                    most / row, record->frames);
}

uint64_t mry_skeleton_hash(const marey_clip *clip)
{
    uint64_t hash = 0;
    for (int j = 0; j < clip->skeleton.joint_count; j++) {
        const marey_joint *joint = &clip->joints[j];
        hash = mry_hash64(joint->name, strlen(joint->name), hash ^ (uint64_t)(joint->parent + 1));
    }
    return hash;
}

bool mry_record_make(const marey_clip *clip, mry_arena *mem, mry_record *out)
{
    mry_bytes_writer skeleton = { .mem = mem }, about = { .mem = mem };
    put_skeleton(&skeleton, clip, clip->joints);
    put_about(&about, clip);
    if (skeleton.failed || about.failed) return false;
    *out = (mry_record){ .skeleton = skeleton.bytes,
                         .skeleton_size = skeleton.used,
                         .about = about.bytes,
                         .about_size = about.used,
                         .frames = clip->frames,
                         .fps = clip->fps,
                         .memory = mry_record_memory(clip, clip->frames) };
    const char *from = clip->skeleton.roles_from;
    snprintf(out->skeleton_name, sizeof out->skeleton_name, "%.24s-%d-%04x",
             *from ? from : "joints", clip->skeleton.joint_count,
             (unsigned)(mry_skeleton_hash(clip) & 0xffff));
    /* The file's own numbers, or new ones for a clip that was edited. */
    mry_arena tmp = mry_arena_make(mem->ctx);
    size_t cols = (size_t)clip->skeleton.channel_count, size = 0;
    const double *channels = clip->source.channels;
    if (!channels) {
        double *rounded = MRY_NEW_RAW(&tmp, double, (size_t)clip->frames *cols);
        double *row = MRY_NEW(&tmp, double, cols);
        for (int f = 0; f < clip->frames && rounded && row; f++) {
            mry_channels_from_tracks(clip, clip->joints, f, row);
            for (size_t c = 0; c < cols; c++)
                rounded[(size_t)f * cols + c] = nearbyint(row[c] * 1e6) / 1e6;
        }
        channels = row ? rounded : NULL;
    }
    void *columns = NULL;
    bool fits = channels &&
                mry_columns_pack(&tmp, &tmp, channels, clip->frames, (int)cols, &columns, &size) &&
                mry_blob_pack(mem, columns, size, MOTION_LEVEL, &out->motion);
    if (fits) {
        mry_stored bytes = { .skeleton = out->skeleton,
                             .skeleton_size = out->skeleton_size,
                             .columns = columns,
                             .columns_size = size };
        mry_record_hash(&bytes, clip->fps, clip->units, clip->up, out->hash);
        snprintf(out->motion_name, sizeof out->motion_name, "%016llx%016llx",
                 (unsigned long long)mry_hash64(columns, size, 1),
                 (unsigned long long)mry_hash64(columns, size, 2));
    }
    mry_arena_free(&tmp);
    fits = fits && mry_pose_bytes(clip, mem, &out->blocks, &out->blocks_size);
    /* Only a sound clip can be examined; another one is refused when it is opened. */
    if (!fits || mry_clip_check(clip, clip->name, NULL)) return fits;
    return mry_flaw_bytes(clip, mem, &out->flaws, &out->flaws_size, &out->flaw_count);
}

/* The bytes passed their checksums, but that is no proof of sense: every count is bounded by the
   bytes there are before memory is taken for it, and what is read must be a sound clip
   (mry_clip_check) before anything is made of it. What is a number's own business is checked where
   it is read, what makes a clip sound is not said here again. */

static marey_status fail_damaged(const mry_stored *stored, marey_error *error)
{
    return mry_fail(error, MAREY_ERR_INPUT, stored->name, "the stored clip is damaged");
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
    for (int j = 0; j < count && !in.failed; j++) {
        marey_joint *joint = &clip->joints[j];
        joint->name = mry_get_text(&in, &clip->mem);
        joint->parent = (int)mry_get_integer(&in, -1, MRY_MOST_JOINTS);
        joint->has_end = mry_get_integer(&in, 0, 1);
        joint->channel_count = (int)mry_get_integer(&in, 0, MAREY_CHANNEL_COUNT);
        joint->first_channel = clip->skeleton.channel_count;
        clip->skeleton.channel_count += joint->channel_count;
        for (int c = 0; c < joint->channel_count; c++)
            joint->channels[c] = (marey_channel)mry_get_integer(&in, 0, MAREY_CHANNEL_COUNT - 1);
        for (int i = 0; i < 3; i++)
            joint->offset_cm[i] = clip->source.offsets[3 * j + i] = mry_get_number(&in);
        for (int i = 0; i < 3 && joint->has_end; i++)
            joint->end_cm[i] = clip->source.ends[3 * j + i] = mry_get_number(&in);
    }
    bool fits = !in.failed;
    if (fits && mry_get_integer(&in, 0, 1)) {
        clip->source.axes = MRY_NEW(&clip->mem, float, 4 * count);
        fits = clip->source.axes != NULL;
        for (int i = 0; i < 4 * count && fits; i++)
            clip->source.axes[i] = (float)mry_get_number(&in);
    }
    if (fits && mry_get_integer(&in, 0, 1)) {
        clip->source.orders = MRY_NEW(&clip->mem, uint8_t, 3 * count);
        fits = clip->source.orders != NULL;
        for (int i = 0; i < 3 * count && fits; i++)
            clip->source.orders[i] = (uint8_t)mry_get_integer(&in, 0, 2);
    }
    fits = fits && mry_clip_find_movers(clip);
    /* Without memory what lies behind was not read. */
    *damaged = !in.no_memory && (in.failed || (fits && in.p != in.end));
    if (fits && !in.failed && !*damaged) return clip;
    marey_clip_free(clip);
    return NULL;
}

/* Marks of so many frames, of which the clip has every so many; then the report, which overwrites what settling the units wrote with what was found when
   the clip was first read. False when out of memory. */
static bool get_about(mry_bytes_reader *in, int frames, int every, marey_clip *clip)
{
    int64_t count = mry_get_integer(in, 0, frames), after = 0;
    for (int64_t i = 0; i < count && !in->failed; i++) {
        marey_mark_kind kind = (marey_mark_kind)mry_get_integer(in, 0, MAREY_MARK_COUNT - 1);
        int64_t start = mry_get_integer(in, after, frames - 1);
        int64_t end = mry_get_integer(in, start + 1, frames);
        if (in->failed) break;
        int from = ((int)start + every - 1) / every, to = ((int)end + every - 1) / every;
        if (from < to && !mry_clip_add_mark(clip, kind, from, to)) return false;
        after = end;
    }
    marey_report *report = &clip->report;
    report->format = mry_get_text(in, &clip->mem);
    report->units_why = mry_get_text(in, &clip->mem);
    report->up_why = mry_get_text(in, &clip->mem);
    report->height_cm = mry_get_number(in);
    report->claimed_fps = mry_get_number(in);
    report->flight_fps = mry_get_number(in);
    report->flight_count = (int)mry_get_integer(in, 0, MRY_MOST_FRAMES);
    /* Later stages measure by the height: a height that no chain of valid bones can have is
       invalid. */
    const double tallest = MRY_MOST_NUMBER * MRY_MOST_JOINTS * 1000, quickest = 1e6;
    in->failed |= !(report->height_cm >= 0 && report->height_cm <= tallest) ||
                  !(report->claimed_fps >= 0 && report->claimed_fps <= quickest) ||
                  !(report->flight_fps >= 0 && report->flight_fps <= quickest);
    report->warning_count = 0;
    report->warnings = NULL;
    count = mry_get_integer(in, 0, 1000);
    for (int64_t i = 0; i < count && !in->failed; i++) {
        const char *text = mry_get_text(in, &clip->mem);
        if (text && !mry_clip_warn(clip, "%s", text)) return false;
    }
    return !in->no_memory;
}

/* Frames, rate and the file's own numbers: all that a sound clip is judged by. INPUT, MEMORY. */
static marey_status get_numbers(const mry_stored *stored, double most_fps, mry_bytes_reader *about,
                                marey_clip *clip, int *frames, int *every, marey_error *error)
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
    /* mry_clip_check finds a rate that is none. */
    bool paced = most_fps > 0 && clip->fps >= 0.01 && clip->fps <= 20000;
    double rate = paced ? mry_rate_within(clip->fps, most_fps) : 0;
    int ratio = paced ? mry_whole_ratio(clip->fps, rate) : 1;
    *frames = rows;
    *every = ratio > 1 ? ratio : 1;
    if (*every > 1) clip->fps = rate;
    clip->frames = (rows - 1) / *every + 1;
    clip->source.channels = MRY_NEW_RAW(&clip->mem, double, (size_t)clip->frames *(size_t)cols);
    if (!clip->source.channels) return mry_fail_memory(error, stored->name);
    if (!mry_columns_unpack(stored->columns, stored->columns_size, *every, clip->source.channels)) {
        return fail_damaged(stored, error);
    }
    return MAREY_OK;
}

marey_status mry_record_open(marey_ctx *ctx, const mry_stored *stored, double most_fps,
                             marey_clip **out, marey_error *error)
{
    const uint8_t *bytes = stored->about;
    mry_bytes_reader about = { .p = bytes, .end = bytes + stored->about_size };
    bool damaged = false;
    marey_clip *clip = get_skeleton(ctx, stored, &damaged);
    if (!clip) return damaged ? fail_damaged(stored, error) : mry_fail_memory(error, stored->name);
    int frames = 0, every = 1;
    marey_status status = get_numbers(stored, most_fps, &about, clip, &frames, &every, error);
    if (!status) status = mry_clip_check(clip, stored->name, error);
    if (!status) {
        /* The tracks of a sound clip, then what is known about it. */
        mry_plan plan;
        marey_units units = (marey_units)mry_get_integer(&about, MAREY_UNITS_MM, MAREY_UNITS_RAW);
        marey_up up = (marey_up)mry_get_integer(&about, MAREY_UP_Y, MAREY_UP_Z);
        mry_arena tmp = mry_arena_make(ctx);
        bool fits = about.failed ||
                    (mry_clip_take_tracks(clip, clip->frames) && mry_plan_make(&plan, clip, &tmp));
        for (int f = 0; f < clip->frames && fits && !about.failed; f++)
            mry_plan_derive(&plan, clip, f);
        mry_arena_free(&tmp);
        if (fits && !about.failed)
            fits = mry_roles_find(clip) && mry_clip_settle_units(clip, units, up) &&
                   get_about(&about, frames, every, clip);
        if (!fits) status = mry_fail_memory(error, stored->name);
    }
    if (!status && (about.failed || about.p != about.end)) status = fail_damaged(stored, error);
    if (status) {
        marey_clip_free(clip);
        return status;
    }
    *out = clip;
    return MAREY_OK;
}
