/* param_own.c - features of the caller's own: which are lent to a context, and what they say of a
   motion, be it a clip or a blend of which one is made for them. */
#include "base/context.h"
#include "base/fail.h"
#include "motion/clip_data.h"
#include "param/param_data.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

void marey_param_lend(marey_ctx *ctx, const marey_own_feature *features, int count)
{
    ctx->features = features;
    ctx->feature_count = count;
}

static marey_status check(const marey_own_feature *own, marey_error *error)
{
    size_t length = strlen(own->name);
    bool blank = isspace((unsigned char)own->name[0]) ||
                 isspace((unsigned char)own->name[length ? length - 1 : 0]);
    if (length < 1 || length >= MAREY_PARAM_NAME_ROOM || blank || strpbrk(own->name, "(),"))
        return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                        "the name of an own feature must be 1 to %d bytes without brackets, commas "
                        "and outer blanks, got \"%.80s\"",
                        (int)MAREY_PARAM_NAME_ROOM - 1, own->name);
    if (!own->unit || !own->measure)
        return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                        "the own feature %s must have a unit, which may be empty, and a function",
                        own->name);
    return MAREY_OK;
}

marey_status mry_param_bind(const marey_ctx *ctx, marey_param *params, int count,
                            marey_error *error)
{
    const marey_own_feature *lent = ctx->features;
    for (int i = 0; i < count; i++) {
        if (params[i].kind != mry_own_kind) continue;
        for (int k = 0; k < ctx->feature_count && !params[i].own; k++) {
            if (lent[k].name && strcmp(lent[k].name, params[i].own_name) == 0)
                params[i].own = &lent[k];
        }
        if (!params[i].own)
            return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                            "own(%s) is a feature that only a program can lend, and none of that "
                            "name is lent here",
                            params[i].own_name);
        marey_status status = check(params[i].own, error);
        if (status) return status;
    }
    return MAREY_OK;
}

marey_status mry_own_of_view(const marey_param *param, const mry_view *view, double *value,
                             marey_error *error)
{
    const marey_own_feature *own = param->own;
    marey_clip *made = NULL;
    marey_error said = { 0 };
    if (!own)
        return mry_fail(error, MAREY_ERR_REQUEST, NULL, "own(%s) is not lent here",
                        param->own_name);
    if (!view->clip) {
        made = mry_clip_make_like(view->like, view->frames, view->fps);
        if (!made) return mry_fail_memory(error, NULL);
        for (int f = 0; f < view->frames; f++) {
            mry_seen seen = view->look(view->user, f);
            memcpy(mry_place(made, f), seen.places,
                   3 * (size_t)made->mover_count * sizeof *seen.places);
            memcpy(mry_turn(made, f), seen.turns,
                   4 * (size_t)made->skeleton.joint_count * sizeof *seen.turns);
        }
    }
    *value = NAN;
    marey_status status = own->measure(own->user, made ? made : view->clip, value, &said);
    marey_clip_free(made);
    if (!status) return MAREY_OK;
    return mry_fail(error, status, NULL, "own(%s): %.400s", param->own_name,
                    *said.message ? said.message : "its function failed");
}
