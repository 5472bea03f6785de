/* way_out.h - how clips are changed on their way into files: another body, mirrored, in place, scaled,
   resampled, for an engine, in other units. Read after clip_reading.h. */
#ifndef MAREY_APP_WAY_OUT_H
#define MAREY_APP_WAY_OUT_H

#include "clip_reading.h"

typedef struct app_changes {
    app_segment onto; /* whose body they get; clip NULL: their own */
    app_document map; /* which joints belong together then; text NULL: kept or found */
    bool mirror, in_place;
    double scale, fps;     /* 0: as they are */
    int engine;            /* for which program it is, app_engine_word; 0: none */
    int out_units, out_up; /* a marey_units, a marey_up; given ones count more than the engine's */
} app_changes;

/* What a program expects, by the name that --for has. */
typedef struct app_preset {
    const char *name, *title;
    const char *format; /* that it reads best: the default of `export`, and the studio's choice */
    marey_units units;
    marey_up up;
    const char *root; /* the joint on the floor that carries the body; NULL: none */
} app_preset;

const app_preset *app_preset_at(int index); /* from 0; NULL behind the last */
void app_presets_write(json *out);          /* "presets" */

const char *app_engine_word(int index);  /* 0: none */
const char *app_written_word(int index); /* formats that are written */

/* Rows of parameters for a struct with a member `changes`. */
#define APP_CHANGE_PARAMS(struct_type)                                                             \
    { .name = "onto",                                                                              \
      .type = APP_SEGMENT,                                                                         \
      .at = offsetof(struct_type, changes.onto),                                                   \
      .value = "CLIP",                                                                             \
      .help = "put the motion on the body of this clip or file, as marey retarget does" },         \
        { .name = "map",                                                                           \
          .type = APP_DOCUMENT,                                                                    \
          .at = offsetof(struct_type, changes.map),                                                \
          .only_if = "onto",                                                                       \
          .value = "FILE",                                                                         \
          .help = "which joints belong together, as marey map prints it" },                        \
        { .name = "fps",                                                                           \
          .type = APP_NUMBER,                                                                      \
          .at = offsetof(struct_type, changes.fps),                                                \
          .value = "N",                                                                            \
          .least = 0.1,                                                                            \
          .most = 10000,                                                                           \
          .help = "resample to this many frames a second" },                                       \
        { .name = "mirror",                                                                        \
          .type = APP_SWITCH,                                                                      \
          .at = offsetof(struct_type, changes.mirror),                                             \
          .help = "exchange left and right" },                                                     \
        { .name = "in-place",                                                                      \
          .type = APP_SWITCH,                                                                      \
          .at = offsetof(struct_type, changes.in_place),                                           \
          .help = "keep the body over the spot where it starts" },                                 \
        { .name = "scale",                                                                         \
          .type = APP_NUMBER,                                                                      \
          .at = offsetof(struct_type, changes.scale),                                              \
          .value = "F",                                                                            \
          .least = 1e-3,                                                                           \
          .most = 1e3,                                                                             \
          .help = "make the body and its path F times as large" },                                 \
        { .name = "for",                                                                           \
          .type = APP_WORD,                                                                        \
          .at = offsetof(struct_type, changes.engine),                                             \
          .value = "PROGRAM",                                                                      \
          .word = app_engine_word,                                                                 \
          .help = "units and axes as this program has them, and for game engines a joint on the "  \
                  "floor that carries the body" },                                                 \
        { .name = "out-units",                                                                     \
          .type = APP_WORD,                                                                        \
          .at = offsetof(struct_type, changes.out_units),                                          \
          .value = "UNITS",                                                                        \
          .word = app_units_word,                                                                  \
          .help = "the unit of length to write (default: that of the first input)" },              \
    {                                                                                              \
        .name = "out-up", .type = APP_WORD, .at = offsetof(struct_type, changes.out_up),           \
        .value = "AXIS", .word = app_up_word,                                                      \
        .help = "the axis that points up in what is written (default: that of the first input)"    \
    }

/* Makes them in the order body, mirror, in place, scale, rate, joint on the floor, units and axes. *out is
   NULL where there is nothing to change; the caller frees it. `body`: of changes->onto, by
   app_body_read, or NULL; `map`: of the clip and that, or NULL. */
marey_status app_changes_make(const app_changes *changes, const marey_clip *body,
                              const marey_body_map *map, const marey_clip *clip, marey_clip **out,
                              marey_error *error);

#endif
