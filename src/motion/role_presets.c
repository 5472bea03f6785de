/* role_presets.c - the table of joint names. A row stands before another only to win a tie, so the
   common spelling comes first and its relatives are distinguished by their signs.

   Beware of "LeftShoulder": MotionBuilder's family means the collar bone by it, Xsens and SMPL the
   upper arm. */
#include "motion/role_presets.h"

static const mry_role_preset presets[] = {
    {
        .name = "motionbuilder",
        .description = "MotionBuilder's HumanIK names: LeftUpLeg, LeftArm, LeftForeArm",
        .words = { "Left", "Right" },
        .body = { "Hips", "Spine", "Spine3|Spine2|Spine1", "Neck", "Head" },
        .side = { "*Shoulder", "*Arm", "*ForeArm", "*Hand", "*UpLeg", "*Leg", "*Foot",
                  "*ToeBase|*ForeFoot" },
    },
    {
        .name = "cmu",
        .description = "CMU database as BVH: MotionBuilder's names with LHipJoint and LowerBack",
        .words = { "Left", "Right" },
        .body = { "Hips", "LowerBack", "Spine1|Spine", "Neck", "Head" },
        .side = { "*Shoulder", "*Arm", "*ForeArm", "*Hand", "*UpLeg", "*Leg", "*Foot", "*ToeBase" },
        .signs = "LHipJoint",
    },
    {
        .name = "mixamo",
        .description = "Mixamo: MotionBuilder's names behind mixamorig:",
        .words = { "Left", "Right" },
        .body = { "Hips", "Spine", "Spine2|Spine1", "Neck", "Head" },
        .side = { "*Shoulder", "*Arm", "*ForeArm", "*Hand", "*UpLeg", "*Leg", "*Foot", "*ToeBase" },
        .signs = "HeadTop_End",
        .prefix = "mixamorig",
    },
    {
        .name = "bandai",
        .description = "Bandai Namco Research datasets: UpperLeg_L, LowerArm_R below joint_Root",
        .words = { "L", "R" },
        .body = { "Hips", "Spine", "Chest", "Neck", "Head" },
        .side = { "Shoulder_*", "UpperArm_*", "LowerArm_*", "Hand_*", "UpperLeg_*", "LowerLeg_*",
                  "Foot_*", "Toes_*" },
        .signs = "joint_Root",
    },
    {
        .name = "accad",
        .description = "ACCAD (Ohio State): MotionBuilder's names with ToSpine",
        .words = { "Left", "Right" },
        .body = { "Hips", "ToSpine", "Spine1|Spine", "Neck", "Head" },
        .side = { "*Shoulder", "*Arm", "*ForeArm", "*Hand", "*UpLeg", "*Leg", "*Foot", "*ToeBase" },
        .signs = "ToSpine",
    },
    {
        .name = "asf",
        .description = "Acclaim skeletons of CMU, HDM05 and KIT: lfemur, ltibia, lhumerus",
        .words = { "l", "r" },
        .body = { "pelvis|root", "lowerback", "thorax|upperback", "lowerneck|upperneck|neck",
                  "head" },
        .side = { "*clavicle", "*humerus", "*radius", "*wrist|*hand", "*femur", "*tibia", "*foot",
                  "*toes" },
    },
    {
        .name = "lafan1",
        .description = "Ubisoft LaFAN1: MotionBuilder's names with LeftToe",
        .words = { "Left", "Right" },
        .body = { "Hips", "Spine", "Spine2|Spine1", "Neck", "Head" },
        .side = { "*Shoulder", "*Arm", "*ForeArm", "*Hand", "*UpLeg", "*Leg", "*Foot", "*Toe" },
    },
    {
        .name = "rokoko",
        .description = "Rokoko Studio: LeftThigh, LeftShin, Spine1 to Spine4",
        .words = { "Left", "Right" },
        .body = { "Hips", "Spine|Spine1", "Spine4|Spine3|Spine2", "Neck", "Head" },
        .side = { "*Shoulder", "*Arm", "*ForeArm", "*Hand", "*Thigh", "*Shin", "*Foot",
                  "*Toe|*ToeBase" },
    },
    {
        .name = "xsens",
        .description = "Xsens MVN and Biovision: LeftCollar, LeftShoulder, LeftElbow, LeftHip",
        .words = { "Left", "Right" },
        .body = { "Hips", "LowerBack|Chest", "Chest4|Chest3|Chest2|Chest", "Neck", "Head" },
        .side = { "*Collar", "*Shoulder", "*Elbow", "*Wrist", "*Hip", "*Knee", "*Ankle", "*Toe" },
    },
    {
        .name = "daz",
        .description = "Poser and Daz 3D up to Genesis: lShldr, lThigh, lShin, lThighBend",
        .words = { "l", "r" },
        .body = { "hip", "abdomen|abdomenLower", "chest|chestUpper|chestLower", "neck|neckLower",
                  "head" },
        .side = { "*Collar", "*Shldr|*ShldrBend", "*ForeArm|*ForearmBend", "*Hand",
                  "*Thigh|*ThighBend", "*Shin", "*Foot", "*Toe|*Toes" },
    },
    {
        .name = "unreal",
        .description = "Unreal Engine mannequin: upperarm_l, calf_l, ball_l",
        .words = { "l", "r" },
        .body = { "pelvis", "spine_01", "spine_05|spine_04|spine_03|spine_02", "neck_01", "head" },
        .side = { "clavicle_*", "upperarm_*", "lowerarm_*", "hand_*", "thigh_*", "calf_*", "foot_*",
                  "ball_*" },
    },
    {
        .name = "rigify",
        .description = "Blender Rigify: upper_arm.L, shin.L, spine.001; DEF- in front is allowed",
        .words = { "L", "R" },
        .body = { "spine|hips", "spine.001", "spine.003|chest", "spine.004|neck",
                  "spine.006|head" },
        .side = { "shoulder.*", "upper_arm.*", "forearm.*", "hand.*", "thigh.*", "shin.*", "foot.*",
                  "toe.*" },
    },
    {
        .name = "unity",
        .description = "Unity humanoid: LeftUpperLeg, LeftLowerArm",
        .words = { "Left", "Right" },
        .body = { "Hips", "Spine", "UpperChest|Chest", "Neck", "Head" },
        .side = { "*Shoulder", "*UpperArm", "*LowerArm", "*Hand", "*UpperLeg", "*LowerLeg", "*Foot",
                  "*Toes|*Toe" },
    },
    {
        .name = "smpl",
        .description = "SMPL bodies of AMASS: left_hip, left_collar, spine1, pelvis",
        .words = { "left", "right" },
        .body = { "pelvis", "spine1", "spine3|spine2", "neck", "head" },
        .side = { "*_collar", "*_shoulder", "*_elbow", "*_wrist", "*_hip", "*_knee", "*_ankle",
                  "*_foot" },
    },
    {
        .name = "biped",
        .description = "3ds Max Biped: Bip01 L Thigh, Bip01 L UpperArm",
        .words = { "L", "R" },
        .body = { "Pelvis", "Spine", "Spine3|Spine2|Spine1", "Neck", "Head" },
        .side = { "* Clavicle", "* UpperArm", "* Forearm", "* Hand", "* Thigh", "* Calf", "* Foot",
                  "* Toe0" },
        .prefix = "Bip",
    },
};

const mry_role_preset *mry_role_preset_find(int index)
{
    int count = (int)(sizeof presets / sizeof *presets);
    return index >= 0 && index < count ? &presets[index] : NULL;
}
