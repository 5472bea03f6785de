/* body.c - which joints carry which volumes, found once per clip; and one pose as round cones.
   Radii are shares of the standing height, after the proportions of an adult; they are a little
   slimmer than life, so that limbs stay apart in a small picture. */
#include "picture/body.h"

#include "picture/vec3.h"

#include <string.h>

/* Share of the standing height that hip to ankle takes in an adult. */
static const double LEG_SHARE = 0.485;

static const marey_role needed[] = {
    MAREY_ROLE_HIPS,        MAREY_ROLE_LEFT_SHOULDER, MAREY_ROLE_RIGHT_SHOULDER,
    MAREY_ROLE_LEFT_ELBOW,  MAREY_ROLE_RIGHT_ELBOW,   MAREY_ROLE_LEFT_WRIST,
    MAREY_ROLE_RIGHT_WRIST, MAREY_ROLE_LEFT_HIP,      MAREY_ROLE_RIGHT_HIP,
    MAREY_ROLE_LEFT_KNEE,   MAREY_ROLE_RIGHT_KNEE,    MAREY_ROLE_LEFT_ANKLE,
    MAREY_ROLE_RIGHT_ANKLE,
};

/* One pose while its parts are put together. */
typedef struct maker {
    const mry_body *body;
    const double *positions;
    const float *turns; /* global */
    double unit;        /* the body's height */
    mry_part *parts;
    int count;
} maker;

static const double *place(const mry_body *body, const double *positions, marey_role role)
{
    return positions + 3 * (size_t)body->skeleton->roles[role];
}

static double size_cm(const marey_skeleton *skeleton, const double *positions)
{
    double size = 0;
    for (int k = 0; k < 3; k++) {
        double low = positions[k], high = positions[k];
        for (int j = 1; j < skeleton->joint_count; j++) {
            low = fmin(low, positions[3 * (size_t)j + k]);
            high = fmax(high, positions[3 * (size_t)j + k]);
        }
        size = fmax(size, high - low);
    }
    for (int j = 0; j < skeleton->joint_count; j++) {
        if (skeleton->joints[j].has_end) size = fmax(size, mry_length3(skeleton->joints[j].end_cm));
    }
    return size;
}

static mry_group group_of_role(int role)
{
    if (role == MAREY_ROLE_NECK || role == MAREY_ROLE_HEAD) return MRY_GROUP_HEAD;
    if (role < MAREY_ROLE_LEFT_COLLAR) return MRY_GROUP_TRUNK;
    bool right = role >= MAREY_ROLE_RIGHT_COLLAR;
    int within = role - (right ? MAREY_ROLE_RIGHT_COLLAR : MAREY_ROLE_LEFT_COLLAR);
    bool arm = within <= MAREY_ROLE_LEFT_WRIST - MAREY_ROLE_LEFT_COLLAR;
    return arm ? (right ? MRY_GROUP_RIGHT_ARM : MRY_GROUP_LEFT_ARM)
               : (right ? MRY_GROUP_RIGHT_LEG : MRY_GROUP_LEFT_LEG);
}

/* The joint below `wrist` that is farthest along its bones: the tip of the longest finger. */
static int find_hand(const marey_skeleton *skeleton, int wrist, double *reach)
{
    int best = skeleton->joints[wrist].has_end ? wrist : -1;
    double most = 0;
    memset(reach, 0, (size_t)skeleton->joint_count * sizeof *reach);
    for (int j = wrist + 1; j < skeleton->joint_count; j++) {
        int parent = skeleton->joints[j].parent;
        if (parent != wrist && !(parent > wrist && reach[parent] > 0)) continue;
        reach[j] = reach[parent] + mry_length3(skeleton->joints[j].offset_cm) + 1e-6;
        if (reach[j] > most) {
            most = reach[j];
            best = j;
        }
    }
    return best;
}

void mry_body_chain(const mry_body *body, const float *turns)
{
    for (int j = 0; j < body->skeleton->joint_count; j++) {
        int parent = body->skeleton->joints[j].parent;
        float *own = body->turns + 4 * (size_t)j;
        if (parent < 0) {
            memcpy(own, turns, 4 * sizeof *own);
        } else {
            mry_quat_multiply(body->turns + 4 * (size_t)parent, turns + 4 * (size_t)j, own);
        }
    }
}

void mry_body_facing(const mry_body *body, const double *positions, double *out)
{
    static const double ahead[3] = { 0, 0, 1 };
    double across[3], hips[3], shoulders[3], up[3], both[3];
    const double *left = place(body, positions, MAREY_ROLE_LEFT_SHOULDER);
    const double *right = place(body, positions, MAREY_ROLE_RIGHT_SHOULDER);
    const double *left_hip = place(body, positions, MAREY_ROLE_LEFT_HIP);
    const double *right_hip = place(body, positions, MAREY_ROLE_RIGHT_HIP);
    mry_add3(left, -1, right, across);
    mry_add3(left_hip, -1, right_hip, both);
    mry_add3(across, 1, both, across);
    mry_mix3(left, right, 0.5, shoulders);
    mry_mix3(left_hip, right_hip, 0.5, hips);
    mry_add3(shoulders, -1, hips, up);
    mry_cross3(across, up, out);
    mry_unit3(out, ahead);
}

bool mry_body_find(mry_body *body, mry_arena *mem, const marey_clip *clip, int like)
{
    enum { PERSON_PARTS = 32, NONE = 255 };
    static const double origin[3] = { 0, 0, 0 };
    const marey_skeleton *skeleton = marey_clip_skeleton(clip);
    size_t count = (size_t)skeleton->joint_count;
    int head = skeleton->roles[MAREY_ROLE_HEAD];
    bool person = head >= 0 || skeleton->roles[MAREY_ROLE_NECK] >= 0;
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        person &= skeleton->roles[needed[i]] >= 0;
    double *positions = MRY_NEW_RAW(mem, double, 3 * count),
           *rest = MRY_NEW(mem, double, 3 * count);
    *body = (mry_body){ .skeleton = skeleton,
                        .volumes = person,
                        .hands = { -1, -1 },
                        .groups = MRY_NEW_RAW(mem, uint8_t, count),
                        .turns = MRY_NEW_RAW(mem, float, 4 * count) };
    if (!positions || !rest || !body->groups || !body->turns) return false;
    marey_clip_positions(clip, like, 1, positions);
    /* A joint without a role belongs to what its parent belongs to. */
    memset(body->groups, NONE, count);
    for (int role = 0; role < MAREY_ROLE_COUNT; role++) {
        if (skeleton->roles[role] >= 0)
            body->groups[skeleton->roles[role]] = (uint8_t)group_of_role(role);
    }
    for (int j = 0; j < skeleton->joint_count; j++) {
        if (body->groups[j] != NONE) continue;
        int parent = skeleton->joints[j].parent;
        body->groups[j] = parent < 0 ? (uint8_t)MRY_GROUP_TRUNK : body->groups[parent];
    }
    /* From hip to knee to ankle, the mean of both legs. */
    double leg_cm = 0;
    for (int i = 0; i < 4 && person; i++) {
        int upper = (i < 2 ? MAREY_ROLE_LEFT_HIP : MAREY_ROLE_RIGHT_HIP) + i % 2;
        leg_cm += mry_distance3(place(body, positions, (marey_role)upper),
                                place(body, positions, (marey_role)(upper + 1))) /
                  2;
    }
    body->height_cm = leg_cm / LEG_SHARE;
    if (!(body->height_cm > 1e-3)) body->volumes = false;
    if (!body->volumes) body->height_cm = size_cm(skeleton, positions);
    if (!(body->height_cm > 1e-3)) body->height_cm = 10; /* one point: any size is right */
    body->most_parts = body->volumes ? PERSON_PARTS : 2 * skeleton->joint_count;
    if (!body->volumes) return true;
    body->hands[0] = find_hand(skeleton, skeleton->roles[MAREY_ROLE_LEFT_WRIST], rest);
    body->hands[1] = find_hand(skeleton, skeleton->roles[MAREY_ROLE_RIGHT_WRIST], rest);
    for (size_t j = 0; j < count; j++) {
        int parent = skeleton->joints[j].parent;
        mry_add3(parent < 0 ? origin : rest + 3 * (size_t)parent, 1, skeleton->joints[j].offset_cm,
                 rest + 3 * j);
    }
    /* The head's "ahead" is where the chest faces in the rest pose, if that agrees with the pose
       well enough; skeletons with twisted rest poses do not agree. */
    double seen[3], facing[3];
    body->face_by_chest = true;
    if (head < 0) return true;
    mry_body_facing(body, rest, body->face);
    mry_body_chain(body, marey_clip_rotations(clip, like));
    mry_quat_rotate_double(body->turns + 4 * (size_t)head, body->face, seen);
    mry_body_facing(body, positions, facing);
    body->face_by_chest = mry_dot3(seen, facing) < 0.7;
    return true;
}

bool mry_body_copy(const mry_body *body, mry_arena *mem, mry_body *out)
{
    *out = *body;
    out->turns = MRY_NEW_RAW(mem, float, 4 * (size_t)body->skeleton->joint_count);
    return out->turns != NULL;
}

static void add(maker *m, mry_group group, const double *a, double radius_a, const double *b,
                double radius_b)
{
    mry_part *part = &m->parts[m->count++];
    memcpy(part->a, a, sizeof part->a);
    memcpy(part->b, b, sizeof part->b);
    part->radius_a = radius_a * m->unit;
    part->radius_b = radius_b * m->unit;
    part->group = group;
    part->nose = false;
}

static const double *joint(const maker *m, int number)
{
    return m->positions + 3 * (size_t)number;
}

static const double *role(const maker *m, int number)
{
    int at = m->body->skeleton->roles[number];
    return at < 0 ? NULL : joint(m, at);
}

/* The joint's End Site. */
static void end_of(const maker *m, int number, double *out)
{
    double reach[3];
    mry_quat_rotate_double(m->turns + 4 * (size_t)number, m->body->skeleton->joints[number].end_cm,
                           reach);
    mry_add3(joint(m, number), 1, reach, out);
}

static void add_trunk(maker *m, double *neck_base)
{
    const double *left_hip = role(m, MAREY_ROLE_LEFT_HIP);
    const double *right_hip = role(m, MAREY_ROLE_RIGHT_HIP);
    const double *left = role(m, MAREY_ROLE_LEFT_SHOULDER);
    const double *right = role(m, MAREY_ROLE_RIGHT_SHOULDER);
    const double *spine = role(m, MAREY_ROLE_SPINE), *chest = role(m, MAREY_ROLE_CHEST);
    double hips[3], top[3], waist[3], bend[3], low[3], side[3];
    mry_mix3(left_hip, right_hip, 0.5, hips);
    mry_mix3(left, right, 0.5, top);
    mry_mix3(hips, top, 0.45, waist);
    if (spine && chest) { /* so that a bent back is seen */
        mry_mix3(spine, chest, 0.5, bend);
        mry_mix3(waist, bend, 0.5, waist);
    }
    mry_mix3(top, waist, 0.25, low);
    add(m, MRY_GROUP_TRUNK, left_hip, 0.054, right_hip, 0.054);
    add(m, MRY_GROUP_TRUNK, hips, 0.066, waist, 0.06);
    add(m, MRY_GROUP_TRUNK, waist, 0.06, low, 0.066);
    for (int i = 0; i < 2; i++) {
        double flank[3];
        mry_mix3(top, i ? right : left, 0.25, flank);
        mry_add3(waist, 1, flank, flank);
        mry_add3(flank, -1, top, flank);
        mry_mix3(top, i ? right : left, 0.6, side);
        mry_mix3(side, waist, 0.12, side);
        add(m, MRY_GROUP_TRUNK, flank, 0.05, side, 0.046);
        add(m, MRY_GROUP_TRUNK, flank, 0.05, i ? right_hip : left_hip, 0.054);
    }
    double from[3], to[3];
    mry_mix3(top, left, 0.9, from);
    mry_mix3(top, right, 0.9, to);
    add(m, MRY_GROUP_TRUNK, from, 0.034, to, 0.034);
    memcpy(neck_base, top, 3 * sizeof *neck_base);
}

static void add_head(maker *m, const double *neck_base)
{
    static const double up[3] = { 0, 1, 0 };
    const marey_skeleton *skeleton = m->body->skeleton;
    int number = skeleton->roles[MAREY_ROLE_HEAD];
    const double *neck = role(m, MAREY_ROLE_NECK);
    double base[3], along[3], low[3], high[3], ahead[3], nose[3];
    memcpy(base, joint(m, number >= 0 ? number : skeleton->roles[MAREY_ROLE_NECK]), sizeof base);
    mry_add3(base, -1, number >= 0 && neck ? neck : neck_base, along);
    if (number >= 0 && skeleton->joints[number].has_end &&
        mry_length3(skeleton->joints[number].end_cm) > 0.02 * m->unit) {
        end_of(m, number, along);
        mry_add3(along, -1, base, along);
    }
    mry_unit3(along, up);
    if (number < 0) mry_add3(base, 0.04 * m->unit, along, base);
    mry_add3(base, 0.028 * m->unit, along, low);
    mry_add3(base, 0.078 * m->unit, along, high);
    add(m, MRY_GROUP_HEAD, neck_base, 0.032, base, 0.028);
    add(m, MRY_GROUP_HEAD, low, 0.046, high, 0.056);
    if (m->body->face_by_chest) {
        mry_body_facing(m->body, m->positions, ahead);
    } else {
        mry_quat_rotate_double(m->turns + 4 * (size_t)number, m->body->face, ahead);
    }
    mry_add3(ahead, -mry_dot3(ahead, along), along, ahead); /* a nose stands square on its head */
    mry_unit3(ahead, NULL);
    mry_mix3(low, high, 0.55, nose);
    mry_add3(nose, 0.048 * m->unit, ahead, low);
    mry_add3(nose, 0.062 * m->unit, ahead, nose);
    mry_add3(nose, -0.012 * m->unit, along, nose);
    add(m, MRY_GROUP_HEAD, low, 0.014, nose, 0.01);
    m->parts[m->count - 1].nose = true;
}

static void add_arm(maker *m, int shoulder, mry_group group)
{
    const double *upper = role(m, shoulder), *elbow = role(m, shoulder + 1);
    const double *wrist = role(m, shoulder + 2);
    int hand = m->body->hands[group == MRY_GROUP_RIGHT_ARM];
    double along[3], tip[3];
    mry_add3(wrist, -1, elbow, along);
    if (hand >= 0) {
        if (m->body->skeleton->joints[hand].has_end) {
            end_of(m, hand, tip);
        } else {
            memcpy(tip, joint(m, hand), sizeof tip);
        }
        if (mry_distance3(tip, wrist) > 0.01 * m->unit) mry_add3(tip, -1, wrist, along);
    }
    mry_unit3(along, NULL);
    mry_add3(wrist, 0.065 * m->unit, along, tip);
    add(m, group, upper, 0.032, elbow, 0.024);
    add(m, group, elbow, 0.025, wrist, 0.017);
    add(m, group, wrist, 0.019, tip, 0.017);
}

static void add_leg(maker *m, int hip, mry_group group)
{
    const double *top = role(m, hip), *knee = role(m, hip + 1), *ankle = role(m, hip + 2);
    const double *toe = role(m, hip + 3);
    double ahead[3], ball[3], heel[3], tip[3];
    if (toe && mry_distance3(toe, ankle) > 0.01 * m->unit) {
        memcpy(ball, toe, sizeof ball);
    } else {
        double facing[3];
        mry_body_facing(m->body, m->positions, facing);
        mry_add3(ankle, 0.1 * m->unit, facing, ball);
        ball[1] -= 0.03 * m->unit;
    }
    mry_add3(ball, -1, ankle, ahead);
    mry_unit3(ahead, NULL);
    /* The heel lies behind and below the ankle: along what of the shin's direction is square to the
       foot. It comes up to the ankle by itself when the foot is stretched. */
    double down[3];
    mry_add3(ankle, -1, knee, down);
    mry_unit3(down, NULL);
    mry_add3(down, -mry_dot3(down, ahead), ahead, down);
    mry_add3(ankle, 0.03 * m->unit, down, heel);
    mry_add3(heel, -0.022 * m->unit, ahead, heel);
    mry_add3(ball, 0.035 * m->unit, ahead, tip);
    if (toe && m->body->skeleton->joints[m->body->skeleton->roles[hip + 3]].has_end) {
        double end[3];
        end_of(m, m->body->skeleton->roles[hip + 3], end);
        if (mry_distance3(end, ball) < 0.1 * m->unit) memcpy(tip, end, sizeof tip);
    }
    add(m, group, top, 0.052, knee, 0.035);
    add(m, group, knee, 0.036, ankle, 0.021);
    add(m, group, ankle, 0.021, heel, 0.018);
    add(m, group, ankle, 0.021, ball, 0.017);
    add(m, group, heel, 0.018, ball, 0.017);
    add(m, group, ball, 0.017, tip, 0.013);
}

int mry_body_parts(const mry_body *body, const double *positions, const float *turns,
                   mry_part *parts)
{
    mry_body_chain(body, turns);
    maker m = { .body = body,
                .positions = positions,
                .turns = body->turns,
                .unit = body->height_cm,
                .parts = parts };
    if (body->volumes) {
        double neck_base[3];
        add_trunk(&m, neck_base);
        add_head(&m, neck_base);
        add_arm(&m, MAREY_ROLE_LEFT_SHOULDER, MRY_GROUP_LEFT_ARM);
        add_arm(&m, MAREY_ROLE_RIGHT_SHOULDER, MRY_GROUP_RIGHT_ARM);
        add_leg(&m, MAREY_ROLE_LEFT_HIP, MRY_GROUP_LEFT_LEG);
        add_leg(&m, MAREY_ROLE_RIGHT_HIP, MRY_GROUP_RIGHT_LEG);
    } else {
        const marey_skeleton *skeleton = body->skeleton;
        const double thick = 0.017, thin = 0.011;
        for (int j = 0; j < skeleton->joint_count; j++) {
            mry_group group = (mry_group)body->groups[j];
            int parent = skeleton->joints[j].parent;
            if (parent >= 0) {
                add(&m, group, joint(&m, parent), thick, joint(&m, j), thin);
            } else if (skeleton->joint_count == 1 || m.unit <= 0) {
                add(&m, group, joint(&m, j), 0.1, joint(&m, j), 0.1);
            }
            if (skeleton->joints[j].has_end) {
                double end[3];
                end_of(&m, j, end);
                add(&m, group, joint(&m, j), thick, end, thin);
            }
        }
    }
    return m.count;
}
