/* puppet_react.c - the steps of those who react. Time comes from the client alone, so the same messages give the same bytes. A body
   takes the frames of its graph at that one's own rate, towards where the reactor is by then, and is shown between its last two. */
#include "puppet_live.h"

#include "puppet_asked.h"

#include <math.h>
#include <string.h>

enum {
    MESSAGE = 512, /* the first number of it */
    HEADER_BYTES = 16,
    ENTRY_BYTES = 44,
    STEP_WORK = 2000,   /* of a step beside its samples .. */
    BODY_WORK = 120000, /* .. and of a frame of a body, in samples */
};

static const double soon_s = 1e-6, longest_s = 1;

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
int64_t react_work(const reacting *one, const react_place *places, int count)
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

void react_skip(reacting *one, const react_place *places, int count)
{
    const react_place *to = &places[count - 1];
    if (!(to->time_s > one->last.time_s)) return;
    one->begun_s += to->time_s - one->last.time_s;
    one->last = *to;
}

/* ---- steps -------------------------------------------------------------------------------------- */

static void step_body(reacting *one, const marey_entity *wanted)
{
    marey_controller_frame frame;
    marey_body_step(one->body, wanted, &frame);
    play_pose_add(&one->pose, &frame);
    one->away_cm = hypot(frame.x_cm - wanted->x_cm, -frame.z_cm - wanted->y_cm);
}

void react_begin(reacting *one)
{
    const marey_reactor_def *def = &one->def;
    one->before = marey_reactor_start(one->reactor);
    one->frame = (marey_puppet_frame){ .react = one->before,
                                       .weight = def->weight > 0 ? def->weight : 1,
                                       .balance = def->balance };
    if (!one->body) return;
    marey_controller_frame frame;
    marey_body_step(one->body, &one->before, &frame);
    play_pose_add(&one->pose, &frame);
    play_pose_add(&one->pose, &frame);
    one->away_cm = hypot(frame.x_cm - one->before.x_cm, -frame.z_cm - one->before.y_cm);
}

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
        marey_entity wanted = puppet_between(&one->before, &one->frame.react, due * rate);
        step_body(one, &wanted);
        one->bodied++;
    }
}

void react_go(reacting *one, const react_place *places, int count)
{
    double rate = rate_of(one);
    for (int i = 0; i < count; i++) {
        react_place last = one->last, to = places[i];
        double apart = to.time_s - last.time_s;
        if (!(apart > 0)) continue;
        if (apart > longest_s) one->begun_s += apart;
        while (one->steps < steps_by(one, one->begun_s, to.time_s)) {
            double due = one->begun_s + (double)(one->steps + 1) / rate;
            marey_entity main = puppet_between(&last.at, &to.at, (due - last.time_s) / apart);
            step(one, &main);
        }
        one->last = to;
    }
}

/* ---- as bytes ----------------------------------------------------------------------------------- */

static uint8_t *put_double(uint8_t *to, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    to = play_put_uint32(to, (uint32_t)bits);
    return play_put_uint32(to, (uint32_t)(bits >> 32));
}

static size_t entry_bytes(const reacting *one)
{
    size_t joints = one->body ? (size_t)one->pose.skeleton->joint_count : 0;
    return ENTRY_BYTES + joints * STREAM_FLOATS * sizeof(float);
}

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

bool react_write(const live_socket *on, double time_s, studio_bytes *out)
{
    size_t room = HEADER_BYTES;
    uint32_t count = 0;
    for (int i = 0; i < LIMIT_REACTS; i++) {
        if (!on->reacts[i]) continue;
        room += entry_bytes(on->reacts[i]);
        count++;
    }
    uint8_t *to = bytes_extend(out, room);
    if (!to) return false;
    to = play_put_uint32(to, MESSAGE);
    to = play_put_uint32(to, count);
    to = put_double(to, time_s);
    for (int i = 0; i < LIMIT_REACTS; i++) {
        if (on->reacts[i]) to = put_entry(on->reacts[i], to);
    }
    return true;
}
