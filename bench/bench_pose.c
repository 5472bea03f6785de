/* bench_pose.c - forward kinematics on a 31-joint skeleton, beside the textbook way with 4x4
   matrices straight from the angles. The two take turns. */
#include "bench.h"

#include <marey/marey.h>

#include <math.h>
#include <string.h>

enum { JOINTS = 31, FRAMES = 4000, ROUNDS = 7 };

/* A body of 31 joints in the shape of the CMU skeleton: a spine, two arms, two legs. */
static const int parents[JOINTS] = { -1, 0,  1,  2,  3,  4,  0,  6,  7,  8,  9,  0,  11, 12, 13, 14,
                                     15, 13, 17, 18, 19, 20, 21, 20, 13, 24, 25, 26, 27, 28, 27 };

static void write_joint(FILE *out, int j)
{
    fprintf(out, "%s joint%d\n{\nOFFSET %g %g %g\nCHANNELS %s Zrotation Yrotation Xrotation\n",
            j ? "JOINT" : "ROOT", j, 1.0 + j % 3, 5.0 + j % 7, 0.5 * (j % 5),
            j ? "3" : "6 Xposition Yposition Zposition");
    for (int c = j + 1; c < JOINTS; c++) {
        if (parents[c] == j) write_joint(out, c);
    }
    fputs("}\n", out);
}

static char *make_bvh(size_t *size)
{
    char *text = NULL;
    FILE *out = open_memstream(&text, size);
    fputs("HIERARCHY\n", out);
    write_joint(out, 0);
    fprintf(out, "MOTION\nFrames: %d\nFrame Time: 0.00833333\n", FRAMES);
    for (int f = 0; f < FRAMES; f++) {
        for (int c = 0; c < 3 * JOINTS + 3; c++) fprintf(out, "%.4f ", 40 * sin(0.01 * f + c));
        fputc('\n', out);
    }
    fclose(out);
    return text;
}

static void multiply(const double *a, const double *b, double *out)
{
    for (int i = 0; i < 4; i++) {
        for (int k = 0; k < 4; k++) {
            double sum = 0;
            for (int n = 0; n < 4; n++) sum += a[4 * i + n] * b[4 * n + k];
            out[4 * i + k] = sum;
        }
    }
}

static void turn(double *matrix, int axis, double degrees)
{
    double s = sin(degrees * 0.017453292519943295), c = cos(degrees * 0.017453292519943295);
    double r[16] = { 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1 }, product[16];
    int u = (axis + 1) % 3, v = (axis + 2) % 3;
    r[5 * u] = r[5 * v] = c;
    r[4 * u + v] = -s;
    r[4 * v + u] = s;
    multiply(matrix, r, product);
    memcpy(matrix, product, sizeof product);
}

static void textbook(const marey_skeleton *skeleton, const double *row, double (*world)[16])
{
    for (int j = 0; j < JOINTS; j++) {
        const marey_joint *joint = &skeleton->joints[j];
        const double *angles = row + joint->first_channel + (j ? 0 : 3);
        double local[16] = { 1, 0, 0, joint->offset_cm[0], 0, 1, 0, joint->offset_cm[1],
                             0, 0, 1, joint->offset_cm[2], 0, 0, 0, 1 };
        turn(local, 2, angles[0]);
        turn(local, 1, angles[1]);
        turn(local, 0, angles[2]);
        if (joint->parent < 0) {
            memcpy(world[j], local, sizeof local);
        } else {
            multiply(world[joint->parent], local, world[j]);
        }
    }
}

int main(void)
{
    marey_ctx *ctx;
    marey_clip *clip;
    marey_error error;
    size_t size;
    char *text = make_bvh(&size);
    double *out = malloc(sizeof *out * FRAMES * JOINTS * 3), best = 1e9, best_plain = 1e9, sum = 0;
    static double world[JOINTS][16];
    if (!out || marey_ctx_open(&(marey_ctx_def){ .threads = 1 }, &ctx)) return 3;
    if (marey_clip_load_bytes(ctx, "body.bvh", text, size, NULL, &clip, &error)) {
        fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    for (int round = 0; round < ROUNDS; round++) {
        double start = bench_cpu_s();
        for (int i = 0; i < 20; i++) marey_clip_positions(clip, 0, FRAMES, out);
        double mine = (bench_cpu_s() - start) / 20;
        sum += out[5];
        start = bench_cpu_s();
        for (int f = 0; f < FRAMES; f++) {
            textbook(marey_clip_skeleton(clip), marey_clip_channels(clip, f), world);
            sum += world[5][3];
        }
        double plain = bench_cpu_s() - start;
        if (mine < best) best = mine;
        if (plain < best_plain) best_plain = plain;
    }
    bench_figure("forward kinematics, 31 joints, one core", FRAMES / best / 1e6, "million frames/s",
                 1, true);
    bench_figure("  textbook matrices from angles", FRAMES / best_plain / 1e6, "million frames/s",
                 0, true);
    bench_figure("  ratio", best_plain / best, "times", 0, true);
    marey_clip_free(clip);
    marey_ctx_close(ctx);
    free(out);
    free(text);
    return sum == 12345.678;
}
