/* file_batch.c - clips are changed and written, several at a time: names are given and results noted in
   order, the work between is done by all threads. */
#include "file_batch.h"

#include "body_maps.h"
#include "file_text.h"
#include "folder.h"
#include "subjects.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { WAITING = 256, NAME_ROOM = 512, PATH_ROOM = 4096, WARNING_ROOM = 1024, NOTES_MIB = 64 };

/* ---- what lies in the folder ----------------------------------------------------------------- */

typedef struct app_batch_note {
    const char *name; /* of the file, below the folder; NULL: a free place */
    uint64_t stamp;   /* of what it was made of; 0: not known */
    bool taken;       /* by this run */
    bool is_input;    /* which is not written over */
} app_batch_note;

static const char notes_name[] = ".marey-made";

static uint64_t hash(uint64_t seed, const void *bytes, size_t count)
{
    const unsigned char *at = bytes;
    for (size_t i = 0; i < count; i++) seed = (seed ^ at[i]) * 1099511628211u;
    return seed;
}

static uint64_t hash_text(uint64_t seed, const char *text)
{
    return hash(seed, text, strlen(text) + 1);
}

static const uint64_t SEED = 14695981039346656037u;

/* The note of this name, or the place for it; NULL: no memory. */
static app_batch_note *find_note(app_batch *batch, const char *name)
{
    app_scope *scope = batch->env->scope;
    if (4 * batch->note_used >= 3 * batch->note_room) {
        int room = batch->note_room ? 2 * batch->note_room : 256;
        app_batch_note *old = batch->notes, *more = APP_NEW(scope, app_batch_note, room);
        int had = batch->note_room;
        if (!more) return NULL;
        batch->notes = more;
        batch->note_room = room;
        for (int i = 0; i < had; i++)
            if (old[i].name) *find_note(batch, old[i].name) = old[i];
    }
    size_t mask = (size_t)batch->note_room - 1, at = hash_text(SEED, name) & mask;
    while (batch->notes[at].name && strcmp(batch->notes[at].name, name) != 0) at = (at + 1) & mask;
    return &batch->notes[at];
}

static app_batch_note *take_note(app_batch *batch, const char *name)
{
    app_batch_note *note = find_note(batch, name);
    if (!note || note->name) return note;
    note->name = app_copy(batch->env->scope, name);
    if (!note->name) return NULL;
    batch->note_used++;
    return note;
}

/* Lines of a stamp and a name. What makes no sense was not made here, and is made again. */
static marey_status read_notes(app_batch *batch, marey_error *error)
{
    char path[PATH_ROOM];
    marey_error missing;
    buffer text = buffer_make(batch->env->scope->memory);
    marey_status status = folder_path(batch->folder, notes_name, "", path, sizeof path, error);
    if (status != MAREY_OK || access(path, R_OK) != 0) return status;
    status = app_file_text(batch->env->scope->memory, path, NOTES_MIB, "notes", &text, &missing);
    if (status == MAREY_ERR_MEMORY) *error = missing;
    for (char *line = status == MAREY_OK ? text.bytes : NULL; line && *line;) {
        char *end = strchr(line, '\n'), *name;
        if (!end) break;
        *end = 0;
        uint64_t stamp = strtoull(line, &name, 16);
        app_batch_note *note =
            name == line + 16 && *name == ' ' ? take_note(batch, name + 1) : NULL;
        if (note) note->stamp = stamp;
        line = end + 1;
    }
    buffer_free(&text);
    return status == MAREY_ERR_MEMORY ? status : MAREY_OK;
}

static void remove_notes(const app_batch *batch)
{
    char path[PATH_ROOM];
    marey_error ignored;
    if (folder_path(batch->folder, notes_name, "", path, sizeof path, &ignored) == MAREY_OK)
        unlink(path);
}

static int by_name(const void *a, const void *b)
{
    const app_batch_note *const *x = a, *const *y = b;
    return strcmp((*x)->name, (*y)->name);
}

static marey_status write_notes(app_batch *batch, marey_error *error)
{
    const app_batch_note **list =
        APP_NEW(batch->env->scope, const app_batch_note *, batch->note_used + 1);
    buffer text = buffer_make(batch->env->scope->memory);
    char path[PATH_ROOM];
    int count = 0;
    if (!list) return app_fail_memory(error);
    for (int i = 0; i < batch->note_room; i++)
        if (batch->notes[i].name && batch->notes[i].stamp) list[count++] = &batch->notes[i];
    if (count > 0) qsort(list, (size_t)count, sizeof *list, by_name);
    for (int i = 0; i < count; i++)
        buffer_print(&text, "%016llx %s\n", (unsigned long long)list[i]->stamp, list[i]->name);
    marey_status status = app_check(text.failed, error);
    if (status == MAREY_OK)
        status = folder_path(batch->folder, notes_name, "", path, sizeof path, error);
    if (status == MAREY_OK && count > 0)
        status = marey_file_save(batch->env->ctx, path, text.bytes, text.used, error);
    buffer_free(&text);
    return status;
}

/* The folder with the links in its path resolved, then a file's place below it; NULL: it is elsewhere. */
static const char *place_inside(const char *folder, const char *path, char *room)
{
    size_t length = strlen(folder);
    if (!realpath(path, room) || strncmp(room, folder, length) != 0) return NULL;
    return room[length] == '/' ? room + length + 1 : NULL;
}

marey_status app_batch_expect(app_batch *batch, const char *named, const char *path,
                              marey_error *error)
{
    char room[PATH_MAX], folder[PATH_MAX];
    const char *place = realpath(batch->folder, folder) ? place_inside(folder, path, room) : NULL;
    app_batch_note *note = place ? take_note(batch, place) : NULL;
    if (!place) return MAREY_OK;
    if (!note) return app_fail_memory(error);
    bool made_here =
        named &&
        (note->stamp || (realpath(named, room) && place_inside(room, batch->folder, folder)));
    note->is_input |= !made_here;
    return MAREY_OK;
}

bool app_batch_made(app_batch *batch, const char *path)
{
    char room[PATH_MAX], folder[PATH_MAX];
    const char *place = realpath(batch->folder, folder) ? place_inside(folder, path, room) : NULL;
    const app_batch_note *note = place ? find_note(batch, place) : NULL;
    return note && note->name && !note->is_input;
}

/* ---- names ----------------------------------------------------------------------------------- */

static const char *const fields[] = { "name", "subject", "folder", "number" };
enum { FIELD_NAME, FIELD_SUBJECT, FIELD_FOLDER, FIELD_NUMBER, FIELDS };

/* Which field begins here, "{name}"; FIELDS: none. */
static int field_at(const char *p)
{
    int field = 0;
    for (; field < FIELDS; field++) {
        size_t length = strlen(fields[field]);
        if (*p == '{' && strncmp(p + 1, fields[field], length) == 0 && p[length + 1] == '}') break;
    }
    return field;
}

marey_status app_pattern_check(const char *pattern, const char *dashes, marey_error *error)
{
    bool known = true, tells = false;
    for (const char *p = pattern; *p; p++) {
        int field = field_at(p);
        if (*p == '/' || *p == '}' || (*p == '{' && field == FIELDS)) known = false;
        if (field == FIELDS) continue;
        tells |= field == FIELD_NAME || field == FIELD_NUMBER;
        p += strlen(fields[field]) + 1;
    }
    if (known && tells && *pattern != '.') return MAREY_OK;
    return app_fail(error, MAREY_ERR_REQUEST, NULL,
                    "%sname must be made of {name}, {subject}, {folder}, {number} and other "
                    "characters, with {name} or {number}, got %.100s",
                    dashes, pattern);
}

static void expand(const app_batch *batch, const char *name, const char *folder, buffer *out)
{
    for (const char *p = batch->pattern ? batch->pattern : "{name}"; *p; p++) {
        int field = field_at(p);
        size_t subject = app_subject_length(name);
        if (field < FIELDS) p += strlen(fields[field]) + 1;
        switch (field) {
        case FIELD_NAME: buffer_text(out, name); break;
        case FIELD_SUBJECT: buffer_bytes(out, name, subject ? subject : strlen(name)); break;
        case FIELD_FOLDER: buffer_text(out, folder); break;
        case FIELD_NUMBER: buffer_print(out, "%04d", batch->number); break;
        default: buffer_byte(out, *p);
        }
    }
}

/* The last part of a path without its ending, and the folder that it lies in. */
static void part_path(const char *path, buffer *stem, buffer *folder)
{
    const char *slash = strrchr(path, '/'), *start = slash ? slash + 1 : path;
    const char *dot = strrchr(start, '.'), *above = slash;
    buffer_bytes(stem, start, dot && dot > start ? (size_t)(dot - start) : strlen(start));
    buffer_byte(stem, 0);
    while (above && above > path && above[-1] != '/') above--;
    if (slash) buffer_bytes(folder, above, (size_t)(slash - above));
    buffer_byte(folder, 0);
}

/* ---- the work -------------------------------------------------------------------------------- */

typedef struct app_batch_item {
    const char *from, *path, *origin;
    const char *name; /* of its note */
    marey_clip *clip; /* NULL: it is read from the file */
    app_map map;      /* of the clip and the batch's body */
    uint64_t stamp;
    bool skips_unknown, writing, unknown;
    bool replaces; /* its file was made here before */
    marey_status status;
    marey_error error;
    char warnings[WARNING_ROOM]; /* each with an ending zero, then another */
} app_batch_item;

static void keep_warnings(app_batch_item *item)
{
    const marey_report *report = marey_clip_report(item->clip);
    size_t used = 0;
    for (int i = 0; i < report->warning_count; i++) {
        if (app_is_remark(report, i)) continue;
        size_t length = strlen(report->warnings[i]) + 1;
        if (used + length + 1 > sizeof item->warnings) break;
        memcpy(item->warnings + used, report->warnings[i], length);
        used += length;
    }
    item->warnings[used] = 0;
}

static bool is_skeleton_only(const marey_clip *clip)
{
    const marey_format *format;
    for (int i = 0; (format = marey_format_find(i)); i++)
        if (strcmp(format->name, marey_clip_report(clip)->format) == 0)
            return format->skeleton_only;
    return false;
}

/* The second file that some formats have, of the same name: the ASF of an AMC. False: there is none. */
static bool second_path(const char *path, char room[PATH_ROOM + 32])
{
    const marey_format *format = marey_format_of(path);
    if (!format || !format->beside) return false;
    snprintf(room, PATH_ROOM + 32, "%.*s%s", (int)(strlen(path) - strlen(format->ending)), path,
             format->beside);
    return true;
}

static marey_status save(const app_batch *batch, const app_batch_item *item, const marey_clip *clip,
                         marey_error *error)
{
    char beside[PATH_ROOM + 32];
    /* One that was made here before may be another skeleton now, which would be refused. */
    if (item->replaces && second_path(item->path, beside)) unlink(beside);
    marey_status status = marey_clip_save_with(clip, item->path, item->origin, error);
    if (status != MAREY_OK || !batch->provenance || !item->origin) return status;
    const char *dot = strrchr(item->path, '.');
    snprintf(beside, sizeof beside, "%.*s.provenance.json", (int)(dot - item->path), item->path);
    return marey_file_save(batch->env->ctx, beside, item->origin, strlen(item->origin), error);
}

static void free_item(app_batch_item *item)
{
    marey_clip_free(item->clip);
    marey_body_map_free(&item->map.map);
    item->clip = NULL;
}

static void work(void *user, int64_t i)
{
    app_batch *batch = user;
    app_batch_item *item = &batch->items[i];
    marey_clip *changed = NULL;
    marey_status status = MAREY_OK;
    bool stored = item->clip; /* which warned when it came in */
    if (!stored) {
        marey_load_def def = app_reading_def(batch->reading);
        status = marey_motion_load(batch->env->ctx, item->from, &def, &item->clip, &item->error);
        item->unknown = status == MAREY_ERR_UNKNOWN_FORMAT ||
                        (status == MAREY_OK && is_skeleton_only(item->clip));
    }
    if (status == MAREY_OK && !(item->skips_unknown && item->unknown)) {
        app_env no_library = { .ctx = batch->env->ctx };
        if (!stored) keep_warnings(item);
        if (!stored && batch->body)
            status = app_map_read(&no_library, &batch->changes->map, item->clip, batch->body,
                                  &item->map, &item->error);
        if (status == MAREY_OK)
            status = app_changes_make(batch->changes, batch->body, app_map_used(&item->map),
                                      item->clip, &changed, &item->error);
        if (status != MAREY_OK)
            snprintf(item->error.path, sizeof item->error.path, "%.1000s", item->from);
        item->writing = status == MAREY_OK;
        if (status == MAREY_OK)
            status = save(batch, item, changed ? changed : item->clip, &item->error);
    }
    marey_clip_free(changed);
    free_item(item);
    item->status = status;
}

/* ---- in order -------------------------------------------------------------------------------- */

static void add_text(app_batch *batch, const char ***list, int *count, const char *text)
{
    const char **items = app_grow(batch->env->scope, *list, *count, sizeof *items);
    const char *kept = app_copy(batch->env->scope, text);
    batch->failed = batch->failed || !items || !kept;
    if (batch->failed) return;
    *list = items;
    items[(*count)++] = kept;
}

void app_batch_skip(app_batch *batch, const char *path)
{
    add_text(batch, &batch->skipped, &batch->skipped_count, path);
}

void app_batch_fail(app_batch *batch, const char *path, const marey_error *error)
{
    app_failures_add(batch->env, &batch->failures, path, error);
    batch->failed = batch->failed || batch->failures.failed;
}

/* Files of one source warn of the same things: each is said once. */
static void count_warning(app_batch *batch, const char *from, const char *text)
{
    app_batch_warning *items = batch->warnings;
    for (int i = 0; i < batch->warning_count; i++) {
        if (strcmp(items[i].text, text) != 0) continue;
        items[i].count++;
        return;
    }
    if (batch->warning_count == APP_MOST_BATCH_WARNINGS) {
        batch->more_warnings++;
        return;
    }
    app_batch_warning one = { from, app_copy(batch->env->scope, text), 1 };
    batch->failed = batch->failed || !one.text;
    if (one.text) items[batch->warning_count++] = one;
}

static void say_warnings(const app_batch *batch)
{
    for (int i = 0; i < batch->warning_count; i++) {
        const app_batch_warning *one = &batch->warnings[i];
        if (one->count == 1)
            app_warn(batch->env, "%s: warning: %s", one->from, one->text);
        else
            app_warn(batch->env, "%s and %d more: warning: %s", one->from, one->count - 1,
                     one->text);
    }
    if (batch->more_warnings > 0)
        app_warn(batch->env, "%d more warnings; marey info says those of a file",
                 batch->more_warnings);
}

/* Does what waits. Out of memory, cancelled and a disk that does not take a file end it all. */
static marey_status flush(app_batch *batch, marey_error *error)
{
    marey_status ended = MAREY_OK;
    int count = batch->waiting;
    if (batch->env->reads_files)
        marey_ctx_run(batch->env->ctx, count, work, batch);
    else /* files that are only in memory are written by one thread */
        for (int i = 0; i < count; i++) work(batch, i);
    batch->waiting = 0;
    for (int i = 0; i < count; i++) {
        app_batch_item *item = &batch->items[i];
        app_batch_note *note = take_note(batch, item->name);
        for (const char *text = item->warnings; *text; text += strlen(text) + 1)
            count_warning(batch, item->from, text);
        if (item->skips_unknown && item->unknown) {
            app_batch_skip(batch, item->from);
        } else if (item->status == MAREY_OK) {
            add_text(batch, &batch->files, &batch->file_count, item->path);
            if (note) note->stamp = item->stamp;
        } else if (app_failure_ends_all(&item->error) ||
                   (item->writing && marey_status_group(item->status) == MAREY_ERR_IO)) {
            if (ended == MAREY_OK) *error = item->error;
            if (ended == MAREY_OK) ended = item->status;
        } else {
            app_batch_fail(batch, item->from, &item->error);
        }
        if (item->status != MAREY_OK && note) note->stamp = 0;
    }
    app_progress(batch->env, "writing", batch->number, batch->total, -1);
    return ended == MAREY_OK ? app_check(batch->failed, error) : ended;
}

/* Every folder of a path below the one that is there. */
static marey_status make_folders(const app_batch *batch, const char *below, marey_error *error)
{
    char path[PATH_ROOM];
    marey_status status = MAREY_OK;
    for (const char *p = below; *p && status == MAREY_OK; p++) {
        if (*p != '/') continue;
        int length = snprintf(path, sizeof path, "%s/%.*s", batch->folder, (int)(p - below), below);
        if (length < 0 || (size_t)length >= sizeof path)
            return app_fail(error, MAREY_ERR_INPUT, below, "this name is too long");
        status = folder_make(path, error);
    }
    return status;
}

/* Gives it a name that no other of this run has, and lets it wait, unless its file is as it should
   be. The clip is the batch's, whatever becomes of it. */
static marey_status add(app_batch *batch, app_batch_item item, const char *below, const char *stem,
                        const char *folder, marey_error *error)
{
    char name_room[NAME_ROOM], path[PATH_ROOM];
    buffer text = buffer_fixed(name_room, sizeof name_room - 1);
    app_batch_note *note = NULL;
    struct stat about;
    batch->number++;
    expand(batch, stem, folder, &text);
    name_room[text.used] = 0;
    for (char *p = name_room; *p; p++)
        if (*p == '/') *p = '_';
    marey_status status = text.failed || *name_room == 0 || *name_room == '.'
                              ? app_fail(error, MAREY_ERR_INPUT, item.from,
                                         "no file can have the name %.100s", name_room)
                              : MAREY_OK;
    for (int again = 1; status == MAREY_OK && (!note || note->taken || note->is_input); again++) {
        char number[16] = "";
        if (again > 1) snprintf(number, sizeof number, "-%d", again);
        int length =
            snprintf(path, sizeof path, "%s%s%s.%s", below, name_room, number, batch->format);
        if (length < 0 || (size_t)length + strlen(batch->folder) + 2 > sizeof path)
            status = app_fail(error, MAREY_ERR_INPUT, item.from, "this name is too long");
        note = status == MAREY_OK ? take_note(batch, path) : NULL;
        if (status == MAREY_OK && !note) status = app_fail_memory(error);
    }
    if (status == MAREY_OK) {
        item.name = note->name;
        item.stamp = hash_text(item.stamp, note->name);
        item.stamp += item.stamp == 0;
        note->taken = true;
        if (batch->env->reads_files)
            snprintf(path, sizeof path, "%s/%s", batch->folder, note->name);
        else
            snprintf(path, sizeof path, "%s", note->name);
        char second[PATH_ROOM + 32];
        bool whole = batch->env->reads_files && stat(path, &about) == 0 && S_ISREG(about.st_mode) &&
                     (!second_path(path, second) || stat(second, &about) == 0);
        item.replaces = note->stamp != 0;
        if (note->stamp == item.stamp && whole) {
            free_item(&item);
            batch->up_to_date++;
            app_batch_skip(batch, item.from);
            return app_check(batch->failed, error);
        }
        /* If this run is killed, no note says of a file what is not true any more. */
        if (note->stamp) remove_notes(batch);
        item.path = app_copy(batch->env->scope, path);
        item.from = app_copy(batch->env->scope, item.from);
        if (!item.path || !item.from) status = app_fail_memory(error);
    }
    if (status == MAREY_OK) status = make_folders(batch, below, error);
    if (status != MAREY_OK) {
        free_item(&item);
        if (app_failure_ends_all(error) || marey_status_group(status) == MAREY_ERR_IO)
            return status;
        app_batch_fail(batch, item.from, error);
        return app_check(batch->failed, error);
    }
    batch->items[batch->waiting++] = item;
    return batch->waiting == WAITING ? flush(batch, error) : MAREY_OK;
}

/* Of what changes a file besides what it is made of. */
static uint64_t stamp_settings(const app_batch *batch)
{
    uint64_t stamp = hash_text(SEED, marey_version());
    stamp = hash_text(stamp, batch->settings ? batch->settings : "");
    stamp = hash_text(stamp, batch->changes->map.text ? batch->changes->map.text : "");
    static const app_reading none = { 0 };
    const app_reading *reading = batch->reading ? batch->reading : &none;
    const app_changes *changes = batch->changes;
    stamp = hash_text(stamp, reading->take ? reading->take : "");
    stamp = hash_text(stamp, reading->skeleton ? reading->skeleton : "");
    const double numbers[] = { changes->mirror, changes->in_place,   changes->scale,
                               changes->fps,    changes->engine,     changes->out_units,
                               changes->out_up, batch->provenance,   reading->units,
                               reading->up,     reading->source_fps, reading->skip_first };
    return hash(stamp, numbers, sizeof numbers);
}

marey_status app_batch_open(app_batch *batch, marey_error *error)
{
    batch->items = APP_NEW(batch->env->scope, app_batch_item, WAITING);
    if (!batch->items) return app_fail_memory(error);
    bool folders = batch->env->reads_files;
    marey_status status = folders ? folder_make(batch->folder, error) : MAREY_OK;
    if (status == MAREY_OK && batch->changes->onto.clip)
        status = app_body_read(batch->env, &batch->changes->onto, &batch->body, error);
    return status == MAREY_OK && folders ? read_notes(batch, error) : status;
}

marey_status app_batch_file(app_batch *batch, const char *path, const char *below,
                            bool skips_unknown, marey_error *error)
{
    char stem_room[NAME_ROOM], folder_room[NAME_ROOM];
    buffer stem = buffer_fixed(stem_room, sizeof stem_room);
    buffer folder = buffer_fixed(folder_room, sizeof folder_room);
    struct stat about = { 0 };
    app_batch_item item = { .from = path, .skips_unknown = skips_unknown };
    buffer origin = buffer_make(batch->env->scope->memory);
    json out = json_make(&origin);
    json_open(&out, NULL, '{');
    json_put_string(&out, "made_by", "convert");
    json_put_string(&out, "version", marey_version());
    json_put_string(&out, "file", path);
    json_close(&out, '}');
    buffer_byte(&origin, 0);
    part_path(path, &stem, &folder);
    item.origin = origin.failed ? NULL : app_copy(batch->env->scope, origin.bytes);
    buffer_free(&origin);
    if (!item.origin) return app_fail_memory(error);
    if (stem.failed || folder.failed) {
        app_fail(error, MAREY_ERR_INPUT, path, "this name is too long");
        app_batch_fail(batch, path, error);
        return app_check(batch->failed, error);
    }
    if (stat(path, &about) == 0) {
        const int64_t numbers[] = { about.st_size, about.st_mtim.tv_sec, about.st_mtim.tv_nsec };
        item.stamp = hash(hash_text(stamp_settings(batch), path), numbers, sizeof numbers);
    }
    return add(batch, item, below, stem_room, folder_room, error);
}

marey_status app_batch_clip(app_batch *batch, const char *name, marey_clip *clip,
                            const char *origin, marey_error *error)
{
    enum { FRAMES_AT_ONCE = 64 };
    int joints = marey_clip_skeleton(clip)->joint_count, frames = marey_clip_frames(clip);
    app_scope scope = app_scope_open(batch->env->scope->memory);
    float *places = APP_NEW(&scope, float, (size_t)FRAMES_AT_ONCE *(size_t)joints * 3);
    app_batch_item item = { .from = name, .clip = clip };
    char path[PATH_ROOM];
    if (places && folder_path(batch->folder, name, "", path, sizeof path, error) != MAREY_OK) {
        app_batch_fail(batch, name, error); /* only a library has such a name that no marey made */
        app_scope_close(&scope);
        marey_clip_free(clip);
        return app_check(batch->failed, error);
    }
    item.origin = origin ? app_copy(batch->env->scope, origin) : NULL;
    if (!places || (origin && !item.origin)) {
        app_scope_close(&scope);
        marey_clip_free(clip);
        return app_fail_memory(error);
    }
    item.stamp = hash_text(hash_text(stamp_settings(batch), name), origin ? origin : "");
    if (batch->body && app_map_read(batch->env, &batch->changes->map, clip, batch->body, &item.map,
                                    error) != MAREY_OK) {
        app_scope_close(&scope);
        free_item(&item);
        if (app_failure_ends_all(error)) return error->status;
        app_batch_fail(batch, name, error);
        return app_check(batch->failed, error);
    }
    item.stamp =
        hash(item.stamp, item.map.map.pairs, (size_t)item.map.map.count * sizeof(marey_joint_pair));
    for (int f = 0; f < frames; f += FRAMES_AT_ONCE) {
        int count = frames - f < FRAMES_AT_ONCE ? frames - f : FRAMES_AT_ONCE;
        marey_clip_positions_float(clip, f, count, places);
        item.stamp = hash(item.stamp, places, (size_t)count * (size_t)joints * 3 * sizeof *places);
    }
    app_scope_close(&scope);
    return add(batch, item, "", name, "", error);
}

marey_status app_batch_close(app_batch *batch, marey_status status, marey_error *error)
{
    marey_error late;
    if (status == MAREY_OK) status = flush(batch, error);
    say_warnings(batch);
    for (int i = 0; i < batch->waiting; i++) free_item(&batch->items[i]);
    /* What was made is noted also where the rest was not, or was given up. */
    marey_ctx *ctx = batch->env->ctx;
    if (status != MAREY_OK) {
        app_time_out(ctx, error);
        status = error->status;
    }
    if (batch->number > 0 && batch->env->reads_files) {
        if (marey_ctx_timed_out(ctx)) marey_ctx_limit_time(ctx, 0); /* this is all that is left */
        bool cancelled = marey_ctx_cancelled(ctx);
        if (cancelled) marey_ctx_resume(ctx);
        marey_status noted = write_notes(batch, status == MAREY_OK ? error : &late);
        if (cancelled) marey_ctx_cancel(ctx);
        if (status == MAREY_OK) status = noted;
    }
    return status;
}

static void write_texts(json *out, const char *key, const char *const *texts, int count)
{
    json_open(out, key, '[');
    for (int i = 0; i < count; i++) json_put_string(out, NULL, texts[i]);
    json_close(out, ']');
}

void app_batch_write(const app_batch *batch, json *out)
{
    write_texts(out, "files", batch->files, batch->file_count);
    write_texts(out, "skipped", batch->skipped, batch->skipped_count);
    json_put_integer(out, "up_to_date", batch->up_to_date);
    app_failures_write_as(&batch->failures, "failed", out);
    json_open(out, "warnings", '[');
    for (int i = 0; i < batch->warning_count; i++) {
        const app_batch_warning *one = &batch->warnings[i];
        json_open(out, NULL, '{');
        json_put_string(out, "message", one->text);
        json_put_integer(out, "count", one->count);
        json_put_string(out, "path", one->from);
        json_close(out, '}');
    }
    json_close(out, ']');
}
