/* bvh_read.c - a BVH file becomes a clip. There is no standard; the dialects that are accepted, and
   what becomes of each oddity, are listed in docs/bvh.md and tests/data/hostile/README.md. */
#include "base/fail.h"
#include "io/bvh_parse.h"
#include "io/format.h"
#include "motion/channels.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- the MOTION part: rows of numbers into quaternion tracks --------------------------------- */

/* Memory is taken once, for as many frames as the rest of the file can hold at two bytes a number,
   and never more than announced. */

typedef struct reader {
    mry_scan *scan;
    marey_clip *clip;
    mry_plan plan;
    int channel_count;
    int64_t declared; /* what "Frames:" says */
    int capacity;     /* rows that there is memory for */
    int frames;       /* rows read */
    bool free_layout; /* frames do not keep to lines */
    bool cut_short;   /* the last frame was incomplete */
    mry_row_notes notes;
} reader;

static void skip_colon(mry_scan *scan)
{
    mry_scan_skip_blanks(scan);
    mry_scan_keyword(scan, ":");
    mry_scan_skip_blanks(scan);
    mry_scan_need(scan, MRY_NUMBER_LONGEST + 1);
}

/* Files round the frame time: .0083333 means 120 Hz, 0.0417083 means 24000/1001 Hz. */
static double nominal_rate(double frame_time)
{
    double rate = 1.0 / frame_time;
    double whole = nearbyint(rate), film = nearbyint(rate * 1.001) / 1.001;
    double off_whole = fabs(rate - whole) / rate, off_film = fabs(rate - film) / rate;
    if (off_whole <= off_film && off_whole < 2e-4 && whole >= 1) return whole;
    return off_film < 2e-4 && film >= 1 ? film : rate;
}

/* From MOTION to the frame time. A rate given by the user makes that line needless. */
static marey_status read_header(reader *r, double source_fps)
{
    mry_scan *scan = r->scan;
    mry_decimal number = { 0 };
    const char *word;
    mry_scan_skip_space(scan);
    if (!mry_scan_keyword(scan, "MOTION")) return mry_scan_expected(scan, "MOTION");
    mry_scan_skip_space(scan);
    if (!mry_scan_keyword(scan, "Frames")) return mry_scan_expected(scan, "Frames:");
    skip_colon(scan);
    size_t bytes = mry_number_read(scan->p, scan->end, &number);
    if (!bytes || number.decimals || !(number.value >= 1))
        return mry_scan_expected(scan, "the number of frames, at least 1");
    if (number.value > MRY_MOST_FRAMES) {
        return mry_scan_fail(scan, MAREY_ERR_LIMIT, "%.0f frames; marey reads at most %d",
                             number.value, MRY_MOST_FRAMES);
    }
    r->declared = (int64_t)number.value;
    mry_scan_take(scan, bytes);
    mry_scan_skip_space(scan);
    r->clip->fps = source_fps;
    bool has_time = mry_scan_keyword(scan, "FrameTime");
    if (!has_time && mry_scan_keyword(scan, "Frame")) {
        mry_scan_skip_blanks(scan);
        has_time = mry_scan_keyword(scan, "Time");
    }
    if (!has_time && source_fps > 0) return MAREY_OK;
    if (!has_time) return mry_scan_expected(scan, "Frame Time: (or give --source-fps)");
    skip_colon(scan);
    number = (mry_decimal){ 0 };
    bytes = mry_number_read(scan->p, scan->end, &number);
    if (bytes && number.value >= 0.9999e-4 && number.value <= 10.0) {
        r->clip->source.frame_time = number.value;
        r->clip->fps = nominal_rate(number.value);
        r->notes.commas += number.decimal_comma;
    } else if (!(source_fps > 0)) {
        return mry_scan_expected(scan, "0.0001 to 10 seconds a frame (or give --source-fps)");
    }
    mry_scan_take(scan, bytes ? bytes : mry_scan_word(scan, &word));
    return MAREY_OK;
}

/* A number takes two bytes at least, so the bytes left bound the frames that can come. With a
   channel for every joint a frame's tracks are at most 24 times its text; only joints without any
   can pass 32. */
static marey_status take_memory(reader *r, mry_arena *tmp)
{
    marey_clip *clip = r->clip;
    int64_t left = mry_scan_left(r->scan), most = left / (2 * (int64_t)r->channel_count) + 1;
    int64_t frames = r->declared < most ? r->declared : most;
    double frame_bytes =
        8.0 * r->channel_count + 16.0 * clip->skeleton.joint_count + 24.0 * clip->mover_count;
    if ((double)frames * frame_bytes > 64e6 + 32.0 * (double)left) {
        return mry_scan_fail(r->scan, MAREY_ERR_LIMIT,
                             "%d joints but only %d channels: too many joints that never move",
                             clip->skeleton.joint_count, r->channel_count);
    }
    r->capacity = (int)frames;
    clip->source.channels =
        MRY_NEW_RAW(&clip->mem, double, (size_t)frames *(size_t)r->channel_count);
    if (clip->source.channels && mry_clip_take_tracks(clip, r->capacity) &&
        mry_plan_make(&r->plan, clip, tmp)) {
        return MAREY_OK;
    }
    return mry_scan_fail(r->scan, MAREY_ERR_MEMORY, "out of memory");
}

/* One frame; *goes_on turns false at the end of the file. */
static marey_status read_frame(reader *r, bool *goes_on)
{
    mry_scan *scan = r->scan;
    double *row = mry_channels(r->clip, r->frames);
    int count = 0;
    mry_scan_skip_space(scan);
    for (;;) {
        count +=
            mry_scan_row(scan, row + count, r->channel_count - count, MRY_MOST_NUMBER, &r->notes);
        if (count == r->channel_count) break;
        if (!mry_scan_at_line_end(scan)) {
            const marey_joint *joint = r->clip->joints;
            mry_decimal number;
            char text[400];
            while (count >= joint->first_channel + joint->channel_count) joint++;
            const char *name = marey_channel_name(joint->channels[count - joint->first_channel]);
            if (mry_number_read(scan->p, scan->end, &number))
                return mry_scan_fail(scan, MAREY_ERR_INPUT, "the number for %s %s is too large",
                                     joint->name, name);
            snprintf(text, sizeof text, "a number for %s %s", joint->name, name);
            return mry_scan_expected(scan, text);
        }
        /* The line is over before the frame. Fine in the last line (the file was cut short) and
           where frames do not keep to lines; otherwise the columns would shift, so it is
           refused. */
        int64_t line = scan->line, column = mry_scan_column(scan);
        if (mry_scan_at_end(scan)) {
            r->cut_short = count > 0;
            *goes_on = false;
            return scan->status;
        }
        if (r->frames == 0) r->free_layout = true;
        if (r->free_layout) continue;
        if (scan->status) return scan->status;
        return scan->status = mry_fail_at(scan->error, MAREY_ERR_INPUT, scan->path, line, column,
                                          "expected %d numbers in this line, found %d",
                                          r->channel_count, count);
    }
    if (!r->free_layout && !mry_scan_at_line_end(scan)) {
        return mry_scan_fail(scan, MAREY_ERR_INPUT, "expected the end of the line after %d numbers",
                             r->channel_count);
    }
    mry_plan_derive(&r->plan, r->clip, r->frames);
    r->frames++;
    return scan->status;
}

/* Reads from MOTION to the end of the file into a clip that has its skeleton. */
static marey_status read_motion(mry_scan *scan, mry_arena *tmp, double source_fps, marey_clip *clip)
{
    reader r = { .scan = scan, .clip = clip, .channel_count = clip->skeleton.channel_count };
    marey_status status = read_header(&r, source_fps);
    if (!status && r.channel_count == 0) {
        status =
            mry_scan_fail(scan, MAREY_ERR_INPUT, "no joint has CHANNELS, so there is no motion");
    }
    if (!status) status = take_memory(&r, tmp);
    for (bool goes_on = true; !status && goes_on && r.frames < r.declared;) {
        if (r.frames == r.capacity)
            return mry_scan_fail(scan, MAREY_ERR_IO, "the file grew while it was read");
        status = read_frame(&r, &goes_on);
        if (!status && r.frames % 1024 == 0 &&
            !mry_progress(scan->ctx, "reading", r.frames, r.declared)) {
            scan->status = MAREY_ERR_CANCELLED;
            return mry_fail_cancelled(scan->error);
        }
    }
    if (!status && r.frames == 0)
        status = mry_scan_fail(scan, MAREY_ERR_INPUT, "expected %d numbers for the first frame",
                               r.channel_count);
    if (status) return status;
    clip->frames = r.frames;
    clip->source.decimals = r.notes.decimals;
    bool fits = true;
    if (r.frames < r.declared) {
        fits &= mry_clip_warn(clip, "the file says %" PRId64 " frames but holds %d", r.declared,
                              r.frames);
    }
    if (r.cut_short) fits &= mry_clip_warn(clip, "the last frame is incomplete and was left out");
    if (r.free_layout) {
        fits &= mry_clip_warn(clip, "the frames do not keep to lines, so a missing number would go "
                                    "unnoticed");
    }
    if (r.notes.commas) {
        fits &= mry_clip_warn(clip, "%" PRId64 " numbers have a decimal comma, read as a point",
                              r.notes.commas);
    }
    if (r.frames == r.declared && !mry_scan_at_end(r.scan)) {
        fits &= mry_clip_warn(clip,
                              "there is more behind the %d frames that the file announces; it was "
                              "left out",
                              r.frames);
    }
    return fits ? scan->status : mry_scan_fail(scan, MAREY_ERR_MEMORY, "out of memory");
}

bool mry_bvh_probe(const mry_scan *scan)
{
    mry_scan look = *scan; /* a copy: looking moves nothing */
    look.all_read = true;
    mry_scan_skip_mark(&look);
    mry_scan_skip_space(&look);
    return mry_scan_keyword(&look, "HIERARCHY");
}

/* False when out of memory. */
static bool fill_skeleton(marey_clip *clip, const mry_bvh_tree *tree)
{
    int channel = 0;
    for (int j = 0; j < tree->count; j++) {
        const mry_bvh_joint *read = &tree->joints[j];
        marey_joint *joint = &clip->joints[j];
        joint->name = mry_arena_text(&clip->mem, read->name, strlen(read->name));
        if (!joint->name) return false;
        joint->parent = read->parent;
        joint->has_end = read->has_end;
        joint->first_channel = channel;
        joint->channel_count = read->channel_count;
        memcpy(joint->channels, read->channels, sizeof joint->channels);
        memcpy(joint->offset_cm, read->offset, sizeof joint->offset_cm);
        memcpy(joint->end_cm, read->end, sizeof joint->end_cm);
        memcpy(clip->source.offsets + 3 * j, read->offset, sizeof read->offset);
        memcpy(clip->source.ends + 3 * j, read->end, sizeof read->end);
        channel += read->channel_count;
    }
    clip->skeleton.channel_count = channel;
    bool fits = mry_clip_find_movers(clip);
    if (fits && tree->twice)
        fits = mry_clip_warn(clip, "more than one joint is called %s", tree->twice);
    if (fits && tree->offsets_missing)
        fits = mry_clip_warn(clip, "%d joints or End Sites have no OFFSET; zero was taken",
                             tree->offsets_missing);
    if (fits && tree->ends_dropped)
        fits = mry_clip_warn(clip, "%d joints have more than one End Site; the first was taken",
                             tree->ends_dropped);
    if (fits && tree->scales)
        fits = mry_clip_warn(clip, "%d scale channels are kept but not applied", tree->scales);
    if (fits && tree->commas)
        fits = mry_clip_warn(clip, "%" PRId64 " offsets have a decimal comma, read as a point",
                             tree->commas);
    return fits;
}

marey_status mry_bvh_read(mry_scan *scan, const char *name, const marey_load_def *def,
                          marey_clip **out)
{
    mry_arena tmp = mry_arena_make(scan->ctx);
    mry_bvh_tree tree;
    marey_clip *clip = NULL;
    marey_status status = mry_bvh_read_tree(scan, &tmp, &tree);
    if (!status) {
        clip = mry_clip_make(scan->ctx, name, tree.count);
        status = clip && fill_skeleton(clip, &tree)
                     ? read_motion(scan, &tmp, def->source_fps, clip)
                     : mry_scan_fail(scan, MAREY_ERR_MEMORY, "out of memory");
    }
    mry_arena_free(&tmp);
    if (status) {
        marey_clip_free(clip);
        return status;
    }
    *out = clip;
    return MAREY_OK;
}
