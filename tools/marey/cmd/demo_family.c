/* demo_family.c - a family to try things with, out of takes whose truth is known. */
#include "demo_family.h"

#include "demo_takes.h"
#include "param_about.h"
#include "param_assemble.h"

#include <string.h>

/* What they do has three numbers: with fewer examples there is hardly anything between them. */
enum { FEWEST = 5 };

static const char feature[] = "position(right_wrist, apex, start)";

void demo_reaches_note(demo_reaches *all, const marey_demo_take *take, const char *name)
{
    static const char smaller[] = "small"; /* how takes of the other body are called */
    int count;
    const marey_demo_segment *of = marey_demo_segments(take, &count);
    if (strncmp(name, smaller, sizeof smaller - 1) == 0) return;
    for (int i = 0; i < count && all->count < MOST_EXAMPLES; i++) {
        if (strcmp(of[i].label, "reach") != 0 || strcmp(of[i].side, "right") != 0) continue;
        all->items[all->count].take = name;
        all->items[all->count].start = of[i].start;
        all->items[all->count++].end = of[i].end;
    }
}

static marey_status find_parts(const demo_reaches *all, marey_library *library, examples *out,
                               marey_error *error)
{
    marey_listing *listing = NULL;
    marey_status status = marey_library_list(library, NULL, &listing, error);
    if (status != MAREY_OK) return status;
    for (int i = 0; i < all->count; i++) {
        const marey_entry *entry = listing_find(listing, all->items[i].take);
        if (!entry) continue;
        out->parents[out->count] = out->count ? 0 : -1;
        out->parts[out->count++] =
            (marey_part){ entry->id, all->items[i].start, all->items[i].end };
    }
    marey_listing_free(listing);
    return MAREY_OK;
}

static marey_status keep(assembled *made, marey_error *error)
{
    buffer about = buffer_make(&made->run->host->def);
    about_write("demo", made->family, NULL, NULL, &about);
    marey_status status = MAREY_OK;
    if (about.failed) {
        status = fail_for_memory(error);
    } else {
        status = marey_library_keep_family(made->library, DEMO_FAMILY, made->family,
                                           made->parts->parts, about.bytes, error);
    }
    buffer_free(&about);
    return status;
}

marey_status demo_reaches_keep(const demo_reaches *all, session *run, marey_library *library,
                               bool *kept, marey_error *error)
{
    examples chosen = { .count = 0 };
    assembled made = { .run = run, .library = library };
    marey_param param;
    marey_family_def def = { .params = &param, .param_count = 1 };
    *kept = all->count >= FEWEST;
    if (!*kept) return MAREY_OK;
    marey_status status = find_parts(all, library, &chosen, error);
    if (status == MAREY_OK) status = marey_param_parse(feature, &param, error);
    if (status == MAREY_OK)
        status = assemble(&made, chosen.parts, chosen.count, chosen.parents, &def, error);
    if (status == MAREY_OK) status = keep(&made, error);
    assembled_free(&made);
    return status;
}

bool demo_made_it(const marey_kept_entry *entry)
{
    return strcmp(entry->kind, MAREY_KEPT_FAMILY) == 0 && strcmp(entry->name, DEMO_FAMILY) == 0 &&
           made_by_demo(entry->about);
}
