/* metric_params.c - from rows to a metric's definition. What only one metric reads is refused by
   the rows with others. */
#include "metric_params.h"

#include <string.h>

const char *app_metric_word(int index)
{
    const marey_metric *row = marey_metric_find(index);
    return row ? row->name : NULL;
}

marey_status app_own_metric_find(const app_env *env, const char *name, const marey_own_metric **out,
                                 marey_error *error)
{
    const app_own_metrics *lent = env->own_metrics;
    for (int i = 0; lent && i < lent->metric_count; i++) {
        const marey_metric *metric = &lent->metrics[i].metric;
        if (!metric->name || strcmp(metric->name, name) != 0) continue;
        *out = &lent->metrics[i];
        return marey_own_metric_check(*out, error);
    }
    return app_fail(error, MAREY_ERR_REQUEST, NULL,
                    "own_metric %.60s is a metric that only a program can lend, and it lends none "
                    "of that name",
                    name);
}

marey_status app_metric_define(const app_env *env, const app_metric_params *params,
                               app_dialect dialect, app_metric *out, marey_error *error)
{
    const char *dashes = dialect == APP_COMMAND_LINE ? "--" : "";
    const marey_metric *metric = marey_metric_find(params->metric);
    const marey_own_metric *own = NULL;
    marey_status status = MAREY_OK;
    if (params->own && params->metric != 0) {
        return app_fail(error, MAREY_ERR_REQUEST, NULL,
                        "own_metric is given, so there is nothing for metric %s to say",
                        metric->name);
    }
    if (params->own && params->attributes.count) {
        return app_fail(error, MAREY_ERR_REQUEST, NULL,
                        "attributes is only for metrics with several terms: %.60s has one",
                        params->own);
    }
    if (params->own && env) status = app_own_metric_find(env, params->own, &own, error);
    if (status != MAREY_OK) return status;
    if (own) metric = &own->metric;
    *out = (app_metric){ .def = { .metric = metric,
                                  .own = own,
                                  .window = params->window,
                                  .tapered = params->tapered,
                                  .fixed_root = params->fixed_root,
                                  .candidates = params->candidates,
                                  .smooth_s = params->gaussian,
                                  .normalised = params->normalised } };

    if ((params->window || params->tapered) && !params->own && metric->window <= 1) {
        return app_fail(error, MAREY_ERR_REQUEST, NULL,
                        "%s%s is only for metrics with a window: %s compares single frames", dashes,
                        params->window ? "window" : "tapered", metric->name);
    }
    if (params->window && (own || !params->own) && params->window < metric->least_window) {
        return app_fail(error, MAREY_ERR_REQUEST, NULL,
                        "%swindow of %s must be from %d to %d, got %d", dashes, metric->name,
                        metric->least_window, MAREY_MOST_WINDOW, params->window);
    }

    if (params->joints) {
        marey_error wrong;
        if (marey_joint_weights_parse(params->joints, &out->joints, &wrong) != MAREY_OK) {
            return app_fail(error, MAREY_ERR_REQUEST, NULL, "%sjoints: %s", dashes, wrong.message);
        }
        out->def.joints = &out->joints;
    }

    double sum = 0;
    int count = params->attributes.count;
    if (count && metric->attribute_count == 0) {
        return app_fail(error, MAREY_ERR_REQUEST, NULL,
                        "%sattributes is only for metrics with several terms: %s has one", dashes,
                        metric->name);
    }
    out->def.attributes_given = count > 0;
    for (int i = 0; i < count; i++) sum += out->def.attributes[i] = params->attributes.values[i];
    if (count && (count != metric->attribute_count || sum == 0)) {
        return app_fail(error, MAREY_ERR_REQUEST, NULL,
                        "%sattributes of %s must be %d numbers that are not all 0, got %d%s",
                        dashes, metric->name, metric->attribute_count, count,
                        sum == 0 ? " zeros" : "");
    }
    return MAREY_OK;
}
