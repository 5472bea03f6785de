/* made.h - a generated clip: how good it is, what it was made of, and its way into a library.
   Read after provenance_note.h and clip_facts.h. */
#ifndef MAREY_APP_MADE_H
#define MAREY_APP_MADE_H

#include "clip_facts.h"
#include "foot_plants.h"
#include "provenance_note.h"

/* The limits from which on a figure is a fault are those of docs/blending.md, which the studio
   shows in red. */
typedef struct app_fault {
    const char *kind; /* "jump", "slide", "root" */
    double value, limit;
    const char *unit, *about;
    int frame; /* where it begins; -1: not known */
} app_fault;

enum { APP_MOST_FAULTS = 3 };

/* From this ratio of speeds on an eye sees a joint jump. */
extern const double app_most_jump;

/* Filled by an operation, then by app_made_finish. Everything lives in its scope. */
typedef struct app_made {
    marey_made made; /* clip and plants; clip NULL: nothing was made */
    /* The same with its feet left alone; NULL: not known, or it is what was made. */
    const marey_clip *raw;
    bool cleaned;
    /* The floor moves under planted feet, so that plants can be neither measured nor kept. */
    bool in_place;
    /* Its plants are not known: they are found when they are needed. */
    bool no_plants;
    /* Plants that reach into these frames are measured: the rest may be as it was read. */
    int first, end;
    /* Of the clips it was made of. */
    marey_speeds inputs;
    /* jump_ratio is known already, against the very pieces it was made of. */
    bool jump_known;
    app_provenance from;

    /* By app_made_finish: */
    int plants;
    double slide_before_cm, slide_after_cm; /* the largest drift of a plant; NaN: not known */
    double slide_mean_cm;
    double *slides_before_cm, *slides_after_cm; /* of each plant; NULL: not known */
    double jump_ratio, knee_ratio;              /* peak speeds over those of the sources */
    const char *provenance, *licences;
    /* Of a walk: what else is seen in it, and where. */
    const marey_walk_fault *seen;
    const int *seen_at; /* frames */
    int seen_count;
    /* Labels of its frames, if it is the frames of one clip; for files the provenance says so. */
    const marey_stretch *stretches;
    int stretch_count;
    const char *origin;
    /* How it was made and of what: "loop of walk_slow: walk, walk"; and the labels of its sources. */
    const char *description;
    const char *const *labels;
    int label_count;
} app_made;

/* The hook `made` of an operation with such a result, as made_of. */
#define APP_MADE_OF(result_type, member)                                                           \
    static app_made *made_of(void *result)                                                         \
    {                                                                                              \
        return &((result_type *)result)->member;                                                   \
    }

/* Has the scope free made->made. */
marey_status app_made_own(const app_env *env, app_made *made, marey_error *error);

/* Measures it, warns of faults and licences, and writes its provenance. */
marey_status app_made_finish(const app_env *env, const app_operation *operation,
                             const app_params *params, app_made *made, marey_error *error);

/* Fills in its description and labels by those of its sources, once these are known; app_made_note
   does. MEMORY. */
marey_status app_made_describe(const app_env *env, const app_operation *operation, app_made *made,
                               marey_error *error);

/* Of a clip that is not measured: warns of licences, and writes its provenance. */
marey_status app_made_note(const app_env *env, const app_operation *operation,
                           const app_params *params, app_made *made, marey_error *error);

/* How many there are. Feet that were left alone slide as they slide. */
int app_made_faults(const app_made *made, app_fault faults[APP_MOST_FAULTS]);

/* "faults": [{"kind", "value", "limit", "unit", "about", "frame"}], the last where it is known, and of
   `made` (may be NULL) also those that are seen. */
void app_made_write_faults(json *out, const app_fault *faults, int count, const app_made *made);

/* "frames", "fps", "seconds"; "contacts" and all figures; both. */
void app_made_write_length(const app_made *made, json *out);
void app_made_write_figures(const app_made *made, json *out);
void app_made_write(const app_made *made, json *out);

/* Puts it into a library under `name`, or the next free one, which is written to `got`; its number to
   `id`, which may be NULL. */
marey_status app_made_put(const app_made *made, marey_library *library, const char *name,
                          char got[MAREY_NAME_ROOM], int64_t *id, marey_error *error);

#endif
