/* puppet.h - show how to react, and it reacts: the behaviour of one character towards another,
   learned from a demonstrated pair of paths and played live (slides, second half: Young, Igarashi &
   Sharlin, Puppet Master). Read after control.h; library.h keeps puppets. */
#ifndef MAREY_PUPPET_H
#define MAREY_PUPPET_H

#include <marey/control.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- demonstrations -------------------------------------------------------------------------- */

/* A character on a plan seen from above: x to the right, y up, its direction counter-clockwise from
   x. */
typedef struct marey_entity {
    double x_cm, y_cm;
    double direction_rad;
} marey_entity;

/* A moment of a demonstration: the main character, which the player will move, and the one that
   reacts to it. */
typedef struct marey_puppet_sample {
    double time_s;
    marey_entity main, react;
} marey_puppet_sample;

/* A demonstration. */
typedef struct marey_demonstration {
    /* Times rise. */
    const marey_puppet_sample *samples;
    /* At least 2. */
    int count;
} marey_demonstration;

/* How many samples marey_clip_pair needs room for; those with marked frames are counted too. */
MAREY_API int marey_clip_pair_samples(const marey_clip *main, const marey_clip *react);

/* Makes a demonstration of the floor paths of two clips, played at the same time from their first
   frames on, for as long as both last: where the hips are and face, at the frames of the first. On
   the plan x is x and y is -z. Moments in which a frame of either is marked are left out, which
   leaves a gap. *count is how many were written, at least 2.
   Errors: REQUEST: a clip whose joints have no hips, or of a single frame; fewer than two moments
     are left. MEMORY. */
MAREY_API marey_status marey_clip_pair(const marey_clip *main, const marey_clip *react,
                                       marey_puppet_sample *samples, int *count,
                                       marey_error *error);

/* ---- paths as text --------------------------------------------------------------------------- */

/* Paths as comma-separated values: a line of column names, then a row for each moment. time
   (seconds), main_x, main_y (cm), main_dir (radians) and, with a reacting character, react_x,
   react_y, react_dir; in any order; other columns are ignored. Fields may be in quotes; empty lines
   and lines that begin with '#' are ignored. Semicolons or tabs may separate, too, if they do so in
   the line of names; then numbers may have a decimal comma. Lines end with LF, CR LF or CR. */
typedef struct marey_paths marey_paths;

/* What a table must hold: leave a field zero for its default. */
typedef struct marey_paths_def {
    /* A table without a reacting character is refused. */
    bool needs_react;
    /* The columns of the reacting character are ignored. */
    bool main_only;
    /* Rows that are farther apart leave a gap; default MAREY_PUPPET_GAP. */
    double gap_s;
} marey_paths_def;

/* What was noticed while reading. */
typedef struct marey_paths_about {
    /* Rows. */
    int count;
    /* Otherwise `react` of all samples is zero. */
    bool has_react;
    /* From the first to the last. */
    double seconds;
    /* How often rows are farther apart than gap_s, the line of the row after the first such gap (0:
       no gap), and the longest of them. */
    int gaps;
    int gap_line;
    double gap_most_s;
    /* The first line with a direction beyond 7, so that it may be in degrees; 0: no such line. */
    int degrees_line;
    /* No two rows within 0.9 s, no speed of 5 cm/s: times may be milliseconds or frame numbers. */
    bool not_seconds;
    /* Other columns. */
    int passed_over;
} marey_paths_about;

/* Reads paths from text. `name` is used in messages.
   Errors: REQUEST: main_only together with needs_react. INPUT, with line and column: no such
     columns; a row that is too short or too long; a field that is not a finite number or beyond 1e6
     (a direction: 1e4, a time: 5e9); a time that does not rise; fewer than 2 rows; bytes that are
     no text. LIMIT: more than MAREY_PUPPET_MOST_SAMPLES rows. MEMORY, CANCELLED.
   Ownership: free with marey_paths_free; the bytes may go after the call. */
MAREY_API marey_status marey_paths_read(marey_ctx *ctx, const void *bytes, size_t size,
                                        const char *name, const marey_paths_def *def,
                                        marey_paths **out, marey_error *error);

/* Frees paths. */
MAREY_API void marey_paths_free(marey_paths *paths);

/* The rows. Borrowed until free. */
MAREY_API const marey_puppet_sample *marey_paths_samples(const marey_paths *paths, int *count);

/* What was noticed. Borrowed until free. */
MAREY_API const marey_paths_about *marey_paths_facts(const marey_paths *paths);

/* Writes samples as such a table, with or without the reacting character; reads back as what it
   was.
   Errors: REQUEST: numbers that would not be read. MEMORY, CANCELLED.
   Ownership: free *bytes with marey_graph_bytes_free. */
MAREY_API marey_status marey_paths_write(marey_ctx *ctx, const marey_puppet_sample *samples,
                                         int count, bool with_react, uint8_t **bytes, size_t *size,
                                         marey_error *error);

/* ---- ready demonstrations -------------------------------------------------------------------- */

/* A generated demonstration: a row of a table. A small rule says where the reacting character wants
   to be, how fast it goes there and where it looks, while the main character wanders, stops, turns
   and comes near. */
typedef struct marey_ready_puppet {
    const char *name;  /* "follower", "shy" ... */
    const char *about; /* one line */
    /* At MAREY_PUPPET_RATE. */
    int samples;
    /* Where it is when the main character is at 0, 0 and looks along x. */
    marey_entity start;
    /* Private. */
    const void *rule;
} marey_ready_puppet;

/* Writes ready->samples samples; always the same. */
MAREY_API void marey_ready_puppet_demonstrate(const marey_ready_puppet *ready,
                                              marey_puppet_sample *samples);

/* Writes what the rule itself does, from ready->start on, while the main character goes as given at
   MAREY_PUPPET_RATE: the reference for a puppet trained on the demonstration. */
MAREY_API void marey_ready_puppet_react(const marey_ready_puppet *ready, const marey_entity *main,
                                        int count, marey_entity *react);

/* Row `index` of the table, or NULL past the last. Lives forever. */
MAREY_API const marey_ready_puppet *marey_ready_puppet_find(int index);

/* ---- behaviours ------------------------------------------------------------------------------ */

/* A behaviour that was learned. Never changes once made; any thread may read it. */
typedef struct marey_puppet marey_puppet;

#define MAREY_PUPPET_RATE 60.0  /* steps a second */
#define MAREY_PUPPET_WINDOW 0.5 /* seconds */
#define MAREY_PUPPET_GAP 0.5    /* seconds */

enum { MAREY_PUPPET_MOST_SAMPLES = 1 << 22, MAREY_PUPPET_MOST_WINDOW = 128 };

/* How a puppet is trained: leave a field zero for its default. */
typedef struct marey_puppet_def {
    /* Demonstrations are resampled to it, and steps are taken at it; 5 .. 240; default
       MAREY_PUPPET_RATE. */
    double rate;
    /* Situations are compared over so long; at most 128 steps; default MAREY_PUPPET_WINDOW. */
    double window_s;
    /* Where samples are farther apart a demonstration is cut in two; default MAREY_PUPPET_GAP. */
    double gap_s;
} marey_puppet_def;

/* Trains a puppet on demonstrations.
   Errors: REQUEST: no demonstration, or one of fewer than 2 samples; numbers that are not finite or
     beyond 1e6 cm; times that do not rise (the message says which sample); an invalid definition.
     LIMIT: more than MAREY_PUPPET_MOST_SAMPLES steps. MEMORY, CANCELLED.
   Ownership: free with marey_puppet_free. The demonstrations need not outlive it. */
MAREY_API marey_status marey_puppet_train(marey_ctx *ctx, const marey_demonstration *demonstrations,
                                          int count, const marey_puppet_def *def,
                                          marey_puppet **out, marey_error *error);

/* Frees a puppet. */
MAREY_API void marey_puppet_free(marey_puppet *puppet);

/* The settings, with every default filled in. Borrowed until free. */
MAREY_API const marey_puppet_def *marey_puppet_settings(const marey_puppet *puppet);

/* Steps of all demonstrations. */
MAREY_API int marey_puppet_samples(const marey_puppet *puppet);

/* How many demonstrations there are, cut at gaps. */
MAREY_API int marey_puppet_runs(const marey_puppet *puppet);

/* How many steps a run has. */
MAREY_API int marey_puppet_run_samples(const marey_puppet *puppet, int run);

/* Step `index` of a run, at the puppet's rate; times count from its first step. */
MAREY_API marey_puppet_sample marey_puppet_sample_at(const marey_puppet *puppet, int run,
                                                     int index);

/* ---- reacting -------------------------------------------------------------------------------- */

/* A reacting character. Not for several threads at once; the puppet may be shared by many. */
typedef struct marey_reactor marey_reactor;

/* A whole body that follows it; see below. */
typedef struct marey_body marey_body;

/* How a character reacts: leave a field zero for its default. */
typedef struct marey_reactor_def {
    /* Default: in the relation to the main character that the first demonstration starts with. */
    bool start_given;
    marey_entity start;
    /* Reactive to smooth: the share of the steps that are led by the situation, the rest by what
       was done before; 0 .. 1; default 0.5. */
    double balance;
    /* Of coherence, if it is not to be adjusted: more than 0. */
    double weight;
    /* No smoothing and no detail: the best match as it is. */
    bool rough;
    /* No detail. */
    bool smooth;
    /* marey_puppet_play only: a body that stands where it starts, and is led along as
       marey_body_lead does. */
    marey_body *body;
} marey_reactor_def;

/* One step of a reacting character. */
typedef struct marey_puppet_frame {
    marey_entity react;
    /* The moment of the demonstrations that is followed. */
    int run;
    double time_s;
    /* It goes on from what was done before, not from the situation alone. */
    bool coherent;
    /* Of coherence now. */
    double weight;
    /* Share of steps led by the situation over about the last second. */
    double balance;
} marey_puppet_frame;

/* Opens a reacting character. `main` is where the main character is at the start.
   Errors: REQUEST: positions that are not finite or beyond 1e6 cm; an invalid definition. MEMORY.
   Ownership: free with marey_reactor_free. The puppet must live as long. */
MAREY_API marey_status marey_reactor_open(marey_ctx *ctx, const marey_puppet *puppet,
                                          const marey_entity *main, const marey_reactor_def *def,
                                          marey_reactor **out, marey_error *error);

/* Frees a reacting character. */
MAREY_API void marey_reactor_free(marey_reactor *reactor);

/* Where it stands before any step. */
MAREY_API marey_entity marey_reactor_start(const marey_reactor *reactor);

/* Steps on by 1 / rate seconds: `main` is where the main character is now, out->react where the
   reacting one is. Never fails: a number that is not finite, or beyond 1e6 cm, is as before.
   Cost: about 2 ns for each sample of the demonstrations; allocates nothing. */
MAREY_API void marey_puppet_step(marey_reactor *reactor, const marey_entity *main,
                                 marey_puppet_frame *out);

/* How a whole path was played. */
typedef struct marey_played {
    /* Taken at the puppet's rate. */
    int steps;
    /* Share of those led by the situation, of all that were led by one of the two. */
    double balance;
    /* How often another moment was taken up than the next one. */
    int changes;
    /* Where it began. */
    marey_entity start;
    /* Of the way that it would have gone: less than 1 where it waited for its body. */
    double way_share;
} marey_played;

/* Plays a whole path at once: `main` of each sample is read, at any times that rise; `react` is
   written, as it is at the same times. The main character goes straight from sample to sample,
   however far apart they are. `about` may be NULL.
   Errors: REQUEST: no sample; invalid numbers; times that do not rise (the message says which
     sample); an invalid definition. LIMIT: more than MAREY_PUPPET_MOST_SAMPLES steps. MEMORY,
     CANCELLED: then `react` may be written in part. */
MAREY_API marey_status marey_puppet_play(marey_ctx *ctx, const marey_puppet *puppet,
                                         marey_puppet_sample *samples, int count,
                                         const marey_reactor_def *def, marey_played *about,
                                         marey_error *error);

/* ---- bodies ---------------------------------------------------------------------------------- */

/* A whole body (marey_body) follows a path: a character of a motion graph (control.h), steered so that
   it stays close. Not for several threads at once. */

/* Where a graph can take bodies: found once for a graph and its policy, shared by any number of
   bodies on any threads. */
typedef struct marey_body_ground marey_body_ground;

/* Finds where a graph can take bodies.
   Errors: REQUEST: the policy is for another graph. MEMORY, CANCELLED.
   Ownership: free with marey_body_ground_free. Graph and policy must live as long. */
MAREY_API marey_status marey_body_ground_open(marey_ctx *ctx, const marey_graph *graph,
                                              const marey_policy *policy, marey_body_ground **out,
                                              marey_error *error);

/* Frees it, after the bodies that share it. */
MAREY_API void marey_body_ground_free(marey_body_ground *ground);

/* How a body follows: leave a field zero for its default. */
typedef struct marey_body_def {
    /* Of the same graph and policy; default: the body makes its own. */
    const marey_body_ground *ground;
    /* A lag is made up for in about so long, up to 3600; default 1.2. */
    double catch_up_s;
    /* As for controllers. */
    bool rough;
    /* How many of its frames it keeps, the first ones; for `led`. */
    int keeps;
    /* marey_body_make only: a body of the graph that was led along this path from its start on, and
       kept its frames. If it came closer, on average, it is the one that is made. */
    const marey_body *led;
    /* marey_body_make only: gets the nodes it went through, for marey_walk_pieces; free with
       marey_walk_free. */
    marey_walk *walked;
} marey_body_def;

/* Opens a body that stands at `start`.
   Errors: REQUEST: an invalid position or definition; a ground or policy of another graph. MEMORY,
     CANCELLED.
   Ownership: free with marey_body_free. Graph, policy and ground must live as long. */
MAREY_API marey_status marey_body_open(marey_ctx *ctx, const marey_graph *graph,
                                       const marey_policy *policy, const marey_entity *start,
                                       const marey_body_def *def, marey_body **out,
                                       marey_error *error);

/* Frees a body. */
MAREY_API void marey_body_free(marey_body *body);

/* Steps to the next frame of the graph, 1 / marey_graph_fps() seconds later; `wanted` is where it
   should be by then. It looks ahead for the best way through the graph, and is turned and shifted a
   little on it: by at most 0.3 rad/s and a tenth of its speed. Never fails: an invalid position is
   ignored.
   Cost: less than a millisecond on any graph; allocates nothing. */
MAREY_API void marey_body_step(marey_body *body, const marey_entity *wanted,
                               marey_controller_frame *out);

/* Steps to the next frame as marey_body_step does, to where a reacting character is by then, and
   lets the character wait where the body cannot keep up: from its next step on it gets no farther
   than about 40 cm away. The body knows where the character would go. */
MAREY_API void marey_body_lead(marey_body *body, marey_reactor *reactor, const marey_entity *wanted,
                               marey_controller_frame *out);

/* How close a body stayed. */
typedef struct marey_body_made {
    /* Mean and largest distance of the body from where it should be. */
    double away_cm;
    double away_most_cm;
    /* Half of the time it is at most so far away. */
    double away_median_cm;
    /* Mean difference of where it faces, while it should move. */
    double turned_rad;
    marey_walk_made walk;
} marey_body_made;

/* Follows a whole path at once, as one clip with planted feet, at the graph's rate: `path` has a
   position for each 1 / rate seconds. It knows the path ahead, so it comes closer than steps do.
   `make` and `about` may be NULL.
   Errors: REQUEST: fewer than 2 positions; invalid positions, rate or definition. LIMIT: more than
     ten million frames. MEMORY, CANCELLED.
   Ownership: free with marey_made_free. */
MAREY_API marey_status marey_body_make(marey_ctx *ctx, const marey_graph *graph,
                                       const marey_policy *policy, const marey_entity *path,
                                       int count, double rate, const marey_body_def *def,
                                       const marey_walk_make_def *make, marey_made *out,
                                       marey_body_made *about, marey_error *error);

/* ---- keeping them ---------------------------------------------------------------------------- */

/* Writes a puppet as bytes.
   Errors: MEMORY.
   Ownership: free *bytes with marey_graph_bytes_free. */
MAREY_API marey_status marey_puppet_write(const marey_puppet *puppet, uint8_t **bytes, size_t *size,
                                          marey_error *error);

/* A clip whose floor path was learned, as it was called then, and its licence. */
typedef struct marey_puppet_source {
    const char *name, *licence;
} marey_puppet_source;

enum { MAREY_PUPPET_MOST_SOURCES = 4096 };

/* Writes a puppet with the clips that it was trained on; without any, the bytes of
   marey_puppet_write.
   Errors: LIMIT: more than MAREY_PUPPET_MOST_SOURCES clips. MEMORY.
   Ownership: as marey_puppet_write. */
MAREY_API marey_status marey_puppet_write_from(const marey_puppet *puppet,
                                               const marey_puppet_source *sources, int count,
                                               uint8_t **bytes, size_t *size, marey_error *error);

/* Reads a puppet.
   Errors: INPUT: the bytes are damaged or of another version. MEMORY.
   Ownership: free with marey_puppet_free; the bytes may go after the call. */
MAREY_API marey_status marey_puppet_read(marey_ctx *ctx, const uint8_t *bytes, size_t size,
                                         marey_puppet **out, marey_error *error);

/* The clips that a puppet was trained on. */
typedef struct marey_puppet_sources marey_puppet_sources;

/* Reads the clips that are named in a puppet's bytes, in their order; there may be none.
   Errors: as marey_puppet_read.
   Ownership: free with marey_puppet_sources_free; the bytes may go after the call. */
MAREY_API marey_status marey_puppet_sources_read(marey_ctx *ctx, const uint8_t *bytes, size_t size,
                                                 marey_puppet_sources **out, marey_error *error);

/* The clips. Borrowed until free. */
MAREY_API const marey_puppet_source *marey_puppet_sources_list(const marey_puppet_sources *sources,
                                                               int *count);

/* Frees the list. */
MAREY_API void marey_puppet_sources_free(marey_puppet_sources *sources);

#ifdef __cplusplus
}
#endif
#endif
