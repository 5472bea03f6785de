/* param_make.c - one motion out of a family. */
#include "param_grid.h"

#include "clip_facts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

marey_status param_maker_open(param_maker *by, session *run, const request *asked,
                              marey_error *error)
{
    by->run = run;
    by->asked = asked;
    marey_status status = kept_family_open(run, asked, MAREY_LIBRARY_READ, &by->from, error);
    if (status != MAREY_OK) return status;
    status = marey_library_list(by->from.at.library, NULL, &by->listing, error);
    if (status != MAREY_OK) param_maker_close(by);
    return status;
}

void param_maker_close(param_maker *by)
{
    marey_listing_free(by->listing);
    by->listing = NULL;
    kept_family_close(&by->from);
}

marey_status param_make(param_maker *by, const double *target, marey_made *made,
                        marey_answer *answer, marey_error *error)
{
    return marey_family_make(by->run->ctx, by->from.family, target, &by->def, made, answer, error);
}

marey_status param_figures(const param_maker *by, const marey_made *made,
                           const marey_answer *answer, made_figures *out, marey_error *error)
{
    double fastest = 0;
    for (int i = 0; i < answer->count; i++) {
        app_speeds one;
        marey_status status = app_speeds_measure(
            &by->run->host->def, by->from.parts->clips[answer->motions[i]], NULL, &one, error);
        if (status != MAREY_OK) return status;
        fastest = fmax(fastest, one.joint_cm_per_s);
    }
    return made_figures_against(by->run, fastest, made, 0, marey_clip_frames(made->clip),
                                !by->def.leave_feet, out, error);
}

void param_note(const param_maker *by, const marey_answer *answer, clip_out *out)
{
    out->made_of.family = by->from.name;
    for (int i = 0; i < answer->count; i++) {
        const char *name = by->from.parts->names[answer->motions[i]].name;
        const marey_part *part = &by->from.parts->parts[answer->motions[i]];
        const marey_entry *entry = listing_find(by->listing, name);
        input_source source = { .library = by->from.at.path,
                                .licence = entry ? entry->licence : "",
                                .start = part->start,
                                .end = part->end,
                                .weight = answer->weights[i] };
        snprintf(source.name, sizeof source.name, "%s", name);
        provenance_add(&out->made_of, &source);
    }
}

static void put_weights(json *to, const marey_family *family, const marey_answer *answer)
{
    json_open(to, "weights", '[');
    for (int i = 0; i < family_examples(family); i++) {
        double weight = 0;
        for (int k = 0; k < answer->count; k++) {
            if (answer->motions[k] == i) weight = answer->weights[k];
        }
        json_put_number(to, NULL, weight);
    }
    json_close(to, ']');
}

void json_answer(json *to, const marey_family *family, const double *target,
                 const marey_answer *answer)
{
    int dims = marey_family_dims(family);
    json_numbers(to, "target", target, dims);
    json_numbers(to, "reached", answer->values, dims);
    json_put_cm(to, "error_cm", family, answer->error);
    json_put_number(to, "error", answer->error);
    json_put_string(to, "error_unit", family_unit(family));
    json_put_number(to, "table_error", answer->table_error);
    json_put_boolean(to, "outside", answer->outside);
    put_weights(to, family, answer);
}
