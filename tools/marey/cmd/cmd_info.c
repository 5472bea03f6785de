/* cmd_info.c - `marey info`: files are read several at a time and reported in the order given, a
   batch at a time, so that memory does not grow with their number. */
#include "clip_info.h"
#include "commands.h"
#include "doctor.h"
#include "entries.h"
#include "failure_list.h"
#include "folder.h"

#include <marey/retarget.h>
#include <math.h>
#include <string.h>

enum { FEW_FILES = 8, BATCH_PER_THREAD = 2 };

/* ---- for people to read ---------------------------------------------------------------------- */

enum { COLUMNS = 96, INDENT = 12 };

static void begin_line(buffer *out, const char *label)
{
    buffer_print(out, "  %-*s", INDENT - 2, label);
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

enum { SHOWN_FLAWS = 8 };

static void write_frames(buffer *out, const char *what, const char *joint, int start, int end)
{
    buffer_text(out, what);
    if (*joint) buffer_named(out, " of ", joint, "");
    if (end > 0) buffer_print(out, ": frames %d-%d", start, end);
}

static const char *joint_of(const marey_clip *clip, const marey_flaw *flaw)
{
    return flaw->joint < 0 ? "" : marey_clip_skeleton(clip)->joints[flaw->joint].name;
}

/* A few of them. */
static void write_flaws(buffer *out, const marey_clip *clip, const marey_flaw *flaws, int count)
{
    for (int i = 0; i < count && i < SHOWN_FLAWS; i++) {
        const marey_flaw *flaw = &flaws[i];
        begin_line(out, i ? "" : "findings");
        write_frames(out, marey_flaw_name(flaw->kind), joint_of(clip, flaw), flaw->start,
                     flaw->end);
        buffer_print(out, ", %.3g %s\n", flaw->size, marey_flaw_unit(flaw->kind));
    }
    if (count > SHOWN_FLAWS) {
        begin_line(out, "");
        buffer_print(out, "and %d more: marey doctor\n", count - SHOWN_FLAWS);
    }
}

static void write_repairs(buffer *out, const marey_condition *of)
{
    for (int i = 0; i < of->repair_count && i < SHOWN_FLAWS; i++) {
        const marey_repair *repair = &of->repairs[i];
        begin_line(out, i ? "" : "repairs");
        write_frames(out, marey_layer_name(repair->layer.kind), repair->joint, repair->layer.start,
                     repair->layer.end);
        buffer_print(out, ", %s%s\n", *repair->flaw ? "for " : "set", repair->flaw);
    }
    if (of->repair_count > SHOWN_FLAWS) {
        begin_line(out, "");
        buffer_print(out, "and %d more: marey doctor --long\n", of->repair_count - SHOWN_FLAWS);
    }
}

static void info_report(buffer *out, const char *path, const marey_clip *clip,
                        const marey_entry *entry)
{
    const marey_skeleton *skeleton = marey_clip_skeleton(clip);
    const marey_report *report = marey_clip_report(clip);
    double fps = marey_clip_fps(clip);
    int count;
    const marey_mark *marks = marey_clip_marks(clip, &count);
    buffer_named(out, "", marey_clip_name(clip), "  (");
    buffer_shown(out, path);
    buffer_print(out, ", %s)\n", report->format);
    begin_line(out, "frames");
    buffer_print(out, "%d at %.6g a second, %.2f s", marey_clip_frames(clip), fps,
                 marey_clip_seconds(clip));
    if (report->claimed_fps > 0 && report->claimed_fps != fps)
        buffer_print(out, " (the file claims %.6g)", report->claimed_fps);
    buffer_byte(out, '\n');
    if (report->flight_fps > 0) {
        begin_line(out, "flight");
        buffer_print(out, "%d in free fall; gravity speaks for %.4g frames a second\n",
                     report->flight_count, report->flight_fps);
    }
    begin_line(out, "skeleton");
    buffer_print(out, "%d joints, %d channels", skeleton->joint_count, skeleton->channel_count);
    if (report->height_cm > 0) buffer_print(out, ", %.4g cm tall", report->height_cm);
    buffer_byte(out, '\n');
    begin_line(out, "units");
    buffer_print(out, "%s: %s\n", marey_units_name(marey_clip_units(clip)), report->units_why);
    begin_line(out, "up");
    buffer_print(out, "%s: %s\n", marey_clip_up(clip) == MAREY_UP_Z ? "z" : "y", report->up_why);
    write_roles(out, skeleton);
    for (int i = 0; i < count; i++) {
        begin_line(out, i ? "" : "marks");
        buffer_print(out, "%s: frames %d-%d\n", marey_mark_name(marks[i].kind), marks[i].start,
                     marks[i].end);
    }
    for (int i = 0; entry && i < entry->label_count; i++) {
        if (i == 0) begin_line(out, "labels");
        buffer_named(out, i ? ", " : "", entry->labels[i], i + 1 < entry->label_count ? "" : "\n");
    }
    for (int i = 0; entry && i < entry->stretch_count; i++) {
        begin_line(out, i ? "" : "stretches");
        buffer_named(out, "", entry->stretches[i].label, "");
        buffer_print(out, ": frames %d-%d\n", entry->stretches[i].start, entry->stretches[i].end);
    }
    for (int i = 0; i < report->take_count; i++) {
        begin_line(out, i ? "" : "takes");
        buffer_print(out, "%d ", i + 1);
        buffer_named(out, "", report->takes[i], i == report->take ? ", which was read\n" : "\n");
    }
    for (int i = 0; i < report->warning_count; i++) {
        begin_line(out, i ? "" : "warnings");
        buffer_named(out, "", report->warnings[i], "\n");
    }
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
    buffer_named(out, "", path, "\n");
}

/* ---- files ----------------------------------------------------------------------------------- */

typedef struct job {
    found file;
    marey_clip *clip;        /* NULL if it could not be read */
    marey_points *points;    /* of a file that has markers and no skeleton */
    marey_conditions *found; /* of a library's clip: its findings and repairs; NULL: not wanted */
    marey_flaws flaws;       /* of a file's */
    marey_error error;
} job;

typedef struct info {
    session *run;
    marey_load_def reading;
    marey_library *library; /* of -L; NULL: names are files */
    marey_listing *listing; /* of the library */
    found_list list;
    bool as_table;
    job *jobs;
    int job_count;
    int64_t reported;
    int64_t skipped_count;
    json clips;     /* writes into run->out */
    buffer skipped; /* with --json the array's values, else lines */
    buffer points;  /* with --json the array's values */
    int64_t points_count;
    app_scope scope;
    app_env env;
    app_failures errors;
    int status; /* if nothing more can be done */
} info;

static void read_one(void *user, int64_t i)
{
    info *all = user;
    job *one = &all->jobs[i];
    one->clip = NULL;
    one->points = NULL;
    one->found = NULL;
    one->flaws = (marey_flaws){ 0 };
    bool look = all->run->json || !all->as_table;
    if (one->file.kind == FOUND_UNREADABLE) {
        found_error(&one->file, &one->error);
    } else if (one->file.kind != FOUND_SPECIAL && all->library) {
        marey_status status =
            marey_library_load(all->library, one->file.path, &one->clip, &one->error);
        if (status == MAREY_OK && look)
            status =
                marey_library_examine(all->library, &one->file.path, 1, &one->found, &one->error);
        if (status != MAREY_OK) {
            marey_clip_free(one->clip);
            one->clip = NULL;
        }
    } else if (one->file.kind != FOUND_SPECIAL) {
        marey_ctx *ctx = all->run->ctx;
        const char *path = one->file.path;
        marey_status status = marey_clip_load(ctx, path, &all->reading, &one->clip, &one->error);
        if (status == MAREY_ERR_UNKNOWN_FORMAT) { /* rotations of AMASS, or points */
            marey_amass_def def = { .fps = all->reading.source_fps, .up = all->reading.up };
            marey_error other;
            status = marey_amass_load(ctx, path, &def, &one->clip, &other);
            if (status == MAREY_ERR_UNKNOWN_FORMAT)
                status = marey_points_load(ctx, path, &one->points, &other);
            if (status != MAREY_OK && status != MAREY_ERR_UNKNOWN_FORMAT) one->error = other;
        }
        if (one->clip && look && marey_flaws_find(one->clip, &one->flaws) != MAREY_OK) {
            app_fail_memory(&one->error);
            marey_clip_free(one->clip);
            one->clip = NULL;
        }
    }
}

static void report_clip(info *report, const job *one)
{
    buffer *out = &report->run->out;
    const marey_entry *entry = NULL;
    const marey_condition *of = one->found ? one->found->items : NULL;
    const marey_flaw *flaws = of ? of->flaws : one->flaws.items;
    int flaw_count = of ? of->flaw_count : one->flaws.count;
    int count = 0;
    const marey_entry *entries =
        report->listing ? marey_listing_entries(report->listing, &count) : NULL;
    for (int i = 0; i < count && !entry; i++)
        if (strcmp(entries[i].name, marey_clip_name(one->clip)) == 0) entry = &entries[i];
    if (report->run->json) {
        json_open(&report->clips, NULL, '{');
        app_info_write(one->clip, one->file.path, &report->clips);
        if (entry) {
            json_put_texts(&report->clips, "labels", entry->labels, entry->label_count);
            app_stretches_write(&report->clips, entry->stretches, entry->stretch_count);
        }
        json_open(&report->clips, "findings", '[');
        for (int i = 0; i < flaw_count; i++) {
            json_open(&report->clips, NULL, '{');
            app_flaw_write(&flaws[i], joint_of(one->clip, &flaws[i]), &report->clips);
            json_close(&report->clips, '}');
        }
        json_close(&report->clips, ']');
        if (entry) json_put_value(&report->clips, "repairs", entry->repairs);
        json_close(&report->clips, '}');
    } else if (report->as_table) {
        if (report->reported == 0)
            buffer_text(out, "  frames       fps   seconds joints units up height_cm marks "
                             "warnings  file\n");
        info_table_line(out, one->file.path, one->clip);
    } else {
        if (report->reported > 0) buffer_byte(out, '\n');
        info_report(out, one->file.path, one->clip, entry);
        write_flaws(out, one->clip, flaws, flaw_count);
        if (of) write_repairs(out, of);
    }
    report->reported++;
}

static double gaps_percent(const marey_points *points)
{
    int64_t all = (int64_t)points->frames * points->count, gone = 0;
    for (int64_t i = 0; i < all; i++) gone += isnan(points->at[3 * i]);
    return 100.0 * (double)gone / (double)all;
}

static void write_points_json(json *to, const char *path, const marey_points *points)
{
    json_open(to, NULL, '{');
    json_put_string(to, "name", points->name);
    json_put_string(to, "path", path);
    json_put_string(to, "format", points->format);
    json_put_integer(to, "frames", points->frames);
    json_put_number(to, "fps", points->fps);
    json_put_integer(to, "first_frame", points->first_frame);
    json_put_texts(to, "markers", points->names, points->count);
    if (points->parents) {
        json_open(to, "parents", '[');
        for (int i = 0; i < points->count; i++) json_put_integer(to, NULL, points->parents[i]);
        json_close(to, ']');
    }
    json_put_number(to, "gaps_percent", gaps_percent(points));
    json_put_string(to, "units", marey_units_name(points->units));
    json_put_string(to, "up", app_up_word((int)points->up));
    json_open(to, "events", '[');
    for (int i = 0; i < points->event_count; i++) {
        json_open(to, NULL, '{');
        json_put_string(to, "label", points->events[i].label);
        json_put_string(to, "context", points->events[i].context);
        json_put_number(to, "seconds", points->events[i].seconds);
        json_close(to, '}');
    }
    json_close(to, ']');
    json_close(to, '}');
}

/* Markers are no clip: what there is to say of them. */
static void report_points(info *report, const job *one)
{
    const marey_points *points = one->points;
    buffer *out = &report->run->out;
    json to = { .out = &report->points, .comma = report->points_count++ > 0 };
    if (report->run->json) {
        write_points_json(&to, one->file.path, points);
        return;
    }
    if (report->reported++ > 0) buffer_byte(out, '\n');
    buffer_shown(out, points->name);
    buffer_named(out, "  (", one->file.path, ", ");
    buffer_print(out, "%s)\n", points->format);
    begin_line(out, "frames");
    buffer_print(out, "%d", points->frames);
    if (points->fps > 0)
        buffer_print(out, " at %g a second, %.2f s", points->fps, points->frames / points->fps);
    buffer_byte(out, '\n');
    begin_line(out, "markers");
    buffer_print(out, "%d, %.1f %% of their places not seen; no skeleton\n", points->count,
                 gaps_percent(points));
    int column = COLUMNS, named = 0;
    for (int i = 0; i < points->count; i++) named += *points->names[i] != 0;
    for (int i = 0; i < points->count && named > 0; i++) {
        int width = (int)strlen(points->names[i]) + 1;
        bool fresh = column + width > COLUMNS;
        if (fresh) {
            if (i > 0) buffer_byte(out, '\n');
            buffer_blanks(out, INDENT);
            column = INDENT;
        }
        if (!fresh) buffer_byte(out, ' ');
        buffer_shown(out, *points->names[i] ? points->names[i] : "-");
        column += width;
    }
    if (named > 0) buffer_byte(out, '\n');
    begin_line(out, "units");
    buffer_print(out, "%s, up %s\n", points->units ? marey_units_name(points->units) : "not said",
                 points->up ? app_up_word((int)points->up) : "not said");
    for (int i = 0; i < points->event_count; i++) {
        const marey_point_event *event = &points->events[i];
        begin_line(out, i ? "" : "events");
        buffer_print(out, "%.3f s: ", event->seconds);
        if (*event->context) buffer_named(out, "", event->context, " ");
        buffer_shown(out, event->label);
        buffer_byte(out, '\n');
    }
}

/* Returns false if nothing more can be done, the run having failed. */
static bool report_one(info *report, const job *one)
{
    session *run = report->run;
    bool skipped =
        one->file.kind == FOUND_SPECIAL ||
        (one->file.kind == FOUND_IN_FOLDER && one->error.status == MAREY_ERR_UNKNOWN_FORMAT);
    if (one->clip) {
        report_clip(report, one);
    } else if (one->points) {
        report_points(report, one);
    } else if (skipped) {
        json to = { .out = &report->skipped, .comma = report->skipped_count++ > 0 };
        if (run->json)
            json_put_string(&to, NULL, one->file.path);
        else if (!report->as_table)
            buffer_named(&report->skipped, "skipped: ", one->file.path, "\n");
    } else if (app_failure_ends_all(&one->error)) {
        report->status = session_fail(run, &one->error);
        return false;
    } else if (!run->json && !session_flush(run)) { /* what came before it is shown before it */
        report->status = PROGRAM_MACHINE;
        return false;
    } else {
        app_failures_add(&report->env, &report->errors, one->file.path, &one->error);
        if (report->errors.failed) report->status = session_fail_memory(run);
    }
    return !report->errors.failed;
}

static bool do_batch(info *report)
{
    bool goes_on = true;
    if (report->library) {
        /* A library may be used from one thread at a time. */
        for (int i = 0; i < report->job_count; i++) read_one(report, i);
    } else {
        marey_ctx_run(report->run->ctx, report->job_count, read_one, report);
    }
    for (int i = 0; i < report->job_count; i++) {
        if (goes_on) goes_on = report_one(report, &report->jobs[i]);
        marey_points_free(report->jobs[i].points);
        marey_conditions_free(report->jobs[i].found);
        marey_flaws_free(&report->jobs[i].flaws);
        marey_clip_free(report->jobs[i].clip);
    }
    /* A JSON object goes out in one piece at the end, so that a failure can take its place. */
    if (goes_on && !report->run->json && !session_flush(report->run)) {
        report->status = PROGRAM_MACHINE;
        goes_on = false;
    }
    report->job_count = 0;
    return goes_on;
}

static int finish(info *report)
{
    session *run = report->run;
    if (run->json) {
        json_close(&report->clips, ']');
        if (report->points_count > 0) json_put_array_of(&report->clips, "points", &report->points);
        json_put_array_of(&report->clips, "skipped", &report->skipped);
        app_failures_write(&report->errors, &report->clips);
        json_close(&report->clips, '}');
        buffer_byte(&run->out, '\n');
    } else if (report->as_table && report->skipped_count > 0) {
        buffer_print(&run->out, "skipped: %lld of no known format (--long lists them)\n",
                     (long long)report->skipped_count);
    } else {
        if (report->skipped.failed) run->out.failed = true;
        buffer_bytes(&run->out, report->skipped.bytes, report->skipped.used);
    }
    return session_finish(run, failures_exit(&report->errors));
}

/* Finds the files, then reads and reports them, a batch at a time. */
static int read_and_report(info *report, const request *options)
{
    session *run = report->run;
    int64_t most = (int64_t)marey_ctx_threads(run->ctx) * BATCH_PER_THREAD, done = 0;
    marey_status status = MAREY_OK;
    for (int i = 0; i < options->operand_count && status == MAREY_OK; i++) {
        status = report->library
                     ? found_add_name(&report->list, options->operands[i])
                     : folder_walk(&run->host->def, options->operands[i], &report->list);
    }
    report->as_table = report->list.count > FEW_FILES && !request_has(options, OPTION_LONG);
    int room = (int)(report->list.count < most ? report->list.count : most);
    report->jobs = APP_NEW(&report->scope, job, room > 0 ? room : 1);
    if (status != MAREY_OK || !report->jobs) return session_fail_memory(run);
    if (run->json) {
        json_open(&report->clips, NULL, '{');
        json_open(&report->clips, "clips", '[');
    }
    /* With several files the library would report from several threads at once. */
    run->own_progress = report->list.count > 1;
    found file;
    for (size_t offset = 0; found_next(&report->list, &offset, &file); done++) {
        report->jobs[report->job_count++].file = file;
        if (report->job_count < room && offset < report->list.records.used) continue;
        session_progress(run, "reading files", done + 1 - report->job_count, report->list.count,
                         -1);
        if (!do_batch(report)) return report->status;
    }
    return finish(report);
}

int command_info(session *run, const request *options)
{
    /* None of these options is for the clips of -L, which were read when they were added. */
    static const struct {
        option_key key;
        const char *name;
    } reading[] = { { OPTION_UNITS, "units" },           { OPTION_UP, "up" },
                    { OPTION_SOURCE_FPS, "source-fps" }, { OPTION_SKIP_FIRST, "skip-first" },
                    { OPTION_SKELETON, "skeleton" },     { OPTION_TAKE, "take" } };
    const marey_ctx_def *memory = &run->host->def;
    const char *path = options->values[OPTION_LIBRARY];
    marey_load_def def = { .skip_first = request_has(options, OPTION_SKIP_FIRST),
                           .skeleton_path = options->values[OPTION_SKELETON],
                           .take = options->values[OPTION_TAKE] };
    info all = { .run = run,
                 .list = { .records = buffer_make(memory) },
                 .skipped = buffer_make(memory),
                 .points = buffer_make(memory),
                 .clips = json_make(&run->out),
                 .scope = app_scope_open(memory) };
    marey_error error;
    int status = options_units(run, options, OPTION_UNITS, &def.units);
    if (status == PROGRAM_DONE) status = options_up(run, options, OPTION_UP, &def.up);
    if (status == PROGRAM_DONE)
        status = options_number(run, options, OPTION_SOURCE_FPS, 0.1, 10000, &def.source_fps);
    if (status != PROGRAM_DONE) return status;
    for (size_t i = 0; i < sizeof reading / sizeof *reading; i++)
        if (path && request_has(options, reading[i].key))
            return session_usage(
                run, "--%s is for files; a library's clips were read when they were added",
                reading[i].name);
    if (path &&
        (marey_library_open(run->ctx, path, MAREY_LIBRARY_READ, &all.library, &error) != MAREY_OK ||
         marey_library_list(all.library, NULL, &all.listing, &error) != MAREY_OK)) {
        marey_library_close(all.library);
        return session_fail(run, &error);
    }
    all.reading = def;
    all.env = (app_env){ .scope = &all.scope, .failed = session_failed, .warn_user = run };
    status = read_and_report(&all, options);
    app_scope_close(&all.scope);
    buffer_free(&all.skipped);
    buffer_free(&all.points);
    buffer_free(&all.list.records);
    marey_listing_free(all.listing);
    marey_library_close(all.library);
    return status;
}
