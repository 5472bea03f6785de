/* amc_motion.c - the frames of an AMC file: a number, then a line for every bone that moves. Bones
   usually come in the same order in every frame, so the order of the frame before is tried first
   and names are looked up only where it fails. Frames are not announced: memory is taken once, for
   as many as the file can hold with every number in one digit. */
#include "io/asf_parse.h"

#include "base/fail.h"
#include "motion/channels.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

typedef struct reader {
    mry_scan *scan;
    const mry_asf *asf;
    marey_clip *clip;
    mry_plan plan;
    int capacity;    /* rows that there is memory for */
    int frames;      /* rows read */
    int moving;      /* joints that have channels */
    int lines;       /* of this frame so far */
    int filled;      /* joints with channels among them */
    int *expected;   /* J: the joint on each line of the frame before */
    int *seen;       /* J: the last frame, counted from 1, that spoke of it */
    size_t *lengths; /* J: of the names */
    double number;   /* of this frame in the file */
    double gap_from; /* the frame in front of the first gap */
    int64_t gaps;
    bool radians, cut_short;
    int skipped; /* header lines that are not known */
    mry_row_notes notes;
} reader;

static marey_status take_memory(reader *r, mry_arena *tmp)
{
    marey_clip *clip = r->clip;
    int channels = clip->skeleton.channel_count, joints = clip->skeleton.joint_count;
    int64_t shortest =
        2; /* a frame's number, and for each joint that moves a line of its name and of digits */
    r->expected = MRY_NEW(tmp, int, joints);
    r->seen = MRY_NEW(tmp, int, joints);
    r->lengths = MRY_NEW(tmp, size_t, joints);
    if (!r->expected || !r->seen || !r->lengths || !mry_plan_make(&r->plan, clip, tmp))
        return mry_scan_fail(r->scan, MAREY_ERR_MEMORY, "out of memory");
    for (int j = 0; j < joints; j++) {
        int count = clip->joints[j].channel_count;
        r->expected[j] = j;
        r->lengths[j] = strlen(clip->joints[j].name);
        r->moving += count > 0;
        if (count) shortest += (int64_t)r->lengths[j] + 2 * count + 1;
    }
    if (channels == 0) {
        return mry_scan_fail(r->scan, MAREY_ERR_INPUT, "no bone of the skeleton can move");
    }
    int64_t left = mry_scan_left(r->scan), most = left / shortest + 1;
    double frame_bytes = 8.0 * channels + 16.0 * joints + 24.0 * clip->mover_count;
    if (most > MRY_MOST_FRAMES) most = MRY_MOST_FRAMES;
    if ((double)most * frame_bytes > 64e6 + 32.0 * (double)left) {
        return mry_scan_fail(r->scan, MAREY_ERR_LIMIT,
                             "%d bones but only %d channels: too many bones that never move",
                             joints, channels);
    }
    r->capacity = (int)most;
    clip->source.channels = MRY_NEW_RAW(&clip->mem, double, (size_t)most *(size_t)channels);
    if (clip->source.channels && mry_clip_take_tracks(clip, r->capacity)) return MAREY_OK;
    return mry_scan_fail(r->scan, MAREY_ERR_MEMORY, "out of memory");
}

/* A line that ends too early is fine where the file ends with it: it was cut short. */
static marey_status bad_line(reader *r, const marey_joint *joint, int got)
{
    mry_scan *scan = r->scan;
    mry_decimal number;
    char text[400];
    if (mry_scan_at_line_end(scan)) {
        int64_t line = scan->line, column = mry_scan_column(scan);
        if (mry_scan_at_end(scan)) {
            r->cut_short = true;
            return MAREY_OK;
        }
        if (scan->status) return scan->status;
        return scan->status = mry_fail_at(scan->error, MAREY_ERR_INPUT, scan->path, line, column,
                                          "expected %d numbers for %s, found %d",
                                          joint->channel_count, joint->name, got);
    }
    const char *channel = marey_channel_name(joint->channels[got]);
    if (mry_number_read(scan->p, scan->end, &number)) {
        return mry_scan_fail(scan, MAREY_ERR_INPUT, "the number for %s %s is too large",
                             joint->name, channel);
    }
    snprintf(text, sizeof text, "a number for %s %s", joint->name, channel);
    return mry_scan_expected(scan, text);
}

static marey_status read_bone(reader *r)
{
    mry_scan *scan = r->scan;
    /* The joint whose name stands here, by the order of the frame before if that holds. */
    int j = r->lines < r->clip->skeleton.joint_count ? r->expected[r->lines] : 0;
    size_t count = r->lengths[j];
    mry_scan_need(scan, count + 1);
    char behind = (size_t)(scan->end - scan->p) > count ? scan->p[count] : 0;
    bool right =
        (behind == ' ' || behind == '\t') && memcmp(scan->p, r->clip->joints[j].name, count) == 0;
    if (!right) {
        const char *name;
        marey_status status = mry_asf_read_name(scan, "the name of a bone", &name, &count);
        if (status) return status;
        int bone = mry_asf_find(r->asf, name, count);
        if (bone < 0) return mry_scan_expected(scan, "a bone of the skeleton or a frame number");
        j = r->asf->joint[bone];
    }
    const marey_joint *joint = &r->clip->joints[j];
    if (r->seen[j] == r->frames + 1) {
        return mry_scan_fail(scan, MAREY_ERR_INPUT, "%s twice in frame %.0f", joint->name,
                             r->number);
    }
    mry_scan_take(scan, count);
    double *row = mry_channels(r->clip, r->frames) + joint->first_channel;
    int got = mry_scan_row(scan, row, joint->channel_count, MRY_MOST_NUMBER, &r->notes);
    if (got < joint->channel_count) return bad_line(r, joint, got);
    if (!mry_scan_at_line_end(scan)) {
        return mry_scan_fail(scan, MAREY_ERR_INPUT,
                             "expected the end of the line after %d numbers for %s", got,
                             joint->name);
    }
    r->expected[r->lines++] = j;
    r->seen[j] = r->frames + 1;
    r->filled += joint->channel_count > 0;
    return MAREY_OK;
}

static marey_status read_frame(reader *r)
{
    mry_scan *scan = r->scan;
    const marey_joint *joints = r->clip->joints;
    mry_decimal number;
    /* Numbers may begin anywhere and leave some out, but they rise: else frames were joined by
       mistake. */
    size_t bytes = mry_number_read(scan->p, scan->end, &number);
    bool whole = bytes && !number.decimals && number.value > -1e15 && number.value < 1e15;
    if (!whole) return mry_scan_expected(scan, "the number of a frame");
    if (r->frames > 0 && number.value <= r->number) {
        return mry_scan_fail(scan, MAREY_ERR_INPUT, "frame %.0f follows frame %.0f", number.value,
                             r->number);
    }
    mry_scan_take(scan, bytes);
    if (!mry_scan_at_line_end(scan))
        return mry_scan_expected(scan, "the end of the line after the number of a frame");
    if (r->frames > 0 && number.value != r->number + 1 && r->gaps++ == 0) r->gap_from = r->number;
    r->number = number.value;
    marey_status status = MAREY_OK;
    r->lines = r->filled = 0;
    while (!status && !r->cut_short && mry_asf_next(scan)) {
        /* No bone is called a number, so one tells where the next frame begins; "2ndToe" is a
           bone. */
        bool may_be = (*scan->p >= '0' && *scan->p <= '9') || *scan->p == '-' || *scan->p == '+';
        if (may_be && mry_number_read(scan->p, scan->end, &number)) break;
        status = read_bone(r);
    }
    if (!status) status = scan->status;
    if (status) return status;
    if (r->filled < r->moving) {
        r->cut_short |= mry_scan_at_end(scan);
        if (r->cut_short) return MAREY_OK;
        int missing = 0;
        while (r->seen[missing] == r->frames + 1 || joints[missing].channel_count == 0) missing++;
        return mry_scan_fail(scan, MAREY_ERR_INPUT, "frame %.0f says nothing about %s", r->number,
                             joints[missing].name);
    }
    /* What the file left open: where the root stands, and degrees. */
    double *row = mry_channels(r->clip, r->frames);
    for (int c = 0; c < joints[0].channel_count; c++) {
        if (joints[0].channels[c] <= MAREY_CHANNEL_Z_POSITION)
            row[c] += r->asf->position[joints[0].channels[c]];
    }
    for (int j = 0; r->radians && j < r->clip->skeleton.joint_count; j++) {
        for (int c = 0; c < joints[j].channel_count; c++) {
            if (joints[j].channels[c] > MAREY_CHANNEL_Z_POSITION)
                row[joints[j].first_channel + c] *= MRY_DEGREES_PER_RADIAN;
        }
    }
    mry_plan_derive(&r->plan, r->clip, r->frames);
    r->frames++;
    return MAREY_OK;
}

marey_status mry_amc_read_motion(mry_scan *scan, mry_arena *tmp, const mry_asf *asf,
                                 marey_clip *clip)
{
    reader r = { .scan = scan, .asf = asf, .clip = clip, .radians = asf->radians };
    marey_status status = mry_scan_start(scan);
    mry_decimal rate;
    if ((size_t)(scan->end - scan->p) > strlen(MRY_AMC_RATE) &&
        memcmp(scan->p, MRY_AMC_RATE, strlen(MRY_AMC_RATE)) == 0 &&
        mry_number_read(scan->p + strlen(MRY_AMC_RATE), scan->end, &rate) && rate.value >= 0.1 &&
        rate.value <= 10000)
        clip->fps = rate.value;
    while (!status && mry_asf_next(scan) && *scan->p == ':') { /* the head */
        if (mry_asf_sees(scan, ":DEGREES")) {
            r.radians = false;
        } else if (mry_asf_sees(scan, ":RADIANS")) {
            r.radians = true;
        } else if (!mry_asf_sees(scan, ":FULLY-SPECIFIED")) {
            r.skipped++;
        }
        mry_asf_skip_line(scan);
    }
    if (!status) status = scan->status;
    if (!status) status = take_memory(&r, tmp);
    if (status) return status;
    while (!r.cut_short && mry_asf_next(scan)) {
        if (r.frames == MRY_MOST_FRAMES)
            return mry_scan_fail(scan, MAREY_ERR_LIMIT, "more than %d frames", MRY_MOST_FRAMES);
        if (r.frames == r.capacity)
            return mry_scan_fail(scan, MAREY_ERR_IO, "the file grew while it was read");
        status = read_frame(&r);
        if (status) return status;
        if (r.frames % 1024 == 0 && !mry_progress(scan->ctx, "reading", r.frames, 0)) {
            scan->status = MAREY_ERR_CANCELLED;
            return mry_fail_cancelled(scan->error);
        }
    }
    if (scan->status) return scan->status;
    if (r.frames == 0)
        return mry_scan_fail(scan, MAREY_ERR_INPUT,
                             "expected a whole frame, found the end of the file");
    clip->frames = r.frames;
    clip->source.decimals = r.notes.decimals;
    const double *position = asf->position;
    bool fits = true;
    if (r.skipped) {
        fits &= mry_clip_warn(clip, "%d header lines of the motion are not known and were left out",
                              r.skipped);
    }
    if (r.cut_short) fits &= mry_clip_warn(clip, "the last frame is incomplete and was left out");
    if (r.gaps) {
        fits &= mry_clip_warn(clip,
                              "frame numbers are left out in %" PRId64
                              " places, the first behind %.0f; the frames were taken as neighbours",
                              r.gaps, r.gap_from);
    }
    if (r.radians) {
        fits &= mry_clip_warn(clip, "angles are in radians; they are kept in degrees, so not digit "
                                    "for digit as in the file");
    }
    if (position[0] != 0 || position[1] != 0 || position[2] != 0) {
        fits &=
            mry_clip_warn(clip, "the skeleton stands at %g %g %g; that was added to every frame",
                          position[0], position[1], position[2]);
    }
    if (r.notes.commas) {
        fits &= mry_clip_warn(clip, "%" PRId64 " numbers have a decimal comma, read as a point",
                              r.notes.commas);
    }
    return fits ? scan->status : mry_scan_fail(scan, MAREY_ERR_MEMORY, "out of memory");
}
