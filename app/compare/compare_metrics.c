/* compare_metrics.c - `compare`: all metrics judged by equally many of their pairs (Guan & Yang,
   tables 2 and 3), and `weights`: how much each term of a metric should count (4.2.2). */
#include "comparison.h"
#include "operations.h"

#include <math.h>

const char *const app_measure_names[APP_MEASURES] = { "Dp", "Dv", "Da" };

#define PAIRS_PARAM(owner)                                                                         \
    {                                                                                              \
        .name = "pairs", .type = APP_WHOLE, .at = offsetof(owner, pairs), .least = 1,              \
        .most = INT32_MAX, .value = "N",                                                           \
        .help = "how many similar pairs are judged (default: 1 % of all, at least 10)"             \
    }

#define JOINTS_PARAM(owner)                                                                        \
    {                                                                                              \
        .name = "joints", .type = APP_TEXT, .at = offsetof(owner, compared.metric.joints),         \
        .value = "SET",                                                                            \
        .help = "how much each joint counts: equal, lee, wang, or roles such as hips=1,knee=0.5 "  \
                "(default: equal)"                                                                 \
    }

/* ---- compare --------------------------------------------------------------------------------- */

static const app_param compare_rows[] = {
    APP_COMPARED_CLIPS(app_compare_params, compared),
    PAIRS_PARAM(app_compare_params),
    JOINTS_PARAM(app_compare_params),
    APP_OWN_METRIC_PARAM(app_compare_params, compared.metric),
    APP_COMPARED_PARAMS(app_compare_params, compared, NULL, app_units_word),
    { 0 },
};

static marey_status check_compare(const void *params, app_dialect dialect, marey_error *error)
{
    const app_compare_params *request = params;
    app_metric unused;
    return app_metric_define(NULL, &request->compared.metric, dialect, &unused, error);
}

static void close_scope(void *scope)
{
    app_scope_close(scope);
}

/* Pairs of every metric; `measuring` is the scope of one metric's measures, and has those of the
   last behind it. */
static marey_status find_pairs(const app_env *env, int asked, app_scope *measuring,
                               app_compare_result *out, marey_error *error)
{
    app_comparison *comparison = &out->of;
    app_env inside = *env;
    marey_status status = MAREY_OK;
    inside.scope = measuring;
    for (int i = 0; i < out->count && status == MAREY_OK; i++) {
        app_contestant *one = &out->rows[i];
        marey_metric_def def = comparison->metric.def;
        if (def.metric != one->metric) def.own = NULL;
        def.metric = one->metric;
        app_scope_close(measuring);
        status = app_comparison_measure(&inside, comparison, &def, error);
        if (status != MAREY_OK) break;
        if (i == 0) {
            int64_t cells = (int64_t)marey_features_rows(comparison->features[0]) *
                            marey_features_rows(comparison->features[1]);
            int64_t pairs = asked ? asked : cells / 100 > 10 ? cells / 100 : 10;
            if (pairs > cells) pairs = cells;
            out->pairs = (int)(pairs < INT32_MAX ? pairs : INT32_MAX);
        }
        one->pairs = APP_NEW(env->scope, marey_pair, out->pairs);
        if (!one->pairs) return app_fail_memory(error);
        double start = app_seconds();
        status = marey_grid_pairs(env->ctx, comparison->features[0], comparison->features[1],
                                  out->pairs, one->pairs, &one->found, error);
        one->seconds = comparison->seconds + app_seconds() - start;
    }
    return status;
}

static marey_status run_compare(const app_env *env, const void *params, void *result,
                                marey_error *error)
{
    const app_compare_params *request = params;
    app_compare_result *out = result;
    const marey_metric *row;
    app_scope *measuring = APP_NEW(env->scope, app_scope, 1);
    if (!measuring) return app_fail_memory(error);
    *measuring = app_scope_open(env->scope->memory);
    marey_status status = app_own(env->scope, measuring, close_scope, error);
    if (status != MAREY_OK) return status;
    for (int i = 0; (row = marey_metric_find(i)) && i < APP_MOST_METRICS - 1; i++)
        out->rows[out->count++].metric = row;
    status = app_comparison_load(env, &request->compared, &out->of, error);
    if (status == MAREY_OK && out->of.metric.def.own)
        out->rows[out->count++].metric = out->of.metric.def.metric;
    if (status == MAREY_OK) status = find_pairs(env, request->pairs, measuring, out, error);
    if (status != MAREY_OK) return status;

    /* The judge looks at places alone, so the features that are left over from the last metric
       serve for all. */
    for (int i = 0; i < out->count; i++)
        if (out->rows[i].found < out->pairs) out->pairs = out->rows[i].found;
    if (out->pairs == 0) {
        return app_fail(error, MAREY_ERR_REQUEST, NULL,
                        "there is no pair of captured frames to judge by");
    }
    for (int i = 0; i < out->count; i++) {
        app_contestant *one = &out->rows[i];
        marey_judgement got =
            marey_judge(out->of.features[0], out->of.features[1], one->pairs, out->pairs);
        one->judged[0] = got.position_cm;
        one->judged[1] = got.velocity;
        one->judged[2] = got.acceleration;
    }
    for (int i = 0; i < out->count; i++) {
        app_contestant *one = &out->rows[i];
        for (int m = 0; m < APP_MEASURES && !one->metric->is_judge; m++) {
            one->rank[m] = 1;
            for (int k = 0; k < out->count; k++) {
                const app_contestant *other = &out->rows[k];
                one->rank[m] += !other->metric->is_judge && other->judged[m] < one->judged[m];
            }
        }
    }
    return MAREY_OK;
}

static void write_compare(const void *params, const void *result, json *out)
{
    const app_compare_result *of = result;
    const app_comparison *all = &of->of;
    (void)params;
    json_open(out, "rows", '[');
    for (int i = 0; i < of->count; i++) {
        const app_contestant *one = &of->rows[i];
        json_open(out, NULL, '{');
        json_put_string(out, "metric", one->metric->name);
        json_put_number(out, "seconds", one->seconds);
        for (int m = 0; m < APP_MEASURES; m++)
            json_put_number(out, app_measure_names[m], one->judged[m]);
        if (one->metric->is_judge) {
            json_put_null(out, "rank");
        } else {
            json_open(out, "rank", '{');
            for (int m = 0; m < APP_MEASURES; m++)
                json_put_integer(out, app_measure_names[m], one->rank[m]);
            json_close(out, '}');
        }
        json_close(out, '}');
    }
    json_close(out, ']');
    json_put_integer(out, "pairs", of->pairs);
    json_open(out, "frames", '[');
    for (int s = 0; s < 2; s++) json_put_integer(out, NULL, marey_features_rows(all->features[s]));
    json_close(out, ']');
    json_put_string(out, "joints", marey_layout_def(all->layout)->joints->name);
    json_put_number(out, "fps", marey_layout_fps(all->layout));
    json_put_boolean(out, "by_roles", marey_layout_by_roles(all->layout));
    if (all->with) json_put_integer(out, "normalized_by", all->with_count - 2);
}

const app_operation app_compare = {
    .name = "compare",
    .summary = "judge all metrics by the pairs of frames that they find in two clips",
    .description = { "Every metric finds equally many similar pairs. Of these are shown the "
                     "mean distance of the joints with the roots laid on each other (Dp, in cm), "
                     "the mean squared differences of their velocities (Dv) and accelerations "
                     "(Da), how the metrics rank in each, and how long each took.",
                     "The row of transition is no competitor: it finds the pairs with the least "
                     "Dp that there is." },
    .params = compare_rows,
    .params_size = sizeof(app_compare_params),
    .result_size = sizeof(app_compare_result),
    .library = APP_MAY_READ,
    .takes_long = true,
    .check = check_compare,
    .run = run_compare,
    .write = write_compare,
};

/* ---- weights --------------------------------------------------------------------------------- */

/* The metric that is number `index` of those with several terms: its row in the table; -1: there is
   none. */
static int weighed_metric(int index)
{
    const marey_metric *row;
    for (int i = 0; (row = marey_metric_find(i)); i++)
        if (row->attribute_count > 0 && index-- == 0) return i;
    return -1;
}

static const char *weighed_word(int index)
{
    int row = weighed_metric(index);
    return row < 0 ? NULL : marey_metric_find(row)->name;
}

static const char *space_word(int index)
{
    static const char *const words[] = { "uniform", "non-uniform", "optimised" };
    return index < 3 ? words[index] : NULL; /* in the order of marey_weight_space */
}

static const app_param weights_rows[] = {
    APP_COMPARED_CLIPS(app_weights_params, compared),
    { .name = "metric",
      .type = APP_WORD,
      .at = offsetof(app_weights_params, compared.metric.metric),
      .word = weighed_word,
      .standard = "angles",
      .help = "whose terms are weighed" },
    { .name = "space",
      .type = APP_WORD,
      .at = offsetof(app_weights_params, space),
      .word = space_word,
      .standard = "uniform",
      .help = "which weights are tried" },
    { .name = "steps",
      .type = APP_WHOLE,
      .at = offsetof(app_weights_params, steps),
      .least = 2,
      .most = 40,
      .value = "N",
      .help = "values of each weight, by default 10" },
    { .name = "refine",
      .type = APP_WHOLE,
      .at = offsetof(app_weights_params, refine),
      .least = 0,
      .most = 20,
      .value = "N",
      .help = "how often the space is made finer around the best, by default not at all" },
    PAIRS_PARAM(app_weights_params),
    JOINTS_PARAM(app_weights_params),
    { .name = "fixed-root",
      .type = APP_SWITCH,
      .at = offsetof(app_weights_params, compared.metric.fixed_root),
      .only_if = "metric=angles",
      .help = "where the root is in the world, not how it moves" },
    APP_COMPARED_PARAMS(app_weights_params, compared, "metric=positions", app_units_word),
    { 0 },
};

static marey_status check_weights(const void *params, app_dialect dialect, marey_error *error)
{
    const app_weights_params *request = params;
    const char *dashes = dialect == APP_COMMAND_LINE ? "--" : "";
    app_metric_params metric = request->compared.metric;
    app_metric unused;
    bool stepped = app_given(weights_rows, &request->given, "steps") ||
                   app_given(weights_rows, &request->given, "refine");
    if (request->space == MAREY_WEIGHTS_OPTIMISED && stepped) {
        return app_fail(error, MAREY_ERR_REQUEST, NULL,
                        "%ssteps and %srefine are for spaces whose combinations are all tried, "
                        "not for optimised",
                        dashes, dashes);
    }
    metric.metric = weighed_metric(metric.metric);
    return app_metric_define(NULL, &metric, dialect, &unused, error);
}

static marey_status run_weights(const app_env *env, const void *params, void *result,
                                marey_error *error)
{
    const app_weights_params *request = params;
    app_weights_result *out = result;
    app_compared compared = request->compared;
    marey_weights_def def = { .space = (marey_weight_space)request->space,
                              .steps = request->steps,
                              .refinements = request->refine,
                              .pairs = request->pairs };
    compared.metric.metric = weighed_metric(compared.metric.metric);
    marey_status status = app_comparison_open(env, &compared, &out->of, error);
    if (status != MAREY_OK) return status;
    double start = app_seconds();
    status = marey_weights_search(env->ctx, out->of->features[0], out->of->features[1], &def,
                                  &out->got, error);
    out->seconds = out->of->seconds + app_seconds() - start;
    return status;
}

static void write_weights(const void *params, const void *result, json *out)
{
    const app_weights_result *of = result;
    const marey_weights_result *got = &of->got;
    const marey_metric *metric = marey_layout_def(of->of->layout)->metric;
    (void)params;
    json_put_numbers(out, "weights", got->weights, got->count);
    json_put_texts(out, "names", metric->attributes, got->count);
    json_put_number(out, "Dp", got->position_cm);
    json_put_integer(out, "evaluations", got->evaluations);
    json_put_integer(out, "combinations", got->combinations);
    json_put_number(out, "seconds", of->seconds);
    app_comparison_write(of->of, out);
}

const app_operation app_weights = {
    .name = "weights",
    .summary = "find how much each term of a metric should count",
    .description = { "Seeks the weights whose similar pairs have the least Dp, as marey compare "
                     "shows it. The greatest weight is 1; only their relation matters. The "
                     "answer is what --attributes of marey grid takes.",
                     "uniform and non-uniform try all combinations of some values, as many as "
                     "--steps, evenly spread or as 1, 0.5, 0.2, 0.1 and so on; optimised seeks "
                     "directly, with at most 42 evaluations for three weights and 460 for "
                     "four." },
    .params = weights_rows,
    .params_size = sizeof(app_weights_params),
    .result_size = sizeof(app_weights_result),
    .library = APP_MAY_READ,
    .takes_long = true,
    .check = check_weights,
    .run = run_weights,
    .write = write_weights,
};
