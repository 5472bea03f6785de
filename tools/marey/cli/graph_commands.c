/* graph_commands.c - the commands of the family `graph`, and their options. */
#include "command_options.h"
#include "commands.h"
#include "shared_options.h"

/* ---- options --------------------------------------------------------------------------------------- */

#define SWEEP_OPTION                                                                               \
    {                                                                                              \
        .name = "sweep", .value = "E,E,...",                                                       \
        .help = "also say what graphs of these thresholds would be worth, before any reduction; "  \
                "of connected ones each takes as long as to build it",                             \
        .key = OPTION_SWEEP                                                                        \
    }

#define MADE_RATE_OPTION                                                                           \
    {                                                                                              \
        .name = "fps", .value = "N",                                                               \
        .help = "frames a second of what is made (default: those of the graph's first clip)",      \
        .key = OPTION_FPS                                                                          \
    }

const option_row graph_build_options[] = {
    { .name = "kind",
      .value = "KIND",
      .help = "standard: the captured frames; connected: also interpolations of all segments with "
              "the same contacts (default: standard)",
      .key = OPTION_KIND,
      .words = WORDS_GRAPHS },
    { .name = "label",
      .value = "LABEL",
      .help = "only clips with this label (default: all)",
      .key = OPTION_LABEL },
    { .name = "threshold",
      .value = "E",
      .help = "transitions cost less than this (default: points 30 cm2, of connected graphs 0.5, "
              "and those that are not smooth are left out; other metrics have none)",
      .key = OPTION_THRESHOLD },
    { .name = "only-smooth",
      .help = "leave out transitions that are not smooth, as without --threshold",
      .key = OPTION_ONLY_SMOOTH },
    { .name = "sigma",
      .value = "S",
      .help = "a transition of distance s is worth exp(-s / S) (default: points 300 cm2, others 10 "
              "thresholds)",
      .key = OPTION_SIGMA },
    { .name = "fps",
      .value = "N",
      .help = "frames a second of the graph (default: 30, or that of the slowest clip)",
      .key = OPTION_FPS },
    { .name = "behaviours",
      .value = "FILE.json",
      .help = "what is done in which frames, in the form of the demo's truth.json (default: the "
              "labels of the clips, each for the whole clip)",
      .key = OPTION_BEHAVIOURS },
    { .name = "weights",
      .value = "W,W,...",
      .help = "connected: of the second segment in interpolations, each between 0 and 1, rising "
              "(default: as many as it takes for small steps between them)",
      .key = OPTION_WEIGHTS },
    { .name = "mu",
      .value = "MU",
      .help = "connected: best paths may cost so much more if they use nodes that are needed "
              "anyway; 1 keeps the best ones, 5 makes small graphs (default: 1)",
      .key = OPTION_MU },
    { .name = "smoothness",
      .value = "SHARE",
      .help = "connected: how much the smoothness of a path counts beside its length, 0 to 1 "
              "(default: 0.5)",
      .key = OPTION_SMOOTHNESS },
    { .name = "unreduced",
      .help = "connected: keep every interpolated node",
      .key = OPTION_UNREDUCED },
    SWEEP_OPTION,
    METRIC_OPTIONS_FOR_GRAPHS,
    { 0 },
};

const option_row graph_stats_options[] = {
    SWEEP_OPTION,
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

const option_row graph_train_options[] = {
    { .name = "directions",
      .value = "N",
      .help = "how many directions of a wish are told apart, 8 to 64 (default: 24)",
      .key = OPTION_DIRECTIONS },
    { .name = "speeds",
      .value = "V,V,...",
      .help = "the speeds that can be wished for, cm/s, rising (default: 0 and up to three, well "
              "apart, that the motions do)",
      .key = OPTION_SPEEDS },
    { .name = "discount",
      .value = "D",
      .help = "what a second later counts beside one now, 0 to 1 (default: 0.6)",
      .key = OPTION_DISCOUNT },
    { .name = "poor",
      .value = "S",
      .help = "what the quality lost at a transition counts for, in seconds of following perfectly "
              "(default: 1)",
      .key = OPTION_POOR },
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
      .usage = "LIB NAME [CLIP...]",
      .summary = "make a motion graph of clips and keep it in their library",
      .description = { "Without CLIP all clips of the library that have the joints of its first "
                       "one "
                       "are taken, or those with --label. Frames that are no captured motion never "
                       "get into a graph.",
                       "Frames are nodes. Where two are alike, and less so around them, the motion "
                       "can go on from the one to what comes behind the other. Without "
                       "--threshold only smooth transitions are kept: the fastest joint gets at "
                       "most 1.1 times as fast as around it. The answer says "
                       "which share of the frames can all reach each other: walks stay in it, so "
                       "that there is never a dead end.",
                       "A connected graph also has interpolations between all segments in which "
                       "the "
                       "same feet stand, reduced to those that best ways between captured frames "
                       "need. It is better connected, with smoother and quicker transitions, and "
                       "is used in the same way.",
                       "A graph of that name is replaced, and its policy goes." },
      .examples = { "marey graph build moves.marey all",
                    "marey graph build moves.marey walks --label walk --sweep 5,10,20,40",
                    "marey graph build demo.marey mine --behaviours truth.json",
                    "marey graph build moves.marey some 07_03 07_08 --kind connected --mu 5" },
      .options = graph_build_options,
      .operands_least = 2,
      .run = command_graph_build },
    { .verb = "graph stats",
      .usage = "LIB NAME",
      .summary = "measure how well a motion graph is connected",
      .description = { "Says how many of its frames can all reach each other, which share of all "
                       "pairs of frames are connected and how long that takes on average, and, if "
                       "there are labels, how long it takes from anywhere to whatever is wanted "
                       "(local maneuverability)." },
      .examples = { "marey graph stats demo.marey standard",
                    "marey graph stats demo.marey standard --matrix matrix.png --closure reach.png",
                    "marey graph stats demo.marey standard --sweep 5,10,20,40 --json" },
      .options = graph_stats_options,
      .operands_least = 2,
      .operands_most = 2,
      .run = command_graph_stats },
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
      .usage = "LIB NAME",
      .summary = "make the policy that steers a motion graph, and keep it",
      .description = { "Finds, for every node and every wish, which way to take, so that wishes "
                       "are "
                       "followed soon and transitions are good. marey graph control and the "
                       "studio's Play panel need it. It goes when its graph is built again." },
      .examples = { "marey graph train demo.marey standard",
                    "marey graph train demo.marey standard --speeds 0,80,140 --poor 2" },
      .options = graph_train_options,
      .operands_least = 2,
      .operands_most = 2,
      .run = command_graph_train },
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
      .usage = "LIB",
      .summary = "list the motion graphs that a library keeps",
      .description = { "A graph whose clips were removed is listed as well, but cannot be used "
                       "until "
                       "they are restored." },
      .examples = { "marey graph ls demo.marey", "marey graph ls demo.marey --json" },
      .options = no_options,
      .operands_least = 1,
      .operands_most = 1,
      .run = command_graph_ls },
    { .verb = "graph rm",
      .operation = &app_graph_rm,
      .show = show_forgotten,
      .examples = { "marey graph rm demo.marey standard" } },
    { 0 },
};
