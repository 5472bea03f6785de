/* foot_plants.h - when which part of which foot stands still: what the library keeps, or what is
   found in the motion. Read after operation.h. */
#ifndef MAREY_APP_FOOT_PLANTS_H
#define MAREY_APP_FOOT_PLANTS_H

#include "clip_reading.h"
#include "operation.h"

/* Frames are those of the clip in hand. The items are the scope's. */
typedef struct app_plants {
    marey_contact *items; /* by joint, then start */
    int count;
    bool stored; /* the library's; else found in the motion */
} app_plants;

/* What the library keeps for a clip, cut to the frames [start, end) and counted from `start`;
   `stored` is false, with no items, if it never kept any. */
marey_status app_plants_stored(const app_env *env, const char *name, int start, int end,
                               app_plants *out, marey_error *error);

/* What is found in a clip. */
marey_status app_plants_find(const app_env *env, const marey_clip *clip, app_plants *out,
                             marey_error *error);

/* Of the frames of a clip that were read: what the library keeps, unless `found`; else what is
   found in the clip. */
marey_status app_plants_read(const app_env *env, const app_source *source, const marey_clip *clip,
                             bool found, app_plants *out, marey_error *error);

/* "key":[{"joint","start","end"},...], frames counted from `first`. */
void app_contacts_write(json *out, const char *key, const marey_contact *items, int count,
                        int first);

/* The members of one JSON object, without its brackets: "contacts", counted from `first`, and
   whether they are stored; how sound a motion is. */
void app_plants_write(const app_plants *plants, int first, json *out);
void app_quality_write(const marey_quality *quality, bool stored, json *out);

typedef struct app_contacts_params {
    app_params given;
    app_segment clip;
    bool found, forget;
    app_document set;
    app_reading reading;
} app_contacts_params;

typedef struct app_contacts_result {
    const char *clip; /* its address */
    double fps;
    int first; /* frame of its file or library entry */
    app_plants plants;
} app_contacts_result;

typedef struct app_quality_params {
    app_params given;
    app_segment clip;
    bool found;
    app_reading reading;
} app_quality_params;

typedef struct app_quality_result {
    const char *clip; /* its address */
    int frames;
    double seconds;
    bool stored;
    marey_quality quality;
} app_quality_result;

#endif
