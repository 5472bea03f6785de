/* body_maps.c - maps of joints: given, kept by a library, or found; and `map`, which shows and keeps
   them. */
#include "body_maps.h"

#include "operations.h"

#include <stddef.h>
#include <string.h>

const char *app_map_from_word(app_map_from from)
{
    static const char *const words[] = { "found", "library", "given" };
    return words[from];
}

marey_status app_map_read(const app_env *env, const app_document *given, const marey_clip *clip,
                          const marey_clip *onto, app_map *out, marey_error *error)
{
    marey_status status = MAREY_ERR_NOT_FOUND;
    *out = (app_map){ .from = given->text ? APP_MAP_GIVEN : APP_MAP_KEPT };
    if (given->text)
        status = marey_body_map_parse(clip, onto, given->name, given->text, &out->map, error);
    else if (env->library)
        status = marey_library_map(env->library, clip, onto, &out->map, error);
    if (status != MAREY_ERR_NOT_FOUND) return status;
    out->from = APP_MAP_FOUND;
    return app_check(marey_body_map_find(clip, onto, &out->map) != MAREY_OK, error);
}

static void release_map(void *map)
{
    marey_body_map_free(map);
}

marey_status app_map_open(const app_env *env, const app_document *given, const marey_clip *clip,
                          const marey_clip *onto, app_map *out, marey_error *error)
{
    marey_body_map *map = APP_NEW(env->scope, marey_body_map, 1);
    if (!map) return app_fail_memory(error);
    marey_status status = app_map_read(env, given, clip, onto, out, error);
    if (status != MAREY_OK) return status;
    *map = out->map;
    return app_own(env->scope, map, release_map, error);
}

marey_status app_map_text(const app_env *env, const marey_clip *clip, const marey_clip *onto,
                          const marey_body_map *map, const char **out, marey_error *error)
{
    size_t length = 0;
    marey_status status = marey_body_map_text(clip, onto, map, NULL, 0, &length);
    char *text = status == MAREY_OK ? APP_NEW(env->scope, char, length + 1) : NULL;
    if (text) status = marey_body_map_text(clip, onto, map, text, length + 1, &length);
    *out = text;
    return app_check(!text || status != MAREY_OK, error);
}

void app_map_write(const char *text, json *out)
{
    const char *end = strrchr(text, '}');
    if (out->comma) buffer_byte(out->out, ',');
    /* Line ends are its layout: those in names are written as escapes. */
    for (const char *p = text + 1; p < end; p++) {
        if (*p == '\n')
            while (p[1] == ' ') p++;
        else
            buffer_byte(out->out, *p);
    }
    out->comma = true;
}

/* ---- map ------------------------------------------------------------------------------------- */

static const app_param params_rows[] = {
    { .name = "a",
      .type = APP_SEGMENT,
      .at = offsetof(app_map_params, a),
      .place = 1,
      .needed = true,
      .help = "a clip, or a file with a skeleton" },
    { .name = "b",
      .type = APP_SEGMENT,
      .at = offsetof(app_map_params, b),
      .place = 2,
      .needed = true,
      .help = "another one" },
    { .name = "set",
      .type = APP_DOCUMENT,
      .at = offsetof(app_map_params, set),
      .value = "FILE",
      .help = "keep this map in the library, for all clips with these two skeletons" },
    { .name = "forget",
      .type = APP_SWITCH,
      .at = offsetof(app_map_params, forget),
      .help = "forget the map that the library keeps: it is found again" },
    { .name = "found",
      .type = APP_SWITCH,
      .at = offsetof(app_map_params, found),
      .help = "find the map by roles and names, whatever the library keeps" },
    { 0 },
};

static bool changes(const void *params)
{
    const app_map_params *request = params;
    return request->set.name || request->forget;
}

static marey_status check(const void *params, app_dialect dialect, marey_error *error)
{
    const app_map_params *request = params;
    const char *dashes = dialect == APP_COMMAND_LINE ? "--" : "";
    if ((request->set.name != NULL) + request->forget + request->found <= 1) return MAREY_OK;
    return app_fail(error, MAREY_ERR_REQUEST, NULL,
                    "%sset, %sforget and %sfound exclude each other", dashes, dashes, dashes);
}

/* All that is saved and opens now; which of it does not any more is known after the change. */
static marey_status find_stale(const app_env *env, app_stale_list *out, marey_error *error)
{
    const marey_listing *listing = NULL;
    marey_status status = app_listing(env, &listing, error);
    if (status != MAREY_OK) return status;
    int count;
    const marey_entry *entries = marey_listing_entries(listing, &count);
    int64_t *ids = APP_NEW(env->scope, int64_t, count + 1);
    if (!ids) return app_fail_memory(error);
    for (int i = 0; i < count; i++) ids[i] = entries[i].id;
    return app_stale_find(env, ids, count, out, error);
}

/* After a change the answer is what holds from then on. */
static marey_status run(const app_env *env, const void *params, void *result, marey_error *error)
{
    const app_map_params *request = params;
    app_map_result *out = result;
    app_env finding = *env;
    marey_status status = app_body_read(env, &request->a, &out->a, error);
    if (status == MAREY_OK) status = app_body_read(env, &request->b, &out->b, error);
    if (status != MAREY_OK) return status;
    if (request->forget || request->found) finding.library = NULL;
    status = app_map_open(&finding, &request->set, out->a, out->b, &out->map, error);
    if (status != MAREY_OK) return status;
    if (out->map.from == APP_MAP_GIVEN) out->map.from = APP_MAP_KEPT;
    if (changes(params) && env->library) {
        status = find_stale(env, &out->stale, error);
        if (status != MAREY_OK) return status;
    }
    return app_map_text(env, out->a, out->b, &out->map.map, &out->text, error);
}

static void write(const void *params, const void *result, json *out)
{
    const app_map_result *of = result;
    json_put_string(out, "map_from", app_map_from_word(of->map.from));
    app_map_write(of->text, out);
    if (changes(params)) app_stale_write(&of->stale, out);
}

static marey_status commit(const app_env *env, const void *params, void *result, marey_error *error)
{
    const app_map_params *request = params;
    app_map_result *of = result;
    if (!changes(params)) return MAREY_OK;
    marey_status status =
        request->forget ? marey_library_forget_map(env->library, of->a, of->b, error)
                        : marey_library_keep_map(env->library, of->a, of->b, &of->map.map, error);
    if (status == MAREY_OK) app_stale_settle(env, 0, &of->stale);
    return status;
}

const app_operation app_map_joints = {
    .name = "map",
    .summary = "say which joints of two bodies belong together",
    .description = { "Counterparts are found by roles, and of joints without a role by their "
                     "names. "
                     "Pairs that look wrong have a conflict: sides, where left meets right; order, "
                     "where two pairs are above each other the other way round in each body.",
                     "With -L the map that the library keeps for the two skeletons is given, if it "
                     "keeps one. --set FILE keeps one, as it was printed and changed: whatever "
                     "goes "
                     "from a body of one skeleton to one of the other in this library is "
                     "retargeted "
                     "by it from then on, both ways. Lengths of bones do not matter.",
                     "--forget lets it be found again. Saved families, graphs and cluster graphs "
                     "that "
                     "went by another map are listed: they are stale until it is that one again." },
    .params = params_rows,
    .params_size = sizeof(app_map_params),
    .result_size = sizeof(app_map_result),
    .library = APP_MAY_READ,
    .writes = changes,
    .check = check,
    .run = run,
    .write = write,
    .commit = commit,
    .names_follow = true,
};
