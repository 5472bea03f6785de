/* graph_tell.c - motion graphs and their measures for people and programs. */
#include "graph_open.h"

#include <math.h>
#include <string.h>

int parts_clips(const marey_parts *parts)
{
    int count = 0;
    for (int i = 0; i < parts->count; i++)
        count += i == 0 || parts->parts[i].clip != parts->parts[i - 1].clip;
    return count;
}

/* ---- as JSON --------------------------------------------------------------------------------------- */

void json_graph_labels(json *to, const marey_graph *graph)
{
    int count;
    const char *const *labels = marey_graph_labels(graph, &count);
    json_open(to, "labels", '[');
    for (int i = 0; i < count; i++) json_put_string(to, NULL, labels[i]);
    json_close(to, ']');
}

void json_graph(json *to, const marey_graph *graph, const marey_parts *parts)
{
    const marey_graph_def *def = marey_graph_settings(graph);
    json_put_string(to, "kind", marey_graph_kind_name(def->kind));
    json_put_integer(to, "clips", parts_clips(parts));
    json_put_number(to, "fps", marey_graph_fps(graph));
    json_put_string(to, "metric", def->metric->metric->name);
    json_put_string(to, "unit", def->metric->metric->unit);
    json_put_string(to, "joints", def->metric->joints ? def->metric->joints->name : "equal");
    json_put_number(to, "sigma", def->sigma);
    json_graph_labels(to, graph);
}

void json_stats(json *to, const marey_graph_stats *of)
{
    json_put_integer(to, "frames", of->frames);
    json_put_integer(to, "nodes", of->nodes);
    json_put_integer(to, "edges", of->edges);
    json_put_integer(to, "transitions", of->transitions);
    json_put_number(to, "threshold", of->threshold);
    json_put_number(to, "scc_percent", of->scc_percent);
    json_put_number(to, "connectivity_percent", of->connectivity_percent);
    json_put_number(to, "mean_transition_s", of->mean_transition_s);
    json_put_integer(to, "sources", of->sources);
    json_put_number(to, "local_maneuverability_s", of->local_maneuverability_s);
    json_put_integer(to, "bytes", of->bytes);
    json_put_integer(to, "nodes_before", of->nodes_before);
    json_put_integer(to, "edges_before", of->edges_before);
    json_put_number(to, "worst_jump", of->worst_jump);
}

void json_sweep(json *to, const sweep *of)
{
    json_open(to, "sweep", '[');
    for (int i = 0; i < of->thresholds.count; i++) {
        json_open(to, NULL, '{');
        json_stats(to, &of->rows[i]);
        json_close(to, '}');
    }
    json_close(to, ']');
}

/* ---- for people ------------------------------------------------------------------------------------ */

void buffer_graph(buffer *out, const char *name, const marey_graph *graph, const marey_parts *parts)
{
    buffer_text(out, "graph ");
    buffer_shown(out, name);
    buffer_print(out, ": %s, ", marey_graph_kind_name(marey_graph_settings(graph)->kind));
    buffer_clips(out, parts_clips(parts));
    buffer_print(out, ", %d frames at %.4g a second\n", marey_graph_originals(graph),
                 marey_graph_fps(graph));
}

static void write_threshold(buffer *out, const marey_graph *graph, double threshold)
{
    const char *unit = marey_graph_settings(graph)->metric->metric->unit;
    buffer_print(out, "  threshold        %.4g%s%s", threshold, *unit ? " " : "", unit);
    if (strcmp(unit, "cm2") == 0) buffer_print(out, ", root %.3g cm", sqrt(threshold));
    buffer_byte(out, '\n');
}

static void write_labels(buffer *out, const marey_graph *graph)
{
    int count;
    const char *const *labels = marey_graph_labels(graph, &count);
    if (count == 0) return;
    buffer_text(out, "  labels           ");
    for (int i = 0; i < count; i++) {
        if (i) buffer_text(out, ", ");
        buffer_shown(out, labels[i]);
    }
    buffer_byte(out, '\n');
}

void buffer_stats(buffer *out, const marey_graph *graph, const marey_graph_stats *of)
{
    int labels;
    marey_graph_labels(graph, &labels);
    write_threshold(out, graph, of->threshold);
    buffer_print(out, "  transitions      %lld", (long long)of->transitions);
    if (of->transitions > 0) buffer_print(out, ", the worst with a jump of %.3g", of->worst_jump);
    buffer_print(out, "\n  nodes            %d, %d of them interpolated", of->nodes,
                 of->nodes - of->frames);
    if (of->nodes_before > of->nodes) buffer_print(out, ", of %d", of->nodes_before);
    buffer_print(out, "\n  edges            %lld", (long long)of->edges);
    if (of->edges_before > of->edges) buffer_print(out, ", of %lld", (long long)of->edges_before);
    buffer_print(out,
                 "\n  largest part     %.1f %% of the frames can all reach each other\n"
                 "  connectivity     %.1f %% of pairs of frames",
                 of->scc_percent, of->connectivity_percent);
    if (isfinite(of->mean_transition_s))
        buffer_print(out, ", in %.2f s on average", of->mean_transition_s);
    buffer_byte(out, '\n');
    if (isfinite(of->local_maneuverability_s)) {
        buffer_print(out, "  maneuverability  %.2f s to whatever is wanted\n",
                     of->local_maneuverability_s);
    } else if (labels > 0) {
        buffer_text(out, "  maneuverability  not every behaviour can be reached from everywhere\n");
    }
    write_labels(out, graph);
    buffer_print(out, "  memory           %.1f MB\n", (double)of->bytes / 1e6);
}

void buffer_sweep(buffer *out, const sweep *of)
{
    buffer_text(out,
                "  threshold  transitions  largest part  connectivity  mean time  worst jump\n");
    for (int i = 0; i < of->thresholds.count; i++) {
        const marey_graph_stats *row = &of->rows[i];
        buffer_print(out, "  %9.4g  %11lld  %10.1f %%  %10.1f %%", row->threshold,
                     (long long)row->transitions, row->scc_percent, row->connectivity_percent);
        if (isfinite(row->mean_transition_s)) {
            buffer_print(out, "  %7.2f s", row->mean_transition_s);
        } else {
            buffer_text(out, "          -");
        }
        buffer_print(out, "  %10.3g\n", row->worst_jump);
    }
}

/* ---- several thresholds ---------------------------------------------------------------------------- */

marey_status sweep_measure(session *run, sweep *of, const marey_parts *parts,
                           const marey_graph_def *def, marey_error *error)
{
    if (of->thresholds.count == 0) return MAREY_OK;
    return marey_graph_sweep(run->ctx, parts->clips, parts->count, parts->contacts, def,
                             of->thresholds.values, of->thresholds.count, false, of->rows, error);
}
