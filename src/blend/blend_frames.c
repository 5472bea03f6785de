/* blend_frames.c - frames of a blend: corresponding frames are laid on each other, put where the blend goes on, and
   averaged (Kovar & Gleicher 2003, 5.2 and 5.3).

   T(t_i), the place of frame i, follows from its neighbour's. Each motion votes for the T that leaves its own coordinate
   system as it was (eq. 8), and the votes are averaged as a turn and a shift (eq. 9). Turns about different points cannot
   be averaged by themselves: what is shifted must be the point that they turn about, and that point must be at the
   frames. The paper takes the place to which the frames go for both; but T leads from the world of the reference to that
   of the blend, and if those are apart, the frames are far from there before they are moved. So the point is where they
   lie on each other, under A_j(u_i), and what is averaged is where the votes take it. Moving the reference or the blend
   by 1 km then changes nothing.

   The pelvis is averaged in the world, as it would swing about a root that is far from the body; the other joints where
   they are. */
#include "blend/blend_pose.h"
#include "blend/blender.h"
#include "math/mean_turn.h"

#include <string.h>

enum { FRAMES_A_REPORT = 512 };

typedef struct mixer {
    mry_blend_run *run;
    marey_clip *made;
    int first;
    int motions, joints, movers;
    mry_trunk body;
    const marey_clip **clips;
    double *per_row; /* frames of each clip to a row */
    double *rows;    /* S(u) of the frame in hand */
    /* A_j(u) of this frame and of its neighbour, by the frame's number being odd or even; `known` says of which */
    mry_floor *floors[2];
    int *known[2];
    /* the motions that have a weight in the frame in hand */
    int count;
    int *motion;
    double *weight;
    double *places; /* count x movers x 3 */
    float *turns;   /* count x joints x 4 */
    mry_rigid *pelvis;
    float *pelvis_turns; /* count x 4, in the blend's world */
} mixer;

mry_floor mry_blend_floor(const marey_registration *of, int motion, double u)
{
    marey_placement p = marey_registration_place(of, motion, u);
    return (mry_floor){ p.angle_rad, p.x_cm, p.z_cm };
}

static mry_floor floor_of(mixer *m, int motion, int i)
{
    mry_floor *kept = &m->floors[i & 1][motion];
    if (m->known[i & 1][motion] != i) {
        *kept = mry_blend_floor(m->run->of, motion, m->run->u[i]);
        m->known[i & 1][motion] = i;
    }
    return *kept;
}

/* ---- eq. 8 and 9: where the frame goes ------------------------------------------------------------------------ */

/* Where the frames are that lie on each other: their pelvises under A_j(u_i), averaged. */
static void find_origin(mixer *m, int i, double origin[2])
{
    double votes = 0;
    origin[0] = origin[1] = 0;
    for (int a = 0; a < m->count; a++) {
        double x = m->pelvis[a].shift.x, z = m->pelvis[a].shift.z, vote = fabs(m->weight[a]);
        mry_floor_apply(floor_of(m, m->motion[a], i), &x, &z);
        origin[0] += vote * x;
        origin[1] += vote * z;
        votes += vote;
    }
    origin[0] /= votes;
    origin[1] /= votes;
}

/* T of frame i, from that of its neighbour. */
static mry_floor find_place(mixer *m, int i, int from)
{
    mry_floor last = m->run->places[from];
    double origin[2], turn = 0, x = 0, z = 0;
    find_origin(m, i, origin);
    for (int a = 0; a < m->count; a++) {
        mry_floor before = floor_of(m, m->motion[a], from), now = floor_of(m, m->motion[a], i);
        mry_floor vote = mry_floor_times(mry_floor_times(last, before), mry_floor_back(now));
        double to_x = origin[0], to_z = origin[1];
        mry_floor_apply(vote, &to_x, &to_z);
        turn += m->weight[a] * (before.angle - now.angle);
        x += m->weight[a] * to_x;
        z += m->weight[a] * to_z;
    }
    mry_floor place = { last.angle + turn, -origin[0], -origin[1] };
    mry_floor_turn(place.angle, &place.x, &place.z);
    place.x += x;
    place.z += z;
    return place;
}

/* ---- one frame ------------------------------------------------------------------------------------------------- */

static void take_motions(mixer *m, int i)
{
    const double *weights = m->run->weights + (size_t)i * (size_t)m->motions;
    marey_registration_times(m->run->of, m->run->u[i], m->rows, NULL);
    m->count = 0;
    for (int j = 0; j < m->motions; j++) {
        if (weights[j] == 0) continue;
        int a = m->count++;
        double *places = m->places + (size_t)(a * m->movers) * 3;
        float *turns = m->turns + (size_t)(a * m->joints) * 4;
        m->motion[a] = j;
        m->weight[a] = weights[j];
        mry_pose_sample(&m->body, m->clips[j], m->rows[j] * m->per_row[j], places, turns);
        m->pelvis[a] = mry_pose_pelvis(&m->body, places, turns);
    }
}

/* What is done with a motion's frame: T A_j. */
static mry_floor whole_move(mixer *m, int a, int i)
{
    if (m->run->method == MAREY_BLEND_LINEAR) return (mry_floor){ 0 };
    return mry_floor_times(m->run->places[i], floor_of(m, m->motion[a], i));
}

static mry_rigid mean_pelvis(mixer *m, int i)
{
    mry_rigid mean = { { 1, 0, 0, 0 }, { 0, 0, 0 } };
    for (int a = 0; a < m->count; a++) {
        mry_rigid at = mry_rigid_times(mry_rigid_on_floor(whole_move(m, a, i)), m->pelvis[a]);
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
    return mean;
}

static void mix(mixer *m, int i, double *places, float *turns)
{
    size_t stride = (size_t)m->joints * 4;
    for (int n = 0; n < 3 * m->movers; n++) {
        double sum = 0;
        for (int a = 0; a < m->count; a++) sum += m->weight[a] * m->places[3 * m->movers * a + n];
        places[n] = sum;
    }
    for (int j = m->body.pelvis ? 0 : 1; j < m->joints; j++) {
        mry_mean_turn(m->turns + 4 * j, stride, m->weight, m->count, turns + 4 * j);
    }
    mry_pose_set_pelvis(&m->body, mean_pelvis(m, i), places, turns);
}

static void make_frame(mixer *m, int i, int from)
{
    double *places = mry_place(m->made, m->first + i);
    float *turns = mry_turn(m->made, m->first + i);
    take_motions(m, i);
    if (m->run->method == MAREY_BLEND_LINEAR) {
        m->run->places[i] = (mry_floor){ 0 };
    } else {
        m->run->places[i] = from < 0 ? m->run->place : find_place(m, i, from);
    }
    if (m->count > 1) {
        mix(m, i, places, turns);
        return;
    }
    memcpy(places, m->places, 3 * (size_t)m->movers * sizeof *places);
    memcpy(turns, m->turns, 4 * (size_t)m->joints * sizeof *turns);
    mry_pose_move(&m->body, whole_move(m, 0, i), places, turns);
}

/* ---- all frames ------------------------------------------------------------------------------------------------ */

static bool set_up(mixer *m, mry_arena *tmp)
{
    const marey_registration *of = m->run->of;
    int n = m->motions = marey_registration_count(of);
    m->joints = m->made->skeleton.joint_count;
    m->movers = m->made->mover_count;
    m->clips = MRY_NEW_RAW(tmp, const marey_clip *, n);
    m->per_row = MRY_NEW_RAW(tmp, double, n);
    m->rows = MRY_NEW_RAW(tmp, double, n);
    m->motion = MRY_NEW_RAW(tmp, int, n);
    m->weight = MRY_NEW_RAW(tmp, double, n);
    m->places = MRY_NEW_RAW(tmp, double, (size_t)n *(size_t)m->movers * 3);
    m->turns = MRY_NEW_RAW(tmp, float, (size_t)n *(size_t)m->joints * 4);
    m->pelvis = MRY_NEW_RAW(tmp, mry_rigid, n);
    m->pelvis_turns = MRY_NEW_RAW(tmp, float, 4 * n);
    bool room = m->clips && m->per_row && m->rows && m->motion && m->weight && m->places &&
                m->turns && m->pelvis && m->pelvis_turns;
    for (int k = 0; k < 2; k++) {
        m->floors[k] = MRY_NEW_RAW(tmp, mry_floor, n);
        m->known[k] = MRY_NEW_RAW(tmp, int, n);
        room = room && m->floors[k] && m->known[k];
        for (int j = 0; room && j < n; j++) m->known[k][j] = -1;
    }
    if (!room) return false;
    for (int j = 0; j < n; j++) {
        m->clips[j] = marey_registration_clip(of, j);
        m->per_row[j] = mry_frames_per_row(m->clips[j], marey_registration_fps(of));
    }
    m->body = mry_trunk_find(m->clips, n);
    return true;
}

static bool go_on(const mixer *m, int done)
{
    return done % FRAMES_A_REPORT ||
           mry_progress(m->made->mem.ctx, "blending", done, m->run->count);
}

bool mry_blend_frames(mry_blend_run *run, marey_clip *made, int first)
{
    mry_arena tmp = mry_arena_make(made->mem.ctx);
    mixer m = { .run = run, .made = made, .first = first };
    bool fine = set_up(&m, &tmp);
    if (fine) make_frame(&m, run->fixed, -1);
    int done = 0;
    for (int i = run->fixed + 1; fine && i < run->count; i++) {
        make_frame(&m, i, i - 1);
        fine = go_on(&m, ++done);
    }
    for (int i = run->fixed - 1; fine && i >= 0; i--) {
        make_frame(&m, i, i + 1);
        fine = go_on(&m, ++done);
    }
    mry_arena_free(&tmp);
    return fine;
}
