/* solve_experiment.c - rotations of real clips are forgotten, and found again from the places of
   their joints alone; the same with noise and gaps.

   usage: solve_experiment --SET FILE... --SET FILE..., a table of all sets on standard output. Of a
   set whose name ends in "/2" every second clip is counted by itself: settings were chosen on these.
   With SOLVE_VERBOSE set every joint that turns faster than 1.2 times its source is named. */
#include <marey/marey.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_SETS = 8, BURST = 8 };

typedef struct sums {
    char name[60];
    int clips, joints, faster, left_out;
    double frames, error_sum, error_count, worst_turn;
    double noisy_sum, noisy_count, seconds, noisy_seconds, noise_cm;
    double *errors;
    size_t count, room;
    char worst[200];
} sums;

static uint64_t seed = 1;

static double chance(void)
{
    seed += 0x9e3779b97f4a7c15u;
    uint64_t z = seed;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    return ((double)(z >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(void)
{
    return sqrt(-2 * log(chance())) * cos(6.283185307179586 * chance());
}

static double cpu_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* World rotations of a frame, joints x 4. */
static void world(const marey_clip *clip, int frame, double *out)
{
    const marey_skeleton *skeleton = marey_clip_skeleton(clip);
    const float *own = marey_clip_rotations(clip, frame);
    for (int j = 0; j < skeleton->joint_count; j++) {
        int parent = skeleton->joints[j].parent;
        const double one[4] = { 1, 0, 0, 0 }, *a = parent < 0 ? one : out + 4 * parent;
        const float *b = own + 4 * j;
        double *q = out + 4 * j;
        q[0] = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
        q[1] = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2];
        q[2] = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1];
        q[3] = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0];
    }
}

/* The largest turn of every joint from one frame to the next, degrees a second; marked frames of
   the source are left out. `local`: below the joint above. */
static void peaks(const marey_clip *clip, const marey_clip *source, bool local, double *out)
{
    int joints = marey_clip_skeleton(clip)->joint_count, marks;
    const marey_mark *mark = marey_clip_marks(source, &marks);
    double *now = malloc(sizeof *now * 4 * (size_t)joints),
           *last = malloc(sizeof *last * 4 * (size_t)joints);
    if (!now || !last) exit(1);
    for (int j = 0; j < joints; j++) out[j] = 0;
    for (int f = 0; f < marey_clip_frames(clip); f++) {
        if (local)
            for (int i = 0; i < 4 * joints; i++) now[i] = marey_clip_rotations(clip, f)[i];
        else
            world(clip, f, now);
        bool marked = f == 0;
        for (int i = 0; i < marks; i++) marked |= f >= mark[i].start && f <= mark[i].end;
        for (int j = 0; j < joints && !marked; j++) {
            const double *a = now + 4 * j, *b = last + 4 * j;
            /* The angle by the sine of its half, exact for small ones. */
            double w = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
            double x = -a[0] * b[1] + a[1] * b[0] - a[2] * b[3] + a[3] * b[2];
            double y = -a[0] * b[2] + a[1] * b[3] + a[2] * b[0] - a[3] * b[1];
            double z = -a[0] * b[3] - a[1] * b[2] + a[2] * b[1] + a[3] * b[0];
            double turn = 2 * atan2(sqrt(x * x + y * y + z * z), fabs(w));
            out[j] = fmax(out[j], turn * 57.29577951 * marey_clip_fps(clip));
        }
        double *swap = now;
        now = last;
        last = swap;
    }
    free(now);
    free(last);
}

/* Does anything at another place hang on it? */
static bool is_told(const marey_skeleton *s, int joint)
{
    for (int j = joint + 1; j < s->joint_count; j++) {
        const double *o = s->joints[j].offset_cm;
        if (s->joints[j].parent == joint && sqrt(o[0] * o[0] + o[1] * o[1] + o[2] * o[2]) > 0.05)
            return true;
    }
    return false;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void measure(marey_ctx *ctx, const char *path, sums *to, bool verbose)
{
    marey_clip *source = NULL, *solved = NULL;
    marey_error error;
    if (marey_clip_load(ctx, path, NULL, &source, &error)) {
        fprintf(stderr, "%s\n", error.message);
        exit(1);
    }
    const marey_skeleton *skeleton = marey_clip_skeleton(source);
    int joints = skeleton->joint_count, frames = marey_clip_frames(source);
    size_t row = (size_t)joints * 3, all = row * (size_t)frames;
    double *at = malloc(sizeof *at * all);
    float *points = malloc(sizeof *points * all);
    const char **names = malloc(sizeof *names * (size_t)joints);
    int *parents = malloc(sizeof *parents * (size_t)joints);
    if (!at || !points || !names || !parents) exit(1);
    marey_clip_positions(source, 0, frames, at);
    for (int j = 0; j < joints; j++) {
        names[j] = skeleton->joints[j].name;
        parents[j] = skeleton->joints[j].parent;
    }
    marey_points given = { .name = marey_clip_name(source),
                           .format = "npz",
                           .frames = frames,
                           .count = joints,
                           .fps = marey_clip_fps(source),
                           .names = names,
                           .at = points,
                           .parents = parents,
                           .units = MAREY_UNITS_CM,
                           .up = MAREY_UP_Y };
    for (int noisy = 0; noisy < 2; noisy++) {
        marey_solve_report report;
        for (size_t i = 0; i < all; i++) points[i] = (float)(at[i] + noisy * normal());
        for (int j = 0; j < joints && noisy; j++)
            for (int f = 0; f < frames; f++) {
                if (chance() > 0.05 / BURST) continue;
                for (int k = 0; k < BURST && f < frames; k++, f++)
                    for (int i = 0; i < 3; i++)
                        points[(size_t)f * row + 3 * (size_t)j + (size_t)i] = NAN;
            }
        double start = cpu_s();
        if (marey_points_solve(ctx, &given, NULL, &solved, &report, &error)) {
            fprintf(stderr, "%s: %s\n", path, error.message);
            exit(1);
        }
        *(noisy ? &to->noisy_seconds : &to->seconds) += cpu_s() - start;
        const marey_skeleton *made = marey_clip_skeleton(solved);
        int *number = malloc(sizeof *number * (size_t)made->joint_count);
        double *places = malloc(sizeof *places * 3 * (size_t)made->joint_count * (size_t)frames);
        if (!number || !places) exit(1);
        marey_clip_positions(solved, 0, frames, places);
        double sum = 0, count = 0;
        for (int j = 0; j < made->joint_count; j++) {
            number[j] = -1;
            for (int k = 0; k < joints; k++)
                if (strcmp(names[k], made->joints[j].name) == 0) number[j] = k;
            for (int f = 0; f < frames && number[j] >= 0; f++) {
                const double *a = places + 3 * ((size_t)f * (size_t)made->joint_count + (size_t)j);
                const double *b = at + (size_t)f * row + 3 * (size_t)number[j];
                double off = sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) +
                                  (a[2] - b[2]) * (a[2] - b[2]));
                sum += off;
                count++;
                if (noisy) continue;
                if (to->count == to->room) {
                    to->room = to->room ? 2 * to->room : 1 << 20;
                    to->errors = realloc(to->errors, to->room * sizeof *to->errors);
                    if (!to->errors) exit(1);
                }
                to->errors[to->count++] = off;
            }
        }
        if (noisy) {
            to->noisy_sum += sum;
            to->noisy_count += count;
            to->noise_cm += report.noise_cm;
        } else {
            double *was = malloc(sizeof *was * (size_t)joints),
                   *is = malloc(sizeof *is * (size_t)made->joint_count);
            if (!was || !is) exit(1);
            for (int local = 0; local < 2; local++) {
                peaks(source, source, local, was);
                peaks(solved, source, local, is);
                for (int j = 0; j < made->joint_count; j++) {
                    int k = number[j];
                    if (k < 0 || !is_told(skeleton, k)) {
                        to->left_out += !local;
                        continue;
                    }
                    double ratio = is[j] / fmax(was[k], 10);
                    if (!local) to->joints++;
                    if (!local && ratio > 1.2) to->faster++;
                    if (verbose && ratio > (local ? 2 : 1.2))
                        fprintf(stderr, "%s %s %s: %.0f, source %.0f (%.2f)\n",
                                marey_clip_name(source), made->joints[j].name,
                                local ? "local" : "world", is[j], was[k], ratio);
                    if (local || ratio <= to->worst_turn) continue;
                    to->worst_turn = ratio;
                    snprintf(to->worst, sizeof to->worst, "%s %s", marey_clip_name(source),
                             made->joints[j].name);
                }
            }
            free(was);
            free(is);
            to->error_sum += sum;
            to->error_count += count;
            to->clips++;
            to->frames += frames;
            if (verbose)
                fprintf(stderr, "%-40s mean %.4f cm, noise %.4f\n", marey_clip_name(source),
                        sum / count, report.noise_cm);
        }
        free(number);
        free(places);
        marey_clip_free(solved);
        marey_solve_report_free(&report);
    }
    free(at);
    free(points);
    free(names);
    free(parents);
    marey_clip_free(source);
}

int main(int count, char **arguments)
{
    marey_ctx *ctx;
    sums sets[2 * MOST_SETS] = { 0 };
    int used = 0, number = 0;
    bool halves = false, verbose = getenv("SOLVE_VERBOSE") != NULL;
    if (marey_ctx_open(&(marey_ctx_def){ .threads = 1 }, &ctx)) return 1;
    for (int i = 1; i < count; i++) {
        if (strncmp(arguments[i], "--", 2) == 0) {
            if (used == MOST_SETS) return 2;
            size_t length = strlen(arguments[i]);
            halves = length > 4 && strcmp(arguments[i] + length - 2, "/2") == 0;
            for (int half = 0; half < 2; half++)
                snprintf(sets[2 * used + half].name, sizeof sets->name, "%.*s%s",
                         (int)(length < 32 ? length : 32) - 2 - 2 * halves, arguments[i] + 2,
                         half ? "" : ", chosen on");
            used++;
            number = 0;
        } else if (used > 0) {
            int half = halves ? number++ % 2 : 1;
            measure(ctx, arguments[i], &sets[2 * (used - 1) + half], verbose);
        }
    }
    printf(
        "| clips | number | mean error, cm | p99, cm | joints faster than 1.2 x | fastest, x | "
        "left out | with noise and gaps, cm | noise found, cm | frames/s a core | … with noise |\n"
        "|---|---|---|---|---|---|---|---|---|---|---|\n");
    for (int half = 1; half >= 0; half--) {
        for (int i = 0; i < used; i++) {
            sums *to = &sets[2 * i + half];
            if (to->clips == 0) continue;
            qsort(to->errors, to->count, sizeof *to->errors, by_value);
            printf("| %s | %d | %.4f | %.4f | %d of %d | %.2f (%s) | %d | %.3f | %.3f | "
                   "%.0f | %.0f |\n",
                   to->name, to->clips, to->error_sum / to->error_count,
                   to->errors[(size_t)(0.99 * (double)(to->count - 1))], to->faster, to->joints,
                   to->worst_turn, to->worst, to->left_out, to->noisy_sum / to->noisy_count,
                   to->noise_cm / to->clips, to->frames / to->seconds,
                   to->frames / to->noisy_seconds);
            free(to->errors);
        }
    }
    marey_ctx_close(ctx);
    return 0;
}
