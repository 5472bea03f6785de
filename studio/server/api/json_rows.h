/* json_rows.h - bodies whose fields are rows of a table. Read after json_inside.h; only files that read bodies include it. */
#ifndef STUDIO_JSON_ROWS_H
#define STUDIO_JSON_ROWS_H

#include "json_inside.h"

typedef enum row_kind {
    ROW_WHOLE, /* an int from least to most */
    ROW_NUMBER,
    ROW_FRAME,
    ROW_CLIP,
    ROW_TEXT,
    ROW_SWITCH,
    ROW_OWN /* read by a function, which gets the whole */
} row_kind;

typedef struct json_row {
    const char *name, *called; /* in the body, and in a refusal */
    row_kind kind;
    bool needed;
    size_t at; /* where in the struct */
    double least, most;
    marey_status (*read)(void *to, json_t *value, marey_error *error);
} json_row;

/* Every field of an object by its row, and no other. */
marey_status json_rows(json_t *object, const json_row *rows, int count, void *to,
                       marey_error *error);

#define JSON_ROWS(rows) rows, (int)(sizeof(rows) / sizeof *(rows))

#endif
