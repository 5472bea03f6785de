/* test_blend_plants.c - which feet and hands a blend should hold. */
#include "blend_clips.h"

#include "align/registration_data.h"
#include "blend/blender.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void expect_sound(const marey_contacts *contacts, int frames)
{
    for (int i = 0; i < contacts->count; i++) {
        const marey_contact *c = &contacts->items[i];
        assert_true(c->start >= 0 && c->start < c->end && c->end <= frames);
        if (i == 0) continue;
        assert_true(c->joint > c[-1].joint || (c->joint == c[-1].joint && c->start >= c[-1].end));
    }
}

#define WITH(name) TEST_OF_IN(test_walks_set_up, test_walks_tear_down, test_walks *w, name)

/* Weights that change sign and spans that cross: frame by frame, against the definition. */
WITH(frames_have_the_plants_of_their_own_weights)
{
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
    OWNED(marey_contacts) found = { .ctx = w->ctx };
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
}

/* Weights beyond 1 draw the plants of two matches over each other: the later one waits. */
WITH(plants_that_would_overlap_follow_each_other)
{
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
    OWNED(marey_contacts) found = { .ctx = w->ctx };
    for (int twice = 0; twice < 2; twice++) { /* appended to what is there, and sorted */
        assert_true(mry_blend_constraints(&run, 100 - 100 * twice, &found));
        assert_int_equal(found.count, 2 + 2 * twice);
        expect_sound(&found, 200);
    }
    assert_true(found.items[0].start == 12 && found.items[0].end == 26);
    assert_true(found.items[1].start == 26 && found.items[1].end == 40);
}

WITH(plants_last_between_those_of_the_motions)
{
    OWNED(marey_registration) *of =
        test_register(w->ctx, (const marey_clip *const[]){ w->walk, w->slow }, 2);
    double seconds[3] = { 0 };
    int counts[3];
    for (int n = 0; n < 3; n++) {
        double weights[2] = { 1 - n / 2.0, n / 2.0 };
        OWNED(marey_made) made = test_blend_plain(w->ctx, of, MAREY_BLEND_REGISTERED, weights);
        expect_sound(&made.contacts, made.clip->frames);
        counts[n] = made.contacts.count;
        for (int c = 0; c < counts[n]; c++)
            seconds[n] += made.contacts.items[c].end - made.contacts.items[c].start;
    }
    assert_true(counts[0] > 8);
    assert_int_equal(counts[0], counts[1]);
    assert_int_equal(counts[2], counts[1]);
    assert_true(seconds[1] > 1.1 * seconds[0] && seconds[2] > 1.1 * seconds[1]);
}

WITH(feet_are_held_unless_they_are_to_be_left)
{
    const double weights[3] = { 0.4, 0.3, 0.3 };
    marey_blend_def def = { .weights = weights };
    OWNED(marey_made) held = test_blend(w->ctx, w->of, &def);
    OWNED(marey_made) left = test_blend_plain(w->ctx, w->of, MAREY_BLEND_REGISTERED, weights);
    assert_true(held.clean.plants > 0 && left.clean.plants == 0);
    assert_true(held.clean.slide_after_cm <= 0.3);
    assert_true(held.clip->frames == left.clip->frames);
    assert_int_equal(held.contacts.count, left.contacts.count);
}

/* Two cartwheels to the same side, and each hand of both is one match. */
WITH(hands_of_two_cartwheels_are_held)
{
    const double weights[2] = { 0.5, 0.5 };
    int number = 0, hands = 0;
    while (strcmp(marey_demo_name(number), "cartwheels") != 0) number++;
    OWNED(marey_demo_take) *take = NULL;
    assert_int_equal(marey_demo_build(w->ctx, number, 1, &take, NULL), MAREY_OK);
    OWNED(marey_clip) *first = test_trimmed(marey_demo_clip(take), 114, 336);
    OWNED(marey_clip) *other = test_trimmed(marey_demo_clip(take), 788, 1010);
    const marey_clip *clips[] = { first, other };
    OWNED(marey_registration) *of = test_register(w->ctx, clips, 2);
    marey_blend_def def = { .weights = weights };
    OWNED(marey_made) held = test_blend(w->ctx, of, &def);
    OWNED(marey_made) left = test_blend_plain(w->ctx, of, MAREY_BLEND_REGISTERED, weights);
    double cm[64], before[64], most = 0;
    assert_true(held.contacts.count <= 64);
    marey_clip_drifts(held.clip, held.contacts.items, held.contacts.count, cm);
    marey_clip_drifts(left.clip, held.contacts.items, held.contacts.count, before);
    for (int i = 0; i < held.contacts.count; i++) {
        if (held.contacts.items[i].joint < MAREY_CONTACT_LEFT_HAND) continue;
        assert_true(cm[i] < 0.01);
        most = fmax(most, before[i]);
        hands++;
    }
    print_message("hands drift by %.2f cm before they are held\n", most);
    assert_int_equal(hands, 2);
}

/* For the clean-up alone, no list of plants would mean that it should find some. */
WITH(without_matches_no_foot_is_held)
{
    const double weights[2] = { 0.5, 0.5 };
    const marey_clip *clips[] = { w->walk, w->jog };
    const marey_contacts none[2] = { { 0 }, { 0 } };
    marey_blend_def def = { .weights = weights };
    OWNED(marey_registration) *of = NULL;
    assert_int_equal(marey_registration_build(w->ctx, clips, 2, none, NULL, &of, NULL), MAREY_OK);
    OWNED(marey_made) made = test_blend(w->ctx, of, &def);
    assert_int_equal(made.contacts.count, 0);
    assert_int_equal(made.clean.plants + made.clean.plants_left, 0);
}

/* ---- rests ----------------------------------------------------------------------------------- */

/* The plants of a clip, each toe from `early` frames before it is down. */
static marey_contacts early_toes(const marey_clip *clip, int early)
{
    marey_contacts plants = { 0 };
    assert_int_equal(marey_contacts_find(clip, NULL, &plants), MAREY_OK);
    for (int i = 0; i < plants.count; i++) {
        marey_contact *c = &plants.items[i];
        bool follows = i > 0 && c[-1].joint == c->joint;
        if ((c->joint & 1) == 0 || c->start < early) continue;
        if (!follows || c->start - early > c[-1].end) c->start -= early;
    }
    return plants;
}

/* Both feet are said to stand while they still swing: held there, they would pull the body down by
   9 cm. */
WITH(a_foot_on_its_way_is_not_held)
{
    const double weights[2] = { 0.5, 0.5 };
    const marey_clip *clips[] = { w->walk, w->slow };
    marey_contacts plants[2] = { early_toes(w->walk, 12), early_toes(w->slow, 12) };
    marey_blend_def def = { .weights = weights };
    OWNED(marey_registration) *of = NULL, *usual = test_register(w->ctx, clips, 2);
    assert_int_equal(marey_registration_build(w->ctx, clips, 2, plants, NULL, &of, NULL), MAREY_OK);
    OWNED(marey_made) made = test_blend(w->ctx, of, &def), sound = test_blend(w->ctx, usual, &def);
    print_message("the root moves by %.2f cm, by %.2f with sound plants\n",
                  made.clean.root_moved_cm, sound.clean.root_moved_cm);
    for (int i = 0; i < made.contacts.count; i++)
        assert_true(made.contacts.items[i].start >= sound.contacts.items[i].start - 4);
    assert_true(made.clean.slide_after_cm <= 0.3);
    assert_true(made.clean.root_moved_cm <= sound.clean.root_moved_cm + 1);
    expect_sound(&made.contacts, made.clip->frames);
    for (int i = 0; i < 2; i++) marey_contacts_free(&plants[i]);
}

/* A plant over two rests and the step between them becomes two; a slow slide and what is no foot
   stay. */
WITH(a_plant_is_cut_where_the_foot_goes)
{
    OWNED(mry_arena) tmp = mry_arena_make(w->ctx);
    OWNED(marey_contacts) found = { 0 };
    assert_int_equal(marey_contacts_find(w->walk, NULL, &found), MAREY_OK);
    const marey_contact *first = found.items;
    while (first->joint != MAREY_CONTACT_LEFT_TOE) first++;
    const marey_contact *second = first + 1;
    assert_true(second->joint == first->joint && second->start > first->end);
    size_t bytes = 2 * sizeof(marey_contact);
    marey_contacts plants = {
        .count = 2, .items = mry_alloc(w->ctx, bytes), .bytes = bytes, .ctx = w->ctx
    };
    plants.items[0] = (marey_contact){ first->joint, first->start, second->end };
    plants.items[1] = (marey_contact){ MAREY_CONTACT_RIGHT_HEEL, 0, 1 };
    assert_true(mry_blend_keep_rests(&tmp, w->walk, &plants));
    assert_int_equal(plants.count, 3);
    assert_true(plants.items[0].start == first->start && abs(plants.items[0].end - first->end) < 5);
    assert_true(plants.items[1].end == second->end &&
                abs(plants.items[1].start - second->start) < 5);
    assert_true(plants.items[2].start == 0 && plants.items[2].end == 1);
    marey_contacts_free(&plants);
    /* Its own plants are rests. */
    int count = found.count;
    assert_true(mry_blend_keep_rests(&tmp, w->walk, &found));
    assert_int_equal(found.count, count);
}

TEST_GROUP_OF_CASES(test_blend_plants, NULL, NULL)
