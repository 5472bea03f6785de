/* export_file.c - what jobs that make files share. */
#include "export_file.h"

#include "describe.h"
#include "zip.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

void export_file_name(const char *name, const char *ending, char *out, size_t room)
{
    snprintf(out, room, "%s.%s", name, ending);
    for (char *p = out; *p; p++) {
        bool harmless = (isalnum((unsigned char)*p) && (unsigned char)*p < 0x80) ||
                        (p > out && strchr(".-", *p));
        if (!harmless) *p = '_';
    }
}

static const char *type_of(const char *path)
{
    static const struct {
        const char *ending, *type;
    } rows[] = { { ".glb", "model/gltf-binary" },
                 { ".mp4", "video/mp4" },
                 { ".png", "image/png" },
                 { ".zip", "application/zip" } };
    const char *ending = strrchr(path, '.');
    for (size_t i = 0; ending && i < sizeof rows / sizeof *rows; i++) {
        if (strcmp(rows[i].ending, ending) == 0) return rows[i].type;
    }
    return "application/octet-stream";
}

/* Takes the content over, whatever becomes of it. */
static marey_status keep(studio_worker *worker, const char *name, studio_bytes *content,
                         studio_bytes *result, marey_error *error)
{
    json_t *value = json_object();
    marey_status status = MAREY_OK;
    describe_put(&value, "name", json_string(name));
    describe_put(&value, "bytes", json_integer((json_int_t)content->count));
    if (bytes_add_json(result, value)) {
        status = jobs_keep_file(worker, name, type_of(name), content, error);
    } else {
        *error = (marey_error){ .status = MAREY_ERR_MEMORY, .message = "out of memory" };
        status = MAREY_ERR_MEMORY;
    }
    bytes_free(content);
    json_decref(value);
    return status;
}

marey_status export_file_keep(studio_worker *worker, const char *path, studio_bytes *result,
                              marey_error *error)
{
    studio_bytes content = { .memory = &worker->of->memory };
    if (!memory_files_take(worker->files, path, &content)) return MAREY_OK;
    return keep(worker, path, &content, result, error);
}

/* The archive is put together file by file, so that each is there twice for a moment only. */
static marey_status pack(studio_worker *worker, studio_bytes *out, marey_error *error)
{
    zip_writer zip = zip_begin(out);
    bool fits = true;
    while (fits && memory_files_count(worker->files) > 0) {
        char name[4096];
        studio_bytes content = { .memory = &worker->of->memory };
        snprintf(name, sizeof name, "%s", memory_files_name(worker->files, 0));
        fits = memory_files_take(worker->files, name, &content) &&
               content.count < LIMIT_FILES_BYTES && out->count < LIMIT_FILES_BYTES &&
               zip.count < UINT16_MAX;
        if (fits) zip_add(&zip, name, &content);
        bytes_free(&content);
    }
    bool whole = zip_end(&zip);
    if (fits && whole) return MAREY_OK;
    bytes_free(out);
    if (whole)
        return app_fail(error, MAREY_ERR_LIMIT, NULL,
                        "the files would be larger than 1 GiB together; export fewer clips");
    return app_fail_memory(error);
}

marey_status export_files_keep(studio_worker *worker, const char *name, const buffer *report,
                               studio_bytes *result, marey_error *error)
{
    studio_bytes content = { .memory = &worker->of->memory };
    char file[MAREY_NAME_ROOM + 8];
    marey_status status = MAREY_OK;
    int count = memory_files_count(worker->files);
    if (count == 0) { /* all of them failed, and the report says why */
        bytes_add(result, report->bytes, report->used);
        return app_check(result->failed, error);
    }
    if (count == 1) {
        const char *only = memory_files_name(worker->files, 0), *dot = strrchr(only, '.');
        char stem[MAREY_NAME_ROOM], path[4096];
        snprintf(path, sizeof path, "%s", only);
        snprintf(stem, sizeof stem, "%.*s", (int)(dot ? dot - only : (ptrdiff_t)strlen(only)),
                 only);
        export_file_name(stem, dot ? dot + 1 : "", file, sizeof file);
        memory_files_take(worker->files, path, &content);
    } else {
        export_file_name(name, "zip", file, sizeof file);
        status = pack(worker, &content, error);
    }
    if (status == MAREY_OK) status = keep(worker, file, &content, result, error);
    if (status != MAREY_OK || report->used <= 2) return status;
    result->count--; /* the report's fields come behind, in place of the brace */
    bytes_add(result, ",", 1);
    bytes_add(result, report->bytes + 1, report->used - 1);
    return app_check(result->failed, error);
}
