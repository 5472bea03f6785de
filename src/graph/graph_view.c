/* graph_view.c - looking at a motion graph: its nodes, transitions and labels. */
#include "graph/graph_data.h"

#include <math.h>
#include <stdlib.h>

const marey_graph_def *marey_graph_settings(const marey_graph *graph)
{
    return &graph->def;
}

int marey_graph_clip_count(const marey_graph *graph)
{
    return graph->clip_count;
}

double marey_graph_fps(const marey_graph *graph)
{
    return graph->fps;
}

int marey_graph_originals(const marey_graph *graph)
{
    return graph->originals;
}

int marey_graph_nodes(const marey_graph *graph)
{
    return graph->nodes;
}

const marey_clip *marey_graph_motion(const marey_graph *graph)
{
    return graph->motion;
}

marey_graph_node marey_graph_node_of(const marey_graph *graph, int node)
{
    const mry_origin *from = &graph->origin[node];
    return (marey_graph_node){ .clip = from->clip,
                               .frame = from->frame,
                               .other = from->other,
                               .other_frame = from->other_frame,
                               .weight = from->weight,
                               .next = graph->next[node],
                               .before = graph->before[node],
                               .contacts = graph->contacts[node],
                               .core = graph->core[node] };
}

int marey_graph_find(const marey_graph *graph, int clip, int frame)
{
    int best = -1;
    double off = 0;
    if (clip < 0 || clip >= graph->clip_count) return -1;
    /* Marked frames are in no node. */
    if (frame < 0 || frame >= graph->clips[clip]->frames) return -1;
    for (int m = 0; m < graph->clips[clip]->mark_count; m++) {
        if (frame >= graph->clips[clip]->marks[m].start && frame < graph->clips[clip]->marks[m].end)
            return -1;
    }
    for (int n = 0; n < graph->originals; n++) {
        if (graph->origin[n].clip != clip) continue;
        double d = fabs(graph->origin[n].frame - frame);
        if (best >= 0 && d >= off) continue;
        best = n;
        off = d;
    }
    return best;
}

const marey_graph_transition *marey_graph_transitions(const marey_graph *graph, int *count)
{
    *count = graph->transition_count;
    return graph->transitions;
}

int marey_graph_leaving(const marey_graph *graph, int node, int *first)
{
    *first = graph->leaving[node];
    return graph->leaving[node + 1] - graph->leaving[node];
}

mry_floor mry_graph_floor(const marey_graph *graph, int from, int to)
{
    if (graph->next[from] == to) return (mry_floor){ 0 };
    int low = graph->leaving[from], high = graph->leaving[from + 1];
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (graph->transitions[middle].to < to)
            low = middle + 1;
        else
            high = middle;
    }
    bool there = low < graph->leaving[from + 1] && graph->transitions[low].to == to;
    return there ? graph->places[low] : (mry_floor){ 0 };
}

marey_placement marey_graph_place(const marey_graph *graph, int from, int to)
{
    mry_floor place = mry_graph_floor(graph, from, to);
    return (marey_placement){
        .angle_rad = place.angle, .x_cm = place.x, .z_cm = place.z, .sure = true
    };
}

const char *const *marey_graph_labels(const marey_graph *graph, int *count)
{
    *count = graph->label_count;
    return graph->labels;
}

bool marey_graph_has_label(const marey_graph *graph, int node, int label)
{
    return label >= 0 && label < graph->label_count && (graph->labelled[node] >> label & 1);
}

int64_t mry_graph_edges(const marey_graph *graph)
{
    int64_t edges = graph->transition_count;
    for (int n = 0; n < graph->nodes; n++) edges += graph->next[n] >= 0;
    return edges;
}
