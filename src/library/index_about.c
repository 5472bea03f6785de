/* index_about.c - the settings of an index for people and programs: JSON. */
#include "library/index_settings.h"

#include "base/number.h"
#include "feature/feature_data.h"

#include <string.h>

/* Every text is a name out of a table or a number, so 2 KB hold all of them. */
typedef struct text {
    char bytes[4096];
    size_t used;
} text;

static void put(text *to, const char *bytes)
{
    size_t count = strlen(bytes);
    if (count >= sizeof to->bytes - to->used) return;
    memcpy(to->bytes + to->used, bytes, count + 1);
    to->used += count;
}

static void put_name(text *to, const char *key)
{
    char last = to->used ? to->bytes[to->used - 1] : '{';
    if (last != '{') put(to, ",");
    put(to, "\"");
    put(to, key);
    put(to, "\":");
}

static void put_value(text *to, double value)
{
    char digits[MRY_NUMBER_ROOM + 1];
    digits[isfinite(value) ? mry_number_write(digits, value, 0) : 0] = 0;
    put(to, isfinite(value) ? digits : "null");
}

static void put_number(text *to, const char *key, double value)
{
    put_name(to, key);
    put_value(to, value);
}

static void put_text(text *to, const char *key, const char *value)
{
    put_name(to, key);
    put(to, "\"");
    put(to, value);
    put(to, "\"");
}

static void put_flag(text *to, const char *key, bool value)
{
    if (!value) return;
    put_name(to, key);
    put(to, "true");
}

static void put_weights(text *to, const marey_joint_weights *weights)
{
    for (int i = 0; marey_joint_weights_find(i); i++) {
        if (strcmp(marey_joint_weights_find(i)->name, weights->name) == 0) {
            put_text(to, "joints", weights->name);
            return;
        }
    }
    put_name(to, "joints");
    put(to, "{");
    for (int i = 0; i < MAREY_ROLE_COUNT; i++) {
        if (weights->roles[i] > 0)
            put_number(to, marey_role_name((marey_role)i), weights->roles[i]);
    }
    put(to, "}");
}

static void put_attributes(text *to, const marey_metric_def *def)
{
    if (def->metric->attribute_count == 0) return;
    put_name(to, "attributes");
    put(to, "{");
    for (int i = 0; i < def->metric->attribute_count; i++)
        put_number(to, def->metric->attributes[i], def->attributes[i]);
    put(to, "}");
}

static void put_metric(text *to, const mry_index_settings *settings)
{
    const marey_metric_def *def = &settings->metric;
    put_text(to, "metric", def->metric->name);
    put_weights(to, def->joints);
    put_number(to, "window", def->window);
    put_flag(to, "tapered", def->tapered);
    put_attributes(to, def);
    put_flag(to, "fixed_root", def->fixed_root);
    put_flag(to, "common_size", def->common_size);
    if (def->metric->options & MAREY_METRIC_CANDIDATES) {
        put_number(to, "candidates", def->candidates);
        put_number(to, "smooth_s", def->smooth_s);
        put_flag(to, "normalised", def->normalised);
    }
    if (!(settings->normal[0] > 0)) return;
    put_name(to, "normals");
    for (int i = 0; i < def->metric->attribute_count; i++) {
        put(to, i ? "," : "[");
        put_value(to, settings->normal[i]);
    }
    put(to, "]");
}

const char *mry_index_about(mry_arena *mem, const mry_index_settings *settings)
{
    const marey_web_def *web = &settings->web;
    text to = { .used = 0 };
    put(&to, "{");
    put_number(&to, "fps", settings->fps);
    put_metric(&to, settings);
    put_number(&to, "slope", web->slope);
    put_number(&to, "valid", web->valid);
    put_number(&to, "shortest_s", web->shortest_s);
    put_number(&to, "bridge_s", web->bridge_s);
    put_number(&to, "tail_s", web->tail_s > 0 ? web->tail_s : 0);
    put_number(&to, "ceiling", web->ceiling);
    put_flag(&to, "levels", web->levels);
    put(&to, "}");
    return mry_arena_text(mem, to.bytes, to.used);
}
