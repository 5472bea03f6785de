/* export_provenance.c - provenance as the program writes it. The program's own code for it goes by command lines, which
   a studio has none of; that both write the same is held by a test. */
#include "export_provenance.h"

#include "describe.h"

#include <stdio.h>
#include <string.h>

static void add(bytes *out, const char *text)
{
    bytes_add(out, text, strlen(text));
}

static void add_escaped(bytes *out, unsigned char byte)
{
    static const char plain[] = "\"\\\b\f\n\r\t", letters[] = "\"\\bfnrt";
    char escape[8];
    const char *found = strchr(plain, byte);
    if (found) {
        snprintf(escape, sizeof escape, "\\%c", letters[found - plain]);
    } else {
        snprintf(escape, sizeof escape, "\\u%04x", (unsigned)byte);
    }
    add(out, escape);
}

/* "key":"value", with what stands before it. */
static void add_string(bytes *out, const char *before, const char *value)
{
    add(out, before);
    add(out, "\"");
    for (const unsigned char *s = (const unsigned char *)value; *s;) {
        size_t length = describe_character(s);
        if (*s < 0x20 || *s == '"' || *s == '\\' || *s == 0x7f) {
            add_escaped(out, *s);
        } else if (length == 0) {
            add(out, "\xef\xbf\xbd");
            length = 1;
        } else {
            bytes_add(out, s, length);
        }
        s += length;
    }
    add(out, "\"");
}

static const marey_entry *find_entry(const marey_listing *listing, int64_t id)
{
    int count;
    const marey_entry *entries = marey_listing_entries(listing, &count);
    for (int i = 0; i < count; i++) {
        if (entries[i].id == id) return &entries[i];
    }
    return NULL;
}

marey_status provenance_of_export(marey_library *library, int64_t clip, int start, int end,
                                  bytes *out, marey_error *error)
{
    marey_listing *listing = NULL;
    char frames[64];
    marey_status status = marey_library_list(library, NULL, &listing, error);
    if (status != MAREY_OK) return status;
    const marey_entry *entry = find_entry(listing, clip);
    if (!entry) { /* while it was read */
        marey_listing_free(listing);
        *error = (marey_error){ .status = MAREY_ERR_INPUT, .message = "the clip was removed" };
        return MAREY_ERR_INPUT;
    }
    snprintf(frames, sizeof frames, ",\"start\":%d,\"end\":%d", start, end);
    add_string(out, "{\"made_by\":\"convert\",\"version\":", marey_version());
    add_string(out, ",\"sources\":[{\"library\":", marey_library_path(library));
    add_string(out, ",\"clip\":", entry->name);
    add(out, frames);
    add_string(out, ",\"licence\":", entry->licence);
    add(out, "}],\"settings\":{}}");
    bytes_add(out, "", 1);
    marey_listing_free(listing);
    if (!out->failed) return MAREY_OK;
    *error = (marey_error){ .status = MAREY_ERR_MEMORY, .message = "out of memory" };
    return MAREY_ERR_MEMORY;
}
