/* bytes_judge.c - bytes that are damaged in every way, and of other versions. */
#include "bytes_judge.h"

#include "base/bytes.h"
#include "store/store.h"

#include <string.h>

void judge_put_sum(uint8_t *bytes, size_t size, uint64_t version)
{
    uint64_t sum = mry_hash64(bytes, size - JUDGE_SUM_BYTES, version);
    for (int i = 0; i < JUDGE_SUM_BYTES; i++)
        bytes[size - JUDGE_SUM_BYTES + (size_t)i] = (uint8_t)(sum >> 8 * i);
}

/* A piece of memory that is not longer, so that reading past its end shows. */
static marey_status read_copy(judge_read *read, void *user, const uint8_t *bytes, size_t size)
{
    FREED uint8_t *copy = malloc(size ? size : 1);
    marey_error error = { 0 };
    memcpy(copy, bytes, size);
    marey_status status = read(user, copy, size, &error);
    if (status) assert_true(error.message[0] != 0 && error.status == status);
    assert_true(status == MAREY_OK || status == MAREY_ERR_INPUT);
    return status;
}

void judge_damaged_bytes(const uint8_t *bytes, size_t size, uint64_t version, size_t each_until,
                         judge_read *read, void *user)
{
    FREED uint8_t *changed = malloc(size);
    int refused = 0;
    assert_int_equal(read_copy(read, user, bytes, size), MAREY_OK);
    memcpy(changed, bytes, size);
    judge_put_sum(changed, size, version);
    assert_memory_equal(changed, bytes, size); /* else no sum below would be right */
    for (size_t at = 0, step = 1; at < size; at += step) {
        if (at >= each_until) step = test_is_long() ? 7 : 7 + (at - each_until) / 16;
        assert_int_equal(read_copy(read, user, bytes, at), MAREY_ERR_INPUT);
        memcpy(changed, bytes, size);
        changed[at] ^= (uint8_t)(1u << at % 8);
        assert_int_equal(read_copy(read, user, changed, size), MAREY_ERR_INPUT);
        if (at >= size - JUDGE_SUM_BYTES) continue;
        judge_put_sum(changed, size, version);
        refused += read_copy(read, user, changed, size) == MAREY_ERR_INPUT;
        changed[at] = 0xff;
        judge_put_sum(changed, size, version);
        refused += read_copy(read, user, changed, size) == MAREY_ERR_INPUT;
        if (at < JUDGE_SUM_BYTES + 1) continue; /* cut short, with a sum that is right */
        memcpy(changed, bytes, at);
        judge_put_sum(changed, at, version);
        assert_int_equal(read_copy(read, user, changed, at), MAREY_ERR_INPUT);
    }
    assert_true(refused > 50);
}

void judge_other_versions(marey_ctx *ctx, uint8_t *bytes, size_t size, int version,
                          const char *advice, judge_read *read, void *user)
{
    for (int other = version - 1; other <= version + 1; other += 2) {
        OWNED(mry_arena) tmp = mry_arena_make(ctx);
        mry_bytes_writer head = { .mem = &tmp };
        mry_put_integer(&head, other);
        assert_true(!head.failed && head.used == 1);
        bytes[4] = head.bytes[0];
        for (int right = 0; right < 2; right++) {
            marey_error error;
            if (right) judge_put_sum(bytes, size, (uint64_t)other);
            assert_int_equal(read(user, bytes, size, &error), MAREY_ERR_INPUT);
            assert_true(right == (strstr(error.message, advice) != NULL));
            assert_true(right != (strstr(error.message, "damaged") != NULL));
        }
    }
}

void judge_same_bytes(const judge_bytes *a, const judge_bytes *b)
{
    assert_int_equal(a->size, b->size);
    assert_memory_equal(a->at, b->at, a->size);
}
