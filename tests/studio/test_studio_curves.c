/* test_studio_curves.c - registrations through the studio's addresses: every number is the library's, frames are those of
   the clips, what is kept is what the program keeps, and a worker registers the same clips once. */
#include "blend_bench.h"

#include "make.h"

/* ---- what the library itself says --------------------------------------------------------------- */

typedef struct judge {
    marey_parts *parts;
    marey_registration *of;
} judge;

static judge judge_make(blend_bench *all, const marey_part *parts, int count,
                        const marey_registration_def *def)
{
    judge j = { NULL, NULL };
    marey_error error;
    if (marey_library_parts(all->b.by.library, parts, count, &j.parts, &error) ||
        marey_registration_build(all->b.by.ctx, j.parts->clips, count, j.parts->contacts, def,
                                 &j.of, &error)) {
        fail_msg("%s", error.message);
    }
    return j;
}

static void judge_free(judge *j)
{
    marey_registration_free(j->of);
    marey_parts_free(j->parts);
}

static json_t *ask(blend_bench *all, const char *body)
{
    char text[512];
    snprintf(text, sizeof text, "{'registration': true, %s", body + 1);
    return api_json(&all->b, do_align, 0, NULL, body_of(all, text), 200);
}

static const json_t *item(const json_t *of, const char *key, size_t i)
{
    const json_t *list = json_object_get(of, key);
    if (i >= json_array_size(list)) fail_msg("%s has no %zu", key, i);
    return json_array_get(list, i);
}

static double number_at(const json_t *list, size_t i)
{
    assert_true(json_is_number(json_array_get(list, i)));
    return json_number_value(json_array_get(list, i));
}

/* ---- its numbers -------------------------------------------------------------------------------- */

/* Of clips without marks, whose parts begin at `starts`. */
static void check_curve(const json_t *got, const judge *j, const int *starts)
{
    int count = j->parts->count, knots, base, matches;
    double first, last, epsilon, rows[APP_MOST_MOTIONS], fps = marey_registration_fps(j->of);
    const json_t *u = json_object_get(got, "u");
    marey_registration_range(j->of, &first, &last);
    marey_registration_knots(j->of, &knots, &base, &epsilon);
    assert_true(number(got, "first") == first && number(got, "last") == last);
    assert_true(number(got, "fps") == fps && number(got, "epsilon") == epsilon);
    assert_int_equal(number(got, "base"), base + 1);
    assert_int_equal(number(got, "reference_number"), marey_registration_reference(j->of) + 1);
    assert_int_equal(json_array_size(u), fmin(256, ceil(last - first) + 1));
    assert_true(number_at(u, 0) == first && number_at(u, json_array_size(u) - 1) == last);
    for (size_t i = 0; i < json_array_size(u); i++) {
        marey_registration_times(j->of, number_at(u, i), rows, NULL);
        for (int m = 0; m < count; m++) {
            const json_t *times = json_object_get(item(got, "clips", (size_t)m), "times");
            double frame = starts[m] + rows[m] * marey_clip_fps(j->parts->clips[m]) / fps;
            assert_true(fabs(number_at(times, i) - frame) < 1e-6);
        }
    }
    const marey_constraint_match *all = marey_registration_matches(j->of, &matches);
    assert_int_equal(json_array_size(json_object_get(got, "matches")), matches);
    for (int i = 0; i < matches; i++) {
        const json_t *one = item(got, "matches", (size_t)i);
        assert_string_equal(json_string_value(json_object_get(one, "joint")),
                            marey_contact_name(all[i].joint));
        for (int m = 0; m < count; m++) {
            const json_t *span = item(one, "u", (size_t)m);
            assert_true(number_at(span, 0) == all[i].spans[m].start);
            assert_true(number_at(span, 1) == all[i].spans[m].end);
        }
    }
}

static void check_paths(const json_t *got, const judge *j, const int *starts)
{
    for (int m = 0; m < j->parts->count; m++) {
        const marey_path *path = marey_registration_path(j->of, m);
        const json_t *clip = item(got, "clips", (size_t)m), *cells = json_object_get(clip, "path");
        assert_int_equal(number(clip, "start"), j->parts->parts[m].start);
        assert_int_equal(number(clip, "end"), j->parts->parts[m].end);
        assert_int_equal(number(clip, "id"), j->parts->parts[m].clip);
        if (!path) {
            assert_true(json_is_null(cells) && json_is_null(json_object_get(clip, "parent")));
            assert_true(json_is_null(json_object_get(clip, "mean_distance")));
            continue;
        }
        int parent = marey_registration_parent(j->of, m);
        assert_int_equal(number(clip, "parent"), parent + 1);
        assert_true(number(clip, "mean_distance") == path->mean);
        assert_int_equal(json_array_size(cells), path->count);
        for (int i = 0; i < path->count; i++) {
            const json_t *cell = json_array_get(cells, (size_t)i);
            assert_int_equal(number_at(cell, 0), starts[parent] + path->cells[i].row);
            assert_int_equal(number_at(cell, 1), starts[m] + path->cells[i].col);
        }
    }
}

TEST(a_registration_is_the_librarys)
{
    static const int none[] = { 0, 0, 0 }, some[] = { 20, 0, 35 };
    blend_bench *all = *state;
    marey_part whole[] = { { all->walk, 0, 300 }, { all->jog, 0, 300 }, { all->small, 0, 300 } };
    marey_part parts[] = { { all->walk, 20, 260 }, { all->left, 0, 280 }, { all->jog, 35, 300 } };
    judge j = judge_make(all, whole, 3, NULL);
    json_t *got = ask(all, "{'clips': [{'clip': $walk}, {'clip': $jog}, {'clip': $small}]}");
    check_curve(got, &j, none);
    check_paths(got, &j, none);
    assert_true(json_is_false(json_object_get(item(got, "clips", 1), "refitted")));
    assert_true(json_is_true(json_object_get(item(got, "clips", 2), "refitted")));
    judge_free(&j);
    json_decref(got);
    j = judge_make(all, parts, 3, &(marey_registration_def){ .slope = 3, .reference = 2 });
    got = ask(all, "{'clips': [{'clip': $walk, 'start': 20, 'end': 260}, {'clip': $left, 'start': "
                   "0, 'end': 280}, "
                   "{'clip': $jog, 'start': 35, 'end': 300}], 'slope': 3, 'reference': 2}");
    assert_int_equal(number(got, "reference_number"), 2);
    check_curve(got, &j, some);
    check_paths(got, &j, some);
    judge_free(&j);
    json_decref(got);
}

/* Clips of different rates: frames are each clip's own. */
TEST(frames_are_those_of_the_clips_at_any_rate)
{
    blend_bench *all = *state;
    bench_program("marey convert -L lib.marey walk slow.bvh --fps 30 --quiet");
    bench_program("marey add lib.marey slow.bvh");
    char body[128];
    snprintf(body, sizeof body, "{'clips': [{'clip': $walk}, {'clip': %" PRId64 "}]}",
             bench_id(&all->b, "slow"));
    json_t *got = ask(all, body);
    const json_t *fast = json_object_get(item(got, "clips", 0), "times");
    const json_t *slow = json_object_get(item(got, "clips", 1), "times");
    size_t count = json_array_size(fast);
    assert_true(number(got, "fps") == 30);
    for (size_t i = 0; i < count; i++) {
        assert_true(fabs(number_at(fast, i) / 2 - number_at(slow, i)) < 1);
    }
    assert_true(number_at(fast, count - 1) > 297 && number_at(fast, count - 1) <= 299.001);
    json_decref(got);
}

/* ---- marked frames ------------------------------------------------------------------------------ */

TEST(frames_that_are_no_motion_are_never_among_those_that_belong_together)
{
    blend_bench *all = *state;
    json_t *got = ask(all, "{'clips': [{'clip': $lost}, {'clip': $person}]}");
    int other = json_is_null(json_object_get(item(got, "clips", 0), "path")) ? 1 : 0;
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
    assert_true(fabs(number_at(times, json_array_size(times) - 1) - 99) < 1e-6);
    json_decref(got);
}

/* ---- plants ------------------------------------------------------------------------------------- */

static size_t count_matched(const json_t *clip)
{
    const json_t *plants = json_object_get(clip, "plants");
    size_t count = 0;
    for (size_t i = 0; i < json_array_size(plants); i++) {
        count += json_is_true(json_object_get(json_array_get(plants, i), "matched"));
    }
    return count;
}

TEST(plants_say_whether_they_match)
{
    blend_bench *all = *state;
    marey_contact feet[256];
    int count = 0;
    json_t *same = ask(all, "{'clips': [{'clip': $walk}, {'clip': $walk}]}");
    const json_t *plants = json_object_get(item(same, "clips", 0), "plants");
    assert_int_equal(marey_library_contacts(all->b.by.library, "walk", feet, 256, &count, NULL),
                     MAREY_OK);
    assert_true(count > 4);
    assert_int_equal(json_array_size(plants), count);
    for (int i = 0; i < count; i++) {
        assert_int_equal(number(json_array_get(plants, (size_t)i), "start"), feet[i].start);
        assert_int_equal(number(json_array_get(plants, (size_t)i), "end"), feet[i].end);
    }
    assert_int_equal(number(same, "dropped"), 0);
    assert_int_equal(count_matched(item(same, "clips", 1)), count);
    json_decref(same);
    /* plants that one of them does not have */
    bench_program("marey cut lib.marey walk#0-300 floating");
    json_decref(api_json(
        &all->b, do_contacts, bench_id(&all->b, "floating"), NULL,
        "{\"set\": {\"contacts\": [{\"joint\": \"left_heel\", \"start\": 0, \"end\": 20}]}}", 200));
    char body[128];
    snprintf(body, sizeof body, "{'clips': [{'clip': $walk}, {'clip': %" PRId64 "}]}",
             bench_id(&all->b, "floating"));
    json_t *got = ask(all, body);
    size_t matched = count_matched(item(got, "clips", 0));
    assert_int_equal(number(got, "dropped"),
                     count - (int)matched + 1 - (int)count_matched(item(got, "clips", 1)));
    assert_true(matched <= 1);
    json_decref(got);
}

/* ---- keeping ------------------------------------------------------------------------------------ */

static marey_kept *kept_of(blend_bench *all, const char *name)
{
    marey_kept *kept = NULL;
    marey_error error;
    if (marey_library_kept(all->b.by.library, MAREY_KEPT_REGISTRATION, name, &kept, &error)) {
        fail_msg("%s", error.message);
    }
    return kept;
}

static void check_kept(blend_bench *all, const char *ours, const char *theirs)
{
    marey_kept *one = kept_of(all, ours), *two = kept_of(all, theirs);
    size_t left, right;
    int count;
    const void *x = marey_kept_bytes(one, &left), *y = marey_kept_bytes(two, &right);
    assert_int_equal(left, right);
    assert_memory_equal(x, y, left);
    json_t *about = json_loads(marey_kept_entries(one, &count)->about, 0, NULL);
    json_t *other = json_loads(marey_kept_entries(two, &count)->about, 0, NULL);
    json_t *name = json_object_get(json_object_get(other, "settings"), "save");
    assert_string_equal(json_string_value(name), theirs);
    json_string_set(name, ours);
    assert_true(json_equal(about, other));
    json_decref(about);
    json_decref(other);
    marey_kept_free(one);
    marey_kept_free(two);
}

TEST(what_is_kept_is_what_the_program_keeps)
{
    blend_bench *all = *state;
    json_t *got = ask(all, "{'clips': [{'clip': $walk, 'start': 20, 'end': 260}, {'clip': $jog}], "
                           "'slope': 3, 'save': 'ours'}");
    assert_string_equal(json_string_value(json_object_get(got, "saved")), "ours");
    bench_program("marey align -L lib.marey walk#20-260 jog --slope 3 --save theirs --quiet");
    check_kept(all, "ours", "theirs");
    json_t *list = api_json(&all->b, do_curves, 0, NULL, "{}", 200);
    assert_int_equal(json_array_size(json_object_get(list, "curves")), 2);
    const json_t *first = item(list, "curves", 0);
    assert_string_equal(json_string_value(json_object_get(first, "name")), "ours");
    assert_int_equal(number(item(first, "clips", 0), "id"), all->walk);
    assert_int_equal(number(item(first, "clips", 0), "start"), 20);
    assert_int_equal(number(item(first, "clips", 1), "end"), 300);
    assert_string_equal(json_string_value(json_object_get(item(first, "clips", 1), "clip")), "jog");
    /* what is opened again says the same */
    json_t *again = ask(all, "{'curve': 'theirs'}");
    static const char *const same[] = { "u", "first", "last", "matches", "path", "dropped" };
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        assert_true(json_equal(json_object_get(got, same[i]), json_object_get(again, same[i])));
    for (size_t i = 0; i < 2; i++) {
        const json_t *one = item(got, "clips", i), *two = item(again, "clips", i);
        assert_true(json_equal(json_object_get(one, "times"), json_object_get(two, "times")));
        assert_true(json_equal(json_object_get(one, "plants"), json_object_get(two, "plants")));
    }
    assert_true(json_is_null(json_object_get(again, "saved")));
    json_decref(again);
    json_decref(list);
    json_decref(got);
    for (int i = 0; i < 2; i++) {
        json_t *none = api_json(&all->b, do_curves, 0, NULL,
                                i ? "{\"rm\": \"theirs\"}" : "{\"rm\": \"ours\"}", 200);
        json_decref(none);
    }
    list = api_json(&all->b, do_curves, 0, NULL, "{}", 200);
    assert_int_equal(json_array_size(json_object_get(list, "curves")), 0);
    json_decref(list);
    api_refused(&all->b, do_align, 0, NULL, "{\"curve\": \"theirs\"}", 404, "input", "theirs");
    api_refused(&all->b, do_curves, 0, NULL, "{\"rm\": \"theirs\"}", 404, "input", "theirs");
}

/* ---- what a worker keeps ------------------------------------------------------------------------ */

/* The latest of a kind that its cache has. */
static const app_cached *latest(blend_bench *all, const char *kind)
{
    const app_cached *found = NULL;
    for (int i = 0; i < APP_CACHE_MOST; i++) {
        const app_cached *one = &all->b.by.saved.entries[i];
        if (one->object && strcmp(one->kind, kind) == 0 && (!found || one->used > found->used))
            found = one;
    }
    assert_non_null(found);
    return found;
}

static const app_registered *registered_for(blend_bench *all, const char *body)
{
    json_decref(ask(all, body));
    return latest(all, "registered")->object;
}

TEST(the_same_clips_are_registered_once)
{
    static const char two[] = "{'clips': [$walk, $jog]}";
    blend_bench *all = *state;
    const app_registered *first = registered_for(all, two);
    assert_ptr_equal(registered_for(all, two), first);
    made_read made = read_made(all, do_blend, "{'clips': [$walk, $jog], 'weights': [1, 1]}");
    assert_ptr_equal(latest(all, "registered")->object, first);
    made_free(&made);
    assert_ptr_not_equal(registered_for(all, "{'clips': [$walk, $jog], 'slope': 4}"), first);
    assert_ptr_not_equal(registered_for(all, "{'clips': [$walk, $jog], 'metric': 'angles'}"),
                         first);
    const app_registered *turned = registered_for(all, "{'clips': [$jog, $walk]}");
    assert_int_equal(turned->all.items[0].source.id, all->jog);
    assert_ptr_equal(registered_for(all, two), first); /* it is still open */
}

TEST(the_clips_of_a_preview_are_loaded_once)
{
    blend_bench *all = *state;
    made_read made = read_made(all, do_transition, "{'a': $walk, 'b': $jog, 'at': [150, 120]}");
    const void *first = latest(all, "clips")->object;
    made_free(&made);
    made = read_made(all, do_transition, "{'a': $walk, 'b': $jog, 'at': [140, 110], 'half': 9}");
    assert_ptr_equal(latest(all, "clips")->object, first);
    made_free(&made);
    made = read_made(all, do_loop, "{'clip': $walk}");
    assert_ptr_not_equal(latest(all, "clips")->object, first);
    made_free(&made);
}

TEST(a_change_of_plants_or_clips_is_seen)
{
    blend_bench *all = *state;
    char body[128], removed[64];
    bench_program("marey cut lib.marey walk#0-300 changing");
    int64_t id = bench_id(&all->b, "changing");
    snprintf(body, sizeof body, "{'clips': [{'clip': $walk}, {'clip': %" PRId64 "}]}", id);
    json_t *before = ask(all, body);
    json_decref(api_json(&all->b, do_contacts, id, NULL, "{\"set\": {\"contacts\": []}}", 200));
    json_t *behind = ask(all, body);
    assert_true(json_array_size(json_object_get(before, "matches")) > 0);
    assert_int_equal(json_array_size(json_object_get(behind, "matches")), 0);
    json_decref(before);
    json_decref(behind);
    snprintf(removed, sizeof removed, "{\"clips\": [%" PRId64 "]}", id);
    json_decref(api_json(&all->b, do_rm, 0, NULL, removed, 200));
    api_refused(&all->b, do_align, 0, NULL, body_of(all, body), 404, "input", "removed");
}

TEST_GROUP_OF_CASES(test_studio_curves, blend_bench_open, blend_bench_close)
