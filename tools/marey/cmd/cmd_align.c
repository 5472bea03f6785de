/* cmd_align.c - `marey align`: which frames of clips belong together (Kovar & Gleicher 2003, section 4). Two clips have a
   path through the grid of their distances; several, or two that are to be kept, a registration. */
#include "align_pair.h"
#include "commands.h"
#include "registering.h"
#include "shelf.h"

#include <math.h>

typedef struct aligning {
    making base;
    registering of;
    marey_part parts[MOST_MOTIONS];
} aligning;

/* ---- the answer ------------------------------------------------------------------------------------ */

/* What a plant that fills frames a .. b - 1 covers is a - 0.5 .. b - 0.5. */
static int edge_frame(const aligning *all, int motion, double u)
{
    return (int)lround(registering_frame(&all->of, &all->base, motion, u) + 0.5);
}

static void write_matches(const aligning *all, json *to)
{
    int count, motions = all->base.all.count;
    const marey_constraint_match *matches =
        marey_registration_matches(all->of.registration, &count);
    json_open(to, "matches", '[');
    for (int i = 0; i < count; i++) {
        json_open(to, NULL, '{');
        json_put_string(to, "joint", marey_contact_name(matches[i].joint));
        json_open(to, "spans", '[');
        for (int m = 0; m < motions; m++) {
            json_open(to, NULL, '[');
            json_put_integer(to, NULL, edge_frame(all, m, matches[i].spans[m].start));
            json_put_integer(to, NULL, edge_frame(all, m, matches[i].spans[m].end));
            json_close(to, ']');
        }
        json_close(to, ']');
        json_close(to, '}');
    }
    json_close(to, ']');
}

/* Of two clips the path is given as well: rows of the reference, columns of the other. */
static int frame_of_row(const aligning *all, int motion, int row)
{
    const marey_clip *clip = all->base.all.clips[motion];
    double rate = marey_registration_fps(all->of.registration);
    int frame = (int)lround(row * marey_clip_fps(clip) / rate), frames = marey_clip_frames(clip);
    return material_frame(&all->base.all, motion, frame < frames ? frame : frames - 1);
}

static void write_path(const aligning *all, json *to)
{
    int reference = marey_registration_reference(all->of.registration), other = 1 - reference;
    const marey_path *path = marey_registration_path(all->of.registration, other);
    json_open(to, "path", '[');
    for (int i = 0; i < path->count; i++) {
        int frames[2];
        frames[reference] = frame_of_row(all, reference, path->cells[i].row);
        frames[other] = frame_of_row(all, other, path->cells[i].col);
        json_open(to, NULL, '[');
        json_put_integer(to, NULL, frames[0]);
        json_put_integer(to, NULL, frames[1]);
        json_close(to, ']');
    }
    json_close(to, ']');
    json_put_number(to, "mean_distance", path->mean);
    json_put_integer(to, "cells", path->count);
}

static void write_json(const aligning *all, json *to)
{
    int knots, base;
    double epsilon;
    json_open(to, NULL, '{');
    if (all->base.all.count == 2) write_path(all, to);
    registering_json(&all->of, &all->base, to);
    write_matches(all, to);
    marey_registration_knots(all->of.registration, &knots, &base, &epsilon);
    json_put_integer(to, "knots", knots);
    json_put_integer(to, "slope", all->base.slope ? all->base.slope : 2);
    json_put_number(to, "fps", marey_registration_fps(all->of.registration));
    json_put_string(to, "metric", all->base.metric.metric->name);
    json_put_string(to, "unit", making_unit(&all->base));
    json_put_string(to, "saved", all->base.asked->values[OPTION_SAVE]);
    json_close(to, '}');
    buffer_byte(to->out, '\n');
}

static void answer(const aligning *all)
{
    session *run = all->base.run;
    buffer *out = &run->out;
    const char *name = all->base.asked->values[OPTION_SAVE];
    int matches;
    if (run->json) {
        json to = json_make(out);
        write_json(all, &to);
        return;
    }
    if (run->quiet && name) return;
    marey_registration_matches(all->of.registration, &matches);
    registering_text(&all->of, &all->base, out);
    buffer_print(out, "  %d foot plant%s that all of them have\n", matches,
                 matches == 1 ? "" : "s");
    if (!name) return;
    buffer_text(out, "kept as ");
    buffer_shown(out, name);
    buffer_byte(out, '\n');
}

/* ---- keeping --------------------------------------------------------------------------------------- */

/* Which frames of which clips, by the clips' numbers. */
static marey_status name_parts(aligning *all, marey_error *error)
{
    const materials *from = &all->base.all;
    for (int i = 0; i < from->count; i++) {
        const input_source *source = &from->items[i].source;
        const marey_entry *entry = listing_find(from->from.listing, source->name);
        if (!entry) {
            *error = (marey_error){ .status = MAREY_ERR_INPUT, .message = "this clip is gone" };
            return MAREY_ERR_INPUT;
        }
        all->parts[i] = (marey_part){ entry->id, source->start, source->end };
    }
    return MAREY_OK;
}

static int keep(aligning *all)
{
    making *base = &all->base;
    session *run = base->run;
    shelf at;
    marey_error error;
    marey_status status = name_parts(all, &error);
    if (status == MAREY_OK) status = making_note(base, base->asked, &error);
    if (status == MAREY_OK) status = shelf_ready(run, &error);
    input_close(&base->all.from); /* it was open for reading */
    if (status == MAREY_OK) {
        status =
            shelf_open(run, base->asked->values[OPTION_LIBRARY], MAREY_LIBRARY_WRITE, &at, &error);
    }
    if (status != MAREY_OK) return making_fail(base, &error);
    status = marey_library_keep_registration(at.library, base->asked->values[OPTION_SAVE],
                                             all->of.registration, all->parts,
                                             base->out.settings.bytes, &error);
    return shelf_end(&at, status, &error);
}

/* ---- the command ----------------------------------------------------------------------------------- */

static int check_use(session *run, const request *asked)
{
    static const struct {
        option_key key;
        const char *name;
    } pairs[] = { { OPTION_OUTPUT, "output" }, { OPTION_FROM, "from" },
                  { OPTION_TO, "to" },         { OPTION_THROUGH, "through" },
                  { OPTION_FPS, "fps" },       { OPTION_NORMALIZE, "normalize" } };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        if (!request_has(asked, pairs[i].key)) continue;
        return session_usage(run, "--%s is for the path of two clips, without --save",
                             pairs[i].name);
    }
    if (asked->operand_count > MOST_MOTIONS) {
        return session_usage(run, "at most %d clips are registered", (int)MOST_MOTIONS);
    }
    if (request_has(asked, OPTION_SAVE) && !request_has(asked, OPTION_LIBRARY)) {
        return session_usage(run,
                             "--save keeps what is found in the library of the clips: -L FILE");
    }
    return PROGRAM_DONE;
}

static int align_all(session *run, const request *asked)
{
    aligning all = { .of = { 0 } };
    marey_error error;
    int status = check_use(run, asked);
    if (status == PROGRAM_DONE) status = making_open(&all.base, run, asked);
    if (status != PROGRAM_DONE) return status;
    if (registering_build(&all.of, &all.base, &error) != MAREY_OK) {
        status = making_fail(&all.base, &error);
    } else {
        answer(&all);
        status = request_has(asked, OPTION_SAVE) ? keep(&all) : session_finish(run, PROGRAM_DONE);
    }
    registering_free(&all.of, run);
    making_close(&all.base);
    return status;
}

int command_align(session *run, const request *asked)
{
    if (asked->operand_count > 2 || request_has(asked, OPTION_SAVE)) return align_all(run, asked);
    return align_pair(run, asked);
}
