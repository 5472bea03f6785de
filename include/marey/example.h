/* example.h - sketch a movement, find clips that do it: query by example (clusters, 3.1). Read after match.h. */
#ifndef MAREY_EXAMPLE_H
#define MAREY_EXAMPLE_H

#include <marey/match.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- signals -------------------------------------------------------------------------------------- */

enum { MAREY_MOST_DOFS = 16, MAREY_DOF_NAME = 128 };

/* A degree of freedom: one channel of one joint. */
typedef struct marey_dof {
    char joint[MAREY_DOF_NAME]; /* a joint's name, or a role's ("left_knee") */
    marey_channel channel;      /* a position or a rotation */
} marey_dof;

/* From "LeftLeg.Xrotation,RightLeg.Xrotation": the first is the driving one. Channels may be written in any case. dofs has
   room for MAREY_MOST_DOFS. REQUEST: it cannot be read; the message says where. */
MAREY_API marey_status marey_dofs_parse(const char *text, marey_dof *dofs, int *count,
                                        marey_error *error);

/* The values of a clip, one a frame, in degrees or cm. Rotations are those of the file's own channel order, without the jumps
   of whole turns; of a clip that was made, those that would be written. Marked frames hold what lies around them. values
   has room for the clip's frames. REQUEST: the clip has no such joint or channel; the message names those it has. MEMORY. */
MAREY_API marey_status marey_clip_signal(const marey_clip *clip, const marey_dof *dof,
                                         double *values, marey_error *error);

/* ---- what is searched ------------------------------------------------------------------------------ */

/* The fragments of clips: what lies between the turning points of their driving signal, all signals cut there, each brought to
   the same number of samples. Keeps nothing of the clips. Never changes once made; any thread may read it. */
typedef struct marey_examples marey_examples;

#define MAREY_EXAMPLE_NOISE 1.0 /* degrees, or cm */
enum { MAREY_EXAMPLE_SAMPLES = 16, MAREY_EXAMPLE_MOST_K = 64, MAREY_EXAMPLE_MOST_BEST = 100 };

typedef struct marey_example_def { /* leave a field zero for its default */
    double
        noise; /* a signal has not turned before it went back by so much; default MAREY_EXAMPLE_NOISE;
                                      negative: it turns at every change of sign */
    bool
        shape; /* compare shapes: the mean of each fragment is taken out; default: values as they are */
} marey_example_def;

/* Clips without one of the dofs take no part and are counted (marey_examples_left_out). Fragments never contain marked frames.
   `def` may be NULL. On failure *out is not written. REQUEST: no dof, too many; a definition that cannot be. MEMORY, CANCELLED. */
MAREY_API marey_status marey_examples_open(marey_ctx *ctx, const marey_clip *const *clips,
                                           int count, const marey_dof *dofs, int dof_count,
                                           const marey_example_def *def, marey_examples **out,
                                           marey_error *error);
MAREY_API void marey_examples_free(marey_examples *examples);           /* NULL is allowed */
MAREY_API int marey_examples_fragments(const marey_examples *examples); /* of all clips */
MAREY_API int marey_examples_left_out(const marey_examples *examples);
MAREY_API size_t marey_examples_bytes(const marey_examples *examples);

/* ---- asking ---------------------------------------------------------------------------------------- */

/* Values at even times: of a clip (marey_clip_signal), or drawn by hand. */
typedef struct marey_example_query {
    int samples; /* of each signal, at least 2 */
    double fps;  /* samples a second */
    const double *
        values; /* dofs x samples, the driving signal first; NaN: this signal is not asked for (a whole row, and not
                             the driving one) */
} marey_example_query;

typedef struct marey_example_find_def { /* leave a field zero for its default */
    int k;    /* candidates of each fragment, 1 .. MAREY_EXAMPLE_MOST_K; default 3 */
    int best; /* P: paths, 1 .. MAREY_EXAMPLE_MOST_BEST; default 5 */
} marey_example_find_def;

/* A monotonic stretch of the driving signal. */
typedef struct marey_fragment {
    double start,
        end; /* samples of the query, or frames of a clip; between them if the signal turns there */
    bool rising;
} marey_fragment;

/* What stands for one fragment of the query. */
typedef struct marey_example_part {
    int clip;          /* number of the clip */
    marey_fragment at; /* in its frames */
    int fragment;      /* counted within the clip: the next one follows it without a jump */
    double
        error; /* root of the mean squared difference, over all signals, of both brought to the same length */
} marey_example_part;

typedef struct marey_example_path {
    double error;                    /* the sum of its parts' */
    int jumps;                       /* from a part to one that does not follow it */
    const marey_example_part *parts; /* one for each fragment of the query */
} marey_example_path;

typedef struct marey_example_clip {
    int clip;
    marey_example_path path; /* the best one that uses this clip alone */
} marey_example_clip;

typedef struct marey_example_found marey_example_found;

/* For each fragment of the query the k candidates with the least error; of all ways through them the `best` ones: fewest jumps
   first, then least error, then the earlier candidates. The same for each clip alone. By a table, in O(fragments k2 best),
   and equal to trying them all: errors are added as whole numbers of 2^-32. On failure *out is not written. REQUEST: values
   that are not finite, no fragment in the query (the driving signal is flat), a definition that cannot be. MEMORY. */
MAREY_API marey_status marey_examples_find(marey_ctx *ctx, const marey_examples *examples,
                                           const marey_example_query *query,
                                           const marey_example_find_def *def,
                                           marey_example_found **out, marey_error *error);
MAREY_API void marey_example_found_free(marey_example_found *found); /* NULL is allowed */

/* Borrowed until free. */
MAREY_API const marey_fragment *marey_example_fragments(const marey_example_found *found,
                                                        int *count);
MAREY_API const marey_example_path *marey_example_paths(const marey_example_found *found,
                                                        int *count);
/* Best first: fewest jumps, then least error, then the clip's number. */
MAREY_API const marey_example_clip *marey_example_clips(const marey_example_found *found,
                                                        int *count);

#ifdef __cplusplus
}
#endif
#endif
