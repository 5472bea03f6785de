/* steering_experiment.c - a graph's policy and motion matching on the same inputs: 500 turns of 90
   degrees; how soon the body follows, how well, how natural it looks in numbers, how large it is.
   usage: steering_experiment MOCAP LIBRARY FOLDER. Weights of matching are chosen on one set of
   clips and reported on two others, one of them out of LIBRARY. Writes Markdown to standard output,
   the picture to FOLDER. */
#include "steering_lab.h"

#include <math.h>
#include <string.h>

enum { DRAWS = 200, BEST = 5 };

/* ---- sets of clips --------------------------------------------------------------------------- */

/* Clips of a library whose names begin so, of at least two seconds. */
static void load_named(const lab *of, const char *path, const char *begin, lab_set *set)
{
    marey_library *library;
    marey_listing *listing;
    marey_error error;
    int count;
    lab_need(marey_library_open(of->ctx, path, MAREY_LIBRARY_READ, &library, &error), &error);
    lab_need(marey_library_list(library, NULL, &listing, &error), &error);
    const marey_entry *entry = marey_listing_entries(listing, &count);
    for (int i = 0; i < count && set->count < LAB_MOST_CLIPS; i++, entry++) {
        if (strncmp(entry->name, begin, strlen(begin)) != 0 || entry->frames < 2 * entry->fps)
            continue;
        lab_need(marey_library_load(library, entry->name, &set->clips[set->count++], &error),
                 &error);
    }
    marey_listing_free(listing);
    marey_library_close(library);
}

/* ---- both on one set ------------------------------------------------------------------------- */

static marey_matching *match(const subject *on, const marey_matching_def *def)
{
    marey_matching *matching;
    marey_error error;
    lab_need(marey_matching_build(on->of->ctx, on->graph, def, &matching, &error), &error);
    return matching;
}

static marey_policy *train(const subject *on)
{
    const double speeds[] = { 0, on->walk };
    marey_policy_def def = { .speeds = speeds, .speed_count = 2 };
    marey_policy *policy;
    marey_error error;
    lab_need(marey_policy_train(on->of->ctx, on->graph, &def, &policy, &error), &error);
    return policy;
}

static const char heading[] =
    "| | response s: median | 10 %, 90 % | not answered | wait s | control | transition | total "
    "| "
    "off the direction, deg | backward % | jumps a s | turn rate | push | joint speed | slide cm/s "
    "| "
    "step us | worst us | made in s | MB |\n"
    "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n";

static void put_row(const char *what, const subject *on, const outcome *o, double made_s,
                    double bytes)
{
    printf("| %s | **%.2f** | %.2f, %.2f | %d | %.2f | %.2f | %.2f | %.2f | %.0f | %.0f | %.1f | "
           "%.2f | "
           "%.2f | %.2f | %.1f | %.1f | %.0f | %.2f | %.2f |\n",
           what, share_of(o->response, TURNS, 0.5), share_of(o->response, TURNS, 0.1),
           share_of(o->response, TURNS, 0.9), TURNS - o->answered, share_of(o->wait, TURNS, 0.5),
           o->score.control, o->score.transition, o->score.total, o->off_deg, o->backward,
           o->score.transitions / (o->score.frames / marey_graph_fps(on->graph)), o->look.turn,
           o->look.push, o->look.joint, o->look.slide, o->step_us, o->worst_us, made_s,
           bytes / 1e6);
}

/* Graphs with several least times in a piece; none is as graphs were before there was one. */
static const struct {
    const char *name;
    double dwell_s;
} graphs[] = { { "graph", 0 }, { "graph, dwell 0.1 s", 0.1 }, { "graph, no dwell", -1 } };

enum { GRAPHS = sizeof graphs / sizeof *graphs };

static void report(const lab *of, const lab_set *set, const char *what, const char *picture)
{
    static outcome outcomes[GRAPHS], poses;
    double made_s = 0;
    marey_matching *matching = NULL;
    for (int i = 0; i < GRAPHS; i++) {
        double start = lab_cpu_s();
        marey_graph_def def = { .dwell_s = graphs[i].dwell_s };
        marey_graph *graph = lab_build(of, set, set->count, def, NULL);
        double built = lab_cpu_s() - start;
        subject on = subject_open(of, graph);
        int transitions;
        marey_graph_transitions(graph, &transitions);
        if (i == 0)
            printf("\n## %s\n\n%d clips, %d frames at %g Hz, %d transitions; %.0f cm/s are asked "
                   "for. In the clips, once in a thousand frames, the hips turn by %.0f degrees a "
                   "second and are pushed by %.0f cm/s2; planted feet slide by %.1f cm/s. From %d "
                   "moments a body that walks moves 45 degrees off within a second, in %.2f s on "
                   "the median, the fastest tenth in %.2f s.\n\n%s",
                   what, set->count, marey_graph_originals(graph), marey_graph_fps(graph),
                   transitions, on.walk, on.own.turn, on.own.push, on.own.slide, on.turns,
                   on.turn_median, on.turn_tenth, heading);
        start = lab_cpu_s();
        marey_policy *policy = train(&on);
        double trained = lab_cpu_s() - start;
        outcomes[i] = steer_graph(&on, policy);
        double bytes = (double)marey_policy_bytes(policy) +
                       transitions * (sizeof(marey_graph_transition) + sizeof(marey_placement));
        put_row(graphs[i].name, &on, &outcomes[i], built + trained, bytes);
        marey_policy_free(policy);
        if (i + 1 == GRAPHS) {
            start = lab_cpu_s();
            matching = match(&on, NULL);
            made_s = lab_cpu_s() - start;
            poses = steer_matching(&on, matching);
            put_row("matching", &on, &poses, made_s, (double)marey_matching_bytes(matching));
            printf("\nOf %d poses %.1f are compared in a search on the mean, %d at most.\n",
                   marey_matching_poses(matching), poses.searches.compared,
                   poses.searches.most_compared);
            marey_matching_free(matching);
        }
        marey_graph_free(graph);
    }
    if (picture) draw_turns(of->folder, picture, &outcomes[0], &poses);
}

/* ---- choosing -------------------------------------------------------------------------------- */

typedef struct tried {
    marey_matching_def def;
    double worth, response, control, total, slide, turn, push;
} tried;

static int by_worth(const void *a, const void *b)
{
    double x = ((const tried *)a)->worth, y = ((const tried *)b)->worth;
    return (x < y) - (x > y);
}

static tried try_one(const subject *on, const marey_matching_def *def)
{
    marey_matching *matching = match(on, def);
    static outcome o;
    o = steer_matching(on, matching);
    tried one = { .def = *marey_matching_settings(matching),
                  .response = share_of(o.response, TURNS, 0.5),
                  .control = o.score.control,
                  .total = o.score.total,
                  .slide = o.look.slide,
                  .turn = o.look.turn,
                  .push = o.look.push };
    /* What turns or pushes more than 1.2 times as much as the clips is out. */
    one.worth = one.turn <= 1.2 && one.push <= 1.2 ? one.total - 0.01 * one.slide : -1;
    marey_matching_free(matching);
    return one;
}

static void put_tried(const char *what, const tried *one)
{
    const marey_matching_def *def = &one->def;
    printf("| %s | %g %g %g %g %g | %g | %g | %g | %.2f | %.2f | %.2f | %.1f | %.2f | %.2f |\n",
           what, def->weight[0], def->weight[1], def->weight[2], def->weight[3], def->weight[4],
           def->margin, def->bend_s, def->fade_s, one->response, one->control, one->total,
           one->slide, one->turn, one->push);
}

static void choose(const lab *of, const lab_set *set)
{
    static const double weights[] = { 0.3, 0.5, 0.7, 1, 1.5, 2 },
                        margins[] = { 0.02, 0.05, 0.1, 0.2 },
                        bends[] = { 0.04, 0.06, 0.08, 0.12, 0.2 }, fades[] = { 0.08, 0.1, 0.12 };
    marey_graph *graph = lab_build(of, set, set->count, (marey_graph_def){ 0 }, NULL);
    subject on = subject_open(of, graph);
    static tried all[DRAWS];
    uint32_t seed = 3;
    for (int i = 0; i < DRAWS; i++) {
        marey_matching_def def = { 0 };
        for (int k = 0; k < MAREY_MATCHING_FEATURE_COUNT; k++)
            def.weight[k] = weights[lab_draw(&seed) % 6];
        def.margin = margins[lab_draw(&seed) % 4];
        def.bend_s = bends[lab_draw(&seed) % 5];
        def.fade_s = fades[lab_draw(&seed) % 3];
        all[i] = try_one(&on, &def);
    }
    tried usual = try_one(&on, NULL);
    qsort(all, DRAWS, sizeof *all, by_worth);
    int better = 0;
    while (better < DRAWS && all[better].worth > usual.worth) better++;
    printf(
        "\n## Choosing the weights\n\nOn %d other clips, %d frames: %d random draws, by total - "
        "slide / 100; what turns or pushes more than 1.2 times as much as the clips is out. %d "
        "are better than the default.\n\n| | feet, their speed, hips' speed, path, facing | "
        "margin | bend s | fade s | response s | control | total | slide cm/s | turn rate | push "
        "|\n|---|---|---|---|---|---|---|---|---|---|---|\n",
        set->count, marey_graph_originals(graph), (int)DRAWS, better);
    for (int i = 0; i < BEST; i++) put_tried("drawn", &all[i]);
    put_tried("median draw", &all[DRAWS / 2]);
    put_tried("**default**", &usual);
    marey_graph_free(graph);
}

int main(int argc, char **argv)
{
    lab of = { 0 };
    lab_set c3 = { 0 }, people = { 0 }, one = { 0 };
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (argc != 4 || marey_ctx_open(&(marey_ctx_def){ .threads = 2 }, &of.ctx)) return 2;
    of.mocap = argv[1];
    of.folder = argv[3];
    lab_load(&of, "c3_mixed", 60, &c3);
    choose(&of, &c3);
    lab_set_free(&c3);
    lab_load(&of, "locomotion", 0, &people);
    report(&of, &people, "Walks and runs of six people", "steering-turns");
    lab_set_free(&people);
    load_named(&of, argv[2], "16_", &one);
    report(&of, &one, "One person who walks, runs, veers, turns and jumps", NULL);
    lab_set_free(&one);
    marey_ctx_close(of.ctx);
    return 0;
}
