/* body_maps.h - which joints of two bodies belong together, where one's motion goes onto the other.
   Read after clip_reading.h. */
#ifndef MAREY_APP_BODY_MAPS_H
#define MAREY_APP_BODY_MAPS_H

#include "clip_reading.h"
#include "set_clips.h"

/* Whose map it is; app_map_from_word: "found". */
typedef enum app_map_from { APP_MAP_FOUND, APP_MAP_KEPT, APP_MAP_GIVEN } app_map_from;
const char *app_map_from_word(app_map_from from);

/* {0} is one that is found when it is needed. */
typedef struct app_map {
    app_map_from from;
    marey_body_map map;
} app_map;

/* For marey_retarget_def; NULL: the one that is found anyway. */
static inline const marey_body_map *app_map_used(const app_map *map)
{
    return map->from == APP_MAP_FOUND ? NULL : &map->map;
}

/* The map of a document, if it is one (its text is not NULL), else the one that the library keeps for
   the two skeletons, else the one that is found. The caller frees it. Without a library any thread may
   call it. INPUT, MEMORY. */
marey_status app_map_read(const app_env *env, const app_document *given, const marey_clip *clip,
                          const marey_clip *onto, app_map *out, marey_error *error);

/* The same; the scope frees it. */
marey_status app_map_open(const app_env *env, const app_document *given, const marey_clip *clip,
                          const marey_clip *onto, app_map *out, marey_error *error);

/* As marey_body_map_text has it, in the scope. MEMORY. */
marey_status app_map_text(const app_env *env, const marey_clip *clip, const marey_clip *onto,
                          const marey_body_map *map, const char **out, marey_error *error);

/* The members of such a text. */
void app_map_write(const char *text, json *out);

/* ---- map ------------------------------------------------------------------------------------- */

typedef struct app_map_params {
    app_params given;
    app_segment a, b;
    app_document set;
    bool forget, found;
} app_map_params;

typedef struct app_map_result {
    marey_clip *a, *b;
    app_map map;
    const char *text;
    app_stale_list stale; /* of a change */
} app_map_result;

#endif
