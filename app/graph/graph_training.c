/* graph_training.c - `graph train`: the policy that steers a motion graph, saved beside it. */
#include "motion_graphs.h"
#include "operations.h"

#include <stddef.h>

#define AT(member) offsetof(app_graph_train_params, member)
static const app_param train_params[] = {
    { .name = "name",
      .type = APP_TEXT,
      .at = AT(name),
      .place = 1,
      .needed = true,
      .help = "which graph" },
    { .name = "directions",
      .type = APP_WHOLE,
      .at = AT(directions),
      .least = 8,
      .most = 64,
      .value = "N",
      .standard = "24",
      .help = "how many directions of an input are distinguished" },
    { .name = "speeds",
      .type = APP_NUMBERS,
      .at = AT(speeds),
      .rising = true,
      .least = 0,
      .most = 2000,
      .most_count = APP_POLICY_SPEEDS,
      .unit = "cm/s",
      .value = "V,V,...",
      .help = "the speeds that can be asked for, rising, by default 0 and up to three, well apart, "
              "that the motions do" },
    { .name = "discount",
      .type = APP_NUMBER,
      .at = AT(discount),
      .least = 0.01,
      .most = 0.99,
      .value = "D",
      .standard = "0.6",
      .help = "what a second later counts beside one now" },
    { .name = "poor",
      .type = APP_NUMBER,
      .at = AT(poor),
      .least = 1e-6,
      .most = 1000,
      .unit = "s",
      .value = "S",
      .standard = "1",
      .help = "what the quality lost at a transition counts for, in seconds of following "
              "perfectly" },
    { 0 },
};
#undef AT

static marey_status run_train(const app_env *env, const void *params, void *result,
                              marey_error *error)
{
    const app_graph_train_params *request = params;
    app_graph_trained *out = result;
    app_saved_graph *saved = NULL;
    marey_policy_def def = { .directions = request->directions,
                             .speeds = request->speeds.values,
                             .speed_count = request->speeds.count,
                             .discount = request->discount,
                             .poor = request->poor };
    marey_status status = app_graph_open(env, request->name, &saved, error);
    if (status != MAREY_OK) return status;
    double start = app_seconds();
    status = marey_policy_train(env->ctx, saved->graph, &def, &out->policy, error);
    out->seconds = app_seconds() - start;
    return status == MAREY_OK ? app_own_policy(env, out->policy, error) : status;
}

static void write_settings(const marey_policy *policy, json *out)
{
    const marey_policy_def *def = marey_policy_settings(policy);
    json_put_integer(out, "directions", def->directions);
    json_put_numbers(out, "speeds", def->speeds, def->speed_count);
    json_put_number(out, "discount", def->discount);
    json_put_number(out, "poor", def->poor);
}

static void write_trained(const void *params, const void *result, json *out)
{
    const app_graph_trained *trained = result;
    json_put_string(out, "name", ((const app_graph_train_params *)params)->name);
    write_settings(trained->policy, out);
    json_put_integer(out, "rounds", marey_policy_rounds(trained->policy));
    json_put_number(out, "seconds", trained->seconds);
    json_put_integer(out, "bytes", (int64_t)marey_policy_bytes(trained->policy));
}

static marey_status save_trained(const app_env *env, const void *params, void *result,
                                 marey_error *error)
{
    const app_graph_trained *trained = result;
    buffer about = buffer_make(env->scope->memory);
    json out = json_make(&about);
    json_open(&out, NULL, '{');
    json_put_string(&out, "made_by", "graph train");
    json_put_string(&out, "version", marey_version());
    write_settings(trained->policy, &out);
    json_close(&out, '}');
    buffer_byte(&about, 0);
    marey_status status = app_check(about.failed, error);
    if (status == MAREY_OK) {
        status =
            marey_library_keep_policy(env->library, ((const app_graph_train_params *)params)->name,
                                      trained->policy, about.bytes, error);
    }
    buffer_free(&about);
    return status;
}

const app_operation app_graph_train = {
    .name = "graph train",
    .summary = "make the policy that steers a motion graph, and keep it",
    .description = { "Finds which move to play at every node for every input, so that inputs are "
                     "followed soon and transitions are good. marey graph control and the "
                     "studio's Play panel need it. It goes when its graph is built again." },
    .params = train_params,
    .params_size = sizeof(app_graph_train_params),
    .result_size = sizeof(app_graph_trained),
    .library = APP_WRITES,
    .takes_long = true,
    .run = run_train,
    .write = write_trained,
    .commit = save_trained,
};
