/* live_react.c - characters that react to a client's main character, step by step, over its WebSocket. One waits for its puppet, and for
   the ground that its body stands on; then a worker opens it, since that takes time with the samples; then it takes the place of
   the one before. Time comes from the client alone, so the same messages give the same bytes. A body takes the frames of its graph
   at that one's own rate, towards where the reactor is by then, and is shown between its last two. */
#include "live_pose.h"
#include "live_role.h"
#include "live_stage.h"

#include "describe.h"

#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum {
    NO_REACT = -1,
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
typedef struct reacting {
    task work; /* first, so that the worker's task is this */
    hub_return back;
    live_socket *on; /* unless it is dropped */
    hub *all;
    int number;
    role *by;
    stage *stands; /* of its body; NULL: it has none */
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
} reacting;

/* `needs`: what would help; NULL: nothing. */
__attribute__((format(printf, 4, 5))) static void refuse(live_socket *on, int number,
                                                         const char *needs, const char *format, ...)
{
    char text[600];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    json_t *said = json_object();
    describe_put(&said, "type", json_string("error"));
    describe_put(&said, "react", json_integer(number));
    describe_put(&said, "message", describe_text(&on->all->of->memory, text));
    if (needs) describe_put(&said, "needs", json_string(needs));
    socket_say_json(on, said);
}

/* ---- its life ----------------------------------------------------------------------------------- */

static void reacting_free(reacting *one)
{
    hub *all = one->all;
    marey_body_free(one->body);
    marey_reactor_free(one->reactor);
    play_pose_free(&one->pose);
    if (one->ctx) marey_ctx_close(one->ctx);
    role_leave(one->by);
    if (one->stands) stage_leave(one->stands);
    all->react_count--;
    all->react_samples -= one->samples;
    heap_resize(&all->of->memory, one, sizeof *one, 0);
}

/* What a worker has is freed when it comes back. */
static void drop(reacting **held_at)
{
    reacting *one = *held_at;
    *held_at = NULL;
    if (!one) return;
    if (one->opens) {
        one->dropped = true;
        one->on = NULL;
        marey_ctx_cancel(one->ctx);
    } else {
        reacting_free(one);
    }
}

void react_end_all(live_socket *of)
{
    for (int i = 0; i < LIMIT_REACTS; i++) {
        drop(&of->opening[i]);
        drop(&of->reacts[i]);
    }
}

/* ---- time --------------------------------------------------------------------------------------- */

static double rate_of(const reacting *one)
{
    return marey_puppet_settings(one->by->puppet)->rate;
}

static double fps_of(const reacting *one)
{
    return marey_graph_fps(one->stands->graph);
}

/* How many steps it has taken once a time has come. */
static int64_t steps_by(const reacting *one, double begun_s, double time_s)
{
    return (int64_t)floor((time_s - begun_s + soon_s) * rate_of(one));
}

/* More than a second without a place is no time at all; places that are not behind the last one are passed over. */
static int64_t work_of(const reacting *one, const react_place *places, int count)
{
    double begun_s = one->begun_s, last_s = one->last.time_s;
    int64_t steps = 0;
    for (int i = 0; i < count; i++) {
        double time_s = places[i].time_s;
        if (!(time_s > last_s)) continue;
        if (time_s - last_s > longest_s) begun_s += time_s - last_s;
        last_s = time_s;
        steps = steps_by(one, begun_s, time_s) - one->steps;
    }
    if (steps < 0) steps = 0;
    int64_t work = steps * (one->by->samples + STEP_WORK);
    if (one->body) work += (int64_t)ceil((double)steps / rate_of(one) * fps_of(one)) * BODY_WORK;
    return work;
}

/* ---- steps -------------------------------------------------------------------------------------- */

static void step(reacting *one, const marey_entity *main)
{
    one->before = one->frame.react;
    marey_puppet_step(one->reactor, main, &one->frame);
    one->steps++;
    if (!one->body) return;
    double rate = rate_of(one), fps = fps_of(one);
    for (;;) {
        double due = (double)(one->bodied + 1) / fps - (double)(one->steps - 1) / rate;
        if (due > 1 / rate + soon_s) return;
        marey_entity wanted = app_entity_between(&one->before, &one->frame.react, due * rate);
        marey_controller_frame frame;
        marey_body_step(one->body, &wanted, &frame);
        play_pose_add(&one->pose, &frame);
        one->away_cm = hypot(frame.x_cm - wanted.x_cm, -frame.z_cm - wanted.y_cm);
        one->bodied++;
    }
}

static void go_along(reacting *one, const react_place *places, int count)
{
    double rate = rate_of(one);
    for (int i = 0; i < count; i++) {
        react_place last = one->last, to = places[i];
        double apart = to.time_s - last.time_s;
        if (!(apart > 0)) continue;
        if (apart > longest_s) one->begun_s += apart;
        while (one->steps < steps_by(one, one->begun_s, to.time_s)) {
            double due = one->begun_s + (double)(one->steps + 1) / rate;
            marey_entity main = app_entity_between(&last.at, &to.at, (due - last.time_s) / apart);
            step(one, &main);
        }
        one->last = to;
    }
}

/* ---- opening, on a worker's thread -------------------------------------------------------------- */

/* Its body takes its first frame, where it stands. */
static marey_status open_body(reacting *one, marey_error *error)
{
    const stage *of = one->stands;
    marey_body_def def = { .ground = of->ground.found };
    const marey_skeleton *skeleton = marey_clip_skeleton(marey_graph_motion(of->graph));
    marey_controller_frame frame;
    marey_status status =
        marey_body_open(one->ctx, of->graph, of->policy, &one->before, &def, &one->body, error);
    if (status != MAREY_OK) return status;
    if (!play_pose_open(&one->pose, &one->all->of->memory, skeleton)) return app_fail_memory(error);
    marey_body_step(one->body, &one->before, &frame);
    play_pose_add(&one->pose, &frame);
    play_pose_add(&one->pose, &frame);
    one->away_cm = hypot(frame.x_cm - one->before.x_cm, -frame.z_cm - one->before.y_cm);
    return MAREY_OK;
}

static void open_reacting(studio_worker *worker, task *self)
{
    reacting *one = (reacting *)self;
    const marey_reactor_def *def = &one->def;
    marey_error error = { 0 };
    (void)worker;
    marey_status status =
        marey_reactor_open(one->ctx, one->by->puppet, &one->last.at, def, &one->reactor, &error);
    if (status == MAREY_OK) {
        one->before = marey_reactor_start(one->reactor);
        one->frame = (marey_puppet_frame){ .react = one->before,
                                           .weight = def->weight > 0 ? def->weight : 1,
                                           .balance = def->balance };
    }
    if (status == MAREY_OK && one->stands) status = open_body(one, &error);
    one->error = error;
    one->error.status = status;
    hub_give_back(one->all, &one->back);
}

/* ---- opening, on the hub's thread --------------------------------------------------------------- */

static void announce(live_socket *on, const reacting *one)
{
    heap *memory = &on->all->of->memory;
    const marey_puppet *puppet = one->by->puppet;
    marey_entity start = marey_reactor_start(one->reactor);
    json_t *said = json_object();
    describe_put(&said, "type", json_string("react"));
    describe_put(&said, "react", json_integer(one->number));
    describe_put(&said, "puppet", describe_text(memory, one->by->name));
    describe_put(&said, "rate", json_real(marey_puppet_settings(puppet)->rate));
    describe_put(&said, "start",
                 json_pack("[f, f, f]", start.x_cm, start.y_cm, start.direction_rad));
    describe_put(&said, "runs", json_integer(marey_puppet_runs(puppet)));
    if (one->stands) {
        const stage *of = one->stands;
        const marey_skeleton *skeleton = one->pose.skeleton;
        json_t *parents = json_array();
        for (int j = 0; j < skeleton->joint_count; j++)
            describe_append(&parents, json_integer(skeleton->joints[j].parent));
        describe_put(&said, "graph", describe_text(memory, of->name));
        describe_put(&said, "skeleton", json_integer(of->parts->parts[0].clip));
        describe_put(&said, "joints", json_integer(skeleton->joint_count));
        describe_put(&said, "parents", parents);
        describe_put(&said, "fps", json_real(marey_graph_fps(of->graph)));
    }
    socket_say_json(on, said);
}

static void take_back(hub_return *self)
{
    reacting *one = (reacting *)(void *)((char *)self - offsetof(reacting, back));
    live_socket *on = one->on;
    one->opens = false;
    if (one->dropped) {
        reacting_free(one);
        return;
    }
    on->opening[one->number] = NULL;
    if (one->error.status != MAREY_OK) {
        refuse(on, one->number, NULL, "%s", one->error.message);
        reacting_free(one);
        return;
    }
    drop(&on->reacts[one->number]);
    on->reacts[one->number] = one;
    announce(on, one);
}

static void give_up(live_socket *on, int number, const char *needs, const char *message)
{
    refuse(on, number, needs, "%s", message);
    drop(&on->opening[number]);
}

/* As soon as all that it needs is open, the rest is a worker's. */
static void try_open(live_socket *on, int number)
{
    hub *all = on->all;
    reacting *one = on->opening[number];
    marey_ctx_def def = { .resize = heap_resize, .resize_user = &all->of->memory, .threads = 1 };
    int64_t few = all->of->react_samples, most = few > 0 ? few : LIMIT_REACT_SAMPLES;
    if (one->opens || !one->by->ready) return;
    if (one->stands && !one->stands->ready) return;
    if (one->stands && one->stands->ground.state != GROUND_FOUND) {
        ground_want(one->stands); /* this one may be gone behind it */
    } else if (one->by->samples > most - all->react_samples) {
        give_up(on, number, NULL, "those who react now are too much together");
    } else if (marey_ctx_open(&def, &one->ctx) != MAREY_OK) {
        one->ctx = NULL;
        give_up(on, number, NULL, "out of memory");
    } else {
        one->samples = one->by->samples;
        all->react_samples += one->samples;
        one->opens = true;
        pool_add(all->workers, &one->work);
    }
}

void react_role_ready(live_socket *on, role *of)
{
    for (int i = 0; i < LIMIT_REACTS; i++) {
        const reacting *one = on->opening[i];
        if (!one || one->by != of || one->opens) continue;
        if (of->error.status == MAREY_OK)
            try_open(on, i);
        else
            give_up(on, i, NULL, of->error.message);
    }
}

void react_stage_ready(live_socket *on, stage *of)
{
    for (int i = 0; i < LIMIT_REACTS; i++) {
        const reacting *one = on->opening[i];
        if (!one || one->stands != of || one->opens) continue;
        if (of->error.status == MAREY_OK)
            try_open(on, i);
        else
            give_up(on, i, of->needs_policy ? "policy" : NULL, of->error.message);
    }
}

void react_ground_ready(live_socket *on, stage *of)
{
    for (int i = 0; i < LIMIT_REACTS; i++) {
        const reacting *one = on->opening[i];
        if (!one || one->stands != of || one->opens) continue;
        if (of->ground.state == GROUND_FOUND)
            try_open(on, i);
        else
            give_up(on, i, NULL, of->ground.error.message);
    }
}

/* ---- as bytes ----------------------------------------------------------------------------------- */

static uint8_t *put_entry(reacting *one, uint8_t *to)
{
    const marey_puppet_frame *frame = &one->frame;
    to = play_put_uint32(to, (uint32_t)one->number);
    to = play_put_uint32(to, (uint32_t)frame->run);
    to = play_put_float(to, frame->time_s);
    to = play_put_uint32(to, frame->coherent);
    to = play_put_float(to, frame->react.x_cm);
    to = play_put_float(to, frame->react.y_cm);
    to = play_put_float(to, frame->react.direction_rad);
    to = play_put_float(to, frame->weight);
    to = play_put_float(to, frame->balance);
    to = play_put_float(to, one->away_cm);
    to = play_put_uint32(to, one->body ? (uint32_t)one->pose.skeleton->joint_count : 0);
    if (!one->body) return to;
    double fps = fps_of(one);
    double behind = (double)one->steps / rate_of(one) - (double)one->bodied / fps;
    return play_pose_joints(&one->pose, fmin(fmax(behind * fps, 0), 1), to);
}

/* How they all are now, as one message; false: out of memory. */
static bool write_all(const live_socket *on, double time_s, studio_bytes *out)
{
    size_t room = HEADER_BYTES;
    uint32_t count = 0;
    uint64_t bits;
    for (int i = 0; i < LIMIT_REACTS; i++) {
        const reacting *one = on->reacts[i];
        if (!one) continue;
        size_t joints = one->body ? (size_t)one->pose.skeleton->joint_count : 0;
        room += ENTRY_BYTES + joints * STREAM_FLOATS * sizeof(float);
        count++;
    }
    uint8_t *to = bytes_extend(out, room);
    if (!to) return false;
    memcpy(&bits, &time_s, sizeof bits);
    to = play_put_uint32(to, MESSAGE);
    to = play_put_uint32(to, count);
    to = play_put_uint32(to, (uint32_t)bits);
    to = play_put_uint32(to, (uint32_t)(bits >> 32));
    for (int i = 0; i < LIMIT_REACTS; i++)
        if (on->reacts[i]) to = put_entry(on->reacts[i], to);
    return true;
}

/* ---- what clients say --------------------------------------------------------------------------- */

static int read_react(live_socket *from, const json_t *message)
{
    int64_t number = 0;
    if (message_whole(message, "react", 0, LIMIT_REACTS - 1, NAN, &number)) return (int)number;
    socket_complain(from, "react must be a number from 0 to 7");
    return NO_REACT;
}

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
                               reacting *out, marey_error *error)
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
static const char *begin_order(live_socket *from, const react_order *order, const reacting *read)
{
    hub *all = from->all;
    const char *wrong = NULL;
    if (all->react_count >= LIMIT_ALL_REACTS || !all->workers)
        return "too many characters react at once";
    reacting *one = heap_resize(&all->of->memory, NULL, 0, sizeof *one);
    if (!one) return "out of memory";
    *one = *read;
    one->by = role_find(all, order->puppet, &wrong);
    if (one->by && order->graph) one->stands = stage_find(all, order->graph, &wrong);
    if (!one->by || (order->graph && !one->stands)) {
        if (one->by) role_leave(one->by);
        heap_resize(&all->of->memory, one, sizeof *one, 0);
        return wrong;
    }
    one->work.run = open_reacting;
    one->back.take = take_back;
    if (one->stands) one->stands->users++;
    all->react_count++;
    drop(&from->opening[one->number]);
    from->opening[one->number] = one;
    try_open(from, one->number);
    return NULL;
}

static void react(live_socket *from, const json_t *message)
{
    app_scope scope = app_scope_open(&from->all->of->allocator);
    react_order order = { .type = NULL };
    marey_error error = { 0 };
    reacting read = { .on = from, .all = from->all, .number = read_react(from, message) };
    if (read.number == NO_REACT) return;
    const char *wrong = read_order(&scope, message, &order, &read, &error) == MAREY_OK
                            ? begin_order(from, &order, &read)
                            : error.message;
    if (wrong) refuse(from, read.number, NULL, "%s", wrong);
    app_scope_close(&scope);
}

static void dismiss(live_socket *from, const json_t *message)
{
    int number = read_react(from, message);
    if (number == NO_REACT) return;
    if (!from->opening[number] && !from->reacts[number]) {
        refuse(from, number, NULL, "no live session %d", number);
        return;
    }
    drop(&from->opening[number]);
    drop(&from->reacts[number]);
    socket_say_json(from, json_pack("{s:s, s:i}", "type", "react-end", "react", number));
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

static void follow(live_socket *from, const json_t *message)
{
    react_place places[LIMIT_PLACES];
    int count = 0;
    int64_t left = LIMIT_MAIN_WORK;
    studio_bytes shown = { .memory = &from->all->of->memory };
    marey_error error = { 0 };
    if (!read_places(json_object_get(message, "at"), places, &count, &error)) {
        socket_complain(from, error.message);
        return;
    }
    const react_place *to = &places[count - 1];
    for (int i = 0; i < LIMIT_REACTS; i++) {
        reacting *one = from->reacts[i];
        if (!one) continue;
        int64_t work = work_of(one, places, count);
        if (work <= left) {
            go_along(one, places, count);
            one->skipped = false;
            left -= work;
            continue;
        }
        /* No time has passed for it. That is said once, not with every message. */
        if (to->time_s > one->last.time_s) {
            one->begun_s += to->time_s - one->last.time_s;
            one->last = *to;
        }
        if (!one->skipped)
            refuse(from, i, NULL,
                   "this is too much at once, so no time passes for it: send places more often, or "
                   "let fewer react, by smaller puppets");
        one->skipped = true;
    }
    from->work += LIMIT_MAIN_WORK - left;
    if (write_all(from, to->time_s, &shown))
        socket_show(from, shown.data, shown.count);
    else
        socket_complain(from, "out of memory");
    bytes_free(&shown);
}

bool react_message(live_socket *from, const char *type, const json_t *message)
{
    if (strcmp(type, "main") == 0)
        follow(from, message);
    else if (strcmp(type, "react") == 0)
        react(from, message);
    else if (strcmp(type, "dismiss") == 0)
        dismiss(from, message);
    else
        return false;
    from->work += MESSAGE_WORK;
    return true;
}
