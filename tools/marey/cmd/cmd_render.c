/* cmd_render.c - `marey render`: motion to look at. One clip becomes a film strip or a video, several become a contact
   sheet. */
#include "commands.h"
#include "failures.h"
#include "folder.h"
#include "plants.h"
#include "provenance.h"
#include "shelf.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

/* What a picture and a video take; see picture.h. */
enum { SMALLEST_SIDE = 48, LARGEST_SIDE = 16384, MOST_POSES = 1000, HIGHEST_FPS = 240 };

typedef enum picture_kind { PICTURE_STRIP, PICTURE_SHEET, PICTURE_VIDEO } picture_kind;

typedef struct job {
    found file;
    marey_clip *clip; /* NULL if it could not be read */
    marey_error error;
    size_t labels; /* where its text begins in rendering.labels */
} job;

typedef struct rendering {
    session *run;
    const request *asked;
    const char *path;
    picture_kind kind;
    int64_t width, height, poses; /* 0: as they come */
    double fps;                   /* likewise */
    input from;
    found_list list;
    marey_listing *listing; /* of the library, for a sheet */
    job *jobs;
    int job_count;
    const marey_clip **clips; /* those that were read */
    const char **titles;      /* a text for each of them */
    int clip_count, skipped_count;
    buffer labels; /* texts, each with its ending zero */
    buffer names, skipped;
    json names_to, skipped_to;
    failures errors;
} rendering;

static marey_status fail_memory(marey_error *error)
{
    *error = (marey_error){ .status = MAREY_ERR_MEMORY, .message = "out of memory" };
    return MAREY_ERR_MEMORY;
}

/* ---- the answer -------------------------------------------------------------------------------- */

static void describe(rendering *all, int count, double seconds)
{
    static const char *const kinds[] = { "strip", "sheet", "video" };
    buffer *out = &all->run->out;
    json to = json_make(out);
    if (all->run->json) {
        json_open(&to, NULL, '{');
        json_open(&to, "files", '[');
        json_put_string(&to, NULL, all->path);
        json_close(&to, ']');
        json_put_string(&to, "kind", kinds[all->kind]);
        json_put_array_of(&to, "clips", &all->names);
        json_put_array_of(&to, "skipped", &all->skipped);
        json_put_array_of(&to, "errors", &all->errors.values);
        json_close(&to, '}');
        buffer_byte(out, '\n');
    } else if (!all->run->quiet) {
        buffer_text(out, "wrote ");
        buffer_shown(out, all->path);
        if (all->kind == PICTURE_SHEET) {
            buffer_text(out, ": a sheet of ");
            buffer_clips(out, count);
            if (all->skipped_count > 0) {
                buffer_print(out, " (%d file%s without motion skipped)", all->skipped_count,
                             all->skipped_count == 1 ? "" : "s");
            }
            buffer_byte(out, '\n');
        } else {
            buffer_print(out, ": a %s of %.2f s\n", kinds[all->kind], seconds);
        }
    }
}

/* ---- one clip ---------------------------------------------------------------------------------- */

/* A part of a clip says which; a whole one is called by its name. */
static const char *title_of(const char *text, const input_source *source, char *room, size_t count)
{
    const char *slash = strrchr(text, '/');
    address at;
    if (!address_parse(text, &at) || !at.range.given) return NULL;
    if (source->library && text[0] == '#') { /* its number; people know it by its name */
        snprintf(room, count, "%.*s%s", CLIP_NAME_ROOM, source->name, strrchr(text, '#'));
        return room;
    }
    return slash ? slash + 1 : text;
}

static marey_status save_strip(rendering *all, const input_source *source, const marey_clip *clip,
                               marey_error *error)
{
    static const marey_contact none[1];
    char title[2 * CLIP_NAME_ROOM];
    plants feet;
    marey_status status = plants_get(&all->from, source, clip, false, &feet, error);
    if (status != MAREY_OK) return status;
    marey_strip_def def = { .width_px = (int)all->width,
                            .height_px = (int)all->height,
                            .poses = (int)all->poses,
                            .contacts = feet.items ? feet.items : none,
                            .contact_count = feet.count,
                            .title =
                                title_of(all->asked->operands[0], source, title, sizeof title) };
    status = marey_strip_save(clip, &def, all->path, error);
    plants_free(&feet);
    return status;
}

/* The answer is put together before the file is written: after that only sending it can fail. */
static marey_status render_one(rendering *all, marey_error *error)
{
    const char *name = all->asked->operands[0];
    marey_video_def def = { (int)all->width, (int)all->height, all->fps };
    input_source source;
    marey_clip *clip = NULL;
    marey_status status = input_load(&all->from, name, &(frame_range){ 0 }, &clip, &source, error);
    if (status != MAREY_OK) return status;
    licence_say(all->run, source.name, source.licence);
    json_put_string(&all->names_to, NULL, name);
    describe(all, 1, marey_clip_seconds(clip));
    status = shelf_ready(all->run, error);
    if (status == MAREY_OK) {
        status = all->kind == PICTURE_VIDEO ? marey_video_save(clip, &def, all->path, error)
                                            : save_strip(all, &source, clip, error);
    }
    marey_clip_free(clip);
    return status;
}

/* ---- many clips: reading ----------------------------------------------------------------------- */

/* A file below a folder has the name that it has: a '#' in it names no frames. */
static void read_one(void *user, int64_t i)
{
    rendering *all = user;
    job *one = &all->jobs[i];
    if (one->file.kind == FOUND_UNREADABLE) found_error(&one->file, &one->error);
    if (one->file.kind == FOUND_IN_FOLDER) {
        marey_clip_load(all->run->ctx, one->file.path, &all->from.def, &one->clip, &one->error);
    }
}

/* Named files say their warnings, and a library is for one thread at a time. */
static void read_named(rendering *all)
{
    for (int i = 0; i < all->job_count; i++) {
        job *one = &all->jobs[i];
        if (one->file.kind != FOUND_NAMED) continue;
        session_progress(all->run, "reading", i, all->job_count);
        input_load(&all->from, one->file.path, &(frame_range){ 0 }, &one->clip, NULL, &one->error);
        if (!one->clip && failure_ends_all(&one->error)) return;
    }
}

static bool is_skeleton_only(const marey_clip *clip)
{
    const char *name = marey_clip_report(clip)->format;
    const marey_format *row;
    for (int i = 0; (row = marey_format_find(i)); i++) {
        if (strcmp(row->name, name) == 0) return row->skeleton_only;
    }
    return false;
}

static bool is_skipped(const job *one)
{
    if (one->file.kind == FOUND_SPECIAL) return true;
    if (one->file.kind != FOUND_IN_FOLDER) return false;
    if (one->clip) return is_skeleton_only(one->clip);
    return one->error.status == MAREY_ERR_UNKNOWN_FORMAT;
}

/* The labels of a library's clip, for its corner of the sheet. */
static void write_labels(rendering *all, const job *one)
{
    address at;
    const marey_entry *entry = NULL;
    if (all->listing && address_parse(one->file.path, &at)) {
        entry = listing_find(all->listing, at.path);
    }
    for (int i = 0; entry && i < entry->label_count; i++) {
        if (i > 0) buffer_text(&all->labels, ", ");
        buffer_text(&all->labels, entry->labels[i]);
    }
    buffer_byte(&all->labels, 0);
    if (entry) licence_say(all->run, entry->name, entry->licence);
}

/* A clip that cannot be read does not stop the others. */
static marey_status sort_out(rendering *all, marey_error *error)
{
    for (int i = 0; i < all->job_count; i++) {
        job *one = &all->jobs[i];
        if (!one->clip && failure_ends_all(&one->error)) {
            *error = one->error;
            return error->status;
        }
        if (is_skipped(one)) {
            json_put_string(&all->skipped_to, NULL, one->file.path);
            all->skipped_count++;
        } else if (!one->clip) {
            failures_add(&all->errors, one->file.path, &one->error);
        } else {
            one->labels = all->labels.used;
            write_labels(all, one);
            json_put_string(&all->names_to, NULL, marey_clip_name(one->clip));
            all->clips[all->clip_count++] = one->clip;
        }
    }
    if (all->labels.failed) return fail_memory(error);
    /* The texts stay where they are from here on. */
    for (int i = 0, k = 0; i < all->job_count; i++) {
        const job *one = &all->jobs[i];
        if (k < all->clip_count && all->clips[k] == one->clip) {
            all->titles[k++] = all->labels.bytes + one->labels;
        }
    }
    if (all->clip_count > 0) return MAREY_OK;
    *error = (marey_error){ .status = MAREY_ERR_INPUT, .message = "there is no clip to draw" };
    return MAREY_ERR_INPUT;
}

/* ---- many clips: drawing ----------------------------------------------------------------------- */

static marey_status draw_sheet(rendering *all, marey_error *error)
{
    bool any = all->labels.used > (size_t)all->clip_count;
    describe(all, all->clip_count, 0);
    marey_status status = shelf_ready(all->run, error);
    if (status == MAREY_OK) {
        all->run->own_progress = false;
        status = marey_sheet_save(all->clips, any ? all->titles : NULL, all->clip_count, all->path,
                                  error);
    }
    return status;
}

static marey_status read_and_draw(rendering *all, marey_error *error)
{
    size_t offset = 0;
    for (int i = 0; i < all->job_count; i++) {
        all->jobs[i] = (job){ .clip = NULL };
        found_next(&all->list, &offset, &all->jobs[i].file);
    }
    /* With several files the library would report from several threads at once. */
    all->run->own_progress = true;
    marey_ctx_run(all->run->ctx, all->job_count, read_one, all);
    read_named(all);
    marey_status status = sort_out(all, error);
    if (status == MAREY_OK) status = draw_sheet(all, error);
    for (int i = 0; i < all->job_count; i++) marey_clip_free(all->jobs[i].clip);
    return status;
}

static marey_status render_all(rendering *all, marey_error *error)
{
    size_t count = (size_t)all->list.count, pointers = count * sizeof(void *);
    if (count == 0) {
        *error = (marey_error){ .status = MAREY_ERR_INPUT, .message = "there is no clip to draw" };
        return MAREY_ERR_INPUT;
    }
    all->job_count = (int)count;
    all->jobs = session_resize(all->run, NULL, 0, count * sizeof(job));
    all->clips = session_resize(all->run, NULL, 0, pointers);
    all->titles = session_resize(all->run, NULL, 0, pointers);
    marey_status status =
        all->jobs && all->clips && all->titles ? read_and_draw(all, error) : fail_memory(error);
    if (all->titles) session_resize(all->run, all->titles, pointers, 0);
    if (all->clips) session_resize(all->run, all->clips, pointers, 0);
    if (all->jobs) session_resize(all->run, all->jobs, count * sizeof(job), 0);
    return status;
}

static marey_status list_clips(rendering *all, marey_error *error)
{
    const request *asked = all->asked;
    marey_status status = MAREY_OK;
    marey_list_def def = { .label = asked->values[OPTION_LABEL] };
    int count = 0;
    if (all->from.library) {
        status = marey_library_list(all->from.library, &def, &all->listing, error);
        if (status != MAREY_OK) return status;
    }
    for (int i = 0; i < asked->operand_count && status == MAREY_OK; i++) {
        status = all->from.library ? found_add_name(&all->list, asked->operands[i])
                                   : folder_walk(all->run, asked->operands[i], &all->list);
    }
    const marey_entry *entries =
        asked->operand_count == 0 ? marey_listing_entries(all->listing, &count) : NULL;
    for (int i = 0; i < count && status == MAREY_OK; i++) {
        status = found_add_name(&all->list, entries[i].name);
    }
    return status == MAREY_OK ? MAREY_OK : fail_memory(error);
}

static marey_status render_sheet(rendering *all, marey_error *error)
{
    marey_status status = list_clips(all, error);
    if (status == MAREY_OK) status = render_all(all, error);
    marey_listing_free(all->listing);
    return status;
}

/* ---- asking for it ----------------------------------------------------------------------------- */

static bool ends_in(const char *path, const char *ending)
{
    size_t length = strlen(path), tail = strlen(ending);
    return length > tail && strcasecmp(path + length - tail, ending) == 0;
}

static bool is_folder(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

static int find_kind(rendering *all)
{
    session *run = all->run;
    const request *asked = all->asked;
    bool in_library = request_has(asked, OPTION_LIBRARY);
    bool chosen = request_has(asked, OPTION_ALL) || request_has(asked, OPTION_LABEL);
    bool is_one = asked->operand_count == 1 && (in_library || !is_folder(asked->operands[0]));
    bool is_video = ends_in(all->path, ".mp4");
    if (asked->operand_count == 0 && !in_library) {
        return session_usage(run, "name a clip, a folder, or a library: -L FILE");
    }
    if (chosen && (!in_library || asked->operand_count > 0)) {
        return session_usage(run, "--all and --label are for a library, instead of names");
    }
    if (!is_video && !ends_in(all->path, ".png") && !ends_in(all->path, ".svg") &&
        !ends_in(all->path, ".pdf")) {
        return session_usage(run, "-o takes a name that ends in .png, .svg, .pdf or .mp4");
    }
    if (is_video && !is_one) return session_usage(run, "a video shows one clip: name one");
    all->kind = is_video ? PICTURE_VIDEO : is_one ? PICTURE_STRIP : PICTURE_SHEET;
    return PROGRAM_DONE;
}

/* An option that would do nothing is more likely a mistake than meant. */
static int check_use(rendering *all)
{
    const request *asked = all->asked;
    bool sized = request_has(asked, OPTION_WIDTH) || request_has(asked, OPTION_HEIGHT);
    if (all->kind == PICTURE_SHEET && sized) {
        return session_usage(all->run,
                             "a sheet is as large as its clips need: no --width, --height");
    }
    if (all->kind != PICTURE_STRIP && request_has(asked, OPTION_POSES)) {
        return session_usage(all->run, "--poses is for the film strip of one clip");
    }
    if (all->kind != PICTURE_VIDEO && request_has(asked, OPTION_FPS)) {
        return session_usage(all->run, "--fps is for a video: -o FILE.mp4");
    }
    return PROGRAM_DONE;
}

static int read_options(rendering *all)
{
    session *run = all->run;
    const request *asked = all->asked;
    all->path = asked->values[OPTION_OUTPUT];
    if (!all->path || !*all->path) return session_usage(run, "-o FILE is needed");
    int status = find_kind(all);
    if (status == PROGRAM_DONE) status = check_use(all);
    if (status == PROGRAM_DONE) {
        status = options_whole(run, asked, OPTION_WIDTH, SMALLEST_SIDE, LARGEST_SIDE, &all->width);
    }
    if (status == PROGRAM_DONE) {
        status =
            options_whole(run, asked, OPTION_HEIGHT, SMALLEST_SIDE, LARGEST_SIDE, &all->height);
    }
    if (status == PROGRAM_DONE) {
        status = options_whole(run, asked, OPTION_POSES, 1, MOST_POSES, &all->poses);
    }
    if (status == PROGRAM_DONE) {
        status = options_number(run, asked, OPTION_FPS, 1, HIGHEST_FPS, &all->fps);
    }
    return status;
}

static int render(rendering *all)
{
    session *run = all->run;
    marey_error error;
    marey_status status =
        all->kind == PICTURE_SHEET ? render_sheet(all, &error) : render_one(all, &error);
    if (status == MAREY_OK) return session_finish(run, all->errors.status);
    run->out.used = 0;
    return session_fail(run, &error);
}

int command_render(session *run, const request *asked)
{
    const marey_ctx_def *memory = &run->host->def;
    rendering all = { .run = run, .asked = asked };
    int status = read_options(&all);
    if (status == PROGRAM_DONE) status = input_open(run, asked, &all.from);
    if (status != PROGRAM_DONE) return status;
    all.list.records = buffer_make(memory);
    all.labels = buffer_make(memory);
    all.names = buffer_make(memory);
    all.skipped = buffer_make(memory);
    all.names_to = json_make(&all.names);
    all.skipped_to = json_make(&all.skipped);
    failures_make(&all.errors, run);
    status = render(&all);
    failures_free(&all.errors);
    buffer_free(&all.skipped);
    buffer_free(&all.names);
    buffer_free(&all.labels);
    buffer_free(&all.list.records);
    input_close(&all.from);
    return status;
}
