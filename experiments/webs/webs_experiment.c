/* webs_experiment.c - the experiments of the chapter on match webs, on real clips: prints
   experiments/results/webs.md. usage: webs_experiment MOCAP TRUTH FOLDER [PART]... parts: default costs
   queries coverage reaching labels pictures sizes chosen; default: all. */
#include "web_lab.h"

#include <stdlib.h>
#include <string.h>

static bool is_asked(int argc, char **argv, const char *part)
{
    for (int i = 4; i < argc; i++) {
        if (strcmp(argv[i], part) == 0) return true;
    }
    return argc <= 4;
}

/* The set again, with bodies of one size, or with weights on the joints. */
static void try_again(const web_set *like, const char *truth_path,
                      const marey_joint_weights *joints)
{
    web_set *set = web_room(sizeof *set);
    set->ctx = like->ctx;
    set->mocap = like->mocap;
    set->folder = like->folder;
    set_read(set, "a_kovar");
    if (!joints) set_resize(set);
    set_features(set, joints);
    set_build(set, -1, NULL);
    truth of = truth_read(set, truth_path);
    (joints ? experiment_legs : experiment_sizes)(set, &of);
    truth_free(&of);
    set_free(set);
    free(set);
}

/* With the weights that `marey index --joints` is given for it in docs/results/webs.md. */
static void try_legs(const web_set *like, const char *truth_path)
{
    marey_joint_weights legs;
    marey_error error;
    web_must(marey_joint_weights_parse("hips=1,knee=1,ankle=1,toe=1", &legs, &error), &error);
    try_again(like, truth_path, &legs);
}

int main(int argc, char **argv)
{
    static web_set set;
    if (argc < 4) {
        fprintf(stderr, "usage: webs_experiment MOCAP TRUTH FOLDER [PART]...\n");
        return 2;
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    set.mocap = argv[1];
    set.folder = argv[3];
    if (marey_ctx_open(&(marey_ctx_def){ .threads = 2 }, &set.ctx) != MAREY_OK) return 1;
    set_read(&set, "a_kovar");
    set_features(&set, NULL);
    truth of = truth_read(&set, argv[2]);
    printf("# Searching: the numbers\n\nWritten by `./dev experiment webs`; what they mean is in "
           "[webs.md](webs.md).\n");
    if (is_asked(argc, argv, "default")) experiment_default(&set, &of);
    if (argc == 5 && is_asked(argc, argv, "default")) return 0; /* needs no webs */
    if (is_asked(argc, argv, "costs")) {
        experiment_costs(&set);
    } else {
        set_build(&set, -1, NULL);
    }
    if (is_asked(argc, argv, "queries")) experiment_queries(&set, &of);
    if (is_asked(argc, argv, "coverage")) experiment_coverage(&set, &of);
    if (is_asked(argc, argv, "reaching")) experiment_reaching(&set, &of);
    if (is_asked(argc, argv, "labels")) experiment_labels(&set);
    if (is_asked(argc, argv, "pictures")) experiment_pictures(&set, &of);
    if (is_asked(argc, argv, "sizes")) try_again(&set, argv[2], NULL);
    if (is_asked(argc, argv, "chosen")) {
        experiment_cycles(&set, &of);
        try_legs(&set, argv[2]);
    }
    truth_free(&of);
    set_free(&set);
    marey_ctx_close(set.ctx);
    return 0;
}
