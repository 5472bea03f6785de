/* test_metric_bytes.c - metrics as bytes: every one comes back, and what was cut or changed is refused or can be used. */
#include "support.h"

#include "feature/metric_bytes.h"

#include <stdlib.h>
#include <string.h>

static const marey_metric_def odd = { .window = 7,
                                      .tapered = true,
                                      .common_size = true,
                                      .fixed_root = true,
                                      .normalised = true,
                                      .candidates = 12,
                                      .smooth_s = 0.25,
                                      .attributes_given = true,
                                      .attributes = { 1, 2, 0.5 } };

static mry_bytes_reader reader_of(const uint8_t *bytes, size_t count)
{
    return (mry_bytes_reader){ .p = bytes, .end = bytes + count };
}

TEST_CTX(every_metric_comes_back_with_its_weights)
{
    OWNED(mry_arena) mem = mry_arena_make(ctx);
    marey_joint_weights own;
    test_ok(marey_joint_weights_parse("hips=1,knee=0.25", &own, &test_error));
    const marey_joint_weights *row;
    for (int w = 0; w == 0 || marey_joint_weights_find(w - 1); w++) {
        row = w ? marey_joint_weights_find(w - 1) : &own;
        const marey_metric *metric;
        for (int m = 0; (metric = marey_metric_find(m)); m++) {
            for (int way = 0; way < 2; way++) {
                marey_metric_def def = way ? odd : (marey_metric_def){ 0 }, back = { 0 };
                marey_joint_weights joints;
                mry_bytes_writer out = { .mem = &mem };
                def.metric = metric;
                def.joints = row;
                mry_put_metric(&out, &def);
                mry_bytes_reader in = reader_of(out.bytes, out.used);
                assert_true(mry_get_metric(&in, &back, &joints));
                assert_true(in.p == in.end && back.metric == metric && back.joints == &joints);
                assert_string_equal(joints.name, w ? row->name : "own");
                assert_int_equal(joints.every_joint, row->every_joint);
                assert_memory_equal(joints.roles, row->roles, sizeof joints.roles);
                assert_true(
                    back.window == def.window && back.tapered == def.tapered &&
                    back.common_size == def.common_size && back.fixed_root == def.fixed_root &&
                    back.normalised == def.normalised && back.candidates == def.candidates &&
                    back.smooth_s == def.smooth_s && back.attributes_given == def.attributes_given);
                assert_memory_equal(back.attributes, def.attributes, sizeof def.attributes);
            }
        }
    }
}

/* As indexes once had it: the weights behind the name, those of roles only where not every joint counts. */
static void put_old(mry_bytes_writer *out, const char *metric, const char *weights, bool every,
                    double each, int window)
{
    const marey_metric *named = marey_metric_named(metric);
    mry_put_text(out, metric);
    mry_put_text(out, weights);
    mry_put_integer(out, every);
    for (int r = 0; r < MAREY_ROLE_COUNT && !every; r++) mry_put_number(out, each);
    mry_put_integer(out, window);
    mry_put_integer(out, 1);
    for (int i = 0; named && i < named->attribute_count; i++) mry_put_number(out, 0.5 + i);
    mry_put_integer(out, 0);
    mry_put_integer(out, 1);
    mry_put_number(out, 3);
    mry_put_number(out, 0.5);
    mry_put_integer(out, 0);
    mry_put_integer(out, 0);
}

TEST_CTX(metrics_of_earlier_indexes_are_read)
{
    static const struct {
        const char *metric, *weights;
        bool every;
        double each;
        int window;
        bool fits;
    } rows[] = {
        { "points", "own", false, 0.5, 5, true },
        { "points", "own", false, 0.001, 5, true },
        { "angles", "own", true, 0, 5, true },
        { "nonsense", "own", false, 0.5, 5, false },
        { "points", "own", false, 0, 5, false },
        { "points", "own", false, -1, 5, false },
        { "points", "own", true, 0, 0, false },
        { "points", "own", true, 0, MAREY_MOST_WINDOW + 1, false },
        { "", "own", true, 0, 5, false },
        { "a name that is longer than that of any metric there is, or ever will be", "own", true, 0,
          5, false },
    };
    OWNED(mry_arena) mem = mry_arena_make(ctx);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        mry_bytes_writer out = { .mem = &mem };
        marey_metric_def def = { 0 };
        marey_joint_weights joints;
        put_old(&out, rows[i].metric, rows[i].weights, rows[i].every, rows[i].each, rows[i].window);
        mry_bytes_reader in = reader_of(out.bytes, out.used);
        if (mry_get_metric_of_index2(&in, &def, &joints) != rows[i].fits) fail_msg("%d", (int)i);
        if (!rows[i].fits) continue;
        assert_true(in.p == in.end && def.window == 5 && def.tapered && def.common_size &&
                    !def.fixed_root && def.candidates == 3 && def.smooth_s == 0.5);
        assert_int_equal(def.attributes_given, def.metric->attribute_count > 0);
        for (int k = 0; k < def.metric->attribute_count; k++)
            assert_true(def.attributes[k] == 0.5 + k);
        for (size_t cut = 0; cut < out.used; cut++) {
            FREED uint8_t *copy = malloc(cut + 1);
            memcpy(copy, out.bytes, cut);
            in = reader_of(copy, cut);
            assert_false(mry_get_metric_of_index2(&in, &def, &joints));
        }
    }
}

TEST_CTX(every_cut_is_refused_and_every_changed_byte_is_or_gives_numbers_in_their_range)
{
    OWNED(mry_arena) mem = mry_arena_make(ctx);
    marey_joint_weights joints, own = { .name = "own", .description = "" };
    marey_metric_def def = odd, back = { 0 };
    mry_bytes_writer out = { .mem = &mem };
    int refused = 0;
    own.roles[3] = 2;
    def.metric = marey_metric_named("angles");
    def.joints = &own;
    mry_put_metric(&out, &def);
    FREED uint8_t *copy = malloc(out.used);
    for (size_t at = 0; at < out.used; at++) {
        FREED uint8_t *cut = malloc(at + 1);
        memcpy(cut, out.bytes, at);
        mry_bytes_reader in = reader_of(cut, at);
        assert_false(mry_get_metric(&in, &back, &joints));
        for (int bit = 0; bit < 8; bit++) {
            memcpy(copy, out.bytes, out.used);
            copy[at] ^= (uint8_t)(1 << bit);
            in = reader_of(copy, out.used);
            if (!mry_get_metric(&in, &back, &joints)) {
                refused++;
                continue;
            }
            assert_true(back.window >= 0 && back.window <= MAREY_MOST_WINDOW);
            for (int r = 0; r < MAREY_ROLE_COUNT; r++) assert_true(joints.roles[r] >= 0);
        }
    }
    assert_true(refused > 100);
    /* Weights that are all nothing weigh nothing. */
    out.used = 0;
    own.roles[3] = 0;
    mry_put_metric(&out, &def);
    mry_bytes_reader in = reader_of(out.bytes, out.used);
    assert_false(mry_get_metric(&in, &back, &joints));
}

TEST_GROUP_OF_CASES(test_metric_bytes, NULL, NULL)
