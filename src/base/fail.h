/* fail.h - how a function inside the library says what went wrong: one line that fills the error
   and returns the status. Every stage reads this. */
#ifndef MRY_FAIL_H
#define MRY_FAIL_H

#include <marey/base.h>

/* Fills *error (may be NULL) and returns status. `path` may be NULL; line and column 0 for none. */
__attribute__((format(printf, 6, 7))) marey_status
mry_fail_at(marey_error *error, marey_status status, const char *path, int64_t line, int64_t column,
            const char *format, ...);

#define mry_fail(error, status, path, ...) mry_fail_at(error, status, path, 0, 0, __VA_ARGS__)

marey_status mry_fail_memory(marey_error *error, const char *path);
marey_status mry_fail_cancelled(marey_error *error);

/* Copies bytes of a file into a message: control characters become '?', long ones are cut. */
void mry_quote(char *out, size_t room, const char *bytes, size_t count);

#endif
