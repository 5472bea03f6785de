/* test_studio_graph_live.c - characters that are steered over the WebSocket: they go where a
   controller of the library goes, at the client's rate, several at once, and leave nothing behind
   when a client goes away. */
#include "live_wire.h"

#include <inttypes.h>
#include <math.h>

enum { HEADER = 48, FIRST_PLAY = 256, MOST_JOINTS = 64 };

/* ---- poses ----------------------------------------------------------------------------------- */

typedef struct pose {
    int play, node, transitions;
    int64_t tick;
    double x, z, direction, speed, wish_direction, wish_speed, control, total;
    int joints;
    double places[3 * MOST_JOINTS], turns[4 * MOST_JOINTS];
} pose;

/* The next pose of any character, or, unless `over` is NULL, its end; other messages are dropped.
   False: none came. */
static bool read_pose_or_end(http_wire *wire, pose *out, const json_t **over, double seconds)
{
    for (double end = wire_now() + seconds; wire_now() < end;) {
        OWNED(ws_frame) frame = ws_read(wire, end - wire_now());
        const uint8_t *at = frame.bytes;
        if (over && frame.kind == WS_TEXT) {
            *over = json_hold_text((const char *)at, frame.count);
            if (strcmp(word(*over, "type"), "steer-end") == 0) return true;
            *over = NULL;
        }
        bool is_pose = frame.kind == WS_BINARY && word_at(at) >= FIRST_PLAY;
        if (is_pose) {
            *out = (pose){ .play = (int)word_at(at) - FIRST_PLAY,
                           .tick = word_at(at + 4),
                           .node = (int)word_at(at + 8),
                           .transitions = (int)word_at(at + 12),
                           .joints = (int)((frame.count - HEADER) / 28) };
            double *numbers[] = {
                &out->x,          &out->z,       &out->direction, &out->speed, &out->wish_direction,
                &out->wish_speed, &out->control, &out->total
            };
            for (int i = 0; i < 8; i++) *numbers[i] = float_at(at + 16 + 4 * i);
            assert_true(frame.count == HEADER + 28 * (size_t)out->joints);
            assert_true(out->joints <= MOST_JOINTS);
            for (int j = 0; j < out->joints; j++) {
                for (int i = 0; i < 3; i++)
                    out->places[3 * j + i] = float_at(at + HEADER + 28 * j + 4 * i);
                for (int i = 0; i < 4; i++)
                    out->turns[4 * j + i] = float_at(at + HEADER + 28 * j + 12 + 4 * i);
            }
        }
        if (is_pose) return true;
        if (frame.kind == WS_ENDED) return false;
    }
    return false;
}

static bool read_pose(http_wire *wire, pose *out, double seconds)
{
    return read_pose_or_end(wire, out, NULL, seconds);
}

static json_t *steer(http_wire *wire, int play, const char *more)
{
    say(wire, "{'type': 'steer', 'play': %d, 'graph': 'standard'%s}", play, more);
    return hear(wire, "steer");
}

/* ---- the judge: a controller of the library -------------------------------------------------- */

typedef struct judge {
    marey_ctx *ctx;
    marey_library *library;
    marey_parts *parts;
    marey_graph *graph;
    marey_policy *policy;
    marey_controller *by;
} judge;

static judge judge_open(const studio_bench *b, const marey_controller_def *def)
{
    judge of = { .ctx = test_ctx() };
    marey_error error = { 0 };
    test_fine(marey_library_open(of.ctx, b->path, MAREY_LIBRARY_READ, &of.library, &error), &error);
    test_fine(marey_library_graph(of.library, "standard", &of.parts, &of.graph, &error), &error);
    test_fine(marey_library_policy(of.library, "standard", of.graph, &of.policy, &error), &error);
    test_fine(marey_controller_open(of.ctx, of.graph, of.policy, def, &of.by, &error), &error);
    return of;
}

static void judge_close(judge *of)
{
    marey_controller_free(of->by);
    marey_policy_free(of->policy);
    marey_graph_free(of->graph);
    marey_parts_free(of->parts);
    marey_library_close(of->library);
    marey_ctx_close(of->ctx);
}
OWNED_VALUE(judge, judge_close)

/* ---- cases ----------------------------------------------------------------------------------- */

TEST_OF(studio_bench *b, without_a_policy_one_is_asked_for)
{
    OWNED(http_wire) wire = studio_live(b);
    say(&wire, "{'type': 'steer', 'play': 2, 'graph': 'standard'}");
    expect(hear(&wire, "error"), "{'play': 2, 'needs': 'policy'}");
    say(&wire, "{'type': 'steer', 'play': 2, 'graph': 'missing'}");
    const json_t *error = hear(&wire, "error");
    assert_null(json_object_get(error, "needs"));
    assert_non_null(strstr(word(error, "message"), "missing"));
    /* Matching needs none. */
    expect(steer(&wire, 2, ", 'controller': 'matching'"), "{'play': 2, 'controller': 'matching'}");
    say(&wire, "{'type': 'wish', 'play': 2, 'direction_rad': 0, 'speed_cm_s': 120}");
    pose got = { 0 }, first = { 0 };
    while (read_pose(&wire, &got, 5) && got.tick < 60) continue;
    first = got;
    while (read_pose(&wire, &got, 5) && got.tick < 240) continue;
    assert_true(got.x - first.x > 80 && got.control > 0); /* 3 s at 120 cm/s */
    say(&wire, "{'type': 'halt', 'play': 2}");
    assert_true(number(hear(&wire, "steer-end"), "transitions") > 0);
    studio_done(b, "/api/do/graph-train", "{'name': 'standard', 'directions': 8}");
}

TEST_OF(studio_bench *b, invalid_messages_are_refused)
{
#define STEER "{'type': 'steer', 'play': 0, 'graph': 'standard', "
    static const char *const bad[] = {
        "{'type': 'steer'}",
        "{'type': 'steer', 'play': 4, 'graph': 'standard'}",
        "{'type': 'steer', 'play': -1, 'graph': 'standard'}",
        "{'type': 'steer', 'play': 0.5, 'graph': 'standard'}",
        "{'type': 'steer', 'play': 0}",
        "{'type': 'steer', 'play': 0, 'graph': 5}",
        "{'type': 'steer', 'play': 0, 'graph': ''}",
        STEER "'controller': 'policy'}",
        STEER "'controller': 1}",
        STEER "'rate': 0}",
        STEER "'rate': 61}",
        STEER "'x_cm': 1e9}",
        STEER "'z_cm': 'far'}",
        STEER "'direction_rad': 1e300}",
        "{'type': 'wish', 'play': 0, 'direction_rad': 0, 'speed_cm_s': 100}", /* none is there */
        "{'type': 'wish', 'play': 9, 'direction_rad': 0, 'speed_cm_s': 100}",
        "{'type': 'halt'}",
        "{'type': 'steers'}",
    };
    OWNED(http_wire) wire = studio_live(b);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        say(&wire, "%s", bad[i]);
        hear(&wire, "error");
    }
    steer(&wire, 0, "");
    say(&wire, "{'type': 'wish', 'play': 0}");
    hear(&wire, "error");
    say(&wire, "{'type': 'wish', 'play': 0, 'direction_rad': 1, 'speed_cm_s': -5}");
    hear(&wire, "error");
}

/* A character without input stands, as a controller of the library does: at every other tick, where
   a frame of the graph is shown as it is, pose for pose; between them, the joints of the mean
   turn. */
TEST_OF(studio_bench *b, poses_are_those_of_a_controller)
{
    enum { FRAMES = 40 };
    marey_controller_def def = { .x_cm = 250, .z_cm = -120, .direction_rad = 2 };
    OWNED(judge) of = judge_open(b, &def);
    const marey_skeleton *body = marey_clip_skeleton(marey_graph_motion(of.graph));
    double places[FRAMES + 1][3 * MOST_JOINTS];
    marey_controller_frame frames[FRAMES + 1];
    marey_control_input wish = { .direction_rad = 2 };
    for (int i = 0; i <= FRAMES; i++) {
        marey_controller_step(of.by, &wish, &frames[i]);
        marey_pose_positions(body, frames[i].places, frames[i].turns, places[i]);
    }
    OWNED(http_wire) wire = studio_live(b);
    const json_t *begun = steer(&wire, 1, ", 'x_cm': 250, 'z_cm': -120, 'direction_rad': 2");
    expect(begun, "{'joints': %d, 'fps': 30, 'rate': 60, 'skeleton': %" PRId64 "}",
           body->joint_count, of.parts->parts[0].clip);
    assert_int_equal(size_of(begun, "speeds"), marey_policy_settings(of.policy)->speed_count);
    int shown = 0, between = 0;
    pose got;
    while (read_pose(&wire, &got, 5) && got.tick / 2 < FRAMES) {
        int i = (int)got.tick / 2;
        assert_true(got.play == 1 && got.node == frames[i].node);
        assert_true(got.wish_speed == 0 && fabs(got.wish_direction - 2) < 1e-6);
        for (int k = 0; k < 3 * body->joint_count; k++) {
            if (got.tick % 2 == 0)
                test_near(got.places[k], places[i][k], 0.01);
            else /* the chord of an arc is a little inside */
                test_near(got.places[k], (places[i][k] + places[i + 1][k]) / 2, 1);
        }
        *(got.tick % 2 ? &between : &shown) += 1;
    }
    assert_true(shown > 5 && between > 5); /* a busy machine may leave some out */
}

TEST_OF(studio_bench *b, bones_keep_their_lengths)
{
    OWNED(judge) of = judge_open(b, &(marey_controller_def){ 0 });
    const marey_skeleton *body = marey_clip_skeleton(marey_graph_motion(of.graph));
    pose got;
    OWNED(http_wire) wire = studio_live(b);
    steer(&wire, 0, "");
    say(&wire, "{'type': 'wish', 'play': 0, 'direction_rad': -1, 'speed_cm_s': 120}");
    for (int n = 0; n < 60 && read_pose(&wire, &got, 5); n++) {
        for (int j = 1; j < body->joint_count; j++) {
            const double *at = got.places + 3 * j;
            const double *up = got.places + 3 * body->joints[j].parent;
            const double *offset = body->joints[j].offset_cm;
            test_near(hypot(hypot(at[0] - up[0], at[1] - up[1]), at[2] - up[2]),
                      hypot(hypot(offset[0], offset[1]), offset[2]), 0.01);
        }
    }
}

/* The plan is seen from above: z points to its bottom, so a direction of -pi / 2 goes along z. */
TEST_OF(studio_bench *b, input_is_followed)
{
    static const double directions[] = { 0, -1.57079632679 };
    OWNED(http_wire) wire = studio_live(b);
    for (size_t k = 0; k < 2; k++) {
        pose got = { 0 }, first = { 0 };
        steer(&wire, 0, "");
        say(&wire, "{'type': 'wish', 'play': 0, 'direction_rad': %g, 'speed_cm_s': 120}",
            directions[k]);
        while (read_pose(&wire, &got, 5) && got.tick < 60) continue;
        first = got;
        while (read_pose(&wire, &got, 5) && got.tick < 180) continue;
        double x = got.x - first.x, z = got.z - first.z;
        double along = x * cos(directions[k]) - z * sin(directions[k]);
        double aside = x * sin(directions[k]) + z * cos(directions[k]);
        assert_true(got.wish_speed > 119 && got.wish_speed < 121);
        assert_true(along > 80 && fabs(aside) < along); /* 2 s at 120 cm/s */
        assert_true(got.control > 0 && got.control <= 1 && got.total <= got.control + 1e-6);
    }
    say(&wire, "{'type': 'halt', 'play': 0}");
    const json_t *over = hear(&wire, "steer-end");
    assert_true(number(over, "frames") > 0 && number(over, "control") > 0.2);
    test_near(number(over, "total"), number(over, "control") * number(over, "transition"), 1e-9);
    pose none;
    assert_false(read_pose(&wire, &none, 0.3));
}

TEST_OF(studio_bench *b, steering_again_replaces_and_what_is_invalid_does_not)
{
    pose got;
    OWNED(http_wire) wire = studio_live(b);
    steer(&wire, 3, ", 'x_cm': 1000");
    assert_true(read_pose(&wire, &got, 5) && fabs(got.x - 1000) < 50);
    say(&wire, "{'type': 'steer', 'play': 3, 'graph': 'missing'}");
    hear(&wire, "error");
    assert_true(read_pose(&wire, &got, 5) && fabs(got.x - 1000) < 50);
    say(&wire, "{'type': 'steer', 'play': 3, 'graph': 'standard', 'x_cm': -1000}");
    hear(&wire, "steer-end");
    hear(&wire, "steer");
    assert_true(read_pose(&wire, &got, 5) && fabs(got.x + 1000) < 50);
}

/* That a client went away is noticed in a moment, and perhaps behind what another one says:
   connections have no order among each other. Until then there is no room for new ones. */
static void steer_soon(http_wire *wire, int play, int rate)
{
    for (int tries = 0; tries < 400; tries++) {
        const json_t *heard = NULL;
        say(wire, "{'type': 'steer', 'play': %d, 'graph': 'standard', 'rate': %d}", play, rate);
        while (!heard) {
            OWNED(ws_frame) frame = ws_read(wire, 20);
            assert_true(frame.kind >= 0);
            if (frame.kind != WS_TEXT) continue;
            heard = json_hold_text((const char *)frame.bytes, frame.count);
            if (strcmp(word(heard, "type"), "steer") == 0) return;
            if (strcmp(word(heard, "type"), "error") != 0) heard = NULL;
        }
        assert_non_null(strstr(word(heard, "message"), "too many characters"));
        usleep(20000);
    }
    fail_msg("characters of clients that went away are still there");
}

/* Four of each of eight sockets is the most; when a client goes away its characters go with it. */
TEST_OF(studio_bench *b, many_are_steered_at_once_and_no_more)
{
    enum { SOCKETS = 8, PLAYS = 4 };
    http_wire wires[SOCKETS];
    for (int round = 0; round < 2; round++) {
        for (int s = 0; s < SOCKETS; s++) {
            wires[s] = studio_live(b);
            for (int p = 0; p < PLAYS; p++) steer_soon(&wires[s], p, 5);
        }
        OWNED(http_wire) late = studio_live(b);
        say(&late, "{'type': 'steer', 'play': 0, 'graph': 'standard'}");
        hear(&late, "error");
        for (int s = 0; s < SOCKETS; s++) {
            bool seen[PLAYS] = { false };
            int count = 0;
            pose got;
            while (count < PLAYS && read_pose(&wires[s], &got, 5)) {
                count += !seen[got.play];
                seen[got.play] = true;
            }
            assert_int_equal(count, PLAYS);
        }
        wire_abort(&wires[0]); /* one that crashes, .. */
        steer_soon(&late, 0, 60);
        for (int s = 1; s < SOCKETS; s++) wire_close(&wires[s]); /* .. and some that leave */
    }
}

TEST_OF(studio_bench *b, a_client_that_does_not_read_misses_poses_and_nothing_else)
{
    pose got;
    OWNED(http_wire) wire = studio_live(b);
    steer(&wire, 0, "");
    int64_t last = -1;
    for (int round = 0; round < 3; round++) {
        usleep(300000);
        for (int n = 0; n < 10; n++) {
            assert_true(read_pose(&wire, &got, 5));
            assert_true(got.tick > last);
            last = got.tick;
        }
    }
}

TEST_OF(studio_bench *b, a_graph_that_is_removed_is_steered_on)
{
    pose got;
    studio_done(b, "/api/do/graph-build", "{'name': 'other', 'label': 'walk'}");
    studio_done(b, "/api/do/graph-train", "{'name': 'other', 'directions': 8}");
    OWNED(http_wire) wire = studio_live(b);
    say(&wire, "{'type': 'steer', 'play': 0, 'graph': 'other'}");
    hear(&wire, "steer");
    studio_post(b, 200, "/api/do/graph-rm", "{'name': 'other'}");
    say(&wire, "{'type': 'steer', 'play': 1, 'graph': 'other'}");
    hear(&wire, "error");
    int64_t tick = -1;
    for (int n = 0; n < 10; n++) {
        assert_true(read_pose(&wire, &got, 5) && got.play == 0 && got.tick > tick);
        tick = got.tick;
    }
}

/* A graph of which many are steered is one, though each of them began in another state of the
   library. */
TEST_OF(studio_bench *b, a_graph_counts_once_however_often_the_library_changes)
{
    OWNED(http_wire) first = studio_live(b), second = studio_live(b);
    for (int i = 0; i < 8; i++) {
        studio_post(b, 200, "/api/do/label", "{'clips': ['walk_left'], 'describe': 'change %d'}",
                    i);
        steer(i % 2 ? &second : &first, i / 2, "");
    }
}

/* Closed while graphs are being opened and characters steered: sanitizers find what is left over,
   or used too late. */
TEST_OF(studio_bench *b, a_studio_can_be_closed_at_any_moment)
{
    for (int i = 0; i < 6; i++) {
        OWNED(http_wire) wire = studio_live(b);
        if (i % 2) steer(&wire, 0, "");
        say(&wire, "{'type': 'steer', 'play': 1, 'graph': 'standard', 'x_cm': 5}");
        usleep((useconds_t)(i * 3000));
        studio_close(b->host);
        studio_bench_start(b, NULL);
    }
}

/* ---- what was played, as a clip ---------------------------------------------------------------- */

enum { MOST_SEEN = 60 * 60 };

typedef struct seen {
    double places[MOST_SEEN][3]; /* of the root, by ticks; NaN: missed */
    int64_t last;
    int transitions; /* of the last pose */
} seen;

/* Up to a tick; or to its end, which is given back. */
static const json_t *watch(http_wire *wire, seen *out, int64_t until)
{
    const json_t *over = NULL;
    pose got;
    while (out->last < until && read_pose_or_end(wire, &got, &over, 30) && !over) {
        assert_true(got.tick < MOST_SEEN);
        memcpy(out->places[got.tick], got.places, sizeof out->places[0]);
        out->last = got.tick;
        assert_true(got.transitions >= out->transitions);
        out->transitions = got.transitions;
    }
    return over;
}

/* `graph control` with what the server says was played takes the same steps: as many frames, the
   same transitions, the same score. In its clip differences are spread to both sides of a
   transition, where live they fade behind it, and feet are held: the root is a little elsewhere for
   moments. */
static void play_and_make(studio_bench *b, const char *controller, double mean_cm, double most_cm)
{
    static seen live;
    live = (seen){ .last = -1 };
    memset(live.places, 0xff, sizeof live.places); /* NaN */
    OWNED(http_wire) wire = studio_live(b);
    say(&wire, "{'type': 'steer', 'play': 0, 'graph': 'standard', 'controller': '%s'}", controller);
    hear(&wire, "steer");
    for (int i = 0; i < 8; i++) {
        watch(&wire, &live, 20 + 90 * i);
        say(&wire, "{'type': 'wish', 'play': 0, 'direction_rad': %g, 'speed_cm_s': %d}", 0.7 * i,
            i % 4 == 3 ? 0 : 120);
    }
    watch(&wire, &live, 20 + 90 * 8);
    say(&wire, "{'type': 'halt', 'play': 0}");
    const json_t *over = watch(&wire, &live, INT64_MAX), *played = json_object_get(over, "played");
    expect(played, "{'graph': 'standard', 'controller': '%s'}", controller);
    assert_true(json_is_true(json_object_get(over, "whole")));
    assert_true(size_of(played, "script") >= 8 && number(over, "transitions") > 3);

    json_t *body = json_hold(json_deep_copy(played));
    json_object_set_new(body, "name", json_sprintf("played by %s", controller));
    char *text = json_dumps(body, 0);
    const json_t *made = studio_post(b, 200, "/api/do/graph-control", "%s", text);
    free(text);
    assert_int_equal((int)number(made, "transitions"), (int)number(over, "transitions"));
    assert_int_equal(live.transitions, (int)number(over, "transitions"));
    test_near(number(made, "control"), number(over, "control"), 1e-9);
    test_near(number(made, "transition"), number(over, "transition"), 1e-9);

    marey_ctx *ctx = test_ctx();
    marey_library *library;
    marey_clip *clip;
    marey_error error = { 0 };
    test_fine(marey_library_open(ctx, b->path, MAREY_LIBRARY_READ, &library, &error), &error);
    test_fine(marey_library_load(library, word(made, "name"), &clip, &error), &error);
    const marey_skeleton *body_of = marey_clip_skeleton(clip);
    double room[3 * MOST_JOINTS], at[3 * MOST_JOINTS], sum = 0, most = 0;
    float turns[4 * MOST_JOINTS];
    int count = 0;
    double end = (marey_clip_frames(clip) - 1) / marey_clip_fps(clip);
    assert_true(fabs(end - (double)live.last / 60) <= 0.1); /* a step of the graph behind it */
    for (int64_t tick = 0; tick <= live.last; tick++) {
        if (isnan(live.places[tick][0]) || (double)tick / 60 > end) continue;
        marey_clip_sample(clip, (double)tick / 60, room, turns);
        marey_pose_positions(body_of, room, turns, at);
        double off = hypot(hypot(at[0] - live.places[tick][0], at[1] - live.places[tick][1]),
                           at[2] - live.places[tick][2]);
        sum += off;
        most = fmax(most, off);
        count++;
    }
    if (getenv("MAREY_TEST_SAYS"))
        printf("%s: %d transitions, root %.2f cm off on the mean, at most %.2f\n", controller,
               (int)number(over, "transitions"), sum / count, most);
    assert_true(count > 100 && sum / count < mean_cm && most < most_cm);
    marey_clip_free(clip);
    marey_library_close(library);
    marey_ctx_close(ctx);
}

TEST_OF(studio_bench *b, what_was_steered_by_a_graph_is_made_a_clip_of)
{
    play_and_make(b, "graph", 2, 15);
}

TEST_OF(studio_bench *b, what_was_steered_by_matching_is_made_a_clip_of)
{
    play_and_make(b, "matching", 2, 15);
}

TEST_GROUP_OF_CASES(test_studio_graph_live, open_demo_bench, close_bench)
