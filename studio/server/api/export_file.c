/* export_file.c - what jobs that make files share. */
#include "export_file.h"

#include "describe.h"

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
                 { ".png", "image/png" } };
    const char *ending = strrchr(path, '.');
    for (size_t i = 0; ending && i < sizeof rows / sizeof *rows; i++) {
        if (strcmp(rows[i].ending, ending) == 0) return rows[i].type;
    }
    return "application/octet-stream";
}

marey_status export_file_keep(studio_worker *worker, const char *path, studio_bytes *result,
                              marey_error *error)
{
    studio_bytes content = { .memory = &worker->of->memory };
    marey_status status = MAREY_OK;
    if (!memory_files_take(worker->files, path, &content)) return MAREY_OK;
    json_t *value = json_object();
    describe_put(&value, "name", json_string(path));
    describe_put(&value, "bytes", json_integer((json_int_t)content.count));
    if (bytes_add_json(result, value)) {
        status = jobs_keep_file(worker, path, type_of(path), &content, error);
    } else {
        *error = (marey_error){ .status = MAREY_ERR_MEMORY, .message = "out of memory" };
        status = MAREY_ERR_MEMORY;
    }
    bytes_free(&content);
    json_decref(value);
    return status;
}
