/* library_file.c - what the commands that use a library share. */
#include "library_file.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_nothing(const char *path)
{
    struct stat about;
    return lstat(path, &about) != 0 && errno == ENOENT;
}

marey_status library_file_open(session *run, const char *path, marey_library_mode mode,
                               library_file *out, marey_error *error)
{
    library_file at = { .run = run, .path = path };
    at.is_new = mode == MAREY_LIBRARY_CREATE && is_nothing(path);
    marey_status status = marey_library_open(run->ctx, path, mode, &at.library, error);
    if (status == MAREY_OK) *out = at;
    return status;
}

static bool is_empty(marey_library *library)
{
    int found = 0;
    for (int removed = 0; removed < 2; removed++) {
        int count = 1; /* what cannot be looked at is not called empty */
        if (marey_library_count(library, removed, &count, NULL) != MAREY_OK) count = 1;
        found += count;
    }
    return found == 0;
}

void library_file_close(library_file *at, bool keep)
{
    char log[4096];
    bool remove = !keep && at->is_new && at->library && is_empty(at->library);
    marey_library_close(at->library);
    at->library = NULL;
    /* The last one to close a library removes the log beside it: while there is one, it is in
       use. */
    bool fits = remove && (size_t)snprintf(log, sizeof log, "%s-wal", at->path) < sizeof log;
    if (fits && is_nothing(log)) unlink(at->path);
}

int library_file_end(library_file *at, marey_status status, marey_error *error)
{
    session *run = at->run;
    library_file_close(at, status == MAREY_OK);
    if (status == MAREY_OK) return session_finish(run, PROGRAM_DONE);
    run->out.used = 0;
    return session_fail(run, error);
}

void licence_say(session *run, const char *name, const char *licence)
{
    if (run->quiet || !marey_licence_is_non_commercial(licence)) return;
    session_say(run, "%s: for non-commercial use only: its licence is %s", name, licence);
}

marey_status provenance_save(session *run, const char *path, const char *text, size_t count,
                             marey_error *error)
{
    char beside[4096 + 32];
    int length = snprintf(beside, sizeof beside, "%s.provenance.json", path);
    if (length < 0 || (size_t)length >= sizeof beside) {
        return app_fail(error, MAREY_ERR_INPUT, path, "this name is too long");
    }
    return marey_file_save(run->ctx, beside, text, count, error);
}

const char *format_ending(const char *format)
{
    const marey_format *row;
    for (int i = 0; (row = marey_format_find(i)); i++) {
        if (strcmp(row->name, format) == 0) return row->ending;
    }
    return NULL;
}

int shown_width(const char *text)
{
    int width = 0;
    for (; *text; text++) width += ((unsigned char)*text & 0xc0) != 0x80;
    return width;
}

void buffer_clips(buffer *out, int64_t count)
{
    buffer_print(out, "%lld clip%s", (long long)count, count == 1 ? "" : "s");
}

void buffer_fits(buffer *out, const marey_parts *parts, int width)
{
    int count = 0;
    double reach = 0, slide = 0;
    for (int i = 0; i < parts->count; i++) {
        const marey_fit *fit = &parts->fits[i];
        if (!fit->retargeted) continue;
        count += i == 0 || parts->parts[i].clip != parts->parts[i - 1].clip;
        reach = fmax(reach, fit->how.reach_percent);
        slide = fmax(slide, fit->how.clean.slide_after_cm);
    }
    if (count == 0) return;
    buffer_print(out, "  %-*s", width, "retargeted");
    buffer_clips(out, count);
    buffer_named(out, " onto the body of ", parts->names[0].name, "");
    buffer_print(out, ": reach error %.1f %%, foot slide %.2f cm at most\n", reach, slide);
}

void buffer_distance(buffer *out, double distance, const char *unit)
{
    size_t length = strlen(unit);
    if (length > 1 && unit[length - 1] == '2')
        buffer_print(out, "%.4g %.*s RMS (%.4g %s)", sqrt(distance), (int)length - 1, unit,
                     distance, unit);
    else
        buffer_print(out, "%.6g%s%s", distance, *unit ? " " : "", unit);
}
