/* body_mass.c - centre of mass from the shares that limbs have in a person's mass, and where along
   each its own centre lies (Winter, Biomechanics and Motor Control of Human Movement, table
   4.1). */
#include "param/body_mass.h"

#include <string.h>

typedef struct limb {
    marey_role from, to;
    double share; /* of the body's mass */
    double along; /* of the way from `from` to `to` */
} limb;

#define BOTH(a, b, share, along)                                                                   \
    { MAREY_ROLE_LEFT_##a, MAREY_ROLE_LEFT_##b, share, along },                                    \
    {                                                                                              \
        MAREY_ROLE_RIGHT_##a, MAREY_ROLE_RIGHT_##b, share, along                                   \
    }

/* The trunk is halved between its two sides; the head hangs on its joint. */
static const limb limbs[] = {
    BOTH(HIP, SHOULDER, 0.2485, 0.5),
    BOTH(SHOULDER, ELBOW, 0.028, 0.436),
    BOTH(ELBOW, WRIST, 0.022, 0.682),
    BOTH(HIP, KNEE, 0.1, 0.433),
    BOTH(KNEE, ANKLE, 0.0465, 0.433),
    BOTH(ANKLE, TOE, 0.0145, 0.5),
    { MAREY_ROLE_NECK, MAREY_ROLE_HEAD, 0.081, 1 },
};

enum { LIMBS = sizeof limbs / sizeof *limbs };

static bool is_person(const marey_skeleton *skeleton)
{
    for (int i = 0; i < LIMBS; i++) {
        if (skeleton->roles[limbs[i].from] < 0 || skeleton->roles[limbs[i].to] < 0) return false;
    }
    return true;
}

void mry_body_mass_needs(const marey_skeleton *skeleton, uint8_t *joints)
{
    if (!is_person(skeleton)) {
        memset(joints, 1, (size_t)skeleton->joint_count);
        return;
    }
    for (int i = 0; i < LIMBS; i++) {
        joints[skeleton->roles[limbs[i].from]] = 1;
        joints[skeleton->roles[limbs[i].to]] = 1;
    }
}

void mry_body_mass(const marey_skeleton *skeleton, const double *positions, double *out)
{
    memset(out, 0, 3 * sizeof *out);
    if (!is_person(skeleton)) {
        for (int j = 0; j < skeleton->joint_count; j++) {
            for (int n = 0; n < 3; n++) out[n] += positions[3 * j + n] / skeleton->joint_count;
        }
        return;
    }
    for (int i = 0; i < LIMBS; i++) {
        const double *a = positions + 3 * skeleton->roles[limbs[i].from];
        const double *b = positions + 3 * skeleton->roles[limbs[i].to];
        for (int n = 0; n < 3; n++)
            out[n] += limbs[i].share * (a[n] + limbs[i].along * (b[n] - a[n]));
    }
}
