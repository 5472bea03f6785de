/* live_socket.c - one WebSocket. wslay keeps frames and messages apart; here its bytes go in and
   out without ever waiting, and no client gets more memory or time than the limits say. */
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

/* ---- bytes ----------------------------------------------------------------------------------- */

static ssize_t take_bytes(wslay_event_context_ptr talk, uint8_t *data, size_t room, int flags,
                          void *user)
{
    live_socket *client = user;
    ssize_t got = 0;
    (void)flags;
    if (room > client->budget) room = client->budget;
    if (room == 0) {
        wslay_event_set_error(talk, WSLAY_ERR_WOULDBLOCK);
        return -1;
    }
    size_t left = client->early.count - client->early_read;
    if (left > 0) {
        got = (ssize_t)(left < room ? left : room);
        memcpy(data, client->early.data + client->early_read, (size_t)got);
        client->early_read += (size_t)got;
    } else {
        do got = recv(client->socket, data, room, MSG_DONTWAIT);
        while (got < 0 && errno == EINTR);
    }
    if (got <= 0) {
        bool later = got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
        wslay_event_set_error(talk, later ? WSLAY_ERR_WOULDBLOCK : WSLAY_ERR_CALLBACK_FAILURE);
        return -1;
    }
    client->budget -= (size_t)got;
    return got;
}

static ssize_t give_bytes(wslay_event_context_ptr talk, const uint8_t *data, size_t count,
                          int flags, void *user)
{
    live_socket *client = user;
    ssize_t gone = 0;
    int more = flags & WSLAY_MSG_MORE ? MSG_MORE : 0;
    do gone = send(client->socket, data, count, MSG_DONTWAIT | MSG_NOSIGNAL | more);
    while (gone < 0 && errno == EINTR);
    if (gone < 0) {
        bool later = errno == EAGAIN || errno == EWOULDBLOCK;
        wslay_event_set_error(talk, later ? WSLAY_ERR_WOULDBLOCK : WSLAY_ERR_CALLBACK_FAILURE);
        return -1;
    }
    return gone;
}

/* ---- messages -------------------------------------------------------------------------------- */

bool socket_waits(const live_socket *client)
{
    return client->waiting.count > client->waiting_read;
}

static void take_message(wslay_event_context_ptr talk,
                         const struct wslay_event_on_msg_recv_arg *frame, void *user)
{
    live_socket *client = user;
    (void)talk;
    if (frame->opcode == WSLAY_PONG) client->awaits_pong = false;
    if (frame->opcode == WSLAY_BINARY_FRAME)
        socket_send_error(client, "messages are JSON, sent as text");
    if (frame->opcode != WSLAY_TEXT_FRAME) return; /* wslay answers pings and goodbyes by itself */
    if (!socket_waits(client) && client->work < LIMIT_TURN_WORK) {
        client->all->take_message(client, frame->msg, frame->msg_length);
        return;
    }
    /* Nothing more is read in this turn, so no more than what was read already can come to wait. */
    uint32_t length = (uint32_t)frame->msg_length;
    bytes_add(&client->waiting, &length, sizeof length);
    bytes_add(&client->waiting, frame->msg, frame->msg_length);
    if (client->waiting.failed) client->broken = true;
    client->budget = 0;
}

/* ---- its life -------------------------------------------------------------------------------- */

bool socket_begin(live_socket *client)
{
    static const struct wslay_event_callbacks callbacks = { .recv_callback = take_bytes,
                                                            .send_callback = give_bytes,
                                                            .on_msg_recv_callback = take_message };
    if (wslay_event_context_server_init(&client->talk, &callbacks, client) != 0) return false;
    wslay_event_config_set_max_recv_msg_length(client->talk, LIMIT_MESSAGE_BYTES);
    client->pinged_ms = hub_now_ns() / 1000000;
    return true;
}

void socket_free(live_socket *client)
{
    heap *memory = &client->all->of->memory;
    if (client->talk) wslay_event_context_free(client->talk);
    bytes_free(&client->early);
    bytes_free(&client->waiting);
    client->closed(client->user);
    heap_resize(memory, client, sizeof *client, 0);
}

static void give_up_if_full(live_socket *client)
{
    if (wslay_event_get_queued_msg_length(client->talk) > QUEUE_BYTES ||
        wslay_event_get_queued_msg_count(client->talk) > QUEUE_MESSAGES)
        client->broken = true;
}

void socket_turn(live_socket *client, bool can_read)
{
    client->work = 0;
    while (socket_waits(client) && client->work < LIMIT_TURN_WORK && !client->broken) {
        uint32_t length;
        const uint8_t *at = client->waiting.data + client->waiting_read;
        memcpy(&length, at, sizeof length);
        client->waiting_read += sizeof length + length;
        client->all->take_message(client, at + sizeof length, length);
    }
    if (socket_waits(client)) return;
    client->waiting.count = client->waiting_read = 0;
    if (!can_read || client->broken) return;
    client->budget = TURN_BYTES;
    do { /* bytes that came early make no socket readable, so they are read to their end */
        if (wslay_event_recv(client->talk) != 0) client->broken = true;
        client->budget = TURN_BYTES;
    } while (!client->broken && client->early_read < client->early.count &&
             wslay_event_want_read(client->talk));
    bytes_free(&client->early);
    client->early_read = 0;
    give_up_if_full(client);
}

void socket_write(live_socket *client)
{
    if (wslay_event_want_write(client->talk) && wslay_event_send(client->talk) != 0)
        client->broken = true;
}

void socket_beat(live_socket *client, int64_t now_ms)
{
    if (wslay_event_get_close_sent(client->talk) || wslay_event_get_close_received(client->talk)) {
        if (client->closing_ms == 0) client->closing_ms = now_ms;
        if (now_ms - client->closing_ms > CLOSING_MS) client->broken = true;
    }
    if (now_ms - client->pinged_ms < PING_MS) return;
    if (client->awaits_pong) {
        client->broken = true;
        return;
    }
    struct wslay_event_msg ping = { .opcode = WSLAY_PING };
    client->pinged_ms = now_ms;
    client->awaits_pong = wslay_event_queue_msg(client->talk, &ping) == 0;
}

bool socket_is_over(const live_socket *client)
{
    return client->broken ||
           (!wslay_event_want_read(client->talk) && !wslay_event_want_write(client->talk));
}

/* ---- sending --------------------------------------------------------------------------------- */

/* The check comes first: a single long message may pass the limit, a second one behind it may
   not. */
void socket_send(live_socket *client, uint8_t kind, const void *data, size_t count)
{
    struct wslay_event_msg message = { kind, data, count };
    give_up_if_full(client);
    if (client->broken || wslay_event_get_close_sent(client->talk)) return;
    if (wslay_event_queue_msg(client->talk, &message) == WSLAY_ERR_NOMEM) client->broken = true;
    socket_write(client);
}

void socket_send_json(live_socket *client, struct json_t *message)
{
    studio_bytes text = { .memory = &client->all->of->memory };
    if (bytes_add_json(&text, message))
        socket_send(client, WSLAY_TEXT_FRAME, text.data, text.count);
    json_decref(message);
    bytes_free(&text);
}

void socket_send_error(live_socket *client, const char *message)
{
    socket_send_json(client, json_pack("{s:s, s:s}", "type", "error", "message", message));
}

bool socket_can_take_pose(live_socket *client)
{
    return !client->broken && !wslay_event_want_write(client->talk);
}
