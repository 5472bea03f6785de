/* test_studio_example.c - sketches in the studio: what can be drawn, what is found for it, and what is made of that, as the
   program and the library do. */
#include "made_bench.h"

#include "example_store.h"
#include "searching_inside.h"

#include <pthread.h>

#define KNEES "'dof': ['LeftLeg.Xrotation', 'RightLeg.Xrotation']"
#define STEPS KNEES ", 'query': {'clip': $walk, 'start': 20, 'end': 220}"
#define STEPS_LINE                                                                                 \
    "marey example lib.marey short_walk#20-220 --dof LeftLeg.Xrotation,RightLeg.Xrotation"

static marey_clip *load(graph_bench *all, const char *name)
{
    marey_clip *clip = NULL;
    assert_int_equal(marey_library_load(all->b.by.library, name, &clip, NULL), MAREY_OK);
    return clip;
}

static double *signal_of(const marey_clip *clip, const char *text)
{
    marey_dof dofs[MAREY_MOST_DOFS];
    int count;
    double *values = malloc((size_t)marey_clip_frames(clip) * sizeof *values);
    assert_int_equal(marey_dofs_parse(text, dofs, &count, NULL), MAREY_OK);
    assert_int_equal(marey_clip_signal(clip, dofs, values, NULL), MAREY_OK);
    return values;
}

/* ---- what can be drawn -------------------------------------------------------------------------- */

static const json_t *find_dof(const json_t *table, const char *name)
{
    for (size_t i = 0; i < size_of(table, "dofs"); i++) {
        if (strcmp(word(item(table, "dofs", i), "dof"), name) == 0) return item(table, "dofs", i);
    }
    fail_msg("no %s", name);
    return NULL;
}

TEST(degrees_of_freedom_are_those_of_the_clips)
{
    static const char *const names[] = { "walk_straight", "walk_left", "turns", "short_walk",
                                         "short_left" };
    graph_bench *all = *state;
    json_t *got = api_json(&all->b, api_dofs, 0, NULL, NULL, 200);
    const json_t *knee = find_dof(got, "LeftLeg.Xrotation");
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        marey_clip *clip = load(all, names[i]);
        double *values = signal_of(clip, "LeftLeg.Xrotation");
        for (int f = 0; f < marey_clip_frames(clip); f++) {
            if (values[f] < low) low = values[f];
            if (values[f] > high) high = values[f];
        }
        free(values);
        marey_clip_free(clip);
    }
    assert_int_equal(number(got, "clips"), 6);
    assert_int_equal(number(knee, "clips"), 5);
    assert_string_equal(word(knee, "role"), "left_knee");
    assert_string_equal(word(knee, "unit"), "deg");
    assert_true(number(knee, "low") == low && number(knee, "high") == high);
    assert_int_equal(number(find_dof(got, "Slide.Xposition"), "clips"), 1);
    assert_string_equal(word(find_dof(got, "Slide.Xposition"), "unit"), "cm");
    assert_int_equal(number(find_dof(got, "Hips.Yposition"), "clips"), 6);
    assert_int_equal(size_of(got, "defaults"), 4);
    assert_string_equal(word(got, "default"),
                        json_string_value(json_array_get(json_object_get(got, "defaults"), 0)));
    assert_string_equal(word(find_dof(got, word(got, "default")), "role"), "left_hip");
    /* The second time it is only remembered. */
    json_t *again = api_json(&all->b, api_dofs, 0, NULL, NULL, 200);
    assert_true(json_equal(got, again));
    json_decref(again);
    json_decref(got);
}

TEST(the_curves_of_a_clip_are_as_they_are_compared)
{
    graph_bench *all = *state;
    marey_clip *clip = load(all, "walk_left");
    double *knee = signal_of(clip, "LeftLeg.Xrotation"), *hips = signal_of(clip, "hips.Zposition");
    studio_response got = api_ask(&all->b, api_signals, all->left,
                                  "of=LeftLeg.xrotation,hips.Zposition&start=100&end=180", NULL);
    assert_int_equal(got.status, 200);
    assert_int_equal(got.body.count, 2 * 80 * sizeof(float));
    for (int i = 0; i < 80; i++) {
        float values[2];
        memcpy(&values[0], got.body.data + 4 * (size_t)i, 4);
        memcpy(&values[1], got.body.data + 4 * (size_t)(80 + i), 4);
        assert_true(values[0] == (float)knee[100 + i] && values[1] == (float)hips[100 + i]);
    }
    bytes_free(&got.body);
    free(knee);
    free(hips);
    marey_clip_free(clip);
    api_refused(&all->b, api_signals, all->left, "", NULL, 400, "request", "of says");
    api_refused(&all->b, api_signals, all->left, "of=LeftLegg.Xrotation", NULL, 400, "request",
                "LeftLeg");
    api_refused(&all->b, api_signals, all->left, "of=LeftLeg", NULL, 400, "request", "LeftLeg");
    api_refused(&all->b, api_signals, all->left, "of=LeftLeg.Xrotation&end=99999", NULL, 400,
                "request", "start and end");
    api_refused(&all->b, api_signals, 99999, "of=LeftLeg.Xrotation", NULL, 404, "input", "99999");
}

/* ---- what is found ------------------------------------------------------------------------------ */

/* Only what is listed of it. */
static json_t *found_for(graph_bench *all, const char *body)
{
    return api_json(&all->b, do_example, 0, "list=1", graph_text(all, body), 200);
}

static void as_the_program(graph_bench *all, const char *body, const char *line)
{
    static const char *const keys[] = { "query",      "dofs", "fragments", "paths", "clips",
                                        "clip_count", "k",    "noise",     NULL };
    static const char *const searched_keys[] = { "clips", "left_out", "fragments", NULL };
    char text[512];
    snprintf(text, sizeof text, "{%s}", body);
    json_t *got = found_for(all, text);
    snprintf(text, sizeof text, "%s --json", line);
    json_t *said = program_json(text);
    assert_true(size_of(got, "fragments") > 2 && size_of(got, "paths") > 0);
    same_values(got, said, keys);
    same_values(json_object_get(got, "searched"), json_object_get(said, "searched"), searched_keys);
    json_decref(said);
    json_decref(got);
}

TEST(what_is_found_is_what_the_program_finds)
{
    graph_bench *all = *state;
    as_the_program(all, STEPS, STEPS_LINE);
    as_the_program(all, STEPS ", 'k': 7, 'best': 12, 'noise': 3.5",
                   STEPS_LINE " --k 7 --best 12 --noise 3.5");
    as_the_program(all, STEPS ", 'noise': 0, 'shape': true", STEPS_LINE " --noise 0 --shape");
    as_the_program(all, STEPS ", 'label': 'few'", STEPS_LINE " --label few");
    as_the_program(all, STEPS ", 'others': true", STEPS_LINE " --others");
    as_the_program(all, STEPS ", 'in': [$left]", STEPS_LINE " --in short_left");
    as_the_program(all, STEPS ", 'whole': true, 'plain': true", STEPS_LINE " --whole --plain");
    as_the_program(all, "'dof': ['Hips.Yposition'], 'query': $walk",
                   "marey example lib.marey short_walk --dof Hips.Yposition");
    as_the_program(all, "'query': $walk", "marey example lib.marey short_walk");
}

/* A curve as its points: the body of a query, to be freed. */
static char *drawn(const char *dofs, double *const *rows, int row_count, int start, int count)
{
    size_t room = (size_t)(row_count * count) * 32 + 512, used;
    char *text = malloc(room);
    used = (size_t)snprintf(text, room, "{%s, 'curve': {'fps': 60, 'values': [", dofs);
    for (int r = 0; r < row_count; r++) {
        used += (size_t)snprintf(text + used, room - used, r ? ", " : "");
        if (!rows[r]) used += (size_t)snprintf(text + used, room - used, "null");
        for (int i = 0; rows[r] && i < count; i++)
            used += (size_t)snprintf(text + used, room - used, "%c%.17g", i ? ',' : '[',
                                     rows[r][start + i]);
        used += (size_t)snprintf(text + used, room - used, rows[r] ? "]" : "");
    }
    snprintf(text + used, room - used, "]}}");
    return text;
}

static void same_paths(const json_t *a, const json_t *b)
{
    assert_int_equal(size_of(a, "paths"), size_of(b, "paths"));
    assert_true(size_of(a, "paths") > 0);
    assert_true(same_json(json_object_get(a, "paths"), json_object_get(b, "paths")));
    assert_true(same_json(json_object_get(a, "clips"), json_object_get(b, "clips")));
}

TEST(a_drawn_curve_finds_what_the_clip_finds_that_moves_so)
{
    graph_bench *all = *state;
    marey_clip *clip = load(all, "short_walk");
    double *rows[] = { signal_of(clip, "LeftLeg.Xrotation"),
                       signal_of(clip, "RightLeg.Xrotation") };
    char *body = drawn(KNEES, rows, 2, 20, 200);
    assert_true(marey_clip_fps(clip) == 60);
    json_t *one = found_for(all, "{" STEPS "}");
    json_t *other = found_for(all, body);
    same_paths(one, other);
    assert_int_equal(number(json_object_get(other, "query"), "samples"), 200);
    for (size_t i = 0; i < size_of(one, "fragments"); i++)
        assert_true(fabs(number(item(one, "fragments", i), "start") - 20 -
                         number(item(other, "fragments", i), "start")) < 1e-9);
    json_decref(one);
    json_decref(other);
    free(body);
    /* A row that is not asked for does not count. */
    body = drawn(KNEES, (double *[2]){ rows[0], NULL }, 2, 20, 200);
    one = found_for(
        all, "{'dof': ['LeftLeg.Xrotation'], 'query': {'clip': $walk, 'start': 20, 'end': 220}}");
    other = found_for(all, body);
    same_paths(one, other);
    json_decref(one);
    json_decref(other);
    free(body);
    free(rows[0]);
    free(rows[1]);
    marey_clip_free(clip);
}

TEST(only_as_many_clips_are_told_as_were_asked_for)
{
    graph_bench *all = *state;
    json_t *whole = found_for(all, "{" STEPS "}");
    assert_true(size_of(whole, "clips") > 2);
    for (int limit = 0; limit <= 2; limit++) {
        char body[256];
        snprintf(body, sizeof body, "{" STEPS ", 'limit': %d}", limit);
        json_t *got = found_for(all, body);
        assert_int_equal(size_of(got, "clips"), limit);
        assert_true(number(got, "clip_count") == number(whole, "clip_count"));
        json_decref(got);
    }
    json_decref(whole);
}

/* ---- refused ------------------------------------------------------------------------------------ */

TEST(bodies_that_cannot_be_are_refused)
{
    static const struct {
        const char *body, *says;
    } rows[] = {
        { "{}", "query must be" },
        { "{" KNEES "}", "query must be" },
        { "{'dof': 'LeftLeg.Xrotation', 'query': $walk}", "dof must be" },
        { "{'dof': [7], 'query': $walk}", "dof must be" },
        { "{'dof': ['LeftLeg.Xrotation,RightLeg.Xrotation'], 'query': $walk}", "one joint" },
        { "{'dof': ['LeftLeg.Wrotation'], 'query': $walk}", "Wrotation" },
        { "{'dof': [''], 'query': $walk}", "dof must be" },
        { "{" KNEES ", 'query': $walk, 'curve': {'fps': 30, 'values': [[0, 1], [0, 1]]}}",
          "one of these" },
        { "{" KNEES ", 'query': true}", "query must be" },
        { "{" KNEES ", 'query': {'clip': $walk, 'start': -1, 'end': 9}}", "query must be" },
        { "{" KNEES ", 'query': {'clip': $walk, 'start': 50, 'end': 20}}", "frame" },
        { "{" KNEES ", 'query': {'clip': $walk, 'start': 0, 'end': 99999}}", "frame" },
        { "{" KNEES ", 'query': {'clip': $walk, 'start': 0, 'end': 1}}", "one frame" },
        { "{" KNEES ", 'curve': {'values': [[0, 1], [0, 1]]}}", "fps" },
        { "{" KNEES ", 'curve': {'fps': 0, 'values': [[0, 1], [0, 1]]}}", "fps" },
        { "{" KNEES ", 'curve': {'fps': 30, 'values': [[0, 1]]}}", "row" },
        { "{" KNEES ", 'curve': {'fps': 30, 'values': [null, [0, 1]]}}", "row" },
        { "{" KNEES ", 'curve': {'fps': 30, 'values': [[0], [0]]}}", "2 to" },
        { "{" KNEES ", 'curve': {'fps': 30, 'values': [[0, 1], [0]]}}", "length" },
        { "{" KNEES ", 'curve': {'fps': 30, 'values': [[0, 'x'], [0, 1]]}}", "numbers" },
        { "{" KNEES ", 'curve': {'fps': 30, 'values': [[0, 1e300], [0, 1]]}}", "numbers" },
        { "{" KNEES ", 'curve': {'fps': 30, 'values': [[0, null], [0, 1]]}}", "numbers" },
        { "{" KNEES ", 'curve': {'fps': 30, 'values': 5}}", "values" },
        { "{" KNEES ", 'curve': 5}", "curve must be" },
        { "{" KNEES ", 'curve': {'fps': 30, 'start': 0, 'values': [[0, 9], [0, 1]]}}", "curve" },
        { "{" KNEES ", 'curve': {'fps': 30, 'values': [[5, 5, 5], [0, 1, 2]]}}", "never moves" },
        { "{" KNEES ", 'others': true, 'curve': {'fps': 30, 'values': [[0, 9], [0, 1]]}}",
          "others" },
        { "{" STEPS ", 'in': [$walk], 'others': true}", "look in" },
        { "{" STEPS ", 'k': 0}", "k must" },
        { "{" STEPS ", 'k': 65}", "k must" },
        { "{" STEPS ", 'best': 101}", "best" },
        { "{" STEPS ", 'noise': -1}", "noise" },
        { "{" STEPS ", 'shape': 1}", "shape" },
        { "{" STEPS ", 'in': []}", "in must" },
        { "{" STEPS ", 'label': 'nothing'}", "nothing" },
        { "{" STEPS ", 'limit': 1001}", "limit" },
        { "{" STEPS ", 'path': -1}", "path" },
        { "{" STEPS ", 'colour': 1}", "colour" },
        { "{'dof': ['Slide.Xposition'], 'query': $walk}", "Slide" },
    };
    graph_bench *all = *state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        api_refused(&all->b, do_example, 0, "list=1", graph_text(all, rows[i].body), 400, "request",
                    rows[i].says);
    }
    api_refused(&all->b, do_example, 0, "list=1", "[]", 400, "request", "object");
    /* No clip has all: the message names those there are. */
    api_refused(
        &all->b, do_example, 0, "list=1",
        graph_text(all, "{'dof': ['Tail.Xrotation'], 'curve': {'fps': 30, 'values': [[0, 9, 0]]}}"),
        400, "request", "Tail");
    api_refused(&all->b, do_example, 0, NULL,
                graph_text(all, "{" STEPS ", 'path': 1, 'of': $left}"), 400, "request",
                "one of these");
    api_refused(&all->b, do_example, 0, NULL,
                graph_text(all, "{" STEPS ", 'name': 'x', 'output': 'x.bvh'}"), 400, "request",
                "exclude");
    api_refused(&all->b, do_example, 0, NULL, graph_text(all, "{" STEPS ", 'output': 'x.mp4'}"),
                400, "request", "output");
    api_refused(&all->b, do_example, 0, NULL, graph_text(all, "{" STEPS ", 'best': 2, 'path': 2}"),
                400, "request", "2 paths");
    api_refused(&all->b, do_example, 0, NULL,
                graph_text(all, "{" STEPS ", 'in': [$walk], 'of': $left}"), 400, "request",
                "path of its own");
}

TEST(a_curve_has_at_most_so_many_points)
{
    enum { MOST = 4096 };
    graph_bench *all = *state;
    for (int more = 0; more <= 1; more++) {
        char *body = malloc(MOST * 4 + 256), *at = body;
        at += sprintf(
            at, "{\"dof\": [\"LeftLeg.Xrotation\"], \"curve\": {\"fps\": 1000, \"values\": [[0");
        for (int i = 1; i < MOST + more; i++)
            at += sprintf(at, ",%d", i / 64 % 2 ? 63 - i % 64 : i % 64);
        sprintf(at, "]]}}");
        if (more)
            api_refused(&all->b, do_example, 0, "list=1", body, 400, "request", "4096");
        else
            json_decref(api_json(&all->b, do_example, 0, "list=1", body, 200));
        free(body);
    }
}

TEST(a_query_has_at_most_so_many_frames)
{
    graph_bench *all = *state;
    char body[256];
    write_person("long.bvh", LIMIT_EXAMPLE_FRAMES + 1);
    bench_program("marey add lib.marey long.bvh");
    int64_t id = bench_id(&all->b, "long");
    snprintf(body, sizeof body,
             "{\"dof\": [\"Hips.Xposition\"], \"in\": [%" PRId64 "], \"query\": %" PRId64 "}",
             all->short_walk, id);
    api_refused(&all->b, do_example, 0, "list=1", body, 413, "limit", "16384");
    made_removed(all, "long");
}

static double searched(const json_t *found)
{
    const json_t *of = json_object_get(found, "searched");
    return number(of, "clips") + number(of, "left_out");
}

TEST(clips_that_are_gone_are_not_found)
{
    graph_bench *all = *state;
    bench_program("marey cut lib.marey walk_left#500-700 lost");
    char body[256];
    int64_t id = bench_id(&all->b, "lost");
    json_t *got = found_for(all, "{" STEPS "}");
    assert_int_equal(searched(got), 7);
    json_decref(got);
    bench_program("marey rm lib.marey lost");
    got = found_for(all, "{" STEPS "}"); /* what was open is that no more */
    assert_int_equal(searched(got), 6);
    json_decref(got);
    snprintf(body, sizeof body, "{" KNEES ", 'query': %" PRId64 "}", id);
    api_refused(&all->b, do_example, 0, "list=1", graph_text(all, body), 404, "input", "lost");
    snprintf(body, sizeof body, "{" STEPS ", 'in': [%" PRId64 "]}", id);
    api_refused(&all->b, do_example, 0, "list=1", graph_text(all, body), 404, "input", "removed");
    api_refused(&all->b, do_example, 0, "list=1", graph_text(all, "{" STEPS ", 'in': [99999]}"),
                404, "input", "99999");
    bench_program("marey rm lib.marey lost --purge");
}

/* ---- kept open ---------------------------------------------------------------------------------- */

static double opened_s(graph_bench *all, const char *dof)
{
    char body[256];
    snprintf(body, sizeof body, "{'dof': ['%s'], 'query': $walk}", dof);
    json_t *got = found_for(all, body);
    double seconds = number(json_object_get(got, "searched"), "opening_s");
    json_decref(got);
    return seconds;
}

TEST(a_set_is_opened_once)
{
    static const char *const dofs[] = { "LeftLeg.Xrotation",   "RightLeg.Xrotation",
                                        "LeftUpLeg.Xrotation", "RightUpLeg.Xrotation",
                                        "LeftArm.Xrotation",   "RightArm.Xrotation" };
    graph_bench *all = *state;
    example_store *store = all->b.of.searching->examples;
    searching_make_room(all->b.of.searching);
    assert_int_equal(example_store_count(store), 0);
    for (int i = 0; i < 6; i++) {
        assert_true(opened_s(all, dofs[i]) > 0);
        assert_true(opened_s(all, dofs[i]) == 0);
        assert_int_equal(example_store_count(store), i < 4 ? i + 1 : 4);
    }
    for (int i = 2; i < 6; i++) assert_true(opened_s(all, dofs[i]) == 0);
    assert_true(opened_s(all, dofs[0]) > 0); /* was used longest ago, and went */
    assert_true(opened_s(all, dofs[2]) > 0); /* .. as this one did for it */
    assert_true(opened_s(all, dofs[5]) == 0);
    /* The same by another name, or of other clips, is another. */
    json_t *got = found_for(all, "{'dof': ['RightArm.Xrotation'], 'query': $walk, 'noise': 3}");
    assert_true(number(json_object_get(got, "searched"), "opening_s") > 0);
    json_decref(got);
    /* What is open is of the library as it is now. */
    bench_program("marey label lib.marey short_walk --add seen");
    assert_true(opened_s(all, dofs[5]) > 0);
    assert_int_equal(example_store_count(store), 1);
    bench_program("marey label lib.marey short_walk --drop seen");
}

typedef struct asking {
    graph_bench *all;
    studio_worker by;
    int seed;
    char body[256];
    double error;
} asking;

static void *ask_often(void *user)
{
    asking *me = user;
    for (int i = 0; i < 12; i++) {
        studio_request what = { .body = (const uint8_t *)me->body, .body_count = strlen(me->body) };
        char list[] = "list=1";
        assert_true(query_parse(&what, list));
        studio_response to = { .tag = "", .body = { .memory = &me->all->b.of.memory } };
        do_example(&me->by, &what, &to);
        json_t *got = to.status == 200
                          ? json_loadb((const char *)to.body.data, to.body.count, 0, NULL)
                          : NULL;
        double error = json_number_value(json_object_get(item(got, "paths", 0), "error"));
        if (i == 0) me->error = error;
        if (error != me->error || error <= 0) me->error = -1;
        json_decref(got);
        bytes_free(&to.body);
        if (i % 4 == me->seed) searching_make_room(me->all->b.of.searching);
    }
    return NULL;
}

/* All share the sets, while others let go of them. */
TEST(many_can_draw_at_once)
{
    static const char *const dofs[] = { "LeftLeg", "RightLeg", "LeftLeg", "LeftArm" };
    graph_bench *all = *state;
    asking who[4];
    pthread_t threads[4];
    for (int i = 0; i < 4; i++) {
        who[i] = (asking){ .all = all, .seed = i };
        snprintf(who[i].body, sizeof who[i].body,
                 "{\"dof\": [\"%s.Xrotation\"], \"curve\": {\"fps\": 30, \"values\": [[0, 20, 45, "
                 "30, 5, 8, "
                 "33]]}}",
                 dofs[i]);
        assert_int_equal(worker_open(&who[i].by, &all->b.of, 1, NULL, NULL), MAREY_OK);
    }
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, ask_often, &who[i]), 0);
    for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
    for (int i = 0; i < 4; i++) {
        assert_true(who[i].error > 0);
        worker_close(&who[i].by);
    }
    assert_true(who[0].error == who[2].error && who[0].error != who[1].error);
}

/* ---- made --------------------------------------------------------------------------------------- */

static void made_as_the_program(graph_bench *all, const char *where, const char *body,
                                const char *options)
{
    static const char *const keys[] = { "jump_ratio", "slide_after_cm", NULL };
    static int made;
    char line[1024], text[1024], one[16], other[16];
    snprintf(one, sizeof one, "api%d", ++made);
    snprintf(other, sizeof other, "cli%d", made);
    snprintf(text, sizeof text, "{" STEPS ", 'name': '%s', %s%s}", one, where, body);
    snprintf(line, sizeof line, STEPS_LINE " %s -o lib.marey:%s --json", options, other);
    json_t *got = graph_json(all, do_example, text, 200), *said = program_json(line);
    assert_string_equal(word(got, "name"), one);
    assert_int_equal(number(got, "id"), bench_id(&all->b, one));
    same_values(got, said, keys);
    made_pieces_fit(got);
    made_same(all, one, other);
    made_removed(all, one);
    made_removed(all, other);
    json_decref(said);
    json_decref(got);
}

TEST(what_is_made_is_what_the_program_makes)
{
    graph_bench *all = *state;
    made_as_the_program(all, "'in': [$left]", "", "--in short_left");
    made_as_the_program(all, "'in': [$left]", ", 'k': 5, 'noise': 2, 'leave_feet': true",
                        "--in short_left --k 5 --noise 2 --leave-feet");
    made_as_the_program(all, "'in': [$left]", ", 'shape': true, 'rough': true",
                        "--in short_left --shape --rough");
    made_as_the_program(all, "'of': $left", "", "--in short_left");
}

/* Frames behind the hole are counted as in the clip, everywhere. */
TEST(a_clip_with_a_hole_counts_its_own_frames)
{
    graph_bench *all = *state;
    char where[64], body[256];
    int64_t id = made_holed(all);
    snprintf(where, sizeof where, "'in': [%" PRId64 "]", id);
    snprintf(body, sizeof body, STEPS ", %s", where);
    as_the_program(all, body, STEPS_LINE " --in holed");
    made_as_the_program(all, where, "", "--in holed");
    snprintf(body, sizeof body,
             "{" KNEES ", 'query': {'clip': %" PRId64 ", 'start': 320, 'end': 520}, %s}", id,
             where);
    made_bytes got = made_ask(all, do_example, body); /* its own: nothing jumps */
    assert_true(number(item(got.said, "pieces", 0), "start") >= 305);
    made_free(&got);
    made_removed(all, "holed");
}

/* The frames that are made, and those of the parts that they are made of. */
TEST(a_path_is_made_at_the_pace_of_the_query_or_its_own)
{
    static const char body[] = "{'dof': ['LeftLeg.Xrotation'], 'in': [$left], 'curve': {'fps': 4, "
                               "'values': [[0, 20, 45, 30, 5, 8, 33, 0]]}";
    graph_bench *all = *state;
    char text[512];
    snprintf(text, sizeof text, "%s}", body);
    json_t *found = found_for(all, text);
    made_bytes got = made_ask(all, do_example, text);
    const json_t *best = item(found, "paths", 0);
    double seconds = 0, frames = 0, most = (double)size_of(found, "fragments");
    for (size_t i = 0; i < size_of(found, "fragments"); i++) {
        const json_t *one = item(found, "fragments", i), *part = item(best, "parts", i);
        seconds += (number(one, "end") - number(one, "start")) / 4;
        frames += number(part, "end") - number(part, "start");
    }
    made_pieces_fit(got.said);
    assert_true(fabs(number(got.said, "frames") - 60 * seconds) <= most);
    assert_true(same_json(json_object_get(got.said, "error"), json_object_get(best, "error")));
    assert_int_equal(number(got.said, "jumps"), number(best, "jumps"));
    made_free(&got);
    snprintf(text, sizeof text, "%s, 'own_pace': true}", body);
    got = made_ask(all, do_example, text);
    made_pieces_fit(got.said);
    assert_true(fabs(number(got.said, "frames") - frames) <= most);
    assert_true(fabs(60 * seconds - frames) > 2 * most); /* else this shows nothing */
    made_free(&got);
    json_decref(found);
}

TEST(any_path_and_any_clip_can_be_made)
{
    graph_bench *all = *state;
    json_t *found = found_for(all, "{" STEPS ", 'best': 4}");
    for (int i = 0; i < 4; i++) {
        char body[256];
        snprintf(body, sizeof body, "{" STEPS ", 'best': 4, 'path': %d}", i);
        made_bytes got = made_ask(all, do_example, body);
        const json_t *path = item(found, "paths", (size_t)i);
        assert_true(same_json(json_object_get(got.said, "error"), json_object_get(path, "error")));
        made_free(&got);
    }
    const json_t *own = item(found, "clips", 1);
    char body[256];
    snprintf(body, sizeof body, "{" STEPS ", 'of': %.0f}", number(own, "id"));
    made_bytes got = made_ask(all, do_example, body);
    for (size_t i = 0; i < size_of(got.said, "pieces"); i++)
        assert_true(number(item(got.said, "pieces", i), "id") == number(own, "id"));
    assert_true(same_json(json_object_get(got.said, "error"), json_object_get(own, "error")));
    made_free(&got);
    json_decref(found);
}

TEST(what_is_made_can_be_had_as_a_file)
{
    graph_bench *all = *state;
    json_t *result =
        graph_done(all, do_example, "{" STEPS ", 'in': [$left], 'output': 'example.bvh'}");
    bench_program(STEPS_LINE " --in short_left -o made.bvh --quiet");
    assert_string_equal(word(result, "name"), "example.bvh");
    studio_response file =
        api_ask(&all->b, api_job_file, (int64_t)number(result, "job"), NULL, NULL);
    size_t count = 0;
    char *bytes_made = test_file_read("made.bvh", &count);
    assert_int_equal(file.status, 200);
    const studio_bytes *content = file.lent ? &file.lent->content : &file.body;
    assert_int_equal(content->count, count);
    assert_memory_equal(content->data, bytes_made, count);
    free(bytes_made);
    answer_clear(&file);
    json_decref(result);
}

/* ---- read-only, without memory ------------------------------------------------------------------ */

TEST(refused_memory_is_told)
{
    graph_bench *all = *state;
    searching_make_room(all->b.of.searching);
    studio_response to = api_starve(&all->b, api_dofs, 0, NULL, NULL);
    json_decref(answer_take_json(&to, 200));
    to = api_starve(&all->b, api_signals, all->short_walk, "of=LeftLeg.Xrotation", NULL);
    assert_int_equal(to.status, 200);
    bytes_free(&to.body);
    searching_make_room(all->b.of.searching);
    const char *body = graph_text(all, "{" STEPS ", 'in': [$walk, $left]}");
    to = api_starve(&all->b, do_example, 0, "list=1", body);
    json_decref(answer_take_json(&to, 200));
    searching_make_room(all->b.of.searching);
    to = api_starve(&all->b, do_example, 0, NULL, body);
    assert_int_equal(to.status, 200);
    bytes_free(&to.body);
}

TEST_GROUP_OF_CASES(test_studio_example, graph_bench_open, graph_bench_close)
