/* metric_params.h - how frames are compared, as rows that several operations share. Read after
   params.h. */
#ifndef MAREY_APP_METRIC_PARAMS_H
#define MAREY_APP_METRIC_PARAMS_H

#include "params.h"

#include <stddef.h>

/* A member of an operation's parameters, for APP_METRIC_PARAMS. Zero and NULL: the metric's own. */
typedef struct app_metric_params {
    int metric;      /* row of marey_metric_find */
    const char *own; /* one that the program lends, in its place; NULL: none */
    int window;
    const char *joints;
    app_numbers attributes;
    double candidates, gaussian;
    bool tapered, fixed_root, normalised;
} app_metric_params;

/* Rows for the `member` of the struct `owner`; `usual` says which joint weights are the default.
   An operation that compares by all metrics takes the rows without the first. */
#define APP_METRIC_PARAMS(owner, member, usual)                                                    \
    { .name = "metric",                                                                            \
      .type = APP_WORD,                                                                            \
      .at = offsetof(owner, member.metric),                                                        \
      .word = app_metric_word,                                                                     \
      .standard = "points",                                                                        \
      .help = "how frames are compared" },                                                         \
        APP_METRIC_TERM_PARAMS(owner, member, usual)

/* A row behind them for operations that can do with a metric that the program lends (app_own_metrics). */
#define APP_OWN_METRIC_PARAM(owner, member)                                                        \
    {                                                                                              \
        .name = "own-metric", .type = APP_TEXT, .at = offsetof(owner, member.own),                 \
        .place = APP_FIELD, .lent = true, .help = "a metric of the program's own, by its name"     \
    }

#define APP_METRIC_TERM_PARAMS(owner, member, usual)                                               \
    { .name = "window",                                                                            \
      .type = APP_WHOLE,                                                                           \
      .at = offsetof(owner, member.window),                                                        \
      .least = 1,                                                                                  \
      .most = MAREY_MOST_WINDOW,                                                                   \
      .value = "N",                                                                                \
      .help = "frames around each frame that are compared, by default 5 of points and 9 of "       \
              "curvature" },                                                                       \
        { .name = "tapered",                                                                       \
          .type = APP_SWITCH,                                                                      \
          .at = offsetof(owner, member.tapered),                                                   \
          .help = "frames count less towards the ends of the window" },                            \
        { .name = "joints",                                                                        \
          .type = APP_TEXT,                                                                        \
          .at = offsetof(owner, member.joints),                                                    \
          .value = "SET",                                                                          \
          .help = "how much each joint counts: equal, lee, wang, or roles such as "                \
                  "hips=1,knee=0.5 (default: " usual ")" },                                        \
        { .name = "attributes",                                                                    \
          .type = APP_NUMBERS,                                                                     \
          .at = offsetof(owner, member.attributes),                                                \
          .least = 0,                                                                              \
          .most = 1e12,                                                                            \
          .most_count = MAREY_MOST_ATTRIBUTES,                                                     \
          .value = "A,B,C",                                                                        \
          .help = "how much each term counts: of angles root, angles, velocities; of positions "   \
                  "positions, velocities, root velocity, root acceleration (default: 1 each)" },   \
        { .name = "fixed-root",                                                                    \
          .type = APP_SWITCH,                                                                      \
          .at = offsetof(owner, member.fixed_root),                                                \
          .only_if = "metric=angles",                                                              \
          .help = "where the root is in the world, not how it moves" },                            \
        { .name = "candidates",                                                                    \
          .type = APP_NUMBER,                                                                      \
          .at = offsetof(owner, member.candidates),                                                \
          .least = 1e-6,                                                                           \
          .most = 1,                                                                               \
          .value = "SHARE",                                                                        \
          .only_if = "metric=curvature",                                                           \
          .help = "the share of pairs that the poses let through, by default 0.2" },               \
        { .name = "gaussian",                                                                      \
          .type = APP_NUMBER,                                                                      \
          .at = offsetof(owner, member.gaussian),                                                  \
          .least = 1e-3,                                                                           \
          .most = 10,                                                                              \
          .unit = "s",                                                                             \
          .value = "S",                                                                            \
          .only_if = "metric=curvature",                                                           \
          .help = "the width of the smoothing, by default 0.05" },                                 \
    {                                                                                              \
        .name = "normalised", .type = APP_SWITCH, .at = offsetof(owner, member.normalised),        \
        .only_if = "metric=curvature", .help = "correlation, not covariance"                       \
    }

const char *app_metric_word(int index); /* the metrics' names */

/* What the environment lends by that name. REQUEST: nothing. */
marey_status app_own_metric_find(const app_env *env, const char *name, const marey_own_metric **out,
                                 marey_error *error);

/* A definition and the joint weights that it points to, so it must not be moved. */
typedef struct app_metric {
    marey_metric_def def;
    marey_joint_weights joints;
} app_metric;

/* REQUEST: values that do not go with the metric; one that is not lent. An operation's `check` calls
   it to refuse them in the user's dialect, without an environment, as what that lends is not known
   yet; its `run` to compare by it. */
marey_status app_metric_define(const app_env *env, const app_metric_params *params,
                               app_dialect dialect, app_metric *out, marey_error *error);

#endif
