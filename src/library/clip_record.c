/* clip_record.c - clips to records. The other way is in clip_open.c. */
#include "library/clip_record.h"

#include "base/bytes.h"
#include "base/fail.h"
#include "motion/channels.h"
#include "store/columns.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { RECORD_VERSION = 1, MOTION_LEVEL = 3 };

/* ---- skeleton -------------------------------------------------------------------------------- */

static void put_joint(mry_bytes_writer *out, const marey_clip *clip, const marey_joint *joint,
                      int j)
{
    mry_put_text(out, joint->name);
    mry_put_integer(out, joint->parent);
    mry_put_integer(out, joint->has_end);
    mry_put_integer(out, joint->channel_count);
    for (int c = 0; c < joint->channel_count; c++)
        mry_put_integer(out, (int64_t)joint->channels[c]);
    for (int i = 0; i < 3; i++) mry_put_number(out, clip->source.offsets[3 * j + i]);
    for (int i = 0; i < 3 && joint->has_end; i++) mry_put_number(out, clip->source.ends[3 * j + i]);
}

static void put_skeleton(mry_bytes_writer *out, const marey_clip *clip, const marey_joint *joints)
{
    const mry_source *source = &clip->source;
    int count = clip->skeleton.joint_count;
    bool own_axes = source->channels && source->axes;
    bool own_orders = source->channels && source->orders;
    mry_put_integer(out, RECORD_VERSION);
    mry_put_integer(out, count);
    for (int j = 0; j < count; j++) put_joint(out, clip, &joints[j], j);
    mry_put_integer(out, own_axes);
    for (int i = 0; i < 4 * count && own_axes; i++) mry_put_number(out, (double)source->axes[i]);
    mry_put_integer(out, own_orders);
    for (int i = 0; i < 3 * count && own_orders; i++) mry_put_integer(out, source->orders[i]);
}

/* From what the joints are called and how they hang together, not from how long they are. */
static void name_skeleton(const marey_clip *clip, char *name, size_t room)
{
    uint64_t hash = 0;
    for (int j = 0; j < clip->skeleton.joint_count; j++) {
        const marey_joint *joint = &clip->joints[j];
        hash = mry_hash64(joint->name, strlen(joint->name), hash ^ (uint64_t)(joint->parent + 1));
    }
    const char *from = clip->skeleton.roles_from;
    snprintf(name, room, "%.24s-%d-%04x", *from ? from : "joints", clip->skeleton.joint_count,
             (unsigned)(hash & 0xffff));
}

/* ---- motion ---------------------------------------------------------------------------------- */

/* The file's own numbers, or new ones for a clip that was edited. */
static const double *find_channels(const marey_clip *clip, mry_arena *mem)
{
    size_t cols = (size_t)clip->skeleton.channel_count;
    if (clip->source.channels) return clip->source.channels;
    double *all = MRY_NEW_RAW(mem, double, (size_t)clip->frames *cols);
    double *row = MRY_NEW(mem, double, cols);
    if (!all || !row) return NULL;
    for (int f = 0; f < clip->frames; f++) {
        mry_channels_from_tracks(clip, clip->joints, f, row);
        for (size_t c = 0; c < cols; c++) all[(size_t)f * cols + c] = nearbyint(row[c] * 1e6) / 1e6;
    }
    return all;
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

static bool pack_motion(const marey_clip *clip, mry_arena *mem, mry_record *out)
{
    mry_arena tmp = mry_arena_make(mem->ctx);
    void *columns = NULL;
    size_t size = 0;
    const double *channels = find_channels(clip, &tmp);
    bool fits = channels && mry_columns_pack(&tmp, &tmp, channels, clip->frames,
                                             clip->skeleton.channel_count, &columns, &size);
    fits = fits && mry_blob_pack(mem, columns, size, MOTION_LEVEL, &out->motion);
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
    return fits;
}

/* ---- about ----------------------------------------------------------------------------------- */

static void put_report(mry_bytes_writer *out, const marey_report *report)
{
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

static void put_about(mry_bytes_writer *out, const marey_clip *clip)
{
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
    put_report(out, &clip->report);
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
    name_skeleton(clip, out->skeleton_name, sizeof out->skeleton_name);
    return pack_motion(clip, mem, out);
}
