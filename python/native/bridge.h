/* bridge.h - what the Python package calls beside the library's own functions: contexts that report
   progress to Python and stop at Ctrl-C, and every operation of app/ by its name, with its parameters
   and its answer as JSON. The package's build reads this file, so it has no other preprocessor lines
   than those around it. Read after marey.h and operation.h.

   All functions may be called without Python's lock; those of one `bridge` by one thread at a time,
   unless they say otherwise. */
#ifndef MAREY_PYTHON_BRIDGE_H
#define MAREY_PYTHON_BRIDGE_H

#include <marey/marey.h>

/* ---- contexts -------------------------------------------------------------------------------- */

/* A context, and where what happens in it is told. */
typedef struct bridge bridge;

/* Called from the thread that asked for the work. `text` lives forever. */
typedef void (*bridge_progress_fn)(void *user, const char *text, int64_t done, int64_t total);

/* threads, byte_limit: as in marey_ctx_def. NULL: no memory. */
bridge *bridge_open(int threads, size_t byte_limit);

/* It is open until it was closed as often as it was opened and kept, since Python frees things in any
   order. By any thread. */
void bridge_keep(bridge *to);
void bridge_close(bridge *to);
marey_ctx *bridge_ctx(bridge *to);

/* From now on, this many seconds apart at least; NULL: to nobody. */
void bridge_report(bridge *to, bridge_progress_fn progress, void *user, double apart_s);

/* Between the two Ctrl-C cancels what runs in this context, beside whatever else it does. For the main
   thread of a program that handles SIGINT; elsewhere nothing is changed. A cancellation ends with it. */
void bridge_listen(bridge *to);
void bridge_unlisten(bridge *to);

/* For tests: of all allocations from now on the one behind so many more is refused, once. Negative:
   none is. */
void bridge_refuse(int64_t after);

/* ---- clips ----------------------------------------------------------------------------------- */

/* What goes with a clip into a library, and what a library says of one. Texts are never NULL. */
typedef struct bridge_facts {
    /* Its plants; contact_count negative: not known. */
    const marey_contact *contacts;
    int contact_count;
    const char *description, *licence;
    /* How it was made, a JSON object, or "": for a library, and for a file. */
    const char *provenance, *origin;
    const char *const *labels;
    int label_count;
} bridge_facts;

/* Puts a clip into a library under `name`, or the next free one, which goes to `got`. */
marey_status bridge_put(marey_library *library, const marey_clip *clip, const char *name,
                        const bridge_facts *facts, char *got, size_t room, marey_error *error);

/* A clip of a library by its name or number, and what is known of it. The facts are borrowed until
   bridge_entry_close. *id is its number. */
typedef struct bridge_entry bridge_entry;
marey_status bridge_take(bridge *to, marey_library *library, const char *name, marey_clip **clip,
                         int64_t *id, bridge_facts *facts, bridge_entry **out, marey_error *error);
void bridge_entry_close(bridge_entry *entry);

/* ---- frames ---------------------------------------------------------------------------------- */

/* What the numbers of a row are. The ground is the floor below the hips (or the first joint), turned
   to where the body faces: z is ahead, x to the left, y up from the floor. J is joint_count. */
typedef enum bridge_feature_kind {
    BRIDGE_POSITIONS,        /* J x 3: on the ground, cm */
    BRIDGE_WORLD_POSITIONS,  /* J x 3: in the world, cm */
    BRIDGE_VELOCITIES,       /* J x 3: in the axes of the ground, cm/s */
    BRIDGE_WORLD_VELOCITIES, /* J x 3: as marey_clip_velocities, cm/s */
    BRIDGE_ROT6D,            /* J x 6: two columns of the local rotation's matrix */
    BRIDGE_QUATERNIONS,      /* J x 4: the local rotation, w not negative */
    BRIDGE_ROOT_VELOCITY, /* 3: how the ground goes, x and z in its own axes, cm/s, and turns, rad/s */
    BRIDGE_ROOT_HEIGHT, /* 1: of the hips, cm */
    BRIDGE_PATH,        /* 2: where the ground is, x and z, cm */
    BRIDGE_HEADING,     /* 2: where its z axis points, x and z */
    BRIDGE_GIVEN        /* width: of an array */
} bridge_feature_kind;

typedef struct bridge_feature {
    bridge_feature_kind kind;
    int column;          /* of a row, where it begins */
    const float *values; /* of GIVEN: a row of `width` for each frame of the clip */
    int width;
} bridge_feature;

/* Frames [first, end) of a clip, none of them marked, as rows. */
typedef struct bridge_rows_def {
    const marey_clip *clip;
    int first, end;
    const int *joints;
    int joint_count;
    const bridge_feature *features;
    int feature_count, columns;
} bridge_rows_def;

/* Writes the rows of frames [from, from + count) of these, which do not depend on how many are
   written at once. MEMORY: then they are undefined. Any thread may call it. */
marey_status bridge_rows(const bridge_rows_def *def, int from, int count, float *out);

/* How much of a clip's name says who moves: "143" of "143_05"; all of it where it has no such part. */
int bridge_subject_length(const char *name);

/* Rows, windows of which are taken out. mean and deviation: of each column, or NULL. */
typedef struct bridge_table {
    const float *rows;
    int64_t columns, window;
    const float *mean, *deviation;
} bridge_table;

/* Copies windows that begin at these rows, less the mean and by the deviation where there are any. */
void bridge_windows(const bridge_table *table, const int64_t *starts, int64_t count, float *out);

/* Adds rows to the sums of their columns or, with a mean, the squares of how far they are off it. */
void bridge_moments(const float *rows, int64_t columns, int64_t count, const double *mean,
                    double *sums);

/* A 64-bit hash that answers accidents, not attackers. `seed`: that of what came before, or 0. */
uint64_t bridge_sum(const void *bytes, size_t count, uint64_t seed);

/* ---- operations ------------------------------------------------------------------------------ */

/* All operations with their rows, as JSON; freed with bridge_free. NULL: no memory. */
char *bridge_operations(void);
void bridge_free(char *text);

/* A clip that is in memory, by the name that the parameters say for it. */
typedef struct bridge_lent {
    const char *name;
    marey_clip *clip;
    const marey_contact *contacts;
    int contact_count; /* negative: not known */
    const char *licence;
    const char *library, *origin; /* it is of a clip of a library: its file and name; or NULL */
    int first;                    /* and the frame there that is the first one here */
} bridge_lent;

/* An operation that was run. */
typedef struct bridge_call bridge_call;

/* How an operation is run: zeroed for nothing. */
typedef struct bridge_order {
    const char *operation;
    const char *body; /* its parameters, a JSON object */
    size_t body_bytes;
    marey_library *library;
    const char *library_path;
    const bridge_lent *lent;
    int lent_count;
    bool wants_clip;     /* and arrays, where it has any */
    const char *save_as; /* in the library; NULL: nowhere */
    /* Of the caller's own; borrowed until the call is closed. NULL: none. Their functions are asked by
       the thread that runs this. */
    const marey_own_metric *metric;
    const marey_own_feature *features;
    int feature_count;
} bridge_order;

/* Runs it. *out is closed with bridge_call_close, and keeps `to` open until then; what is asked of it is
   borrowed until then. */
marey_status bridge_run(bridge *to, const bridge_order *order, bridge_call **out,
                        marey_error *error);
void bridge_call_close(bridge_call *call);

/* The answer, a JSON object, and what was said for people, a line each ("": nothing). */
const char *bridge_answer(const bridge_call *call, size_t *bytes);
const char *bridge_said(const bridge_call *call);

/* The clip that was made, to be freed with marey_clip_free; its facts. false: none was. */
bool bridge_made(bridge_call *call, marey_clip **clip, bridge_facts *facts);

/* Numbers that are too many for the answer: rows of `columns` floats, `stride` floats apart, by their
   name. false: there are not so many arrays. */
typedef struct bridge_array {
    const char *name;
    const float *values;
    int64_t rows, columns, stride;
} bridge_array;
bool bridge_array_at(const bridge_call *call, int index, bridge_array *out);

/* Draws a picture of its result, by the picture's name (NULL: the usual one), into a file whose ending
   is .png, .svg or .pdf. `library` is the one that it was run on, or NULL where that is closed: a few
   pictures need it, and say so. Clips that were lent must still be there. */
marey_status bridge_draw(const bridge_call *call, marey_library *library, const char *kind,
                         const char *path, marey_error *error);

#endif
