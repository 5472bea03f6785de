/* test_retarget_judge.c - what retargeting makes against a textbook optimiser: Levenberg and Marquardt's least squares,
   with slopes by differences and a hundred steps from a pose that knows nothing of the motion. Both are to have reach, hips,
   trunk and bending planes of the source while planted heels stay where they are held. */
#include "support.h"

#include "math/turn.h"
#include "motion/clip_data.h"
#include "retarget/body_frames.h"

#include <marey/retarget.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 100, MOST_TERMS = 60, MOST_UNKNOWNS = 3 * 33 };
static const double PLANTED = 30; /* the weight of a planted heel */

/* One frame to be matched: the source's places, and the target's pose, which is tried. */
typedef struct match {
    const marey_clip *clip, *onto;
    double *was;      /* places of the source */
    marey_clip *pose; /* one frame of the target */
    float *turns;
    double *is;
    double ratio, lift;
    bool planted[2]; /* heels, and where they are held */
    mry_vec held[2];
    int joints[MAREY_ROLE_COUNT], joint_count; /* of the target, that may turn */
} match;

static mry_vec place(const marey_clip *clip, const double *places, int role)
{
    const double *p = places + 3 * clip->skeleton.roles[role];
    return (mry_vec){ p[0], p[1], p[2] };
}

static mry_vec way(const marey_clip *clip, const double *places, int from, int to)
{
    return mry_vec_sub(place(clip, places, to), place(clip, places, from));
}

static int put(double *terms, int count, mry_vec v, double weight)
{
    terms[count] = weight * v.x;
    terms[count + 1] = weight * v.y;
    terms[count + 2] = weight * v.z;
    return count + 3;
}

/* What is wrong with the pose; the first *plain terms are what is compared. */
static int see_terms(match *m, double *terms, int *plain)
{
    int count = 0;
    mry_body_pose(m->pose, 0, m->turns, m->is);
    for (int n = 0; n < MRY_LIMBS; n++) {
        int r = (int)mry_limb_roles[n];
        double a = mry_vec_length(way(m->clip, m->was, r, r + 1)) +
                   mry_vec_length(way(m->clip, m->was, r + 1, r + 2));
        double b = mry_vec_length(way(m->onto, m->is, r, r + 1)) +
                   mry_vec_length(way(m->onto, m->is, r + 1, r + 2));
        mry_vec from = mry_vec_scale(way(m->clip, m->was, r, r + 2), 1 / a);
        count = put(terms, count,
                    mry_vec_sub(mry_vec_scale(way(m->onto, m->is, r, r + 2), 1 / b), from), 1);
    }
    mry_vec hips[2];
    for (int i = 0; i < 2; i++) {
        const marey_clip *clip = i ? m->onto : m->clip;
        const double *places = i ? m->is : m->was;
        hips[i] = mry_vec_mix(place(clip, places, MAREY_ROLE_LEFT_HIP),
                              place(clip, places, MAREY_ROLE_RIGHT_HIP), 0.5);
    }
    mry_vec wanted = mry_vec_scale(hips[0], m->ratio);
    wanted.y += m->lift;
    count = put(terms, count, mry_vec_sub(hips[1], wanted), 1.0 / 80);
    *plain = count;
    mry_vec trunk =
        mry_vec_sub(mry_vec_unit(way(m->onto, m->is, MAREY_ROLE_SPINE, MAREY_ROLE_CHEST)),
                    mry_vec_unit(way(m->clip, m->was, MAREY_ROLE_SPINE, MAREY_ROLE_CHEST)));
    mry_vec side =
        mry_vec_sub(mry_vec_unit(way(m->onto, m->is, MAREY_ROLE_RIGHT_HIP, MAREY_ROLE_LEFT_HIP)),
                    mry_vec_unit(way(m->clip, m->was, MAREY_ROLE_RIGHT_HIP, MAREY_ROLE_LEFT_HIP)));
    count = put(terms, put(terms, count, trunk, 1), side, 1);
    for (int n = 0; n < MRY_LIMBS; n++) { /* middles in the plane of the source */
        int r = (int)mry_limb_roles[n];
        mry_vec across = mry_vec_cross(mry_vec_unit(way(m->clip, m->was, r, r + 1)),
                                       mry_vec_unit(way(m->clip, m->was, r + 1, r + 2)));
        mry_vec upper = mry_vec_unit(way(m->onto, m->is, r, r + 1));
        terms[count++] = mry_vec_dot(upper, across);
    }
    for (int foot = 0; foot < 2; foot++) {
        int role = foot ? MAREY_ROLE_RIGHT_ANKLE : MAREY_ROLE_LEFT_ANKLE;
        mry_vec off = mry_vec_sub(place(m->onto, m->is, role), m->held[foot]);
        count = put(terms, count, off, m->planted[foot] ? PLANTED / 80 : 0);
    }
    return count;
}

/* Moves the pose by a step in all unknowns: the root's place, then turns of joints in their parents' axes. */
static void go(match *m, const double *step)
{
    for (int i = 0; i < 3; i++)
        mry_place(m->pose, 0)[3 * m->pose->slot[m->joints[0]] + i] += 80 * step[i];
    for (int k = 0; k < m->joint_count; k++) {
        const double *by = step + 3 + 3 * k;
        double angle = sqrt(by[0] * by[0] + by[1] * by[1] + by[2] * by[2]);
        if (angle == 0) continue;
        float *q = mry_turn(m->pose, 0) + 4 * m->joints[k];
        mry_rot turn = mry_rot_about(by[0] / angle, by[1] / angle, by[2] / angle, angle);
        turn = mry_rot_times(turn,
                             (mry_rot){ (double)q[0], (double)q[1], (double)q[2], (double)q[3] });
        memcpy(q, (float[4]){ (float)turn.w, (float)turn.x, (float)turn.y, (float)turn.z },
               4 * sizeof(float));
    }
}

/* Gauss's elimination of a positive matrix; the answer takes the place of `right`. */
static void solve(double *matrix, double *right, int size)
{
    for (int k = 0; k < size; k++) {
        for (int r = k + 1; r < size; r++) {
            double factor = matrix[r * size + k] / matrix[k * size + k];
            for (int c = k; c < size; c++) matrix[r * size + c] -= factor * matrix[k * size + c];
            right[r] -= factor * right[k];
        }
    }
    for (int k = size - 1; k >= 0; k--) {
        for (int c = k + 1; c < size; c++) right[k] -= matrix[k * size + c] * right[c];
        right[k] /= matrix[k * size + k];
    }
}

static double squares(const double *terms, int count)
{
    double sum = 0;
    for (int i = 0; i < count; i++) sum += terms[i] * terms[i];
    return sum;
}

static void optimise(match *m)
{
    static double slopes[MOST_TERMS * MOST_UNKNOWNS], matrix[MOST_UNKNOWNS * MOST_UNKNOWNS];
    static float turns[4 * 256];
    int unknowns = 3 + 3 * m->joint_count, joints = m->pose->skeleton.joint_count, plain;
    double damping = 1e-3, terms[MOST_TERMS], step[MOST_UNKNOWNS], places[200];
    assert_true(unknowns <= MOST_UNKNOWNS && joints <= 256 && m->pose->mover_count <= 64);
    for (int s = 0; s < STEPS; s++) {
        int count = see_terms(m, terms, &plain);
        double before = squares(terms, count);
        memcpy(turns, mry_turn(m->pose, 0), 4 * (size_t)joints * sizeof *turns);
        memcpy(places, mry_place(m->pose, 0), 3 * (size_t)m->pose->mover_count * sizeof *places);
        for (int u = 0; u < unknowns; u++) {
            double there[MOST_TERMS];
            memset(step, 0, sizeof step);
            step[u] = 1e-3;
            go(m, step);
            see_terms(m, there, &plain);
            for (int t = 0; t < count; t++) slopes[t * unknowns + u] = (there[t] - terms[t]) / 1e-3;
            memcpy(mry_turn(m->pose, 0), turns, 4 * (size_t)joints * sizeof *turns);
            memcpy(mry_place(m->pose, 0), places,
                   3 * (size_t)m->pose->mover_count * sizeof *places);
        }
        memset(step, 0, sizeof step);
        for (int u = 0; u < unknowns; u++) {
            for (int t = 0; t < count; t++) step[u] -= slopes[t * unknowns + u] * terms[t];
            for (int v = 0; v < unknowns; v++) {
                double sum = u == v ? damping : 0;
                for (int t = 0; t < count; t++)
                    sum += slopes[t * unknowns + u] * slopes[t * unknowns + v];
                matrix[u * unknowns + v] = sum;
            }
        }
        solve(matrix, step, unknowns);
        go(m, step);
        count = see_terms(m, terms, &plain);
        if (squares(terms, count) < before) {
            damping = fmax(damping / 3, 1e-6);
            continue;
        }
        memcpy(mry_turn(m->pose, 0), turns, 4 * (size_t)joints * sizeof *turns);
        memcpy(mry_place(m->pose, 0), places, 3 * (size_t)m->pose->mover_count * sizeof *places);
        damping *= 10;
    }
}

/* What is wrong with reach and hips, and how far planted heels are from their places, cm. */
static double wrong(match *m, double *off)
{
    double terms[MOST_TERMS];
    int plain;
    see_terms(m, terms, &plain);
    *off = 0;
    for (int foot = 0; foot < 2; foot++) {
        int role = foot ? MAREY_ROLE_RIGHT_ANKLE : MAREY_ROLE_LEFT_ANKLE;
        if (m->planted[foot])
            *off =
                fmax(*off, mry_vec_length(mry_vec_sub(place(m->onto, m->is, role), m->held[foot])));
    }
    return sqrt(squares(terms, plain) / 5);
}

/* A frame as it was made, then as the optimiser has it. */
static void judge(match *m, const marey_clip *made, int frame, double *sums)
{
    const int *roles = m->onto->skeleton.roles;
    double off, best_off;
    memcpy(mry_turn(m->pose, 0), mry_turn(made, frame),
           4 * (size_t)made->skeleton.joint_count * sizeof(float));
    memcpy(mry_place(m->pose, 0), mry_place(made, frame),
           3 * (size_t)made->mover_count * sizeof(double));
    mry_body_pose(m->pose, 0, m->turns, m->is);
    for (int foot = 0; foot < 2; foot++)
        m->held[foot] =
            place(m->onto, m->is, foot ? MAREY_ROLE_RIGHT_ANKLE : MAREY_ROLE_LEFT_ANKLE);
    double ours = wrong(m, &off);
    memcpy(mry_turn(m->pose, 0), mry_turn(m->onto, 0),
           4 * (size_t)made->skeleton.joint_count * sizeof(float));
    m->joint_count = 0;
    for (int r = 0; r < MAREY_ROLE_COUNT; r++)
        if (roles[r] >= 0) m->joints[m->joint_count++] = roles[r];
    optimise(m);
    double best = wrong(m, &best_off);
    assert_true(best_off < 0.5);
    sums[0] += ours;
    sums[1] += best;
    sums[2] = fmax(sums[2], ours - best);
}

TEST_CTX(no_optimiser_does_much_better)
{
    static const char *const pairs[][2] = {
        { "cmu/07_01.bvh", "bandai/dataset-1_walk_normal_001.bvh" },
        { "bandai/dataset-1_kick_normal_001.bvh", "accad/Male1_B3_Walk.bvh" },
        { "accad/Male1_B3_Walk.bvh", "cmu/07_01.bvh" },
    };
    test_need_mocap();
    for (size_t p = 0; p < sizeof pairs / sizeof *pairs; p++) {
        OWNED(marey_clip) *whole = test_mocap_load(ctx, pairs[p][0]), *clip = NULL, *made = NULL;
        OWNED(marey_clip) *onto = test_mocap_load(ctx, pairs[p][1]);
        marey_contacts feet = { 0 };
        marey_retarget_result result;
        double sums[3] = { 0, 0, 0 };
        int frames = 0, step = test_is_long() ? 4 : 23;
        test_ok(marey_clip_unmarked(whole, NULL, &clip, &test_error));
        test_ok(marey_contacts_find(clip, NULL, &feet));
        test_ok(marey_clip_retarget(clip, feet.items, feet.count, onto, NULL, &made, &result,
                                    &test_error));
        OWNED(marey_clip) *pose = mry_clip_make_like(onto, 1, 30);
        assert_non_null(pose);
        memcpy(mry_place(pose, 0), mry_place(onto, 0),
               3 * (size_t)onto->mover_count * sizeof(double));
        FREED float *turns = calloc(4 * (size_t)onto->skeleton.joint_count, sizeof *turns);
        FREED double *is = calloc(3 * (size_t)onto->skeleton.joint_count, sizeof *is);
        /* How high the body stands is retargeting's to say: the mean over the clip. */
        match m = { .clip = clip,
                    .onto = onto,
                    .pose = pose,
                    .turns = turns,
                    .is = is,
                    .ratio = result.leg_ratio };
        for (int f = 0; f < clip->frames; f++) {
            FREED double *was = test_positions(clip, f), *now = test_positions(made, f);
            for (int side = 0; side < 2; side++) {
                int hip = side ? MAREY_ROLE_RIGHT_HIP : MAREY_ROLE_LEFT_HIP;
                m.lift += (place(made, now, hip).y - m.ratio * place(clip, was, hip).y) / 2 /
                          clip->frames;
            }
        }
        for (int f = 0; f < clip->frames; f += step, frames++) {
            FREED double *was = test_positions(clip, f);
            m.was = was;
            m.planted[0] = m.planted[1] = false;
            for (int c = 0; c < feet.count; c++) {
                const marey_contact *plant = &feet.items[c];
                bool now = plant->start <= f && f < plant->end;
                if (now && plant->joint == MAREY_CONTACT_LEFT_HEEL) m.planted[0] = true;
                if (now && plant->joint == MAREY_CONTACT_RIGHT_HEEL) m.planted[1] = true;
            }
            judge(&m, made, f, sums);
        }
        marey_contacts_free(&feet);
        printf("%s onto %s: %.4f, optimiser %.4f, at most %.4f more\n", pairs[p][0], pairs[p][1],
               sums[0] / frames, sums[1] / frames, sums[2]);
        assert_true(sums[0] / frames < sums[1] / frames + 0.01);
        assert_true(sums[2] < 0.03);
    }
}

TEST_GROUP_OF_CASES(test_retarget_judge, NULL, NULL)
