/* cluster_commands.c - the commands of the family `cluster`, and their options. */
#include "command_options.h"
#include "commands.h"
#include "shared_options.h"

/* ---- options --------------------------------------------------------------------------------------- */

static const option_row cluster_build_options[] = {
    { .name = "link",
      .value = "LINK",
      .help = "complete: any two frames of a node are alike; single: each is like another one, so "
              "that nodes may be chains (default: complete)",
      .key = OPTION_LINK,
      .words = WORDS_LINKS },
    { .name = "threshold",
      .value = "E",
      .help = "how far apart frames that are alike may be (default: points 200 cm2, that is 14 cm; "
              "other metrics have none)",
      .key = OPTION_THRESHOLD },
    { .name = "fps",
      .value = "N",
      .help = "frames a second of the graph (default: 30, or that of the slowest clip)",
      .key = OPTION_FPS },
    { .name = "label",
      .value = "LABEL",
      .help = "only clips with this label (default: all)",
      .key = OPTION_LABEL },
    { .name = "from-example",
      .value = "QUERY",
      .help = "the clips that are most like an example: as for marey example",
      .key = OPTION_FROM_EXAMPLE },
    { .name = "count",
      .value = "N",
      .help = "how many clips are taken from those that the example finds (default: 5)",
      .key = OPTION_COUNT },
    DOF_OPTION("of the example: which signals are compared, as for marey example"),
    K_OPTION,
    NOISE_OPTION,
    SHAPE_OPTION,
    PLAIN_OPTION,
    WHOLE_OPTION,
    METRIC_OPTIONS_FOR_MAKING,
    { 0 },
};

static const option_row cluster_show_options[] = {
    { .name = "node",
      .value = "N",
      .help = "what is in this node: its sequences, and where one can switch",
      .key = OPTION_NODE },
    { .name = "limit",
      .value = "N",
      .help = "how many nodes are listed (default: 20), or drawn (default: 40, at most 200)",
      .key = OPTION_LIMIT },
    CLIP_OUTPUT_OPTION("draw the graph (.png, .svg, .pdf)"),
    { 0 },
};

static const option_row cluster_stitch_options[] = {
    CLIP_OUTPUT_OPTION("what to write: a file, or LIB.marey:NAME"),
    { .name = "leave",
      .value = "F",
      .help = "leave A at this frame, or time as in 1.5s (default: where it is best)",
      .key = OPTION_LEAVE },
    { .name = "enter",
      .value = "F",
      .help = "come into B at this frame, or time (default: where it is best)",
      .key = OPTION_ENTER },
    { .name = "within",
      .value = "S",
      .help = "how far from these the switch may be, in seconds (default: 0.3)",
      .key = OPTION_WITHIN },
    { .name = "nodes",
      .value = "N,N,...",
      .help = "go through these nodes, in this order",
      .key = OPTION_NODES },
    { .name = "plot",
      .value = "FILE",
      .help = "draw curves of both clips and of what was made (.png, .svg, .pdf)",
      .key = OPTION_PLOT },
    DOF_OPTION("the signals of --plot (default: what bends the left knee, the left hip and the "
               "right elbow)"),
    { .name = "fps",
      .value = "N",
      .help = "frames a second of what is made (default: those of A)",
      .key = OPTION_FPS },
    ROUGH_OPTION,
    LEAVE_FEET_OPTION,
    STRETCH_OPTION,
    OUT_PROVENANCE_OPTION,
    { 0 },
};

static const option_row cluster_loop_options[] = {
    CLIP_OUTPUT_OPTION("also write the best one: a file, or LIB.marey:NAME"),
    { .name = "count",
      .value = "N",
      .help = "how many loops are listed (default: 5)",
      .key = OPTION_COUNT },
    { .name = "shortest",
      .value = "S",
      .help = "no shorter loops, in seconds (default: 0.5)",
      .key = OPTION_SHORTEST },
    { .name = "longest", .value = "S", .help = "no longer ones", .key = OPTION_LONGEST },
    { .name = "in-place",
      .help = "the body stays over one point of the floor",
      .key = OPTION_IN_PLACE },
    LEAVE_FEET_OPTION,
    STRETCH_OPTION,
    OUT_PROVENANCE_OPTION,
    { 0 },
};

/* ---- commands -------------------------------------------------------------------------------------- */

const command cluster_actions[] = {
    { .verb = "cluster build",
      .usage = "LIB NAME [CLIP...]",
      .summary = "make a cluster graph of clips and keep it in their library",
      .description = { "Without CLIP all clips of the library that have the joints of its first "
                       "one "
                       "are taken, those with --label, or the best that --from-example finds. "
                       "Frames that are no captured motion never get into a graph.",
                       "Of all frames the two nodes that are least apart are joined, again and "
                       "again, until none are within the threshold. With complete links that is "
                       "how "
                       "far any two frames of a node may be apart, so that one can switch between "
                       "any of its sequences; with single links nodes grow into chains, whose ends "
                       "may be quite different.",
                       "The answer says which nodes have several clips, and in which a clip can go "
                       "on for ever. A cluster graph of that name is replaced." },
      .examples = { "marey cluster build demo.marey mine walk_straight walk_left idles",
                    "marey cluster build moves.marey all --link single --threshold 25",
                    "marey cluster build moves.marey like 02_01 07_03 --metric angles --threshold "
                    "0.5",
                    "marey cluster build moves.marey walks --from-example walk.bvh#1s-3s --count "
                    "8" },
      .options = cluster_build_options,
      .operands_least = 2,
      .run = command_cluster_build },
    { .verb = "cluster show",
      .usage = "LIB NAME",
      .summary = "say what is in a cluster graph, and draw it",
      .description = { "Lists the nodes, those with most clips first; with --node the sequences of "
                       "one, where each goes on, and the frames at which one can switch from any "
                       "of them to any other.",
                       "The picture has nodes as cards, larger where they have more frames, with "
                       "the pose of their middle and a bar for each clip." },
      .examples = { "marey cluster show demo.marey moves",
                    "marey cluster show demo.marey moves --node 3 --json",
                    "marey cluster show demo.marey moves -o moves.png" },
      .options = cluster_show_options,
      .operands_least = 2,
      .operands_most = 2,
      .run = command_cluster_show },
    { .verb = "cluster stitch",
      .usage = "LIB NAME A B -o OUT",
      .summary = "make a clip that goes from one clip over into another",
      .description = { "A may be CLIP, CLIP#20, which begins with frame 20, or CLIP#20-120, which "
                       "is "
                       "also left at about frame 120. B may be CLIP, CLIP#200, which ends with "
                       "frame "
                       "200, or CLIP#80-200, which is also entered at about frame 80.",
                       "Where a node has both clips one switch is enough; otherwise the way goes "
                       "through other clips. The pieces are laid on each other, what differs where "
                       "they meet is spread over both sides, and planted feet are held.",
                       "If there is no switch so near to the frame that was asked for, the message "
                       "says where the nearest is.",
                       "OUT may be LIB.marey:NAME. The clip remembers its pieces, with their "
                       "frames "
                       "and licences." },
      .examples = { "marey cluster stitch demo.marey moves walk_straight walk_left -o turn.bvh",
                    "marey cluster stitch demo.marey moves walk_straight#20 walk_left --leave 200 "
                    "--within 0.3 -o turn.bvh",
                    "marey cluster stitch demo.marey moves walk_left walk_left --nodes 3,7 -o "
                    "long.bvh",
                    "marey cluster stitch demo.marey moves walk_straight walk_left -o turn.bvh "
                    "--plot turn.png" },
      .options = cluster_stitch_options,
      .operands_least = 4,
      .operands_most = 4,
      .run = command_cluster_stitch },
    { .verb = "cluster loop",
      .usage = "LIB NAME CLIP",
      .summary = "find where a clip can go on for ever, and make a loop of it",
      .description = { "A node that has several sequences of one clip lets it go back from a later "
                       "one to an earlier one. The loops are listed, the best first; with -o the "
                       "best is written as a clip whose end goes on in its beginning." },
      .examples = { "marey cluster loop demo.marey moves walk_straight",
                    "marey cluster loop demo.marey moves walk_straight --shortest 1 --in-place -o "
                    "loop.bvh" },
      .options = cluster_loop_options,
      .operands_least = 3,
      .operands_most = 3,
      .run = command_cluster_loop },
    { .verb = "cluster ls",
      .usage = "LIB",
      .summary = "list the cluster graphs that a library keeps",
      .description = { "A cluster graph whose clips were removed is listed as well, but cannot be "
                       "used until they are restored." },
      .examples = { "marey cluster ls demo.marey", "marey cluster ls demo.marey --json" },
      .options = no_options,
      .operands_least = 1,
      .operands_most = 1,
      .run = command_cluster_ls },
    { .verb = "cluster rm",
      .operation = &app_cluster_rm,
      .show = show_forgotten,
      .examples = { "marey cluster rm demo.marey moves" } },
    { 0 },
};
