/* live_stream.c - poses by the clock. A worker computes all poses of a stream before it begins, in the form in which they are
   sent; the hub's thread then only looks at the clock. A pose for which the client has no room is left out. */
#include "live.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    HEADER_BYTES = 8, /* of a pose: stream and frame */
    MOST_FRAMES = 100000000,
    DEFAULT_RATE = 30,
    NO_STREAM = -1
};

static const double ns_per_s = 1e9;

void stream_free(stream *one)
{
    if (!one) return;
    heap *memory = &one->all->of->memory;
    bytes_free(&one->values);
    heap_resize(memory, one, sizeof *one, 0);
}

/* ---- on a worker's thread --------------------------------------------------------------------- */

static size_t pose_bytes(const stream *one)
{
    return HEADER_BYTES + (size_t)one->joints * STREAM_FLOATS * sizeof(float);
}

static size_t parents_bytes(const stream *one)
{
    return (size_t)one->joints * sizeof(int32_t);
}

static void put_uint32(uint8_t *to, uint32_t value)
{
    for (int i = 0; i < 4; i++) to[i] = (uint8_t)(value >> (8 * i));
}

static void put_float(uint8_t *to, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    put_uint32(to, bits);
}

static void multiply(const float *a, const float *b, float *out)
{
    out[0] = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
    out[1] = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2];
    out[2] = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1];
    out[3] = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0];
}

/* `room` has 7 floats a joint: rotations behind all places. A parent comes before its children, so one pass does. */
static void compute_pose(const marey_clip *clip, int frame, float *room, uint8_t *to)
{
    const marey_skeleton *body = marey_clip_skeleton(clip);
    const float *local = marey_clip_rotations(clip, frame);
    float *places = room, *turns = room + 3 * (size_t)body->joint_count;
    marey_clip_positions_float(clip, frame, 1, places);
    for (int j = 0; j < body->joint_count; j++) {
        int parent = body->joints[j].parent;
        if (parent < 0)
            memcpy(turns + 4 * j, local + 4 * j, 4 * sizeof(float));
        else
            multiply(turns + 4 * parent, local + 4 * j, turns + 4 * j);
        for (int i = 0; i < 3; i++, to += 4) put_float(to, places[3 * j + i]);
        for (int i = 0; i < 4; i++, to += 4) put_float(to, turns[4 * j + i]);
    }
}

static marey_status fail(stream *one, marey_status status, const char *message)
{
    one->error.status = status;
    snprintf(one->error.message, sizeof one->error.message, "%s", message);
    return status;
}

/* Which frames will be shown: no more than the client's rate needs. */
static marey_status plan(stream *one, const marey_clip *clip)
{
    int64_t frames = marey_clip_frames(clip);
    if (one->end == 0) one->end = frames;
    if (one->start >= one->end || one->end > frames)
        return fail(one, MAREY_ERR_REQUEST, "start and end must be frames of the clip");
    one->fps = marey_clip_fps(clip);
    one->joints = marey_clip_skeleton(clip)->joint_count;
    double step = one->fps * one->speed / one->rate;
    int64_t length = one->end - one->start;
    one->step = step < 1 ? 1 : step > (double)length ? (int)length : (int)step;
    one->poses = (int)((length + one->step - 1) / one->step);
    if ((size_t)one->poses > LIMIT_STREAM_BYTES / pose_bytes(one))
        return fail(one, MAREY_ERR_LIMIT, "the stream is longer than 16 MiB; ask for fewer frames");
    return MAREY_OK;
}

static marey_status compute(studio_worker *worker, stream *one)
{
    const marey_clip *clip = NULL;
    marey_status status = worker_clip(worker, one->clip, &clip, &one->error);
    if (!status) status = plan(one, clip);
    if (status) return status;
    size_t room_bytes = (size_t)one->joints * STREAM_FLOATS * sizeof(float);
    float *room = heap_resize(&worker->of->memory, NULL, 0, room_bytes);
    size_t whole = parents_bytes(one) + (size_t)one->poses * pose_bytes(one);
    uint8_t *to = room ? bytes_extend(&one->values, whole) : NULL;
    if (to) {
        for (int j = 0; j < one->joints; j++, to += 4)
            put_uint32(to, (uint32_t)marey_clip_skeleton(clip)->joints[j].parent);
        for (int i = 0; i < one->poses; i++, to += pose_bytes(one)) {
            int frame = (int)one->start + i * one->step;
            put_uint32(to, (uint32_t)one->number);
            put_uint32(to + 4, (uint32_t)frame);
            compute_pose(clip, frame, room, to + HEADER_BYTES);
        }
    }
    heap_resize(&worker->of->memory, room, room ? room_bytes : 0, 0);
    return one->values.data ? MAREY_OK : fail(one, MAREY_ERR_MEMORY, "out of memory");
}

static void stream_compute(studio_worker *worker, task *self)
{
    stream *one = (stream *)self;
    hub *all = one->all;
    marey_status status = compute(worker, one);
    one->error.status = status;
    pthread_mutex_lock(&all->lock);
    one->next = all->made;
    all->made = one;
    pthread_mutex_unlock(&all->lock);
    hub_wake(all);
}

/* ---- on the hub's thread ---------------------------------------------------------------------- */

static void drop(live_socket *on, int number)
{
    stream_free(on->streams[number]);
    on->streams[number] = NULL;
}

static void stream_end(live_socket *on, int number)
{
    if (!on->streams[number]) return;
    drop(on, number);
    socket_say_json(on, json_pack("{s:s, s:i}", "type", "stream-end", "stream", number));
}

/* What was asked for under this number cannot be had: says why, and ends what played there before. */
static void stream_refuse(live_socket *on, int number, const char *message)
{
    on->orders[number] = 0; /* one that is being made comes too late */
    socket_say_json(
        on, json_pack("{s:s, s:i, s:s}", "type", "error", "stream", number, "message", message));
    stream_end(on, number);
}

void stream_begin(live_socket *on, stream *one)
{
    on->pending--;
    if (on->orders[one->number] != one->order) { /* replaced or stopped meanwhile */
        stream_free(one);
        return;
    }
    if (one->error.status) {
        stream_refuse(on, one->number, one->error.message);
        stream_free(one);
        return;
    }
    on->orders[one->number] = 0;
    drop(on, one->number);
    on->streams[one->number] = one;
    one->begun_ns = hub_now_ns();
    one->sent = -1;
    json_t *parents = json_array();
    for (int j = 0; j < one->joints; j++) {
        const uint8_t *at = one->values.data + 4 * (size_t)j;
        uint32_t bits =
            at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
        json_array_append_new(parents, json_integer((int32_t)bits));
    }
    socket_say_json(on, json_pack("{s:s, s:i, s:I, s:i, s:o, s:I, s:I, s:f, s:f}", "type", "stream",
                                  "stream", one->number, "clip", (json_int_t)one->clip, "joints",
                                  one->joints, "parents", parents, "start", (json_int_t)one->start,
                                  "end", (json_int_t)one->end, "fps", one->fps, "rate", one->rate));
}

void stream_end_all(live_socket *of)
{
    for (int i = 0; i < LIMIT_STREAMS; i++) {
        stream_free(of->streams[i]);
        of->streams[i] = NULL;
    }
}

/* ---- what clients say ------------------------------------------------------------------------- */

static const char *read_order(const json_t *message, stream *order)
{
    int64_t number = 0;
    if (!message_whole(message, "stream", 0, LIMIT_STREAMS - 1, NAN, &number))
        return "stream must be a number from 0 to 7";
    order->number = (int)number;
    if (!message_whole(message, "clip", 1, 1e15, NAN, &order->clip))
        return "clip must be the number of a clip";
    if (!message_whole(message, "start", 0, MOST_FRAMES, 0, &order->start) ||
        !message_whole(message, "end", 0, MOST_FRAMES, 0, &order->end))
        return "start and end must be frames";
    order->rate = message_number(message, "rate", DEFAULT_RATE);
    order->speed = message_number(message, "speed", 1);
    order->loop = json_is_true(json_object_get(message, "loop"));
    if (!(order->rate >= 1 && order->rate <= 1000))
        return "rate must be from 1 to 1000 a second; more than 60 are never sent";
    if (order->rate > STREAM_MOST_RATE) order->rate = STREAM_MOST_RATE;
    if (!(order->speed >= 0.01 && order->speed <= 100)) return "speed must be from 0.01 to 100";
    return NULL;
}

static void play(live_socket *from, const json_t *message)
{
    hub *all = from->all;
    stream read = { .all = all, .socket = from->number, .number = NO_STREAM };
    const char *wrong = read_order(message, &read);
    stream *order = NULL;
    if (!wrong && (from->pending >= LIMIT_MAKING || !all->workers))
        wrong = "too many streams are asked for at once";
    if (!wrong) order = heap_resize(&all->of->memory, NULL, 0, sizeof *order);
    if (!order) {
        if (!wrong) wrong = "out of memory";
        if (read.number == NO_STREAM)
            socket_complain(from, wrong);
        else
            stream_refuse(from, read.number, wrong);
        return;
    }
    read.order = from->orders[read.number] = ++from->last_order;
    read.values.memory = &all->of->memory;
    *order = read;
    order->work.run = stream_compute;
    from->pending++;
    pool_add(all->workers, &order->work);
}

static void stop(live_socket *from, const json_t *message)
{
    int64_t number = 0;
    if (!message_whole(message, "stream", 0, LIMIT_STREAMS - 1, NAN, &number)) {
        socket_complain(from, "stream must be a number from 0 to 7");
        return;
    }
    from->orders[number] = 0; /* one that is being made comes too late */
    stream_end(from, (int)number);
}

bool stream_message(live_socket *from, const char *type, const json_t *message)
{
    if (strcmp(type, "play") == 0)
        play(from, message);
    else if (strcmp(type, "stop") == 0)
        stop(from, message);
    else
        return false;
    return true;
}

/* ---- by the clock ----------------------------------------------------------------------------- */

static int64_t tick_ns(const stream *one, int64_t tick)
{
    return one->begun_ns + (int64_t)((double)tick / one->rate * ns_per_s);
}

int64_t stream_send_due(live_socket *on, int64_t now_ns)
{
    int64_t next = INT64_MAX;
    for (int i = 0; i < LIMIT_STREAMS; i++) {
        stream *one = on->streams[i];
        if (!one) continue;
        if (now_ns >= tick_ns(one, one->sent + 1)) {
            int64_t now = (int64_t)((double)(now_ns - one->begun_ns) / ns_per_s * one->rate);
            one->sent = now > one->sent ? now : one->sent + 1; /* rounding may fall one short */
            int64_t length = one->end - one->start;
            int64_t frame = (int64_t)((double)one->sent / one->rate * one->speed * one->fps);
            if (frame >= length && !one->loop) {
                stream_end(on, i);
                continue;
            }
            const uint8_t *poses = one->values.data + parents_bytes(one);
            size_t pose = (size_t)(frame % length / one->step);
            if (socket_can_take_pose(on))
                socket_show(on, poses + pose * pose_bytes(one), pose_bytes(one));
        }
        int64_t due = tick_ns(one, one->sent + 1);
        if (due < next) next = due;
    }
    return next;
}
