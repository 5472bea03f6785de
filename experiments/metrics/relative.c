/* relative.c - the first stage of `curvature`, computed once more from the public clips: D_rp and
   its candidates (Guan & Yang 3.1, figure 6). */
#include "lab.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_JOINTS = 64 };

/* The joints that rp counts: those of the layout below the root's children. */
typedef struct bones {
    int count, joint[MOST_JOINTS];
    double weight[MOST_JOINTS];
} bones;

static int joint_named(const marey_skeleton *skeleton, const char *name)
{
    for (int j = 0; j < skeleton->joint_count; j++) {
        if (strcmp(skeleton->joints[j].name, name) == 0) return j;
    }
    return -1;
}

static bones list_bones(const marey_skeleton *skeleton, const marey_layout *layout)
{
    bones all = { .count = 0 };
    for (int k = 0; k < marey_layout_joints(layout) && all.count < MOST_JOINTS; k++) {
        int joint = joint_named(skeleton, marey_layout_joint(layout, k));
        int above = joint < 0 ? -1 : skeleton->joints[joint].parent;
        if (above < 1) continue;
        all.joint[all.count] = joint;
        all.weight[all.count++] = marey_layout_weight(layout, k);
    }
    return all;
}

/* rp = R v, eq. 3.1: the bone's offset turned by the joint above. */
static void relative_place(const marey_clip *clip, int frame, int joint, double *out)
{
    const marey_joint *joints = marey_clip_skeleton(clip)->joints;
    const float *q = marey_clip_rotations(clip, frame) + 4 * joints[joint].parent;
    const double *v = joints[joint].offset_cm;
    double t[3];
    for (int i = 0; i < 3; i++) {
        int u = (i + 1) % 3, w = (i + 2) % 3;
        t[i] = 2 * ((double)q[1 + u] * v[w] - (double)q[1 + w] * v[u]);
    }
    for (int i = 0; i < 3; i++) {
        int u = (i + 1) % 3, w = (i + 2) % 3;
        out[i] = v[i] + (double)q[0] * t[i] + (double)q[1 + u] * t[w] - (double)q[1 + w] * t[u];
    }
}

static double *relative_places(const marey_clip *clip, const bones *all)
{
    int frames = marey_clip_frames(clip);
    double *places = lab_room((size_t)frames * (size_t)all->count * 3 * sizeof *places);
    for (int i = 0; i < frames; i++) {
        for (int k = 0; k < all->count; k++) {
            relative_place(clip, i, all->joint[k], places + 3 * (i * all->count + k));
        }
    }
    return places;
}

static double *distances(const marey_clip *a, const marey_clip *b, const bones *all)
{
    int rows = marey_clip_frames(a), cols = marey_clip_frames(b);
    double *p = relative_places(a, all), *q = relative_places(b, all);
    double *grid = lab_room((size_t)rows * (size_t)cols * sizeof *grid);
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < cols; j++) {
            for (int c = 0; c < 3 * all->count; c++) {
                double d = p[3 * i * all->count + c] - q[3 * j * all->count + c];
                grid[i * cols + j] += all->weight[c / 3] * d * d;
            }
        }
    }
    free(p);
    free(q);
    return grid;
}

static int compare_numbers(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The value that a share of them does not exceed. */
static double value_at(const double *values, int count, double share)
{
    double *sorted = lab_room((size_t)count * sizeof *sorted);
    memcpy(sorted, values, (size_t)count * sizeof *sorted);
    qsort(sorted, (size_t)count, sizeof *sorted, compare_numbers);
    double found = sorted[(int)ceil(share * count) - 1];
    free(sorted);
    return found;
}

static unsigned char grey(double share)
{
    return (unsigned char)(share <= 0 ? 0 : share >= 1 ? 255 : 255 * share);
}

/* Minus the correlation of the candidates, of which `least` and `most` are the 1st and the 99th
   percentile: a few outliers would else take all the greys. */
static void correlation_range(const double *grid, double bound, marey_rows cost, double *least,
                              double *most)
{
    int cells = cost.rows * cost.cols, count = 0;
    double *values = lab_room((size_t)cells * sizeof *values);
    for (int i = 0; i < cells; i++) {
        size_t at = (size_t)(i / cost.cols) * cost.stride + (size_t)(i % cost.cols);
        if (grid[i] <= bound) values[count++] = (double)cost.values[at];
    }
    *least = value_at(values, count, 0.01);
    *most = value_at(values, count, 0.99);
    free(values);
}

/* D_rp (dark is alike), the candidates (dark), and their correlation (light is alike, the others
   black), side by side as in the paper. */
static void draw_stages(const lab *in, const double *grid, double bound, marey_rows cost)
{
    int gap = 12, cells = cost.rows * cost.cols, width = 3 * cost.cols + 2 * gap;
    unsigned char *pixels = lab_room((size_t)width * (size_t)cost.rows);
    double top = sqrt(value_at(grid, cells, 0.99)), least, most;
    correlation_range(grid, bound, cost, &least, &most);
    memset(pixels, 255, (size_t)width * (size_t)cost.rows);
    for (int i = 0; i < cells; i++) {
        unsigned char *at = pixels + (i / cost.cols) * width + i % cost.cols;
        size_t from = (size_t)(i / cost.cols) * cost.stride + (size_t)(i % cost.cols);
        double share = (most - (double)cost.values[from]) / (most - least);
        at[0] = grey(sqrt(grid[i]) / top);
        at[cost.cols + gap] = grid[i] <= bound ? 0 : 230;
        at[2 * (cost.cols + gap)] = grid[i] <= bound ? grey(0.2 + 0.8 * share) : 0;
    }
    lab_grey(in, "stages", pixels, width, cost.rows);
    free(pixels);
}

static void print_candidates(const lab *in, const finding *found, const double *grid, int cols,
                             double bound)
{
    marey_error error;
    int cells = marey_features_rows(found->sides[0]) * cols, below = 0, both = 0, known;
    marey_pair *pairs = lab_room((size_t)cells * sizeof *pairs);
    lab_must(
        marey_grid_pairs(in->ctx, found->sides[0], found->sides[1], cells, pairs, &known, &error),
        &error);
    for (int i = 0; i < cells; i++) below += grid[i] <= bound;
    for (int i = 0; i < known; i++) both += grid[pairs[i].row * cols + pairs[i].col] <= bound;
    printf("| what | |\n|---|---|\n");
    printf("| root of D_rp, median of all cells | %.2f cm |\n", sqrt(value_at(grid, cells, 0.5)));
    printf("| root of D_rp, largest of the best fifth | %.2f cm |\n", sqrt(bound));
    printf("| cells in the best fifth, computed here | %d |\n", below);
    printf("| candidates of the library | %d |\n| in both | %d |\n\n", known, both);
    free(pairs);
}

void experiment_relative_places(const lab *in)
{
    marey_error error;
    marey_grid *built;
    marey_clip *a = lab_walk(in), *b = lab_run(in);
    const marey_clip *clips[2] = { a, b };
    marey_metric_def def = lab_metric(in, "curvature", NULL);
    finding found = lab_find(in, clips, 2, &def, 0);
    bones all = list_bones(marey_clip_skeleton(a), found.layout);
    double *grid = distances(a, b, &all);
    lab_must(marey_grid_build(in->ctx, found.sides[0], found.sides[1], &built, &error), &error);
    marey_rows cost = marey_grid_cost(built);
    double bound = value_at(grid, cost.rows * cost.cols, 0.2);
    printf("## D_rp and its candidates (figure 6)\n\nWalk x run of CMU, %d x %d frames, %d "
           "bones.\n\n",
           cost.rows, cost.cols, all.count);
    print_candidates(in, &found, grid, cost.cols, bound);
    draw_stages(in, grid, bound, cost);
    lab_picture(in, &found, a, b, "curvature-pairs", 580);
    free(grid);
    marey_grid_free(built);
    finding_free(&found);
    marey_clip_free(a);
    marey_clip_free(b);
}
