/* describe.c - texts, numbers and provenance as JSON. */
#include "describe.h"

#include "exchange.h"
#include "json_body.h"

#include <math.h>
#include <string.h>

void describe_put(json_t **target, const char *key, json_t *value)
{
    if (*target && json_object_set_new(*target, key, value) == 0) return;
    if (!*target) json_decref(value); /* otherwise jansson let it go */
    json_decref(*target);
    *target = NULL;
}

void describe_append(json_t **target, json_t *value)
{
    if (*target && json_array_append_new(*target, value) == 0) return;
    if (!*target) json_decref(value);
    json_decref(*target);
    *target = NULL;
}

/* ---- texts and numbers ----------------------------------------------------------------------- */

json_t *describe_text(heap *memory, const char *text)
{
    json_t *value = json_string(text ? text : "");
    if (value) return value;
    studio_bytes mended = { .memory = memory };
    for (const unsigned char *s = (const unsigned char *)text; *s;) {
        size_t length = utf8_length(s);
        bytes_add(&mended, length ? (const char *)s : "\xef\xbf\xbd", length ? length : 3);
        s += length ? length : 1;
    }
    value = mended.failed ? NULL : json_stringn((const char *)mended.data, mended.count);
    bytes_free(&mended);
    return value;
}

json_t *describe_number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

json_t *describe_provenance(const char *text)
{
    size_t count = strlen(text);
    if (!count || !json_is_shallow(text, count, LIMIT_JSON_DEPTH)) return json_null();
    json_t *value = json_loadb(text, count, 0, NULL);
    if (json_is_object(value)) return value;
    json_decref(value);
    return json_null();
}
