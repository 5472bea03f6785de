/* live_socket.c - one WebSocket. wslay keeps frames and messages apart; here its bytes go in and out without ever
   waiting, and no client gets more memory or time than the limits say. */
#include "live.h"

#include <errno.h>
#include <jansson.h>
#include <string.h>
#include <sys/socket.h>

enum {
    PING_MS = 20000,
    CLOSING_MS = 2000,      /* how long the other side may take to say goodbye */
    TURN_BYTES = 256 << 10, /* read in one turn, so that one client cannot hold up the others */
    QUEUE_BYTES = 1 << 20,  /* not read by the client: it is given up */
    QUEUE_MESSAGES = 4096   /* pongs without content have no bytes */
};

/* ---- bytes ------------------------------------------------------------------------------------ */

static ssize_t take_bytes(wslay_event_context_ptr talk, uint8_t *to, size_t room, int flags,
                          void *user)
{
    live_socket *one = user;
    ssize_t got = 0;
    (void)flags;
    if (room > one->budget) room = one->budget;
    if (room == 0) {
        wslay_event_set_error(talk, WSLAY_ERR_WOULDBLOCK);
        return -1;
    }
    size_t left = one->early.count - one->early_read;
    if (left > 0) {
        got = (ssize_t)(left < room ? left : room);
        memcpy(to, one->early.data + one->early_read, (size_t)got);
        one->early_read += (size_t)got;
    } else {
        do got = recv(one->socket, to, room, MSG_DONTWAIT);
        while (got < 0 && errno == EINTR);
    }
    if (got <= 0) {
        bool later = got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
        wslay_event_set_error(talk, later ? WSLAY_ERR_WOULDBLOCK : WSLAY_ERR_CALLBACK_FAILURE);
        return -1;
    }
    one->budget -= (size_t)got;
    return got;
}

static ssize_t give_bytes(wslay_event_context_ptr talk, const uint8_t *data, size_t count,
                          int flags, void *user)
{
    live_socket *one = user;
    ssize_t gone = 0;
    int more = flags & WSLAY_MSG_MORE ? MSG_MORE : 0;
    do gone = send(one->socket, data, count, MSG_DONTWAIT | MSG_NOSIGNAL | more);
    while (gone < 0 && errno == EINTR);
    if (gone < 0) {
        bool later = errno == EAGAIN || errno == EWOULDBLOCK;
        wslay_event_set_error(talk, later ? WSLAY_ERR_WOULDBLOCK : WSLAY_ERR_CALLBACK_FAILURE);
        return -1;
    }
    return gone;
}

/* ---- messages --------------------------------------------------------------------------------- */

bool socket_waits(const live_socket *one)
{
    return one->waiting.count > one->waiting_read;
}

/* Nothing more is read in this turn, so no more than what was read already can come to wait. */
static void let_wait(live_socket *one, const uint8_t *text, size_t count)
{
    uint32_t length = (uint32_t)count;
    bytes_add(&one->waiting, &length, sizeof length);
    bytes_add(&one->waiting, text, count);
    if (one->waiting.failed) one->broken = true;
    one->budget = 0;
}

static void take_text(live_socket *one, const uint8_t *text, size_t count)
{
    if (socket_waits(one) || one->work >= LIMIT_TURN_WORK)
        let_wait(one, text, count);
    else
        one->all->take_message(one, text, count);
}

static void do_waiting(live_socket *one)
{
    while (socket_waits(one) && one->work < LIMIT_TURN_WORK && !one->broken) {
        uint32_t length;
        const uint8_t *at = one->waiting.data + one->waiting_read;
        memcpy(&length, at, sizeof length);
        one->waiting_read += sizeof length + length;
        one->all->take_message(one, at + sizeof length, length);
    }
    if (socket_waits(one)) return;
    one->waiting.count = one->waiting_read = 0;
}

static void take_message(wslay_event_context_ptr talk,
                         const struct wslay_event_on_msg_recv_arg *what, void *user)
{
    live_socket *one = user;
    (void)talk;
    switch (what->opcode) {
    case WSLAY_TEXT_FRAME: take_text(one, what->msg, what->msg_length); break;
    case WSLAY_BINARY_FRAME: socket_complain(one, "messages are JSON, sent as text"); break;
    case WSLAY_PONG: one->awaits_pong = false; break;
    default: break; /* wslay answers pings and goodbyes by itself */
    }
}

/* ---- its life --------------------------------------------------------------------------------- */

bool socket_begin(live_socket *one)
{
    static const struct wslay_event_callbacks callbacks = { .recv_callback = take_bytes,
                                                            .send_callback = give_bytes,
                                                            .on_msg_recv_callback = take_message };
    if (wslay_event_context_server_init(&one->talk, &callbacks, one) != 0) return false;
    wslay_event_config_set_max_recv_msg_length(one->talk, LIMIT_MESSAGE_BYTES);
    one->pinged_ms = hub_now_ns() / 1000000;
    return true;
}

void socket_free(live_socket *one)
{
    heap *memory = &one->all->of->memory;
    if (one->talk) wslay_event_context_free(one->talk);
    bytes_free(&one->early);
    bytes_free(&one->waiting);
    one->closed(one->user);
    heap_resize(memory, one, sizeof *one, 0);
}

static void give_up_if_full(live_socket *one)
{
    if (wslay_event_get_queued_msg_length(one->talk) > QUEUE_BYTES ||
        wslay_event_get_queued_msg_count(one->talk) > QUEUE_MESSAGES)
        one->broken = true;
}

static void read_some(live_socket *one)
{
    one->budget = TURN_BYTES;
    do { /* bytes that came early make no socket readable, so they are read to their end */
        if (wslay_event_recv(one->talk) != 0) one->broken = true;
        one->budget = TURN_BYTES;
    } while (!one->broken && one->early_read < one->early.count &&
             wslay_event_want_read(one->talk));
    bytes_free(&one->early);
    one->early_read = 0;
    give_up_if_full(one);
}

void socket_turn(live_socket *one, bool can_read)
{
    one->work = 0;
    do_waiting(one);
    if (can_read && !one->broken && !socket_waits(one)) read_some(one);
}

void socket_write(live_socket *one)
{
    if (wslay_event_want_write(one->talk) && wslay_event_send(one->talk) != 0) one->broken = true;
}

void socket_beat(live_socket *one, int64_t now_ms)
{
    if (wslay_event_get_close_sent(one->talk) || wslay_event_get_close_received(one->talk)) {
        if (one->closing_ms == 0) one->closing_ms = now_ms;
        if (now_ms - one->closing_ms > CLOSING_MS) one->broken = true;
    }
    if (now_ms - one->pinged_ms < PING_MS) return;
    if (one->awaits_pong) {
        one->broken = true;
        return;
    }
    struct wslay_event_msg ping = { .opcode = WSLAY_PING };
    one->pinged_ms = now_ms;
    one->awaits_pong = wslay_event_queue_msg(one->talk, &ping) == 0;
}

bool socket_is_over(const live_socket *one)
{
    return one->broken || (!wslay_event_want_read(one->talk) && !wslay_event_want_write(one->talk));
}

/* ---- saying something ------------------------------------------------------------------------- */

/* The check comes first: a single long message may pass the limit, a second one behind it may not. */
static void queue(live_socket *one, uint8_t kind, const void *data, size_t count)
{
    struct wslay_event_msg message = { kind, data, count };
    give_up_if_full(one);
    if (one->broken || wslay_event_get_close_sent(one->talk)) return;
    if (wslay_event_queue_msg(one->talk, &message) == WSLAY_ERR_NOMEM) one->broken = true;
    socket_write(one);
}

void socket_say(live_socket *one, const char *text, size_t count)
{
    queue(one, WSLAY_TEXT_FRAME, text, count);
}

void socket_say_json(live_socket *one, struct json_t *message)
{
    studio_bytes text = { .memory = &one->all->of->memory };
    if (bytes_add_json(&text, message)) socket_say(one, (const char *)text.data, text.count);
    json_decref(message);
    bytes_free(&text);
}

void socket_complain(live_socket *one, const char *message)
{
    socket_say_json(one, json_pack("{s:s, s:s}", "type", "error", "message", message));
}

bool socket_can_take_pose(live_socket *one)
{
    return !one->broken && !wslay_event_want_write(one->talk);
}

void socket_show(live_socket *one, const uint8_t *pose, size_t count)
{
    queue(one, WSLAY_BINARY_FRAME, pose, count);
}
