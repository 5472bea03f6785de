/* making_options.c - the options of the commands that make motion out of motion. */
#include "command_options.h"
#include "shared_options.h"

const option_row align_options[] = {
    { .name = "output",
      .letter = 'o',
      .value = "FILE",
      .help = "of two clips: the path as .npy, or the grid with the path over it as .png, .svg or "
              ".pdf (default: nothing is written)",
      .key = OPTION_OUTPUT },
    LIBRARY_OPTION,
    { 0 },
};

const option_row transition_options[] = {
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

const option_row blend_options[] = {
    NEEDED_OUTPUT_OPTION("what to write: a file, or LIB.marey:NAME"),
    OUT_PROVENANCE_OPTION,
    LIBRARY_OPTION,
    { 0 },
};

const option_row clean_options[] = {
    NEEDED_OUTPUT_OPTION("what to write: a file, or LIB.marey:NAME"),
    OUT_PROVENANCE_OPTION,
    LIBRARY_OPTION,
    { 0 },
};

const option_row loop_options[] = {
    CLIP_OUTPUT_OPTION("write the best loop, as a file or LIB.marey:NAME (default: loops are only "
                       "listed)"),
    OUT_PROVENANCE_OPTION,
    LIBRARY_OPTION,
    { 0 },
};
