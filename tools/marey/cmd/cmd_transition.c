/* cmd_transition.c - `marey transition`: from one clip into another without a seam (Kovar & Gleicher 2003, 6.1). */
#include "commands.h"
#include "grid_picture_of.h"
#include "passage.h"
#include "shelf.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct transition {
    making base;
    cut_list list;
    passage_def def;
    passage made; /* of the best cut */
    made_figures figures;
    char centre[32]; /* of it, as --at would say it */
} transition;

/* ---- options --------------------------------------------------------------------------------------- */

static int read_method(transition *of, session *run, const request *asked)
{
    const char *name = marey_blend_method_name(MAREY_BLEND_REGISTERED);
    int status = options_word(run, asked, OPTION_METHOD, &name);
    if (status != PROGRAM_DONE) return status;
    of->def.plain = true;
    for (int m = 0; m < MAREY_BLEND_METHOD_COUNT; m++) {
        if (strcmp(marey_blend_method_name((marey_blend_method)m), name) != 0) continue;
        of->def = (passage_def){ .method = (marey_blend_method)m };
    }
    return PROGRAM_DONE;
}

static bool names_frame(const char *text)
{
    address at;
    return address_parse(text, &at) && at.range.given && at.range.one_frame;
}

/* What would do nothing, as the frames are named, is refused. */
static int check_use(const transition *of, session *run, const request *asked)
{
    static const struct {
        option_key key;
        const char *name;
    } choosing[] = { { OPTION_NEAR, "near" },
                     { OPTION_WITHIN, "within" },
                     { OPTION_COUNT, "count" },
                     { OPTION_BELOW, "below" } };
    bool named[2] = { names_frame(asked->operands[0]), names_frame(asked->operands[1]) };
    if (of->list.at_given && (named[0] || named[1])) {
        return session_usage(run, "--at names both frames, and so does %s: one of these",
                             asked->operands[named[0] ? 0 : 1]);
    }
    for (int side = 0; side < 2; side++) {
        if (!named[side] || !of->list.near_given[side]) continue;
        return session_usage(run, "%s names its frame, so there is nothing for --near to choose",
                             asked->operands[side]);
    }
    bool both = of->list.at_given || (named[0] && named[1]);
    for (size_t i = 0; both && i < sizeof choosing / sizeof *choosing; i++) {
        if (!request_has(asked, choosing[i].key)) continue;
        return session_usage(run, "both frames are named, so there is nothing for --%s to choose",
                             choosing[i].name);
    }
    return PROGRAM_DONE;
}

static int read_options(transition *of, session *run, const request *asked)
{
    const char *sheet = asked->values[OPTION_SHEET];
    int status = read_method(of, run, asked);
    if (status == PROGRAM_DONE) status = cut_list_options(&of->list, run, asked);
    if (status == PROGRAM_DONE) status = check_use(of, run, asked);
    if (status == PROGRAM_DONE && sheet && !is_picture(sheet)) {
        status = session_usage(run, "--sheet takes a name that ends in .png, .svg or .pdf");
    }
    return status;
}

static marey_status fail_no_cut(const transition *of, marey_error *error)
{
    const char *unit = making_unit(&of->base), *blank = *unit ? " " : "";
    *error = (marey_error){ .status = MAREY_ERR_REQUEST };
    if (isinf(of->list.cheapest)) {
        snprintf(error->message, sizeof error->message,
                 "there is no room for a transition: %d frames are needed on both sides of a cut",
                 making_half(&of->base));
    } else {
        snprintf(
            error->message, sizeof error->message,
            "no cut costs less than %g%s%s; the cheapest costs %.4g, and --below would take it",
            cut_list_limit(&of->list, &of->base), blank, unit, of->list.cheapest);
    }
    return MAREY_ERR_REQUEST;
}

/* ---- the answer ------------------------------------------------------------------------------------ */

/* Half of what was blended: less than was asked for where a clip ends. */
static int half_of(const marey_made *made)
{
    return (made->from_b_start - made->from_a_end) / 2;
}

static void write_json(const transition *of, json *to)
{
    const materials *all = &of->base.all;
    json_open(to, "cuts", '[');
    for (int i = 0; i < of->list.count; i++) {
        const marey_cut *one = &of->list.cuts[i];
        json_open(to, NULL, '{');
        json_put_integer(to, "a", material_frame(all, 0, one->a));
        json_put_integer(to, "b", material_frame(all, 1, one->b));
        json_put_number(to, "cost", one->cost);
        json_close(to, '}');
    }
    json_close(to, ']');
    if (of->list.count == 0) json_put_number(to, "cheapest", of->list.cheapest);
    json_put_string(to, "metric", of->base.metric.metric->name);
    json_put_string(to, "unit", making_unit(&of->base));
    json_put_boolean(to, "refitted", all->items[1].refitted);
    json_put_string(to, "sheet", of->base.asked->values[OPTION_SHEET]);
    if (!of->base.out.target) return;
    json_put_string(to, "method", of->def.plain ? "cut" : marey_blend_method_name(of->def.method));
    json_put_integer(to, "half", half_of(&of->made.made));
    json_put_integer(to, "from_a_end", of->made.made.from_a_end);
    json_put_integer(to, "from_b_start", of->made.made.from_b_start);
    made_figures_json(&of->figures, to);
}

static void write_cuts(const transition *of, buffer *out)
{
    const materials *all = &of->base.all;
    double fps[2] = { marey_clip_fps(all->clips[0]), marey_clip_fps(all->clips[1]) };
    if (of->list.count == 0) {
        marey_error why;
        fail_no_cut(of, &why);
        buffer_print(out, "%s\n", why.message);
        return;
    }
    buffer_print(out, "%8s %9s   %8s %9s   %s\n", "frame", "second", "frame", "second", "cost");
    for (int i = 0; i < of->list.count; i++) {
        const marey_cut *one = &of->list.cuts[i];
        int a = material_frame(all, 0, one->a), b = material_frame(all, 1, one->b);
        buffer_print(out, "%8d %9.3f   %8d %9.3f   ", a, a / fps[0], b, b / fps[1]);
        buffer_cost(out, &of->base.metric, one->cost);
        buffer_byte(out, '\n');
    }
}

/* The cheapest cut of all is often one from standing to standing, at the end of a clip. */
static void write_little_left(const transition *of, buffer *out)
{
    const marey_made *made = &of->made.made;
    double fps = marey_clip_fps(made->clip);
    double left[2] = { made->from_a_end / fps,
                       (marey_clip_frames(made->clip) - made->from_b_start) / fps };
    for (int i = 0; i < 2; i++) {
        bool named =
            of->list.at_given || of->list.near_given[i] || of->base.all.items[i].centre_given;
        if (named || left[i] >= 1) continue;
        buffer_print(out, "  short     only %.1f s of ", left[i]);
        buffer_shown(out, of->base.all.items[i].text);
        buffer_text(out, i == 0 ? " come before it" : " come behind it");
        buffer_text(out, "; name the frames that matter, as in walk.bvh#100-400\n");
    }
}

static void write_text(const transition *of, buffer *out)
{
    const marey_made *made = &of->made.made;
    const char *sheet = of->base.asked->values[OPTION_SHEET];
    materials_say_refits(&of->base.all, out);
    write_cuts(of, out);
    if (of->base.out.target) {
        buffer_print(out,
                     "  frames    0-%d are the first clip's own, %d-%d the second's, %d between "
                     "them are made\n",
                     made->from_a_end, made->from_b_start, marey_clip_frames(made->clip),
                     made->from_b_start - made->from_a_end);
        made_figures_text(&of->figures, out);
        write_little_left(of, out);
    }
    if (!sheet) return;
    buffer_text(out, "wrote ");
    buffer_shown(out, sheet);
    buffer_byte(out, '\n');
}

static void answer(const transition *of)
{
    session *run = of->base.run;
    if (run->json) {
        json to = json_make(&run->out);
        json_open(&to, NULL, '{');
        write_json(of, &to);
    } else if (!run->quiet || !of->base.out.target) {
        write_text(of, &run->out);
    }
}

/* ---- making ---------------------------------------------------------------------------------------- */

/* Which frames of the clips it was made of, and where its centre is. */
static marey_status note(transition *of, marey_error *error)
{
    making *base = &of->base;
    const materials *all = &base->all;
    const marey_cut *cut = &of->list.cuts[0];
    request settings = *base->asked;
    input_source used[2] = { all->items[0].source, all->items[1].source };
    int centre[2] = { material_frame(all, 0, cut->a), material_frame(all, 1, cut->b) };
    double rate = marey_clip_fps(all->clips[1]) / marey_clip_fps(all->clips[0]);
    int half = half_of(&of->made.made), other = (int)lround(half * rate);
    int end = centre[0] + (of->def.plain ? 0 : half + 1), start = centre[1] - other;
    if (end < used[0].end) used[0].end = end;
    if (start > used[1].start) used[1].start = start;
    if (used[0].end > used[0].start) provenance_add(&base->out.made_of, &used[0]);
    provenance_add(&base->out.made_of, &used[1]);
    snprintf(of->centre, sizeof of->centre, "%d,%d", centre[0], centre[1]);
    settings.values[OPTION_AT] = of->centre;
    return making_note(base, &settings, error);
}

static marey_status make(transition *of, marey_error *error)
{
    making *base = &of->base;
    bool cleaned = !base->leave_feet && !of->def.plain;
    if (!base->out.target) return MAREY_OK;
    if (of->list.count == 0) return fail_no_cut(of, error);
    marey_status status = passage_make(base, &of->def, &of->list.cuts[0], &of->made, error);
    if (status == MAREY_OK) {
        const marey_made *made = &of->made.made;
        int beside = of->def.plain ? 1 : 0; /* a plain cut has no frames of its own to look at */
        status = made_figures_measure(&base->all, made, made->from_a_end - beside,
                                      made->from_b_start + beside, cleaned, &of->figures, error);
    }
    return status == MAREY_OK ? note(of, error) : status;
}

static marey_status run_all(transition *of, marey_error *error)
{
    making *base = &of->base;
    const char *const texts[2] = { base->asked->operands[0], base->asked->operands[1] };
    base->all.centres = true;
    marey_status status = materials_load(&base->all, texts, 2, error);
    if (status == MAREY_OK) status = cut_list_find(&of->list, base, error);
    return status == MAREY_OK ? make(of, error) : status;
}

/* The answer is put together before anything is written: after that only sending it can fail. */
static marey_status answer_and_draw(transition *of, marey_error *error)
{
    const char *sheet = of->base.asked->values[OPTION_SHEET];
    answer(of);
    marey_status status = shelf_ready(of->base.run, error);
    if (status != MAREY_OK || !sheet) return status;
    return passage_sheet(&of->base, &of->def, &of->list, sheet, error);
}

int command_transition(session *run, const request *asked)
{
    transition of = { .def.plain = false };
    marey_error error;
    int status = read_options(&of, run, asked);
    if (status == PROGRAM_DONE) status = making_open(&of.base, run, asked);
    if (status != PROGRAM_DONE) return status;
    if (run_all(&of, &error) == MAREY_OK && answer_and_draw(&of, &error) == MAREY_OK) {
        status = making_finish(&of.base, of.made.made.clip, &of.made.made.contacts);
    } else {
        status = making_fail(&of.base, &error);
    }
    passage_free(&of.made);
    cut_list_free(&of.list);
    making_close(&of.base);
    return status;
}
