/* test_history.c - what was changed can be taken back and made again: the whole content of the
   library is written out behind every change and compared with what undoing and redoing leave. */
#include "library_bench.h"

#include "store/store.h"

#include <stdlib.h>
#include <unistd.h>

/* ---- the judge ------------------------------------------------------------------------------- */

/* All that people make, and what follows from it and must be right again. */
static const char *const dumped[] = {
    "SELECT clip || '|' || quote(label) FROM label ORDER BY clip, label",
    "SELECT clip || '|' || joint || '|' || start || '|' || stop FROM contact"
    " ORDER BY clip, joint, start",
    "SELECT clip || '|' || quote(label) || '|' || start || '|' || stop FROM stretch"
    " ORDER BY clip, label, start",
    "SELECT clip || '|' || place || '|' || kind || '|' || joint || '|' || quote(joint_name) || '|'"
    " || start || '|' || stop || '|' || hex(numbers) || '|' || flaw || '|' || size || '|' || unit"
    " || '|' || certainty FROM layer ORDER BY clip, place",
    "SELECT id || '|' || quote(name) || '|' || skeleton || '|' || frames || '|' || fps || '|' ||"
    " hex(hash) || '|' || motion || '|' || hex(about) || '|' || quote(source) || '|' ||"
    " quote(description) || '|' || quote(licence) || '|' || quote(provenance) || '|' || removed"
    " || '|' || contacts_set || '|' || layer_sum FROM clip ORDER BY id",
    "SELECT kept.id || '|' || kept.kind || '|' || quote(kept.name) || '|' || quote(about) || '|' ||"
    " size || '|' || sum FROM kept LEFT JOIN blob ON blob.id = blob ORDER BY kept.id",
    "SELECT kept || '|' || place || '|' || clip || '|' || quote(called) || '|' || start || '|' ||"
    " stop || '|' || layer_sum FROM kept_part ORDER BY kept, place",
    "SELECT rowid || '|' || name || '|' || labels || '|' || description FROM words ORDER BY rowid",
    "SELECT clip || '|' || size || '|' || sum FROM pose_block ORDER BY clip",
    "SELECT clip || '|' || count || '|' || sum FROM flaw ORDER BY clip",
    "SELECT 'motion of ' || id || ': ' || (SELECT sum FROM blob WHERE blob.id = motion) FROM clip"
    " ORDER BY id",
};

static uint64_t dump(marey_library *library)
{
    uint64_t sum = 1;
    for (size_t i = 0; i < sizeof dumped / sizeof *dumped; i++) {
        mry_query row = mry_query_start(library->store, dumped[i]);
        while (mry_query_next(&row)) {
            const char *text = mry_column_text(&row, 0);
            sum = mry_hash64(text, strlen(text), sum + i);
        }
        test_ok(mry_query_end(&row, &test_error));
    }
    return sum;
}

static int64_t number_of(marey_library *library, const char *sql)
{
    int64_t found = 0;
    test_ok(mry_query_finish(mry_query_start(library->store, sql), &found, &test_error));
    return found;
}

/* ---- random changes -------------------------------------------------------------------------- */

typedef struct dice {
    uint64_t state;
} dice;

static int roll(dice *d, int sides)
{
    d->state = d->state * 6364136223846793005u + 1442695040888963407u;
    return (int)((d->state >> 33) % (uint64_t)sides);
}

/* A clip that is there, or is not: changes that are refused belong to it. */
static const char *some_clip(dice *d)
{
    static const char *const names[] = {
        "walk", "run", "jump", "walk-2", "part", "made", "stroll"
    };
    return names[roll(d, 7)];
}

static marey_status change_saved(marey_library *library, dice *d)
{
    static const char *const kinds[] = { "web", MAREY_KEPT_GRAPH, MAREY_KEPT_POLICY };
    static const char *const names[] = { "a", "b" };
    const char *kind = kinds[roll(d, 3)], *name = names[roll(d, 2)];
    char bytes[300];
    marey_part parts[2] = { { 1 + roll(d, 4), 0, 5 }, { 1 + roll(d, 4), 2, 4 } };
    marey_keep_def def = { .about = "{}", .parts = parts, .part_count = roll(d, 3) };
    for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (char)roll(d, 256);
    switch (roll(d, 4)) {
    case 0: return marey_library_forget(library, kind, name, NULL);
    case 1: return marey_library_rename_kept(library, kind, name, names[roll(d, 2)], NULL);
    default: return marey_library_keep(library, kind, name, bytes, sizeof bytes, &def, NULL);
    }
}

static marey_status change_repairs(marey_library *library, dice *d)
{
    marey_repair turn = { .layer = { MAREY_LAYER_TURN, 1, 1, 3, { 0.6, 0.8 } } };
    marey_repair_def def = { .clip = some_clip(d), .add = &turn, .add_count = 1 };
    if (roll(d, 3) == 0) def = (marey_repair_def){ .clip = def.clip, .drop_all = true };
    return marey_library_repair(library, &def, 1, NULL, NULL);
}

static marey_status change_one(marey_library *library, const marey_clip *clip, dice *d)
{
    static const char *const labels[] = { "gait", "slow", "wave" };
    const char *names[] = { some_clip(d), some_clip(d) }, *label = labels[roll(d, 3)];
    marey_contact contacts[2] = { { MAREY_CONTACT_LEFT_HEEL, 1, 3 },
                                  { MAREY_CONTACT_RIGHT_HEEL, 2, 2 + 1 + roll(d, 3) } };
    marey_clip_range range = { names[0], roll(d, 4), 5 + roll(d, 3) };
    marey_edit_def edit = { .add = &label,
                            .add_count = roll(d, 2),
                            .drop = &label,
                            .drop_count = 1,
                            .description = roll(d, 2) ? "of a body" : NULL };
    int count = 1 + (roll(d, 3) == 0 && names[0] != names[1]);
    switch (roll(d, 13)) {
    case 0: return marey_library_rename(library, names[0], some_clip(d), NULL);
    case 1: return marey_library_edit(library, names, count, &edit, NULL);
    case 2:
        return marey_library_edit_frames(library, &range, 1,
                                         &(marey_edit_def){ .add = &label, .add_count = 1 }, NULL);
    case 3:
        return marey_library_edit_frames(
            library, &range, 1, &(marey_edit_def){ .drop = &label, .drop_count = 1 }, NULL);
    case 4: return marey_library_remove(library, names, count, NULL);
    case 5: return marey_library_restore(library, names, 1, NULL);
    case 6: return marey_library_cut(library, names[0], 1, 5, "part", NULL, 0, NULL);
    case 7:
        return marey_library_put(library, clip, "made",
                                 &(marey_put_def){ .labels = &label, .label_count = 1 }, NULL, 0,
                                 NULL);
    case 8: return marey_library_set_contacts(library, names[0], contacts, roll(d, 3), NULL);
    case 9: return change_repairs(library, d);
    case 10: return marey_library_relabel(library, names, 1, label, NULL);
    default: return change_saved(library, d);
    }
}

enum { MOST_STATES = 64 };

/* Every state that a step leads to, the first one before any. */
typedef struct course {
    uint64_t sums[MOST_STATES];
    int64_t steps[MOST_STATES]; /* by which it was reached */
    int count, at;
} course;

static void expect_state(marey_library *library, const course *c, int trial, const char *behind)
{
    if (dump(library) != c->sums[c->at])
        fail_msg("sequence %d: not the library of state %d, behind %s", trial, c->at, behind);
}

static void run_course(test_library *f, marey_library *second, const marey_clip *clip, int trial)
{
    dice d = { (uint64_t)trial * 77 + 5 };
    int64_t start = number_of(f->library, "SELECT coalesce(max(id), 0) FROM history"
                                          " WHERE NOT undone");
    course c = { .sums = { dump(f->library) }, .steps = { start }, .count = 1 };
    for (int turn = 0; turn < 16; turn++) {
        marey_library *library = roll(&d, 2) ? f->library : second;
        int64_t before = marey_library_step(library);
        marey_history_move done = { 0 };
        int what = roll(&d, 10);
        if (what < 6) {
            change_one(library, clip, &d);
            if (marey_library_step(library) != before) {
                c.at++;
                c.count = c.at + 1;
                c.steps[c.at] = marey_library_step(library);
                c.sums[c.at] = dump(library);
                assert_int_equal(number_of(library, "SELECT count(*) FROM history WHERE undone"),
                                 0);
            }
            expect_state(library, &c, trial, "a change");
        } else if (what < 8 && c.at > 0) {
            test_ok(marey_library_undo(library, 0, &done, &test_error));
            assert_int_equal(done.step, c.steps[c.at]);
            c.at--;
            expect_state(library, &c, trial, "an undo");
        } else if (what == 8 && c.at + 1 < c.count) {
            test_ok(marey_library_redo(library, &done, &test_error));
            c.at++;
            assert_int_equal(done.step, c.steps[c.at]);
            expect_state(library, &c, trial, "a redo");
        } else if (what == 9) {
            int to = roll(&d, c.count), far = abs(to - c.at);
            test_ok(marey_library_go_to(library, c.steps[to], &done, &test_error));
            assert_int_equal(done.count, far);
            c.at = to;
            expect_state(library, &c, trial, "a jump");
        }
    }
    test_ok(marey_library_go_to(f->library, c.steps[c.count - 1], NULL, &test_error));
    c.at = c.count - 1;
    expect_state(f->library, &c, trial, "redoing all");
    test_ok(marey_library_go_to(second, c.steps[0], NULL, &test_error));
    c.at = 0;
    expect_state(second, &c, trial, "undoing all");
}

static test_library *three_clips_new(void)
{
    test_library *f = two_clips_new(20, 23);
    OWNED(marey_clip) *jump = test_person_clip(f->ctx, 17);
    test_library_put_clip(f, jump, "jump");
    return f;
}

static int three_clips_make(void **state)
{
    *state = three_clips_new();
    return 0;
}

#define CASE(name) TEST_OF_IN(three_clips_make, test_library_free, test_library *f, name)

CASE(any_sequence_of_changes_undos_and_redos_gives_the_library_back)
{
    int trials = test_trials(100, 2000);
    OWNED(marey_clip) *clip = test_person_clip(f->ctx, 9);
    OWNED(marey_library) *second = test_library_second(f, MAREY_LIBRARY_WRITE);
    for (int trial = 0; trial < trials; trial++) {
        run_course(f, second, clip, trial);
        if (trial % 20 == 0) test_library_sound(f);
    }
    /* Nothing that was made and taken back is left in the file. */
    test_ok(marey_library_purge(f->library, NULL, 0, NULL, &test_error));
    assert_int_equal(number_of(f->library, "SELECT count(*) FROM blob WHERE id NOT IN (SELECT"
                                           " motion FROM clip) AND id NOT IN (SELECT blob FROM"
                                           " kept)"),
                     0);
    assert_int_equal(number_of(f->library, "SELECT count(*) FROM history_part"), 0);
    test_library_sound(f);
}

/* ---- one step of several --------------------------------------------------------------------- */

static void remove_clip(test_library *f, const char *name)
{
    test_ok(marey_library_remove(f->library, &name, 1, &test_error));
}

static void label_clip(test_library *f, const char *name, const char *label)
{
    test_ok(marey_library_label(f->library, &name, 1, label, true, &test_error));
}

CASE(a_step_further_back_is_undone_by_itself)
{
    marey_history_move done;
    remove_clip(f, "walk");
    int64_t removal = marey_library_step(f->library);
    label_clip(f, "run", "fast");
    uint64_t between = dump(f->library);
    test_ok(marey_library_undo(f->library, removal, &done, &test_error));
    assert_string_equal(done.title, "remove walk");
    assert_int_equal(test_library_count(f, &(marey_list_def){ .text = "walk" }), 1);
    assert_int_equal(test_library_count(f, &(marey_list_def){ .label = "fast" }), 1);
    OWNED(marey_history) *history = NULL;
    int count = 0;
    test_ok(marey_library_history(f->library, &history, &test_error));
    const marey_history_step *steps = marey_history_steps(history, &count);
    assert_string_equal(steps[0].title, "undo: remove walk");
    assert_string_equal(steps[1].title, "label fast on run");
    assert_int_equal(steps[0].id, marey_library_step(f->library));
    /* .. which is a step like any other */
    test_ok(marey_library_undo(f->library, 0, &done, &test_error));
    assert_true(dump(f->library) == between);
    test_library_sound(f);
}

CASE(a_step_that_others_build_on_says_which_to_undo_first)
{
    char said[200];
    OWNED(marey_clip) *clip = test_person_clip(f->ctx, 9);
    test_library_put_clip(f, clip, "made");
    int64_t made = marey_library_step(f->library);
    label_clip(f, "made", "fast"); /* goes with the clip, though another step made it */
    int64_t labelled = marey_library_step(f->library);
    test_ok(marey_library_rename(f->library, "walk", "stroll", &test_error));
    int64_t renamed = marey_library_step(f->library);
    test_ok(marey_library_rename(f->library, "stroll", "march", &test_error));
    int64_t again = marey_library_step(f->library);
    uint64_t before = dump(f->library);
    int64_t steps = number_of(f->library, "SELECT count(*) FROM history");
    snprintf(said, sizeof said, "step %d (label fast on made) changed the same since",
             (int)labelled);
    test_refused_about(marey_library_undo(f->library, made, NULL, &test_error), MAREY_ERR_STALE,
                       said);
    snprintf(said, sizeof said, "step %d (rename stroll to march)", (int)again);
    test_refused_about(marey_library_undo(f->library, renamed, NULL, &test_error), MAREY_ERR_STALE,
                       said);
    assert_true(dump(f->library) == before);
    assert_int_equal(number_of(f->library, "SELECT count(*) FROM history"), steps);
    /* A label and a name of one clip are two things. */
    label_clip(f, "march", "slow");
    test_ok(marey_library_undo(f->library, again, NULL, &test_error));
    assert_int_equal(test_library_count(f, &(marey_list_def){ .text = "stroll slow" }), 1);
}

CASE(a_name_that_is_taken_meanwhile_is_not_given_back)
{
    remove_clip(f, "walk");
    int64_t removal = marey_library_step(f->library);
    test_ok(marey_library_rename(f->library, "run", "walk", &test_error));
    test_refused_about(marey_library_undo(f->library, removal, NULL, &test_error), MAREY_ERR_STALE,
                       "another clip has the name now");
    test_keep(f->library, "web", "a", "one");
    test_ok(marey_library_forget(f->library, "web", "a", &test_error));
    int64_t forgotten = marey_library_step(f->library);
    test_keep(f->library, "web", "a", "two");
    test_refused_about(marey_library_undo(f->library, forgotten, NULL, &test_error),
                       MAREY_ERR_STALE, "another saved thing has the name now");
    assert_true(test_is_kept(f->library, "web", "a", "two"));
}

CASE(what_does_not_exist_is_neither_undone_nor_redone)
{
    test_refused_about(marey_library_redo(f->library, NULL, &test_error), MAREY_ERR_NOT_FOUND,
                       "there is nothing to redo");
    test_refused_about(marey_library_undo(f->library, 99, NULL, &test_error), MAREY_ERR_NOT_FOUND,
                       "there is no step 99");
    test_refused_about(marey_library_go_to(f->library, 99, NULL, &test_error), MAREY_ERR_NOT_FOUND,
                       "there is no step 99");
    int64_t last = marey_library_step(f->library);
    test_ok(marey_library_undo(f->library, 0, NULL, &test_error));
    test_refused_about(marey_library_undo(f->library, last, NULL, &test_error), MAREY_ERR_REQUEST,
                       "is undone already");
    test_ok(marey_library_go_to(f->library, 0, NULL, &test_error));
    assert_int_equal(test_library_count(f, NULL), 0);
    test_refused_about(marey_library_undo(f->library, 0, NULL, &test_error), MAREY_ERR_NOT_FOUND,
                       "there is nothing to undo");
}

CASE(a_change_that_changes_nothing_is_no_step)
{
    int64_t last = marey_library_step(f->library);
    test_ok(marey_library_rename(f->library, "walk", "walk", &test_error));
    label_clip(f, "walk", "gait");
    int64_t labelled = marey_library_step(f->library);
    assert_true(labelled > last);
    label_clip(f, "walk", "gait");
    assert_int_equal(marey_library_step(f->library), labelled);
}

CASE(numbers_are_never_given_twice_also_behind_an_undo)
{
    OWNED(marey_clip) *clip = test_person_clip(f->ctx, 9);
    int64_t first = test_library_put_clip(f, clip, "made"), step = marey_library_step(f->library);
    test_ok(marey_library_undo(f->library, 0, NULL, &test_error));
    assert_true(test_library_put_clip(f, clip, "made") > first);
    assert_true(marey_library_step(f->library) > step);
    test_keep(f->library, "web", "a", "one");
    int64_t kept = number_of(f->library, "SELECT id FROM kept");
    test_ok(marey_library_undo(f->library, 0, NULL, &test_error));
    test_keep(f->library, "web", "b", "two");
    assert_true(number_of(f->library, "SELECT id FROM kept") > kept);
}

CASE(a_group_of_changes_is_one_step)
{
    marey_history_move done;
    uint64_t before = dump(f->library);
    int64_t steps = number_of(f->library, "SELECT count(*) FROM history");
    marey_library_group(f->library, "tidy up");
    label_clip(f, "walk", "gait");
    test_ok(marey_library_rename(f->library, "walk", "run-2", &test_error));
    test_ok(marey_library_rename(f->library, "run", "walk", &test_error));
    test_ok(marey_library_rename(f->library, "run-2", "run", &test_error)); /* swapped */
    marey_library_group(f->library, NULL);
    uint64_t after = dump(f->library);
    assert_int_equal(number_of(f->library, "SELECT count(*) FROM history"), steps + 1);
    test_ok(marey_library_undo(f->library, 0, &done, &test_error));
    assert_string_equal(done.title, "tidy up");
    assert_true(dump(f->library) == before);
    test_ok(marey_library_redo(f->library, &done, &test_error));
    assert_true(dump(f->library) == after);
    /* Another program's step in between parts it. */
    OWNED(marey_library) *second = test_library_second(f, MAREY_LIBRARY_WRITE);
    const char *jump = "jump";
    marey_library_group(f->library, "more");
    label_clip(f, "walk", "a");
    test_ok(marey_library_label(second, &jump, 1, "b", true, &test_error));
    label_clip(f, "walk", "c");
    marey_library_group(f->library, NULL);
    assert_int_equal(number_of(f->library, "SELECT count(*) FROM history"), steps + 4);
    test_ok(marey_library_go_to(f->library, done.step, NULL, &test_error));
    assert_true(dump(f->library) == after);
}

/* ---- how much is kept ------------------------------------------------------------------------ */

CASE(the_last_200_steps_are_kept)
{
    char label[24];
    for (int i = 0; i < 210; i++) {
        snprintf(label, sizeof label, "label%d", i);
        label_clip(f, "walk", label);
    }
    int64_t last = marey_library_step(f->library);
    assert_int_equal(number_of(f->library, "SELECT count(*) FROM history"), 200);
    assert_int_equal(number_of(f->library, "SELECT count(*) FROM history_part"), 200);
    assert_int_equal(number_of(f->library, "SELECT min(id) FROM history"), last - 199);
    test_ok(marey_library_go_to(f->library, 0, NULL, &test_error));
    assert_int_equal(number_of(f->library, "SELECT count(*) FROM label"), 10);
}

CASE(saved_things_that_only_the_history_holds_have_64_mib)
{
    enum { SIZE = 15 << 20 };
    FREED uint64_t *bytes = malloc(SIZE);
    dice d = { 3 };
    for (int i = 0; i < 7; i++) {
        for (size_t k = 0; k < SIZE / sizeof *bytes; k++) {
            roll(&d, 2);
            bytes[k] = d.state * d.state;
        }
        test_ok(marey_library_keep(f->library, "web", "a", bytes, SIZE, NULL, &test_error));
    }
    /* The one that is there, and four more; what goes with them goes step by step. */
    assert_int_equal(number_of(f->library, "SELECT count(*) FROM blob WHERE kind = 'kept/web'"), 5);
    test_ok(marey_library_forget(f->library, "web", "a", &test_error));
    assert_int_equal(number_of(f->library, "SELECT count(*) FROM blob WHERE kind = 'kept/web'"), 4);
    while (marey_library_undo(f->library, 0, NULL, &test_error) == MAREY_OK) {
    }
    assert_int_equal(test_error.status, MAREY_ERR_NOT_FOUND);
    test_library_sound(f);
}

CASE(what_was_undone_is_let_go_by_the_next_change)
{
    int64_t before = number_of(f->library, "SELECT count(*) FROM blob");
    OWNED(marey_clip) *clip = test_person_clip(f->ctx, 9);
    test_library_put_clip(f, clip, "made");
    test_keep(f->library, "web", "a", "one");
    test_ok(marey_library_undo(f->library, 0, NULL, &test_error));
    test_ok(marey_library_undo(f->library, 0, NULL, &test_error));
    assert_int_equal(number_of(f->library, "SELECT count(*) FROM blob"), before + 2);
    label_clip(f, "walk", "gait");
    assert_int_equal(number_of(f->library, "SELECT count(*) FROM blob"), before);
    test_refused_about(marey_library_redo(f->library, NULL, &test_error), MAREY_ERR_NOT_FOUND,
                       "nothing to redo");
    test_library_sound(f);
}

CASE(a_purge_is_final_and_clears_the_history)
{
    const char *name = "walk";
    size_t size = 0;
    label_clip(f, "walk", "secretive");
    remove_clip(f, "walk");
    test_keep(f->library, "web", "a", "one");
    test_ok(marey_library_forget(f->library, "web", "a", &test_error));
    test_ok(marey_library_purge(f->library, &name, 1, NULL, &test_error));
    test_refused_about(marey_library_undo(f->library, 0, NULL, &test_error), MAREY_ERR_NOT_FOUND,
                       "nothing to undo");
    assert_int_equal(number_of(f->library, "SELECT count(*) FROM blob WHERE kind = 'kept/web'"), 0);
    assert_int_equal(number_of(f->library, "SELECT count(*) FROM history_blob"), 0);
    label_clip(f, "run", "fast");
    test_ok(marey_library_undo(f->library, 0, NULL, &test_error));
    test_library_close(f);
    FREED char *bytes = test_file_read(f->path, &size);
    assert_null(memmem(bytes, size, "secretive", 9));
    test_library_sound(f);
}

/* ---- what goes wrong ------------------------------------------------------------------------- */

CASE(a_library_that_is_only_read_lists_its_history_and_undoes_nothing)
{
    int count = 0;
    OWNED(marey_history) *history = NULL;
    label_clip(f, "walk", "gait");
    test_library_open(f, MAREY_LIBRARY_READ);
    test_ok(marey_library_history(f->library, &history, &test_error));
    const marey_history_step *steps = marey_history_steps(history, &count);
    assert_int_equal(count, 4);
    assert_string_equal(steps[0].title, "label gait on walk");
    assert_true(steps[0].time_s > 1000000000 && steps[0].rows == 1 && !steps[0].undone);
    test_refused_about(marey_library_undo(f->library, 0, NULL, &test_error), MAREY_ERR_INPUT,
                       "read-only");
}

static marey_status go_and_come(marey_library *library, marey_ctx *ctx, marey_error *error)
{
    OWNED(marey_history) *history = NULL;
    const char *walk = "walk", *jump = "jump";
    int64_t step = 0;
    (void)ctx;
    marey_status status = marey_library_go_to(library, 0, NULL, error);
    while (!status) status = marey_library_redo(library, NULL, error);
    if (status == MAREY_ERR_NOT_FOUND) status = MAREY_OK;
    if (!status) status = marey_library_history(library, &history, error);
    /* Whatever an earlier round has left, putting them on is a step. */
    if (!status) status = marey_library_label(library, &walk, 1, "a", false, error);
    if (!status) status = marey_library_label(library, &jump, 1, "a", false, error);
    if (!status) status = marey_library_label(library, &walk, 1, "a", true, error);
    if (!status) step = marey_library_step(library);
    if (!status) status = marey_library_label(library, &jump, 1, "a", true, error);
    return status ? status : marey_library_undo(library, step, NULL, error);
}

CASE(every_refused_allocation_is_reported_and_leaves_a_sound_library)
{
    label_clip(f, "walk", "gait");
    remove_clip(f, "run");
    test_keep(f->library, "web", "a", "one");
    const char *walk = "walk";
    marey_repair turn = { .layer = { MAREY_LAYER_TURN, 1, 1, 3, { 0.6, 0.8 } } };
    marey_repair_def def = { .clip = walk, .add = &turn, .add_count = 1 };
    test_ok(marey_library_repair(f->library, &def, 1, NULL, &test_error));
    test_library_refuse_memory(f, go_and_come);
}

/* The last step's only part, changed, with a sum that is right. */
static void forge(test_library *f, const void *bytes, size_t count)
{
    OWNED(mry_arena) tmp = mry_arena_make(f->ctx);
    mry_packed packed;
    assert_true(mry_blob_pack(&tmp, bytes, count, 0, &packed));
    test_ok(mry_store_run_with(f->library->store, &test_error, NULL,
                               "UPDATE history_part SET size = ?, sum = ?, bytes = ? WHERE step ="
                               " (SELECT max(id) FROM history)",
                               mry_integer((int64_t)packed.size), mry_integer((int64_t)packed.sum),
                               mry_bytes(packed.bytes, packed.packed_size)));
}

static uint8_t *last_part(test_library *f, mry_arena *mem, size_t *count)
{
    void *bytes = NULL;
    mry_query row = mry_query_start(f->library->store,
                                    "SELECT size, sum, bytes FROM history_part ORDER BY step DESC");
    assert_true(mry_query_next(&row));
    mry_packed packed = { .size = (size_t)mry_column_integer(&row, 0),
                          .sum = (uint64_t)mry_column_integer(&row, 1) };
    packed.bytes = mry_column_bytes(&row, 2, &packed.packed_size);
    test_ok(
        mry_blob_unpack(f->library->store, 1, &packed, 1 << 20, mem, &bytes, count, &test_error));
    test_ok(mry_query_end(&row, &test_error));
    return bytes;
}

/* Undone, it changes nothing outside the tables that have a history, whatever it says; refused, it
   changes nothing. */
static void try_forged(test_library *f, const void *bytes, size_t count, const char *others_sql)
{
    uint64_t before = dump(f->library);
    int64_t others = number_of(f->library, others_sql);
    forge(f, bytes, count);
    marey_status status = marey_library_undo(f->library, 0, NULL, &test_error);
    if (status) {
        assert_int_equal(status, MAREY_ERR_DAMAGED);
        assert_true(dump(f->library) == before);
    } else {
        /* What it left may be no state of ours: back to where it was. */
        status = marey_library_redo(f->library, NULL, &test_error);
        if (status) assert_int_equal(status, MAREY_ERR_DAMAGED);
    }
    assert_int_equal(number_of(f->library, others_sql), others);
}

CASE(a_forged_step_is_refused_or_stays_inside_its_tables)
{
    static const char others[] = "SELECT (SELECT count(*) + total(sum) + total(length(kind)) FROM"
                                 " blob) + (SELECT count(*) FROM skeleton) +"
                                 " (SELECT last_clip FROM edition)";
    OWNED(mry_arena) tmp = mry_arena_make(f->ctx);
    size_t count = 0;
    const char *walk = "walk";
    OWNED(marey_clip) *clip = test_person_clip(f->ctx, 9);
    marey_edit_def edit = { .add = &walk, .add_count = 1, .description = "of a body" };
    marey_library_group(f->library, NULL);
    test_library_put_clip(f, clip, "made");
    test_ok(marey_library_edit(f->library, &walk, 1, &edit, &test_error));
    test_library_close(f);
    size_t size = 0;
    FREED char *base = test_file_read(f->path, &size);
    test_library_open(f, MAREY_LIBRARY_WRITE);
    uint8_t *part = last_part(f, &tmp, &count);
    FREED uint8_t *copy = malloc(count + 16);
    for (size_t cut = 0; cut < count; cut++) {
        memcpy(copy, part, cut);
        try_forged(f, copy, cut, others);
    }
    for (long at = 0; at < (long)count * 8; at = test_next(at)) {
        memcpy(copy, part, count);
        copy[at / 8] ^= (uint8_t)(1 << at % 8);
        test_library_close(f);
        test_library_restore(f->path, base, size);
        test_library_open(f, MAREY_LIBRARY_WRITE);
        try_forged(f, copy, count, others);
    }
    test_library_close(f);
    test_library_restore(f->path, base, size);
    test_library_open(f, MAREY_LIBRARY_WRITE);
    /* Another table that there is. */
    memcpy(copy, part, count);
    uint8_t *name = memmem(copy, count, "label", 6);
    assert_non_null(name);
    memcpy(name, "words", 5);
    forge(f, copy, count);
    test_refused_about(marey_library_undo(f->library, 0, NULL, &test_error), MAREY_ERR_DAMAGED,
                       "of the history is damaged");
    char said[4096];
    test_library_close(f);
    assert_int_equal(test_library_verify(f, said), 1);
    assert_non_null(strstr(said, "it is damaged, and can be neither undone nor redone"));
}

CASE(damage_is_found)
{
    static const test_damage damage[] = {
        { "UPDATE history_part SET sum = sum + 1 WHERE step = 3", "step 3: it is damaged" },
        { "UPDATE history_part SET bytes = x'00' WHERE step = 3", "step 3: it is damaged" },
        { "DELETE FROM history_part WHERE step = 3", "step 3: it is damaged" },
        { "PRAGMA foreign_keys = OFF; INSERT INTO history_blob(step, blob) VALUES(3, 99)",
          "history_blob refers to a row of blob that is not there" },
    };
    size_t size = 0;
    test_library_close(f);
    FREED char *base = test_file_read(f->path, &size);
    for (size_t i = 0; i < sizeof damage / sizeof *damage; i++) {
        char said[4096];
        test_library_restore(f->path, base, size);
        test_library_open(f, MAREY_LIBRARY_WRITE);
        test_ok(mry_store_run(f->library->store, damage[i].sql, &test_error));
        test_library_close(f);
        assert_int_equal(test_library_verify(f, said), 1);
        if (!strstr(said, damage[i].said)) fail_msg("%s: %s", damage[i].sql, said);
    }
    test_library_restore(f->path, base, size);
}

TEST_GROUP_OF_CASES(test_history, NULL, NULL)
