/* test_studio_curves.c - registrations through the studio's addresses: every number is the
   library's, frames are those of the clips, what is saved is what the program saves, and a worker
   registers the same clips once. */
#include "blend_bench.h"

#include "make.h"

/* ---- what the library itself says ------------------------------------------------------------ */

typedef struct judge {
    marey_parts *parts;
    marey_registration *of;
} judge;

static judge judge_make(api_bench *b, const marey_part *parts, int count,
                        const marey_registration_def *def)
{
    judge j = { NULL, NULL };
    marey_error error;
    if (marey_library_parts(b->by.library, parts, count, 0, &j.parts, &error) ||
        marey_registration_build(b->by.ctx, j.parts->clips, count, j.parts->contacts, def, &j.of,
                                 &error)) {
        fail_msg("%s", error.message);
    }
    return j;
}

static void judge_free(judge *j)
{
    marey_registration_free(j->of);
    marey_parts_free(j->parts);
}
OWNED_VALUE(judge, judge_free)

static json_t *registered(api_bench *b, const char *fields)
{
    return ask(b, do_align, "{'registration': true, %s}", fields);
}

/* ---- its numbers ----------------------------------------------------------------------------- */

/* Of clips without marks, whose parts begin at `starts`. */
static void check_curve(const json_t *got, const judge *j, const int *starts)
{
    int count = j->parts->count, knots, base, matches;
    double first, last, epsilon, rows[APP_MOST_MOTIONS], fps = marey_registration_fps(j->of);
    const json_t *u = json_object_get(got, "u");
    size_t samples = json_array_size(u);
    marey_registration_range(j->of, &first, &last);
    marey_registration_knots(j->of, &knots, &base, &epsilon);
    expect(got,
           "{'first': %.17g, 'last': %.17g, 'fps': %.17g, 'epsilon': %.17g, 'base': %d, "
           "'reference_number': %d}",
           first, last, fps, epsilon, base + 1, marey_registration_reference(j->of) + 1);
    assert_int_equal(samples, fmin(256, ceil(last - first) + 1));
    assert_true(number_at(u, 0) == first && number_at(u, samples - 1) == last);
    for (size_t i = 0; i < samples; i++) {
        marey_registration_times(j->of, number_at(u, i), rows, NULL);
        for (int m = 0; m < count; m++) {
            const json_t *times = json_object_get(item(got, "clips", (size_t)m), "times");
            double frame = starts[m] + rows[m] * marey_clip_fps(j->parts->clips[m]) / fps;
            test_near(number_at(times, i), frame, 1e-6);
        }
    }
    const marey_constraint_match *all = marey_registration_matches(j->of, &matches);
    assert_int_equal(size_of(got, "matches"), matches);
    for (int i = 0; i < matches; i++) {
        const json_t *one = item(got, "matches", (size_t)i);
        assert_string_equal(word(one, "joint"), marey_contact_name(all[i].joint));
        for (int m = 0; m < count; m++)
            expect(item(one, "u", (size_t)m), "[%.17g, %.17g]", all[i].spans[m].start,
                   all[i].spans[m].end);
    }
}

static void check_paths(const json_t *got, const judge *j, const int *starts)
{
    for (int m = 0; m < j->parts->count; m++) {
        const marey_path *path = marey_registration_path(j->of, m);
        const json_t *clip = item(got, "clips", (size_t)m), *cells = json_object_get(clip, "path");
        const marey_part *part = &j->parts->parts[m];
        expect(clip, "{'start': %d, 'end': %d, 'id': %" PRId64 "}", part->start, part->end,
               part->clip);
        if (!path) {
            expect(clip, "{'path': null, 'parent': null, 'mean_distance': null}");
            continue;
        }
        int parent = marey_registration_parent(j->of, m);
        expect(clip, "{'parent': %d, 'mean_distance': %.17g}", parent + 1, path->mean);
        assert_int_equal(json_array_size(cells), path->count);
        for (int i = 0; i < path->count; i++)
            expect(json_array_get(cells, (size_t)i), "[%d, %d]",
                   starts[parent] + path->cells[i].row, starts[m] + path->cells[i].col);
    }
}

TEST_OF(api_bench *b, a_registration_is_the_librarys)
{
    static const int starts[][3] = { { 0, 0, 0 }, { 20, 0, 35 } };
    int64_t walk = bench_id(b, "walk"), left = bench_id(b, "left"), jog = bench_id(b, "jog");
    const marey_part parts[][3] = {
        { { walk, 0, 300 }, { jog, 0, 300 }, { bench_id(b, "small"), 0, 300 } },
        { { walk, 20, 260 }, { left, 0, 280 }, { jog, 35, 300 } }
    };
    static const char *const fields[] = {
        "'clips': [$walk, $jog, $small]",
        "'clips': [{'clip': $walk, 'start': 20, 'end': 260}, {'clip': $left, 'start': 0, 'end': "
        "280}, {'clip': $jog, 'start': 35, 'end': 300}], 'slope': 3, 'reference': 2"
    };
    for (int i = 0; i < 2; i++) {
        OWNED(judge) j = judge_make(
            b, parts[i], 3, i ? &(marey_registration_def){ .slope = 3, .reference = 2 } : NULL);
        const json_t *got = registered(b, fields[i]);
        check_curve(got, &j, starts[i]);
        check_paths(got, &j, starts[i]);
        expect(item(got, "clips", 1), "{'refitted': false}");
        expect(item(got, "clips", 2), i ? "{'refitted': false}" : "{'refitted': true}");
        if (i) assert_int_equal(number(got, "reference_number"), 2);
    }
}

/* Clips of different rates: frames are each clip's own. */
TEST_OF(api_bench *b, frames_are_those_of_the_clips_at_any_rate)
{
    bench_program("marey convert -L lib.marey walk slow.bvh --fps 30 --quiet");
    bench_program("marey add lib.marey slow.bvh");
    const json_t *got = registered(b, "'clips': [$walk, $slow]");
    const json_t *fast = json_object_get(item(got, "clips", 0), "times");
    const json_t *slow = json_object_get(item(got, "clips", 1), "times");
    size_t count = json_array_size(fast);
    assert_true(number(got, "fps") == 30);
    for (size_t i = 0; i < count; i++)
        assert_true(fabs(number_at(fast, i) / 2 - number_at(slow, i)) < 1);
    assert_true(number_at(fast, count - 1) > 297 && number_at(fast, count - 1) <= 299.001);
}

/* ---- marked frames --------------------------------------------------------------------------- */

TEST_OF(api_bench *b, frames_that_are_no_motion_are_never_among_those_that_belong_together)
{
    const json_t *got = registered(b, "'clips': [$lost, $person]");
    int other = is_null(item(got, "clips", 0), "path") ? 1 : 0;
    const json_t *path = json_object_get(item(got, "clips", (size_t)other), "path");
    const json_t *times = json_object_get(item(got, "clips", 0), "times");
    int before = 0, behind = 0;
    for (size_t i = 0; i < json_array_size(path); i++) {
        double frame = number_at(json_array_get(path, i), other ? 0 : 1);
        assert_true(frame < 30 || frame >= 34);
        before += frame == 29;
        behind += frame == 34;
    }
    assert_true(before > 0 && behind > 0);
    for (size_t i = 0; i < json_array_size(times); i++) {
        /* between the frame before the gap and the one behind it there is a step */
        assert_true(number_at(times, i) < 30 || number_at(times, i) >= 34);
        if (i > 0) assert_true(number_at(times, i) > number_at(times, i - 1));
    }
    test_near(number_at(times, json_array_size(times) - 1), 99, 1e-6);
}

/* ---- plants ---------------------------------------------------------------------------------- */

static size_t count_matched(const json_t *clip)
{
    size_t count = 0;
    for (size_t i = 0; i < size_of(clip, "plants"); i++)
        count += is_true(item(clip, "plants", i), "matched");
    return count;
}

TEST_OF(api_bench *b, plants_say_whether_they_match)
{
    marey_contact feet[256];
    int count = 0;
    const json_t *same = registered(b, "'clips': [$walk, $walk]"), *one = item(same, "clips", 0);
    assert_int_equal(marey_library_contacts(b->by.library, "walk", feet, 256, &count, NULL),
                     MAREY_OK);
    assert_true(count > 4);
    assert_int_equal(size_of(one, "plants"), count);
    for (int i = 0; i < count; i++)
        expect(item(one, "plants", (size_t)i), "{'start': %d, 'end': %d}", feet[i].start,
               feet[i].end);
    assert_int_equal(number(same, "dropped"), 0);
    assert_int_equal(count_matched(item(same, "clips", 1)), count);
    /* plants that one of them does not have */
    bench_program("marey cut lib.marey walk#0-300 floating");
    ask(b, do_contacts,
        "{'clip': $floating, 'set': {'contacts': [{'joint': 'left_heel', 'start': 0, 'end': "
        "20}]}}");
    const json_t *got = registered(b, "'clips': [$walk, $floating]");
    size_t matched = count_matched(item(got, "clips", 0));
    assert_int_equal(number(got, "dropped"),
                     count - (int)matched + 1 - (int)count_matched(item(got, "clips", 1)));
    assert_true(matched <= 1);
}

/* ---- keeping --------------------------------------------------------------------------------- */

TEST_OF(api_bench *b, a_saved_registration_is_that_of_the_program)
{
    const json_t *got = registered(b, "'clips': [{'clip': $walk, 'start': 20, 'end': 260}, $jog], "
                                      "'slope': 3, 'save': 'ours'");
    assert_string_equal(word(got, "saved"), "ours");
    bench_program("marey align -L lib.marey walk#20-260 jog --slope 3 --save theirs --quiet");
    json_t *about[2];
    same_saved(b, MAREY_KEPT_REGISTRATION, "ours", "theirs", about);
    json_t *name = json_object_get(json_object_get(about[1], "settings"), "save");
    assert_string_equal(json_string_value(name), "theirs");
    json_string_set(name, "ours");
    assert_true(json_equal(about[0], about[1]));
    const json_t *list = ask(b, do_curves, "{}");
    assert_int_equal(size_of(list, "curves"), 2);
    expect(item(list, "curves", 0),
           "{'name': 'ours', 'clips': [{'id': %" PRId64 ", 'start': 20}, "
           "{'clip': 'jog', 'end': 300}]}",
           bench_id(b, "walk"));
    /* what is opened again says the same */
    const json_t *again = registered(b, "'curve': 'theirs'");
    static const char same[] = "u first last matches dropped";
    same_values(got, again, same);
    for (size_t i = 0; i < 2; i++)
        same_values(item(got, "clips", i), item(again, "clips", i), "times plants");
    assert_true(is_null(again, "saved"));
    ask(b, do_curves, "{'rm': 'theirs'}");
    ask(b, do_curves, "{'rm': 'ours'}");
    assert_int_equal(size_of(ask(b, do_curves, "{}"), "curves"), 0);
    refused(b, 404, "input", "theirs", do_align, "{'curve': 'theirs'}");
    refused(b, 404, "input", "theirs", do_curves, "{'rm': 'theirs'}");
}

/* ---- what a worker keeps --------------------------------------------------------------------- */

static const app_registered *registered_for(api_bench *b, const char *fields)
{
    registered(b, fields);
    return cached(&b->by, "registered", NULL)->object;
}

TEST_OF(api_bench *b, the_same_clips_are_registered_once)
{
    static const char two[] = "'clips': [$walk, $jog]";
    const app_registered *first = registered_for(b, two);
    assert_ptr_equal(registered_for(b, two), first);
    OWNED(made_read) made = read_made(b, do_blend, "{%s, 'weights': [1, 1]}", two);
    assert_ptr_equal(cached(&b->by, "registered", NULL)->object, first);
    assert_ptr_not_equal(registered_for(b, "'clips': [$walk, $jog], 'slope': 4"), first);
    assert_ptr_not_equal(registered_for(b, "'clips': [$walk, $jog], 'metric': 'angles'"), first);
    const app_registered *turned = registered_for(b, "'clips': [$jog, $walk]");
    assert_int_equal(turned->all.items[0].source.id, bench_id(b, "jog"));
    assert_ptr_equal(registered_for(b, two), first); /* it is still open */
}

TEST_OF(api_bench *b, the_clips_of_a_preview_are_loaded_once)
{
    OWNED(made_read) one = read_made(b, do_transition, "{'a': $walk, 'b': $jog, 'at': [150, 120]}");
    const void *first = cached(&b->by, "clips", NULL)->object;
    OWNED(made_read) two =
        read_made(b, do_transition, "{'a': $walk, 'b': $jog, 'at': [140, 110], 'half': 9}");
    assert_ptr_equal(cached(&b->by, "clips", NULL)->object, first);
    OWNED(made_read) loop = read_made(b, do_loop, "{'clip': $walk}");
    assert_ptr_not_equal(cached(&b->by, "clips", NULL)->object, first);
}

TEST_OF(api_bench *b, a_change_of_plants_or_clips_is_seen)
{
    static const char fields[] = "'clips': [$walk, $changing]";
    bench_program("marey cut lib.marey walk#0-300 changing");
    assert_true(size_of(registered(b, fields), "matches") > 0);
    ask(b, do_contacts, "{'clip': $changing, 'set': {'contacts': []}}");
    assert_int_equal(size_of(registered(b, fields), "matches"), 0);
    ask(b, do_rm, "{'clips': [$changing]}");
    refused(b, 404, "input", "removed", do_align, "{%s}", fields);
}

TEST_GROUP_OF_CASES(test_studio_curves, blend_bench_open, api_bench_close)
