/* sweep_transitions.c - the best transition from every CMU clip to every other whose best cut costs
   less than the default limit: how far joints jump, feet slide and knees speed up in it, against
   what they do in the clips themselves. usage: sweep_transitions MOCAP [LINES]. Prints tables;
   LINES gets a line for every transition. Exit status 77: no clips. */
#include <marey/marey.h>

#include <glob.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MISSING = 77, WORST = 12 };

typedef struct source {
    marey_clip *clip;
    marey_contacts plants;
    double step, knee; /* the largest of a joint, of a knee, cm a second */
} source;

typedef struct result {
    int a, b; /* numbers of clips */
    marey_cut cut;
    double jump, knee; /* ratios */
    double slide_before, slide_after;
    double root; /* cm that the clean-up moved it */
    int half;
} result;

typedef struct sweep {
    marey_ctx *ctx;
    int clips;
    source *sources;
    int pairs, count;
    result *results;
    double find_s, make_s;
    FILE *lines;
} sweep;

static void must(marey_status status, const marey_error *error)
{
    if (status == MAREY_OK) return;
    fprintf(stderr, "sweep_transitions: %s\n", error->message);
    exit(1);
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- measures -------------------------------------------------------------------------------- */

static bool is_marked(const marey_clip *clip, int frame)
{
    int count;
    const marey_mark *marks = marey_clip_marks(clip, &count);
    for (int m = 0; m < count; m++) {
        if (frame >= marks[m].start && frame < marks[m].end) return true;
    }
    return false;
}

static double distance(const double *a, const double *b)
{
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) +
                (a[2] - b[2]) * (a[2] - b[2]));
}

/* The largest steps of any joint and of a knee between captured frames in a row, cm a second. */
static void fastest(const marey_clip *clip, double *step, double *knee)
{
    const marey_skeleton *skeleton = marey_clip_skeleton(clip);
    int joints = skeleton->joint_count, frames = marey_clip_frames(clip);
    int knees[2] = { skeleton->roles[MAREY_ROLE_LEFT_KNEE],
                     skeleton->roles[MAREY_ROLE_RIGHT_KNEE] };
    double *p = malloc((size_t)frames * (size_t)joints * 3 * sizeof *p);
    if (!p) exit(1);
    marey_clip_positions(clip, 0, frames, p);
    *step = *knee = 0;
    for (int f = 1; f < frames; f++) {
        if (is_marked(clip, f - 1) || is_marked(clip, f)) continue;
        const double *from = p + (size_t)(f - 1) * (size_t)joints * 3, *to = from + 3 * joints;
        for (int j = 0; j < joints; j++) {
            double here = distance(from + 3 * j, to + 3 * j) * marey_clip_fps(clip);
            *step = fmax(*step, here);
            if (j == knees[0] || j == knees[1]) *knee = fmax(*knee, here);
        }
    }
    free(p);
}

/* The largest drift of the plants that reach into the transition. */
static double slide(const marey_made *made)
{
    double worst = 0;
    for (int n = 0; n < made->contacts.count; n++) {
        const marey_contact *plant = &made->contacts.items[n];
        marey_quality quality;
        if (plant->start >= made->from_b_start || plant->end <= made->from_a_end) continue;
        if (marey_clip_quality(made->clip, plant, 1, &quality) != MAREY_OK) exit(1);
        worst = fmax(worst, quality.slide_max_cm);
    }
    return worst;
}

/* The fastest of both inputs, the second on the first one's bones as it is in the transition: on
   longer legs the same turns make longer steps. */
static void fit_step(const source *from, const source *to, double *step, double *knee)
{
    marey_error error;
    marey_clip *fitted;
    must(marey_clip_refit(to->clip, from->clip, &fitted, &error), &error);
    fastest(fitted, step, knee);
    *step = fmax(*step, from->step);
    *knee = fmax(*knee, from->knee);
    marey_clip_free(fitted);
}

/* ---- one transition -------------------------------------------------------------------------- */

static void measure(sweep *s, int a, int b, marey_cut cut)
{
    marey_error error;
    marey_made made, plain;
    const source *from = &s->sources[a], *to = &s->sources[b];
    marey_contacts plants[2] = { from->plants, to->plants };
    marey_transition_def leave = { .leave_feet = true };
    result r = { .a = a, .b = b, .cut = cut };
    double start = seconds(), step, knee, own_step, own_knee;
    must(marey_transition_make(s->ctx, from->clip, cut.a, to->clip, cut.b, plants, NULL, &made,
                               &error),
         &error);
    s->make_s += seconds() - start;
    must(marey_transition_make(s->ctx, from->clip, cut.a, to->clip, cut.b, plants, &leave, &plain,
                               &error),
         &error);
    fit_step(from, to, &own_step, &own_knee);
    fastest(made.clip, &step, &knee);
    r.jump = step / own_step;
    r.knee = knee / own_knee;
    r.slide_before = slide(&plain);
    r.slide_after = slide(&made);
    r.root = made.clean.root_moved_cm;
    r.half = (made.from_b_start - made.from_a_end - 1) / 2;
    s->results[s->count++] = r;
    if (s->lines) {
        fastest(plain.clip, &step, &knee);
        fprintf(s->lines,
                "%s %s %d %d %.2f half %d jump %.3f (%.3f) knee %.3f (%.3f) slide %.2f (%.2f) root "
                "%.2f at %d-%d\n",
                marey_clip_name(from->clip), marey_clip_name(to->clip), cut.a, cut.b, cut.cost,
                r.half, r.jump, step / own_step, r.knee, knee / own_knee, r.slide_after,
                r.slide_before, r.root, made.from_a_end, made.from_b_start);
    }
    marey_made_free(&made);
    marey_made_free(&plain);
}

/* Point clouds are as far from each other both ways, so the way back has the same best cut. */
static void measure_pair(sweep *s, int a, int b)
{
    marey_error error;
    marey_cut cut;
    int found;
    double start = seconds();
    must(marey_cuts_find(s->ctx, s->sources[a].clip, s->sources[b].clip, NULL, 1, &cut, &found,
                         &error),
         &error);
    s->find_s += seconds() - start;
    s->pairs += 2;
    if (!found) return;
    measure(s, a, b, cut);
    measure(s, b, a, (marey_cut){ cut.b, cut.a, cut.cost });
}

/* ---- tables ---------------------------------------------------------------------------------- */

static int rising(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void print_row(const char *what, double *values, int count, double limit)
{
    int over = 0;
    qsort(values, (size_t)count, sizeof *values, rising);
    for (int n = 0; n < count; n++) over += values[n] > limit;
    printf("| %s | %.3f | %.3f | %.3f | %.3f | %g | %d |\n", what, values[count / 2],
           values[count * 95 / 100], values[count * 99 / 100], values[count - 1], limit, over);
}

static int by_jump(const void *a, const void *b)
{
    double x = ((const result *)a)->jump, y = ((const result *)b)->jump;
    return (x < y) - (x > y);
}

static void print(sweep *s)
{
    int count = s->count;
    double *values = malloc((size_t)(count + 1) * sizeof *values);
    if (!values) exit(1);
    printf("%d clips, %d ordered pairs, %d of them with a cut under %g cm2.\n\n", s->clips,
           s->pairs, count, MAREY_CUT_LIMIT);
    if (count > 0) {
        printf("| | median | 95 %% | 99 %% | largest | asked | over it "
               "|\n|---|---|---|---|---|---|---|\n");
        for (int n = 0; n < count; n++) values[n] = s->results[n].jump;
        print_row("jump ratio", values, count, 1.1);
        for (int n = 0; n < count; n++) values[n] = s->results[n].knee;
        print_row("knee speed ratio", values, count, 1.5);
        for (int n = 0; n < count; n++) values[n] = s->results[n].slide_after;
        print_row("slide of a plant, cm", values, count, 0.3);
        for (int n = 0; n < count; n++) values[n] = s->results[n].slide_before;
        print_row("the same before clean-up", values, count, 0.3);
    }
    qsort(s->results, (size_t)count, sizeof *s->results, by_jump);
    printf("\n| from | to | cut | cost | jump | knee | slide |\n|---|---|---|---|---|---|---|\n");
    for (int n = 0; n < count && n < WORST; n++) {
        const result *r = &s->results[n];
        printf("| %s | %s | %d, %d | %.1f | %.3f | %.3f | %.3f |\n",
               marey_clip_name(s->sources[r->a].clip), marey_clip_name(s->sources[r->b].clip),
               r->cut.a, r->cut.b, r->cut.cost, r->jump, r->knee, r->slide_after);
    }
    printf("\nFinding the cuts took %.1f s for %d pairs, making a transition %.1f ms on average.\n",
           s->find_s, s->pairs / 2, count > 0 ? 1e3 * s->make_s / count : 0);
    free(values);
}

static int load(sweep *s, const char *mocap)
{
    char pattern[1200];
    glob_t found;
    marey_error error;
    snprintf(pattern, sizeof pattern, "%s/cmu/*.bvh", mocap);
    if (glob(pattern, 0, NULL, &found) != 0) return 0;
    s->clips = (int)found.gl_pathc;
    s->sources = calloc(found.gl_pathc, sizeof *s->sources);
    s->results = calloc(found.gl_pathc * found.gl_pathc, sizeof *s->results);
    if (!s->sources || !s->results) exit(1);
    for (int n = 0; n < s->clips; n++) {
        source *here = &s->sources[n];
        must(marey_clip_load(s->ctx, found.gl_pathv[n], NULL, &here->clip, &error), &error);
        must(marey_contacts_find(here->clip, NULL, &here->plants), &error);
        fastest(here->clip, &here->step, &here->knee);
    }
    globfree(&found);
    return s->clips;
}

int main(int count, char **arguments)
{
    sweep s = { 0 };
    if (count < 2 || marey_ctx_open(NULL, &s.ctx) != MAREY_OK) return 2;
    if (!load(&s, arguments[1])) {
        fprintf(stderr, "skipped: there is no real motion in %s\n", arguments[1]);
        return MISSING;
    }
    if (count > 2) s.lines = fopen(arguments[2], "w");
    for (int a = 0; a < s.clips; a++) {
        for (int b = a + 1; b < s.clips; b++) measure_pair(&s, a, b);
    }
    print(&s);
    if (s.lines) fclose(s.lines);
    for (int n = 0; n < s.clips; n++) {
        marey_clip_free(s.sources[n].clip);
        marey_contacts_free(&s.sources[n].plants);
    }
    free(s.sources);
    free(s.results);
    marey_ctx_close(s.ctx);
    return 0;
}
