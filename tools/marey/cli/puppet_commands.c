/* puppet_commands.c - the commands of the family `puppet`, and their options. */
#include "commands.h"
#include "shared_options.h"

/* ---- options --------------------------------------------------------------------------------- */

#define PUPPET_LIBRARY_OPTION(text)                                                                \
    {                                                                                              \
        .name = "library", .letter = 'L', .value = "FILE", .help = (text), .key = OPTION_LIBRARY   \
    }

#define PICTURE_OPTION(text)                                                                       \
    {                                                                                              \
        .name = "picture", .value = "FILE", .help = (text), .key = OPTION_PICTURE                  \
    }

static const option_row puppet_train_options[] = {
    { .name = "output",
      .letter = 'o',
      .value = "P.puppet",
      .needed = true,
      .help = "what to write: a file NAME.puppet, LIB.marey:NAME, or with -L a name",
      .key = OPTION_OUTPUT },
    PUPPET_LIBRARY_OPTION("the clips of --clips, and the puppets, are names in this library"),
    { 0 },
};

static const option_row puppet_run_options[] = {
    CLIP_OUTPUT_OPTION("the paths of both, a row for each row of MAIN.csv (.csv)"),
    PUPPET_LIBRARY_OPTION("the puppet and the graph are names in this library"),
    PICTURE_OPTION("draw both paths, seen from above (.png, .svg, .pdf)"),
    { .name = "body",
      .value = "OUT",
      .help = "also make a body that goes where the puppet goes: a clip's file, or LIB.marey:NAME; "
              "needs -L and --graph",
      .key = OPTION_BODY },
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

/* ---- commands -------------------------------------------------------------------------------- */

const command puppet_actions[] = {
    { .verb = "puppet train",
      .operation = &app_puppet_train,
      .check = check_puppet_train,
      .finish = finish_puppet_train,
      .save = save_puppet_train,
      .options = puppet_train_options,
      .examples = { "marey puppet train puppets/shy.csv -o shy.puppet",
                    "marey puppet train first.csv second.csv -o demo.marey:mine",
                    "marey puppet train -L demo.marey first.csv -o mine --about 'keeps its "
                    "distance'",
                    "marey puppet train --clips leader.bvh follower.bvh -o follows.puppet",
                    "marey puppet train -L demo.marey --clips walk_left walk_straight -o "
                    "beside" } },
    { .verb = "puppet run",
      .operation = &app_puppet_run,
      .show = show_puppet_played,
      .check = check_puppet_run,
      .finish = finish_puppet_run,
      .draw = draw_puppet_run,
      .write_wrote = write_puppet_body,
      .options = puppet_run_options,
      .examples = { "marey puppet run shy.puppet puppets/main.csv -o out.csv",
                    "marey puppet run -L demo.marey follower puppets/main.csv -o out.csv --picture "
                    "out.png",
                    "marey puppet run demo.marey:bully puppets/main.csv -o out.csv --start "
                    "200,0,3.14",
                    "marey graph train demo.marey standard",
                    "marey puppet run -L demo.marey follower puppets/main.csv -o out.csv --graph "
                    "standard --body body.bvh" } },
    { .verb = "puppet show",
      .operation = &app_puppet_show,
      .show = show_puppet,
      .check = check_puppet_show,
      .finish = finish_puppet_show,
      .draw = draw_puppet_show,
      .options = puppet_show_options,
      .examples = { "marey puppet show shy.puppet",
                    "marey puppet show -L demo.marey shy --picture shy.png",
                    "marey puppet show demo.marey:shy --csv shy.csv --json" } },
    { .verb = "puppet ls",
      .operation = &app_puppet_ls,
      .show = show_puppets,
      .warn = warn_puppets,
      .exit = exit_puppets,
      .examples = { "marey puppet ls demo.marey", "marey puppet ls demo.marey --json" } },
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
