/* frames_binary.c - frames as they are sent: little-endian, as every machine is that marey runs on. */
#include "frames_binary.h"

#include <math.h>
#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "frames are sent as they lie in memory");

enum { HEADER_BYTES = 40, LAYOUT = 1 };

/* Only the root moves by itself, unless a joint has position channels of its own. */
static int count_places(const marey_skeleton *skeleton)
{
    for (int j = 1; j < skeleton->joint_count; j++) {
        const marey_joint *joint = &skeleton->joints[j];
        for (int i = 0; i < joint->channel_count; i++) {
            if (joint->channels[i] <= MAREY_CHANNEL_Z_POSITION) return skeleton->joint_count;
        }
    }
    return 1;
}

frame_set frame_set_make(const marey_clip *clip, int start, int end, int step)
{
    const marey_skeleton *skeleton = marey_clip_skeleton(clip);
    frame_set of = { .clip = clip,
                     .start = start,
                     .step = step,
                     .count = (end - start - 1) / step + 1,
                     .joints = skeleton->joint_count,
                     .places = count_places(skeleton) };
    size_t one = ((size_t)of.places * 3 + (size_t)of.joints * 4) * sizeof(float);
    of.size = HEADER_BYTES + one * (size_t)of.count;
    return of;
}

static void write_header(const frame_set *of, uint8_t *out)
{
    const uint32_t numbers[] = { LAYOUT,
                                 (uint32_t)of->count,
                                 (uint32_t)of->joints,
                                 (uint32_t)of->start,
                                 (uint32_t)of->step,
                                 (uint32_t)of->places,
                                 0 };
    const double fps = marey_clip_fps(of->clip);
    memcpy(out, "MRYF", 4);
    memcpy(out + 4, numbers, sizeof numbers);
    memcpy(out + 32, &fps, sizeof fps);
}

uint8_t *frames_floats(uint8_t *out, const double *values, int count)
{
    for (int i = 0; i < count; i++, out += sizeof(float)) {
        const float value = (float)values[i];
        memcpy(out, &value, sizeof value);
    }
    return out;
}

/* A time that sampling takes for this very frame: frame / fps may come out a hair before it, and would then be mixed
   with the frame before. */
static double time_of(int frame, double fps)
{
    double time_s = frame / fps;
    return time_s * fps < frame ? nextafter(time_s, INFINITY) : time_s;
}

/* `pose` has room for the places and turns of all joints; NULL if only the root has a place. */
static uint8_t *write_places(const frame_set *of, double *pose, uint8_t *out)
{
    double fps = marey_clip_fps(of->clip);
    for (int i = 0; i < of->count; i++) {
        int frame = of->start + i * of->step;
        const double *root = marey_clip_root(of->clip, frame);
        if (pose) {
            float *turns = (float *)(pose + 3 * (size_t)of->joints);
            marey_clip_sample(of->clip, time_of(frame, fps), pose, turns);
            memcpy(pose, root, 3 * sizeof *root);
        }
        out = frames_floats(out, pose ? pose : root, 3 * of->places);
    }
    return out;
}

static void write_turns(const frame_set *of, uint8_t *out)
{
    size_t size = (size_t)of->joints * 4 * sizeof(float);
    for (int i = 0; i < of->count; i++, out += size) {
        memcpy(out, marey_clip_rotations(of->clip, of->start + i * of->step), size);
    }
}

bool frame_set_write(const frame_set *of, studio_bytes *to)
{
    size_t room = (size_t)of->joints * (3 * sizeof(double) + 4 * sizeof(float));
    double *pose = of->places > 1 ? heap_resize(to->memory, NULL, 0, room) : NULL;
    uint8_t *out = of->places > 1 && !pose ? NULL : bytes_extend(to, of->size);
    if (out) {
        write_header(of, out);
        write_turns(of, write_places(of, pose, out + HEADER_BYTES));
    }
    if (pose) heap_resize(to->memory, pose, room, 0);
    return out != NULL;
}
