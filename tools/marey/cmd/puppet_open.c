/* puppet_open.c - where puppets come from and go to. */
#include "puppet_open.h"

#include "graph_open.h"
#include "input.h"
#include "param_family.h"
#include "text_file.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { LARGEST_FILE_MIB = 1024 };

static const char ENDING[] = ".puppet";

/* ---- places -------------------------------------------------------------------------------------------- */

static bool is_there(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0;
}

void puppet_place_of(const request *asked, const char *text, puppet_place *out)
{
    const char *library = asked->values[OPTION_LIBRARY];
    const char *name = shelf_target(text, out->room, sizeof out->room);
    bool is_file = !library || (path_ends_in(text, ENDING) && is_there(text));
    out->make = false;
    out->library = name ? out->room : is_file ? NULL : library;
    out->name = name ? name : text;
}

bool is_clip_file(const char *path)
{
    const marey_format *row;
    for (int i = 0; (row = marey_format_find(i)); i++) {
        if (path_ends_in(path, row->ending)) return true;
    }
    return false;
}

/* What no puppet should be called: somebody meant a file. */
static bool looks_like_file(const char *text)
{
    return strchr(text, '/') || path_ends_in(text, ".csv") || path_ends_in(text, ".marey") ||
           path_ends_in(text, ".txt") || is_clip_file(text);
}

int puppet_place_to(session *run, const request *asked, puppet_place *out)
{
    const char *text = asked->values[OPTION_OUTPUT], *library = asked->values[OPTION_LIBRARY];
    if (!text || !*text) {
        return session_usage(run, "-o is needed: a file NAME.puppet, LIB.marey:NAME, or with -L "
                                  "LIB a name");
    }
    const char *name = shelf_target(text, out->room, sizeof out->room);
    bool is_file = !name && path_ends_in(text, ENDING);
    if (!name && !is_file && (!library || looks_like_file(text))) {
        return session_usage(run,
                             "-o takes a file that ends in .puppet, LIB.marey:NAME, or with -L "
                             "LIB a name, not \"%.300s\"",
                             text);
    }
    out->make = name != NULL;
    out->library = name ? out->room : is_file ? NULL : library;
    out->name = name ? name : text;
    return PROGRAM_DONE;
}

void buffer_puppet(buffer *out, const puppet_place *at)
{
    if (at->library) {
        buffer_shown(out, at->library);
        buffer_byte(out, ':');
    }
    buffer_shown(out, at->name);
}

void puppet_called(const puppet_place *at, char *name, size_t room)
{
    const char *slash = at->library ? NULL : strrchr(at->name, '/');
    const char *last = slash ? slash + 1 : at->name;
    size_t length = strlen(last);
    if (!at->library && path_ends_in(last, ENDING)) length -= strlen(ENDING);
    snprintf(name, room, "%.*s", (int)(length < room ? length : room - 1), last);
}

/* ---- opening -------------------------------------------------------------------------------------------- */

static bool begins_with(const buffer *text, const char *start)
{
    size_t length = strlen(start);
    return text->used > length && memcmp(text->bytes, start, length) == 0;
}

bool puppet_is_bytes(const buffer *text)
{
    return begins_with(text, "MRYQ");
}

static marey_status refuse_file(const buffer *text, const char *path, marey_error *error)
{
    if (begins_with(text, "SQLite format 3")) {
        return fail_graph(error, MAREY_ERR_INPUT, path,
                          "this is a library, not a puppet; %.300s:NAME is one that it keeps, and "
                          "marey puppet ls lists them",
                          path);
    }
    return fail_graph(error, MAREY_ERR_INPUT, path,
                      "this is no trained puppet; marey puppet train makes one out of a table of "
                      "paths");
}

/* Takes `sources` over. */
static marey_status take_origin(puppet_origin *origin, marey_puppet_sources *sources,
                                marey_error *error)
{
    puppet_origin_take(origin, sources);
    marey_puppet_sources_free(sources);
    return origin->texts.failed ? fail_for_memory(error) : MAREY_OK;
}

/* The bytes have a zero behind them. */
static marey_status read_file(session *run, const char *path, marey_puppet **out,
                              puppet_origin *origin, marey_error *error)
{
    buffer text = buffer_make(&run->host->def);
    marey_puppet_sources *sources = NULL;
    marey_status status = text_file_read(run, path, LARGEST_FILE_MIB, "a puppet", &text, error);
    if (status != MAREY_OK) {
        explain_missing(path, "with -L LIB it would be one that a library keeps", error);
    } else if (!puppet_is_bytes(&text)) {
        status = refuse_file(&text, path, error);
    } else {
        const uint8_t *bytes = (const uint8_t *)text.bytes;
        status = marey_puppet_sources_read(run->ctx, bytes, text.used - 1, &sources, error);
        if (status == MAREY_OK) status = take_origin(origin, sources, error);
        if (status == MAREY_OK)
            status = marey_puppet_read(run->ctx, bytes, text.used - 1, out, error);
        if (marey_status_group(status) == MAREY_ERR_INPUT)
            snprintf(error->path, sizeof error->path, "%.1000s", path);
    }
    buffer_free(&text);
    return status;
}

void puppet_explain(marey_error *error)
{
    shelf_hint("puppet", "train", error);
}

static marey_status find_about(marey_library *library, const char *name, buffer *about,
                               marey_error *error)
{
    marey_kept *kept = NULL;
    int count;
    marey_status status = marey_library_kept(library, MAREY_KEPT_PUPPET, name, &kept, error);
    if (status != MAREY_OK) return status;
    buffer_text(about, marey_kept_entries(kept, &count)->about);
    buffer_byte(about, 0);
    marey_kept_free(kept);
    return MAREY_OK;
}

marey_status puppet_open(session *run, const puppet_place *at, marey_puppet **out, buffer *about,
                         puppet_origin *origin, marey_error *error)
{
    shelf from;
    marey_puppet_sources *sources = NULL;
    if (!at->library) {
        if (about) buffer_byte(about, 0);
        return read_file(run, at->name, out, origin, error);
    }
    marey_status status = shelf_open(run, at->library, MAREY_LIBRARY_READ, &from, error);
    if (status != MAREY_OK) return status;
    status = marey_library_puppet(from.library, at->name, out, error);
    if (status != MAREY_OK) puppet_explain(error);
    if (status == MAREY_OK && about) status = find_about(from.library, at->name, about, error);
    if (status == MAREY_OK)
        status = marey_library_puppet_sources(from.library, at->name, &sources, error);
    if (status == MAREY_OK) status = take_origin(origin, sources, error);
    shelf_close(&from, true);
    return status;
}

/* ---- keeping --------------------------------------------------------------------------------------------- */

static marey_status save_file(session *run, const char *path, const marey_puppet *puppet,
                              const marey_puppet_source *sources, int count, marey_error *error)
{
    uint8_t *bytes = NULL;
    size_t size = 0;
    marey_status status = marey_puppet_write_from(puppet, sources, count, &bytes, &size, error);
    if (status == MAREY_OK) status = marey_file_save(run->ctx, path, bytes, size, error);
    marey_graph_bytes_free(run->ctx, bytes, size);
    return status;
}

static marey_status save_kept(session *run, const puppet_place *to, const marey_puppet *puppet,
                              const marey_puppet_source *sources, int count,
                              const marey_part *parts, int part_count, const char *about,
                              marey_error *error)
{
    shelf at;
    marey_status status = shelf_open(
        run, to->library, to->make ? MAREY_LIBRARY_CREATE : MAREY_LIBRARY_WRITE, &at, error);
    if (status != MAREY_OK) return status;
    status = marey_library_keep_puppet_from(at.library, to->name, puppet, sources, count, parts,
                                            part_count, about, error);
    shelf_close(&at, status == MAREY_OK);
    return status;
}

marey_status puppet_keep(session *run, const puppet_place *to, const marey_puppet *puppet,
                         const puppet_origin *origin, const marey_part *parts, int part_count,
                         const char *about, marey_error *error)
{
    int count = origin->count;
    marey_puppet_source *sources = puppet_origin_list(origin, run);
    if (count > 0 && !sources) return fail_for_memory(error);
    marey_status status =
        to->library ? save_kept(run, to, puppet, sources, count, parts, part_count, about, error)
                    : save_file(run, to->name, puppet, sources, count, error);
    session_resize(run, sources, (size_t)count * sizeof *sources, 0);
    return status;
}

/* ---- files that are written ---------------------------------------------------------------------------- */

bool is_same_file(const char *a, const char *b)
{
    struct stat one, other;
    return stat(a, &one) == 0 && stat(b, &other) == 0 && one.st_dev == other.st_dev &&
           one.st_ino == other.st_ino;
}

int refuse_overwriting(session *run, const char *option, const char *path, char **read, int count)
{
    for (int i = 0; i < count && path; i++) {
        if (strcmp(path, read[i]) != 0 && !is_same_file(path, read[i])) continue;
        return session_usage(run, "%s would overwrite %.300s, which is read; take another name",
                             option, read[i]);
    }
    return PROGRAM_DONE;
}

void explain_missing(const char *path, const char *advice, marey_error *error)
{
    size_t used = strlen(error->message);
    if (marey_status_group(error->status) != MAREY_ERR_INPUT || is_there(path)) return;
    snprintf(error->message + used, sizeof error->message - used, "; %s", advice);
}
