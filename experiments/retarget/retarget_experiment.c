/* retarget_experiment.c - the motion of real clips goes onto other bodies and back again.

   usage: retarget_experiment --SET FILE... --SET FILE..., a table of all pairs of sets on standard
   output. A clip of one set goes onto the clip of the other set that has its place in the list, so
   that many targets are tried. */
#include <marey/marey.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_SETS = 8, MOST_CLIPS = 100 };

typedef struct set {
    const char *name;
    marey_clip *clips[MOST_CLIPS];
    int count;
} set;

typedef struct sums {
    int clips, refused;
    double *errors;
    size_t count, room;
    double sum, slide, penetration, speed, reach, seconds, frames;
    char fastest[100], deepest[100];
} sums;

static void must(bool holds, const char *what)
{
    if (holds) return;
    fprintf(stderr, "retarget_experiment: %s\n", what);
    exit(3);
}

static double cpu_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double apart(const double *a, const double *b)
{
    double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
    return sqrt(x * x + y * y + z * z);
}

/* The fastest step of any joint that has a role in both bodies, cm a frame. */
static double peak(const marey_clip *clip, const marey_skeleton *other)
{
    const marey_skeleton *skeleton = marey_clip_skeleton(clip);
    size_t size = 3 * (size_t)skeleton->joint_count;
    double *now = malloc(2 * size * sizeof *now), *before = now + size, most = 0;
    must(now != NULL, "no memory");
    for (int f = 0; f < marey_clip_frames(clip); f++) {
        memcpy(before, now, size * sizeof *now);
        marey_clip_positions(clip, f, 1, now);
        for (int r = 0; r < MAREY_ROLE_COUNT && f > 0; r++) {
            int j = skeleton->roles[r];
            if (j < 0 || other->roles[r] < 0) continue;
            most = fmax(most, apart(now + 3 * j, before + 3 * j));
        }
    }
    free(now);
    return most;
}

static void compare_back(const marey_clip *was, const marey_clip *is, const marey_skeleton *other,
                         sums *s)
{
    const marey_skeleton *skeleton = marey_clip_skeleton(was);
    size_t size = 3 * (size_t)skeleton->joint_count;
    double *a = malloc(2 * size * sizeof *a), *b = a + size;
    must(a != NULL, "no memory");
    for (int f = 0; f < marey_clip_frames(was); f++) {
        marey_clip_positions(was, f, 1, a);
        marey_clip_positions(is, f, 1, b);
        for (int r = 0; r < MAREY_ROLE_COUNT; r++) {
            int j = skeleton->roles[r];
            if (j < 0 || other->roles[r] < 0) continue;
            if (s->count == s->room) {
                s->room = s->room ? 2 * s->room : 1 << 20;
                s->errors = realloc(s->errors, s->room * sizeof *s->errors);
                must(s->errors != NULL, "no memory");
            }
            s->sum += s->errors[s->count++] = apart(a + 3 * j, b + 3 * j);
        }
    }
    free(a);
}

static void try_pair(const marey_clip *clip, const marey_clip *onto, sums *s)
{
    marey_clip *made = NULL, *back = NULL, *clean = NULL;
    marey_retarget_result result;
    marey_contacts feet = { 0 };
    marey_quality quality;
    marey_error error;
    must(marey_contacts_find(clip, NULL, &feet) == MAREY_OK, "no memory");
    double start = cpu_s();
    if (marey_clip_retarget(clip, feet.items, feet.count, onto, NULL, &made, &result, &error) !=
        MAREY_OK) {
        fprintf(stderr, "%s: %s\n", marey_clip_name(clip), error.message);
        s->refused++;
        marey_contacts_free(&feet);
        return;
    }
    s->seconds += cpu_s() - start;
    s->frames += marey_clip_frames(clip);
    s->clips++;
    s->reach += result.reach_percent;
    must(marey_clip_retarget(made, feet.items, feet.count, clip, NULL, &back, NULL, &error) ==
                 MAREY_OK &&
             marey_clip_clean(clip, feet.items, feet.count, NULL, &clean, NULL, &error) ==
                 MAREY_OK &&
             marey_clip_quality(made, feet.items, feet.count, &quality) == MAREY_OK,
         error.message);
    compare_back(clean, back, marey_clip_skeleton(onto), s);
    double speed = peak(made, marey_clip_skeleton(clip)) / result.leg_ratio /
                   peak(clean, marey_clip_skeleton(onto));
    if (speed > s->speed) {
        s->speed = speed;
        snprintf(s->fastest, sizeof s->fastest, "%s", marey_clip_name(clip));
    }
    if (quality.penetration_cm > s->penetration) {
        s->penetration = quality.penetration_cm;
        snprintf(s->deepest, sizeof s->deepest, "%s", marey_clip_name(clip));
    }
    s->slide = fmax(s->slide, quality.slide_max_cm);
    marey_contacts_free(&feet);
    marey_clip_free(clean);
    marey_clip_free(back);
    marey_clip_free(made);
}

int main(int count, char **words)
{
    static set sets[MOST_SETS];
    int set_count = 0;
    marey_ctx *ctx = NULL;
    must(marey_ctx_open(&(marey_ctx_def){ .threads = 1 }, &ctx) == MAREY_OK, "no memory");
    for (int i = 1; i < count; i++) {
        marey_clip *clip = NULL, *captured = NULL;
        marey_error error = { 0 };
        if (strncmp(words[i], "--", 2) == 0) {
            must(set_count < MOST_SETS, "too many sets");
            sets[set_count++].name = words[i] + 2;
            continue;
        }
        must(set_count > 0, "a set comes first");
        set *to = &sets[set_count - 1];
        if (to->count == MOST_CLIPS) continue;
        if (marey_motion_load(ctx, words[i], NULL, &clip, &error) != MAREY_OK ||
            marey_clip_unmarked(clip, NULL, &captured, &error) != MAREY_OK) {
            fprintf(stderr, "%s: %s\n", words[i], error.message);
            continue;
        }
        marey_clip_free(clip);
        to->clips[to->count++] = captured;
    }
    printf("| from | onto | clips | back: mean, cm | p99, cm | slide, cm | into the floor, cm | "
           "peak speed, x | reach, %% | frames/s |\n"
           "|---|---|---|---|---|---|---|---|---|---|\n");
    for (int a = 0; a < set_count; a++) {
        for (int b = 0; b < set_count; b++) {
            sums s = { 0 };
            if (a == b || sets[b].count == 0) continue;
            for (int i = 0; i < sets[a].count; i++)
                try_pair(sets[a].clips[i], sets[b].clips[i % sets[b].count], &s);
            if (s.count == 0) continue;
            qsort(s.errors, s.count, sizeof *s.errors, compare);
            printf("| %s | %s | %d | %.2f | %.2f | %.2f | %.2f (%s) | %.2f (%s) | %.1f | %.0f |\n",
                   sets[a].name, sets[b].name, s.clips, s.sum / (double)s.count,
                   s.errors[(size_t)(0.99 * (double)s.count)], s.slide, s.penetration, s.deepest,
                   s.speed, s.fastest, s.reach / s.clips, s.frames / s.seconds);
            fflush(stdout);
            free(s.errors);
        }
    }
    for (int a = 0; a < set_count; a++)
        for (int i = 0; i < sets[a].count; i++) marey_clip_free(sets[a].clips[i]);
    marey_ctx_close(ctx);
    return 0;
}
