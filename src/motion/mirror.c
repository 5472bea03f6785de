/* mirror.c - left and right exchanged. A joint's global rotation G becomes M G' R, with M the
   reflection in the plane x = 0, G' the global rotation of the joint of the other side (its own for
   the spine), and R a reflection in the joint's own axes that carries this joint's bones to the
   other one's. Skeletons whose local axes follow the world's have R = M; those whose axes follow
   the bones need another R per joint. R is one of the four reflections along the axes: the one that
   fits the bones, and among those that fit equally (bones say nothing about a twist) the one that
   leads to rotations as this joint has them in the clip itself. */
#include "base/fail.h"
#include "math/quat.h"
#include "motion/clip_data.h"

#include <ctype.h>
#include <math.h>
#include <string.h>
#include <strings.h>

enum { FLIPS = 4, SAMPLES = 32 };

/* Signs of the axes of each candidate; each has an odd number of minus signs. */
static const float flips[FLIPS][3] = { { -1, 1, 1 }, { 1, -1, 1 }, { 1, 1, -1 }, { -1, -1, -1 } };

typedef struct mirror {
    const marey_clip *clip;
    int *other;                      /* the joint of the other side, or the joint itself */
    int *flip;                       /* which row of flips */
    int *first_child, *next_sibling; /* -1: none */
} mirror;

/* ---- which joint is on the other side -------------------------------------------------------- */

static void pair(mirror *m, int a, int b)
{
    m->other[a] = b;
    m->other[b] = a;
}

/* Do two names differ only in left and right? "LeftHand" and "RightHand", "lThumb1" and "rThumb1",
   "Hand_L" and "Hand_R". */
static bool names_match(const char *a, const char *b)
{
    int exchanged = 0;
    while (*a && *b) {
        if (strncasecmp(a, "left", 4) == 0 && strncasecmp(b, "right", 5) == 0) {
            a += 4;
            b += 5;
            exchanged++;
        } else if (tolower((unsigned char)*a) == 'l' && tolower((unsigned char)*b) == 'r') {
            a++;
            b++;
            exchanged++;
        } else if (*a++ != *b++) {
            return false;
        }
    }
    return !*a && !*b && exchanged == 1;
}

/* Links and pairs. *sided: any pair was found. false: out of memory. */
static bool find_pairs(mirror *m, mry_arena *tmp, bool *sided)
{
    const marey_joint *joints = m->clip->joints;
    const int *roles = m->clip->skeleton.roles;
    int count = m->clip->skeleton.joint_count;
    m->other = MRY_NEW(tmp, int, count);
    m->flip = MRY_NEW(tmp, int, count);
    m->first_child = MRY_NEW(tmp, int, count);
    m->next_sibling = MRY_NEW(tmp, int, count);
    if (!m->other || !m->flip || !m->first_child || !m->next_sibling) return false;
    for (int j = 0; j < count; j++) {
        m->other[j] = j;
        m->first_child[j] = m->next_sibling[j] = -1;
    }
    for (int j = count - 1; j > 0; j--) {
        m->next_sibling[j] = m->first_child[joints[j].parent];
        m->first_child[joints[j].parent] = j;
    }
    *sided = false;
    for (int r = MAREY_ROLE_LEFT_COLLAR; r <= MAREY_ROLE_LEFT_TOE; r++) {
        int right = r + MAREY_ROLE_RIGHT_COLLAR - MAREY_ROLE_LEFT_COLLAR;
        if (roles[r] < 0 || roles[right] < 0) continue;
        pair(m, roles[r], roles[right]);
        *sided = true;
    }
    if (!*sided) return true;
    /* Joints between a matched pair and the spine that have neither role nor name (CMU's
       LHipJoint): pair the parents of matched joints too, as long as they are distinct and both
       unmatched. */
    for (int j = count - 1; j > 0; j--) {
        int k = m->other[j];
        if (k == j) continue;
        int a = joints[j].parent, b = joints[k].parent;
        if (a >= 0 && b >= 0 && a != b && m->other[a] == a && m->other[b] == b) pair(m, a, b);
    }
    /* Joints without a role (fingers, twist bones): the other side's child with the matching name
       under an already matched pair. Parents come first, so one pass finds whole chains. */
    for (int j = 1; j < count; j++) {
        if (m->other[j] != j) continue;
        int k = m->first_child[m->other[joints[j].parent]];
        while (k >= 0 && (m->other[k] != k || k == j ||
                          (!names_match(joints[j].name, joints[k].name) &&
                           !names_match(joints[k].name, joints[j].name))))
            k = m->next_sibling[k];
        if (k >= 0) pair(m, j, k);
    }
    return true;
}

/* ---- which reflection in the joint's own axes ------------------------------------------------ */

static void bone(const marey_clip *clip, int j, double *out)
{
    memcpy(out,
           clip->slot[j] > 0 ? mry_place(clip, 0) + 3 * clip->slot[j] : clip->joints[j].offset_cm,
           3 * sizeof *out);
}

/* How far the flipped bone of joint j's child c is from the other side's bone, added to score[]. */
static void score_bone(const mirror *m, int c, double *score)
{
    double here[3], there[3];
    bone(m->clip, c, here);
    bone(m->clip, m->other[c], there);
    for (int f = 0; f < FLIPS; f++) {
        double flipped[3];
        for (int i = 0; i < 3; i++) flipped[i] = (double)flips[f][i] * here[i];
        score[f] += mry_distance3(flipped, there);
    }
}

/* A bone without length says nothing, but those at its end do, as far as it does not turn: the hips
   of CMU's skeletons have no others, and by habit alone a clip that faces one way would turn them
   round. Returns the length of what was scored. */
static double score_child(const mirror *m, int c, double *score)
{
    double offset[3], length;
    bone(m->clip, c, offset);
    length = mry_length3(offset);
    if (length > 0) {
        score_bone(m, c, score);
        return length;
    }
    for (int d = m->first_child[c]; d >= 0; d = m->next_sibling[d]) {
        bone(m->clip, d, offset);
        score_bone(m, d, score);
        length += mry_length3(offset);
    }
    return length;
}

/* G = M G' R as a quaternion: both are reflections, so each counts as minus a half turn. */
static void reflect(const float *global, const float *flip, float *out)
{
    /* diag(flip) with determinant -1 is minus the half turn about the axis of the single minus
       sign, or minus the identity. Minus signs of M and R cancel. */
    static const float world[4] = { 0, 1, 0, 0 };
    float own[4] = { 0, 0, 0, 0 }, turned[4];
    if (flip[0] < 0 && flip[1] < 0) {
        own[0] = 1;
    } else {
        for (int i = 0; i < 3; i++) own[1 + i] = flip[i] < 0 ? 1.0f : 0.0f;
    }
    mry_quat_multiply(world, global, turned);
    mry_quat_multiply(turned, own, out);
}

static void global_rotations(const marey_clip *clip, int frame, float *world)
{
    const float *turn = mry_turn(clip, frame);
    memcpy(world, turn, 4 * sizeof *world);
    for (int j = 1; j < clip->skeleton.joint_count; j++) {
        mry_quat_multiply(world + 4 * clip->joints[j].parent, turn + 4 * j, world + 4 * j);
    }
}

static void mirrored_local(const mirror *m, const float *world, int j, const float *flip,
                           float *out)
{
    int parent = m->clip->joints[j].parent;
    float here[4], above[4];
    reflect(world + 4 * m->other[j], flip, here);
    if (parent < 0) {
        memcpy(out, here, sizeof here);
        return;
    }
    reflect(world + 4 * m->other[parent], flips[m->flip[parent]], above);
    mry_quat_between(above, here, out);
    mry_quat_normalize(out); /* products along a chain drift off unit length */
}

/* Mean angle between what joint j would get under each flip and what it has in the clip, in
   radians. The frames are not matched in time; a few of each are compared, since a joint keeps to
   its range. */
static void score_habit(const mirror *m, const float *sampled, int samples, int j, double *score)
{
    int joints = m->clip->skeleton.joint_count;
    for (int f = 0; f < FLIPS; f++) {
        for (int s = 0; s < samples; s++) {
            float made[4];
            const float *world = sampled + (size_t)s * (size_t)joints * 4;
            mirrored_local(m, world, j, flips[f], made);
            double least = INFINITY;
            for (int o = 0; o < samples; o++) {
                int frame = (int)((int64_t)o * m->clip->frames / samples);
                least = fmin(least, (double)mry_quat_angle(made, mry_turn(m->clip, frame) + 4 * j));
            }
            score[f] += least / samples;
        }
    }
}

static void choose_flips(mirror *m, const float *sampled, int samples)
{
    for (int j = 0; j < m->clip->skeleton.joint_count; j++) {
        int k = m->other[j];
        if (k < j) {
            m->flip[j] = m->flip[k]; /* a pair shares one, so that mirroring twice is nothing */
            continue;
        }
        double bones[FLIPS] = { 0 }, habit[FLIPS] = { 0 }, length = 0, least = INFINITY;
        for (int c = m->first_child[j]; c >= 0; c = m->next_sibling[c])
            length += score_child(m, c, bones);
        score_habit(m, sampled, samples, j, habit);
        if (k != j) score_habit(m, sampled, samples, k, habit);
        for (int f = 0; f < FLIPS; f++) {
            double score = habit[f] + (length > 0 ? 100.0 * fmax(0, bones[f] / length - 0.25) : 0);
            if (!(score < least - 1e-4)) continue;
            least = score;
            m->flip[j] = f;
        }
    }
}

marey_status marey_clip_mirror(const marey_clip *clip, marey_clip **out, marey_error *error)
{
    mry_arena tmp = mry_arena_make(clip->mem.ctx);
    mirror m = { .clip = clip };
    bool sided = true;
    int joints = clip->skeleton.joint_count;
    int samples = 1 + 4096 / joints; /* large skeletons are not worth many */
    if (samples > SAMPLES) samples = SAMPLES;
    if (samples > clip->frames) samples = clip->frames;
    float *sampled = MRY_NEW_RAW(&tmp, float, (size_t)samples *(size_t)joints * 4);
    float *world = MRY_NEW_RAW(&tmp, float, 4 * (size_t)joints);
    bool fits = world && sampled && find_pairs(&m, &tmp, &sided);
    marey_clip *made = fits && sided ? mry_clip_make_like(clip, clip->frames, clip->fps) : NULL;
    if (made && !mry_clip_copy_marks(made, clip)) {
        marey_clip_free(made);
        made = NULL;
    }
    for (int s = 0; made && s < samples; s++) {
        int frame = (int)((int64_t)s * clip->frames / samples);
        global_rotations(clip, frame, sampled + (size_t)s * (size_t)joints * 4);
    }
    if (made) choose_flips(&m, sampled, samples);
    for (int f = 0; made && f < made->frames; f++) {
        double *place = mry_place(made, f);
        global_rotations(clip, f, world);
        for (int j = 0; j < joints; j++)
            mirrored_local(&m, world, j, flips[m.flip[j]], mry_turn(made, f) + 4 * j);
        /* Translations are in the parent's axes, so the parent's reflection carries them over. */
        for (int s = 0; s < clip->mover_count; s++) {
            int j = clip->mover[s], k = clip->slot[m.other[j]], parent = clip->joints[j].parent;
            const float *flip = parent < 0 ? flips[0] : flips[m.flip[parent]];
            const double *from =
                k < 0 ? clip->joints[m.other[j]].offset_cm : mry_place(clip, f) + 3 * k;
            for (int i = 0; i < 3; i++) place[3 * s + i] = (double)flip[i] * from[i];
        }
    }
    mry_arena_free(&tmp);
    if (made) {
        made->source.frame_time = clip->source.frame_time;
        *out = made;
        return MAREY_OK;
    }
    if (fits && !sided) {
        return mry_fail(error, MAREY_ERR_REQUEST, clip->name,
                        "no left and right was recognised in this skeleton");
    }
    return mry_fail_memory(error, clip->name);
}
