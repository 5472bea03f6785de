/* test_json_reserve.c - JSON is read to its end where the machine has no memory left. */
#include "support.h"

#include "json_reserve.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

/* Texts so long that jansson has to ask the system for more. */
enum { LETTERS = 300 * 1000 };

static json_t *read_starved(const char *text)
{
    struct rlimit usual, none;
    assert_int_equal(getrlimit(RLIMIT_AS, &usual), 0);
    none = (struct rlimit){ .rlim_cur = 1 << 20, .rlim_max = usual.rlim_max };
    assert_int_equal(setrlimit(RLIMIT_AS, &none), 0);
    json_t *read = json_loads(text, 0, NULL);
    assert_int_equal(setrlimit(RLIMIT_AS, &usual), 0);
    return read;
}

TEST(json_is_read_to_its_end_without_memory)
{
    if (TEST_SANITIZED) test_skip("a sanitizer ends a program that gets no memory");
    char *text = malloc(LETTERS + 5);
    assert_non_null(text);
    memcpy(text, "[\"", 2);
    memset(text + 2, 'a', LETTERS);
    memcpy(text + 2 + LETTERS, "\"]", 3);
    json_reserve_lend(); /* without it jansson 2.14 loses the closing quote, and reads and writes on */
    for (int again = 0; again < 20; again++) { /* far more than the reserve holds at once */
        json_t *read = read_starved(text);
        assert_int_equal(json_string_length(json_array_get(read, 0)), LETTERS);
        json_decref(read);
    }
    free(text);
}

TEST_GROUP_OF_CASES(test_json_reserve, NULL, NULL)
