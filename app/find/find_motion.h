/* find_motion.h - finding motion in a library: the index, searching by it, and query by example. Read after operation.h. */
#ifndef MAREY_APP_FIND_MOTION_H
#define MAREY_APP_FIND_MOTION_H

#include "clip_reading.h"
#include "metric_params.h"
#include "operation.h"

/* ---- what is looked for, and where ----------------------------------------------------------------- */

/* Frames [start, end) of a clip; as users count them they are `dropped` more. */
typedef struct app_query {
    const char *name;         /* as it was given */
    const marey_entry *entry; /* NULL: a file */
    const marey_clip *clip;   /* NULL: of the library, and not asked for */
    int start, end;
    double fps;
    int dropped; /* frames that were left out at the file's beginning */
} app_query;

/* A name of the library wins; a file only where the environment has files. `load`: clips of the library too. NOT_FOUND, with
   the nearest name. REQUEST: frames outside the clip. */
marey_status app_query_open(const app_env *env, const marey_listing *listing,
                            const app_reading *reading, const app_segment *segment, bool load,
                            app_query *out, marey_error *error);

/* Warns of one that is so short that it is like almost everything, and takes long to be searched for. */
void app_query_warn(const app_env *env, int frames, double fps);

/* All clips of the library, until the scope closes. */
marey_status app_listing(const app_env *env, const marey_listing **out, marey_error *error);

/* The numbers of clips by their names. NOT_FOUND, with the nearest. */
marey_status app_clip_ids(const app_env *env, const marey_listing *listing, const app_texts *names,
                          const int64_t **out, marey_error *error);

/* ---- the index ------------------------------------------------------------------------------------- */

typedef struct app_index_params {
    app_params given;
    double fps;
    bool rebuild, show, drop;
    double ceiling, valid, shortest, bridge, tail; /* of marey_web_def */
    int slope;
    bool levels;
    bool common_size;
    app_metric_params metric;
} app_index_params;

typedef struct app_index_result {
    const char *library; /* its path */
    marey_index_state state;
    marey_index_report report; /* of what was built */
} app_index_result;

/* ---- searching --------------------------------------------------------------------------------------- */

typedef struct app_search_params {
    app_params given;
    app_segment query;
    double threshold, same, distinct, loose;
    const char *label;
    app_texts in;
    int tiers, limit;
    bool paths;
    const char *cut;
    app_texts add;
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
    const marey_listing *listing;
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

/* ---- what the studio keeps open for all who find ------------------------------------------------------ */

struct app_example_wish;
struct app_example_set;

typedef struct app_finder {
    void *user;
    /* Searches, and lends what it found until the scope closes. */
    marey_status (*search)(void *user, app_scope *scope, const marey_query *query,
                           const marey_find_def *def, app_found *out, marey_error *error);
    /* app_example_open of find_example.h, of sets that are kept; lent likewise. */
    marey_status (*examples)(void *user, app_scope *scope, const struct app_example_wish *wish,
                             struct app_example_set *out, marey_error *error);
    int most_samples; /* of a query by example; 0: any number */
} app_finder;

#endif
