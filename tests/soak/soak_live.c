/* soak_live.c - WebSockets: news of the library and of jobs, poses by the clock, characters that
   are steered and that react. Poses of clips are put together here from local rotations, not as the
   studio does it. */
#include "soak.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

enum { MOST_SOCKETS = 24, HEAR_S = 60, POSE_HEAD = 8, STEER_HEAD = 48, REACT_POINTS = 6 };

static const char no_nonce[] = "dGhlIHNhbXBsZSBub25jZQ==";

/* ---- messages -------------------------------------------------------------------------------- */

void live_say(http_wire *wire, const char *format, ...)
{
    char *text = NULL;
    va_list values;
    va_start(values, format);
    if (vasprintf(&text, format, values) < 0) abort();
    va_end(values);
    json_quote(text);
    ws_say(wire, text);
    free(text);
}

/* The next one that is a text or binary; false at the end, which is said unless a kill explains it. */
static bool next(soak_client *client, http_wire *wire, double seconds, ws_frame *frame)
{
    *frame = ws_read(wire, seconds);
    if (frame->kind >= 0) {
        atomic_fetch_add(&client->all->messages, 1);
        return true;
    }
    if (!soak_breaks(client))
        soak_wrong(client, NULL, "a message, not %s",
                   frame->kind == WS_ENDED ? "an end" : "a silence");
    return false;
}

json_t *live_hear(soak_client *client, http_wire *wire, const char *type, double seconds)
{
    double until = wire_now() + seconds;
    for (;;) {
        ws_frame frame;
        if (!next(client, wire, until - wire_now(), &frame)) return NULL;
        json_t *heard = frame.kind == WS_TEXT
                            ? json_loadb((const char *)frame.bytes, frame.count, 0, NULL)
                            : NULL;
        const char *came = json_string_value(json_object_get(heard, "type"));
        bool wanted = came && strcmp(came, type) == 0;
        if (came && !wanted && strcmp(came, "error") == 0)
            soak_wrong(client, NULL, "no error: %.200s", (const char *)frame.bytes);
        ws_frame_free(&frame);
        if (wanted) return heard;
        json_decref(heard);
    }
}

bool live_open(soak_client *client, http_wire *wire)
{
    char head[1024], more[256];
    snprintf(more, sizeof more,
             "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
             "Sec-WebSocket-Key: %s\r\n",
             no_nonce);
    soak_head(client, head, sizeof head, "GET", "/api/live", more);
    snprintf(client->asked, sizeof client->asked, "GET /api/live");
    if (!wire_try_open(wire, client->all->host.port)) {
        if (!soak_breaks(client)) soak_wrong(client, NULL, "a connection");
        return false;
    }
    wire_say(wire, head);
    http_answer answer = wire_read(wire, HEAR_S);
    bool is_open = answer.status == 101;
    if (answer.status == 503)
        atomic_fetch_add(&client->all->refused, 1);
    else if (!is_open && !soak_breaks(client))
        soak_wrong(client, &answer, "101");
    wire_free(&answer);
    json_t *hello = is_open ? live_hear(client, wire, "hello", HEAR_S) : NULL;
    if (!hello) wire_close(wire);
    json_decref(hello);
    return hello != NULL;
}

/* A place among those that are open at once, and a socket. */
static bool enter(soak_client *client, http_wire *wire)
{
    soak *all = client->all;
    if (atomic_fetch_add(&all->sockets, 1) < MOST_SOCKETS && live_open(client, wire)) return true;
    atomic_fetch_sub(&all->sockets, 1);
    return false;
}

static void leave(soak_client *client, http_wire *wire, bool abort)
{
    if (abort)
        wire_abort(wire);
    else
        wire_close(wire);
    atomic_fetch_sub(&client->all->sockets, 1);
}

/* ---- news ------------------------------------------------------------------------------------ */

/* What it changes over HTTP is news here; a job is heard of until it is over. */
SOAK_ACTION(live_events)
{
    http_wire wire;
    if (!enter(client, &wire)) return;
    own_clip before[OWN_CLIPS];
    memcpy(before, client->clips, sizeof before);
    do_cut(client);
    do_rename(client);
    if (memcmp(before, client->clips, sizeof before) != 0)
        json_decref(live_hear(client, &wire, "library", HEAR_S));
    int64_t number = job_begin(client, "/api/do/puppet-run",
                               "{'puppet': 'shy', 'main': [[0,0,0,0],[0.5,9,0,0]]}");
    bool over = number == 0;
    while (!over) {
        json_t *job = live_hear(client, &wire, "job", HEAR_S);
        if (!job) break;
        over = json_integer_value(json_object_get(job, "job")) == number &&
               (job_ended(job, "done") || job_ended(job, "failed"));
        if (over && !job_ended(job, "done")) soak_wrong(client, NULL, "that a puppet runs");
        json_decref(job);
    }
    leave(client, &wire, soak_chance(client, 30));
}

/* ---- poses of a clip ------------------------------------------------------------------------- */

static void turn(const double q[4], const double v[3], double out[3])
{
    double t[3] = { 2 * (q[2] * v[2] - q[3] * v[1]), 2 * (q[3] * v[0] - q[1] * v[2]),
                    2 * (q[1] * v[1] - q[2] * v[0]) };
    out[0] = v[0] + q[0] * t[0] + q[2] * t[2] - q[3] * t[1];
    out[1] = v[1] + q[0] * t[1] + q[3] * t[0] - q[1] * t[2];
    out[2] = v[2] + q[0] * t[2] + q[1] * t[1] - q[2] * t[0];
}

static void multiply(const double a[4], const double b[4], double out[4])
{
    out[0] = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
    out[1] = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2];
    out[2] = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1];
    out[3] = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0];
}

/* Joint after joint; a parent comes before its children. */
static bool is_pose(const known_motion *of, uint32_t frame, const float *came)
{
    enum { MOST_JOINTS = 64 };
    double places[MOST_JOINTS][3], turns[MOST_JOINTS][4];
    const json_t *joints = json_object_get(of->details, "joints");
    if (frame >= (uint32_t)of->frames || of->joints > MOST_JOINTS) return false;
    const float *moved = of->values + (size_t)frame * 3 * (size_t)of->places;
    const float *local = of->values + (size_t)of->frames * 3 * (size_t)of->places +
                         (size_t)frame * 4 * (size_t)of->joints;
    for (int j = 0; j < of->joints; j++) {
        const json_t *about = json_array_get(joints, (size_t)j);
        const json_t *offset = json_object_get(about, "offset_cm");
        int parent = (int)json_integer_value(json_object_get(about, "parent"));
        double by[3], own[4];
        for (int k = 0; k < 3; k++)
            by[k] = of->places > 1 || parent < 0
                        ? (double)moved[3 * (of->places > 1 ? j : 0) + k]
                        : json_number_value(json_array_get(offset, (size_t)k));
        for (int k = 0; k < 4; k++) own[k] = (double)local[4 * j + k];
        if (parent < 0) {
            memcpy(places[j], by, sizeof by);
            memcpy(turns[j], own, sizeof own);
        } else {
            turn(turns[parent], by, places[j]);
            for (int k = 0; k < 3; k++) places[j][k] += places[parent][k];
            multiply(turns[parent], own, turns[j]);
        }
        for (int k = 0; k < 3; k++)
            if (!(fabs((double)came[7 * j + k] - places[j][k]) < 0.01)) return false;
        for (int k = 0; k < 4; k++)
            if (!(fabs((double)came[7 * j + 3 + k] - turns[j][k]) < 1e-4)) return false;
    }
    return true;
}

/* So many poses of a stream, each of them that of the frame it says. */
static void check_poses(soak_client *client, http_wire *wire, const known_motion *of,
                        uint32_t stream, int poses)
{
    while (poses > 0) {
        ws_frame frame;
        uint32_t head[2] = { 0, 0 };
        if (!next(client, wire, HEAR_S, &frame)) return;
        size_t size = POSE_HEAD + 28 * (size_t)of->joints;
        if (frame.kind == WS_BINARY) {
            poses--;
            if (frame.count >= sizeof head) memcpy(head, frame.bytes, sizeof head);
            if (frame.count != size || head[0] != stream ||
                !is_pose(of, head[1], (const float *)(const void *)(frame.bytes + POSE_HEAD)))
                soak_wrong(client, NULL, "the pose of frame %u of %s", head[1], of->name);
        }
        ws_frame_free(&frame);
    }
}

SOAK_ACTION(live_stream)
{
    const soak_known *all = &client->all->known;
    const known_motion *of = &all->motions[soak_draw(&client->random, (uint64_t)all->motion_count)];
    uint32_t stream = (uint32_t)soak_draw(&client->random, 8);
    http_wire wire;
    if (!enter(client, &wire)) return;
    snprintf(client->asked, sizeof client->asked, "play %s", of->name);
    live_say(&wire, "{'type': 'play', 'stream': %u, 'clip': %lld, 'rate': 60, 'loop': true}",
             stream, (long long)of->id);
    json_t *begun = live_hear(client, &wire, "stream", HEAR_S);
    if (begun && (json_integer_value(json_object_get(begun, "clip")) != of->id ||
                  json_integer_value(json_object_get(begun, "end")) != of->frames))
        soak_wrong(client, NULL, "a stream of %s", of->name);
    if (begun) check_poses(client, &wire, of, stream, 5 + (int)soak_draw(&client->random, 20));
    if (begun && soak_chance(client, 60)) {
        live_say(&wire, "{'type': 'stop', 'stream': %u}", stream);
        json_decref(live_hear(client, &wire, "stream-end", HEAR_S));
    }
    json_decref(begun);
    leave(client, &wire, soak_chance(client, 30));
}

/* ---- steering -------------------------------------------------------------------------------- */

/* What was played is played again by the operation, and scores the same. */
static void check_score(soak_client *client, json_t *end)
{
    static const char *const keys[] = { "control", "transition", "total" };
    json_t *played = json_object_get(end, "played");
    if (!json_is_object(played) || !json_is_true(json_object_get(end, "whole"))) return;
    char *body = json_dumps(played, JSON_COMPACT);
    http_answer answer = soak_question(client, "/api/do/graph-control", "%s", body);
    uint32_t length = 0;
    json_t *about = NULL;
    if (answer.count > 16 && memcmp(answer.body, "MRYM", 4) == 0) {
        memcpy(&length, answer.body + 8, 4);
        if (length <= answer.count - 16)
            about = json_loadb(answer.body + 16, length, JSON_DISABLE_EOF_CHECK, NULL);
    }
    for (size_t k = 0; answer.status && k < sizeof keys / sizeof *keys; k++) {
        double live = json_number_value(json_object_get(end, keys[k]));
        double again = json_number_value(json_object_get(about, keys[k]));
        if (!about || !(fabs(live - again) < 1e-5)) {
            soak_wrong(client, &answer, "%s %g, as it was live", keys[k], live);
            break;
        }
    }
    json_decref(about);
    wire_free(&answer);
    free(body);
}

static void check_steps(soak_client *client, http_wire *wire, uint32_t play, size_t joints,
                        int steps)
{
    uint32_t tick = 0;
    for (bool any = false; steps > 0;) {
        ws_frame frame;
        uint32_t head[2] = { 0, 0 };
        if (!next(client, wire, HEAR_S, &frame)) return;
        if (frame.kind == WS_BINARY) {
            bool whole = frame.count == STEER_HEAD + 28 * joints;
            if (whole) memcpy(head, frame.bytes, 8);
            const float *values = (const float *)(const void *)(frame.bytes + 16);
            for (size_t k = 0; whole && k < 8 + 7 * joints; k++) whole = isfinite(values[k]);
            if (!whole || head[0] != 256 + play || (any && head[1] <= tick))
                soak_wrong(client, NULL, "a step of %zu joints behind tick %u", joints, tick);
            tick = head[1];
            any = true;
            steps--;
        }
        ws_frame_free(&frame);
    }
}

SOAK_ACTION(live_steer)
{
    uint32_t play = (uint32_t)soak_draw(&client->random, 4);
    http_wire wire;
    if (!enter(client, &wire)) return;
    snprintf(client->asked, sizeof client->asked, "steer standard");
    live_say(&wire, "{'type': 'steer', 'play': %u, 'graph': 'standard', 'rate': 30}", play);
    json_t *begun = live_hear(client, &wire, "steer", HEAR_S);
    size_t joints = (size_t)json_integer_value(json_object_get(begun, "joints"));
    for (int k = 0; begun && k < 3; k++) {
        live_say(&wire, "{'type': 'wish', 'play': %u, 'direction_rad': %.3f, 'speed_cm_s': %d}",
                 play, (double)soak_draw(&client->random, 6000) / 1000 - 3,
                 (int)soak_draw(&client->random, 180));
        check_steps(client, &wire, play, joints, 2 + (int)soak_draw(&client->random, 6));
    }
    if (begun) live_say(&wire, "{'type': 'halt', 'play': %u}", play);
    json_t *end = begun ? live_hear(client, &wire, "steer-end", HEAR_S) : NULL;
    leave(client, &wire, soak_chance(client, 30));
    if (end) check_score(client, end);
    json_decref(begun);
    json_decref(end);
}

/* ---- reacting -------------------------------------------------------------------------------- */

/* The walk is the same each time: along a wave. */
bool live_react(soak_client *client, http_wire *wire, const char *puppet,
                void (*take)(void *user, int step, const ws_frame *frame), void *user)
{
    live_say(wire, "{'type': 'react', 'react': 0, 'puppet': '%s', 'main': [0, 0, 0]}", puppet);
    json_t *begun = live_hear(client, wire, "react", HEAR_S);
    json_decref(begun);
    for (int step = 0; begun && step < REACT_STEPS; step++) {
        char text[1024];
        size_t used = (size_t)snprintf(text, sizeof text, "{\"type\": \"main\", \"at\": [");
        for (int k = 0; k < REACT_POINTS; k++) {
            double t = 0.05 * (step * REACT_POINTS + k + 1);
            used += (size_t)snprintf(text + used, sizeof text - used, "%s[%.3f, %.3f, %.3f, %.3f]",
                                     k ? ", " : "", t, 60 * t, 30 * sin(t), 0.5 * cos(t));
        }
        snprintf(text + used, sizeof text - used, "]}");
        ws_say(wire, text);
        ws_frame frame = { 0 };
        do {
            ws_frame_free(&frame);
            if (!next(client, wire, HEAR_S, &frame)) return false;
        } while (frame.kind != WS_BINARY);
        take(user, step, &frame);
        ws_frame_free(&frame);
    }
    if (begun) live_say(wire, "{'type': 'dismiss', 'react': 0}");
    json_t *end = begun ? live_hear(client, wire, "react-end", HEAR_S) : NULL;
    json_decref(end);
    return end != NULL;
}

typedef struct reacting {
    soak_client *client;
    const known_react *of;
} reacting;

static void check_step(void *user, int step, const ws_frame *frame)
{
    const reacting *self = user;
    if (frame->count != self->of->sizes[step] ||
        memcmp(frame->bytes, self->of->steps[step], frame->count) != 0)
        soak_wrong(self->client, NULL, "step %d of %s, as it was at first", step, self->of->puppet);
}

SOAK_ACTION(live_reacts)
{
    const known_react *of = &client->all->known.reacts[soak_draw(&client->random, REACT_PUPPETS)];
    http_wire wire;
    if (!enter(client, &wire)) return;
    snprintf(client->asked, sizeof client->asked, "react by %s", of->puppet);
    live_react(client, &wire, of->puppet, check_step, &(reacting){ client, of });
    leave(client, &wire, soak_chance(client, 30));
}

/* All of it at once, and gone in the middle. */
SOAK_ACTION(live_vanish)
{
    http_wire wire;
    ws_frame frame;
    if (!enter(client, &wire)) return;
    live_say(&wire, "{'type': 'play', 'stream': 0, 'clip': %lld, 'rate': 60, 'loop': true}",
             (long long)client->all->known.motions[0].id);
    live_say(&wire, "{'type': 'steer', 'play': 0, 'graph': 'standard', 'rate': 60}");
    live_say(&wire, "{'type': 'react', 'react': 0, 'puppet': 'guard', 'main': [0, 0, 0]}");
    for (int k = (int)soak_draw(&client->random, 12); k > 0; k--) {
        if (!next(client, &wire, HEAR_S, &frame)) break;
        ws_frame_free(&frame);
    }
    leave(client, &wire, true);
}
