/* operation.h - an operation: what marey does for a user, once, wherever it is asked for. The
   program, the studio and whatever comes later read its parameters by its rows, run it, and
   write its result. Read after params.h. */
#ifndef MAREY_APP_OPERATION_H
#define MAREY_APP_OPERATION_H

#include "params.h"

/* APP_MAY_READ: clips are a library's, or files where there is none. APP_OR_FILES: the same, and
   the library is the first operand if that ends in .marey. APP_CREATES: writes, and makes the file
   where there is none. APP_LIBRARY_FILE: the file, which is not opened. */
typedef enum app_library_use {
    APP_NO_LIBRARY,
    APP_MAY_READ,
    APP_OR_FILES,
    APP_READS,
    APP_WRITES,
    APP_CREATES,
    APP_LIBRARY_FILE
} app_library_use;

struct app_made;

/* Numbers of a result that are too many for its JSON: rows, `stride` floats apart. Borrowed from the
   result. */
typedef struct app_array {
    const char *name;
    const float *values;
    int64_t rows, columns, stride;
} app_array;

/* How a picture of a result is drawn: leave a field zero for its default. */
typedef struct app_drawing_def {
    const char *dofs; /* "curves": which ones, as marey_dofs_parse reads them */
    int run;          /* "paths" of a puppet: which run, from 1 on */
} app_drawing_def;

/* A picture of a result. */
typedef struct app_drawing {
    const char *name;    /* "matrix"; NULL ends a table */
    const char *summary; /* what it shows; no capital, no full stop */
    /* Into a file, whose ending says the format, as in picture.h. What it needs on the way lives in
       env->scope; the library, if the operation had one, is env->library. REQUEST: this result has
       nothing to draw. */
    marey_status (*draw)(const app_env *env, const void *params, void *result,
                         const app_drawing_def *def, const char *path, marey_error *error);
} app_drawing;

typedef struct app_operation {
    const char *name;           /* "graph build": the command's words, POST /api/do/graph-build */
    const char *summary;        /* no capital, no full stop */
    const char *description[7]; /* paragraphs; NULL behind the last */
    const app_param *params;
    size_t params_size, result_size; /* of its structs; both are zeroed before they are used */
    app_library_use library;
    bool takes_long; /* from a moment to minutes: the studio makes it a job */
    /* Where its parameters have an app_shard_params (shards.h); 0: it is not shared. With env->tiles it
       makes its tiles and ends there, or takes them from shards and does the rest. */
    size_t shards;
    /* Its tiles follow from the motion of clips alone, not from what is said of them. */
    bool shards_by_motion;
    /* Some shards are worth putting in before all are there. */
    bool shards_one_by_one;

    /* After the rows' own rules: what parameters must be together. Names are written in the
       user's dialect. NULL: the rows say it all. */
    marey_status (*check)(const void *params, app_dialect dialect, marey_error *error);

    /* Do these parameters change the library? NULL: as `library` says. */
    bool (*writes)(const void *params);
    /* Do these that do not nevertheless work out what is worth keeping in it? NULL: no. */
    bool (*keeps)(const void *params);
    /* Of APP_CREATES: do they make the file where there is none? NULL: always. */
    bool (*creates)(const void *params);

    /* Works out the result; changes nothing in the library unless there is no commit, and then
       after app_reserve. What the result points to lives in env->scope or env->cache. */
    marey_status (*run)(const app_env *env, const void *params, void *result, marey_error *error);

    /* The result as the members of one JSON object, without its brackets. */
    void (*write)(const void *params, const void *result, json *out);

    /* Array `index` of the result, for callers that take arrays; false: it has not so many. NULL: it has
       none. Some are made only if they are wanted (env->wants_clip). */
    bool (*array)(const void *result, int index, app_array *out);

    /* What can be drawn of its result, the usual one first. NULL: nothing. */
    const app_drawing *pictures;

    /* The clip that it generated, in its result; the caller saves it. NULL: it is no operation
       that makes clips. One that only lists what could be made has no clip in it
       (env->wants_clip). */
    struct app_made *(*made)(void *result);
    /* How what it made is described, before the names of what that is made of: "loop of". */
    const char *made_as;
    /* On a command line its file is the last operand, not that of -o. */
    bool output_last;
    /* Unless this is given: then all operands are inputs, and it writes files of its own. */
    const char *many_option;
    /* "also": of several libraries in a row on a command line those behind the first are for this row. */
    const char *libraries_option;
    /* "cut": the option that says where its clip goes, where that is not -o. */
    const char *clip_option;

    /* Changes the library. The answer is written before, so that after a change only sending it
       can fail. NULL: nothing is left to be done. */
    marey_status (*commit)(const app_env *env, const void *params, void *result,
                           marey_error *error);
    /* The commit writes the file that the parameter `output` names. */
    bool writes_file;
    /* The commit fills in names that only the library knows: the answer is written again behind
       it. It must not be longer than the first one, whose room it takes. */
    bool names_follow;
} app_operation;

/* `run` of an operation whose answer is known before, and `params` of one that has none. */
marey_status app_run_nothing(const app_env *env, const void *params, void *result,
                             marey_error *error);
extern const app_param app_no_params[];

/* All operations in the order of the manual; NULL past the last. */
const app_operation *app_operation_at(int index);
const app_operation *app_operation_find(const char *name); /* NULL: there is none */

/* A request on its way: parameters and result of one operation, in a scope of their own. */
typedef struct app_call {
    const app_operation *operation;
    app_scope scope;
    app_params *params;
    void *result;
    const char *library_path; /* as in app_env, for who runs it to set */
    /* It was one shard that was worked out (shards.h): that is the answer, and nothing is left to be
       done; NULL: no. */
    const struct app_shard_result *shard;
} app_call;

/* Fills in the defaults. Whatever it returns, app_call_close must follow. */
marey_status app_call_open(app_call *call, const app_operation *operation,
                           const marey_ctx_def *memory, marey_error *error);
void app_call_close(app_call *call);

/* After the last value: app_params_check, and the operation's own. REQUEST. */
marey_status app_call_check(const app_call *call, app_dialect dialect, marey_error *error);

/* Runs it in `env`, whose scope is the call's own. After a failure it can be run again. */
marey_status app_call_run(app_call *call, app_env env, marey_error *error);

bool app_call_writes(const app_call *call); /* will it change the library? */
bool app_call_keeps(const app_call *call);  /* or may it put in what it worked out? */

/* The whole answer, one JSON object. Whether it could be written is said by `failed` of its
   buffer. */
void app_call_write(const app_call *call, buffer *out);

marey_status app_call_commit(app_call *call, app_env env, marey_error *error);

/* Draws a picture of its result, by the picture's name (NULL: the usual one), after app_call_run and as
   often as is wanted. `def` may be NULL. Errors: as in picture.h; REQUEST: there is no such picture,
   or nothing to draw. */
marey_status app_call_draw(const app_call *call, app_env env, const char *kind,
                           const app_drawing_def *def, const char *path, marey_error *error);

#endif
