/* test_searcher_faults.c - searching when memory is refused at every call in turn, webs held or
   not, and by an index that a foreign library made up: every search says what is wrong, nothing is
   held, and the next one finds what it should. */
#include "searcher_bench.h"

#include "match/web_bits.h"
#include "match/web_data.h"

#include <stdlib.h>
#include <string.h>

/* ---- refused memory -------------------------------------------------------------------------- */

typedef struct starved {
    test_memory memory;
    marey_ctx *ctx;
    marey_library *library;
    marey_searcher *searcher;
} starved;

static void open_starved(starved *s)
{
    *s = (starved){ .memory = { .refuse = -1 } };
    s->ctx = test_ctx_refusing(&s->memory);
    test_ok(marey_library_open(s->ctx, test_searcher_base(), MAREY_LIBRARY_READ, &s->library,
                               &test_error));
    test_ok(marey_searcher_open(s->library, &s->searcher, &test_error));
}

static void close_starved(starved *s)
{
    marey_searcher_free(s->searcher);
    marey_library_close(s->library);
    marey_ctx_close(s->ctx);
    assert_int_equal(s->memory.live, 0);
}

/* Webs are held from a search before, so that all that can be refused is what the search itself
   takes. Showing a tier of so many matches takes memory too, the last before the answer: what was
   found until then must go once, and only once. */
TEST(refused_memory_is_reported_wherever_it_is_refused)
{
    starved s;
    test_watch w = { 0 };
    marey_find_def def = { .search = { .threshold = 1000, .distinct = 0.6, .tiers = 2 },
                           .web = true,
                           .found = test_see_tier,
                           .user = &w };
    marey_query query = { .clip = "kicks", .start = 122, .end = 132 };
    int refused = 0;
    open_starved(&s);
    for (long n = -1;; n = test_next(n)) { /* -1: none is refused */
        marey_finding *finding = NULL;
        s.memory.refuse = n < 0 ? -1 : s.memory.calls + n;
        marey_status status = marey_searcher_find(s.searcher, &query, &def, &finding, &test_error);
        bool done = n < 0 || s.memory.calls <= s.memory.refuse;
        s.memory.refuse = -1;
        assert_int_equal(status, done ? MAREY_OK : MAREY_ERR_MEMORY);
        assert_true((finding == NULL) == (status != MAREY_OK));
        if (done) assert_true(test_found_count(finding) > 43);
        marey_finding_free(finding);
        if (done && n >= 0) break;
        refused++;
    }
    assert_true(refused > 10);
    close_starved(&s);
}

/* ---- invalid webs ---------------------------------------------------------------------- */

/* Of fight with kicks. */
static int64_t web_number(test_library *f)
{
    int64_t a = test_library_number(f, "kicks"), b = test_library_number(f, "fight"), id = 0;
    mry_query row = mry_query_start(f->library->store,
                                    "SELECT id FROM web WHERE a = min(?1, ?2) AND b = max(?1, ?2)");
    mry_bind_integer(&row, 1, a);
    mry_bind_integer(&row, 2, b);
    while (mry_query_next(&row)) id = mry_column_integer(&row, 0);
    test_ok(mry_query_end(&row, NULL));
    assert_true(id > 0);
    return id;
}

static uint8_t *web_bytes(test_library *f, int64_t web, size_t *size)
{
    uint8_t *copy = NULL;
    mry_query row = mry_query_start(f->library->store, "SELECT bytes FROM web_bytes WHERE web = ?");
    mry_bind_integer(&row, 1, web);
    while (mry_query_next(&row)) {
        const void *bytes = mry_column_bytes(&row, 0, size);
        copy = malloc(*size);
        memcpy(copy, bytes, *size);
    }
    test_ok(mry_query_end(&row, NULL));
    assert_non_null(copy);
    return copy;
}

/* Where they stand in the bytes, see web_bytes.c. */
enum { ROWS_AT = 6, COLS_AT = 10, FPS_AT = 34 };

/* With its sum, and with what its row says of it, as an attacker would. */
static void forge(test_library *f, int64_t web, uint8_t *bytes, size_t size)
{
    uint64_t sum = mry_hash64(bytes, size - MRY_WEB_SUM_BYTES, MRY_WEB_VERSION);
    uint32_t rows, cols;
    for (int i = 0; i < MRY_WEB_SUM_BYTES; i++)
        bytes[size - MRY_WEB_SUM_BYTES + (size_t)i] = (uint8_t)(sum >> (8 * i));
    memcpy(&rows, bytes + ROWS_AT, 4);
    memcpy(&cols, bytes + COLS_AT, 4);
    mry_query row =
        mry_query_start(f->library->store, "UPDATE web_bytes SET bytes = ? WHERE web = ?");
    mry_bind_bytes(&row, 1, bytes, size);
    mry_bind_integer(&row, 2, web);
    mry_query_next(&row);
    test_ok(mry_query_end(&row, NULL));
    row = mry_query_start(f->library->store, "UPDATE web SET rows = ?, cols = ? WHERE id = ?");
    mry_bind_integer(&row, 1, rows);
    mry_bind_integer(&row, 2, cols);
    mry_bind_integer(&row, 3, web);
    mry_query_next(&row);
    test_ok(mry_query_end(&row, NULL));
}

#define CASE(name) TEST_OF_IN(test_searcher_make, test_library_free, test_library *f, name)

CASE(a_web_that_is_not_its_clips_is_refused)
{
    static const double rates[] = { 1e-300, 1, 29.999, 60, 9e8 };
    marey_find_def all = { .search = { .threshold = 400 }, .web = true };
    int64_t web = web_number(f);
    size_t size;
    FREED uint8_t *bytes = web_bytes(f, web, &size), *copy = malloc(size);
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) {
        memcpy(copy, bytes, size);
        memcpy(copy + FPS_AT, &rates[i], sizeof *rates);
        forge(f, web, copy, size);
        mry_held_free(&f->searcher->held);
        test_searcher_refuses(f, test_kick, &all, MAREY_ERR_INPUT, "is not theirs");
    }
    for (int i = 0; i < 2; i++) { /* a longer clip than it is: matches would lie behind its end */
        uint32_t longer;
        memcpy(copy, bytes, size);
        memcpy(&longer, copy + (i ? ROWS_AT : COLS_AT), 4);
        longer += 1000;
        memcpy(copy + (i ? ROWS_AT : COLS_AT), &longer, 4);
        forge(f, web, copy, size);
        mry_held_free(&f->searcher->held);
        test_searcher_refuses(f, test_kick, &all, MAREY_ERR_INPUT, "is not theirs");
    }
    forge(f, web, bytes, size);
    mry_held_free(&f->searcher->held);
    marey_finding_free(test_searcher_find(f, test_kick, &all));
}

/* As many chains as there are bits: more than can be counted in 32 bits only if all are
   believed. */
CASE(counts_of_a_web_are_held_against_its_bytes)
{
    enum { CHAINS_AT = 14 };
    int64_t web = web_number(f);
    size_t size;
    FREED uint8_t *bytes = web_bytes(f, web, &size), *copy = malloc(size);
    for (int field = 0; field < 3; field++) {
        static const uint32_t counts[] = { UINT32_MAX, INT32_MAX, UINT32_MAX / 2 + 1 };
        for (int i = 0; i < 3; i++) {
            memcpy(copy, bytes, size);
            memcpy(copy + CHAINS_AT + 4 * field, &counts[i], 4);
            forge(f, web, copy, size);
            mry_held_free(&f->searcher->held);
            test_searcher_refuses(f, test_kick, &(marey_find_def){ .web = true }, MAREY_ERR_INPUT,
                                  "is damaged");
        }
    }
}

TEST_GROUP_OF_CASES(test_searcher_faults, test_searcher_base_make, test_searcher_base_remove)
