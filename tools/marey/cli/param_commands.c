/* param_commands.c - the commands of the family `param`, and their options. */
#include "command_options.h"
#include "commands.h"
#include "shared_options.h"

/* ---- options --------------------------------------------------------------------------------------- */

#define SEARCH_OPTIONS                                                                             \
    { .name = "query",                                                                             \
      .value = "CLIP#A-B",                                                                         \
      .help = "examples: these frames, and everything in the library that is like them",           \
      .key = OPTION_QUERY },                                                                       \
        { .name = "label",                                                                         \
          .value = "LABEL",                                                                        \
          .help = "with --query, only in clips with this label; alone, every clip with it is an "  \
                  "example, whole",                                                                \
          .key = OPTION_LABEL },                                                                   \
        { .name = "in",                                                                            \
          .value = "NAME",                                                                         \
          .help = "with --query, only in this clip; may be given several times",                   \
          .key = OPTION_IN,                                                                        \
          .repeats = true },                                                                       \
        { .name = "threshold",                                                                     \
          .value = "E",                                                                            \
          .help = "the mean distance that a match may have (default: points 64 cm2, that is "      \
                  "8 cm)",                                                                         \
          .key = OPTION_THRESHOLD },                                                               \
        { .name = "same",                                                                          \
          .value = "SHARE",                                                                        \
          .help = "matches that overlap by this share are one (default: 0.8)",                     \
          .key = OPTION_SAME },                                                                    \
        { .name = "distinct",                                                                      \
          .value = "SHARE",                                                                        \
          .help = "matches that overlap by no more are two; those between are dropped (default: "  \
                  "0.2)",                                                                          \
          .key = OPTION_DISTINCT },                                                                \
        { .name = "loose",                                                                         \
          .value = "SHARE",                                                                        \
          .help = "how much of the query a match may lack at either end, 0 to 0.5 (default: 0.3)", \
          .key = OPTION_LOOSE },                                                                   \
        { .name = "tiers",                                                                         \
          .value = "N",                                                                            \
          .help = "stop after the matches of the query (1), the matches of these (2), and so on "  \
                  "(default: when nothing new is found)",                                          \
          .key = OPTION_TIERS },                                                                   \
    {                                                                                              \
        .name = "limit", .value = "N",                                                             \
        .help = "at most this many matches, 1 to 255 (default: "                                   \
                "255)",                                                                            \
        .key = OPTION_LIMIT                                                                        \
    }

const option_row param_build_options[] = {
    { .name = "feature",
      .value = "F",
      .help = "what the motions differ in, as in 'position(right_wrist, apex, start)'; may be "
              "given several times; marey param features lists all",
      .key = OPTION_FEATURE,
      .repeats = true },
    { .name = "clips",
      .value = "A#A-B,...",
      .help = "the examples, by name: clips of the library or frames of them; may be given "
              "several times. The others are aligned with the first",
      .key = OPTION_CLIPS,
      .repeats = true },
    SEARCH_OPTIONS,
    { .name = "samples",
      .value = "N",
      .help = "how many blends are tried, 0 for the examples alone (default: 1000)",
      .key = OPTION_SAMPLES },
    { .name = "delta",
      .value = "D",
      .help = "weights may be this much less than 0 or more than 1 (default: 0.1)",
      .key = OPTION_DELTA },
    { .name = "grow",
      .value = "G",
      .help = "blends are tried in a box larger than that of the examples by this share (default: "
              "0.2)",
      .key = OPTION_GROW },
    { .name = "apart",
      .value = "A",
      .help = "no two samples are closer than this (default: 1.27, half an inch)",
      .key = OPTION_APART },
    { .name = "nearest",
      .value = "K",
      .help = "how many samples an answer is made of, 2 to 16 (default: 12)",
      .key = OPTION_NEAREST },
    { .name = "seed", .value = "N", .help = "tries other blends (default: 1)", .key = OPTION_SEED },
    { .name = "prune",
      .value = "TOL",
      .help = "leave out examples that the others reproduce within this, as param prune does",
      .key = OPTION_PRUNE },
    { .name = "drop-faulty",
      .help = "leave out examples most of whose blends with their neighbours are faulty, as param "
              "examine finds them",
      .key = OPTION_DROP_FAULTY },
    { 0 },
};

const option_row param_make_options[] = {
    CLIP_OUTPUT_OPTION("what to write: a file, or LIB.marey:NAME; with --grid, a folder"),
    { .name = "at",
      .value = "X,Y,...",
      .help = "what the motion shall do: a value for each number of the family's features",
      .key = OPTION_AT },
    { .name = "grid",
      .value = "NxN...",
      .help = "motions all over the examples' values, so many along each number, and grid.json "
              "that says which is where",
      .key = OPTION_GRID },
    { .name = "format",
      .value = "FORMAT",
      .help = "the format of the files of --grid (default: bvh)",
      .key = OPTION_FORMAT,
      .words = WORDS_FORMATS },
    { .name = "table",
      .help = "answer from the samples alone, without refinement: less exact, as in the paper",
      .key = OPTION_TABLE },
    { .name = "fps",
      .value = "N",
      .help = "frames a second of what is made (default: those of the first example)",
      .key = OPTION_FPS },
    NO_CLEAN_OPTION,
    STRETCH_OPTION,
    OUT_PROVENANCE_OPTION,
    { 0 },
};

const option_row param_check_options[] = {
    { .name = "count",
      .value = "N",
      .help = "how many requests are tried (default: 1000)",
      .key = OPTION_COUNT },
    { .name = "seed", .value = "N", .help = "tries others (default: 1)", .key = OPTION_SEED },
    { 0 },
};

const option_row param_prune_options[] = {
    { .name = "tolerance",
      .value = "CM",
      .help = "examples go that the others reproduce within this, in the unit of the features",
      .key = OPTION_TOLERANCE },
    { .name = "as",
      .value = "NAME",
      .help = "keep the smaller family under this name (default: in place of the other)",
      .key = OPTION_AS },
    { 0 },
};

const option_row param_ls_options[] = {
    { .name = "long", .help = "the examples of each family", .key = OPTION_LONG },
    { 0 },
};

/* ---- commands -------------------------------------------------------------------------------------- */

const command param_actions[] = {
    { .verb = "param features",
      .usage = "",
      .summary = "list what can be asked of a motion",
      .description = { "Features are what the motions of a family differ in, and what is asked for "
                       "when one is made: where a joint is at a moment, how fast it moves, where "
                       "the motion ends, how long it takes.",
                       "What is left out behind has its default: position(right_wrist) is "
                       "position(right_wrist, apex, start)." },
      .examples = { "marey param features", "marey param features --json" },
      .options = no_options,

      .run = command_param_features },
    { .verb = "param build",
      .usage = "LIB NAME [FILE...] --feature F",
      .summary = "make a family of motions from examples, and keep it",
      .description = { "The examples are the same motion done to several ends: named by --clips, "
                       "found by "
                       "--query, or all clips with a --label. They are laid over each other in "
                       "time and on "
                       "the floor, and blends of neighbours are tried to learn what they do. The "
                       "family is "
                       "kept in the library under NAME, in place of one of that name.",
                       "FILEs, or folders of them, are put into the library first, which is made "
                       "if it is not there; those that are in it are not put in twice. --query "
                       "and --clips may name their clips by the same paths, as in "
                       "kicks.bvh#120-250.",
                       "With --query the query and everything that is like it become the "
                       "examples, each aligned with the one that led to it. The library must "
                       "have been indexed; where FILEs are named what the index lacks is made.",
                       "label(NAME) as a feature takes numbers that people gave: the examples' "
                       "clips have "
                       "labels such as mood=0.7.",
                       "The answer says how many faults blends of neighbours have; param examine "
                       "says "
                       "which." },
      .examples = { "marey param build moves.marey reach --query 144_22#310-420 --threshold 120 "
                    "--feature 'position(right_wrist)' --drop-faulty",
                    "marey param build moves.marey punch --clips "
                    "02_05#300-380,02_05#410-495,02_05#530-610 "
                    "--feature 'height(left_wrist)'",
                    "marey param build moves.marey walk --label walk --feature 'pace()' "
                    "--feature 'curvature()'",
                    "marey param build new.marey cartwheel takes/*.bvh --query "
                    "takes/144_01.bvh#220-418 --threshold 300 --feature 'place()'" },
      .options = param_build_options,
      .operands_least = 2,
      .operands_most = 0,
      .run = command_param_build },
    { .verb = "param make",
      .usage = "LIB NAME --at X,Y,... -o OUT",
      .summary = "make the motion of a family that does what is asked for",
      .description = { "The weights of the examples are found whose blend has the wanted values, "
                       "and that "
                       "blend is made, with planted feet held in place. What the clip itself then "
                       "does is "
                       "measured and told. What cannot be reached is projected onto what can, and "
                       "the answer "
                       "says so.",
                       "--grid 5x5x5 makes a motion for every point of a grid over the examples' "
                       "values, as "
                       "NAME_0_0_0.bvh and so on, for a game engine's blend space. grid.json "
                       "beside them "
                       "says the axes, and for every file what was wanted and what is reached; "
                       "where the "
                       "family could not reach a point the nearest motion is there and marked as "
                       "outside.",
                       "OUT may be LIB.marey:NAME. The made clip remembers its examples, their "
                       "weights and "
                       "licences." },
      .examples = { "marey param make demo.marey reach --at -15,125,48 -o reach.bvh",
                    "marey param make demo.marey reach --at -15,125,48 -o demo.marey:grab --json",
                    "marey param make demo.marey reach --grid 5x5x3 -o reaches --format glb" },
      .options = param_make_options,
      .operands_least = 2,
      .operands_most = 2,
      .run = command_param_make },
    { .verb = "param check",
      .usage = "LIB NAME",
      .summary = "measure how near a family's motions come to what is asked for",
      .description = { "Asks for what blends with fresh random weights do, which can be met, and "
                       "tells how far off the answers are, with refinement and from the table of "
                       "samples alone. Errors are in the unit of the features; where these differ, "
                       "in per cent of the diagonal of the examples' box." },
      .examples = { "marey param check demo.marey reach",
                    "marey param check demo.marey reach --count 200 --json" },
      .options = param_check_options,
      .operands_least = 2,
      .operands_most = 2,
      .run = command_param_check },
    { .verb = "param examine",
      .usage = "LIB NAME",
      .summary = "say which examples of a family do not fit the others",
      .description = { "Blends every example half and half with its neighbours and looks at the "
                       "results: one that stands on a foot while the other swings it, feet that "
                       "slide far or go through the floor, joints that jump. param build "
                       "--drop-faulty leaves such examples out." },
      .examples = { "marey param examine demo.marey reach" },
      .options = no_options,
      .operands_least = 2,
      .operands_most = 2,
      .run = command_param_examine },
    { .verb = "param prune",
      .usage = "LIB NAME --tolerance CM",
      .summary = "leave out examples of a family that the others can do without",
      .description = { "An example goes if the rest can do what it does within the tolerance. The "
                       "family is built again from those that stay; the first always does." },
      .examples = { "marey param prune demo.marey reach --tolerance 0.64 --as small" },
      .options = param_prune_options,
      .operands_least = 2,
      .operands_most = 2,
      .run = command_param_prune },
    { .verb = "param ls",
      .usage = "LIB",
      .summary = "list the families that a library keeps",
      .description = { "With their features and how many examples and samples each has. A family "
                       "whose clips were removed is listed as well, but cannot be used until they "
                       "are restored." },
      .examples = { "marey param ls demo.marey", "marey param ls demo.marey --json" },
      .options = param_ls_options,
      .operands_least = 1,
      .operands_most = 1,
      .run = command_param_ls },
    { .verb = "param rm",
      .operation = &app_param_rm,
      .show = show_forgotten,
      .examples = { "marey param rm demo.marey reach" } },
    { 0 },
};
