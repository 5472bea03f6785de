/* solve_points.c - how noisy points are, and what they were between the frames that saw them.

   A bone keeps its length however it moves, so what its length does from frame to frame is noise:
   the second difference of the distance of two points with noise s along each axis varies by 12 s^2
   and by nothing else. Only then can motion be told from noise: a second difference over k frames of
   a point varies by 6 s^2 and by motion, which grows with k. Where s says that there is something to
   smooth, a point's way is the one that is nearest to what was seen and bends least (Whittaker 1922),
   both weighed as a Kalman smoother does whose speed is a random walk: by s^2 over the variance of
   the motion's second difference; so is, by itself, the way of each bone, which moves less than a
   point and tells its direction better. Points without noise are left as they are. */
#include "retarget/solve.h"

#include "motion/quantile.h"

#include <stdatomic.h>
#include <string.h>

/* Noise that is not worth smoothing, cm: files are rounded, and bones of captured bodies give. */
static const double STILL_CM = 0.02;
/* Gaps up to this are crossed by their points' own way; in longer ones the pose is carried. */
static const double SHORT_S = 0.2;
/* Points nearer than this are at one place. */
static const double NO_LENGTH_CM = 0.05;
/* A point below the root that strays from its distance by both of these is on a way of its own, as
   hips are below a root on the floor: if it is the only one there, and if not. */
static const double MOVES_CM[2] = { 1, 10 }, MOVES_SHARE[2] = { 0.02, 0.25 };
/* A body that gets so many times as far as in nine of ten frames leaps. */
static const double LEAP = 6;
enum { SAMPLES = 4096, LONGEST_LAG = 64 };

/* ---- noise ----------------------------------------------------------------------------------- */

/* Robust: half of all second differences of a normal deviate s are within 0.6745 sqrt(6) s. */
static double bone_noise(const mry_solve *s, int j, double *room)
{
    size_t n = (size_t)s->frames;
    const mry_vec *a = s->at + (size_t)j * n, *b = s->at + (size_t)s->tree.parent[j] * n;
    int count = 0, step = s->frames / SAMPLES + 1;
    for (int f = 1; f + 1 < s->frames; f += step) {
        double length[3];
        for (int i = 0; i < 3; i++)
            length[i] = mry_vec_length(mry_vec_sub(a[f + i - 1], b[f + i - 1]));
        double bend = length[0] - 2 * length[1] + length[2];
        if (isfinite(bend) && length[1] > 0) room[count++] = fabs(bend);
    }
    if (count < 8) return NAN;
    return mry_nth(room, (size_t)count, (size_t)count / 2) / (0.6745 * sqrt(12));
}

/* The median of a bone's square length, without what noise across the bone adds to it. */
static double bone_length(const mry_solve *s, int j, double noise, double *room)
{
    size_t n = (size_t)s->frames;
    const mry_vec *a = s->at + (size_t)j * n, *b = s->at + (size_t)s->tree.parent[j] * n;
    int count = 0, step = s->frames / SAMPLES + 1;
    for (int f = 0; f < s->frames; f += step) {
        mry_vec bone = mry_vec_sub(a[f], b[f]);
        double square = mry_vec_dot(bone, bone);
        if (isfinite(square)) room[count++] = square;
    }
    double square = count ? mry_nth(room, (size_t)count, (size_t)count / 2) : 0;
    double length = sqrt(fmax(square - 4 * noise * noise, 0));
    return length > NO_LENGTH_CM + 2.5 * noise ? length : 0;
}

/* A joint has the mean noise of the bones that it is an end of. One that lies where its parent is, or
   at no constant distance from it, says nothing. */
bool mry_solve_points_measure(mry_solve *s)
{
    int n = s->tree.count, bones = 0, below = 0;
    double all = 0;
    mry_arena tmp = mry_arena_make(s->ctx);
    double *room = MRY_NEW_RAW(&tmp, double, SAMPLES + 1);
    double *sum = MRY_NEW(&tmp, double, n), *ends = MRY_NEW(&tmp, double, n);
    s->noise = MRY_NEW(s->mem, double, n);
    s->length = MRY_NEW(s->mem, double, n);
    s->moves = MRY_NEW(s->mem, bool, n);
    bool fits = room && sum && ends && s->noise && s->length && s->moves;
    for (int j = 1; j < n; j++) below += s->tree.parent[j] == 0;
    for (int j = 1; j < n && fits; j++) {
        int parent = s->tree.parent[j], several = below > 1;
        double noise = bone_noise(s, j, room), length;
        double off =
            mry_solve_spread(s->at + (size_t)j * (size_t)s->frames,
                             s->at + (size_t)parent * (size_t)s->frames, s->frames, &length);
        s->moves[j] = parent == 0 && off > MOVES_CM[several] + 6 * (isfinite(noise) ? noise : 0) &&
                      off > MOVES_SHARE[several] * length;
        if (s->moves[j] || !isfinite(noise) || length < 4 * noise + NO_LENGTH_CM) continue;
        sum[j] += noise * noise;
        sum[parent] += noise * noise;
        ends[j]++;
        ends[parent]++;
        all += noise * noise;
        bones++;
    }
    for (int j = 0; j < n && fits; j++)
        s->noise[j] = sqrt(ends[j] > 0 ? sum[j] / ends[j] : bones > 0 ? all / bones : 0);
    for (int j = 1; j < n && fits; j++)
        s->length[j] = bone_length(s, j, (s->noise[j] + s->noise[s->tree.parent[j]]) / 2, room);
    mry_arena_free(&tmp);
    return fits;
}

/* ---- gaps ------------------------------------------------------------------------------------ */

/* Frames [start, end) of joint j, seen from its parent (the root: from the origin), by a cubic with
   the speeds of both sides, or straight across where points are noisy; held at the clip's ends. */
static void cross(mry_solve *s, int j, int start, int end)
{
    size_t n = (size_t)s->frames;
    mry_vec *at = s->at + (size_t)j * n;
    const mry_vec *up = j ? s->at + (size_t)s->tree.parent[j] * n : NULL;
    const uint8_t *seen = s->seen + (size_t)j * n;
#define FROM_PARENT(f) (up ? mry_vec_sub(at[f], up[f]) : at[f])
    bool left = start > 0, right = end < s->frames;
    mry_vec a = { 0 }, b = { 0 }, u = { 0 }, v = { 0 };
    if (left) a = FROM_PARENT(start - 1);
    if (right) b = FROM_PARENT(end);
    if (!left) a = b;
    if (!right) b = a;
    double ways = end - start + 1;
    bool curved = left && right && start > 1 && end + 1 < s->frames && s->noise[j] < STILL_CM &&
                  ways / s->fps <= SHORT_S && seen[start - 2] == MRY_SEEN &&
                  seen[end + 1] == MRY_SEEN;
    if (curved) {
        u = mry_vec_scale(mry_vec_sub(a, FROM_PARENT(start - 2)), ways);
        v = mry_vec_scale(mry_vec_sub(FROM_PARENT(end + 1), b), ways);
    }
#undef FROM_PARENT
    for (int f = start; f < end; f++) {
        double t = (f - start + 1) / ways, t2 = t * t, t3 = t2 * t;
        mry_vec p = mry_vec_mix(a, b, t);
        if (curved) {
            p = mry_vec_add(mry_vec_scale(a, 2 * t3 - 3 * t2 + 1),
                            mry_vec_scale(b, 3 * t2 - 2 * t3));
            p = mry_vec_add(p, mry_vec_scale(u, t3 - 2 * t2 + t));
            p = mry_vec_add(p, mry_vec_scale(v, t3 - t2));
        }
        at[f] = up ? mry_vec_add(up[f], p) : p;
    }
}

/* ---- smoothing ------------------------------------------------------------------------------- */

/* Frames at which the body is elsewhere at once, as after a T-pose that was put first: joints get
   much further than in nearly all other frames. Nothing is smoothed across. */
static bool find_leaps(mry_solve *s, mry_arena *tmp, bool *leaps)
{
    double *step = MRY_NEW(tmp, double, s->frames), *sorted = MRY_NEW(tmp, double, s->frames);
    double noise = 0;
    int n = s->tree.count;
    if (!step || !sorted) return false;
    for (int j = 0; j < n; j++) {
        const mry_vec *at = s->at + (size_t)j * (size_t)s->frames;
        noise += s->noise[j] / n;
        for (int f = 1; f < s->frames; f++)
            step[f] += mry_vec_length(mry_vec_sub(at[f], at[f - 1])) / n;
    }
    memcpy(sorted, step, (size_t)s->frames * sizeof *step);
    double usual = mry_quantile(sorted, (size_t)s->frames, 0.9);
    for (int f = 1; f < s->frames; f++) leaps[f] = step[f] > LEAP * usual + noise;
    return true;
}

typedef struct mending {
    mry_solve *s;
    atomic_bool refused;
    bool *leaps;
    bool bones; /* those, and not points */
} mending;

/* The variance of a point's second difference that is motion: over the shortest lag at which motion
   outweighs noise. Of a speed that is a random walk the second difference over k frames has
   (2 k^3 + k) / 3 times the variance of that over one. The largest are left out: leaps are no
   motion. */
static double motion_of(const mry_solve *s, int j, const mry_vec *at, double *room)
{
    const uint8_t *seen = s->seen + (size_t)j * (size_t)s->frames;
    double noise = 6 * s->noise[j] * s->noise[j], found = 0;
    int stride = s->frames / SAMPLES + 1;
    for (int k = 1; k <= LONGEST_LAG && 2 * k < s->frames; k *= 2) {
        double sum = 0;
        int count = 0;
        for (int f = k; f + k < s->frames; f += stride) {
            if (seen[f - k] | seen[f] | seen[f + k]) continue;
            mry_vec bend = mry_vec_sub(mry_vec_add(at[f - k], at[f + k]), mry_vec_scale(at[f], 2));
            room[count++] = mry_vec_dot(bend, bend);
        }
        if (count < 3) break;
        int kept = count - 1 - count / 100;
        mry_nth(room, (size_t)count, (size_t)kept);
        for (int i = 0; i < kept; i++) sum += room[i];
        double motion = sum / (3.0 * kept) - noise;
        found = fmax(motion, 0.1 * noise) / ((2.0 * k * k * k + k) / 3);
        if (motion > noise) break;
    }
    return found;
}

/* Minimises sum of w |x - p|^2 + stiff |second differences of x|^2: a symmetric matrix of five
   diagonals, factored as L D L^T on the way down. `room` has 3 doubles a frame. */
static void smooth(const mry_solve *s, int j, mry_vec *at, double stiff, const bool *leaps,
                   double *room)
{
    int n = s->frames;
    const uint8_t *seen = s->seen + (size_t)j * (size_t)n;
    double *d = room, *e = room + n, *g = room + 2 * (size_t)n; /* D, and L beside and next to it */
#define BEND(i) ((i) >= 1 && (i) + 1 < n && !leaps[i] && !leaps[(i) + 1] ? stiff : 0)
    for (int i = 0; i < n; i++) {
        double a = BEND(i - 1), b = BEND(i), c = BEND(i + 1);
        double w = seen[i] == MRY_SEEN ? 1 : seen[i] == MRY_LONG_GAP ? 0.02 : 1e-6;
        double diagonal = w + a + 4 * b + c, beside = -2 * (b + c);
        mry_vec p = mry_vec_scale(at[i], w);
        if (i >= 1) {
            diagonal -= e[i - 1] * e[i - 1] * d[i - 1];
            beside -= e[i - 1] * g[i - 1] * d[i - 1];
            p = mry_vec_sub(p, mry_vec_scale(at[i - 1], e[i - 1]));
        }
        if (i >= 2) {
            diagonal -= g[i - 2] * g[i - 2] * d[i - 2];
            p = mry_vec_sub(p, mry_vec_scale(at[i - 2], g[i - 2]));
        }
        d[i] = diagonal;
        e[i] = i + 1 < n ? beside / diagonal : 0;
        g[i] = i + 2 < n ? c / diagonal : 0;
        at[i] = p;
    }
#undef BEND
    for (int i = n - 1; i >= 0; i--) {
        at[i] = mry_vec_scale(at[i], 1 / d[i]);
        if (i + 1 < n) at[i] = mry_vec_sub(at[i], mry_vec_scale(at[i + 1], e[i]));
        if (i + 2 < n) at[i] = mry_vec_sub(at[i], mry_vec_scale(at[i + 2], g[i]));
    }
}

/* A point by itself; then the bone to it from its parent, which is smooth by then: a bone moves less
   than a point, so that its noise stands out more. */
static void smooth_joint(void *user, int64_t number)
{
    mending *m = user;
    mry_solve *s = m->s;
    int j = (int)number;
    size_t n = (size_t)s->frames;
    mry_arena tmp = mry_arena_make(s->ctx);
    double *room = MRY_NEW_RAW(&tmp, double, 3 * n + SAMPLES);
    mry_vec *at = s->at + (size_t)j * n, *bone = s->bone + (size_t)j * n;
    const mry_vec *up = j ? s->at + (size_t)s->tree.parent[j] * n : NULL;
    if (room) {
        if (!m->bones) memcpy(bone, at, n * sizeof *bone);
        for (size_t f = 0; m->bones && up && f < n; f++) bone[f] = mry_vec_sub(bone[f], up[f]);
        mry_vec *of = m->bones ? bone : at;
        double motion = motion_of(s, j, of, room), noise = s->noise[j] * s->noise[j];
        if (s->noise[j] >= STILL_CM && motion > 0)
            smooth(s, j, of, fmin(noise / motion, 1e8), m->leaps, room);
    } else {
        atomic_store(&m->refused, true);
    }
    mry_arena_free(&tmp);
}

bool mry_solve_points_mend(mry_solve *s)
{
    for (int j = 0; j < s->tree.count; j++) { /* parents before their children */
        uint8_t *seen = s->seen + (size_t)j * (size_t)s->frames;
        for (int start = 0, end; start < s->frames; start = end + 1) {
            for (end = start; end < s->frames && seen[end] != MRY_SEEN;) end++;
            if (end == start) continue;
            bool open = start == 0 || end == s->frames;
            bool is_short = !open && (end - start) / s->fps <= SHORT_S;
            memset(seen + start, is_short ? MRY_SHORT_GAP : MRY_LONG_GAP, (size_t)(end - start));
            cross(s, j, start, end);
        }
    }
    bool noisy = false;
    for (int j = 0; j < s->tree.count; j++) noisy |= s->noise[j] >= STILL_CM;
    if (!noisy || s->frames < 5) return true;
    mry_arena tmp = mry_arena_make(s->ctx);
    mending m = { .s = s, .leaps = MRY_NEW(&tmp, bool, s->frames) };
    s->bone = MRY_NEW_RAW(s->mem, mry_vec, (size_t)s->tree.count * (size_t)s->frames);
    bool fits = m.leaps && s->bone && find_leaps(s, &tmp, m.leaps);
    for (int i = 0; i < 2 && fits; i++) {
        m.bones = i > 0;
        marey_ctx_run(s->ctx, s->tree.count, smooth_joint, &m);
        fits = !atomic_load(&m.refused);
    }
    mry_arena_free(&tmp);
    return fits;
}
