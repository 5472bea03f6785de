/* test_pieces.c - pieces of clips in a row: what is a clip's own stays so, pieces that follow each
   other are no seam, lengths, rates, marked frames, other people's bones, planted feet, and that
   nothing jumps. */
#include "demo_graph.h"
#include "graph_judge.h"
#include "metric_clips.h"

#include "math/turn.h"
#include "motion/clip_data.h"

#include <math.h>

enum { TAKES = 4 };

static int set_up(void **state)
{
    static const char *const names[TAKES] = { "walk_straight", "walk_left", "walk_right",
                                              "walk_fast" };
    *state = demo_graph_takes(names, TAKES);
    return 0;
}

static marey_made make(const demo_graph *f, const marey_piece *pieces, int count,
                       marey_pieces_def def, marey_walk_made *about)
{
    marey_made made = { 0 };
    marey_error error = { 0 };
    if (marey_pieces_make(f->ctx, f->clips, TAKES, NULL, pieces, count, &def, &made, about, &error))
        fail_msg("%s", error.message);
    return made;
}

/* ---- one clip -------------------------------------------------------------------------------- */

TEST_OF(demo_graph *f, a_piece_of_one_clip_is_its_frames)
{
    const marey_clip *clip = f->clips[0];
    marey_piece piece = { .clip = 0, .start = 20, .end = 95 };
    marey_walk_made about;
    OWNED(marey_made) made = make(f, &piece, 1, (marey_pieces_def){ .leave_feet = true }, &about);
    size_t joints = (size_t)clip->skeleton.joint_count;
    assert_int_equal(made.clip->frames, 75);
    assert_true(made.clip->fps == clip->fps);
    assert_memory_equal(made.clip->turn, mry_turn(clip, 20), 75 * joints * 4 * sizeof(float));
    assert_memory_equal(made.clip->place, mry_place(clip, 20),
                        75 * (size_t)clip->mover_count * 3 * sizeof(double));
    assert_int_equal(about.transitions, 0);
    assert_true(about.jump_ratio == 1 && about.mean_quality == 1);
    marey_made_free(&made);
    piece = (marey_piece){ .clip = 0, .start = 0, .end = clip->frames };
    made = make(f, &piece, 1, (marey_pieces_def){ .leave_feet = true }, NULL);
    assert_int_equal(made.clip->frames, clip->frames);
    assert_memory_equal(made.clip->turn, clip->turn,
                        (size_t)clip->frames * joints * 4 * sizeof(float));
}

TEST_OF(demo_graph *f, pieces_that_follow_each_other_are_one)
{
    marey_piece pieces[] = {
        { 1, 20, 50, 0 }, { 1, 50, 51, 0 }, { 1, 51, 90.5, 0 }, { 1, 90.5, 120, 0 }
    };
    marey_piece one = { 1, 20, 120, 0 };
    marey_walk_made about;
    OWNED(marey_made) a = make(f, pieces, 4, (marey_pieces_def){ 0 }, &about);
    OWNED(marey_made) b = make(f, &one, 1, (marey_pieces_def){ 0 }, NULL);
    assert_int_equal(about.transitions, 0);
    assert_int_equal(a.clip->frames, 100);
    assert_memory_equal(a.clip->turn, b.clip->turn,
                        100 * (size_t)a.clip->skeleton.joint_count * 4 * sizeof(float));
    assert_int_equal(a.contacts.count, b.contacts.count);
    marey_made_free(&a);
    /* at one pace, though it is not the clip's own; at another one it is a seam that is not seen */
    double half = 30 / f->clips[1]->fps * 2;
    marey_piece slow[] = { { 1, 20, 50, half }, { 1, 50, 80, half }, { 1, 80, 110, 0 } };
    a = make(f, slow, 3, (marey_pieces_def){ 0 }, &about);
    assert_int_equal(about.transitions, 1);
    assert_int_equal(a.clip->frames, 150);
    assert_true(about.jump_ratio < 1.05);
}

/* ---- lengths and rates ----------------------------------------------------------------------- */

TEST_OF(demo_graph *f, pieces_take_as_long_as_they_should)
{
    const marey_clip *clip = f->clips[0];
    for (int n = 1; n <= 8; n++) {
        double seconds = n * 0.37;
        marey_piece piece = { 0, 40.25, 100, seconds };
        OWNED(marey_made) made = make(f, &piece, 1, (marey_pieces_def){ .leave_feet = true }, NULL);
        int frames = (int)floor(seconds * clip->fps + 0.5);
        assert_int_equal(made.clip->frames, frames);
        /* evenly: frame k shows 40.25 + k * 59.75 / frames */
        for (int k = 0; k < frames; k++) {
            double at = 40.25 + k * 59.75 / frames;
            int whole = (int)at;
            double p[3 * MOST_JOINTS], q[3 * MOST_JOINTS], r[3 * MOST_JOINTS];
            marey_clip_positions(made.clip, k, 1, p);
            marey_clip_positions(clip, whole, 1, q);
            marey_clip_positions(clip, whole + 1, 1, r);
            for (int i = 0; i < 3; i++)
                assert_true(fabs(p[i] - (q[i] + (at - whole) * (r[i] - q[i]))) < 1e-6);
        }
    }
}

TEST_OF(demo_graph *f, what_is_made_has_the_rate_asked_for)
{
    marey_piece piece = { 0, 30, 90, 0 };
    double rates[] = { 10, 24, 29.97, 30, 60, 90, 120, 240 };
    for (int n = 0; n < (int)(sizeof rates / sizeof *rates); n++) {
        OWNED(marey_made) made =
            make(f, &piece, 1, (marey_pieces_def){ .fps = rates[n], .leave_feet = true }, NULL);
        double pace = f->clips[0]->fps / rates[n];
        assert_true(made.clip->fps == rates[n]);
        assert_int_equal(made.clip->frames, (int)ceil(60 / pace - 1e-6));
        for (int k = 0; k * pace < 59; k++) {
            if (fabs(k * pace - round(k * pace)) > 1e-9) continue;
            assert_true(test_frame_apart(made.clip, k, f->clips[0], 30 + (int)round(k * pace)) <
                        1e-6);
        }
    }
}

TEST_OF(demo_graph *f, clips_of_two_rates_are_made_at_the_first_ones)
{
    marey_made made = { 0 };
    marey_walk_made about;
    marey_error error = { 0 };
    OWNED(marey_clip) *slow = test_resampled(f->clips[1], 20);
    const marey_clip *clips[] = { slow, f->clips[0] };
    double ratio = f->clips[0]->fps / 20;
    marey_piece pieces[] = { { 1, 60, 120, 0 }, { 0, 121 / ratio, 180 / ratio, 0 } };
    for (int turn = 0; turn < 2; turn++) {
        marey_piece order[] = { pieces[turn], pieces[!turn] };
        test_fine(marey_pieces_make(f->ctx, clips, 2, NULL, order, 2, NULL, &made, &about, &error),
                  &error);
        assert_true(made.clip->fps == clips[order[0].clip]->fps);
        assert_true(fabs(made.clip->frames / made.clip->fps - 119 / f->clips[0]->fps) < 0.11);
        assert_int_equal(about.transitions, 1);
        marey_made_free(&made);
    }
}

/* ---- seams ----------------------------------------------------------------------------------- */

/* As if it had not left its clip: the body of the frame before the second piece lies on the last
   one of the first. */
TEST_OF(demo_graph *f, the_second_piece_goes_on_where_the_first_one_is)
{
    for (int b = 1; b < TAKES; b++) {
        marey_cut cut = test_best_cut(f->ctx, f->clips[0], f->clips[b]);
        int frames[2] = { f->clips[0]->frames, f->clips[b]->frames };
        marey_piece pieces[] = { { 0, 0, cut.a + 1, 0 }, { b, cut.b + 1, frames[1], 0 } };
        marey_walk_made about;
        OWNED(marey_made) made =
            make(f, pieces, 2, (marey_pieces_def){ .leave_feet = true }, &about);
        assert_int_equal(made.clip->frames, cut.a + frames[1] - cut.b);
        assert_int_equal(about.transitions, 1);
        assert_true(about.jump_ratio < 1.1 && about.mean_quality > 0.8);
        /* its own far from the seam: the first where it stood, the second's shape */
        for (int k = 0; k < cut.a - 50; k += 7)
            assert_true(test_frame_apart(made.clip, k, f->clips[0], k) == 0);
        for (int k = cut.a + 51; k < made.clip->frames; k += 7)
            assert_true(test_shape_apart(made.clip, k, f->clips[b], k + cut.b - cut.a) < 1e-3);
        OWNED(marey_made) rough = make(f, pieces, 2, (marey_pieces_def){ .rough = true }, NULL);
        assert_true(test_frame_apart(rough.clip, cut.a, f->clips[0], cut.a) == 0);
        assert_true(test_shape_apart(rough.clip, cut.a + 1, f->clips[b], cut.b + 1) < 1e-3);
        /* and it moves on by about as much as it does in its own clip */
        assert_true(test_step_into(rough.clip, cut.a + 1) <
                    test_step_into(f->clips[b], cut.b + 1) + 6);
    }
}

/* At the beginning of a clip there is no frame before, at the end of one there is none behind. */
TEST_OF(demo_graph *f, clips_end_and_begin_at_a_seam)
{
    marey_cut cut = test_best_cut(f->ctx, f->clips[0], f->clips[1]);
    marey_walk_made about[4];
    OWNED(marey_clip) *ends = test_trimmed(f->clips[0], 0, cut.a + 1);
    OWNED(marey_clip) *begins = test_trimmed(f->clips[1], cut.b + 1, f->clips[1]->frames);
    const marey_clip *clips[] = { f->clips[0], f->clips[1], ends, begins };
    marey_piece first[] = { { 0, 0, cut.a + 1, 0 }, { 2, 0, cut.a + 1, 0 } };
    marey_piece second[] = { { 1, cut.b + 1, f->clips[1]->frames, 0 },
                             { 3, 0, f->clips[1]->frames - cut.b - 1, 0 } };
    double last[4][3 * MOST_JOINTS];
    for (int n = 0; n < 4; n++) {
        marey_piece pieces[] = { first[n & 1], second[n >> 1] };
        OWNED(marey_made) made = { 0 };
        assert_int_equal(
            marey_pieces_make(f->ctx, clips, 4, NULL, pieces, 2, NULL, &made, &about[n], NULL),
            MAREY_OK);
        assert_int_equal(made.clip->frames, cut.a + f->clips[1]->frames - cut.b);
        assert_true(about[n].jump_ratio < 1.15);
        marey_clip_positions(made.clip, cut.a + 60, 1, last[n]);
        /* much the same, whatever is known */
        assert_true(mry_distance3(last[n], last[0]) < 12);
    }
}

TEST_OF(demo_graph *f, many_pieces_do_not_jump_and_planted_feet_stay)
{
    marey_piece pieces[12];
    int at = 10, clip = 0, frames = 0;
    for (int n = 0; n < 12; n++) { /* from cut to cut, as they come */
        int other = (clip + 1 + n) % TAKES;
        if (other == clip) other = (other + 1) % TAKES;
        marey_cut cuts[64];
        int found = 0, best = -1;
        marey_cuts_def def = { .below = INFINITY };
        assert_int_equal(
            marey_cuts_find(f->ctx, f->clips[clip], f->clips[other], &def, 64, cuts, &found, NULL),
            MAREY_OK);
        for (int k = 0; k < found; k++) {
            if (cuts[k].a < at + 20 || cuts[k].b > f->clips[other]->frames / 2) continue;
            if (best < 0) best = k;
        }
        if (best < 0) { /* from the same clip's own beginning */
            pieces[n] = (marey_piece){ clip, at, at + 20, 0 };
            at += 20;
            continue;
        }
        pieces[n] = (marey_piece){ clip, at, cuts[best].a + 1, 0 };
        frames += cuts[best].a + 1 - at;
        at = cuts[best].b + 1;
        clip = other;
    }
    marey_walk_made about;
    OWNED(marey_made) made = make(f, pieces, 12, (marey_pieces_def){ 0 }, &about);
    assert_true(frames > 200 && made.clip->frames >= frames);
    assert_true(about.transitions > 3);
    assert_true(about.jump_ratio <= 1.2);
    assert_true(made.contacts.count > 8);
    assert_true(test_slide(made.clip, made.contacts.items, made.contacts.count) <= 0.5);
}

/* One frame each: every seam is next to another. */
TEST_OF(demo_graph *f, pieces_of_a_single_frame_can_be)
{
    marey_piece one = { 0, 30, 31, 0 };
    marey_piece three[] = { { 0, 30, 31, 0 }, { 0, 33, 34, 0 }, { 0, 36, 37, 0 } };
    marey_walk_made about;
    OWNED(marey_made) made = make(f, &one, 1, (marey_pieces_def){ 0 }, NULL);
    assert_int_equal(made.clip->frames, 1);
    assert_true(test_frame_apart(made.clip, 0, f->clips[0], 30) < 0.01);
    marey_made_free(&made);
    made = make(f, three, 3, (marey_pieces_def){ 0 }, &about);
    assert_int_equal(made.clip->frames, 3);
    assert_int_equal(about.transitions, 2);
}

/* ---- plants and people ----------------------------------------------------------------------- */

TEST_OF(demo_graph *f, plants_that_are_given_are_kept)
{
    marey_contact plant = { MAREY_CONTACT_LEFT_TOE, 50, 70 };
    marey_contacts given[TAKES] = { [2] = { .items = &plant, .count = 1 } };
    marey_piece pieces[] = { { 0, 10, 40, 0 }, { 2, 40, 90, 0 } };
    OWNED(marey_made) made = { 0 };
    assert_int_equal(marey_pieces_make(f->ctx, f->clips, TAKES, given, pieces, 2,
                                       &(marey_pieces_def){ .rough = true }, &made, NULL, NULL),
                     MAREY_OK);
    assert_int_equal(made.contacts.count, 1);
    assert_int_equal(made.contacts.items[0].joint, MAREY_CONTACT_LEFT_TOE);
    assert_int_equal(made.contacts.items[0].start, 40);
    assert_int_equal(made.contacts.items[0].end, 60);
}

TEST_OF(demo_graph *f, other_people_get_the_first_ones_bones)
{
    OWNED(marey_clip) *tall = NULL;
    OWNED(marey_made) made = { 0 };
    marey_walk_made about;
    assert_int_equal(marey_clip_scale(f->clips[1], 1.1, &tall, NULL), MAREY_OK);
    const marey_clip *clips[] = { f->clips[0], tall };
    marey_cut cut = test_best_cut(f->ctx, f->clips[0], f->clips[1]);
    marey_piece pieces[] = { { 0, 0, cut.a + 1, 0 }, { 1, cut.b + 1, tall->frames, 0 } };
    assert_int_equal(
        marey_pieces_make(f->ctx, clips, 2, NULL, pieces, 2, NULL, &made, &about, NULL), MAREY_OK);
    for (int j = 1; j < made.clip->skeleton.joint_count; j++)
        assert_memory_equal(made.clip->joints[j].offset_cm, f->clips[0]->joints[j].offset_cm,
                            3 * sizeof(double));
    assert_true(about.jump_ratio < 1.15);
    marey_made_free(&made);
    pieces[0].clip = 1;
    pieces[0].end = 40;
    pieces[1] = (marey_piece){ 0, 60, 120, 0 };
    assert_int_equal(marey_pieces_make(f->ctx, clips, 2, NULL, pieces, 2, NULL, &made, NULL, NULL),
                     MAREY_OK);
    assert_memory_equal(made.clip->joints[3].offset_cm, tall->joints[3].offset_cm,
                        3 * sizeof(double));
}

/* ---- what is refused ------------------------------------------------------------------------- */

static void assert_refused(const demo_graph *f, const marey_clip *const *clips, marey_piece piece,
                           marey_pieces_def def, marey_status as)
{
    marey_piece pieces[] = { { 0, 10, 40, 0 }, piece };
    marey_made made = { .from_a_end = -7 };
    marey_walk_made about = { .transitions = -7 };
    marey_error error = { 0 };
    assert_int_equal(
        marey_pieces_make(f->ctx, clips, 2, NULL, pieces, 2, &def, &made, &about, &error), as);
    assert_true(error.message[0] != 0);
    assert_int_equal(made.from_a_end, -7);
    assert_int_equal(about.transitions, -7);
}

TEST_OF(demo_graph *f, what_cannot_be_is_refused)
{
    int frames = f->clips[1]->frames;
    const marey_status no = MAREY_ERR_REQUEST;
    marey_pieces_def def = { 0 };
    const marey_piece wrong[] = {
        { 2, 10, 40, 0 },       { -1, 10, 40, 0 },  { 1, -1, 40, 0 },     { 1, 40, 40, 0 },
        { 1, 40, 30, 0 },       { 1, NAN, 40, 0 },  { 1, 10, 40, -1 },    { 1, 40, frames + 1, 0 },
        { 1, 10, INFINITY, 0 }, { 1, 10, 40, NAN }, { 1, 10, 40, 0.001 },
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_refused(f, f->clips, wrong[i], def, no);
    assert_refused(f, f->clips, (marey_piece){ 1, 10, 40, 1e6 }, def, MAREY_ERR_LIMIT);
    marey_piece fine = { 1, 10, 40, 0 };
    assert_refused(f, f->clips, fine, (marey_pieces_def){ .fps = -1 }, no);
    assert_refused(f, f->clips, fine, (marey_pieces_def){ .fps = NAN }, no);
    assert_refused(f, f->clips, fine, (marey_pieces_def){ .spread_s = -1 }, no);
    marey_made made = { 0 };
    assert_int_equal(
        marey_pieces_make(f->ctx, f->clips, 2, NULL, &fine, 0, NULL, &made, NULL, NULL), no);
    OWNED(marey_clip) *other = test_nameless(f->ctx, 60);
    const marey_clip *clips[] = { f->clips[0], other };
    assert_refused(f, clips, fine, def, MAREY_ERR_SHAPE);
}

/* Neither played, nor mixed into what is, nor looked at. */
TEST_OF(demo_graph *f, marked_frames_are_never_used)
{
    OWNED(marey_clip) *clip = test_trimmed(f->clips[0], 0, 200);
    assert_true(mry_clip_add_mark(clip, MAREY_MARK_DROPOUT, 100, 104));
    for (int k = 100; k < 104; k++) /* what is there must not be seen anywhere */
        for (int i = 0; i < 3; i++) mry_place(clip, k)[i] = NAN;
    const marey_clip *clips[] = { clip, clip };
    assert_refused(f, clips, (marey_piece){ 1, 90, 101, 0 }, (marey_pieces_def){ 0 },
                   MAREY_ERR_REQUEST);
    assert_refused(f, clips, (marey_piece){ 1, 103, 120, 0 }, (marey_pieces_def){ 0 },
                   MAREY_ERR_REQUEST);
    assert_refused(f, clips, (marey_piece){ 1, 103.5, 120, 0 }, (marey_pieces_def){ 0 },
                   MAREY_ERR_REQUEST);
    marey_piece pieces[] = { { 0, 60, 100, 2 }, { 0, 104, 130, 2 }, { 0, 70, 99.5, 0.3 } };
    marey_contacts none[2] = { { 0 }, { 0 } };
    OWNED(marey_made) made = { 0 };
    marey_error error = { 0 };
    test_fine(marey_pieces_make(f->ctx, clips, 2, none, pieces, 3, NULL, &made, NULL, &error),
              &error);
    assert_int_equal(made.clip->mark_count, 0);
    for (int k = 0; k < made.clip->frames; k++)
        for (int i = 0; i < 3; i++) assert_true(isfinite(mry_place(made.clip, k)[i]));
}

TEST_OF(demo_graph *f, it_can_be_cancelled)
{
    marey_piece pieces[] = { { 0, 10, 40, 0 }, { 1, 10, 60, 0 } };
    marey_made made = { .from_a_end = -7 };
    marey_ctx_cancel(f->ctx);
    marey_status status =
        marey_pieces_make(f->ctx, f->clips, TAKES, NULL, pieces, 2, NULL, &made, NULL, NULL);
    marey_ctx_resume(f->ctx);
    assert_int_equal(status, MAREY_ERR_CANCELLED);
    assert_int_equal(made.from_a_end, -7);
}

TEST_OF(demo_graph *f, the_same_pieces_have_the_same_bytes)
{
    marey_piece pieces[] = { { 0, 10, 60, 0 }, { 1, 30, 80, 0.7 }, { 3, 10, 60, 0 } };
    OWNED(marey_made) one = make(f, pieces, 3, (marey_pieces_def){ 0 }, NULL);
    OWNED(marey_made) two = make(f, pieces, 3, (marey_pieces_def){ 0 }, NULL);
    size_t frames = (size_t)one.clip->frames, joints = (size_t)one.clip->skeleton.joint_count;
    assert_memory_equal(one.clip->turn, two.clip->turn, frames * joints * 4 * sizeof(float));
}

TEST_RIG(running_out_of_memory_is_reported_and_leaves_nothing)
{
    graph_rig_walks(rig);
    marey_piece pieces[] = { { 0, 0, 40, 0 }, { 1, 20, 60, 0.5 } };
    marey_status status = MAREY_OK;
    for (test_refusals sweep = { .memory = &rig->memory }; test_refuse(&sweep, status);) {
        marey_made made = { .from_a_end = -7 };
        marey_walk_made about = { .transitions = -7 };
        status = marey_pieces_make(rig->ctx, rig->clips, rig->count, NULL, pieces, 2, NULL, &made,
                                   &about, NULL);
        if (status) assert_true(made.from_a_end == -7 && about.transitions == -7);
        if (!status) marey_made_free(&made);
    }
}

/* A cartwheel in the middle of which capture throws a limb, a run that becomes a walk, two walks
   whose feet are aside, a stance with a foot elsewhere, two arms that swing. What was made is judged
   by the clip alone; a leap that was captured is not what a jump is measured by. */
TEST_OF(demo_graph *f, hard_seams_of_captured_motion_are_sound)
{
    static const struct {
        const char *names[2];
        int from, to;
    } seams[] = { { { "cmu/144_01", "cmu/144_01" }, 1884, 336 },
                  { { "cmu/111_23", "cmu/144_33" }, 728, 436 },
                  { { "cmu/144_33", "cmu/09_12" }, 404, 808 },
                  { { "cmu/13_11", "cmu/144_33" }, 96, 5008 },
                  { { "cmu/144_29", "cmu/144_24" }, 1088, 1540 } };
    test_need_mocap();
    for (size_t n = 0; n < sizeof seams / sizeof *seams; n++) {
        OWNED(marey_clip) *first = test_captured(f->ctx, seams[n].names[0]);
        OWNED(marey_clip) *second = test_captured(f->ctx, seams[n].names[1]);
        const marey_clip *clips[] = { first, second };
        OWNED(marey_made) made = { 0 };
        marey_walk_made about;
        marey_quality quality;
        OWNED(marey_contacts) found = { 0 };
        marey_error error = { 0 };
        int from = seams[n].from, to = seams[n].to;
        marey_piece pieces[] = { { 0, fmax(from - 240, 4), from + 1, 0 },
                                 { 1, to + 1, fmin(to + 241, clips[1]->frames), 0 } };
        test_fine(marey_pieces_make(f->ctx, clips, 2, NULL, pieces, 2, NULL, &made, &about, &error),
                  &error);
        double own = 0;
        for (int i = 0; i < 2; i++) {
            OWNED(marey_clip) *part =
                test_trimmed(clips[i], (int)pieces[i].start, (int)pieces[i].end);
            own = fmax(own, test_largest_step(part));
        }
        assert_true(test_largest_step(made.clip) <= 1.2 * own);
        assert_true((about.jump_ratio > 1.2) == (n == 0));
        assert_true(test_slide(made.clip, made.contacts.items, made.contacts.count) <= 0.5);
        assert_int_equal(marey_contacts_find(made.clip, NULL, &found), MAREY_OK);
        assert_int_equal(marey_clip_quality(made.clip, found.items, found.count, &quality),
                         MAREY_OK);
        assert_true(quality.slide_cm <= 0.5);
    }
}

TEST_GROUP_OF_CASES(test_pieces, set_up, demo_graph_tear_down)
