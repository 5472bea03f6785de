/* provenance_text.c - the JSON of a provenance, as the program writes it. The program's own code for it goes by command
   lines, which a studio has none of; that both write the same is held by tests. */
#include "provenance_text.h"

#include "describe.h"

#include <stdio.h>
#include <string.h>

void provenance_text(studio_bytes *out, const char *text)
{
    bytes_add(out, text, strlen(text));
}

static void add_escaped(studio_bytes *out, unsigned char byte)
{
    static const char plain[] = "\"\\\b\f\n\r\t", letters[] = "\"\\bfnrt";
    char escape[8];
    const char *found = strchr(plain, byte);
    if (found) {
        snprintf(escape, sizeof escape, "\\%c", letters[found - plain]);
    } else {
        snprintf(escape, sizeof escape, "\\u%04x", (unsigned)byte);
    }
    provenance_text(out, escape);
}

void provenance_string(studio_bytes *out, const char *before, const char *value)
{
    provenance_text(out, before);
    provenance_text(out, "\"");
    for (const unsigned char *s = (const unsigned char *)value; *s;) {
        size_t length = describe_character(s);
        if (*s < 0x20 || *s == '"' || *s == '\\' || *s == 0x7f) {
            add_escaped(out, *s);
        } else if (length == 0) {
            provenance_text(out, "\xef\xbf\xbd");
            length = 1;
        } else {
            bytes_add(out, s, length);
        }
        s += length;
    }
    provenance_text(out, "\"");
}

const marey_entry *provenance_entry(const marey_listing *listing, int64_t id)
{
    int count;
    const marey_entry *entries = marey_listing_entries(listing, &count);
    for (int i = 0; i < count; i++) {
        if (entries[i].id == id) return &entries[i];
    }
    return NULL;
}

void provenance_source(studio_bytes *out, const char *library, const marey_entry *entry, int start,
                       int end)
{
    char frames[64];
    snprintf(frames, sizeof frames, ",\"start\":%d,\"end\":%d", start, end);
    provenance_string(out, "{\"library\":", library);
    provenance_string(out, ",\"clip\":", entry->name);
    provenance_text(out, frames);
    provenance_string(out, ",\"licence\":", entry->licence);
    provenance_text(out, "}");
}

/* Is it there already, between separators? */
static bool has_licence(const char *joined, const char *licence)
{
    size_t length = strlen(licence);
    for (const char *at = joined; (at = strstr(at, licence)); at++) {
        bool begins = at == joined || (at - joined >= 2 && memcmp(at - 2, "; ", 2) == 0);
        if (begins && (at[length] == 0 || at[length] == ';')) return true;
    }
    return false;
}

void provenance_licence(studio_bytes *joined, const char *licence)
{
    if (joined->count == 0) bytes_add(joined, "", 1);
    if (!*licence || joined->failed || has_licence((const char *)joined->data, licence)) return;
    joined->count--; /* the zero */
    if (joined->count > 0) provenance_text(joined, "; ");
    bytes_add(joined, licence, strlen(licence) + 1);
}
