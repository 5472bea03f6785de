/* test_body_walked.c - which pieces a body that was made is made of: the nodes that it went
   through, and no others. */
#include "hand_graph.h"

#include <marey/puppet.h>

/* Four seconds along x, or with a corner to the left in the middle. */
static marey_status make(hand_walker *b, bool corner, marey_walk *walked, marey_made *made,
                         marey_body_made *about)
{
    const marey_entity straight[5] = {
        { 0 }, { 90, 0, 0 }, { 180, 0, 0 }, { 270, 0, 0 }, { 360, 0, 0 }
    };
    const marey_entity bent[5] = {
        { 0 }, { 90, 0, 0 }, { 180, 0, 0 }, { 180, 90, 1.5 }, { 180, 180, 1.5 }
    };
    const marey_body_def def = { .walked = walked };
    const marey_walk_make_def rate = { .fps = 60 };
    return marey_body_make(b->ctx, b->graph, b->policy, corner ? bent : straight, 5, 1, &def, &rate,
                           made, about, NULL);
}

static bool goes_on(const marey_graph *graph, int from, int to)
{
    int first, all, count = marey_graph_leaving(graph, from, &first);
    const marey_graph_transition *transitions = marey_graph_transitions(graph, &all);
    bool found = marey_graph_node_of(graph, from).next == to;
    for (int i = first; i < first + count; i++) found |= transitions[i].to == to;
    return found;
}

/* From node 9 one goes on in 0 straight on, in 10 to the left, in 20 to the right. */
TEST(what_was_walked_is_a_walk_with_the_turns_that_were_taken)
{
    OWNED(hand_walker) *b = hand_walker_open(true);
    for (int corner = 0; corner < 2; corner++) {
        OWNED(marey_walk) walked = { 0 };
        OWNED(marey_made) made = { 0 };
        marey_body_made about;
        int ways[3] = { 0 };
        assert_int_equal(make(b, corner, &walked, &made, &about), MAREY_OK);
        assert_int_equal(walked.count, 121);
        for (int n = 0; n < walked.count; n++) {
            if (n == 0) continue;
            assert_true(goes_on(b->graph, walked.nodes[n - 1], walked.nodes[n]));
            if (walked.nodes[n - 1] == 9) ways[walked.nodes[n] / 10]++;
        }
        assert_true(ways[0] > 0 && ways[2] == 0);
        assert_int_equal(ways[1], corner);
        assert_int_equal(marey_walk_pieces(b->graph, &walked, NULL, 0), about.walk.transitions + 1);
    }
}

TEST(who_stands_where_there_is_no_way_on_stands_in_one_piece)
{
    OWNED(hand_walker) *b = hand_walker_open(false);
    OWNED(marey_walk) walked = { 0 };
    OWNED(marey_made) made = { 0 };
    marey_body_made about;
    assert_int_equal(make(b, false, &walked, &made, &about), MAREY_OK);
    assert_int_equal(about.walk.transitions, 0);
    assert_int_equal(marey_walk_pieces(b->graph, &walked, NULL, 0), 1);
}

TEST(refused_memory_writes_no_walk_and_holds_none)
{
    OWNED(hand_walker) *b = hand_walker_open(true);
    marey_status status = MAREY_OK;
    test_refusals sweep = { .memory = &b->memory };
    while (test_refuse(&sweep, status)) {
        OWNED(marey_walk) walked = { 0 };
        OWNED(marey_made) made = { 0 };
        status = make(b, true, &walked, &made, NULL);
        assert_true((walked.nodes != NULL) == (status == MAREY_OK));
    }
    assert_true(sweep.at > 9);
}

TEST_GROUP_OF_CASES(test_body_walked, NULL, NULL)
