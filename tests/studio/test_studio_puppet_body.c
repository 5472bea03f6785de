/* test_studio_puppet_body.c - bodies that go where somebody who reacts goes: live, frame by frame those of the library; and as a clip
   of the library, by a job. */
#include "in_process.h"
#include "react_wire.h"

enum { FRAMES = 45, RATE = 60, MOST_JOINTS = 64 };

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
    train_ready(&bench, "beside", "follower");
    *state = &bench;
    return 0;
}

/* ---- the judge ---------------------------------------------------------------------------------- */

typedef struct body_judge {
    puppet_judge of;
    marey_parts *parts;
    marey_graph *graph;
    marey_policy *policy;
    marey_reactor *reactor;
    marey_body *body;
    const marey_skeleton *skeleton;
} body_judge;

static void body_judge_open(body_judge *all, const studio_bench *b)
{
    marey_error error = { 0 };
    marey_entity main = { 0, 0, 0 };
    *all = (body_judge){ .of = judge_open(b, "beside") };
    marey_ctx *ctx = all->of.ctx;
    marey_status status =
        marey_library_graph(all->of.library, "standard", &all->parts, &all->graph, &error);
    if (!status)
        status =
            marey_library_policy(all->of.library, "standard", all->graph, &all->policy, &error);
    if (!status)
        status = marey_reactor_open(ctx, all->of.puppet, &main, NULL, &all->reactor, &error);
    if (status) fail_msg("%s", error.message);
    marey_entity start = marey_reactor_start(all->reactor);
    status = marey_body_open(ctx, all->graph, all->policy, &start, NULL, &all->body, &error);
    if (status) fail_msg("%s", error.message);
    all->skeleton = marey_clip_skeleton(marey_graph_motion(all->graph));
}

static void body_judge_close(body_judge *all)
{
    marey_body_free(all->body);
    marey_reactor_free(all->reactor);
    marey_policy_free(all->policy);
    marey_graph_free(all->graph);
    marey_parts_free(all->parts);
    judge_close(&all->of);
}

/* ---- cases -------------------------------------------------------------------------------------- */

static const char order[] = "{'type': 'react', 'react': 1, 'puppet': 'beside', 'main': [0,0,0], "
                            "'graph': 'standard'}";

TEST(without_a_policy_one_is_asked_for)
{
    const studio_bench *b = *state;
    http_wire wire;
    studio_live(&wire, b);
    say(&wire, order);
    json_t *told = hear(&wire, "error");
    assert_int_equal(number(told, "react"), 1);
    assert_string_equal(word(told, "needs"), "policy");
    json_decref(told);
    job_refused(b, "/api/do/puppet-run",
                "{'puppet': 'beside', 'graph': 'standard', 'name': 'x', 'main': [[0,0,0,0],"
                "[1,9,0,0]]}",
                "input", "the graph standard has no policy yet: marey graph train ");
    wire_close(&wire);
    json_decref(post_done(b, "/api/do/graph-train", "{'name': 'standard', 'directions': 8}"));
}

/* At every other step a frame of the graph, which has half as many: what is shown then is the frame before the last. */
TEST(bodies_are_frame_by_frame_those_of_the_library)
{
    const studio_bench *b = *state;
    http_wire wire;
    body_judge all;
    body_judge_open(&all, b);
    int joints = all.skeleton->joint_count;
    double places[2][3 * MOST_JOINTS], away = 0;
    marey_controller_frame frame;
    marey_entity wanted = marey_reactor_start(all.reactor);
    marey_body_step(all.body, &wanted, &frame);
    marey_pose_positions(all.skeleton, frame.places, frame.turns, places[1]);
    studio_live(&wire, b);
    say(&wire, order);
    json_t *begun = hear(&wire, "react");
    assert_string_equal(word(begun, "graph"), "standard");
    assert_int_equal(number(begun, "joints"), joints);
    assert_int_equal(json_array_size(json_object_get(begun, "parents")), joints);
    assert_int_equal(number(begun, "skeleton"), all.parts->parts[0].clip);
    assert_true(number(begun, "fps") == 30);
    json_decref(begun);
    for (int step = 1; step <= 2 * FRAMES; step++) {
        main_place at = { step / (double)RATE, 2.0 * step, step > 40 ? step - 40.0 : 0, 0.25 };
        marey_entity main = { at.x, at.y, at.dir };
        marey_puppet_frame now;
        marey_puppet_step(all.reactor, &main, &now);
        if (step % 2 == 0) {
            memcpy(places[0], places[1], sizeof places[0]);
            marey_body_step(all.body, &now.react, &frame);
            marey_pose_positions(all.skeleton, frame.places, frame.turns, places[1]);
            away = hypot(frame.x_cm - now.react.x_cm, -frame.z_cm - now.react.y_cm);
        }
        ws_frame is = go_on(&wire, &at, 1);
        const uint8_t *one = is.bytes + REACT_HEADER, *joint = one + REACT_ENTRY;
        assert_int_equal(is.count, REACT_HEADER + REACT_ENTRY + 28 * joints);
        assert_int_equal(word_at(one + 40), joints);
        assert_true(float_at(one + 16) == (double)(float)now.react.x_cm);
        if (step > 1) assert_true(fabs(float_at(one + 36) - away) < 0.01);
        for (int k = 0; k < 3 * joints && step > 1; k++) {
            double told = float_at(joint + 28 * (k / 3) + 4 * (k % 3));
            double should = step % 2 == 0 ? places[0][k] : (places[0][k] + places[1][k]) / 2;
            assert_true(fabs(told - should) < (step % 2 == 0 ? 0.01 : 2)); /* a chord is inside */
        }
        free(is.bytes);
    }
    wire_close(&wire);
    body_judge_close(&all);
}

/* Characters that are steered and bodies share a graph, whose ground is found while some are steered through it already. */
TEST(bodies_and_steered_characters_share_a_graph)
{
    const studio_bench *b = *state;
    http_wire wire;
    main_place at = { 0.5, 60, 0, 0 };
    studio_live(&wire, b);
    say(&wire, "{'type': 'steer', 'play': 0, 'graph': 'standard', 'rate': 1}");
    json_decref(hear(&wire, "steer"));
    for (int i = 0; i < 4; i++) {
        char text[256];
        snprintf(text, sizeof text,
                 "{'type': 'react', 'react': %d, 'puppet': 'beside', 'main': [0,0,0]%s}", i,
                 i == 3 ? "" : ", 'graph': 'standard'");
        say(&wire, text);
    }
    for (int i = 0; i < 4; i++) json_decref(hear(&wire, "react"));
    say_main(&wire, &at, 1);
    ws_frame is = hear_steps(&wire);
    while (word_at(is.bytes) != REACT_MESSAGE) { /* a pose of who is steered */
        free(is.bytes);
        is = hear_steps(&wire);
    }
    assert_int_equal(word_at(is.bytes + 4), 4);
    const uint8_t *first = is.bytes + REACT_HEADER;
    size_t size = REACT_ENTRY + 28 * word_at(first + 40);
    for (int i = 1; i < 3; i++) /* the same order, the same body */
        assert_memory_equal(first + 4, first + (size_t)i * size + 4, size - 4);
    assert_int_equal(word_at(first + 3 * size + 40), 0);
    free(is.bytes);
    say(&wire, "{'type': 'halt', 'play': 0}");
    json_decref(hear(&wire, "steer-end"));
    wire_close(&wire);
}

TEST(a_graph_that_is_removed_is_gone_through_on)
{
    const studio_bench *b = *state;
    http_wire wire;
    json_decref(post_done(b, "/api/do/graph-build", "{'name': 'other', 'label': 'walk'}"));
    json_decref(post_done(b, "/api/do/graph-train", "{'name': 'other', 'directions': 8}"));
    studio_live(&wire, b);
    json_decref(react(&wire, 0, "beside", ", 'graph': 'other'"));
    json_decref(post(b, "/api/do/graph-rm", "{'name': 'other'}", 200));
    for (int step = 1; step <= 10; step++) {
        main_place at = { step / 10.0, 10.0 * step, 0, 0 };
        ws_frame is = go_on(&wire, &at, 1);
        assert_true(word_at(is.bytes + REACT_HEADER + 40) > 0);
        free(is.bytes);
    }
    refused(&wire,
            "{'type': 'react', 'react': 1, 'puppet': 'beside', 'main': [0,0,0], 'graph': 'other'}",
            1, "other");
    wire_close(&wire);
}

/* Somebody who reacts, straight from time to time, at the rate of the graph. */
static void sample_path(const marey_puppet_sample *samples, double fps, marey_entity *out,
                        int count)
{
    for (int i = 0; i < count; i++) {
        int row = (int)(i / fps) < 3 ? (int)(i / fps) : 2; /* rows are a second apart */
        double share = i / fps - row;
        const marey_entity *a = &samples[row].react, *b = &samples[row + 1].react;
        out[i] = (marey_entity){
            a->x_cm + share * (b->x_cm - a->x_cm), a->y_cm + share * (b->y_cm - a->y_cm),
            a->direction_rad +
                share * remainder(b->direction_rad - a->direction_rad, 2 * 3.14159265358979323846)
        };
    }
}

/* What it is made of, piece by piece, in the clips' own frames. */
static void check_sources(const body_judge *all, const marey_walk *walked, const json_t *sources)
{
    enum { MOST = 100 };
    marey_walk_piece pieces[MOST];
    int count = marey_walk_pieces(all->graph, walked, pieces, MOST);
    assert_int_equal(json_array_size(sources), count);
    for (int i = 0; i < count; i++) {
        const json_t *one = json_array_get(sources, (size_t)i);
        int part = pieces[i].first.clip, start = all->parts->parts[part].start;
        assert_string_equal(word(one, "clip"), all->parts->names[part].name);
        assert_true(fabs(number(one, "start") - (start + pieces[i].first.frame)) <= 0.5);
        assert_true(fabs(number(one, "end") - (start + pieces[i].last.frame + 1)) <= 0.5);
    }
}

/* The judge does the same with the library's own functions. */
TEST(a_body_becomes_a_clip_of_the_library)
{
    enum { ROWS = 4, PLACES = 3 * 30 + 1 };
    const studio_bench *b = *state;
    marey_puppet_sample samples[ROWS] = { { .time_s = 0, .main = { 0, 0, 0 } },
                                          { .time_s = 1, .main = { 100, 0, 0 } },
                                          { .time_s = 2, .main = { 200, 50, 0.5 } },
                                          { .time_s = 3, .main = { 250, 150, 1.25 } } };
    marey_entity path[PLACES];
    marey_made made = { 0 };
    marey_body_made about;
    marey_walk walked = { 0 };
    marey_body_def def = { .walked = &walked };
    marey_error error = { 0 };
    body_judge all;
    body_judge_open(&all, b);
    assert_int_equal(
        marey_puppet_play(all.of.ctx, all.of.puppet, samples, ROWS, NULL, NULL, &error), 0);
    sample_path(samples, 30, path, PLACES);
    if (marey_body_make(all.of.ctx, all.graph, all.policy, path, PLACES, 30, &def, NULL, &made,
                        &about, &error))
        fail_msg("%s", error.message);
    json_t *result = post_done(b, "/api/do/puppet-run",
                               "{'puppet': 'beside', 'graph': 'standard', 'name': 'followed', "
                               "'main': [[0,0,0,0],[1,100,0,0],[2,200,50,0.5],[3,250,150,1.25]]}");
    assert_string_equal(word(result, "name"), "followed");
    assert_true(fabs(number(result, "away_cm") - about.away_cm) < 1e-6);
    assert_true(fabs(number(result, "away_most_cm") - about.away_most_cm) < 1e-6);
    assert_int_equal(number(result, "frames"), ROWS);
    assert_true(number(result, "transitions") == about.walk.transitions);
    char target[64];
    snprintf(target, sizeof target, "/api/clips/%lld", (long long)number(result, "id"));
    json_t *clip = studio_json(b, target, NULL, 200);
    const json_t *from = json_object_get(clip, "provenance");
    assert_string_equal(word(clip, "name"), "followed");
    assert_int_equal(number(clip, "frames"), marey_clip_frames(made.clip));
    assert_true(json_is_true(json_object_get(clip, "contacts_set")));
    assert_string_equal(word(from, "graph"), "standard");
    assert_string_equal(word(from, "puppet"), "beside");
    check_sources(&all, &walked, json_object_get(from, "sources"));
    marey_walk_free(&walked);
    json_decref(clip);
    json_decref(result);
    marey_made_free(&made);
    body_judge_close(&all);
}

/* "beside" under another name, as if it had learned from a clip that is elsewhere. */
static void keep_taught(const studio_bench *b)
{
    const marey_puppet_source far = { "far", "CC BY-NC 4.0" };
    puppet_judge of = judge_open(b, "beside");
    marey_library *library = NULL;
    marey_error error = { 0 };
    marey_status status =
        marey_library_open(of.ctx, b->path, MAREY_LIBRARY_WRITE, &library, &error);
    if (!status)
        status = marey_library_keep_puppet_from(library, "taught", of.puppet, &far, 1, NULL, 0, "",
                                                &error);
    if (status) fail_msg("%s", error.message);
    marey_library_close(library);
    judge_close(&of);
}

TEST(a_body_has_the_licences_of_what_its_puppet_was_trained_on)
{
    const studio_bench *b = *state;
    char target[64];
    keep_taught(b);
    json_t *result = post_done(b, "/api/do/puppet-run",
                               "{'puppet': 'taught', 'graph': 'standard', 'name': 'lent', "
                               "'main': [[0,0,0,0],[1,100,0,0],[2,200,50,0.5]]}");
    snprintf(target, sizeof target, "/api/clips/%lld", (long long)number(result, "id"));
    json_t *clip = studio_json(b, target, NULL, 200);
    const json_t *from = json_object_get(json_object_get(clip, "provenance"), "trained_on");
    assert_int_equal(json_array_size(from), 1);
    assert_string_equal(word(json_array_get(from, 0), "clip"), "far");
    assert_string_equal(word(json_array_get(from, 0), "licence"), "CC BY-NC 4.0");
    assert_string_equal(word(clip, "licence"),
                        "made by marey demo; free for any use; CC BY-NC 4.0");
    json_decref(clip);
    json_decref(result);
}

/* A job, too, must come to its end. */
TEST(a_body_does_not_go_along_a_path_without_end)
{
    job_refused(*state, "/api/do/puppet-run",
                "{'puppet': 'beside', 'graph': 'standard', 'name': 'x', 'main': [[0,0,0,0],"
                "[5000,9,0,0]]}",
                "limit", "at most 4369 s, got 5000 s");
}

/* Closed while grounds are being found: sanitizers find what is left over, or used too late. */
TEST(a_studio_can_be_closed_at_any_moment)
{
    studio_bench *b = *state;
    for (int i = 0; i < 5; i++) {
        http_wire wire;
        studio_live(&wire, b);
        if (i % 2) json_decref(react(&wire, 0, "beside", ""));
        say(&wire, order);
        usleep((useconds_t)(i * 8000));
        studio_close(b->host);
        b->host = NULL;
        wire_close(&wire);
        studio_bench_start(b, NULL);
    }
}

TEST_GROUP_OF_CASES(test_studio_puppet_body, open_bench, close_puppet_bench)
