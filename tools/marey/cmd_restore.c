/* cmd_restore.c - `marey restore`: removed clips back again. A clip whose name was taken meanwhile gets another
   one; clips are followed by their ids, so that the answer gives the names they have now. */
#include "commands.h"
#include "shelf.h"

#include <string.h>

typedef struct restoring {
    shelf at;
    char **names;
    int count;
    int64_t *ids; /* of the clips behind the names; 0 where there is none */
} restoring;

static bool is_among(const int64_t *ids, int count, int64_t id)
{
    for (int i = 0; i < count; i++) {
        if (ids[i] == id) return true;
    }
    return false;
}

/* Of several removed clips of one name the last comes back first, as the library does it. */
static int64_t find_removed(const restoring *all, const marey_entry *entries, int count, int name)
{
    int64_t last = 0;
    for (int i = 0; i < count; i++) {
        bool fits = strcmp(entries[i].name, all->names[name]) == 0;
        if (fits && entries[i].id > last && !is_among(all->ids, name, entries[i].id)) {
            last = entries[i].id;
        }
    }
    return last;
}

static marey_status find_ids(restoring *all, marey_error *error)
{
    marey_listing *listing = NULL;
    marey_list_def def = { .removed = true };
    int count;
    marey_status status = marey_library_list(all->at.library, &def, &listing, error);
    if (status != MAREY_OK) return status;
    const marey_entry *entries = marey_listing_entries(listing, &count);
    for (int i = 0; i < all->count; i++) all->ids[i] = find_removed(all, entries, count, i);
    marey_listing_free(listing);
    return MAREY_OK;
}

/* The name a clip has now; what was asked for if the library could not be asked again. */
static const char *name_now(const restoring *all, int which, char name[CLIP_NAME_ROOM])
{
    marey_status status =
        marey_library_name(all->at.library, all->ids[which], name, CLIP_NAME_ROOM, NULL, NULL);
    return status == MAREY_OK ? name : all->names[which];
}

static void describe(restoring *all)
{
    char room[CLIP_NAME_ROOM];
    session *run = all->at.run;
    json to = json_make(&run->out);
    if (run->json) {
        json_open(&to, NULL, '{');
        json_open(&to, "restored", '[');
        for (int i = 0; i < all->count; i++) json_put_string(&to, NULL, name_now(all, i, room));
        json_close(&to, ']');
        json_close(&to, '}');
        buffer_byte(&run->out, '\n');
        return;
    }
    for (int i = 0; i < all->count && !run->quiet; i++) {
        const char *name = name_now(all, i, room);
        buffer_text(&run->out, "restored ");
        buffer_shown(&run->out, all->names[i]);
        if (strcmp(name, all->names[i]) != 0) {
            buffer_text(&run->out, " as ");
            buffer_shown(&run->out, name);
        }
        buffer_byte(&run->out, '\n');
    }
}

/* The room for the answer is made before the change, the answer behind it. */
static marey_status restore(restoring *all, marey_error *error)
{
    int room = 256 + all->count * 12 * CLIP_NAME_ROOM;
    marey_status status = find_ids(all, error);
    if (status == MAREY_OK) status = shelf_ready_for(all->at.run, room, error);
    if (status == MAREY_OK) {
        status = marey_library_restore(all->at.library, (const char *const *)all->names, all->count,
                                       error);
    }
    if (status != MAREY_OK) return status;
    describe(all);
    return MAREY_OK;
}

int command_restore(session *run, const request *asked)
{
    restoring all = { .names = asked->operands + 1, .count = asked->operand_count - 1 };
    size_t bytes = (size_t)all.count * sizeof *all.ids;
    marey_error error;
    if (shelf_open(run, asked->operands[0], MAREY_LIBRARY_WRITE, &all.at, &error) != MAREY_OK) {
        return session_fail(run, &error);
    }
    all.ids = session_resize(run, NULL, 0, bytes);
    if (!all.ids) {
        shelf_close(&all.at, true);
        return session_fail_memory(run);
    }
    marey_status status = restore(&all, &error);
    session_resize(run, all.ids, bytes, 0);
    return shelf_end(&all.at, status, &error);
}
