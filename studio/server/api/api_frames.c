/* api_frames.c - motion as numbers: frames for the viewer, curves for the editor. Both are
   little-endian, as every machine is that marey runs on. */
#include "api_common.h"
#include "frames_binary.h"

#include <math.h>
#include <string.h>

static const char binary[] = "application/octet-stream";

/* ---- frames ---------------------------------------------------------------------------------- */

void api_frames(studio_worker *worker, studio_request *request, studio_response *response)
{
    const marey_clip *clip = NULL;
    int start = 0, end = 0;
    int64_t step = 1;
    if (!api_open(worker, request->id, &clip, response)) return;
    int frames = marey_clip_frames(clip);
    if (!api_range(request, frames, &start, &end, response)) return;
    if (!query_number(request, "step", 1, frames, &step)) {
        answer_refuse(response, 400, "request", "step is a whole number from 1 to %d", frames);
        return;
    }
    frame_set set = frame_set_make(clip, start, end, (int)step);
    if (set.size > LIMIT_FRAMES_BYTES) {
        answer_refuse(response, 413, "limit", "%d frames are more than %d MiB: ask for fewer",
                      set.count, LIMIT_FRAMES_BYTES >> 20);
        return;
    }
    response->status = 200;
    response->type = binary;
    if (!frame_set_write(&set, &response->body)) api_fail_memory(response);
}

/* ---- curves ---------------------------------------------------------------------------------- */

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

/* "RightHand.speed": the joint is what stands before the last point. Of joints that share a name
   the first is meant that has the requested curve. */
static bool find_curve(const marey_skeleton *skeleton, const char *text, size_t length, curve *out)
{
    static const char *const words[] = { "x", "y", "z", "speed" };
    size_t dot = length;
    while (dot > 0 && text[dot - 1] != '.') dot--;
    if (dot == 0) return false;
    for (int j = 0; j < skeleton->joint_count; j++) {
        const marey_joint *joint = &skeleton->joints[j];
        if (!is_word(text, dot - 1, joint->name)) continue;
        out->joint = j;
        for (int i = 0; i < 4; i++) {
            out->kind = CURVE_X + i;
            if (is_word(text + dot, length - dot, words[i])) return true;
        }
        for (int i = 0; i < joint->channel_count; i++) {
            out->kind = joint->first_channel + i;
            if (is_word(text + dot, length - dot, marey_channel_name(joint->channels[i])))
                return true;
        }
    }
    return false;
}

static bool find_curves(const studio_request *request, const marey_clip *clip, curve *curves,
                        int *count, studio_response *response)
{
    const char *text = query_text(request, "of");
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

static const double *place_at(const place_rows *places, int frame, int joint)
{
    return places->rows + (size_t)(frame % 3) * places->numbers + 3 * (size_t)joint;
}

static double value_at(const place_rows *places, int frame, const curve *shown)
{
    if (shown->kind >= 0) return marey_clip_channels(places->clip, frame)[shown->kind];
    if (shown->kind != CURVE_SPEED)
        return place_at(places, frame, shown->joint)[shown->kind - CURVE_X];
    /* From the frame before to the frame behind; at the ends of the clip from or to the frame
       itself. */
    int last = marey_clip_frames(places->clip) - 1;
    int a = frame > 0 ? frame - 1 : 0, b = frame < last ? frame + 1 : last;
    const double *p = place_at(places, a, shown->joint), *q = place_at(places, b, shown->joint);
    double way[3] = { q[0] - p[0], q[1] - p[1], q[2] - p[2] };
    double length = sqrt(way[0] * way[0] + way[1] * way[1] + way[2] * way[2]);
    return a < b ? length * marey_clip_fps(places->clip) / (b - a) : 0;
}

static void write_curves(place_rows *places, const curve *curves, int count, int start, int end,
                         uint8_t *out)
{
    int last = marey_clip_frames(places->clip) - 1;
    size_t row = (size_t)(end - start) * sizeof(float);
    places->ready = start > 0 ? start - 1 : 0;
    for (int f = start; f < end; f++) {
        for (; places->ready <= (f < last ? f + 1 : last); places->ready++) {
            double *places_row = places->rows + (size_t)(places->ready % 3) * places->numbers;
            marey_clip_positions(places->clip, places->ready, 1, places_row);
        }
        for (int i = 0; i < count; i++) {
            const double value = value_at(places, f, &curves[i]);
            frames_floats(out + (size_t)i * row + (size_t)(f - start) * sizeof(float), &value, 1);
        }
    }
}

void api_curves(studio_worker *worker, studio_request *request, studio_response *response)
{
    curve curves[LIMIT_CURVES];
    place_rows places = { 0 };
    int count = 0, start = 0, end = 0;
    if (!api_open(worker, request->id, &places.clip, response)) return;
    if (!api_range(request, marey_clip_frames(places.clip), &start, &end, response)) return;
    if (!find_curves(request, places.clip, curves, &count, response)) return;
    size_t size = (size_t)count * (size_t)(end - start) * sizeof(float);
    if (size > LIMIT_FRAMES_BYTES) {
        answer_refuse(response, 413, "limit",
                      "these curves are more than %d MiB: ask for fewer frames",
                      LIMIT_FRAMES_BYTES >> 20);
        return;
    }
    places.numbers = 3 * (size_t)marey_clip_skeleton(places.clip)->joint_count;
    size_t room = 3 * places.numbers * sizeof(double);
    places.rows = heap_resize(&worker->of->memory, NULL, 0, room);
    uint8_t *out = places.rows ? bytes_extend(&response->body, size) : NULL;
    response->status = 200;
    response->type = binary;
    if (out) write_curves(&places, curves, count, start, end, out);
    if (places.rows) heap_resize(&worker->of->memory, places.rows, room, 0);
    if (!out) api_fail_memory(response);
}
