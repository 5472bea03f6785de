/* graph_commands.c - the commands of the family `graph`, and their options. */
#include "command_options.h"
#include "commands.h"
#include "shared_options.h"

/* ---- options --------------------------------------------------------------------------------------- */

#define MADE_RATE_OPTION                                                                           \
    {                                                                                              \
        .name = "fps", .value = "N",                                                               \
        .help = "frames a second of what is made (default: those of the graph's first clip)",      \
        .key = OPTION_FPS                                                                          \
    }

const option_row graph_stats_options[] = {
    { .name = "matrix",
      .value = "FILE",
      .help = "draw how good transitions are between all frames (.png, .svg, .pdf)",
      .key = OPTION_MATRIX },
    { .name = "closure",
      .value = "FILE",
      .help = "draw which frames can be reached from which (.png, .svg, .pdf)",
      .key = OPTION_CLOSURE },
    { 0 },
};

const option_row graph_walk_options[] = {
    CLIP_OUTPUT_OPTION("what to write: a file, or LIB.marey:NAME"),
    { .name = "from",
      .value = "CLIP#F",
      .help = "where it begins (default: anywhere)",
      .key = OPTION_FROM },
    { .name = "to", .value = "CLIP#F", .help = "where it ends, by the best way", .key = OPTION_TO },
    { .name = "length",
      .value = "20s|600",
      .help = "a random walk of so many seconds, or frames of what is made, with as few repeats as "
              "there can be",
      .key = OPTION_LENGTH },
    { .name = "through",
      .value = "L,L,...",
      .help = "do these labelled actions one after the other",
      .key = OPTION_THROUGH },
    { .name = "path",
      .value = "X,Z X,Z ...",
      .help =
          "walk along these points of the floor in centimetres, or those of a file that ends in "
          ".csv",
      .key = OPTION_PATH },
    { .name = "style",
      .value = "L,L,...",
      .help = "use only frames with one of these labels",
      .key = OPTION_STYLE },
    { .name = "seed",
      .value = "N",
      .help = "another random walk (default: 1)",
      .key = OPTION_SEED },
    { .name = "effort",
      .value = "N",
      .help = "how many steps the search along a path may take, of 2.5 kB at most each "
              "(default: 100000)",
      .key = OPTION_EFFORT },
    MADE_RATE_OPTION,
    ROUGH_OPTION,
    LEAVE_FEET_OPTION,
    STRETCH_OPTION,
    OUT_PROVENANCE_OPTION,
    { 0 },
};

const option_row graph_control_options[] = {
    CLIP_OUTPUT_OPTION("what to write: a file, or LIB.marey:NAME"),
    { .name = "script",
      .value = "WISHES.csv",
      .help = "lines of time,direction,speed: seconds, radians counter-clockwise from x on a plan "
              "seen from above, cm/s",
      .key = OPTION_SCRIPT },
    { .name = "length",
      .value = "20s|600",
      .help = "stop after so many seconds, or frames of what is made (default: the last wish lasts "
              "as long as the one before)",
      .key = OPTION_LENGTH },
    { .name = "from",
      .value = "CLIP#F",
      .help = "where it begins (default: where the body stands most still)",
      .key = OPTION_FROM },
    MADE_RATE_OPTION,
    ROUGH_OPTION,
    LEAVE_FEET_OPTION,
    STRETCH_OPTION,
    OUT_PROVENANCE_OPTION,
    { 0 },
};

/* ---- commands -------------------------------------------------------------------------------------- */

const command graph_actions[] = {
    { .verb = "graph build",
      .operation = &app_graph_build,
      .show = show_graph_built,
      .examples = { "marey graph build moves.marey all",
                    "marey graph build moves.marey walks --label walk --sweep 5,10,20,40",
                    "marey graph build demo.marey mine --behaviours truth.json",
                    "marey graph build moves.marey some 07_03 07_08 --kind connected --mu 5" } },
    { .verb = "graph sweep",
      .operation = &app_graph_sweep,
      .show = show_graph_swept,
      .examples = { "marey graph sweep moves.marey --label walk --thresholds 5,10,20,40 "
                    "--quick" } },
    { .verb = "graph stats",
      .operation = &app_graph_stats,
      .show = show_graph_stats,
      .check = check_graph_pictures,
      .draw = draw_graph,
      .examples = { "marey graph stats demo.marey standard",
                    "marey graph stats demo.marey standard --matrix matrix.png --closure reach.png",
                    "marey graph stats demo.marey standard --sweep 5,10,20,40 --json" },
      .options = graph_stats_options },
    { .verb = "graph walk",
      .usage = "LIB NAME -o OUT",
      .summary = "make a clip that is a walk through a motion graph",
      .description = { "From here to there (--from, --to), of a length (--length), through "
                       "labelled "
                       "actions (--through walk,sit,stand), or along a path on the floor (--path). "
                       "Pieces of clips are laid on each other; what differs where they meet is "
                       "spread over both sides, and planted feet are held.",
                       "A walk along a path begins at its first point. The answer says how far "
                       "from "
                       "the path the body is on average, and whether its end was reached.",
                       "OUT may be LIB.marey:NAME. The clip remembers its pieces, with their "
                       "frames "
                       "and licences." },
      .examples = { "marey graph walk demo.marey standard --length 20s -o walk.bvh",
                    "marey graph walk demo.marey standard --from walk#30 --to kicks#200 -o "
                    "kick.bvh",
                    "marey graph walk demo.marey standard --through walk,sit,walk -o rest.bvh",
                    "marey graph walk demo.marey standard --path '0,0 300,0 600,300' --style walk "
                    "-o "
                    "curve.bvh" },
      .options = graph_walk_options,
      .operands_least = 2,
      .operands_most = 2,
      .run = command_graph_walk },
    { .verb = "graph train",
      .operation = &app_graph_train,
      .show = show_graph_trained,
      .examples = { "marey graph train demo.marey standard",
                    "marey graph train demo.marey standard --speeds 0,80,140 --poor 2" } },
    { .verb = "graph control",
      .usage = "LIB NAME --script WISHES.csv -o OUT",
      .summary = "steer a motion graph by a script of wishes",
      .description = { "Every line of the script says from when on where to go and how fast; it "
                       "holds "
                       "until the next. Speed 0 asks to stand. x points to the right and z to the "
                       "bottom of the plan, so that -1.5708 goes towards z.",
                       "The answer says how well wishes were followed, how good the transitions "
                       "were, and the product of both." },
      .examples = { "marey graph control demo.marey standard --script wishes.csv -o way.bvh "
                    "--json" },
      .options = graph_control_options,
      .operands_least = 2,
      .operands_most = 2,
      .run = command_graph_control },
    { .verb = "graph ls",
      .operation = &app_graph_ls,
      .show = show_graphs,
      .examples = { "marey graph ls demo.marey", "marey graph ls demo.marey --json" } },
    { .verb = "graph rm",
      .operation = &app_graph_rm,
      .show = show_forgotten,
      .examples = { "marey graph rm demo.marey standard" } },
    { 0 },
};
