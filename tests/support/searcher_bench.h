/* searcher_bench.h - a small library of demo takes with an index, and searching it. */
#ifndef MAREY_TEST_SEARCHER_BENCH_H
#define MAREY_TEST_SEARCHER_BENCH_H

#include "library_bench.h"

#include "index/searcher_data.h"

/* Of the take "kicks": a kick with the right foot. The others with it: 621-749 and 1137-1263. */
enum { TEST_KICK_START = 122, TEST_KICK_END = 252 };
extern const marey_query test_kick;

/* Of a group: half of the kicks, a fight of a smaller body, punches; 30 rows a second, so that it
   is quick. */
int test_searcher_base_make(void **state);
int test_searcher_base_remove(void **state);
const char *test_searcher_base(void); /* its path */

int test_searcher_make(
    void **state); /* of a case: a copy of it with a searcher; see test_library_free */

void test_searcher_put(marey_library *library, marey_clip *clip, const char *name,
                       const char *label); /* frees the clip */
/* A body of two joints that have no roles, which turns by so many degrees a frame, for a second. */
void test_searcher_put_thing(marey_library *library, const char *name, const char *joint,
                             double turn);
void test_searcher_index(marey_library *library, double fps);

marey_finding *test_searcher_find(test_library *f, marey_query query, const marey_find_def *def);
void test_searcher_refuses(test_library *f, marey_query query, const marey_find_def *def,
                           marey_status status, const char *words);
bool test_found(const marey_finding *finding, const char *name, int start,
                int end); /* four fifths of it */
/* Fails unless both have the same matches and edges, to the last bit. */
void test_same_findings(const marey_finding *a, const marey_finding *b);
int test_found_count(const marey_finding *finding);

/* Does `use` with a searcher of the library, opened anew each time: with allocations refused, in ever
   larger steps, and cancelled at every report of progress. It says so and gives everything back. */
typedef marey_status test_searcher_use(marey_library *library, marey_searcher *searcher);
void test_searcher_starve(test_library *f, test_searcher_use *use);

/* Notes what a search shows of its tiers, and ends it after tier `stop_at`. */
typedef struct test_watch {
    int tiers, count, stop_at;
    bool ordered;
} test_watch;

bool test_see_tier(void *user, int tier, const marey_match *matches, int count);

#endif
