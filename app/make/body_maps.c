/* body_maps.c - maps of joints, from files or found. */
#include "body_maps.h"

#include <string.h>

static void release_map(void *map)
{
    marey_body_map_free(map);
}

marey_status app_map_open(const app_env *env, const app_document *given, const marey_clip *clip,
                          const marey_clip *onto, app_map *out, marey_error *error)
{
    marey_body_map *map = APP_NEW(env->scope, marey_body_map, 1);
    marey_status status = MAREY_OK;
    *out = (app_map){ given->text ? APP_MAP_GIVEN : APP_MAP_FOUND, { 0 } };
    if (!map) return app_fail_memory(error);
    if (given->text)
        status = marey_body_map_parse(clip, onto, given->name, given->text, map, error);
    else if (marey_body_map_find(clip, onto, map) != MAREY_OK)
        status = app_fail_memory(error);
    if (status != MAREY_OK) return status;
    out->map = *map;
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
