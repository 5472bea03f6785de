/* asked_example.c - asking a library by an example. */
#include "asked_example.h"

#include "graph_open.h"
#include "metric_options.h"
#include "param_family.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- options --------------------------------------------------------------------------------------- */

void dof_text(const marey_dof *dof, char *text, size_t room)
{
    snprintf(text, room, "%s.%s", dof->joint, marey_channel_name(dof->channel));
}

int options_dofs(session *run, const request *asked, const char *fallback, marey_dof *dofs,
                 int *count)
{
    const char *text = asked->values[OPTION_DOF];
    marey_error error;
    *count = 0;
    if (!text) text = fallback;
    if (!text) return PROGRAM_DONE;
    if (marey_dofs_parse(text, dofs, count, &error) == MAREY_OK) return PROGRAM_DONE;
    return session_usage(run, "--dof: %s", error.message);
}

int asked_example_options(asked_example *of, session *run, const request *asked, const char *text)
{
    const marey_ctx_def *memory = &run->host->def;
    int64_t k = 0, best = 0;
    *of = (asked_example){ .run = run,
                           .asked = asked,
                           .text = text,
                           .def = { .shape = request_has(asked, OPTION_SHAPE),
                                    .plain = request_has(asked, OPTION_PLAIN) },
                           .values = buffer_make(memory),
                           .clips = buffer_make(memory),
                           .entries = buffer_make(memory) };
    int status = input_options(run, asked, &of->load);
    if (status == PROGRAM_DONE)
        status = options_whole(run, asked, OPTION_K, 1, MAREY_EXAMPLE_MOST_K, &k);
    if (status == PROGRAM_DONE)
        status = options_whole(run, asked, OPTION_BEST, 1, MAREY_EXAMPLE_MOST_BEST, &best);
    if (status == PROGRAM_DONE)
        status = options_number(run, asked, OPTION_NOISE, 0, 1e6, &of->def.noise);
    if (status == PROGRAM_DONE) status = options_dofs(run, asked, NULL, of->dofs, &of->dof_count);
    if (status == PROGRAM_DONE && !address_parse(text, &of->at))
        status = session_usage(run, "this name is too long");
    /* Zero means the default there; here it means none. */
    if (request_has(asked, OPTION_NOISE) && of->def.noise == 0) of->def.noise = -1;
    of->find = (marey_example_find_def){ .k = (int)k, .best = (int)best };
    return status;
}

static marey_clip **clips_of(const asked_example *of)
{
    return (marey_clip **)(void *)of->clips.bytes;
}

void asked_example_free(asked_example *of)
{
    marey_example_found_free(of->found);
    marey_examples_free(of->examples);
    for (int i = 0; i < of->clip_count; i++) marey_clip_free(clips_of(of)[i]);
    marey_clip_free(of->clip);
    drawn_curve_free(&of->drawn);
    buffer_free(&of->values);
    buffer_free(&of->clips);
    buffer_free(&of->entries);
}

const marey_entry *asked_example_entry(const asked_example *of, int clip)
{
    return ((const marey_entry **)(void *)of->entries.bytes)[clip];
}

/* ---- the query ------------------------------------------------------------------------------------- */

static marey_status find_range(asked_example *of, int dropped, marey_error *error)
{
    of->start = 0;
    of->end = marey_clip_frames(of->clip);
    of->fps = marey_clip_fps(of->clip);
    if (of->at.range.given) {
        marey_status status =
            range_find(&of->at.range, of->clip, dropped, &of->start, &of->end, error);
        if (status != MAREY_OK) {
            snprintf(error->path, sizeof error->path, "%.1000s", of->at.path);
            return status;
        }
    }
    of->samples = of->end - of->start;
    if (of->samples >= 2) return MAREY_OK;
    return fail_graph(error, MAREY_ERR_REQUEST, of->at.path,
                      "one frame is no movement; ask by a stretch, as in walk#120-300");
}

/* A name of the library wins. What is neither that nor a file is most likely a name with a slip of the finger. */
static marey_status read_clip(asked_example *of, marey_error *error)
{
    const char *path = of->at.path;
    of->entry = listing_find(of->listing, path);
    if (of->entry || !input_is_file(path)) {
        marey_status status = marey_library_load(of->library, path, &of->clip, error);
        if (marey_status_group(status) == MAREY_ERR_INPUT) address_explain(path, error);
        return status == MAREY_OK ? find_range(of, 0, error) : status;
    }
    marey_status status = marey_clip_load(of->run->ctx, path, &of->load, &of->clip, error);
    if (status != MAREY_OK) return status;
    input_say_warnings(of->run, path, of->clip, 0);
    return find_range(of, of->load.skip_first ? 1 : 0, error);
}

static bool is_drawn(const asked_example *of)
{
    return path_ends_in(of->text, ".csv") && !listing_find(of->listing, of->at.path);
}

static marey_status read_curve(asked_example *of, marey_error *error)
{
    marey_status status = drawn_curve_read(of->run, of->text, &of->drawn, error);
    if (status != MAREY_OK) return status;
    of->samples = of->drawn.samples;
    of->fps = of->drawn.fps;
    if (of->dof_count == 0 && of->drawn.names.bytes && *of->drawn.names.bytes) {
        status = marey_dofs_parse(of->drawn.names.bytes, of->dofs, &of->dof_count, error);
        if (status != MAREY_OK) {
            snprintf(error->path, sizeof error->path, "%.1000s", of->text);
            error->line = 1;
            return status;
        }
    }
    if (of->dof_count == 0 || of->dof_count == of->drawn.signals) return MAREY_OK;
    return fail_graph(error, MAREY_ERR_REQUEST, of->text,
                      "this curve has %d value%s behind each time, and --dof names %d",
                      of->drawn.signals, of->drawn.signals == 1 ? "" : "s", of->dof_count);
}

/* ---- signals --------------------------------------------------------------------------------------- */

static double range_of(const double *values, int start, int end)
{
    double low = INFINITY, high = -INFINITY;
    for (int f = start; f < end; f++) {
        if (values[f] < low) low = values[f];
        if (values[f] > high) high = values[f];
    }
    return high - low;
}

marey_status dof_bending(session *run, const marey_clip *clip, int start, int end, marey_role role,
                         marey_dof *out, bool *there, marey_error *error)
{
    const marey_skeleton *skeleton = marey_clip_skeleton(clip);
    size_t bytes = (size_t)marey_clip_frames(clip) * sizeof(double);
    double widest = -1;
    *there = false;
    if (skeleton->roles[role] < 0) return MAREY_OK;
    const marey_joint *joint = &skeleton->joints[skeleton->roles[role]];
    double *values = session_resize(run, NULL, 0, bytes);
    marey_status status = values ? MAREY_OK : fail_for_memory(error);
    for (int c = 0; c < joint->channel_count && status == MAREY_OK; c++) {
        marey_dof dof = { .channel = joint->channels[c] };
        if (dof.channel < MAREY_CHANNEL_X_ROTATION || dof.channel > MAREY_CHANNEL_Z_ROTATION)
            continue;
        snprintf(dof.joint, sizeof dof.joint, "%s", marey_role_name(role));
        status = marey_clip_signal(clip, &dof, values, error);
        double range = status == MAREY_OK ? range_of(values, start, end) : -1;
        if (range <= widest) continue;
        widest = range;
        *out = dof;
        *there = true;
    }
    if (values) session_resize(run, values, bytes, 0);
    return status;
}

/* What bends the hips, then the knees: whatever else people do, that is what tells walks, runs, jumps and rests from each
   other. Chosen by ten queries of the demo's clips, ranked by whether clips share a label with the query: mean average precision
   0.80 with these four, 0.69 with the left hip alone, 0.52 with the left knee alone. A clip may lack all but the first; a
   curve has as many as it has values. */
static marey_status choose_dofs(asked_example *of, const marey_clip *clip, int start, int end,
                                int count, marey_error *error)
{
    static const marey_role roles[] = { MAREY_ROLE_LEFT_HIP, MAREY_ROLE_RIGHT_HIP,
                                        MAREY_ROLE_LEFT_KNEE, MAREY_ROLE_RIGHT_KNEE };
    enum { MOST = sizeof roles / sizeof *roles };
    int found = 0;
    if (count > MOST) {
        return fail_graph(error, MAREY_ERR_REQUEST, of->text,
                          "--dof must name %d signals, as in LeftArm.Zrotation,Hips.Yposition",
                          count);
    }
    for (int i = 0; i < (count ? count : MOST); i++) {
        bool there;
        marey_status status =
            dof_bending(of->run, clip, start, end, roles[i], &of->dofs[found], &there, error);
        if (status != MAREY_OK) return status;
        found += there;
        if (there || (count == 0 && i > 0)) continue;
        return fail_graph(error, MAREY_ERR_REQUEST, of->text,
                          "--dof is needed: the skeleton has no joint that is known as the %s",
                          marey_role_name(roles[i]));
    }
    of->dof_count = found;
    return MAREY_OK;
}

static marey_status read_signals(asked_example *of, marey_error *error)
{
    size_t frames = (size_t)marey_clip_frames(of->clip);
    double *values = session_resize(of->run, NULL, 0, frames * sizeof *values);
    marey_status status = values ? MAREY_OK : fail_for_memory(error);
    for (int d = 0; d < of->dof_count && status == MAREY_OK; d++) {
        status = marey_clip_signal(of->clip, &of->dofs[d], values, error);
        if (status != MAREY_OK) break;
        buffer_bytes(&of->values, (const char *)(values + of->start),
                     (size_t)of->samples * sizeof *values);
    }
    if (values) session_resize(of->run, values, frames * sizeof *values, 0);
    if (status == MAREY_OK && of->values.failed) return fail_for_memory(error);
    return status;
}

static marey_status read_query(asked_example *of, marey_error *error)
{
    if (is_drawn(of)) return read_curve(of, error);
    marey_status status = read_clip(of, error);
    if (status == MAREY_OK && of->dof_count == 0)
        status = choose_dofs(of, of->clip, of->start, of->end, 0, error);
    return status == MAREY_OK ? read_signals(of, error) : status;
}

/* ---- where it is looked for ------------------------------------------------------------------------ */

static bool is_wanted(const asked_example *of, const marey_entry *entry)
{
    const char *label = of->asked->values[OPTION_LABEL], *name;
    bool labelled = !label, named = !request_has(of->asked, OPTION_IN);
    int at = 0;
    if (request_has(of->asked, OPTION_OTHERS) && of->entry && entry->id == of->entry->id)
        return false;
    for (int i = 0; i < entry->label_count && !labelled; i++)
        labelled = strcmp(entry->labels[i], label) == 0;
    while (!named && (name = request_next(of->asked, OPTION_IN, &at))) {
        const marey_entry *meant = listing_find(of->listing, name);
        named = meant && meant->id == entry->id;
    }
    return labelled && named;
}

/* Names that are none are refused with the nearest that is. */
static marey_status check_names(const asked_example *of, marey_error *error)
{
    const char *name;
    int at = 0;
    while ((name = request_next(of->asked, OPTION_IN, &at))) {
        marey_clip *none = NULL;
        if (listing_find(of->listing, name)) continue;
        marey_status status = marey_library_load(of->library, name, &none, error);
        marey_clip_free(none);
        if (status != MAREY_OK) return status;
        return fail_graph(error, MAREY_ERR_REQUEST, name, "this clip was put in just now; again");
    }
    return MAREY_OK;
}

static marey_status load_clips(asked_example *of, marey_error *error)
{
    int count;
    const marey_entry *entries = marey_listing_entries(of->listing, &count);
    marey_status status = check_names(of, error);
    for (int i = 0; i < count && status == MAREY_OK; i++) {
        const marey_entry *entry = &entries[i];
        char number[24];
        marey_clip *clip = NULL;
        if (!is_wanted(of, entry)) continue;
        session_progress(of->run, "reading clips", i, count);
        snprintf(number, sizeof number, "#%lld", (long long)entry->id);
        status = marey_library_load(of->library, number, &clip, error);
        if (status != MAREY_OK) break;
        buffer_bytes(&of->clips, (const char *)&clip, sizeof clip);
        buffer_bytes(&of->entries, (const char *)&entry, sizeof entry);
        if (of->clips.failed || of->entries.failed) {
            marey_clip_free(clip);
            return fail_for_memory(error);
        }
        of->clip_count++;
    }
    if (status != MAREY_OK || of->clip_count > 0) return status;
    if (count == 0) {
        return fail_graph(error, MAREY_ERR_REQUEST, marey_library_path(of->library),
                          "this library has no clips; marey add puts some in");
    }
    return fail_graph(error, MAREY_ERR_REQUEST, marey_library_path(of->library),
                      "there is no clip to look in; marey ls shows clips and labels");
}

/* A drawn curve does not say what it is of: the first clip with such joints does. */
static marey_status choose_for_curve(asked_example *of, marey_error *error)
{
    marey_status status = MAREY_OK;
    for (int i = 0; i < of->clip_count; i++) {
        const marey_clip *clip = clips_of(of)[i];
        status = choose_dofs(of, clip, 0, marey_clip_frames(clip), of->drawn.signals, error);
        if (status != MAREY_ERR_REQUEST) break;
    }
    return status;
}

static marey_status open_examples(asked_example *of, marey_error *error)
{
    double start = seconds_now();
    marey_status status =
        marey_examples_open(of->run->ctx, (const marey_clip *const *)clips_of(of), of->clip_count,
                            of->dofs, of->dof_count, &of->def, &of->examples, error);
    of->opening_s = seconds_now() - start;
    if (status != MAREY_OK || marey_examples_left_out(of->examples) < of->clip_count) return status;
    /* Which signals there are, somebody who asks for others needs to know. */
    const marey_clip *first = clips_of(of)[0];
    size_t bytes = (size_t)marey_clip_frames(first) * sizeof(double);
    double *values = session_resize(of->run, NULL, 0, bytes);
    if (!values) return fail_for_memory(error);
    for (int d = 0; d < of->dof_count && status == MAREY_OK; d++)
        status = marey_clip_signal(first, &of->dofs[d], values, error);
    session_resize(of->run, values, bytes, 0);
    if (status != MAREY_OK) return status;
    return fail_graph(error, MAREY_ERR_REQUEST, of->text, "no clip has all of these signals");
}

/* ---- asking ---------------------------------------------------------------------------------------- */

static marey_status ask(asked_example *of, marey_error *error)
{
    const buffer *values = of->clip ? &of->values : &of->drawn.values;
    const double *all = (const double *)(const void *)values->bytes;
    size_t row = (size_t)of->used * sizeof *all;
    buffer some = buffer_make(&of->run->host->def);
    for (int d = 0; d < of->dof_count; d++)
        buffer_bytes(&some, (const char *)(all + (size_t)d * of->samples + of->first_sample), row);
    if (some.failed) {
        buffer_free(&some);
        return fail_for_memory(error);
    }
    marey_example_query query = { .samples = of->used,
                                  .fps = of->fps,
                                  .values = (const double *)(const void *)some.bytes };
    marey_example_found_free(of->found);
    of->found = NULL;
    double start = seconds_now();
    marey_status status =
        marey_examples_find(of->run->ctx, of->examples, &query, &of->find, &of->found, error);
    of->seconds = seconds_now() - start;
    buffer_free(&some);
    return status;
}

/* Where a clip begins and ends nothing is cut off; a drawn curve is meant as it is. */
static marey_status ask_whole(asked_example *of, marey_error *error)
{
    int count;
    const marey_fragment *fragments = marey_example_fragments(of->found, &count);
    bool first = of->start > 0, last = of->end < marey_clip_frames(of->clip);
    if (count - first - last < 1 || !(first || last)) return MAREY_OK;
    int start = first ? (int)lround(fragments[0].end) : 0;
    int end = last ? (int)lround(fragments[count - 1].start) + 1 : of->samples;
    if (end - start < 2) return MAREY_OK;
    of->first_sample = start;
    of->used = end - start;
    return ask(of, error);
}

marey_status asked_example_find(asked_example *of, marey_library *library,
                                const marey_listing *listing, marey_error *error)
{
    of->library = library;
    of->listing = listing;
    marey_status status = read_query(of, error);
    if (status == MAREY_OK) status = load_clips(of, error);
    if (status == MAREY_OK && of->dof_count == 0) status = choose_for_curve(of, error);
    if (status == MAREY_OK) status = open_examples(of, error);
    if (status != MAREY_OK) return status;
    of->used = of->samples;
    status = ask(of, error);
    if (status == MAREY_OK && of->clip && request_has(of->asked, OPTION_WHOLE))
        status = ask_whole(of, error);
    if (status == MAREY_ERR_REQUEST && !*error->path)
        snprintf(error->path, sizeof error->path, "%.1000s", of->text);
    return status;
}
