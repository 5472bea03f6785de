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

/* Memory is taken once, for as many frames as the rest of the file can hold at two bytes a number, and never more than
   announced. */

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

/* ---- the two header lines -------------------------------------------------------------------- */

static void skip_colon(mry_scan *scan)
{
    mry_scan_skip_blanks(scan);
    mry_scan_keyword(scan, ":");
    mry_scan_skip_blanks(scan);
    mry_scan_need(scan, MRY_NUMBER_LONGEST + 1);
}

static marey_status read_frame_count(mry_scan *scan, int64_t *frames)
{
    mry_decimal number;
    mry_scan_skip_space(scan);
    if (!mry_scan_keyword(scan, "MOTION")) return mry_scan_expected(scan, "MOTION");
    mry_scan_skip_space(scan);
    if (!mry_scan_keyword(scan, "Frames")) return mry_scan_expected(scan, "Frames:");
    skip_colon(scan);
    size_t bytes = mry_number_read(scan->p, scan->end, &number);
    if (!bytes || number.decimals || !(number.value >= 1)) {
        return mry_scan_expected(scan, "the number of frames, at least 1");
    }
    if (number.value > MRY_MOST_FRAMES) {
        return mry_scan_fail(scan, MAREY_ERR_LIMIT, "%.0f frames; marey reads at most %d",
                             number.value, MRY_MOST_FRAMES);
    }
    *frames = (int64_t)number.value;
    mry_scan_take(scan, bytes);
    return MAREY_OK;
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

/* True if there is such a line; p stands behind its keyword then. */
static bool find_frame_time(mry_scan *scan)
{
    mry_scan_skip_space(scan);
    if (mry_scan_keyword(scan, "FrameTime")) return true;
    if (!mry_scan_keyword(scan, "Frame")) return false;
    mry_scan_skip_blanks(scan);
    return mry_scan_keyword(scan, "Time");
}

/* A rate given by the user makes the line needless. */
static marey_status read_frame_time(reader *r, double source_fps)
{
    mry_scan *scan = r->scan;
    mry_decimal number = { 0 };
    const char *word;
    bool told = source_fps > 0;
    r->clip->fps = source_fps;
    if (!find_frame_time(scan)) {
        return told ? MAREY_OK : mry_scan_expected(scan, "Frame Time: (or give --source-fps)");
    }
    skip_colon(scan);
    size_t bytes = mry_number_read(scan->p, scan->end, &number);
    if (bytes && number.value >= 0.9999e-4 && number.value <= 10.0) {
        r->clip->source.frame_time = number.value;
        r->clip->fps = nominal_rate(number.value);
        r->notes.commas += number.decimal_comma;
    } else if (!told) {
        return mry_scan_expected(scan, "0.0001 to 10 seconds a frame (or give --source-fps)");
    }
    mry_scan_take(scan, bytes ? bytes : mry_scan_word(scan, 0, &word));
    return MAREY_OK;
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* A number takes two bytes at least, so the bytes left bound the frames that can come. With a channel for
   every joint a frame's tracks are at most 24 times its text; only joints without any can pass 32. */
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

/* ---- rows ------------------------------------------------------------------------------------ */

static marey_status bad_number(reader *r, int channel)
{
    const marey_joint *joint = r->clip->joints;
    mry_decimal number;
    char what[400];
    while (channel >= joint->first_channel + joint->channel_count) joint++;
    const char *name = marey_channel_name(joint->channels[channel - joint->first_channel]);
    if (mry_number_read(r->scan->p, r->scan->end, &number)) {
        return mry_scan_fail(r->scan, MAREY_ERR_INPUT, "the number for %s %s is too large",
                             joint->name, name);
    }
    snprintf(what, sizeof what, "a number for %s %s", joint->name, name);
    return mry_scan_expected(r->scan, what);
}

static bool at_line_end(mry_scan *scan)
{
    mry_scan_skip_blanks(scan);
    return scan->p >= scan->end || *scan->p == '\n' || *scan->p == '\r';
}

/* The line is over before the frame. Fine in the last line (the file was cut short) and where frames
   do not keep to lines; otherwise the columns would shift, so it is refused. */
static marey_status short_line(reader *r, int count, bool *goes_on)
{
    int64_t line = r->scan->line, column = mry_scan_column(r->scan);
    if (mry_scan_at_end(r->scan)) {
        r->cut_short = count > 0;
        *goes_on = false;
        return r->scan->status;
    }
    if (r->frames == 0) r->free_layout = true;
    if (r->free_layout) return MAREY_OK;
    if (r->scan->status) return r->scan->status;
    return r->scan->status =
               mry_fail_at(r->scan->error, MAREY_ERR_INPUT, r->scan->path, line, column,
                           "expected %d numbers in this line, found %d", r->channel_count, count);
}

/* One frame; *goes_on turns false at the end of the file. */
static marey_status read_frame(reader *r, bool *goes_on)
{
    mry_scan *scan = r->scan;
    double *row = mry_channels(r->clip, r->frames);
    int count = 0;
    mry_scan_skip_space(scan);
    while (count < r->channel_count) {
        count +=
            mry_scan_row(scan, row + count, r->channel_count - count, MRY_MOST_NUMBER, &r->notes);
        if (count == r->channel_count) break;
        if (!at_line_end(scan)) return bad_number(r, count);
        marey_status status = short_line(r, count, goes_on);
        if (status || !*goes_on) return status;
    }
    if (!r->free_layout && !at_line_end(scan)) {
        return mry_scan_fail(scan, MAREY_ERR_INPUT, "expected the end of the line after %d numbers",
                             r->channel_count);
    }
    mry_plan_derive(&r->plan, r->clip, r->frames);
    r->frames++;
    return scan->status;
}

static marey_status read_frames(reader *r)
{
    bool goes_on = true;
    while (goes_on && r->frames < r->declared) {
        if (r->frames == r->capacity) {
            return mry_scan_fail(r->scan, MAREY_ERR_IO, "the file grew while it was read");
        }
        marey_status status = read_frame(r, &goes_on);
        if (status) return status;
        if (r->frames % 1024 == 0 &&
            !mry_progress(r->scan->ctx, "reading", r->frames, r->declared)) {
            r->scan->status = MAREY_ERR_CANCELLED;
            return mry_fail_cancelled(r->scan->error);
        }
    }
    if (r->frames > 0) return MAREY_OK;
    return mry_scan_fail(r->scan, MAREY_ERR_INPUT, "expected %d numbers for the first frame",
                         r->channel_count);
}

/* ---- the whole ------------------------------------------------------------------------------- */

static bool add_warnings(reader *r)
{
    marey_clip *clip = r->clip;
    bool fits = true;
    if (r->frames < r->declared) {
        fits &= mry_clip_warn(clip, "the file says %" PRId64 " frames but holds %d", r->declared,
                              r->frames);
    }
    if (r->cut_short) fits &= mry_clip_warn(clip, "the last frame is incomplete and was left out");
    if (r->free_layout) {
        fits &= mry_clip_warn(clip, "the frames do not keep to lines, so a missing number would go "
                                    "unnoticed");
    }
    if (r->notes.commas) {
        fits &= mry_clip_warn(clip, "%" PRId64 " numbers have a decimal comma, read as a point",
                              r->notes.commas);
    }
    if (r->frames == r->declared && !mry_scan_at_end(r->scan)) {
        fits &= mry_clip_warn(clip,
                              "there is more behind the %d frames that the file announces; it was "
                              "left out",
                              r->frames);
    }
    return fits;
}

/* Reads from MOTION to the end of the file into a clip that has its skeleton. */
static marey_status read_motion(mry_scan *scan, mry_arena *tmp, double source_fps, marey_clip *clip)
{
    reader r = { .scan = scan, .clip = clip, .channel_count = clip->skeleton.channel_count };
    marey_status status = read_frame_count(scan, &r.declared);
    if (!status) status = read_frame_time(&r, source_fps);
    if (!status && r.channel_count == 0) {
        status =
            mry_scan_fail(scan, MAREY_ERR_INPUT, "no joint has CHANNELS, so there is no motion");
    }
    if (!status) status = take_memory(&r, tmp);
    if (!status) status = read_frames(&r);
    if (status) return status;
    clip->frames = r.frames;
    clip->source.decimals = r.notes.decimals;
    if (!add_warnings(&r)) return mry_scan_fail(scan, MAREY_ERR_MEMORY, "out of memory");
    return scan->status;
}

/* ---- the file -------------------------------------------------------------------------------- */

bool mry_bvh_probe(const mry_scan *scan)
{
    mry_scan look = *scan; /* a copy: looking moves nothing */
    look.all_read = true;
    if (look.end - look.p >= 3 && memcmp(look.p, "\xef\xbb\xbf", 3) == 0) look.p += 3;
    mry_scan_skip_space(&look);
    return mry_scan_keyword(&look, "HIERARCHY");
}

static bool fill_skeleton(marey_clip *clip, const mry_bvh_tree *tree)
{
    int channel = 0;
    for (int j = 0; j < tree->count; j++) {
        const mry_bvh_joint *from = &tree->joints[j];
        marey_joint *to = &clip->joints[j];
        to->name = mry_arena_text(&clip->mem, from->name, strlen(from->name));
        if (!to->name) return false;
        to->parent = from->parent;
        to->has_end = from->has_end;
        to->first_channel = channel;
        to->channel_count = from->channel_count;
        memcpy(to->channels, from->channels, sizeof to->channels);
        memcpy(to->offset_cm, from->offset, sizeof to->offset_cm);
        memcpy(to->end_cm, from->end, sizeof to->end_cm);
        memcpy(clip->source.offsets + 3 * j, from->offset, sizeof from->offset);
        memcpy(clip->source.ends + 3 * j, from->end, sizeof from->end);
        channel += from->channel_count;
    }
    clip->skeleton.channel_count = channel;
    return mry_clip_find_movers(clip);
}

static bool add_tree_warnings(marey_clip *clip, const mry_bvh_tree *tree)
{
    bool fits = true;
    if (tree->twice) fits &= mry_clip_warn(clip, "more than one joint is called %s", tree->twice);
    if (tree->offsets_missing) {
        fits &= mry_clip_warn(clip, "%d joints or End Sites have no OFFSET; zero was taken",
                              tree->offsets_missing);
    }
    if (tree->ends_dropped) {
        fits &= mry_clip_warn(clip, "%d joints have more than one End Site; the first was taken",
                              tree->ends_dropped);
    }
    if (tree->scales) {
        fits &= mry_clip_warn(clip, "%d scale channels are kept but not applied", tree->scales);
    }
    if (tree->commas) {
        fits &= mry_clip_warn(clip, "%" PRId64 " offsets have a decimal comma, read as a point",
                              tree->commas);
    }
    return fits;
}

static marey_status read_into(mry_scan *scan, mry_arena *tmp, const char *name, double source_fps,
                              marey_clip **out)
{
    mry_bvh_tree tree;
    marey_status status = mry_bvh_read_tree(scan, tmp, &tree);
    if (status) return status;
    marey_clip *clip = mry_clip_make(scan->ctx, name, tree.count);
    if (!clip || !fill_skeleton(clip, &tree) || !add_tree_warnings(clip, &tree)) {
        marey_clip_free(clip);
        return mry_scan_fail(scan, MAREY_ERR_MEMORY, "out of memory");
    }
    status = read_motion(scan, tmp, source_fps, clip);
    if (status) {
        marey_clip_free(clip);
        return status;
    }
    *out = clip;
    return MAREY_OK;
}

marey_status mry_bvh_read(mry_scan *scan, const char *name, const marey_load_def *def,
                          marey_clip **out)
{
    mry_arena tmp = mry_arena_make(scan->ctx);
    marey_status status = read_into(scan, &tmp, name, def->source_fps, out);
    mry_arena_free(&tmp);
    return status;
}
