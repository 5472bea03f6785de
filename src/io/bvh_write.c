/* bvh_write.c - a clip becomes a BVH file. A clip that was read and not edited is written with the
   numbers of its file, each as the shortest text that reads back the same, so that a second round
   trip changes no byte. An edited clip's angles are taken out of its quaternions, each near the one
   of the frame before, so that no channel jumps by a whole turn; so are those of a clip that was
   read with axes of its own (ASF). */
#include "base/fail.h"
#include "base/file.h"
#include "base/number.h"
#include "io/format.h"
#include "motion/channels.h"

#include <stdio.h>
#include <string.h>

enum { EDITED_DECIMALS = 6, DEEPEST_INDENT = 40 };

/* ---- hierarchy ------------------------------------------------------------------------------- */

static void indent(mry_writer *out, int depth)
{
    for (int i = 0; i < depth && i < DEEPEST_INDENT; i++) mry_writer_bytes(out, "\t", 1);
}

static void write_line(mry_writer *out, int depth, const char *text)
{
    indent(out, depth);
    mry_writer_text(out, text);
    mry_writer_bytes(out, "\n", 1);
}

static void write_number(mry_writer *out, double value, int decimals)
{
    char *text = mry_writer_reserve(out, MRY_NUMBER_ROOM);
    mry_writer_advance(out, mry_number_write(text, value, decimals));
}

static void write_vector(mry_writer *out, int depth, const double *vector)
{
    indent(out, depth);
    mry_writer_text(out, "OFFSET");
    for (int i = 0; i < 3; i++) {
        mry_writer_bytes(out, " ", 1);
        write_number(out, vector[i], 9);
    }
    mry_writer_bytes(out, "\n", 1);
}

/* A clip's joints are in depth-first order (mry_clip_check), so the parent of each is the one
   before it or is met on the way up from there. */
static marey_status write_hierarchy(mry_writer *out, const marey_clip *clip,
                                    const marey_joint *joints)
{
    enum { OFTEN = 256 };
    int depth = -1, last = -1; /* of the joint written last */
    mry_writer_text(out, "HIERARCHY\n");
    for (int j = 0; j < clip->skeleton.joint_count && !mry_writer_failed(out); j++) {
        if (j % OFTEN == 0 && !mry_progress(clip->mem.ctx, "writing", 0, clip->frames)) {
            return MAREY_ERR_CANCELLED;
        }
        for (; last > clip->joints[j].parent; last = clip->joints[last].parent) {
            write_line(out, depth--, "}");
        }
        indent(out, ++depth);
        mry_writer_text(out, j ? "JOINT " : "ROOT ");
        mry_writer_text(out, joints[j].name);
        mry_writer_bytes(out, "\n", 1);
        write_line(out, depth, "{");
        write_vector(out, depth + 1, clip->source.offsets + 3 * j);
        if (joints[j].channel_count > 0) {
            char count[16];
            indent(out, depth + 1);
            snprintf(count, sizeof count, "CHANNELS %d", joints[j].channel_count);
            mry_writer_text(out, count);
            for (int c = 0; c < joints[j].channel_count; c++) {
                mry_writer_bytes(out, " ", 1);
                mry_writer_text(out, marey_channel_name(joints[j].channels[c]));
            }
            mry_writer_bytes(out, "\n", 1);
        }
        if (joints[j].has_end) {
            write_line(out, depth + 1, "End Site");
            write_line(out, depth + 1, "{");
            write_vector(out, depth + 2, clip->source.ends + 3 * j);
            write_line(out, depth + 1, "}");
        }
        last = j;
    }
    for (; depth >= 0; depth--) write_line(out, depth, "}");
    return MAREY_OK;
}

/* ---- motion ---------------------------------------------------------------------------------- */

static marey_status write_motion(mry_writer *out, const marey_clip *clip, const marey_joint *joints,
                                 int count, mry_arena *tmp)
{
    bool as_read = clip->source.channels && !clip->source.axes;
    double frame_time = clip->source.frame_time > 0 ? clip->source.frame_time : 1.0 / clip->fps;
    double *row = MRY_NEW(tmp, double, count);
    char header[64];
    if (!row) return MAREY_ERR_MEMORY;
    snprintf(header, sizeof header, "MOTION\nFrames: %d\nFrame Time: ", clip->frames);
    mry_writer_text(out, header);
    write_number(out, frame_time, 12);
    mry_writer_bytes(out, "\n", 1);
    for (int f = 0; f < clip->frames && !mry_writer_failed(out); f++) {
        if (f % 1024 == 0 && !mry_progress(clip->mem.ctx, "writing", f, clip->frames)) {
            return MAREY_ERR_CANCELLED;
        }
        /* Edited clips are rounded here and not in `row`: the angles of the next frame stay near
           these. */
        const double *numbers = as_read ? mry_channels(clip, f) : row;
        if (!as_read) mry_channels_from_tracks(clip, joints, f, row);
        for (int c = 0; c < count; c++) {
            char *text = mry_writer_reserve(out, MRY_NUMBER_ROOM + 1);
            size_t used = as_read ? mry_number_write(text, numbers[c], clip->source.decimals)
                                  : mry_number_write_rounded(text, numbers[c], EDITED_DECIMALS);
            text[used++] = c + 1 < count ? ' ' : '\n';
            mry_writer_advance(out, used);
        }
    }
    return MAREY_OK;
}

marey_status mry_bvh_write(const marey_clip *clip, const char *path, const char *provenance,
                           marey_error *error)
{
    (void)provenance; /* a BVH file has no place for it */
    enum { LINES = 9, WORDS = 128, NUMBER = MRY_NUMBER_ROOM + 1, CHANNEL = 12 };
    mry_arena tmp = mry_arena_make(clip->mem.ctx);
    mry_writer out;
    /* BVH knows no axes but the parent's, so angles about others are said anew in plain
       channels. */
    int joints = clip->skeleton.joint_count, count = clip->skeleton.channel_count;
    marey_joint *plain = clip->source.axes ? MRY_NEW_RAW(&tmp, marey_joint, joints) : clip->joints;
    if (plain && clip->source.axes) count = mry_channels_plain(clip, plain);
    /* No text is longer than this: every line with its deepest indent, every number as wide as can
       be. */
    uint64_t most = 256 + (uint64_t)clip->frames * (uint64_t)count * NUMBER;
    for (int j = 0; j < joints; j++) {
        most += LINES * DEEPEST_INDENT + WORDS + strlen(clip->joints[j].name) + 6 * NUMBER +
                CHANNEL * MAREY_CHANNEL_COUNT;
    }
    marey_status status =
        plain ? mry_writer_open(&out, &tmp, path, most, error) : mry_fail_memory(error, path);
    if (!status) {
        marey_status written = write_hierarchy(&out, clip, plain);
        if (!written) written = write_motion(&out, clip, plain, count, &tmp);
        if (written) mry_writer_abandon(&out);
        status = !written                      ? mry_writer_commit(&out, error)
                 : written == MAREY_ERR_MEMORY ? mry_fail_memory(error, path)
                                               : mry_fail_cancelled(error);
    }
    mry_arena_free(&tmp);
    return status;
}
