/* test_studio_blend.c - transitions, blends, loops and clean-ups through the studio's addresses:
   what is sent is what is kept, what is kept is what the program makes, and every figure is judged
   by the library's own. What is refused is in test_studio_blend_edges.c, registrations in
   test_studio_curves.c. */
#include "blend_bench.h"

/* ---- cuts ------------------------------------------------------------------------------------ */

static void check_cuts(api_bench *b, const char *body, const char *line)
{
    const json_t *said = program_json("marey transition -L lib.marey %s --json", line);
    const json_t *got = ask(b, do_transition, "?list=1 %s", body);
    assert_true(size_of(said, "cuts") > 0);
    assert_int_equal(size_of(got, "cuts"), size_of(said, "cuts"));
    for (size_t i = 0; i < size_of(got, "cuts"); i++) {
        same_values(item(got, "cuts", i), item(said, "cuts", i), "a b cost");
    }
    expect(got, "{'unit': 'cm2', 'cheapest': %.17g}", number(item(got, "cuts", 0), "cost"));
}

TEST_OF(api_bench *b, cuts_are_those_of_the_program)
{
    check_cuts(b, "{'a': $walk, 'b': $jog, 'count': 3, 'half': 20, 'below': 500}",
               "walk jog --count 3 --half 20 --below 500");
    check_cuts(b, "{'a': $walk, 'b': $left, 'within': 0.4, 'near': [100, 90]}",
               "walk left --near 100,90 --within 0.4");
    check_cuts(b, "{'a': $walk, 'b': $jog, 'below': 'inf', 'near': [null, 90]}",
               "walk jog --near ,90 --below inf");
    check_cuts(b, "{'a': $lost, 'b': $person, 'below': 'inf'}", "lost person --below inf");
    check_cuts(b, "{'a': $person, 'b': $lost, 'below': 'inf', 'near': [null, 50]}",
               "person lost --near ,50 --below inf");
}

TEST_OF(api_bench *b, where_no_cut_is_cheap_enough_the_cheapest_is_reported)
{
    const json_t *open =
        ask(b, do_transition, "?list=1 {'a': $walk, 'b': $jog, 'below': 'inf', 'near': [60, 60]}");
    double best = number(item(open, "cuts", 0), "cost");
    assert_true(best > 1e-3);
    assert_true(is_null(open, "below"));
    expect(
        ask(b, do_transition, "?list=1 {'a': $walk, 'b': $jog, 'below': 1e-3, 'near': [60, 60]}"),
        "{'cuts': [], 'cheapest': %.17g, 'below': 1e-3, 'half': 15}", best);
    expect(ask(b, do_transition, "?list=1 {'a': $walk, 'b': $jog, 'half': 500}"),
           "{'cuts': [], 'cheapest': null}");
}

/* ---- what is made is what the program makes -------------------------------------------------- */

/* What is sent is what is saved: turns are saved as the angles of files. */
static void frames_are(api_bench *b, const char *name, const made_read *sent)
{
    enum { HEADER = 40 };
    OWNED(studio_response) to = api_ask(b, api_frames, "/%" PRId64, bench_id(b, name));
    assert_int_equal(to.status, 200);
    assert_int_equal(to.body.count, sent->frame_bytes);
    assert_memory_equal(to.body.data, sent->frames, HEADER);
    for (size_t at = HEADER; at < to.body.count; at += sizeof(float)) {
        float x, y;
        memcpy(&x, to.body.data + at, sizeof x);
        memcpy(&y, sent->frames + at, sizeof y);
        /* a turn and its negative are the same */
        if (fminf(fabsf(x - y), fabsf(x + y)) > 1e-4f)
            fail_msg("%s: %g at %zu, %g was sent", name, (double)x, at, (double)y);
    }
}

/* Sent, kept and made by the program: the same frames; kept and made by the program: the same
   plants, licence and provenance. */
static void check_made(api_bench *b, api_run run, const char *body, const char *line,
                       bool same_provenance)
{
    OWNED(made_read) sent = read_made(b, run, "%s", body);
    json_t *kept = ask(b, run, "%.*s, 'name': 'ours'}", (int)strlen(body) - 1, body);
    expect(kept, "{'name': 'ours', 'id': %" PRId64 "}", bench_id(b, "ours"));
    bench_program("marey %s -L lib.marey -o lib.marey:theirs --quiet", line);
    frames_are(b, "ours", &sent);
    same_frames(b, "ours", "theirs");
    json_t *one = said_of(b, "ours"), *two = said_of(b, "theirs");
    if (!same_provenance) {
        json_object_del(json_object_get(one, "provenance"), "settings");
        json_object_del(json_object_get(two, "provenance"), "settings");
    }
    assert_true(json_equal(one, two));
    assert_true(json_is_object(json_object_get(one, "provenance")));
    if (is_true(one, "contacts_set"))
        assert_true(
            json_equal(json_object_get(one, "contacts"), json_object_get(sent.said, "contacts")));
    /* what was said of it is the same, sent or kept */
    json_object_del(kept, "name");
    json_object_del(kept, "id");
    assert_true(json_is_integer(json_object_get(kept, "step")));
    json_object_del(kept, "step");
    assert_true(json_equal(kept, sent.said));
    made_removed(b, "ours");
    made_removed(b, "theirs");
}

TEST_OF(api_bench *b, generated_clips_are_those_of_the_program)
{
    static const struct {
        api_run run;
        const char *body, *line;
    } rows[] = {
        { do_transition, "{'a': $walk, 'b': $jog, 'at': [150, 120]}",
          "transition walk jog --at 150,120" },
        { do_transition,
          "{'a': $walk, 'b': $left, 'at': [150, 120], 'half': 24, 'slope': 3, 'method': 'untimed', "
          "'no_clean': true}",
          "transition walk left --at 150,120 --half 24 --slope 3 --method untimed --no-clean" },
        { do_transition, "{'a': $walk, 'b': $small, 'at': [150, 120], 'method': 'linear'}",
          "transition walk small --at 150,120 --method linear" },
        { do_transition, "{'a': $lost, 'b': $person, 'at': [60, 40]}",
          "transition lost person --at 60,40" },
        { do_blend, "{'clips': [$walk, $jog], 'weights': [0.3, 0.7]}",
          "blend walk jog --weights 0.3,0.7" },
        { do_blend,
          "{'clips': [{'clip': $walk, 'start': 20, 'end': 260}, {'clip': $left, 'start': 10, "
          "'end': 300}, $jog], 'weights': [2, 1, -0.5], 'place': 2, 'slope': 3, 'no_clean': true}",
          "blend walk#20-260 left#10-300 jog --weights 2,1,-0.5 --place 2 --slope 3 --no-clean" },
        { do_blend, "{'clips': [$walk, $small], 'weights': [1, 1], 'method': 'linear'}",
          "blend walk small --weights 1,1 --method linear" },
        { do_blend, "{'clips': [$walk, $jog], 'weights_file': [[0, 1, 0], [2.5, 0, 1]]}",
          "blend walk jog --weights-file keys.csv" },
        { do_blend, "{'clips': [$lost, $person], 'weights': [0.5, 0.5]}",
          "blend lost person --weights 0.5,0.5" },
        { do_blend, "{'curve': 'three', 'weights': [0.25, 0.5, 0.25]}",
          "blend --curve three --weights 0.25,0.5,0.25" },
        { do_loop, "{'clip': $walk}", "loop walk" },
        { do_loop, "{'clip': $jog, 'in_place': true, 'half': 8, 'slope': 3}",
          "loop jog --in-place --half 8 --slope 3" },
        { do_loop, "{'clip': $left, 'no_clean': true}", "loop left --no-clean" },
        { do_clean, "{'clip': $walk}", "clean walk" },
        { do_clean, "{'clip': {'clip': $left, 'start': 30, 'end': 200}}", "clean left#30-200" },
        { do_clean, "{'clip': $lost}", "clean lost" },
    };
    static const char keys[] = "0,1,0\n2.5,0,1\n";
    test_file_write("keys.csv", keys, sizeof keys - 1);
    bench_program("marey align -L lib.marey walk jog left --save three --quiet");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) /* settings name the file of weights */
        check_made(b, rows[i].run, rows[i].body, rows[i].line, !strstr(rows[i].body, "_file"));
}

/* The best is what a list says first, and any of the list can be asked for. */
TEST_OF(api_bench *b, a_loop_can_be_asked_for_by_its_frames)
{
    const json_t *list = ask(b, do_loop, "?list=1 {'clip': $walk, 'count': 4}");
    size_t loops = size_of(list, "loops");
    assert_true(loops > 1 && loops <= 4);
    for (size_t i = 0; i < loops; i++) {
        const json_t *one = item(list, "loops", i);
        OWNED(made_read) got = read_made(b, do_loop, "{'clip': $walk, 'at': [%g, %g]}",
                                         number(one, "start"), number(one, "end"));
        const json_t *same = item(got.said, "loops", 0);
        expect(same, "{'start': %g, 'end': %g}", number(one, "start"), number(one, "end"));
        test_near(number(same, "cost"), number(one, "cost"), 0.01);
        assert_true(number(same, "seam_ratio") < 1.5);
        if (i > 0) continue;
        OWNED(made_read) best = read_made(b, do_loop, "{'clip': $walk}");
        assert_int_equal(best.frame_bytes, got.frame_bytes);
        assert_memory_equal(best.frames, got.frames, got.frame_bytes);
    }
    list = ask(b, do_loop, "?list=1 {'clip': $walk, 'shortest': 1.5, 'longest': 2.5, 'half': 10}");
    for (size_t i = 0; i < size_of(list, "loops"); i++) {
        const json_t *one = item(list, "loops", i);
        test_near((number(one, "end") - number(one, "start")) / number(list, "fps"), 2, 0.5 + 1e-9);
    }
    assert_int_equal(number(list, "half"), 10);
}

/* ---- figures --------------------------------------------------------------------------------- */

static double knee_speed(const marey_clip *clip)
{
    const marey_skeleton *skeleton = marey_clip_skeleton(clip);
    int joints = skeleton->joint_count, frames = marey_clip_frames(clip);
    FREED double *at = malloc(3 * (size_t)joints * (size_t)frames * sizeof *at);
    double most = 0;
    marey_clip_positions(clip, 0, frames, at);
    for (int f = 1; f < frames; f++) {
        for (int side = 0; side < 2; side++) {
            int knee = skeleton->roles[side ? MAREY_ROLE_RIGHT_KNEE : MAREY_ROLE_LEFT_KNEE];
            const double *p = at + 3 * ((size_t)(f - 1) * (size_t)joints + (size_t)knee);
            const double *q = at + 3 * ((size_t)f * (size_t)joints + (size_t)knee);
            most = fmax(most, hypot(hypot(q[0] - p[0], q[1] - p[1]), q[2] - p[2]));
        }
    }
    return most * marey_clip_fps(clip);
}

TEST_OF(api_bench *b, figures_are_those_of_the_clip)
{
    const json_t *got =
        ask(b, do_blend, "{'clips': [$walk, $jog], 'weights': [0.5, 0.5], 'name': 'judged'}");
    OWNED(made_read) raw =
        read_made(b, do_blend, "{'clips': [$walk, $jog], 'weights': [0.5, 0.5], 'no_clean': true}");
    OWNED(marey_clip) *made = bench_load(b, "judged");
    OWNED(marey_clip) *walk = bench_load(b, "walk");
    OWNED(marey_clip) *jog = bench_load(b, "jog");
    marey_contact feet[256];
    marey_quality quality;
    int count = 0;
    assert_int_equal(marey_library_contacts(b->by.library, "judged", feet, 256, &count, NULL),
                     MAREY_OK);
    assert_int_equal(marey_clip_quality(made, feet, count, &quality), MAREY_OK);
    double before = 0, after = 0, sum = 0;
    assert_int_equal(size_of(got, "slides"), count);
    for (size_t i = 0; i < size_of(got, "slides"); i++) {
        const json_t *one = item(got, "slides", i), *other = item(raw.said, "slides", i);
        expect(one, "{'start': %d, 'end': %d, 'joint': '%s', 'before_cm': %.17g}", feet[i].start,
               feet[i].end, marey_contact_name(feet[i].joint), number(other, "after_cm"));
        assert_true(number(other, "before_cm") == number(other, "after_cm"));
        before = fmax(before, number(one, "before_cm"));
        after = fmax(after, number(one, "after_cm"));
        sum += number(one, "after_cm");
    }
    test_near(quality.slide_max_cm, after, 1e-3);
    test_near(quality.slide_cm, sum / count, 1e-3);
    test_near(number(got, "slide_before_cm"), before, 1e-6);
    assert_true(before > 0.2 && after < 0.05);
    expect(got, "{'slide_after_cm': %.17g, 'cleaned': true, 'frames': %d}", after,
           marey_clip_frames(made));
    expect(raw.said, "{'slide_after_cm': %.17g, 'cleaned': false, 'root_moved_cm': 0}",
           number(raw.said, "slide_before_cm"));
    assert_true(number(got, "root_moved_cm") >= 0);
    test_near(number(got, "knee_ratio"), knee_speed(made) / fmax(knee_speed(walk), knee_speed(jog)),
              1e-4);
}

TEST_OF(api_bench *b, a_transition_says_where_it_lies_and_which_plants_it_holds)
{
    OWNED(made_read) got =
        read_made(b, do_transition, "{'a': $walk, 'b': $small, 'at': [150, 120], 'half': 20}");
    double a_end = number(got.said, "from_a_end"), b_start = number(got.said, "from_b_start");
    expect(got.said, "{'half': 20, 'refitted': true}");
    assert_true(b_start - a_end == 41);
    test_near(a_end, 130, 5);
    test_near(number(got.said, "frames"), b_start + 300 - 141, 5);
    size_t reach = 0, plants = size_of(got.said, "contacts");
    for (size_t i = 0; i < plants; i++) {
        const json_t *one = item(got.said, "contacts", i);
        reach += number(one, "start") < b_start && number(one, "end") > a_end;
    }
    assert_int_equal(size_of(got.said, "slides"), reach);
    assert_true(reach > 0 && reach < plants);
}

TEST_GROUP_OF_CASES(test_studio_blend, blend_bench_open, api_bench_close)
