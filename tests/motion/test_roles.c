/* test_roles.c - joints get the right roles: by name for every row of the table, and by shape for
   real skeletons whose names were taken away. */
#include "support.h"

#include "motion/clip_data.h"
#include "motion/role_presets.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- a small person as BVH text -------------------------------------------------------------- */

enum { TEXT_ROOM = 1 << 21 };

typedef struct bone {
    marey_role role;
    int depth;
    double offset[3];
} bone;

static const bone person[MAREY_ROLE_COUNT] = {
    { MAREY_ROLE_HIPS, 0, { 0, 0, 0 } },
    { MAREY_ROLE_SPINE, 1, { 0, 10, 0 } },
    { MAREY_ROLE_CHEST, 2, { 0, 25, 0 } },
    { MAREY_ROLE_NECK, 3, { 0, 20, 0 } },
    { MAREY_ROLE_HEAD, 4, { 0, 10, 1 } },
    { MAREY_ROLE_LEFT_COLLAR, 3, { 3, 15, 0 } },
    { MAREY_ROLE_LEFT_SHOULDER, 4, { 13, 0, 0 } },
    { MAREY_ROLE_LEFT_ELBOW, 5, { 28, 0, 0 } },
    { MAREY_ROLE_LEFT_WRIST, 6, { 25, 0, 0 } },
    { MAREY_ROLE_RIGHT_COLLAR, 3, { -3, 15, 0 } },
    { MAREY_ROLE_RIGHT_SHOULDER, 4, { -13, 0, 0 } },
    { MAREY_ROLE_RIGHT_ELBOW, 5, { -28, 0, 0 } },
    { MAREY_ROLE_RIGHT_WRIST, 6, { -25, 0, 0 } },
    { MAREY_ROLE_LEFT_HIP, 1, { 9, -5, 0 } },
    { MAREY_ROLE_LEFT_KNEE, 2, { 0, -42, 0 } },
    { MAREY_ROLE_LEFT_ANKLE, 3, { 0, -40, 0 } },
    { MAREY_ROLE_LEFT_TOE, 4, { 0, -6, 14 } },
    { MAREY_ROLE_RIGHT_HIP, 1, { -9, -5, 0 } },
    { MAREY_ROLE_RIGHT_KNEE, 2, { 0, -42, 0 } },
    { MAREY_ROLE_RIGHT_ANKLE, 3, { 0, -40, 0 } },
    { MAREY_ROLE_RIGHT_TOE, 4, { 0, -6, 14 } },
};

typedef const char *role_names[MAREY_ROLE_COUNT]; /* NULL: the person has no such joint */

/* Joints without a name are left out with all below them. free() the text. */
static char *person_text(const role_names names, const double *root_turn_deg)
{
    char *text = malloc(TEXT_ROOM);
    assert_non_null(text);
    int used = sprintf(text, "HIERARCHY\n"), open = 0, joints = 0, left_out = 99;
    for (int i = 0; i < MAREY_ROLE_COUNT; i++) {
        const bone *b = &person[i];
        if (b->depth > left_out) continue;
        left_out = names[b->role] ? 99 : b->depth;
        if (!names[b->role]) continue;
        for (; open > b->depth; open--) used += sprintf(text + used, "}\n");
        used += sprintf(text + used, "%s %s\n{\nOFFSET %g %g %g\nCHANNELS %s\n",
                        open ? "JOINT" : "ROOT", names[b->role], b->offset[0], b->offset[1],
                        b->offset[2],
                        open ? "3 Zrotation Xrotation Yrotation"
                             : "6 Xposition Yposition Zposition Zrotation Xrotation Yrotation");
        open++;
        joints++;
    }
    for (; open > 0; open--) used += sprintf(text + used, "}\n");
    used += sprintf(text + used, "MOTION\nFrames: 1\nFrame Time: 0.01\n0 95 0 %g %g %g",
                    root_turn_deg[0], root_turn_deg[1], root_turn_deg[2]);
    for (int i = 1; i < joints; i++) used += sprintf(text + used, " 0 0 0");
    sprintf(text + used, "\n");
    return text;
}

static const double upright[3] = { 0, 0, 0 };

static marey_clip *person_clip(marey_ctx *ctx, const role_names names, const double *turn)
{
    FREED char *text = person_text(names, turn);
    return test_clip(ctx, text);
}

static const char *role_joint(const marey_clip *clip, int role)
{
    const marey_skeleton *skeleton = marey_clip_skeleton(clip);
    int joint = skeleton->roles[role];
    assert_in_range(joint + 1, 0, skeleton->joint_count);
    return joint < 0 ? "" : skeleton->joints[joint].name;
}

static void assert_roles(const marey_clip *clip, const char *from, const role_names names)
{
    assert_string_equal(marey_clip_skeleton(clip)->roles_from, from);
    for (int role = 0; role < MAREY_ROLE_COUNT; role++)
        if (strcmp(role_joint(clip, role), names[role] ? names[role] : "") != 0)
            fail_msg("%s: %s is \"%s\", expected \"%s\"", from, marey_role_name(role),
                     role_joint(clip, role), names[role] ? names[role] : "");
}

/* ---- names ----------------------------------------------------------------------------------- */

/* Names by role, "-" for none, each behind the prefix. */
static const struct {
    const char *preset, *prefix, *names;
} spelled[] = {
    { "motionbuilder", "",
      "Hips Spine Spine1 Neck Head LeftShoulder LeftArm LeftForeArm LeftHand LeftUpLeg "
      "LeftLeg LeftFoot LeftToeBase RightShoulder RightArm RightForeArm RightHand "
      "RightUpLeg RightLeg RightFoot RightToeBase" },
    { "motionbuilder", "Character1_",
      "Hips Spine Spine1 Neck Head LeftShoulder LeftArm LeftForeArm LeftHand LeftUpLeg "
      "LeftLeg LeftFoot LeftToeBase RightShoulder RightArm RightForeArm RightHand "
      "RightUpLeg RightLeg RightFoot RightToeBase" },
    { "cmu", "",
      "hips LOWERBACK Spine1 Neck Head LeftShoulder LeftArm LeftForeArm LeftHand "
      "LeftUpLeg LeftLeg LeftFoot LeftToeBase RightShoulder RightArm RightForeArm "
      "RightHand RightUpLeg RightLeg RightFoot RightToeBase" },
    { "mixamo", "mixamorig:",
      "Hips Spine Spine2 Neck Head LeftShoulder LeftArm LeftForeArm LeftHand LeftUpLeg "
      "LeftLeg LeftFoot LeftToeBase RightShoulder RightArm RightForeArm RightHand "
      "RightUpLeg RightLeg RightFoot RightToeBase" },
    { "mixamo", "mixamorig7_",
      "Hips Spine Spine2 Neck Head LeftShoulder LeftArm LeftForeArm LeftHand LeftUpLeg "
      "LeftLeg LeftFoot - RightShoulder RightArm RightForeArm RightHand RightUpLeg "
      "RightLeg RightFoot -" },
    { "bandai", "",
      "Hips Spine Chest Neck Head Shoulder_L UpperArm_L LowerArm_L Hand_L UpperLeg_L "
      "LowerLeg_L Foot_L Toes_L Shoulder_R UpperArm_R LowerArm_R Hand_R UpperLeg_R "
      "LowerLeg_R Foot_R Toes_R" },
    { "accad", "",
      "Hips ToSpine Spine1 Neck Head LeftShoulder LeftArm LeftForeArm LeftHand LeftUpLeg "
      "LeftLeg LeftFoot LeftToeBase RightShoulder RightArm RightForeArm RightHand "
      "RightUpLeg RightLeg RightFoot RightToeBase" },
    { "asf", "",
      "root lowerback thorax lowerneck head lclavicle lhumerus lradius lwrist lfemur "
      "ltibia lfoot ltoes rclavicle rhumerus rradius rwrist rfemur rtibia rfoot rtoes" },
    { "lafan1", "",
      "Hips Spine Spine2 Neck Head LeftShoulder LeftArm LeftForeArm LeftHand LeftUpLeg "
      "LeftLeg LeftFoot LeftToe RightShoulder RightArm RightForeArm RightHand RightUpLeg "
      "RightLeg RightFoot RightToe" },
    { "rokoko", "",
      "Hips Spine1 Spine4 Neck Head LeftShoulder LeftArm LeftForeArm LeftHand LeftThigh "
      "LeftShin LeftFoot LeftToe RightShoulder RightArm RightForeArm RightHand RightThigh "
      "RightShin RightFoot RightToe" },
    { "xsens", "",
      "Hips Chest Chest4 Neck Head LeftCollar LeftShoulder LeftElbow LeftWrist LeftHip "
      "LeftKnee LeftAnkle LeftToe RightCollar RightShoulder RightElbow RightWrist "
      "RightHip RightKnee RightAnkle RightToe" },
    { "daz", "",
      "hip abdomen chest neck head lCollar lShldr lForeArm lHand lThigh lShin lFoot lToe "
      "rCollar rShldr rForeArm rHand rThigh rShin rFoot rToe" },
    { "daz", "",
      "hip abdomenLower chestUpper neckLower head lCollar lShldrBend lForearmBend lHand "
      "lThighBend lShin lFoot lToe rCollar rShldrBend rForearmBend rHand rThighBend rShin "
      "rFoot rToe" },
    { "unreal", "",
      "pelvis spine_01 spine_03 neck_01 head clavicle_l upperarm_l lowerarm_l hand_l "
      "thigh_l calf_l foot_l ball_l clavicle_r upperarm_r lowerarm_r hand_r thigh_r "
      "calf_r foot_r ball_r" },
    { "rigify", "DEF-",
      "spine spine.001 spine.003 spine.004 spine.006 shoulder.L upper_arm.L forearm.L "
      "hand.L thigh.L shin.L foot.L toe.L shoulder.R upper_arm.R forearm.R hand.R thigh.R "
      "shin.R foot.R toe.R" },
    { "unity", "",
      "Hips Spine Chest Neck Head LeftShoulder LeftUpperArm LeftLowerArm LeftHand "
      "LeftUpperLeg LeftLowerLeg LeftFoot LeftToes RightShoulder RightUpperArm "
      "RightLowerArm RightHand RightUpperLeg RightLowerLeg RightFoot RightToes" },
    { "smpl", "",
      "pelvis spine1 spine3 neck head left_collar left_shoulder left_elbow left_wrist "
      "left_hip left_knee left_ankle left_foot right_collar right_shoulder right_elbow "
      "right_wrist right_hip right_knee right_ankle right_foot" },
    { "biped", "Bip01_",
      "Pelvis Spine Spine2 Neck Head L_Clavicle L_UpperArm L_Forearm L_Hand L_Thigh "
      "L_Calf L_Foot L_Toe0 R_Clavicle R_UpperArm R_Forearm R_Hand R_Thigh R_Calf R_Foot "
      "R_Toe0" },
};

enum { SPELLED = sizeof spelled / sizeof *spelled };

/* The names of a row; `room` holds them. */
static void spell(int row, char room[2048], role_names names)
{
    const char *at = spelled[row].names;
    for (int role = 0; role < MAREY_ROLE_COUNT; role++) {
        int count = (int)strcspn(at, " "), left_out = count == 1 && *at == '-';
        names[role] = left_out ? NULL : room;
        room += sprintf(room, "%s%.*s", spelled[row].prefix, count, at) + 1;
        at += count + (at[count] == ' ');
    }
}

TEST_CTX(every_preset_names_all_roles_of_its_skeleton)
{
    for (int i = 0; i < SPELLED; i++) {
        char room[2048];
        role_names names;
        spell(i, room, names);
        OWNED(marey_clip) *clip = person_clip(ctx, names, upright);
        assert_roles(clip, spelled[i].preset, names);
    }
}

TEST(every_preset_of_the_table_is_tried_here)
{
    for (int row = 0; marey_role_preset_name(row); row++) {
        int tried = 0;
        for (int i = 0; i < SPELLED; i++)
            tried += strcmp(spelled[i].preset, marey_role_preset_name(row)) == 0;
        if (!tried) fail_msg("no skeleton for %s", marey_role_preset_name(row));
        assert_true(strlen(mry_role_preset_find(row)->description) > 0);
    }
    assert_null(marey_role_preset_name(-1));
}

TEST(role_names_are_unique_and_their_sides_alike)
{
    for (int a = 0; a < MAREY_ROLE_COUNT; a++)
        for (int b = a + 1; b < MAREY_ROLE_COUNT; b++)
            assert_string_not_equal(marey_role_name(a), marey_role_name(b));
    for (int i = 0; i < MRY_PRESET_SIDE; i++)
        assert_string_equal(marey_role_name(MAREY_ROLE_LEFT_COLLAR + i) + strlen("left"),
                            marey_role_name(MAREY_ROLE_RIGHT_COLLAR + i) + strlen("right"));
}

TEST_CTX(a_body_without_arms_is_known_by_its_hips_and_legs)
{
    static const role_names legs = {
        [MAREY_ROLE_HIPS] = "Hips",
        [MAREY_ROLE_LEFT_HIP] = "LeftUpLeg",
        [MAREY_ROLE_LEFT_KNEE] = "LeftLeg",
        [MAREY_ROLE_LEFT_ANKLE] = "LeftFoot",
        [MAREY_ROLE_RIGHT_HIP] = "RightUpLeg",
        [MAREY_ROLE_RIGHT_KNEE] = "RightLeg",
        [MAREY_ROLE_RIGHT_ANKLE] = "RightFoot",
    };
    OWNED(marey_clip) *clip = person_clip(ctx, legs, upright);
    assert_roles(clip, "motionbuilder", legs);
}

/* ---- shape ----------------------------------------------------------------------------------- */

static const role_names nameless = { "a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k",
                                     "m", "n", "o", "p", "q", "s", "t", "u", "v", "w" };

TEST_CTX(a_person_without_names_is_known_however_it_is_turned)
{
    static const double turns[][3] = {
        { 0, 0, 0 }, { 90, 0, 0 }, { 0, 90, 0 }, { 0, 0, 180 }, { 35, 80, -120 }
    };
    for (size_t i = 0; i < sizeof turns / sizeof *turns; i++) {
        OWNED(marey_clip) *clip = person_clip(ctx, nameless, turns[i]);
        assert_roles(clip, "shape", nameless);
    }
}

/* Stiff legs without feet do not tell front from back, so the person of person[] may be turned
   round; names decide then, and x where there are none. */
TEST_CTX(without_feet_and_bent_knees_names_tell_the_sides)
{
    static const double turned_round[3] = { 0, 0, 180 };
    role_names plain, sided, swapped;
    memcpy(plain, nameless, sizeof plain);
    plain[MAREY_ROLE_LEFT_TOE] = plain[MAREY_ROLE_RIGHT_TOE] = NULL;
    memcpy(sided, plain, sizeof sided);
    sided[MAREY_ROLE_LEFT_KNEE] = "L_x";
    sided[MAREY_ROLE_RIGHT_KNEE] = "R_x";
    memcpy(swapped, plain, sizeof swapped);
    memcpy(swapped + MAREY_ROLE_LEFT_COLLAR, plain + MAREY_ROLE_RIGHT_COLLAR,
           MRY_PRESET_SIDE * sizeof *plain);
    memcpy(swapped + MAREY_ROLE_RIGHT_COLLAR, plain + MAREY_ROLE_LEFT_COLLAR,
           MRY_PRESET_SIDE * sizeof *plain);

    const struct {
        const char *const *given, *const *expected;
        const double *turn;
    } cases[] = {
        { plain, plain, upright },
        { plain, swapped, turned_round },
        { sided, sided, upright },
        { sided, sided, turned_round },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        OWNED(marey_clip) *clip = person_clip(ctx, cases[i].given, cases[i].turn);
        assert_roles(clip, "shape", cases[i].expected);
    }
}

/* ---- real data ------------------------------------------------------------------------------- */

/* The same BVH text with the joints called j0, j1, ...; free() it. */
static char *text_scramble(const char *text)
{
    char *out = malloc(strlen(text) * 2 + 64);
    assert_non_null(out);
    size_t used = 0;
    int joint = 0;
    const char *motion = strstr(text, "MOTION");
    assert_non_null(motion);
    while (text < motion) {
        size_t line = strcspn(text, "\r\n"), lead = strspn(text, " \t");
        bool is_joint = strncasecmp(text + lead, "JOINT", 5) == 0;
        bool is_root = strncasecmp(text + lead, "ROOT", 4) == 0;
        if (is_joint || is_root) {
            used += (size_t)sprintf(out + used, "%s j%d", is_root ? "ROOT" : "JOINT", joint++);
            const char *brace = memchr(text, '{', line);
            if (brace) out[used++] = '{';
        } else {
            memcpy(out + used, text, line);
            used += line;
        }
        text += line;
        if (*text) out[used++] = *text++;
    }
    strcpy(out + used, text);
    return out;
}

static const struct {
    const char *file, *preset;
} zoo[] = {
    { "AnimatedDrawings__jumping_jacks.bvh", "xsens" },
    { "bvh-python__test_freebvh.bvh", "mixamo" },
    { "bvh-python__test_mocapbank.bvh", "xsens" },
    { "bvh11__131_01.bvh", "xsens" },
    { "bvhviewer__debug_axes.bvh", "" },
    { "fairmotion__sinusoidal.bvh", "" },
    { "possumwood__141_01.bvh", "daz" },
    { "pybvh__bvh_test2.bvh", "xsens" },
    { "pybvh__bvh_test3.bvh", "motionbuilder" },
    { "pybvh__full_precision_frame_time.bvh", "" },
    { "pybvh__rotation_first_root.bvh", "" },
    { "three.js__pirouette.bvh", "daz" },
};

static const char *expected_preset(const char *path)
{
    for (size_t i = 0; i < sizeof zoo / sizeof *zoo; i++)
        if (strcmp(test_base_name(path), zoo[i].file) == 0) return zoo[i].preset;
    if (strstr(path, "/cmu/")) return "cmu";
    if (strstr(path, "/bandai/")) return "bandai";
    return strstr(path, "/accad/") ? "accad" : "?";
}

/* All roles by name, then the same from shape alone. Some files have no toes, and where a neck has
   two joints it is a matter of taste which is called so. */
static void check_file(void *user, const char *path)
{
    marey_ctx *ctx = user;
    FREED char *text = test_file_read(path, NULL), *scrambled = text_scramble(text);
    OWNED(marey_clip) *clip = test_clip(ctx, text), *shape = test_clip(ctx, scrambled);
    const marey_skeleton *by_name = marey_clip_skeleton(clip);
    const marey_skeleton *by_shape = marey_clip_skeleton(shape);
    if (strcmp(by_name->roles_from, expected_preset(path)) != 0)
        fail_msg("%s: preset is \"%s\", expected \"%s\"", path, by_name->roles_from,
                 expected_preset(path));
    bool is_person = *by_name->roles_from != 0;
    assert_string_equal(by_shape->roles_from, is_person ? "shape" : "");
    for (int role = 0; role < MAREY_ROLE_COUNT && is_person; role++) {
        bool is_toe = role == MAREY_ROLE_LEFT_TOE || role == MAREY_ROLE_RIGHT_TOE;
        if (by_name->roles[role] < 0 && !is_toe) fail_msg("%s: no %s", path, marey_role_name(role));
        if (by_shape->roles[role] != by_name->roles[role] && role != MAREY_ROLE_NECK)
            fail_msg("%s: %s is %s by name, number %d by shape", path, marey_role_name(role),
                     role_joint(clip, role), by_shape->roles[role]);
    }
    for (int role = 0; role < MAREY_ROLE_COUNT && !is_person; role++) {
        assert_int_equal(by_name->roles[role], -1);
        assert_int_equal(by_shape->roles[role], -1);
    }
}

TEST_CTX(real_skeletons_get_the_same_joints_by_name_and_by_shape)
{
    test_need_mocap();
    assert_true(test_mocap_each_bvh(check_file, ctx) >= 4);
}

static void check_bandai_hips(void *user, const char *path)
{
    OWNED(marey_clip) *clip = test_clip_load(user, path);
    assert_int_equal(marey_clip_skeleton(clip)->roles[MAREY_ROLE_HIPS], 1);
}

TEST_CTX(the_hips_are_below_a_root_that_is_only_a_place)
{
    test_need_mocap();
    test_mocap_each("bandai", "walk_normal_001.bvh", check_bandai_hips, ctx);
}

/* ---- odd skeletons --------------------------------------------------------------------------- */

enum { MANY = 16384 };

/* MANY joints: each below the one before, or all below the root. free() it. */
static char *many_text(bool chain, double length)
{
    char *text = malloc(TEXT_ROOM);
    assert_non_null(text);
    int used = sprintf(text, "HIERARCHY\nROOT r\n{\nOFFSET 0 0 0\nCHANNELS 3 Xposition Yposition "
                             "Zposition\n");
    for (int i = 1; i < MANY; i++)
        used += sprintf(text + used, "JOINT j%d\n{\nOFFSET 0 %g 0\nCHANNELS 0\n%s", i, length,
                        chain ? "" : "}\n");
    for (int i = 1; i < MANY && chain; i++) used += sprintf(text + used, "}\n");
    sprintf(text + used, "}\nMOTION\nFrames: 1\nFrame Time: 0.01\n0 0 0\n");
    return text;
}

TEST_CTX(skeletons_that_are_no_person_get_no_roles)
{
    static const role_names alone = { "Hips" };
    for (int i = 0; i < 5; i++) {
        FREED char *text =
            i < 4 ? many_text(i & 1, i & 2 ? 1.0 : 0.0) : person_text(alone, upright);
        OWNED(marey_clip) *clip = test_clip(ctx, text);
        static const role_names none = { NULL };
        assert_roles(clip, "", none);
    }
}

/* ---- memory ---------------------------------------------------------------------------------- */

static void sweep_refusals(const role_names names, const char *from)
{
    OWNED(test_memory) memory = { .refuse = -1 };
    OWNED(marey_ctx) *ctx = test_ctx_refusing(&memory);
    OWNED(marey_clip) *clip = person_clip(ctx, names, upright);
    marey_status status = MAREY_OK;
    for (test_refusals sweep = { .memory = &memory }; test_refuse(&sweep, status);) {
        status = mry_roles_find(clip) ? MAREY_OK : MAREY_ERR_MEMORY;
        if (status) assert_string_equal(clip->skeleton.roles_from, "");
    }
    assert_roles(clip, from, names);
}

TEST(refused_memory_is_reported_and_nothing_is_kept)
{
    char room[2048];
    role_names names;
    spell(0, room, names);
    sweep_refusals(names, spelled[0].preset);
    sweep_refusals(nameless, "shape");
}

TEST_GROUP_OF_CASES(test_roles, NULL, NULL)
