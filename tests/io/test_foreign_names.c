/* test_foreign_names.c - a foreign library may have clips whose names lead out of a folder: no file
   is written there. */
#include "program_lines.h"

#include "library/library_data.h"

/* Two walks with an index, one of them called as no marey would call it. */
static int set_up(void **state)
{
    static test_place place;
    marey_ctx *ctx = test_ctx();
    marey_library *library = NULL;
    place_enter(&place);
    write_person("a.bvh", 90);
    write_person("b.bvh", 80);
    test_run_well("marey add lib.marey a.bvh b.bvh --quiet");
    test_run_well("marey index lib.marey --quiet");
    test_ok(marey_library_open(ctx, "lib.marey", MAREY_LIBRARY_WRITE, &library, &test_error));
    test_ok(mry_store_run(library->store, "UPDATE clip SET name = '../escaped' WHERE id = 2",
                          &test_error));
    marey_library_close(library);
    marey_ctx_close(ctx);
    *state = &place;
    return 0;
}

TEST_IN(set_up, test_leave_place, no_file_is_written_outside_the_folder)
{
    static const char *const lines[] = {
        "marey export lib.marey --all -o out",
        "marey export lib.marey #2 -o out --provenance",
        "marey search lib.marey a#0-60 --threshold 500 -o out",
    };
    int before = test_folder_count(".");
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        test_fails(lines[i], 1, "no file is written for a clip whose name has a '/'");
        assert_int_equal(test_folder_count("."), before + 1); /* the folder itself */
    }
    test_run_well("marey rename lib.marey #2 tame --quiet");
    test_run_well("marey export lib.marey --all -o out --quiet");
    assert_int_equal(access("out/tame.bvh", F_OK), 0);
}

TEST_GROUP_OF_CASES(test_foreign_names, NULL, NULL)
