/* made.c - what blends, transitions and loops hand back. */
#include <marey/blend.h>

void marey_made_free(marey_made *made)
{
    if (!made) return;
    marey_clip_free(made->clip);
    marey_contacts_free(&made->contacts);
    *made = (marey_made){ 0 };
}
