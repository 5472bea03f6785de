/* cmd_blend.c - `marey blend`: several motions mixed into one, by weights that stay or that change over time (Kovar &
   Gleicher 2003, 6.2 and 6.3). */
#include "commands.h"
#include "registering.h"
#include "weights_file.h"

#include <stdlib.h>
#include <string.h>

typedef struct blending {
    making base;
    registering of;
    marey_blend_def def;
    double weights[MOST_MOTIONS]; /* scaled to sum 1; unless there is a file of them */
    buffer keys;                  /* rows of it */
    marey_made made;
    made_figures figures;
} blending;

/* ---- options --------------------------------------------------------------------------------------- */

static int check_use(session *run, const request *asked)
{
    bool kept = request_has(asked, OPTION_CURVE);
    bool list = request_has(asked, OPTION_WEIGHTS), file = request_has(asked, OPTION_WEIGHTS_FILE);
    if (!asked->values[OPTION_OUTPUT]) return session_usage(run, "-o OUT is needed");
    if (list == file) {
        return session_usage(run, list ? "--weights stay, --weights-file changes them over time: "
                                         "one of these"
                                       : "--weights W,W,... or --weights-file FILE is needed");
    }
    if (kept && !asked->values[OPTION_LIBRARY]) {
        return session_usage(run, "--curve is for a registration that a library keeps: -L FILE");
    }
    if (kept && asked->operand_count > 0) {
        return session_usage(run, "--curve brings its own clips, so none are named");
    }
    if (kept && (request_has(asked, OPTION_SLOPE) || request_has(asked, OPTION_METRIC))) {
        return session_usage(run, "--curve was made before, with its own --metric and --slope");
    }
    if (!kept && (asked->operand_count < 2 || asked->operand_count > MOST_MOTIONS)) {
        return session_usage(run, "name 2 to %d clips, or say --curve", (int)MOST_MOTIONS);
    }
    return PROGRAM_DONE;
}

static int read_options(blending *all, session *run, const request *asked)
{
    const char *name = marey_blend_method_name(MAREY_BLEND_REGISTERED);
    int status = check_use(run, asked);
    if (status == PROGRAM_DONE) status = options_word(run, asked, OPTION_METHOD, &name);
    if (status == PROGRAM_DONE) status = input_rate(run, asked, &all->def.fps);
    for (int m = 0; m < MAREY_BLEND_METHOD_COUNT; m++) {
        if (strcmp(marey_blend_method_name((marey_blend_method)m), name) != 0) continue;
        all->def.method = (marey_blend_method)m;
    }
    return status;
}

/* What can be read only when it is known how many clips there are: of a kept registration, when it is open. */
static int read_weights(blending *all, marey_error *error)
{
    session *run = all->base.run;
    const request *asked = all->base.asked;
    const char *text = asked->values[OPTION_WEIGHTS];
    int count = all->of.parts ? all->of.parts->count : asked->operand_count;
    int64_t place = 0;
    double sum = 0;
    *error = (marey_error){ 0 };
    int status = options_whole(run, asked, OPTION_PLACE, 1, count, &place);
    if (status == PROGRAM_DONE && text) status = weights_parse(run, text, count, all->weights);
    if (status != PROGRAM_DONE) return status;
    all->def.place_of = (int)place;
    if (text) {
        for (int i = 0; i < count; i++) sum += all->weights[i];
        for (int i = 0; i < count; i++) all->weights[i] /= sum;
        all->def.weights = all->weights;
        return PROGRAM_DONE;
    }
    if (weights_read(run, asked->values[OPTION_WEIGHTS_FILE], count, &all->keys, error) !=
        MAREY_OK) {
        return making_fail(&all->base, error);
    }
    all->def.keys = (const double *)(const void *)all->keys.bytes;
    all->def.key_count = (int)(all->keys.used / sizeof(double) / ((size_t)count + 1));
    return PROGRAM_DONE;
}

/* ---- the answer ------------------------------------------------------------------------------------ */

static void write_json(const blending *all, json *to)
{
    const marey_contacts *feet = &all->made.contacts;
    json_put_string(to, "method", marey_blend_method_name(all->def.method));
    json_put_string(to, "curve", all->base.asked->values[OPTION_CURVE]);
    registering_json(&all->of, &all->base, to);
    if (all->def.weights) {
        json_open(to, "weights", '[');
        for (int i = 0; i < all->base.all.count; i++) json_put_number(to, NULL, all->weights[i]);
        json_close(to, ']');
    } else {
        json_put_null(to, "weights");
        json_put_integer(to, "weight_rows", all->def.key_count);
    }
    json_plants(to, "constraints", feet->items, feet->count, 0);
    made_figures_json(&all->figures, to);
}

static void write_text(const blending *all, buffer *out)
{
    registering_text(&all->of, &all->base, out);
    if (all->def.weights) {
        buffer_text(out, "  weights  ");
        for (int i = 0; i < all->base.all.count; i++) buffer_print(out, " %.4g", all->weights[i]);
        buffer_byte(out, '\n');
    } else {
        buffer_print(out, "  weights   over time, %d line%s\n", all->def.key_count,
                     all->def.key_count == 1 ? "" : "s");
    }
    made_figures_text(&all->figures, out);
}

static void answer(const blending *all)
{
    session *run = all->base.run;
    if (run->json) {
        json to = json_make(&run->out);
        json_open(&to, NULL, '{');
        write_json(all, &to);
    } else if (!run->quiet) {
        write_text(all, &run->out);
    }
}

/* ---- making ---------------------------------------------------------------------------------------- */

static marey_status make(blending *all, marey_error *error)
{
    making *base = &all->base;
    all->def.leave_feet = base->leave_feet;
    all->def.clean = &base->clean;
    marey_status status =
        marey_blend_make(base->run->ctx, all->of.registration, &all->def, &all->made, error);
    if (status == MAREY_OK) {
        status = made_figures_measure(&base->all, &all->made, 0, marey_clip_frames(all->made.clip),
                                      !base->leave_feet, &all->figures, error);
    }
    return status == MAREY_OK ? making_note(base, base->asked, error) : status;
}

static int blend(blending *all)
{
    marey_error error;
    const char *kept = all->base.asked->values[OPTION_CURVE];
    if (kept && registering_open(&all->of, &all->base, kept, &error) != MAREY_OK) {
        return making_fail(&all->base, &error);
    }
    int status = read_weights(all, &error);
    if (status != PROGRAM_DONE) return status;
    if ((!kept && registering_build(&all->of, &all->base, &error) != MAREY_OK) ||
        make(all, &error) != MAREY_OK) {
        return making_fail(&all->base, &error);
    }
    answer(all);
    return making_finish(&all->base, all->made.clip, &all->made.contacts);
}

int command_blend(session *run, const request *asked)
{
    blending all = { .keys = buffer_make(&run->host->def) };
    int status = read_options(&all, run, asked);
    if (status == PROGRAM_DONE) status = making_open(&all.base, run, asked);
    if (status != PROGRAM_DONE) return status;
    status = blend(&all);
    marey_made_free(&all.made);
    registering_free(&all.of, run);
    buffer_free(&all.keys);
    making_close(&all.base);
    return status;
}
