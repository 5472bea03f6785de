/* made.c - what blends, transitions and loops hand back. */
#include <marey/blend.h>

#include <math.h>

void marey_made_free(marey_made *made)
{
    if (!made) return;
    marey_clip_free(made->clip);
    marey_contacts_free(&made->contacts);
    *made = (marey_made){ 0 };
}

double marey_jump_ratio(double made_cm_per_s, double inputs_cm_per_s, double fps)
{
    double least = 0.001 * fps;
    if (isnan(made_cm_per_s) || isnan(inputs_cm_per_s)) return NAN;
    return fmax(made_cm_per_s, least) / fmax(inputs_cm_per_s, least);
}
