/* live_stream.c - poses by the clock. A worker computes all poses of a stream before it begins, in
   the form in which they are sent; the hub's thread then only looks at the clock. A pose for which
   the client has no room is left out. */
#include "live_pose.h"

#include <jansson.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum {
    HEADER_BYTES = 8, /* of a pose: stream and frame */
    MOST_FRAMES = 100000000,
    DEFAULT_RATE = 30,
    NO_STREAM = -1
};

static const double ns_per_s = 1e9;

/* ---- on a worker's thread -------------------------------------------------------------------- */

static size_t pose_bytes(const live_stream *stream)
{
    return HEADER_BYTES + (size_t)stream->joints * STREAM_FLOATS * sizeof(float);
}

static size_t parents_bytes(const live_stream *stream)
{
    return (size_t)stream->joints * sizeof(int32_t);
}

static marey_status fail(live_stream *stream, marey_status status, const char *message)
{
    stream->error.status = status;
    snprintf(stream->error.message, sizeof stream->error.message, "%s", message);
    return status;
}

static marey_status compute(studio_worker *worker, live_stream *stream)
{
    const marey_clip *clip = NULL;
    marey_status status = worker_clip(worker, stream->clip, &clip, &stream->error);
    if (status) return status;
    /* Which frames will be shown: no more than the client's rate needs. */
    const marey_skeleton *skeleton = marey_clip_skeleton(clip);
    int64_t frames = marey_clip_frames(clip);
    if (stream->end == 0) stream->end = frames;
    if (stream->start >= stream->end || stream->end > frames)
        return fail(stream, MAREY_ERR_REQUEST, "start and end must be frames of the clip");
    stream->fps = marey_clip_fps(clip);
    stream->joints = skeleton->joint_count;
    double step = stream->fps * stream->speed / stream->rate;
    int64_t length = stream->end - stream->start;
    stream->step = step < 1 ? 1 : step > (double)length ? (int)length : (int)step;
    stream->poses = (int)((length + stream->step - 1) / stream->step);
    if ((size_t)stream->poses > LIMIT_STREAM_BYTES / pose_bytes(stream))
        return fail(stream, MAREY_ERR_LIMIT,
                    "the stream is longer than 16 MiB; ask for fewer frames");
    /* 7 floats a joint: rotations behind all places. */
    size_t room_bytes = (size_t)stream->joints * STREAM_FLOATS * sizeof(float);
    float *places = heap_resize(&worker->of->memory, NULL, 0, room_bytes);
    size_t whole = parents_bytes(stream) + (size_t)stream->poses * pose_bytes(stream);
    uint8_t *out = places ? bytes_extend(&stream->values, whole) : NULL;
    if (out) {
        float *turns = places + 3 * (size_t)stream->joints;
        for (int j = 0; j < stream->joints; j++)
            out = pose_put_uint32(out, (uint32_t)skeleton->joints[j].parent);
        for (int p = 0; p < stream->poses; p++) {
            int frame = (int)stream->start + p * stream->step;
            const float *local = marey_clip_rotations(clip, frame);
            marey_clip_positions_float(clip, frame, 1, places);
            out = pose_put_uint32(out, (uint32_t)stream->number);
            out = pose_put_uint32(out, (uint32_t)frame);
            /* A parent comes before its children, so one pass does. */
            for (int j = 0; j < stream->joints; j++) {
                int parent = skeleton->joints[j].parent;
                if (parent < 0)
                    memcpy(turns + 4 * j, local + 4 * j, 4 * sizeof(float));
                else
                    pose_multiply(turns + 4 * parent, local + 4 * j, turns + 4 * j);
                for (int i = 0; i < 3; i++) out = pose_put_float(out, (double)places[3 * j + i]);
                for (int i = 0; i < 4; i++) out = pose_put_float(out, (double)turns[4 * j + i]);
            }
        }
    }
    heap_resize(&worker->of->memory, places, places ? room_bytes : 0, 0);
    return stream->values.data ? MAREY_OK : fail(stream, MAREY_ERR_MEMORY, "out of memory");
}

static void stream_compute(studio_worker *worker, task *self)
{
    live_stream *stream = (live_stream *)self;
    stream->error.status = compute(worker, stream);
    hub_give_back(stream->all, &stream->back);
}

/* ---- on the hub's thread --------------------------------------------------------------------- */

static void stream_free(live_stream *stream)
{
    if (!stream) return;
    bytes_free(&stream->values);
    heap_resize(&stream->all->of->memory, stream, sizeof *stream, 0);
}

static void drop(live_socket *client, int number)
{
    stream_free(client->streams[number]);
    client->streams[number] = NULL;
}

static void stream_end(live_socket *client, int number)
{
    if (!client->streams[number]) return;
    drop(client, number);
    socket_send_json(client, json_pack("{s:s, s:i}", "type", "stream-end", "stream", number));
}

/* Sends why a requested stream is not to be had, and ends what played under its number before. */
static void stream_refuse(live_socket *client, int number, const char *message)
{
    client->orders[number] = 0; /* one that is being made comes too late */
    socket_send_json(client, json_pack("{s:s, s:i, s:s}", "type", "error", "stream", number,
                                       "message", message));
    stream_end(client, number);
}

/* All its poses are made, or why they are not is known. */
static void stream_begin(hub_return *self)
{
    live_stream *stream = (live_stream *)(void *)((char *)self - offsetof(live_stream, back));
    const hub *h = stream->all;
    live_socket *client = NULL;
    for (int i = 0; i < h->count && !client; i++)
        if (h->sockets[i]->number == stream->socket) client = h->sockets[i];
    if (client) client->pending--;
    /* Its client may be gone, or have replaced or stopped it meanwhile. */
    bool wanted = client && client->orders[stream->number] == stream->order;
    if (wanted && stream->error.status)
        stream_refuse(client, stream->number, stream->error.message);
    if (!wanted || stream->error.status) {
        stream_free(stream);
        return;
    }
    client->orders[stream->number] = 0;
    drop(client, stream->number);
    client->streams[stream->number] = stream;
    stream->begun_ns = hub_now_ns();
    stream->sent = -1;
    json_t *parents = json_array();
    for (int j = 0; j < stream->joints; j++) {
        const uint8_t *at = stream->values.data + 4 * (size_t)j;
        uint32_t bits =
            at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
        json_array_append_new(parents, json_integer((int32_t)bits));
    }
    socket_send_json(client,
                     json_pack("{s:s, s:i, s:I, s:i, s:o, s:I, s:I, s:f, s:f}", "type", "stream",
                               "stream", stream->number, "clip", (json_int_t)stream->clip, "joints",
                               stream->joints, "parents", parents, "start",
                               (json_int_t)stream->start, "end", (json_int_t)stream->end, "fps",
                               stream->fps, "rate", stream->rate));
}

void stream_end_all(live_socket *client)
{
    for (int i = 0; i < LIMIT_STREAMS; i++) drop(client, i);
}

/* ---- what clients say ------------------------------------------------------------------------ */

/* NULL, or what is wrong; order->number is set as soon as it is known. */
static const char *read_order(const json_t *message, live_stream *order)
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

static void play(live_socket *client, const json_t *message)
{
    hub *h = client->all;
    live_stream read = { .all = h, .socket = client->number, .number = NO_STREAM };
    const char *wrong = read_order(message, &read);
    live_stream *order = NULL;
    if (!wrong && (client->pending >= LIMIT_MAKING || !h->workers))
        wrong = "too many streams are asked for at once";
    if (!wrong) order = heap_resize(&h->of->memory, NULL, 0, sizeof *order);
    if (!order) {
        if (!wrong) wrong = "out of memory";
        if (read.number == NO_STREAM)
            socket_send_error(client, wrong);
        else
            stream_refuse(client, read.number, wrong);
        return;
    }
    read.order = client->orders[read.number] = ++client->last_order;
    read.values.memory = &h->of->memory;
    *order = read;
    order->work.run = stream_compute;
    order->back.take = stream_begin;
    client->pending++;
    pool_add(h->workers, &order->work);
}

bool stream_message(live_socket *client, const char *type, const json_t *message)
{
    int64_t number = 0;
    if (strcmp(type, "play") == 0) {
        play(client, message);
    } else if (strcmp(type, "stop") != 0) {
        return false;
    } else if (!message_whole(message, "stream", 0, LIMIT_STREAMS - 1, NAN, &number)) {
        socket_send_error(client, "stream must be a number from 0 to 7");
    } else {
        client->orders[number] = 0; /* one that is being made comes too late */
        stream_end(client, (int)number);
    }
    return true;
}

/* ---- by the clock ---------------------------------------------------------------------------- */

static int64_t tick_ns(const live_stream *stream, int64_t tick)
{
    return stream->begun_ns + (int64_t)((double)tick / stream->rate * ns_per_s);
}

int64_t stream_send_due(live_socket *client, int64_t now_ns)
{
    int64_t next = INT64_MAX;
    for (int i = 0; i < LIMIT_STREAMS; i++) {
        live_stream *stream = client->streams[i];
        if (!stream) continue;
        if (now_ns >= tick_ns(stream, stream->sent + 1)) {
            int64_t now = (int64_t)((double)(now_ns - stream->begun_ns) / ns_per_s * stream->rate);
            stream->sent =
                now > stream->sent ? now : stream->sent + 1; /* rounding may fall one short */
            int64_t length = stream->end - stream->start;
            int64_t frame =
                (int64_t)((double)stream->sent / stream->rate * stream->speed * stream->fps);
            if (frame >= length && !stream->loop) {
                stream_end(client, i);
                continue;
            }
            const uint8_t *poses = stream->values.data + parents_bytes(stream);
            size_t pose = (size_t)(frame % length / stream->step);
            if (socket_can_take_pose(client))
                socket_send(client, WSLAY_BINARY_FRAME, poses + pose * pose_bytes(stream),
                            pose_bytes(stream));
        }
        int64_t due = tick_ns(stream, stream->sent + 1);
        if (due < next) next = due;
    }
    return next;
}
