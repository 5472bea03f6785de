/* frames_binary.c - frames as they are sent: little-endian, as every machine is that marey runs
   on. */
#include "frames_binary.h"

#include <math.h>
#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "frames are sent as they lie in memory");

enum { HEADER_BYTES = 40, LAYOUT = 1 };

frame_set frame_set_make(const marey_clip *clip, int start, int end, int step)
{
    const marey_skeleton *skeleton = marey_clip_skeleton(clip);
    frame_set set = { .clip = clip,
                      .start = start,
                      .step = step,
                      .count = (end - start - 1) / step + 1,
                      .joints = skeleton->joint_count,
                      .places = 1 };
    /* Only the root moves by itself, unless a joint has position channels of its own. */
    for (int j = 1; j < skeleton->joint_count; j++) {
        const marey_joint *joint = &skeleton->joints[j];
        for (int i = 0; i < joint->channel_count; i++)
            if (joint->channels[i] <= MAREY_CHANNEL_Z_POSITION) set.places = set.joints;
    }
    size_t one = ((size_t)set.places * 3 + (size_t)set.joints * 4) * sizeof(float);
    set.size = HEADER_BYTES + one * (size_t)set.count;
    return set;
}

uint8_t *frames_floats(uint8_t *out, const double *values, int count)
{
    for (int i = 0; i < count; i++, out += sizeof(float)) {
        const float value = (float)values[i];
        memcpy(out, &value, sizeof value);
    }
    return out;
}

bool frame_set_write(const frame_set *set, studio_bytes *bytes)
{
    const marey_clip *clip = set->clip;
    const double fps = marey_clip_fps(clip);
    const uint32_t numbers[] = { LAYOUT,
                                 (uint32_t)set->count,
                                 (uint32_t)set->joints,
                                 (uint32_t)set->start,
                                 (uint32_t)set->step,
                                 (uint32_t)set->places,
                                 0 };
    /* Places and turns of all joints, unless only the root has a place. */
    size_t room = (size_t)set->joints * (3 * sizeof(double) + 4 * sizeof(float));
    double *pose = set->places > 1 ? heap_resize(bytes->memory, NULL, 0, room) : NULL;
    uint8_t *out = set->places > 1 && !pose ? NULL : bytes_extend(bytes, set->size);
    bool fits = out != NULL;
    if (fits) {
        memcpy(out, "MRYF", 4);
        memcpy(out + 4, numbers, sizeof numbers);
        memcpy(out + 32, &fps, sizeof fps);
        out += HEADER_BYTES;
    }
    for (int i = 0; fits && i < set->count; i++) {
        int frame = set->start + i * set->step;
        const double *root = marey_clip_root(clip, frame);
        if (pose) {
            /* A time that sampling takes for this very frame: frame / fps may come out a hair
               before it, and would then be mixed with the frame before. */
            double time_s = frame / fps;
            if (time_s * fps < frame) time_s = nextafter(time_s, INFINITY);
            marey_clip_sample(clip, time_s, pose, (float *)(pose + 3 * (size_t)set->joints));
            memcpy(pose, root, 3 * sizeof *root);
        }
        out = frames_floats(out, pose ? pose : root, 3 * set->places);
    }
    size_t turns = (size_t)set->joints * 4 * sizeof(float);
    for (int i = 0; fits && i < set->count; i++, out += turns)
        memcpy(out, marey_clip_rotations(clip, set->start + i * set->step), turns);
    if (pose) heap_resize(bytes->memory, pose, room, 0);
    return fits;
}
