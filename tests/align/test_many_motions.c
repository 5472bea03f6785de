/* test_many_motions.c - registrations of as many clips as a library keeps: opened by their names,
   program and studio can blend all of them. */
#include "api_bench.h"
#include "program_lines.h"

enum { FEW = 70, MOST = 256 }; /* a studio once had room for 64; a library keeps 256 */

/* Parts of one walk, each beginning two frames later than the one before, all aligned with the
   first. */
static void keep_curve(marey_library *library, marey_ctx *ctx, const char *name, int count)
{
    marey_part parts[MOST];
    OWNED(marey_parts) *opened = NULL;
    OWNED(marey_registration) *of = NULL;
    marey_error error;
    for (int i = 0; i < count; i++) parts[i] = (marey_part){ 1, 2 * i, 2 * i + 16 };
    test_fine(marey_library_parts(library, parts, count, 0, &opened, &error), &error);
    test_fine(marey_registration_build(ctx, opened->clips, count, opened->contacts,
                                       &(marey_registration_def){ .reference = 1 }, &of, &error),
              &error);
    test_fine(marey_library_keep_registration(library, name, of, parts, NULL, &error), &error);
}

static int set_up(void **state)
{
    api_bench *b = api_bench_enter(state);
    OWNED(marey_ctx) *ctx = test_ctx();
    OWNED(marey_library) *library = NULL;
    marey_error error;
    write_person("long.bvh", 2 * MOST + 16);
    bench_program("marey add lib.marey long.bvh --quiet");
    test_fine(marey_library_open(ctx, "lib.marey", MAREY_LIBRARY_WRITE, &library, &error), &error);
    keep_curve(library, ctx, "few", FEW);
    keep_curve(library, ctx, "most", MOST);
    api_bench_start(b, true);
    return 0;
}

#define CASE(name) TEST_OF_IN(set_up, api_bench_close, api_bench *b, name)

/* "1,1,1": all alike. */
static const char *ones(int count)
{
    static char text[2 * MOST];
    char *end = text;
    for (int i = 0; i < count; i++) end += sprintf(end, i ? ",1" : "1");
    return text;
}

CASE(the_program_blends_all_of_them_by_name)
{
    static const int counts[] = { FEW, MOST };
    (void)b;
    for (int i = 0; i < 2; i++) {
        size_t size;
        bench_program(
            "marey blend -L lib.marey --curve %s --weights %s -o out.bvh --provenance --quiet",
            i ? "most" : "few", ones(counts[i]));
        FREED char *text = test_file_read("out.bvh.provenance.json", &size);
        assert_int_equal(test_parts_count(text, "\"clip\":\"long\""), counts[i]);
    }
}

/* With a name, so that what it is made of is written too. */
CASE(the_studio_blends_all_of_them_by_name)
{
    static const int counts[] = { FEW, MOST };
    for (int i = 0; i < 2; i++) {
        char name[16];
        snprintf(name, sizeof name, "made%d", i);
        ask(b, do_blend, "{'curve': '%s', 'weights': [%s], 'name': '%s'}", i ? "most" : "few",
            ones(counts[i]), name);
        assert_true(bench_id(b, name) > 0);
    }
    OWNED(studio_response) response =
        api_ask(b, do_blend, "{'curve': 'most', 'weights_file': [[0,%s],[0.1,%s]]}", ones(MOST),
                ones(MOST));
    assert_int_equal(response.status, 200);
    refused(b, 400, "request", "must have 256 numbers", do_blend,
            "{'curve': 'most', 'weights': [%s]}", ones(MOST - 1));
}

TEST_GROUP_OF_CASES(test_many_motions, NULL, NULL)
