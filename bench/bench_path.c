/* bench_path.c - walking along paths on the floor: how far the body is from them, and how soon
   there is a first answer. The clips are the locomotion of [a_kovar] of sets/cmu_sets.txt in the
   folder of real data, at 30 Hz, the graph is the standard one with its default threshold.
   Arguments: the effort (default: the library's own), and a folder that gets a table of every path
   and of every walk's track, to draw them. */
#include "bench.h"

#include <marey/marey.h>

#include <math.h>
#include <string.h>

enum { CLIPS = 7, MOST_POINTS = 512 };

#define PI 3.14159265358979323846
#define LENGTH_CM 2000.0
#define STEP_CM 5.0

/* ---- paths ----------------------------------------------------------------------------------- */

/* A path is drawn by its curvature, 1/cm, at an arc length. */
typedef struct drawn {
    const char *name;
    double (*bend)(double arc);
    bool sharp; /* corners too sharp to be walked exactly; no figure is asked for */
} drawn;

static double straight(double arc)
{
    (void)arc;
    return 0;
}

static double wide_arc(double arc)
{
    (void)arc;
    return 1 / 600.0;
}

static double circle(double arc)
{
    (void)arc;
    return -1 / 300.0;
}

static double letter_s(double arc)
{
    return arc < LENGTH_CM / 2 ? 1 / 350.0 : -1 / 350.0;
}

static double slalom(double arc)
{
    return 0.005 * cos(2 * PI * arc / 600);
}

static double spiral(double arc)
{
    return 1 / (600 - 400 * arc / LENGTH_CM);
}

static double eight(double arc)
{
    return arc < LENGTH_CM / 2 ? 4 * PI / LENGTH_CM : -4 * PI / LENGTH_CM;
}

/* A quarter turn about a radius of 1 m. */
static double corner(double arc)
{
    return arc > 900 && arc < 900 + 50 * PI ? 0.01 : 0;
}

static double turn_back(double arc)
{
    return arc > 800 && arc < 800 + 150 * PI ? -1 / 150.0 : 0;
}

static double corners(double arc)
{
    double within = fmod(arc, 500);
    return within > 200 && within < 200 + 50 * PI ? fmod(arc, 1000) < 500 ? 0.01 : -0.01 : 0;
}

/* Right angles on a spot. */
static double sharp(double arc)
{
    double within = fmod(arc, 500);
    return within >= 250 && within < 250 + STEP_CM ? PI / 2 / STEP_CM : 0;
}

static double on_the_spot(double arc)
{
    return arc >= 1000 && arc < 1000 + STEP_CM ? PI / STEP_CM : 0;
}

static const drawn paths[] = {
    { "straight", straight, false },
    { "arc, 6 m", wide_arc, false },
    { "circle, 3 m", circle, false },
    { "S", letter_s, false },
    { "slalom", slalom, false },
    { "spiral, 6 m to 2 m", spiral, false },
    { "eight, 1.6 m", eight, false },
    { "right angle, rounded", corner, false },
    { "back again, 1.5 m", turn_back, false },
    { "right angles, rounded", corners, false },
    { "right angles, sharp", sharp, true },
    { "back on the spot", on_the_spot, true },
};

enum { PATHS = sizeof paths / sizeof *paths };

static int draw(const drawn *path, double *points)
{
    int count = 0;
    double x = 0, z = 0, angle = 0;
    for (double arc = 0; arc <= LENGTH_CM; arc += STEP_CM) {
        points[2 * count] = x;
        points[2 * count++ + 1] = z;
        angle += path->bend(arc) * STEP_CM;
        x += STEP_CM * cos(angle);
        z += STEP_CM * sin(angle);
    }
    return count;
}

/* ---- walks ----------------------------------------------------------------------------------- */

typedef struct seen {
    double start_s, first_s, first_cm;
    int better;
} seen;

static bool note(void *user, const marey_walk *walk)
{
    seen *s = user;
    if (s->better++ == 0) {
        s->first_s = bench_cpu_s() - s->start_s;
        s->first_cm = walk->path_cm;
    }
    return true;
}

/* x, z of the path's points, then of the body in every frame of the walk, with its node. */
static void write_table(const char *folder, int number, const double *points, int count,
                        const marey_graph *graph, const marey_walk *walk)
{
    char path[1100];
    snprintf(path, sizeof path, "%s/path_%02d.csv", folder, number);
    FILE *file = fopen(path, "w");
    if (!file) exit(1);
    for (int i = 0; i < count; i++) fprintf(file, "%g,%g\n", points[2 * i], points[2 * i + 1]);
    const marey_clip *motion = marey_graph_motion(graph);
    int joints = marey_clip_skeleton(motion)->joint_count;
    double *body = malloc((size_t)joints * 3 * sizeof *body);
    double angle = walk->place.angle_rad, x = walk->place.x_cm, z = walk->place.z_cm;
    for (int k = 0; body && k < walk->count; k++) {
        if (k) {
            marey_placement by = marey_graph_place(graph, walk->nodes[k - 1], walk->nodes[k]);
            x += by.x_cm * cos(angle) + by.z_cm * sin(angle);
            z += by.z_cm * cos(angle) - by.x_cm * sin(angle);
            angle += by.angle_rad;
        }
        marey_clip_positions(motion, walk->nodes[k], 1, body);
        fprintf(file, "%g,%g,%d\n", x + body[0] * cos(angle) + body[2] * sin(angle),
                z + body[2] * cos(angle) - body[0] * sin(angle), walk->nodes[k]);
    }
    free(body);
    fclose(file);
}

static void follow(marey_ctx *ctx, const marey_graph *graph, int number, int64_t effort,
                   const char *folder, double *worst_cm, double *worst_s)
{
    double points[2 * MOST_POINTS];
    seen s = { .start_s = bench_cpu_s() };
    marey_walk_def def = { .kind = MAREY_WALK_PATH,
                           .path = points,
                           .point_count = draw(&paths[number], points),
                           .effort = effort,
                           .better = note,
                           .user = &s };
    marey_walk walk;
    marey_error error;
    if (marey_graph_walk(ctx, graph, &def, &walk, &error) != MAREY_OK) {
        printf("%s\n", error.message);
        exit(1);
    }
    int pieces = marey_walk_pieces(graph, &walk, NULL, 0);
    printf("  %-22s %5.1f cm, at most %5.1f; first %5.1f cm after %5lld steps, %.2f s; %5.1f s "
           "walked, %2d "
           "transitions; %d better, %lld steps, %.1f s%s\n",
           paths[number].name, walk.path_cm, walk.path_worst_cm, s.first_cm,
           (long long)walk.first_after, s.first_s, walk.count / marey_graph_fps(graph), pieces - 1,
           s.better, (long long)walk.expanded, bench_cpu_s() - s.start_s,
           walk.arrived ? "" : ", NOT THERE");
    if (!paths[number].sharp) {
        *worst_cm = fmax(*worst_cm, walk.arrived ? walk.path_cm : INFINITY);
        *worst_s = fmax(*worst_s, walk.arrived ? s.first_s : INFINITY);
    }
    if (folder) write_table(folder, number, points, def.point_count, graph, &walk);
    marey_walk_free(&walk);
}

int main(int argc, char **argv)
{
    static const char *const names[CLIPS] = { "144_33", "144_03", "38_03", "16_15",
                                              "91_01",  "111_23", "09_12" };
    marey_clip *clips[CLIPS] = { 0 };
    marey_ctx *ctx;
    marey_graph *graph;
    int64_t effort = argc > 1 ? atoll(argv[1]) : 0;
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (marey_ctx_open(&(marey_ctx_def){ .threads = 2 }, &ctx) != MAREY_OK) return 1;
    for (int i = 0; i < CLIPS; i++) {
        char path[1200];
        snprintf(path, sizeof path, "%s/cmu/%s.bvh", bench_mocap_folder(), names[i]);
        if (marey_clip_load(ctx, path, NULL, &clips[i], NULL) == MAREY_OK) continue;
        printf("skipped: no %s\n", path);
        return 0;
    }
    if (marey_graph_build(ctx, (const marey_clip *const *)clips, CLIPS, NULL, NULL, &graph, NULL))
        return 1;
    printf("paths of %.0f m over %d nodes\n", LENGTH_CM / 100, marey_graph_nodes(graph));
    double worst_cm = 0, worst_s = 0;
    for (int i = 0; i < PATHS; i++)
        follow(ctx, graph, i, effort, argc > 2 ? argv[2] : NULL, &worst_cm, &worst_s);
    bench_figure("  mean distance from the path, the worst path", worst_cm, "cm", 15, false);
    bench_figure("  first answer, the slowest path", worst_s, "s", 1, false);
    printf("  most memory held %.0f MB\n", (double)marey_ctx_bytes_peak(ctx) / 1e6);
    marey_graph_free(graph);
    for (int i = 0; i < CLIPS; i++) marey_clip_free(clips[i]);
    marey_ctx_close(ctx);
    return 0;
}
