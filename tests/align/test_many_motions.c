/* test_many_motions.c - registrations of as many clips as a library keeps: opened by their names, program and studio can
   blend all of them. */
#include "api_bench.h"

enum { FEW = 70, MOST = 256 }; /* a studio once had room for 64; a library keeps 256 */

typedef struct fixture {
    api_bench b;
    char weights[2 * MOST];
} fixture;

/* Parts of one walk, each beginning two frames later than the one before, all aligned with the first. */
static void keep_curve(marey_library *library, marey_ctx *ctx, const char *name, int count)
{
    marey_part parts[MOST];
    OWNED(marey_parts) *opened = NULL;
    OWNED(marey_registration) *of = NULL;
    marey_error error;
    for (int i = 0; i < count; i++) parts[i] = (marey_part){ 1, 2 * i, 2 * i + 16 };
    test_fine(marey_library_parts(library, parts, count, &opened, &error), &error);
    test_fine(marey_registration_build(ctx, opened->clips, count, opened->contacts,
                                       &(marey_registration_def){ .reference = 1 }, &of, &error),
              &error);
    test_fine(marey_library_keep_registration(library, name, of, parts, NULL, &error), &error);
}

static int set_up(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    marey_ctx *ctx = test_ctx();
    marey_library *library = NULL;
    marey_error error;
    place_enter(&f->b.place);
    write_person("long.bvh", 2 * MOST + 16);
    bench_program("marey add lib.marey long.bvh --quiet");
    test_fine(marey_library_open(ctx, "lib.marey", MAREY_LIBRARY_WRITE, &library, &error), &error);
    keep_curve(library, ctx, "few", FEW);
    keep_curve(library, ctx, "most", MOST);
    marey_library_close(library);
    marey_ctx_close(ctx);
    api_bench_start(&f->b, true);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    api_bench_close(&f->b);
    free(f);
    return 0;
}

/* "1,1,1": all alike. */
static const char *ones(fixture *f, int count)
{
    char *to = f->weights;
    for (int i = 0; i < count; i++) to += sprintf(to, i ? ",1" : "1");
    return f->weights;
}

TEST_IN(set_up, tear_down, the_program_blends_all_of_them_by_name)
{
    fixture *f = *state;
    static const int counts[] = { FEW, MOST };
    for (int i = 0; i < 2; i++) {
        char line[3 * MOST];
        size_t size;
        snprintf(line, sizeof line,
                 "marey blend -L lib.marey --curve %s --weights %s -o out.bvh --provenance --quiet",
                 i ? "most" : "few", ones(f, counts[i]));
        bench_program(line);
        FREED char *text = test_file_read("out.bvh.provenance.json", &size);
        int sources = 0;
        for (const char *at = text; (at = strstr(at, "\"clip\":\"long\"")); at++) sources++;
        assert_int_equal(sources, counts[i]);
    }
}

/* With a name, so that what it is made of is written too. */
TEST_IN(set_up, tear_down, the_studio_blends_all_of_them_by_name)
{
    fixture *f = *state;
    static const int counts[] = { FEW, MOST };
    for (int i = 0; i < 2; i++) {
        char body[3 * MOST], name[16];
        snprintf(name, sizeof name, "made%d", i);
        snprintf(body, sizeof body, "{\"curve\": \"%s\", \"weights\": [%s], \"name\": \"%s\"}",
                 i ? "most" : "few", ones(f, counts[i]), name);
        json_decref(api_json(&f->b, do_blend, 0, NULL, body, 200));
        assert_true(bench_id(&f->b, name) > 0);
    }
    char body[5 * MOST];
    snprintf(body, sizeof body, "{\"curve\": \"most\", \"weights_file\": [[0,%s],[0.1,%s]]}",
             ones(f, MOST), f->weights);
    studio_response to = api_ask(&f->b, do_blend, 0, NULL, body);
    assert_int_equal(to.status, 200);
    bytes_free(&to.body);
    snprintf(body, sizeof body, "{\"curve\": \"most\", \"weights\": [%s]}", ones(f, MOST - 1));
    api_refused(&f->b, do_blend, 0, NULL, body, 400, "request", "must have 256 numbers");
}

TEST_GROUP_OF_CASES(test_many_motions, NULL, NULL)
