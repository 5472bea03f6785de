/* api_registration.c - which frames of several clips belong together, and the registrations that the library keeps. What
   `marey align` and `marey curves` do. */
#include "blend_kept.h"
#include "made_of.h"

#include <math.h>

enum { MOST_TIMES = 256 };

/* ---- curves over u ------------------------------------------------------------------------------ */

typedef struct curve_view {
    const struct blend_kept *of;
    const marey_registration *registration;
    int motions, times;
    double fps, first, last;
} curve_view;

static curve_view view_make(const struct blend_kept *of)
{
    curve_view view = { .of = of,
                        .registration = of->registration,
                        .motions = of->parts->count,
                        .fps = marey_registration_fps(of->registration) };
    marey_registration_range(of->registration, &view.first, &view.last);
    view.times = (int)fmin(MOST_TIMES, fmax(2, ceil(view.last - view.first) + 1));
    return view;
}

static double time_at(const curve_view *view, int i)
{
    double share = (double)i / (view->times - 1);
    return i == view->times - 1 ? view->last : view->first + share * (view->last - view->first);
}

/* A clip's own frames in a row. */
static double frames_per_row(const curve_view *view, int motion)
{
    return marey_clip_fps(view->of->parts->clips[motion]) / view->fps;
}

static double frame_at(const curve_view *view, int motion, double u)
{
    double rows[BLEND_MOST_CLIPS];
    marey_registration_times(view->registration, u, rows, NULL);
    double frame = rows[motion] * frames_per_row(view, motion);
    return captured_to_clip(&view->of->frames[motion], fmax(frame, 0));
}

static int frame_of_row(const curve_view *view, int motion, int row)
{
    int frames = marey_clip_frames(view->of->parts->clips[motion]);
    int frame = (int)lround(row * frames_per_row(view, motion));
    return blend_frame_of_clip(view->of, motion, frame < frames ? frame : frames - 1);
}

/* ---- plants ------------------------------------------------------------------------------------- */

/* Does any part of the plant belong to a match? One that fills frames a .. b - 1 covers a - 0.5 .. b - 0.5. */
static bool is_matched(const curve_view *view, int motion, const marey_contact *plant)
{
    int count;
    const marey_constraint_match *matches = marey_registration_matches(view->registration, &count);
    double per_row = frames_per_row(view, motion);
    double start =
        marey_registration_find(view->registration, motion, (plant->start - 0.5) / per_row);
    double end = marey_registration_find(view->registration, motion, (plant->end - 0.5) / per_row);
    for (int i = 0; i < count; i++) {
        const marey_match_span *span = &matches[i].spans[motion];
        if (matches[i].joint != plant->joint) continue;
        if (fmin(end, span->end) - fmax(start, span->start) > 1e-6) return true;
    }
    return false;
}

static json_t *describe_plants(const curve_view *view, int motion, int *dropped)
{
    const marey_contacts *plants = &view->of->parts->contacts[motion];
    json_t *list = json_array();
    for (int i = 0; i < plants->count; i++) {
        const marey_contact *plant = &plants->items[i];
        bool matched = is_matched(view, motion, plant);
        json_t *one = json_object();
        int last = blend_frame_of_clip(view->of, motion, plant->end - 1);
        describe_put(&one, "joint", json_string(marey_contact_name(plant->joint)));
        describe_put(&one, "start",
                     json_integer(blend_frame_of_clip(view->of, motion, plant->start)));
        describe_put(&one, "end", json_integer(last + 1));
        describe_put(&one, "matched", json_boolean(matched));
        describe_append(&list, one);
        *dropped += !matched;
    }
    return list;
}

static json_t *describe_matches(const curve_view *view)
{
    int count;
    const marey_constraint_match *matches = marey_registration_matches(view->registration, &count);
    json_t *list = json_array();
    for (int i = 0; i < count; i++) {
        json_t *one = json_object(), *spans = json_array();
        for (int m = 0; m < view->motions; m++) {
            json_t *span = json_array();
            describe_append(&span, describe_number(matches[i].spans[m].start));
            describe_append(&span, describe_number(matches[i].spans[m].end));
            describe_append(&spans, span);
        }
        describe_put(&one, "joint", json_string(marey_contact_name(matches[i].joint)));
        describe_put(&one, "spans", spans);
        describe_append(&list, one);
    }
    return list;
}

/* ---- clips -------------------------------------------------------------------------------------- */

static json_t *describe_path(const curve_view *view, int motion, int parent, const marey_path *path)
{
    json_t *list = json_array();
    for (int i = 0; i < path->count; i++) {
        json_t *cell = json_array();
        describe_append(&cell, json_integer(frame_of_row(view, parent, path->cells[i].row)));
        describe_append(&cell, json_integer(frame_of_row(view, motion, path->cells[i].col)));
        describe_append(&list, cell);
    }
    return list;
}

static json_t *describe_clip(const curve_view *view, int motion, int *dropped)
{
    const marey_part *part = &view->of->parts->parts[motion];
    const marey_path *path = marey_registration_path(view->registration, motion);
    int parent = marey_registration_parent(view->registration, motion);
    json_t *value = json_object(), *times = json_array();
    for (int i = 0; i < view->times; i++) {
        describe_append(&times, describe_number(frame_at(view, motion, time_at(view, i))));
    }
    describe_put(&value, "id", json_integer(part->clip));
    describe_put(&value, "start", json_integer(part->start));
    describe_put(&value, "end", json_integer(part->end));
    describe_put(&value, "refitted", json_boolean(view->of->refitted[motion]));
    describe_put(&value, "times", times);
    describe_put(&value, "parent", path ? json_integer(parent + 1) : json_null());
    describe_put(&value, "path", path ? describe_path(view, motion, parent, path) : json_null());
    describe_put(&value, "mean_distance", path ? describe_number(path->mean) : json_null());
    describe_put(&value, "plants", describe_plants(view, motion, dropped));
    return value;
}

static json_t *describe_registration(const struct blend_kept *of)
{
    curve_view view = view_make(of);
    json_t *value = json_object(), *times = json_array(), *clips = json_array();
    int knots, base, dropped = 0;
    double epsilon;
    marey_registration_knots(view.registration, &knots, &base, &epsilon);
    for (int i = 0; i < view.times; i++) {
        describe_append(&times, describe_number(time_at(&view, i)));
    }
    for (int m = 0; m < view.motions; m++) {
        describe_append(&clips, describe_clip(&view, m, &dropped));
    }
    describe_put(&value, "reference",
                 json_integer(marey_registration_reference(view.registration) + 1));
    describe_put(&value, "fps", describe_number(view.fps));
    describe_put(&value, "first", describe_number(view.first));
    describe_put(&value, "last", describe_number(view.last));
    describe_put(&value, "base", json_integer(base + 1));
    describe_put(&value, "epsilon", describe_number(epsilon));
    describe_put(&value, "u", times);
    describe_put(&value, "clips", clips);
    describe_put(&value, "matches", describe_matches(&view));
    describe_put(&value, "dropped", json_integer(dropped));
    describe_put(&value, "unit", json_string(marey_metric_find(0)->unit));
    return value;
}

/* ---- keeping it --------------------------------------------------------------------------------- */

static marey_status keep(studio_worker *worker, const struct blend_kept *of, const char *name,
                         marey_error *error)
{
    made_of from = made_of_begin(worker, "align");
    studio_bytes about = { .memory = &worker->of->memory };
    for (int i = 0; i < of->parts->count; i++) {
        const marey_part *part = &of->parts->parts[i];
        made_of_part(&from, part->clip, part->start, part->end);
    }
    if (of->wish.slope) made_of_whole(&from, "slope", of->wish.slope);
    if (of->wish.reference) made_of_whole(&from, "reference", of->wish.reference);
    made_of_text(&from, "save", name);
    marey_status status = made_of_write(worker, &from, &about, NULL, error);
    if (status == MAREY_OK) {
        status = marey_library_keep_registration(worker->library, name, of->registration,
                                                 of->parts->parts, (const char *)about.data, error);
    }
    bytes_free(&about);
    made_of_free(&from);
    return status;
}

static void answer_registration(studio_worker *worker, struct blend_kept *of, const json_body *body,
                                studio_response *response)
{
    marey_error error;
    if (!blend_register(worker, of, response)) return;
    json_t *value = describe_registration(of);
    if (body->name) describe_put(&value, "name", describe_text(&worker->of->memory, body->name));
    answer_json(response, 200, value); /* before the change, so that what was done can be said */
    if (!body->name || response->status != 200) return;
    if (keep(worker, of, body->name, &error) == MAREY_OK) {
        api_changed(worker);
    } else {
        answer_fail(response, &error);
    }
}

void api_registration(studio_worker *worker, studio_request *request, studio_response *response)
{
    unsigned allowed = FIELD_PARTS | FIELD_CURVE | FIELD_SLOPE | FIELD_REFERENCE | FIELD_NAME;
    struct blend_kept *of = NULL;
    blend_wish wish;
    json_body body;
    if (!api_body(worker, request, 0, allowed, &body, response)) return;
    if (body.curve && body.name) {
        answer_refuse(response, 400, "request", "the curve is kept already, and has its name");
    } else if (blend_wish_read(&body, &wish, response) &&
               blend_prepare(worker, &wish, &of, response)) {
        answer_registration(worker, of, &body, response);
    }
    blend_let_go(worker);
    json_body_free(&body);
}

/* ---- kept ones ---------------------------------------------------------------------------------- */

static json_t *describe_kept(heap *memory, const marey_kept_entry *entry)
{
    json_t *value = json_object(), *clips = json_array();
    for (int i = 0; i < entry->part_count; i++) {
        json_t *one = json_object();
        describe_put(&one, "id", json_integer(entry->parts[i].clip));
        describe_put(&one, "name", describe_text(memory, entry->part_names[i]));
        describe_put(&one, "start", json_integer(entry->parts[i].start));
        describe_put(&one, "end", json_integer(entry->parts[i].end));
        describe_append(&clips, one);
    }
    describe_put(&value, "name", describe_text(memory, entry->name));
    describe_put(&value, "clips", clips);
    return value;
}

void api_kept_curves(studio_worker *worker, studio_request *request, studio_response *response)
{
    marey_kept *kept = NULL;
    marey_error error;
    int count = 0;
    (void)request;
    if (marey_library_kept_list(worker->library, MAREY_KEPT_REGISTRATION, &kept, &error) !=
        MAREY_OK) {
        answer_fail(response, &error);
        return;
    }
    json_t *value = json_object(), *curves = json_array();
    const marey_kept_entry *entries = marey_kept_entries(kept, &count);
    for (int i = 0; i < count; i++) {
        describe_append(&curves, describe_kept(&worker->of->memory, &entries[i]));
    }
    describe_put(&value, "curves", curves);
    marey_kept_free(kept);
    answer_json(response, 200, value);
}

void api_kept_curve_remove(studio_worker *worker, studio_request *request,
                           studio_response *response)
{
    marey_error error;
    json_body body;
    if (!api_body(worker, request, FIELD_NAME, 0, &body, response)) return;
    answer_json(response, 200, json_object());
    if (response->status == 200) {
        if (marey_library_forget(worker->library, MAREY_KEPT_REGISTRATION, body.name, &error) ==
            MAREY_OK) {
            api_changed(worker);
        } else {
            answer_fail(response, &error);
        }
    }
    json_body_free(&body);
}
