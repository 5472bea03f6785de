/* cmd_param_make.c - `marey param make`: the motion of a family that does what is asked for (webs, 6.3.3), or a whole grid
   of them. */
#include "commands.h"
#include "param_grid.h"

#include <math.h>

typedef struct member {
    session *run;
    const request *asked;
    param_maker by;
    clip_out out;
    double target[MAREY_MOST_PARAM_DIMS];
    marey_made made;
    marey_answer answer;
    made_figures figures;
} member;

/* ---- options --------------------------------------------------------------------------------------- */

static int read_options(session *run, const request *asked, param_maker *by)
{
    bool grid = request_has(asked, OPTION_GRID);
    const char *format = "bvh";
    by->ask.table = request_has(asked, OPTION_TABLE);
    by->def = (marey_family_make_def){ .ask = &by->ask,
                                       .leave_feet = request_has(asked, OPTION_NO_CLEAN),
                                       .clean = &by->clean };
    if (!asked->values[OPTION_OUTPUT] || !*asked->values[OPTION_OUTPUT])
        return session_usage(run, grid ? "-o DIR is needed" : "-o OUT is needed");
    if (grid == request_has(asked, OPTION_AT)) {
        return session_usage(run, grid ? "--at asks for one motion, --grid for many: one of these"
                                       : "--at X,Y,... or --grid NxN... is needed");
    }
    if (request_has(asked, OPTION_FORMAT) && !grid)
        return session_usage(run, "--format is for the files of --grid; OUT says its own");
    int status = input_rate(run, asked, &by->def.fps);
    if (status == PROGRAM_DONE) status = read_stretch(run, asked, &by->clean);
    if (status == PROGRAM_DONE) status = options_word(run, asked, OPTION_FORMAT, &format);
    by->ending = format_ending(format);
    return status;
}

/* What can be read only when the family is open. */
static int read_target(member *all)
{
    const marey_family *family = all->by.from.family;
    const char *text = all->asked->values[OPTION_AT];
    int dims = marey_family_dims(family);
    if (numbers_parse(text, dims, all->target)) return PROGRAM_DONE;
    char room[1024] = "";
    buffer names = buffer_fixed(room, sizeof room - 1);
    for (int d = 0; d < dims; d++) {
        const char *unit;
        buffer_shown(&names, marey_family_dim(family, d, &unit));
        buffer_print(&names, d + 1 < dims ? " %s, " : " %s", unit);
    }
    room[names.used] = 0;
    return session_usage(all->run, "--at takes %d number%s for this family (%s), not \"%s\"", dims,
                         dims == 1 ? "" : "s", room, text);
}

/* ---- the answer ------------------------------------------------------------------------------------ */

static void write_json(const member *all, json *to)
{
    const marey_parts *parts = all->by.from.parts;
    const marey_contacts *feet = &all->made.contacts;
    json_open(to, NULL, '{');
    json_put_string(to, "name", all->by.from.name);
    json_features(to, all->by.from.family);
    json_answer(to, all->by.from.family, all->target, &all->answer);
    json_open(to, "examples", '[');
    for (int i = 0; i < parts->count; i++) {
        json_open(to, NULL, '{');
        json_part(to, parts->names[i].name, &parts->parts[i]);
        json_close(to, '}');
    }
    json_close(to, ']');
    json_plants(to, "constraints", feet->items, feet->count, 0);
    made_figures_json(&all->figures, to);
}

static void write_text(const member *all, buffer *out)
{
    const marey_parts *parts = all->by.from.parts;
    const marey_family *family = all->by.from.family;
    const marey_answer *got = &all->answer;
    int dims = marey_family_dims(family);
    buffer_text(out, "  asked for ");
    buffer_numbers(out, all->target, dims);
    buffer_text(out, "\n  reached   ");
    buffer_numbers(out, got->values, dims);
    buffer_print(out, "; off by %.3g %s, by %.3g without refinement\n", got->error,
                 family_unit(family), got->table_error);
    if (got->outside) {
        buffer_text(out, "  that is outside what this family can do: this is the nearest it can\n");
    }
    for (int i = 0, told = 0; i < got->count; i++) {
        if (fabs(got->weights[i]) < 0.0005) continue;
        buffer_text(out, told++ ? "            " : "  made of   ");
        buffer_print(out, "%6.3f of ", got->weights[i]);
        buffer_part(out, parts->names[got->motions[i]].name, &parts->parts[got->motions[i]]);
        buffer_byte(out, '\n');
    }
    made_figures_text(&all->figures, out);
}

static void answer(const member *all)
{
    json to = json_make(&all->run->out);
    if (all->run->json) {
        write_json(all, &to);
    } else {
        write_text(all, &all->run->out);
    }
}

/* ---- making ---------------------------------------------------------------------------------------- */

static marey_status make(member *all, marey_error *error)
{
    marey_status status = param_make(&all->by, all->target, &all->made, &all->answer, error);
    if (status == MAREY_OK)
        status = param_figures(&all->by, &all->made, &all->answer, &all->figures, error);
    if (status != MAREY_OK) return status;
    param_note(&all->by, &all->answer, &all->out);
    return clip_out_note(&all->out, all->asked, error);
}

/* An empty set of plants is one too, and says so by not being NULL. */
static int save(member *all)
{
    static const marey_contact none = { 0 };
    const marey_contacts *feet = &all->made.contacts;
    all->out.clip = all->made.clip;
    all->out.contacts = feet->count > 0 ? feet->items : &none;
    all->out.contact_count = feet->count;
    param_maker_close(&all->by); /* the library that was read may be the one that is written */
    return clip_out_save(&all->out, clip_out_describe, NULL);
}

static int make_one(member *all)
{
    marey_error error;
    int status = read_target(all);
    if (status != PROGRAM_DONE) return status;
    if (make(all, &error) != MAREY_OK) {
        all->run->out.used = 0;
        return session_fail(all->run, &error);
    }
    answer(all);
    return save(all);
}

int command_param_make(session *run, const request *asked)
{
    member all = { .run = run, .asked = asked };
    marey_error error;
    int status = read_options(run, asked, &all.by);
    if (status != PROGRAM_DONE) return status;
    if (param_maker_open(&all.by, run, asked, &error) != MAREY_OK) return session_fail(run, &error);
    if (request_has(asked, OPTION_GRID)) {
        status = param_grid(&all.by);
    } else {
        clip_out_make(&all.out, run, asked->values[OPTION_OUTPUT],
                      request_has(asked, OPTION_PROVENANCE));
        status = make_one(&all);
        clip_out_free(&all.out);
    }
    marey_made_free(&all.made);
    param_maker_close(&all.by);
    return status;
}
