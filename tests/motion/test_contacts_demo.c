/* Plants found in the demo clips, against those they were made with: of feet nearly, of hands to
   the frame. Prints the table of docs/results/contacts.md. */
#include "support.h"

#include <stdlib.h>

typedef struct score {
    long both, found, planted; /* frames of points */
} score;

static double precision(const score *s)
{
    return s->found ? (double)s->both / (double)s->found : 1;
}

static double recall(const score *s)
{
    return s->planted ? (double)s->both / (double)s->planted : 1;
}

static void spread(const marey_contact *list, int count, uint8_t bit, uint8_t *frames)
{
    for (int i = 0; i < count && list[i].joint < MAREY_CONTACT_LEFT_HAND; i++)
        for (int f = list[i].start; f < list[i].end; f++) frames[4 * f + (int)list[i].joint] |= bit;
}

static score score_take(const marey_demo_take *take)
{
    enum { TRUE = 1, FOUND = 2 };
    score s = { 0 };
    const marey_clip *clip = marey_demo_clip(take);
    int frames = marey_clip_frames(clip), count;
    FREED uint8_t *points = calloc((size_t)frames, 4);
    const marey_contact *truth = marey_demo_contacts(take, &count);
    OWNED(marey_contacts) found = { 0 };
    test_ok(marey_contacts_find(clip, NULL, &found));
    spread(truth, count, TRUE, points);
    spread(found.items, found.count, FOUND, points);
    for (int i = 0; i < 4 * frames; i++) {
        s.planted += points[i] & TRUE;
        s.found += (points[i] & FOUND) / FOUND;
        s.both += points[i] == (TRUE | FOUND);
    }
    return s;
}

TEST_CTX(plants_of_the_demo_clips_are_found)
{
    score all = { 0 };
    double least = 1;
    print_message("| take | frames | precision | recall |\n|---|---|---|---|\n");
    for (int i = 0; i < marey_demo_count(); i++) {
        OWNED(marey_demo_take) *take = NULL;
        test_ok(marey_demo_build(ctx, i, 1, &take, NULL));
        score s = score_take(take);
        print_message("| %s | %d | %.3f | %.3f |\n", marey_demo_name(i),
                      marey_clip_frames(marey_demo_clip(take)), precision(&s), recall(&s));
        least = precision(&s) < least ? precision(&s) : least;
        least = recall(&s) < least ? recall(&s) : least;
        all = (score){ all.both + s.both, all.found + s.found, all.planted + s.planted };
    }
    print_message("| all | | %.3f | %.3f |\n", precision(&all), recall(&all));
    assert_true(precision(&all) >= 0.95 && recall(&all) >= 0.95);
    assert_true(least >= 0.9);
}

/* Contacts are sorted by joint: hands come last. */
static int first_hand(const marey_contact *list, int count)
{
    int first = 0;
    while (first < count && list[first].joint < MAREY_CONTACT_LEFT_HAND) first++;
    return first;
}

/* Reaching, punching, picking up and sitting have none; cartwheels have two each. */
TEST_CTX(hands_of_the_demo_clips_are_found_to_the_frame)
{
    int hands = 0;
    for (int i = 0; i < marey_demo_count(); i++) {
        OWNED(marey_demo_take) *take = NULL;
        OWNED(marey_contacts) found = { 0 };
        int count;
        test_ok(marey_demo_build(ctx, i, 1, &take, NULL));
        const marey_contact *truth = marey_demo_contacts(take, &count);
        test_ok(marey_contacts_find(marey_demo_clip(take), NULL, &found));
        int from = first_hand(truth, count), of = first_hand(found.items, found.count);
        if (found.count - of != count - from)
            fail_msg("%s: %d hands planted, not %d", marey_demo_name(i), found.count - of,
                     count - from);
        for (int n = 0; n < count - from; n++) {
            assert_int_equal(found.items[of + n].joint, truth[from + n].joint);
            assert_int_equal(found.items[of + n].start, truth[from + n].start);
            assert_int_equal(found.items[of + n].end, truth[from + n].end);
        }
        hands += count - from;
    }
    assert_int_equal(hands, 10);
}

TEST_GROUP_OF_CASES(test_contacts_demo, NULL, NULL)
