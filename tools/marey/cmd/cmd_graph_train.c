/* cmd_graph_train.c - `marey graph train`: the policy that steers a motion graph, kept beside it. */
#include "commands.h"
#include "graph_open.h"
#include "metric_options.h"
#include "param_family.h"

enum { MOST_SPEEDS = 8 };

typedef struct training {
    kept_graph of;
    number_list speeds;
    marey_policy_def def;
    marey_policy *policy;
    double seconds;
    buffer about;
} training;

static int read_options(session *run, const request *asked, training *all)
{
    int64_t directions = 0;
    int status = options_whole(run, asked, OPTION_DIRECTIONS, 8, 64, &directions);
    if (status == PROGRAM_DONE) {
        status =
            options_list(run, asked, OPTION_SPEEDS, "speeds", 0, 2000, MOST_SPEEDS, &all->speeds);
    }
    if (status == PROGRAM_DONE)
        status = options_number(run, asked, OPTION_DISCOUNT, 0.01, 0.99, &all->def.discount);
    if (status == PROGRAM_DONE)
        status = options_number(run, asked, OPTION_POOR, 1e-6, 1000, &all->def.poor);
    all->def.directions = (int)directions;
    all->def.speeds = all->speeds.count ? all->speeds.values : NULL;
    all->def.speed_count = all->speeds.count;
    return status;
}

static void write_settings(const marey_policy *policy, json *to)
{
    const marey_policy_def *def = marey_policy_settings(policy);
    json_put_integer(to, "directions", def->directions);
    json_numbers(to, "speeds", def->speeds, def->speed_count);
    json_put_number(to, "discount", def->discount);
    json_put_number(to, "poor", def->poor);
}

static void write_json(const training *all, json *to)
{
    json_open(to, NULL, '{');
    json_put_string(to, "name", all->of.name);
    write_settings(all->policy, to);
    json_put_integer(to, "rounds", marey_policy_rounds(all->policy));
    json_put_number(to, "seconds", all->seconds);
    json_put_integer(to, "bytes", (int64_t)marey_policy_bytes(all->policy));
    json_close(to, '}');
    buffer_byte(to->out, '\n');
}

static void write_text(const training *all, buffer *out)
{
    const marey_policy_def *def = marey_policy_settings(all->policy);
    buffer_text(out, "policy of ");
    buffer_shown(out, all->of.name);
    buffer_print(out, ": %d directions, speeds ", def->directions);
    buffer_numbers(out, def->speeds, def->speed_count);
    buffer_print(out, " cm/s\n  %d rounds, %.2f s, %.1f MB\n", marey_policy_rounds(all->policy),
                 all->seconds, (double)marey_policy_bytes(all->policy) / 1e6);
}

static marey_status keep(training *all, session *run, marey_error *error)
{
    json to = json_make(&run->out), about = json_make(&all->about);
    if (run->json) {
        write_json(all, &to);
    } else if (!run->quiet) {
        write_text(all, &run->out);
    }
    json_open(&about, NULL, '{');
    json_put_string(&about, "made_by", run->command->verb);
    json_put_string(&about, "version", marey_version());
    write_settings(all->policy, &about);
    json_close(&about, '}');
    buffer_byte(&all->about, 0);
    marey_status status = all->about.failed ? fail_for_memory(error) : shelf_ready(run, error);
    if (status != MAREY_OK) return status;
    return marey_library_keep_policy(all->of.at.library, all->of.name, all->policy,
                                     all->about.bytes, error);
}

static int train(session *run, const request *asked, training *all)
{
    marey_error error;
    if (kept_graph_open(run, asked, MAREY_LIBRARY_WRITE, &all->of, &error) != MAREY_OK)
        return session_fail(run, &error);
    double start = seconds_now();
    marey_status status =
        marey_policy_train(run->ctx, all->of.graph, &all->def, &all->policy, &error);
    all->seconds = seconds_now() - start;
    if (status == MAREY_OK) status = keep(all, run, &error);
    marey_policy_free(all->policy);
    return kept_graph_end(&all->of, status, &error);
}

int command_graph_train(session *run, const request *asked)
{
    training all = { .about = buffer_make(&run->host->def) };
    int status = read_options(run, asked, &all);
    if (status == PROGRAM_DONE) status = train(run, asked, &all);
    buffer_free(&all.about);
    return status;
}
