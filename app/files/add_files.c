/* add_files.c - `add`: files, folders and the demo into a library, all in one transaction. */
#include "files.h"
#include "folder.h"
#include "operations.h"

#include <limits.h>
#include <stddef.h>
#include <string.h>

static const app_param params_rows[] = {
    { .name = "files",
      .type = APP_TEXTS,
      .at = offsetof(app_add_params, files),
      .place = APP_REST,
      .repeats = true,
      .value = "FILE",
      .help = "files, or folders of files" },
    { .name = "demo",
      .type = APP_SWITCH,
      .at = offsetof(app_add_params, demo),
      .help = "also the takes that marey demo makes; the other options are for files only" },
    APP_READING_PARAMS(app_add_params, app_units_word),
    { .name = "label",
      .type = APP_TEXTS,
      .at = offsetof(app_add_params, label),
      .repeats = true,
      .help = "a label for every clip that is added; may be given several times" },
    { .name = "label-from-folder",
      .type = APP_SWITCH,
      .at = offsetof(app_add_params, label_from_folder),
      .help = "the name of the folder a file is in becomes a label of its clip" },
    { .name = "index",
      .type = APP_TEXT,
      .at = offsetof(app_add_params, index),
      .value = "FILE",
      .help = "descriptions: lines of a clip's name, blanks or a tab, and the text" },
    { .name = "licence",
      .type = APP_TEXT,
      .at = offsetof(app_add_params, licence),
      .value = "TEXT",
      .blank = true,
      .help = "under which terms the clips may be used, such as 'CC BY-NC 4.0'" },
    { .name = "fix",
      .type = APP_TEXTS,
      .at = offsetof(app_add_params, fix),
      .repeats = true,
      .value = "KIND",
      .help = "repair findings of this kind, or of all kinds, as marey doctor does; several with "
              "commas, or given again" },
    { .name = "long",
      .type = APP_SWITCH,
      .at = offsetof(app_add_params, each),
      .note = true,
      .help = "one line for every file, and its warnings" },
    { 0 },
};

static marey_status check(const void *params, app_dialect dialect, marey_error *error)
{
    const app_add_params *request = params;
    uint64_t kinds;
    marey_status status = app_flaw_kinds(&request->fix, &kinds, NULL, error);
    if (status != MAREY_OK || request->files.count > 0 || request->demo) return status;
    return app_fail(error, MAREY_ERR_REQUEST, NULL, "name files to add, or say %s",
                    dialect == APP_COMMAND_LINE ? "--demo" : "demo");
}

/* ---- what became of each file ---------------------------------------------------------------- */

typedef struct adding {
    const app_env *env;
    found_list list;
    size_t offset; /* of the record that comes next */
    app_add_result *out;
    const char **skeletons; /* files that motions were read with */
    int skeleton_count;
    size_t room;  /* that the answer takes */
    bool failed;  /* memory was refused */
    bool stopped; /* so the library was asked to stop */
} adding;

static void note(adding *job, const app_added *item)
{
    app_add_result *out = job->out;
    marey_error error;
    app_added *items = app_grow(job->env->scope, out->items, out->count, sizeof *items);
    job->failed = job->failed || !items;
    if (!items) return;
    out->items = items;
    items[out->count++] = *item;
    out->counts[item->outcome]++;
    job->room += 6 * (strlen(item->path) + strlen(item->name)) + 512;
    if (item->units_why) job->room += 6 * (strlen(item->units_why) + strlen(item->up_why));
    for (int i = 0; i < item->warnings.count; i++)
        job->room += 6 * strlen(item->warnings.values[i]);
    for (int i = 0; i < item->flaw_count; i++) job->room += 6 * strlen(item->joints[i]) + 256;
    if (app_reserve(job->env, job->room, &error) != MAREY_OK) job->failed = true;
}

static void note_failure(adding *job, const char *path, const marey_error *error)
{
    marey_error refused;
    app_failures_add(job->env, &job->out->failures, path, error);
    job->room += 6 * (strlen(path) + strlen(error->message)) + 256;
    if (app_reserve(job->env, job->room, &refused) != MAREY_OK || job->out->failures.failed)
        job->failed = true;
}

static void note_clip(adding *job, const marey_add_result *result)
{
    app_scope *scope = job->env->scope;
    app_added item = { .outcome = result->outcome,
                       .path = app_copy(scope, result->path),
                       .name = app_copy(scope, result->name),
                       .id = result->id,
                       .frames = result->frames };
    if (result->outcome == MAREY_ADD_DONE) {
        const marey_report *report = marey_clip_report(result->clip);
        const char **warnings = APP_NEW(scope, const char *, report->warning_count);
        item.fps = marey_clip_fps(result->clip);
        item.height_cm = report->height_cm;
        item.claimed_fps = report->claimed_fps;
        item.units = marey_units_name(marey_clip_units(result->clip));
        item.up = marey_clip_up(result->clip) == MAREY_UP_Z ? "z" : "y";
        item.units_why = app_copy(scope, report->units_why);
        item.up_why = app_copy(scope, report->up_why);
        for (int i = 0; i < report->warning_count && warnings; i++) {
            warnings[i] = app_copy(scope, report->warnings[i]);
            if (!warnings[i]) job->failed = true;
        }
        item.warnings = (app_texts){ warnings, warnings ? report->warning_count : 0 };
        if (!warnings || !item.units_why || !item.up_why) job->failed = true;
        const marey_skeleton *skeleton = marey_clip_skeleton(result->clip);
        marey_flaw *flaws = APP_NEW(scope, marey_flaw, result->flaw_count);
        const char **joints = APP_NEW(scope, const char *, result->flaw_count);
        for (int i = 0; i < result->flaw_count && flaws && joints; i++) {
            int joint = result->flaws[i].joint;
            flaws[i] = result->flaws[i];
            joints[i] = joint < 0 ? "" : app_copy(scope, skeleton->joints[joint].name);
            if (!joints[i]) job->failed = true;
        }
        if (!flaws || !joints) job->failed = true;
        item.flaws = flaws;
        item.joints = joints;
        item.flaw_count = job->failed ? 0 : result->flaw_count;
        item.fixed = result->mended;
        app_flaws_sum(job->out->kinds, flaws, item.flaw_count, result->frames);
        job->out->fixed += result->mended;
    }
    if (!item.path || !item.name) job->failed = true;
    if (!job->failed) note(job, &item);
}

static void note_skeleton(adding *job, const marey_clip *clip)
{
    const char *path = clip ? marey_clip_report(clip)->skeleton_path : NULL;
    int count = job->skeleton_count;
    /* Motions of one skeleton mostly follow each other. */
    if (!path || (count > 0 && strcmp(job->skeletons[count - 1], path) == 0)) return;
    const char **all = app_grow(job->env->scope, job->skeletons, count, sizeof *all);
    const char *kept = app_copy(job->env->scope, path);
    job->failed = job->failed || !all || !kept;
    if (job->failed) return;
    job->skeletons = all;
    job->skeletons[job->skeleton_count++] = kept;
}

/* A skeleton that a motion was read with was not skipped, though it is no clip. Only at the end is it
   known: it comes before its motions. */
static void drop_used_skeletons(adding *job)
{
    app_add_result *out = job->out;
    int left = 0;
    for (int i = 0; i < out->count; i++) {
        bool used = false;
        for (int s = 0; s < job->skeleton_count && out->items[i].outcome == MAREY_ADD_SKIPPED; s++)
            used |= strcmp(out->items[i].path, job->skeletons[s]) == 0;
        if (used)
            out->counts[MAREY_ADD_SKIPPED]--;
        else
            out->items[left++] = out->items[i];
    }
    out->count = left;
}

static void note_skipped(adding *job, const char *path)
{
    app_added item = { .outcome = MAREY_ADD_SKIPPED, .path = path, .name = "" };
    note(job, &item);
}

static bool is_file(const found *file)
{
    return file->kind == FOUND_NAMED || file->kind == FOUND_IN_FOLDER;
}

/* The next file; entries before it that are no files are noted. False past the last. */
static bool next_file(adding *job, found *file)
{
    while (found_next(&job->list, &job->offset, file)) {
        marey_error error;
        if (is_file(file)) return true;
        if (file->kind == FOUND_SPECIAL) {
            note_skipped(job, file->path);
        } else {
            found_error(file, &error);
            note_failure(job, file->path, &error);
        }
    }
    return false;
}

/* A file that was named and holds no motion is a mistake; in a folder, or among files that were
   dropped, it is only in the way. A skeleton belongs to motion, also when a shell's pattern has
   named it. */
static void note_result(void *user, const marey_add_result *result)
{
    adding *job = user;
    found file = { .kind = FOUND_NAMED };
    if (!result->demo && !next_file(job, &file)) return;
    bool mistake = job->env->reads_files && file.kind == FOUND_NAMED && !result->clip;
    if (result->outcome == MAREY_ADD_FAILED ||
        (result->outcome == MAREY_ADD_SKIPPED && mistake && result->error)) {
        note_failure(job, result->path, result->error);
    } else if (result->outcome == MAREY_ADD_SKIPPED) {
        note_skipped(job, file.path);
    } else {
        note_clip(job, result);
        note_skeleton(job, result->clip);
    }
    /* What happened could not be said: better that nothing does. */
    if (!job->failed || job->stopped) return;
    marey_ctx_cancel(job->env->ctx);
    job->stopped = true;
}

/* Clips that have the motion of one that was just added. The clips are in the library by now, so where
   this fails it only says nothing. */
static void find_copies(adding *job)
{
    const app_env *env = job->env;
    marey_conditions *known = NULL;
    app_suspect *list = NULL;
    app_duplicate *copies = NULL;
    marey_error ignored;
    int count = 0;
    int64_t *ids = APP_NEW(env->scope, int64_t, job->out->count);
    if (!ids || job->out->counts[MAREY_ADD_DONE] == 0) return;
    for (int i = 0; i < job->out->count; i++) {
        const app_added *one = &job->out->items[i];
        ids[i] = one->outcome == MAREY_ADD_DONE ? one->id : 0;
    }
    if (marey_library_known(env->library, &known, &ignored) != MAREY_OK ||
        app_own_conditions(env, known, &ignored) != MAREY_OK ||
        app_suspects_list(env, known, ids, job->out->count, &list, &ignored) != MAREY_OK ||
        app_duplicates_find(env, list, known->count, NULL, &copies, &count, &ignored) != MAREY_OK)
        return;
    for (int i = 0; i < count; i++) {
        app_added *one = &job->out->items[list[copies[i].suspect].patient];
        app_flaw_sum *sum = &job->out->kinds[MAREY_FLAW_DUPLICATE];
        if (one->copy_count == APP_MOST_COPIES) continue;
        job->room += 6 * strlen(copies[i].other) + 512;
        if (app_reserve(env, job->room, &ignored) != MAREY_OK) return;
        sum->findings++;
        sum->clips += one->copy_count == 0;
        sum->severity += app_flaw_severity(&copies[i].flaw, one->frames);
        one->copies[one->copy_count++] = &copies[i];
    }
}

/* ---- the operation --------------------------------------------------------------------------- */

static void release_buffer(void *object)
{
    buffer_free(object);
}

static marey_status run(const app_env *env, const void *params, void *result, marey_error *error)
{
    const app_add_params *request = params;
    adding *job = APP_NEW(env->scope, adding, 1);
    marey_add_def def = { .load = app_reading_def(&request->reading),
                          .label_from_folder = request->label_from_folder,
                          .labels = request->label.values,
                          .label_count = request->label.count,
                          .licence = request->licence,
                          .index_path = request->index,
                          .demo = request->demo,
                          .done = note_result,
                          .user = job };
    if (!job) return app_fail_memory(error);
    job->out = result;
    job->out->library = marey_library_path(env->library);
    marey_status chosen = app_flaw_kinds(&request->fix, &def.fix, NULL, error);
    if (chosen != MAREY_OK) return chosen;
    *job = (adding){ .env = env, .out = result, .room = 256 };
    job->list.records = buffer_make(env->scope->memory);
    marey_status status = app_own(env->scope, &job->list.records, release_buffer, error);
    for (int i = 0; i < request->files.count && status == MAREY_OK; i++) {
        const char *name = request->files.values[i];
        status = env->reads_files ? folder_walk(env->scope->memory, name, &job->list)
                                  : found_add_name(&job->list, name);
    }
    const char **paths = APP_NEW(env->scope, const char *, job->list.count);
    if (status != MAREY_OK || !paths || job->list.count >= INT_MAX) return app_fail_memory(error);
    size_t offset = 0;
    int count = 0;
    found file;
    while (found_next(&job->list, &offset, &file))
        if (is_file(&file)) paths[count++] = file.path;
    status = app_reserve(env, job->room, error);
    if (status == MAREY_OK) status = marey_library_add(env->library, paths, count, &def, error);
    if (job->stopped) marey_ctx_resume(env->ctx); /* it may be tried again with more memory */
    while (status == MAREY_OK && next_file(job, &file)) {
    }
    if (status == MAREY_OK && !job->failed) drop_used_skeletons(job);
    if (status == MAREY_OK && !job->failed) find_copies(job);
    job->out->kind_count = app_flaw_sums_sort(job->out->kinds);
    return job->failed ? app_fail_memory(error) : status;
}

static void write(const void *params, const void *result, json *out)
{
    static const char *const keys[] = { [MAREY_ADD_DONE] = "added",
                                        [MAREY_ADD_DUPLICATE] = "duplicates",
                                        [MAREY_ADD_SKIPPED] = "skipped" };
    const app_add_result *of = result;
    (void)params;
    for (int outcome = 0; outcome < (int)(sizeof keys / sizeof *keys); outcome++) {
        json_open(out, keys[outcome], '[');
        for (int i = 0; i < of->count; i++) {
            const app_added *one = &of->items[i];
            if ((int)one->outcome != outcome) continue;
            if (outcome == MAREY_ADD_SKIPPED) {
                json_put_string(out, NULL, one->path);
                continue;
            }
            json_open(out, NULL, '{');
            if (outcome == MAREY_ADD_DONE) {
                json_put_string(out, "name", one->name);
                json_put_string(out, "path", one->path);
                json_put_integer(out, "frames", one->frames);
                json_put_number(out, "fps", one->fps);
                json_put_texts(out, "warnings", one->warnings.values, one->warnings.count);
                json_put_string(out, "units", one->units);
                json_put_string(out, "units_why", one->units_why);
                json_put_string(out, "up", one->up);
                json_put_string(out, "up_why", one->up_why);
                json_put_number(out, "height_cm", one->height_cm);
                json_put_number(out, "claimed_fps", one->claimed_fps);
                json_put_integer(out, "id", one->id);
                json_open(out, "findings", '[');
                for (int k = 0; k < one->flaw_count; k++) {
                    json_open(out, NULL, '{');
                    app_flaw_write(&one->flaws[k], one->joints[k], out);
                    json_close(out, '}');
                }
                for (int k = 0; k < one->copy_count; k++) {
                    json_open(out, NULL, '{');
                    app_flaw_write(&one->copies[k]->flaw, "", out);
                    app_duplicate_write(one->copies[k], out);
                    json_close(out, '}');
                }
                json_close(out, ']');
                json_put_integer(out, "fixed", one->fixed);
            } else {
                json_put_string(out, "path", one->path);
                json_put_string(out, "name", one->name);
                json_put_integer(out, "id", one->id);
            }
            json_close(out, '}');
        }
        json_close(out, ']');
    }
    app_failures_write(&of->failures, out);
    app_flaw_sums_write(of->kinds, of->kind_count, out);
}

const app_operation app_add = {
    .name = "add",
    .summary = "put motion files into a library",
    .description = { "LIB is one .marey file; it is made if it is not there. All files are put "
                     "in at once: whatever happens, the library is as it was before or holds "
                     "all of them.",
                     "A folder stands for all files below it; those of no known format are "
                     "skipped and listed. A file that fails to read is reported, the others "
                     "are still added, and the exit status is 1. The skeleton of AMC files is "
                     "found beside them.",
                     "A clip is called like its file, without folder and ending; a second one "
                     "of that name becomes NAME-2. The same motion is not stored twice: the "
                     "answer names the clip that is there already.",
                     "What looks wrong in the clips is said in up to three lines, and kept; marey "
                     "doctor lists it in full and repairs it, and so does --fix at once.",
                     "With --demo the takes that marey demo makes, with seed 1, are put in "
                     "first, with their labels and foot plants; files need not be named then. "
                     "A take that is there already is a duplicate, whatever it is called now. "
                     "Ctrl-C leaves the library as it was, with none of the takes." },
    .params = params_rows,
    .params_size = sizeof(app_add_params),
    .result_size = sizeof(app_add_result),
    .library = APP_CREATES,
    .takes_long = true,
    .check = check,
    .run = run,
    .write = write,
};
