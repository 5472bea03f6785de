/* metric_clips.c - clips and features for the tests of metrics and grids. */
#include "metric_clips.h"

#include "motion/clip_data.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void put_rot(float *out, mry_rot q)
{
    out[0] = (float)q.w;
    out[1] = (float)q.x;
    out[2] = (float)q.y;
    out[3] = (float)q.z;
}

static mry_rot get_rot(const float *q)
{
    return (mry_rot){ q[0], q[1], q[2], q[3] };
}

static double wave(uint64_t *seed, double t, double most)
{
    double rate = mry_random_between(seed, 2, 7), phase = mry_random_between(seed, 0, 6);
    return mry_random_between(seed, 0.3, 1) * most * sin(rate * t + phase);
}

marey_clip *test_mover(marey_ctx *ctx, int frames, uint64_t seed)
{
    char *text = test_person(frames);
    marey_clip *clip = test_clip(ctx, text);
    free(text);
    for (int f = 0; f < frames; f++) {
        uint64_t s = seed;
        double t = f / clip->fps;
        for (int j = 0; j < clip->skeleton.joint_count; j++) {
            mry_rot q = mry_rot_body(wave(&s, t, 0.4), wave(&s, t, 0.5), wave(&s, t, 0.3));
            put_rot(mry_turn(clip, f) + 4 * j, q);
        }
        double way = 0.8 * t + wave(&s, t, 0.2);
        mry_rot heading = mry_rot_about(0, 1, 0, way);
        put_rot(mry_turn(clip, f), mry_rot_times(heading, get_rot(mry_turn(clip, f))));
        mry_place(clip, f)[0] = 150 * sin(way) + wave(&s, t, 4);
        mry_place(clip, f)[1] = 95 + wave(&s, t, 5);
        mry_place(clip, f)[2] = 150 * cos(way) + wave(&s, t, 4);
    }
    return clip;
}

static marey_clip *copy_of(const marey_clip *clip)
{
    marey_clip *copy = NULL;
    test_ok(marey_clip_trim(clip, 0, marey_clip_frames(clip), &copy, NULL));
    return copy;
}

int test_movers_make(void **state, int first, int second, uint64_t seed)
{
    test_movers *f = calloc(1, sizeof *f);
    f->ctx = test_ctx();
    f->a = test_mover(f->ctx, first, seed);
    f->b = test_mover(f->ctx, second, seed + 1);
    *state = f;
    return 0;
}

int test_movers_free(void **state)
{
    FREED test_movers *f = *state;
    marey_clip_free(f->a);
    marey_clip_free(f->b);
    test_ctx_close(f->ctx);
    return 0;
}

marey_clip *test_moved(const marey_clip *clip, mry_rot turn, mry_vec shift)
{
    marey_clip *moved = copy_of(clip);
    for (int f = 0; f < moved->frames; f++) {
        double *p = mry_place(moved, f);
        mry_vec at = mry_vec_add(mry_rot_apply(turn, (mry_vec){ p[0], p[1], p[2] }), shift);
        p[0] = at.x;
        p[1] = at.y;
        p[2] = at.z;
        put_rot(mry_turn(moved, f), mry_rot_times(turn, get_rot(mry_turn(moved, f))));
    }
    return moved;
}

marey_clip *test_renamed(const marey_clip *clip, int joint, const char *name)
{
    marey_clip *copy = copy_of(clip);
    copy->joints[joint].name = name;
    return copy;
}

marey_clip *test_other_axes(const marey_clip *clip, double scale)
{
    marey_clip *copy = copy_of(clip);
    uint64_t seed = 5;
    int count = copy->skeleton.joint_count;
    FREED mry_rot *own = calloc((size_t)count, sizeof *own);
    for (int j = 0; j < count; j++) {
        mry_vec axis = { mry_random_between(&seed, -1, 1), mry_random_between(&seed, -1, 1),
                         mry_random_between(&seed, -1, 1) };
        axis = mry_vec_unit(axis);
        own[j] = mry_rot_about(axis.x, axis.y, axis.z, 2);
        copy->joints[j].name = mry_arena_print(&copy->mem, "j_%s", clip->joints[j].name);
        assert_non_null(copy->joints[j].name);
    }
    for (int j = count - 1; j >= 0; j--) {
        int parent = copy->joints[j].parent;
        double *offset = copy->joints[j].offset_cm;
        mry_vec v = { scale * offset[0], scale * offset[1], scale * offset[2] };
        if (parent >= 0) v = mry_rot_apply(mry_rot_back(own[parent]), v);
        memcpy(offset, (double[3]){ v.x, v.y, v.z }, sizeof(double[3]));
        for (int f = 0; f < copy->frames; f++) {
            float *turn = mry_turn(copy, f) + 4 * j;
            mry_rot q = { (double)turn[0], (double)turn[1], (double)turn[2], (double)turn[3] };
            q = mry_rot_times(q, own[j]);
            if (parent >= 0) q = mry_rot_times(mry_rot_back(own[parent]), q);
            memcpy(turn, (float[4]){ (float)q.w, (float)q.x, (float)q.y, (float)q.z },
                   sizeof(float[4]));
            if (j == 0)
                for (int i = 0; i < 3; i++) mry_place(copy, f)[i] *= scale;
        }
    }
    return copy;
}

marey_clip *test_nameless(marey_ctx *ctx, int frames)
{
    enum { ROOM = 40000 };
    FREED char *text = malloc(ROOM);
    int used = snprintf(text, ROOM,
                        "HIERARCHY\nROOT a1\n{\nOFFSET 0 90 0\nCHANNELS 6 Xposition Yposition "
                        "Zposition Zrotation Xrotation Yrotation\nJOINT b2\n{\nOFFSET 0 40 1\n"
                        "CHANNELS 3 Zrotation Xrotation Yrotation\nEnd Site\n{\nOFFSET 0 20 0\n}\n"
                        "}\n}\nMOTION\nFrames: %d\nFrame Time: 0.033333\n",
                        frames);
    for (int f = 0; f < frames; f++)
        used += snprintf(text + used, (size_t)(ROOM - used), "%g %g %g %g 0 %g %g 5 0\n", f * 1.5,
                         90 + sin(f * 0.4), 3.0, 4 * sin(f * 0.5), 5.0, 20 * sin(f * 0.6));
    return test_clip(ctx, text);
}

test_pair test_pair_make(marey_ctx *ctx, const marey_clip *a, const marey_clip *b,
                         const marey_metric_def *def)
{
    const marey_clip *clips[] = { a, b };
    test_pair pair = { .ctx = ctx };
    test_ok(marey_layout_build(ctx, clips, 2, def, &pair.layout, &test_error));
    test_ok(marey_features_build(pair.layout, a, &pair.a, &test_error));
    test_ok(marey_features_build(pair.layout, b, &pair.b, &test_error));

    return pair;
}

void test_pair_free(test_pair *pair)
{
    marey_features_free(pair->a);
    marey_features_free(pair->b);
    marey_layout_free(pair->layout);
}

marey_metric_def test_metric(const char *name)
{
    marey_metric_def def = { .metric = marey_metric_named(name),
                             .joints = marey_joint_weights_find(1) };
    assert_non_null(def.metric);
    return def;
}

float *test_cells(const test_pair *pair)
{
    OWNED(marey_grid) *grid = NULL;
    test_ok(marey_grid_build(pair->ctx, pair->a, pair->b, &grid, &test_error));

    marey_rows rows = marey_grid_cost(grid);
    float *out = malloc((size_t)rows.rows * (size_t)rows.cols * sizeof *out);
    for (int i = 0; i < rows.rows; i++)
        memcpy(out + (size_t)i * (size_t)rows.cols, rows.values + (size_t)i * rows.stride,
               (size_t)rows.cols * sizeof *out);
    return out;
}
