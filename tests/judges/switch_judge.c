/* switch_judge.c - small cluster graphs, and what switches cost. */
#include "switch_judge.h"

#include <math.h>

graph_rig *switch_rig_open(void)
{
    graph_rig *rig = graph_rig_open(1);
    graph_rig_walks(rig);
    graph_rig_add(rig, "walk_right", 0, 60, 180);
    graph_rig_add(rig, "walk_fast", 0, 60, 160);
    return rig;
}

int switch_rig_set_up(void **state)
{
    *state = switch_rig_open();
    return 0;
}

marey_clusters *switch_rig_build(graph_rig *rig, int clips, double fps, double threshold)
{
    marey_clusters *c = NULL;
    marey_clusters_def def = { .fps = fps, .threshold = threshold };
    test_ok(marey_clusters_build(rig->ctx, rig->clips, clips, &def, &c, &test_error));

    return c;
}

int judge_row_clip(const marey_clusters *c, int row)
{
    int clip = 0;
    while (row >= c->first_row[clip + 1]) clip++;
    return clip;
}

int judge_row_frame(const marey_clusters *c, int row)
{
    int clip = judge_row_clip(c, row);
    return marey_features_frame(c->features[clip], row - c->first_row[clip]);
}

int judge_row_of(const marey_clusters *c, int sequence, int row)
{
    return c->first_row[c->sequences[sequence].clip] + c->sequence_row[sequence] + row;
}

bool judge_goes_on(const marey_clusters *c, int row)
{
    int clip = judge_row_clip(c, row);
    if (row + 1 == c->first_row[clip + 1]) return false;
    for (int f = judge_row_frame(c, row); f <= judge_row_frame(c, row + 1); f++)
        if (mry_clip_is_marked(c->clips[clip], f)) return false;
    return true;
}

/* As far as a joint moves in a tenth of a second, by the rows around. */
static mry_vec move_of(const marey_features *f, int row, int joint)
{
    int low = row > 0 ? row - 1 : 0, high = row + 1 < f->rows ? row + 1 : row;
    mry_vec way = mry_vec_sub(mry_row_position(f, high, joint), mry_row_position(f, low, joint));
    double seconds = (high - low) / f->layout->fps;
    return mry_vec_scale(way, seconds > 0 ? MAREY_CLUSTER_DERIVATIVE_S / seconds : 0);
}

double judge_switch(const marey_clusters *c, int from, int to)
{
    const marey_features *a = c->features[judge_row_clip(c, from)];
    const marey_features *b = c->features[judge_row_clip(c, to)];
    int i = from - c->first_row[judge_row_clip(c, from)];
    int j = to - c->first_row[judge_row_clip(c, to)];
    marey_placement by = marey_place(a, i, b, j);
    double turn[2] = { cos(by.angle_rad), sin(by.angle_rad) }, sum = marey_distance(a, i, b, j);
    for (int k = 0; k < a->layout->joints; k++) {
        mry_vec p = move_of(a, i, k), q = move_of(b, j, k);
        mry_vec off = { p.x - (q.x * turn[0] + q.z * turn[1]), p.y - q.y,
                        p.z - (q.z * turn[0] - q.x * turn[1]) };
        double length = mry_vec_length(off);
        sum += a->layout->weight[k] * length * length;
    }
    return sum;
}
