/* track.c - samples of a clip, its floor, the camera's place, and which poses tell the motion.

   The clip is a curve through the space of poses; the curve is approached by straight pieces, and
   the next pose is taken where it is farthest from its piece (after Ramer 1972 and Douglas &
   Peucker 1973). That finds the turning points: the highest kick, the lowest crouch. A share of the
   way along the curve is added, so that steady motion is shown in even steps. */
#include "picture/track.h"

#include "picture/vec3.h"

#include <stdlib.h>

static const int key_roles[] = {
    MAREY_ROLE_HIPS,        MAREY_ROLE_CHEST,      MAREY_ROLE_HEAD,        MAREY_ROLE_LEFT_ELBOW,
    MAREY_ROLE_RIGHT_ELBOW, MAREY_ROLE_LEFT_WRIST, MAREY_ROLE_RIGHT_WRIST, MAREY_ROLE_LEFT_KNEE,
    MAREY_ROLE_RIGHT_KNEE,  MAREY_ROLE_LEFT_ANKLE, MAREY_ROLE_RIGHT_ANKLE, MAREY_ROLE_LEFT_TOE,
    MAREY_ROLE_RIGHT_TOE,
};
enum { KEY_ROLES = sizeof key_roles / sizeof *key_roles, MOST_KEYS = MRY_TRACK_KEYS };

typedef struct curve {
    int count, dims;
    double *rows;     /* count x dims */
    double *distance; /* along the curve up to each sample */
    double *miss;     /* how far each sample is from the poses taken so far */
} curve;

static const double TRAVELS = 0.75; /* body heights that are a way, not a place */
static const double EVEN = 0.22;    /* weight of the way along the curve */
static const double WAY = 0.3;      /* weight of where the body stands against how it stands */

/* Spreads at most MRY_TRACK_MOST samples over the unmarked frames. */
static bool choose_samples(mry_track *track, mry_arena *mem, const marey_clip *clip)
{
    int mark_count, frames = marey_clip_frames(clip), unmarked = frames, seen = 0;
    const marey_mark *marks = marey_clip_marks(clip, &mark_count);
    uint8_t *marked = MRY_NEW(mem, uint8_t, frames); /* one byte a frame */
    for (int i = 0; marked && i < mark_count; i++) {
        for (int f = marks[i].start; f < marks[i].end && f < frames; f++) {
            unmarked -= !marked[f];
            marked[f] = 1;
        }
    }
    if (!marked) return false;
    bool all = unmarked == 0;
    if (all) unmarked = frames;
    int count = unmarked < MRY_TRACK_MOST ? unmarked : MRY_TRACK_MOST;
    track->frames = MRY_NEW_RAW(mem, int, count);
    if (!track->frames) return false;
    for (int f = 0; f < frames && track->count < count; f++) {
        if (marked[f] && !all) continue;
        int64_t wanted = count < 2 ? 0 : (int64_t)track->count * (unmarked - 1) / (count - 1);
        if (seen++ == wanted) track->frames[track->count++] = f;
    }
    return true;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

bool mry_track_find(mry_track *track, mry_body *body, mry_arena *mem, const marey_clip *clip)
{
    int keys[MOST_KEYS];
    *track = (mry_track){ .count = 0 };
    if (!choose_samples(track, mem, clip)) return false;
    if (!mry_body_find(body, mem, clip, track->frames[track->count / 2])) return false;
    const marey_skeleton *skeleton = body->skeleton;
    int step = (skeleton->joint_count + MOST_KEYS - 1) / MOST_KEYS;
    for (int i = 0; i < KEY_ROLES && body->volumes; i++) {
        int role = key_roles[i];
        if (skeleton->roles[role] < 0) continue;
        track->sides[track->key_count] = role >= MAREY_ROLE_RIGHT_COLLAR  ? -1
                                         : role >= MAREY_ROLE_LEFT_COLLAR ? 1
                                                                          : 0;
        keys[track->key_count++] = skeleton->roles[role];
    }
    for (int j = 0; j < skeleton->joint_count && !body->volumes; j += step)
        keys[track->key_count++] = j;
    int root = body->volumes ? skeleton->roles[MAREY_ROLE_HIPS] : 0;
    size_t count = (size_t)track->count;
    double *positions = MRY_NEW_RAW(mem, double, 3 * (size_t)body->skeleton->joint_count);
    double *lows = MRY_NEW_RAW(mem, double, count);
    track->places = MRY_NEW_RAW(mem, double, count *(size_t)track->key_count * 3);
    track->roots = MRY_NEW_RAW(mem, double, 3 * count);
    if (!positions || !lows || !track->places || !track->roots) return false;
    for (int i = 0; i < track->count; i++) {
        marey_clip_positions(clip, track->frames[i], 1, positions);
        double *row = track->places + (size_t)i * (size_t)track->key_count * 3, facing[3];
        for (int k = 0; k < track->key_count; k++) {
            for (int c = 0; c < 3; c++) row[3 * k + c] = positions[3 * (size_t)keys[k] + (size_t)c];
        }
        for (int c = 0; c < 3; c++)
            track->roots[3 * (size_t)i + (size_t)c] = positions[3 * (size_t)root + (size_t)c];
        if (!body->volumes) continue;
        mry_body_facing(body, positions, facing);
        facing[1] = 0; /* lying or upside down counts little */
        mry_add3(track->facing, 1, facing, track->facing);
    }
    mry_unit3(track->facing, NULL);
    /* The floor is where the lowest joint is when it is low: the 5th percentile over the samples,
       so that a flight does not lift it and a bad frame does not sink it. A person's sole lies
       below the joints. */
    for (int i = 0; i < track->count; i++) {
        const double *row = track->places + (size_t)i * (size_t)track->key_count * 3;
        lows[i] = row[1];
        for (int k = 1; k < track->key_count; k++) lows[i] = fmin(lows[i], row[3 * k + 1]);
    }
    qsort(lows, (size_t)track->count, sizeof *lows, by_size);
    track->floor_cm = lows[track->count / 20] - (body->volumes ? 0.015 * body->height_cm : 0);
    return true;
}

/* The longer axis of a cloud on the floor from its sums of xx, xz, zz. */
static void main_axis(double xx, double xz, double zz, double *axis)
{
    double angle = 0.5 * atan2(2 * xz, xx - zz);
    axis[0] = cos(angle);
    axis[1] = sin(angle);
}

double mry_track_way(const mry_track *track, double *way)
{
    double mean[2] = { 0, 0 }, xx = 0, xz = 0, zz = 0;
    for (int i = 0; i < track->count; i++) {
        mean[0] += track->roots[3 * i] / track->count;
        mean[1] += track->roots[3 * i + 2] / track->count;
    }
    for (int i = 0; i < track->count; i++) {
        double x = track->roots[3 * i] - mean[0], z = track->roots[3 * i + 2] - mean[1];
        xx += x * x;
        xz += x * z;
        zz += z * z;
    }
    main_axis(xx, xz, zz, way);
    double low = INFINITY, high = -INFINITY;
    for (int i = 0; i < track->count; i++) {
        double along = track->roots[3 * i] * way[0] + track->roots[3 * i + 2] * way[1];
        low = fmin(low, along);
        high = fmax(high, along);
    }
    const double *last = track->roots + 3 * (size_t)(track->count - 1);
    double net = (last[0] - track->roots[0]) * way[0] + (last[2] - track->roots[2]) * way[1];
    if (net < 0) {
        way[0] = -way[0];
        way[1] = -way[1];
    }
    return high - low;
}

/* How far the camera is turned from in front of the character, so that the line on the floor along
   which its joints move most about its root lies across the picture: between -90 and 90 degrees.
   *left: how much more the left side (> 0) or the right (< 0) moves, from -1 to 1. */
static double turn_of_standing(const mry_track *track, double *left)
{
    double axis[2], xx = 0, xz = 0, zz = 0, all = 1e-9;
    *left = 0;
    for (int i = 1; i < track->count; i++) {
        const double *root = track->roots + 3 * (size_t)i;
        const double *row = track->places + (size_t)i * (size_t)track->key_count * 3;
        for (int k = 0; k < track->key_count; k++) {
            const double *now = row + 3 * k, *before = now - 3 * track->key_count;
            double x = now[0] - before[0] - 0.7 * (root[0] - root[-3]);
            double z = now[2] - before[2] - 0.7 * (root[2] - root[-1]);
            xx += x * x;
            xz += x * z;
            zz += z * z;
            double y = now[1] - before[1], moved = track->sides[k] ? x * x + y * y + z * z : 0;
            all += moved;
            *left += track->sides[k] * moved;
        }
    }
    *left /= all;
    main_axis(xx, xz, zz, axis);
    double across = atan2(axis[0], axis[1]) - M_PI / 2; /* the camera stands square to the axis */
    double turn = remainder(across - atan2(track->facing[0], track->facing[2]), 2 * M_PI);
    if (turn > M_PI / 2) turn -= M_PI;
    if (turn < -M_PI / 2) turn += M_PI;
    return turn;
}

static bool has_facing(const mry_track *track)
{
    return mry_length3(track->facing) > 0.5;
}

int mry_track_side(const mry_track *track, const mry_body *body)
{
    double way[2], left;
    bool travels = mry_track_way(track, way) >= TRAVELS * body->height_cm;
    if (travels || !has_facing(track)) return 0;
    double turn = turn_of_standing(track, &left);
    if (fabs(left) > 0.3) return left < 0 ? -1 : 1; /* the side that does it is near */
    return turn < 0 ? -1 : 1;
}

double mry_track_yaw(const mry_track *track, const mry_body *body, int side)
{
    const double least = 0.3, most = 1.15, unknown = 0.45;
    double way[2], left, facing = atan2(track->facing[0], track->facing[2]);
    if (!(mry_track_way(track, way) >= TRAVELS * body->height_cm)) {
        if (!has_facing(track)) return unknown;
        if (side == 0) side = mry_track_side(track, body);
        return facing + side * mry_clamp(fabs(turn_of_standing(track, &left)), least, most);
    }
    /* The way runs from left to right: right = (cos yaw, -sin yaw) on the floor. */
    double yaw = atan2(-way[1], way[0]);
    double toward = track->facing[0] * sin(yaw) + track->facing[2] * cos(yaw);
    /* rather from right to left than from behind */
    if (has_facing(track) && toward < -0.75) yaw += M_PI;
    return yaw + 0.3; /* a little from ahead, so that both sides are seen */
}

/* How far the samples between a and b, both taken, are from the straight piece between them. */
static void judge_piece(curve *c, int a, int b)
{
    const double *from = c->rows + (size_t)a * (size_t)c->dims;
    const double *to = c->rows + (size_t)b * (size_t)c->dims;
    double whole = c->distance[b] - c->distance[a];
    for (int i = a + 1; i < b; i++) {
        const double *row = c->rows + (size_t)i * (size_t)c->dims;
        double before = c->distance[i] - c->distance[a], after = c->distance[b] - c->distance[i];
        double t = whole > 0 ? before / whole : (double)(i - a) / (b - a), sum = 0;
        for (int k = 0; k < c->dims; k++) {
            double off = row[k] - from[k] - t * (to[k] - from[k]);
            sum += off * off;
        }
        /* The third term decides when nothing moves: even steps of time. */
        double even = 1e-9 * fmin(i - a, b - i);
        c->miss[i] = sqrt(sum) + EVEN * fmin(before, after) + even;
    }
    c->miss[a] = c->miss[b] = -1;
}

int mry_track_rank(const mry_track *track, mry_arena *tmp, int most, int *ranked, bool *ok)
{
    curve c = { .count = track->count, .dims = 3 * track->key_count + 2 };
    size_t count = (size_t)c.count;
    c.rows = MRY_NEW_RAW(tmp, double, count *(size_t)c.dims);
    c.distance = MRY_NEW(tmp, double, count);
    c.miss = MRY_NEW(tmp, double, count);
    *ok = c.rows && c.distance && c.miss;
    if (!*ok || most < 1) return 0;
    /* Joints about the root's place on the floor, then that place. */
    for (int i = 0; i < c.count; i++) {
        const double *root = track->roots + 3 * (size_t)i;
        const double *places = track->places + (size_t)i * (size_t)track->key_count * 3;
        double *row = c.rows + (size_t)i * (size_t)c.dims;
        for (int k = 0; k < track->key_count; k++) {
            row[3 * k] = places[3 * k] - root[0];
            row[3 * k + 1] = places[3 * k + 1];
            row[3 * k + 2] = places[3 * k + 2] - root[2];
        }
        row[c.dims - 2] = WAY * root[0];
        row[c.dims - 1] = WAY * root[2];
    }
    for (size_t i = 1; i < count; i++) {
        const double *row = c.rows + i * (size_t)c.dims, *before = row - c.dims;
        double sum = 0;
        for (int k = 0; k < c.dims; k++) sum += (row[k] - before[k]) * (row[k] - before[k]);
        c.distance[i] = c.distance[i - 1] + sqrt(sum);
    }
    int taken = 0;
    ranked[taken++] = 0;
    if (c.count == 1 || most == 1) return taken;
    ranked[taken++] = c.count - 1;
    judge_piece(&c, 0, c.count - 1);
    while (taken < most && taken < c.count) {
        int best = 1;
        for (int i = 1; i < c.count - 1; i++) {
            if (c.miss[i] > c.miss[best]) best = i;
        }
        if (c.miss[best] < 0) break;
        int a = best - 1, b = best + 1; /* the taken samples next to it on both sides */
        while (a > 0 && c.miss[a] >= 0) a--;
        while (b < c.count - 1 && c.miss[b] >= 0) b++;
        judge_piece(&c, a, best);
        judge_piece(&c, best, b);
        ranked[taken++] = best;
    }
    return taken;
}
