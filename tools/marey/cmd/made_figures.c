/* made_figures.c - measuring what was made. */
#include "made_figures.h"

#include "clip_facts.h"
#include "commands.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

int read_stretch(session *run, const request *asked, marey_clean_def *def)
{
    double share = 0;
    int status = options_number(run, asked, OPTION_STRETCH, 0, 0.2, &share);
    if (request_has(asked, OPTION_STRETCH)) def->stretch = share > 0 ? share : -1;
    return status;
}

marey_status measure_quality(const marey_clip *clip, const marey_contact *items, int count,
                             marey_quality *out, marey_error *error)
{
    marey_status status = marey_clip_quality(clip, items, count, out);
    if (status == MAREY_OK) return status;
    *error = (marey_error){ .status = status };
    snprintf(error->message, sizeof error->message, "%s", marey_status_name(status));
    return status;
}

static marey_status measure_feet(session *run, const marey_made *made, int first, int end,
                                 marey_quality *out, marey_error *error)
{
    buffer feet = buffer_make(&run->host->def);
    marey_status status = MAREY_ERR_MEMORY;
    for (int i = 0; i < made->contacts.count; i++) {
        const marey_contact *one = &made->contacts.items[i];
        if (one->start >= end || one->end <= first) continue;
        buffer_bytes(&feet, (const char *)one, sizeof *one);
    }
    if (feet.failed) {
        *error = (marey_error){ .status = status, .message = "out of memory" };
    } else {
        status = measure_quality(made->clip, (const marey_contact *)(const void *)feet.bytes,
                                 (int)(feet.used / sizeof(marey_contact)), out, error);
    }
    buffer_free(&feet);
    return status;
}

/* ---- faults ---------------------------------------------------------------------------------------- */

static const double MOST_JUMP = 1.1, MOST_SLIDE_CM = 0.3, MOST_ROOT_CM = 5;

int made_figures_faults(const made_figures *of, figure_fault *faults)
{
    const figure_fault all[MOST_FIGURE_FAULTS] = {
        { "jump", of->jump_ratio, MOST_JUMP },
        { "slide", of->cleaned ? of->slide_after_cm : 0, MOST_SLIDE_CM },
        { "root", of->root_moved_cm, MOST_ROOT_CM },
    };
    int count = 0;
    for (int i = 0; i < MOST_FIGURE_FAULTS; i++) {
        if (all[i].value > all[i].limit) faults[count++] = all[i];
    }
    return count;
}

void json_figure_faults(json *to, const made_figures *of)
{
    figure_fault faults[MOST_FIGURE_FAULTS];
    int count = made_figures_faults(of, faults);
    json_open(to, "faults", '[');
    for (int i = 0; i < count; i++) {
        json_open(to, NULL, '{');
        json_put_string(to, "kind", faults[i].kind);
        json_put_number(to, "value", faults[i].value);
        json_put_number(to, "limit", faults[i].limit);
        json_close(to, '}');
    }
    json_close(to, ']');
}

/* What the option is called that leaves feet alone, here. */
static const char *leaving_feet(const session *run)
{
    for (const option_row *row = run->command->options; row && row->name; row++) {
        if (row->key == OPTION_NO_CLEAN) return row->name;
    }
    return "no-clean";
}

static void warn(session *run, const made_figures *of)
{
    figure_fault faults[MOST_FIGURE_FAULTS];
    int count = run->quiet ? 0 : made_figures_faults(of, faults);
    for (int i = 0; i < count; i++) {
        const figure_fault *one = &faults[i];
        if (strcmp(one->kind, "jump") == 0) {
            session_say(run,
                        "warning: it jumps: the largest step of a joint is %.2f times the largest "
                        "in what it was made of (more than %g shows)",
                        one->value, one->limit);
        } else if (strcmp(one->kind, "slide") == 0) {
            session_say(run, "warning: a planted foot slides by %.2f cm (more than %g shows)",
                        one->value, one->limit);
        } else {
            session_say(run,
                        "warning: holding the feet moves the body by %.1f cm (more than %g shows); "
                        "--%s leaves it where it was",
                        one->value, one->limit, leaving_feet(run));
        }
    }
}

/* ---- measuring ------------------------------------------------------------------------------------- */

static marey_status measure(session *run, double jump_ratio, const marey_made *made, int first,
                            int end, bool cleaned, made_figures *out, marey_error *error)
{
    marey_quality after;
    marey_status status = measure_feet(run, made, first, end, &after, error);
    if (status != MAREY_OK) return status;
    *out = (made_figures){ .cleaned = cleaned,
                           .plants = after.plants,
                           .slide_before_cm =
                               cleaned ? made->clean.slide_before_cm : after.slide_max_cm,
                           .slide_after_cm = after.slide_max_cm,
                           .slide_mean_cm = after.slide_cm,
                           .root_moved_cm = made->clean.root_moved_cm,
                           .stretched = made->clean.stretched,
                           .jump_ratio = jump_ratio };
    return MAREY_OK;
}

/* How much faster it gets than what it was made of. */
static marey_status measure_jump(session *run, double inputs, const marey_made *made, double *out,
                                 marey_error *error)
{
    app_speeds result;
    marey_status status = app_speeds_measure(&run->host->def, made->clip, NULL, &result, error);
    if (status == MAREY_OK)
        *out = marey_jump_ratio(result.joint_cm_per_s, inputs, marey_clip_fps(made->clip));
    return status;
}

marey_status made_figures_told(session *run, double jump_ratio, const marey_made *made, int first,
                               int end, bool cleaned, made_figures *out, marey_error *error)
{
    marey_status status = measure(run, jump_ratio, made, first, end, cleaned, out, error);
    if (status == MAREY_OK) warn(run, out);
    return status;
}

marey_status made_figures_against(session *run, double inputs, const marey_made *made, int first,
                                  int end, bool cleaned, made_figures *out, marey_error *error)
{
    double jump;
    marey_status status = measure_jump(run, inputs, made, &jump, error);
    if (status != MAREY_OK) return status;
    return made_figures_told(run, jump, made, first, end, cleaned, out, error);
}

marey_status made_figures_in_place(session *run, double inputs, const marey_made *made,
                                   bool cleaned, made_figures *out, marey_error *error)
{
    double jump;
    int frames = marey_clip_frames(made->clip);
    marey_status status = measure_jump(run, inputs, made, &jump, error);
    if (status == MAREY_OK) status = measure(run, jump, made, 0, frames, cleaned, out, error);
    if (status != MAREY_OK) return status;
    out->slide_before_cm = cleaned ? made->clean.slide_before_cm : NAN;
    out->slide_after_cm = cleaned ? made->clean.slide_after_cm : NAN;
    out->slide_mean_cm = NAN;
    warn(run, out);
    return MAREY_OK;
}

void made_figures_json(const made_figures *of, json *to)
{
    json_put_boolean(to, "cleaned", of->cleaned);
    json_put_integer(to, "plants", of->plants);
    json_put_number(to, "slide_before_cm", of->slide_before_cm);
    json_put_number(to, "slide_after_cm", of->slide_after_cm);
    json_put_number(to, "slide_mean_cm", of->slide_mean_cm);
    json_put_number(to, "root_moved_cm", of->root_moved_cm);
    json_put_number(to, "stretched", of->stretched);
    json_put_number(to, "jump_ratio", of->jump_ratio);
    json_figure_faults(to, of);
}

void made_figures_text(const made_figures *of, buffer *out)
{
    if (of->plants == 0) {
        buffer_text(out, "  feet      no foot is ever planted\n");
    } else if (isnan(of->slide_after_cm)) {
        buffer_print(out, "  feet      %d plant%s; they were not held\n", of->plants,
                     of->plants == 1 ? "" : "s");
    } else if (of->cleaned) {
        buffer_print(
            out,
            "  feet      %d plant%s slide by %.2f cm at worst, by %.2f cm before they were "
            "held; the root was moved by up to %.2f cm\n",
            of->plants, of->plants == 1 ? "" : "s", of->slide_after_cm, of->slide_before_cm,
            of->root_moved_cm);
        if (of->root_moved_cm > 1 && of->stretched <= 0) {
            buffer_text(out, "            --stretch 0.03 would move the root less, with legs that "
                             "get a little longer\n");
        }
    } else {
        buffer_print(out, "  feet      %d plant%s slide by %.2f cm at worst; they were not held\n",
                     of->plants, of->plants == 1 ? "" : "s", of->slide_after_cm);
    }
    buffer_print(out,
                 "  jump      the largest step of a joint is %.2f times the largest in what it was "
                 "made of\n",
                 of->jump_ratio);
}

void json_plants(json *to, const char *key, const marey_contact *items, int count, int first)
{
    json_open(to, key, '[');
    for (int i = 0; i < count; i++) {
        json_open(to, NULL, '{');
        json_put_string(to, "joint", marey_contact_name(items[i].joint));
        json_put_integer(to, "start", first + items[i].start);
        json_put_integer(to, "end", first + items[i].end);
        json_close(to, '}');
    }
    json_close(to, ']');
}
