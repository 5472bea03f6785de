/* rig.c - nodes with transforms become joints with rotations. */
#include "io/rig.h"

#include "base/fail.h"

#include <math.h>
#include <string.h>

enum { N = MRY_RIG_NUMBERS, FRAMES_A_REPORT = 1024 };

/* What is less, of the rig's size, is no motion of a bone but rounding; and so is what is nearer to
   the rest pose, so that all takes of a file have the same bones. */
static const double STILL = 2.5e-6, AT_REST = 1e-6;

void mry_rig_local(const double *place, const double *turn, const double *scale, double *out)
{
    double w = turn[0], x = turn[1], y = turn[2], z = turn[3];
    const double rows[9] = { 1 - 2 * (y * y + z * z), 2 * (x * y - w * z),
                             2 * (x * z + w * y),     2 * (x * y + w * z),
                             1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                             2 * (x * z - w * y),     2 * (y * z + w * x),
                             1 - 2 * (x * x + y * y) };
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++) out[4 * r + c] = rows[3 * r + c] * scale[c];
        out[4 * r + 3] = place[r];
    }
}

/* out = a b; out is neither. */
static void multiply(const double *a, const double *b, double *out)
{
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 4; c++) {
            out[4 * r + c] = a[4 * r] * b[c] + a[4 * r + 1] * b[4 + c] + a[4 * r + 2] * b[8 + c];
        }
        out[4 * r + 3] += a[4 * r + 3];
    }
}

/* The rotation of a transform, 9 numbers: its first two columns made square to each other, without
   their scales, and the third square to both. One that mirrors becomes one that does not, and one
   that is flat none: both are so at rest, too, and cancel. */
static void rotation_of(const double *m, double *out)
{
    double column[3][3];
    for (int c = 0; c < 3; c++)
        for (int r = 0; r < 3; r++) column[c][r] = m[4 * r + c];
    bool flat = false;
    for (int c = 0; c < 2; c++) {
        for (int k = 0; k < c; k++) {
            double dot = 0;
            for (int r = 0; r < 3; r++) dot += column[c][r] * column[k][r];
            for (int r = 0; r < 3; r++) column[c][r] -= dot * column[k][r];
        }
        double length = sqrt(column[c][0] * column[c][0] + column[c][1] * column[c][1] +
                             column[c][2] * column[c][2]);
        flat |= !(length > 0);
        for (int r = 0; r < 3; r++) column[c][r] /= length;
    }
    for (int r = 0; r < 3; r++) {
        int s = (r + 1) % 3, t = (r + 2) % 3;
        column[2][r] = column[0][s] * column[1][t] - column[0][t] * column[1][s];
        for (int c = 0; c < 3; c++) out[3 * r + c] = flat ? r == c : column[c][r];
    }
}

/* Of a rotation, the largest of its four numbers first found, so that nothing is divided by little. */
static void to_quaternion(const double *m, float *out)
{
    double q[4], squares[4] = { 1 + m[0] + m[4] + m[8], 1 + m[0] - m[4] - m[8],
                                1 - m[0] + m[4] - m[8], 1 - m[0] - m[4] + m[8] };
    int most = 0;
    for (int i = 1; i < 4; i++)
        if (squares[i] > squares[most]) most = i;
    double s = 0.5 / sqrt(squares[most]);
    const double pairs[3] = { m[7] - m[5], m[2] - m[6], m[3] - m[1] };
    const double sums[3] = { m[5] + m[7], m[2] + m[6], m[1] + m[3] }; /* yz, xz, xy */
    q[most] = squares[most] * s;
    for (int i = 0; i < 4; i++) {
        if (i == most) continue;
        bool scalar = i == 0 || most == 0;
        int axis = i == 0 ? most - 1 : i - 1;
        q[i] = scalar ? pairs[axis] * s : sums[3 - (i - 1) - (most - 1)] * s;
    }
    double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (int i = 0; i < 4; i++) out[i] = (float)(q[i] / length);
}

typedef struct posing {
    const mry_rig *rig;
    double *locals, *worlds; /* count x N */
    double *turns;           /* count x 9: of joints, in the axes of the world at rest */
    double *square;          /* count x 9: the rotation at rest, backwards */
    int *above;              /* count: the joint above a joint, -1 */
} posing;

static void pose(posing *p, const double *locals, bool at_rest)
{
    for (int n = 0; n < p->rig->count; n++) {
        const mry_rig_node *node = &p->rig->nodes[n];
        double *world = p->worlds + N * n;
        if (at_rest && p->rig->has_bind && p->rig->has_bind[n])
            memcpy(world, p->rig->bind + N * n, N * sizeof *world);
        else if (node->parent < 0)
            memcpy(world, locals + N * n, N * sizeof *world);
        else
            multiply(p->worlds + N * node->parent, locals + N * n, world);
        if (!node->is_joint) continue;
        double own[9], *turn = p->turns + 9 * n;
        const double *square = p->square + 9 * n;
        rotation_of(world, own);
        for (int r = 0; r < 3; r++)
            for (int c = 0; c < 3; c++)
                turn[3 * r + c] = own[3 * r] * square[c] + own[3 * r + 1] * square[3 + c] +
                                  own[3 * r + 2] * square[6 + c];
    }
}

/* A joint's rotation and place as seen from the joint above it. */
static void see(const posing *p, int node, double *turn, double *place)
{
    static const double none[9] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 };
    int above = p->above[node];
    const double *base = above < 0 ? none : p->turns + 9 * above, *own = p->turns + 9 * node;
    double way[3];
    for (int r = 0; r < 3; r++)
        way[r] =
            p->worlds[N * node + 4 * r + 3] - (above < 0 ? 0 : p->worlds[N * above + 4 * r + 3]);
    for (int r = 0; r < 3; r++) {
        place[r] = base[r] * way[0] + base[3 + r] * way[1] + base[6 + r] * way[2];
        for (int c = 0; c < 3; c++)
            turn[3 * r + c] =
                base[r] * own[c] + base[3 + r] * own[3 + c] + base[6 + r] * own[6 + c];
    }
}

static bool begin(posing *p, mry_arena *tmp)
{
    size_t count = (size_t)p->rig->count;
    p->locals = MRY_NEW(tmp, double, N *count);
    p->worlds = MRY_NEW(tmp, double, N *count);
    p->turns = MRY_NEW(tmp, double, 9 * count);
    p->square = MRY_NEW(tmp, double, 9 * count);
    p->above = MRY_NEW(tmp, int, count);
    if (!p->locals || !p->worlds || !p->turns || !p->square || !p->above) return false;
    for (int n = 0; n < p->rig->count; n++) {
        int above = p->rig->nodes[n].parent;
        while (above >= 0 && !p->rig->nodes[above].is_joint) above = p->rig->nodes[above].parent;
        p->above[n] = above;
        for (int i = 0; i < 3; i++) p->square[9 * n + 4 * i] = 1;
    }
    pose(p, p->rig->rest, true);
    for (int n = 0; n < p->rig->count; n++) {
        for (int r = 0; r < 3; r++)
            for (int c = 0; c < 3; c++) p->square[9 * n + 3 * r + c] = p->turns[9 * n + 3 * c + r];
    }
    pose(p, p->rig->rest, true);
    return true;
}

/* The skeleton: joints that are always at one place below the joint above them have that for their
   offset, others move. `joint_of`: node numbers to joints. */
static bool fill_joints(marey_clip *clip, const mry_rig *rig, const int *joint_of,
                        const double *first, const bool *moves)
{
    int channels = 0;
    for (int n = 0; n < rig->count; n++) {
        int j = joint_of[n], above = rig->nodes[n].parent;
        if (j < 0) continue;
        marey_joint *joint = &clip->joints[j];
        while (above >= 0 && joint_of[above] < 0) above = rig->nodes[above].parent;
        joint->parent = j ? joint_of[above] : -1;
        joint->name = mry_arena_text(&clip->mem, rig->nodes[n].name, strlen(rig->nodes[n].name));
        if (!joint->name) return false;
        memcpy(joint->offset_cm, first + 3 * j, sizeof joint->offset_cm);
        memcpy(clip->source.offsets + 3 * j, joint->offset_cm, sizeof joint->offset_cm);
        joint->first_channel = channels;
        static const marey_channel kinds[] = { MAREY_CHANNEL_X_POSITION, MAREY_CHANNEL_Y_POSITION,
                                               MAREY_CHANNEL_Z_POSITION, MAREY_CHANNEL_Z_ROTATION,
                                               MAREY_CHANNEL_Y_ROTATION, MAREY_CHANNEL_X_ROTATION };
        for (int i = j == 0 || moves[j] ? 0 : 3; i < 6; i++)
            joint->channels[joint->channel_count++] = kinds[i];
        channels += joint->channel_count;
    }
    clip->skeleton.channel_count = channels;
    return mry_clip_find_movers(clip);
}

marey_status mry_rig_clip(marey_ctx *ctx, const char *name, const mry_rig *rig, const char *path,
                          marey_clip **out, marey_error *error)
{
    mry_arena tmp = mry_arena_make(ctx);
    posing p = { .rig = rig };
    int joints = 0;
    int *joint_of = MRY_NEW(&tmp, int, rig->count);
    for (int n = 0; joint_of && n < rig->count; n++)
        joint_of[n] = rig->nodes[n].is_joint ? joints++ : -1;
    double *first = MRY_NEW(&tmp, double, 3 * (size_t)joints), turn[9], place[3], size = 0;
    double *lows = MRY_NEW(&tmp, double, 3 * (size_t)joints);
    double *highs = MRY_NEW(&tmp, double, 3 * (size_t)joints);
    bool *moves = MRY_NEW(&tmp, bool, joints);
    bool fits = joint_of && first && lows && highs && moves && begin(&p, &tmp), goes_on = true;
    marey_clip *clip = fits ? mry_clip_make(ctx, name, joints) : NULL;
    for (int n = 0; fits && n < rig->count; n++)
        if (joint_of[n] >= 0) see(&p, n, turn, first + 3 * joint_of[n]);
    /* Which joints move, then their tracks. */
    for (int round = 0; clip && fits && goes_on && round < 2; round++) {
        if (round)
            fits = fill_joints(clip, rig, joint_of, first, moves) &&
                   mry_clip_take_tracks(clip, rig->frames);
        for (int f = 0; fits && goes_on && f < rig->frames; f++) {
            if (f % FRAMES_A_REPORT == 0)
                goes_on = mry_progress(ctx, "reading", round * rig->frames + f, 2 * rig->frames);
            rig->pose(rig->user, f, p.locals);
            pose(&p, p.locals, false);
            for (int n = 0; n < rig->count; n++) {
                int j = joint_of[n];
                if (j < 0) continue;
                see(&p, n, turn, place);
                if (round) {
                    to_quaternion(turn, mry_turn(clip, f) + 4 * j);
                    if (clip->slot[j] >= 0)
                        memcpy(mry_place(clip, f) + 3 * clip->slot[j], place, sizeof place);
                } else {
                    for (int i = 0; i < 3; i++) {
                        double *low = &lows[3 * j + i], *high = &highs[3 * j + i];
                        *low = f ? fmin(*low, place[i]) : place[i];
                        *high = f ? fmax(*high, place[i]) : place[i];
                        if (j) size = fmax(size, fabs(place[i]));
                    }
                }
            }
        }
        /* What hardly moves is where it rests, or in the middle. */
        for (int i = 0; i < 3 * joints && !round; i++) {
            double middle = lows[i] + (highs[i] - lows[i]) / 2;
            if (highs[i] - lows[i] > STILL * size) moves[i / 3] = true;
            if (!(fabs(first[i] - middle) <= AT_REST * size)) first[i] = middle;
        }
    }
    if (clip) clip->frames = rig->frames;
    if (clip) clip->fps = rig->fps;
    mry_arena_free(&tmp);
    if (clip && fits && goes_on) {
        *out = clip;
        return MAREY_OK;
    }
    marey_clip_free(clip);
    return goes_on ? mry_fail_memory(error, path) : mry_fail_cancelled(error);
}
