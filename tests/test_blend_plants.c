/* test_blend_plants.c - which feet a blend should hold. */
#include "blend_clips.h"

#include "align/registration_data.h"
#include "blend/blender.h"

#include <math.h>

static void expect_sound(const marey_contacts *contacts, int frames)
{
    for (int i = 0; i < contacts->count; i++) {
        const marey_contact *c = &contacts->items[i];
        assert_true(c->start >= 0 && c->start < c->end && c->end <= frames);
        if (i == 0) continue;
        assert_true(c->joint > c[-1].joint || (c->joint == c[-1].joint && c->start >= c[-1].end));
    }
}

/* Weights that change sign and spans that cross: frame by frame, against the definition. */
static void frames_have_the_plants_of_their_own_weights(void **state)
{
    test_walks *w = *state;
    enum { COUNT = 250 };
    double u[COUNT], weights[3 * COUNT], first, last;
    int match_count, held = 0;
    const marey_constraint_match *matches = marey_registration_matches(w->of, &match_count);
    marey_registration_range(w->of, &first, &last);
    for (int i = 0; i < COUNT; i++) {
        u[i] = first + (last - first) * i / (COUNT - 1);
        weights[3 * i] = 2 * sin(i / 9.0);
        weights[3 * i + 1] = 0.8 * cos(i / 7.0);
        weights[3 * i + 2] = 1 - weights[3 * i] - weights[3 * i + 1];
    }
    mry_blend_run run = { .of = w->of, .count = COUNT, .u = u, .weights = weights };
    marey_contacts found = { .ctx = w->ctx };
    assert_true(match_count > 8);
    assert_true(mry_blend_constraints(&run, 1000, &found));
    expect_sound(&found, 1000 + COUNT);
    for (int i = 0; i < COUNT; i++) {
        for (int joint = 0; joint < MAREY_CONTACT_JOINT_COUNT; joint++) {
            bool want = false, got = false;
            for (int m = 0; m < match_count; m++) {
                double start = 0, end = 0;
                for (int j = 0; j < 3; j++) {
                    start += weights[3 * i + j] * matches[m].spans[j].start;
                    end += weights[3 * i + j] * matches[m].spans[j].end;
                }
                want |= (int)matches[m].joint == joint && u[i] >= start && u[i] < end;
            }
            for (int c = 0; c < found.count; c++)
                got |= (int)found.items[c].joint == joint && found.items[c].start <= 1000 + i &&
                       1000 + i < found.items[c].end;
            assert_true(want == got);
            held += got;
        }
    }
    assert_true(held > 100);
    marey_contacts_free(&found);
}

/* Weights beyond 1 draw the plants of two matches over each other: the later one waits. */
static void plants_that_would_overlap_follow_each_other(void **state)
{
    test_walks *w = *state;
    enum { COUNT = 60 };
    marey_match_span early[] = { { 10, 20 }, { 8, 14 } }, late[] = { { 22, 40 }, { 30, 40 } };
    marey_constraint_match matches[] = { { MAREY_CONTACT_LEFT_TOE, early },
                                         { MAREY_CONTACT_LEFT_TOE, late } };
    marey_registration fake = { .count = 2, .match_count = 2, .matches = matches };
    double u[COUNT], weights[2 * COUNT];
    for (int i = 0; i < COUNT; i++) {
        u[i] = i;
        weights[2 * i] = 2; /* 12 .. 26 and 14 .. 40 */
        weights[2 * i + 1] = -1;
    }
    mry_blend_run run = { .of = &fake, .count = COUNT, .u = u, .weights = weights };
    marey_contacts found = { .ctx = w->ctx };
    for (int twice = 0; twice < 2; twice++) { /* appended to what is there, and sorted */
        assert_true(mry_blend_constraints(&run, 100 - 100 * twice, &found));
        assert_int_equal(found.count, 2 + 2 * twice);
        expect_sound(&found, 200);
    }
    assert_true(found.items[0].start == 12 && found.items[0].end == 26);
    assert_true(found.items[1].start == 26 && found.items[1].end == 40);
    marey_contacts_free(&found);
}

static void plants_last_between_those_of_the_motions(void **state)
{
    test_walks *w = *state;
    marey_registration *of =
        test_register(w->ctx, (const marey_clip *const[]){ w->walk, w->slow }, 2);
    double seconds[3] = { 0 };
    int counts[3];
    for (int n = 0; n < 3; n++) {
        double weights[2] = { 1 - n / 2.0, n / 2.0 };
        marey_made made = test_blend_plain(w->ctx, of, MAREY_BLEND_REGISTERED, weights);
        expect_sound(&made.contacts, made.clip->frames);
        counts[n] = made.contacts.count;
        for (int c = 0; c < counts[n]; c++)
            seconds[n] += made.contacts.items[c].end - made.contacts.items[c].start;
        marey_made_free(&made);
    }
    assert_true(counts[0] > 8);
    assert_int_equal(counts[0], counts[1]);
    assert_int_equal(counts[2], counts[1]);
    assert_true(seconds[1] > 1.1 * seconds[0] && seconds[2] > 1.1 * seconds[1]);
    marey_registration_free(of);
}

static void feet_are_held_unless_they_are_to_be_left(void **state)
{
    test_walks *w = *state;
    const double weights[3] = { 0.4, 0.3, 0.3 };
    marey_blend_def def = { .weights = weights };
    marey_made held = test_blend(w->ctx, w->of, &def);
    marey_made left = test_blend_plain(w->ctx, w->of, MAREY_BLEND_REGISTERED, weights);
    assert_true(held.clean.plants > 0 && left.clean.plants == 0);
    assert_true(held.clean.slide_after_cm <= 0.3);
    assert_true(held.clip->frames == left.clip->frames);
    assert_int_equal(held.contacts.count, left.contacts.count);
    marey_made_free(&held);
    marey_made_free(&left);
}

/* For the clean-up alone, no list of plants would mean that it should find some. */
static void without_matches_no_foot_is_held(void **state)
{
    test_walks *w = *state;
    const double weights[2] = { 0.5, 0.5 };
    const marey_clip *clips[] = { w->walk, w->jog };
    const marey_contacts none[2] = { { 0 }, { 0 } };
    marey_blend_def def = { .weights = weights };
    marey_registration *of = NULL;
    assert_int_equal(marey_registration_build(w->ctx, clips, 2, none, NULL, &of, NULL), MAREY_OK);
    marey_made made = test_blend(w->ctx, of, &def);
    assert_int_equal(made.contacts.count, 0);
    assert_int_equal(made.clean.plants + made.clean.plants_left, 0);
    marey_made_free(&made);
    marey_registration_free(of);
}

#define WITH(name) cmocka_unit_test_setup_teardown(name, test_walks_set_up, test_walks_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH(frames_have_the_plants_of_their_own_weights),
        WITH(plants_that_would_overlap_follow_each_other),
        WITH(plants_last_between_those_of_the_motions),
        WITH(feet_are_held_unless_they_are_to_be_left),
        WITH(without_matches_no_foot_is_held),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
