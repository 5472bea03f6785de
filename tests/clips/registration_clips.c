/* registration_clips.c - motions whose registration is known. */
#include "registration_clips.h"

#include "motion/clip_data.h"

#include <math.h>
#include <stdlib.h>

marey_clip *test_warped(const marey_clip *clip, int frames, double (*map)(void *user, double f),
                        void *user)
{
    marey_clip *made = mry_clip_make_like(clip, frames, clip->fps);
    assert_non_null(made);
    for (int f = 0; f < frames; f++) {
        int from;
        double share = mry_clip_find_frame(clip, map(user, f) / clip->fps, &from);
        mry_clip_mix(clip, from, from + 1, share, mry_place(made, f), mry_turn(made, f));
    }
    return made;
}

double test_sway_map(void *sway, double f)
{
    const test_sway *w = sway;
    double share = f / (w->frames - 1);
    return share * (w->length - 1) + w->sway * sin(4 * M_PI * share);
}

marey_clip *test_swayed(const marey_clip *clip, test_sway *how, double ratio, double sway)
{
    int frames = (int)lround(ratio * marey_clip_frames(clip));
    *how = (test_sway){ frames, marey_clip_frames(clip), sway };
    return test_warped(clip, frames, test_sway_map, how);
}

void test_put(marey_placement by, const double from[2], double to[2])
{
    double c = cos(by.angle_rad), s = sin(by.angle_rad);
    to[0] = from[0] * c + from[1] * s + by.x_cm;
    to[1] = -from[0] * s + from[1] * c + by.z_cm;
}

void test_root_at(const marey_clip *clip, double frame, double out[2])
{
    int from;
    double t = mry_clip_find_frame(clip, frame / clip->fps, &from);
    const double *a = marey_clip_root(clip, from), *b = marey_clip_root(clip, from + 1);
    out[0] = a[0] + t * (b[0] - a[0]);
    out[1] = a[2] + t * (b[2] - a[2]);
}

int test_walks_make(void **state)
{
    test_walks *f = calloc(1, sizeof *f);
    f->ctx = test_ctx();
    f->walk = test_demo_part(f->ctx, "walk_straight", 0, 0);
    f->slow = test_demo_part(f->ctx, "walk_slow", 0, 0);
    f->fast = test_demo_part(f->ctx, "walk_fast", 0, 0);
    f->left = test_demo_part(f->ctx, "walk_left", 1, 0);
    f->right = test_demo_part(f->ctx, "walk_right", 1, 0);
    *state = f;
    return 0;
}

int test_walks_free(void **state)
{
    FREED test_walks *f = *state;
    marey_clip_free(f->walk);
    marey_clip_free(f->slow);
    marey_clip_free(f->fast);
    marey_clip_free(f->left);
    marey_clip_free(f->right);
    test_ctx_close(f->ctx);
    return 0;
}

marey_registration *test_registered(marey_ctx *ctx, const marey_clip *const *clips, int count,
                                    const marey_registration_def *def)
{
    marey_registration *made = NULL;
    test_ok(marey_registration_build(ctx, clips, count, NULL, def, &made, &test_error));

    return made;
}

marey_registration *test_registered_pair(marey_ctx *ctx, const marey_clip *a, const marey_clip *b,
                                         const marey_registration_def *def)
{
    const marey_clip *clips[] = { a, b };
    return test_registered(ctx, clips, 2, def);
}

/* At one place between the ends. */
static void place_is_sound(const marey_registration *registration, double u, double step)
{
    double rows[64], slopes[64], before[64], behind[64], epsilon;
    int count, base;
    marey_registration_knots(registration, &count, &base, &epsilon);
    double most = (1 + 1e-6) / (epsilon * epsilon);
    marey_registration_times(registration, u, rows, slopes);
    marey_registration_times(registration, u - step, before, NULL);
    marey_registration_times(registration, u + step, behind, NULL);
    for (int m = 0; m < marey_registration_count(registration); m++) {
        const marey_clip *clip = marey_registration_clip(registration, m);
        double last = (marey_clip_frames(clip) - 1) * marey_registration_fps(registration) /
                      marey_clip_fps(clip);
        marey_placement at = marey_registration_place(registration, m, u);
        assert_true(before[m] < rows[m] && rows[m] < behind[m]);
        assert_true(before[m] > -1e-6 && behind[m] < last + 1e-6);
        assert_true(fabs((behind[m] - before[m]) / (2 * step) - slopes[m]) < 1e-4 * slopes[m]);
        assert_true(fabs(marey_registration_find(registration, m, rows[m]) - u) < 1e-7);
        for (int n = 0; n < m; n++)
            assert_true(slopes[m] / slopes[n] < most && slopes[n] / slopes[m] < most);
        assert_true(isfinite(at.angle_rad) && isfinite(at.x_cm) && isfinite(at.z_cm));
    }
}

static void matches_are_sound(const marey_registration *registration)
{
    int count, motions = marey_registration_count(registration);
    const marey_constraint_match *matches = marey_registration_matches(registration, &count);
    double first, last;
    marey_registration_range(registration, &first, &last);
    for (int i = 0; i < count; i++) {
        double reach = matches[i].spans[0].end;
        bool grown = true;
        if (i > 0) assert_true(matches[i - 1].joint <= matches[i].joint);
        for (int m = 0; m < motions; m++) {
            marey_match_span span = matches[i].spans[m];
            assert_true(first <= span.start && span.start < span.end && span.end <= last);
            if (i == 0 || matches[i - 1].joint != matches[i].joint) continue;
            assert_true(matches[i - 1].spans[m].end <= span.start + 1e-9);
        }
        for (double least = matches[i].spans[0].start; grown;) { /* one interval in all */
            grown = false;
            for (int m = 0; m < motions; m++) {
                marey_match_span span = matches[i].spans[m];
                if (span.start > reach || span.end < least) continue;
                grown |= span.end > reach || span.start < least;
                reach = fmax(reach, span.end);
                least = fmin(least, span.start);
            }
            for (int m = 0; m < motions && !grown; m++)
                assert_true(matches[i].spans[m].start >= least && matches[i].spans[m].end <= reach);
        }
    }
}

void test_registration_is_sound(const marey_registration *registration)
{
    double first, last;
    marey_registration_range(registration, &first, &last);
    assert_true(first < last);
    /* Knots are sound. */
    int count, base, motions = marey_registration_count(registration);
    double epsilon;
    const double *p = marey_registration_knots(registration, &count, &base, &epsilon);
    assert_true(base >= 0 && base < motions && epsilon > 0 && epsilon <= 1 && count >= 3);
    for (int i = 1; i < count; i++) {
        double whole = p[i * motions + base] - p[(i - 1) * motions + base];
        assert_true(whole > 0);
        for (int m = 0; m < motions; m++) {
            double ratio = (p[i * motions + m] - p[(i - 1) * motions + m]) / whole;
            assert_true(ratio > epsilon * (1 - 1e-9) && ratio < 1 / epsilon * (1 + 1e-9));
        }
    }
    /* Ends are inside. */
    double rows[2][64];
    marey_registration_times(registration, first, rows[0], NULL);
    marey_registration_times(registration, last, rows[1], NULL);
    for (int m = 0; m < marey_registration_count(registration); m++) {
        const marey_clip *clip = marey_registration_clip(registration, m);
        double end = (marey_clip_frames(clip) - 1) * marey_registration_fps(registration) /
                     marey_clip_fps(clip);
        assert_true(rows[0][m] > -1e-9 && rows[1][m] < end + 1e-9);
    }
    for (int i = 1; i < 500; i++)
        place_is_sound(registration, first + (last - first) * i / 500, (last - first) * 1e-7);
    matches_are_sound(registration);
}
