/* plants.c - stored plants, cut to the frames in hand, or found ones. */
#include "plants.h"

static marey_status fail_memory(marey_error *error)
{
    *error = (marey_error){ .status = MAREY_ERR_MEMORY, .message = "out of memory" };
    return MAREY_ERR_MEMORY;
}

/* Plants that reach into [start, end), cut there and counted from `start`. */
static void keep_between(plants *all, int start, int end)
{
    int kept = 0;
    for (int i = 0; i < all->count; i++) {
        marey_contact one = all->items[i];
        if (one.start < start) one.start = start;
        if (one.end > end) one.end = end;
        if (one.start >= one.end) continue;
        one.start -= start;
        one.end -= start;
        all->items[kept++] = one;
    }
    all->count = kept;
}

/* *any: the library keeps plants of this clip, even if none of them is among these frames. */
static marey_status take_stored(input *from, const input_source *source, plants *all, bool *any,
                                marey_error *error)
{
    int room = 0, count = 0;
    marey_status status =
        marey_library_contacts(from->library, source->name, NULL, 0, &room, error);
    *any = room >= 0; /* an empty set is one too */
    if (status != MAREY_OK || room < 0) return status;
    all->stored = true;
    if (room == 0) return MAREY_OK;
    size_t bytes = (size_t)room * sizeof *all->items;
    all->items = session_resize(all->run, NULL, 0, bytes);
    if (!all->items) return fail_memory(error);
    all->bytes = bytes;
    status = marey_library_contacts(from->library, source->name, all->items, room, &count, error);
    if (status != MAREY_OK) return status;
    all->count = count < room ? count : room; /* somebody may have changed them meanwhile */
    keep_between(all, source->start, source->end);
    return MAREY_OK;
}

static marey_status find(const marey_clip *clip, plants *all, marey_error *error)
{
    marey_status status = marey_contacts_find(clip, NULL, &all->found);
    if (status != MAREY_OK) {
        *error = (marey_error){ .status = status };
        buffer text = buffer_fixed(error->message, sizeof error->message - 1);
        buffer_text(&text, marey_status_name(status));
        return status;
    }
    all->items = all->found.items;
    all->count = all->found.count;
    return MAREY_OK;
}

marey_status plants_get(input *from, const input_source *source, const marey_clip *clip,
                        bool find_them, plants *out, marey_error *error)
{
    plants all = { .run = from->run };
    bool any = false;
    marey_status status = MAREY_OK;
    if (from->library && !find_them) status = take_stored(from, source, &all, &any, error);
    if (status == MAREY_OK && !any) status = find(clip, &all, error);
    if (status != MAREY_OK) {
        plants_free(&all);
        return status;
    }
    *out = all;
    return MAREY_OK;
}

marey_status plants_find(session *run, const marey_clip *clip, plants *out, marey_error *error)
{
    plants all = { .run = run };
    marey_status status = find(clip, &all, error);
    if (status == MAREY_OK) *out = all;
    return status;
}

void plants_free(plants *all)
{
    if (all->bytes) session_resize(all->run, all->items, all->bytes, 0);
    marey_contacts_free(&all->found);
    *all = (plants){ .run = all->run };
}

const char *plants_from(const plants *all)
{
    return all->stored ? "library" : "found";
}
