/* contact_names.c - what the four points of the feet are called. */
#include <marey/motion.h>

#include <assert.h>

const char *marey_contact_name(marey_contact_joint joint)
{
    static const char *const names[] = { "left_heel", "left_toe", "right_heel", "right_toe" };
    assert(joint >= 0 && joint < MAREY_CONTACT_JOINT_COUNT);
    return names[joint];
}
