/* metric_options.h - two clips that are to be compared: the options that say how, the clips at one rate, and what is
   measured on them. Read after input.h; grid, similar, compare and weights use it. */
#ifndef MAREY_TOOL_METRIC_OPTIONS_H
#define MAREY_TOOL_METRIC_OPTIONS_H

#include "input.h"
#include "json.h"

/* --metric and all that belongs to it; def->joints may point to *joints. Returns an exit status, the reason being said. */
int metric_options(session *run, const request *asked, marey_metric_def *def,
                   marey_joint_weights *joints);

/* Holds pointers into itself: make it in its place and do not copy it. */
typedef struct comparison {
    session *run;
    const request *asked;
    input from;
    marey_metric_def def;
    marey_joint_weights joints; /* what def.joints points to, if any were given */
    double fps;                 /* of --fps, or 0 */
    marey_clip *own[2];         /* before --fps; NULL unless it made others */
    marey_clip *clips[2];       /* those that are compared */
    input_source sources[2];
    marey_clip **library; /* those of --normalize that fit */
    int library_count;
    size_t library_bytes;
    marey_layout *layout;
    marey_features *features[2];
    double seconds; /* that were spent on layout, features and what compare_time adds */
} comparison;

/* Reads the options and opens the library of -L. Returns an exit status, the reason being said; after PROGRAM_DONE
   comparison_close must follow. */
int comparison_open(comparison *all, session *run, const request *asked);
void comparison_close(comparison *all);

/* Both clips, and those of --normalize. */
marey_status comparison_load(comparison *all, marey_error *error);

/* Layout and features for a metric; those of a metric before are freed. */
marey_status comparison_measure(comparison *all, const marey_metric_def *def, marey_error *error);

/* The clip as it was read, before --fps. */
const marey_clip *comparison_own(const comparison *all, int side);

/* The frame of a clip as it is in its file or library that a row of its features shows. */
int comparison_frame(const comparison *all, int side, int row);

/* The row that is nearest to such a frame. */
int comparison_row(const comparison *all, int side, int frame);

/* Is that frame captured motion? */
bool comparison_is_captured(const comparison *all, int side, int row);

double seconds_now(void); /* of a clock that never goes back */

/* ---- the answer ------------------------------------------------------------------------------------ */

/* "cm2"; "raw2" if the numbers are those of the file; "" for none. */
const char *comparison_unit(const comparison *all);
bool comparison_is_squared(const comparison *all); /* a root is worth showing */

/* "metric", "unit", "fps", "by_roles" and the like. */
void comparison_json(const comparison *all, json *to);

/* "walk x run: 300 x 237 frames at 30 a second, points, window 5, joints lee". */
void comparison_text(const comparison *all, buffer *out);

#endif
