/* api_frames.c - motion as numbers: frames for the viewer, curves for the editor. Both are little-endian, as every
   machine is that marey runs on. */
#include "api_common.h"

#include <math.h>
#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "frames are sent as they lie in memory");

static const char binary[] = "application/octet-stream";

/* ---- frames ------------------------------------------------------------------------------------- */

enum { HEADER_BYTES = 40, LAYOUT = 1 };

typedef struct frame_set {
    const marey_clip *clip;
    int start, step, count, joints, places;
} frame_set;

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

static uint8_t *write_floats(uint8_t *out, const double *values, int count)
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
        out = write_floats(out, pose ? pose : root, 3 * of->places);
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

static bool write_frames(worker *by, const frame_set *of, size_t size, bytes *body)
{
    heap *memory = &by->of->memory;
    size_t room = (size_t)of->joints * (3 * sizeof(double) + 4 * sizeof(float));
    double *pose = of->places > 1 ? heap_resize(memory, NULL, 0, room) : NULL;
    uint8_t *out = of->places > 1 && !pose ? NULL : bytes_extend(body, size);
    if (out) {
        write_header(of, out);
        write_turns(of, write_places(of, pose, out + HEADER_BYTES));
    }
    if (pose) heap_resize(memory, pose, room, 0);
    return out != NULL;
}

void api_frames(worker *by, asked *what, answer *to)
{
    frame_set of = { 0 };
    int end = 0;
    int64_t step = 1;
    if (!api_open(by, what->id, &of.clip, to)) return;
    int frames = marey_clip_frames(of.clip);
    if (!api_range(what, frames, &of.start, &end, to)) return;
    if (!asked_number(what, "step", 1, frames, &step)) {
        answer_refuse(to, 400, "request", "step is a whole number from 1 to %d", frames);
        return;
    }
    const marey_skeleton *skeleton = marey_clip_skeleton(of.clip);
    of.step = (int)step;
    of.count = (end - of.start - 1) / of.step + 1;
    of.joints = skeleton->joint_count;
    of.places = count_places(skeleton);
    size_t one = ((size_t)of.places * 3 + (size_t)of.joints * 4) * sizeof(float);
    if (one * (size_t)of.count > LIMIT_FRAMES_BYTES - HEADER_BYTES) {
        answer_refuse(to, 413, "limit", "%d frames are more than %d MiB: ask for fewer", of.count,
                      LIMIT_FRAMES_BYTES >> 20);
        return;
    }
    to->status = 200;
    to->type = binary;
    if (!write_frames(by, &of, HEADER_BYTES + one * (size_t)of.count, &to->body)) {
        api_fail_memory(to);
    }
}

/* ---- curves ------------------------------------------------------------------------------------- */

/* A channel of the file, or what is below. */
enum { CURVE_X = -4, CURVE_Y = -3, CURVE_Z = -2, CURVE_SPEED = -1 };

typedef struct curve {
    int joint;
    int kind; /* a channel's number in a frame's row, or CURVE_... */
} curve;

static bool is_word(const char *text, size_t length, const char *word)
{
    return strlen(word) == length && memcmp(text, word, length) == 0;
}

static bool find_kind(const marey_joint *joint, const char *text, size_t length, int *kind)
{
    static const char *const words[] = { "x", "y", "z", "speed" };
    for (int i = 0; i < 4; i++) {
        if (!is_word(text, length, words[i])) continue;
        *kind = CURVE_X + i;
        return true;
    }
    for (int i = 0; i < joint->channel_count; i++) {
        if (!is_word(text, length, marey_channel_name(joint->channels[i]))) continue;
        *kind = joint->first_channel + i;
        return true;
    }
    return false;
}

/* "RightHand.speed": the joint is what stands before the last point. Of joints that share a name the first is meant
   that has what is asked for. */
static bool find_curve(const marey_skeleton *skeleton, const char *text, size_t length, curve *out)
{
    size_t dot = length;
    while (dot > 0 && text[dot - 1] != '.') dot--;
    if (dot == 0) return false;
    for (int j = 0; j < skeleton->joint_count; j++) {
        const marey_joint *joint = &skeleton->joints[j];
        if (!is_word(text, dot - 1, joint->name)) continue;
        if (!find_kind(joint, text + dot, length - dot, &out->kind)) continue;
        out->joint = j;
        return true;
    }
    return false;
}

static bool find_curves(const asked *what, const marey_clip *clip, curve *curves, int *count,
                        answer *to)
{
    const char *text = asked_query(what, "of");
    bool has_channels = marey_clip_channels(clip, 0) != NULL;
    if (!text || !*text) {
        answer_refuse(to, 400, "request", "of says which curves, as in Hips.y,RightHand.speed");
        return false;
    }
    for (*count = 0;; (*count)++) {
        size_t length = strcspn(text, ",");
        if (*count == LIMIT_CURVES) {
            answer_refuse(to, 400, "request", "at most %d curves at once", LIMIT_CURVES);
            return false;
        }
        curve *one = &curves[*count];
        if (!find_curve(marey_clip_skeleton(clip), text, length, one) ||
            (one->kind >= 0 && !has_channels)) {
            answer_refuse(to, 400, "request", "the clip has no curve \"%.*s\"",
                          length < 200 ? (int)length : 200, text);
            return false;
        }
        if (!text[length]) break;
        text += length + 1;
    }
    ++*count;
    return true;
}

/* Places of three frames in a row, each computed once: frame f lies in row f % 3. */
typedef struct place_rows {
    const marey_clip *clip;
    double *rows;
    size_t numbers; /* in a row */
    int ready;      /* frames before this one were computed */
} place_rows;

static const double *place_at(const place_rows *from, int frame, int joint)
{
    return from->rows + (size_t)(frame % 3) * from->numbers + 3 * (size_t)joint;
}

static void compute_until(place_rows *to, int frame)
{
    for (; to->ready <= frame; to->ready++) {
        double *row = to->rows + (size_t)(to->ready % 3) * to->numbers;
        marey_clip_positions(to->clip, to->ready, 1, row);
    }
}

/* From the frame before to the frame behind; at the ends of the clip from or to the frame itself. */
static double speed_at(const place_rows *from, int frame, int joint)
{
    int last = marey_clip_frames(from->clip) - 1;
    int a = frame > 0 ? frame - 1 : 0, b = frame < last ? frame + 1 : last;
    const double *p = place_at(from, a, joint), *q = place_at(from, b, joint);
    double way[3] = { q[0] - p[0], q[1] - p[1], q[2] - p[2] };
    double length = sqrt(way[0] * way[0] + way[1] * way[1] + way[2] * way[2]);
    return a < b ? length * marey_clip_fps(from->clip) / (b - a) : 0;
}

static double value_at(const place_rows *from, int frame, const curve *of)
{
    if (of->kind >= 0) return marey_clip_channels(from->clip, frame)[of->kind];
    if (of->kind == CURVE_SPEED) return speed_at(from, frame, of->joint);
    return place_at(from, frame, of->joint)[of->kind - CURVE_X];
}

static void write_curves(place_rows *from, const curve *curves, int count, int start, int end,
                         uint8_t *out)
{
    int last = marey_clip_frames(from->clip) - 1;
    size_t row = (size_t)(end - start) * sizeof(float);
    from->ready = start > 0 ? start - 1 : 0;
    for (int f = start; f < end; f++) {
        compute_until(from, f < last ? f + 1 : last);
        for (int i = 0; i < count; i++) {
            const double value = value_at(from, f, &curves[i]);
            write_floats(out + (size_t)i * row + (size_t)(f - start) * sizeof(float), &value, 1);
        }
    }
}

void api_curves(worker *by, asked *what, answer *to)
{
    curve curves[LIMIT_CURVES];
    place_rows from = { 0 };
    int count = 0, start = 0, end = 0;
    if (!api_open(by, what->id, &from.clip, to)) return;
    if (!api_range(what, marey_clip_frames(from.clip), &start, &end, to)) return;
    if (!find_curves(what, from.clip, curves, &count, to)) return;
    size_t size = (size_t)count * (size_t)(end - start) * sizeof(float);
    if (size > LIMIT_FRAMES_BYTES) {
        answer_refuse(to, 413, "limit", "these curves are more than %d MiB: ask for fewer frames",
                      LIMIT_FRAMES_BYTES >> 20);
        return;
    }
    from.numbers = 3 * (size_t)marey_clip_skeleton(from.clip)->joint_count;
    size_t room = 3 * from.numbers * sizeof(double);
    from.rows = heap_resize(&by->of->memory, NULL, 0, room);
    uint8_t *out = from.rows ? bytes_extend(&to->body, size) : NULL;
    to->status = 200;
    to->type = binary;
    if (out) write_curves(&from, curves, count, start, end, out);
    if (from.rows) heap_resize(&by->of->memory, from.rows, room, 0);
    if (!out) api_fail_memory(to);
}
