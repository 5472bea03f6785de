/* test_studio_puppet_body.c - bodies that go where a reacting character goes: live, frame by frame
   those of the library; and as a clip of the library, by a job. */
#include "react_wire.h"

enum { FRAMES = 45, RATE = 60, MOST_JOINTS = 64 };

static int open_bench(void **state)
{
    open_demo_bench(state);
    train_ready(*state, "beside", "follower");
    return 0;
}

/* ---- the judge ------------------------------------------------------------------------------- */

typedef struct body_judge {
    puppet_judge of;
    marey_parts *parts;
    marey_graph *graph;
    marey_policy *policy;
    marey_reactor *reactor;
    marey_body *body;
    const marey_skeleton *skeleton;
} body_judge;

static body_judge body_judge_open(const studio_bench *b)
{
    marey_error error = { 0 };
    marey_entity main = { 0, 0, 0 };
    body_judge all = { .of = judge_open(b, "beside") };
    test_fine(marey_library_graph(all.of.library, "standard", &all.parts, &all.graph, &error),
              &error);
    test_fine(marey_library_policy(all.of.library, "standard", all.graph, &all.policy, &error),
              &error);
    test_fine(marey_reactor_open(all.of.ctx, all.of.puppet, &main, NULL, &all.reactor, &error),
              &error);
    marey_entity start = marey_reactor_start(all.reactor);
    test_fine(marey_body_open(all.of.ctx, all.graph, all.policy, &start, NULL, &all.body, &error),
              &error);
    all.skeleton = marey_clip_skeleton(marey_graph_motion(all.graph));
    return all;
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
OWNED_VALUE(body_judge, body_judge_close)

/* ---- cases ----------------------------------------------------------------------------------- */

#define ORDER                                                                                      \
    "{'type': 'react', 'react': 1, 'puppet': 'beside', 'main': [0,0,0], 'graph': 'standard'}"

TEST_OF(studio_bench *b, without_a_policy_one_is_asked_for)
{
    OWNED(http_wire) wire = studio_live(b);
    say(&wire, ORDER);
    expect(hear(&wire, "error"), "{'react': 1, 'needs': 'policy'}");
    job_refused(b, "/api/do/puppet-run",
                "{'puppet': 'beside', 'graph': 'standard', 'name': 'x', 'main': [[0,0,0,0],"
                "[1,9,0,0]]}",
                "input", "the graph standard has no policy yet: marey graph train ");
    studio_done(b, "/api/do/graph-train", "{'name': 'standard', 'directions': 8}");
}

/* At every other step a frame of the graph, which has half as many: what is shown then is the frame
   before the last. */
TEST_OF(studio_bench *b, bodies_are_frame_by_frame_those_of_the_library)
{
    OWNED(body_judge) all = body_judge_open(b);
    int joints = all.skeleton->joint_count;
    double places[2][3 * MOST_JOINTS], away = 0;
    marey_controller_frame frame;
    marey_entity wanted = marey_reactor_start(all.reactor);
    marey_body_step(all.body, &wanted, &frame);
    marey_pose_positions(all.skeleton, frame.places, frame.turns, places[1]);
    OWNED(http_wire) wire = studio_live(b);
    say(&wire, ORDER);
    const json_t *begun = hear(&wire, "react");
    expect(begun, "{'graph': 'standard', 'joints': %d, 'skeleton': %" PRId64 ", 'fps': 30}", joints,
           all.parts->parts[0].clip);
    assert_int_equal(size_of(begun, "parents"), joints);
    for (int step = 1; step <= 2 * FRAMES; step++) {
        main_place at = { step / (double)RATE, 2.0 * step, step > 40 ? step - 40.0 : 0, 0.25 };
        marey_entity main = { at.x, at.y, at.dir };
        marey_puppet_frame now;
        marey_puppet_step(all.reactor, &main, &now);
        if (step % 2 == 0) {
            memcpy(places[0], places[1], sizeof places[0]);
            marey_body_lead(all.body, all.reactor, &now.react, &frame);
            marey_pose_positions(all.skeleton, frame.places, frame.turns, places[1]);
            away = hypot(frame.x_cm - now.react.x_cm, -frame.z_cm - now.react.y_cm);
        }
        OWNED(ws_frame) is = go_on(&wire, &at, 1);
        const uint8_t *one = is.bytes + REACT_HEADER, *joint = one + REACT_ENTRY;
        assert_int_equal(is.count, REACT_HEADER + REACT_ENTRY + 28 * joints);
        assert_int_equal(word_at(one + 40), joints);
        assert_true(float_at(one + 16) == (double)(float)now.react.x_cm);
        if (step > 1) test_near(float_at(one + 36), away, 0.01);
        for (int k = 0; k < 3 * joints && step > 1; k++) {
            double should = step % 2 == 0 ? places[0][k] : (places[0][k] + places[1][k]) / 2;
            test_near(float_at(joint + 28 * (k / 3) + 4 * (k % 3)), should,
                      step % 2 == 0 ? 0.01 : 2); /* a chord is inside */
        }
    }
}

/* Characters that are steered and bodies share a graph, whose ground is found while some are
   steered through it already. */
TEST_OF(studio_bench *b, bodies_and_steered_characters_share_a_graph)
{
    main_place at = { 0.5, 60, 0, 0 };
    OWNED(http_wire) wire = studio_live(b);
    say(&wire, "{'type': 'steer', 'play': 0, 'graph': 'standard', 'rate': 1}");
    hear(&wire, "steer");
    for (int i = 0; i < 4; i++)
        say(&wire, "{'type': 'react', 'react': %d, 'puppet': 'beside', 'main': [0,0,0]%s}", i,
            i == 3 ? "" : ", 'graph': 'standard'");
    for (int i = 0; i < 4; i++) hear(&wire, "react");
    OWNED(ws_frame) is = go_on(&wire, &at, 1);
    while (word_at(is.bytes) != REACT_MESSAGE) { /* a pose of the steered character */
        free(is.bytes);
        is = hear_steps(&wire);
    }
    assert_int_equal(word_at(is.bytes + 4), 4);
    const uint8_t *first = is.bytes + REACT_HEADER;
    size_t size = REACT_ENTRY + 28 * word_at(first + 40);
    for (int i = 1; i < 3; i++) /* the same order, the same body */
        assert_memory_equal(first + 4, first + (size_t)i * size + 4, size - 4);
    assert_int_equal(word_at(first + 3 * size + 40), 0);
    say(&wire, "{'type': 'halt', 'play': 0}");
    hear(&wire, "steer-end");
}

TEST_OF(studio_bench *b, a_graph_that_is_removed_is_gone_through_on)
{
    studio_done(b, "/api/do/graph-build", "{'name': 'other', 'label': 'walk'}");
    studio_done(b, "/api/do/graph-train", "{'name': 'other', 'directions': 8}");
    OWNED(http_wire) wire = studio_live(b);
    react(&wire, 0, "beside", ", 'graph': 'other'");
    studio_post(b, 200, "/api/do/graph-rm", "{'name': 'other'}");
    for (int step = 1; step <= 10; step++) {
        main_place at = { step / 10.0, 10.0 * step, 0, 0 };
        OWNED(ws_frame) is = go_on(&wire, &at, 1);
        assert_true(word_at(is.bytes + REACT_HEADER + 40) > 0);
    }
    refused(&wire,
            "{'type': 'react', 'react': 1, 'puppet': 'beside', 'main': [0,0,0], 'graph': 'other'}",
            1, "other");
}

/* A character that reacts, straight from time to time, at the rate of the graph. */
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
TEST_OF(studio_bench *b, a_body_becomes_a_clip_of_the_library)
{
    enum { ROWS = 4, PLACES = 3 * 30 + 1 };
    marey_puppet_sample samples[ROWS] = { { .time_s = 0, .main = { 0, 0, 0 } },
                                          { .time_s = 1, .main = { 100, 0, 0 } },
                                          { .time_s = 2, .main = { 200, 50, 0.5 } },
                                          { .time_s = 3, .main = { 250, 150, 1.25 } } };
    marey_entity path[PLACES];
    marey_body_made about;
    marey_error error = { 0 };
    OWNED(body_judge) all = body_judge_open(b);
    OWNED(marey_made) made = { 0 };
    OWNED(marey_walk) walked = { 0 };
    marey_body_def def = { .walked = &walked };
    marey_reactor_def led = { .body = all.body };
    test_fine(marey_puppet_play(all.of.ctx, all.of.puppet, samples, ROWS, &led, NULL, &error),
              &error);
    sample_path(samples, 30, path, PLACES);
    test_fine(marey_body_make(all.of.ctx, all.graph, all.policy, path, PLACES, 30, &def, NULL,
                              &made, &about, &error),
              &error);
    const json_t *result =
        studio_done(b, "/api/do/puppet-run",
                    "{'puppet': 'beside', 'graph': 'standard', 'name': 'followed', "
                    "'main': [[0,0,0,0],[1,100,0,0],[2,200,50,0.5],[3,250,150,1.25]]}");
    expect(result, "{'name': 'followed', 'frames': %d, 'transitions': %d}", ROWS,
           about.walk.transitions);
    test_near(number(result, "away_cm"), about.away_cm, 1e-6);
    test_near(number(result, "away_most_cm"), about.away_most_cm, 1e-6);
    const json_t *clip = studio_get(b, 200, "/api/clips/%" PRId64, whole(result, "id"));
    expect(clip,
           "{'name': 'followed', 'frames': %d, 'contacts_set': true, 'provenance': {'graph': "
           "'standard', 'puppet': 'beside'}}",
           marey_clip_frames(made.clip));
    check_sources(&all, &walked, json_object_get(json_object_get(clip, "provenance"), "sources"));
}

/* "beside" under another name, as if it had learned from a clip that is elsewhere. */
static void keep_taught(const studio_bench *b)
{
    const marey_puppet_source far = { "far", "CC BY-NC 4.0" };
    OWNED(puppet_judge) of = judge_open(b, "beside");
    OWNED(marey_library) *library = NULL;
    marey_error error = { 0 };
    test_fine(marey_library_open(of.ctx, b->path, MAREY_LIBRARY_WRITE, &library, &error), &error);
    test_fine(
        marey_library_keep_puppet_from(library, "taught", of.puppet, &far, 1, NULL, 0, "", &error),
        &error);
}

TEST_OF(studio_bench *b, a_body_has_the_licences_of_what_its_puppet_was_trained_on)
{
    keep_taught(b);
    const json_t *result = studio_done(b, "/api/do/puppet-run",
                                       "{'puppet': 'taught', 'graph': 'standard', 'name': 'lent', "
                                       "'main': [[0,0,0,0],[1,100,0,0],[2,200,50,0.5]]}");
    expect(studio_get(b, 200, "/api/clips/%" PRId64, whole(result, "id")),
           "{'licence': 'made by marey demo; free for any use; CC BY-NC 4.0', 'provenance': "
           "{'trained_on': [{'clip': 'far', 'licence': 'CC BY-NC 4.0'}]}}");
}

/* A job, too, must come to its end. */
TEST_OF(studio_bench *b, a_body_does_not_go_along_a_path_without_end)
{
    job_refused(b, "/api/do/puppet-run",
                "{'puppet': 'beside', 'graph': 'standard', 'name': 'x', 'main': [[0,0,0,0],"
                "[5000,9,0,0]]}",
                "limit", "at most 4369 s, got 5000 s");
}

/* Closed while grounds are being found: sanitizers find what is left over, or used too late. */
TEST_OF(studio_bench *b, a_studio_can_be_closed_at_any_moment)
{
    for (int i = 0; i < 5; i++) {
        OWNED(http_wire) wire = studio_live(b);
        if (i % 2) react(&wire, 0, "beside", "");
        say(&wire, ORDER);
        usleep((useconds_t)(i * 8000));
        studio_close(b->host);
        studio_bench_start(b, NULL);
    }
}

TEST_GROUP_OF_CASES(test_studio_puppet_body, open_bench, close_bench)
