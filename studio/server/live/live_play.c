/* live_play.c - characters that are steered. Each is stepped at its graph's rate by the clock and shown at the client's,
   between two steps where that is faster: what is seen is a frame of the graph behind what is known. */
#include "live_pose.h"
#include "live_stage.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { DEFAULT_RATE = 60, NO_PLAY = -1 };

static const double ns_per_s = 1e9, farthest_cm = 1e6, fastest_cm_s = 1e5, most_rad = 1e6;

typedef struct steered {
    stage *on;
    int number;
    marey_controller_def start;
    double rate;
    marey_controller *by; /* NULL: it waits for its stage */
    marey_wish wish;
    play_pose pose;
    int64_t stepped; /* frames of the graph that it has done */
    int64_t begun_ns;
    int64_t sent; /* ticks of its clock that are over */
} steered;

/* ---- its life ----------------------------------------------------------------------------------- */

static void steered_free(hub *all, steered *one)
{
    if (!one) return;
    play_pose_free(&one->pose);
    marey_controller_free(one->by);
    stage_leave(one->on);
    all->play_count--;
    heap_resize(&all->of->memory, one, sizeof *one, 0);
}

static void refuse(live_socket *on, int number, const char *message, bool needs_policy)
{
    json_t *said = json_pack("{s:s, s:s}", "type", "error", "message", message);
    if (said && number != NO_PLAY) json_object_set_new(said, "play", json_integer(number));
    if (said && needs_policy) json_object_set_new(said, "needs", json_string("policy"));
    /* A message may quote a name that is no UTF-8. */
    if (!said)
        said = json_pack("{s:s, s:i, s:s}", "type", "error", "play", number, "message",
                         "it cannot be steered");
    socket_say_json(on, said);
}

static void end(live_socket *on, int number)
{
    steered *one = on->plays[number];
    if (!one) return;
    marey_control_score score = marey_controller_score(one->by);
    socket_say_json(on, json_pack("{s:s, s:i, s:f, s:f, s:f, s:i, s:i}", "type", "steer-end",
                                  "play", number, "control", score.control, "transition",
                                  score.transition, "total", score.total, "frames", score.frames,
                                  "transitions", score.transitions));
    steered_free(on->all, one);
    on->plays[number] = NULL;
}

/* Its stage is open: it takes the place of the one before. */
static void begin(live_socket *on, int number)
{
    steered *one = on->awaited[number];
    const stage *of = one->on;
    const marey_skeleton *skeleton = marey_clip_skeleton(marey_graph_motion(of->graph));
    const marey_policy_def *def = marey_policy_settings(of->policy);
    marey_error error = { .message = "out of memory" };
    on->awaited[number] = NULL;
    if (marey_controller_open(of->ctx, of->graph, of->policy, &one->start, &one->by, &error) !=
            MAREY_OK ||
        !play_pose_open(&one->pose, &on->all->of->memory, skeleton)) {
        refuse(on, number, error.message, false);
        steered_free(on->all, one);
        return;
    }
    end(on, number);
    on->plays[number] = one;
    one->begun_ns = hub_now_ns();
    one->sent = -1;
    json_t *parents = json_array(), *speeds = json_array();
    for (int j = 0; j < skeleton->joint_count; j++)
        json_array_append_new(parents, json_integer(skeleton->joints[j].parent));
    for (int i = 0; i < def->speed_count; i++)
        json_array_append_new(speeds, json_real(def->speeds[i]));
    socket_say_json(on, json_pack("{s:s, s:i, s:s, s:I, s:i, s:o, s:f, s:f, s:o}", "type", "steer",
                                  "play", number, "graph", of->name, "skeleton",
                                  (json_int_t)of->parts->parts[0].clip, "joints",
                                  skeleton->joint_count, "parents", parents, "fps",
                                  marey_graph_fps(of->graph), "rate", one->rate, "speeds", speeds));
}

void play_stage_ready(live_socket *on, stage *of)
{
    for (int i = 0; i < LIMIT_PLAYS; i++) {
        steered *one = on->awaited[i];
        if (!one || one->on != of) continue;
        if (of->error.status == MAREY_OK) {
            begin(on, i);
            continue;
        }
        on->awaited[i] = NULL;
        refuse(on, i, of->error.message, of->needs_policy);
        steered_free(on->all, one);
    }
}

void play_end_all(live_socket *of)
{
    for (int i = 0; i < LIMIT_PLAYS; i++) {
        steered_free(of->all, of->awaited[i]);
        steered_free(of->all, of->plays[i]);
        of->awaited[i] = of->plays[i] = NULL;
    }
}

/* ---- what clients say --------------------------------------------------------------------------- */

static bool read_number(const json_t *message, const char *name, double least, double most,
                        double absent, double *out)
{
    double value = message_number(message, name, absent);
    if (!(value >= least && value <= most)) return false;
    *out = value;
    return true;
}

static int read_play(live_socket *from, const json_t *message)
{
    int64_t number = 0;
    if (message_whole(message, "play", 0, LIMIT_PLAYS - 1, NAN, &number)) return (int)number;
    socket_complain(from, "play must be a number from 0 to 3");
    return NO_PLAY;
}

static const char *order(live_socket *from, const json_t *message, int number)
{
    hub *all = from->all;
    const char *name = json_string_value(json_object_get(message, "graph")), *wrong = NULL;
    steered read = { .number = number };
    marey_controller_def *start = &read.start;
    if (!name || strlen(name) >= MAREY_NAME_ROOM) return "graph must be the name of a graph";
    if (!read_number(message, "x_cm", -farthest_cm, farthest_cm, 0, &start->x_cm) ||
        !read_number(message, "z_cm", -farthest_cm, farthest_cm, 0, &start->z_cm))
        return "x_cm and z_cm must be within 10 km";
    if (!read_number(message, "direction_rad", -most_rad, most_rad, 0, &start->direction_rad))
        return "direction_rad must be an angle";
    if (!read_number(message, "rate", 1, STREAM_MOST_RATE, DEFAULT_RATE, &read.rate))
        return "rate must be from 1 to 60 a second";
    if (all->play_count >= LIMIT_ALL_PLAYS || !all->workers)
        return "too many characters are steered at once";
    steered *one = heap_resize(&all->of->memory, NULL, 0, sizeof *one);
    if (!one) return "out of memory";
    read.on = stage_find(all, name, &wrong);
    if (!read.on) {
        heap_resize(&all->of->memory, one, sizeof *one, 0);
        return wrong;
    }
    read.wish.direction_rad = start->direction_rad; /* it stands as it is put down */
    *one = read;
    one->on->users++;
    all->play_count++;
    steered_free(all, from->awaited[number]);
    from->awaited[number] = one;
    if (one->on->ready) begin(from, number);
    return NULL;
}

static void steer(live_socket *from, const json_t *message)
{
    int number = read_play(from, message);
    if (number == NO_PLAY) return;
    const char *wrong = order(from, message, number);
    if (wrong) refuse(from, number, wrong, false);
}

static void wish(live_socket *from, const json_t *message)
{
    int number = read_play(from, message);
    marey_wish wished = { 0 };
    if (number == NO_PLAY) return;
    steered *waits = from->awaited[number], *plays = from->plays[number];
    if (!waits && !plays) {
        char text[32];
        snprintf(text, sizeof text, "no live session %d", number);
        refuse(from, number, text, false);
    } else if (!read_number(message, "direction_rad", -most_rad, most_rad, NAN,
                            &wished.direction_rad) ||
               !read_number(message, "speed_cm_s", 0, fastest_cm_s, NAN, &wished.speed_cm_s)) {
        refuse(from, number, "direction_rad must be an angle, and speed_cm_s a speed", false);
    } else {
        if (waits) waits->wish = wished;
        if (plays) plays->wish = wished;
    }
}

static void halt(live_socket *from, const json_t *message)
{
    int number = read_play(from, message);
    if (number == NO_PLAY) return;
    steered_free(from->all, from->awaited[number]);
    from->awaited[number] = NULL;
    end(from, number);
}

bool play_message(live_socket *from, const char *type, const json_t *message)
{
    if (strcmp(type, "wish") == 0)
        wish(from, message);
    else if (strcmp(type, "steer") == 0)
        steer(from, message);
    else if (strcmp(type, "halt") == 0)
        halt(from, message);
    else
        return false;
    return true;
}

/* ---- by the clock ------------------------------------------------------------------------------- */

static int64_t tick_ns(const steered *one, int64_t tick)
{
    return one->begun_ns + (int64_t)((double)tick / one->rate * ns_per_s);
}

/* Steps as far as the tick needs, and shows it if there is room for it: one that is not seen goes on. */
static void show(live_socket *on, steered *one)
{
    double at = (double)one->sent / one->rate * marey_graph_fps(one->on->graph);
    int64_t first = (int64_t)at;
    while (one->stepped < first + 2) {
        marey_controller_frame frame;
        marey_controller_step(one->by, &one->wish, &frame);
        play_pose_add(&one->pose, &frame);
        one->stepped++;
    }
    if (!socket_can_take_pose(on)) return;
    play_header header = { .play = one->number,
                           .tick = one->sent,
                           .wish = one->wish,
                           .score = marey_controller_score(one->by) };
    const uint8_t *message = play_pose_write(&one->pose, &header, at - (double)first);
    socket_show(on, message, play_pose_bytes(&one->pose));
}

int64_t play_send_due(live_socket *on, int64_t now_ns)
{
    int64_t next = INT64_MAX;
    for (int i = 0; i < LIMIT_PLAYS; i++) {
        steered *one = on->plays[i];
        if (!one) continue;
        int64_t due = tick_ns(one, one->sent + 1);
        if (now_ns >= due) {
            int64_t now = (int64_t)((double)(now_ns - one->begun_ns) / ns_per_s * one->rate);
            /* Where the clock ran away by more than a second, as when the machine slept, it is set back: a minute of motion at
               once is of no use. */
            if (due + (int64_t)ns_per_s < now_ns) {
                one->begun_ns += now_ns - due;
                now = one->sent + 1;
            }
            one->sent = now > one->sent ? now : one->sent + 1; /* rounding may fall one short */
            show(on, one);
            due = tick_ns(one, one->sent + 1);
        }
        if (due < next) next = due;
    }
    return next;
}
