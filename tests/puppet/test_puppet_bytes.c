/* test_puppet_bytes.c - behaviours as bytes: the same one comes back, damage and other versions are
   refused. */
#include "bytes_judge.h"
#include "math/turn.h"
#include "puppet_bench.h"

#include <stdlib.h>
#include <string.h>

enum { PLAIN = 1, SOURCED = 2, WHERE_VERSION = 4 };

static const marey_puppet_source clips[] = { { "walk", "CC BY-NC 4.0" },
                                             { "g\xc3\xa9n\xc3\xa9", "CC BY 4.0" } };

static marey_puppet *train_two(puppet_bench *bench)
{
    int count;
    FREED marey_puppet_sample *samples = puppet_bench_ready(1, &count);
    for (int i = 0; i < 90; i++) samples[i].react.x_cm += 2 * (i * 7 % 5 - 2); /* a shaking hand */
    marey_demonstration two[2] = { { samples + 1000, 150 }, { samples, 90 } };
    marey_puppet_def def = { .rate = 45, .window_s = 0.4, .gap_s = 0.3 };
    return puppet_bench_train(bench, two, 2, &def);
}

static void assert_same(const marey_puppet *a, const marey_puppet *b)
{
    const marey_puppet_def *da = marey_puppet_settings(a), *db = marey_puppet_settings(b);
    assert_true(da->rate == db->rate && da->window_s == db->window_s && da->gap_s == db->gap_s);
    assert_int_equal(marey_puppet_runs(a), marey_puppet_runs(b));
    assert_int_equal(marey_puppet_samples(a), marey_puppet_samples(b));
    for (int r = 0; r < marey_puppet_runs(a); r++) {
        assert_int_equal(marey_puppet_run_samples(a, r), marey_puppet_run_samples(b, r));
        for (int i = 0; i < marey_puppet_run_samples(a, r); i++) {
            marey_puppet_sample x = marey_puppet_sample_at(a, r, i);
            marey_puppet_sample y = marey_puppet_sample_at(b, r, i);
            assert_memory_equal(&x, &y, sizeof x);
        }
    }
}

TEST_BENCH(the_same_behaviour_comes_back)
{
    OWNED(marey_puppet) *puppet = train_two(bench), *again = NULL;
    OWNED(judge_bytes) bytes = { .ctx = bench->ctx }, other = { .ctx = bench->ctx };
    marey_error error = { 0 };
    test_fine(marey_puppet_write(puppet, &bytes.at, &bytes.size, &error), &error);
    test_fine(marey_puppet_read(bench->ctx, bytes.at, bytes.size, &again, &error), &error);
    assert_same(puppet, again);
    static marey_entity main[600];
    puppet_bench_wander(3, main, 600);
    OWNED(marey_reactor) *first = puppet_bench_react(bench, puppet, main, NULL);
    OWNED(marey_reactor) *second = puppet_bench_react(bench, again, main, NULL);
    for (int i = 1; i < 600; i++) {
        marey_puppet_frame x, y;
        marey_puppet_step(first, &main[i], &x);
        marey_puppet_step(second, &main[i], &y);
        assert_memory_equal(&x.react, &y.react, sizeof x.react);
        assert_true(x.time_s == y.time_s && x.run == y.run && x.weight == y.weight);
    }
    test_fine(marey_puppet_write(again, &other.at, &other.size, &error), &error);
    judge_same_bytes(&bytes, &other);
}

/* Without clips, and with some: both forms of bytes. */
static void write_form(const marey_puppet *puppet, int version, uint8_t **bytes, size_t *size)
{
    marey_error error = { 0 };
    test_fine(
        marey_puppet_write_from(puppet, clips, version == SOURCED ? 2 : 0, bytes, size, &error),
        &error);
}

TEST_BENCH(clips_and_licences_come_back_and_change_nothing_else)
{
    OWNED(marey_puppet) *puppet = train_two(bench), *again = NULL;
    OWNED(marey_puppet_sources) *sources = NULL, *none = NULL;
    OWNED(judge_bytes) usual = { .ctx = bench->ctx }, plain = usual, sourced = usual;
    int count;
    marey_error error = { 0 };
    test_fine(marey_puppet_write(puppet, &usual.at, &usual.size, &error), &error);
    write_form(puppet, PLAIN, &plain.at, &plain.size);
    write_form(puppet, SOURCED, &sourced.at, &sourced.size);
    judge_same_bytes(&usual, &plain);
    test_fine(marey_puppet_read(bench->ctx, sourced.at, sourced.size, &again, &error), &error);
    assert_same(puppet, again);
    test_fine(marey_puppet_sources_read(bench->ctx, sourced.at, sourced.size, &sources, &error),
              &error);
    const marey_puppet_source *items = marey_puppet_sources_list(sources, &count);
    assert_int_equal(count, 2);
    for (int i = 0; i < 2; i++) {
        assert_string_equal(items[i].name, clips[i].name);
        assert_string_equal(items[i].licence, clips[i].licence);
    }
    test_fine(marey_puppet_sources_read(bench->ctx, usual.at, usual.size, &none, &error), &error);
    marey_puppet_sources_list(none, &count);
    assert_int_equal(count, 0);
    OWNED(judge_bytes) more = { .ctx = bench->ctx };
    assert_int_equal(marey_puppet_write_from(puppet, clips, MAREY_PUPPET_MOST_SOURCES + 1, &more.at,
                                             &more.size, &error),
                     MAREY_ERR_LIMIT);
}

/* Where a puppet is read its clips can be had as well; damage to either is refused. */
static marey_status read_some(void *user, const uint8_t *bytes, size_t size, marey_error *error)
{
    puppet_bench *bench = user;
    OWNED(marey_puppet) *puppet = NULL;
    OWNED(marey_puppet_sources) *sources = NULL;
    *error = (marey_error){ 0 };
    marey_status status = marey_puppet_sources_read(bench->ctx, bytes, size, &sources, error);
    assert_true((status == MAREY_OK) == (sources != NULL));
    assert_true(status == MAREY_OK || status == MAREY_ERR_INPUT);
    marey_status named = status;
    status = marey_puppet_read(bench->ctx, bytes, size, &puppet, error);
    assert_true(status != MAREY_OK || named == MAREY_OK);
    assert_true((status == MAREY_OK) == (puppet != NULL));
    if (status) assert_true(error->message[0] != 0);
    for (int r = 0; puppet && r < marey_puppet_runs(puppet); r++) {
        for (int i = 0; i < marey_puppet_run_samples(puppet, r); i++) {
            marey_puppet_sample at = marey_puppet_sample_at(puppet, r, i);
            assert_true(mry_entity_can_be(&at.main) && mry_entity_can_be(&at.react));
        }
    }
    return status;
}

TEST_BENCH(damaged_bytes_are_refused_or_harmless)
{
    OWNED(marey_puppet) *puppet = train_two(bench);
    for (int version = PLAIN; version <= SOURCED; version++) {
        OWNED(judge_bytes) bytes = { .ctx = bench->ctx };
        write_form(puppet, version, &bytes.at, &bytes.size);
        long live = bench->memory.live;
        judge_damaged_bytes(bytes.at, bytes.size, (uint64_t)version, 200, read_some, bench);
        assert_int_equal(bench->memory.live, live);
    }
}

/* The sum is right, what it stands for is not. */
static void forge(int version)
{
    OWNED(puppet_bench) *bench = puppet_bench_open();
    OWNED(marey_puppet) *puppet = train_two(bench);
    OWNED(judge_bytes) bytes = { .ctx = bench->ctx };
    marey_error error = { 0 };
    write_form(puppet, version, &bytes.at, &bytes.size);
    FREED uint8_t *forged = malloc(bytes.size);
    uint64_t seed = 11;
    int refused = 0;
    for (int turn = 0; turn < 3000; turn++) {
        memcpy(forged, bytes.at, bytes.size);
        size_t reach = turn % 2 ? 60 : bytes.size - JUDGE_SUM_BYTES;
        for (int k = 0; k <= turn % 3; k++)
            forged[mry_random_next(&seed) % reach] = (uint8_t)mry_random_next(&seed);
        judge_put_sum(forged, bytes.size, (uint64_t)version);
        marey_status status = read_some(bench, forged, bytes.size, &error);
        assert_true(status == MAREY_OK || status == MAREY_ERR_INPUT);
        refused += status == MAREY_ERR_INPUT;
    }
    assert_true(refused > 500 && refused < 3000);
}

TEST(forged_bytes_are_refused_or_make_a_sound_behaviour)
{
    forge(PLAIN);
    forge(SOURCED);
}

/* What stands where the first clip's name begins; and one more clip than there are. */
TEST_BENCH(clips_that_cannot_be_are_refused)
{
    enum { WHERE_COUNT = WHERE_VERSION + 1, WHERE_NAME = WHERE_COUNT + 2 };
    static const struct {
        size_t at;
        uint8_t value;
    } wrong[] = { { WHERE_COUNT, 0 },        { WHERE_COUNT, 3 },    { WHERE_COUNT, 0xff },
                  { WHERE_COUNT + 1, 0xff }, { WHERE_NAME + 2, 0 }, { WHERE_COUNT, 250 },
                  { WHERE_COUNT + 1, 9 } };
    OWNED(marey_puppet) *puppet = train_two(bench);
    OWNED(judge_bytes) bytes = { .ctx = bench->ctx };
    marey_error error = { 0 };
    write_form(puppet, SOURCED, &bytes.at, &bytes.size);
    assert_memory_equal(bytes.at + WHERE_NAME, "walk", 4);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        uint8_t was = bytes.at[wrong[i].at];
        bytes.at[wrong[i].at] = wrong[i].value;
        judge_put_sum(bytes.at, bytes.size, SOURCED);
        assert_int_equal(read_some(bench, bytes.at, bytes.size, &error), MAREY_ERR_INPUT);
        assert_non_null(strstr(error.message, "damaged"));
        bytes.at[wrong[i].at] = was;
    }
    judge_put_sum(bytes.at, bytes.size, SOURCED);
    assert_int_equal(read_some(bench, bytes.at, bytes.size, &error), MAREY_OK);
}

TEST_BENCH(another_version_is_distinguished_from_damage)
{
    OWNED(marey_puppet) *puppet = train_two(bench);
    OWNED(judge_bytes) bytes = { .ctx = bench->ctx };
    marey_error error = { 0 };
    test_fine(marey_puppet_write(puppet, &bytes.at, &bytes.size, &error), &error);
    bytes.at[WHERE_VERSION] ^= 8;
    assert_int_equal(read_some(bench, bytes.at, bytes.size, &error), MAREY_ERR_INPUT);
    assert_non_null(strstr(error.message, "another version"));
    bytes.at[WHERE_VERSION] ^= 8;
    bytes.at[bytes.size - 1]++;
    assert_int_equal(read_some(bench, bytes.at, bytes.size, &error), MAREY_ERR_INPUT);
    assert_non_null(strstr(error.message, "damaged"));
}

TEST_BENCH(refused_memory_is_reported_and_nothing_leaks)
{
    OWNED(marey_puppet) *puppet = train_two(bench);
    long sources_refused = 0;
    marey_status status = MAREY_OK;
    test_refusals sweep = { .memory = &bench->memory, .each = true };
    while (test_refuse(&sweep, status)) {
        OWNED(marey_puppet) *again = NULL;
        OWNED(marey_puppet_sources) *sources = NULL;
        OWNED(judge_bytes) bytes = { .ctx = bench->ctx };
        marey_error error = { 0 };
        status = marey_puppet_write_from(puppet, clips, 2, &bytes.at, &bytes.size, &error);
        if (status == MAREY_OK)
            status = marey_puppet_read(bench->ctx, bytes.at, bytes.size, &again, &error);
        if (status == MAREY_OK)
            status = marey_puppet_sources_read(bench->ctx, bytes.at, bytes.size, &sources, &error);
        assert_true((status == MAREY_OK) == (sources != NULL));
        sources_refused += again && status != MAREY_OK;
    }
    assert_true(sweep.at >= 3 && sources_refused >= 1);
}

TEST_GROUP_OF_CASES(test_puppet_bytes, NULL, NULL)
