/* doctor_choice.c - which findings and repairs of a clip `doctor` is asked about: all, or those in
   some frames, of one joint, or at one place of the list. */
#include "doctor.h"

#include "operations.h"

#include <stdio.h>
#include <string.h>

marey_status app_choice_make(const app_env *env, const app_doctor_params *request, app_choice *out,
                             marey_error *error)
{
    int count = request->clips.count;
    bool placed = app_given(app_doctor.params, &request->given, "place");
    *out = (app_choice){ .request = request,
                         .place = placed ? request->place : -1,
                         .same = APP_NEW(env->scope, int, count + 1),
                         .starts = APP_NEW(env->scope, int, count + 1),
                         .ends = APP_NEW(env->scope, int, count + 1) };
    return app_check(!out->same || !out->starts || !out->ends, error);
}

marey_status app_choice_frames(app_choice *choice, int first, const char *name, int frames,
                               double fps, marey_error *error)
{
    for (int i = first; i >= 0 && i < choice->request->clips.count; i++) {
        const frame_range *range = &choice->request->clips.values[i].range;
        if (choice->same[i] != first || !range->given) continue;
        marey_status status =
            range_find_among(range, frames, fps, 0, &choice->starts[i], &choice->ends[i], error);
        if (status == MAREY_OK) continue;
        snprintf(error->path, sizeof error->path, "%.1000s", name);
        return status;
    }
    return MAREY_OK;
}

bool app_choice_has(const app_choice *choice, int first, int place, const char *joint, int start,
                    int end)
{
    const app_doctor_params *request = choice->request;
    if (choice->place >= 0 && choice->place != place) return false;
    if (request->joint && joint &&
        strcmp(strcmp(request->joint, "-") == 0 ? "" : request->joint, joint) != 0)
        return false;
    if (first < 0) return true;
    for (int i = first; i < request->clips.count; i++) {
        const frame_range *range = &request->clips.values[i].range;
        if (choice->same[i] != first) continue;
        if (!range->given) return true;
        bool touches = start < choice->ends[i] && choice->starts[i] < end;
        bool within = choice->starts[i] <= start && end <= choice->ends[i];
        if (within || (touches && (range->one_frame || !joint))) return true;
    }
    return false;
}
