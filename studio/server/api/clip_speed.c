/* clip_speed.c - see clip_speed.h. */
#include "clip_speed.h"

#include "clip_facts.h"

marey_status clip_speeds(heap *memory, const marey_clip *clip, fastest *out, marey_error *error)
{
    marey_ctx_def allocator = { .resize = heap_resize, .resize_user = memory };
    app_speeds got;
    marey_status status = app_speeds_measure(&allocator, clip, NULL, &got, error);
    if (status == MAREY_OK) *out = (fastest){ got.joint_cm_per_s, got.knee_cm_per_s };
    return status;
}
