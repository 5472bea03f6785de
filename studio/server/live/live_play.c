/* live_play.c - characters that are steered. Each is stepped at its graph's rate by the clock and
   shown at the client's, between two steps where that is faster: what is seen is a frame of the
   graph behind what is known. */
#include "live_pose.h"
#include "live_stage.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { DEFAULT_RATE = 60 };

static const double ns_per_s = 1e9, farthest_cm = 1e6, fastest_cm_s = 1e5, most_rad = 1e6;

typedef struct live_play {
    live_stage *stage;
    int number;
    marey_controller_def start;
    double rate;
    marey_controller *controller; /* NULL: it waits for its stage */
    marey_control_input input;
    play_pose pose;
    int64_t stepped; /* frames of the graph that it has done */
    int64_t begun_ns;
    int64_t sent; /* ticks of its clock that are over */
} live_play;

/* ---- its life -------------------------------------------------------------------------------- */

static void play_free(hub *h, live_play *play)
{
    if (!play) return;
    play_pose_free(&play->pose);
    marey_controller_free(play->controller);
    stage_leave(play->stage);
    h->play_count--;
    heap_resize(&h->of->memory, play, sizeof *play, 0);
}

static void refuse(live_socket *client, int number, const char *message, const char *needs)
{
    json_t *reply = json_pack("{s:s, s:s}", "type", "error", "message", message);
    if (reply) json_object_set_new(reply, "play", json_integer(number));
    if (reply && needs) json_object_set_new(reply, "needs", json_string(needs));
    /* A message may quote a name that is no UTF-8. */
    if (!reply)
        reply = json_pack("{s:s, s:i, s:s}", "type", "error", "play", number, "message",
                          "steering failed");
    socket_send_json(client, reply);
}

static void end(live_socket *client, int number)
{
    live_play *play = client->plays[number];
    if (!play) return;
    marey_control_score score = marey_controller_score(play->controller);
    socket_send_json(client, json_pack("{s:s, s:i, s:f, s:f, s:f, s:i, s:i}", "type", "steer-end",
                                       "play", number, "control", score.control, "transition",
                                       score.transition, "total", score.total, "frames",
                                       score.frames, "transitions", score.transitions));
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
    marey_status status =
        matches ? marey_controller_open_matching(stage->saved.ctx, stage->matching, &play->start,
                                                 &play->controller, &error)
                : marey_controller_open(stage->saved.ctx, stage->graph, stage->policy, &play->start,
                                        &play->controller, &error);
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

void play_ready(live_socket *client, const live_saved *saved, const char *needs,
                const marey_error *error)
{
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
    live_play read = { .number = number };
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
    if (!wish && !steer && strcmp(type, "halt") != 0) return false;
    if (!message_whole(message, "play", 0, LIMIT_PLAYS - 1, NAN, &place)) {
        socket_send_error(client, "play must be a number from 0 to 3");
        return true;
    }
    int number = (int)place;
    if (wish) {
        set_input(client, message, number);
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
        if (!play) continue;
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
                marey_controller_step(play->controller, &play->input, &frame);
                play_pose_add(&play->pose, &frame);
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
