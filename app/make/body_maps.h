/* body_maps.h - which joints of two bodies belong together, where one's motion goes onto the other.
   Read after clip_reading.h. */
#ifndef MAREY_APP_BODY_MAPS_H
#define MAREY_APP_BODY_MAPS_H

#include "clip_reading.h"

/* Whose map it is. */
typedef enum app_map_from { APP_MAP_FOUND, APP_MAP_GIVEN } app_map_from;

typedef struct app_map {
    app_map_from from;
    marey_body_map map;
} app_map;

/* The map of a document, if it is one (its text is not NULL), else the one that is found. The scope
   frees it. INPUT, MEMORY. */
marey_status app_map_open(const app_env *env, const app_document *given, const marey_clip *clip,
                          const marey_clip *onto, app_map *out, marey_error *error);

/* As marey_body_map_text has it, in the scope. MEMORY. */
marey_status app_map_text(const app_env *env, const marey_clip *clip, const marey_clip *onto,
                          const marey_body_map *map, const char **out, marey_error *error);

/* The members of such a text. */
void app_map_write(const char *text, json *out);

#endif
