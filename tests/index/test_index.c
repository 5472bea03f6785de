/* test_index.c - the webs of a library: which there are, that they are those of their clips, and
   that nothing else shows in their bytes. */
#include "index_bench.h"

#include "feature/feature_data.h"
#include "match/web_data.h"
#include "motion/clip_data.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void same_webs(const char *wanted, char *got)
{
    if (strcmp(wanted, got) != 0) {
        size_t at = 0, line = 0;
        for (; wanted[at] == got[at]; at++) line = wanted[at] == '\n' ? at + 1 : line;
        fail_msg("other webs than those wanted, from %.40s on", got + line);
    }
    free(got);
}

/* ---- the judge: one pair at a time, straight from the clips ---------------------------------- */

static void check_pair(test_library *f, const char *rows, const char *cols)
{
    marey_clip *clips[2] = { 0 };
    OWNED(marey_layout) *layout = NULL;
    marey_features *features[2] = { 0 };
    marey_web *web = NULL;
    marey_named named[2];
    uint8_t *bytes;
    size_t size, kept;
    bool self = strcmp(rows, cols) == 0;
    const char *names[2] = { rows, cols };
    for (int i = 0; i < 2; i++) {
        test_ok(mry_clip_find(f->library, names[i], false, &named[i], &test_error));
        test_ok(marey_library_load(f->library, names[i], &clips[i], &test_error));
    }
    test_ok(marey_library_index_view(f->library, (const marey_clip *const *)clips, &layout,
                                     features, &test_error));
    test_ok(marey_web_build(f->ctx, features[0], self ? features[0] : features[1], NULL, &web,
                            &test_error));
    test_ok(marey_web_write(web, &bytes, &size, &test_error));
    mry_query row =
        mry_query_start(f->library->store, "SELECT bytes FROM web JOIN web_bytes ON web = id"
                                           " WHERE a = min(?1, ?2) AND b = max(?1, ?2)");
    mry_bind_integer(&row, 1, named[0].id);
    mry_bind_integer(&row, 2, named[1].id);
    assert_true(mry_query_next(&row));
    const void *there = mry_column_bytes(&row, 0, &kept);
    assert_int_equal(kept, size);
    assert_memory_equal(there, bytes, size);
    test_ok(mry_query_end(&row, &test_error));
    marey_web_bytes_free(f->ctx, bytes, size);
    marey_web_free(web);
    for (int i = 0; i < 2; i++) {
        marey_features_free(features[i]);
        marey_clip_free(clips[i]);
    }
}

/* The lines say which of the two the rows are of. */
static int check_pairs(test_library *f)
{
    FREED char *all = test_index_webs(f);
    int count = 0;
    for (char *line = strtok(all, "\n"); line; line = strtok(NULL, "\n"), count++) {
        char rows[64], cols[64];
        assert_int_equal(sscanf(line, "%63s %63s", rows, cols), 2);
        check_pair(f, rows, cols);
    }
    return count;
}

#define CASE(name) TEST_OF_IN(test_library_make, test_library_free, test_library *f, name)

CASE(every_pair_has_the_web_of_its_clips)
{
    test_index_put_all(f);
    assert_false(test_index_state(f).exists);
    marey_index_report report = test_index_run(f, NULL, NULL);
    assert_int_equal(check_pairs(f), 15);
    assert_int_equal(report.clips, 5);
    assert_int_equal(report.pairs, 15);
    assert_int_equal(report.pairs_built, 15);
    assert_int_equal(report.pairs_dropped, 0);
    assert_true(report.chains > 10 && report.bridges > 0 && report.bytes > 1000);
    assert_true(report.ceiling == MAREY_WEB_CEILING && report.fps == 60);
    int64_t frames = 90 + 50 + 70 + 64 + 80, squares = 8100 + 2500 + 4900 + 4096 + 6400;
    assert_int_equal(report.cells, (frames * frames - squares) / 2 + (squares - frames) / 2);
    assert_string_equal(report.rebuilt, "");
}

CASE(the_state_says_what_there_is)
{
    marey_index_state now = test_index_state(f);
    assert_false(now.exists);
    assert_int_equal(now.pairs_missing, 0);
    test_index_put(f, 0);
    assert_int_equal(test_index_state(f).pairs_missing, 1);
    marey_index_report report = test_index_run(f, NULL, NULL);
    test_index_put(f, 1);
    test_index_put(f, 2);
    now = test_index_state(f);
    assert_true(now.exists);
    assert_int_equal(now.pairs_missing, 5);
    assert_int_equal(now.size.pairs, 1);
    assert_int_equal(now.size.clips, 1);
    assert_int_equal(now.size.bytes, report.bytes);
    assert_int_equal(now.size.chains, report.chains);
    assert_string_equal(now.metric, "points");
    assert_string_equal(now.about,
                        "{\"fps\":60,\"metric\":\"points\",\"joints\":\"equal\",\"window\":5,"
                        "\"slope\":2,\"valid\":0.15,\"shortest_s\":0.25,\"bridge_s\":2,"
                        "\"tail_s\":0.7,\"ceiling\":1000}");
    test_ok(marey_library_index_drop(f->library, &test_error));
    now = test_index_state(f);
    assert_false(now.exists);
    assert_int_equal(now.size.pairs, 0);
    assert_int_equal(now.pairs_missing, 6);
}

/* ---- the same bytes -------------------------------------------------------------------------- */

CASE(the_same_webs_whatever_the_order_the_threads_and_the_portions)
{
    static const int orders[][TEST_INDEX_CLIPS] = { { 4, 2, 0, 3, 1 }, { 1, 3, 0, 4, 2 } };
    static const mry_index_tuning tunings[] = {
        { 0 },
        { .batch_cells = 1 },
        { .block_bytes = 1, .based_on = 1 },
        { .alone_cells = 1 },
        { .block_bytes = 300000, .batch_cells = 10000, .alone_cells = 5000 },
    };
    test_index_put_all(f);
    test_index_run(f, NULL, NULL);
    FREED char *wanted = test_index_webs(f);
    for (size_t i = 0; i < sizeof tunings / sizeof *tunings; i++) {
        test_index_reopen(f, 1 + (int)i % 3);
        marey_index_report report =
            test_index_run(f, &(marey_index_def){ .rebuild = true }, &tunings[i]);
        assert_int_equal(report.pairs_built, 15);
        assert_int_equal(report.pairs_dropped, 15);
        assert_string_equal(report.rebuilt, "this was asked for");
        same_webs(wanted, test_index_webs(f));
    }
    for (int k = 0; k < 2; k++) { /* other numbers, and one clip at a time */
        void *other;
        test_library_make(&other);
        for (int i = 0; i < TEST_INDEX_CLIPS; i++) {
            test_index_put(other, orders[k][i]);
            marey_index_report report = test_index_run(other, NULL, NULL);
            assert_int_equal(report.pairs_built, i + 1);
            assert_int_equal(report.pairs_dropped, 0);
        }
        same_webs(wanted, test_index_webs(other));
        test_library_free(&other);
    }
}

typedef struct telling {
    int calls, stop_at;
    marey_ctx *cancels; /* stop by this instead */
    int pairs_done;
} telling;

static bool hear(void *user, const marey_index_progress *progress)
{
    telling *t = user;
    assert_true(progress->pairs_done >= t->pairs_done && progress->pairs_done <= progress->pairs);
    assert_true(progress->cells_done >= 0 && progress->cells_done <= progress->cells);
    assert_true(progress->seconds >= 0);
    if (progress->cells_done == 0) assert_true(progress->seconds_left < 0);
    if (progress->pairs_done == progress->pairs) assert_true(progress->seconds_left == 0);
    t->pairs_done = progress->pairs_done;
    if (++t->calls != t->stop_at) return true;
    if (t->cancels) marey_ctx_cancel(t->cancels);
    return t->cancels != NULL;
}

CASE(stopped_at_any_time_it_goes_on_from_there)
{
    test_index_put_all(f);
    telling t = { 0 };
    marey_index_def def = { .progress = hear, .user = &t };
    mry_index_tuning one = { .batch_cells = 1 }, alone = { .batch_cells = 1, .alone_cells = 1 };
    test_index_run(f, &def, &one);
    int calls = t.calls;
    assert_true(calls >= 16);
    FREED char *wanted = test_index_webs(f);
    for (int stop = 1; stop <= calls; stop += 4) {
        test_ok(marey_library_index_drop(f->library, &test_error));
        for (int way = 0; way < 3; way++) { /* by the answer; by the context; while all build one */
            t = (telling){ .stop_at = stop < 6 ? stop : 6, .cancels = way == 1 ? f->ctx : NULL };
            marey_status status =
                mry_library_index(f->library, &def, way == 2 ? &alone : &one, NULL, &test_error);
            assert_true(status == MAREY_ERR_CANCELLED || test_index_state(f).pairs_missing == 0);
            assert_int_equal(marey_ctx_cancelled(f->ctx), way == 1 && status);
            marey_ctx_resume(f->ctx);
            assert_true(test_index_state(f).exists);
        }
        int missing = test_index_state(f).pairs_missing;
        assert_true(stop == 1 ? missing == 15 : missing < 15);
        t = (telling){ 0 };
        assert_int_equal(test_index_run(f, &def, NULL).pairs_built, missing);
        same_webs(wanted, test_index_webs(f));
    }
}

/* ---- clips that go and come ------------------------------------------------------------------ */

CASE(webs_of_removed_clips_go_with_the_next_index)
{
    const char *name = "clip2";
    test_index_put_all(f);
    test_index_run(f, NULL, NULL);
    char *wanted = test_index_webs(f);
    test_ok(marey_library_remove(f->library, &name, 1, &test_error));
    assert_int_equal(test_index_state(f).size.pairs, 10);
    assert_int_equal(test_index_state(f).pairs_missing, 0);
    test_ok(marey_library_restore(f->library, &name, 1, &test_error)); /* nothing happened */
    assert_int_equal(test_index_state(f).size.pairs, 15);
    test_ok(marey_library_remove(f->library, &name, 1, &test_error));
    marey_index_report report = test_index_run(f, NULL, NULL);
    assert_int_equal(report.pairs_dropped, 5);
    assert_int_equal(report.pairs_built, 0);
    assert_int_equal(report.pairs, 10);
    assert_string_equal(report.rebuilt, "");
    test_ok(marey_library_restore(f->library, &name, 1, &test_error));
    assert_int_equal(test_index_state(f).pairs_missing, 5);
    assert_int_equal(test_index_run(f, NULL, NULL).pairs_built, 5);
    same_webs(wanted, test_index_webs(f));
    free(wanted);
    test_ok(marey_library_purge(f->library, &name, 1, NULL, &test_error));
    mry_query row = mry_query_start(f->library->store, "SELECT count(*) FROM web_bytes");
    assert_true(mry_query_next(&row));
    assert_int_equal(mry_column_integer(&row, 0), 10);
    test_ok(mry_query_end(&row, &test_error));
    test_library_close(f);
    test_library_sound(f);
    test_library_open(f, MAREY_LIBRARY_WRITE);
}

CASE(an_index_that_is_whole_is_left_alone)
{
    int64_t before, after;
    test_index_put_all(f);
    test_index_run(f, NULL, NULL);
    test_ok(marey_library_version(f->library, &before, &test_error));
    assert_int_equal(test_index_run(f, NULL, NULL).pairs_built, 0);
    test_ok(marey_library_version(f->library, &after, &test_error));
    assert_int_equal(before, after);
    test_index_put(f, 0); /* the same motion under another number */
    test_ok(marey_library_version(f->library, &before, &test_error));
    assert_int_equal(test_index_run(f, NULL, NULL).pairs_built, 6);
    test_ok(marey_library_version(f->library, &after, &test_error));
    assert_true(after > before);
}

/* ---- other programs meanwhile ---------------------------------------------------------------- */

typedef struct meddling {
    const char *path;
    int calls;
    bool purges; /* else it indexes with other settings */
} meddling;

static bool meddle(void *user, const marey_index_progress *progress)
{
    meddling *m = user;
    const char *name = "clip4";
    (void)progress;
    if (++m->calls != 3) return true;
    OWNED(marey_ctx) *ctx = test_ctx();
    OWNED(marey_library) *other = NULL;
    test_ok(marey_library_open(ctx, m->path, MAREY_LIBRARY_WRITE, &other, &test_error));
    if (m->purges) {
        test_ok(marey_library_purge(other, &name, 1, NULL, &test_error));
    } else {
        test_ok(marey_library_index(other, &(marey_index_def){ .fps = 30 }, NULL, &test_error));
    }
    return true;
}

CASE(what_others_change_meanwhile_is_not_overwritten)
{
    meddling m = { .path = f->path };
    marey_index_def def = { .fps = 60, .progress = meddle, .user = &m };
    mry_index_tuning one = { .batch_cells = 1 };
    test_index_put_all(f);
    test_refused_about(mry_library_index(f->library, &def, &one, NULL, &test_error),
                       MAREY_ERR_REQUEST, "meanwhile");
    assert_true(test_index_state(f).size.fps == 30);
    assert_int_equal(test_index_state(f).pairs_missing, 0);
    m = (meddling){ .path = f->path, .purges = true };
    test_index_run(f, &def, &one);
    assert_int_equal(test_index_state(f).size.pairs, 10);
    assert_int_equal(test_index_state(f).pairs_missing, 0);
}

/* ---- clips of other kinds -------------------------------------------------------------------- */

static const char stick[] =
    "HIERARCHY\nROOT thing\n{\nOFFSET 0 0 0\nCHANNELS 6 Xposition Yposition "
    "Zposition Zrotation Xrotation Yrotation\nEnd Site\n{\nOFFSET 0 30 0\n}\n}\n"
    "MOTION\nFrames: 2\nFrame Time: 0.0166667\n0 90 0 0 0 0\n1 90 0 0 0 0\n";

static mry_index_web_state state_of(test_library *f, int64_t a, int64_t b, int *rows, int *cols,
                                    double *fps)
{
    OWNED(marey_web) *web = NULL;
    bool flipped;
    mry_index_web_state now;
    test_ok(mry_index_web_read(f->library, a, b, &web, &flipped, &now, &test_error));
    if (web) {
        *(flipped ? cols : rows) = web->rows;
        *(flipped ? rows : cols) = web->cols;
        *fps = web->fps;
    }
    assert_int_equal(web != NULL, now == MRY_WEB_THERE);
    return now;
}

CASE(others_stay_as_they_are_when_another_skeleton_or_rate_comes)
{
    marey_clip *slow = NULL, *clip = test_mover(f->ctx, 90, 8);
    int rows = 0, cols = 0;
    double fps = 0;
    test_index_put(f, 0);
    test_index_put(f, 1);
    test_index_run(f, NULL, NULL);
    char *before = test_index_webs(f);
    test_ok(marey_clip_resample(clip, 25, &slow, NULL));
    test_index_put_clip(f, slow, "slow");
    test_index_put_clip(f, test_renamed(clip, 4, "Somewhere"), "stranger");
    test_index_put_clip(f, test_clip(f->ctx, stick), "thing");
    marey_clip_free(clip);
    marey_index_report report = test_index_run(f, NULL, NULL);
    assert_int_equal(report.pairs_built, 12);
    assert_int_equal(report.pairs_dropped, 0);
    char *after = test_index_webs(f);
    for (char *line = strtok(before, "\n"); line; line = strtok(NULL, "\n"))
        assert_non_null(strstr(after, line));
    free(after);
    free(before);
    assert_int_equal(state_of(f, 3, 1, &rows, &cols, &fps), MRY_WEB_THERE);
    assert_true(rows == 38 && cols == 38 && fps == 25);
    assert_int_equal(state_of(f, 4, 2, &rows, &cols, &fps), MRY_WEB_THERE);
    assert_true(rows == 90 && cols == 50 && fps == 60);
    assert_int_equal(state_of(f, 3, 4, &rows, &cols, &fps), MRY_WEB_THERE);
    assert_true(rows == 38 && cols == 38 && fps == 25);
    assert_int_equal(state_of(f, 5, 4, &rows, &cols, &fps), MRY_WEB_NOTHING);
    assert_int_equal(state_of(f, 5, 5, &rows, &cols, &fps), MRY_WEB_THERE);
    assert_int_equal(state_of(f, 5, 6, &rows, &cols, &fps), MRY_WEB_MISSING);
    assert_int_equal(test_index_run(f, NULL, NULL).pairs_built, 0); /* nothing in common is built */
}

CASE(clips_are_looked_at_by_their_own_rates)
{
    OWNED(mry_arena) mem = mry_arena_make(f->ctx);
    mry_index_settings settings;
    mry_index_clip *clips;
    marey_clip *slow = NULL, *clip = test_mover(f->ctx, 90, 8);
    int count;
    bool exists;
    test_ok(marey_clip_resample(clip, 25, &slow, NULL));
    test_index_put_clip(f, slow, "slow");
    test_index_put_clip(f, clip, "quick");
    test_index_run(f, &(marey_index_def){ .fps = 40 }, NULL);
    test_index_put(f, 0);
    test_ok(mry_index_settings_read(f->library, &mem, &settings, &exists, &test_error));
    assert_true(exists && settings.fps == 40);
    test_ok(mry_index_clips_read(f->library, &settings, &mem, &clips, &count, &test_error));
    assert_int_equal(count, 3);
    assert_true(clips[0].rate == 25 && clips[0].rows == 38 && clips[0].frames == 38);
    assert_true(clips[1].rate == 40 && clips[1].rows == 60 && clips[1].frames == 90);
    assert_int_equal(clips[2].rows, 0);                 /* not in the index yet */
    assert_int_equal(mry_index_frame(&clips[1], 1), 2); /* 1.5 */
    assert_int_equal(mry_index_frame(&clips[1], 59), 89);
    assert_int_equal(mry_index_frame(&clips[1], 60), 89);
    assert_int_equal(mry_index_row(&clips[1], 3), 2);
    assert_int_equal(mry_index_row(&clips[1], 89), 59);
    for (int i = 0; i < 38; i++) assert_int_equal(mry_index_frame(&clips[0], i), i);
}

/* Of clips that are quicker than the index only every so many-th frame is opened: where that is all that
   is looked at, not where poses between frames are needed beside a slower clip. */
CASE(frames_that_are_not_opened_do_not_show_in_webs)
{
    static const double slower[] = { 10, 15 };
    marey_clip *marked = test_person_clip(f->ctx, 130);
    assert_true(mry_clip_add_mark(marked, (marey_mark_kind)0, 31, 44));
    test_index_put_clip(f, marked, "marked");
    test_index_put(f, 0);
    test_index_put(f, 4);
    test_index_run(f, &(marey_index_def){ .fps = 20 }, NULL);
    assert_int_equal(check_pairs(f), 6);
    for (int i = 0; i < 2; i++) {
        marey_clip *clip = test_person_clip(f->ctx, 140 + i), *slow = NULL;
        test_ok(marey_clip_resample(clip, slower[i], &slow, NULL));
        test_index_put_clip(f, slow, i ? "fifteen" : "ten");
        marey_clip_free(clip);
        test_index_run(f, &(marey_index_def){ .rebuild = true }, NULL);
        assert_int_equal(check_pairs(f), i ? 15 : 10);
    }
}

/* The layout that does not depend on others measures as that of the two clips does; by roles, on a
   body of one size. */
CASE(distances_are_those_of_a_layout_of_the_two)
{
    marey_clip *clips[3] = { test_mover(f->ctx, 40, 3), test_mover(f->ctx, 30, 4) };
    clips[2] = test_renamed(clips[1], 4, "Somewhere");
    test_index_put(f, 0);
    test_index_run(f, NULL, NULL);
    for (int k = 1; k < 3; k++) {
        const marey_clip *both[2] = { clips[0], clips[k] };
        OWNED(test_pair) pair = test_pair_make(f->ctx, both[0], both[1], NULL);
        OWNED(marey_layout) *layout = NULL;
        marey_features *seen[2];
        test_ok(marey_library_index_view(f->library, both, &layout, seen, &test_error));
        assert_int_equal(marey_layout_by_roles(layout), k == 2);
        double size = k == 2 ? 80 / mry_body_size(clips[0]) : 1;
        for (int i = 0; i < 30; i++) {
            double plain = marey_distance(pair.a, i + 5, pair.b, i);
            double fixed = marey_distance(seen[0], i + 5, seen[1], i);
            assert_true(fabs(fixed - size * size * plain) < 1e-3 * (1 + plain));
        }
        for (int i = 0; i < 2; i++) marey_features_free(seen[i]);
    }
    for (int k = 0; k < 3; k++) marey_clip_free(clips[k]);
}

/* ---- a clip from outside --------------------------------------------------------------------- */

CASE(a_clip_from_outside_has_the_web_it_would_have_inside)
{
    OWNED(mry_arena) mem = mry_arena_make(f->ctx);
    mry_index_settings settings;
    mry_outside *outside = NULL;
    OWNED(marey_clip) *clip = NULL;
    bool exists, flipped;
    int compared = 0;
    test_index_put_all(f);
    test_index_run(f, NULL, NULL);
    test_ok(marey_library_load(f->library, "clip0", &clip, &test_error));
    test_ok(mry_index_settings_read(f->library, &mem, &settings, &exists, &test_error));
    test_ok(mry_outside_open(f->library, &settings, clip, &outside, &test_error));
    assert_int_equal(mry_outside_clip(outside).rows, 90);
    for (int64_t id = 1; id <= 5; id++) {
        OWNED(marey_web) *web = NULL, *kept = NULL;
        mry_index_web_state now;
        uint8_t *bytes[2];
        size_t size[2];
        test_ok(id == 1 ? mry_outside_self(outside, &web, &test_error)
                        : mry_outside_web(outside, f->library, id, &web, &test_error));
        test_ok(mry_index_web_read(f->library, 1, id, &kept, &flipped, &now, &test_error));
        test_ok(marey_web_write(web, &bytes[0], &size[0], &test_error));
        test_ok(marey_web_write(kept, &bytes[1], &size[1], &test_error));
        if (!flipped) {
            assert_int_equal(size[0], size[1]);
            assert_memory_equal(bytes[0], bytes[1], size[0]);
            compared++;
        }
        for (int i = 0; i < 2; i++) marey_web_bytes_free(f->ctx, bytes[i], size[i]);
    }
    assert_true(compared >= 2);
    mry_outside_free(outside);
}

TEST_GROUP_OF_CASES(test_index, NULL, NULL)
