/* materials.h - the clips that something is made of: without the frames that are no captured
   motion, on the bones of the first of them, with their foot plants. Read after clip_reading.h
   and clip_facts.h. */
#ifndef MAREY_APP_MATERIALS_H
#define MAREY_APP_MATERIALS_H

#include "clip_facts.h"
#include "clip_reading.h"
#include "saved.h"

typedef struct app_material {
    /* As it was asked for: "walk#120-300". */
    const char *text;
    /* As it was read, with its marked frames. */
    marey_clip *own;
    app_source source;
    bool cut; /* some of its frames were asked for */
    /* Its plants are the library's; else they were found in the motion. */
    bool stored;
    /* It had other bones than the first; other joints, too. */
    bool refitted, retargeted;
    marey_retarget_result retarget; /* if so */
    /* Its segment names one frame: this one, of the clip that is used. */
    bool centre_given;
    int centre;
} app_material;

typedef struct app_materials {
    int count;
    app_material *items;
    /* Those that are used, one of each item, and their plants. */
    marey_clip **clips;
    marey_contacts *contacts;
    /* The fastest of them, once that was asked for. */
    struct app_timed *timed;
} app_materials;

/* What is asked of all of them. */
typedef struct app_material_def {
    const app_reading *reading;
    /* Plants are found in the motion, whatever the library keeps. */
    bool found;
    /* A segment of one frame is the whole clip, and this frame of it. */
    bool centres;
    /* Plants are not needed, and bodies with other joints are left as they are: clips are only
       compared. */
    bool no_plants;
} app_material_def;

/* Everything lives in the environment's cache or scope. */
marey_status app_materials_load(const app_env *env, const app_material_def *def,
                                const app_segment *segments, int count, app_materials *out,
                                marey_error *error);

/* The frame as it is in its file or library that a frame of the clip is .. */
int app_material_frame(const app_materials *materials, int item, int frame);
/* .. and back. REQUEST: it is not in the clip, or no captured motion; `name` is the parameter it
   comes from. */
marey_status app_material_find(const app_materials *materials, int item, int frame,
                               const char *name, int *out, marey_error *error);

/* The fastest that any joint of any of them moves. */
marey_status app_materials_speeds(const app_materials *materials, marey_speeds *out,
                                  marey_error *error);

/* What tells them from others, for keys of the cache: all that is asked of them. */
void app_materials_key(const app_material_def *def, const app_segment *segments, int count,
                       buffer *out);

/* "refitted", and of one with other joints "retargeted": how well it went. */
void app_refit_write(const app_material *one, json *out);

#endif
