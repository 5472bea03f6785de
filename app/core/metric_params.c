/* metric_params.c - from rows to a metric's definition. What only one metric reads is refused by
   the rows with others. */
#include "metric_params.h"

const char *app_metric_word(int index)
{
    const marey_metric *row = marey_metric_find(index);
    return row ? row->name : NULL;
}

marey_status app_metric_define(const app_metric_params *params, app_dialect dialect,
                               app_metric *out, marey_error *error)
{
    const char *dashes = dialect == APP_COMMAND_LINE ? "--" : "";
    const marey_metric *metric = marey_metric_find(params->metric);
    *out = (app_metric){ .def = { .metric = metric,
                                  .window = params->window,
                                  .tapered = params->tapered,
                                  .fixed_root = params->fixed_root,
                                  .candidates = params->candidates,
                                  .smooth_s = params->gaussian,
                                  .normalised = params->normalised } };

    if ((params->window || params->tapered) && metric->window <= 1) {
        return app_fail(error, MAREY_ERR_REQUEST, NULL,
                        "%s%s is only for metrics with a window: %s compares single frames", dashes,
                        params->window ? "window" : "tapered", metric->name);
    }
    if (params->window && params->window < metric->least_window) {
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
