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
    DOF_OPTION(
        "which signals are compared; the first one says where they are cut (default: what bends "
        "the left hip, the right hip, the left knee and the right knee; of a drawn curve as many "
        "of "
        "these as it has values, or what its first line names)"),
    K_OPTION,
    { .name = "best",
      .value = "P",
      .help = "how many ways through the clips are listed, 1 to 100 (default: 5)",
      .key = OPTION_BEST },
    NOISE_OPTION,
    SHAPE_OPTION,
    PLAIN_OPTION,
    WHOLE_OPTION,
    { .name = "label",
      .value = "LABEL",
      .help = "only in clips with this label; the query may be any",
      .key = OPTION_LABEL },
    { .name = "in",
      .value = "NAME",
      .help = "only in this clip; may be given several times",
      .key = OPTION_IN,
      .repeats = true },
    { .name = "others", .help = "not in the query's own clip", .key = OPTION_OTHERS },
    CLIP_OUTPUT_OPTION("also make a clip of the best way: a file, or LIB.marey:NAME"),
    { .name = "fps",
      .value = "N",
      .help = "frames a second of that clip (default: those of the clip it begins with)",
      .key = OPTION_FPS },
    ROUGH_OPTION,
    LEAVE_FEET_OPTION,
    STRETCH_OPTION,
    OUT_PROVENANCE_OPTION,
    READING_OPTIONS(WORDS_UNITS),
    { 0 },
};
