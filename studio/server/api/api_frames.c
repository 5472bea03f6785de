/* api_frames.c - motion as numbers: frames for the viewer, curves for the editor. Both are little-endian, as every
   machine is that marey runs on. */
#include "api_common.h"
#include "frames_binary.h"

#include <math.h>
#include <string.h>

static const char binary[] = "application/octet-stream";

/* ---- frames ------------------------------------------------------------------------------------- */

void api_frames(studio_worker *worker, studio_request *request, studio_response *response)
{
    const marey_clip *clip = NULL;
    int start = 0, end = 0;
    int64_t step = 1;
    if (!api_open(worker, request->id, &clip, response)) return;
    int frames = marey_clip_frames(clip);
    if (!api_range(request, frames, &start, &end, response)) return;
    if (!asked_number(request, "step", 1, frames, &step)) {
        answer_refuse(response, 400, "request", "step is a whole number from 1 to %d", frames);
        return;
    }
    frame_set of = frame_set_make(clip, start, end, (int)step);
    if (of.size > LIMIT_FRAMES_BYTES) {
        answer_refuse(response, 413, "limit", "%d frames are more than %d MiB: ask for fewer",
                      of.count, LIMIT_FRAMES_BYTES >> 20);
        return;
    }
    response->status = 200;
    response->type = binary;
    if (!frame_set_write(&of, &response->body)) api_fail_memory(response);
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

static bool find_curves(const studio_request *request, const marey_clip *clip, curve *curves,
                        int *count, studio_response *response)
{
    const char *text = asked_query(request, "of");
    bool has_channels = marey_clip_channels(clip, 0) != NULL;
    if (!text || !*text) {
        answer_refuse(response, 400, "request",
                      "of says which curves, as in Hips.y,RightHand.speed");
        return false;
    }
    for (*count = 0;; (*count)++) {
        size_t length = strcspn(text, ",");
        if (*count == LIMIT_CURVES) {
            answer_refuse(response, 400, "request", "at most %d curves at once", LIMIT_CURVES);
            return false;
        }
        curve *one = &curves[*count];
        if (!find_curve(marey_clip_skeleton(clip), text, length, one) ||
            (one->kind >= 0 && !has_channels)) {
            answer_refuse(response, 400, "request", "the clip has no curve \"%.*s\"",
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
            frames_floats(out + (size_t)i * row + (size_t)(f - start) * sizeof(float), &value, 1);
        }
    }
}

void api_curves(studio_worker *worker, studio_request *request, studio_response *response)
{
    curve curves[LIMIT_CURVES];
    place_rows from = { 0 };
    int count = 0, start = 0, end = 0;
    if (!api_open(worker, request->id, &from.clip, response)) return;
    if (!api_range(request, marey_clip_frames(from.clip), &start, &end, response)) return;
    if (!find_curves(request, from.clip, curves, &count, response)) return;
    size_t size = (size_t)count * (size_t)(end - start) * sizeof(float);
    if (size > LIMIT_FRAMES_BYTES) {
        answer_refuse(response, 413, "limit",
                      "these curves are more than %d MiB: ask for fewer frames",
                      LIMIT_FRAMES_BYTES >> 20);
        return;
    }
    from.numbers = 3 * (size_t)marey_clip_skeleton(from.clip)->joint_count;
    size_t room = 3 * from.numbers * sizeof(double);
    from.rows = heap_resize(&worker->of->memory, NULL, 0, room);
    uint8_t *out = from.rows ? bytes_extend(&response->body, size) : NULL;
    response->status = 200;
    response->type = binary;
    if (out) write_curves(&from, curves, count, start, end, out);
    if (from.rows) heap_resize(&worker->of->memory, from.rows, room, 0);
    if (!out) api_fail_memory(response);
}
