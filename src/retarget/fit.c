/* fit.c - any clip on any body: other bones by refit.c, other joints by other_body.c. */
#include "feature/feature_data.h"
#include "motion/clip_data.h"

#include <marey/retarget.h>

marey_status marey_clip_fit(const marey_clip *clip, const marey_contacts *contacts,
                            const marey_clip *like, const marey_retarget_def *def, marey_clip **out,
                            marey_fit *fit, marey_error *error)
{
    static const marey_contact none = { 0 }; /* an empty list is not one that is to be found */
    marey_fit made = { .retargeted = !mry_same_joints(&clip->skeleton, &like->skeleton) };
    const marey_contact *items = contacts && contacts->count > 0 ? contacts->items : &none;
    marey_status status = made.retargeted ? marey_clip_retarget(clip, contacts ? items : NULL,
                                                                contacts ? contacts->count : 0,
                                                                like, def, out, &made.how, error)
                                          : marey_clip_refit(clip, like, out, error);
    if (!status && fit) *fit = made;
    if (!made.retargeted || marey_status_group(status) != MAREY_ERR_INPUT) return status;
    if (error) error->status = MAREY_ERR_SHAPE;
    return MAREY_ERR_SHAPE;
}
