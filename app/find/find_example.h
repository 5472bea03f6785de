/* find_example.h - query by example: what is asked, what is found, and the clip that is made of
   it. Read after find_motion.h and clip_pieces.h. */
#ifndef MAREY_APP_FIND_EXAMPLE_H
#define MAREY_APP_FIND_EXAMPLE_H

#include "clip_pieces.h"
#include "find_motion.h"

/* A member of an operation's parameters. */
typedef struct app_example_request {
    app_segment query;  /* a clip, a motion file, or a .csv file with a curve */
    app_document curve; /* one that was drawn, in place of it */
    app_texts dof;
    int k, best;
    double noise;
    bool shape, plain, whole, others;
    const char *label;
    app_texts in, also;
    app_reading reading;
} app_example_request;

/* How it is asked; `only` is when they do something, NULL: always. */
#define APP_EXAMPLE_PARAMS(owner, member, only)                                                    \
    { .name = "dof",                                                                               \
      .type = APP_TEXTS,                                                                           \
      .at = offsetof(owner, member.dof),                                                           \
      .most_count = MAREY_MOST_DOFS,                                                               \
      .value = "JOINT.CHANNEL,...",                                                                \
      .only_if = (only),                                                                           \
      .help = "which signals are compared; the first one says where they are cut (default: what "  \
              "bends the left hip, the right hip, the left knee and the right knee; of a drawn "   \
              "curve as many of these as it has values, or what its first line names)" },          \
        { .name = "k",                                                                             \
          .type = APP_WHOLE,                                                                       \
          .at = offsetof(owner, member.k),                                                         \
          .least = 1,                                                                              \
          .most = MAREY_EXAMPLE_MOST_K,                                                            \
          .standard = "3",                                                                         \
          .only_if = (only),                                                                       \
          .help = "how many candidates there are for each fragment of the query" },                \
        { .name = "noise",                                                                         \
          .type = APP_NUMBER,                                                                      \
          .at = offsetof(owner, member.noise),                                                     \
          .least = 0,                                                                              \
          .most = 1e6,                                                                             \
          .value = "N",                                                                            \
          .standard = "2",                                                                         \
          .only_if = (only),                                                                       \
          .help = "a signal has not turned before it went back by so much, in degrees or "         \
                  "centimetres" },                                                                 \
        { .name = "shape",                                                                         \
          .type = APP_SWITCH,                                                                      \
          .at = offsetof(owner, member.shape),                                                     \
          .only_if = (only),                                                                       \
          .help = "compare shapes: take the mean out of each fragment" },                          \
        { .name = "plain",                                                                         \
          .type = APP_SWITCH,                                                                      \
          .at = offsetof(owner, member.plain),                                                     \
          .only_if = (only),                                                                       \
          .help = "only fragments from each turn to the next; otherwise clips also have those "    \
                  "that a larger --noise would give them" },                                       \
    {                                                                                              \
        .name = "whole", .type = APP_SWITCH, .at = offsetof(owner, member.whole),                  \
        .only_if = (only),                                                                         \
        .help = "leave out the first and the last fragment where the query's ends cut them off: "  \
                "part of one is like others than the whole"                                        \
    }

/* Which clips are looked at, by which signals. */
typedef struct app_example_choice {
    const marey_dof *dofs;
    int dof_count;
    marey_example_def def;
    const char *label;    /* NULL: any */
    const int64_t *clips; /* NULL: all */
    int clip_count;
    int64_t without; /* a clip that takes no part; 0: none */
    /* NULL: the environment's library alone. Otherwise of each of `clips`, and of `without`, the number
       of its library. */
    const app_libraries *libraries;
    const int *clip_libraries;
    int without_library;
} app_example_choice;

/* Their fragments. */
typedef struct app_example_set {
    const marey_examples *examples;
    /* Those that were looked at, by the numbers that examples has: whole clips or, where only frames
       have the label, each stretch of them; and the frame that each begins with. */
    const marey_named *clips;
    const int *starts;
    const int *libraries; /* the number of each one's */
    int clip_count;
    double opening_s; /* what it took just now; 0: it was open */
} app_example_set;

/* Reads the clips, cuts them into fragments, and lets go of them; the set lives in env->scope.
   REQUEST: there is no clip to look in, or none with these signals (the message names those
   there are). */
marey_status app_example_open(const app_env *env, const app_example_choice *choice,
                              app_example_set *out, marey_error *error);

typedef struct app_example_found {
    app_libraries libraries;
    const marey_listing *listing; /* of the first */
    const char *text;             /* the query as it was asked for */
    app_query query;              /* of one that is a clip's */
    bool drawn;
    double start_s; /* of one that was drawn */
    double fps;
    int samples;
    int first_sample, used;          /* those that are asked with: all, or with `whole` some */
    marey_dof dofs[MAREY_MOST_DOFS]; /* the driving one first */
    int dof_count;
    app_example_set set;
    const marey_example_found *found;
    double seconds; /* that finding took */
} app_example_found;

/* What parameters must be: signals that can be read, and a query. */
marey_status app_example_check(const app_example_request *request, app_dialect dialect,
                               marey_error *error);
marey_status app_example_find(const app_env *env, const app_example_request *request,
                              app_example_found *out, marey_error *error);

/* Frames of the query's clip, and seconds; of a drawn curve the numbers of its samples. */
double app_example_frame(const app_example_found *found, double sample);
double app_example_time(const app_example_found *found, double sample);

/* "LeftLeg.Xrotation" */
enum { APP_DOF_ROOM = MAREY_DOF_NAME + 32 };
const char *app_dof_text(const marey_dof *dof, char text[APP_DOF_ROOM]);

/* The rotation of a joint, by its role, that moves most in frames [start, end): what bends it.
   *there is false: there is no such joint, or it has no rotation. */
marey_status app_dof_bending(const app_env *env, const marey_clip *clip, int start, int end,
                             marey_role role, marey_dof *out, bool *there, marey_error *error);

/* ---- the operation --------------------------------------------------------------------------- */

typedef struct app_example_params {
    app_params given;
    app_example_request asked;
    int limit;      /* of clips that are listed */
    int path;       /* which of the paths is made */
    const char *of; /* a clip whose own path is made */
    bool own_pace;
    double fps, stretch;
    bool rough, leave_feet;
} app_example_params;

typedef struct app_example_result {
    app_example_found found;
    int clip_limit; /* of those that are listed */
    int made_path;  /* number of the path that was made; -1: none, or a clip's own */
    const marey_example_path *path; /* that was made */
    app_pieces pieces;
    app_made made;
} app_example_result;

/* In match_sheets.c. */
extern const app_drawing app_example_pictures[];

#endif
