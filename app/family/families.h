/* families.h - families of motions: examples of one motion that differ in what they do, and
   whatever lies between them. Read after files.h and find_motion.h. */
#ifndef MAREY_APP_FAMILIES_H
#define MAREY_APP_FAMILIES_H

#include "files.h"
#include "find_motion.h"
#include "saved_things.h"

enum { APP_MOST_EXAMPLES = 256, APP_FEATURE_ROOM = 256 };

/* The row of an operation on a saved family, for a struct with a member `name`. */
#define APP_FAMILY_PARAM(struct_type)                                                              \
    {                                                                                              \
        .name = "name", .type = APP_TEXT, .at = offsetof(struct_type, name), .place = 1,           \
        .needed = true, .help = "which family"                                                     \
    }

/* ---- saved families -------------------------------------------------------------------------- */

typedef struct app_saved_family {
    const char *name;
    marey_parts *parts;
    marey_family *family;
    app_source *sources; /* of each example */
    /* How fast each example gets, once that was asked for. */
    marey_speeds *speeds;
    bool *measured;
} app_saved_family;

/* By its name; a drag asks for one motion after the other, so it stays open in a cache.
   NOT_FOUND, with the nearest name. INPUT: one of its clips is gone. */
marey_status app_family_open(const app_env *env, const char *name, app_saved_family **out,
                             marey_error *error);

/* Notes that an example is in what was made, with such a weight, and how fast it gets. */
marey_status app_family_use(const app_env *env, app_saved_family *from, int example, double weight,
                            app_made *made, marey_error *error);

/* Puts a family into the library, in place of one of that name, noting that `maker` made it with
   these parameters; rows NULL: with none. */
marey_status app_family_save(const app_env *env, const char *maker, const char *name,
                             const marey_family *family, const marey_parts *parts,
                             const app_param *rows, const app_params *params, marey_error *error);

/* ---- building -------------------------------------------------------------------------------- */

typedef struct app_family_recipe {
    app_params given;
    const char *name;
    app_texts files;
    app_texts feature;
    app_segments clips;
    const char *onto;
    app_segment query;
    app_searching searching;
    int search; /* a search that is remembered; 0: none */
    app_numbers matches;
    int samples, nearest, seed;
    double delta, grow, apart, prune;
    bool drop_faulty, keep_all;
    app_segments keep;
    app_texts through; /* pins */
} app_family_recipe;

/* Why something is no example: a marey_odd_kind, or one of these. */
enum {
    APP_OUT_GONE = MAREY_ODD_COUNT,
    APP_OUT_JOINTS,
    APP_OUT_LENGTH,
    APP_OUT_BLENDS,
    APP_OUT_COUNT
};

/* The name of a reason, "motion", and in *about what that means: "moves otherwise". */
const char *app_out_name(int reason, const char **about);

/* What was found or named, and is no example. */
typedef struct app_left_out {
    int reason;
    double value, limit; /* NaN: nothing was measured */
    const char *name;
    marey_part part;
    int match; /* its number among the matches; -1: it is none */
} app_left_out;

/* Parts of the library's clips. */
typedef struct app_family_example {
    marey_part part;
    int match;        /* its number among the matches; -1: it is none */
    bool kept;        /* whatever it does */
    marey_oddity odd; /* once they were judged */
} app_family_example;

typedef struct app_examples {
    int64_t onto; /* the number of the clip whose body they get; 0: the first's */
    int count;
    app_family_example items[APP_MOST_EXAMPLES];
    int parents[APP_MOST_EXAMPLES];      /* the example that each is aligned with; -1: the first */
    marey_path paths[APP_MOST_EXAMPLES]; /* how, where that is known; borrowed */
    marey_parts *loaded;                 /* NULL: not yet, or not only these */
    /* All of them were found, and none was chosen by a person. */
    bool found;
    app_left_out left_out[APP_MOST_EXAMPLES];
    int left_out_count;
    /* Of a search that is remembered: what it searched for, and how far. */
    const char *query;
    double threshold;
} app_examples;

/* Those that the recipe names or has searched for; clips that were `added` may be named by their
   files. Errors: INPUT, REQUEST, STALE, LIMIT, MEMORY. */
marey_status app_examples_choose(const app_env *env, const app_param *rows,
                                 const app_family_recipe *recipe, const app_add_result *added,
                                 const marey_listing *listing, app_examples *out,
                                 marey_error *error);

/* What label(NAME) is for each example, from labels NAME=0.7 of its frames or its clip: count x labels
   numbers. REQUEST: a clip has no such label. */
marey_status app_examples_labels(const app_env *env, const marey_listing *listing,
                                 const app_examples *examples, const marey_param *params,
                                 int param_count, const double **out, marey_error *error);

/* A family with the clips that it is made of; the scope owns both. */
typedef struct app_assembled {
    marey_parts *parts;
    marey_family *family;
} app_assembled;

/* Aligns them. What does not belong to the others goes, if it was found or the recipe drops what is
   faulty. REQUEST: fewer than two belong. */
marey_status app_examples_judge(const app_env *env, const app_family_recipe *recipe,
                                app_examples *examples, marey_error *error);

/* `def` without its registration. */
marey_status app_family_assemble(const app_env *env, app_examples *examples,
                                 const marey_family_def *def, app_assembled *out,
                                 marey_error *error);

/* Of a family of these examples, those go whose blends with their neighbours are faulty. */
marey_status app_family_drop_faulty(const app_env *env, app_examples *examples, app_assembled *made,
                                    marey_error *error);

/* Those go that the others can do without; *gone: how many. */
marey_status app_family_prune(const app_env *env, double tolerance, app_examples *examples,
                              app_assembled *made, int *gone, marey_error *error);

/* How much it takes in a library. */
marey_status app_family_bytes(const app_env *env, const marey_family *family, size_t *bytes,
                              marey_error *error);

/* What is wrong with blends of neighbours. */
typedef struct app_examination {
    marey_fault *faults;
    int count;
    double *blamed; /* of each example the share of its blends that is faulty */
} app_examination;

marey_status app_family_examine(const app_env *env, const marey_family *family,
                                const marey_parts *parts, app_examination *out, marey_error *error);

typedef struct app_family_built {
    app_family_recipe noted; /* as it is noted: a search that was remembered by its query */
    /* What became of the files, and of the index that a search among them needs. */
    app_add_params adding;
    app_add_result added;
    app_examples *examples; /* those that stay, and what is left out */
    app_assembled made;
    int pruned;
    app_examination examination;
    size_t bytes;
    double seconds; /* from examples to samples */
} app_family_built;

typedef struct app_prune_params {
    app_params given;
    const char *name, *as;
    double tolerance;
} app_prune_params;

typedef struct app_pruned {
    const char *name; /* under which it is saved */
    app_assembled made;
    int pruned;
    size_t before, after; /* bytes */
} app_pruned;

/* ---- asking ---------------------------------------------------------------------------------- */

typedef struct app_member_params {
    app_params given;
    const char *family;
    app_numbers at;
    const char *grid;
    bool table, no_clean;
    double fps, stretch;
} app_member_params;

/* A motion of a grid. */
typedef struct app_grid_motion {
    int index[MAREY_MOST_PARAM_DIMS];
    const char *file;
    double target[MAREY_MOST_PARAM_DIMS];
    marey_answer answer;
    app_fault faults[APP_MOST_FAULTS];
    int fault_count, frames;
    double fps, seconds;
} app_grid_motion;

typedef struct app_member {
    app_saved_family *from;
    bool saved; /* its answer will have the clip's "name", not the family's */
    /* One motion: */
    marey_answer answer;
    /* Origin of each feature's positions, in the motion's world: x, y, z and an angle; NaN: it
       has no position. */
    double places[MAREY_MOST_PARAMS][4];
    app_made made;
    /* A grid of them: */
    int steps[MAREY_MOST_PARAM_DIMS];
    double low[MAREY_MOST_PARAM_DIMS], high[MAREY_MOST_PARAM_DIMS];
    app_grid_motion *motions;
    int count, outside, faulty;
    double worst;    /* error of those that can be reached */
    double slide_cm; /* the worst plant of all */
} app_member;

/* What lies where in a grid, as the JSON of a file beside its motions. */
void app_grid_write(const app_member *grid, buffer *out);

/* ---- judging --------------------------------------------------------------------------------- */

typedef struct app_family_check_params {
    app_params given;
    const char *name;
    int count, seed;
} app_family_check_params;

typedef struct app_family_checked {
    const marey_family *family;
    marey_family_check check;
} app_family_checked;

typedef struct app_family_examined {
    const app_saved_family *from;
    app_examination examination;
} app_family_examined;

/* ---- listing --------------------------------------------------------------------------------- */

typedef struct app_family_ls_params {
    app_params given;
    bool all; /* examples are shown */
} app_family_ls_params;

/* By what was noted when it was built: it is not opened. */
typedef struct app_family_listed {
    const char *name;
    app_texts features;
    double samples; /* NaN: not noted */
    int64_t bytes;
    const marey_part *parts;
    const char **part_names; /* now, or when they were still there */
    bool *removed;           /* or purged */
    int part_count;
} app_family_listed;

typedef struct app_family_list {
    const app_family_listed *families;
    int count;
} app_family_list;

typedef struct app_family_shown {
    const app_saved_family *from;
} app_family_shown;

/* In family_pictures.c. */
extern const app_drawing app_family_built_pictures[], app_family_pruned_pictures[],
    app_family_shown_pictures[];

/* ---- what they share ------------------------------------------------------------------------- */

int app_family_examples(const marey_family *family);

/* What errors and distances are in: the unit that all numbers have, or "% of the box". */
const char *app_family_unit(const marey_family *family);

/* The least and the greatest value of each number in the examples; `low` and `high` have room
   for dims. */
void app_family_range(const marey_family *family, double *low, double *high);

/* "key": number, or null unless the family is in centimetres. */
void app_family_write_cm(json *out, const char *key, const marey_family *family, double value);

/* "features": ["position(right_wrist, apex, start)", ...] */
void app_family_write_features(json *out, const marey_family *family);

/* "dims" and "axes": [{"name", "unit", "feature", "axis", "low", "high", "least", "greatest"}]:
   the numbers that a point has, and how far they go in the examples and in all samples. */
void app_family_write_axes(json *out, const marey_family *family);

/* "key": [{"example", "with", "kind", "about", "value", "limit", "text"}] */
void app_faults_write(json *out, const char *key, const app_examination *examination,
                      const marey_parts *parts);
/* "a#0-90 with b#5-99: one stands on a foot while the other swings it: 40 % of the time (25 % is
   too much)" */
void app_fault_text(const marey_fault *fault, const marey_parts *parts, buffer *out);

#endif
