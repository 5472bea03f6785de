/* test_body_map.c - maps of joints as text: what is written is read again, what is wrong is named. */
#include "support.h"

#include "motion/clip_data.h"

#include <marey/retarget.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The same body under other names, some of them shared, with quotes, or no UTF-8. */
static marey_clip *other_names(marey_ctx *ctx)
{
    static const char *const names[] = { "Spine", "a \"b\"\\", "caf\xe9", "tab\there",
                                         "twin",  "twin",      "twin_2" };
    marey_clip *clip = test_person_clip(ctx, 3);
    for (int j = 0; j < 7; j++) clip->joints[clip->skeleton.joint_count - 1 - j].name = names[j];
    return clip;
}

static char *text_of(const marey_clip *clip, const marey_clip *onto, const marey_body_map *map)
{
    size_t length = 0, again = 0;
    test_ok(marey_body_map_text(clip, onto, map, NULL, 0, &length));
    char *text = malloc(length + 1);
    assert_non_null(text);
    test_ok(marey_body_map_text(clip, onto, map, text, length + 1, &again));
    assert_int_equal(length, again);
    assert_int_equal(strlen(text), length);
    return text;
}

TEST_CTX(what_is_written_is_read_again)
{
    OWNED(marey_clip) *one = test_person_clip(ctx, 3), *other = other_names(ctx);
    const marey_clip *bodies[] = { one, other };
    for (int i = 0; i < 4; i++) {
        const marey_clip *from = bodies[i / 2], *to = bodies[i % 2];
        marey_joint_pair pairs[TEST_PERSON_JOINTS];
        marey_body_map map = { .count = TEST_PERSON_JOINTS - i, .pairs = pairs }, back;
        for (int k = 0; k < map.count; k++)
            pairs[k] = (marey_joint_pair){ k % 3 ? (marey_role)k : MAREY_ROLE_COUNT, k,
                                           TEST_PERSON_JOINTS - 1 - k };
        FREED char *text = text_of(from, to, &map);
        test_ok(marey_body_map_parse(from, to, "map", text, &back, &test_error));
        assert_int_equal(back.count, map.count);
        for (int k = 0; k < map.count; k++) {
            assert_int_equal(back.pairs[k].role, map.pairs[k].role);
            assert_int_equal(back.pairs[k].source, map.pairs[k].source);
            assert_int_equal(back.pairs[k].target, map.pairs[k].target);
        }
        char cut[20];
        size_t length;
        test_ok(marey_body_map_text(from, to, &map, cut, sizeof cut, &length));
        assert_int_equal(strlen(cut), sizeof cut - 1);
        marey_body_map_free(&back);
    }
}

TEST_CTX(conflicts_are_marked)
{
    OWNED(marey_clip) *clip = test_person_clip(ctx, 3);
    const int *roles = clip->skeleton.roles;
    int left = roles[MAREY_ROLE_LEFT_KNEE], right = roles[MAREY_ROLE_RIGHT_KNEE];
    int hip = roles[MAREY_ROLE_LEFT_HIP], head = roles[MAREY_ROLE_HEAD];
    marey_joint_pair pairs[] = { { MAREY_ROLE_HIPS, 0, 0 },
                                 { MAREY_ROLE_LEFT_KNEE, left, right },
                                 { MAREY_ROLE_COUNT, right, head },
                                 { MAREY_ROLE_LEFT_HIP, hip, left } };
    marey_body_map map = { .count = 4, .pairs = pairs };
    static const marey_map_conflict found[] = { MAREY_MAP_FINE, MAREY_MAP_SIDES, MAREY_MAP_FINE,
                                                MAREY_MAP_FINE };
    marey_map_conflict got[4];
    test_ok(marey_body_map_conflicts(clip, clip, &map, got));
    assert_memory_equal(got, found, sizeof found);
    FREED char *text = text_of(clip, clip, &map);
    assert_non_null(strstr(text, "\"to\": \"RightLeg\", \"conflict\": \"sides\"}"));
    pairs[1] = (marey_joint_pair){ MAREY_ROLE_LEFT_KNEE, left, hip };
    pairs[2].role = MAREY_ROLE_LEFT_TOE; /* of a right joint */
    test_ok(marey_body_map_conflicts(clip, clip, &map, got));
    assert_int_equal(got[1], MAREY_MAP_ORDER);
    assert_int_equal(got[2], MAREY_MAP_SIDES);
    assert_int_equal(got[3], MAREY_MAP_ORDER);
}

/* 10 000 of them; prefixes and capitals do not matter. */
TEST_CTX(joints_of_one_name_go_together_in_their_order)
{
    enum { MANY = 10000 };
    size_t used = 0;
    FREED char *bvh = malloc(MANY * 80 + 1000);
    used +=
        (size_t)sprintf(bvh, "HIERARCHY\nROOT a\n{\nOFFSET 0 9 0\nCHANNELS 3 Xposition Yposition "
                             "Zposition\n");
    for (int i = 1; i < MANY; i++)
        used += (size_t)sprintf(bvh + used, "JOINT %s\n{\nOFFSET 0 .01 0\nCHANNELS 0\n}\n",
                                i % 3 ? "twin" : "x:TWIN");
    sprintf(bvh + used, "}\nMOTION\nFrames: 1\nFrame Time: 0.01\n0 1 2\n");
    OWNED(marey_clip) *clip = test_clip(ctx, bvh);
    marey_body_map map;
    test_ok(marey_body_map_find(clip, clip, &map));
    assert_int_equal(map.count, MANY);
    for (int i = 0; i < MANY; i++) assert_int_equal(map.pairs[i].source, map.pairs[i].target);
    FREED char *text = text_of(clip, clip, &map);
    assert_null(strstr(text, "conflict"));
    marey_body_map_free(&map);
}

TEST_CTX(what_is_wrong_with_a_map_is_named)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        { "", "'[' or '{' expected near end of file" },
        { "[]", "a map must be an object with a list of pairs: {\"pairs\": [...]}" },
        { "{\"pairs\": 3}", "a map must be an object with a list of pairs: {\"pairs\": [...]}" },
        { "{\"pairs\": [3]}", "pair 1 must be {\"role\": ..., \"from\": ..., \"to\": ...}" },
        { "{\"pairs\": [{\"from\": \"Hips\"}]}", "pair 1 needs \"to\", a joint's name" },
        { "{\"pairs\": [{\"from\": 1, \"to\": \"Hips\"}]}",
          "pair 1 needs \"from\", a joint's name" },
        { "{\"pairs\": [{\"from\": \"Hips\", \"to\": \"hip\"}]}",
          "pair 1: \"to\": no joint is called hip" },
        { "{\"pairs\": [{\"from\": \"Hips\", \"to\": \"Hips\"}, {\"from\": \"Hips\"}]}",
          "pair 2: \"from\": Hips is in a pair before" },
        { "{\"pairs\": [{\"role\": \"tail\", \"from\": \"Hips\", \"to\": \"Hips\"}]}",
          "pair 1: \"role\" must be one of marey's roles, such as left_knee, got tail" },
        { "{\"pairs\": [{\"role\": null, \"from\": \"Hips\", \"to\": \"Hips\"}]}",
          "pair 1: \"role\" must be one of marey's roles, such as left_knee, got no text" },
        { "{\"pairs\": [{\"role\": \"hips\", \"from\": \"Hips\", \"to\": \"Hips\"}, {\"role\": "
          "\"hips\"}]}",
          "pair 2: \"role\": hips is in a pair before" },
        { "{\"pairs\": [{\"rol\": \"hips\", \"from\": \"Hips\", \"to\": \"Hips\"}]}",
          "pair 1: \"rol\" is no key of a pair: role, from, to" },
    };
    OWNED(marey_clip) *clip = test_person_clip(ctx, 3);
    marey_body_map map = { .count = -1 };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        test_refused(marey_body_map_parse(clip, clip, "m.json", cases[i].text, &map, &test_error),
                     MAREY_ERR_INPUT, cases[i].message);
    test_refused_about(
        marey_body_map_parse(clip, clip, "m.json", "{\"pairs\":\n [,]}", &map, &test_error),
        MAREY_ERR_INPUT, "unexpected token");
    assert_int_equal(test_error.line, 2);
    size_t many = (size_t)5 << 20;
    FREED char *large = malloc(many + 1);
    memset(large, ' ', many);
    large[many] = 0;
    test_refused(marey_body_map_parse(clip, clip, "m.json", large, &map, &test_error),
                 MAREY_ERR_LIMIT, "a map has at most 4 MiB");
    assert_int_equal(map.count, -1);
}

TEST(refused_memory_is_reported)
{
    OWNED(test_memory) memory = { .refuse = -1 };
    marey_ctx *ctx = test_ctx_refusing(&memory);
    marey_clip *clip = test_person_clip(ctx, 3);
    marey_status status = MAREY_OK;
    for (test_refusals sweep = { .memory = &memory, .each = true }; test_refuse(&sweep, status);) {
        marey_body_map map = { 0 }, back = { 0 };
        char text[4096];
        size_t length;
        status = marey_body_map_find(clip, clip, &map);
        if (!status) status = marey_body_map_text(clip, clip, &map, text, sizeof text, &length);
        if (!status) status = marey_body_map_parse(clip, clip, "map", text, &back, NULL);
        marey_body_map_free(&map);
        marey_body_map_free(&back);
    }
    marey_clip_free(clip);
    marey_ctx_close(ctx);
}

TEST_GROUP_OF_CASES(test_body_map, NULL, NULL)
