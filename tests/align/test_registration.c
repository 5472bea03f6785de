/* test_registration.c - registration curves: known warps, turns and shifts come back, and whatever
   the motions, what holds by definition holds. */
#include "frame_measures.h"
#include "registration_clips.h"

#include "align/registration_data.h"
#include "motion/clip_data.h"

#include <math.h>

/* ---- what is known --------------------------------------------------------------------------- */

WITH_WALKS(a_motion_with_itself_is_in_step_and_in_place)
{
    OWNED(marey_registration) *of = test_registered_pair(f->ctx, f->walk, f->walk, NULL);
    double first, last, rows[2], at[2], to[2];
    marey_registration_range(of, &first, &last);
    assert_true(first == 0 && last == marey_clip_frames(f->walk) - 1);
    for (double u = first; u <= last; u += 0.37) {
        marey_registration_times(of, u, rows, NULL);
        assert_true(fabs(rows[0] - rows[1]) < 1e-9 && fabs(rows[0] - u) < 1e-9);
        test_root_at(f->walk, rows[1], at);
        test_put(marey_registration_place(of, 1, u), at, to);
        assert_true(fabs(to[0] - at[0]) < 1e-9 && fabs(to[1] - at[1]) < 1e-9);
        assert_true(fabs(marey_registration_place(of, 1, u).angle_rad) < 1e-9);
    }
    test_registration_is_sound(of);
}

/* Takes in which the body stands for long: frames there cost next to nothing with each other, and a
   path must not follow what rounding leaves of that. */
WITH_WALKS(whole_takes_with_themselves_are_in_step)
{
    static const char *const names[] = { "idles", "mixed_home", "jog_straight" };
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        OWNED(marey_demo_take) *take = test_demo_take(f->ctx, names[n]);
        const marey_clip *clip = marey_demo_clip(take);
        OWNED(marey_registration) *of = test_registered_pair(f->ctx, clip, clip, NULL);
        const marey_path *path = marey_registration_path(of, 1);
        assert_int_equal(path->count, marey_clip_frames(clip));
        assert_true(path->mean < 1e-3);
    }
}

WITH_WALKS(a_known_warp_comes_back)
{
    static const double ratios[] = { 1, 0.7, 1.5 };
    for (int n = 0; n < 3; n++) {
        test_sway w;
        OWNED(marey_clip) *copy = test_swayed(f->walk, &w, ratios[n], 12);
        OWNED(marey_registration) *of = test_registered_pair(f->ctx, f->walk, copy, NULL);
        double first, last, rows[2], worst = 0, sum = 0, count = 0;
        marey_registration_range(of, &first, &last);
        for (double u = first; u <= last; u += 0.25) {
            marey_registration_times(of, u, rows, NULL);
            double off = fabs(rows[0] - test_sway_map(&w, rows[1]));
            worst = fmax(worst, off);
            sum += off;
            count++;
        }
        assert_true(sum / count < 0.5);
        assert_true(worst < 2);
        test_registration_is_sound(of);
    }
}

WITH_WALKS(a_copy_that_was_turned_and_moved_is_laid_back)
{
    const double angles[] = { 0.7, -2.9, 3.1 };
    for (int n = 0; n < 3; n++) {
        mry_rot turn = mry_rot_about(0, 1, 0, angles[n]);
        OWNED(marey_clip) *copy = test_moved(f->left, turn, (mry_vec){ 300, 0, -120 });
        OWNED(marey_registration) *of = test_registered_pair(f->ctx, f->left, copy, NULL);
        double first, last, rows[2], at[2], to[2], want[2];
        marey_registration_range(of, &first, &last);
        for (double u = first; u <= last; u += 0.6) {
            marey_registration_times(of, u, rows, NULL);
            test_root_at(copy, rows[1], at);
            test_root_at(f->left, rows[0], want);
            marey_placement placed = marey_registration_place(of, 1, u);
            test_put(placed, at, to);
            assert_true(hypot(to[0] - want[0], to[1] - want[1]) < 1e-3);
            assert_true(fabs(remainder(placed.angle_rad + angles[n], 2 * M_PI)) < 1e-5);
            assert_true(marey_registration_place(of, 0, u).angle_rad == 0);
        }
    }
}

/* Judge: eq. 2-4 for each cell of the path. Cells are up to a row beside the curve, and a row is 2
   cm. */
WITH_WALKS(the_alignment_curve_follows_the_cells)
{
    OWNED(marey_registration) *of = test_registered_pair(f->ctx, f->left, f->right, NULL);
    OWNED(test_pair) features = test_pair_make(f->ctx, f->left, f->right, NULL);
    const marey_path *path = marey_registration_path(of, 1);
    double worst_cm = 0, worst_rad = 0;
    for (int i = 0; i < path->count; i++) {
        marey_cell cell = path->cells[i];
        marey_placement want = marey_place(features.a, cell.row, features.b, cell.col);
        marey_placement got = marey_registration_place(of, 1, (cell.row + cell.col) / 2.0);
        double at[2], a[2], b[2];
        test_root_at(f->right, cell.col, at);
        test_put(want, at, a);
        test_put(got, at, b);
        worst_cm = fmax(worst_cm, hypot(a[0] - b[0], a[1] - b[1]));
        worst_rad = fmax(worst_rad, fabs(remainder(got.angle_rad - want.angle_rad, 2 * M_PI)));
    }
    assert_true(worst_cm < 3 && worst_rad < 0.03);
}

/* Judge: the clouds' means on the curve itself. */
WITH_WALKS(frames_on_the_curve_lie_on_each_other)
{
    OWNED(marey_registration) *of = test_registered_pair(f->ctx, f->left, f->right, NULL);
    OWNED(test_pair) features = test_pair_make(f->ctx, f->left, f->right, NULL);
    double first, last, sum = 0, count = 0;
    marey_registration_range(of, &first, &last);
    for (double u = first; u < last; u += 0.5, count++) {
        double rows[2], means[2][2], got[2];
        marey_registration_times(of, u, rows, NULL);
        for (int m = 0; m < 2; m++) {
            const marey_features *from = m ? features.b : features.a;
            int row = (int)rows[m];
            mry_vec a = mry_window_mean(from, row), b = mry_window_mean(from, row + 1);
            mry_vec mean = mry_vec_mix(a, b, rows[m] - row);
            means[m][0] = mean.x;
            means[m][1] = mean.z;
        }
        test_put(marey_registration_place(of, 1, u), means[1], got);
        sum += hypot(got[0] - means[0][0], got[1] - means[0][1]);
    }
    assert_true(sum / count < 0.03);
}

/* One turns left by 2.6, the other right: at the end there is more than half a turn between
   them. */
WITH_WALKS(the_angle_goes_on_past_half_a_turn)
{
    OWNED(marey_registration) *of = test_registered_pair(f->ctx, f->left, f->right, NULL);
    double first, last, before, least = INFINITY, most = -INFINITY;
    marey_registration_range(of, &first, &last);
    before = marey_registration_place(of, 1, first).angle_rad;
    for (double u = first; u <= last; u += 0.5) {
        double angle = marey_registration_place(of, 1, u).angle_rad;
        assert_true(fabs(angle - before) < 0.1);
        before = angle;
        least = fmin(least, angle);
        most = fmax(most, angle);
    }
    assert_true(most - least > 4.5 && most > M_PI);
}

WITH_WALKS(a_kilometre_changes_nothing)
{
    mry_rot straight = { 1, 0, 0, 0 };
    OWNED(marey_clip) *far = test_moved(f->right, straight, (mry_vec){ 1e5, 0, -7e4 });
    OWNED(marey_clip) *away = test_moved(f->left, straight, (mry_vec){ -6e4, 0, 9e4 });
    OWNED(marey_registration) *near = test_registered_pair(f->ctx, f->left, f->right, NULL);
    OWNED(marey_registration) *moved = test_registered_pair(f->ctx, f->left, far, NULL);
    OWNED(marey_registration) *both = test_registered_pair(f->ctx, away, far, NULL);
    double first, last;
    marey_registration_range(near, &first, &last);
    for (double u = first; u <= last; u += 0.7) {
        double rows[2], rows_moved[2], rows_both[2], at[2], off[2], want[2], got[2];
        marey_registration_times(near, u, rows, NULL);
        marey_registration_times(moved, u, rows_moved, NULL);
        marey_registration_times(both, u, rows_both, NULL);
        for (int m = 0; m < 2; m++) {
            assert_true(fabs(rows[m] - rows_moved[m]) < 1e-9);
            assert_true(fabs(rows[m] - rows_both[m]) < 1e-9);
        }
        test_root_at(f->right, rows[1], at);
        test_put(marey_registration_place(near, 1, u), at, want);
        off[0] = at[0] + 1e5;
        off[1] = at[1] - 7e4;
        test_put(marey_registration_place(moved, 1, u), off, got);
        assert_true(hypot(got[0] - want[0], got[1] - want[1]) < 1e-6);
        test_put(marey_registration_place(both, 1, u), off, got);
        assert_true(hypot(got[0] + 6e4 - want[0], got[1] - 9e4 - want[1]) < 1e-6);
    }
}

/* ---- more than two --------------------------------------------------------------------------- */

WITH_WALKS(three_and_nine_motions_keep_to_the_rules)
{
    const marey_clip *clips[9] = { f->walk, f->slow, f->fast, f->left, f->right };
    marey_clip *more[4];
    for (int i = 0; i < 4; i++) {
        static const char *const takes[] = { "sneak_straight", "sneak_curve", "jog_straight",
                                             "jog_curve" };
        clips[5 + i] = more[i] = test_demo_part(f->ctx, takes[i], 0, 0);
    }
    for (int count = 3; count <= 9; count += 6) {
        OWNED(marey_registration) *of = test_registered(f->ctx, clips, count, NULL);
        int reference = marey_registration_reference(of);
        double first, last, rows[9];
        test_registration_is_sound(of);
        marey_registration_range(of, &first, &last);
        assert_true(first == 0 && last == marey_clip_frames(clips[reference]) - 1);
        marey_registration_times(of, last, rows, NULL);
        for (int i = 0; i < count; i++) {
            assert_int_equal(marey_registration_parent(of, i), i == reference ? -1 : reference);
            assert_true(rows[i] == marey_clip_frames(clips[i]) - 1);
            assert_true((marey_registration_path(of, i) == NULL) == (i == reference));
        }
    }
    for (int i = 0; i < 4; i++) marey_clip_free(more[i]);
}

/* Judge: every pair aligned by itself. */
WITH_WALKS(the_reference_has_the_least_mean_distance)
{
    const marey_clip *clips[] = { f->slow, f->right, f->walk, f->fast };
    OWNED(marey_registration) *of = test_registered(f->ctx, clips, 4, NULL);
    double least = INFINITY;
    int best = -1;
    for (int a = 0; a < 4; a++) {
        double sum = 0;
        for (int b = 0; b < 4; b++) {
            if (a == b) continue;
            OWNED(test_pair) features = test_pair_make(f->ctx, clips[a], clips[b], NULL);
            OWNED(marey_grid) *grid = NULL;
            OWNED(marey_path) path = { 0 };
            assert_int_equal(marey_grid_build(f->ctx, features.a, features.b, &grid, NULL), 0);
            assert_int_equal(marey_align(f->ctx, marey_grid_cost(grid), NULL, &path, NULL), 0);
            sum += path.mean;
        }
        if (sum < least * (1 - 1e-6)) {
            least = sum;
            best = a;
        }
    }
    assert_int_equal(marey_registration_reference(of), best);
}

static void expect_same(const marey_registration *a, const marey_registration *b)
{
    uint8_t *bytes[2];
    size_t size[2];
    assert_int_equal(marey_registration_write(a, &bytes[0], &size[0], NULL), MAREY_OK);
    assert_int_equal(marey_registration_write(b, &bytes[1], &size[1], NULL), MAREY_OK);
    assert_int_equal(size[0], size[1]);
    assert_memory_equal(bytes[0], bytes[1], size[0]);
    marey_registration_bytes_free(a->mem.ctx, bytes[0], size[0]);
    marey_registration_bytes_free(b->mem.ctx, bytes[1], size[1]);
}

WITH_WALKS(a_tree_that_is_a_star_is_a_reference)
{
    const marey_clip *clips[] = { f->walk, f->slow, f->fast };
    OWNED(marey_registration) *found = test_registered(f->ctx, clips, 3, NULL);
    int reference = marey_registration_reference(found), parents[3];
    for (int i = 0; i < 3; i++) parents[i] = i == reference ? -1 : reference;
    marey_registration_def tree = { .parents = parents }, named = { .reference = reference + 1 };
    OWNED(marey_registration) *by_tree = test_registered(f->ctx, clips, 3, &tree);
    OWNED(marey_registration) *by_name = test_registered(f->ctx, clips, 3, &named);
    expect_same(found, by_tree);
    expect_same(found, by_name);
}

/* Each is a warped, turned and moved copy of the one before it; so all that is known of the pairs
   adds up. */
WITH_WALKS(a_chain_of_pairs_adds_up)
{
    static const int chains[2][4] = { { -1, 0, 1, 2 }, { 1, 2, -1, 2 } };
    test_sway w[4];
    marey_clip *chain[4] = { f->left };
    double worst_rows = 0, worst_cm = 0;
    for (int i = 1; i < 4; i++) {
        OWNED(marey_clip) *plain = test_swayed(chain[i - 1], &w[i], i == 2 ? 0.8 : 1.2, 4.0 * i);
        chain[i] = test_moved(plain, mry_rot_about(0, 1, 0, 1.1 * i), (mry_vec){ 200 * i, 0, 90 });
    }
    for (int n = 0; n < 2; n++) {
        marey_registration_def def = { .parents = chains[n] };
        OWNED(marey_registration) *of =
            test_registered(f->ctx, (const marey_clip *const *)chain, 4, &def);
        double first, last;
        test_registration_is_sound(of);
        marey_registration_range(of, &first, &last);
        for (double u = first; u <= last; u += 0.5) {
            double rows[4], want[2], at[2], got[2];
            marey_registration_times(of, u, rows, NULL);
            int reference = marey_registration_reference(of);
            test_root_at(chain[reference], rows[reference], want);
            for (int i = 0; i < 4; i++) {
                test_root_at(chain[i], rows[i], at);
                test_put(marey_registration_place(of, i, u), at, got);
                worst_cm = fmax(worst_cm, hypot(got[0] - want[0], got[1] - want[1]));
                if (i == 0) continue;
                worst_rows = fmax(worst_rows, fabs(rows[i - 1] - test_sway_map(&w[i], rows[i])));
            }
        }
    }
    assert_true(worst_rows < 2 && worst_cm < 3);
    for (int i = 1; i < 4; i++) marey_clip_free(chain[i]);
}

/* The curve of so many, each 2.5 times as long as the one before. */
static double epsilon_of_chain(test_walks *f, int count)
{
    static const int parents[] = { -1, 0, 1, 2 };
    test_sway w;
    marey_clip *chain[4] = { NULL };
    marey_registration_def def = { .parents = parents };
    chain[0] = test_trimmed(f->walk, 0, 40);
    for (int i = 1; i < count; i++) chain[i] = test_swayed(chain[i - 1], &w, 2.5, 0);
    OWNED(marey_registration) *of =
        test_registered(f->ctx, (const marey_clip *const *)chain, count, &def);
    int points, base;
    double epsilon;
    marey_registration_knots(of, &points, &base, &epsilon);
    test_registration_is_sound(of);
    for (int i = 0; i < count; i++) marey_clip_free(chain[i]);
    return epsilon;
}

/* The last of three is 6.25 times as long as the first, and both are near enough to the second; of
   four one is too far from any other. */
WITH_WALKS(a_chain_stretches_further_than_a_pair_only_where_it_must)
{
    assert_true(fabs(epsilon_of_chain(f, 3) - 1 / 3.0) < 1e-12);
    assert_true(fabs(epsilon_of_chain(f, 4) - 1 / 9.0) < 1e-12);
}

WITH_WALKS(threads_do_not_matter)
{
    const marey_clip *clips[] = { f->walk, f->slow, f->fast };
    OWNED(marey_ctx) *ctx = NULL;
    marey_ctx_def def = { .threads = 4 };
    assert_int_equal(marey_ctx_open(&def, &ctx), MAREY_OK);
    OWNED(marey_registration) *one = test_registered(f->ctx, clips, 3, NULL);
    OWNED(marey_registration) *four = test_registered(ctx, clips, 3, NULL);
    expect_same(one, four);
}

WITH_WALKS(captured_motions_keep_to_the_rules)
{
    static const struct {
        const char *a, *b;
        int slope;
    } pairs[] = { { "cmu/07_03", "cmu/07_08", 2 },
                  { "cmu/16_15", "cmu/143_41", 3 },
                  { "cmu/111_23", "cmu/120_12", 2 },
                  { "cmu/74_01", "cmu/91_36", 3 } };
    test_need_mocap();
    for (size_t n = 0; n < sizeof pairs / sizeof *pairs; n++) {
        OWNED(marey_clip) *a = test_captured_unmarked(f->ctx, pairs[n].a);
        OWNED(marey_clip) *b = test_captured_unmarked(f->ctx, pairs[n].b);
        marey_registration_def def = { .slope = pairs[n].slope };
        OWNED(marey_registration) *of = test_registered_pair(f->ctx, a, b, &def);
        int count;
        test_registration_is_sound(of);
        marey_registration_matches(of, &count);
        assert_true(count >= 4);
    }
}

TEST_GROUP_OF_CASES(test_registration, NULL, NULL)
