/* render_clips.c - `render`: motion to look at. One clip becomes a film strip or a video, several
   become a contact sheet. */
#include "chosen_clips.h"
#include "files.h"
#include "folder.h"
#include "foot_plants.h"
#include "operations.h"

#include <stddef.h>
#include <string.h>

static const app_param params_rows[] = {
    { .name = "clips",
      .type = APP_SEGMENTS,
      .at = offsetof(app_render_params, clips),
      .place = APP_REST,
      .value = "CLIP",
      .help = "clips, some of their frames, or folders of files" },
    { .name = "output",
      .type = APP_TEXT,
      .at = offsetof(app_render_params, output),
      .letter = 'o',
      .needed = true,
      .note = true,
      .value = "FILE",
      .help = "what to draw: .png, .svg or .pdf, or .mp4 for a video" },
    { .name = "all",
      .type = APP_SWITCH,
      .at = offsetof(app_render_params, all),
      .help = "every clip of the library, instead of names" },
    { .name = "label",
      .type = APP_TEXT,
      .at = offsetof(app_render_params, label),
      .help = "every clip of the library with this label, and every stretch, instead of names" },
    { .name = "width",
      .type = APP_WHOLE,
      .at = offsetof(app_render_params, width),
      .least = 48,
      .most = 16384,
      .unit = "px",
      .value = "N",
      .help = "pixels across (default: 1600, of a video 960)" },
    { .name = "height",
      .type = APP_WHOLE,
      .at = offsetof(app_render_params, height),
      .least = 48,
      .most = 16384,
      .unit = "px",
      .value = "N",
      .help = "pixels down (default: 320, of a video 540)" },
    { .name = "poses",
      .type = APP_WHOLE,
      .at = offsetof(app_render_params, poses),
      .least = 1,
      .most = 1000,
      .value = "N",
      .help = "how many poses a film strip shows (default: as many as fit)" },
    { .name = "fps",
      .type = APP_NUMBER,
      .at = offsetof(app_render_params, fps),
      .least = 1,
      .most = 240,
      .value = "N",
      .help = "frames a second of a video (default: 30)" },
    APP_READING_PARAMS(app_render_params, app_units_word),
    { 0 },
};

marey_status app_render_check(const app_render_params *params, bool in_library, app_dialect dialect,
                              app_picture *kind, marey_error *error)
{
    const char *dashes = dialect == APP_COMMAND_LINE ? "--" : "", *path = params->output;
    bool chosen = params->all || params->label, is_video = path_ends_in(path, ".mp4");
    bool is_one =
        params->clips.count == 1 && (in_library || !folder_is(params->clips.values[0].clip));
    *kind = is_video ? APP_PICTURE_VIDEO : is_one ? APP_PICTURE_STRIP : APP_PICTURE_SHEET;
    const char *wrong = NULL;
    if (!is_video && !path_is_picture(path)) {
        return app_fail(error, MAREY_ERR_REQUEST, NULL,
                        "%soutput must end in .png, .svg, .pdf or .mp4, got %s", dashes, path);
    }
    if (params->clips.count == 0 && !in_library) {
        wrong = "name a clip, a folder, or a library: -L FILE";
    } else if (chosen && (!in_library || params->clips.count > 0)) {
        return app_fail(error, MAREY_ERR_REQUEST, NULL,
                        "%sall and %slabel are for a library, instead of names", dashes, dashes);
    } else if (is_video && !is_one) {
        wrong = "a video shows one clip: name one";
    } else if (*kind == APP_PICTURE_SHEET && (params->width || params->height)) {
        return app_fail(error, MAREY_ERR_REQUEST, NULL,
                        "a sheet is as large as its clips need: no %swidth, %sheight", dashes,
                        dashes);
    } else if (*kind != APP_PICTURE_STRIP && params->poses) {
        return app_fail(error, MAREY_ERR_REQUEST, NULL, "%sposes is for the film strip of one clip",
                        dashes);
    } else if (*kind != APP_PICTURE_VIDEO && params->fps > 0) {
        return app_fail(error, MAREY_ERR_REQUEST, NULL, "%sfps is for a video: a name in .mp4",
                        dashes);
    }
    return wrong ? app_fail(error, MAREY_ERR_REQUEST, NULL, "%s", wrong) : MAREY_OK;
}

static void warn_of_licence(const app_env *env, const char *name, const char *licence)
{
    if (marey_licence_is_non_commercial(licence))
        app_warn(env, "%s: for non-commercial use only: its licence is %s", name, licence);
}

/* ---- one clip -------------------------------------------------------------------------------- */

static marey_status read_one(const app_env *env, const app_render_params *request,
                             app_render_result *out, marey_error *error)
{
    const app_segment *segment = &request->clips.values[0];
    marey_clip *clip = NULL;
    app_source source;
    app_plants plants = { 0 };
    marey_status status = app_clip_read(env, &request->reading, segment, &clip, &source, error);
    if (status != MAREY_OK) return status;
    warn_of_licence(env, source.name, source.licence);
    if (out->kind == APP_PICTURE_STRIP)
        status = app_plants_read(env, &source, clip, false, &plants, error);
    if (status != MAREY_OK) return status;
    out->clips[0] = clip;
    out->names[0] = app_segment_text(env->scope, segment);
    out->count = 1;
    out->plants = plants.items;
    out->plant_count = plants.count;
    if (!out->names[0]) return app_fail_memory(error);
    if (!segment->range.given) return MAREY_OK;
    /* A part of a clip says which; a whole one is called by its name. People do not know it by its
       number. */
    app_segment shown = { source.library ? source.name : short_name(segment->clip),
                          segment->range };
    out->titles[0] = app_segment_text(env->scope, &shown);
    return app_check(!out->titles[0], error);
}

/* ---- many clips ------------------------------------------------------------------------------ */

/* A clip on its way to the sheet. */
typedef struct sheet_clip {
    const app_segment *named; /* NULL: a file of a folder */
    found file;
    marey_clip *clip; /* NULL if it could not be read */
    marey_error error;
} sheet_clip;

typedef struct sheet {
    const app_env *env;
    marey_load_def reading;
    sheet_clip *clips;
    int count;
} sheet;

/* A file below a folder has the name that it has: a '#' in it names no frames. */
static void read_file(void *user, int64_t i)
{
    sheet *page = user;
    sheet_clip *one = &page->clips[i];
    if (one->named) return;
    if (one->file.kind == FOUND_UNREADABLE) found_error(&one->file, &one->error);
    if (one->file.kind == FOUND_IN_FOLDER)
        marey_motion_load(page->env->ctx, one->file.path, &page->reading, &one->clip, &one->error);
}

/* Files of folders by all threads; what is named says its warnings, and a library is for one thread
   at a time. */
static marey_status read_all(const app_env *env, const app_render_params *request, sheet *page,
                             marey_error *error)
{
    marey_status status = MAREY_OK;
    marey_ctx_run(env->ctx, page->count, read_file, page);
    for (int i = 0; i < page->count; i++)
        if (!page->clips[i].named && page->clips[i].clip && status == MAREY_OK)
            status = app_own_clip(env, page->clips[i].clip, error);
        else if (!page->clips[i].named)
            marey_clip_free(status == MAREY_OK ? NULL : page->clips[i].clip);
    for (int i = 0; i < page->count && status == MAREY_OK; i++) {
        sheet_clip *one = &page->clips[i];
        app_source source;
        if (!one->named) continue;
        app_progress(env, "reading", i, page->count, -1);
        status =
            app_clip_read(env, &request->reading, one->named, &one->clip, &source, &one->error);
        if (status == MAREY_OK) continue;
        one->clip = NULL;
        if (app_failure_ends_all(&one->error))
            *error = one->error;
        else
            status = MAREY_OK;
    }
    return status;
}

static bool is_skipped(const sheet_clip *one)
{
    const marey_format *row;
    if (one->named) return false;
    if (one->file.kind == FOUND_SPECIAL) return true;
    if (one->file.kind != FOUND_IN_FOLDER) return false;
    if (!one->clip) return one->error.status == MAREY_ERR_UNKNOWN_FORMAT;
    const char *name = marey_clip_report(one->clip)->format;
    for (int i = 0; (row = marey_format_find(i)); i++)
        if (strcmp(row->name, name) == 0) return row->skeleton_only;
    return false;
}

/* The labels of a library's clip, for its corner of the sheet. */
static const char *labels_of(const app_env *env, const marey_entry *entry)
{
    size_t room = 1;
    for (int i = 0; entry && i < entry->label_count; i++) room += strlen(entry->labels[i]) + 2;
    char *text = APP_NEW(env->scope, char, room);
    for (int i = 0; text && entry && i < entry->label_count; i++) {
        if (i > 0) strcat(text, ", ");
        strcat(text, entry->labels[i]);
    }
    return text;
}

/* A clip that cannot be read does not stop the others. */
static marey_status sort_out(const app_env *env, const marey_listing *listing, const sheet *page,
                             app_render_result *out, marey_error *error)
{
    bool any_label = false;
    for (int i = 0; i < page->count; i++) {
        const sheet_clip *one = &page->clips[i];
        const char *path = one->named ? one->named->clip : one->file.path;
        const marey_entry *entry = listing && one->named ? app_listing_find(listing, path) : NULL;
        if (is_skipped(one)) {
            out->skipped[out->skipped_count++] = path;
        } else if (!one->clip && app_failure_ends_all(&one->error)) {
            *error = one->error;
            return error->status;
        } else if (!one->clip) {
            app_failures_add(env, &out->failures, path, &one->error);
        } else {
            if (entry) warn_of_licence(env, entry->name, entry->licence);
            out->clips[out->count] = one->clip;
            out->names[out->count] = marey_clip_name(one->clip);
            out->titles[out->count] = labels_of(env, entry);
            if (!out->titles[out->count]) return app_fail_memory(error);
            any_label = any_label || *out->titles[out->count];
            out->count++;
        }
    }
    if (!any_label) out->titles = NULL;
    if (out->failures.failed) return app_fail_memory(error);
    if (out->count > 0) return MAREY_OK;
    return app_fail(error, MAREY_ERR_INPUT, NULL, "there is no clip to draw");
}

static void release_buffer(void *object)
{
    buffer_free(object);
}

/* The files that the names stand for, or the library's clips. */
static marey_status list_clips(const app_env *env, const app_render_params *request,
                               const marey_listing *listing, sheet *page, marey_error *error)
{
    int named = request->clips.count, entries = 0;
    const marey_entry *entry =
        named == 0 && listing ? marey_listing_entries(listing, &entries) : NULL;
    found_list *list = APP_NEW(env->scope, found_list, 1);
    if (!list) return app_fail_memory(error);
    list->records = buffer_make(env->scope->memory);
    marey_status status = app_own(env->scope, &list->records, release_buffer, error);
    for (int i = 0; i < named && status == MAREY_OK && !env->library; i++)
        status = folder_walk(env->scope->memory, request->clips.values[i].clip, list);
    if (status != MAREY_OK) return app_fail_memory(error);
    int labelled = 0; /* clips, or the stretches of them that have the label */
    marey_part part;
    for (int i = 0; i < entries; i++)
        for (int at = 0; app_next_labelled(&entry[i], request->label, &at, &part);) labelled++;
    page->count = env->library ? named + labelled : (int)list->count;
    page->clips = APP_NEW(env->scope, sheet_clip, page->count);
    app_segment *segments = APP_NEW(env->scope, app_segment, labelled);
    if (!page->clips || !segments) return app_fail_memory(error);
    for (int i = 0, k = 0; i < entries; i++) {
        for (int at = 0; app_next_labelled(&entry[i], request->label, &at, &part); k++) {
            bool some = part.end - part.start < entry[i].frames;
            segments[k] = (app_segment){ entry[i].name,
                                         { .given = some, .start = part.start, .end = part.end } };
            page->clips[k].named = &segments[k];
        }
    }
    size_t offset = 0;
    for (int i = 0, k = 0; i < page->count && entries == 0; i++) {
        sheet_clip *one = &page->clips[i];
        if (!env->library && found_next(list, &offset, &one->file) && one->file.kind != FOUND_NAMED)
            continue;
        /* Names that are folders lie between those of files. */
        while (!env->library && strcmp(request->clips.values[k].clip, one->file.path) != 0) k++;
        one->named = &request->clips.values[k++];
    }
    return MAREY_OK;
}

static marey_status read_many(const app_env *env, const app_render_params *request,
                              app_render_result *out, marey_error *error)
{
    marey_list_def which = { .label = request->label };
    marey_listing *listing = NULL;
    sheet page = { .env = env, .reading = app_reading_def(&request->reading) };
    marey_status status = MAREY_OK;
    if (env->library) status = marey_library_list(env->library, &which, &listing, error);
    if (status == MAREY_OK) status = app_own_listing(env, listing, error);
    if (status == MAREY_OK) status = list_clips(env, request, listing, &page, error);
    if (status != MAREY_OK) return status;
    out->clips = APP_NEW(env->scope, const marey_clip *, page.count);
    out->names = APP_NEW(env->scope, const char *, page.count);
    out->titles = APP_NEW(env->scope, const char *, page.count);
    out->skipped = APP_NEW(env->scope, const char *, page.count);
    if (!out->clips || !out->names || !out->titles || !out->skipped) return app_fail_memory(error);
    status = read_all(env, request, &page, error);
    if (status != MAREY_OK) return status;
    return sort_out(env, listing, &page, out, error);
}

/* ---- the operation --------------------------------------------------------------------------- */

static marey_status run(const app_env *env, const void *params, void *result, marey_error *error)
{
    const app_render_params *request = params;
    app_render_result *out = result;
    marey_status status =
        app_render_check(request, env->library != NULL, APP_BODY, &out->kind, error);
    if (status != MAREY_OK) return status;
    out->output = request->output;
    if (out->kind == APP_PICTURE_SHEET) return read_many(env, request, out, error);
    out->clips = APP_NEW(env->scope, const marey_clip *, 1);
    out->names = APP_NEW(env->scope, const char *, 1);
    out->titles = APP_NEW(env->scope, const char *, 1);
    if (!out->clips || !out->names || !out->titles) return app_fail_memory(error);
    return read_one(env, request, out, error);
}

static void write(const void *params, const void *result, json *out)
{
    static const char *const kinds[] = { "strip", "sheet", "video" };
    const app_render_result *of = result;
    (void)params;
    json_put_texts(out, "files", &of->output, 1);
    json_put_string(out, "kind", kinds[of->kind]);
    json_put_texts(out, "clips", of->names, of->count);
    json_put_texts(out, "skipped", of->skipped, of->skipped_count);
    app_failures_write(&of->failures, out);
}

static marey_status draw(const app_env *env, const void *params, void *result, marey_error *error)
{
    static const marey_contact none = { 0 };
    const app_render_params *request = params;
    const app_render_result *of = result;
    (void)env;
    if (of->kind == APP_PICTURE_SHEET)
        return marey_sheet_save(of->clips, of->titles, of->count, of->output, error);
    if (of->kind == APP_PICTURE_VIDEO) {
        marey_video_def def = { request->width, request->height, request->fps };
        return marey_video_save(of->clips[0], &def, of->output, error);
    }
    marey_strip_def def = { .width_px = request->width,
                            .height_px = request->height,
                            .poses = request->poses,
                            .contacts = of->plants ? of->plants : &none,
                            .contact_count = of->plant_count,
                            .title = of->titles[0] };
    return marey_strip_save(of->clips[0], &def, of->output, error);
}

const app_operation app_render = {
    .name = "render",
    .summary = "draw clips: a film strip, a contact sheet, a video",
    .description = { "One clip becomes a film strip: poses where the motion changes, along a "
                     "time axis with the foot plants. Several clips, a folder, or a library "
                     "without names become one contact sheet. A name that ends in .mp4 makes a "
                     "video of one clip, for which the program ffmpeg is needed.",
                     "CLIP may name some of its frames: walk.bvh#120-300 (the end is not "
                     "included), walk.bvh#1.5s-3s. With -L clips are named as in a library, "
                     "and the foot plants of a strip are those that it keeps, if it keeps any.",
                     "In a folder, files of no known format are skipped and listed. A clip that "
                     "fails to read is reported, the others are still drawn, and the exit "
                     "status is 1." },
    .params = params_rows,
    .params_size = sizeof(app_render_params),
    .result_size = sizeof(app_render_result),
    .library = APP_MAY_READ,
    .takes_long = true,
    .run = run,
    .write = write,
    .commit = draw,
    .writes_file = true,
};
