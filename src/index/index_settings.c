/* index_settings.c - with which settings the webs of a library are made, how it remembers them, and
   what they look like to people and programs: JSON. */
#include "index/index_settings.h"

#include "base/fail.h"
#include "base/number.h"
#include "feature/feature_data.h"
#include "feature/metric_bytes.h"
#include "match/web_bits.h"
#include "match/web_data.h"

#include <string.h>

/* A version that gives other webs than the one before is no longer read, so that webs are made
   again. Version 2 differs in how a metric is written only. */
enum { INDEX_VERSION = 3, OLDEST_VERSION = 2 };

#define DEFAULT_FPS 60.0

marey_status mry_index_choose(marey_ctx *ctx, const marey_index_def *def,
                              const mry_index_settings *old, mry_index_settings *out,
                              marey_error *error)
{
    const marey_metric_def *metric = def->metric ? def->metric : old ? &old->metric : NULL;
    marey_web_def web = def->web ? *def->web : old ? old->web : (marey_web_def){ 0 };
    *out = (mry_index_settings){ .fps = def->fps != 0 ? def->fps : old ? old->fps : DEFAULT_FPS };
    if (!(out->fps >= 1 && out->fps <= 1000)) {
        return mry_fail(error, MAREY_ERR_REQUEST, NULL, "index rate must be 1 to 1000 Hz, got %g",
                        out->fps);
    }
    marey_status status = mry_metric_resolve(metric, &out->metric, error);
    if (!status) status = mry_own_refuse_file(&out->metric, "match webs", error);
    if (status) return status;
    out->metric.fps = 0;
    out->metric.bounded = out->metric.metric->can_bound;
    out->metric.attributes_given =
        out->metric.metric->attribute_count > 0; /* equal ones, equal bytes */
    /* Distances of another metric have nothing to do with the ceiling of the one before. */
    if (!def->web && old && old->metric.metric != out->metric.metric) web.ceiling = 0;
    double ceiling = out->metric.metric->thresholds.web_ceiling;
    if (web.slope == 0) web.slope = 2;
    if (web.valid == 0) web.valid = 0.15;
    if (web.shortest_s == 0) web.shortest_s = 0.25;
    if (web.bridge_s == 0) web.bridge_s = 2;
    if (web.tail_s == 0) web.tail_s = 0.7;
    if (web.tail_s < 0) web.tail_s = -1;
    if (web.ceiling == 0) web.ceiling = ceiling > 0 ? ceiling : (double)INFINITY;
    out->web = web;

    /* Whether they are valid is what building says; a web of one cell is quickly built. Lower rates
       than this are less than any limit. */
    static const float cell = 0;
    marey_web *built = NULL;
    marey_rows one = { .values = &cell, .rows = 1, .cols = 1, .stride = 1 };
    status = mry_web_from_rows(ctx, one, false, out->fps, &out->web, 0, &built, error);
    marey_web_free(built);
    return status;
}

bool mry_index_pack(mry_arena *mem, const mry_index_settings *settings, mry_index_bytes *out)
{
    const marey_web_def *web = &settings->web;
    mry_bytes_writer writer = { .mem = mem };
    mry_put_integer(&writer, INDEX_VERSION);
    mry_put_integer(&writer, MRY_WEB_VERSION);
    mry_put_number(&writer, settings->fps);
    mry_put_metric(&writer, &settings->metric);
    mry_put_integer(&writer, web->slope);
    mry_put_number(&writer, web->valid);
    mry_put_number(&writer, web->shortest_s);
    mry_put_number(&writer, web->bridge_s);
    mry_put_number(&writer, web->tail_s);
    mry_put_number(&writer, isfinite(web->ceiling) ? web->ceiling : 0);
    mry_put_integer(&writer, web->levels);
    *out = (mry_index_bytes){ writer.bytes, writer.used };
    return !writer.failed;
}

mry_unpacked mry_index_unpack(mry_arena *mem, const mry_index_bytes *bytes, mry_index_settings *out)
{
    mry_bytes_reader in = { .p = bytes->bytes, .end = bytes->bytes + bytes->size };
    marey_joint_weights *joints = MRY_NEW(mem, marey_joint_weights, 1);
    marey_metric_def metric = { 0 };
    marey_web_def *web = &out->web;
    *out = (mry_index_settings){ 0 };
    if (!joints) return MRY_UNPACKED_MEMORY;
    int64_t version = mry_get_integer(&in, 1, 1000), webs = mry_get_integer(&in, 0, 1000);
    if (in.failed) return MRY_UNPACKED_DAMAGED;
    if (version < OLDEST_VERSION || version > INDEX_VERSION || webs != MRY_WEB_VERSION)
        return MRY_UNPACKED_OTHER;
    out->fps = mry_get_number(&in);
    if (in.failed) return MRY_UNPACKED_DAMAGED;
    bool sound = version == INDEX_VERSION ? mry_get_metric(&in, &metric, joints)
                                          : mry_get_metric_of_index2(&in, &metric, joints);
    if (!sound || mry_metric_resolve(&metric, &out->metric, NULL) != MAREY_OK)
        return MRY_UNPACKED_DAMAGED;
    out->metric.bounded = out->metric.metric->can_bound;
    web->slope = (int)mry_get_integer(&in, 1, MRY_WEB_MOST_SLOPE);
    web->valid = mry_get_number(&in);
    web->shortest_s = mry_get_number(&in);
    web->bridge_s = mry_get_number(&in);
    web->tail_s = mry_get_number(&in);
    web->ceiling = mry_get_number(&in);
    web->levels = mry_get_integer(&in, 0, 1);
    if (web->ceiling == 0) web->ceiling = (double)INFINITY;
    sound = !in.failed && in.p == in.end && web->valid > 0 && web->shortest_s > 0 &&
            web->bridge_s >= web->shortest_s && web->tail_s != 0 && web->ceiling > 0 &&
            out->fps >= 1 && out->fps <= 1000;
    return sound ? MRY_UNPACKED : MRY_UNPACKED_DAMAGED;
}

static bool copy_bytes(mry_arena *mem, mry_query *row, int column, mry_index_bytes *out)
{
    const void *bytes = mry_column_bytes(row, column, &out->size);
    out->bytes = (const uint8_t *)mry_arena_text(mem, bytes, out->size);
    return out->bytes != NULL;
}

static marey_status fail_unpacked(marey_library *library, mry_unpacked outcome, marey_error *error)
{
    const char *path = mry_store_path(library->store);
    if (outcome == MRY_UNPACKED_MEMORY) return mry_fail_memory(error, path);
    return mry_fail(error, MAREY_ERR_INPUT, path, "%s; make it again with marey index",
                    outcome == MRY_UNPACKED_OTHER ? "the index was made by another version of marey"
                                                  : "the settings of the index are damaged");
}

marey_status mry_index_kept_read(marey_library *library, mry_arena *mem, mry_index_kept *out,
                                 marey_error *error)
{
    mry_index_bytes normals = { 0 };
    bool fits = true;
    mry_query row =
        mry_query_start(library->store, "SELECT settings, normals, about FROM web_settings");
    *out = (mry_index_kept){ .exists = mry_query_next(&row) };
    if (out->exists) {
        fits = copy_bytes(mem, &row, 0, &out->settings) && copy_bytes(mem, &row, 1, &normals);
        out->about = mry_column_copy(&row, 2, mem);
    }
    marey_status status = mry_query_end(&row, error);
    if (status || !out->exists) return status;
    if (!fits || !out->about) return mry_fail_memory(error, mry_store_path(library->store));
    /* The clips that were measured, then what was. */
    mry_bytes_reader in = { .p = normals.bytes, .end = normals.bytes + normals.size };
    out->clips = mry_get_fixed(&in, 8);
    for (int i = 0; i < MAREY_MOST_ATTRIBUTES; i++) {
        out->normal[i] = mry_get_number(&in);
        in.failed |= out->normal[i] < 0;
    }
    bool sound = !in.failed && in.p == in.end;
    return sound ? MAREY_OK : fail_unpacked(library, MRY_UNPACKED_DAMAGED, error);
}

marey_status mry_index_kept_write(marey_library *library, const mry_index_kept *kept,
                                  marey_error *error)
{
    mry_arena tmp = mry_arena_make(library->ctx);
    mry_bytes_writer normals = { .mem = &tmp };
    mry_put_fixed(&normals, kept->clips, 8);
    for (int i = 0; i < MAREY_MOST_ATTRIBUTES; i++) mry_put_number(&normals, kept->normal[i]);
    marey_status status =
        normals.failed
            ? mry_fail_memory(error, mry_store_path(library->store))
            : mry_store_run_with(library->store, error, NULL,
                                 "INSERT OR REPLACE INTO web_settings(id, settings, normals, about)"
                                 " VALUES(1, ?, ?, ?)",
                                 mry_bytes(kept->settings.bytes, kept->settings.size),
                                 mry_bytes(normals.bytes, normals.used), mry_text(kept->about));
    mry_arena_free(&tmp);
    return status;
}

marey_status mry_index_settings_read(marey_library *library, mry_arena *mem,
                                     mry_index_settings *out, bool *exists, marey_error *error)
{
    mry_index_kept kept;
    mry_index_settings settings;
    marey_status status = mry_index_kept_read(library, mem, &kept, error);
    if (status) return status;
    *exists = kept.exists;
    if (!kept.exists) return MAREY_OK;
    mry_unpacked how = mry_index_unpack(mem, &kept.settings, &settings);
    if (how != MRY_UNPACKED) return fail_unpacked(library, how, error);
    memcpy(settings.normal, kept.normal, sizeof settings.normal);
    settings.about = kept.about;
    *out = settings;
    return MAREY_OK;
}

/* Every text is a name out of a table or a number, so 2 KB hold all of them. */
typedef struct text {
    char bytes[4096];
    size_t used;
} text;

static void put(text *json, const char *bytes)
{
    size_t count = strlen(bytes);
    if (count >= sizeof json->bytes - json->used) return;
    memcpy(json->bytes + json->used, bytes, count + 1);
    json->used += count;
}

static void put_name(text *json, const char *key)
{
    char last = json->used ? json->bytes[json->used - 1] : '{';
    if (last != '{') put(json, ",");
    put(json, "\"");
    put(json, key);
    put(json, "\":");
}

static void put_value(text *json, double value)
{
    char digits[MRY_NUMBER_ROOM + 1];
    digits[isfinite(value) ? mry_number_write(digits, value, 0) : 0] = 0;
    put(json, isfinite(value) ? digits : "null");
}

static void put_number(text *json, const char *key, double value)
{
    put_name(json, key);
    put_value(json, value);
}

static void put_text(text *json, const char *key, const char *value)
{
    put_name(json, key);
    put(json, "\"");
    put(json, value);
    put(json, "\"");
}

static void put_flag(text *json, const char *key, bool value)
{
    if (!value) return;
    put_name(json, key);
    put(json, "true");
}

const char *mry_index_about(mry_arena *mem, const mry_index_settings *settings)
{
    const marey_metric_def *def = &settings->metric;
    const marey_web_def *web = &settings->web;
    int attribute_count = def->metric->attribute_count;
    text json = { .used = 0 };
    put(&json, "{");
    put_number(&json, "fps", settings->fps);
    put_text(&json, "metric", def->metric->name);
    /* Weights by their name if they are one of the library's sets, else all that count. */
    const marey_joint_weights *row;
    int set = 0;
    while ((row = marey_joint_weights_find(set)) && strcmp(row->name, def->joints->name) != 0)
        set++;
    if (row) {
        put_text(&json, "joints", row->name);
    } else {
        put_name(&json, "joints");
        put(&json, "{");
        for (int i = 0; i < MAREY_ROLE_COUNT; i++) {
            if (def->joints->roles[i] > 0)
                put_number(&json, marey_role_name((marey_role)i), def->joints->roles[i]);
        }
        put(&json, "}");
    }
    put_number(&json, "window", def->window);
    put_flag(&json, "tapered", def->tapered);
    if (attribute_count > 0) {
        put_name(&json, "attributes");
        put(&json, "{");
        for (int i = 0; i < attribute_count; i++)
            put_number(&json, def->metric->attributes[i], def->attributes[i]);
        put(&json, "}");
    }
    put_flag(&json, "fixed_root", def->fixed_root);
    put_flag(&json, "common_size", def->common_size);
    if (def->metric->options & MAREY_METRIC_CANDIDATES) {
        put_number(&json, "candidates", def->candidates);
        put_number(&json, "smooth_s", def->smooth_s);
        put_flag(&json, "normalised", def->normalised);
    }
    if (settings->normal[0] > 0) {
        put_name(&json, "normals");
        for (int i = 0; i < attribute_count; i++) {
            put(&json, i ? "," : "[");
            put_value(&json, settings->normal[i]);
        }
        put(&json, "]");
    }
    put_number(&json, "slope", web->slope);
    put_number(&json, "valid", web->valid);
    put_number(&json, "shortest_s", web->shortest_s);
    put_number(&json, "bridge_s", web->bridge_s);
    put_number(&json, "tail_s", web->tail_s > 0 ? web->tail_s : 0);
    put_number(&json, "ceiling", web->ceiling);
    put_flag(&json, "levels", web->levels);
    put(&json, "}");
    return mry_arena_text(mem, json.bytes, json.used);
}
