/* graph_commands.c - the commands of the family `graph`, and their options. */
#include "commands.h"
#include "shared_options.h"

/* ---- options --------------------------------------------------------------------------------- */

static const option_row graph_stats_options[] = {
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

static const option_row graph_clip_options[] = {
    NEEDED_OUTPUT_OPTION("what to write: a file, or LIB.marey:NAME"),
    OUT_PROVENANCE_OPTION,
    { 0 },
};

/* ---- commands -------------------------------------------------------------------------------- */

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
    { .verb = "graph path",
      .operation = &app_graph_path,
      .show = show_graph_path,
      .examples = { "marey graph path demo.marey standard --path '0,0 300,0 300,300'",
                    "marey graph path demo.marey standard --path drawn.csv --json" } },
    { .verb = "graph walk",
      .operation = &app_graph_walk,
      .show = show_graph_walk,
      .examples = { "marey graph walk demo.marey standard --length 20s -o walk.bvh",
                    "marey graph walk demo.marey standard --from walk#30 --to kicks#200 -o "
                    "kick.bvh",
                    "marey graph walk demo.marey standard --through walk,sit,walk -o rest.bvh",
                    "marey graph walk demo.marey standard --path '0,0 300,0 600,300' --style walk "
                    "-o "
                    "curve.bvh" },
      .options = graph_clip_options },
    { .verb = "graph train",
      .operation = &app_graph_train,
      .show = show_graph_trained,
      .examples = { "marey graph train demo.marey standard",
                    "marey graph train demo.marey standard --speeds 0,80,140 --poor 2" } },
    { .verb = "graph control",
      .operation = &app_graph_control,
      .show = show_graph_control,
      .examples = { "marey graph control demo.marey standard --script inputs.csv -o way.bvh "
                    "--json",
                    "marey graph control demo.marey standard --script inputs.csv --controller "
                    "matching -o way.bvh" },
      .options = graph_clip_options },
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
