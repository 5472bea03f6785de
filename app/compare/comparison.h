/* comparison.h - two clips that are compared frame by frame: the rows that say how, the clips at
   one rate, and what is measured on them. Read after clip_reading.h and metric_params.h; grid,
   similar, compare and weights use it. */
#ifndef MAREY_APP_COMPARISON_H
#define MAREY_APP_COMPARISON_H

#include "clip_reading.h"
#include "made.h"
#include "metric_params.h"
#include "operation.h"
#include "saved.h"

/* ---- rows ------------------------------------------------------------------------------------ */

/* A member of an operation's parameters. */
typedef struct app_compared {
    app_segment clips[2];
    app_metric_params metric;
    const char *normalize; /* a library's file; NULL: the two alone */
    double fps;            /* 0: the lower rate of the two */
    app_reading reading;
} app_compared;

#define APP_COMPARED_CLIPS(owner, member)                                                          \
    { .name = "a",                                                                                 \
      .type = APP_SEGMENT,                                                                         \
      .at = offsetof(owner, member.clips[0]),                                                      \
      .place = 1,                                                                                  \
      .needed = true,                                                                              \
      .help = "the first clip" },                                                                  \
    {                                                                                              \
        .name = "b", .type = APP_SEGMENT, .at = offsetof(owner, member.clips[1]), .place = 2,      \
        .needed = true, .help = "the second clip"                                                  \
    }

/* `only`: when --normalize does something; NULL: always. */
#define APP_COMPARED_PARAMS(owner, member, only, units_word)                                       \
    { .name = "normalize",                                                                         \
      .type = APP_TEXT,                                                                            \
      .at = offsetof(owner, member.normalize),                                                     \
      .value = "LIB",                                                                              \
      .only_if = (only),                                                                           \
      .help = "positions: divide each term by its largest step in this library's clips, not in "   \
              "the two alone" },                                                                   \
        { .name = "fps",                                                                           \
          .type = APP_NUMBER,                                                                      \
          .at = offsetof(owner, member.fps),                                                       \
          .least = 0.1,                                                                            \
          .most = 10000,                                                                           \
          .value = "N",                                                                            \
          .help = "compare at this many frames a second (default: the lower rate of the two)" },   \
        APP_READING_PARAMS_AT(owner, member.reading, units_word)

/* ---- what is measured ------------------------------------------------------------------------ */

typedef struct app_comparison {
    app_scope *scope; /* that all of it lives in */
    app_metric metric;
    const char *texts[2]; /* as they were asked for: "walk.bvh#40-50" */
    app_source sources[2];
    const marey_clip *own[2]; /* as they were read */
    const marey_clip
        *marked[2];             /* with the marked frames that `own` is without; NULL: it has all */
    const marey_clip *clips[2]; /* at the rate that was asked for */
    /* The two, and those of `normalize` that fit. */
    const marey_clip **with;
    int with_count;
    marey_layout *layout;
    marey_features *features[2];
    marey_grid *grid; /* NULL: not asked for yet */
    double seconds;   /* that layout and features took */
} app_comparison;

/* Both clips and those of `normalize`, without measures, into env->scope. */
marey_status app_comparison_load(const app_env *env, const app_compared *request,
                                 app_comparison *out, marey_error *error);

/* Fills in `with`: the two, and the clips of a library's file that fit. Errors: REQUEST, none
   does. */
marey_status app_comparison_normalize(const app_env *env, const char *path, app_comparison *out,
                                      marey_error *error);

/* Layout and features for a metric, into env->scope. */
marey_status app_comparison_measure(const app_env *env, app_comparison *comparison,
                                    const marey_metric_def *def, marey_error *error);

/* Both, or what env->cache still has: moving the pointer over a grid asks for cell after cell. */
marey_status app_comparison_open(const app_env *env, const app_compared *request,
                                 app_comparison **out, marey_error *error);

/* Fills in the grid. LIMIT: more pairs than env->most_pairs. */
marey_status app_comparison_grid(const app_env *env, app_comparison *comparison,
                                 marey_error *error);

/* Draws its grid, which is filled in if need be. Axes count the frames of the clips as they are in
   their files. */
marey_status app_comparison_draw(const app_env *env, app_comparison *comparison,
                                 const marey_grid_picture_def *def, const char *path,
                                 marey_error *error);

/* The frame of a clip as it is in its file or library that a row of its features shows; the row
   nearest to such a frame; is that frame captured motion? */
int app_comparison_frame(const app_comparison *comparison, int side, int row);
int app_comparison_row(const app_comparison *comparison, int side, int frame);
bool app_comparison_captured(const app_comparison *comparison, int side, int row);

/* "cm2"; "raw2" if the numbers are those of the file; "" for none. */
const char *app_comparison_unit(const app_comparison *comparison);
bool app_comparison_raw(const app_comparison *comparison);

/* "metric", "unit", "fps", "by_roles" and the like. */
void app_comparison_write(const app_comparison *comparison, json *out);

/* ---- grid ------------------------------------------------------------------------------------ */

typedef struct app_grid_params {
    app_params given;
    app_compared compared;
} app_grid_params;

typedef struct app_grid_result {
    app_comparison *of;     /* with its grid if that is wanted */
    bool has_grid;          /* it is wanted */
    double least, greatest; /* infinite: not known */
    int64_t minima;         /* cells that are less than all four beside them */
    double seconds;
} app_grid_result;

/* ---- similar --------------------------------------------------------------------------------- */

typedef struct app_similar_params {
    app_params given;
    app_compared compared;
    int count;
    bool minima;
    app_pair at;
    int smooth;
    bool full;
} app_similar_params;

typedef struct app_similar_result {
    app_comparison *of;
    marey_pair *pairs;
    int count;
    int frames[2]; /* of the first pair, as they are in the files */
    double seconds;
    marey_judgement judged; /* NaN: there is nothing to judge */
    /* Of the one pair that was asked for: */
    double *joints, window[MAREY_MOST_WINDOW], rest;
    marey_placement placement;
    /* Of the cut: */
    int seam; /* the first frame that comes from the second clip */
    app_made made;
} app_similar_result;

/* The frame of a pair as it is in the file. At another rate the frame that was asked for has no
   row of its own. */
int app_similar_frame(const app_similar_params *params, const app_similar_result *result, int pair,
                      int side);

/* ---- compare --------------------------------------------------------------------------------- */

enum { APP_MOST_METRICS = 16, APP_MEASURES = 3 };

typedef struct app_compare_params {
    app_params given;
    app_compared compared;
    int pairs;
} app_compare_params;

typedef struct app_contestant {
    const marey_metric *metric;
    double seconds;
    marey_pair *pairs;
    int found;
    double judged[APP_MEASURES]; /* Dp, Dv, Da */
    int rank[APP_MEASURES];      /* from 1; 0: the judge's own metric has none */
} app_contestant;

typedef struct app_compare_result {
    app_comparison of; /* as measured by the last metric */
    app_contestant rows[APP_MOST_METRICS];
    int count;
    int pairs; /* that every metric has */
} app_compare_result;

extern const char *const app_measure_names[APP_MEASURES];

/* ---- weights --------------------------------------------------------------------------------- */

typedef struct app_weights_params {
    app_params given;
    app_compared compared; /* whose metric.metric counts the metrics that have several terms */
    int space, steps, refine, pairs;
} app_weights_params;

typedef struct app_weights_result {
    app_comparison *of;
    marey_weights_result got;
    double seconds;
} app_weights_result;

#endif
