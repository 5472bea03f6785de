/* test_several_program.c - several libraries on the command line: what `search` and `example` answer
   is what one library of all clips answers, but for the library that each match is of and its number
   there; pictures and files of matches of any of them; refused memory, Ctrl-C and full disks. */
#include "json_look.h"
#include "program_lines.h"

static const char *const takes[] = { "kicks", "small_fight", "walk_slow", "jog_straight",
                                     "idles", "mixed_play",  "steps",     "small_walk" };
enum { TAKES = sizeof takes / sizeof *takes };

/* Every third take in a library of its own, and all in one, library after library. */
static void make_libraries(void)
{
    char line[256] = "marey demo . --quiet";
    for (int i = 0; i < TAKES; i++)
        snprintf(line + strlen(line), sizeof line - strlen(line), " --take %s", takes[i]);
    test_run_well(line);
    for (int part = 0; part < 3; part++) {
        for (int i = part; i < TAKES; i += 3) {
            snprintf(line, sizeof line, "marey add %c.marey %s.bvh --quiet", "abc"[part], takes[i]);
            test_run_well(line);
            snprintf(line, sizeof line, "marey add all.marey %s.bvh --quiet", takes[i]);
            test_run_well(line);
        }
    }
}

static int enter(void **state)
{
    return test_enter_copy(state, make_libraries);
}

static int leave(void **state)
{
    json_drop_held();
    return test_leave_place(state);
}

#define CASE(name) TEST_IN(enter, leave, name)

static json_t *ask(const char *verb, const char *libraries, const char *rest)
{
    char line[512];
    snprintf(line, sizeof line, "marey %s %s %s --json", verb, libraries, rest);
    FREED char *text = test_answer(line);
    return json_hold_text(text, strlen(text));
}

/* Which library has a take. */
static const char *library_of(const char *clip)
{
    for (int i = 0; i < TAKES; i++)
        if (strcmp(takes[i], clip) == 0)
            return i % 3 == 0 ? "a.marey" : i % 3 == 1 ? "b.marey" : "c.marey";
    return "(none)";
}

/* Takes the number and the library of everything that has a clip out of an answer, after a look at
   the library, so that it can be compared. */
static void take_places(json_t *value, bool several)
{
    const char *key;
    json_t *part;
    size_t i;
    json_array_foreach(value, i, part) take_places(part, several);
    if (json_object_get(value, "clip")) {
        const char *clip = json_string_value(json_object_get(value, "clip"));
        const char *library = json_string_value(json_object_get(value, "library"));
        if (several) assert_string_equal(library, library_of(clip));
        if (!several) assert_null(library);
        json_object_del(value, "library");
        json_object_del(value, "id");
    }
    json_object_foreach(value, key, part) take_places(part, several);
}

static void expect_same(const char *verb, const char *rest, const char *keys)
{
    json_t *one = ask(verb, "all.marey", rest);
    json_t *several = ask(verb, "a.marey b.marey c.marey", rest);
    take_places(one, false);
    take_places(several, true);
    same_values(one, several, keys);
}

/* ---- answers --------------------------------------------------------------------------------- */

CASE(a_search_answers_what_one_library_of_all_answers)
{
    static const char keys[] = "matches edges threshold chosen still_cost tiers limited fps";
    expect_same("search", "kicks#122-252", keys);
    expect_same("search", "walk_slow#60-120 --nearest 20 --mirror", keys);
    expect_same("search", "walk_slow#60-120 --threshold 60 --paths", keys);
    expect_same("search", "small_fight#80-200 --like kicks#122-252 --unlike walk_slow#60-120",
                keys);
    expect_same("search", "walk_slow#60-120 --in jog_straight --in small_walk", keys);
    assert_true(size_of(ask("search", "a.marey b.marey c.marey", "kicks#122-252"), "matches") > 2);
}

CASE(a_query_out_of_a_file_is_of_no_library)
{
    json_t *found = ask("search", "b.marey c.marey", "kicks.bvh#122-252");
    assert_true(is_null(item(found, "matches", 0), "library"));
    assert_string_equal(word(item(found, "matches", 1), "library"), "b.marey");
}

CASE(a_query_by_example_answers_what_one_library_of_all_answers)
{
    static const char keys[] = "query dofs fragments paths clips clip_count";
    expect_same("example", "walk_slow#60-220", keys);
    expect_same("example", "kicks#100-300 --others --plain", keys);
    expect_same("example", "jog_straight#60-160 --in walk_slow --in small_walk --k 5", keys);
}

CASE(a_curve_that_is_drawn_is_found_in_all_of_them)
{
    test_file_write("curve.csv", "0,10\n0.5,40\n1,5\n", strlen("0,10\n0.5,40\n1,5\n"));
    expect_same("example", "curve.csv", "dofs fragments paths clips clip_count");
}

CASE(a_search_leaves_the_libraries_as_they_are)
{
    test_file_copy("b.marey", "before");
    FREED char *answer = test_answer("marey search a.marey b.marey kicks#122-252 --json");
    test_same_file("b.marey", "before");
}

/* ---- pictures and files ---------------------------------------------------------------------- */

CASE(matches_of_any_library_are_drawn_and_written)
{
    json_t *found = ask("search", "a.marey b.marey c.marey",
                        "kicks#122-252 --nearest 4 --sheet found.png -o found");
    assert_int_equal(size_of(found, "files"), 5);
    for (size_t i = 0; i < 5; i++) {
        const char *file = json_string_value(json_array_get(json_object_get(found, "files"), i));
        int library = word(item(found, "matches", i), "library")[0] - 'a';
        char begins[] = "found/1-";
        begins[6] = (char)('1' + library);
        assert_memory_equal(file, begins, strlen(begins));
        assert_int_equal(access(file, F_OK), 0);
    }
    assert_int_equal(access("found.png", F_OK), 0);
}

/* ---- what goes wrong ------------------------------------------------------------------------- */

CASE(what_goes_wrong_is_said)
{
    static const test_wrong_line wrong[] = {
        { "marey search a.marey b.marey kicks#122-252 --cut kick", 2, "must be one alone" },
        { "marey search a.marey b.marey kicks#122-252 --label-matches kick", 2,
          "must be one alone" },
        { "marey search a.marey b.marey a.marey kicks#122-252", 1, "given twice" },
        { "marey search a.marey kicks.bvh --also b.marey --also b.marey", 1, "given twice" },
        { "marey search a.marey none.marey kicks#122-252", 1, "none.marey" },
        { "marey search a.marey b.marey b:kicks#122-252", 1, "no clip is called kicks" },
        { "marey search a.marey b.marey kicks#122-252 --web", 1, "no match webs yet" },
        { "marey example a.marey b.marey kicks#122-252 -o out.bvh", 1, "from one library" },
    };
    TEST_FAIL_ALL(wrong);
    test_full_output("marey search a.marey b.marey kicks#122-252");
    test_cancelled("marey search a.marey b.marey kicks#122-252");
}

TEST_GROUP_OF_CASES(test_several_program, NULL, NULL)
