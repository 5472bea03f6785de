/* export_provenance.c - provenance as the program writes it. */
#include "export_provenance.h"

#include "provenance_text.h"

marey_status provenance_of_export(marey_library *library, int64_t clip, int start, int end,
                                  studio_bytes *out, marey_error *error)
{
    marey_listing *listing = NULL;
    marey_status status = marey_library_list(library, NULL, &listing, error);
    if (status != MAREY_OK) return status;
    const marey_entry *entry = provenance_entry(listing, clip);
    if (!entry) { /* while it was read */
        marey_listing_free(listing);
        *error = (marey_error){ .status = MAREY_ERR_INPUT, .message = "the clip was removed" };
        return MAREY_ERR_INPUT;
    }
    provenance_string(out, "{\"made_by\":\"convert\",\"version\":", marey_version());
    provenance_text(out, ",\"sources\":[");
    provenance_source(out, marey_library_path(library), entry, start, end);
    provenance_text(out, "],\"settings\":{}}");
    bytes_add(out, "", 1);
    marey_listing_free(listing);
    if (!out->failed) return MAREY_OK;
    *error = (marey_error){ .status = MAREY_ERR_MEMORY, .message = "out of memory" };
    return MAREY_ERR_MEMORY;
}
