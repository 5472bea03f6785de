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

/* The highest of all clips, whose it is, and how many are over what is asked. */
typedef struct worst {
    double asked, value;
    char clip[60];
    int over;
} worst;

typedef struct sums {
    int clips, refused;
    double *errors;
    size_t count, room;
    double sum, reach, seconds, frames, plants, same_plants;
    worst slide, floor, speed, heading, path;
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

static void take(worst *to, double value, const marey_clip *clip)
{
    to->over += value > to->asked;
    if (!(value > to->value)) return;
    to->value = value;
    snprintf(to->clip, sizeof to->clip, "%s", marey_clip_name(clip));
}

/* From the right to the left hip, and their middle, of one frame. */
static void see_hips(const marey_clip *clip, int frame, double *places, double *left,
                     double *middle)
{
    const marey_skeleton *skeleton = marey_clip_skeleton(clip);
    marey_clip_positions(clip, frame, 1, places);
    const double *l = places + 3 * skeleton->roles[MAREY_ROLE_LEFT_HIP];
    const double *r = places + 3 * skeleton->roles[MAREY_ROLE_RIGHT_HIP];
    for (int i = 0; i < 3; i++) {
        left[i] = l[i] - r[i];
        middle[i] = (l[i] + r[i]) / 2;
    }
}

/* How differently bodies face, degrees at most, while they are not on their side; and how much longer
   or shorter the way along the floor is than it should be, in per cent, if it is one. */
static void compare_ways(const marey_clip *was, const marey_clip *is, double ratio, double *heading,
                         double *path)
{
    int joints = marey_clip_skeleton(was)->joint_count,
        others = marey_clip_skeleton(is)->joint_count;
    double *places = malloc(3 * sizeof *places * (size_t)(joints > others ? joints : others));
    double ways[2] = { 0, 0 }, before[2][3] = { { 0 } };
    must(places != NULL, "no memory");
    *heading = *path = 0;
    for (int f = 0; f < marey_clip_frames(was); f++) {
        double left[2][3], middle[2][3];
        bool upright = true;
        for (int i = 0; i < 2; i++) {
            see_hips(i ? is : was, f, places, left[i], middle[i]);
            double flat = hypot(left[i][0], left[i][2]);
            upright = upright && flat > 2 * fabs(left[i][1]);
            if (f > 0) ways[i] += hypot(middle[i][0] - before[i][0], middle[i][2] - before[i][2]);
            memcpy(before[i], middle[i], sizeof before[i]);
        }
        double turn = atan2(left[1][0], left[1][2]) - atan2(left[0][0], left[0][2]);
        if (upright) *heading = fmax(*heading, fabs(remainder(turn, 2 * M_PI)) * 180 / M_PI);
    }
    if (ways[0] > 100) *path = 100 * fabs(ways[1] / ratio / ways[0] - 1);
    free(places);
}

/* Frames in which a heel is planted: of the source, and of both as they are found. */
static void compare_plants(const marey_contacts *was, const marey_clip *made, sums *s)
{
    marey_contacts is = { 0 };
    must(marey_contacts_find(made, NULL, &is) == MAREY_OK, "no memory");
    for (int a = 0; a < was->count; a++) {
        const marey_contact *x = &was->items[a];
        if (x->joint != MAREY_CONTACT_LEFT_HEEL && x->joint != MAREY_CONTACT_RIGHT_HEEL) continue;
        s->plants += x->end - x->start;
        for (int b = 0; b < is.count; b++) {
            const marey_contact *y = &is.items[b];
            if (y->joint != x->joint) continue;
            int start = x->start > y->start ? x->start : y->start,
                end = x->end < y->end ? x->end : y->end;
            if (end > start) s->same_plants += end - start;
        }
    }
    marey_contacts_free(&is);
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
    marey_quality quality, own;
    marey_error error;
    must(marey_contacts_find(clip, NULL, &feet) == MAREY_OK, "no memory");
    double start = cpu_s(), heading, path;
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
             marey_clip_quality(made, feet.items, feet.count, &quality) == MAREY_OK &&
             marey_clip_quality(clean, feet.items, feet.count, &own) == MAREY_OK,
         error.message);
    compare_back(clean, back, marey_clip_skeleton(onto), s);
    compare_ways(clean, made, result.leg_ratio, &heading, &path);
    compare_plants(&feet, made, s);
    take(&s->slide, quality.slide_max_cm, clip);
    take(&s->floor, quality.penetration_cm - result.leg_ratio * own.penetration_cm, clip);
    take(&s->speed, result.speed_ratio, clip);
    take(&s->heading, heading, clip);
    take(&s->path, path, clip);
    marey_contacts_free(&feet);
    marey_clip_free(clean);
    marey_clip_free(back);
    marey_clip_free(made);
}

static void print_pair(const set *from, const set *onto)
{
    sums s = {
        .slide = { 0.3 }, .floor = { 0.5 }, .speed = { 1.1 }, .heading = { 1 }, .path = { 1 }
    };
    for (int i = 0; i < from->count; i++)
        try_pair(from->clips[i], onto->clips[i % onto->count], &s);
    if (s.count > 0) {
        qsort(s.errors, s.count, sizeof *s.errors, compare);
        const worst *all[] = { &s.slide, &s.floor, &s.speed, &s.heading, &s.path };
        printf("| %s | %s | %d | %.2f | %.2f |", from->name, onto->name, s.clips,
               s.sum / (double)s.count, s.errors[(size_t)(0.99 * (double)s.count)]);
        for (int i = 0; i < 5; i++) {
            printf(" %.2f", all[i]->value);
            if (all[i]->over) printf(" (%d: %s)", all[i]->over, all[i]->clip);
            printf(" |");
        }
        printf(" %.1f | %.2f | %.0f |\n", s.reach / s.clips, s.same_plants / fmax(1, s.plants),
               s.frames / s.seconds);
        fflush(stdout);
    }
    free(s.errors);
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
           "peak speed, x | heading, degrees | path, %% | reach, %% | plants | frames/s |\n"
           "|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
    for (int a = 0; a < set_count; a++)
        for (int b = 0; b < set_count; b++)
            if (a != b && sets[b].count > 0) print_pair(&sets[a], &sets[b]);
    for (int a = 0; a < set_count; a++)
        for (int i = 0; i < sets[a].count; i++) marey_clip_free(sets[a].clips[i]);
    marey_ctx_close(ctx);
    return 0;
}
