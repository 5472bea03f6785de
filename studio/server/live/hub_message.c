/* hub_message.c - what clients say through their WebSocket. */
#include "hub_inside.h"

#include "jobs.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

enum { MOST_FRAMES = 100000000, DEFAULT_RATE = 30, NO_STREAM = -1 };

double message_number(const json_t *message, const char *name, double absent)
{
    const json_t *value = json_object_get(message, name);
    if (!value || json_is_null(value)) return absent;
    return json_is_number(value) ? json_number_value(value) : NAN;
}

bool message_whole(const json_t *message, const char *name, double least, double most,
                   double absent, int64_t *out)
{
    double value = message_number(message, name, absent);
    if (!(value >= least && value <= most) || value != floor(value)) return false;
    *out = (int64_t)value;
    return true;
}

static void cancel(live_socket *from, const json_t *message)
{
    int64_t number = 0;
    struct jobs *all = from->all->of->jobs;
    if (!all || !message_whole(message, "job", 1, 1e15, NAN, &number) || !jobs_cancel(all, number))
        socket_complain(from, "there is no such job");
}

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

void message_take(live_socket *from, const uint8_t *text, size_t count)
{
    json_t *message = json_loadb((const char *)text, count, JSON_REJECT_DUPLICATES, NULL);
    const char *type = json_string_value(json_object_get(message, "type"));
    if (!type)
        socket_complain(from, "a message is a JSON object with a type");
    else if (strcmp(type, "cancel") == 0)
        cancel(from, message);
    else if (strcmp(type, "play") == 0)
        play(from, message);
    else if (strcmp(type, "stop") == 0)
        stop(from, message);
    else if (!play_message(from, type, message) && !react_message(from, type, message))
        socket_complain(from, "no message is of this type; cancel, play, stop, steer, wish, halt, "
                              "react, main and dismiss are");
    json_decref(message);
}
