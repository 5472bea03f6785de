/* puppet_commands.c - the commands of the family `puppet`, and their options. */
#include "command_options.h"
#include "commands.h"
#include "shared_options.h"

/* ---- options --------------------------------------------------------------------------------------- */

#define PUPPET_LIBRARY_OPTION(text)                                                                \
    {                                                                                              \
        .name = "library", .letter = 'L', .value = "FILE", .help = (text), .key = OPTION_LIBRARY   \
    }

#define PICTURE_OPTION(text)                                                                       \
    {                                                                                              \
        .name = "picture", .value = "FILE", .help = (text), .key = OPTION_PICTURE                  \
    }

static const option_row puppet_train_options[] = {
    CLIP_OUTPUT_OPTION("what to write: a file NAME.puppet, LIB.marey:NAME, or with -L a name"),
    PUPPET_LIBRARY_OPTION("the clips of --clips, and the puppet of -o, are names in this library"),
    { .name = "clips",
      .value = "A B",
      .help = "also learn from the floor paths of two clips that are played at the same time: A is "
              "the main character, B reacts to it; may be given several times",
      .key = OPTION_CLIPS,
      .repeats = true,
      .pair = true },
    { .name = "rate",
      .value = "N",
      .help = "steps a second, 5 to 240 (default: 60)",
      .key = OPTION_RATE },
    { .name = "window",
      .value = "S",
      .help = "situations are compared over so many seconds, 4 to 128 steps (default: 0.5)",
      .key = OPTION_WINDOW },
    { .name = "gap",
      .value = "S",
      .help = "rows that are farther apart, in seconds, cut a demonstration in two (default: 0.5)",
      .key = OPTION_GAP },
    { .name = "about",
      .value = "TEXT",
      .help = "a line for people, which a library keeps with it (default: what it was trained on)",
      .key = OPTION_ABOUT },
    READING_OPTIONS(WORDS_UNITS),
    { 0 },
};

static const option_row puppet_run_options[] = {
    CLIP_OUTPUT_OPTION("the paths of both, a row for each row of MAIN.csv (.csv)"),
    PUPPET_LIBRARY_OPTION("the puppet and the graph are names in this library"),
    { .name = "start",
      .value = "X,Y,DIR",
      .help = "where it stands at first, in centimetres and radians (default: in the relation to "
              "the main character that its first demonstration starts with)",
      .key = OPTION_START },
    { .name = "balance",
      .value = "SHARE",
      .help = "how many of its steps are led by the situation; the rest go on with what it does, "
              "0.01 to 0.99 (default: 0.5)",
      .key = OPTION_BALANCE },
    { .name = "weight",
      .value = "W",
      .help = "how much going on counts, held fast instead of being adjusted for --balance",
      .key = OPTION_WEIGHT },
    { .name = "rough",
      .help = "no smoothing and no detail: just what the best match says",
      .key = OPTION_ROUGH },
    PICTURE_OPTION("draw both paths, seen from above (.png, .svg, .pdf)"),
    { .name = "body",
      .value = "OUT",
      .help = "also make a body that goes where the puppet goes: a clip's file, or LIB.marey:NAME; "
              "needs -L and --graph",
      .key = OPTION_BODY },
    { .name = "graph",
      .value = "NAME",
      .help = "of --body: the motion graph of -L that it walks with, which has a policy",
      .key = OPTION_GRAPH },
    { .name = "fps",
      .value = "N",
      .help = "of --body: frames a second (default: those of the graph's first clip)",
      .key = OPTION_FPS },
    { .name = "leave-feet",
      .help = "of --body: do not hold planted feet in place",
      .key = OPTION_NO_CLEAN },
    { .name = "stretch",
      .value = "SHARE",
      .help = "of --body: bones of the legs may get longer by this share near full extension, 0 to "
              "0.2 (default: 0.03 where the file has room for that, else 0)",
      .key = OPTION_STRETCH },
    PROVENANCE_OPTION("of --body: also write OUT.provenance.json: sources, their frames and "
                      "licences, settings"),
    { 0 },
};

static const option_row puppet_show_options[] = {
    PUPPET_LIBRARY_OPTION("the puppet is a name in this library"),
    PICTURE_OPTION("draw one of its runs, seen from above (.png, .svg, .pdf)"),
    { .name = "run",
      .value = "N",
      .help = "which run --picture draws, counted from 1 (default: the longest)",
      .key = OPTION_RUN },
    { .name = "csv",
      .value = "FILE",
      .help = "write its demonstrations as a table again, runs one behind the other (.csv)",
      .key = OPTION_CSV },
    { 0 },
};

/* ---- commands -------------------------------------------------------------------------------------- */

const command puppet_actions[] = {
    { .verb = "puppet train",
      .usage = "DEMO.csv... -o P.puppet",
      .summary = "learn how to react from a demonstration",
      .description = { "DEMO.csv is a table with a line of column names and then a row for "
                       "each moment: time (seconds, rising), main_x, main_y (centimetres on a "
                       "plan seen from above, x right, y up), main_dir (radians, "
                       "counter-clockwise from x), and the same of the one that reacts: react_x, "
                       "react_y, react_dir. Columns may be in any order; further ones are "
                       "passed over. Semicolons, tabs and decimal commas are understood as "
                       "spreadsheets write them.",
                       "Several tables are several demonstrations of one behaviour. --clips A "
                       "B adds the floor paths of two clips, where the hips are and face; A "
                       "and B may name frames, as in walk.bvh#120-300. Frames that are no "
                       "captured motion are left out.",
                       "Where rows are farther apart than --gap a demonstration is cut in two, "
                       "and the answer says where. Half a minute in which everything happens "
                       "once is enough.",
                       "P.puppet may also be LIB.marey:NAME, or with -L LIB a name; a puppet "
                       "of that name is replaced.",
                       "The licences of clips go with the puppet: marey puppet show and run say "
                       "it if one of them is for non-commercial use only." },
      .examples = { "marey puppet train puppets/shy.csv -o shy.puppet",
                    "marey puppet train first.csv second.csv -o demo.marey:mine",
                    "marey puppet train -L demo.marey first.csv -o mine --about 'keeps its "
                    "distance'",
                    "marey puppet train --clips leader.bvh follower.bvh -o follows.puppet",
                    "marey puppet train -L demo.marey --clips walk_left walk_straight -o beside" },
      .options = puppet_train_options,
      .run = command_puppet_train },
    { .verb = "puppet run",
      .usage = "P.puppet MAIN.csv -o OUT.csv",
      .summary = "let a puppet react to a path of the main character",
      .description = { "MAIN.csv has the columns time,main_x,main_y,main_dir, in seconds, "
                       "centimetres and radians as for marey puppet train; further columns are "
                       "passed over. OUT.csv has these and react_x,react_y,react_dir: one row "
                       "for each row of MAIN.csv, at the same times.",
                       "P.puppet is what marey puppet train wrote, or LIB.marey:NAME, or with "
                       "-L LIB a name.",
                       "With --body OUT a whole body goes where the puppet goes: a clip out of "
                       "the motion graph that -L LIB --graph NAME names, steered by the policy "
                       "that marey graph train made for it. A body takes steps and cannot do "
                       "all that a point can; the answer says how far it is away from the "
                       "puppet.",
                       "The same files give the same bytes every time." },
      .examples = { "marey puppet run shy.puppet puppets/main.csv -o out.csv",
                    "marey puppet run -L demo.marey follower puppets/main.csv -o out.csv --picture "
                    "out.png",
                    "marey puppet run demo.marey:bully puppets/main.csv -o out.csv --start "
                    "200,0,3.14",
                    "marey graph train demo.marey standard",
                    "marey puppet run -L demo.marey follower puppets/main.csv -o out.csv --graph "
                    "standard --body body.bvh" },
      .options = puppet_run_options,
      .operands_least = 2,
      .operands_most = 2,
      .run = command_puppet_run },
    { .verb = "puppet show",
      .usage = "P.puppet",
      .summary = "say what a puppet has learned, and draw it",
      .description = { "P.puppet is a file, or LIB.marey:NAME, or with -L LIB a name. The "
                       "answer has its runs and how long they are, how far from the main "
                       "character it stays, how fast it goes and where it looks.",
                       "--csv writes the demonstrations as a table again, at the puppet's own "
                       "rate; marey puppet train takes it, alone or beside others." },
      .examples = { "marey puppet show shy.puppet",
                    "marey puppet show -L demo.marey shy --picture shy.png",
                    "marey puppet show demo.marey:shy --csv shy.csv --json" },
      .options = puppet_show_options,
      .operands_least = 1,
      .operands_most = 1,
      .run = command_puppet_show },
    { .verb = "puppet ls",
      .usage = "LIB",
      .summary = "list the puppets that a library keeps",
      .description = { "One that is damaged is listed as well; the exit status is then 1." },
      .examples = { "marey puppet ls demo.marey", "marey puppet ls demo.marey --json" },
      .options = no_options,
      .operands_least = 1,
      .operands_most = 1,
      .run = command_puppet_ls },
    { .verb = "puppet rename",
      .operation = &app_puppet_rename,
      .show = show_renamed,
      .examples = { "marey puppet rename demo.marey shy timid" } },
    { .verb = "puppet rm",
      .operation = &app_puppet_rm,
      .show = show_forgotten,
      .examples = { "marey puppet rm demo.marey shy" } },
    { 0 },
};
