/* levels.c - a walk on level ground, and the same walk on a ramp (Guan & Yang 4.2.3.1, figures 10
   to 14).

   The walks at hand go along z, the paper's along x; so the walk is turned by a quarter about the
   vertical first, which no metric notices, and then tilted by 15 degrees about z, about the world's
   origin. Only the six numbers of the root change, the rest of each line is the file's. */
#include "lab.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEVELS = 4, METHODS = 5 };

static const double degree = 0.017453292519943295;

typedef double matrix[3][3];

static void multiply(matrix a, matrix b, matrix out)
{
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            out[i][j] = a[i][0] * b[0][j] + a[i][1] * b[1][j] + a[i][2] * b[2][j];
        }
    }
}

static void turn(int axis, double angle, matrix out)
{
    int u = (axis + 1) % 3, v = (axis + 2) % 3;
    memset(out, 0, sizeof(matrix));
    out[axis][axis] = 1;
    out[u][u] = out[v][v] = cos(angle);
    out[u][v] = -sin(angle);
    out[v][u] = sin(angle);
}

/* Axes are the root's second and third rotation; the first is z, as in all of the files used
   here. */
static void angles_of(matrix m, bool x_second, double *z, double *second, double *third)
{
    if (x_second) {
        *z = atan2(-m[0][1], m[1][1]) / degree;
        *second = asin(m[2][1]) / degree;
        *third = atan2(-m[2][0], m[2][2]) / degree;
    } else {
        *z = atan2(m[1][0], m[0][0]) / degree;
        *second = asin(-m[2][0]) / degree;
        *third = atan2(m[2][1], m[2][2]) / degree;
    }
}

/* The six numbers of a root on the ramp: places, then rotations z, second, third. */
static void tilt(double *root, bool x_second, double slope_deg, double lower)
{
    matrix ramp, by, all, parts[3], product;
    turn(1, 90 * degree, by);
    turn(2, slope_deg * degree, parts[0]);
    multiply(parts[0], by, ramp);
    turn(2, root[3] * degree, parts[0]);
    turn(x_second ? 0 : 1, root[4] * degree, parts[1]);
    turn(x_second ? 1 : 0, root[5] * degree, parts[2]);
    multiply(ramp, parts[0], product);
    multiply(product, parts[1], all);
    multiply(all, parts[2], product);
    double at[3] = { root[0], root[1], root[2] };
    for (int i = 0; i < 3; i++) {
        root[i] = ramp[i][0] * at[0] + ramp[i][1] * at[1] + ramp[i][2] * at[2];
    }
    root[1] -= lower;
    angles_of(product, x_second, &root[3], &root[4], &root[5]);
}

/* Copies the motion file with its root on a ramp. unit_cm: of the file. */
static void write_ramp(const char *from, const char *to, double unit_cm, double slope_deg,
                       double lower_cm)
{
    enum { LINE = 1 << 16 };
    FILE *in = fopen(from, "r"), *out = fopen(to, "w");
    char *line = lab_room(LINE);
    bool motion = false, x_second = strstr(from, "bandai") != NULL;
    while (in && out && fgets(line, LINE, in)) {
        double root[6];
        char *rest = line;
        for (int i = 0; motion && i < 6; i++) root[i] = strtod(rest, &rest);
        if (motion && rest > line + 6) {
            tilt(root, x_second, slope_deg, lower_cm / unit_cm);
            for (int i = 0; i < 6; i++) fprintf(out, "%.9f ", root[i]);
        } else {
            rest = line;
        }
        fputs(rest, out);
        motion = motion || strncmp(line, "Frame Time", 10) == 0;
    }
    if (!in || !out || ferror(in) || fclose(out) != 0) {
        fprintf(stderr, "cannot make %s from %s\n", to, from);
        exit(1);
    }
    fclose(in);
    free(line);
}

marey_clip *lab_load_on_ramp(const lab *in, const char *name, double slope_deg, double lower_cm,
                             int first, int end)
{
    char from[2048], to[2048];
    marey_error error;
    marey_clip *level, *all, *clip, *part;
    snprintf(from, sizeof from, "%s/%s.bvh", in->mocap, name);
    snprintf(to, sizeof to, "%s/ramp-%g-%g-%s.bvh", in->folder, slope_deg, lower_cm,
             strchr(name, '/') + 1);
    lab_must(marey_clip_load(in->ctx, from, NULL, &level, &error), &error);
    marey_units units = marey_clip_units(level);
    write_ramp(from, to, marey_units_cm(units), slope_deg, lower_cm);
    marey_load_def def = { .units = units,
                           .up = MAREY_UP_Y,
                           .skip_first = strncmp(name, "cmu/", 4) == 0 };
    lab_must(marey_clip_load(in->ctx, to, &def, &all, &error), &error);
    lab_must(marey_clip_resample(all, LAB_FPS, &clip, &error), &error);
    marey_clip_free(all);
    marey_clip_free(level);
    if (end == 0) return clip;
    lab_must(marey_clip_trim(clip, first, end, &part, &error), &error);
    marey_clip_free(clip);
    return part;
}

static void print_head(const char *walk, const char *run)
{
    printf("%s x %s. Share of the level case's pairs that are found again, and D_p in cm:\n\n",
           walk, run);
    printf("| metric | level D_p | tilted: pairs | D_p | 30 cm down: pairs | D_p | 60 cm down: "
           "pairs | D_p |\n|---|---|---|---|---|---|---|---|\n");
}

static void measure(const lab *in, const char *title, const marey_metric_def *def,
                    marey_clip *const *walks, const marey_clip *run, const char *picture)
{
    finding level = { .count = 0 };
    printf("| %s |", title);
    for (int i = 0; i < LEVELS; i++) {
        const marey_clip *clips[2] = { run, walks[i] };
        finding here = lab_find(in, clips, 2, def, 0);
        double position_cm = finding_judge(&here).position_cm;
        if (picture) {
            char name[256];
            snprintf(name, sizeof name, "%s-%d", picture, i);
            lab_picture(in, &here, run, walks[i], name, 300);
        }
        if (i == 0) {
            printf(" %.3f |", position_cm);
            level = here;
            continue;
        }
        printf(" %.1f %% | %.3f |", 100 * finding_common(&level, &here), position_cm);
        finding_free(&here);
    }
    printf("\n");
    finding_free(&level);
}

static void experiment_pair(const lab *in, const char *walk, int first, int end,
                            const char *run_name, const char *picture)
{
    marey_clip *run = lab_load(in, run_name, 0, 0, 0), *walks[LEVELS];
    walks[0] = lab_load_on_ramp(in, walk, 0, 0, first, end);
    for (int i = 1; i < LEVELS; i++) {
        walks[i] = lab_load_on_ramp(in, walk, 15, 30 * (i - 1), first, end);
    }
    print_head(walk, run_name);
    static const char *const names[METHODS] = { "points", "angles", "positions", "curvature",
                                                "transition" };
    for (int i = 0; i < METHODS; i++) {
        marey_metric_def def = lab_metric(in, names[i], NULL);
        measure(in, names[i], &def, walks, run, i == 0 ? picture : NULL);
    }
    marey_metric_def fixed = lab_metric(in, "angles", NULL);
    fixed.fixed_root = true;
    measure(in, "angles, fixed root", &fixed, walks, run, NULL);
    printf("\n");
    for (int i = 0; i < LEVELS; i++) marey_clip_free(walks[i]);
    marey_clip_free(run);
}

void experiment_levels(const lab *in)
{
    printf("## Different levels (figures 12 to 14)\n\n");
    experiment_pair(in, "cmu/91_57", LAB_WALK_FIRST, LAB_WALK_END, "cmu/38_03", "level-cmu");
    experiment_pair(in, "bandai/dataset-2_walk_exhausted_004", 0, 0,
                    "bandai/dataset-2_run_elderly_001", "level-bandai");
}
