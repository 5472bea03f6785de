/* doctor_choice.c - which findings and repairs of a clip `doctor` is asked about: all, or those in
   some frames, of one joint, or at one place of the list. */
#include "doctor.h"

#include "clip_reading.h"
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

bool app_has_joint(const marey_clip *clip, const char *name)
{
    const marey_skeleton *skeleton = marey_clip_skeleton(clip);
    bool has = false;
    for (int j = 0; j < skeleton->joint_count && !has; j++)
        has = strcmp(skeleton->joints[j].name, name) == 0;
    return has;
}

marey_status app_choice_joint(const app_env *env, const app_doctor_params *request,
                              const app_doctor_result *out, marey_error *error)
{
    const marey_listing *listing = NULL;
    const char *known = "";
    bool asks = request->joint && strcmp(request->joint, "-") != 0 && out->count > 0;
    bool has = !asks || out->joint_seen || out->flaws + out->repairs > 0;
    if (has) return MAREY_OK;
    marey_status status = env->library ? app_listing(env, &listing, error) : MAREY_OK;
    /* One clip of each skeleton will do. */
    for (int i = 0; listing && i < out->count && status == MAREY_OK && !has; i++) {
        const marey_entry *entry = app_listing_find(listing, out->items[i].name);
        marey_clip *clip = NULL;
        if (!entry || strcmp(entry->skeleton, known) == 0) continue;
        known = entry->skeleton;
        status = marey_library_load(env->library, entry->name, &clip, error);
        has = status == MAREY_OK && app_has_joint(clip, request->joint);
        marey_clip_free(clip);
    }
    if (status != MAREY_OK || has) return status;
    return app_fail(error, MAREY_ERR_REQUEST, NULL, "no clip that was asked for has a joint %.200s",
                    request->joint);
}
