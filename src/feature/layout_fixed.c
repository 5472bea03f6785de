/* layout_fixed.c - layouts that do not depend on how the clips move, so that what is compared by them stays the same
   whoever else is there. What other layouts measure is that of a typical body: the mean of the clips of twelve people, with
   legs of 80 cm. Only constants follow from it that cancel (heights) or that set a scale. */
#include "feature/feature_data.h"

#define LEGS_CM 80.0
#define LEVER_CM 40.0 /* joints are so far from the pelvis, root mean square */
#define HIPS_CM 95.0

/* How high the joints of somebody are who stands, walks and reaches: hips to head, then collar to toe of either side. */
static const double body_cm[MAREY_ROLE_LEFT_COLLAR] = { HIPS_CM, 105, 118, 125, 138 };
static const double side_cm[MAREY_ROLE_RIGHT_COLLAR - MAREY_ROLE_LEFT_COLLAR] = {
    122, 128, 100, 82, 88, 49, 10, 5
};

static double role_height(int role)
{
    if (role < MAREY_ROLE_LEFT_COLLAR) return body_cm[role];
    int side = MAREY_ROLE_RIGHT_COLLAR - MAREY_ROLE_LEFT_COLLAR;
    return side_cm[(role - MAREY_ROLE_LEFT_COLLAR) % side];
}

/* Of the first role that it has, or the joint above it that has one. Compared joints are in rising order, so what is above is
   known where it is one of them: no way to the root is gone twice. */
static double joint_height(const marey_layout *layout, const marey_skeleton *skeleton, int k)
{
    for (int joint = layout->joint[k]; joint >= 0;) {
        for (int role = 0; role < MAREY_ROLE_COUNT; role++) {
            if (skeleton->roles[role] == joint) return role_height(role);
        }
        joint = skeleton->joints[joint].parent;
        int low = 0, high = k; /* the first that is not below it is from low to high */
        while (low < high) {
            int middle = (low + high) / 2;
            if (layout->joint[middle] < joint) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        if (low < k && layout->joint[low] == joint) return layout->height_cm[low];
    }
    return HIPS_CM;
}

void mry_layout_fix(marey_layout *layout, const marey_skeleton *first, const mry_fixed *fixed)
{
    layout->legs_cm = LEGS_CM;
    layout->lever_cm = LEVER_CM;
    for (int i = 0; i < MAREY_MOST_ATTRIBUTES; i++) layout->normal[i] = fixed->normal[i];
    mry_layout_settle_normals(layout);
    for (int k = 0; k < layout->joints; k++) {
        layout->height_cm[k] =
            layout->by_roles ? role_height(layout->joint[k]) : joint_height(layout, first, k);
    }
}

double mry_rate_within(double fps, double most)
{
    return fps > most * (1 - 1e-5) ? most : fps;
}
