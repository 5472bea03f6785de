/* saved_things.h - what all things have in common that a library saves under a name: families,
   graphs, cluster graphs, puppets. Read after operation.h. */
#ifndef MAREY_APP_SAVED_THINGS_H
#define MAREY_APP_SAVED_THINGS_H

#include "operation.h"

/* To a NOT_FOUND: how to list what there is, and that `marey FAMILY MAKER` makes one. Returns
   error->status. */
marey_status app_saved_hint(const char *family, const char *maker, marey_error *error);

/* What is noted of a saved thing, enough for lists, which do not open it: its clips may be gone.
   The object {"made_by", "version", ...} is begun, the caller adds to it, and at the end the
   parameters that were given are put in (rows NULL: none) with an ending zero. The caller frees
   `about`. Errors: MEMORY. */
json app_about_begin(buffer *about, const char *maker);
marey_status app_about_end(json *out, const app_param *rows, const app_params *params,
                           marey_error *error);

/* What a library saves of one kind, until the scope closes. */
marey_status app_saved_list(const app_env *env, const char *kind, const marey_kept_entry **entries,
                            int *count, marey_error *error);

/* A number of what is noted of a saved thing, NaN if it is not. `about` is jansson's, or NULL. */
double app_noted_number(const struct json_t *about, const char *key);

/* Is part `i` of the clip of this name, or of number 34 for "#34"? */
bool app_part_is_of(const marey_parts *parts, int i, const char *name);

/* "clip", "id", "start", "end" of a part, inside an object; "key": [{..}] of all parts. */
void app_part_write(json *out, const char *name, const marey_part *part);
void app_parts_write(json *out, const char *key, const marey_parts *parts);

/* The number of the clip whose body they have. */
int64_t app_parts_body(const marey_parts *parts);

/* The name that a clip has now, until the scope closes; of one that was purged the `noted` one, which
   counts as removed. Errors: MEMORY, and those of reading. */
marey_status app_part_name(const app_env *env, int64_t clip, const char *noted, const char **name,
                           bool *removed, marey_error *error);

/* How many clips parts are of; those of one follow each other. */
int app_clip_count(const marey_part *parts, int count);

/* The clips that a saved thing is made of, each once. */
typedef struct app_made_of {
    int64_t id;
    const char *name; /* now, or when it was still there */
    bool removed;     /* or purged */
} app_made_of;

typedef struct app_made_of_list {
    const app_made_of *clips;
    int count;
} app_made_of_list;

/* What the entry points to must live as long as the list. Errors: MEMORY, and those of
   reading. */
marey_status app_saved_made_of(const app_env *env, const marey_kept_entry *entry,
                               app_made_of_list *out, marey_error *error);
/* "made_of": [{"id", "name", "removed"}] */
void app_saved_write_made_of(json *out, const app_made_of_list *list);

typedef struct app_saved_name {
    app_params given;
    const char *name;
} app_saved_name;

typedef struct app_saved_rename {
    app_params given;
    const char *name, *to;
} app_saved_rename;

#endif
