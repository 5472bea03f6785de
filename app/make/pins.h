/* pins.h - frames that belong together in clips that are aligned, as users name them. Read after
   clip_reading.h. */
#ifndef MAREY_APP_PINS_H
#define MAREY_APP_PINS_H

#include "clip_reading.h"

/* The row of a member of type app_texts. */
#define APP_THROUGH_PARAM_AT(place_in_struct)                                                      \
    {                                                                                              \
        .name = "through", .type = APP_TEXTS, .at = (place_in_struct), .repeats = true,            \
        .most_count = MAREY_MOST_PINS, .value = "F,F,...",                                         \
        .help = "frames that belong together: one of each clip, in their order, as in 30,41, or "  \
                "with their clips, as in walk#30,run#41; may be given several times"               \
    }

/* A clip, or frames of one, that pins are looked up in. */
typedef struct app_pinned {
    const char *typed; /* as the user called it; NULL: by its name */
    const char *name;
    int64_t id;            /* 0: a file */
    int start, end;        /* its frames as users count them */
    const marey_clip *own; /* with its marked frames; NULL: of the library, and not loaded */
} app_pinned;

/* A row of `count` frames for each pin, as marey_registration_def has them: without marked frames,
   counted from the start, -1 for those that are not named. `all`: every clip must be; otherwise the
   first. REQUEST. */
marey_status app_pins_read(const app_env *env, const app_texts *through, app_pinned *clips,
                           int count, bool all, const int **out, marey_error *error);

#endif
