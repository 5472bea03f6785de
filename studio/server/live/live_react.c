/* live_react.c - characters that react to a client's main character, step by step, over its
   WebSocket. One waits for its puppet, and for the ground that its body stands on; then a worker
   opens it, since that takes time with the samples; then it takes the place of the one before. Time
   comes from the client alone, so the same messages give the same bytes. A body takes the frames of
   its graph at that one's own rate, towards where the reactor is by then, and is shown between its
   last two. */
#include "live_pose.h"
#include "live_stage.h"

#include "describe.h"

#include <jansson.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum {
    MESSAGE = 512, /* the first number of what is sent */
    HEADER_BYTES = 16,
    ENTRY_BYTES = 44,
    MESSAGE_WORK = 20000, /* to read a message, in samples .. */
    STEP_WORK = 2000,     /* .. of a step beside its samples .. */
    BODY_WORK = 120000,   /* .. and of a frame of a body */
};

static const double soon_s = 1e-6, longest_s = 1;

typedef struct react_place { /* of the main character */
    double time_s;
    marey_entity at;
} react_place;

/* A character that reacts. A worker's while it is being opened, then the hub's. */
typedef struct live_react {
    task work; /* first, so that the worker's task is this */
    hub_return back;
    live_socket *client; /* unless it is dropped */
    hub *all;
    int number;
    live_role *role;
    live_stage *stage; /* of its body; NULL: it has none */
    marey_reactor_def def;
    react_place last; /* the last place of the main character that it knows */
    bool opens;       /* a worker has it */
    bool dropped;     /* .. and it is not wanted any more */
    marey_error error;
    marey_ctx *ctx;
    int64_t samples; /* counted in hub.react_samples */
    marey_reactor *reactor;
    marey_body *body;
    play_pose pose;
    double begun_s;        /* when it would have begun, had no time been skipped */
    int64_t steps, bodied; /* that it took; frames of its body behind the first */
    marey_entity before;
    marey_puppet_frame frame;
    double away_cm;
    bool skipped; /* the last message was too much for it, and it was said */
} live_react;

/* `needs`: what would help; NULL: nothing. */
static void refuse(live_socket *client, int number, const char *needs, const char *message)
{
    json_t *reply = json_object();
    describe_put(&reply, "type", json_string("error"));
    describe_put(&reply, "react", json_integer(number));
    describe_put(&reply, "message", describe_text(&client->all->of->memory, message));
    if (needs) describe_put(&reply, "needs", json_string(needs));
    socket_send_json(client, reply);
}

/* ---- its life -------------------------------------------------------------------------------- */

static void react_free(live_react *react)
{
    hub *h = react->all;
    marey_body_free(react->body);
    marey_reactor_free(react->reactor);
    play_pose_free(&react->pose);
    if (react->ctx) marey_ctx_close(react->ctx);
    role_leave(react->role);
    if (react->stage) stage_leave(react->stage);
    h->react_count--;
    h->react_samples -= react->samples;
    heap_resize(&h->of->memory, react, sizeof *react, 0);
}

/* What a worker has is freed when it comes back. */
static void drop(live_react **held_at)
{
    live_react *react = *held_at;
    *held_at = NULL;
    if (!react) return;
    if (react->opens) {
        react->dropped = true;
        react->client = NULL;
        marey_ctx_cancel(react->ctx);
    } else {
        react_free(react);
    }
}

void react_end_all(live_socket *client)
{
    for (int i = 0; i < LIMIT_REACTS; i++) {
        drop(&client->opening[i]);
        drop(&client->reacts[i]);
    }
}

/* ---- time ------------------------------------------------------------------------------------ */

static double rate_of(const live_react *react)
{
    return marey_puppet_settings(react->role->puppet)->rate;
}

static double fps_of(const live_react *react)
{
    return marey_graph_fps(react->stage->graph);
}

/* How many steps it has taken once a time has come. */
static int64_t steps_by(const live_react *react, double begun_s, double time_s)
{
    return (int64_t)floor((time_s - begun_s + soon_s) * rate_of(react));
}

/* More than a second without a place is no time at all; places that are not behind the last one are
   passed over. */
static int64_t work_of(const live_react *react, const react_place *places, int count)
{
    double begun_s = react->begun_s, last_s = react->last.time_s;
    int64_t steps = 0;
    for (int i = 0; i < count; i++) {
        double time_s = places[i].time_s;
        if (!(time_s > last_s)) continue;
        if (time_s - last_s > longest_s) begun_s += time_s - last_s;
        last_s = time_s;
        steps = steps_by(react, begun_s, time_s) - react->steps;
    }
    if (steps < 0) steps = 0;
    int64_t work = steps * (react->role->samples + STEP_WORK);
    if (react->body)
        work += (int64_t)ceil((double)steps / rate_of(react) * fps_of(react)) * BODY_WORK;
    return work;
}

/* Steps towards the places of the main character, as far as their times go. */
static void follow_places(live_react *react, const react_place *places, int count)
{
    double rate = rate_of(react);
    for (int i = 0; i < count; i++) {
        react_place last = react->last, next = places[i];
        double apart = next.time_s - last.time_s;
        if (!(apart > 0)) continue;
        if (apart > longest_s) react->begun_s += apart;
        while (react->steps < steps_by(react, react->begun_s, next.time_s)) {
            double due = react->begun_s + (double)(react->steps + 1) / rate;
            marey_entity main = app_entity_between(&last.at, &next.at, (due - last.time_s) / apart);
            react->before = react->frame.react;
            marey_puppet_step(react->reactor, &main, &react->frame);
            react->steps++;
            /* The frames of its body that this step reaches. */
            while (react->body) {
                double behind =
                    (double)(react->bodied + 1) / fps_of(react) - (double)(react->steps - 1) / rate;
                if (behind > 1 / rate + soon_s) break;
                marey_entity wanted =
                    app_entity_between(&react->before, &react->frame.react, behind * rate);
                marey_controller_frame frame;
                marey_body_lead(react->body, react->reactor, &wanted, &frame);
                play_pose_add(&react->pose, &frame);
                react->away_cm = hypot(frame.x_cm - wanted.x_cm, -frame.z_cm - wanted.y_cm);
                react->bodied++;
            }
        }
        react->last = next;
    }
}

/* ---- opening, on a worker's thread ----------------------------------------------------------- */

static marey_status open_reactor(live_react *react, marey_error *error)
{
    const marey_reactor_def *def = &react->def;
    marey_status status = marey_reactor_open(react->ctx, react->role->puppet, &react->last.at, def,
                                             &react->reactor, error);
    if (status != MAREY_OK) return status;
    react->before = marey_reactor_start(react->reactor);
    react->frame = (marey_puppet_frame){ .react = react->before,
                                         .weight = def->weight > 0 ? def->weight : 1,
                                         .balance = def->balance };
    const live_stage *stage = react->stage;
    if (!stage) return MAREY_OK;
    marey_body_def body_def = { .ground = stage->ground.found };
    status = marey_body_open(react->ctx, stage->graph, stage->policy, &react->before, &body_def,
                             &react->body, error);
    if (status != MAREY_OK) return status;
    if (!play_pose_open(&react->pose, &react->all->of->memory,
                        marey_clip_skeleton(marey_graph_motion(stage->graph))))
        return app_fail_memory(error);
    /* Its body takes its first frame, where it stands. */
    marey_controller_frame frame;
    marey_body_step(react->body, &react->before, &frame);
    play_pose_add(&react->pose, &frame);
    play_pose_add(&react->pose, &frame);
    react->away_cm = hypot(frame.x_cm - react->before.x_cm, -frame.z_cm - react->before.y_cm);
    return MAREY_OK;
}

static void open_react(studio_worker *worker, task *self)
{
    live_react *react = (live_react *)self;
    marey_error error = { 0 };
    (void)worker;
    marey_status status = open_reactor(react, &error);
    react->error = error;
    react->error.status = status;
    hub_give_back(react->all, &react->back);
}

/* ---- opening, on the hub's thread ------------------------------------------------------------ */

static void take_back(hub_return *self)
{
    live_react *react = (live_react *)(void *)((char *)self - offsetof(live_react, back));
    live_socket *client = react->client;
    react->opens = false;
    if (!react->dropped) client->opening[react->number] = NULL;
    if (!react->dropped && react->error.status != MAREY_OK)
        refuse(client, react->number, NULL, react->error.message);
    if (react->dropped || react->error.status != MAREY_OK) {
        react_free(react);
        return;
    }
    drop(&client->reacts[react->number]);
    client->reacts[react->number] = react;
    heap *memory = &client->all->of->memory;
    const marey_puppet *puppet = react->role->puppet;
    marey_entity start = marey_reactor_start(react->reactor);
    json_t *reply = json_object();
    describe_put(&reply, "type", json_string("react"));
    describe_put(&reply, "react", json_integer(react->number));
    describe_put(&reply, "puppet", describe_text(memory, react->role->saved.name));
    describe_put(&reply, "rate", json_real(marey_puppet_settings(puppet)->rate));
    describe_put(&reply, "start",
                 json_pack("[f, f, f]", start.x_cm, start.y_cm, start.direction_rad));
    describe_put(&reply, "runs", json_integer(marey_puppet_runs(puppet)));
    if (react->stage) {
        const live_stage *stage = react->stage;
        const marey_skeleton *skeleton = react->pose.skeleton;
        json_t *parents = json_array();
        for (int j = 0; j < skeleton->joint_count; j++)
            describe_append(&parents, json_integer(skeleton->joints[j].parent));
        describe_put(&reply, "graph", describe_text(memory, stage->saved.name));
        describe_put(&reply, "skeleton", json_integer(app_parts_body(stage->parts)));
        describe_put(&reply, "joints", json_integer(skeleton->joint_count));
        describe_put(&reply, "parents", parents);
        describe_put(&reply, "fps", json_real(marey_graph_fps(stage->graph)));
    }
    socket_send_json(client, reply);
}

static void give_up(live_socket *client, int number, const char *needs, const char *message)
{
    refuse(client, number, needs, message);
    drop(&client->opening[number]);
}

/* As soon as all that it needs is open, the rest is a worker's. */
static void try_open(live_socket *client, int number)
{
    hub *h = client->all;
    live_react *react = client->opening[number];
    int64_t few = h->of->react_samples, most = few > 0 ? few : LIMIT_REACT_SAMPLES;
    if (react->opens || !react->role->saved.ready) return;
    if (react->stage && !react->stage->saved.ready) return;
    if (react->stage && react->stage->ground.state != GROUND_FOUND) {
        ground_request(react->stage); /* this one may be gone behind it */
    } else if (react->role->samples > most - h->react_samples) {
        give_up(client, number, NULL, "those who react now are too much together");
    } else if (!hub_open_context(h, &react->ctx)) {
        give_up(client, number, NULL, "out of memory");
    } else {
        react->samples = react->role->samples;
        h->react_samples += react->samples;
        react->opens = true;
        pool_add(h->workers, &react->work);
    }
}

void react_ready(live_socket *client, const live_saved *saved, const char *needs,
                 const marey_error *error)
{
    for (int i = 0; i < LIMIT_REACTS; i++) {
        const live_react *react = client->opening[i];
        if (!react || react->opens) continue;
        if (&react->role->saved != saved && (!react->stage || &react->stage->saved != saved))
            continue;
        if (error->status == MAREY_OK)
            try_open(client, i);
        else
            give_up(client, i, needs, error->message);
    }
}

/* ---- as bytes -------------------------------------------------------------------------------- */

/* How they all are now, as one message; false: out of memory. */
static bool write_all(const live_socket *client, double time_s, studio_bytes *message)
{
    size_t room = HEADER_BYTES;
    uint32_t count = 0;
    uint64_t bits;
    for (int i = 0; i < LIMIT_REACTS; i++) {
        const live_react *react = client->reacts[i];
        if (!react) continue;
        size_t joints = react->body ? (size_t)react->pose.skeleton->joint_count : 0;
        room += ENTRY_BYTES + joints * STREAM_FLOATS * sizeof(float);
        count++;
    }
    uint8_t *out = bytes_extend(message, room);
    if (!out) return false;
    memcpy(&bits, &time_s, sizeof bits);
    out = pose_put_uint32(out, MESSAGE);
    out = pose_put_uint32(out, count);
    out = pose_put_uint32(out, (uint32_t)bits);
    out = pose_put_uint32(out, (uint32_t)(bits >> 32));
    for (int i = 0; i < LIMIT_REACTS; i++) {
        live_react *react = client->reacts[i];
        if (!react) continue;
        const marey_puppet_frame *frame = &react->frame;
        out = pose_put_uint32(out, (uint32_t)react->number);
        out = pose_put_uint32(out, (uint32_t)frame->run);
        out = pose_put_float(out, frame->time_s);
        out = pose_put_uint32(out, frame->coherent);
        out = pose_put_float(out, frame->react.x_cm);
        out = pose_put_float(out, frame->react.y_cm);
        out = pose_put_float(out, frame->react.direction_rad);
        out = pose_put_float(out, frame->weight);
        out = pose_put_float(out, frame->balance);
        out = pose_put_float(out, react->away_cm);
        out = pose_put_uint32(out, react->body ? (uint32_t)react->pose.skeleton->joint_count : 0);
        if (!react->body) continue;
        double fps = fps_of(react);
        double behind = (double)react->steps / rate_of(react) - (double)react->bodied / fps;
        out = play_pose_joints(&react->pose, fmin(fmax(behind * fps, 0), 1), out);
    }
    return true;
}

/* ---- what clients say ------------------------------------------------------------------------ */

/* Who is to react. */
typedef struct react_order {
    app_params given;
    const char *type, *puppet, *graph;
    int react;
    app_numbers main, start;
    double time_s, balance, weight;
    bool rough;
} react_order;

#define AT(member) offsetof(react_order, member)
static const app_param order_rows[] = {
    { .name = "type", .type = APP_TEXT, .at = AT(type) },
    { .name = "react", .type = APP_WHOLE, .at = AT(react), .least = 0, .most = LIMIT_REACTS - 1 },
    { .name = "puppet",
      .type = APP_TEXT,
      .at = AT(puppet),
      .most = MAREY_NAME_ROOM - 1,
      .needed = true },
    { .name = "graph", .type = APP_TEXT, .at = AT(graph), .most = MAREY_NAME_ROOM - 1 },
    { .name = "main", .type = APP_NUMBERS, .at = AT(main), .most_count = 3, .needed = true },
    { .name = "time-s", .type = APP_NUMBER, .at = AT(time_s), .least = -5e9, .most = 5e9 },
    APP_REACTOR_PARAMS(react_order),
    { 0 },
};
#undef AT

/* What is null is as if it were not there. */
static marey_status read_order(app_scope *scope, const json_t *message, react_order *order,
                               live_react *out, marey_error *error)
{
    json_t *given = json_object(), *value;
    const char *key;
    json_object_foreach((json_t *)(uintptr_t)message, key, value)
    {
        if (!json_is_null(value)) describe_put(&given, key, json_incref(value));
    }
    marey_status status = app_check(!given, error);
    if (status == MAREY_OK) status = app_params_defaults(scope, order_rows, &order->given, error);
    if (status == MAREY_OK)
        status = app_params_json(scope, order_rows, given, &order->given, error);
    json_decref(given);
    if (status == MAREY_OK) status = app_params_check(order_rows, &order->given, APP_BODY, error);
    if (status == MAREY_OK) status = app_entity_read(&order->main, "main", &out->last.at, error);
    if (status == MAREY_OK)
        status = app_reactor_define(&order->start, order->balance, order->weight, order->rough,
                                    "start", &out->def, error);
    out->last.time_s = out->begun_s = order->time_s;
    return status;
}

/* Finds its puppet, and where its body stands; NULL, or what is wrong. */
static const char *begin_order(live_socket *client, const react_order *order,
                               const live_react *read)
{
    hub *h = client->all;
    const char *wrong = NULL;
    if (h->react_count >= LIMIT_ALL_REACTS || !h->workers)
        return "too many characters react at once";
    live_react *react = heap_resize(&h->of->memory, NULL, 0, sizeof *react);
    if (!react) return "out of memory";
    *react = *read;
    react->role = role_find(h, order->puppet, &wrong);
    if (react->role && order->graph)
        react->stage = stage_find(h, order->graph, MAREY_CONTROLLER_GRAPH, &wrong);
    if (!react->role || (order->graph && !react->stage)) {
        if (react->role) role_leave(react->role);
        heap_resize(&h->of->memory, react, sizeof *react, 0);
        return wrong;
    }
    react->work.run = open_react;
    react->back.take = take_back;
    if (react->stage) react->stage->saved.users++;
    h->react_count++;
    drop(&client->opening[react->number]);
    client->opening[react->number] = react;
    try_open(client, react->number);
    return NULL;
}

static void order_react(live_socket *client, const json_t *message, int number)
{
    app_scope scope = app_scope_open(&client->all->of->allocator);
    react_order order = { .type = NULL };
    marey_error error = { 0 };
    live_react read = { .client = client, .all = client->all, .number = number };
    const char *wrong = read_order(&scope, message, &order, &read, &error) == MAREY_OK
                            ? begin_order(client, &order, &read)
                            : error.message;
    if (wrong) refuse(client, number, NULL, wrong);
    app_scope_close(&scope);
}

static bool read_places(const json_t *list, react_place *out, int *count, marey_error *error)
{
    size_t rows = json_array_size(list);
    snprintf(error->message, sizeof error->message,
             "at must be a list of 1 to %d places [time, x, y, direction] of the main character",
             LIMIT_PLACES);
    if (rows < 1 || rows > LIMIT_PLACES) return false;
    for (size_t i = 0; i < rows; i++) {
        double at[APP_PLACE_NUMBERS], before = i > 0 ? out[i - 1].time_s : 0;
        if (app_path_row_read(json_array_get(list, i), APP_PLACE_NUMBERS, "place", (int)i, before,
                              at, error) != MAREY_OK)
            return false;
        out[i] = (react_place){ at[0], { at[1], at[2], at[3] } };
    }
    *count = (int)rows;
    return true;
}

static void follow(live_socket *client, const json_t *message)
{
    react_place places[LIMIT_PLACES];
    int count = 0;
    int64_t left = LIMIT_MAIN_WORK;
    studio_bytes shown = { .memory = &client->all->of->memory };
    marey_error error = { 0 };
    if (!read_places(json_object_get(message, "at"), places, &count, &error)) {
        socket_send_error(client, error.message);
        return;
    }
    const react_place *newest = &places[count - 1];
    for (int i = 0; i < LIMIT_REACTS; i++) {
        live_react *react = client->reacts[i];
        if (!react) continue;
        int64_t work = work_of(react, places, count);
        if (work <= left) {
            follow_places(react, places, count);
            react->skipped = false;
            left -= work;
            continue;
        }
        /* No time has passed for it. That is said once, not with every message. */
        if (newest->time_s > react->last.time_s) {
            react->begun_s += newest->time_s - react->last.time_s;
            react->last = *newest;
        }
        if (!react->skipped)
            refuse(client, i, NULL,
                   "this is too much at once, so no time passes for it: send places more often, or "
                   "let fewer react, by smaller puppets");
        react->skipped = true;
    }
    client->work += LIMIT_MAIN_WORK - left;
    if (write_all(client, newest->time_s, &shown))
        socket_send(client, WSLAY_BINARY_FRAME, shown.data, shown.count);
    else
        socket_send_error(client, "out of memory");
    bytes_free(&shown);
}

bool react_message(live_socket *client, const char *type, const json_t *message)
{
    bool follows = strcmp(type, "main") == 0, orders = strcmp(type, "react") == 0;
    int64_t place = 0;
    if (!follows && !orders && strcmp(type, "dismiss") != 0) return false;
    client->work += MESSAGE_WORK;
    if (follows) {
        follow(client, message);
        return true;
    }
    if (!message_whole(message, "react", 0, LIMIT_REACTS - 1, NAN, &place)) {
        socket_send_error(client, "react must be a number from 0 to 7");
        return true;
    }
    int number = (int)place;
    if (orders) {
        order_react(client, message, number);
    } else if (!client->opening[number] && !client->reacts[number]) {
        char text[32];
        snprintf(text, sizeof text, "no live session %d", number);
        refuse(client, number, NULL, text);
    } else {
        drop(&client->opening[number]);
        drop(&client->reacts[number]);
        socket_send_json(client, json_pack("{s:s, s:i}", "type", "react-end", "react", number));
    }
    return true;
}
