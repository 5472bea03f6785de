/* saved_things.h - what all things have in common that a library saves under a name: families, graphs, cluster graphs,
   puppets. Read after operation.h. */
#ifndef MAREY_APP_SAVED_THINGS_H
#define MAREY_APP_SAVED_THINGS_H

#include "operation.h"

/* To a NOT_FOUND: how to list what there is, and that `marey FAMILY MAKER` makes one. Returns error->status. */
marey_status app_saved_hint(const char *family, const char *maker, marey_error *error);

typedef struct app_saved_name {
    app_params given;
    const char *name;
} app_saved_name;

typedef struct app_saved_rename {
    app_params given;
    const char *name, *to;
} app_saved_rename;

#endif
