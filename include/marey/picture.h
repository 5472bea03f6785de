/* picture.h - motion to look at: film strips, contact sheets, grids of distances, motion graphs,
   cluster graphs, families, plots, video. Read after grid.h and library.h.

   Pictures are drawn with cairo, whose own memory is not counted by the context; pixels and
   everything that is computed are. cairo ends the process when it is refused memory, so it draws in
   a fork, which ends with the picture: MEMORY if that fork ran out of it. A host may have threads;
   it must be allowed to fork. The letters are those of DejaVu Sans, which lies in the library.

   The path's ending chooses PNG, SVG or PDF. The same input gives the same bytes on one machine.
   Every file appears under its name only when it is whole and on disk; on failure nothing is left
   behind and an older file of that name is as it was.
   Errors: every call below can fail with REQUEST (another ending, an invalid size), INPUT (the
     path), IO, MEMORY and CANCELLED. Comments name what else can go wrong. */
#ifndef MAREY_PICTURE_H
#define MAREY_PICTURE_H

#include <marey/grid.h>
#include <marey/kept.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- clips ----------------------------------------------------------------------------------- */

/* How a film strip is drawn: leave a field zero for its default. */
typedef struct marey_strip_def {
    /* 48 .. 16384; default 1600. */
    int width_px;
    /* 48 .. 16384; default 320. Below 180 it is a thumbnail: no numbers. */
    int height_px;
    /* Default: as many as fit, chosen where the motion changes; at most 32 are drawn. */
    int poses;
    /* Where the camera stands: an angle about the vertical, from the z axis towards x (2 pi for the
       z axis itself). Default: a path runs from left to right; a body that stays is seen from the
       front, turned to where its motion shows best. */
    double yaw_rad;
    /* Drawn as bars on the time axis and as marks under the feet; default: found. Not NULL with a
       count of 0: none. */
    const marey_contact *contacts;
    int contact_count;
    /* Default: the clip's name. */
    const char *title;
} marey_strip_def;

/* Draws a film strip: poses in a row along a time axis, each over its time as far as there is room,
   near limbs darker than far ones, left and right in two colours, floor, the root's path from above
   if there is one, foot plants. The first and the last unmarked frame are always shown. A skeleton
   without roles is drawn as sticks along its own tree.
   Errors: REQUEST: an invalid number of poses.
   Cost: about 35 ms, some of them for the fork. */
MAREY_API marey_status marey_strip_save(const marey_clip *clip, const marey_strip_def *def,
                                        const char *path, marey_error *error);

/* Draws many small strips on one sheet, in the order given, each with its name, length and labels;
   people who stay are all seen from the same side, the one that suits most of them. A PDF has one
   page. `labels` may be NULL, or hold a text (or NULL) for each clip. All clips are of one context.
   The same bytes for any number of threads.
   Errors: REQUEST: no clip. LIMIT: more than 20000 clips.
   Cost: about 6 ms a clip. */
MAREY_API marey_status marey_sheet_save(const marey_clip *const *clips, const char *const *labels,
                                        int count, const char *path, marey_error *error);

/* ---- grids ----------------------------------------------------------------------------------- */

/* One axis of a grid's picture: leave a field zero for its default. */
typedef struct marey_grid_side {
    /* That the grid was built of. */
    const marey_features *features;
    /* That the features were built of; its poses stand along the axis. */
    const marey_clip *clip;
    /* What the clip's first frame is called, in frames of shown_fps; default 0. */
    int first_frame;
    /* The rate in which the axis counts frames; default: the clip's. */
    double shown_fps;
    /* Default: the clip's name. */
    const char *title;
} marey_grid_side;

/* How a grid is drawn: leave a field zero for its default. */
typedef struct marey_grid_picture_def {
    /* The longer side of the grid itself, 120 .. 8192; default 900. */
    int side_px;
    /* Drawn as dots; default: none. */
    const marey_pair *pairs;
    int pair_count;
    /* A line through the pairs in their order, such as a time alignment, not dots. */
    bool joined;
    /* Also mark the cells that are less than all four beside them. */
    bool minima;
} marey_grid_picture_def;

/* Draws a grid: rows run down, columns to the right, dark where frames are alike, with seconds and
   frames, poses of both clips along the axes and a scale, which for `points` is in cm: the root of
   the distance. A frame takes a whole number of pixels where that fits; of a larger grid each pixel
   shows the least of its cells, so that valleys do not get lost. The lightest colour stands for the
   99th percentile and all above it.
   Cost: a PNG of 300 x 237 takes about 20 ms, SVG and PDF twice that. */
MAREY_API marey_status marey_grid_picture_save(const marey_grid *grid, const marey_grid_side *a,
                                               const marey_grid_side *b,
                                               const marey_grid_picture_def *def, const char *path,
                                               marey_error *error);

/* ---- graphs ---------------------------------------------------------------------------------- */

/* How a graph's matrix is drawn: leave a field zero for its default. */
typedef struct marey_graph_picture_def {
    /* Of the square, 120 .. 8192; default 900. */
    int side_px;
    /* Default: none. */
    const char *title;
    /* Of the graph's clips, along the sides; default: none. */
    const char *const *names;
} marey_graph_picture_def;

/* Draws the transition matrix of a motion graph (slides, figure 4): row i, column j are captured
   frames, bright where the motion may go from i to after j unnoticed: exp(-s / sigma). Transitions
   that the graph has are dots. Of a large graph each pixel shows the best of its cells.
   Cost: grows with the square of the frames, about a second for ten thousand; memory does not. */
MAREY_API marey_status marey_graph_matrix_save(marey_ctx *ctx, const marey_graph *graph,
                                               const marey_graph_picture_def *def, const char *path,
                                               marey_error *error);

/* Draws the transitive closure of a graph: bright where frame j can be reached from frame i; a
   pixel of a large one shows the share of its cells.
   Cost: a bit for every pair of frames. */
MAREY_API marey_status marey_graph_closure_save(marey_ctx *ctx, const marey_graph *graph,
                                                const marey_graph_picture_def *def,
                                                const char *path, marey_error *error);

enum { MAREY_CLUSTER_PICTURE_NODES = 40, MAREY_CLUSTER_PICTURE_MOST = 200 };

/* How a cluster graph is drawn: leave a field zero for its default. */
typedef struct marey_cluster_picture_def {
    /* 480 .. 8192; default 1600. */
    int width_px;
    /* How many are drawn, up to MAREY_CLUSTER_PICTURE_MOST; default MAREY_CLUSTER_PICTURE_NODES. */
    int nodes;
    /* Default: none. */
    const char *title;
    /* Of the graph's clips; those with one name get one colour. */
    const char *const *names;
} marey_cluster_picture_def;

/* Draws a cluster graph (clusters, figure 2): nodes as cards, larger where they have more frames,
   with the pose of their middle and a bar for each clip, cut into its sequences; arrows from node
   to node, wider where more sequences go that way, dotted where they go through nodes that are not
   drawn. Nodes with most clips, then frames, are drawn; the picture says what is left out. */
MAREY_API marey_status marey_clusters_picture_save(marey_ctx *ctx, const marey_clusters *clusters,
                                                   const marey_cluster_picture_def *def,
                                                   const char *path, marey_error *error);

/* ---- families -------------------------------------------------------------------------------- */

/* How a family is drawn: leave a field zero for its default. */
typedef struct marey_family_picture_def {
    /* Of a panel's side, 120 .. 2048; default 280. */
    int panel_px;
    /* Default: none. */
    const char *title;
} marey_family_picture_def;

/* Draws the space of a family's numbers, of the first four: a panel for each two of them, with the
   examples as numbered dots and the samples, what their blends do, as small ones (at most 5000, evenly
   spread). The numbers of one parameter have one scale. A single number has bars that say how many
   samples are where. */
MAREY_API marey_status marey_family_picture_save(marey_ctx *ctx, const marey_family *family,
                                                 const marey_family_picture_def *def,
                                                 const char *path, marey_error *error);

/* ---- plots ----------------------------------------------------------------------------------- */

/* How a curve is drawn. */
typedef enum marey_plot_style {
    MAREY_PLOT_SOLID,
    MAREY_PLOT_DASHED,
    MAREY_PLOT_DOTTED,
    MAREY_PLOT_THICK, /* wide and pale, to lie under the others */
    MAREY_PLOT_STYLE_COUNT
} marey_plot_style;

/* A curve. */
typedef struct marey_plot_curve {
    /* NaN: a gap. */
    const double *values;
    int count;
    /* Where the first value is on the axis, and how far the next one is. */
    double first, step;
    marey_plot_style style;
    /* 0, 1, ..: as many as can be distinguished. */
    int colour;
    /* For the legend, which shows each name once; NULL: none. */
    const char *name;
} marey_plot_curve;

/* Curves over one axis. */
typedef struct marey_plot_panel {
    /* What the values are, with their unit; default: none. */
    const char *title;
    const marey_plot_curve *curves;
    int curve_count;
} marey_plot_panel;

/* How a plot is drawn: leave a field zero for its default. */
typedef struct marey_plot_def {
    /* 240 .. 8192; default 1000. */
    int width_px;
    /* Height of a panel, 60 .. 4096; default 200. */
    int panel_px;
    /* Above; what the axis counts. */
    const char *title, *axis;
    /* Lines across all panels. */
    const double *marks;
    int mark_count;
} marey_plot_def;

/* Draws curves in panels over one axis.
   Errors: REQUEST: no panel. */
MAREY_API marey_status marey_plot_save(marey_ctx *ctx, const marey_plot_panel *panels, int count,
                                       const marey_plot_def *def, const char *path,
                                       marey_error *error);

/* A character's path on a plan. */
typedef struct marey_paths_walker {
    const marey_entity *places;
    int count;
    /* Places a second. */
    double rate;
    /* For the legend; NULL: none. */
    const char *name;
} marey_paths_walker;

/* How paths are drawn: leave a field zero for its default. */
typedef struct marey_paths_picture_def {
    /* 240 .. 8192; default 1000. */
    int width_px;
    /* Default: none. */
    const char *title;
    /* Dot interval; default: as is readable. */
    double every_s;
} marey_paths_picture_def;

/* Draws paths seen from above, on a plan with a scale: the first walker, the main character, in
   gray, the others in colours, paler where they begin; a ring where each begins, an arrow where it
   ends, and every so often a dot with a nose that shows where it looks. Thin lines join where all
   were at the same moments, with the time. Below, how far each of the others is from the first over
   time.
   Errors: REQUEST: no walker or more than 64; one of fewer than 2 places, or of less than 0.001 or
     more than 1e5 places a second; invalid positions; more than 2000 dots on a path. */
MAREY_API marey_status marey_paths_picture_save(marey_ctx *ctx, const marey_paths_walker *walkers,
                                                int count, const marey_paths_picture_def *def,
                                                const char *path, marey_error *error);

/* ---- video ----------------------------------------------------------------------------------- */

/* How a video is made: leave a field zero for its default. */
typedef struct marey_video_def {
    /* 64 .. 4096; default 960 x 540. Odd sizes are made even. */
    int width_px, height_px;
    /* 1 .. 240; default 30. */
    double fps;
} marey_video_def;

/* Makes a video (MP4, H.264) of a body, not of sticks, on a floor with its shadow, seen by a camera
   that follows. Marked frames are not shown: the pose before them is held. Frames are piped to the
   program `ffmpeg`; the program's signal handlers are not touched and SIGPIPE is never raised.
   Errors: REQUEST: another ending than .mp4; an invalid rate; there is no ffmpeg (the message names
     the package that has it). IO: also if ffmpeg fails, with its last words. */
MAREY_API marey_status marey_video_save(const marey_clip *clip, const marey_video_def *def,
                                        const char *path, marey_error *error);

#ifdef __cplusplus
}
#endif
#endif
