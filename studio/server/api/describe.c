/* describe.c - entries, reports, skeletons and the like as JSON. */
#include "describe.h"

#include "clip_info.h"
#include "json_body.h"
#include "studio_limits.h"

#include <math.h>
#include <string.h>

void describe_put(json_t **to, const char *key, json_t *value)
{
    if (*to && json_object_set_new(*to, key, value) == 0) return;
    if (!*to) json_decref(value); /* otherwise jansson let it go */
    json_decref(*to);
    *to = NULL;
}

void describe_append(json_t **to, json_t *value)
{
    if (*to && json_array_append_new(*to, value) == 0) return;
    if (!*to) json_decref(value);
    json_decref(*to);
    *to = NULL;
}

/* ---- texts and numbers -------------------------------------------------------------------------- */

/* RFC 3629, section 4: no overlong forms, no surrogates, nothing beyond U+10FFFF. */
size_t describe_character(const unsigned char *s)
{
    static const struct {
        unsigned char first, last, low, high;
        size_t length;
    } rows[] = { { 0xc2, 0xdf, 0x80, 0xbf, 2 }, { 0xe0, 0xe0, 0xa0, 0xbf, 3 },
                 { 0xe1, 0xec, 0x80, 0xbf, 3 }, { 0xed, 0xed, 0x80, 0x9f, 3 },
                 { 0xee, 0xef, 0x80, 0xbf, 3 }, { 0xf0, 0xf0, 0x90, 0xbf, 4 },
                 { 0xf1, 0xf3, 0x80, 0xbf, 4 }, { 0xf4, 0xf4, 0x80, 0x8f, 4 } };
    if (s[0] < 0x80) return 1;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (s[0] < rows[i].first || s[0] > rows[i].last) continue;
        if (s[1] < rows[i].low || s[1] > rows[i].high) return 0;
        for (size_t k = 2; k < rows[i].length; k++) {
            if ((s[k] & 0xc0) != 0x80) return 0;
        }
        return rows[i].length;
    }
    return 0;
}

static json_t *mended_text(heap *memory, const char *text)
{
    studio_bytes mended = { .memory = memory };
    for (const unsigned char *s = (const unsigned char *)text; *s;) {
        size_t length = describe_character(s);
        bytes_add(&mended, length ? (const char *)s : "\xef\xbf\xbd", length ? length : 3);
        s += length ? length : 1;
    }
    json_t *value = mended.failed ? NULL : json_stringn((const char *)mended.data, mended.count);
    bytes_free(&mended);
    return value;
}

json_t *describe_text(heap *memory, const char *text)
{
    json_t *value = json_string(text ? text : "");
    return value ? value : mended_text(memory, text);
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

/* ---- its motion --------------------------------------------------------------------------------- */

/* As the application writes it, read back. */
json_t *describe_report(heap *memory, const marey_clip *clip)
{
    marey_ctx_def allocator = { .resize = heap_resize, .resize_user = memory };
    buffer text = buffer_make(&allocator);
    json out = json_make(&text);
    json_open(&out, NULL, '{');
    app_info_write(clip, NULL, &out);
    json_close(&out, '}');
    json_t *value = text.failed ? NULL : json_loadb(text.bytes, text.used, 0, NULL);
    buffer_free(&text);
    return value;
}

static json_t *describe_span(const char *key, const char *what, int start, int end)
{
    json_t *to = json_object();
    describe_put(&to, key, json_string(what));
    describe_put(&to, "start", json_integer(start));
    describe_put(&to, "end", json_integer(end));
    return to;
}

json_t *describe_contacts(const marey_contact *contacts, int count)
{
    json_t *to = json_array();
    for (int i = 0; i < count; i++) {
        describe_append(&to, describe_span("joint", marey_contact_name(contacts[i].joint),
                                           contacts[i].start, contacts[i].end));
    }
    return to;
}
