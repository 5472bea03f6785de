/* smoothing.c - the curvature of a joint's path with and without the Gaussian (Guan & Yang 3.2,
   figure 7), by eq. 3.4 as it is printed, and with the floor under the speed that marey has
   (decision 12). */
#include "lab.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIGNALS = 4, RADIUS = 6, PLOT_HEIGHT = 110, PLOT_SCALE = 6 };

static const double sigma_s = 0.05, floor_cm_s = 10;

/* A joint's path, or its smoothed form. Beyond the ends it goes on as its point reflection. */
static void path_at(const double *path, int frames, int i, double *out)
{
    int end = i < 0 ? 0 : frames - 1, inside = i < 0 || i >= frames ? 2 * end - i : i;
    for (int c = 0; c < 3; c++) {
        double at = path[3 * inside + c];
        out[c] = inside == i ? at : 2 * path[3 * end + c] - at;
    }
}

static double *smoothed(const double *path, int frames)
{
    double *out = lab_room((size_t)frames * 3 * sizeof *out), sigma = sigma_s * LAB_FPS;
    for (int i = 0; i < frames; i++) {
        double sum = 0, at[3];
        for (int k = -RADIUS; k <= RADIUS; k++) {
            double weight = exp(-0.5 * k * k / (sigma * sigma));
            path_at(path, frames, i + k, at);
            for (int c = 0; c < 3; c++) out[3 * i + c] += weight * at[c];
            sum += weight;
        }
        for (int c = 0; c < 3; c++) out[3 * i + c] /= sum;
    }
    return out;
}

/* Eq. 3.4 with the derivatives of a uniform cubic B-spline at its knots; 0 where nothing moves at
   all. */
static double curvature(const double *path, int frames, int i, double least_speed)
{
    double before[3], after[3], d1[3], d2[3], cross[3], speed2 = least_speed * least_speed;
    path_at(path, frames, i - 1, before);
    path_at(path, frames, i + 1, after);
    for (int c = 0; c < 3; c++) {
        d1[c] = (after[c] - before[c]) * LAB_FPS / 2;
        d2[c] = (after[c] - 2 * path[3 * i + c] + before[c]) * LAB_FPS * LAB_FPS;
        speed2 += d1[c] * d1[c];
    }
    for (int c = 0; c < 3; c++) {
        int u = (c + 1) % 3, v = (c + 2) % 3;
        cross[c] = d1[u] * d2[v] - d1[v] * d2[u];
    }
    double length = sqrt(cross[0] * cross[0] + cross[1] * cross[1] + cross[2] * cross[2]);
    return speed2 > 0 ? length / (speed2 * sqrt(speed2)) : 0;
}

static double *joint_path(const marey_clip *clip, marey_role role)
{
    const marey_skeleton *skeleton = marey_clip_skeleton(clip);
    int frames = marey_clip_frames(clip), joints = skeleton->joint_count;
    double *all = lab_room((size_t)frames * (size_t)joints * 3 * sizeof *all);
    double *path = lab_room((size_t)frames * 3 * sizeof *path);
    marey_clip_positions(clip, 0, frames, all);
    for (int i = 0; i < frames; i++) {
        memcpy(path + 3 * i, all + 3 * (i * joints + skeleton->roles[role]), 3 * sizeof *path);
    }
    free(all);
    return path;
}

static int compare_numbers(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void print_signal(const double *values, int frames)
{
    double rough = 0, sum = 0, *sorted = lab_room((size_t)frames * sizeof *sorted);
    for (int i = 1; i + 1 < frames; i++) {
        rough += fabs(values[i + 1] - 2 * values[i] + values[i - 1]);
        sum += values[i];
    }
    memcpy(sorted, values, (size_t)frames * sizeof *sorted);
    qsort(sorted, (size_t)frames, sizeof *sorted, compare_numbers);
    printf(" %.4f | %.4f | %.2f |\n", sorted[frames / 2], sorted[frames - 1], rough / sum);
    free(sorted);
}

/* One signal in its own strip of the picture, as columns from the strip's foot; cut at `top`. */
static void draw_signal(unsigned char *strip, const double *values, int frames, double top)
{
    int width = frames * PLOT_SCALE, last = -1;
    memset(strip + (PLOT_HEIGHT - 1) * width, 150, (size_t)width);
    for (int x = 0; x < width; x++) {
        double share = values[x / PLOT_SCALE] / top;
        int y = PLOT_HEIGHT - 2 - (int)((PLOT_HEIGHT - 12) * (share < 1 ? share : 1));
        int from = last < 0 || last > y ? y : last, to = last > y ? last : y;
        for (int k = from; k <= to; k++) strip[k * width + x] = 0;
        last = y;
    }
}

/* Takes the clip. */
static void measure(const lab *in, const char *name, marey_clip *clip, marey_role role,
                    const char *picture)
{
    static const char *const titles[SIGNALS] = { "eq. 3.4 | no", "eq. 3.4 | 0.05 s",
                                                 "with the floor | no", "with the floor | 0.05 s" };
    int frames = marey_clip_frames(clip), width = frames * PLOT_SCALE;
    double *raw = joint_path(clip, role), *smooth = smoothed(raw, frames);
    double *values = lab_room((size_t)frames * sizeof *values);
    unsigned char *pixels = lab_room((size_t)(width * PLOT_HEIGHT * SIGNALS));
    memset(pixels, 255, (size_t)(width * PLOT_HEIGHT * SIGNALS));
    for (int s = 0; s < SIGNALS; s++) {
        for (int i = 0; i < frames; i++) {
            values[i] = curvature(s % 2 ? smooth : raw, frames, i, s < 2 ? 0 : floor_cm_s);
        }
        printf("| %s | %s | %s |", name, marey_role_name(role), titles[s]);
        print_signal(values, frames);
        draw_signal(pixels + s * width * PLOT_HEIGHT, values, frames, 0.15);
    }
    if (picture) lab_grey(in, picture, pixels, width, PLOT_HEIGHT * SIGNALS);
    free(pixels);
    free(values);
    free(smooth);
    free(raw);
    marey_clip_free(clip);
}

void experiment_smoothing(const lab *in)
{
    printf("## Curvature with and without the Gaussian (figure 7)\n\n"
           "Walk: cmu/91_57; stand: accad/Male1_A1_Stand. Per cm. Rough: the sum of second "
           "differences over the sum of the values.\n\n"
           "| clip | joint | formula | Gaussian | median | largest | rough |\n"
           "|---|---|---|---|---|---|---|\n");
    measure(in, "walk", lab_walk(in), MAREY_ROLE_LEFT_ELBOW, "smoothing");
    measure(in, "walk", lab_walk(in), MAREY_ROLE_LEFT_ANKLE, NULL);
    const char *stand = "accad/Male1_A1_Stand";
    measure(in, "stand", lab_load(in, stand, 0, 0, 0), MAREY_ROLE_LEFT_ELBOW, NULL);
    measure(in, "stand", lab_load(in, stand, 0, 0, 0), MAREY_ROLE_LEFT_ANKLE, NULL);
    printf("\n");
}
