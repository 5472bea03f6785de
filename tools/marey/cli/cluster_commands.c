/* cluster_commands.c - the commands of the family `cluster`, and their options. */
#include "commands.h"
#include "shared_options.h"

/* ---- options --------------------------------------------------------------------------------- */

static const option_row cluster_show_options[] = {
    CLIP_OUTPUT_OPTION("draw the graph (.png, .svg, .pdf)"),
    { 0 },
};

static const option_row cluster_stitch_options[] = {
    NEEDED_OUTPUT_OPTION("what to write: a file, or LIB.marey:NAME"),
    { .name = "plot",
      .value = "FILE",
      .help = "draw curves of both clips and of what was made (.png, .svg, .pdf)",
      .key = OPTION_PLOT },
    { .name = "dof",
      .value = "JOINT.CHANNEL,...",
      .help =
          "the signals of --plot (default: what bends the left knee, the left hip and the right "
          "elbow)",
      .key = OPTION_DOF },
    OUT_PROVENANCE_OPTION,
    { 0 },
};

static const option_row cluster_loop_options[] = {
    CLIP_OUTPUT_OPTION("also write the best one: a file, or LIB.marey:NAME"),
    OUT_PROVENANCE_OPTION,
    { 0 },
};

/* ---- commands -------------------------------------------------------------------------------- */

const command cluster_actions[] = {
    { .verb = "cluster build",
      .operation = &app_cluster_build,
      .show = show_cluster_built,
      .examples = { "marey cluster build demo.marey mine walk_straight walk_left idles",
                    "marey cluster build moves.marey all --link single --threshold 25",
                    "marey cluster build moves.marey like 02_01 07_03 --metric angles --threshold "
                    "0.5",
                    "marey cluster build moves.marey walks --from-example walk.bvh#1s-3s --count "
                    "8" } },
    { .verb = "cluster show",
      .operation = &app_cluster_show,
      .show = show_cluster,
      .check = check_cluster_picture,
      .draw = draw_cluster,
      .examples = { "marey cluster show demo.marey moves",
                    "marey cluster show demo.marey moves --node 3 --json",
                    "marey cluster show demo.marey moves -o moves.png" },
      .options = cluster_show_options },
    { .verb = "cluster stitch",
      .operation = &app_cluster_stitch,
      .show = show_cluster_stitched,
      .check = check_cluster_stitch,
      .draw = draw_stitch,
      .examples = { "marey cluster stitch demo.marey moves walk_straight walk_left -o turn.bvh",
                    "marey cluster stitch demo.marey moves walk_straight#20 walk_left --leave 200 "
                    "--within 0.3 -o turn.bvh",
                    "marey cluster stitch demo.marey moves walk_left walk_left --nodes 3,7 -o "
                    "long.bvh",
                    "marey cluster stitch demo.marey moves walk_straight walk_left -o turn.bvh "
                    "--plot turn.png" },
      .options = cluster_stitch_options },
    { .verb = "cluster loop",
      .operation = &app_cluster_loop,
      .show = show_cluster_looped,
      .examples = { "marey cluster loop demo.marey moves walk_straight",
                    "marey cluster loop demo.marey moves walk_straight --shortest 1 --in-place -o "
                    "loop.bvh" },
      .options = cluster_loop_options },
    { .verb = "cluster ls",
      .operation = &app_cluster_ls,
      .show = show_clusters,
      .examples = { "marey cluster ls demo.marey", "marey cluster ls demo.marey --json" } },
    { .verb = "cluster rm",
      .operation = &app_cluster_rm,
      .show = show_forgotten,
      .examples = { "marey cluster rm demo.marey moves" } },
    { 0 },
};
