/* commands.c - every command of the program. */
#include "commands.h"

#include "shared_options.h"

/* ---- what the program adds to their options -------------------------------------------------- */

static const option_row demo_options[] = {
    { .name = "seed",
      .value = "N",
      .help = "makes other variations of the same takes (default: 1)",
      .key = OPTION_SEED },
    { .name = "take",
      .value = "NAME",
      .help = "only this take; may be given several times",
      .key = OPTION_TAKE,
      .repeats = true },
    { 0 },
};

static const option_row info_options[] = {
    { .name = "units",
      .value = "UNITS",
      .help = "the unit of length in the file (default: guessed from the size of the body)",
      .key = OPTION_UNITS,
      .words = WORDS_UNITS },
    { .name = "up",
      .value = "AXIS",
      .help = "the axis that points up in the file (default: guessed from how the body stands)",
      .key = OPTION_UP,
      .words = WORDS_UP },
    { .name = "source-fps",
      .value = "N",
      .help = "frames a second, whatever the file claims",
      .key = OPTION_SOURCE_FPS },
    { .name = "skip-first",
      .help = "drop the first frame, which many converters invent",
      .key = OPTION_SKIP_FIRST },
    { .name = "skeleton",
      .value = "FILE",
      .help = "the ASF skeleton of AMC files (default: the nearest by name in the file's folder, "
              "else in the one above)",
      .key = OPTION_SKELETON },
    { .name = "take",
      .value = "NAME",
      .help = "which take of a glTF or FBX file, by its name or its number from 1 (default: the "
              "longest)",
      .key = OPTION_TAKE },
    LIBRARY_OPTION,
    { .name = "long",
      .help = "the full report of every clip, however many there are",
      .key = OPTION_LONG },
    { 0 },
};

static const option_row convert_options[] = {
    LIBRARY_OPTION,
    OUT_PROVENANCE_OPTION,
    { 0 },
};

static const option_row library_options[] = {
    LIBRARY_OPTION,
    { 0 },
};

static const option_row grid_options[] = {
    { .name = "output",
      .letter = 'o',
      .value = "FILE",
      .help =
          "the numbers as .npy, or a picture as .png, .svg or .pdf (default: nothing is written)",
      .key = OPTION_OUTPUT },
    { .name = "minima",
      .help = "mark in the picture the cells that are less than all four beside them",
      .key = OPTION_MINIMA },
    LIBRARY_OPTION,
    { 0 },
};

static const option_row similar_options[] = {
    { .name = "output",
      .letter = 'o',
      .value = "FILE",
      .help = "draw the grid with the pairs as dots: .png, .svg or .pdf",
      .key = OPTION_OUTPUT },
    { .name = "cut",
      .value = "OUT",
      .help = "write A up to the best pair and B from there on, as a file or LIB.marey:NAME",
      .key = OPTION_CUT },
    PROVENANCE_OPTION(
        "beside the cut's file, OUT.provenance.json: sources, their frames and licences, settings"),
    LIBRARY_OPTION,
    { 0 },
};

static const option_row studio_options[] = {
    { .name = "port",
      .value = "N",
      .help = "the port to listen on (default: one that is free)",
      .key = OPTION_PORT },
    { .name = "no-browser", .help = "do not open a browser", .key = OPTION_NO_BROWSER },
    { .name = "allow-host",
      .value = "HOST:PORT",
      .help = "also answer to this address, as through a tunnel; may be given several times",
      .key = OPTION_ALLOW_HOST,
      .repeats = true },
    { 0 },
};

static const option_row mcp_options[] = {
    { .name = "write",
      .help = "let tools change the libraries: save clips, label, cut, remove, undo",
      .key = OPTION_WRITE },
    { .name = "tool",
      .value = "NAME",
      .help = "offer this tool, such as search or graph_walk, and others that are given so, in "
              "place of all",
      .key = OPTION_TOOL,
      .repeats = true },
    { 0 },
};

static const option_row align_options[] = {
    { .name = "output",
      .letter = 'o',
      .value = "FILE",
      .help = "of two clips: the path as .npy, or the grid with the path over it as .png, .svg or "
              ".pdf (default: nothing is written)",
      .key = OPTION_OUTPUT },
    LIBRARY_OPTION,
    { 0 },
};

static const option_row transition_options[] = {
    CLIP_OUTPUT_OPTION("write the first clip, the transition and the second clip as one, as a file "
                       "or LIB.marey:NAME (default: cuts are only listed)"),
    { .name = "sheet",
      .value = "FILE",
      .help = "draw the second around each cut of the list: .png, .svg or .pdf",
      .key = OPTION_SHEET },
    OUT_PROVENANCE_OPTION,
    LIBRARY_OPTION,
    { 0 },
};

static const option_row clip_options[] = {
    NEEDED_OUTPUT_OPTION("what to write: a file, or LIB.marey:NAME"),
    OUT_PROVENANCE_OPTION,
    LIBRARY_OPTION,
    { 0 },
};

static const option_row retarget_options[] = {
    CLIP_OUTPUT_OPTION("what to write: a file, LIB.marey:NAME, or of several clips a folder"),
    OUT_PROVENANCE_OPTION,
    LIBRARY_OPTION,
    { 0 },
};

static const option_row solve_options[] = {
    NEEDED_OUTPUT_OPTION("what to write: a file, or LIB.marey:NAME"),
    OUT_PROVENANCE_OPTION,
    { 0 },
};

static const option_row loop_options[] = {
    CLIP_OUTPUT_OPTION("write the best loop, as a file or LIB.marey:NAME (default: loops are only "
                       "listed)"),
    OUT_PROVENANCE_OPTION,
    LIBRARY_OPTION,
    { 0 },
};

static const option_row search_options[] = {
    { .name = "sheet",
      .value = "FILE",
      .help = "draw the query and its matches as strips: .png, .svg or .pdf",
      .key = OPTION_SHEET },
    { .name = "output",
      .letter = 'o',
      .value = "DIR",
      .help = "write every match as a file to this folder, which is made if it is not there",
      .key = OPTION_OUTPUT },
    { .name = "format",
      .value = "FORMAT",
      .help = "the format of these files (default: bvh)",
      .key = OPTION_FORMAT,
      .words = WORDS_FORMATS },
    { 0 },
};

static const option_row motifs_options[] = {
    { .name = "output",
      .letter = 'o',
      .value = "FILE",
      .help = "draw the examples as strips: .png, .svg or .pdf",
      .key = OPTION_OUTPUT },
    { 0 },
};

static const option_row example_options[] = {
    CLIP_OUTPUT_OPTION("also make a clip of the best way: a file, or LIB.marey:NAME"),
    OUT_PROVENANCE_OPTION,
    { 0 },
};

/* ---- commands -------------------------------------------------------------------------------- */

const command commands[] = {
    { .verb = "demo",
      .usage = "DIR",
      .summary = "make clips to try things with, and the truth about them",
      .description = { "The motion is made, not captured: walking, running, reaching, kicking, "
                       "sitting and more, by two bodies, with no two repetitions alike. So it is "
                       "known exactly what happens when. The same seed gives the same bytes on "
                       "every machine.",
                       "Writes DIR/NAME.bvh for every take; DIR/truth.json, which says what is "
                       "done in which frames, with which hand or foot and to which target, and "
                       "when heels, toes and hands are planted; and DIR/demo.marey, a library of "
                       "all "
                       "takes with labels and foot plants; with reach, a family of motions "
                       "that marey param makes reaches from; with standard and connected, graphs "
                       "that marey graph walks through; with moves, a cluster graph; and with "
                       "five puppets, who react as marey puppet says. DIR/puppets has their "
                       "demonstrations as tables, and main.csv, a path to try them on.",
                       "DIR is made if it is not there. Files of these names are replaced; a "
                       "demo.marey with clips, or things kept of them, that are not from here is "
                       "refused." },
      .examples = { "marey demo demo", "marey demo more --seed 2",
                    "marey demo few --take kicks --take punches" },
      .options = demo_options,
      .operands_least = 1,
      .operands_most = 1,
      .run = command_demo },
    { .verb = "info",
      .usage = "FILE...",
      .summary = "say what is in motion files, and what was noticed while reading them",
      .description = { "Reads each file and reports its frames, rate, skeleton, the joints' roles, "
                       "units and up axis with the reason for each, frames that are no captured "
                       "motion, warnings, and findings as marey doctor has them.",
                       "A folder stands for all files below it, in sorted order; hidden ones and "
                       "links to folders are left out. Files of no known format are skipped and "
                       "listed. A file that fails to read is reported, the others are still "
                       "read, and the exit status is 1.",
                       "More than 8 files are shown as a table of one line each.",
                       "With -L the names are those of clips in a library, with their labels, "
                       "labelled frames and repairs." },
      .examples = { "marey info walk.bvh", "marey info takes --json",
                    "marey info -L moves.marey 144_06" },
      .options = info_options,
      .operands_least = 1,
      .run = command_info },
    { .verb = "convert",
      .operation = &app_convert,
      .check = check_converting,
      .show = show_converted,
      .exit = exit_converted,
      .wrote = wrote_converted,
      .examples = { "marey convert walk.bvh#1.5s-3s step.bvh",
                    "marey convert captures --to glb -o out --fps 30 --name '{subject}_{number}'",
                    "marey convert kicks/*.bvh --to bvh -o out --for unreal",
                    "marey convert walk.bvh small.bvh --fps 30 --mirror",
                    "marey convert walk.bvh run.bvh both.bvh --align",
                    "marey convert -L moves.marey 144_06#0-240 moves.marey:start --mirror" },
      .options = convert_options },
    { .verb = "positions",
      .operation = &app_positions,
      .show = show_positions,
      .examples = { "marey positions walk.bvh -o walk.npy",
                    "marey positions -L moves.marey 144_06 -o 144_06.npy" },
      .options = library_options },
    { .verb = "solve",
      .operation = &app_solve,
      .show = show_solve,
      .examples = { "marey solve joints.npz -o walk.bvh",
                    "marey solve poses.npy --preset coco17 --source-fps 30 -o poses.glb",
                    "marey solve gait.c3d --map markers.csv -o moves.marey:gait" },
      .options = solve_options },
    { .verb = "render",
      .operation = &app_render,
      .show = show_rendered,
      .check = check_rendering,
      .exit = exit_rendered,
      .examples = { "marey render walk.bvh -o walk.png", "marey render takes -o takes.pdf",
                    "marey render -L moves.marey -o moves.png",
                    "marey render -L moves.marey --label kick -o kicks.svg",
                    "marey render -L moves.marey 144_06#0-240 -o kick.mp4" },
      .options = library_options },
    { .verb = "formats",
      .operation = &app_formats,
      .show = show_formats,
      .examples = { "marey formats", "marey formats --json" } },
    { .verb = "contacts",
      .operation = &app_contacts,
      .show = show_contacts,
      .examples = { "marey contacts walk.bvh", "marey contacts -L moves.marey 144_06 --json",
                    "marey contacts -L moves.marey 144_06 --set plants.json" },
      .options = library_options },
    { .verb = "quality",
      .operation = &app_quality,
      .show = show_quality,
      .examples = { "marey quality walk.bvh", "marey quality -L moves.marey 144_06 --json" },
      .options = library_options },
    { .verb = "grid",
      .operation = &app_grid,
      .show = show_grid,
      .finish = finish_picture,
      .check = check_grid,
      .draw = draw_grid,
      .examples = { "marey grid walk.bvh run.bvh -o grid.npy",
                    "marey grid walk.bvh run.bvh -o grid.png --joints lee --minima",
                    "marey grid -L moves.marey 144_06 144_07 --metric angles --json" },
      .options = grid_options },
    { .verb = "similar",
      .operation = &app_similar,
      .show = show_similar,
      .finish = finish_picture,
      .check = check_similar,
      .draw = draw_similar,
      .wrote = wrote_cut,
      .write_wrote = write_cut,
      .examples = { "marey similar walk.bvh run.bvh --count 5",
                    "marey similar walk.bvh run.bvh --minima -o pairs.png",
                    "marey similar walk.bvh run.bvh --cut both.bvh --smooth 20" },
      .options = similar_options },
    { .verb = "compare",
      .operation = &app_compare,
      .show = show_compare,
      .examples = { "marey compare walk.bvh run.bvh --joints lee",
                    "marey compare -L moves.marey 144_06 144_07 --pairs 200 --json" },
      .options = library_options },
    { .verb = "weights",
      .operation = &app_weights,
      .show = show_weights,
      .examples = { "marey weights walk.bvh run.bvh --metric angles --joints lee",
                    "marey weights walk.bvh run.bvh --metric positions --space optimised" },
      .options = library_options },
    { .verb = "align",
      .operation = &app_align,
      .show = show_align,
      .check = check_align,
      .finish = finish_align,
      .draw = draw_align,
      .examples = { "marey align walk.bvh sneak.bvh", "marey align walk.bvh sneak.bvh -o path.png",
                    "marey align walk.bvh#120-300 jog.bvh --through 200,64 --json",
                    "marey align -L moves.marey walk jog run --save gaits" },
      .options = align_options },
    { .verb = "transition",
      .operation = &app_transition,
      .show = show_transition,
      .draw = draw_transition,
      .examples = { "marey transition walk.bvh jog.bvh",
                    "marey transition walk.bvh jog.bvh -o both.bvh",
                    "marey transition walk.bvh#120 jog.bvh#64 --half 20 -o both.bvh",
                    "marey transition -L moves.marey walk jog --near 120, --sheet cuts.png" },
      .options = transition_options },
    { .verb = "blend",
      .operation = &app_blend,
      .show = show_blend,
      .examples = { "marey blend walk.bvh#120-300 jog.bvh#60-200 --weights 0.5,0.5 -o between.bvh",
                    "marey blend a.bvh b.bvh c.bvh --weights-file w.csv -o tour.bvh",
                    "marey blend -L moves.marey --curve gaits --weights 1,2,1 -o moves.marey:mix" },
      .options = clip_options },
    { .verb = "clean",
      .operation = &app_clean,
      .show = show_clean,
      .examples = { "marey clean walk.bvh -o still.bvh",
                    "marey clean -L moves.marey 144_06 -o moves.marey:144_06-still --keep-root" },
      .options = clip_options },
    { .verb = "retarget",
      .operation = &app_retarget,
      .show = show_retargeted,
      .check = check_retargeting,
      .exit = exit_retargeted,
      .examples = { "marey retarget walk.bvh --onto hero.fbx -o hero_walk.fbx",
                    "marey retarget walk.bvh kick.bvh --onto hero.fbx --to fbx -o hero/",
                    "marey retarget --map-of walk.bvh hero.fbx > map.json",
                    "marey retarget walk.bvh --onto hero.fbx --map map.json -o hero_walk.fbx",
                    "marey retarget -L moves.marey 144_06 --onto walk_straight -o kick.bvh" },
      .options = retarget_options },
    { .verb = "map",
      .operation = &app_map_joints,
      .show = show_map,
      .examples = { "marey map walk.bvh hero.fbx > map.json",
                    "marey map -L moves.marey 144_06 hero --set map.json",
                    "marey map -L moves.marey 144_06 hero --forget" },
      .options = library_options },
    { .verb = "loop",
      .operation = &app_loop,
      .show = show_loop,
      .examples = { "marey loop walk.bvh", "marey loop walk.bvh -o cycle.bvh --in-place",
                    "marey loop walk.bvh#2s-6s --shortest 1 --longest 1.5 -o cycle.glb" },
      .options = loop_options },
    { .verb = "curves",
      .operation = &app_curves,
      .show = show_curves,
      .examples = { "marey curves moves.marey", "marey curves moves.marey --rm gaits" } },
    { .verb = "index",
      .operation = &app_index,
      .show = show_index,
      .examples = { "marey index moves.marey", "marey index moves.marey --fps 30 --ceiling 400",
                    "marey index moves.marey --metric angles --ceiling none",
                    "marey index moves.marey --web --shard 1/4 --out parts/1",
                    "marey index moves.marey --show --json" } },
    { .verb = "search",
      .operation = &app_search,
      .show = show_search,
      .finish = finish_search,
      .check = check_search,
      .examples = { "marey search moves.marey kicks#120-210",
                    "marey search moves.marey kicks#2s-3.5s --threshold 150 --sheet found.png",
                    "marey search moves.marey new-take.bvh#300-420 --label fight --tiers 1",
                    "marey search moves.marey walk#60-120 --distinct 0.5 --cut step --add step",
                    "marey search moves.marey kicks#120-210 --label-matches kick",
                    "marey search mine.marey theirs.marey theirs:kicks#120-210",
                    "marey search moves.marey '#34#120-210' --json --paths" },
      .options = search_options },
    { .verb = "motifs",
      .operation = &app_motifs,
      .show = show_motifs,
      .finish = finish_motifs,
      .check = check_motifs,
      .examples = { "marey motifs moves.marey", "marey motifs moves.marey -o motifs.png",
                    "marey motifs moves.marey --label fight --limit 5 --json" },
      .options = motifs_options },
    { .verb = "example",
      .operation = &app_example,
      .show = show_example,
      .check = check_example,
      .examples = { "marey example demo.marey walk_straight#120-300 --others",
                    "marey example demo.marey hip.csv --k 4 --best 3",
                    "marey example demo.marey walk.bvh#1s-3s --dof "
                    "LeftLeg.Xrotation,RightLeg.Xrotation --json",
                    "marey example demo.marey hip.csv --dof left_hip.Xrotation -o found.bvh" },
      .options = example_options },
    { .verb = "param",
      .usage = "ACTION ...",
      .summary = "motions by what they do: drag the hand, get the reach",
      .description = { "A family is made of examples of one motion, such as reaches to several "
                       "places. What "
                       "they differ in is said by features, such as where the hand is at its "
                       "farthest. The "
                       "family then makes the motion for any value of these between the examples: "
                       "it knows "
                       "what many blends of them do, and finds the blend that does what is asked "
                       "for.",
                       "build makes a family and keeps it in the library; make makes motions of "
                       "it; check "
                       "says how near they come to what was asked for; examine says which examples "
                       "do not "
                       "fit; prune leaves out those that are not needed. docs/parameters.md is a "
                       "page about "
                       "all of it." },
      .examples = { "marey param build demo.marey kicks --clips kicks#0-90,kicks#95-180,... "
                    "--feature 'position(right_ankle)'",
                    "marey param make demo.marey reach --at -15,125,48 -o reach.bvh" },
      .operands_least = 1,
      .actions = param_actions },
    { .verb = "cluster",
      .usage = "ACTION ...",
      .summary = "cluster graphs: reuse clips in pieces of half a dozen frames",
      .description = { "A cluster graph collects frames that are alike into nodes, whatever clips "
                       "they are from. Frames of a node that follow each other in a clip are a "
                       "sequence; inside a node the motion can switch from any of them to any "
                       "other. So a clip can be left at almost any time, and a clip that passes a "
                       "node several times closes into a loop.",
                       "build makes one and keeps it in the library; show says what is in it and "
                       "draws it; stitch goes from one clip over into another, at the time that is "
                       "asked for; loop makes a seamless loop of a clip. docs/clusters.md is a "
                       "page about all of it." },
      .examples = { "marey cluster build demo.marey mine walk_straight walk_left idles",
                    "marey cluster stitch demo.marey moves walk_straight walk_left --leave 200 -o "
                    "turn.bvh",
                    "marey cluster loop demo.marey moves walk_straight -o loop.bvh" },
      .operands_least = 1,
      .actions = cluster_actions },
    { .verb = "graph",
      .usage = "ACTION ...",
      .summary = "motion graphs: walk anywhere, along any path, never a dead end",
      .description = { "A motion graph knows from which frame of which clip the motion can go on "
                       "in "
                       "another one unnoticed. So it makes walks of any length out of captured "
                       "pieces: from here to there, through a list of actions, along a path on "
                       "the floor, or wherever it is steered.",
                       "build makes a graph and keeps it in the library; stats says how well it is "
                       "connected; walk makes clips of it; train makes a policy that can steer it, "
                       "and control runs one by a script. docs/graphs.md is a page about all of "
                       "it." },
      .examples = { "marey graph build moves.marey walks --kind connected --label walk",
                    "marey graph walk demo.marey standard --length 20s -o walk.bvh",
                    "marey graph control demo.marey standard --script inputs.csv -o way.bvh" },
      .operands_least = 1,
      .actions = graph_actions },
    { .verb = "puppet",
      .usage = "ACTION ...",
      .summary = "puppets: show how to react to a character, and it reacts",
      .description = { "A puppet is how one character reacts to another, learned from a pair of "
                       "paths on a plan: the main character, whom the player will move, and the "
                       "one that reacts to it. It needs a minute of demonstration, or less, and no "
                       "rules.",
                       "train learns from tables of paths or from the floor paths of two clips; "
                       "run lets it react to a new path, and can give it a body out of a motion "
                       "graph; show says what was learned and draws it. docs/puppets.md is a page "
                       "about all of it.",
                       "Tables are comma-separated values with a line of column names: time in "
                       "seconds, main_x, main_y in centimetres on a plan seen from above (x right, "
                       "y up), main_dir in radians counter-clockwise from x, and the same of who "
                       "reacts: react_x, react_y, react_dir." },
      .examples = { "marey puppet train puppets/shy.csv -o shy.puppet",
                    "marey puppet run shy.puppet puppets/main.csv -o out.csv --picture out.png" },
      .operands_least = 1,
      .actions = puppet_actions },
    { .verb = "add",
      .operation = &app_add,
      .show = show_added,
      .warn = warn_added,
      .exit = exit_added,
      .examples = { "marey add moves.marey takes --label-from-folder",
                    "marey add moves.marey --demo",
                    "marey add moves.marey cmu --index cmu-mocap-index-text.txt",
                    "marey add moves.marey walk.bvh --label walk --label slow" } },
    { .verb = "doctor",
      .operation = &app_doctor,
      .show = show_doctor,
      .exit = exit_doctor,
      .examples = { "marey doctor moves.marey", "marey doctor moves.marey --fix dropout --dry-run",
                    "marey doctor moves.marey --label walk --fix all",
                    "marey doctor moves.marey 144_06 --undo all",
                    "marey doctor walk.bvh --fix all -o mended.bvh" } },
    { .verb = "ls",
      .operation = &app_ls,
      .show = show_ls,
      .examples = { "marey ls moves.marey", "marey ls moves.marey climb --long",
                    "marey ls moves.marey --label walk --json" } },
    { .verb = "label",
      .operation = &app_label,
      .show = show_labelled,
      .examples = { "marey label moves.marey 144_06 144_07 --add punch --drop box",
                    "marey label moves.marey 144_06#120-300 --add kick",
                    "marey label moves.marey 144_06 --describe 'front kick'" } },
    { .verb = "set",
      .operation = &app_set,
      .show = show_set,
      .examples = { "marey set moves.marey 143_01 143_02 --source-fps 60",
                    "marey set moves.marey 144_06 --mark 0-12,880-900",
                    "marey set moves.marey robot --roles left_knee=Leg1,right_knee=Leg2",
                    "marey set moves.marey 144_06 --reset" } },
    { .verb = "rename",
      .operation = &app_rename,
      .show = show_renamed,
      .examples = { "marey rename moves.marey 144_06 kick" } },
    { .verb = "rm",
      .operation = &app_rm,
      .show = show_removed,
      .warn = warn_purged,
      .examples = { "marey rm moves.marey 144_06", "marey rm moves.marey '#34' --purge",
                    "marey rm moves.marey --purge" } },
    { .verb = "restore",
      .operation = &app_restore,
      .show = show_restored,
      .examples = { "marey restore moves.marey 144_06" } },
    { .verb = "cut",
      .operation = &app_cut_clips,
      .show = show_cuts,
      .examples = { "marey cut moves.marey 144_06#120-300 kick",
                    "marey cut moves.marey '#34#120-300' kick",
                    "marey cut moves.marey 144_06#0-90 left 144_06#90-180 right --label step" } },
    { .verb = "export",
      .operation = &app_export,
      .show = show_exported,
      .exit = exit_exported,
      .examples = { "marey export moves.marey 144_06 -o out",
                    "marey export moves.marey --label walk -o walks --provenance",
                    "marey export moves.marey --all --to fbx --for unreal --fps 30 -o out" } },
    { .verb = "history",
      .operation = &app_history,
      .show = show_history,
      .examples = { "marey history moves.marey" } },
    { .verb = "undo",
      .operation = &app_undo,
      .show = show_undone,
      .examples = { "marey undo moves.marey", "marey undo moves.marey 17",
                    "marey undo moves.marey --to 12" } },
    { .verb = "redo",
      .operation = &app_redo,
      .show = show_redone,
      .examples = { "marey redo moves.marey", "marey redo moves.marey --to 17" } },
    { .verb = "verify",
      .operation = &app_verify,
      .show = show_verified,
      .exit = exit_verified,
      .examples = { "marey verify moves.marey", "marey verify moves.marey --hash" } },
    { .verb = "merge",
      .operation = &app_merge,
      .show = show_merged,
      .examples = { "marey merge moves.marey parts/*",
                    "marey merge moves.marey parts/* --missing" } },
    { .verb = "studio",
      .usage = "LIB|FOLDER",
      .summary = "look at a library and work with it in the browser",
      .description = { "Starts a web server inside this program that only this computer can reach, "
                       "prints its "
                       "address on one line, and opens the browser there. LIB is made if it is not "
                       "there. "
                       "Ctrl-C ends it.",
                       "FOLDER is one of libraries (.marey): the page goes from one to the other "
                       "by "
                       "its header, and the panel Search looks in all of them.",
                       "The address holds a token that is new for every run; without it no one is "
                       "let in. "
                       "Whatever is done in the studio is shown there as a command line that does "
                       "the same.",
                       "From another computer: ssh -L 9000:localhost:8421 that-computer, there "
                       "marey studio LIB --port 8421 --no-browser --allow-host localhost:9000, and "
                       "here the "
                       "address it prints with port 9000 instead of 8421." },
      .examples = { "marey studio moves.marey",
                    "marey studio moves.marey --port 8421 --no-browser" },
      .options = studio_options,
      .operands_least = 1,
      .operands_most = 1,
      .run = command_studio,
      .serves = true },
    { .verb = "mcp",
      .usage = "LIB...",
      .summary = "let an agent work with libraries, by the Model Context Protocol",
      .description = { "An agent is a language model that calls tools. It starts this command and "
                       "talks to it over standard input and output, a JSON message a line; it is "
                       "not for a terminal. Every command that works on clips of a library is a "
                       "tool, with the same parameters and the answer of --json; pictures are sent "
                       "as PNG.",
                       "Tools see the libraries that are named here and nothing else of this "
                       "machine: they open no other file, and write none. Without --write they "
                       "change nothing. What was changed can be undone, by marey undo or the tool "
                       "undo, but for what rm purges.",
                       "Most clients read in a file how to start it: see docs/mcp.md." },
      .examples = { "marey mcp moves.marey", "marey mcp moves.marey takes.marey --write" },
      .options = mcp_options,
      .operands_least = 1,
      .run = command_mcp,
      .serves = true },
    { 0 },
};
