/* cmd_graph_build.c - `marey graph build`: a motion graph of a library's clips, kept there under a name. */
#include "commands.h"
#include "graph_assemble.h"
#include "metric_options.h"
#include "param_family.h"

#include <string.h>

typedef struct build {
    session *run;
    const request *asked;
    shelf at;
    marey_metric_def metric;
    marey_joint_weights joints;
    number_list weights;
    marey_graph_def def;
    assembled_graph made;
    sweep sweep;
    marey_graph_stats stats;
    buffer about;
} build;

/* ---- options --------------------------------------------------------------------------------------- */

static int read_kind(build *all)
{
    const char *name = marey_graph_kind_name(MAREY_GRAPH_STANDARD);
    int status = options_word(all->run, all->asked, OPTION_KIND, &name);
    for (int k = 0; k < MAREY_GRAPH_KIND_COUNT; k++) {
        if (strcmp(name, marey_graph_kind_name((marey_graph_kind)k)) == 0)
            all->def.kind = (marey_graph_kind)k;
    }
    return status;
}

/* Zero means the default in the definition; on the command line it means zero. */
static int read_numbers(build *all)
{
    session *run = all->run;
    const request *asked = all->asked;
    marey_graph_def *def = &all->def;
    int status = options_number(run, asked, OPTION_THRESHOLD, 1e-9, 1e9, &def->threshold);
    if (status == PROGRAM_DONE)
        status = options_number(run, asked, OPTION_SIGMA, 1e-9, 1e12, &def->sigma);
    if (status == PROGRAM_DONE) status = input_rate(run, asked, &def->fps);
    if (status == PROGRAM_DONE)
        status = options_number(run, asked, OPTION_MU, 1, 1000, &def->suboptimality);
    if (status == PROGRAM_DONE)
        status = options_number(run, asked, OPTION_SMOOTHNESS, 0, 1, &def->smoothness);
    if (status == PROGRAM_DONE) {
        status = options_list(run, asked, OPTION_WEIGHTS, "weights", 1e-6, 1 - 1e-6,
                              MAREY_GRAPH_MOST_WEIGHTS, &all->weights);
    }
    if (status == PROGRAM_DONE) {
        status = options_list(run, asked, OPTION_SWEEP, "sweep", 1e-9, 1e9, MOST_NUMBERS,
                              &all->sweep.thresholds);
    }
    if (request_has(asked, OPTION_SMOOTHNESS) && def->smoothness == 0) def->smoothness = -1;
    def->weights = all->weights.values;
    def->weight_count = all->weights.count;
    def->smooth = request_has(asked, OPTION_ONLY_SMOOTH);
    def->unreduced = request_has(asked, OPTION_UNREDUCED);
    return status;
}

/* What does nothing is refused. */
static int check_use(const build *all)
{
    static const struct {
        option_key key;
        const char *name;
    } connected[] = { { OPTION_WEIGHTS, "weights" },
                      { OPTION_MU, "mu" },
                      { OPTION_SMOOTHNESS, "smoothness" },
                      { OPTION_UNREDUCED, "unreduced" } };
    const request *asked = all->asked;
    bool standard = all->def.kind == MAREY_GRAPH_STANDARD;
    for (size_t i = 0; i < sizeof connected / sizeof *connected && standard; i++) {
        if (!request_has(asked, connected[i].key)) continue;
        return session_usage(all->run, "--%s is for --kind connected", connected[i].name);
    }
    if (request_has(asked, OPTION_LABEL) && asked->operand_count > 2)
        return session_usage(all->run, "name clips, or give a --label, not both");
    if (!request_has(asked, OPTION_THRESHOLD) && all->metric.metric->thresholds.graph == 0) {
        return session_usage(all->run,
                             "--threshold is needed: only the metric points has a default");
    }
    return PROGRAM_DONE;
}

/* ---- the answer ------------------------------------------------------------------------------------ */

static void write_json(const build *all, json *to)
{
    json_open(to, NULL, '{');
    json_put_string(to, "name", all->asked->operands[1]);
    json_graph(to, all->made.graph, all->made.parts);
    json_put_integer(to, "left_out", all->made.left_out);
    json_stats(to, &all->stats);
    json_put_number(to, "seconds", all->made.seconds);
    if (all->sweep.thresholds.count) json_sweep(to, &all->sweep);
    json_close(to, '}');
    buffer_byte(to->out, '\n');
}

static void write_text(const build *all, buffer *out)
{
    buffer_graph(out, all->asked->operands[1], all->made.graph, all->made.parts);
    buffer_stats(out, all->made.graph, &all->stats);
    buffer_print(out, "  built in         %.2f s\n", all->made.seconds);
    if (all->sweep.thresholds.count) buffer_sweep(out, &all->sweep);
}

static void say_what_is_missing(const build *all)
{
    if (all->run->quiet) return;
    if (all->made.left_out) {
        session_say(all->run, "%d clip%s of this library left out: other joints than the first",
                    all->made.left_out, all->made.left_out == 1 ? "" : "s");
    }
    if (all->made.said.unknown) {
        session_say(all->run, "%s: %d of its takes %s no clip of this library",
                    all->asked->values[OPTION_BEHAVIOURS], all->made.said.unknown,
                    all->made.said.unknown == 1 ? "is" : "are");
    }
    if (all->stats.scc_percent < 50) {
        session_say(
            all->run,
            "only %.0f %% of the frames can all reach each other, and walks use no others: a "
            "larger --threshold%s keeps more",
            all->stats.scc_percent,
            all->def.kind == MAREY_GRAPH_CONNECTED ? "" : " or --kind connected");
    }
}

/* ---- building -------------------------------------------------------------------------------------- */

static marey_status make(build *all, marey_error *error)
{
    const request *asked = all->asked;
    const char *path = asked->values[OPTION_BEHAVIOURS];
    assembled_graph *made = &all->made;
    marey_status status = graph_choose(made, asked->operands + 2, asked->operand_count - 2,
                                       asked->values[OPTION_LABEL], error);
    if (status != MAREY_OK) return status;
    made->said.listing = made->listing;
    if (path) {
        status = behaviours_read(&made->said, all->run, path, made->parts, error);
    } else {
        behaviours_of_labels(&made->said, made->parts, made->listing);
    }
    if (status == MAREY_OK) status = behaviours_done(&made->said, error);
    if (status == MAREY_OK) status = graph_assemble(made, &all->def, error);
    if (status == MAREY_OK)
        status = marey_graph_measure(all->run->ctx, made->graph, &all->stats, error);
    if (status == MAREY_OK)
        status = sweep_measure(all->run, &all->sweep, made->parts, &all->def, error);
    return status;
}

static marey_status keep(build *all, marey_error *error)
{
    json to = json_make(&all->run->out);
    if (all->run->json) {
        write_json(all, &to);
    } else if (!all->run->quiet) {
        write_text(all, &all->run->out);
    }
    say_what_is_missing(all);
    graph_about_write(all->run->command->verb, all->made.graph, all->run->command->options,
                      all->asked, &all->about);
    marey_status status = all->about.failed ? fail_for_memory(error) : shelf_ready(all->run, error);
    if (status != MAREY_OK) return status;
    return marey_library_keep_graph(all->at.library, all->asked->operands[1], all->made.graph,
                                    all->made.parts->parts, all->about.bytes, error);
}

static int build_all(build *all)
{
    marey_error error;
    if (shelf_open(all->run, all->asked->operands[0], MAREY_LIBRARY_WRITE, &all->at, &error) !=
        MAREY_OK) {
        return session_fail(all->run, &error);
    }
    marey_status status = graph_start(&all->made, all->run, all->at.library, &error);
    if (status == MAREY_OK) status = make(all, &error);
    if (status == MAREY_OK) status = keep(all, &error);
    assembled_graph_free(&all->made);
    return shelf_end(&all->at, status, &error);
}

int command_graph_build(session *run, const request *asked)
{
    build all = { .run = run, .asked = asked, .about = buffer_make(&run->host->def) };
    int status = read_kind(&all);
    if (status == PROGRAM_DONE) status = metric_options(run, asked, &all.metric, &all.joints);
    if (status == PROGRAM_DONE) status = read_numbers(&all);
    if (status == PROGRAM_DONE) status = check_use(&all);
    all.def.metric = &all.metric;
    if (status == PROGRAM_DONE) status = build_all(&all);
    buffer_free(&all.about);
    return status;
}
