/* puppets.h - parameters and results of the operations of puppets, and what these and live play
   share: puppets that are open, demonstrations, tables of paths. Read after operation.h and
   made.h; the program shows the results. */
#ifndef MAREY_APP_PUPPETS_H
#define MAREY_APP_PUPPETS_H

#include "make.h"
#include "motion_graphs.h"
#include "saved.h"

/* ---- notes: what people should know ---------------------------------------------------------- */

typedef struct app_notes {
    app_texts list; /* in the scope */
    bool failed;    /* an allocation was refused */
} app_notes;

/* Keeps it for the answer, and warns of it. */
void app_note(const app_env *env, app_notes *notes, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void app_notes_write(json *out, const app_notes *notes); /* "notes": [...] */

/* ---- puppets that are open ------------------------------------------------------------------- */

/* Clips with a licence that a puppet was trained on, each once. */
typedef struct app_puppet_sources {
    marey_puppet_source *items;
    int count;
} app_puppet_sources;

marey_status app_puppet_source_add(app_scope *scope, app_puppet_sources *list, const char *name,
                                   const char *licence, marey_error *error);
void app_puppet_sources_write(json *out, const app_puppet_sources *list); /* "sources": [...] */
/* A note for each that is for non-commercial use only. `puppet` is what it is called; NULL: it
   is being trained. */
void app_puppet_sources_note(const app_env *env, const app_puppet_sources *list, const char *puppet,
                             app_notes *notes);

typedef struct app_puppet {
    const char *library; /* its path; NULL: it is a file .. */
    const char *name;    /* .. and this its path */
    marey_puppet *puppet;
    const char *about;
    app_puppet_sources sources;
} app_puppet;

/* One of env->library by its name; where there are files also LIB.marey:NAME, or a file. Lives
   in the scope, or the cache. NOT_FOUND, INPUT: damaged. */
marey_status app_puppet_open(const app_env *env, const char *text, const app_puppet **out,
                             marey_error *error);

/* With the samples before each run, in which it stands: what is looked through at every step. */
int64_t app_puppet_work(const marey_puppet *puppet);
double app_puppet_seconds(const marey_puppet *puppet); /* of all runs */
double app_puppet_run_seconds(const marey_puppet *puppet, int run);

/* All of its runs one behind the other, so far apart that reading cuts them again. In the scope;
   NULL: no memory. */
marey_puppet_sample *app_puppet_demonstrated(app_scope *scope, const marey_puppet *puppet);

/* ---- what it has learned --------------------------------------------------------------------- */

typedef struct app_puppet_measures {
    double seconds; /* of all runs */
    double distance_cm, distance_spread_cm, distance_least_cm, distance_most_cm;
    double main_speed_cm_s, speed_cm_s, speed_most_cm_s; /* means over all steps; the highest */
    double moving;                                       /* the share of steps in which it moves */
    double faces_main; /* the share in which it looks at the main character, about .. */
    double faces_way;  /* .. and of those in which it moves, in which it looks where it goes */
    double behind;     /* the share in which it is behind the main character's back */
} app_puppet_measures;

app_puppet_measures app_puppet_measure(const marey_puppet *puppet);

/* "samples", "runs", "seconds", "rate" and so on. */
void app_puppet_write(json *out, const marey_puppet *puppet);

/* ---- paths ----------------------------------------------------------------------------------- */

enum { APP_PLACE_NUMBERS = 4, APP_PAIR_NUMBERS = 7 };

/* A row [t, x, y, direction], or [t, main x, y, direction, react x, y, direction]: times rise,
   and nothing is beyond what puppets take. `called` and `number` are for messages: "sample 3". */
marey_status app_path_row_read(const struct json_t *row, int width, const char *called, int number,
                               double before_s, double *out, marey_error *error);
void app_path_row_write(json *out, const marey_puppet_sample *sample);

marey_status app_path_rows_read(const app_env *env, const struct json_t *rows, const char *called,
                                bool main_only, marey_puppet_sample **samples, int *count,
                                marey_error *error);

/* Samples of a table, or of JSON rows, in the scope; they may be written to. What is odd about
   them is noted; `gap` says what becomes of a gap, and gap_s from when on there is one.
   main_only: no character reacts in them. */
marey_status app_path_read(const app_env *env, const app_document *table, const char *called,
                           bool main_only, double gap_s, const char *gap, app_notes *notes,
                           marey_puppet_sample **samples, int *count, marey_error *error);

/* On the straight line from a to b, and the shorter way round; a share outside of 0 to 1 is the
   nearer of these. */
marey_entity app_entity_between(const marey_entity *a, const marey_entity *b, double share);

/* Where one of the two is, so many times a second from the first sample on. In the scope; NULL:
   no memory. */
marey_entity *app_path_places(app_scope *scope, const marey_puppet_sample *samples, int count,
                              double rate, bool of_main, int *places);

/* ---- demonstrations -------------------------------------------------------------------------- */

typedef struct app_demonstration {
    const char *name,
        *other; /* a table, or something else; or the main clip and the one that reacts */
    bool named; /* by the user: otherwise by its place in the list */
    marey_demonstration *runs;
    int run_count;
    int rows;             /* of all runs */
    int pieces, left_out; /* between gaps; those that are shorter than a step */
    double left_out_s;    /* when the first of these is */
} app_demonstration;

typedef struct app_puppet_train_params {
    app_params given;
    const char *name; /* of bodies */
    app_documents demonstrations;
    app_texts ready, puppet;
    app_segments clips; /* two by two */
    double rate, window, gap;
    const char *about;
    app_reading reading;
} app_puppet_train_params;

typedef struct app_puppet_trained {
    app_demonstration *demonstrations;
    int count;
    int64_t samples; /* of all of them */
    double steps;    /* that the puppet will have, those before its runs included */
    marey_part *parts;
    int part_count;
    app_puppet_sources sources;
    const char *about;
    app_notes notes;
    marey_puppet *puppet;
} app_puppet_trained;

/* Reads all demonstrations that the parameters name into `out`, which is zeroed. */
marey_status app_demonstrations_read(const app_env *env, const app_puppet_train_params *request,
                                     app_puppet_trained *out, marey_error *error);

/* Saves what was trained; own: the library is that of its clips. */
marey_status app_puppet_save(marey_library *library, const char *name,
                             const app_puppet_trained *trained, bool own, marey_error *error);

/* ---- run ------------------------------------------------------------------------------------- */

/* Rows for a struct with members start, balance, weight, rough: how a character reacts. */
#define APP_REACTOR_PARAMS(struct_type)                                                            \
    { .name = "start",                                                                             \
      .type = APP_NUMBERS,                                                                         \
      .at = offsetof(struct_type, start),                                                          \
      .most_count = 3,                                                                             \
      .value = "X,Y,DIR",                                                                          \
      .help = "where it stands at first, in centimetres and radians (default: in the relation to " \
              "the main character that its first demonstration starts with)" },                    \
        { .name = "balance",                                                                       \
          .type = APP_NUMBER,                                                                      \
          .at = offsetof(struct_type, balance),                                                    \
          .least = 0,                                                                              \
          .most = 1,                                                                               \
          .value = "SHARE",                                                                        \
          .standard = "0.5",                                                                       \
          .help = "how many of its steps are led by the situation; the rest go on with what it "   \
                  "does" },                                                                        \
        { .name = "weight",                                                                        \
          .type = APP_NUMBER,                                                                      \
          .at = offsetof(struct_type, weight),                                                     \
          .least = 1e-6,                                                                           \
          .most = 1e6,                                                                             \
          .value = "W",                                                                            \
          .help =                                                                                  \
              "how much going on counts, held fast instead of being adjusted for the balance" },   \
    {                                                                                              \
        .name = "rough", .type = APP_SWITCH, .at = offsetof(struct_type, rough),                   \
        .help = "no smoothing and no detail: just what the best match says"                        \
    }

/* As the library takes them; `name` is what the user calls the numbers. REQUEST: they are none
   of a place. */
marey_status app_entity_read(const app_numbers *numbers, const char *name, marey_entity *out,
                             marey_error *error);
marey_status app_reactor_define(const app_numbers *start, double balance, double weight, bool rough,
                                const char *name, marey_reactor_def *out, marey_error *error);

typedef struct app_puppet_run_params {
    app_params given;
    const char *puppet;
    app_document main;
    app_numbers start;
    double balance, weight;
    bool rough;
    const char *graph;
    double fps, stretch;
    bool leave_feet;
} app_puppet_run_params;

typedef struct app_puppet_played {
    const app_puppet *puppet;
    marey_puppet_sample *samples;
    int count;
    bool rows; /* they are in the answer: there is no file for them */
    marey_played played;
    double distance_cm; /* mean, from the main character */
    app_notes notes;
    marey_body_made body;
    app_made made; /* if there is a graph */
} app_puppet_played;

/* ---- show, ls -------------------------------------------------------------------------------- */

enum { APP_PUPPET_RUNS = 1000 }; /* whose rows are in an answer */

typedef struct app_puppet_show_params {
    app_params given;
    const char *name;
    int points; /* 0: no rows are wanted */
} app_puppet_show_params;

typedef struct app_puppet_shown {
    const app_puppet *puppet;
} app_puppet_shown;

typedef struct app_puppet_listed {
    const marey_kept_entry *entry;
    bool open; /* what follows is known */
    int samples, runs;
    double seconds, rate, window_s;
    const char *licence; /* of all its clips, each once */
    marey_error error;   /* why it is not open; OK: it is too large */
} app_puppet_listed;

typedef struct app_puppet_list {
    app_puppet_listed *puppets;
    int count;
} app_puppet_list;

/* ---- pictures -------------------------------------------------------------------------------- */

/* In puppet_pictures.c. */
extern const app_drawing app_puppet_played_pictures[], app_puppet_shown_pictures[];

#endif
