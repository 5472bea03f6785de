/* solve_presets.c - the table of orders that people store points in. A row has the names of its
   points in their order, and a map as users write it: which points make up which joint. Joints get
   the names of SMPL, which roles know; CMU's keep their own. */
#include "retarget/solve_presets.h"

#define SMPL_22                                                                                    \
    "pelvis left_hip right_hip spine1 left_knee right_knee spine2 left_ankle right_ankle spine3 "  \
    "left_foot right_foot neck left_collar right_collar head left_shoulder right_shoulder "        \
    "left_elbow right_elbow left_wrist right_wrist"

#define LEGS(l, r, hip, knee, ankle)                                                               \
    "left_hip,pelvis," l hip "\nleft_knee,left_hip," l knee "\nleft_ankle,left_knee," l ankle "\n" \
    "right_hip,pelvis," r hip "\nright_knee,right_hip," r knee "\nright_ankle,right_knee," r ankle \
    "\n"

#define SMPL_22_MAP                                                                                \
    "pelvis,,pelvis\n" LEGS(                                                                       \
        "left_", "right_", "hip", "knee",                                                          \
        "ankle") "left_foot,left_ankle,left_foot\nright_foot,right_ankle,right_foot\nspine1,"      \
                 "pelvis,spine1\n"                                                                 \
                 "spine2,spine1,spine2\nspine3,spine2,spine3\nneck,spine3,neck\nhead,neck,head\n"  \
                 "left_collar,spine3,left_collar\nleft_shoulder,left_collar,left_shoulder\n"       \
                 "left_elbow,left_shoulder,left_elbow\nleft_wrist,left_elbow,left_wrist\n"         \
                 "right_collar,spine3,right_collar\nright_shoulder,right_collar,right_shoulder\n"  \
                 "right_elbow,right_shoulder,right_elbow\nright_wrist,right_elbow,right_wrist\n"

#define KINECT_ARM(side, Side)                                                                     \
    side "_shoulder,spine3,Shoulder" Side "\n" side "_elbow," side "_shoulder,Elbow" Side          \
         "\n" side "_wrist," side "_elbow,Wrist" Side "\n" side "_hand," side "_wrist,Hand" Side   \
         "\n"
#define KINECT_LEG(side, Side)                                                                     \
    side "_hip,pelvis,Hip" Side "\n" side "_knee," side "_hip,Knee" Side "\n" side "_ankle," side  \
         "_knee,Ankle" Side "\n" side "_foot," side "_ankle,Foot" Side "\n"

#define OPENPOSE_SIDE(side, s)                                                                     \
    side "_hip,pelvis," s "Hip\n" side "_knee," side "_hip," s "Knee\n" side "_ankle," side        \
         "_knee," s "Ankle\n" side "_foot," side "_ankle," s "BigToe\n" side "_small_toe," side    \
         "_ankle," s "SmallToe\n" side "_heel," side "_ankle," s "Heel\n" side "_shoulder,neck," s \
         "Shoulder\n" side "_elbow," side "_shoulder," s "Elbow\n" side "_wrist," side "_elbow," s \
         "Wrist\n" side "_eye,head," s "Eye\n" side "_ear,head," s "Ear\n"

#define CMU_SIDE(L, Left)                                                                          \
    L "HipJoint,Hips," L "HipJoint\n" Left "UpLeg," L "HipJoint," Left "UpLeg\n" Left "Leg," Left  \
      "UpLeg," Left "Leg\n" Left "Foot," Left "Leg," Left "Foot\n" Left "ToeBase," Left            \
      "Foot," Left "ToeBase\n"
#define CMU_ARM(L, Left)                                                                           \
    Left "Shoulder,Spine1," Left "Shoulder\n" Left "Arm," Left "Shoulder," Left "Arm\n" Left       \
         "ForeArm," Left "Arm," Left "ForeArm\n" Left "Hand," Left "ForeArm," Left "Hand\n" Left   \
         "FingerBase," Left "Hand," Left "FingerBase\n" Left "HandIndex1," Left "FingerBase," Left \
         "HandIndex1\n" L "Thumb," Left "Hand," L "Thumb\n"

/* Repeated markers count as often: a hip joint is behind the front of the pelvis and inside of it. */
#define GAIT_SIDE(side, s, back)                                                                   \
    side "_hip,pelvis," s "ASI+" s "ASI+" s "ASI+" back "+" back "\n" side "_knee," side "_hip," s \
         "KNE\n" side "_ankle," side "_knee," s "ANK\n" side "_foot," side "_ankle," s "TOE\n"
#define GAIT_ARM(side, s)                                                                          \
    side "_shoulder,neck," s "SHO\n" side "_elbow," side "_shoulder," s "ELB\n" side               \
         "_wrist," side "_elbow," s "WRA+" s "WRB\n" side "_hand," side "_wrist," s "FIN\n"
#define GAIT_TRUNK                                                                                 \
    "spine2,pelvis,T10+STRN\nneck,spine2,C7+CLAV\nhead,neck,LFHD+RFHD+LBHD+RBHD\n" GAIT_ARM(       \
        "left", "L") GAIT_ARM("right", "R")
#define GAIT_MARKERS                                                                               \
    "LFHD RFHD LBHD RBHD C7 T10 CLAV STRN LSHO LELB LWRA LWRB LFIN RSHO RELB RWRA RWRB RFIN LASI " \
    "RASI LKNE LANK LTOE RKNE RANK RTOE "

static const mry_solve_preset presets[] = {
    { "smpl22", "SMPL's body joints without hands, as in AMASS", SMPL_22, SMPL_22_MAP },
    { "smpl24", "all 24 joints of SMPL", SMPL_22 " left_hand right_hand",
      SMPL_22_MAP "left_hand,left_wrist,left_hand\nright_hand,right_wrist,right_hand\n" },
    { "humanml3d", "HumanML3D: 22 joints, in the order of SMPL", SMPL_22, SMPL_22_MAP },
    { "kinect20", "Microsoft Kinect, first version: 20 joints from HipCenter on",
      "HipCenter Spine ShoulderCenter Head ShoulderLeft ElbowLeft WristLeft HandLeft ShoulderRight "
      "ElbowRight WristRight HandRight HipLeft KneeLeft AnkleLeft FootLeft HipRight KneeRight "
      "AnkleRight FootRight",
      "pelvis,,HipCenter\n" KINECT_LEG("left", "Left") KINECT_LEG(
          "right", "Right") "spine1,pelvis,Spine\nspine3,spine1,ShoulderCenter\nhead,spine3,"
                            "Head\n" KINECT_ARM("left", "Left") KINECT_ARM("right", "Right") },
    { "kinect25", "Microsoft Kinect, second version: 25 joints from SpineBase on",
      "SpineBase SpineMid Neck Head ShoulderLeft ElbowLeft WristLeft HandLeft ShoulderRight "
      "ElbowRight WristRight HandRight HipLeft KneeLeft AnkleLeft FootLeft HipRight KneeRight "
      "AnkleRight FootRight SpineShoulder HandTipLeft ThumbLeft HandTipRight ThumbRight",
      "pelvis,,SpineBase\n" KINECT_LEG("left", "Left") KINECT_LEG(
          "right", "Right") "spine1,pelvis,SpineMid\nspine3,spine1,SpineShoulder\nneck,spine3,"
                            "Neck\nhead,neck,Head\n" KINECT_ARM("left", "Left") KINECT_ARM(
                                "right", "Right") "left_tip,left_hand,HandTipLeft\nleft_thumb,"
                                                  "left_wrist,ThumbLeft\n"
                                                  "right_tip,right_hand,HandTipRight\nright_"
                                                  "thumb,right_wrist,ThumbRight\n" },
    { "coco17", "COCO's 17 keypoints from the nose on",
      "nose left_eye right_eye left_ear right_ear left_shoulder right_shoulder left_elbow "
      "right_elbow left_wrist right_wrist left_hip right_hip left_knee right_knee left_ankle "
      "right_ankle",
      "pelvis,,left_hip+right_hip\n" LEGS(
          "left_", "right_", "hip", "knee",
          "ankle") "neck,pelvis,left_shoulder+right_shoulder\n"
                   "left_shoulder,neck,left_shoulder\nleft_elbow,left_shoulder,left_elbow\n"
                   "left_wrist,left_elbow,left_wrist\nright_shoulder,neck,right_shoulder\n"
                   "right_elbow,right_shoulder,right_elbow\nright_wrist,right_elbow,right_wrist\n"
                   "head,neck,left_ear+right_ear\nnose,head,nose\nleft_eye,head,left_eye\n"
                   "right_eye,head,right_eye\nleft_ear,head,left_ear\nright_ear,head,right_ear\n" },
    { "openpose25", "OpenPose BODY_25: 25 keypoints from the nose on",
      "Nose Neck RShoulder RElbow RWrist LShoulder LElbow LWrist MidHip RHip RKnee RAnkle LHip "
      "LKnee LAnkle REye LEye REar LEar LBigToe LSmallToe LHeel RBigToe RSmallToe RHeel",
      "pelvis,,MidHip\nneck,pelvis,Neck\nhead,neck,LEar+REar\nnose,head,Nose\n" OPENPOSE_SIDE(
          "left", "L") OPENPOSE_SIDE("right", "R") },
    { "cmu31", "the CMU database as BVH: 31 joints from the hips on",
      "Hips LHipJoint LeftUpLeg LeftLeg LeftFoot LeftToeBase RHipJoint RightUpLeg RightLeg "
      "RightFoot RightToeBase LowerBack Spine Spine1 Neck Neck1 Head LeftShoulder LeftArm "
      "LeftForeArm LeftHand LeftFingerBase LeftHandIndex1 LThumb RightShoulder RightArm "
      "RightForeArm RightHand RightFingerBase RightHandIndex1 RThumb",
      "Hips,,Hips\n" CMU_SIDE("L", "Left")
          CMU_SIDE("R", "Right") "LowerBack,Hips,LowerBack\nSpine,LowerBack,Spine\nSpine1,Spine,"
                                 "Spine1\nNeck,Spine1,Neck\n"
                                 "Neck1,Neck,Neck1\nHead,Neck1,Head\n" CMU_ARM("L", "Left")
                                     CMU_ARM("R", "Right") },
    { "plugin-gait", "Vicon's Plug-in Gait markers, by their names", GAIT_MARKERS "LPSI RPSI",
      "pelvis,,LASI+RASI+LPSI+RPSI\n" GAIT_SIDE("left", "L", "LPSI") GAIT_SIDE("right", "R", "RPSI")
          GAIT_TRUNK },
    { "plugin-gait-sacrum", "the same with one marker on the sacrum", GAIT_MARKERS "SACR",
      "pelvis,,LASI+RASI+SACR+SACR\n" GAIT_SIDE("left", "L", "SACR") GAIT_SIDE("right", "R", "SACR")
          GAIT_TRUNK },
    { "any", "no known order: points that keep their distance are joined", NULL, NULL },
};

const mry_solve_preset *mry_solve_preset_at(int index)
{
    int count = (int)(sizeof presets / sizeof *presets);
    return index >= 0 && index < count ? &presets[index] : NULL;
}

const char *marey_solve_preset_name(int preset)
{
    const mry_solve_preset *row = mry_solve_preset_at(preset);
    return row ? row->name : NULL;
}

const char *marey_solve_preset_about(int preset)
{
    const mry_solve_preset *row = mry_solve_preset_at(preset);
    return row ? row->about : NULL;
}
