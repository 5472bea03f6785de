/* failure_list.h - what went wrong with single files or clips while the others went on. Read
   after env.h. */
#ifndef MAREY_APP_FAILURE_LIST_H
#define MAREY_APP_FAILURE_LIST_H

#include "env.h"
#include "json.h"

typedef struct app_failure {
    const char *path; /* what the user knows it by */
    const char *message;
    marey_status status;
    int64_t line, column;
} app_failure;

/* {0} is an empty list. */
typedef struct app_failures {
    app_failure *items;
    int count;
    bool failed; /* memory was refused to one of them */
} app_failures;

/* Notes it, and says it at once (env->failed). */
void app_failures_add(const app_env *env, app_failures *failures, const char *path,
                      const marey_error *error);

/* Out of memory and cancelled end the whole operation, whatever they happened to. */
bool app_failure_ends_all(const marey_error *error);

/* "errors": [{"status", "path", "line", "column", "message"}] */
void app_failures_write(const app_failures *failures, json *out);
void app_failures_write_as(const app_failures *failures, const char *key, json *out);

#endif
