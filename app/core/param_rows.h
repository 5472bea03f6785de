/* param_rows.h - single rows of parameters, for params.c and param_rows.c. Read after params.h. */
#ifndef MAREY_APP_PARAM_ROWS_H
#define MAREY_APP_PARAM_ROWS_H

#include "params.h"

enum { APP_SPELLED_ROOM = 72 };

/* The row of a name, whose dashes may be underscores; NULL: there is none. */
const app_param *app_param_find(const app_param *rows, const char *name, size_t length);

static inline bool app_param_given(const app_param *rows, const app_param *row,
                                   const app_params *params)
{
    return params->given >> (row - rows) & 1;
}

/* Where the row's value lies. */
static inline void *app_param_place(const app_param *row, const app_params *params)
{
    return (char *)(uintptr_t)params + row->at;
}

/* "--only-smooth" or "only_smooth", as the user writes it. Returns `text`. */
const char *app_param_spell(const app_param *row, app_dialect dialect, char text[APP_SPELLED_ROOM]);

/* Errors: REQUEST, "--mu must be a number from 1 to 1000, got 0". */
marey_status app_param_refuse(const app_param *row, app_dialect dialect, const char *got,
                              marey_error *error);

#endif
