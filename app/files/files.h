/* files.h - motion that comes from files and goes into files: parameters and results. Read after
   made.h. */
#ifndef MAREY_APP_FILES_H
#define MAREY_APP_FILES_H

#include "doctor.h"
#include "file_batch.h"

/* ---- add ------------------------------------------------------------------------------------- */

typedef struct app_add_params {
    app_params given;
    app_texts files, label, fix;
    const char *licence, *index;
    bool demo, label_from_folder, each; /* each: a line for every file */
    app_reading reading;
} app_add_params;

enum { APP_MOST_COPIES = 8 }; /* that are named */

/* What became of a file. */
typedef struct app_added {
    marey_add_outcome outcome;
    const char *path, *name;
    int64_t id;
    int frames;
    /* Of those that were added: how they were read. */
    double fps, height_cm, claimed_fps;
    const char *units, *up, *units_why, *up_why;
    app_texts warnings;
    const marey_flaw *flaws;
    const char *const *joints; /* of the flaws */
    int flaw_count, fixed;
    const app_duplicate *copies[APP_MOST_COPIES]; /* clips of the library that have its motion */
    int copy_count;
} app_added;

typedef struct app_add_result {
    app_added *items; /* in the order of the files; those that failed are below */
    int count, counts[MAREY_ADD_FAILED + 1];
    const char *library; /* its path */
    app_flaw_sum
        kinds[MAREY_FLAW_COUNT]; /* of what was found in the clips, the most severe first */
    int kind_count, fixed;
    app_failures failures;
} app_add_result;

/* ---- convert --------------------------------------------------------------------------------- */

typedef struct app_convert_params {
    app_params given;
    app_segments clips;
    const char *trim;
    bool align;
    app_changes changes;
    /* Each by itself, into a folder, if it is given: app_written_word; the folder; names of files. */
    int to;
    const char *output, *pattern;
    app_reading reading;
} app_convert_params;

typedef struct app_convert_result {
    app_made made;
    /* As they are written: a GLB is in metres with y up, whatever its clip came in. */
    const char *units, *up;
    app_batch many; /* with `to` */
} app_convert_result;

/* ---- export ---------------------------------------------------------------------------------- */

typedef struct app_export_params {
    app_params given;
    app_texts clips;
    const char *output, *label, *pattern;
    int format; /* app_written_word */
    bool all, trim_marked, captured, provenance;
    app_changes changes;
} app_export_params;

typedef struct app_export_result {
    app_batch many;
    const char **restricted; /* clips for non-commercial use */
    int restricted_count;
} app_export_result;

/* ---- positions ------------------------------------------------------------------------------- */

typedef struct app_positions_params {
    app_params given;
    app_segment clip;
    const char *output;
    double fps; /* 0: the clip's */
    app_reading reading;
} app_positions_params;

typedef struct app_positions_result {
    const marey_clip *clip;
    float *values; /* frames x joints x 3 */
} app_positions_result;

/* ---- solve ----------------------------------------------------------------------------------- */

typedef struct app_solve_params {
    app_params given;
    const char *input, *map, *bones;
    int preset; /* 0: found; else one more than that of marey_solve_preset_name */
    double fps; /* 0: that of the points */
    app_reading reading;
    app_segment onto; /* whose body it gets; clip NULL: one of its own */
} app_solve_params;

typedef struct app_solve_result {
    app_made made;
    marey_solve_report report;
    bool amass;             /* it had rotations: there is nothing to report */
    const marey_clip *clip; /* before it was resampled: its frames are those of the gaps */
} app_solve_result;

/* ---- render ---------------------------------------------------------------------------------- */

typedef struct app_render_params {
    app_params given;
    /* Files may be folders; none: all clips of a library, or those with a label. */
    app_segments clips;
    const char *output, *label;
    bool all;
    int width, height, poses; /* 0: as they come */
    double fps;               /* likewise */
    app_reading reading;
} app_render_params;

typedef enum app_picture { APP_PICTURE_STRIP, APP_PICTURE_SHEET, APP_PICTURE_VIDEO } app_picture;

typedef struct app_render_result {
    app_picture kind;
    const char *output;
    const marey_clip **clips;
    const char **names;  /* of each */
    const char **titles; /* of each, or of a strip; NULL: its name */
    int count;
    const marey_contact *plants; /* of a strip */
    int plant_count;
    const char **skipped; /* files without motion */
    int skipped_count;
    app_failures failures; /* clips that could not be read */
} app_render_result;

/* What is drawn goes by what is named: one clip as a strip or a video, several as a sheet.
   REQUEST: a parameter that would do nothing for it. */
marey_status app_render_check(const app_render_params *params, bool in_library, app_dialect dialect,
                              app_picture *kind, marey_error *error);

#endif
