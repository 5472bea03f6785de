/* find_motion.h - finding motion in a library: the index, searching by it, and query by example.
   Read after operation.h. */
#ifndef MAREY_APP_FIND_MOTION_H
#define MAREY_APP_FIND_MOTION_H

#include "clip_reading.h"
#include "metric_params.h"
#include "operation.h"
#include "several.h"
#include "shards.h"

/* ---- what is looked for, and where ----------------------------------------------------------- */

/* Frames [start, end) of a clip; as users count them they are `dropped` more. */
typedef struct app_query {
    const char *name;         /* as it was given */
    int library;              /* which of those that are searched; 0 of a file */
    const marey_entry *entry; /* NULL: a file */
    const marey_clip *clip;   /* NULL: of the library, and not asked for */
    int start, end;
    double fps;
    int dropped; /* frames that were left out at the file's beginning */
} app_query;

/* A name of a library wins, as app_libraries_find reads it; a file only where the environment has
   files. `load`: clips of a library too. NOT_FOUND, with the nearest name. REQUEST: frames outside
   the clip. */
marey_status app_query_open(const app_env *env, const app_libraries *libraries,
                            const app_reading *reading, const app_segment *segment, bool load,
                            app_query *out, marey_error *error);

/* Warns of one that is so short that it is like almost everything, and takes long to be searched
   for. */
void app_query_warn(const app_env *env, int frames, double fps);

/* The numbers of clips by their names, and of the library of each. NOT_FOUND, with the nearest. */
marey_status app_clip_ids(const app_env *env, const app_libraries *libraries,
                          const app_texts *names, const int64_t **out, const int **numbers,
                          marey_error *error);

/* ---- the index ------------------------------------------------------------------------------- */

typedef struct app_index_params {
    app_params given;
    double fps;
    bool rebuild, show, drop;
    bool web;
    double ceiling, valid, shortest, bridge, tail; /* of marey_web_def */
    int slope;
    bool levels;
    bool common_size;
    app_metric_params metric;
    app_shard_params share;
} app_index_params;

typedef struct app_index_result {
    const char *library;       /* its path */
    marey_pose_report poses;   /* what there is, and what was made */
    bool webs;                 /* there are match webs */
    marey_index_state state;   /* of these */
    marey_index_report report; /* of what was built of them */
} app_index_result;

/* ---- searching ------------------------------------------------------------------------------- */

/* How far a search goes. */
typedef struct app_searching {
    double threshold, same, distinct, loose;
    const char *label;
    app_texts in;
    app_segments like, unlike;
    int tiers, limit, nearest;
    bool web, own_size, mirror;
    app_metric_params metric; /* `own` alone, and its window; NULL: by poses or webs */
} app_searching;

/* That are liked, and as many that are not: each is searched for. */
enum { APP_MOST_LIKED = 100 };

/* Rows for a struct with a member `searching`, without its label and limit. `only`: the
   parameter that they are for. */
#define APP_SEARCHING_PARAMS(struct_type, only)                                                    \
    { .name = "threshold",                                                                         \
      .type = APP_NUMBER,                                                                          \
      .at = offsetof(struct_type, searching.threshold),                                            \
      .least = 1e-9,                                                                               \
      .most = 1e12,                                                                                \
      .value = "E",                                                                                \
      .side_cm = true,                                                                             \
      .only_if = (only),                                                                           \
      .help = "how far a match may be from the query: a mean squared distance in cm2, or its "     \
              "root, as in 8cm (default: chosen by the query)" },                                  \
        { .name = "nearest",                                                                       \
          .type = APP_WHOLE,                                                                       \
          .at = offsetof(struct_type, searching.nearest),                                          \
          .least = 1,                                                                              \
          .most = 1000000,                                                                         \
          .value = "N",                                                                            \
          .only_if = (only),                                                                       \
          .help = "this many matches, the nearest, however far they are" },                        \
        { .name = "like",                                                                          \
          .type = APP_SEGMENTS,                                                                    \
          .at = offsetof(struct_type, searching.like),                                             \
          .most_count = APP_MOST_LIKED,                                                            \
          .value = "CLIP[#A-B]",                                                                   \
          .only_if = (only),                                                                       \
          .help = "this is meant too: what is like it is a match; may be given several times" },   \
        { .name = "unlike",                                                                        \
          .type = APP_SEGMENTS,                                                                    \
          .at = offsetof(struct_type, searching.unlike),                                           \
          .most_count = APP_MOST_LIKED,                                                            \
          .value = "CLIP[#A-B]",                                                                   \
          .only_if = (only),                                                                       \
          .help =                                                                                  \
              "this is not meant, and neither is what is more like it than like the query and "    \
              "what is liked; may be given several times" },                                       \
        { .name = "own-size",                                                                      \
          .type = APP_SWITCH,                                                                      \
          .at = offsetof(struct_type, searching.own_size),                                         \
          .only_if = (only),                                                                       \
          .help = "compare bodies as they are; otherwise everybody has legs of 80 cm" },           \
        { .name = "web",                                                                           \
          .type = APP_SWITCH,                                                                      \
          .at = offsetof(struct_type, searching.web),                                              \
          .only_if = (only),                                                                       \
          .help = "by the match webs that marey index --web makes, with the metric and the size "  \
                  "of bodies they were made with" },                                               \
        { .name = "in",                                                                            \
          .type = APP_CLIPS,                                                                       \
          .at = offsetof(struct_type, searching.in),                                               \
          .value = "NAME",                                                                         \
          .only_if = (only),                                                                       \
          .help = "only in this clip; may be given several times" },                               \
        { .name = "tiers",                                                                         \
          .type = APP_WHOLE,                                                                       \
          .at = offsetof(struct_type, searching.tiers),                                            \
          .least = 1,                                                                              \
          .most = 1000000,                                                                         \
          .value = "N",                                                                            \
          .only_if = (only),                                                                       \
          .help = "stop after the matches of the query (1), the matches of these (2), and so on; " \
                  "by default, where the threshold is chosen or with --web, as long as there are " \
                  "new ones, else 1" },                                                            \
        { .name = "same",                                                                          \
          .type = APP_NUMBER,                                                                      \
          .at = offsetof(struct_type, searching.same),                                             \
          .least = 1e-9,                                                                           \
          .most = 1,                                                                               \
          .value = "SHARE",                                                                        \
          .only_if = (only),                                                                       \
          .help = "matches that overlap by this share are one, by default 0.5, with --web 0.8" },  \
        { .name = "distinct",                                                                      \
          .type = APP_NUMBER,                                                                      \
          .at = offsetof(struct_type, searching.distinct),                                         \
          .least = 0,                                                                              \
          .most = 1,                                                                               \
          .value = "SHARE",                                                                        \
          .only_if = (only),                                                                       \
          .help = "matches that overlap by no more are two; those between are dropped. Steps of "  \
                  "a walk need more than the default of 0.2" },                                    \
    {                                                                                              \
        .name = "loose", .type = APP_NUMBER, .at = offsetof(struct_type, searching.loose),         \
        .least = 0, .most = 0.5, .value = "SHARE", .only_if = (only),                              \
        .help = "with --web: how much of the query a match may lack at either end, by default 0.3" \
    }

typedef struct app_search_params {
    app_params given;
    app_segment query;
    app_texts also;
    app_searching searching;
    bool paths;
    const char *cut;
    app_texts add;
    const char *label_matches;
    app_reading reading;
} app_search_params;

/* What was found, borrowed until the scope closes. */
typedef struct app_found {
    const marey_finding *finding;
    int64_t number; /* under which the studio remembers it; 0: nowhere */
    bool stopped;   /* before its end, since others waited */
} app_found;

typedef struct app_search_result {
    const char *library; /* its path */
    app_libraries libraries;
    app_query query;
    const char *metric;
    bool squared; /* distances are in cm2 */
    app_found found;
    marey_finding_report report;
    const marey_match *matches; /* the query first */
    int count;
    marey_path *paths;  /* of each edge; NULL: not asked for */
    marey_named *clips; /* that were cut out of it; NULL: none are asked for */
    int clip_count;
} app_search_result;

/* ---- what repeats ---------------------------------------------------------------------------- */

typedef struct app_motifs_params {
    app_params given;
    int limit;
    const char *label;
    app_texts in;
    app_shard_params share;
} app_motifs_params;

typedef struct app_motifs_result {
    const char *library; /* its path */
    const marey_listing *listing;
    const marey_motif *motifs; /* borrowed until the scope closes */
    int count;
    marey_motifs_report report;
} app_motifs_result;

/* ---- pictures -------------------------------------------------------------------------------- */

/* The frames of a match in its library as a clip, mirrored back, which the caller frees. */
marey_status app_match_open(marey_library *library, const marey_match *match, marey_clip **out,
                            marey_error *error);
/* The same of a search's match by its number; the query, 0, may be a file's. */
marey_status app_search_open(marey_library *library, const app_search_result *result, int match,
                             marey_clip **out, marey_error *error);

/* In match_sheets.c. */
extern const app_drawing app_search_pictures[], app_motifs_pictures[];

/* ---- what the studio keeps open for all who find --------------------------------------------- */

struct app_example_choice;
struct app_example_set;

typedef struct app_finder {
    void *user;
    /* Searches, and lends what it found until the scope closes. What is found in several libraries
       it does not remember. */
    marey_status (*search)(void *user, app_scope *scope, const app_libraries *libraries,
                           const marey_query *query, const marey_find_def *def, app_found *out,
                           marey_error *error);
    /* The same of a search that it remembers. NOT_FOUND. */
    marey_status (*recall)(void *user, app_scope *scope, int64_t number, app_found *out,
                           marey_error *error);
    /* app_example_open of find_example.h, of sets that are kept; lent likewise. */
    marey_status (*examples)(void *user, app_scope *scope, const struct app_example_choice *choice,
                             struct app_example_set *out, marey_error *error);
    int most_samples; /* of a query by example; 0: any number */
} app_finder;

/* The name of what distances are measured by: the metric of the webs, or else that of poses. STALE:
   there are no webs, or none that can be read, but they are to be searched by. */
marey_status app_search_metric(const app_env *env, const app_searching *options, const char **name,
                               marey_error *error);

/* REQUEST: one is for the other way to search. `table` and `given` as below. */
marey_status app_searching_check(const app_param *table, const app_params *given,
                                 const app_searching *options, app_dialect dialect,
                                 marey_error *error);

/* Searches, by what env->finder keeps open if there is one; then no other search runs until the
   scope closes. `table` and `given` are those of the parameters that `how` is a member of. */
marey_status app_search_run(const app_env *env, const app_libraries *libraries,
                            const app_param *table, const app_params *given,
                            const app_searching *options, const marey_query *query, app_found *out,
                            marey_error *error);

#endif
