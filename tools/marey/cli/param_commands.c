/* param_commands.c - the commands of the family `param`, and what the program adds to their
   options. */
#include "commands.h"
#include "shared_options.h"

static const option_row param_make_options[] = {
    CLIP_OUTPUT_OPTION("what to write: a file, or LIB.marey:NAME; with --grid, a folder"),
    { .name = "format",
      .value = "FORMAT",
      .help = "the format of the files of --grid (default: bvh)",
      .key = OPTION_FORMAT,
      .words = WORDS_FORMATS },
    OUT_PROVENANCE_OPTION,
    { 0 },
};

const command param_actions[] = {
    { .verb = "param features",
      .operation = &app_param_features,
      .show = show_param_features,
      .examples = { "marey param features", "marey param features --json" } },
    { .verb = "param build",
      .operation = &app_param_build,
      .show = show_param_built,
      .exit = exit_param_build,
      .examples = { "marey param build moves.marey reach --query 144_22#310-420 --threshold 120 "
                    "--feature 'position(right_wrist)' --drop-faulty",
                    "marey param build moves.marey punch --clips "
                    "02_05#300-380,02_05#410-495,02_05#530-610 "
                    "--feature 'height(left_wrist)'",
                    "marey param build moves.marey walk --label walk --feature 'pace()' "
                    "--feature 'curvature()'",
                    "marey param build new.marey cartwheel takes/*.bvh --query "
                    "takes/144_01.bvh#220-418 --threshold 300 --feature 'place()'" } },
    { .verb = "param make",
      .operation = &app_param_make,
      .options = param_make_options,
      .check = check_param_make,
      .finish = finish_param_make,
      .show = show_param_made,
      .draw = draw_param_grid,
      .examples = { "marey param make demo.marey reach --at -15,125,48 -o reach.bvh",
                    "marey param make demo.marey reach --at -15,125,48 -o demo.marey:grab --json",
                    "marey param make demo.marey reach --grid 5x5x3 -o reaches --format glb" } },
    { .verb = "param check",
      .operation = &app_param_check,
      .show = show_param_checked,
      .examples = { "marey param check demo.marey reach",
                    "marey param check demo.marey reach --count 200 --json" } },
    { .verb = "param examine",
      .operation = &app_param_examine,
      .show = show_param_examined,
      .examples = { "marey param examine demo.marey reach" } },
    { .verb = "param prune",
      .operation = &app_param_prune,
      .show = show_param_pruned,
      .examples = { "marey param prune demo.marey reach --tolerance 0.64 --as small" } },
    { .verb = "param show",
      .operation = &app_param_show,
      .show = show_param,
      .examples = { "marey param show demo.marey reach" } },
    { .verb = "param ls",
      .operation = &app_param_ls,
      .show = show_params,
      .examples = { "marey param ls demo.marey", "marey param ls demo.marey --json" } },
    { .verb = "param rm",
      .operation = &app_param_rm,
      .show = show_forgotten,
      .examples = { "marey param rm demo.marey reach" } },
    { 0 },
};
