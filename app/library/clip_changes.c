/* clip_changes.c - `rename`: changes of clips as a whole. The library looks for the clips inside the transaction that changes
   them, so a number means the same clip whatever it is called meanwhile. */
#include "operations.h"
#include "saved_things.h"

#include <stddef.h>

/* Of changes whose answer is known before: commit makes them. */
static marey_status run_nothing(const app_env *env, const void *params, void *result,
                                marey_error *error)
{
    (void)env, (void)params, (void)result, (void)error;
    return MAREY_OK;
}

/* ---- rename -------------------------------------------------------------------------------------- */

static const app_param rename_params[] = {
    { .name = "clip",
      .type = APP_CLIP,
      .at = offsetof(app_saved_rename, name),
      .place = 1,
      .needed = true,
      .value = "OLD",
      .help = "which clip" },
    { .name = "to",
      .type = APP_TEXT,
      .at = offsetof(app_saved_rename, to),
      .place = 2,
      .needed = true,
      .value = "NEW",
      .help = "its new name" },
    { 0 },
};

static void write_renamed(const void *params, const void *result, json *out)
{
    const app_saved_rename *asked = params;
    (void)result;
    json_put_string(out, "name", asked->to);
}

static marey_status rename_clip(const app_env *env, const void *params, void *result,
                                marey_error *error)
{
    const app_saved_rename *asked = params;
    (void)result;
    return marey_library_rename(env->library, asked->name, asked->to, error);
}

const app_operation app_rename = {
    .name = "rename",
    .summary = "give a clip another name",
    .description = { "A name has 1 to 200 bytes and no '/', '#' or control character." },
    .params = rename_params,
    .params_size = sizeof(app_saved_rename),
    .library = APP_WRITES,
    .run = run_nothing,
    .write = write_renamed,
    .commit = rename_clip,
};
