/* picture.h - motion to look at: film strips, contact sheets, grids of distances, motion graphs, cluster graphs, plots, video.
   Read after grid.h and library.h.

   Pictures are drawn with cairo, whose own memory is not counted by the context; pixels and everything that is
   computed are. cairo ends the process when it is refused memory, so it draws in a fork of it, which ends with the picture:
   MEMORY where that fork ran out of it. A host may have threads; it must be allowed to fork. The letters are those of
   DejaVu Sans, which lies in the library. Every file appears under its name only when it is whole and on disk; on failure
   nothing is left behind and an older file of that name is as it was. */
#ifndef MAREY_PICTURE_H
#define MAREY_PICTURE_H

#include <marey/grid.h>
#include <marey/library.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct marey_strip_def { /* leave a field zero for its default */
    int width_px;                /* 48 .. 16384; default 1600 */
    int height_px; /* 48 .. 16384; default 320. Below 180 it is a thumbnail: no numbers */
    int poses; /* default: as many as fit, chosen where the motion changes; at most 32 are drawn */
    double
        yaw_rad; /* where the camera stands: an angle about the vertical, from the z axis towards x
                       (2 pi for the z axis itself). Default: a way runs from left to right; a body
                       that stays is seen from the front, turned to where its motion shows best */
    const marey_contact *contacts; /* drawn as bars on the time axis and as marks under the feet;
                                      default: found. Not NULL with a count of 0: none */
    int contact_count;
    const char *title; /* default: the clip's name */
} marey_strip_def;

/* A film strip: poses in a row along a time axis, each over its time as far as there is room, near limbs darker than far
   ones, left and right told apart by colour, floor, the root's path from above if there is one, foot plants. The first
   and the last unmarked frame are always shown. A skeleton without roles is drawn as sticks along its own tree. The ending chooses PNG, SVG or
   PDF. The same clip gives the same bytes on one machine. About 35 ms, some of them for a fork of the
   process and for letters that are drawn afresh in it. `def` may be NULL.
   REQUEST: another ending; an invalid size or number of poses. IO, MEMORY, CANCELLED. */
MAREY_API marey_status marey_strip_save(const marey_clip *clip, const marey_strip_def *def,
                                        const char *path, marey_error *error);

/* Many small strips on one sheet, in the order given, each with its name, length and labels; people who stay are all seen
   from the same side, the one that suits most of them. PNG, SVG, PDF (one page). `labels` may be NULL, or hold a text (or
   NULL) for each clip. All clips are of one context. The same bytes for any number of threads. About 6 ms a clip.
   REQUEST: another ending; no clip. LIMIT: more than 20000 clips. IO, MEMORY, CANCELLED. */
MAREY_API marey_status marey_sheet_save(const marey_clip *const *clips, const char *const *labels,
                                        int count, const char *path, marey_error *error);

/* One axis of a grid's picture: leave a field zero for its default. */
typedef struct marey_grid_side {
    const marey_features *features; /* that the grid was built of */
    const marey_clip *clip; /* that the features were built of; its poses stand along the axis */
    int first_frame;  /* what the clip's first frame is called, in frames of shown_fps; default 0 */
    double shown_fps; /* the rate in which the axis counts frames; default: the clip's */
    const char *title; /* default: the clip's name */
} marey_grid_side;

typedef struct marey_grid_picture_def { /* leave a field zero for its default */
    int side_px;             /* the longer side of the grid itself, 120 .. 8192; default 900 */
    const marey_pair *pairs; /* drawn as dots; default: none */
    int pair_count;
    bool joined; /* a line through the pairs in their order, such as a time alignment, not dots */
    bool minima; /* also mark the cells that are less than all four beside them */
} marey_grid_picture_def;

/* A grid as a picture: rows run down, columns to the right, dark where frames are alike, with seconds and frames, poses of
   both clips along the axes and a scale, which for `points` is in cm: the root of the distance. A frame takes a
   whole number of pixels where that fits; of a larger grid each pixel shows the least of its cells, so that valleys do
   not get lost. The lightest colour stands for the 99th percentile and all above it. PNG, SVG or PDF. A PNG of 300 x 237 takes about 20 ms,
   SVG and PDF twice that. `def` may be NULL.
   REQUEST: another ending; an invalid size. IO, MEMORY, CANCELLED. */
MAREY_API marey_status marey_grid_picture_save(const marey_grid *grid, const marey_grid_side *a,
                                               const marey_grid_side *b,
                                               const marey_grid_picture_def *def, const char *path,
                                               marey_error *error);

typedef struct marey_graph_picture_def { /* leave a field zero for its default */
    int side_px;                         /* of the square, 120 .. 8192; default 900 */
    const char *title;                   /* default: none */
    const char *const *names;            /* of the graph's clips, along the sides; default: none */
} marey_graph_picture_def;

/* The transition matrix of a motion graph (slides, figure 4): row i, column j are captured frames, bright where the motion
   may go from i to behind j unnoticed: exp(-s / sigma). Transitions that the graph has are dots. Of a large graph each
   pixel shows the best of its cells. PNG, SVG or PDF. Time grows with the square of the frames, about a second for ten
   thousand; memory does not. `def` may be NULL. REQUEST, IO, MEMORY, CANCELLED. */
MAREY_API marey_status marey_graph_matrix_save(marey_ctx *ctx, const marey_graph *graph,
                                               const marey_graph_picture_def *def, const char *path,
                                               marey_error *error);

/* Its transitive closure: bright where frame j can be reached from frame i; a pixel of a large one shows the share of its
   cells. Takes a bit for every pair of frames. */
MAREY_API marey_status marey_graph_closure_save(marey_ctx *ctx, const marey_graph *graph,
                                                const marey_graph_picture_def *def,
                                                const char *path, marey_error *error);

enum { MAREY_CLUSTER_PICTURE_NODES = 40, MAREY_CLUSTER_PICTURE_MOST = 200 };

typedef struct marey_cluster_picture_def { /* leave a field zero for its default */
    int width_px;                          /* 480 .. 8192; default 1600 */
    int nodes; /* how many are drawn, up to MAREY_CLUSTER_PICTURE_MOST; default MAREY_CLUSTER_PICTURE_NODES */
    const char *title;        /* default: none */
    const char *const *names; /* of the graph's clips; those with one name get one colour */
} marey_cluster_picture_def;

/* A cluster graph (clusters, figure 2): nodes as cards, larger where they have more frames, with the pose of their middle and a bar
   for each clip, cut into its sequences; arrows from node to node, wider where more sequences go that way, dotted
   where they go through nodes that are not drawn. Nodes with most clips, then frames, are drawn; the picture says what is left
   out. PNG, SVG or PDF. The same graph gives the same bytes on one machine. `def` may be NULL. REQUEST, IO, MEMORY. */
MAREY_API marey_status marey_clusters_picture_save(marey_ctx *ctx, const marey_clusters *clusters,
                                                   const marey_cluster_picture_def *def,
                                                   const char *path, marey_error *error);

typedef enum marey_plot_style {
    MAREY_PLOT_SOLID,
    MAREY_PLOT_DASHED,
    MAREY_PLOT_DOTTED,
    MAREY_PLOT_THICK, /* wide and pale, to lie under the others */
    MAREY_PLOT_STYLE_COUNT
} marey_plot_style;

typedef struct marey_plot_curve {
    const double *values; /* NaN: a gap */
    int count;
    double first, step; /* where the first value is on the axis, and how far the next one is */
    marey_plot_style style;
    int colour;       /* 0, 1, ..: as many as can be distinguished */
    const char *name; /* for the legend, which shows each name once; NULL: none */
} marey_plot_curve;

typedef struct marey_plot_panel {
    const char *title; /* what the values are, with their unit; default: none */
    const marey_plot_curve *curves;
    int curve_count;
} marey_plot_panel;

typedef struct marey_plot_def { /* leave a field zero for its default */
    int width_px;               /* 240 .. 8192; default 1000 */
    int panel_px;               /* height of a panel, 60 .. 4096; default 200 */
    const char *title, *axis;   /* above; what the axis counts */
    const double *marks;        /* lines across all panels */
    int mark_count;
} marey_plot_def;

/* Curves in panels over one axis. PNG, SVG or PDF. `def` may be NULL. REQUEST: another ending, no panel, an invalid size.
   IO, MEMORY. */
MAREY_API marey_status marey_plot_save(marey_ctx *ctx, const marey_plot_panel *panels, int count,
                                       const marey_plot_def *def, const char *path,
                                       marey_error *error);

/* A character's path on a plan. */
typedef struct marey_paths_walker {
    const marey_entity *places;
    int count;
    double rate;      /* places a second */
    const char *name; /* for the legend; NULL: none */
} marey_paths_walker;

typedef struct marey_paths_picture_def { /* leave a field zero for its default */
    int width_px;                        /* 240 .. 8192; default 1000 */
    const char *title;                   /* default: none */
    double every_s; /* a dot with a look each so many seconds; default: as is readable */
} marey_paths_picture_def;

/* Ways seen from above, on a plan with a scale: the first walker, the main character, in gray, the others in colours, paler where they
   begin; a ring where each begins, an arrow where it ends, and every so often a dot with a nose that says where it looks. Thin lines join
   where all were at the same moments, with the time. Below, how far each of the others is from the first over time. PNG, SVG or PDF.
   The same ways give the same bytes on one machine. `def` may be NULL. REQUEST: no walker or more than 64, one of fewer than 2 places, of
   less than 0.001 or more than 1e5 places a second, invalid positions, more than 2000 dots on a way, another ending, an invalid
   size. IO, MEMORY. */
MAREY_API marey_status marey_paths_picture_save(marey_ctx *ctx, const marey_paths_walker *walkers,
                                                int count, const marey_paths_picture_def *def,
                                                const char *path, marey_error *error);

typedef struct marey_video_def { /* leave a field zero for its default */
    int width_px, height_px;     /* 64 .. 4096; default 960 x 540. Odd sizes are made even */
    double fps;                  /* 1 .. 240; default 30 */
} marey_video_def;

/* A video (MP4, H.264) of a body, not of sticks, on a floor with its shadow, seen by a camera that follows. Marked
   frames are not shown: the pose before them is held. Frames are piped to the program `ffmpeg`; the program's
   signal handlers are not touched and SIGPIPE is never raised. `def` may be NULL.
   REQUEST: another ending; an invalid size or rate; there is no ffmpeg, with the package that has it.
   IO: also if ffmpeg fails, with its last words. MEMORY, CANCELLED. */
MAREY_API marey_status marey_video_save(const marey_clip *clip, const marey_video_def *def,
                                        const char *path, marey_error *error);

#ifdef __cplusplus
}
#endif
#endif
