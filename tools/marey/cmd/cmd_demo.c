/* cmd_demo.c - `marey demo`: clips that are made, the truth about them, and a library of them.
   Takes are built several at a time and written in order, so that the bytes are the same for any
   number of threads. */
#include "commands.h"
#include "demo_saved.h"
#include "folder.h"
#include "foot_plants.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BATCH_PER_THREAD = 2 };
static const int64_t LARGEST_SEED = 1000000000000000;

typedef struct job {
    int number;
    marey_demo_take *take;
    marey_status status;
    marey_error error;
} job;

typedef struct demo {
    session *run;
    const request *options;
    const char *folder;
    int64_t seed;
    char library_path[PATH_ROOM]; /* where the library goes in the end */
    char new_path[PATH_ROOM];     /* where it is built */
    char truth_path[PATH_ROOM];
    library_file at;
    demo_reaches reaches;
    bool has_family;
    int graphs; /* how many were made */
    bool has_clusters;
    int puppets;
    buffer names, truth; /* names: the values of clips[] */
    json names_to, truth_to;
    job *jobs;
    int wanted, done;
    double seconds;
} demo;

/* ---- the truth ------------------------------------------------------------------------------- */

static void write_truth(const marey_demo_take *take, const char *name, json *to)
{
    int segment_count, contact_count;
    const marey_demo_segment *segments = marey_demo_segments(take, &segment_count);
    const marey_contact *contacts = marey_demo_contacts(take, &contact_count);
    json_open(to, NULL, '{');
    json_put_string(to, "clip", name);
    json_put_number(to, "fps", marey_clip_fps(marey_demo_clip(take)));
    json_open(to, "segments", '[');
    for (int i = 0; i < segment_count; i++) {
        const marey_demo_segment *one = &segments[i];
        json_open(to, NULL, '{');
        json_put_string(to, "label", one->label);
        json_put_string(to, "side", one->side);
        json_put_integer(to, "start", one->start);
        json_put_integer(to, "end", one->end);
        json_open(to, "params", '{');
        for (int k = 0; k < one->param_count; k++)
            json_put_number(to, one->param_names[k], one->param_values[k]);
        json_close(to, '}');
        json_close(to, '}');
    }
    json_close(to, ']');
    app_contacts_write(to, "contacts", contacts, contact_count, 0);
    json_close(to, '}');
}

/* ---- the takes ------------------------------------------------------------------------------- */

static void build_one(void *user, int64_t i)
{
    demo *all = user;
    job *one = &all->jobs[i];
    one->status =
        marey_demo_build(all->run->ctx, one->number, (uint64_t)all->seed, &one->take, &one->error);
}

static marey_status path_in(const demo *story, const char *name, const char *ending, char *path,
                            marey_error *error)
{
    int length = snprintf(path, PATH_ROOM, "%s/%s%s", story->folder, name, ending);
    if (length > 0 && length < PATH_ROOM) return MAREY_OK;
    return app_fail(error, MAREY_ERR_REQUEST, story->folder, "this name is too long");
}

static marey_status write_take(demo *story, const job *one, marey_error *error)
{
    const char *name = marey_demo_name(one->number);
    buffer *out = &story->run->out;
    char path[PATH_ROOM], text[1024];
    if (one->status != MAREY_OK) {
        *error = one->error;
        return one->status;
    }
    double seconds = marey_clip_seconds(marey_demo_clip(one->take));
    if (story->run->json) {
        json_put_string(&story->names_to, NULL, name);
    } else if (!story->run->quiet) {
        if (story->done == 0) buffer_text(out, "take             seconds  what is in it\n");
        buffer_print(out, "%-16s %7.2f  ", name, seconds);
        marey_demo_describe(one->take, text, sizeof text); /* "walk, kick left, reach right x 12" */
        buffer_text(out, text);
        buffer_byte(out, '\n');
    }
    story->seconds += seconds;
    story->done++;
    write_truth(one->take, name, &story->truth_to);
    demo_reaches_note(&story->reaches, one->take, name);
    marey_status status = path_in(story, name, ".bvh", path, error);
    if (status == MAREY_OK) status = marey_clip_save(marey_demo_clip(one->take), path, error);
    if (status == MAREY_OK) {
        status = marey_library_put_demo(story->at.library, one->take, (uint64_t)story->seed, NULL,
                                        0, error);
    }
    return status;
}

static bool is_wanted(const demo *story, const char *name)
{
    const char *wanted;
    int at = 0;
    if (!request_has(story->options, OPTION_TAKE)) return true;
    while ((wanted = request_next(story->options, OPTION_TAKE, &at))) {
        if (strcmp(wanted, name) == 0) return true;
    }
    return false;
}

/* Several at a time, and written in order. */
static marey_status make_takes(demo *story, marey_error *error)
{
    session *run = story->run;
    marey_status status = MAREY_OK;
    int room = marey_ctx_threads(run->ctx) * BATCH_PER_THREAD, jobs = 0;
    int count = marey_demo_count();
    app_scope scope = app_scope_open(&run->host->def);
    story->jobs = APP_NEW(&scope, job, room);
    if (!story->jobs) return app_fail_memory(error);
    run->own_progress = true;
    json_open(&story->truth_to, NULL, '{');
    json_open(&story->truth_to, "takes", '[');
    for (int i = 0; i < count && status == MAREY_OK; i++) {
        if (is_wanted(story, marey_demo_name(i))) story->jobs[jobs++] = (job){ .number = i };
        if (jobs == 0 || (jobs < room && i + 1 < count)) continue;
        session_progress(run, "making takes", story->done, story->wanted, -1);
        marey_ctx_run(run->ctx, jobs, build_one, story);
        for (int k = 0; k < jobs; k++) {
            if (status == MAREY_OK) status = write_take(story, &story->jobs[k], error);
            marey_demo_free(story->jobs[k].take);
        }
        jobs = 0;
    }
    json_close(&story->truth_to, ']');
    json_close(&story->truth_to, '}');
    buffer_byte(&story->truth, '\n');
    app_scope_close(&scope);
    return status == MAREY_OK ? app_check(story->truth.failed, error) : status;
}

/* ---- an older library ------------------------------------------------------------------------ */

/* No user's work is thrown away: all that is in it, removed clips too, must come from here, with
   what is said about it still being what was said here. The words do not depend on the seed. */
static marey_status check_clips(session *run, marey_library *library, bool removed,
                                marey_error *error)
{
    marey_listing *listing = NULL;
    int count, known = marey_demo_count();
    marey_status status =
        marey_library_list(library, &(marey_list_def){ .removed = removed }, &listing, error);
    if (status != MAREY_OK) return status;
    const marey_entry *entries = marey_listing_entries(listing, &count);
    for (int i = 0; i < count && status == MAREY_OK; i++) {
        marey_demo_take *take = NULL;
        int n = made_by_demo(entries[i].provenance) ? 0 : known;
        while (n < known && strcmp(marey_demo_name(n), entries[i].name) != 0) n++;
        if (n < known) status = marey_demo_build(run->ctx, n, 1, &take, error);
        bool same = take && marey_entry_is_as_made(&entries[i], take);
        marey_demo_free(take);
        if (status != MAREY_OK || same) continue;
        status = app_fail(
            error, MAREY_ERR_REQUEST, marey_library_path(library),
            "holds %.200s, which demo did not make or which was changed; move this library "
            "away, or choose another folder",
            entries[i].name);
    }
    marey_listing_free(listing);
    return status;
}

/* Nor what a user made of the clips and saved. */
static marey_status check_kept(session *run, marey_library *library, marey_error *error)
{
    marey_kept *kept = NULL;
    int count;
    marey_status status = marey_library_kept_list(library, NULL, &kept, error);
    if (status != MAREY_OK) return status;
    const marey_kept_entry *entries = marey_kept_entries(kept, &count);
    for (int i = 0; i < count && status == MAREY_OK; i++) {
        bool made;
        status = demo_made_saved(run, &entries[i], &made, error);
        if (status != MAREY_OK || made) continue;
        status = app_fail(error, MAREY_ERR_REQUEST, marey_library_path(library),
                          "has a saved %.40s, %.200s, which demo did not make; move this library "
                          "away, or choose another folder",
                          entries[i].kind, entries[i].name);
    }
    marey_kept_free(kept);
    return status;
}

/* A log beside a library means that a program has it open; the last one to close it takes the log
   away. */
static bool has_log(const char *path)
{
    char log[PATH_ROOM + 8];
    snprintf(log, sizeof log, "%s-wal", path);
    return access(log, F_OK) == 0;
}

/* All that is in the library that is replaced must be as demo made it, and no other program may
   have it open. REQUEST: what it holds that stays. */
static marey_status check_older(session *run, const char *path, marey_error *error)
{
    struct stat about;
    marey_library *library = NULL;
    if (lstat(path, &about) != 0)
        return errno == ENOENT ? MAREY_OK
                               : app_fail(error, errno == EACCES ? MAREY_ERR_INPUT : MAREY_ERR_IO,
                                          path, "cannot look at this file: %s", strerror(errno));
    marey_status status = marey_library_open(run->ctx, path, MAREY_LIBRARY_READ, &library, error);
    if (status != MAREY_OK) return status;
    status = check_clips(run, library, false, error);
    if (status == MAREY_OK) status = check_clips(run, library, true, error);
    if (status == MAREY_OK) status = check_kept(run, library, error);
    marey_library_close(library);
    if (status == MAREY_OK && has_log(path)) {
        status = app_fail(error, MAREY_ERR_REQUEST, path, "another program has this library open");
    }
    return status;
}

/* ---- writing --------------------------------------------------------------------------------- */

/* The saved things of a kind that were made: their name in JSON, and for people. */
typedef struct made_kind {
    const char *key, *kind;
    const char *names[8];
    int count;
} made_kind;

enum { KINDS = 4 };

static void list_made(const demo *story, made_kind kinds[KINDS])
{
    kinds[0] = (made_kind){ "families", "family", { DEMO_FAMILY }, story->has_family };
    kinds[1] = (made_kind){ .key = "graphs", .kind = "graph", .count = story->graphs };
    for (int i = 0; i < story->graphs; i++)
        kinds[1].names[i] = marey_graph_kind_name((marey_graph_kind)i);
    kinds[2] = (made_kind){ "clusters", "cluster graph", { DEMO_CLUSTERS }, story->has_clusters };
    kinds[3] = (made_kind){ .key = "puppets", .kind = "puppet", .count = story->puppets };
    for (int i = 0; i < story->puppets; i++) kinds[3].names[i] = marey_ready_puppet_find(i)->name;
}

static void describe_json(demo *story)
{
    json to = json_make(&story->run->out);
    made_kind kinds[KINDS];
    list_made(story, kinds);
    json_open(&to, NULL, '{');
    json_put_array_of(&to, "clips", &story->names);
    json_put_string(&to, "library", story->library_path);
    json_put_string(&to, "truth", story->truth_path);
    json_put_integer(&to, "seed", story->seed);
    json_put_number(&to, "seconds", story->seconds);
    for (int k = 0; k < KINDS; k++)
        json_put_texts(&to, kinds[k].key, kinds[k].names, kinds[k].count);
    json_close(&to, '}');
    buffer_byte(&story->run->out, '\n');
}

/* The last line says what it has besides clips: "the graphs standard and connected". */
static void describe_text(demo *story)
{
    buffer *out = &story->run->out;
    made_kind kinds[KINDS];
    bool any = false;
    list_made(story, kinds);
    buffer_print(out, "%d take%s, %.1f minutes, seed %lld\n", story->done,
                 story->done == 1 ? "" : "s", story->seconds / 60, (long long)story->seed);
    buffer_named(out, "wrote ", story->folder, "/*.bvh, ");
    if (story->puppets > 0) buffer_named(out, "", story->folder, "/" DEMO_PUPPETS "/*.csv, ");
    buffer_shown(out, story->truth_path);
    buffer_named(out, " and the library ", story->library_path, "\n");
    for (int k = 0; k < KINDS; k++) {
        const made_kind *one = &kinds[k];
        if (one->count == 0) continue;
        bool last = k + 1 == KINDS;
        buffer_print(out, "%sthe %s%s ",
                     !any   ? "it has "
                     : last ? ", and "
                            : ", ",
                     one->kind, one->count == 1 ? "" : "s");
        for (int i = 0; i < one->count; i++)
            buffer_print(out, "%s%s",
                         i == 0               ? ""
                         : i + 1 < one->count ? ", "
                                              : " and ",
                         one->names[i]);
        any = true;
    }
    if (any) buffer_byte(out, '\n');
}

/* The library comes last: where it is, all the rest is. */
static marey_status finish(demo *story, marey_error *error)
{
    session *run = story->run;
    const marey_io *io = run->host->def.io ? run->host->def.io : marey_io_system();
    if (run->json) describe_json(story);
    if (!run->json && !run->quiet) describe_text(story);
    marey_status status = app_check(run->out.failed, error);
    if (status == MAREY_OK) {
        status = marey_file_save(run->ctx, story->truth_path, story->truth.bytes, story->truth.used,
                                 error);
    }
    library_file_close(&story->at, true);
    if (status != MAREY_OK) return status;
    if (has_log(
            story->new_path)) { /* closing could not move the log into the file: the disk is full */
        return app_fail(error, MAREY_ERR_IO, story->library_path,
                        "cannot finish the library: the disk may be full");
    }
    int failed = io->rename(io->user, story->new_path, story->library_path);
    if (failed == 0) return MAREY_OK;
    return app_fail(error, MAREY_ERR_IO, story->library_path,
                    "cannot put the library in its place: %s", strerror(-failed));
}

/* What was not finished is taken away, even what an opening that failed may have left. */
static marey_status build_library(demo *story, marey_error *error)
{
    static const char *const endings[] = { "", "-wal", "-shm" };
    marey_status status =
        library_file_open(story->run, story->new_path, MAREY_LIBRARY_CREATE, &story->at, error);
    if (status == MAREY_OK) {
        marey_library_group(story->at.library, "make the demo");
        status = make_takes(story, error);
        if (status == MAREY_OK) {
            status = demo_reaches_keep(&story->reaches, story->run, story->at.library,
                                       &story->has_family, error);
        }
        if (status == MAREY_OK) {
            status = demo_graphs_keep(story->run, story->at.library, &story->truth, &story->graphs,
                                      error);
        }
        if (status == MAREY_OK) {
            status = demo_clusters_keep(story->run, story->at.library, &story->has_clusters, error);
        }
        if (status == MAREY_OK && story->graphs > 0) {
            status = demo_puppets_keep(story->run, story->at.library, story->folder,
                                       &story->puppets, error);
        }
        if (status == MAREY_OK) status = finish(story, error);
        library_file_close(&story->at, true);
    }
    for (int i = 0; i < 3 && status != MAREY_OK;
         i++) { /* with what SQLite may have left beside it */
        char path[PATH_ROOM + 8];
        snprintf(path, sizeof path, "%s%s", story->new_path, endings[i]);
        unlink(path);
    }
    return status;
}

/* ---- asking for it --------------------------------------------------------------------------- */

static int check_names(demo *story)
{
    const char *wanted;
    int at = 0, count = marey_demo_count();
    while ((wanted = request_next(story->options, OPTION_TAKE, &at))) {
        const char *nearest = NULL;
        int i = 0;
        while (i < count && strcmp(marey_demo_name(i), wanted) != 0) i++;
        if (i < count) continue;
        for (i = 0; i < count && !nearest; i++) {
            if (is_near(wanted, marey_demo_name(i))) nearest = marey_demo_name(i);
        }
        if (!nearest) return session_usage(story->run, "there is no take \"%s\"", wanted);
        return session_usage(story->run, "there is no take \"%s\"; did you mean \"%s\"?", wanted,
                             nearest);
    }
    for (int i = 0; i < count; i++) story->wanted += is_wanted(story, marey_demo_name(i));
    return PROGRAM_DONE;
}

int command_demo(session *run, const request *options)
{
    const marey_ctx_def *memory = &run->host->def;
    demo all = { .run = run, .options = options, .folder = options->operands[0], .seed = 1 };
    char hidden[64];
    marey_error error;
    int done = options_whole(run, options, OPTION_SEED, 0, LARGEST_SEED, &all.seed);
    if (done == PROGRAM_DONE) done = check_names(&all);
    if (done != PROGRAM_DONE) return done;
    all.names = buffer_make(memory);
    all.truth = buffer_make(memory);
    all.names_to = json_make(&all.names);
    all.truth_to = json_make(&all.truth);
    snprintf(hidden, sizeof hidden, ".demo-%ld", (long)getpid());
    marey_status status = path_in(&all, "demo", ".marey", all.library_path, &error);
    if (status == MAREY_OK) status = path_in(&all, "truth", ".json", all.truth_path, &error);
    if (status == MAREY_OK) status = path_in(&all, hidden, ".marey", all.new_path, &error);
    if (status == MAREY_OK) status = folder_make(all.folder, &error);
    if (status == MAREY_OK) status = check_older(run, all.library_path, &error);
    if (status == MAREY_OK) status = build_library(&all, &error);
    if (status != MAREY_OK) run->out.used = 0;
    done = status == MAREY_OK ? session_finish(run, PROGRAM_DONE) : session_fail(run, &error);
    buffer_free(&all.truth);
    buffer_free(&all.names);
    return done;
}
