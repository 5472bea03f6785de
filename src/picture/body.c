/* body.c - which joints carry which volumes, found once per clip. */
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

static bool is_person(const marey_skeleton *skeleton)
{
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++) {
        if (skeleton->roles[needed[i]] < 0) return false;
    }
    return skeleton->roles[MAREY_ROLE_HEAD] >= 0 || skeleton->roles[MAREY_ROLE_NECK] >= 0;
}

static const double *place(const mry_body *body, const double *positions, marey_role role)
{
    return positions + 3 * (size_t)body->skeleton->roles[role];
}

static double leg_cm(const mry_body *body, const double *positions)
{
    double sum = 0;
    for (int side = 0; side < 2; side++) {
        int hip = side ? MAREY_ROLE_RIGHT_HIP : MAREY_ROLE_LEFT_HIP;
        for (int i = 0; i < 2; i++) {
            sum += mry_distance3(place(body, positions, (marey_role)(hip + i)),
                                 place(body, positions, (marey_role)(hip + i + 1)));
        }
    }
    return sum / 2;
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

/* A joint without a role belongs to what its parent belongs to. */
static void find_groups(mry_body *body)
{
    const marey_skeleton *skeleton = body->skeleton;
    enum { NONE = 255 };
    memset(body->groups, NONE, (size_t)skeleton->joint_count);
    for (int role = 0; role < MAREY_ROLE_COUNT; role++) {
        if (skeleton->roles[role] >= 0) {
            body->groups[skeleton->roles[role]] = (uint8_t)group_of_role(role);
        }
    }
    for (int j = 0; j < skeleton->joint_count; j++) {
        if (body->groups[j] != NONE) continue;
        int parent = skeleton->joints[j].parent;
        body->groups[j] = parent < 0 ? (uint8_t)MRY_GROUP_TRUNK : body->groups[parent];
    }
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

/* The head's "ahead" is where the chest faces in the rest pose, if that agrees with the pose `positions` well
   enough; skeletons with twisted rest poses do not agree. */
static void find_face(mry_body *body, const double *rest, const double *positions,
                      const float *turns)
{
    double seen[3], facing[3];
    int head = body->skeleton->roles[MAREY_ROLE_HEAD];
    body->face_by_chest = true;
    if (head < 0) return;
    mry_body_facing(body, rest, body->face);
    mry_body_chain(body, turns);
    mry_quat_rotate_double(body->turns + 4 * (size_t)head, body->face, seen);
    mry_body_facing(body, positions, facing);
    body->face_by_chest = mry_dot3(seen, facing) < 0.7;
}

bool mry_body_find(mry_body *body, mry_arena *mem, const marey_clip *clip, int like)
{
    enum { PERSON_PARTS = 32 };
    const marey_skeleton *skeleton = marey_clip_skeleton(clip);
    size_t count = (size_t)skeleton->joint_count;
    double *positions = MRY_NEW_RAW(mem, double, 3 * count),
           *rest = MRY_NEW(mem, double, 3 * count);
    *body = (mry_body){ .skeleton = skeleton,
                        .volumes = is_person(skeleton),
                        .hands = { -1, -1 },
                        .groups = MRY_NEW_RAW(mem, uint8_t, count),
                        .turns = MRY_NEW_RAW(mem, float, 4 * count) };
    if (!positions || !rest || !body->groups || !body->turns) return false;
    marey_clip_positions(clip, like, 1, positions);
    find_groups(body);
    body->height_cm = body->volumes ? leg_cm(body, positions) / LEG_SHARE : 0;
    if (!(body->height_cm > 1e-3)) body->volumes = false;
    if (!body->volumes) body->height_cm = size_cm(skeleton, positions);
    if (!(body->height_cm > 1e-3)) body->height_cm = 10; /* one point: any size is right */
    body->most_parts = body->volumes ? PERSON_PARTS : 2 * skeleton->joint_count;
    if (!body->volumes) return true;
    body->hands[0] = find_hand(skeleton, skeleton->roles[MAREY_ROLE_LEFT_WRIST], rest);
    body->hands[1] = find_hand(skeleton, skeleton->roles[MAREY_ROLE_RIGHT_WRIST], rest);
    for (size_t j = 0; j < count; j++) {
        int parent = skeleton->joints[j].parent;
        static const double origin[3] = { 0, 0, 0 };
        mry_add3(parent < 0 ? origin : rest + 3 * (size_t)parent, 1, skeleton->joints[j].offset_cm,
                 rest + 3 * j);
    }
    find_face(body, rest, positions, marey_clip_rotations(clip, like));
    return true;
}

bool mry_body_copy(const mry_body *body, mry_arena *mem, mry_body *out)
{
    *out = *body;
    out->turns = MRY_NEW_RAW(mem, float, 4 * (size_t)body->skeleton->joint_count);
    return out->turns != NULL;
}
