/* part_ways.c - is what walks show as good as what was captured? Random ways, long walks and orders
   of actions through graphs of real clips at their default settings. Rates are measured here from
   joint positions; the library has no part in that. */
#include "graphs_parts.h"

#include <math.h>
#include <string.h>

enum { WAYS = 1000, LONG_WALKS = 10, LONG_S = 300, ORDERS = 200, IN_ORDER = 5 };

#define PI 3.14159265358979323846
#define RATE_OVER 1.2
#define SLIDE_CM 0.3
#define NEAR_S 0.1 /* around a frame, where its clip is asked how fast it is by itself */
#define AROUND_S 0.2

enum { TURN, POSE, RATES };

static uint32_t draw(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*seed >> 33);
}

/* ---- rates ----------------------------------------------------------------------------------- */

/* From each frame to the next: degrees per second that the hips turn by, and the root mean square of
   the joints' speeds seen from the hips, cm/s. */
typedef struct rates {
    int count;
    double *of[RATES];
} rates;

static double heading(const marey_skeleton *body, const double *p)
{
    const double *l = p + 3 * body->roles[MAREY_ROLE_LEFT_HIP];
    const double *r = p + 3 * body->roles[MAREY_ROLE_RIGHT_HIP];
    return atan2(r[2] - l[2], r[0] - l[0]);
}

static double pose_step(const marey_skeleton *body, const double *p, const double *q)
{
    double a = heading(body, p), b = heading(body, q), sum = 0;
    int hips = 3 * body->roles[MAREY_ROLE_HIPS];
    for (int j = 0; j < 3 * body->joint_count; j += 3) {
        double px = p[j] - p[hips], pz = p[j + 2] - p[hips + 2];
        double qx = q[j] - q[hips], qz = q[j + 2] - q[hips + 2];
        double x = qx * cos(b) + qz * sin(b) - px * cos(a) - pz * sin(a);
        double y = q[j + 1] - q[hips + 1] - p[j + 1] + p[hips + 1];
        double z = qz * cos(b) - qx * sin(b) - pz * cos(a) + px * sin(a);
        sum += x * x + y * y + z * z;
    }
    return sqrt(sum / body->joint_count);
}

static void *room(size_t count, size_t size)
{
    void *out = calloc(count, size);
    if (!out) exit(1);
    return out;
}

/* Steps from and to marked frames, the invented first one, are 0. */
static rates rates_of(const marey_clip *clip)
{
    int frames = marey_clip_frames(clip), mark_count;
    const marey_skeleton *body = marey_clip_skeleton(clip);
    const marey_mark *marks = marey_clip_marks(clip, &mark_count);
    double fps = marey_clip_fps(clip);
    size_t wide = 3 * (size_t)body->joint_count;
    rates out = { .count = frames - 1 };
    double *p = room((size_t)frames * wide, sizeof *p);
    for (int k = 0; k < RATES; k++) out.of[k] = room((size_t)frames, sizeof **out.of);
    marey_clip_positions(clip, 0, frames, p);
    for (int f = 0; f < out.count; f++) {
        const double *here = p + (size_t)f * wide, *next = here + wide;
        double turn = remainder(heading(body, next) - heading(body, here), 2 * PI);
        out.of[TURN][f] = fabs(turn) * 180 / PI * fps;
        out.of[POSE][f] = pose_step(body, here, next) * fps;
    }
    for (int m = 0; m < mark_count; m++) {
        for (int f = marks[m].start > 0 ? marks[m].start - 1 : 0; f < marks[m].end && f < out.count;
             f++)
            out.of[TURN][f] = out.of[POSE][f] = 0;
    }
    free(p);
    return out;
}

static void rates_free(rates *of)
{
    for (int k = 0; k < RATES; k++) free(of->of[k]);
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* What the clips do by themselves. */
typedef struct captured {
    const lab_set *set;
    rates clips[LAB_MOST_CLIPS];
    double high[RATES], peak[RATES]; /* the 99.9th percentile; the fastest */
} captured;

static void look_at(const lab_set *set, captured *out)
{
    int total = 0;
    out->set = set;
    for (int c = 0; c < set->count; c++) {
        out->clips[c] = rates_of(set->clips[c]);
        total += out->clips[c].count;
    }
    double *all = room((size_t)total, sizeof *all);
    for (int k = 0; k < RATES; k++) {
        int at = 0;
        for (int c = 0; c < set->count; c++) {
            memcpy(all + at, out->clips[c].of[k], (size_t)out->clips[c].count * sizeof *all);
            at += out->clips[c].count;
        }
        qsort(all, (size_t)total, sizeof *all, by_size);
        out->high[k] = all[(int)(0.999 * (total - 1))];
        out->peak[k] = all[total - 1];
    }
    free(all);
}

/* The fastest that a clip is by itself around a frame. */
static double own(const captured *of, int clip, double frame, int which)
{
    double most = 0, around = NEAR_S * marey_clip_fps(of->set->clips[clip]);
    int end = (int)ceil(frame + around);
    for (int f = (int)(frame - around); f <= end; f++) {
        if (f >= 0 && f < of->clips[clip].count) most = fmax(most, of->clips[clip].of[which][f]);
    }
    return most;
}

/* ---- one walk -------------------------------------------------------------------------------- */

/* Walks with a fault, and the worst of all. */
typedef struct faults {
    int walks;
    double worst;
} faults;

static void note(faults *of, double value, double most)
{
    of->walks += value > most;
    of->worst = fmax(of->worst, value);
}

typedef struct tally {
    int walks, pieces, short_pieces, told; /* told: walks of which the program says a fault */
    double seconds, shortest_s;
    faults rate[RATES];  /* over the clips' p99.9 */
    faults alien[RATES]; /* likewise, where also its own clips are not as fast */
    faults jump, alien_jump, slide;
} tally;

static bool goes_on(const marey_graph *graph, const marey_walk *walk, int at)
{
    return at + 1 < walk->count &&
           marey_graph_node_of(graph, walk->nodes[at]).next == walk->nodes[at + 1];
}

static void count_pieces(const marey_graph *graph, const marey_walk *walk, tally *t)
{
    double fps = marey_graph_fps(graph), least = marey_graph_settings(graph)->dwell_s;
    for (int i = 0, at = 0; i < walk->count; i++) {
        double long_s = (i + 1 - at) / fps;
        if (goes_on(graph, walk, i)) continue;
        if (at == 0 && i + 1 == walk->count) return; /* straight on, however short */
        t->pieces++;
        t->short_pieces += long_s < least - 1e-9;
        t->shortest_s = fmin(t->shortest_s, long_s);
        at = i + 1;
    }
}

static void count_rates(const captured *of, const marey_graph *graph, const marey_walk *walk,
                        const marey_clip *clip, tally *t)
{
    rates made = rates_of(clip);
    double each = marey_graph_fps(graph) / marey_clip_fps(clip);
    for (int k = 0; k < RATES; k++) {
        double most = 0, alien = 0;
        for (int f = 0; f < made.count; f++) {
            double over = made.of[k][f] / of->high[k], there = 0;
            most = fmax(most, over);
            if (over <= RATE_OVER) continue;
            for (int i = (int)(f * each); i <= (int)(f * each) + 1 && i < walk->count; i++) {
                marey_graph_node n = marey_graph_node_of(graph, walk->nodes[i]);
                there = fmax(there, own(of, n.clip, n.frame, k));
                if (n.other >= 0) there = fmax(there, own(of, n.other, n.other_frame, k));
            }
            if (made.of[k][f] > RATE_OVER * there) alien = fmax(alien, over);
        }
        note(&t->rate[k], most, RATE_OVER);
        note(&t->alien[k], alien, RATE_OVER);
    }
    rates_free(&made);
}

/* The largest step of any joint from frame p to frame q. */
static double step_of(const marey_clip *clip, int p, int q)
{
    int joints = marey_clip_skeleton(clip)->joint_count;
    double *a = room(6 * (size_t)joints, sizeof *a), *b = a + 3 * (size_t)joints, most = 0;
    marey_clip_positions(clip, p, 1, a);
    marey_clip_positions(clip, q, 1, b);
    for (int j = 0; j < 3 * joints; j += 3)
        most = fmax(most, hypot(hypot(b[j] - a[j], b[j + 1] - a[j + 1]), b[j + 2] - a[j + 2]));
    free(a);
    return most;
}

/* The largest step of up to `count` that lead on from a node, or to it. */
static double steps_from(const marey_graph *graph, int node, int count, bool on)
{
    double most = 0;
    for (int k = 0; k < count; k++) {
        marey_graph_node n = marey_graph_node_of(graph, node);
        int to = on ? n.next : n.before;
        if (to < 0) break;
        most = fmax(most, step_of(marey_graph_motion(graph), node, to));
        node = to;
    }
    return most;
}

/* The jump ratio at the graph's rate, beside all that the motions do that it is made of, also some
   time before its pieces and behind them. */
static double alien_jump(const lab *of, const marey_graph *graph, const marey_walk *walk)
{
    double fps = marey_graph_fps(graph), theirs = MAREY_GRAPH_STILL / fps, most = 0;
    int around = (int)lround(AROUND_S * fps);
    marey_made made;
    marey_error error;
    lab_need(marey_walk_make(of->ctx, graph, walk, &(marey_walk_make_def){ .fps = fps }, &made,
                             NULL, &error),
             &error);
    for (int f = 0; f + 1 < marey_clip_frames(made.clip); f++)
        most = fmax(most, step_of(made.clip, f, f + 1));
    for (int i = 0; i < walk->count; i++) {
        bool first = i == 0 || !goes_on(graph, walk, i - 1), last = !goes_on(graph, walk, i);
        theirs = fmax(theirs, steps_from(graph, walk->nodes[i], last ? around : 1, true));
        theirs = fmax(theirs, steps_from(graph, walk->nodes[i], first ? around : 0, false));
    }
    marey_made_free(&made);
    return most / theirs;
}

static void judge(const lab *of, const captured *own_motion, const marey_graph *graph,
                  const marey_walk *walk, tally *t)
{
    marey_made made;
    marey_walk_made about;
    marey_error error;
    lab_need(marey_walk_make(of->ctx, graph, walk, NULL, &made, &about, &error), &error);
    t->walks++;
    t->seconds += walk->count / marey_graph_fps(graph);
    count_pieces(graph, walk, t);
    count_rates(own_motion, graph, walk, made.clip, t);
    note(&t->jump, about.jump_ratio, MAREY_GRAPH_JUMP);
    if (about.jump_ratio > MAREY_GRAPH_JUMP)
        note(&t->alien_jump, alien_jump(of, graph, walk), MAREY_GRAPH_JUMP);
    note(&t->slide, made.clean.slide_after_cm, SLIDE_CM);
    marey_made_free(&made);
}

static void print_tally(const char *what, const tally *t)
{
    const faults *const cells[] = { &t->rate[TURN],  &t->alien[TURN], &t->rate[POSE],
                                    &t->alien[POSE], &t->jump,        &t->alien_jump };
    printf("| %s | %d, %.0f s | %d | %.2f (%d) |", what, t->walks, t->seconds, t->pieces,
           t->shortest_s, t->short_pieces);
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) {
        if (cells[i]->worst > 0)
            printf(" %d (%.2f) |", cells[i]->walks, cells[i]->worst);
        else
            printf(" 0 |");
    }
    printf(" %d (%.3f) | %d |\n", t->slide.walks, t->slide.worst, t->told);
}

/* ---- ways and long walks --------------------------------------------------------------------- */

static int any(const marey_graph *graph, uint64_t *seed, bool begins)
{
    for (;;) {
        int n = (int)(draw(seed) % (uint32_t)marey_graph_nodes(graph));
        marey_graph_node node = marey_graph_node_of(graph, n);
        if (begins ? node.begins : node.ends) return n;
    }
}

/* again: as the program does, searched again without the faults that it sees. False: there is no
   such walk. */
static bool find(const lab *of, const marey_graph *graph, const marey_walk_def *def, bool again,
                 marey_walk *out, tally *t)
{
    marey_error error;
    int left = 0;
    bool found = again ? lab_walk_seen(of, graph, *def, out, &left)
                       : !marey_graph_walk(of->ctx, graph, def, out, &error);
    t->told += left > 0;
    return found;
}

static void walk_and_judge(const lab *of, const captured *own_motion, const marey_graph *graph,
                           const marey_walk_def *def, bool again, tally *t)
{
    marey_walk walk;
    if (!find(of, graph, def, again, &walk, t)) exit(1);
    judge(of, own_motion, graph, &walk, t);
    marey_walk_free(&walk);
}

static void ways(const lab *of, const captured *own_motion, const marey_graph *graph,
                 const char *what, bool again)
{
    char text[96];
    uint64_t seed = 1;
    tally near = { .shortest_s = INFINITY }, far = near;
    for (int i = 0; i < WAYS; i++) {
        marey_walk_def def = { .kind = MAREY_WALK_TO, .from_given = true, .to_given = true };
        def.from = any(graph, &seed, true);
        def.to = any(graph, &seed, false);
        walk_and_judge(of, own_motion, graph, &def, again, &near);
    }
    for (int i = 0; i < LONG_WALKS; i++) {
        marey_walk_def def = { .kind = MAREY_WALK_LENGTH,
                               .frames = (int)(LONG_S * marey_graph_fps(graph)),
                               .seed = (uint64_t)i + 1 };
        walk_and_judge(of, own_motion, graph, &def, again, &far);
    }
    snprintf(text, sizeof text, "%s, ways%s", what, again ? "" : ", the first found");
    print_tally(text, &near);
    snprintf(text, sizeof text, "%s, long walks%s", what, again ? "" : ", the first found");
    print_tally(text, &far);
}

/* ---- orders of actions ----------------------------------------------------------------------- */

/* The captured frame that a node shows as it was; clip -1: it shows none. */
static marey_graph_node shown(const marey_graph *graph, int node)
{
    marey_graph_node n = marey_graph_node_of(graph, node);
    if (n.other >= 0 && n.weight > 1 - 1e-9) {
        n.clip = n.other;
        n.frame = n.other_frame;
    } else if (n.other >= 0 && n.weight > 1e-9) {
        n.clip = -1;
    }
    return n;
}

/* The frame of the walk behind an action that begins at `at`, played from its first frame to its
   last, to a node; 0: it is not. */
static int played(const lab_set *set, const marey_graph *graph, const marey_walk *walk, int at,
                  const marey_behaviour *b)
{
    double step = marey_clip_fps(set->clips[b->clip]) / marey_graph_fps(graph);
    double frame = shown(graph, walk->nodes[at]).frame;
    if (shown(graph, walk->nodes[at]).clip != b->clip || fabs(frame - b->start) >= step) return 0;
    for (; at < walk->count; at++, frame += step) {
        marey_graph_node n = shown(graph, walk->nodes[at]);
        if (n.clip != b->clip || fabs(n.frame - frame) > 0.01 * step) return 0;
        if (frame + step > b->end - 1) return at + 1;
    }
    return 0;
}

static bool in_order(const lab_set *set, const marey_graph *graph, const marey_walk *walk,
                     const char *const *labels)
{
    int from = 0;
    for (int k = 0; k < IN_ORDER; k++) {
        int first_end = 0;
        for (int at = from; at < walk->count; at++) {
            for (int i = 0; i < set->behaviour_count; i++) {
                if (strcmp(set->behaviours[i].label, labels[k]) != 0) continue;
                int end = played(set, graph, walk, at, &set->behaviours[i]);
                if (end > 0 && (first_end == 0 || end < first_end)) first_end = end;
            }
        }
        if (first_end == 0) return false;
        from = first_end;
    }
    return true;
}

/* An action that can be done between two others. */
static bool fits(const lab *of, const marey_graph *graph, const char *before, const char *label,
                 const char *next)
{
    const char *const three[] = { before, label, next };
    marey_walk_def def = { .kind = MAREY_WALK_LABELS, .labels = three, .label_count = 3 };
    marey_walk walk;
    marey_error error;
    if (marey_graph_walk(of->ctx, graph, &def, &walk, &error)) return false;
    marey_walk_free(&walk);
    return true;
}

/* possible: only of actions that can be done between others. */
static void orders(const lab *of, const captured *own_motion, const marey_graph *graph,
                   const char *what, bool possible)
{
    char text[96];
    uint64_t seed = 7;
    int known, count = 0, whole = 0, refused = 0;
    const char *const *all = marey_graph_labels(graph, &known);
    const char *labels[LAB_MOST_BEHAVIOURS];
    tally t = { .shortest_s = INFINITY };
    for (int i = 0; i < known; i++) {
        if (!possible || fits(of, graph, all[(i + 1) % known], all[i], all[(i + 2) % known]))
            labels[count++] = all[i];
    }
    for (int i = 0; i < ORDERS; i++) {
        marey_walk walk;
        for (int k = 0; k < IN_ORDER; k++) {
            int other = k + (int)(draw(&seed) % (uint32_t)(count - k));
            const char *one = labels[k];
            labels[k] = labels[other];
            labels[other] = one;
        }
        marey_walk_def def = { .kind = MAREY_WALK_LABELS,
                               .labels = labels,
                               .label_count = IN_ORDER };
        if (!find(of, graph, &def, true, &walk, &t)) {
            refused++;
            continue;
        }
        whole += walk.arrived && in_order(own_motion->set, graph, &walk, labels);
        judge(of, own_motion, graph, &walk, &t);
        marey_walk_free(&walk);
    }
    snprintf(text, sizeof text, "%s, orders of %d actions: %d whole, %d refused", what, count,
             whole, refused);
    print_tally(text, &t);
    if (refused > 0 && !possible) orders(of, own_motion, graph, what, true);
}

/* ---- sets ------------------------------------------------------------------------------------ */

static void one_set(const lab *of, const char *name, double fps, bool labelled)
{
    static const char *const kinds[] = { "MG", "wcMG" };
    lab_set set = { 0 };
    captured own_motion = { 0 };
    lab_load(of, name, fps, &set);
    if (labelled) lab_label(of, &set);
    look_at(&set, &own_motion);
    printf(
        "\n%s. By themselves its clips turn by %.0f degrees/s at the 99.9th percentile (the "
        "fastest frame %.2f times that), and change pose by %.0f cm/s (%.2f times):\n\n"
        "| graph | walks | pieces | shortest piece, s (shorter than the dwell) | turn > 1.2 | not "
        "its clips' | pose > 1.2 | not its clips' | jump > 1.1 | not its clips' | slide > 0.3 | "
        "told |\n|---|---|---|---|---|---|---|---|---|---|---|---|\n",
        name, own_motion.high[TURN], own_motion.peak[TURN] / own_motion.high[TURN],
        own_motion.high[POSE], own_motion.peak[POSE] / own_motion.high[POSE]);
    for (int k = 0; k < 2; k++) {
        marey_graph_def def = { .kind = k ? MAREY_GRAPH_CONNECTED : MAREY_GRAPH_STANDARD };
        marey_graph *graph = lab_build(of, &set, set.count, def, NULL);
        ways(of, &own_motion, graph, kinds[k], false);
        ways(of, &own_motion, graph, kinds[k], true);
        if (labelled) orders(of, &own_motion, graph, kinds[k], false);
        marey_graph_free(graph);
    }
    for (int c = 0; c < set.count; c++) rates_free(&own_motion.clips[c]);
    lab_set_free(&set);
}

void part_ways(const lab *of)
{
    printf(
        "\n## Ways and walks\n\nDefault settings (dwell %g s): %d ways between random nodes, %d "
        "walks of %d s, and %d random orders of %d different labelled actions, whole if an "
        "instance of each was shown without a cut, in order. How many walks have a fault, in "
        "brackets the worst. Turn: of the hips; pose: root mean square speed of the joints seen "
        "from the hips; both from joint positions, over the clips' own 99.9th percentile. \"Not "
        "its clips'\": also faster than 1.2 times what the clips that it is made of do within %g "
        "s of there; jumps (of the walks that have one): beside what the motions do up to %g s "
        "before and behind its pieces too. Slide: the largest drift of a plant, cm. Walks are "
        "searched again without the faults that "
        "the library itself sees, as the program does; told: walks of which it still says one.\n",
        MAREY_GRAPH_DWELL, (int)WAYS, (int)LONG_WALKS, (int)LONG_S, (int)ORDERS, (int)IN_ORDER,
        NEAR_S, AROUND_S);
    one_set(of, lab_rows[LAB_C3].set, lab_rows[LAB_C3].fps, true);
    one_set(of, "locomotion", 0, false);
}
