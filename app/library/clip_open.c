/* clip_open.c - from an address to a clip. */
#include "clip_open.h"

#include "address.h"

#include <stdio.h>

marey_status app_clip_open(const app_env *env, const char *text, app_clip *out, marey_error *error)
{
    address at;
    marey_clip *clip = NULL, *part = NULL;
    int dropped = 0, start = 0, end = 0;
    marey_status status = MAREY_ERR_REQUEST;
    if (!address_parse(text, &at))
        return app_fail(error, MAREY_ERR_INPUT, text, "this name is too long");
    if (env->library) {
        status = marey_library_load(env->library, at.path, &clip, error);
    } else if (env->files) {
        status = env->files->load(env->files->user, at.path, &clip, &dropped, error);
    } else {
        return app_fail(error, status, NULL, "there is no library to take %s from", at.path);
    }
    marey_status group = marey_status_group(status);
    if (group == MAREY_ERR_INPUT || group == MAREY_ERR_IO) address_explain(at.path, error);
    if (status == MAREY_OK) status = app_own_clip(env, clip, error);
    if (status != MAREY_OK) return status;
    *out = (app_clip){ clip, app_copy(env->scope, at.path), dropped,
                       dropped + marey_clip_frames(clip) };
    if (!out->name) return app_fail_memory(error);
    if (!at.range.given) return MAREY_OK;
    status = range_find(&at.range, clip, dropped, &start, &end, error);
    if (status == MAREY_OK) status = marey_clip_trim(clip, start, end, &part, error);
    if (status != MAREY_OK) {
        snprintf(error->path, sizeof error->path, "%.1000s", at.path);
        return status;
    }
    *out = (app_clip){ part, out->name, out->start + start, out->start + end };
    return app_own_clip(env, part, error);
}
