/* cmd_weights.c - `marey weights`: how much each term of a metric should count (Guan & Yang, 4.2.2). */
#include "commands.h"
#include "metric_options.h"

#include <string.h>

enum { LEAST_STEPS = 2, MOST_STEPS = 40, MOST_REFINEMENTS = 20 };

static int read_search(session *run, const request *asked, marey_weights_def *def)
{
    int64_t steps = 0, refinements = 0, pairs = 0;
    const char *space = NULL;
    const option_row row = { .key = OPTION_SPACE, .words = WORDS_SPACES };
    int status = options_word(run, asked, OPTION_SPACE, &space);
    if (status == PROGRAM_DONE) {
        status = options_whole(run, asked, OPTION_STEPS, LEAST_STEPS, MOST_STEPS, &steps);
    }
    if (status == PROGRAM_DONE) {
        status = options_whole(run, asked, OPTION_REFINE, 0, MOST_REFINEMENTS, &refinements);
    }
    if (status == PROGRAM_DONE) {
        status = options_whole(run, asked, OPTION_PAIRS, 1, INT32_MAX, &pairs);
    }
    *def = (marey_weights_def){ .steps = (int)steps,
                                .refinements = (int)refinements,
                                .pairs = (int)pairs };
    const char *word;
    for (int i = 0; space && (word = option_word(&row, i)); i++) {
        if (strcmp(word, space) == 0) def->space = (marey_weight_space)i;
    }
    bool optimised = def->space == MAREY_WEIGHTS_OPTIMISED;
    if (status == PROGRAM_DONE && optimised && (steps || request_has(asked, OPTION_REFINE))) {
        status =
            session_usage(run, "--steps and --refine are for spaces whose combinations are all "
                               "tried, not for optimised");
    }
    return status;
}

static void write_json(const comparison *all, const marey_weights_result *of, double seconds)
{
    const marey_metric_def *def = marey_layout_def(all->layout);
    json to = json_make(&all->run->out);
    json_open(&to, NULL, '{');
    json_open(&to, "weights", '[');
    for (int i = 0; i < of->count; i++) json_put_number(&to, NULL, of->weights[i]);
    json_close(&to, ']');
    json_open(&to, "names", '[');
    for (int i = 0; i < of->count; i++) json_put_string(&to, NULL, def->metric->attributes[i]);
    json_close(&to, ']');
    json_put_number(&to, "Dp", of->position_cm);
    json_put_integer(&to, "evaluations", of->evaluations);
    json_put_integer(&to, "combinations", of->combinations);
    json_put_number(&to, "seconds", seconds);
    comparison_json(all, &to);
    json_close(&to, '}');
    buffer_byte(&all->run->out, '\n');
}

static void write_text(const comparison *all, const marey_weights_result *of, double seconds)
{
    const marey_metric *metric = marey_layout_def(all->layout)->metric;
    buffer *out = &all->run->out;
    comparison_text(all, out);
    for (int i = 0; i < of->count; i++) {
        buffer_print(out, "  %-18s %.6g\n", metric->attributes[i], of->weights[i]);
    }
    buffer_print(out, "  Dp %.4f cm, after %lld evaluations", of->position_cm,
                 (long long)of->evaluations);
    if (of->combinations > 0) {
        buffer_print(out, " for %lld combinations", (long long)of->combinations);
    }
    buffer_print(out, ", %.3g s\n  --metric %s --attributes ", seconds, metric->name);
    for (int i = 0; i < of->count; i++) {
        buffer_print(out, "%s%.6g", i ? "," : "", of->weights[i]);
    }
    buffer_byte(out, '\n');
}

static marey_status seek(comparison *all, const marey_weights_def *def, marey_error *error)
{
    marey_weights_result got;
    marey_status status = comparison_load(all, error);
    if (status == MAREY_OK) status = comparison_measure(all, &all->def, error);
    if (status != MAREY_OK) return status;
    double start = seconds_now();
    status =
        marey_weights_search(all->run->ctx, all->features[0], all->features[1], def, &got, error);
    if (status != MAREY_OK) return status;
    double seconds = all->seconds + seconds_now() - start;
    if (all->run->json) {
        write_json(all, &got, seconds);
    } else {
        write_text(all, &got, seconds);
    }
    return MAREY_OK;
}

int command_weights(session *run, const request *asked)
{
    comparison all;
    marey_weights_def def;
    marey_error error;
    request whole = *asked;
    if (!whole.values[OPTION_METRIC]) whole.values[OPTION_METRIC] = "angles";
    int status = read_search(run, asked, &def);
    if (status == PROGRAM_DONE) status = comparison_open(&all, run, &whole);
    if (status != PROGRAM_DONE) return status;
    marey_status done = seek(&all, &def, &error);
    comparison_close(&all);
    return done == MAREY_OK ? session_finish(run, PROGRAM_DONE) : session_fail(run, &error);
}
