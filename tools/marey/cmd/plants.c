/* plants.c - foot plants in a scope of their own. */
#include "plants.h"

marey_status plants_get(input *from, const input_source *source, const marey_clip *clip, bool find,
                        plants *out, marey_error *error)
{
    app_scope scope = app_scope_open(&from->run->host->def);
    app_env env = { .ctx = from->run->ctx, .library = from->library, .scope = &scope };
    app_plants got = { 0 };
    marey_status status = MAREY_OK;
    if (from->library && !find)
        status = app_plants_stored(&env, source->name, source->start, source->end, &got, error);
    if (status == MAREY_OK && !got.stored) status = app_plants_find(&env, clip, &got, error);
    if (status != MAREY_OK) {
        app_scope_close(&scope);
        return status;
    }
    *out = (plants){ scope, got.items, got.count, got.stored };
    return MAREY_OK;
}

void plants_free(plants *all)
{
    app_scope_close(&all->scope);
    *all = (plants){ .count = 0 };
}
