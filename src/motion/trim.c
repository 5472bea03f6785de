/* trim.c - a part of a clip, with the file's own numbers. */
#include "base/fail.h"
#include "motion/clip_data.h"

#include <string.h>

/* The file's numbers need the file's own channels and axes, which made clips do without. */
static bool copy_axes(marey_clip *part, const marey_clip *clip)
{
    size_t joints = (size_t)clip->skeleton.joint_count;
    part->source.axes = MRY_NEW_RAW(&part->mem, float, 4 * joints);
    part->source.orders = MRY_NEW_RAW(&part->mem, uint8_t, 3 * joints);
    if (!part->source.axes || !part->source.orders) return false;
    memcpy(part->source.axes, clip->source.axes, 4 * joints * sizeof(float));
    memcpy(part->source.orders, clip->source.orders, 3 * joints);
    part->skeleton.channel_count = clip->skeleton.channel_count;
    for (size_t j = 0; j < joints; j++) {
        part->joints[j].first_channel = clip->joints[j].first_channel;
        part->joints[j].channel_count = clip->joints[j].channel_count;
        memcpy(part->joints[j].channels, clip->joints[j].channels, sizeof part->joints[j].channels);
    }
    return true;
}

static bool copy_channels(marey_clip *part, const marey_clip *clip, int start)
{
    size_t count = (size_t)part->frames * (size_t)clip->skeleton.channel_count;
    if (!clip->source.channels) return true;
    if (clip->source.axes && !copy_axes(part, clip)) return false;
    part->source.channels = MRY_NEW_RAW(&part->mem, double, count);
    if (!part->source.channels) return false;
    memcpy(part->source.channels, mry_channels(clip, start), count * sizeof(double));
    part->source.frame_time = clip->source.frame_time;
    return true;
}

static bool copy_marks(marey_clip *part, const marey_clip *clip, int start, int end)
{
    for (int i = 0; i < clip->mark_count; i++) {
        marey_mark mark = clip->marks[i];
        int from = mark.start > start ? mark.start : start, to = mark.end < end ? mark.end : end;
        if (from < to && !mry_clip_add_mark(part, mark.kind, from - start, to - start))
            return false;
    }
    return true;
}

marey_status marey_clip_trim(const marey_clip *clip, int start, int end, marey_clip **out,
                             marey_error *error)
{
    if (start < 0 || start >= end || end > clip->frames) {
        return mry_fail(error, MAREY_ERR_REQUEST, clip->name,
                        "frames %d-%d are not in this clip, which has 0-%d", start, end,
                        clip->frames);
    }
    marey_clip *part = mry_clip_make_like(clip, end - start, clip->fps);
    if (!part || !copy_channels(part, clip, start) || !copy_marks(part, clip, start, end)) {
        marey_clip_free(part);
        return mry_fail_memory(error, clip->name);
    }
    size_t frames = (size_t)part->frames;
    memcpy(part->turn, mry_turn(clip, start),
           frames * (size_t)clip->skeleton.joint_count * 4 * sizeof(float));
    memcpy(part->place, mry_place(clip, start),
           frames * (size_t)clip->mover_count * 3 * sizeof(double));
    *out = part;
    return MAREY_OK;
}
