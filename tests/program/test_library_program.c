/* test_library_program.c - the library commands when the machine fails or the user changes his
   mind: memory refused, standard output full, Ctrl-C, damaged files. Whatever happens, a library is
   as it was before the command or as it should be after it. What they answer when all is well is in
   tests/cli. */
#include "program_lines.h"

#include "library/library_data.h"
#include "store/store.h"

#include <sys/stat.h>

static bool is_there(const char *path)
{
    return access(path, F_OK) == 0;
}

static int enter(void **state)
{
    static test_place place;
    place_enter(&place);
    write_person("walk.bvh", 3);
    write_person("step.bvh", 2);
    test_run_well("marey add base.marey walk.bvh --label gait --licence 'CC BY-NC 4.0'");
    write_person("gone.bvh", 4);
    test_run_well("marey add base.marey gone.bvh");
    test_run_well("marey rm base.marey gone");
    unlink("gone.bvh");
    *state = &place;
    return 0;
}

/* ---- before or after ------------------------------------------------------------------------- */

/* What a library says of itself, or "none". */
static char *state_of(const char *path)
{
    char line[256];
    if (!is_there(path)) return strdup("none");
    snprintf(line, sizeof line, "marey verify %s --quiet", path);
    test_run_well(line);
    snprintf(line, sizeof line, "marey ls %s --json", path);
    char *clips = test_reply(line);
    snprintf(line, sizeof line, "marey ls %s --json --removed", path);
    char *removed = test_reply(line), *all = malloc(strlen(clips) + strlen(removed) + 1);
    strcat(strcpy(all, clips), removed);
    return all;
}

/* A command that changes lib.marey, which is a copy of base.marey or is not there. */
typedef struct change {
    const char *line;
    bool from_base;
    char *base;
    size_t base_count;
    char *before, *after;
} change;

static void set_back(const change *of)
{
    unlink("lib.marey");
    if (of->from_base) test_file_write("lib.marey", of->base, of->base_count);
}

static change change_make(const char *line, bool from_base)
{
    change of = { .line = line, .from_base = from_base };
    of.base = test_file_read("base.marey", &of.base_count);
    set_back(&of);
    of.before = state_of("lib.marey");
    test_run_well(line);
    of.after = state_of("lib.marey");
    set_back(&of);
    return of;
}

static void change_free(change *of)
{
    free(of->base);
    free(of->before);
    free(of->after);
    unlink("lib.marey");
}

/* An empty library may stay where there was none and memory was too short even to look at it. */
static void check_state(const test_run *run, void *user)
{
    const change *of = user;
    char *now = state_of("lib.marey");
    bool is_before = strcmp(now, of->before) == 0, is_after = strcmp(now, of->after) == 0;
    bool is_empty = strcmp(now, "{\"clips\":[]}\n{\"clips\":[]}\n") == 0;
    if (run->status == 0 ? !is_after : !is_before && !is_after && (of->from_base || !is_empty)) {
        fail_msg("%s: status %d, then %s", of->line, run->status, now);
    }
    assert_false(is_there("lib.marey-wal"));
    assert_false(is_there("lib.marey-shm"));
    free(now);
    set_back(of);
}

static const struct {
    const char *line;
    bool from_base;
} changes[] = {
    { "marey add lib.marey walk.bvh step.bvh --label x --json", false },
    { "marey add lib.marey . --label-from-folder --long", true },
    { "marey cut lib.marey walk#1-3 part --json", true },
    { "marey label lib.marey walk --add x", true },
    { "marey label lib.marey walk#1-3 --add x --json", true },
    { "marey set lib.marey walk --source-fps 30 --mark 1-2 --json", true },
    { "marey set lib.marey walk --roles left_knee=LeftLeg", true },
    { "marey doctor lib.marey --fix all --json", true },
    { "marey rename lib.marey walk run --json", true },
    { "marey rm lib.marey walk --json", true },
    { "marey rm lib.marey walk --purge --json", true },
    { "marey rm lib.marey --purge", true },
    { "marey restore lib.marey gone --json", true },
    { "marey convert -L base.marey walk lib.marey:made --mirror --json", false },
    { "marey convert step.bvh lib.marey:made", true },
};
enum { CHANGES = sizeof changes / sizeof *changes };

#define CASE(name) TEST_IN(enter, test_leave_place, name)

CASE(refused_memory_leaves_a_library_before_or_after)
{
    for (int i = 0; i < CHANGES; i++) {
        change of = change_make(changes[i].line, changes[i].from_base);
        sweep_memory(of.line, check_state, &of);
        change_free(&of);
    }
}

CASE(refused_memory_ends_a_question_with_status_3)
{
    sweep_memory("marey ls base.marey", NULL, NULL);
    sweep_memory("marey ls base.marey wal --json", NULL, NULL);
    sweep_memory("marey ls base.marey --long", NULL, NULL);
    sweep_memory("marey verify base.marey", NULL, NULL);
    sweep_memory("marey verify base.marey --json", NULL, NULL);
    sweep_memory("marey info -L base.marey walk --json", NULL, NULL);
    sweep_memory("marey doctor base.marey --json", NULL, NULL);
    sweep_memory("marey doctor base.marey walk#0-2 walk#2 --joint Hips --json", NULL, NULL);
    sweep_memory("marey doctor . --long", NULL, NULL);
    sweep_memory("marey doctor walk.bvh#0-2 --place 0 --json", NULL, NULL);
    sweep_memory("marey positions -L base.marey walk -o out.npy", NULL, NULL);
}

/* A leap of a joint, frames 10 to 14, is marked for the whole body and one frame more. */
CASE(what_means_a_finding_means_the_frames_that_were_marked_for_it)
{
    static const struct {
        const char *of;
        int taken;
    } undo[] = { { "leap#10-15 --joint Hips", 1 },
                 { "leap#12 --joint Head", 1 },
                 { "leap#10-15 --place 0", 1 },
                 { "leap#10-15 --place 1", 0 },
                 { "leap#16-20", 0 },
                 { "leap --joint -", 1 },
                 { "leap#0-20 --joint Head", 1 } };
    marey_repair mark = { .layer = { MAREY_LAYER_MARK, -1, 9, 16, { MAREY_MARK_BY_HAND } },
                          .flaw = "step" };
    marey_repair_def def = { .clip = "leap", .add = &mark, .add_count = 1 };
    OWNED(marey_ctx) *ctx = test_ctx();
    marey_library *library = NULL;
    write_person("leap.bvh", 20);
    test_run_well("marey add leap.marey leap.bvh --quiet");
    test_ok(marey_library_open(ctx, "leap.marey", MAREY_LIBRARY_WRITE, &library, &test_error));
    test_ok(marey_library_repair(library, &def, 1, NULL, &test_error));
    marey_library_close(library);
    for (size_t i = 0; i < sizeof undo / sizeof *undo; i++) {
        char line[200];
        snprintf(line, sizeof line, "marey doctor leap.marey %s --undo step --dry-run --json",
                 undo[i].of);
        assert_int_equal(test_parts_count(strstr(test_reply(line), "\"undone\""), "\"mark\""),
                         undo[i].taken);
    }
}

/* ---- files ----------------------------------------------------------------------------------- */

/* Every file in out/ is whole, and nothing lies beside them. */
static void check_exported(const test_run *run, void *user)
{
    const char *whole = user;
    int files = is_there("out") ? test_folder_count("out") : 0, found = 0;
    if (is_there("out/walk.bvh")) {
        char *bytes = test_file_read("out/walk.bvh", NULL);
        assert_string_equal(bytes, whole);
        free(bytes);
        found++;
    }
    if (is_there("out/walk.provenance.json")) {
        char *bytes = test_file_read("out/walk.provenance.json", NULL);
        assert_true(is_one_json_object(bytes));
        assert_non_null(strstr(bytes, "CC BY-NC 4.0"));
        free(bytes);
        found++;
    }
    found += is_there("out/.marey-made"); /* what was made of what */
    assert_int_equal(files, found);
    if (run->status == 0) assert_int_equal(files, 3);
    test_folder_remove("out");
}

CASE(a_failed_export_leaves_only_whole_files)
{
    static const char line[] = "marey export base.marey --all -o out --provenance --json";
    test_run_well("marey convert walk.bvh whole.bvh");
    char *whole = test_file_read("whole.bvh", NULL);
    sweep_memory(line, check_exported, whole);
    for (int from_then_on = 0; from_then_on < 2; from_then_on++) {
        bool is_hit = true;
        for (long fail = 0; is_hit; fail = test_next(fail)) {
            test_run run = test_run_make();
            run.files.fail = fail;
            run.files.from_then_on = from_then_on;
            test_run_line(&run, line);
            is_hit = run.files.calls > fail;
            if (run.status != 0) assert_int_equal(run.status, 3);
            assert_true(is_one_json_object(run.out.bytes));
            check_exported(&run, whole);
            test_run_free(&run);
        }
    }
    free(whole);
}

static void check_converted(const test_run *run, void *user)
{
    const char *whole = user;
    int files = is_there("out") ? test_folder_count("out") : 0, found = 0;
    for (int i = 0; i < 2; i++) {
        const char *path = i ? "out/walk-2.bvh" : "out/walk.bvh";
        if (!is_there(path)) continue;
        FREED char *bytes = test_file_read(path, NULL);
        assert_string_equal(bytes, whole);
        found++;
    }
    found += is_there("out/.marey-made");
    assert_int_equal(files, found);
    if (run->status == 0) assert_int_equal(files, 3);
    test_folder_remove("out");
}

CASE(a_failed_conversion_of_many_leaves_only_whole_files)
{
    static const char line[] = "marey convert walk.bvh walk.bvh --to bvh -o out --json";
    test_run_well("marey convert walk.bvh whole.bvh");
    FREED char *whole = test_file_read("whole.bvh", NULL);
    sweep_memory(line, check_converted, whole);
}

CASE(a_file_that_fails_while_it_is_read_is_not_added)
{
    change of = change_make("marey add lib.marey step.bvh --json", true);
    bool is_hit = true;
    for (long fail = 0; is_hit; fail = test_next(fail)) {
        test_run run = test_run_make();
        run.files.fail = fail;
        test_run_line(&run, of.line);
        is_hit = run.files.calls > fail;
        if (run.status != 0) assert_int_equal(run.status, 3);
        assert_true(is_one_json_object(run.out.bytes));
        check_state(&run, &of);
        test_run_free(&run);
    }
    change_free(&of);
}

/* ---- standard output ------------------------------------------------------------------------- */

CASE(a_full_standard_output_ends_with_status_3)
{
    static const char *const lines[] = { "marey ls base.marey",
                                         "marey ls base.marey --json",
                                         "marey verify base.marey",
                                         "marey verify base.marey --json",
                                         "marey ls nowhere.marey --json",
                                         "marey export base.marey walk -o out --json",
                                         "marey add base.marey walk.bvh nowhere.bvh --json" };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        test_run good = test_run_make();
        test_run_line(&good, lines[i]);
        assert_true(good.out.used > 0);
        for (size_t room = 0; room < good.out.used; room += 1 + good.out.used / 16) {
            test_run run = test_run_make();
            run.out.room = (long)room;
            if (is_there("out")) test_folder_remove("out"); /* else it is up to date */
            assert_int_equal(test_run_line(&run, lines[i]), 3);
            assert_non_null(strstr(run.err.bytes, "standard output: No space left"));
            test_run_free(&run);
        }
        test_run_free(&good);
    }
}

CASE(a_change_is_made_even_if_nobody_could_be_told)
{
    for (int i = 0; i < CHANGES; i++) {
        change of = change_make(changes[i].line, changes[i].from_base);
        test_run run = test_run_make();
        run.out.room = 0;
        assert_int_equal(test_run_line(&run, of.line), 3);
        char *now = state_of("lib.marey");
        assert_string_equal(now, of.after);
        free(now);
        test_run_free(&run);
        change_free(&of);
    }
}

/* ---- signals and terminals ------------------------------------------------------------------- */

/* Cancels at every allocation of an add, and a little less often in the long ones. */
static void sweep_cancel(const char *line, bool from_base)
{
    change of = change_make(line, from_base);
    long last = 1;
    for (long at = 0; at < last; at += 1 + at / 16) {
        test_run run = test_run_make();
        run.cancel_at = at;
        test_run_line(&run, line);
        last = run.memory.calls;
        char *now = state_of("lib.marey");
        if (run.status != 0) {
            assert_int_equal(run.status, 130);
            assert_string_equal(now, of.before);
            if (run.out.used) assert_non_null(strstr(run.out.bytes, "\"cancelled\""));
        } else {
            assert_string_equal(now, of.after);
        }
        free(now);
        test_run_free(&run);
        set_back(&of);
    }
    change_free(&of);
}

CASE(ctrl_c_during_add_leaves_the_library_as_it_was)
{
    char name[32];
    for (int i = 0; i < 40; i++) {
        snprintf(name, sizeof name, "take-%02d.bvh", i);
        write_person(name, 3 + i);
    }
    sweep_cancel("marey add lib.marey . --json", false);
    sweep_cancel("marey add lib.marey . --long", true);
    sweep_cancel("marey set lib.marey walk --source-fps 30 --json", true);
    test_run run = test_run_make();
    run.cancel = true;
    assert_int_equal(test_run_line(&run, "marey add lib.marey . --json"), 130);
    assert_true(is_one_json_object(run.out.bytes));
    assert_false(is_there("lib.marey"));
    test_run_free(&run);
}

/* Making all takes needs thousands of allocations; some of them, spread evenly, are refused and
   cancelled. */
CASE(adding_the_demo_is_all_or_none_as_well)
{
    int places = test_trials(8, 40);
    change of = change_make("marey add lib.marey step.bvh --demo --json", true);
    test_run whole = test_run_make();
    assert_int_equal(test_run_line(&whole, of.line), 0);
    long calls = whole.memory.calls;
    test_run_free(&whole);
    set_back(&of);
    for (int i = 0; i < 2 * places; i++) {
        test_run run = test_run_make();
        long at = calls * (i / 2) / places + i;
        if (i % 2) {
            run.memory.refuse = at;
        } else {
            run.cancel_at = at;
        }
        test_run_line(&run, of.line);
        if (run.status) assert_int_equal(run.status, i % 2 ? 3 : 130);
        assert_true(is_one_json_object(run.out.bytes));
        check_state(&run, &of);
        test_run_free(&run);
    }
    change_free(&of);
}

CASE(progress_of_add_and_export_is_shown_on_a_terminal_only)
{
    static const struct {
        const char *line, *word;
    } shown[] = { { "marey add new.marey .", "adding" },
                  { "marey export base.marey --all -o out", "exporting" } };
    for (int i = 0; i < 4; i++) {
        test_run run = test_run_make();
        run.err_is_terminal = i & 1;
        assert_int_equal(test_run_line(&run, shown[i / 2].line), 0);
        assert_int_equal(strstr(run.err.bytes, shown[i / 2].word) != NULL, run.err_is_terminal);
        if (run.err_is_terminal) assert_non_null(strstr(run.err.bytes, "\r\033[K"));
        test_run_free(&run);
    }
}

/* What is said meanwhile takes its place. */
CASE(a_message_is_not_written_behind_the_progress)
{
    test_run run = test_run_make();
    run.err_is_terminal = true;
    test_file_write("broken.bvh", "HIERARCHY", 9);
    test_run_line(&run, "marey add new.marey .");
    const char *said = strstr(run.err.bytes, "marey: ./broken.bvh");
    assert_true(said && said > run.err.bytes + 4 && memcmp(said - 4, "\r\033[K", 4) == 0);
    test_run_free(&run);
}

/* ---- threads --------------------------------------------------------------------------------- */

CASE(any_number_of_threads_makes_the_same_library)
{
    static const char *const lines[] = { "add with.marey . nowhere.bvh", "ls with.marey",
                                         "verify with.marey", "export with.marey --all -o out" };
    char name[32], line[256], *first[4] = { 0 }, *exported = NULL;
    for (int i = 0; i < 40; i++) {
        snprintf(name, sizeof name, "take-%02d.bvh", i);
        write_person(name, 1 + i / 2); /* every motion twice */
    }
    test_folder_remove("out");
    for (int threads = 1; threads < 6; threads++) {
        for (int i = 0; i < 4; i++) {
            test_run run = test_run_make();
            snprintf(line, sizeof line, "marey %s --json --threads %d", lines[i], threads);
            assert_int_equal(test_run_line(&run, line), i == 0 ? 1 : 0);
            assert_true(is_one_json_object(run.out.bytes));
            if (threads == 1) {
                first[i] = strdup(run.out.bytes);
            } else {
                assert_string_equal(run.out.bytes, first[i]);
            }
            test_run_free(&run);
        }
        char *bytes = test_file_read("out/take-38.bvh", NULL);
        if (exported) assert_string_equal(bytes, exported);
        free(exported);
        exported = bytes;
        test_folder_remove("out");
        unlink("with.marey");
    }
    for (int i = 0; i < 4; i++) free(first[i]);
    free(exported);
}

/* ---- damage ---------------------------------------------------------------------------------- */

CASE(a_flipped_bit_is_found_and_no_command_crashes)
{
    static const char *const lines[] = { "marey ls lib.marey --json",
                                         "marey export lib.marey --all -o out --json",
                                         "marey info -L lib.marey walk --json",
                                         "marey cut lib.marey walk#0-1 part --json",
                                         "marey add lib.marey step.bvh --json" };
    size_t count;
    FREED char *bytes = test_file_read("base.marey", &count);
    for (size_t at = 0; at < count; at += 1 + count / 37) {
        bytes[at] = (char)(bytes[at] ^ 4);
        test_file_write("lib.marey", bytes, count);
        test_run run = test_run_make();
        if (test_run_line(&run, "marey verify lib.marey --json") != 1) {
            fail_msg("byte %zu: %s %s", at, run.out.bytes, run.err.bytes);
        }
        assert_true(is_one_json_object(run.out.bytes));
        test_run_free(&run);
        for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
            run = test_run_make();
            test_run_line(&run, lines[i]);
            assert_true(run.status == 0 || run.status == 1);
            assert_true(is_one_json_object(run.out.bytes));
            test_run_free(&run);
        }
        bytes[at] = (char)(bytes[at] ^ 4);
    }
}

CASE(a_library_of_a_newer_marey_is_refused_by_name)
{
    const char *steps[] = { mry_library_schema.steps[0], mry_library_schema.steps[1],
                            mry_library_schema.steps[2], mry_library_schema.steps[3],
                            mry_library_schema.steps[4], mry_library_schema.steps[5],
                            mry_library_schema.steps[6], mry_library_schema.steps[7],
                            "CREATE TABLE later(x)" };
    const mry_schema newer = { .application_id = 0x4d617279, .step_count = 9, .steps = steps };
    static const char *const lines[] = { "marey ls base.marey",
                                         "marey add base.marey step.bvh",
                                         "marey convert -L base.marey walk out.bvh",
                                         "marey export base.marey --all -o out",
                                         "marey search base.marey walk",
                                         "marey index base.marey",
                                         "marey undo base.marey" };
    marey_ctx *ctx = test_ctx();
    mry_store *store;
    assert_int_equal(mry_library_schema.step_count, 8);
    assert_int_equal(mry_store_open(ctx, "base.marey", MRY_STORE_WRITE, &newer, &store, NULL), 0);
    mry_store_close(store);
    marey_ctx_close(ctx);
    test_file_copy("base.marey", "newer.marey");
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        test_fails(lines[i], 1,
                   "marey: base.marey: made by a newer marey (schema 9; this one knows 8); open it "
                   "with that one, or bring this one up to date");
        test_same_file("base.marey", "newer.marey");
    }
    test_run verify = test_run_make();
    assert_int_equal(test_run_line(&verify, "marey verify base.marey --json"), 1);
    assert_non_null(strstr(verify.out.bytes, "made by a newer marey (schema 9; this one knows 8)"));
    test_run_free(&verify);
    assert_false(is_there("out.bvh") || is_there("out"));
}

/* ---- provenance and licences ----------------------------------------------------------------- */

CASE(what_was_repaired_is_named_where_it_came_from)
{
    static const char *const says[] = { "\"repairs\":[{\"kind\":\"rate\"", "\"flaw\":null" };
    test_file_copy("base.marey", "set.marey");
    test_run_well("marey set set.marey walk --source-fps 30 --quiet");
    test_run_well("marey convert -L set.marey walk#1-3 out.bvh --provenance");
    test_run_well("marey export set.marey walk -o out --provenance");
    test_run_well("marey cut set.marey walk#1-3 part");
    FREED char *made = test_file_read("out.bvh.provenance.json", NULL);
    FREED char *exported = test_file_read("out/walk.provenance.json", NULL);
    FREED char *cut = test_answer("marey ls set.marey part --long");
    for (int i = 0; i < 2; i++) {
        assert_non_null(strstr(made, says[i]));
        assert_non_null(strstr(exported, says[i]));
        assert_non_null(strstr(cut, says[i]));
    }
}

CASE(provenance_files_are_json_that_names_sources_frames_and_settings)
{
    test_run_well("marey convert -L base.marey walk#1-3 out.bvh --scale 2 --in-place --provenance");
    char *made = test_file_read("out.bvh.provenance.json", NULL);
    assert_true(is_one_json_object(made));
    assert_non_null(strstr(made,
                           "\"library\":\"base.marey\",\"clip\":\"walk\",\"start\":1,\"end\":3,"
                           "\"licence\":\"CC BY-NC 4.0\""));
    assert_non_null(strstr(made, "\"settings\":{\"in-place\":true,\"scale\":\"2\"}"));
    free(made);
    test_run_well("marey convert walk.bvh#1-3 out.bvh --skip-first --trim 1-2 --provenance");
    test_file_has("out.bvh.provenance.json",
                  "{\"file\":\"walk.bvh\",\"start\":2,\"end\":3,\"licence\":\"\"}");
}

/* As a sender could: a text that no command writes, with every sum right. */
static void forge_provenance(const char *text)
{
    marey_ctx *ctx = test_ctx();
    marey_library *library;
    marey_error error;
    test_fine(marey_library_open(ctx, "base.marey", MAREY_LIBRARY_WRITE, &library, &error), &error);
    test_fine(mry_store_begin(library->store, &error), &error);
    mry_query query =
        mry_query_start(library->store, "UPDATE clip SET provenance = ? WHERE name = 'walk'");
    mry_bind_text(&query, 1, text);
    mry_query_next(&query);
    test_fine(mry_library_end(library, mry_query_end(&query, &error), &error), &error);
    marey_library_close(library);
    marey_ctx_close(ctx);
}

/* Of a file that was read, of one that was made, and of one whose provenance has no member. */
CASE(labels_of_frames_are_said_in_provenance_files_and_glbs)
{
    static const char *const said[] = {
        "\"licence\":\"CC BY-NC "
        "4.0\",\"stretches\":[{\"label\":\"a\\\"b\",\"start\":1,\"end\":3}]}\n",
        "\"settings\":{\"mirror\":true},\"stretches\":[{\"label\":\"a\\\"b\",\"start\":0,\"end\":1}"
        "]}",
        "{\"stretches\":[{\"label\":\"a\\\"b\",\"start\":1,\"end\":3}]}\n"
    };
    test_run_well("marey label base.marey walk#1-3 --add 'a\"b'");
    test_run_well("marey export base.marey walk -o out --provenance");
    test_file_has("out/walk.provenance.json", said[0]);
    test_run_well("marey convert -L base.marey walk#2 out.glb --mirror --provenance");
    test_file_has("out.glb.provenance.json", said[1]);
    size_t size;
    FREED char *glb = test_file_read("out.glb", &size);
    assert_non_null(memmem(glb, size, said[1], strlen(said[1])));
    forge_provenance("{}");
    test_run_well("marey export base.marey walk -o out --provenance");
    test_file_has("out/walk.provenance.json", said[2]);
}

CASE(forged_provenance_is_parsed_before_it_is_written)
{
    static const char *const forged[] = { "{\"made_by\":\"x\"}}},\"buffers\":[",
                                          "\"only a text\"",
                                          "{\"a\":\"\xff\"}",
                                          "{\"a\":1e999}",
                                          "{\"a\":\"\\ud800\"}",
                                          "{\"a\":nan}",
                                          "{\"a\":1} {\"b\":2}" };
    static const char *const lines[] = {
        "marey export base.marey --all --format glb -o out",
        "marey export base.marey --all --provenance -o out",
    };
    test_run_well("marey add base.marey step.bvh");
    for (size_t i = 0; i < sizeof forged / sizeof *forged; i++) {
        forge_provenance(forged[i]);
        for (int n = 0; n < 2; n++) { /* refused by name; the other clip is there */
            test_fails(lines[n], 1, "walk: its provenance must be a JSON object");
            assert_false(is_there("out/walk.glb") || is_there("out/walk.bvh") ||
                         is_there("out/walk.provenance.json"));
            assert_true(is_there(n ? "out/step.provenance.json" : "out/step.glb"));
        }
        test_run run = test_run_make();
        assert_int_not_equal(test_run_line(&run, "marey verify base.marey"), 0);
        assert_non_null(strstr(run.out.bytes, "clip walk: its provenance must be a JSON object"));
        test_run_free(&run);
        char *list = test_reply("marey ls base.marey --long");
        assert_non_null(strstr(list, "  provenance   damaged; run marey verify\n"));
    }
    forge_provenance(" {\"made_by\" : \"hand\\u00e9\",\n\t\"of\": [ 1.50, -2E+3 , null, {} ] }\n");
    test_run_well("marey verify base.marey");
    test_run_well("marey export base.marey walk --provenance -o out");
    char *written = test_file_read("out/walk.provenance.json", NULL);
    assert_string_equal(written, "{\"made_by\":\"hand\\u00e9\",\"of\":[1.50,-2E+3,null,{}]}\n");
    free(written);
}

CASE(only_licences_that_say_so_are_non_commercial)
{
    static const struct {
        const char *licence;
        bool restricted;
    } rows[] = { { "CC BY-NC 4.0", true },   { "cc-by-nc-sa", true },
                 { "Non-Commercial", true }, { "for noncommercial research", true },
                 { "CC BY 4.0", false },     { "INC. licence", false },
                 { "dance company", false }, { "NC", true } };
    char line[256];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        snprintf(line, sizeof line, "marey label base.marey walk --licence '%s'", rows[i].licence);
        test_run_well(line);
        test_run run = test_run_make();
        assert_int_equal(test_run_line(&run, "marey export base.marey walk -o out"), 0);
        assert_int_equal(strstr(run.err.bytes, "non-commercial use only") != NULL,
                         rows[i].restricted);
        test_run_free(&run);
    }
}

/* ---- real data ------------------------------------------------------------------------------- */

CASE(the_cmu_index_describes_the_cmu_clips)
{
    char line[2048];
    test_need_mocap();
    snprintf(line, sizeof line,
             "marey add cmu.marey %s/cmu --index %s/cmu/cmu-mocap-index-text.txt --json",
             test_mocap_folder(), test_mocap_folder());
    char *added = test_reply(line), *found = test_reply("marey ls cmu.marey walk --json");
    assert_true(is_one_json_object(added));
    assert_non_null(strstr(added, "cmu-mocap-index-text.txt\"],\"errors\":[]"));
    assert_non_null(strstr(found, "\"description\":\"walk"));
    test_run_well("marey verify cmu.marey");
}

TEST_GROUP_OF_CASES(test_library_program, NULL, NULL)
