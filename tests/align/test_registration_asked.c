/* test_registration_asked.c - registration curves: what can be asked for, what is made of angles
   that mean nothing, and what is refused. */
#include "frame_measures.h"
#include "registration_clips.h"

#include "motion/clip_data.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- what can be asked for ------------------------------------------------------------------- */

WITH_WALKS(alignments_that_are_given_are_used)
{
    enum { LENGTH = 200 };
    OWNED(marey_clip) *a = test_trimmed(f->walk, 0, LENGTH), *b = test_trimmed(f->slow, 0, LENGTH);
    marey_cell cells[LENGTH];
    for (int i = 0; i < LENGTH; i++) cells[i] = (marey_cell){ i, i };
    marey_path paths[2] = { { 0 }, { .count = LENGTH, .cells = cells, .sum = 5, .mean = 0.5 } };
    marey_registration_def def = { .paths = paths };
    OWNED(marey_registration) *of = test_registered_pair(f->ctx, a, b, &def);
    marey_registration *refused = NULL;
    const marey_clip *clips[] = { a, b };
    double rows[2];
    for (double u = 0; u < LENGTH - 1; u += 0.3) {
        marey_registration_times(of, u, rows, NULL);
        assert_true(fabs(rows[0] - rows[1]) < 1e-9);
    }
    assert_true(marey_registration_path(of, 1)->mean == 0.5);
    paths[1].count = 150; /* not to the end: the curve is as long as the path */
    OWNED(marey_registration) *part = test_registered_pair(f->ctx, a, b, &def);
    marey_registration_times(part, 1e9, rows, NULL);
    assert_true(fabs(rows[0] - 149) < 1e-6 && fabs(rows[1] - 149) < 1e-6);
    cells[70].row = 72; /* jumps */
    assert_int_equal(marey_registration_build(f->ctx, clips, 2, NULL, &def, &refused, NULL),
                     MAREY_ERR_REQUEST);
    cells[70].row = 70;
    cells[149].col = LENGTH; /* leaves the grid */
    assert_int_equal(marey_registration_build(f->ctx, clips, 2, NULL, &def, &refused, NULL),
                     MAREY_ERR_REQUEST);
    assert_null(refused);
}

/* The second belongs to frames 20-119 of the first, and the third to frames 30-89 of the second. */
WITH_WALKS(a_chain_has_in_common_what_every_given_alignment_reaches)
{
    enum { LENGTH = 200, CELLS = 100 };
    static const int parents[] = { -1, 0, 1 };
    OWNED(marey_clip) *a = test_trimmed(f->walk, 0, LENGTH), *b = test_trimmed(f->slow, 0, LENGTH);
    OWNED(marey_clip) *c = test_trimmed(f->fast, 0, LENGTH);
    marey_cell cells[2][CELLS];
    for (int i = 0; i < CELLS; i++) {
        cells[0][i] = (marey_cell){ i + 20, i };
        cells[1][i] = (marey_cell){ i + 30, i };
    }
    marey_path paths[3] = { { 0 },
                            { .count = CELLS, .cells = cells[0] },
                            { .count = 60, .cells = cells[1] } };
    marey_registration_def def = { .parents = parents, .paths = paths };
    const marey_clip *clips[] = { a, b, c };
    OWNED(marey_registration) *of = test_registered(f->ctx, clips, 3, &def);
    double first, last, rows[3];
    marey_registration_range(of, &first, &last);
    marey_registration_times(of, first, rows, NULL);
    assert_true(fabs(rows[0] - 50) < 1e-6 && fabs(rows[1] - 30) < 1e-6 && fabs(rows[2]) < 1e-6);
    marey_registration_times(of, last, rows, NULL);
    assert_true(fabs(rows[0] - 109) < 1e-6 && fabs(rows[1] - 89) < 1e-6 &&
                fabs(rows[2] - 59) < 1e-6);
}

WITH_WALKS(a_median_takes_out_spikes_of_the_angle)
{
    enum { LENGTH = 120, ODD = 60 };
    OWNED(marey_clip) *a = test_trimmed(f->walk, 0, LENGTH);
    OWNED(marey_clip) *b = test_trimmed(f->walk, 0, LENGTH);
    float *q = mry_turn(b, ODD); /* one frame in which the whole body is turned by a radian */
    mry_rot turned = mry_rot_times(mry_rot_about(0, 1, 0, 1), (mry_rot){ q[0], q[1], q[2], q[3] });
    q[0] = (float)turned.w;
    q[1] = (float)turned.x;
    q[2] = (float)turned.y;
    q[3] = (float)turned.z;
    marey_cell cells[LENGTH];
    for (int i = 0; i < LENGTH; i++) cells[i] = (marey_cell){ i, i };
    marey_path paths[2] = { { 0 }, { .count = LENGTH, .cells = cells } };
    marey_metric_def metric = { .window = 1 };
    for (int width = 1; width <= 5; width += 2) {
        marey_registration_def def = { .paths = paths, .metric = &metric, .median = width };
        OWNED(marey_registration) *of = test_registered_pair(f->ctx, a, b, &def);
        double angle = fabs(marey_registration_place(of, 1, ODD).angle_rad);
        assert_true(width == 1 ? angle > 0.1 : angle < 1e-6);
    }
}

/* ---- pins ------------------------------------------------------------------------------------ */

static bool goes_through(const marey_path *path, int row, int col)
{
    bool met = false;
    for (int i = 0; i < path->count; i++)
        met |= path->cells[i].row == row && path->cells[i].col == col;
    return met;
}

WITH_WALKS(alignments_go_through_pins_and_curves_near_them)
{
    enum { LENGTH = 240 };
    OWNED(marey_clip) *a = test_trimmed(f->walk, 0, LENGTH), *b = test_trimmed(f->slow, 0, LENGTH);
    OWNED(marey_clip) *c = test_trimmed(f->walk, 20, LENGTH);
    const marey_clip *clips[] = { a, b, c };
    /* Far from where they would go, in no order; the third motion has only one of them. */
    static const int pins[] = { 160, 140, -1, 80, 100, 70 };
    marey_registration_def def = { .pins = pins, .pin_count = 2, .reference = 1 };
    OWNED(marey_registration) *of = NULL;
    test_ok(marey_registration_build(f->ctx, clips, 3, NULL, &def, &of, &test_error));
    const marey_path *paths[] = { marey_registration_path(of, 1), marey_registration_path(of, 2) };
    assert_true(goes_through(paths[0], 160, 140) && goes_through(paths[0], 80, 100));
    assert_true(goes_through(paths[1], 80, 70));
    for (int i = 1; i < paths[0]->count; i++) {
        marey_cell at = paths[0]->cells[i], was = paths[0]->cells[i - 1];
        int down = at.row - was.row, right = at.col - was.col;
        assert_true(down >= 0 && down <= 1 && right >= 0 && right <= 1 && down + right > 0);
    }
    double rows[3];
    for (int p = 0; p < 2; p++) {
        marey_registration_times(of, marey_registration_find(of, 0, pins[3 * p]), rows, NULL);
        assert_true(fabs(rows[1] - pins[3 * p + 1]) < 1);
        if (pins[3 * p + 2] >= 0) assert_true(fabs(rows[2] - pins[3 * p + 2]) < 4);
    }
    /* The sum is that of its cells. */
    OWNED(test_pair) features = test_pair_make(f->ctx, a, b, NULL);
    double sum = 0;
    for (int i = 0; i < paths[0]->count; i++)
        sum += (double)marey_distance(features.a, paths[0]->cells[i].row, features.b,
                                      paths[0]->cells[i].col);
    assert_true(fabs(sum / paths[0]->sum - 1) < 1e-3);
}

WITH_WALKS(pins_that_no_alignment_goes_through_are_refused)
{
    enum { LENGTH = 240 };
    static const struct {
        int pins[4], count;
        const char *message;
    } wrong[] = {
        { { 80, 100, 90, 95 }, 2, "frames 80 and 90 are pinned to 100 and 95" },
        { { 80, 100, 80, 120 }, 2, "frames 80 and 80 are pinned to 100 and 120" },
        { { 20, 200 },
          1,
          "differ too much in length to align: at slope 2, 21 frames align with 7 to "
          "63, got 201" },
        { { 0, 3 }, 1, "first frames go with first frames" },
        { { 100, LENGTH - 1 }, 1, "last with last" },
        { { 100, LENGTH }, 1, "has no frame 240 to be pinned; its frames are 0-239" },
        { { -2, 3 }, 1, "has no frame -2 to be pinned" },
        { { 0 }, MAREY_MOST_PINS + 1, "pins must be at most 64" },
    };
    OWNED(marey_clip) *a = test_trimmed(f->walk, 0, LENGTH), *b = test_trimmed(f->slow, 0, LENGTH);
    const marey_clip *clips[] = { a, b };
    marey_registration *none = NULL;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        marey_registration_def def = { .pins = wrong[i].pins, .pin_count = wrong[i].count };
        test_refused_about(
            marey_registration_build(f->ctx, clips, 2, NULL, &def, &none, &test_error),
            MAREY_ERR_REQUEST, wrong[i].message);
    }
    /* First with first and last with last change nothing. */
    static const int ends[] = { 0, 0, LENGTH - 1, LENGTH - 1 };
    marey_registration_def def = { .pins = ends, .pin_count = 2 };
    OWNED(marey_registration) *pinned = NULL, *plain = NULL;
    test_ok(marey_registration_build(f->ctx, clips, 2, NULL, &def, &pinned, &test_error));
    test_ok(marey_registration_build(f->ctx, clips, 2, NULL, NULL, &plain, &test_error));
    const marey_path *x = marey_registration_path(pinned, 1),
                     *y = marey_registration_path(plain, 1);
    assert_int_equal(x->count, y->count);
    assert_memory_equal(x->cells, y->cells, (size_t)x->count * sizeof *x->cells);
}

/* The frame of `b` that is most like a frame of `a`, not near its ends. */
static int most_alike(test_walks *f, const marey_clip *a, int row, const marey_clip *b)
{
    OWNED(test_pair) features = test_pair_make(f->ctx, a, b, NULL);
    int best = 30;
    for (int col = 30; col < marey_clip_frames(b) - 30; col++) {
        if (marey_distance(features.a, row, features.b, col) <
            marey_distance(features.a, row, features.b, best))
            best = col;
    }
    return best;
}

WITH_WALKS(the_curve_goes_through_the_centres)
{
    marey_cell centres[] = { { 150, 0 }, { 60, 0 }, { 250, 0 }, { 60, 300 } };
    for (int n = 0; n < 4; n++) {
        bool alike =
            n < 3; /* where they are not, the alignment has a corner there, and the curve a bend */
        if (alike) centres[n].col = most_alike(f, f->walk, centres[n].row, f->slow);
        int frames[] = { centres[n].row, centres[n].col };
        marey_registration_def def = { .centres = frames };
        OWNED(marey_registration) *of = test_registered_pair(f->ctx, f->walk, f->slow, &def);
        double rows[2], u = marey_registration_find(of, 0, centres[n].row);
        marey_registration_times(of, u, rows, NULL);
        assert_true(fabs(rows[0] - centres[n].row) < 1e-6);
        assert_true(fabs(rows[1] - centres[n].col) < (alike ? 1 : 2));
        test_registration_is_sound(of);
    }
    for (int n = 0; n < 60;
         n++) { /* wherever they are, nothing outside of the clips is asked for */
        int frames[] = { 10 + 37 * n % 340, 10 + 53 * n % 340 };
        marey_registration_def def = { .centres = frames };
        OWNED(marey_registration) *of = test_registered_pair(f->ctx, f->walk, f->slow, &def);
        test_registration_is_sound(of);
    }
    const marey_clip *clips[] = { f->walk, f->slow, f->fast };
    int frames[] = { 150, most_alike(f, f->walk, 150, f->slow),
                     most_alike(f, f->walk, 150, f->fast) };
    marey_registration_def def = { .centres = frames };
    OWNED(marey_registration) *of = test_registered(f->ctx, clips, 3, &def);
    int reference = marey_registration_reference(of);
    double rows[3], u = marey_registration_find(of, reference, frames[reference]);
    marey_registration_times(of, u, rows, NULL);
    for (int i = 0; i < 3; i++) assert_true(fabs(rows[i] - frames[i]) < 1.5);
    test_registration_is_sound(of);
    for (int n = 0; n < 20; n++) {
        for (int i = 0; i < 3; i++) frames[i] = 10 + (37 + 16 * i) * n % 280;
        OWNED(marey_registration) *other = test_registered(f->ctx, clips, 3, &def);
        test_registration_is_sound(other);
    }
}

WITH_WALKS(clips_of_two_rates_meet_at_the_lower)
{
    assert_true(marey_clip_frames(f->walk) % 2 == 0); /* so that the last frame is no whole row */
    OWNED(marey_clip) *half = test_resampled(f->walk, marey_clip_fps(f->walk) / 2);
    OWNED(marey_registration) *of = test_registered_pair(f->ctx, f->walk, half, NULL);
    double first, last, rows[2];
    assert_true(marey_registration_fps(of) == marey_clip_fps(half));
    marey_registration_range(of, &first, &last);
    marey_registration_times(of, last, rows, NULL);
    assert_true(rows[0] == (marey_clip_frames(f->walk) - 1) / 2.0);
    assert_true(rows[1] == marey_clip_frames(half) - 1);
    for (double u = first; u < last - 5; u += 0.3) {
        marey_registration_times(of, u, rows, NULL);
        assert_true(fabs(rows[0] - rows[1]) < 0.1);
    }
    int count;
    const marey_constraint_match *matches = marey_registration_matches(of, &count);
    assert_true(count > 10);
    for (int i = 0; i < count; i++) { /* frames are half a row there: plants are at the same time */
        const marey_match_span *spans = matches[i].spans;
        assert_true(fabs(spans[0].start - spans[1].start) < 3);
        assert_true(fabs(spans[0].end - spans[1].end) < 3);
    }
    test_registration_is_sound(of);
}

WITH_WALKS(every_step_of_two_walks_is_matched)
{
    OWNED(marey_registration) *of = test_registered_pair(f->ctx, f->walk, f->slow, NULL);
    int count, per_joint[MAREY_CONTACT_JOINT_COUNT] = { 0 };
    const marey_constraint_match *matches = marey_registration_matches(of, &count);
    marey_contacts plants[2] = { 0 };
    int least[MAREY_CONTACT_JOINT_COUNT];
    for (int m = 0; m < 2; m++) {
        int each[MAREY_CONTACT_JOINT_COUNT] = { 0 };
        assert_int_equal(marey_contacts_find(m ? f->slow : f->walk, NULL, &plants[m]), MAREY_OK);
        for (int i = 0; i < plants[m].count; i++) each[plants[m].items[i].joint]++;
        for (int j = 0; j < MAREY_CONTACT_JOINT_COUNT; j++)
            least[j] = m == 0 || each[j] < least[j] ? each[j] : least[j];
    }
    for (int i = 0; i < count; i++) {
        const marey_match_span *spans = matches[i].spans;
        double common = fmin(spans[0].end, spans[1].end) - fmax(spans[0].start, spans[1].start);
        double longer = fmax(spans[0].end - spans[0].start, spans[1].end - spans[1].start);
        assert_true(common > 0.5 * longer);
        per_joint[matches[i].joint]++;
    }
    for (int j = 0; j < MAREY_CONTACT_JOINT_COUNT; j++) {
        assert_true(j >= MAREY_CONTACT_LEFT_HAND ? least[j] == 0 : least[j] >= 3);
        assert_int_equal(per_joint[j], least[j]);
    }
    for (int m = 0; m < 2; m++) marey_contacts_free(&plants[m]);
}

WITH_WALKS(plants_that_are_given_are_used)
{
    const marey_clip *clips[] = { f->walk, f->walk };
    marey_contact a[] = { { MAREY_CONTACT_LEFT_HEEL, 10, 40 }, { MAREY_CONTACT_RIGHT_TOE, 5, 15 } };
    marey_contact b[] = { { MAREY_CONTACT_LEFT_HEEL, 20, 50 } };
    marey_contacts plants[2] = { { .count = 2, .items = a }, { .count = 1, .items = b } };
    OWNED(marey_registration) *of = NULL;
    marey_registration *refused = NULL;
    int count;
    assert_int_equal(marey_registration_build(f->ctx, clips, 2, plants, NULL, &of, NULL), MAREY_OK);
    const marey_constraint_match *match = marey_registration_matches(of, &count);
    assert_int_equal(count, 1);
    assert_int_equal(match->joint, MAREY_CONTACT_LEFT_HEEL);
    assert_true(fabs(match->spans[0].start - 9.5) < 1e-6 &&
                fabs(match->spans[0].end - 39.5) < 1e-6);
    assert_true(fabs(match->spans[1].start - 19.5) < 1e-6 &&
                fabs(match->spans[1].end - 49.5) < 1e-6);
    marey_registration_free(of);
    marey_cell cells[30];
    for (int i = 0; i < 30; i++) cells[i] = (marey_cell){ i, i };
    marey_path paths[] = { { 0 }, { .count = 30, .cells = cells } };
    marey_registration_def part = { .paths = paths }; /* ends before the plants do, or begin */
    a[0] = (marey_contact){ MAREY_CONTACT_LEFT_HEEL, 35, 45 };
    b[0].start = 40;
    assert_int_equal(marey_registration_build(f->ctx, clips, 2, plants, &part, &of, NULL), 0);
    marey_registration_matches(of, &count);
    assert_int_equal(count, 0);
    a[0] = (marey_contact){ MAREY_CONTACT_LEFT_HEEL, 10, 40 };
    b[0].start = 20;
    marey_registration_free(of);
    assert_int_equal(marey_registration_build(f->ctx, clips, 2, plants, &part, &of, NULL), 0);
    match = marey_registration_matches(of, &count);
    assert_int_equal(count, 1);
    assert_true(match->spans[0].end <= 29 && match->spans[1].end <= 29);
    a[1].joint = MAREY_CONTACT_LEFT_HEEL; /* now they overlap and are not sorted */
    assert_int_equal(marey_registration_build(f->ctx, clips, 2, plants, NULL, &refused, NULL),
                     MAREY_ERR_REQUEST);
    assert_null(refused);
}

/* One joint that stands for 20 frames and then goes in a direction, or does not. */
static marey_clip *point(marey_ctx *ctx, double x, double z)
{
    enum { FRAMES = 60 };
    char text[8000];
    int used =
        snprintf(text, sizeof text,
                 "HIERARCHY\nROOT Hips\n{\nOFFSET 0 0 0\nCHANNELS 6 Xposition Yposition "
                 "Zposition Zrotation Xrotation Yrotation\nEnd Site\n{\nOFFSET 0 10 0\n}\n}\n"
                 "MOTION\nFrames: %d\nFrame Time: 0.016666667\n",
                 FRAMES);
    for (int f = 0; f < FRAMES; f++) {
        double way = f < 20 ? 0 : f - 20;
        used += snprintf(text + used, sizeof text - (size_t)used, "%g 90 %g 0 0 0\n", 3 + x * way,
                         5 + z * way);
    }
    return test_clip(ctx, text);
}

WITH_WALKS(angles_that_mean_nothing_are_left_out)
{
    OWNED(marey_clip) *still = point(f->ctx, 0, 0);
    OWNED(marey_clip) *east = point(f->ctx, 2, 0);
    OWNED(marey_clip) *south = point(f->ctx, 0, 2);
    OWNED(marey_registration) *same = test_registered_pair(f->ctx, still, still, NULL);
    for (double u = 0; u < 59; u += 0.5)
        assert_true(fabs(marey_registration_place(same, 1, u).angle_rad) < 1e-12);
    /* From +z to +x is a quarter turn: known from the later half, and used in the first. */
    OWNED(marey_registration) *of = test_registered_pair(f->ctx, east, south, NULL);
    for (double u = 0; u < 59; u += 0.5) {
        marey_placement placed = marey_registration_place(of, 1, u);
        assert_true(fabs(placed.angle_rad - M_PI / 2) < 1e-6);
        double rows[2], at[2], got[2], want[2];
        marey_registration_times(of, u, rows, NULL);
        test_root_at(south, rows[1], at);
        test_root_at(east, rows[0], want);
        test_put(placed, at, got);
        assert_true(hypot(got[0] - want[0], got[1] - want[1]) < 1);
    }
}

/* ---- what is refused ------------------------------------------------------------------------- */

WITH_WALKS(lengths_that_the_slope_forbids_are_refused)
{
    OWNED(marey_registration) *of = NULL;
    marey_error error = { 0 };
    OWNED(marey_clip) *brief = test_trimmed(f->walk, 0, 30), *one = test_trimmed(f->walk, 0, 1),
                      *third = test_trimmed(f->walk, 0, 102);
    const marey_clip *clips[] = { f->walk, brief }, *ones[] = { f->walk, one };
    assert_int_equal(marey_registration_build(f->ctx, clips, 2, NULL, NULL, &of, &error),
                     MAREY_ERR_REQUEST);
    assert_non_null(strstr(error.message, marey_clip_name(brief)));
    assert_int_equal(marey_registration_build(f->ctx, ones, 2, NULL, NULL, &of, &error),
                     MAREY_ERR_REQUEST);
    assert_null(of);
    marey_registration_def steep = { .slope = 3 }; /* 360 frames to 102 */
    clips[1] = third;
    assert_int_equal(marey_registration_build(f->ctx, clips, 2, NULL, NULL, &of, &error),
                     MAREY_ERR_REQUEST);
    of = test_registered(f->ctx, clips, 2, &steep);
    test_registration_is_sound(of);
}

WITH_WALKS(definitions_that_cannot_be_are_refused)
{
    const marey_clip *clips[] = { f->walk, f->slow, f->fast };
    static const int circle[] = { 1, 0, -1 }, two[] = { -1, -1, 0 }, none[] = { 1, 2, 0 },
                     outside[] = { -1, 3, 0 }, star[] = { -1, 0, 0 }, late[] = { 0, 0, 100000 };
    marey_path path = { 0 };
    marey_registration_def defs[] = { { .slope = 9 },
                                      { .slope = -1 },
                                      { .samples_per_knot = 1 },
                                      { .samples_per_knot = 51 },
                                      { .median = 4 },
                                      { .median = 33 },
                                      { .reference = 4 },
                                      { .reference = -1 },
                                      { .parents = circle },
                                      { .parents = two },
                                      { .parents = none },
                                      { .parents = outside },
                                      { .parents = star, .reference = 2 },
                                      { .centres = late },
                                      { .paths = &path } };
    marey_registration *of = NULL;
    for (size_t i = 0; i < sizeof defs / sizeof *defs; i++) {
        marey_error error = { 0 };
        assert_int_equal(marey_registration_build(f->ctx, clips, 3, NULL, &defs[i], &of, &error),
                         MAREY_ERR_REQUEST);
        assert_true(error.message[0] != 0);
    }
    assert_int_equal(marey_registration_build(f->ctx, clips, 1, NULL, NULL, &of, NULL),
                     MAREY_ERR_REQUEST);
    OWNED(marey_clip) *renamed = test_renamed(f->slow, 3, "Other");
    clips[1] = renamed;
    assert_int_equal(marey_registration_build(f->ctx, clips, 3, NULL, NULL, &of, NULL),
                     MAREY_ERR_SHAPE);
    assert_null(of);
}

TEST(refused_memory_is_reported_and_nothing_is_left)
{
    OWNED(test_memory) memory = { .refuse = -1 };
    OWNED(marey_ctx) *ctx = test_ctx_refusing(&memory);
    OWNED(marey_clip) *a = test_mover(ctx, 20, 1), *b = test_mover(ctx, 25, 2),
                      *c = test_mover(ctx, 30, 3);
    const marey_clip *clips[] = { a, b, c };
    static const int pins[] = { 8, 10, 12, 14, 17, 20 };
    for (int count = 2; count <= 3; count++) {
        marey_status status = MAREY_OK;
        marey_registration_def def = { .pins = pins, .pin_count = count == 3 ? 2 : 0 };
        for (test_refusals sweep = { .memory = &memory, .each = true };
             test_refuse(&sweep, status);) {
            OWNED(marey_registration) *of = NULL;
            status = marey_registration_build(ctx, clips, count, NULL, &def, &of, NULL);
            assert_true((of != NULL) == (status == MAREY_OK));
        }
    }
}

static void cancelled_says(void *user, const char *what, int64_t done, int64_t total)
{
    marey_ctx **ctx = user;
    (void)what;
    assert_true(done < total);
    if (done == 2) marey_ctx_cancel(*ctx);
}

TEST(it_can_be_cancelled)
{
    OWNED(marey_ctx) *ctx = NULL;
    marey_ctx_def def = { .threads = 1, .progress = cancelled_says, .progress_user = &ctx };
    assert_int_equal(marey_ctx_open(&def, &ctx), MAREY_OK);
    OWNED(marey_clip) *a = test_mover(ctx, 40, 1), *b = test_mover(ctx, 40, 2),
                      *c = test_mover(ctx, 40, 3);
    marey_registration *of = NULL;
    assert_int_equal(
        marey_registration_build(ctx, (const marey_clip *[]){ a, b, c }, 3, NULL, NULL, &of, NULL),
        MAREY_ERR_CANCELLED);
    assert_null(of);
}

/* 100 and 301 rows are too different for each other, and both go with 200. */
WITH_WALKS(a_motion_between_the_others_is_the_reference)
{
    OWNED(marey_demo_take) *take = test_demo_take(f->ctx, "walk_straight");
    const marey_clip *clip = marey_demo_clip(take);
    OWNED(marey_clip) *a = test_trimmed(clip, 300, 400), *b = test_trimmed(clip, 300, 601),
                      *c = test_trimmed(clip, 300, 500);
    OWNED(marey_registration) *of =
        test_registered(f->ctx, (const marey_clip *[]){ a, b, c }, 3, NULL);
    assert_int_equal(marey_registration_reference(of), 2);
    marey_registration *refused = NULL;
    marey_error error = { 0 };
    assert_int_equal(marey_registration_build(f->ctx, (const marey_clip *[]){ a, b, a }, 3, NULL,
                                              NULL, &refused, &error),
                     MAREY_ERR_REQUEST);
    assert_null(refused);
    assert_true(error.message[0] != 0);
}

TEST_GROUP_OF_CASES(test_registration_asked, NULL, NULL)
