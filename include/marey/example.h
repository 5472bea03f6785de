/* example.h - sketch a movement, find clips that do it: query by example (clusters, 3.1). Read
   after match.h. */
#ifndef MAREY_EXAMPLE_H
#define MAREY_EXAMPLE_H

#include <marey/match.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- signals --------------------------------------------------------------------------------- */

enum { MAREY_MOST_DOFS = 16, MAREY_DOF_NAME = 128 };

/* A degree of freedom: one channel of one joint. */
typedef struct marey_dof {
    /* A joint's name, or a role's ("left_knee"). */
    char joint[MAREY_DOF_NAME];
    /* A position or a rotation. */
    marey_channel channel;
} marey_dof;

/* Reads degrees of freedom from "LeftLeg.Xrotation,RightLeg.Xrotation": the first is the main
   curve. Channels may be written in any case. `dofs` has room for MAREY_MOST_DOFS.
   Errors: REQUEST: the text is not understood; the message says where. */
MAREY_API marey_status marey_dofs_parse(const char *text, marey_dof *dofs, int *count,
                                        marey_error *error);

/* Writes the signal of a clip, one value a frame, in degrees or cm. Rotations are those of the
   file's own channel order, without the jumps of whole turns; of a generated clip, those that would
   be written. Marked frames hold the values around them. `values` has room for the clip's frames. A
   generated clip's angles begin with the equivalent that is nearest to 0, which need not be the
   file's: to ask at another rate, take the signal first.
   Errors: REQUEST: the clip has no such joint or channel; the message names those it has. */
MAREY_API marey_status marey_clip_signal(const marey_clip *clip, const marey_dof *dof,
                                         double *values, marey_error *error);

/* ---- clips to search ------------------------------------------------------------------------- */

/* The fragments of clips: what lies between the turning points of their main curve, all signals cut
   there, each brought to the same length by uniform scaling. Keeps nothing of the clips. Never
   changes once made; any thread may read it.

   turning    A signal has turned once it went back by `noise` from its highest or lowest value
   point      since the last turn. Nothing is filtered over time, so neither rate nor speed matters,
              only amplitude. The turn lies at the centre of gravity of the cap, the area between
              the signal and a level `noise` below (above) that value: so a plateau turns at its
              middle, however it trembles, a sharp peak at its top, and between samples if need
              be. With `noise` < 0, in the middle of the equal highest samples.
   ends       The first fragment begins with the first sample, the last one ends with the last.
   nested     Whether a swing about as high as the noise counts is chance, and differs at another
              rate or when drawn by hand. So clips also have the fragments that greater noise would
              give them: as it grows the lowest swing vanishes first, and it and the two beside it
              are one fragment too. About half as many again. Queries have the plain ones only.
   samples    The means of a signal over MAREY_EXAMPLE_SAMPLES equal parts of the fragment's time,
              of the straight lines between its values.

   Chosen by measuring, on 34 clips at 120 Hz, nine choices of degrees of freedom, 200 queries each
   at half the rate: with nested fragments 198 of 200 best clips stay, without them 195; a noise of
   2 keeps 94 % of all parts from turn to turn, one of 1 90 %. A filter of 50 ms keeps as many best
   clips, and 98 % of the parts, but lets the claimed rate and the speed matter; medians and splines
   between samples gain nothing. */
typedef struct marey_examples marey_examples;

#define MAREY_EXAMPLE_NOISE 2.0    /* degrees, or cm */
#define MAREY_EXAMPLE_FARTHEST 1e6 /* from 0: no value may be farther */
enum {
    MAREY_EXAMPLE_SAMPLES = 16,
    MAREY_EXAMPLE_MOST_K = 64,
    MAREY_EXAMPLE_MOST_BEST = 100,
    MAREY_EXAMPLE_MOST_FRAGMENTS = 1024 /* of a query */
};

/* How signals are cut and compared: leave a field zero for its default. */
typedef struct marey_example_def {
    /* A signal has not turned before it went back by so much; default MAREY_EXAMPLE_NOISE;
       negative: it turns at every change of sign. */
    double noise;
    /* Compare shapes: the mean of each fragment is taken out. Default: values as they are, but for
       whole turns of rotations. */
    bool shape;
    /* The paper's fragments only, from each turn to the next; default: nested ones too. */
    bool plain;
} marey_example_def;

/* Cuts clips into fragments. Clips without one of the dofs, or with values beyond
   MAREY_EXAMPLE_FARTHEST, are left out and counted (marey_examples_left_out). Fragments never
   contain marked frames.
   Errors: REQUEST: no dof, too many; an invalid definition. MEMORY, CANCELLED.
   Ownership: free with marey_examples_free. The clips need not outlive it.
   Cost: about 0.1 microseconds a frame and dof of clips that were read, five times that of
     generated ones. */
MAREY_API marey_status marey_examples_open(marey_ctx *ctx, const marey_clip *const *clips,
                                           int count, const marey_dof *dofs, int dof_count,
                                           const marey_example_def *def, marey_examples **out,
                                           marey_error *error);

/* Frees the fragments. */
MAREY_API void marey_examples_free(marey_examples *examples);

/* How many fragments all clips have. */
MAREY_API int marey_examples_fragments(const marey_examples *examples);

/* How many clips were left out. */
MAREY_API int marey_examples_left_out(const marey_examples *examples);

/* Bytes in memory. */
MAREY_API size_t marey_examples_bytes(const marey_examples *examples);

/* ---- asking ---------------------------------------------------------------------------------- */

/* A sketch: values at even times, of a clip (marey_clip_signal) or drawn by hand. */
typedef struct marey_example_query {
    /* Of each signal, at least 2. */
    int samples;
    /* Samples a second; the result does not depend on it. */
    double fps;
    /* dofs x samples, the main curve first; NaN: this signal is not asked for (a whole row, and not
       the main curve). */
    const double *values;
} marey_example_query;

/* How much is looked for: leave a field zero for its default. */
typedef struct marey_example_find_def {
    /* Candidates of each fragment, 1 .. MAREY_EXAMPLE_MOST_K; default 3. */
    int k;
    /* P: paths, 1 .. MAREY_EXAMPLE_MOST_BEST; default 5. */
    int best;
} marey_example_find_def;

/* A monotonic part of the main curve. */
typedef struct marey_fragment {
    /* Samples of the query, or frames of a clip; between them if the signal turns there. */
    double start, end;
    bool rising;
} marey_fragment;

/* What stands for one fragment of the query. */
typedef struct marey_example_part {
    /* Number of the clip. */
    int clip;
    /* In its frames. */
    marey_fragment at;
    /* The turn that it begins at, counted within the clip. */
    int fragment;
    /* The turn that it ends at: a part whose `fragment` this is follows without a jump. */
    int next;
    /* Root of the mean squared difference, over all signals asked for, of both brought to the same
       length. */
    double error;
} marey_example_part;

/* Parts that together do what was sketched. */
typedef struct marey_example_path {
    /* The sum of its parts'. */
    double error;
    /* From a part to one that does not follow it. */
    int jumps;
    /* One for each fragment of the query. */
    const marey_example_part *parts;
} marey_example_path;

/* The best path that uses one clip alone. */
typedef struct marey_example_clip {
    int clip;
    marey_example_path path;
} marey_example_clip;

/* What was found. */
typedef struct marey_example_found marey_example_found;

/* Finds clips that do what is sketched. The query is cut like the clips. For each of its fragments
   the k candidates with the least error are taken; of all paths through them the `best` ones:
   fewest jumps first, then least error, then the earlier candidates. The same for each clip alone.
   Equal to trying all paths: errors are added as whole numbers of 2^-32. Where the clips have no
   fragment, none is found.
   Errors: REQUEST: values that are not finite or beyond MAREY_EXAMPLE_FARTHEST; no fragment in the
     query (the main curve is flat); an invalid definition. LIMIT: more than
     MAREY_EXAMPLE_MOST_FRAGMENTS fragments. MEMORY.
   Ownership: free with marey_example_found_free. The fragments need not outlive it.
   Cost: about 5 ns for every fragment of the clips and dof, for each fragment of the query; paths
     in O(fragments k2 best). */
MAREY_API marey_status marey_examples_find(marey_ctx *ctx, const marey_examples *examples,
                                           const marey_example_query *query,
                                           const marey_example_find_def *def,
                                           marey_example_found **out, marey_error *error);

/* Frees what was found. */
MAREY_API void marey_example_found_free(marey_example_found *found);

/* The fragments of the query. Borrowed until free. */
MAREY_API const marey_fragment *marey_example_fragments(const marey_example_found *found,
                                                        int *count);

/* The best paths, best first. Borrowed until free. */
MAREY_API const marey_example_path *marey_example_paths(const marey_example_found *found,
                                                        int *count);

/* The clips, best first: fewest jumps, then least error, then the clip's number. Borrowed until
   free. */
MAREY_API const marey_example_clip *marey_example_clips(const marey_example_found *found,
                                                        int *count);

#ifdef __cplusplus
}
#endif
#endif
