/* mixer.c - one frame of a blend: corresponding frames are laid on each other, put where the blend
   goes on, and averaged (Kovar & Gleicher 2003, 5.2 and 5.3).

   T(t_i), the place of frame i, follows from its neighbour's. Each motion votes for the T that
   leaves its own coordinate system as it was (eq. 8), and the votes are averaged as a turn and a
   shift (eq. 9). Turns about different points cannot be averaged by themselves: what is shifted
   must be the point that they turn about, and that point must be at the frames. The paper takes the
   place to which the frames go for both; but T leads from the world of the reference to that of the
   blend, and if those are apart, the frames are far from there before they are moved. So the point
   is where they lie on each other, under A_j(u_i), and what is averaged is where the votes take it.
   Moving the reference or the blend by 1 km then changes nothing.

   The pelvis is averaged in the world, as it would swing about a root that is far from the body;
   the other joints where they are. */
#include "blend/mixer.h"

#include "math/mean_turn.h"

#include <string.h>

mry_floor mry_blend_floor(const marey_registration *registration, int motion, double u)
{
    marey_placement p = marey_registration_place(registration, motion, u);
    return (mry_floor){ p.angle_rad, p.x_cm, p.z_cm };
}

static const mry_mixer_floor *floor_of(mry_mixer *m, int motion, int i, double u)
{
    mry_mixer_floor *kept = &m->floors[i & 1][motion];
    if (m->known[i & 1][motion] != i) {
        kept->move = mry_blend_floor(m->of, motion, u);
        kept->cosine = cos(kept->move.angle);
        kept->sine = sin(kept->move.angle);
        m->known[i & 1][motion] = i;
    }
    return kept;
}

/* A vote is last A_j(u_from) A_j(u)^-1. `last` is the same in all, so it is done once, with their
   mean. */
mry_floor mry_mixer_place(mry_mixer *m, int i, double u, int from, double u_from, mry_floor last)
{
    double origin[2], turn = 0, x = 0, z = 0;
    /* Where the frames are that lie on each other: their pelvises under A_j(u_i), averaged. */
    double votes = 0;
    origin[0] = origin[1] = 0;
    for (int a = 0; a < m->count; a++) {
        const mry_mixer_floor *now = floor_of(m, m->motion[a], i, u);
        mry_vec at = m->pelvis[a].shift;
        double vote = fabs(m->weight[a]);
        origin[0] += vote * (now->cosine * at.x + now->sine * at.z + now->move.x);
        origin[1] += vote * (now->cosine * at.z - now->sine * at.x + now->move.z);
        votes += vote;
    }
    origin[0] /= votes;
    origin[1] /= votes;
    for (int a = 0; a < m->count; a++) {
        const mry_mixer_floor *before = floor_of(m, m->motion[a], from, u_from);
        const mry_mixer_floor *now = floor_of(m, m->motion[a], i, u);
        /* Where A_j of the frame before takes what A_j of this one brings to the origin: a turn by
           the difference of their angles. */
        double cosine = before->cosine * now->cosine + before->sine * now->sine;
        double sine = before->sine * now->cosine - before->cosine * now->sine;
        double from_x = origin[0] - now->move.x, from_z = origin[1] - now->move.z;
        double to_x = cosine * from_x + sine * from_z + before->move.x;
        double to_z = cosine * from_z - sine * from_x + before->move.z;
        turn += m->weight[a] * (before->move.angle - now->move.angle);
        x += m->weight[a] * to_x;
        z += m->weight[a] * to_z;
    }
    mry_floor place = { last.angle + turn, -origin[0], -origin[1] };
    mry_floor_turn(place.angle, &place.x, &place.z);
    mry_floor_apply(last, &x, &z);
    place.x += x;
    place.z += z;
    return place;
}

void mry_mixer_take(mry_mixer *m, double u, const double *weights, bool whole)
{
    marey_registration_times(m->of, u, m->rows, NULL);
    m->count = 0;
    for (int j = 0; j < m->motions; j++) {
        if (weights[j] == 0) continue;
        int a = m->count++;
        double *places = m->places + (size_t)(a * m->movers) * 3;
        float *turns = m->turns + (size_t)(a * m->joints) * 4;
        m->motion[a] = j;
        m->weight[a] = weights[j];
        mry_pose_sample_some(&m->body, m->clips[j], m->rows[j] * m->per_row[j],
                             whole ? m->wanted : m->root, whole ? m->wanted_count : m->root_count,
                             places, turns);
        m->pelvis[a] = mry_pose_pelvis(&m->body, places, turns);
    }
}

/* What is done with a motion's frame: T A_j. */
static mry_floor whole_move(mry_mixer *m, int a, int i, double u, mry_floor place)
{
    if (m->method == MAREY_BLEND_LINEAR) return (mry_floor){ 0 };
    return mry_floor_times(place, floor_of(m, m->motion[a], i, u)->move);
}

void mry_mixer_mix(mry_mixer *m, int i, double u, mry_floor place, double *places, float *turns)
{
    size_t stride = (size_t)m->joints * 4;
    if (m->count == 1) {
        memcpy(places, m->places, 3 * (size_t)m->movers * sizeof *places);
        for (int k = 0; k < m->wanted_count; k++)
            memcpy(turns + 4 * m->wanted[k], m->turns + 4 * m->wanted[k], 4 * sizeof *turns);
        mry_pose_move(&m->body, whole_move(m, 0, i, u, place), places, turns);
        return;
    }
    for (int n = 0; n < 3 * m->movers; n++) {
        double sum = 0;
        for (int a = 0; a < m->count; a++) sum += m->weight[a] * m->places[3 * m->movers * a + n];
        places[n] = sum;
    }
    for (int k = m->body.pelvis ? 0 : 1; k < m->wanted_count; k++) {
        int j = m->wanted[k];
        mry_mean_turn(m->turns + 4 * j, stride, m->weight, m->count, turns + 4 * j);
    }
    mry_rigid mean = { { 1, 0, 0, 0 }, { 0, 0, 0 } };
    for (int a = 0; a < m->count; a++) {
        mry_rigid move = mry_rigid_on_floor(whole_move(m, a, i, u, place));
        mry_rigid at = mry_rigid_times(move, m->pelvis[a]);
        float *q = m->pelvis_turns + 4 * a;
        q[0] = (float)at.turn.w;
        q[1] = (float)at.turn.x;
        q[2] = (float)at.turn.y;
        q[3] = (float)at.turn.z;
        mean.shift = mry_vec_add(mean.shift, mry_vec_scale(at.shift, m->weight[a]));
    }
    float q[4];
    mry_mean_turn(m->pelvis_turns, 4, m->weight, m->count, q);
    mean.turn = (mry_rot){ q[0], q[1], q[2], q[3] };
    mry_pose_set_pelvis(&m->body, mean, places, turns);
}

void mry_mixer_restart(mry_mixer *m, const marey_registration *registration)
{
    m->of = registration;
    m->motions = marey_registration_count(registration);
    for (int j = 0; j < m->motions; j++) {
        m->clips[j] = marey_registration_clip(registration, j);
        m->per_row[j] = mry_frames_per_row(m->clips[j], marey_registration_fps(registration));
        m->known[0][j] = m->known[1][j] = -1;
    }
}

bool mry_mixer_open(mry_mixer *m, mry_arena *mem, const marey_registration *registration,
                    const marey_clip *like, marey_blend_method method, const uint8_t *wanted)
{
    *m = (mry_mixer){ .of = registration,
                      .method = method,
                      .motions = marey_registration_count(registration),
                      .joints = like->skeleton.joint_count,
                      .movers = like->mover_count };
    size_t n = (size_t)m->motions, all = (size_t)m->joints;
    m->clips = MRY_NEW_RAW(mem, const marey_clip *, n);
    m->per_row = MRY_NEW_RAW(mem, double, n);
    m->rows = MRY_NEW_RAW(mem, double, n);
    m->wanted = MRY_NEW_RAW(mem, int, all);
    m->root = MRY_NEW_RAW(mem, int, all);
    m->motion = MRY_NEW_RAW(mem, int, n);
    m->weight = MRY_NEW_RAW(mem, double, n);
    m->places = MRY_NEW_RAW(mem, double, n *(size_t)m->movers * 3);
    m->turns = MRY_NEW_RAW(mem, float, n *all * 4);
    m->pelvis = MRY_NEW_RAW(mem, mry_rigid, n);
    m->pelvis_turns = MRY_NEW_RAW(mem, float, 4 * n);
    bool room = m->clips && m->per_row && m->rows && m->wanted && m->root && m->motion &&
                m->weight && m->places && m->turns && m->pelvis && m->pelvis_turns;
    for (int k = 0; k < 2; k++) {
        m->floors[k] = MRY_NEW_RAW(mem, mry_mixer_floor, n);
        m->known[k] = MRY_NEW_RAW(mem, int, n);
        room = room && m->floors[k] && m->known[k];
    }
    if (!room) return false;
    mry_mixer_restart(m, registration);
    m->body = mry_trunk_find(m->clips, m->motions);
    /* The joints that are asked for, with all that they hang on. Parents come before their
       children. */
    const marey_joint *joints = m->body.clip->joints;
    for (int j = m->joints - 1; j >= 0; j--) {
        bool take = j == 0 || j == m->body.pelvis || !wanted || wanted[j];
        for (int k = 0; k < m->wanted_count && !take; k++) take = joints[m->wanted[k]].parent == j;
        if (take) m->wanted[m->wanted_count++] = j;
    }
    for (int a = 0, b = m->wanted_count - 1; a < b; a++, b--) {
        int swap = m->wanted[a];
        m->wanted[a] = m->wanted[b];
        m->wanted[b] = swap;
    }
    for (int j = m->body.pelvis; j >= 0; j = joints[j].parent) m->root[m->root_count++] = j;
    return true;
}
