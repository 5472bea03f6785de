/* puppet.h - show how to react, and it reacts: the behaviour of one character towards another, learned from a demonstrated pair
   of paths and played live (slides, second half: Young, Igarashi & Sharlin, Puppet Master). Read after graph.h; library.h
   keeps puppets. */
#ifndef MAREY_PUPPET_H
#define MAREY_PUPPET_H

#include <marey/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- demonstrations ------------------------------------------------------------------------------- */

/* A character on a plan seen from above: x to the right, y up, where it looks counter-clockwise from x. */
typedef struct marey_entity {
    double x_cm, y_cm;
    double direction_rad;
} marey_entity;

/* A moment of a demonstration: the main character, whom the player will move, and the one that reacts to it. */
typedef struct marey_puppet_sample {
    double time_s;
    marey_entity main, react;
} marey_puppet_sample;

typedef struct marey_demonstration {
    const marey_puppet_sample *samples; /* times rise */
    int count;                          /* at least 2 */
} marey_demonstration;

/* The floor paths of two clips, played at the same time from their first frames on, for as long as both last: where the hips
   are and face, at the frames of the first. On the plan x is x and y is -z. Moments in which a frame of either is marked are
   left out, which leaves a gap. samples has room for marey_clip_pair_samples(), which counts those, too; *count is how many
   there are, at least 2. REQUEST: a clip whose joints have no hips, or of a single frame, or no two moments are left. MEMORY. */
MAREY_API int marey_clip_pair_samples(const marey_clip *main, const marey_clip *react);
MAREY_API marey_status marey_clip_pair(const marey_clip *main, const marey_clip *react,
                                       marey_puppet_sample *samples, int *count,
                                       marey_error *error);

/* ---- paths as text ---------------------------------------------------------------------------------- */

/* Paths as comma-separated values: a line of column names, then a row for each moment. time (seconds), main_x, main_y
   (cm), main_dir (radians) and, with a reacting character, react_x, react_y, react_dir; in any order; other columns are
   ignored. Fields may be in quotes; empty lines and lines that begin with '#' are ignored. Semicolons or tabs may
   separate, too, if they do so in the line of names; then numbers may have a decimal comma. Lines end with LF, CR LF or CR. */
typedef struct marey_paths marey_paths; /* free it */

typedef struct marey_paths_def { /* leave a field zero for its default */
    bool needs_react;            /* a table without a reacting character is refused */
    bool main_only;              /* the columns of the reacting character are ignored */
    double gap_s; /* rows that are farther apart leave a gap; default MAREY_PUPPET_GAP */
} marey_paths_def;

typedef struct marey_paths_about {
    int count;         /* rows */
    bool has_react;    /* otherwise `react` of all samples is zero */
    double seconds;    /* from the first to the last */
    int gaps;          /* how often rows are farther apart than gap_s .. */
    int gap_line;      /* .. the line of the row behind the first such gap; 0: there is none .. */
    double gap_most_s; /* .. and the longest of them */
    int degrees_line; /* the first line with a direction beyond 7, so that it may be in degrees; 0: there is none */
    bool
        not_seconds; /* no two rows within 0.9 s, no speed of 5 cm/s: times may be milliseconds or frame numbers */
    int passed_over; /* other columns */
} marey_paths_about;

/* `name` is what errors call it. `def` may be NULL. On failure *out is not written. REQUEST: main_only together with
   needs_react. INPUT, with line and column: no such columns, a row that is too short or too long, a field that is not a finite number or beyond 1e6 (a direction: 1e4, a time: 5e9), a time that does
   not rise, fewer than 2 rows; bytes that are no text. LIMIT: more than MAREY_PUPPET_MOST_SAMPLES rows. MEMORY, CANCELLED. */
MAREY_API marey_status marey_paths_read(marey_ctx *ctx, const void *bytes, size_t size,
                                        const char *name, const marey_paths_def *def,
                                        marey_paths **out, marey_error *error);
MAREY_API void marey_paths_free(marey_paths *paths); /* NULL is allowed */
/* Borrowed until free. */
MAREY_API const marey_puppet_sample *marey_paths_samples(const marey_paths *paths, int *count);
MAREY_API const marey_paths_about *marey_paths_facts(const marey_paths *paths);

/* The table of such samples, with or without those who react; reads back as what it was. Free it with marey_graph_bytes_free.
   REQUEST: numbers that would not be read. MEMORY, CANCELLED. */
MAREY_API marey_status marey_paths_write(marey_ctx *ctx, const marey_puppet_sample *samples,
                                         int count, bool with_react, uint8_t **bytes, size_t *size,
                                         marey_error *error);

/* ---- ready demonstrations ---------------------------------------------------------------------------- */

/* Demonstrations that are made, not acted: each by a small rule that says where the reacting one wants to be, how fast it
   goes there and where it looks, while the main character wanders, stops, turns and comes near. Rows of a table; NULL past
   the last. Lives forever. */
typedef struct marey_ready_puppet {
    const char *name;   /* "follower", "shy" ... */
    const char *about;  /* one line */
    int samples;        /* at MAREY_PUPPET_RATE */
    marey_entity start; /* where it is when the main character is at 0, 0 and looks along x */
    const void *rule;   /* its own */
} marey_ready_puppet;

/* Fills ready->samples of them; always the same. */
MAREY_API void marey_ready_puppet_demonstrate(const marey_ready_puppet *ready,
                                              marey_puppet_sample *samples);
/* What the rule itself does, from ready->start on, while the main character goes as given at MAREY_PUPPET_RATE: the
   reference for a puppet trained on the demonstration. */
MAREY_API void marey_ready_puppet_react(const marey_ready_puppet *ready, const marey_entity *main,
                                        int count, marey_entity *react);

MAREY_API const marey_ready_puppet *marey_ready_puppet_find(int index);

/* ---- behaviours ------------------------------------------------------------------------------------ */

/* A behaviour that was learned. Never changes once made; any thread may read it. */
typedef struct marey_puppet marey_puppet;

#define MAREY_PUPPET_RATE 60.0  /* steps a second */
#define MAREY_PUPPET_WINDOW 0.5 /* seconds */
#define MAREY_PUPPET_GAP 0.5    /* seconds */

enum { MAREY_PUPPET_MOST_SAMPLES = 1 << 22, MAREY_PUPPET_MOST_WINDOW = 128 };

typedef struct marey_puppet_def { /* leave a field zero for its default */
    double
        rate; /* demonstrations are brought to it, and steps are taken at it; 5 .. 240; default MAREY_PUPPET_RATE */
    double
        window_s; /* situations are compared over so long; default MAREY_PUPPET_WINDOW; at most 128 steps */
    double
        gap_s; /* where samples are farther apart a demonstration is cut in two; default MAREY_PUPPET_GAP */
} marey_puppet_def;

/* `def` may be NULL. On failure *out is not written. REQUEST: no demonstration, or one of fewer than 2 samples, numbers that
   are not finite or are beyond 1e6 cm, times that do not rise (the message says which sample), an invalid definition. LIMIT: more than
   MAREY_PUPPET_MOST_SAMPLES steps. MEMORY, CANCELLED. */
MAREY_API marey_status marey_puppet_train(marey_ctx *ctx, const marey_demonstration *demonstrations,
                                          int count, const marey_puppet_def *def,
                                          marey_puppet **out, marey_error *error);
MAREY_API void marey_puppet_free(marey_puppet *puppet); /* NULL is allowed */

/* With every default filled in. Borrowed until free. */
MAREY_API const marey_puppet_def *marey_puppet_settings(const marey_puppet *puppet);
MAREY_API int marey_puppet_samples(const marey_puppet *puppet); /* steps of all demonstrations */
MAREY_API int marey_puppet_runs(const marey_puppet *puppet);    /* demonstrations, cut at gaps */
/* Step `index` of a run, at the puppet's rate; times count from its first step. */
MAREY_API int marey_puppet_run_samples(const marey_puppet *puppet, int run);
MAREY_API marey_puppet_sample marey_puppet_sample_at(const marey_puppet *puppet, int run,
                                                     int index);

/* ---- reacting -------------------------------------------------------------------------------------- */

/* A reacting character. Not for several threads at once; the puppet may be shared by many, and must live as long. */
typedef struct marey_reactor marey_reactor;

typedef struct marey_reactor_def { /* leave a field zero for its default */
    bool
        start_given; /* default: in the relation to the main character that the first demonstration starts with */
    marey_entity start;
    double
        balance; /* share of the steps that are led by the situation, the rest by what was done before; default 0.5, that is
                       1 : 1 */
    double weight; /* of coherence, if it is not to be adjusted: more than 0 */
    bool rough;    /* no smoothing, no detail: what the best match says */
    bool smooth;   /* no detail */
} marey_reactor_def;

typedef struct marey_puppet_frame {
    marey_entity react;
    int run; /* the moment of the demonstrations that is followed */
    double time_s;
    bool coherent;  /* it goes on from what was done before, not from the situation alone */
    double weight;  /* of coherence now */
    double balance; /* share of steps led by the situation over about the last second */
} marey_puppet_frame;

/* `main` is where the main character is at the start. */
MAREY_API marey_status marey_reactor_open(marey_ctx *ctx, const marey_puppet *puppet,
                                          const marey_entity *main, const marey_reactor_def *def,
                                          marey_reactor **out, marey_error *error);
MAREY_API void marey_reactor_free(marey_reactor *reactor); /* NULL is allowed */
MAREY_API marey_entity
marey_reactor_start(const marey_reactor *reactor); /* where it stands before any step */

/* The next step, a step of the puppet's rate after the last: where the main character is now, and out comes where the reacting
   one is. Allocates nothing and cannot fail: a number that is not finite, or beyond 1e6 cm, is as before. Time goes with the
   samples of the demonstrations, about 2 ns each. */
MAREY_API void marey_puppet_step(marey_reactor *reactor, const marey_entity *main,
                                 marey_puppet_frame *out);

typedef struct marey_played {
    int steps; /* that were taken, at the puppet's rate */
    double
        balance; /* share of those led by the situation, of all that were led by one of the two */
    int changes; /* how often another moment was taken up than the next one */
    marey_entity start; /* where it began */
} marey_played;

/* A whole path at once: `main` of each sample is read, at any times that rise; `react` is written, as it is at the same times. The
   main character goes straight from sample to sample, however far apart they are. `def` and `about` may be NULL. REQUEST: fewer than one sample, invalid
   numbers, times that do not rise (the message says which sample), an invalid definition. LIMIT: more than MAREY_PUPPET_MOST_SAMPLES steps. MEMORY, CANCELLED:
   then `react` may be written in part. */
MAREY_API marey_status marey_puppet_play(marey_ctx *ctx, const marey_puppet *puppet,
                                         marey_puppet_sample *samples, int count,
                                         const marey_reactor_def *def, marey_played *about,
                                         marey_error *error);

/* ---- bodies ---------------------------------------------------------------------------------------- */

/* A whole body that goes where a puck goes: a character of a motion graph (graph.h), steered so that it stays close. Not for
   several threads at once; graph and policy must live as long. */
typedef struct marey_body marey_body;

/* What bodies know of where a graph can take them: found once for a graph and its policy, shared by any number of bodies on any
   threads. Graph and policy must live as long. REQUEST: the policy is for another graph. MEMORY, CANCELLED. */
typedef struct marey_body_ground marey_body_ground;

MAREY_API marey_status marey_body_ground_open(marey_ctx *ctx, const marey_graph *graph,
                                              const marey_policy *policy, marey_body_ground **out,
                                              marey_error *error);
MAREY_API void marey_body_ground_free(marey_body_ground *ground); /* NULL is allowed */

typedef struct marey_body_def {      /* leave a field zero for its default */
    const marey_body_ground *ground; /* of the same graph and policy; default: it finds its own */
    double catch_up_s;  /* how far it is behind is made up for in about so long; default 1.2 */
    bool rough;         /* as for controllers */
    marey_walk *walked; /* make: the nodes it went through, for marey_walk_pieces; free it */
} marey_body_def;

/* It begins standing at `start`. */
MAREY_API marey_status marey_body_open(marey_ctx *ctx, const marey_graph *graph,
                                       const marey_policy *policy, const marey_entity *start,
                                       const marey_body_def *def, marey_body **out,
                                       marey_error *error);
MAREY_API void marey_body_free(marey_body *body); /* NULL is allowed */

/* The next frame of the graph, 1 / marey_graph_fps() seconds later: where it should be by then. It looks ahead for the best way
   through the graph, and is turned and shifted a little on it: by at most 0.3 rad/s and a tenth of its speed. Allocates nothing, takes less than a
   millisecond on any graph and cannot fail: an invalid position is ignored. */
MAREY_API void marey_body_step(marey_body *body, const marey_entity *wanted,
                               marey_controller_frame *out);

typedef struct marey_body_made {
    double away_cm; /* mean distance of the body from where it should be .. */
    double away_most_cm;
    double turned_rad; /* .. and of where it faces, while it should move */
    marey_walk_made walk;
} marey_body_made;

/* A whole path at once, as one clip with planted feet, at the graph's rate: `path` has a place for each 1 / rate seconds. `def`, `make`, `about`
   may be NULL. It knows the path ahead, so it comes closer than steps do. REQUEST: fewer than 2 positions, invalid positions. LIMIT: more
   than ten million frames. MEMORY, CANCELLED. */
MAREY_API marey_status marey_body_make(marey_ctx *ctx, const marey_graph *graph,
                                       const marey_policy *policy, const marey_entity *path,
                                       int count, double rate, const marey_body_def *def,
                                       const marey_walk_make_def *make, marey_made *out,
                                       marey_body_made *about, marey_error *error);

/* ---- keeping them ----------------------------------------------------------------------------------- */

/* As bytes; free with marey_graph_bytes_free. */
MAREY_API marey_status marey_puppet_write(const marey_puppet *puppet, uint8_t **bytes, size_t *size,
                                          marey_error *error);
/* A clip whose floor path was learned, as it was called then, and its licence. */
typedef struct marey_puppet_source {
    const char *name, *licence;
} marey_puppet_source;

enum { MAREY_PUPPET_MOST_SOURCES = 4096 };

/* The same, with the clips that it was trained on; without any, the same bytes. LIMIT: too many. */
MAREY_API marey_status marey_puppet_write_from(const marey_puppet *puppet,
                                               const marey_puppet_source *sources, int count,
                                               uint8_t **bytes, size_t *size, marey_error *error);

/* INPUT: damaged, or of another version. */
MAREY_API marey_status marey_puppet_read(marey_ctx *ctx, const uint8_t *bytes, size_t size,
                                         marey_puppet **out, marey_error *error);

/* The clips that are named in such bytes, in their order; there may be none. INPUT, MEMORY as there. */
typedef struct marey_puppet_sources marey_puppet_sources; /* free it */

MAREY_API marey_status marey_puppet_sources_read(marey_ctx *ctx, const uint8_t *bytes, size_t size,
                                                 marey_puppet_sources **out, marey_error *error);
MAREY_API const marey_puppet_source *
marey_puppet_sources_list(const marey_puppet_sources *sources,
                          int *count);                                   /* borrowed until free */
MAREY_API void marey_puppet_sources_free(marey_puppet_sources *sources); /* NULL is allowed */

#ifdef __cplusplus
}
#endif
#endif
