/* clip_reading.c - from an address to a clip. */
#include "clip_reading.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

const char *app_units_or_raw_word(int index)
{
    if (index == MAREY_UNITS_GUESS) return "guess";
    return index < MAREY_UNITS_COUNT ? marey_units_name((marey_units)index) : NULL;
}

/* Without raw: then nothing could be said in centimetres. */
const char *app_units_word(int index)
{
    return index < MAREY_UNITS_RAW ? app_units_or_raw_word(index) : NULL;
}

const char *app_up_word(int index)
{
    static const char *const words[] = { "guess", "y", "z" };
    return index < 3 ? words[index] : NULL;
}

const char *app_segment_text(app_scope *scope, const app_segment *segment)
{
    buffer text = buffer_make(scope->memory);
    app_segment_put(segment, &text);
    buffer_byte(&text, 0);
    const char *copy = text.failed ? NULL : app_copy(scope, text.bytes);
    buffer_free(&text);
    return copy;
}

marey_status app_listing(const app_env *env, const marey_listing **out, marey_error *error)
{
    marey_listing *listing = NULL;
    marey_status status = marey_library_list(env->library, NULL, &listing, error);
    if (status == MAREY_OK) status = app_own_listing(env, listing, error);
    *out = listing;
    return status;
}

const marey_entry *app_listing_find(const marey_listing *listing, const char *name)
{
    int count, low = 0;
    const marey_entry *entries = marey_listing_entries(listing, &count);
    if (name[0] == '#') { /* 34 for "#34", in the one way to write it */
        char again[24], *end;
        long long id = strtoll(name + 1, &end, 10);
        snprintf(again, sizeof again, "#%lld", id);
        for (int i = 0; i < count && strcmp(again, name) == 0; i++)
            if (entries[i].id == id) return &entries[i];
        return NULL;
    }
    for (int high = count; low < high;) { /* they are in the order of their names */
        int middle = low + (high - low) / 2;
        if (strcmp(entries[middle].name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && strcmp(entries[low].name, name) == 0 ? &entries[low] : NULL;
}

bool app_is_remark(const marey_report *report, int warning)
{
    return warning < 64 && report->remarks >> warning & 1;
}

marey_load_def app_reading_def(const app_reading *reading)
{
    return (marey_load_def){ .units = (marey_units)reading->units,
                             .up = (marey_up)reading->up,
                             .source_fps = reading->source_fps,
                             .skip_first = reading->skip_first,
                             .skeleton_path = reading->skeleton,
                             .take = reading->take };
}

marey_status app_file_read(const app_env *env, const app_reading *reading, const char *path,
                           marey_clip **clip, marey_error *error)
{
    marey_load_def def = app_reading_def(reading);
    marey_status status = marey_motion_load(env->ctx, path, &def, clip, error);
    if (status != MAREY_OK) return status;
    const marey_report *report = marey_clip_report(*clip);
    for (int i = 0; i < report->warning_count; i++)
        if (!app_is_remark(report, i)) app_warn(env, "%s: warning: %s", path, report->warnings[i]);
    if (reading->skeleton && strcmp(report->format, "amc") != 0)
        app_warn(env, "%s: --skeleton is for AMC files; this file has a skeleton of its own", path);
    return MAREY_OK;
}

static marey_status read_stored(const app_env *env, const char *name, marey_clip **clip,
                                app_source *source, marey_error *error)
{
    marey_listing *listing = NULL;
    marey_list_def this = { .clip = name };
    marey_status status = marey_library_load(env->library, name, clip, error);
    if (status == MAREY_OK) status = app_own_clip(env, *clip, error);
    if (status == MAREY_OK) status = marey_library_list(env->library, &this, &listing, error);
    if (status == MAREY_OK) status = app_own_listing(env, listing, error);
    if (status != MAREY_OK) return status;
    const marey_entry *entry = app_listing_find(listing, name);
    source->library = marey_library_path(env->library);
    if (!entry) return MAREY_OK; /* removed just now */
    source->name = entry->name;  /* "#34" says little to who reads it elsewhere */
    source->licence = entry->licence;
    source->id = entry->id;
    source->fps = entry->fps;
    source->stretches = entry->stretches;
    source->stretch_count = entry->stretch_count;
    source->repairs = entry->repair_count > 0 ? entry->repairs : NULL;
    source->description = entry->description;
    source->labels = entry->labels;
    source->label_count = entry->label_count;
    return MAREY_OK;
}

marey_status app_clip_read(const app_env *env, const app_reading *reading,
                           const app_segment *segment, marey_clip **clip, app_source *source,
                           marey_error *error)
{
    const char *path = segment->clip;
    const app_lent *lent = app_lent_find(env, path);
    marey_clip *whole = NULL, *part = NULL;
    bool reads = reading->units || reading->up || reading->source_fps > 0 || reading->skip_first ||
                 reading->skeleton || reading->take;
    if (env->library && reads) {
        return app_fail(error, MAREY_ERR_REQUEST, NULL,
                        "units, up, source-fps, skip-first, skeleton and take are for files; a "
                        "library's clips were read when they were added");
    }
    if (lent && reads) {
        return app_fail(error, MAREY_ERR_REQUEST, NULL,
                        "units, up, source-fps, skip-first, skeleton and take are for files; this "
                        "clip was read before");
    }
    *source = (app_source){ .licence = "", .name = path, .lent = lent };
    marey_status status = MAREY_OK;
    if (lent) {
        whole = lent->clip;
        source->licence = lent->licence;
        source->fps = marey_clip_fps(whole);
    } else if (env->library) {
        status = read_stored(env, path, &whole, source, error);
    } else {
        status = app_file_read(env, reading, path, &whole, error);
    }
    marey_status group = marey_status_group(status);
    if (group == MAREY_ERR_INPUT || group == MAREY_ERR_IO) address_explain(path, error);
    if (status == MAREY_OK && !env->library && !lent) status = app_own_clip(env, whole, error);
    if (status != MAREY_OK) return status;
    /* Ranges count the file's frames. */
    int dropped = reading->skip_first ? 1 : 0, start = 0, end = marey_clip_frames(whole);
    if (segment->range.given) {
        status = range_find(&segment->range, whole, dropped, &start, &end, error);
        if (status == MAREY_OK) status = marey_clip_trim(whole, start, end, &part, error);
        if (status != MAREY_OK) {
            snprintf(error->path, sizeof error->path, "%.1000s", path);
            return status;
        }
        status = app_own_clip(env, part, error);
    }
    source->start = dropped + start;
    source->end = dropped + end;
    *clip = part ? part : whole;
    return status;
}

/* Loading what is not there does so; it may have come since the listing was made. */
marey_status app_clip_missing(const app_env *env, const char *name, marey_error *error)
{
    marey_clip *clip = NULL;
    marey_status status = marey_library_load(env->library, name, &clip, error);
    marey_clip_free(clip);
    if (status != MAREY_OK) return status;
    return app_fail(error, MAREY_ERR_REQUEST, name, "clip added a moment ago; retry");
}

marey_status app_body_read(const app_env *env, const app_segment *segment, marey_clip **clip,
                           marey_error *error)
{
    static const app_reading plain = { 0 };
    const marey_listing *listing = NULL;
    app_env files = *env;
    app_source source;
    struct stat about;
    bool stored = env->library && !app_lent_find(env, segment->clip);
    marey_status status = stored ? app_listing(env, &listing, error) : MAREY_OK;
    if (status != MAREY_OK) return status;
    if (listing && env->reads_files && !app_listing_find(listing, segment->clip) &&
        stat(segment->clip, &about) == 0)
        files.library = NULL;
    return app_clip_read(&files, &plain, segment, clip, &source, error);
}
