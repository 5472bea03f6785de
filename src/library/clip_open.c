/* clip_open.c - stored records to clips. The bytes passed their checksums, but that is no proof of sense: every
   count is bounded by the bytes there are before memory is taken for it. */
#include "library/clip_record.h"

#include "base/bytes.h"
#include "base/fail.h"
#include "motion/channels.h"
#include "store/columns.h"

#include <math.h>
#include <string.h>

enum { RECORD_VERSION = 1 };

static void get_joint(mry_bytes_reader *in, marey_clip *clip, int j)
{
    marey_joint *joint = &clip->joints[j];
    joint->name = mry_get_text(in, &clip->mem);
    joint->parent = (int)mry_get_integer(in, j ? 0 : -1, j - 1);
    joint->has_end = mry_get_integer(in, 0, 1);
    joint->channel_count = (int)mry_get_integer(in, 0, MAREY_CHANNEL_COUNT);
    joint->first_channel = clip->skeleton.channel_count;
    clip->skeleton.channel_count += joint->channel_count;
    unsigned seen = 0;
    for (int c = 0; c < joint->channel_count; c++) {
        joint->channels[c] = (marey_channel)mry_get_integer(in, 0, MAREY_CHANNEL_COUNT - 1);
        in->failed |= (seen >> joint->channels[c]) & 1; /* each kind at most once */
        seen |= 1u << joint->channels[c];
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
        for (int j = 0; j < count; j++) { /* each axis once */
            const uint8_t *o = clip->source.orders + 3 * j;
            in->failed |= o[0] == o[1] || o[0] == o[2] || o[1] == o[2];
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
    report->warning_count = 0;
    report->warnings = NULL;
    int64_t count = mry_get_integer(in, 0, 1000);
    for (int64_t i = 0; i < count && !in->failed; i++) {
        const char *text = mry_get_text(in, &clip->mem);
        if (text && !mry_clip_warn(clip, "%s", text)) return false;
    }
    return true;
}

static bool get_about(const mry_stored *stored, marey_clip *clip, bool *damaged)
{
    const uint8_t *bytes = stored->about;
    mry_bytes_reader in = { .p = bytes, .end = bytes + stored->about_size };
    mry_get_integer(&in, RECORD_VERSION, RECORD_VERSION);
    clip->fps = mry_get_number(&in);
    clip->source.frame_time = mry_get_number(&in);
    clip->source.decimals = (int)mry_get_integer(&in, 0, 400);
    marey_units units = (marey_units)mry_get_integer(&in, MAREY_UNITS_MM, MAREY_UNITS_RAW);
    marey_up up = (marey_up)mry_get_integer(&in, MAREY_UP_Y, MAREY_UP_Z);
    in.failed |= !(clip->fps >= 0.01 && clip->fps <= 20000) || clip->source.frame_time < 0;
    *damaged = in.failed;
    if (in.failed) return true;
    if (!mry_roles_find(clip) || !mry_clip_settle_units(clip, units, up)) return false;
    bool fits = get_marks(&in, clip) && get_report(&in, clip);
    *damaged = in.failed || in.p != in.end;
    return fits;
}

/* As the readers have it: finite, and small enough for a float to hold a body. */
static bool are_numbers_sound(const double *numbers, size_t count)
{
    bool sound = true;
    for (size_t i = 0; i < count; i++) sound &= fabs(numbers[i]) <= 1e9;
    return sound;
}

static bool get_motion(const mry_stored *stored, marey_clip *clip, bool *damaged)
{
    int rows = 0, cols = 0;
    *damaged = !mry_columns_shape(stored->columns, stored->columns_size, &rows, &cols) ||
               rows < 1 || rows > MRY_MOST_FRAMES || cols != clip->skeleton.channel_count ||
               cols < 1;
    if (*damaged) return true;
    mry_plan plan;
    clip->source.channels = MRY_NEW_RAW(&clip->mem, double, (size_t)rows *(size_t)cols);
    if (!clip->source.channels || !mry_clip_take_tracks(clip, rows)) return false;
    *damaged = !mry_columns_unpack(stored->columns, stored->columns_size, clip->source.channels) ||
               !are_numbers_sound(clip->source.channels, (size_t)rows * (size_t)cols);
    if (*damaged) return true;
    mry_arena tmp = mry_arena_make(clip->mem.ctx);
    bool fits = mry_plan_make(&plan, clip, &tmp);
    for (int f = 0; f < rows && fits; f++) mry_plan_derive(&plan, clip, f);
    mry_arena_free(&tmp);
    return fits;
}

marey_status mry_record_open(marey_ctx *ctx, const mry_stored *stored, marey_clip **out,
                             marey_error *error)
{
    bool damaged = false;
    marey_clip *clip = get_skeleton(ctx, stored, &damaged);
    bool fits = clip && get_motion(stored, clip, &damaged) &&
                (damaged || get_about(stored, clip, &damaged));
    if (fits && !damaged) {
        *out = clip;
        return MAREY_OK;
    }
    marey_clip_free(clip);
    if (!damaged) return mry_fail_memory(error, stored->name);
    return mry_fail(error, MAREY_ERR_INPUT, stored->name, "the stored clip is damaged");
}
