/* cmd_export.c - `marey export`: clips of a library as files. */
#include "commands.h"
#include "failures.h"
#include "folder.h"
#include "provenance.h"
#include "shelf.h"

#include <stdio.h>
#include <string.h>

typedef struct exporting {
    shelf at;
    const request *asked;
    const char *folder;
    const char *ending;
    marey_listing *listing;
    buffer files, restricted; /* the arrays' values, for JSON */
    json files_to, restricted_to;
    failures errors;
    int written;
} exporting;

/* ---- one clip -------------------------------------------------------------------------------- */

/* What made it, or where it was read from. */
static void write_origin(const marey_entry *entry, const char *library, buffer *out)
{
    json to = json_make(out);
    if (*entry->provenance) {
        buffer_text(out, entry->provenance);
    } else {
        json_open(&to, NULL, '{');
        json_put_string(&to, "library", library);
        json_put_string(&to, "clip", entry->name);
        json_put_string(&to, "file", entry->source);
        json_put_string(&to, "licence", entry->licence);
        json_close(&to, '}');
    }
    buffer_byte(out, '\n');
}

static marey_status save_origin(exporting *all, const marey_entry *entry, marey_error *error)
{
    session *run = all->at.run;
    char path[4096];
    buffer text = buffer_make(&run->host->def);
    marey_status status = folder_path(all->folder, entry->name, "", path, sizeof path, error);
    if (status == MAREY_OK) {
        write_origin(entry, all->at.path, &text);
        if (text.failed) {
            *error = (marey_error){ .status = MAREY_ERR_MEMORY, .message = "out of memory" };
            status = MAREY_ERR_MEMORY;
        } else {
            status = provenance_save(run, path, text.bytes, text.used, error);
        }
    }
    buffer_free(&text);
    return status;
}

/* Before the file is written, so that every file that is written can be reported. */
static marey_status note_file(exporting *all, const char *path, const marey_entry *entry,
                              marey_error *error)
{
    session *run = all->at.run;
    if (run->json) {
        json_put_string(&all->files_to, NULL, path);
        if (entry && marey_licence_is_non_commercial(entry->licence)) {
            json_put_string(&all->restricted_to, NULL, entry->name);
        }
    }
    if (entry) licence_say(run, entry->name, entry->licence);
    if (!all->files.failed && !all->restricted.failed) return MAREY_OK;
    *error = (marey_error){ .status = MAREY_ERR_MEMORY, .message = "out of memory" };
    return MAREY_ERR_MEMORY;
}

/* Formats with a place for it carry their origin inside. */
static marey_status save_with_origin(exporting *all, const marey_clip *clip, const char *path,
                                     const marey_entry *entry, marey_error *error)
{
    buffer text = buffer_make(&all->at.run->host->def);
    marey_status status = MAREY_ERR_MEMORY;
    if (entry) write_origin(entry, all->at.path, &text);
    if (entry) buffer_byte(&text, 0);
    if (text.failed) {
        *error = (marey_error){ .status = MAREY_ERR_MEMORY, .message = "out of memory" };
    } else {
        status = marey_clip_save_with(clip, path, text.bytes, error);
    }
    buffer_free(&text);
    return status;
}

/* An entry that is NULL: the name was not found, and the library says so. */
static marey_status save_clip(exporting *all, const marey_clip *clip, const char *name,
                              const marey_entry *entry, marey_error *error)
{
    char path[4096];
    if (entry) name = entry->name; /* it may have been asked for by number */
    marey_status status = folder_path(all->folder, name, all->ending, path, sizeof path, error);
    if (status == MAREY_OK) status = note_file(all, path, entry, error);
    if (status == MAREY_OK) status = save_with_origin(all, clip, path, entry, error);
    if (status == MAREY_OK && entry && request_has(all->asked, OPTION_PROVENANCE)) {
        status = save_origin(all, entry, error);
    }
    if (status == MAREY_OK) all->written++;
    return status;
}

/* ---- all of them ----------------------------------------------------------------------------- */

/* A clip that cannot be read does not stop the others; one that cannot be written does. */
static marey_status export_clip(exporting *all, const char *name, const marey_entry *entry,
                                marey_error *error)
{
    marey_clip *clip = NULL;
    marey_status status = marey_library_load(all->at.library, name, &clip, error);
    if (status == MAREY_OK && entry && entry->provenance_damaged) {
        *error = (marey_error){ .status = MAREY_ERR_INPUT,
                                .message = "its provenance must be a JSON object" };
        snprintf(error->path, sizeof error->path, "%s", entry->name);
        marey_clip_free(clip);
        clip = NULL;
        status = MAREY_ERR_INPUT;
    }
    if (marey_status_group(status) == MAREY_ERR_INPUT || status == MAREY_ERR_LIMIT) {
        failures_add(&all->errors, name, error);
        return MAREY_OK;
    }
    if (status == MAREY_OK) status = save_clip(all, clip, name, entry, error);
    marey_clip_free(clip);
    return status;
}

static marey_status export_all(exporting *all, marey_error *error)
{
    const request *asked = all->asked;
    int named = asked->operand_count - 1, count;
    const marey_entry *entries = marey_listing_entries(all->listing, &count);
    marey_status status = MAREY_OK;
    for (int i = 0; i < named && status == MAREY_OK; i++) {
        const char *name = asked->operands[i + 1];
        session_progress(all->at.run, "exporting", i, named);
        status = export_clip(all, name, listing_find(all->listing, name), error);
    }
    for (int i = 0; named == 0 && i < count && status == MAREY_OK; i++) {
        session_progress(all->at.run, "exporting", i, count);
        status = export_clip(all, entries[i].name, &entries[i], error);
    }
    return status;
}

static marey_status list_and_export(exporting *all, marey_error *error)
{
    marey_list_def def = { .label = all->asked->values[OPTION_LABEL] };
    marey_status status = marey_library_list(all->at.library, &def, &all->listing, error);
    if (status == MAREY_OK) status = folder_make(all->folder, error);
    /* Each clip would else draw its own progress. */
    all->at.run->own_progress = true;
    if (status == MAREY_OK) status = export_all(all, error);
    marey_listing_free(all->listing);
    return status;
}

static void describe(exporting *all)
{
    session *run = all->at.run;
    json to = json_make(&run->out);
    if (run->json) {
        json_open(&to, NULL, '{');
        json_put_array_of(&to, "files", &all->files);
        json_put_array_of(&to, "non_commercial", &all->restricted);
        json_put_array_of(&to, "errors", &all->errors.values);
        json_close(&to, '}');
        buffer_byte(&run->out, '\n');
    } else if (!run->quiet) {
        buffer_text(&run->out, "wrote ");
        buffer_clips(&run->out, all->written);
        buffer_text(&run->out, " to ");
        buffer_shown(&run->out, all->folder);
        buffer_byte(&run->out, '\n');
    }
}

static int export_to(exporting *all)
{
    session *run = all->at.run;
    marey_error error;
    marey_status status = list_and_export(all, &error);
    shelf_close(&all->at, true);
    if (status != MAREY_OK) return session_fail(run, &error);
    describe(all);
    return session_finish(run, all->errors.status);
}

/* ---- asking for it --------------------------------------------------------------------------- */

static int read_options(exporting *all, session *run, const request *asked)
{
    const char *format = "bvh";
    bool by_label = request_has(asked, OPTION_LABEL), all_clips = request_has(asked, OPTION_ALL);
    int ways = (asked->operand_count > 1) + by_label + all_clips;
    int status = options_word(run, asked, OPTION_FORMAT, &format);
    if (status != PROGRAM_DONE) return status;
    all->asked = asked;
    all->ending = format_ending(format);
    all->folder = asked->values[OPTION_OUTPUT];
    if (!all->folder || !*all->folder) return session_usage(run, "-o DIR is needed");
    if (ways != 1) return session_usage(run, "name clips, or say --label or --all: one of these");
    return PROGRAM_DONE;
}

int command_export(session *run, const request *asked)
{
    exporting all = { .written = 0 };
    marey_error error;
    int status = read_options(&all, run, asked);
    if (status != PROGRAM_DONE) return status;
    if (shelf_open(run, asked->operands[0], MAREY_LIBRARY_READ, &all.at, &error) != MAREY_OK) {
        return session_fail(run, &error);
    }
    all.files = buffer_make(&run->host->def);
    all.restricted = buffer_make(&run->host->def);
    all.files_to = json_make(&all.files);
    all.restricted_to = json_make(&all.restricted);
    failures_make(&all.errors, run);
    status = export_to(&all);
    failures_free(&all.errors);
    buffer_free(&all.restricted);
    buffer_free(&all.files);
    return status;
}
