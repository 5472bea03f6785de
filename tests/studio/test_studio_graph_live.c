/* test_studio_graph_live.c - characters that are steered over the WebSocket: they go where a controller of the library goes,
   at the client's rate, several at once, and leave nothing behind when a client goes away. */
#include "in_process.h"
#include "live_wire.h"

#include <math.h>

enum { HEADER = 48, FIRST_PLAY = 256, MOST_JOINTS = 64 };

static int open_bench(void **state)
{
    static studio_bench bench;
    char line[512];
    test_run run = test_run_make();
    bench = (studio_bench){ 0 };
    test_folder_make(bench.folder, sizeof bench.folder);
    snprintf(bench.path, sizeof bench.path, "%s/demo.marey", bench.folder);
    snprintf(line, sizeof line,
             "marey demo %s --take walk_straight --take walk_left --take turns --quiet",
             bench.folder);
    if (test_run_line(&run, line) != 0) fail_msg("%s", run.err.bytes);
    test_run_free(&run);
    studio_bench_start(&bench, NULL);
    *state = &bench;
    return 0;
}

static int close_bench(void **state)
{
    studio_bench_close(*state);
    return 0;
}

/* ---- poses -------------------------------------------------------------------------------------- */

typedef struct pose {
    int play, node, transition;
    int64_t tick;
    double x, z, direction, speed, wish_direction, wish_speed, control, total;
    int joints;
    double places[3 * MOST_JOINTS], turns[4 * MOST_JOINTS];
} pose;

/* The next pose of any character; other messages are dropped. False: none came. */
static bool read_pose(http_wire *wire, pose *out, double seconds)
{
    for (double end = wire_now() + seconds; wire_now() < end;) {
        ws_frame frame = ws_read(wire, end - wire_now());
        const uint8_t *at = frame.bytes;
        bool is_pose = frame.kind == WS_BINARY && word_at(at) >= FIRST_PLAY;
        if (is_pose) {
            *out = (pose){ .play = (int)word_at(at) - FIRST_PLAY,
                           .tick = word_at(at + 4),
                           .node = (int)word_at(at + 8),
                           .transition = (int)word_at(at + 12),
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
        free(frame.bytes);
        if (is_pose) return true;
        if (frame.kind == WS_ENDED) return false;
    }
    return false;
}

static json_t *steer(http_wire *wire, int play, const char *more)
{
    char text[256];
    snprintf(text, sizeof text, "{'type': 'steer', 'play': %d, 'graph': 'standard'%s}", play, more);
    say(wire, text);
    return hear(wire, "steer");
}

static void train(const studio_bench *b, const char *graph)
{
    char body[128];
    snprintf(body, sizeof body, "{\"name\": \"%s\", \"directions\": 8}", graph);
    json_t *asked_for = studio_json(b, "/api/do/graph-train", body, 202);
    json_t *over = studio_job_wait(b, (int64_t)number(asked_for, "job"));
    assert_string_equal(word(over, "state"), "done");
    json_decref(over);
    json_decref(asked_for);
}

/* ---- the judge: a controller of the library ----------------------------------------------------- */

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
    marey_status status =
        marey_library_open(of.ctx, b->path, MAREY_LIBRARY_READ, &of.library, &error);
    if (!status) status = marey_library_graph(of.library, "standard", &of.parts, &of.graph, &error);
    if (!status)
        status = marey_library_policy(of.library, "standard", of.graph, &of.policy, &error);
    if (!status) status = marey_controller_open(of.ctx, of.graph, of.policy, def, &of.by, &error);
    if (status) fail_msg("%s", error.message);
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

/* ---- cases -------------------------------------------------------------------------------------- */

TEST(without_a_policy_one_is_asked_for)
{
    studio_bench *b = *state;
    http_wire wire;
    studio_live(&wire, b);
    say(&wire, "{'type': 'steer', 'play': 2, 'graph': 'standard'}");
    json_t *told = hear(&wire, "error");
    assert_int_equal(number(told, "play"), 2);
    assert_string_equal(word(told, "needs"), "policy");
    json_decref(told);
    say(&wire, "{'type': 'steer', 'play': 2, 'graph': 'nobody'}");
    told = hear(&wire, "error");
    assert_null(json_object_get(told, "needs"));
    assert_non_null(strstr(word(told, "message"), "nobody"));
    json_decref(told);
    wire_close(&wire);
    train(b, "standard");
}

TEST(messages_that_cannot_be_are_refused)
{
    static const char *const bad[] = {
        "{'type': 'steer'}",
        "{'type': 'steer', 'play': 4, 'graph': 'standard'}",
        "{'type': 'steer', 'play': -1, 'graph': 'standard'}",
        "{'type': 'steer', 'play': 0.5, 'graph': 'standard'}",
        "{'type': 'steer', 'play': 0}",
        "{'type': 'steer', 'play': 0, 'graph': 5}",
        "{'type': 'steer', 'play': 0, 'graph': ''}",
        "{'type': 'steer', 'play': 0, 'graph': 'standard', 'rate': 0}",
        "{'type': 'steer', 'play': 0, 'graph': 'standard', 'rate': 61}",
        "{'type': 'steer', 'play': 0, 'graph': 'standard', 'x_cm': 1e9}",
        "{'type': 'steer', 'play': 0, 'graph': 'standard', 'z_cm': 'far'}",
        "{'type': 'steer', 'play': 0, 'graph': 'standard', 'direction_rad': 1e300}",
        "{'type': 'wish', 'play': 0, 'direction_rad': 0, 'speed_cm_s': 100}", /* nobody is there */
        "{'type': 'wish', 'play': 9, 'direction_rad': 0, 'speed_cm_s': 100}",
        "{'type': 'halt'}",
        "{'type': 'steers'}",
    };
    studio_bench *b = *state;
    http_wire wire;
    studio_live(&wire, b);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        say(&wire, bad[i]);
        json_decref(hear(&wire, "error"));
    }
    json_decref(steer(&wire, 0, ""));
    say(&wire, "{'type': 'wish', 'play': 0}");
    json_decref(hear(&wire, "error"));
    say(&wire, "{'type': 'wish', 'play': 0, 'direction_rad': 1, 'speed_cm_s': -5}");
    json_decref(hear(&wire, "error"));
    wire_close(&wire);
}

/* A person that nobody wishes anything of stands, as a controller of the library does: at every other tick, where a frame of
   the graph is shown as it is, pose for pose; between them, the joints of the mean turn. */
TEST(poses_are_those_of_a_controller)
{
    enum { FRAMES = 40 };
    studio_bench *b = *state;
    http_wire wire;
    marey_controller_def def = { .x_cm = 250, .z_cm = -120, .direction_rad = 2 };
    judge of = judge_open(b, &def);
    const marey_skeleton *body = marey_clip_skeleton(marey_graph_motion(of.graph));
    double places[FRAMES + 1][3 * MOST_JOINTS];
    marey_controller_frame frames[FRAMES + 1];
    marey_wish wish = { .direction_rad = 2 };
    for (int i = 0; i <= FRAMES; i++) {
        marey_controller_step(of.by, &wish, &frames[i]);
        marey_pose_positions(body, frames[i].places, frames[i].turns, places[i]);
    }
    studio_live(&wire, b);
    json_t *begun = steer(&wire, 1, ", 'x_cm': 250, 'z_cm': -120, 'direction_rad': 2");
    assert_int_equal(number(begun, "joints"), body->joint_count);
    assert_true(number(begun, "fps") == 30 && number(begun, "rate") == 60);
    assert_int_equal(number(begun, "skeleton"), of.parts->parts[0].clip);
    assert_int_equal(json_array_size(json_object_get(begun, "speeds")),
                     marey_policy_settings(of.policy)->speed_count);
    json_decref(begun);
    int shown = 0, between = 0;
    pose got;
    while (read_pose(&wire, &got, 5) && got.tick / 2 < FRAMES) {
        int i = (int)got.tick / 2;
        assert_true(got.play == 1 && got.node == frames[i].node);
        assert_true(got.wish_speed == 0 && fabs(got.wish_direction - 2) < 1e-6);
        for (int k = 0; k < 3 * body->joint_count; k++) {
            double at = got.places[k];
            if (got.tick % 2 == 0)
                assert_true(fabs(at - places[i][k]) < 0.01);
            else /* the chord of an arc is a little inside */
                assert_true(fabs(at - (places[i][k] + places[i + 1][k]) / 2) < 1);
        }
        *(got.tick % 2 ? &between : &shown) += 1;
    }
    assert_true(shown > 5 && between > 5); /* a busy machine may leave some out */
    wire_close(&wire);
    judge_close(&of);
}

TEST(bones_keep_their_lengths)
{
    studio_bench *b = *state;
    http_wire wire;
    marey_controller_def def = { 0 };
    judge of = judge_open(b, &def);
    const marey_skeleton *body = marey_clip_skeleton(marey_graph_motion(of.graph));
    pose got;
    studio_live(&wire, b);
    json_decref(steer(&wire, 0, ""));
    say(&wire, "{'type': 'wish', 'play': 0, 'direction_rad': -1, 'speed_cm_s': 120}");
    for (int n = 0; n < 60 && read_pose(&wire, &got, 5); n++) {
        for (int j = 1; j < body->joint_count; j++) {
            const double *at = got.places + 3 * j;
            const double *up = got.places + 3 * body->joints[j].parent;
            const double *offset = body->joints[j].offset_cm;
            double is = sqrt(pow(at[0] - up[0], 2) + pow(at[1] - up[1], 2) + pow(at[2] - up[2], 2));
            double should = sqrt(pow(offset[0], 2) + pow(offset[1], 2) + pow(offset[2], 2));
            assert_true(fabs(is - should) < 0.01);
        }
    }
    wire_close(&wire);
    judge_close(&of);
}

/* The plan is seen from above: z points to its bottom, so a direction of -pi / 2 goes along z. */
TEST(a_wish_is_followed)
{
    static const double directions[] = { 0, -1.57079632679 };
    studio_bench *b = *state;
    http_wire wire;
    studio_live(&wire, b);
    for (size_t k = 0; k < 2; k++) {
        char text[128];
        pose got = { 0 }, first = { 0 };
        json_decref(steer(&wire, 0, ""));
        snprintf(text, sizeof text,
                 "{'type': 'wish', 'play': 0, 'direction_rad': %g, 'speed_cm_s': 120}",
                 directions[k]);
        say(&wire, text);
        while (read_pose(&wire, &got, 5) && got.tick < 60) {
        }
        first = got;
        while (read_pose(&wire, &got, 5) && got.tick < 180) {
        }
        double x = got.x - first.x, z = got.z - first.z;
        double along = x * cos(directions[k]) - z * sin(directions[k]);
        double aside = x * sin(directions[k]) + z * cos(directions[k]);
        assert_true(got.wish_speed > 119 && got.wish_speed < 121);
        assert_true(along > 80 && fabs(aside) < along); /* 2 s at 120 cm/s */
        assert_true(got.control > 0 && got.control <= 1 && got.total <= got.control + 1e-6);
    }
    say(&wire, "{'type': 'halt', 'play': 0}");
    json_t *over = hear(&wire, "steer-end");
    assert_true(number(over, "frames") > 0 && number(over, "control") > 0.2);
    assert_true(fabs(number(over, "total") - number(over, "control") * number(over, "transition")) <
                1e-9);
    json_decref(over);
    pose none;
    assert_false(read_pose(&wire, &none, 0.3));
    wire_close(&wire);
}

TEST(steering_again_replaces_and_what_cannot_be_does_not)
{
    studio_bench *b = *state;
    http_wire wire;
    pose got;
    studio_live(&wire, b);
    json_decref(steer(&wire, 3, ", 'x_cm': 1000"));
    assert_true(read_pose(&wire, &got, 5) && fabs(got.x - 1000) < 50);
    say(&wire, "{'type': 'steer', 'play': 3, 'graph': 'nobody'}");
    json_decref(hear(&wire, "error"));
    assert_true(read_pose(&wire, &got, 5) && fabs(got.x - 1000) < 50);
    say(&wire, "{'type': 'steer', 'play': 3, 'graph': 'standard', 'x_cm': -1000}");
    json_decref(hear(&wire, "steer-end"));
    json_decref(hear(&wire, "steer"));
    assert_true(read_pose(&wire, &got, 5) && fabs(got.x + 1000) < 50);
    wire_close(&wire);
}

/* That a client went away is noticed in a moment, and perhaps behind what another one says: connections have no order among each
   other. Until then there is no room for new ones. */
static void steer_soon(http_wire *wire, const char *message)
{
    for (int tries = 0; tries < 400; tries++) {
        json_t *told = NULL;
        say(wire, message);
        while (!told) {
            ws_frame frame = ws_read(wire, 20);
            assert_true(frame.kind >= 0);
            if (frame.kind == WS_TEXT)
                told = json_loadb((const char *)frame.bytes, frame.count, 0, NULL);
            free(frame.bytes);
            if (told && strcmp(word(told, "type"), "steer") != 0 &&
                strcmp(word(told, "type"), "error") != 0) {
                json_decref(told);
                told = NULL;
            }
        }
        bool begun = strcmp(word(told, "type"), "steer") == 0;
        if (!begun) assert_non_null(strstr(word(told, "message"), "too many characters"));
        json_decref(told);
        if (begun) return;
        usleep(50000);
    }
    fail_msg("those who went away are still there");
}

/* Four of each of eight sockets is the most; when a client goes away its characters go with it. */
TEST(many_are_steered_at_once_and_no_more)
{
    enum { SOCKETS = 8, PLAYS = 4 };
    studio_bench *b = *state;
    http_wire wires[SOCKETS], late;
    for (int round = 0; round < 2; round++) {
        for (int s = 0; s < SOCKETS; s++) {
            studio_live(&wires[s], b);
            for (int p = 0; p < PLAYS; p++) {
                char text[128];
                snprintf(text, sizeof text,
                         "{'type': 'steer', 'play': %d, 'graph': 'standard', 'rate': 5}", p);
                steer_soon(&wires[s], text);
            }
        }
        studio_live(&late, b);
        say(&late, "{'type': 'steer', 'play': 0, 'graph': 'standard'}");
        json_decref(hear(&late, "error"));
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
        steer_soon(&late, "{'type': 'steer', 'play': 0, 'graph': 'standard'}");
        for (int s = 1; s < SOCKETS; s++) wire_close(&wires[s]); /* .. and some that leave */
        wire_close(&late);
    }
}

TEST(a_client_that_does_not_read_misses_poses_and_nothing_else)
{
    studio_bench *b = *state;
    http_wire wire;
    pose got;
    studio_live(&wire, b);
    json_decref(steer(&wire, 0, ""));
    int64_t last = -1;
    for (int round = 0; round < 3; round++) {
        usleep(300000);
        for (int n = 0; n < 10; n++) {
            assert_true(read_pose(&wire, &got, 5));
            assert_true(got.tick > last);
            last = got.tick;
        }
    }
    wire_close(&wire);
}

TEST(a_graph_that_is_removed_is_steered_on)
{
    studio_bench *b = *state;
    http_wire wire;
    pose got;
    json_t *asked_for =
        studio_json(b, "/api/do/graph-build", "{\"name\": \"other\", \"label\": \"walk\"}", 202);
    json_t *over = studio_job_wait(b, (int64_t)number(asked_for, "job"));
    assert_string_equal(word(over, "state"), "done");
    json_decref(over);
    json_decref(asked_for);
    train(b, "other");
    studio_live(&wire, b);
    say(&wire, "{'type': 'steer', 'play': 0, 'graph': 'other'}");
    json_decref(hear(&wire, "steer"));
    json_decref(studio_json(b, "/api/do/graph-rm", "{\"name\": \"other\"}", 200));
    say(&wire, "{'type': 'steer', 'play': 1, 'graph': 'other'}");
    json_decref(hear(&wire, "error"));
    int64_t tick = -1;
    for (int n = 0; n < 10; n++) {
        assert_true(read_pose(&wire, &got, 5) && got.play == 0 && got.tick > tick);
        tick = got.tick;
    }
    wire_close(&wire);
}

/* Closed while graphs are being opened and characters steered: sanitizers find what is left over, or used too late. */
TEST(a_studio_can_be_closed_at_any_moment)
{
    studio_bench *b = *state;
    for (int i = 0; i < 6; i++) {
        http_wire wire;
        studio_live(&wire, b);
        if (i % 2) json_decref(steer(&wire, 0, ""));
        say(&wire, "{'type': 'steer', 'play': 1, 'graph': 'standard', 'x_cm': 5}");
        usleep((useconds_t)(i * 3000));
        studio_close(b->host);
        b->host = NULL;
        wire_close(&wire);
        studio_bench_start(b, NULL);
    }
}

TEST_GROUP_OF_CASES(test_studio_graph_live, open_bench, close_bench)
