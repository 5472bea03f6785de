/* demo_family.c - a family to try things with, out of takes whose truth is known. */
#include "demo_family.h"

#include "clip_reading.h"
#include "demo_takes.h"

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
    for (int i = 0; i < count && all->count < APP_MOST_EXAMPLES; i++) {
        if (strcmp(of[i].label, "reach") != 0 || strcmp(of[i].side, "right") != 0) continue;
        all->items[all->count].take = name;
        all->items[all->count].start = of[i].start;
        all->items[all->count++].end = of[i].end;
    }
}

marey_status demo_reaches_keep(const demo_reaches *all, session *run, marey_library *library,
                               bool *kept, marey_error *error)
{
    app_scope scope = app_scope_open(&run->host->def);
    app_env env = { .ctx = run->ctx, .library = library, .scope = &scope };
    marey_part parts[APP_MOST_EXAMPLES];
    int parents[APP_MOST_EXAMPLES], count = 0;
    const marey_listing *listing = NULL;
    app_assembled made;
    marey_param param;
    marey_family_def def = { .params = &param, .param_count = 1 };
    *kept = all->count >= FEWEST;
    if (!*kept) return MAREY_OK;
    marey_status status = app_listing(&env, &listing, error);
    for (int i = 0; i < all->count && status == MAREY_OK; i++) {
        const marey_entry *entry = app_listing_find(listing, all->items[i].take);
        if (!entry) continue;
        parents[count] = count ? 0 : -1;
        parts[count++] = (marey_part){ entry->id, all->items[i].start, all->items[i].end };
    }
    if (status == MAREY_OK) status = marey_param_parse(feature, &param, error);
    if (status == MAREY_OK)
        status = app_family_assemble(&env, parts, count, parents, &def, &made, error);
    if (status == MAREY_OK)
        status =
            app_family_save(&env, "demo", DEMO_FAMILY, made.family, made.parts, NULL, NULL, error);
    app_scope_close(&scope);
    return status;
}

bool demo_made_it(const marey_kept_entry *entry)
{
    return strcmp(entry->kind, MAREY_KEPT_FAMILY) == 0 && strcmp(entry->name, DEMO_FAMILY) == 0 &&
           made_by_demo(entry->about);
}
