/* test_studio_example.c - sketches in the studio: what can be drawn, what is found for it, and what
   is made of that, as the program and the library do. */
#include "graph_bench.h"

#include "example_store.h"
#include "searching_inside.h"

#include <pthread.h>

#define KNEES "'dof': ['LeftLeg.Xrotation', 'RightLeg.Xrotation']"
#define STEPS KNEES ", 'query': {'clip': $walk, 'start': 20, 'end': 220}"
#define STEPS_LINE "example lib.marey walk#20-220 --dof LeftLeg.Xrotation,RightLeg.Xrotation"

static double *signal_of(const marey_clip *clip, const char *text)
{
    marey_dof dofs[MAREY_MOST_DOFS];
    int count;
    double *values = malloc((size_t)marey_clip_frames(clip) * sizeof *values);
    assert_int_equal(marey_dofs_parse(text, dofs, &count, NULL), MAREY_OK);
    assert_int_equal(marey_clip_signal(clip, dofs, values, NULL), MAREY_OK);
    return values;
}

/* ---- what can be drawn ----------------------------------------------------------------------- */

static const json_t *find_dof(const json_t *table, const char *name)
{
    for (size_t i = 0; i < size_of(table, "dofs"); i++) {
        if (strcmp(word(item(table, "dofs", i), "dof"), name) == 0) return item(table, "dofs", i);
    }
    fail_msg("no %s", name);
    return NULL;
}

TEST_OF(api_bench *b, degrees_of_freedom_are_those_of_the_clips)
{
    static const char *const names[] = { "walk_straight", "walk_left", "turns", "walk", "left" };
    const json_t *got = ask(b, api_dofs, "/");
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        OWNED(marey_clip) *clip = bench_load(b, names[i]);
        FREED double *values = signal_of(clip, "LeftLeg.Xrotation");
        for (int f = 0; f < marey_clip_frames(clip); f++) {
            low = fmin(low, values[f]);
            high = fmax(high, values[f]);
        }
    }
    assert_int_equal(number(got, "clips"), 6);
    expect(find_dof(got, "LeftLeg.Xrotation"),
           "{'clips': 5, 'role': 'left_knee', 'unit': 'deg', 'low': %.17g, 'high': %.17g}", low,
           high);
    expect(find_dof(got, "Slide.Xposition"), "{'clips': 1, 'unit': 'cm'}");
    assert_int_equal(number(find_dof(got, "Hips.Yposition"), "clips"), 6);
    assert_int_equal(size_of(got, "defaults"), 4);
    assert_string_equal(word(got, "default"), json_string_value(item(got, "defaults", 0)));
    assert_string_equal(word(find_dof(got, word(got, "default")), "role"), "left_hip");
    /* The second time it is only remembered. */
    assert_true(json_equal(got, ask(b, api_dofs, "/")));
}

TEST_OF(api_bench *b, the_curves_of_a_clip_are_as_they_are_compared)
{
    OWNED(marey_clip) *clip = bench_load(b, "walk_left");
    FREED double *knee = signal_of(clip, "LeftLeg.Xrotation");
    FREED double *hips = signal_of(clip, "hips.Zposition");
    OWNED(studio_response) got = api_ask(
        b, api_signals, "/$walk_left?of=LeftLeg.xrotation,hips.Zposition&start=100&end=180");
    assert_int_equal(got.status, 200);
    assert_int_equal(got.body.count, 2 * 80 * sizeof(float));
    for (int i = 0; i < 80; i++) {
        float values[2];
        memcpy(&values[0], got.body.data + 4 * (size_t)i, 4);
        memcpy(&values[1], got.body.data + 4 * (size_t)(80 + i), 4);
        assert_true(values[0] == (float)knee[100 + i] && values[1] == (float)hips[100 + i]);
    }
    static const api_refusal rows[] = {
        { "/$walk_left", "of says" },
        { "/$walk_left?of=LeftLegg.Xrotation", "LeftLeg" },
        { "/$walk_left?of=LeftLeg", "LeftLeg" },
        { "/$walk_left?of=LeftLeg.Xrotation&end=99999", "start and end" },
    };
    REFUSED(b, 400, "request", api_signals, rows);
    refused(b, 404, "input", "99999", api_signals, "/99999?of=LeftLeg.Xrotation");
}

/* ---- what is found --------------------------------------------------------------------------- */

/* Only what is listed of it. */
static json_t *found_for(api_bench *b, const char *fields)
{
    return ask(b, do_example, "?list=1 {%s}", fields);
}

static void as_the_program(api_bench *b, const char *fields, const char *line)
{
    const json_t *got = found_for(b, fields), *said = program_json("marey %s --json", line);
    assert_true(size_of(got, "fragments") > 2 && size_of(got, "paths") > 0);
    same_values(got, said, "query dofs fragments paths clips clip_count k noise");
    same_values(json_object_get(got, "searched"), json_object_get(said, "searched"),
                "clips left_out fragments");
}

TEST_OF(api_bench *b, what_is_found_is_what_the_program_finds)
{
    as_the_program(b, STEPS ", 'k': 7, 'best': 12, 'noise': 3.5, 'others': true",
                   STEPS_LINE " --k 7 --best 12 --noise 3.5 --others");
    as_the_program(b, STEPS ", 'noise': 0, 'shape': true, 'label': 'few'",
                   STEPS_LINE " --noise 0 --shape --label few");
    as_the_program(b, STEPS ", 'whole': true, 'plain': true, 'in': [$left]",
                   STEPS_LINE " --whole --plain --in left");
    as_the_program(b, "'dof': ['Hips.Yposition'], 'query': $walk",
                   "example lib.marey walk --dof Hips.Yposition");
    as_the_program(b, "'query': $walk", "example lib.marey walk");
}

/* A curve as its points: the body of a query, to be freed. */
static char *drawn(const char *dofs, double *const *rows, int row_count, int start, int count)
{
    size_t room = (size_t)(row_count * count) * 32 + 512, used;
    char *text = malloc(room);
    used = (size_t)snprintf(text, room, "%s, 'curve': {'fps': 60, 'values': [", dofs);
    for (int r = 0; r < row_count; r++) {
        used += (size_t)snprintf(text + used, room - used, r ? ", " : "");
        if (!rows[r]) used += (size_t)snprintf(text + used, room - used, "null");
        for (int i = 0; rows[r] && i < count; i++)
            used += (size_t)snprintf(text + used, room - used, "%c%.17g", i ? ',' : '[',
                                     rows[r][start + i]);
        used += (size_t)snprintf(text + used, room - used, rows[r] ? "]" : "");
    }
    snprintf(text + used, room - used, "]}");
    return text;
}

static void same_paths(const json_t *a, const json_t *b)
{
    assert_true(size_of(a, "paths") > 0);
    same_values(a, b, "paths clips");
}

TEST_OF(api_bench *b, a_drawn_curve_finds_what_the_clip_finds_that_moves_so)
{
    OWNED(marey_clip) *clip = bench_load(b, "walk");
    FREED double *left = signal_of(clip, "LeftLeg.Xrotation");
    FREED double *right = signal_of(clip, "RightLeg.Xrotation");
    FREED char *both = drawn(KNEES, (double *[2]){ left, right }, 2, 20, 200);
    assert_true(marey_clip_fps(clip) == 60);
    const json_t *one = found_for(b, STEPS), *other = found_for(b, both);
    same_paths(one, other);
    expect(other, "{'query': {'samples': 200}}");
    for (size_t i = 0; i < size_of(one, "fragments"); i++)
        test_near(number(item(one, "fragments", i), "start") - 20,
                  number(item(other, "fragments", i), "start"), 1e-9);
    /* A row that is not asked for does not count. */
    FREED char *half = drawn(KNEES, (double *[2]){ left, NULL }, 2, 20, 200);
    same_paths(found_for(b, "'dof': ['LeftLeg.Xrotation'], 'query': {'clip': $walk, 'start': 20, "
                            "'end': 220}"),
               found_for(b, half));
}

TEST_OF(api_bench *b, only_as_many_clips_are_listed_as_were_asked_for)
{
    const json_t *every = found_for(b, STEPS);
    assert_true(size_of(every, "clips") > 2);
    for (int limit = 0; limit <= 2; limit++) {
        const json_t *got = ask(b, do_example, "?list=1 {" STEPS ", 'limit': %d}", limit);
        assert_int_equal(size_of(got, "clips"), limit);
        assert_true(number(got, "clip_count") == number(every, "clip_count"));
    }
}

/* ---- refused --------------------------------------------------------------------------------- */

TEST_OF(api_bench *b, invalid_bodies_are_refused)
{
    static const api_refusal rows[] = {
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
        { "[]", "object" },
        /* No clip has all: the message names those there are. */
        { "{'dof': ['Tail.Xrotation'], 'curve': {'fps': 30, 'values': [[0, 9, 0]]}}", "Tail" },
    };
    static const api_refusal makes[] = {
        { "{" STEPS ", 'path': 1, 'of': $left}", "one of these" },
        { "{" STEPS ", 'name': 'x', 'output': 'x.bvh'}", "exclude" },
        { "{" STEPS ", 'output': 'x.mp4'}", "output" },
        { "{" STEPS ", 'best': 2, 'path': 2}", "2 paths" },
        { "{" STEPS ", 'in': [$walk], 'of': $left}", "path of its own" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        refused(b, 400, "request", rows[i][1], do_example, "?list=1 %s", rows[i][0]);
    REFUSED(b, 400, "request", do_example, makes);
}

TEST_OF(api_bench *b, a_curve_has_at_most_so_many_points)
{
    enum { MOST = 4096 };
    char points[MOST * 4 + 16] = "0", *at = points + 1;
    for (int i = 1; i < MOST; i++) at += sprintf(at, ",%d", i / 64 % 2 ? 63 - i % 64 : i % 64);
#define CURVE "?list=1 {'dof': ['LeftLeg.Xrotation'], 'curve': {'fps': 1000, 'values': [[%s]]}}"
    ask(b, do_example, CURVE, points);
    strcat(points, ",0");
    refused(b, 400, "request", "4096", do_example, CURVE, points);
}

TEST_OF(api_bench *b, a_query_has_at_most_so_many_frames)
{
    write_person("long.bvh", LIMIT_EXAMPLE_FRAMES + 1);
    bench_program("marey add lib.marey long.bvh");
    refused(b, 413, "limit", "16384", do_example,
            "?list=1 {'dof': ['Hips.Xposition'], 'in': [$walk], 'query': $long}");
    made_removed(b, "long");
}

static double searched(const json_t *found)
{
    const json_t *of = json_object_get(found, "searched");
    return number(of, "clips") + number(of, "left_out");
}

TEST_OF(api_bench *b, clips_that_are_gone_are_not_found)
{
    bench_program("marey cut lib.marey walk_left#500-700 lost");
    assert_int_equal(searched(found_for(b, STEPS)), 7);
    bench_program("marey rm lib.marey lost");
    assert_int_equal(searched(found_for(b, STEPS)), 6); /* what was open is that no more */
    refused(b, 404, "input", "lost", do_example, "?list=1 {" KNEES ", 'query': $lost}");
    refused(b, 404, "input", "removed", do_example, "?list=1 {" STEPS ", 'in': [$lost]}");
    refused(b, 404, "input", "99999", do_example, "?list=1 {" STEPS ", 'in': [99999]}");
    bench_program("marey rm lib.marey lost --purge");
}

/* ---- kept open ------------------------------------------------------------------------------- */

static double opened_s(api_bench *b, const char *dof, const char *more)
{
    const json_t *got =
        ask(b, do_example, "?list=1 {'dof': ['%s.Xrotation'], 'query': $walk%s}", dof, more);
    return number(json_object_get(got, "searched"), "opening_s");
}

TEST_OF(api_bench *b, a_set_is_opened_once)
{
    static const char *const dofs[] = { "LeftLeg",    "RightLeg", "LeftUpLeg",
                                        "RightUpLeg", "LeftArm",  "RightArm" };
    example_store *store = b->of.searching->examples;
    searching_make_room(b->of.searching);
    assert_int_equal(example_store_count(store), 0);
    for (int i = 0; i < 6; i++) {
        assert_true(opened_s(b, dofs[i], "") > 0);
        assert_true(opened_s(b, dofs[i], "") == 0);
        assert_int_equal(example_store_count(store), i < 4 ? i + 1 : 4);
    }
    for (int i = 2; i < 6; i++) assert_true(opened_s(b, dofs[i], "") == 0);
    assert_true(opened_s(b, dofs[0], "") > 0); /* was used longest ago, and went */
    assert_true(opened_s(b, dofs[2], "") > 0); /* .. as this one did for it */
    assert_true(opened_s(b, dofs[5], "") == 0);
    /* The same by another name, or of other clips, is another. */
    assert_true(opened_s(b, dofs[5], ", 'noise': 3") > 0);
    /* What is open is of the library as it is now. */
    bench_program("marey label lib.marey walk --add seen");
    assert_true(opened_s(b, dofs[5], "") > 0);
    assert_int_equal(example_store_count(store), 1);
    bench_program("marey label lib.marey walk --drop seen");
}

typedef struct asking {
    studio_worker by;
    int seed;
    char text[256];
    double error;
} asking;

static void *ask_often(void *user)
{
    asking *me = user;
    for (int i = 0; i < 12; i++) {
        OWNED(studio_response) response = api_ask_text(&me->by, do_example, me->text);
        json_t *got = json_loadb((char *)response.body.data, response.body.count, 0, NULL);
        double error = json_number_value(json_object_get(item(got, "paths", 0), "error"));
        if (i == 0) me->error = error;
        if (response.status != 200 || error != me->error || error <= 0) me->error = -1;
        json_decref(got);
        if (i % 4 == me->seed) searching_make_room(me->by.of->searching);
    }
    return NULL;
}

/* All share the sets, while others let go of them. */
TEST_OF(api_bench *b, many_can_draw_at_once)
{
    static const char *const dofs[] = { "LeftLeg", "RightLeg", "LeftLeg", "LeftArm" };
    asking who[4];
    pthread_t threads[4];
    for (int i = 0; i < 4; i++) {
        who[i] = (asking){ .seed = i };
        snprintf(who[i].text, sizeof who[i].text,
                 "?list=1 {'dof': ['%s.Xrotation'], 'curve': {'fps': 30, 'values': [[0, 20, 45, "
                 "30, 5, 8, 33]]}}",
                 dofs[i]);
        json_quote(who[i].text);
        assert_int_equal(worker_open(&who[i].by, &b->of, 1, NULL, NULL), MAREY_OK);
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

/* ---- made ------------------------------------------------------------------------------------ */

static void makes_as_the_program(api_bench *b, const char *fields, const char *options)
{
    static const char *const begin[] = { STEPS, STEPS_LINE };
    json_t *said;
    made_pieces_fit(made_as_the_program(b, do_example, begin, fields, options,
                                        "jump_ratio slide_after_cm", &said));
}

TEST_OF(api_bench *b, generated_motion_is_that_of_the_program)
{
    makes_as_the_program(b, "'in': [$left]", "--in left");
    makes_as_the_program(b, "'in': [$left], 'k': 5, 'noise': 2, 'leave_feet': true",
                         "--in left --k 5 --noise 2 --leave-feet");
    makes_as_the_program(b, "'in': [$left], 'shape': true, 'rough': true",
                         "--in left --shape --rough");
    makes_as_the_program(b, "'of': $left", "--in left");
}

/* Frames behind the hole are counted as in the clip, everywhere. */
TEST_OF(api_bench *b, a_clip_with_a_hole_counts_its_own_frames)
{
    put_holed(b);
    as_the_program(b, STEPS ", 'in': [$holed]", STEPS_LINE " --in holed");
    makes_as_the_program(b, "'in': [$holed]", "--in holed");
    OWNED(made_read) got = read_made(
        b, do_example,
        "{" KNEES ", 'query': {'clip': $holed, 'start': 320, 'end': 520}, 'in': [$holed]}");
    assert_true(number(item(got.said, "pieces", 0), "start") >= 305); /* its own: nothing jumps */
    made_removed(b, "holed");
}

/* The frames that are made, and those of the parts that they are made of. */
TEST_OF(api_bench *b, a_path_is_made_at_the_pace_of_the_query_or_its_own)
{
    static const char fields[] = "'dof': ['LeftLeg.Xrotation'], 'in': [$left], 'curve': {'fps': 4, "
                                 "'values': [[0, 20, 45, 30, 5, 8, 33, 0]]}";
    const json_t *found = found_for(b, fields), *best = item(found, "paths", 0);
    OWNED(made_read) got = read_made(b, do_example, "{%s}", fields);
    double seconds = 0, frames = 0, most = (double)size_of(found, "fragments");
    for (size_t i = 0; i < size_of(found, "fragments"); i++) {
        const json_t *one = item(found, "fragments", i), *part = item(best, "parts", i);
        seconds += (number(one, "end") - number(one, "start")) / 4;
        frames += number(part, "end") - number(part, "start");
    }
    made_pieces_fit(got.said);
    test_near(number(got.said, "frames"), 60 * seconds, most);
    same_values(got.said, best, "error jumps");
    OWNED(made_read) own = read_made(b, do_example, "{%s, 'own_pace': true}", fields);
    made_pieces_fit(own.said);
    test_near(number(own.said, "frames"), frames, most);
    assert_true(fabs(60 * seconds - frames) > 2 * most); /* else this shows nothing */
}

TEST_OF(api_bench *b, any_path_and_any_clip_can_be_made)
{
    static const char keys[] = "error";
    const json_t *found = found_for(b, STEPS ", 'best': 4"), *own = item(found, "clips", 1);
    for (int i = 0; i < 4; i++) {
        OWNED(made_read) got = read_made(b, do_example, "{" STEPS ", 'best': 4, 'path': %d}", i);
        same_values(got.said, item(found, "paths", (size_t)i), keys);
    }
    OWNED(made_read) got = read_made(b, do_example, "{" STEPS ", 'of': %g}", number(own, "id"));
    for (size_t i = 0; i < size_of(got.said, "pieces"); i++)
        assert_true(number(item(got.said, "pieces", i), "id") == number(own, "id"));
    same_values(got.said, own, keys);
}

TEST_OF(api_bench *b, generated_motion_can_be_had_as_a_file)
{
    const json_t *result =
        ask_job(b, do_example, "{" STEPS ", 'in': [$left], 'output': 'example.bvh'}");
    bench_program("marey " STEPS_LINE " --in left -o made.bvh --quiet");
    assert_string_equal(word(result, "name"), "example.bvh");
    same_export(b, result, "made.bvh");
}

/* ---- read-only, without memory --------------------------------------------------------------- */

TEST_OF(api_bench *b, refused_memory_is_reported)
{
    static const api_request rows[] = { { api_dofs, "/" },
                                        { api_signals, "/$walk?of=LeftLeg.Xrotation" },
                                        { do_example, "?list=1 {" STEPS ", 'in': [$walk, $left]}" },
                                        { do_example, "{" STEPS ", 'in': [$walk, $left]}" } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        searching_make_room(b->of.searching);
        STARVE(b, rows[i].run, "%s", rows[i].text);
    }
}

TEST_GROUP_OF_CASES(test_studio_example, graph_bench_open, api_bench_close)
