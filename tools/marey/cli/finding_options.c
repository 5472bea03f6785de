/* finding_options.c - the options of the commands that find motion in a library. */
#include "command_options.h"
#include "shared_options.h"

const option_row search_options[] = {
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

const option_row example_options[] = {
    CLIP_OUTPUT_OPTION("also make a clip of the best way: a file, or LIB.marey:NAME"),
    OUT_PROVENANCE_OPTION,
    { 0 },
};
