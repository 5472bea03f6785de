/* cmd_search.c - `marey search`: everything in a library that is like one piece of motion. */
#include "commands.h"
#include "found_answer.h"
#include "found_out.h"

#include <float.h>
#include <stdio.h>
#include <string.h>

enum { MOST_MATCHES = 1000000 };

/* ---- asking for it --------------------------------------------------------------------------------- */

static int check_use(const searching *all)
{
    const request *asked = all->asked;
    const char *sheet = asked->values[OPTION_SHEET], *folder = asked->values[OPTION_OUTPUT];
    if (sheet && !path_ends_in(sheet, ".png") && !path_ends_in(sheet, ".svg") &&
        !path_ends_in(sheet, ".pdf"))
        return session_usage(all->run, "--sheet takes a name that ends in .png, .svg or .pdf");
    if (folder && (!*folder || path_ends_in(folder, ".png")))
        return session_usage(all->run, "-o takes a folder for the matches; --sheet draws them");
    if (request_has(asked, OPTION_FORMAT) && !folder)
        return session_usage(all->run, "--format is for the files of -o DIR");
    if (request_has(asked, OPTION_CUT) && !*asked->values[OPTION_CUT])
        return session_usage(all->run, "--cut takes a name for the clips: --cut kick");
    if (request_has(asked, OPTION_ADD) && !request_has(asked, OPTION_CUT))
        return session_usage(all->run, "--add is for the clips of --cut NAME");
    if (request_has(asked, OPTION_PATHS) && !all->run->json)
        return session_usage(all->run, "--paths is for --json");
    return PROGRAM_DONE;
}

/* Zero means the default there; here it means zero. */
static int read_shares(searching *all)
{
    marey_search_def *def = &all->def.search;
    int status = options_number(all->run, all->asked, OPTION_SAME, 1e-6, 1, &def->same);
    if (status == PROGRAM_DONE)
        status = options_number(all->run, all->asked, OPTION_DISTINCT, 0, 1, &def->distinct);
    if (status == PROGRAM_DONE)
        status = options_number(all->run, all->asked, OPTION_LOOSE, 0, 0.5, &def->loose);
    if (request_has(all->asked, OPTION_DISTINCT) && def->distinct == 0) def->distinct = DBL_MIN;
    if (request_has(all->asked, OPTION_LOOSE) && def->loose == 0) def->loose = -1;
    return status;
}

static int read_options(searching *all)
{
    session *run = all->run;
    const request *asked = all->asked;
    const char *format = "bvh";
    int64_t tiers = 0, limit = 0;
    int status = input_options(run, asked, &all->load);
    if (status == PROGRAM_DONE) status = options_threshold(run, asked, &all->def.search.threshold);
    if (status == PROGRAM_DONE)
        status = options_whole(run, asked, OPTION_TIERS, 1, INT32_MAX, &tiers);
    if (status == PROGRAM_DONE)
        status = options_whole(run, asked, OPTION_LIMIT, 1, MOST_MATCHES, &limit);
    if (status == PROGRAM_DONE) status = read_shares(all);
    if (status == PROGRAM_DONE) status = options_word(run, asked, OPTION_FORMAT, &format);
    if (status != PROGRAM_DONE) return status;
    all->def.search.tiers = (int)tiers;
    all->def.search.limit = (int)limit;
    all->def.label = asked->values[OPTION_LABEL];
    all->ending = format_ending(format);
    if (!address_parse(asked->operands[1], &all->from))
        return session_usage(run, "this name is too long");
    return check_use(all);
}

/* ---- what is searched for, and where --------------------------------------------------------------- */

static marey_status find_range(searching *all, int frames, double fps, int dropped,
                               marey_error *error)
{
    all->query.start = 0;
    all->query.end = frames;
    all->fps = fps;
    if (!all->from.range.given) return MAREY_OK;
    marey_status status = range_find_among(&all->from.range, frames, fps, dropped,
                                           &all->query.start, &all->query.end, error);
    if (status != MAREY_OK) snprintf(error->path, sizeof error->path, "%.1000s", all->from.path);
    return status;
}

/* A name of the library wins. What is neither that nor a file is most likely a name with a slip of the finger. */
static marey_status find_query(searching *all, marey_error *error)
{
    const char *path = all->from.path;
    const marey_entry *entry = listing_find(all->listing, path);
    if (entry || !input_is_file(path)) {
        all->query.clip = path;
        if (entry) return find_range(all, entry->frames, entry->fps, 0, error);
        /* Fails with the nearest name. */
        marey_status status = marey_library_load(all->at.library, path, &all->outside, error);
        if (marey_status_group(status) == MAREY_ERR_INPUT) address_explain(path, error);
        return status;
    }
    marey_status status = marey_clip_load(all->run->ctx, path, &all->load, &all->outside, error);
    if (status != MAREY_OK) return status;
    input_say_warnings(all->run, path, all->outside, 0);
    all->query.outside = all->outside;
    return find_range(all, marey_clip_frames(all->outside), marey_clip_fps(all->outside),
                      all->load.skip_first ? 1 : 0, error);
}

static marey_status find_clips(searching *all, marey_error *error)
{
    const char *name;
    int at = 0;
    while ((name = request_next(all->asked, OPTION_IN, &at))) {
        marey_clip *none = NULL;
        const marey_entry *entry = listing_find(all->listing, name);
        if (!entry) {
            /* Fails with the nearest name. */
            marey_status status = marey_library_load(all->at.library, name, &none, error);
            marey_clip_free(none);
            if (status != MAREY_OK) return status;
            *error = (marey_error){ .status = MAREY_ERR_REQUEST,
                                    .message = "this clip was put in just now; search again" };
            snprintf(error->path, sizeof error->path, "%.1000s", name);
            return MAREY_ERR_REQUEST;
        }
        all->in[all->def.clip_count++] = entry->id;
    }
    all->def.clips = all->in;
    return MAREY_OK;
}

static marey_status find(searching *all, marey_error *error)
{
    marey_searcher *searcher = NULL;
    marey_index_state state;
    marey_status status = marey_library_index_state(all->at.library, &state, error);
    if (status == MAREY_OK) status = marey_searcher_open(all->at.library, &searcher, error);
    if (status == MAREY_OK) {
        all->metric = state.metric;
        all->squared = marey_metric_named(state.metric)->squared;
        status = marey_searcher_find(searcher, &all->query, &all->def, &all->finding, error);
        /* The library knows a file's clip by its name only. */
        if (status != MAREY_OK && all->outside &&
            strcmp(error->path, marey_clip_name(all->outside)) == 0) {
            snprintf(error->path, sizeof error->path, "%.1000s", all->from.path);
        }
    }
    if (status == MAREY_OK) all->matches = marey_finding_matches(all->finding, &all->count);
    marey_searcher_free(searcher);
    return status;
}

/* ---- doing it -------------------------------------------------------------------------------------- */

static found_out out_of(const searching *all)
{
    return (found_out){ .run = all->run,
                        .library = all->at.library,
                        .listing = all->listing,
                        .matches = all->matches,
                        .count = all->count,
                        .outside = all->outside,
                        .squared = all->squared };
}

static marey_status write_files(searching *all, marey_error *error)
{
    found_out from = out_of(all);
    json files = json_make(&all->files);
    const char *sheet = all->asked->values[OPTION_SHEET];
    const char *folder = all->asked->values[OPTION_OUTPUT];
    marey_status status = sheet ? found_sheet(&from, sheet, error) : MAREY_OK;
    if (status == MAREY_OK && folder)
        status = found_files(&from, folder, all->ending, &files, &all->written, error);
    return status;
}

/* Their names are known only when they are made: there is room for them before. */
static marey_status make_clips(searching *all, marey_error *error)
{
    const char *name = all->asked->values[OPTION_CUT];
    found_out from = out_of(all);
    int64_t room = 6 * (int64_t)CLIP_NAME_ROOM * all->count + 256;
    size_t bytes = (size_t)all->count * sizeof *all->clips;
    if (!name) return MAREY_OK;
    marey_status status =
        shelf_ready_for(all->run, room < INT32_MAX ? (int)room : INT32_MAX, error);
    all->clips = status == MAREY_OK ? session_resize(all->run, NULL, 0, bytes) : NULL;
    if (status == MAREY_OK && !all->clips) {
        *error = (marey_error){ .status = MAREY_ERR_MEMORY, .message = "out of memory" };
        status = MAREY_ERR_MEMORY;
    }
    if (status == MAREY_OK)
        status = found_cuts(&from, name, all->asked, all->clips, &all->clip_count, error);
    return status;
}

static marey_status search(searching *all, marey_error *error)
{
    json to = json_make(&all->run->out);
    marey_status status = marey_library_list(all->at.library, NULL, &all->listing, error);
    if (status == MAREY_OK) status = find_query(all, error);
    if (status == MAREY_OK) status = find_clips(all, error);
    if (status == MAREY_OK) found_warn_short(all->run, all->query.end - all->query.start, all->fps);
    if (status == MAREY_OK) status = find(all, error);
    if (status == MAREY_OK) status = write_files(all, error);
    if (status != MAREY_OK) return status;
    status = found_answer(all, &to, error);
    if (status == MAREY_OK) status = make_clips(all, error);
    if (status == MAREY_OK) found_warn(all);
    if (status == MAREY_OK) found_answer_end(all, &to);
    return status;
}

int command_search(session *run, const request *asked)
{
    searching all = { .run = run, .asked = asked, .files = buffer_make(&run->host->def) };
    marey_error error;
    int exit = read_options(&all);
    if (exit != PROGRAM_DONE) return exit;
    marey_library_mode mode =
        request_has(asked, OPTION_CUT) ? MAREY_LIBRARY_WRITE : MAREY_LIBRARY_READ;
    if (shelf_open(run, asked->operands[0], mode, &all.at, &error) != MAREY_OK)
        return session_fail(run, &error);
    marey_status status = search(&all, &error);
    if (all.clips) session_resize(run, all.clips, (size_t)all.count * sizeof *all.clips, 0);
    marey_finding_free(all.finding);
    marey_clip_free(all.outside);
    marey_listing_free(all.listing);
    buffer_free(&all.files);
    return shelf_end(&all.at, status, &error);
}
