/* json_list.h - answers with long lists. jansson's values are ten times as large as their text, so what is in a list is
   written one after the other behind what is there. Read after describe.h and exchange.h. */
#ifndef STUDIO_JSON_LIST_H
#define STUDIO_JSON_LIST_H

#include "api_common.h"

typedef struct json_list {
    studio_bytes *to; /* an object, whole */
    bool failed;      /* out of memory */
} json_list;

void json_list_begin(json_list *by, const char *name); /* in place of the bracket that closes it */
void json_list_add(json_list *by, bool first, json_t *value); /* takes `value` over */
void json_list_end(json_list *by);
void json_list_put(json_list *by, const char *name,
                   json_t *value); /* one more field; takes it over */

/* Neither out of memory nor too long. */
bool json_list_goes_on(const json_list *by);

/* Refuses what could not be written whole; `hint` says what to do about one that is too long. */
void json_list_check(const json_list *by, const char *hint, studio_response *response);

#endif
