/* mcp_info.c - what is known of one clip, as the program's `info` says it. */
#include "mcp_inside.h"

#include "clip_info.h"
#include "clip_reading.h"
#include "entries.h"

typedef struct info_params {
    app_params given;
    const char *clip;
} info_params;

typedef struct info_result {
    const marey_clip *clip;
    const marey_entry *entry;
} info_result;

static const app_param params[] = {
    { .name = "clip",
      .type = APP_CLIP,
      .at = offsetof(info_params, clip),
      .place = 1,
      .needed = true,
      .help = "which clip" },
    { 0 },
};

static marey_status run(const app_env *env, const void *given, void *result, marey_error *error)
{
    const info_params *asked = given;
    info_result *out = result;
    marey_clip *clip = NULL;
    marey_listing *listing = NULL;
    marey_list_def which = { .clip = asked->clip };
    int count = 0;
    marey_status status = marey_library_load(env->library, asked->clip, &clip, error);
    if (status == MAREY_OK) status = app_own_clip(env, clip, error);
    if (status == MAREY_OK) status = marey_library_list(env->library, &which, &listing, error);
    if (status == MAREY_OK) status = app_own_listing(env, listing, error);
    if (status != MAREY_OK) return status;
    out->clip = clip;
    out->entry = marey_listing_entries(listing, &count);
    if (count == 0) out->entry = NULL; /* it was removed in this moment */
    return MAREY_OK;
}

static void write(const void *given, const void *result, json *out)
{
    const info_result *of = result;
    (void)given;
    json_open(out, "clip", '{');
    if (of->entry) app_entry_write(of->entry, out);
    json_close(out, '}');
    json_open(out, "motion", '{');
    app_info_write(of->clip, NULL, out);
    json_close(out, '}');
}

const app_operation mcp_info = {
    .name = "info",
    .summary = "say what is known of one clip",
    .description = { "Labels, description, licence and source; frames, rate and units; which joint "
                     "has which role; marked frames, that are no captured motion; and what is "
                     "doubtful about it." },
    .params = params,
    .params_size = sizeof(info_params),
    .result_size = sizeof(info_result),
    .library = APP_READS,
    .run = run,
    .write = write,
};
