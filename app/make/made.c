/* made.c - measuring, describing and keeping generated clips. */
#include "made.h"

#include "entries.h"

#include <math.h>
#include <string.h>

const double app_most_jump = 1.1;
static const double most_slide_cm = 0.3, most_root_cm = 5;

static void release_made(void *made)
{
    marey_made_free(made);
}

marey_status app_made_own(const app_env *env, app_made *made, marey_error *error)
{
    marey_made *own = APP_NEW(env->scope, marey_made, 1);
    if (!own) {
        marey_made_free(&made->made);
        return app_fail_memory(error);
    }
    *own = made->made;
    return app_own(env->scope, own, release_made, error);
}

/* ---- figures --------------------------------------------------------------------------------- */

/* Where the plant that slides farthest begins; -1: not known. */
static int worst_slide(const app_made *made)
{
    const marey_contacts *plants = &made->made.contacts;
    for (int i = 0; made->slides_after_cm && i < plants->count; i++)
        if (made->slides_after_cm[i] >= made->slide_after_cm) return plants->items[i].start;
    return -1;
}

int app_made_faults(const app_made *made, app_fault faults[APP_MOST_FAULTS])
{
    const app_fault all[APP_MOST_FAULTS] = {
        { "jump", made->jump_ratio, app_most_jump, "x",
          "a joint is faster than in the source clips", -1 },
        { "slide", made->cleaned ? made->slide_after_cm : 0, most_slide_cm, "cm",
          "a planted foot slides", worst_slide(made) },
        { "root", made->made.clean.root_moved_cm, most_root_cm, "cm",
          "holding the feet moves the body", -1 },
    };
    int count = 0;
    for (int i = 0; i < APP_MOST_FAULTS; i++)
        if (all[i].value > all[i].limit) faults[count++] = all[i];
    return count;
}

/* How far each plant of a clip drifts. */
static marey_status measure_drifts(const app_env *env, const app_made *made, const marey_clip *clip,
                                   double **out, marey_error *error)
{
    const marey_contacts *plants = &made->made.contacts;
    double *cm = APP_NEW(env->scope, double, plants->count);
    if (!cm) return app_fail_memory(error);
    marey_status status = marey_clip_drifts(clip, plants->items, plants->count, cm);
    if (status != MAREY_OK) return app_fail(error, status, NULL, "%s", marey_status_name(status));
    *out = cm;
    return MAREY_OK;
}

/* Under a body that stays in place slides are those from before the floor was taken away; of feet
   that were left alone nothing is known there. */
static marey_status measure_feet(const app_env *env, app_made *made, marey_error *error)
{
    const marey_contacts *plants = &made->made.contacts;
    marey_status status = MAREY_OK;
    double sum = 0;
    made->slide_before_cm = made->cleaned ? made->made.clean.slide_before_cm : NAN;
    made->slide_after_cm = made->cleaned ? made->made.clean.slide_after_cm : NAN;
    made->slide_mean_cm = NAN;
    for (int i = 0; i < plants->count; i++)
        made->plants += plants->items[i].start < made->end && plants->items[i].end > made->first;
    if (made->in_place) return MAREY_OK;
    made->slide_after_cm = made->slide_mean_cm = 0;
    if (plants->count > 0)
        status = measure_drifts(env, made, made->made.clip, &made->slides_after_cm, error);
    if (status == MAREY_OK && plants->count > 0 && made->raw)
        status = measure_drifts(env, made, made->raw, &made->slides_before_cm, error);
    if (status != MAREY_OK) return status;
    if (!made->raw && !made->cleaned) made->slides_before_cm = made->slides_after_cm;
    made->plants = 0;
    for (int i = 0; i < plants->count; i++) {
        double cm = made->slides_after_cm[i];
        if (plants->items[i].start >= made->end || plants->items[i].end <= made->first) continue;
        if (isnan(cm)) continue;
        made->plants++;
        sum += cm;
        made->slide_after_cm = fmax(made->slide_after_cm, cm);
    }
    if (made->plants > 0) made->slide_mean_cm = sum / made->plants;
    if (!made->cleaned) made->slide_before_cm = made->slide_after_cm;
    return MAREY_OK;
}

marey_status app_made_finish(const app_env *env, const app_operation *operation,
                             const app_params *params, app_made *made, marey_error *error)
{
    marey_speeds result = APP_NO_SPEEDS;
    app_fault faults[APP_MOST_FAULTS];
    double fps = marey_clip_fps(made->made.clip);
    marey_status status = app_speeds_add(made->made.clip, NULL, &result, error);
    if (status == MAREY_OK) status = measure_feet(env, made, error);
    if (status != MAREY_OK) return status;
    if (!made->jump_known) {
        made->jump_ratio =
            marey_jump_ratio(result.joint_cm_per_s, made->inputs.sound_joint_cm_per_s, fps);
    }
    made->knee_ratio =
        marey_jump_ratio(result.knee_cm_per_s, made->inputs.sound_knee_cm_per_s, fps);
    int count = app_made_faults(made, faults);
    for (int i = 0; i < count; i++) {
        const app_fault *one = &faults[i];
        if (strcmp(one->kind, "jump") == 0) {
            /* A leap that was captured is in what is made of it. */
            bool captured = result.joint_cm_per_s <= made->inputs.joint_cm_per_s * one->limit;
            app_warn(env,
                     "warning: it jumps%s: peak joint speed is %.2f x the source clips (more than "
                     "%g shows)%s",
                     captured ? " where they do" : "", one->value, one->limit,
                     captured ? "; marey doctor finds and mends such leaps" : "");
        } else if (strcmp(one->kind, "slide") == 0) {
            app_warn(env, "warning: foot slide of %.2f cm (more than %g shows)", one->value,
                     one->limit);
        } else {
            app_warn(env,
                     "warning: holding the feet moves the body by %.1f cm (more than %g shows); "
                     "with its feet left alone it stays where it was",
                     one->value, one->limit);
        }
    }
    return app_made_note(env, operation, params, made, error);
}

/* What is as long as the part of the one clip that it was made of has its frames, perhaps at another
   rate. */
static marey_status keep_stretches(const app_env *env, app_made *made, marey_error *error)
{
    const app_source *from = made->from.sources;
    if (made->from.source_count != 1 || from->stretch_count == 0 || from->weight != 0)
        return MAREY_OK;
    int frames = marey_clip_frames(made->made.clip);
    double rate = marey_clip_fps(made->made.clip) / from->fps;
    if (fabs((from->end - from->start) * rate - frames) > fmax(rate, 1)) return MAREY_OK;
    marey_stretch *kept = APP_NEW(env->scope, marey_stretch, from->stretch_count);
    if (!kept) return app_fail_memory(error);
    made->stretches = kept;
    for (int i = 0; i < from->stretch_count; i++) {
        marey_stretch one = from->stretches[i];
        one.start = (int)lround(fmax(one.start - from->start, 0) * rate);
        one.end = (int)lround(fmin((one.end - from->start) * rate, frames));
        if (one.start < one.end) kept[made->stretch_count++] = one;
    }
    return MAREY_OK;
}

marey_status app_made_note(const app_env *env, const app_operation *operation,
                           const app_params *params, app_made *made, marey_error *error)
{
    /* Once for every clip, however many pieces of it there are. */
    for (int i = 0; i < made->from.source_count; i++) {
        const app_source *one = &made->from.sources[i];
        int same = 0;
        while (strcmp(made->from.sources[same].name, one->name) != 0) same++;
        if (same == i && marey_licence_is_non_commercial(one->licence))
            app_warn(env, "%s: for non-commercial use only: its licence is %s", one->name,
                     one->licence);
    }
    marey_status status = app_provenance_write(&made->from, env, operation, params,
                                               &made->provenance, &made->licences, error);
    made->origin = made->provenance;
    if (status == MAREY_OK && made->made.clip) status = keep_stretches(env, made, error);
    if (status == MAREY_OK) status = app_made_describe(env, operation, made, error);
    if (status != MAREY_OK || made->stretch_count == 0) return status;
    buffer text = buffer_make(env->scope->memory);
    app_origin_write(&text, made->provenance, made->stretches, made->stretch_count, NULL);
    buffer_byte(&text, 0);
    made->origin = text.failed ? NULL : app_copy(env->scope, text.bytes);
    buffer_free(&text);
    return app_check(!made->origin, error);
}

/* ---- as JSON --------------------------------------------------------------------------------- */

static void write_fault(json *out, const app_fault *fault)
{
    json_open(out, NULL, '{');
    json_put_string(out, "kind", fault->kind);
    json_put_number(out, "value", fault->value);
    json_put_number(out, "limit", fault->limit);
    json_put_string(out, "unit", fault->unit);
    json_put_string(out, "about", fault->about);
    if (fault->frame >= 0) json_put_integer(out, "frame", fault->frame);
    json_close(out, '}');
}

void app_made_write_faults(json *out, const app_fault *faults, int count, const app_made *made)
{
    json_open(out, "faults", '[');
    for (int i = 0; i < count; i++) write_fault(out, &faults[i]);
    for (int i = 0; made && i < made->seen_count; i++) {
        const marey_walk_fault *seen = &made->seen[i];
        write_fault(out, &(app_fault){ marey_walk_fault_name(seen->kind), seen->value, seen->limit,
                                       marey_walk_fault_unit(seen->kind),
                                       marey_walk_fault_about(seen->kind), made->seen_at[i] });
    }
    json_close(out, ']');
}

void app_made_write_figures(const app_made *made, json *out)
{
    const marey_contacts *plants = &made->made.contacts;
    const marey_clean_result *clean = &made->made.clean;
    app_fault faults[APP_MOST_FAULTS];
    int count = app_made_faults(made, faults);
    json_put_boolean(out, "cleaned", made->cleaned);
    json_put_integer(out, "plants", made->plants);
    json_put_number(out, "slide_before_cm", made->slide_before_cm);
    json_put_number(out, "slide_after_cm", made->slide_after_cm);
    json_put_number(out, "slide_mean_cm", made->slide_mean_cm);
    json_put_number(out, "root_moved_cm", clean->root_moved_cm);
    json_put_number(out, "stretched", clean->stretched);
    json_put_number(out, "jump_ratio", made->jump_ratio);
    json_put_number(out, "knee_ratio", made->knee_ratio);
    app_made_write_faults(out, faults, count, made);
    app_contacts_write(out, "contacts", plants->items, plants->count, 0);
    json_open(out, "slides", '[');
    for (int i = 0; i < plants->count && !made->in_place; i++) {
        const marey_contact *one = &plants->items[i];
        if (one->start >= made->end || one->end <= made->first) continue;
        json_open(out, NULL, '{');
        json_put_string(out, "joint", marey_contact_name(one->joint));
        json_put_integer(out, "start", one->start);
        json_put_integer(out, "end", one->end);
        json_put_number(out, "before_cm", made->slides_before_cm ? made->slides_before_cm[i] : NAN);
        json_put_number(out, "after_cm", made->slides_after_cm[i]);
        json_close(out, '}');
    }
    json_close(out, ']');
}

void app_made_write_length(const app_made *made, json *out)
{
    json_put_integer(out, "frames", marey_clip_frames(made->made.clip));
    json_put_number(out, "fps", marey_clip_fps(made->made.clip));
    json_put_number(out, "seconds", marey_clip_seconds(made->made.clip));
}

void app_made_write(const app_made *made, json *out)
{
    app_made_write_length(made, out);
    app_made_write_figures(made, out);
}

/* ---- into a library -------------------------------------------------------------------------- */

marey_status app_made_put(const app_made *made, marey_library *library, const char *name,
                          char got[MAREY_NAME_ROOM], int64_t *id, marey_error *error)
{
    /* An empty set of plants is one too, and says so by not being NULL. */
    static const marey_contact none = { 0 };
    const marey_contacts *plants = &made->made.contacts;
    marey_put_def def = { .provenance = made->provenance,
                          .description = made->description,
                          .licence = made->licences,
                          .labels = made->labels,
                          .label_count = made->label_count,
                          .stretches = made->stretches,
                          .stretch_count = made->stretch_count,
                          .id = id };
    if (!made->in_place && !made->no_plants) {
        def.contacts = plants->count > 0 ? plants->items : &none;
        def.contact_count = plants->count;
        def.contacts_set = true;
    }
    return marey_library_put(library, made->made.clip, name, &def, got, MAREY_NAME_ROOM, error);
}
