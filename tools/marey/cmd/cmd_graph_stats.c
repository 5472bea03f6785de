/* cmd_graph_stats.c - `marey graph stats`: how well a motion graph is connected, in numbers and pictures. */
#include "commands.h"
#include "graph_open.h"
#include "grid_picture_of.h"
#include "param_family.h"

static void write_json(const kept_graph *of, const marey_graph_stats *stats, const sweep *swept,
                       const request *asked, json *to)
{
    json_open(to, NULL, '{');
    json_put_string(to, "name", of->name);
    json_graph(to, of->graph, of->parts);
    json_stats(to, stats);
    if (swept->thresholds.count) json_sweep(to, swept);
    if (request_has(asked, OPTION_MATRIX) || request_has(asked, OPTION_CLOSURE)) {
        json_open(to, "files", '[');
        if (request_has(asked, OPTION_MATRIX))
            json_put_string(to, NULL, asked->values[OPTION_MATRIX]);
        if (request_has(asked, OPTION_CLOSURE))
            json_put_string(to, NULL, asked->values[OPTION_CLOSURE]);
        json_close(to, ']');
    }
    json_close(to, '}');
    buffer_byte(to->out, '\n');
}

static void write_text(const kept_graph *of, const marey_graph_stats *stats, const sweep *swept,
                       const request *asked, buffer *out)
{
    static const option_key files[] = { OPTION_MATRIX, OPTION_CLOSURE };
    buffer_graph(out, of->name, of->graph, of->parts);
    buffer_stats(out, of->graph, stats);
    if (swept->thresholds.count) buffer_sweep(out, swept);
    for (size_t i = 0; i < 2; i++) {
        if (!request_has(asked, files[i])) continue;
        buffer_text(out, "wrote ");
        buffer_shown(out, asked->values[files[i]]);
        buffer_byte(out, '\n');
    }
}

static marey_status draw(const kept_graph *of, session *run, const request *asked,
                         marey_error *error)
{
    const char *matrix = asked->values[OPTION_MATRIX], *closure = asked->values[OPTION_CLOSURE];
    marey_status status = MAREY_OK;
    if (!matrix && !closure) return status;
    size_t bytes = (size_t)of->parts->count * sizeof(const char *);
    const char **names = session_resize(run, NULL, 0, bytes);
    if (!names) return fail_for_memory(error);
    for (int i = 0; i < of->parts->count; i++) names[i] = of->parts->names[i].name;
    marey_graph_picture_def def = { .title = of->name, .names = names };
    if (matrix) status = marey_graph_matrix_save(run->ctx, of->graph, &def, matrix, error);
    if (closure && status == MAREY_OK)
        status = marey_graph_closure_save(run->ctx, of->graph, &def, closure, error);
    session_resize(run, (void *)names, bytes, 0);
    return status;
}

static int check_use(session *run, const request *asked)
{
    static const struct {
        option_key key;
        const char *name;
    } files[] = { { OPTION_MATRIX, "matrix" }, { OPTION_CLOSURE, "closure" } };
    for (size_t i = 0; i < 2; i++) {
        const char *path = asked->values[files[i].key];
        if (path && !is_picture(path)) {
            return session_usage(run, "--%s takes a name that ends in .png, .svg or .pdf",
                                 files[i].name);
        }
    }
    return PROGRAM_DONE;
}

int command_graph_stats(session *run, const request *asked)
{
    kept_graph of;
    sweep swept = { .thresholds = { .count = 0 } };
    marey_graph_stats stats;
    marey_error error;
    int status = check_use(run, asked);
    if (status == PROGRAM_DONE) {
        status = options_list(run, asked, OPTION_SWEEP, "sweep", 1e-9, 1e9, MOST_NUMBERS,
                              &swept.thresholds);
    }
    if (status != PROGRAM_DONE) return status;
    if (kept_graph_open(run, asked, MAREY_LIBRARY_READ, &of, &error) != MAREY_OK)
        return session_fail(run, &error);
    marey_status done = marey_graph_measure(run->ctx, of.graph, &stats, &error);
    if (done == MAREY_OK)
        done = sweep_measure(run, &swept, of.parts, marey_graph_settings(of.graph), &error);
    json to = json_make(&run->out);
    if (done == MAREY_OK && run->json) write_json(&of, &stats, &swept, asked, &to);
    if (done == MAREY_OK && !run->json) write_text(&of, &stats, &swept, asked, &run->out);
    if (done == MAREY_OK) done = shelf_ready(run, &error);
    if (done == MAREY_OK) done = draw(&of, run, asked, &error);
    return kept_graph_end(&of, done, &error);
}
