/* made_answer.c - keeping what was made. */
#include "made_answer.h"

#include "provenance_text.h"

#include <inttypes.h>
#include <stdio.h>

/* Of the name that it got and its number, in an answer. */
enum { ANSWER_ROOM = 6 * MAREY_NAME_ROOM + 64 };

made_answer made_answer_begin(studio_worker *worker, const char *verb)
{
    return (made_answer){ .by = worker, .from = made_of_begin(worker, verb) };
}

void made_answer_free(made_answer *all)
{
    marey_made_free(&all->made);
    made_of_free(&all->from);
}

/* ---- into the library --------------------------------------------------------------------------- */

static marey_status put(const made_answer *all, const char *name, char *got, marey_error *error)
{
    /* An empty set of plants is one too, and says so by not being NULL. */
    static const marey_contact none = { 0 };
    heap *memory = &all->by->of->memory;
    const marey_contacts *feet = &all->made.contacts;
    studio_bytes text = { .memory = memory }, licence = { .memory = memory };
    marey_status status = made_of_write(all->by, &all->from, &text, &licence, error);
    if (status == MAREY_OK) {
        marey_put_def def = { .provenance = (const char *)text.data,
                              .licence = (const char *)licence.data,
                              .contacts = feet->count > 0 ? feet->items : &none,
                              .contact_count = feet->count,
                              .contacts_set = true };
        status = marey_library_put(all->by->library, all->made.clip, name, &def, got,
                                   MAREY_NAME_ROOM, error);
    }
    bytes_free(&text);
    bytes_free(&licence);
    return status;
}

/* The text is written before the change, with room for what it will say of it: what was done can be said. */
marey_status made_answer_keep(const made_answer *all, const json_t *value, const char *name,
                              studio_bytes *to, marey_error *error)
{
    char got[MAREY_NAME_ROOM], number[32];
    if (!bytes_add_json(to, value) || !bytes_extend(to, ANSWER_ROOM)) {
        *error = (marey_error){ .status = MAREY_ERR_MEMORY, .message = "out of memory" };
        return MAREY_ERR_MEMORY;
    }
    to->count -= ANSWER_ROOM + 1; /* the brace as well */
    marey_status status = put(all, name, got, error);
    if (status != MAREY_OK) return status;
    api_changed(all->by);
    snprintf(number, sizeof number, ",\"id\":%" PRId64, api_number_of(all->by, got));
    provenance_text(to, number);
    provenance_string(to, ",\"name\":", got);
    provenance_text(to, "}");
    return MAREY_OK;
}
