/* live_play.c - characters that are steered. Each is stepped at its graph's rate by the clock and
   shown at the client's, between two steps where that is faster: what is seen is a frame of the
   graph behind what is known.

   What one is asked for the first time takes two things that take long, both on workers: the stage
   opens the family and joins it to the graph, while the character is steered on; then its controller
   learns of it, and no time passes for the character meanwhile. The last thing it was asked for
   waits. */
#include "live_pose.h"
#include "live_record.h"
#include "live_stage.h"

#include <jansson.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum {
    DEFAULT_RATE = 60,
    MOST_JOINED = 16,  /* families and actions of one character: as a controller has at most */
    ASK_WORK = 1 << 18 /* of LIMIT_TURN_WORK: half a millisecond */
};

static const double ns_per_s = 1e9, farthest_cm = 1e6, fastest_cm_s = 1e5, most_rad = 1e6;

/* Of a character and a worker: the controller learns of something that it may be asked for. */
typedef struct play_joining {
    task work; /* first, so that the worker's task is the joining */
    hub_return back;
    struct live_play *play;
    bool going_on;  /* a worker has the controller .. */
    bool abandoned; /* .. and the character goes when it is back */
    int64_t since_ns;
    marey_control_score score; /* before it */
    const stage_motion *motion;
    int number;
    marey_error error;
} play_joining;

typedef struct live_play {
    hub *all;
    uint64_t socket; /* by number: it may be gone when a worker is done */
    live_stage *stage;
    marey_ctx *ctx; /* its controller's alone: a worker has both at times */
    int number;
    marey_controller_def start;
    double rate;
    marey_controller *controller; /* NULL: it waits for its stage */
    marey_control_input input;
    play_pose pose;
    int64_t stepped; /* frames of the graph that it has done */
    int64_t begun_ns;
    int64_t sent; /* ticks of its clock that are over */
    play_record record;
    play_joining joining;
    /* What its controller knows, each by the number that it has there, and how it was asked for
       last. */
    struct {
        const stage_motion *motion;
        char text[APP_REQUEST_ROOM];
    } joined[MOST_JOINED];
    /* What it was asked for and could not be asked yet, and what that is once it is on its way. */
    bool waiting;
    char waiting_text[APP_REQUEST_ROOM];
    const stage_motion *waiting_for;
    int doing, doing_frame; /* of the step before; -1: nothing */
} live_play;

/* ---- its life -------------------------------------------------------------------------------- */

static void play_free(hub *h, live_play *play)
{
    if (!play) return;
    if (play->joining.going_on) {
        play->joining.abandoned = true;
        return;
    }
    play_pose_free(&play->pose);
    record_free(&play->record);
    marey_controller_free(play->controller);
    if (play->ctx) marey_ctx_close(play->ctx);
    stage_leave(play->stage);
    h->play_count--;
    heap_resize(&h->of->memory, play, sizeof *play, 0);
}

/* `asked`: what it was asked for, if it is about that. */
static void refuse_asked(live_socket *client, int number, const char *message, const char *needs,
                         const char *asked)
{
    json_t *reply = json_pack("{s:s, s:s}", "type", "error", "message", message);
    if (reply) json_object_set_new(reply, "play", json_integer(number));
    if (reply && needs) json_object_set_new(reply, "needs", json_string(needs));
    if (reply && asked) json_object_set_new(reply, "do", json_string(asked));
    /* A message may quote a name that is no UTF-8. */
    if (!reply)
        reply = json_pack("{s:s, s:i, s:s}", "type", "error", "play", number, "message",
                          "steering failed");
    socket_send_json(client, reply);
}

static void refuse(live_socket *client, int number, const char *message, const char *needs)
{
    refuse_asked(client, number, message, needs, NULL);
}

static void end(live_socket *client, int number)
{
    live_play *play = client->plays[number];
    if (!play) return;
    marey_control_score score =
        play->joining.going_on ? play->joining.score : marey_controller_score(play->controller);
    const live_stage *stage = play->stage;
    json_t *played = record_json(&play->record, marey_graph_fps(stage->graph),
                                 marey_clip_fps(stage->parts->clips[0]));
    if (played) {
        json_object_set_new(played, "graph", json_string(stage->saved.name));
        json_object_set_new(played, "controller",
                            json_string(marey_controller_kind_name(stage->kind)));
    }
    socket_send_json(client, json_pack("{s:s, s:i, s:f, s:f, s:f, s:i, s:i, s:o?, s:b}", "type",
                                       "steer-end", "play", number, "control", score.control,
                                       "transition", score.transition, "total", score.total,
                                       "frames", score.frames, "transitions", score.transitions,
                                       "played", played, "whole", !play->record.full));
    play_free(client->all, play);
    client->plays[number] = NULL;
}

/* Its stage is open: it takes the place of the one before. */
static void begin(live_socket *client, int number)
{
    live_play *play = client->awaited[number];
    const live_stage *stage = play->stage;
    const marey_skeleton *skeleton = marey_clip_skeleton(marey_graph_motion(stage->graph));
    bool matches = stage->kind == MAREY_CONTROLLER_MATCHING;
    marey_error error = { .message = "out of memory" };
    client->awaited[number] = NULL;
    marey_status status = MAREY_ERR_MEMORY;
    if (hub_open_context(client->all, &play->ctx))
        status = matches ? marey_controller_open_matching(play->ctx, stage->matching, &play->start,
                                                          &play->controller, &error)
                         : marey_controller_open(play->ctx, stage->graph, stage->policy,
                                                 &play->start, &play->controller, &error);
    if (status != MAREY_OK || !play_pose_open(&play->pose, &client->all->of->memory, skeleton)) {
        refuse(client, number, error.message, NULL);
        play_free(client->all, play);
        return;
    }
    end(client, number);
    client->plays[number] = play;
    play->begun_ns = hub_now_ns();
    play->sent = -1;
    json_t *parents = json_array(), *speeds = json_array();
    for (int j = 0; j < skeleton->joint_count; j++)
        json_array_append_new(parents, json_integer(skeleton->joints[j].parent));
    const marey_policy_def *def = matches ? NULL : marey_policy_settings(stage->policy);
    int speed_count = matches ? 0 : def->speed_count;
    const double *known =
        matches ? marey_matching_speeds(stage->matching, &speed_count) : def->speeds;
    for (int i = 0; i < speed_count; i++) json_array_append_new(speeds, json_real(known[i]));
    socket_send_json(client, json_pack("{s:s, s:i, s:s, s:s, s:I, s:i, s:o, s:f, s:f, s:o}", "type",
                                       "steer", "play", number, "graph", stage->saved.name,
                                       "controller", marey_controller_kind_name(stage->kind),
                                       "skeleton", (json_int_t)app_parts_body(stage->parts),
                                       "joints", skeleton->joint_count, "parents", parents, "fps",
                                       marey_graph_fps(stage->graph), "rate", play->rate, "speeds",
                                       speeds));
}

/* ---- what they are asked for ------------------------------------------------------------------- */

static void refuse_waiting(live_socket *client, live_play *play, const char *message)
{
    play->waiting = false;
    play->waiting_for = NULL;
    refuse_asked(client, play->number, message, NULL, play->waiting_text);
}

static int joined_as(const live_play *play, const stage_motion *motion)
{
    int number = MOST_JOINED - 1;
    while (number >= 0 && play->joined[number].motion != motion) number--;
    return number;
}

/* Its controller knows it. */
static void ask_now(live_socket *client, live_play *play, int number)
{
    app_request request = play->waiting_for->as;
    const marey_family *family = request.from ? request.from->family : NULL;
    marey_answer answer = { 0 };
    marey_error error = { 0 };
    marey_status status = app_request_read(play->waiting_text, &request.text, &error);
    if (status == MAREY_OK) status = app_request_settle(&request, &error);
    if (status == MAREY_OK)
        status = marey_controller_ask(play->controller, number, request.wanted, &answer, &error);
    if (status != MAREY_OK) {
        refuse_waiting(client, play, error.message);
        return;
    }
    const char *text = memcpy(play->joined[number].text, play->waiting_text, APP_REQUEST_ROOM);
    record_ask(&play->record, text);
    play->waiting = false;
    play->waiting_for = NULL;
    json_t *values = json_array();
    for (int d = 0; family && d < marey_family_dims(family); d++)
        json_array_append_new(values, json_real(answer.values[d]));
    json_t *reply = json_pack("{s:s, s:i, s:s, s:o}", "type", "asked", "play", play->number, "do",
                              text, "values", values);
    if (reply && family) {
        json_object_set_new(reply, "error", json_real(answer.error));
        json_object_set_new(reply, "error_unit", json_string(app_family_unit(family)));
        json_object_set_new(reply, "outside", json_boolean(answer.outside));
    } else if (reply) {
        json_object_set_new(reply, "error", json_null());
    }
    socket_send_json(client, reply);
}

static void join(studio_worker *worker, task *self)
{
    play_joining *joining = (play_joining *)self;
    live_play *play = joining->play;
    const app_request *as = &joining->motion->as;
    marey_status status = MAREY_ERR_MEMORY;
    for (int i = 0; i < 2 && status == MAREY_ERR_MEMORY; i++) {
        if (i > 0) worker_make_room(worker);
        status = as->from ? marey_controller_join(play->controller, as->joined, &joining->number,
                                                  &joining->error)
                          : marey_controller_join_action(play->controller, as->text.room,
                                                         &joining->number, &joining->error);
    }
    joining->error.status = status;
    hub_give_back(play->all, &joining->back);
}

static void go_on(live_socket *client, live_play *play);

static void take_joined(hub_return *self)
{
    play_joining *joining = (play_joining *)(void *)((char *)self - offsetof(play_joining, back));
    live_play *play = joining->play;
    hub *h = play->all;
    joining->going_on = false;
    play->begun_ns += hub_now_ns() - joining->since_ns;
    bool fine = joining->error.status == MAREY_OK;
    if (fine && joining->number >= MOST_JOINED) { /* a controller has no more */
        fine = false;
        app_fail(&joining->error, MAREY_ERR_LIMIT, NULL,
                 "families and actions of a character must be at most %d", (int)MOST_JOINED);
    }
    if (fine) play->joined[joining->number].motion = joining->motion;
    if (joining->abandoned) {
        play_free(h, play);
        return;
    }
    for (int i = 0; i < h->count; i++) {
        live_socket *client = h->sockets[i];
        if (client->number != play->socket) continue;
        if (!fine && play->waiting_for == joining->motion)
            refuse_waiting(client, play, joining->error.message);
        go_on(client, play);
    }
}

/* As far as it gets with what waits. */
static void go_on(live_socket *client, live_play *play)
{
    if (!play->waiting || play->joining.going_on) return;
    const char *wrong = NULL;
    if (!play->waiting_for) {
        app_request_text text;
        app_request_read(play->waiting_text, &text, NULL); /* it was read before */
        play->waiting_for = motion_find(play->stage, text.room, &wrong);
    }
    if (!play->waiting_for) {
        refuse_waiting(client, play, wrong);
        return;
    }
    if (!play->waiting_for->saved.ready) return;
    int number = joined_as(play, play->waiting_for);
    if (number >= 0) {
        ask_now(client, play, number);
        return;
    }
    play->joining = (play_joining){ .work = { .run = join },
                                    .back = { .take = take_joined },
                                    .play = play,
                                    .going_on = true,
                                    .since_ns = hub_now_ns(),
                                    .score = marey_controller_score(play->controller),
                                    .motion = play->waiting_for };
    pool_add(play->all->workers, &play->joining.work);
}

/* What is asked for last counts. */
static void ask(live_socket *client, const json_t *message, int number)
{
    const char *text = json_string_value(json_object_get(message, "do"));
    live_play *play = client->plays[number];
    app_request_text read;
    marey_error error = { 0 };
    char none[32];
    snprintf(none, sizeof none, "no live session %d", number);
    const char *wrong = NULL;
    client->work += ASK_WORK;
    if (!text)
        wrong = "do must be a text, as in kick(height=95)";
    else if (app_request_read(text, &read, &error) != MAREY_OK)
        wrong = error.message;
    else if (read.where != APP_REQUEST_NOWHERE)
        wrong = "do must be without @: it is done as soon as it can begin";
    else if (strlen(read.room) >= MAREY_NAME_ROOM)
        wrong = "do must begin with the name of a family, or an action";
    else if (!play)
        wrong = none;
    else if (play->stage->kind == MAREY_CONTROLLER_MATCHING)
        wrong = "a character that is steered by matching takes no requests: steer by graph";
    if (wrong) {
        refuse_asked(client, number, wrong, NULL, text);
        return;
    }
    snprintf(play->waiting_text, sizeof play->waiting_text, "%s", text);
    play->waiting = true;
    play->waiting_for = NULL;
    go_on(client, play);
}

/* Says so when it begins or ends what it was asked for. */
static void note_doing(live_socket *client, live_play *play, const marey_controller_frame *frame)
{
    bool begins = frame->doing >= 0 &&
                  (play->doing != frame->doing || frame->doing_frame <= play->doing_frame);
    bool ends = frame->doing < 0 && play->doing >= 0;
    play->doing = frame->doing;
    play->doing_frame = frame->doing_frame;
    if (begins) record_begun(&play->record);
    if (begins)
        socket_send_json(client, json_pack("{s:s, s:i, s:s}", "type", "doing", "play", play->number,
                                           "do", play->joined[frame->doing].text));
    else if (ends)
        socket_send_json(client,
                         json_pack("{s:s, s:i, s:n}", "type", "doing", "play", play->number, "do"));
}

void play_ready(live_socket *client, const live_saved *saved, const char *needs,
                const marey_error *error)
{
    for (int i = 0; i < LIMIT_PLAYS; i++) {
        live_play *asked = client->plays[i];
        if (!asked || !asked->waiting_for || &asked->waiting_for->saved != saved) continue;
        if (error->status == MAREY_OK)
            go_on(client, asked);
        else
            refuse_waiting(client, asked, error->message);
    }
    for (int i = 0; i < LIMIT_PLAYS; i++) {
        live_play *play = client->awaited[i];
        if (!play || &play->stage->saved != saved) continue;
        if (error->status == MAREY_OK) {
            begin(client, i);
            continue;
        }
        client->awaited[i] = NULL;
        refuse(client, i, error->message, needs);
        play_free(client->all, play);
    }
}

void play_end_all(live_socket *client)
{
    for (int i = 0; i < LIMIT_PLAYS; i++) {
        play_free(client->all, client->awaited[i]);
        play_free(client->all, client->plays[i]);
        client->awaited[i] = client->plays[i] = NULL;
    }
}

/* ---- what clients say ------------------------------------------------------------------------ */

static bool read_number(const json_t *message, const char *name, double least, double most,
                        double absent, double *out)
{
    double value = message_number(message, name, absent);
    if (!(value >= least && value <= most)) return false;
    *out = value;
    return true;
}

static const char *order(live_socket *client, const json_t *message, int number)
{
    hub *h = client->all;
    const char *name = json_string_value(json_object_get(message, "graph")), *wrong = NULL;
    live_play read = { .all = h, .socket = client->number, .number = number, .doing = -1 };
    marey_controller_def *start = &read.start;
    const json_t *by = json_object_get(message, "controller");
    int kind = by ? MAREY_CONTROLLER_KIND_COUNT : MAREY_CONTROLLER_GRAPH;
    if (json_is_string(by)) kind = app_controller_named(json_string_value(by));
    if (kind == MAREY_CONTROLLER_KIND_COUNT) return "controller must be one that graph ls lists";
    if (!name || strlen(name) >= MAREY_NAME_ROOM) return "graph must be the name of a graph";
    if (!read_number(message, "x_cm", -farthest_cm, farthest_cm, 0, &start->x_cm) ||
        !read_number(message, "z_cm", -farthest_cm, farthest_cm, 0, &start->z_cm))
        return "x_cm and z_cm must be within 10 km";
    if (!read_number(message, "direction_rad", -most_rad, most_rad, 0, &start->direction_rad))
        return "direction_rad must be an angle";
    if (!read_number(message, "rate", 1, STREAM_MOST_RATE, DEFAULT_RATE, &read.rate))
        return "rate must be from 1 to 60 a second";
    if (h->play_count >= LIMIT_ALL_PLAYS || !h->workers)
        return "too many characters are steered at once";
    live_play *play = heap_resize(&h->of->memory, NULL, 0, sizeof *play);
    if (!play) return "out of memory";
    read.stage = stage_find(h, name, (marey_controller_kind)kind, &wrong);
    if (!read.stage) {
        heap_resize(&h->of->memory, play, sizeof *play, 0);
        return wrong;
    }
    read.input.direction_rad = start->direction_rad; /* it stands as it is put down */
    read.record.direction_rad = start->direction_rad;
    read.record.inputs.memory = read.record.asks.memory = &h->of->memory;
    *play = read;
    play->stage->saved.users++;
    h->play_count++;
    play_free(h, client->awaited[number]);
    client->awaited[number] = play;
    if (play->stage->saved.ready) begin(client, number);
    return NULL;
}

/* The input holds for the character that plays and for the one that will take its place. */
static void set_input(live_socket *client, const json_t *message, int number)
{
    marey_control_input input = { 0 };
    live_play *waits = client->awaited[number], *plays = client->plays[number];
    if (!waits && !plays) {
        char text[32];
        snprintf(text, sizeof text, "no live session %d", number);
        refuse(client, number, text, NULL);
    } else if (!read_number(message, "direction_rad", -most_rad, most_rad, NAN,
                            &input.direction_rad) ||
               !read_number(message, "speed_cm_s", 0, fastest_cm_s, NAN, &input.speed_cm_s)) {
        refuse(client, number, "direction_rad must be an angle, and speed_cm_s a speed", NULL);
    } else {
        if (waits) waits->input = input;
        if (plays) plays->input = input;
    }
}

bool play_message(live_socket *client, const char *type, const json_t *message)
{
    int64_t place = 0;
    bool wish = strcmp(type, "wish") == 0, steer = strcmp(type, "steer") == 0;
    bool asks = strcmp(type, "ask") == 0;
    if (!wish && !steer && !asks && strcmp(type, "halt") != 0) return false;
    if (!message_whole(message, "play", 0, LIMIT_PLAYS - 1, NAN, &place)) {
        socket_send_error(client, "play must be a number from 0 to 3");
        return true;
    }
    int number = (int)place;
    if (wish) {
        set_input(client, message, number);
    } else if (asks) {
        ask(client, message, number);
    } else if (steer) {
        const char *wrong = order(client, message, number);
        if (wrong) refuse(client, number, wrong, NULL);
    } else {
        play_free(client->all, client->awaited[number]);
        client->awaited[number] = NULL;
        end(client, number);
    }
    return true;
}

/* ---- by the clock ---------------------------------------------------------------------------- */

static int64_t tick_ns(const live_play *play, int64_t tick)
{
    return play->begun_ns + (int64_t)((double)tick / play->rate * ns_per_s);
}

int64_t play_send_due(live_socket *client, int64_t now_ns)
{
    int64_t next = INT64_MAX;
    for (int i = 0; i < LIMIT_PLAYS; i++) {
        live_play *play = client->plays[i];
        if (!play || play->joining.going_on) continue;
        int64_t due = tick_ns(play, play->sent + 1);
        if (now_ns >= due) {
            int64_t now = (int64_t)((double)(now_ns - play->begun_ns) / ns_per_s * play->rate);
            /* Where the clock ran away by more than a second, as when the machine slept, it is set
               back: a minute of motion at once is of no use. */
            if (due + (int64_t)ns_per_s < now_ns) {
                play->begun_ns += now_ns - due;
                now = play->sent + 1;
            }
            play->sent = now > play->sent ? now : play->sent + 1; /* rounding may fall one short */
            due = tick_ns(play, play->sent + 1);
            /* Steps as far as the tick needs, and shows it if there is room for it: one that is not
               seen goes on. */
            double at = (double)play->sent / play->rate * marey_graph_fps(play->stage->graph);
            int64_t first = (int64_t)at;
            while (play->stepped < first + 2) {
                marey_controller_frame frame;
                record_step(&play->record, &play->input);
                marey_controller_step(play->controller, &play->input, &frame);
                play_pose_add(&play->pose, &frame);
                note_doing(client, play, &frame);
                play->stepped++;
            }
            if (socket_can_take_pose(client)) {
                play_header header = { .play = play->number,
                                       .tick = play->sent,
                                       .input = play->input,
                                       .score = marey_controller_score(play->controller) };
                socket_send(client, WSLAY_BINARY_FRAME,
                            play_pose_write(&play->pose, &header, at - (double)first),
                            play_pose_bytes(&play->pose));
            }
        }
        if (due < next) next = due;
    }
    return next;
}
