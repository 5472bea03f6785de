/* cmd_cluster_build.c - `marey cluster build`: a cluster graph of a library's clips, kept there under a name. */
#include "asked_example.h"
#include "cluster_assemble.h"
#include "commands.h"
#include "metric_options.h"
#include "param_family.h"

#include <string.h>

enum { MOST_WORKING = 1000, TUPLES_TOLD = 3 };

typedef struct build {
    session *run;
    const request *asked;
    shelf at;
    marey_metric_def metric;
    marey_joint_weights joints;
    assembled_clusters made;
    bool by_example;
    asked_example example;
    int64_t working; /* clips that are taken of what the example finds */
    buffer names;    /* const char *: theirs, borrowed from the listing */
    buffer about;
} build;

/* ---- options --------------------------------------------------------------------------------------- */

static int read_link(build *all)
{
    const char *name = marey_link_name(MAREY_LINK_COMPLETE);
    int status = options_word(all->run, all->asked, OPTION_LINK, &name);
    for (int k = 0; k < MAREY_LINK_COUNT; k++) {
        if (strcmp(name, marey_link_name((marey_link)k)) == 0) all->made.def.link = (marey_link)k;
    }
    return status;
}

/* What does nothing is refused. */
static int check_use(const build *all)
{
    static const struct {
        option_key key;
        const char *name;
    } of_example[] = { { OPTION_DOF, "dof" },     { OPTION_K, "k" },
                       { OPTION_COUNT, "count" }, { OPTION_NOISE, "noise" },
                       { OPTION_SHAPE, "shape" }, { OPTION_PLAIN, "plain" },
                       { OPTION_WHOLE, "whole" } };
    const request *asked = all->asked;
    for (size_t i = 0; i < sizeof of_example / sizeof *of_example && !all->by_example; i++) {
        if (!request_has(asked, of_example[i].key)) continue;
        return session_usage(all->run, "--%s is for --from-example", of_example[i].name);
    }
    if (request_has(asked, OPTION_LABEL) && asked->operand_count > 2)
        return session_usage(all->run, "name clips, or give a --label, not both");
    if (all->by_example && asked->operand_count > 2)
        return session_usage(all->run, "name clips, or give --from-example, not both");
    if (!request_has(asked, OPTION_THRESHOLD) && all->metric.metric->thresholds.cluster == 0) {
        return session_usage(all->run,
                             "--threshold is needed: only the metric points has a default");
    }
    return PROGRAM_DONE;
}

static int read_options(build *all)
{
    session *run = all->run;
    const request *asked = all->asked;
    int status = read_link(all);
    if (status == PROGRAM_DONE) status = metric_options(run, asked, &all->metric, &all->joints);
    if (status == PROGRAM_DONE) {
        status = options_number(run, asked, OPTION_THRESHOLD, 1e-9, 1e9, &all->made.def.threshold);
    }
    if (status == PROGRAM_DONE) status = input_rate(run, asked, &all->made.def.fps);
    if (status == PROGRAM_DONE)
        status = options_whole(run, asked, OPTION_COUNT, 1, MOST_WORKING, &all->working);
    if (status == PROGRAM_DONE) status = check_use(all);
    all->made.def.metric = &all->metric;
    return status;
}

/* ---- the working set --------------------------------------------------------------------------------- */

/* The best clips of those that have the best one's joints. */
static marey_status find_working_set(build *all, marey_error *error)
{
    int count, taken = 0;
    marey_status status =
        asked_example_find(&all->example, all->at.library, all->made.listing, error);
    if (status != MAREY_OK) return status;
    const marey_example_clip *clips = marey_example_clips(all->example.found, &count);
    const char *skeleton =
        count > 0 ? asked_example_entry(&all->example, clips[0].clip)->skeleton : "";
    for (int i = 0; i < count && taken < all->working; i++) {
        const marey_entry *entry = asked_example_entry(&all->example, clips[i].clip);
        if (strcmp(entry->skeleton, skeleton) != 0) {
            all->made.left_out++;
            continue;
        }
        buffer_bytes(&all->names, (const char *)&entry->name, sizeof entry->name);
        taken++;
    }
    if (all->names.failed) return fail_for_memory(error);
    if (taken > 0) return MAREY_OK;
    return fail_graph(error, MAREY_ERR_REQUEST, all->example.text,
                      "the example finds no clip; a smaller --noise cuts finer, --dof asks for "
                      "another signal");
}

static marey_status choose(build *all, marey_error *error)
{
    const request *asked = all->asked;
    if (!all->by_example) {
        return clusters_choose(&all->made, asked->operands + 2, asked->operand_count - 2,
                               asked->values[OPTION_LABEL], error);
    }
    marey_status status = find_working_set(all, error);
    if (status != MAREY_OK) return status;
    return clusters_choose(&all->made, (char **)(void *)all->names.bytes,
                           (int)(all->names.used / sizeof(char *)), NULL, error);
}

/* ---- the answer ------------------------------------------------------------------------------------ */

static marey_status write_json(const build *all, json *to, marey_error *error)
{
    const assembled_clusters *made = &all->made;
    int count;
    marey_clusters_nodes(made->graph, &count);
    json_open(to, NULL, '{');
    json_put_string(to, "name", all->asked->operands[1]);
    json_clusters(to, made->graph, made->parts);
    json_put_integer(to, "left_out", made->left_out);
    json_put_number(to, "seconds", made->seconds);
    json_clip_names(to, "working_set", made->parts);
    json_open(to, "nodes", '[');
    for (int n = 0; n < count; n++) json_cluster_node(to, made->graph, made->parts, n);
    json_close(to, ']');
    marey_status status =
        json_all_tuples(all->run, to, made->graph, made->parts, NULL, 0, TUPLES_TOLD, error);
    json_close(to, '}');
    buffer_byte(to->out, '\n');
    return status;
}

static void write_text(const build *all, buffer *out)
{
    const assembled_clusters *made = &all->made;
    buffer_clusters(out, all->asked->operands[1], made->graph, made->parts);
    if (all->by_example) {
        buffer_text(out, "  clips      ");
        buffer_clip_names(out, made->parts);
        buffer_byte(out, '\n');
    }
    buffer_print(out, "  built in   %.2f s\n", made->seconds);
}

static marey_status keep(build *all, marey_error *error)
{
    json to = json_make(&all->run->out);
    const assembled_clusters *made = &all->made;
    marey_status status = MAREY_OK;
    if (all->run->json) {
        status = write_json(all, &to, error);
    } else if (!all->run->quiet) {
        write_text(all, &all->run->out);
    }
    if (status != MAREY_OK) return status;
    if (made->left_out && !all->run->quiet) {
        session_say(all->run, "%d clip%s of this library left out: other joints than the first",
                    made->left_out, made->left_out == 1 ? "" : "s");
    }
    clusters_about_write(all->run->command->verb, made->graph, all->run->command->options,
                         all->asked, &all->about);
    status = all->about.failed ? fail_for_memory(error) : shelf_ready(all->run, error);
    if (status != MAREY_OK) return status;
    return marey_library_keep_clusters(all->at.library, all->asked->operands[1], made->graph,
                                       made->parts->parts, all->about.bytes, error);
}

/* ---- building -------------------------------------------------------------------------------------- */

static int build_all(build *all)
{
    marey_error error;
    if (shelf_open(all->run, all->asked->operands[0], MAREY_LIBRARY_WRITE, &all->at, &error) !=
        MAREY_OK) {
        return session_fail(all->run, &error);
    }
    marey_status status = clusters_start(&all->made, all->run, all->at.library, &error);
    if (status == MAREY_OK) status = choose(all, &error);
    if (status == MAREY_OK) status = clusters_assemble(&all->made, &error);
    if (status == MAREY_OK) status = keep(all, &error);
    asked_example_free(&all->example);
    assembled_clusters_free(&all->made);
    return shelf_end(&all->at, status, &error);
}

int command_cluster_build(session *run, const request *asked)
{
    const marey_ctx_def *memory = &run->host->def;
    build all = { .run = run,
                  .asked = asked,
                  .by_example = request_has(asked, OPTION_FROM_EXAMPLE),
                  .working = 5,
                  .names = buffer_make(memory),
                  .about = buffer_make(memory) };
    int status = read_options(&all);
    if (status == PROGRAM_DONE && all.by_example) {
        status =
            asked_example_options(&all.example, run, asked, asked->values[OPTION_FROM_EXAMPLE]);
        if (status != PROGRAM_DONE) asked_example_free(&all.example);
    }
    if (status == PROGRAM_DONE) status = build_all(&all);
    buffer_free(&all.names);
    buffer_free(&all.about);
    return status;
}
