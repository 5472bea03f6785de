/* bridge_clips.c - clips into a library and out of it, with what it says of them. */
#include "bridge_inside.h"

#include <string.h>

marey_status bridge_put(marey_library *library, const marey_clip *clip, const char *name,
                        const bridge_facts *facts, char *got, size_t room, marey_error *error)
{
    /* An empty set of plants is one too, and says so by not being NULL. */
    static const marey_contact none = { 0 };
    marey_put_def def = { .provenance = *facts->provenance ? facts->provenance : NULL,
                          .description = facts->description,
                          .licence = facts->licence,
                          .labels = facts->labels,
                          .label_count = facts->label_count };
    if (facts->contact_count >= 0) {
        def.contacts = facts->contact_count > 0 ? facts->contacts : &none;
        def.contact_count = facts->contact_count;
        def.contacts_set = true;
    }
    return marey_library_put(library, clip, name, &def, got, room, error);
}

struct bridge_entry {
    marey_listing *listing;
    marey_contact *contacts;
    int contact_room;
};

void bridge_entry_close(bridge_entry *entry)
{
    if (!entry) return;
    marey_listing_free(entry->listing);
    bridge_resize(NULL, entry->contacts, 0, 0);
    bridge_resize(NULL, entry, 0, 0);
}

static marey_status read_contacts(marey_library *library, const char *name, bridge_entry *entry,
                                  bridge_facts *facts, marey_error *error)
{
    int count = 0;
    marey_status status = marey_library_contacts(library, name, NULL, 0, &count, error);
    facts->contact_count = -1;
    if (status != MAREY_OK || count < 0) return status;
    size_t bytes = ((size_t)count + 1) * sizeof *entry->contacts;
    entry->contacts = bridge_resize(NULL, NULL, 0, bytes);
    if (!entry->contacts) return app_fail_memory(error);
    entry->contact_room = count;
    status = marey_library_contacts(library, name, entry->contacts, count, &count, error);
    if (status != MAREY_OK) return status;
    if (count > entry->contact_room) count = entry->contact_room; /* changed meanwhile */
    facts->contacts = entry->contacts;
    facts->contact_count = count;
    return MAREY_OK;
}

marey_status bridge_take(bridge *to, marey_library *library, const char *name, marey_clip **clip,
                         int64_t *id, bridge_facts *facts, bridge_entry **out, marey_error *error)
{
    bridge_entry *entry = bridge_resize(NULL, NULL, 0, sizeof *entry);
    marey_list_def which = { .clip = name };
    marey_clip *loaded = NULL;
    (void)to;
    if (!entry) return app_fail_memory(error);
    *entry = (bridge_entry){ 0 };
    *facts = (bridge_facts){ .description = "", .licence = "", .provenance = "", .origin = "" };
    *id = 0;
    marey_status status = marey_library_load(library, name, &loaded, error);
    if (status == MAREY_OK) status = read_contacts(library, name, entry, facts, error);
    if (status == MAREY_OK) status = marey_library_list(library, &which, &entry->listing, error);
    if (status != MAREY_OK) {
        marey_clip_free(loaded);
        bridge_entry_close(entry);
        return status;
    }
    int count;
    const marey_entry *of = marey_listing_entries(entry->listing, &count);
    if (count > 0) { /* it may have been removed just now */
        *id = of->id;
        facts->description = of->description;
        facts->licence = of->licence;
        facts->provenance = facts->origin = of->provenance;
        facts->labels = of->labels;
        facts->label_count = of->label_count;
    }
    *clip = loaded;
    *out = entry;
    return MAREY_OK;
}
