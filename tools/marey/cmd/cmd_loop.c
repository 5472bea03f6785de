/* cmd_loop.c - `marey loop`: the stretches of a clip that can go on for ever, and the best of them as a clip. */
#include "commands.h"
#include "making.h"

#include <stdio.h>
#include <string.h>

enum { MOST_LOOPS = 1000 };

typedef struct looping {
    making base;
    marey_loops_def find;
    marey_loop_def make;
    int64_t most; /* that are listed */
    bool at_given;
    int64_t at[2];     /* --at: the one loop, in frames of the file */
    marey_loop *loops; /* in frames of the clip that is used */
    int listed;
    marey_made made; /* the best */
    made_figures figures;
} looping;

static int read_options(looping *of, session *run, const request *asked)
{
    of->make.in_place = request_has(asked, OPTION_IN_PLACE);
    of->find.still = request_has(asked, OPTION_STILL);
    int status = options_whole(run, asked, OPTION_COUNT, 1, MOST_LOOPS, &of->most);
    if (status == PROGRAM_DONE) {
        status = options_number(run, asked, OPTION_SHORTEST, 0.001, 1e6, &of->find.shortest_s);
    }
    if (status == PROGRAM_DONE) {
        status = options_number(run, asked, OPTION_LONGEST, 0.001, 1e6, &of->find.longest_s);
    }
    bool given[2] = { 0 };
    if (status == PROGRAM_DONE) status = read_pair(run, asked, OPTION_AT, false, of->at, given);
    of->at_given = given[0];
    if (status == PROGRAM_DONE && of->at_given &&
        (request_has(asked, OPTION_COUNT) || request_has(asked, OPTION_SHORTEST) ||
         request_has(asked, OPTION_LONGEST) || of->find.still)) {
        return session_usage(run, "--at says which loop, so there is nothing else to choose");
    }
    double shortest = of->find.shortest_s > 0 ? of->find.shortest_s : 0.5;
    if (status == PROGRAM_DONE && of->find.longest_s > 0 && of->find.longest_s < shortest) {
        return session_usage(run, "no loop is at most %g s long and at least %g s",
                             of->find.longest_s, shortest);
    }
    return status;
}

/* ---- the answer ------------------------------------------------------------------------------------ */

static int frame_of(const looping *of, int frame)
{
    return material_frame(&of->base.all, 0, frame);
}

static void write_json(const looping *of, json *to)
{
    json_open(to, "loops", '[');
    for (int i = 0; i < of->listed; i++) {
        const marey_loop *one = &of->loops[i];
        json_open(to, NULL, '{');
        json_put_integer(to, "start", frame_of(of, one->start));
        json_put_integer(to, "end", frame_of(of, one->end));
        json_put_number(to, "cost", one->cost);
        json_put_number(to, "seam_ratio", one->seam_ratio);
        json_close(to, '}');
    }
    json_close(to, ']');
    json_put_string(to, "metric", of->base.metric.metric->name);
    json_put_string(to, "unit", making_unit(&of->base));
    json_put_boolean(to, "in_place", of->make.in_place);
    if (of->base.out.target) made_figures_json(&of->figures, to);
}

static void write_table(const looping *of, buffer *out)
{
    double fps = marey_clip_fps(of->base.all.clips[0]);
    if (of->listed == 0) {
        buffer_text(out, "no loop was found\n");
        return;
    }
    buffer_print(out, "%8s %8s %9s %10s   %s\n", "start", "end", "seconds", "seam", "cost");
    for (int i = 0; i < of->listed; i++) {
        const marey_loop *one = &of->loops[i];
        buffer_print(out, "%8d %8d %9.3f %10.3f   ", frame_of(of, one->start),
                     frame_of(of, one->end), (one->end - one->start) / fps, one->seam_ratio);
        buffer_cost(out, &of->base.metric, one->cost);
        buffer_byte(out, '\n');
    }
    if (of->base.out.target) made_figures_text(&of->figures, out);
}

static void answer(const looping *of)
{
    session *run = of->base.run;
    if (run->json) {
        json to = json_make(&run->out);
        json_open(&to, NULL, '{');
        write_json(of, &to);
    } else if (!run->quiet || !of->base.out.target) {
        write_table(of, &run->out);
    }
}

/* ---- making ---------------------------------------------------------------------------------------- */

/* What marey_loops_find would say of it. */
static marey_status measure_cost(const looping *of, marey_loop *loop, marey_error *error)
{
    const marey_clip *clip = of->base.all.clips[0];
    marey_layout *layout = NULL;
    marey_features *features = NULL;
    marey_status status =
        marey_layout_build_bodies(of->base.run->ctx, &clip, 1, &of->base.metric, &layout, error);
    if (status == MAREY_OK) status = marey_features_build(layout, clip, &features, error);
    if (status == MAREY_OK) {
        loop->cost = marey_distance(features, marey_features_row(features, loop->start), features,
                                    marey_features_row(features, loop->end));
    }
    marey_features_free(features);
    marey_layout_free(layout);
    return status;
}

static marey_status take_given(looping *of, marey_error *error)
{
    int frames[2] = { 0 };
    marey_status status = MAREY_OK;
    if (of->at[0] >= of->at[1]) {
        *error = (marey_error){ .status = MAREY_ERR_REQUEST };
        snprintf(error->message, sizeof error->message,
                 "--at: a loop ends behind its start, not from frame %lld to frame %lld",
                 (long long)of->at[0], (long long)of->at[1]);
        return MAREY_ERR_REQUEST;
    }
    for (int i = 0; i < 2 && status == MAREY_OK; i++) {
        status = material_find(&of->base.all, 0, of->at[i], "--at", &frames[i], error);
    }
    if (status != MAREY_OK) return status;
    of->loops[0] = (marey_loop){ .start = frames[0], .end = frames[1] };
    of->listed = 1;
    return measure_cost(of, &of->loops[0], error);
}

static marey_status find(looping *of, marey_error *error)
{
    materials *all = &of->base.all;
    int found = 0;
    of->loops = session_resize(of->base.run, NULL, 0, (size_t)of->most * sizeof *of->loops);
    if (!of->loops) {
        *error = (marey_error){ .status = MAREY_ERR_MEMORY, .message = "out of memory" };
        return MAREY_ERR_MEMORY;
    }
    of->find.metric = of->make.metric = &of->base.metric;
    of->find.half = of->make.half = of->base.half;
    if (of->at_given) return take_given(of, error);
    marey_status status = marey_loops_find(of->base.run->ctx, all->clips[0], &of->find,
                                           (int)of->most, of->loops, &found, error);
    if (status == MAREY_OK) of->listed = found < of->most ? found : (int)of->most;
    return status;
}

static marey_status judge(looping *of, marey_error *error)
{
    session *run = of->base.run;
    bool cleaned = !of->base.leave_feet;
    double fastest;
    marey_status status = materials_fastest(&of->base.all, &fastest, error);
    if (status != MAREY_OK) return status;
    if (of->make.in_place) {
        return made_figures_in_place(run, fastest, &of->made, cleaned, &of->figures, error);
    }
    return made_figures_against(run, fastest, &of->made, 0, marey_clip_frames(of->made.clip),
                                cleaned, &of->figures, error);
}

/* How well a loop closes is known when it is made, so all of the list are; the first is kept. */
static marey_status make(looping *of, marey_error *error)
{
    materials *all = &of->base.all;
    marey_status status = MAREY_OK;
    of->make.slope = of->base.slope;
    of->make.leave_feet = of->base.leave_feet;
    of->make.clean = &of->base.clean;
    for (int i = 0; i < of->listed && status == MAREY_OK; i++) {
        marey_made made = { 0 };
        session_progress(of->base.run, "making loops", i, of->listed);
        status = marey_loop_make(of->base.run->ctx, all->clips[0], &all->contacts[0], &of->make,
                                 &of->loops[i], &made, error);
        if (i == 0 && status == MAREY_OK) {
            of->made = made;
        } else {
            marey_made_free(&made);
        }
    }
    if (status != MAREY_OK || !of->base.out.target) return status;
    if (of->listed == 0) {
        *error = (marey_error){ .status = MAREY_ERR_REQUEST, .message = "no loop was found" };
        return MAREY_ERR_REQUEST;
    }
    return judge(of, error);
}

/* The frames that were used: those of the loop and of the seam. */
static marey_status note(looping *of, marey_error *error)
{
    making *base = &of->base;
    input_source source = base->all.items[0].source;
    if (!base->out.target) return MAREY_OK;
    source.start = frame_of(of, of->loops[0].start);
    source.end = frame_of(of, of->loops[0].end);
    provenance_add(&base->out.made_of, &source);
    return making_note(base, base->asked, error);
}

static marey_status run_all(looping *of, marey_error *error)
{
    const char *const text = of->base.asked->operands[0];
    marey_status status = materials_load(&of->base.all, &text, 1, error);
    if (status == MAREY_OK) status = find(of, error);
    if (status == MAREY_OK) status = make(of, error);
    return status == MAREY_OK ? note(of, error) : status;
}

int command_loop(session *run, const request *asked)
{
    looping of = { .most = 5 };
    marey_error error;
    int status = read_options(&of, run, asked);
    if (status == PROGRAM_DONE) status = making_open(&of.base, run, asked);
    if (status != PROGRAM_DONE) return status;
    if (run_all(&of, &error) == MAREY_OK) {
        answer(&of);
        status = making_finish(&of.base, of.made.clip, of.make.in_place ? NULL : &of.made.contacts);
    } else {
        status = making_fail(&of.base, &error);
    }
    marey_made_free(&of.made);
    if (of.loops) session_resize(run, of.loops, (size_t)of.most * sizeof *of.loops, 0);
    making_close(&of.base);
    return status;
}
