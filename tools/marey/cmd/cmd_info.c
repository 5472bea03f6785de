/* cmd_info.c - `marey info`: files are read several at a time and reported in the order given, a
   batch at a time, so that memory does not grow with their number. */
#include "clip_info.h"
#include "commands.h"
#include "failures.h"
#include "folder.h"

#include <string.h>

enum { FEW_FILES = 8, BATCH_PER_THREAD = 2 };

/* ---- for people to read ------------------------------------------------------------------------- */

enum { COLUMNS = 96, INDENT = 12 };

static void begin_line(buffer *out, const char *label)
{
    buffer_print(out, "  %-*s", INDENT - 2, label);
}

static void write_rate(buffer *out, const marey_clip *clip)
{
    const marey_report *report = marey_clip_report(clip);
    double fps = marey_clip_fps(clip);
    int frames = marey_clip_frames(clip);
    begin_line(out, "frames");
    buffer_print(out, "%d at %.6g a second, %.2f s", frames, fps, marey_clip_seconds(clip));
    if (report->claimed_fps > 0 && report->claimed_fps != fps) {
        buffer_print(out, " (the file claims %.6g)", report->claimed_fps);
    }
    buffer_byte(out, '\n');
    if (report->flight_fps <= 0) return;
    begin_line(out, "flight");
    buffer_print(out, "%d in free fall; gravity speaks for %.4g frames a second\n",
                 report->flight_count, report->flight_fps);
}

static void write_skeleton(buffer *out, const marey_clip *clip)
{
    const marey_skeleton *skeleton = marey_clip_skeleton(clip);
    const marey_report *report = marey_clip_report(clip);
    begin_line(out, "skeleton");
    buffer_print(out, "%d joints, %d channels", skeleton->joint_count, skeleton->channel_count);
    if (report->height_cm > 0) buffer_print(out, ", %.4g cm tall", report->height_cm);
    buffer_byte(out, '\n');
    begin_line(out, "units");
    buffer_print(out, "%s: %s\n", marey_units_name(marey_clip_units(clip)), report->units_why);
    begin_line(out, "up");
    buffer_print(out, "%s: %s\n", marey_clip_up(clip) == MAREY_UP_Z ? "z" : "y", report->up_why);
}

/* As many "role=Joint" on a line as fit. */
static void write_roles(buffer *out, const marey_skeleton *skeleton)
{
    int column = COLUMNS, known = 0;
    begin_line(out, "roles");
    for (int role = 0; role < MAREY_ROLE_COUNT; role++) known += skeleton->roles[role] >= 0;
    if (known == 0) {
        buffer_text(out, "none found\n");
        return;
    }
    buffer_print(out, "%d of %d, from %s", known, (int)MAREY_ROLE_COUNT, skeleton->roles_from);
    for (int role = 0; role < MAREY_ROLE_COUNT; role++) {
        int joint = skeleton->roles[role];
        if (joint < 0) continue;
        const char *name = marey_role_name((marey_role)role), *to = skeleton->joints[joint].name;
        int width = (int)(strlen(name) + strlen(to)) + 2;
        if (column + width > COLUMNS) {
            buffer_byte(out, '\n');
            buffer_blanks(out, INDENT);
            column = INDENT;
        } else {
            buffer_byte(out, ' ');
        }
        buffer_print(out, "%s=", name);
        buffer_shown(out, to);
        column += width;
    }
    buffer_byte(out, '\n');
}

static void write_notes(buffer *out, const marey_clip *clip)
{
    const marey_report *report = marey_clip_report(clip);
    int count;
    const marey_mark *marks = marey_clip_marks(clip, &count);
    for (int i = 0; i < count; i++) {
        begin_line(out, i ? "" : "marks");
        buffer_print(out, "%s: frames %d-%d\n", marey_mark_name(marks[i].kind), marks[i].start,
                     marks[i].end);
    }
    for (int i = 0; i < report->warning_count; i++) {
        begin_line(out, i ? "" : "warnings");
        buffer_shown(out, report->warnings[i]);
        buffer_byte(out, '\n');
    }
}

static void info_report(buffer *out, const char *path, const marey_clip *clip)
{
    buffer_shown(out, marey_clip_name(clip));
    buffer_text(out, "  (");
    buffer_shown(out, path);
    buffer_print(out, ", %s)\n", marey_clip_report(clip)->format);
    write_rate(out, clip);
    write_skeleton(out, clip);
    write_roles(out, marey_clip_skeleton(clip));
    write_notes(out, clip);
}

static void info_table_head(buffer *out)
{
    buffer_text(out,
                "  frames       fps   seconds joints units up height_cm marks warnings  file\n");
}

static void info_table_line(buffer *out, const char *path, const marey_clip *clip)
{
    const marey_report *report = marey_clip_report(clip);
    int marks;
    marey_clip_marks(clip, &marks);
    buffer_print(out, "%8d %9.6g %9.2f %6d %5s %2s %9.1f %5d %8d  ", marey_clip_frames(clip),
                 marey_clip_fps(clip), marey_clip_seconds(clip),
                 marey_clip_skeleton(clip)->joint_count, marey_units_name(marey_clip_units(clip)),
                 marey_clip_up(clip) == MAREY_UP_Z ? "z" : "y", report->height_cm, marks,
                 report->warning_count);
    buffer_shown(out, path);
    buffer_byte(out, '\n');
}

/* ---- files ---------------------------------------------------------------------------------------- */

typedef struct job {
    found file;
    marey_clip *clip; /* NULL if it could not be read */
    marey_error error;
} job;

typedef struct info {
    session *run;
    marey_load_def reading;
    marey_library *library; /* of -L; NULL: names are files */
    found_list list;
    bool as_table;
    job *jobs;
    int job_room;
    int job_count;
    int64_t reported;
    int64_t skipped_count;
    json clips;     /* writes into run->out */
    buffer skipped; /* with --json the array's values, else lines */
    json skipped_to;
    failures errors;
    int status; /* if nothing more can be done */
} info;

/* ---- reading --------------------------------------------------------------------------------- */

static void read_one(void *user, int64_t i)
{
    info *all = user;
    job *one = &all->jobs[i];
    one->clip = NULL;
    if (one->file.kind == FOUND_SPECIAL) return;
    if (one->file.kind == FOUND_UNREADABLE) {
        found_error(&one->file, &one->error);
        return;
    }
    if (all->library) {
        marey_library_load(all->library, one->file.path, &one->clip, &one->error);
        return;
    }
    marey_clip_load(all->run->ctx, one->file.path, &all->reading, &one->clip, &one->error);
}

/* ---- reporting ------------------------------------------------------------------------------- */

static void report_clip(info *all, const job *one)
{
    buffer *out = &all->run->out;
    if (all->run->json) {
        json_open(&all->clips, NULL, '{');
        app_info_write(one->clip, one->file.path, &all->clips);
        json_close(&all->clips, '}');
    } else if (all->as_table) {
        if (all->reported == 0) info_table_head(out);
        info_table_line(out, one->file.path, one->clip);
    } else {
        if (all->reported > 0) buffer_byte(out, '\n');
        info_report(out, one->file.path, one->clip);
    }
    all->reported++;
}

static bool is_skipped(const job *one)
{
    if (one->file.kind == FOUND_SPECIAL) return true;
    return one->file.kind == FOUND_IN_FOLDER && one->error.status == MAREY_ERR_UNKNOWN_FORMAT;
}

static void report_skipped(info *all, const job *one)
{
    all->skipped_count++;
    if (all->run->json) {
        json_put_string(&all->skipped_to, NULL, one->file.path);
    } else if (!all->as_table) {
        buffer_text(&all->skipped, "skipped: ");
        buffer_shown(&all->skipped, one->file.path);
        buffer_byte(&all->skipped, '\n');
    }
}

/* Returns false if nothing more can be done, the run having failed. */
static bool report_error(info *all, const job *one)
{
    if (failure_ends_all(&one->error)) {
        all->status = session_fail(all->run, &one->error);
        return false;
    }
    /* What came before it is shown before it. */
    if (!all->run->json && !session_flush(all->run)) {
        all->status = PROGRAM_MACHINE;
        return false;
    }
    failures_add(&all->errors, one->file.path, &one->error);
    return true;
}

static bool report_one(info *all, const job *one)
{
    if (one->clip) {
        report_clip(all, one);
    } else if (is_skipped(one)) {
        report_skipped(all, one);
    } else {
        return report_error(all, one);
    }
    return true;
}

/* ---- batches --------------------------------------------------------------------------------- */

static bool do_batch(info *all)
{
    bool goes_on = true;
    if (all->library) {
        /* A library may be used from one thread at a time. */
        for (int i = 0; i < all->job_count; i++) read_one(all, i);
    } else {
        marey_ctx_run(all->run->ctx, all->job_count, read_one, all);
    }
    for (int i = 0; i < all->job_count; i++) {
        if (goes_on) goes_on = report_one(all, &all->jobs[i]);
        marey_clip_free(all->jobs[i].clip);
    }
    /* A JSON object goes out in one piece at the end, so that a failure can take its place. */
    if (goes_on && !all->run->json && !session_flush(all->run)) {
        all->status = PROGRAM_MACHINE;
        goes_on = false;
    }
    return goes_on;
}

static bool do_all(info *all)
{
    size_t offset = 0;
    int64_t done = 0;
    found file;
    while (found_next(&all->list, &offset, &file)) {
        all->jobs[all->job_count++].file = file;
        if (all->job_count < all->job_room && offset < all->list.records.used) continue;
        session_progress(all->run, "reading files", done, all->list.count);
        if (!do_batch(all)) return false;
        done += all->job_count;
        all->job_count = 0;
    }
    return true;
}

static int finish(info *all)
{
    session *run = all->run;
    if (run->json) {
        json_close(&all->clips, ']');
        json_put_array_of(&all->clips, "skipped", &all->skipped);
        json_put_array_of(&all->clips, "errors", &all->errors.values);
        json_close(&all->clips, '}');
        buffer_byte(&run->out, '\n');
    } else if (all->as_table && all->skipped_count > 0) {
        buffer_print(&run->out, "skipped: %lld of no known format (--long lists them)\n",
                     (long long)all->skipped_count);
    } else {
        if (all->skipped.failed) run->out.failed = true;
        buffer_bytes(&run->out, all->skipped.bytes, all->skipped.used);
    }
    return session_finish(run, all->errors.status);
}

static int read_and_report(info *all)
{
    session *run = all->run;
    int64_t most = (int64_t)marey_ctx_threads(run->ctx) * BATCH_PER_THREAD;
    all->job_room = (int)(all->list.count < most ? all->list.count : most);
    if (all->job_room < 1) all->job_room = 1;
    size_t bytes = (size_t)all->job_room * sizeof(job);
    all->jobs = session_resize(run, NULL, 0, bytes);
    if (!all->jobs) return session_fail_memory(run);
    if (run->json) {
        json_open(&all->clips, NULL, '{');
        json_open(&all->clips, "clips", '[');
    }
    /* With several files the library would report from several threads at once. */
    run->own_progress = all->list.count > 1;
    int status = do_all(all) ? finish(all) : all->status;
    session_resize(run, all->jobs, bytes, 0);
    return status;
}

static marey_status find_files(info *all, const request *asked)
{
    marey_status status = MAREY_OK;
    for (int i = 0; i < asked->operand_count && status == MAREY_OK; i++) {
        status = all->library ? found_add_name(&all->list, asked->operands[i])
                              : folder_walk(&all->run->host->def, asked->operands[i], &all->list);
    }
    all->as_table = all->list.count > FEW_FILES && !request_has(asked, OPTION_LONG);
    return status;
}

/* None of these options is for the clips of -L, which were read when they were added. */
static int read_options(info *all, session *run, const request *asked)
{
    static const struct {
        option_key key;
        const char *name;
    } reading[] = { { OPTION_UNITS, "units" },
                    { OPTION_UP, "up" },
                    { OPTION_SOURCE_FPS, "source-fps" },
                    { OPTION_SKIP_FIRST, "skip-first" },
                    { OPTION_SKELETON, "skeleton" } };
    marey_load_def *out = &all->reading;
    *out = (marey_load_def){ .skip_first = request_has(asked, OPTION_SKIP_FIRST),
                             .skeleton_path = asked->values[OPTION_SKELETON] };
    int status = options_units(run, asked, OPTION_UNITS, &out->units);
    if (status == PROGRAM_DONE) status = options_up(run, asked, OPTION_UP, &out->up);
    if (status == PROGRAM_DONE)
        status = options_number(run, asked, OPTION_SOURCE_FPS, 0.1, 10000, &out->source_fps);
    for (size_t i = 0; i < sizeof reading / sizeof *reading && status == PROGRAM_DONE; i++)
        if (asked->values[OPTION_LIBRARY] && request_has(asked, reading[i].key))
            return session_usage(
                run, "--%s is for files; a library's clips were read when they were added",
                reading[i].name);
    return status;
}

int command_info(session *run, const request *asked)
{
    const marey_ctx_def *memory = &run->host->def;
    info all = { .run = run };
    const char *path = asked->values[OPTION_LIBRARY];
    marey_error error;
    int status = read_options(&all, run, asked);
    if (status != PROGRAM_DONE) return status;
    if (path &&
        marey_library_open(run->ctx, path, MAREY_LIBRARY_READ, &all.library, &error) != MAREY_OK)
        return session_fail(run, &error);
    all.list.records = buffer_make(memory);
    all.skipped = buffer_make(memory);
    all.clips = json_make(&run->out);
    all.skipped_to = json_make(&all.skipped);
    failures_make(&all.errors, run);
    if (find_files(&all, asked) == MAREY_OK) {
        status = read_and_report(&all);
    } else {
        status = session_fail_memory(run);
    }
    failures_free(&all.errors);
    buffer_free(&all.skipped);
    buffer_free(&all.list.records);
    marey_library_close(all.library);
    return status;
}
