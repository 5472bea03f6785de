/* puppet_origin.c - the clips that a puppet was trained on. */
#include "puppet_origin.h"

#include <string.h>

void puppet_origin_make(puppet_origin *all, session *run)
{
    *all = (puppet_origin){ .texts = buffer_make(&run->host->def) };
}

void puppet_origin_free(puppet_origin *all)
{
    buffer_free(&all->texts);
    all->count = 0;
}

const char *puppet_origin_next(const puppet_origin *all, size_t *at, const char **licence)
{
    if (all->texts.failed || *at >= all->texts.used) return NULL;
    const char *name = all->texts.bytes + *at;
    *licence = name + strlen(name) + 1;
    *at = (size_t)(*licence + strlen(*licence) + 1 - all->texts.bytes);
    return name;
}

void puppet_origin_add(puppet_origin *all, const char *name, const char *licence)
{
    size_t at = 0;
    const char *other, *terms;
    if (!*licence) return;
    while ((other = puppet_origin_next(all, &at, &terms)))
        if (strcmp(other, name) == 0 && strcmp(terms, licence) == 0) return;
    buffer_bytes(&all->texts, name, strlen(name) + 1);
    buffer_bytes(&all->texts, licence, strlen(licence) + 1);
    all->count++;
}

/* ---- what is remembered ---------------------------------------------------------------------------------- */

void puppet_origin_take(puppet_origin *all, const marey_puppet_sources *sources)
{
    int count;
    const marey_puppet_source *items = marey_puppet_sources_list(sources, &count);
    for (int i = 0; i < count; i++) puppet_origin_add(all, items[i].name, items[i].licence);
}

marey_puppet_source *puppet_origin_list(const puppet_origin *all, session *run)
{
    size_t at = 0;
    marey_puppet_source *items =
        all->count ? session_resize(run, NULL, 0, (size_t)all->count * sizeof *items) : NULL;
    for (int i = 0; items && i < all->count; i++)
        items[i].name = puppet_origin_next(all, &at, &items[i].licence);
    return items;
}

/* ---- saying so --------------------------------------------------------------------------------------------- */

void puppet_origin_say(const puppet_origin *all, session *run, const char *puppet)
{
    size_t at = 0;
    const char *name, *licence;
    while (!run->quiet && (name = puppet_origin_next(all, &at, &licence))) {
        if (!marey_licence_is_non_commercial(licence)) continue;
        session_say(run,
                    "%.300s: trained on %.300s: for non-commercial use only: its licence is %.300s",
                    puppet, name, licence);
    }
}

void puppet_origin_json(const puppet_origin *all, json *to)
{
    size_t at = 0;
    const char *name, *licence;
    json_open(to, "sources", '[');
    while ((name = puppet_origin_next(all, &at, &licence))) {
        json_open(to, NULL, '{');
        json_put_string(to, "clip", name);
        json_put_string(to, "licence", licence);
        json_close(to, '}');
    }
    json_close(to, ']');
}

void puppet_origin_text(const puppet_origin *all, buffer *out)
{
    enum { SHOWN = 6 };
    size_t at = 0;
    const char *name, *licence;
    for (int i = 0; i < SHOWN && (name = puppet_origin_next(all, &at, &licence)); i++) {
        buffer_text(out, i ? ", " : "  clips     ");
        buffer_shown(out, name);
        buffer_text(out, " (");
        buffer_shown(out, licence);
        buffer_byte(out, ')');
    }
    if (all->count > SHOWN) buffer_print(out, " and %d more", all->count - SHOWN);
    if (all->count > 0) buffer_byte(out, '\n');
}
