/* entries.h - the clips of a library as lists have them. Read after operation.h. */
#ifndef MAREY_APP_ENTRIES_H
#define MAREY_APP_ENTRIES_H

#include "operation.h"

/* "stretches": [{"label", "start", "end"}] */
void app_stretches_write(json *out, const marey_stretch *stretches, int count);

/* A provenance, which is a JSON object, with stretches and repairs (a JSON array) as members more if
   there are any. */
void app_origin_write(buffer *out, const char *provenance, const marey_stretch *stretches,
                      int count, const char *repairs);
bool app_has_repairs(const char *repairs); /* is that array not empty? NULL: it is */

/* The members of one JSON object, without its brackets. */
void app_entry_write(const marey_entry *entry, json *out);

typedef struct app_ls_params {
    app_params given;
    app_texts words;
    const char *label;
    bool removed, details;
} app_ls_params;

typedef struct app_ls_result {
    const marey_entry *entries; /* in the order of their names */
    int count;
} app_ls_result;

#endif
