/* test_studio_blend.c - transitions, blends, loops and clean-ups through the studio's addresses: what is sent is what is
   kept, what is kept is what the program makes, and every figure is judged by the library's own. What is refused is in
   test_studio_blend_edges.c, registrations in test_studio_curves.c. */
#include "blend_bench.h"

/* ---- cuts --------------------------------------------------------------------------------------- */

static void check_cuts(blend_bench *all, const char *query, const char *line)
{
    test_run run = test_run_make();
    char text[256];
    snprintf(text, sizeof text, "marey transition -L lib.marey %s --json", line);
    if (test_run_line(&run, text) != 0) fail_msg("%s: %s", text, run.err.bytes);
    json_t *said = json_loads(run.out.bytes, 0, NULL);
    json_t *got = api_json(&all->b, do_transition, 0, "list=1", body_of(all, query), 200);
    json_t *ours = json_object_get(got, "cuts"), *theirs = json_object_get(said, "cuts");
    assert_true(json_array_size(theirs) > 0);
    assert_int_equal(json_array_size(ours), json_array_size(theirs));
    for (size_t i = 0; i < json_array_size(ours); i++) {
        const json_t *one = json_array_get(ours, i), *two = json_array_get(theirs, i);
        assert_int_equal(number(one, "a"), number(two, "a"));
        assert_int_equal(number(one, "b"), number(two, "b"));
        assert_true((float)number(one, "cost") == (float)number(two, "cost"));
    }
    assert_true(number(got, "cheapest") == number(json_array_get(ours, 0), "cost"));
    assert_string_equal(json_string_value(json_object_get(got, "unit")), "cm2");
    json_decref(got);
    json_decref(said);
    test_run_free(&run);
}

TEST(cuts_are_those_of_the_program)
{
    blend_bench *all = *state;
    check_cuts(all, "{'a': $walk, 'b': $left}", "walk left");
    check_cuts(all, "{'a': $walk, 'b': $jog, 'count': 3, 'half': 20, 'below': 500}",
               "walk jog --count 3 --half 20 --below 500");
    check_cuts(all, "{'a': $walk, 'b': $left, 'within': 0.4, 'near': [100, 90]}",
               "walk left --near 100,90 --within 0.4");
    check_cuts(all, "{'a': $walk, 'b': $jog, 'below': 'inf', 'near': [null, 90]}",
               "walk jog --near ,90 --below inf");
    check_cuts(all, "{'a': $walk, 'b': $walk, 'below': 'inf'}", "walk walk --below inf");
    check_cuts(all, "{'a': $walk, 'b': $small, 'below': 'inf'}", "walk small --below inf");
    check_cuts(all, "{'a': $lost, 'b': $person, 'below': 'inf'}", "lost person --below inf");
    check_cuts(all, "{'a': $person, 'b': $lost, 'below': 'inf', 'near': [null, 50]}",
               "person lost --near ,50 --below inf");
}

TEST(where_no_cut_is_cheap_enough_the_cheapest_is_told)
{
    blend_bench *all = *state;
    json_t *open =
        api_json(&all->b, do_transition, 0, "list=1",
                 body_of(all, "{'a': $walk, 'b': $jog, 'below': 'inf', 'near': [60, 60]}"), 200);
    double best = number(json_array_get(json_object_get(open, "cuts"), 0), "cost");
    assert_true(best > 1e-3);
    assert_true(json_is_null(json_object_get(open, "below")));
    json_t *none =
        api_json(&all->b, do_transition, 0, "list=1",
                 body_of(all, "{'a': $walk, 'b': $jog, 'below': 1e-3, 'near': [60, 60]}"), 200);
    assert_int_equal(json_array_size(json_object_get(none, "cuts")), 0);
    assert_true(number(none, "cheapest") == best);
    assert_true(number(none, "below") == 1e-3);
    assert_int_equal(number(none, "half"), 15);
    json_decref(open);
    json_decref(none);
    open = api_json(&all->b, do_transition, 0, "list=1",
                    body_of(all, "{'a': $walk, 'b': $jog, 'half': 500}"), 200);
    assert_int_equal(json_array_size(json_object_get(open, "cuts")), 0);
    assert_true(json_is_null(json_object_get(open, "cheapest")));
    json_decref(open);
}

/* ---- what is made is what the program makes ----------------------------------------------------- */

/* Sent, kept and made by the program: the same frames; kept and made by the program: the same plants, licence and
   provenance. */
static void check_made(blend_bench *all, api_run run, const char *body, const char *line,
                       bool same_provenance)
{
    static int count;
    char named[1024], text[512], ours[32], theirs[32];
    made_read sent = read_made(all, run, body);
    snprintf(ours, sizeof ours, "ours%d", ++count);
    snprintf(theirs, sizeof theirs, "theirs%d", count);
    snprintf(named, sizeof named, "%.*s, 'name': '%s'}", (int)strlen(body) - 1, body, ours);
    json_t *kept = api_json(&all->b, run, 0, NULL, body_of(all, named), 200);
    assert_string_equal(json_string_value(json_object_get(kept, "name")), ours);
    assert_int_equal(number(kept, "id"), bench_id(&all->b, ours));
    snprintf(text, sizeof text, "marey %s -L lib.marey -o lib.marey:%s --quiet", line, theirs);
    bench_program(text);
    frames_are(all, ours, &sent);
    same_frames(all, ours, theirs);
    json_t *one = said_of(all, ours), *two = said_of(all, theirs);
    if (!same_provenance) {
        json_object_del(json_object_get(one, "provenance"), "settings");
        json_object_del(json_object_get(two, "provenance"), "settings");
    }
    char *x = json_dumps(one, JSON_SORT_KEYS), *y = json_dumps(two, JSON_SORT_KEYS);
    assert_string_equal(x, y);
    assert_true(json_is_object(json_object_get(one, "provenance")));
    if (json_is_true(json_object_get(one, "contacts_set"))) {
        assert_true(
            json_equal(json_object_get(one, "contacts"), json_object_get(sent.said, "contacts")));
    }
    /* what was said of it is the same, sent or kept */
    json_object_del(kept, "name");
    json_object_del(kept, "id");
    assert_true(json_equal(kept, sent.said));
    free(x);
    free(y);
    json_decref(one);
    json_decref(two);
    json_decref(kept);
    made_free(&sent);
}

TEST(transitions_are_those_of_the_program)
{
    blend_bench *all = *state;
    check_made(all, do_transition, "{'a': $walk, 'b': $jog, 'at': [150, 120]}",
               "transition walk jog --at 150,120", true);
    check_made(all, do_transition,
               "{'a': $walk, 'b': $left, 'at': [150, 120], 'half': 24, 'slope': 3, "
               "'method': 'untimed', 'no_clean': true}",
               "transition walk left --at 150,120 --half 24 --slope 3 --method untimed --no-clean",
               true);
    check_made(all, do_transition,
               "{'a': $walk, 'b': $small, 'at': [150, 120], 'method': 'linear'}",
               "transition walk small --at 150,120 --method linear", true);
    check_made(all, do_transition, "{'a': $walk, 'b': $walk, 'at': [250, 60]}",
               "transition walk walk --at 250,60", true);
    check_made(all, do_transition, "{'a': $lost, 'b': $person, 'at': [60, 40]}",
               "transition lost person --at 60,40", true);
}

TEST(blends_are_those_of_the_program)
{
    static const char keys[] = "0,1,0\n2.5,0,1\n";
    blend_bench *all = *state;
    test_file_write("keys.csv", keys, sizeof keys - 1);
    check_made(all, do_blend, "{'clips': [{'clip': $walk}, {'clip': $jog}], 'weights': [0.3, 0.7]}",
               "blend walk jog --weights 0.3,0.7", true);
    check_made(
        all, do_blend,
        "{'clips': [{'clip': $walk, 'start': 20, 'end': 260}, {'clip': $left, 'start': 10, 'end': "
        "300}, "
        "{'clip': $jog}], 'weights': [2, 1, -0.5], 'place': 2, 'slope': 3, 'no_clean': true}",
        "blend walk#20-260 left#10-300 jog --weights 2,1,-0.5 --place 2 --slope 3 --no-clean",
        true);
    check_made(all, do_blend,
               "{'clips': [{'clip': $walk}, {'clip': $small}], 'weights': [1, 1], "
               "'method': 'linear'}",
               "blend walk small --weights 1,1 --method linear", true);
    check_made(
        all, do_blend,
        "{'clips': [{'clip': $walk}, {'clip': $jog}], 'weights_file': [[0, 1, 0], [2.5, 0, 1]]}",
        "blend walk jog --weights-file keys.csv", false);
    check_made(all, do_blend,
               "{'clips': [{'clip': $lost}, {'clip': $person}], 'weights': [0.5, 0.5]}",
               "blend lost person --weights 0.5,0.5", true);
    bench_program("marey align -L lib.marey walk jog left --save three --quiet");
    check_made(all, do_blend, "{'curve': 'three', 'weights': [0.25, 0.5, 0.25]}",
               "blend --curve three --weights 0.25,0.5,0.25", true);
}

TEST(loops_and_clean_ups_are_those_of_the_program)
{
    blend_bench *all = *state;
    check_made(all, do_loop, "{'clip': $walk}", "loop walk", true);
    check_made(all, do_loop, "{'clip': $jog, 'in_place': true, 'half': 8, 'slope': 3}",
               "loop jog --in-place --half 8 --slope 3", true);
    check_made(all, do_loop, "{'clip': $left, 'no_clean': true}", "loop left --no-clean", true);
    check_made(all, do_clean, "{'clip': $walk}", "clean walk", true);
    check_made(all, do_clean, "{'clip': {'clip': $left, 'start': 30, 'end': 200}}",
               "clean left#30-200", true);
    check_made(all, do_clean, "{'clip': $lost}", "clean lost", true);
}

/* The best is what a list says first, and any of the list can be asked for. */
TEST(a_loop_can_be_asked_for_by_its_frames)
{
    blend_bench *all = *state;
    char body[256];
    json_t *list =
        api_json(&all->b, do_loop, 0, "list=1", body_of(all, "{'clip': $walk, 'count': 4}"), 200);
    const json_t *loops = json_object_get(list, "loops");
    assert_true(json_array_size(loops) > 1 && json_array_size(loops) <= 4);
    for (size_t i = 0; i < json_array_size(loops); i++) {
        const json_t *one = json_array_get(loops, i);
        snprintf(body, sizeof body, "{'clip': $walk, 'at': [%d, %d]}", (int)number(one, "start"),
                 (int)number(one, "end"));
        made_read got = read_made(all, do_loop, body);
        const json_t *same = json_array_get(json_object_get(got.said, "loops"), 0);
        assert_int_equal(number(same, "start"), number(one, "start"));
        assert_int_equal(number(same, "end"), number(one, "end"));
        assert_true(fabs(number(same, "cost") - number(one, "cost")) < 0.01);
        assert_true(number(same, "seam_ratio") < 1.5);
        if (i == 0) {
            made_read best = read_made(all, do_loop, "{'clip': $walk}");
            assert_int_equal(best.frame_bytes, got.frame_bytes);
            assert_memory_equal(best.frames, got.frames, got.frame_bytes);
            made_free(&best);
        }
        made_free(&got);
    }
    json_decref(list);
    list =
        api_json(&all->b, do_loop, 0, "list=1",
                 body_of(all, "{'clip': $walk, 'shortest': 1.5, 'longest': 2.5, 'half': 10}"), 200);
    loops = json_object_get(list, "loops");
    for (size_t i = 0; i < json_array_size(loops); i++) {
        const json_t *one = json_array_get(loops, i);
        double length = (number(one, "end") - number(one, "start")) / number(list, "fps");
        assert_true(length >= 1.5 - 1e-9 && length <= 2.5 + 1e-9);
    }
    assert_int_equal(number(list, "half"), 10);
    json_decref(list);
}

/* ---- figures ------------------------------------------------------------------------------------ */

static double knee_speed(const marey_clip *clip)
{
    const marey_skeleton *skeleton = marey_clip_skeleton(clip);
    int joints = skeleton->joint_count, frames = marey_clip_frames(clip);
    double *at = malloc(3 * (size_t)joints * (size_t)frames * sizeof *at), most = 0;
    marey_clip_positions(clip, 0, frames, at);
    for (int f = 1; f < frames; f++) {
        for (int side = 0; side < 2; side++) {
            int knee = skeleton->roles[side ? MAREY_ROLE_RIGHT_KNEE : MAREY_ROLE_LEFT_KNEE];
            const double *p = at + 3 * ((size_t)(f - 1) * (size_t)joints + (size_t)knee);
            const double *q = at + 3 * ((size_t)f * (size_t)joints + (size_t)knee);
            most = fmax(most, hypot(hypot(q[0] - p[0], q[1] - p[1]), q[2] - p[2]));
        }
    }
    free(at);
    return most * marey_clip_fps(clip);
}

static marey_clip *load(blend_bench *all, const char *name)
{
    marey_clip *clip = NULL;
    assert_int_equal(marey_library_load(all->b.by.library, name, &clip, NULL), MAREY_OK);
    return clip;
}

TEST(figures_are_those_of_the_clip)
{
    blend_bench *all = *state;
    json_t *got =
        api_json(&all->b, do_blend, 0, NULL,
                 body_of(all, "{'clips': [{'clip': $walk}, {'clip': $jog}], 'weights': [0.5, "
                              "0.5], 'name': 'judged'}"),
                 200);
    made_read raw = read_made(all, do_blend,
                              "{'clips': [{'clip': $walk}, {'clip': $jog}], 'weights': [0.5, 0.5], "
                              "'no_clean': true}");
    marey_clip *made = load(all, "judged"), *walk = load(all, "walk"), *jog = load(all, "jog");
    marey_contact feet[256];
    marey_quality quality;
    int count = 0;
    assert_int_equal(marey_library_contacts(all->b.by.library, "judged", feet, 256, &count, NULL),
                     MAREY_OK);
    assert_int_equal(marey_clip_quality(made, feet, count, &quality), MAREY_OK);
    const json_t *slides = json_object_get(got, "slides");
    double before = 0, after = 0, sum = 0;
    assert_int_equal(json_array_size(slides), count);
    for (size_t i = 0; i < json_array_size(slides); i++) {
        const json_t *one = json_array_get(slides, i);
        const json_t *other = json_array_get(json_object_get(raw.said, "slides"), i);
        assert_int_equal(number(one, "start"), feet[i].start);
        assert_int_equal(number(one, "end"), feet[i].end);
        assert_string_equal(json_string_value(json_object_get(one, "joint")),
                            marey_contact_name(feet[i].joint));
        assert_true(number(one, "before_cm") == number(other, "after_cm"));
        assert_true(number(other, "before_cm") == number(other, "after_cm"));
        before = fmax(before, number(one, "before_cm"));
        after = fmax(after, number(one, "after_cm"));
        sum += number(one, "after_cm");
    }
    assert_true(fabs(quality.slide_max_cm - after) < 1e-3);
    assert_true(fabs(quality.slide_cm - sum / count) < 1e-3);
    assert_true(number(got, "slide_after_cm") == after);
    assert_true(fabs(number(got, "slide_before_cm") - before) < 1e-6);
    assert_true(number(raw.said, "slide_before_cm") == number(raw.said, "slide_after_cm"));
    assert_true(before > 0.2 && after < 0.05);
    assert_true(json_is_true(json_object_get(got, "cleaned")));
    assert_true(json_is_false(json_object_get(raw.said, "cleaned")));
    assert_true(number(got, "root_moved_cm") >= 0 && number(raw.said, "root_moved_cm") == 0);
    assert_int_equal(number(got, "frames"), marey_clip_frames(made));
    double knees = knee_speed(made) / fmax(knee_speed(walk), knee_speed(jog));
    assert_true(fabs(number(got, "knee_ratio") - knees) < 1e-4);
    marey_clip_free(made);
    marey_clip_free(walk);
    marey_clip_free(jog);
    made_free(&raw);
    json_decref(got);
}

/* The figures that `marey blend --json` gives too. */
TEST(figures_are_those_of_the_program)
{
    static const char *const keys[] = { "slide_before_cm", "slide_after_cm", "root_moved_cm",
                                        "stretched", "jump_ratio" };
    static const struct {
        api_run run;
        const char *body, *line;
    } rows[] = { { do_blend, "{'clips': [{'clip': $walk}, {'clip': $jog}], 'weights': [0.5, 0.5]}",
                   "blend walk jog --weights 0.5,0.5" },
                 { do_blend,
                   "{'clips': [{'clip': $lost}, {'clip': $person}], 'weights': [0.5, 0.5], "
                   "'no_clean': true}",
                   "blend lost person --weights 0.5,0.5 --no-clean" },
                 { do_transition, "{'a': $walk, 'b': $small, 'at': [150, 120]}",
                   "transition walk small --at 150,120" },
                 { do_loop, "{'clip': $walk}", "loop walk --count 1" },
                 { do_loop, "{'clip': $walk, 'in_place': true}",
                   "loop walk --count 1 --in-place" } };
    blend_bench *all = *state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[256];
        test_run run = test_run_make();
        snprintf(text, sizeof text, "marey %s -L lib.marey -o out.bvh --json", rows[i].line);
        if (test_run_line(&run, text) != 0) fail_msg("%s: %s", text, run.err.bytes);
        json_t *said = json_loads(run.out.bytes, 0, NULL);
        made_read got = read_made(all, rows[i].run, rows[i].body);
        for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
            double ours = number(got.said, keys[k]), theirs = number(said, keys[k]);
            if (fabs(ours - theirs) > 1e-9 * fmax(1, fabs(theirs))) {
                fail_msg("%s of %s: %.12g, the program says %.12g", keys[k], rows[i].line, ours,
                         theirs);
            }
        }
        json_decref(said);
        made_free(&got);
        test_run_free(&run);
    }
}

TEST(a_transition_says_where_it_lies_and_which_plants_it_holds)
{
    blend_bench *all = *state;
    made_read got =
        read_made(all, do_transition, "{'a': $walk, 'b': $small, 'at': [150, 120], 'half': 20}");
    int a_end = (int)number(got.said, "from_a_end"),
        b_start = (int)number(got.said, "from_b_start");
    assert_int_equal(number(got.said, "half"), 20);
    assert_int_equal(b_start - a_end, 41);
    assert_true(abs(a_end + 20 - 150) <= 5);
    assert_true(abs((int)number(got.said, "frames") - (b_start + 300 - 141)) <= 5);
    const json_t *slides = json_object_get(got.said, "slides");
    size_t reach = 0, plants = json_array_size(json_object_get(got.said, "contacts"));
    for (size_t i = 0; i < plants; i++) {
        const json_t *one = json_array_get(json_object_get(got.said, "contacts"), i);
        reach += number(one, "start") < b_start && number(one, "end") > a_end;
    }
    assert_int_equal(json_array_size(slides), reach);
    assert_true(reach > 0 && reach < plants);
    assert_true(json_is_true(json_object_get(got.said, "refitted")));
    made_free(&got);
}

TEST_GROUP_OF_CASES(test_studio_blend, blend_bench_open, blend_bench_close)
