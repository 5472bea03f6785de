/* part_goals.c - walks that are at places at times, wait and go round obstacles: random tasks on
   graphs of real clips. The costs were settled on c3 and, those of errors and of hips that are driven
   hard, on the first 14 tasks of actor 16; 82 was looked at when all was chosen. A part for each, so
   that they can run side by side.
   Where the body is and how fast is measured here from joint positions. */
#include "graphs_parts.h"

#include <math.h>
#include <string.h>

enum { TASKS = 40, MOST_GOALS = 4, MOST_OBSTACLES = 5, MOST_ERRORS = TASKS * MOST_GOALS };

#define PI 3.14159265358979323846
#define SLIDE_CM 0.3
#define WAITS_CM_S 15.0
#define SETTLE_S 1.0 /* after it came near it has so long to stop */
#define NEAR_CM 40.0

static uint32_t draw(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*seed >> 33);
}

static double between(uint64_t *seed, double low, double high)
{
    return low + (high - low) * (draw(seed) / 2147483648.0);
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* ---- tasks ----------------------------------------------------------------------------------- */

typedef struct task {
    marey_walk_goal goals[MOST_GOALS];
    int goal_count;
    marey_walk_obstacle obstacles[MOST_OBSTACLES];
    int obstacle_count;
} task;

/* What the clips' bodies that move usually do, cm/s: the median over half seconds. */
static double usual_speed(const marey_graph *graph)
{
    const marey_clip *motion = marey_graph_motion(graph);
    int half = (int)(0.25 * marey_graph_fps(graph)), count = 0,
        nodes = marey_graph_originals(graph);
    int hips = marey_clip_skeleton(motion)->roles[MAREY_ROLE_HIPS];
    size_t wide = 3 * (size_t)marey_clip_skeleton(motion)->joint_count;
    double *p = calloc((size_t)nodes * wide, sizeof *p), *speeds = calloc((size_t)nodes, sizeof *p);
    if (!p || !speeds || hips < 0) exit(1);
    marey_clip_positions(motion, 0, nodes, p);
    for (int n = half; n + half < nodes; n++) {
        if (marey_graph_node_of(graph, n - half).clip !=
                marey_graph_node_of(graph, n + half).clip ||
            !marey_graph_node_of(graph, n).core)
            continue;
        const double *a = p + (size_t)(n - half) * wide + 3 * hips;
        const double *b = p + (size_t)(n + half) * wide + 3 * hips;
        double speed = hypot(b[0] - a[0], b[2] - a[2]) / (2 * half) * marey_graph_fps(graph);
        if (speed > 20) speeds[count++] = speed;
    }
    qsort(speeds, (size_t)count, sizeof *speeds, by_size);
    double usual = count ? speeds[count / 2] : 0;
    free(p);
    free(speeds);
    return usual;
}

static double clear_of(const task *of, const marey_walk_obstacle *one)
{
    double least = hypot(one->x_cm, one->z_cm);
    for (int i = 0; i < of->goal_count; i++)
        least = fmin(least, hypot(one->x_cm - of->goals[i].x_cm, one->z_cm - of->goals[i].z_cm));
    return least - one->radius_cm;
}

/* Goals that the usual speed has time for, the way round obstacles and turns included; half of them
   with a wait. */
static task draw_task(uint64_t *seed, double usual)
{
    task out = { .goal_count = 1 + (int)(draw(seed) % MOST_GOALS) };
    int obstacles = draw(seed) % 3 ? 1 + (int)(draw(seed) % MOST_OBSTACLES) : 0;
    double x = 0, z = 0, at = 0, faces = NAN;
    for (int i = 0; i < out.goal_count; i++) {
        double direction = between(seed, -PI, PI), cm = between(seed, 100, 500);
        double wait = draw(seed) % 2 ? between(seed, 1, 4) : 0;
        double turn = isnan(faces) ? 0 : fabs(remainder(direction - faces, 2 * PI));
        x += cm * cos(direction);
        z -= cm * sin(direction);
        double heading = wait > 0 ? between(seed, -PI, PI) : direction + between(seed, -0.7, 0.7);
        bool heads = draw(seed) % 2;
        double last = heads && wait > 0 ? fabs(remainder(heading - direction, 2 * PI)) : 0;
        at += (obstacles ? 1.3 * cm : cm) / usual + 1 + (turn + last) / 1.5 + wait;
        out.goals[i] = (marey_walk_goal){
            .at_s = at, .x_cm = x, .z_cm = z, .heading_given = heads, .heading_rad = heading
        };
        faces = heads ? heading : direction;
    }
    /* Near the ways. */
    for (int k = 0; k < 1000 && out.obstacle_count < obstacles; k++) {
        const marey_walk_goal *to = &out.goals[draw(seed) % (uint32_t)out.goal_count];
        double share = between(seed, 0, 1);
        double from_x = to > out.goals ? to[-1].x_cm : 0, from_z = to > out.goals ? to[-1].z_cm : 0;
        marey_walk_obstacle one = {
            .x_cm = from_x + share * (to->x_cm - from_x) + between(seed, -80, 80),
            .z_cm = from_z + share * (to->z_cm - from_z) + between(seed, -80, 80),
            .radius_cm = between(seed, 15, 80)
        };
        if (clear_of(&out, &one) > MAREY_WALK_HALF_WIDTH_CM + 15)
            out.obstacles[out.obstacle_count++] = one;
    }
    return out;
}

/* ---- what came of them ------------------------------------------------------------------------ */

typedef struct tally {
    int walks, arrived, refused, entered, arrived_entered, told, faults, jumps, slides, angle_count,
        goals;
    double cm[MOST_ERRORS], degrees[MOST_ERRORS];
    double waiting, moving; /* frames */
    double least_clear, worst_jump, worst_slide, seconds, search_s;
} tally;

/* Frames in which the body is to wait: it came near the next goal a while ago. */
static void count_waits(const task *of, const marey_clip *clip, tally *t)
{
    int hips = marey_clip_skeleton(clip)->roles[MAREY_ROLE_HIPS];
    int frames = marey_clip_frames(clip), goal = 0, near = -1;
    double fps = marey_clip_fps(clip);
    size_t wide = 3 * (size_t)marey_clip_skeleton(clip)->joint_count;
    double *p = calloc((size_t)frames * wide, sizeof *p);
    if (!p) exit(1);
    marey_clip_positions(clip, 0, frames, p);
    int half = (int)fmax(1, round(0.05 * fps));
    for (int f = half; f + half < frames && goal < of->goal_count; f++) {
        const marey_walk_goal *to = &of->goals[goal];
        const double *at = p + (size_t)f * wide + 3 * hips;
        const double *a = at - (size_t)half * wide, *b = at + (size_t)half * wide;
        if (near < 0 && hypot(at[0] - to->x_cm, at[2] - to->z_cm) < NEAR_CM) near = f;
        if (near >= 0 && f >= near + SETTLE_S * fps && f + half < to->at_s * fps) {
            t->waiting++;
            t->moving += hypot(b[0] - a[0], b[2] - a[2]) / (2 * half) * fps > WAITS_CM_S;
        }
        if (f >= to->at_s * fps) {
            goal++;
            near = -1;
        }
    }
    free(p);
}

static void judge(const lab *of, const marey_graph *graph, const marey_walk *walk, const task *what,
                  const marey_walk_def *def, tally *t)
{
    marey_goal_reached reached[MOST_GOALS];
    marey_made made;
    marey_walk_made about;
    marey_error error;
    double clear;
    lab_need(marey_walk_make(of->ctx, graph, walk, NULL, &made, &about, &error), &error);
    lab_need(marey_walk_reached(of->ctx, graph, made.clip, def, reached, &clear, &error), &error);
    for (int i = 0; i < what->goal_count; i++) {
        t->cm[t->goals++] = reached[i].error_cm;
        if (what->goals[i].heading_given)
            t->degrees[t->angle_count++] = reached[i].error_rad * 180 / PI;
    }
    t->arrived += walk->arrived;
    t->entered += clear < 0;
    t->arrived_entered += walk->arrived && clear < 0;
    if (!isnan(clear)) t->least_clear = fmin(t->least_clear, clear);
    t->jumps += about.jump_ratio > MAREY_GRAPH_JUMP;
    t->worst_jump = fmax(t->worst_jump, about.jump_ratio);
    t->slides += made.clean.slide_after_cm > SLIDE_CM;
    t->worst_slide = fmax(t->worst_slide, made.clean.slide_after_cm);
    t->seconds += walk->count / marey_graph_fps(graph);
    count_waits(what, made.clip, t);
    marey_made_free(&made);
}

static double part_of(double *values, int count, double share)
{
    if (count == 0) return NAN;
    qsort(values, (size_t)count, sizeof *values, by_size);
    return values[(int)(share * (count - 1))];
}

static void try_graph(const lab *of, const marey_graph *graph, const char *name)
{
    static tally t;
    uint64_t seed = 11;
    double usual = usual_speed(graph);
    t = (tally){ .least_clear = INFINITY };
    for (int i = 0; i < TASKS; i++) {
        task one = draw_task(&seed, usual);
        marey_walk_def def = { .kind = MAREY_WALK_GOALS,
                               .goals = one.goals,
                               .goal_count = one.goal_count,
                               .obstacles = one.obstacles,
                               .obstacle_count = one.obstacle_count };
        marey_walk walk;
        int left = 0;
        double began = lab_cpu_s();
        if (!lab_walk_seen(of, graph, def, &walk, &left)) {
            t.refused++;
            continue;
        }
        t.search_s += lab_cpu_s() - began;
        t.walks++;
        t.told += left > 0;
        t.faults += left;
        judge(of, graph, &walk, &one, &def, &t);
        marey_walk_free(&walk);
    }
    printf("| %s | %d, %.0f s | %d | %.1f, %.1f | %.1f, %.1f | %.0f, %.1f %% | %d, %d | %.0f | %d "
           "(%.2f) | %d (%.3f) | %d, %d | %.2f |\n",
           name, t.walks, t.seconds, t.arrived, part_of(t.cm, t.goals, 0.5),
           part_of(t.cm, t.goals, 0.95), part_of(t.degrees, t.angle_count, 0.5),
           part_of(t.degrees, t.angle_count, 0.95), t.waiting, 100 * t.moving / fmax(t.waiting, 1),
           t.entered, t.arrived_entered, t.least_clear, t.jumps, t.worst_jump, t.slides,
           t.worst_slide, t.told, t.faults, t.search_s / t.seconds);
    fflush(stdout);
}

/* Of the library that run.sh copied, by their names. */
static void load_clips(const lab *of, const char *const *names, lab_set *set)
{
    char path[2048];
    marey_library *library;
    marey_error error;
    snprintf(path, sizeof path, "%s/clips.marey", of->folder);
    lab_need(marey_library_open(of->ctx, path, MAREY_LIBRARY_READ, &library, &error), &error);
    for (; *names; names++) {
        snprintf(set->names[set->count], sizeof set->names[0], "%s", *names);
        lab_need(marey_library_load(library, *names, &set->clips[set->count++], &error), &error);
    }
    marey_library_close(library);
}

static void try_clips(const lab *of, const char *const *names, const char *what)
{
    lab_set set = { 0 };
    load_clips(of, names, &set);
    marey_graph *graph = lab_build(of, &set, set.count, (marey_graph_def){ 0 }, NULL);
    try_graph(of, graph, what);
    marey_graph_free(graph);
    lab_set_free(&set);
}

void part_goals(const lab *of)
{
    static const char *const walks[] = { "16_12", "16_13", "16_15", "16_18", "16_21", "16_23",
                                         "16_24", "16_26", "16_27", "16_29", "16_30", "16_32",
                                         "16_33", "16_47", "16_58", NULL };
    printf(
        "\n## Goals at times\n\n"
        "%d random tasks a graph: 1 to %d goals, half of them with a wait and half with a heading, "
        "in two thirds of the tasks 1 to %d obstacles. Errors are those of the body in the clip "
        "that was made, at the goals' times. Waiting: the body came within %.0f cm of its next "
        "goal more than %.0f s ago; moving: the hips, faster than %.0f cm/s. Time is that of the "
        "processor, with all searches that look for a walk without faults.\n\n"
        "| graph | walks | arrived | error cm, median and p95 | error degrees, median and p95 | "
        "waiting frames, moving | entered an obstacle, and said arrived | least clearance cm | "
        "jump over 1.1 | slide over 0.3 cm | walks with faults left, faults | search s a s of walk "
        "|\n"
        "|---|---|---|---|---|---|---|---|---|---|---|---|\n",
        TASKS, MOST_GOALS, MOST_OBSTACLES, NEAR_CM, SETTLE_S, WAITS_CM_S);
    try_clips(of, walks, "walks and turns (16)");
}

void part_goals_stops(const lab *of)
{
    static const char *const stops[] = {
        "82_08", "82_09", "82_11", "82_12", "82_14", "82_15", NULL
    };
    try_clips(of, stops, "walks and stops (82)");
}
