/* kept_sources.c - the clips that a behaviour was trained on, and their licences: those that are in the library as it has them now,
   those that are gone as they were. */
#include "library/kept_made.h"

#include "base/fail.h"
#include "puppet/puppet_data.h"

#include <string.h>

typedef struct gathering {
    marey_library *library;
    mry_arena *mem;
    marey_puppet_source *items; /* there is room for all that may come */
    int count;
} gathering;

static bool has(const gathering *all, const char *name, const char *licence)
{
    for (int i = 0; i < all->count; i++) {
        const marey_puppet_source *one = &all->items[i];
        if (strcmp(one->name, name) == 0 && strcmp(one->licence, licence) == 0) return true;
    }
    return false;
}

/* Each once; one without a licence has nothing to be remembered for. */
static void add(gathering *to, const char *name, const char *licence)
{
    if (!*licence || has(to, name, licence)) return;
    to->items[to->count++] = (marey_puppet_source){ name, licence };
}

/* *name: what it is called; NULL if it was purged. */
static marey_status add_clip(gathering *to, int64_t id, const char **name, marey_error *error)
{
    mry_query query =
        mry_query_start(to->library->store, "SELECT name, licence FROM clip WHERE id = ?");
    const char *licence = NULL;
    mry_bind_integer(&query, 1, id);
    *name = NULL;
    bool there = mry_query_next(&query);
    if (there) {
        const char *text = mry_column_text(&query, 0);
        *name = mry_arena_text(to->mem, text, strlen(text));
        text = mry_column_text(&query, 1);
        licence = mry_arena_text(to->mem, text, strlen(text));
    }
    bool fits = !there || (*name && licence);
    marey_status status = mry_query_end(&query, error);
    if (!status && !fits) return mry_fail_memory(error, NULL);
    if (!status && there) add(to, *name, licence);
    return status;
}

static bool is_called(const char *const *names, int count, const char *name)
{
    for (int i = 0; i < count; i++) {
        if (names[i] && strcmp(names[i], name) == 0) return true;
    }
    return false;
}

static bool begin(gathering *to, int most)
{
    to->items = MRY_NEW(to->mem, marey_puppet_source, most + 1);
    return to->items != NULL;
}

/* ---- keeping ------------------------------------------------------------------------------------ */

/* One that is called as a part is, on other terms, is another clip, and must not be taken for that part when they are asked
   for. false: out of memory. */
static bool add_other(gathering *to, const marey_puppet_source *one, const char *const *names,
                      int count)
{
    const char *name = one->name;
    if (*one->licence && !has(to, name, one->licence) && is_called(names, count, name))
        name = mry_arena_print(to->mem, "%s (another)", name);
    if (name) add(to, name, one->licence);
    return name != NULL;
}

marey_status mry_puppet_sources_of(marey_library *library, const marey_part *parts, int part_count,
                                   const marey_puppet_source *more, int more_count, mry_arena *mem,
                                   const marey_puppet_source **out, int *count, marey_error *error)
{
    gathering all = { .library = library, .mem = mem };
    const char **names = MRY_NEW(mem, const char *, part_count + 1);
    if (!names || !begin(&all, part_count + more_count)) return mry_fail_memory(error, NULL);
    marey_status status = mry_store_snapshot(library->store, error);
    for (int i = 0; i < part_count && !status; i++)
        status = add_clip(&all, parts[i].clip, &names[i], error);
    mry_store_rollback(library->store);
    for (int i = 0; i < more_count && !status; i++) {
        if (!add_other(&all, &more[i], names, part_count)) status = mry_fail_memory(error, NULL);
    }
    *out = all.items;
    *count = all.count;
    return status;
}

/* ---- asking ------------------------------------------------------------------------------------- */

/* What a clip that is there was once called, and what its licence was, is of no use any more. */
static marey_status gather(gathering *to, const marey_kept_entry *entry,
                           const marey_puppet_sources *written, marey_error *error)
{
    int count;
    const marey_puppet_source *items = marey_puppet_sources_list(written, &count);
    const char **once = MRY_NEW(to->mem, const char *, entry->part_count + 1);
    if (!once || !begin(to, entry->part_count + count)) return mry_fail_memory(error, NULL);
    for (int i = 0; i < entry->part_count; i++) {
        const char *now;
        marey_status status = add_clip(to, entry->parts[i].clip, &now, error);
        if (status) return status;
        once[i] = now ? entry->part_names[i] : NULL;
    }
    for (int i = 0; i < count; i++) {
        if (!is_called(once, entry->part_count, items[i].name))
            add(to, items[i].name, items[i].licence);
    }
    return MAREY_OK;
}

static marey_status find_sources(marey_library *library, const marey_kept *kept, mry_arena *tmp,
                                 marey_puppet_sources **out, marey_error *error)
{
    int count;
    size_t size;
    gathering all = { .library = library, .mem = tmp };
    marey_puppet_sources *written = NULL;
    const uint8_t *bytes = marey_kept_bytes(kept, &size);
    marey_status status = marey_puppet_sources_read(library->ctx, bytes, size, &written, error);
    if (status) return status;
    status = gather(&all, marey_kept_entries(kept, &count), written, error);
    if (!status) status = mry_puppet_sources_make(library->ctx, all.items, all.count, out, error);
    marey_puppet_sources_free(written);
    return status;
}

marey_status marey_library_puppet_sources(marey_library *library, const char *name,
                                          marey_puppet_sources **out, marey_error *error)
{
    marey_kept *kept = NULL;
    mry_arena tmp = mry_arena_make(library->ctx);
    marey_status status = mry_store_snapshot(library->store, error);
    if (!status) status = mry_read_kept(library, MAREY_KEPT_PUPPET, name, &kept, error);
    if (!status) status = find_sources(library, kept, &tmp, out, error);
    mry_store_rollback(library->store);
    marey_kept_free(kept);
    mry_arena_free(&tmp);
    return status;
}
