/* metric_options.c - from a command line to two clips and a metric. */
#include "metric_options.h"

#include "clip_facts.h"
#include "commands.h"
#include "shelf.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- options --------------------------------------------------------------------------------------- */

/* "1,0.5,2": as many numbers as the metric has terms. */
static int read_attributes(session *run, const request *asked, marey_metric_def *def)
{
    const char *text = asked->values[OPTION_ATTRIBUTES], *at = text;
    const marey_metric *metric = def->metric;
    int count = 0;
    if (!text) return PROGRAM_DONE;
    if (metric->attribute_count == 0) {
        return session_usage(run, "the metric %s has no terms to weigh", metric->name);
    }
    def->attributes_given = true;
    while (count < metric->attribute_count) {
        char *end = NULL;
        double value = strtod(at, &end);
        bool plain = strspn(at, ".0123456789eE+-") == (size_t)(end - at) && end > at;
        if (!plain || !(value >= 0 && value <= 1e12)) break;
        def->attributes[count++] = value;
        at = end;
        if (*at != ',' || count == metric->attribute_count) break;
        at++;
    }
    double sum = 0;
    for (int i = 0; i < count; i++) sum += def->attributes[i];
    if (count == metric->attribute_count && *at == 0 && sum > 0) return PROGRAM_DONE;
    return session_usage(
        run, "--attributes of %s takes %d numbers >= 0, not all 0, as in %s, not \"%s\"",
        metric->name, metric->attribute_count,
        metric->attribute_count == 3 ? "1,0.5,0.1" : "1,0.5,0.1,0.1", text);
}

static int read_joints(session *run, const request *asked, marey_metric_def *def,
                       marey_joint_weights *joints)
{
    const char *text = asked->values[OPTION_JOINTS];
    marey_error error;
    if (!text) return PROGRAM_DONE;
    if (marey_joint_weights_parse(text, joints, &error) != MAREY_OK) {
        return session_usage(run, "--joints: %s", error.message);
    }
    def->joints = joints;
    return PROGRAM_DONE;
}

/* What belongs to one metric is refused with another: it would do nothing. compare goes through them all. */
static int check_use(session *run, const request *asked, const marey_metric_def *def)
{
    static const struct {
        option_key key;
        const char *name;
        marey_metric_option option;
    } only[] = { { OPTION_FIXED_ROOT, "fixed-root", MAREY_METRIC_FIXED_ROOT },
                 { OPTION_NORMALIZE, "normalize", MAREY_METRIC_STEPS },
                 { OPTION_CANDIDATES, "candidates", MAREY_METRIC_CANDIDATES },
                 { OPTION_GAUSSIAN, "gaussian", MAREY_METRIC_CANDIDATES },
                 { OPTION_NORMALISED, "normalised", MAREY_METRIC_CANDIDATES } };
    const char *name = def->metric->name;
    const option_row *row = run->command->options;
    while (row->name && row->key != OPTION_METRIC) row++;
    if (!row->name) return PROGRAM_DONE;
    for (size_t i = 0; i < sizeof only / sizeof *only; i++) {
        if (!request_has(asked, only[i].key) || def->metric->options & only[i].option) continue;
        int other = 0; /* the metric that has it */
        while (!(marey_metric_find(other)->options & only[i].option)) other++;
        return session_usage(run, "--%s is for --metric %s, not for %s", only[i].name,
                             marey_metric_find(other)->name, name);
    }
    bool windowed = request_has(asked, OPTION_WINDOW) || request_has(asked, OPTION_TAPERED);
    if (!windowed || def->metric->window > 1) return PROGRAM_DONE;
    return session_usage(run, "the metric %s compares single frames and has no window", name);
}

static int read_numbers(session *run, const request *asked, marey_metric_def *def)
{
    int64_t window = 0;
    int status = PROGRAM_DONE;
    if (request_has(asked, OPTION_WINDOW)) {
        status = options_whole(run, asked, OPTION_WINDOW, def->metric->least_window,
                               MAREY_MOST_WINDOW, &window);
    }
    def->window = (int)window;
    if (status == PROGRAM_DONE) {
        status = options_number(run, asked, OPTION_CANDIDATES, 1e-6, 1, &def->candidates);
    }
    if (status == PROGRAM_DONE) {
        status = options_number(run, asked, OPTION_GAUSSIAN, 1e-3, 10, &def->smooth_s);
    }
    return status;
}

int metric_options(session *run, const request *asked, marey_metric_def *def,
                   marey_joint_weights *joints)
{
    const char *name = asked->values[OPTION_METRIC];
    if (name) {
        int known = options_word(run, asked, OPTION_METRIC, &name);
        if (known != PROGRAM_DONE) return known;
    }
    *def = (marey_metric_def){ .metric = name ? marey_metric_named(name) : marey_metric_find(0),
                               .tapered = request_has(asked, OPTION_TAPERED),
                               .fixed_root = request_has(asked, OPTION_FIXED_ROOT),
                               .normalised = request_has(asked, OPTION_NORMALISED) };
    int status = check_use(run, asked, def);
    if (status == PROGRAM_DONE) status = read_numbers(run, asked, def);
    if (status == PROGRAM_DONE) status = read_joints(run, asked, def, joints);
    if (status == PROGRAM_DONE) status = read_attributes(run, asked, def);
    return status;
}

int comparison_open(comparison *all, session *run, const request *asked)
{
    *all = (comparison){ .run = run, .asked = asked };
    int status = metric_options(run, asked, &all->def, &all->joints);
    if (status == PROGRAM_DONE) status = input_rate(run, asked, &all->fps);
    return status == PROGRAM_DONE ? input_open(run, asked, &all->from) : status;
}

static void forget_measures(comparison *all)
{
    for (int side = 0; side < 2; side++) {
        marey_features_free(all->features[side]);
        all->features[side] = NULL;
    }
    marey_layout_free(all->layout);
    all->layout = NULL;
}

void comparison_close(comparison *all)
{
    forget_measures(all);
    for (int side = 0; side < 2; side++) {
        marey_clip_free(all->own[side]);
        marey_clip_free(all->clips[side]);
    }
    for (int i = 0; i < all->library_count; i++) marey_clip_free(all->library[i]);
    session_resize(all->run, all->library, all->library_bytes, 0);
    input_close(&all->from);
}

/* ---- clips ----------------------------------------------------------------------------------------- */

static double common_rate(const comparison *all)
{
    return fmin(marey_clip_fps(all->clips[0]), marey_clip_fps(all->clips[1]));
}

/* The layout takes the lowest rate of all its clips; a slow clip of the library shall not change the grid. */
static marey_status at_rate(marey_clip **clip, double fps, const char *name, marey_error *error)
{
    marey_clip *fresh = NULL;
    if (marey_clip_fps(*clip) >= fps) return MAREY_OK;
    marey_status status = marey_clip_resample(*clip, fps, &fresh, error);
    return input_replace(clip, fresh, status, name, error);
}

/* Clips with other joints are left out where the two have the same ones, so that these stay what is compared. */
static marey_status take_clips(comparison *all, marey_library *library, const marey_entry *entries,
                               int count, marey_error *error)
{
    bool alike = have_same_joints(all->clips[0], all->clips[1]);
    for (int i = 0; i < count; i++) {
        marey_clip *clip = NULL;
        session_progress(all->run, "reading", i, count);
        marey_status status = marey_library_load(library, entries[i].name, &clip, error);
        if (status != MAREY_OK) return status;
        if (alike && !have_same_joints(all->clips[0], clip)) {
            marey_clip_free(clip);
            continue;
        }
        status = at_rate(&clip, common_rate(all), entries[i].name, error);
        if (status != MAREY_OK) return status;
        all->library[all->library_count++] = clip;
    }
    if (all->library_count > 0) return MAREY_OK;
    *error = (marey_error){ .status = MAREY_ERR_REQUEST,
                            .message = "no clip of this library has the joints of the two" };
    snprintf(error->path, sizeof error->path, "%s", marey_library_path(library));
    return MAREY_ERR_REQUEST;
}

static marey_status fail_memory(marey_error *error)
{
    *error = (marey_error){ .status = MAREY_ERR_MEMORY, .message = "out of memory" };
    return MAREY_ERR_MEMORY;
}

static marey_status load_library(comparison *all, marey_library *library, marey_error *error)
{
    marey_listing *listing = NULL;
    int count = 0;
    marey_status status = marey_library_list(library, NULL, &listing, error);
    if (status != MAREY_OK) return status;
    const marey_entry *entries = marey_listing_entries(listing, &count);
    /* Room for the two as well: they are handed on as one list. */
    size_t bytes = ((size_t)count + 2) * sizeof(marey_clip *);
    all->library = session_resize(all->run, NULL, 0, bytes);
    if (all->library) all->library_bytes = bytes;
    status = all->library ? take_clips(all, library, entries, count, error) : fail_memory(error);
    marey_listing_free(listing);
    return status;
}

static marey_status load_normalizers(comparison *all, marey_error *error)
{
    const char *path = all->asked->values[OPTION_NORMALIZE];
    marey_library *library = NULL;
    if (!path) return MAREY_OK;
    marey_status status =
        marey_library_open(all->run->ctx, path, MAREY_LIBRARY_READ, &library, error);
    if (status != MAREY_OK) return status;
    status = load_library(all, library, error);
    marey_library_close(library);
    return status;
}

static marey_status resample_side(comparison *all, int side, marey_error *error)
{
    const char *text = all->asked->operands[side];
    if (all->fps == 0 || marey_clip_fps(all->clips[side]) == all->fps) return MAREY_OK;
    all->own[side] = all->clips[side];
    all->clips[side] = NULL;
    marey_status status = marey_clip_resample(all->own[side], all->fps, &all->clips[side], error);
    if (status != MAREY_OK) snprintf(error->path, sizeof error->path, "%s", text);
    return status;
}

marey_status comparison_load(comparison *all, marey_error *error)
{
    marey_status status = MAREY_OK;
    for (int side = 0; side < 2 && status == MAREY_OK; side++) {
        status = input_load(&all->from, all->asked->operands[side], &(frame_range){ 0 },
                            &all->clips[side], &all->sources[side], error);
    }
    for (int side = 0; side < 2 && status == MAREY_OK; side++) {
        status = resample_side(all, side, error);
    }
    if (status == MAREY_OK) status = load_normalizers(all, error);
    return status;
}

/* ---- measures -------------------------------------------------------------------------------------- */

static marey_status build_layout(comparison *all, const marey_metric_def *def, marey_error *error)
{
    const marey_clip *two[2] = { all->clips[0], all->clips[1] };
    const marey_clip *const *list = two;
    int count = 2;
    if (all->library && def->metric->options & MAREY_METRIC_STEPS) {
        /* The two come first: the layout's scale is that of the first clip. */
        int more = all->library_count;
        marey_clip **room = all->library;
        memmove(room + 2, room, (size_t)more * sizeof *room);
        memcpy(room, all->clips, sizeof two);
        list = (const marey_clip *const *)room;
        count += more;
    }
    marey_status status = marey_layout_build(all->run->ctx, list, count, def, &all->layout, error);
    if (count > 2) {
        memmove(all->library, all->library + 2, (size_t)all->library_count * sizeof *all->library);
    }
    return status;
}

marey_status comparison_measure(comparison *all, const marey_metric_def *def, marey_error *error)
{
    double start = seconds_now();
    forget_measures(all);
    marey_status status = build_layout(all, def, error);
    for (int side = 0; side < 2 && status == MAREY_OK; side++) {
        status = marey_features_build(all->layout, all->clips[side], &all->features[side], error);
    }
    all->seconds = seconds_now() - start;
    return status;
}

const marey_clip *comparison_own(const comparison *all, int side)
{
    return all->own[side] ? all->own[side] : all->clips[side];
}

/* Counted from the first frame of the clip in hand. */
static int own_frame(const comparison *all, int side, int row)
{
    const marey_clip *own = comparison_own(all, side);
    int frame = marey_features_frame(all->features[side], row);
    if (own != all->clips[side]) {
        frame = (int)lround(frame * marey_clip_fps(own) / marey_clip_fps(all->clips[side]));
    }
    return frame < marey_clip_frames(own) ? frame : marey_clip_frames(own) - 1;
}

int comparison_frame(const comparison *all, int side, int row)
{
    return all->sources[side].start + own_frame(all, side, row);
}

int comparison_row(const comparison *all, int side, int frame)
{
    const marey_clip *own = comparison_own(all, side);
    int at = frame - all->sources[side].start;
    if (own != all->clips[side]) {
        int last = marey_clip_frames(all->clips[side]) - 1;
        at = (int)lround(at * marey_clip_fps(all->clips[side]) / marey_clip_fps(own));
        if (at > last) at = last;
    }
    return marey_features_row(all->features[side], at);
}

bool comparison_is_captured(const comparison *all, int side, int row)
{
    return is_captured(comparison_own(all, side), own_frame(all, side, row));
}

/* ---- the answer ------------------------------------------------------------------------------------ */

static bool is_raw(const comparison *all)
{
    return marey_clip_units(all->clips[0]) == MAREY_UNITS_RAW;
}

const char *comparison_unit(const comparison *all)
{
    const char *unit = marey_layout_def(all->layout)->metric->unit;
    if (!is_raw(all) || !*unit) return unit;
    return strcmp(unit, "cm2") == 0 ? "raw2" : "raw";
}

bool comparison_is_squared(const comparison *all)
{
    return marey_layout_def(all->layout)->metric->squared;
}

void comparison_json(const comparison *all, json *to)
{
    const marey_metric_def *def = marey_layout_def(all->layout);
    json_put_string(to, "metric", def->metric->name);
    json_put_string(to, "unit", comparison_unit(all));
    json_put_integer(to, "window", def->window);
    json_put_string(to, "joints", def->joints->name);
    json_put_number(to, "fps", marey_layout_fps(all->layout));
    json_put_boolean(to, "by_roles", marey_layout_by_roles(all->layout));
    if (all->library) json_put_integer(to, "normalized_by", all->library_count);
}

void comparison_text(const comparison *all, buffer *out)
{
    const marey_metric_def *def = marey_layout_def(all->layout);
    buffer_shown(out, short_name(all->asked->operands[0]));
    buffer_text(out, " x ");
    buffer_shown(out, short_name(all->asked->operands[1]));
    buffer_print(out, ": %d x %d frames at %.6g a second, joints %s\n",
                 marey_features_rows(all->features[0]), marey_features_rows(all->features[1]),
                 marey_layout_fps(all->layout), def->joints->name);
    if (marey_layout_by_roles(all->layout)) {
        buffer_print(out, "their joints differ: %d role%s that both have are compared\n",
                     marey_layout_joints(all->layout),
                     marey_layout_joints(all->layout) == 1 ? "" : "s");
    }
    if (all->library) {
        buffer_text(out, "steps are those of the two and of ");
        buffer_clips(out, all->library_count);
        buffer_text(out, " of the library\n");
    }
}
