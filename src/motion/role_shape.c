/* role_shape.c - a person from bone lengths and branches alone. Which axis points up is not known
   yet, so nothing here asks what is high: legs and arms are two pairs of like chains, the legs hang
   on the joint nearer the root, the arms further along the trunk, and the head is what else leaves
   the chest. Which leg is the left one follows from where toes and knees point in the pose.

       total[j]   the longest way from j's parent through j to a tip
       main[j]    the child on that way

   Each is one pass over the joints from the last to the first, because parents come first. */
#include "motion/role_shape.h"

#include "math/quat.h"

#include <stdlib.h>

enum {
    FRAMES_SEEN = 9,   /* one pose may be odd: arms crossed, kneeling */
    SIBLINGS_SEEN = 3, /* a pair need not be neighbours by length: the spine may come between */
    JOINTS_LIKE = 4,   /* of two limbs that are compared bone by bone: as far as wrist and ankle */
    JOINTS_LEAST = 3,
};

static const double like_totals = 0.75; /* the shorter limb of a pair over the longer */
static const double like_bones = 0.25;  /* most difference of two bones, share of the longer */
static const double like_slack = 0.04;  /* the same, share of the limb: small bones vary more */
static const double long_bones = 0.57;  /* of a limb: share of its longest two in a row */
static const double arms_least = 0.3;   /* arms over legs: fingers and eyes are pairs as well */
static const double legs_least = 0.8;   /* legs over arms */
static const double no_length = 1e-3;   /* a bone below this share of its limb joins one place */
static const double vote_least = 0.02;  /* mean vote below which a pose does not tell the sides */

typedef struct sibling {
    int parent, joint;
    double total;
} sibling;

typedef struct limb_pair {
    int node;     /* both hang here; -1: none */
    int first[2]; /* the first joint of each limb */
    double total; /* of the shorter one */
} limb_pair;

typedef struct limb {
    int root;            /* first joint behind the node */
    int upper, mid, low; /* shoulder, elbow, wrist; hip, knee, ankle */
    int tip;             /* next joint behind low that is elsewhere, or -1 */
} limb;

typedef struct shape {
    const marey_clip *clip;
    const marey_joint *joints;
    int count;
    int looks;      /* at frames */
    double *length; /* from the parent, mean over the frames seen */
    double *total;
    int *main;
    int *children;     /* how many */
    double *places;    /* of one frame */
    sibling *siblings; /* by parent, then longest first */
} shape;

/* ---- small vectors --------------------------------------------------------------------------- */

static void subtract(const double *a, const double *b, double *out)
{
    for (int i = 0; i < 3; i++) out[i] = a[i] - b[i];
}

static double dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* ---- lengths --------------------------------------------------------------------------------- */

/* Frame number of look `i`; looks are spread evenly from the first frame to the last. */
static int frame_of_look(const shape *s, int i)
{
    return s->looks < 2 ? 0 : (int)((int64_t)i * (s->clip->frames - 1) / (s->looks - 1));
}

static const double *place(const shape *s, int joint)
{
    return s->places + (size_t)joint * 3;
}

static int sibling_compare(const void *left, const void *right)
{
    const sibling *a = left, *b = right;
    if (a->parent != b->parent) return a->parent < b->parent ? -1 : 1;
    if (a->total != b->total) return a->total > b->total ? -1 : 1;
    return (a->joint > b->joint) - (a->joint < b->joint);
}

static bool shape_build(shape *s, mry_arena *tmp)
{
    s->length = MRY_NEW(tmp, double, s->count);
    s->total = MRY_NEW(tmp, double, s->count);
    s->main = MRY_NEW(tmp, int, s->count);
    s->children = MRY_NEW(tmp, int, s->count);
    s->places = MRY_NEW(tmp, double, (size_t)s->count * 3);
    s->siblings = MRY_NEW(tmp, sibling, s->count);
    if (!s->length || !s->total || !s->main) return false;
    if (!s->children || !s->places || !s->siblings) return false;
    /* Lengths come from the poses and not from the offsets, because position channels replace
       these. */
    s->looks = s->clip->frames < FRAMES_SEEN ? s->clip->frames : FRAMES_SEEN;
    for (int i = 0; i < s->looks; i++) {
        marey_clip_positions(s->clip, frame_of_look(s, i), 1, s->places);
        for (int j = 1; j < s->count; j++) {
            double length = mry_distance3(place(s, j), place(s, s->joints[j].parent));
            if (isfinite(length)) s->length[j] += length / s->looks;
        }
    }
    for (int j = 0; j < s->count; j++) {
        double end = s->joints[j].has_end ? mry_length3(s->joints[j].end_cm) : 0.0;
        s->total[j] = isfinite(end) ? end : 0.0; /* behind j, until the pass below adds j's own */
        s->main[j] = -1;
    }
    for (int j = s->count - 1; j > 0; j--) {
        int parent = s->joints[j].parent;
        s->total[j] += s->length[j];
        s->children[parent]++;
        if (s->main[parent] >= 0 && s->total[j] < s->total[parent]) continue;
        s->main[parent] = j;
        if (s->total[j] > s->total[parent]) s->total[parent] = s->total[j];
    }
    for (int j = 0; j < s->count; j++)
        s->siblings[j] = (sibling){ s->joints[j].parent, j, s->total[j] };
    qsort(s->siblings, (size_t)s->count, sizeof *s->siblings, sibling_compare);
    return true;
}

int mry_common_ancestor(const marey_joint *joints, int a, int b)
{
    while (a >= 0 && b >= 0 && a != b) {
        if (a > b)
            a = joints[a].parent;
        else
            b = joints[b].parent;
    }
    return a < 0 || b < 0 ? -1 : a;
}

/* ---- pairs of limbs -------------------------------------------------------------------------- */

/* Are two chains the left and the right of something? Totals alone would pair a leg with the way
   over the spine to a hand, which often is as long. */
static bool limbs_are_like(const shape *s, int a, int b)
{
    double shorter = fmin(s->total[a], s->total[b]), longer = fmax(s->total[a], s->total[b]);
    if (!(shorter > 0.0) || shorter < like_totals * longer) return false;
    for (int i = 0; i < JOINTS_LIKE; i++) {
        if (a < 0 && b < 0) return i >= JOINTS_LEAST;
        if (a < 0 || b < 0) return false;
        double difference = fabs(s->length[a] - s->length[b]);
        double most = like_bones * fmax(s->length[a], s->length[b]) + like_slack * shorter;
        if (difference > most) return false;
        a = s->main[a];
        b = s->main[b];
    }
    return true;
}

/* The longest pair of limbs that are not barred, at another node than `skipped_node`. */
static limb_pair pair_find(const shape *s, const bool *barred, int skipped_node)
{
    limb_pair best = { .node = -1 };
    for (int i = 0; i < s->count; i++) {
        const sibling *a = &s->siblings[i];
        if (a->parent < 0 || a->parent == skipped_node || barred[a->joint]) continue;
        for (int k = i + 1; k < s->count && k <= i + SIBLINGS_SEEN; k++) {
            const sibling *b = &s->siblings[k];
            if (b->parent != a->parent || b->total <= best.total) break;
            if (barred[b->joint] || !limbs_are_like(s, a->joint, b->joint)) continue;
            best = (limb_pair){ a->parent, { a->joint, b->joint }, b->total };
        }
    }
    return best;
}

/* Finds both pairs; false if the skeleton has no two. `barred` comes cleared. */
static bool pairs_find(const shape *s, bool *barred, limb_pair *legs, limb_pair *arms)
{
    limb_pair longest = pair_find(s, barred, -1);
    if (longest.node < 0) return false;
    /* What hangs on the limbs (fingers) is no second pair, nor is one that holds the first. */
    for (int j = 0; j < s->count; j++) {
        int parent = s->joints[j].parent;
        barred[j] =
            j == longest.first[0] || j == longest.first[1] || (parent >= 0 && barred[parent]);
    }
    for (int j = longest.node; j >= 0; j = s->joints[j].parent) barred[j] = true;
    limb_pair second = pair_find(s, barred, longest.node);
    if (second.node < 0) return false;

    int trunk = mry_common_ancestor(s->joints, longest.node, second.node);
    bool arms_are_longer = trunk == second.node;
    *legs = arms_are_longer ? second : longest;
    *arms = arms_are_longer ? longest : second;
    return arms->total >= arms_least * legs->total && legs->total >= legs_least * arms->total;
}

/* From `joint` on, the first joint of the main way that is elsewhere than its parent; or -1. */
static int next_apart(const shape *s, int joint, double tiny)
{
    while (joint >= 0 && s->length[joint] <= tiny) joint = s->main[joint];
    return joint;
}

/* Upper arm and forearm, thigh and shin: two long bones in a row, the last such two, because a
   collar bone may be longer than a forearm, but a hand or foot is not nearly as long. */
static bool limb_measure(const shape *s, int first, limb *out)
{
    double tiny = no_length * s->total[first], best = 0.0;
    int before = next_apart(s, s->main[first], tiny), after;
    for (; before >= 0; before = after) {
        after = next_apart(s, s->main[before], tiny);
        if (after < 0) break;
        double shorter = fmin(s->length[before], s->length[after]);
        if (shorter < long_bones * best) continue;
        best = fmax(best, shorter);
        int tip = next_apart(s, s->main[after], tiny);
        *out = (limb){ first, s->joints[before].parent, before, after, tip };
    }
    return best > 0.0;
}

/* ---- left and right -------------------------------------------------------------------------- */

/* Adds where the foot and the bent knee of one leg point, each as a share of the length it has, so
   that a stretched leg or a foot without length says little. */
static void facing_add(const shape *s, int frame, const limb *leg, double *facing)
{
    const double *hip = place(s, leg->upper), *knee = place(s, leg->mid),
                 *ankle = place(s, leg->low);
    int last = leg->tip >= 0 ? leg->tip : leg->low;
    const marey_joint *end = &s->joints[last];
    double tip[3] = { 0.0, 0.0, 0.0 }, foot[3], shin[3], bend[3];
    for (int i = 0; i < 3 && end->has_end; i++) tip[i] = end->end_cm[i];
    for (int j = last; j >= 0; j = s->joints[j].parent)
        mry_quat_rotate_double(mry_turn(s->clip, frame) + (size_t)j * 4, tip, tip);
    for (int i = 0; i < 3; i++) tip[i] += place(s, last)[i];
    subtract(tip, ankle, foot);
    subtract(ankle, hip, shin);
    subtract(knee, hip, bend);
    double foot_length = mry_length3(foot), square = dot(shin, shin);
    double along = square > 0.0 ? dot(bend, shin) / square : 0.0;
    double leg_length = s->length[leg->mid] + s->length[leg->low];
    for (int i = 0; i < 3; i++) {
        if (foot_length > no_length * leg_length) facing[i] += foot[i] / foot_length;
        facing[i] += 2.0 * (bend[i] - along * shin[i]) / leg_length;
    }
}

static bool letter_is(const char *p, char small)
{
    return *p == small || *p == small - 'a' + 'A';
}

/* Does a name speak of the side `word`, "left" or "right"? By the word anywhere in it, by its first
   letter in front ("l_", "lF") or behind ("_l"). */
static bool name_has_side(const char *name, const char *word)
{
    size_t count = 0, matched = 0;
    for (const char *p = name; *p; p++, count++) {
        matched = letter_is(p, word[matched]) ? matched + 1 : (size_t)letter_is(p, word[0]);
        if (!word[matched]) return true;
    }
    if (count < 2) return false;
    bool ahead = letter_is(name, word[0]) && (name[1] == '_' || name[1] == '.' || name[1] == ' ' ||
                                              (name[1] >= 'A' && name[1] <= 'Z'));
    char before = name[count - 2];
    return ahead || (letter_is(name + count - 1, word[0]) &&
                     (before == '_' || before == '.' || before == ' ' || before == '-'));
}

static void limbs_swap(limb *pair)
{
    limb kept = pair[0];
    pair[0] = pair[1];
    pair[1] = kept;
}

/* Puts the left limb of each pair first. The arms go with the legs: shoulders and hips face the
   same way in most of the poses looked at. */
static void sides_settle(const shape *s, limb *legs, limb *arms, int chest, int hips)
{
    int names = 0;
    double pose = 0.0, across = 0.0, x = 0.0;
    for (int i = 0; i < s->looks; i++) {
        int frame = frame_of_look(s, i);
        double up[3], left[3], of_legs[3], of_arms[3], facing[3] = { 0.0, 0.0, 0.0 };
        marey_clip_positions(s->clip, frame, 1, s->places);
        subtract(place(s, chest), place(s, hips), up);
        subtract(place(s, legs[0].upper), place(s, legs[1].upper), of_legs);
        subtract(place(s, arms[0].upper), place(s, arms[1].upper), of_arms);
        /* legs[0] is the left one if they lie so. In a right-handed frame left = up x forward. */
        for (int k = 0; k < 2; k++) facing_add(s, frame, &legs[k], facing);
        left[0] = up[1] * facing[2] - up[2] * facing[1];
        left[1] = up[2] * facing[0] - up[0] * facing[2];
        left[2] = up[0] * facing[1] - up[1] * facing[0];
        double size = mry_length3(up) * mry_length3(of_legs);
        double vote = size > 0.0 ? dot(left, of_legs) / size : 0.0;
        if (isfinite(vote)) pose += vote;
        size = mry_length3(of_legs) * mry_length3(of_arms);
        if (size > 0.0 && isfinite(size)) across += dot(of_legs, of_arms) / size;
        x += of_legs[0];
    }
    for (int k = 0; k < 2; k++) { /* > 0: the names say so */
        const char *name = s->joints[legs[k].mid].name;
        int says = name_has_side(name, "left") - name_has_side(name, "right");
        names += k == 0 ? says : -says;
    }
    bool swap = x < 0.0;
    if (names != 0) swap = names < 0;
    if (fabs(pose) > vote_least * s->looks) swap = pose < 0.0;
    if (across < 0.0) limbs_swap(arms);
    if (!swap) return;
    limbs_swap(legs);
    limbs_swap(arms);
}

/* ---- roles ----------------------------------------------------------------------------------- */

/* Neck and head: the longest way from the chest that is no arm, up to where it branches (eyes, jaw)
   or ends. */
static void head_find(const shape *s, const limb_pair *arms, int *roles)
{
    int first = -1;
    for (int i = 0; i < s->count && first < 0; i++) {
        int joint = s->siblings[i].joint;
        bool is_arm = joint == arms->first[0] || joint == arms->first[1];
        if (s->siblings[i].parent == arms->node && !is_arm) first = joint;
    }
    if (first < 0) return;
    int head = first, length = 1;
    for (; s->children[head] == 1; head = s->main[head]) length++;
    /* Some files end the head in a joint of its own at the crown: it has no length and never
       turns. */
    bool is_crown = length > 2 && s->main[head] < 0 && s->total[head] <= s->length[head];
    for (int i = 1; i < s->looks && is_crown; i++) {
        const float *turn = mry_turn(s->clip, frame_of_look(s, i)) + (size_t)head * 4;
        float dot_first = mry_quat_dot(mry_turn(s->clip, 0) + (size_t)head * 4, turn);
        is_crown = !(fabsf(dot_first) < 1.0f - 1e-5f);
    }
    if (is_crown) head = s->joints[head].parent;
    roles[MAREY_ROLE_HEAD] = head;
    if (head != first) roles[MAREY_ROLE_NECK] = first;
}

bool mry_roles_from_shape(const marey_clip *clip, mry_arena *tmp, int *roles, bool *found)
{
    shape s = { .clip = clip, .joints = clip->joints, .count = clip->skeleton.joint_count };
    *found = false;
    bool *barred = MRY_NEW(tmp, bool, s.count);
    if (!barred || !shape_build(&s, tmp)) return false;

    limb_pair leg_pair, arm_pair;
    limb legs[2], arms[2];
    if (!pairs_find(&s, barred, &leg_pair, &arm_pair)) return true;
    for (int i = 0; i < 2; i++) {
        if (!limb_measure(&s, leg_pair.first[i], &legs[i])) return true;
        if (!limb_measure(&s, arm_pair.first[i], &arms[i])) return true;
    }
    int chest = arm_pair.node, hips = mry_common_ancestor(s.joints, leg_pair.node, chest);
    int spine = chest;
    while (s.joints[spine].parent != hips) spine = s.joints[spine].parent;
    roles[MAREY_ROLE_HIPS] = hips;
    roles[MAREY_ROLE_CHEST] = chest;
    if (spine != chest) roles[MAREY_ROLE_SPINE] = spine;
    head_find(&s, &arm_pair, roles);
    sides_settle(&s, legs, arms, chest, hips);
    for (int side = 0; side < 2; side++) {
        int *own = roles + side * (MAREY_ROLE_RIGHT_COLLAR - MAREY_ROLE_LEFT_COLLAR);
        const limb *arm = &arms[side], *leg = &legs[side];
        if (arm->upper != arm->root) own[MAREY_ROLE_LEFT_COLLAR] = arm->root;
        own[MAREY_ROLE_LEFT_SHOULDER] = arm->upper;
        own[MAREY_ROLE_LEFT_ELBOW] = arm->mid;
        own[MAREY_ROLE_LEFT_WRIST] = arm->low;
        own[MAREY_ROLE_LEFT_HIP] = leg->upper;
        own[MAREY_ROLE_LEFT_KNEE] = leg->mid;
        own[MAREY_ROLE_LEFT_ANKLE] = leg->low;
        own[MAREY_ROLE_LEFT_TOE] = leg->tip;
    }
    *found = true;
    return true;
}
