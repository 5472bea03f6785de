/* clip_reading.h - a clip that an operation works on, by its address: "walk#120-300" in a
   library, or in a file where there is none. Read after params.h. */
#ifndef MAREY_APP_CLIP_READING_H
#define MAREY_APP_CLIP_READING_H

#include "address.h"
#include "params.h"

/* What a file says about itself can be wrong; these set it right while reading. A library's
   clips were read before. */
typedef struct app_reading {
    int units; /* a marey_units */
    int up;    /* a marey_up */
    double source_fps;
    bool skip_first;
    const char *skeleton;
    const char *take;
} app_reading;

const char *app_units_word(int index);
const char *app_units_or_raw_word(int index);
const char *app_up_word(int index);

/* Rows of parameters for a struct with a member `reading`, or another of that type: what any file
   may say wrongly, and all that clips are read by. */
#define APP_MEASURE_PARAMS(struct_type, member, units_word)                                        \
    { .name = "units",                                                                             \
      .type = APP_WORD,                                                                            \
      .at = offsetof(struct_type, member.units),                                                   \
      .of_file = true,                                                                             \
      .word = (units_word),                                                                        \
      .help = "the unit of length in the file (default: guessed from the size of the body)" },     \
        { .name = "up",                                                                            \
          .type = APP_WORD,                                                                        \
          .at = offsetof(struct_type, member.up),                                                  \
          .of_file = true,                                                                         \
          .value = "AXIS",                                                                         \
          .word = app_up_word,                                                                     \
          .help = "the axis that points up in the file (default: guessed from how the body "       \
                  "stands)" },                                                                     \
    {                                                                                              \
        .name = "source-fps", .type = APP_NUMBER, .at = offsetof(struct_type, member.source_fps),  \
        .of_file = true, .value = "N", .least = 0.1, .most = 10000,                                \
        .help = "frames a second, whatever the file claims"                                        \
    }

#define APP_READING_PARAMS(struct_type, units_word)                                                \
    APP_READING_PARAMS_AT(struct_type, reading, units_word)

#define APP_READING_PARAMS_AT(struct_type, member, units_word)                                     \
    APP_MEASURE_PARAMS(struct_type, member, units_word),                                           \
        { .name = "skip-first",                                                                    \
          .type = APP_SWITCH,                                                                      \
          .at = offsetof(struct_type, member.skip_first),                                          \
          .of_file = true,                                                                         \
          .help = "drop the first frame, which many converters invent" },                          \
        { .name = "take",                                                                          \
          .type = APP_TEXT,                                                                        \
          .at = offsetof(struct_type, member.take),                                                \
          .of_file = true,                                                                         \
          .value = "NAME",                                                                         \
          .help = "which take of a glTF or FBX file, by its name or its number from 1 (default: "  \
                  "the longest)" },                                                                \
    {                                                                                              \
        .name = "skeleton", .type = APP_TEXT, .at = offsetof(struct_type, member.skeleton),        \
        .of_file = true, .value = "FILE",                                                          \
        .help = "the ASF skeleton of AMC files (default: the nearest by name in the file's "       \
                "folder, else in the one above)"                                                   \
    }

/* Whether a warning of a report only says how the file is made: `info` and `add` show it, other
   commands do not. */
bool app_is_remark(const marey_report *report, int warning);

marey_load_def app_reading_def(const app_reading *reading);

/* "clip#120-300", or "clip" without a range, in the scope; NULL: no memory. */
const char *app_segment_text(app_scope *scope, const app_segment *segment);

/* Where a clip came from, for its provenance. Texts live as long as the scope. */
typedef struct app_source {
    const app_lent *lent; /* it is one that the caller lends; NULL: it is not */
    const char *library;  /* its path; NULL for a file */
    const char *name;     /* of the clip, or the file's path */
    const char *licence;  /* "" if none is known */
    int64_t id;           /* of the clip in its library; 0 for a file */
    int start, end;       /* its own frames that were taken, end exclusive */
    double weight;        /* of an example in what is made; 0: it has none */
    double fps;           /* of the clip, and its labels of frames; 0 for a file */
    const marey_stretch *stretches;
    int stretch_count;
    const char *repairs; /* that it has, a JSON array; NULL: none */
    /* Of the clip, as its library has them; NULL and none for a file. */
    const char *description;
    const char *const *labels;
    int label_count;
} app_source;

/* The clip of a file, with its warnings said; the caller frees it. INPUT, IO, MEMORY. */
marey_status app_file_read(const app_env *env, const app_reading *reading, const char *path,
                           marey_clip **clip, marey_error *error);

/* The frames of a segment; the environment's scope owns the clip, unless it is lent. Reading parameters
   are refused for clips that were read before. INPUT, REQUEST, IO, MEMORY. */
marey_status app_clip_read(const app_env *env, const app_reading *reading,
                           const app_segment *segment, marey_clip **clip, app_source *source,
                           marey_error *error);

/* A clip for its body: one of the library, or a file where there is none of that name. The
   environment's scope owns it. */
marey_status app_body_read(const app_env *env, const app_segment *segment, marey_clip **clip,
                           marey_error *error);

/* All clips of the library, until the scope closes. */
marey_status app_listing(const app_env *env, const marey_listing **out, marey_error *error);

/* The entry of a clip by its name, or "#34" for number 34; NULL: there is none. */
const marey_entry *app_listing_find(const marey_listing *listing, const char *name);

/* Fails with the nearest name to one that no clip has. */
marey_status app_clip_missing(const app_env *env, const char *name, marey_error *error);

#endif
