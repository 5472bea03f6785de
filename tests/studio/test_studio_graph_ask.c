/* test_studio_graph_ask.c - characters that are asked, over the WebSocket, for motions of families
   and for actions while they are steered: what they do is what a controller of the library does. */
#include "live_wire.h"

#include <math.h>

enum { HEADER = 48, FIRST_PLAY = 256, MOST_JOINTS = 64, NO_NODE = -1 };

/* ---- a studio whose graph has a policy, and a family of turns ---------------------------------- */

static void program_line(const studio_bench *b, const char *command, const char *rest)
{
    char line[512];
    test_run run = test_run_make();
    snprintf(line, sizeof line, "marey %s %s %s --quiet", command, b->path, rest);
    if (test_run_line(&run, line) != 0) fail_msg("%s", run.err.bytes);
    test_run_free(&run);
}

static int open_asked_bench(void **state)
{
    open_demo_bench(state);
    const studio_bench *b = *state;
    program_line(b, "graph train", "standard --directions 8");
    program_line(b, "param build",
                 "around --clips turns#120-280,turns#375-535 --feature heading()");
    return 0;
}

static json_t *steer(http_wire *wire, int play, const char *more)
{
    say(wire, "{'type': 'steer', 'play': %d, 'graph': 'standard'%s}", play, more);
    return hear(wire, "steer");
}

/* ---- poses, and what is said between them ------------------------------------------------------ */

typedef struct moment {
    int play, node;
    int64_t tick;
    int joints;
    double heights[MOST_JOINTS];
} moment;

/* The next pose, or the next text: then that. */
static const json_t *read_next(http_wire *wire, moment *pose)
{
    for (double end = wire_now() + 20; wire_now() < end;) {
        OWNED(ws_frame) frame = ws_read(wire, end - wire_now());
        assert_true(frame.kind >= 0);
        if (frame.kind == WS_TEXT) return json_hold_text((const char *)frame.bytes, frame.count);
        if (frame.kind != WS_BINARY || word_at(frame.bytes) < FIRST_PLAY) continue;
        *pose = (moment){ .play = (int)word_at(frame.bytes) - FIRST_PLAY,
                          .tick = word_at(frame.bytes + 4),
                          .node = (int)word_at(frame.bytes + 8),
                          .joints = (int)((frame.count - HEADER) / 28) };
        assert_true(pose->joints <= MOST_JOINTS);
        for (int j = 0; j < pose->joints; j++)
            pose->heights[j] = float_at(frame.bytes + HEADER + 28 * j + 4);
        return NULL;
    }
    fail_msg("nothing came");
    return NULL;
}

/* Poses up to the next text of a type. Returns it; *count: of poses of no node. */
static const json_t *poses_until(http_wire *wire, const char *type, int *count, moment *poses,
                                 int room)
{
    for (moment pose;;) {
        const json_t *heard = read_next(wire, &pose);
        if (heard && strcmp(word(heard, "type"), "error") == 0)
            fail_msg("in place of %s: %s", type, word(heard, "message"));
        if (heard && strcmp(word(heard, "type"), type) == 0) return heard;
        if (heard || pose.node != NO_NODE) continue;
        if (*count < room) poses[*count] = pose;
        *count += 1;
    }
}

/* ---- the judge: a controller of the library ---------------------------------------------------- */

typedef struct judge {
    marey_ctx *ctx;
    marey_library *library;
    marey_parts *parts, *examples;
    marey_graph *graph;
    marey_policy *policy;
    marey_family *family;
    marey_graph_family *joined;
    marey_controller *by;
    int number;
} judge;

static judge judge_open(const studio_bench *b)
{
    judge of = { .ctx = test_ctx() };
    marey_error error = { 0 };
    test_fine(marey_library_open(of.ctx, b->path, MAREY_LIBRARY_READ, &of.library, &error), &error);
    test_fine(marey_library_graph(of.library, "standard", &of.parts, &of.graph, &error), &error);
    test_fine(marey_library_policy(of.library, "standard", of.graph, &of.policy, &error), &error);
    test_fine(marey_library_family(of.library, "around", &of.examples, &of.family, &error), &error);
    test_fine(marey_graph_family_join(of.ctx, of.graph, of.family, "around", &of.joined, &error),
              &error);
    test_fine(marey_controller_open(of.ctx, of.graph, of.policy, NULL, &of.by, &error), &error);
    test_fine(marey_controller_join(of.by, of.joined, &of.number, &error), &error);
    return of;
}

static void judge_close(judge *of)
{
    marey_controller_free(of->by);
    marey_graph_family_free(of->joined);
    marey_family_free(of->family);
    marey_parts_free(of->examples);
    marey_policy_free(of->policy);
    marey_graph_free(of->graph);
    marey_parts_free(of->parts);
    marey_library_close(of->library);
    marey_ctx_close(of->ctx);
}
OWNED_VALUE(judge, judge_close)

/* ---- cases ------------------------------------------------------------------------------------- */

/* The answer is that of a controller, and so are the heights of all joints in the middle of the
   motion: where it is laid, and what fades at its beginning, depend on when it was asked for. */
TEST_OF(studio_bench *b, a_motion_of_a_family_is_done_as_a_controller_does_it)
{
    enum { MOST = 400, FADE = 60 };
    OWNED(judge) of = judge_open(b);
    const marey_skeleton *body = marey_clip_skeleton(marey_graph_motion(of.graph));
    marey_answer answer;
    marey_error error = { 0 };
    test_fine(marey_controller_ask(of.by, of.number, &(double){ 60 }, &answer, &error), &error);
    static double done[MOST][MOST_JOINTS];
    int frames = 0;
    for (int i = 0; i < 3000 && frames < MOST; i++) {
        marey_controller_frame frame;
        double places[3 * MOST_JOINTS];
        marey_controller_step(of.by, &(marey_control_input){ 0 }, &frame);
        if (frame.doing < 0 && frames > 0) break;
        if (frame.doing < 0) continue;
        marey_pose_positions(body, frame.places, frame.turns, places);
        for (int j = 0; j < body->joint_count; j++) done[frames][j] = places[3 * j + 1];
        frames++;
    }
    assert_true(frames > 40 && frames < MOST);

    static moment seen[2 * MOST];
    int count = 0;
    OWNED(http_wire) wire = studio_live(b);
    steer(&wire, 1, "");
    say(&wire, "{'type': 'ask', 'play': 1, 'do': 'around(heading=60)'}");
    const json_t *asked = poses_until(&wire, "asked", &count, seen, 0);
    expect(asked, "{'play': 1, 'do': 'around(heading=60)', 'outside': false, 'error_unit': 'deg'}");
    assert_int_equal(size_of(asked, "values"), 1);
    test_near(json_number_value(item(asked, "values", 0)), answer.values[0], 1e-9);
    test_near(number(asked, "error"), answer.error, 1e-9);
    expect(poses_until(&wire, "doing", &count, seen, 0), "{'play': 1, 'do': 'around(heading=60)'}");
    count = 0;
    expect(poses_until(&wire, "doing", &count, seen, 2 * MOST), "{'play': 1, 'do': null}");
    assert_true(count > 20 && count <= 2 * MOST); /* a busy machine may leave some out */
    int compared = 0;
    for (int i = 0; i < count; i++) {
        if (seen[i].tick < seen[0].tick + FADE || seen[i].tick % 2 != 0) continue;
        double least = INFINITY;
        for (int k = 0; k < frames; k++) {
            double worst = 0;
            for (int j = 0; j < body->joint_count; j++)
                worst = fmax(worst, fabs(seen[i].heights[j] - done[k][j]));
            least = fmin(least, worst);
        }
        assert_true(least < 0.5);
        compared++;
    }
    assert_true(compared > 3);
}

TEST_OF(studio_bench *b, an_action_is_done_whole_and_steering_goes_on)
{
    OWNED(http_wire) wire = studio_live(b);
    int none = 0;
    steer(&wire, 0, "");
    say(&wire, "{'type': 'wish', 'play': 0, 'direction_rad': 0, 'speed_cm_s': 120}");
    say(&wire, "{'type': 'ask', 'play': 0, 'do': 'turn'}");
    const json_t *asked = poses_until(&wire, "asked", &none, NULL, 0);
    expect(asked, "{'play': 0, 'do': 'turn', 'values': [], 'error': null}");
    expect(poses_until(&wire, "doing", &none, NULL, 0), "{'play': 0, 'do': 'turn'}");
    expect(poses_until(&wire, "doing", &none, NULL, 0), "{'play': 0, 'do': null}");
    assert_int_equal(none, 0); /* an action is of nodes */
    moment pose = { 0 };
    int64_t ended = 0;
    while (read_next(&wire, &pose)) continue;
    for (ended = pose.tick; pose.tick < ended + 60;) read_next(&wire, &pose);
    say(&wire, "{'type': 'halt', 'play': 0}");
    assert_true(number(hear(&wire, "steer-end"), "frames") > 30);
}

/* Asked for again before it began: the last one counts. While one is done the next one waits, and
   another character of the same graph has its own. */
TEST_OF(studio_bench *b, the_last_request_counts_and_each_character_has_its_own)
{
    OWNED(http_wire) wire = studio_live(b);
    int none = 0;
    steer(&wire, 0, "");
    say(&wire, "{'type': 'ask', 'play': 0, 'do': 'turn'}");
    say(&wire, "{'type': 'ask', 'play': 0, 'do': 'around()'}");
    const json_t *asked = poses_until(&wire, "asked", &none, NULL, 0);
    if (strcmp(word(asked, "do"), "turn") == 0) asked = poses_until(&wire, "asked", &none, NULL, 0);
    expect(asked, "{'do': 'around()', 'outside': false}");
    const json_t *doing = poses_until(&wire, "doing", &none, NULL, 0);
    while (json_is_null(json_object_get(doing, "do")) || strcmp(word(doing, "do"), "turn") == 0)
        doing = poses_until(&wire, "doing", &none, NULL, 0); /* it had begun */
    expect(doing, "{'play': 0, 'do': 'around()'}");
    say(&wire, "{'type': 'ask', 'play': 0, 'do': 'around(heading=-40)'}");
    expect(poses_until(&wire, "asked", &none, NULL, 0), "{'do': 'around(heading=-40)'}");
    doing = poses_until(&wire, "doing", &none, NULL, 0);
    if (json_is_null(json_object_get(doing, "do")))
        doing = poses_until(&wire, "doing", &none, NULL, 0);
    expect(doing, "{'play': 0, 'do': 'around(heading=-40)'}");
    say(&wire, "{'type': 'halt', 'play': 0}");
    hear(&wire, "steer-end");

    steer(&wire, 2, ", 'x_cm': 500");
    say(&wire, "{'type': 'ask', 'play': 2, 'do': 'around(at=10)'}");
    test_near(json_number_value(item(poses_until(&wire, "asked", &none, NULL, 0), "values", 0)), 10,
              1);
}

/* A clip of what was played does the same: what was replaced before it began leads it the same way,
   and is not done. */
TEST_OF(studio_bench *b, what_was_asked_for_is_done_in_the_clip_of_it)
{
    OWNED(http_wire) wire = studio_live(b);
    int none = 0;
    steer(&wire, 0, "");
    say(&wire, "{'type': 'wish', 'play': 0, 'direction_rad': 0.5, 'speed_cm_s': 120}");
    say(&wire, "{'type': 'ask', 'play': 0, 'do': 'around(heading=60)'}");
    poses_until(&wire, "doing", &none, NULL, 0);
    /* While it does that: both wait, and the last one counts. */
    say(&wire, "{'type': 'ask', 'play': 0, 'do': 'turn'}");
    poses_until(&wire, "asked", &none, NULL, 0);
    say(&wire, "{'type': 'ask', 'play': 0, 'do': 'around(heading=-40)'}");
    poses_until(&wire, "asked", &none, NULL, 0);
    const char *last = "";
    while (strcmp(last, "around(heading=-40)") != 0) {
        const json_t *doing = json_object_get(poses_until(&wire, "doing", &none, NULL, 0), "do");
        last = json_is_null(doing) ? "" : json_string_value(doing);
    }
    poses_until(&wire, "doing", &none, NULL, 0);
    say(&wire, "{'type': 'halt', 'play': 0}");
    const json_t *over = poses_until(&wire, "steer-end", &none, NULL, 0);
    json_t *body = json_hold(json_deep_copy(json_object_get(over, "played")));
    size_t asked = size_of(body, "do");
    bool replaced = json_is_true(json_object_get(body, "replace"));
    assert_true(asked == 3);
    json_object_set_new(body, "name", json_string("played"));
    char *text = json_dumps(body, 0);
    const json_t *made = studio_post(b, 200, "/api/do/graph-control", "%s", text);
    free(text);
    assert_int_equal((int)number(made, "transitions"), (int)number(over, "transitions"));
    test_near(number(made, "control"), number(over, "control"), 1e-9);
    /* On a busy machine the turn may have been begun between the two. */
    assert_int_equal(size_of(made, "requests"), replaced ? 2 : 3);
}

TEST_OF(studio_bench *b, invalid_requests_are_refused_and_change_nothing)
{
    static const char *const rows[][2] = {
        { "'do': 'flying'", "neither a family of the library nor an action of the graph standard" },
        { "'do': 'around(high=60)'", "high is no number of the family around" },
        { "'do': 'around(heading=1,2)'", "must be 1 number, got 2" },
        { "'do': 'turn(heading=5)'", "must be asked for without numbers" },
        { "'do': 'around()@300'", "without @" },
        { "'do': 'around('", "bracket" },
        { "'do': ''", "there is no name" },
        { "'do': 5", "do must be a text" },
        { "'x': 1", "do must be a text" },
    };
    OWNED(http_wire) wire = studio_live(b);
    say(&wire, "{'type': 'ask', 'play': 0, 'do': 'around()'}");
    expect(hear(&wire, "error"), "{'play': 0, 'message': 'no live session 0'}");
    say(&wire, "{'type': 'ask', 'play': 7, 'do': 'around()'}");
    hear(&wire, "error");
    steer(&wire, 0, "");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        say(&wire, "{'type': 'ask', 'play': 0, %s}", rows[i][0]);
        const json_t *error = hear(&wire, "error");
        assert_non_null(strstr(word(error, "message"), rows[i][1]));
        assert_int_equal(number(error, "play"), 0);
    }
    char longest[400];
    memset(longest, 'a', sizeof longest - 1);
    longest[sizeof longest - 1] = 0;
    say(&wire, "{'type': 'ask', 'play': 0, 'do': '%s'}", longest);
    assert_non_null(strstr(word(hear(&wire, "error"), "message"), "too long"));
    say(&wire, "{'type': 'ask', 'play': 0, 'do': 'around()'}");
    int none = 0;
    poses_until(&wire, "asked", &none, NULL, 0);
    steer(&wire, 1, ", 'controller': 'matching'");
    say(&wire, "{'type': 'ask', 'play': 1, 'do': 'around()'}");
    for (const json_t *heard = NULL; !heard || strcmp(word(heard, "type"), "error") != 0;) {
        moment pose;
        heard = read_next(&wire, &pose);
        if (heard && strcmp(word(heard, "type"), "error") == 0)
            assert_non_null(strstr(word(heard, "message"), "matching takes no requests"));
    }
}

/* While families are opened, joined and done, clients go away, characters are replaced and the
   studio closes: sanitizers find what is left over, or used too late. */
TEST_OF(studio_bench *b, characters_can_go_at_any_moment_of_a_request)
{
    for (int i = 0; i < 10; i++) {
        OWNED(http_wire) wire = studio_live(b);
        steer(&wire, 0, "");
        say(&wire, "{'type': 'ask', 'play': 0, 'do': '%s'}", i % 2 ? "around(heading=20)" : "turn");
        usleep((useconds_t)(i * 2500));
        if (i % 3 == 0) say(&wire, "{'type': 'halt', 'play': 0}");
        if (i % 3 == 1) say(&wire, "{'type': 'steer', 'play': 0, 'graph': 'standard'}");
        if (i % 3 == 2) wire_abort(&wire);
        if (i > 4) {
            studio_close(b->host);
            studio_bench_start(b, NULL);
        }
    }
}

/* Whether it is done as asked; the error that comes otherwise is for memory. */
static bool is_granted(http_wire *wire, const char *type)
{
    moment pose;
    for (const json_t *heard = read_next(wire, &pose);; heard = read_next(wire, &pose)) {
        if (!heard) continue;
        if (strcmp(word(heard, "type"), type) == 0) return true;
        if (strcmp(word(heard, "type"), "error") != 0) continue;
        assert_non_null(strstr(word(heard, "message"), "memory"));
        return false;
    }
}

/* With more and more of it: first the character is refused, then what it is asked for, and in the
   end nothing. */
TEST_OF(studio_bench *b, requests_without_memory_are_refused_and_the_character_goes_on)
{
    enum { LEAST = 4 << 20 };
    int steered = 0;
    bool done = false;
    for (size_t limit = LEAST; !done; limit += limit / 12) {
        studio_close(b->host);
        studio_bench_start(b, &(studio_def){ .byte_limit = limit });
        OWNED(http_wire) wire = studio_live(b);
        say(&wire, "{'type': 'steer', 'play': 0, 'graph': 'standard'}");
        if (!is_granted(&wire, "steer")) continue;
        steered++;
        say(&wire, "{'type': 'ask', 'play': 0, 'do': 'around(heading=20)'}");
        done = is_granted(&wire, "asked");
        moment pose = { .play = -1 };
        while (read_next(&wire, &pose)) continue;
        assert_int_equal(pose.play, 0);
    }
    assert_true(steered > 1);
    studio_close(b->host);
    studio_bench_start(b, NULL);
}

TEST_GROUP_OF_CASES(test_studio_graph_ask, open_asked_bench, close_bench)
