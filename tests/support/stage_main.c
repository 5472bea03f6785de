/* stage_main.c - the program of a stage: one group of tests for each of its files, listed by CMake.
   Groups run by name have a process to themselves, as ctest runs them. */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GROUP(name) int name##_group(void);
#include "stage_groups.inc"
#undef GROUP

static const struct {
    const char *name;
    int (*run)(void);
} groups[] = {
#define GROUP(name) { #name, name##_group },
#include "stage_groups.inc"
#undef GROUP
};

enum { GROUPS = sizeof groups / sizeof *groups, MOST_CASES = 200 };

static int argument_count;
static char **arguments;

bool test_has_argument(const char *text)
{
    for (int i = 1; i < argument_count; i++)
        if (strcmp(arguments[i], text) == 0) return true;
    return false;
}

static test_case *cases; /* by line; those of all files */

void test_case_add(test_case *added)
{
    test_case **at = &cases;
    while (*at && (*at)->line < added->line) at = &(*at)->next;
    added->next = *at;
    *at = added;
}

int test_cases_run(const char *group, const char *file, CMFixtureFunction set_up,
                   CMFixtureFunction tear_down)
{
    struct CMUnitTest units[MOST_CASES];
    size_t count = 0;
    for (const test_case *c = cases; c; c = c->next) {
        if (strcmp(c->file, file) != 0) continue;
        assert_true(count < MOST_CASES);
        units[count++] = c->unit;
    }
    return _cmocka_run_group_tests(group, units, count, set_up, tear_down);
}

int main(int argc, char **argv)
{
    int failed = 0, named = 0;
    /* The same input gives the same bytes, histories of libraries too. */
    setenv("SOURCE_DATE_EPOCH", "1700000000", 1);
    argument_count = argc;
    arguments = argv;
    for (int i = 0; i < GROUPS; i++) named += test_has_argument(groups[i].name);
    for (int i = 1; i < argc && named == 0; i++) {
        if (argv[i][0] == '-') continue;
        fprintf(stderr, "%s: there is no group %s\n", argv[0], argv[i]);
        return 2;
    }
    for (int i = 0; i < GROUPS; i++)
        if (named == 0 || test_has_argument(groups[i].name)) failed += groups[i].run() != 0;
    return failed > 0;
}
